/* SPDX-License-Identifier: Apache-2.0 */
/* A broadcasting binary as loops over the output's memory: outer axes, then `rows` rows of `row` elements.
 * Each operand has a stride per axis, 0 where it is repeated; along a row it is 0 or 1. */
#ifndef GT_OPS_BINARY_H
#define GT_OPS_BINARY_H

#include "ops/general_common.h"

/* How an operand reaches the inner loop. */
typedef enum gt_i_binary_access {
    GT_I_FLAT,   /* its elements lie as the output's do */
    GT_I_SCALAR, /* one element for all */
    GT_I_EXPAND  /* repeated into scratch first, because rows are too short to loop over each */
} gt_i_binary_access;

typedef struct gt_i_binary_operand {
    int64_t outer[GT_MAX_RANK]; /* strides of the outer axes */
    int64_t rows, row;          /* strides of the two innermost axes */
    gt_i_binary_access access;
} gt_i_binary_operand;

typedef struct gt_i_binary {
    gt_i_view view; /* of the output, for its channel padding */
    gt_binary_function function;
    gt_epilogue epilogue;
    int n_outer;
    int64_t outer[GT_MAX_RANK];
    int64_t rows, row;
    /* a task handles tile_rows x tile_row elements; one of them covers its axis or is 1 */
    int64_t tile_rows, tile_row;
    int64_t tiles, chunks;       /* tasks along rows and along the row */
    gt_i_binary_operand operand[2];
    int64_t at[2]; /* packed constants */
} gt_i_binary;

#endif
