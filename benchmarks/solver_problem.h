/* SPDX-License-Identifier: Apache-2.0 */
/* Layout selection without operators: ops with candidates, tensors with transforms. The benchmark makes such problems,
 * and the cost function network that src/tune/select_network.c would make of them, with code of its own. */
#ifndef GT_BENCHMARKS_SOLVER_PROBLEM_H
#define GT_BENCHMARKS_SOLVER_PROBLEM_H

#include "src/base/rng.h"
#include "src/solve/cfn.h"

#define LP_LAYOUTS 5
#define LP_SETS (1 << LP_LAYOUTS)
#define LP_PAIRS (LP_LAYOUTS * LP_LAYOUTS)
#define LP_NONE INT64_MAX /* no transform */

typedef struct lp_candidate {
    int32_t in, out;
    int64_t ns;
} lp_candidate;

typedef struct lp_input {
    int32_t tensor;
    bool fused; /* read in the layout of the output, as a fused residual is */
} lp_input;

typedef struct lp_op {
    int32_t first_input, n_inputs; /* in problem->inputs */
    int32_t n;
    lp_candidate c[LP_PAIRS]; /* ascending by (in, out) */
} lp_op;

/* Direct transforms between layouts; 0 on the diagonal. */
typedef struct lp_transforms {
    int64_t ns[LP_LAYOUTS][LP_LAYOUTS];
} lp_transforms;

typedef struct lp_tensor {
    int32_t producer;   /* -1: a graph input, which exists in layout 0 */
    int32_t transforms; /* in problem->transforms; -1: the tensor has only one layout */
    bool is_output;     /* of the graph: needed in layout 0 */
} lp_tensor;

typedef struct lp_problem {
    size_t n_ops, op_capacity, n_inputs, input_capacity, n_tensors, tensor_capacity, n_transforms, transforms_capacity;
    lp_op *ops;
    lp_input *inputs;
    lp_tensor *tensors;
    lp_transforms *transforms;
    int32_t *first, *reader; /* readers of tensor t: reader[first[t] … first[t+1]), ascending, each op once */
} lp_problem;

/* The benchmark ends with the message of what failed. */
void lp_must(gt_status status);

lp_problem *lp_create(void);
void lp_destroy(lp_problem *p); /* NULL is allowed */

/* All return an index. Ops stand in topological order; an op's output is the tensor lp_add_tensor makes for it. */
int32_t lp_add_transforms(lp_problem *p, const lp_transforms *t);
int32_t lp_add_tensor(lp_problem *p, int32_t producer, int32_t transforms);
int32_t lp_add_op(lp_problem *p, int32_t n_inputs, const int32_t *inputs, int32_t n, const lp_candidate *c);

/* Makes tensors that nobody reads outputs, if `outputs` is set, and finds every tensor's readers. */
void lp_finish(lp_problem *p, bool outputs);

/* The layouts, as a mask, in which an op reads a tensor under a candidate. */
unsigned lp_needs(const lp_problem *p, int32_t op, const lp_candidate *c, int32_t tensor);

/* One variable per op, one over sets of layouts for each tensor that several ops read or that is an output with
 * readers; costs in ns. */
gt_cfn *lp_network(const lp_problem *p);

/* The least total by trying all choices of all ops (branches that already cost as much as the best known are cut) and,
 * for the transforms, all arborescences over layouts. INT64_MAX if nothing is feasible. */
int64_t lp_exhaust(const lp_problem *p);

/* `n` of all pairs of layouts, at random, of random costs 1 … range. */
int32_t lp_draw_pairs(lp_candidate *c, gt_rng *rng, int32_t n, int64_t range);
void lp_draw_transforms(lp_transforms *t, gt_rng *rng, int64_t range);

/* What tuning finds, roughly: a convolution has every pair, with the fastest layouts at random and pairs of different
 * layouts a little slower; pairs that another one with transforms before and behind it replaces are left out. An
 * elementwise op has one layout for all. `work` and the tensors' size are in ns. */
int32_t lp_draw_conv(lp_candidate *c, gt_rng *rng, double work, const lp_transforms *in, const lp_transforms *out);
int32_t lp_draw_elementwise(lp_candidate *c, gt_rng *rng, double work);
void lp_draw_copies(lp_transforms *t, gt_rng *rng, double size);

#endif
