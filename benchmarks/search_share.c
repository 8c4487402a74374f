/* SPDX-License-Identifier: Apache-2.0 */
#include "benchmarks/search_share.h"

#include "src/run/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEDIAN_TARGET 0.97
#define WORST_TARGET 0.90

static double share_of(const gt_search_run *run, const gt_search_replay *replay)
{
    double least = INFINITY;
    for (int i = 0; i < run->n; i++) {
        least = fmin(least, run->ns[i]);
    }
    return gt_search_best_ns(replay) / least;
}

gt_status gt_search_share_find(gt_search_share *share, const gt_search_replay *replay, int seeds)
{
    gt_status status = GT_OK;
    gt_search_share s = {0};
    gt_search_run *run = NULL;
    int most = (int)fmin(floor(GT_SHARE_OF_POINTS * (double)gt_search_points(replay)), GT_SEARCH_MOST);
    GT_TRY(gt_calloc(&run, 1, sizeof *run));
    GT_TRY(gt_search_model(run, replay, most, NULL));
    s.measurements = run->n;
    s.model = share_of(run, replay);
    for (int seed = 1; seed <= seeds; seed++) {
        *run = (gt_search_run){0};
        GT_TRY(gt_search_draw(run, replay, GT_STRATEGY_RANDOM, s.measurements, (uint64_t)seed));
        s.random += share_of(run, replay) / seeds;
    }
    *share = s;
done:
    gt_free(run);
    return status;
}

/* ---- the table ---- */

/* *median and *worst of the model's shares, or of random's. */
static gt_status summarise(double *median, double *worst, const gt_search_share *shares, int n, bool random)
{
    gt_status status = GT_OK;
    double *sorted = NULL;
    GT_TRY(gt_calloc(&sorted, (size_t)n, sizeof *sorted));
    for (int i = 0; i < n; i++) {
        sorted[i] = random ? shares[i].random : shares[i].model;
    }
    qsort(sorted, (size_t)n, sizeof *sorted, gt_compare_doubles);
    *median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    *worst = sorted[0];
done:
    gt_free(sorted);
    return status;
}

static void print_target(const char *what, double reached, double target)
{
    if (reached < target) {
        printf("target missed: the %s is %.1f %%, not %.1f %%\n", what, 100 * reached, 100 * target);
    }
}

gt_status gt_search_share_print(const gt_search_share *shares, gt_search_replay *const *replays, int n)
{
    gt_status status = GT_OK;
    double median, worst, random_median, random_worst;
    GT_TRY(summarise(&median, &worst, shares, n, false));
    GT_TRY(summarise(&random_median, &random_worst, shares, n, true));
    printf("\n%-26s %8s %9s %9s %9s %9s\n", "share of the best", "points", "best µs", "measured", "model", "random");
    for (int i = 0; i < n; i++) {
        const gt_search_share *s = &shares[i];
        printf("%-26s %8lld %9.1f %9d %8.1f%% %8.1f%%\n", gt_search_space_of(replays[i])->name,
               (long long)gt_search_points(replays[i]), gt_search_best_ns(replays[i]) / 1e3, s->measurements, 100 * s->model,
               100 * s->random);
    }
    printf("%-26s %8s %9s %9s %8.1f%% %8.1f%%\n", "median", "", "", "", 100 * median, 100 * random_median);
    printf("%-26s %8s %9s %9s %8.1f%% %8.1f%%\n", "worst", "", "", "", 100 * worst, 100 * random_worst);
    print_target("median", median, MEDIAN_TARGET);
    print_target("worst", worst, WORST_TARGET);
    print_target("median", median, random_median);
    print_target("worst", worst, random_worst);
done:
    return status;
}
