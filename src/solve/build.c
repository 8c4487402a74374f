/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/build.h"

#include "src/solve/edge.h"

#include <stdlib.h>
#include <string.h>

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

gt_status gt_i_check_total(const gt_cfn *cfn)
{
    if (total_cost(cfn) >= GT_CFN_MAX_TOTAL) {
        return gt_fail(GT_ERROR_LIMIT,
                       "cost network: the functions' largest costs sum to more than %lld; use a coarser unit",
                       (long long)GT_CFN_MAX_TOTAL - 1);
    }
    return GT_OK;
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

gt_status gt_i_build(gt_i_wcsp *net, const gt_cfn *cfn)
{
    gt_status status = GT_OK;
    int64_t total = total_cost(cfn);
    pair *pairs = NULL;
    int32_t count = (int32_t)cfn->variable_count;
    GT_TRY(gt_i_check_total(cfn));
    GT_TRY(sorted_pairs(cfn, &pairs));
    GT_TRY(gt_i_wcsp_begin(net, NULL, count, (int32_t)cfn->function_count, count));
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
