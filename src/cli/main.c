/* SPDX-License-Identifier: Apache-2.0 */
/* graphtune: the command. */
#include "src/cli/cli.h"

static const gt_cli_entry commands[] = {
#define X(name, summary) {#name, gt_cmd_##name, summary},
    GT_CLI_COMMANDS(X)
#undef X
};

int main(int argc, char **argv)
{
    static const gt_cli_program program = {
        .name = "graphtune",
        .summary = "Finds the layout, algorithm and tiling of every layer that make a convolutional network fastest\n"
                   "on this machine, proves that nothing better exists for the measurements, and runs the plan.",
        .start = "Start with:\n\n"
                 "  graphtune zoo squeezenet1.1 -o squeezenet.onnx\n"
                 "  graphtune auto squeezenet.onnx -o squeezenet.plan.json",
        .entries = commands,
        .n_entries = sizeof commands / sizeof *commands,
    };
    return gt_cli_dispatch(&program, argc, argv);
}
