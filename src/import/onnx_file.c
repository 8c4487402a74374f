/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf messages to plain structures and back. The only user of protobuf-c.
 *
 * What protobuf-c parses is the model without its tensors' elements (gt_i_onnx_skeleton); those are
 * read straight into their own memory. Reading moves strings and arrays out of the parsed messages
 * instead of copying them: protobuf-c allocates through gt_calloc, so a moved block is later freed
 * like any other. Hostile input is dealt with in three places: the schema bounds the nesting,
 * `unpack` bounds the size, and every convert_* function checks what it takes. */
#include "src/import/onnx_file.h"

#include "src/base/file.h"
#include "src/import/onnx.pb-c.h"
#include "src/import/onnx_external.h"
#include "src/records/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "raw_data is little endian and used in place");

#define MIN_OPSET 1
#define MAX_OPSET 21
#define LOCATION_EXTERNAL 1

/* The specification's limit for one protobuf message. On 32-bit hosts less, as protobuf-c
 * computes the size of an array as 8 times the number of bytes that encode it. */
#define MAX_MESSAGE_BYTES (SIZE_MAX / 8 < INT32_MAX ? SIZE_MAX / 8 : INT32_MAX)

/* ---- protobuf-c over gt_calloc ---- */

static void *unpack_alloc(void *failed, size_t bytes)
{
    void *block = NULL;
    if (gt_calloc(&block, bytes, 1) != GT_OK) {
        *(bool *)failed = true;
        return NULL;
    }
    return block;
}

static void unpack_free(void *failed, void *block)
{
    (void)failed;
    gt_free(block);
}

static void destroy_message(void *message)
{
    bool failed = false;
    ProtobufCAllocator allocator = {unpack_alloc, unpack_free, &failed};
    if (message != NULL) {
        protobuf_c_message_free_unpacked(message, &allocator);
    }
}

static gt_status parse(void *out, const ProtobufCMessageDescriptor *descriptor, const gt_text *text, size_t bytes)
{
    bool failed = false;
    ProtobufCAllocator allocator = {unpack_alloc, unpack_free, &failed};
    /* protobuf-c takes NULL for a failed read, also where there is nothing to read. */
    ProtobufCMessage *message = protobuf_c_message_unpack(
        descriptor, &allocator, text->length,
        text->length > 0 ? (const uint8_t *)text->data : (const uint8_t *)"");
    if (failed) {
        destroy_message(message);
        return gt_fail(GT_ERROR_MEMORY, "out of memory while parsing %zu bytes", bytes);
    }
    if (message == NULL) {
        return gt_fail(GT_ERROR_FORMAT,
                       "not an ONNX file, or damaged or truncated: its %zu bytes are not a "
                       "valid protobuf message",
                       bytes);
    }
    memcpy(out, &message, sizeof message);
    return GT_OK;
}

/* A message without the elements of the tensors in it, of kind `kind`. */
static gt_status unpack(void *out, const ProtobufCMessageDescriptor *descriptor,
                        const gt_i_onnx_source *source, gt_i_onnx_message kind)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    GT_REQUIRE(source->bytes <= MAX_MESSAGE_BYTES, GT_ERROR_LIMIT,
               "%zu bytes, at most %zu are allowed; keep the weights in an external "
               "data file",
               source->bytes, (size_t)MAX_MESSAGE_BYTES);
    GT_TRY(gt_i_onnx_skeleton(&text, source, kind));
    GT_TRY(parse(out, descriptor, &text, source->bytes));
done:
    gt_text_destroy(&text);
    return status;
}

/* Where a message comes from: what convert_* need to find the elements of its tensors. */
typedef struct origin {
    const gt_i_onnx_source *source;
    const char *path; /* external data is looked up beside it */
} origin;

/* ---- reading: tensors ---- */

static gt_status take_text(char **out, char **source)
{
    if (*source == NULL) {
        return gt_strdup(out, "");
    }
    if (!gt_i_is_text(*source, strlen(*source))) {
        gt_i_make_line(*source);
        return gt_fail(GT_ERROR_FORMAT, "the name '%.100s' has bytes that are not UTF-8 text, or control characters", *source);
    }
    *out = *source;
    *source = NULL;
    return GT_OK;
}

