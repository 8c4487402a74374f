/* SPDX-License-Identifier: Apache-2.0 */
/* `graphtune select --verify`. */
#ifndef GT_CLI_SELECT_VERIFY_H
#define GT_CLI_SELECT_VERIFY_H

#include "src/cli/common.h"
#include "src/cli/solver_flags.h"
#include "src/tune/verify.h"

typedef struct gt_cli_verify {
    const char *plan_path;
    gt_i_model_files files;
    const gt_cli_list *records, *transform_records; /* empty: the files that the plan names */
    const gt_solver_flags *solver;
    bool json, quiet;
} gt_cli_verify;

/* Checks a plan and prints what was found. *good: nothing differs, and all that the plan claims was proved again. */
gt_status gt_cli_verify_plan(bool *good, const gt_cli_verify *arguments) GT_NODISCARD;

/* ---- print_verify.c ---- */

/* What was checked, what differs, and the verdict in the last line. */
gt_status gt_cli_print_verification(const gt_verification *v, const gt_plan *plan) GT_NODISCARD;
gt_status gt_cli_print_verification_json(const gt_verification *v, const gt_plan *plan, const char *plan_path) GT_NODISCARD;

#endif
