/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX files: what is written is read back; every encoding of tensor data; hostile files. */
#include "src/import/onnx_file.h"

#include "src/base/file.h"
#include "src/base/rng.h"
#include "src/base/text.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static char model_path[96];

static void set_up(void)
{
    snprintf(folder, sizeof folder, "/tmp/gt-onnx-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(model_path, sizeof model_path, "%s/model.onnx", folder);
}

static void tear_down(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}

static void assert_ok(gt_status status)
{
    ck_assert_msg(status == GT_OK, "%s", gt_error_message());
}

static void assert_fails(gt_status status, gt_status expected, const char *part)
{
    ck_assert_msg(status == expected, "%s instead of %s: %s", gt_status_name(status),
                  gt_status_name(expected), gt_error_message());
    ck_assert_msg(strstr(gt_error_message(), part) != NULL, "no \"%s\" in \"%s\"", part,
                  gt_error_message());
    ck_assert_ptr_null(strchr(gt_error_message(), '\n'));
}

/* ---- a protobuf encoder for files that graphtune itself would not write ---- */

static void put_varint(gt_text *out, uint64_t value)
{
    do {
        char byte = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        assert_ok(gt_text_append_bytes(out, &byte, 1));
        value >>= 7;
    } while (value > 0);
}

static void put_int(gt_text *out, int field, int64_t value)
{
    put_varint(out, (uint64_t)field << 3);
    put_varint(out, (uint64_t)value);
}

static void put_bytes(gt_text *out, int field, const void *bytes, size_t count)
{
    put_varint(out, (uint64_t)field << 3 | 2);
    put_varint(out, count);
    assert_ok(gt_text_append_bytes(out, count > 0 ? bytes : "", count));
}

static void put_string(gt_text *out, int field, const char *text)
{
    put_bytes(out, field, text, strlen(text));
}

static void put_message(gt_text *out, int field, gt_text *message)
{
    put_bytes(out, field, message->data, message->length);
    gt_text_destroy(message);
}

static void put_entry(gt_text *tensor, const char *key, const char *value)
{
    gt_text entry = {0};
    put_string(&entry, 1, key);
    put_string(&entry, 2, value);
    put_message(tensor, 13, &entry);
}

enum {
    DIM = 1,
    TYPE = 2,
    SEGMENT = 3,
    FLOATS = 4,
    INT32S = 5,
    INT64S = 7,
    NAME = 8,
    RAW = 9,
    DOUBLES = 10,
    UINT64S = 11,
    LOCATION = 14
};

/* A tensor "w" of this type and shape, without data. */
static gt_text tensor_head(int64_t type, size_t rank, const int64_t *dims)
{
    gt_text tensor = {0};
    for (size_t k = 0; k < rank; k++) {
        put_int(&tensor, DIM, dims[k]);
    }
    put_int(&tensor, TYPE, type);
    put_string(&tensor, NAME, "w");
    return tensor;
}

/* Wraps the encoded graph in a model of opset 13 and parses it; destroys the graph. */
static gt_status parse_graph(gt_onnx_model **model, gt_text *graph)
{
    gt_text bytes = {0};
    gt_text opset = {0};
    put_int(&bytes, 1, 7);
    put_int(&opset, 2, 13);
    put_message(&bytes, 8, &opset);
    put_message(&bytes, 7, graph);
    gt_status status = gt_onnx_parse(model, bytes.data, bytes.length, model_path);
    gt_text_destroy(&bytes);
    return status;
}

/* Parses a model whose only initializer is the encoded tensor; destroys the tensor. */
static gt_status parse_tensor(gt_onnx_model **model, gt_text *tensor)
{
    gt_text graph = {0};
    put_message(&graph, 5, tensor);
    return parse_graph(model, &graph);
}

static void assert_tensor_fails(gt_text *tensor, gt_status expected, const char *part)
{
    gt_onnx_model *model = NULL;
    assert_fails(parse_tensor(&model, tensor), expected, part);
    ck_assert_ptr_null(model);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), model_path));
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "tensor 'w'"));
}

/* ---- a model with one of everything ---- */

static gt_status add_nodes(gt_onnx_model *m)
{
    gt_status status = GT_OK;
    gt_onnx_node *node = NULL;
    GT_TRY(gt_onnx_add_node(m, &node, "Conv", "conv", 2, (const char *const[]){"x", "w"}, 1,
                            (const char *const[]){"y"}));
    GT_TRY(gt_onnx_set_ints(node, "pads", 4, (const int64_t[]){1, 0, -1, 2}));
    GT_TRY(gt_onnx_set_int(node, "group", 9));
    GT_TRY(gt_onnx_set_int(node, "group", 1));
    GT_TRY(gt_onnx_set_string(node, "auto_pad", "NOTSET"));
    GT_TRY(gt_onnx_add_node(m, &node, "LeakyRelu", "act", 1, (const char *const[]){"y"}, 1,
                            (const char *const[]){"z"}));
    GT_TRY(gt_onnx_set_float(node, "alpha", 0.25f));
done:
    return status;
}

static gt_status build(gt_onnx_model **model)
{
    static const float weights[8] = {1, -2, 3, -4, 0.5f, 0, 1e-30f, 7};
    static const int64_t shape[2] = {1, -1};
    gt_status status = GT_OK;
    gt_onnx_model *m = NULL;
    GT_TRY(gt_onnx_model_create(&m, "small", 13));
    GT_TRY(gt_onnx_add_input(m, "x", 4, (const int64_t[]){1, 2, 5, 6}));
    GT_TRY(gt_onnx_add_output(m, "z", 4, (const int64_t[]){1, 4, 5, 6}));
    GT_TRY(gt_onnx_add_value(m, "y", 4, (const int64_t[]){1, 4, 5, 6}));
    GT_TRY(
        gt_onnx_add_initializer(m, "w", GT_ONNX_FLOAT, 4, (const int64_t[]){4, 2, 1, 1}, weights));
    GT_TRY(gt_onnx_add_initializer(m, "shape", GT_ONNX_INT64, 1, (const int64_t[]){2}, shape));
    GT_TRY(gt_onnx_add_initializer(m, "scalar", GT_ONNX_FLOAT, 0, NULL, weights));
    GT_TRY(gt_onnx_add_initializer(m, "empty", GT_ONNX_FLOAT, 1, (const int64_t[]){0}, NULL));
    GT_TRY(add_nodes(m));
    *model = m;
    m = NULL;
done:
    gt_onnx_model_destroy(m);
    return status;
}

