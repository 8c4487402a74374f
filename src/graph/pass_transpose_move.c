/* SPDX-License-Identifier: Apache-2.0 */
/* Exchanging transposes with the ops between them.
 *
 * A region is a set of neighbouring ops that work in any axis order. Making all of it work on operands transposed
 * by P costs a transpose at each edge where the region meets the rest, and saves one at each edge where there is
 * one already: a producer transposed by P's inverse, or a reader transposed by P. A region is turned where that
 * leaves fewer transposes.
 *
 * With P = NHWC -> NCHW an equal number is taken as well: it brings elementwise ops to the side of the
 * convolutions, where they can be fused. Regions then only ever go from NHWC to NCHW, so this ends. */
#include "src/graph/pass_transpose.h"

#include <string.h>

#define MAX_REGION 256

typedef enum growth { GROW_ALL, GROW_UP, GROW_DOWN } growth;

typedef struct region {
    gt_rewriter *rw;
    gt_perm perm;    /* P */
    gt_perm inverse;
    growth growth;
    int n;
    int ops[MAX_REGION];
    bool overflow; /* the region did not fit: it is given up */
} region;

static bool contains(const region *r, int op)
{
    for (int i = 0; i < r->n; i++) {
        if (r->ops[i] == op) {
            return true;
        }
    }
    return false;
}

static const gt_op *op_at(const region *r, int op)
{
    return &r->rw->graph->ops[op];
}

static bool transposes_by(const region *r, int op, const gt_perm *perm)
{
    if (op < 0 || op_at(r, op)->kind != GT_OP_TRANSPOSE) {
        return false;
    }
    const gt_perm own = gt_i_perm_of_op(op_at(r, op));
    return gt_i_perm_equal(&own, perm);
}

static void join(region *r, int op)
{
    if (r->n == MAX_REGION) {
        r->overflow = true;
    } else {
        r->ops[r->n++] = op;
    }
}

/* Growing upwards, an op may join if everything that reads it is inside or transposes by P anyway. */
static gt_status only_read_inside(bool *yes, const region *r, int op)
{
    gt_status status = GT_OK;
    int *readers = NULL;
    int count = 0;
    *yes = r->rw->uses[op_at(r, op)->output].outputs == 0;
    GT_TRY(gt_i_readers(&readers, &count, r->rw, op_at(r, op)->output));
    for (int i = 0; i < count; i++) {
        *yes = *yes && (contains(r, readers[i]) || transposes_by(r, readers[i], &r->perm));
    }
done:
    gt_free(readers);
    return status;
}

/* Growing downwards, an op may join if it reads nothing that would need a new transpose. */
static bool only_reads_inside(const region *r, int op)
{
    const gt_op *o = op_at(r, op);
    for (int j = 0; j < o->n_inputs; j++) {
        int producer = gt_i_producer(r->rw, o->inputs[j]);
        if (!gt_i_is_const(r->rw, o->inputs[j]) && !(producer >= 0 && contains(r, producer)) &&
            !transposes_by(r, producer, &r->inverse)) {
            return false;
        }
    }
    return true;
}

static gt_status consider(region *r, int op)
{
    gt_status status = GT_OK;
    bool yes = true;
    if (op < 0 || r->overflow || contains(r, op) || !gt_i_can_permute(r->rw, op, &r->perm)) {
        return GT_OK;
    }
    if (r->growth == GROW_UP) {
        GT_TRY(only_read_inside(&yes, r, op));
    } else if (r->growth == GROW_DOWN) {
        yes = only_reads_inside(r, op);
    }
    if (yes) {
        join(r, op);
    }
done:
    return status;
}

static gt_status grow_from(region *r, int op)
{
    gt_status status = GT_OK;
    int *readers = NULL;
    int count = 0;
    for (int j = 0; j < op_at(r, op)->n_inputs && r->growth != GROW_DOWN; j++) {
        GT_TRY(consider(r, gt_i_producer(r->rw, op_at(r, op)->inputs[j])));
    }
    if (r->growth != GROW_UP && !gt_i_drops_axes(op_at(r, op))) {
        GT_TRY(gt_i_readers(&readers, &count, r->rw, op_at(r, op)->output));
        for (int i = 0; i < count; i++) {
            GT_TRY(consider(r, readers[i]));
        }
    }
done:
    gt_free(readers);
    return status;
}

