/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tune/tune_plan.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Configs per template and layout pair that come before all others, the default included. */
#define EARLY_TRIALS 3
#define MAX_TRIALS 100000

struct planner {
    const gt_tasks *tasks;
    const gt_tune_options *options;
    unsigned layouts;
    bool *chosen; /* per registered template: matched by options->templates */
    gt_config *configs;
    gt_tune_plan *plan;
};

/* ---- which templates ---- */

static bool matches(const char *globs, const char *name)
{
    while (*globs != '\0') {
        char glob[128];
        size_t length = strcspn(globs, ",");
        snprintf(glob, sizeof glob, "%.*s", (int)length, globs);
        if (length > 0 && length < sizeof glob && fnmatch(glob, name, 0) == 0) {
            return true;
        }
        globs += length + (globs[length] == ',');
    }
    return false;
}

static gt_status choose_templates(struct planner *p)
{
    gt_status status = GT_OK;
    gt_text names = {0};
    size_t n = gt_template_count(), any = 0;
    const char *globs = p->options->templates;
    GT_TRY(gt_calloc(&p->chosen, n, sizeof *p->chosen));
    for (size_t i = 0; i < n; i++) {
        const char *name = gt_template_at(i)->name;
        p->chosen[i] = globs == NULL || matches(globs, name);
        any += p->chosen[i];
        GT_TRY(gt_text_append(&names, "%s%s", i > 0 ? ", " : "", name));
    }
    GT_REQUIRE(any > 0, GT_ERROR_ARGUMENT, "no template matches \"%s\"; there are %s",
               globs != NULL ? globs : "", names.data != NULL ? names.data : "none");
done:
    gt_text_destroy(&names);
    return status;
}

/* ---- shares ---- */

/* Multiply-adds, and what moving the data costs beside them: a pool does none but takes its time. */
static gt_status set_shares(gt_tune_plan *plan, const gt_tasks *tasks)
{
    gt_status status = GT_OK;
    double sum = 0;
    GT_TRY(gt_calloc(&plan->share, (size_t)tasks->n_tasks, sizeof *plan->share));
    for (int i = 0; i < tasks->n_tasks; i++) {
        const gt_task *task = &tasks->tasks[i];
        double work = (double)gt_workload_macs(task->workload) +
                      4 * (double)gt_workload_elems_moved(task->workload);
        plan->share[i] = (work + 1) * task->uses;
        sum += plan->share[i];
    }
    for (int i = 0; i < tasks->n_tasks; i++) {
        plan->share[i] /= sum;
    }
done:
    return status;
}

/* ---- items ---- */

static gt_status add_configs(struct planner *p, int task, const gt_template *t, gt_layout in, gt_layout out)
{
    gt_status status = GT_OK;
    int count = 0;
    const gt_workload *w = p->tasks->tasks[task].workload;
    int trials = p->options->strategy == GT_STRATEGY_MODEL ? 1 : p->options->trials;
    GT_TRY(gt_tune_sample(p->configs, &count, p->options->strategy, t, w, in, out, trials, p->options->seed));
    for (int i = 0; i < count; i++) {
        gt_stage first = in == GT_NCHW && out == GT_NCHW ? GT_STAGE_FIRST : GT_STAGE_DEFAULTS;
        gt_stage stage = i == 0 ? first : i < EARLY_TRIALS ? GT_STAGE_TRIALS : GT_STAGE_MORE;
        gt_plan_item item = {stage, task, -1, t, in, out, p->configs[i]};
        GT_PUSH(p->plan->items, p->plan->n_items, p->plan->capacity, item);
    }
done:
    return status;
}

static bool layout_allowed(const struct planner *p, gt_layout layout)
{
    return (p->layouts & (1u << layout)) != 0;
}

/* Whether a candidate can be measured by itself: a concat in place, and an op whose reader does its work, depend on their
 * neighbours and take nothing. */
static bool can_measure(const struct planner *p, const gt_template *t, const gt_workload *w, gt_layout in, gt_layout out)
{
    return !t->in_place && !t->inside && layout_allowed(p, in) && layout_allowed(p, out) && gt_template_supports(t, w, in, out);
}

