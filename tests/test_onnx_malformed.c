/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged and hostile files end in a message that says what is wrong, never in a crash. */
#include "tests/onnx_bytes.h"

#include "src/base/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(test_malformed_tensors)
{
    const int64_t one[1] = {1};
    const int64_t two[1] = {2};
    const int64_t negative[2] = {4, -1};
    const int64_t huge[3] = {INT64_MAX, INT64_MAX, 2};
    const int64_t large[2] = {INT64_MAX / 2, 1};
    const int64_t nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const float value = 1;
    gt_text t = ob_tensor_head(GT_ONNX_FLOAT, 2, negative);
    ob_tensor_fails(&t, GT_ERROR_FORMAT, "dimension 1 is -1");
    t = ob_tensor_head(GT_ONNX_FLOAT, 3, huge);
    ob_tensor_fails(&t, GT_ERROR_FORMAT, "number of elements");
    t = ob_tensor_head(GT_ONNX_FLOAT, 2, large);
    ob_tensor_fails(&t, GT_ERROR_FORMAT, "number of bytes");
    t = ob_tensor_head(GT_ONNX_FLOAT, 9, nine);
    ob_tensor_fails(&t, GT_ERROR_FORMAT, "rank 9");
    t = ob_tensor_head(GT_ONNX_FLOAT, 1, one);
    ob_tensor_fails(&t, GT_ERROR_FORMAT, "float_data holds 0");
    t = ob_tensor_head(GT_ONNX_FLOAT, 1, two);
    ob_put_bytes(&t, OB_RAW, &value, sizeof value);
    ob_tensor_fails(&t, GT_ERROR_FORMAT, "8 bytes, but raw_data holds 4");
    t = ob_tensor_head(GT_ONNX_FLOAT, 1, two);
    ob_put_bytes(&t, OB_FLOATS, &value, sizeof value);
    ob_tensor_fails(&t, GT_ERROR_FORMAT, "float_data holds 1");
    t = ob_tensor_head(GT_ONNX_INT8, 1, one);
    ob_put_int(&t, OB_INT32S, 256);
    ob_tensor_fails(&t, GT_ERROR_FORMAT, "too large for int8");
    t = ob_tensor_head(GT_ONNX_UINT32, 1, one);
    ob_put_int(&t, OB_UINT64S, (int64_t)1 << 32);
    ob_tensor_fails(&t, GT_ERROR_FORMAT, "too large for uint32");
    t = ob_tensor_head(GT_ONNX_STRING, 1, one);
    ob_tensor_fails(&t, GT_ERROR_UNSUPPORTED, "string");
    t = ob_tensor_head(-3, 1, one);
    ob_tensor_fails(&t, GT_ERROR_UNSUPPORTED, "type -3");
    t = ob_tensor_head(GT_ONNX_FLOAT, 1, one);
    ob_put_bytes(&t, OB_SEGMENT, "", 0);
    ob_tensor_fails(&t, GT_ERROR_UNSUPPORTED, "segments");
}
END_TEST

static void assert_graph_fails(gt_text *graph, gt_status expected, const char *part)
{
    gt_onnx_model *model = NULL;
    ob_fails(ob_parse_graph(&model, graph), expected, part);
}

START_TEST(test_malformed_graphs)
{
    gt_text graph = {0};
    for (int k = 0; k < 2; k++) {
        gt_text empty = ob_tensor_head(GT_ONNX_FLOAT, 1, (const int64_t[]){0});
        ob_put_message(&graph, 5, &empty);
    }
    assert_graph_fails(&graph, GT_ERROR_FORMAT, "'w' appears twice");
    gt_text tensor = {0};
    ob_put_int(&tensor, OB_DIM, 0);
    ob_put_int(&tensor, OB_TYPE, GT_ONNX_FLOAT);
    ob_put_message(&graph, 5, &tensor);
    assert_graph_fails(&graph, GT_ERROR_FORMAT, "has no name");
    ob_put_string(&graph, 15, "");
    assert_graph_fails(&graph, GT_ERROR_UNSUPPORTED, "sparse");
    ob_put_string(&graph, 14, "");
    assert_graph_fails(&graph, GT_ERROR_UNSUPPORTED, "quantization");
    gt_text node = {0};
    ob_put_string(&node, 3, "bad\nname");
    ob_put_message(&graph, 1, &node);
    assert_graph_fails(&graph, GT_ERROR_FORMAT, "'bad?name'");
    gt_text attr = {0};
    ob_put_string(&attr, 1, "value");
    ob_put_int(&attr, 20, GT_ONNX_ATTR_TENSOR);
    ob_put_string(&node, 4, "Constant");
    ob_put_message(&node, 5, &attr);
    ob_put_message(&graph, 1, &node);
    assert_graph_fails(&graph, GT_ERROR_FORMAT, "(Constant): attribute 'value'");
}
END_TEST

