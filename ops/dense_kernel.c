/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layers: a register-tiled product with packed panels of weights, or the GEMM library. */
#include "ops/blas.h"
#include "ops/dense.h"
#include "ops/matmul_finish.h"

/* ---- one row: bound by reading the weights ---- */

/* A panel `vectors` wide for one row of X. Four independent sums per vector hide the multiply-add's
 * latency. */
static inline __attribute__((always_inline)) void row_panel(float *y, const float *x, const float *w,
                                                            int64_t depth, const int vectors)
{
    gt_vn sum[4][4] = {{{0}}};
    int64_t l = 0;
    for (; l + 4 <= depth; l += 4) {
        _Pragma("GCC unroll 4")
        for (int u = 0; u < 4; u++) {
            gt_vn factor = gt_vn_set1(x[l + u]);
            _Pragma("GCC unroll 4")
            for (int v = 0; v < vectors; v++) {
                sum[u][v] += factor * gt_vn_load(w + v * GT_VL);
            }
            w += vectors * GT_VL;
        }
    }
    for (; l < depth; l++) {
        for (int v = 0; v < vectors; v++) {
            sum[0][v] += gt_vn_set1(x[l]) * gt_vn_load(w + v * GT_VL);
        }
        w += vectors * GT_VL;
    }
    for (int v = 0; v < vectors; v++) {
        gt_vn_store(y + v * GT_VL, (sum[0][v] + sum[1][v]) + (sum[2][v] + sum[3][v]));
    }
}

static void one_row(float *y, const float *x, const float *w, int64_t depth, int vectors)
{
    switch (vectors) {
    case 1:
        row_panel(y, x, w, depth, 1);
        break;
    case 2:
        row_panel(y, x, w, depth, 2);
        break;
    default:
        row_panel(y, x, w, depth, 4);
    }
}

/* ---- any number of rows ---- */

static void panel_rows(const gt_i_dense *p, float *y, int64_t ldy, const float *x, const float *w,
                       int64_t rows, const gt_i_micro *micro)
{
    int64_t width = micro->vectors * GT_VL;
    if (rows == 1) {
        one_row(y, x, w, p->depth, micro->vectors);
        return;
    }
    for (int64_t d = 0; d < p->depth; d += p->depth_chunk) {
        int64_t depth = gt_i_min(p->depth_chunk, p->depth - d);
        gt_i_micro_rows(micro, y, ldy, x + d, p->depth, w + d * width, width, rows, depth, d > 0);
    }
}

/* A panel that ends beyond K goes through the thread's scratch. */
static void run_panel(const gt_i_dense *p, const gt_args *a, int64_t row, int64_t rows, int64_t column,
                      const gt_i_micro *micro)
{
    const float *packed = a->packed, *bias = packed + p->bias_offset + column;
    float *y = (float *)a->out + row * p->k + column;
    int64_t width = micro->vectors * GT_VL, real = gt_i_min(width, p->k - column);
    float *to = real == width ? y : a->scratch;
    int64_t ldt = real == width ? p->k : width;
    panel_rows(p, to, ldt, (const float *)a->in[0] + row * p->depth, packed + column * p->depth, rows, micro);
    for (int64_t i = 0; i < rows; i++) {
        gt_i_finish(to + i * ldt, NULL, bias, 1, real, &p->epilogue);
        if (real < width) {
            memcpy(y + i * p->k, to + i * ldt, (size_t)real * sizeof *y);
        }
    }
}

void GT_KERNEL_FN(dense_direct_f32)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin,
                                    int64_t end)
{
    const gt_i_dense *p = k->params;
    (void)phase;
    for (int64_t task = begin; task < end; task++) {
        int64_t row = task % p->row_chunks * p->row_chunk, rows = gt_i_min(p->row_chunk, p->rows - row);
        int64_t column = task / p->row_chunks * p->column_chunk;
        int64_t last = gt_i_min(p->columns, column + p->column_chunk);
        while (column < last) {
            gt_i_micro_shape shape = gt_i_micro_panel(p->shape, p->columns - column, GT_VL);
            const gt_i_micro *micro = &GT_KERNEL_FN(matmul_micro)[shape];
            run_panel(p, a, row, rows, column, micro);
            column += micro->vectors * GT_VL;
        }
    }
}

void GT_KERNEL_FN(dense_gemm_f32)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    const gt_i_dense *p = k->params;
    const float *packed = a->packed;
    (void)phase;
    for (int64_t task = begin; task < end; task++) {
        int64_t row = task % p->row_chunks * p->row_chunk, rows = gt_i_min(p->row_chunk, p->rows - row);
        int64_t column = task / p->row_chunks * p->column_chunk;
        int64_t columns = gt_i_min(p->column_chunk, p->k - column);
        float *y = (float *)a->out + row * p->k + column;
        gt_blas_sgemm(y, p->k, (const float *)a->in[0] + row * p->depth, p->depth, false,
                      packed + (p->transposed ? column : column * p->depth), p->transposed ? p->k : p->depth,
                      !p->transposed, rows, columns, p->depth, false);
        for (int64_t i = 0; i < rows; i++) {
            gt_i_finish(y + i * p->k, NULL, packed + p->bias_offset + column, 1, columns, &p->epilogue);
        }
    }
}
