/* SPDX-License-Identifier: Apache-2.0 */
/* Inference of the ops that only move elements. */
#include "src/graph/infer.h"

#include <math.h>
#include <stdio.h>

gt_status gt_i_infer_concat(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    char text[GT_SHAPE_TEXT_BYTES];
    const gt_operand *first = &op->in[0];
    int64_t axis = op->attrs->axis.axis;
    GT_TRY(gt_i_need_rank(op, 0, "x0", 1, GT_MAX_RANK));
    GT_TRY(gt_i_attr_range(op, "axis", axis, 0, first->shape.rank - 1));
    out->shape = first->shape;
    out->dtype = first->dtype;
    for (int i = 1; i < op->n_inputs; i++) {
        gt_shape like = op->in[i].shape;
        int64_t size = like.rank > axis ? like.dim[axis] : 0;
        like.dim[axis] = first->shape.dim[axis];
        if (!gt_shape_equal(&like, &first->shape) || op->in[i].dtype != first->dtype) {
            status = gt_i_bad_input(op, i, "an operand", "%s %s but for axis %lld", gt_dtype_name(first->dtype),
                                    gt_shape_format(text, sizeof text, &first->shape), (long long)axis);
            goto done;
        }
        out->shape.dim[axis] += size;
        GT_REQUIRE(out->shape.dim[axis] <= GT_MAX_ELEMS, GT_ERROR_LIMIT,
                   "concat: axis %lld of the output is over 2^40 long", (long long)axis);
    }
done:
    return status;
}

/* One axis of a slice: `size` elements from `start` in steps of `step`, all inside [0, dim). */
static gt_status check_slice_axis(const gt_inference *op, int i)
{
    int64_t dim = op->in[0].shape.dim[i];
    int64_t size = op->hint->shape.dim[i];
    int64_t start = op->attrs->slice.start.values[i];
    int64_t step = op->attrs->slice.step.values[i];
    int64_t last = 0;
    char field[32];
    snprintf(field, sizeof field, "start[%d]", i);
    gt_status status = gt_i_attr_range(op, field, start, 0, dim - 1);
    if (status != GT_OK) {
        return status;
    }
    if (size < 1 || step == 0 || __builtin_mul_overflow(size - 1, step, &last) ||
        __builtin_add_overflow(last, start, &last) || last < 0 || last >= dim) {
        return gt_fail(GT_ERROR_ARGUMENT,
                       "slice: axis %d takes %lld elements from start %lld in steps of %lld; allowed: at least one, "
                       "a step other than 0, all within 0 to %lld",
                       i, (long long)size, (long long)start, (long long)step, (long long)(dim - 1));
    }
    return GT_OK;
}

gt_status gt_i_infer_slice(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    const gt_shape *x = &op->in[0].shape;
    GT_TRY(gt_i_need_hint(op));
    GT_TRY(gt_i_list_count(op, "start", &op->attrs->slice.start, x->rank));
    GT_TRY(gt_i_list_count(op, "step", &op->attrs->slice.step, x->rank));
    GT_REQUIRE(op->hint->shape.rank == x->rank, GT_ERROR_SHAPE, "slice: the output's rank is %d; allowed: %d",
               op->hint->shape.rank, x->rank);
    for (int i = 0; i < x->rank; i++) {
        GT_TRY(check_slice_axis(op, i));
    }
    out->shape = op->hint->shape;
    out->dtype = op->in[0].dtype;
done:
    return status;
}

gt_status gt_i_infer_pad(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    const gt_shape *x = &op->in[0].shape;
    GT_TRY(gt_i_attr_range(op, "mode", op->attrs->pad.mode, 0, GT_PAD_EDGE));
    GT_TRY(gt_i_list_count(op, "before", &op->attrs->pad.before, x->rank));
    GT_TRY(gt_i_list_count(op, "after", &op->attrs->pad.after, x->rank));
    GT_REQUIRE(!isnan(op->attrs->pad.value), GT_ERROR_ARGUMENT, "pad: value is nan; allowed: numbers");
    out->shape = *x;
    out->dtype = op->in[0].dtype;
    for (int i = 0; i < x->rank; i++) {
        int64_t most = op->attrs->pad.mode == GT_PAD_REFLECT ? x->dim[i] - 1 : GT_MAX_ELEMS;
        GT_TRY(gt_i_attr_range(op, "before", op->attrs->pad.before.values[i], 0, most));
        GT_TRY(gt_i_attr_range(op, "after", op->attrs->pad.after.values[i], 0, most));
        out->shape.dim[i] += op->attrs->pad.before.values[i] + op->attrs->pad.after.values[i];
    }
done:
    return status;
}

