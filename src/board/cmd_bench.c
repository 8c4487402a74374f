/* SPDX-License-Identifier: Apache-2.0 */
#include "src/board/commands.h"
#include "src/cli/common.h"
#include "src/cli/device_flags.h"

static const gt_cli_command command = {
    .name = "bench",
    .usage = "MODEL.gtb",
    .summary = "The latency of a bundle: shortest run, median, and the time within which 90 % of the runs end, beside the\n"
               "prediction. Inputs are noise.",
    .details = "Example:\n  graphtune-board bench net.gtb --cpus big",
    .min_operands = 1,
    .max_operands = 1,
};

struct arguments {
    gt_cli_list operands;
    int64_t turns, threads;
    double turn_seconds;
    const char *cpus;
    bool json;
};

static gt_status bench(const struct arguments *a)
{
    static const gt_i_model_files none = {.random_seed = -1};
    gt_status status = GT_OK;
    gt_deployment *d = NULL;
    GT_TRY(gt_cli_open_bundle(&d, a->operands.items[0], &none, (int)a->threads, a->cpus, a->json));
    gt_fill_inputs(d->session, d->graph, 1);
    GT_TRY(gt_cli_bench_session(d->session, d->plan, (int)a->turns, a->turn_seconds, a->json));
done:
    gt_deployment_close(d);
    return status;
}

int gt_board_bench(int argc, char **argv)
{
    struct arguments a = {.turns = 15, .turn_seconds = 0.05};
    const gt_cli_option options[] = {
        {"turns", 'n', GT_CLI_INT, "N", "turns (default 15)", &a.turns, 1, 100000},
        {"turn-time", 0, GT_CLI_REAL, "SECONDS", "length of a turn, one run at least (default 0.05)", &a.turn_seconds, 0, 3600},
        {"threads", 't', GT_CLI_INT, "N", "threads (default: those it was tuned for)", &a.threads, 1, 256},
        GT_CLI_CPUS_OPTION(a.cpus),
        {"json", 0, GT_CLI_FLAG, NULL, "print the figures as JSON", &a.json, 0, 0},
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &a.operands);
    code = code == GT_EXIT_OK ? gt_cli_finish(bench(&a)) : code;
    gt_cli_list_clear(&a.operands);
    return code;
}
