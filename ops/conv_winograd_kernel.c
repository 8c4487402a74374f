/* SPDX-License-Identifier: Apache-2.0 */
/* Winograd's minimal filtering F(m x m, 3 x 3), m = 2, 4, 6 (Lavin and Gray, "Fast Algorithms for Convolutional Neural
 * Networks", CVPR 2016, arXiv:1509.09308), with the points of ops/conv_winograd_points.h. */
#include "ops/conv_winograd.h"
#include "ops/conv_winograd_pixels.h"
#include "ops/conv_winograd_points.h"

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8")

/* What a block of B may take of a first-level cache while A's groups pass by. */
#define NEAR_FLOATS 4096

typedef struct tile_fns {
    void (*input)(const gt_i_winograd *p, float *v, float *scratch, const float *in, int64_t tile, int64_t count);
    void (*filters)(float *u, int64_t u_point, const float *g, int64_t width, int64_t channels);
    void (*output)(const gt_i_winograd *p, const target *all, const float *bias, const float *m, int64_t width,
                   int64_t tile, int64_t count, int64_t first, int64_t last);
} tile_fns;

/* Epilogues that are applied to the outputs in registers. Without an activation, before is after. */
static inline bool is_simple(const gt_epilogue *e)
{
    return e->act == GT_FN_NONE || (e->act == GT_FN_RELU && e->residual != GT_RESIDUAL_AFTER);
}

#define GT_M 2
#define GT_W 4
#include "ops/conv_winograd_tile.h"
#undef GT_W
#if GT_VL >= 8
#define GT_W 8
#include "ops/conv_winograd_tile.h"
#undef GT_W
#endif
#if GT_VL >= 16
#define GT_W 16
#include "ops/conv_winograd_tile.h"
#undef GT_W
#endif
#undef GT_M
#define GT_M 4
#define GT_W 4
#include "ops/conv_winograd_tile.h"
#undef GT_W
#if GT_VL >= 8
#define GT_W 8
#include "ops/conv_winograd_tile.h"
#undef GT_W
#endif
#if GT_VL >= 16
#define GT_W 16
#include "ops/conv_winograd_tile.h"
#undef GT_W
#endif
#undef GT_M
#define GT_M 6
#define GT_W 4
#include "ops/conv_winograd_tile.h"
#undef GT_W
#if GT_VL >= 8
#define GT_W 8
#include "ops/conv_winograd_tile.h"
#undef GT_W
#endif
#if GT_VL >= 16
#define GT_W 16
#include "ops/conv_winograd_tile.h"
#undef GT_W
#endif
#undef GT_M

/* By lanes / 8 and m / 2 - 1. */
static const tile_fns *const fns[3][3] = {
    {&fns_4x2, &fns_4x4, &fns_4x6},
#if GT_VL >= 8
    {&fns_8x2, &fns_8x4, &fns_8x6},
#endif
#if GT_VL >= 16
    {&fns_16x2, &fns_16x4, &fns_16x6},
#endif
};

/* `count` tiles from `first` on into V, a row of tiles at a time. */
static void input_tiles(const gt_i_winograd *p, float *v, const gt_args *a, int64_t first, int64_t count)
{
    const tile_fns *f = fns[p->in_lanes / 8][p->m / 2 - 1];
    for (int64_t end = first + count, run; first < end; first += run) {
        run = gt_i_min(p->tiles_x - first % p->tiles_x, end - first);
        f->input(p, v, a->scratch, a->in[0], first, run);
    }
}

/* A block of the output: `tiles` from `first` on, of block number `oc_block` of the output channels. V begins at its first
 * tile, M and U at its first element. */
typedef struct block {
    const float *v, *u;
    float *m;
    int64_t first, tiles, oc_block, columns;
} block;

/* Channels [c, c + depth) of one point for tiles [begin, end) and a panel that begins in column j. */
static void multiply_panel(const gt_i_winograd *p, const block *b, int64_t point, const float *panel, int64_t vectors,
                           int64_t j, int64_t c, int64_t depth, int64_t begin, int64_t end)
{
    const gt_i_winograd_tile_fn *fn = GT_KERNEL_FN(winograd_tile)[p->tile].fn[vectors / 2];
    const float *v = b->v + point * p->v_point;
    float *m = b->m + point * p->m_point + j * p->tile_block;
    int64_t width = vectors * GT_VL, count = (end - begin) / p->group, rest = begin + count * p->group;
    gt_i_winograd_groups groups = {count, p->group * p->v_depth, depth, c > 0};
    if (count > 0) {
        fn[p->group - 1](m + begin * width, v + begin * p->v_depth + c * p->group, panel, &groups);
    }
    if (rest < end) {
        groups.count = 1;
        fn[end - rest - 1](m + rest * width, v + rest * p->v_depth + c * (end - rest), panel, &groups);
    }
}

/* Channels [c, c + depth) of one point; u holds the point's panels, of `u_depth` channels each. What is small stays in the
 * first-level cache: the tiles, and each panel meets all of them, or else the weights, and each group of tiles meets all of
 * those. */
