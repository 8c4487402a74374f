/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_BASE_CLOCK_H
#define GT_BASE_CLOCK_H

#include <stdint.h>

/* Monotonic time in ns since an arbitrary start. */
int64_t gt_now_ns(void);

#endif