static gt_status add_task(struct planner *p, int task)
{
    gt_status status = GT_OK;
    const gt_workload *w = p->tasks->tasks[task].workload;
    bool any = false;
    for (size_t i = 0; i < gt_template_count(); i++) {
        const gt_template *t = gt_template_at(i);
        for (gt_layout in = 0; in < GT_LAYOUT_COUNT; in++) {
            for (gt_layout out = 0; out < GT_LAYOUT_COUNT; out++) {
                if (!can_measure(p, t, w, in, out)) {
                    continue;
                }
                any = true;
                if (p->chosen[i]) {
                    GT_TRY(add_configs(p, task, t, in, out));
                }
            }
        }
    }
    GT_REQUIRE(any, GT_ERROR_UNSUPPORTED, "op \"%s\": no template handles %s", p->tasks->tasks[task].example,
               w->key);
done:
    return status;
}

static gt_status add_shape(struct planner *p, int shape)
{
    gt_status status = GT_OK;
    for (gt_layout from = 0; from < GT_LAYOUT_COUNT; from++) {
        for (gt_layout to = 0; to < GT_LAYOUT_COUNT; to++) {
            if (from != to && layout_allowed(p, from) && layout_allowed(p, to)) {
                gt_plan_item item = {GT_STAGE_TRANSFORMS, -1, shape, NULL, from, to, {0}};
                GT_PUSH(p->plan->items, p->plan->n_items, p->plan->capacity, item);
            }
        }
    }
done:
    return status;
}

/* ---- order ---- */

struct keyed {
    gt_plan_item item;
    double share;
    int64_t number;
};

static int by_stage_and_share(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;
    if (a->item.stage != b->item.stage) {
        return a->item.stage < b->item.stage ? -1 : 1;
    }
    if (a->share != b->share) {
        return a->share > b->share ? -1 : 1;
    }
    return (a->number > b->number) - (a->number < b->number);
}

/* Tasks of equal share stay together because their items were made one task after another. */
static gt_status sort_items(gt_tune_plan *plan)
{
    gt_status status = GT_OK;
    struct keyed *keyed = NULL;
    GT_TRY(gt_calloc(&keyed, (size_t)plan->n_items, sizeof *keyed));
    for (int64_t i = 0; i < plan->n_items; i++) {
        const gt_plan_item *item = &plan->items[i];
        keyed[i] = (struct keyed){*item, item->task >= 0 ? plan->share[item->task] : 0, i};
    }
    qsort(keyed, (size_t)plan->n_items, sizeof *keyed, by_stage_and_share);
    for (int64_t i = 0; i < plan->n_items; i++) {
        plan->items[i] = keyed[i].item;
    }
done:
    gt_free(keyed);
    return status;
}

gt_status gt_tune_plan_create(gt_tune_plan **out, const gt_tasks *tasks, const gt_tune_options *options)
{
    gt_status status = GT_OK;
    struct planner p = {.tasks = tasks, .options = options, .layouts = options->layouts | 1u << GT_NCHW};
    GT_REQUIRE(options->trials >= 1 && options->trials <= MAX_TRIALS, GT_ERROR_ARGUMENT,
               "trials = %d: must be 1 to %d", options->trials, MAX_TRIALS);
    GT_TRY(choose_templates(&p));
    GT_TRY(gt_calloc(&p.configs, (size_t)options->trials, sizeof *p.configs));
    GT_TRY(gt_calloc(&p.plan, 1, sizeof *p.plan));
    GT_TRY(set_shares(p.plan, tasks));
    for (int i = 0; i < tasks->n_tasks; i++) {
        GT_TRY(add_task(&p, i));
    }
    for (int i = 0; i < tasks->n_shapes; i++) {
        GT_TRY(add_shape(&p, i));
    }
    GT_TRY(sort_items(p.plan));
    *out = p.plan;
    p.plan = NULL;
done:
    gt_tune_plan_destroy(p.plan);
    gt_free(p.configs);
    gt_free(p.chosen);
    return status;
}

void gt_tune_plan_destroy(gt_tune_plan *plan)
{
    if (plan != NULL) {
        gt_free(plan->items);
        gt_free(plan->share);
        gt_free(plan);
    }
}
