/* SPDX-License-Identifier: Apache-2.0 */
/* Partial vectors and pixel copies, for *_kernel.c files. */
#ifndef GT_OPS_GENERAL_COMMON_SIMD_H
#define GT_OPS_GENERAL_COMMON_SIMD_H

#include "ops/simd.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define gt_in GT_PASTE(gt_i, GT_VL)
#define gt_vn_select GT_PASTE(GT_PASTE(gt_v, GT_VL), _select)

/* gt_vn_load_part: `count` floats in [0, GT_VL], 0 in the other lanes, whose memory is not touched;
 * gt_vn_store_part stores as many. With masks where the instruction set has them. */
#if defined(__AVX512F__)
GT_I_INLINE gt_vn gt_vn_load_part(const float *from, int64_t count)
{
    return (gt_vn)_mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1), from);
}

GT_I_INLINE void gt_vn_store_part(float *to, gt_vn v, int64_t count)
{
    _mm512_mask_storeu_ps(to, (__mmask16)((1u << count) - 1), (__m512)v);
}
#elif defined(__AVX2__)
GT_I_INLINE __m256i gt_i_part_mask(int64_t count)
{
    gt_in lane = {0, 1, 2, 3, 4, 5, 6, 7};
    return (__m256i)(lane < (int32_t)count);
}

GT_I_INLINE gt_vn gt_vn_load_part(const float *from, int64_t count)
{
    return (gt_vn)_mm256_maskload_ps(from, gt_i_part_mask(count));
}

GT_I_INLINE void gt_vn_store_part(float *to, gt_vn v, int64_t count)
{
    _mm256_maskstore_ps(to, gt_i_part_mask(count), (__m256)v);
}
#else
GT_I_INLINE gt_vn gt_vn_load_part(const float *from, int64_t count)
{
    gt_vn v = {0};
    for (int i = 0; i < GT_VL; i++) {
        v[i] = i < count ? from[i] : 0;
    }
    return v;
}

GT_I_INLINE void gt_vn_store_part(float *to, gt_vn v, int64_t count)
{
    for (int i = 0; i < GT_VL; i++) {
        if (i < count) {
            to[i] = v[i];
        }
    }
}
#endif

/* 0 in lanes from `count` on. */
GT_I_INLINE gt_vn gt_vn_keep(gt_vn v, int64_t count)
{
    gt_in lane;
    for (int i = 0; i < GT_VL; i++) {
        lane[i] = i;
    }
    gt_vn zero = {0};
    return gt_vn_select(lane < (int32_t)count, v, zero);
}

GT_I_INLINE void gt_i_activate_as(float *y, int64_t count, const gt_function act, float alpha, float beta)
{
    int64_t i = 0;
    for (; i + GT_VL <= count; i += GT_VL) {
        gt_vn_store(y + i, gt_vn_act(gt_vn_load(y + i), act, alpha, beta));
    }
    if (i < count) {
        gt_vn_store_part(y + i, gt_vn_act(gt_vn_load_part(y + i, count - i), act, alpha, beta), count - i);
    }
}

/* Activation in place. The usual ones have a loop of their own: elsewhere the choice is made for every vector. */
static inline void gt_i_activate(float *y, int64_t count, const gt_epilogue *e)
{
    switch (e->act) {
    case GT_FN_NONE:
        break;
    case GT_FN_RELU:
        gt_i_activate_as(y, count, GT_FN_RELU, 0, 0);
        break;
    case GT_FN_CLIP:
        gt_i_activate_as(y, count, GT_FN_CLIP, e->alpha, e->beta);
        break;
    case GT_FN_HARD_SWISH:
        gt_i_activate_as(y, count, GT_FN_HARD_SWISH, e->alpha, e->beta);
        break;
    default:
        gt_i_activate_as(y, count, e->act, e->alpha, e->beta);
        break;
    }
}

