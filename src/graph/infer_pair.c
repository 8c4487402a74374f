/* SPDX-License-Identifier: Apache-2.0 */
/* Inference of two ops done as one: that of the one, then that of the other on its result. */
#include "src/graph/infer.h"
#include "src/graph/pair.h"

/* The convolution, which has inputs 0 to 2. */
static gt_status infer_first(gt_operand *middle, const gt_inference *op)
{
    gt_status status = GT_OK;
    gt_attrs attrs = {0};
    gt_epilogue epilogue;
    GT_TRY(gt_i_attr_range(op, "conv_act", op->attrs->pair.act, GT_FN_NONE, GT_FN_LAST_ACTIVATION));
    gt_pair_conv_attrs(&attrs, &epilogue, op->attrs);
    GT_TRY(gt_i_infer(middle, &(gt_inference){.kind = GT_OP_CONV2D, .attrs = &attrs, .epilogue = &epilogue,
                                              .n_inputs = op->n_inputs < 3 ? op->n_inputs : 3, .in = op->in}));
done:
    return status;
}

gt_status gt_i_infer_conv2d_pointwise(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    gt_operand inputs[4] = {0};
    gt_attrs attrs;
    GT_TRY(infer_first(&inputs[0], op));
    for (int i = 3; i < op->n_inputs; i++) {
        inputs[i - 2] = op->in[i];
    }
    const gt_shape *w = &inputs[1].shape;
    if (w->rank != 4 || w->dim[2] != 1 || w->dim[3] != 1) {
        status = gt_i_bad_input(op, 3, "weight", "a kernel of 1x1");
        goto done;
    }
    gt_pair_pointwise_attrs(&attrs);
    GT_TRY(gt_i_infer(out, &(gt_inference){.kind = GT_OP_CONV2D, .attrs = &attrs, .epilogue = op->epilogue,
                                           .n_inputs = 4, .in = inputs, .hint = op->hint}));
done:
    return status;
}

gt_status gt_i_infer_conv2d_pool2d(gt_operand *out, const gt_inference *op)
{
    static const gt_epilogue none;
    gt_status status = GT_OK;
    gt_operand middle = {0};
    gt_attrs attrs = {0};
    GT_TRY(infer_first(&middle, op));
    gt_pair_pool_attrs(&attrs, op->attrs);
    GT_TRY(gt_i_infer(out, &(gt_inference){.kind = GT_OP_POOL2D, .attrs = &attrs, .epilogue = &none, .n_inputs = 1,
                                           .in = &middle, .hint = op->hint}));
done:
    return status;
}
