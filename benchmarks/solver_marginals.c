/* SPDX-License-Identifier: Apache-2.0 */
/* All min-marginals of zoo networks against the time of one solve, and samples of them against solves with the value
 * forced. */
#include "benchmarks/solver_measure.h"
#include "benchmarks/solver_parts.h"
#include "benchmarks/solver_toulbar2.h"
#include "src/zoo/zoo.h"

#include <string.h>

#define SAMPLES 12

/* The optimum among assignments with this value: GT_CFN_INFINITE if there are none. Removes what it adds by making the
 * network anew. */
static int64_t forced_optimum(const lp_problem *p, int32_t variable, int32_t value, bool *proved)
{
    gt_cfn *cfn = lp_network(p);
    gt_cfn_result result = {0};
    int64_t *costs = NULL;
    int32_t n = gt_cfn_domain(cfn, variable);
    lp_must(gt_calloc(&costs, (size_t)n, sizeof *costs));
    for (int32_t v = 0; v < n; v++) {
        costs[v] = v == value ? 0 : GT_CFN_INFINITE;
    }
    lp_must(gt_cfn_add_unary(cfn, variable, costs));
    gt_status status = gt_cfn_solve(cfn, &result, NULL);
    int64_t cost = status == GT_OK ? result.cost : GT_CFN_INFINITE;
    *proved = status == GT_OK ? result.optimal : status == GT_ERROR_UNSUPPORTED;
    gt_cfn_result_destroy(&result);
    gt_free(costs);
    gt_cfn_destroy(cfn);
    return cost;
}

static bool consistent(const lp_problem *p, const gt_cfn_marginals *m, int64_t optimum, gt_rng *rng)
{
    bool ok = m->least == optimum;
    for (int i = 0; i < SAMPLES && ok; i++) {
        bool proved = false;
        int32_t variable = (int32_t)gt_rng_below(rng, m->variables);
        int64_t at = m->offset[variable] + gt_rng_below(rng, m->offset[variable + 1] - m->offset[variable]);
        int64_t cost = forced_optimum(p, variable, (int32_t)(at - m->offset[variable]), &proved);
        ok = !proved || (m->bound[at] <= cost && cost <= m->cost[at] && (!m->exact || m->cost[at] == cost));
    }
    return ok;
}

static double settled_percent(const gt_cfn_marginals *m)
{
    int64_t settled = 0, all = m->offset[m->variables];
    for (int64_t i = 0; i < all; i++) {
        settled += m->bound[i] == m->cost[i];
    }
    return 100.0 * (double)settled / (double)all;
}

struct medians {
    double solve_ms, all_ms;
};

/* Solve and marginals in turns, of which result and *m keep the last. Ends early where it would take minutes. */
static struct medians time_marginals(const gt_cfn *cfn, gt_cfn_result *result, gt_cfn_marginals *m, int repeats)
{
    const gt_cfn_options options = {.time_budget_ns = INT64_C(10000000000)};
    double *solve_ms = NULL, *all_ms = NULL, spent_ms = 0;
    int n = 0;
    lp_must(gt_calloc(&solve_ms, (size_t)repeats, sizeof *solve_ms));
    lp_must(gt_calloc(&all_ms, (size_t)repeats, sizeof *all_ms));
    for (; n < repeats && spent_ms < 2000; n++) {
        int64_t ns = 0;
        gt_cfn_result_destroy(result);
        gt_cfn_marginals_destroy(m);
        ms_solve(cfn, result, NULL, &ns);
        solve_ms[n] = (double)ns * 1e-6;
        int64_t start = ms_cpu_ns();
        lp_must(gt_cfn_min_marginals(cfn, m, &options));
        all_ms[n] = (double)(ms_cpu_ns() - start) * 1e-6;
        spent_ms += all_ms[n];
    }
    struct medians medians = {ms_median(solve_ms, n), ms_median(all_ms, n)};
    gt_free(solve_ms);
    gt_free(all_ms);
    return medians;
}

static void report(rp_report *r, const char *name, const gt_cfn_marginals *m, int width, struct medians t)
{
    rp_text(r, name);
    rp_int(r, m->offset[m->variables]);
    rp_int(r, width);
    rp_number(r, t.solve_ms, 3);
    rp_number(r, t.all_ms, 3);
    rp_number(r, t.all_ms / t.solve_ms, 2);
    if (strcmp(name, "resnet50") == 0) {
        rp_target(r, t.all_ms <= 3 * t.solve_ms);
    } else {
        rp_none(r);
    }
    rp_text(r, m->exact ? "yes" : "no");
    rp_number(r, settled_percent(m), 2);
    rp_text(r, m->method);
}

static void run_marginals(rp_report *r, const char *name, const bn_options *o)
{
    bn_zoo_case c = {0};
    gt_cfn_result result = {0};
    gt_cfn_marginals m = {0};
    gt_rng rng;
    gt_rng_seed(&rng, 1);
    bn_zoo_open(&c, name, 1, 1);
    gt_cfn *cfn = lp_network(c.problem);
    struct medians t = time_marginals(cfn, &result, &m, o->repeats);
    bool correct = consistent(c.problem, &m, result.cost, &rng);
    report(r, name, &m, result.width, t);
    rp_check(r, correct);
    rp_end(r);
    if (!correct) {
        tb_keep(cfn, name);
    }
    gt_cfn_marginals_destroy(&m);
    gt_cfn_result_destroy(&result);
    gt_cfn_destroy(cfn);
    bn_zoo_close(&c);
}

void bn_marginals(rp_report *r, const bn_options *o)
{
    rp_table(r, "marginals",
             "min-marginals of all values of zoo networks, at most 10 s; CPU ms, median, and ratio to one solve (resnet50: <= "
             "3); settled: bound equals cost; correct: 12 samples against solves with the value forced",
             "network_____________ values width solve_ms ___all_ms __ratio <=_3 exact settled_% "
             "____________________method __correct");
    for (int i = 0; i < gt_zoo_count() && (!o->quick || i < 1); i++) {
        run_marginals(r, gt_zoo_name(i), o);
    }
}
