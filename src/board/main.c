/* SPDX-License-Identifier: Apache-2.0 */
/* graphtune-board: what is copied to a board. */
#include "src/board/commands.h"
#include "src/cli/cli.h"

static const gt_cli_entry commands[] = {
#define X(name, function, summary) {name, function, summary},
    GT_BOARD_COMMANDS(X)
#undef X
};

int main(int argc, char **argv)
{
    static const gt_cli_program program = {
        .name = "graphtune-board",
        .summary = "graphtune's half for a board: measures the tasks that `graphtune tasks` wrote on a PC, and runs the bundle\n"
                   "that `graphtune pack` makes there. It needs no library, no model, no Python and no compiler.",
        .start = "With ssh, one command on the PC does all of it:\n\n"
                 "  graphtune auto MODEL --board USER@HOST",
        .entries = commands,
        .n_entries = sizeof commands / sizeof *commands,
    };
    return gt_cli_dispatch(&program, argc, argv);
}