static void multiply(const gt_i_winograd *p, const block *b, int64_t point, const float *u, int64_t u_depth, int64_t c,
                     int64_t depth)
{
    bool by_group = b->tiles * depth > NEAR_FLOATS && b->columns * depth <= NEAR_FLOATS;
    int64_t step = by_group ? p->group : b->tiles, vectors;
    for (int64_t t = 0; t < b->tiles; t += step) {
        for (int64_t j = 0; j < b->columns; j += vectors * GT_VL) {
            vectors = gt_i_winograd_panel(p->vectors, (b->columns - j) / GT_VL);
            multiply_panel(p, b, point, u + j * u_depth, vectors, j, c, depth, t, gt_i_min(t + step, b->tiles));
        }
    }
}

/* All points with weights that are transformed on the way, a chunk of channels at a time. */
static void multiply_filters(const gt_i_winograd *p, const block *b, float *u)
{
    const tile_fns *f = fns[GT_VL / 8][p->m / 2 - 1];
    int64_t vectors;
    for (int64_t c = 0; c < p->depth; c += p->chunk) {
        int64_t depth = gt_i_min(p->chunk, p->depth - c);
        for (int64_t j = 0; j < b->columns; j += vectors * GT_VL) {
            vectors = gt_i_winograd_panel(p->vectors, (b->columns - j) / GT_VL);
            int64_t width = vectors * GT_VL;
            f->filters(u + j * p->chunk, p->u_point, b->u + (j * p->depth + c * width) * 9, width, depth);
        }
        for (int64_t point = 0; point < p->points; point++) {
            multiply(p, b, point, u + point * p->u_point, p->chunk, c, depth);
        }
    }
}

/* Channels [first, last) of the block for all its tiles, whose rows in M are `width` long. */
static void output_tiles(const gt_i_winograd *p, const gt_args *a, const block *b, const float *m, int64_t width,
                         int64_t first, int64_t last)
{
    const tile_fns *f = fns[p->out_lanes / 8][p->m / 2 - 1];
    const float *bias = (const float *)a->packed + p->bias_at;
    target all = {.to = a->out, .residual = p->conv.residual ? a->in[3] : NULL};
    for (int64_t t = 0, run; t < b->tiles; t += run) {
        run = gt_i_min(p->tiles_x - (b->first + t) % p->tiles_x, b->tiles - t);
        f->output(p, &all, bias, m + t * width, width, b->first + t, run, first, last);
    }
}

/* Panel by panel; then what a layout's last block has beyond the columns. */
static void output_block(const gt_i_winograd *p, const gt_args *a, const block *b)
{
    int64_t begin = b->oc_block * p->oc_block, stored = p->conv.y.blocks * p->conv.y.block, vectors;
    for (int64_t j = 0; j < b->columns; j += vectors * GT_VL) {
        vectors = gt_i_winograd_panel(p->vectors, (b->columns - j) / GT_VL);
        int64_t width = vectors * GT_VL;
        output_tiles(p, a, b, b->m + j * p->tile_block, width, begin + j, gt_i_min(begin + j + width, stored));
    }
    if (b->oc_block + 1 == p->oc_blocks && p->columns < stored) {
        output_tiles(p, a, b, b->m, 0, p->columns, stored);
    }
}

/* Everything after the input's transform; `v` begins at tile `first`. */
static void run_block(const gt_i_winograd *p, const gt_args *a, const float *v, int64_t first, int64_t oc_block)
{
    float *scratch = a->scratch;
    int64_t column = oc_block * p->oc_block;
    block b = {v, (const float *)a->packed + column * p->depth * (p->on_the_fly ? 9 : p->points), scratch + p->m_at,
               first, gt_i_min(p->tile_block, p->tiles - first), oc_block, gt_i_min(p->oc_block, p->columns - column)};
    if (p->on_the_fly) {
        multiply_filters(p, &b, scratch + p->filter_at);
    } else {
        for (int64_t point = 0; point < p->points; point++) {
            multiply(p, &b, point, b.u + point * p->depth * b.columns, p->depth, 0, p->depth);
        }
    }
    output_block(p, a, &b);
}

static void run_fused(const gt_i_winograd *p, const gt_args *a, int64_t task)
{
    float *v = a->scratch;
    int64_t first = task * p->tile_block;
    input_tiles(p, v, a, first, gt_i_min(p->tile_block, p->tiles - first));
    for (int64_t b = 0; b < p->oc_blocks; b++) {
        run_block(p, a, v, first, b);
    }
}

static void run_phase(const gt_i_winograd *p, const gt_args *a, int phase, int64_t task)
{
    float *v = a->shared;
    if (phase == 0) {
        input_tiles(p, v, a, task * p->tiles_x, p->tiles_x);
        return;
    }
    for (int64_t first = 0; first < p->tiles; first += p->tile_block) {
        run_block(p, a, v + first * p->v_depth, first, task);
    }
}

void GT_KERNEL_FN(conv2d_winograd_f32)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    const gt_i_winograd *p = k->params;
    for (int64_t task = begin; task < end; task++) {
        if (p->fused) {
            run_fused(p, a, task);
        } else {
            run_phase(p, a, phase, task);
        }
    }
}
