/* SPDX-License-Identifier: Apache-2.0 */
/* Little memory: worse assignments perhaps, but bounds that hold and no errors. */
#include "benchmarks/solver_measure.h"
#include "benchmarks/solver_parts.h"
#include "benchmarks/solver_toulbar2.h"
#include "tests/solve_networks.h"

#include <stdio.h>

#define BUDGET_NS INT64_C(10000000000)

struct known {
    const gt_cfn *cfn;
    const char *name;
    bool proved;
    int64_t best; /* without a limit; the optimum if proved */
};

static gt_status solve_within(const gt_cfn *cfn, gt_cfn_result *result, int64_t bytes)
{
    gt_cfn_options options = {.memory_budget_bytes = bytes, .time_budget_ns = BUDGET_NS};
    return gt_cfn_solve(cfn, result, &options);
}

struct bounded {
    const gt_cfn *cfn;
    int64_t bytes;
};

/* For its peak memory alone; whether it works is looked at elsewhere. */
static void solve_bounded(const void *context)
{
    const struct bounded *b = context;
    gt_cfn_result result = {0};
    if (solve_within(b->cfn, &result, b->bytes) == GT_OK) {
        gt_cfn_result_destroy(&result);
    }
}

static void report_result(rp_report *r, const gt_cfn_result *result)
{
    rp_int(r, result->lower_bound);
    rp_int(r, result->cost);
    rp_number(r, 100 * result->gap, 3);
    rp_number(r, (double)result->solver_ns * 1e-9, 3);
    rp_text(r, result->stopped != NULL ? result->stopped : "-");
}

static void run_budget(rp_report *r, const struct known *k, int64_t bytes)
{
    gt_cfn_result result = {0};
    gt_status status = solve_within(k->cfn, &result, bytes);
    bool correct = status == GT_OK && gt_cfn_evaluate(k->cfn, result.assignment) == result.cost &&
                   result.lower_bound <= k->best && (!k->proved || result.cost >= k->best);
    double mb = ms_peak_mb(solve_bounded, &(struct bounded){k->cfn, bytes});
    rp_text(r, k->name);
    rp_number(r, (double)bytes / (1 << 20), 0);
    rp_text(r, gt_status_name(status));
    rp_int(r, k->best);
    rp_text(r, k->proved ? "yes" : "no");
    if (status == GT_OK) {
        report_result(r, &result);
    } else {
        for (int i = 0; i < 5; i++) {
            rp_none(r);
        }
    }
    mb >= 0 ? rp_number(r, mb, 1) : rp_none(r);
    rp_check(r, correct);
    rp_end(r);
    if (!correct) {
        tb_keep(k->cfn, k->name);
    }
    gt_cfn_result_destroy(&result);
}

static void run_budgets(rp_report *r, const gt_cfn *cfn, const char *name)
{
    gt_cfn_result result = {0};
    lp_must(solve_within(cfn, &result, 0));
    struct known k = {cfn, name, result.optimal, result.cost};
    run_budget(r, &k, INT64_C(1) << 20);
    run_budget(r, &k, INT64_C(16) << 20);
    gt_cfn_result_destroy(&result);
}

static void run_zoo_budgets(rp_report *r, const char *name)
{
    bn_zoo_case c = {0};
    bn_zoo_open(&c, name, 1, 1);
    gt_cfn *cfn = lp_network(c.problem);
    run_budgets(r, cfn, name);
    gt_cfn_destroy(cfn);
    bn_zoo_close(&c);
}

static void run_wired_budgets(rp_report *r, bn_wiring wiring, int nodes)
{
    char name[64];
    gt_rng rng;
    gt_rng_seed(&rng, 1);
    lp_problem *p = bn_wired(wiring, nodes, false, &rng);
    gt_cfn *cfn = lp_network(p);
    snprintf(name, sizeof name, "%s-%d", bn_wiring_name(wiring), nodes);
    run_budgets(r, cfn, name);
    gt_cfn_destroy(cfn);
    lp_destroy(p);
}

static void run_model_budgets(rp_report *r, gt_test_model model, int32_t size, const char *name)
{
    gt_cfn *cfn = NULL;
    gt_rng rng;
    gt_rng_seed(&rng, 1);
    lp_must(gt_test_model_network(&cfn, &rng, model, 5, size, 2.0F));
    run_budgets(r, cfn, name);
    gt_cfn_destroy(cfn);
}

void bn_budgets(rp_report *r, const bn_options *o)
{
    rp_table(r, "memory",
             "memory_budget_bytes of 1 and 16 MiB, at most 10 s; best: cost found with the default of 256 MiB, proved or not; "
             "MB: peak of the solve, the network's own tables in the solver included; correct: no error, the assignment costs "
             "what is said, bound <= best",
             "network______ MiB status ________best proved _______bound ________cost ___gap_% elapsed_s __stopped ____MB "
             "__correct");
    run_wired_budgets(r, BN_BARABASI_ALBERT, 18);
    if (!o->quick) {
        run_zoo_budgets(r, "densenet121");
        run_zoo_budgets(r, "hrnet_w18");
        run_model_budgets(r, GT_TEST_DENSENET, 16, "densenet");
        run_model_budgets(r, GT_TEST_DENSENET, 32, "densenet-32");
        run_model_budgets(r, GT_TEST_HRNET, 32, "hrnet");
        run_model_budgets(r, GT_TEST_NASNET, 24, "nasnet");
        for (int wiring = 0; wiring < BN_WIRING_COUNT; wiring++) {
            run_wired_budgets(r, (bn_wiring)wiring, 102);
        }
    }
}
