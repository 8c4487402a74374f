/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of conv2d.direct around its register tiles. */
#include "ops/conv_direct_finish.h"
#include "ops/kernels.h"

#include <string.h>

/* ---- computing ---- */

/* Where a run finds its input and its weights. */
static void set_reads(gt_i_direct_run *run, const gt_i_direct_task *s, const gt_i_direct_place *p, const gt_i_direct_chunk *chunk)
{
    const gt_i_direct *d = s->d;
    const gt_i_conv *v = &d->conv;
    const int64_t row = p->row * v->sh - v->pad_t, channels = p->vectors * d->lanes;
    const float *weights = s->weights + p->channel_tile * d->tile_floats + channels * d->packed_tile;
    int64_t begin, end;
    gt_i_conv_taps(&begin, &end, row, v->dh, v->kh, v->h);
    run->x = s->x;
    run->origin = (row - s->x_first_row) * d->view_h + p->column * v->sw * d->view_w;
    run->x_step = v->sw * d->view_w;
    run->x_next = p->along_channels ? 0 : p->width * run->x_step;
    run->quad_begin = s->offsets + chunk->quad.first + begin * chunk->quad.row_steps;
    run->quad_end = run->quad_begin + (end - begin) * chunk->quad.row_steps;
    run->one_begin = s->offsets + chunk->one.first + begin * chunk->one.row_steps;
    run->one_end = run->one_begin + (end - begin) * chunk->one.row_steps;
    run->quad_weights =
        weights + channels * (chunk->quad.weights + begin * chunk->quad.row_steps * GT_I_DIRECT_QUAD);
    run->one_weights = weights + channels * (chunk->one.weights + begin * chunk->one.row_steps);
    run->weights_next = p->along_channels ? d->tile_floats : 0;
}

/* Sums go to scratch, to go on from there or to be finished there. */
static void set_partial(gt_i_direct_run *run, const gt_i_direct *d, const gt_i_direct_place *p)
{
    run->y = p->partial;
    run->z = NULL;
    run->y_step = p->vectors * d->lanes;
    run->y_next = gt_i_direct_slot(d);
    run->end = (gt_i_direct_end){.kind = GT_I_DIRECT_STORE};
    for (int64_t i = 0; i < p->vectors; i++) {
        run->y_vector[i] = i * d->lanes;
    }
}

static void set_output(gt_i_direct_run *run, const gt_i_direct_task *s, const gt_i_direct_place *p)
{
    const gt_i_direct *d = s->d;
    const gt_strides *y = &d->conv.y;
    const int64_t at = position_offset(d, s->n, p->row, p->column) + vector_offsets(run->y_vector, s, p);
    const int64_t channels = d->vectors * d->lanes;
    run->y = (float *)s->args->out + at;
    run->z = d->conv.residual ? (const float *)s->args->in[3] + at : NULL;
    run->y_step = y->w;
    run->y_next = !p->along_channels ? p->width * y->w : channels / y->block * y->block_stride + channels % y->block;
    run->end = d->end;
}

static bool is_direct(const gt_i_direct *d, int64_t channel_tile)
{
    return channel_tile == d->group_tiles - 1 ? d->last_direct : d->direct;
}

static void make_run(gt_i_direct_run *run, const gt_i_direct_task *s, const gt_i_direct_place *p, int64_t chunk, bool direct)
{
    const gt_i_direct *d = s->d;
    set_reads(run, s, p, &gt_i_direct_chunks(d)[chunk]);
    run->count = p->count;
    if (direct) {
        set_output(run, s, p);
    } else {
        set_partial(run, d, p);
    }
    run->from = p->partial;
    run->from_next = gt_i_direct_slot(d);
    if (chunk == 0) {
        run->from = s->weights + p->channel_tile * d->tile_floats;
        run->from_next = p->count > 1 ? run->weights_next : 0; /* a group's last tile may be the smaller one */
    }
}

/* Runs one chunk of some register tiles; after the last one the output is stored. Advances p->partial where sums stay
 * there, and p->column where it repeats. */
static void run_chunk(const gt_i_direct_task *s, gt_i_direct_place *p, int64_t chunk)
{
    const gt_i_direct *d = s->d;
    const bool last = chunk == d->n_chunks - 1, direct = last && is_direct(d, p->channel_tile);
    const int64_t kept = d->n_chunks > 1 ? p->count * gt_i_direct_slot(d) : 0;
    const int64_t y_repeat = direct ? p->width * d->conv.y.w : kept;
    gt_i_direct_run run;
    make_run(&run, s, p, chunk, direct);
    for (int64_t i = 0; i < p->repeat; i++) {
        s->width->micro[p->vectors - 1][p->width - 1](&run);
        if (last && !direct) {
            gt_i_direct_finish(s, p);
        }
        run.origin += p->width * run.x_step;
        run.y += y_repeat;
        run.z += run.z != NULL ? y_repeat : 0;
        run.from += chunk > 0 ? kept : 0;
        p->partial += kept;
        p->column += p->width;
    }
}

