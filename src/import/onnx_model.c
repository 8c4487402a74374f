/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX models in memory: building, looking up, destroying. */
#include "src/import/onnx_file.h"

#include <stdio.h>
#include <string.h>

typedef struct type_row {
    gt_onnx_type type;
    size_t bytes;
    const char *name;
} type_row;

static const type_row types[] = {
    {GT_ONNX_UNDEFINED, 0, "undefined"}, {GT_ONNX_FLOAT, 4, "float32"},
    {GT_ONNX_UINT8, 1, "uint8"},         {GT_ONNX_INT8, 1, "int8"},
    {GT_ONNX_UINT16, 2, "uint16"},       {GT_ONNX_INT16, 2, "int16"},
    {GT_ONNX_INT32, 4, "int32"},         {GT_ONNX_INT64, 8, "int64"},
    {GT_ONNX_STRING, 0, "string"},       {GT_ONNX_BOOL, 1, "bool"},
    {GT_ONNX_FLOAT16, 2, "float16"},     {GT_ONNX_DOUBLE, 8, "float64"},
    {GT_ONNX_UINT32, 4, "uint32"},       {GT_ONNX_UINT64, 8, "uint64"},
    {GT_ONNX_BFLOAT16, 2, "bfloat16"},
};

static const type_row *find_type(gt_onnx_type type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type == type) {
            return &types[i];
        }
    }
    return NULL;
}

size_t gt_onnx_type_bytes(gt_onnx_type type)
{
    const type_row *row = find_type(type);
    return row != NULL ? row->bytes : 0;
}

const char *gt_onnx_type_name(gt_onnx_type type)
{
    static _Thread_local char unknown[24];
    const type_row *row = find_type(type);
    if (row != NULL) {
        return row->name;
    }
    snprintf(unknown, sizeof unknown, "type %d", (int)type);
    return unknown;
}

/* ---- destroying ---- */

static void clear_tensor(gt_onnx_tensor *tensor)
{
    gt_free(tensor->name);
    if (!tensor->borrowed) {
        gt_free(tensor->data);
    }
}

void gt_onnx_tensor_destroy(gt_onnx_tensor *tensor)
{
    if (tensor != NULL) {
        clear_tensor(tensor);
        gt_free(tensor);
    }
}

static void destroy_texts(char **texts, size_t count)
{
    for (size_t i = 0; texts != NULL && i < count; i++) {
        gt_free(texts[i]);
    }
    gt_free(texts);
}

static void clear_attr(gt_onnx_attr *attr)
{
    gt_free(attr->name);
    gt_free(attr->s);
    gt_onnx_tensor_destroy(attr->t);
    gt_free(attr->floats);
    gt_free(attr->ints);
    destroy_texts(attr->strings, attr->count);
}

static void clear_node(gt_onnx_node *node)
{
    gt_free(node->name);
    gt_free(node->op_type);
    gt_free(node->domain);
    destroy_texts(node->inputs, node->n_inputs);
    destroy_texts(node->outputs, node->n_outputs);
    for (size_t i = 0; i < node->n_attrs; i++) {
        clear_attr(&node->attrs[i]);
    }
    gt_free(node->attrs);
    gt_onnx_notes_clear(&node->notes);
}

static void destroy_values(gt_onnx_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gt_free(values[i].name);
        for (int k = 0; k < GT_ONNX_MAX_RANK; k++) {
            gt_free(values[i].dim_names[k]);
        }
    }
    gt_free(values);
}

void gt_onnx_model_destroy(gt_onnx_model *model)
{
    if (model == NULL) {
        return;
    }
    for (size_t i = 0; i < model->n_nodes; i++) {
        clear_node(&model->nodes[i]);
    }
    for (size_t i = 0; i < model->n_initializers; i++) {
        clear_tensor(&model->initializers[i]);
    }
    destroy_values(model->inputs, model->n_inputs);
    destroy_values(model->outputs, model->n_outputs);
    destroy_values(model->values, model->n_values);
    gt_free(model->nodes);
    gt_free(model->initializers);
    destroy_texts(model->domains, model->n_domains);
    gt_onnx_notes_clear(&model->notes);
    gt_free(model->producer);
    gt_free(model->graph_name);
    gt_free(model);
}

/* ---- building ---- */

/* The oldest IR version that knows the opset; at least 4, since initializers are not listed as
 * inputs. */
static int64_t ir_version_of(int64_t opset)
{
    static const int64_t first_opset[] = {10, 11, 12, 15, 19, 21};
    int64_t version = 4;
    for (size_t i = 0; i < sizeof first_opset / sizeof *first_opset; i++) {
        version += opset >= first_opset[i];
    }
    return version;
}

