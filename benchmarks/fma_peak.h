/* SPDX-License-Identifier: Apache-2.0 */
/* The multiply-add peak of a core. */
#ifndef GT_BENCHMARKS_FMA_PEAK_H
#define GT_BENCHMARKS_FMA_PEAK_H

#include "src/base/cpu.h"

/* Multiply-adds a second of float32 with the instructions of `isa`, which this CPU has: independent ones in registers, for
 * about 20 ms, the calling thread alone. 0 where nothing is known of the architecture. */
double gt_fma_peak(gt_isa isa);

#endif
