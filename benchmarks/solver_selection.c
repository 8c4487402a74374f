/* SPDX-License-Identifier: Apache-2.0 */
#include "benchmarks/solver_selection.h"

#include <math.h>

_Static_assert(GT_LAYOUT_COUNT == LP_LAYOUTS && GT_NCHW == 0, "the benchmark speaks of the same layouts");

static void add_transforms(lp_problem *p, const gt_copies *copies)
{
    lp_transforms t;
    for (int k = 0; k < LP_PAIRS; k++) {
        double ns = copies->ns[k / LP_LAYOUTS][k % LP_LAYOUTS];
        t.ns[k / LP_LAYOUTS][k % LP_LAYOUTS] = ns == HUGE_VAL ? LP_NONE : (int64_t)ns;
    }
    (void)lp_add_transforms(p, &t);
}

static bool is_variable(const gt_graph *g, int tensor)
{
    return tensor != GT_NO_TENSOR && g->tensors[tensor].data == NULL;
}

static void add_op(lp_problem *p, const gt_graph *g, int index, const gt_domain *domain)
{
    const gt_op *op = &g->ops[index];
    int32_t *inputs = NULL, n = 0, fused = -1;
    lp_candidate c[LP_PAIRS];
    lp_must(gt_calloc(&inputs, (size_t)op->n_inputs, sizeof *inputs));
    for (int i = 0; i < op->n_inputs; i++) {
        if (is_variable(g, op->inputs[i])) {
            fused = op->kind == GT_OP_CONV2D && i == 3 ? n : fused;
            inputs[n++] = op->inputs[i];
        }
    }
    for (int v = 0; v < domain->n; v++) {
        c[v] = (lp_candidate){(int32_t)domain->choice[v].in, (int32_t)domain->choice[v].out, (int64_t)domain->choice[v].ns};
    }
    (void)lp_add_op(p, n, inputs, domain->n, c);
    if (fused >= 0) {
        p->inputs[p->ops[index].first_input + fused].fused = true;
    }
    gt_free(inputs);
}

lp_problem *lp_of_selection(const gt_selection *s)
{
    const gt_graph *g = s->graph;
    lp_problem *p = lp_create();
    for (int i = 0; i < s->n_copies; i++) {
        add_transforms(p, &s->copies[i]);
    }
    for (int t = 0; t < g->n_tensors; t++) {
        (void)lp_add_tensor(p, g->tensors[t].producer, s->sites[t].copies);
    }
    for (int i = 0; i < g->n_ops; i++) {
        add_op(p, g, i, &s->domains[i]);
    }
    for (int i = 0; i < g->n_outputs; i++) {
        p->tensors[g->outputs[i]].is_output = true;
    }
    lp_finish(p, false);
    return p;
}

void lp_replace_domains(gt_selection *s, gt_rng *rng, int64_t range)
{
    for (int i = 0; i < s->graph->n_ops; i++) {
        lp_candidate c[LP_PAIRS];
        gt_domain *domain = &s->domains[i];
        domain->n = lp_draw_pairs(c, rng, 4 + (int32_t)gt_rng_below(rng, 17), range);
        for (int v = 0; v < domain->n; v++) {
            domain->choice[v] = (gt_choice){.in = (gt_layout)c[v].in, .out = (gt_layout)c[v].out, .ns = (double)c[v].ns};
        }
    }
}