gt_status gt_i_infer_channel_shuffle(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    int64_t groups = op->attrs->groups.groups;
    GT_TRY(gt_i_need_rank(op, 0, "x", 4, 4));
    GT_TRY(gt_i_need_f32(op));
    if (groups < 1 || op->in[0].shape.dim[1] % groups != 0) {
        char allowed[64];
        snprintf(allowed, sizeof allowed, "divisors of C = %lld", (long long)op->in[0].shape.dim[1]);
        status = gt_i_bad_attr(op, "groups", groups, allowed);
        goto done;
    }
    out->shape = op->in[0].shape;
done:
    return status;
}

gt_status gt_i_infer_depth_to_space(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    const gt_shape *x = &op->in[0].shape;
    int64_t block = op->attrs->block.block;
    GT_TRY(gt_i_need_rank(op, 0, "x", 4, 4));
    GT_TRY(gt_i_need_f32(op));
    GT_TRY(gt_i_attr_range(op, "block", block, 1, GT_MAX_ATTR));
    if (x->dim[1] % (block * block) != 0) {
        status = gt_i_bad_input(op, 0, "x", "C divisible by block^2 = %lld", (long long)(block * block));
        goto done;
    }
    out->shape = gt_shape_4d(x->dim[0], x->dim[1] / (block * block), x->dim[2] * block, x->dim[3] * block);
done:
    return status;
}

gt_status gt_i_infer_space_to_depth(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    const gt_shape *x = &op->in[0].shape;
    int64_t block = op->attrs->block.block;
    GT_TRY(gt_i_need_rank(op, 0, "x", 4, 4));
    GT_TRY(gt_i_need_f32(op));
    GT_TRY(gt_i_attr_range(op, "block", block, 1, GT_MAX_ATTR));
    if (x->dim[2] % block != 0 || x->dim[3] % block != 0) {
        status = gt_i_bad_input(op, 0, "x", "H and W divisible by block = %lld", (long long)block);
        goto done;
    }
    out->shape = gt_shape_4d(x->dim[0], x->dim[1] * block * block, x->dim[2] / block, x->dim[3] / block);
done:
    return status;
}

gt_status gt_i_infer_reshape(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    char text[GT_SHAPE_TEXT_BYTES];
    GT_TRY(gt_i_need_hint(op));
    if (gt_shape_elems(&op->in[0].shape) != gt_shape_elems(&op->hint->shape)) {
        status = gt_i_bad_input(op, 0, "x", "as many elements as the output %s",
                                gt_shape_format(text, sizeof text, &op->hint->shape));
        goto done;
    }
    out->shape = op->hint->shape;
    out->dtype = op->in[0].dtype;
done:
    return status;
}

gt_status gt_i_infer_transpose(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    const gt_shape *x = &op->in[0].shape;
    const gt_int_list *perm = &op->attrs->transpose.perm;
    unsigned seen = 0;
    GT_TRY(gt_i_list_count(op, "perm", perm, x->rank));
    out->shape.rank = x->rank;
    out->dtype = op->in[0].dtype;
    for (int i = 0; i < x->rank; i++) {
        GT_TRY(gt_i_attr_range(op, "perm", perm->values[i], 0, x->rank - 1));
        if ((seen >> perm->values[i] & 1u) != 0) {
            status = gt_i_bad_attr(op, "perm", perm->values[i], "every axis once");
            goto done;
        }
        seen |= 1u << perm->values[i];
        out->shape.dim[i] = x->dim[perm->values[i]];
    }
done:
    return status;
}

gt_status gt_i_infer_gather(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    const gt_shape *x = &op->in[0].shape;
    const gt_int_list *indices = &op->attrs->gather.indices;
    int64_t axis = op->attrs->gather.axis;
    bool scalar = op->attrs->gather.scalar;
    GT_TRY(gt_i_need_rank(op, 0, "x", 1, GT_MAX_RANK));
    GT_TRY(gt_i_attr_range(op, "axis", axis, 0, x->rank - 1));
    GT_TRY(gt_i_attr_range(op, "the number of indices", indices->count, 1, scalar ? 1 : GT_MAX_LIST));
    for (int64_t i = 0; i < indices->count; i++) {
        GT_TRY(gt_i_attr_range(op, "indices", indices->values[i], 0, x->dim[axis] - 1));
    }
    out->dtype = op->in[0].dtype;
    for (int i = 0; i < x->rank; i++) {
        if (i != axis || !scalar) {
            out->shape.dim[out->shape.rank++] = i == axis ? indices->count : x->dim[i];
        }
    }
done:
    return status;
}

gt_status gt_i_infer_tile(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    const gt_shape *x = &op->in[0].shape;
    const gt_int_list *repeats = &op->attrs->tile.repeats;
    GT_TRY(gt_i_list_count(op, "repeats", repeats, x->rank));
    out->shape = *x;
    out->dtype = op->in[0].dtype;
    for (int i = 0; i < x->rank; i++) {
        GT_TRY(gt_i_attr_range(op, "repeats", repeats->values[i], 1, GT_MAX_ELEMS));
        GT_TRY(gt_i_mul(&out->shape.dim[i], x->dim[i], repeats->values[i], "tile: a dimension of the output"));
    }
done:
    return status;
}
