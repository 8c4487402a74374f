/* SPDX-License-Identifier: Apache-2.0 */
/* Which tensors may have memory in common, by all choices that the ops have. */
#include "src/tune/select_memory_internal.h"

#include <stdlib.h>

static int find_group(const int *group, int tensor)
{
    while (group[tensor] != tensor) {
        tensor = group[tensor];
    }
    return tensor;
}

/* Whether an op has a choice that shows its inputs' memory: in place, or as a view of the first one. */
static bool has_view(const gt_domain *domain, bool in_place)
{
    for (int v = 0; v < domain->n; v++) {
        const gt_template *t = domain->choice[v].tmpl;
        if (t != NULL && t->view && !t->inside && t->in_place == in_place) {
            return true;
        }
    }
    return false;
}

static void join_views(gt_lifetimes *l)
{
    const gt_graph *g = l->s->graph;
    for (int t = 0; t < g->n_tensors; t++) {
        l->group[t] = t;
        l->host[t] = -1;
    }
    for (int i = 0; i < g->n_ops; i++) {
        if (has_view(&l->s->domains[i], false) && g->ops[i].inputs[0] != GT_NO_TENSOR) {
            l->group[find_group(l->group, g->ops[i].output)] = find_group(l->group, g->ops[i].inputs[0]);
        }
    }
    for (int t = 0; t < g->n_tensors; t++) {
        l->group[t] = find_group(l->group, t);
    }
}

static int top_of(const gt_lifetimes *l, int group)
{
    while (l->host[group] >= 0) {
        group = l->host[group];
    }
    return group;
}

struct ranked {
    int64_t elems;
    int op;
};

static int smaller_first(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    return x->elems != y->elems ? (x->elems > y->elems) - (x->elems < y->elems) : (x->op > y->op) - (x->op < y->op);
}

/* The concats that may be in place, smaller outputs first, so that whatever an input lies in already goes into the output as a
 * whole: shorter concats of the same first inputs above all. An output that lies in something itself belongs to a larger concat,
 * which comes later, so that it is on top of what it holds. */
static gt_status place_concats(gt_lifetimes *l)
{
    gt_status status = GT_OK;
    const gt_graph *g = l->s->graph;
    struct ranked *order = NULL;
    int n = 0;
    GT_TRY(gt_calloc(&order, (size_t)g->n_ops, sizeof *order));
    for (int i = 0; i < g->n_ops; i++) {
        if (has_view(&l->s->domains[i], true)) {
            order[n++] = (struct ranked){gt_shape_elems(&g->tensors[g->ops[i].output].shape), i};
        }
    }
    if (n > 0) {
        qsort(order, (size_t)n, sizeof *order, smaller_first);
    }
    for (int k = 0; k < n; k++) {
        const gt_op *op = &g->ops[order[k].op];
        for (int i = 0; i < op->n_inputs; i++) {
            const int top = top_of(l, l->group[op->inputs[i]]);
            if (top != top_of(l, l->group[op->output])) {
                l->host[top] = l->group[op->output];
            }
        }
    }
done:
    gt_free(order);
    return status;
}

gt_status gt_i_group_memory(gt_lifetimes *lifetimes)
{
    join_views(lifetimes);
    return place_concats(lifetimes);
}

size_t gt_i_most_inputs(const gt_graph *graph)
{
    size_t most = 0;
    for (int i = 0; i < graph->n_ops; i++) {
        most = (size_t)graph->ops[i].n_inputs > most ? (size_t)graph->ops[i].n_inputs : most;
    }
    return most;
}