/* ---- the order of the tiles ---- */

static int64_t row_width(const gt_i_direct_task *s, int64_t row)
{
    const gt_i_direct *d = s->d;
    return s->row_width > 0 ? s->row_width : row == d->conv.oh - 1 ? d->last_ow : d->conv.ow;
}

static void set_channels(gt_i_direct_place *p, const gt_i_direct *d, int64_t channel_tile)
{
    p->channel_tile = channel_tile;
    p->vectors = gt_i_min(d->vectors, d->group_vectors - channel_tile * d->vectors);
}

/* A run of tiles whose sums go through scratch only to be finished is short, so that they stay in the cache. */
static int64_t most_tiles(const gt_i_direct *d, int64_t channel_tile)
{
    return d->n_chunks > 1 || is_direct(d, channel_tile) ? INT64_MAX : GT_I_DIRECT_SCRATCH_TILES;
}

/* How many of the channel tiles [tile, end) one run can take. */
static int64_t alike_from(const gt_i_direct *d, int64_t tile, int64_t end)
{
    if (tile >= d->regular_tiles || !d->uniform) {
        return 1;
    }
    return gt_i_min(gt_i_min(end, d->regular_tiles) - tile, most_tiles(d, tile));
}

/* Tiles of one width in a row, `count` from p->column on, of one channel tile. */
static void run_positions(const gt_i_direct_task *s, gt_i_direct_place *p, int64_t count, int64_t chunk)
{
    const int64_t most = most_tiles(s->d, p->channel_tile);
    p->along_channels = false;
    p->repeat = 1;
    for (int64_t column = p->column; count > 0; count -= p->count) {
        p->column = column;
        p->count = gt_i_min(count, most);
        run_chunk(s, p, chunk);
        column += p->count * p->width;
    }
}

/* The same of channel tiles [first, end). */
static void run_channels(const gt_i_direct_task *s, gt_i_direct_place *p, int64_t count, int64_t first, int64_t end, int64_t chunk)
{
    const int64_t column = p->column;
    p->along_channels = true;
    p->repeat = count;
    for (int64_t tile = first; tile < end; tile += p->count) {
        set_channels(p, s->d, tile);
        p->column = column;
        p->count = alike_from(s->d, tile, end);
        run_chunk(s, p, chunk);
    }
}

static void run_tiles(const gt_i_direct_task *s, gt_i_direct_place *p, int64_t count, int64_t first, int64_t end, int64_t chunk)
{
    const int64_t behind = p->column + count * p->width;
    if (count > 0 && end - first == 1) {
        set_channels(p, s->d, first);
        run_positions(s, p, count, chunk);
    } else if (count > 0) {
        run_channels(s, p, count, first, end, chunk);
    }
    p->column = behind;
}

/* A chunk of the weights of channel tiles [first, end) stays in the cache while the task's positions pass. A row's
 * first `width % tiles` tiles are one wider than the others. */
static void run_block(const gt_i_direct_task *s, int64_t first, int64_t end, int64_t chunk)
{
    const gt_i_direct *d = s->d;
    gt_i_direct_place p = {.partial = s->scratch + d->scratch_partial};
    for (p.row = s->row_begin; p.row < s->row_end; p.row++) {
        const int64_t width = row_width(s, p.row), tiles = gt_i_direct_row_tiles(d, width);
        p.column = 0;
        p.width = width / tiles + 1;
        run_tiles(s, &p, width % tiles, first, end, chunk);
        p.width--;
        run_tiles(s, &p, tiles - width % tiles, first, end, chunk);
    }
}

static void run_task(const gt_i_direct_task *s)
{
    const gt_i_direct *d = s->d;
    for (int64_t first = s->tile_begin; first < s->tile_end; first += d->block_tiles) {
        for (int64_t chunk = 0; chunk < d->n_chunks; chunk++) {
            run_block(s, first, gt_i_min(first + d->block_tiles, s->tile_end), chunk);
        }
    }
}

/* ---- around the tiles ---- */

