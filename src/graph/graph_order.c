/* SPDX-License-Identifier: Apache-2.0 */
/* Dead code, topological order and renumbering. */
#include "src/graph/graph_internal.h"

#include <string.h>

typedef enum mark { UNSEEN, OPEN, PLACED } mark;

/* Scratch for one gt_graph_compact; indices are the old ones. */
typedef struct ordering {
    const gt_graph *graph;
    int *producer; /* live op per tensor, or -1 */
    mark *state;   /* per op */
    int *next;     /* per op: the next input to look at */
    int *stack;
    int *order; /* op numbers in their new order */
    int count;
    int *new_tensor; /* per tensor: new number, or -1 */
} ordering;

static gt_status find_producers(ordering *o)
{
    gt_status status = GT_OK;
    const gt_graph *g = o->graph;
    for (int t = 0; t < g->n_tensors; t++) {
        o->producer[t] = -1;
    }
    for (int i = 0; i < g->n_ops; i++) {
        const gt_op *op = &g->ops[i];
        if (op->dead) {
            continue;
        }
        GT_REQUIRE(op->output >= 0 && op->output < g->n_tensors && o->producer[op->output] < 0, GT_ERROR_INTERNAL,
                   "operator \"%s\": its output tensor %d does not exist or has another producer", op->name,
                   op->output);
        o->producer[op->output] = i;
    }
done:
    return status;
}

/* The stack from `op` on is a cycle, each op needing the next one above. */
static gt_status fail_cycle(const ordering *o, int depth, int op)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    int from = depth - 1;
    while (from > 0 && o->stack[from] != op) {
        from--;
    }
    for (int i = depth - 1; i >= from; i--) {
        GT_TRY(gt_text_append(&text, "\"%s\" -> ", o->graph->ops[o->stack[i]].name));
    }
    status = gt_fail(GT_ERROR_FORMAT, "the graph has a cycle: %s\"%s\"; a network must be acyclic", text.data,
                     o->graph->ops[o->stack[depth - 1]].name);
done:
    gt_text_destroy(&text);
    return status;
}

/* Places an op after everything it needs (depth first, without recursion: graphs can be deep). */
static gt_status place(ordering *o, int root)
{
    int depth = 0;
    if (o->state[root] == PLACED) {
        return GT_OK;
    }
    o->stack[depth++] = root;
    o->state[root] = OPEN;
    while (depth > 0) {
        int current = o->stack[depth - 1];
        const gt_op *op = &o->graph->ops[current];
        if (o->next[current] == op->n_inputs) {
            o->state[current] = PLACED;
            o->order[o->count++] = current;
            depth--;
            continue;
        }
        int tensor = op->inputs[o->next[current]++];
        int needed = tensor >= 0 ? o->producer[tensor] : -1;
        if (needed < 0 || o->state[needed] == PLACED) {
            continue;
        }
        if (o->state[needed] == OPEN) {
            return fail_cycle(o, depth, needed);
        }
        o->state[needed] = OPEN;
        o->stack[depth++] = needed;
    }
    return GT_OK;
}

/* Leaves only the ops that an output needs to be placed: the others count as placed already. */
static void mark_needed(ordering *o)
{
    const gt_graph *g = o->graph;
    int depth = 0;
    for (int i = 0; i < g->n_ops; i++) {
        o->state[i] = PLACED;
    }
    for (int i = 0; i < g->n_outputs; i++) {
        int op = o->producer[g->outputs[i]];
        if (op >= 0 && o->state[op] == PLACED) {
            o->state[op] = UNSEEN;
            o->stack[depth++] = op;
        }
    }
    while (depth > 0) {
        const gt_op *op = &g->ops[o->stack[--depth]];
        for (int i = 0; i < op->n_inputs; i++) {
            int needed = op->inputs[i] >= 0 ? o->producer[op->inputs[i]] : -1;
            if (needed >= 0 && o->state[needed] == PLACED) {
                o->state[needed] = UNSEEN;
                o->stack[depth++] = needed;
            }
        }
    }
}

/* Numbers the tensors that are still referenced, in their old order. */
static void number_tensors(ordering *o)
{
    const gt_graph *g = o->graph;
    memset(o->new_tensor, 0, (size_t)g->n_tensors * sizeof *o->new_tensor);
    for (int i = 0; i < g->n_inputs; i++) {
        o->new_tensor[g->inputs[i]] = 1;
    }
    for (int i = 0; i < g->n_outputs; i++) {
        o->new_tensor[g->outputs[i]] = 1;
    }
    for (int i = 0; i < o->count; i++) {
        const gt_op *op = &g->ops[o->order[i]];
        o->new_tensor[op->output] = 1;
        for (int j = 0; j < op->n_inputs; j++) {
            if (op->inputs[j] >= 0) {
                o->new_tensor[op->inputs[j]] = 1;
            }
        }
    }
    int count = 0;
    for (int t = 0; t < g->n_tensors; t++) {
        o->new_tensor[t] = o->new_tensor[t] != 0 ? count++ : -1;
    }
}