static void assert_built(const gt_onnx_model *m)
{
    ck_assert_int_eq(m->opset, 13);
    ck_assert_int_eq(m->ir_version, 7);
    ck_assert_str_eq(m->producer, "graphtune");
    ck_assert_str_eq(m->graph_name, "small");
    ck_assert_uint_eq(m->n_nodes, 2);
    ck_assert_uint_eq(m->n_initializers, 4);
    ck_assert_uint_eq(m->n_values, 1);
    ck_assert_str_eq(m->nodes[0].op_type, "Conv");
    ck_assert_str_eq(m->nodes[0].name, "conv");
    ck_assert_str_eq(m->nodes[0].inputs[1], "w");
    ck_assert_str_eq(m->nodes[1].outputs[0], "z");
    ck_assert_uint_eq(m->nodes[0].n_attrs, 3);
    const gt_onnx_attr *pads = gt_onnx_find_attr(&m->nodes[0], "pads");
    ck_assert_ptr_nonnull(pads);
    ck_assert_int_eq(pads->type, GT_ONNX_ATTR_INTS);
    ck_assert_uint_eq(pads->count, 4);
    ck_assert_int_eq(pads->ints[2], -1);
    ck_assert_int_eq(gt_onnx_find_attr(&m->nodes[0], "group")->i, 1);
    ck_assert_str_eq(gt_onnx_find_attr(&m->nodes[0], "auto_pad")->s, "NOTSET");
    ck_assert_float_eq(gt_onnx_find_attr(&m->nodes[1], "alpha")->f, 0.25f);
    ck_assert_ptr_null(gt_onnx_find_attr(&m->nodes[1], "beta"));
    const gt_onnx_tensor *w = &m->initializers[0];
    ck_assert_int_eq(w->rank, 4);
    ck_assert_int_eq(w->dims[1], 2);
    ck_assert_uint_eq(w->bytes, 32);
    ck_assert_float_eq(((const float *)w->data)[6], 1e-30f);
    ck_assert_int_eq(((const int64_t *)m->initializers[1].data)[1], -1);
    ck_assert_int_eq(m->initializers[2].rank, 0);
    ck_assert_uint_eq(m->initializers[3].bytes, 0);
    ck_assert_ptr_nonnull(m->initializers[3].data);
    ck_assert_int_eq(m->inputs[0].dims[3], 6);
    ck_assert(m->outputs[0].has_shape);
    ck_assert_int_eq(m->values[0].type, GT_ONNX_FLOAT);
}

START_TEST(test_round_trip)
{
    char *first = NULL;
    char *second = NULL;
    size_t first_bytes = 0;
    size_t second_bytes = 0;
    gt_onnx_model *m = NULL;
    gt_onnx_model *copy = NULL;
    assert_ok(build(&m));
    assert_built(m);
    assert_ok(gt_onnx_write(m, model_path));
    assert_ok(gt_onnx_read(&copy, model_path));
    assert_built(copy);
    assert_ok(gt_file_read(&first, &first_bytes, model_path));
    assert_ok(gt_onnx_write(copy, model_path));
    assert_ok(gt_file_read(&second, &second_bytes, model_path));
    ck_assert_uint_eq(first_bytes, second_bytes);
    ck_assert_mem_eq(first, second, first_bytes);
    gt_free(first);
    gt_free(second);
    gt_onnx_model_destroy(m);
    gt_onnx_model_destroy(copy);
}
END_TEST

START_TEST(test_building_errors)
{
    gt_onnx_model *m = NULL;
    const int64_t dims[9] = {1, -2, 1, 1, 1, 1, 1, 1, 1};
    assert_fails(gt_onnx_model_create(&m, "g", 0), GT_ERROR_ARGUMENT, "opset 0");
    assert_ok(build(&m));
    assert_fails(gt_onnx_add_input(m, "q", 9, dims), GT_ERROR_ARGUMENT, "'q': rank 9");
    assert_fails(gt_onnx_add_input(m, "q", 2, dims), GT_ERROR_ARGUMENT, "dimension 1 is -2");
    assert_fails(gt_onnx_add_initializer(m, "w", GT_ONNX_FLOAT, 1, dims, dims), GT_ERROR_ARGUMENT,
                 "'w' exists");
    assert_fails(gt_onnx_add_initializer(m, "s", GT_ONNX_STRING, 1, dims, dims), GT_ERROR_ARGUMENT,
                 "string");
    assert_built(m);
    assert_fails(gt_onnx_write(m, "/nowhere/at/all.onnx"), GT_ERROR_IO, "/nowhere/at/all.onnx");
    gt_onnx_model_destroy(m);
    gt_onnx_model_destroy(NULL);
    gt_onnx_tensor_destroy(NULL);
}
END_TEST

START_TEST(test_type_names)
{
    ck_assert_uint_eq(gt_onnx_type_bytes(GT_ONNX_FLOAT16), 2);
    ck_assert_uint_eq(gt_onnx_type_bytes(GT_ONNX_STRING), 0);
    ck_assert_uint_eq(gt_onnx_type_bytes((gt_onnx_type)77), 0);
    ck_assert_str_eq(gt_onnx_type_name(GT_ONNX_DOUBLE), "float64");
    ck_assert_str_eq(gt_onnx_type_name((gt_onnx_type)77), "type 77");
}
END_TEST

/* ---- encodings of tensor data ---- */

