/* SPDX-License-Identifier: Apache-2.0 */
/* gt_cfn_solve: the frame around the search. */
#include "src/base/clock.h"
#include "src/solve/build.h"
#include "src/solve/solver.h"

#include <string.h>

static gt_status check_options(const gt_cfn *cfn, const gt_cfn_options *options)
{
    gt_status status = GT_OK;
    GT_REQUIRE(options->time_budget_ns >= 0 && options->memory_budget_bytes >= 0 && options->node_limit >= 0,
               GT_ERROR_ARGUMENT, "cost network: budgets are 0 (none) or positive");
    for (size_t i = 0; options->initial != NULL && i < cfn->variable_count; i++) {
        GT_REQUIRE(options->initial[i] >= 0 && options->initial[i] < cfn->variables[i].domain,
                   GT_ERROR_ARGUMENT, "cost network: initial value %d of '%s', allowed are 0 to %d",
                   (int)options->initial[i], cfn->variables[i].name, (int)cfn->variables[i].domain - 1);
    }
done:
    return status;
}

/* --- result --------------------------------------------------------------------------------------- */

static const char *method_name(unsigned used)
{
    static const char *const names[8] = {
        "none",
        "elimination",
        "bounds",
        "elimination+bounds",
        "branch-and-bound",
        "elimination+branch-and-bound",
        "bounds+branch-and-bound",
        "elimination+bounds+branch-and-bound",
    };
    return names[used & 7];
}

static gt_status fail_infeasible(const gt_cfn *cfn, const gt_i_wcsp *net)
{
    if (net->blamed < 0) {
        return gt_fail(GT_ERROR_UNSUPPORTED,
                       "cost network: no feasible assignment of its %lld variables (no single one can be blamed)",
                       (long long)cfn->variable_count);
    }
    const gt_i_cfn_variable *v = &cfn->variables[net->blamed];
    bool alone = true;
    for (int32_t x = 0; x < v->domain; x++) {
        alone = alone && v->unary[x] == GT_CFN_INFINITE;
    }
    return gt_fail(GT_ERROR_UNSUPPORTED,
                   "cost network: no feasible assignment: variable '%s' has no feasible value (each is forbidden%s)",
                   v->name, alone ? "" : " or goes with no feasible choice of the others");
}

static gt_status take_result(const gt_cfn *cfn, gt_cfn_result *result, const gt_i_wcsp *net, int64_t lower,
                             const gt_i_solver *solver)
{
    gt_status status = GT_OK;
    int32_t *assignment = NULL;
    if (!net->found) {
        GT_REQUIRE(net->closed, GT_ERROR_LIMIT,
                   "cost network: budget exhausted before any feasible assignment was found; "
                   "raise it or give an initial one");
        GT_TRY(fail_infeasible(cfn, net));
    }
    GT_TRY(gt_calloc(&assignment, cfn->variable_count, sizeof *assignment));
    memcpy(assignment, net->best, cfn->variable_count * sizeof *assignment);
    int64_t cost = gt_cfn_evaluate(cfn, assignment);
    GT_REQUIRE(cost * net->unit == net->best_cost, GT_ERROR_INTERNAL,
               "cost network: the solver's cost is not the assignment's cost");
    int64_t bound = (lower + net->unit - 1) / net->unit;
    result->assignment = assignment;
    assignment = NULL;
    result->cost = cost;
    result->optimal = net->closed || bound >= cost;
    result->nodes = solver->nodes;
    result->backtracks = solver->backtracks;
    result->width_met = solver->width_met;
    result->method = method_name(solver->used);
    result->lower_bound = result->optimal ? cost : bound;
    result->gap = result->optimal ? 0 : (double)(cost - bound) / (double)cost;
    result->stopped = result->optimal ? NULL : solver->stopped;
done:
    gt_free(assignment);
    return status;
}

static void start_with(gt_i_wcsp *net, const gt_cfn *cfn, const int32_t *initial)
{
    int64_t cost = gt_cfn_evaluate(cfn, initial);
    if (cost != GT_CFN_INFINITE) {
        memcpy(net->best, initial, cfn->variable_count * sizeof *initial);
        gt_i_wcsp_accept(net, cost * net->unit);
    }
}

/* The network's variables are still numbered as the caller's. */
static gt_status describe_order(gt_cfn_result *result, const gt_i_wcsp *net)
{
    gt_status status = GT_OK;
    gt_i_arena arena = {0};
    gt_i_order order = {0};
    GT_TRY(gt_i_best_order(&order, &arena, net));
    GT_TRY(gt_calloc(&result->order, (size_t)net->variable_count, sizeof *result->order));
    for (int32_t k = 0; k < net->variable_count; k++) {
        result->order[k] = order.variables[k];
    }
    result->width = order.width;
    result->order_name = order.name;
    result->order_entries = order.entries;
done:
    gt_i_arena_destroy(&arena);
    return status;
}

gt_status gt_cfn_solve(const gt_cfn *cfn, gt_cfn_result *result, const gt_cfn_options *options)
{
    gt_status status = GT_OK;
    const gt_cfn_options defaults = {0};
    gt_i_wcsp net = {0};
    gt_cfn_result made = {0};
    gt_i_solver solver = {0};
    int64_t lower = 0, start_ns = gt_now_ns();
    options = options != NULL ? options : &defaults;
    GT_TRY(check_options(cfn, options));
    solver = gt_i_solver_with(cfn, options, start_ns);
    GT_TRY(gt_i_build(&net, cfn));
    GT_TRY(describe_order(&made, &net));
    if (options->initial != NULL) {
        start_with(&net, cfn, options->initial);
    }
    solver.root = &net;
    GT_TRY(gt_i_search(&solver, &net, &lower));
    GT_TRY(take_result(cfn, &made, &net, lower, &solver));
    made.solver_ns = gt_now_ns() - start_ns;
    *result = made;
    made = (gt_cfn_result){0};
done:
    gt_cfn_result_destroy(&made);
    gt_free(solver.scratch);
    gt_i_wcsp_destroy(&net);
    return status;
}

void gt_cfn_result_destroy(gt_cfn_result *result)
{
    gt_free(result->assignment);
    gt_free(result->order);
    result->assignment = NULL;
    result->order = NULL;
}
