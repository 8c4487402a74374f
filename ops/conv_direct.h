/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d.direct: what the packing (conv_direct.c) tells the kernels (conv_direct_kernel.c).
 *
 * Output channels are vector lanes: a register tile holds `vectors` x `lanes` channels at up to `tile`
 * neighbouring positions of a row. The reduction over (channel, kernel row, kernel column) is one flat list
 * of steps; step i reads its input at offset[i] from the tile's origin and its weights right behind those
 * of step i - 1. So one micro-kernel serves all layouts, kernel sizes, dilations and groups: they differ in
 * the list. The list is ordered by kernel row, so that rows in the padding above or below are cut off at
 * its ends. Padding on the left or right is made real by copying a task's input rows into scratch. */
#ifndef GT_OPS_CONV_DIRECT_H
#define GT_OPS_CONV_DIRECT_H

#include "ops/conv_common.h"

#define GT_I_DIRECT_VECTORS 4 /* most vectors along the channels in a register tile */
#define GT_I_DIRECT_TILE 14   /* most positions in a register tile */
#define GT_I_DIRECT_QUAD 4    /* channels per step where 4 channels lie side by side */

/* A stretch of input channels that is reduced in one go. A step covers 4 neighbouring channels (quad) or 1.
 * */
typedef struct gt_i_direct_chunk {
    bool quad;
    int64_t row_steps; /* steps per kernel row */
    int64_t first;     /* index of its first step in the offset list, which goes [kernel row][row_steps] */
    int64_t weights;   /* steps' weight rows before it, in units of one channel's vectors */
} gt_i_direct_chunk;

typedef struct gt_i_direct {
    gt_i_conv conv; /* 1x1 convs without stride and padding are seen as rows of one tile each */
    int64_t last_ow; /* positions in the last row, conv.ow unless flattened */
    int64_t lanes, vectors, tile;
    bool stay_input; /* loop order: a tile's input stays while the channels pass, or the other way round */
    bool aligned;    /* groups start at whole vectors of the output */
    bool clamp, clamp_keeps_zero; /* the activation is a clamp; it maps 0 to 0 */
    float lo, hi;

    /* Output channels of a group: vectors, register tiles, and parts that are separate tasks. */
    int64_t group_vectors, group_tiles, oc_tasks;
    int64_t tile_floats, group_floats; /* packed floats of a whole register tile's channels, of a group */
    int64_t zero_from;                 /* channels from here to the padded end are filled with zero */

    int64_t task_rows, row_tasks;

    /* The input as the offsets see it: the tensor itself or the copied rows. */
    bool copy, channels_last;
    int64_t copy_rows, copy_cols; /* capacity per channel block */
    int64_t view_block, view_h, view_w;

    int64_t scratch_partial; /* where the partial sums start in a thread's scratch, floats */
    int64_t tables;          /* offset lists: 1, or one per group */
    int64_t table_steps;     /* entries of one */
    int64_t n_chunks;
    int64_t chunks_at, offsets_at; /* byte positions of the arrays behind this struct */
} gt_i_direct;

static inline const gt_i_direct_chunk *gt_i_direct_chunks(const gt_i_direct *d)
{
    return (const gt_i_direct_chunk *)((const char *)d + d->chunks_at);
}

static inline const int32_t *gt_i_direct_offsets(const gt_i_direct *d, int64_t group)
{
    return (const int32_t *)((const char *)d + d->offsets_at) + (d->tables > 1 ? group : 0) * d->table_steps;
}

/* The first and one-past-last channel blocks that hold a group's input channels; channels for NHWC. */
static inline int64_t gt_i_direct_first_block(const gt_i_direct *d, int64_t group)
{
    return group * d->conv.cg / d->conv.x.block;
}

static inline int64_t gt_i_direct_end_block(const gt_i_direct *d, int64_t group)
{
    return gt_i_div_up((group + 1) * d->conv.cg, d->conv.x.block);
}

/* Output rows of a task are cut into tiles of nearly equal width. */
static inline int64_t gt_i_direct_row_tiles(const gt_i_direct *d, int64_t width)
{
    return gt_i_div_up(width, d->tile);
}

/* What a micro-kernel works on: one register tile, one chunk. */
typedef struct gt_i_direct_tile {
    const float *x;
    int64_t origin, x_step; /* elements from x to position 0, and from a position to the next */
    const int32_t *offset;
    int64_t steps;
    const float *weights; /* [step][channel of the step][vectors][lanes] */
    const float *bias;    /* [vectors][lanes], or NULL to go on from `partial` */
    const float *partial; /* [position][vectors][lanes] */
    float *y;             /* position t, vector v at y + t * y_step + y_vector[v] */
    int64_t y_step, y_vector[GT_I_DIRECT_VECTORS];
    bool clamp;
    float lo, hi;
} gt_i_direct_tile;

#endif
