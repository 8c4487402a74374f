/* SPDX-License-Identifier: Apache-2.0 */
/* Building and releasing graphs. Sorting is in graph_order.c, checking in graph_verify.c. */
#include "src/graph/graph_internal.h"

#include "src/graph/infer.h"
#include "src/graph/pair.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

gt_status gt_graph_create(gt_graph **graph, const char *name)
{
    gt_status status = GT_OK;
    gt_graph *g = NULL;
    GT_TRY(gt_calloc(&g, 1, sizeof *g));
    GT_TRY(gt_strdup(&g->name, name != NULL ? name : ""));
    *graph = g;
    g = NULL;
done:
    gt_graph_destroy(g);
    return status;
}

void gt_i_tensor_clear(gt_tensor *tensor)
{
    gt_free(tensor->name);
    gt_free(tensor->data);
    *tensor = (gt_tensor){0};
}

void gt_i_op_clear(gt_op *op)
{
    gt_attrs_clear(op->kind, &op->attrs);
    gt_free(op->name);
    gt_free(op->inputs);
    gt_free(op->fused);
    gt_workload_destroy(op->workload);
    memset(op, 0, sizeof *op);
}

void gt_graph_destroy(gt_graph *graph)
{
    if (graph == NULL) {
        return;
    }
    for (int i = 0; i < graph->n_tensors; i++) {
        gt_i_tensor_clear(&graph->tensors[i]);
    }
    for (int i = 0; i < graph->n_ops; i++) {
        gt_i_op_clear(&graph->ops[i]);
    }
    for (int i = 0; i < graph->n_outputs; i++) {
        gt_free(graph->output_names[i]);
    }
    gt_i_names_clear(&graph->tensor_names);
    gt_i_names_clear(&graph->op_names);
    gt_free(graph->tensors);
    gt_free(graph->ops);
    gt_free(graph->inputs);
    gt_free(graph->outputs);
    gt_free(graph->output_names);
    gt_free(graph->name);
    gt_free(graph->source);
    gt_free(graph);
}

const char *gt_i_tensor_name_of(const void *owner, int number)
{
    const gt_graph *graph = owner;
    return number < graph->n_tensors ? graph->tensors[number].name : NULL;
}

const char *gt_i_op_name_of(const void *owner, int number)
{
    const gt_graph *graph = owner;
    return number < graph->n_ops ? graph->ops[number].name : NULL;
}

int gt_graph_find_tensor(const gt_graph *graph, const char *name)
{
    return gt_i_names_find(&graph->tensor_names, name, gt_i_tensor_name_of, graph);
}

int gt_graph_find_op(const gt_graph *graph, const char *name)
{
    return gt_i_names_find(&graph->op_names, name, gt_i_op_name_of, graph);
}

/* A name nobody has yet: `wanted`, or with a suffix. After a few tries the suffix jumps to the number of things,
 * so that a hostile file with one name for everything does not cost quadratic time. */
static gt_status free_name(char **out, const gt_name_index *index, gt_name_of name_of, const gt_graph *graph,
                           const char *wanted, int count)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    GT_TRY(gt_text_append(&text, "%s", wanted));
    for (int suffix = 2; gt_i_names_find(index, text.data, name_of, graph) >= 0; suffix++) {
        if (suffix == 64 && count > suffix) {
            suffix = count;
        }
        gt_text_destroy(&text);
        GT_TRY(gt_text_append(&text, "%s#%d", wanted, suffix));
    }
    *out = text.data;
    text = (gt_text){0};
done:
    gt_text_destroy(&text);
    return status;
}

gt_status gt_graph_add_tensor(gt_graph *graph, int *index, const char *name, gt_dtype dtype, const gt_shape *shape,
                              void *data)
{
    gt_status status = GT_OK;
    gt_tensor tensor = {.dtype = dtype, .shape = *shape, .producer = -1};
    const char *wanted = name != NULL && name[0] != '\0' ? name : "tensor";
    GT_REQUIRE((size_t)dtype < GT_DTYPE_COUNT, GT_ERROR_SHAPE,
               "tensor \"%s\": the element type is %d; allowed: f32, i64, bool", wanted, (int)dtype);
    GT_REQUIRE(graph->n_tensors < INT_MAX / 2, GT_ERROR_LIMIT, "the graph has too many tensors (%d)",
               graph->n_tensors);
    status = gt_shape_check(shape);
    if (status != GT_OK) {
        status = gt_fail_in(status, "tensor \"%s\"", wanted);
        goto done;
    }
    GT_TRY(free_name(&tensor.name, &graph->tensor_names, gt_i_tensor_name_of, graph, wanted, graph->n_tensors));
    GT_TRY(gt_i_grow(&graph->tensors, &graph->tensors_capacity, (size_t)graph->n_tensors, sizeof tensor));
    GT_TRY(gt_i_names_add(&graph->tensor_names, tensor.name, graph->n_tensors, gt_i_tensor_name_of, graph));
    tensor.data = data;
    *index = graph->n_tensors;
    graph->tensors[graph->n_tensors++] = tensor;
    tensor = (gt_tensor){0};
done:
    gt_free(tensor.name);
    return status;
}

