/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line of a tune on stderr: rewritten in place on a terminal, a line every ten seconds
 * elsewhere. */
#ifndef GT_TUNE_TUNE_PROGRESS_H
#define GT_TUNE_TUNE_PROGRESS_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gt_progress {
    bool on, terminal;
    const char *title; /* borrowed */
    int64_t total;     /* what there is to do, what was done before included */
    int64_t start_ns, last_ns;
    double budget_s; /* 0: none */
    bool said;
} gt_progress;

void gt_progress_begin(gt_progress *progress, bool on, const char *title, int64_t total, double budget_s);

/* `done` of `total`, `fresh` of them in this run; `what` and its best time in ns (0: not known yet). */
void gt_progress_update(gt_progress *progress, int64_t done, int64_t fresh, const char *what, double best_ns);

/* Something else in the line's place; where there is no terminal, only once until the next update. */
void gt_progress_say(gt_progress *progress, const char *format, ...) GT_PRINTF(2, 3);

/* Ends the line. */
void gt_progress_end(gt_progress *progress);

/* "1 m 20 s", "45 s", "2 h 5 m" into `buffer`. */
const char *gt_format_eta(char *buffer, int bytes, double seconds);

#endif
