/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a program, made ready from the graph's constants. */
#ifndef GT_RUN_KERNELS_H
#define GT_RUN_KERNELS_H

#include "src/plan/program.h"

/* (*kernels)[i] is that of step i; NULL for transforms and views. With release_constants each constant of the graph is freed
 * as soon as it has been packed: the graph can then no longer be run by the reference or packed again. Memory then never
 * holds more than the weights, packed or not, and those of the op that is being packed once more.
 * Errors: GT_ERROR_MEMORY, those of gt_kernel_create with the node. */
gt_status gt_kernels_create(gt_kernel ***kernels, gt_graph *graph, const gt_program *program, gt_isa isa,
                            bool release_constants) GT_NODISCARD;

/* `n` steps. NULL is allowed. */
void gt_kernels_destroy(gt_kernel **kernels, int n);

/* Bytes of packed constants. */
int64_t gt_kernels_packed_bytes(gt_kernel *const *kernels, int n);

#endif
