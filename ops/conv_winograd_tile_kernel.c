/* SPDX-License-Identifier: Apache-2.0 */
/* The register tiles of ops/conv_winograd.h. A and B are read from one pointer each, front to back. */
#include "ops/conv_winograd.h"
#include "ops/simd.h"

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 24")

#if defined(__aarch64__)

/* The instruction itself: of `sum + y * x[lane]` GCC 12 makes it as well, but lets sums change registers in the loop, in up to
 * 16 moves per 64 multiply-adds. */
#define FMLA(lane) __asm__("fmla %0.4s, %1.4s, %2.s[" #lane "]" : "+w"(sum) : "w"(y), "w"(x))

INLINE gt_v4 multiply_add(gt_v4 sum, gt_v4 y, gt_v4 x, const int lane)
{
    switch (lane) {
    case 0: FMLA(0); break;
    case 1: FMLA(1); break;
    case 2: FMLA(2); break;
    default: FMLA(3); break;
    }
    return sum;
}

#elif GT_VL == 4

INLINE gt_v4 multiply_add(gt_v4 sum, gt_v4 y, gt_v4 x, const int lane)
{
    return sum + y * x[lane];
}

#endif

#if GT_VL == 4

/* Four channels: a row's are loaded at once and multiplied lane by lane. `fresh`: the sums begin with the first product. */
INLINE void four_steps(gt_v4 acc[GT_WINOGRAD_MAX_ROWS][4], const float *a, const float *b, const int rows,
                       const int vectors, const bool fresh)
{
    gt_v4 x[GT_WINOGRAD_MAX_ROWS];
    UNROLL
    for (int i = 0; i < rows; i++) {
        x[i] = gt_v4_load(a + i * 4);
    }
    UNROLL
    for (int l = 0; l < 4; l++) {
        gt_v4 y[4];
        UNROLL
        for (int v = 0; v < vectors; v++) {
            y[v] = gt_v4_load(b + (l * vectors + v) * 4);
        }
        UNROLL
        for (int i = 0; i < rows; i++) {
            UNROLL
            for (int v = 0; v < vectors; v++) {
                acc[i][v] = fresh && l == 0 ? y[v] * x[i][l] : multiply_add(acc[i][v], y[v], x[i], l);
            }
        }
    }
}

#else

INLINE void four_steps(gt_vn acc[GT_WINOGRAD_MAX_ROWS][4], const float *a, const float *b, const int rows,
                       const int vectors, const bool fresh)
{
    UNROLL
    for (int l = 0; l < 4; l++) {
        gt_vn y[4];
        UNROLL
        for (int v = 0; v < vectors; v++) {
            y[v] = gt_vn_load(b + (l * vectors + v) * GT_VL);
        }
        UNROLL
        for (int i = 0; i < rows; i++) {
            gt_vn x = gt_vn_set1(a[i * 4 + l]);
            UNROLL
            for (int v = 0; v < vectors; v++) {
                acc[i][v] = fresh && l == 0 ? y[v] * x : acc[i][v] + y[v] * x;
            }
        }
    }
}

#endif

INLINE void tile(float *c, const float *a, const float *b, const gt_i_winograd_groups *groups, const int rows,
                 const int vectors)
{
    const int64_t skip = groups->a_next - groups->depth * rows, count = groups->count;
    const float *end = b + groups->depth * vectors * GT_VL;
    for (int64_t g = 0; g < count; g++, a += skip, c += rows * vectors * GT_VL) {
        gt_vn acc[GT_WINOGRAD_MAX_ROWS][4];
        const float *row = b;
        GT_FORGET(row); /* or B's first rows would be kept over all groups, in memory */
        if (groups->accumulate) {
            UNROLL
            for (int i = 0; i < rows * vectors; i++) {
                acc[i / vectors][i % vectors] = gt_vn_load(c + i * GT_VL);
            }
            four_steps(acc, a, row, rows, vectors, false);
        } else {
            four_steps(acc, a, row, rows, vectors, true);
        }
        for (a += rows * 4, row += 4 * vectors * GT_VL; row < end; a += rows * 4, row += 4 * vectors * GT_VL) {
            four_steps(acc, a, row, rows, vectors, false);
        }
        UNROLL
        for (int i = 0; i < rows * vectors; i++) {
            gt_vn_store(c + i * GT_VL, acc[i / vectors][i % vectors]);
        }
    }
}

#define TILE(rows, vectors)                                                                                            \
    static void tile_##rows##x##vectors(float *c, const float *a, const float *b, const gt_i_winograd_groups *groups)  \
    {                                                                                                                  \
        tile(c, a, b, groups, rows, vectors);                                                                          \
    }

#define TILES_2(v) TILE(1, v) TILE(2, v)
#define TILES_3(v) TILES_2(v) TILE(3, v)
#define TILES_4(v) TILES_3(v) TILE(4, v)
#define TILES_5(v) TILES_4(v) TILE(5, v)
#define TILES_6(v) TILES_5(v) TILE(6, v)
#define TILES_8(v) TILES_6(v) TILE(7, v) TILE(8, v)
#define TILES_12(v) TILES_8(v) TILE(9, v) TILE(10, v) TILE(11, v) TILE(12, v)

#define NAMES_2(v) tile_1x##v, tile_2x##v
#define NAMES_3(v) NAMES_2(v), tile_3x##v
#define NAMES_4(v) NAMES_3(v), tile_4x##v
#define NAMES_5(v) NAMES_4(v), tile_5x##v
#define NAMES_6(v) NAMES_5(v), tile_6x##v
#define NAMES_8(v) NAMES_6(v), tile_7x##v, tile_8x##v
#define NAMES_12(v) NAMES_8(v), tile_9x##v, tile_10x##v, tile_11x##v, tile_12x##v

#define TALL GT_PASTE(GT_WINOGRAD_TALL_, GT_VL)
#define WIDE GT_PASTE(GT_WINOGRAD_WIDE_, GT_VL)
#define DEFINE(rows) GT_PASTE(TILES_, rows)
#define NAMES(rows) GT_PASTE(NAMES_, rows)

DEFINE(TALL)(1)
DEFINE(TALL)(2)
DEFINE(WIDE)(4)

const gt_i_winograd_tile GT_KERNEL_FN(winograd_tile)[GT_WINOGRAD_TILES] = {
    [GT_WINOGRAD_TALL] = {{{NAMES(TALL)(1)}, {NAMES(TALL)(2)}, {NULL}}},
    [GT_WINOGRAD_WIDE] = {{{NAMES(WIDE)(1)}, {NAMES(WIDE)(2)}, {NAMES(WIDE)(4)}}},
};
