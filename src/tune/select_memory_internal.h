/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of selection under a memory limit share.
 *
 * A period is a stretch of the running schedule: period 2i is the run of op i, 2i + 1 the copies of its output. Copies of
 * the graph's inputs belong to period 0. */
#ifndef GT_TUNE_SELECT_MEMORY_INTERNAL_H
#define GT_TUNE_SELECT_MEMORY_INTERNAL_H

#include "src/tune/select_internal.h"
#include "src/tune/select_memory.h"

/* How tensors are made, read and kept; what every part below needs. */
typedef struct gt_lifetimes {
    const gt_selection *s;
    int64_t *bytes;  /* [tensor * GT_LAYOUT_COUNT + layout]: of a form, rounded up as the arena does */
    int *made;       /* [tensor]: the op that makes it, -1: a graph input; n_ops: a constant */
    int *last;       /* [tensor]: its last reader; n_ops: kept to the end */
    int *group;      /* [tensor]: tensors of one group may share memory (views) */
    int *host;       /* [group]: the one whose memory it may be part of (concats in place); -1: none */
    uint8_t *needs;  /* [slot * GT_LAYOUT_COUNT²  + value]: the layouts that the reader in this slot of
                      * selection->consumer asks for */
} gt_lifetimes;

gt_status gt_i_lifetimes_create(gt_lifetimes **lifetimes, const gt_selection *s) GT_NODISCARD;
void gt_i_lifetimes_destroy(gt_lifetimes *lifetimes);

/* Fills group and host: whatever two tensors may have memory in common, they are of one group or one is above the other on
 * the way from host to host. */
gt_status gt_i_group_memory(gt_lifetimes *lifetimes) GT_NODISCARD;

/* The most inputs that an op has. */
size_t gt_i_most_inputs(const gt_graph *graph);

/* The layouts in which `tensor` is read, the caller's included, by these choices. O(its readers). */
unsigned gt_i_tensor_needs(const gt_lifetimes *l, const int32_t *values, int tensor);
/* The layout in which it is made. */
gt_layout gt_i_made_in(const gt_selection *s, const int32_t *values, int tensor);

/* The copies that make `set` from layout `from` at the least cost, parents before children; their number. */
typedef struct gt_hop {
    gt_layout from, to;
} gt_hop;
gt_status gt_i_way(gt_hop hops[GT_LAYOUT_COUNT], int *n_hops, const gt_copies *copies, int from, unsigned set) GT_NODISCARD;

/* What the schedule of given choices keeps in memory, found without building a program. Reused between calls. */
typedef struct gt_footprint gt_footprint;
gt_status gt_i_footprint_create(gt_footprint **footprint, const gt_lifetimes *l) GT_NODISCARD;
void gt_i_footprint_destroy(gt_footprint *footprint);

/* *arena_bytes: exactly what gt_program_build finds for gt_i_schedule(values), or more than `limit` where that is clear
 * before the arena is planned. O(forms²). live[period] (or NULL): most bytes alive at once in it. GT_ERROR_UNSUPPORTED when
 * a transform is unknown. */
gt_status gt_i_footprint(gt_footprint *f, int64_t *arena_bytes, int64_t *live, const int32_t *values,
                         int64_t limit) GT_NODISCARD;

/* Bytes alive at one time, at least: those of a group's tensors are not added up (the most of them counts), and what may lie in
 * a host is not added to the host's own. */
typedef struct gt_tally {
    const gt_lifetimes *l;
    int64_t *own;    /* [group]: the most counted for one of its tensors */
    int64_t *inside; /* [group]: of the groups that may lie in it, added up */
    int64_t sum;     /* of the groups that lie in nothing */
} gt_tally;
gt_status gt_i_tally_begin(gt_tally *tally, const gt_lifetimes *l) GT_NODISCARD;
void gt_i_tally_end(gt_tally *tally);
void gt_i_tally_reset(gt_tally *tally);
/* Counts a tensor and returns its group's own bytes before, for gt_i_tally_restore. O(hosts above it). */
int64_t gt_i_tally_count(gt_tally *tally, int tensor, int64_t bytes);
void gt_i_tally_restore(gt_tally *tally, int tensor, int64_t before);
/* Whether nothing was counted yet for the tensor's group and its hosts. */
bool gt_i_tally_is_apart(const gt_tally *tally, int tensor);

/* What any schedule with choices out of `allowed` keeps alive at least. */
typedef struct gt_least {
    int64_t bytes; /* the largest over all ops of the least over their choices: no arena is smaller */
    int64_t next;  /* the least that a removed choice needs; INT64_MAX: none was removed */
    bool possible; /* every op has a choice left */
} gt_least;