/* Three elements 1, 0, `last`, in the typed field (packed) and as raw_data. */
typedef struct encoding {
    gt_onnx_type type;
    int field;
    int64_t last;  /* as the field holds it */
    uint64_t bits; /* of the decoded element */
} encoding;

static const encoding encodings[] = {
    {GT_ONNX_INT32, INT32S, -5, 0xfffffffb},
    {GT_ONNX_INT16, INT32S, -5, 0xfffb},
    {GT_ONNX_INT8, INT32S, -128, 0x80},
    {GT_ONNX_UINT16, INT32S, 65535, 0xffff},
    {GT_ONNX_UINT8, INT32S, 200, 200},
    {GT_ONNX_BOOL, INT32S, 77, 1},
    {GT_ONNX_FLOAT16, INT32S, 0x3c00, 0x3c00},
    {GT_ONNX_BFLOAT16, INT32S, 0x3f80, 0x3f80},
    {GT_ONNX_INT64, INT64S, -5000000000, (uint64_t)-5000000000},
    {GT_ONNX_UINT32, UINT64S, 4000000000, 4000000000},
    {GT_ONNX_UINT64, UINT64S, -1, UINT64_MAX},
};

static uint64_t element(const gt_onnx_tensor *tensor, size_t index)
{
    size_t width = gt_onnx_type_bytes(tensor->type);
    uint64_t bits = 0;
    memcpy(&bits, (const char *)tensor->data + index * width, width);
    return bits;
}

static void assert_decoded(gt_text *tensor, const encoding *e)
{
    gt_onnx_model *model = NULL;
    assert_ok(parse_tensor(&model, tensor));
    const gt_onnx_tensor *t = &model->initializers[0];
    ck_assert_int_eq(t->type, e->type);
    ck_assert_uint_eq(t->bytes, 3 * gt_onnx_type_bytes(e->type));
    ck_assert_uint_eq(element(t, 0), 1);
    ck_assert_uint_eq(element(t, 1), 0);
    ck_assert_uint_eq(element(t, 2), e->bits);
    gt_onnx_model_destroy(model);
}

START_TEST(test_integer_encodings)
{
    const encoding *e = &encodings[_i];
    const int64_t dims[1] = {3};
    gt_text values = {0};
    put_varint(&values, 1);
    put_varint(&values, 0);
    put_varint(&values, (uint64_t)e->last);
    gt_text packed = tensor_head(e->type, 1, dims);
    put_message(&packed, e->field, &values);
    assert_decoded(&packed, e);

    gt_text unpacked = tensor_head(e->type, 1, dims);
    put_int(&unpacked, e->field, 1);
    put_int(&unpacked, e->field, 0);
    put_int(&unpacked, e->field, e->last);
    assert_decoded(&unpacked, e);

    size_t width = gt_onnx_type_bytes(e->type);
    char bytes[24] = {0};
    bytes[0] = 1;
    memcpy(bytes + 2 * width, &e->last, width);
    gt_text raw = tensor_head(e->type, 1, dims);
    put_bytes(&raw, RAW, bytes, 3 * width);
    assert_decoded(&raw, e);
}
END_TEST

START_TEST(test_float_encodings)
{
    const float floats[2] = {1.5f, -0.0f};
    const double doubles[2] = {1e300, -2};
    const int64_t dims[1] = {2};
    const int fields[2] = {FLOATS, RAW};
    const int double_fields[2] = {DOUBLES, RAW};
    for (int k = 0; k < 2; k++) {
        gt_onnx_model *model = NULL;
        gt_text tensor = tensor_head(GT_ONNX_FLOAT, 1, dims);
        put_bytes(&tensor, fields[k], floats, sizeof floats);
        assert_ok(parse_tensor(&model, &tensor));
        ck_assert_mem_eq(model->initializers[0].data, floats, sizeof floats);
        gt_onnx_model_destroy(model);
        tensor = tensor_head(GT_ONNX_DOUBLE, 1, dims);
        put_bytes(&tensor, double_fields[k], doubles, sizeof doubles);
        assert_ok(parse_tensor(&model, &tensor));
        ck_assert_mem_eq(model->initializers[0].data, doubles, sizeof doubles);
        gt_onnx_model_destroy(model);
    }
}
END_TEST

START_TEST(test_tensor_file)
{
    const float value = 3;
    gt_onnx_tensor *tensor = NULL;
    gt_text bytes = tensor_head(GT_ONNX_FLOAT, 0, NULL);
    put_bytes(&bytes, RAW, &value, sizeof value);
    assert_ok(gt_file_replace(model_path, bytes.data, bytes.length));
    assert_ok(gt_onnx_read_tensor(&tensor, model_path));
    ck_assert_str_eq(tensor->name, "w");
    ck_assert_int_eq(tensor->rank, 0);
    ck_assert_float_eq(*(const float *)tensor->data, 3);
    gt_onnx_tensor_destroy(tensor);
    assert_ok(gt_file_replace(model_path, bytes.data, bytes.length - 1));
    assert_fails(gt_onnx_read_tensor(&tensor, model_path), GT_ERROR_FORMAT, model_path);
    gt_text_destroy(&bytes);
}
END_TEST

/* ---- elements that are left in the file until they are read ---- */

enum { LARGE = 3000 }; /* elements: several of the pieces in which a file is read */

/* A file with this graph, read as a file and from memory: both must agree. Destroys the graph. */
static gt_status read_graph(gt_onnx_model **model, gt_text *graph)
{
    char message[512];
    gt_onnx_model *parsed = NULL;
    gt_text bytes = {0};
    put_message(&bytes, 7, graph);
    FILE *file = fopen(model_path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes.data, 1, bytes.length, file), bytes.length);
    ck_assert_int_eq(fclose(file), 0);
    gt_status status = gt_onnx_parse(&parsed, bytes.data, bytes.length, model_path);
    snprintf(message, sizeof message, "%s", gt_error_message());
    ck_assert_int_eq(gt_onnx_read(model, model_path), status);
    ck_assert(status == GT_OK || strcmp(message, gt_error_message()) == 0);
    for (size_t i = 0; status == GT_OK && i < parsed->n_initializers; i++) {
        const gt_onnx_tensor *t = &parsed->initializers[i];
        ck_assert_uint_eq((*model)->initializers[i].bytes, t->bytes);
        ck_assert_mem_eq((*model)->initializers[i].data, t->data, t->bytes);
    }
    gt_onnx_model_destroy(parsed);
    gt_text_destroy(&bytes);
    return status;
}

