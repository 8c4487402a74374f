/* SPDX-License-Identifier: Apache-2.0 */
/* Padding in its various disguises, and nested concatenation. */
#include "src/graph/pass_activation.h"
#include "src/graph/pass_clean.h"

#include <math.h>

/* Whether a tensor is an f32 constant with one value throughout. */
static bool is_uniform(const gt_rewriter *rw, int tensor, float *value)
{
    const float *values = gt_i_floats(rw, tensor);
    if (values == NULL || isnan(values[0])) {
        return false;
    }
    int64_t count = gt_shape_elems(&gt_i_tensor(rw, tensor)->shape);
    for (int64_t i = 1; i < count; i++) {
        if (values[i] != values[0]) {
            return false;
        }
    }
    *value = values[0];
    return true;
}

/* concat of one activation and constants of one value (frameworks pad channels so) -> pad. */
gt_status gt_i_concat_to_pad(gt_rewriter *rw, int op)
{
    const gt_op *o = &rw->graph->ops[op];
    int64_t sides[2][GT_MAX_RANK] = {{0}, {0}};
    int x = GT_NO_TENSOR;
    float fill = 0;
    bool first = true;
    bool done = false;
    if (o->kind != GT_OP_CONCAT || o->n_inputs < 2) {
        return GT_OK;
    }
    for (int i = 0; i < o->n_inputs; i++) {
        float value = 0;
        if (is_uniform(rw, o->inputs[i], &value) && (first || value == fill)) {
            fill = value;
            first = false;
            sides[x >= 0 ? 1 : 0][o->attrs.axis.axis] +=
                gt_i_tensor(rw, o->inputs[i])->shape.dim[o->attrs.axis.axis];
        } else if (gt_i_is_const(rw, o->inputs[i]) || x >= 0) {
            return GT_OK;
        } else {
            x = o->inputs[i];
        }
    }
    if (x < 0) {
        return GT_OK;
    }
    const int rank = gt_i_tensor(rw, x)->shape.rank;
    const gt_attrs attrs = {.pad = {.mode = GT_PAD_CONSTANT,
                                    .before = {.count = rank, .values = sides[0]},
                                    .after = {.count = rank, .values = sides[1]},
                                    .value = fill}};
    return gt_i_become(rw, &done, op, GT_OP_PAD, &attrs, NULL, 1, &x);
}

/* No element of the tensor is below 0. */
static bool not_negative(const gt_rewriter *rw, int tensor)
{
    double lo = -1;
    double hi = 0;
    int op = gt_i_producer(rw, tensor);
    if (op < 0) {
        return false;
    }
    const gt_op *o = &rw->graph->ops[op];
    gt_epilogue e = o->epilogue;
    if (o->kind == GT_OP_UNARY) {
        e = (gt_epilogue){.act = (gt_function)o->attrs.unary.function,
                          .alpha = o->attrs.unary.alpha,
                          .beta = o->attrs.unary.beta};
    }
    return e.residual != GT_RESIDUAL_AFTER && gt_i_as_clip(e.act, e.alpha, e.beta, &lo, &hi) && lo >= 0;
}

/* Whether the op can take the pad's H and W margins as its own. A max pool ignores its padding: what is padded
 * must not win, as -inf never does and 0 not among numbers that are all at least 0. */
static bool takes_pad(const gt_rewriter *rw, const gt_op *op, const gt_op *pad)
{
    float value = pad->attrs.pad.value;
    if (op->kind == GT_OP_CONV2D) {
        return value == 0;
    }
    if (op->kind != GT_OP_POOL2D) {
        return false;
    }
    const int64_t *own = op->attrs.pool.pad;
    bool unpadded = own[0] == 0 && own[1] == 0 && own[2] == 0 && own[3] == 0;
    if (op->attrs.pool.mode == GT_POOL_AVERAGE) {
        return value == 0 && (unpadded || op->attrs.pool.count_pad);
    }
    return value <= -3.402823466e38f || (value == 0 && not_negative(rw, pad->inputs[0]));
}

gt_status gt_i_fold_pad(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    const gt_op *o = &rw->graph->ops[op];
    bool done = false;
    if (o->kind != GT_OP_CONV2D && o->kind != GT_OP_POOL2D) {
        return GT_OK;
    }
    int before = gt_i_producer_of_kind(rw, o->inputs[0], GT_OP_PAD);
    if (before < 0) {
        return GT_OK;
    }
    const gt_op *p = &rw->graph->ops[before];
    const int64_t *ahead = p->attrs.pad.before.values;
    const int64_t *behind = p->attrs.pad.after.values;
    if (p->attrs.pad.mode != GT_PAD_CONSTANT || ahead[0] != 0 || ahead[1] != 0 || behind[0] != 0 || behind[1] != 0 ||
        !takes_pad(rw, o, p)) {
        return GT_OK;
    }
    gt_attrs attrs = o->attrs; /* neither kind has lists */
    int64_t *pad = o->kind == GT_OP_CONV2D ? attrs.conv.pad : attrs.pool.pad;
    for (int i = 0; i < 2; i++) {
        pad[i] += ahead[2 + i];
        pad[2 + i] += behind[2 + i];
    }
    if (o->kind == GT_OP_POOL2D && o->attrs.pool.mode == GT_POOL_AVERAGE) {
        attrs.pool.count_pad = true;
    }
    int inputs[4] = {p->inputs[0]};
    for (int j = 1; j < o->n_inputs; j++) {
        inputs[j] = o->inputs[j];
    }
    const gt_epilogue epilogue = o->epilogue;
    bool noted = gt_i_single_use(rw, o->inputs[0]);
    GT_TRY(gt_i_become(rw, &done, op, o->kind, &attrs, &epilogue, o->n_inputs, inputs));
    if (done && noted) {
        GT_TRY(gt_i_note_fused(rw, op, before));
        gt_i_kill(rw, before);
    }
done:
    return status;
}

/* concat(…, concat(…), …) along one axis. */
gt_status gt_i_merge_concats(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    const gt_op *o = &rw->graph->ops[op];
    int *inputs = NULL;
    size_t capacity = 0;
    int count = 0;
    bool any = false;
    bool done = false;
    if (o->kind != GT_OP_CONCAT) {
        return GT_OK;
    }
    for (int i = 0; i < o->n_inputs; i++) {
        int inner = gt_i_producer_of_kind(rw, o->inputs[i], GT_OP_CONCAT);
        if (inner < 0 || !gt_i_single_use(rw, o->inputs[i]) ||
            rw->graph->ops[inner].attrs.axis.axis != o->attrs.axis.axis) {
            GT_PUSH(inputs, count, capacity, o->inputs[i]);
            continue;
        }
        any = true;
        for (int j = 0; j < rw->graph->ops[inner].n_inputs; j++) {
            GT_PUSH(inputs, count, capacity, rw->graph->ops[inner].inputs[j]);
        }
    }
    if (any) {
        gt_attrs attrs = {.axis = {.axis = o->attrs.axis.axis}};
        GT_TRY(gt_i_become(rw, &done, op, GT_OP_CONCAT, &attrs, NULL, count, inputs));
    }
done:
    gt_free(inputs);
    return status;
}
