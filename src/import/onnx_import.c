/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX model to graph: the registry of operators and the walk over the nodes. */
#include "src/import/format.h"
#include "src/import/onnx_context.h"
#include "src/import/onnx_inputs.h"
#include "src/import/onnx_names.h"

#include <stdlib.h>
#include <string.h>

/* ---- registry ---- */

#define RUN false
#define FOLD true
static const gt_i_onnx_op ops[] = {
#define GT_ONNX_OP(name, since, last, min_inputs, max_inputs, handler, where, attributes, notes) \
    {{#name, since, last, where, attributes, notes}, min_inputs, max_inputs, gt_i_onnx_##handler},
#include "src/import/onnx_ops.inc"
#undef GT_ONNX_OP
};
#define N_OPS (sizeof ops / sizeof *ops)

static int compare_name(const void *name, const void *op)
{
    return strcmp(name, ((const gt_i_onnx_op *)op)->info.name);
}

const gt_i_onnx_op *gt_i_onnx_find_op(const char *name)
{
    return bsearch(name, ops, N_OPS, sizeof *ops, compare_name);
}

const gt_onnx_op_info *gt_onnx_supported_ops(size_t index)
{
    return index < N_OPS ? &ops[index].info : NULL;
}

/* ---- one node ---- */

static bool knows_attribute(const gt_onnx_op_info *info, const char *name)
{
    size_t length = strlen(name);
    for (const char *word = info->attributes; *word != '\0'; word += strspn(word, " ")) {
        size_t word_length = strcspn(word, " ");
        if (word_length == length && memcmp(word, name, length) == 0) {
            return true;
        }
        word += word_length;
    }
    return strcmp(name, "consumed_inputs") == 0; /* a memory hint that all operators of opset 1 have */
}

static gt_status check_node(const gt_i_onnx_op **op, const gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    const gt_i_onnx_op *found = NULL;
    GT_REQUIRE(node->domain[0] == '\0' || strcmp(node->domain, "ai.onnx") == 0, GT_ERROR_UNSUPPORTED,
               "operators of domain '%s' are not handled", node->domain);
    found = gt_i_onnx_find_op(node->op_type);
    GT_REQUIRE(found != NULL, GT_ERROR_UNSUPPORTED, "this operator is not handled");
    GT_REQUIRE(c->model->opset >= found->info.since && c->model->opset <= found->info.last,
               GT_ERROR_UNSUPPORTED, "the model has opset %lld; this operator is handled in opsets %d to %d",
               (long long)c->model->opset, found->info.since, found->info.last);
    GT_TRY(gt_i_import_check_count("input", (int64_t)node->n_inputs, (int64_t)found->min_inputs,
                                   (int64_t)found->max_inputs));
    for (size_t i = 0; i < node->n_attrs; i++) {
        GT_REQUIRE(knows_attribute(&found->info, node->attrs[i].name), GT_ERROR_UNSUPPORTED,
                   "attribute '%s' is not handled", node->attrs[i].name);
    }
    *op = found;
done:
    return status;
}

static gt_status check_outputs(const gt_i_onnx *c, const gt_onnx_node *node)
{
    for (size_t k = 0; k < node->n_outputs; k++) {
        if (node->outputs[k][0] == '\0') {
            continue;
        }
        const gt_i_name *name = &c->names[gt_i_name_map_find(&c->name_index, node->outputs[k])];
        if (name->value == NULL && name->uses > 0) {
            return gt_fail(GT_ERROR_UNSUPPORTED, "its output %zu, '%s', is used; that output is not computed",
                           k, node->outputs[k]);
        }
    }
    return GT_OK;
}

static gt_status run_node(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    const gt_i_onnx_op *op = NULL;
    c->name_used = false;
    c->starved = false;
    GT_TRY(check_node(&op, c, node));
    GT_TRY(op->handle(c, node));
    GT_TRY(check_outputs(c, node));
done:
    return status;
}

/* ---- unsupported nodes ---- */

/* Notes the current error message as one line of the list. */
static gt_status note_unsupported(gt_i_onnx *c, int index)
{
    const gt_onnx_node *node = &c->model->nodes[index];
    c->n_unsupported++;
    if (node->name[0] != '\0') {
        return gt_text_append(&c->unsupported, "\n  %s: %s: %s", node->name, node->op_type,
                              gt_error_message());
    }
    return gt_text_append(&c->unsupported, "\n  #%d (%s): %s: %s", index, node->n_outputs > 0
                          ? node->outputs[0] : "", node->op_type, gt_error_message());
}

/* What an unsupported node should have made. Where the model states its shape, the nodes behind it can be
 * looked at as well; else they are only checked for what their attributes say. */
static gt_status bind_unknown(gt_i_onnx *c, gt_i_name *name)
{
    gt_status status = GT_OK;
    gt_shape shape = {0};
    gt_dtype dtype = GT_F32;
    gt_i_value *value = NULL;
    int tensor = GT_NO_TENSOR;
    bool stated = gt_i_onnx_stated_shape(&shape, c, name->info) &&
                  gt_i_onnx_dtype(&dtype, name->info->type) == GT_OK && gt_shape_check(&shape) == GT_OK;
    shape = stated ? shape : (gt_shape){0};
    GT_TRY(gt_graph_add_tensor(c->graph, &tensor, name->text, dtype, &shape, NULL));
    GT_TRY(gt_i_onnx_add_value(&value, c, tensor));
    value->unknown = !stated;
    value->uses = name->uses;
    name->value = value;
done:
    return status;
}

static gt_status bind_unknown_outputs(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    for (size_t k = 0; k < node->n_outputs; k++) {
        if (node->outputs[k][0] == '\0') {
            continue;
        }
        gt_i_name *name = &c->names[gt_i_name_map_find(&c->name_index, node->outputs[k])];
        if (name->value == NULL) {
            GT_TRY(bind_unknown(c, name));
        }
    }
done:
    return status;
}

/* ---- all nodes ---- */

/* Frees a constant that nobody reads any more and that the graph does not have. */
static void release_unread(gt_i_value *value)
{
    if (value->uses == 0 && value->tensor == GT_NO_TENSOR) {
        gt_free(value->data);
        value->data = NULL;
    }
}

static void release_inputs(gt_i_onnx *c, const gt_onnx_node *node)
{
    for (size_t k = 0; k < node->n_inputs; k++) {
        if (node->inputs[k][0] == '\0') {
            continue;
        }
        gt_i_value *value = c->names[gt_i_name_map_find(&c->name_index, node->inputs[k])].value;
        if (value != NULL) {
            value->uses--;
            release_unread(value);
        }
    }
}

/* Runs one node; what is unsupported is noted and does not fail yet. Behind an unsupported node shapes come
 * from the model's own statements, so an error there may be the file's or may be a consequence: it is left
 * out. */
static gt_status import_node(gt_i_onnx *c, int index)
{
    const gt_onnx_node *node = &c->model->nodes[index];
    c->node_index = index;
    gt_status status = run_node(c, node);
    if (status != GT_OK && !c->starved) {
        if (status == GT_ERROR_UNSUPPORTED) {
            status = note_unsupported(c, index);
        } else if (c->n_unsupported == 0 || status == GT_ERROR_MEMORY) {
            return gt_fail_in(status, "node '%s' (%s)", c->node_names[index], node->op_type);
        } else {
            status = GT_OK;
        }
    } else if (c->starved) {
        status = GT_OK;
    }
    if (status == GT_OK) {
        status = bind_unknown_outputs(c, node);
    }
    release_inputs(c, node);
    return status;
}

static gt_status import_nodes(gt_i_onnx *c)
{
    gt_status status = GT_OK;
    for (size_t i = 0; i < c->model->n_nodes; i++) {
        GT_TRY(import_node(c, c->order[i]));
    }
    GT_REQUIRE(c->n_unsupported == 0, GT_ERROR_UNSUPPORTED, "%d of %zu nodes are not supported:%s",
               c->n_unsupported, c->model->n_nodes, c->unsupported.data);
done:
    return status;
}

static gt_status add_initializers(gt_i_onnx *c)
{
    gt_status status = GT_OK;
    for (size_t i = 0; i < c->model->n_initializers; i++) {
        gt_onnx_tensor *tensor = &c->model->initializers[i];
        gt_i_name *name = &c->names[gt_i_name_map_find(&c->name_index, tensor->name)];
        c->folded.given_bytes += (int64_t)tensor->bytes;
        status = gt_i_onnx_add_literal(&name->value, c, tensor->name, tensor);
        if (status != GT_OK) {
            return gt_fail_in(status, "initializer '%s'", tensor->name);
        }
        name->value->uses = name->uses;
        release_unread(name->value);
    }
    return GT_OK;
}

/* A graph output that is a graph input or a constant needs an op that writes it. */
static gt_status add_copy(int *tensor, gt_i_onnx *c, const gt_i_value *value, const char *name)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    char *op_name = NULL;
    char *output_name = NULL;
    int source = value->tensor;
    GT_TRY(gt_text_append(&text, "%s/copy", name));
    GT_TRY(gt_i_name_map_unique(&c->taken_ops, &op_name, text.data));
    GT_TRY(gt_i_name_map_unique(&c->taken_tensors, &output_name, text.data));
    GT_TRY(gt_graph_add_op(c->graph, NULL, tensor, GT_OP_COPY, op_name, output_name, &(gt_attrs){0}, NULL, 1,
                           &source, NULL));
done:
    gt_text_destroy(&text);
    gt_free(op_name);
    gt_free(output_name);
    return status;
}

static gt_status add_outputs(gt_i_onnx *c)
{
    gt_status status = GT_OK;
    GT_REQUIRE(c->model->n_outputs > 0, GT_ERROR_FORMAT, "the model has no outputs");
    for (size_t i = 0; i < c->model->n_outputs; i++) {
        const char *name = c->model->outputs[i].name;
        gt_i_value *value = c->names[gt_i_name_map_find(&c->name_index, name)].value;
        int tensor = GT_NO_TENSOR;
        if (gt_i_onnx_is_const(value)) {
            GT_TRY(gt_i_onnx_place_const(c, value));
        }
        tensor = value->tensor;
        if (c->graph->tensors[tensor].producer < 0) {
            status = add_copy(&tensor, c, value, name);
            if (status != GT_OK) {
                return gt_fail_in(status, "graph output '%s'", name);
            }
        }
        GT_TRY(gt_graph_add_output(c->graph, tensor, name));
    }
done:
    return status;
}

static void destroy_context(gt_i_onnx *c)
{
    for (size_t i = 0; i < c->n_values; i++) {
        if (c->values[i]->tensor == GT_NO_TENSOR) {
            gt_free(c->values[i]->data);
        }
        gt_free(c->values[i]->name);
        gt_free(c->values[i]);
    }
    for (size_t i = 0; c->node_names != NULL && i < c->model->n_nodes; i++) {
        gt_free(c->node_names[i]);
    }
    gt_free(c->values);
    gt_free(c->names);
    gt_free(c->node_names);
    gt_free(c->order);
    gt_i_name_map_destroy(&c->name_index);
    gt_i_name_map_destroy(&c->symbols);
    gt_i_name_map_destroy(&c->taken_ops);
    gt_i_name_map_destroy(&c->taken_tensors);
    gt_text_destroy(&c->unsupported);
    gt_graph_destroy(c->graph);
    gt_onnx_model_destroy(c->model);
}

static gt_status import_model(gt_i_onnx *c)
{
    gt_status status = GT_OK;
    GT_TRY(gt_graph_create(&c->graph, c->model->graph_name));
    c->graph->n_source_ops = (int)c->model->n_nodes;
    GT_TRY(gt_i_onnx_enter_names(c));
    GT_TRY(gt_i_onnx_order_nodes(c));
    GT_TRY(add_initializers(c));
    GT_TRY(gt_i_onnx_add_inputs(c));
    GT_TRY(import_nodes(c));
    GT_TRY(add_outputs(c));
done:
    return status;
}

gt_status gt_i_import_onnx(gt_graph **graph, gt_i_import_source *source, const gt_import_options *options)
{
    gt_i_onnx c = {.options = options};
    gt_status status = gt_onnx_read_open(&c.model, source->file, source->path);
    if (status != GT_OK) {
        return status;
    }
    status = import_model(&c);
    if (status == GT_OK) {
        *graph = c.graph;
        c.graph = NULL;
    } else {
        status = gt_fail_in(status, "%s", source->path);
    }
    destroy_context(&c);
    return status;
}
