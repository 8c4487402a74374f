/* SPDX-License-Identifier: Apache-2.0 */
/* What the dense templates and their kernels agree on. Private to ops/dense*. */
#ifndef GT_OPS_DENSE_H
#define GT_OPS_DENSE_H

#include "ops/matmul_micro.h"

/* Y[rows, k] = X[rows, depth] W[depth, k]. An image is consumed as it lies, channel padding included: the
 * weights are permuted to its layout ahead of time and are zero where it has padding. */
typedef struct gt_i_dense {
    int64_t rows, depth, k;
    gt_i_micro_shape shape;
    int64_t lanes;
    int64_t columns; /* k rounded up to the vector; dense.gemm: k */
    int64_t row_chunk, column_chunk, depth_chunk;
    int64_t row_chunks, column_chunks;
    bool transposed; /* dense.gemm: weights stored [depth][k] instead of [k][depth] */
    int64_t bias_offset;
    gt_epilogue epilogue;
} gt_i_dense;

#endif