/* Removes from `allowed` every choice that alone makes more than `limit` bytes alive at once, until nothing changes.
 * O(ops · choices · (tensors alive) · rounds). */
gt_status gt_i_prune(gt_least *least, const gt_lifetimes *l, uint32_t *allowed, int64_t limit) GT_NODISCARD;

/* The largest number of bytes that is proved too few by gt_i_prune, plus one. */
gt_status gt_i_least_arena(int64_t *bytes, const gt_lifetimes *l, const uint32_t *allowed) GT_NODISCARD;

/* What the choices cost in solver units, GT_CFN_INFINITE where a transform is unknown. */
int64_t gt_i_units(const gt_lifetimes *l, const int32_t *values);

/* Solves the network, *feasible: if there is a schedule, with `weight[period]` ns added per KiB alive in it (about: a tensor counts as long as any reader is to
 * come, in all layouts that any reader asks for). */
gt_status gt_i_solve_weighted(const gt_lifetimes *l, const uint32_t *allowed, const double *weight, int32_t *values,
                              bool *feasible) GT_NODISCARD;

/* Schedules found, of which none beats another one. */
typedef struct gt_found {
    int64_t units, arena_bytes;
    int32_t *values;
} gt_found;

typedef struct gt_memory_search {
    const gt_selection *s;
    gt_lifetimes *l;
    gt_footprint *f;
    const uint32_t *allowed; /* what the search starts from */
    int64_t *live;           /* scratch: [2 · n_ops] */
    int n_found;
    size_t found_capacity;
    gt_found *found;         /* fastest first */
    int64_t n_looked_at;     /* schedules whose arena was computed */
    int64_t smallest_bytes;  /* the smallest arena found */
    int64_t least_bytes;     /* proved: no arena is smaller */
    int64_t deadline_ns;     /* of gt_now_ns; 0: none */
} gt_memory_search;

gt_status gt_i_memory_search_create(gt_memory_search **search, const gt_selection *s, const uint32_t *allowed) GT_NODISCARD;
void gt_i_memory_search_destroy(gt_memory_search *search);

/* Whether the deadline has passed or options->stop asks to end. */
bool gt_i_is_late(const gt_memory_search *search);

/* Computes a schedule's arena (as gt_i_footprint, live[] included) and keeps it among those found where it belongs. */
gt_status gt_i_look_at(gt_memory_search *search, int64_t *arena_bytes, const int32_t *values, int64_t limit) GT_NODISCARD;

/* The fastest found that fits, or NULL. */
const gt_found *gt_i_fastest_within(const gt_memory_search *search, int64_t limit);

/* Schedules for a limit by weights on the periods that exceed it, `rounds` of them, and by changing one or two choices of
 * what fits. */
gt_status gt_i_search_weights(gt_memory_search *search, int64_t limit, int rounds) GT_NODISCARD;
gt_status gt_i_improve(gt_memory_search *search, int64_t limit) GT_NODISCARD;

/* The network's optimum among `allowed` and a bound on it; GT_CFN_INFINITE where there is none, `values` then untouched. */
gt_status gt_i_relax(const gt_selection *s, int64_t *bound_units, int32_t *values, const uint32_t *allowed) GT_NODISCARD;

/* Branch and bound on the choices, at most `solves` solutions of the network. *bound_units: no schedule within the limit
 * costs less; GT_CFN_INFINITE: none fits. */
gt_status gt_i_branch_and_bound(gt_memory_search *search, int64_t *bound_units, int64_t limit, int solves) GT_NODISCARD;

/* All of the above for one limit, once the network's optimum has been looked at. `share` divides the effort. Raises
 * search->least_bytes to what is proved. */
gt_status gt_i_search_limit(gt_memory_search *search, int64_t *bound_units, int64_t limit, int share) GT_NODISCARD;

/* Lowers search->smallest_bytes by bisection between it and search->least_bytes. */
gt_status gt_i_search_smallest(gt_memory_search *search) GT_NODISCARD;

/* GT_ERROR_UNSUPPORTED where a choice is another compiler's code. */
gt_status gt_i_require_templates(const gt_selection *s) GT_NODISCARD;

/* The fastest choices found within options->max_memory_bytes instead of `values`, the network's optimum, whose proof is in
 * `result`; both stay where they fit. Errors: GT_ERROR_LIMIT stating the limit, the smallest found and the proved minimum;
 * GT_ERROR_UNSUPPORTED for imported records. */
gt_status gt_i_fit_memory(const gt_selection *s, int32_t *values, gt_plan_result *result) GT_NODISCARD;

#endif
