/* SPDX-License-Identifier: Apache-2.0 */
/* Batched matrix products: a register tile over packed or plain rows of B (blocked as in Goto and van de
 * Geijn, ACM TOMS 34(3), 2008), or the GEMM library. */
#include "ops/matmul.h"

#include "ops/blas.h"
#include "ops/simd.h"

/* The operands of one matrix of the batch. b is panels if B is constant and packed so. */
typedef struct operands {
    const float *a, *b;
    float *y;
} operands;

static operands operands_of(const gt_i_matmul *p, const gt_args *a, int64_t batch)
{
    int64_t at_a = 0, at_b = 0, rest = batch;
    for (int i = p->rank - 1; i >= 0; i--) {
        int64_t index = rest % p->dim[i];
        at_a += index * p->a_step[i];
        at_b += index * p->b_step[i];
        rest /= p->dim[i];
    }
    const float *first_a = p->a_constant ? a->packed : a->in[0];
    const float *first_b = p->b_constant ? (const float *)a->packed + p->b_offset : a->in[1];
    return (operands){first_a + at_a * p->m * p->k, first_b + at_b * p->b_floats,
                      (float *)a->out + batch * p->m * p->n};
}

/* Rows of B, `real` columns wide, into a panel that is zero beyond them. */
static void fill_panel(float *panel, const float *b, int64_t ldb, int64_t depth, int64_t width, int64_t real)
{
    for (int64_t l = 0; l < depth; l++) {
        float *to = panel + l * width;
        int64_t j = 0;
        for (; j + GT_VL <= real; j += GT_VL) {
            gt_vn_store(to + j, gt_vn_load(b + l * ldb + j));
        }
        for (; j < width; j++) {
            to[j] = j < real ? b[l * ldb + j] : 0.0f;
        }
    }
}

/* Rows [row, row + rows) of the panel from `column` on. The scratch holds a panel of B, then results that end
 * beyond the matrix. */
static void run_panel(const gt_i_matmul *p, const operands *o, float *scratch, int64_t row, int64_t rows,
                      int64_t column, const gt_i_micro *micro)
{
    int64_t width = micro->vectors * GT_VL, real = gt_i_min(width, p->n - column);
    float *y = o->y + row * p->n + column, *tail = scratch + p->depth_chunk * GT_MICRO_MAX_WIDTH;
    float *to = real == width ? y : tail;
    int64_t ldt = real == width ? p->n : width;
    bool copy = !p->b_constant && (p->pack || real < width);
    for (int64_t d = 0; d < p->k; d += p->depth_chunk) {
        int64_t depth = gt_i_min(p->depth_chunk, p->k - d), ldb = p->b_constant || copy ? width : p->n;
        const float *b = p->b_constant ? o->b + column * p->k + d * width : o->b + d * p->n + column;
        if (copy) {
            fill_panel(scratch, b, p->n, depth, width, real);
            b = scratch;
        }
        gt_i_micro_rows(micro, to, ldt, o->a + row * p->k + d, p->k, b, ldb, rows, depth, d > 0);
    }
    for (int64_t i = 0; i < rows && real < width; i++) {
        memcpy(y + i * p->n, tail + i * width, (size_t)real * sizeof *y);
    }
}

void GT_KERNEL_FN(matmul_direct_f32)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin,
                                     int64_t end)
{
    const gt_i_matmul *p = k->params;
    (void)phase;
    for (int64_t task = begin; task < end; task++) {
        int64_t chunk = task / p->row_chunks;
        int64_t row = task % p->row_chunks * p->row_chunk, rows = gt_i_min(p->row_chunk, p->m - row);
        int64_t column = chunk % p->column_chunks * p->column_chunk;
        int64_t last = gt_i_min(p->columns, column + p->column_chunk);
        operands o = operands_of(p, a, chunk / p->column_chunks);
        while (column < last) {
            gt_i_micro_shape shape = gt_i_micro_panel(p->shape, p->columns - column, GT_VL);
            const gt_i_micro *micro = &GT_KERNEL_FN(matmul_micro)[shape];
            run_panel(p, &o, a->scratch, row, rows, column, micro);
            column += micro->vectors * GT_VL;
        }
    }
}

void GT_KERNEL_FN(matmul_gemm_f32)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin,
                                   int64_t end)
{
    const gt_i_matmul *p = k->params;
    (void)phase;
    for (int64_t task = begin; task < end; task++) {
        int64_t chunk = task / p->row_chunks;
        int64_t row = task % p->row_chunks * p->row_chunk, rows = gt_i_min(p->row_chunk, p->m - row);
        int64_t column = chunk % p->column_chunks * p->column_chunk;
        int64_t columns = gt_i_min(p->column_chunk, p->n - column);
        operands o = operands_of(p, a, chunk / p->column_chunks);
        gt_blas_sgemm(o.y + row * p->n + column, p->n, o.a + row * p->k, p->k, false, o.b + column, p->n,
                      false, rows, columns, p->k, false);
    }
}
