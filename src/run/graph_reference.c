/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/reference.h"
#include "src/run/session.h"

#include <string.h>

static size_t tensor_bytes(const gt_tensor *t)
{
    return (size_t)gt_shape_elems(&t->shape) * gt_dtype_bytes(t->dtype);
}

/* The last op that reads each tensor; graph outputs are never done with. */
static gt_status last_readers(int **last, const gt_graph *graph)
{
    gt_status status = gt_calloc(last, (size_t)graph->n_tensors, sizeof **last);
    for (int i = 0; status == GT_OK && i < graph->n_ops; i++) {
        for (int j = 0; j < graph->ops[i].n_inputs; j++) {
            if (graph->ops[i].inputs[j] != GT_NO_TENSOR) {
                (*last)[graph->ops[i].inputs[j]] = i;
            }
        }
    }
    for (int i = 0; status == GT_OK && i < graph->n_outputs; i++) {
        (*last)[graph->outputs[i]] = graph->n_ops;
    }
    return status;
}

static gt_status run_op(const gt_graph *graph, const gt_op *op, void **values, const void *const *inputs_of_graph)
{
    gt_status status = GT_OK;
    const void **in = NULL;
    GT_TRY(gt_calloc(&in, (size_t)op->n_inputs, sizeof *in));
    for (int j = 0; j < op->n_inputs; j++) {
        int tensor = op->inputs[j];
        if (tensor == GT_NO_TENSOR) {
            continue;
        }
        in[j] = graph->tensors[tensor].data != NULL ? graph->tensors[tensor].data : values[tensor];
        for (int k = 0; in[j] == NULL && k < graph->n_inputs; k++) {
            in[j] = graph->inputs[k] == tensor ? inputs_of_graph[k] : NULL;
        }
    }
    GT_TRY(gt_alloc_aligned(&values[op->output], tensor_bytes(&graph->tensors[op->output])));
    GT_TRY(gt_reference_run(op->workload, values[op->output], in));
done:
    gt_free(in);
    return status;
}

static gt_status copy_output(const gt_graph *graph, int i, void **values, const void *const *inputs, void **out)
{
    gt_status status = GT_OK;
    int tensor = graph->outputs[i];
    const void *from = graph->tensors[tensor].data != NULL ? graph->tensors[tensor].data : values[tensor];
    for (int k = 0; from == NULL && k < graph->n_inputs; k++) {
        from = graph->inputs[k] == tensor ? inputs[k] : NULL;
    }
    size_t bytes = tensor_bytes(&graph->tensors[tensor]);
    GT_TRY(gt_alloc_aligned(out, bytes));
    memcpy(*out, from, bytes);
done:
    return status;
}

gt_status gt_graph_run_reference(const gt_graph *graph, const void *const *inputs, void **outputs)
{
    gt_status status = GT_OK;
    void **values = NULL;
    int *last = NULL;
    void **results = NULL;
    GT_TRY(gt_calloc(&values, (size_t)graph->n_tensors, sizeof *values));
    GT_TRY(gt_calloc(&results, (size_t)graph->n_outputs, sizeof *results));
    GT_TRY(last_readers(&last, graph));
    for (int i = 0; i < graph->n_ops; i++) {
        const gt_op *op = &graph->ops[i];
        status = run_op(graph, op, values, inputs);
        if (status != GT_OK) {
            GT_TRY(gt_fail_in(status, "op \"%s\"", op->name));
        }
        for (int j = 0; j < op->n_inputs; j++) {
            int tensor = op->inputs[j];
            if (tensor != GT_NO_TENSOR && last[tensor] == i) {
                gt_free(values[tensor]);
                values[tensor] = NULL;
            }
        }
    }
    for (int i = 0; i < graph->n_outputs; i++) {
        GT_TRY(copy_output(graph, i, values, inputs, &results[i]));
    }
    memcpy(outputs, results, (size_t)graph->n_outputs * sizeof *outputs);
    memset(results, 0, (size_t)graph->n_outputs * sizeof *results);
done:
    for (int i = 0; results != NULL && i < graph->n_outputs; i++) {
        gt_free(results[i]);
    }
    for (int i = 0; values != NULL && i < graph->n_tensors; i++) {
        gt_free(values[i]);
    }
    gt_free(results);
    gt_free(last);
    gt_free(values);
    return status;
}
