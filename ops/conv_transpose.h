/* SPDX-License-Identifier: Apache-2.0 */
/* What conv_transpose2d.direct and its kernel agree on. Private to ops/conv_transpose*. */
#ifndef GT_OPS_CONV_TRANSPOSE_H
#define GT_OPS_CONV_TRANSPOSE_H

#include "ops/matmul_micro.h"

/* Phase 0 copies the input, of any layout, to X[n][h][left + w + right][channel]; phase 1 gathers: of an
 * output row, the pixels of equal x modulo the stride meet the same taps at neighbouring input pixels, so
 * that each such class is a product of rows of X with the panels of those taps' weights. */
typedef struct gt_i_conv_transpose {
    gt_i_conv conv;
    bool depthwise; /* one channel per group in and out: channels are the vectors' lanes */
    gt_i_micro_shape shape;
    int64_t lanes;
    int64_t left, row_pixels; /* zero pixels before, and pixels in a row of X */
    int64_t x_pixel;          /* floats from one pixel of X to the next */
    int64_t columns;          /* of a group: kg (depthwise: C) rounded up to the vector */
    int64_t oc_chunk, oc_chunks;
    int64_t group_floats; /* packed weights of one group */
    int64_t bias_offset;
    int64_t buffer_offset; /* of a row's results in the thread's scratch, in floats, behind the taps' spans */
} gt_i_conv_transpose;

#endif
