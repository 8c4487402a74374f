/* SPDX-License-Identifier: Apache-2.0 */
/* Figures measured in the running network, and what they do to the records that a selection works on. The outcome depends
 * on the records and on the figures alone, so that a refined plan, which holds its figures, can be checked without the
 * clock. */
#ifndef GT_TUNE_REFINE_FIGURES_H
#define GT_TUNE_REFINE_FIGURES_H

#include "src/plan/plan.h"

/* The records as they came, those measured in the network, and the mixture that the next selection works on. */
typedef struct gt_figures {
    gt_records *isolated, *seen;
    gt_records *mixed; /* the caller's records, changed in place */
} gt_figures;

gt_status gt_i_figures_begin(gt_figures *figures, gt_records *records) GT_NODISCARD;
void gt_i_figures_end(gt_figures *figures);

/* Whether this candidate was measured in the network. */
bool gt_i_figures_have(const gt_figures *figures, const gt_record *candidate);

/* Puts a figure in the place of the isolated one, and scales the other candidates of its workload by what the network did
 * to those that were measured in both ways. */
gt_status gt_i_figures_add(gt_figures *figures, const gt_record *measured) GT_NODISCARD;

/* All figures times `factor`, which is above 0. */
gt_status gt_i_figures_scale(gt_figures *figures, double factor) GT_NODISCARD;

/* Keeps the figures in plan->selection. */
gt_status gt_i_figures_store(const gt_figures *figures, gt_plan *plan) GT_NODISCARD;

/* The records that a refined plan was chosen from in the end, out of those that its selection began with; changes nothing
 * for a plan that was not refined. Errors: GT_ERROR_MISMATCH naming a figure of a candidate that the records lack. */
gt_status gt_figures_restore(gt_records *records, const gt_plan *plan) GT_NODISCARD;

#endif
