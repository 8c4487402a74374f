/* SPDX-License-Identifier: Apache-2.0 */
/* A plan's network as a graphviz file. */
#include "src/export/export.h"
#include "src/export/outline.h"
#include "src/records/json.h"

#include <string.h>

/* Okabe and Ito's colours, which people of every kind of colour vision tell apart; black text reads well on all. */
static const char *const layout_colour[GT_LAYOUT_COUNT] = {
    [GT_NCHW] = "#56b4e9", [GT_NHWC] = "#e69f00", [GT_NCHW4C] = "#f0e442", [GT_NCHW8C] = "#2fb28a", [GT_NCHW16C] = "#cc79a7"};
#define TRANSFORM_COLOUR "#d55e00"

struct drawing {
    gt_text *out;
    const gt_graph *graph;
    const gt_plan *plan;
    const gt_outline *outline;
    int *maker; /* per form: the step that makes it, -1 - i for input i */
    bool used[GT_LAYOUT_COUNT];
};

/* Text within a label: quotes and backslashes mean something to graphviz, and so does what looks like an HTML entity. */
static gt_status put_text(gt_text *out, const char *text)
{
    gt_status status = GT_OK;
    size_t length = strlen(text);
    for (size_t i = 0; i < length;) {
        size_t n = gt_i_utf8_bytes(text + i, length - i);
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\') {
            GT_TRY(gt_text_append(out, "\\%c", c));
        } else if (c == '&') {
            GT_TRY(gt_text_append(out, "&amp;"));
        } else if (c == '\n') {
            GT_TRY(gt_text_append(out, "\\n"));
        } else if (n == 0 || c < 0x20 || c == 0x7f) {
            GT_TRY(gt_text_append(out, "?"));
        } else {
            GT_TRY(gt_text_append_bytes(out, text + i, n));
        }
        i += n > 0 ? n : 1;
    }
done:
    return status;
}

/* "NHWC", or "NCHW → NHWC" where they differ. */
static gt_status put_layouts(gt_text *out, gt_layout from, gt_layout to)
{
    return from == to ? gt_text_append(out, "%s", gt_layout_name(to))
                      : gt_text_append(out, "%s → %s", gt_layout_name(from), gt_layout_name(to));
}

static gt_status put_cost(gt_text *out, const gt_outline_step *step)
{
    char time[32];
    return gt_text_append(out, "\\n%s (%.1f %%)", gt_format_ns(time, sizeof time, step->ns), 100 * step->share);
}

/* "conv2d.direct +relu +add": the template, which is named after its operator, and what is fused behind it. */
static gt_status put_what(gt_text *out, const gt_op *op, const gt_plan_op *entry)
{
    gt_status status = GT_OK;
    const char *kind = gt_op_kind_name(op->kind);
    if (strncmp(entry->template_name, kind, strlen(kind)) != 0) {
        GT_TRY(gt_text_append(out, "%s: ", kind));
    }
    GT_TRY(put_text(out, entry->template_name));
    if (op->epilogue.act != GT_FN_NONE) {
        GT_TRY(gt_text_append(out, " +%s", gt_function_name(op->epilogue.act)));
    }
    if (op->epilogue.residual != GT_RESIDUAL_NONE) {
        GT_TRY(gt_text_append(out, " +add"));
    }
done:
    return status;
}

/* ---- nodes ---- */

static gt_status put_op(struct drawing *d, int index)
{
    gt_status status = GT_OK;
    const gt_outline_step *step = &d->outline->steps[index];
    const gt_plan_op *entry = &d->plan->schedule.ops[step->op];
    d->used[step->from] = d->used[step->to] = true;
    GT_TRY(gt_text_append(d->out, "  s%d [label=\"", index));
    GT_TRY(put_text(d->out, entry->node));
    GT_TRY(gt_text_append(d->out, "\\n"));
    GT_TRY(put_what(d->out, &d->graph->ops[step->op], entry));
    GT_TRY(gt_text_append(d->out, "\\n"));
    GT_TRY(put_layouts(d->out, step->from, step->to));
    GT_TRY(put_cost(d->out, step));
    GT_TRY(gt_text_append(d->out, "\", fillcolor=\"%s", layout_colour[step->from]));
    GT_TRY(step->from == step->to ? gt_text_append(d->out, "\"];\n")
                                  : gt_text_append(d->out, ":%s\", gradientangle=270];\n", layout_colour[step->to]));
done:
    return status;
}

static gt_status put_transform(struct drawing *d, int index)
{
    gt_status status = GT_OK;
    const gt_outline_step *step = &d->outline->steps[index];
    GT_TRY(gt_text_append(d->out, "  s%d [shape=ellipse, style=filled, fillcolor=\"%s\", label=\"", index, TRANSFORM_COLOUR));
    GT_TRY(put_layouts(d->out, step->from, step->to));
    GT_TRY(put_cost(d->out, step));
    GT_TRY(gt_text_append(d->out, "\"];\n"));
done:
    return status;
}

static gt_status put_port(struct drawing *d, char letter, int index, const char *name, int tensor)
{
    gt_status status = GT_OK;
    char shape[GT_SHAPE_TEXT_BYTES];
    GT_TRY(gt_text_append(d->out, "  %c%d [shape=box, style=\"\", penwidth=2, label=\"", letter, index));
    GT_TRY(put_text(d->out, name));
    GT_TRY(gt_text_append(d->out, "\\n%s\"];\n", gt_shape_format(shape, sizeof shape, &d->graph->tensors[tensor].shape)));
done:
    return status;
}

