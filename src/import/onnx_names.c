/* SPDX-License-Identifier: Apache-2.0 */
/* The names of an ONNX model: who defines them, who reads them, and in which order nodes can run. */
#include "src/import/onnx_names.h"

#include <string.h>

static gt_status enter(int *index, gt_i_onnx *c, const char *text)
{
    gt_status status = GT_OK;
    *index = gt_i_name_map_find(&c->name_index, text);
    if (*index < 0) {
        gt_i_name name = {.text = text, .producer = GT_I_NO_PRODUCER};
        *index = (int)c->n_names;
        GT_PUSH(c->names, c->n_names, c->names_capacity, name);
        GT_TRY(gt_i_name_map_set(&c->name_index, text, *index));
    }
done:
    return status;
}

/* Names every node uniquely: the model's name for it, else operator and first output. */
static gt_status name_nodes(gt_i_onnx *c)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    GT_TRY(gt_calloc(&c->node_names, c->model->n_nodes, sizeof *c->node_names));
    for (size_t i = 0; i < c->model->n_nodes; i++) {
        const gt_onnx_node *node = &c->model->nodes[i];
        text.length = 0;
        if (node->name[0] != '\0') {
            GT_TRY(gt_text_append(&text, "%s", node->name));
        } else {
            GT_TRY(gt_text_append(&text, "%s_%s", node->op_type, node->n_outputs > 0 ? node->outputs[0]
                                  : ""));
        }
        GT_TRY(gt_i_name_map_unique(&c->taken_ops, &c->node_names[i], text.data));
    }
done:
    gt_text_destroy(&text);
    return status;
}

static gt_status enter_file_values(gt_i_onnx *c)
{
    gt_status status = GT_OK;
    int index = 0;
    for (size_t i = 0; i < c->model->n_initializers; i++) {
        const char *name = c->model->initializers[i].name;
        GT_REQUIRE(name[0] != '\0', GT_ERROR_FORMAT, "initializer %zu has no name", i);
        GT_TRY(enter(&index, c, name));
        GT_REQUIRE(c->names[index].producer == GT_I_NO_PRODUCER, GT_ERROR_FORMAT,
                   "initializer '%s' stands twice", name);
        c->names[index].producer = GT_I_FROM_FILE;
    }
    for (size_t i = 0; i < c->model->n_inputs; i++) {
        const char *name = c->model->inputs[i].name;
        GT_REQUIRE(name[0] != '\0', GT_ERROR_FORMAT, "graph input %zu has no name", i);
        GT_TRY(enter(&index, c, name));
        GT_REQUIRE(c->names[index].info == NULL, GT_ERROR_FORMAT, "graph input '%s' stands twice", name);
        c->names[index].producer = GT_I_FROM_FILE;
        c->names[index].info = &c->model->inputs[i];
    }
done:
    return status;
}

static gt_status enter_outputs(gt_i_onnx *c, int node_index)
{
    gt_status status = GT_OK;
    const gt_onnx_node *node = &c->model->nodes[node_index];
    int index = 0;
    for (size_t k = 0; k < node->n_outputs; k++) {
        if (node->outputs[k][0] == '\0') {
            continue;
        }
        GT_TRY(enter(&index, c, node->outputs[k]));
        int other = c->names[index].producer;
        GT_REQUIRE(other < 0 || other == node_index, GT_ERROR_FORMAT,
                   "nodes '%s' (%s) and '%s' (%s) both define '%s'", c->node_names[other],
                   c->model->nodes[other].op_type, c->node_names[node_index], node->op_type,
                   node->outputs[k]);
        GT_REQUIRE(other == GT_I_NO_PRODUCER, GT_ERROR_FORMAT, "node '%s' (%s) defines '%s', which is %s",
                   c->node_names[node_index], node->op_type, node->outputs[k],
                   other == node_index ? "another of its outputs already" : "a graph input or initializer");
        c->names[index].producer = node_index;
    }
done:
    return status;
}

/* Marks what is read, after everything that is defined has been entered. */
static gt_status count_uses(gt_i_onnx *c)
{
    gt_status status = GT_OK;
    for (size_t i = 0; i < c->model->n_nodes; i++) {
        const gt_onnx_node *node = &c->model->nodes[i];
        for (size_t k = 0; k < node->n_inputs; k++) {
            if (node->inputs[k][0] == '\0') {
                continue;
            }
            int index = gt_i_name_map_find(&c->name_index, node->inputs[k]);
            GT_REQUIRE(index >= 0, GT_ERROR_FORMAT,
                       "node '%s' (%s) reads '%s' (input %zu), which is no graph input, initializer or node "
                       "output",
                       c->node_names[i], node->op_type, node->inputs[k], k);
            c->names[index].uses++;
        }
    }
    for (size_t i = 0; i < c->model->n_outputs; i++) {
        int index = gt_i_name_map_find(&c->name_index, c->model->outputs[i].name);
        GT_REQUIRE(index >= 0, GT_ERROR_FORMAT, "graph output '%s' is not defined by any node",
                   c->model->outputs[i].name);
        c->names[index].uses++;
    }
done:
    return status;
}

