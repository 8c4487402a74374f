/* SPDX-License-Identifier: Apache-2.0 */
#include "src/export/outline.h"

#include <string.h>

struct sketch {
    gt_outline *outline;
    const gt_graph *graph;
    const gt_schedule *schedule;
    bool *made; /* per form */
    int next_transform;
};

size_t gt_outline_form(int tensor, gt_layout layout)
{
    return (size_t)tensor * GT_LAYOUT_COUNT + (size_t)layout;
}

bool gt_outline_reads(const gt_graph *graph, const gt_op *op, int i)
{
    return op->inputs[i] != GT_NO_TENSOR && graph->tensors[op->inputs[i]].data == NULL;
}

gt_layout gt_outline_input_layout(const gt_graph *graph, const gt_outline_step *step, int i)
{
    return gt_template_input_layout(graph->ops[step->op].workload, step->from, step->to, i);
}

static gt_status make(struct sketch *s, int tensor, gt_layout layout)
{
    gt_status status = GT_OK;
    const gt_tensor *t = &s->graph->tensors[tensor];
    bool *made = &s->made[gt_outline_form(tensor, layout)];
    GT_REQUIRE(gt_layout_allows(layout, &t->shape), GT_ERROR_MISMATCH, "plan: tensor \"%s\" cannot be stored in %s", t->name,
               gt_layout_name(layout));
    GT_REQUIRE(!*made, GT_ERROR_MISMATCH, "plan: tensor \"%s\" is made in %s twice", t->name, gt_layout_name(layout));
    *made = true;
done:
    return status;
}

static gt_status need(const struct sketch *s, int tensor, gt_layout layout, const char *what, const char *reader)
{
    if (s->made[gt_outline_form(tensor, layout)]) {
        return GT_OK;
    }
    return gt_fail(GT_ERROR_MISMATCH, "plan: %s%s reads tensor \"%s\" in %s, which nothing makes before it", what, reader,
                   s->graph->tensors[tensor].name, gt_layout_name(layout));
}

static void add_step(struct sketch *s, gt_outline_step step)
{
    double total_ns = s->schedule->predicted_ns;
    step.share = total_ns > 0 ? step.ns / total_ns : 0;
    s->outline->steps[s->outline->n_steps++] = step;
}

/* The schedule's next transforms, as long as they are of this tensor. */
static gt_status add_transforms(struct sketch *s, int tensor)
{
    gt_status status = GT_OK;
    const gt_schedule *schedule = s->schedule;
    const gt_tensor *t = &s->graph->tensors[tensor];
    for (; s->next_transform < schedule->n_transforms; s->next_transform++) {
        const gt_plan_transform *x = &schedule->transforms[s->next_transform];
        if (strcmp(x->tensor, t->name) != 0) {
            break;
        }
        GT_REQUIRE(t->dtype == GT_F32, GT_ERROR_MISMATCH, "plan: transforms[%d]: tensor \"%s\" is %s; only f32 has layouts",
                   s->next_transform, t->name, gt_dtype_name(t->dtype));
        GT_TRY(need(s, tensor, x->from, "a transform", ""));
        GT_TRY(make(s, tensor, x->to));
        add_step(s, (gt_outline_step){.op = -1, .transform = s->next_transform, .tensor = tensor, .from = x->from, .to = x->to,
                                      .ns = x->ns});
    }
done:
    return status;
}

static gt_status add_op(struct sketch *s, int index)
{
    gt_status status = GT_OK;
    const gt_op *op = &s->graph->ops[index];
    const gt_plan_op *entry = &s->schedule->ops[index];
    const gt_outline_step step = {.op = index, .transform = -1, .tensor = op->output, .from = entry->in, .to = entry->out,
                                  .ns = entry->ns};
    GT_REQUIRE(strcmp(op->name, entry->node) == 0, GT_ERROR_MISMATCH,
               "plan: ops[%d].node is \"%s\" where the model has op \"%s\"", index, entry->node, op->name);
    GT_REQUIRE(strcmp(op->workload->key, entry->workload) == 0, GT_ERROR_MISMATCH,
               "plan: op \"%s\": workload is %s in the model but %s in the plan", op->name, op->workload->key, entry->workload);
    for (int i = 0; i < op->n_inputs; i++) {
        if (gt_outline_reads(s->graph, op, i)) {
            GT_TRY(need(s, op->inputs[i], gt_outline_input_layout(s->graph, &step, i), "op ", op->name));
        }
    }
    GT_TRY(make(s, op->output, step.to));
    add_step(s, step);
    GT_TRY(add_transforms(s, op->output));
done:
    return status;
}

static gt_status add_steps(struct sketch *s)
{
    gt_status status = GT_OK;
    const gt_graph *graph = s->graph;
    for (int i = 0; i < graph->n_inputs; i++) {
        GT_TRY(make(s, graph->inputs[i], GT_NCHW));
    }
    for (int i = 0; i < graph->n_inputs; i++) {
        GT_TRY(add_transforms(s, graph->inputs[i]));
    }
    for (int i = 0; i < graph->n_ops; i++) {
        GT_TRY(add_op(s, i));
    }
    GT_REQUIRE(s->next_transform == s->schedule->n_transforms, GT_ERROR_MISMATCH,
               "plan: transforms[%d]: tensor \"%s\" is unknown or out of order", s->next_transform,
               s->schedule->transforms[s->next_transform].tensor);
    for (int i = 0; i < graph->n_outputs; i++) {
        if (graph->tensors[graph->outputs[i]].data == NULL) {
            GT_TRY(need(s, graph->outputs[i], GT_NCHW, "the graph's output ", graph->output_names[i]));
        }
    }
done:
    return status;
}

gt_status gt_outline_create(gt_outline **outline, const gt_graph *graph, const gt_schedule *schedule)
{
    gt_status status = GT_OK;
    struct sketch s = {.graph = graph, .schedule = schedule};
    size_t n_steps = (size_t)schedule->n_ops + (size_t)schedule->n_transforms;
    GT_REQUIRE(schedule->n_ops == graph->n_ops, GT_ERROR_MISMATCH,
               "plan: the model has %d ops but the plan has %d; is it the plan of another model?", graph->n_ops,
               schedule->n_ops);
    GT_TRY(gt_calloc(&s.outline, 1, sizeof *s.outline));
    GT_TRY(gt_calloc(&s.outline->steps, n_steps, sizeof *s.outline->steps));
    GT_TRY(gt_calloc(&s.made, (size_t)graph->n_tensors * GT_LAYOUT_COUNT, sizeof *s.made));
    GT_TRY(add_steps(&s));
    *outline = s.outline;
    s.outline = NULL;
done:
    gt_free(s.made);
    gt_outline_destroy(s.outline);
    return status;
}

void gt_outline_destroy(gt_outline *outline)
{
    if (outline != NULL) {
        gt_free(outline->steps);
        gt_free(outline);
    }
}
