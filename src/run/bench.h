/* SPDX-License-Identifier: Apache-2.0 */
/* Timing whole networks against each other, interleaved, so that a drifting clock hits all alike. */
#ifndef GT_RUN_BENCH_H
#define GT_RUN_BENCH_H

#include "src/run/session.h"

typedef struct gt_bench_options {
    int turns;            /* how often each contender has its turn; >= 1 */
    double turn_seconds;  /* timed runs per turn, at least one; one untimed run comes before them */
} gt_bench_options;

gt_bench_options gt_bench_defaults(void);

typedef struct gt_bench_result {
    double min_ns, median_ns, p90_ns;
    double ratio; /* median over the turns of (this contender's turn median / contender 0's) */
    int64_t runs;
} gt_bench_result;

/* Times n sessions. `progress` (may be NULL) is called with the finished and total number of turns.
 * Errors: GT_ERROR_MEMORY. */
gt_status gt_bench_run(gt_bench_result *results, gt_session *const *sessions, int n, const gt_bench_options *options,
                       void (*progress)(int done, int total)) GT_NODISCARD;

/* The value below which the fraction q of n >= 1 sorted samples lies (nearest rank). */
double gt_quantile(const double *sorted, int64_t n, double q);
int gt_compare_doubles(const void *a, const void *b);

#endif
