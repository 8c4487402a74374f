/* SPDX-License-Identifier: Apache-2.0 */
/* Writing ONNX files. The protobuf wire format is simple to produce, and doing so here lets
 * tensor data go from the model to the file without a second copy of the weights in memory. Wire
 * format: https://protobuf.dev/programming-guides/encoding/ */
#include "src/import/onnx_file.h"

#include "src/base/file.h"
#include "src/base/text.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* Field numbers, by message: those of onnx.proto, and of the notes, which reading skips. */
enum {
    MODEL_IR_VERSION = 1,
    MODEL_PRODUCER = 2,
    MODEL_DOC = 6,
    MODEL_GRAPH = 7,
    MODEL_OPSET = 8,
    MODEL_METADATA = 14
};
enum { ENTRY_KEY = 1, ENTRY_VALUE = 2 };
enum { OPSET_DOMAIN = 1, OPSET_VERSION = 2 };
enum {
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    GRAPH_VALUE = 13
};
enum {
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP_TYPE = 4,
    NODE_ATTR = 5,
    NODE_DOC = 6,
    NODE_DOMAIN = 7,
    NODE_METADATA = 9 /* known since IR version 10; older readers skip it, and have NODE_DOC */
};
enum {
    ATTR_NAME = 1,
    ATTR_F = 2,
    ATTR_I = 3,
    ATTR_S = 4,
    ATTR_T = 5,
    ATTR_FLOATS = 7,
    ATTR_INTS = 8,
    ATTR_STRINGS = 9,
    ATTR_TYPE = 20
};
enum { TENSOR_DIM = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW_DATA = 9 };
enum {
    VALUE_NAME = 1,
    VALUE_TYPE = 2,
    TYPE_TENSOR = 1,
    TENSOR_TYPE_ELEM = 1,
    TENSOR_TYPE_SHAPE = 2
};
enum { SHAPE_DIM = 1, DIM_VALUE = 1, DIM_PARAM = 2 };

static gt_status put_varint(gt_text *out, uint64_t value)
{
    char bytes[10];
    size_t count = 0;
    do {
        bytes[count++] = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value > 0);
    return gt_text_append_bytes(out, bytes, count);
}

static gt_status put_tag(gt_text *out, int field, int wire_type)
{
    return put_varint(out, (uint64_t)field << 3 | (uint64_t)wire_type);
}

static gt_status put_int(gt_text *out, int field, int64_t value)
{
    gt_status status = put_tag(out, field, WIRE_VARINT);
    return status == GT_OK ? put_varint(out, (uint64_t)value) : status;
}

static gt_status put_float(gt_text *out, int field, float value)
{
    char bytes[sizeof value];
    memcpy(bytes, &value, sizeof value);
    gt_status status = put_tag(out, field, WIRE_FIXED32);
    return status == GT_OK ? gt_text_append_bytes(out, bytes, sizeof bytes) : status;
}

/* The tag and length before `bytes` bytes that the caller appends. */
static gt_status put_length(gt_text *out, int field, size_t bytes)
{
    gt_status status = put_tag(out, field, WIRE_BYTES);
    return status == GT_OK ? put_varint(out, bytes) : status;
}

static gt_status put_bytes(gt_text *out, int field, const void *bytes, size_t count)
{
    gt_status status = put_length(out, field, count);
    return status == GT_OK && count > 0 ? gt_text_append_bytes(out, bytes, count) : status;
}

static gt_status put_string(gt_text *out, int field, const char *text)
{
    return put_bytes(out, field, text, strlen(text));
}

/* Appends a message encoded elsewhere and empties it for the next one. */
static gt_status put_message(gt_text *out, int field, gt_text *message)
{
    gt_status status = put_bytes(out, field, message->data, message->length);
    message->length = 0;
    return status;
}

/* Everything of a tensor but its elements; they follow directly. */
static gt_status put_tensor_head(gt_text *out, const gt_onnx_tensor *tensor)
{
    gt_status status = GT_OK;
    for (int k = 0; k < tensor->rank; k++) {
        GT_TRY(put_int(out, TENSOR_DIM, tensor->dims[k]));
    }
    GT_TRY(put_int(out, TENSOR_TYPE, (int64_t)tensor->type));
    GT_TRY(put_string(out, TENSOR_NAME, tensor->name));
    GT_TRY(put_length(out, TENSOR_RAW_DATA, tensor->bytes));
done:
    return status;
}

static gt_status put_attr_tensor(gt_text *out, const gt_onnx_tensor *tensor)
{
    gt_status status = GT_OK;
    gt_text head = {0};
    GT_TRY(put_tensor_head(&head, tensor));
    GT_TRY(put_length(out, ATTR_T, head.length + tensor->bytes));
    GT_TRY(gt_text_append_bytes(out, head.data, head.length));
    GT_TRY(gt_text_append_bytes(out, tensor->data, tensor->bytes));
done:
    gt_text_destroy(&head);
    return status;
}

