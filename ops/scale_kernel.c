/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/general_common_simd.h"
#include "ops/kernels.h"
#include "ops/scale.h"

/* `relu`: constant where this is called. Other activations follow in a pass of their own. */
GT_I_INLINE gt_vn affine(gt_vn x, gt_vn scale, gt_vn shift, bool relu)
{
    gt_vn zero = {0}, r = x * scale + shift;
    return relu ? gt_vn_max(r, zero) : r;
}

GT_I_INLINE void affine_part(float *y, const float *x, int64_t count, gt_vn scale, gt_vn shift, bool relu)
{
    gt_vn_store_part(y, affine(gt_vn_load_part(x, count), scale, shift, relu), count);
}

/* One channel's pixels. */
GT_I_INLINE void run_plane(float *y, const float *x, int64_t count, float scale, float shift, bool relu)
{
    gt_vn vs = gt_vn_set1(scale);
    gt_vn vt = gt_vn_set1(shift);
    int64_t i = 0;
    for (; i + GT_VL <= count; i += GT_VL) {
        gt_vn_store(y + i, affine(gt_vn_load(x + i), vs, vt, relu));
    }
    if (i < count) {
        affine_part(y + i, x + i, count - i, vs, vt, relu);
    }
}

/* Up to one pattern's length of lanes. */
GT_I_INLINE void run_lanes(float *y, const float *x, int64_t count, const float *scale, const float *shift, bool relu)
{
    int64_t i = 0;
    for (; i + GT_VL <= count; i += GT_VL) {
        gt_vn_store(y + i, affine(gt_vn_load(x + i), gt_vn_load(scale + i), gt_vn_load(shift + i), relu));
    }
    if (i < count) {
        const int64_t n = count - i;
        affine_part(y + i, x + i, n, gt_vn_load_part(scale + i, n), gt_vn_load_part(shift + i, n), relu);
    }
}

/* Blocked layouts: the pattern is 16 long and stays in registers. */
GT_I_INLINE void run_blocks(float *y, const float *x, int64_t count, const float *scale, const float *shift, bool relu)
{
    gt_vn vs[16 / GT_VL];
    gt_vn vt[16 / GT_VL];
    _Pragma("GCC unroll 4") for (int j = 0; j < 16 / GT_VL; j++) {
        vs[j] = gt_vn_load(scale + j * GT_VL);
        vt[j] = gt_vn_load(shift + j * GT_VL);
    }
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        _Pragma("GCC unroll 4") for (int j = 0; j < 16 / GT_VL; j++) {
            gt_vn_store(y + i + j * GT_VL, affine(gt_vn_load(x + i + j * GT_VL), vs[j], vt[j], relu));
        }
    }
    run_lanes(y + i, x + i, count - i, scale, shift, relu);
}

GT_I_INLINE void run(const gt_i_scale *p, float *y, const float *x, int64_t count, const float *scale, const float *shift,
                     bool relu)
{
    if (p->pattern == 1) {
        run_plane(y, x, count, scale[0], shift[0], relu);
    } else if (p->pattern == 16) {
        run_blocks(y, x, count, scale, shift, relu);
    } else {
        for (int64_t i = 0; i < count; i += p->pattern) {
            run_lanes(y + i, x + i, gt_i_min(p->pattern, count - i), scale, shift, relu);
        }
    }
}

void GT_KERNEL_FN(scale_direct_f32)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin,
                                    int64_t end)
{
    const gt_i_scale *p = k->params;
    if (phase == 1) {
        gt_i_zero_padding(a->out, &p->view, begin, end);
        return;
    }
    for (int64_t task = begin; task < end; task++) {
        int64_t plane = task / p->chunks;
        int64_t first = task % p->chunks * p->chunk;
        int64_t count = gt_i_min(p->chunk, p->plane - first);
        const float *scale = (const float *)a->packed + plane % p->view.g * 2 * p->pattern;
        const float *shift = scale + p->pattern;
        const float *x = (const float *)a->in[0] + plane * p->plane + first;
        float *y = (float *)a->out + plane * p->plane + first;
        if (p->epilogue.act == GT_FN_RELU) {
            run(p, y, x, count, scale, shift, true);
        } else {
            run(p, y, x, count, scale, shift, false);
            gt_i_activate(y, count, &p->epilogue);
        }
    }
}
