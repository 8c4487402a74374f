/* SPDX-License-Identifier: Apache-2.0 */
/* Plans timed against each other, in turns and in one process: part of `make bench-tuning`.
 *
 *   tuning_race [--turns N] PLAN PLAN...
 *
 * A line per plan: its median and least ms, and its latency over the first one's (the median over turns). */
#include "include/graphtune/runtime.h"
#include "src/api/deployment.h"
#include "src/run/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN_SECONDS 0.05

static gt_status open_plan(gt_deployment **plan, const char *path)
{
    gt_status status = GT_OK;
    gt_deployment *d = NULL;
    GT_TRY(gt_i_deployment_load(&d, path, &(gt_i_model_files){.random_seed = -1}));
    GT_TRY(gt_i_deployment_start(d, d->plan->threads, false));
    gt_fill_inputs(d->session, d->graph, 1);
    *plan = d;
    d = NULL;
done:
    gt_deployment_close(d);
    return status;
}

static gt_status race(char **paths, int n, int turns)
{
    gt_status status = GT_OK;
    gt_deployment **plans = NULL;
    gt_session **sessions = NULL;
    gt_bench_result *results = NULL;
    const gt_bench_options options = {.turns = turns, .turn_seconds = TURN_SECONDS};
    GT_TRY(gt_calloc(&plans, (size_t)n, sizeof *plans));
    GT_TRY(gt_calloc(&sessions, (size_t)n, sizeof *sessions));
    GT_TRY(gt_calloc(&results, (size_t)n, sizeof *results));
    for (int i = 0; i < n; i++) {
        GT_TRY(open_plan(&plans[i], paths[i]));
        sessions[i] = plans[i]->session;
    }
    GT_TRY(gt_bench_run(results, sessions, n, &options, NULL));
    for (int i = 0; i < n; i++) {
        printf("%s median %.3f ms, least %.3f ms, ratio %.4f\n", paths[i], results[i].median_ns / 1e6, results[i].min_ns / 1e6,
               results[i].ratio);
    }
done:
    for (int i = 0; plans != NULL && i < n; i++) {
        gt_deployment_close(plans[i]);
    }
    gt_free(plans);
    gt_free(sessions);
    gt_free(results);
    return status;
}

int main(int argc, char **argv)
{
    int first = 1, turns = 41;
    if (argc > 2 && strcmp(argv[1], "--turns") == 0) {
        turns = atoi(argv[2]);
        first = 3;
    }
    if (argc - first < 2 || turns < 1) {
        fprintf(stderr, "usage: tuning_race [--turns N] PLAN PLAN...\n");
        return 2;
    }
    if (race(argv + first, argc - first, turns) != GT_OK) {
        fprintf(stderr, "tuning_race: %s\n", gt_error_message());
        return 1;
    }
    return 0;
}
