/* SPDX-License-Identifier: Apache-2.0 */
/* What can be chosen for each op, from the records. */
#include "src/base/clock.h"
#include "src/tune/select_internal.h"

#include <math.h>
#include <string.h>

struct search {
    const gt_selection *selection;
    const gt_workload *workload;
    gt_role role; /* of the candidates */
    gt_offers *offers;
};

bool gt_i_usable(const gt_selection *s, const gt_record *r)
{
    const gt_select_options *o = s->options;
    return r->status == GT_RECORD_OK && r->threads == o->threads && (o->sources >> r->source & 1) != 0 &&
           (o->device == NULL || strcmp(r->device, o->device) == 0) && (o->layouts >> r->in & 1) != 0 &&
           (o->layouts >> r->out & 1) != 0;
}

static const gt_choice *find_choice(const gt_domain *domain, gt_layout in, gt_layout out, gt_role role)
{
    const int v = domain != NULL ? gt_i_find_choice(domain, in, out, role) : -1;
    return v >= 0 ? &domain->choice[v] : NULL;
}

/* Equally fast ones are told apart by the order of templates, then by config, so that the order of the records does
 * not matter. */
static bool is_better(const gt_choice *a, const gt_choice *b)
{
    double x = a->record != NULL ? a->record->timing.median_ns : 0;
    double y = b->record != NULL ? b->record->timing.median_ns : 0;
    if (x != y) {
        return x < y;
    }
    if (a->tmpl != b->tmpl) {
        return gt_template_index(a->tmpl) < gt_template_index(b->tmpl);
    }
    if (a->record == NULL || b->record == NULL) {
        return false;
    }
    int order = strcmp(a->record->template_name, b->record->template_name);
    return (order != 0 ? order : strcmp(a->record->config, b->record->config)) < 0;
}

/* Inserts a choice in (in, out) order, or replaces what is worse. `both`: a copy may take less memory than what is in place,
 * so that neither replaces the other. */
static void keep_choice(gt_domain *domain, const gt_choice *fresh, bool both)
{
    int i = domain->n;
    const int k = gt_i_find_choice(domain, fresh->in, fresh->out, gt_i_role(fresh));
    if (k >= 0 && (!both || gt_i_role(&domain->choice[k]) == gt_i_role(fresh))) {
        domain->choice[k] = is_better(fresh, &domain->choice[k]) ? *fresh : domain->choice[k];
        return;
    }
    GT_VERIFY(domain->n < GT_MAX_CHOICES);
    for (; i > 0; i--) {
        const gt_choice *before = &domain->choice[i - 1];
        const bool same = before->in == fresh->in && before->out == fresh->out;
        if (before->in < fresh->in || (before->in == fresh->in && before->out < fresh->out) ||
            (same && gt_i_role(before) <= gt_i_role(fresh))) {
            break;
        }
        domain->choice[i] = *before;
    }
    domain->choice[i] = *fresh;
    domain->n++;
}

void gt_i_offer(gt_offers *offers, const gt_choice *candidate)
{
    offers->n++;
    offers->take(offers->context, candidate);
}

static bool config_fits(const gt_template *t, const gt_workload *w, const gt_record *r)
{
    gt_space space;
    gt_config config;
    gt_template_space(t, w, r->in, r->out, &space);
    return gt_config_parse(&config, &space, r->config) == GT_OK && gt_template_valid(t, w, r->in, r->out, &config);
}

static bool visit_op(void *context, const gt_record *r)
{
    struct search *search = context;
    if (!gt_i_usable(search->selection, r)) {
        return true;
    }
    const gt_choice *known = find_choice(search->offers->known, r->in, r->out, search->role);
    if (known != NULL && known->record != NULL && known->record->timing.median_ns < r->timing.median_ns) {
        return true;
    }
    const gt_template *t = gt_template_find(r->template_name);
    if (t != NULL && !t->view && t->rev == r->rev && gt_template_supports(t, search->workload, r->in, r->out) &&
        config_fits(t, search->workload, r)) {
        gt_choice choice = {.in = r->in, .out = r->out, .tmpl = t, .record = r, .source = r->source,
                            .ns = round(r->timing.median_ns)};
        gt_i_offer(search->offers, &choice);
    }
    return true;
}

