/* SPDX-License-Identifier: Apache-2.0 */
/* The same as a bit matrix, for the core of a graph, whose vertices have many neighbours. */
#ifndef GT_SOLVE_ORDER_DENSE_H
#define GT_SOLVE_ORDER_DENSE_H

#include "src/solve/order_sparse.h"

typedef enum gt_i_rule {
    GT_I_MIN_FILL,
    GT_I_MIN_DEGREE,
    GT_I_GIVEN /* the order handed over */
} gt_i_rule;

typedef struct gt_i_dense {
    int32_t count, words;  /* vertices, words of a row */
    const uint64_t *start; /* adjacency bits, [count][words] */
    uint64_t *rows;        /* the same, under elimination */
    int32_t *variables;    /* of the net, by vertex */
    double *domain;
    int64_t *fill;         /* or degree; -1: eliminated */
    double *table;         /* values of the vertex and its neighbours */
    bool *stale;
} gt_i_dense;

/* The core that is left of a sparse graph. */
gt_status gt_i_dense_build(gt_i_dense *graph, gt_i_arena *arena, const gt_i_sparse *sparse, int32_t count) GT_NODISCARD;

/* Appends all vertices to the order (behind its first `eliminated` variables), as the rule or `given` (by vertex) says.
 * The graph can be used again. */
void gt_i_dense_eliminate(gt_i_dense *graph, gt_i_order *order, int32_t eliminated, gt_i_rule rule,
                          const int32_t *given);

/* Ends of the core's edges, two vertices each, into room for *edges pairs; NULL: only counts them. */
void gt_i_dense_edges(const gt_i_dense *graph, int32_t *ends, int32_t *edges);

#endif
