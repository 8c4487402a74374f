/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes, reshapes and matrix products that become simpler ones. */
#include "src/graph/pass_transpose.h"

#include <string.h>

gt_perm gt_i_perm_of_op(const gt_op *transpose)
{
    return gt_i_perm_of(transpose->attrs.transpose.perm.count, transpose->attrs.transpose.perm.values);
}

gt_status gt_i_transpose_const(gt_rewriter *rw, int *out, int constant, const gt_perm *perm)
{
    gt_status status = GT_OK;
    const gt_tensor *t = gt_i_tensor(rw, constant);
    const size_t bytes = gt_dtype_bytes(t->dtype);
    const gt_shape shape = gt_i_perm_shape(&t->shape, perm);
    void *data = NULL;
    GT_TRY(gt_alloc_aligned(&data, (size_t)gt_shape_elems(&shape) * bytes));
    gt_i_perm_copy(data, t->data, bytes, &t->shape, perm);
    GT_TRY(gt_i_new_const(rw, out, t->name, t->dtype, &shape, data));
done:
    return status;
}

static gt_status become_transpose(gt_rewriter *rw, bool *done, int op, int x, const gt_perm *perm)
{
    int64_t axis[GT_MAX_RANK];
    for (int i = 0; i < perm->rank; i++) {
        axis[i] = perm->axis[i];
    }
    const gt_attrs attrs = {.transpose = {.perm = {.count = perm->rank, .values = axis}}};
    return gt_i_become(rw, done, op, GT_OP_TRANSPOSE, &attrs, NULL, 1, &x);
}

/* transpose(transpose(x)) -> one transpose, or x itself. */
static gt_status merge_transposes(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    const gt_op *o = &rw->graph->ops[op];
    bool done = false;
    int before = o->kind == GT_OP_TRANSPOSE ? gt_i_producer_of_kind(rw, o->inputs[0], GT_OP_TRANSPOSE) : -1;
    if (before < 0) {
        return GT_OK;
    }
    const gt_perm first = gt_i_perm_of_op(&rw->graph->ops[before]);
    const gt_perm second = gt_i_perm_of_op(o);
    const gt_perm both = gt_i_perm_compose(&first, &second);
    int x = rw->graph->ops[before].inputs[0];
    if (gt_i_perm_is_identity(&both)) {
        GT_TRY(gt_i_replace(rw, op, x));
    } else {
        GT_TRY(become_transpose(rw, &done, op, x, &both));
    }
done:
    return status;
}

/* A transpose that moves no element, only axes of size 1, is a reshape. */
static gt_status transpose_to_reshape(gt_rewriter *rw, int op)
{
    const gt_op *o = &rw->graph->ops[op];
    bool done = false;
    if (o->kind != GT_OP_TRANSPOSE) {
        return GT_OK;
    }
    const gt_perm perm = gt_i_perm_of_op(o);
    if (gt_i_perm_is_identity(&perm)) {
        return gt_i_replace(rw, op, o->inputs[0]);
    }
    if (!gt_i_perm_moves_nothing(&gt_i_tensor(rw, o->inputs[0])->shape, &perm)) {
        return GT_OK;
    }
    return gt_i_become(rw, &done, op, GT_OP_RESHAPE, NULL, NULL, 1, o->inputs);
}

/* reshape(reshape(x)) -> one reshape, or x itself. */
static gt_status merge_reshapes(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    const gt_op *o = &rw->graph->ops[op];
    bool done = false;
    if (o->kind != GT_OP_RESHAPE) {
        return GT_OK;
    }
    int x = o->inputs[0];
    int before = gt_i_producer_of_kind(rw, x, GT_OP_RESHAPE);
    if (before >= 0) {
        x = rw->graph->ops[before].inputs[0];
    }
    if (gt_shape_equal(&gt_i_tensor(rw, x)->shape, &gt_i_tensor(rw, o->output)->shape)) {
        GT_TRY(gt_i_replace(rw, op, x));
    } else if (before >= 0) {
        GT_TRY(gt_i_become(rw, &done, op, GT_OP_RESHAPE, NULL, NULL, 1, &x));
    }
done:
    return status;
}

/* The memory of a constant: its own where nobody else reads it (its only reader must end), else a copy. */
static gt_status take_data(void **data, gt_rewriter *rw, int constant)
{
    gt_tensor *t = &rw->graph->tensors[constant];
    if (gt_i_single_use(rw, constant)) {
        *data = t->data;
        t->data = NULL;
        return GT_OK;
    }
    size_t bytes = (size_t)gt_shape_elems(&t->shape) * gt_dtype_bytes(t->dtype);
    gt_status status = gt_alloc_aligned(data, bytes);
    if (status == GT_OK) {
        memcpy(*data, t->data, bytes);
    }
    return status;
}

/* Transposes and reshapes of constants are done now. */
static gt_status fold_constants(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    const gt_op *o = &rw->graph->ops[op];
    int folded = GT_NO_TENSOR;
    if ((o->kind != GT_OP_TRANSPOSE && o->kind != GT_OP_RESHAPE) || !gt_i_is_const(rw, o->inputs[0]) ||
        rw->uses[o->output].outputs > 0) {
        return GT_OK;
    }
    if (o->kind == GT_OP_TRANSPOSE) {
        const gt_perm perm = gt_i_perm_of_op(o);
        GT_TRY(gt_i_transpose_const(rw, &folded, o->inputs[0], &perm));
    } else {
        const gt_tensor *t = gt_i_tensor(rw, o->inputs[0]);
        const gt_shape shape = gt_i_tensor(rw, o->output)->shape;
        void *data = NULL;
        GT_TRY(take_data(&data, rw, o->inputs[0]));
        GT_TRY(gt_i_new_const(rw, &folded, t->name, t->dtype, &shape, data));
    }
    GT_TRY(gt_i_replace(rw, op, folded));
done:
    return status;
}

