/* SPDX-License-Identifier: Apache-2.0 */
/* Elimination orders. */
#ifndef GT_SOLVE_ORDER_H
#define GT_SOLVE_ORDER_H

#include "src/solve/wcsp.h"

typedef struct gt_i_order {
    int32_t *variables; /* the live ones in order of elimination, in the arena given */
    int32_t width;      /* most neighbours at elimination */
    double entries;     /* of all tables that elimination makes */
    double work;        /* additions */
    const char *name;   /* of the heuristic */
} gt_i_order;

/* An order of the live variables. Variables of degree 0, 1 and 2 go first, always: this makes no order of width 2 or
 * more wider (Arnborg and Proskurowski 1986). The rest goes by min-fill: always the variable whose elimination joins the
 * fewest pairs of neighbours that are not yet joined; then the one with the smallest table, then the lowest index. Beyond
 * GT_I_DENSE_VARIABLES it goes by min-degree. O(edges + core^2 + core * degree^2) word operations on bit sets. */
gt_status gt_i_min_fill(gt_i_order *order, gt_i_arena *arena, const gt_i_wcsp *net) GT_NODISCARD;

/* The one of min-fill, min-degree and maximum-cardinality whose tables have the fewest entries. */
gt_status gt_i_best_order(gt_i_order *order, gt_i_arena *arena, const gt_i_wcsp *net) GT_NODISCARD;

#endif
