/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of verification share. */
#ifndef GT_TUNE_VERIFY_INTERNAL_H
#define GT_TUNE_VERIFY_INTERNAL_H

#include "src/tune/select_internal.h"
#include "src/tune/verify.h"

/* What select was run with, under the caller's limits. Errors: GT_ERROR_UNSUPPORTED where the plan does not say. */
gt_status gt_i_options_of_plan(gt_select_options *options, const gt_plan *plan, const gt_select_options *limits) GT_NODISCARD;

/* Compares a schedule's entries with the records. `prefix` stands before the names in differences ("" for the plan's own
 * schedule). Writes values[op], the index of the choice with the entry's layouts, or -1 where there is none; the sum of what
 * the records say to *cost_ns. Both only where no difference was found. */
gt_status gt_i_verify_schedule(gt_verification *v, int32_t *values, double *cost_ns, const gt_selection *s,
                               const gt_schedule *schedule, const char *prefix) GT_NODISCARD;

/* Every op has its entry, and every layout that is read has been made before. */
gt_status gt_i_verify_complete(gt_verification *v, const gt_selection *s, const gt_schedule *schedule,
                               const char *prefix) GT_NODISCARD;

#endif
