/* SPDX-License-Identifier: Apache-2.0 */
/* What can be chosen for each op, and what copies cost, from the records. */
#include "src/tune/select_internal.h"

#include <math.h>
#include <string.h>

#define MAX_SCALE_BITS 22
#define INFINITE GT_CFN_INFINITE

struct search {
    gt_selection *selection;
    const gt_workload *workload;
    gt_domain *domain;
};

bool gt_i_usable(const gt_selection *s, const gt_record *r)
{
    const gt_select_options *o = s->options;
    return r->status == GT_RECORD_OK && r->threads == o->threads && (o->sources >> r->source & 1) != 0 &&
           (o->device == NULL || strcmp(r->device, o->device) == 0) && (o->layouts >> r->in & 1) != 0 &&
           (o->layouts >> r->out & 1) != 0;
}

static gt_choice *find_choice(gt_domain *domain, gt_layout in, gt_layout out)
{
    for (int i = 0; i < domain->n; i++) {
        if (domain->choice[i].in == in && domain->choice[i].out == out) {
            return &domain->choice[i];
        }
    }
    return NULL;
}

/* Imported candidates come behind all templates. */
static size_t template_index(const gt_template *t)
{
    size_t i = 0;
    while (i < gt_template_count() && gt_template_at(i) != t) {
        i++;
    }
    return i;
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
        return template_index(a->tmpl) < template_index(b->tmpl);
    }
    if (a->record == NULL || b->record == NULL) {
        return false;
    }
    int order = strcmp(a->record->template_name, b->record->template_name);
    return (order != 0 ? order : strcmp(a->record->config, b->record->config)) < 0;
}

void gt_i_offer(gt_domain *domain, const gt_choice *fresh)
{
    gt_choice *old = find_choice(domain, fresh->in, fresh->out);
    if (old != NULL) {
        if (is_better(fresh, old)) {
            *old = *fresh;
        }
        return;
    }
    int i = domain->n++;
    for (; i > 0; i--) {
        const gt_choice *before = &domain->choice[i - 1];
        if (before->in < fresh->in || (before->in == fresh->in && before->out < fresh->out)) {
            break;
        }
        domain->choice[i] = *before;
    }
    domain->choice[i] = *fresh;
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
    const gt_choice *known = find_choice(search->domain, r->in, r->out);
    if (known != NULL && known->record->timing.median_ns < r->timing.median_ns) {
        return true;
    }
    const gt_template *t = gt_template_find(r->template_name);
    if (t != NULL && !t->view && t->rev == r->rev && gt_template_supports(t, search->workload, r->in, r->out) &&
        config_fits(t, search->workload, r)) {
        gt_choice choice = {.in = r->in, .out = r->out, .tmpl = t, .record = r, .source = r->source,
                            .ns = round(r->timing.median_ns)};
        gt_i_offer(search->domain, &choice);
    }
    return true;
}

/* Views run nothing, so they cost exactly 0 and need no record. */
static void offer_views(const gt_selection *s, const gt_workload *w, gt_domain *domain)
{
    for (size_t i = 0; i < gt_template_count(); i++) {
        const gt_template *t = gt_template_at(i);
        for (int pair = 0; t->view && t->kind == w->kind && pair < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; pair++) {
            gt_choice view = {.in = (gt_layout)(pair / GT_LAYOUT_COUNT), .out = (gt_layout)(pair % GT_LAYOUT_COUNT), .tmpl = t};
            bool allowed = (s->options->layouts >> view.in & s->options->layouts >> view.out & 1) != 0;
            if (allowed && gt_template_supports(t, w, view.in, view.out)) {
                gt_i_offer(domain, &view);
            }
        }
    }
}

/* The domain of an earlier op with the same workload, or NULL. */
static const gt_domain *same_workload(const gt_selection *s, int op)
{
    const char *key = s->graph->ops[op].workload->key;
    for (int i = 0; i < op; i++) {
        if (strcmp(s->graph->ops[i].workload->key, key) == 0) {
            return &s->domains[i];
        }
    }
    return NULL;
}

