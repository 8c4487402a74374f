/* SPDX-License-Identifier: Apache-2.0 */
/* dense.direct and dense.gemm. Either takes an image in any layout, so that a dense behind a flatten never
 * needs a transform. */
#include "ops/dense.h"

#include "ops/blas.h"
#include "src/base/memory.h"

#include <string.h>

enum { KNOB_COLUMNS, KNOB_SHAPE, KNOB_ROWS, KNOB_DEPTH };

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    bool rows_in_order = !w->attrs.dense.rows || in == GT_NCHW;
    bool plain = !w->inputs[0].constant && w->epilogue.residual == GT_RESIDUAL_NONE;
    return plain && out == GT_NCHW && rows_in_order;
}

static int64_t row_count(const gt_workload *w)
{
    return gt_shape_elems(&w->output.shape) / w->inputs[1].shape.dim[0];
}

/* The library gains nothing over a plain pass through the weights when there is one row. */
static bool supports_gemm(const gt_workload *w, gt_layout in, gt_layout out)
{
    return gt_blas_available() && row_count(w) > 1 && supports(w, in, out);
}

/* Floats of one row as it lies. */
static int64_t row_floats(const gt_workload *w, gt_layout in)
{
    const gt_shape *x = &w->inputs[0].shape;
    if (x->rank == 4 && !w->attrs.dense.rows) {
        return gt_layout_strides(in, x).n;
    }
    return gt_shape_elems(x) / row_count(w);
}

static void add_columns(gt_space *space, int64_t k)
{
    gt_knob *knob = gt_i_knob_begin(space, "columns", gt_i_min(64, gt_i_round_up(k, 16)));
    for (int64_t size = 16; size < 2 * k && size <= 1024; size *= 2) {
        gt_i_knob_add(knob, size);
    }
}

static void add_rows(gt_space *space, int64_t rows)
{
    gt_knob *knob = gt_i_knob_begin(space, "rows", gt_i_min(rows, 96));
    for (int64_t size = 12; size < rows && size <= 768; size *= 2) {
        gt_i_knob_add(knob, size);
    }
    gt_i_knob_add(knob, gt_i_min(rows, 4096));
}

static void space_direct(const gt_workload *w, gt_layout in, gt_layout out, gt_space *space)
{
    int64_t rows = row_count(w), depth = row_floats(w, in);
    (void)out;
    add_columns(space, w->inputs[1].shape.dim[0]);
    gt_i_micro_knob(space, rows == 1 ? 4 : 2);
    if (rows > 1) {
        add_rows(space, rows);
        gt_knob *knob = gt_i_knob_begin(space, "depth", gt_i_min(depth, 512));
        for (int64_t size = 256; size < depth && size <= 2048; size *= 2) {
            gt_i_knob_add(knob, size);
        }
        gt_i_knob_add(knob, depth);
    }
}

static void space_gemm(const gt_workload *w, gt_layout in, gt_layout out, gt_space *space)
{
    int64_t k = w->inputs[1].shape.dim[0], rows = row_count(w);
    (void)in;
    (void)out;
    gt_knob *knob = gt_i_knob_begin(space, "columns", gt_i_min(k, 512));
    for (int64_t size = 64; size < k && size <= 2048; size *= 2) {
        gt_i_knob_add(knob, size);
    }
    gt_i_knob_add(knob, k);
    space->knob[space->n++] = (gt_knob){.name = "transposed", .n = 2, .value = {0, 1}};
    knob = gt_i_knob_begin(space, "rows", rows);
    for (int64_t size = 64; size < rows && size <= 1024; size *= 2) {
        gt_i_knob_add(knob, size);
    }
}

/* ---- packing ---- */

/* Calls for every weight: row k's weights in the order in which X lies go to to[0], to[step], … */
static void permute_row(const gt_workload *w, gt_layout in, float *to, int64_t step, const float *weights)
{
    const gt_shape *x = &w->inputs[0].shape;
    if (x->rank != 4 || w->attrs.dense.rows) {
        int64_t depth = w->inputs[1].shape.dim[1];
        for (int64_t f = 0; f < depth; f++) {
            to[f * step] = weights[f];
        }
        return;
    }
    gt_strides s = gt_layout_strides(in, x);
    for (int64_t c = 0; c < x->dim[1]; c++) {
        for (int64_t h = 0; h < x->dim[2]; h++) {
            for (int64_t v = 0; v < x->dim[3]; v++) {
                to[gt_strides_offset(&s, 0, c, h, v) * step] = *weights++;
            }
        }
    }
}

