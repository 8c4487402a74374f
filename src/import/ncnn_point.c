/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise layers of one bottom: activations, and numbers per channel. What belongs to a channel is, as in
 * ncnn, the outermost dimension: c of an image, h of a matrix, every element of a vector. */
#include "src/import/ncnn_context.h"

#include <float.h>
#include <math.h>

/* ---- activations ---- */

static gt_status apply(gt_i_ncnn *c, gt_function function, float alpha, float beta)
{
    return gt_i_ncnn_unary(NULL, c, 0, function, alpha, beta, gt_i_ncnn_bottom(c, 0));
}

#define PLAIN(handler, function)                                           \
    gt_status gt_i_ncnn_##handler(gt_i_ncnn *c, const gt_ncnn_layer *layer) \
    {                                                                      \
        (void)layer;                                                       \
        return apply(c, function, 0, 0);                                   \
    }
PLAIN(abs_val, GT_FN_ABS)
PLAIN(sigmoid, GT_FN_SIGMOID)
PLAIN(softplus, GT_FN_SOFTPLUS)
PLAIN(swish, GT_FN_SWISH)
PLAIN(mish, GT_FN_MISH)
PLAIN(tanh, GT_FN_TANH)

gt_status gt_i_ncnn_relu(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    float slope = 0;
    gt_status status = gt_i_ncnn_float(&slope, layer, 0, "slope", 0);
    if (status != GT_OK) {
        return status;
    }
    return apply(c, slope == 0 ? GT_FN_RELU : GT_FN_LEAKY_RELU, slope, 0);
}

/* A function with parameters 0 and 1 as alpha and beta. */
static gt_status apply_two(gt_i_ncnn *c, const gt_ncnn_layer *layer, gt_function function,
                           const char *const *names, float alpha, float beta)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_ncnn_float(&alpha, layer, 0, names[0], alpha));
    GT_TRY(gt_i_ncnn_float(&beta, layer, 1, names[1], beta));
    GT_TRY(apply(c, function, alpha, beta));
done:
    return status;
}

static const char *const alpha_beta[] = {"alpha", "beta"};

gt_status gt_i_ncnn_hard_sigmoid(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    return apply_two(c, layer, GT_FN_HARD_SIGMOID, alpha_beta, 0.2f, 0.5f);
}

gt_status gt_i_ncnn_hard_swish(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    return apply_two(c, layer, GT_FN_HARD_SWISH, alpha_beta, 0.2f, 0.5f);
}

gt_status gt_i_ncnn_clip(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    static const char *const names[] = {"min", "max"};
    return apply_two(c, layer, GT_FN_CLIP, names, -FLT_MAX, FLT_MAX);
}

gt_status gt_i_ncnn_elu(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    float alpha = 0;
    gt_status status = gt_i_ncnn_float(&alpha, layer, 0, "alpha", 0.1f);
    return status == GT_OK ? apply(c, GT_FN_ELU, alpha, 0) : status;
}

gt_status gt_i_ncnn_dropout(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    float scale = 1;
    int x = gt_i_ncnn_bottom(c, 0);
    GT_TRY(gt_i_ncnn_float(&scale, layer, 0, "scale", 1));
    if (scale == 1) {
        gt_i_ncnn_alias(c, 0, x);
    } else {
        GT_TRY(gt_i_ncnn_binary_scalar(NULL, c, 0, GT_BINARY_MUL, x, scale));
    }
done:
    return status;
}

/* ---- UnaryOp ---- */

static gt_status unary_of_two(gt_i_ncnn *c, gt_function first, gt_function second)
{
    gt_status status = GT_OK;
    int x = gt_i_ncnn_bottom(c, 0);
    GT_TRY(gt_i_ncnn_unary(&x, c, GT_I_HELPER, first, 0, 0, x));
    GT_TRY(gt_i_ncnn_unary(NULL, c, 0, second, 0, 0, x));
done:
    return status;
}

static gt_status log10_of(gt_i_ncnn *c)
{
    gt_status status = GT_OK;
    int x = gt_i_ncnn_bottom(c, 0);
    GT_TRY(gt_i_ncnn_unary(&x, c, GT_I_HELPER, GT_FN_LOG, 0, 0, x));
    GT_TRY(gt_i_ncnn_binary_scalar(NULL, c, 0, GT_BINARY_MUL, x, (float)(1 / log(10))));
done:
    return status;
}

