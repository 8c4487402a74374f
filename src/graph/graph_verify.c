/* SPDX-License-Identifier: Apache-2.0 */
/* Finishing, invariants and consumers. */
#include "src/graph/graph_internal.h"

#include <string.h>

static gt_status make_workload(gt_workload **out, const gt_graph *g, const gt_op *op)
{
    gt_status status = GT_OK;
    gt_operand *operands = NULL;
    const gt_operand output = gt_graph_operand(g, op->output);
    GT_TRY(gt_calloc(&operands, (size_t)op->n_inputs, sizeof *operands));
    for (int i = 0; i < op->n_inputs; i++) {
        operands[i] = gt_graph_operand(g, op->inputs[i]);
    }
    status = gt_workload_create(out, op->kind, &op->attrs, &op->epilogue, op->n_inputs, operands, &output);
    if (status != GT_OK) {
        status = gt_fail_in(status, "operator \"%s\"", op->name);
    }
done:
    gt_free(operands);
    return status;
}

gt_status gt_graph_finish(gt_graph *graph)
{
    gt_status status = GT_OK;
    GT_REQUIRE(graph->n_outputs > 0, GT_ERROR_FORMAT, "graph \"%s\" has no outputs; at least one is needed",
               graph->name);
    GT_TRY(gt_graph_compact(graph));
    for (int i = 0; i < graph->n_ops; i++) {
        gt_workload *workload = NULL;
        GT_TRY(make_workload(&workload, graph, &graph->ops[i]));
        gt_workload_destroy(graph->ops[i].workload);
        graph->ops[i].workload = workload;
    }
    GT_TRY(gt_graph_verify(graph));
done:
    return status;
}

static gt_status verify_tensor(const gt_graph *g, int t)
{
    gt_status status = GT_OK;
    const gt_tensor *tensor = &g->tensors[t];
    GT_REQUIRE(tensor->name != NULL && tensor->name[0] != '\0', GT_ERROR_INTERNAL, "tensor %d has no name", t);
    GT_REQUIRE(gt_graph_find_tensor(g, tensor->name) == t, GT_ERROR_INTERNAL,
               "tensor %d: the name \"%s\" belongs to tensor %d", t, tensor->name,
               gt_graph_find_tensor(g, tensor->name));
    GT_REQUIRE((size_t)tensor->dtype < GT_DTYPE_COUNT, GT_ERROR_INTERNAL, "tensor \"%s\": element type %d",
               tensor->name, (int)tensor->dtype);
    if (gt_shape_check(&tensor->shape) != GT_OK) {
        status = gt_fail_in(GT_ERROR_INTERNAL, "tensor \"%s\"", tensor->name);
        goto done;
    }
    GT_REQUIRE(tensor->producer >= -1 && tensor->producer < g->n_ops, GT_ERROR_INTERNAL,
               "tensor \"%s\": producer %d does not exist", tensor->name, tensor->producer);
    GT_REQUIRE(tensor->producer < 0 || g->ops[tensor->producer].output == t, GT_ERROR_INTERNAL,
               "tensor \"%s\": operator \"%s\" does not produce it", tensor->name,
               g->ops[tensor->producer].name);
    GT_REQUIRE(tensor->data == NULL || tensor->producer < 0, GT_ERROR_INTERNAL,
               "tensor \"%s\" is a constant and an operator's output", tensor->name);
done:
    return status;
}

