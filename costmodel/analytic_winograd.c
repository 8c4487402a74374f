/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d.winograd_f2, _f4 and _f6 (ops/conv_winograd.h): transforms, and one matrix product per point of the transformed
 * tile. The multiply-adds fall from 9 m^2 to (m + 2)^2 a tile (Lavin and Gray, "Fast algorithms for convolutional neural
 * networks", CVPR 2016, section 4.1). */
#include "costmodel/analytic_internal.h"

#include <math.h>
#include <string.h>

#define FLOAT_BYTES ((double)sizeof(float))

/* Vector operations of a transform per point and vector of channels, loads and stores included, counted from the kernels':
 * of inputs and outputs by m / 2, and of filters. */
static const double ops_per_point[] = {0, 4, 6, 8};
#define FILTER_OPS_PER_POINT 3.75

/* What filters that are transformed on the way take at once, floats, and what a block of B may take of a first-level cache
 * while A's groups pass by, as the kernels have them. */
#define FEW_TILES 8
#define NEAR_CHUNK_FLOATS 7168
#define FAR_CHUNK_FLOATS 24576
#define NEAR_FLOATS 4096

struct shape {
    gt_i_conv conv;
    double m, points, tiles, channels, filters;
    double block, blocks;        /* tiles of a block; blocks */
    double oc_block, oc_blocks;  /* likewise of output channels */
    double chunk, chunks;        /* input channels that are multiplied at a time */
    double vectors, most_rows[5];
    bool fused, on_the_fly;
};

/* A wide register tile's narrow panels have as few rows as it. */
static void set_rows(struct shape *s, const gt_machine *m)
{
    static const double tall[GT_I_FAMILIES] = {4, 8, 6, 12}, wide[GT_I_FAMILIES] = {2, 5, 3, 6};
    gt_i_family family = gt_i_family_of(m);
    for (int vectors = 1; vectors <= 4; vectors++) {
        s->most_rows[vectors] = s->vectors == 4 ? wide[family] : tall[family];
    }
}

static void set_chunk(struct shape *s)
{
    double floats = s->block <= FEW_TILES ? NEAR_CHUNK_FLOATS : FAR_CHUNK_FLOATS;
    double chunk = fmax(floor(floats / (s->points * s->oc_block) / 4) * 4, 4);
    s->chunk = s->on_the_fly ? fmin(chunk, s->channels) : s->channels;
    s->chunks = ceil(s->channels / s->chunk);
}

static struct shape shape_of(const gt_i_loops *c)
{
    struct shape s = {.m = c->tmpl->name[strlen(c->tmpl->name) - 1] - '0'}; /* conv2d.winograd_f<m> */
    gt_i_conv_init(&s.conv, c->workload, c->in, c->out);
    int64_t m = (int64_t)s.m, k = gt_i_round_up(s.conv.k, c->machine->lanes);
    int64_t tiles = s.conv.n * gt_i_div_up(s.conv.oh, m) * gt_i_div_up(s.conv.ow, m);
    int64_t panel = gt_i_knob_value(c, "vectors", 2) * c->machine->lanes;
    int64_t oc_block = gt_i_min(gt_i_round_up(gt_i_knob_value(c, "oc_block", 32), gt_i_max(panel, 16)), k);
    s.points = (s.m + 2) * (s.m + 2);
    s.tiles = (double)tiles;
    s.channels = (double)s.conv.c;
    s.filters = (double)k;
    s.fused = gt_i_knob_value(c, "phases", 1) == 1;
    s.on_the_fly = gt_i_knob_value(c, "filter_elems", 0) == 9;
    s.vectors = (double)gt_i_knob_value(c, "vectors", 2);
    s.blocks = (double)gt_i_div_up(tiles, gt_i_knob_value(c, "tile_block", 32));
    s.block = s.tiles / s.blocks;
    s.oc_block = (double)oc_block;
    s.oc_blocks = (double)gt_i_div_up(k, oc_block);
    set_rows(&s, c->machine);
    set_chunk(&s);
    return s;
}

/* A block of tiles meets a block of output channels: per point and chunk, either every panel meets all groups of tiles, or
 * every group all panels. */
static void add_products(gt_nest *nest, const gt_machine *m, const struct shape *s)
{
    double times = s->blocks * s->chunks * s->points, each = s->oc_blocks * times;
    double tiles = s->block * s->chunk * FLOAT_BYTES, weights = s->oc_block * s->chunk * FLOAT_BYTES;
    double panel = s->vectors * m->lanes, groups = ceil(s->block / s->most_rows[1]);
    bool by_group = s->block * s->chunk > NEAR_FLOATS && s->oc_block * s->chunk <= NEAR_FLOATS;
    for (double left = s->filters; left > 0; left -= s->oc_block) {
        gt_i_add_product(nest, m, s->most_rows, s->block, fmin(left, s->oc_block), s->channels / s->chunks, (int)s->vectors, times);
    }
    if (by_group) {
        gt_i_add_stream(nest, m, each * weights, groups, weights + tiles / groups);
    } else {
        gt_i_add_stream(nest, m, each * tiles, ceil(s->oc_block / panel), tiles + panel * s->chunk * FLOAT_BYTES);
    }
    nest->tile_bytes = by_group ? weights + tiles / groups : tiles + panel * s->chunk * FLOAT_BYTES;
}

/* One phase passes over all weights once per block of tiles, two phases over a block of them at a time. All else lies in
 * memory that is used again and again: it comes from farther away only where it does not fit. */
static void add_streams(gt_nest *nest, const gt_machine *m, const struct shape *s)
{
    double weights = (s->on_the_fly ? 9 : s->points) * s->channels * s->filters * FLOAT_BYTES;
    double input = (s->fused ? s->block : s->tiles) * s->points * s->channels * FLOAT_BYTES;
    double sums = s->block * s->points * s->oc_block * FLOAT_BYTES, pairs = s->blocks * s->oc_blocks;
    double block = weights / s->oc_blocks + sums, block_input = s->block * s->points * s->channels * FLOAT_BYTES;
    double filters = s->points * s->chunk * s->oc_block * FLOAT_BYTES;
    gt_i_add_stream(nest, m, weights, s->blocks, s->fused ? weights + input + sums : block + block_input);
    gt_i_add_stream(nest, m, input, (s->fused ? s->blocks : 1) * (s->oc_blocks + 1), input + block);
    gt_i_add_stream(nest, m, sums, 2 * s->chunks * pairs, sums + (s->on_the_fly ? filters : 0));
    if (s->on_the_fly) {
        gt_i_add_stream(nest, m, filters, 2 * s->chunks * pairs, filters);
    }
    nest->block_bytes = block + block_input;
}

static void add_transforms(gt_nest *nest, const gt_i_loops *c, const struct shape *s)
{
    const gt_machine *m = c->machine;
    const gt_strides *x = &s->conv.x, *y = &s->conv.y;
    double in_lanes = (double)gt_i_min(x->block > 1 ? x->block : m->lanes, m->lanes);
    double out_lanes = (double)gt_i_min(y->block > 1 ? y->block : m->lanes, m->lanes);
    double sums = s->tiles * s->points * s->filters / m->lanes;
    nest->around = s->tiles * s->points * ops_per_point[(int)s->m / 2] * (s->channels / in_lanes + s->filters / out_lanes);
    nest->around += sums * (2 * s->chunks - 1);
    if (s->on_the_fly) {
        nest->around += s->blocks * s->points * FILTER_OPS_PER_POINT * s->channels * s->filters / m->lanes;
    }
}

void gt_i_describe_winograd(gt_nest *nest, const gt_i_loops *c)
{
    const struct shape s = shape_of(c);
    nest->macs = s.tiles * s.points * (double)s.conv.c * (double)s.conv.k;
    add_products(nest, c->machine, &s);
    add_streams(nest, c->machine, &s);
    add_transforms(nest, c, &s);
    nest->tasks = s.fused ? s.blocks : s.oc_blocks;
}
