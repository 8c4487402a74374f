/* SPDX-License-Identifier: Apache-2.0 */
/* What the descriptions of the templates' loops share; nobody else includes it. */
#ifndef GT_COSTMODEL_ANALYTIC_INTERNAL_H
#define GT_COSTMODEL_ANALYTIC_INTERNAL_H

#include "costmodel/analytic.h"
#include "ops/conv_common.h"

/* Accumulators that keep a vector unit busy: the latency of a multiply-add, or twice half of it. */
#define GT_I_ACCUMULATORS 8

typedef struct gt_i_loops {
    const gt_machine *machine;
    const gt_template *tmpl;
    const gt_workload *workload;
    gt_layout in, out;
    const gt_config *config;
    const gt_space *space;
} gt_i_loops;

typedef void (*gt_i_describe_fn)(gt_nest *nest, const gt_i_loops *c);

/* The value of the knob of this name; `otherwise` where the space has none. */
int64_t gt_i_knob_value(const gt_i_loops *c, const char *name, int64_t otherwise);

/* Bytes that enter a cache of `cache_bytes` when `bytes` are passed over `passes` times and `between_bytes` are touched from
 * one pass to the next: once if they stay in half of the cache, else every time. */
double gt_i_refill(double bytes, double passes, double between_bytes, double cache_bytes);

/* Adds `bytes` passed over so often to all three levels. */
void gt_i_add_stream(gt_nest *nest, const gt_machine *m, double bytes, double passes, double between_bytes);

/* Cycles of one step of a register tile: `vectors` loaded, `positions` broadcast, their product of multiply-adds. */
double gt_i_step_cycles(double vectors, double positions);

/* What decides the shapes of register tiles. */
typedef enum gt_i_family {
    GT_I_SSE,
    GT_I_NEON,
    GT_I_AVX2,
    GT_I_AVX512,
    GT_I_FAMILIES
} gt_i_family;

gt_i_family gt_i_family_of(const gt_machine *m);

/* Most rows of the register tile of ops/matmul_micro.h, by its vectors. */
const double *gt_i_product_rows(const gt_machine *m);

/* Adds a matrix product C[rows, columns] += A[rows, depth] B[depth, columns] through a register tile with panels of so many
 * vectors and, by a panel's vectors, so many rows at most, `times` times: innermost loops alone, no cache traffic. */
void gt_i_add_product(gt_nest *nest, const gt_machine *m, const double most_rows[5], double rows, double columns, double depth,
                      int vectors, double times);

void gt_i_describe_conv_direct(gt_nest *nest, const gt_i_loops *c);
void gt_i_describe_conv_gemm(gt_nest *nest, const gt_i_loops *c);
void gt_i_describe_conv_transpose(gt_nest *nest, const gt_i_loops *c);
void gt_i_describe_depthwise(gt_nest *nest, const gt_i_loops *c);
void gt_i_describe_pair(gt_nest *nest, const gt_i_loops *c);
void gt_i_describe_winograd(gt_nest *nest, const gt_i_loops *c);
void gt_i_describe_product_direct(gt_nest *nest, const gt_i_loops *c);
void gt_i_describe_product_gemm(gt_nest *nest, const gt_i_loops *c);
void gt_i_describe_moves(gt_nest *nest, const gt_i_loops *c);

#endif
