/* SPDX-License-Identifier: Apache-2.0 */
/* Bench cases of the tasks, made when first needed and kept within a memory limit: their oracle outputs
 * can take seconds to compute, and a tune comes back to every task several times. */
#ifndef GT_TUNE_TUNE_CASES_H
#define GT_TUNE_TUNE_CASES_H

#include "src/tune/tune.h"

typedef struct gt_case_cache gt_case_cache;

/* The tasks and options must outlive it. */
gt_status gt_case_cache_create(gt_case_cache **cache, const gt_tasks *tasks,
                               const gt_measure_options *options, int64_t limit_bytes) GT_NODISCARD;
void gt_case_cache_destroy(gt_case_cache *cache);

/* The case of a task, valid until the next call. Errors: those of gt_bench_case_create. */
gt_status gt_case_cache_get(gt_case_cache *cache, const gt_bench_case **bench, int task) GT_NODISCARD;

#endif
