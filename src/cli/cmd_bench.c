/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/common.h"
#include "src/cli/device_flags.h"
#include "src/tune/refine.h"

static const gt_cli_command command = {
    .name = "bench",
    .usage = "PLAN|MODEL.gtb",
    .summary = "Times a plan beside the greedy schedule (each op's own fastest candidate) and every single-layout\n"
               "schedule. They take turns, so that a drifting clock hits all alike; ratios are medians over turns.\n"
               "A bundle holds no other schedule and is timed alone.",
    .details = "Example:\n  graphtune bench net.plan.json",
    .min_operands = 1,
    .max_operands = 1,
};

struct arguments {
    gt_cli_list operands;
    gt_i_model_files files;
    int64_t turns;
    double turn_seconds;
    const char *cpus;
    bool json;
};

static gt_status run(const struct arguments *a)
{
    gt_status status = GT_OK;
    gt_deployment *d = NULL;
    if (gt_i_is_bundle(a->operands.items[0])) {
        GT_TRY(gt_cli_open_bundle(&d, a->operands.items[0], &a->files, 0, a->cpus, a->json));
        gt_fill_inputs(d->session, d->graph, 1);
        GT_TRY(gt_cli_bench_session(d->session, d->plan, (int)a->turns, a->turn_seconds, a->json));
        goto done;
    }
    GT_TRY(gt_i_deployment_load(&d, a->operands.items[0], &a->files));
    GT_TRY(gt_cli_warn_device(d->plan, a->operands.items[0]));
    GT_TRY(gt_cli_pin(a->cpus, d->plan->threads, a->json));
    for (int i = 0; i < d->plan->n_alternatives; i++) {
        gt_program *program = NULL;
        status = gt_program_build(&program, d->graph, &d->plan->alternatives[i].schedule);
        gt_program_destroy(program);
        if (status != GT_OK) {
            GT_TRY(gt_fail_in(status, "%s: alternatives[%d]", a->operands.items[0], i));
        }
    }
    status = gt_cli_bench(d->graph, d->plan, (int)a->turns, a->turn_seconds, a->json);
    if (status != GT_OK) {
        GT_TRY(gt_fail_in(status, "%s", a->operands.items[0]));
    }
done:
    gt_deployment_close(d);
    return status;
}

int gt_cmd_bench(int argc, char **argv)
{
    struct arguments a = {.files.random_seed = -1, .turns = 15, .turn_seconds = 0.05};
    const gt_cli_option options[] = {
        {"turns", 'n', GT_CLI_INT, "N", "turns per schedule (default 15)", &a.turns, 1, 100000},
        {"turn-time", 0, GT_CLI_REAL, "SECONDS", "length of a turn, one run at least (default 0.05)", &a.turn_seconds, 0, 3600},
        GT_CLI_CPUS_OPTION(a.cpus),
        {"model", 0, GT_CLI_STRING, "MODEL", "the model file, where it has moved", &a.files.model, 0, 0},
        GT_CLI_WEIGHT_OPTIONS(a.files.weights, a.files.random_seed),
        {"json", 0, GT_CLI_FLAG, NULL, "print the figures as JSON", &a.json, 0, 0},
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &a.operands);
    code = code == GT_EXIT_OK ? gt_cli_finish(run(&a)) : code;
    gt_cli_list_clear(&a.operands);
    return code;
}
