/* SPDX-License-Identifier: Apache-2.0 */
/* depth_to_space.direct and space_to_depth.direct, in every layout. */
#include "ops/depth_space.h"
#include "ops/kernels.h"

static int64_t element(const gt_i_view *in, gt_i_channel_source s)
{
    return ((s.c / in->l * in->h + s.dy) * in->w + s.dx) * in->l + s.c % in->l;
}

gt_status gt_i_depth_space_prepare(gt_kernel *kernel, int64_t phases, int64_t step, gt_i_channel_fn source,
                                   gt_isa isa)
{
    const gt_workload *w = kernel->workload;
    gt_i_view out = gt_i_view_of(kernel->out, &w->output.shape);
    int64_t lanes = out.g * out.l;
    size_t table = (size_t)(phases * phases * lanes) * sizeof(int64_t);
    gt_status status = gt_calloc(&kernel->params, 1, sizeof(gt_i_depth_space) + table);
    if (status != GT_OK) {
        return status;
    }
    gt_i_depth_space *p = kernel->params;
    int64_t *offset = (int64_t *)(p + 1);
    *p = (gt_i_depth_space){gt_i_view_of(kernel->in, &w->inputs[0].shape), out, phases, step, offset};
    for (int64_t i = 0; i < phases * phases; i++) {
        for (int64_t c = 0; c < lanes; c++) {
            int64_t *to = &offset[i * lanes + c];
            *to = c < out.c ? element(&p->in, source(w, c, i / phases, i % phases)) : GT_I_NO_CHANNEL;
        }
    }
    /* Without squares rows are only pixels one after another: long rows cost less. */
    if (phases == 1 && step == 1) {
        p->out.w *= p->out.h;
        p->in.w *= p->in.h;
        p->out.h = p->in.h = 1;
    }
    kernel->tasks[0] = p->out.n * p->out.g * p->out.h;
    kernel->run = gt_i_kernel(GT_K_depth_space_direct_f32, isa);
    return GT_OK;
}

static gt_i_channel_source deep_source(const gt_workload *w, int64_t c, int64_t i, int64_t j)
{
    int64_t block = w->attrs.block.block;
    int64_t position = i * block + j;
    int64_t channels = w->output.shape.dim[1];
    bool crd = w->attrs.block.crd;
    return (gt_i_channel_source){crd ? c * block * block + position : position * channels + c, 0, 0};
}

static gt_i_channel_source large_source(const gt_workload *w, int64_t c, int64_t i, int64_t j)
{
    int64_t block = w->attrs.block.block;
    int64_t channels = w->inputs[0].shape.dim[1];
    int64_t position = c / channels;
    (void)i;
    (void)j;
    return (gt_i_channel_source){c % channels, position / block, position % block};
}

static gt_status prepare_depth_to_space(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    (void)consts;
    return gt_i_depth_space_prepare(kernel, kernel->workload->attrs.block.block, 1, deep_source, isa);
}

static gt_status prepare_space_to_depth(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    (void)consts;
    return gt_i_depth_space_prepare(kernel, 1, kernel->workload->attrs.block.block, large_source, isa);
}

const gt_template gt_i_template_depth_to_space_direct = {
    .name = "depth_to_space.direct",
    .kind = GT_OP_DEPTH_TO_SPACE,
    .rev = 1,
    .supports = gt_i_same_layout,
    .prepare = prepare_depth_to_space,
};

const gt_template gt_i_template_space_to_depth_direct = {
    .name = "space_to_depth.direct",
    .kind = GT_OP_SPACE_TO_DEPTH,
    .rev = 1,
    .supports = gt_i_same_layout,
    .prepare = prepare_space_to_depth,
};
