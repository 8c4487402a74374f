/* SPDX-License-Identifier: Apache-2.0 */
/* softmax.direct: softmax and log-softmax along any axis, in every layout. */
#include "ops/softmax.h"
#include "ops/kernels.h"

static void space(const gt_workload *w, gt_layout in, gt_layout out, gt_space *s)
{
    (void)w;
    (void)in;
    (void)out;
    s->n = 1;
    s->knob[0] = (gt_knob){"tile", 3, {64, 16, 256}};
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    const gt_workload *w = kernel->workload;
    int64_t axis = w->attrs.softmax.axis;
    bool blocks = gt_layout_is_blocked(kernel->in) && axis == 1;
    gt_i_softmax p = {
        .log = w->attrs.softmax.log,
        .view = gt_i_view_of(kernel->in, &w->output.shape),
        .axis = gt_i_axis_view_of(kernel->in, &w->output.shape, axis),
        .tile = kernel->config.value[0],
    };
    (void)consts;
    if (blocks) {
        p.form = GT_I_SOFTMAX_BLOCKS;
        p.tiles = gt_i_ceil_div(p.view.h * p.view.w, p.tile);
        kernel->tasks[0] = p.view.n * p.tiles;
        kernel->thread_bytes = 2 * (size_t)(p.tile * p.view.l) * sizeof(float);
    } else {
        p.form = p.axis.inner == 1 ? GT_I_SOFTMAX_LINES : GT_I_SOFTMAX_COLUMNS;
        p.tiles = gt_i_ceil_div(p.axis.inner, p.tile);
        kernel->tasks[0] = p.axis.outer * p.tiles;
        gt_i_add_zero_phase(kernel, &p.view);
    }
    return GT_I_SET_PARAMS(kernel, p, GT_K_softmax_direct_f32, isa);
}

const gt_template gt_i_template_softmax_direct = {
    .name = "softmax.direct",
    .kind = GT_OP_SOFTMAX,
    .rev = 2,
    .supports = gt_i_same_layout,
    .space = space,
    .prepare = prepare,
};
