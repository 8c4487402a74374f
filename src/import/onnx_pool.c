/* SPDX-License-Identifier: Apache-2.0 */
/* MaxPool, AveragePool and the global pools. */
#include "src/import/onnx_window.h"

#include <string.h>

/* In ceil mode a last window that would lie wholly in the trailing padding is left out, as in PyTorch, Caffe
 * and ONNX Runtime. */
static int64_t pooled_size(const gt_i_window *w, int axis, int64_t in, bool ceil_mode)
{
    int64_t extent = (w->kernel[axis] - 1) * w->dilation[axis] + 1;
    int64_t room = in + w->pad[axis] + w->pad[2 + axis] - extent;
    int64_t stride = w->stride[axis];
    if (room < 0) {
        return ceil_mode && -room < stride ? 1 : 0;
    }
    int64_t size = (room + (ceil_mode ? stride - 1 : 0)) / stride + 1;
    return ceil_mode && size > 1 && (size - 1) * stride >= in + w->pad[axis] ? size - 1 : size;
}

static gt_status pool(gt_i_onnx *c, const gt_onnx_node *node, gt_pool_mode mode, bool count_pad)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_i_value *image = NULL;
    gt_i_window w;
    gt_attrs attrs = {0};
    gt_operand hint = {.present = true, .dtype = GT_F32};
    int64_t ceil_mode = 0;
    GT_TRY(gt_i_onnx_attr_int(&ceil_mode, node, "ceil_mode", 0));
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    GT_TRY(gt_i_onnx_to_image(&image, c, x, "pooling"));
    GT_TRY(gt_i_onnx_window(&w, node, x->shape.rank, NULL));
    const int64_t *in = image->shape.dim;
    gt_i_onnx_resolve_auto_pad(&w, &in[2]);
    attrs.pool.mode = mode;
    attrs.pool.count_pad = count_pad;
    memcpy(attrs.pool.kernel, w.kernel, sizeof w.kernel);
    memcpy(attrs.pool.stride, w.stride, sizeof w.stride);
    memcpy(attrs.pool.dilation, w.dilation, sizeof w.dilation);
    memcpy(attrs.pool.pad, w.pad, sizeof w.pad);
    /* SAME pads to whole windows, and VALID rounds down whatever ceil_mode says. */
    bool up = ceil_mode != 0 && w.auto_pad == GT_I_PAD_NOTSET;
    hint.shape = gt_shape_4d(in[0], in[1], pooled_size(&w, 0, in[2], up), pooled_size(&w, 1, in[3], up));
    GT_TRY(gt_i_onnx_emit_image(c, node, x->shape.rank, GT_OP_POOL2D, &attrs, 1, &image, &hint));
done:
    return status;
}

gt_status gt_i_onnx_max_pool(gt_i_onnx *c, const gt_onnx_node *node)
{
    return pool(c, node, GT_POOL_MAX, false);
}

gt_status gt_i_onnx_average_pool(gt_i_onnx *c, const gt_onnx_node *node)
{
    int64_t count_pad = 0;
    gt_status status = gt_i_onnx_attr_int(&count_pad, node, "count_include_pad", 0);
    return status == GT_OK ? pool(c, node, GT_POOL_AVERAGE, count_pad != 0) : status;
}

static gt_status global_pool(gt_i_onnx *c, const gt_onnx_node *node, gt_reduce_mode mode)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    int64_t axes[GT_MAX_RANK] = {0};
    gt_attrs attrs = {.reduce = {.mode = mode, .keepdims = true}};
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    GT_REQUIRE(x->shape.rank >= 3, GT_ERROR_SHAPE, "x, '%s', has rank %d; 3 or more is needed", x->name,
               x->shape.rank);
    for (int i = 2; i < x->shape.rank; i++) {
        axes[i - 2] = i;
    }
    attrs.reduce.axes = (gt_int_list){x->shape.rank - 2, axes};
    GT_TRY(gt_i_onnx_emit_output(c, node, 0, GT_OP_REDUCE, &attrs, 1, &x, NULL));
done:
    return status;
}

gt_status gt_i_onnx_global_average_pool(gt_i_onnx *c, const gt_onnx_node *node)
{
    return global_pool(c, node, GT_REDUCE_MEAN);
}

gt_status gt_i_onnx_global_max_pool(gt_i_onnx *c, const gt_onnx_node *node)
{
    return global_pool(c, node, GT_REDUCE_MAX);
}
