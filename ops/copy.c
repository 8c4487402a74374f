/* SPDX-License-Identifier: Apache-2.0 */
/* copy.direct: the same bytes, for any type and layout. A constant input is packed and copied from there. */
#include "ops/copy.h"
#include "ops/kernels.h"

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    (void)w;
    return in == out;
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    const gt_workload *w = kernel->workload;
    int64_t elems = gt_layout_elems(kernel->out, &w->output.shape);
    gt_i_copy p = {.bytes = elems * (int64_t)gt_dtype_bytes(w->output.dtype)};
    kernel->tasks[0] = gt_i_ceil_div(p.bytes, GT_I_COPY_CHUNK);
    gt_status status = gt_i_pack_inputs(kernel, consts, &p.at);
    return status != GT_OK ? status : GT_I_SET_PARAMS(kernel, p, GT_K_copy_direct, isa);
}

const gt_template gt_i_template_copy_direct = {
    .name = "copy.direct",
    .kind = GT_OP_COPY,
    .rev = 1,
    .supports = supports,
    .prepare = prepare,
};
