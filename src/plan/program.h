/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule resolved on its graph: the steps to run and the stored forms of every tensor, with lifetimes. */
#ifndef GT_PLAN_PROGRAM_H
#define GT_PLAN_PROGRAM_H

#include "src/plan/plan.h"

/* One form (tensor, layout) that exists in memory. */
typedef struct gt_form {
    int tensor;
    gt_layout layout;
    int storage; /* the form whose memory this is: itself, or the input of a view */
    int64_t size_bytes;
    int first_step, last_step; /* lifetime of the storage (of roots), in steps; inputs live from -1, outputs to n_steps */
    int64_t offset_bytes;      /* in the arena (of roots) */
} gt_form;

typedef struct gt_step {
    int op;          /* graph op index, or -1 for a transform */
    int schedule;    /* index into schedule->ops or schedule->transforms */
    int n_inputs;
    int *inputs;     /* forms; -1 for constants and absent inputs */
    int output;      /* form */
    gt_layout from, to;      /* of the primary input and of the output */
    const gt_template *tmpl; /* NULL for transforms */
    gt_config config;
} gt_step;

typedef struct gt_program {
    int n_steps;
    gt_step *steps;
    int n_forms;
    gt_form *forms;
    int *inputs, *outputs; /* form per graph input and output (C order); -1: the output is a constant */
    int64_t arena_bytes;
} gt_program;

/* Resolves a schedule: every op has an entry with its name and workload; templates, revs and configs exist; every
 * form that a step reads has been made before; transforms run right after what they read. Plans the arena.
 * Errors: GT_ERROR_MISMATCH naming the node and field. */
gt_status gt_program_build(gt_program **program, const gt_graph *graph, const gt_schedule *schedule) GT_NODISCARD;
void gt_program_destroy(gt_program *program);

/* Checks that a plan's memory map is one that this program can run in (every root form placed, aligned, inside the
 * arena, none overlapping another that lives at the same time) and takes it over. */
gt_status gt_program_use_memory(gt_program *program, const gt_graph *graph, const gt_plan *plan) GT_NODISCARD;

/* Copies the program's memory map into the plan. */
gt_status gt_program_save_memory(const gt_program *program, const gt_graph *graph, gt_plan *plan) GT_NODISCARD;

/* Offsets for buffers with lifetimes, so that no two that are alive together overlap: greedy by size (Pisarchyk
 * and Lee 2020, section 5.2), lowest offset that fits; O(n^2). offset_bytes[i] is set, multiples of
 * GT_ALIGN_BYTES; the result is the arena's size. Lifetimes are closed intervals. */
gt_status gt_arena_plan(int64_t *arena_bytes, int64_t *offset_bytes, int n, const int64_t *size_bytes, const int *first,
                        const int *last) GT_NODISCARD;

#endif
