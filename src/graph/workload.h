/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads: an op with its shapes and attributes, without its place in a graph. Equal workloads are tuned
 * once. The text form is the identity, stored in records and plans:
 *
 *   conv2d(1x64x56x56,64x64x3x3!,64!,_)->1x64x56x56{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1,act=relu}
 *
 * '!' marks a constant input, '_' an absent one; a type other than f32 stands before the shape ("i64:1x5");
 * lists are written [1 2 3], numbers with the fewest digits that read back equal; epilogue keys (act, alpha,
 * beta, residual) come last and only when set. */
#ifndef GT_GRAPH_WORKLOAD_H
#define GT_GRAPH_WORKLOAD_H

#include "src/graph/op.h"

typedef struct gt_operand {
    bool present;
    bool constant;
    gt_dtype dtype;
    gt_shape shape;
} gt_operand;

typedef struct gt_workload {
    gt_op_kind kind;
    gt_attrs attrs;
    gt_epilogue epilogue;
    int n_inputs;
    gt_operand *inputs;
    gt_operand output;
    char *key; /* the text form */
} gt_workload;

/* Builds a workload from its parts (all copied), infers the output and the key. `out_hint` gives the output
 * shape where it does not follow from the inputs (pool2d and conv_transpose2d output size, reshape, resize,
 * slice sizes, cast's dtype); NULL otherwise; where it does follow, a different hint is an error.
 * Errors: GT_ERROR_SHAPE naming the input, the shape and what is needed; GT_ERROR_ARGUMENT for attributes out
 * of range (stride < 1, pad < 0, groups not dividing, …), GT_ERROR_LIMIT for results over 2^40 elements. */
gt_status gt_workload_create(gt_workload **workload, gt_op_kind kind, const gt_attrs *attrs,
                             const gt_epilogue *epilogue, int n_inputs, const gt_operand *inputs,
                             const gt_operand *out_hint) GT_NODISCARD;

/* Reads the text form. Errors: GT_ERROR_FORMAT naming the position and what was expected, and those of
 * gt_workload_create. gt_workload_parse(w->key) gives an equal workload for every workload. */
gt_status gt_workload_parse(gt_workload **workload, const char *text) GT_NODISCARD;
gt_status gt_workload_copy(gt_workload **out, const gt_workload *in) GT_NODISCARD;
void gt_workload_destroy(gt_workload *workload);

/* A conv2d with groups == C and K == C * multiplier, groups > 1. */
bool gt_workload_is_depthwise(const gt_workload *workload);

/* Multiply-adds of one inference (0 for ops that do none), and floats read + written, constants included. */
int64_t gt_workload_macs(const gt_workload *workload);
int64_t gt_workload_elems_moved(const gt_workload *workload);

#endif
