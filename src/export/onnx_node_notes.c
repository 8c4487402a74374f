/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan says, as notes on the nodes and the model (the keys are listed in docs/export.md). */
#include "src/export/onnx_emit.h"
#include "src/plan/plan_names.h"

#include <stdio.h>
#include <string.h>

/* One entry "graphtune.<key>", and the same as a line of the text for doc_string. */
static void note_text(gt_i_emit *e, gt_onnx_notes *notes, gt_text *doc, const char *key, const char *value)
{
    char full_key[48];
    snprintf(full_key, sizeof full_key, "graphtune.%s", key);
    if (e->status == GT_OK) {
        e->status = gt_onnx_add_note(notes, full_key, value);
    }
    if (e->status == GT_OK) {
        e->status = gt_text_append(doc, "%s: %s\n", key, value);
    }
}

/* The same of a short value. */
static void note(gt_i_emit *e, gt_onnx_notes *notes, gt_text *doc, const char *key, const char *format, ...)
    GT_PRINTF(5, 6);

static void note(gt_i_emit *e, gt_onnx_notes *notes, gt_text *doc, const char *key, const char *format, ...)
{
    char value[64];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    note_text(e, notes, doc, key, value);
}

static void finish(gt_i_emit *e, gt_onnx_notes *notes, gt_text *doc)
{
    if (e->status == GT_OK && doc->data != NULL) {
        e->status = gt_onnx_set_doc(notes, doc->data);
    }
    gt_text_destroy(doc);
}

static void note_cost(gt_i_emit *e, gt_onnx_notes *notes, gt_text *doc, const gt_outline_step *step)
{
    note(e, notes, doc, "in_layout", "%s", gt_layout_name(step->from));
    note(e, notes, doc, "out_layout", "%s", gt_layout_name(step->to));
    note(e, notes, doc, "time_ms", "%.6g", step->ns * 1e-6);
    note(e, notes, doc, "share", "%.2f %%", 100 * step->share);
}

static void note_op(gt_i_emit *e, gt_onnx_node *node, const gt_outline_step *step)
{
    const gt_plan_op *entry = &e->schedule->ops[step->op];
    const gt_op *op = &e->graph->ops[step->op];
    gt_text doc = {0};
    note(e, &node->notes, &doc, "op", "%s", gt_workload_is_depthwise(op->workload) ? "depthwise" : gt_op_kind_name(op->kind));
    note_text(e, &node->notes, &doc, "template", entry->template_name);
    note_cost(e, &node->notes, &doc, step);
    if (entry->config[0] != '\0') {
        note_text(e, &node->notes, &doc, "config", entry->config);
    }
    note_text(e, &node->notes, &doc, "workload", entry->workload);
    if (op->fused != NULL && op->fused[0] != '\0') {
        note_text(e, &node->notes, &doc, "fused", op->fused);
    }
    finish(e, &node->notes, &doc);
}

static void note_part(gt_i_emit *e, gt_onnx_node *node, const char *op)
{
    gt_text doc = {0};
    note_text(e, &node->notes, &doc, "part_of", op);
    finish(e, &node->notes, &doc);
}

static void note_transform(gt_i_emit *e, gt_onnx_node *node, const gt_outline_step *step)
{
    gt_text doc = {0};
    note(e, &node->notes, &doc, "transform", "%s -> %s", gt_layout_name(step->from), gt_layout_name(step->to));
    note_text(e, &node->notes, &doc, "tensor", e->graph->tensors[step->tensor].name);
    note_cost(e, &node->notes, &doc, step);
    finish(e, &node->notes, &doc);
}

void gt_i_emit_notes(gt_i_emit *e, const gt_outline_step *step, size_t first)
{
    for (size_t i = first; e->status == GT_OK && i < e->model->n_nodes; i++) {
        gt_onnx_node *node = &e->model->nodes[i];
        if (step->op < 0) {
            note_transform(e, node, step);
        } else if (strcmp(node->name, e->graph->ops[step->op].name) == 0) {
            note_op(e, node, step);
        } else {
            note_part(e, node, e->graph->ops[step->op].name);
        }
    }
}

const char *gt_i_export_unmeasured(const gt_plan *plan)
{
    switch (plan->source) {
    case GT_SOURCE_FOREIGN: return "imported";
    case GT_SOURCE_MODEL: return "modelled";
    case GT_SOURCE_COUNTED: return "counted";
    default: return NULL;
    }
}

void gt_i_emit_model_notes(gt_i_emit *e, const gt_plan *plan)
{
    const gt_plan_result *r = &plan->result;
    gt_text doc = {0};
    if (e->status != GT_OK) {
        return;
    }
    gt_onnx_notes *notes = &e->model->notes;
    if (gt_i_export_unmeasured(plan) != NULL) {
        e->status = gt_text_append(&doc, "These costs were not measured on the device: they are %s.\n",
                                   gt_i_export_unmeasured(plan));
    }
    note(e, notes, &doc, "predicted_ms", "%.6g", r->predicted_ns * 1e-6);
    note(e, notes, &doc, "lower_bound_ms", "%.6g", r->lower_bound_ns * 1e-6);
    note(e, notes, &doc, "optimal", "%s", r->optimal ? "true" : "false");
    note_text(e, notes, &doc, "method", r->method);
    note(e, notes, &doc, "source", "%s", gt_i_source_names[plan->source]);
    note(e, notes, &doc, "device", "%s", plan->device);
    note_text(e, notes, &doc, "isa", plan->isa);
    note(e, notes, &doc, "threads", "%d", plan->threads);
    note(e, notes, &doc, "operators", "%d", plan->schedule.n_ops);
    note(e, notes, &doc, "transforms", "%d", plan->schedule.n_transforms);
    note_text(e, notes, &doc, "model_sha256", plan->model_sha256);
    if (e->options->plan_sha256 != NULL) {
        note_text(e, notes, &doc, "plan_sha256", e->options->plan_sha256);
    }
    finish(e, notes, &doc);
}
