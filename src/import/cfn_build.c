/* SPDX-License-Identifier: Apache-2.0 */
/* From a CFN file's functions to the solver's: whole costs that are not negative, on one or two variables. */
#include "src/import/cfn_read.h"

#include <string.h>

struct builder {
    gt_i_cfn_reader *reader;
    const gt_i_cfn_function *f; /* the one being added */
    const gt_i_cfn_function *g; /* the one whose costs it has: itself, or the one that it names */
};

static gt_status refuse(const struct builder *b, gt_status code, const char *what)
{
    char label[GT_I_CFN_LABEL_BYTES];
    return gt_i_cfn_fail(&b->reader->scan, code, b->f->at, "%s: %s", gt_i_cfn_label(label, sizeof label, b->f), what);
}

/* The solver's cost of a tuple. All functions together cost `constant` at least, so a cost that takes this to the upper
 * bound is never part of a solution. */
static int64_t convert(const struct builder *b, int64_t cost)
{
    const gt_cfn_file *file = b->reader->file;
    if (cost == INT64_MAX) {
        return GT_CFN_INFINITE;
    }
    int64_t raised = b->g->least < 0 ? cost - b->g->least : cost;
    return raised + file->constant >= file->upper_bound ? GT_CFN_INFINITE : raised;
}

static int32_t domain_of(const struct builder *b, int32_t k)
{
    return gt_cfn_domain(b->reader->file->cfn, b->f->scope[k]);
}

/* Puts the shift of every function, and functions of no variables, into the constant. */
static gt_status sum_constants(gt_i_cfn_reader *r)
{
    gt_cfn_file *file = r->file;
    for (size_t i = 0; i < r->n_functions; i++) {
        struct builder b = {r, &r->functions[i], &r->functions[i]};
        b.g = b.f->same_as >= 0 ? &r->functions[b.f->same_as] : b.f;
        if (b.f->arity == 0 && b.g->least == INT64_MAX) {
            return refuse(&b, GT_ERROR_LIMIT, "its cost is beyond what is read");
        }
        file->constant += b.f->arity == 0 || b.g->least < 0 ? b.g->least : 0;
        if (file->constant > GT_I_CFN_MAX_COST || file->constant < -GT_I_CFN_MAX_COST) {
            return refuse(&b, GT_ERROR_LIMIT, "the least costs of the functions up to here sum to more than 2^60 units of the "
                                              "last decimal of \"mustbe\": state the bound with fewer decimals");
        }
    }
    return GT_OK;
}

/* ---- one or two variables: a table ---- */

static gt_status add_table(const struct builder *b)
{
    gt_status status = GT_OK;
    gt_cfn *cfn = b->reader->file->cfn;
    const gt_i_cfn_function *f = b->f, *g = b->g;
    int64_t *table = NULL;
    GT_TRY(gt_calloc(&table, (size_t)g->cells, sizeof *table));
    for (int64_t k = 0; k < g->cells; k++) {
        table[k] = convert(b, g->sparse ? g->fallback : g->costs[k]);
    }
    for (int64_t k = 0; g->sparse && k < g->n; k++) {
        table[g->entries[k].tuple] = convert(b, g->entries[k].cost);
    }
    GT_TRY(f->arity == 1 ? gt_cfn_add_unary(cfn, f->scope[0], table) : gt_cfn_add_binary(cfn, f->scope[0], f->scope[1], table));
done:
    gt_free(table);
    return status;
}

/* ---- three and more: a variable whose values are the allowed tuples ---- */

struct tuples {
    int32_t n;
    int64_t tuple[GT_CFN_MAX_DOMAIN], cost[GT_CFN_MAX_DOMAIN];
};

static gt_status push_tuple(const struct builder *b, struct tuples *t, int64_t tuple, int64_t cost)
{
    int64_t converted = convert(b, cost);
    if (converted == GT_CFN_INFINITE) {
        return GT_OK;
    }
    if (t->n == GT_CFN_MAX_DOMAIN) {
        char label[GT_I_CFN_LABEL_BYTES];
        return gt_i_cfn_fail(&b->reader->scan, GT_ERROR_LIMIT, b->f->at,
                             "%s on %d variables allows more than %d of its %lld tuples: on three and more variables, no more "
                             "may cost less than the upper bound",
                             gt_i_cfn_label(label, sizeof label, b->f), (int)b->f->arity, GT_CFN_MAX_DOMAIN,
                             (long long)b->g->cells);
    }
    t->tuple[t->n] = tuple;
    t->cost[t->n++] = converted;
    return GT_OK;
}

