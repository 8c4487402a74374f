/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of gt_pass_move_transposes. Internal to src/graph. */
#ifndef GT_GRAPH_PASS_TRANSPOSE_H
#define GT_GRAPH_PASS_TRANSPOSE_H

#include "src/graph/pass_perm.h"
#include "src/graph/pass_util.h"

gt_perm gt_i_perm_of_op(const gt_op *transpose);

/* A transposed copy of a constant. */
gt_status gt_i_transpose_const(gt_rewriter *rw, int *out, int constant, const gt_perm *perm) GT_NODISCARD;

/* A rule: exchanges a transpose with a group of neighbouring ops that work in any axis order, where that saves
 * transposes. In pass_transpose_move.c. */
gt_status gt_i_move_transpose(gt_rewriter *rw, int op) GT_NODISCARD;

/* pass_permute_op.c: whether an op can work on transposed operands, and making it do so. */

/* Whether the op gives the transposed result (or, for one that drops axes, the same) when its operands are
 * transposed and its attributes adapted. */
bool gt_i_can_permute(const gt_rewriter *rw, int op, const gt_perm *perm);

/* Whether the op's output stays as it is: it drops axes without changing the order of the others. */
bool gt_i_drops_axes(const gt_op *op);

/* Adapts the attributes. */
void gt_i_permute_attrs(gt_op *op, const gt_perm *perm);

#endif
