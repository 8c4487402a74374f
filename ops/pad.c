/* SPDX-License-Identifier: Apache-2.0 */
/* pad.direct: constant, reflect and edge padding of every axis, in every layout. */
#include "ops/general_common_move.h"

/* Reflection does not repeat the border: position -1 is element 1. */
static int64_t reflect(int64_t i, int64_t size)
{
    int64_t period = size > 1 ? 2 * (size - 1) : 1;
    int64_t folded = (i % period + period) % period;
    return folded < size ? folded : period - folded;
}

static int64_t source(const gt_workload *w, int axis, int64_t at)
{
    int64_t size = w->inputs[0].shape.dim[axis];
    int64_t i = at - w->attrs.pad.before.values[axis];
    if (i >= 0 && i < size) {
        return i;
    }
    switch ((gt_pad_mode)w->attrs.pad.mode) {
    case GT_PAD_REFLECT:
        return reflect(i, size);
    case GT_PAD_EDGE:
        return i < 0 ? 0 : size - 1;
    default:
        return GT_I_FILL;
    }
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    const gt_workload *w = kernel->workload;
    return gt_i_move_prepare_axes(kernel, source, &w->output.shape, NULL, w->attrs.pad.value, consts, isa);
}

const gt_template gt_i_template_pad_direct = {
    .name = "pad.direct",
    .kind = GT_OP_PAD,
    .rev = 1,
    .supports = gt_i_move_supports,
    .prepare = prepare,
};
