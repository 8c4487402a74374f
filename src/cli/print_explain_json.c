/* SPDX-License-Identifier: Apache-2.0 */
/* `graphtune explain --json`. */
#include "src/cli/print_explain.h"

static void put_layouts(gt_json_writer *w, gt_layout in, gt_layout out)
{
    gt_json_put_string(w, "in", gt_layout_name(in));
    gt_json_put_string(w, "out", gt_layout_name(out));
}

static void put_head(gt_json_writer *w, const gt_explanation *e)
{
    gt_json_put_f64(w, "cost_ns", e->cost_ns);
    gt_json_put_f64(w, "least_ns", e->least_ns);
    gt_json_put_bool(w, "exact", e->exact);
    gt_json_put_string(w, "method", e->method);
    gt_json_put_i64(w, "differences", e->n_differences);
}

static void put_op(gt_json_writer *w, const gt_explained_op *op, const char *node)
{
    gt_json_put_string(w, "node", node);
    put_layouts(w, op->in, op->out);
    gt_json_put_string(w, "template", op->template_name);
    gt_json_put_f64(w, "ns", op->ns);
    if (!op->has_other) {
        gt_json_put_null(w, "next_best");
        return;
    }
    gt_json_begin_object(w, "next_best");
    put_layouts(w, op->other_in, op->other_out);
    gt_json_put_string(w, "template", op->other_template);
    gt_json_end(w);
    gt_json_put_f64(w, op->exact ? "regret_ns" : "regret_at_least_ns", op->regret_ns);
    if (op->certainty == GT_CERTAINTY_CERTAIN || op->certainty == GT_CERTAINTY_NOISE) {
        gt_json_put_f64(w, "noise_ns", op->noise_ns);
        gt_json_put_bool(w, "certain", op->certainty == GT_CERTAINTY_CERTAIN);
    }
}

static void put_transforms(gt_json_writer *w, const char *key, const gt_plan_transform *const *list, int n)
{
    gt_json_begin_array(w, key);
    for (int i = 0; i < n; i++) {
        gt_json_begin_inline_object(w, NULL);
        gt_json_put_string(w, "tensor", list[i]->tensor);
        gt_json_put_string(w, "from", gt_layout_name(list[i]->from));
        gt_json_put_string(w, "to", gt_layout_name(list[i]->to));
        gt_json_put_f64(w, "ns", list[i]->ns);
        gt_json_end(w);
    }
    gt_json_end(w);
}

gt_status gt_cli_print_explanation_json(const gt_explanation *e, const gt_graph *graph)
{
    gt_status status = GT_OK;
    gt_json_writer w;
    gt_schedule chosen = {0};
    const gt_plan_transform **transforms = NULL;
    GT_TRY(gt_explain_chosen(&chosen, e));
    GT_TRY(gt_calloc(&transforms, (size_t)chosen.n_transforms, sizeof *transforms));
    for (int i = 0; i < chosen.n_transforms; i++) {
        transforms[i] = &chosen.transforms[i];
    }
    gt_json_writer_init(&w, true);
    gt_json_begin_object(&w, NULL);
    put_head(&w, e);
    gt_json_begin_array(&w, "ops");
    for (int i = 0; i < e->n_ops; i++) {
        gt_json_begin_inline_object(&w, NULL);
        put_op(&w, &e->ops[i], graph->ops[i].name);
        gt_json_end(&w);
    }
    gt_json_end(&w);
    put_transforms(&w, "transforms", transforms, chosen.n_transforms);
    gt_json_end(&w);
    GT_TRY(gt_json_writer_print(&w));
done:
    gt_free(transforms);
    gt_schedule_clear(&chosen);
    return status;
}

static gt_status put_changes(gt_json_writer *w, const gt_explanation *e, const gt_schedule *chosen, int op, int value)
{
    gt_status status = GT_OK;
    gt_schedule forced = {0};
    gt_cli_changes c = {0};
    bool found = false;
    GT_TRY(gt_explain_forced(&forced, &found, e, op, value));
    if (!found) {
        return GT_OK;
    }
    GT_TRY(gt_cli_find_changes(&c, chosen, &forced, op));
    gt_json_begin_object(w, "changes");
    gt_json_begin_array(w, "ops");
    for (int i = 0; i < c.n_ops; i++) {
        const gt_plan_op *changed = &forced.ops[c.ops[i]];
        gt_json_begin_inline_object(w, NULL);
        gt_json_put_string(w, "node", changed->node);
        put_layouts(w, changed->in, changed->out);
        gt_json_put_string(w, "template", changed->template_name);
        gt_json_put_f64(w, "ns", changed->ns);
        gt_json_end(w);
    }
    gt_json_end(w);
    put_transforms(w, "transforms_made", c.made, c.n_made);
    put_transforms(w, "transforms_gone", c.gone, c.n_gone);
    gt_json_end(w);
done:
    gt_cli_changes_clear(&c);
    gt_schedule_clear(&forced);
    return status;
}

static gt_status put_alternative(gt_json_writer *w, const gt_explanation *e, const gt_schedule *chosen, int op,
                                 const gt_explained_alternative *a)
{
    gt_status status = GT_OK;
    gt_json_begin_object(w, NULL);
    put_layouts(w, a->in, a->out);
    if (a->template_name != NULL) {
        gt_json_put_string(w, "template", a->template_name);
    }
    gt_json_put_string(w, "state", gt_alternative_state_name(a->state));
    if (a->state <= GT_ALTERNATIVE_DOMINATED) {
        bool exact = a->bound_ns == a->total_ns;
        gt_json_put_f64(w, "ns", a->ns);
        gt_json_put_f64(w, exact ? "network_ns" : "network_at_least_ns", a->bound_ns);
        gt_json_put_f64(w, exact ? "more_ns" : "more_at_least_ns", a->bound_ns - e->cost_ns);
    }
    if (a->state == GT_ALTERNATIVE_SLOWER) {
        GT_TRY(put_changes(w, e, chosen, op, a->value));
    }
    gt_json_end(w);
done:
    return status;
}

gt_status gt_cli_print_explained_op_json(const gt_explanation *e, const gt_graph *graph, int op)
{
    gt_status status = GT_OK;
    gt_json_writer w;
    gt_schedule chosen = {0};
    gt_explained_alternative *list = NULL;
    int n = 0;
    gt_json_writer_init(&w, true);
    GT_TRY(gt_explain_chosen(&chosen, e));
    GT_TRY(gt_explain_op(&list, &n, e, op));
    gt_json_begin_object(&w, NULL);
    put_head(&w, e);
    put_op(&w, &e->ops[op], graph->ops[op].name);
    gt_json_put_string(&w, "workload", graph->ops[op].workload->key);
    gt_json_begin_array(&w, "alternatives");
    for (int i = 0; i < n; i++) {
        GT_TRY(put_alternative(&w, e, &chosen, op, &list[i]));
    }
    gt_json_end(&w);
    gt_json_end(&w);
    GT_TRY(gt_json_writer_print(&w));
done:
    gt_json_writer_destroy(&w);
    gt_free(list);
    gt_schedule_clear(&chosen);
    return status;
}
