/* SPDX-License-Identifier: Apache-2.0 */
/* A reduction as loops over the input's memory: kept axes outside, reduced axes inside, and one innermost
 * axis of contiguous elements that is either. */
#ifndef GT_OPS_REDUCE_H
#define GT_OPS_REDUCE_H

#include "ops/general_common.h"

#define GT_I_REDUCE_AXES (GT_MAX_RANK + 1)
#define GT_I_REDUCE_TILE 1024

typedef struct gt_i_reduce {
    gt_i_view out;
    gt_reduce_mode mode;
    float factor; /* what a sum is multiplied with */
    int n_kept, n_reduced;
    /* count, strides */
    int64_t kept[GT_I_REDUCE_AXES], kept_in[GT_I_REDUCE_AXES], kept_out[GT_I_REDUCE_AXES];
    int64_t reduced[GT_I_REDUCE_AXES], reduced_in[GT_I_REDUCE_AXES];
    bool inner_kept;
    int64_t inner;           /* innermost elements, contiguous */
    int64_t inner_out;       /* their stride in the output when kept */
    int64_t tiles;           /* tasks per innermost axis when kept */
    /* 0, or: the innermost axis holds lanes (of group `task % groups`), of which only `channels` in all
     * exist. */
    int64_t channels, groups;
} gt_i_reduce;

#endif
