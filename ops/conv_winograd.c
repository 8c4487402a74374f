/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d.winograd_f2 and conv2d.winograd_f4: 3x3 convolutions with stride 1 through Winograd's minimal
 * filtering. ops/conv_winograd_kernel.c names the papers. */
#include "ops/conv_winograd.h"

#include "src/base/memory.h"

#include <math.h>
#include <string.h>

enum { KNOB_PHASES, KNOB_TILE_BLOCK, KNOB_OC_BLOCK, KNOB_VECTORS };

/* Workspaces that no plan would want: the transformed tensors of all tiles at once, or of one block. */
#define MAX_SHARED_FLOATS ((int64_t)64 << 20)
#define MAX_BLOCK_FLOATS ((int64_t)2 << 20)

/* What the default block of tiles may take of a core's second-level cache. */
#define DEFAULT_BLOCK_FLOATS ((int64_t)128 << 10)

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

static int64_t shared_floats(const gt_workload *w, int64_t m)
{
    int64_t channels = w->inputs[0].shape.dim[1] + w->output.shape.dim[1];
    return count_tiles(w, m) * (m + 2) * (m + 2) * channels;
}

static int64_t block_floats(const gt_workload *w, int64_t m, int64_t tile_block, int64_t oc_block)
{
    return tile_block * (m + 2) * (m + 2) * (w->inputs[0].shape.dim[1] + oc_block);
}

/* Separate phases read every transformed weight once, blocks of tiles once per block: that pays once the
 * weights outgrow the cache, as long as the tiles do not. */
static bool default_fused(const gt_workload *w, int64_t m)
{
    int64_t weights = (m + 2) * (m + 2) * w->inputs[0].shape.dim[1] * w->output.shape.dim[1];
    return shared_floats(w, m) > MAX_SHARED_FLOATS || weights < 2 * DEFAULT_BLOCK_FLOATS ||
           weights < shared_floats(w, m);
}

static void fill_space(const gt_workload *w, int64_t m, gt_space *space)
{
    int64_t tiles = count_tiles(w, m), best = 0, k = w->output.shape.dim[1];
    int n = 1;
    while (n < N_TILE_BLOCKS && tile_blocks[n - 1] < tiles) {
        n++;
    }
    for (int i = 0; i < n; i++) {
        if (block_floats(w, m, tile_blocks[i], 32) <= DEFAULT_BLOCK_FLOATS) {
            best = i;
        }
    }
    bool fused = default_fused(w, m);
    gt_i_knob_add(gt_i_knob_begin(space, "phases", fused ? 1 : 3), fused ? 3 : 1);
    gt_knob *block = gt_i_knob_begin(space, "tile_block", tile_blocks[best]);
    for (int i = 0; i < n; i++) {
        gt_i_knob_add(block, tile_blocks[i]);
    }
    gt_knob *oc = gt_i_knob_begin(space, "oc_block", 32);
    for (int64_t size = 16; size < 2 * k && size <= 256; size *= 2) {
        gt_i_knob_add(oc, size);
    }
    gt_i_micro_knob(space, 2);
}

static bool is_valid(const gt_workload *w, int64_t m, const gt_config *config)
{
    if (config->value[KNOB_PHASES] == 3) {
        return shared_floats(w, m) <= MAX_SHARED_FLOATS;
    }
    int64_t tile_block = config->value[KNOB_TILE_BLOCK];
    return tile_block == tile_blocks[0] ||
           block_floats(w, m, tile_block, config->value[KNOB_OC_BLOCK]) <= MAX_BLOCK_FLOATS;
}

/* ---- packing ---- */

/* One row of G: the filter's polynomial at a point, divided by the product of that point's distances from the
 * others (Toom-Cook); the last row is the point at infinity. */
static void filter_1d(double *to, int64_t m, double a, double b, double c)
{
    double near = sqrt(0.5), far = sqrt(2.0);
    if (m == 2) {
        to[0] = a;
        to[1] = (a + b + c) / 2;
        to[2] = (a - b + c) / 2;
        to[3] = c;
        return;
    }
    double near_scale = 2 * 0.5 * (0.5 - 2.0), far_scale = 2 * 2.0 * (2.0 - 0.5);
    to[0] = a;
    to[1] = (a + near * b + 0.5 * c) / near_scale;
    to[2] = (a - near * b + 0.5 * c) / near_scale;
    to[3] = (a + far * b + 2.0 * c) / far_scale;
    to[4] = (a - far * b + 2.0 * c) / far_scale;
    to[5] = c;
}

/* u[points] = G g G^T of one 3x3 filter. */
static void filter_2d(double *u, int64_t m, const float *g)
{
    int64_t alpha = m + 2;
    double columns[3][6], rows[6];
    for (int j = 0; j < 3; j++) {
        filter_1d(columns[j], m, g[j], g[3 + j], g[6 + j]);
    }
    for (int64_t i = 0; i < alpha; i++) {
        filter_1d(rows, m, columns[0][i], columns[1][i], columns[2][i]);
        memcpy(u + i * alpha, rows, (size_t)alpha * sizeof *u);
    }
}

