/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d.winograd_f2, _f4 and _f6: 3x3 convolutions with stride 1 through Winograd's minimal filtering.
 * ops/conv_winograd_kernel.c names the papers. */
#include "ops/conv_winograd.h"

#include "src/base/memory.h"

#include <string.h>

enum { KNOB_PHASES, KNOB_TILE_BLOCK, KNOB_OC_BLOCK, KNOB_VECTORS, KNOB_FILTER_ELEMS };

/* Workspaces that no plan would want: the transformed input of all tiles at once, or what one block takes. */
#define MAX_SHARED_FLOATS ((int64_t)64 << 20)
#define MAX_BLOCK_FLOATS ((int64_t)2 << 20)

/* Half a second-level cache of 512 KiB, in floats: what the default block takes where its weights stay in the cache as well. */
#define HALF_CACHE_FLOATS ((int64_t)64 << 10)

/* What filters that are transformed on the way may take. A few tiles use each only a few times: then they should hardly leave
 * the first-level cache. Many tiles' sums should be read and written only a few times: then they may. */
#define NEAR_CHUNK_FLOATS 7168
#define FAR_CHUNK_FLOATS 24576
#define FEW_TILES 8

static const int64_t tile_blocks[] = {12, 16, 24, 32, 48, 64, 96, 128, 192, 256};
#define N_TILE_BLOCKS ((int)(sizeof tile_blocks / sizeof *tile_blocks))

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    const gt_shape *weight = &w->inputs[1].shape;
    bool window = weight->dim[2] == 3 && weight->dim[3] == 3;
    bool unit = w->attrs.conv.stride[0] == 1 && w->attrs.conv.stride[1] == 1 &&
                w->attrs.conv.dilation[0] == 1 && w->attrs.conv.dilation[1] == 1 && w->attrs.conv.groups == 1;
    bool residual = w->epilogue.residual != GT_RESIDUAL_NONE;
    bool constant = w->inputs[0].constant || (residual && w->inputs[3].constant);
    bool layouts = in == out || (gt_layout_is_blocked(in) && gt_layout_is_blocked(out));
    return window && unit && !constant && layouts;
}

static int64_t count_tiles(const gt_workload *w, int64_t m)
{
    const int64_t *dim = w->output.shape.dim;
    return dim[0] * gt_i_div_up(dim[2], m) * gt_i_div_up(dim[3], m);
}

/* V and M of `tiles` tiles. */
static int64_t v_floats(const gt_workload *w, int64_t m, int64_t tiles)
{
    return tiles * (m + 2) * (m + 2) * w->inputs[0].shape.dim[1];
}

static int64_t m_floats(int64_t m, int64_t tiles, int64_t oc_block)
{
    return tiles * (m + 2) * (m + 2) * oc_block;
}

static int64_t weight_floats(const gt_workload *w, int64_t m)
{
    return (m + 2) * (m + 2) * w->inputs[0].shape.dim[1] * w->output.shape.dim[1];
}

/* One phase reads the transformed weights once per block of tiles, two phases once: that pays once the weights outgrow the
 * cache, as long as the tiles do not. */
static bool default_fused(const gt_workload *w, int64_t m)
{
    int64_t tiles = v_floats(w, m, count_tiles(w, m)), weights = weight_floats(w, m);
    return tiles > MAX_SHARED_FLOATS || weights < 4 * HALF_CACHE_FLOATS || weights < tiles;
}

/* The largest block that the cache holds. */
static int64_t default_tile_block(const gt_workload *w, int64_t m, int n, bool fused)
{
    int64_t room = weight_floats(w, m) < 4 * HALF_CACHE_FLOATS || !fused ? HALF_CACHE_FLOATS : 2 * HALF_CACHE_FLOATS;
    int64_t best = tile_blocks[0];
    for (int i = 0; i < n; i++) {
        int64_t floats = (fused ? v_floats(w, m, tile_blocks[i]) : 0) + m_floats(m, tile_blocks[i], 32);
        best = floats <= room ? tile_blocks[i] : best;
    }
    return best;
}

