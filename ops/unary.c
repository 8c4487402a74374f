/* SPDX-License-Identifier: Apache-2.0 */
/* unary.direct: an elementwise function over the tensor's memory, whatever its layout. */
#include "ops/unary.h"
#include "ops/kernels.h"
#include "ops/reference.h"

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    return gt_i_same_layout(w, in, out);
}

static void space(const gt_workload *w, gt_layout in, gt_layout out, gt_space *s)
{
    (void)w;
    (void)in;
    (void)out;
    s->n = 1;
    s->knob[0] = (gt_knob){"chunk", 3, {16384, 4096, 65536}};
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    const gt_workload *w = kernel->workload;
    (void)consts;
    gt_i_unary p = {
        .view = gt_i_view_of(kernel->in, &w->output.shape),
        .chunk = kernel->config.value[0],
        .function = (gt_function)w->attrs.unary.function,
        .alpha = w->attrs.unary.alpha,
        .beta = w->attrs.unary.beta,
    };
    p.total = gt_i_view_elems(&p.view);
    kernel->tasks[0] = gt_i_ceil_div(p.total, p.chunk);
    if (gt_reference_function(p.function, p.alpha, p.beta, 0) != 0) {
        gt_i_add_zero_phase(kernel, &p.view);
    }
    return GT_I_SET_PARAMS(kernel, p, GT_K_unary_direct_f32, isa);
}

const gt_template gt_i_template_unary_direct = {
    .name = "unary.direct",
    .kind = GT_OP_UNARY,
    .rev = 3,
    .supports = supports,
    .space = space,
    .prepare = prepare,
};