/* The input rows that the task's outputs reach, with zeros for the columns outside. */
static void copy_rows(gt_i_direct_task *s)
{
    const gt_i_direct *d = s->d;
    const gt_i_conv *v = &d->conv;
    const int64_t first = gt_i_max(s->row_begin * v->sh - v->pad_t, 0);
    const int64_t end = gt_i_min((s->row_end - 1) * v->sh - v->pad_t + (v->kh - 1) * v->dh + 1, v->h);
    const int64_t first_block = gt_i_direct_first_block(d, s->group);
    const int64_t blocks = d->channels_last ? 1 : gt_i_direct_end_block(d, s->group) - first_block;
    const int64_t pixel = d->view_w, left = gt_i_min(v->pad_l, d->copy_cols);
    const int64_t inside = gt_i_max(gt_i_min(v->w, d->copy_cols - left), 0);
    for (int64_t b = 0; b < blocks; b++) {
        for (int64_t row = first; row < end; row++) {
            const float *from = (const float *)s->args->in[0] + s->n * v->x.n +
                                (first_block + b) * v->x.block_stride + row * v->x.h;
            float *to = s->scratch + b * d->view_block + (row - first) * d->view_h;
            memset(to, 0, (size_t)(left * pixel) * sizeof *to);
            for (int64_t i = 0; i < inside && pixel != v->x.w; i++) {
                memcpy(to + (left + i) * pixel, from + i * v->x.w, (size_t)pixel * sizeof *to);
            }
            if (pixel == v->x.w) {
                memcpy(to + left * pixel, from, (size_t)(inside * pixel) * sizeof *to);
            }
            memset(to + (left + inside) * pixel, 0,
                   (size_t)((d->copy_cols - left - inside) * pixel) * sizeof *to);
        }
    }
    s->x = s->scratch;
    s->x_first_row = first;
}

/* Channel padding of the output behind the last vector that is computed. */
static void fill_zero(const gt_i_direct_task *s)
{
    const gt_i_direct *d = s->d;
    const int64_t end = d->conv.y.blocks * d->conv.y.block;
    for (int64_t row = s->row_begin; d->zero_from < end && row < s->row_end; row++) {
        float *y = (float *)s->args->out + position_offset(d, s->n, row, 0) + channel_offset(d, d->zero_from);
        for (int64_t i = 0; i < row_width(s, row); i++) {
            memset(y + i * d->conv.y.w, 0, (size_t)(end - d->zero_from) * sizeof *y);
        }
    }
}

static void split_task(gt_i_direct_task *s, int64_t number)
{
    const gt_i_direct *d = s->d;
    const int64_t rows = d->copy ? number / d->oc_tasks % d->row_tasks : number % d->row_tasks;
    const int64_t part = d->copy ? number % d->oc_tasks : number / d->row_tasks % d->oc_tasks;
    number /= d->row_tasks * d->oc_tasks;
    s->group = number % d->conv.groups;
    s->n = number / d->conv.groups;
    s->row_begin = rows * d->task_rows;
    s->row_end = gt_i_min(s->row_begin + d->task_rows, d->conv.oh);
    s->tile_begin = part * d->group_tiles / d->oc_tasks;
    s->tile_end = (part + 1) * d->group_tiles / d->oc_tasks;
}

void GT_KERNEL_FN(conv2d_direct_f32)(const gt_kernel *kernel, const gt_args *args, int phase, int64_t begin,
                                     int64_t end)
{
    const gt_i_direct *d = kernel->params;
    gt_i_direct_task s = {.d = d, .args = args, .width = GT_KERNEL_FN(conv_direct_widths)[d->lanes], .scratch = args->scratch};
    int64_t copied = -1;
    (void)phase;
    for (int64_t number = begin; number < end; number++) {
        split_task(&s, number);
        s.offsets = gt_i_direct_offsets(d, s.group);
        s.weights = (const float *)args->packed + s.group * d->group_floats;
        if (!d->copy) {
            s.x = (const float *)args->in[0] + s.n * d->conv.x.n +
                  gt_i_direct_first_block(d, s.group) * d->conv.x.block_stride;
        } else if (number / d->oc_tasks != copied) {
            /* Tasks that differ in their channels only follow each other and share the copy. */
            copied = number / d->oc_tasks;
            copy_rows(&s);
        }
        run_task(&s);
        if (s.group == d->conv.groups - 1 && s.tile_end == d->group_tiles) {
            fill_zero(&s);
        }
    }
}

/* Rows [begin, end) of an image for a strip (ops/pair.h), all channels. */
void GT_KERNEL_FN(conv2d_direct_rows_f32)(const gt_kernel *kernel, const gt_args *args, int image, int64_t begin, int64_t end)
{
    const gt_i_direct *d = kernel->params;
    gt_args from_begin = *args;
    gt_i_direct_task s = {.d = d, .args = args, .width = GT_KERNEL_FN(conv_direct_widths)[d->lanes], .scratch = args->scratch,
                          .n = image, .row_begin = begin, .row_end = end, .tile_end = d->group_tiles};
    if (d->strip_ow > 0) {
        s.row_begin = 0;
        s.row_end = 1;
        s.row_width = (end - begin) * d->strip_ow;
    } else {
        from_begin.out = gt_i_strip_row(args->out, -begin * d->conv.y.h);
        s.args = &from_begin;
    }
    for (s.group = 0; s.group < d->conv.groups; s.group++) {
        s.offsets = gt_i_direct_offsets(d, s.group);
        s.weights = (const float *)args->packed + s.group * d->group_floats;
        if (d->copy) {
            copy_rows(&s);
        } else {
            s.x = (const float *)args->in[0] + s.n * d->conv.x.n + gt_i_direct_first_block(d, s.group) * d->conv.x.block_stride;
        }
        run_task(&s);
    }
    s.group--;
    fill_zero(&s);
}
