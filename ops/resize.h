/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_OPS_RESIZE_H
#define GT_OPS_RESIZE_H

#include "ops/general_common.h"

/* One output position along an axis: (1 - weight) * x[low] + weight * x[high]; offsets in elements. */
typedef struct gt_i_resize_tap {
    int64_t low, high;
    float weight;
} gt_i_resize_tap;

/* A task is one output row of one group. Columns lie in three arrays, so that single lanes are a
 * vector loop. */
typedef struct gt_i_resize {
    gt_i_view in, out;
    const gt_i_resize_tap *rows;
    const int32_t *low, *high;
    const float *weight;
} gt_i_resize;

#endif
