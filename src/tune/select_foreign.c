/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing from another compiler's records: its convolutions as candidates, and a model for what it never measured. */
#include "src/tune/select_internal.h"

#include <math.h>
#include <string.h>

gt_status gt_i_bare_key(char **key, const gt_workload *w)
{
    gt_status status = GT_OK;
    gt_workload *bare = NULL;
    GT_TRY(gt_workload_create(&bare, w->kind, &w->attrs, NULL, 2, w->inputs, &w->output));
    *key = bare->key;
    bare->key = NULL;
done:
    gt_workload_destroy(bare);
    return status;
}

gt_status gt_i_even_key(char **key, const gt_workload *w)
{
    gt_status status = GT_OK;
    gt_workload *even = NULL;
    gt_attrs attrs = w->attrs;
    int64_t *pad = attrs.conv.pad;
    if (w->kind != GT_OP_CONV2D || (pad[0] == pad[2] && pad[1] == pad[3])) {
        return GT_OK;
    }
    pad[0] = pad[2] = (pad[0] + pad[2] + 1) / 2;
    pad[1] = pad[3] = (pad[1] + pad[3] + 1) / 2;
    GT_TRY(gt_workload_create(&even, w->kind, &attrs, NULL, 2, w->inputs, NULL));
    if (gt_shape_equal(&even->output.shape, &w->output.shape)) {
        *key = even->key;
        even->key = NULL;
    }
done:
    gt_workload_destroy(even);
    return status;
}

bool gt_i_has_bare_form(const gt_workload *w)
{
    bool kind = w->kind == GT_OP_CONV2D || w->kind == GT_OP_CONV_TRANSPOSE2D || w->kind == GT_OP_DENSE;
    return kind && w->inputs[1].constant;
}

struct search {
    const gt_selection *selection;
    const gt_workload *workload;
    gt_offers *offers;
    gt_source source; /* of its choices */
};

static bool visit(void *context, const gt_record *r)
{
    struct search *search = context;
    const gt_workload *w = search->workload;
    if (r->source == GT_SOURCE_FOREIGN && gt_record_is_foreign_template(r->template_name) &&
        gt_i_usable(search->selection, r) && gt_layout_allows(r->in, &w->inputs[0].shape) &&
        gt_layout_allows(r->out, &w->output.shape)) {
        gt_choice choice = {.in = r->in, .out = r->out, .record = r, .source = search->source,
                            .ns = round(r->timing.median_ns)};
        gt_i_offer(search->offers, &choice);
    }
    return true;
}

/* Time to move so many floats: 1 GB/s is a byte per nanosecond. */
static double model_ns(const gt_selection *s, double elems)
{
    return fmax(1, round(elems * (double)sizeof(float) / s->options->bandwidth_gb_s));
}

static bool some_template_supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    for (size_t i = 0; i < gt_template_count(); i++) {
        if (gt_template_at(i)->kind == w->kind && gt_template_supports(gt_template_at(i), w, in, out)) {
            return true;
        }
    }
    return false;
}

/* An op may be run in every layout pair that it could have here, and then takes as long as its floats take to move. */
static void offer_modelled(const gt_selection *s, const gt_workload *w, gt_offers *offers)
{
    double ns = model_ns(s, (double)gt_workload_elems_moved(w));
    for (int pair = 0; pair < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; pair++) {
        gt_choice choice = {.in = (gt_layout)(pair / GT_LAYOUT_COUNT), .out = (gt_layout)(pair % GT_LAYOUT_COUNT),
                            .source = GT_SOURCE_MODEL, .ns = ns};
        bool allowed = (s->options->layouts >> choice.in & s->options->layouts >> choice.out & 1) != 0;
        if (allowed && some_template_supports(w, choice.in, choice.out)) {
            gt_i_offer(offers, &choice);
        }
    }
}

gt_status gt_i_offer_foreign(const gt_selection *s, const gt_workload *w, gt_offers *offers)
{
    gt_status status = GT_OK;
    char *key = NULL;
    char *even = NULL;
    unsigned sources = s->options->sources;
    if ((sources >> GT_SOURCE_FOREIGN & 1) != 0 && gt_i_has_bare_form(w)) {
        struct search search = {s, w, offers, GT_SOURCE_FOREIGN};
        GT_TRY(gt_i_bare_key(&key, w));
        gt_records_each(s->records, GT_RECORD_OP, key, visit, &search);
    }
    if ((sources >> GT_SOURCE_MODEL & 1) != 0 && key != NULL && offers->n == 0) {
        struct search search = {s, w, offers, GT_SOURCE_MODEL};
        GT_TRY(gt_i_even_key(&even, w));
        gt_records_each(s->records, GT_RECORD_OP, even != NULL ? even : key, visit, &search);
    }
    /* A convolution's time is arithmetic, which bytes do not tell. */
    bool modelled = (sources >> GT_SOURCE_MODEL & 1) != 0 && s->options->bandwidth_gb_s > 0 && w->kind != GT_OP_CONV2D;
    if (modelled && offers->n == 0) {
        offer_modelled(s, w, offers);
    }
done:
    gt_free(even);
    gt_free(key);
    return status;
}

static bool visit_transform(void *context, const gt_record *r)
{
    gt_copies *copies = context;
    if (r->status == GT_RECORD_OK && r->in != r->out && gt_record_is_current(r)) {
        gt_i_offer_copy(copies, r);
    }
    return true;
}

void gt_i_complete_copies(const gt_selection *s, gt_copies *copies)
{
    char text[GT_SHAPE_TEXT_BYTES];
    const gt_select_options *o = s->options;
    if (o->transforms != NULL) {
        gt_shape_format(text, sizeof text, &copies->shape);
        gt_records_each(o->transforms, GT_RECORD_TRANSFORM, text, visit_transform, copies);
    }
    if ((o->sources >> GT_SOURCE_MODEL & 1) == 0 || o->bandwidth_gb_s <= 0) {
        return;
    }
    for (int pair = 0; pair < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; pair++) {
        gt_layout from = (gt_layout)(pair / GT_LAYOUT_COUNT);
        gt_layout to = (gt_layout)(pair % GT_LAYOUT_COUNT);
        if (copies->ns[from][to] == HUGE_VAL) {
            int64_t elems = gt_layout_elems(from, &copies->shape) + gt_layout_elems(to, &copies->shape);
            copies->ns[from][to] = model_ns(s, (double)elems);
            copies->source = GT_SOURCE_MODEL;
        }
    }
}
