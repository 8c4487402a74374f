/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d.direct: what the packing (conv_direct.c, conv_direct_pack.c) tells the kernels (conv_direct_kernel.c,
 * conv_direct_micro_kernel.c).
 *
 * Output channels are vector lanes: a register tile holds `vectors` x `lanes` channels at up to `tile`
 * neighbouring positions of a row. The reduction over (channel, kernel row, kernel column) is one flat list
 * of steps; step i reads its input at offset[i] from the tile's origin and its weights right behind those
 * of step i - 1. So one micro-kernel serves all layouts, kernel sizes, dilations and groups: they differ in
 * the list. The list is ordered by kernel row, so that rows in the padding above or below are cut off at
 * its ends. Padding on the left or right is made real by copying a task's input rows into scratch.
 *
 * What surrounds a tile costs as much as the reduction over a dozen channels, so a micro-kernel is called for
 * a run of tiles: neighbouring positions with the same weights, or the same positions with further channels. */
#ifndef GT_OPS_CONV_DIRECT_H
#define GT_OPS_CONV_DIRECT_H

#include "ops/conv_common.h"

#define GT_I_DIRECT_VECTORS 4 /* most vectors along the channels in a register tile */
#define GT_I_DIRECT_TILE 14   /* most positions in a register tile */
#define GT_I_DIRECT_SCRATCH_TILES 4 /* most register tiles in scratch that are only finished there */
#define GT_I_DIRECT_QUAD 4    /* input values of a step where 4 lie side by side */

/* Steps of one kind: `row_steps` per kernel row. */
typedef struct gt_i_direct_part {
    int64_t row_steps;
    int64_t first;   /* index of its first step in the offset list, which goes [kernel row][row_steps] */
    int64_t weights; /* rows of weights before it, in units of one tile's channels */
} gt_i_direct_part;

/* A stretch of input channels that is reduced in one go: steps of 4 neighbouring values, then steps of one. */
typedef struct gt_i_direct_chunk {
    gt_i_direct_part quad, one;
} gt_i_direct_chunk;

/* One entry of the flat reduction list: its first value. In NHWC the values of a quad may go over into the
 * next column. */
typedef struct gt_i_direct_step {
    int64_t channel, row, column;
    int64_t values; /* 1 or GT_I_DIRECT_QUAD */
} gt_i_direct_step;

/* What follows the sums in registers; other activations are applied to stored sums. */
typedef enum gt_i_direct_end_kind {
    GT_I_DIRECT_STORE,
    GT_I_DIRECT_LOWER,      /* at least low */
    GT_I_DIRECT_CLAMP,      /* at least low, at most high */
    GT_I_DIRECT_HARD_SWISH, /* x times what is clamped of slope x + shift */
} gt_i_direct_end_kind;

typedef struct gt_i_direct_end {
    gt_i_direct_end_kind kind;
    float low, high, slope, shift;
} gt_i_direct_end;

