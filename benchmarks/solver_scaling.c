/* SPDX-License-Identifier: Apache-2.0 */
/* Networks of 1,000 to 100,000 ops. */
#include "benchmarks/solver_measure.h"
#include "benchmarks/solver_parts.h"
#include "src/base/clock.h"

#include <sys/mman.h>

struct outcome {
    int64_t cost, bound, nodes, cpu_ns, elapsed_ns, variables;
    double domain;
    int width, largest_domain;
    bool proved, verified;
};

struct job {
    int n_ops;
    struct outcome *outcome; /* shared with the process that works */
};

static void describe(struct outcome *out, const lp_problem *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->n_ops; i++) {
        sum += p->ops[i].n;
        out->largest_domain = p->ops[i].n > out->largest_domain ? p->ops[i].n : out->largest_domain;
    }
    out->domain = sum / (double)p->n_ops;
}

static void solve_deep(const void *context)
{
    const struct job *job = context;
    struct outcome *out = job->outcome;
    gt_cfn_result result = {0};
    gt_rng rng;
    gt_rng_seed(&rng, 1);
    lp_problem *p = bn_deep(job->n_ops, &rng);
    describe(out, p);
    gt_cfn *cfn = lp_network(p);
    lp_destroy(p);
    int64_t start = gt_now_ns();
    ms_solve(cfn, &result, NULL, &out->cpu_ns);
    out->elapsed_ns = gt_now_ns() - start;
    out->cost = result.cost;
    out->bound = result.lower_bound;
    out->nodes = result.nodes;
    out->width = result.width;
    out->proved = result.optimal;
    out->variables = gt_cfn_variable_count(cfn);
    out->verified = gt_cfn_evaluate(cfn, result.assignment) == result.cost;
    gt_cfn_result_destroy(&result);
    gt_cfn_destroy(cfn);
}

static void run_size(rp_report *r, int n_ops, struct outcome *out)
{
    *out = (struct outcome){0};
    double mb = ms_peak_mb(solve_deep, &(struct job){n_ops, out});
    rp_int(r, n_ops);
    rp_int(r, out->variables);
    rp_number(r, out->domain, 1);
    rp_int(r, out->largest_domain);
    rp_int(r, out->width);
    rp_int(r, out->nodes);
    rp_number(r, (double)out->cpu_ns * 1e-9, 3);
    rp_number(r, (double)out->elapsed_ns * 1e-9, 3);
    rp_number(r, (double)out->cpu_ns * 1e-3 / n_ops, 2);
    mb >= 0 ? rp_number(r, mb, 0) : rp_none(r);
    rp_target(r, out->cpu_ns <= 2000000000 && mb >= 0 && mb <= 1000);
    rp_check(r, out->proved && out->verified && out->cost == out->bound);
    rp_end(r);
}

void bn_scaling(rp_report *r, const bn_options *o)
{
    static const int sizes[] = {1000, 3000, 10000, 30000, 100000};
    struct outcome *out = mmap(NULL, sizeof *out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    rp_table(r, "scaling",
             "residual and Inception blocks, 5 layouts, candidates that another one with transforms replaces left out; domain: "
             "mean and largest; peak memory of process, network included; target: <= 2 s of CPU time and 1 GB; correct: optimum "
             "proved, and the assignment costs that",
             "ops____ _____vars domain largest width _nodes cpu_s___ elapsed_s us_per_op ___MB target __correct");
    for (int i = 0; out != MAP_FAILED && i < (o->quick ? 1 : (int)(sizeof sizes / sizeof sizes[0])); i++) {
        run_size(r, sizes[i], out);
    }
}
