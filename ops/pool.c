/* SPDX-License-Identifier: Apache-2.0 */
/* pool2d.direct: maximum and average separate into a pass down the rows of the window and one along its
 * columns, in every layout. */
#include "ops/pool.h"
#include "ops/kernels.h"
#include "ops/pair.h"

/* With fewer lanes than this, strided columns are sorted by phase. */
#define SPLIT_LANES 16

/* Short rows are pooled several at a time: reading a row at an odd offset right after it was written would
 * wait for the stores to leave the core. */
#define BATCH_FLOATS 1024
#define MAX_BATCH 8

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    return gt_i_same_layout(w, in, out);
}

/* Narrow tiles keep the pass between rows and columns in the first cache where rows are long
 * (channels last). */
static void space(const gt_workload *w, gt_layout in, gt_layout out, gt_space *s)
{
    static const int32_t tiles[] = {8, 16, 32};
    (void)in;
    (void)out;
    s->n = 1;
    s->knob[0] = (gt_knob){"ow_tile", 1, {0}};
    for (int i = 0; i < 3; i++) {
        if (tiles[i] < w->output.shape.dim[3]) {
            s->knob[0].value[s->knob[0].n++] = tiles[i];
        }
    }
}

/* 1 / how many positions of each window count along one axis (see the oracle on ceil mode), 0 for none;
 * `lanes` times each. */
static void set_factors(float *factor, const gt_workload *w, int axis, int64_t lanes)
{
    int64_t size = w->inputs[0].shape.dim[2 + axis];
    const int64_t *pad = w->attrs.pool.pad;
    int64_t lo = w->attrs.pool.count_pad ? -pad[axis] : 0;
    int64_t hi = w->attrs.pool.count_pad ? size + pad[2 + axis] : size;
    for (int64_t i = 0; i < w->output.shape.dim[2 + axis]; i++) {
        int64_t count = 0;
        for (int64_t r = 0; r < w->attrs.pool.kernel[axis]; r++) {
            int64_t at = i * w->attrs.pool.stride[axis] - pad[axis] + r * w->attrs.pool.dilation[axis];
            count += at >= lo && at < hi;
        }
        for (int64_t l = 0; l < lanes; l++) {
            factor[i * lanes + l] = count > 0 ? 1.0f / (float)count : 0;
        }
    }
}

/* Window rows of every output row that lie in the image: [first, last), empty where there are none. */
static void set_rows(int64_t *first, int64_t *last, const gt_workload *w)
{
    int64_t dilation = w->attrs.pool.dilation[0];
    for (int64_t i = 0; i < w->output.shape.dim[2]; i++) {
        int64_t top = i * w->attrs.pool.stride[0] - w->attrs.pool.pad[0];
        int64_t room = w->inputs[0].shape.dim[2] - top;
        first[i] = top < 0 ? gt_i_ceil_div(-top, dilation) : 0;
        last[i] = room > 0 ? gt_i_min(w->attrs.pool.kernel[0], gt_i_ceil_div(room, dilation)) : 0;
    }
}

/* Where the columns of the window start: in a row, or in a row sorted by phase. */
static void set_columns(int64_t *at, const gt_i_pool *p)
{
    for (int64_t s = 0; s < p->kernel[1]; s++) {
        int64_t column = s * p->dilation[1];
        int64_t sorted = column % p->stride[1] * p->phase_span + column / p->stride[1];
        at[s] = (p->split ? sorted : column) * p->in.l;
    }
}

