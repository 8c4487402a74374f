/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring candidates and transforms on this machine's clock (docs/design.md, section 5). */
#ifndef GT_COSTMODEL_MEASURE_H
#define GT_COSTMODEL_MEASURE_H

#include "costmodel/device.h"
#include "costmodel/watch.h"
#include "src/records/records.h"

/* Budgets are per candidate. */
typedef struct gt_measure_options {
    int threads;
    int n_cpus;           /* CPUs to pin to, thread k on cpus[k % n_cpus]; 0: the first `threads` CPUs that
                           * this process may use */
    const int *cpus;
    gt_isa isa;
    int64_t min_time_ns;  /* sampling time, warm-up excluded: at least this (unless rejected early) … */
    int64_t max_time_ns;  /* … and at most this, even if the interval is wide (5 runs are always made) */
    double interval;      /* stop when the 95 % interval of the median is within this fraction (0.02) */
    int64_t timeout_ns;   /* kill the child after this */
    int64_t memory_bytes; /* the child's allowance beyond what it inherits; 0: no limit */
    uint64_t seed;        /* of inputs and constants */
    double reject_ratio;  /* give up on a candidate whose quick estimate exceeds best * this; 0: never */
    gt_watch *watch;      /* looks at clock and temperature before and after the samples, and learns from them; NULL: the
                           * records do not tell */
} gt_measure_options;

/* One thread, the best instruction set, no pinning list, 6 to 25 ms of samples, 2 %, a time-out of 20 s,
 * 1 GiB, and rejection at 1.4 times the best. */
gt_measure_options gt_measure_defaults(void);

/* A workload made ready to measure: seeded inputs and constants and the oracle's output, computed once.
 * Only the seed of the options matters. Errors: those of gt_reference_run. */
typedef struct gt_bench_case gt_bench_case;
gt_status gt_bench_case_create(gt_bench_case **bench, const gt_workload *w,
                               const gt_measure_options *o) GT_NODISCARD;
void gt_bench_case_destroy(gt_bench_case *bench);
/* What it occupies. */
int64_t gt_bench_case_bytes(const gt_bench_case *bench);

/* Measures one candidate in a forked child: sets up, runs once, compares with the oracle, times. Fills
 * *record completely (device, threads, strings owned by the record; clear with gt_record_clear). A
 * candidate that crashes, hangs, runs out of memory or is wrong is a successful measurement with that
 * status; only trouble of the measuring process itself is an error. best_ns: the best median known for
 * this workload and layout pair, or 0. A view is recorded with 0 ns and 0 runs and does not run.
 *
 * With a watch, the record tells clock and temperature, and whether they were as they should be; watch->last says why
 * not.
 *
 * Each run is timed by itself, under the conditions of a network: just before it the inputs are written by
 * the threads that a producing op would have used (so they are as warm as their size allows), and the
 * packed constants are a copy that has not been used for twice the last private cache's size. Runs that
 * the scheduler interrupted are left out when enough others remain. */
gt_status gt_measure_candidate(gt_record *record, const gt_bench_case *bench, const gt_template *t,
                               gt_layout in, gt_layout out, const gt_config *config, double best_ns,
                               const gt_device *device, const gt_measure_options *o) GT_NODISCARD;

/* Measures one transform of a float32 tensor, in the same way. */
gt_status gt_measure_transform(gt_record *record, const gt_shape *shape, gt_layout from, gt_layout to,
                               const gt_device *device, const gt_measure_options *o) GT_NODISCARD;

/* Median, minimum and 95 % interval of the median (order statistics, binomial) of n >= 1 samples in ns; sorts
 * the samples. */
gt_timing gt_timing_of(double *samples_ns, int64_t n);

#endif
