/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_OPS_POOL_H
#define GT_OPS_POOL_H

#include "ops/general_common.h"

/* A task is `tile` columns of `batch` output rows of one group. */
typedef struct gt_i_pool {
    gt_i_view in, out;
    bool maximum;
    int64_t kernel[2], stride[2], pad[2], dilation[2];
    int64_t tile, strips;     /* output columns per task, tasks per row */
    int64_t in_plane;         /* elements from one input group to the next */
    int64_t batch, batches;   /* output rows per task, tasks per column of a group */
    int64_t span, phase_span; /* input columns under a tile; those of every stride-th column */
    /* columns are sorted by phase first, so that the rest runs over contiguous memory */
    bool split;
    /* a window of 2x2 or 3x3 that meets the image everywhere: computed straight from it where lanes are whole vectors */
    bool window;
    /* average: 1/count along H and W, the latter factor_lanes times each */
    const float *row_factor, *column_factor;
    int64_t factor_lanes;
    const int64_t *first_row, *last_row;     /* per output row: the window's rows that lie in the image */
    const int64_t *column_at;                /* per window column: elements from the (sorted) row's start */
} gt_i_pool;

#endif
