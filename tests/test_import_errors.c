/* SPDX-License-Identifier: Apache-2.0 */
/* What the ONNX importer tells unsupported, malformed and hostile models. */
#include "tests/onnx_model.h"

#include "src/base/file.h"
#include "src/base/rng.h"

#include <stdio.h>
#include <string.h>

#define N(array) ((int)(sizeof(array) / sizeof *(array)))

/* ---- what is not supported ---- */

/* All such nodes in one message, those behind unsupported ones included. */
START_TEST(all_unsupported_nodes_are_listed)
{
    gt_onnx_model *model = om_new_model(13);
    om_add_input(model, "x", "1x3x8x8");
    om_add_input(model, "w", "3x3x1x1");
    om_add_input(model, "i", "1");
    model->inputs[2].type = GT_ONNX_INT64;
    om_add_node(model, "Conv", "c1", "x w", "a");
    om_add_node(model, "Relu", "fine", "a", "b");
    om_set_attrs(om_add_node(model, "Resize", "", "b _ x", "c"), "mode=cubic");
    om_add_node(model, "NonMaxSuppression", "nms", "c", "d");
    om_set_attrs(om_add_node(model, "MaxPool", "pool", "x", "e idx"), "kernel_shape=2,2 shiny=1");
    om_set_attrs(om_add_node(model, "MaxPool", "pool2", "x", "e2 idx2"), "kernel_shape=2,2");
    om_add_node(model, "Gather", "g", "x i", "f");
    om_add_node(model, "Mish", "young", "x", "h");
    gt_free(om_add_node(model, "Gelu", "ms", "x", "k")->domain);
    om_ok(gt_strdup(&model->nodes[model->n_nodes - 1].domain, "com.microsoft"));
    om_add_node(model, "Add", "int", "i i", "j");
    om_add_output(model, "d");
    om_add_output(model, "idx2");
    OM_FAILS(model, NULL, GT_ERROR_UNSUPPORTED, "9 of 10 nodes",
             "\n  c1: Conv: input 1 (weight), 'w', is computed at run time",
             "\n  #2 (c): Resize: mode is 'cubic'", "\n  nms: NonMaxSuppression: ",
             "\n  pool: MaxPool: attribute 'shiny'", "\n  pool2: MaxPool: its output 1, 'idx2'",
             "\n  g: Gather: input 1 (indices), 'i', is computed", "\n  young: Mish: the model has opset 13",
             "\n  ms: Gelu: operators of domain 'com.microsoft'", "\n  int: Add: 'i' is i64");
}
END_TEST

