/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/argmax.h"
#include "ops/general_common_simd.h"
#include "ops/kernels.h"

/* NaN counts as the largest, as in numpy. */
static inline bool better(float v, float best, bool last)
{
    return last ? v >= best || v != v : v > best || (v != v && best == best);
}

static int64_t argmax_line(const float *x, int64_t length, int64_t step, bool last)
{
    int64_t at = 0;
    float best = x[0];
    for (int64_t i = 1; i < length; i++) {
        float v = x[i * step];
        bool take = better(v, best, last);
        best = take ? v : best;
        at = take ? i : at;
    }
    return at;
}

/* GT_VL lines side by side. */
GT_I_INLINE void argmax_vector(int64_t *y, const float *x, int64_t length, int64_t step, bool last)
{
    gt_vn best = gt_vn_load(x);
    gt_in at = {0};
    for (int64_t i = 1; i < length; i++) {
        gt_vn v = gt_vn_load(x + i * step);
        gt_in take = last ? (v >= best) | (v != v) : (v > best) | ((v != v) & (best == best));
        gt_in index = (int32_t)i - (gt_in){0};
        best = gt_vn_select(take, v, best);
        at = (take & index) | (~take & at);
    }
    for (int j = 0; j < GT_VL; j++) {
        y[j] = at[j];
    }
}

static void argmax_lines(const gt_i_argmax *p, int64_t *y, const float *x, int64_t count)
{
    int64_t i = 0;
    /* Indices are 32 bits wide in vectors. */
    for (; p->axis.length <= INT32_MAX && i + GT_VL <= count; i += GT_VL) {
        if (p->last) {
            argmax_vector(y + i, x + i, p->axis.length, p->axis.inner, true);
        } else {
            argmax_vector(y + i, x + i, p->axis.length, p->axis.inner, false);
        }
    }
    for (; i < count; i++) {
        y[i] = argmax_line(x + i, p->axis.length, p->axis.inner, p->last);
    }
}

void GT_KERNEL_FN(argmax_direct)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    const gt_i_argmax *p = k->params;
    (void)phase;
    for (int64_t task = begin; task < end; task++) {
        int64_t first = task % p->tiles * p->tile;
        int64_t outer = task / p->tiles;
        int64_t count = gt_i_min(p->tile, p->axis.inner - first);
        argmax_lines(p, (int64_t *)a->out + outer * p->axis.inner + first,
                     (const float *)a->in[0] + outer * p->axis.length * p->axis.inner + first, count);
    }
}
