/* SPDX-License-Identifier: Apache-2.0 */
/* What conv2d.gemm_1x1, conv2d.im2col_gemm and their kernel agree on. Private to ops/conv_gemm*. */
#ifndef GT_OPS_CONV_GEMM_H
#define GT_OPS_CONV_GEMM_H

#include "ops/conv_common.h"
#include "ops/kernels.h"

/* One GEMM per group and chunk. With channels first Y[kg, pixels] = W[kg, depth] X[depth, pixels], depth
 * running over (c, r, s) and the pixels of one image; with channels last Y[pixels, kg] = X[pixels, depth]
 * W[depth, kg], depth running over (r, s, c) and the pixels of the whole batch. */
typedef struct gt_i_conv_gemm {
    gt_i_conv conv;
    bool channels_last;
    bool in_place;   /* the input is X as it lies: 1x1, stride 1, no padding */
    bool transposed; /* the weights are stored with the reduction as the slow (channels last: fast) axis */
    int64_t depth;   /* cg * kh * kw */
    int64_t pixels;  /* of an image, or of the batch */
    int64_t pixel_chunk, depth_chunk, oc_chunk;
    int64_t pixel_chunks, oc_chunks;
    int64_t bias_offset; /* in the packed constants, in floats */
} gt_i_conv_gemm;

#endif