/* One node with constant or computed operands, and the words of the reason. */
static const struct {
    const char *op;
    int opset;
    const char *attrs, *inputs;
    gt_status status;
    const char *reason;
} failing[] = {
    /* not handled */
    {"Conv", 11, "", "1x1x2x2x2 *1; !1x1x1x1x1 1", GT_ERROR_UNSUPPORTED, "one or two spatial axes"},
    {"Conv", 11, "", "1x1x2x2 *1; !1x1x1x1 1; 1 1", GT_ERROR_UNSUPPORTED,
     "input 2 (bias), 'x2', is computed"},
    {"Conv", 11, "pads=-1,0,0,0", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_UNSUPPORTED, "pads holds -1"},
    {"MaxPool", 11, "kernel_shape=1,1,1", "1x1x2x2x2 *1", GT_ERROR_UNSUPPORTED, "pooling"},
    {"BatchNormalization", 14, "training_mode=1", "1x1x1x1 1; !1 1; !1 1; !1 1; !1 1", GT_ERROR_UNSUPPORTED,
     "training_mode is 1"},
    {"BatchNormalization", 14, "", "1x1x1x1 1; 1 1; !1 1; !1 1; !1 1", GT_ERROR_UNSUPPORTED,
     "input 1 (scale)"},
    {"Dropout", 13, "", "2 1,2; !s 0.5; !b:s 1", GT_ERROR_UNSUPPORTED, "training_mode is true"},
    {"Pad", 13, "mode=wrap", "2 1,2; !i:2 1,1", GT_ERROR_UNSUPPORTED, "mode is 'wrap'"},
    {"Pad", 13, "", "2 1,2; i:2 1,1", GT_ERROR_UNSUPPORTED, "'x1', is computed"},
    {"Reshape", 13, "", "2 1,2; i:1 2", GT_ERROR_UNSUPPORTED, "'x1', is computed"},
    {"Slice", 13, "", "2 1,2; !i:1 2; !i:1 2", GT_ERROR_UNSUPPORTED, "takes nothing"},
    {"Resize", 13, "coordinate_transformation_mode=tf_crop_and_resize", "1x1x1x2 1,2; !8 *0; !4 1,1,1,2",
     GT_ERROR_UNSUPPORTED, "tf_crop_and_resize"},
    {"Resize", 18, "antialias=1 mode=linear", "1x1x1x2 1,2; _; !4 1,1,1,0.5", GT_ERROR_UNSUPPORTED,
     "antialias"},
    {"Resize", 13, "", "1x1x1x2 1,2; _; !4 2,1,1,2", GT_ERROR_UNSUPPORTED, "batch or channels"},
    {"Resize", 19, "coordinate_transformation_mode=half_pixel_symmetric", "1x1x1x2 1,2; _; !4 1,1,1,1.7",
     GT_ERROR_UNSUPPORTED, "rounded"},
    {"Where", 13, "", "!b:1 1; 1 1; !1 1", GT_ERROR_UNSUPPORTED, "is computed at run time"},
    {"ReduceProd", 13, "", "2 1,2", GT_ERROR_UNSUPPORTED, "only on constants"},
    {"Cast", 13, "to=8", "2 1,2", GT_ERROR_UNSUPPORTED, "string"},
    {"ScatterND", 16, "reduction=add", "!3 1,2,3; !i:1x1 0; !1 1", GT_ERROR_UNSUPPORTED,
     "reduction is 'add'"},
    {"Constant", 13, "value_string=abc", "", GT_ERROR_UNSUPPORTED, "value_string"},
    {"Transpose", 13, "", "2x2 1~4; 2 1,2", GT_ERROR_FORMAT, "2 inputs; 1 is needed"},
    /* shapes that do not fit */
    {"Conv", 11, "", "1x2x2x2 *1; !1x1x1x1 1", GT_ERROR_SHAPE, "node 'node' (Conv)"},
    {"Conv", 11, "kernel_shape=2,2", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_SHAPE,
     "kernel_shape is 2x2; the weight has 1x1"},
    {"Conv", 11, "", "1x1x2 *1; !1x1x1x1 1", GT_ERROR_SHAPE, "the ranks must be equal"},
    {"Conv", 11, "", "1x1x2x2 *1; !1x1x3x3 *1", GT_ERROR_SHAPE, "at least 3"},
    {"Conv", 11, "", "1x1x2x2 *1; !1x1x1x1 *1; !2 1,2", GT_ERROR_SHAPE, "bias"},
    {"BatchNormalization", 9, "", "1x2x1x1 1,2; !2 1,1; !2 1,1; !3 *1; !2 1,1", GT_ERROR_SHAPE,
     "input 3 (mean), 'x3', has shape 3; 2 elements"},
    {"Add", 13, "", "2 1,2; 3 1~3", GT_ERROR_SHAPE, "do not broadcast"},
    {"Add", 13, "", "!2 1,2; !i:2 1,2", GT_ERROR_SHAPE, "must be of one type"},
    {"Add", 6, "axis=5", "2x2 1~4; 2 *1", GT_ERROR_FORMAT, "axis is 5"},
    {"MatMul", 13, "", "2x2 1~4; !3x1 *1", GT_ERROR_SHAPE, "a's columns and b's rows"},
    {"MatMul", 13, "", "2x2 1~4; !s 1", GT_ERROR_SHAPE, "scalars"},
    {"Gemm", 13, "", "2x2 1~4; !3x1 *1", GT_ERROR_SHAPE, "must be equal"},
    {"Gemm", 13, "", "2x2x1 1~4; !3x1 *1", GT_ERROR_SHAPE, "both must be matrices"},
    {"Concat", 13, "axis=0", "2x2 1~4; 2x3 *1", GT_ERROR_SHAPE, "concat"},
    {"Concat", 13, "axis=3", "2x2 1~4; 2x3 *1", GT_ERROR_FORMAT, "axis is 3"},
    {"Reshape", 13, "", "2x3 1~6; !i:2 -1,4", GT_ERROR_SHAPE, "do not divide"},
    {"Reshape", 13, "", "2x3 1~6; !i:2 5,1", GT_ERROR_SHAPE, "the new shape has 5"},
    {"Reshape", 13, "", "2x3 1~6; !i:2 -1,-1", GT_ERROR_FORMAT, "both -1"},
    {"Reshape", 13, "", "2x3 1~6; !i:2 -2,3", GT_ERROR_FORMAT, "is -2"},
    {"Reshape", 13, "", "2 1,2; !i:2 2,0", GT_ERROR_SHAPE, "to copy"},
    {"Reshape", 13, "", "2 1,2; !1 2", GT_ERROR_SHAPE, "a list of integers"},
    {"Reshape", 13, "", "2 1,2", GT_ERROR_FORMAT, "missing"},
    {"Squeeze", 13, "", "2 1,2; !i:1 0", GT_ERROR_SHAPE, "only 1 can be squeezed"},
    {"Unsqueeze", 13, "", "2 1,2; !i:2 0,0", GT_ERROR_FORMAT, "twice"},
    {"Transpose", 13, "perm=0,0", "2x2 1~4", GT_ERROR_FORMAT, "twice"},
    {"Transpose", 13, "perm=0", "2x2 1~4", GT_ERROR_FORMAT, "perm has 1"},
    {"Split", 13, "", "3 1~3; !i:2 1,1", GT_ERROR_SHAPE, "2 entries and the node 1 outputs"},
    {"Split", 13, "split=4", "3 1~3", GT_ERROR_SHAPE, "part 0 takes 4"},
    {"Slice", 13, "", "2 1,2; !i:1 0; !i:2 1,2", GT_ERROR_SHAPE, "must be equally"},
    {"Slice", 13, "", "2 1,2; !i:1 0; !i:1 1; !i:1 0; !i:1 0", GT_ERROR_FORMAT, "the step of axis 0 is 0"},
    {"Slice", 13, "", "2 1,2; !i:1 0; !i:1 1; !i:1 4", GT_ERROR_FORMAT, "is 4"},
    {"Gather", 13, "", "2 1,2; !i:1 2", GT_ERROR_FORMAT, "is 2; the axis is 2 long"},
    {"Gather", 13, "", "2 1,2; !1 0", GT_ERROR_SHAPE, "integers are needed"},
    {"Expand", 13, "", "2 1,2; !i:1 3", GT_ERROR_SHAPE, "does not expand"},
    {"Pad", 13, "", "2 1,2; !i:3 1,1,1", GT_ERROR_SHAPE, "3 pads; 2 are needed"},
    {"Pad", 13, "", "2 1,2; !i:2 -1,-1", GT_ERROR_SHAPE, "leave nothing"},
    {"Resize", 13, "", "1x1x1x2 1,2; _; !3 1,1,2", GT_ERROR_SHAPE, "3 scales; 4"},
    {"Resize", 13, "", "1x1x1x2 1,2; _; !4 1,1,1,-1", GT_ERROR_SHAPE, "scale of axis 3"},
    {"Resize", 13, "", "1x1x1x2 1,2; _; _; !i:4 1,1,1,0", GT_ERROR_SHAPE, "size of axis 3 is 0"},
    {"Resize", 13, "", "1x1x1x2 1,2", GT_ERROR_FORMAT, "input 2 (scales) is missing"},
    /* attributes out of range or of the wrong type */
    {"Conv", 11, "strides=0,1", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_FORMAT, "'strides' holds 0"},
    {"Conv", 11, "strides=1", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_FORMAT, "'strides' has 1 entries; 2"},
    {"Conv", 11, "group=0", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_ARGUMENT, "groups is 0"},
    {"Conv", 11, "auto_pad=SOME", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_FORMAT, "auto_pad is 'SOME'"},
    {"Conv", 11, "auto_pad=1", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_FORMAT, "'auto_pad' is an int; a string"},
    {"ConvTranspose", 11, "group=-1", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_FORMAT, "'group' is -1"},
    {"ConvTranspose", 11, "output_shape=0,1", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_FORMAT,
     "'output_shape' holds 0"},
    {"MaxPool", 11, "", "1x1x2x2 *1", GT_ERROR_FORMAT, "'kernel_shape' holds 0"},
    {"MaxPool", 11, "kernel_shape=3,3", "1x1x2x2 *1", GT_ERROR_SHAPE, "pool2d"},
    {"Softmax", 13, "axis=4", "2x2 1~4", GT_ERROR_FORMAT, "axis is 4"},
    {"LRN", 13, "", "1x1x1x1 1", GT_ERROR_ARGUMENT, "size is 0"},
    {"DepthToSpace", 13, "blocksize=2 mode=ABC", "1x4x1x1 *1", GT_ERROR_FORMAT, "mode is 'ABC'"},
    {"DepthToSpace", 13, "blocksize=3", "1x4x1x1 *1", GT_ERROR_SHAPE, "block"},
    {"Constant", 13, "", "", GT_ERROR_FORMAT, "0 attributes"},
    /* constants without a value */
    {"Div", 13, "", "!i:2 1,2; !i:2 1,0", GT_ERROR_FORMAT, "divisor 'x1' is 0"},
    {"Mod", 13, "", "!i:2 1,2; !i:2 1,0", GT_ERROR_FORMAT, "divisor 'x1' is 0"},
    {"Range", 11, "", "!i:s 0; !i:s 5; !i:s 0", GT_ERROR_FORMAT, "delta 0"},
    {"ReduceMax", 13, "", "!i:0 ", GT_ERROR_SHAPE, "empty"},
    {"ScatterND", 13, "", "!3 1,2,3; !i:1x1 3; !1 1", GT_ERROR_FORMAT, "is 3"},
    {"ScatterND", 13, "", "!3 1,2,3; !i:1x1 0; !2 1,2", GT_ERROR_SHAPE, "updates"},
    /* too large */
    {"Range", 11, "", "!i:s 0; !i:s 1000000000000; !i:s 1", GT_ERROR_LIMIT, "128 MiB"},
    {"Range", 11, "", "!s 0; !s 1e30; !s 1e-30", GT_ERROR_LIMIT, "range"},
    {"ConstantOfShape", 9, "", "!i:2 100000,100000", GT_ERROR_LIMIT, "128 MiB"},
    {"ConstantOfShape", 9, "", "!i:3 1048576,1048576,1048576", GT_ERROR_SHAPE, "2^40"},
    {"ConstantOfShape", 9, "", "!i:1 -1", GT_ERROR_SHAPE, "-1"},
    {"Expand", 13, "", "!1 1; !i:2 100000,100000", GT_ERROR_LIMIT, "16 million operations"},
    {"Expand", 13, "", "!1 1; !i:2 4000000000000000000,4", GT_ERROR_SHAPE, "2^40"},
    {"Expand", 13, "", "1 1; !i:2 4000000000,4000000000", GT_ERROR_SHAPE, "2^40"},
    {"Tile", 13, "", "!1 1; !i:1 500000000", GT_ERROR_LIMIT, "16 million operations"},
    {"Tile", 13, "", "2 1,2; !i:1 9000000000000000000", GT_ERROR_LIMIT, "repeated"},
    {"Pad", 13, "", "2 1,2; !i:2 9000000000000000000,1", GT_ERROR_LIMIT, "pads"},
    {"Pad", 13, "", "!2 1,2; !i:2 2000000000,2000000000", GT_ERROR_LIMIT, "16 million operations"},
    {"Resize", 13, "", "!1x1x1x2 1,2; _; _; !i:4 1,1,100000,100000", GT_ERROR_LIMIT, "16 million operations"},
};

