/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/general_common_simd.h"
#include "ops/kernels.h"
#include "ops/resize.h"

/* y = a + weight (b - a) */
static void blend_rows(float *y, const float *a, const float *b, float weight, int64_t count)
{
    int64_t i = 0;
    for (; i + GT_VL <= count; i += GT_VL) {
        gt_vn va = gt_vn_load(a + i);
        gt_vn_store(y + i, va + weight * (gt_vn_load(b + i) - va));
    }
    for (; i < count; i++) {
        y[i] = a[i] + weight * (b[i] - a[i]);
    }
}

static void blend_elements(const gt_i_resize *p, float *restrict y, const float *restrict row)
{
    for (int64_t q = 0; q < p->out.w; q++) {
        float low = row[p->low[q]];
        y[q] = low + p->weight[q] * (row[p->high[q]] - low);
    }
}

/* Pixels of one block. */
#define BLEND(lanes)                                                                           \
    static void blend_##lanes(const gt_i_resize *p, float *y, const float *row)                \
    {                                                                                          \
        for (int64_t q = 0; q < p->out.w; q++) {                                               \
            gt_v##lanes low = gt_v##lanes##_load(row + p->low[q]);                             \
            gt_v##lanes high = gt_v##lanes##_load(row + p->high[q]);                           \
            gt_v##lanes##_store(y + q * lanes, low + p->weight[q] * (high - low));             \
        }                                                                                      \
    }
BLEND(4)
BLEND(8)
BLEND(16)

static void blend_columns(const gt_i_resize *p, float *y, const float *row)
{
    switch (p->out.l) {
    case 1:
        blend_elements(p, y, row);
        break;
    case 4:
        blend_4(p, y, row);
        break;
    case 8:
        blend_8(p, y, row);
        break;
    case 16:
        blend_16(p, y, row);
        break;
    default:
        for (int64_t q = 0; q < p->out.w; q++) {
            blend_rows(y + q * p->out.l, row + p->low[q], row + p->high[q], p->weight[q], p->out.l);
        }
        break;
    }
}

void GT_KERNEL_FN(resize_linear_f32)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin,
                                     int64_t end)
{
    const gt_i_resize *p = k->params;
    int64_t row_elems = p->in.w * p->in.l;
    float *row = a->scratch;
    (void)phase;
    for (int64_t task = begin; task < end; task++) {
        const float *plane = (const float *)a->in[0] + task / p->out.h * p->in.h * row_elems;
        const gt_i_resize_tap *tap = &p->rows[task % p->out.h];
        blend_rows(row, plane + tap->low, plane + tap->high, tap->weight, row_elems);
        blend_columns(p, (float *)a->out + task * p->out.w * p->out.l, row);
    }
}
