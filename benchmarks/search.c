/* SPDX-License-Identifier: Apache-2.0 */
/* How much of what a config space holds each search strategy finds: `make bench-search`.
 *
 * Every point of some spaces (search_spaces.c) is measured; the strategies are then played on those records, so that all
 * see the same times. Printed: by how much the best found after 8, 16, 32 and 64 measurements is slower than the best of the
 * whole space, as geometric means over the spaces and, for the strategies that draw, over seeds; and of each space, what share
 * of the best is reached within a twentieth of its points (search_share.h). The best of thousands of noisy
 * measurements flatters itself: a fraction of a percent is luck that no strategy can count on.
 *
 *   search [--records FILE [--replay]] [--candidate-time SECONDS] [--seeds N] [--each]
 *
 * FILE keeps the measurements for another run (otherwise they are in a temporary file), which measures nothing with --replay;
 * --each prints every space. */
#include "benchmarks/search_share.h"

#include "src/base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int marks[] = {8, 16, 32, 64};
#define MARKS ((int)(sizeof marks / sizeof *marks))
#define MOST 64

struct arguments {
    const char *records;
    double candidate_s;
    int seeds;
    bool each, replay;
};

static bool parse(struct arguments *a, int argc, char **argv)
{
    *a = (struct arguments){.candidate_s = 0.001, .seeds = 20};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--each") == 0) {
            a->each = true;
            continue;
        }
        if (strcmp(argv[i], "--replay") == 0) {
            a->replay = true;
            continue;
        }
        if (strcmp(argv[i], "--records") == 0) {
            a->records = value;
        } else if (strcmp(argv[i], "--candidate-time") == 0) {
            a->candidate_s = atof(value);
        } else if (strcmp(argv[i], "--seeds") == 0) {
            a->seeds = atoi(value);
        } else {
            return false;
        }
        i++;
    }
    return a->candidate_s > 0 && a->candidate_s < 10 && a->seeds > 0 &&
           (a->records == NULL ? !a->replay : a->records[0] != '\0');
}

/* ---- one strategy ---- */

/* The logarithms of the regrets at the marks, added up. */
struct tally {
    double sum[MARKS];
    int runs;
};

static void add_run(struct tally *t, const gt_search_run *run, double best_ns, int mark)
{
    double least = run->ns[0];
    for (int i = 1; i < run->n && i < marks[mark]; i++) {
        least = fmin(least, run->ns[i]);
    }
    t->sum[mark] += log(least / best_ns);
}

static void print_tally(const char *name, const struct tally *t)
{
    printf("  %-34s", name);
    for (int m = 0; m < MARKS; m++) {
        printf(" %7.2f%%", 100 * (exp(t->sum[m] / t->runs) - 1));
    }
    printf("\n");
}

/* Grid and random: with as many trials per template as a tune of that size has. */
static gt_status play_drawn(struct tally *t, const gt_search_replay *replay, gt_strategy_kind kind, int seeds)
{
    gt_status status = GT_OK;
    for (int seed = 1; seed <= seeds; seed++) {
        for (int m = 0; m < MARKS; m++) {
            gt_search_run run = {0};
            GT_TRY(gt_search_draw(&run, replay, kind, marks[m], (uint64_t)seed));
            add_run(t, &run, gt_search_best_ns(replay), m);
        }
        t->runs++;
    }
done:
    return status;
}

static gt_status play_model(struct tally *t, gt_search_run *run, const gt_search_replay *replay, const gt_records *others)
{
    gt_status status = GT_OK;
    *run = (gt_search_run){0};
    GT_TRY(gt_search_model(run, replay, MOST, others));
    for (int m = 0; m < MARKS; m++) {
        add_run(t, run, gt_search_best_ns(replay), m);
    }
    t->runs++;
done:
    return status;
}

/* ---- all ---- */

enum { GRID, RANDOM, MODEL, MODEL_LEARNED, STRATEGIES };
static const char *const names[STRATEGIES] = {"grid", "random", "model", "model, other spaces' records known"};

struct results {
    struct tally all[STRATEGIES];
    double model_ns;      /* what the model itself took */
    int64_t model_steps;
    int stopped;          /* spaces where it ended before MOST measurements */
    double stopped_after; /* measurements until then, added up */
};