START_TEST(failing_nodes)
{
    static om_literal in[6];
    om_case c = {failing[_i].op, failing[_i].opset, failing[_i].attrs, failing[_i].inputs, ""};
    size_t n_in = om_read_literals(in, c.inputs);
    OM_FAILS(om_build_case(&c, in, n_in), NULL, failing[_i].status, failing[_i].reason, failing[_i].op);
}
END_TEST

/* ---- malformed graphs ---- */

static gt_onnx_model *chain_model(void)
{
    gt_onnx_model *model = om_new_model(13);
    om_add_input(model, "x", "2");
    om_add_output(model, "y");
    return model;
}

START_TEST(malformed_graphs)
{
    gt_onnx_model *m = chain_model();
    om_add_node(m, "Relu", "r", "ghost", "y");
    OM_FAILS(m, NULL, GT_ERROR_FORMAT, "node 'r' (Relu) reads 'ghost' (input 0)");
    m = chain_model();
    om_add_node(m, "Relu", "r", "x", "z");
    OM_FAILS(m, NULL, GT_ERROR_FORMAT, "graph output 'y'");
    m = chain_model();
    om_add_node(m, "Relu", "r", "x", "y");
    om_add_node(m, "Abs", "", "x", "y");
    OM_FAILS(m, NULL, GT_ERROR_FORMAT, "'r' (Relu) and 'Abs_y' (Abs) both define 'y'");
    m = chain_model();
    om_add_node(m, "Split", "s", "x", "y y");
    OM_FAILS(m, NULL, GT_ERROR_FORMAT, "'s' (Split)", "another of its outputs");
    m = chain_model();
    om_add_node(m, "Relu", "r", "x", "x");
    OM_FAILS(m, NULL, GT_ERROR_FORMAT, "'r' (Relu) defines 'x', which is a graph input");
    m = chain_model();
    om_add_node(m, "Add", "a", "x c", "b");
    om_add_node(m, "Relu", "b", "b", "c");
    om_add_node(m, "Relu", "out", "b", "y");
    OM_FAILS(m, NULL, GT_ERROR_FORMAT, "cycle of 2 nodes", "'a'", "'b'");
    m = chain_model();
    om_add_node(m, "Add", "self", "x y", "y");
    OM_FAILS(m, NULL, GT_ERROR_FORMAT, "cycle of 1 nodes: 'self' -> 'self'");
    m = chain_model();
    om_add_input(m, "x", "2");
    om_add_node(m, "Relu", "r", "x", "y");
    OM_FAILS(m, NULL, GT_ERROR_FORMAT, "graph input 'x' stands twice");
    m = om_new_model(13);
    om_add_input(m, "x", "2");
    om_add_node(m, "Relu", "r", "x", "y");
    OM_FAILS(m, NULL, GT_ERROR_FORMAT, "no outputs");
    m = chain_model();
    om_add_node(m, "Conv", "c", "x _", "y");
    OM_FAILS(m, NULL, GT_ERROR_FORMAT, "node 'c' (Conv)", "input 1 (weight) is missing");
    m = chain_model();
    om_add_node(m, "Relu", "r", "x", "y");
    m->inputs[0].type = GT_ONNX_STRING;
    OM_FAILS(m, NULL, GT_ERROR_UNSUPPORTED, "graph input 'x'", "string");
    m = chain_model();
    om_add_node(m, "Relu", "r", "x", "y");
    for (int i = 0; i < 3; i++) {
        m->inputs[0].dims[i] = INT64_MAX;
    }
    m->inputs[0].rank = 3;
    OM_FAILS(m, NULL, GT_ERROR_SHAPE, "2^40");
}
END_TEST