static void assert_large(gt_text *tensor, const void *values, size_t bytes)
{
    gt_onnx_model *model = NULL;
    gt_text graph = {0};
    put_message(&graph, 5, tensor);
    assert_ok(read_graph(&model, &graph));
    ck_assert_uint_eq(model->initializers[0].bytes, bytes);
    ck_assert_mem_eq(model->initializers[0].data, values, bytes);
    gt_onnx_model_destroy(model);
}

static void assert_large_fails(gt_text *tensor, const char *part)
{
    gt_onnx_model *model = NULL;
    gt_text graph = {0};
    put_message(&graph, 5, tensor);
    assert_fails(read_graph(&model, &graph), GT_ERROR_FORMAT, part);
}

static float some_floats[LARGE];
static double some_doubles[LARGE];

static void fill_large(void)
{
    for (int i = 0; i < LARGE; i++) {
        some_floats[i] = 0.5f * (float)i - 7;
        some_doubles[i] = 0.25 * i + 3;
    }
}

START_TEST(test_large_encodings)
{
    const int64_t dims[1] = {LARGE};
    const size_t half = sizeof some_floats / 2;
    fill_large();
    gt_text t = tensor_head(GT_ONNX_FLOAT, 1, dims);
    put_bytes(&t, RAW, some_floats, sizeof some_floats);
    assert_large(&t, some_floats, sizeof some_floats);
    t = tensor_head(GT_ONNX_FLOAT, 1, dims);
    put_bytes(&t, FLOATS, some_floats, sizeof some_floats);
    assert_large(&t, some_floats, sizeof some_floats);
    t = tensor_head(GT_ONNX_FLOAT, 1, dims);
    put_bytes(&t, FLOATS, some_floats, half);
    put_bytes(&t, FLOATS, some_floats + LARGE / 2, half);
    assert_large(&t, some_floats, sizeof some_floats);
    t = tensor_head(GT_ONNX_FLOAT, 1, dims);
    for (int i = 0; i < LARGE; i++) {
        put_varint(&t, FLOATS << 3 | 5);
        assert_ok(gt_text_append_bytes(&t, (const char *)&some_floats[i], 4));
    }
    assert_large(&t, some_floats, sizeof some_floats);
    t = tensor_head(GT_ONNX_DOUBLE, 1, dims);
    put_bytes(&t, DOUBLES, some_doubles, sizeof some_doubles);
    assert_large(&t, some_doubles, sizeof some_doubles);
    /* raw_data goes before the other fields, the last before earlier ones, and what is behind it is read too. */
    t = (gt_text){0};
    put_bytes(&t, RAW, some_doubles, half);
    put_bytes(&t, FLOATS, some_doubles, sizeof some_floats);
    put_bytes(&t, RAW, some_floats, sizeof some_floats);
    put_int(&t, DIM, LARGE);
    put_int(&t, TYPE, GT_ONNX_FLOAT);
    put_string(&t, NAME, "w");
    assert_large(&t, some_floats, sizeof some_floats);
}
END_TEST

START_TEST(test_large_malformed)
{
    const int64_t dims[1] = {LARGE};
    const int64_t more[1] = {LARGE + 1};
    fill_large();
    gt_text t = tensor_head(GT_ONNX_FLOAT, 1, more);
    put_bytes(&t, RAW, some_floats, sizeof some_floats);
    assert_large_fails(&t, "12004 bytes, but raw_data holds 12000");
    t = tensor_head(GT_ONNX_FLOAT, 1, more);
    put_bytes(&t, FLOATS, some_floats, sizeof some_floats);
    assert_large_fails(&t, "float_data holds 3000");
    t = tensor_head(GT_ONNX_DOUBLE, 1, more);
    put_bytes(&t, DOUBLES, some_doubles, sizeof some_doubles);
    assert_large_fails(&t, "double_data holds 3000");
    t = tensor_head(GT_ONNX_FLOAT, 1, dims);
    put_bytes(&t, FLOATS, some_floats, sizeof some_floats - 1);
    assert_large_fails(&t, "not a valid protobuf message");
    t = tensor_head(GT_ONNX_INT64, 1, dims);
    put_bytes(&t, FLOATS, some_floats, sizeof some_floats);
    assert_large_fails(&t, "int64_data holds 0");
    t = tensor_head(GT_ONNX_FLOAT, 1, dims);
    put_bytes(&t, DOUBLES, some_doubles, sizeof some_doubles);
    assert_large_fails(&t, "float_data holds 0");
    t = tensor_head(GT_ONNX_FLOAT, 1, dims);
    put_varint(&t, RAW << 3 | 5);
    assert_ok(gt_text_append_bytes(&t, "abcd", 4));
    assert_large_fails(&t, "not a valid protobuf message");
}
END_TEST

/* An attribute whose tensor stands in two parts, which protobuf puts together: elements of one, type of the other. */
START_TEST(test_large_merged)
{
    gt_onnx_model *model = NULL;
    gt_text node = {0};
    gt_text attr = {0};
    gt_text graph = {0};
    fill_large();
    gt_text first = tensor_head(GT_ONNX_FLOAT, 1, (const int64_t[]){LARGE});
    gt_text second = {0};
    put_bytes(&first, FLOATS, some_floats, sizeof some_floats);
    put_int(&second, TYPE, GT_ONNX_INT32);
    put_string(&attr, 1, "value");
    put_message(&attr, 5, &first);
    put_message(&attr, 5, &second);
    put_int(&attr, 20, GT_ONNX_ATTR_TENSOR);
    put_string(&node, 4, "Constant");
    put_message(&node, 5, &attr);
    put_message(&graph, 1, &node);
    assert_fails(read_graph(&model, &graph), GT_ERROR_FORMAT, "float_data holds 3000");
}
END_TEST

