/* SPDX-License-Identifier: Apache-2.0 */
/* A selection of src/tune as a layout problem. */
#ifndef GT_BENCHMARKS_SOLVER_SELECTION_H
#define GT_BENCHMARKS_SOLVER_SELECTION_H

#include "benchmarks/solver_problem.h"
#include "src/tune/select_internal.h"

/* Ops, tensors and costs are those of the graph and of the records; the problem's model is made anew. */
lp_problem *lp_of_selection(const gt_selection *s);

/* Gives every op 4 … 20 pairs of layouts with random costs up to `range` instead of those of its records. */
void lp_replace_domains(gt_selection *s, gt_rng *rng, int64_t range);

#endif
