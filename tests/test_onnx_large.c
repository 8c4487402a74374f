/* SPDX-License-Identifier: Apache-2.0 */
/* Elements that stay in the file until they are read, straight into their own memory: the same from a file as from
 * memory, in whatever pieces they come. */
#include "tests/onnx_bytes.h"

#include <stdio.h>
#include <string.h>

enum { LARGE = 3000 }; /* elements: several of the pieces in which a file is read */

/* A file with this graph, read as a file and from memory: both must agree. Destroys the graph. */
static gt_status read_graph(gt_onnx_model **model, gt_text *graph)
{
    char message[512];
    gt_onnx_model *parsed = NULL;
    gt_text bytes = {0};
    ob_put_message(&bytes, 7, graph);
    FILE *file = fopen(ob_model_path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes.data, 1, bytes.length, file), bytes.length);
    ck_assert_int_eq(fclose(file), 0);
    gt_status status = gt_onnx_parse(&parsed, bytes.data, bytes.length, ob_model_path);
    snprintf(message, sizeof message, "%s", gt_error_message());
    ck_assert_int_eq(gt_onnx_read(model, ob_model_path), status);
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
    ob_put_message(&graph, 5, tensor);
    ob_ok(read_graph(&model, &graph));
    ck_assert_uint_eq(model->initializers[0].bytes, bytes);
    ck_assert_mem_eq(model->initializers[0].data, values, bytes);
    gt_onnx_model_destroy(model);
}

static void assert_large_fails(gt_text *tensor, const char *part)
{
    gt_onnx_model *model = NULL;
    gt_text graph = {0};
    ob_put_message(&graph, 5, tensor);
    ob_fails(read_graph(&model, &graph), GT_ERROR_FORMAT, part);
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
    gt_text t = ob_tensor_head(GT_ONNX_FLOAT, 1, dims);
    ob_put_bytes(&t, OB_RAW, some_floats, sizeof some_floats);
    assert_large(&t, some_floats, sizeof some_floats);
    t = ob_tensor_head(GT_ONNX_FLOAT, 1, dims);
    ob_put_bytes(&t, OB_FLOATS, some_floats, sizeof some_floats);
    assert_large(&t, some_floats, sizeof some_floats);
    t = ob_tensor_head(GT_ONNX_FLOAT, 1, dims);
    ob_put_bytes(&t, OB_FLOATS, some_floats, half);
    ob_put_bytes(&t, OB_FLOATS, some_floats + LARGE / 2, half);
    assert_large(&t, some_floats, sizeof some_floats);
    t = ob_tensor_head(GT_ONNX_FLOAT, 1, dims);
    for (int i = 0; i < LARGE; i++) {
        ob_put_varint(&t, OB_FLOATS << 3 | 5);
        ob_ok(gt_text_append_bytes(&t, (const char *)&some_floats[i], 4));
    }
    assert_large(&t, some_floats, sizeof some_floats);
    t = ob_tensor_head(GT_ONNX_DOUBLE, 1, dims);
    ob_put_bytes(&t, OB_DOUBLES, some_doubles, sizeof some_doubles);
    assert_large(&t, some_doubles, sizeof some_doubles);
    /* raw_data goes before the other fields, the last before earlier ones, and what is behind it is read too. */
    t = (gt_text){0};
    ob_put_bytes(&t, OB_RAW, some_doubles, half);
    ob_put_bytes(&t, OB_FLOATS, some_doubles, sizeof some_floats);
    ob_put_bytes(&t, OB_RAW, some_floats, sizeof some_floats);
    ob_put_int(&t, OB_DIM, LARGE);
    ob_put_int(&t, OB_TYPE, GT_ONNX_FLOAT);
    ob_put_string(&t, OB_NAME, "w");
    assert_large(&t, some_floats, sizeof some_floats);
}
END_TEST

START_TEST(test_large_malformed)
{
    const int64_t dims[1] = {LARGE};
    const int64_t more[1] = {LARGE + 1};
    fill_large();
    gt_text t = ob_tensor_head(GT_ONNX_FLOAT, 1, more);
    ob_put_bytes(&t, OB_RAW, some_floats, sizeof some_floats);
    assert_large_fails(&t, "12004 bytes, but raw_data holds 12000");
    t = ob_tensor_head(GT_ONNX_FLOAT, 1, more);
    ob_put_bytes(&t, OB_FLOATS, some_floats, sizeof some_floats);
    assert_large_fails(&t, "float_data holds 3000");
    t = ob_tensor_head(GT_ONNX_DOUBLE, 1, more);
    ob_put_bytes(&t, OB_DOUBLES, some_doubles, sizeof some_doubles);
    assert_large_fails(&t, "double_data holds 3000");
    t = ob_tensor_head(GT_ONNX_FLOAT, 1, dims);
    ob_put_bytes(&t, OB_FLOATS, some_floats, sizeof some_floats - 1);
    assert_large_fails(&t, "not a valid protobuf message");
    t = ob_tensor_head(GT_ONNX_INT64, 1, dims);
    ob_put_bytes(&t, OB_FLOATS, some_floats, sizeof some_floats);
    assert_large_fails(&t, "int64_data holds 0");
    t = ob_tensor_head(GT_ONNX_FLOAT, 1, dims);
    ob_put_bytes(&t, OB_DOUBLES, some_doubles, sizeof some_doubles);
    assert_large_fails(&t, "float_data holds 0");
    t = ob_tensor_head(GT_ONNX_FLOAT, 1, dims);
    ob_put_varint(&t, OB_RAW << 3 | 5);
    ob_ok(gt_text_append_bytes(&t, "abcd", 4));
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
    gt_text first = ob_tensor_head(GT_ONNX_FLOAT, 1, (const int64_t[]){LARGE});
    gt_text second = {0};
    ob_put_bytes(&first, OB_FLOATS, some_floats, sizeof some_floats);
    ob_put_int(&second, OB_TYPE, GT_ONNX_INT32);
    ob_put_string(&attr, 1, "value");
    ob_put_message(&attr, 5, &first);
    ob_put_message(&attr, 5, &second);
    ob_put_int(&attr, 20, GT_ONNX_ATTR_TENSOR);
    ob_put_string(&node, 4, "Constant");
    ob_put_message(&node, 5, &attr);
    ob_put_message(&graph, 1, &node);
    ob_fails(read_graph(&model, &graph), GT_ERROR_FORMAT, "float_data holds 3000");
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
        ob_put_int(&tensor, OB_DIM, count);
        ob_put_int(&tensor, OB_TYPE, GT_ONNX_FLOAT);
        ob_put_bytes(&tensor, OB_RAW, some_floats + i, (size_t)count * 4);
        snprintf(name, sizeof name, "w%d", i);
        ob_put_string(&tensor, OB_NAME, name);
        ob_put_message(&graph, 5, &tensor);
    }
    ob_ok(read_graph(&model, &graph));
    ck_assert_uint_eq(model->n_initializers, 120);
    for (int i = 0; i < 120; i++) {
        ck_assert_mem_eq(model->initializers[i].data, some_floats + i, model->initializers[i].bytes);
    }
    gt_onnx_model_destroy(model);
}
END_TEST

int main(void)
{
    TCase *tests = ob_tcase();
    tcase_add_test(tests, test_large_encodings);
    tcase_add_test(tests, test_large_malformed);
    tcase_add_test(tests, test_large_merged);
    tcase_add_test(tests, test_pieces);
    return ob_run("onnx_large", tests);
}
