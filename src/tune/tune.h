/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning: which candidates to measure, in which order, within a budget. */
#ifndef GT_TUNE_TUNE_H
#define GT_TUNE_TUNE_H

#include "costmodel/counter.h"
#include "costmodel/measure.h"
#include "src/graph/graph.h"

/* The unique things to measure of a network: workloads and the shapes whose transforms may be needed. */
typedef struct gt_task {
    gt_workload *workload; /* owned */
    int uses;              /* ops of the network with this workload */
    char *example;         /* the name of one of them */
} gt_task;

typedef struct gt_tasks {
    char *model; /* name */
    int n_tasks;
    gt_task *tasks;
    int n_shapes;
    gt_shape *shapes; /* rank-4 float32 activations, unique */
} gt_tasks;

gt_status gt_tasks_of_graph(gt_tasks **tasks, const gt_graph *graph) GT_NODISCARD;
void gt_tasks_destroy(gt_tasks *tasks);

/* Tasks file: JSON {"format":"graphtune-tasks","version":1,"model":…,"tasks":[{"workload","uses","example"}],
 * "shapes":["1x64x56x56"]}. Writing is atomic; reading validates everything and names the field. */
gt_status gt_tasks_write(const gt_tasks *tasks, const char *path) GT_NODISCARD;
gt_status gt_tasks_read(gt_tasks **tasks, const char *path) GT_NODISCARD;
/* True when the file begins like a tasks file. */
bool gt_tasks_probe(const char *path);

typedef struct gt_tune_options {
    gt_measure_options measure;
    gt_counter *counter;   /* borrowed; not NULL: candidates are counted with it instead of timed, on one thread */
    double budget_s;       /* in all; 0: until every task has had its trials */
    int trials;            /* configs per task, template and layout pair (at most), the default included */
    const char *templates; /* comma-separated globs over template names, NULL: all */
    unsigned layouts;      /* bit per gt_layout; NCHW is always included, as every op has it */
    uint64_t seed;
    double max_celsius;    /* measure only while the processor is at most so hot; 0: any */
    bool quiet, progress; /* progress: a live bar on stderr */
    bool live;            /* drawn as on a terminal although stderr is none: at the other end there is one */
} gt_tune_options;

/* gt_measure_defaults, 8 trials, all templates and layouts, no budget, seed 1. */
gt_tune_options gt_tune_defaults(void);

typedef struct gt_tune_report {
    int64_t planned, measured, skipped; /* skipped: already in the records */
    int64_t wrong, crash, timeout, oom, failed;
    int64_t repeated;  /* times that something was measured again because it had been throttled */
    int64_t throttled; /* candidates whose last record is of a throttled machine all the same */
    double cooling_seconds; /* waited for the machine to cool down */
    double seconds;
    bool budget_spent;
    bool interrupted; /* by SIGINT or SIGTERM: what was measured until then is in the file */
} gt_tune_report;

/* Measures what `records_path` does not hold yet and appends it there. Deterministic in which candidates
 * it plans (not in their times): killed and resumed, it ends with the same set of candidates as an
 * undisturbed run without --budget. The order is such that an interrupted run is useful: first one NCHW
 * candidate of every template, then transforms, every other layout's default, and further configs in
 * rounds, the tasks with the most multiply-adds first. With a budget, the time behind the defaults is
 * shared out by multiply-adds.
 *
 * What was measured while the processor was throttled (costmodel/watch.h) is recorded as such and measured again, after
 * waiting until it has cooled down; where that does not help, the next tune tries again. measure.watch is tune's own.
 *
 * A larger `trials` plans a superset of a smaller one. While it runs, SIGINT and SIGTERM end it after the
 * candidate in progress (a second one ends the process); it returns GT_OK then. Candidates that were
 * wrong, crashed, hung or ran out of memory are listed on stderr at the end unless quiet. Errors: those of
 * gt_records_open, gt_records_read and measuring; GT_ERROR_ARGUMENT for options out of range (templates
 * that match nothing, …); GT_ERROR_UNSUPPORTED for a workload that no template handles. */
gt_status gt_tune(const gt_tasks *tasks, const char *records_path, const gt_tune_options *options,
                  gt_tune_report *report) GT_NODISCARD;

#endif
