/* SPDX-License-Identifier: Apache-2.0 */
/* What earlier runs have measured. */
#include "src/tune/strategy_internal.h"

#include <stdio.h>
#include <string.h>

/* Whether a record is the same kind of figure as this run makes. */
static bool is_usable(const gt_record *r)
{
    bool own = r->source == GT_SOURCE_MEASURED || r->source == GT_SOURCE_COUNTED;
    return own && !r->throttled && gt_record_is_current(r) && !gt_record_is_foreign_template(r->template_name);
}

static int shape_of(const gt_strategy *s, const char *text)
{
    for (int i = 0; i < s->tasks->n_shapes; i++) {
        char buffer[GT_SHAPE_TEXT_BYTES];
        if (strcmp(gt_shape_format(buffer, sizeof buffer, &s->tasks->shapes[i]), text) == 0) {
            return i;
        }
    }
    return -1;
}

/* The arm of a record, made where there is none yet; then it is one to learn from. NULL where this build cannot make sense of
 * the record. */
static gt_status arm_of(gt_i_arm **arm, gt_strategy *s, const char *device, const gt_record *r)
{
    gt_status status = GT_OK;
    gt_workload *w = NULL;
    const gt_template *t = gt_template_find(r->template_name);
    *arm = t != NULL ? gt_i_arm_find(s, device, t, r->workload, r->in, r->out) : NULL;
    if (t != NULL && *arm == NULL && gt_workload_parse(&w, r->workload) == GT_OK && gt_template_supports(t, w, r->in, r->out)) {
        gt_i_arm like = {.task = -1, .pair = -1, .tmpl = t, .workload = w, .in = r->in, .out = r->out};
        snprintf(like.device, sizeof like.device, "%s", device);
        GT_PUSH(s->foreign, s->n_foreign, s->foreign_capacity, w);
        w = NULL;
        GT_TRY(gt_i_arm_add(s, &like));
        *arm = &s->arms[s->n_arms - 1];
    }
done:
    gt_workload_destroy(w);
    return status;
}

/* The config of a record, if it is one of the arm's space. */
static bool read_config(gt_config *config, const gt_i_arm *arm, const gt_record *r)
{
    gt_space space;
    gt_template_space(arm->tmpl, arm->workload, arm->in, arm->out, &space);
    return gt_config_parse(config, &space, r->config) == GT_OK && gt_i_arm_point(arm, config) >= 0;
}

static gt_status recall_op(gt_strategy *s, const gt_record *r, int64_t *known)
{
    gt_status status = GT_OK;
    gt_config config;
    gt_i_arm *arm = NULL;
    GT_TRY(arm_of(&arm, s, "", r));
    if (arm == NULL || !read_config(&config, arm, r)) {
        return GT_OK;
    }
    if (arm->pair >= 0) {
        gt_plan_item item = {GT_STAGE_TRIALS, arm->task, -1, arm->tmpl, r->in, r->out, config};
        *known += gt_i_arm_point(arm, &config) != 0;
        return gt_strategy_note(s, &item, r);
    }
    return gt_i_arm_note(s, arm, &config, r->status == GT_RECORD_OK ? r->timing.median_ns : 0, ++s->notes);
done:
    return status;
}

static gt_status recall_transform(gt_strategy *s, const gt_record *r)
{
    gt_plan_item item = {GT_STAGE_TRANSFORMS, -1, shape_of(s, r->workload), NULL, r->in, r->out, {0}};
    return item.shape >= 0 ? gt_strategy_note(s, &item, r) : GT_OK;
}

gt_status gt_strategy_recall(gt_strategy *s, const gt_records *records, const char *device, int threads, int64_t *known)
{
    gt_status status = GT_OK;
    *known = 0;
    for (int64_t i = 0; i < gt_records_count(records); i++) {
        const gt_record *r = gt_records_at(records, i);
        if (is_usable(r) && r->threads == threads && strcmp(r->device, device) == 0) {
            GT_TRY(r->kind == GT_RECORD_OP ? recall_op(s, r, known) : recall_transform(s, r));
        }
    }
done:
    return status;
}

/* Arms of their own, though the workload be a task's: another machine's times are not this one's. */
gt_status gt_strategy_learn(gt_strategy *s, const gt_records *records)
{
    gt_status status = GT_OK;
    for (int64_t i = 0; i < gt_records_count(records); i++) {
        const gt_record *r = gt_records_at(records, i);
        gt_i_arm *arm = NULL;
        gt_config config;
        if (r->kind == GT_RECORD_OP && is_usable(r) && r->status == GT_RECORD_OK &&
            r->threads == s->options->measure.threads) {
            GT_TRY(arm_of(&arm, s, r->device, r));
            if (arm != NULL && read_config(&config, arm, r)) {
                GT_TRY(gt_i_arm_note(s, arm, &config, r->timing.median_ns, 0));
            }
        }
    }
done:
    return status;
}