/* ---- edges ---- */

/* From what makes a form to the node `to`. */
static gt_status put_edge(struct drawing *d, int tensor, gt_layout layout, char letter, int to)
{
    char shape[GT_SHAPE_TEXT_BYTES];
    int maker = d->maker[gt_outline_form(tensor, layout)];
    return gt_text_append(d->out, "  %c%d -> %c%d [label=\"%s\"];\n", maker < 0 ? 'i' : 's', maker < 0 ? -1 - maker : maker, letter,
                          to, gt_shape_format(shape, sizeof shape, &d->graph->tensors[tensor].shape));
}

static gt_status put_step_edges(struct drawing *d, int index)
{
    gt_status status = GT_OK;
    const gt_outline_step *step = &d->outline->steps[index];
    if (step->op < 0) {
        return put_edge(d, step->tensor, step->from, 's', index);
    }
    const gt_op *op = &d->graph->ops[step->op];
    for (int i = 0; i < op->n_inputs; i++) {
        if (gt_outline_reads(d->graph, op, i)) {
            GT_TRY(put_edge(d, op->inputs[i], gt_outline_input_layout(d->graph, step, i), 's', index));
        }
    }
done:
    return status;
}

/* ---- the whole ---- */

static gt_status put_head(struct drawing *d)
{
    gt_status status = GT_OK;
    char time[32];
    char bound[32];
    const gt_plan_result *r = &d->plan->result;
    const char *unmeasured = gt_i_export_unmeasured(d->plan);
    GT_TRY(gt_text_append(d->out, "digraph plan {\n  graph [charset=\"UTF-8\", rankdir=TB, fontname=\"Helvetica\", labelloc=t, "
                                  "label=\""));
    if (unmeasured != NULL) {
        GT_TRY(gt_text_append(d->out, "costs not measured on the device: %s\\n", unmeasured));
    }
    GT_TRY(put_text(d->out, d->graph->name));
    GT_TRY(gt_text_append(d->out, "\\npredicted %s, %s%s\"];\n", gt_format_ns(time, sizeof time, r->predicted_ns),
                          r->optimal ? "proved optimal for these costs" : "not proved optimal: at least ",
                          r->optimal ? "" : gt_format_ns(bound, sizeof bound, r->lower_bound_ns)));
    GT_TRY(gt_text_append(d->out, "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=11];\n"
                                  "  edge [fontname=\"Helvetica\", fontsize=9];\n"));
done:
    return status;
}

static gt_status put_legend(struct drawing *d)
{
    gt_status status = GT_OK;
    GT_TRY(gt_text_append(d->out, "  subgraph cluster_legend {\n    label=\"layouts\"; fontsize=11; color=\"#999999\";\n"));
    for (int i = 0; i < GT_LAYOUT_COUNT; i++) {
        if (d->used[i]) {
            GT_TRY(gt_text_append(d->out, "    legend%d [label=\"%s\", fillcolor=\"%s\"];\n", i, gt_layout_name((gt_layout)i),
                                  layout_colour[i]));
        }
    }
    if (d->plan->schedule.n_transforms > 0) {
        GT_TRY(gt_text_append(d->out, "    legend_transform [label=\"transform\", shape=ellipse, style=filled, fillcolor=\"%s\"];\n",
                              TRANSFORM_COLOUR));
    }
    GT_TRY(gt_text_append(d->out, "  }\n"));
done:
    return status;
}

static gt_status draw(struct drawing *d)
{
    gt_status status = GT_OK;
    const gt_graph *graph = d->graph;
    GT_TRY(put_head(d));
    for (int i = 0; i < graph->n_inputs; i++) {
        d->maker[gt_outline_form(graph->inputs[i], GT_NCHW)] = -1 - i;
        GT_TRY(put_port(d, 'i', i, graph->tensors[graph->inputs[i]].name, graph->inputs[i]));
    }
    for (int i = 0; i < d->outline->n_steps; i++) {
        const gt_outline_step *step = &d->outline->steps[i];
        GT_TRY(step->op >= 0 ? put_op(d, i) : put_transform(d, i));
        GT_TRY(put_step_edges(d, i));
        d->maker[gt_outline_form(step->tensor, step->to)] = i;
    }
    for (int i = 0; i < graph->n_outputs; i++) {
        GT_TRY(put_port(d, 'o', i, graph->output_names[i], graph->outputs[i]));
        if (graph->tensors[graph->outputs[i]].data == NULL) {
            GT_TRY(put_edge(d, graph->outputs[i], GT_NCHW, 'o', i));
        }
    }
    GT_TRY(put_legend(d));
    GT_TRY(gt_text_append(d->out, "}\n"));
done:
    return status;
}

gt_status gt_export_dot(gt_text *text, const gt_graph *graph, const gt_plan *plan)
{
    gt_status status = GT_OK;
    gt_outline *outline = NULL;
    struct drawing d = {.out = text, .graph = graph, .plan = plan};
    GT_TRY(gt_outline_create(&outline, graph, &plan->schedule));
    d.outline = outline;
    GT_TRY(gt_calloc(&d.maker, (size_t)graph->n_tensors * GT_LAYOUT_COUNT, sizeof *d.maker));
    GT_TRY(draw(&d));
done:
    gt_free(d.maker);
    gt_outline_destroy(outline);
    return status;
}
