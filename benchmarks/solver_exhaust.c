/* SPDX-License-Identifier: Apache-2.0 */
/* Exhaustive search over a layout problem itself: neither set variables nor the recurrences of the model. */
#include "benchmarks/solver_problem.h"

#include <string.h>

struct trees {
    const lp_transforms *t;
    int root, parent[LP_LAYOUTS];
    unsigned set;
    int64_t *cover; /* [LP_SETS] for this root */
};

struct search {
    const lp_problem *p;
    int64_t (*cover)[LP_LAYOUTS][LP_SETS]; /* [transforms] */
    int64_t *rest;                         /* [ops + 1]: the least that ops from here on cost themselves */
    int32_t *last;                         /* [tensors]: the op after which all about the tensor is known, or -1 */
    const lp_candidate **choice;
    int64_t best;
};

/* The cost of one arborescence, LP_NONE if some layout of the set does not come from the root. */
static int64_t tree_cost(const struct trees *x)
{
    int64_t sum = 0;
    for (int b = 0; b < LP_LAYOUTS; b++) {
        int at = b;
        for (int hop = 0; hop < LP_LAYOUTS && (x->set >> b & 1) != 0 && at != x->root; hop++) {
            at = x->parent[at];
        }
        if ((x->set >> b & 1) != 0 && b != x->root) {
            int64_t step = x->t->ns[x->parent[b]][b];
            if (at != x->root || step == LP_NONE) {
                return LP_NONE;
            }
            sum += step;
        }
    }
    return sum;
}

static void try_parents(struct trees *x, int b)
{
    if (b == LP_LAYOUTS) {
        int64_t cost = tree_cost(x);
        for (unsigned need = 0; need < LP_SETS; need++) {
            if ((need & ~x->set) == 0 && cost < x->cover[need]) {
                x->cover[need] = cost;
            }
        }
    } else if (b == x->root || (x->set >> b & 1) == 0) {
        try_parents(x, b + 1);
    } else {
        for (x->parent[b] = 0; x->parent[b] < LP_LAYOUTS; x->parent[b]++) {
            if (x->parent[b] != b && (x->set >> x->parent[b] & 1) != 0) {
                try_parents(x, b + 1);
            }
        }
    }
}

static void fill_cover(int64_t cover[LP_LAYOUTS][LP_SETS], const lp_transforms *t)
{
    for (int root = 0; root < LP_LAYOUTS; root++) {
        for (int need = 0; need < LP_SETS; need++) {
            cover[root][need] = LP_NONE;
        }
        for (unsigned set = 1; set < LP_SETS; set++) {
            struct trees x = {.t = t, .root = root, .set = set, .cover = cover[root]};
            if ((set >> root & 1) != 0) {
                try_parents(&x, 0);
            }
        }
    }
}

/* What the tensor's transforms cost once its producer and all readers are chosen. */
static int64_t tensor_cost(const struct search *s, int32_t t)
{
    const lp_tensor *tensor = &s->p->tensors[t];
    unsigned need = tensor->is_output ? 1 : 0;
    for (int32_t k = s->p->first[t]; k < s->p->first[t + 1]; k++) {
        need |= lp_needs(s->p, s->p->reader[k], s->choice[s->p->reader[k]], t);
    }
    int from = tensor->producer >= 0 ? s->choice[tensor->producer]->out : 0;
    return s->cover[tensor->transforms][from][need];
}

static void try_from(struct search *s, int32_t op, int64_t cost)
{
    if (op == (int32_t)s->p->n_ops) {
        s->best = cost;
        return;
    }
    for (int32_t v = 0; v < s->p->ops[op].n; v++) {
        int64_t sum = cost + s->p->ops[op].c[v].ns;
        s->choice[op] = &s->p->ops[op].c[v];
        for (size_t t = 0; t < s->p->n_tensors && sum < s->best; t++) {
            if (s->last[t] == op) {
                int64_t more = tensor_cost(s, (int32_t)t);
                sum = more == LP_NONE ? LP_NONE : sum + more;
            }
        }
        if (sum < s->best && sum + s->rest[op + 1] < s->best) {
            try_from(s, op + 1, sum);
        }
    }
}

static void prepare(struct search *s)
{
    const lp_problem *p = s->p;
    for (size_t k = 0; k < p->n_transforms; k++) {
        fill_cover(s->cover[k], &p->transforms[k]);
    }
    for (size_t o = p->n_ops; o-- > 0;) {
        int64_t least = INT64_MAX;
        for (int32_t v = 0; v < p->ops[o].n; v++) {
            least = p->ops[o].c[v].ns < least ? p->ops[o].c[v].ns : least;
        }
        s->rest[o] = s->rest[o + 1] + least;
    }
    for (size_t t = 0; t < p->n_tensors; t++) {
        int32_t readers = p->first[t + 1] - p->first[t];
        int32_t last = readers > 0 ? p->reader[p->first[t + 1] - 1] : p->tensors[t].producer;
        s->last[t] = p->tensors[t].transforms >= 0 && (readers > 0 || p->tensors[t].is_output) ? last : -1;
    }
}

int64_t lp_exhaust(const lp_problem *p)
{
    struct search s = {.p = p, .best = INT64_MAX};
    lp_must(gt_calloc(&s.cover, p->n_transforms, sizeof *s.cover));
    lp_must(gt_calloc(&s.rest, p->n_ops + 1, sizeof *s.rest));
    lp_must(gt_calloc(&s.last, p->n_tensors, sizeof *s.last));
    lp_must(gt_calloc(&s.choice, p->n_ops, sizeof *s.choice));
    prepare(&s);
    try_from(&s, 0, 0);
    gt_free(s.cover);
    gt_free(s.rest);
    gt_free(s.last);
    gt_free(s.choice);
    return s.best;
}