typedef struct gt_i_direct {
    gt_i_conv conv; /* of 1x1 convs without stride and padding, each task's positions are seen as one row */
    int64_t last_ow; /* positions in the last row, conv.ow unless flattened */
    int64_t lanes, vectors, tile;
    int64_t block_tiles; /* register tiles whose weights stay in the cache while a task's positions pass */
    bool aligned;        /* groups start at whole vectors of the output */
    bool uniform;        /* register tiles of a group lie equally far apart in the output */
    gt_i_direct_end end; /* where sums are finished in registers */

    /* The first tiles of a group, which one run can take together, and the last one: whether sums are finished in
     * registers and stored where they belong, or go through scratch. */
    int64_t regular_tiles;
    bool direct, last_direct;

    /* Output channels of a group: vectors, register tiles, and parts that are separate tasks. */
    int64_t group_vectors, group_tiles, oc_tasks;
    int64_t packed_tile; /* positions that biases are packed for: the most of any instruction set, so that all pack the same */
    int64_t tile_floats, group_floats; /* packed floats of a whole register tile's channels, of a group */
    int64_t zero_from;                 /* channels from here to the padded end are filled with zero */

    int64_t task_rows, row_tasks;
    int64_t strip_ow; /* of a strip that is one row of positions: how many an image row has (ops/pair.h); otherwise 0 */

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

/* A task's output rows are cut into tiles of nearly equal width. */
static inline int64_t gt_i_direct_row_tiles(const gt_i_direct *d, int64_t width)
{
    return gt_i_div_up(width, d->tile);
}

/* Floats of a register tile's sums. */
static inline int64_t gt_i_direct_slot(const gt_i_direct *d)
{
    return d->tile * d->vectors * d->lanes;
}

/* A tile's sums are loaded before it is known whether there is one, hence room behind the last. */
static inline int64_t gt_i_direct_room(const gt_i_direct *d)
{
    return d->packed_tile * d->vectors * d->lanes;
}

static inline int64_t gt_i_direct_packed_floats(const gt_i_direct *d)
{
    return d->conv.groups * d->group_floats + gt_i_direct_room(d);
}

/* Most steps that gt_i_direct_list makes. */
static inline int64_t gt_i_direct_most_steps(const gt_i_conv *v)
{
    return gt_i_round_up(v->cg, GT_I_DIRECT_QUAD) * v->kh * v->kw;
}

/* Cuts a group's channels into chunks of `chunk_channels` and lists their steps (room for gt_i_direct_most_steps and for
 * cg chunks); sets n_chunks, table_steps, tile_floats and group_floats. */
void gt_i_direct_list(gt_i_direct *d, gt_i_direct_chunk *chunks, gt_i_direct_step *steps, int64_t chunk_channels);

/* The offsets of all tables, table after table. */
void gt_i_direct_fill_offsets(const gt_i_direct *d, int32_t *offsets, const gt_i_direct_step *steps);

/* Packs the weights of all groups, gt_i_direct_packed_floats: register tile by register tile its bias, once per position,
 * then one row of [vectors][lanes] per value of a step, zero where either channel does not exist. bias NULL: zeros. */
void gt_i_direct_pack(const gt_i_direct *d, float *to, const gt_i_direct_step *steps, const float *weights,
                      const float *bias);

/* What a micro-kernel works on: `count` register tiles one after another, one chunk. *_next: elements from what a
 * tile reads or writes to the same of the next tile. */
typedef struct gt_i_direct_run {
    int64_t count; /* at least 1 */
    const float *x;
    int64_t origin, x_step, x_next; /* from x to position 0, and from a position to the next */
    const int32_t *quad_begin, *quad_end, *one_begin, *one_end; /* offsets of the steps of either kind */
    const float *quad_weights, *one_weights; /* [step][value of the step][vectors][lanes] */
    int64_t weights_next;
    const float *from; /* what the sums begin with, [position][vectors][lanes]; also read behind the last tile */
    int64_t from_next;
    float *y;       /* position t, vector v at y + t * y_step + y_vector[v] */
    const float *z; /* a residual, which lies like y and is added before the end, or NULL */
    int64_t y_step, y_next, y_vector[GT_I_DIRECT_VECTORS];
    gt_i_direct_end end;
} gt_i_direct_run;

/* What depends on the vector width. */
typedef struct gt_i_direct_width {
    /* micro[vectors - 1][positions - 1], NULL where the instruction set has not the registers. */
    void (*micro[GT_I_DIRECT_VECTORS][GT_I_DIRECT_TILE])(const gt_i_direct_run *run);
    /* The activation in place on `count` vectors. */
    void (*activate)(float *values, int64_t count, const gt_epilogue *e);
    /* values += more; vector v of position t of `more` at more + t * step + vector[v]. */
    void (*add)(float *values, const float *more, int64_t positions, int64_t vectors, int64_t step,
                const int64_t *vector);
    /* The same order: to = values. */
    void (*copy)(float *to, const float *values, int64_t positions, int64_t vectors, int64_t step,
                 const int64_t *vector);
} gt_i_direct_width;

/* By the number of lanes: 4, 8, 16; NULL for vectors that the instruction set has not. */
#define GT_I_DIRECT_WIDTHS 17
extern const gt_i_direct_width *const gt_conv_direct_widths_base[GT_I_DIRECT_WIDTHS];
extern const gt_i_direct_width *const gt_conv_direct_widths_avx2[GT_I_DIRECT_WIDTHS];
extern const gt_i_direct_width *const gt_conv_direct_widths_avx512[GT_I_DIRECT_WIDTHS];

#endif
