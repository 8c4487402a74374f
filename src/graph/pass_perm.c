/* SPDX-License-Identifier: Apache-2.0 */
#include "src/graph/pass_perm.h"

#include <string.h>

gt_perm gt_i_perm_of(int64_t count, const int64_t *axis)
{
    gt_perm perm = {.rank = (int)count};
    for (int i = 0; i < perm.rank; i++) {
        perm.axis[i] = (int)axis[i];
    }
    return perm;
}

bool gt_i_perm_equal(const gt_perm *a, const gt_perm *b)
{
    bool equal = a->rank == b->rank;
    for (int i = 0; equal && i < a->rank; i++) {
        equal = a->axis[i] == b->axis[i];
    }
    return equal;
}

bool gt_i_perm_is_identity(const gt_perm *perm)
{
    for (int i = 0; i < perm->rank; i++) {
        if (perm->axis[i] != i) {
            return false;
        }
    }
    return true;
}

gt_perm gt_i_perm_inverse(const gt_perm *perm)
{
    gt_perm inverse = {.rank = perm->rank};
    for (int i = 0; i < perm->rank; i++) {
        inverse.axis[perm->axis[i]] = i;
    }
    return inverse;
}

gt_perm gt_i_perm_compose(const gt_perm *first, const gt_perm *second)
{
    gt_perm both = {.rank = first->rank};
    for (int i = 0; i < both.rank; i++) {
        both.axis[i] = first->axis[second->axis[i]];
    }
    return both;
}

gt_shape gt_i_perm_shape(const gt_shape *shape, const gt_perm *perm)
{
    gt_shape out = {.rank = perm->rank};
    for (int i = 0; i < perm->rank; i++) {
        out.dim[i] = shape->dim[perm->axis[i]];
    }
    return out;
}

/* Leaves out axes of size 1. */
static void drop_ones(gt_shape *shape, gt_perm *perm)
{
    int place[GT_MAX_RANK];
    gt_shape kept = {0};
    gt_perm order = {0};
    for (int i = 0; i < shape->rank; i++) {
        place[i] = shape->dim[i] != 1 ? kept.rank : -1;
        if (shape->dim[i] != 1) {
            kept.dim[kept.rank++] = shape->dim[i];
        }
    }
    for (int i = 0; i < perm->rank; i++) {
        if (place[perm->axis[i]] >= 0) {
            order.axis[order.rank++] = place[perm->axis[i]];
        }
    }
    *shape = kept;
    *perm = order;
}

void gt_i_perm_reduce(gt_shape *shape, gt_perm *perm)
{
    drop_ones(shape, perm);
    /* An axis that follows its predecessor in the result as it does in the operand joins it. */
    bool joins[GT_MAX_RANK] = {false};
    for (int i = 1; i < perm->rank; i++) {
        joins[perm->axis[i]] = perm->axis[i] == perm->axis[i - 1] + 1;
    }
    gt_shape merged = {0};
    int place[GT_MAX_RANK] = {0};
    for (int i = 0; i < shape->rank; i++) {
        if (i > 0 && joins[i]) {
            merged.dim[merged.rank - 1] *= shape->dim[i];
        } else {
            merged.dim[merged.rank++] = shape->dim[i];
        }
        place[i] = merged.rank - 1;
    }
    gt_perm order = {0};
    for (int i = 0; i < perm->rank; i++) {
        if (!joins[perm->axis[i]]) {
            order.axis[order.rank++] = place[perm->axis[i]];
        }
    }
    *shape = merged;
    *perm = order;
}

bool gt_i_perm_moves_nothing(const gt_shape *shape, const gt_perm *perm)
{
    gt_shape reduced = *shape;
    gt_perm order = *perm;
    gt_i_perm_reduce(&reduced, &order);
    return order.rank <= 1;
}

void gt_i_perm_copy(void *out, const void *in, size_t bytes, const gt_shape *shape, const gt_perm *perm)
{
    int64_t stride[GT_MAX_RANK] = {0};
    int64_t at[GT_MAX_RANK] = {0};
    int64_t step = 1;
    for (int i = shape->rank - 1; i >= 0; i--) {
        stride[i] = step;
        step *= shape->dim[i];
    }
    const int64_t count = gt_shape_elems(shape);
    int64_t source = 0;
    for (int64_t i = 0; i < count; i++) {
        memcpy((char *)out + (size_t)i * bytes, (const char *)in + (size_t)source * bytes, bytes);
        for (int axis = perm->rank - 1; axis >= 0; axis--) {
            int from = perm->axis[axis];
            source += stride[from];
            if (++at[axis] < shape->dim[from]) {
                break;
            }
            source -= stride[from] * shape->dim[from];
            at[axis] = 0;
        }
    }
}
