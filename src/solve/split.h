/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_SOLVE_SPLIT_H
#define GT_SOLVE_SPLIT_H

#include "src/solve/solver.h"

/* Copies, by origin, the values of net's live `selected` variables from a part's assignment. */
void gt_i_take_values(int32_t *to, const gt_i_wcsp *net, const uint8_t *selected, const int32_t *from);

/* *connected is true if the live variables (at least one) form one component. O(variables + edges). */
gt_status gt_i_is_connected(const gt_i_wcsp *net, bool *connected) GT_NODISCARD;

/* Solves the components one by one, as gt_i_search. Each may cost no more than what the others leave
 * below the bound. */
gt_status gt_i_solve_components(gt_i_solver *solver, gt_i_wcsp *net, int64_t *lower_bound) GT_NODISCARD;

/* Replaces a leaf of the block tree by unary costs of its articulation point: one search of the leaf for each
 * value. *reduced tells whether there was a leaf and it could be solved within the budgets. */
gt_status gt_i_reduce_leaf(gt_i_solver *solver, gt_i_wcsp *net, bool *reduced) GT_NODISCARD;

#endif
