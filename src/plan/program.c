/* SPDX-License-Identifier: Apache-2.0 */
#include "src/plan/program.h"

#include "src/plan/placement.h"

#include <string.h>

/* What is needed while a program is being built. */
struct builder {
    gt_program *program;
    const gt_graph *graph;
    const gt_schedule *schedule;
    gt_placement *placement;
    size_t steps_capacity, forms_capacity;
    int *form_of; /* [tensor * GT_LAYOUT_COUNT + layout]: form index, or -1 */
    int next_transform;
};

static int *form_slot(const struct builder *b, int tensor, gt_layout layout)
{
    return &b->form_of[tensor * GT_LAYOUT_COUNT + (int)layout];
}

static gt_status add_form(struct builder *b, int *form, int tensor, gt_layout layout, int view_of)
{
    gt_status status = GT_OK;
    const gt_tensor *t = &b->graph->tensors[tensor];
    gt_program *p = b->program;
    GT_REQUIRE(*form_slot(b, tensor, layout) < 0, GT_ERROR_MISMATCH, "plan: tensor \"%s\" is made in %s twice", t->name,
               gt_layout_name(layout));
    gt_form fresh = {.tensor = tensor, .layout = layout};
    fresh.storage = view_of >= 0 ? view_of : p->n_forms;
    fresh.size_bytes = gt_layout_elems(layout, &t->shape) * (int64_t)gt_dtype_bytes(t->dtype);
    fresh.first_step = p->n_steps;
    fresh.last_step = p->n_steps;
    *form = p->n_forms;
    *form_slot(b, tensor, layout) = *form;
    GT_PUSH(p->forms, p->n_forms, b->forms_capacity, fresh);
done:
    return status;
}

static gt_status find_form(const struct builder *b, int *form, int tensor, gt_layout layout, const char *reader)
{
    int64_t within = 0;
    *form = *form_slot(b, tensor, layout);
    if (*form < 0) {
        return gt_fail(GT_ERROR_MISMATCH, "plan: %s reads tensor \"%s\" in %s, which nothing makes before it", reader,
                       b->graph->tensors[tensor].name, gt_layout_name(layout));
    }
    gt_form *root = &b->program->forms[gt_i_form_root(b->program->forms, *form, &within)];
    root->last_step = b->program->n_steps > root->last_step ? b->program->n_steps : root->last_step;
    return GT_OK;
}

static gt_status push_step(struct builder *b, const gt_step *step)
{
    gt_status status = GT_OK;
    GT_PUSH(b->program->steps, b->program->n_steps, b->steps_capacity, *step);
done:
    return status;
}

/* Appends the schedule's next transforms as long as they are of this tensor. */
static gt_status add_transforms(struct builder *b, int tensor)
{
    gt_status status = GT_OK;
    const gt_tensor *t = &b->graph->tensors[tensor];
    gt_step step = {0};
    for (; b->next_transform < b->schedule->n_transforms; b->next_transform++) {
        const gt_plan_transform *x = &b->schedule->transforms[b->next_transform];
        if (strcmp(x->tensor, t->name) != 0) {
            break;
        }
        GT_REQUIRE(t->dtype == GT_F32 && gt_layout_allows(x->from, &t->shape) && gt_layout_allows(x->to, &t->shape),
                   GT_ERROR_MISMATCH, "plan: transforms[%d]: tensor \"%s\" cannot be transformed from %s to %s",
                   b->next_transform, t->name, gt_layout_name(x->from), gt_layout_name(x->to));
        step = (gt_step){.op = -1, .schedule = b->next_transform, .n_inputs = 1, .from = x->from, .to = x->to};
        GT_TRY(gt_calloc(&step.inputs, 1, sizeof *step.inputs));
        GT_TRY(find_form(b, &step.inputs[0], tensor, x->from, "a transform"));
        GT_TRY(add_form(b, &step.output, tensor, x->to, -1));
        GT_TRY(push_step(b, &step));
        step.inputs = NULL;
    }
done:
    gt_free(step.inputs);
    return status;
}

