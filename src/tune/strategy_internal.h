/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the model-guided search share; nobody else includes it. */
#ifndef GT_TUNE_STRATEGY_INTERNAL_H
#define GT_TUNE_STRATEGY_INTERNAL_H

#include "costmodel/predict.h"
#include "src/tune/strategy.h"

/* A measured config: its features, and the logarithm of ns over estimated cycles. */
typedef struct gt_i_seen {
    double x[GT_FEATURES];
    double y;
    int64_t number; /* of the note; 0: of another run's file */
} gt_i_seen;

/* A config that may be measured. mean and deviation: of the logarithm of its ns. */
typedef struct gt_i_point {
    int64_t index; /* in the space */
    float estimate; /* the logarithm of the cycles */
    float mean, deviation;
} gt_i_point;

typedef struct gt_i_arm {
    int task;        /* -1: of a workload that is learned from only */
    char device[17]; /* "": this run's; otherwise learned from only */
    int pair; /* index into strategy->pairs, -1 likewise */
    const gt_template *tmpl;
    const gt_workload *workload;
    gt_layout in, out;
    double dimensions[GT_DIMENSIONS];

    int64_t n_taken, n_seen;
    size_t taken_capacity, seen_capacity;
    int64_t *taken;  /* points of the space that were measured, with whatever result */
    gt_i_seen *seen; /* those that are ok */
    double level;    /* the first one's y: what the machine makes of a cycle here */
    double best_ns;  /* infinite where none is ok */
    int64_t last;    /* number of the last note */

    int64_t n_points;
    gt_i_point *points; /* made when first needed */
    bool has_points;
    int64_t scored;     /* `last` when means and deviations were made; -1: never */
    double target;      /* the logarithm of the ns to beat when `best` was chosen */
    int64_t best;       /* index into points, -1: none left */
    double gain;        /* its expected improvement, of the logarithm */
} gt_i_arm;

/* The layouts of a task. */
typedef struct gt_i_pair {
    int task;
    gt_layout in, out;
    int64_t taken, limit; /* measurements of all its arms, the defaults included */
    double best_ns;       /* infinite where there is none */
    double target_ns;     /* what a candidate must beat to matter for the network */
    bool open;            /* an arm of it is worth going on, as of the last gt_strategy_next; true before the first */
} gt_i_pair;

struct gt_strategy {
    const gt_tasks *tasks;
    const gt_tune_options *options;
    gt_machine machine;
    int64_t n_arms, n_pairs, n_foreign;
    size_t arms_capacity, pairs_capacity, foreign_capacity;
    gt_i_arm *arms;
    gt_i_pair *pairs; /* those of a task follow each other */
    gt_workload **foreign; /* workloads that are no task's */
    double *transform_ns;  /* [shape][from][to]; infinite where not known */
    bool transforms_changed; /* the pairs do not know yet */
    gt_predictor *predictor;
    int64_t notes;
    int last_task; /* of the last note, -1: none */
};

/* ---- arms (strategy_arm.c) ---- */

/* The arm of this template, workload, layouts and device, or NULL. O(arms). */
gt_i_arm *gt_i_arm_find(const gt_strategy *s, const char *device, const gt_template *t, const char *workload_key, gt_layout in,
                        gt_layout out);

/* Adds an arm that nothing is known of: `like` with its names (task, pair, device, tmpl, workload, in, out), all borrowed. */
gt_status gt_i_arm_add(gt_strategy *s, const gt_i_arm *like) GT_NODISCARD;

/* The point of a config in the arm's space; -1 where it is none. */
int64_t gt_i_arm_point(const gt_i_arm *arm, const gt_config *config);

/* Adds a measurement, numbered; ns <= 0: it gave no time. */
gt_status gt_i_arm_note(gt_strategy *s, gt_i_arm *arm, const gt_config *config, double ns, int64_t number) GT_NODISCARD;

/* Brings `best` and `gain` up to date: against target_ns, and with all that was noted until the arm's own last note. */
gt_status gt_i_arm_score(gt_strategy *s, gt_i_arm *arm, double target_ns) GT_NODISCARD;

/* Makes the arm's points: the best by estimate, and others spread over the rest (strategy_points.c). */
gt_status gt_i_arm_make_points(gt_strategy *s, gt_i_arm *arm) GT_NODISCARD;

/* The logarithm of a config's estimated cycles. */
double gt_i_arm_estimate(const gt_strategy *s, const gt_i_arm *arm, const gt_space *space, const gt_config *config);

/* ---- what matters for the network (strategy_pairs.c) ---- */

/* Brings the target_ns of a task's pairs up to date; task -1: of all. */
void gt_i_pairs_update(gt_strategy *s, int task);

/* The sum over tasks of uses times the best time in any layout pair. */
double gt_i_network_ns(const gt_strategy *s);

#endif