static gt_status grow(region *r, const int *seeds, int count)
{
    gt_status status = GT_OK;
    for (int i = 0; i < count; i++) {
        GT_TRY(consider(r, seeds[i]));
    }
    /* An op that had to stay out may come in once its other neighbours are in, so go round until all is quiet. */
    for (int before = -1; before != r->n && !r->overflow;) {
        before = r->n;
        for (int i = 0; i < r->n && !r->overflow; i++) {
            GT_TRY(grow_from(r, r->ops[i]));
        }
    }
done:
    return status;
}

/* A transpose that only moves axes of size 1 is a reshape, and costs as little. */
static bool moves_nothing(const region *r, int tensor, const gt_perm *perm)
{
    return gt_i_perm_moves_nothing(&gt_i_tensor(r->rw, tensor)->shape, perm);
}

/* What one operand costs: +1 for a new transpose, -1 for one that goes. */
static gt_status input_cost(int *cost, const region *r, int tensor)
{
    gt_status status = GT_OK;
    int *readers = NULL;
    int count = 0;
    int producer = gt_i_producer(r->rw, tensor);
    bool goes = r->rw->uses[tensor].outputs == 0;
    *cost = 0;
    if (gt_i_is_const(r->rw, tensor) || (producer >= 0 && contains(r, producer))) {
        return GT_OK;
    }
    if (!transposes_by(r, producer, &r->inverse)) {
        *cost = moves_nothing(r, tensor, &r->perm) ? 0 : 1;
        return GT_OK;
    }
    int source = gt_i_producer(r->rw, op_at(r, producer)->inputs[0]);
    if (source >= 0 && contains(r, source) && gt_i_perm_equal(&r->perm, &r->inverse)) {
        /* The transpose lies inside the region, and its own saving has been counted with the source's result; but
         * this operand is what the source gave before it was turned, so a transpose back stays. */
        *cost = 1;
        return GT_OK;
    }
    GT_TRY(gt_i_readers(&readers, &count, r->rw, tensor));
    for (int i = 0; i < count; i++) {
        goes = goes && contains(r, readers[i]);
    }
    *cost = goes && !moves_nothing(r, tensor, &r->perm) ? -1 : 0;
done:
    gt_free(readers);
    return status;
}

/* An operand that is read several times counts once. */
static bool read_before(const region *r, int position, int slot, int tensor)
{
    for (int i = 0; i <= position; i++) {
        const gt_op *o = op_at(r, r->ops[i]);
        int end = i == position ? slot : o->n_inputs;
        for (int j = 0; j < end; j++) {
            if (o->inputs[j] == tensor) {
                return true;
            }
        }
    }
    return false;
}

static gt_status output_cost(int *cost, const region *r, int op)
{
    gt_status status = GT_OK;
    int *readers = NULL;
    int count = 0;
    const gt_op *o = op_at(r, op);
    *cost = 0;
    if (gt_i_drops_axes(o) || moves_nothing(r, o->output, &r->perm)) {
        return GT_OK;
    }
    bool back = r->rw->uses[o->output].outputs > 0;
    bool saves = false;
    GT_TRY(gt_i_readers(&readers, &count, r->rw, o->output));
    for (int i = 0; i < count; i++) {
        /* Several equal transposes of one tensor count once: they would have been merged anyway. */
        saves = saves || transposes_by(r, readers[i], &r->perm);
        back = back || !(transposes_by(r, readers[i], &r->perm) || contains(r, readers[i]));
    }
    *cost = (back ? 1 : 0) - (saves ? 1 : 0);
done:
    gt_free(readers);
    return status;
}

static gt_status region_cost(int *cost, const region *r)
{
    gt_status status = GT_OK;
    *cost = 0;
    for (int i = 0; i < r->n; i++) {
        int part = 0;
        const gt_op *o = op_at(r, r->ops[i]);
        for (int j = 0; j < o->n_inputs; j++) {
            if (!read_before(r, i, j, o->inputs[j])) {
                GT_TRY(input_cost(&part, r, o->inputs[j]));
                *cost += part;
            }
        }
        GT_TRY(output_cost(&part, r, r->ops[i]));
        *cost += part;
    }
done:
    return status;
}