static gt_status put_attr_value(gt_text *out, const gt_onnx_attr *attr)
{
    gt_status status = GT_OK;
    switch (attr->type) {
    case GT_ONNX_ATTR_FLOAT:
        return put_float(out, ATTR_F, attr->f);
    case GT_ONNX_ATTR_INT:
        return put_int(out, ATTR_I, attr->i);
    case GT_ONNX_ATTR_STRING:
        return put_string(out, ATTR_S, attr->s);
    case GT_ONNX_ATTR_TENSOR:
        return put_attr_tensor(out, attr->t);
    case GT_ONNX_ATTR_FLOATS:
        for (size_t i = 0; i < attr->count; i++) {
            GT_TRY(put_float(out, ATTR_FLOATS, attr->floats[i]));
        }
        break;
    case GT_ONNX_ATTR_INTS:
        for (size_t i = 0; i < attr->count; i++) {
            GT_TRY(put_int(out, ATTR_INTS, attr->ints[i]));
        }
        break;
    case GT_ONNX_ATTR_STRINGS:
        for (size_t i = 0; i < attr->count; i++) {
            GT_TRY(put_string(out, ATTR_STRINGS, attr->strings[i]));
        }
        break;
    default:
        return gt_fail(GT_ERROR_UNSUPPORTED,
                       "attribute '%s': subgraphs and other attributes that reading "
                       "leaves out cannot be written",
                       attr->name);
    }
done:
    return status;
}

static gt_status put_notes(gt_text *out, int doc_field, int metadata_field, const gt_onnx_notes *notes)
{
    gt_status status = GT_OK;
    gt_text entry = {0};
    if (notes->doc != NULL) {
        GT_TRY(put_string(out, doc_field, notes->doc));
    }
    for (size_t i = 0; i < notes->n; i++) {
        GT_TRY(put_string(&entry, ENTRY_KEY, notes->entries[i].key));
        GT_TRY(put_string(&entry, ENTRY_VALUE, notes->entries[i].value));
        GT_TRY(put_message(out, metadata_field, &entry));
    }
done:
    gt_text_destroy(&entry);
    return status;
}

static gt_status put_node(gt_text *out, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_text attr = {0};
    for (size_t i = 0; i < node->n_inputs; i++) {
        GT_TRY(put_string(out, NODE_INPUT, node->inputs[i]));
    }
    for (size_t i = 0; i < node->n_outputs; i++) {
        GT_TRY(put_string(out, NODE_OUTPUT, node->outputs[i]));
    }
    GT_TRY(put_string(out, NODE_NAME, node->name));
    GT_TRY(put_string(out, NODE_OP_TYPE, node->op_type));
    for (size_t i = 0; i < node->n_attrs; i++) {
        GT_TRY(put_string(&attr, ATTR_NAME, node->attrs[i].name));
        GT_TRY(put_attr_value(&attr, &node->attrs[i]));
        GT_TRY(put_int(&attr, ATTR_TYPE, (int64_t)node->attrs[i].type));
        GT_TRY(put_message(out, NODE_ATTR, &attr));
    }
    if (node->domain[0] != '\0') {
        GT_TRY(put_string(out, NODE_DOMAIN, node->domain));
    }
    GT_TRY(put_notes(out, NODE_DOC, NODE_METADATA, &node->notes));
done:
    gt_text_destroy(&attr);
    return status == GT_OK ? GT_OK
                           : gt_fail_in(status, "node '%s' (%s)", node->name, node->op_type);
}

static gt_status put_shape(gt_text *out, const gt_onnx_value *value)
{
    gt_status status = GT_OK;
    gt_text dim = {0};
    for (int k = 0; k < value->rank; k++) {
        if (value->dims[k] >= 0) {
            GT_TRY(put_int(&dim, DIM_VALUE, value->dims[k]));
        } else if (value->dim_names[k] != NULL) {
            GT_TRY(put_string(&dim, DIM_PARAM, value->dim_names[k]));
        }
        GT_TRY(put_message(out, SHAPE_DIM, &dim));
    }
done:
    gt_text_destroy(&dim);
    return status;
}

static gt_status put_value(gt_text *out, int field, const gt_onnx_value *value)
{
    gt_status status = GT_OK;
    gt_text shape = {0};
    gt_text tensor_type = {0};
    gt_text type = {0};
    gt_text message = {0};
    GT_TRY(put_string(&message, VALUE_NAME, value->name));
    if (value->type != GT_ONNX_UNDEFINED) {
        GT_TRY(put_int(&tensor_type, TENSOR_TYPE_ELEM, (int64_t)value->type));
        if (value->has_shape) {
            GT_TRY(put_shape(&shape, value));
            GT_TRY(put_message(&tensor_type, TENSOR_TYPE_SHAPE, &shape));
        }
        GT_TRY(put_message(&type, TYPE_TENSOR, &tensor_type));
        GT_TRY(put_message(&message, VALUE_TYPE, &type));
    }
    GT_TRY(put_message(out, field, &message));
done:
    gt_text_destroy(&shape);
    gt_text_destroy(&tensor_type);
    gt_text_destroy(&type);
    gt_text_destroy(&message);
    return status;
}

