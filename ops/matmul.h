/* SPDX-License-Identifier: Apache-2.0 */
/* What the matmul templates and their kernels agree on. Private to ops/matmul*. */
#ifndef GT_OPS_MATMUL_H
#define GT_OPS_MATMUL_H

#include "ops/matmul_micro.h"

/* Y[batch, m, n] = A[batch, m, k] B[batch, k, n] with numpy's broadcasting of the batch axes. Where B has no
 * batch of its own, A's batch is part of m. */
typedef struct gt_i_matmul {
    int64_t m, n, k, batch;
    int rank;                           /* batch axes */
    int64_t dim[GT_MAX_RANK];           /* of the output's batch */
    int64_t a_step[GT_MAX_RANK], b_step[GT_MAX_RANK]; /* in matrices; 0 where broadcast */
    int64_t a_batch, b_batch;           /* matrices stored */
    bool a_constant, b_constant;
    int64_t b_offset; /* of B in the packed constants, in floats */
    int64_t b_floats; /* one matrix of B: as panels if constant (matmul.direct), else as it lies */
    gt_i_micro_shape shape;
    int64_t lanes, columns; /* n rounded up to the vector */
    bool pack;              /* an activation B is copied into panels by each task */
    int64_t row_chunk, column_chunk, depth_chunk;
    int64_t row_chunks, column_chunks;
} gt_i_matmul;

#endif
