/* SPDX-License-Identifier: Apache-2.0 */
/* Min-marginals, and the proof by plain elimination. */
#include "src/base/clock.h"
#include "src/solve/bucket.h"
#include "src/solve/build.h"
#include "src/solve/forced.h"
#include "src/solve/order.h"

#include <string.h>

/* Additions that a pass may take before forcing values one by one is thought quicker: a few seconds. */
#define GT_I_MARGINAL_WORK 4e9

/* A bucket tree of a caller's network. */
typedef struct whole {
    int32_t *domain;
    const int64_t **unary;
    int64_t *costs; /* unary costs with the solver's infinity */
    gt_i_bucket_tree tree;
} whole;

static int64_t internal(int64_t cost)
{
    return cost == GT_CFN_INFINITE ? GT_I_FORBIDDEN : cost;
}

static gt_status collect_unary(whole *w, const gt_cfn *cfn)
{
    gt_status status = GT_OK;
    int64_t values = 0;
    for (size_t i = 0; i < cfn->variable_count; i++) {
        values += cfn->variables[i].domain;
    }
    GT_TRY(gt_calloc(&w->domain, cfn->variable_count, sizeof *w->domain));
    GT_TRY(gt_calloc(&w->unary, cfn->variable_count, sizeof *w->unary));
    GT_TRY(gt_calloc(&w->costs, (size_t)values, sizeof *w->costs));
    int64_t *to = w->costs;
    for (size_t i = 0; i < cfn->variable_count; i++) {
        const gt_i_cfn_variable *v = &cfn->variables[i];
        w->domain[i] = v->domain;
        w->unary[i] = to;
        for (int32_t x = 0; x < v->domain; x++) {
            *to++ = internal(v->unary[x]);
        }
    }
done:
    return status;
}

static gt_status add_functions(whole *w, const gt_cfn *cfn)
{
    gt_status status = GT_OK;
    for (size_t k = 0; k < cfn->function_count; k++) {
        const gt_i_cfn_function *f = &cfn->functions[k];
        int64_t size = (int64_t)f->rows * f->columns, *table = NULL;
        GT_TRY(gt_i_arena_take(&w->tree.arena, &table, size, sizeof *table));
        for (int64_t n = 0; n < size; n++) {
            table[n] = internal(f->table[n]);
        }
        GT_TRY(gt_i_bucket_add(&w->tree, f->a, f->b, f->rows, f->columns, f->row_of, f->column_of, table));
    }
done:
    return status;
}

static gt_status open_whole(whole *w, const gt_cfn *cfn, const int32_t *order)
{
    gt_status status = GT_OK;
    GT_TRY(collect_unary(w, cfn));
    GT_TRY(gt_i_bucket_begin(&w->tree, (int32_t)cfn->variable_count, w->domain, w->unary, order));
    GT_TRY(add_functions(w, cfn));
    GT_TRY(gt_i_bucket_plan(&w->tree));
done:
    return status;
}

static void close_whole(whole *w)
{
    gt_i_bucket_destroy(&w->tree);
    gt_free(w->domain);
    gt_free(w->unary);
    gt_free(w->costs);
}

/* --- verification ---------------------------------------------------------------------------------------- */

static gt_status check_permutation(const gt_cfn *cfn, const int32_t *order)
{
    gt_status status = GT_OK;
    uint8_t *seen = NULL;
    int32_t count = (int32_t)cfn->variable_count;
    GT_TRY(gt_calloc(&seen, cfn->variable_count, sizeof *seen));
    for (int32_t r = 0; r < count; r++) {
        GT_REQUIRE(order[r] >= 0 && order[r] < count && !seen[order[r]], GT_ERROR_ARGUMENT,
                   "elimination order: place %d has variable %d; every variable from 0 to %d is needed once", (int)r,
                   (int)order[r], (int)count - 1);
        seen[order[r]] = 1;
    }
done:
    gt_free(seen);
    return status;
}

gt_status gt_cfn_verify(const gt_cfn *cfn, int64_t *least, const int32_t *order, int64_t memory_budget_bytes)
{
    gt_status status = GT_OK;
    whole w = {0};
    double budget = (double)(memory_budget_bytes > 0 ? memory_budget_bytes : GT_CFN_DEFAULT_MEMORY_BYTES);
    GT_TRY(check_permutation(cfn, order));
    GT_TRY(gt_i_check_total(cfn));
    GT_TRY(open_whole(&w, cfn, order));
    GT_REQUIRE(w.tree.bytes <= budget, GT_ERROR_LIMIT,
               "cost network: elimination in this order needs %.3g MiB of tables, allowed are %.3g", w.tree.bytes * 0x1p-20,
               budget * 0x1p-20);
    GT_TRY(gt_i_bucket_forward(&w.tree));
    GT_REQUIRE(!gt_i_forbidden(w.tree.constant), GT_ERROR_UNSUPPORTED, "cost network: no feasible assignment");
    *least = w.tree.constant;
done:
    close_whole(&w);
    return status;
}

