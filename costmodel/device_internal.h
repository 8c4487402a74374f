/* SPDX-License-Identifier: Apache-2.0 */
/* What the device_*.c files share; nobody else includes it. */
#ifndef GT_COSTMODEL_DEVICE_INTERNAL_H
#define GT_COSTMODEL_DEVICE_INTERNAL_H

#include "costmodel/device.h"

#define GT_I_MAX_CPUS 1024

/* One logical CPU. Sizes are 0 where unknown. */
typedef struct gt_i_cpu {
    int number; /* the operating system's */
    char name[64];
    int64_t max_khz, l1d_bytes, l2_bytes, l3_bytes;
} gt_i_cpu;

/* GT_SYSROOT or "". */
const char *gt_i_sysroot(void);

/* The first line of a file below the sysroot (path printf-formatted), cleaned to printable text without
 * blanks at its ends; false and "" when it cannot be read. */
bool gt_i_read_line(char *out, size_t bytes, const char *format, ...) GT_PRINTF(3, 4);
/* The number in such a file, or `otherwise`. */
int64_t gt_i_read_number(int64_t otherwise, const char *format, ...) GT_PRINTF(2, 3);

/* CPU numbers and caches from hwloc; where hwloc gives nothing, one CPU per processor of the operating
 * system. At most `capacity` CPUs; *n is at least 1. */
void gt_i_read_topology(gt_i_cpu *cpus, int capacity, int *n);

/* Names from /proc/cpuinfo, maximal clocks from cpufreq. */
void gt_i_read_names(gt_i_cpu *cpus, int n);

#endif
