/* SPDX-License-Identifier: Apache-2.0 */
/* Two ops that can be done as one, so that what is between them never leaves the cache: a depthwise conv2d with the conv2d of
 * kernel 1x1 that reads it (kind conv2d_pointwise), and a conv2d with the pool2d that reads it (conv2d_pool2d).
 *
 * The graph keeps both ops. The pair has a workload of its own, which is tuned like any other; selection gives the first op
 * a candidate that leaves its work to its reader, and the second one the pair's candidates, which go together. */
#ifndef GT_GRAPH_PAIR_H
#define GT_GRAPH_PAIR_H

#include "src/graph/graph.h"

#define GT_PAIR_INPUTS 6 /* most inputs of a pair */

/* Whether a kind is of two ops. */
bool gt_op_kind_is_pair(gt_op_kind kind);

/* The workload of both in one, where `second` reads the output of `first` as its input 0; *pair is NULL where they cannot be
 * done as one. Errors: GT_ERROR_MEMORY. */
gt_status gt_pair_join(gt_workload **pair, const gt_workload *first, const gt_workload *second) GT_NODISCARD;

/* What the attributes of a pair say of its convolution, the epilogue in between included, and of its pool. */
void gt_pair_conv_attrs(gt_attrs *conv, gt_epilogue *epilogue, const gt_attrs *pair);
void gt_pair_pool_attrs(gt_attrs *pool, const gt_attrs *pair);
/* The attributes of a convolution that goes from pixel to pixel: the second op of conv2d_pointwise. */
void gt_pair_pointwise_attrs(gt_attrs *conv);

/* The two workloads of a pair, which point into this; without keys. Not to be destroyed or copied. */
typedef struct gt_pair_parts {
    gt_workload first, second;
    gt_operand first_inputs[4], second_inputs[4];
} gt_pair_parts;
void gt_pair_split(gt_pair_parts *parts, const gt_workload *pair);

/* [N,K,H,W] between the two. */
gt_shape gt_pair_middle(const gt_workload *pair);

/* The pairs of a graph. */
typedef struct gt_pairs {
    int n_ops;
    int *first;             /* [op]: the op that can be done with this one, which reads it; -1: none */
    int *second;            /* [op]: the op that can do this one as well: its only reader; -1: none */
    gt_workload **workload; /* [op]: of the pair whose second op this is; NULL: none */
} gt_pairs;

/* Finds them: the first op's output has one reader, which reads it once and as its input 0, and is no output of the graph.
 * O(ops + tensors). Errors: GT_ERROR_MEMORY. */
gt_status gt_pairs_create(gt_pairs **pairs, const gt_graph *graph) GT_NODISCARD;
/* NULL is allowed. */
void gt_pairs_destroy(gt_pairs *pairs);

/* The tensors that the pair with this second op reads, in the order of its workload's inputs; returns how many. */
int gt_pair_tensors(int tensors[GT_PAIR_INPUTS], const gt_pairs *pairs, const gt_graph *graph, int second);

#endif