/* What does the work of the op before as well. */
static void offer_pairs(const gt_selection *s, int op, gt_offers *offers)
{
    const gt_workload *pair = gt_i_may_pair(s) ? s->pairs->workload[op] : NULL;
    struct search search = {s, pair, GT_ROLE_PAIR, offers};
    if (pair != NULL) {
        gt_records_each(s->records, GT_RECORD_OP, pair->key, visit_op, &search);
    }
}

static void note_layout(void *context, const gt_choice *candidate)
{
    *(unsigned *)context |= 1u << candidate->in;
}

unsigned gt_i_pair_layouts(const gt_selection *s, int second)
{
    unsigned layouts = 0;
    gt_offers offers = {.take = note_layout, .context = &layouts};
    offer_pairs(s, second, &offers);
    return layouts;
}

gt_status gt_i_offer_all(const gt_selection *s, int op, gt_offers *offers)
{
    const gt_workload *w = s->graph->ops[op].workload;
    struct search search = {s, w, GT_ROLE_OWN, offers};
    gt_records_each(s->records, GT_RECORD_OP, w->key, visit_op, &search);
    gt_i_offer_views(s, op, offers);
    gt_status status = gt_i_offer_foreign(s, w, offers);
    if (status == GT_OK) {
        offer_pairs(s, op, offers);
    }
    return status;
}

/* ---- domains ---- */

/* Whether both are absent, or the same. */
static bool same_pair(const gt_workload *a, const gt_workload *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a->key, b->key) == 0;
}

/* Whether two ops can be done with the same ops before and behind them. */
static bool same_pairs(const gt_selection *s, int a, int b)
{
    const gt_pairs *p = s->pairs;
    const gt_workload *x = p->second[a] >= 0 ? p->workload[p->second[a]] : NULL;
    const gt_workload *y = p->second[b] >= 0 ? p->workload[p->second[b]] : NULL;
    return same_pair(p->workload[a], p->workload[b]) && same_pair(x, y);
}

/* The domain of an earlier op with the same workload and the same possibilities beside its neighbours, or NULL. */
static const gt_domain *same_workload(const gt_selection *s, int op)
{
    const char *key = s->graph->ops[op].workload->key;
    for (int i = 0; i < op; i++) {
        bool same_place = gt_i_in_place_layouts(s, i) == gt_i_in_place_layouts(s, op) && same_pairs(s, i, op);
        if (!s->domains[i].restricted && same_place && strcmp(s->graph->ops[i].workload->key, key) == 0) {
            return &s->domains[i];
        }
    }
    return NULL;
}

struct filter {
    const gt_rules *rules;
    const char *node;
    bool both; /* as of keep_choice */
    gt_domain *domain;
};

static void take_allowed(void *context, const gt_choice *candidate)
{
    const struct filter *filter = context;
    if (gt_i_rules_allow(filter->rules, filter->node, candidate)) {
        keep_choice(filter->domain, candidate, filter->both);
    }
}

static gt_status fill_domain(gt_selection *s, int i)
{
    gt_status status = GT_OK;
    const gt_op *op = &s->graph->ops[i];
    gt_domain *domain = &s->domains[i];
    domain->restricted = gt_i_rules_concern(s->rules, op->name);
    const gt_domain *known = domain->restricted ? NULL : same_workload(s, i);
    if (known != NULL) {
        *domain = *known;
        return GT_OK;
    }
    struct filter filter = {s->rules, op->name, s->options->max_memory_bytes > 0, domain};
    gt_offers offers = {.take = take_allowed, .context = &filter, .known = domain};
    GT_TRY(gt_i_offer_all(s, i, &offers));
    if (offers.n > 0 && domain->n == 0) {
        GT_TRY(gt_i_rules_fail(s, i));
    }
done:
    return status;
}

