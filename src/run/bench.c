/* SPDX-License-Identifier: Apache-2.0 */
#include "src/run/bench.h"

#include "src/base/clock.h"

#include <stdlib.h>

gt_bench_options gt_bench_defaults(void)
{
    return (gt_bench_options){.turns = 15, .turn_seconds = 0.05};
}

int gt_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double gt_quantile(const double *sorted, int64_t n, double q)
{
    int64_t rank = (int64_t)(q * (double)(n - 1) + 0.5);
    return sorted[rank];
}

struct contender {
    double *samples;
    int n;
    size_t capacity;
    double *turn_medians;
};

static gt_status take_turn(struct contender *c, gt_session *session, int turn, double seconds)
{
    gt_status status = GT_OK;
    int first = c->n;
    gt_session_run(session, NULL);
    int64_t start = gt_now_ns();
    int64_t before = start;
    do {
        gt_session_run(session, NULL);
        int64_t now = gt_now_ns();
        GT_PUSH(c->samples, c->n, c->capacity, (double)(now - before));
        before = gt_now_ns();
    } while ((double)(before - start) < seconds * 1e9);
    qsort(c->samples + first, (size_t)(c->n - first), sizeof *c->samples, gt_compare_doubles);
    c->turn_medians[turn] = gt_quantile(c->samples + first, c->n - first, 0.5);
done:
    return status;
}

static void summarise(gt_bench_result *result, struct contender *c, const struct contender *base, int turns, double *ratios)
{
    for (int i = 0; i < turns; i++) {
        ratios[i] = c->turn_medians[i] / base->turn_medians[i];
    }
    qsort(ratios, (size_t)turns, sizeof *ratios, gt_compare_doubles);
    qsort(c->samples, (size_t)c->n, sizeof *c->samples, gt_compare_doubles);
    *result = (gt_bench_result){.min_ns = c->samples[0],
                                .median_ns = gt_quantile(c->samples, c->n, 0.5),
                                .p90_ns = gt_quantile(c->samples, c->n, 0.9),
                                .ratio = gt_quantile(ratios, turns, 0.5),
                                .runs = c->n};
}

gt_status gt_bench_run(gt_bench_result *results, gt_session *const *sessions, int n, const gt_bench_options *options,
                       void (*progress)(int done, int total))
{
    gt_status status = GT_OK;
    struct contender *contenders = NULL;
    double *ratios = NULL;
    GT_TRY(gt_calloc(&contenders, (size_t)n, sizeof *contenders));
    GT_TRY(gt_calloc(&ratios, (size_t)options->turns, sizeof *ratios));
    for (int i = 0; i < n; i++) {
        GT_TRY(gt_calloc(&contenders[i].turn_medians, (size_t)options->turns, sizeof *contenders[i].turn_medians));
    }
    for (int turn = 0; turn < options->turns; turn++) {
        for (int i = 0; i < n; i++) {
            int who = (i + turn) % n; /* nobody always follows the same neighbour */
            GT_TRY(take_turn(&contenders[who], sessions[who], turn, options->turn_seconds));
        }
        if (progress != NULL) {
            progress(turn + 1, options->turns);
        }
    }
    for (int i = 0; i < n; i++) {
        summarise(&results[i], &contenders[i], &contenders[0], options->turns, ratios);
    }
done:
    for (int i = 0; contenders != NULL && i < n; i++) {
        gt_free(contenders[i].samples);
        gt_free(contenders[i].turn_medians);
    }
    gt_free(ratios);
    gt_free(contenders);
    return status;
}