/* The tuples that no entry lists end early: either they are forbidden, or soon too many. */
static gt_status list_tuples(const struct builder *b, struct tuples *t)
{
    gt_status status = GT_OK;
    const gt_i_cfn_function *g = b->g;
    bool only_listed = g->sparse && convert(b, g->fallback) == GT_CFN_INFINITE;
    int64_t end = only_listed ? g->n : g->cells;
    for (int64_t k = 0, entry = 0; k < end; k++) {
        bool listed = g->sparse && (only_listed || (entry < g->n && g->entries[entry].tuple == k));
        if (listed) {
            GT_TRY(push_tuple(b, t, g->entries[entry].tuple, g->entries[entry].cost));
            entry++;
        } else {
            GT_TRY(push_tuple(b, t, k, g->sparse ? g->fallback : g->costs[k]));
        }
    }
done:
    return status;
}

/* Ties the k-th variable of the scope to the hidden one. stride: tuples per value of the variable. */
static gt_status tie(const struct builder *b, const struct tuples *t, int32_t hidden, int32_t k, int64_t stride)
{
    gt_status status = GT_OK;
    int32_t domain = domain_of(b, k);
    int64_t *table = NULL;
    GT_TRY(gt_calloc(&table, (size_t)t->n * (size_t)domain, sizeof *table));
    for (int32_t i = 0; i < t->n; i++) {
        for (int32_t x = 0; x < domain; x++) {
            table[(int64_t)i * domain + x] = t->tuple[i] / stride % domain == x ? 0 : GT_CFN_INFINITE;
        }
    }
    GT_TRY(gt_cfn_add_binary(b->reader->file->cfn, hidden, b->f->scope[k], table));
done:
    gt_free(table);
    return status;
}

/* Nothing is allowed: one variable of the scope says so. */
static gt_status forbid(const struct builder *b)
{
    gt_status status = GT_OK;
    int64_t *costs = NULL;
    GT_TRY(gt_calloc(&costs, (size_t)domain_of(b, 0), sizeof *costs));
    for (int32_t x = 0; x < domain_of(b, 0); x++) {
        costs[x] = GT_CFN_INFINITE;
    }
    GT_TRY(gt_cfn_add_unary(b->reader->file->cfn, b->f->scope[0], costs));
done:
    gt_free(costs);
    return status;
}

static gt_status add_tuples(const struct builder *b)
{
    gt_status status = GT_OK;
    char label[GT_I_CFN_LABEL_BYTES];
    struct tuples *t = NULL;
    int32_t hidden = 0;
    int64_t stride = 1;
    GT_TRY(gt_calloc(&t, 1, sizeof *t));
    GT_TRY(list_tuples(b, t));
    if (t->n == 0) {
        GT_TRY(forbid(b));
        goto done;
    }
    gt_i_cfn_label(label, sizeof label, b->f);
    GT_TRY(gt_cfn_add_variable(b->reader->file->cfn, &hidden, label, t->n, t->cost));
    for (int32_t k = b->f->arity - 1; k >= 0; k--) {
        GT_TRY(tie(b, t, hidden, k, stride));
        stride *= domain_of(b, k);
    }
done:
    gt_free(t);
    return status;
}

/* ---- all of them ---- */

static gt_status check_shared(const struct builder *b)
{
    const gt_i_cfn_function *f = b->f, *g = b->g;
    const gt_cfn *cfn = b->reader->file->cfn;
    bool same = f->arity == g->arity;
    for (int32_t k = 0; k < f->arity && same; k++) {
        same = gt_cfn_domain(cfn, f->scope[k]) == gt_cfn_domain(cfn, g->scope[k]);
    }
    return same ? GT_OK
                : refuse(b, GT_ERROR_FORMAT, "the function whose \"costs\" it shares must be on variables with as many values, one by one");
}

static gt_status add_function(const struct builder *b)
{
    gt_status status = b->f->arity == 0   ? GT_OK
                       : b->f->arity <= 2 ? add_table(b)
                                          : add_tuples(b);
    char label[GT_I_CFN_LABEL_BYTES];
    /* What the network refuses, it refuses without the file's name. */
    if (status != GT_OK && status != GT_ERROR_MEMORY && b->f->arity <= 2) {
        status = gt_fail_in(status, "%s: %s", b->reader->scan.path, gt_i_cfn_label(label, sizeof label, b->f));
    }
    return status;
}

gt_status gt_i_cfn_build(gt_i_cfn_reader *r)
{
    gt_status status = GT_OK;
    for (size_t i = 0; i < r->n_functions; i++) {
        if (r->functions[i].same_as >= 0) {
            struct builder b = {r, &r->functions[i], &r->functions[r->functions[i].same_as]};
            GT_TRY(check_shared(&b));
        }
    }
    GT_TRY(sum_constants(r));
    for (size_t i = 0; i < r->n_functions; i++) {
        struct builder b = {r, &r->functions[i], &r->functions[i]};
        b.g = b.f->same_as >= 0 ? &r->functions[b.f->same_as] : b.f;
        GT_TRY(add_function(&b));
        /* Only functions before this one share its costs, and they are done. */
        gt_i_cfn_function_clear(&r->functions[i]);
    }
done:
    return status;
}
