/* SPDX-License-Identifier: Apache-2.0 */
/* The ONNX importer on whole models: what is folded away, names and order, and shapes that the user gives. */
#include "tests/onnx_model.h"

#include <stdio.h>
#include <string.h>

#define N(array) ((int)(sizeof(array) / sizeof *(array)))

/* PyTorch's flatten: Shape, Gather, Unsqueeze, Concat, Reshape. Nothing of it is left. */
START_TEST(shape_arithmetic_disappears)
{
    static om_literal in[1];
    gt_graph *graph = NULL;
    gt_onnx_model *model = om_new_model(11);
    om_add_input(model, "x", "2x3x1x1");
    om_add_initializer(model, "zero", "i:s 0");
    om_add_initializer(model, "minus_one", "i:1 -1");
    om_add_node(model, "Relu", "act", "x", "a");
    om_add_node(model, "Shape", "", "a", "shape");
    om_add_node(model, "Gather", "", "shape zero", "batch");
    om_set_attrs(om_add_node(model, "Unsqueeze", "", "batch", "batch1"), "axes=0");
    om_set_attrs(om_add_node(model, "Concat", "", "batch1 minus_one", "new_shape"), "axis=0");
    om_add_node(model, "Reshape", "flat", "a new_shape", "y");
    om_add_output(model, "y");
    om_ok(om_import(&graph, model, &(gt_import_options){.keep_source_form = true}));
    ck_assert_int_eq(graph->n_ops, 2);
    ck_assert_str_eq(graph->ops[0].name, "act");
    ck_assert_str_eq(graph->ops[1].name, "flat");
    ck_assert_int_eq(graph->n_source_ops, 6);
    ck_assert_str_eq(graph->source, om_model_path);
    ck_assert_int_eq((int)strlen(graph->source_sha256), 64);
    om_read_literals(in, "2x3x1x1 1~6");
    om_check_graph("flatten", graph, in, 1, "2x3 1~6");
    gt_graph_destroy(graph);
    gt_onnx_model_destroy(model);
}
END_TEST

/* Unnamed and equally named nodes get unique names; one node that becomes several ops keeps its name on the
 * main one; a tensor with two names keeps both at the outputs. */
START_TEST(names_are_unique_and_stable)
{
    gt_graph *graph = NULL;
    gt_onnx_model *model = om_new_model(13);
    om_add_input(model, "x", "1x1x4");
    om_add_initializer(model, "w", "1x1x2 1,1");
    om_add_node(model, "Conv", "same", "x w", "a");
    om_add_node(model, "Relu", "same", "a", "b");
    om_add_node(model, "Relu", "", "b", "c");
    om_add_node(model, "Identity", "", "c", "d");
    om_add_output(model, "c");
    om_add_output(model, "d");
    om_add_output(model, "x");
    om_add_output(model, "w");
    om_ok(om_import(&graph, model, &(gt_import_options){.keep_source_form = true}));
    int conv = gt_graph_find_op(graph, "same");
    ck_assert_int_ge(conv, 0);
    ck_assert_int_eq(graph->ops[conv].kind, GT_OP_CONV2D);
    ck_assert_int_ge(gt_graph_find_op(graph, "same#2"), 0);
    ck_assert_int_ge(gt_graph_find_op(graph, "Relu_c"), 0);
    ck_assert_int_ge(gt_graph_find_tensor(graph, "a"), 0);
    ck_assert_int_eq(graph->n_outputs, 4);
    ck_assert_int_eq(graph->outputs[0], graph->outputs[1]);
    ck_assert_str_eq(graph->output_names[1], "d");
    ck_assert_str_eq(graph->output_names[2], "x");
    ck_assert_int_eq(graph->ops[graph->tensors[graph->outputs[2]].producer].kind, GT_OP_COPY);
    ck_assert_int_eq(graph->ops[graph->tensors[graph->outputs[3]].producer].kind, GT_OP_COPY);
    gt_graph_destroy(graph);
    gt_onnx_model_destroy(model);
}
END_TEST

START_TEST(nodes_may_stand_in_any_order)
{
    static om_literal in[1];
    gt_graph *graph = NULL;
    gt_onnx_model *model = om_new_model(13);
    om_add_input(model, "x", "2");
    om_add_node(model, "Neg", "last", "b", "y");
    om_add_node(model, "Abs", "middle", "a", "b");
    om_add_node(model, "Neg", "first", "x", "a");
    om_add_output(model, "y");
    om_ok(om_import(&graph, model, NULL));
    om_read_literals(in, "2 1,-2");
    om_check_graph("order", graph, in, 1, "2 -1,-2");
    gt_graph_destroy(graph);
    gt_onnx_model_destroy(model);
}
END_TEST

