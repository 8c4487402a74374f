/* SPDX-License-Identifier: Apache-2.0 */
/* From the caller's network to the solver's. */
#ifndef GT_SOLVE_BUILD_H
#define GT_SOLVE_BUILD_H

#include "src/solve/network.h"
#include "src/solve/wcsp.h"

/* GT_ERROR_LIMIT where the largest finite costs sum to GT_CFN_MAX_TOTAL or more. O(entries). */
gt_status gt_i_check_total(const gt_cfn *cfn) GT_NODISCARD;

/* The same network with one edge per pair and scaled costs; variables keep their numbers, and the bound lets every
 * feasible assignment pass. Errors as gt_i_check_total, GT_ERROR_MEMORY. */
gt_status gt_i_build(gt_i_wcsp *net, const gt_cfn *cfn) GT_NODISCARD;

#endif
