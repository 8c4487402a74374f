/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d.winograd_f2 and _f4 (ops/conv_winograd.h): transforms, and one matrix product per point of the transformed tile. The
 * multiply-adds fall from 9 m^2 to (m + 2)^2 a tile (Lavin and Gray, "Fast algorithms for convolutional neural networks",
 * CVPR 2016, section 4.1). */
#include "costmodel/analytic_internal.h"

#include <string.h>

/* Vector operations per point and vector of channels, loads and stores included; counted from the kernels' transforms. */
#define F2_OPS_PER_POINT 4
#define F4_OPS_PER_POINT 6

struct shape {
    gt_i_conv conv;
    double m, points, tiles, rows, blocks, oc_block, oc_blocks;
    bool fused;
};

static struct shape shape_of(const gt_i_loops *c)
{
    struct shape s = {.m = c->tmpl->name[strlen(c->tmpl->name) - 1] - '0'}; /* conv2d.winograd_f<m> */
    gt_i_conv_init(&s.conv, c->workload, c->in, c->out);
    int64_t m = (int64_t)s.m, k = gt_i_round_up(s.conv.k, c->machine->lanes);
    int64_t tiles = s.conv.n * gt_i_div_up(s.conv.oh, m) * gt_i_div_up(s.conv.ow, m);
    int64_t oc_block = gt_i_min(gt_i_max(gt_i_knob_value(c, "oc_block", 32), 16), k);
    s.points = (s.m + 2) * (s.m + 2);
    s.tiles = (double)tiles;
    s.fused = gt_i_knob_value(c, "phases", 1) == 1;
    s.blocks = (double)gt_i_div_up(tiles, gt_i_knob_value(c, "tile_block", 32));
    s.rows = s.fused ? s.tiles / s.blocks : s.tiles;
    s.oc_block = (double)oc_block;
    s.oc_blocks = (double)gt_i_div_up(k, oc_block);
    return s;
}

/* Weights pass once per block of tiles, a block's transformed input once per block of output channels. */
static void add_streams(gt_nest *nest, const gt_machine *m, const struct shape *s)
{
    double float_bytes = sizeof(float), k = (double)s->conv.k, channels = (double)s->conv.c;
    double weights = s->points * channels * k * float_bytes;
    double input = s->rows * s->points * channels * float_bytes;
    double product = s->rows * s->points * (s->fused ? s->oc_block : k) * float_bytes;
    double times = s->fused ? s->blocks : 1;
    gt_i_add_stream(nest, m, weights, times, weights + input + product);
    gt_i_add_stream(nest, m, input * times, s->oc_blocks, input + product + weights / s->oc_blocks);
    gt_i_add_stream(nest, m, product * times * (s->fused ? s->oc_blocks : 1), 2, product);
    nest->tile_bytes = (s->rows + s->oc_block) * channels * float_bytes;
    nest->block_bytes = input + product + weights;
}

void gt_i_describe_winograd(gt_nest *nest, const gt_i_loops *c)
{
    const gt_machine *m = c->machine;
    const struct shape s = shape_of(c);
    const gt_strides *x = &s.conv.x, *y = &s.conv.y;
    double in_lanes = (double)gt_i_min(x->block > 1 ? x->block : m->lanes, m->lanes);
    double out_lanes = (double)gt_i_min(y->block > 1 ? y->block : m->lanes, m->lanes);
    double per_point = s.m == 2 ? F2_OPS_PER_POINT : F4_OPS_PER_POINT, times = s.fused ? s.blocks : 1;
    int vectors = (int)gt_i_knob_value(c, "vectors", 2);
    nest->macs = s.tiles * s.points * (double)s.conv.c * (double)s.conv.k;
    for (double b = 0; b < s.oc_blocks; b++) {
        double left = (double)s.conv.k - b * s.oc_block;
        gt_i_add_product(nest, m, s.rows, left < s.oc_block ? left : s.oc_block, (double)s.conv.c, vectors,
                         times * s.points);
    }
    nest->around = s.tiles * s.points * per_point * ((double)s.conv.c / in_lanes + (double)s.conv.k / out_lanes);
    nest->around += s.tiles * s.points * (double)s.conv.k / m->lanes;
    add_streams(nest, m, &s);
    nest->tasks = s.blocks;
}
