/* SPDX-License-Identifier: Apache-2.0 */
/* Which CPUs a command works on, and whether a plan was made for this machine. */
#ifndef GT_CLI_DEVICE_FLAGS_H
#define GT_CLI_DEVICE_FLAGS_H

#include "costmodel/device.h"
#include "src/plan/plan.h"
#include "src/records/json.h"

#define GT_CLI_CPUS_OPTION(target)                                                                                       \
    {"cpus", 0, GT_CLI_CPUS, "LIST|big|little",                                                                          \
     "pin to these CPUs, such as 4-7, or to the fastest or slowest cluster\n(default: where cores differ, the fastest "  \
     "ones)", &(target), 0, 0}

/* Turns --cpus into CPUs: a list as it stands; big or little by the clusters of this machine; NULL: where cores differ,
 * as many of the fastest as there are threads, otherwise none (*n = 0). Says on stderr what it chose unless quiet. The
 * array is gt_free'd by the caller. Errors: GT_ERROR_ARGUMENT. */
gt_status gt_cli_choose_cpus(int **cpus, int *n, const char *text, int threads, bool quiet) GT_NODISCARD;

/* The same, and pins this process there. */
gt_status gt_cli_pin(const char *text, int threads, bool quiet) GT_NODISCARD;

/* Warns on stderr, naming both devices, when a plan was tuned on another one than this. */
gt_status gt_cli_warn_device(const gt_plan *plan, const char *plan_path) GT_NODISCARD;

/* "device": {"plan": HASH, "this": HASH, "same": BOOL}. */
gt_status gt_cli_put_devices(gt_json_writer *w, const gt_plan *plan) GT_NODISCARD;

/* Sets plan->device_name from the records' fingerprint of the plan's device, if there is one. */
gt_status gt_cli_set_device_name(gt_plan *plan, const gt_records *records) GT_NODISCARD;

#endif