const int *gt_step_tensors(const gt_program *program, const gt_graph *graph, const gt_step *step, int pair[GT_PAIR_INPUTS])
{
    if (gt_template_role(step->tmpl) != GT_ROLE_PAIR) {
        return graph->ops[step->op].inputs;
    }
    (void)gt_pair_tensors(pair, program->pairs, graph, step->op);
    return pair;
}

/* Two ops done as one have candidates that go together. */
static gt_status check_role(const struct builder *b, const gt_plan_op *entry, int index)
{
    gt_status status = GT_OK;
    const gt_role role = gt_template_role(gt_template_find(entry->template_name));
    const bool is_first = role == GT_ROLE_INSIDE;
    if (!is_first && role != GT_ROLE_PAIR) {
        return GT_OK;
    }
    const int other = is_first ? b->program->pairs->second[index] : b->program->pairs->first[index];
    GT_REQUIRE(other >= 0, GT_ERROR_MISMATCH, "plan: op \"%s\": template %s is not possible: %s", entry->node,
               entry->template_name, is_first ? "no op can do its work" : "there is no op before it whose work it can do");
    const gt_plan_op *partner = &b->schedule->ops[other];
    const gt_role needed = is_first ? GT_ROLE_PAIR : GT_ROLE_INSIDE;
    GT_REQUIRE(gt_template_role(gt_template_find(partner->template_name)) == needed && partner->in == entry->in, GT_ERROR_MISMATCH,
               "plan: op \"%s\": template %s in %s does not go together with template %s in %s of op \"%s\"", entry->node,
               entry->template_name, gt_layout_name(entry->in), partner->template_name, gt_layout_name(partner->in), partner->node);
done:
    return status;
}

/* Checks one op's entry and finds its template, workload and config. */
static gt_status resolve_op(gt_step *step, const struct builder *b, int index)
{
    gt_status status = GT_OK;
    gt_space space;
    const gt_op *op = &b->graph->ops[index];
    const gt_plan_op *entry = &b->schedule->ops[index];
    GT_REQUIRE(strcmp(op->name, entry->node) == 0, GT_ERROR_MISMATCH,
               "plan: the model has op \"%s\" where the plan has \"%s\"", op->name, entry->node);
    GT_REQUIRE(strcmp(op->workload->key, entry->workload) == 0, GT_ERROR_MISMATCH,
               "plan: op \"%s\": workload is %s in the model but %s in the plan", op->name, op->workload->key,
               entry->workload);
    const gt_template *t = gt_template_find(entry->template_name);
    GT_REQUIRE(t != NULL, GT_ERROR_MISMATCH, "plan: op \"%s\": unknown template \"%s\"", op->name,
               entry->template_name);
    GT_TRY(check_role(b, entry, index));
    const gt_workload *w = gt_template_role(t) == GT_ROLE_PAIR ? b->program->pairs->workload[index] : op->workload;
    GT_REQUIRE(t->kind == w->kind, GT_ERROR_MISMATCH, "plan: op \"%s\": template %s does not handle %s", op->name, t->name,
               gt_op_kind_name(w->kind));
    GT_REQUIRE(t->rev == entry->rev, GT_ERROR_MISMATCH,
               "plan: op \"%s\": template %s has rev %d here but %d in the plan; tune and select again", op->name,
               t->name, t->rev, entry->rev);
    GT_REQUIRE(gt_template_supports(t, w, entry->in, entry->out), GT_ERROR_MISMATCH,
               "plan: op \"%s\": template %s does not handle %s in and %s out", op->name, t->name,
               gt_layout_name(entry->in), gt_layout_name(entry->out));
    gt_template_space(t, w, entry->in, entry->out, &space);
    status = gt_config_parse(&step->config, &space, entry->config);
    if (status != GT_OK) {
        GT_TRY(gt_fail_in(GT_ERROR_MISMATCH, "plan: op \"%s\": template %s", op->name, t->name));
    }
    GT_REQUIRE(gt_template_valid(t, w, entry->in, entry->out, &step->config), GT_ERROR_MISMATCH,
               "plan: op \"%s\": template %s: config \"%s\" is not valid for this workload", op->name, t->name,
               entry->config);
    step->tmpl = t;
    step->workload = w;
    step->n_inputs = t->inside ? 0 : w->n_inputs;
done:
    return status;
}

