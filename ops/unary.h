/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_OPS_UNARY_H
#define GT_OPS_UNARY_H

#include "ops/general_common.h"

typedef struct gt_i_unary {
    gt_i_view view;
    int64_t total, chunk; /* elements; a task is one chunk */
    gt_function function;
    float alpha, beta;
} gt_i_unary;

#endif
