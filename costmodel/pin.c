/* SPDX-License-Identifier: Apache-2.0 */
/* Pinning threads to CPUs. */
#include "costmodel/measure_internal.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

/* The CPU of thread k, or -1 when there is no such CPU. */
static int cpu_of_thread(const gt_measure_options *o, int thread)
{
    cpu_set_t allowed;
    if (o->n_cpus > 0) {
        return o->cpus[thread % o->n_cpus];
    }
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) == 0) {
        return -1;
    }
    int left = thread % CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &allowed) && left-- == 0) {
            return cpu;
        }
    }
    return -1;
}

static gt_status pin_to(const cpu_set_t *set, const char *what, int number)
{
    if (sched_setaffinity(0, sizeof *set, set) != 0) {
        return gt_fail(GT_ERROR_ARGUMENT, "cannot pin %s to CPU %d: %s", what, number, strerror(errno));
    }
    return GT_OK;
}

gt_status gt_i_pin_process(const gt_measure_options *o)
{
    cpu_set_t set;
    int last = -1;
    CPU_ZERO(&set);
    for (int thread = 0; thread < o->threads; thread++) {
        last = cpu_of_thread(o, thread);
        if (last < 0 || last >= CPU_SETSIZE) {
            return gt_fail(GT_ERROR_ARGUMENT, "cannot pin to CPU %d: there is no such CPU", last);
        }
        CPU_SET(last, &set);
    }
    return pin_to(&set, "the measuring process", last);
}

struct pin_job {
    const gt_measure_options *options;
    const int *cpu; /* per thread */
};

/* A thread that cannot be pinned alone still runs on the process's CPUs. */
static void pin_thread(void *context, int thread, int64_t begin, int64_t end)
{
    const struct pin_job *job = context;
    cpu_set_t set;
    (void)begin;
    (void)end;
    CPU_ZERO(&set);
    CPU_SET(job->cpu[thread], &set);
    (void)sched_setaffinity(0, sizeof set, &set);
}

gt_status gt_i_pinned_pool(gt_pool **pool, const gt_measure_options *o)
{
    gt_status status = GT_OK;
    gt_pool *made = NULL;
    int *cpu = NULL;
    if (o->threads == 1) {
        *pool = NULL;
        return GT_OK;
    }
    GT_TRY(gt_calloc(&cpu, (size_t)o->threads, sizeof *cpu));
    for (int i = 0; i < o->threads; i++) {
        cpu[i] = cpu_of_thread(o, i);
    }
    GT_TRY(gt_pool_create(&made, o->threads));
    gt_pool_run(made, pin_thread, &(struct pin_job){o, cpu}, o->threads);
    *pool = made;
done:
    gt_free(cpu);
    return status;
}

gt_status gt_pin_to_cpus(const int *cpus, int n)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int i = 0; i < n; i++) {
        if (cpus[i] < 0 || cpus[i] >= CPU_SETSIZE) {
            return gt_fail(GT_ERROR_ARGUMENT, "cannot pin to CPU %d: there is no such CPU", cpus[i]);
        }
        CPU_SET(cpus[i], &set);
    }
    return n > 0 ? pin_to(&set, "this process", cpus[n - 1]) : GT_OK;
}
