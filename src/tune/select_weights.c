/* SPDX-License-Identifier: Apache-2.0 */
/* Small arenas by weights. The largest number of bytes alive is no sum over ops and tensors, so no cost of the network; but
 * what is alive in one period is about one, and a price on the bytes of the periods that exceed the limit (Lagrangian
 * relaxation) leads the exact solver to schedules that keep less there. */
#include "src/tune/select_memory_internal.h"

#include <math.h>
#include <string.h>

#define KIB 1024.0

/* Solver units are coarser here by so many bits, so that weights fit beside the times, and no price is higher than this. */
#define SPARE_BITS 14
#define MOST_UNITS 0x1p47

static int spare_bits(const gt_selection *s)
{
    return s->scale_bits < SPARE_BITS ? s->scale_bits : SPARE_BITS;
}

/* What bytes cost at this price in ns per KiB, in the coarser units. */
static int64_t price(const gt_selection *s, double byte_weights)
{
    return (int64_t)fmin(round(ldexp(byte_weights / KIB, s->scale_bits - spare_bits(s))), MOST_UNITS);
}

/* A tensor's copies with the weights of the periods in which its forms live: `held` behind its producer's, `made` while
 * copies are made. */
static void price_copies(gt_copies *c, const gt_lifetimes *l, int tensor, double held, double made)
{
    bool is_input = l->s->sites[tensor].is_input;
    for (int from = 0; from < GT_LAYOUT_COUNT; from++) {
        for (unsigned need = 0; need < GT_MASKS; need++) {
            double kept = 0;
            double source = (need >> from & 1) == 0 && !is_input ? (double)l->bytes[tensor * GT_LAYOUT_COUNT + from] : 0;
            for (int layout = 0; layout < GT_LAYOUT_COUNT; layout++) {
                bool extra = (need >> layout & 1) != 0 && !(is_input && layout == GT_NCHW);
                kept += extra ? (double)l->bytes[tensor * GT_LAYOUT_COUNT + layout] : 0;
            }
            int64_t *cover = &c->cover[from][need];
            *cover = *cover == GT_CFN_INFINITE
                         ? GT_CFN_INFINITE
                         : (*cover >> spare_bits(l->s)) + price(l->s, kept * (held + made) + source * made);
        }
    }
}

static void sum_weights(const gt_lifetimes *l, int tensor, const double *weight, double *held, double *made)
{
    int n_ops = l->s->graph->n_ops;
    int last = l->last[tensor] < n_ops ? l->last[tensor] : n_ops - 1;
    int producer = l->made[tensor];
    *made = producer >= 0 ? weight[2 * producer + 1] : 0;
    *held = 0;
    for (int i = producer + 1; i <= last; i++) {
        *held += weight[2 * i] + (i < last || l->last[tensor] == n_ops ? weight[2 * i + 1] : 0);
    }
}

/* The price of a choice's output while its op runs. What is in place is in memory already, but all of it from when its first
 * input is made: the part that belongs to inputs made later is what it takes beside them. */
static double price_output(const gt_lifetimes *l, const double *weight, int op, const gt_choice *choice)
{
    const gt_op *o = &l->s->graph->ops[op];
    double bytes = (double)l->bytes[o->output * GT_LAYOUT_COUNT + (int)choice->out];
    if (gt_i_role(choice) == GT_ROLE_INSIDE) {
        return 0;
    }
    if (!gt_i_is_in_place(choice)) {
        return bytes * weight[2 * op];
    }
    double sum = 0;
    for (int i = op; i >= 0 && l->host[l->group[o->output]] < 0; i--) {
        double later = 0;
        for (int k = 0; k < o->n_inputs; k++) {
            later += l->made[o->inputs[k]] >= i ? (double)l->bytes[o->inputs[k] * GT_LAYOUT_COUNT + (int)choice->out] : 0;
        }
        sum += later < bytes ? later * (weight[2 * i] + weight[2 * i + 1]) : 0;
    }
    return sum;
}

static void price_ops(gt_domain *domains, const gt_lifetimes *l, const double *weight)
{
    const gt_graph *g = l->s->graph;
    for (int i = 0; i < g->n_ops; i++) {
        for (int v = 0; v < domains[i].n; v++) {
            gt_choice *c = &domains[i].choice[v];
            c->tie >>= spare_bits(l->s);
            c->ns += (double)(price(l->s, price_output(l, weight, i, c)) >> (l->s->scale_bits - spare_bits(l->s)));
        }
    }
}

