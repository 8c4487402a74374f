/* SPDX-License-Identifier: Apache-2.0 */
/* How tensors are made, read and kept by given choices. */
#include "src/tune/select_memory_internal.h"

#include <string.h>

/* The layout added last is the one whose removal and cheapest attachment give the set's cost. */
static bool find_last_hop(gt_hop *hop, const gt_copies *c, int from, unsigned set)
{
    for (int b = 0; b < GT_LAYOUT_COUNT; b++) {
        unsigned rest = set & ~(1u << b);
        for (int m = 0; b != from && rest != set && m < GT_LAYOUT_COUNT; m++) {
            bool possible = (rest >> m & 1) != 0 && c->make[from][rest] != GT_CFN_INFINITE && c->cost[m][b] != GT_CFN_INFINITE;
            if (possible && c->make[from][rest] + c->cost[m][b] == c->make[from][set]) {
                *hop = (gt_hop){(gt_layout)m, (gt_layout)b};
                return true;
            }
        }
    }
    return false;
}

gt_status gt_i_way(gt_hop hops[GT_LAYOUT_COUNT], int *n_hops, const gt_copies *copies, int from, unsigned set)
{
    gt_hop last[GT_LAYOUT_COUNT];
    int n = 0;
    while (set != 1u << from) {
        if (n == GT_LAYOUT_COUNT || !find_last_hop(&last[n], copies, from, set)) {
            return gt_fail(GT_ERROR_INTERNAL, "no way to make a set of layouts");
        }
        set &= ~(1u << last[n++].to);
    }
    for (int i = 0; i < n; i++) {
        hops[i] = last[n - 1 - i];
    }
    *n_hops = n;
    return GT_OK;
}

gt_layout gt_i_made_in(const gt_selection *s, const int32_t *values, int tensor)
{
    int op = s->graph->tensors[tensor].producer;
    return op >= 0 ? s->domains[op].choice[values[op]].out : GT_NCHW;
}

unsigned gt_i_tensor_needs(const gt_lifetimes *l, const int32_t *values, int tensor)
{
    const gt_site *site = &l->s->sites[tensor];
    unsigned needs = site->is_output ? 1u << GT_NCHW : 0;
    for (int i = site->first; i < site->last; i++) {
        needs |= l->needs[i * GT_MAX_CHOICES + values[l->s->consumer[i]]];
    }
    return needs;
}

int64_t gt_i_units(const gt_lifetimes *l, const int32_t *values)
{
    const gt_selection *s = l->s;
    int64_t units = gt_i_all_pair_units(s, values);
    for (int i = 0; i < s->graph->n_ops && units != GT_CFN_INFINITE; i++) {
        units += gt_i_choice_units(s, &s->domains[i].choice[values[i]]);
    }
    for (int t = 0; t < s->graph->n_tensors && units != GT_CFN_INFINITE; t++) {
        if (s->sites[t].copies >= 0) {
            unsigned needs = gt_i_tensor_needs(l, values, t);
            int64_t cover = s->copies[s->sites[t].copies].cover[gt_i_made_in(s, values, t)][needs];
            if (cover == GT_CFN_INFINITE) {
                return GT_CFN_INFINITE;
            }
            units += cover;
        }
    }
    return units;
}

/* ---- lifetimes ---- */

static void fill_tensor(gt_lifetimes *l, int t)
{
    const gt_graph *g = l->s->graph;
    const gt_tensor *tensor = &g->tensors[t];
    const gt_site *site = &l->s->sites[t];
    for (int layout = 0; layout < GT_LAYOUT_COUNT; layout++) {
        gt_layout stored = site->copies >= 0 ? (gt_layout)layout : GT_NCHW;
        int64_t bytes = gt_layout_elems(stored, &tensor->shape) * (int64_t)gt_dtype_bytes(tensor->dtype);
        l->bytes[t * GT_LAYOUT_COUNT + layout] = (bytes + GT_ALIGN_BYTES - 1) / GT_ALIGN_BYTES * GT_ALIGN_BYTES;
    }
    l->group[t] = t;
    l->made[t] = tensor->data != NULL ? g->n_ops : tensor->producer;
    l->last[t] = site->is_input || site->is_output ? g->n_ops : tensor->producer;
    for (int i = site->first; i < site->last; i++) {
        int reader = l->s->consumer[i];
        l->last[t] = reader > l->last[t] ? reader : l->last[t];
        for (int v = 0; v < l->s->domains[reader].n; v++) {
            l->needs[i * GT_MAX_CHOICES + v] = (uint8_t)gt_i_needs(l->s, reader, v, t);
        }
    }
}

gt_status gt_i_lifetimes_create(gt_lifetimes **lifetimes, const gt_selection *s)
{
    gt_status status = GT_OK;
    gt_lifetimes *l = NULL;
    size_t n = (size_t)s->graph->n_tensors;
    size_t slots = (size_t)s->first[n];
    GT_TRY(gt_calloc(&l, 1, sizeof *l));
    l->s = s;
    GT_TRY(gt_calloc(&l->bytes, n * GT_LAYOUT_COUNT, sizeof *l->bytes));
    GT_TRY(gt_calloc(&l->made, n, sizeof *l->made));
    GT_TRY(gt_calloc(&l->last, n, sizeof *l->last));
    GT_TRY(gt_calloc(&l->group, n, sizeof *l->group));
    GT_TRY(gt_calloc(&l->host, n, sizeof *l->host));
    GT_TRY(gt_calloc(&l->needs, slots * GT_MAX_CHOICES, sizeof *l->needs));
    for (int t = 0; t < s->graph->n_tensors; t++) {
        fill_tensor(l, t);
    }
    GT_TRY(gt_i_group_memory(l));
    *lifetimes = l;
    l = NULL;
done:
    gt_i_lifetimes_destroy(l);
    return status;
}

void gt_i_lifetimes_destroy(gt_lifetimes *l)
{
    if (l != NULL) {
        gt_free(l->needs);
        gt_free(l->host);
        gt_free(l->group);
        gt_free(l->last);
        gt_free(l->made);
        gt_free(l->bytes);
        gt_free(l);
    }
}