static gt_status check_indices(const gt_graph *g)
{
    gt_status status = GT_OK;
    for (int i = 0; i < g->n_ops; i++) {
        const gt_op *op = &g->ops[i];
        for (int j = 0; j < op->n_inputs && !op->dead; j++) {
            GT_REQUIRE(op->inputs[j] >= GT_NO_TENSOR && op->inputs[j] < g->n_tensors, GT_ERROR_INTERNAL,
                       "operator \"%s\": input %d is tensor %d, which does not exist", op->name, j, op->inputs[j]);
        }
    }
done:
    return status;
}

/* The graph in its new order; only moves and frees. `ops` has room for all. */
static void apply(gt_graph *g, ordering *o, gt_op *ops)
{
    for (int i = 0; i < o->count; i++) {
        gt_op *old = &g->ops[o->order[i]];
        memcpy(&ops[i], old, sizeof *old);
        memset(old, 0, sizeof *old);
        ops[i].output = o->new_tensor[ops[i].output];
        for (int j = 0; j < ops[i].n_inputs; j++) {
            ops[i].inputs[j] = ops[i].inputs[j] >= 0 ? o->new_tensor[ops[i].inputs[j]] : GT_NO_TENSOR;
        }
    }
    for (int i = 0; i < g->n_ops; i++) {
        gt_i_op_clear(&g->ops[i]);
    }
    if (o->count > 0) {
        memcpy(g->ops, ops, (size_t)o->count * sizeof *ops);
    }
    g->n_ops = o->count;
    int kept = 0;
    for (int t = 0; t < g->n_tensors; t++) {
        if (o->new_tensor[t] < 0) {
            gt_i_tensor_clear(&g->tensors[t]);
        } else {
            g->tensors[kept] = g->tensors[t];
            g->tensors[kept++].producer = -1;
        }
    }
    g->n_tensors = kept;
    for (int i = 0; i < g->n_ops; i++) {
        g->tensors[g->ops[i].output].producer = i;
    }
    for (int i = 0; i < g->n_inputs; i++) {
        g->inputs[i] = o->new_tensor[g->inputs[i]];
    }
    for (int i = 0; i < g->n_outputs; i++) {
        g->outputs[i] = o->new_tensor[g->outputs[i]];
    }
}

/* Indexes of the new numbers, built before the graph changes so that running out of memory leaves it whole. */
static gt_status index_names(gt_name_index *tensors, gt_name_index *ops, const gt_graph *g, const ordering *o)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_names_reserve(tensors, (size_t)g->n_tensors));
    GT_TRY(gt_i_names_reserve(ops, (size_t)o->count));
    for (int t = 0; t < g->n_tensors; t++) {
        if (o->new_tensor[t] >= 0) {
            GT_TRY(gt_i_names_add(tensors, g->tensors[t].name, o->new_tensor[t], NULL, NULL));
        }
    }
    for (int i = 0; i < o->count; i++) {
        GT_TRY(gt_i_names_add(ops, g->ops[o->order[i]].name, i, NULL, NULL));
    }
done:
    return status;
}

static gt_status make_scratch(ordering *o, gt_op **ops, const gt_graph *g)
{
    gt_status status = GT_OK;
    const size_t n_ops = (size_t)g->n_ops;
    const size_t n_tensors = (size_t)g->n_tensors;
    GT_TRY(gt_calloc(&o->producer, n_tensors, sizeof *o->producer));
    GT_TRY(gt_calloc(&o->new_tensor, n_tensors, sizeof *o->new_tensor));
    GT_TRY(gt_calloc(&o->state, n_ops, sizeof *o->state));
    GT_TRY(gt_calloc(&o->next, n_ops, sizeof *o->next));
    GT_TRY(gt_calloc(&o->stack, n_ops, sizeof *o->stack));
    GT_TRY(gt_calloc(&o->order, n_ops, sizeof *o->order));
    GT_TRY(gt_calloc(ops, n_ops, sizeof **ops));
done:
    return status;
}

gt_status gt_graph_compact(gt_graph *graph)
{
    gt_status status = GT_OK;
    ordering o = {.graph = graph};
    gt_op *ops = NULL;
    gt_name_index tensor_names = {0};
    gt_name_index op_names = {0};
    GT_TRY(check_indices(graph));
    GT_TRY(make_scratch(&o, &ops, graph));
    GT_TRY(find_producers(&o));
    mark_needed(&o);
    for (int i = 0; i < graph->n_ops; i++) {
        GT_TRY(place(&o, i));
    }
    number_tensors(&o);
    GT_TRY(index_names(&tensor_names, &op_names, graph, &o));
    apply(graph, &o, ops);
    gt_i_names_clear(&graph->tensor_names);
    gt_i_names_clear(&graph->op_names);
    graph->tensor_names = tensor_names;
    graph->op_names = op_names;
    tensor_names = (gt_name_index){0};
    op_names = (gt_name_index){0};
done:
    gt_i_names_clear(&tensor_names);
    gt_i_names_clear(&op_names);
    gt_free(o.producer);
    gt_free(o.new_tensor);
    gt_free(o.state);
    gt_free(o.next);
    gt_free(o.stack);
    gt_free(o.order);
    gt_free(ops);
    return status;
}
