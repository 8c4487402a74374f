/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/kernels.h"
#include "ops/scale.h"
#include "ops/simd.h"

static inline __attribute__((always_inline)) gt_vn affine(gt_vn x, gt_vn scale, gt_vn shift,
                                                          const gt_epilogue *e)
{
    gt_vn r = x * scale + shift;
    return e->act == GT_FN_NONE ? r : gt_vn_act(r, e->act, e->alpha, e->beta);
}

static float affine_one(float x, float scale, float shift, const gt_epilogue *e)
{
    return gt_s_act(x * scale + shift, e->act, e->alpha, e->beta);
}

/* One channel's pixels. */
static void run_plane(float *y, const float *x, int64_t count, float scale, float shift, const gt_epilogue *e)
{
    gt_vn vs = gt_vn_set1(scale);
    gt_vn vt = gt_vn_set1(shift);
    int64_t i = 0;
    for (; i + GT_VL <= count; i += GT_VL) {
        gt_vn_store(y + i, affine(gt_vn_load(x + i), vs, vt, e));
    }
    for (; i < count; i++) {
        y[i] = affine_one(x[i], scale, shift, e);
    }
}

/* Up to one pattern's length of lanes. */
static void run_lanes(float *y, const float *x, int64_t count, const float *scale, const float *shift,
                      const gt_epilogue *e)
{
    int64_t i = 0;
    for (; i + GT_VL <= count; i += GT_VL) {
        gt_vn_store(y + i, affine(gt_vn_load(x + i), gt_vn_load(scale + i), gt_vn_load(shift + i), e));
    }
    for (; i < count; i++) {
        y[i] = affine_one(x[i], scale[i], shift[i], e);
    }
}

/* Blocked layouts: the pattern is 16 long and stays in registers. */
static void run_blocks(float *y, const float *x, int64_t count, const float *scale, const float *shift,
                       const gt_epilogue *e)
{
    gt_vn vs[16 / GT_VL];
    gt_vn vt[16 / GT_VL];
    for (int j = 0; j < 16 / GT_VL; j++) {
        vs[j] = gt_vn_load(scale + j * GT_VL);
        vt[j] = gt_vn_load(shift + j * GT_VL);
    }
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        for (int j = 0; j < 16 / GT_VL; j++) {
            gt_vn_store(y + i + j * GT_VL, affine(gt_vn_load(x + i + j * GT_VL), vs[j], vt[j], e));
        }
    }
    run_lanes(y + i, x + i, count - i, scale, shift, e);
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
        if (p->pattern == 1) {
            run_plane(y, x, count, scale[0], shift[0], &p->epilogue);
        } else if (p->pattern == 16) {
            run_blocks(y, x, count, scale, shift, &p->epilogue);
        } else {
            for (int64_t i = 0; i < count; i += p->pattern) {
                run_lanes(y + i, x + i, gt_i_min(p->pattern, count - i), scale, shift, &p->epilogue);
            }
        }
    }
}