static void pack(const gt_i_dense *p, const gt_kernel *k, bool panels, const void *const *consts)
{
    const float *weights = consts[1], *bias = consts[2];
    int64_t features = k->workload->inputs[1].shape.dim[1];
    float *packed = k->packed;
    memset(packed, 0, k->packed_bytes);
    for (int64_t j = 0; j < p->k; j++) {
        gt_i_panel_column at = {p->transposed ? j : j * p->depth, p->transposed ? p->k : 1};
        if (panels) {
            at = gt_i_micro_column(p->shape, p->lanes, p->columns, p->depth, j);
        }
        permute_row(k->workload, k->in, packed + at.first, at.step, weights + j * features);
    }
    if (bias != NULL) {
        memcpy(packed + p->bias_offset, bias, (size_t)p->k * sizeof *bias);
    }
}

/* ---- preparing ---- */

static void init(gt_i_dense *p, const gt_kernel *k, gt_isa isa)
{
    const gt_workload *w = k->workload;
    p->rows = row_count(w);
    p->depth = row_floats(w, k->in);
    p->k = w->inputs[1].shape.dim[0];
    p->lanes = gt_i_isa_lanes(isa);
    p->epilogue = w->epilogue;
    p->column_chunk = k->config.value[KNOB_COLUMNS];
    p->row_chunk = k->config.n > KNOB_ROWS ? gt_i_min(k->config.value[KNOB_ROWS], p->rows) : 1;
    p->row_chunks = gt_i_div_up(p->rows, p->row_chunk);
}

static gt_status finish_prepare(gt_kernel *k, bool panels, const void *const *consts)
{
    gt_status status = GT_OK;
    gt_i_dense *p = k->params;
    const void *in[3] = {NULL, consts[1], k->workload->n_inputs > 2 ? consts[2] : NULL};
    p->column_chunks = gt_i_div_up(p->columns, p->column_chunk);
    p->bias_offset = gt_i_round_up(p->columns * p->depth, 16);
    GT_TRY(gt_i_kernel_room(k, (size_t)(p->bias_offset + p->columns) * sizeof(float)));
    if (k->adopted == NULL) {
        pack(p, k, panels, in);
    }
    k->tasks[0] = p->row_chunks * p->column_chunks;
done:
    return status;
}

static gt_status prepare_direct(gt_kernel *k, const void *const *consts, gt_isa isa)
{
    gt_status status = GT_OK;
    gt_i_dense *p = NULL;
    GT_TRY(gt_calloc(&k->params, 1, sizeof *p));
    p = k->params;
    init(p, k, isa);
    p->shape = gt_i_micro_shape_of(k->config.value[KNOB_SHAPE]);
    p->columns = gt_i_round_up(p->k, p->lanes);
    p->column_chunk = gt_i_round_up(p->column_chunk, p->lanes * gt_i_micro_vectors(p->shape));
    p->depth_chunk = k->config.n > KNOB_DEPTH ? k->config.value[KNOB_DEPTH] : p->depth;
    k->thread_bytes = (size_t)(p->row_chunk * GT_MICRO_MAX_WIDTH) * sizeof(float);
    k->run = gt_i_kernel(GT_K_dense_direct_f32, isa);
    GT_TRY(finish_prepare(k, true, consts));
done:
    return status;
}

static gt_status prepare_gemm(gt_kernel *k, const void *const *consts, gt_isa isa)
{
    gt_status status = GT_OK;
    gt_i_dense *p = NULL;
    GT_TRY(gt_calloc(&k->params, 1, sizeof *p));
    p = k->params;
    init(p, k, isa);
    p->transposed = k->config.value[KNOB_SHAPE] != 0;
    p->columns = p->k;
    k->run = gt_i_kernel(GT_K_dense_gemm_f32, isa);
    GT_TRY(finish_prepare(k, false, consts));
done:
    return status;
}

const gt_template gt_i_template_dense_direct = {
    .name = "dense.direct",
    .kind = GT_OP_DENSE,
    .rev = 2,
    .supports = supports,
    .space = space_direct,
    .prepare = prepare_direct,
};

const gt_template gt_i_template_dense_gemm = {
    .name = "dense.gemm",
    .kind = GT_OP_DENSE,
    .rev = 1,
    .supports = supports_gemm,
    .space = space_gemm,
    .prepare = prepare_gemm,
};