static gt_status play_space(struct results *r, const gt_search_replay *replay, const gt_records *others, const struct arguments *a)
{
    gt_status status = GT_OK;
    struct tally one[STRATEGIES] = {0};
    gt_search_run run = {0};
    GT_TRY(play_drawn(&one[GRID], replay, GT_STRATEGY_GRID, a->seeds));
    GT_TRY(play_drawn(&one[RANDOM], replay, GT_STRATEGY_RANDOM, a->seeds));
    GT_TRY(play_model(&one[MODEL_LEARNED], &run, replay, others));
    int64_t begin = gt_now_ns();
    GT_TRY(play_model(&one[MODEL], &run, replay, NULL));
    r->model_ns += (double)(gt_now_ns() - begin);
    r->model_steps += run.n;
    r->stopped += run.n < MOST;
    r->stopped_after += run.n < MOST ? run.n : 0;
    for (int s = 0; s < STRATEGIES; s++) {
        for (int m = 0; m < MARKS; m++) {
            r->all[s].sum[m] += one[s].sum[m] / one[s].runs;
        }
        r->all[s].runs++;
    }
    if (a->each) {
        printf("%s: %s %s -> %s, %lld points\n", gt_search_space_of(replay)->name, gt_search_key(replay), gt_layout_name(gt_search_space_of(replay)->in),
               gt_layout_name(gt_search_space_of(replay)->out), (long long)gt_search_points(replay));
        for (int s = 0; s < STRATEGIES; s++) {
            print_tally(names[s], &one[s]);
        }
    }
done:
    return status;
}

/* What a tune of all other spaces would leave in a file: the measurements of the model's runs there. */
static gt_status records_of_others(gt_records **others, gt_search_replay *const *replays, int n, int except)
{
    gt_status status = GT_OK;
    gt_records *set = NULL;
    GT_TRY(gt_records_create(&set));
    for (int i = 0; i < n; i++) {
        gt_search_run run = {.keep = i != except ? set : NULL};
        if (i != except) {
            GT_TRY(gt_search_model(&run, replays[i], MOST, NULL));
        }
    }
    *others = set;
    set = NULL;
done:
    gt_records_destroy(set);
    return status;
}

static void print_results(const struct results *r, int spaces, int seeds)
{
    printf("%-36s", "slower than the best, after");
    for (int m = 0; m < MARKS; m++) {
        printf(" %8d", marks[m]);
    }
    printf(" measurements\n");
    for (int s = 0; s < STRATEGIES; s++) {
        print_tally(names[s], &r->all[s]);
    }
    printf("geometric means over %d spaces; grid and random over %d seeds each\n", spaces, seeds);
    printf("the model took %.2f ms per measurement", r->model_ns * 1e-6 / (double)r->model_steps);
    if (r->stopped > 0) {
        printf("; it ended by itself in %d spaces, after %.0f measurements on average", r->stopped, r->stopped_after / r->stopped);
    }
    printf("\n");
}

static gt_status play_all(const gt_records *records, const gt_device *device, const struct arguments *a)
{
    gt_status status = GT_OK;
    int n = gt_search_space_count();
    gt_search_replay **replays = NULL;
    gt_search_share *shares = NULL;
    gt_records *others = NULL;
    struct results r = {0};
    GT_TRY(gt_calloc(&replays, (size_t)n, sizeof *replays));
    GT_TRY(gt_calloc(&shares, (size_t)n, sizeof *shares));
    for (int i = 0; i < n; i++) {
        GT_TRY(gt_search_replay_create(&replays[i], gt_search_space_at(i), records, device));
    }
    for (int i = 0; i < n; i++) {
        gt_records_destroy(others);
        others = NULL;
        GT_TRY(records_of_others(&others, replays, n, i));
        GT_TRY(play_space(&r, replays[i], others, a));
        GT_TRY(gt_search_share_find(&shares[i], replays[i], a->seeds));
    }
    print_results(&r, n, a->seeds);
    GT_TRY(gt_search_share_print(shares, replays, n));
done:
    for (int i = 0; replays != NULL && i < n; i++) {
        gt_search_replay_destroy(replays[i]);
    }
    gt_free(replays);
    gt_free(shares);
    gt_records_destroy(others);
    return status;
}

static gt_status run(const char *path, const struct arguments *a)
{
    gt_status status = GT_OK;
    gt_records *records = NULL;
    gt_device device;
    gt_measure_options o = gt_measure_defaults();
    o.min_time_ns = (int64_t)(a->candidate_s * 1e9);
    o.max_time_ns = 4 * o.min_time_ns;
    GT_TRY(gt_device_detect(&device));
    GT_TRY(a->replay ? GT_OK : gt_search_record(path, &device, &o));
    GT_TRY(gt_records_create(&records));
    GT_TRY(gt_records_read(records, path, NULL));
    GT_TRY(play_all(records, &device, a));
done:
    gt_records_destroy(records);
    return status;
}

int main(int argc, char **argv)
{
    struct arguments a;
    char temporary[] = "/tmp/graphtune-search-XXXXXX";
    if (!parse(&a, argc, argv)) {
        fprintf(stderr, "usage: search [--records FILE [--replay]] [--candidate-time SECONDS] [--seeds N] [--each]\n");
        return 2;
    }
    if (a.records == NULL) {
        int file = mkstemp(temporary);
        if (file < 0 || close(file) != 0 || unlink(temporary) != 0) {
            perror(temporary);
            return 1;
        }
    }
    gt_status status = run(a.records != NULL ? a.records : temporary, &a);
    if (status != GT_OK) {
        fprintf(stderr, "search: %s\n", gt_error_message());
    }
    if (a.records == NULL) {
        unlink(temporary);
    }
    return status == GT_OK ? 0 : 1;
}
