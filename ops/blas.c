/* SPDX-License-Identifier: Apache-2.0 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "ops/blas.h"

#ifdef GT_HAVE_OPENBLAS

#include <cblas.h>
#include <pthread.h>

/* Our own pool splits the work: a second level of threads inside the library would only fight with it. */
static void use_one_thread(void)
{
    openblas_set_num_threads(1);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

bool gt_blas_available(void)
{
    pthread_once(&once, use_one_thread);
    return true;
}

void gt_blas_sgemm(float *c, int64_t ldc, const float *a, int64_t lda, bool transpose_a, const float *b,
                   int64_t ldb, bool transpose_b, int64_t m, int64_t n, int64_t k, bool accumulate)
{
    pthread_once(&once, use_one_thread);
    CBLAS_TRANSPOSE op_a = transpose_a ? CblasTrans : CblasNoTrans;
    CBLAS_TRANSPOSE op_b = transpose_b ? CblasTrans : CblasNoTrans;
    cblas_sgemm(CblasRowMajor, op_a, op_b, (blasint)m, (blasint)n, (blasint)k, 1.0f, a, (blasint)lda, b,
                (blasint)ldb, accumulate ? 1.0f : 0.0f, c, (blasint)ldc);
}

#else

bool gt_blas_available(void)
{
    return false;
}

/* Plain loops, so that the symbol exists: no template asks for it when gt_blas_available() is false. */
void gt_blas_sgemm(float *c, int64_t ldc, const float *a, int64_t lda, bool transpose_a, const float *b,
                   int64_t ldb, bool transpose_b, int64_t m, int64_t n, int64_t k, bool accumulate)
{
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) {
            float sum = accumulate ? c[i * ldc + j] : 0.0f;
            for (int64_t l = 0; l < k; l++) {
                float x = transpose_a ? a[l * lda + i] : a[i * lda + l];
                sum += x * (transpose_b ? b[j * ldb + l] : b[l * ldb + j]);
            }
            c[i * ldc + j] = sum;
        }
    }
}

#endif
