/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d.direct (ops/conv_direct.h). */
#include "costmodel/analytic_internal.h"

#include <math.h>

#define FLOAT_BYTES ((double)sizeof(float))

struct direct {
    gt_i_conv conv;
    double lanes, group_vectors, vectors;   /* along the channels: all of a group, of a register tile */
    double width, row_tiles;                /* positions of a register tile, register tiles of a row of `positions` */
    double rows, task_rows, row_tasks;
    double chunk, chunks, oc_tasks;
    double block_tiles;                     /* register tiles of channels that pass at each position before the next */
    bool copy;
};

static bool is_flat(const gt_i_conv *v)
{
    return v->kh == 1 && v->kw == 1 && v->sh == 1 && v->sw == 1 && v->pad_t == 0 && v->pad_l == 0 && v->oh == v->h &&
           v->ow == v->w;
}

/* Most positions of a register tile of so many vectors, as ops/conv_direct.c has them. */
static double most_positions(const gt_machine *m, double vectors)
{
    static const double positions[GT_I_FAMILIES][5] = {
        [GT_I_SSE] = {0, 12, 6, 4, 3},
        [GT_I_NEON] = {0, 14, 8, 7, 5},
        [GT_I_AVX2] = {0, 12, 6, 4, 3},
        [GT_I_AVX512] = {0, 14, 14, 7, 7},
    };
    return positions[gt_i_family_of(m)][(int)vectors];
}

static void set_positions(struct direct *d, const gt_i_loops *c)
{
    const gt_i_conv *v = &d->conv;
    bool flat = is_flat(v);
    double tile = fmin((double)gt_i_knob_value(c, "ow_tile", 4), most_positions(c->machine, d->vectors));
    double positions = flat ? (double)(v->oh * v->ow) : (double)v->ow;
    d->row_tiles = ceil(positions / tile);
    d->width = positions / d->row_tiles;
    d->rows = flat ? 1 : (double)v->oh;
    d->task_rows = fmin((double)gt_i_knob_value(c, "oh_tile", v->oh), (double)v->oh);
    d->row_tasks = ceil((double)v->oh / d->task_rows);
    d->copy = v->pad_l > 0 || (v->ow - 1) * v->sw + (v->kw - 1) * v->dw + 1 > v->w;
}

static struct direct direct_of(const gt_i_loops *c)
{
    struct direct d = {0};
    gt_i_conv *v = &d.conv;
    gt_i_conv_init(v, c->workload, c->in, c->out);
    int64_t lanes = gt_i_min(v->y.block > 1 ? v->y.block : c->machine->lanes, c->machine->lanes);
    while (lanes > 4 && lanes / 2 >= v->kg) {
        lanes /= 2;
    }
    d.lanes = (double)lanes;
    d.group_vectors = ceil((double)v->kg / d.lanes);
    d.vectors = fmin((double)gt_i_knob_value(c, "oc_vectors", 2), d.group_vectors);
    d.chunk = fmin((double)gt_i_knob_value(c, "ic_chunk", v->cg), (double)v->cg);
    d.chunks = ceil((double)v->cg / d.chunk);
    d.oc_tasks = fmin((double)gt_i_knob_value(c, "oc_tasks", 1), ceil(d.group_vectors / d.vectors));
    double block = (double)gt_i_knob_value(c, "oc_block", gt_i_knob_value(c, "order", 1) == 2 ? v->kg : 1);
    d.block_tiles = fmax(floor(block / (d.vectors * d.lanes)), 1);
    set_positions(&d, c);
    return d;
}

/* Every register tile takes all steps of the reduction, whole ones and the narrower last one. */
static void add_inner(gt_nest *nest, const struct direct *d)
{
    const gt_i_conv *v = &d->conv;
    double steps = (double)(v->cg * v->kh * v->kw), tiles = (double)(v->n * v->groups) * d->rows * d->row_tiles;
    for (double left = d->group_vectors; left > 0; left -= d->vectors) {
        double vectors = fmin(left, d->vectors);
        nest->fma += tiles * steps * vectors * d->width;
        nest->loads += tiles * steps * (vectors + d->width);
        nest->inner += tiles * steps * gt_i_step_cycles(vectors, d->width);
        nest->calls += tiles * d->chunks;
        nest->around += tiles * vectors * d->width * (2 * d->chunks - 1);
    }
}

/* A block of channels passes over a task's positions, chunk by chunk of the reduction. */
static void add_streams(gt_nest *nest, const gt_machine *m, const struct direct *d)
{
    const gt_i_conv *v = &d->conv;
    double channel_tiles = ceil(d->group_vectors / d->vectors);
    double tasks = (double)(v->n * v->groups) * d->row_tasks, tiles = d->rows * d->row_tiles / d->row_tasks;
    double column = (double)(v->kh * v->kw) * FLOAT_BYTES;
    double weights = (double)v->cg * column * d->group_vectors * d->lanes;
    double weights_block = d->chunk * column * fmin(d->block_tiles * d->vectors, d->group_vectors) * d->lanes;
    double in_rows = fmin((d->task_rows - 1) * (double)v->sh + (double)((v->kh - 1) * v->dh + 1), (double)v->h);
    double input = in_rows * (double)(v->w * v->cg) * FLOAT_BYTES;
    double input_tile = (double)((v->kh - 1) * v->dh + 1) * (d->width * (double)v->sw + (double)v->kw) * FLOAT_BYTES;
    double output = d->task_rows * (double)(v->ow * v->kg) * FLOAT_BYTES;
    double band = input * d->chunk / (double)v->cg, passes = ceil(channel_tiles / d->block_tiles);
    gt_i_add_stream(nest, m, weights * tasks, tiles, weights_block + input_tile * d->chunk);
    gt_i_add_stream(nest, m, input * tasks, passes, band + weights_block);
    nest->tile_bytes = weights_block + input_tile * d->chunk;
    nest->block_bytes = input + weights_block + output / passes;
    gt_i_add_stream(nest, m, weights, tasks, weights + input + output);
    gt_i_add_stream(nest, m, output * tasks, d->chunks, output / passes);
    nest->around += d->copy ? 2 * tasks * input / (d->lanes * FLOAT_BYTES) : 0;
    nest->tasks = tasks * d->oc_tasks;
}

void gt_i_describe_conv_direct(gt_nest *nest, const gt_i_loops *c)
{
    const struct direct d = direct_of(c);
    add_inner(nest, &d);
    add_streams(nest, c->machine, &d);
}
