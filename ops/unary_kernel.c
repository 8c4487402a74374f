/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/kernels.h"
#include "ops/unary.h"
#include "ops/unary_math.h"

static inline __attribute__((always_inline)) gt_vn apply(gt_vn x, gt_function f, float alpha, float beta)
{
    switch (f) {
    case GT_FN_SOFTPLUS:
        return gt_vn_softplus(x);
    case GT_FN_EXP:
        return gt_vn_exp(x);
    case GT_FN_LOG:
        return gt_vn_log(x);
    case GT_FN_SQRT:
        return gt_vn_sqrt(x);
    case GT_FN_RECIPROCAL:
        return 1.0f / x;
    case GT_FN_ABS:
        return gt_vn_abs(x);
    case GT_FN_NEG:
        return -x;
    case GT_FN_FLOOR:
        return gt_vn_floor(x);
    case GT_FN_CEIL:
        return -gt_vn_floor(-x);
    case GT_FN_ERF:
        return gt_vn_erf(x);
    default:
        return gt_vn_act(x, f, alpha, beta);
    }
}

/* `together` vectors a round: several of those that take few instructions, so that counting takes few as well. */
GT_I_INLINE void loop(float *y, const float *x, int64_t count, gt_function f, float alpha, float beta, const int together)
{
    int64_t i = 0;
    for (; i + together * GT_VL <= count; i += together * GT_VL) {
        _Pragma("GCC unroll 4") for (int j = 0; j < together; j++) {
            gt_vn_store(y + i + j * GT_VL, apply(gt_vn_load(x + i + j * GT_VL), f, alpha, beta));
        }
    }
    for (; together > 1 && i + GT_VL <= count; i += GT_VL) {
        gt_vn_store(y + i, apply(gt_vn_load(x + i), f, alpha, beta));
    }
    if (i < count) {
        gt_vn tail = {0};
        size_t bytes = (size_t)(count - i) * sizeof *x;
        memcpy(&tail, x + i, bytes);
        tail = apply(tail, f, alpha, beta);
        memcpy(y + i, &tail, bytes);
    }
}

/* One loop per function, so that the choice is made once per chunk. */
#define CASE(f, together)                                    \
    case f:                                                  \
        loop(y, x, count, f, p->alpha, p->beta, together);   \
        break;

static void run_chunk(const gt_i_unary *p, float *y, const float *x, int64_t count)
{
    switch (p->function) {
        CASE(GT_FN_NONE, 4)
        CASE(GT_FN_RELU, 4)
        CASE(GT_FN_CLIP, 4)
        CASE(GT_FN_LEAKY_RELU, 4)
        CASE(GT_FN_ELU, 1)
        CASE(GT_FN_SIGMOID, 1)
        CASE(GT_FN_HARD_SIGMOID, 4)
        CASE(GT_FN_HARD_SWISH, 4)
        CASE(GT_FN_TANH, 1)
        CASE(GT_FN_SWISH, 1)
        CASE(GT_FN_MISH, 1)
        CASE(GT_FN_SOFTPLUS, 1)
        CASE(GT_FN_EXP, 1)
        CASE(GT_FN_LOG, 1)
        CASE(GT_FN_SQRT, 1)
        CASE(GT_FN_RECIPROCAL, 1)
        CASE(GT_FN_ABS, 4)
        CASE(GT_FN_NEG, 4)
        CASE(GT_FN_FLOOR, 1)
        CASE(GT_FN_CEIL, 1)
        CASE(GT_FN_ERF, 1)
    }
}

void GT_KERNEL_FN(unary_direct_f32)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin,
                                    int64_t end)
{
    const gt_i_unary *p = k->params;
    if (phase == 1) {
        gt_i_zero_padding(a->out, &p->view, begin, end);
        return;
    }
    int64_t first = begin * p->chunk;
    int64_t last = gt_i_min(end * p->chunk, p->total);
    run_chunk(p, (float *)a->out + first, (const float *)a->in[0] + first, last - first);
}
