/* SPDX-License-Identifier: Apache-2.0 */
/* Channel shuffles that frameworks without such an operator spell out with reshapes, transposes and gathers. */
#include "src/graph/pass_perm.h"
#include "src/graph/pass_util.h"

/* A reshape, transpose, reshape seen as one movement: [outer, a, b, inner] -> [outer, b, a, inner]. */
typedef struct swap {
    int x; /* the tensor in front of the first reshape */
    int first, middle; /* ops */
    int64_t outer, a, b, inner;
} swap;

/* Recognises the first two ops of the three, ending at tensor `t` (the transpose's output). */
static bool find_swap(swap *s, const gt_rewriter *rw, int t)
{
    s->middle = gt_i_producer_of_kind(rw, t, GT_OP_TRANSPOSE);
    if (s->middle < 0) {
        return false;
    }
    const gt_op *transpose = &rw->graph->ops[s->middle];
    s->first = gt_i_producer_of_kind(rw, transpose->inputs[0], GT_OP_RESHAPE);
    if (s->first < 0) {
        return false;
    }
    s->x = rw->graph->ops[s->first].inputs[0];
    gt_shape shape = gt_i_tensor(rw, transpose->inputs[0])->shape;
    gt_perm perm = gt_i_perm_of(transpose->attrs.transpose.perm.count, transpose->attrs.transpose.perm.values);
    gt_i_perm_reduce(&shape, &perm);
    /* Reduced, a swap of neighbours is (1 0) with at most one axis left before and one behind. */
    int lead = perm.rank > 0 && perm.axis[0] == 0 ? 1 : 0;
    if (perm.rank - lead < 2 || perm.rank - lead > 3 || perm.axis[lead] != lead + 1 || perm.axis[lead + 1] != lead) {
        return false;
    }
    s->outer = lead == 1 ? shape.dim[0] : 1;
    s->a = shape.dim[lead];
    s->b = shape.dim[lead + 1];
    s->inner = perm.rank - lead == 3 ? shape.dim[lead + 2] : 1;
    return true;
}

/* Reshape [N,g,C/g,H,W], Transpose (0 2 1 3 4), Reshape [N,C,H,W] and its relatives with fewer axes. */
static gt_status find_shuffle(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    swap s;
    bool done = false;
    const gt_op *o = &rw->graph->ops[op];
    if (o->kind != GT_OP_RESHAPE || !find_swap(&s, rw, o->inputs[0])) {
        return GT_OK;
    }
    const gt_shape *x = &gt_i_tensor(rw, s.x)->shape;
    if (x->rank != 4 || !gt_shape_equal(x, &gt_i_tensor(rw, o->output)->shape) || s.outer != x->dim[0] ||
        s.a * s.b != x->dim[1] || s.inner != x->dim[2] * x->dim[3]) {
        return GT_OK;
    }
    gt_attrs attrs = {.groups = {.groups = s.a}};
    GT_TRY(gt_i_become(rw, &done, op, GT_OP_CHANNEL_SHUFFLE, &attrs, NULL, 1, &s.x));
    if (done) {
        GT_TRY(gt_i_note_fused(rw, op, s.first));
        GT_TRY(gt_i_note_fused(rw, op, s.middle));
    }
done:
    return status;
}

static gt_status become_slice(gt_rewriter *rw, bool *done, int op, int x, int axis, int64_t start, int64_t step)
{
    int64_t starts[GT_MAX_RANK] = {0};
    int64_t steps[GT_MAX_RANK];
    const int rank = gt_i_tensor(rw, x)->shape.rank;
    for (int i = 0; i < rank; i++) {
        steps[i] = 1;
    }
    starts[axis] = start;
    steps[axis] = step;
    const gt_attrs attrs = {
        .slice = {.start = {.count = rank, .values = starts}, .step = {.count = rank, .values = steps}}};
    return gt_i_become(rw, done, op, GT_OP_SLICE, &attrs, NULL, 1, &x);
}

