/* SPDX-License-Identifier: Apache-2.0 */
/* Re-measuring a plan's choices inside the running network (docs/design.md, section 5). */
#ifndef GT_TUNE_REFINE_H
#define GT_TUNE_REFINE_H

#include "src/run/session.h"
#include "src/tune/select.h"

/* More rounds than any network has needed to become stable. */
#define GT_REFINE_ROUNDS 16

typedef struct gt_refine_report {
    int rounds;          /* plans profiled */
    bool stable;         /* the last round chose what had been measured in the network already */
    double measured_ns;  /* median of whole runs of the plan profiled last: the final one if stable */
} gt_refine_report;

/* Selects; runs the chosen plan and replaces the records of its candidates and transforms, in memory, with their
 * medians inside the network, together with those of near alternatives (interleaved; scaled to add up to the median of whole
 * runs); scales the other candidates of the same workloads by the same ratio; selects again; until the choice rests on figures
 * from the network alone or `max_rounds` is reached. Then runs the plan some more, and scales all figures where that takes less
 * than they add up to: they were measured beside something else. Inputs are seeded noise. `progress` (may be NULL) is told when
 * a round, counted from 1, begins. Errors: those of gt_select and gt_session_create. */
gt_status gt_refine(gt_plan **plan, gt_graph *graph, gt_records *records, const gt_select_options *options,
                    int max_rounds, void (*progress)(int round), gt_refine_report *report) GT_NODISCARD;

#endif