/* `fed` marks the graph's inputs. */
static gt_status verify_op(const gt_graph *g, int i, const bool *fed)
{
    gt_status status = GT_OK;
    const gt_op *op = &g->ops[i];
    gt_operand out = {0};
    GT_REQUIRE(op->name != NULL && op->name[0] != '\0', GT_ERROR_INTERNAL, "operator %d has no name", i);
    GT_REQUIRE(gt_graph_find_op(g, op->name) == i, GT_ERROR_INTERNAL,
               "operator %d: the name \"%s\" belongs to operator %d", i, op->name, gt_graph_find_op(g, op->name));
    GT_REQUIRE(!op->dead, GT_ERROR_INTERNAL, "operator \"%s\" is dead", op->name);
    GT_REQUIRE(op->output >= 0 && op->output < g->n_tensors && g->tensors[op->output].producer == i,
               GT_ERROR_INTERNAL, "operator \"%s\": output tensor %d is not its own", op->name, op->output);
    GT_REQUIRE(op->n_inputs == gt_op_canonical_inputs(op->kind, op->n_inputs), GT_ERROR_INTERNAL,
               "operator \"%s\": %d inputs instead of %d", op->name, op->n_inputs,
               gt_op_canonical_inputs(op->kind, op->n_inputs));
    for (int j = 0; j < op->n_inputs; j++) {
        int t = op->inputs[j];
        GT_REQUIRE(t >= GT_NO_TENSOR && t < g->n_tensors, GT_ERROR_INTERNAL,
                   "operator \"%s\": input %d is tensor %d, which does not exist", op->name, j, t);
        GT_REQUIRE(t < 0 || g->tensors[t].producer < i, GT_ERROR_INTERNAL,
                   "operator \"%s\" comes before its input \"%s\"", op->name, g->tensors[t].name);
        GT_REQUIRE(t < 0 || g->tensors[t].producer >= 0 || g->tensors[t].data != NULL || fed[t], GT_ERROR_INTERNAL,
                   "operator \"%s\": nothing defines its input \"%s\"", op->name, g->tensors[t].name);
    }
    const gt_operand hint = gt_graph_operand(g, op->output);
    status = gt_i_graph_infer(&out, g, op->kind, &op->attrs, &op->epilogue, op->n_inputs, op->inputs, &hint);
    if (status != GT_OK && status != GT_ERROR_MEMORY) {
        status = gt_fail_in(GT_ERROR_INTERNAL, "operator \"%s\"", op->name);
    }
done:
    return status;
}

gt_status gt_graph_verify(const gt_graph *graph)
{
    gt_status status = GT_OK;
    bool *fed = NULL;
    GT_TRY(gt_calloc(&fed, (size_t)graph->n_tensors, sizeof *fed));
    for (int i = 0; i < graph->n_inputs; i++) {
        int t = graph->inputs[i];
        GT_REQUIRE(t >= 0 && t < graph->n_tensors && graph->tensors[t].producer < 0 &&
                       graph->tensors[t].data == NULL && !fed[t],
                   GT_ERROR_INTERNAL, "graph input %d: tensor %d is no free activation", i, t);
        fed[t] = true;
    }
    for (int t = 0; t < graph->n_tensors; t++) {
        GT_TRY(verify_tensor(graph, t));
    }
    for (int i = 0; i < graph->n_ops; i++) {
        GT_TRY(verify_op(graph, i, fed));
    }
    for (int i = 0; i < graph->n_outputs; i++) {
        int t = graph->outputs[i];
        GT_REQUIRE(t >= 0 && t < graph->n_tensors, GT_ERROR_INTERNAL, "graph output %d: tensor %d does not exist", i,
                   t);
        GT_REQUIRE(graph->output_names[i] != NULL && graph->output_names[i][0] != '\0', GT_ERROR_INTERNAL,
                   "graph output %d has no name", i);
        GT_REQUIRE(graph->tensors[t].producer >= 0 || graph->tensors[t].data != NULL || fed[t], GT_ERROR_INTERNAL,
                   "graph output \"%s\": nothing defines it", graph->output_names[i]);
    }
done:
    gt_free(fed);
    return status;
}

gt_status gt_graph_consumers(const gt_graph *graph, int **first, int **consumer)
{
    gt_status status = GT_OK;
    int *start = NULL;
    int *list = NULL;
    GT_TRY(gt_calloc(&start, (size_t)graph->n_tensors + 2, sizeof *start));
    /* Counts go two places up, so that filling leaves the starts where they belong. */
    for (int i = 0; i < graph->n_ops; i++) {
        const gt_op *op = &graph->ops[i];
        for (int j = 0; j < op->n_inputs && !op->dead; j++) {
            if (op->inputs[j] >= 0) {
                start[op->inputs[j] + 2]++;
            }
        }
    }
    for (int t = 2; t <= graph->n_tensors + 1; t++) {
        start[t] += start[t - 1];
    }
    GT_TRY(gt_calloc(&list, (size_t)start[graph->n_tensors + 1], sizeof *list));
    for (int i = 0; i < graph->n_ops; i++) {
        const gt_op *op = &graph->ops[i];
        for (int j = 0; j < op->n_inputs && !op->dead; j++) {
            if (op->inputs[j] >= 0) {
                list[start[op->inputs[j] + 1]++] = i;
            }
        }
    }
    *first = start;
    *consumer = list;
    start = NULL;
    list = NULL;
done:
    gt_free(start);
    gt_free(list);
    return status;
}