/* IR version 3 lists initializers among the inputs; they are no inputs to be fed. */
START_TEST(initializers_among_the_inputs)
{
    gt_graph *graph = NULL;
    gt_onnx_model *model = om_new_model(7);
    om_add_input(model, "x", "2");
    om_add_input(model, "w", "2");
    om_add_initializer(model, "w", "2 1,2");
    om_add_node(model, "Mul", "m", "x w", "y");
    om_add_output(model, "y");
    om_ok(om_import(&graph, model, NULL));
    ck_assert_int_eq(graph->n_inputs, 1);
    ck_assert_str_eq(graph->tensors[graph->inputs[0]].name, "x");
    gt_graph_destroy(graph);
    gt_onnx_model_destroy(model);
}
END_TEST

/* Every element type that stands for float32 or int64. */
START_TEST(element_types)
{
    static const uint16_t half[] = {0x3c00, 0xc000, 0x0001, 0x7bff}; /* 1, -2, 2^-24, 65504 */
    static const uint16_t bfloat[] = {0x3f80, 0xc000, 0x0000, 0x4270}; /* 1, -2, 0, 60 */
    static const double wide[] = {1, -2, 0.5, 1e10};
    static const int8_t small[] = {1, -2, 127, -128};
    static const uint64_t large[] = {1, 2, 3, UINT64_MAX};
    static const struct {
        gt_onnx_type type;
        const void *data;
        const char *want;
    } rows[] = {
        {GT_ONNX_FLOAT16, half, "4 1,-2,5.9604645e-8,65504"},
        {GT_ONNX_BFLOAT16, bfloat, "4 1,-2,0,60"},
        {GT_ONNX_DOUBLE, wide, "4 1,-2,0.5,1e10"},
        {GT_ONNX_INT8, small, "i:4 1,-2,127,-128"},
        {GT_ONNX_UINT64, large, "i:4 1,2,3,9223372036854775807"},
    };
    int64_t dims[] = {4};
    for (int i = 0; i < N(rows); i++) {
        gt_graph *graph = NULL;
        gt_onnx_model *model = om_new_model(13);
        om_ok(gt_onnx_add_initializer(model, "w", rows[i].type, 1, dims, rows[i].data));
        om_add_output(model, "w");
        om_ok(om_import(&graph, model, NULL));
        om_check_graph("types", graph, NULL, 0, rows[i].want);
        gt_graph_destroy(graph);
        gt_onnx_model_destroy(model);
    }
}
END_TEST

/* ---- shapes given by the user ---- */

static void open_dim(gt_onnx_model *model, int input, int axis, const char *symbol)
{
    model->inputs[input].dims[axis] = -1;
    if (symbol != NULL) {
        om_ok(gt_strdup(&model->inputs[input].dim_names[axis], symbol));
    }
}

static gt_onnx_model *two_input_model(void)
{
    gt_onnx_model *model = om_new_model(13);
    om_add_input(model, "x", "1x3x8x8");
    om_add_input(model, "z", "1x3x8x8");
    om_add_node(model, "Add", "add", "x z", "y");
    om_add_output(model, "y");
    return model;
}

START_TEST(open_batch_is_one)
{
    gt_graph *graph = NULL;
    gt_onnx_model *model = two_input_model();
    open_dim(model, 0, 0, "N");
    open_dim(model, 1, 0, NULL);
    om_ok(om_import(&graph, model, NULL));
    ck_assert_int_eq(graph->tensors[graph->inputs[0]].shape.dim[0], 1);
    gt_graph_destroy(graph);
    gt_onnx_model_destroy(model);
}
END_TEST

/* A symbol that one input binds holds for the other. */
START_TEST(given_shape_binds_symbols)
{
    gt_graph *graph = NULL;
    gt_import_shape shape = {0};
    gt_onnx_model *model = two_input_model();
    for (int i = 0; i < 2; i++) {
        open_dim(model, i, 0, "N");
        open_dim(model, i, 2, "height");
    }
    om_ok(gt_import_parse_shape(&shape, "z=2,3,5,8"));
    om_ok(om_import(&graph, model, &(gt_import_options){.n_shapes = 1, .shapes = &shape}));
    ck_assert_int_eq(graph->tensors[graph->inputs[0]].shape.dim[0], 2);
    ck_assert_int_eq(graph->tensors[graph->inputs[0]].shape.dim[2], 5);
    gt_free(shape.name);
    gt_graph_destroy(graph);
    gt_onnx_model_destroy(model);
}
END_TEST

