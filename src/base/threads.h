/* SPDX-License-Identifier: Apache-2.0 */
/* A fixed pool of threads that run numbered tasks. */
#ifndef GT_BASE_THREADS_H
#define GT_BASE_THREADS_H

#include "src/base/status.h"

#include <stdint.h>

typedef struct gt_pool gt_pool;

/* Processes tasks [begin, end) as thread number `thread` in [0, threads). */
typedef void (*gt_task_fn)(void *context, int thread, int64_t begin, int64_t end);

/* A pool of `threads` >= 1 workers, the calling thread included. Errors: GT_ERROR_ARGUMENT (not 1..256),
 * GT_ERROR_MEMORY, GT_ERROR_LIMIT (the system refuses threads). */
gt_status gt_pool_create(gt_pool **pool, int threads) GT_NODISCARD;
void gt_pool_destroy(gt_pool *pool);

/* Runs tasks 0..tasks-1, split evenly; returns when all are done. Neither allocates nor fails. NULL pool: all
 * on the calling thread. Not to be called from inside a task. */
void gt_pool_run(gt_pool *pool, gt_task_fn fn, void *context, int64_t tasks);

#endif
