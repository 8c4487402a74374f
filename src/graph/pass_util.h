/* SPDX-License-Identifier: Apache-2.0 */
/* What all passes are written with: uses of tensors, in-place rewriting, sweeping. Internal to src/graph.
 *
 * A rule looks at one op and rewrites around it if its pattern is there. It may leave ops without readers, which
 * die right after it, constants whose last reader it took away, which are freed right after it, and ops out of order;
 * the sweep compacts. */
#ifndef GT_GRAPH_PASS_UTIL_H
#define GT_GRAPH_PASS_UTIL_H

#include "src/graph/passes.h"

/* Readers of one tensor. */
typedef struct gt_uses {
    int reads;   /* input slots of live ops */
    int outputs; /* times it is a graph output */
    int *ops;    /* every reader stands here; stale and repeated entries are allowed (see gt_i_readers) */
    int n_ops;
    size_t capacity;
    bool idle; /* on the rewriter's list */
    int next_idle;
} gt_uses;

typedef struct gt_rewriter {
    gt_graph *graph;
    gt_uses *uses; /* per tensor */
    int n_uses;
    size_t capacity;
    int idle; /* tensors that lost their last reader during this rule, a list through next_idle; -1 ends it */
    bool changed;
} gt_rewriter;

typedef gt_status (*gt_rule)(gt_rewriter *rw, int op);

/* Applies every rule to every op, in topological order, until nothing changes (or a bound is reached), then
 * compacts. *changed tells whether anything was rewritten; workloads are dropped if so. On failure the graph can
 * be half rewritten and is only good for gt_graph_destroy. */
gt_status gt_i_sweep(gt_graph *graph, bool *changed, const gt_rule *rules, size_t n_rules) GT_NODISCARD;

/* ---- looking ---- */

const gt_tensor *gt_i_tensor(const gt_rewriter *rw, int tensor);

/* The live op that produces the tensor, or -1 (also for GT_NO_TENSOR). */
int gt_i_producer(const gt_rewriter *rw, int tensor);
/* The same if it is of this kind, else -1. */
int gt_i_producer_of_kind(const gt_rewriter *rw, int tensor, gt_op_kind kind);

bool gt_i_is_const(const gt_rewriter *rw, int tensor);
/* The elements of an f32 constant, else NULL. */
const float *gt_i_floats(const gt_rewriter *rw, int tensor);

/* One reader and no graph output. */
bool gt_i_single_use(const gt_rewriter *rw, int tensor);

/* The live ops that read the tensor, ascending and each once; free with gt_free. */
gt_status gt_i_readers(int **ops, int *count, const gt_rewriter *rw, int tensor) GT_NODISCARD;

/* A binary op with one constant operand: which input is the activation (0 or 1), or -1. */
int gt_i_binary_activation(const gt_rewriter *rw, int op);

/* y = scale * x + shift with one constant element, of a binary op (its epilogue left aside); false if it is none
 * or if the constant makes the output larger than x. */
bool gt_i_scalar_affine(const gt_rewriter *rw, int op, int *x, double *scale, double *shift);

/* ---- rewriting ---- */

gt_status gt_i_set_input(gt_rewriter *rw, int op, int slot, int tensor) GT_NODISCARD;

/* The op no longer counts; its output tensor must have no readers left or another producer by then. */
void gt_i_kill(gt_rewriter *rw, int op);

/* Appends the op's name (and those folded into it) to `into`'s list of fused nodes. */
gt_status gt_i_note_fused(gt_rewriter *rw, int into, int op) GT_NODISCARD;

/* `into` takes over the output tensor of `op`, which dies; notes the name. */
gt_status gt_i_absorb(gt_rewriter *rw, int into, int op) GT_NODISCARD;

/* Everybody who reads the op's output reads tensor `to` (of equal shape and contents) instead, and the op dies.
 * Graph outputs keep their tensor where possible; one that would be a graph input or constant stays as a copy. */
gt_status gt_i_replace(gt_rewriter *rw, int op, int to) GT_NODISCARD;

/* Turns an op into another one with the same name and output. If the new op would not be valid or would have
 * another output, nothing happens and *done is false. `attrs` and `inputs` are copied; NULL epilogue: none. */
gt_status gt_i_become(gt_rewriter *rw, bool *done, int op, gt_op_kind kind, const gt_attrs *attrs,
                      const gt_epilogue *epilogue, int n_inputs, const int *inputs) GT_NODISCARD;

/* Adds a constant (data is taken over, also on failure), or an op that produces a new or an existing tensor. */
gt_status gt_i_new_const(gt_rewriter *rw, int *tensor, const char *name, gt_dtype dtype, const gt_shape *shape,
                         void *data) GT_NODISCARD;
gt_status gt_i_new_op(gt_rewriter *rw, int *output, gt_op_kind kind, const char *name, const gt_attrs *attrs,
                      int n_inputs, const int *inputs, const gt_operand *hint) GT_NODISCARD;
gt_status gt_i_new_op_into(gt_rewriter *rw, int output, gt_op_kind kind, const char *name, const gt_attrs *attrs,
                           int n_inputs, const int *inputs) GT_NODISCARD;

/* A new activation without a producer yet. */
gt_status gt_i_new_tensor(gt_rewriter *rw, int *tensor, const char *name, gt_dtype dtype,
                          const gt_shape *shape) GT_NODISCARD;

/* The op produces this tensor from now on. */
void gt_i_set_output(gt_rewriter *rw, int op, int tensor);

#endif
