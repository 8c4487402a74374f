/* SPDX-License-Identifier: Apache-2.0 */
/* depthwise.direct: what the packing (depthwise.c) tells the kernels.
 *
 * In NHWC and blocked layouts lanes are channels (depthwise_kernel.c): a register tile holds some
 * positions of one or two output rows. In NCHW lanes are positions of a row (depthwise_row_kernel.c), read
 * from a copy of the task's input rows where padding is real and the columns of each stride phase lie side
 * by side. */
#ifndef GT_OPS_DEPTHWISE_H
#define GT_OPS_DEPTHWISE_H

#include "ops/conv_common.h"

#define GT_I_DEPTHWISE_TILE 8 /* most positions per row of a register tile, lanes as channels */
#define GT_I_DEPTHWISE_WIDE 4 /* most vectors per row of a register tile, lanes as positions */

typedef struct gt_i_depthwise {
    gt_i_conv conv;
    int64_t lanes, tile, tile_rows; /* register tile: positions (or vectors) x rows */
    int64_t task_rows, row_tasks;
    bool clamp, clamp_keeps_zero; /* as in gt_i_direct */
    float lo, hi;

    /* Lanes as channels. */
    bool channels_last;
    bool expand;            /* input channels are gathered into scratch, one per output channel */
    bool partial;           /* fewer channels than lanes in NHWC: stored one by one */
    int64_t vectors;        /* of all output channels; in NHWC the last one may overlap the one before */
    int64_t chunk, chunks;  /* vectors that pass together over a row; the passes, which are separate tasks */
    int64_t vector_floats;  /* packed: bias, then [kernel row][kernel column][lane] */

    /* Rows copied to scratch. */
    int64_t copy_rows, copy_cols; /* rows at most; columns reached (of one phase for lanes as positions) */
    int64_t scratch_tile;         /* floats before a register tile's own memory */

    /* Lanes as positions: packed: bias, then [kernel row][weight_row], per output channel. */
    int64_t weight_row;
} gt_i_depthwise;

/* First output channel of a vector. */
static inline int64_t gt_i_depthwise_channel(const gt_i_depthwise *d, int64_t vector)
{
    int64_t k = vector * d->lanes;
    return d->channels_last && vector > 0 ? gt_i_min(k, d->conv.k - d->lanes) : k;
}

/* A register tile with lanes as channels. */
typedef struct gt_i_depthwise_tile {
    const float *x;
    int64_t origin;         /* elements from x to the first row's and position's first tap */
    int64_t x_h, x_w;       /* input strides */
    int64_t kh, kw, dh, dw, sw;
    int64_t row_begin, row_end; /* input rows in the image, counted from the first output row's first tap */
    int64_t col_begin, col_end; /* input columns in the image, counted from the first position's first tap */
    const float *weights;       /* bias first */
    float *y;
    int64_t y_h, y_w;
    bool clamp;
    float lo, hi;
} gt_i_depthwise_tile;

#endif
