/* SPDX-License-Identifier: Apache-2.0 */
/* A plan's network as an ONNX model: its inputs, its steps, its outputs. */
#include "src/export/onnx_emit.h"

#include <string.h>

/* Old enough for the tools that are about; what later opsets add is hardly ever needed. */
#define OPSET 13

/* A kind that is not here has no ONNX operator, and is exported as one of graphtune's. */
static void (*const emit_kind[GT_OP_KIND_COUNT])(gt_i_emit *) = {
    [GT_OP_CONV2D] = gt_i_emit_conv,
    [GT_OP_CONV_TRANSPOSE2D] = gt_i_emit_conv_transpose,
    [GT_OP_DENSE] = gt_i_emit_dense,
    [GT_OP_MATMUL] = gt_i_emit_matmul,
    [GT_OP_POOL2D] = gt_i_emit_pool,
    [GT_OP_REDUCE] = gt_i_emit_reduce,
    [GT_OP_UNARY] = gt_i_emit_unary,
    [GT_OP_BINARY] = gt_i_emit_binary,
    [GT_OP_SCALE] = gt_i_emit_scale,
    [GT_OP_CONCAT] = gt_i_emit_concat,
    [GT_OP_SLICE] = gt_i_emit_slice,
    [GT_OP_PAD] = gt_i_emit_pad,
    [GT_OP_RESIZE] = gt_i_emit_resize,
    [GT_OP_SOFTMAX] = gt_i_emit_softmax,
    [GT_OP_LRN] = gt_i_emit_lrn,
    [GT_OP_CHANNEL_SHUFFLE] = gt_i_emit_shuffle,
    [GT_OP_DEPTH_TO_SPACE] = gt_i_emit_block,
    [GT_OP_SPACE_TO_DEPTH] = gt_i_emit_block,
    [GT_OP_RESHAPE] = gt_i_emit_reshape,
    [GT_OP_TRANSPOSE] = gt_i_emit_transpose,
    [GT_OP_GATHER] = gt_i_emit_gather,
    [GT_OP_TILE] = gt_i_emit_tile,
    [GT_OP_ARGMAX] = gt_i_emit_argmax,
    [GT_OP_CAST] = gt_i_emit_cast,
    [GT_OP_COPY] = gt_i_emit_copy,
};

static gt_onnx_type value_type(const gt_tensor *t)
{
    return t->dtype == GT_F32 ? GT_ONNX_FLOAT : t->dtype == GT_I64 ? GT_ONNX_INT64 : GT_ONNX_BOOL;
}

/* ---- inputs and outputs ---- */

/* Inputs and outputs keep their names, so these come before all others; only an output that is called like an input does not,
 * since ONNX wants them different. An output's name is that of its C-order form, unless this is an input, a constant, or bears
 * another output's name already. */
static gt_status reserve_names(gt_i_emit *e)
{
    gt_status status = GT_OK;
    const gt_graph *graph = e->graph;
    const char *name = NULL;
    for (int i = 0; i < graph->n_inputs; i++) {
        GT_TRY(gt_i_names_new(&e->forms[gt_outline_form(graph->inputs[i], GT_NCHW)], &e->tensors,
                              graph->tensors[graph->inputs[i]].name));
    }
    for (int i = 0; i < graph->n_outputs; i++) {
        const char **form = &e->forms[gt_outline_form(graph->outputs[i], GT_NCHW)];
        GT_TRY(gt_i_names_new(&e->outputs[i], &e->tensors, graph->output_names[i]));
        if (*form == NULL && graph->tensors[graph->outputs[i]].data == NULL) {
            *form = e->outputs[i];
        }
    }
    for (int i = 0; i < graph->n_ops; i++) {
        GT_TRY(gt_i_names_new(&name, &e->nodes, graph->ops[i].name));
    }
done:
    return status;
}

static gt_status add_inputs(gt_i_emit *e)
{
    gt_status status = GT_OK;
    for (int i = 0; i < e->graph->n_inputs; i++) {
        const gt_tensor *t = &e->graph->tensors[e->graph->inputs[i]];
        GT_TRY(gt_onnx_add_input(e->model, t->name, t->shape.rank, t->shape.dim));
        e->model->inputs[e->model->n_inputs - 1].type = value_type(t);
    }
done:
    return status;
}

/* An output that is an input, a constant or another output under a second name needs a node. */
static gt_status add_output(gt_i_emit *e, int i)
{
    gt_status status = GT_OK;
    int tensor = e->graph->outputs[i];
    const gt_tensor *t = &e->graph->tensors[tensor];
    const char *name = e->outputs[i];
    const char *form = t->data != NULL ? gt_i_emit_weight(e, tensor, &t->shape) : e->forms[gt_outline_form(tensor, GT_NCHW)];
    const char *node_name = NULL;
    gt_onnx_node *node = NULL;
    GT_TRY(e->status);
    if (strcmp(form, name) != 0) {
        GT_TRY(gt_i_names_new(&node_name, &e->nodes, name));
        GT_TRY(gt_onnx_add_node(e->model, &node, "Identity", node_name, 1, &form, 1, &name));
    }
    GT_TRY(gt_onnx_add_output(e->model, name, t->shape.rank, t->shape.dim));
    e->model->outputs[e->model->n_outputs - 1].type = value_type(t);
done:
    return status;
}