START_TEST(open_dimension_says_which_flag)
{
    gt_onnx_model *model = two_input_model();
    open_dim(model, 0, 0, "N");
    open_dim(model, 0, 2, NULL);
    open_dim(model, 0, 3, "width");
    model->inputs[1].has_shape = false;
    model->inputs[1].rank = 0;
    OM_FAILS(model, NULL, GT_ERROR_SHAPE, "--shape x=1,3,H,W", "x has shape ?x3x?x?", "--shape z=1,C,H,W",
             "z has no shape");
    model = om_new_model(13);
    om_add_input(model, "seq", "1x7x8");
    open_dim(model, 0, 1, "time");
    om_add_node(model, "Relu", "r", "seq", "y");
    om_add_output(model, "y");
    OM_FAILS(model, NULL, GT_ERROR_SHAPE, "--shape seq=1,D1,8", "seq has shape 1x?x8");
}
END_TEST

START_TEST(given_shape_must_fit)
{
    char q[] = "q";
    char x[] = "x";
    char none[] = "";
    gt_import_shape shape = {q, gt_shape_4d(1, 3, 8, 8)};
    gt_import_options options = {.n_shapes = 1, .shapes = &shape};
    OM_FAILS(two_input_model(), &options, GT_ERROR_NOT_FOUND, "'q'", "'x' has shape 1x3x8x8",
             "'z' has shape 1x3x8x8");
    shape = (gt_import_shape){none, gt_shape_4d(1, 3, 8, 8)};
    OM_FAILS(two_input_model(), &options, GT_ERROR_NOT_FOUND, "2 inputs", "'x'", "'z'");
    shape = (gt_import_shape){x, gt_shape_4d(1, 4, 8, 8)};
    OM_FAILS(two_input_model(), &options, GT_ERROR_SHAPE, "1x4x8x8", "'x' has shape 1x3x8x8");
    shape = (gt_import_shape){x, {.rank = 2, .dim = {1, 3}}};
    OM_FAILS(two_input_model(), &options, GT_ERROR_SHAPE, "1x3", "contradicts");
}
END_TEST

START_TEST(shape_flags_parse)
{
    static const char *const bad[] = {"", "=1,2", "x=1,", "x=1,,2", "x=0", "x=-1", "x=a", "x=1x2",
                                      "x=1,2,3,4,5,6,7,8,9", "x=4294967296", "x=1.5", "x=,"};
    gt_import_shape shape = {0};
    om_ok(gt_import_parse_shape(&shape, "a=b=1,3,224,224"));
    ck_assert_str_eq(shape.name, "a=b");
    ck_assert(gt_shape_equal(&shape.shape, &(gt_shape){.rank = 4, .dim = {1, 3, 224, 224}}));
    gt_free(shape.name);
    om_ok(gt_import_parse_shape(&shape, "7"));
    ck_assert_str_eq(shape.name, "");
    ck_assert_int_eq(shape.shape.dim[0], 7);
    gt_free(shape.name);
    for (int i = 0; i < N(bad); i++) {
        ck_assert_msg(gt_import_parse_shape(&shape, bad[i]) == GT_ERROR_ARGUMENT, "\"%s\" was accepted",
                      bad[i]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import");
    TCase *models = tcase_create("models");
    tcase_add_test(models, shape_arithmetic_disappears);
    tcase_add_test(models, names_are_unique_and_stable);
    tcase_add_test(models, nodes_may_stand_in_any_order);
    tcase_add_test(models, initializers_among_the_inputs);
    tcase_add_test(models, element_types);
    suite_add_tcase(suite, models);
    TCase *shapes = tcase_create("shapes");
    tcase_add_test(shapes, open_batch_is_one);
    tcase_add_test(shapes, given_shape_binds_symbols);
    tcase_add_test(shapes, open_dimension_says_which_flag);
    tcase_add_test(shapes, given_shape_must_fit);
    tcase_add_test(shapes, shape_flags_parse);
    suite_add_tcase(suite, shapes);
    return om_run(suite);
}