START_TEST(not_a_model)
{
    char path[1100];
    gt_graph *graph = NULL;
    snprintf(path, sizeof path, "%s/missing.onnx", om_folder);
    ck_assert_int_eq(gt_import_file(&graph, path, NULL), GT_ERROR_IO);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), path));
    snprintf(path, sizeof path, "%s/text.txt", om_folder);
    om_ok(gt_file_replace(path, "hello, world", 12));
    ck_assert_int_eq(gt_import_file(&graph, path, NULL), GT_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), path));
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "ONNX"));
    snprintf(path, sizeof path, "%s/text.onnx", om_folder);
    om_ok(gt_file_replace(path, "hello, world", 12));
    ck_assert_int_eq(gt_import_file(&graph, path, NULL), GT_ERROR_FORMAT);
    om_ok(gt_file_replace(path, "", 0));
    ck_assert_int_ne(gt_import_file(&graph, path, NULL), GT_OK);
}
END_TEST

/* ---- hostile models ---- */

/* Each step doubles a constant; the total is limited, not only the single tensor. */
START_TEST(doubling_is_limited)
{
    gt_onnx_model *model = om_new_model(13);
    char from[32] = "w";
    char pair[72];
    char to[32];
    om_add_initializer(model, "w", "1024 *1");
    for (int i = 0; i < 60; i++) {
        snprintf(to, sizeof to, "w%d", i);
        snprintf(pair, sizeof pair, "%s %s", from, from);
        om_set_attrs(om_add_node(model, "Concat", "", pair, to), "axis=0");
        memcpy(from, to, sizeof from);
    }
    om_add_output(model, to);
    OM_FAILS(model, NULL, GT_ERROR_LIMIT, "Concat");
}
END_TEST

