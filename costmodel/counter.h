/* SPDX-License-Identifier: Apache-2.0 */
/* Counting candidates for an Arm core without having one: graphtune-board runs each under qemu with costmodel/armsim, which
 * counts instructions and replays the memory accesses through the core's caches (docs/design.md, section 5). */
#ifndef GT_COSTMODEL_COUNTER_H
#define GT_COSTMODEL_COUNTER_H

#include "costmodel/device.h"
#include "costmodel/measure.h"

typedef struct gt_counter_options {
    const char *core;   /* "a53", "a72", "a76" */
    double miss_weight; /* a cost is issue cycles and this part of the miss penalties: 0 to 1 */
    const char *armsim; /* the script */
    const char *agent;  /* graphtune-board for arm64 */
    uint64_t seed;
    double timeout_s;   /* of a candidate; emulated runs take some hundred times the time of real ones */
} gt_counter_options;

/* A running emulator, started when first needed and again when a candidate has brought it down. */
typedef struct gt_counter gt_counter;

/* Copies the options. Errors: GT_ERROR_ARGUMENT (no such core), GT_ERROR_NOT_FOUND naming the missing program. */
gt_status gt_counter_open(gt_counter **counter, const gt_counter_options *options) GT_NODISCARD;
/* NULL is allowed. */
void gt_counter_close(gt_counter *counter);

/* The fingerprint of the modelled core; its records are of this device. */
const gt_device *gt_counter_device(const gt_counter *counter);

/* Counts one run of a candidate and compares its output with the oracle's. Fills *record as gt_measure_candidate does, with
 * source `counted`: a cycle is a nanosecond, that is a clock of 1 GHz; the same build gives the same figure every time. A
 * candidate that crashes, hangs or is wrong is a record with that status. Errors: GT_ERROR_IO (the emulator cannot be
 * started or talks nonsense), GT_ERROR_MEMORY. */
gt_status gt_count_candidate(gt_record *record, gt_counter *counter, const gt_bench_case *bench, const gt_template *t,
                             gt_layout in, gt_layout out, const gt_config *config) GT_NODISCARD;

/* The same of a transform of a float32 tensor. */
gt_status gt_count_transform(gt_record *record, gt_counter *counter, const gt_shape *shape, gt_layout from,
                             gt_layout to) GT_NODISCARD;

#endif
