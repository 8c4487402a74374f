/* SPDX-License-Identifier: Apache-2.0 */
/* One item of a plan: measured, and again where the processor was throttled. */
#include "src/tune/tune_internal.h"

#include <stdio.h>

#define MOST_REPEATS 2 /* of a candidate that was measured throttled */
#define SETTLE_AFTER 3 /* candidates in a row that stayed slow without any other sign of throttling */

static gt_status measure_item(gt_record *record, gt_i_tune *t, const gt_plan_item *item)
{
    const gt_measure_options *o = &t->measure;
    gt_counter *counter = t->options->counter;
    const gt_bench_case *bench = NULL;
    if (item->task < 0) {
        const gt_shape *shape = &t->tasks->shapes[item->shape];
        return counter != NULL ? gt_count_transform(record, counter, shape, item->in, item->out)
                               : gt_measure_transform(record, shape, item->in, item->out, &t->device, o);
    }
    gt_status status = gt_case_cache_get(t->cases, &bench, item->task);
    if (status != GT_OK) {
        return gt_fail_in(status, "op \"%s\"", t->tasks->tasks[item->task].example);
    }
    return counter != NULL ? gt_count_candidate(record, counter, bench, item->tmpl, item->in, item->out, &item->config)
                           : gt_measure_candidate(record, bench, item->tmpl, item->in, item->out, &item->config,
                                *gt_i_tune_best(t, item), &t->device, o);
}

static void show_progress(gt_i_tune *t, const gt_plan_item *item)
{
    const char *what = item->task < 0 ? "transform"
                                      : gt_op_kind_name(t->tasks->tasks[item->task].workload->kind);
    double best = item->task < 0 ? 0 : *gt_i_tune_best(t, item);
    gt_progress_update(&t->progress, t->report.skipped + t->report.measured, t->report.measured, what, best);
}

/* A clock that stays low though nothing limits it is this machine's way: it becomes what is expected. */
static void note_slowness(gt_i_tune *t, bool slow)
{
    t->slow_in_a_row = slow ? t->slow_in_a_row + 1 : 0;
    if (t->slow_in_a_row == SETTLE_AFTER && t->watch.is_expected) {
        gt_watch_settle(&t->watch);
        if (!t->options->quiet) {
            gt_progress_end(&t->progress);
            fprintf(stderr,
                    "graphtune: note: the clock stays more than 10 %% below its limit under load (governor %s); for steady "
                    "measurements, set the performance governor\n",
                    t->device.governor[0] != '\0' ? t->device.governor : "unknown");
        }
    }
}

/* Measures once and keeps the record, whatever the machine's state was; *record (cleared before) is it. */
static gt_status measure_once(gt_record *record, gt_i_tune *t, const gt_plan_item *item, gt_throttle *why)
{
    gt_status status = GT_OK;
    gt_record_clear(record);
    GT_TRY(measure_item(record, t, item));
    GT_TRY(gt_records_append(t->writer, record));
    gt_i_tune_note_best(t, item, record);
    GT_TRY(gt_i_tune_note_trouble(t, record));
    *why = t->watch.last;
done:
    return status;
}

/* The last record of a candidate counts: one that was measured throttled is followed by a better one if that can be had. */
gt_status gt_i_tune_work_on(gt_i_tune *t, const gt_plan_item *item)
{
    gt_status status = GT_OK;
    gt_record record = {0};
    gt_throttle why = GT_THROTTLE_NONE;
    if (gt_cooling_is_needed(&t->cooling)) {
        (void)gt_cooling_wait(&t->cooling);
    }
    GT_TRY(measure_once(&record, t, item, &why));
    t->report.measured++;
    for (int i = 0; why != GT_THROTTLE_NONE && i < MOST_REPEATS && !gt_i_tune_must_stop(t); i++) {
        if (why != GT_THROTTLE_SLOW && !gt_cooling_wait(&t->cooling)) {
            break;
        }
        GT_TRY(measure_once(&record, t, item, &why));
        t->report.repeated++;
    }
    t->report.throttled += why != GT_THROTTLE_NONE;
    note_slowness(t, why == GT_THROTTLE_SLOW);
    if (why == GT_THROTTLE_NONE) {
        gt_cooling_note_good(&t->cooling);
    }
    GT_TRY(t->strategy != NULL ? gt_strategy_note(t->strategy, item, &record) : GT_OK);
    show_progress(t, item);
done:
    gt_record_clear(&record);
    return status;
}
