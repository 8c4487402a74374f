/* SPDX-License-Identifier: Apache-2.0 */
/* What a records file already holds of a plan, and the best times so far. */
#include "src/tune/tune_internal.h"

double *gt_i_tune_best(gt_i_tune *t, const gt_plan_item *item)
{
    return &t->best[(item->task * GT_LAYOUT_COUNT + (int)item->in) * GT_LAYOUT_COUNT + (int)item->out];
}

void gt_i_tune_note_best(gt_i_tune *t, const gt_plan_item *item, const gt_record *record)
{
    if (item->task >= 0 && record->status == GT_RECORD_OK && !record->throttled) {
        double *best = gt_i_tune_best(t, item);
        if (*best == 0 || record->timing.median_ns < *best) {
            *best = record->timing.median_ns;
        }
    }
}

/* The record of an item made by this build on this device, or NULL. */
static gt_status find_known(const gt_record **found, const gt_i_tune *t, const gt_plan_item *item)
{
    gt_status status = GT_OK;
    gt_text config = {0};
    gt_space space;
    const gt_record *r = NULL;
    if (item->task < 0) {
        char shape[GT_SHAPE_TEXT_BYTES];
        r = gt_records_find(t->known, GT_RECORD_TRANSFORM, t->device.hash, t->options->measure.threads,
                            gt_shape_format(shape, sizeof shape, &t->tasks->shapes[item->shape]), item->in,
                            item->out, "", "");
    } else {
        const gt_workload *w = t->tasks->tasks[item->task].workload;
        gt_template_space(item->tmpl, w, item->in, item->out, &space);
        GT_TRY(gt_config_format(&config, &space, &item->config));
        r = gt_records_find(t->known, GT_RECORD_OP, t->device.hash, t->options->measure.threads, w->key,
                            item->in, item->out, item->tmpl->name, config.data);
    }
    *found = r != NULL && gt_record_is_current(r) ? r : NULL;
done:
    gt_text_destroy(&config);
    return status;
}

gt_status gt_i_tune_skip_known(gt_i_tune *t, bool *done)
{
    gt_status status = GT_OK;
    for (int64_t i = 0; i < t->plan->n_items; i++) {
        const gt_record *known = NULL;
        GT_TRY(find_known(&known, t, &t->plan->items[i]));
        if (known != NULL && !known->throttled) {
            done[i] = true;
            t->report.skipped++;
            gt_i_tune_note_best(t, &t->plan->items[i], known);
        }
    }
done:
    return status;
}
