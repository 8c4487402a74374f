/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/forced.h"

#include "src/base/clock.h"
#include "src/solve/edge.h"
#include "src/solve/solver.h"

#include <string.h>

/* Pairs of message passing sweeps before the first value is forced. */
#define GT_I_FORCED_SWEEPS 200

typedef struct forced {
    gt_i_solver solver;
    gt_i_wcsp *net;
    gt_cfn_marginals *m;
    uint8_t *selected; /* all variables but the one forced */
} forced;

/* No value of this assignment can cost more than it does. */
static void learn(gt_cfn_marginals *m, const int32_t *assignment, int64_t cost)
{
    for (int32_t i = 0; i < m->variables; i++) {
        int64_t *known = &m->cost[m->offset[i] + assignment[i]];
        *known = cost < *known ? cost : *known;
    }
}

static gt_status start(forced *f, const gt_cfn *cfn, const gt_cfn_options *options)
{
    gt_status status = GT_OK;
    gt_cfn_result result = {0};
    gt_cfn_marginals *m = f->m;
    GT_TRY(gt_cfn_solve(cfn, &result, options));
    GT_TRY(gt_calloc(&f->selected, (size_t)m->variables, sizeof *f->selected));
    memset(f->selected, 1, (size_t)m->variables);
    for (int64_t k = 0; k < m->offset[m->variables]; k++) {
        m->cost[k] = GT_CFN_INFINITE;
        m->bound[k] = result.lower_bound;
    }
    m->least = result.cost;
    learn(m, result.assignment, result.cost);
done:
    gt_cfn_result_destroy(&result);
    return status;
}

/* Reparametrises, all values staying: afterwards base and a value's unary cost bound its marginal from below. */
static gt_status raise_bounds(forced *f)
{
    gt_status status = GT_OK;
    gt_i_wcsp *net = f->net;
    f->solver.keep_values = true;
    GT_TRY(gt_i_raise_bound(&f->solver, net, GT_I_FORCED_SWEEPS));
    f->solver.keep_values = false;
    GT_REQUIRE(!net->closed, GT_ERROR_UNSUPPORTED, "cost network: no feasible assignment");
    for (int32_t k = 0; k < net->edge_count; k++) {
        gt_i_edge_normalise(net, &net->edges[k]);
    }
done:
    return status;
}

static int64_t whole_units(const gt_i_wcsp *net, int64_t cost)
{
    return (cost + net->unit - 1) / net->unit;
}

/* Solves the network under variable = local value x. */
static gt_status force(forced *f, int32_t variable, int32_t x)
{
    gt_status status = GT_OK;
    gt_i_wcsp child = {0};
    gt_i_wcsp *net = f->net;
    gt_i_variable *v = &net->variables[variable];
    int64_t at = f->m->offset[variable] + v->values[x], base = net->base + v->unary[x], lower = 0;
    int64_t known = f->m->cost[at];
    f->selected[variable] = 0;
    GT_TRY(gt_i_wcsp_extract(&child, &f->solver.copies, net, f->selected, f->solver.origins, variable, x));
    child.bound = (known == GT_CFN_INFINITE ? net->bound : known * net->unit - (net->unit - 1)) - base;
    GT_TRY(gt_i_search(&f->solver, &child, &lower));
    if (child.found) {
        child.best[variable] = v->values[x];
        learn(f->m, child.best, (base + child.best_cost) / net->unit);
    }
    int64_t bound = whole_units(net, base + lower);
    f->m->bound[at] = child.closed ? f->m->cost[at] : bound > f->m->bound[at] ? bound : f->m->bound[at];
done:
    gt_i_solver_out_of_memory(&f->solver, &status);
    f->selected[variable] = 1;
    gt_i_wcsp_destroy(&child);
    return status;
}

/* What the reparametrised network says of the values of a variable; those that went are infeasible. */
static void bound_values(forced *f, int32_t variable)
{
    const gt_i_wcsp *net = f->net;
    const gt_i_variable *v = &net->variables[variable];
    int64_t *bound = f->m->bound + f->m->offset[variable];
    int32_t values = (int32_t)(f->m->offset[variable + 1] - f->m->offset[variable]);
    for (int32_t value = 0, x = 0; value < values; value++) {
        if (x == v->domain || v->values[x] != value || gt_i_forbidden(v->unary[x])) {
            bound[value] = GT_CFN_INFINITE;
        } else {
            int64_t least = whole_units(net, net->base + v->unary[x]);
            bound[value] = least > bound[value] ? least : bound[value];
        }
        x += x < v->domain && v->values[x] == value;
    }
}

static gt_status settle_variable(forced *f, int32_t variable)
{
    gt_status status = GT_OK;
    const gt_i_variable *v = &f->net->variables[variable];
    bound_values(f, variable);
    for (int32_t x = 0; x < v->domain; x++) {
        int64_t at = f->m->offset[variable] + v->values[x];
        if (f->m->bound[at] < f->m->cost[at] && !gt_i_solver_exhausted(&f->solver)) {
            GT_TRY(force(f, variable, x));
        }
    }
done:
    return status;
}

gt_status gt_i_forced_marginals(const gt_cfn *cfn, gt_cfn_marginals *m, gt_i_wcsp *net, const gt_cfn_options *options)
{
    gt_status status = GT_OK;
    forced f = {.solver = gt_i_solver_with(cfn, options, gt_now_ns()), .net = net, .m = m};
    GT_TRY(start(&f, cfn, options));
    GT_TRY(raise_bounds(&f));
    m->exact = true;
    for (int32_t i = 0; i < m->variables; i++) {
        GT_TRY(settle_variable(&f, i));
    }
    /* the last look: later searches may have met earlier values */
    for (int64_t k = 0; k < m->offset[m->variables]; k++) {
        m->exact = m->exact && m->bound[k] == m->cost[k];
    }
    m->method = "bounds+forced values";
done:
    gt_free(f.selected);
    gt_free(f.solver.scratch);
    return status;
}
