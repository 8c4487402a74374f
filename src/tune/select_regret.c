/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tune/select_regret.h"

#include <stdlib.h>
#include <string.h>

/* Effort, so counted that the same inputs give the same plan: table entries that an elimination makes, work of its two
 * passes (some 10 ms), and free ops of all regions that are solved, per op of the network. */
#define MOST_ENTRIES 3e5
#define MARGINAL_WORK INT64_C(10000000)
#define REGION_OPS 32

gt_status gt_i_selection_marginals(const gt_selection *s, gt_cfn_marginals *marginals, int64_t work_budget)
{
    gt_status status = GT_OK;
    uint32_t *allowed = NULL;
    gt_network *network = NULL;
    gt_cfn_options options = {.memory_budget_bytes = gt_i_solver_memory(s->options), .stop = s->options->stop,
                              .time_budget_ns = (int64_t)(s->options->time_budget_s * 1e9), .work_budget = work_budget};
    GT_TRY(gt_i_restrict(s, s->options->only_layout, &allowed));
    GT_TRY(gt_i_network_create(&network, s, allowed));
    GT_TRY(gt_cfn_min_marginals(network->cfn, marginals, &options));
done:
    gt_i_network_destroy(network);
    gt_free(allowed);
    return status;
}

struct search {
    const gt_selection *s;
    const gt_cfn_marginals *m;
    const int32_t *values;
    gt_regret *regrets;
    int64_t *other_units; /* [op]: the least cost with another choice than the op's */
    uint32_t *allowed;    /* [op]: scratch; all zero between regions */
    int32_t *changed;     /* [op]: scratch */
    int *region;          /* scratch */
    int n_region;
    int64_t effort;       /* free ops that may still be solved for */
};

int64_t gt_i_sum_units(const gt_selection *s, const int32_t *values)
{
    int64_t units = gt_i_all_pair_units(s, values);
    for (int i = 0; i < s->graph->n_ops && units != GT_CFN_INFINITE; i++) {
        units += gt_i_choice_units(s, &s->domains[i].choice[values[i]]);
    }
    for (int t = 0; t < s->graph->n_tensors && units != GT_CFN_INFINITE; t++) {
        int producer = s->graph->tensors[t].producer;
        int from = producer >= 0 ? (int)s->domains[producer].choice[values[producer]].out : GT_NCHW;
        int64_t cover = s->sites[t].copies >= 0 ? s->copies[s->sites[t].copies].cover[from][gt_i_site_needs(s, t, values)] : 0;
        if (cover == GT_CFN_INFINITE) {
            return GT_CFN_INFINITE;
        }
        units += cover;
    }
    return units;
}

/* The best other choice, by what is proved of each. */
static void find_other(struct search *x, int op, int64_t units)
{
    const int64_t *cost = x->m->cost + x->m->offset[op];
    const int64_t *bound = x->m->bound + x->m->offset[op];
    int64_t least_bound = GT_CFN_INFINITE;
    gt_regret *regret = &x->regrets[op];
    const uint32_t same = gt_i_same_layouts(&x->s->domains[op], x->values[op]);
    *regret = (gt_regret){.other = -1};
    for (int v = 0; v < x->s->domains[op].n; v++) {
        bool other = (same >> v & 1) == 0;
        if (other && cost[v] != GT_CFN_INFINITE && (regret->other < 0 || cost[v] < cost[regret->other])) {
            regret->other = v;
        }
        least_bound = other && bound[v] < least_bound ? bound[v] : least_bound;
    }
    x->other_units[op] = regret->other >= 0 ? cost[regret->other] : GT_CFN_INFINITE;
    regret->exact = least_bound == x->other_units[op];
    regret->bound_ns = gt_i_units_to_ns(x->s, least_bound) - gt_i_units_to_ns(x->s, units);
    if (regret->other >= 0) {
        regret->ns = gt_i_units_to_ns(x->s, x->other_units[op]) - gt_i_units_to_ns(x->s, units);
    }
}

