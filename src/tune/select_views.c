/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates that run nothing: views, and concats in place, which depend on the op's neighbours and not on its workload
 * alone. */
#include "src/tune/select_internal.h"

bool gt_i_is_in_place(const gt_choice *choice)
{
    return choice->tmpl != NULL && choice->tmpl->in_place;
}

/* The code of other compilers, and what is modelled for it, makes its own output. */
static bool runs_here(const gt_select_options *o)
{
    return (o->sources >> GT_SOURCE_FOREIGN & 1) == 0 && (o->sources >> GT_SOURCE_MODEL & 1) == 0;
}

unsigned gt_i_in_place_layouts(const gt_selection *s, int op)
{
    return runs_here(s->options) ? gt_placement_layouts(s->placement, op) & s->options->layouts : 0;
}

/* Views run nothing, so they cost exactly 0 and need no record. */
void gt_i_offer_views(const gt_selection *s, int op, gt_offers *offers)
{
    const gt_workload *w = s->graph->ops[op].workload;
    for (size_t i = 0; i < gt_template_count(); i++) {
        const gt_template *t = gt_template_at(i);
        for (int pair = 0; t->view && t->kind == w->kind && pair < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; pair++) {
            gt_choice view = {.in = (gt_layout)(pair / GT_LAYOUT_COUNT), .out = (gt_layout)(pair % GT_LAYOUT_COUNT), .tmpl = t};
            bool allowed = (s->options->layouts >> view.in & s->options->layouts >> view.out & 1) != 0;
            bool possible = !t->in_place || (view.in == view.out && (gt_i_in_place_layouts(s, op) >> view.in & 1) != 0);
            if (allowed && possible && gt_template_supports(t, w, view.in, view.out)) {
                gt_i_offer(offers, &view);
            }
        }
    }
}

int gt_i_find_choice(const gt_domain *domain, gt_layout in, gt_layout out, bool in_place)
{
    int found = -1;
    for (int v = 0; v < domain->n; v++) {
        const gt_choice *c = &domain->choice[v];
        if (c->in == in && c->out == out && (found < 0 || gt_i_is_in_place(c) == in_place)) {
            found = v;
        }
    }
    return found;
}

uint32_t gt_i_same_layouts(const gt_domain *domain, int value)
{
    uint32_t mask = 0;
    for (int v = 0; v < domain->n; v++) {
        bool same = domain->choice[v].in == domain->choice[value].in && domain->choice[v].out == domain->choice[value].out;
        mask |= same ? 1u << v : 0;
    }
    return mask;
}