/* Halves the vector until one lane is left. */
GT_I_INLINE float gt_vn_sum_lanes(gt_vn v)
{
    float part[GT_VL];
    memcpy(part, &v, sizeof v);
    for (int half = GT_VL / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; i++) {
            part[i] += part[i + half];
        }
    }
    return part[0];
}

/* NaN counts as the largest, as in numpy. */
GT_I_INLINE gt_vn gt_vn_max_nan(gt_vn a, gt_vn b)
{
    return gt_vn_select((a < b) | (b != b), b, a);
}

GT_I_INLINE float gt_vn_max_lanes(gt_vn v)
{
    float part[GT_VL];
    memcpy(part, &v, sizeof v);
    for (int half = GT_VL / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; i++) {
            float other = part[i + half];
            part[i] = part[i] < other || other != other ? other : part[i];
        }
    }
    return part[0];
}

GT_I_INLINE void gt_i_copy_lanes(float *to, const float *from, int64_t pixels, int64_t to_step,
                                 int64_t from_step,
                                 size_t lanes)
{
    for (int64_t i = 0; i < pixels; i++) {
        memcpy(to + i * to_step, from + i * from_step, lanes * sizeof *to);
    }
}

#define GT_I_COPY_CASE(lanes)                                        \
    case lanes:                                                      \
        gt_i_copy_lanes(to, from, pixels, to_step, from_step, lanes); \
        break;

/* Copies `lanes` floats of each of `pixels` pixels; the steps lead from pixel to pixel. */
static inline void gt_i_copy_pixels(float *to, const float *from, int64_t pixels, int64_t to_step,
                                    int64_t from_step, int64_t lanes)
{
    if (to_step == lanes && from_step == lanes) {
        memcpy(to, from, (size_t)(pixels * lanes) * sizeof *to);
        return;
    }
    if (lanes == 1 && to_step == 1 && from_step == 2) {
        gt_i_copy_lanes(to, from, pixels, 1, 2, 1); /* with constant steps this is a vector loop */
        return;
    }
    switch (lanes) {
        GT_I_COPY_CASE(1)
        GT_I_COPY_CASE(2)
        GT_I_COPY_CASE(3)
        GT_I_COPY_CASE(4)
        GT_I_COPY_CASE(5)
        GT_I_COPY_CASE(6)
        GT_I_COPY_CASE(7)
        GT_I_COPY_CASE(8)
        GT_I_COPY_CASE(9)
        GT_I_COPY_CASE(10)
        GT_I_COPY_CASE(11)
        GT_I_COPY_CASE(12)
        GT_I_COPY_CASE(13)
        GT_I_COPY_CASE(14)
        GT_I_COPY_CASE(15)
        GT_I_COPY_CASE(16)
    default:
        gt_i_copy_lanes(to, from, pixels, to_step, from_step, (size_t)lanes);
        break;
    }
}

/* to[2 i] = a[i], to[2 i + 1] = b[i] for each of `pixels` pixels. */
GT_I_INLINE void gt_i_interleave_fixed(float *restrict to, const float *restrict a, const float *restrict b,
                                       int64_t pixels, int64_t to_step, int64_t from_step, int64_t count)
{
    for (int64_t p = 0; p < pixels; p++) {
        for (int64_t i = 0; i < count; i++) {
            to[p * to_step + 2 * i] = a[p * from_step + i];
            to[p * to_step + 2 * i + 1] = b[p * from_step + i];
        }
    }
}

static inline void gt_i_interleave(float *to, const float *a, const float *b, int64_t pixels, int64_t to_step,
                                   int64_t from_step, int64_t count)
{
    switch (count) {
    case 2:
        gt_i_interleave_fixed(to, a, b, pixels, to_step, from_step, 2);
        break;
    case 4:
        gt_i_interleave_fixed(to, a, b, pixels, to_step, from_step, 4);
        break;
    case 8:
        gt_i_interleave_fixed(to, a, b, pixels, to_step, from_step, 8);
        break;
    default:
        gt_i_interleave_fixed(to, a, b, pixels, to_step, from_step, count);
        break;
    }
}

#endif
