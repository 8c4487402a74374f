/* SPDX-License-Identifier: Apache-2.0 */
/* Elimination of all that is left of a network, where its tables are small. */
#include "src/solve/bucket.h"
#include "src/solve/edge.h"
#include "src/solve/solver.h"

/* The live variables' domains and costs, as a bucket tree wants them; others have one value. */
typedef struct inputs {
    int32_t *domain;
    const int64_t **unary;
    int32_t *local; /* of each variable, its number in the tree; order[] is in such numbers */
    int32_t *order;
} inputs;

static gt_status collect(inputs *in, gt_i_arena *arena, const gt_i_wcsp *net, const gt_i_order *order)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_arena_take(arena, &in->domain, net->live_count, sizeof *in->domain));
    GT_TRY(gt_i_arena_take(arena, &in->unary, net->live_count, sizeof *in->unary));
    GT_TRY(gt_i_arena_take(arena, &in->local, net->variable_count, sizeof *in->local));
    GT_TRY(gt_i_arena_take(arena, &in->order, net->live_count, sizeof *in->order));
    for (int32_t r = 0; r < net->live_count; r++) {
        const gt_i_variable *v = &net->variables[order->variables[r]];
        in->domain[r] = v->domain;
        in->unary[r] = v->unary;
        in->local[order->variables[r]] = r;
        in->order[r] = r;
    }
done:
    return status;
}

/* Tables without messages, so that classes hold. */
static gt_status add_edges(gt_i_bucket_tree *tree, gt_i_wcsp *net, const inputs *in)
{
    gt_status status = GT_OK;
    for (int32_t k = 0; k < net->edge_count; k++) {
        gt_i_edge *e = &net->edges[k];
        if (e->table != NULL) {
            gt_i_edge_normalise(net, e);
            GT_TRY(gt_i_bucket_add(tree, in->local[e->a], in->local[e->b], e->rows, e->columns, e->class_a, e->class_b,
                                   e->table));
        }
    }
done:
    return status;
}

static gt_status accept(gt_i_wcsp *net, gt_i_arena *arena, const gt_i_bucket_tree *tree, const gt_i_order *order)
{
    gt_status status = GT_OK;
    int64_t cost = gt_i_add(net->base, tree->constant);
    int32_t *choice = NULL;
    if (cost < net->bound) {
        GT_TRY(gt_i_arena_take(arena, &choice, net->live_count, sizeof *choice));
        gt_i_bucket_decode(tree, choice);
        for (int32_t r = 0; r < net->live_count; r++) {
            const gt_i_variable *v = &net->variables[order->variables[r]];
            net->best[v->origin] = v->values[choice[r]];
        }
        gt_i_wcsp_accept(net, cost);
    }
    net->closed = true;
done:
    return status;
}

gt_status gt_i_eliminate(gt_i_solver *solver, gt_i_wcsp *net, double affordable)
{
    gt_status status = GT_OK;
    gt_i_arena arena = {0};
    gt_i_bucket_tree tree = {0};
    gt_i_order order = {0};
    inputs in;
    GT_TRY(gt_i_min_fill(&order, &arena, net));
    GT_TRY(collect(&in, &arena, net, &order));
    GT_TRY(gt_i_bucket_begin(&tree, net->live_count, in.domain, in.unary, in.order));
    GT_TRY(add_edges(&tree, net, &in));
    GT_TRY(gt_i_bucket_plan(&tree));
    if (tree.work <= affordable && tree.bytes <= (double)solver->memory_budget_bytes) {
        solver->work_left -= (int64_t)tree.work;
        GT_TRY(gt_i_bucket_forward(&tree));
        GT_TRY(accept(net, &arena, &tree, &order));
        solver->width_met = order.width > solver->width_met ? order.width : solver->width_met;
        solver->used |= GT_I_USED_ELIMINATION;
    }
done:
    gt_i_bucket_destroy(&tree);
    gt_i_arena_destroy(&arena);
    return status;
}
