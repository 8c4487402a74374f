/* SPDX-License-Identifier: Apache-2.0 */
/* What the Winograd templates and their kernels agree on. Private to ops/conv_winograd*. */
#ifndef GT_OPS_CONV_WINOGRAD_H
#define GT_OPS_CONV_WINOGRAD_H

#include "ops/conv_common.h"
#include "ops/kernels.h"

/* ---- the multiplication's register tile ---- */

/* Two register tiles: two vectors wide and tall, or four vectors wide. Their rows, by the lanes of a vector: sums, a row of B and
 * what A needs must fit the 32 (AVX-512, NEON) or 16 (AVX2, SSE) registers. */
enum { GT_WINOGRAD_TALL, GT_WINOGRAD_WIDE, GT_WINOGRAD_TILES };
#define GT_WINOGRAD_TALL_16 12
#define GT_WINOGRAD_WIDE_16 6
#define GT_WINOGRAD_TALL_8 6
#define GT_WINOGRAD_WIDE_8 3
#if defined(__aarch64__)
#define GT_WINOGRAD_TALL_4 8
#define GT_WINOGRAD_WIDE_4 5
#else
#define GT_WINOGRAD_TALL_4 4
#define GT_WINOGRAD_WIDE_4 2
#endif
#define GT_WINOGRAD_MAX_ROWS 12

/* The groups of rows that meet a panel: each of A is [depth / 4][rows][4], each of C [rows][width]. */
typedef struct gt_i_winograd_groups {
    int64_t count;
    int64_t a_next; /* from one group of A to the next; those of C follow one another */
    int64_t depth;  /* a multiple of 4 and not 0 */
    bool accumulate;
} gt_i_winograd_groups;

/* C = (accumulate ? C : 0) + A B for B as [depth][width]. */
typedef void (*gt_i_winograd_tile_fn)(float *c, const float *a, const float *b, const gt_i_winograd_groups *groups);

/* By log2 of the vectors and rows - 1. */
typedef struct gt_i_winograd_tile {
    gt_i_winograd_tile_fn fn[3][GT_WINOGRAD_MAX_ROWS];
} gt_i_winograd_tile;

extern const gt_i_winograd_tile gt_winograd_tile_base[GT_WINOGRAD_TILES];
extern const gt_i_winograd_tile gt_winograd_tile_avx2[GT_WINOGRAD_TILES];
extern const gt_i_winograd_tile gt_winograd_tile_avx512[GT_WINOGRAD_TILES];

/* The vectors of the panel that begins where `left` vectors of a block remain: 4, 2 or 1. */
static inline int64_t gt_i_winograd_panel(int64_t vectors, int64_t left)
{
    return left >= vectors ? vectors : left >= 2 ? 2 : 1;
}

/* ---- the convolution ---- */

/* The output of an m x m tile needs an (m+2) x (m+2) patch of the input, transformed into as many points.
 *
 *   V[point][group of tiles][channel / 4][tile][4]   transformed input
 *   U[oc block][point][panel][channel][width]        transformed weights, packed ahead; then the bias
 *   M[point][panel][tile][width]                     their product for one block of tiles and one of output channels
 *
 * With `on_the_fly` the filters themselves are packed, [oc block][panel][channel][9][width], and a part of a panel at a time
 * is transformed: a quarter (F4) of the memory traffic for some more arithmetic. Points are `v_point`, `m_point` and (of such
 * parts) `u_point` floats apart, a little more than they need: the transforms write one vector per point, and a power of two
 * between them would put all into the same cache set. */
typedef struct gt_i_winograd {
    gt_i_conv conv;
    int64_t m, points;
    int64_t tiles_y, tiles_x, tiles; /* over the whole batch */
    int64_t group;                   /* tiles of one register tile; the last group may be smaller */
    int64_t tile_block, tile_blocks; /* tiles per block, a multiple of `group` */
    bool fused; /* all work per block of tiles, otherwise all input first, then the rest per block of output channels */
    bool on_the_fly;
    int64_t tile;                /* GT_WINOGRAD_TALL or _WIDE */
    int64_t vectors, lanes;      /* a panel's width in vectors, a vector's in floats */
    int64_t in_lanes, out_lanes; /* of the transforms' vectors, at most a layout's block */
    int64_t in_lane_stride, out_lane_stride; /* between neighbouring channels of one pixel */
    int64_t depth;               /* C rounded up to 4 */
    int64_t v_depth;             /* C rounded up to `in_lanes`: what the transform writes */
    int64_t v_point, m_point, u_point;
    int64_t columns;             /* K rounded up to `lanes` */
    int64_t oc_block, oc_blocks;
    int64_t chunk;               /* channels whose filters are transformed together */
    /* Offsets in a thread's scratch, in floats. */
    int64_t m_at, column_at, strip_at, filter_at;
    int64_t bias_at; /* in the packed constants, in floats */
} gt_i_winograd;

/* Packs the weights [k][c][3][3] as above (`to` is zeroed). */
void gt_i_winograd_pack(const gt_i_winograd *p, float *to, const float *weights);

#endif
