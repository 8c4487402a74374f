/* SPDX-License-Identifier: Apache-2.0 */
/* gather.direct: constant indices along one axis, in C order. */
#include "ops/general_common_move.h"

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    (void)w;
    return in == GT_NCHW && out == GT_NCHW;
}

static int64_t source(const gt_workload *w, int axis, int64_t at)
{
    if (axis != w->attrs.gather.axis) {
        return at;
    }
    int64_t index = w->attrs.gather.indices.values[at];
    return index < 0 ? index + w->inputs[0].shape.dim[axis] : index;
}

/* A scalar index removes the axis; in memory that is the same as leaving it with one element. */
static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    gt_shape out = kernel->workload->inputs[0].shape;
    out.dim[kernel->workload->attrs.gather.axis] = kernel->workload->attrs.gather.indices.count;
    return gt_i_move_prepare_axes(kernel, source, &out, NULL, 0, consts, isa);
}

const gt_template gt_i_template_gather_direct = {
    .name = "gather.direct",
    .kind = GT_OP_GATHER,
    .rev = 1,
    .supports = supports,
    .prepare = prepare,
};
