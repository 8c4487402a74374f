/* SPDX-License-Identifier: Apache-2.0 */
/* Deconvolution and DeconvolutionDepthWise (grouped). */
#include "src/import/ncnn_conv.h"

/* ncnn stores [groups][outputs per group][channels per group][kernel]; conv_transpose2d wants the channels in
 * front: [groups][channels per group][outputs per group][kernel]. */
static gt_status load_weight(int *out, gt_i_ncnn *c, const gt_i_ncnn_window *w, int64_t channels)
{
    gt_status status = GT_OK;
    float *stored = NULL;
    float *turned = NULL;
    int64_t k = w->outputs / w->groups;
    int64_t n = channels / w->groups;
    int64_t area = w->kernel[0] * w->kernel[1];
    gt_shape shape = gt_shape_4d(channels, k, w->kernel[0], w->kernel[1]);
    GT_TRY(gt_i_ncnn_load(&stored, c, "weight", w->weights, true, gt_i_ncnn_he(n * area)));
    GT_TRY(gt_alloc_aligned(&turned, (size_t)w->weights * sizeof *turned));
    for (int64_t i = 0; i < w->weights; i++) {
        int64_t at = i / area;
        int64_t group = at / (n * k);
        int64_t to = (group * n + at % n) * k + at / n % k;
        turned[to * area + i % area] = stored[i];
    }
    status = gt_i_ncnn_const(out, c, "weight", &shape, turned);
    turned = NULL;
done:
    gt_free(turned);
    gt_free(stored);
    return status;
}

/* The result's H and W. With SAME pads it is what output_w and output_h say, and the pads follow from
 * that. */
static gt_status resolve_size(int64_t *size, gt_i_ncnn_window *w, const gt_ncnn_layer *layer,
                              const gt_shape *x)
{
    gt_status status = GT_OK;
    int64_t extra[2] = {0};
    int64_t wanted[2] = {0};
    bool upper = w->pad[0] == GT_NCNN_REST;
    GT_TRY(gt_i_ncnn_int(&extra[1], layer, 18, "output_pad_right", 0, 0, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&extra[0], layer, 19, "output_pad_bottom", extra[1], 0, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&wanted[1], layer, 20, "output_w", 0, 0, INT32_MAX));
    GT_TRY(gt_i_ncnn_int(&wanted[0], layer, 21, "output_h", wanted[1], 0, INT32_MAX));
    for (int i = 0; i < 2; i++) {
        int64_t extent = w->dilation[i] * (w->kernel[i] - 1) + 1;
        int64_t full = (x->dim[2 + i] - 1) * w->stride[i] + extent + extra[i];
        if (w->same) {
            GT_REQUIRE(wanted[i] >= 1 && wanted[i] <= full, GT_ERROR_FORMAT,
                       "pads are SAME and parameter %d (output_%c) is %lld; 1 to %lld is needed", 21 - i,
                       "hw"[i], (long long)wanted[i], (long long)full);
            gt_i_ncnn_split_pad(w->pad, i, full - wanted[i], upper);
        }
        size[i] = full - w->pad[i] - w->pad[2 + i];
        GT_REQUIRE(size[i] >= 1, GT_ERROR_FORMAT, "pads of %lld and %lld leave nothing of the %lld elements "
                   "along %c", (long long)w->pad[i], (long long)w->pad[2 + i], (long long)full, "HW"[i]);
    }
done:
    return status;
}

gt_status gt_i_ncnn_deconvolution(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    gt_i_ncnn_window w;
    int64_t dynamic = 0;
    int64_t size[2] = {0};
    int in[3] = {gt_i_ncnn_bottom(c, 0), GT_NO_TENSOR, GT_NO_TENSOR};
    GT_TRY(gt_i_ncnn_read_window(&w, layer));
    GT_TRY(gt_i_ncnn_int(&dynamic, layer, 28, "dynamic_weight", 0, 0, 1));
    GT_REQUIRE(dynamic == 0, GT_ERROR_UNSUPPORTED, "parameter 28 (dynamic_weight) is 1; weights from blobs "
               "are not handled");
    GT_TRY(gt_i_ncnn_need_dims(c, in[0], 3, 3));
    gt_shape x = gt_i_ncnn_shape(c, in[0]);
    GT_TRY(gt_i_ncnn_check_weights(&w, x.dim[1]));
    GT_TRY(resolve_size(size, &w, layer, &x));
    GT_TRY(load_weight(&in[1], c, &w, x.dim[1]));
    GT_TRY(gt_i_ncnn_load_bias(&in[2], c, w.bias, w.outputs));
    gt_attrs attrs = gt_i_ncnn_conv_attrs(&w);
    gt_operand hint = {.present = true, .dtype = GT_F32, .shape = gt_shape_4d(1, w.outputs, size[0],
        size[1])};
    GT_TRY(gt_i_ncnn_emit_act(NULL, c, 0, GT_OP_CONV_TRANSPOSE2D, &attrs, &w.epilogue, w.bias ? 3 : 2, in,
                              &hint));
done:
    return status;
}
