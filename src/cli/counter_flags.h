/* SPDX-License-Identifier: Apache-2.0 */
/* The flags that choose between measuring on this machine and counting for an Arm core. */
#ifndef GT_CLI_COUNTER_FLAGS_H
#define GT_CLI_COUNTER_FLAGS_H

#include "costmodel/counter.h"
#include "src/cli/cli.h"

typedef struct gt_counter_flags {
    const char *source, *core, *agent;
    double miss_weight; /* negative: not given */
} gt_counter_flags;

#define GT_COUNTER_FLAG_DEFAULTS {.miss_weight = -1}

#define GT_COUNTER_FLAG_OPTIONS(f)                                                                                            \
    {"source", 0, GT_CLI_STRING, "SOURCE", "measured: on this machine (default), or counted: instructions and cache\n"         \
                                           "misses of an emulated Arm core", &(f).source, 0, 0},                               \
    {"core", 0, GT_CLI_STRING, "CORE", "counted: a53, a72 (default) or a76", &(f).core, 0, 0},                                 \
    {"miss-weight", 0, GT_CLI_REAL, "W", "counted: how much of the cache miss penalties counts, 0 to 1 (default 1)", &(f).miss_weight, 0, 1}, \
    {"board-agent", 0, GT_CLI_STRING, "FILE", "counted: the graphtune-board for arm64 (default: what `make board` made)", &(f).agent, 0, 0}

/* Opens the counter that the flags ask for; *counter is NULL where they ask for none. Errors: GT_ERROR_ARGUMENT,
 * GT_ERROR_NOT_FOUND. */
gt_status gt_counter_flags_open(gt_counter **counter, const gt_counter_flags *flags, uint64_t seed) GT_NODISCARD;

/* The device that the counted records are of: *hash (borrowed from them), which is `wanted` where that is not NULL. Errors:
 * GT_ERROR_NOT_FOUND (nothing was counted), GT_ERROR_ARGUMENT (for several devices). */
gt_status gt_cli_counted_device(const char **hash, const gt_records *records, const char *wanted) GT_NODISCARD;

#endif