/* matmul(x, constant [K,N]) -> dense with the transposed constant as its weight. */
static gt_status matmul_to_dense(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    const gt_op *o = &rw->graph->ops[op];
    bool done = false;
    if (o->kind != GT_OP_MATMUL || !gt_i_is_const(rw, o->inputs[1]) || gt_i_is_const(rw, o->inputs[0])) {
        return GT_OK;
    }
    const gt_shape b = gt_i_tensor(rw, o->inputs[1])->shape;
    const int x_rank = gt_i_tensor(rw, o->inputs[0])->shape.rank;
    const int64_t k = b.dim[b.rank - 2];
    const int64_t n = b.dim[b.rank - 1];
    const float *values = gt_i_floats(rw, o->inputs[1]);
    if (b.rank > x_rank || gt_shape_elems(&b) != k * n || values == NULL) {
        return GT_OK;
    }
    float *data = NULL;
    const gt_shape matrix = {.rank = 2, .dim = {k, n}};
    const gt_shape weight = {.rank = 2, .dim = {n, k}};
    const gt_perm swapped = {.rank = 2, .axis = {1, 0}};
    int inputs[2] = {o->inputs[0], GT_NO_TENSOR};
    GT_TRY(gt_alloc_aligned(&data, (size_t)(k * n) * sizeof *data));
    gt_i_perm_copy(data, values, sizeof *data, &matrix, &swapped);
    GT_TRY(gt_i_new_const(rw, &inputs[1], gt_i_tensor(rw, o->inputs[1])->name, GT_F32, &weight, data));
    const gt_attrs attrs = {.dense = {.rows = x_rank > 2}};
    GT_TRY(gt_i_become(rw, &done, op, GT_OP_DENSE, &attrs, NULL, 2, inputs));
done:
    return status;
}

/* dense(reshape(x)) where the reshape only flattens: dense(x). */
static gt_status skip_flatten(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    const gt_op *o = &rw->graph->ops[op];
    bool noted = false;
    if (o->kind != GT_OP_DENSE || gt_i_tensor(rw, o->inputs[0])->shape.rank != 2) {
        return GT_OK;
    }
    int reshape = gt_i_producer_of_kind(rw, o->inputs[0], GT_OP_RESHAPE);
    if (reshape < 0) {
        return GT_OK;
    }
    int x = rw->graph->ops[reshape].inputs[0];
    const gt_shape *shape = &gt_i_tensor(rw, x)->shape;
    if (shape->rank < 2 || shape->dim[0] != gt_i_tensor(rw, o->inputs[0])->shape.dim[0]) {
        return GT_OK;
    }
    noted = gt_i_single_use(rw, o->inputs[0]);
    rw->graph->ops[op].attrs.dense.rows = false;
    GT_TRY(gt_i_set_input(rw, op, 0, x));
    if (noted) {
        GT_TRY(gt_i_note_fused(rw, op, reshape));
        gt_i_kill(rw, reshape);
    }
done:
    return status;
}

/* dense(transpose(x)), flattening: the weight's columns are reordered instead of x. */
static gt_status skip_transpose(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    const gt_op *o = &rw->graph->ops[op];
    int transpose = o->kind == GT_OP_DENSE && !o->attrs.dense.rows
                        ? gt_i_producer_of_kind(rw, o->inputs[0], GT_OP_TRANSPOSE)
                        : -1;
    const float *old = transpose >= 0 ? gt_i_floats(rw, o->inputs[1]) : NULL;
    if (old == NULL) {
        return GT_OK;
    }
    const gt_perm perm = gt_i_perm_of_op(&rw->graph->ops[transpose]);
    if (perm.axis[0] != 0) {
        return GT_OK;
    }
    /* A row of the weight is a tensor of the transposed shape without the batch; it is transposed back. */
    const gt_shape shape = gt_i_tensor(rw, o->inputs[1])->shape;
    const gt_perm back = gt_i_perm_inverse(&perm);
    gt_shape row = gt_i_tensor(rw, o->inputs[0])->shape;
    row.dim[0] = shape.dim[0];
    float *data = NULL;
    int weight = GT_NO_TENSOR;
    bool single = gt_i_single_use(rw, o->inputs[0]);
    GT_TRY(gt_alloc_aligned(&data, (size_t)gt_shape_elems(&shape) * sizeof *data));
    gt_i_perm_copy(data, old, sizeof *data, &row, &back);
    GT_TRY(gt_i_new_const(rw, &weight, gt_i_tensor(rw, o->inputs[1])->name, GT_F32, &shape, data));
    GT_TRY(gt_i_set_input(rw, op, 1, weight));
    GT_TRY(gt_i_set_input(rw, op, 0, rw->graph->ops[transpose].inputs[0]));
    if (single) {
        gt_i_kill(rw, transpose);
    }
done:
    return status;
}

gt_status gt_pass_move_transposes(gt_graph *graph, bool *changed)
{
    static const gt_rule rules[] = {merge_transposes, transpose_to_reshape, merge_reshapes, fold_constants,
                                    matmul_to_dense,  skip_flatten,         skip_transpose, gt_i_move_transpose};
    return gt_i_sweep(graph, changed, rules, sizeof rules / sizeof *rules);
}
