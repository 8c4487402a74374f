/* SPDX-License-Identifier: Apache-2.0 */
/* Which candidates a tune measures, in which order. Depends on tasks, templates and options alone, never
 * on a clock. With GT_STRATEGY_MODEL these are the defaults and the transforms: what follows depends on what they
 * measure (strategy.h). */
#ifndef GT_TUNE_TUNE_PLAN_H
#define GT_TUNE_TUNE_PLAN_H

#include "src/tune/tune.h"

/* What must be measured before what. */
typedef enum gt_stage {
    GT_STAGE_FIRST,      /* defaults in NCHW: enough for some schedule */
    GT_STAGE_TRANSFORMS,
    GT_STAGE_DEFAULTS,   /* defaults in the other layouts: enough for a choice of layouts */
    GT_STAGE_TRIALS,     /* the first further configs */
    GT_STAGE_MORE        /* the others */
} gt_stage;

typedef struct gt_plan_item {
    gt_stage stage;
    int task;              /* index into tasks->tasks, or -1 for a transform */
    int shape;             /* index into tasks->shapes for a transform */
    const gt_template *tmpl; /* NULL for a transform */
    gt_layout in, out;
    gt_config config;
} gt_plan_item;

typedef struct gt_tune_plan {
    int64_t n_items;
    gt_plan_item *items; /* by stage; tasks with a larger share first; transforms by shape */
    size_t capacity;
    double *share;       /* per task: its part of the whole work, they sum to 1 */
} gt_tune_plan;

/* Errors: GT_ERROR_ARGUMENT when no template matches, GT_ERROR_UNSUPPORTED naming a workload without a
 * template. */
gt_status gt_tune_plan_create(gt_tune_plan **plan, const gt_tasks *tasks,
                              const gt_tune_options *options) GT_NODISCARD;
void gt_tune_plan_destroy(gt_tune_plan *plan);

/* The first at most `trials` configs of a space: the default, then a sample of the valid points, at random where kind is
 * GT_STRATEGY_RANDOM, otherwise spread over them. A smaller number gives the beginning of a larger one's list. *count is
 * how many there are. `configs` has room for `trials`. */
gt_status gt_tune_sample(gt_config *configs, int *count, gt_strategy_kind kind, const gt_template *t, const gt_workload *w,
                         gt_layout in, gt_layout out, int trials, uint64_t seed) GT_NODISCARD;

#endif