/* ---- steps ---- */

static bool is_output(const gt_i_emit *e, const char *name)
{
    for (int i = 0; i < e->graph->n_outputs; i++) {
        if (strcmp(e->outputs[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* The name of the form that a step makes: the tensor's, with the layout behind it where a transform makes it. */
static const char *name_form(gt_i_emit *e, const gt_outline_step *step)
{
    const char **form = &e->forms[gt_outline_form(step->tensor, step->to)];
    const char *tensor = e->graph->tensors[step->tensor].name;
    gt_text text = {0};
    if (*form == NULL && e->status == GT_OK) {
        e->status = step->op >= 0 ? gt_text_append(&text, "%s", tensor)
                                  : gt_text_append(&text, "%s:%s", tensor, gt_layout_name(step->to));
    }
    if (*form == NULL && e->status == GT_OK) {
        e->status = gt_i_names_new(form, &e->tensors, text.data);
    }
    gt_text_destroy(&text);
    return *form != NULL ? *form : "";
}

/* An output's shape stands among the outputs. */
static void describe_form(gt_i_emit *e, const gt_outline_step *step, const char *form)
{
    const gt_tensor *t = &e->graph->tensors[step->tensor];
    if (e->status == GT_OK && !is_output(e, form)) {
        e->status = gt_onnx_add_value(e->model, form, t->shape.rank, t->shape.dim);
    }
    if (e->status == GT_OK && !is_output(e, form)) {
        e->model->values[e->model->n_values - 1].type = value_type(t);
    }
}

static void emit_transform(gt_i_emit *e, const gt_outline_step *step, const char *form)
{
    const char *from = e->forms[gt_outline_form(step->tensor, step->from)];
    const char *name = "";
    gt_text text = {0};
    if (e->status == GT_OK) {
        e->status = gt_text_append(&text, "%s: %s to %s", e->graph->tensors[step->tensor].name, gt_layout_name(step->from),
                                   gt_layout_name(step->to));
    }
    if (e->status == GT_OK) {
        e->status = gt_i_names_new(&name, &e->nodes, text.data);
    }
    if (e->status == GT_OK) {
        e->status = gt_onnx_add_node(e->model, &e->node, "Identity", name, 1, &from, 1, &form);
    }
    gt_text_destroy(&text);
}

static void emit_op(gt_i_emit *e, const gt_outline_step *step, const char *form)
{
    e->step = step;
    e->op = &e->graph->ops[step->op];
    e->result = NULL;
    void (*emit)(gt_i_emit *) = emit_kind[e->op->kind];
    (emit != NULL ? emit : gt_i_emit_own)(e);
    e->result = NULL;
    if (e->status == GT_OK) {
        gt_free(e->node->outputs[0]);
        e->node->outputs[0] = NULL;
        e->status = gt_strdup(&e->node->outputs[0], form);
    }
}

static void emit_step(gt_i_emit *e, const gt_outline_step *step)
{
    size_t first = e->model->n_nodes;
    const char *form = name_form(e, step);
    if (step->op >= 0) {
        emit_op(e, step, form);
    } else {
        emit_transform(e, step, form);
    }
    describe_form(e, step, form);
    gt_i_emit_notes(e, step, first);
}

static gt_status emit_all(gt_i_emit *e, const gt_outline *outline, const gt_plan *plan)
{
    gt_status status = GT_OK;
    GT_TRY(gt_onnx_model_create(&e->model, e->graph->name, OPSET));
    GT_TRY(gt_calloc(&e->forms, (size_t)e->graph->n_tensors * GT_LAYOUT_COUNT, sizeof *e->forms));
    GT_TRY(gt_calloc(&e->outputs, (size_t)e->graph->n_outputs, sizeof *e->outputs));
    GT_TRY(reserve_names(e));
    GT_TRY(add_inputs(e));
    for (int i = 0; i < outline->n_steps && e->status == GT_OK; i++) {
        emit_step(e, &outline->steps[i]);
    }
    gt_i_emit_model_notes(e, plan);
    GT_TRY(e->status);
    for (int i = 0; i < e->graph->n_outputs; i++) {
        GT_TRY(add_output(e, i));
    }
done:
    return status;
}

gt_status gt_export_onnx(gt_onnx_model **model, const gt_graph *graph, const gt_plan *plan, const gt_export_options *options)
{
    static const gt_export_options defaults = {0};
    gt_status status = GT_OK;
    gt_outline *outline = NULL;
    gt_i_emit e = {.graph = graph, .schedule = &plan->schedule, .options = options != NULL ? options : &defaults};
    GT_TRY(gt_outline_create(&outline, graph, &plan->schedule));
    GT_TRY(emit_all(&e, outline, plan));
    *model = e.model;
    e.model = NULL;
done:
    gt_outline_destroy(outline);
    gt_i_names_destroy(&e.tensors);
    gt_i_names_destroy(&e.nodes);
    gt_free(e.outputs);
    gt_free(e.forms);
    gt_onnx_model_destroy(e.model);
    return status;
}
