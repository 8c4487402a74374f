/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that do not care about the order of axes: with transposed operands and attributes they compute the
 * transposed result. */
#include "src/graph/pass_transpose.h"

#include <string.h>

bool gt_i_drops_axes(const gt_op *op)
{
    return (op->kind == GT_OP_REDUCE && !op->attrs.reduce.keepdims) ||
           (op->kind == GT_OP_ARGMAX && !op->attrs.argmax.keepdims);
}

static bool is_dropped(const gt_op *op, int axis)
{
    if (op->kind == GT_OP_ARGMAX) {
        return op->attrs.argmax.axis == axis;
    }
    for (int64_t i = 0; i < op->attrs.reduce.axes.count; i++) {
        if (op->attrs.reduce.axes.values[i] == axis) {
            return true;
        }
    }
    return false;
}

/* The axes that remain come in the same order after the transpose. */
static bool keeps_order(const gt_op *op, const gt_perm *perm)
{
    int last = -1;
    for (int i = 0; i < perm->rank; i++) {
        if (!is_dropped(op, perm->axis[i])) {
            if (perm->axis[i] < last) {
                return false;
            }
            last = perm->axis[i];
        }
    }
    return true;
}

bool gt_i_can_permute(const gt_rewriter *rw, int op, const gt_perm *perm)
{
    const gt_op *o = &rw->graph->ops[op];
    if (o->dead || gt_i_tensor(rw, o->inputs[0])->shape.rank != perm->rank) {
        return false;
    }
    switch (o->kind) {
    case GT_OP_UNARY:
    case GT_OP_CAST:
    case GT_OP_BINARY:
    case GT_OP_CONCAT:
    case GT_OP_SLICE:
    case GT_OP_PAD:
    case GT_OP_SOFTMAX:
    case GT_OP_TILE:
        return true;
    case GT_OP_GATHER:
        return !o->attrs.gather.scalar;
    case GT_OP_REDUCE:
    case GT_OP_ARGMAX:
        return !gt_i_drops_axes(o) || keeps_order(o, perm);
    default:
        return false;
    }
}

static void permute_list(gt_int_list *list, const gt_perm *perm)
{
    int64_t old[GT_MAX_RANK];
    memcpy(old, list->values, (size_t)perm->rank * sizeof *old);
    for (int i = 0; i < perm->rank; i++) {
        list->values[i] = old[perm->axis[i]];
    }
}

static void permute_axes(gt_int_list *axes, const gt_perm *perm)
{
    bool marked[GT_MAX_RANK] = {false};
    for (int64_t i = 0; i < axes->count; i++) {
        marked[axes->values[i]] = true;
    }
    int64_t count = 0;
    for (int i = 0; i < perm->rank; i++) {
        if (marked[perm->axis[i]]) {
            axes->values[count++] = i;
        }
    }
}

void gt_i_permute_attrs(gt_op *op, const gt_perm *perm)
{
    const gt_perm place = gt_i_perm_inverse(perm);
    gt_attrs *a = &op->attrs;
    switch (op->kind) {
    case GT_OP_CONCAT:
        a->axis.axis = place.axis[a->axis.axis];
        break;
    case GT_OP_SLICE:
        permute_list(&a->slice.start, perm);
        permute_list(&a->slice.step, perm);
        break;
    case GT_OP_PAD:
        permute_list(&a->pad.before, perm);
        permute_list(&a->pad.after, perm);
        break;
    case GT_OP_SOFTMAX:
        a->softmax.axis = place.axis[a->softmax.axis];
        break;
    case GT_OP_TILE:
        permute_list(&a->tile.repeats, perm);
        break;
    case GT_OP_GATHER:
        a->gather.axis = place.axis[a->gather.axis];
        break;
    case GT_OP_REDUCE:
        permute_axes(&a->reduce.axes, perm);
        break;
    case GT_OP_ARGMAX:
        a->argmax.axis = place.axis[a->argmax.axis];
        break;
    default:
        break;
    }
}
