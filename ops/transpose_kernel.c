/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/general_common_simd.h"
#include "ops/kernels.h"
#include "ops/transpose.h"

/* A 4 x 4 square through registers. */
static inline void square(float *y, int64_t y_step, const float *x, int64_t x_step)
{
    gt_v4 a = gt_v4_load(x);
    gt_v4 b = gt_v4_load(x + x_step);
    gt_v4 c = gt_v4_load(x + 2 * x_step);
    gt_v4 d = gt_v4_load(x + 3 * x_step);
    gt_v4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    gt_v4 ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    gt_v4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    gt_v4 cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    gt_v4_store(y, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
    gt_v4_store(y + y_step, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
    gt_v4_store(y + 2 * y_step, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
    gt_v4_store(y + 3 * y_step, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

static void elements(float *y, int64_t y_step, const float *x, int64_t x_step, int64_t rows, int64_t columns)
{
    for (int64_t c = 0; c < columns; c++) {
        for (int64_t r = 0; r < rows; r++) {
            y[c * y_step + r] = x[r * x_step + c];
        }
    }
}

/* y[c][r] = x[r][c]; the output's cache lines are filled one after another. */
static void tile(float *y, int64_t y_step, const float *x, int64_t x_step, int64_t rows, int64_t columns)
{
    int64_t whole_rows = rows / 4 * 4;
    int64_t whole_columns = columns / 4 * 4;
    for (int64_t c = 0; c < whole_columns; c += 4) {
        for (int64_t r = 0; r < whole_rows; r += 4) {
            square(y + c * y_step + r, y_step, x + r * x_step + c, x_step);
        }
    }
    elements(y + whole_columns * y_step, y_step, x + whole_columns, x_step, rows, columns - whole_columns);
    elements(y + whole_rows, y_step, x + whole_rows * x_step, x_step, rows - whole_rows, whole_columns);
}

void GT_KERNEL_FN(transpose_direct)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin,
                                    int64_t end)
{
    const gt_i_transpose *p = k->params;
    const float *in = gt_i_input(a, &p->at, 0);
    (void)phase;
    for (int64_t task = begin; task < end; task++) {
        int64_t r = task % p->row_tiles * GT_I_TRANSPOSE_TILE;
        int64_t c = task / p->row_tiles % p->column_tiles * GT_I_TRANSPOSE_TILE;
        int64_t matrix = task / p->row_tiles / p->column_tiles * p->rows * p->columns;
        tile((float *)a->out + matrix + c * p->rows + r, p->rows, in + matrix + r * p->columns + c,
             p->columns,
             gt_i_min(GT_I_TRANSPOSE_TILE, p->rows - r), gt_i_min(GT_I_TRANSPOSE_TILE, p->columns - c));
    }
}
