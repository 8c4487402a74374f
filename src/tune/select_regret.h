/* SPDX-License-Identifier: Apache-2.0 */
/* What the best other choice for an op would cost the whole network, and whether the measurements can tell the two apart
 * (docs/design.md, section 4). */
#ifndef GT_TUNE_SELECT_REGRET_H
#define GT_TUNE_SELECT_REGRET_H

#include "src/tune/select_internal.h"

/* Of one op, beside the choice that it has in a schedule of least cost. */
typedef struct gt_regret {
    int other;       /* the best other choice; -1: no schedule has another one */
    bool exact;      /* `ns` is proved */
    double ns;       /* by how much the whole network is slower with it */
    double bound_ns; /* and by how much at least with any other choice */
    double noise_ns; /* half-width of the 95 % interval of that difference; meaningful where certainty says so */
    gt_certainty certainty;
} gt_regret;

/* Min-marginals of the selection's network under options->only_layout: variable i is op i. work_budget as in
 * gt_cfn_options. */
gt_status gt_i_selection_marginals(const gt_selection *s, gt_cfn_marginals *marginals, int64_t work_budget) GT_NODISCARD;

/* regrets[op] for the choices of a schedule. Where that is not one of least cost, nothing is decided: certainty is
 * GT_CERTAINTY_NONE, and ns, which is then beside the schedule's own cost, may be negative. */
gt_status gt_i_regrets(gt_regret *regrets, const gt_selection *s, const gt_cfn_marginals *marginals,
                       const int32_t *values) GT_NODISCARD;

/* changed[]: choices of least cost among those with choice `value` for `op`, beside values[], which is of least cost; what
 * can stay as it is does. *found: false where the marginals do not tell what it costs, or a budget ended the search. */
gt_status gt_i_best_with(int32_t *changed, bool *found, const gt_selection *s, const gt_cfn_marginals *marginals,
                         const int32_t *values, int op, int value) GT_NODISCARD;

/* What a schedule costs in solver units, GT_CFN_INFINITE where a transform is unknown. */
int64_t gt_i_sum_units(const gt_selection *s, const int32_t *values);

/* Writes the regrets of a schedule's ops into it, as far as a small budget goes: not where elimination takes too many
 * table entries. */
gt_status gt_i_note_regrets(gt_schedule *schedule, const gt_selection *s, const int32_t *values,
                            double table_entries) GT_NODISCARD;

/* ---- select_region.c ---- */

/* Choices of least cost where only the ops with allowed[op] != 0 may have others than values[op], each one out of that mask:
 * overwrites values[]. The region's ops are few and in ops[0 .. n_ops). */
gt_status gt_i_solve_region(const gt_selection *s, int32_t *values, const int *ops, int n_ops,
                            const uint32_t *allowed) GT_NODISCARD;

/* The layouts in which a tensor is needed by these choices, the caller's included. */
unsigned gt_i_site_needs(const gt_selection *s, int tensor, const int32_t *values);

/* ---- select_noise.c ---- */

/* The half-width of the 95 % interval of the difference in time of two schedules, from the intervals of the records that one
 * uses more often than the other. *known: false where such a record states no interval. */
gt_status gt_i_noise(double *noise_ns, bool *known, const gt_selection *s, const int32_t *a, const int32_t *b) GT_NODISCARD;

#endif
