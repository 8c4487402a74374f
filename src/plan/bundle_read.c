/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a bundle's manifest: the network is built up from its workloads as an importer would build it, so that shapes,
 * attributes, order and names are checked by the same code. */
#include "src/plan/bundle.h"
#include "src/plan/plan_names.h"
#include "src/plan/plan_parts.h"
#include "src/records/json.h"

#include <string.h>

/* A constant without its elements. */
static gt_status add_constant(gt_graph *graph, int *tensor, const char *name, gt_dtype dtype, const gt_shape *shape)
{
    gt_status status = GT_OK;
    void *mark = NULL;
    GT_TRY(gt_calloc(&mark, 1, 1));
    GT_TRY(gt_graph_add_tensor(graph, tensor, name, dtype, shape, mark));
    mark = NULL;
done:
    gt_free(mark);
    return status;
}

static gt_status read_type(gt_dtype *dtype, gt_shape *shape, const gt_json *node)
{
    gt_status status = GT_OK;
    const gt_json *array = NULL;
    int value = 0;
    GT_TRY(gt_json_get_enum(node, "dtype", &value, gt_i_dtype_names, GT_DTYPE_COUNT));
    GT_TRY(gt_json_get_array(node, "shape", &array));
    if (gt_json_count(array) > GT_MAX_RANK) {
        GT_TRY(gt_json_fail(array, GT_ERROR_FORMAT, "at most %d dimensions are allowed", GT_MAX_RANK));
    }
    *dtype = (gt_dtype)value;
    *shape = (gt_shape){.rank = (int)gt_json_count(array)};
    for (int i = 0; i < shape->rank; i++) {
        GT_TRY(gt_json_as_i64(gt_json_at(array, i), &shape->dim[i], 0, GT_MAX_ELEMS));
    }
done:
    return status;
}

/* A name that no tensor has yet; the graph would change one that is taken. */
static gt_status read_fresh_name(const char **name, const gt_json *node, const char *key, const gt_graph *graph)
{
    gt_status status = GT_OK;
    GT_TRY(gt_json_get_string(node, key, name));
    if ((*name)[0] == '\0' || gt_graph_find_tensor(graph, *name) >= 0) {
        GT_TRY(gt_json_fail(gt_json_find(node, key), GT_ERROR_FORMAT, "a name that no other tensor has is needed"));
    }
done:
    return status;
}

static gt_status read_inputs(gt_graph *graph, const gt_json *root)
{
    gt_status status = GT_OK;
    const gt_json *array = NULL;
    int n = 0;
    GT_TRY(gt_i_plan_array(&array, &n, root, "inputs"));
    for (int i = 0; i < n; i++) {
        const gt_json *node = gt_json_at(array, i);
        const char *name = NULL;
        gt_dtype dtype = GT_F32;
        gt_shape shape = {0};
        int tensor = 0;
        GT_TRY(read_fresh_name(&name, node, "name", graph));
        GT_TRY(read_type(&dtype, &shape, node));
        GT_TRY(gt_graph_add_tensor(graph, &tensor, name, dtype, &shape, NULL));
        GT_TRY(gt_graph_add_input(graph, tensor));
    }
done:
    return status;
}

static gt_status read_outputs(gt_graph *graph, const gt_json *root)
{
    gt_status status = GT_OK;
    const gt_json *array = NULL;
    int n = 0;
    GT_TRY(gt_i_plan_array(&array, &n, root, "outputs"));
    for (int i = 0; i < n; i++) {
        const gt_json *node = gt_json_at(array, i);
        const char *name = NULL;
        const char *source = NULL;
        gt_dtype dtype = GT_F32;
        gt_shape shape = {0};
        GT_TRY(gt_json_get_string(node, "name", &name));
        GT_TRY(gt_json_get_string(node, "tensor", &source));
        int tensor = gt_graph_find_tensor(graph, source);
        if (gt_json_find(node, "dtype") != NULL) {
            GT_TRY(read_fresh_name(&source, node, "tensor", graph));
            GT_TRY(read_type(&dtype, &shape, node));
            GT_TRY(add_constant(graph, &tensor, source, dtype, &shape));
        }
        if (tensor < 0 || name[0] == '\0') {
            GT_TRY(gt_json_fail(node, GT_ERROR_FORMAT, "a name and a tensor that exists are needed"));
        }
        GT_TRY(gt_graph_add_output(graph, tensor, name));
    }
done:
    return status;
}