gt_status gt_i_ncnn_unary_op(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    static const gt_function functions[] = {
        [0] = GT_FN_ABS, [1] = GT_FN_NEG, [2] = GT_FN_FLOOR, [3] = GT_FN_CEIL, [5] = GT_FN_SQRT,
        [7] = GT_FN_EXP, [8] = GT_FN_LOG, [15] = GT_FN_RECIPROCAL, [16] = GT_FN_TANH,
    };
    enum { SQUARE = 4, RSQRT = 6, LOG10 = 17 };
    int64_t type = 0;
    gt_status status = gt_i_ncnn_int(&type, layer, 0, "op_type", 0, 0, 63);
    if (status != GT_OK) {
        return status;
    }
    int x = gt_i_ncnn_bottom(c, 0);
    switch (type) {
    case SQUARE:
        return gt_i_ncnn_binary(NULL, c, 0, GT_BINARY_MUL, x, x);
    case RSQRT:
        return unary_of_two(c, GT_FN_SQRT, GT_FN_RECIPROCAL);
    case LOG10:
        return log10_of(c);
    default:
        break;
    }
    if ((size_t)type >= sizeof functions / sizeof *functions || functions[type] == GT_FN_NONE) {
        return gt_fail(GT_ERROR_UNSUPPORTED, "parameter 0 (op_type) is %lld; 0 to 8 (abs, neg, floor, ceil, "
                       "square, sqrt, rsqrt, exp, log) and 15 to 17 (reciprocal, tanh, log10) are handled",
                       (long long)type);
    }
    return apply(c, functions[type], 0, 0);
}

/* ---- numbers per channel ---- */

/* Fails unless the stated number is that of the bottom's channels. */
static gt_status check_channels(const gt_i_ncnn *c, int64_t stated, int id, const char *name)
{
    int64_t channels = gt_i_ncnn_shape(c, gt_i_ncnn_bottom(c, 0)).dim[1];
    if (stated == channels) {
        return GT_OK;
    }
    return gt_fail(GT_ERROR_FORMAT, "parameter %d (%s) is %lld; the bottom has %lld channels", id, name,
                   (long long)stated, (long long)channels);
}

/* In inference y = x * scale + shift with scale = slope / sqrt(variance + eps), shift = bias - mean *
 * scale. */
static gt_status fold_statistics(float **scale, float **shift, gt_i_ncnn *c, int64_t channels, float eps)
{
    static const struct {
        const char *name;
        gt_i_ncnn_random random;
    } fields[4] = {{"slope", {1, 0.1f}}, {"mean", {0, 0.1f}}, {"variance", {1, 0}}, {"bias", {0, 0.1f}}};
    gt_status status = GT_OK;
    float *part[4] = {NULL};
    for (int i = 0; i < 4; i++) {
        GT_TRY(gt_i_ncnn_load(&part[i], c, fields[i].name, channels, false, fields[i].random));
    }
    for (int64_t k = 0; k < channels; k++) {
        double s = (double)part[0][k] / sqrt((double)part[2][k] + (double)eps);
        part[3][k] = (float)((double)part[3][k] - (double)part[1][k] * s);
        part[0][k] = (float)s;
    }
    *scale = part[0];
    *shift = part[3];
    part[0] = part[3] = NULL;
done:
    for (int i = 0; i < 4; i++) {
        gt_free(part[i]);
    }
    return status;
}

gt_status gt_i_ncnn_batch_norm(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int64_t channels = 0;
    float eps = 0;
    float *scale = NULL;
    float *shift = NULL;
    int in[3] = {gt_i_ncnn_bottom(c, 0)};
    GT_TRY(gt_i_ncnn_int(&channels, layer, 0, "channels", 0, 1, INT32_MAX));
    GT_TRY(gt_i_ncnn_float(&eps, layer, 1, "eps", 0));
    GT_TRY(check_channels(c, channels, 0, "channels"));
    gt_shape vector = {.rank = 1, .dim = {channels}};
    GT_TRY(fold_statistics(&scale, &shift, c, channels, eps));
    status = gt_i_ncnn_const(&in[1], c, "scale", &vector, scale);
    scale = NULL;
    GT_TRY(status);
    status = gt_i_ncnn_const(&in[2], c, "shift", &vector, shift);
    shift = NULL;
    GT_TRY(status);
    GT_TRY(gt_i_ncnn_emit(NULL, c, 0, GT_OP_SCALE, &(gt_attrs){0}, 3, in, NULL));
done:
    gt_free(scale);
    gt_free(shift);
    return status;
}