static gt_status put_values(gt_text *out, int field, const gt_onnx_value *values, size_t count)
{
    gt_status status = GT_OK;
    for (size_t i = 0; i < count; i++) {
        GT_TRY(put_value(out, field, &values[i]));
    }
done:
    return status;
}

/* All of the graph but its initializers. */
static gt_status put_graph(gt_text *out, const gt_onnx_model *model)
{
    gt_status status = GT_OK;
    gt_text node = {0};
    for (size_t i = 0; i < model->n_nodes; i++) {
        GT_TRY(put_node(&node, &model->nodes[i]));
        GT_TRY(put_message(out, GRAPH_NODE, &node));
    }
    GT_TRY(put_string(out, GRAPH_NAME, model->graph_name));
    GT_TRY(put_values(out, GRAPH_INPUT, model->inputs, model->n_inputs));
    GT_TRY(put_values(out, GRAPH_OUTPUT, model->outputs, model->n_outputs));
    GT_TRY(put_values(out, GRAPH_VALUE, model->values, model->n_values));
done:
    gt_text_destroy(&node);
    return status;
}

/* The field tag, length and head of an initializer, into an emptied `out`; its elements follow. */
static gt_status frame_initializer(gt_text *out, gt_text *head, const gt_onnx_tensor *tensor)
{
    gt_status status = GT_OK;
    out->length = 0;
    head->length = 0;
    GT_TRY(put_tensor_head(head, tensor));
    GT_TRY(put_length(out, GRAPH_INITIALIZER, head->length + tensor->bytes));
    GT_TRY(gt_text_append_bytes(out, head->data, head->length));
done:
    return status;
}

static gt_status put_opset(gt_text *out, const char *domain, int64_t version)
{
    gt_status status = GT_OK;
    gt_text opset = {0};
    GT_TRY(put_string(&opset, OPSET_DOMAIN, domain));
    GT_TRY(put_int(&opset, OPSET_VERSION, version));
    GT_TRY(put_message(out, MODEL_OPSET, &opset));
done:
    gt_text_destroy(&opset);
    return status;
}

static gt_status put_model_head(gt_text *out, const gt_onnx_model *model, size_t graph_bytes)
{
    gt_status status = GT_OK;
    GT_TRY(put_int(out, MODEL_IR_VERSION, model->ir_version));
    GT_TRY(put_string(out, MODEL_PRODUCER, model->producer));
    GT_TRY(put_notes(out, MODEL_DOC, MODEL_METADATA, &model->notes));
    GT_TRY(put_opset(out, "", model->opset));
    for (size_t i = 0; i < model->n_domains; i++) {
        GT_TRY(put_opset(out, model->domains[i], 1));
    }
    GT_TRY(put_length(out, MODEL_GRAPH, graph_bytes));
done:
    return status;
}

/* Writes the initializers, or only adds their encoded size to *bytes when `writer` is NULL. */
static gt_status write_initializers(size_t *bytes, gt_file_writer *writer,
                                    const gt_onnx_model *model)
{
    gt_status status = GT_OK;
    gt_text frame = {0};
    gt_text head = {0};
    for (size_t i = 0; i < model->n_initializers; i++) {
        const gt_onnx_tensor *tensor = &model->initializers[i];
        GT_TRY(frame_initializer(&frame, &head, tensor));
        *bytes += frame.length + tensor->bytes;
        if (writer != NULL) {
            GT_TRY(gt_file_write(writer, frame.data, frame.length));
            GT_TRY(gt_file_write(writer, tensor->data, tensor->bytes));
        }
    }
done:
    gt_text_destroy(&frame);
    gt_text_destroy(&head);
    return status;
}

gt_status gt_onnx_write(const gt_onnx_model *model, const char *path)
{
    gt_status status = GT_OK;
    gt_file_writer *writer = NULL;
    gt_text graph = {0};
    gt_text model_head = {0};
    size_t bytes = 0;
    if ((status = put_graph(&graph, model)) != GT_OK) {
        status = gt_fail_in(status, "%s", path);
        goto done;
    }
    GT_TRY(write_initializers(&bytes, NULL, model));
    GT_REQUIRE(bytes + graph.length < (size_t)INT32_MAX - 4096, GT_ERROR_LIMIT,
               "%s: the model takes %zu bytes, more than the 2 GiB of a protobuf message", path,
               bytes + graph.length);
    GT_TRY(put_model_head(&model_head, model, bytes + graph.length));
    GT_TRY(gt_file_create(&writer, path));
    GT_TRY(gt_file_write(writer, model_head.data, model_head.length));
    GT_TRY(gt_file_write(writer, graph.data, graph.length));
    GT_TRY(write_initializers(&bytes, writer, model));
    gt_file_writer *finished = writer;
    writer = NULL;
    GT_TRY(gt_file_commit(finished));
done:
    gt_file_abort(writer);
    gt_text_destroy(&graph);
    gt_text_destroy(&model_head);
    return status;
}