/* Input `index` of an op: what its workload calls an activation is named, anything else is null. */
static gt_status read_op_input(int *tensor, gt_graph *graph, const gt_json *node, const gt_operand *operand, const char *op,
                               int index)
{
    gt_status status = GT_OK;
    const char *name = NULL;
    gt_text constant = {0};
    *tensor = GT_NO_TENSOR;
    if (operand->present && !operand->constant) {
        GT_TRY(gt_json_as_string(node, &name));
        *tensor = gt_graph_find_tensor(graph, name);
        if (*tensor < 0 || graph->tensors[*tensor].data != NULL) {
            GT_TRY(gt_json_fail(node, GT_ERROR_FORMAT, "no input and no op before has this name"));
        }
        goto done;
    }
    if (gt_json_type_of(node) != GT_JSON_NULL) {
        GT_TRY(gt_json_fail(node, GT_ERROR_FORMAT, "null is needed: the workload has no activation here"));
    }
    if (operand->present) {
        GT_TRY(gt_text_append(&constant, "%s (constant %d)", op, index));
        GT_TRY(add_constant(graph, tensor, constant.data, operand->dtype, &operand->shape));
    }
done:
    gt_text_destroy(&constant);
    return status;
}

static gt_status read_op_inputs(int **inputs, gt_graph *graph, const gt_json *node, const gt_workload *w, const char *op)
{
    gt_status status = GT_OK;
    const gt_json *array = NULL;
    GT_TRY(gt_json_get_array(node, "inputs", &array));
    if (gt_json_count(array) != w->n_inputs) {
        GT_TRY(gt_json_fail(array, GT_ERROR_FORMAT, "the workload has %d inputs", w->n_inputs));
    }
    GT_TRY(gt_calloc(inputs, (size_t)w->n_inputs, sizeof **inputs));
    for (int i = 0; i < w->n_inputs; i++) {
        GT_TRY(read_op_input(&(*inputs)[i], graph, gt_json_at(array, i), &w->inputs[i], op, i));
    }
done:
    return status;
}

static gt_status add_op(gt_graph *graph, const gt_json *node, const char *name)
{
    gt_status status = GT_OK;
    const char *key = NULL;
    const char *tensor = NULL;
    gt_workload *w = NULL;
    int *inputs = NULL;
    GT_TRY(gt_json_get_string(node, "workload", &key));
    status = gt_workload_parse(&w, key);
    if (status != GT_OK) {
        GT_TRY(gt_fail_in(status, "op \"%s\": workload", name));
    }
    GT_TRY(read_op_inputs(&inputs, graph, node, w, name));
    GT_TRY(read_fresh_name(&tensor, node, "tensor", graph));
    if (name[0] == '\0' || gt_graph_find_op(graph, name) >= 0) {
        GT_TRY(gt_json_fail(gt_json_find(node, "node"), GT_ERROR_FORMAT, "a name that no other op has is needed"));
    }
    GT_TRY(gt_graph_add_op(graph, NULL, NULL, w->kind, name, tensor, &w->attrs, &w->epilogue, w->n_inputs, inputs, &w->output));
done:
    gt_free(inputs);
    gt_workload_destroy(w);
    return status;
}

