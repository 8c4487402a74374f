/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors in files beside the model: found, refused, and with allocations that fail. */
#include "tests/onnx_bytes.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void put_entry(gt_text *tensor, const char *key, const char *value)
{
    gt_text entry = {0};
    ob_put_string(&entry, 1, key);
    ob_put_string(&entry, 2, value);
    ob_put_message(tensor, 13, &entry);
}

static gt_text external_tensor(const char *location, const char *offset, const char *length)
{
    gt_text tensor = ob_tensor_head(GT_ONNX_FLOAT, 1, (const int64_t[]){2});
    put_entry(&tensor, "location", location);
    if (offset != NULL) {
        put_entry(&tensor, "offset", offset);
    }
    if (length != NULL) {
        put_entry(&tensor, "length", length);
    }
    ob_put_int(&tensor, OB_LOCATION, 1);
    return tensor;
}

static void write_beside(const char *name, const void *data, size_t bytes)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", ob_folder, name);
    ob_ok(gt_file_replace(path, data, bytes));
}

START_TEST(test_external_data)
{
    const float values[4] = {1, 2, 3, 4};
    char sub[96];
    snprintf(sub, sizeof sub, "%s/sub", ob_folder);
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
        ob_ok(ob_parse_tensor(&model, &tensor));
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
    snprintf(link_path, sizeof link_path, "%s/link.bin", ob_folder);
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe.bin", ob_folder);
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
        ob_tensor_fails(&tensor, bad[i].status, bad[i].part);
    }
}
END_TEST

/* ---- allocation failures ---- */

static char external_model[96];

static gt_status attempt_external(void)
{
    gt_onnx_model *m = NULL;
    gt_status status = gt_onnx_read(&m, external_model);
    gt_onnx_model_destroy(m);
    return status;
}

START_TEST(test_external_allocation_failures)
{
    const float values[4] = {1, 2, 3, 4};
    gt_text bytes = {0};
    gt_text graph = {0};
    gt_text tensor = external_tensor("weights.bin", "0", "8");
    write_beside("weights.bin", values, sizeof values);
    ob_put_message(&graph, 5, &tensor);
    ob_put_message(&bytes, 7, &graph);
    write_beside("external.onnx", bytes.data, bytes.length);
    gt_text_destroy(&bytes);
    snprintf(external_model, sizeof external_model, "%s/external.onnx", ob_folder);
    ob_fail_every_allocation(attempt_external);
}
END_TEST

int main(void)
{
    TCase *tests = ob_tcase();
    tcase_add_test(tests, test_external_data);
    tcase_add_test(tests, test_external_data_refused);
    tcase_add_test(tests, test_external_allocation_failures);
    return ob_run("onnx_external", tests);
}
