/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of a network under elimination, by lists of neighbours: for graphs of any size, most of whose vertices have
 * few. */
#ifndef GT_SOLVE_ORDER_SPARSE_H
#define GT_SOLVE_ORDER_SPARSE_H

#include "src/solve/order.h"

typedef struct gt_i_sparse {
    int32_t count; /* variables of the net */
    int32_t **neighbours;     /* ascending; NULL: not (or no longer) in the graph */
    int32_t *degree, *capacity;
    int32_t *head, *next, *previous; /* vertices by degree */
    int32_t *merged;          /* room for one list */
    const gt_i_wcsp *net;
    int64_t work_left;        /* list elements that may still be written */
} gt_i_sparse;

/* The graph of net's live variables, in the arena. */
gt_status gt_i_sparse_build(gt_i_sparse *graph, gt_i_arena *arena, const gt_i_wcsp *net) GT_NODISCARD;

/* Eliminates the vertex of least degree, as long as that is at most max_degree, and writes what that takes behind the
 * order's first *eliminated variables. Of equal ones the one that got its degree last. Ends early when lists get too long
 * for the graph's allowance. */
gt_status gt_i_sparse_eliminate(gt_i_sparse *graph, gt_i_arena *arena, gt_i_order *order, int32_t *eliminated,
                                int32_t max_degree) GT_NODISCARD;

#endif
