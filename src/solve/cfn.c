/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/classes.h"
#include "src/solve/network.h"

#include <string.h>

gt_status gt_cfn_create(gt_cfn **cfn)
{
    return gt_calloc(cfn, 1, sizeof **cfn);
}

void gt_cfn_destroy(gt_cfn *cfn)
{
    if (cfn == NULL) {
        return;
    }
    for (size_t i = 0; i < cfn->variable_count; i++) {
        gt_free(cfn->variables[i].name);
        gt_free(cfn->variables[i].unary);
    }
    for (size_t k = 0; k < cfn->function_count; k++) {
        gt_free(cfn->functions[k].table);
        gt_free(cfn->functions[k].row_of);
    }
    gt_free(cfn->variables);
    gt_free(cfn->functions);
    gt_free(cfn);
}

static gt_status check_costs(const int64_t *costs, int64_t count, const char *name, const char *other)
{
    gt_status status = GT_OK;
    const char *between = other != NULL ? "', '" : "";
    for (int64_t k = 0; k < count; k++) {
        GT_REQUIRE(costs[k] >= 0, GT_ERROR_ARGUMENT,
                   "cost network: '%s%s%s' entry %lld has cost %lld, allowed are 0 and above", name, between, other != NULL ? other : "", (long long)k, (long long)costs[k]);
        GT_REQUIRE(costs[k] <= GT_CFN_MAX_TOTAL || costs[k] == GT_CFN_INFINITE, GT_ERROR_LIMIT,
                   "cost network: '%s%s%s' entry %lld has cost %lld, allowed are at most %lld or infinite; "
                   "use a coarser unit",
                   name, between, other != NULL ? other : "", (long long)k, (long long)costs[k],
                   (long long)GT_CFN_MAX_TOTAL);
    }
done:
    return status;
}

gt_status gt_cfn_add_variable(gt_cfn *cfn, int32_t *variable, const char *name, int32_t domain,
                              const int64_t *unary)
{
    gt_status status = GT_OK;
    gt_i_cfn_variable added = {.domain = domain};
    GT_REQUIRE(domain >= 1 && domain <= GT_CFN_MAX_DOMAIN, GT_ERROR_ARGUMENT,
               "cost network: variable '%s' has %d values, allowed are 1 to %d", name, (int)domain,
               GT_CFN_MAX_DOMAIN);
    GT_REQUIRE(cfn->variable_count < INT32_MAX, GT_ERROR_LIMIT, "cost network: too many variables");
    if (unary != NULL) {
        GT_TRY(check_costs(unary, domain, name, NULL));
    }
    GT_TRY(gt_strdup(&added.name, name));
    GT_TRY(gt_calloc(&added.unary, (size_t)domain, sizeof *added.unary));
    if (unary != NULL) {
        memcpy(added.unary, unary, (size_t)domain * sizeof *unary);
    }
    GT_PUSH(cfn->variables, cfn->variable_count, cfn->variable_capacity, added);
    added = (gt_i_cfn_variable){0};
    *variable = (int32_t)cfn->variable_count - 1;
done:
    gt_free(added.name);
    gt_free(added.unary);
    return status;
}

static gt_status check_variable(const gt_cfn *cfn, int32_t variable)
{
    if (variable < 0 || (size_t)variable >= cfn->variable_count) {
        return gt_fail(GT_ERROR_ARGUMENT, "cost network: there is no variable %d, only 0 to %lld",
                       (int)variable, (long long)cfn->variable_count - 1);
    }
    return GT_OK;
}

gt_status gt_cfn_add_unary(gt_cfn *cfn, int32_t variable, const int64_t *costs)
{
    gt_status status = GT_OK;
    GT_TRY(check_variable(cfn, variable));
    gt_i_cfn_variable *v = &cfn->variables[variable];
    GT_TRY(check_costs(costs, v->domain, v->name, NULL));
    for (int32_t x = 0; x < v->domain; x++) {
        int64_t sum = gt_i_cfn_add(v->unary[x], costs[x]);
        GT_REQUIRE(sum == GT_CFN_INFINITE || sum <= GT_CFN_MAX_TOTAL, GT_ERROR_LIMIT,
                   "cost network: unary costs of '%s' value %d sum to more than %lld; use a coarser unit",
                   v->name, (int)x, (long long)GT_CFN_MAX_TOTAL);
    }
    for (int32_t x = 0; x < v->domain; x++) {
        v->unary[x] = gt_i_cfn_add(v->unary[x], costs[x]);
    }
done:
    return status;
}

