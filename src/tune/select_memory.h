/* SPDX-License-Identifier: Apache-2.0 */
/* Selection under a limit on the arena, and the front of latency against arena (docs/design.md, section 4).
 *
 * The arena holds the tensors of a schedule: activations in their layouts, channel padding and copies included. Packed
 * weights are not in it, nor kernels' workspaces: a session puts those where the arena is free at that step, and beside
 * the arena where they do not fit. */
#ifndef GT_TUNE_SELECT_MEMORY_H
#define GT_TUNE_SELECT_MEMORY_H

#include "src/tune/select.h"

/* A schedule that no other one found beats in both. */
typedef struct gt_front_point {
    int64_t arena_bytes;
    double predicted_ns;
    bool optimal;     /* proved: no schedule whose arena is as small takes less */
    int transforms;   /* how many copies */
    unsigned layouts; /* bit per gt_layout that an op writes a rank-4 tensor in */
} gt_front_point;

typedef struct gt_front {
    int n;
    size_t capacity;
    gt_front_point *points; /* fastest first, every one with a smaller arena than the one before */
    int64_t least_bytes;    /* proved: no schedule needs less */
} gt_front;

/* Called now and then with the number of limits searched and of all; `context` is the caller's. */
typedef void (*gt_front_progress)(void *context, int done, int total);

/* Searches a range of limits, from the fastest schedule's arena down to the smallest that is found. Deterministic unless
 * options->time_budget_s runs out. Time: some hundred solutions of the selection's network. Errors: as gt_select;
 * GT_ERROR_UNSUPPORTED for imported records, for whose code there is no memory plan. The front is freed with
 * gt_front_destroy. */
gt_status gt_select_front(gt_front **front, const gt_graph *graph, const gt_records *records,
                          const gt_select_options *options, gt_front_progress progress, void *context) GT_NODISCARD;
void gt_front_destroy(gt_front *front);

#endif
