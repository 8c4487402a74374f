/* SPDX-License-Identifier: Apache-2.0 */
/* The arms together: whose turn it is. */
#include "src/tune/strategy_internal.h"

#include <math.h>
#include <string.h>

#define MUCH_SLOWER 2      /* an arm's best time over the target: then no config of it will do */
#define FAILURES 3         /* that an arm may have more than measurements that are ok */
#define SAME_TASK 0.5      /* the last note's task goes on while it has this part of the largest gain: its inputs are made */

static const char *const kind_names[GT_STRATEGY_COUNT] = {"grid", "random", "model"};

const char *gt_strategy_name(gt_strategy_kind kind)
{
    return kind_names[kind];
}

gt_strategy_kind gt_strategy_find(const char *name)
{
    int kind = 0;
    while (kind < GT_STRATEGY_COUNT && strcmp(kind_names[kind], name) != 0) {
        kind++;
    }
    return (gt_strategy_kind)kind;
}

/* ---- beginning and end ---- */

static int find_pair(const gt_strategy *s, int task, gt_layout in, gt_layout out)
{
    for (int64_t i = s->n_pairs - 1; i >= 0 && s->pairs[i].task == task; i--) {
        if (s->pairs[i].in == in && s->pairs[i].out == out) {
            return (int)i;
        }
    }
    return -1;
}

static gt_status add_arm(gt_strategy *s, const gt_plan_item *item)
{
    gt_status status = GT_OK;
    const gt_workload *w = s->tasks->tasks[item->task].workload;
    gt_space space;
    int pair = find_pair(s, item->task, item->in, item->out);
    if (pair < 0) {
        gt_i_pair fresh = {.task = item->task, .in = item->in, .out = item->out, .best_ns = INFINITY, .target_ns = INFINITY,
                           .open = true};
        pair = (int)s->n_pairs;
        GT_PUSH(s->pairs, s->n_pairs, s->pairs_capacity, fresh);
    }
    gt_template_space(item->tmpl, w, item->in, item->out, &space);
    int64_t size = gt_space_size(&space);
    s->pairs[pair].limit += size < s->options->trials ? size : s->options->trials;
    GT_TRY(gt_i_arm_add(s, &(gt_i_arm){.task = item->task, .pair = pair, .tmpl = item->tmpl, .workload = w, .in = item->in,
                                       .out = item->out}));
done:
    return status;
}

static gt_status add_arms(gt_strategy *s, const gt_tune_plan *plan)
{
    gt_status status = GT_OK;
    for (int task = 0; task < s->tasks->n_tasks; task++) {
        for (int64_t i = 0; i < plan->n_items; i++) {
            if (plan->items[i].task == task) {
                GT_TRY(add_arm(s, &plan->items[i]));
            }
        }
    }
done:
    return status;
}

static gt_status make_transforms(gt_strategy *s)
{
    gt_status status = GT_OK;
    size_t n = (size_t)s->tasks->n_shapes * GT_LAYOUT_COUNT * GT_LAYOUT_COUNT;
    GT_TRY(gt_calloc(&s->transform_ns, n, sizeof *s->transform_ns));
    for (size_t i = 0; i < n; i++) {
        s->transform_ns[i] = INFINITY;
    }
done:
    return status;
}

gt_status gt_strategy_create(gt_strategy **strategy, const gt_tasks *tasks, const gt_tune_plan *plan,
                             const gt_tune_options *options, const gt_machine *machine)
{
    gt_status status = GT_OK;
    gt_strategy *s = NULL;
    GT_TRY(gt_calloc(&s, 1, sizeof *s));
    s->tasks = tasks;
    s->options = options;
    s->machine = *machine;
    s->last_task = -1;
    GT_TRY(gt_predictor_create(&s->predictor));
    GT_TRY(make_transforms(s));
    GT_TRY(add_arms(s, plan));
    *strategy = s;
    s = NULL;
done:
    gt_strategy_destroy(s);
    return status;
}

void gt_strategy_destroy(gt_strategy *s)
{
    if (s == NULL) {
        return;
    }
    for (int64_t i = 0; i < s->n_arms; i++) {
        gt_free(s->arms[i].taken);
        gt_free(s->arms[i].seen);
        gt_free(s->arms[i].points);
    }
    for (int64_t i = 0; i < s->n_foreign; i++) {
        gt_workload_destroy(s->foreign[i]);
    }
    gt_free(s->arms);
    gt_free(s->pairs);
    gt_free(s->foreign);
    gt_free(s->transform_ns);
    gt_predictor_destroy(s->predictor);
    gt_free(s);
}

/* ---- notes ---- */

/* As a records file keeps it: what is resumed must not differ. 0 where there is no time to learn from. */
static double kept_ns(const gt_record *record)
{
    bool good = record->status == GT_RECORD_OK && !record->throttled;
    return good ? floor(record->timing.median_ns * 10 + 0.5) / 10 : 0;
}

