/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_OPS_TRANSPOSE_H
#define GT_OPS_TRANSPOSE_H

#include "ops/general_common.h"

/* out[b][c][r] = in[b][r][c]; a task is a square of GT_I_TRANSPOSE_TILE x GT_I_TRANSPOSE_TILE. */
#define GT_I_TRANSPOSE_TILE 64

typedef struct gt_i_transpose {
    int64_t batch, rows, columns;
    int64_t row_tiles, column_tiles;
    int64_t at; /* packed constant */
} gt_i_transpose;

#endif
