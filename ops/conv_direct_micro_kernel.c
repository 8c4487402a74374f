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

/* MICRO_RUN(...): a micro-kernel, run_name, of the functions of its width. */
#if !defined(__x86_64__) || GT_VL == 16
#define MICRO_RUN(inline_run, end_stored, run_name, tile_name, v, t) \
    static void run_name(const gt_i_direct_run *run)                 \
    {                                                                \
        inline_run(run, run->count, v, t, true);                     \
    }
#else
#define LONG_REDUCTION 24
/* With 16 registers, a loop around the tile and the ends behind it cost spills in the reduction. Where that is long, each tile
 * is a call, and its end reads what it stored. */
#define MICRO_RUN(inline_run, end_stored, run_name, tile_name, v, t)                     \
    static __attribute__((noinline)) void tile_name(const gt_i_direct_run *run)          \
    {                                                                                    \
        inline_run(run, 1, v, t, false);                                                 \
    }                                                                                    \
    static void run_name(const gt_i_direct_run *run)                                     \
    {                                                                                    \
        gt_i_direct_run tile = *run;                                                     \
        if (values(run) < LONG_REDUCTION) {                                              \
            inline_run(run, run->count, v, t, true);                                     \
            return;                                                                      \
        }                                                                                \
        for (; tile.count > 0; next_tile(&tile)) {                                       \
            tile_name(&tile);                                                            \
            end_stored(&tile, v, t);                                                     \
        }                                                                                \
    }

static inline int64_t values(const gt_i_direct_run *run)
{
    return (run->quad_end - run->quad_begin) * GT_I_DIRECT_QUAD + (run->one_end - run->one_begin);
}

static inline void next_tile(gt_i_direct_run *run)
{
    run->count--;
    run->origin += run->x_next;
    run->quad_weights += run->weights_next;
    run->one_weights += run->weights_next;
    run->from += run->from_next;
    run->y += run->y_next;
    run->z += run->z != NULL ? run->y_next : 0;
}
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
