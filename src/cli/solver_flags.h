/* SPDX-License-Identifier: Apache-2.0 */
/* The solver's limits as `select` and `auto` share them, and what they show while it works. */
#ifndef GT_CLI_SOLVER_FLAGS_H
#define GT_CLI_SOLVER_FLAGS_H

#include "src/cli/common.h"

typedef struct gt_solver_flags {
    double time_limit_s;
    int64_t memory_bytes, work_limit;
} gt_solver_flags;

#define GT_SOLVER_FLAG_OPTIONS(f)                                                                                         \
    {"time-limit", 0, GT_CLI_REAL, "SECONDS", "stop the solver then; the plan states the gap that is left", &(f).time_limit_s, 0, 1e6}, \
    {"work-limit", 0, GT_CLI_INT, "N", "the same after N table entries, about 10^9 a second: the same\ninputs then give the same plan", &(f).work_limit, 1, 9e15}, \
    {"solver-memory", 0, GT_CLI_SIZE, "SIZE", "memory for the solver's tables (default 256M)", &(f).memory_bytes, 1 << 20, 1e15}

void gt_solver_flags_apply(gt_select_options *options, const gt_solver_flags *flags);

/* Between these two, Ctrl-C (and SIGTERM) ends the solver with the best schedule so far, a second one the command; from
 * one second on a line on the terminal shows how far it is, unless quiet. */
void gt_cli_watch_begin(gt_select_options *options, bool quiet);
void gt_cli_watch_end(void);

/* Says on stderr what speaks against a plan that was just selected: what stopped the solver before its proof, if anything did,
 * and how many of its times are of a throttled machine. */
void gt_cli_say_doubts(const gt_plan *plan);

#endif
