/* SPDX-License-Identifier: Apache-2.0 */
/* Activation functions in rewriting. Internal to src/graph. */
#ifndef GT_GRAPH_PASS_ACTIVATION_H
#define GT_GRAPH_PASS_ACTIVATION_H

#include "src/graph/pass_util.h"

/* The range of a relu or clip; false for other functions (and for a clip whose limits are crossed). */
bool gt_i_as_clip(gt_function function, float alpha, float beta, double *lo, double *hi);

/* A rule: softplus, hard_sigmoid, swish, mish and hard_swish that are spelt out with simpler ops. */
gt_status gt_i_find_activation_chain(gt_rewriter *rw, int op) GT_NODISCARD;

/* Only the recognition of gt_pass_fuse_activation, without the fusing. */
gt_status gt_i_pass_recognise_activation(gt_graph *graph, bool *changed) GT_NODISCARD;

#endif