static gt_status convert_dims(gt_onnx_tensor *out, int64_t *elements, const Gtpb__Tensor *in)
{
    gt_status status = GT_OK;
    int64_t count = 1;
    GT_REQUIRE(in->n_dims <= GT_ONNX_MAX_RANK, GT_ERROR_FORMAT, "rank %zu, at most %d is allowed",
               in->n_dims, GT_ONNX_MAX_RANK);
    for (size_t k = 0; k < in->n_dims; k++) {
        GT_REQUIRE(in->dims[k] >= 0, GT_ERROR_FORMAT, "dimension %zu is %lld", k,
                   (long long)in->dims[k]);
        if (gt_i_mul(&count, count, in->dims[k], "the number of elements") != GT_OK) {
            return GT_ERROR_FORMAT;
        }
        out->dims[k] = in->dims[k];
    }
    out->rank = (int)in->n_dims;
    *elements = count;
done:
    return status;
}

/* int32_data holds narrower types as well, either sign-extended or zero-extended. */
static gt_status narrow_int32(gt_onnx_tensor *out, const int32_t *values, size_t count,
                              size_t width)
{
    gt_status status = GT_OK;
    int32_t span = 1 << (8 * width);
    unsigned char *bytes = NULL;
    GT_TRY(gt_calloc(&bytes, count, width));
    for (size_t i = 0; i < count; i++) {
        GT_REQUIRE(values[i] >= -span / 2 && values[i] < span, GT_ERROR_FORMAT,
                   "element %zu of int32_data is %ld, too large for %s", i, (long)values[i],
                   gt_onnx_type_name(out->type));
        memcpy(bytes + i * width, &values[i], width);
    }
    out->data = bytes;
    bytes = NULL;
done:
    gt_free(bytes);
    return status;
}

static gt_status narrow_uint64(gt_onnx_tensor *out, const uint64_t *values, size_t count)
{
    gt_status status = GT_OK;
    uint32_t *narrow = NULL;
    GT_TRY(gt_calloc(&narrow, count, sizeof *narrow));
    for (size_t i = 0; i < count; i++) {
        GT_REQUIRE(values[i] <= UINT32_MAX, GT_ERROR_FORMAT,
                   "element %zu of uint64_data is %llu, too large for uint32", i,
                   (unsigned long long)values[i]);
        narrow[i] = (uint32_t)values[i];
    }
    out->data = narrow;
    narrow = NULL;
done:
    gt_free(narrow);
    return status;
}

/* The typed field that holds elements of this type, and how wide its entries are once parsed. */
typedef struct typed_field {
    const char *name;
    size_t count;
    size_t width;
    void **values;
} typed_field;

static typed_field find_typed_field(gt_onnx_type type, Gtpb__Tensor *in)
{
    switch (type) {
    case GT_ONNX_FLOAT:
        return (typed_field){"float_data", in->n_float_data, 4, (void **)&in->float_data};
    case GT_ONNX_DOUBLE:
        return (typed_field){"double_data", in->n_double_data, 8, (void **)&in->double_data};
    case GT_ONNX_INT64:
        return (typed_field){"int64_data", in->n_int64_data, 8, (void **)&in->int64_data};
    case GT_ONNX_UINT32:
    case GT_ONNX_UINT64:
        return (typed_field){"uint64_data", in->n_uint64_data, 8, (void **)&in->uint64_data};
    default:
        return (typed_field){"int32_data", in->n_int32_data, 4, (void **)&in->int32_data};
    }
}

static gt_status take_typed(gt_onnx_tensor *out, size_t elements, Gtpb__Tensor *in)
{
    gt_status status = GT_OK;
    size_t width = gt_onnx_type_bytes(out->type);
    typed_field field = find_typed_field(out->type, in);
    GT_REQUIRE(field.count == elements, GT_ERROR_FORMAT,
               "the shape has %zu elements of %s, but %s holds %zu and raw_data 0 bytes", elements,
               gt_onnx_type_name(out->type), field.name, field.count);
    if (elements == 0) {
        return gt_calloc(&out->data, 0, 1);
    }
    if (field.width == width) {
        out->data = *field.values;
        *field.values = NULL;
    } else if (field.width == 8) {
        GT_TRY(narrow_uint64(out, in->uint64_data, elements));
    } else {
        GT_TRY(narrow_int32(out, in->int32_data, elements, width));
    }
done:
    return status;
}