static gt_status fill_domains(gt_selection *s)
{
    gt_status status = GT_OK;
    gt_text missing = {0};
    int n_missing = 0;
    GT_TRY(gt_calloc(&s->domains, (size_t)s->graph->n_ops, sizeof *s->domains));
    for (int i = 0; i < s->graph->n_ops; i++) {
        GT_TRY(fill_domain(s, i));
        if (s->domains[i].n == 0) {
            n_missing++;
            GT_TRY(gt_text_append(&missing, "\n  %s: %s", s->graph->ops[i].name, s->graph->ops[i].workload->key));
        }
    }
    bool foreign = (s->options->sources >> GT_SOURCE_FOREIGN & 1) != 0;
    GT_REQUIRE(n_missing == 0 || !foreign, GT_ERROR_NOT_FOUND,
               "no imported record of this device with threads=%d for %d of %d ops; the log lacks them, as far as each is a "
               "convolution without its bias and activation:%s",
               s->options->threads, n_missing, s->graph->n_ops, missing.data);
    GT_REQUIRE(n_missing == 0, GT_ERROR_NOT_FOUND,
               "no usable record of this device with threads=%d for %d of %d ops; measure them with `graphtune tune`:%s",
               s->options->threads, n_missing, s->graph->n_ops, missing.data);
done:
    gt_text_destroy(&missing);
    return status;
}

/* ---- every candidate ---- */

const char *gt_i_choice_template(const gt_choice *choice)
{
    const char *foreign = choice->record != NULL ? choice->record->template_name : GT_MODEL_TEMPLATE;
    return choice->tmpl != NULL ? choice->tmpl->name : foreign;
}

struct census {
    gt_choice *items;
    int n;
    size_t capacity;
    gt_status status;
};

static int compare_candidates(const gt_choice *a, const gt_choice *b)
{
    int pair = (int)(a->in * GT_LAYOUT_COUNT + a->out) - (int)(b->in * GT_LAYOUT_COUNT + b->out);
    return pair != 0 ? pair : strcmp(gt_i_choice_template(a), gt_i_choice_template(b));
}

static gt_status insert_candidate(struct census *c, const gt_choice *candidate)
{
    gt_status status = GT_OK;
    int i = 0;
    while (i < c->n && compare_candidates(&c->items[i], candidate) < 0) {
        i++;
    }
    if (i < c->n && compare_candidates(&c->items[i], candidate) == 0) {
        c->items[i] = is_better(candidate, &c->items[i]) ? *candidate : c->items[i];
        return GT_OK;
    }
    GT_PUSH(c->items, c->n, c->capacity, *candidate);
    memmove(&c->items[i + 1], &c->items[i], (size_t)(c->n - 1 - i) * sizeof *c->items);
    c->items[i] = *candidate;
done:
    return status;
}

static void take_all(void *context, const gt_choice *candidate)
{
    struct census *c = context;
    c->status = c->status == GT_OK ? insert_candidate(c, candidate) : c->status;
}

gt_status gt_i_census(const gt_selection *s, int op, gt_choice **candidates, int *n)
{
    gt_status status = GT_OK;
    struct census census = {0};
    gt_offers offers = {.take = take_all, .context = &census};
    GT_TRY(gt_i_offer_all(s, op, &offers));
    GT_TRY(census.status);
    *candidates = census.items;
    *n = census.n;
    census.items = NULL;
done:
    gt_free(census.items);
    return status;
}

gt_status gt_i_selection_create(gt_selection **selection, const gt_graph *graph, const gt_records *records,
                                const gt_select_options *options)
{
    gt_status status = GT_OK;
    gt_selection *s = NULL;
    GT_TRY(gt_calloc(&s, 1, sizeof *s));
    s->graph = graph;
    s->records = records;
    s->options = options;
    s->begin_ns = gt_now_ns();
    GT_TRY(gt_i_rules_create(&s->rules, graph, options));
    GT_TRY(gt_placement_create(&s->placement, graph));
    GT_TRY(gt_pairs_create(&s->pairs, graph));
    GT_TRY(fill_domains(s));
    GT_TRY(gt_i_fill_sites(s));
    gt_i_price(s);
    *selection = s;
    s = NULL;
done:
    gt_i_selection_destroy(s);
    return status;
}

void gt_i_selection_destroy(gt_selection *selection)
{
    if (selection != NULL) {
        gt_free(selection->domains);
        gt_free(selection->sites);
        gt_free(selection->first);
        gt_free(selection->consumer);
        gt_free(selection->copies);
        gt_placement_destroy(selection->placement);
        gt_pairs_destroy(selection->pairs);
        gt_i_rules_destroy(selection->rules);
        gt_free(selection);
    }
}