/* The window, and what a task handles of it. */
static void set_window(gt_i_pool *p, const gt_workload *w)
{
    for (int i = 0; i < 2; i++) {
        p->kernel[i] = w->attrs.pool.kernel[i];
        p->stride[i] = w->attrs.pool.stride[i];
        p->pad[i] = w->attrs.pool.pad[i];
        p->dilation[i] = w->attrs.pool.dilation[i];
    }
    p->strips = gt_i_ceil_div(p->out.w, p->tile);
    p->span = (p->tile - 1) * p->stride[1] + (p->kernel[1] - 1) * p->dilation[1] + 1;
    p->phase_span = gt_i_ceil_div(p->span, p->stride[1]);
    p->split = p->stride[1] > 1 && p->in.l < SPLIT_LANES;
    p->batch = gt_i_min(gt_i_min(MAX_BATCH, p->out.h), gt_i_ceil_div(BATCH_FLOATS, p->span * p->in.l));
    p->batches = gt_i_ceil_div(p->out.h, p->batch);
}

/* Whether ops/pool_window.h has the window's size and stride, and every window meets the image: none lies in the padding. */
static bool is_window(const gt_i_pool *p)
{
    const int64_t size = p->kernel[1], stride = p->stride[1];
    const bool usual = (size == 2 || size == 3) && p->kernel[0] <= size && (stride == 1 || stride == 2) && p->dilation[0] == 1 &&
                       p->dilation[1] == 1;
    bool meets = p->pad[1] < size && (p->out.w - 1) * stride - p->pad[1] < p->in.w;
    for (int64_t row = 0; row < p->out.h; row++) {
        meets = meets && p->first_row[row] < p->last_row[row];
    }
    return usual && meets;
}

gt_status gt_i_pool_prepare_strip(gt_kernel *kernel, const void *const *consts, gt_isa isa, const gt_i_strip *strip)
{
    const gt_workload *w = kernel->workload;
    const int64_t *to = w->output.shape.dim;
    (void)consts;
    size_t tables = (size_t)(2 * to[2] + w->attrs.pool.kernel[1]) * sizeof(int64_t);
    gt_i_view out = gt_i_view_of(kernel->out, &w->output.shape);
    int64_t lanes = out.l <= 16 ? out.l : 1;
    size_t factor_bytes = (size_t)(to[2] + to[3] * lanes) * sizeof(float);
    gt_status status = gt_calloc(&kernel->params, 1, sizeof(gt_i_pool) + tables + factor_bytes);
    if (status != GT_OK) {
        return status;
    }
    gt_i_pool *p = kernel->params;
    int64_t *rows = (int64_t *)(p + 1);
    int64_t *columns = rows + 2 * to[2];
    float *factors = (float *)(columns + w->attrs.pool.kernel[1]);
    *p = (gt_i_pool){
        .in = gt_i_view_of(kernel->in, &w->inputs[0].shape),
        .out = out,
        .maximum = w->attrs.pool.mode == GT_POOL_MAX,
        .tile = kernel->config.value[0] > 0 ? kernel->config.value[0] : to[3],
        .row_factor = factors,
        .column_factor = factors + to[2],
        .factor_lanes = lanes,
        .first_row = rows,
        .last_row = rows + to[2],
        .column_at = columns,
    };
    p->in_plane = strip != NULL && p->in.g > 1 ? strip->x->block_stride : p->in.h * p->in.w * p->in.l;
    set_window(p, w);
    set_factors(factors, w, 0, 1);
    set_factors(factors + to[2], w, 1, lanes);
    set_rows(rows, rows + to[2], w);
    set_columns(columns, p);
    p->window = is_window(p);
    int64_t pixels = p->span + (p->split ? p->phase_span * p->stride[1] : 0);
    kernel->thread_bytes = (size_t)(p->batch * pixels * p->in.l) * sizeof(float);
    kernel->tasks[0] = p->out.n * p->out.g * p->batches * p->strips;
    kernel->run = gt_i_kernel(strip != NULL ? GT_K_pool_direct_rows_f32 : GT_K_pool_direct_f32, isa);
    return GT_OK;
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    return gt_i_pool_prepare_strip(kernel, consts, isa, NULL);
}

const gt_template gt_i_template_pool_direct = {
    .name = "pool2d.direct",
    .kind = GT_OP_POOL2D,
    .rev = 2,
    .supports = supports,
    .space = space,
    .prepare = prepare,
};
