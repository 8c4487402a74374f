/* SPDX-License-Identifier: Apache-2.0 */
/* Selection under a memory limit: the search as a whole, and what it says in the plan. */
#include "src/base/clock.h"
#include "src/tune/select_memory_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

gt_status gt_i_memory_search_create(gt_memory_search **search, const gt_selection *s, const uint32_t *allowed)
{
    gt_status status = GT_OK;
    gt_memory_search *m = NULL;
    GT_TRY(gt_calloc(&m, 1, sizeof *m));
    m->s = s;
    m->allowed = allowed;
    m->smallest_bytes = INT64_MAX;
    if (s->options->time_budget_s > 0) {
        m->deadline_ns = s->begin_ns + (int64_t)(s->options->time_budget_s * 1e9);
    }
    GT_TRY(gt_calloc(&m->live, 2 * (size_t)s->graph->n_ops, sizeof *m->live));
    GT_TRY(gt_i_lifetimes_create(&m->l, s));
    GT_TRY(gt_i_footprint_create(&m->f, m->l));
    GT_TRY(gt_i_least_arena(&m->least_bytes, m->l, allowed));
    *search = m;
    m = NULL;
done:
    gt_i_memory_search_destroy(m);
    return status;
}

void gt_i_memory_search_destroy(gt_memory_search *m)
{
    if (m != NULL) {
        for (int i = 0; i < m->n_found; i++) {
            gt_free(m->found[i].values);
        }
        gt_free(m->found);
        gt_i_footprint_destroy(m->f);
        gt_i_lifetimes_destroy(m->l);
        gt_free(m->live);
        gt_free(m);
    }
}

bool gt_i_is_late(const gt_memory_search *m)
{
    const volatile int *stop = m->s->options->stop;
    return (stop != NULL && *stop != 0) || (m->deadline_ns != 0 && gt_now_ns() > m->deadline_ns);
}

gt_status gt_i_require_templates(const gt_selection *s)
{
    for (int i = 0; i < s->graph->n_ops; i++) {
        for (int v = 0; v < s->domains[i].n; v++) {
            if (s->domains[i].choice[v].tmpl == NULL) {
                return gt_fail(GT_ERROR_UNSUPPORTED,
                               "op \"%s\": imported and modelled costs are of code that is not run here, for which there is no "
                               "memory plan; a limit on memory needs measured records", s->graph->ops[i].name);
            }
        }
    }
    return GT_OK;
}

/* ---- what is found ---- */

const gt_found *gt_i_fastest_within(const gt_memory_search *m, int64_t limit)
{
    for (int i = 0; i < m->n_found; i++) {
        if (m->found[i].arena_bytes <= limit) {
            return &m->found[i];
        }
    }
    return NULL;
}

/* Removes what the fresh one beats; false if it is beaten itself, or equalled. */
static bool make_room(gt_memory_search *m, int64_t units, int64_t arena_bytes)
{
    int n = 0;
    for (int i = 0; i < m->n_found; i++) {
        if (m->found[i].units <= units && m->found[i].arena_bytes <= arena_bytes) {
            return false;
        }
    }
    for (int i = 0; i < m->n_found; i++) {
        if (m->found[i].units >= units && m->found[i].arena_bytes >= arena_bytes) {
            gt_free(m->found[i].values);
        } else {
            m->found[n++] = m->found[i];
        }
    }
    m->n_found = n;
    return true;
}

static gt_status keep(gt_memory_search *m, const int32_t *values, int64_t arena_bytes)
{
    gt_status status = GT_OK;
    size_t n = (size_t)m->s->graph->n_ops;
    gt_found fresh = {.units = gt_i_units(m->l, values), .arena_bytes = arena_bytes};
    if (!make_room(m, fresh.units, arena_bytes)) {
        return GT_OK;
    }
    GT_TRY(gt_calloc(&fresh.values, n, sizeof *fresh.values));
    memcpy(fresh.values, values, n * sizeof *values);
    GT_PUSH(m->found, m->n_found, m->found_capacity, fresh);
    for (int i = m->n_found - 1; i > 0 && m->found[i - 1].units > fresh.units; i--) {
        m->found[i] = m->found[i - 1];
        m->found[i - 1] = fresh;
    }
    m->smallest_bytes = arena_bytes < m->smallest_bytes ? arena_bytes : m->smallest_bytes;
    fresh.values = NULL;
done:
    gt_free(fresh.values);
    return status;
}

gt_status gt_i_look_at(gt_memory_search *m, int64_t *arena_bytes, const int32_t *values, int64_t limit)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_footprint(m->f, arena_bytes, m->live, values, limit));
    m->n_looked_at++;
    if (*arena_bytes <= limit) {
        GT_TRY(keep(m, values, *arena_bytes));
    }
done:
    return status;
}

/* ---- the search ---- */

/* Large networks take longer per solution, so they get fewer. */
static int solves_of(const gt_memory_search *m, int share)
{
    enum { EFFORT = 20000, LEAST = 16, MOST = 2000 };
    int solves = EFFORT / (m->s->graph->n_ops + 1);
    solves = solves > MOST ? MOST : solves;
    return solves / share > LEAST ? solves / share : LEAST;
}

