/* SPDX-License-Identifier: Apache-2.0 */
#include "src/graph/pass_affine.h"

#include <math.h>

int gt_i_affine_input(const gt_rewriter *rw, int op)
{
    const gt_op *o = &rw->graph->ops[op];
    int which = o->kind == GT_OP_SCALE ? 0 : gt_i_binary_activation(rw, op);
    return which < 0 ? GT_NO_TENSOR : o->inputs[which];
}

/* Whether the constant varies along `axis` only and leaves the other operand's shape alone. */
static bool varies_along(const gt_shape *constant, const gt_shape *x, int axis)
{
    for (int i = 0; i < constant->rank; i++) {
        if (constant->dim[i] != 1 && (i != axis || constant->dim[i] != x->dim[i])) {
            return false;
        }
    }
    return constant->rank == x->rank;
}

static bool read_binary(gt_affine *a, int64_t function, int which, const float *values, int64_t count)
{
    for (int64_t c = 0; c < a->n; c++) {
        double value = (double)values[count == 1 ? 0 : c];
        a->scale[c] = 1;
        a->shift[c] = 0;
        switch (function) {
        case GT_BINARY_ADD:
            a->shift[c] = value;
            break;
        case GT_BINARY_SUB:
            a->scale[c] = which == 0 ? 1 : -1;
            a->shift[c] = which == 0 ? -value : value;
            break;
        case GT_BINARY_MUL:
            a->scale[c] = value;
            break;
        case GT_BINARY_DIV:
            a->scale[c] = 1 / value;
            if (which != 0) {
                return false;
            }
            break;
        default:
            return false;
        }
    }
    return true;
}

static bool all_finite(const gt_affine *a)
{
    for (int64_t c = 0; c < a->n; c++) {
        if (!isfinite(a->scale[c]) || !isfinite(a->shift[c])) {
            return false;
        }
    }
    return true;
}

gt_status gt_i_affine_read(gt_affine *out, bool *ok, const gt_rewriter *rw, int op, int axis)
{
    gt_status status = GT_OK;
    gt_affine a = {.x = gt_i_affine_input(rw, op)};
    const gt_op *o = &rw->graph->ops[op];
    *ok = false;
    if (a.x < 0 || axis < 0) {
        return GT_OK;
    }
    const gt_shape *shape = &gt_i_tensor(rw, o->output)->shape;
    int which = o->kind == GT_OP_SCALE ? 0 : gt_i_binary_activation(rw, op);
    int constant = o->inputs[1 - which];
    const float *values = o->kind == GT_OP_SCALE ? gt_i_floats(rw, o->inputs[1]) : gt_i_floats(rw, constant);
    if (values == NULL || axis >= shape->rank || !gt_shape_equal(shape, &gt_i_tensor(rw, a.x)->shape) ||
        (o->kind == GT_OP_SCALE ? axis != 1 : !varies_along(&gt_i_tensor(rw, constant)->shape, shape, axis))) {
        return GT_OK;
    }
    a.n = shape->dim[axis];
    GT_TRY(gt_calloc(&a.scale, 2 * (size_t)a.n, sizeof *a.scale));
    a.shift = a.scale + a.n;
    if (o->kind == GT_OP_SCALE) {
        const float *shift = gt_i_floats(rw, o->inputs[2]);
        for (int64_t c = 0; c < a.n; c++) {
            a.scale[c] = (double)values[c];
            a.shift[c] = (double)shift[c];
        }
    } else if (!read_binary(&a, o->attrs.binary.function, which, values,
                            gt_shape_elems(&gt_i_tensor(rw, constant)->shape))) {
        goto done;
    }
    if (all_finite(&a)) {
        *out = a;
        *ok = true;
        a.scale = NULL;
    }
done:
    gt_free(a.scale);
    return status;
}

bool gt_i_affine_only_scales(const gt_affine *a)
{
    for (int64_t c = 0; c < a->n; c++) {
        if (a->shift[c] != 0) {
            return false;
        }
    }
    return true;
}
