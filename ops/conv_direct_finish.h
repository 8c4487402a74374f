/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d.direct: tasks, and the epilogue of register tiles whose sums are in scratch: where the activation is not one that
 * registers take, or the output's channels do not lie as vectors. Only for conv_direct_kernel.c. */
#ifndef GT_OPS_CONV_DIRECT_FINISH_H
#define GT_OPS_CONV_DIRECT_FINISH_H

#include "ops/conv_direct.h"

#include <string.h>

/* A task: some rows of an image, some register tiles of a group's channels. */
typedef struct gt_i_direct_task {
    const gt_i_direct *d;
    const gt_args *args;
    const gt_i_direct_width *width;
    const int32_t *offsets;
    const float *x;       /* the input as the offsets see it */
    int64_t x_first_row;  /* row of the image at x */
    const float *weights; /* of the group */
    float *scratch;
    int64_t n, group, row_begin, row_end, tile_begin, tile_end;
    int64_t row_width; /* positions of every row; 0: the image's */
} gt_i_direct_task;

/* Register tiles of a task: `count` of neighbouring positions or, where along_channels, `count` of neighbouring channels at
 * the same positions, and that at `repeat` neighbouring places. */
typedef struct gt_i_direct_place {
    int64_t channel_tile, vectors; /* which channels */
    int64_t row, column, width;    /* which positions */
    int64_t count, repeat;
    bool along_channels;
    float *partial; /* their sums in scratch */
} gt_i_direct_place;

/* Offset of an output channel from its image. */
static inline int64_t channel_offset(const gt_i_direct *d, int64_t k)
{
    return k / d->conv.y.block * d->conv.y.block_stride + k % d->conv.y.block;
}

static inline int64_t position_offset(const gt_i_direct *d, int64_t n, int64_t row, int64_t column)
{
    return n * d->conv.y.n + row * d->conv.y.h + column * d->conv.y.w;
}

/* Adds the residual to finished sums, channel by channel. */
static inline void add_scattered(const gt_i_direct *d, float *values, const float *z, int64_t k, int64_t channels,
                                 int64_t step, int64_t positions)
{
    for (int64_t c = 0; c < channels; c++) {
        const float *from = z + channel_offset(d, k + c);
        for (int64_t t = 0; t < positions; t++) {
            values[t * step + c] += from[t * d->conv.y.w];
        }
    }
}

/* Channels that lie side by side are copied position by position. */
static inline void copy_scattered(const gt_i_direct *d, float *y, const float *values, int64_t k, int64_t channels,
                                  int64_t step, int64_t positions)
{
    const gt_strides *s = &d->conv.y;
    for (int64_t t = 0; s->block_stride == 1 && t < positions; t++) {
        memcpy(y + k + t * s->w, values + t * step, (size_t)channels * sizeof *y);
    }
    for (int64_t c = 0; s->block_stride != 1 && c < channels; c++) {
        float *to = y + channel_offset(d, k + c);
        for (int64_t t = 0; t < positions; t++) {
            to[t * s->w] = values[t * step + c];
        }
    }
}

/* Lanes past a group's last channel: what the activation made of them must not be stored. */
static inline void zero_lanes(float *values, int64_t channels, int64_t step, int64_t positions)
{
    for (int64_t t = 0; t < positions; t++) {
        for (int64_t c = channels; c < step; c++) {
            values[t * step + c] = 0;
        }
    }
}

/* Offsets of a tile's vectors from its first channel's place in the image, which comes back. */
static inline int64_t vector_offsets(int64_t *vector, const gt_i_direct_task *s, const gt_i_direct_place *p)
{
    const gt_i_direct *d = s->d;
    const int64_t k = s->group * d->conv.kg + p->channel_tile * d->vectors * d->lanes;
    const int64_t first = channel_offset(d, k);
    for (int64_t i = 0; i < p->vectors; i++) {
        vector[i] = channel_offset(d, k + i * d->lanes) - first;
    }
    return first;
}

/* Whether a tile's vectors lie in the output as they lie in registers. */
static inline bool stores_whole(const gt_i_direct *d, int64_t channels, int64_t vectors)
{
    bool full = channels == vectors * d->lanes;
    if (d->conv.y.block > 1) {
        return d->aligned;
    }
    return d->conv.y.block_stride == 1 && full;
}

static inline void add_residual(const gt_i_direct_task *s, const gt_i_direct_place *p, int64_t k, int64_t channels, bool whole)
{
    const gt_i_direct *d = s->d;
    const float *z = (const float *)s->args->in[3] + position_offset(d, s->n, p->row, p->column);
    int64_t vector[GT_I_DIRECT_VECTORS];
    if (whole) {
        const int64_t first = vector_offsets(vector, s, p);
        s->width->add(p->partial, z + first, p->width, p->vectors, d->conv.y.w, vector);
    } else {
        add_scattered(d, p->partial, z, k, channels, p->vectors * d->lanes, p->width);
    }
}

/* Epilogue of a register tile whose sums are in scratch: residual, activation, store. */
static inline void finish(const gt_i_direct_task *s, const gt_i_direct_place *p)
{
    const gt_i_direct *d = s->d;
    const gt_epilogue *e = &d->conv.epilogue;
    const int64_t in_group = p->channel_tile * d->vectors * d->lanes, step = p->vectors * d->lanes;
    const int64_t channels = gt_i_min(step, d->conv.kg - in_group), k = s->group * d->conv.kg + in_group;
    const bool whole = stores_whole(d, channels, p->vectors);
    float *y = (float *)s->args->out + position_offset(d, s->n, p->row, p->column);
    int64_t vector[GT_I_DIRECT_VECTORS];
    if (d->conv.residual && e->residual == GT_RESIDUAL_BEFORE) {
        add_residual(s, p, k, channels, whole);
    }
    if (e->act != GT_FN_NONE) {
        s->width->activate(p->partial, p->width * p->vectors, e);
    }
    if (d->conv.residual && e->residual == GT_RESIDUAL_AFTER) {
        add_residual(s, p, k, channels, whole);
    }
    if (whole) {
        const int64_t first = vector_offsets(vector, s, p);
        zero_lanes(p->partial, channels, step, p->width);
        s->width->copy(y + first, p->partial, p->width, p->vectors, d->conv.y.w, vector);
    } else {
        copy_scattered(d, y, p->partial, k, channels, step, p->width);
    }
}

/* The tiles of a run. */
static inline void gt_i_direct_finish(const gt_i_direct_task *s, const gt_i_direct_place *p)
{
    gt_i_direct_place one = *p;
    for (int64_t i = 0; i < p->count; i++) {
        finish(s, &one);
        one.partial += gt_i_direct_slot(s->d);
        one.column += p->along_channels ? 0 : p->width;
        one.channel_tile += p->along_channels;
    }
}

#endif
