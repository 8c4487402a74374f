/* SPDX-License-Identifier: Apache-2.0 */
/* The emulated half of counting (costmodel/counter.h is the other): runs one candidate or transform after another, with
 * marks around each run, and leaves the outputs for the other half to check. */
#ifndef GT_COSTMODEL_COUNT_SERVE_H
#define GT_COSTMODEL_COUNT_SERVE_H

#include "src/base/status.h"

#include <stdio.h>

/* A request is a line of these fields with tabs between. */
typedef enum gt_i_count_field {
    GT_I_COUNT_TEMPLATE, /* "" for a transform */
    GT_I_COUNT_IN,
    GT_I_COUNT_OUT,
    GT_I_COUNT_CONFIG,
    GT_I_COUNT_SEED,
    GT_I_COUNT_FILE, /* which the output goes to, as it lies in memory */
    GT_I_COUNT_WORKLOAD, /* a workload key, or a transform's shape */
    GT_I_COUNT_FIELDS
} gt_i_count_field;

/* Answers requests until `requests` ends: each with a line of a record's status (gt_record_status_name), a tab and a note,
 * or of "error", a tab and why the request makes no sense. A candidate's run sees what it would in a network: caches
 * without its constants, and with the part of its inputs that fits. Errors: GT_ERROR_MEMORY, GT_ERROR_IO (replies cannot be
 * written). */
gt_status gt_count_serve(FILE *requests, FILE *replies) GT_NODISCARD;

#endif