static void fill_space(const gt_workload *w, int64_t m, gt_space *space)
{
    int64_t tiles = count_tiles(w, m), k = w->output.shape.dim[1], points = (m + 2) * (m + 2);
    bool fused = default_fused(w, m), on_the_fly = weight_floats(w, m) >= 4 * HALF_CACHE_FLOATS;
    int n = 1;
    while (n < N_TILE_BLOCKS && tile_blocks[n - 1] < tiles) {
        n++;
    }
    gt_i_knob_add(gt_i_knob_begin(space, "phases", fused ? 1 : 2), fused ? 2 : 1);
    gt_knob *block = gt_i_knob_begin(space, "tile_block", default_tile_block(w, m, n, fused));
    for (int i = 0; i < n; i++) {
        gt_i_knob_add(block, tile_blocks[i]);
    }
    gt_knob *oc = gt_i_knob_begin(space, "oc_block", 32);
    for (int64_t size = 16; size < 2 * k && size <= 256; size *= 2) {
        gt_i_knob_add(oc, size);
    }
    gt_i_knob_add(gt_i_knob_begin(space, "vectors", 2), 4);
    gt_i_knob_add(gt_i_knob_begin(space, "filter_elems", on_the_fly ? 9 : points), on_the_fly ? points : 9);
}

static bool is_valid(const gt_workload *w, int64_t m, const gt_config *config)
{
    int64_t tile_block = config->value[KNOB_TILE_BLOCK];
    int64_t block = m_floats(m, tile_block, config->value[KNOB_OC_BLOCK]);
    if (config->value[KNOB_PHASES] == 1) {
        block += v_floats(w, m, tile_block);
    } else if (v_floats(w, m, count_tiles(w, m)) > MAX_SHARED_FLOATS) {
        return false;
    }
    return tile_block == tile_blocks[0] || block <= MAX_BLOCK_FLOATS;
}

/* ---- preparing ---- */

/* An odd number of cache lines, at least `floats`. */
static int64_t spread(int64_t floats)
{
    int64_t lines = gt_i_div_up(floats, 16);
    return (lines + (lines % 2 == 0)) * 16;
}

static int64_t tile_lanes(const gt_strides *s, int64_t channels, gt_isa isa)
{
    int64_t lanes = gt_i_conv_lanes(s, isa);
    while (s->block == 1 && lanes > 4 && lanes / 2 >= channels) {
        lanes /= 2;
    }
    return lanes;
}

static int64_t tile_rows(int64_t tile, gt_isa isa)
{
    static const int64_t rows[GT_ISA_COUNT][GT_WINOGRAD_TILES] = {
        [GT_ISA_BASE] = {GT_WINOGRAD_TALL_4, GT_WINOGRAD_WIDE_4},
        [GT_ISA_AVX2] = {GT_WINOGRAD_TALL_8, GT_WINOGRAD_WIDE_8},
        [GT_ISA_AVX512] = {GT_WINOGRAD_TALL_16, GT_WINOGRAD_WIDE_16},
    };
    return rows[isa][tile];
}

static void init_tiles(gt_i_winograd *p, const gt_kernel *k, gt_isa isa)
{
    p->tiles_y = gt_i_div_up(p->conv.oh, p->m);
    p->tiles_x = gt_i_div_up(p->conv.ow, p->m);
    p->tiles = p->conv.n * p->tiles_y * p->tiles_x;
    p->tile = k->config.value[KNOB_VECTORS] == 4 ? GT_WINOGRAD_WIDE : GT_WINOGRAD_TALL;
    p->vectors = k->config.value[KNOB_VECTORS];
    p->group = gt_i_div_up(p->tiles, gt_i_div_up(p->tiles, tile_rows(p->tile, isa)));
    /* Blocks of equal size: a last block of one tile would read all weights for it. */
    int64_t blocks = gt_i_div_up(p->tiles, k->config.value[KNOB_TILE_BLOCK]);
    p->tile_block = gt_i_round_up(gt_i_div_up(p->tiles, blocks), p->group);
    p->tile_blocks = gt_i_div_up(p->tiles, p->tile_block);
}

static void init_channels(gt_i_winograd *p, const gt_kernel *k, gt_isa isa)
{
    p->lanes = gt_i_isa_lanes(isa);
    p->in_lanes = tile_lanes(&p->conv.x, p->conv.c, isa);
    p->out_lanes = tile_lanes(&p->conv.y, p->conv.k, isa);
    p->in_lane_stride = k->in == GT_NCHW ? p->conv.x.block_stride : 1;
    p->out_lane_stride = k->out == GT_NCHW ? p->conv.y.block_stride : 1;
    p->depth = gt_i_round_up(p->conv.c, 4);
    p->v_depth = gt_i_round_up(p->conv.c, p->in_lanes);
    p->columns = gt_i_round_up(p->conv.k, p->lanes);
    /* Blocks end where both a layout's block and a panel do. */
    p->oc_block = gt_i_round_up(k->config.value[KNOB_OC_BLOCK], gt_i_max(16, p->lanes * p->vectors));
    p->oc_block = gt_i_min(p->oc_block, gt_i_round_up(p->columns, 16));
    p->oc_blocks = gt_i_div_up(p->columns, p->oc_block);
}