static void enter_infos(gt_i_onnx *c, size_t count, const gt_onnx_value *values)
{
    for (size_t i = 0; i < count; i++) {
        int index = gt_i_name_map_find(&c->name_index, values[i].name);
        if (index >= 0 && c->names[index].info == NULL) {
            c->names[index].info = &values[i];
        }
    }
}

gt_status gt_i_onnx_enter_names(gt_i_onnx *c)
{
    gt_status status = GT_OK;
    char *reserved = NULL;
    GT_TRY(name_nodes(c));
    GT_TRY(enter_file_values(c));
    for (size_t i = 0; i < c->model->n_nodes; i++) {
        GT_TRY(enter_outputs(c, (int)i));
    }
    GT_TRY(count_uses(c));
    enter_infos(c, c->model->n_outputs, c->model->outputs);
    enter_infos(c, c->model->n_values, c->model->values);
    for (size_t i = 0; i < c->n_names; i++) {
        GT_TRY(gt_i_name_map_unique(&c->taken_tensors, &reserved, c->names[i].text));
        gt_free(reserved);
        reserved = NULL;
    }
done:
    gt_free(reserved);
    return status;
}

/* ---- order ---- */

/* A depth-first walk from every node to the producers of its inputs, with a stack of its own because the
 * depth is up to whoever wrote the file. A model that is in order, as the standard demands, keeps its
 * order. */
typedef struct walk {
    gt_i_onnx *c;
    enum { NEW, OPEN, PLACED } *state;
    int *stack;         /* node indices; those in it are OPEN */
    size_t *next_input; /* of each node: which input to look at next */
    int depth;
    int n_placed;
} walk;

static gt_status fail_on_cycle(const walk *w, int node)
{
    gt_status status = GT_OK;
    gt_text names = {0};
    int start = w->depth - 1;
    while (w->stack[start] != node) {
        start--;
    }
    for (int i = w->depth - 1, shown = 0; i >= start && shown < 20; i--, shown++) {
        GT_TRY(gt_text_append(&names, "'%s' -> ", w->c->node_names[w->stack[i]]));
    }
    if (w->depth - start > 20) {
        GT_TRY(gt_text_append(&names, "… -> "));
    }
    status = gt_fail(GT_ERROR_FORMAT, "the graph has a cycle of %d nodes: %s'%s'", w->depth - start,
                     names.data, w->c->node_names[w->stack[w->depth - 1]]);
done:
    gt_text_destroy(&names);
    return status;
}

/* The next producer that the node on top of the stack waits for, or -1. */
static int next_producer(walk *w)
{
    int top = w->stack[w->depth - 1];
    const gt_onnx_node *node = &w->c->model->nodes[top];
    while (w->next_input[top] < node->n_inputs) {
        const char *name = node->inputs[w->next_input[top]++];
        int producer = name[0] != '\0' ? w->c->names[gt_i_name_map_find(&w->c->name_index,
                                                                        name)].producer : -1;
        if (producer >= 0 && w->state[producer] != PLACED) {
            return producer;
        }
    }
    return -1;
}

static gt_status place(walk *w, int node)
{
    w->stack[w->depth++] = node;
    w->state[node] = OPEN;
    while (w->depth > 0) {
        int producer = next_producer(w);
        if (producer < 0) {
            int top = w->stack[--w->depth];
            w->state[top] = PLACED;
            w->c->order[w->n_placed++] = top;
        } else if (w->state[producer] == OPEN) {
            return fail_on_cycle(w, producer);
        } else {
            w->stack[w->depth++] = producer;
            w->state[producer] = OPEN;
        }
    }
    return GT_OK;
}

gt_status gt_i_onnx_order_nodes(gt_i_onnx *c)
{
    gt_status status = GT_OK;
    walk w = {.c = c};
    size_t n = c->model->n_nodes;
    GT_TRY(gt_calloc(&c->order, n, sizeof *c->order));
    GT_TRY(gt_calloc(&w.state, n, sizeof *w.state));
    GT_TRY(gt_calloc(&w.stack, n, sizeof *w.stack));
    GT_TRY(gt_calloc(&w.next_input, n, sizeof *w.next_input));
    for (size_t i = 0; i < n; i++) {
        if (w.state[i] == NEW) {
            GT_TRY(place(&w, (int)i));
        }
    }
done:
    gt_free(w.state);
    gt_free(w.stack);
    gt_free(w.next_input);
    return status;
}