static void note_transform(gt_strategy *s, const gt_plan_item *item, double ns)
{
    s->transform_ns[(item->shape * GT_LAYOUT_COUNT + (int)item->in) * GT_LAYOUT_COUNT + (int)item->out] = ns;
    s->transforms_changed = true;
}

gt_status gt_strategy_note(gt_strategy *s, const gt_plan_item *item, const gt_record *record)
{
    gt_status status = GT_OK;
    bool good = record->status == GT_RECORD_OK && !record->throttled;
    if (item->task < 0) {
        if (good) {
            note_transform(s, item, kept_ns(record));
        }
        return GT_OK;
    }
    gt_i_arm *arm = gt_i_arm_find(s, "", item->tmpl, s->tasks->tasks[item->task].workload->key, item->in, item->out);
    if (arm == NULL || arm->pair < 0) {
        return GT_OK;
    }
    gt_i_pair *pair = &s->pairs[arm->pair];
    GT_TRY(gt_i_arm_note(s, arm, &item->config, kept_ns(record), ++s->notes));
    pair->taken++;
    s->last_task = item->task;
    if (good) {
        pair->best_ns = fmin(pair->best_ns, kept_ns(record));
        gt_i_pairs_update(s, item->task);
    }
done:
    return status;
}

/* ---- the next item ---- */

static bool may_go_on(const gt_strategy *s, const gt_i_arm *arm)
{
    if (arm->pair < 0 || arm->n_taken - arm->n_seen > FAILURES + arm->n_seen) {
        return false;
    }
    const gt_i_pair *pair = &s->pairs[arm->pair];
    return pair->taken < pair->limit && (!isfinite(arm->best_ns) || arm->best_ns <= MUCH_SLOWER * pair->target_ns);
}

/* By how many ns the network should become faster with the arm's best config; 0: not worth it. Who asks for more trials than
 * usual is after smaller gains as well. */
static double network_gain(const gt_strategy *s, const gt_i_arm *arm, double network_ns)
{
    const gt_i_pair *pair = &s->pairs[arm->pair];
    double finer = (double)GT_TUNE_TRIALS / s->options->trials;
    if (arm->best < 0 || arm->gain < GT_STRATEGY_LAYER_SHARE * finer) {
        return 0;
    }
    double ns = isfinite(pair->target_ns) ? pair->target_ns : exp(arm->points[arm->best].estimate);
    double gain = s->tasks->tasks[arm->task].uses * ns * arm->gain;
    return gain >= GT_STRATEGY_NETWORK_SHARE * finer * network_ns ? gain : 0;
}

/* The better of two arms, of the task of the last note and of all. */
static void compare(const gt_i_arm **best, double *best_gain, const gt_i_arm *arm, double gain)
{
    if (gain > *best_gain) {
        *best = arm;
        *best_gain = gain;
    }
}

static void close_pairs(gt_strategy *s)
{
    for (int64_t i = 0; i < s->n_pairs; i++) {
        s->pairs[i].open = false;
    }
}

gt_status gt_strategy_next(gt_strategy *s, gt_plan_item *item, bool *found)
{
    gt_status status = GT_OK;
    const gt_i_arm *best = NULL, *same = NULL;
    double best_gain = 0, same_gain = 0, network_ns = gt_i_network_ns(s);
    if (s->transforms_changed) {
        gt_i_pairs_update(s, -1);
        s->transforms_changed = false;
    }
    close_pairs(s);
    for (int64_t i = 0; i < s->n_arms; i++) {
        gt_i_arm *arm = &s->arms[i];
        if (may_go_on(s, arm)) {
            GT_TRY(gt_i_arm_score(s, arm, s->pairs[arm->pair].target_ns));
            double gain = network_gain(s, arm, network_ns);
            s->pairs[arm->pair].open |= gain > 0;
            compare(&best, &best_gain, arm, gain);
            compare(&same, &same_gain, arm, arm->task == s->last_task ? gain : 0);
        }
    }
    best = same_gain >= SAME_TASK * best_gain && same != NULL ? same : best;
    *found = best != NULL;
    if (best != NULL) {
        gt_space space;
        *item = (gt_plan_item){GT_STAGE_TRIALS, best->task, -1, best->tmpl, best->in, best->out, {0}};
        gt_template_space(best->tmpl, best->workload, best->in, best->out, &space);
        gt_space_point(&space, best->points[best->best].index, &item->config);
    }
done:
    return status;
}

int64_t gt_strategy_remaining(const gt_strategy *s)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < s->n_pairs; i++) {
        const gt_i_pair *pair = &s->pairs[i];
        sum += pair->open && pair->taken < pair->limit ? pair->limit - pair->taken : 0;
    }
    return sum;
}
