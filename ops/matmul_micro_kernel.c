/* SPDX-License-Identifier: Apache-2.0 */
/* The register tiles of ops/matmul_micro.h. On NEON (and with 4-float vectors in general) four elements of a
 * row of A are loaded at once and multiplied lane by lane (fmla v, v, v.s[lane]); wider vectors broadcast
 * each element from memory. */
#include "ops/matmul_micro.h"
#include "ops/simd.h"

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

/* Rows are addressed in threes from one pointer (base, base + lda, base + 2 lda), so that x86's sixteen
 * integer registers are enough. */
#define ROW_GROUPS ((GT_MICRO_MAX_ROWS + 2) / 3)
#define ROW(i) (row[(i) / 3] + ((i) % 3) * lda)

INLINE void one_step(gt_vn acc[GT_MICRO_MAX_ROWS][4], const float *const *row, int64_t lda, const float *b,
                     int64_t at, const int rows, const int vectors)
{
    gt_vn y[4];
    UNROLL
    for (int v = 0; v < vectors; v++) {
        y[v] = gt_vn_load(b + v * GT_VL);
    }
    UNROLL
    for (int i = 0; i < rows; i++) {
        gt_vn x = gt_vn_set1(ROW(i)[at]);
        UNROLL
        for (int v = 0; v < vectors; v++) {
            acc[i][v] += x * y[v];
        }
    }
}

#if GT_VL == 4

INLINE void four_steps(gt_vn acc[GT_MICRO_MAX_ROWS][4], const float *const *row, int64_t lda, const float *b,
                       int64_t ldb, int64_t at, const int rows, const int vectors)
{
    gt_v4 x[GT_MICRO_MAX_ROWS];
    UNROLL
    for (int i = 0; i < rows; i++) {
        x[i] = gt_v4_load(ROW(i) + at);
    }
    UNROLL
    for (int l = 0; l < 4; l++) {
        gt_v4 y[4];
        UNROLL
        for (int v = 0; v < vectors; v++) {
            y[v] = gt_v4_load(b + l * ldb + v * 4);
        }
        UNROLL
        for (int i = 0; i < rows; i++) {
            UNROLL
            for (int v = 0; v < vectors; v++) {
                acc[i][v] += y[v] * x[i][l];
            }
        }
    }
}

#else

INLINE void four_steps(gt_vn acc[GT_MICRO_MAX_ROWS][4], const float *const *row, int64_t lda, const float *b,
                       int64_t ldb, int64_t at, const int rows, const int vectors)
{
    UNROLL
    for (int l = 0; l < 4; l++) {
        one_step(acc, row, lda, b + l * ldb, at + l, rows, vectors);
    }
}

#endif

INLINE void micro(float *c, int64_t ldc, const gt_i_span *spans, int64_t n_spans, int64_t lda, int64_t ldb,
                  int64_t depth, bool accumulate, const int rows, const int vectors)
{
    gt_vn acc[GT_MICRO_MAX_ROWS][4];
    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int v = 0; v < vectors; v++) {
            acc[i][v] = accumulate ? gt_vn_load(c + i * ldc + v * GT_VL) : (gt_vn){0};
        }
    }
    for (int64_t s = 0; s < n_spans; s++) {
        const float *b = spans[s].b;
        const float *row[ROW_GROUPS];
        UNROLL
        for (int i = 0; i < (rows + 2) / 3; i++) {
            row[i] = spans[s].a + 3 * i * lda;
        }
        int64_t k = 0;
        for (; k + 4 <= depth; k += 4) {
            four_steps(acc, row, lda, b, ldb, k, rows, vectors);
            b += 4 * ldb;
        }
        for (; k < depth; k++) {
            one_step(acc, row, lda, b, k, rows, vectors);
            b += ldb;
        }
    }
    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int v = 0; v < vectors; v++) {
            gt_vn_store(c + i * ldc + v * GT_VL, acc[i][v]);
        }
    }
}

#define MICRO(rows, vectors)                                                                                \
    static void micro_##rows##x##vectors(float *c, int64_t ldc, const gt_i_span *spans, int64_t n_spans,    \
                                         int64_t lda, int64_t ldb, int64_t depth, bool accumulate)          \
    {                                                                                                       \
        micro(c, ldc, spans, n_spans, lda, ldb, depth, accumulate, rows, vectors);                          \
    }

#define MICRO_TO_2(v) MICRO(1, v) MICRO(2, v)
#define MICRO_TO_3(v) MICRO_TO_2(v) MICRO(3, v)
#define MICRO_TO_4(v) MICRO_TO_3(v) MICRO(4, v)
#define MICRO_TO_6(v) MICRO_TO_4(v) MICRO(5, v) MICRO(6, v)
#define MICRO_TO_8(v) MICRO_TO_6(v) MICRO(7, v) MICRO(8, v)
#define MICRO_TO_12(v) MICRO_TO_8(v) MICRO(9, v) MICRO(10, v) MICRO(11, v) MICRO(12, v)

#define NAMES_2(v) micro_1x##v, micro_2x##v
#define NAMES_3(v) NAMES_2(v), micro_3x##v
#define NAMES_4(v) NAMES_3(v), micro_4x##v
#define NAMES_6(v) NAMES_4(v), micro_5x##v, micro_6x##v
#define NAMES_8(v) NAMES_6(v), micro_7x##v, micro_8x##v
#define NAMES_12(v) NAMES_8(v), micro_9x##v, micro_10x##v, micro_11x##v, micro_12x##v

/* Accumulators, one row of B and what A needs must fit the 32 (AVX-512, NEON) or 16 (AVX2, SSE) registers. */
#if GT_VL == 16
#define TILES(X) X(12, 2) X(12, 1) X(6, 4)
#elif GT_VL == 8
#define TILES(X) X(6, 2) X(12, 1) X(3, 4)
#elif defined(__aarch64__)
#define TILES(X) X(8, 2) X(12, 1) X(4, 4)
#else
#define TILES(X) X(4, 2) X(8, 1) X(2, 4)
#endif

#define DEFINE(rows, vectors) MICRO_TO_##rows(vectors)
TILES(DEFINE)

#define ENTRY(rows, vectors) {vectors, rows, {NAMES_##rows(vectors)}},
const gt_i_micro GT_KERNEL_FN(matmul_micro)[GT_MICRO_SHAPES] = {TILES(ENTRY)};
