/* SPDX-License-Identifier: Apache-2.0 */
/* Inference of two ops done as one: that of the one, then that of the other on its result. */
#include "src/graph/infer.h"

#include <string.h>

/* The convolution, which has inputs 0 to 2. */
static gt_status infer_first(gt_operand *middle, const gt_inference *op)
{
    const gt_attrs *a = op->attrs;
    gt_attrs attrs = {0};
    const gt_epilogue epilogue = {(gt_function)a->pair.act, a->pair.alpha, a->pair.beta, GT_RESIDUAL_NONE};
    gt_status status = gt_i_attr_range(op, "conv_act", a->pair.act, GT_FN_NONE, GT_FN_LAST_ACTIVATION);
    if (status != GT_OK) {
        return status;
    }
    memcpy(attrs.conv.stride, a->pair.stride, sizeof attrs.conv.stride);
    memcpy(attrs.conv.pad, a->pair.pad, sizeof attrs.conv.pad);
    memcpy(attrs.conv.dilation, a->pair.dilation, sizeof attrs.conv.dilation);
    attrs.conv.groups = a->pair.groups;
    return gt_i_infer(middle, &(gt_inference){.kind = GT_OP_CONV2D, .attrs = &attrs, .epilogue = &epilogue,
                                              .n_inputs = op->n_inputs < 3 ? op->n_inputs : 3, .in = op->in});
}

gt_status gt_i_infer_conv2d_pointwise(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    gt_operand inputs[4] = {0};
    gt_attrs attrs = {0};
    GT_TRY(infer_first(&inputs[0], op));
    for (int i = 3; i < op->n_inputs; i++) {
        inputs[i - 2] = op->in[i];
    }
    const gt_shape *w = &inputs[1].shape;
    if (w->rank != 4 || w->dim[2] != 1 || w->dim[3] != 1) {
        status = gt_i_bad_input(op, 3, "weight", "a kernel of 1x1");
        goto done;
    }
    attrs.conv.stride[0] = attrs.conv.stride[1] = attrs.conv.dilation[0] = attrs.conv.dilation[1] = attrs.conv.groups = 1;
    GT_TRY(gt_i_infer(out, &(gt_inference){.kind = GT_OP_CONV2D, .attrs = &attrs, .epilogue = op->epilogue,
                                           .n_inputs = 4, .in = inputs, .hint = op->hint}));
done:
    return status;
}

gt_status gt_i_infer_conv2d_pool2d(gt_operand *out, const gt_inference *op)
{
    static const gt_epilogue none;
    gt_status status = GT_OK;
    const gt_attrs *a = op->attrs;
    gt_operand middle = {0};
    gt_attrs attrs = {0};
    GT_TRY(infer_first(&middle, op));
    attrs.pool.mode = a->pair.mode;
    memcpy(attrs.pool.kernel, a->pair.kernel, sizeof attrs.pool.kernel);
    memcpy(attrs.pool.stride, a->pair.pool_stride, sizeof attrs.pool.stride);
    memcpy(attrs.pool.pad, a->pair.pool_pad, sizeof attrs.pool.pad);
    memcpy(attrs.pool.dilation, a->pair.pool_dilation, sizeof attrs.pool.dilation);
    attrs.pool.count_pad = a->pair.count_pad;
    GT_TRY(gt_i_infer(out, &(gt_inference){.kind = GT_OP_POOL2D, .attrs = &attrs, .epilogue = &none, .n_inputs = 1,
                                           .in = &middle, .hint = op->hint}));
done:
    return status;
}
