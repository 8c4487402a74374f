/* SPDX-License-Identifier: Apache-2.0 */
/* Deployment plans: a candidate for every op, the transforms between them, the memory map, and the proof
 * (docs/design.md, sections 4 and 6; JSON Schema in docs/plan.schema.json). */
#ifndef GT_PLAN_PLAN_H
#define GT_PLAN_PLAN_H

#include "src/graph/graph.h"
#include "src/records/records.h"

#define GT_PLAN_VERSION 1

typedef struct gt_plan_op {
    char *node;     /* the op's name in the graph */
    char *workload; /* its key */
    char *template_name;
    int rev;
    gt_layout in, out;
    char *config; /* gt_config_format text */
    double ns;    /* measured median; 0 for views */
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

typedef struct gt_plan_result {
    double predicted_ns;
    double lower_bound_ns;
    double gap; /* (predicted - lower bound) / predicted */
    bool optimal;
    int width;
    char *method;
    double solver_ns;
    int64_t nodes;
} gt_plan_result;

typedef struct gt_plan {
    char *model_file; /* relative to the plan file's folder, or absolute, as given to `select` */
    char model_sha256[65];
    char *weights_file;   /* of an ncnn model whose weights do not lie beside it, stated as model_file; or NULL */
    bool random_weights;  /* the model was imported with weights made up from random_seed */
    int64_t random_seed;
    int n_inputs, n_outputs;
    gt_plan_port *inputs, *outputs;
    char device[17];
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
} gt_plan;

void gt_schedule_clear(gt_schedule *schedule);
gt_status gt_plan_create(gt_plan **plan) GT_NODISCARD;
void gt_plan_destroy(gt_plan *plan);

/* Writes the plan as JSON, atomically; the same plan gives the same bytes. */
gt_status gt_plan_write(const gt_plan *plan, const char *path) GT_NODISCARD;

/* Reads a plan file; checks format, version, types and ranges, naming the offending field (gt_program_build
 * checks it against the model). Errors: GT_ERROR_IO, GT_ERROR_FORMAT. */
gt_status gt_plan_read(gt_plan **plan, const char *path) GT_NODISCARD;

/* The model file's path as seen from here: model_file itself if absolute, otherwise beside the plan. */
gt_status gt_plan_model_path(gt_text *path, const gt_plan *plan, const char *plan_path) GT_NODISCARD;

/* The same of the weights file; nothing is appended where the plan names none. */
gt_status gt_plan_weights_path(gt_text *path, const gt_plan *plan, const char *plan_path) GT_NODISCARD;

#endif
