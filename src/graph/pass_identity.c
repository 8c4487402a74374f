/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that change nothing, and pairs that are one. */
#include "src/graph/pass_clean.h"
#include "src/graph/pass_perm.h"

static bool all_equal(const gt_int_list *list, int64_t value)
{
    for (int64_t i = 0; i < list->count; i++) {
        if (list->values[i] != value) {
            return false;
        }
    }
    return true;
}

static bool same_scale(const gt_op *op)
{
    return op->attrs.resize.scale[0] == 1 && op->attrs.resize.scale[1] == 1;
}

static bool trivial_pool(const gt_op *op)
{
    return op->attrs.pool.kernel[0] == 1 && op->attrs.pool.kernel[1] == 1 && op->attrs.pool.stride[0] == 1 &&
           op->attrs.pool.stride[1] == 1;
}

static bool is_all(const float *values, int64_t count, float value)
{
    for (int64_t i = 0; values != NULL && i < count; i++) {
        if (values[i] != value) {
            return false;
        }
    }
    return values != NULL;
}

/* x + 0, x - 0, x * 1, x / 1, with any constant that does not make x larger (the caller compares shapes). */
static bool neutral_binary(const gt_rewriter *rw, const gt_op *op, int which)
{
    const gt_tensor *constant = gt_i_tensor(rw, op->inputs[1 - which]);
    const float *values = gt_i_floats(rw, op->inputs[1 - which]);
    int64_t count = gt_shape_elems(&constant->shape);
    switch (op->attrs.binary.function) {
    case GT_BINARY_ADD:
        return is_all(values, count, 0);
    case GT_BINARY_MUL:
        return is_all(values, count, 1);
    case GT_BINARY_SUB:
        return which == 0 && is_all(values, count, 0);
    case GT_BINARY_DIV:
        return which == 0 && is_all(values, count, 1);
    default:
        return false;
    }
}

/* The tensor that the op's output equals, or GT_NO_TENSOR. The shapes are known to be equal where it matters. */
static int same_as(const gt_rewriter *rw, int op)
{
    const gt_op *o = &rw->graph->ops[op];
    int which = gt_i_binary_activation(rw, op);
    bool same = false;
    switch (o->kind) {
    case GT_OP_CONCAT:
        same = o->n_inputs == 1;
        break;
    case GT_OP_SLICE:
        same = all_equal(&o->attrs.slice.step, 1) && all_equal(&o->attrs.slice.start, 0);
        break;
    case GT_OP_PAD:
    case GT_OP_TILE:
    case GT_OP_RESHAPE:
        same = true;
        break;
    case GT_OP_TRANSPOSE: {
        const gt_perm perm = gt_i_perm_of(o->attrs.transpose.perm.count, o->attrs.transpose.perm.values);
        same = gt_i_perm_is_identity(&perm);
        break;
    }
    case GT_OP_CAST:
        same = gt_i_tensor(rw, o->inputs[0])->dtype == gt_i_tensor(rw, o->output)->dtype;
        break;
    case GT_OP_RESIZE:
        same = same_scale(o);
        break;
    case GT_OP_CHANNEL_SHUFFLE:
        same = o->attrs.groups.groups == 1 || o->attrs.groups.groups == gt_i_tensor(rw, o->output)->shape.dim[1];
        break;
    case GT_OP_DEPTH_TO_SPACE:
    case GT_OP_SPACE_TO_DEPTH:
        same = o->attrs.block.block == 1;
        break;
    case GT_OP_POOL2D:
        same = trivial_pool(o);
        break;
    case GT_OP_COPY:
        same = gt_i_producer(rw, o->inputs[0]) >= 0 || rw->uses[o->output].outputs == 0;
        break;
    case GT_OP_SCALE:
        same = o->epilogue.act == GT_FN_NONE &&
               is_all(gt_i_floats(rw, o->inputs[1]), gt_shape_elems(&gt_i_tensor(rw, o->inputs[1])->shape), 1) &&
               is_all(gt_i_floats(rw, o->inputs[2]), gt_shape_elems(&gt_i_tensor(rw, o->inputs[2])->shape), 0);
        break;
    case GT_OP_BINARY:
        if (which >= 0 && o->epilogue.act == GT_FN_NONE && neutral_binary(rw, o, which)) {
            return o->inputs[which];
        }
        break;
    default:
        break;
    }
    return same ? o->inputs[0] : GT_NO_TENSOR;
}

