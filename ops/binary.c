/* SPDX-License-Identifier: Apache-2.0 */
/* binary.direct: numpy broadcasting over the memory of any layout, with the activation fused. */
#include "ops/binary.h"
#include "ops/kernels.h"

/* Rows shorter than this are gathered into longer ones. */
#define SHORT_ROW 256

/* The output's axes in memory order with the operands' strides along them. */
typedef struct axes {
    int n;
    int64_t count[GT_MAX_RANK + 1];
    int64_t stride[2][GT_MAX_RANK + 1];
} axes;

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    return in == out && (in == GT_NCHW || w->output.shape.rank == 4);
}

static void space(const gt_workload *w, gt_layout in, gt_layout out, gt_space *s)
{
    (void)w;
    (void)in;
    (void)out;
    s->n = 1;
    s->knob[0] = (gt_knob){"chunk", 4, {4096, 1024, 2048, 16384}};
}

static void add_axis(axes *x, int64_t count, int64_t stride_a, int64_t stride_b)
{
    if (count == 1) {
        return;
    }
    int last = x->n - 1;
    bool merges = last >= 0 && x->stride[0][last] == stride_a * count &&
                  x->stride[1][last] == stride_b * count;
    int at = merges ? last : x->n++;
    x->count[at] = merges ? x->count[at] * count : count;
    x->stride[0][at] = stride_a;
    x->stride[1][at] = stride_b;
}

/* C order, any rank. */
static void axes_c_order(axes *x, const gt_workload *w)
{
    const gt_shape *shape = &w->output.shape;
    int64_t stride[2][GT_MAX_RANK] = {{0}};
    for (int i = 0; i < 2; i++) {
        int64_t step = 1;
        for (int d = shape->rank - 1; d >= 0; d--) {
            stride[i][d] = w->inputs[i].shape.dim[d] == 1 ? 0 : step;
            step *= w->inputs[i].shape.dim[d];
        }
    }
    for (int d = 0; d < shape->rank; d++) {
        add_axis(x, shape->dim[d], stride[0][d], stride[1][d]);
    }
}

static void axes_image(axes *x, const gt_workload *w, gt_layout layout)
{
    gt_i_view out = gt_i_view_of(layout, &w->output.shape);
    int64_t count[5] = {out.n, out.g, out.h, out.w, out.l};
    int64_t stride[2][5] = {{0}};
    for (int i = 0; i < 2; i++) {
        gt_i_view v = gt_i_view_of(layout, &w->inputs[i].shape);
        int64_t row = v.w * v.l;
        bool channels = v.c == out.c;
        stride[i][0] = v.n == 1 ? 0 : v.g * v.h * row;
        stride[i][1] = channels ? v.h * row : 0;
        stride[i][2] = v.h == 1 ? 0 : row;
        stride[i][3] = v.w == 1 ? 0 : v.l;
        stride[i][4] = channels ? 1 : 0;
    }
    for (int d = 0; d < 5; d++) {
        add_axis(x, count[d], stride[0][d], stride[1][d]);
    }
}

static gt_i_binary_access access_of(const gt_i_binary_operand *o, const gt_i_binary *p)
{
    if (o->rows == 0 && o->row == 0) {
        return GT_I_SCALAR;
    }
    if (p->rows == 1 || p->row >= SHORT_ROW) {
        return o->row == 0 ? GT_I_SCALAR : GT_I_FLAT;
    }
    return o->row == 1 && o->rows == p->row ? GT_I_FLAT : GT_I_EXPAND;
}

static void set_loops(gt_i_binary *p, const axes *x, int64_t chunk)
{
    p->n_outer = x->n > 2 ? x->n - 2 : 0;
    p->row = x->n > 0 ? x->count[x->n - 1] : 1;
    p->rows = x->n > 1 ? x->count[x->n - 2] : 1;
    for (int d = 0; d < p->n_outer; d++) {
        p->outer[d] = x->count[d];
    }
    for (int i = 0; i < 2; i++) {
        gt_i_binary_operand *o = &p->operand[i];
        o->row = x->n > 0 ? x->stride[i][x->n - 1] : 0;
        o->rows = x->n > 1 ? x->stride[i][x->n - 2] : 0;
        for (int d = 0; d < p->n_outer; d++) {
            o->outer[d] = x->stride[i][d];
        }
        o->access = access_of(o, p);
    }
    bool short_rows = p->rows > 1 && p->row < SHORT_ROW;
    p->tile_rows = short_rows ? gt_i_min(p->rows, gt_i_ceil_div(chunk, p->row)) : 1;
    p->tile_row = short_rows ? p->row : gt_i_min(p->row, chunk);
    p->tiles = gt_i_ceil_div(p->rows, p->tile_rows);
    p->chunks = gt_i_ceil_div(p->row, p->tile_row);
}

/* Whether zero lanes stay zero: both operands have their own zero padding there and f(0, 0) = act(0) = 0. */
static bool keeps_padding(const gt_workload *w)
{
    gt_function act = w->epilogue.act;
    int64_t f = w->attrs.binary.function;
    bool own = w->inputs[0].shape.dim[1] == w->inputs[1].shape.dim[1];
    return own && f != GT_BINARY_DIV && f != GT_BINARY_POW && (act == GT_FN_NONE || act == GT_FN_RELU);
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    const gt_workload *w = kernel->workload;
    axes x = {0};
    gt_i_binary p = {
        .view = gt_i_view_of(kernel->in, &w->output.shape),
        .function = (gt_binary_function)w->attrs.binary.function,
        .epilogue = w->epilogue,
    };
    if (w->output.shape.rank == 4) {
        axes_image(&x, w, kernel->in);
    } else {
        axes_c_order(&x, w);
    }
    set_loops(&p, &x, kernel->config.value[0]);
    kernel->tasks[0] = p.tiles * p.chunks;
    for (int d = 0; d < p.n_outer; d++) {
        kernel->tasks[0] *= p.outer[d];
    }
    kernel->thread_bytes = 2 * (size_t)(p.tile_rows * p.tile_row) * sizeof(float);
    if (!keeps_padding(w)) {
        gt_i_add_zero_phase(kernel, &p.view);
    }
    gt_status status = gt_i_pack_inputs(kernel, consts, p.at);
    return status != GT_OK ? status : GT_I_SET_PARAMS(kernel, p, GT_K_binary_direct_f32, isa);
}

const gt_template gt_i_template_binary_direct = {
    .name = "binary.direct",
    .kind = GT_OP_BINARY,
    .rev = 2,
    .supports = supports,
    .space = space,
    .prepare = prepare,
};