/* Tensors whose ends lie all around those of the pieces in which a file is read. */
START_TEST(test_pieces)
{
    gt_onnx_model *model = NULL;
    gt_text graph = {0};
    char name[16];
    fill_large();
    for (int i = 0; i < 120; i++) {
        const int64_t count = i < 60 ? 900 + 4 * i : i % 7;
        gt_text tensor = {0};
        put_int(&tensor, DIM, count);
        put_int(&tensor, TYPE, GT_ONNX_FLOAT);
        put_bytes(&tensor, RAW, some_floats + i, (size_t)count * 4);
        snprintf(name, sizeof name, "w%d", i);
        put_string(&tensor, NAME, name);
        put_message(&graph, 5, &tensor);
    }
    assert_ok(read_graph(&model, &graph));
    ck_assert_uint_eq(model->n_initializers, 120);
    for (int i = 0; i < 120; i++) {
        ck_assert_mem_eq(model->initializers[i].data, some_floats + i, model->initializers[i].bytes);
    }
    gt_onnx_model_destroy(model);
}
END_TEST

/* ---- attributes and values ---- */

/* Names an attribute, unless it is of IR version 1 also its type, and appends it to the node. */
static void put_attr(gt_text *node, const char *name, int64_t type, gt_text *attr)
{
    put_string(attr, 1, name);
    if (type != 0) {
        put_int(attr, 20, type);
    }
    put_message(node, 5, attr);
}

START_TEST(test_attributes)
{
    const float half = 0.5f;
    gt_onnx_model *model = NULL;
    gt_text graph = {0};
    gt_text node = {0};
    gt_text attr = {0};
    gt_text tensor = tensor_head(GT_ONNX_FLOAT, 0, NULL);
    put_bytes(&tensor, RAW, &half, sizeof half);
    put_string(&node, 4, "Op");
    put_message(&attr, 5, &tensor);
    put_attr(&node, "value", GT_ONNX_ATTR_TENSOR, &attr);
    put_string(&attr, 9, "one");
    put_string(&attr, 9, "");
    put_attr(&node, "names", GT_ONNX_ATTR_STRINGS, &attr);
    put_bytes(&attr, 7, &half, sizeof half);
    put_attr(&node, "scales", GT_ONNX_ATTR_FLOATS, &attr);
    put_int(&attr, 8, 4);
    put_int(&attr, 8, -4);
    put_attr(&node, "untyped", 0, &attr);
    put_string(&attr, 6, "");
    put_attr(&node, "body", 5, &attr);
    put_message(&graph, 1, &node);
    assert_ok(parse_graph(&model, &graph));
    const gt_onnx_node *n = &model->nodes[0];
    ck_assert_float_eq(*(const float *)gt_onnx_find_attr(n, "value")->t->data, half);
    ck_assert_uint_eq(gt_onnx_find_attr(n, "names")->count, 2);
    ck_assert_str_eq(gt_onnx_find_attr(n, "names")->strings[0], "one");
    ck_assert_float_eq(gt_onnx_find_attr(n, "scales")->floats[0], half);
    ck_assert_int_eq(gt_onnx_find_attr(n, "untyped")->type, GT_ONNX_ATTR_INTS);
    ck_assert_int_eq(gt_onnx_find_attr(n, "untyped")->ints[1], -4);
    ck_assert_int_eq(gt_onnx_find_attr(n, "body")->type, GT_ONNX_ATTR_OTHER);
    assert_fails(gt_onnx_write(model, model_path), GT_ERROR_UNSUPPORTED, "'body'");
    gt_onnx_model_destroy(model);
}
END_TEST

/* A float32 value "x" whose shape is the encoded one. */
static void put_value(gt_text *graph, int field, gt_text *shape)
{
    gt_text tensor_type = {0};
    gt_text type = {0};
    gt_text value = {0};
    put_int(&tensor_type, 1, GT_ONNX_FLOAT);
    put_message(&tensor_type, 2, shape);
    put_message(&type, 1, &tensor_type);
    put_string(&value, 1, "x");
    put_message(&value, 2, &type);
    put_message(graph, field, &value);
}

START_TEST(test_values)
{
    gt_onnx_model *model = NULL;
    gt_onnx_model *copy = NULL;
    gt_text graph = {0};
    gt_text shape = {0};
    gt_text value = {0};
    gt_text dim = {0};
    put_string(&dim, 2, "batch");
    put_message(&shape, 1, &dim);
    put_int(&dim, 1, 3);
    put_message(&shape, 1, &dim);
    put_bytes(&shape, 1, "", 0);
    put_value(&graph, 11, &shape);
    put_string(&value, 1, "sequence");
    put_message(&graph, 12, &value);
    assert_ok(parse_graph(&model, &graph));
    assert_ok(gt_onnx_write(model, model_path));
    assert_ok(gt_onnx_read(&copy, model_path));
    for (int k = 0; k < 2; k++) {
        const gt_onnx_model *m = k == 0 ? model : copy;
        const gt_onnx_value *x = &m->inputs[0];
        ck_assert_int_eq(x->rank, 3);
        ck_assert_int_eq(x->dims[0], -1);
        ck_assert_str_eq(x->dim_names[0], "batch");
        ck_assert_int_eq(x->dims[1], 3);
        ck_assert_int_eq(x->dims[2], -1);
        ck_assert_ptr_null(x->dim_names[2]);
        ck_assert(!m->outputs[0].has_shape);
    }
    gt_onnx_model_destroy(model);
    gt_onnx_model_destroy(copy);
    put_int(&dim, 1, -2);
    put_message(&shape, 1, &dim);
    put_value(&graph, 11, &shape);
    assert_fails(parse_graph(&model, &graph), GT_ERROR_FORMAT, "value 'x': dimension 0 is -2");
}
END_TEST

