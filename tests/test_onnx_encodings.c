/* SPDX-License-Identifier: Apache-2.0 */
/* Every encoding of tensor data, of attributes and of values. */
#include "tests/onnx_bytes.h"

#include <string.h>

/* ---- tensor data ---- */

/* Three elements 1, 0, `last`, in the typed field (packed) and as raw_data. */
typedef struct encoding {
    gt_onnx_type type;
    int field;
    int64_t last;  /* as the field holds it */
    uint64_t bits; /* of the decoded element */
} encoding;

static const encoding encodings[] = {
    {GT_ONNX_INT32, OB_INT32S, -5, 0xfffffffb},
    {GT_ONNX_INT16, OB_INT32S, -5, 0xfffb},
    {GT_ONNX_INT8, OB_INT32S, -128, 0x80},
    {GT_ONNX_UINT16, OB_INT32S, 65535, 0xffff},
    {GT_ONNX_UINT8, OB_INT32S, 200, 200},
    {GT_ONNX_BOOL, OB_INT32S, 77, 1},
    {GT_ONNX_FLOAT16, OB_INT32S, 0x3c00, 0x3c00},
    {GT_ONNX_BFLOAT16, OB_INT32S, 0x3f80, 0x3f80},
    {GT_ONNX_INT64, OB_INT64S, -5000000000, (uint64_t)-5000000000},
    {GT_ONNX_UINT32, OB_UINT64S, 4000000000, 4000000000},
    {GT_ONNX_UINT64, OB_UINT64S, -1, UINT64_MAX},
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
    ob_ok(ob_parse_tensor(&model, tensor));
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
    ob_put_varint(&values, 1);
    ob_put_varint(&values, 0);
    ob_put_varint(&values, (uint64_t)e->last);
    gt_text packed = ob_tensor_head(e->type, 1, dims);
    ob_put_message(&packed, e->field, &values);
    assert_decoded(&packed, e);

    gt_text unpacked = ob_tensor_head(e->type, 1, dims);
    ob_put_int(&unpacked, e->field, 1);
    ob_put_int(&unpacked, e->field, 0);
    ob_put_int(&unpacked, e->field, e->last);
    assert_decoded(&unpacked, e);

    size_t width = gt_onnx_type_bytes(e->type);
    char bytes[24] = {0};
    bytes[0] = 1;
    memcpy(bytes + 2 * width, &e->last, width);
    gt_text raw = ob_tensor_head(e->type, 1, dims);
    ob_put_bytes(&raw, OB_RAW, bytes, 3 * width);
    assert_decoded(&raw, e);
}
END_TEST

START_TEST(test_float_encodings)
{
    const float floats[2] = {1.5f, -0.0f};
    const double doubles[2] = {1e300, -2};
    const int64_t dims[1] = {2};
    const int fields[2] = {OB_FLOATS, OB_RAW};
    const int double_fields[2] = {OB_DOUBLES, OB_RAW};
    for (int k = 0; k < 2; k++) {
        gt_onnx_model *model = NULL;
        gt_text tensor = ob_tensor_head(GT_ONNX_FLOAT, 1, dims);
        ob_put_bytes(&tensor, fields[k], floats, sizeof floats);
        ob_ok(ob_parse_tensor(&model, &tensor));
        ck_assert_mem_eq(model->initializers[0].data, floats, sizeof floats);
        gt_onnx_model_destroy(model);
        tensor = ob_tensor_head(GT_ONNX_DOUBLE, 1, dims);
        ob_put_bytes(&tensor, double_fields[k], doubles, sizeof doubles);
        ob_ok(ob_parse_tensor(&model, &tensor));
        ck_assert_mem_eq(model->initializers[0].data, doubles, sizeof doubles);
        gt_onnx_model_destroy(model);
    }
}
END_TEST

START_TEST(test_tensor_file)
{
    const float value = 3;
    gt_onnx_tensor *tensor = NULL;
    gt_text bytes = ob_tensor_head(GT_ONNX_FLOAT, 0, NULL);
    ob_put_bytes(&bytes, OB_RAW, &value, sizeof value);
    ob_ok(gt_file_replace(ob_model_path, bytes.data, bytes.length));
    ob_ok(gt_onnx_read_tensor(&tensor, ob_model_path));
    ck_assert_str_eq(tensor->name, "w");
    ck_assert_int_eq(tensor->rank, 0);
    ck_assert_float_eq(*(const float *)tensor->data, 3);
    gt_onnx_tensor_destroy(tensor);
    ob_ok(gt_file_replace(ob_model_path, bytes.data, bytes.length - 1));
    ob_fails(gt_onnx_read_tensor(&tensor, ob_model_path), GT_ERROR_FORMAT, ob_model_path);
    gt_text_destroy(&bytes);
}
END_TEST