static gt_status require_place(const struct builder *b, int index, gt_layout layout)
{
    gt_status status = GT_OK;
    gt_text reason = {0};
    if ((gt_placement_layouts(b->placement, index) >> layout & 1) == 0) {
        GT_TRY(gt_placement_reason(&reason, b->placement, index, layout));
        GT_TRY(gt_fail(GT_ERROR_MISMATCH, "plan: op \"%s\": template %s is not possible in %s: %s", b->graph->ops[index].name,
                       b->schedule->ops[index].template_name, gt_layout_name(layout), reason.data));
    }
done:
    gt_text_destroy(&reason);
    return status;
}

/* The output of a view: a form without memory of its own. */
static gt_status add_view(struct builder *b, gt_step *step)
{
    gt_status status = GT_OK;
    const gt_op *op = &b->graph->ops[step->op];
    if (!step->tmpl->in_place) {
        GT_REQUIRE(step->inputs[0] >= 0, GT_ERROR_MISMATCH, "plan: op \"%s\": a view of a constant", op->name);
        GT_TRY(add_form(b, &step->output, op->output, step->to, step->inputs[0]));
        return GT_OK;
    }
    GT_TRY(require_place(b, step->op, step->to));
    GT_TRY(add_form(b, &step->output, op->output, step->to, -1));
    GT_REQUIRE(gt_i_forms_join(b->program->forms, step->output, step->inputs, step->n_inputs), GT_ERROR_INTERNAL,
               "plan: op \"%s\": its inputs do not fit into its output", op->name);
done:
    return status;
}

/* The forms that a step reads. */
static gt_status find_inputs(struct builder *b, gt_step *step)
{
    gt_status status = GT_OK;
    int pair[GT_PAIR_INPUTS];
    gt_text reader = {0};
    const int *tensors = gt_step_tensors(b->program, b->graph, step, pair);
    GT_TRY(gt_text_append(&reader, "op \"%s\"", b->graph->ops[step->op].name));
    GT_TRY(gt_calloc(&step->inputs, (size_t)step->n_inputs, sizeof *step->inputs));
    for (int i = 0; i < step->n_inputs; i++) {
        step->inputs[i] = -1;
        if (tensors[i] != GT_NO_TENSOR && b->graph->tensors[tensors[i]].data == NULL) {
            gt_layout layout = gt_template_input_layout(step->workload, step->from, step->to, i);
            GT_TRY(find_form(b, &step->inputs[i], tensors[i], layout, reader.data));
        }
    }
done:
    gt_text_destroy(&reader);
    return status;
}

static gt_status add_op(struct builder *b, int index)
{
    gt_status status = GT_OK;
    const gt_op *op = &b->graph->ops[index];
    const gt_plan_op *entry = &b->schedule->ops[index];
    gt_step step = {.op = index, .schedule = index, .output = -1, .from = entry->in, .to = entry->out};
    GT_TRY(resolve_op(&step, b, index));
    GT_TRY(find_inputs(b, &step));
    GT_TRY(step.tmpl->inside ? GT_OK : step.tmpl->view ? add_view(b, &step) : add_form(b, &step.output, op->output, entry->out, -1));
    GT_TRY(push_step(b, &step));
    step.inputs = NULL;
    GT_TRY(add_transforms(b, op->output));
done:
    gt_free(step.inputs);
    return status;
}

static gt_status add_outputs(struct builder *b)
{
    gt_status status = GT_OK;
    gt_program *p = b->program;
    for (int i = 0; i < b->graph->n_outputs; i++) {
        int tensor = b->graph->outputs[i];
        p->outputs[i] = -1;
        if (b->graph->tensors[tensor].data == NULL) {
            GT_TRY(find_form(b, &p->outputs[i], tensor, GT_NCHW, "the graph's output"));
        }
    }
done:
    return status;
}

