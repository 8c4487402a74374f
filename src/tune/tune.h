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

/* How the configs beyond the defaults are chosen (docs/design.md, section 5). */
typedef enum gt_strategy_kind {
    GT_STRATEGY_GRID,   /* spread over each config space */
    GT_STRATEGY_RANDOM,
    GT_STRATEGY_MODEL,  /* where a model of the measurements expects most for the network (strategy.h) */
    GT_STRATEGY_COUNT
} gt_strategy_kind;

/* "grid", "random", "model"; and back, GT_STRATEGY_COUNT for another text. */
const char *gt_strategy_name(gt_strategy_kind kind);
gt_strategy_kind gt_strategy_find(const char *name);

/* Configs per task, template and layout pair, unless one asks for another number. */
#define GT_TUNE_TRIALS 8

typedef struct gt_tune_options {
    gt_measure_options measure;
    gt_counter *counter;   /* borrowed; not NULL: candidates are counted with it instead of timed, on one thread */
    double budget_s;       /* in all; 0: until every task has had its trials */
    gt_strategy_kind strategy;
    int trials;            /* configs per task, template and layout pair (at most), the default included; with the model the
                            * templates of a layout pair share theirs */
    const char *learn_from; /* path of other runs' records, of any device, that the model learns from; NULL: none */
    const char *templates; /* comma-separated globs over template names, NULL: all */
    unsigned layouts;      /* bit per gt_layout; NCHW is always included, as every op has it */
    uint64_t seed;
    double max_celsius;    /* measure only while the processor is at most so hot; 0: any */
    bool quiet, progress; /* progress: a live bar on stderr */
    bool live;            /* drawn as on a terminal although stderr is none: at the other end there is one */
} gt_tune_options;

/* gt_measure_defaults, the model with GT_TUNE_TRIALS trials, all templates and layouts, no budget, seed 1. */
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

/* Measures what `records_path` does not hold yet and appends it there. The order is such that an interrupted run is useful:
 * first one NCHW candidate of every template, then transforms, every other layout's default, and further configs.
 *
 * Grid and random are deterministic in which candidates they plan (not in their times): killed and resumed, a tune ends with
 * the same set of candidates as an undisturbed one without a budget; the configs come in rounds, the tasks with the most
 * multiply-adds first, and with a budget the time is shared out by multiply-adds. With the model (strategy.h) they depend on
 * what was measured, and on nothing else: killed and resumed, a tune continues from its records, as it would have without
 * the interruption, measures nothing twice, and ends with at most the trials of every layout pair. A budget is spent, as the
 * trials are, where the network is expected to gain most.
 *
 * What was measured while the processor was throttled (costmodel/watch.h) is recorded as such and measured again, after
 * waiting until it has cooled down; where that does not help, the next tune tries again. measure.watch is tune's own.
 *
 * A larger `trials` of grid and random plans a superset of a smaller one. While it runs, SIGINT and SIGTERM end it after the
 * candidate in progress (a second one ends the process); it returns GT_OK then. Candidates that were
 * wrong, crashed, hung or ran out of memory are listed on stderr at the end unless quiet. Errors: those of
 * gt_records_open, gt_records_read and measuring; GT_ERROR_ARGUMENT for options out of range (templates
 * that match nothing, …); GT_ERROR_UNSUPPORTED for a workload that no template handles. */
gt_status gt_tune(const gt_tasks *tasks, const char *records_path, const gt_tune_options *options,
                  gt_tune_report *report) GT_NODISCARD;

#endif
