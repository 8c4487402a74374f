/* SPDX-License-Identifier: Apache-2.0 */
/* What evaluating a model's constants may take. A few bytes can ask for a constant of any size, so the allowance is that of
 * shape arithmetic and position tables, and beyond it grows with the weights that the model really has. */
#ifndef GT_IMPORT_FOLD_BUDGET_H
#define GT_IMPORT_FOLD_BUDGET_H

#include "src/graph/shape.h"

/* Zero-initialise; add to given_bytes as weights are read or made up. */
typedef struct gt_i_fold_budget {
    int64_t given_bytes;
    int64_t made_bytes, work; /* so far */
} gt_i_fold_budget;

/* Counts a constant that is going to be made: 128 MiB in all, and 4 bytes more for each given one. Errors: GT_ERROR_LIMIT,
 * GT_ERROR_SHAPE (absurd ones). */
gt_status gt_i_fold_take_memory(gt_i_fold_budget *budget, gt_dtype dtype, const gt_shape *shape) GT_NODISCARD;

/* Counts elements and multiply-adds: 2^24 in all, a fraction of a second of plain loops, and 16 more for each given byte.
 * Errors: GT_ERROR_LIMIT. */
gt_status gt_i_fold_take_work(gt_i_fold_budget *budget, int64_t operations) GT_NODISCARD;

#endif