/* Choices of an op that a schedule of this cost can have. */
static uint32_t affordable(const struct search *x, int op, int64_t units)
{
    uint32_t mask = 0;
    for (int v = 0; v < x->s->domains[op].n; v++) {
        mask |= x->m->bound[x->m->offset[op] + v] <= units ? 1u << v : 0;
    }
    return mask;
}

static void join_region(struct search *x, int op, int64_t units)
{
    uint32_t mask = op >= 0 && x->allowed[op] == 0 ? affordable(x, op, units) : 0;
    if ((mask & (mask - 1)) != 0) {
        x->allowed[op] = mask;
        x->region[x->n_region++] = op;
    }
}

/* The ops that can differ in the best schedule with a choice out of `mask` for `op`, which costs `units`. What differs there
 * hangs together: ops apart from `op` could go back to their choices, which are optimal, at no cost. */
static void find_region(struct search *x, int op, uint32_t mask, int64_t units)
{
    const gt_graph *g = x->s->graph;
    x->n_region = 0;
    x->region[x->n_region++] = op;
    x->allowed[op] = affordable(x, op, units) & mask;
    for (int k = 0; k < x->n_region; k++) {
        const gt_op *o = &g->ops[x->region[k]];
        for (int i = 0; i <= o->n_inputs; i++) {
            int t = i < o->n_inputs ? o->inputs[i] : o->output;
            if (t == GT_NO_TENSOR || x->s->sites[t].copies < 0) {
                continue;
            }
            join_region(x, g->tensors[t].producer, units);
            for (int c = x->s->sites[t].first; c < x->s->sites[t].last; c++) {
                join_region(x, x->s->consumer[c], units);
            }
        }
    }
}

/* x->changed: the best schedule with a choice out of `mask` for `op`. */
static gt_status solve_other(struct search *x, bool *found, int op, uint32_t mask, int64_t units)
{
    gt_status status = GT_OK;
    memcpy(x->changed, x->values, (size_t)x->s->graph->n_ops * sizeof *x->changed);
    find_region(x, op, mask, units);
    x->effort -= x->n_region;
    if (x->effort >= 0) {
        status = gt_i_solve_region(x->s, x->changed, x->region, x->n_region, x->allowed);
    }
    for (int k = 0; k < x->n_region; k++) {
        x->allowed[x->region[k]] = 0;
    }
    *found = status == GT_OK && x->effort >= 0 && gt_i_sum_units(x->s, x->changed) == units;
    return status == GT_ERROR_LIMIT ? GT_OK : status;
}

/* Decides an op, and with it all whose best other schedule is the same one. */
static gt_status decide(struct search *x, int op)
{
    gt_status status = GT_OK;
    double noise = 0;
    bool known = false;
    bool found = false;
    GT_TRY(solve_other(x, &found, op, ~gt_i_same_layouts(&x->s->domains[op], x->values[op]), x->other_units[op]));
    if (!found) {
        return GT_OK;
    }
    GT_TRY(gt_i_noise(&noise, &known, x->s, x->values, x->changed));
    for (int i = 0; i < x->s->graph->n_ops; i++) {
        gt_regret *regret = &x->regrets[i];
        if (x->changed[i] != x->values[i] && x->other_units[i] == x->other_units[op] && regret->exact) {
            regret->noise_ns = noise;
            regret->certainty = regret->ns <= noise ? GT_CERTAINTY_NOISE : GT_CERTAINTY_CERTAIN;
            regret->certainty = known ? regret->certainty : GT_CERTAINTY_NO_INTERVAL;
        }
    }
done:
    return status;
}

struct ranked {
    int64_t units;
    int op;
};

static int by_units(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    return x->units != y->units ? (x->units > y->units) - (x->units < y->units) : (x->op > y->op) - (x->op < y->op);
}

