/* SPDX-License-Identifier: Apache-2.0 */
/* What the measuring files share; nobody else includes it. */
#ifndef GT_COSTMODEL_MEASURE_INTERNAL_H
#define GT_COSTMODEL_MEASURE_INTERNAL_H

#include "costmodel/measure.h"

struct gt_bench_case {
    gt_workload *workload;
    void **inputs;       /* per input: elements in C order, NULL where absent */
    const void **consts; /* the constant ones among them, NULL for others */
    void *want;          /* the oracle's output, C order */
    int64_t bytes;
};

/* What a measuring child tells its parent: one write() of less than PIPE_BUF bytes. */
typedef struct gt_i_outcome {
    gt_status error; /* trouble of the measuring itself (no such CPU, no threads), not of the candidate */
    gt_record_status status;
    gt_timing timing;
    gt_watch_sample before, after; /* of an outcome that is ok, where the options have a watch */
    char note[256]; /* what went wrong, "" if nothing */
} gt_i_outcome;

/* What a child does; fills *outcome, which is zero (GT_OK, GT_RECORD_OK) before. */
typedef void (*gt_i_child_fn)(gt_i_outcome *outcome, const void *context);

/* Runs `body` in a forked child under the options' limits. A child that dies, hangs or runs out of memory
 * becomes the outcome's status, as does one that sends nonsense. Errors: GT_ERROR_LIMIT (no fork, no pipe), and the
 * outcome's error. */
gt_status gt_i_run_child(gt_i_outcome *outcome, gt_i_child_fn body, const void *context,
                         const gt_measure_options *o) GT_NODISCARD;

/* ---- inside the child ---- */

/* Pins this process to the options' CPUs. Errors: GT_ERROR_ARGUMENT naming the CPU. */
gt_status gt_i_pin_process(const gt_measure_options *o) GT_NODISCARD;
/* A pool whose thread k is pinned to its CPU; NULL for one thread. */
gt_status gt_i_pinned_pool(gt_pool **pool, const gt_measure_options *o) GT_NODISCARD;

/* Memory that a run reads as its inputs. */
typedef struct gt_i_range {
    void *data;
    size_t bytes;
} gt_i_range;

/* Something to time. */
typedef struct gt_i_subject {
    void (*run)(void *context, int64_t number); /* run number 0, 1, … */
    void *context;
    int n_warm;
    const gt_i_range *warm; /* written before each run, the last one first */
    gt_pool *pool;
} gt_i_subject;

/* Warms up, takes samples and summarises them. */
gt_status gt_i_time(gt_timing *timing, const gt_i_subject *subject, double best_ns,
                    const gt_measure_options *o) GT_NODISCARD;

#endif