gt_status gt_i_search_limit(gt_memory_search *m, int64_t *bound_units, int64_t limit, int share)
{
    gt_status status = GT_OK;
    enum { ROUNDS = 24, FEWEST = 8 };
    *bound_units = GT_CFN_INFINITE;
    if (limit < m->least_bytes) {
        return GT_OK;
    }
    GT_TRY(gt_i_search_weights(m, limit, ROUNDS / share > FEWEST ? ROUNDS / share : FEWEST));
    GT_TRY(gt_i_improve(m, limit));
    GT_TRY(gt_i_branch_and_bound(m, bound_units, limit, solves_of(m, share)));
    GT_TRY(gt_i_improve(m, limit));
    if (*bound_units == GT_CFN_INFINITE) {
        m->least_bytes = limit + 1;
    }
done:
    return status;
}

gt_status gt_i_search_smallest(gt_memory_search *m)
{
    gt_status status = GT_OK;
    enum { ROUNDS = 12, SHARE = 8 };
    int64_t low = m->least_bytes;
    for (int i = 0; i < ROUNDS && m->smallest_bytes - low > m->smallest_bytes / 200 && !gt_i_is_late(m); i++) {
        int64_t bound = 0;
        int64_t middle = low + (m->smallest_bytes - low) / 2;
        GT_TRY(gt_i_search_limit(m, &bound, middle, SHARE));
        low = m->smallest_bytes > middle ? middle + 1 : low;
    }
done:
    return status;
}

/* ---- the plan ---- */

/* A limit in the unit that shows it well, with the exact number. */
static const char *exact_bytes(char *buffer, size_t bytes, int64_t value)
{
    char text[32];
    snprintf(buffer, bytes, "%s (%lld bytes)", gt_format_bytes(text, sizeof text, (double)value), (long long)value);
    return buffer;
}

static gt_status refuse(gt_memory_search *m, int64_t limit)
{
    gt_status status = GT_OK;
    char asked[64];
    char smallest[64];
    char least[64];
    GT_TRY(gt_i_search_smallest(m));
    exact_bytes(asked, sizeof asked, limit);
    exact_bytes(smallest, sizeof smallest, m->smallest_bytes);
    exact_bytes(least, sizeof least, m->least_bytes);
    GT_REQUIRE(m->least_bytes <= limit, GT_ERROR_LIMIT,
               "no schedule of these records has an arena of at most %s: proved, none can need less than %s; the smallest found "
               "needs %s", asked, least, smallest);
    GT_REQUIRE(false, GT_ERROR_LIMIT,
               "no schedule found has an arena of at most %s; the smallest found needs %s, and none can need less than %s", asked,
               smallest, least);
done:
    return status;
}

static gt_status state(gt_plan_result *r, const gt_memory_search *m, const gt_found *best, int64_t bound_units)
{
    gt_status status = GT_OK;
    const gt_selection *s = m->s;
    const volatile int *stop = s->options->stop;
    char *method = NULL;
    double bound = fmax(r->lower_bound_ns, gt_i_units_to_ns(s, bound_units));
    GT_TRY(gt_strdup(&method, "memory-limit search"));
    gt_free(r->method);
    r->method = method;
    r->predicted_ns = gt_i_units_to_ns(s, best->units);
    r->optimal = bound >= r->predicted_ns;
    r->lower_bound_ns = r->optimal ? r->predicted_ns : bound;
    r->gap = r->predicted_ns > 0 ? 1 - r->lower_bound_ns / r->predicted_ns : 0;
    if (r->optimal) {
        gt_free(r->stopped);
        r->stopped = NULL;
    } else if (r->stopped == NULL && gt_i_is_late(m)) {
        GT_TRY(gt_strdup(&r->stopped, stop != NULL && *stop != 0 ? "interrupted" : "time"));
    }
done:
    return status;
}

gt_status gt_i_fit_memory(const gt_selection *s, int32_t *values, gt_plan_result *result)
{
    gt_status status = GT_OK;
    gt_memory_search *m = NULL;
    uint32_t *allowed = NULL;
    int64_t limit = s->options->max_memory_bytes;
    int64_t arena_bytes = 0;
    int64_t bound = 0;
    int64_t start = gt_now_ns();
    GT_TRY(gt_i_require_templates(s));
    GT_TRY(gt_i_restrict(s, s->options->only_layout, &allowed));
    GT_TRY(gt_i_memory_search_create(&m, s, allowed));
    GT_TRY(gt_i_look_at(m, &arena_bytes, values, INT64_MAX));
    result->memory_limit_bytes = limit;
    result->unlimited_ns = result->lower_bound_ns;
    if (arena_bytes > limit) {
        GT_TRY(gt_i_search_limit(m, &bound, limit, 1));
        const gt_found *best = gt_i_fastest_within(m, limit);
        if (best == NULL) {
            GT_TRY(refuse(m, limit));
        }
        memcpy(values, best->values, (size_t)s->graph->n_ops * sizeof *values);
        GT_TRY(state(result, m, best, bound));
    }
    result->schedules_compared = m->n_looked_at;
    result->solver_ns += (double)(gt_now_ns() - start);
done:
    gt_i_memory_search_destroy(m);
    gt_free(allowed);
    return status;
}
