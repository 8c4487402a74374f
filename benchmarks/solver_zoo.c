/* SPDX-License-Identifier: Apache-2.0 */
/* Every zoo network in all layouts with all templates: selection, the solver alone, toulbar2 on the same network. */
#include "benchmarks/invented_records.h"
#include "benchmarks/solver_measure.h"
#include "benchmarks/solver_parts.h"
#include "benchmarks/solver_race.h"
#include "benchmarks/solver_selection.h"
#include "benchmarks/solver_toulbar2.h"
#include "src/import/import.h"
#include "src/zoo/zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gt_graph *import_zoo(const char *name)
{
    gt_graph *graph = NULL;
    char path[256];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/graphtune-solver-%ld.onnx", folder != NULL ? folder : "/tmp", (long)getpid());
    lp_must(gt_zoo_write(name, NULL, path));
    gt_status status = gt_import_file(&graph, path, NULL);
    unlink(path);
    lp_must(status);
    return graph;
}

static void select_repeatedly(bn_zoo_case *c, const gt_graph *graph, const gt_records *records,
                              const gt_select_options *options, int repeats)
{
    double *ms = NULL;
    lp_must(gt_calloc(&ms, (size_t)repeats, sizeof *ms));
    for (int i = 0; i < repeats; i++) {
        gt_plan *plan = NULL;
        lp_must(gt_select(&plan, graph, records, options));
        ms[i] = plan->result.solver_ns * 1e-6;
        c->selected_ns = plan->schedule.predicted_ns;
        c->proved = plan->result.optimal;
        gt_plan_destroy(plan);
    }
    c->select_solver_ms = ms_median(ms, repeats);
    gt_free(ms);
}

void bn_zoo_open(bn_zoo_case *c, const char *name, uint64_t seed, int repeats)
{
    gt_graph *graph = import_zoo(name);
    gt_tasks *tasks = NULL;
    gt_records *records = NULL;
    gt_selection *s = NULL;
    gt_select_options options = gt_select_defaults();
    options.alternatives = false;
    lp_must(gt_tasks_of_graph(&tasks, graph));
    lp_must(gt_invent_records(&records, tasks, seed));
    select_repeatedly(c, graph, records, &options, repeats);
    lp_must(gt_i_selection_create(&s, graph, records, &options));
    c->problem = lp_of_selection(s);
    gt_i_selection_destroy(s);
    gt_records_destroy(records);
    gt_tasks_destroy(tasks);
    gt_graph_destroy(graph);
}

void bn_zoo_close(bn_zoo_case *c)
{
    lp_destroy(c->problem);
}

/* What the slowest may take. */
static double target_ms(const char *name)
{
    static const char *const slow[] = {"densenet121", "nasnet_mobile", "hrnet_w18"};
    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++) {
        if (strcmp(name, slow[i]) == 0) {
            return 100;
        }
    }
    return 10;
}

static double mean_domain(const lp_problem *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->n_ops; i++) {
        sum += p->ops[i].n;
    }
    return sum / (double)p->n_ops;
}

static void report_times(rp_report *r, const char *name, const rc_times *t, double mb)
{
    double ratio = t->theirs / t->ms;
    rp_number(r, t->ms, 3);
    mb >= 0 ? rp_number(r, mb, 1) : rp_none(r);
    rp_target(r, t->ms <= target_ms(name) && mb <= 256);
    if (t->answer.proved) {
        rp_number(r, t->theirs, 3);
        rp_number(r, ratio, 1);
        rp_target(r, ratio >= (t->result.width <= 6 ? 10 : 1));
    } else {
        rp_none(r);
        rp_none(r);
        rp_none(r);
    }
}

static void run_zoo(rp_report *r, const char *name, const bn_options *o)
{
    bn_zoo_case c = {0};
    rc_times t = {0};
    bn_zoo_open(&c, name, 1, o->repeats);
    gt_cfn *cfn = lp_network(c.problem);
    rc_race(&t, cfn, o->repeats, o->limit_s);
    double mb = ms_solve_peak_mb(cfn);
    bool correct = c.proved && t.result.optimal && (double)t.result.cost == c.selected_ns &&
                   (!t.answer.proved || t.answer.cost == t.result.cost);
    rp_text(r, name);
    rp_int(r, (int64_t)c.problem->n_ops);
    rp_int(r, gt_cfn_variable_count(cfn));
    rp_number(r, mean_domain(c.problem), 1);
    rp_int(r, t.result.width);
    rp_int(r, t.result.nodes);
    rp_number(r, c.select_solver_ms, 3);
    report_times(r, name, &t, mb);
    if (correct && !t.answer.proved) {
        rp_unchecked(r, 1);
    } else {
        rp_check(r, correct);
    }
    rp_end(r);
    if (!correct) {
        tb_keep(cfn, name);
    }
    rc_clear(&t);
    gt_cfn_destroy(cfn);
    bn_zoo_close(&c);
}

void bn_zoo(rp_report *r, const bn_options *o)
{
    rp_table(r, "zoo",
             "zoo networks, all templates, 5 layouts, invented times; correct: proved optimal, equal to gt_select and to "
             "toulbar2. CPU ms, median; select: the solver within gt_select, elapsed; memory of the solve; small: <= 10 "
             "ms (densenet121, nasnet_mobile, hrnet_w18: 100) and 256 MB; fast: >= 10 times toulbar2 where width <= 6, "
             "else >= 1. toulbar2's own time is in us if preprocessing was enough, else in ms",
             "network_____________ __ops _vars domain width _nodes _select _______ms ____MB small toulbar2 _ratio fast __correct");
    for (int i = 0; i < gt_zoo_count() && (!o->quick || i < 1); i++) {
        run_zoo(r, gt_zoo_name(i), o);
    }
}
