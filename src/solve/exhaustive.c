/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle: every assignment, in plain loops. */
#include "src/solve/network.h"

#include <string.h>

/* Steps to the lexicographically next assignment; false after the last. */
static bool advance(const gt_cfn *cfn, int32_t *assignment)
{
    for (size_t i = cfn->variable_count; i-- > 0;) {
        if (++assignment[i] < cfn->variables[i].domain) {
            return true;
        }
        assignment[i] = 0;
    }
    return false;
}

gt_status gt_cfn_solve_exhaustive(const gt_cfn *cfn, gt_cfn_result *result)
{
    gt_status status = GT_OK;
    int32_t *current = NULL, *best = NULL;
    double assignments = 1;
    for (size_t i = 0; i < cfn->variable_count; i++) {
        assignments *= cfn->variables[i].domain;
    }
    GT_REQUIRE(assignments <= 0x1p28, GT_ERROR_LIMIT, "exhaustive search: %g assignments are too many",
               assignments);
    GT_TRY(gt_calloc(&current, cfn->variable_count, sizeof *current));
    GT_TRY(gt_calloc(&best, cfn->variable_count, sizeof *best));
    int64_t best_cost = GT_CFN_INFINITE;
    do {
        int64_t cost = gt_cfn_evaluate(cfn, current);
        if (cost < best_cost) {
            best_cost = cost;
            memcpy(best, current, cfn->variable_count * sizeof *best);
        }
    } while (advance(cfn, current));
    GT_REQUIRE(best_cost < GT_CFN_INFINITE, GT_ERROR_UNSUPPORTED, "cost network: no feasible assignment");
    *result = (gt_cfn_result){.assignment = best, .cost = best_cost, .lower_bound = best_cost,
                              .optimal = true, .method = "exhaustive"};
    best = NULL;
done:
    gt_free(current);
    gt_free(best);
    return status;
}