/* ---- external data ---- */

static gt_text external_tensor(const char *location, const char *offset, const char *length)
{
    gt_text tensor = tensor_head(GT_ONNX_FLOAT, 1, (const int64_t[]){2});
    put_entry(&tensor, "location", location);
    if (offset != NULL) {
        put_entry(&tensor, "offset", offset);
    }
    if (length != NULL) {
        put_entry(&tensor, "length", length);
    }
    put_int(&tensor, LOCATION, 1);
    return tensor;
}

static void write_beside(const char *name, const void *data, size_t bytes)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_ok(gt_file_replace(path, data, bytes));
}

START_TEST(test_external_data)
{
    const float values[4] = {1, 2, 3, 4};
    char sub[96];
    snprintf(sub, sizeof sub, "%s/sub", folder);
    ck_assert_int_eq(mkdir(sub, 0700), 0);
    write_beside("weights.bin", values, sizeof values);
    write_beside("sub/weights.bin", values, sizeof values);
    const struct {
        const char *location, *offset, *length;
        float first;
    } good[] = {{"weights.bin", NULL, NULL, 1},
                {"weights.bin", "4", "8", 2},
                {"./weights.bin", "8", NULL, 3},
                {"sub/weights.bin", "0", "8", 1}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        gt_onnx_model *model = NULL;
        gt_text tensor = external_tensor(good[i].location, good[i].offset, good[i].length);
        assert_ok(parse_tensor(&model, &tensor));
        ck_assert_uint_eq(model->initializers[0].bytes, 8);
        ck_assert_float_eq(((const float *)model->initializers[0].data)[0], good[i].first);
        gt_onnx_model_destroy(model);
    }
}
END_TEST

