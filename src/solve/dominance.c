/* SPDX-License-Identifier: Apache-2.0 */
/* Dominance between two values of a variable, in pairwise form (dead-end elimination: Desmet et al.,
 * Nature 1992; Goldstein, Biophysical Journal 1994; for networks with forbidden pairs: de Givry, Prestwich,
 * O'Sullivan, CP 2013). */
#include "src/solve/solver.h"

/* The least of cost(drop, y) - cost(keep, y) over the neighbour's values y that go with `drop`;
 * -GT_I_FORBIDDEN when `keep` forbids one of them. */
static int64_t least_difference(const int64_t *drop, const int64_t *keep, int32_t count, int64_t stride)
{
    int64_t least = GT_I_FORBIDDEN;
    for (int32_t y = 0; y < count; y++) {
        int64_t d = drop[y * stride], k = keep[y * stride];
        if (gt_i_forbidden(d)) {
            continue;
        }
        if (gt_i_forbidden(k)) {
            return -GT_I_FORBIDDEN;
        }
        least = d - k < least ? d - k : least;
    }
    return least;
}

/* What replacing `drop` by `keep` costs less in an edge at least, as least_difference. The edge is in normal form. */
static int64_t gain_in_edge(const gt_i_edge *e, int32_t variable, int32_t drop, int32_t keep)
{
    bool is_a = e->a == variable;
    const uint16_t *class_of = is_a ? e->class_a : e->class_b;
    int32_t step = is_a ? e->columns : 1;
    if (class_of[drop] == class_of[keep]) {
        return 0;
    }
    return least_difference(e->table + class_of[drop] * step, e->table + class_of[keep] * step,
                            is_a ? e->columns : e->rows, is_a ? 1 : e->columns);
}

/* True if replacing `drop` by `keep` never makes an assignment dearer. *first is where
 * to start among the edges: the one that decided last time tends to decide again. */
static bool is_dominated(const gt_i_wcsp *net, int32_t variable, int32_t drop, int32_t keep, int32_t *first)
{
    const gt_i_variable *v = &net->variables[variable];
    int64_t gain = v->unary[drop] - v->unary[keep];
    for (int32_t n = 0, k = *first; n < v->degree; n++, k = k + 1 < v->degree ? k + 1 : 0) {
        int64_t least = gain_in_edge(&net->edges[v->edges[k]], variable, drop, keep);
        if (least == -GT_I_FORBIDDEN) {
            *first = k;
            return false;
        }
        if (least == GT_I_FORBIDDEN) {
            return true; /* no partner left: the value is useless anyway */
        }
        gain += least;
        /* staying clear of overflow may miss a dominance, never invent one */
        gain = gain < GT_I_COST_LIMIT ? gain : GT_I_COST_LIMIT;
        if (gain < -4 * GT_I_COST_LIMIT) {
            return false;
        }
    }
    return gain >= 0;
}

void gt_i_remove_dominated(gt_i_wcsp *net, int32_t variable)
{
    gt_i_variable *v = &net->variables[variable];
    int32_t first = 0;
    /* from the last value, so that of two equivalent ones the lower index stays */
    for (int32_t drop = v->domain - 1; drop >= 0; drop--) {
        for (int32_t keep = 0; keep < v->domain; keep++) {
            if (keep != drop && !gt_i_forbidden(v->unary[keep]) &&
                is_dominated(net, variable, drop, keep, &first)) {
                v->unary[drop] = GT_I_FORBIDDEN;
                break;
            }
        }
    }
}