static gt_status parse_text(const gt_text *bytes)
{
    gt_onnx_model *model = NULL;
    gt_status status = gt_onnx_parse(&model, bytes->data, bytes->length, ob_model_path);
    gt_onnx_model_destroy(model);
    return status;
}

START_TEST(test_malformed_models)
{
    gt_onnx_model *model = NULL;
    gt_text bytes = {0};
    ob_fails(gt_onnx_parse(&model, NULL, 0, "none"), GT_ERROR_FORMAT,
                 "none: not an ONNX model");
    ob_fails(gt_onnx_parse(&model, "{\"json\": 1}", 11, "j.onnx"), GT_ERROR_FORMAT,
                 "j.onnx: not an ONNX");
    ob_fails(gt_onnx_read(&model, "/nowhere.onnx"), GT_ERROR_IO, "/nowhere.onnx");
    ob_fails(gt_onnx_read(&model, ob_folder), GT_ERROR_IO, "not a regular file");
    ob_put_int(&bytes, 1, 7);
    ob_put_string(&bytes, 7, "");
    ob_fails(parse_text(&bytes), GT_ERROR_FORMAT, "opset_import");
    gt_text opset = {0};
    ob_put_string(&opset, 1, "ai.onnx");
    ob_put_int(&opset, 2, 99);
    ob_put_message(&bytes, 8, &opset);
    ob_fails(parse_text(&bytes), GT_ERROR_UNSUPPORTED, "opset 99");
    gt_text_destroy(&bytes);
    ob_put_string(&bytes, 7, "");
    ob_ok(parse_text(&bytes)); /* IR version 1 names no opset */
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
        ob_put_message(&attr, 6, &inner);
        ob_put_int(&attr, 20, 5);
        ob_put_string(&node, 4, "If");
        ob_put_message(&node, 5, &attr);
        ob_put_message(&inner, 1, &node);
    }
    gt_onnx_model *model = NULL;
    ob_ok(ob_parse_graph(&model, &inner));
    ck_assert_uint_eq(model->n_nodes, 1);
    gt_onnx_model_destroy(model);
}
END_TEST

/* The encoded small model, in *bytes. */
static char *small_model(size_t *bytes)
{
    char *data = NULL;
    gt_onnx_model *m = NULL;
    ob_ok(ob_build_small(&m));
    ob_ok(gt_onnx_write(m, ob_model_path));
    gt_onnx_model_destroy(m);
    ob_ok(gt_file_read(&data, bytes, ob_model_path));
    return data;
}

/* Either a model or an error with a message, and nothing left over. */
static void assert_survives(const char *data, size_t bytes)
{
    gt_onnx_model *model = NULL;
    int64_t live = gt_i_live_allocations();
    gt_status status = gt_onnx_parse(&model, data, bytes, ob_model_path);
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
        FILE *file = fopen(ob_model_path, "wb");
        ck_assert_ptr_nonnull(file);
        ck_assert_uint_eq(fwrite(data, 1, cut, file), cut);
        ck_assert_int_eq(fclose(file), 0);
        gt_status status = gt_onnx_parse(&from_memory, data, cut, ob_model_path);
        ck_assert_int_eq(gt_onnx_read(&from_file, ob_model_path), status);
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

int main(void)
{
    TCase *tests = ob_tcase();
    tcase_add_test(tests, test_malformed_tensors);
    tcase_add_test(tests, test_malformed_graphs);
    tcase_add_test(tests, test_malformed_models);
    tcase_add_test(tests, test_deep_nesting);
    tcase_add_test(tests, test_truncations);
    tcase_add_test(tests, test_bit_flips);
    tcase_add_test(tests, test_truncated_files);
    tcase_add_test(tests, test_concatenated_models);
    return ob_run("onnx_malformed", tests);
}
