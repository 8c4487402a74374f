/* SPDX-License-Identifier: Apache-2.0 */
/* One template for one task and layout pair: what was measured, and what should be next. */
#include "src/tune/strategy_internal.h"

#include <math.h>
#include <string.h>

#define DONORS 4        /* arms that an arm learns from */
#define DONATED 16      /* measurements of each */
#define OTHER_LAYOUTS 1 /* how different other layouts make an arm, in octaves of its workload's dimensions */
#define BATCH 64

gt_i_arm *gt_i_arm_find(const gt_strategy *s, const char *device, const gt_template *t, const char *workload_key, gt_layout in,
                        gt_layout out)
{
    for (int64_t i = 0; i < s->n_arms; i++) {
        gt_i_arm *arm = &s->arms[i];
        if (arm->tmpl == t && arm->in == in && arm->out == out && strcmp(arm->workload->key, workload_key) == 0 &&
            strcmp(arm->device, device) == 0) {
            return arm;
        }
    }
    return NULL;
}

gt_status gt_i_arm_add(gt_strategy *s, const gt_i_arm *like)
{
    gt_status status = GT_OK;
    gt_i_arm arm = *like;
    arm.best_ns = INFINITY;
    arm.scored = -1;
    gt_dimensions_of(arm.dimensions, arm.workload);
    GT_PUSH(s->arms, s->n_arms, s->arms_capacity, arm);
done:
    return status;
}

int64_t gt_i_arm_point(const gt_i_arm *arm, const gt_config *config)
{
    gt_space space;
    int64_t index = 0, step = 1;
    if (!gt_template_valid(arm->tmpl, arm->workload, arm->in, arm->out, config)) {
        return -1;
    }
    gt_template_space(arm->tmpl, arm->workload, arm->in, arm->out, &space);
    for (int i = 0; i < space.n; i++) {
        int at = 0;
        while (space.knob[i].value[at] != config->value[i]) {
            at++;
        }
        index += at * step;
        step *= space.knob[i].n;
    }
    return index;
}

gt_status gt_i_arm_note(gt_strategy *s, gt_i_arm *arm, const gt_config *config, double ns, int64_t number)
{
    gt_status status = GT_OK;
    gt_space space;
    GT_PUSH(arm->taken, arm->n_taken, arm->taken_capacity, gt_i_arm_point(arm, config));
    arm->last = number;
    if (ns > 0) {
        gt_i_seen seen = {.number = number};
        gt_template_space(arm->tmpl, arm->workload, arm->in, arm->out, &space);
        gt_features_of(seen.x, &space, config);
        seen.y = log(ns) - gt_i_arm_estimate(s, arm, &space, config);
        GT_PUSH(arm->seen, arm->n_seen, arm->seen_capacity, seen);
        arm->level = arm->seen[0].y;
        arm->best_ns = fmin(arm->best_ns, ns);
    }
done:
    return status;
}

/* ---- learning ---- */

/* How many of an arm's measurements an arm with this last note may know. */
static int64_t known_until(const gt_i_arm *donor, int64_t last)
{
    int64_t n = 0;
    while (n < donor->n_seen && donor->seen[n].number <= last) {
        n++;
    }
    return n;
}

static bool is_comparable(const gt_i_arm *a, const gt_i_arm *b)
{
    gt_space mine, other;
    gt_template_space(a->tmpl, a->workload, a->in, a->out, &mine);
    gt_template_space(b->tmpl, b->workload, b->in, b->out, &other);
    return gt_features_match(&mine, &other);
}