START_TEST(test_external_data_refused)
{
    const float values[4] = {1, 2, 3, 4};
    char link_path[96];
    char pipe_path[96];
    write_beside("weights.bin", values, sizeof values);
    snprintf(link_path, sizeof link_path, "%s/link.bin", folder);
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe.bin", folder);
    ck_assert_int_eq(symlink("/etc/passwd", link_path), 0);
    ck_assert_int_eq(mkfifo(pipe_path, 0600), 0);
    const struct {
        const char *location, *offset, *length;
        gt_status status;
        const char *part;
    } bad[] = {
        {"/etc/passwd", NULL, NULL, GT_ERROR_FORMAT, "must be relative"},
        {"../weights.bin", NULL, NULL, GT_ERROR_FORMAT, "'..' is not allowed"},
        {"x/../../weights.bin", NULL, NULL, GT_ERROR_IO, "cannot open"},
        {"", NULL, NULL, GT_ERROR_FORMAT, "without a location"},
        {"missing.bin", NULL, NULL, GT_ERROR_IO, "'missing.bin': No such file"},
        {"link.bin", NULL, NULL, GT_ERROR_IO, "symbolic link"},
        {"pipe.bin", NULL, NULL, GT_ERROR_IO, "not a regular file"},
        {".", NULL, NULL, GT_ERROR_IO, "not a regular file"},
        {"weights.bin", "12", NULL, GT_ERROR_FORMAT, "beyond its end at 16"},
        {"weights.bin", "9223372036854775807", NULL, GT_ERROR_FORMAT, "beyond its end"},
        {"weights.bin", "-4", NULL, GT_ERROR_FORMAT, "offset is '-4'"},
        {"weights.bin", "4x", NULL, GT_ERROR_FORMAT, "offset is '4x'"},
        {"weights.bin", "0", "12", GT_ERROR_FORMAT, "length is 12 bytes, but the tensor has 8"},
        {"weights.bin", "0", "99999999999999999999", GT_ERROR_FORMAT, "not a number of bytes"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gt_text tensor = external_tensor(bad[i].location, bad[i].offset, bad[i].length);
        assert_tensor_fails(&tensor, bad[i].status, bad[i].part);
    }
}
END_TEST

/* ---- malformed files ---- */

START_TEST(test_malformed_tensors)
{
    const int64_t one[1] = {1};
    const int64_t two[1] = {2};
    const int64_t negative[2] = {4, -1};
    const int64_t huge[3] = {INT64_MAX, INT64_MAX, 2};
    const int64_t large[2] = {INT64_MAX / 2, 1};
    const int64_t nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const float value = 1;
    gt_text t = tensor_head(GT_ONNX_FLOAT, 2, negative);
    assert_tensor_fails(&t, GT_ERROR_FORMAT, "dimension 1 is -1");
    t = tensor_head(GT_ONNX_FLOAT, 3, huge);
    assert_tensor_fails(&t, GT_ERROR_FORMAT, "number of elements");
    t = tensor_head(GT_ONNX_FLOAT, 2, large);
    assert_tensor_fails(&t, GT_ERROR_FORMAT, "number of bytes");
    t = tensor_head(GT_ONNX_FLOAT, 9, nine);
    assert_tensor_fails(&t, GT_ERROR_FORMAT, "rank 9");
    t = tensor_head(GT_ONNX_FLOAT, 1, one);
    assert_tensor_fails(&t, GT_ERROR_FORMAT, "float_data holds 0");
    t = tensor_head(GT_ONNX_FLOAT, 1, two);
    put_bytes(&t, RAW, &value, sizeof value);
    assert_tensor_fails(&t, GT_ERROR_FORMAT, "8 bytes, but raw_data holds 4");
    t = tensor_head(GT_ONNX_FLOAT, 1, two);
    put_bytes(&t, FLOATS, &value, sizeof value);
    assert_tensor_fails(&t, GT_ERROR_FORMAT, "float_data holds 1");
    t = tensor_head(GT_ONNX_INT8, 1, one);
    put_int(&t, INT32S, 256);
    assert_tensor_fails(&t, GT_ERROR_FORMAT, "too large for int8");
    t = tensor_head(GT_ONNX_UINT32, 1, one);
    put_int(&t, UINT64S, (int64_t)1 << 32);
    assert_tensor_fails(&t, GT_ERROR_FORMAT, "too large for uint32");
    t = tensor_head(GT_ONNX_STRING, 1, one);
    assert_tensor_fails(&t, GT_ERROR_UNSUPPORTED, "string");
    t = tensor_head(-3, 1, one);
    assert_tensor_fails(&t, GT_ERROR_UNSUPPORTED, "type -3");
    t = tensor_head(GT_ONNX_FLOAT, 1, one);
    put_bytes(&t, SEGMENT, "", 0);
    assert_tensor_fails(&t, GT_ERROR_UNSUPPORTED, "segments");
}
END_TEST

static void assert_graph_fails(gt_text *graph, gt_status expected, const char *part)
{
    gt_onnx_model *model = NULL;
    assert_fails(parse_graph(&model, graph), expected, part);
}

START_TEST(test_malformed_graphs)
{
    gt_text graph = {0};
    for (int k = 0; k < 2; k++) {
        gt_text empty = tensor_head(GT_ONNX_FLOAT, 1, (const int64_t[]){0});
        put_message(&graph, 5, &empty);
    }
    assert_graph_fails(&graph, GT_ERROR_FORMAT, "'w' appears twice");
    gt_text tensor = {0};
    put_int(&tensor, DIM, 0);
    put_int(&tensor, TYPE, GT_ONNX_FLOAT);
    put_message(&graph, 5, &tensor);
    assert_graph_fails(&graph, GT_ERROR_FORMAT, "has no name");
    put_string(&graph, 15, "");
    assert_graph_fails(&graph, GT_ERROR_UNSUPPORTED, "sparse");
    put_string(&graph, 14, "");
    assert_graph_fails(&graph, GT_ERROR_UNSUPPORTED, "quantization");
    gt_text node = {0};
    put_string(&node, 3, "bad\nname");
    put_message(&graph, 1, &node);
    assert_graph_fails(&graph, GT_ERROR_FORMAT, "'bad?name'");
    gt_text attr = {0};
    put_string(&attr, 1, "value");
    put_int(&attr, 20, GT_ONNX_ATTR_TENSOR);
    put_string(&node, 4, "Constant");
    put_message(&node, 5, &attr);
    put_message(&graph, 1, &node);
    assert_graph_fails(&graph, GT_ERROR_FORMAT, "(Constant): attribute 'value'");
}
END_TEST

static gt_status parse_text(const gt_text *bytes)
{
    gt_onnx_model *model = NULL;
    gt_status status = gt_onnx_parse(&model, bytes->data, bytes->length, model_path);
    gt_onnx_model_destroy(model);
    return status;
}

START_TEST(test_malformed_models)
{
    gt_onnx_model *model = NULL;
    gt_text bytes = {0};
    assert_fails(gt_onnx_parse(&model, NULL, 0, "none"), GT_ERROR_FORMAT,
                 "none: not an ONNX model");
    assert_fails(gt_onnx_parse(&model, "{\"json\": 1}", 11, "j.onnx"), GT_ERROR_FORMAT,
                 "j.onnx: not an ONNX");
    assert_fails(gt_onnx_read(&model, "/nowhere.onnx"), GT_ERROR_IO, "/nowhere.onnx");
    assert_fails(gt_onnx_read(&model, folder), GT_ERROR_IO, "not a regular file");
    put_int(&bytes, 1, 7);
    put_string(&bytes, 7, "");
    assert_fails(parse_text(&bytes), GT_ERROR_FORMAT, "opset_import");
    gt_text opset = {0};
    put_string(&opset, 1, "ai.onnx");
    put_int(&opset, 2, 99);
    put_message(&bytes, 8, &opset);
    assert_fails(parse_text(&bytes), GT_ERROR_UNSUPPORTED, "opset 99");
    gt_text_destroy(&bytes);
    put_string(&bytes, 7, "");
    assert_ok(parse_text(&bytes)); /* IR version 1 names no opset */
    gt_text_destroy(&bytes);
}
END_TEST

/* A subgraph in a subgraph in …: the recursion that parsers die of. */
START_TEST(test_deep_nesting)
{
    gt_text inner = {0};
    for (int depth = 0; depth < 2000; depth++) {
        gt_text node = {0};
        gt_text attr = {0};
        put_message(&attr, 6, &inner);
        put_int(&attr, 20, 5);
        put_string(&node, 4, "If");
        put_message(&node, 5, &attr);
        put_message(&inner, 1, &node);
    }
    gt_onnx_model *model = NULL;
    assert_ok(parse_graph(&model, &inner));
    ck_assert_uint_eq(model->n_nodes, 1);
    gt_onnx_model_destroy(model);
}
END_TEST

/* The encoded small model, in *bytes. */
static char *small_model(size_t *bytes)
{
    char *data = NULL;
    gt_onnx_model *m = NULL;
    assert_ok(build(&m));
    assert_ok(gt_onnx_write(m, model_path));
    gt_onnx_model_destroy(m);
    assert_ok(gt_file_read(&data, bytes, model_path));
    return data;
}

/* Either a model or an error with a message, and nothing left over. */
static void assert_survives(const char *data, size_t bytes)
{
    gt_onnx_model *model = NULL;
    int64_t live = gt_i_live_allocations();
    gt_status status = gt_onnx_parse(&model, data, bytes, model_path);
    if (status != GT_OK) {
        ck_assert_ptr_null(model);
        ck_assert_uint_gt(strlen(gt_error_message()), 0);
        ck_assert_ptr_null(strchr(gt_error_message(), '\n'));
    }
    gt_onnx_model_destroy(model);
    ck_assert_int_eq(gt_i_live_allocations(), live);
}

START_TEST(test_truncations)
{
    size_t bytes = 0;
    char *data = small_model(&bytes);
    ck_assert_uint_gt(bytes, 97);
    for (size_t cut = 0; cut < bytes; cut++) {
        char *exact = malloc(cut > 0 ? cut : 1); /* so that a sanitizer sees reads beyond the end */
        memcpy(exact, data, cut);
        assert_survives(exact, cut);
        free(exact);
    }
    gt_free(data);
}
END_TEST

START_TEST(test_bit_flips)
{
    size_t bytes = 0;
    char *data = small_model(&bytes);
    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        data[bit / 8] = (char)(data[bit / 8] ^ (1 << bit % 8));
        assert_survives(data, bytes);
        data[bit / 8] = (char)(data[bit / 8] ^ (1 << bit % 8));
    }
    gt_rng rng;
    gt_rng_seed(&rng, 20240607);
    for (int round = 0; round < 5000; round++) {
        char *copy = malloc(bytes);
        memcpy(copy, data, bytes);
        for (int64_t k = gt_rng_below(&rng, 8); k >= 0; k--) {
            copy[gt_rng_below(&rng, (int64_t)bytes)] = (char)gt_rng_u64(&rng);
        }
        assert_survives(copy, bytes);
        free(copy);
    }
    gt_free(data);
}
END_TEST

