/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates that run nothing: views, and concats in place, which depend on the op's neighbours and not on its workload
 * alone. */
#include "src/tune/select_internal.h"

bool gt_i_is_in_place(const gt_choice *choice)
{
    return gt_i_role(choice) == GT_ROLE_IN_PLACE;
}

gt_role gt_i_role(const gt_choice *choice)
{
    return gt_template_role(choice->tmpl);
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

bool gt_i_may_pair(const gt_selection *s)
{
    return runs_here(s->options);
}

/* The layouts in which the op's neighbours let a view be chosen here, a bit each. */
static unsigned view_layouts(const gt_selection *s, int op, const gt_template *t)
{
    switch (gt_template_role(t)) {
    case GT_ROLE_IN_PLACE:
        return gt_i_in_place_layouts(s, op);
    case GT_ROLE_INSIDE:
        return s->pairs->second[op] >= 0 ? gt_i_pair_layouts(s, s->pairs->second[op]) : 0;
    default:
        return GT_ALL_LAYOUTS;
    }
}

/* Views run nothing, so they cost exactly 0 and need no record. */
void gt_i_offer_views(const gt_selection *s, int op, gt_offers *offers)
{
    const gt_workload *w = s->graph->ops[op].workload;
    for (size_t i = 0; i < gt_template_count(); i++) {
        const gt_template *t = gt_template_at(i);
        const unsigned layouts = t->view && t->kind == w->kind ? view_layouts(s, op, t) & s->options->layouts : 0;
        for (int pair = 0; layouts != 0 && pair < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; pair++) {
            gt_choice view = {.in = (gt_layout)(pair / GT_LAYOUT_COUNT), .out = (gt_layout)(pair % GT_LAYOUT_COUNT), .tmpl = t};
            if ((layouts >> view.in & layouts >> view.out & 1) != 0 && gt_template_supports(t, w, view.in, view.out)) {
                gt_i_offer(offers, &view);
            }
        }
    }
}

/* The parts of a domain that have a candidate of their own for each pair of layouts. */
static gt_role part_of(gt_role role)
{
    return role == GT_ROLE_IN_PLACE ? GT_ROLE_OWN : role;
}

int gt_i_find_choice(const gt_domain *domain, gt_layout in, gt_layout out, gt_role role)
{
    int found = -1;
    for (int v = 0; v < domain->n; v++) {
        const gt_choice *c = &domain->choice[v];
        const bool fits = c->in == in && c->out == out && part_of(gt_i_role(c)) == part_of(role);
        if (fits && (found < 0 || gt_i_role(c) == role)) {
            found = v;
        }
    }
    return found;
}

uint32_t gt_i_same_layouts(const gt_domain *domain, int value)
{
    uint32_t mask = 0;
    const gt_choice *a = &domain->choice[value];
    for (int v = 0; v < domain->n; v++) {
        const gt_choice *b = &domain->choice[v];
        bool same = b->in == a->in && b->out == a->out && part_of(gt_i_role(b)) == part_of(gt_i_role(a));
        mask |= same ? 1u << v : 0;
    }
    return mask;
}

int64_t gt_i_pair_units(const gt_selection *s, int tensor, int producer_value, int reader_value)
{
    const int first = s->graph->tensors[tensor].producer;
    const int second = first >= 0 ? s->pairs->second[first] : -1;
    if (second < 0) {
        return 0;
    }
    const gt_choice *a = &s->domains[first].choice[producer_value];
    const gt_choice *b = &s->domains[second].choice[reader_value];
    const bool inside = gt_i_role(a) == GT_ROLE_INSIDE, pair = gt_i_role(b) == GT_ROLE_PAIR;
    return inside == pair && (!pair || a->in == b->in) ? 0 : GT_CFN_INFINITE;
}

int64_t gt_i_all_pair_units(const gt_selection *s, const int32_t *values)
{
    for (int i = 0; i < s->graph->n_ops; i++) {
        const int second = s->pairs->second[i];
        if (second >= 0 && gt_i_pair_units(s, s->graph->ops[i].output, values[i], values[second]) != 0) {
            return GT_CFN_INFINITE;
        }
    }
    return 0;
}
