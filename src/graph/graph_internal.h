/* SPDX-License-Identifier: Apache-2.0 */
/* What graph.c, graph_order.c and graph_verify.c share. Internal to src/graph. */
#ifndef GT_GRAPH_INTERNAL_H
#define GT_GRAPH_INTERNAL_H

#include "src/graph/graph.h"

void gt_i_tensor_clear(gt_tensor *tensor);
void gt_i_op_clear(gt_op *op);

/* Names for the graph's indexes; `owner` is the gt_graph. */
const char *gt_i_tensor_name_of(const void *owner, int number);
const char *gt_i_op_name_of(const void *owner, int number);

/* The output that an op with these inputs would have (see gt_i_infer). */
gt_status gt_i_graph_infer(gt_operand *out, const gt_graph *graph, gt_op_kind kind, const gt_attrs *attrs,
                           const gt_epilogue *epilogue, int n_inputs, const int *inputs,
                           const gt_operand *out_hint) GT_NODISCARD;

#endif
