/* SPDX-License-Identifier: Apache-2.0 */
#include "benchmarks/solver_measure.h"

#include "benchmarks/solver_problem.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int64_t ms_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void ms_solve(const gt_cfn *cfn, gt_cfn_result *result, const gt_cfn_options *options, int64_t *cpu_ns)
{
    int64_t start = ms_cpu_ns();
    lp_must(gt_cfn_solve(cfn, result, options));
    *cpu_ns = ms_cpu_ns() - start;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double ms_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    return n % 2 != 0 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* A line of /proc/self/status in kB, or -1. */
static long status_kb(const char *field)
{
    char line[256];
    long kb = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, field, strlen(field)) == 0) {
            sscanf(line + strlen(field), ": %ld", &kb);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return kb;
}

/* Starts the peak anew at what is resident now. */
static bool reset_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    bool ok = file != NULL && fputs("5", file) >= 0;
    return file != NULL && fclose(file) == 0 && ok;
}

/* Free memory that the allocator keeps is given back first, so that using it counts. */
static double peak_of(void (*work)(const void *), const void *context)
{
    malloc_trim(0);
    long before = status_kb("VmRSS");
    if (before < 0 || !reset_peak()) {
        return -1;
    }
    work(context);
    long peak = status_kb("VmHWM");
    return peak < 0 ? -1 : (double)(peak - before) * 1.024e-3;
}

double ms_peak_mb(void (*work)(const void *context), const void *context)
{
    double mb = -1;
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0) {
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        mb = peak_of(work, context);
        _exit(write(ends[1], &mb, sizeof mb) == sizeof mb ? 0 : 1);
    }
    close(ends[1]);
    if (child > 0) {
        mb = read(ends[0], &mb, sizeof mb) == sizeof mb ? mb : -1;
        waitpid(child, NULL, 0);
    }
    close(ends[0]);
    return mb;
}

static void solve_only(const void *context)
{
    gt_cfn_result result;
    lp_must(gt_cfn_solve(context, &result, NULL));
    gt_cfn_result_destroy(&result);
}

double ms_solve_peak_mb(const gt_cfn *cfn)
{
    return ms_peak_mb(solve_only, cfn);
}
