/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_OPS_LRN_H
#define GT_OPS_LRN_H

#include "ops/general_common.h"

/* A task is `tile` pixels of one image. */
typedef struct gt_i_lrn {
    gt_i_view view;
    int64_t before, after; /* channels of the window on each side */
    float alpha, beta, bias; /* alpha already divided by the window's size */
    int64_t tile, tiles;
} gt_i_lrn;

#endif
