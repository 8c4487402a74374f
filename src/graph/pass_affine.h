/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that scale and shift channels by constants. Internal to src/graph. */
#ifndef GT_GRAPH_PASS_AFFINE_H
#define GT_GRAPH_PASS_AFFINE_H

#include "src/graph/pass_util.h"

/* y = scale[c] * x + shift[c], c along one axis; then the op's own activation. */
typedef struct gt_affine {
    int x; /* tensor */
    int64_t n;
    double *scale, *shift; /* one block: free scale with gt_free */
} gt_affine;

/* The tensor that a scale op, or a binary op with one constant operand, works on; GT_NO_TENSOR for other ops. */
int gt_i_affine_input(const gt_rewriter *rw, int op);

/* Describes the op as an affine map along `axis` of its output; *ok is false if it is none. */
gt_status gt_i_affine_read(gt_affine *out, bool *ok, const gt_rewriter *rw, int op, int axis) GT_NODISCARD;

bool gt_i_affine_only_scales(const gt_affine *a); /* every shift is 0 */

#endif
