/* SPDX-License-Identifier: Apache-2.0 */
/* tile.direct: repeats along every axis, in every layout. */
#include "ops/general_common_move.h"

static int64_t source(const gt_workload *w, int axis, int64_t at)
{
    return at % w->inputs[0].shape.dim[axis];
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    return gt_i_move_prepare_axes(kernel, source, &kernel->workload->output.shape, NULL, 0, consts, isa);
}

const gt_template gt_i_template_tile_direct = {
    .name = "tile.direct",
    .kind = GT_OP_TILE,
    .rev = 1,
    .supports = gt_i_move_supports,
    .prepare = prepare,
};
