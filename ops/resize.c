/* SPDX-License-Identifier: Apache-2.0 */
/* resize.direct: nearest moves elements by a table per axis; linear blends two rows, then pairs
 * of columns. */
#include "ops/resize.h"
#include "ops/general_common_move.h"
#include "ops/kernels.h"
#include "ops/resize_coord.h"

static double source_of(const gt_workload *w, int axis, int64_t at)
{
    return gt_i_resize_source((gt_resize_coord)w->attrs.resize.coord, w->attrs.resize.scale[axis - 2],
                              w->inputs[0].shape.dim[axis], w->output.shape.dim[axis], at);
}

static int64_t nearest(const gt_workload *w, int axis, int64_t at)
{
    if (axis < 2) {
        return at;
    }
    return gt_i_resize_nearest((gt_resize_nearest)w->attrs.resize.nearest, source_of(w, axis, at),
                               w->inputs[0].shape.dim[axis]);
}

static gt_i_resize_tap tap_of(const gt_workload *w, int axis, int64_t at, int64_t step)
{
    int64_t low = 0;
    int64_t high = 0;
    double weight = 0;
    gt_i_resize_linear(source_of(w, axis, at), w->inputs[0].shape.dim[axis], &low, &high, &weight);
    return (gt_i_resize_tap){low * step, high * step, (float)weight};
}

static gt_status prepare_linear(gt_kernel *kernel, gt_isa isa)
{
    const gt_workload *w = kernel->workload;
    const int64_t *to = w->output.shape.dim;
    size_t taps = (size_t)to[2] * sizeof(gt_i_resize_tap) + 3 * (size_t)to[3] * sizeof(float);
    gt_status status = gt_calloc(&kernel->params, 1, sizeof(gt_i_resize) + taps);
    if (status != GT_OK) {
        return status;
    }
    gt_i_resize *p = kernel->params;
    gt_i_resize_tap *rows = (gt_i_resize_tap *)(p + 1);
    int32_t *low = (int32_t *)(rows + to[2]);
    int32_t *high = low + to[3];
    float *weight = (float *)(high + to[3]);
    *p = (gt_i_resize){gt_i_view_of(kernel->in, &w->inputs[0].shape),
                       gt_i_view_of(kernel->out, &w->output.shape),
                       rows, low, high, weight};
    for (int64_t i = 0; i < to[2]; i++) {
        rows[i] = tap_of(w, 2, i, p->in.w * p->in.l);
    }
    for (int64_t i = 0; i < to[3]; i++) {
        gt_i_resize_tap tap = tap_of(w, 3, i, p->in.l);
        low[i] = (int32_t)tap.low;
        high[i] = (int32_t)tap.high;
        weight[i] = tap.weight;
    }
    kernel->thread_bytes = (size_t)(p->in.w * p->in.l) * sizeof(float);
    kernel->tasks[0] = p->out.n * p->out.g * p->out.h;
    kernel->run = gt_i_kernel(GT_K_resize_linear_f32, isa);
    return GT_OK;
}

/* Offsets within a row must fit 32 bits for linear mode. */
static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    const int64_t *dim = w->inputs[0].shape.dim;
    return gt_i_same_layout(w, in, out) &&
           (w->attrs.resize.mode != GT_RESIZE_LINEAR || dim[3] * (in == GT_NHWC ? dim[1] : 16) < INT32_MAX);
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    const gt_workload *w = kernel->workload;
    if (w->attrs.resize.mode == GT_RESIZE_LINEAR) {
        return prepare_linear(kernel, isa);
    }
    return gt_i_move_prepare_axes(kernel, nearest, &w->output.shape, NULL, 0, consts, isa);
}

const gt_template gt_i_template_resize_direct = {
    .name = "resize.direct",
    .kind = GT_OP_RESIZE,
    .rev = 1,
    .supports = supports,
    .prepare = prepare,
};
