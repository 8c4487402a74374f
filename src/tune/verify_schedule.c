/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule against the graph and the records, entry by entry. */
#include "src/tune/verify_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a difference is about. */
struct place {
    gt_verification *v;
    const char *prefix, *name;
};

static gt_status differ(const struct place *p, const char *field, const char *planned, const char *found)
{
    gt_status status = GT_OK;
    gt_text where = {0};
    GT_TRY(gt_text_append(&where, "%s%s", p->prefix, p->name));
    GT_TRY(gt_verification_add(p->v, where.data, field, planned, found));
done:
    gt_text_destroy(&where);
    return status;
}

static gt_status compare_texts(const struct place *p, const char *field, const char *planned, const char *found)
{
    return strcmp(planned, found) == 0 ? GT_OK : differ(p, field, planned, found);
}

static gt_status compare_ns(const struct place *p, double planned, double found)
{
    char a[40], b[40];
    if (planned == found) {
        return GT_OK;
    }
    snprintf(a, sizeof a, "%.17g", planned);
    snprintf(b, sizeof b, "%.17g", found);
    return differ(p, "ns", a, b);
}

/* ---- ops ---- */

static const char *choice_config(const gt_choice *c)
{
    return c->record != NULL ? c->record->config : "";
}

/* The record of the plan's own candidate where another one is the cheapest for these layouts. */
static const gt_record *slower_record(const gt_selection *s, int index, const gt_plan_op *op)
{
    const gt_select_options *o = s->options;
    const bool pair = gt_template_role(gt_template_find(op->template_name)) == GT_ROLE_PAIR;
    const char *workload = pair && s->pairs->workload[index] != NULL ? s->pairs->workload[index]->key : op->workload;
    const gt_record *r = gt_records_find(s->records, GT_RECORD_OP, o->device, o->threads, workload, op->in, op->out,
                                         op->template_name, op->config);
    return r != NULL && gt_i_usable(s, r) && gt_record_is_current(r) && r->rev == op->rev ? r : NULL;
}

static gt_status compare_op(const struct place *p, int32_t *value, double *ns, const gt_selection *s, int index,
                            const gt_plan_op *op)
{
    gt_status status = GT_OK;
    char layouts[40], rev[16], current[16];
    const gt_domain *domain = &s->domains[index];
    snprintf(layouts, sizeof layouts, "%s to %s", gt_layout_name(op->in), gt_layout_name(op->out));
    const gt_template *t = gt_template_find(op->template_name);
    *value = gt_i_find_choice(domain, op->in, op->out, gt_template_role(t));
    if (*value < 0) {
        return differ(p, "layouts", layouts, "no record that the selection allows");
    }
    const gt_choice *c = &domain->choice[*value];
    *ns = c->ns;
    if (strcmp(op->template_name, gt_i_choice_template(c)) != 0 || strcmp(op->config, choice_config(c)) != 0) {
        const gt_record *slower = slower_record(s, index, op);
        if (slower != NULL) {
            *ns = round(slower->timing.median_ns);
            return compare_ns(p, op->ns, *ns);
        }
        GT_TRY(compare_texts(p, "template", op->template_name, gt_i_choice_template(c)));
        return compare_texts(p, "config", op->config, choice_config(c));
    }
    if (c->tmpl != NULL && c->tmpl->rev != op->rev) {
        snprintf(rev, sizeof rev, "%d", op->rev);
        snprintf(current, sizeof current, "%d", c->tmpl->rev);
        GT_TRY(differ(p, "rev", rev, current));
    }
    GT_TRY(compare_ns(p, op->ns, c->ns));
done:
    return status;
}

/* ---- transforms ---- */

static int find_tensor(const gt_graph *g, const char *name)
{
    int t = 0;
    while (t < g->n_tensors && strcmp(g->tensors[t].name, name) != 0) {
        t++;
    }
    return t < g->n_tensors ? t : -1;
}

static gt_status compare_transform(const struct place *p, double *ns, const gt_selection *s, const gt_plan_transform *t)
{
    char layouts[40];
    int tensor = find_tensor(s->graph, t->tensor);
    int copies = tensor >= 0 ? s->sites[tensor].copies : -1;
    snprintf(layouts, sizeof layouts, "%s to %s", gt_layout_name(t->from), gt_layout_name(t->to));
    if (copies < 0) {
        return differ(p, "transform", layouts, tensor < 0 ? "no such tensor" : "a tensor of one layout");
    }
    *ns = s->copies[copies].ns[t->from][t->to];
    if (t->from == t->to || *ns == HUGE_VAL) {
        return differ(p, "transform", layouts, "no usable record");
    }
    return compare_ns(p, t->ns, *ns);
}

