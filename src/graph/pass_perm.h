/* SPDX-License-Identifier: Apache-2.0 */
/* Permutations of axes. Internal to src/graph. */
#ifndef GT_GRAPH_PASS_PERM_H
#define GT_GRAPH_PASS_PERM_H

#include "src/graph/shape.h"

/* A transpose: dimension i of the result is dimension axis[i] of the operand. */
typedef struct gt_perm {
    int rank;
    int axis[GT_MAX_RANK];
} gt_perm;

gt_perm gt_i_perm_of(int64_t count, const int64_t *axis);
bool gt_i_perm_equal(const gt_perm *a, const gt_perm *b);
bool gt_i_perm_is_identity(const gt_perm *perm);
gt_perm gt_i_perm_inverse(const gt_perm *perm);
/* The one transpose that does `first`, then `second`. */
gt_perm gt_i_perm_compose(const gt_perm *first, const gt_perm *second);
gt_shape gt_i_perm_shape(const gt_shape *shape, const gt_perm *perm);

/* The same movement of elements with as few axes as possible: axes of size 1 left out, axes that stay together
 * merged. *shape and *perm become the reduced operand shape and permutation (rank 0: nothing moves). */
void gt_i_perm_reduce(gt_shape *shape, gt_perm *perm);

/* Whether the transpose leaves the order of elements in memory as it is. */
bool gt_i_perm_moves_nothing(const gt_shape *shape, const gt_perm *perm);

/* Copies elements of `bytes` each from C order of `shape` to C order of the transposed shape. */
void gt_i_perm_copy(void *out, const void *in, size_t bytes, const gt_shape *shape, const gt_perm *perm);

#endif
