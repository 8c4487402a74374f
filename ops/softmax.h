/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_OPS_SOFTMAX_H
#define GT_OPS_SOFTMAX_H

#include "ops/general_common.h"

typedef enum gt_i_softmax_form {
    GT_I_SOFTMAX_LINES,  /* the axis is contiguous: a task is one line */
    GT_I_SOFTMAX_COLUMNS, /* neighbouring lines are contiguous: a task is `tile` of them */
    GT_I_SOFTMAX_BLOCKS  /* along the channels of a blocked layout: a task is `tile` pixels */
} gt_i_softmax_form;

typedef struct gt_i_softmax {
    gt_i_softmax_form form;
    bool log;
    gt_i_view view;
    gt_i_axis_view axis;
    int64_t tile, tiles;
} gt_i_softmax;

#endif
