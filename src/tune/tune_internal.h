/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a tune share; nobody else includes it. */
#ifndef GT_TUNE_TUNE_INTERNAL_H
#define GT_TUNE_TUNE_INTERNAL_H

#include "src/tune/strategy.h"
#include "src/tune/tune_cases.h"
#include "src/tune/tune_cool.h"
#include "src/tune/tune_plan.h"
#include "src/tune/tune_progress.h"

typedef struct gt_i_tune {
    const gt_tasks *tasks;
    const gt_tune_options *options;
    gt_measure_options measure; /* the options' with the watch */
    gt_device device;
    gt_records *known; /* what the file held at the beginning */
    gt_records_writer *writer;
    gt_tune_plan *plan;
    gt_strategy *strategy; /* NULL but for GT_STRATEGY_MODEL */
    gt_records *others;    /* of options->learn_from, or NULL */
    gt_case_cache *cases;
    double *best; /* per task, in and out layout: the best median so far, 0 for none */
    gt_tune_report report;
    gt_progress progress;
    gt_text troubles;
    int64_t deadline_ns; /* INT64_MAX without a budget */
    gt_watch watch;
    gt_cooling cooling;
    int slow_in_a_row;
} gt_i_tune;

/* ---- beginning and end (tune_setup.c) ---- */

/* Everything from the options' check to the progress line; what was made is in *t even where it fails. */
gt_status gt_i_tune_prepare(gt_i_tune *t, const char *path) GT_NODISCARD;

/* Closes the file and frees everything. Returns `status`, or what closing came to where that is GT_OK. */
gt_status gt_i_tune_tear_down(gt_i_tune *t, gt_status status) GT_NODISCARD;

/* ---- what is known (tune_known.c) ---- */

/* The best median so far of an op's item's task and layouts; 0 for none. */
double *gt_i_tune_best(gt_i_tune *t, const gt_plan_item *item);

/* Lowers that where the record is a better one that can be relied on. */
void gt_i_tune_note_best(gt_i_tune *t, const gt_plan_item *item, const gt_record *record);

/* Counts what need not be measured and learns the best times from it. done[i] is set for those items. */
gt_status gt_i_tune_skip_known(gt_i_tune *t, bool *done) GT_NODISCARD;

/* ---- work ---- */

/* Interrupted, or out of time; the report says so (tune.c). */
bool gt_i_tune_must_stop(gt_i_tune *t);

/* Measures an item and keeps its record, again where it was throttled (tune_item.c). */
gt_status gt_i_tune_work_on(gt_i_tune *t, const gt_plan_item *item) GT_NODISCARD;

/* Spends the rest of the budget on the items from `begin` on that are not done, so that every task's time is in proportion
 * to its share (tune_share.c). */
gt_status gt_i_tune_work_by_share(gt_i_tune *t, const bool *done, int64_t begin) GT_NODISCARD;

/* ---- what the user hears (tune_tell.c) ---- */

/* Counts a candidate that cannot be used, and keeps its line for the end. */
gt_status gt_i_tune_note_trouble(gt_i_tune *t, const gt_record *record) GT_NODISCARD;

/* On stderr: how it ended, where that was not well. */
void gt_i_tune_tell_end(const gt_i_tune *t, const char *path);

#endif