/* Nearest ties first: their regions are the smallest, and they matter most. */
static gt_status decide_all(struct search *x)
{
    gt_status status = GT_OK;
    struct ranked *order = NULL;
    int n = x->s->graph->n_ops;
    GT_TRY(gt_calloc(&order, (size_t)n, sizeof *order));
    for (int i = 0; i < n; i++) {
        order[i] = (struct ranked){x->other_units[i], i};
    }
    qsort(order, (size_t)n, sizeof *order, by_units);
    for (int k = 0; k < n && x->effort >= 0; k++) {
        const gt_regret *regret = &x->regrets[order[k].op];
        if (regret->other >= 0 && regret->exact && regret->certainty == GT_CERTAINTY_NONE) {
            GT_TRY(decide(x, order[k].op));
        }
    }
done:
    gt_free(order);
    return status;
}

static gt_status begin(struct search *x)
{
    gt_status status = GT_OK;
    size_t n = (size_t)x->s->graph->n_ops;
    GT_TRY(gt_calloc(&x->other_units, n, sizeof *x->other_units));
    GT_TRY(gt_calloc(&x->allowed, n, sizeof *x->allowed));
    GT_TRY(gt_calloc(&x->changed, n, sizeof *x->changed));
    GT_TRY(gt_calloc(&x->region, n, sizeof *x->region));
done:
    return status;
}

static void end(struct search *x)
{
    gt_free(x->region);
    gt_free(x->changed);
    gt_free(x->allowed);
    gt_free(x->other_units);
}

gt_status gt_i_regrets(gt_regret *regrets, const gt_selection *s, const gt_cfn_marginals *marginals, const int32_t *values)
{
    gt_status status = GT_OK;
    int64_t units = gt_i_sum_units(s, values);
    struct search x = {.s = s, .m = marginals, .values = values, .regrets = regrets};
    x.effort = (int64_t)REGION_OPS * s->graph->n_ops + 100;
    GT_TRY(begin(&x));
    for (int i = 0; i < s->graph->n_ops; i++) {
        find_other(&x, i, units);
    }
    if (units == marginals->least) {
        GT_TRY(decide_all(&x));
    }
done:
    end(&x);
    return status;
}

gt_status gt_i_best_with(int32_t *changed, bool *found, const gt_selection *s, const gt_cfn_marginals *marginals,
                         const int32_t *values, int op, int value)
{
    gt_status status = GT_OK;
    int64_t units = marginals->cost[marginals->offset[op] + value];
    struct search x = {.s = s, .m = marginals, .values = values, .effort = s->graph->n_ops};
    *found = false;
    if (units == GT_CFN_INFINITE) {
        return GT_OK;
    }
    GT_TRY(begin(&x));
    GT_TRY(solve_other(&x, found, op, 1u << value, units));
    memcpy(changed, x.changed, (size_t)s->graph->n_ops * sizeof *changed);
done:
    end(&x);
    return status;
}

gt_status gt_i_note_regrets(gt_schedule *schedule, const gt_selection *s, const int32_t *values, double table_entries)
{
    gt_status status = GT_OK;
    gt_regret *regrets = NULL;
    gt_cfn_marginals marginals = {0};
    if (table_entries > MOST_ENTRIES) {
        return GT_OK;
    }
    status = gt_i_selection_marginals(s, &marginals, MARGINAL_WORK);
    if (status == GT_ERROR_LIMIT) {
        return GT_OK; /* nothing is known within the budget; that is no failure of the selection */
    }
    GT_TRY(status);
    if (gt_i_sum_units(s, values) != marginals.least) {
        goto done; /* a limit on memory, or on the solver, came before least cost */
    }
    GT_TRY(gt_calloc(&regrets, (size_t)s->graph->n_ops, sizeof *regrets));
    GT_TRY(gt_i_regrets(regrets, s, &marginals, values));
    for (int i = 0; i < s->graph->n_ops; i++) {
        schedule->ops[i].has_regret = regrets[i].other >= 0 && regrets[i].exact;
        schedule->ops[i].regret_ns = schedule->ops[i].has_regret ? regrets[i].ns : 0;
        schedule->ops[i].certainty = regrets[i].certainty;
    }
done:
    gt_free(regrets);
    gt_cfn_marginals_destroy(&marginals);
    return status;
}
