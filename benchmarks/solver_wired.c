/* SPDX-License-Identifier: Apache-2.0 */
/* Randomly wired networks, which are wide: how close to the optimum, with proof, ten seconds lead. */
#include "benchmarks/solver_measure.h"
#include "benchmarks/solver_parts.h"
#include "benchmarks/solver_toulbar2.h"

#include <stdio.h>

struct case_of {
    bn_wiring wiring;
    int nodes, seed;
    bool uniform;
};

/* What must hold whatever toulbar2 says, and that it agrees. */
static bool is_correct(const gt_cfn *cfn, const gt_cfn_result *result, const tb_answer *theirs)
{
    bool own = gt_cfn_evaluate(cfn, result->assignment) == result->cost && result->lower_bound <= result->cost &&
               result->optimal == (result->lower_bound == result->cost);
    return own && (!theirs->proved || (result->lower_bound <= theirs->cost && theirs->cost <= result->cost));
}

static void report(rp_report *r, const struct case_of *c, const lp_problem *p, const gt_cfn *cfn,
                   const gt_cfn_result *result, const tb_answer *theirs)
{
    bool correct = is_correct(cfn, result, theirs);
    rp_text(r, bn_wiring_name(c->wiring));
    rp_text(r, c->uniform ? "uniform" : "tuned");
    rp_int(r, c->seed);
    rp_int(r, (int64_t)p->n_ops);
    rp_int(r, gt_cfn_variable_count(cfn));
    rp_int(r, result->width);
    rp_int(r, result->lower_bound);
    rp_int(r, result->cost);
    rp_number(r, 100 * result->gap, 3);
    rp_int(r, result->nodes);
    rp_number(r, (double)result->solver_ns * 1e-9, 3);
    rp_text(r, result->optimal ? "yes" : "no");
    rp_target(r, result->gap <= 0.01);
    theirs->proved ? rp_number(r, theirs->seconds, 3) : rp_none(r);
    if (correct && !theirs->proved) {
        rp_unchecked(r, 1);
    } else {
        rp_check(r, correct);
    }
    rp_end(r);
    if (!correct) {
        char name[64];
        snprintf(name, sizeof name, "wired%d-%d-%s-%d", (int)c->wiring, c->nodes, c->uniform ? "uniform" : "tuned", c->seed);
        tb_keep(cfn, name);
    }
}

static void run_wired(rp_report *r, struct case_of c, int limit_s)
{
    gt_cfn_result result = {0};
    gt_rng rng;
    gt_cfn_options options = {.time_budget_ns = INT64_C(10000000000)};
    gt_rng_seed(&rng, (uint64_t)c.seed);
    lp_problem *p = bn_wired(c.wiring, c.nodes, c.uniform, &rng);
    gt_cfn *cfn = lp_network(p);
    lp_must(gt_cfn_solve(cfn, &result, &options));
    tb_answer theirs = tb_available() ? tb_solve(cfn, limit_s) : (tb_answer){0};
    report(r, &c, p, cfn, &result, &theirs);
    gt_cfn_result_destroy(&result);
    gt_cfn_destroy(cfn);
    lp_destroy(p);
}

void bn_random_wiring(rp_report *r, const bn_options *o)
{
    static const int nodes[] = {18, 55, 102};
    int seeds = o->seeds < 3 ? o->seeds : 3;
    rp_table(r, "wiring",
             "random DAGs (ER with over 32 nodes: 6.2 neighbours each), 5 layouts, costs like tuned ones or uniformly random; at "
             "most 10 s elapsed; target: gap <= 1 %; correct: the assignment costs what is said, bound <= cost, proved only if equal, "
             "and toulbar2 (its CPU seconds) agrees",
             "wiring______ __costs seed __ops _vars width _______bound ________cost ___gap_% __nodes elapsed_s proved target toulbar2 __correct");
    for (int size = 0; size < (o->quick ? 1 : 3); size++) {
        for (int k = 0; k < 2 * BN_WIRING_COUNT * seeds; k++) {
            struct case_of c = {(bn_wiring)(k / seeds % BN_WIRING_COUNT), nodes[size], 1 + k % seeds, k >= BN_WIRING_COUNT * seeds};
            run_wired(r, c, o->limit_s);
        }
    }
}