static void pack_filters(const gt_i_winograd *p, float *packed, const float *weights)
{
    int64_t c_count = p->conv.c;
    for (int64_t k = 0; k < p->conv.k; k++) {
        int64_t block = k / p->oc_block, start = block * p->oc_block;
        int64_t columns = gt_i_min(p->oc_block, p->columns - start);
        gt_i_panel_column at = gt_i_micro_column(p->shape, p->lanes, columns, p->depth, k - start);
        float *to = packed + start * p->points * p->depth;
        for (int64_t c = 0; c < c_count; c++) {
            double u[36];
            filter_2d(u, p->m, weights + (k * c_count + c) * 9);
            for (int64_t i = 0; i < p->points; i++) {
                to[i * p->depth * columns + at.first + c * at.step] = (float)u[i];
            }
        }
    }
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

static void init(gt_i_winograd *p, const gt_kernel *k, int64_t m, gt_isa isa)
{
    gt_i_conv_init(&p->conv, k->workload, k->in, k->out);
    p->m = m;
    p->points = (m + 2) * (m + 2);
    p->tiles_y = gt_i_div_up(p->conv.oh, m);
    p->tiles_x = gt_i_div_up(p->conv.ow, m);
    p->tiles = p->conv.n * p->tiles_y * p->tiles_x;
    p->fused = k->config.value[KNOB_PHASES] == 1;
    /* Blocks of equal size: a last block of one tile would read all weights for it. */
    p->tile_block = gt_i_div_up(p->tiles, gt_i_div_up(p->tiles, k->config.value[KNOB_TILE_BLOCK]));
    p->shape = gt_i_micro_shape_of(k->config.value[KNOB_VECTORS]);
    p->lanes = gt_i_isa_lanes(isa);
    p->in_lanes = tile_lanes(&p->conv.x, p->conv.c, isa);
    p->out_lanes = tile_lanes(&p->conv.y, p->conv.k, isa);
    p->in_lane_stride = k->in == GT_NCHW ? p->conv.x.block_stride : 1;
    p->out_lane_stride = k->out == GT_NCHW ? p->conv.y.block_stride : 1;
    p->depth = gt_i_round_up(p->conv.c, 4);
    p->columns = gt_i_round_up(p->conv.k, p->lanes);
    /* Blocks end where both a layout's block and a panel do. */
    p->oc_block = gt_i_round_up(k->config.value[KNOB_OC_BLOCK],
                                gt_i_max(16, p->lanes * gt_i_micro_vectors(p->shape)));
    p->oc_block = gt_i_min(p->oc_block, gt_i_round_up(p->columns, 16));
    p->oc_blocks = gt_i_div_up(p->columns, p->oc_block);
    int64_t rows = p->fused ? p->tile_block : p->tiles;
    p->v_row = gt_i_round_up(p->conv.c, 16);
    p->v_point = spread(rows * p->v_row);
    p->m_row = p->fused ? p->oc_block : gt_i_round_up(p->columns, 16);
    p->m_point = spread(rows * p->m_row);
    p->m_offset = p->points * p->v_point;
    p->bias_offset = gt_i_round_up(p->points * p->depth * p->columns, 16);
}

static void pack(const gt_i_winograd *p, gt_kernel *k, const void *const *consts)
{
    memset(k->packed, 0, k->packed_bytes);
    pack_filters(p, k->packed, consts[1]);
    if (p->conv.bias) {
        memcpy((float *)k->packed + p->bias_offset, consts[2], (size_t)p->conv.k * sizeof(float));
    }
}

static gt_status prepare(gt_kernel *k, int64_t m, const void *const *consts, gt_isa isa)
{
    gt_status status = GT_OK;
    gt_i_winograd *p = NULL;
    GT_TRY(gt_calloc(&k->params, 1, sizeof *p));
    p = k->params;
    init(p, k, m, isa);
    GT_TRY(gt_i_kernel_room(k, (size_t)(p->bias_offset + gt_i_round_up(p->conv.k, 16)) * sizeof(float)));
    if (k->adopted == NULL) {
        pack(p, k, consts);
    }
    size_t work = (size_t)(p->m_offset + p->points * p->m_point) * sizeof(float);
    int64_t blocks = gt_i_div_up(p->tiles, p->tile_block);
    k->n_phases = p->fused ? 1 : 3;
    k->tasks[0] = blocks;
    k->tasks[1] = p->points * p->oc_blocks;
    k->tasks[2] = blocks;
    k->thread_bytes = p->fused ? work : 0;
    k->shared_bytes = p->fused ? 0 : work;
    k->run = gt_i_kernel(GT_K_conv2d_winograd_f32, isa);
done:
    return status;
}

/* ---- the two templates ---- */

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
        .rev = 1,                                                                                            \
        .supports = supports,                                                                                \
        .space = space_f##m,                                                                                 \
        .valid = valid_f##m,                                                                                 \
        .prepare = prepare_f##m,                                                                             \
    };

WINOGRAD(2)
WINOGRAD(4)
