/* SPDX-License-Identifier: Apache-2.0 */
/* matmul.direct and matmul.gemm: products of matrices in C order. */
#include "ops/matmul.h"

#include "ops/blas.h"
#include "src/base/memory.h"

#include <string.h>

enum { KNOB_ROWS, KNOB_COLUMNS, KNOB_VECTORS, KNOB_DEPTH, KNOB_PACK };

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    return in == GT_NCHW && out == GT_NCHW && w->inputs[0].shape.rank >= 2 && w->inputs[1].shape.rank >= 2;
}

static bool supports_gemm(const gt_workload *w, gt_layout in, gt_layout out)
{
    return gt_blas_available() && supports(w, in, out);
}

static int64_t last_dim(const gt_shape *s, int from_end)
{
    return s->dim[s->rank - from_end];
}

static int64_t matrices(const gt_shape *s)
{
    return gt_shape_elems(s) / last_dim(s, 1) / last_dim(s, 2);
}

/* B is one matrix: A's batch axes are more rows. */
static bool is_merged(const gt_workload *w)
{
    return matrices(&w->inputs[1].shape) == 1 && matrices(&w->inputs[0].shape) == matrices(&w->output.shape);
}

static int64_t row_count(const gt_workload *w)
{
    return last_dim(&w->inputs[0].shape, 2) * (is_merged(w) ? matrices(&w->output.shape) : 1);
}

static void add_chunk(gt_space *space, const char *name, int64_t size, int64_t start, int64_t first,
                      int64_t limit)
{
    gt_knob *knob = gt_i_knob_begin(space, name, gt_i_min(size, start));
    for (int64_t value = first; value < size && value <= limit; value *= 2) {
        gt_i_knob_add(knob, value);
    }
    gt_i_knob_add(knob, gt_i_min(size, 16 * limit));
}

static void space_direct(const gt_workload *w, gt_layout in, gt_layout out, gt_space *space)
{
    int64_t rows = row_count(w);
    (void)in;
    (void)out;
    add_chunk(space, "rows", rows, 192, 12, 768);
    add_chunk(space, "columns", last_dim(&w->output.shape, 1), 128, 16, 512);
    gt_i_micro_knob(space, 2);
    add_chunk(space, "depth", last_dim(&w->inputs[0].shape, 1), 512, 256, 2048);
    if (!w->inputs[1].constant) {
        bool pack = rows >= 24;
        space->knob[space->n++] = (gt_knob){.name = "pack", .n = 2, .value = {pack, !pack}};
    }
}

static void space_gemm(const gt_workload *w, gt_layout in, gt_layout out, gt_space *space)
{
    (void)in;
    (void)out;
    add_chunk(space, "rows", row_count(w), 512, 64, 1024);
    add_chunk(space, "columns", last_dim(&w->output.shape, 1), 1024, 64, 2048);
}

/* ---- packing ---- */

static void pack_panels(const gt_i_matmul *p, float *packed, const float *b)
{
    for (int64_t i = 0; i < p->b_batch; i++) {
        for (int64_t j = 0; j < p->n; j++) {
            gt_i_panel_column at = gt_i_micro_column(p->shape, p->lanes, p->columns, p->k, j);
            float *to = packed + p->b_offset + i * p->b_floats + at.first;
            for (int64_t l = 0; l < p->k; l++) {
                to[l * at.step] = b[(i * p->k + l) * p->n + j];
            }
        }
    }
}

static gt_status pack(gt_kernel *k, const void *const *consts, bool panels)
{
    gt_status status = GT_OK;
    const gt_i_matmul *p = k->params;
    int64_t a_floats = p->a_batch * p->m * p->k, b_floats = p->b_batch * p->b_floats;
    if (!p->a_constant && !p->b_constant) {
        goto done;
    }
    GT_TRY(gt_i_kernel_room(k, (size_t)(p->b_offset + (p->b_constant ? b_floats : 0)) * sizeof(float)));
    if (k->adopted != NULL) {
        goto done;
    }
    memset(k->packed, 0, k->packed_bytes);
    if (p->a_constant) {
        memcpy(k->packed, consts[0], (size_t)a_floats * sizeof(float));
    }
    if (p->b_constant && panels) {
        pack_panels(p, k->packed, consts[1]);
    } else if (p->b_constant) {
        memcpy((float *)k->packed + p->b_offset, consts[1], (size_t)b_floats * sizeof(float));
    }
done:
    return status;
}

