/* SPDX-License-Identifier: Apache-2.0 */
/* A last look for a better assignment when there is no memory to search in. */
#include "src/solve/branch.h"
#include "src/solve/solver.h"

static void keep_only(gt_i_wcsp *net, int32_t variable, int32_t value)
{
    gt_i_variable *v = &net->variables[variable];
    for (int32_t x = 0; x < v->domain; x++) {
        v->unary[x] = x == value ? v->unary[x] : GT_I_FORBIDDEN;
    }
    gt_i_wcsp_prune(net, variable);
}

gt_status gt_i_dive(gt_i_solver *solver, gt_i_wcsp *net)
{
    gt_status status = GT_OK;
    int32_t variable = 0, value = 0;
    while (!net->closed && net->live_count > 0) {
        GT_TRY(gt_i_simplify(solver, net));
        if (!net->closed && net->live_count > 0) {
            gt_i_choose_branch(net, &variable, &value);
            keep_only(net, variable, value);
        }
    }
    if (!net->closed) {
        gt_i_wcsp_accept(net, net->base);
    }
    net->closed = false;
done:
    return status;
}
