/* SPDX-License-Identifier: Apache-2.0 */
/* lrn.direct: local response normalisation across channels, y = x / (bias + alpha/size * sum x^2)^beta, in
 * every layout (A. Krizhevsky et al., NIPS 2012, section 3.3, as ONNX writes it). */
#include "ops/lrn.h"
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
    int64_t size = w->attrs.lrn.size;
    gt_i_view v = gt_i_view_of(kernel->in, &w->output.shape);
    /* A window wider than all channels is the same as one that just covers them; this bounds the
     * workspace. */
    gt_i_lrn p = {
        .view = v,
        .before = gt_i_min((size - 1) / 2, v.c),
        .after = gt_i_min(size - 1 - (size - 1) / 2, v.c),
        .alpha = (float)((double)w->attrs.lrn.alpha / (double)size),
        .beta = w->attrs.lrn.beta,
        .bias = w->attrs.lrn.bias,
        .tile = kernel->config.value[0],
    };
    (void)consts;
    p.tiles = gt_i_ceil_div(v.h * v.w, p.tile);
    kernel->tasks[0] = v.n * p.tiles;
    kernel->thread_bytes = (size_t)(2 * v.g * v.l + p.before + p.after + 16) * sizeof(float);
    return GT_I_SET_PARAMS(kernel, p, GT_K_lrn_direct_f32, isa);
}

const gt_template gt_i_template_lrn_direct = {
    .name = "lrn.direct",
    .kind = GT_OP_LRN,
    .rev = 1,
    .supports = gt_i_same_layout,
    .space = space,
    .prepare = prepare,
};
