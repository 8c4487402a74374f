/* SPDX-License-Identifier: Apache-2.0 */
/* cast.direct: between f32, i64 and bool, in C order; f32 to f32 in any layout. */
#include "ops/cast.h"
#include "ops/kernels.h"

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    bool floats = w->inputs[0].dtype == GT_F32 && w->output.dtype == GT_F32;
    return in == out && (in == GT_NCHW || floats);
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    const gt_workload *w = kernel->workload;
    gt_i_cast p = {
        .elems = gt_layout_elems(kernel->out, &w->output.shape),
        .from = w->inputs[0].dtype,
        .to = w->output.dtype,
    };
    kernel->tasks[0] = gt_i_ceil_div(p.elems, GT_I_CAST_CHUNK);
    gt_status status = gt_i_pack_inputs(kernel, consts, &p.at);
    return status != GT_OK ? status : GT_I_SET_PARAMS(kernel, p, GT_K_cast_direct, isa);
}

const gt_template gt_i_template_cast_direct = {
    .name = "cast.direct",
    .kind = GT_OP_CAST,
    .rev = 1,
    .supports = supports,
    .prepare = prepare,
};
