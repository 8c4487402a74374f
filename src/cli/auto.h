/* SPDX-License-Identifier: Apache-2.0 */
/* What `auto` on this machine and `auto --board` share. */
#ifndef GT_CLI_AUTO_H
#define GT_CLI_AUTO_H

#include "src/cli/solver_flags.h"
#include "src/cli/tune_flags.h"

typedef struct gt_auto_arguments {
    gt_cli_list operands;
    gt_cli_import import;
    const char *output, *records;
    gt_tune_flags flags;
    gt_solver_flags solver;
    bool no_bench, no_refine;
    const char *board, *board_folder, *board_agent, *board_cpus;
    gt_cli_list ssh_options;
} gt_auto_arguments;

/* Prints the name of a step, unless quiet. */
void gt_i_auto_heading(const gt_auto_arguments *arguments, const char *text);

/* All of `auto` with the measuring and running done on a board. */
gt_status gt_cli_auto_board(const gt_auto_arguments *arguments) GT_NODISCARD;

#endif