static gt_status take_external(gt_onnx_tensor *out, const Gtpb__Tensor *in, const char *path)
{
    gt_i_onnx_location location = {0};
    for (size_t i = 0; i < in->n_external_data; i++) {
        const Gtpb__Entry *entry = in->external_data[i];
        if (entry->key == NULL) {
            continue;
        }
        if (strcmp(entry->key, "location") == 0) {
            location.file = entry->value;
        } else if (strcmp(entry->key, "offset") == 0) {
            location.offset = entry->value;
        } else if (strcmp(entry->key, "length") == 0) {
            location.length = entry->value;
        }
    }
    return gt_i_onnx_read_external(&out->data, out->bytes, &location, path);
}

/* The elements that gt_i_onnx_skeleton has left in the source. */
static gt_status take_span(gt_onnx_tensor *out, int64_t elements, Gtpb__Tensor *in,
                           const gt_i_onnx_source *source)
{
    gt_status status = GT_OK;
    gt_i_onnx_span span = {0};
    GT_REQUIRE(in->raw_data.len == sizeof span, GT_ERROR_INTERNAL, "raw_data was not left out");
    memcpy(&span, in->raw_data.data, sizeof span);
    GT_REQUIRE(span.type == 0 || (span.type == (uint64_t)out->type && span.bytes == out->bytes),
               GT_ERROR_FORMAT, "the shape has %lld elements of %s, but %s holds %zu and raw_data 0 bytes",
               (long long)elements, gt_onnx_type_name(out->type),
               span.type == GT_ONNX_FLOAT ? "float_data" : "double_data",
               (size_t)span.bytes / gt_onnx_type_bytes((gt_onnx_type)span.type));
    GT_REQUIRE(span.bytes == out->bytes, GT_ERROR_FORMAT,
               "the shape has %lld elements of %s, %zu bytes, but raw_data holds %zu",
               (long long)elements, gt_onnx_type_name(out->type), out->bytes, (size_t)span.bytes);
    GT_TRY(gt_alloc_aligned(&out->data, out->bytes));
    GT_TRY(gt_i_onnx_read_span(out->data, source, &span));
done:
    return status;
}

static gt_status take_data(gt_onnx_tensor *out, Gtpb__Tensor *in, const origin *from)
{
    gt_status status = GT_OK;
    int64_t elements = 0;
    int64_t bytes = 0;
    GT_REQUIRE(gt_onnx_type_bytes(out->type) > 0, GT_ERROR_UNSUPPORTED,
               "elements of %s are not supported", gt_onnx_type_name(out->type));
    GT_REQUIRE(!in->has_segment, GT_ERROR_UNSUPPORTED, "tensors in segments are not supported");
    GT_TRY(convert_dims(out, &elements, in));
    if (gt_i_mul(&bytes, elements, (int64_t)gt_onnx_type_bytes(out->type), "the number of bytes") !=
            GT_OK ||
        (uint64_t)bytes > SIZE_MAX) {
        return GT_ERROR_FORMAT;
    }
    out->bytes = (size_t)bytes;
    if (in->location == LOCATION_EXTERNAL) {
        return take_external(out, in, from->path);
    }
    if (in->raw_data.len == 0) {
        return take_typed(out, (size_t)elements, in);
    }
    return take_span(out, elements, in, from->source);
done:
    return status;
}

/* Booleans may come as any non-zero byte; readers of `data` expect 0 or 1. */
static void normalise_bools(gt_onnx_tensor *tensor)
{
    unsigned char *bytes = tensor->data;
    for (size_t i = 0; tensor->type == GT_ONNX_BOOL && i < tensor->bytes; i++) {
        bytes[i] = bytes[i] != 0;
    }
}

static gt_status convert_tensor(gt_onnx_tensor *out, Gtpb__Tensor *in, const origin *from)
{
    gt_status status = GT_OK;
    out->type = (gt_onnx_type)in->type;
    GT_TRY(take_text(&out->name, &in->name));
    GT_TRY(take_data(out, in, from));
    normalise_bools(out);
done:
    return status == GT_OK ? GT_OK
                           : gt_fail_in(status, "tensor '%s'", out->name != NULL ? out->name : "");
}

/* ---- reading: nodes ---- */

