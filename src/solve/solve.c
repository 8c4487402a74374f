/* SPDX-License-Identifier: Apache-2.0 */
/* gt_cfn_solve: from the caller's network to the solver's and back. */
#include "src/base/clock.h"
#include "src/solve/edge.h"
#include "src/solve/network.h"
#include "src/solve/solver.h"

#include <stdlib.h>
#include <string.h>

#define GT_I_DEFAULT_MEMORY_BYTES ((int64_t)256 << 20)

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

/* Adds the largest finite cost of a table to *total, which stays at most GT_CFN_MAX_TOTAL + 1. */
static void add_largest(int64_t *total, const int64_t *costs, int64_t count)
{
    int64_t largest = 0;
    for (int64_t k = 0; k < count; k++) {
        largest = costs[k] != GT_CFN_INFINITE && costs[k] > largest ? costs[k] : largest;
    }
    *total = *total + largest <= GT_CFN_MAX_TOTAL ? *total + largest : GT_CFN_MAX_TOTAL + 1;
}

/* Sum of the largest finite costs: no assignment can cost more. */
static int64_t total_cost(const gt_cfn *cfn)
{
    int64_t total = 0;
    for (size_t i = 0; i < cfn->variable_count; i++) {
        add_largest(&total, cfn->variables[i].unary, cfn->variables[i].domain);
    }
    for (size_t k = 0; k < cfn->function_count; k++) {
        const gt_i_cfn_function *f = &cfn->functions[k];
        add_largest(&total, f->table, (int64_t)f->rows * f->columns);
    }
    return total;
}

/* Message passing divides costs; multiplying all of them first keeps fractions. Differences of costs of
 * assignments then are multiples of the unit, which sharpens the bound. */
static int64_t choose_unit(int64_t total)
{
    int64_t unit = 1;
    while (unit < (int64_t)1 << 40 && (total + 1) * 2 <= GT_I_COST_LIMIT / unit) {
        unit *= 2;
    }
    return unit;
}

static int64_t scaled(int64_t cost, int64_t unit)
{
    return cost == GT_CFN_INFINITE ? GT_I_FORBIDDEN : cost * unit;
}

/* --- building the solver's network --------------------------------------------------------------- */

typedef struct pair {
    int32_t a, b; /* a < b */
    int32_t function;
} pair;

static int compare_pairs(const void *left, const void *right)
{
    const pair *l = left, *r = right;
    if (l->a != r->a) {
        return l->a < r->a ? -1 : 1;
    }
    if (l->b != r->b) {
        return l->b < r->b ? -1 : 1;
    }
    return l->function < r->function ? -1 : l->function > r->function;
}

static gt_status sorted_pairs(const gt_cfn *cfn, pair **pairs)
{
    gt_status status = GT_OK;
    pair *made = NULL;
    GT_TRY(gt_calloc(&made, cfn->function_count, sizeof *made));
    for (size_t k = 0; k < cfn->function_count; k++) {
        int32_t a = cfn->functions[k].a, b = cfn->functions[k].b;
        made[k] = (pair){.a = a < b ? a : b, .b = a < b ? b : a, .function = (int32_t)k};
    }
    qsort(made, cfn->function_count, sizeof *made, compare_pairs);
    *pairs = made;
done:
    return status;
}

/* An edge of one function, or of the first of several on one pair. */
static gt_status place_function(gt_i_wcsp *net, const gt_i_cfn_function *f, const pair *p)
{
    gt_status status = GT_OK;
    bool same = f->a == p->a; /* which way round */
    int32_t rows = same ? f->rows : f->columns, columns = same ? f->columns : f->rows;
    GT_TRY(gt_i_wcsp_place_edge(net, p->a, p->b, rows, columns));
    gt_i_edge *e = &net->edges[net->edge_count - 1];
    memcpy(e->class_a, same ? f->row_of : f->column_of, (size_t)net->variables[p->a].domain * sizeof *e->class_a);
    memcpy(e->class_b, same ? f->column_of : f->row_of, (size_t)net->variables[p->b].domain * sizeof *e->class_b);
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < columns; j++) {
            e->table[i * columns + j] = scaled(f->table[same ? i * columns + j : j * rows + i], net->unit);
        }
    }
