/* SPDX-License-Identifier: Apache-2.0 */
/* What the Winograd templates and their kernels agree on. Private to ops/conv_winograd*. */
#ifndef GT_OPS_CONV_WINOGRAD_H
#define GT_OPS_CONV_WINOGRAD_H

#include "ops/matmul_micro.h"

/* The output of an m x m tile needs an (m+2) x (m+2) patch of the input, transformed into as many points.
 *
 *   V[point][tile][channel]                 transformed input, rows of `v_row` floats
 *   U[oc block][point][panels of the block] transformed weights, packed ahead; then the bias
 *   M[point][tile][oc]                      their product
 *
 * Points are `v_point` and `m_point` floats apart, a little more than they need: the transforms write one
 * vector per point, and a power of two between them would put all into the same cache set. */
typedef struct gt_i_winograd {
    gt_i_conv conv;
    int64_t m, points;
    int64_t tiles_y, tiles_x, tiles; /* over the whole batch */
    int64_t tile_block;
    bool fused; /* all phases per block of tiles in thread scratch, otherwise three in shared workspace */
    gt_i_micro_shape shape;
    int64_t lanes;             /* of the multiplication's vectors */
    int64_t in_lanes, out_lanes; /* of the transforms' vectors, at most a layout's block */
    int64_t depth;             /* C rounded up to 4 */
    int64_t v_row, v_point;
    int64_t columns;           /* K rounded up to `lanes` */
    int64_t oc_block, oc_blocks;
    int64_t m_row, m_point;
    int64_t m_offset;    /* of M behind V, in floats */
    int64_t bias_offset; /* in the packed constants, in floats; 0 without a bias */
    int64_t in_lane_stride, out_lane_stride; /* between neighbouring channels of one pixel */
} gt_i_winograd;

#endif