gt_operand gt_graph_operand(const gt_graph *graph, int tensor)
{
    if (tensor < 0 || tensor >= graph->n_tensors) {
        return (gt_operand){0};
    }
    const gt_tensor *t = &graph->tensors[tensor];
    return (gt_operand){.present = true, .constant = t->data != NULL, .dtype = t->dtype, .shape = t->shape};
}

gt_status gt_i_graph_infer(gt_operand *out, const gt_graph *graph, gt_op_kind kind, const gt_attrs *attrs,
                           const gt_epilogue *epilogue, int n_inputs, const int *inputs, const gt_operand *out_hint)
{
    static const gt_attrs no_attrs;
    static const gt_epilogue no_epilogue;
    gt_status status = GT_OK;
    gt_operand *operands = NULL;
    GT_REQUIRE(n_inputs >= 0, GT_ERROR_ARGUMENT, "%s: the number of inputs is %d", gt_op_kind_name(kind), n_inputs);
    GT_REQUIRE(!gt_op_kind_is_pair(kind), GT_ERROR_ARGUMENT, "%s: a graph has the two ops that this is made of", gt_op_kind_name(kind));
    GT_TRY(gt_calloc(&operands, (size_t)n_inputs, sizeof *operands));
    for (int i = 0; i < n_inputs; i++) {
        GT_REQUIRE(inputs[i] >= GT_NO_TENSOR && inputs[i] < graph->n_tensors, GT_ERROR_ARGUMENT,
                   "%s: input %d is tensor %d; allowed: 0 to %d, or -1", gt_op_kind_name(kind), i, inputs[i],
                   graph->n_tensors - 1);
        operands[i] = gt_graph_operand(graph, inputs[i]);
    }
    const gt_inference op = {
        .kind = kind,
        .attrs = attrs != NULL ? attrs : &no_attrs,
        .epilogue = epilogue != NULL ? epilogue : &no_epilogue,
        .n_inputs = n_inputs,
        .in = operands,
        .hint = out_hint,
    };
    GT_TRY(gt_i_infer(out, &op));
done:
    gt_free(operands);
    return status;
}

/* A complete op with its output still open. */
static gt_status make_op(gt_op *out, const gt_graph *graph, gt_op_kind kind, const char *name, const gt_attrs *attrs,
                         const gt_epilogue *epilogue, int n_inputs, const int *inputs)
{
    gt_status status = GT_OK;
    gt_op op = {.kind = kind, .output = GT_NO_TENSOR};
    const char *wanted = name != NULL && name[0] != '\0' ? name : gt_op_kind_name(kind);
    GT_REQUIRE(graph->n_ops < INT_MAX / 2, GT_ERROR_LIMIT, "the graph has too many operators (%d)", graph->n_ops);
    op.epilogue = epilogue != NULL ? *epilogue : (gt_epilogue){0};
    op.n_inputs = gt_op_canonical_inputs(kind, n_inputs);
    GT_TRY(gt_calloc(&op.inputs, (size_t)op.n_inputs, sizeof *op.inputs));
    for (int i = 0; i < op.n_inputs; i++) {
        op.inputs[i] = i < n_inputs ? inputs[i] : GT_NO_TENSOR;
    }
    if (attrs != NULL) {
        GT_TRY(gt_attrs_copy(&op.attrs, kind, attrs));
    }
    GT_TRY(free_name(&op.name, &graph->op_names, gt_i_op_name_of, graph, wanted, graph->n_ops));
    memcpy(out, &op, sizeof op);
    memset(&op, 0, sizeof op);
done:
    gt_i_op_clear(&op);
    return status;
}

/* Moves a finished op into the graph; room must have been made. Cannot fail. */
static void place_op(gt_graph *graph, gt_op *op, int output)
{
    op->output = output;
    graph->tensors[output].producer = graph->n_ops;
    memcpy(&graph->ops[graph->n_ops++], op, sizeof *op);
    memset(op, 0, sizeof *op);
}

