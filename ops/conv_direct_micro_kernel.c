/* SPDX-License-Identifier: Apache-2.0 */
/* The register tiles of conv2d.direct. */
#include "ops/conv_direct.h"
#include "ops/kernels.h"
#include "ops/simd.h"

#define UNROLL _Pragma("GCC unroll 16")

/* One value, or 4 that lie side by side, at one position, indexed by value. NEON multiplies by a lane of a register,
 * so 4 are loaded at once, and stepping a pointer costs least; x86 broadcasts each from memory for free. */
#if defined(__aarch64__)
typedef gt_v4 input_x;
#define input_load(p, t, step, values) ((values) == 1 ? (gt_v4){*(p)} : gt_v4_load(p))
#define input_advance(p, step) ((p) += (step))
#else
typedef const float *input_x;
#define input_load(p, t, step, values) ((p) + (t) * (step))
#define input_advance(p, step) ((void)0)
#endif

/* M(vectors, positions) for every register tile that some instruction set has the registers for. */
#define MICRO_SHAPES(M)                                                                                    \
    M(1, 1) M(1, 2) M(1, 3) M(1, 4) M(1, 5) M(1, 6) M(1, 7) M(1, 8) M(1, 9) M(1, 10) M(1, 11) M(1, 12)    \
    M(1, 13) M(1, 14)                                                                                      \
    M(2, 1) M(2, 2) M(2, 3) M(2, 4) M(2, 5) M(2, 6) M(2, 7) M(2, 8) MICRO_SHAPES_2(M)                      \
    M(3, 1) M(3, 2) M(3, 3) M(3, 4) M(3, 5) M(3, 6) M(3, 7)                                                \
    M(4, 1) M(4, 2) M(4, 3) M(4, 4) M(4, 5) MICRO_SHAPES_4(M)
#if GT_VL == 4
#define MICRO_SHAPES_2(M)
#define MICRO_SHAPES_4(M)
#else
#define MICRO_SHAPES_2(M) M(2, 9) M(2, 10) M(2, 11) M(2, 12) M(2, 13) M(2, 14)
#define MICRO_SHAPES_4(M) M(4, 6) M(4, 7)
#endif

#define GT_W 4
#include "ops/conv_direct_width.h"
#undef GT_W
#if GT_VL >= 8
#define GT_W 8
#include "ops/conv_direct_width.h"
#undef GT_W
#endif
#if GT_VL >= 16
#define GT_W 16
#include "ops/conv_direct_width.h"
#undef GT_W
#endif

const gt_i_direct_width *const GT_KERNEL_FN(conv_direct_widths)[GT_I_DIRECT_WIDTHS] = {
    [4] = &gt_v4_width,
#if GT_VL >= 8
    [8] = &gt_v8_width,
#endif
#if GT_VL >= 16
    [16] = &gt_v16_width,
#endif
};