/* IR version 1 has no attribute types: the field that is there tells. */
static int32_t infer_attr_type(const Gtpb__Attr *in)
{
    if (in->type != 0) {
        return in->type;
    }
    return in->has_f              ? GT_ONNX_ATTR_FLOAT
           : in->has_i            ? GT_ONNX_ATTR_INT
           : in->s != NULL        ? GT_ONNX_ATTR_STRING
           : in->t != NULL        ? GT_ONNX_ATTR_TENSOR
           : in->n_floats > 0     ? GT_ONNX_ATTR_FLOATS
           : in->n_ints > 0       ? GT_ONNX_ATTR_INTS
           : in->n_strings > 0    ? GT_ONNX_ATTR_STRINGS
                                  : GT_ONNX_ATTR_OTHER;
}

static gt_status take_attr_tensor(gt_onnx_attr *out, Gtpb__Attr *in, const origin *from)
{
    if (in->t == NULL) {
        return gt_fail(GT_ERROR_FORMAT, "is a tensor, but has none");
    }
    gt_status status = gt_calloc(&out->t, 1, sizeof *out->t);
    return status == GT_OK ? convert_tensor(out->t, in->t, from) : status;
}

/* Moves an array of the message; its count becomes 0 there, so that protobuf-c forgets the
 * elements. */
#define TAKE_ARRAY(out, out_count, in, in_count) \
    do {                                         \
        (out) = (in);                            \
        (out_count) = (in_count);                \
        (in) = NULL;                             \
        (in_count) = 0;                          \
    } while (0)

static gt_status convert_attr(gt_onnx_attr *out, Gtpb__Attr *in, const origin *from)
{
    gt_status status = GT_OK;
    GT_TRY(take_text(&out->name, &in->name));
    out->type = (gt_onnx_attr_type)infer_attr_type(in);
    switch (out->type) {
    case GT_ONNX_ATTR_FLOAT:
        out->f = in->f;
        break;
    case GT_ONNX_ATTR_INT:
        out->i = in->i;
        break;
    case GT_ONNX_ATTR_STRING:
        GT_TRY(take_text(&out->s, &in->s));
        break;
    case GT_ONNX_ATTR_TENSOR:
        GT_TRY(take_attr_tensor(out, in, from));
        break;
    case GT_ONNX_ATTR_FLOATS:
        TAKE_ARRAY(out->floats, out->count, in->floats, in->n_floats);
        break;
    case GT_ONNX_ATTR_INTS:
        TAKE_ARRAY(out->ints, out->count, in->ints, in->n_ints);
        break;
    case GT_ONNX_ATTR_STRINGS:
        TAKE_ARRAY(out->strings, out->count, in->strings, in->n_strings);
        break;
    default:
        out->type = GT_ONNX_ATTR_OTHER;
        break;
    }
done:
    return status == GT_OK
               ? GT_OK
               : gt_fail_in(status, "attribute '%s'", out->name != NULL ? out->name : "");
}

static gt_status convert_node(gt_onnx_node *out, Gtpb__Node *in, size_t index, const origin *from)
{
    gt_status status = GT_OK;
    GT_TRY(take_text(&out->name, &in->name));
    GT_TRY(take_text(&out->op_type, &in->op_type));
    GT_TRY(take_text(&out->domain, &in->domain));
    TAKE_ARRAY(out->inputs, out->n_inputs, in->inputs, in->n_inputs);
    TAKE_ARRAY(out->outputs, out->n_outputs, in->outputs, in->n_outputs);
    GT_REQUIRE(out->op_type[0] != '\0', GT_ERROR_FORMAT, "has no operator type");
    GT_TRY(gt_calloc(&out->attrs, in->n_attrs, sizeof *out->attrs));
    for (size_t i = 0; i < in->n_attrs; i++) {
        out->n_attrs++;
        GT_TRY(convert_attr(&out->attrs[i], in->attrs[i], from));
    }
done:
    return status == GT_OK ? GT_OK
                           : gt_fail_in(status, "node %zu '%s' (%s)", index,
                                        out->name != NULL ? out->name : "",
                                        out->op_type != NULL ? out->op_type : "");
}

/* ---- reading: values, graph, model ---- */

static gt_status convert_shape(gt_onnx_value *out, Gtpb__Shape *in)
{
    gt_status status = GT_OK;
    GT_REQUIRE(in->n_dims <= GT_ONNX_MAX_RANK, GT_ERROR_FORMAT, "rank %zu, at most %d is allowed",
               in->n_dims, GT_ONNX_MAX_RANK);
    for (size_t k = 0; k < in->n_dims; k++) {
        Gtpb__Dim *dim = in->dims[k];
        /* Some exporters write -1 for "unknown". */
        GT_REQUIRE(!dim->has_value || dim->value >= -1, GT_ERROR_FORMAT, "dimension %zu is %lld", k,
                   (long long)dim->value);
        out->dims[k] = dim->has_value ? dim->value : -1;
        if (out->dims[k] < 0 && dim->param != NULL && dim->param[0] != '\0') {
            GT_TRY(take_text(&out->dim_names[k], &dim->param));
        }
    }
    out->has_shape = true;
    out->rank = (int)in->n_dims;
done:
    return status;
}