gt_status gt_onnx_model_create(gt_onnx_model **model, const char *graph_name, int64_t opset)
{
    gt_status status = GT_OK;
    gt_onnx_model *m = NULL;
    GT_REQUIRE(opset >= 1 && opset <= 21, GT_ERROR_ARGUMENT, "opset %lld: 1 to 21 are allowed",
               (long long)opset);
    GT_TRY(gt_calloc(&m, 1, sizeof *m));
    m->ir_version = ir_version_of(opset);
    m->opset = opset;
    GT_TRY(gt_strdup(&m->producer, "graphtune"));
    GT_TRY(gt_strdup(&m->graph_name, graph_name));
    *model = m;
    m = NULL;
done:
    gt_onnx_model_destroy(m);
    return status;
}

/* Checks a shape and copies it; *count is the number of elements. */
static gt_status take_dims(int64_t *copy, int64_t *count, const char *name, int rank,
                           const int64_t *dims)
{
    gt_status status = GT_OK;
    int64_t elements = 1;
    GT_REQUIRE(rank >= 0 && rank <= GT_ONNX_MAX_RANK, GT_ERROR_ARGUMENT,
               "tensor '%s': rank %d, 0 to %d are allowed", name, rank, GT_ONNX_MAX_RANK);
    for (int k = 0; k < rank; k++) {
        GT_REQUIRE(dims[k] >= 0, GT_ERROR_ARGUMENT, "tensor '%s': dimension %d is %lld", name, k,
                   (long long)dims[k]);
        GT_TRY(gt_i_mul(&elements, elements, dims[k], "the number of elements"));
        copy[k] = dims[k];
    }
    *count = elements;
done:
    return status;
}

static gt_status add_value(gt_onnx_value **values, size_t *count, size_t *capacity,
                           const char *name, int rank, const int64_t *dims)
{
    gt_status status = GT_OK;
    gt_onnx_value value = {.type = GT_ONNX_FLOAT, .has_shape = true, .rank = rank};
    int64_t elements = 0;
    GT_TRY(take_dims(value.dims, &elements, name, rank, dims));
    GT_TRY(gt_strdup(&value.name, name));
    GT_PUSH(*values, *count, *capacity, value);
    value.name = NULL;
done:
    gt_free(value.name);
    return status;
}

gt_status gt_onnx_add_input(gt_onnx_model *model, const char *name, int rank, const int64_t *dims)
{
    return add_value(&model->inputs, &model->n_inputs, &model->inputs_capacity, name, rank, dims);
}

gt_status gt_onnx_add_output(gt_onnx_model *model, const char *name, int rank, const int64_t *dims)
{
    return add_value(&model->outputs, &model->n_outputs, &model->outputs_capacity, name, rank,
                     dims);
}

gt_status gt_onnx_add_value(gt_onnx_model *model, const char *name, int rank, const int64_t *dims)
{
    return add_value(&model->values, &model->n_values, &model->values_capacity, name, rank, dims);
}

/* A tensor of this name and shape without elements; its `bytes` are set. */
static gt_status describe_initializer(gt_onnx_tensor *out, const gt_onnx_model *model, const char *name,
                                      gt_onnx_type type, int rank, const int64_t *dims)
{
    gt_status status = GT_OK;
    gt_onnx_tensor tensor = {.type = type, .rank = rank};
    int64_t elements = 0;
    int64_t bytes = 0;
    GT_REQUIRE(gt_onnx_type_bytes(type) > 0, GT_ERROR_ARGUMENT, "tensor '%s': %s has no fixed size",
               name, gt_onnx_type_name(type));
    for (size_t i = 0; i < model->n_initializers; i++) {
        GT_REQUIRE(strcmp(model->initializers[i].name, name) != 0, GT_ERROR_ARGUMENT,
                   "initializer '%s' exists already", name);
    }
    GT_TRY(take_dims(tensor.dims, &elements, name, rank, dims));
    GT_TRY(gt_i_mul(&bytes, elements, (int64_t)gt_onnx_type_bytes(type), "the number of bytes"));
    tensor.bytes = (size_t)bytes;
    GT_TRY(gt_strdup(&tensor.name, name));
    *out = tensor;
done:
    return status;
}

gt_status gt_onnx_add_initializer(gt_onnx_model *model, const char *name, gt_onnx_type type,
                                  int rank, const int64_t *dims, const void *data)
{
    gt_status status = GT_OK;
    gt_onnx_tensor tensor = {0};
    GT_TRY(describe_initializer(&tensor, model, name, type, rank, dims));
    GT_TRY(gt_calloc(&tensor.data, tensor.bytes, 1));
    if (tensor.bytes > 0) {
        memcpy(tensor.data, data, tensor.bytes);
    }
    GT_PUSH(model->initializers, model->n_initializers, model->initializers_capacity, tensor);
    tensor = (gt_onnx_tensor){0};
done:
    clear_tensor(&tensor);
    return status;
}