/* The most similar arms of the same template with more than a default to tell of, the nearest first. */
static int find_donors(const gt_i_arm **donors, const gt_strategy *s, const gt_i_arm *arm)
{
    double apart[DONORS];
    int n = 0;
    for (int64_t i = 0; i < s->n_arms; i++) {
        const gt_i_arm *other = &s->arms[i];
        if (other == arm || other->tmpl != arm->tmpl || known_until(other, arm->last) < 2) {
            continue;
        }
        double d = gt_dimensions_apart(arm->dimensions, other->dimensions);
        d += other->in != arm->in || other->out != arm->out ? OTHER_LAYOUTS : 0;
        if ((n == DONORS && d >= apart[n - 1]) || !is_comparable(arm, other)) {
            continue;
        }
        int at = n < DONORS ? n++ : n - 1;
        for (; at > 0 && apart[at - 1] > d; at--) {
            apart[at] = apart[at - 1];
            donors[at] = donors[at - 1];
        }
        apart[at] = d;
        donors[at] = other;
    }
    return n;
}

static void learn(gt_strategy *s, const gt_i_arm *arm)
{
    const gt_i_arm *donors[DONORS];
    int n = find_donors(donors, s, arm);
    gt_predictor_clear(s->predictor);
    for (int d = 0; d < n; d++) {
        int64_t known = known_until(donors[d], arm->last);
        for (int64_t i = 0; i < known && i < DONATED; i++) {
            gt_predictor_add(s->predictor, donors[d]->seen[i].x, donors[d]->seen[i].y - donors[d]->level, d + 1);
        }
    }
    for (int64_t i = 0; i < arm->n_seen; i++) {
        gt_predictor_add(s->predictor, arm->seen[i].x, arm->seen[i].y - arm->level, 0);
    }
}

/* ---- predicting ---- */

/* Without a measurement that is ok the level is unknown: what is best by estimate is taken for as good as the target. */
static double level_of(const gt_i_arm *arm, double target)
{
    return arm->n_seen > 0 ? arm->level : target - (arm->n_points > 0 ? arm->points[0].estimate : 0);
}

static void predict(gt_strategy *s, gt_i_arm *arm, double target)
{
    double x[BATCH][GT_FEATURES], mean[BATCH], deviation[BATCH];
    gt_space space;
    gt_template_space(arm->tmpl, arm->workload, arm->in, arm->out, &space);
    double level = level_of(arm, target);
    learn(s, arm);
    for (int64_t first = 0; first < arm->n_points; first += BATCH) {
        int64_t n = arm->n_points - first < BATCH ? arm->n_points - first : BATCH;
        for (int64_t i = 0; i < n; i++) {
            gt_config config;
            gt_space_point(&space, arm->points[first + i].index, &config);
            gt_features_of(x[i], &space, &config);
        }
        gt_predictor_ask(s->predictor, n, x, mean, deviation);
        for (int64_t i = 0; i < n; i++) {
            gt_i_point *point = &arm->points[first + i];
            point->mean = (float)(level + point->estimate + mean[i]);
            point->deviation = (float)deviation[i];
        }
    }
    arm->scored = arm->last;
}

static bool is_taken(const gt_i_arm *arm, int64_t index)
{
    for (int64_t i = 0; i < arm->n_taken; i++) {
        if (arm->taken[i] == index) {
            return true;
        }
    }
    return false;
}

static void choose(gt_i_arm *arm, double target)
{
    arm->best = -1;
    arm->gain = 0;
    arm->target = target;
    for (int64_t i = 0; i < arm->n_points; i++) {
        const gt_i_point *point = &arm->points[i];
        double gain = gt_expected_improvement(point->mean, point->deviation, target);
        if (gain > arm->gain && !is_taken(arm, point->index)) {
            arm->best = i;
            arm->gain = gain;
        }
    }
}

gt_status gt_i_arm_score(gt_strategy *s, gt_i_arm *arm, double target_ns)
{
    gt_status status = GT_OK;
    double target = isfinite(target_ns) ? log(fmax(target_ns, 1e-3)) : 0;
    if (!arm->has_points) {
        GT_TRY(gt_i_arm_make_points(s, arm));
    }
    bool fresh = arm->scored == arm->last && (arm->n_seen > 0 || arm->target == target);
    if (!fresh) {
        predict(s, arm, target);
    }
    if (!fresh || arm->target != target) {
        choose(arm, target);
    }
done:
    return status;
}