static gt_status read_op(gt_bundle_content *c, gt_plan_op *op, int64_t *packed_bytes, const gt_json *node)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_plan_string(&op->node, node, "node"));
    GT_TRY(gt_i_plan_string(&op->workload, node, "workload"));
    GT_TRY(gt_i_plan_string(&op->template_name, node, "template"));
    GT_TRY(gt_json_get_int(node, "rev", &op->rev, 0, INT32_MAX));
    GT_TRY(gt_i_plan_layout(&op->in, node, "in"));
    GT_TRY(gt_i_plan_layout(&op->out, node, "out"));
    GT_TRY(gt_i_plan_string(&op->config, node, "config"));
    GT_TRY(gt_json_get_f64(node, "ns", &op->ns, 0, GT_PLAN_MAX_NS));
    GT_TRY(gt_json_get_i64(node, "packed_bytes", packed_bytes, 0, GT_JSON_MAX_INTEGER));
    GT_TRY(add_op(c->graph, node, op->node));
    c->plan->schedule.predicted_ns += op->ns;
done:
    return status;
}

static gt_status read_ops(gt_bundle_content *c, const gt_json *root)
{
    gt_status status = GT_OK;
    gt_schedule *s = &c->plan->schedule;
    const gt_json *array = NULL;
    int n = 0;
    GT_TRY(gt_i_plan_array(&array, &n, root, "ops"));
    GT_TRY(gt_calloc(&s->ops, (size_t)n, sizeof *s->ops));
    s->n_ops = n;
    GT_TRY(gt_calloc(&c->packed_bytes, (size_t)n, sizeof *c->packed_bytes));
    for (int i = 0; i < n; i++) {
        GT_TRY(read_op(c, &s->ops[i], &c->packed_bytes[i], gt_json_at(array, i)));
    }
done:
    return status;
}

static gt_status read_head(gt_bundle_content *c, const gt_json *root)
{
    gt_status status = GT_OK;
    const char *name = NULL;
    const char *arch = NULL;
    GT_TRY(gt_json_get_string(root, "model", &name));
    GT_TRY(gt_graph_create(&c->graph, name));
    GT_TRY(gt_plan_create(&c->plan));
    GT_TRY(gt_i_plan_hex(c->plan->model_sha256, root, "sha256", 64));
    GT_TRY(gt_i_plan_string(&c->plan->isa, root, "isa"));
    GT_TRY(gt_i_bundle_target_find(&c->target, c->plan->isa));
    GT_TRY(gt_json_get_string(root, "arch", &arch));
    if (strcmp(arch, c->target->arch) != 0) {
        GT_TRY(gt_json_fail(gt_json_find(root, "arch"), GT_ERROR_FORMAT, "\"%s\" is needed beside isa \"%s\"", c->target->arch,
                            c->target->isa));
    }
    GT_TRY(gt_json_get_int(root, "threads", &c->plan->threads, 1, 256));
    if (gt_json_find(root, "device") != NULL) {
        GT_TRY(gt_i_plan_hex(c->plan->device, root, "device", 16));
    }
    if (gt_json_find(root, "device_name") != NULL) {
        GT_TRY(gt_i_plan_string(&c->plan->device_name, root, "device_name"));
    }
done:
    return status;
}

gt_status gt_i_bundle_read(gt_bundle_content *content, const char *manifest, size_t bytes, const char *path)
{
    gt_status status = GT_OK;
    gt_json *root = NULL;
    GT_TRY(gt_json_parse(&root, manifest, bytes, path, 0));
    GT_TRY(read_head(content, root));
    /* What was packed for another machine may well use what is unknown here: that it does is the better message. */
    GT_TRY(gt_i_bundle_target_runnable(content->target));
    GT_TRY(read_inputs(content->graph, root));
    GT_TRY(read_ops(content, root));
    GT_TRY(gt_i_read_transforms(&content->plan->schedule, root));
    GT_TRY(read_outputs(content->graph, root));
    GT_TRY(gt_graph_finish(content->graph));
done:
    gt_json_destroy(root);
    return status;
}

void gt_i_bundle_content_clear(gt_bundle_content *content)
{
    gt_graph_destroy(content->graph);
    gt_plan_destroy(content->plan);
    gt_free(content->packed_bytes);
    *content = (gt_bundle_content){0};
}
