/* SPDX-License-Identifier: Apache-2.0 */
/* The one place that knows OpenBLAS. */
#ifndef GT_OPS_BLAS_H
#define GT_OPS_BLAS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a GEMM library was built in. */
bool gt_blas_available(void);

/* Row-major C[M,N] = A[M,K] B[K,N] (+ C when accumulate), with op(A), op(B) transposed as asked and leading
 * dimensions in elements. Runs on the calling thread only; may be called from several threads at once. */
void gt_blas_sgemm(float *c, int64_t ldc, const float *a, int64_t lda, bool transpose_a, const float *b, int64_t ldb,
                   bool transpose_b, int64_t m, int64_t n, int64_t k, bool accumulate);

#endif
