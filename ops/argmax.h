/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_OPS_ARGMAX_H
#define GT_OPS_ARGMAX_H

#include "ops/general_common.h"

/* A task is `tile` neighbouring lines. */
typedef struct gt_i_argmax {
    gt_i_axis_view axis;
    int64_t tile, tiles;
    bool last; /* of equal elements, the last one counts */
} gt_i_argmax;

#endif