/* --- marginals ------------------------------------------------------------------------------------------- */

static gt_status allocate(gt_cfn_marginals *m, const gt_cfn *cfn)
{
    gt_status status = GT_OK;
    m->variables = (int32_t)cfn->variable_count;
    GT_TRY(gt_calloc(&m->offset, cfn->variable_count + 1, sizeof *m->offset));
    for (size_t i = 0; i < cfn->variable_count; i++) {
        m->offset[i + 1] = m->offset[i] + cfn->variables[i].domain;
    }
    GT_TRY(gt_calloc(&m->cost, (size_t)m->offset[m->variables], sizeof *m->cost));
    GT_TRY(gt_calloc(&m->bound, (size_t)m->offset[m->variables], sizeof *m->bound));
done:
    return status;
}

static gt_status by_elimination(whole *w, gt_cfn_marginals *m)
{
    gt_status status = GT_OK;
    int64_t **places = NULL;
    GT_TRY(gt_calloc(&places, (size_t)m->variables, sizeof *places));
    for (int32_t i = 0; i < m->variables; i++) {
        places[i] = m->cost + m->offset[i];
    }
    GT_TRY(gt_i_bucket_forward(&w->tree));
    GT_REQUIRE(!gt_i_forbidden(w->tree.constant), GT_ERROR_UNSUPPORTED, "cost network: no feasible assignment");
    GT_TRY(gt_i_bucket_back(&w->tree, places));
    for (int64_t k = 0; k < m->offset[m->variables]; k++) {
        m->cost[k] = gt_i_forbidden(m->cost[k]) ? GT_CFN_INFINITE : m->cost[k];
        m->bound[k] = m->cost[k];
    }
    m->least = w->tree.constant;
    m->exact = true;
    m->method = "elimination";
done:
    gt_free(places);
    return status;
}

/* A pass in each direction must fit into memory, and not take longer than forcing values would. */
static bool is_affordable(const gt_i_bucket_tree *tree, const gt_cfn_options *options)
{
    double budget = (double)(options->memory_budget_bytes > 0 ? options->memory_budget_bytes : GT_CFN_DEFAULT_MEMORY_BYTES);
    double work = options->work_budget > 0 ? (double)options->work_budget : GT_I_MARGINAL_WORK;
    return (options->skip & GT_CFN_SKIP_ELIMINATION) == 0 && 2 * tree->bytes <= budget && 3 * tree->work <= work;
}

gt_status gt_cfn_min_marginals(const gt_cfn *cfn, gt_cfn_marginals *marginals, const gt_cfn_options *options)
{
    gt_status status = GT_OK;
    const gt_cfn_options defaults = {0};
    gt_cfn_marginals made = {0};
    gt_i_wcsp net = {0};
    gt_i_arena arena = {0};
    gt_i_order order = {0};
    whole w = {0};
    int64_t start_ns = gt_now_ns();
    options = options != NULL ? options : &defaults;
    GT_TRY(allocate(&made, cfn));
    GT_TRY(gt_i_build(&net, cfn));
    GT_TRY(gt_i_best_order(&order, &arena, &net));
    GT_TRY(open_whole(&w, cfn, order.variables));
    if (is_affordable(&w.tree, options)) {
        GT_TRY(by_elimination(&w, &made));
    } else {
        GT_TRY(gt_i_forced_marginals(cfn, &made, &net, options));
    }
    made.solver_ns = gt_now_ns() - start_ns;
    *marginals = made;
    made = (gt_cfn_marginals){0};
done:
    close_whole(&w);
    gt_i_arena_destroy(&arena);
    gt_i_wcsp_destroy(&net);
    gt_cfn_marginals_destroy(&made);
    return status;
}

void gt_cfn_marginals_destroy(gt_cfn_marginals *marginals)
{
    gt_free(marginals->offset);
    gt_free(marginals->cost);
    gt_free(marginals->bound);
    marginals->offset = marginals->cost = marginals->bound = NULL;
}
