/* SPDX-License-Identifier: Apache-2.0 */
/* depthwise.direct (ops/depthwise.h). */
#include "costmodel/analytic_internal.h"

#include <math.h>

#define FLOAT_BYTES ((double)sizeof(float))
#define LINE_BYTES 64.0
#define TILE_OPS 4             /* around a register tile: pointers and jumps */
#define OVERLAP_ACCUMULATORS 4 /* tiles are so short that the next one begins before the last one's sums are there */

struct depthwise {
    gt_i_conv conv;
    double lanes, vectors, taps;
    double rows, task_rows, row_tasks;
    double in_rows; /* input rows that a task reaches */
    double chunk;   /* channels of a task */
};

static struct depthwise depthwise_of(const gt_i_loops *c)
{
    struct depthwise d = {0};
    gt_i_conv *v = &d.conv;
    gt_i_conv_init(v, c->workload, c->in, c->out);
    bool planes = c->in == GT_NCHW;
    d.lanes = (double)gt_i_min(v->y.block > 1 ? v->y.block : c->machine->lanes, c->machine->lanes);
    d.vectors = planes ? (double)v->k : ceil((double)v->k / d.lanes);
    d.taps = (double)(v->kh * v->kw);
    d.rows = (double)gt_i_knob_value(c, "rows", 1);
    d.task_rows = fmin((double)gt_i_knob_value(c, "oh_tile", v->oh), (double)v->oh);
    d.row_tasks = ceil((double)v->oh / d.task_rows);
    d.in_rows = fmin((d.task_rows - 1) * (double)v->sh + (double)((v->kh - 1) * v->dh + 1), (double)v->h);
    d.chunk = planes ? 1 : fmin((double)gt_i_knob_value(c, "c_chunk", v->y.block), (double)v->k);
    return d;
}

/* `times` register tiles of `rows` times `width` vectors, which load `loads` vectors. */
static void add_tiles(gt_nest *nest, const struct depthwise *d, double times, double rows, double width, double loads)
{
    double fma = d->taps * rows * width;
    nest->fma += times * fma;
    nest->loads += times * loads;
    nest->inner += times * fmax(fmax(fma, loads), d->taps * OVERLAP_ACCUMULATORS);
    nest->around += times * (TILE_OPS + 2 * rows * width);
}

/* ---- channels as lanes ---- */

/* A row's tiles are of the chosen width, then of ever smaller ones; each loads every input that it reaches once, and the
 * weights unless two rows keep them in registers. */
static void add_columns(gt_nest *nest, const struct depthwise *d, double widest, double groups, double rows)
{
    static const int widths[] = {8, 7, 4, 2, 1};
    const gt_i_conv *v = &d->conv;
    int64_t left = v->ow;
    for (int i = 0; i < 5 && left > 0; i++) {
        double tiles = widths[i] <= widest ? floor((double)left / widths[i]) : 0, width = widths[i];
        double reach = (width - 1) * (double)v->sw + (double)v->kw;
        double loads = ((double)v->kh + (rows - 1) * (double)v->sh) * reach + rows * width + (rows == 2 ? 0 : d->taps);
        add_tiles(nest, d, groups * tiles, rows, width, loads);
        nest->calls += tiles > 0 && groups > 0 ? d->row_tasks * d->vectors * (double)v->n : 0;
        left -= (int64_t)tiles * widths[i];
    }
}

/* Vector after vector passes over a task's rows. Where vectors are narrower than a cache line, the lines of channels-last
 * images come in again for each, unless all of a task's stay. */
static void add_channel_streams(gt_nest *nest, const gt_machine *m, const struct depthwise *d, bool channels_last)
{
    const gt_i_conv *v = &d->conv;
    double pixel = channels_last ? fmax(d->lanes * FLOAT_BYTES, LINE_BYTES) : d->lanes * FLOAT_BYTES;
    double input = (double)(v->n * v->h * v->w * v->c) * FLOAT_BYTES, row = (double)v->w * pixel;
    double output = (double)(v->n * v->oh * v->ow * v->k) * FLOAT_BYTES, overlap = d->in_rows * d->row_tasks / (double)v->h;
    double task = (d->in_rows * (double)v->w + d->task_rows * (double)v->ow) * d->chunk * FLOAT_BYTES;
    double sharing = pixel / (d->lanes * FLOAT_BYTES), window = (double)((v->kh - 1) * v->dh + 1);
    gt_i_add_stream(nest, m, input, fmax(overlap, 1), task);
    gt_i_add_stream(nest, m, output, 1, output);
    nest->l1_bytes += input * (gt_i_refill(1, sharing, d->in_rows * row, m->l1_bytes) - 1);
    nest->l1_bytes += input * (gt_i_refill(1, (double)v->kh / (double)v->sh, window * row, m->l1_bytes) - 1);
    nest->tile_bytes = channels_last ? d->in_rows * row : window * row;
    nest->block_bytes = task;
}

/* Pairs of output rows in all of an image's tasks, the last of which may have fewer rows. */
static double pairs_of(const struct depthwise *d)
{
    double oh = (double)d->conv.oh, whole = floor(oh / d->task_rows);
    return d->rows == 2 ? whole * floor(d->task_rows / 2) + floor((oh - whole * d->task_rows) / 2) : 0;
}

static void describe_channels(gt_nest *nest, const gt_i_loops *c, const struct depthwise *d)
{
    const gt_i_conv *v = &d->conv;
    double images = d->vectors * (double)v->n, pairs = pairs_of(d), widest = (double)gt_i_knob_value(c, "ow_tile", 4);
    add_columns(nest, d, widest, images * pairs, 2);
    add_columns(nest, d, widest, images * ((double)v->oh - 2 * pairs), 1);
    add_channel_streams(nest, c->machine, d, c->in == GT_NHWC);
    nest->tasks = (double)v->n * d->row_tasks * fmax(floor((double)v->k / d->chunk), 1);
}

/* ---- positions as lanes ---- */

/* Each task copies its rows, with padding made real; an input vector is loaded for every tap of a row, but once for two output
 * rows. */
static void describe_positions(gt_nest *nest, const gt_i_loops *c, const struct depthwise *d)
{
    const gt_i_conv *v = &d->conv;
    double most = ceil((double)v->ow / d->lanes);
    double tiles = ceil(most / fmin((double)gt_i_knob_value(c, "ow_tile", 4), most)), width = most / tiles;
    double times = (double)v->n * d->vectors * tiles * ceil((double)v->oh / d->rows);
    double input = d->in_rows * (double)v->w * FLOAT_BYTES, copies = d->row_tasks * (double)(v->n * v->k);
    add_tiles(nest, d, times, d->rows, width, d->taps + width * (double)v->kw * ((double)v->kh + d->rows - 1));
    nest->around += 2 * copies * input / (d->lanes * FLOAT_BYTES);
    nest->calls = times;
    nest->tile_bytes = nest->block_bytes = input;
    gt_i_add_stream(nest, c->machine, input * copies, (double)v->kh, input);
    gt_i_add_stream(nest, c->machine, (double)gt_shape_elems(&c->workload->output.shape) * FLOAT_BYTES, 1, input);
    nest->tasks = copies;
}

void gt_i_describe_depthwise(gt_nest *nest, const gt_i_loops *c)
{
    const struct depthwise d = depthwise_of(c);
    if (c->in == GT_NCHW) {
        describe_positions(nest, c, &d);
    } else {
        describe_channels(nest, c, &d);
    }
}
