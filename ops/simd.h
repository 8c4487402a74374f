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