static gt_status plan_arena(gt_program *p)
{
    gt_status status = GT_OK;
    int64_t *sizes = NULL;
    int64_t *offsets = NULL;
    int *first = NULL;
    int *last = NULL;
    int *roots = NULL;
    int n = 0;
    GT_TRY(gt_calloc(&sizes, (size_t)p->n_forms, sizeof *sizes));
    GT_TRY(gt_calloc(&offsets, (size_t)p->n_forms, sizeof *offsets));
    GT_TRY(gt_calloc(&first, (size_t)p->n_forms, sizeof *first));
    GT_TRY(gt_calloc(&last, (size_t)p->n_forms, sizeof *last));
    GT_TRY(gt_calloc(&roots, (size_t)p->n_forms, sizeof *roots));
    for (int i = 0; i < p->n_forms; i++) {
        int64_t within = 0;
        if (gt_i_form_root(p->forms, i, &within) == i) {
            sizes[n] = p->forms[i].size_bytes;
            first[n] = p->forms[i].first_step;
            last[n] = p->forms[i].last_step;
            roots[n++] = i;
        }
    }
    GT_TRY(gt_arena_plan(&p->arena_bytes, offsets, n, sizes, first, last));
    for (int i = 0; i < n; i++) {
        p->forms[roots[i]].offset_bytes = offsets[i];
    }
done:
    gt_free(roots);
    gt_free(last);
    gt_free(first);
    gt_free(offsets);
    gt_free(sizes);
    return status;
}

static gt_status add_steps(struct builder *b)
{
    gt_status status = GT_OK;
    const gt_graph *graph = b->graph;
    gt_program *p = b->program;
    GT_TRY(gt_calloc(&p->inputs, (size_t)graph->n_inputs, sizeof *p->inputs));
    GT_TRY(gt_calloc(&p->outputs, (size_t)graph->n_outputs, sizeof *p->outputs));
    for (int i = 0; i < graph->n_inputs; i++) {
        GT_TRY(add_form(b, &p->inputs[i], graph->inputs[i], GT_NCHW, -1));
        p->forms[p->inputs[i]].first_step = -1;
    }
    for (int i = 0; i < graph->n_inputs; i++) {
        GT_TRY(add_transforms(b, graph->inputs[i]));
    }
    for (int i = 0; i < graph->n_ops; i++) {
        GT_TRY(add_op(b, i));
    }
    GT_REQUIRE(b->next_transform == b->schedule->n_transforms, GT_ERROR_MISMATCH,
               "plan: transforms[%d]: tensor \"%s\" is unknown or out of order", b->next_transform,
               b->schedule->transforms[b->next_transform].tensor);
    GT_TRY(add_outputs(b));
    /* The caller may run again without refilling the inputs, so they are never reused. */
    for (int i = 0; i < graph->n_inputs; i++) {
        p->forms[p->inputs[i]].last_step = p->n_steps;
    }
done:
    return status;
}

gt_status gt_program_build(gt_program **program, const gt_graph *graph, const gt_schedule *schedule)
{
    gt_status status = GT_OK;
    struct builder b = {.graph = graph, .schedule = schedule};
    size_t slots = (size_t)graph->n_tensors * GT_LAYOUT_COUNT;
    GT_TRY(gt_calloc(&b.program, 1, sizeof *b.program));
    GT_TRY(gt_calloc(&b.form_of, slots, sizeof *b.form_of));
    memset(b.form_of, -1, slots * sizeof *b.form_of);
    GT_TRY(gt_placement_create(&b.placement, graph));
    GT_TRY(gt_pairs_create(&b.program->pairs, graph));
    GT_REQUIRE(schedule->n_ops == graph->n_ops, GT_ERROR_MISMATCH,
               "plan: the model has %d ops but the plan has %d; is it the plan of another model?", graph->n_ops,
               schedule->n_ops);
    GT_TRY(add_steps(&b));
    GT_TRY(plan_arena(b.program));
    *program = b.program;
    b.program = NULL;
done:
    gt_placement_destroy(b.placement);
    gt_free(b.form_of);
    gt_program_destroy(b.program);
    return status;
}

void gt_program_destroy(gt_program *program)
{
    if (program == NULL) {
        return;
    }
    for (int i = 0; i < program->n_steps; i++) {
        gt_free(program->steps[i].inputs);
    }
    gt_pairs_destroy(program->pairs);
    gt_free(program->steps);
    gt_free(program->forms);
    gt_free(program->inputs);
    gt_free(program->outputs);
    gt_free(program);
}
