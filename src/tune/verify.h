/* SPDX-License-Identifier: Apache-2.0 */
/* Checking a plan against the records that it was chosen from: its costs entry by entry, that its schedule can run, and its
 * bound by proofs of their own (docs/design.md, section 4). */
#ifndef GT_TUNE_VERIFY_H
#define GT_TUNE_VERIFY_H

#include "src/tune/select.h"

/* Something in the plan that is not as it should be. */
typedef struct gt_difference {
    char *where;   /* a node, a tensor, "result", a file */
    char *field;   /* "ns", "template", … */
    char *planned; /* the plan's value as text */
    char *found;   /* what the records, or the proof, say */
} gt_difference;

/* How a proof ended. */
typedef enum gt_proof_status {
    GT_PROOF_NONE,   /* not tried; `note` says why */
    GT_PROOF_BOUND,  /* ended early: the bound is valid, the cost need not be the least */
    GT_PROOF_OPTIMUM /* bound and cost are the least cost */
} gt_proof_status;

typedef struct gt_proof {
    gt_proof_status status;
    double bound_ns; /* no schedule takes less */
    double cost_ns;  /* of a schedule; HUGE_VAL: none known */
    char *note;
} gt_proof;

typedef struct gt_verification {
    int n_differences;
    size_t capacity;
    gt_difference *differences;
    int n_ops, n_transforms; /* entries of the plan that were compared, alternatives not counted */
    int n_refined;           /* figures that the plan itself brings along: measured in the running network */
    double cost_ns;          /* the plan's, added up from the records; meaningful without differences */
    gt_proof elimination;    /* plain bucket elimination along the plan's order */
    gt_proof search;         /* the solver, begun afresh with the plan as its first schedule */
    double bound_ns;         /* the better of both bounds */
    double least_ns;         /* of the fastest schedule known, the plan included */
    char *better_node;       /* where a faster schedule first differs; NULL: none was found */
} gt_verification;

typedef enum gt_verdict {
    GT_VERDICT_OPTIMUM, /* the plan's cost is right, and it is proved again that nothing is faster */
    GT_VERDICT_BOUND,   /* the plan's cost is right and its lower bound, which leaves a gap, is proved again */
    GT_VERDICT_OPEN,    /* the cost is right, but the limits ended the proof before it reached the plan's bound */
    GT_VERDICT_FAILED   /* something differs, or the plan claims what is not true */
} gt_verdict;

/* Checks a plan. `records` (and options->transforms) are those that select was run with; they are changed by the figures
 * of a refined plan. Of the options only the solver's limits, progress and `transforms` are used, the plan says the rest.
 * What is wrong is reported as differences; errors are failures to check: GT_ERROR_UNSUPPORTED (the plan does not say what
 * it was selected with), those of gt_select. Overwrites *verification; clear it. */
gt_status gt_verify(gt_verification *verification, const gt_plan *plan, const gt_graph *graph, gt_records *records,
                    const gt_select_options *options) GT_NODISCARD;
void gt_verification_clear(gt_verification *verification);

/* Adds a difference; all texts are copied. */
gt_status gt_verification_add(gt_verification *verification, const char *where, const char *field, const char *planned,
                              const char *found) GT_NODISCARD;

gt_verdict gt_verification_verdict(const gt_verification *verification, const gt_plan *plan);

#endif
