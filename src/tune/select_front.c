/* SPDX-License-Identifier: Apache-2.0 */
/* The front of latency against arena: one search after another over a range of limits. */
#include "src/tune/select_memory_internal.h"

enum { LIMITS = 24, SHARE = 8 };

/* What a search for one limit came to. */
struct bound {
    int64_t limit_bytes, units; /* no schedule within limit_bytes costs less than units */
    int64_t arena_bytes;        /* of the fastest found; 0: none */
};

struct sweep {
    gt_memory_search *search;
    int n_bounds;
    struct bound bounds[2 * LIMITS + 1];
    gt_front_progress progress;
    void *context;
    int done;
};

/* Whether the fastest found within this limit came out of a search for one as large or larger: it would again. */
static bool is_settled(const struct sweep *w, int64_t limit)
{
    const gt_found *best = gt_i_fastest_within(w->search, limit);
    for (int i = 0; i < w->n_bounds; i++) {
        if (best != NULL && w->bounds[i].limit_bytes >= limit && w->bounds[i].arena_bytes == best->arena_bytes) {
            return true;
        }
    }
    return false;
}

static gt_status search_limit(struct sweep *w, int64_t limit)
{
    gt_status status = GT_OK;
    struct bound b = {.limit_bytes = limit};
    GT_TRY(gt_i_search_limit(w->search, &b.units, limit, SHARE));
    const gt_found *best = gt_i_fastest_within(w->search, limit);
    b.arena_bytes = best != NULL ? best->arena_bytes : 0;
    w->bounds[w->n_bounds++] = b;
done:
    return status;
}

static void tell(struct sweep *w)
{
    if (w->progress != NULL) {
        w->progress(w->context, w->done, 2 * LIMITS);
    }
    w->done++;
}

/* From the largest arena to the smallest one found, in steps of equal size. */
static gt_status sweep_limits(struct sweep *w)
{
    gt_status status = GT_OK;
    gt_memory_search *m = w->search;
    int64_t most = m->found[0].arena_bytes;
    int64_t step = (most - m->smallest_bytes) / LIMITS;
    for (int k = 0; k < LIMITS && most > m->smallest_bytes && !gt_i_is_late(m); k++) {
        int64_t limit = k == 0 ? most - 1 : most - step * k;
        tell(w);
        if (!is_settled(w, limit)) {
            GT_TRY(search_limit(w, limit));
        }
    }
done:
    return status;
}

static bool is_optimal(const struct sweep *w, const gt_found *found)
{
    double ns = gt_i_units_to_ns(w->search->s, found->units);
    for (int i = 0; i < w->n_bounds; i++) {
        bool proved = w->bounds[i].units != GT_CFN_INFINITE && gt_i_units_to_ns(w->search->s, w->bounds[i].units) >= ns;
        if (w->bounds[i].limit_bytes >= found->arena_bytes && proved) {
            return true;
        }
    }
    return false;
}

/* A limit as small as a point's arena leaves the least to choose from, so a proof is most likely there. What is found may
 * beat points; the walk goes on from the larger arenas to the smaller ones. */
static gt_status prove_points(struct sweep *w)
{
    gt_status status = GT_OK;
    gt_memory_search *m = w->search;
    int64_t at = INT64_MAX;
    for (int k = 0; k < LIMITS && !gt_i_is_late(m); k++) {
        const gt_found *next = gt_i_fastest_within(m, at);
        if (next == NULL) {
            break;
        }
        at = next->arena_bytes - 1;
        tell(w);
        if (!is_optimal(w, next)) {
            GT_TRY(search_limit(w, next->arena_bytes));
        }
    }
done:
    return status;
}

static gt_status add_point(gt_front *front, const struct sweep *w, const gt_found *found)
{
    gt_status status = GT_OK;
    const gt_selection *s = w->search->s;
    gt_schedule schedule = {0};
    GT_TRY(gt_i_schedule(s, found->values, &schedule));
    gt_front_point point = {.arena_bytes = found->arena_bytes, .predicted_ns = schedule.predicted_ns,
                            .optimal = is_optimal(w, found), .transforms = schedule.n_transforms};
    for (int i = 0; i < schedule.n_ops; i++) {
        point.layouts |= s->sites[s->graph->ops[i].output].copies >= 0 ? 1u << schedule.ops[i].out : 0;
    }
    /* Equally fast but for ties: the smaller one is better. */
    if (front->n > 0 && front->points[front->n - 1].predicted_ns == point.predicted_ns) {
        front->points[front->n - 1] = point;
    } else {
        GT_PUSH(front->points, front->n, front->capacity, point);
    }
done:
    gt_schedule_clear(&schedule);
    return status;
}

static gt_status search_front(gt_front *front, const gt_selection *s, const uint32_t *allowed, gt_front_progress progress,
                              void *context)
{
    gt_status status = GT_OK;
    struct sweep w = {.progress = progress, .context = context};
    int32_t *optimum = NULL;
    int64_t bound = 0;
    int64_t arena_bytes = 0;
    GT_TRY(gt_calloc(&optimum, (size_t)s->graph->n_ops, sizeof *optimum));
    GT_TRY(gt_i_relax(s, &bound, optimum, allowed));
    GT_REQUIRE(bound != GT_CFN_INFINITE, GT_ERROR_UNSUPPORTED,
               "no schedule can be put together from these records: transforms are missing; measure them with `graphtune tune`");
    GT_TRY(gt_i_memory_search_create(&w.search, s, allowed));
    GT_TRY(gt_i_look_at(w.search, &arena_bytes, optimum, INT64_MAX));
    w.bounds[w.n_bounds++] = (struct bound){INT64_MAX, bound, arena_bytes};
    GT_TRY(gt_i_search_smallest(w.search));
    GT_TRY(sweep_limits(&w));
    GT_TRY(prove_points(&w));
    for (int i = 0; i < w.search->n_found; i++) {
        GT_TRY(add_point(front, &w, &w.search->found[i]));
    }
    front->least_bytes = w.search->least_bytes;
done:
    gt_i_memory_search_destroy(w.search);
    gt_free(optimum);
    return status;
}

gt_status gt_select_front(gt_front **front, const gt_graph *graph, const gt_records *records, const gt_select_options *options,
                          gt_front_progress progress, void *context)
{
    gt_status status = GT_OK;
    gt_select_options o = *options;
    gt_selection *s = NULL;
    uint32_t *allowed = NULL;
    gt_front *f = NULL;
    o.layouts |= 1u << GT_NCHW;
    o.max_memory_bytes = INT64_MAX; /* what only smaller arenas need is wanted as well */
    GT_TRY(gt_calloc(&f, 1, sizeof *f));
    GT_TRY(gt_i_selection_create(&s, graph, records, &o));
    GT_TRY(gt_i_require_templates(s));
    GT_TRY(gt_i_restrict(s, o.only_layout, &allowed));
    GT_TRY(search_front(f, s, allowed, progress, context));
    *front = f;
    f = NULL;
done:
    gt_front_destroy(f);
    gt_free(allowed);
    gt_i_selection_destroy(s);
    return status;
}

void gt_front_destroy(gt_front *front)
{
    if (front != NULL) {
        gt_free(front->points);
        gt_free(front);
    }
}