gt_status gt_onnx_lend_initializer(gt_onnx_model *model, const char *name, gt_onnx_type type,
                                   int rank, const int64_t *dims, const void *data)
{
    gt_status status = GT_OK;
    gt_onnx_tensor tensor = {0};
    GT_TRY(describe_initializer(&tensor, model, name, type, rank, dims));
    tensor.borrowed = true;
    memcpy(&tensor.data, &data, sizeof data);
    GT_PUSH(model->initializers, model->n_initializers, model->initializers_capacity, tensor);
    tensor = (gt_onnx_tensor){0};
done:
    clear_tensor(&tensor);
    return status;
}

static gt_status copy_texts(char ***out, size_t count, const char *const *texts)
{
    gt_status status = GT_OK;
    char **copies = NULL;
    GT_TRY(gt_calloc(&copies, count, sizeof *copies));
    for (size_t i = 0; i < count; i++) {
        GT_TRY(gt_strdup(&copies[i], texts[i]));
    }
    *out = copies;
    copies = NULL;
done:
    destroy_texts(copies, count);
    return status;
}

gt_status gt_onnx_add_node(gt_onnx_model *model, gt_onnx_node **node, const char *op_type,
                           const char *name, size_t n_inputs, const char *const *inputs,
                           size_t n_outputs, const char *const *outputs)
{
    gt_status status = GT_OK;
    gt_onnx_node n = {.n_inputs = n_inputs, .n_outputs = n_outputs};
    GT_TRY(gt_strdup(&n.name, name));
    GT_TRY(gt_strdup(&n.op_type, op_type));
    GT_TRY(gt_strdup(&n.domain, ""));
    GT_TRY(copy_texts(&n.inputs, n_inputs, inputs));
    GT_TRY(copy_texts(&n.outputs, n_outputs, outputs));
    GT_PUSH(model->nodes, model->n_nodes, model->nodes_capacity, n);
    n = (gt_onnx_node){0};
    *node = &model->nodes[model->n_nodes - 1];
done:
    clear_node(&n);
    return status;
}

const gt_onnx_attr *gt_onnx_find_attr(const gt_onnx_node *node, const char *name)
{
    for (size_t i = 0; i < node->n_attrs; i++) {
        if (strcmp(node->attrs[i].name, name) == 0) {
            return &node->attrs[i];
        }
    }
    return NULL;
}

/* Puts *attr in place of the node's attribute of this name, or at the end. The node owns what
 * *attr holds on success; on failure *attr is cleared. */
static gt_status set_attr(gt_onnx_node *node, const char *name, gt_onnx_attr *attr)
{
    gt_status status = GT_OK;
    gt_onnx_attr *larger = NULL;
    GT_TRY(gt_strdup(&attr->name, name));
    for (size_t i = 0; i < node->n_attrs; i++) {
        if (strcmp(node->attrs[i].name, name) == 0) {
            clear_attr(&node->attrs[i]);
            node->attrs[i] = *attr;
            return GT_OK;
        }
    }
    GT_TRY(gt_calloc(&larger, node->n_attrs + 1, sizeof *larger));
    if (node->n_attrs > 0) {
        memcpy(larger, node->attrs, node->n_attrs * sizeof *larger);
    }
    larger[node->n_attrs++] = *attr;
    gt_free(node->attrs);
    node->attrs = larger;
done:
    if (status != GT_OK) {
        clear_attr(attr);
    }
    return status;
}

gt_status gt_onnx_set_int(gt_onnx_node *node, const char *name, int64_t value)
{
    return set_attr(node, name, &(gt_onnx_attr){.type = GT_ONNX_ATTR_INT, .i = value});
}

gt_status gt_onnx_set_float(gt_onnx_node *node, const char *name, float value)
{
    return set_attr(node, name, &(gt_onnx_attr){.type = GT_ONNX_ATTR_FLOAT, .f = value});
}

gt_status gt_onnx_set_ints(gt_onnx_node *node, const char *name, size_t count,
                           const int64_t *values)
{
    gt_onnx_attr attr = {.type = GT_ONNX_ATTR_INTS, .count = count};
    gt_status status = gt_calloc(&attr.ints, count, sizeof *values);
    if (status != GT_OK) {
        return status;
    }
    if (count > 0) {
        memcpy(attr.ints, values, count * sizeof *values);
    }
    return set_attr(node, name, &attr);
}

gt_status gt_onnx_set_string(gt_onnx_node *node, const char *name, const char *value)
{
    gt_onnx_attr attr = {.type = GT_ONNX_ATTR_STRING};
    gt_status status = gt_strdup(&attr.s, value);
    return status == GT_OK ? set_attr(node, name, &attr) : status;
}
