/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layers: a register-tiled product with packed panels of weights, or the GEMM library. */
#include "ops/blas.h"
#include "ops/dense.h"
#include "ops/matmul_finish.h"

/* ---- one row: bound by reading the weights ---- */

/* Four values of X, indexed. NEON multiplies by a lane of a register; others broadcast each from memory. */
#if GT_VL == 4
typedef gt_v4 factors;
#define load_factors gt_v4_load
#else
typedef const float *factors;
#define load_factors(x) (x)
#endif

/* A panel `vectors` wide for one row of X, epilogue included. Eight or more independent sums hide the multiply-add's
 * latency, where the panel has that many; the first ones begin with the bias. */
static inline __attribute__((always_inline)) void row_panel(float *y, const float *x, const float *w, const float *bias,
                                                            int64_t depth, const gt_epilogue *e, const int vectors)
{
    const int sums = vectors == 4 ? 2 : 4;
    gt_vn sum[4][4] = {{{0}}};
    int64_t l = 0;
    _Pragma("GCC unroll 4")
    for (int v = 0; v < vectors; v++) {
        sum[0][v] = gt_vn_load(bias + v * GT_VL);
    }
    for (; l + 4 <= depth; l += 4) {
        factors q = load_factors(x + l);
        _Pragma("GCC unroll 4")
        for (int u = 0; u < 4; u++) {
            gt_vn weights[4];
            _Pragma("GCC unroll 4")
            for (int v = 0; v < vectors; v++) {
                weights[v] = gt_vn_load(w + (u * vectors + v) * GT_VL);
            }
            _Pragma("GCC unroll 4")
            for (int v = 0; v < vectors; v++) {
                sum[u % sums][v] += weights[v] * q[u];
            }
            _Pragma("GCC unroll 4")
            for (int v = 0; v < vectors; v++) {
                GT_STAY_ALIVE(weights[v]);
            }
        }
        w += 4 * vectors * GT_VL;
    }
    for (; l < depth; l++) {
        _Pragma("GCC unroll 4")
        for (int v = 0; v < vectors; v++) {
            sum[0][v] += gt_vn_load(w + v * GT_VL) * x[l];
        }
        w += vectors * GT_VL;
    }
    _Pragma("GCC unroll 4")
    for (int v = 0; v < vectors; v++) {
        gt_vn all = sum[0][v] + sum[1][v];
        all = sums == 4 ? all + (sum[2][v] + sum[3][v]) : all;
        gt_vn_store(y + v * GT_VL, gt_vn_act(all, e->act, e->alpha, e->beta));
    }
}

/* Columns from `column` on of the only row, a panel of them. */
static void one_row(const gt_i_dense *p, float *y, const float *x, const float *packed, int64_t column, int vectors)
{
    const float *w = packed + column * p->depth, *bias = packed + p->bias_offset + column;
    switch (vectors) {
    case 1:
        row_panel(y, x, w, bias, p->depth, &p->epilogue, 1);
        break;
    case 2:
        row_panel(y, x, w, bias, p->depth, &p->epilogue, 2);
        break;
    default:
        row_panel(y, x, w, bias, p->depth, &p->epilogue, 4);
    }
}

/* ---- any number of rows ---- */

static void panel_rows(const gt_i_dense *p, float *y, int64_t ldy, const float *x, const float *w,
                       int64_t rows, const gt_i_micro *micro)
{
    int64_t width = micro->vectors * GT_VL;
    for (int64_t d = 0; d < p->depth; d += p->depth_chunk) {
        int64_t depth = gt_i_min(p->depth_chunk, p->depth - d);
        gt_i_micro_rows(micro, y, ldy, x + d, p->depth, w + d * width, width, rows, depth, d > 0);
    }
}

static void finish_rows(const gt_i_dense *p, float *to, int64_t ldt, const float *bias, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i++) {
        gt_i_finish(to + i * ldt, NULL, bias, 1, columns, &p->epilogue);
    }
}

/* A panel that ends beyond K goes through the thread's scratch. */
static void run_panel(const gt_i_dense *p, const gt_args *a, int64_t row, int64_t rows, int64_t column,
                      const gt_i_micro *micro)
{
    const float *packed = a->packed, *x = (const float *)a->in[0] + row * p->depth;
    float *y = (float *)a->out + row * p->k + column;
    int64_t width = micro->vectors * GT_VL, real = gt_i_min(width, p->k - column);
    float *to = real == width ? y : a->scratch;
    int64_t ldt = real == width ? p->k : width;
    if (rows == 1) {
        one_row(p, to, x, packed, column, micro->vectors);
    } else {
        panel_rows(p, to, ldt, x, packed + column * p->depth, rows, micro);
        finish_rows(p, to, ldt, packed + p->bias_offset + column, rows, real);
    }
    for (int64_t i = 0; real < width && i < rows; i++) {
        memcpy(y + i * p->k, to + i * ldt, (size_t)real * sizeof *y);
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