/* ---- preparing ---- */

/* How many matrices of an operand lie between neighbours along each of the output's batch axes. */
static void batch_steps(int64_t *step, int rank, const gt_shape *s)
{
    int64_t stored = 1;
    for (int i = rank - 1; i >= 0; i--) {
        int axis = i - (rank - (s->rank - 2));
        int64_t dim = axis >= 0 ? s->dim[axis] : 1;
        step[i] = dim == 1 ? 0 : stored;
        stored *= dim;
    }
}

static void init(gt_i_matmul *p, const gt_workload *w, gt_isa isa)
{
    const gt_shape *a = &w->inputs[0].shape, *b = &w->inputs[1].shape, *y = &w->output.shape;
    p->m = row_count(w);
    p->k = last_dim(a, 1);
    p->n = last_dim(y, 1);
    p->lanes = gt_i_isa_lanes(isa);
    p->columns = gt_i_round_up(p->n, p->lanes);
    p->a_constant = w->inputs[0].constant;
    p->b_constant = w->inputs[1].constant;
    p->batch = p->a_batch = p->b_batch = 1;
    p->b_floats = p->k * p->n;
    if (!is_merged(w)) {
        p->batch = matrices(y);
        p->a_batch = matrices(a);
        p->b_batch = matrices(b);
        p->rank = y->rank - 2;
        memcpy(p->dim, y->dim, sizeof p->dim);
        batch_steps(p->a_step, p->rank, a);
        batch_steps(p->b_step, p->rank, b);
    }
    p->b_offset = p->a_constant ? gt_i_round_up(p->a_batch * p->m * p->k, 16) : 0;
}

static void split(gt_i_matmul *p, gt_kernel *k, int64_t columns, int64_t column_unit)
{
    p->row_chunk = gt_i_min(k->config.value[KNOB_ROWS], p->m);
    p->row_chunks = gt_i_div_up(p->m, p->row_chunk);
    p->column_chunk = gt_i_round_up(k->config.value[KNOB_COLUMNS], column_unit);
    p->column_chunks = gt_i_div_up(columns, p->column_chunk);
    k->tasks[0] = p->batch * p->row_chunks * p->column_chunks;
}

static gt_status prepare_direct(gt_kernel *k, const void *const *consts, gt_isa isa)
{
    gt_status status = GT_OK;
    gt_i_matmul *p = NULL;
    GT_TRY(gt_calloc(&k->params, 1, sizeof *p));
    p = k->params;
    init(p, k->workload, isa);
    p->shape = gt_i_micro_shape_of(k->config.value[KNOB_VECTORS]);
    p->depth_chunk = gt_i_min(k->config.value[KNOB_DEPTH], p->k);
    p->pack = !p->b_constant && k->config.value[KNOB_PACK] != 0;
    p->b_floats = p->k * (p->b_constant ? p->columns : p->n);
    split(p, k, p->columns, p->lanes * gt_i_micro_vectors(p->shape));
    k->thread_bytes = (size_t)((p->depth_chunk + p->row_chunk) * GT_MICRO_MAX_WIDTH) * sizeof(float);
    k->run = gt_i_kernel(GT_K_matmul_direct_f32, isa);
    GT_TRY(pack(k, consts, true));
done:
    return status;
}

static gt_status prepare_gemm(gt_kernel *k, const void *const *consts, gt_isa isa)
{
    gt_status status = GT_OK;
    gt_i_matmul *p = NULL;
    GT_TRY(gt_calloc(&k->params, 1, sizeof *p));
    p = k->params;
    init(p, k->workload, isa);
    split(p, k, p->n, 1);
    k->run = gt_i_kernel(GT_K_matmul_gemm_f32, isa);
    GT_TRY(pack(k, consts, false));
done:
    return status;
}

const gt_template gt_i_template_matmul_direct = {
    .name = "matmul.direct",
    .kind = GT_OP_MATMUL,
    .rev = 1,
    .supports = supports,
    .space = space_direct,
    .prepare = prepare_direct,
};

const gt_template gt_i_template_matmul_gemm = {
    .name = "matmul.gemm",
    .kind = GT_OP_MATMUL,
    .rev = 1,
    .supports = supports_gemm,
    .space = space_gemm,
    .prepare = prepare_gemm,
};
