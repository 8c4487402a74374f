/* SPDX-License-Identifier: Apache-2.0 */
/* Depth-first branch and bound. Every node is a network of its own, a shrunk copy of its parent's, and gets
 * all the treatment the root gets: few nodes, each strong. */
#include "src/base/clock.h"
#include "src/solve/branch.h"
#include "src/solve/network.h"
#include "src/solve/solver.h"
#include "src/solve/split.h"

#include <string.h>

/* Pairs of message passing sweeps at the root and below it, where the parent's messages are kept. */
#define GT_I_ROOT_SWEEPS 200
#define GT_I_NODE_SWEEPS 20

/* Elimination is taken when it needs less work than this, and the more readily the more nodes the search
 * has opened below, so that it wastes at most about as much time as eliminating takes. */
#define GT_I_CHEAP_WORK 0x1p18
#define GT_I_NODE_WORK 0x1p16

#define GT_I_REPORT_NS ((int64_t)200 * 1000 * 1000)

gt_i_solver gt_i_solver_with(const gt_cfn *cfn, const gt_cfn_options *options, int64_t now_ns)
{
    gt_i_solver solver = {.origins = (int32_t)cfn->variable_count, .skip = options->skip};
    solver.memory_budget_bytes = options->memory_budget_bytes > 0 ? options->memory_budget_bytes
                                                                  : GT_CFN_DEFAULT_MEMORY_BYTES;
    solver.copies.limit_bytes = solver.memory_budget_bytes;
    solver.node_limit = options->node_limit > 0 ? options->node_limit : INT64_MAX;
    solver.work_left = options->work_budget > 0 ? options->work_budget : INT64_MAX;
    solver.stop = options->stop;
    solver.options = options;
    solver.start_ns = solver.reported_ns = now_ns;
    bool limited = options->time_budget_ns > 0 && options->time_budget_ns < INT64_MAX - now_ns;
    solver.deadline_ns = limited ? now_ns + options->time_budget_ns : INT64_MAX;
    return solver;
}

static void report_progress(gt_i_solver *solver, int64_t now_ns)
{
    const gt_i_wcsp *root = solver->root;
    if (now_ns - solver->reported_ns < GT_I_REPORT_NS) {
        return;
    }
    const gt_cfn_progress progress = {.cost = root->found ? root->best_cost / root->unit : GT_CFN_INFINITE,
                                      .lower_bound = (root->base + root->unit - 1) / root->unit,
                                      .nodes = solver->nodes,
                                      .elapsed_ns = now_ns - solver->start_ns};
    solver->reported_ns = now_ns;
    solver->options->progress(solver->options->progress_context, &progress);
}

bool gt_i_solver_exhausted(gt_i_solver *solver)
{
    bool reports = solver->options->progress != NULL && solver->root != NULL;
    int64_t now_ns = reports || solver->deadline_ns < INT64_MAX ? gt_now_ns() : 0;
    if (reports) {
        report_progress(solver, now_ns);
    }
    if (solver->stopped == NULL) {
        if (solver->stop != NULL && *solver->stop != 0) {
            solver->stopped = "interrupted";
        } else if (solver->nodes >= solver->node_limit) {
            solver->stopped = "nodes";
        } else if (solver->work_left <= 0) {
            solver->stopped = "work";
        } else if (solver->deadline_ns < INT64_MAX && now_ns >= solver->deadline_ns) {
            solver->stopped = "time";
        }
    }
    return solver->stopped != NULL;
}

void gt_i_solver_out_of_memory(gt_i_solver *solver, gt_status *status)
{
    if (*status == GT_ERROR_LIMIT) {
        *status = GT_OK;
        solver->stopped = "memory";
    }
}

gt_status gt_i_scratch(gt_i_solver *solver, int64_t **room, int64_t count)
{
    gt_status status = GT_OK;
    if (count > solver->scratch_elems) {
        gt_free(solver->scratch);
        solver->scratch = NULL;
        solver->scratch_elems = 0;
        GT_TRY(gt_calloc(&solver->scratch, (size_t)count, sizeof *solver->scratch));
        solver->scratch_elems = count;
    }
    *room = solver->scratch;
done:
    return status;
}

static int64_t count_values(const gt_i_wcsp *net)
{
    int64_t count = 0;
    for (int32_t i = 0; i < net->variable_count; i++) {
        count += net->variables[i].domain;
    }
    return count;
}

/* As long as each round removes an eighth of the values: the last few are had more cheaply by branching. */
gt_status gt_i_simplify(gt_i_solver *solver, gt_i_wcsp *net)
{
    gt_status status = GT_OK;
    int32_t sweeps = solver->nodes == 0 ? GT_I_ROOT_SWEEPS : GT_I_NODE_SWEEPS;
    for (int64_t before = INT64_MAX;;) {
        GT_TRY(gt_i_reduce(solver, net));
        int64_t left = count_values(net);
        if (net->closed || left == 0 || left >= before - before / 8 || (solver->skip & GT_CFN_SKIP_BOUNDS)) {
            break;
        }
        before = left;
        GT_TRY(gt_i_raise_bound(solver, net, sweeps));
        if (net->closed || gt_i_solver_exhausted(solver)) {
            break;
        }
    }
done:
    return status;
}

