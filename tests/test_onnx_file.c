/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX files: what is written is read back; building models; allocations that fail. */
#include "tests/onnx_bytes.h"

#include <string.h>

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
    ob_ok(ob_build_small(&m));
    assert_built(m);
    ob_ok(gt_onnx_write(m, ob_model_path));
    ob_ok(gt_onnx_read(&copy, ob_model_path));
    assert_built(copy);
    ob_ok(gt_file_read(&first, &first_bytes, ob_model_path));
    ob_ok(gt_onnx_write(copy, ob_model_path));
    ob_ok(gt_file_read(&second, &second_bytes, ob_model_path));
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
    ob_fails(gt_onnx_model_create(&m, "g", 0), GT_ERROR_ARGUMENT, "opset 0");
    ob_ok(ob_build_small(&m));
    ob_fails(gt_onnx_add_input(m, "q", 9, dims), GT_ERROR_ARGUMENT, "'q': rank 9");
    ob_fails(gt_onnx_add_input(m, "q", 2, dims), GT_ERROR_ARGUMENT, "dimension 1 is -2");
    ob_fails(gt_onnx_add_initializer(m, "w", GT_ONNX_FLOAT, 1, dims, dims), GT_ERROR_ARGUMENT,
                 "'w' exists");
    ob_fails(gt_onnx_add_initializer(m, "s", GT_ONNX_STRING, 1, dims, dims), GT_ERROR_ARGUMENT,
                 "string");
    assert_built(m);
    ob_fails(gt_onnx_write(m, "/nowhere/at/all.onnx"), GT_ERROR_IO, "/nowhere/at/all.onnx");
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

/* ---- allocation failures ---- */

static gt_status attempt_build(void)
{
    gt_onnx_model *m = NULL;
    gt_status status = ob_build_small(&m);
    gt_onnx_model_destroy(m);
    return status;
}

static gt_status attempt_read(void)
{
    gt_onnx_model *m = NULL;
    gt_status status = gt_onnx_read(&m, ob_model_path);
    gt_onnx_model_destroy(m);
    return status;
}

static gt_onnx_model *to_write;

static gt_status attempt_write(void)
{
    return gt_onnx_write(to_write, ob_model_path);
}

START_TEST(test_allocation_failures)
{
    ob_ok(ob_build_small(&to_write));
    ob_ok(gt_onnx_write(to_write, ob_model_path));
    ob_fail_every_allocation(attempt_build);
    ob_fail_every_allocation(attempt_read);
    ob_fail_every_allocation(attempt_write);
    gt_onnx_model_destroy(to_write);
}
END_TEST

int main(void)
{
    TCase *tests = ob_tcase();
    tcase_add_test(tests, test_round_trip);
    tcase_add_test(tests, test_building_errors);
    tcase_add_test(tests, test_type_names);
    tcase_add_test(tests, test_allocation_failures);
    return ob_run("onnx_file", tests);
}
