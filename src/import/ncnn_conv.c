/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution, ConvolutionDepthWise, InnerProduct. ConvolutionDepthWise means grouped ones of any kind. */
#include "src/import/ncnn_conv.h"

#include <math.h>
#include <string.h>

#define SAME_UPPER (-233)
#define SAME_LOWER (-234)

/* ---- parameters ---- */

gt_status gt_i_ncnn_read_window(gt_i_ncnn_window *out, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    gt_i_ncnn_window w = {0};
    int64_t *pad = w.pad;
    GT_TRY(gt_i_ncnn_int(&w.outputs, layer, 0, "num_output", 0, 1, INT32_MAX));
    GT_TRY(gt_i_ncnn_int(&w.kernel[1], layer, 1, "kernel_w", 0, 1, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&w.kernel[0], layer, 11, "kernel_h", w.kernel[1], 1, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&w.dilation[1], layer, 2, "dilation_w", 1, 1, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&w.dilation[0], layer, 12, "dilation_h", w.dilation[1], 1, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&w.stride[1], layer, 3, "stride_w", 1, 1, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&w.stride[0], layer, 13, "stride_h", w.stride[1], 1, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&pad[1], layer, 4, "pad_left", 0, SAME_LOWER, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&pad[3], layer, 15, "pad_right", pad[1], SAME_LOWER, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&pad[0], layer, 14, "pad_top", pad[1], SAME_LOWER, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&pad[2], layer, 16, "pad_bottom", pad[0], SAME_LOWER, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_flag(&w.bias, layer, 5, "bias_term"));
    GT_TRY(gt_i_ncnn_int(&w.weights, layer, 6, "weight_data_size", 0, 1, INT32_MAX));
    GT_TRY(gt_i_ncnn_int(&w.groups, layer, 7, "group", 1, 1, INT32_MAX));
    GT_TRY(gt_i_ncnn_activation(&w.epilogue, layer));
    for (int i = 0; i < 4; i++) {
        w.same = w.same || pad[i] < 0;
    }
    for (int i = 0; i < 4; i++) {
        GT_REQUIRE(!w.same || (pad[i] == pad[0] && pad[i] <= SAME_UPPER), GT_ERROR_FORMAT,
                   "pads are %lld, %lld, %lld, %lld (left, right, top, bottom); 0 and more, or -233 or -234 "
                   "(SAME) for all four, are allowed", (long long)pad[1], (long long)pad[3],
                   (long long)pad[0], (long long)pad[2]);
    }
    *out = w;
done:
    return status;
}

void gt_i_ncnn_split_pad(int64_t *pad, int axis, int64_t total, bool upper)
{
    int64_t smaller = total / 2;
    pad[axis] = upper ? smaller : total - smaller;
    pad[2 + axis] = total - pad[axis];
}

/* What SAME means for an input of this size: as many outputs as strides fit in. */
static void resolve_same(gt_i_ncnn_window *w, const gt_shape *x)
{
    bool upper = w->pad[0] == SAME_UPPER;
    for (int i = 0; w->same && i < 2; i++) {
        int64_t extent = w->dilation[i] * (w->kernel[i] - 1) + 1;
        int64_t total = extent + (x->dim[2 + i] - 1) / w->stride[i] * w->stride[i] - x->dim[2 + i];
        gt_i_ncnn_split_pad(w->pad, i, total > 0 ? total : 0, upper);
    }
}

gt_attrs gt_i_ncnn_conv_attrs(const gt_i_ncnn_window *w)
{
    gt_attrs attrs = {.conv.groups = w->groups};
    memcpy(attrs.conv.stride, w->stride, sizeof w->stride);
    memcpy(attrs.conv.pad, w->pad, sizeof w->pad);
    memcpy(attrs.conv.dilation, w->dilation, sizeof w->dilation);
    return attrs;
}

/* ---- weights ---- */

gt_status gt_i_ncnn_check_weights(const gt_i_ncnn_window *w, int64_t channels)
{
    gt_status status = GT_OK;
    GT_REQUIRE(channels % w->groups == 0 && w->outputs % w->groups == 0, GT_ERROR_FORMAT,
               "parameter 7 (group) is %lld; a divisor of the %lld input and %lld output channels is needed",
               (long long)w->groups, (long long)channels, (long long)w->outputs);
    int64_t count = 0;
    GT_TRY(gt_i_mul(&count, w->outputs, channels / w->groups, "the number of weights"));
    GT_TRY(gt_i_mul(&count, count, w->kernel[0], "the number of weights"));
    GT_TRY(gt_i_mul(&count, count, w->kernel[1], "the number of weights"));
    GT_REQUIRE(count == w->weights, GT_ERROR_FORMAT,
               "parameter 6 (weight_data_size) is %lld; %lld outputs from %lld channels in %lld groups with "
               "a %lldx%lld kernel need %lld", (long long)w->weights, (long long)w->outputs,
               (long long)channels, (long long)w->groups, (long long)w->kernel[0], (long long)w->kernel[1],
               (long long)count);
done:
    return status;
}

gt_i_ncnn_random gt_i_ncnn_he(int64_t fan_in)
{
    return (gt_i_ncnn_random){.deviation = (float)sqrt(2.0 / (double)fan_in)};
}

gt_status gt_i_ncnn_load_bias(int *out, gt_i_ncnn *c, bool present, int64_t outputs)
{
    gt_shape shape = {.rank = 1, .dim = {outputs}};
    *out = GT_NO_TENSOR;
    return present ? gt_i_ncnn_load_const(out, c, "bias", &shape, false,
                                          (gt_i_ncnn_random){.deviation = 0.01f})
                   : GT_OK;
}

/* int8 inference has scales behind the bias. With float weights the layer runs in floats without them. */
static gt_status skip_scales(gt_i_ncnn *c, int64_t term, int64_t weight_scales)
{
    gt_status status = GT_OK;
    int64_t counts[3] = {weight_scales, 1, term > 100 ? 1 : 0};
    for (int i = 0; term != 0 && i < 3; i++) {
        float *scales = NULL;
        if (counts[i] > 0) {
            GT_TRY(gt_i_ncnn_load(&scales, c, "int8 scales", counts[i], false,
                                  (gt_i_ncnn_random){.mean = 1}));
        }
        gt_free(scales);
    }
done:
    return status;
}

/* ---- convolution ---- */

/* A vector is an image of one pixel for a 1x1 kernel, and the result is a vector again. */
static gt_status conv_of_vector(gt_i_ncnn *c, const gt_i_ncnn_window *w, int weight, int bias)
{
    gt_status status = GT_OK;
    gt_shape matrix = {.rank = 2, .dim = {w->outputs, gt_i_ncnn_shape(c, gt_i_ncnn_bottom(c, 0)).dim[1]}};
    int in[3] = {gt_i_ncnn_bottom(c, 0), GT_NO_TENSOR, bias};
    GT_TRY(gt_i_ncnn_reshape(&in[1], c, GT_I_HELPER, weight, &matrix));
    GT_TRY(gt_i_ncnn_emit_act(NULL, c, 0, GT_OP_DENSE, &(gt_attrs){0}, &w->epilogue, bias >= 0 ? 3 : 2, in,
                              NULL));
done:
    return status;
}

/* Padding with another value than zero. */
static gt_status pad_with(int *x, gt_i_ncnn *c, gt_i_ncnn_window *w, float value)
{
    gt_status status = GT_OK;
    int64_t before[4] = {0, 0, w->pad[0], w->pad[1]};
    int64_t after[4] = {0, 0, w->pad[2], w->pad[3]};
    gt_attrs attrs = {.pad = {.mode = GT_PAD_CONSTANT, .before = {4, before}, .after = {4, after},
                              .value = value}};
    GT_TRY(gt_i_ncnn_emit(x, c, GT_I_HELPER, GT_OP_PAD, &attrs, 1, x, NULL));
    memset(w->pad, 0, sizeof w->pad);
done:
    return status;
}

static gt_status convolve(gt_i_ncnn *c, gt_i_ncnn_window *w, int weight, int bias, float pad_value)
{
    gt_status status = GT_OK;
    int in[3] = {gt_i_ncnn_bottom(c, 0), weight, bias};
    gt_shape x = gt_i_ncnn_shape(c, in[0]);
    resolve_same(w, &x);
    if (pad_value != 0 && w->pad[0] + w->pad[1] + w->pad[2] + w->pad[3] > 0) {
        GT_TRY(pad_with(&in[0], c, w, pad_value));
    }
    gt_attrs attrs = gt_i_ncnn_conv_attrs(w);
    GT_TRY(gt_i_ncnn_emit_act(NULL, c, 0, GT_OP_CONV2D, &attrs, &w->epilogue, bias >= 0 ? 3 : 2, in, NULL));
done:
    return status;
}

/* How many scales of weights int8 inference has: one per output or group, or one for all. */
static int64_t weight_scales(const gt_ncnn_layer *layer, const gt_i_ncnn_window *w, int64_t term)
{
    if (strcmp(layer->type, "ConvolutionDepthWise") != 0) {
        return w->outputs;
    }
    return term % 100 == 2 ? 1 : w->groups;
}

gt_status gt_i_ncnn_convolution(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    gt_i_ncnn_window w;
    float pad_value = 0;
    int64_t term = 0;
    int64_t dynamic = 0;
    int weight = GT_NO_TENSOR;
    int bias = GT_NO_TENSOR;
    int x = gt_i_ncnn_bottom(c, 0);
    GT_TRY(gt_i_ncnn_read_window(&w, layer));
    GT_TRY(gt_i_ncnn_int(&term, layer, 8, "int8_scale_term", 0, 0, 102));
    GT_TRY(gt_i_ncnn_float(&pad_value, layer, 18, "pad_value", 0));
    GT_TRY(gt_i_ncnn_int(&dynamic, layer, 19, "dynamic_weight", 0, 0, 1));
    GT_REQUIRE(dynamic == 0, GT_ERROR_UNSUPPORTED, "parameter 19 (dynamic_weight) is 1; weights from blobs "
               "are not handled");
    bool vector = gt_i_ncnn_dims(c, x) == 1 && w.kernel[0] == 1 && w.kernel[1] == 1 && w.groups == 1;
    GT_TRY(gt_i_ncnn_need_dims(c, x, vector ? 1 : 3, 3));
    int64_t channels = gt_i_ncnn_shape(c, x).dim[1];
    GT_TRY(gt_i_ncnn_check_weights(&w, channels));
    gt_shape shape = gt_shape_4d(w.outputs, channels / w.groups, w.kernel[0], w.kernel[1]);
    GT_TRY(gt_i_ncnn_load_const(&weight, c, "weight", &shape, true, gt_i_ncnn_he(w.weights / w.outputs)));
    GT_TRY(gt_i_ncnn_load_bias(&bias, c, w.bias, w.outputs));
    GT_TRY(skip_scales(c, term, weight_scales(layer, &w, term)));
    GT_TRY(vector ? conv_of_vector(c, &w, weight, bias) : convolve(c, &w, weight, bias, pad_value));
done:
    return status;
}

/* ---- InnerProduct ---- */

gt_status gt_i_ncnn_inner_product(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int64_t outputs = 0;
    int64_t weights = 0;
    int64_t term = 0;
    bool has_bias = false;
    gt_epilogue epilogue = {0};
    int in[3] = {gt_i_ncnn_bottom(c, 0), GT_NO_TENSOR, GT_NO_TENSOR};
    gt_shape x = gt_i_ncnn_shape(c, in[0]);
    GT_TRY(gt_i_ncnn_int(&outputs, layer, 0, "num_output", 0, 1, INT32_MAX));
    GT_TRY(gt_i_ncnn_flag(&has_bias, layer, 1, "bias_term"));
    GT_TRY(gt_i_ncnn_int(&weights, layer, 2, "weight_data_size", 0, 1, INT32_MAX));
    GT_TRY(gt_i_ncnn_int(&term, layer, 8, "int8_scale_term", 0, 0, 102));
    GT_TRY(gt_i_ncnn_activation(&epilogue, layer));
    GT_REQUIRE(weights % outputs == 0, GT_ERROR_FORMAT,
               "parameter 2 (weight_data_size) is %lld; a multiple of num_output, %lld, is needed",
               (long long)weights, (long long)outputs);
    int64_t features = weights / outputs;
    /* Each row of a matrix of that width is multiplied; anything else is taken as one vector. */
    bool rows = x.rank == 3 && x.dim[2] == features && x.dim[1] > 1;
    GT_REQUIRE(rows || gt_shape_elems(&x) == features, GT_ERROR_FORMAT,
               "parameter 2 (weight_data_size) is %lld, %lld for each of num_output %lld; the bottom has "
               "%lld elements", (long long)weights, (long long)features, (long long)outputs,
               (long long)gt_shape_elems(&x));
    gt_shape shape = {.rank = 2, .dim = {outputs, features}};
    GT_TRY(gt_i_ncnn_load_const(&in[1], c, "weight", &shape, true, gt_i_ncnn_he(features)));
    GT_TRY(gt_i_ncnn_load_bias(&in[2], c, has_bias, outputs));
    GT_TRY(skip_scales(c, term, outputs));
    gt_attrs attrs = {.dense.rows = rows};
    GT_TRY(gt_i_ncnn_emit_act(NULL, c, 0, GT_OP_DENSE, &attrs, &epilogue, has_bias ? 3 : 2, in, NULL));
done:
    return status;
}
