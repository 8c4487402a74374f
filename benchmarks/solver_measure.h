/* SPDX-License-Identifier: Apache-2.0 */
/* Time and memory of a solve. */
#ifndef GT_BENCHMARKS_SOLVER_MEASURE_H
#define GT_BENCHMARKS_SOLVER_MEASURE_H

#include "src/solve/cfn.h"

/* CPU time of this process, which is what toulbar2 reports of itself; other processes do not disturb it much. */
int64_t ms_cpu_ns(void);

/* Solves once; *cpu_ns is the CPU time it took. A failure ends the benchmark. */
void ms_solve(const gt_cfn *cfn, gt_cfn_result *result, const gt_cfn_options *options, int64_t *cpu_ns);

double ms_median(double *values, int n); /* sorts them */

/* The most memory resident, in MB (10^6 bytes), above what was so before: `work` runs in a process of its own. Negative
 * where /proc does not tell. */
double ms_peak_mb(void (*work)(const void *context), const void *context);

/* The same of one solve without options. */
double ms_solve_peak_mb(const gt_cfn *cfn);

#endif
