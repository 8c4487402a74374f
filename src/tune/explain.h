/* SPDX-License-Identifier: Apache-2.0 */
/* Why a plan is as it is: what every other choice would cost the whole network (docs/design.md, section 4). */
#ifndef GT_TUNE_EXPLAIN_H
#define GT_TUNE_EXPLAIN_H

#include "src/tune/select.h"

/* One op of the plan. All differences are of whole networks: op and transforms, with everything else at its best. */
typedef struct gt_explained_op {
    gt_layout in, out;         /* the plan's */
    const char *template_name; /* of the records' fastest candidate in these layouts; borrowed from them */
    double ns;                 /* its own time by the records */
    bool has_other;            /* some schedule has other layouts here */
    gt_layout other_in, other_out; /* the best of those */
    const char *other_template;
    bool exact;         /* regret_ns is proved; otherwise it is a lower bound */
    double regret_ns;   /* by how much the network is slower with them; negative: a faster schedule than the plan's is known */
    double noise_ns;    /* half-width of its 95 % interval, where certainty says that there is one */
    gt_certainty certainty;
} gt_explained_op;

/* Why an alternative is not the choice. */
typedef enum gt_alternative_state {
    GT_ALTERNATIVE_CHOSEN,
    GT_ALTERNATIVE_SLOWER,       /* the network is slower with it, or as fast */
    GT_ALTERNATIVE_DOMINATED,    /* another template is faster in the same layouts, so that the solver never sees this one */
    GT_ALTERNATIVE_EXCLUDED,     /* by a pin, a forbid or --only-layout */
    GT_ALTERNATIVE_NO_WAY,       /* no schedule has it: transforms were not measured */
    GT_ALTERNATIVE_NOT_MEASURED, /* a template could do it, of which there is no usable record */
    GT_ALTERNATIVE_NO_PLACE,     /* a concat whose inputs cannot all lie in its output: gt_explain_place says why */
    GT_ALTERNATIVE_UNSUPPORTED   /* no template does it */
} gt_alternative_state;

/* "chosen", "slower", … */
const char *gt_alternative_state_name(gt_alternative_state state);

/* One (layouts, template) of an op. The figures are meaningful from CHOSEN to DOMINATED. */
typedef struct gt_explained_alternative {
    gt_layout in, out;
    const char *template_name; /* NULL: UNSUPPORTED */
    gt_alternative_state state;
    double ns;       /* its own time */
    double total_ns; /* of the best schedule known with it */
    double bound_ns; /* no schedule with it takes less; equals total_ns where that is proved */
    int value;       /* for gt_explain_forced; -1: not possible */
} gt_explained_alternative;

typedef struct gt_explanation {
    int n_ops;
    gt_explained_op *ops;
    double cost_ns;      /* the plan's schedule by the records */
    double least_ns;     /* of the best schedule known */
    bool exact;          /* all figures are proved */
    int n_differences;   /* ops whose template, config or time the records do not have as the plan does */
    const char *method;  /* of the marginals; static storage */
    double solver_ns;
    struct gt_explain_state *state;
} gt_explanation;

/* Explains a plan by the records that it was selected from, of which a refined plan's figures take the place where it has
 * any (they are changed). Of `limits` only the solver's limits and `transforms` are used; the plan says the rest, or, where
 * it does not say, select's defaults hold. Graph, records, plan and limits are borrowed until gt_explanation_destroy. Errors:
 * GT_ERROR_MISMATCH for a choice that the records do not have; those of gt_select. */
gt_status gt_explain(gt_explanation **explanation, const gt_plan *plan, const gt_graph *graph, gt_records *records,
                     const gt_select_options *limits) GT_NODISCARD;
void gt_explanation_destroy(gt_explanation *explanation);

/* All alternatives of one op, ascending by layouts and template. Free with gt_free; the names are borrowed. */
gt_status gt_explain_op(gt_explained_alternative **alternatives, int *n, const gt_explanation *explanation,
                        int op) GT_NODISCARD;

/* Appends why an alternative in this layout is NO_PLACE. */
gt_status gt_explain_place(gt_text *reason, const gt_explanation *explanation, int op, gt_layout layout) GT_NODISCARD;

/* The plan's schedule by the records, and the best one with an alternative forced; *found: false where a budget ended the
 * search. Clear both with gt_schedule_clear. */
gt_status gt_explain_chosen(gt_schedule *schedule, const gt_explanation *explanation) GT_NODISCARD;
gt_status gt_explain_forced(gt_schedule *schedule, bool *found, const gt_explanation *explanation, int op,
                            int value) GT_NODISCARD;

#endif