gt_status gt_i_remove_identity(gt_rewriter *rw, int op)
{
    const gt_op *o = &rw->graph->ops[op];
    bool done = false;
    /* A reduction over axes of size 1 only changes the shape. */
    if (o->kind == GT_OP_REDUCE &&
        gt_shape_elems(&gt_i_tensor(rw, o->inputs[0])->shape) == gt_shape_elems(&gt_i_tensor(rw, o->output)->shape)) {
        return gt_i_become(rw, &done, op, GT_OP_RESHAPE, NULL, NULL, 1, o->inputs);
    }
    int x = same_as(rw, op);
    if (x < 0 || !gt_shape_equal(&gt_i_tensor(rw, x)->shape, &gt_i_tensor(rw, o->output)->shape)) {
        return GT_OK;
    }
    return gt_i_replace(rw, op, x);
}

/* slice(slice(x)) */
gt_status gt_i_merge_slices(gt_rewriter *rw, int op)
{
    const gt_op *o = &rw->graph->ops[op];
    int64_t start[GT_MAX_RANK] = {0};
    int64_t step[GT_MAX_RANK] = {0};
    bool done = false;
    int before = o->kind == GT_OP_SLICE ? gt_i_producer_of_kind(rw, o->inputs[0], GT_OP_SLICE) : -1;
    if (before < 0) {
        return GT_OK;
    }
    const gt_op *b = &rw->graph->ops[before];
    const int rank = gt_i_tensor(rw, o->output)->shape.rank;
    for (int i = 0; i < rank; i++) {
        start[i] = b->attrs.slice.start.values[i] + o->attrs.slice.start.values[i] * b->attrs.slice.step.values[i];
        /* One element has no step, and the product of two arbitrary ones could overflow. */
        bool one = gt_i_tensor(rw, o->output)->shape.dim[i] == 1;
        step[i] = one ? 1 : o->attrs.slice.step.values[i] * b->attrs.slice.step.values[i];
    }
    const gt_attrs attrs = {
        .slice = {.start = {.count = rank, .values = start}, .step = {.count = rank, .values = step}}};
    return gt_i_become(rw, &done, op, GT_OP_SLICE, &attrs, NULL, 1, b->inputs);
}

/* pad(pad(x)) with one constant. */
gt_status gt_i_merge_pads(gt_rewriter *rw, int op)
{
    const gt_op *o = &rw->graph->ops[op];
    int64_t ahead[GT_MAX_RANK] = {0};
    int64_t behind[GT_MAX_RANK] = {0};
    bool done = false;
    int before = o->kind == GT_OP_PAD ? gt_i_producer_of_kind(rw, o->inputs[0], GT_OP_PAD) : -1;
    if (before < 0) {
        return GT_OK;
    }
    const gt_op *b = &rw->graph->ops[before];
    const int rank = gt_i_tensor(rw, o->output)->shape.rank;
    if (o->attrs.pad.mode != GT_PAD_CONSTANT || b->attrs.pad.mode != GT_PAD_CONSTANT ||
        o->attrs.pad.value != b->attrs.pad.value) {
        return GT_OK;
    }
    for (int i = 0; i < rank; i++) {
        ahead[i] = o->attrs.pad.before.values[i] + b->attrs.pad.before.values[i];
        behind[i] = o->attrs.pad.after.values[i] + b->attrs.pad.after.values[i];
    }
    const gt_attrs attrs = {.pad = {.mode = GT_PAD_CONSTANT,
                                    .before = {.count = rank, .values = ahead},
                                    .after = {.count = rank, .values = behind},
                                    .value = o->attrs.pad.value}};
    return gt_i_become(rw, &done, op, GT_OP_PAD, &attrs, NULL, 1, b->inputs);
}