/* x[index] along axis 0 with the axis gone: a scalar gather, or a slice and the reshape that drops the axis. */
static bool find_index(const gt_rewriter *rw, int op, int *x, int64_t *index)
{
    const gt_op *o = &rw->graph->ops[op];
    if (o->kind == GT_OP_GATHER) {
        *x = o->inputs[0];
        *index = o->attrs.gather.indices.values[0];
        return o->attrs.gather.scalar && o->attrs.gather.axis == 0;
    }
    int slice = o->kind == GT_OP_RESHAPE ? gt_i_producer_of_kind(rw, o->inputs[0], GT_OP_SLICE) : -1;
    if (slice < 0) {
        return false;
    }
    const gt_op *s = &rw->graph->ops[slice];
    const gt_shape *whole = &gt_i_tensor(rw, s->inputs[0])->shape;
    gt_shape expected = *whole;
    expected.dim[0] = 1;
    *x = s->inputs[0];
    *index = s->attrs.slice.start.values[0];
    gt_shape dropped = gt_shape_of(whole->rank - 1, whole->dim + 1);
    return gt_shape_equal(&expected, &gt_i_tensor(rw, s->output)->shape) &&
           gt_shape_equal(&dropped, &gt_i_tensor(rw, o->output)->shape);
}

/* ShuffleNet V2's split of even and odd channels: Reshape [N*C/g, g, H*W], Transpose (1 0 2), Reshape
 * [g, N, C/g, H, W], Gather i: channels i, i+g, i+2g, … of x. */
static gt_status find_channel_split(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    swap s;
    int five = GT_NO_TENSOR;
    int64_t index = 0;
    bool done = false;
    if (!find_index(rw, op, &five, &index)) {
        return GT_OK;
    }
    int reshape = gt_i_producer_of_kind(rw, five, GT_OP_RESHAPE);
    if (reshape < 0 || !find_swap(&s, rw, rw->graph->ops[reshape].inputs[0])) {
        return GT_OK;
    }
    const gt_shape *x = &gt_i_tensor(rw, s.x)->shape;
    const gt_shape *y = &gt_i_tensor(rw, five)->shape;
    if (x->rank != 4 || y->rank != 5 || s.outer != 1 || s.b != y->dim[0] || s.a != x->dim[0] * y->dim[2] ||
        s.inner != x->dim[2] * x->dim[3] || y->dim[1] != x->dim[0] || y->dim[2] * s.b != x->dim[1] ||
        y->dim[3] != x->dim[2] || y->dim[4] != x->dim[3]) {
        return GT_OK;
    }
    GT_TRY(become_slice(rw, &done, op, s.x, 1, index, s.b));
    if (done) {
        GT_TRY(gt_i_note_fused(rw, op, reshape));
    }
done:
    return status;
}

/* The group count if the indices are a shuffle of all channels, else 0: index[j * g + i] = i * n + j. */
static int64_t shuffle_groups(const gt_int_list *indices, int64_t channels)
{
    if (indices->count != channels || channels < 2 || indices->values[0] != 0 || indices->values[1] < 1 ||
        channels % indices->values[1] != 0) {
        return 0;
    }
    int64_t n = indices->values[1];
    int64_t groups = channels / n;
    for (int64_t k = 0; k < channels; k++) {
        if (indices->values[k] != k % groups * n + k / groups) {
            return 0;
        }
    }
    return groups;
}

/* Gather with indices in even steps: a slice. With those of a shuffle: a shuffle. */
static gt_status find_gather(gt_rewriter *rw, int op)
{
    const gt_op *o = &rw->graph->ops[op];
    bool done = false;
    if (o->kind != GT_OP_GATHER || o->attrs.gather.scalar) {
        return GT_OK;
    }
    const gt_int_list *indices = &o->attrs.gather.indices;
    const gt_shape *x = &gt_i_tensor(rw, o->inputs[0])->shape;
    int64_t step = indices->count > 1 ? indices->values[1] - indices->values[0] : 1;
    bool even = step != 0;
    for (int64_t i = 1; even && i < indices->count; i++) {
        even = indices->values[i] - indices->values[i - 1] == step;
    }
    if (even) {
        return become_slice(rw, &done, op, o->inputs[0], (int)o->attrs.gather.axis, indices->values[0], step);
    }
    int64_t groups = x->rank == 4 && o->attrs.gather.axis == 1 ? shuffle_groups(indices, x->dim[1]) : 0;
    if (groups > 1) {
        gt_attrs attrs = {.groups = {.groups = groups}};
        return gt_i_become(rw, &done, op, GT_OP_CHANNEL_SHUFFLE, &attrs, NULL, 1, o->inputs);
    }
    return GT_OK;
}

gt_status gt_pass_recognise_shuffle(gt_graph *graph, bool *changed)
{
    static const gt_rule rules[] = {find_shuffle, find_channel_split, find_gather};
    return gt_i_sweep(graph, changed, rules, sizeof rules / sizeof *rules);
}