static gt_status convert_value(gt_onnx_value *out, Gtpb__Value *in)
{
    gt_status status = GT_OK;
    GT_TRY(take_text(&out->name, &in->name));
    if (in->type != NULL && in->type->tensor != NULL) {
        out->type = (gt_onnx_type)in->type->tensor->elem_type;
        if (in->type->tensor->shape != NULL) {
            GT_TRY(convert_shape(out, in->type->tensor->shape));
        }
    }
done:
    return status == GT_OK ? GT_OK
                           : gt_fail_in(status, "value '%s'", out->name != NULL ? out->name : "");
}

static gt_status convert_values(gt_onnx_value **out, size_t *count, size_t *capacity,
                                Gtpb__Value **in, size_t n_in)
{
    gt_status status = GT_OK;
    GT_TRY(gt_calloc(out, n_in, sizeof **out));
    *capacity = n_in;
    for (size_t i = 0; i < n_in; i++) {
        (*count)++;
        GT_TRY(convert_value(&(*out)[i], in[i]));
    }
done:
    return status;
}

static int compare_names(const void *a, const void *b)
{
    const gt_onnx_tensor *const *x = a;
    const gt_onnx_tensor *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static gt_status check_initializer_names(const gt_onnx_model *model)
{
    gt_status status = GT_OK;
    const gt_onnx_tensor **sorted = NULL;
    size_t count = model->n_initializers;
    GT_TRY(gt_calloc(&sorted, count, sizeof *sorted));
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &model->initializers[i];
        GT_REQUIRE(sorted[i]->name[0] != '\0', GT_ERROR_FORMAT, "initializer %zu has no name", i);
    }
    qsort(sorted, count, sizeof *sorted, compare_names);
    for (size_t i = 1; i < count; i++) {
        GT_REQUIRE(strcmp(sorted[i - 1]->name, sorted[i]->name) != 0, GT_ERROR_FORMAT,
                   "initializer '%s' appears twice", sorted[i]->name);
    }
done:
    gt_free(sorted);
    return status;
}

static gt_status convert_graph(gt_onnx_model *out, Gtpb__Graph *in, const origin *from)
{
    gt_status status = GT_OK;
    GT_REQUIRE(in->n_sparse_initializers == 0, GT_ERROR_UNSUPPORTED,
               "sparse initializers are not supported; store the %zu of this model densely",
               in->n_sparse_initializers);
    GT_REQUIRE(in->n_quantization == 0, GT_ERROR_UNSUPPORTED,
               "quantization annotations are not supported; export the model in float32");
    GT_TRY(take_text(&out->graph_name, &in->name));
    GT_TRY(gt_calloc(&out->nodes, in->n_nodes, sizeof *out->nodes));
    out->nodes_capacity = in->n_nodes;
    for (size_t i = 0; i < in->n_nodes; i++) {
        out->n_nodes++;
        GT_TRY(convert_node(&out->nodes[i], in->nodes[i], i, from));
    }
    GT_TRY(gt_calloc(&out->initializers, in->n_initializers, sizeof *out->initializers));
    out->initializers_capacity = in->n_initializers;
    for (size_t i = 0; i < in->n_initializers; i++) {
        out->n_initializers++;
        GT_TRY(convert_tensor(&out->initializers[i], in->initializers[i], from));
    }
    GT_TRY(convert_values(&out->inputs, &out->n_inputs, &out->inputs_capacity, in->inputs,
                          in->n_inputs));
    GT_TRY(convert_values(&out->outputs, &out->n_outputs, &out->outputs_capacity, in->outputs,
                          in->n_outputs));
    GT_TRY(convert_values(&out->values, &out->n_values, &out->values_capacity, in->values,
                          in->n_values));
    GT_TRY(check_initializer_names(out));
done:
    return status;
}

