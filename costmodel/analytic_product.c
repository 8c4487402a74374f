/* SPDX-License-Identifier: Apache-2.0 */
/* dense, matmul, conv2d through the GEMM library, and conv_transpose2d.direct: products of matrices cut into chunks. */
#include "costmodel/analytic_internal.h"

#include <math.h>

#define FLOAT_BYTES ((double)sizeof(float))
#define LIBRARY_CALL_CYCLES 2000 /* its own checks and the threads' lock, before it begins */
#define LIBRARY_VECTORS 2        /* the width of its register tile, nearly */

/* C[rows, columns] = A[rows, depth] B[depth, columns], `times` times, with the chunks of each. */
struct product {
    double rows, columns, depth, times;
    double row_chunk, column_chunk, depth_chunk;
};

static double chunk_of(const gt_i_loops *c, const char *name, double size)
{
    return fmax(fmin((double)gt_i_knob_value(c, name, (int64_t)size), size), 1);
}

static double count(double size, double chunk)
{
    return ceil(size / chunk);
}

/* dense: X[rows, depth] W[depth, K]; matmul: batches of A B, where B is one matrix all rows of A. */
static struct product product_of(const gt_i_loops *c)
{
    const gt_shape *a = &c->workload->inputs[0].shape, *b = &c->workload->inputs[1].shape;
    const gt_shape *y = &c->workload->output.shape;
    struct product p = {.times = 1};
    bool dense = c->workload->kind == GT_OP_DENSE;
    double elems = (double)gt_shape_elems(y), b_elems = (double)gt_shape_elems(b);
    p.columns = (double)(dense ? b->dim[0] : y->dim[y->rank - 1]);
    p.depth = (double)(dense ? b->dim[1] : a->dim[a->rank - 1]);
    p.rows = elems / p.columns;
    if (!dense && b_elems > p.columns * p.depth) {
        p.rows = (double)a->dim[a->rank - 2];
        p.times = elems / p.columns / p.rows;
    }
    p.row_chunk = chunk_of(c, "rows", p.rows);
    p.column_chunk = chunk_of(c, "columns", p.columns);
    p.depth_chunk = chunk_of(c, "depth", p.depth);
    return p;
}

/* Chunks of B's columns outermost, then of A's rows, then panels, then the reduction. */
static void add_streams(gt_nest *nest, const gt_machine *m, const struct product *p)
{
    double row_chunks = count(p->rows, p->row_chunk), column_chunks = count(p->columns, p->column_chunk);
    double panel = p->depth_chunk * 2 * m->lanes * FLOAT_BYTES;
    double a = p->row_chunk * p->depth_chunk * FLOAT_BYTES, b = p->depth * p->column_chunk * FLOAT_BYTES;
    gt_i_add_stream(nest, m, p->times * p->rows * p->depth * FLOAT_BYTES,
                    column_chunks * count(p->column_chunk, 2 * m->lanes), a + panel);
    gt_i_add_stream(nest, m, p->times * p->depth * p->columns * FLOAT_BYTES, row_chunks, a + b);
    gt_i_add_stream(nest, m, p->times * p->rows * p->columns * FLOAT_BYTES, 2 * count(p->depth, p->depth_chunk) - 1,
                    p->row_chunk * p->column_chunk * FLOAT_BYTES);
    nest->tile_bytes = panel + 12 * p->depth_chunk * FLOAT_BYTES;
    nest->block_bytes = a + b;
    nest->tasks = p->times * row_chunks * column_chunks;
}

void gt_i_describe_product_direct(gt_nest *nest, const gt_i_loops *c)
{
    const struct product p = product_of(c);
    double depth_chunks = count(p.depth, p.depth_chunk), row_chunks = count(p.rows, p.row_chunk);
    gt_i_add_product(nest, c->machine, gt_i_product_rows(c->machine), p.rows / row_chunks, p.columns, p.depth / depth_chunks,
                     (int)gt_i_knob_value(c, "vectors", 2), p.times * depth_chunks * row_chunks);
    nest->around = p.times * p.rows * p.columns / c->machine->lanes * (2 * depth_chunks - 1);
    if (gt_i_knob_value(c, "pack", 0) != 0) {
        nest->around += 2 * p.times * row_chunks * p.depth * p.columns / c->machine->lanes;
    }
    add_streams(nest, c->machine, &p);
}

