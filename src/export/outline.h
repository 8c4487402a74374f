/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule laid over its graph: what runs after what, and which form of a tensor each step reads and makes. It needs
 * no templates, so that a plan of another compiler's candidates, which nothing here can run, has one as well. */
#ifndef GT_EXPORT_OUTLINE_H
#define GT_EXPORT_OUTLINE_H

#include "src/plan/plan.h"

typedef struct gt_outline_step {
    int op;        /* index of the graph's op and of its entry in the schedule; -1: a transform */
    int transform; /* index of the schedule's transform; -1: an op */
    int tensor;    /* that it makes */
    gt_layout from, to;
    double ns;
    double share; /* of the schedule's predicted time, 0 to 1 */
} gt_outline_step;

typedef struct gt_outline {
    int n_steps; /* every op and every transform, in the order in which they run */
    gt_outline_step *steps;
} gt_outline;

/* Checks that every op has an entry with its name and workload, and that every form that is read has been made before.
 * Time O(ops + transforms). Errors: GT_ERROR_MISMATCH naming the node, tensor and field; GT_ERROR_MEMORY. */
gt_status gt_outline_create(gt_outline **outline, const gt_graph *graph, const gt_schedule *schedule) GT_NODISCARD;
void gt_outline_destroy(gt_outline *outline);

/* The layout in which a step reads its op's input i, an activation. */
gt_layout gt_outline_input_layout(const gt_graph *graph, const gt_outline_step *step, int i);

/* Whether input i of an op is an activation: neither absent nor a constant. */
bool gt_outline_reads(const gt_graph *graph, const gt_op *op, int i);

/* A form's place in an array of n_tensors * GT_LAYOUT_COUNT. */
size_t gt_outline_form(int tensor, gt_layout layout);

#endif
