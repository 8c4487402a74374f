/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of TVM's AutoTVM, versions 0.1 and 0.2: JSON lines, one measured config of one task each. Their convolutions
 * become records of source "foreign" (src/records/records.h), from which `select` can choose for the log's device:
 *
 *   device     a hash of what the target says of the device, "model=rk3399" as a rule (gt_autotvm_device_hash)
 *   workload   the convolution alone: AutoTVM measures neither bias nor activation
 *   in, out    NCHW or NHWC after the task; NCHW[x]c by tile_ic and tile_oc of the x86 templates. A block that holds
 *              all channels is NHWC in memory
 *   template   "autotvm." and the task's name, and in version 0.1 the template key behind it
 *   config     the log's own config, byte for byte
 *   note       the whole line, so that gt_autotvm_emit can give it back
 *
 * A measurement that failed keeps its reason as the record's status. */
#ifndef GT_IMPORT_AUTOTVM_H
#define GT_IMPORT_AUTOTVM_H

#include "src/records/records.h"

typedef struct gt_autotvm_options {
    const char *device;  /* "model=rk3399", or "rk3399" alone; NULL: the only one in the logs */
    int threads;         /* that the device measured with: the log does not say it; >= 1 */
    bool skip_malformed; /* lines that are not AutoTVM's are counted instead of being an error */
} gt_autotvm_options;

/* How many lines one reason or device accounts for. */
typedef struct gt_autotvm_count {
    char *name;
    int64_t lines;
} gt_autotvm_count;

typedef struct gt_autotvm_report {
    int64_t imported, failed; /* records written; those of them whose measurement had failed */
    int64_t other_devices, malformed, torn;
    char device[17];       /* hash of the device that was imported */
    char *device_name;     /* "model=rk3399" */
    char *first_malformed; /* the message, or NULL */
    int n_skipped, n_devices;
    size_t skipped_capacity, devices_capacity;
    gt_autotvm_count *skipped; /* the chosen device's lines that have no counterpart here, by reason */
    gt_autotvm_count *devices; /* all that the logs have, in their order */
} gt_autotvm_report;

void gt_autotvm_report_clear(gt_autotvm_report *report);

/* Reads logs and writes the records of one device, atomically; memory does not grow with the logs. Lines that begin
 * with '#' and blank ones are passed over; an unfinished last line is dropped and counted. *report is filled on failure
 * too; the caller clears it. Errors: GT_ERROR_FORMAT naming file, line and field; GT_ERROR_ARGUMENT listing the devices
 * where the logs have several and options->device chooses none; GT_ERROR_NOT_FOUND where it is not among them;
 * GT_ERROR_UNSUPPORTED where nothing of it has a counterpart here; GT_ERROR_IO. O(bytes). */
gt_status gt_autotvm_import(gt_autotvm_report *report, const char *records_path, int n_logs, const char *const *logs,
                            const gt_autotvm_options *options) GT_NODISCARD;

/* The device of a target such as "llvm -device=arm_cpu -model=rk3399 …": its model, else its mcpu, else its device,
 * else its kind. */
gt_status gt_autotvm_device_name(char **name, const char *target) GT_NODISCARD;

/* Whether a user who writes `wanted` means this device: by its full name, or by what stands behind '='. */
bool gt_autotvm_is_device(const char *device_name, const char *wanted);

/* The `device` of its records. */
void gt_autotvm_device_hash(char hash[17], const char *device_name);

#endif
