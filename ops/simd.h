/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 4, 8 and 16 floats in GCC/Clang vector extensions. Included by *_kernel.c files only, which are
 * compiled once per instruction set; GT_VL is the native width there. Wider vectors than GT_VL work (the compiler
 * splits them) but inner loops should use at most GT_VL. */
#ifndef GT_OPS_SIMD_H
#define GT_OPS_SIMD_H

#include "src/graph/op.h"

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#define GT_VL 16
#elif defined(__AVX2__)
#define GT_VL 8
#else
#define GT_VL 4
#endif

/* The larger and the smaller of two values in one instruction, for vectors of up to GT_I_MAX_LANES floats. `a` if either is NaN
 * on x86, where the second operand decides; NaN on ARM. */
#if defined(__SSE2__)
#include <immintrin.h>
#define GT_I_MAX_LANES GT_VL
#define GT_I_MAX_4(a, b) _mm_max_ps((__m128)(b), (__m128)(a))
#define GT_I_MIN_4(a, b) _mm_min_ps((__m128)(b), (__m128)(a))
#define GT_I_MAX_8(a, b) _mm256_max_ps((__m256)(b), (__m256)(a))
#define GT_I_MIN_8(a, b) _mm256_min_ps((__m256)(b), (__m256)(a))
#define GT_I_MAX_16(a, b) _mm512_max_ps((__m512)(b), (__m512)(a))
#define GT_I_MIN_16(a, b) _mm512_min_ps((__m512)(b), (__m512)(a))
#elif defined(__aarch64__)
#include <arm_neon.h>
#define GT_I_MAX_LANES GT_VL
#define GT_I_MAX_4(a, b) vmaxq_f32((float32x4_t)(a), (float32x4_t)(b))
#define GT_I_MIN_4(a, b) vminq_f32((float32x4_t)(a), (float32x4_t)(b))
#else
#define GT_I_MAX_LANES 0
#endif

/* x times 2^n for whole n, 0 or infinity where that is out of range; the nearest whole number; 1/x to 14 bits. */
#if defined(__AVX512F__) && defined(__AVX512VL__)
#define GT_I_HAS_SCALE 1
#define GT_I_SCALE_4(x, n) _mm_scalef_ps((__m128)(x), (__m128)(n))
#define GT_I_SCALE_8(x, n) _mm256_scalef_ps((__m256)(x), (__m256)(n))
#define GT_I_SCALE_16(x, n) _mm512_scalef_ps((__m512)(x), (__m512)(n))
#define GT_I_WHOLE_4(x) _mm_roundscale_ps((__m128)(x), 8)
#define GT_I_WHOLE_8(x) _mm256_roundscale_ps((__m256)(x), 8)
#define GT_I_WHOLE_16(x) _mm512_roundscale_ps((__m512)(x), 8)
#define GT_I_RECIPROCAL_4(x) _mm_rcp14_ps((__m128)(x))
#define GT_I_RECIPROCAL_8(x) _mm256_rcp14_ps((__m256)(x))
#define GT_I_RECIPROCAL_16(x) _mm512_rcp14_ps((__m512)(x))
#else
#define GT_I_HAS_SCALE 0
#endif

/* Make the compiler forget, where knowing is worse: the value of variable `p` (of a pointer it would keep many sums with
 * different offsets, for which there are not enough registers), and what the `n` floats at p are (which it would copy from
 * register to register instead of loading them again; that takes a slot of the multiplier on ARM). */
#define GT_FORGET(p) __asm__ volatile("" : "+r"(p))
#define GT_FORGET_ARRAY(p, n) __asm__ volatile("" : "+m"(*(float(*)[n])(uintptr_t)(p)))

/* GCC 12 likes to give a sum the register of a factor that is used up by the multiply-add that makes it, and then needs two
 * moves a round to bring it back. A factor that lives on until behind the multiply-adds prevents that, on ARM. */
#if defined(__aarch64__)
#define GT_STAY_ALIVE(v) __asm__("" : : "w"(v))
#else
#define GT_STAY_ALIVE(v) ((void)0)
#endif

#define GT_I_INLINE static inline __attribute__((always_inline))

#define GT_PASTE2(a, b) a##b
#define GT_PASTE(a, b) GT_PASTE2(a, b)

#define GT_W 4
#include "ops/simd_width.inc"
#undef GT_W
#define GT_W 8
#include "ops/simd_width.inc"
#undef GT_W
#define GT_W 16
#include "ops/simd_width.inc"
#undef GT_W

/* The native width's names: gt_vn, gt_vn_load, … */
#define gt_vn GT_PASTE(gt_v, GT_VL)
#define gt_vn_load GT_PASTE(GT_PASTE(gt_v, GT_VL), _load)
#define gt_vn_store GT_PASTE(GT_PASTE(gt_v, GT_VL), _store)
#define gt_vn_set1 GT_PASTE(GT_PASTE(gt_v, GT_VL), _set1)
#define gt_vn_max GT_PASTE(GT_PASTE(gt_v, GT_VL), _max)
#define gt_vn_min GT_PASTE(GT_PASTE(gt_v, GT_VL), _min)
#define gt_vn_act GT_PASTE(GT_PASTE(gt_v, GT_VL), _act)
#define gt_vn_exp GT_PASTE(GT_PASTE(gt_v, GT_VL), _exp)

/* One float through the same code as the vectors, for tails: lane 0 of a 4-vector. */
static inline float gt_s_act(float x, gt_function f, float alpha, float beta)
{
    return gt_v4_act(gt_v4_set1(x), f, alpha, beta)[0];
}

#endif
