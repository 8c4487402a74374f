/* SPDX-License-Identifier: Apache-2.0 */
/* channel_shuffle.direct, in every layout (X. Zhang et al., "ShuffleNet", CVPR 2018, section 3.1). */
#include "ops/depth_space.h"

static gt_i_channel_source source(const gt_workload *w, int64_t c, int64_t i, int64_t j)
{
    int64_t groups = w->attrs.groups.groups;
    int64_t each = w->output.shape.dim[1] / groups;
    (void)i;
    (void)j;
    return (gt_i_channel_source){c % groups * each + c / groups, 0, 0};
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    (void)consts;
    return gt_i_depth_space_prepare(kernel, 1, 1, source, isa);
}

const gt_template gt_i_template_channel_shuffle_direct = {
    .name = "channel_shuffle.direct",
    .kind = GT_OP_CHANNEL_SHUFFLE,
    .rev = 1,
    .supports = gt_i_same_layout,
    .prepare = prepare,
};
