/* SPDX-License-Identifier: Apache-2.0 */
/* A lower bound by sequential message passing (Kolmogorov, "A new look at reweighted message passing",
 * PAMI 2015; on pairwise networks it is TRW-S, Kolmogorov, PAMI 2006), kept in integers: every step moves
 * whole amounts between functions, all of which stay >= 0, so that `base` is a bound at any moment. */
#include "src/base/clock.h"
#include "src/solve/edge.h"
#include "src/solve/solver.h"

/* Every so many sweeps the bound must have closed a twentieth of the gap. */
#define GT_I_STALL_SWEEPS 5
#define GT_I_STALL_PART 20

#define GT_I_DESCENT_ROUNDS 10

/* Spreads the unary costs evenly over the edges towards the variables still to come in this sweep. */
static void push(gt_i_wcsp *net, int32_t variable, bool forward, int32_t parts)
{
    gt_i_variable *v = &net->variables[variable];
    int64_t share[GT_CFN_MAX_DOMAIN];
    for (int32_t x = 0; x < v->domain; x++) {
        share[x] = v->unary[x] / parts;
    }
    for (int32_t k = 0; k < v->degree; k++) {
        gt_i_edge *e = &net->edges[v->edges[k]];
        bool is_a = e->a == variable;
        if (is_a != forward) {
            continue;
        }
        int64_t *message = is_a ? e->message_a : e->message_b;
        e->changed = true;
        for (int32_t x = 0; x < v->domain; x++) {
            int64_t amount = message[x] - share[x] >= -GT_I_COST_LIMIT ? share[x] : 0;
            message[x] -= amount;
            v->unary[x] -= amount;
        }
    }
}

static void sweep_variable(gt_i_wcsp *net, int32_t variable, bool forward)
{
    const gt_i_variable *v = &net->variables[variable];
    int32_t behind = 0;
    for (int32_t k = 0; k < v->degree; k++) {
        gt_i_edge *e = &net->edges[v->edges[k]];
        if ((e->a == variable) != forward) {
            behind++;
            gt_i_edge_pull(net, e, variable);
        }
    }
    gt_i_wcsp_prune(net, variable);
    int32_t ahead = v->degree - behind;
    if (!net->closed && ahead > 0) {
        push(net, variable, forward, ahead > behind ? ahead : behind);
    }
}

static void sweep(gt_i_wcsp *net, bool forward)
{
    for (int32_t k = 0; k < net->variable_count && !net->closed; k++) {
        int32_t i = forward ? k : net->variable_count - 1 - k;
        if (net->variables[i].domain > 0) {
            sweep_variable(net, i, forward);
        }
    }
}

/* Adds to costs[] what the variable's values cost in an edge, given the other end's choice. Messages of the
 * other end are left out: they are the same for all values. */
static void add_column(int64_t *costs, const gt_i_wcsp *net, const gt_i_edge *e, int32_t variable,
                       const int32_t *choice)
{
    bool is_a = e->a == variable;
    const uint16_t *class_of = is_a ? e->class_a : e->class_b;
    const int64_t *message = is_a ? e->message_a : e->message_b;
    const int64_t *entries = is_a ? e->table + e->class_b[choice[e->b]] : e->table + e->class_a[choice[e->a]] * e->columns;
    int32_t step = is_a ? e->columns : 1;
    for (int32_t x = 0; x < net->variables[variable].domain; x++) {
        int64_t cost = entries[class_of[x] * step];
        costs[x] = gt_i_add(costs[x], gt_i_forbidden(cost) ? GT_I_FORBIDDEN : cost - message[x]);
    }
}

/* The value of least cost given the choices of the neighbours (of those before it only, if `partly`). */
static int32_t best_value(const gt_i_wcsp *net, const int32_t *choice, int32_t variable, bool partly)
{
    const gt_i_variable *v = &net->variables[variable];
    int64_t costs[GT_CFN_MAX_DOMAIN];
    for (int32_t x = 0; x < v->domain; x++) {
        costs[x] = v->unary[x];
    }
    for (int32_t k = 0; k < v->degree; k++) {
        const gt_i_edge *e = &net->edges[v->edges[k]];
        if (!partly || e->b == variable) {
            add_column(costs, net, e, variable, choice);
        }
    }
    int32_t best = 0;
    for (int32_t x = 1; x < v->domain; x++) {
        best = costs[x] < costs[best] ? x : best;
    }
    return best;
}

/* Reads an assignment off the bound, value by value, improves it one variable at a time, and accepts it
 * if it is better than the best known. */
static void decode(gt_i_wcsp *net, int32_t *choice)
{
    for (int32_t i = 0; i < net->variable_count; i++) {
        if (net->variables[i].domain > 0) {
            choice[i] = best_value(net, choice, i, true);
        }
    }
    bool changed = true;
    for (int32_t round = 0; round < GT_I_DESCENT_ROUNDS && changed; round++) {
        changed = false;
        for (int32_t i = 0; i < net->variable_count; i++) {
            if (net->variables[i].domain > 0) {
                int32_t value = best_value(net, choice, i, false);
                changed = changed || value != choice[i];
                choice[i] = value;
            }
        }
    }
    int64_t cost = gt_i_wcsp_evaluate(net, choice);
    if (cost < net->bound) {
        for (int32_t i = 0; i < net->variable_count; i++) {
            const gt_i_variable *v = &net->variables[i];
            if (v->domain > 0) {
                net->best[v->origin] = v->values[choice[i]];
            }
        }
        gt_i_wcsp_accept(net, cost);
    }
}

gt_status gt_i_raise_bound(gt_i_solver *solver, gt_i_wcsp *net, int32_t sweeps)
{
    gt_status status = GT_OK;
    int32_t *choice = NULL;
    GT_TRY(gt_calloc(&choice, (size_t)net->variable_count, sizeof *choice));
    solver->used |= GT_I_USED_BOUNDS;
    for (int32_t k = 0; k < net->edge_count; k++) {
        if (net->edges[k].table != NULL) {
            GT_TRY(gt_i_edge_open_messages(net, &net->edges[k]));
        }
    }
    int64_t base_before = net->base, entries = gt_i_wcsp_entries(net);
    for (int32_t k = 1; k <= sweeps; k++) {
        sweep(net, true);
        sweep(net, false);
        solver->work_left -= 2 * entries;
        if (net->closed) {
            break;
        }
        if (!solver->keep_values && (k <= 2 || k % GT_I_STALL_SWEEPS == 0)) {
            decode(net, choice);
        }
        if (net->base >= net->bound) {
            net->closed = true;
            break;
        }
        if (k % GT_I_STALL_SWEEPS == 0) {
            bool stalled = net->base - base_before <= (net->bound - net->base) / GT_I_STALL_PART;
            if (stalled || gt_i_solver_exhausted(solver)) {
                break;
            }
            base_before = net->base;
        }
    }
done:
    gt_free(choice);
    return status;
}