/* The walk over the nodes must not use the C stack: a chain that stands in the file from its end. */
START_TEST(long_reversed_chain)
{
    enum { LENGTH = 20000 };
    gt_graph *graph = NULL;
    gt_onnx_model *model = om_new_model(13);
    char from[32];
    char to[32];
    om_add_input(model, "n0", "1");
    for (int i = LENGTH; i > 0; i--) {
        snprintf(from, sizeof from, "n%d", i - 1);
        snprintf(to, sizeof to, "n%d", i);
        om_add_node(model, "Neg", "", from, to);
    }
    snprintf(to, sizeof to, "n%d", LENGTH);
    om_add_output(model, to);
    om_ok(om_import(&graph, model, &(gt_import_options){.keep_source_form = true}));
    ck_assert_int_eq(graph->n_ops, LENGTH);
    gt_graph_destroy(graph);
    gt_onnx_model_destroy(model);
}
END_TEST

static gt_onnx_model *busy_model(void)
{
    gt_onnx_model *model = om_new_model(13);
    om_add_input(model, "x", "1x2x6x6");
    om_add_initializer(model, "w", "4x2x3x3 *0.5");
    om_add_initializer(model, "s", "4 *1");
    om_add_initializer(model, "axes", "i:1 0");
    om_add_initializer(model, "flat", "i:2 0,-1");
    om_add_initializer(model, "m", "100x3 *0.5");
    om_set_attrs(om_add_node(model, "Conv", "conv", "x w", "a"), "pads=1,1,1,1 strides=1,1");
    om_add_node(model, "BatchNormalization", "bn", "a s s s s", "b");
    om_add_node(model, "Relu", "relu", "b", "c");
    om_set_attrs(om_add_node(model, "MaxPool", "pool", "c", "d"), "kernel_shape=2,2 strides=1,1");
    om_set_attrs(om_add_node(model, "Split", "split", "d", "e f"), "axis=1");
    om_set_attrs(om_add_node(model, "Concat", "cat", "f e", "g"), "axis=1");
    om_add_node(model, "Shape", "shape", "g", "h");
    om_add_node(model, "Reshape", "flatten", "g flat", "i");
    om_add_node(model, "MatMul", "fc", "i m", "k");
    om_set_attrs(om_add_node(model, "Softmax", "prob", "k", "y"), "axis=-1");
    om_add_output(model, "y");
    om_add_output(model, "h");
    return model;
}

