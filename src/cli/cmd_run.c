/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/run_plan.h"

static const gt_cli_command command = {
    .name = "run",
    .usage = "PLAN|MODEL.gtb [--input FILE.npy ...] [--output DIR] [--check] [--profile]",
    .summary = "Executes a plan, or a bundle that `graphtune pack` made of one. Inputs are float32 (or int64) .npy files\n"
               "in the model's order, or NAME=FILE.npy; inputs that are not given are seeded noise.",
    .details = "Example:\n  graphtune run net.plan.json --input image.npy --output out --check",
    .min_operands = 1,
    .max_operands = 1,
};

int gt_cmd_run(int argc, char **argv)
{
    gt_run_arguments a = GT_RUN_DEFAULTS;
    gt_cli_list operands = {0};
    const gt_cli_option options[] = {
        GT_RUN_OPTIONS(a),
        {"check", 0, GT_CLI_FLAG, NULL, "compare every output with the reference executor's", &a.check, 0, 0},
        {"model", 0, GT_CLI_STRING, "MODEL", "the model file, where it has moved", &a.files.model, 0, 0},
        GT_CLI_WEIGHT_OPTIONS(a.files.weights, a.files.random_seed),
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &operands);
    if (code == GT_EXIT_OK) {
        a.path = operands.items[0];
        code = gt_cli_finish(gt_cli_run(&a));
    }
    gt_cli_list_clear(&operands);
    gt_cli_list_clear(&a.inputs);
    return code;
}
