/* SPDX-License-Identifier: Apache-2.0 */
/* argmax.direct: the index of the largest element along an axis; C order, and along the channels of
 * channels-last images, whose result is in C order too. */
#include "ops/argmax.h"
#include "ops/kernels.h"

#define TILE 256

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    bool floats = w->inputs[0].dtype == GT_F32 && !w->inputs[0].constant;
    bool pixels = in == GT_NHWC && w->inputs[0].shape.rank == 4 && w->attrs.argmax.axis == 1;
    return floats && out == GT_NCHW && (in == GT_NCHW || pixels);
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    const gt_workload *w = kernel->workload;
    gt_i_argmax p = {
        .axis = gt_i_axis_view_of(kernel->in, &w->inputs[0].shape, w->attrs.argmax.axis),
        .tile = TILE,
        .last = w->attrs.argmax.last,
    };
    (void)consts;
    p.tiles = gt_i_ceil_div(p.axis.inner, p.tile);
    kernel->tasks[0] = p.axis.outer * p.tiles;
    return GT_I_SET_PARAMS(kernel, p, GT_K_argmax_direct, isa);
}

const gt_template gt_i_template_argmax_direct = {
    .name = "argmax.direct",
    .kind = GT_OP_ARGMAX,
    .rev = 1,
    .supports = supports,
    .prepare = prepare,
};
