/* SPDX-License-Identifier: Apache-2.0 */
/* The epilogue over a run of finished sums, for kernels that leave them in memory. Only for *_kernel.c
 * files. */
#ifndef GT_OPS_MATMUL_FINISH_H
#define GT_OPS_MATMUL_FINISH_H

#include "ops/simd.h"

/* y[i] = act(y[i] + bias) and the residual, over `count` contiguous elements. bias_step 0: one bias for
 * all. */
static inline void gt_i_finish(float *y, const float *z, const float *bias, int64_t bias_step, int64_t count,
                               const gt_epilogue *e)
{
    gt_vn first = bias_step == 0 ? gt_vn_set1(*bias) : (gt_vn){0};
    bool before = e->residual == GT_RESIDUAL_BEFORE, after = e->residual == GT_RESIDUAL_AFTER;
    int64_t i = 0;
    for (; i + GT_VL <= count; i += GT_VL) {
        gt_vn r = gt_vn_load(y + i) + (bias_step == 0 ? first : gt_vn_load(bias + i));
        r = before ? r + gt_vn_load(z + i) : r;
        r = gt_vn_act(r, e->act, e->alpha, e->beta);
        gt_vn_store(y + i, after ? r + gt_vn_load(z + i) : r);
    }
    for (; i < count; i++) {
        float r = y[i] + bias[i * bias_step];
        r = before ? r + z[i] : r;
        r = gt_s_act(r, e->act, e->alpha, e->beta);
        y[i] = after ? r + z[i] : r;
    }
}

#endif
