/* SPDX-License-Identifier: Apache-2.0 */
#include "benchmarks/search_replay.h"

#include <math.h>

#define MOST_TEMPLATES 16

struct gt_search_replay {
    const gt_search_space *space;
    const gt_records *records;
    const gt_device *device;
    gt_task task;
    gt_tasks tasks; /* the one task */
    gt_tune_plan plan; /* the defaults */
    gt_plan_item items[MOST_TEMPLATES];
    double best_ns;
    int64_t points;
};

/* ---- what was measured ---- */

static gt_status find(const gt_record **record, const gt_search_replay *r, const gt_template *t, const gt_config *config)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    gt_space space;
    gt_template_space(t, r->task.workload, r->space->in, r->space->out, &space);
    GT_TRY(gt_config_format(&text, &space, config));
    *record = gt_records_find(r->records, GT_RECORD_OP, r->device->hash, 1, r->task.workload->key, r->space->in, r->space->out,
                              t->name, text.data);
    GT_REQUIRE(*record != NULL, GT_ERROR_MISMATCH, "%s: no record of %s {%s}", r->task.workload->key, t->name, text.data);
done:
    gt_text_destroy(&text);
    return status;
}

static gt_status add_template(gt_search_replay *r, const gt_template *t)
{
    gt_status status = GT_OK;
    const gt_search_space *s = r->space;
    gt_space space;
    gt_template_space(t, r->task.workload, s->in, s->out, &space);
    for (int64_t i = 0; i < gt_space_size(&space); i++) {
        const gt_record *record = NULL;
        gt_config config;
        gt_space_point(&space, i, &config);
        if (!gt_template_valid(t, r->task.workload, s->in, s->out, &config)) {
            continue;
        }
        GT_TRY(find(&record, r, t, &config));
        r->points++;
        if (record->status == GT_RECORD_OK) {
            r->best_ns = fmin(r->best_ns, record->timing.median_ns);
        }
        if (i == 0) {
            r->items[r->plan.n_items++] = (gt_plan_item){GT_STAGE_DEFAULTS, 0, -1, t, s->in, s->out, config};
        }
    }
done:
    return status;
}

gt_status gt_search_replay_create(gt_search_replay **replay, const gt_search_space *space, const gt_records *records,
                                  const gt_device *device)
{
    gt_status status = GT_OK;
    gt_search_replay *r = NULL;
    GT_TRY(gt_calloc(&r, 1, sizeof *r));
    *r = (gt_search_replay){.space = space, .records = records, .device = device, .best_ns = INFINITY};
    GT_TRY(gt_workload_parse(&r->task.workload, space->workload));
    r->task.uses = 1;
    r->tasks = (gt_tasks){.n_tasks = 1, .tasks = &r->task};
    r->plan.items = r->items;
    for (size_t i = 0; i < gt_template_count(); i++) {
        const gt_template *t = gt_template_at(i);
        if (gt_template_supports(t, r->task.workload, space->in, space->out)) {
            GT_REQUIRE(r->plan.n_items < MOST_TEMPLATES, GT_ERROR_LIMIT, "%s: more than %d templates", space->workload,
                       MOST_TEMPLATES);
            GT_TRY(add_template(r, t));
        }
    }
    *replay = r;
    r = NULL;
done:
    gt_search_replay_destroy(r);
    return status;
}

void gt_search_replay_destroy(gt_search_replay *r)
{
    if (r != NULL) {
        gt_workload_destroy(r->task.workload);
        gt_free(r);
    }
}

const gt_search_space *gt_search_space_of(const gt_search_replay *replay)
{
    return replay->space;
}

const char *gt_search_key(const gt_search_replay *replay)
{
    return replay->task.workload->key;
}

double gt_search_best_ns(const gt_search_replay *replay)
{
    return replay->best_ns;
}

int64_t gt_search_points(const gt_search_replay *replay)
{
    return replay->points;
}

/* ---- playing ---- */

static gt_status take(gt_search_run *run, const gt_record **record, const gt_search_replay *r, const gt_template *t,
                      const gt_config *config)
{
    gt_status status = GT_OK;
    GT_TRY(find(record, r, t, config));
    GT_REQUIRE(run->n < GT_SEARCH_MOST, GT_ERROR_LIMIT, "more than %d measurements", GT_SEARCH_MOST);
    run->ns[run->n++] = (*record)->status == GT_RECORD_OK ? (*record)->timing.median_ns : INFINITY;
    if (run->keep != NULL) {
        GT_TRY(gt_records_add(run->keep, *record));
    }
done:
    return status;
}

gt_status gt_search_draw(gt_search_run *run, const gt_search_replay *r, gt_strategy_kind kind, int most, uint64_t seed)
{
    gt_status status = GT_OK;
    int templates = (int)r->plan.n_items, trials = (most + templates - 1) / templates, count[MOST_TEMPLATES];
    gt_config *configs = NULL;
    /* A template with fewer points leaves its part to the others, as large as they need. */
    trials = trials * templates;
    GT_TRY(gt_calloc(&configs, (size_t)(templates * trials), sizeof *configs));
    for (int t = 0; t < templates; t++) {
        GT_TRY(gt_tune_sample(configs + t * trials, &count[t], kind, r->items[t].tmpl, r->task.workload, r->space->in,
                              r->space->out, trials, seed));
    }
    for (int i = 0; i < trials && run->n < most; i++) {
        for (int t = 0; t < templates && run->n < most; t++) {
            const gt_record *record = NULL;
            if (i < count[t]) {
                GT_TRY(take(run, &record, r, r->items[t].tmpl, &configs[t * trials + i]));
            }
        }
    }
done:
    gt_free(configs);
    return status;
}

gt_status gt_search_model(gt_search_run *run, const gt_search_replay *r, int most, const gt_records *others)
{
    gt_status status = GT_OK;
    gt_strategy *strategy = NULL;
    gt_tune_options options = gt_tune_defaults();
    gt_machine machine = gt_machine_of(r->device, options.measure.isa, 1);
    bool found = true;
    options.trials = most;
    GT_TRY(gt_strategy_create(&strategy, &r->tasks, &r->plan, &options, &machine));
    if (others != NULL) {
        GT_TRY(gt_strategy_learn(strategy, others));
    }
    for (int64_t i = 0; run->n < most && found; i++) {
        gt_plan_item item = {0};
        const gt_record *record = NULL;
        if (i < r->plan.n_items) {
            item = r->items[i];
        } else {
            GT_TRY(gt_strategy_next(strategy, &item, &found));
        }
        if (found) {
            GT_TRY(take(run, &record, r, item.tmpl, &item.config));
            GT_TRY(gt_strategy_note(strategy, &item, record));
        }
    }
done:
    gt_strategy_destroy(strategy);
    return status;
}
