/* SPDX-License-Identifier: Apache-2.0 */
/* Inference of elementwise ops and of those that work along an axis. */
#include "src/graph/infer.h"

#include <math.h>

/* Removes the axes marked in `gone`, or makes them 1. */
static gt_shape drop_axes(const gt_shape *shape, const bool *gone, bool keep)
{
    gt_shape result = {0};
    for (int i = 0; i < shape->rank; i++) {
        if (!gone[i] || keep) {
            result.dim[result.rank++] = gone[i] ? 1 : shape->dim[i];
        }
    }
    return result;
}

static gt_status check_axis(const gt_inference *op, int64_t axis)
{
    gt_status status = gt_i_need_rank(op, 0, "x", 1, GT_MAX_RANK);
    return status != GT_OK ? status : gt_i_attr_range(op, "axis", axis, 0, op->in[0].shape.rank - 1);
}

gt_status gt_i_infer_reduce(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    bool gone[GT_MAX_RANK] = {false};
    const gt_shape *x = &op->in[0].shape;
    const gt_int_list *axes = &op->attrs->reduce.axes;
    GT_TRY(gt_i_need_f32(op));
    GT_TRY(gt_i_need_rank(op, 0, "x", 1, GT_MAX_RANK));
    GT_TRY(gt_i_attr_range(op, "mode", op->attrs->reduce.mode, 0, GT_REDUCE_MAX));
    GT_TRY(gt_i_attr_range(op, "the number of axes", axes->count, 1, x->rank));
    for (int64_t i = 0; i < axes->count; i++) {
        GT_TRY(gt_i_attr_range(op, "axes (ascending)", axes->values[i], i > 0 ? axes->values[i - 1] + 1 : 0,
                               x->rank - 1));
        gone[axes->values[i]] = true;
    }
    out->shape = drop_axes(x, gone, op->attrs->reduce.keepdims);
done:
    return status;
}

gt_status gt_i_infer_unary(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_need_f32(op));
    GT_TRY(gt_i_attr_range(op, "f", op->attrs->unary.function, GT_FN_NONE + 1, GT_FN_ERF));
    GT_REQUIRE(!isnan(op->attrs->unary.alpha) && !isnan(op->attrs->unary.beta), GT_ERROR_ARGUMENT,
               "unary: alpha or beta is nan; allowed: numbers");
    out->shape = op->in[0].shape;
done:
    return status;
}

gt_status gt_i_infer_binary(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    char text[GT_SHAPE_TEXT_BYTES];
    const gt_shape *a = &op->in[0].shape;
    const gt_shape *b = &op->in[1].shape;
    GT_TRY(gt_i_need_f32(op));
    GT_TRY(gt_i_attr_range(op, "f", op->attrs->binary.function, 0, GT_BINARY_PRELU));
    if (a->rank != b->rank || !gt_shape_broadcast(&out->shape, a, b)) {
        status = gt_i_bad_input(op, 1, "b", "the rank of a = %s, and every dimension equal or 1",
                                gt_shape_format(text, sizeof text, a));
        goto done;
    }
    if (op->attrs->binary.function == GT_BINARY_PRELU && !gt_shape_equal(&out->shape, a)) {
        status = gt_i_bad_input(op, 1, "b", "a slope that broadcasts to a = %s",
                                gt_shape_format(text, sizeof text, a));
    }
done:
    return status;
}

gt_status gt_i_infer_softmax(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_need_f32(op));
    GT_TRY(check_axis(op, op->attrs->softmax.axis));
    out->shape = op->in[0].shape;
done:
    return status;
}

gt_status gt_i_infer_lrn(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_need_f32(op));
    GT_TRY(gt_i_need_rank(op, 0, "x", 4, 4));
    GT_TRY(gt_i_attr_range(op, "size", op->attrs->lrn.size, 1, GT_MAX_ATTR));
    GT_TRY(gt_i_attr_finite(op, "alpha", op->attrs->lrn.alpha));
    GT_TRY(gt_i_attr_finite(op, "beta", op->attrs->lrn.beta));
    GT_TRY(gt_i_attr_finite(op, "bias", op->attrs->lrn.bias));
    out->shape = op->in[0].shape;
done:
    return status;
}

/* The scale may differ from output/input by the rounding of the output size, but no more: it becomes source
 * coordinates, which must stay within integers. */
static gt_status check_resize_scale(const gt_inference *op, int i)
{
    float scale = op->attrs->resize.scale[i];
    double exact = (double)op->in[0].shape.dim[2 + i] * (double)scale;
    double given = (double)op->hint->shape.dim[2 + i];
    if (isfinite(scale) && scale > 0 && fabs(exact - given) <= 1 + 1e-3 * given) {
        return GT_OK;
    }
    return gt_fail(GT_ERROR_ARGUMENT,
                   "resize: scale_%c is %.9g; allowed: about %lld/%lld, the output by the input size",
                   i == 0 ? 'h' : 'w', (double)scale, (long long)op->hint->shape.dim[2 + i],
                   (long long)op->in[0].shape.dim[2 + i]);
}

gt_status gt_i_infer_resize(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    char text[GT_SHAPE_TEXT_BYTES];
    const gt_shape *x = &op->in[0].shape;
    GT_TRY(gt_i_need_f32(op));
    GT_TRY(gt_i_need_rank(op, 0, "x", 4, 4));
    GT_TRY(gt_i_need_hint(op));
    GT_TRY(gt_i_attr_range(op, "mode", op->attrs->resize.mode, 0, GT_RESIZE_LINEAR));
    GT_TRY(gt_i_attr_range(op, "coord", op->attrs->resize.coord, 0, GT_COORD_ASYMMETRIC));
    GT_TRY(gt_i_attr_range(op, "nearest", op->attrs->resize.nearest, 0, GT_NEAREST_CEIL));
    const gt_shape *y = &op->hint->shape;
    GT_REQUIRE(y->rank == 4 && y->dim[0] == x->dim[0] && y->dim[1] == x->dim[1] && y->dim[2] > 0 && y->dim[3] > 0,
               GT_ERROR_SHAPE, "resize: the output is %s; allowed: [%lld, %lld, H, W]",
               gt_shape_format(text, sizeof text, y), (long long)x->dim[0], (long long)x->dim[1]);
    GT_TRY(check_resize_scale(op, 0));
    GT_TRY(check_resize_scale(op, 1));
    out->shape = *y;
done:
    return status;
}

gt_status gt_i_infer_argmax(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    bool gone[GT_MAX_RANK] = {false};
    GT_TRY(gt_i_need_f32(op));
    GT_TRY(check_axis(op, op->attrs->argmax.axis));
    gone[op->attrs->argmax.axis] = true;
    out->shape = drop_axes(&op->in[0].shape, gone, op->attrs->argmax.keepdims);
    out->dtype = GT_I64;
done:
    return status;
}

gt_status gt_i_infer_cast(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_need_hint(op));
    out->shape = op->in[0].shape;
    out->dtype = op->hint->dtype;
done:
    return status;
}

gt_status gt_i_infer_copy(gt_operand *out, const gt_inference *op)
{
    out->shape = op->in[0].shape;
    out->dtype = op->in[0].dtype;
    return GT_OK;
}
