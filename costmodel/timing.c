/* SPDX-License-Identifier: Apache-2.0 */
/* Taking samples, and what they say. */
#include "costmodel/measure_internal.h"

#include "src/base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define MAX_SAMPLES 4096
#define MIN_SAMPLES 5
#define QUICK_SAMPLES 3
#define WARM_UP_NS 500000
#define CACHE_LINE 64

/* ---- statistics ---- */

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The largest k for which the interval from the k-th smallest to the k-th largest of n samples covers the
 * median with 95 %: P(Binomial(n, 1/2) < k) <= 2.5 % (David and Nagaraja, Order Statistics, section 7.1).
 * 0 where even the full range covers less. */
static int64_t interval_rank(int64_t n)
{
    if (n > 500) {
        return (int64_t)floor((double)n / 2 - 0.98 * sqrt((double)n));
    }
    double term = pow(0.5, (double)n);
    double sum = 0;
    int64_t k = 0;
    while (k < n && sum + term <= 0.025) {
        sum += term;
        term *= (double)(n - k) / (double)(k + 1);
        k++;
    }
    return k;
}

gt_timing gt_timing_of(double *samples_ns, int64_t n)
{
    qsort(samples_ns, (size_t)n, sizeof *samples_ns, ascending);
    int64_t k = interval_rank(n);
    k = k >= 1 ? k : 1;
    return (gt_timing){
        .median_ns = (samples_ns[(n - 1) / 2] + samples_ns[n / 2]) / 2,
        .min_ns = samples_ns[0],
        .lo_ns = samples_ns[k - 1],
        .hi_ns = samples_ns[n - k],
        .runs = n,
    };
}

/* ---- sampling ---- */

/* Samples of runs that the scheduler left alone, and of the others. */
struct samples {
    double *clean, *disturbed; /* MAX_SAMPLES each */
    int64_t n_clean, n_disturbed;
    int64_t number; /* runs made so far, warm-up included */
    double clock_ns; /* what reading the clock twice costs */
    int64_t spent_ns;
};

static void write_lines(void *context, int thread, int64_t begin, int64_t end)
{
    const gt_i_range *range = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        volatile unsigned char *line = (volatile unsigned char *)range->data + i * CACHE_LINE;
        *line = *line;
    }
}

/* Leaves every line of the inputs as an op that has just written it would: modified, in the cache of the
 * thread that works on that part, and evicted from the front where the whole is too large. */
static void produce_inputs(const gt_i_subject *subject)
{
    for (int i = subject->n_warm - 1; i >= 0; i--) {
        gt_i_range range = subject->warm[i];
        gt_pool_run(subject->pool, write_lines, &range, (int64_t)(range.bytes / CACHE_LINE));
    }
}

static long interruptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

static double clock_cost(void)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < 50; i++) {
        int64_t begin = gt_now_ns();
        int64_t ns = gt_now_ns() - begin;
        least = ns < least ? ns : least;
    }
    return (double)least;
}

/* One run, timed; kept as a sample when `keep`. */
static double take(struct samples *s, const gt_i_subject *subject, bool keep)
{
    produce_inputs(subject);
    long before = interruptions();
    int64_t begin = gt_now_ns();
    subject->run(subject->context, s->number++);
    int64_t end = gt_now_ns();
    bool disturbed = interruptions() != before;
    double ns = (double)(end - begin) - s->clock_ns;
    ns = ns > 0 ? ns : 0;
    s->spent_ns += end - begin;
    if (keep && disturbed) {
        s->disturbed[s->n_disturbed++] = ns;
    } else if (keep) {
        s->clean[s->n_clean++] = ns;
    }
    return ns;
}

/* The disturbed samples count only when they are so many that the others would be a selection. */
static gt_timing summarise(struct samples *s)
{
    int64_t all = s->n_clean + s->n_disturbed;
    if (s->n_clean >= MIN_SAMPLES && 4 * s->n_clean >= all) {
        return gt_timing_of(s->clean, s->n_clean);
    }
    memcpy(s->clean + s->n_clean, s->disturbed, (size_t)s->n_disturbed * sizeof *s->clean);
    s->n_clean = all;
    s->n_disturbed = 0;
    return gt_timing_of(s->clean, all);
}

static bool is_settled(const gt_timing *t, double fraction)
{
    return t->runs >= 6 && t->hi_ns - t->median_ns <= fraction * t->median_ns &&
           t->median_ns - t->lo_ns <= fraction * t->median_ns;
}

/* Warms caches, branch predictors and the clock up; the fastest run so far. */
static double warm_up(struct samples *s, const gt_i_subject *subject)
{
    double least = INFINITY;
    int64_t runs = 0;
    do {
        double ns = take(s, subject, false);
        least = ns < least ? ns : least;
    } while (s->spent_ns < WARM_UP_NS && ++runs < 100);
    return least;
}

/* Blocks of samples, each half as large as what there is, until the interval is narrow or the time is
 * over. */
static gt_timing sample(struct samples *s, const gt_i_subject *subject, const gt_measure_options *o)
{
    int64_t begin = gt_now_ns();
    gt_timing timing = {0};
    for (int64_t goal = MIN_SAMPLES;; goal += goal / 2 + 1) {
        goal = goal < MAX_SAMPLES ? goal : MAX_SAMPLES;
        int64_t spent = 0;
        while (s->n_clean + s->n_disturbed < goal) {
            take(s, subject, true);
            spent = gt_now_ns() - begin;
            if (spent >= o->max_time_ns && s->n_clean + s->n_disturbed >= MIN_SAMPLES) {
                break;
            }
        }
        timing = summarise(s);
        spent = gt_now_ns() - begin;
        if (goal == MAX_SAMPLES || spent >= o->max_time_ns ||
            (spent >= o->min_time_ns && is_settled(&timing, o->interval))) {
            return timing;
        }
    }
}

gt_status gt_i_time(gt_timing *timing, const gt_i_subject *subject, double best_ns,
                    const gt_measure_options *o)
{
    gt_status status = GT_OK;
    struct samples s = {.clock_ns = clock_cost()};
    GT_TRY(gt_calloc(&s.clean, MAX_SAMPLES, sizeof *s.clean));
    GT_TRY(gt_calloc(&s.disturbed, MAX_SAMPLES, sizeof *s.disturbed));
    double limit = best_ns > 0 && o->reject_ratio > 0 ? best_ns * o->reject_ratio : INFINITY;
    double estimate = warm_up(&s, subject);
    /* Far too slow already: a run more for the record's sake. Otherwise a few runs, the fastest of which
     * decides. */
    int64_t quick = estimate > 3 * limit ? 1 : QUICK_SAMPLES;
    for (int64_t i = 0; i < quick && estimate > limit; i++) {
        double ns = take(&s, subject, true);
        estimate = ns < estimate ? ns : estimate;
    }
    *timing = estimate > limit ? summarise(&s) : sample(&s, subject, o);
done:
    gt_free(s.clean);
    gt_free(s.disturbed);
    return status;
}
