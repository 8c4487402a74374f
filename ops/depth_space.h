/* SPDX-License-Identifier: Apache-2.0 */
/* Channels that change places, perhaps with positions in a square of pixels: channel_shuffle, depth_to_space
 * and space_to_depth. Output lane `lane` of pixel (y, x) is the input element
 *   offset[y % phases][x % phases][lane] + pixel (y / phases * step, x / phases * step). */
#ifndef GT_OPS_DEPTH_SPACE_H
#define GT_OPS_DEPTH_SPACE_H

#include "ops/general_common.h"

/* Offsets of a lane that is channel padding. */
#define GT_I_NO_CHANNEL (-1)

typedef struct gt_i_depth_space {
    gt_i_view in, out;
    int64_t phases, step;
    const int64_t *offset; /* [phases][phases][stored channels of the output] */
} gt_i_depth_space;

/* The input channel and the position in the square that an output channel takes at phase (i, j). */
typedef struct gt_i_channel_source {
    int64_t c, dy, dx;
} gt_i_channel_source;
typedef gt_i_channel_source (*gt_i_channel_fn)(const gt_workload *w, int64_t c, int64_t i, int64_t j);

gt_status gt_i_depth_space_prepare(gt_kernel *kernel, int64_t phases, int64_t step, gt_i_channel_fn source,
                                   gt_isa isa) GT_NODISCARD;

#endif
