/* SPDX-License-Identifier: Apache-2.0 */
/* Layout selection: from a graph and its records to the schedule of least total latency, as a cost function
 * network (docs/design.md, section 4). */
#ifndef GT_TUNE_SELECT_H
#define GT_TUNE_SELECT_H

#include "src/plan/plan.h"
#include "src/records/records.h"

#define GT_ALL_LAYOUTS ((1u << GT_LAYOUT_COUNT) - 1)

typedef struct gt_select_options {
    const char *device;    /* fingerprint whose records count; NULL: any */
    int threads;
    gt_isa isa;            /* noted in the plan */
    unsigned layouts;      /* bit per gt_layout that may be used; NCHW always may */
    int only_layout;       /* a gt_layout: every op in this one where it can; -1: free */
    unsigned sources;      /* bit per gt_source that may decide */
    double bandwidth_gb_s; /* > 0 and GT_SOURCE_MODEL among the sources: transforms, and ops other than convolutions, for
                            * which there is no record take as long as their bytes at this rate, and a convolution of
                            * other sources takes as long as the one that pads both sides alike */
    const gt_records *transforms; /* transforms of whatever device that count as well, or NULL */
    double time_budget_s;  /* of the solver; 0: none */
    bool alternatives;     /* also solve greedy and every single layout */
} gt_select_options;

gt_select_options gt_select_defaults(void);

/* Chooses. Deterministic. Errors: GT_ERROR_NOT_FOUND listing every op without a usable record (the message says
 * which command measures them), GT_ERROR_UNSUPPORTED naming the shapes whose transforms are missing when no schedule
 * can be put together, GT_ERROR_LIMIT when the solver's budget ended before any schedule was found. The plan's
 * model_file is left NULL for the caller to set. */
gt_status gt_select(gt_plan **plan, const gt_graph *graph, const gt_records *records,
                    const gt_select_options *options) GT_NODISCARD;

#endif