/* Keeps the table's equal rows and columns once. */
static gt_status compress(gt_i_cfn_function *f, const int64_t *table, int32_t domain_a, int32_t domain_b)
{
    gt_status status = GT_OK;
    uint16_t first_row[GT_CFN_MAX_DOMAIN], first_column[GT_CFN_MAX_DOMAIN];
    GT_TRY(gt_calloc(&f->row_of, (size_t)domain_a + (size_t)domain_b, sizeof *f->row_of));
    f->column_of = f->row_of + domain_a;
    f->rows = gt_i_group_rows(f->row_of, first_row, table, domain_a, domain_b, domain_b, 1);
    f->columns = gt_i_group_rows(f->column_of, first_column, table, domain_b, domain_a, 1, domain_b);
    GT_TRY(gt_calloc(&f->table, (size_t)f->rows * (size_t)f->columns, sizeof *f->table));
    for (int32_t i = 0; i < f->rows; i++) {
        for (int32_t j = 0; j < f->columns; j++) {
            f->table[i * f->columns + j] = table[(int64_t)first_row[i] * domain_b + first_column[j]];
        }
    }
done:
    return status;
}

gt_status gt_cfn_add_binary(gt_cfn *cfn, int32_t a, int32_t b, const int64_t *table)
{
    gt_status status = GT_OK;
    gt_i_cfn_function added = {.a = a, .b = b};
    GT_TRY(check_variable(cfn, a));
    GT_TRY(check_variable(cfn, b));
    const gt_i_cfn_variable *va = &cfn->variables[a], *vb = &cfn->variables[b];
    GT_REQUIRE(a != b, GT_ERROR_ARGUMENT,
               "cost network: a function on '%s' and itself; add it to the unary costs", va->name);
    GT_REQUIRE(cfn->function_count < INT32_MAX, GT_ERROR_LIMIT, "cost network: too many functions");
    GT_TRY(check_costs(table, (int64_t)va->domain * vb->domain, va->name, vb->name));
    GT_TRY(compress(&added, table, va->domain, vb->domain));
    GT_PUSH(cfn->functions, cfn->function_count, cfn->function_capacity, added);
    added = (gt_i_cfn_function){0};
done:
    gt_free(added.table);
    gt_free(added.row_of);
    return status;
}

int32_t gt_cfn_variable_count(const gt_cfn *cfn)
{
    return (int32_t)cfn->variable_count;
}

int32_t gt_cfn_domain(const gt_cfn *cfn, int32_t variable)
{
    return cfn->variables[variable].domain;
}

const char *gt_cfn_variable_name(const gt_cfn *cfn, int32_t variable)
{
    return cfn->variables[variable].name;
}

int64_t gt_cfn_unary_cost(const gt_cfn *cfn, int32_t variable, int32_t value)
{
    return cfn->variables[variable].unary[value];
}

int32_t gt_cfn_binary_count(const gt_cfn *cfn)
{
    return (int32_t)cfn->function_count;
}

void gt_cfn_binary_scope(const gt_cfn *cfn, int32_t function, int32_t *a, int32_t *b)
{
    *a = cfn->functions[function].a;
    *b = cfn->functions[function].b;
}

int64_t gt_cfn_binary_cost(const gt_cfn *cfn, int32_t function, int32_t value_a, int32_t value_b)
{
    const gt_i_cfn_function *f = &cfn->functions[function];
    return f->table[f->row_of[value_a] * f->columns + f->column_of[value_b]];
}

int64_t gt_cfn_evaluate(const gt_cfn *cfn, const int32_t *assignment)
{
    int64_t cost = 0;
    for (size_t i = 0; i < cfn->variable_count; i++) {
        cost = gt_i_cfn_add(cost, cfn->variables[i].unary[assignment[i]]);
    }
    for (size_t k = 0; k < cfn->function_count; k++) {
        const gt_i_cfn_function *f = &cfn->functions[k];
        cost = gt_i_cfn_add(cost, gt_cfn_binary_cost(cfn, (int32_t)k, assignment[f->a], assignment[f->b]));
    }
    return cost;
}
