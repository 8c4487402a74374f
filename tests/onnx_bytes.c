/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/onnx_bytes.h"
#include "tests/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char ob_folder[64];
char ob_model_path[96];

void ob_ok(gt_status status)
{
    ck_assert_msg(status == GT_OK, "%s", gt_error_message());
}

void ob_fails(gt_status status, gt_status expected, const char *part)
{
    ck_assert_msg(status == expected, "%s instead of %s: %s", gt_status_name(status),
                  gt_status_name(expected), gt_error_message());
    ck_assert_msg(strstr(gt_error_message(), part) != NULL, "no \"%s\" in \"%s\"", part,
                  gt_error_message());
    ck_assert_ptr_null(strchr(gt_error_message(), '\n'));
}

/* ---- a protobuf encoder ---- */

void ob_put_varint(gt_text *out, uint64_t value)
{
    do {
        char byte = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        ob_ok(gt_text_append_bytes(out, &byte, 1));
        value >>= 7;
    } while (value > 0);
}

void ob_put_int(gt_text *out, int field, int64_t value)
{
    ob_put_varint(out, (uint64_t)field << 3);
    ob_put_varint(out, (uint64_t)value);
}

void ob_put_bytes(gt_text *out, int field, const void *bytes, size_t count)
{
    ob_put_varint(out, (uint64_t)field << 3 | 2);
    ob_put_varint(out, count);
    ob_ok(gt_text_append_bytes(out, count > 0 ? bytes : "", count));
}

void ob_put_string(gt_text *out, int field, const char *text)
{
    ob_put_bytes(out, field, text, strlen(text));
}

void ob_put_message(gt_text *out, int field, gt_text *message)
{
    ob_put_bytes(out, field, message->data, message->length);
    gt_text_destroy(message);
}

gt_text ob_tensor_head(int64_t type, size_t rank, const int64_t *dims)
{
    gt_text tensor = {0};
    for (size_t k = 0; k < rank; k++) {
        ob_put_int(&tensor, OB_DIM, dims[k]);
    }
    ob_put_int(&tensor, OB_TYPE, type);
    ob_put_string(&tensor, OB_NAME, "w");
    return tensor;
}

gt_status ob_parse_graph(gt_onnx_model **model, gt_text *graph)
{
    gt_text bytes = {0};
    gt_text opset = {0};
    ob_put_int(&bytes, 1, 7);
    ob_put_int(&opset, 2, 13);
    ob_put_message(&bytes, 8, &opset);
    ob_put_message(&bytes, 7, graph);
    gt_status status = gt_onnx_parse(model, bytes.data, bytes.length, ob_model_path);
    gt_text_destroy(&bytes);
    return status;
}

gt_status ob_parse_tensor(gt_onnx_model **model, gt_text *tensor)
{
    gt_text graph = {0};
    ob_put_message(&graph, 5, tensor);
    return ob_parse_graph(model, &graph);
}

void ob_tensor_fails(gt_text *tensor, gt_status expected, const char *part)
{
    gt_onnx_model *model = NULL;
    ob_fails(ob_parse_tensor(&model, tensor), expected, part);
    ck_assert_ptr_null(model);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), ob_model_path));
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

gt_status ob_build_small(gt_onnx_model **model)
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

/* ---- running ---- */

void ob_fail_every_allocation(ob_attempt *run)
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

static void set_up(void)
{
    snprintf(ob_folder, sizeof ob_folder, "/tmp/gt-onnx-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(ob_folder));
    snprintf(ob_model_path, sizeof ob_model_path, "%s/model.onnx", ob_folder);
}

static void tear_down(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", ob_folder);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}

TCase *ob_tcase(void)
{
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    return tests;
}

int ob_run(const char *name, TCase *tests)
{
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