/* The second bottom has a number for each channel of the first. */
static gt_status scale_by_blob(gt_i_ncnn *c)
{
    gt_status status = GT_OK;
    int x = gt_i_ncnn_bottom(c, 0);
    int factor = gt_i_ncnn_bottom(c, 1);
    gt_shape shape = gt_i_ncnn_channel_shape(c, x);
    gt_shape given = gt_i_ncnn_shape(c, factor);
    GT_REQUIRE(gt_shape_elems(&given) == shape.dim[1], GT_ERROR_SHAPE,
               "its second bottom has %lld elements; the first has %lld channels",
               (long long)gt_shape_elems(&given), (long long)shape.dim[1]);
    GT_TRY(gt_i_ncnn_reshape(&factor, c, GT_I_HELPER, factor, &shape));
    GT_TRY(gt_i_ncnn_binary(NULL, c, 0, GT_BINARY_MUL, x, factor));
done:
    return status;
}

gt_status gt_i_ncnn_scale(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int64_t size = 0;
    bool bias = false;
    int in[3] = {gt_i_ncnn_bottom(c, 0)};
    GT_TRY(gt_i_ncnn_int(&size, layer, 0, "scale_data_size", 0, GT_NCNN_REST, INT32_MAX));
    GT_TRY(gt_i_ncnn_flag(&bias, layer, 1, "bias_term"));
    GT_REQUIRE((size == GT_NCNN_REST) == (layer->n_bottoms == 2), GT_ERROR_FORMAT,
               "parameter 0 (scale_data_size) is %lld with %d bottoms; two bottoms go with -233",
               (long long)size, layer->n_bottoms);
    if (size == GT_NCNN_REST) {
        return scale_by_blob(c);
    }
    GT_TRY(check_channels(c, size, 0, "scale_data_size"));
    gt_shape vector = {.rank = 1, .dim = {size}};
    GT_TRY(gt_i_ncnn_load_const(&in[1], c, "scale", &vector, false, (gt_i_ncnn_random){1, 0.1f}));
    if (bias) {
        GT_TRY(gt_i_ncnn_load_const(&in[2], c, "shift", &vector, false, (gt_i_ncnn_random){0, 0.1f}));
        GT_TRY(gt_i_ncnn_emit(NULL, c, 0, GT_OP_SCALE, &(gt_attrs){0}, 3, in, NULL));
    } else {
        gt_shape shape = gt_i_ncnn_channel_shape(c, in[0]);
        GT_TRY(gt_i_ncnn_reshape(&in[1], c, GT_I_HELPER, in[1], &shape));
        GT_TRY(gt_i_ncnn_binary(NULL, c, 0, GT_BINARY_MUL, in[0], in[1]));
    }
done:
    return status;
}

gt_status gt_i_ncnn_bias(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int64_t size = 0;
    int bias = GT_NO_TENSOR;
    int x = gt_i_ncnn_bottom(c, 0);
    GT_TRY(gt_i_ncnn_int(&size, layer, 0, "bias_data_size", 0, 1, INT32_MAX));
    GT_TRY(check_channels(c, size, 0, "bias_data_size"));
    gt_shape shape = gt_i_ncnn_channel_shape(c, x);
    GT_TRY(gt_i_ncnn_load_const(&bias, c, "bias", &shape, false, (gt_i_ncnn_random){0, 0.1f}));
    GT_TRY(gt_i_ncnn_binary(NULL, c, 0, GT_BINARY_ADD, x, bias));
done:
    return status;
}

gt_status gt_i_ncnn_prelu(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    static const gt_i_ncnn_random quarter = {0.25f, 0.05f};
    gt_status status = GT_OK;
    int64_t slopes = 0;
    float *one = NULL;
    int slope = GT_NO_TENSOR;
    int x = gt_i_ncnn_bottom(c, 0);
    GT_TRY(gt_i_ncnn_int(&slopes, layer, 0, "num_slope", 0, 1, INT32_MAX));
    if (slopes == 1) {
        GT_TRY(gt_i_ncnn_load(&one, c, "slope", 1, false, quarter));
        GT_REQUIRE(isfinite(one[0]), GT_ERROR_FORMAT, "its slope is %g; a finite number is needed",
                   (double)one[0]);
        GT_TRY(apply(c, GT_FN_LEAKY_RELU, one[0], 0));
    } else {
        GT_TRY(check_channels(c, slopes, 0, "num_slope"));
        gt_shape shape = gt_i_ncnn_channel_shape(c, x);
        GT_TRY(gt_i_ncnn_load_const(&slope, c, "slope", &shape, false, quarter));
        GT_TRY(gt_i_ncnn_binary(NULL, c, 0, GT_BINARY_PRELU, x, slope));
    }
done:
    gt_free(one);
    return status;
}
