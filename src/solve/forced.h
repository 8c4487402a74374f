/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_SOLVE_FORCED_H
#define GT_SOLVE_FORCED_H

#include "src/solve/wcsp.h"

/* Min-marginals of a network whose tables are too large, by one search per value that bounds leave open. `net` is the
 * solver's form of cfn, and is used up. Errors as gt_cfn_min_marginals. */
gt_status gt_i_forced_marginals(const gt_cfn *cfn, gt_cfn_marginals *m, gt_i_wcsp *net,
                                const gt_cfn_options *options) GT_NODISCARD;

#endif
