/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/threads.h"

#include "src/base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Waiting threads spin for a while before they sleep: between the layers of a network the gap is microseconds,
 * and a wake-up through the kernel costs more than many layers. */
#define SPINS 4000

struct worker {
    gt_pool *pool;
    int number;
    pthread_t thread;
};

struct gt_pool {
    int threads;
    int started;
    gt_task_fn fn;
    void *context;
    int64_t tasks;
    atomic_uint round;   /* counted up for every gt_pool_run */
    atomic_int running;  /* workers that have not finished this round */
    atomic_bool stopping;
    pthread_mutex_t mutex;
    pthread_cond_t work, finished;
    struct worker *workers; /* threads - 1 of them */
};

/* Leaves the core's resources to the sibling thread for a moment. */
#if defined(__x86_64__)
#define RELAX() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define RELAX() __asm__ volatile("yield")
#else
#define RELAX() ((void)0)
#endif

static void run_share(gt_pool *pool, int number)
{
    int64_t begin = pool->tasks * number / pool->threads;
    int64_t end = pool->tasks * (number + 1) / pool->threads;
    if (begin < end) {
        pool->fn(pool->context, number, begin, end);
    }
}

static unsigned wait_for_round(gt_pool *pool, unsigned seen)
{
    for (int i = 0; i < SPINS; i++) {
        unsigned now = atomic_load_explicit(&pool->round, memory_order_acquire);
        if (now != seen) {
            return now;
        }
        RELAX();
    }
    pthread_mutex_lock(&pool->mutex);
    while (atomic_load(&pool->round) == seen) {
        pthread_cond_wait(&pool->work, &pool->mutex);
    }
    unsigned now = atomic_load(&pool->round);
    pthread_mutex_unlock(&pool->mutex);
    return now;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    gt_pool *pool = worker->pool;
    unsigned seen = 0;
    for (;;) {
        seen = wait_for_round(pool, seen);
        if (atomic_load(&pool->stopping)) {
            return NULL;
        }
        run_share(pool, worker->number);
        if (atomic_fetch_sub(&pool->running, 1) == 1) {
            pthread_mutex_lock(&pool->mutex);
            pthread_cond_signal(&pool->finished);
            pthread_mutex_unlock(&pool->mutex);
        }
    }
}

static void next_round(gt_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add_explicit(&pool->round, 1, memory_order_release);
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
}

gt_status gt_pool_create(gt_pool **out, int threads)
{
    gt_status status = GT_OK;
    gt_pool *pool = NULL;
    GT_REQUIRE(threads >= 1 && threads <= 256, GT_ERROR_ARGUMENT, "threads = %d: must be from 1 to 256", threads);
    GT_TRY(gt_calloc(&pool, 1, sizeof *pool));
    pool->threads = threads;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->finished, NULL);
    GT_TRY(gt_calloc(&pool->workers, (size_t)threads, sizeof *pool->workers));
    for (int i = 1; i < threads; i++) {
        struct worker *worker = &pool->workers[i - 1];
        worker->pool = pool;
        worker->number = i;
        int error = pthread_create(&worker->thread, NULL, work, worker);
        GT_REQUIRE(error == 0, GT_ERROR_LIMIT, "cannot start thread %d of %d: %s", i + 1, threads, strerror(error));
        pool->started++;
    }
    *out = pool;
    pool = NULL;
done:
    gt_pool_destroy(pool);
    return status;
}

void gt_pool_destroy(gt_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    atomic_store(&pool->stopping, true);
    next_round(pool);
    for (int i = 0; i < pool->started; i++) {
        pthread_join(pool->workers[i].thread, NULL);
    }
    pthread_cond_destroy(&pool->finished);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->mutex);
    gt_free(pool->workers);
    gt_free(pool);
}

static void wait_for_workers(gt_pool *pool)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&pool->running, memory_order_acquire) == 0) {
            return;
        }
        RELAX();
    }
    pthread_mutex_lock(&pool->mutex);
    while (atomic_load(&pool->running) != 0) {
        pthread_cond_wait(&pool->finished, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
}

void gt_pool_run(gt_pool *pool, gt_task_fn fn, void *context, int64_t tasks)
{
    if (pool == NULL || pool->threads == 1 || tasks <= 1) {
        if (tasks > 0) {
            fn(context, 0, 0, tasks);
        }
        return;
    }
    pool->fn = fn;
    pool->context = context;
    pool->tasks = tasks;
    atomic_store(&pool->running, pool->threads - 1);
    next_round(pool);
    run_share(pool, 0);
    wait_for_workers(pool);
}
