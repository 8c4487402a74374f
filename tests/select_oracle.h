/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle of selection: every combination of candidates, every set of layouts, every way to make it. It shares no
 * code with src/tune. */
#ifndef GT_TESTS_SELECT_ORACLE_H
#define GT_TESTS_SELECT_ORACLE_H

#include "src/plan/plan.h"
#include "src/tune/select.h"

#define L GT_LAYOUT_COUNT
#define SETS (1 << L)
#define MAX_OPS 16
#define MAX_TENSORS 64

struct candidate {
    gt_layout in, out;
    gt_role role; /* of a concat in place: that of others */
    double ns;
};

struct oracle {
    const gt_graph *graph;
    int n[MAX_OPS];
    struct candidate c[MAX_OPS][L * L + 2 * L];
    int first[MAX_OPS]; /* the op that can be done with this one, or -1 */
    bool many[MAX_TENSORS];             /* the tensor can have several layouts */
    double cover[MAX_TENSORS][L][SETS]; /* cheapest way from a layout to (at least) a set; HUGE_VAL if none */
    int hops[MAX_TENSORS][L][SETS];     /* and its transforms */
    double bytes[MAX_TENSORS][L][SETS]; /* and what they write */
    double best;
    int best_hops;
    double best_bytes; /* of copies and op outputs */
};

/* The options of a plain selection for the records that sc_add_records makes. */
gt_select_options so_options(void);

/* Collects candidates and transforms from records that are all usable. */
void so_prepare(struct oracle *o, const gt_graph *g, const gt_records *records);

/* Tries everything: o->best, of equally fast ones the fewest transforms (best_hops), and of those the fewest bytes. `allowed` (a mask of candidates per op) may be NULL. */
void so_exhaust(struct oracle *o, const unsigned *allowed);

/* The best that has candidate `value` for op `op`. */
void so_exhaust_with(struct oracle *o, int op, int value);

/* Bytes of a schedule's copies and op outputs. */
double so_bytes(const struct oracle *o, const gt_schedule *s);

/* The choices of a single-layout plan as the help text states them: the layout wherever an op has it; ops beside the
 * graph's inputs and outputs may read and write the caller's NCHW. */
void so_single_layout(const struct oracle *o, gt_layout layout, unsigned *allowed);

/* A schedule adds up, can be run, and its transforms are the cheapest for its choices. */
void so_check_schedule(const struct oracle *o, const gt_schedule *s, double tolerance, const char *what);

/* The alternatives of a plan are schedules, what they are called, and not better than the plan. */
void so_check_alternatives(struct oracle *o, const gt_plan *plan, double tolerance, const char *what);

/* A candidate of an op (by number) with the default config of the first template that handles it. */
void so_give(gt_records *records, const gt_graph *g, int op, gt_layout in, gt_layout out, double ns);

/* gt_select with so_options; it must succeed. */
gt_plan *so_select(const gt_graph *g, const gt_records *records);

/* input -> pool -> conv 1x1, of which the pool is measured in `a` and the conv in `b` only (5 ns each); transforms
 * take 1000 ns. */
gt_graph *so_two_ops(gt_records **records, gt_layout a, gt_layout b);

#endif