done:
    return status;
}

/* Adds a function to the edge of the one before, by way of an edge of its own that then goes. */
static gt_status merge_function(gt_i_wcsp *net, const gt_i_cfn_function *f, const pair *p)
{
    gt_status status = GT_OK;
    GT_TRY(place_function(net, f, p));
    gt_i_edge *own = &net->edges[--net->edge_count];
    net->variables[p->a].degree--;
    net->variables[p->b].degree--;
    const gt_i_class_table added = {.rows = own->rows, .columns = own->columns, .row_of = own->class_a,
                                    .column_of = own->class_b, .table = own->table};
    GT_TRY(gt_i_edge_add(net, own - 1, &added));
done:
    return status;
}

static gt_status build_edges(gt_i_wcsp *net, const gt_cfn *cfn, const pair *pairs)
{
    gt_status status = GT_OK;
    for (size_t k = 0; k < cfn->function_count; k++) {
        const pair *p = &pairs[k];
        const gt_i_cfn_function *f = &cfn->functions[p->function];
        bool again = k > 0 && pairs[k - 1].a == p->a && pairs[k - 1].b == p->b;
        GT_TRY(again ? merge_function(net, f, p) : place_function(net, f, p));
    }
done:
    return status;
}

static gt_status build(gt_i_wcsp *net, const gt_cfn *cfn, int64_t total)
{
    gt_status status = GT_OK;
    pair *pairs = NULL;
    int32_t count = (int32_t)cfn->variable_count;
    GT_TRY(sorted_pairs(cfn, &pairs));
    GT_TRY(gt_i_wcsp_begin(net, count, (int32_t)cfn->function_count, count));
    net->unit = choose_unit(total);
    net->bound = total * net->unit + 1;
    for (int32_t i = 0; i < count; i++) {
        const gt_i_cfn_variable *v = &cfn->variables[i];
        GT_TRY(gt_i_wcsp_place_variable(net, i, v->domain));
        for (int32_t x = 0; x < v->domain; x++) {
            net->variables[i].unary[x] = scaled(v->unary[x], net->unit);
        }
    }
    GT_TRY(build_edges(net, cfn, pairs));
    GT_TRY(gt_i_wcsp_link(net));
done:
    gt_free(pairs);
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

static gt_i_solver make_solver(const gt_cfn *cfn, const gt_cfn_options *options, int64_t now_ns)
{
    gt_i_solver solver = {.origins = (int32_t)cfn->variable_count, .skip = options->skip};
    solver.memory_budget_bytes = options->memory_budget_bytes > 0 ? options->memory_budget_bytes
                                                                  : GT_I_DEFAULT_MEMORY_BYTES;
    solver.node_limit = options->node_limit > 0 ? options->node_limit : INT64_MAX;
    solver.work_left = options->work_budget > 0 ? options->work_budget : INT64_MAX;
    solver.stop = options->stop;
    bool limited = options->time_budget_ns > 0 && options->time_budget_ns < INT64_MAX - now_ns;
    solver.deadline_ns = limited ? now_ns + options->time_budget_ns : INT64_MAX;
    return solver;
}

gt_status gt_cfn_solve(const gt_cfn *cfn, gt_cfn_result *result, const gt_cfn_options *options)
{
    gt_status status = GT_OK;
    const gt_cfn_options defaults = {0};
    gt_i_wcsp net = {0};
    gt_cfn_result made = {0};
    gt_i_solver solver = {0};
    int64_t lower = 0, start_ns = gt_now_ns(), total = total_cost(cfn);
    options = options != NULL ? options : &defaults;
    GT_TRY(check_options(cfn, options));
    GT_REQUIRE(total < GT_CFN_MAX_TOTAL, GT_ERROR_LIMIT,
               "cost network: the functions' largest costs sum to more than %lld; use a coarser unit",
               (long long)GT_CFN_MAX_TOTAL - 1);
    solver = make_solver(cfn, options, start_ns);
    GT_TRY(build(&net, cfn, total));
    GT_TRY(describe_order(&made, &net));
    if (options->initial != NULL) {
        start_with(&net, cfn, options->initial);
    }
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
