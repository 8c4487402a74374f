/* SPDX-License-Identifier: Apache-2.0 */
/* How long bundles take to open: whole, and what it goes to. Networks of the zoo with invented records.
 *
 * usage: benchmarks/bundle [NETWORK...]  (prints a table, times in ms: medians, and the first time) */
#include "benchmarks/invented_records.h"
#include "src/base/clock.h"
#include "src/import/import.h"
#include "src/plan/bundle.h"
#include "src/run/kernels.h"
#include "src/tune/select.h"
#include "src/zoo/zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define REPEATS 31

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *samples)
{
    qsort(samples, REPEATS, sizeof *samples, ascending);
    return samples[REPEATS / 2];
}

/* A plan's bundle, for this machine. */
static gt_status write_bundle(size_t *bytes, int *ops, const char *path, const char *model)
{
    gt_status status = GT_OK;
    gt_graph *graph = NULL;
    gt_tasks *tasks = NULL;
    gt_records *records = NULL;
    gt_plan *plan = NULL;
    gt_program *program = NULL;
    gt_kernel **kernels = NULL;
    const gt_bundle_target *target = NULL;
    gt_select_options o = gt_select_defaults();
    o.alternatives = false;
    GT_TRY(gt_import_file(&graph, model, NULL));
    GT_TRY(gt_tasks_of_graph(&tasks, graph));
    GT_TRY(gt_invent_records(&records, tasks, 1));
    GT_TRY(gt_select(&plan, graph, records, &o));
    GT_TRY(gt_program_build(&program, graph, &plan->schedule));
    GT_TRY(gt_i_bundle_target_find(&target, gt_isa_name(gt_isa_best())));
    GT_TRY(gt_kernels_create(&kernels, graph, program, target->level, true));
    snprintf(plan->model_sha256, sizeof plan->model_sha256, "%064d", 0);
    GT_TRY(gt_i_bundle_write(bytes, path, graph, program, plan, kernels, target));
    *ops = graph->n_ops;
done:
    gt_kernels_destroy(kernels, program != NULL ? program->n_steps : 0);
    gt_program_destroy(program);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_tasks_destroy(tasks);
    gt_graph_destroy(graph);
    return status;
}

struct parts {
    double open_ms[REPEATS], sums_ms[REPEATS], manifest_ms[REPEATS];
};

static double since_ms(int64_t start)
{
    return (double)(gt_now_ns() - start) * 1e-6;
}

/* The whole, then its first steps by themselves; what is left is the program and the kernels. */
static gt_status open_once(struct parts *p, int repeat, const char *path)
{
    gt_status status = GT_OK;
    gt_bundle *bundle = NULL;
    gt_bundle_content content = {0};
    gt_bundle_sections sections = {0};
    gt_file_map map = {0};
    int64_t start = gt_now_ns();
    GT_TRY(gt_bundle_open(&bundle, path));
    p->open_ms[repeat] = since_ms(start);
    start = gt_now_ns();
    GT_TRY(gt_file_map_open(&map, path));
    GT_TRY(gt_i_bundle_split(&sections, map.data, map.bytes, path));
    p->sums_ms[repeat] = since_ms(start);
    start = gt_now_ns();
    GT_TRY(gt_i_bundle_read(&content, sections.manifest, sections.manifest_bytes, path));
    p->manifest_ms[repeat] = since_ms(start);
done:
    gt_i_bundle_content_clear(&content);
    gt_file_map_close(&map);
    gt_bundle_close(bundle);
    return status;
}

static gt_status measure(const char *name, const char *model, const char *path)
{
    gt_status status = GT_OK;
    struct parts p;
    size_t bytes = 0;
    int ops = 0;
    GT_TRY(gt_zoo_write(name, NULL, model));
    GT_TRY(write_bundle(&bytes, &ops, path, model));
    for (int i = 0; i < REPEATS; i++) {
        GT_TRY(open_once(&p, i, path));
    }
    const double first_ms = p.open_ms[0];
    const double open_ms = median(p.open_ms), sums_ms = median(p.sums_ms), manifest_ms = median(p.manifest_ms);
    printf("%-20s %5d %7.1f %8.2f %8.2f %8.2f %9.2f %8.2f\n", name, ops, (double)bytes * 1e-6, first_ms, open_ms, sums_ms,
           manifest_ms, open_ms - sums_ms - manifest_ms);
done:
    unlink(path);
    unlink(model);
    return status;
}

int main(int argc, char **argv)
{
    /* Seventeen to twenty-one MB, of few and of many operators. */
    static const char *const usual[] = {"mobilenet_v1", "efficientnet_b0", "nasnet_mobile"};
    const int n = argc > 1 ? argc - 1 : (int)(sizeof usual / sizeof *usual);
    char model[64], path[64];
    snprintf(model, sizeof model, "/tmp/graphtune-bundle-%ld.onnx", (long)getpid());
    snprintf(path, sizeof path, "/tmp/graphtune-bundle-%ld.gtb", (long)getpid());
    printf("%-20s %5s %7s %8s %8s %8s %9s %8s (ms; medians of %d)\n", "network", "ops", "MB", "first", "open", "sums",
           "manifest", "kernels", REPEATS);
    for (int i = 0; i < n; i++) {
        const char *name = argc > 1 ? argv[i + 1] : usual[i];
        if (measure(name, model, path) != GT_OK) {
            fprintf(stderr, "%s: %s\n", name, gt_error_message());
            return 1;
        }
    }
    return 0;
}