gt_status gt_i_verify_schedule(gt_verification *v, int32_t *values, double *cost_ns, const gt_selection *s,
                               const gt_schedule *schedule, const char *prefix)
{
    gt_status status = GT_OK;
    double ns = 0;
    *cost_ns = 0;
    for (int i = 0; i < schedule->n_ops; i++) {
        struct place p = {v, prefix, schedule->ops[i].node};
        GT_TRY(compare_op(&p, &values[i], &ns, s, i, &schedule->ops[i]));
        *cost_ns += ns;
    }
    for (int i = 0; i < schedule->n_transforms; i++) {
        struct place p = {v, prefix, schedule->transforms[i].tensor};
        GT_TRY(compare_transform(&p, &ns, s, &schedule->transforms[i]));
        *cost_ns += ns;
    }
done:
    return status;
}

/* ---- completeness ---- */

/* The layouts that a tensor exists in, in `made`; a transform of what does not exist is a difference. */
static gt_status make_layouts(const struct place *p, unsigned *made, const gt_schedule *schedule, const gt_tensor *tensor)
{
    gt_status status = GT_OK;
    *made = 1u << (tensor->producer >= 0 ? schedule->ops[tensor->producer].out : GT_NCHW);
    for (int i = 0; i < schedule->n_transforms; i++) {
        const gt_plan_transform *t = &schedule->transforms[i];
        if (strcmp(t->tensor, tensor->name) != 0) {
            continue;
        }
        if ((*made >> t->from & 1) == 0) {
            GT_TRY(differ(p, "transform", gt_layout_name(t->from), "not made before"));
        }
        *made |= 1u << t->to;
    }
done:
    return status;
}

static gt_status check_tensor(const struct place *p, const gt_selection *s, const gt_schedule *schedule, int tensor)
{
    gt_status status = GT_OK;
    const gt_site *site = &s->sites[tensor];
    unsigned needs = site->is_output ? 1u << GT_NCHW : 0;
    unsigned made = 0;
    for (int i = site->first; i < site->last; i++) {
        const gt_op *reader = &s->graph->ops[s->consumer[i]];
        const gt_plan_op *entry = &schedule->ops[s->consumer[i]];
        for (int k = 0; k < reader->n_inputs; k++) {
            bool reads = reader->inputs[k] == tensor;
            needs |= reads ? 1u << gt_template_input_layout(reader->workload, entry->in, entry->out, k) : 0;
        }
    }
    GT_TRY(make_layouts(p, &made, schedule, &s->graph->tensors[tensor]));
    for (int layout = 0; layout < GT_LAYOUT_COUNT; layout++) {
        if ((needs & ~made) >> layout & 1) {
            GT_TRY(differ(p, "layout", "not made", gt_layout_name((gt_layout)layout)));
        }
    }
done:
    return status;
}

/* Two ops are done as one, or neither says so. */
static gt_status check_pair(const struct place *p, const gt_selection *s, const gt_schedule *schedule, int first)
{
    const int second = s->pairs->second[first];
    const gt_plan_op *a = &schedule->ops[first];
    const gt_role role = gt_template_role(gt_template_find(a->template_name));
    const gt_plan_op *b = second >= 0 ? &schedule->ops[second] : NULL;
    const gt_role other = b != NULL ? gt_template_role(gt_template_find(b->template_name)) : GT_ROLE_OWN;
    const bool inside = role == GT_ROLE_INSIDE, pair = other == GT_ROLE_PAIR;
    if (inside != pair || (inside && a->in != b->in)) {
        return differ(p, "template", a->template_name, b != NULL ? b->template_name : "no op that can do its work");
    }
    return role == GT_ROLE_PAIR && s->pairs->first[first] < 0 ? differ(p, "template", a->template_name, "no op before it to do")
                                                              : GT_OK;
}

gt_status gt_i_verify_complete(gt_verification *v, const gt_selection *s, const gt_schedule *schedule, const char *prefix)
{
    gt_status status = GT_OK;
    char planned[16], found[16];
    const gt_graph *g = s->graph;
    struct place p = {v, prefix, "ops"};
    if (schedule->n_ops != g->n_ops) {
        snprintf(planned, sizeof planned, "%d", schedule->n_ops);
        snprintf(found, sizeof found, "%d", g->n_ops);
        return differ(&p, "count", planned, found);
    }
    for (int i = 0; i < g->n_ops; i++) {
        p.name = g->ops[i].name;
        GT_TRY(compare_texts(&p, "node", schedule->ops[i].node, g->ops[i].name));
        GT_TRY(compare_texts(&p, "workload", schedule->ops[i].workload, g->ops[i].workload->key));
        GT_TRY(check_pair(&p, s, schedule, i));
    }
    for (int t = 0; t < g->n_tensors; t++) {
        p.name = g->tensors[t].name;
        if (s->sites[t].copies >= 0) {
            GT_TRY(check_tensor(&p, s, schedule, t));
        }
    }
done:
    return status;
}
