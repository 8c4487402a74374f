/* SPDX-License-Identifier: Apache-2.0 */
/* Between channels that are contiguous and channels that are planes apart. Only for *_kernel.c files. */
#ifndef GT_OPS_MATMUL_TRANSPOSE_H
#define GT_OPS_MATMUL_TRANSPOSE_H

#include "ops/simd.h"

/* Writes a 4x4 block's transpose: to[j][i] = from[i][j], rows of either a stride apart. */
static inline void gt_i_transpose_4x4(float *to, int64_t to_stride, const float *from, int64_t from_stride)
{
    gt_v4 a = gt_v4_load(from), b = gt_v4_load(from + from_stride);
    gt_v4 c = gt_v4_load(from + 2 * from_stride), d = gt_v4_load(from + 3 * from_stride);
    gt_v4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    gt_v4 cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    gt_v4 ef = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    gt_v4 gh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    gt_v4_store(to, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
    gt_v4_store(to + to_stride, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
    gt_v4_store(to + 2 * to_stride, __builtin_shufflevector(ef, gh, 0, 1, 4, 5));
    gt_v4_store(to + 3 * to_stride, __builtin_shufflevector(ef, gh, 2, 3, 6, 7));
}

#endif
