/* SPDX-License-Identifier: Apache-2.0 */
/* reshape.view: the elements keep their C order, so wherever memory is in C order there is nothing to do. */
#include "ops/general_common.h"

/* Whether a layout's memory is C order: NCHW always; channels last where there is one channel or
 * one pixel. */
static bool is_c_order(gt_layout layout, const gt_shape *shape)
{
    bool trivial = shape->rank == 4 && (shape->dim[1] == 1 || shape->dim[2] * shape->dim[3] == 1);
    return layout == GT_NCHW || (layout == GT_NHWC && trivial);
}

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    return !w->inputs[0].constant && is_c_order(in, &w->inputs[0].shape) && is_c_order(out, &w->output.shape);
}

const gt_template gt_i_template_reshape_view = {
    .name = "reshape.view",
    .kind = GT_OP_RESHAPE,
    .rev = 1,
    .view = true,
    .supports = supports,
};
