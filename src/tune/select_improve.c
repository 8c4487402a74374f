/* SPDX-License-Identifier: Apache-2.0 */
/* Faster schedules beside one that fits: other choices for one op, or for an op and one that reads it. */
#include "src/tune/select_memory_internal.h"

#include <string.h>

/* A change of one or two ops (the same op twice: of one) and what the ops and tensors that it touches cost. */
struct change {
    const gt_lifetimes *l;
    int32_t *values;
    int op[2];
};

/* The cost of a tensor's copies, 0 where it was counted with an earlier one. */
static int64_t tensor_units(const struct change *c, int tensor)
{
    const gt_selection *s = c->l->s;
    if (tensor == GT_NO_TENSOR || s->sites[tensor].copies < 0) {
        return 0;
    }
    unsigned needs = gt_i_tensor_needs(c->l, c->values, tensor);
    const int producer = s->graph->tensors[tensor].producer;
    const int second = producer >= 0 ? s->pairs->second[producer] : -1;
    if (second >= 0 && gt_i_pair_units(s, tensor, c->values[producer], c->values[second]) != 0) {
        return GT_CFN_INFINITE;
    }
    return s->copies[s->sites[tensor].copies].cover[gt_i_made_in(s, c->values, tensor)][needs];
}

static bool touches(const gt_op *op, int tensor, int before)
{
    for (int i = 0; i < before && i < op->n_inputs; i++) {
        if (op->inputs[i] == tensor) {
            return true;
        }
    }
    return before > op->n_inputs && op->output == tensor;
}

static int64_t add(int64_t a, int64_t b)
{
    return a == GT_CFN_INFINITE || b == GT_CFN_INFINITE ? GT_CFN_INFINITE : a + b;
}

/* Every tensor beside one of the ops counts once. */
static int64_t local_units(const struct change *c)
{
    const gt_selection *s = c->l->s;
    int64_t units = 0;
    for (int k = 0; k < (c->op[0] == c->op[1] ? 1 : 2); k++) {
        const gt_op *op = &s->graph->ops[c->op[k]];
        const gt_op *other = k == 1 ? &s->graph->ops[c->op[0]] : NULL;
        units = add(units, gt_i_choice_units(s, &s->domains[c->op[k]].choice[c->values[c->op[k]]]));
        for (int i = 0; i <= op->n_inputs; i++) {
            int t = i < op->n_inputs ? op->inputs[i] : op->output;
            bool counted = touches(op, t, i) || (other != NULL && touches(other, t, other->n_inputs + 1));
            units = add(units, counted ? 0 : tensor_units(c, t));
        }
    }
    return units;
}

/* Tries the choices of both ops; keeps the first change that is faster and fits. */
static gt_status try_pair(gt_memory_search *search, int32_t *values, int a, int b, int64_t limit, bool *better)
{
    gt_status status = GT_OK;
    const gt_selection *s = search->s;
    struct change change = {search->l, values, {a, b}};
    const int32_t old[2] = {values[a], values[b]};
    int64_t before = local_units(&change);
    for (int v = 0; v < s->domains[a].n; v++) {
        for (int w = 0; w < (a == b ? 1 : s->domains[b].n); w++) {
            int64_t arena_bytes = INT64_MAX;
            values[a] = v;
            values[b] = a == b ? v : w;
            bool may = (search->allowed[a] >> v & 1) != 0 && (search->allowed[b] >> values[b] & 1) != 0;
            if (may && local_units(&change) < before) {
                GT_TRY(gt_i_look_at(search, &arena_bytes, values, limit));
            }
            if (arena_bytes <= limit) {
                *better = true;
                return GT_OK;
            }
        }
    }
    values[a] = old[0];
    values[b] = old[1];
done:
    return status;
}

static gt_status pass(gt_memory_search *search, int32_t *values, int64_t limit, bool *better)
{
    gt_status status = GT_OK;
    const gt_selection *s = search->s;
    for (int a = 0; a < s->graph->n_ops; a++) {
        const gt_site *site = &s->sites[s->graph->ops[a].output];
        GT_TRY(try_pair(search, values, a, a, limit, better));
        for (int i = site->first; i < site->last; i++) {
            GT_TRY(try_pair(search, values, a, s->consumer[i], limit, better));
        }
    }
done:
    return status;
}

gt_status gt_i_improve(gt_memory_search *search, int64_t limit)
{
    gt_status status = GT_OK;
    enum { PASSES = 8 };
    size_t n = (size_t)search->s->graph->n_ops;
    int32_t *values = NULL;
    const gt_found *best = gt_i_fastest_within(search, limit);
    bool better = best != NULL;
    GT_TRY(gt_calloc(&values, n, sizeof *values));
    if (best != NULL) {
        memcpy(values, best->values, n * sizeof *values);
    }
    for (int i = 0; i < PASSES && better; i++) {
        better = false;
        GT_TRY(pass(search, values, limit, &better));
    }
done:
    gt_free(values);
    return status;
}