/* Strides of V and M, and where everything lies in the scratch, whose size is returned. */
static int64_t init_memory(gt_i_winograd *p)
{
    int64_t column_floats = gt_i_round_up((p->tiles_x * p->m + 2) * (p->m + 2) * p->in_lanes, 16);
    p->v_point = spread((p->fused ? p->tile_block : p->tiles) * p->v_depth);
    p->m_point = spread(p->tile_block * p->oc_block);
    int64_t chunk = (p->tile_block <= FEW_TILES ? NEAR_CHUNK_FLOATS : FAR_CHUNK_FLOATS) / (p->points * p->oc_block);
    p->chunk = gt_i_min(p->depth, gt_i_max(4, chunk / 4 * 4));
    p->u_point = spread(p->chunk * p->oc_block);
    p->m_at = p->fused ? p->points * p->v_point : 0;
    p->column_at = p->m_at + p->points * p->m_point;
    p->strip_at = p->column_at + column_floats;
    p->filter_at = p->strip_at + column_floats;
    return p->filter_at + (p->on_the_fly ? p->points * p->u_point : 0);
}

static void pack(const gt_i_winograd *p, gt_kernel *k, const void *const *consts)
{
    memset(k->packed, 0, k->packed_bytes);
    gt_i_winograd_pack(p, k->packed, consts[1]);
    if (p->conv.bias) {
        memcpy((float *)k->packed + p->bias_at, consts[2], (size_t)p->conv.k * sizeof(float));
    }
}

static gt_status prepare(gt_kernel *k, int64_t m, const void *const *consts, gt_isa isa)
{
    gt_status status = GT_OK;
    gt_i_winograd *p = NULL;
    GT_TRY(gt_calloc(&k->params, 1, sizeof *p));
    p = k->params;
    gt_i_conv_init(&p->conv, k->workload, k->in, k->out);
    p->m = m;
    p->points = (m + 2) * (m + 2);
    p->fused = k->config.value[KNOB_PHASES] == 1;
    p->on_the_fly = k->config.value[KNOB_FILTER_ELEMS] == 9;
    init_tiles(p, k, isa);
    init_channels(p, k, isa);
    k->thread_bytes = (size_t)init_memory(p) * sizeof(float);
    k->shared_bytes = p->fused ? 0 : (size_t)(p->points * p->v_point) * sizeof(float);
    p->bias_at = gt_i_round_up((p->on_the_fly ? 9 : p->points) * p->depth * p->columns, 16);
    GT_TRY(gt_i_kernel_room(k, (size_t)(p->bias_at + gt_i_round_up(p->conv.k, 16)) * sizeof(float)));
    if (k->adopted == NULL) {
        pack(p, k, consts);
    }
    k->n_phases = p->fused ? 1 : 2;
    k->tasks[0] = p->fused ? p->tile_blocks : p->conv.n * p->tiles_y;
    k->tasks[1] = p->oc_blocks;
    k->run = gt_i_kernel(GT_K_conv2d_winograd_f32, isa);
done:
    return status;
}

/* ---- the templates ---- */

#define WINOGRAD(m)                                                                                          \
    static void space_f##m(const gt_workload *w, gt_layout in, gt_layout out, gt_space *space)               \
    {                                                                                                        \
        (void)in;                                                                                            \
        (void)out;                                                                                           \
        fill_space(w, m, space);                                                                             \
    }                                                                                                        \
    static bool valid_f##m(const gt_workload *w, gt_layout in, gt_layout out, const gt_config *config)       \
    {                                                                                                        \
        (void)in;                                                                                            \
        (void)out;                                                                                           \
        return is_valid(w, m, config);                                                                       \
    }                                                                                                        \
    static gt_status prepare_f##m(gt_kernel *k, const void *const *consts, gt_isa isa)                       \
    {                                                                                                        \
        return prepare(k, m, consts, isa);                                                                   \
    }                                                                                                        \
    const gt_template gt_i_template_conv2d_winograd_f##m = {                                                 \
        .name = "conv2d.winograd_f" #m,                                                                      \
        .kind = GT_OP_CONV2D,                                                                                \
        .rev = 2,                                                                                            \
        .supports = supports,                                                                                \
        .space = space_f##m,                                                                                 \
        .valid = valid_f##m,                                                                                 \
        .prepare = prepare_f##m,                                                                             \
    };

WINOGRAD(2)
WINOGRAD(4)
WINOGRAD(6)
