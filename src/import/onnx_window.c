/* SPDX-License-Identifier: Apache-2.0 */
#include "src/import/onnx_window.h"

#include <string.h>

static gt_status read_auto_pad(gt_i_auto_pad *auto_pad, const gt_onnx_node *node)
{
    static const char *const names[] = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
    const char *text = NULL;
    gt_status status = gt_i_onnx_attr_string(&text, node, "auto_pad", "NOTSET");
    if (status != GT_OK) {
        return status;
    }
    for (int i = 0; i < 4; i++) {
        if (strcmp(text, names[i]) == 0) {
            *auto_pad = (gt_i_auto_pad)i;
            return GT_OK;
        }
    }
    if (text[0] == '\0') {
        *auto_pad = GT_I_PAD_NOTSET;
        return GT_OK;
    }
    return gt_fail(GT_ERROR_FORMAT, "auto_pad is '%s'; NOTSET, SAME_UPPER, SAME_LOWER and VALID are allowed",
                   text);
}

/* A list with one entry per spatial axis into {H, W}. */
static gt_status read_pair(int64_t *pair, const gt_onnx_node *node, const char *name, int n_spatial,
                           int64_t fallback)
{
    gt_status status = GT_OK;
    int64_t values[2] = {0};
    GT_TRY(gt_i_onnx_attr_ints_n(values, node, name, n_spatial, fallback));
    pair[0] = n_spatial == 2 ? values[0] : 1;
    pair[1] = values[n_spatial - 1];
    for (int i = 0; i < 2; i++) {
        GT_REQUIRE(pair[i] >= 1 && pair[i] <= GT_MAX_ATTR, GT_ERROR_FORMAT,
                   "attribute '%s' holds %lld; 1 to %lld are allowed", name, (long long)pair[i],
                   (long long)GT_MAX_ATTR);
    }
done:
    return status;
}

static gt_status read_pads(int64_t *pad, const gt_onnx_node *node, int n_spatial)
{
    gt_status status = GT_OK;
    int64_t values[4] = {0};
    GT_TRY(gt_i_onnx_attr_ints_n(values, node, "pads", 2 * n_spatial, 0));
    for (int i = 0; i < 2 * n_spatial; i++) {
        GT_REQUIRE(values[i] >= 0, GT_ERROR_UNSUPPORTED,
                   "pads holds %lld; negative ones are not handled here", (long long)values[i]);
        GT_REQUIRE(values[i] <= GT_MAX_ATTR, GT_ERROR_FORMAT, "pads holds %lld; 0 to %lld are allowed",
                   (long long)values[i], (long long)GT_MAX_ATTR);
    }
    pad[0] = n_spatial == 2 ? values[0] : 0;
    pad[1] = values[n_spatial - 1];
    pad[2] = n_spatial == 2 ? values[2] : 0;
    pad[3] = values[2 * n_spatial - 1];
done:
    return status;
}

static gt_status read_kernel(gt_i_window *window, const gt_onnx_node *node, int n_spatial,
                             const int64_t *kernel)
{
    gt_status status = GT_OK;
    if (kernel != NULL && gt_onnx_find_attr(node, "kernel_shape") == NULL) {
        memcpy(window->kernel, kernel, sizeof window->kernel);
        return GT_OK;
    }
    GT_TRY(read_pair(window->kernel, node, "kernel_shape", n_spatial, 0));
    GT_REQUIRE(kernel == NULL || memcmp(kernel, window->kernel, sizeof window->kernel) == 0, GT_ERROR_SHAPE,
               "kernel_shape is %lldx%lld; the weight has %lldx%lld", (long long)window->kernel[0],
               (long long)window->kernel[1], (long long)kernel[0], (long long)kernel[1]);
done:
    return status;
}

gt_status gt_i_onnx_window(gt_i_window *window, const gt_onnx_node *node, int rank, const int64_t *kernel)
{
    gt_status status = GT_OK;
    gt_i_window w = {0};
    GT_TRY(read_auto_pad(&w.auto_pad, node));
    GT_TRY(read_kernel(&w, node, rank - 2, kernel));
    GT_TRY(read_pair(w.stride, node, "strides", rank - 2, 1));
    GT_TRY(read_pair(w.dilation, node, "dilations", rank - 2, 1));
    /* Some exporters leave pads beside auto_pad; the standard lets auto_pad win. */
    if (w.auto_pad == GT_I_PAD_NOTSET) {
        GT_TRY(read_pads(w.pad, node, rank - 2));
    }
    *window = w;
done:
    return status;
}

void gt_i_onnx_split_pad(gt_i_window *window, int axis, int64_t total, bool odd_at_end)
{
    int64_t smaller = total / 2;
    window->pad[axis] = odd_at_end ? smaller : total - smaller;
    window->pad[2 + axis] = total - window->pad[axis];
}

void gt_i_onnx_resolve_auto_pad(gt_i_window *window, const int64_t *in)
{
    if (window->auto_pad != GT_I_PAD_SAME_UPPER && window->auto_pad != GT_I_PAD_SAME_LOWER) {
        return;
    }
    for (int axis = 0; axis < 2; axis++) {
        int64_t out = (in[axis] + window->stride[axis] - 1) / window->stride[axis];
        int64_t extent = (window->kernel[axis] - 1) * window->dilation[axis] + 1;
        int64_t total = (out - 1) * window->stride[axis] + extent - in[axis];
        gt_i_onnx_split_pad(window, axis, total > 0 ? total : 0, window->auto_pad == GT_I_PAD_SAME_UPPER);
    }
}
