/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule resolved on its graph: the steps to run and the stored forms of every tensor, with lifetimes. */
#ifndef GT_PLAN_PROGRAM_H
#define GT_PLAN_PROGRAM_H

#include "src/graph/pair.h"
#include "src/plan/plan.h"

/* One form (tensor, layout) that exists in memory. */
typedef struct gt_form {
    int tensor;
    gt_layout layout;
    int storage;          /* the form that this one lies in: itself, or what a view shows, or the output of a concat in place */
    int64_t within_bytes; /* from the beginning of the storage's memory; 0 of roots, which are their own storage */
    int64_t size_bytes;
    int first_step, last_step; /* lifetime of the storage (of roots), in steps; inputs live from -1, outputs to n_steps */
    int64_t offset_bytes;      /* in the arena (of roots) */
} gt_form;

typedef struct gt_step {
    int op;          /* graph op index, or -1 for a transform */
    int schedule;    /* index into schedule->ops or schedule->transforms */
    const gt_workload *workload; /* of ops: what the template does, of two ops where it does both; borrowed */
    int n_inputs;    /* of the workload; none where the op that reads this one does its work */
    int *inputs;     /* forms; -1 for constants and absent inputs */
    int output;      /* form; -1: the op that reads this one does its work */
    gt_layout from, to;      /* of the primary input and of the output */
    const gt_template *tmpl; /* NULL for transforms */
    gt_config config;
} gt_step;

typedef struct gt_program {
    int n_steps;
    gt_step *steps;
    int n_forms;
    gt_form *forms;
    gt_pairs *pairs;       /* of the graph */
    int *inputs, *outputs; /* form per graph input and output (C order); -1: the output is a constant */
    int64_t arena_bytes;
} gt_program;

/* The form that this one lies in, in the end, and how far from its beginning. Shortens the way for later calls: once it was
 * called for a form, that form's storage and within_bytes are these two. */
int gt_i_form_root(gt_form *forms, int form, int64_t *within_bytes);

/* Puts the n forms `inputs` side by side into the memory of the fresh form `output`, which then lives as long as any of them;
 * or the output to where they lie in that order already. O(n). False where they cannot lie like that, the forms are then of
 * no more use. */
bool gt_i_forms_join(gt_form *forms, int output, const int *inputs, int n);

/* Resolves a schedule: every op has an entry with its name and workload; templates, revs and configs exist; every
 * form that a step reads has been made before; transforms run right after what they read; concats are in place only where
 * they can be (src/plan/placement.h). Plans the arena.
 * Errors: GT_ERROR_MISMATCH naming the node and field. */
gt_status gt_program_build(gt_program **program, const gt_graph *graph, const gt_schedule *schedule) GT_NODISCARD;
void gt_program_destroy(gt_program *program);

/* The tensors that a step's op reads, in the order of the step's workload (of which there are step->n_inputs), in `pair` where
 * it does the work of two. */
const int *gt_step_tensors(const gt_program *program, const gt_graph *graph, const gt_step *step, int pair[GT_PAIR_INPUTS]);

/* Checks that a plan's memory map is one that this program can run in (every root form placed, aligned, inside the
 * arena, none overlapping another that lives at the same time; what lies inside a root follows from the schedule and is not
 * in the map) and takes it over. */
gt_status gt_program_use_memory(gt_program *program, const gt_graph *graph, const gt_plan *plan) GT_NODISCARD;

/* Copies the program's memory map into the plan. */
gt_status gt_program_save_memory(const gt_program *program, const gt_graph *graph, gt_plan *plan) GT_NODISCARD;

/* Offsets for buffers with lifetimes, so that no two that are alive together overlap: greedy by size (Pisarchyk
 * and Lee 2020, section 5.2), lowest offset that fits; O(n^2). offset_bytes[i] is set, multiples of
 * GT_ALIGN_BYTES; the result is the arena's size. Lifetimes are closed intervals. */
gt_status gt_arena_plan(int64_t *arena_bytes, int64_t *offset_bytes, int n, const int64_t *size_bytes, const int *first,
                        const int *last) GT_NODISCARD;

#endif
