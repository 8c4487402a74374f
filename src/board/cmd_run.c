/* SPDX-License-Identifier: Apache-2.0 */
#include "src/board/commands.h"
#include "src/cli/run_plan.h"

static const gt_cli_command command = {
    .name = "run",
    .usage = "MODEL.gtb [--input FILE.npy ...] [--output DIR] [--profile]",
    .summary = "Executes a bundle. Inputs are float32 (or int64) .npy files in the model's order, or NAME=FILE.npy; inputs that\n"
               "are not given are seeded noise.",
    .details = "Example:\n  graphtune-board run net.gtb --input image.npy --output out",
    .min_operands = 1,
    .max_operands = 1,
};

int gt_board_run(int argc, char **argv)
{
    gt_run_arguments a = GT_RUN_DEFAULTS;
    gt_cli_list operands = {0};
    const gt_cli_option options[] = {GT_RUN_OPTIONS(a)};
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &operands);
    if (code == GT_EXIT_OK) {
        a.path = operands.items[0];
        code = gt_cli_finish(gt_cli_run(&a));
    }
    gt_cli_list_clear(&operands);
    gt_cli_list_clear(&a.inputs);
    return code;
}