gt_status gt_i_solve_weighted(const gt_lifetimes *l, const uint32_t *allowed, const double *weight, int32_t *values,
                              bool *feasible)
{
    gt_status status = GT_OK;
    gt_selection priced_selection = *l->s;
    gt_selection *s = &priced_selection;
    const gt_graph *g = s->graph;
    int64_t bound = 0;
    s->scale_bits -= spare_bits(s);
    s->domains = NULL;
    s->sites = NULL;
    s->copies = NULL;
    GT_TRY(gt_calloc(&s->domains, (size_t)g->n_ops, sizeof *s->domains));
    GT_TRY(gt_calloc(&s->sites, (size_t)g->n_tensors, sizeof *s->sites));
    GT_TRY(gt_calloc(&s->copies, (size_t)g->n_tensors, sizeof *s->copies));
    memcpy(s->domains, l->s->domains, (size_t)g->n_ops * sizeof *s->domains);
    memcpy(s->sites, l->s->sites, (size_t)g->n_tensors * sizeof *s->sites);
    s->n_copies = g->n_tensors;
    price_ops(s->domains, l, weight);
    for (int t = 0; t < g->n_tensors; t++) {
        if (s->sites[t].copies >= 0) {
            double held = 0;
            double made = 0;
            s->copies[t] = l->s->copies[s->sites[t].copies];
            s->sites[t].copies = t;
            sum_weights(l, t, weight, &held, &made);
            price_copies(&s->copies[t], l, t, held, made);
        }
    }
    status = gt_i_relax(s, &bound, values, allowed);
    *feasible = status == GT_OK && bound != GT_CFN_INFINITE;
    status = status == GT_ERROR_LIMIT ? GT_OK : status; /* a budget has run out, which ends the search only */
done:
    gt_free(s->copies);
    gt_free(s->sites);
    gt_free(s->domains);
    return status;
}

/* The periods beyond the limit get dearer in proportion to what they exceed it by; where only the arena's gaps exceed it, the
 * fullest ones do. */
static void raise_weights(double *weight, const int64_t *live, int n, int64_t limit, int64_t arena_bytes, double step)
{
    int64_t peak = 0;
    for (int p = 0; p < n; p++) {
        peak = live[p] > peak ? live[p] : peak;
    }
    int64_t mark = peak > limit ? limit : peak - (arena_bytes - limit) / 2 - 1;
    for (int p = 0; p < n; p++) {
        if (live[p] > mark) {
            weight[p] += step * (double)(live[p] - mark) / (double)(peak - mark);
        }
    }
}

gt_status gt_i_search_weights(gt_memory_search *search, int64_t limit, int rounds)
{
    gt_status status = GT_OK;
    const gt_graph *g = search->s->graph;
    int n = 2 * g->n_ops;
    double *weight = NULL;
    int32_t *values = NULL;
    uint32_t *allowed = NULL;
    gt_least least;
    GT_TRY(gt_calloc(&weight, (size_t)n, sizeof *weight));
    GT_TRY(gt_calloc(&values, (size_t)g->n_ops, sizeof *values));
    GT_TRY(gt_calloc(&allowed, (size_t)g->n_ops, sizeof *allowed));
    memcpy(allowed, search->allowed, (size_t)g->n_ops * sizeof *allowed);
    GT_TRY(gt_i_prune(&least, search->l, allowed, limit));
    /* The price of a byte starts at what is small beside the fastest schedule's time per byte alive. */
    double total_ns = ldexp((double)search->found[0].units, -search->s->scale_bits);
    double step = 0.02 * total_ns / ((double)limit / KIB + 1);
    bool feasible = least.possible;
    for (int round = 0; round < rounds && feasible && !gt_i_is_late(search); round++) {
        int64_t arena_bytes = limit;
        GT_TRY(gt_i_solve_weighted(search->l, allowed, weight, values, &feasible));
        if (feasible) {
            GT_TRY(gt_i_look_at(search, &arena_bytes, values, INT64_MAX));
        }
        if (arena_bytes > limit) {
            raise_weights(weight, search->live, n, limit, arena_bytes, step);
            step *= 1.5;
        } else {
            for (int p = 0; p < n; p++) {
                weight[p] *= 0.6;
            }
            step *= 0.3;
        }
    }
done:
    gt_free(allowed);
    gt_free(values);
    gt_free(weight);
    return status;
}