/* Without the fsync of gt_file_replace, which would take most of the time of thousands of files. */
static void write_quickly(const char *path, const char *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, bytes, file), bytes);
    ck_assert_int_eq(fclose(file), 0);
}

/* Damaged files either import or are refused; nothing crashes, hangs or leaks. */
START_TEST(damaged_files)
{
    gt_rng rng;
    char *data = NULL;
    char *copy = NULL;
    size_t bytes = 0;
    gt_onnx_model *model = busy_model();
    gt_rng_seed(&rng, 17);
    om_ok(gt_onnx_write(model, om_model_path));
    gt_onnx_model_destroy(model);
    om_ok(gt_file_read(&data, &bytes, om_model_path));
    om_ok(gt_calloc(&copy, bytes, 1));
    int64_t live = gt_i_live_allocations();
    for (int i = 0; i < 3000; i++) {
        gt_graph *graph = NULL;
        memcpy(copy, data, bytes);
        for (int64_t flips = 1 + gt_rng_below(&rng, 3); flips > 0; flips--) {
            copy[gt_rng_below(&rng, (int64_t)bytes)] ^= (char)(1 << gt_rng_below(&rng, 8));
        }
        size_t length = i % 4 == 0 ? (size_t)gt_rng_below(&rng, (int64_t)bytes) : bytes;
        write_quickly(om_model_path, copy, length);
        gt_status status = gt_import_file(&graph, om_model_path, NULL);
        if (status == GT_OK) {
            gt_graph_destroy(graph);
        } else {
            ck_assert_int_ne(status, GT_ERROR_INTERNAL);
            ck_assert_msg(strstr(gt_error_message(), om_model_path) != NULL, "no path in: %s",
                          gt_error_message());
        }
        ck_assert_int_eq(gt_i_live_allocations(), live);
    }
    gt_free(copy);
    gt_free(data);
}
END_TEST

