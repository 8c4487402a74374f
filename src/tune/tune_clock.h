/* SPDX-License-Identifier: Apache-2.0 */
/* Notices when the processor's clock drops while candidates are measured (heat, supply), so that they are
 * not compared with ones measured at full speed. Where the system does not tell the clock, nothing is ever
 * noticed. */
#ifndef GT_TUNE_TUNE_CLOCK_H
#define GT_TUNE_TUNE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gt_clock_watch {
    int cpu;
    int64_t highest_khz;
    int64_t last_check_ns;
} gt_clock_watch;

void gt_clock_watch_begin(gt_clock_watch *watch, int cpu);

/* At most every half second looks at the clock; *checked says whether it did. False when the clock is more
 * than 10 % below the highest seen. */
bool gt_clock_watch_ok(gt_clock_watch *watch, bool *checked);

#endif
