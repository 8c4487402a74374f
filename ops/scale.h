/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_OPS_SCALE_H
#define GT_OPS_SCALE_H

#include "ops/general_common.h"

/* Packed per group: `pattern` scales, then `pattern` shifts; the lanes' values repeated to whole vectors. */
typedef struct gt_i_scale {
    gt_i_view view;
    int64_t plane;   /* elements of one group of one image */
    int64_t chunk;   /* elements of a task, a multiple of pattern */
    int64_t chunks;  /* tasks per plane */
    int64_t pattern; /* 1 when a group has one channel */
    gt_epilogue epilogue;
} gt_i_scale;

#endif
