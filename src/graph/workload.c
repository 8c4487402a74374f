/* SPDX-License-Identifier: Apache-2.0 */
#include "src/graph/workload.h"

#include "src/graph/infer.h"
#include "src/graph/pair.h"
#include "src/graph/workload_text.h"

#include <string.h>

static void canonical_function(gt_function function, float *alpha, float *beta)
{
    int params = gt_function_params(function);
    *alpha = params > 0 ? *alpha : 0;
    *beta = params > 1 ? *beta : 0;
}

/* Attributes without effect get one value, so that equal work has one text. */
static void canonicalise(gt_workload *w)
{
    gt_attrs *a = &w->attrs;
    canonical_function(w->epilogue.act, &w->epilogue.alpha, &w->epilogue.beta);
    switch (w->kind) {
    case GT_OP_UNARY:
        canonical_function((gt_function)a->unary.function, &a->unary.alpha, &a->unary.beta);
        break;
    case GT_OP_DENSE:
        a->dense.rows = a->dense.rows && w->inputs[0].shape.rank > 2;
        break;
    case GT_OP_POOL2D:
        a->pool.count_pad = a->pool.count_pad && a->pool.mode == GT_POOL_AVERAGE;
        break;
    case GT_OP_CONV2D_POINTWISE:
    case GT_OP_CONV2D_POOL2D:
        canonical_function((gt_function)a->pair.act, &a->pair.alpha, &a->pair.beta);
        a->pair.count_pad = a->pair.count_pad && a->pair.mode == GT_POOL_AVERAGE;
        break;
    case GT_OP_PAD:
        a->pad.value = a->pad.mode == GT_PAD_CONSTANT ? a->pad.value : 0;
        break;
    case GT_OP_RESIZE:
        a->resize.nearest = a->resize.mode == GT_RESIZE_NEAREST ? a->resize.nearest : 0;
        break;
    case GT_OP_SLICE:
        for (int i = 0; i < w->output.shape.rank; i++) {
            a->slice.step.values[i] = w->output.shape.dim[i] == 1 ? 1 : a->slice.step.values[i];
        }
        break;
    default:
        break;
    }
}

gt_status gt_workload_create(gt_workload **workload, gt_op_kind kind, const gt_attrs *attrs,
                             const gt_epilogue *epilogue, int n_inputs, const gt_operand *inputs,
                             const gt_operand *out_hint)
{
    static const gt_attrs no_attrs;
    static const gt_epilogue no_epilogue;
    gt_status status = GT_OK;
    gt_workload *w = NULL;
    gt_operand output = {0};
    const gt_inference op = {
        .kind = kind,
        .attrs = attrs != NULL ? attrs : &no_attrs,
        .epilogue = epilogue != NULL ? epilogue : &no_epilogue,
        .n_inputs = n_inputs,
        .in = inputs,
        .hint = out_hint,
    };
    GT_TRY(gt_i_infer(&output, &op));
    GT_TRY(gt_calloc(&w, 1, sizeof *w));
    w->kind = kind;
    w->epilogue = *op.epilogue;
    w->output = output;
    w->n_inputs = gt_op_canonical_inputs(kind, n_inputs);
    GT_TRY(gt_attrs_copy(&w->attrs, kind, op.attrs));
    GT_TRY(gt_calloc(&w->inputs, (size_t)w->n_inputs, sizeof *w->inputs));
    for (int i = 0; i < n_inputs; i++) {
        w->inputs[i] = inputs[i].present ? inputs[i] : (gt_operand){0};
    }
    canonicalise(w);
    GT_TRY(gt_i_workload_format(&w->key, w));
    *workload = w;
    w = NULL;
done:
    gt_workload_destroy(w);
    return status;
}

gt_status gt_workload_copy(gt_workload **out, const gt_workload *in)
{
    gt_status status = GT_OK;
    gt_workload *w = NULL;
    GT_TRY(gt_calloc(&w, 1, sizeof *w));
    w->kind = in->kind;
    w->epilogue = in->epilogue;
    w->output = in->output;
    w->n_inputs = in->n_inputs;
    GT_TRY(gt_attrs_copy(&w->attrs, in->kind, &in->attrs));
    GT_TRY(gt_calloc(&w->inputs, (size_t)in->n_inputs, sizeof *w->inputs));
    memcpy(w->inputs, in->inputs, (size_t)in->n_inputs * sizeof *w->inputs);
    GT_TRY(gt_strdup(&w->key, in->key));
    *out = w;
    w = NULL;
done:
    gt_workload_destroy(w);
    return status;
}

void gt_workload_destroy(gt_workload *workload)
{
    if (workload != NULL) {
        gt_attrs_clear(workload->kind, &workload->attrs);
        gt_free(workload->inputs);
        gt_free(workload->key);
        gt_free(workload);
    }
}

bool gt_workload_is_depthwise(const gt_workload *workload)
{
    return workload->kind == GT_OP_CONV2D && workload->attrs.conv.groups > 1 &&
           workload->attrs.conv.groups == workload->inputs[0].shape.dim[1];
}

/* Sums and products of sizes stop at INT64_MAX instead of wrapping: they are costs, not indices. */
static int64_t times(int64_t a, int64_t b)
{
    int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t gt_workload_macs(const gt_workload *workload)
{
    const gt_shape *x = &workload->inputs[0].shape;
    const int64_t out = gt_shape_elems(&workload->output.shape);
    switch (workload->kind) {
    case GT_OP_CONV2D: {
        const gt_shape *w = &workload->inputs[1].shape;
        return times(out, times(w->dim[1], times(w->dim[2], w->dim[3])));
    }
    case GT_OP_CONV2D_POINTWISE:
    case GT_OP_CONV2D_POOL2D: {
        const gt_shape *w = &workload->inputs[1].shape;
        const gt_shape middle = gt_pair_middle(workload);
        const int64_t second = workload->kind == GT_OP_CONV2D_POINTWISE ? times(out, middle.dim[1]) : 0;
        return plus(times(gt_shape_elems(&middle), times(w->dim[1], times(w->dim[2], w->dim[3]))), second);
    }
    case GT_OP_CONV_TRANSPOSE2D: {
        const gt_shape *w = &workload->inputs[1].shape;
        return times(gt_shape_elems(x), times(w->dim[1], times(w->dim[2], w->dim[3])));
    }
    case GT_OP_DENSE:
        return times(out, workload->inputs[1].shape.dim[1]);
    case GT_OP_MATMUL:
        return times(out, x->dim[x->rank - 1]);
    case GT_OP_SCALE:
        return out;
    default:
        return 0;
    }
}

int64_t gt_workload_elems_moved(const gt_workload *workload)
{
    int64_t out = gt_shape_elems(&workload->output.shape);
    /* These two read no more than they write. */
    if (workload->kind == GT_OP_SLICE || workload->kind == GT_OP_GATHER) {
        return times(out, 2);
    }
    int64_t moved = out;
    for (int i = 0; i < workload->n_inputs; i++) {
        if (workload->inputs[i].present) {
            moved = plus(moved, gt_shape_elems(&workload->inputs[i].shape));
        }
    }
    return moved;
}
