/* SPDX-License-Identifier: Apache-2.0 */
/* reduce.direct: mean, sum or maximum along any axes. Works on the axes in memory order, so a layout only
 * changes which axes are where; global pooling also writes any output layout. */
#include "ops/reduce.h"
#include "ops/kernels.h"

/* The input's axes in memory order. */
typedef struct axes {
    int n;
    int64_t count[GT_I_REDUCE_AXES], in[GT_I_REDUCE_AXES], out[GT_I_REDUCE_AXES];
    bool reduced[GT_I_REDUCE_AXES];
} axes;

static bool is_reduced(const gt_workload *w, int axis)
{
    const gt_int_list *list = &w->attrs.reduce.axes;
    for (int64_t i = 0; i < list->count; i++) {
        if (list->values[i] == axis) {
            return true;
        }
    }
    return false;
}

/* Pools of whole images: [N, C, H, W] over H and W. */
static bool is_global(const gt_workload *w)
{
    bool pair = w->inputs[0].shape.rank == 4 && w->attrs.reduce.axes.count == 2;
    return pair && is_reduced(w, 2) && is_reduced(w, 3);
}

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    if (w->inputs[0].constant) {
        return false;
    }
    bool image = w->inputs[0].shape.rank == 4;
    if (in == GT_NCHW && out == GT_NCHW) {
        return true;
    }
    if (!image || is_global(w)) {
        return image;
    }
    if (!w->attrs.reduce.keepdims) {
        /* What is left of channels last is in C order where the channels, or all pixels, are gone. */
        return in == GT_NHWC && out == GT_NCHW && is_reduced(w, 1);
    }
    bool block_padding = w->inputs[0].shape.dim[1] % gt_layout_block(in) != 0;
    return in == out && (in == GT_NHWC || !is_reduced(w, 1) || w->attrs.reduce.mode != GT_REDUCE_MAX ||
                         !block_padding);
}

static void axes_c_order(axes *x, const gt_workload *w)
{
    const gt_shape *shape = &w->inputs[0].shape;
    for (int d = 0; d < shape->rank; d++) {
        x->count[x->n] = shape->dim[d];
        x->reduced[x->n++] = is_reduced(w, d);
    }
}

static void axes_image(axes *x, const gt_workload *w, gt_layout layout)
{
    gt_i_view v = gt_i_view_of(layout, &w->inputs[0].shape);
    int64_t count[5] = {v.n, v.g, v.h, v.w, v.l};
    int axis[5] = {0, 1, 2, 3, 1};
    for (int i = 0; i < 5; i++) {
        x->count[i] = count[i];
        x->reduced[i] = is_reduced(w, axis[i]);
    }
    x->n = 5;
}

static void set_strides(axes *x, int64_t out_step)
{
    int64_t in = 1;
    int64_t out = out_step;
    for (int d = x->n - 1; d >= 0; d--) {
        x->in[d] = in;
        x->out[d] = x->reduced[d] ? 0 : out;
        in *= x->count[d];
        out *= x->reduced[d] ? 1 : x->count[d];
    }
}

/* Drops axes of one element and joins neighbours of the same sort. */
static void merge(axes *x)
{
    axes m = {0};
    for (int d = 0; d < x->n; d++) {
        int last = m.n - 1;
        if (x->count[d] == 1) {
            continue;
        }
        bool joins = last >= 0 && m.reduced[last] == x->reduced[d] && m.in[last] == x->in[d] * x->count[d] &&
                     m.out[last] == x->out[d] * x->count[d];
        int at = joins ? last : m.n++;
        m.count[at] = joins ? m.count[at] * x->count[d] : x->count[d];
        m.in[at] = x->in[d];
        m.out[at] = x->out[d];
        m.reduced[at] = x->reduced[d];
    }
    *x = m;
}

static void set_loops(gt_i_reduce *p, const axes *x)
{
    int last = x->n - 1;
    p->inner_kept = last < 0 || !x->reduced[last];
    p->inner = last < 0 ? 1 : x->count[last];
    p->inner_out = last < 0 ? 1 : x->out[last];
    for (int d = 0; d < last; d++) {
        if (x->reduced[d]) {
            p->reduced[p->n_reduced] = x->count[d];
            p->reduced_in[p->n_reduced++] = x->in[d];
        } else {
            p->kept[p->n_kept] = x->count[d];
            p->kept_in[p->n_kept] = x->in[d];
            p->kept_out[p->n_kept++] = x->out[d];
        }
    }
    p->tiles = p->inner_kept ? gt_i_ceil_div(p->inner, GT_I_REDUCE_TILE) : 1;
}

/* Global pooling writes channel c of image n to n * (stored channels) + c in every layout. */
static void set_global(axes *x, gt_i_reduce *p, const gt_kernel *kernel)
{
    const gt_workload *w = kernel->workload;
    gt_i_view v = gt_i_view_of(kernel->in, &w->inputs[0].shape);
    int64_t c = w->inputs[0].shape.dim[1];
    int64_t stored = w->output.shape.rank == 4 ? p->out.g * p->out.l : c;
    x->out[0] = stored;
    x->out[1] = v.l;
    x->out[4] = 1;
    /* Where the output stores other padding than the input, only lanes that are channels may be written. */
    if (gt_i_view_padded(&v) && stored != v.g * v.l) {
        p->channels = c;
    }
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    const gt_workload *w = kernel->workload;
    axes x = {0};
    double count = (double)gt_shape_elems(&w->inputs[0].shape) / (double)gt_shape_elems(&w->output.shape);
    (void)consts;
    gt_i_reduce p = {
        .out = gt_i_view_of(kernel->out, &w->output.shape),
        .mode = (gt_reduce_mode)w->attrs.reduce.mode,
        .factor = w->attrs.reduce.mode == GT_REDUCE_MEAN ? (float)(1.0 / count) : 1,
    };
    bool image = w->inputs[0].shape.rank == 4;
    if (image) {
        axes_image(&x, w, kernel->in);
    } else {
        axes_c_order(&x, w);
    }
    set_strides(&x, image && is_reduced(w, 1) ? p.out.l : 1);
    if (is_global(w)) {
        set_global(&x, &p, kernel);
    }
    merge(&x);
    set_loops(&p, &x);
    bool one_group = p.inner != gt_i_view_of(kernel->in, &w->inputs[0].shape).l;
    p.groups = one_group ? 1 : gt_i_ceil_div(p.channels, p.inner);
    kernel->tasks[0] = p.tiles;
    for (int d = 0; d < p.n_kept; d++) {
        kernel->tasks[0] *= p.kept[d];
    }
    kernel->thread_bytes = GT_I_REDUCE_TILE * sizeof(float);
    gt_i_add_zero_phase(kernel, &p.out);
    return GT_I_SET_PARAMS(kernel, p, GT_K_reduce_direct_f32, isa);
}

const gt_template gt_i_template_reduce_direct = {
    .name = "reduce.direct",
    .kind = GT_OP_REDUCE,
    .rev = 1,
    .supports = supports,
    .prepare = prepare,
};