/* Allocation k fails, for k = 0, 1, … until the import succeeds. */
START_TEST(every_allocation_may_fail)
{
    gt_onnx_model *model = busy_model();
    gt_graph *graph = NULL;
    gt_status status = GT_ERROR_MEMORY;
    om_ok(gt_onnx_write(model, om_model_path));
    gt_onnx_model_destroy(model);
    int64_t live = gt_i_live_allocations();
    int64_t k = 0;
    for (; status != GT_OK; k++) {
        ck_assert_int_lt(k, 100000);
        gt_i_fail_allocation(k);
        status = gt_import_file(&graph, om_model_path, NULL);
        gt_i_fail_allocation(-1);
        if (status != GT_OK) {
            ck_assert_msg(status == GT_ERROR_MEMORY, "allocation %lld: %s: %s", (long long)k,
                          gt_status_name(status), gt_error_message());
            ck_assert_ptr_null(graph);
            ck_assert_int_eq(gt_i_live_allocations(), live);
        }
    }
    ck_assert_int_gt(k, 100);
    gt_graph_destroy(graph);
    ck_assert_int_eq(gt_i_live_allocations(), live);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import errors");
    TCase *errors = tcase_create("errors");
    tcase_set_timeout(errors, 300);
    tcase_add_test(errors, all_unsupported_nodes_are_listed);
    tcase_add_loop_test(errors, failing_nodes, 0, N(failing));
    tcase_add_test(errors, malformed_graphs);
    tcase_add_test(errors, not_a_model);
    tcase_add_test(errors, doubling_is_limited);
    tcase_add_test(errors, long_reversed_chain);
    tcase_add_test(errors, damaged_files);
    tcase_add_test(errors, every_allocation_may_fail);
    suite_add_tcase(suite, errors);
    return om_run(suite);
}
