/* SPDX-License-Identifier: Apache-2.0 */
/* How long selection takes on every zoo network, with invented records: for each candidate default config a time
 * that grows with its multiply-adds and data, and differs by layout at random. Costs are made up, structure and domain
 * sizes are real, so this shows the solver's effort without an hour of tuning.
 *
 * usage: benchmarks/select_zoo [SEEDS=3]  (prints a table, times in ms) */
#include "src/base/clock.h"
#include "src/base/file.h"
#include "src/base/rng.h"
#include "src/import/import.h"
#include "src/tune/select.h"
#include "src/tune/tune.h"
#include "src/zoo/zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gt_status add_record(gt_records *records, const gt_workload *w, const gt_template *t, gt_layout in, gt_layout out,
                            gt_rng *rng)
{
    gt_status status = GT_OK;
    gt_space space;
    gt_config config;
    gt_text text = {0};
    double ns = 500 + 0.05 * (double)gt_workload_macs(w) + 0.2 * (double)gt_workload_elems_moved(w);
    gt_template_space(t, w, in, out, &space);
    gt_space_point(&space, 0, &config);
    GT_TRY(gt_config_format(&text, &space, &config));
    ns *= (double)gt_rng_uniform(rng, 0.6f, 1.8f);
    gt_record r = {.kind = GT_RECORD_OP, .device = "0123456789abcdef", .threads = 1, .workload = w->key, .in = in, .out = out,
                   .template_name = (char *)(uintptr_t)t->name, .rev = t->rev, .config = text.data,
                   .timing = {.median_ns = ns, .min_ns = ns, .lo_ns = ns, .hi_ns = ns, .runs = 1}};
    GT_TRY(gt_records_add(records, &r));
done:
    gt_text_destroy(&text);
    return status;
}

static gt_status add_workload(gt_records *records, const gt_workload *w, gt_rng *rng)
{
    gt_status status = GT_OK;
    for (size_t i = 0; i < gt_template_count(); i++) {
        const gt_template *t = gt_template_at(i);
        for (int pair = 0; !t->view && pair < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; pair++) {
            gt_layout in = (gt_layout)(pair / GT_LAYOUT_COUNT);
            gt_layout out = (gt_layout)(pair % GT_LAYOUT_COUNT);
            if (gt_template_supports(t, w, in, out)) {
                GT_TRY(add_record(records, w, t, in, out, rng));
            }
        }
    }
done:
    return status;
}

static gt_status add_transforms(gt_records *records, const gt_shape *shape, gt_rng *rng)
{
    gt_status status = GT_OK;
    char text[GT_SHAPE_TEXT_BYTES];
    char empty[] = "";
    gt_shape_format(text, sizeof text, shape);
    for (int pair = 0; pair < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; pair++) {
        double ns = 300 + 0.4 * (double)gt_shape_elems(shape) * (double)gt_rng_uniform(rng, 0.5f, 1.5f);
        gt_record r = {.kind = GT_RECORD_TRANSFORM, .device = "0123456789abcdef", .threads = 1, .workload = text,
                       .in = (gt_layout)(pair / GT_LAYOUT_COUNT), .out = (gt_layout)(pair % GT_LAYOUT_COUNT),
                       .template_name = empty, .rev = GT_TRANSFORM_REV, .config = empty,
                       .timing = {.median_ns = ns, .min_ns = ns, .lo_ns = ns, .hi_ns = ns, .runs = 1}};
        if (r.in != r.out) {
            GT_TRY(gt_records_add(records, &r));
        }
    }
done:
    return status;
}

static gt_status invent_records(gt_records **records, const gt_tasks *tasks, uint64_t seed)
{
    gt_status status = GT_OK;
    gt_rng rng;
    gt_rng_seed(&rng, seed);
    GT_TRY(gt_records_create(records));
    for (int i = 0; i < tasks->n_tasks; i++) {
        GT_TRY(add_workload(*records, tasks->tasks[i].workload, &rng));
    }
    for (int i = 0; i < tasks->n_shapes; i++) {
        GT_TRY(add_transforms(*records, &tasks->shapes[i], &rng));
    }
done:
    return status;
}

static gt_status select_once(const gt_graph *graph, const gt_tasks *tasks, uint64_t seed, const char *name)
{
    gt_status status = GT_OK;
    gt_records *records = NULL;
    gt_plan *plan = NULL;
    gt_select_options o = gt_select_defaults();
    GT_TRY(invent_records(&records, tasks, seed));
    o.alternatives = false;
    int64_t start = gt_now_ns();
    GT_TRY(gt_select(&plan, graph, records, &o));
    double alone_ms = (double)(gt_now_ns() - start) * 1e-6;
    gt_plan_destroy(plan);
    plan = NULL;
    o.alternatives = true;
    start = gt_now_ns();
    GT_TRY(gt_select(&plan, graph, records, &o));
    double all_ms = (double)(gt_now_ns() - start) * 1e-6;
    printf("%-20s %4llu %5d %6.1f %6.1f %6.1f  %5d %s%s\n", name, (unsigned long long)seed, graph->n_ops,
           plan->result.solver_ns * 1e-6, alone_ms, all_ms, plan->result.width, plan->result.method,
           plan->result.optimal ? "" : "  NOT PROVED");
done:
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    return status;
}

static gt_status run_network(const char *name, int seeds)
{
    gt_status status = GT_OK;
    gt_graph *graph = NULL;
    gt_tasks *tasks = NULL;
    char path[64];
    snprintf(path, sizeof path, "/tmp/graphtune-select-%ld.onnx", (long)getpid());
    GT_TRY(gt_zoo_write(name, NULL, path));
    GT_TRY(gt_import_file(&graph, path, NULL));
    GT_TRY(gt_tasks_of_graph(&tasks, graph));
    for (int seed = 1; seed <= seeds; seed++) {
        GT_TRY(select_once(graph, tasks, (uint64_t)seed, name));
    }
done:
    unlink(path);
    gt_tasks_destroy(tasks);
    gt_graph_destroy(graph);
    return status;
}

int main(int argc, char **argv)
{
    int seeds = argc > 1 ? atoi(argv[1]) : 3;
    printf("%-20s seed   ops solver select  +alts  width method (ms)\n", "network");
    for (int i = 0; i < gt_zoo_count(); i++) {
        if (run_network(gt_zoo_name(i), seeds) != GT_OK) {
            fprintf(stderr, "%s: %s\n", gt_zoo_name(i), gt_error_message());
            return 1;
        }
    }
    return 0;
}