static gt_status fill_domains(gt_selection *s)
{
    gt_status status = GT_OK;
    gt_text missing = {0};
    int n_missing = 0;
    GT_TRY(gt_calloc(&s->domains, (size_t)s->graph->n_ops, sizeof *s->domains));
    for (int i = 0; i < s->graph->n_ops; i++) {
        const gt_op *op = &s->graph->ops[i];
        const gt_domain *known = same_workload(s, i);
        if (known != NULL) {
            s->domains[i] = *known;
        } else {
            struct search search = {s, op->workload, &s->domains[i]};
            gt_records_each(s->records, GT_RECORD_OP, op->workload->key, visit_op, &search);
            offer_views(s, op->workload, &s->domains[i]);
            GT_TRY(gt_i_offer_foreign(s, op->workload, &s->domains[i]));
        }
        if (s->domains[i].n == 0) {
            n_missing++;
            GT_TRY(gt_text_append(&missing, "\n  %s: %s", op->name, op->workload->key));
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

static bool visit_transform(void *context, const gt_record *r)
{
    struct search *search = context;
    gt_copies *copies = &search->selection->copies[search->selection->n_copies - 1];
    if (gt_i_usable(search->selection, r) && r->rev == GT_TRANSFORM_REV && r->in != r->out) {
        copies->ns[r->in][r->out] = fmin(copies->ns[r->in][r->out], round(r->timing.median_ns));
        copies->source = r->source > copies->source ? r->source : copies->source;
    }
    return true;
}

static gt_status find_copies(gt_selection *s, int *index, const gt_shape *shape)
{
    gt_status status = GT_OK;
    gt_copies fresh = {.shape = *shape};
    char text[GT_SHAPE_TEXT_BYTES];
    for (*index = 0; *index < s->n_copies; (*index)++) {
        if (gt_shape_equal(&s->copies[*index].shape, shape)) {
            return GT_OK;
        }
    }
    for (int a = 0; a < GT_LAYOUT_COUNT; a++) {
        for (int b = 0; b < GT_LAYOUT_COUNT; b++) {
            fresh.ns[a][b] = a == b ? 0 : HUGE_VAL;
        }
    }
    GT_PUSH(s->copies, s->n_copies, s->copies_capacity, fresh);
    struct search search = {.selection = s};
    gt_shape_format(text, sizeof text, shape);
    gt_records_each(s->records, GT_RECORD_TRANSFORM, text, visit_transform, &search);
    gt_i_complete_copies(s, &s->copies[*index]);
done:
    return status;
}

static gt_status fill_sites(gt_selection *s)
{
    gt_status status = GT_OK;
    const gt_graph *g = s->graph;
    GT_TRY(gt_calloc(&s->sites, (size_t)g->n_tensors, sizeof *s->sites));
    GT_TRY(gt_graph_consumers(g, &s->first, &s->consumer));
    for (int t = 0; t < g->n_tensors; t++) {
        gt_site *site = &s->sites[t];
        *site = (gt_site){.copies = -1, .first = s->first[t], .last = s->first[t + 1]};
        if (g->tensors[t].data == NULL && g->tensors[t].shape.rank == 4 && g->tensors[t].dtype == GT_F32) {
            GT_TRY(find_copies(s, &site->copies, &g->tensors[t].shape));
        }
    }
    for (int i = 0; i < g->n_inputs; i++) {
        s->sites[g->inputs[i]].is_input = true;
    }
    for (int i = 0; i < g->n_outputs; i++) {
        s->sites[g->outputs[i]].is_output = true;
    }
done:
    return status;
}

static int64_t add(int64_t a, int64_t b)
{
    return a == INFINITE || b == INFINITE ? INFINITE : a + b;
}

/* Ties between equally fast schedules: fewer transforms first, then fewer bytes copied. Both stand in the digits
 * below a nanosecond, shifted so far that those of all transforms together stay there. */
#define TIE_BITS 13

static int64_t transform_cost(const gt_selection *s, const gt_copies *copies, int to, double ns)
{
    if (ns == HUGE_VAL) {
        return INFINITE;
    }
    int64_t blocks = gt_layout_elems((gt_layout)to, &copies->shape) >> 14;
    int64_t half = (int64_t)1 << (TIE_BITS - 1);
    int64_t tie = half + (blocks < half ? blocks : half - 1);
    return ((int64_t)ns << s->scale_bits) + (tie >> s->tie_shift);
}

/* make[a][S]: the cheapest arborescence that spans S from a. Adding layouts in the order of their depth, the last
 * one hangs below any other, so make[a][S] = min over b of make[a][S - b] + min over m in S - b of cost[m][b]. */
static void fill_make(gt_copies *c)
{
    for (int a = 0; a < GT_LAYOUT_COUNT; a++) {
        for (unsigned set = 0; set < GT_MASKS; set++) {
            c->make[a][set] = set == 1u << a ? 0 : INFINITE;
            for (int b = 0; (set >> a & 1) != 0 && b < GT_LAYOUT_COUNT; b++) {
                unsigned rest = set & ~(1u << b);
                int64_t hang = INFINITE;
                for (int m = 0; b != a && rest != set && m < GT_LAYOUT_COUNT; m++) {
                    bool cheaper = (rest >> m & 1) != 0 && c->cost[m][b] < hang;
                    hang = cheaper ? c->cost[m][b] : hang;
                }
                int64_t total = add(c->make[a][rest], hang);
                c->make[a][set] = b != a && total < c->make[a][set] ? total : c->make[a][set];
            }
        }
    }
}

static void fill_cover(gt_copies *c)
{
    for (int a = 0; a < GT_LAYOUT_COUNT; a++) {
        for (unsigned need = 0; need < GT_MASKS; need++) {
            c->cover[a][need] = INFINITE;
            for (unsigned set = 0; set < GT_MASKS; set++) {
                if ((set & need) == need && c->make[a][set] < c->cover[a][need]) {
                    c->cover[a][need] = c->make[a][set];
                    c->cover_with[a][need] = (uint8_t)set;
                }
            }
        }
    }
}

/* The slowest candidate of an op, or copy of a tensor. */
static double worst_choice(const gt_domain *domain)
{
    double worst = 0;
    for (int i = 0; i < domain->n; i++) {
        worst = fmax(worst, domain->choice[i].ns);
    }
    return worst;
}

static double worst_copy(const gt_copies *copies)
{
    double worst = 0;
    for (int k = 0; k < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; k++) {
        double ns = copies->ns[k / GT_LAYOUT_COUNT][k % GT_LAYOUT_COUNT];
        worst = ns != HUGE_VAL ? fmax(worst, ns) : worst;
    }
    return worst;
}

/* The finest unit in which all costs together stay far below the solver's limit. */
static void choose_scale(gt_selection *s)
{
    double total = 1;
    int64_t transforms = 0;
    for (int i = 0; i < s->graph->n_ops; i++) {
        total += worst_choice(&s->domains[i]);
    }
    for (int t = 0; t < s->graph->n_tensors; t++) {
        if (s->sites[t].copies >= 0) {
            total += worst_copy(&s->copies[s->sites[t].copies]) * GT_LAYOUT_COUNT;
            transforms += GT_LAYOUT_COUNT - 1;
        }
    }
    s->scale_bits = MAX_SCALE_BITS;
    while (s->scale_bits > 0 && ldexp(total, s->scale_bits) > 0x1p58) {
        s->scale_bits--;
    }
    s->tie_shift = 0;
    while (transforms << TIE_BITS >> s->tie_shift >= (int64_t)1 << s->scale_bits) {
        s->tie_shift++;
    }
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
    GT_TRY(fill_domains(s));
    GT_TRY(fill_sites(s));
    choose_scale(s);
    for (int i = 0; i < s->n_copies; i++) {
        for (int pair = 0; pair < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; pair++) {
            int a = pair / GT_LAYOUT_COUNT;
            int b = pair % GT_LAYOUT_COUNT;
            s->copies[i].cost[a][b] = a == b ? 0 : transform_cost(s, &s->copies[i], b, s->copies[i].ns[a][b]);
        }
        fill_make(&s->copies[i]);
        fill_cover(&s->copies[i]);
    }
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
        gt_free(selection);
    }
}
