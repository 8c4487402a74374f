/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_SOLVE_BRANCH_H
#define GT_SOLVE_BRANCH_H

#include "src/solve/wcsp.h"

/* The variable to branch on and the local value to try first. net has a live variable. O(entries). */
void gt_i_choose_branch(const gt_i_wcsp *net, int32_t *variable, int32_t *value);

#endif
