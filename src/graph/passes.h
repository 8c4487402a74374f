/* SPDX-License-Identifier: Apache-2.0 */
/* Graph rewriting. Every pass leaves a graph that passes gt_graph_verify and computes the same outputs, under the
 * same output names. *changed tells whether there was anything to do; if so, workloads may be NULL until the next
 * gt_graph_finish. After a failure (GT_ERROR_MEMORY) the graph can be half rewritten: destroy it. */
#ifndef GT_GRAPH_PASSES_H
#define GT_GRAPH_PASSES_H

#include "src/graph/graph.h"

/* All passes below until nothing changes, then gt_graph_finish. Cleaning, shuffles, transposes and the recognition
 * of activations come first: folding constants would hide what they look for. */
gt_status gt_passes_run(gt_graph *graph) GT_NODISCARD;

/* scale / binary mul, add, sub, div with per-channel or scalar constants into the conv2d, conv_transpose2d or
 * dense before them (and a scale in front of a pad-free conv2d into that conv). */
gt_status gt_pass_fold_scale(gt_graph *graph, bool *changed) GT_NODISCARD;

/* Activations into their producer's epilogue; x*sigmoid(x) -> swish; x*hard_sigmoid(x) -> hard_swish; chains
 * such as clip(x+3,0,6)/6*x -> hard_swish. */
gt_status gt_pass_fuse_activation(gt_graph *graph, bool *changed) GT_NODISCARD;

/* add(conv2d, z) of equal shapes -> the conv's residual, when the conv's result has no other use. */
gt_status gt_pass_fuse_residual(gt_graph *graph, bool *changed) GT_NODISCARD;

/* reshape/transpose/reshape and gather forms of channel shuffle -> channel_shuffle (+ slice). */
gt_status gt_pass_recognise_shuffle(gt_graph *graph, bool *changed) GT_NODISCARD;

/* Inverse transposes cancel, reshapes and transposes merge, transposes sink through elementwise, concat, pad,
 * slice, reduce and softmax where that lets a pair cancel; flatten + dense/matmul -> dense on the 4-D tensor. */
gt_status gt_pass_move_transposes(gt_graph *graph, bool *changed) GT_NODISCARD;

/* Concat with zero constants -> pad; pad (zeros, H/W) into conv2d or average pool2d with count_pad; identity
 * reshape/slice/pad/tile/transpose removed; common subexpressions merged; dead code removed. */
gt_status gt_pass_clean(gt_graph *graph, bool *changed) GT_NODISCARD;

#endif