gt_status gt_graph_add_op(gt_graph *graph, int *index, int *output, gt_op_kind kind, const char *name,
                          const char *output_name, const gt_attrs *attrs, const gt_epilogue *epilogue, int n_inputs,
                          const int *inputs, const gt_operand *out_hint)
{
    gt_status status = GT_OK;
    gt_op op = {0};
    gt_operand out = {0};
    int tensor = GT_NO_TENSOR;
    status = gt_i_graph_infer(&out, graph, kind, attrs, epilogue, n_inputs, inputs, out_hint);
    if (status != GT_OK) {
        status = gt_fail_in(status, "operator \"%s\"", name != NULL ? name : "");
        goto done;
    }
    GT_TRY(make_op(&op, graph, kind, name, attrs, epilogue, n_inputs, inputs));
    GT_TRY(gt_i_grow(&graph->ops, &graph->ops_capacity, (size_t)graph->n_ops, sizeof op));
    GT_TRY(gt_i_names_add(&graph->op_names, op.name, graph->n_ops, gt_i_op_name_of, graph));
    GT_TRY(gt_graph_add_tensor(graph, &tensor, output_name != NULL && output_name[0] != '\0' ? output_name : op.name,
                               out.dtype, &out.shape, NULL));
    if (index != NULL) {
        *index = graph->n_ops;
    }
    if (output != NULL) {
        *output = tensor;
    }
    place_op(graph, &op, tensor);
done:
    gt_i_op_clear(&op);
    return status;
}

gt_status gt_graph_add_op_into(gt_graph *graph, int *index, int output, gt_op_kind kind, const char *name,
                               const gt_attrs *attrs, const gt_epilogue *epilogue, int n_inputs, const int *inputs)
{
    gt_status status = GT_OK;
    gt_op op = {0};
    gt_operand out = {0};
    GT_REQUIRE(output >= 0 && output < graph->n_tensors && graph->tensors[output].data == NULL, GT_ERROR_ARGUMENT,
               "operator \"%s\": tensor %d is no activation", name != NULL ? name : "", output);
    const gt_operand hint = gt_graph_operand(graph, output);
    status = gt_i_graph_infer(&out, graph, kind, attrs, epilogue, n_inputs, inputs, &hint);
    if (status != GT_OK) {
        status = gt_fail_in(status, "operator \"%s\"", name != NULL ? name : "");
        goto done;
    }
    GT_TRY(make_op(&op, graph, kind, name, attrs, epilogue, n_inputs, inputs));
    GT_TRY(gt_i_grow(&graph->ops, &graph->ops_capacity, (size_t)graph->n_ops, sizeof op));
    GT_TRY(gt_i_names_add(&graph->op_names, op.name, graph->n_ops, gt_i_op_name_of, graph));
    if (index != NULL) {
        *index = graph->n_ops;
    }
    place_op(graph, &op, output);
done:
    gt_i_op_clear(&op);
    return status;
}

gt_status gt_graph_add_input(gt_graph *graph, int tensor)
{
    gt_status status = GT_OK;
    GT_REQUIRE(tensor >= 0 && tensor < graph->n_tensors, GT_ERROR_ARGUMENT,
               "graph input %d is tensor %d; allowed: 0 to %d", graph->n_inputs, tensor, graph->n_tensors - 1);
    const gt_tensor *t = &graph->tensors[tensor];
    GT_REQUIRE(t->data == NULL && t->producer < 0, GT_ERROR_ARGUMENT,
               "graph input \"%s\": it is %s; allowed: a tensor that nothing defines", t->name,
               t->data != NULL ? "a constant" : "an operator's output");
    for (int i = 0; i < graph->n_inputs; i++) {
        GT_REQUIRE(graph->inputs[i] != tensor, GT_ERROR_ARGUMENT, "graph input \"%s\" is listed twice", t->name);
    }
    GT_PUSH(graph->inputs, graph->n_inputs, graph->inputs_capacity, tensor);
done:
    return status;
}

gt_status gt_graph_add_output(gt_graph *graph, int tensor, const char *name)
{
    gt_status status = GT_OK;
    char *copy = NULL;
    GT_REQUIRE(tensor >= 0 && tensor < graph->n_tensors, GT_ERROR_ARGUMENT,
               "graph output %d is tensor %d; allowed: 0 to %d", graph->n_outputs, tensor, graph->n_tensors - 1);
    GT_TRY(gt_strdup(&copy, name != NULL && name[0] != '\0' ? name : graph->tensors[tensor].name));
    GT_TRY(gt_i_grow(&graph->outputs, &graph->outputs_capacity, (size_t)graph->n_outputs, sizeof *graph->outputs));
    GT_TRY(gt_i_grow(&graph->output_names, &graph->output_names_capacity, (size_t)graph->n_outputs,
                     sizeof *graph->output_names));
    graph->outputs[graph->n_outputs] = tensor;
    graph->output_names[graph->n_outputs++] = copy;
    copy = NULL;
done:
    gt_free(copy);
    return status;
}
