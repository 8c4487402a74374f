/* SPDX-License-Identifier: Apache-2.0 */
/* scale.direct: y = act(x * scale[c] + shift[c]) in every layout. */
#include "ops/scale.h"
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

/* The view of any rank: what follows the channels counts as pixels. One pixel per channel is
 * channels last. */
static gt_i_view view_of(gt_layout layout, const gt_shape *shape)
{
    if (shape->rank == 4) {
        return gt_i_view_of(layout, shape);
    }
    int64_t c = shape->dim[1];
    int64_t pixels = gt_shape_elems(shape) / (shape->dim[0] * c);
    bool flat = pixels == 1;
    return (gt_i_view){shape->dim[0], flat ? 1 : c, 1, pixels, flat ? c : 1, c};
}

/* Long enough to be whole vectors and, for few channels, to make loops over it worthwhile. */
static int64_t pattern_of(const gt_i_view *v)
{
    return v->l == 1 ? 1 : v->g > 1 && v->l <= 16 ? 16 : v->l * gt_i_ceil_div(512, v->l);
}

static gt_status pack(gt_kernel *kernel, const gt_i_scale *p, const float *scale, const float *shift)
{
    gt_status status = gt_i_kernel_room(kernel, (size_t)(p->view.g * p->pattern * 2) * sizeof(float));
    if (status != GT_OK || kernel->adopted != NULL) {
        return status;
    }
    float *to = kernel->packed;
    for (int64_t g = 0; g < p->view.g; g++, to += 2 * p->pattern) {
        for (int64_t i = 0; i < p->pattern; i++) {
            int64_t c = g * p->view.l + i % p->view.l;
            to[i] = c < p->view.c ? scale[c] : 0;
            to[p->pattern + i] = c < p->view.c ? shift[c] : 0;
        }
    }
    return GT_OK;
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    const gt_workload *w = kernel->workload;
    gt_i_scale p = {.view = view_of(kernel->in, &w->output.shape), .epilogue = w->epilogue};
    p.plane = p.view.h * p.view.w * p.view.l;
    p.pattern = pattern_of(&p.view);
    p.chunk = gt_i_ceil_div(kernel->config.value[0], p.pattern) * p.pattern;
    p.chunks = gt_i_ceil_div(p.plane, p.chunk);
    kernel->tasks[0] = p.view.n * p.view.g * p.chunks;
    if (gt_reference_function(w->epilogue.act, w->epilogue.alpha, w->epilogue.beta, 0) != 0) {
        gt_i_add_zero_phase(kernel, &p.view);
    }
    gt_status status = pack(kernel, &p, consts[1], consts[2]);
    return status != GT_OK ? status : GT_I_SET_PARAMS(kernel, p, GT_K_scale_direct_f32, isa);
}

const gt_template gt_i_template_scale_direct = {
    .name = "scale.direct",
    .kind = GT_OP_SCALE,
    .rev = 2,
    .supports = supports,
    .space = space,
    .prepare = prepare,
};
