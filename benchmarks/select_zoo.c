/* SPDX-License-Identifier: Apache-2.0 */
/* How long selection takes on every zoo network, with invented records, which shows the solver's effort without an hour
 * of tuning.
 *
 * usage: benchmarks/select_zoo [SEEDS=3] [front]  (prints a table, times in ms) */
#include "benchmarks/invented_records.h"
#include "src/base/clock.h"
#include "src/import/import.h"
#include "src/tune/select_memory.h"
#include "src/zoo/zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gt_status select_once(const gt_graph *graph, const gt_tasks *tasks, uint64_t seed, const char *name)
{
    gt_status status = GT_OK;
    gt_records *records = NULL;
    gt_plan *plan = NULL;
    gt_select_options o = gt_select_defaults();
    GT_TRY(gt_invent_records(&records, tasks, seed));
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

/* The front of latency against arena: its time, how much slower and smaller its smallest schedule is than the fastest one, the
 * proved minimum beside that, and how many points are proved. */
static gt_status front_once(const gt_graph *graph, const gt_tasks *tasks, uint64_t seed)
{
    gt_status status = GT_OK;
    gt_records *records = NULL;
    gt_front *front = NULL;
    gt_select_options o = gt_select_defaults();
    int optimal = 0;
    GT_TRY(gt_invent_records(&records, tasks, seed));
    int64_t start = gt_now_ns();
    GT_TRY(gt_select_front(&front, graph, records, &o, NULL, NULL));
    double ms = (double)(gt_now_ns() - start) * 1e-6;
    const gt_front_point *fast = &front->points[0];
    const gt_front_point *small = &front->points[front->n - 1];
    for (int i = 0; i < front->n; i++) {
        optimal += front->points[i].optimal;
    }
    printf("%20s front %6.0f ms, %3d points, %3d proved; arena %.3f to %.3f MiB (least %.3f) at %.3f x the time\n", "", ms,
           front->n, optimal, (double)fast->arena_bytes / 0x1p20, (double)small->arena_bytes / 0x1p20,
           (double)front->least_bytes / 0x1p20, small->predicted_ns / fast->predicted_ns);
done:
    gt_front_destroy(front);
    gt_records_destroy(records);
    return status;
}

static gt_status run_network(const char *name, int seeds, bool front)
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
        if (front) {
            GT_TRY(front_once(graph, tasks, (uint64_t)seed));
        }
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
    bool front = argc > 2 && strcmp(argv[2], "front") == 0;
    printf("%-20s seed   ops solver select  +alts  width method (ms)\n", "network");
    for (int i = 0; i < gt_zoo_count(); i++) {
        if (run_network(gt_zoo_name(i), seeds, front) != GT_OK) {
            fprintf(stderr, "%s: %s\n", gt_zoo_name(i), gt_error_message());
            return 1;
        }
    }
    return 0;
}