/* Solves net under variable = value and accepts what is better; then removes the value. *finished is false
 * when a budget ran out (the value stays). */
static gt_status try_value(gt_i_solver *solver, gt_i_wcsp *net, int32_t variable, int32_t value,
                           bool *finished)
{
    gt_status status = GT_OK;
    gt_i_wcsp child = {0};
    uint8_t *selected = NULL;
    int64_t lower = 0;
    gt_i_variable *v = &net->variables[variable];
    int64_t base = net->base + v->unary[value];
    GT_TRY(gt_calloc(&selected, (size_t)net->variable_count, 1));
    memset(selected, 1, (size_t)net->variable_count);
    selected[variable] = 0;
    *finished = false;
    GT_TRY(gt_i_wcsp_extract(&child, &solver->copies, net, selected, solver->origins, variable, value));
    child.bound = net->bound - base;
    solver->nodes++;
    solver->work_left -= gt_i_wcsp_entries(&child);
    GT_TRY(gt_i_search(solver, &child, &lower));
    *finished = child.closed;
    if (child.found) {
        gt_i_take_values(net->best, net, selected, child.best);
        net->best[v->origin] = v->values[value];
        gt_i_wcsp_accept(net, base + child.best_cost);
    } else if (child.closed) {
        solver->backtracks++;
    }
    if (child.closed) {
        v->unary[value] = GT_I_FORBIDDEN;
        gt_i_wcsp_prune(net, variable);
    }
done:
    gt_free(selected);
    gt_i_wcsp_destroy(&child);
    gt_i_solver_out_of_memory(solver, &status);
    return status;
}

static gt_status branch(gt_i_solver *solver, gt_i_wcsp *net, int64_t *lower_bound, bool *finished)
{
    gt_status status = GT_OK;
    int32_t variable = 0, value = 0;
    gt_i_choose_branch(net, &variable, &value);
    solver->used |= GT_I_USED_SEARCH;
    GT_TRY(try_value(solver, net, variable, value, finished));
    *lower_bound = net->base; /* the values left are not known to cost more */
done:
    return status;
}

/* Splits a network that simplifying has left with variables, or branches. *over is set when it is closed or
 * a budget ran out. */
static gt_status divide(gt_i_solver *solver, gt_i_wcsp *net, int64_t nodes_below, int64_t *lower_bound, bool *over)
{
    gt_status status = GT_OK;
    bool split = !(solver->skip & GT_CFN_SKIP_SPLITTING), connected = true, reduced = false;
    *over = true;
    if (split) {
        GT_TRY(gt_i_is_connected(net, &connected));
    }
    if (!connected) {
        GT_TRY(gt_i_solve_components(solver, net, lower_bound));
        goto done;
    }
    if (gt_i_solver_exhausted(solver)) {
        goto done;
    }
    if (!(solver->skip & GT_CFN_SKIP_ELIMINATION)) {
        GT_TRY(gt_i_eliminate(solver, net, GT_I_CHEAP_WORK + (double)nodes_below * GT_I_NODE_WORK));
        if (net->closed) {
            goto done;
        }
    }
    if (split) {
        GT_TRY(gt_i_reduce_leaf(solver, net, &reduced));
    }
    bool finished = reduced;
    if (!reduced && !gt_i_solver_exhausted(solver)) {
        GT_TRY(branch(solver, net, lower_bound, &finished));
    }
    *over = net->closed || !finished;
done:
    return status;
}

gt_status gt_i_search(gt_i_solver *solver, gt_i_wcsp *net, int64_t *lower_bound)
{
    gt_status status = GT_OK;
    int64_t entry_bound = net->bound, nodes_before = solver->nodes;
    net->closed = net->bound <= 0;
    for (bool over = net->closed; !over;) {
        GT_TRY(gt_i_simplify(solver, net));
        *lower_bound = net->base;
        over = net->closed;
        if (!over && net->live_count == 0) {
            gt_i_wcsp_accept(net, net->base);
            net->closed = over = true;
        }
        if (!over) {
            GT_TRY(divide(solver, net, solver->nodes - nodes_before, lower_bound, &over));
        }
    }
    if (net->closed) {
        *lower_bound = net->found ? net->best_cost : entry_bound;
    } else if (net == solver->root && solver->stopped != NULL && strcmp(solver->stopped, "memory") == 0) {
        solver->root = NULL; /* from here on it bounds nothing */
        GT_TRY(gt_i_dive(solver, net));
    }
done:
    gt_i_solver_out_of_memory(solver, &status);
    return status;
}
