/* SPDX-License-Identifier: Apache-2.0 */
/* depthwise.direct: what the packing (depthwise.c) tells the kernels.
 *
 * In NHWC and blocked layouts lanes are channels (depthwise_kernel.c): a register tile holds some positions of one or two
 * output rows. In NCHW lanes are positions of a row (depthwise_row_kernel.c), read
 * from a copy of the task's input rows where padding is real and the columns of each stride phase lie side
 * by side. */
#ifndef GT_OPS_DEPTHWISE_H
#define GT_OPS_DEPTHWISE_H

#include "ops/conv_common.h"

#define GT_I_DEPTHWISE_TILE 8 /* most positions per row of a register tile, lanes as channels */
#define GT_I_DEPTHWISE_WIDE 7 /* most vectors per row of a register tile, lanes as positions */
#define GT_I_DEPTHWISE_BIAS 16 /* floats of a bias that is repeated, lanes as positions */

typedef struct gt_i_depthwise {
    gt_i_conv conv;
    int64_t lanes, tile, tile_rows; /* register tile: positions (or vectors) x rows */
    int64_t task_rows, row_tasks;
    bool clamp, clamp_keeps_zero; /* as in gt_i_direct */
    float lo, hi;                 /* infinite where there is no limit */
    bool any;                     /* paddings that only the register tiles for any kernel take */

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

    /* Lanes as positions: packed: GT_I_DEPTHWISE_BIAS times the bias, then [kernel row][weight_row], per output
     * channel. */
    int64_t weight_row;
} gt_i_depthwise;

/* Element `at` of x, which may lie outside what x points into. */
static inline const float *gt_i_element(const float *x, int64_t at)
{
    return (const float *)((uintptr_t)x + (uintptr_t)at * sizeof *x);
}

/* First output channel of a vector. */
static inline int64_t gt_i_depthwise_channel(const gt_i_depthwise *d, int64_t vector)
{
    int64_t k = vector * d->lanes;
    return d->channels_last && vector > 0 ? gt_i_min(k, d->conv.k - d->lanes) : k;
}

/* What a register tile's function does in one call, with lanes as channels: `groups` groups of output rows, each of `tiles` tiles
 * side by side. Columns are counted in steps of x_w. The function counts the positions on; the fields are those of the first
 * tile. */
typedef struct gt_i_depthwise_patch {
    const float *x;           /* the first tap, which may lie outside the image */
    int64_t x_h, x_w;         /* from kernel row to kernel row, from column to column */
    int64_t group_x;          /* from output row to output row */
    int64_t ih, h;            /* input row of the first tap; rows of the image */
    int64_t kh, kw, sh, sw, dh, dw;
    int64_t row_begin, row_end; /* kernel rows inside the image: set by the function for one output row */
    int outside;                /* which of the first and the last input row are not: for two output rows */
    int64_t col_begin, col_end; /* columns inside the image, counted from the first tap */
    const float *weights;       /* bias first */
    float *y;
    int64_t y_h, y_w;
    int64_t groups, tiles;
    bool clip;                /* there is an upper limit; without a lower one it is -infinity */
    float lo, hi;
} gt_i_depthwise_patch;

#endif