/* ---- turning a region ---- */

static gt_status add_transpose(gt_rewriter *rw, int *out, int from, int into, const gt_perm *perm)
{
    int64_t axis[GT_MAX_RANK];
    for (int i = 0; i < perm->rank; i++) {
        axis[i] = perm->axis[i];
    }
    const gt_attrs attrs = {.transpose = {.perm = {.count = perm->rank, .values = axis}}};
    gt_status status = GT_OK;
    gt_text name = {0};
    GT_TRY(gt_text_append(&name, "%s.transpose", gt_i_tensor(rw, from)->name));
    if (into >= 0) {
        GT_TRY(gt_i_new_op_into(rw, into, GT_OP_TRANSPOSE, name.data, &attrs, 1, &from));
    } else {
        GT_TRY(gt_i_new_op(rw, out, GT_OP_TRANSPOSE, name.data, &attrs, 1, &from, NULL));
    }
done:
    gt_text_destroy(&name);
    return status;
}

/* The transposed version of an operand from outside. */
static gt_status turn_operand(int *out, const region *r, int tensor)
{
    int producer = gt_i_producer(r->rw, tensor);
    if (gt_i_is_const(r->rw, tensor)) {
        return gt_i_transpose_const(r->rw, out, tensor, &r->perm);
    }
    if (transposes_by(r, producer, &r->inverse)) {
        *out = op_at(r, producer)->inputs[0];
        return GT_OK;
    }
    return add_transpose(r->rw, out, tensor, -1, &r->perm);
}

/* A region being turned: the tensors that stand for the old ones inside it. */
typedef struct turning {
    const region *r;
    int fresh[MAX_REGION]; /* per op: its transposed result, or GT_NO_TENSOR where it drops axes */
    int *from, *to;        /* operands from outside and their transposed versions */
    int n_from, n_to;
    size_t from_capacity, to_capacity;
} turning;

static gt_status make_results(turning *t)
{
    gt_status status = GT_OK;
    gt_rewriter *rw = t->r->rw;
    for (int i = 0; i < t->r->n; i++) {
        const gt_op *o = op_at(t->r, t->r->ops[i]);
        const gt_tensor *old = gt_i_tensor(rw, o->output);
        const gt_shape shape = gt_i_drops_axes(o) ? old->shape : gt_i_perm_shape(&old->shape, &t->r->perm);
        t->fresh[i] = GT_NO_TENSOR;
        if (!gt_i_drops_axes(o)) {
            GT_TRY(gt_i_new_tensor(rw, &t->fresh[i], old->name, old->dtype, &shape));
        }
    }
done:
    return status;
}

/* What an op inside reads instead of `tensor`. Results still belong to their old tensors here. */
static gt_status turned_tensor(int *out, turning *t, int tensor)
{
    gt_status status = GT_OK;
    for (int i = 0; i < t->r->n; i++) {
        if (op_at(t->r, t->r->ops[i])->output == tensor) {
            *out = t->fresh[i];
            return GT_OK;
        }
    }
    for (int i = 0; i < t->n_from; i++) {
        if (t->from[i] == tensor) {
            *out = t->to[i];
            return GT_OK;
        }
    }
    GT_TRY(turn_operand(out, t->r, tensor));
    GT_PUSH(t->from, t->n_from, t->from_capacity, tensor);
    GT_PUSH(t->to, t->n_to, t->to_capacity, *out);
done:
    return status;
}

static gt_status turn_inputs(turning *t)
{
    gt_status status = GT_OK;
    for (int i = 0; i < t->r->n; i++) {
        int op = t->r->ops[i];
        for (int j = 0; j < op_at(t->r, op)->n_inputs; j++) {
            int turned = GT_NO_TENSOR;
            GT_TRY(turned_tensor(&turned, t, op_at(t->r, op)->inputs[j]));
            GT_TRY(gt_i_set_input(t->r->rw, op, j, turned));
        }
    }
done:
    return status;
}