static gt_status find_opset(int64_t *out, const Gtpb__Model *in)
{
    gt_status status = GT_OK;
    int64_t opset = 0;
    bool found = false;
    for (size_t i = 0; i < in->n_opsets; i++) {
        const char *domain = in->opsets[i]->domain;
        if (domain == NULL || domain[0] == '\0' || strcmp(domain, "ai.onnx") == 0) {
            found = true;
            opset = in->opsets[i]->version > opset ? in->opsets[i]->version : opset;
        }
    }
    GT_REQUIRE(found || in->ir_version < 3, GT_ERROR_FORMAT,
               "opset_import names no version of the domain ai.onnx");
    opset = found ? opset : 1;
    GT_REQUIRE(opset >= MIN_OPSET && opset <= MAX_OPSET, GT_ERROR_UNSUPPORTED,
               "opset %lld is not supported, only %d to %d", (long long)opset, MIN_OPSET,
               MAX_OPSET);
    *out = opset;
done:
    return status;
}

static gt_status convert_model(gt_onnx_model **out, Gtpb__Model *in, const origin *from)
{
    gt_status status = GT_OK;
    gt_onnx_model *m = NULL;
    GT_REQUIRE(in->graph != NULL, GT_ERROR_FORMAT, "not an ONNX model: it has no graph");
    GT_TRY(gt_calloc(&m, 1, sizeof *m));
    m->ir_version = in->ir_version;
    GT_TRY(find_opset(&m->opset, in));
    GT_TRY(take_text(&m->producer, &in->producer));
    GT_TRY(convert_graph(m, in->graph, from));
    *out = m;
    m = NULL;
done:
    gt_onnx_model_destroy(m);
    return status;
}

/* Puts the path before the message where it is not there yet, and keeps the message on one line of
 * bounded length whatever names a hostile file brought into it. */
static gt_status fail_with_path(gt_status status, const char *path)
{
    char line[1024];
    snprintf(line, sizeof line, "%s", gt_error_message());
    size_t length = strlen(path);
    bool has_path = strncmp(line, path, length) == 0 && line[length] == ':';
    return has_path ? gt_fail(status, "%s", line) : gt_fail(status, "%s: %s", path, line);
}

static gt_status read_model(gt_onnx_model **model, const gt_i_onnx_source *source, const char *path)
{
    Gtpb__Model *message = NULL;
    gt_status status = unpack(&message, &gtpb__model__descriptor, source, GT_I_ONNX_MODEL);
    if (status == GT_OK) {
        status = convert_model(model, message, &(origin){source, path});
    }
    destroy_message(message);
    return status == GT_OK ? GT_OK : fail_with_path(status, path);
}

gt_status gt_onnx_parse(gt_onnx_model **model, const void *data, size_t bytes, const char *path)
{
    return read_model(model, &(gt_i_onnx_source){.data = bytes > 0 ? data : "", .bytes = bytes}, path);
}

gt_status gt_onnx_read_open(gt_onnx_model **model, const gt_file_reader *file, const char *path)
{
    return read_model(model, &(gt_i_onnx_source){.file = file, .bytes = gt_file_bytes(file)}, path);
}

gt_status gt_onnx_read(gt_onnx_model **model, const char *path)
{
    gt_file_reader *file = NULL;
    gt_status status = gt_file_open(&file, path);
    if (status == GT_OK) {
        status = gt_onnx_read_open(model, file, path);
    }
    gt_file_close(file);
    return status;
}

static gt_status read_tensor(gt_onnx_tensor **tensor, const gt_file_reader *file, const char *path)
{
    gt_status status = GT_OK;
    Gtpb__Tensor *message = NULL;
    gt_onnx_tensor *t = NULL;
    const gt_i_onnx_source source = {.file = file, .bytes = gt_file_bytes(file)};
    GT_TRY(unpack(&message, &gtpb__tensor__descriptor, &source, GT_I_ONNX_TENSOR));
    GT_TRY(gt_calloc(&t, 1, sizeof *t));
    GT_TRY(convert_tensor(t, message, &(origin){&source, path}));
    *tensor = t;
    t = NULL;
done:
    destroy_message(message);
    gt_onnx_tensor_destroy(t);
    return status == GT_OK ? GT_OK : fail_with_path(status, path);
}

gt_status gt_onnx_read_tensor(gt_onnx_tensor **tensor, const char *path)
{
    gt_file_reader *file = NULL;
    gt_status status = gt_file_open(&file, path);
    if (status == GT_OK) {
        status = read_tensor(tensor, file, path);
    }
    gt_file_close(file);
    return status;
}
