/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tune/tune_cases.h"

struct gt_case_cache {
    const gt_tasks *tasks;
    const gt_measure_options *options;
    gt_bench_case **cases; /* per task, NULL where not made */
    int64_t *used;         /* when last asked for, in calls */
    int64_t calls;
    int64_t bytes, limit_bytes;
};

gt_status gt_case_cache_create(gt_case_cache **out, const gt_tasks *tasks, const gt_measure_options *options,
                               int64_t limit_bytes)
{
    gt_status status = GT_OK;
    gt_case_cache *cache = NULL;
    GT_TRY(gt_calloc(&cache, 1, sizeof *cache));
    cache->tasks = tasks;
    cache->options = options;
    cache->limit_bytes = limit_bytes;
    GT_TRY(gt_calloc(&cache->cases, (size_t)tasks->n_tasks, sizeof *cache->cases));
    GT_TRY(gt_calloc(&cache->used, (size_t)tasks->n_tasks, sizeof *cache->used));
    *out = cache;
    cache = NULL;
done:
    gt_case_cache_destroy(cache);
    return status;
}

void gt_case_cache_destroy(gt_case_cache *cache)
{
    if (cache == NULL) {
        return;
    }
    for (int i = 0; cache->cases != NULL && i < cache->tasks->n_tasks; i++) {
        gt_bench_case_destroy(cache->cases[i]);
    }
    gt_free(cache->cases);
    gt_free(cache->used);
    gt_free(cache);
}

/* Drops the cases not used for longest until the others, and `keep`, fit. */
static void make_room(gt_case_cache *cache, int keep)
{
    while (cache->bytes > cache->limit_bytes) {
        int oldest = -1;
        for (int i = 0; i < cache->tasks->n_tasks; i++) {
            if (i != keep && cache->cases[i] != NULL &&
                (oldest < 0 || cache->used[i] < cache->used[oldest])) {
                oldest = i;
            }
        }
        if (oldest < 0) {
            return;
        }
        cache->bytes -= gt_bench_case_bytes(cache->cases[oldest]);
        gt_bench_case_destroy(cache->cases[oldest]);
        cache->cases[oldest] = NULL;
    }
}

gt_status gt_case_cache_get(gt_case_cache *cache, const gt_bench_case **bench, int task)
{
    gt_status status = GT_OK;
    if (cache->cases[task] == NULL) {
        GT_TRY(gt_bench_case_create(&cache->cases[task], cache->tasks->tasks[task].workload, cache->options));
        cache->bytes += gt_bench_case_bytes(cache->cases[task]);
        make_room(cache, task);
    }
    cache->used[task] = ++cache->calls;
    *bench = cache->cases[task];
done:
    return status;
}
