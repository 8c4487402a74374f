/* SPDX-License-Identifier: Apache-2.0 */
/* A child process that answers lines with lines. */
#ifndef GT_COSTMODEL_EMULATOR_H
#define GT_COSTMODEL_EMULATOR_H

#include "src/base/text.h"

#include <sys/types.h>

typedef struct gt_i_emulator {
    pid_t pid; /* 0: not running */
    int in, out;
    gt_text rest; /* what was read behind the last line */
} gt_i_emulator;

/* Starts argv[0] with its standard input and output here, in a session of its own, so that a terminal's Ctrl-C is not its.
 * Errors: GT_ERROR_IO. */
gt_status gt_i_emulator_start(gt_i_emulator *e, char *const *argv) GT_NODISCARD;

/* Sends `request`, a line with its end, and waits for the answer, without its end. *late: it did not come in time; *died:
 * the process ended instead. Errors: GT_ERROR_MEMORY. */
gt_status gt_i_emulator_ask(gt_i_emulator *e, gt_text *answer, const gt_text *request, double timeout_s, bool *late,
                            bool *died) GT_NODISCARD;

/* Ends the process. *wait_status (may be NULL): what it ended with, if it had ended by itself. */
void gt_i_emulator_stop(gt_i_emulator *e, int *wait_status);

#endif