/* The library blocks by itself; what a chunk costs is a call, and packing both operands again. */
static void add_library(gt_nest *nest, const gt_machine *m, const struct product *p)
{
    double row_chunks = count(p->rows, p->row_chunk), column_chunks = count(p->columns, p->column_chunk);
    double depth_chunks = count(p->depth, p->depth_chunk), calls = p->times * row_chunks * column_chunks * depth_chunks;
    gt_i_add_product(nest, m, gt_i_product_rows(m), p->rows / row_chunks, p->columns / column_chunks, p->depth / depth_chunks,
                     LIBRARY_VECTORS, calls);
    nest->around = calls * LIBRARY_CALL_CYCLES;
    nest->around += 2 * p->times * p->depth / m->lanes * (p->rows * column_chunks + p->columns * row_chunks);
    nest->around += p->times * p->rows * p->columns / m->lanes * (2 * depth_chunks - 1);
    add_streams(nest, m, p);
}

void gt_i_describe_product_gemm(gt_nest *nest, const gt_i_loops *c)
{
    const struct product p = product_of(c);
    add_library(nest, c->machine, &p);
}

/* Where the input is no matrix as it lies, each task writes its patches first. */
void gt_i_describe_conv_gemm(gt_nest *nest, const gt_i_loops *c)
{
    gt_i_conv v;
    gt_i_conv_init(&v, c->workload, c->in, c->out);
    double depth = (double)(v.cg * v.kh * v.kw), pixels = (double)(v.oh * v.ow * (c->in == GT_NHWC ? v.n : 1));
    double images = c->in == GT_NHWC ? 1 : (double)v.n;
    struct product p = {.rows = pixels, .columns = (double)v.kg, .depth = depth, .times = (double)v.groups * images};
    p.row_chunk = chunk_of(c, "pixels", pixels);
    p.column_chunk = chunk_of(c, "oc_chunk", (double)v.kg);
    p.depth_chunk = chunk_of(c, "depth", depth);
    add_library(nest, c->machine, &p);
    if (v.kh * v.kw > 1 || v.sh > 1 || v.sw > 1) {
        double patches = p.times * pixels * depth * count(p.columns, p.column_chunk);
        nest->around += patches / (c->in == GT_NHWC ? fmin((double)v.cg, c->machine->lanes) : (double)v.ow / 4);
        gt_i_add_stream(nest, c->machine, patches * FLOAT_BYTES, 2, p.row_chunk * p.depth_chunk * FLOAT_BYTES);
    }
}

/* Per output row the taps that meet it, as products over the input's rows. */
void gt_i_describe_conv_transpose(gt_nest *nest, const gt_i_loops *c)
{
    gt_i_conv v;
    gt_i_conv_init(&v, c->workload, c->in, c->out);
    const gt_machine *m = c->machine;
    double rows = (double)v.ow / (double)v.sw, taps = (double)(v.kh * v.kw) / (double)(v.sh * v.sw);
    double chunk = fmin((double)gt_i_knob_value(c, "oc_chunk", 64), (double)v.kg);
    double chunks = count((double)v.kg, chunk), float_count = (double)gt_workload_elems_moved(c->workload);
    double weights = (double)(v.cg * v.kh * v.kw) * chunk * FLOAT_BYTES;
    gt_i_add_product(nest, m, gt_i_product_rows(m), rows, (double)v.kg, (double)v.cg * fmax(taps, 1),
                     (int)gt_i_knob_value(c, "vectors", 1), (double)(v.n * v.oh * v.groups * v.sw));
    nest->around = 3 * float_count / m->lanes;
    gt_i_add_stream(nest, m, weights * chunks * (double)v.groups, (double)(v.n * v.oh), weights);
    gt_i_add_stream(nest, m, float_count * FLOAT_BYTES, chunks, weights + (double)(v.w * v.c) * FLOAT_BYTES);
    nest->tile_bytes = nest->block_bytes = weights;
    nest->tasks = (double)(v.n * v.oh * v.groups) * chunks;
}
