/* SPDX-License-Identifier: Apache-2.0 */
/* The register tile that Winograd, transposed convolution, dense and matmul share: a few rows of A times a
 * panel of a few vectors of B, held in registers over the whole reduction (Goto and van de Geijn, "Anatomy of
 * High-Performance Matrix Multiplication", ACM TOMS 34(3), 2008). */
#ifndef GT_OPS_MATMUL_MICRO_H
#define GT_OPS_MATMUL_MICRO_H

#include "ops/conv_common.h"
#include "ops/kernels.h"

/* One stretch of the reduction: A's first element and B's first row. Rows of A lie `lda` apart and are
 * contiguous along the reduction; rows of B are a panel's width wide and lie `ldb` apart. */
typedef struct gt_i_span {
    const float *a, *b;
} gt_i_span;

/* C[rows, width] = (accumulate ? C : 0) + the sum over spans of A[rows, depth] B[depth, width]. */
typedef void (*gt_i_micro_fn)(float *c, int64_t ldc, const gt_i_span *spans, int64_t n_spans, int64_t lda,
                              int64_t ldb, int64_t depth, bool accumulate);

/* The register tile's shape: near square in registers, tall (one vector wide) or wide (four vectors). How
 * many rows that makes depends on the instruction set. */
typedef enum gt_i_micro_shape {
    GT_MICRO_SQUARE,
    GT_MICRO_TALL,
    GT_MICRO_WIDE,
    GT_MICRO_SHAPES
} gt_i_micro_shape;

#define GT_MICRO_MAX_ROWS 12
#define GT_MICRO_MAX_WIDTH 64

typedef struct gt_i_micro {
    int vectors;                          /* of GT_VL floats */
    int rows;                             /* the largest number of rows */
    gt_i_micro_fn fn[GT_MICRO_MAX_ROWS]; /* fn[r - 1] does r rows */
} gt_i_micro;

extern const gt_i_micro gt_matmul_micro_base[GT_MICRO_SHAPES];
extern const gt_i_micro gt_matmul_micro_avx2[GT_MICRO_SHAPES];
extern const gt_i_micro gt_matmul_micro_avx512[GT_MICRO_SHAPES];

static inline int64_t gt_i_micro_vectors(gt_i_micro_shape shape)
{
    return shape == GT_MICRO_SQUARE ? 2 : shape == GT_MICRO_TALL ? 1 : 4;
}

/* The shape that a knob names by its vectors: 1, 2 or 4. */
static inline gt_i_micro_shape gt_i_micro_shape_of(int64_t vectors)
{
    return vectors == 2 ? GT_MICRO_SQUARE : vectors == 1 ? GT_MICRO_TALL : GT_MICRO_WIDE;
}

static inline void gt_i_micro_knob(gt_space *space, int64_t best)
{
    gt_knob *knob = gt_i_knob_begin(space, "vectors", best);
    gt_i_knob_add(knob, 2);
    gt_i_knob_add(knob, 1);
    gt_i_knob_add(knob, 4);
}

/* The shape for the next panel when `left` columns (a multiple of the vector) remain: the chosen one where it
 * fits, otherwise the widest that does. */
static inline gt_i_micro_shape gt_i_micro_panel(gt_i_micro_shape shape, int64_t left, int64_t lanes)
{
    if (gt_i_micro_vectors(shape) * lanes <= left) {
        return shape;
    }
    return 2 * lanes <= left ? GT_MICRO_SQUARE : GT_MICRO_TALL;
}

/* C[rows, width] (+)= A[rows, depth] B[depth, width] for any number of rows, split as evenly as the tile
 * allows. */
static inline void gt_i_micro_rows(const gt_i_micro *micro, float *c, int64_t ldc, const float *a,
                                   int64_t lda,
                                   const float *b, int64_t ldb, int64_t rows, int64_t depth, bool accumulate)
{
    int64_t groups = gt_i_div_up(rows, micro->rows);
    for (int64_t g = 0, done = 0; g < groups; g++) {
        int64_t now = (rows - done) / (groups - g);
        gt_i_span span = {a + done * lda, b};
        micro->fn[now - 1](c + done * ldc, ldc, &span, 1, lda, ldb, depth, accumulate);
        done += now;
    }
}

/* The same over B packed as panels: `columns` (a multiple of the vector) of them from b on, each panel
 * [depth][its width], widths as gt_i_micro_panel says. */
static inline void gt_i_micro_panels(const gt_i_micro *table, gt_i_micro_shape shape, int64_t lanes, float *c,
                                     int64_t ldc, const float *a, int64_t lda, const float *b, int64_t rows,
                                     int64_t columns, int64_t depth, bool accumulate)
{
    for (int64_t j = 0; j < columns;) {
        const gt_i_micro *micro = &table[gt_i_micro_panel(shape, columns - j, lanes)];
        int64_t width = micro->vectors * lanes;
        gt_i_micro_rows(micro, c + j, ldc, a, lda, b + j * depth, width, rows, depth, accumulate);
        j += width;
    }
}

/* Where column j begins in such panels, and how far apart its elements are along the reduction. */
typedef struct gt_i_panel_column {
    int64_t first, step;
} gt_i_panel_column;

static inline gt_i_panel_column gt_i_micro_column(gt_i_micro_shape shape, int64_t lanes, int64_t columns,
                                                  int64_t depth, int64_t j)
{
    int64_t width = gt_i_micro_vectors(shape) * lanes;
    int64_t start = gt_i_min(j, columns / width * width) / width * width;
    for (;;) {
        width = gt_i_micro_vectors(gt_i_micro_panel(shape, columns - start, lanes)) * lanes;
        if (j < start + width) {
            return (gt_i_panel_column){start * depth + j - start, width};
        }
        start += width;
    }
}

#endif
