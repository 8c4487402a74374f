/* SPDX-License-Identifier: Apache-2.0 */
/* What a gt_deployment is, for the command and the tests. */
#ifndef GT_API_DEPLOYMENT_H
#define GT_API_DEPLOYMENT_H

#include "src/plan/bundle.h"
#include "src/run/session.h"

/* A plan with its model, the program that runs it and, once gt_i_deployment_start was called, the session. */
struct gt_deployment {
    gt_bundle *bundle; /* the next three are its own; NULL: the deployment's */
    gt_plan *plan;
    gt_graph *graph;
    gt_program *program;
    gt_session *session;
};

/* What the caller says about the model's files in the plan's place. */
typedef struct gt_i_model_files {
    const char *model;   /* NULL: where the plan says */
    const char *weights; /* NULL: likewise */
    int64_t random_seed; /* weights made up from it; -1: as the plan says */
} gt_i_model_files;

/* Reads a plan and its model and checks that they belong together; no kernel is made ready yet.
 * Errors as gt_deployment_open. */
gt_status gt_i_deployment_load(gt_deployment **deployment, const char *plan_path,
                               const gt_i_model_files *files) GT_NODISCARD;

/* The same to look at a plan only: one that was chosen from another compiler's records, which nothing here can run, is
 * taken as well and has no program. */
gt_status gt_i_deployment_view(gt_deployment **deployment, const char *plan_path,
                               const gt_i_model_files *files) GT_NODISCARD;

/* Makes the session. keep_constants: the graph can still be run by the reference afterwards. */
gt_status gt_i_deployment_start(gt_deployment *deployment, int threads, bool keep_constants) GT_NODISCARD;

/* The instruction set that a plan was made for. Errors: GT_ERROR_MISMATCH where this CPU lacks it. */
gt_status gt_i_plan_isa(gt_isa *isa, const gt_plan *plan) GT_NODISCARD;

#endif