/* ---- attributes and values ---- */

/* Names an attribute, unless it is of IR version 1 also its type, and appends it to the node. */
static void put_attr(gt_text *node, const char *name, int64_t type, gt_text *attr)
{
    ob_put_string(attr, 1, name);
    if (type != 0) {
        ob_put_int(attr, 20, type);
    }
    ob_put_message(node, 5, attr);
}

START_TEST(test_attributes)
{
    const float half = 0.5f;
    gt_onnx_model *model = NULL;
    gt_text graph = {0};
    gt_text node = {0};
    gt_text attr = {0};
    gt_text tensor = ob_tensor_head(GT_ONNX_FLOAT, 0, NULL);
    ob_put_bytes(&tensor, OB_RAW, &half, sizeof half);
    ob_put_string(&node, 4, "Op");
    ob_put_message(&attr, 5, &tensor);
    put_attr(&node, "value", GT_ONNX_ATTR_TENSOR, &attr);
    ob_put_string(&attr, 9, "one");
    ob_put_string(&attr, 9, "");
    put_attr(&node, "names", GT_ONNX_ATTR_STRINGS, &attr);
    ob_put_bytes(&attr, 7, &half, sizeof half);
    put_attr(&node, "scales", GT_ONNX_ATTR_FLOATS, &attr);
    ob_put_int(&attr, 8, 4);
    ob_put_int(&attr, 8, -4);
    put_attr(&node, "untyped", 0, &attr);
    ob_put_string(&attr, 6, "");
    put_attr(&node, "body", 5, &attr);
    ob_put_message(&graph, 1, &node);
    ob_ok(ob_parse_graph(&model, &graph));
    const gt_onnx_node *n = &model->nodes[0];
    ck_assert_float_eq(*(const float *)gt_onnx_find_attr(n, "value")->t->data, half);
    ck_assert_uint_eq(gt_onnx_find_attr(n, "names")->count, 2);
    ck_assert_str_eq(gt_onnx_find_attr(n, "names")->strings[0], "one");
    ck_assert_float_eq(gt_onnx_find_attr(n, "scales")->floats[0], half);
    ck_assert_int_eq(gt_onnx_find_attr(n, "untyped")->type, GT_ONNX_ATTR_INTS);
    ck_assert_int_eq(gt_onnx_find_attr(n, "untyped")->ints[1], -4);
    ck_assert_int_eq(gt_onnx_find_attr(n, "body")->type, GT_ONNX_ATTR_OTHER);
    ob_fails(gt_onnx_write(model, ob_model_path), GT_ERROR_UNSUPPORTED, "'body'");
    gt_onnx_model_destroy(model);
}
END_TEST

/* A float32 value "x" whose shape is the encoded one. */
static void put_value(gt_text *graph, int field, gt_text *shape)
{
    gt_text tensor_type = {0};
    gt_text type = {0};
    gt_text value = {0};
    ob_put_int(&tensor_type, 1, GT_ONNX_FLOAT);
    ob_put_message(&tensor_type, 2, shape);
    ob_put_message(&type, 1, &tensor_type);
    ob_put_string(&value, 1, "x");
    ob_put_message(&value, 2, &type);
    ob_put_message(graph, field, &value);
}

START_TEST(test_values)
{
    gt_onnx_model *model = NULL;
    gt_onnx_model *copy = NULL;
    gt_text graph = {0};
    gt_text shape = {0};
    gt_text value = {0};
    gt_text dim = {0};
    ob_put_string(&dim, 2, "batch");
    ob_put_message(&shape, 1, &dim);
    ob_put_int(&dim, 1, 3);
    ob_put_message(&shape, 1, &dim);
    ob_put_bytes(&shape, 1, "", 0);
    put_value(&graph, 11, &shape);
    ob_put_string(&value, 1, "sequence");
    ob_put_message(&graph, 12, &value);
    ob_ok(ob_parse_graph(&model, &graph));
    ob_ok(gt_onnx_write(model, ob_model_path));
    ob_ok(gt_onnx_read(&copy, ob_model_path));
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
    ob_put_int(&dim, 1, -2);
    ob_put_message(&shape, 1, &dim);
    put_value(&graph, 11, &shape);
    ob_fails(ob_parse_graph(&model, &graph), GT_ERROR_FORMAT, "value 'x': dimension 0 is -2");
}
END_TEST

int main(void)
{
    TCase *tests = ob_tcase();
    tcase_add_loop_test(tests, test_integer_encodings, 0, (int)(sizeof encodings / sizeof *encodings));
    tcase_add_test(tests, test_float_encodings);
    tcase_add_test(tests, test_tensor_file);
    tcase_add_test(tests, test_attributes);
    tcase_add_test(tests, test_values);
    return ob_run("onnx_encodings", tests);
}