/* A file that is cut off is told the same as its bytes in memory. */
START_TEST(test_truncated_files)
{
    size_t bytes = 0;
    char *data = small_model(&bytes);
    for (size_t cut = 0; cut < bytes; cut++) {
        gt_onnx_model *from_file = NULL;
        gt_onnx_model *from_memory = NULL;
        FILE *file = fopen(model_path, "wb");
        ck_assert_ptr_nonnull(file);
        ck_assert_uint_eq(fwrite(data, 1, cut, file), cut);
        ck_assert_int_eq(fclose(file), 0);
        gt_status status = gt_onnx_parse(&from_memory, data, cut, model_path);
        ck_assert_int_eq(gt_onnx_read(&from_file, model_path), status);
        gt_onnx_model_destroy(from_file);
        gt_onnx_model_destroy(from_memory);
    }
    gt_free(data);
}
END_TEST

/* The same message twice, as merging of protobuf allows: twice the graph, not a crash. */
START_TEST(test_concatenated_models)
{
    size_t bytes = 0;
    char *data = small_model(&bytes);
    char *twice = malloc(2 * bytes);
    memcpy(twice, data, bytes);
    memcpy(twice + bytes, data, bytes);
    assert_survives(twice, 2 * bytes);
    free(twice);
    gt_free(data);
}
END_TEST

/* ---- allocation failures ---- */

typedef gt_status attempt(void);

static gt_status attempt_build(void)
{
    gt_onnx_model *m = NULL;
    gt_status status = build(&m);
    gt_onnx_model_destroy(m);
    return status;
}

static gt_status attempt_read(void)
{
    gt_onnx_model *m = NULL;
    gt_status status = gt_onnx_read(&m, model_path);
    gt_onnx_model_destroy(m);
    return status;
}

static gt_onnx_model *to_write;

static gt_status attempt_write(void)
{
    return gt_onnx_write(to_write, model_path);
}

static char external_model[96];

static gt_status attempt_external(void)
{
    gt_onnx_model *m = NULL;
    gt_status status = gt_onnx_read(&m, external_model);
    gt_onnx_model_destroy(m);
    return status;
}

static void fail_every_allocation(attempt *run)
{
    int64_t live = gt_i_live_allocations();
    for (int64_t k = 0;; k++) {
        ck_assert_int_lt(k, 10000);
        gt_i_fail_allocation(k);
        gt_status status = run();
        gt_i_fail_allocation(-1);
        ck_assert_int_eq(gt_i_live_allocations(), live);
        if (status == GT_OK) {
            ck_assert_int_gt(k, 3);
            return;
        }
        ck_assert_msg(status == GT_ERROR_MEMORY, "allocation %lld: %s", (long long)k,
                      gt_error_message());
    }
}

START_TEST(test_allocation_failures)
{
    const float values[4] = {1, 2, 3, 4};
    assert_ok(build(&to_write));
    assert_ok(gt_onnx_write(to_write, model_path));
    fail_every_allocation(attempt_build);
    fail_every_allocation(attempt_read);
    fail_every_allocation(attempt_write);
    gt_onnx_model_destroy(to_write);

    gt_text bytes = {0};
    gt_text graph = {0};
    gt_text tensor = external_tensor("weights.bin", "0", "8");
    write_beside("weights.bin", values, sizeof values);
    put_message(&graph, 5, &tensor);
    put_message(&bytes, 7, &graph);
    write_beside("external.onnx", bytes.data, bytes.length);
    gt_text_destroy(&bytes);
    snprintf(external_model, sizeof external_model, "%s/external.onnx", folder);
    fail_every_allocation(attempt_external);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("onnx_file");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_round_trip);
    tcase_add_test(tests, test_building_errors);
    tcase_add_test(tests, test_type_names);
    tcase_add_loop_test(tests, test_integer_encodings, 0,
                        (int)(sizeof encodings / sizeof *encodings));
    tcase_add_test(tests, test_float_encodings);
    tcase_add_test(tests, test_tensor_file);
    tcase_add_test(tests, test_large_encodings);
    tcase_add_test(tests, test_large_malformed);
    tcase_add_test(tests, test_large_merged);
    tcase_add_test(tests, test_pieces);
    tcase_add_test(tests, test_attributes);
    tcase_add_test(tests, test_values);
    tcase_add_test(tests, test_external_data);
    tcase_add_test(tests, test_external_data_refused);
    tcase_add_test(tests, test_malformed_tensors);
    tcase_add_test(tests, test_malformed_graphs);
    tcase_add_test(tests, test_malformed_models);
    tcase_add_test(tests, test_deep_nesting);
    tcase_add_test(tests, test_truncations);
    tcase_add_test(tests, test_truncated_files);
    tcase_add_test(tests, test_bit_flips);
    tcase_add_test(tests, test_concatenated_models);
    tcase_add_test(tests, test_allocation_failures);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
