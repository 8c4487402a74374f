/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/order.h"

#include "src/solve/igraph_order.h"
#include "src/solve/order_dense.h"

#include <math.h>
#include <string.h>

/* Cores up to this size are put in order as bit matrices. */
#define GT_I_DENSE_VARIABLES 4096

/* What is left after variables of small degree. */
typedef struct core {
    gt_i_arena *arena;
    gt_i_sparse sparse;
    gt_i_dense dense;
    gt_i_order before; /* the order so far */
    int32_t eliminated, count;
} core;

static gt_status peel(core *c, gt_i_arena *arena, const gt_i_wcsp *net)
{
    gt_status status = GT_OK;
    *c = (core){.arena = arena};
    GT_TRY(gt_i_arena_take(arena, &c->before.variables, net->live_count, sizeof *c->before.variables));
    GT_TRY(gt_i_sparse_build(&c->sparse, arena, net));
    GT_TRY(gt_i_sparse_eliminate(&c->sparse, arena, &c->before, &c->eliminated, 2));
    c->count = net->live_count - c->eliminated;
    c->before.name = "min-fill";
    if (c->count > 0 && c->count <= GT_I_DENSE_VARIABLES) {
        GT_TRY(gt_i_dense_build(&c->dense, arena, &c->sparse, c->count));
    }
done:
    return status;
}

/* What even lists cannot put in order in reasonable time comes in the order given: its tables are out of reach. */
static void append_rest(core *c)
{
    if (c->sparse.work_left > 0) {
        return;
    }
    c->before.width = c->count;
    c->before.entries = c->before.work = HUGE_VAL;
    for (int32_t i = 0; i < c->sparse.count; i++) {
        if (c->sparse.neighbours[i] != NULL) {
            c->before.variables[c->eliminated++] = i;
        }
    }
}

/* Of a core too large for a bit matrix. */
static gt_status order_large(core *c, gt_i_order *order)
{
    gt_status status = GT_OK;
    c->before.name = "min-degree";
    GT_TRY(gt_i_sparse_eliminate(&c->sparse, c->arena, &c->before, &c->eliminated, INT32_MAX));
    append_rest(c);
    *order = c->before;
done:
    return status;
}

static gt_status order_core(core *c, gt_i_order *order, gt_i_rule rule, const int32_t *given, const char *name)
{
    gt_status status = GT_OK;
    gt_i_order made = c->before;
    int32_t total = c->eliminated + c->count;
    GT_TRY(gt_i_arena_take(c->arena, &made.variables, total, sizeof *made.variables));
    memcpy(made.variables, c->before.variables, (size_t)c->eliminated * sizeof *made.variables);
    gt_i_dense_eliminate(&c->dense, &made, c->eliminated, rule, given);
    made.name = name;
    if (order->variables == NULL || made.entries < order->entries) {
        *order = made;
    }
done:
    return status;
}

static gt_status order_by_cardinality(core *c, gt_i_order *order)
{
    gt_status status = GT_OK;
    int32_t edges = 0, *ends = NULL, *given = NULL;
    gt_i_dense_edges(&c->dense, NULL, &edges);
    GT_TRY(gt_i_arena_take(c->arena, &ends, (int64_t)edges * 2, sizeof *ends));
    GT_TRY(gt_i_arena_take(c->arena, &given, c->count, sizeof *given));
    gt_i_dense_edges(&c->dense, ends, &edges);
    GT_TRY(gt_i_maximum_cardinality(given, ends, c->count, edges));
    GT_TRY(order_core(c, order, GT_I_GIVEN, given, "maximum-cardinality"));
done:
    return status;
}

static gt_status make_order(gt_i_order *order, gt_i_arena *arena, const gt_i_wcsp *net, bool all)
{
    gt_status status = GT_OK;
    core c;
    gt_i_order best = {0};
    GT_TRY(peel(&c, arena, net));
    if (c.count == 0) {
        best = c.before;
    } else if (c.count > GT_I_DENSE_VARIABLES) {
        GT_TRY(order_large(&c, &best));
    } else {
        GT_TRY(order_core(&c, &best, GT_I_MIN_FILL, NULL, "min-fill"));
        if (all) {
            GT_TRY(order_core(&c, &best, GT_I_MIN_DEGREE, NULL, "min-degree"));
            GT_TRY(order_by_cardinality(&c, &best));
        }
    }
    *order = best;
done:
    return status;
}

gt_status gt_i_min_fill(gt_i_order *order, gt_i_arena *arena, const gt_i_wcsp *net)
{
    return make_order(order, arena, net, false);
}

gt_status gt_i_best_order(gt_i_order *order, gt_i_arena *arena, const gt_i_wcsp *net)
{
    return make_order(order, arena, net, true);
}
