/* SPDX-License-Identifier: Apache-2.0 */
/* slice.direct: any start and step along every axis, in every layout. */
#include "ops/general_common_move.h"

static int64_t source(const gt_workload *w, int axis, int64_t at)
{
    return w->attrs.slice.start.values[axis] + at * w->attrs.slice.step.values[axis];
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    return gt_i_move_prepare_axes(kernel, source, &kernel->workload->output.shape, NULL, 0, consts, isa);
}

const gt_template gt_i_template_slice_direct = {
    .name = "slice.direct",
    .kind = GT_OP_SLICE,
    .rev = 1,
    .supports = gt_i_move_supports,
    .prepare = prepare,
};
