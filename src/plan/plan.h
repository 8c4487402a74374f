/* SPDX-License-Identifier: Apache-2.0 */
/* Deployment plans: a candidate for every op, the transforms between them, the memory map, and the proof
 * (docs/design.md, sections 4 and 6; JSON Schema in docs/plan.schema.json). */
#ifndef GT_PLAN_PLAN_H
#define GT_PLAN_PLAN_H

#include "src/graph/graph.h"
#include "src/records/records.h"

#define GT_PLAN_VERSION 1

/* Whether the measurements can tell an op's choice from the best other one (docs/design.md, section 4). */
typedef enum gt_certainty {
    GT_CERTAINTY_NONE,       /* not looked at: there is no other choice, or the budgets did not reach so far */
    GT_CERTAINTY_CERTAIN,    /* the difference is larger than its 95 % interval is wide */
    GT_CERTAINTY_NOISE,      /* it is not */
    GT_CERTAINTY_NO_INTERVAL /* some figure that makes the difference states no interval */
} gt_certainty;

typedef struct gt_plan_op {
    char *node;     /* the op's name in the graph */
    char *workload; /* its key */
    char *template_name;
    int rev;
    gt_layout in, out;
    char *config; /* gt_config_format text */
    double ns;    /* measured median; 0 for views */
    bool has_regret; /* the two below are known; of a plan's own schedule only */
    double regret_ns; /* by how much the whole network is slower with the best other layouts for this op */
    gt_certainty certainty;
} gt_plan_op;

/* One copy of a tensor into another layout. Those of one tensor stand in the order in which they run. */
typedef struct gt_plan_transform {
    char *tensor;
    gt_layout from, to;
    double ns;
} gt_plan_transform;

/* A full schedule: one op entry per graph op, in graph order. */
typedef struct gt_schedule {
    int n_ops;
    gt_plan_op *ops;
    int n_transforms;
    size_t transforms_capacity;
    gt_plan_transform *transforms;
    double predicted_ns; /* sum of the above */
    int n_throttled;     /* ops and transforms whose record is of a throttled machine (gt_select); not stored */
} gt_schedule;

/* Schedules to compare with: "greedy" and one per layout. */
typedef struct gt_plan_alternative {
    char *name; /* "greedy", "NCHW", … */
    gt_schedule schedule;
} gt_plan_alternative;

typedef struct gt_plan_port {
    char *name;
    gt_dtype dtype;
    gt_shape shape;
} gt_plan_port;

/* Where one stored form of a tensor lies in the arena. */
typedef struct gt_plan_buffer {
    char *tensor;
    gt_layout layout;
    int64_t offset_bytes, size_bytes;
} gt_plan_buffer;

/* A variable of the cost function network: which candidate an op uses, or in which set of layouts a tensor that has
 * several readers exists. */
typedef struct gt_plan_variable {
    bool is_tensor;
    char *name; /* the node's or the tensor's */
} gt_plan_variable;

typedef struct gt_plan_result {
    double predicted_ns;
    double lower_bound_ns;
    double gap; /* (predicted - lower bound) / predicted */
    bool optimal;
    char *method;
    char *stopped;         /* what ended the solver before its proof (gt_plan_stops); NULL: nothing did */
    int width;             /* of the elimination order: most neighbours of a variable when it is eliminated */
    char *order_name;      /* the heuristic that found the order; NULL in plans that do not say */
    double table_entries;  /* that eliminating in this order takes */
    int n_order;
    gt_plan_variable *order; /* all variables; NULL where the tables are beyond the solver's memory limit */
    double solver_ns;      /* not stored: the same inputs give the same bytes */
    int64_t nodes;
    int64_t memory_limit_bytes; /* the arena had to be this small: all of the above is about such schedules, the order and the
                                 * width apart; 0: there was no limit */
    double unlimited_ns;        /* with a limit: what the network proves without it; lower_bound_ns is no less */
    int64_t schedules_compared; /* with a limit: how many had their arena computed */
} gt_plan_result;

/* "time", "work", "nodes", "memory", "interrupted"; ends with NULL. */
extern const char *const gt_plan_stops[];

/* A file that the plan rests on, named as model_file is. */
typedef struct gt_plan_file {
    char *file;
    char sha256[65];
} gt_plan_file;

/* What `select` was run with, beside the plan's device, threads and bandwidth: enough to run it again. */
typedef struct gt_plan_selection {
    int n_records, n_transform_records;
    gt_plan_file *records;           /* in the order in which they were read */
    gt_plan_file *transform_records; /* of whatever device */
    unsigned layouts;                /* bit per gt_layout */
    int only_layout;                 /* a gt_layout, or -1 */
    unsigned sources;                /* bit per gt_source */
    int n_pins, n_forbids;
    char **pins, **forbids;          /* as select was given them */
    bool is_refined;                 /* some figures were measured in the running network, by this plan and those before it */
    int n_refined;
    gt_record *refined;              /* those figures: they stand in for the records of the same candidates */
} gt_plan_selection;

typedef struct gt_plan {
    char *model_file; /* relative to the plan file's folder, or absolute, as given to `select` */
    char model_sha256[65];
    char *weights_file;   /* of an ncnn model whose weights do not lie beside it, stated as model_file; or NULL */
    bool random_weights;  /* the model was imported with weights made up from random_seed */
    int64_t random_seed;
    int n_inputs, n_outputs;
    gt_plan_port *inputs, *outputs;
    char device[17];
    char *device_name; /* its model, or NULL where unknown */
    char *isa; /* gt_isa_name */
    int threads;
    gt_source source; /* the weakest source of any figure the choice rests on */
    double bandwidth_gb_s; /* of the model behind modelled figures: bytes moved over this; 0: there are none */
    gt_schedule schedule;
    int n_alternatives;
    gt_plan_alternative *alternatives;
    int64_t arena_bytes;
    int n_buffers;
    gt_plan_buffer *buffers;
    gt_plan_result result;
    gt_plan_selection *selection; /* NULL in plans that do not say */
} gt_plan;

void gt_schedule_clear(gt_schedule *schedule);
void gt_plan_result_clear(gt_plan_result *result);
gt_status gt_plan_create(gt_plan **plan) GT_NODISCARD;
void gt_plan_destroy(gt_plan *plan);

/* Writes the plan as JSON, atomically; the same plan gives the same bytes. */
gt_status gt_plan_write(const gt_plan *plan, const char *path) GT_NODISCARD;

/* Reads a plan file; checks format, version, types and ranges, naming the offending field (gt_program_build
 * checks it against the model). Errors: GT_ERROR_IO, GT_ERROR_FORMAT. */
gt_status gt_plan_read(gt_plan **plan, const char *path) GT_NODISCARD;

/* The model file's path as seen from here: model_file itself if absolute, otherwise beside the plan. */
gt_status gt_plan_model_path(gt_text *path, const gt_plan *plan, const char *plan_path) GT_NODISCARD;

/* Where a file that a plan names lies as seen from here. */
gt_status gt_plan_path(gt_text *path, const char *file, const char *plan_path) GT_NODISCARD;

/* The same of the weights file; nothing is appended where the plan names none. */
gt_status gt_plan_weights_path(gt_text *path, const gt_plan *plan, const char *plan_path) GT_NODISCARD;

#endif
