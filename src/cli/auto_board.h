/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of `auto --board` share. */
#ifndef GT_CLI_AUTO_BOARD_H
#define GT_CLI_AUTO_BOARD_H

#include "src/cli/auto.h"
#include "src/cli/board.h"

typedef struct gt_auto_board {
    const gt_auto_arguments *a;
    gt_board board;
    gt_graph *graph;
    gt_plan *plan;
    gt_text stem;                                            /* the model's name without its suffix */
    gt_text tasks_path, records_path, plan_path, bundle_path; /* here */
    gt_text tasks, records, bundle, outputs;                 /* names there */
} gt_auto_board;

/* Appends " --FLAG 'VALUE'"; nothing for NULL. */
gt_status gt_i_append_flag(gt_text *text, const char *flag, const char *value) GT_NODISCARD;

/* "run" or "bench" of the bundle there, with further arguments, quoted already. */
gt_status gt_i_auto_board_run(const gt_auto_board *job, const char *verb, const char *more) GT_NODISCARD;

/* Runs the bundle there and compares its outputs with the reference's here. Errors: GT_ERROR_INTERNAL where they differ. */
gt_status gt_i_auto_board_check(const gt_auto_board *job) GT_NODISCARD;

#endif
