/* SPDX-License-Identifier: Apache-2.0 */
/* Layout selection: from a graph and its records to the schedule of least total latency, as a cost function
 * network (docs/design.md, section 4). */
#ifndef GT_TUNE_SELECT_H
#define GT_TUNE_SELECT_H

#include "src/plan/plan.h"
#include "src/records/records.h"

#define GT_ALL_LAYOUTS ((1u << GT_LAYOUT_COUNT) - 1)

/* The solver's memory limit where none is given, in bytes. */
#define GT_SELECT_SOLVER_MEMORY ((int64_t)256 << 20)

/* What the solver knows while it works. */
typedef struct gt_select_progress {
    double predicted_ns;   /* of the best schedule so far; HUGE_VAL before the first */
    double lower_bound_ns; /* no schedule takes less */
    int64_t nodes;         /* branch-and-bound nodes */
    double elapsed_s;
} gt_select_progress;

typedef struct gt_select_options {
    const char *device;    /* fingerprint whose records count; NULL: any */
    int threads;
    gt_isa isa;            /* noted in the plan where the records do not tell the device's */
    unsigned layouts;      /* bit per gt_layout that may be used; NCHW always may */
    int only_layout;       /* a gt_layout: every op in this one where it can; -1: free */
    unsigned sources;      /* bit per gt_source that may decide */
    int n_pins, n_forbids;
    const char *const *pins;    /* "NODE=LAYOUT[/TEMPLATE]": the op has this candidate. NODE is an op's name or a pattern with
                                 * * and ? (fnmatch); LAYOUT is "IN->OUT", or one layout for both */
    const char *const *forbids; /* the same: the op does not have it */
    double bandwidth_gb_s; /* > 0 and GT_SOURCE_MODEL among the sources: transforms, and ops other than convolutions, for
                            * which there is no record take as long as their bytes at this rate, and a convolution of
                            * other sources takes as long as the one that pads both sides alike */
    const gt_records *transforms; /* transforms of whatever device that count as well, or NULL */
    double time_budget_s;  /* of the solver; 0: none */
    int64_t work_budget;   /* of the solver, in table entries visited (about 10^9 a second); 0: none. Unlike time it runs out
                            * at the same place in every run */
    int64_t solver_memory_bytes; /* for the solver's tables; 0: GT_SELECT_SOLVER_MEMORY */
    const volatile int *stop;    /* not 0: end the solver as if a budget had run out; or NULL */
    void (*progress)(void *context, const gt_select_progress *progress); /* a few times a second while solving; or NULL */
    void *progress_context;
    int64_t max_memory_bytes; /* > 0: of the plan's arena (select_memory.h); alternatives are not bound by it */
    const char *cfn_path;  /* the cost function network is written there before it is solved (src/import/cfn_file.h); or NULL */
    bool alternatives;     /* also solve greedy and every single layout */
} gt_select_options;

gt_select_options gt_select_defaults(void);

/* Chooses. Deterministic. Errors: GT_ERROR_ARGUMENT for a pin or forbid that is malformed, names nothing here, contradicts
 * another one or leaves an op no candidate; GT_ERROR_NOT_FOUND listing every op without a usable record (the message says
 * which command measures them), GT_ERROR_UNSUPPORTED naming the shapes whose transforms are missing when no schedule
 * can be put together, GT_ERROR_LIMIT stating the smallest arena found where none
 * is within max_memory_bytes, and when the solver's budget ended before any schedule was found and neither
 * the greedy nor a single-layout schedule can be put together. The plan's model_file and the files of its selection are
 * left for the caller to set. */
gt_status gt_select(gt_plan **plan, const gt_graph *graph, const gt_records *records,
                    const gt_select_options *options) GT_NODISCARD;

#endif