/* Readers outside that transposed the old result read the new one; for others it is transposed back. */
static gt_status connect_readers(const region *r, int op, int old)
{
    gt_status status = GT_OK;
    int *readers = NULL;
    int count = 0;
    bool back = r->rw->uses[old].outputs > 0;
    GT_TRY(gt_i_readers(&readers, &count, r->rw, old));
    for (int i = 0; i < count; i++) {
        if (transposes_by(r, readers[i], &r->perm)) {
            GT_TRY(gt_i_replace(r->rw, readers[i], op_at(r, op)->output));
        } else {
            back = true;
        }
    }
    if (back) {
        GT_TRY(add_transpose(r->rw, NULL, op_at(r, op)->output, old, &r->inverse));
    }
done:
    gt_free(readers);
    return status;
}

static gt_status turn(const region *r)
{
    gt_status status = GT_OK;
    int old[MAX_REGION];
    turning *t = NULL;
    GT_TRY(gt_calloc(&t, 1, sizeof *t));
    t->r = r;
    GT_TRY(make_results(t));
    GT_TRY(turn_inputs(t));
    for (int i = 0; i < r->n; i++) {
        old[i] = op_at(r, r->ops[i])->output;
        gt_i_permute_attrs(&r->rw->graph->ops[r->ops[i]], &r->perm);
        if (t->fresh[i] >= 0) {
            gt_i_set_output(r->rw, r->ops[i], t->fresh[i]);
        }
    }
    for (int i = 0; i < r->n; i++) {
        if (t->fresh[i] >= 0) {
            GT_TRY(connect_readers(r, r->ops[i], old[i]));
        }
    }
done:
    if (t != NULL) {
        gt_free(t->from);
        gt_free(t->to);
        gt_free(t);
    }
    return status;
}

/* NHWC -> NCHW through elementwise ops only: moving a softmax or a reduction to other axes is not free. */
static bool may_break_even(const region *r)
{
    static const gt_perm to_nchw = {.rank = 4, .axis = {0, 3, 1, 2}};
    bool may = r->growth != GROW_ALL && gt_i_perm_equal(&r->perm, &to_nchw);
    for (int i = 0; may && i < r->n; i++) {
        gt_op_kind kind = op_at(r, r->ops[i])->kind;
        may = kind == GT_OP_UNARY || kind == GT_OP_BINARY || kind == GT_OP_CONCAT || kind == GT_OP_PAD ||
              kind == GT_OP_CAST || kind == GT_OP_SLICE;
    }
    return may;
}

static gt_status try_region(bool *turned, gt_rewriter *rw, const gt_perm *perm, growth how, const int *seeds, int count)
{
    gt_status status = GT_OK;
    int cost = 0;
    region *r = NULL;
    GT_TRY(gt_calloc(&r, 1, sizeof *r));
    r->rw = rw;
    r->perm = *perm;
    r->inverse = gt_i_perm_inverse(perm);
    r->growth = how;
    *turned = false;
    GT_TRY(grow(r, seeds, count));
    if (r->n == 0 || r->overflow) {
        goto done;
    }
    GT_TRY(region_cost(&cost, r));
    if (cost < 0 || (cost == 0 && may_break_even(r))) {
        GT_TRY(turn(r));
        *turned = true;
    }
done:
    gt_free(r);
    return status;
}

gt_status gt_i_move_transpose(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    int *readers = NULL;
    int count = 0;
    bool turned = false;
    if (rw->graph->ops[op].kind != GT_OP_TRANSPOSE) {
        return GT_OK;
    }
    const gt_perm own = gt_i_perm_of_op(&rw->graph->ops[op]);
    const gt_perm inverse = gt_i_perm_inverse(&own);
    int above = gt_i_producer(rw, rw->graph->ops[op].inputs[0]);
    GT_TRY(gt_i_readers(&readers, &count, rw, rw->graph->ops[op].output));
    GT_TRY(try_region(&turned, rw, &own, GROW_ALL, &above, 1));
    if (!turned) {
        GT_TRY(try_region(&turned, rw, &own, GROW_UP, &above, 1));
    }
    if (!turned) {
        GT_TRY(try_region(&turned, rw, &inverse, GROW_ALL, readers, count));
    }
    if (!turned) {
        GT_TRY(try_region(&turned, rw, &inverse, GROW_DOWN, readers, count));
    }
done:
    gt_free(readers);
    return status;
}
