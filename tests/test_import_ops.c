/* SPDX-License-Identifier: Apache-2.0 */
/* The ONNX importer: every operator and opset variant on a model of one node, against values worked out by hand. */
#include "tests/onnx_model.h"

#include <stdio.h>
#include <string.h>

#define N(array) ((int)(sizeof(array) / sizeof *(array)))

static void check_case(const om_case *c, om_literal *in, size_t n_in, const char *how, bool keep_source_form)
{
    char label[256];
    gt_graph *graph = NULL;
    gt_import_options options = {.keep_source_form = keep_source_form};
    gt_onnx_model *model = om_build_case(c, in, n_in);
    snprintf(label, sizeof label, "%s, opset %d, {%s}, %s", c->op, c->opset, c->attrs, how);
    gt_status status = om_import(&graph, model, &options);
    ck_assert_msg(status == GT_OK, "%s: %s", label, gt_error_message());
    om_check_graph(label, graph, in, n_in, c->want);
    gt_graph_destroy(graph);
    gt_onnx_model_destroy(model);
}

/* As given, optimised, and with every input a constant, when the whole model must fold away. */
static void check_op_case(const om_case *c)
{
    static om_literal in[6];
    size_t n_in = om_read_literals(in, c->inputs);
    check_case(c, in, n_in, "source form", true);
    check_case(c, in, n_in, "optimised", false);
    for (size_t i = 0; i < n_in; i++) {
        in[i].constant = true;
    }
    check_case(c, in, n_in, "folded", false);
}

static const om_case op_cases[] = {
    /* convolution */
    {"Conv", 1, "kernel_shape=2,2", "1x1x3x3 1~9; !1x1x2x2 1,0,0,1", "1x1x2x2 6,8,12,14"},
    {"Conv", 11, "", "1x1x3x3 1~9; !1x1x2x2 1,0,0,1; !1 10", "1x1x2x2 16,18,22,24"},
    {"Conv", 11, "pads=1,0,0,1 strides=2,2", "1x1x3x3 1~9; !1x1x2x2 *1", "1x1x2x2 3,3,24,15"},
    {"Conv", 11, "auto_pad=SAME_UPPER", "1x1x2x2 1~4; !1x1x2x2 *1", "1x1x2x2 10,6,7,4"},
    {"Conv", 11, "auto_pad=SAME_LOWER", "1x1x2x2 1~4; !1x1x2x2 *1", "1x1x2x2 1,3,4,10"},
    {"Conv", 11, "auto_pad=VALID pads=1,1,1,1", "1x1x2x2 1~4; !1x1x2x2 *1", "1x1x1x1 10"},
    {"Conv", 11, "dilations=2,2", "1x1x3x3 1~9; !1x1x2x2 *1", "1x1x1x1 20"},
    {"Conv", 11, "group=2", "1x2x1x2 1,2,3,4; !2x1x1x1 10,100", "1x2x1x2 10,20,300,400"},
    {"Conv", 11, "pads=1,0 strides=2", "1x1x4 1~4; !1x1x2 1,10", "1x1x2 10,32"},
    {"Conv", 11, "auto_pad=SAME_UPPER kernel_shape=3", "1x1x3 1~3; !1x1x3 *1; !1 0", "1x1x3 3,6,5"},
    {"ConvTranspose", 11, "strides=2,2", "1x1x1x2 1,2; !1x1x1x2 1,10", "1x1x1x4 1,10,2,20"},
    {"ConvTranspose", 11, "strides=1,2 output_padding=0,1", "1x1x1x2 1,2; !1x1x1x2 1,10; !1 1",
     "1x1x1x5 2,11,3,21,1"},
    {"ConvTranspose", 11, "pads=0,1,0,0", "1x1x1x2 1,2; !1x1x1x2 1,10", "1x1x1x2 12,20"},
    {"ConvTranspose", 11, "strides=1,2 output_shape=1,3", "1x1x1x2 1,2; !1x1x1x2 1,10", "1x1x1x3 10,2,20"},
    {"ConvTranspose", 11, "strides=1,2 output_shape=1,1,1,3 auto_pad=SAME_UPPER",
     "1x1x1x2 1,2; !1x1x1x2 1,10", "1x1x1x3 1,10,2"},
    {"ConvTranspose", 11, "strides=1,2 auto_pad=SAME_LOWER", "1x1x1x2 1,2; !1x1x1x3 1,10,100",
     "1x1x1x4 10,102,20,200"},
    {"ConvTranspose", 11, "strides=2", "1x1x2 1,2; !1x1x2 1,10", "1x1x4 1,10,2,20"},
    {"ConvTranspose", 11, "group=2", "1x2x1x1 1,2; !2x1x1x1 10,100", "1x2x1x1 10,200"},
    {"BatchNormalization", 9, "epsilon=0.0", "1x2x1x2 1,2,3,4; !2 2,3; !2 1,0; !2 1,3; !2 4,1",
     "1x2x1x2 1,2,0,3"},
    {"BatchNormalization", 15, "epsilon=0.0", "2x2 1,2,3,4; !2 2,3; !2 1,0; !2 1,2; !2 4,1", "2x2 1,0,3,6"},
    {"BatchNormalization", 6, "is_test=1 epsilon=0.0", "1x1x1x2 1,2; !1 2; !1 1; !1 1; !1 4", "1x1x1x2 1,2"},
    {"BatchNormalization", 7, "spatial=0 epsilon=0.0", "1x1x2 1,2; !1x2 2,3; !1x2 1,0; !1x2 1,1; !1x2 4,1",
     "1x1x2 1,3"},
    /* elementwise */
    {"Relu", 6, "", "3 -1,0,2", "3 0,0,2"},
    {"Clip", 6, "min=-1.0 max=1.0", "3 -2,0.5,2", "3 -1,0.5,1"},
    {"Clip", 6, "min=0.0", "3 -2,0.5,2", "3 0,0.5,2"},
    {"Clip", 6, "", "2 -2,7", "2 -2,7"},
    {"Clip", 11, "", "3 -2,0.5,2; !s -1; !s 1", "3 -1,0.5,1"},
    {"Clip", 13, "", "3 -2,0.5,2; _; !s 1", "3 -2,0.5,1"},
    {"Clip", 13, "", "3 -2,0.5,2; s -1; s 1", "3 -1,0.5,1"},
    {"Clip", 13, "", "3 -2,0.5,2; !s -1", "3 -1,0.5,2"},
    {"LeakyRelu", 6, "alpha=0.1", "2 -1,2", "2 -0.1,2"},
    {"LeakyRelu", 16, "", "2 -1,2", "2 -0.01,2"},
    {"PRelu", 9, "", "1x2x1x2 -1,1,-2,2; !2x1x1 0.1,0.2", "1x2x1x2 -0.1,1,-0.4,2"},
    {"PRelu", 6, "", "1x2x1x2 -1,1,-2,-3; !2 0.1,0.2", "1x2x1x2 -0.1,1,-0.4,-0.6"},
    {"PRelu", 7, "", "1x2x1x2 -1,1,-2,-3; !1 0.5", "1x2x1x2 -0.5,1,-1,-1.5"},
    {"PRelu", 9, "", "1x3x1x1 -1,1,-2; !3 0.1,0.2,0.3", "1x3x1x1 -0.1,1,-0.6"},
    {"Elu", 6, "alpha=2.0", "2 -1,1", "2 -1.264241,1"},
    {"Sigmoid", 13, "", "2 0,1", "2 0.5,0.731059"},
    {"HardSigmoid", 6, "", "3 -10,1,10", "3 0,0.7,1"},
    {"HardSigmoid", 6, "alpha=0.5 beta=0.0", "3 -10,1,10", "3 0,0.5,1"},
    {"HardSwish", 14, "", "3 -4,1,4", "3 0,0.666667,4"},
    {"Tanh", 13, "", "1 1", "1 0.761594"},
    {"Mish", 18, "", "1 1", "1 0.865098"},
    {"Softplus", 1, "", "1 1", "1 1.313262"},
    {"Exp", 13, "", "1 1", "1 2.718282"},
    {"Log", 13, "", "1 2", "1 0.693147"},
    {"Sqrt", 13, "", "2 4,9", "2 2,3"},
    {"Reciprocal", 13, "", "2 4,-2", "2 0.25,-0.5"},
    {"Abs", 13, "", "2 -4,2", "2 4,2"},
    {"Neg", 13, "", "2 -4,2", "2 4,-2"},
    {"Floor", 13, "", "2 -1.5,1.5", "2 -2,1"},
    {"Ceil", 13, "", "2 -1.5,1.5", "2 -1,2"},
    {"Erf", 13, "", "1 1", "1 0.842701"},
    {"Add", 13, "", "2x2 1,2,3,4; !2 10,20", "2x2 11,22,13,24"},
    {"Add", 14, "", "2 1,2; 2x1 10,20", "2x2 11,12,21,22"},
    {"Add", 6, "broadcast=1 axis=0", "2x2 1,2,3,4; !2 10,20", "2x2 11,12,23,24"},
    {"Add", 6, "broadcast=1", "2x2 1,2,3,4; !2 10,20", "2x2 11,22,13,24"},
    {"Add", 1, "broadcast=1 axis=1", "1x2x1x2 1,2,3,4; !2 10,20", "1x2x1x2 11,12,23,24"},
    {"Sub", 13, "", "2 1,2; !s 3", "2 -2,-1"},
    {"Sub", 6, "broadcast=1 axis=-2", "2x2 1,2,3,4; 2 1,2", "2x2 0,1,1,2"},
    {"Mul", 13, "", "2 1,2; 1 3", "2 3,6"},
    {"Div", 13, "", "!s 6; 2 2,3", "2 3,2"},
    {"Pow", 7, "", "2 2,3; !s 2", "2 4,9"},
    {"Pow", 12, "", "2 2,3; !i:s 2", "2 4,9"},
    {"Min", 13, "", "2 1,5; 2 3,2; !s 4", "2 1,2"},
    {"Max", 8, "", "2 1,5; 2 3,2", "2 3,5"},
    {"Max", 8, "", "2 1,5", "2 1,5"},
    {"Sum", 8, "", "2 1,5; 2 3,2; 1 10", "2 14,17"},
    {"Mean", 8, "", "2 1,5; 2 3,2; 2 2,2", "2 2,3"},
    {"Mean", 8, "", "2 1,5", "2 1,5"},
    {"Identity", 13, "", "2 1,5", "2 1,5"},
    {"Dropout", 1, "is_test=1 ratio=0.5", "2 1,5", "2 1,5"},
    {"Dropout", 7, "ratio=0.5", "2 1,5", "2 1,5; b:2 1,1"},
    {"Dropout", 13, "seed=3", "2 1,5; !s 0.5; !b:s 0", "2 1,5"},
    {"Cast", 13, "to=7", "2 1.7,-1.7", "i:2 1,-1"},
    {"Cast", 5, "to=FLOAT", "i:2 3,4", "2 3,4"},
    {"Cast", 13, "to=10", "2 1.5,2", "2 1.5,2"},
    {"Cast", 19, "to=1 saturate=1", "b:2 1,0", "2 1,0"},
    /* pooling */
    {"MaxPool", 1, "kernel_shape=2,2", "1x1x3x3 1~9", "1x1x2x2 5,6,8,9"},
    {"MaxPool", 12, "kernel_shape=2,2 strides=2,2 ceil_mode=1", "1x1x3x3 1~9", "1x1x2x2 5,6,8,9"},
    {"MaxPool", 12, "kernel_shape=2,2 strides=2,2 ceil_mode=1 storage_order=1 pads=1,1,1,1", "1x1x3x3 1~9",
     "1x1x2x2 1,3,7,9"},
    {"MaxPool", 12, "kernel_shape=2,2 dilations=2,2", "1x1x3x3 1~9", "1x1x1x1 9"},
    {"MaxPool", 8, "kernel_shape=2,2 auto_pad=SAME_UPPER", "1x1x2x2 1~4", "1x1x2x2 4,4,4,4"},
    {"MaxPool", 8, "kernel_shape=2,2 auto_pad=SAME_LOWER", "1x1x2x2 1~4", "1x1x2x2 1,2,3,4"},
    {"MaxPool", 8, "kernel_shape=2 strides=2", "1x1x4 1~4", "1x1x2 2,4"},
    {"AveragePool", 7, "kernel_shape=2,2 pads=1,1,0,0", "1x1x2x2 1~4", "1x1x2x2 1,1.5,2,2.5"},
    {"AveragePool", 7, "kernel_shape=2,2 pads=1,1,0,0 count_include_pad=1", "1x1x2x2 1~4",
     "1x1x2x2 0.25,0.75,1,2.5"},
    {"AveragePool", 11, "kernel_shape=2,2 strides=2,2 ceil_mode=1 count_include_pad=1", "1x1x3x3 1~9",
     "1x1x2x2 3,4.5,7.5,9"},
    {"AveragePool", 19, "kernel_shape=2,2 dilations=2,2", "1x1x3x3 1~9", "1x1x1x1 5"},
    {"AveragePool", 7, "kernel_shape=2,2 auto_pad=SAME_LOWER", "1x1x2x2 1~4", "1x1x2x2 1,1.5,2,2.5"},
    {"AveragePool", 7, "kernel_shape=2", "1x1x3 1~3", "1x1x2 1.5,2.5"},
    {"GlobalAveragePool", 1, "", "1x2x2x1 1~4", "1x2x1x1 1.5,3.5"},
    {"GlobalMaxPool", 1, "", "1x2x2 1~4", "1x2x1 2,4"},
    /* taking apart and putting together */
    {"Concat", 13, "axis=1", "1x1x1 1; 1x2x1 2,3", "1x3x1 1,2,3"},
    {"Concat", 11, "axis=-1", "1x1 1; !1x2 2,3", "1x3 1,2,3"},
    {"Concat", 1, "", "1x1 1; 1x2 2,3", "1x3 1,2,3"},
    {"Concat", 4, "axis=0", "2 1,2", "2 1,2"},
    {"Split", 2, "axis=1 split=1,2", "1x3 1~3", "1x1 1; 1x2 2,3"},
    {"Split", 11, "axis=-1", "1x4 1~4", "1x2 1,2; 1x2 3,4"},
    {"Split", 13, "axis=1", "1x3 1~3; !i:2 2,1", "1x2 1,2; 1x1 3"},
    {"Split", 18, "num_outputs=2", "5 1~5", "3 1,2,3; 2 4,5"},
    {"Slice", 1, "starts=1 ends=3", "4 1~4", "2 2,3"},
    {"Slice", 9, "starts=0,-2 ends=9,100 axes=0,1", "2x3 1~6", "2x2 2,3,5,6"},
    {"Slice", 13, "", "2x4 1~8; !i:1 3; !i:1 -100; !i:1 1; !i:1 -2", "2x2 4,2,8,6"},
    {"Slice", 10, "", "4 1~4; !i:1 -3; !i:1 9000000000000000000", "3 2,3,4"},
    {"Slice", 10, "", "4 1~4; !i:1 3; !i:1 -9223372036854775808; _; !i:1 -9223372036854775808", "1 4"},
    {"Pad", 1, "paddings=1,0", "2 1,2", "3 0,1,2"},
    {"Pad", 2, "pads=1,2 value=5.0", "2 1,2", "5 5,1,2,5,5"},
    {"Pad", 11, "mode=reflect", "3 1,2,3; !i:2 1,1", "5 2,1,2,3,2"},
    {"Pad", 13, "mode=edge", "1x2 1,2; !i:4 0,1,0,1", "1x4 1,1,2,2"},
    {"Pad", 13, "", "1x2 1,2; !i:4 0,1,0,-1; !s 7", "1x2 7,1"},
    {"Pad", 18, "", "1x2 1,2; !i:2 1,0; _; !i:1 -1", "1x3 0,1,2"},
    {"Gather", 1, "axis=1", "2x3 1~6; !i:2 2,0", "2x2 3,1,6,4"},
    {"Gather", 13, "axis=-1", "2x3 1~6; !i:s -1", "2 3,6"},
    {"Gather", 13, "axis=1", "2x3 1~6; !i:1x2 2,0", "2x1x2 3,1,6,4"},
    /* shapes */
    {"Reshape", 1, "shape=3,-1", "2x3 1~6", "3x2 1~6"},
    {"Reshape", 5, "", "2x3 1~6; !i:3 0,1,-1", "2x1x3 1~6"},
    {"Reshape", 14, "allowzero=1", "2x3 1~6; !i:1 6", "6 1~6"},
    {"Flatten", 9, "", "2x3x1 1~6", "2x3 1~6"},
    {"Flatten", 11, "axis=-1", "2x3x2 1~12", "6x2 1~12"},
    {"Flatten", 11, "axis=0", "2x3 1~6", "1x6 1~6"},
    {"Transpose", 1, "", "2x3 1~6", "3x2 1,4,2,5,3,6"},
    {"Transpose", 13, "perm=1,0,2", "2x2x1 1~4", "2x2x1 1,3,2,4"},
    {"Squeeze", 1, "axes=0", "1x2x1 1,2", "2x1 1,2"},
    {"Squeeze", 11, "axes=-1", "1x2x1 1,2", "1x2 1,2"},
    {"Squeeze", 13, "", "1x2x1 1,2; !i:2 0,-1", "2 1,2"},
    {"Squeeze", 13, "", "1x2x1 1,2", "2 1,2"},
    {"Unsqueeze", 1, "axes=0,2", "2 1,2", "1x2x1 1,2"},
    {"Unsqueeze", 13, "", "2 1,2; !i:2 -1,0", "1x2x1 1,2"},
    {"Expand", 8, "", "2x1 1,2; !i:3 2,1,2", "2x2x2 1,1,2,2,1,1,2,2"},
    {"Expand", 13, "", "2 1,2; !i:1 1", "2 1,2"},
    {"Tile", 6, "", "1x2 1,2; !i:2 2,2", "2x4 1,2,1,2,1,2,1,2"},
    {"Tile", 1, "", "1x2 1,2; !s 2; !s 1", "1x4 1,2,1,2"},
    {"DepthToSpace", 11, "blocksize=2", "1x4x1x1 1~4", "1x1x2x2 1~4"},
    {"DepthToSpace", 11, "blocksize=2 mode=CRD", "1x8x1x1 1~8", "1x2x2x2 1~8"},
    {"DepthToSpace", 1, "blocksize=2", "1x8x1x1 1~8", "1x2x2x2 1,3,5,7,2,4,6,8"},
    {"SpaceToDepth", 13, "blocksize=2", "1x1x2x2 1~4", "1x4x1x1 1~4"},
    /* resizing */
    {"Upsample", 1, "height_scale=2.0 width_scale=1.0", "1x1x1x2 1,2", "1x1x2x2 1,2,1,2"},
    {"Upsample", 7, "scales=1,1,1,2 mode=nearest", "1x1x1x2 1,2", "1x1x1x4 1,1,2,2"},
    {"Upsample", 9, "mode=linear", "1x1x1x2 1,3; !4 1,1,1,2", "1x1x1x4 1,2,3,3"},
    {"Resize", 10, "", "1x1x1x2 1,2; !4 1,1,1,2", "1x1x1x4 1,1,2,2"},
    {"Resize", 10, "mode=nearest", "1x1x1x4 1~4; !4 1,1,1,0.5", "1x1x1x2 1,3"},
    {"Resize", 11, "coordinate_transformation_mode=asymmetric nearest_mode=floor",
     "1x1x1x2 1,2; !0 ; !4 1,1,1,2", "1x1x1x4 1,1,2,2"},
    {"Resize", 13, "mode=linear", "1x1x1x2 0,4; _; !4 1,1,1,2", "1x1x1x4 0,1,3,4"},
    {"Resize", 13, "mode=linear coordinate_transformation_mode=align_corners",
     "1x1x1x2 0,3; _; _; !i:4 1,1,1,4", "1x1x1x4 0,1,2,3"},
    {"Resize", 13, "mode=linear coordinate_transformation_mode=pytorch_half_pixel",
     "1x1x2x2 0,4,8,12; _; _; !i:4 1,1,1,4", "1x1x1x4 0,1,3,4"},
    {"Resize", 13, "coordinate_transformation_mode=tf_half_pixel_for_nn nearest_mode=floor",
     "1x1x1x4 1~4; _; !4 1,1,1,0.5", "1x1x1x2 2,4"},
    {"Resize", 13, "coordinate_transformation_mode=tf_half_pixel_for_nn", "1x1x1x4 1~4; _; _; !i:4 1,1,1,3",
     "1x1x1x3 2,3,4"},
    {"Resize", 13, "coordinate_transformation_mode=tf_half_pixel_for_nn", "1x1x1x3 1~3; _; _; !i:4 1,1,1,1",
     "1x1x1x1 2"},
    {"Resize", 18, "axes=3 antialias=1 mode=linear", "1x1x1x2 0,4; _; !1 2", "1x1x1x4 0,1,3,4"},
    {"Resize", 18, "axes=2,3 keep_aspect_ratio_policy=not_larger", "1x1x1x2 1,2; _; _; !i:2 4,4",
     "1x1x2x4 1,1,2,2,1,1,2,2"},
    {"Resize", 19, "coordinate_transformation_mode=half_pixel_symmetric mode=linear",
     "1x1x1x2 0,4; _; !4 1,1,1,2", "1x1x1x4 0,1,3,4"},
    {"Resize", 13, "", "1x1x2x2 1~4; _; !4 1,1,2,1", "1x1x4x2 1,2,1,2,3,4,3,4"},
    {"Resize", 13, "", "1x1x2x2 1~4; _; !4 1,2,1,1", "1x2x2x2 1,2,3,4,1,2,3,4"},
    {"Resize", 13, "", "1x1x2 1,2; _; !3 1,1,2", "1x1x4 1,1,2,2"},
    {"Resize", 13, "", "1x2 1,2; _; !2 2,1", "2x2 1,2,1,2"},
    /* linear algebra */
    {"Gemm", 7, "", "1x2 1,2; !2x2 1~4; !2 10,20", "1x2 17,30"},
    {"Gemm", 13, "transB=1 alpha=2.0 beta=0.5", "1x2 1,2; !2x2 1~4; !1x2 10,20", "1x2 15,32"},
    {"Gemm", 13, "transA=1", "2x1 1,2; !2x2 1~4; !s 1", "1x2 8,11"},
    {"Gemm", 13, "", "2x2 1~4; !2x1 1,10; !2x1 100,200", "2x1 121,243"},
    {"Gemm", 11, "transB=1", "1x2 1,2; 2x2 1~4; 2 10,20", "1x2 15,31"},
    {"Gemm", 11, "alpha=3.0", "1x2 1,2; 2x1 1,10", "1x1 63"},
    {"Gemm", 6, "broadcast=1", "1x2 1,2; !2x1 1,10; !1 1", "1x1 22"},
    {"MatMul", 13, "", "1x2 1,2; !2x2 1~4", "1x2 7,10"},
    {"MatMul", 13, "", "2x1x2 1,2,3,4; !2x1 1,10", "2x1x1 21,43"},
    {"MatMul", 13, "", "2x1x2 1,2,3,4; 2x2x1 1,10,1,10", "2x1x1 21,43"},
    {"MatMul", 13, "", "2 1,2; !2x2 1~4", "2 7,10"},
    {"MatMul", 13, "", "2x2 1~4; !2 1,10", "2 21,43"},
    {"MatMul", 9, "", "2 1,2; 2 1,10", "s 21"},
    {"MatMul", 9, "", "!2x2 1~4; 2x1 1,10", "2x1 21,43"},
    /* along axes */
    {"Softmax", 11, "", "1x2x2 0,0,0,0", "1x2x2 *0.25"},
    {"Softmax", 11, "axis=2", "1x2x2 *0", "1x2x2 *0.5"},
    {"Softmax", 1, "", "1x4x1x1 *0", "1x4x1x1 *0.25"},
    {"Softmax", 13, "", "1x2x2 0,0,0,0", "1x2x2 *0.5"},
    {"Softmax", 13, "axis=1", "1x4x1 *1", "1x4x1 *0.25"},
    {"LogSoftmax", 13, "axis=-1", "1x2 0,0", "1x2 *-0.693147"},
    {"LogSoftmax", 11, "axis=0", "2x2 *0", "2x2 *-1.386294"},
    {"LRN", 13, "size=3 alpha=3.0 beta=1.0", "1x3x1x1 1,2,3", "1x3x1x1 0.166667,0.133333,0.214286"},
    {"ReduceMean", 11, "axes=1", "2x2 1~4", "2x1 1.5,3.5"},
    {"ReduceMean", 18, "keepdims=0", "2x2 1~4; !i:1 -1", "2 1.5,3.5"},
    {"ReduceSum", 13, "", "2x2 1~4", "1x1 10"},
    {"ReduceSum", 13, "noop_with_empty_axes=1", "2x2 1~4", "2x2 1~4"},
    {"ReduceMax", 1, "axes=0 keepdims=0", "2x2 1~4", "2 3,4"},
    {"ArgMax", 13, "axis=1", "2x2 1,2,4,3", "i:2x1 1,0"},
    {"ArgMax", 12, "axis=-1 keepdims=0 select_last_index=1", "2x2 1,1,4,3", "i:2 1,0"},
    /* shapes of activations are constants */
    {"Shape", 1, "", "2x3 1~6", "i:2 2,3"},
    {"Shape", 15, "start=-1", "2x3 1~6", "i:1 3"},
    {"Shape", 15, "start=0 end=-1", "2x3 1~6", "i:1 2"},
    {"Size", 13, "", "2x3 1~6", "i:s 6"},
};

START_TEST(operators)
{
    check_op_case(&op_cases[_i]);
}
END_TEST

/* What is only evaluated on constants. */
static const om_case fold_cases[] = {
    {"Constant", 13, "value_float=2.5", "", "s 2.5"},
    {"Constant", 13, "value_int=3", "", "i:s 3"},
    {"Constant", 13, "value_ints=3,4", "", "i:2 3,4"},
    {"Constant", 13, "value_floats=3,4.5", "", "2 3,4.5"},
    {"Constant", 1, "value=tensor:1x2|3,4", "", "1x2 3,4"},
    {"ConstantOfShape", 9, "", "!i:2 1,2", "1x2 0,0"},
    {"ConstantOfShape", 9, "value=tensor:i:1|7", "!i:1 3", "i:3 7,7,7"},
    {"ConstantOfShape", 9, "", "!i:0 ", "s 0"},
    {"Range", 11, "", "!i:s 3; !i:s 9; !i:s 3", "i:2 3,6"},
    {"Range", 11, "", "!s 1; !s 0; !s -0.5", "2 1,0.5"},
    {"Add", 13, "", "!i:2 1,2; !i:s 3", "i:2 4,5"},
    {"Sub", 13, "", "!i:2x1 1,2; !i:2 3,4", "i:2x2 -2,-3,-1,-2"},
    {"Mul", 13, "", "!i:2 1,2; !i:1 3", "i:2 3,6"},
    {"Div", 13, "", "!i:2 -7,7; !i:1 2", "i:2 -3,3"},
    {"Mod", 13, "", "!i:2 -7,7; !i:1 3", "i:2 2,1"},
    {"Mod", 13, "fmod=1", "!i:2 -7,7; !i:1 3", "i:2 -1,1"},
    {"Mod", 13, "fmod=1", "!2 -7.5,7; !1 3", "2 -1.5,1"},
    {"Min", 13, "", "!i:2 1,5; !i:2 3,2", "i:2 1,2"},
    {"Max", 13, "", "!i:2 1,5; !i:2 3,2; !i:1 4", "i:2 4,5"},
    {"Pow", 13, "", "!i:2 2,-1; !i:2 5,3", "i:2 32,-1"},
    {"Neg", 13, "", "!i:2 1,-5", "i:2 -1,5"},
    {"Abs", 13, "", "!i:2 1,-5", "i:2 1,5"},
    {"Clip", 13, "", "!i:3 1,5,9; !i:s 2; !i:s 8", "i:3 2,5,8"},
    {"Concat", 13, "axis=0", "!i:1 1; !i:2 2,3; !i:0 ", "i:3 1,2,3"},
    {"Gather", 13, "", "!i:3 4,5,6; !i:s 1", "i:s 5"},
    {"Slice", 13, "", "!i:3 4,5,6; !i:1 1; !i:1 3", "i:2 5,6"},
    {"Squeeze", 13, "", "!i:1 4", "i:s 4"},
    {"Unsqueeze", 13, "", "!i:s 4; !i:1 0", "i:1 4"},
    {"Reshape", 13, "", "!i:2x2 1~4; !i:1 -1", "i:4 1~4"},
    {"Transpose", 13, "", "!i:2x2 1~4", "i:2x2 1,3,2,4"},
    {"Expand", 13, "", "!i:1 4; !i:1 3", "i:3 4,4,4"},
    {"Tile", 13, "", "!i:2 4,5; !i:1 2", "i:4 4,5,4,5"},
    {"Split", 13, "", "!i:2 4,5", "i:1 4; i:1 5"},
    {"Pad", 13, "", "!i:2 4,5; !i:2 1,0; !i:s 9", "i:3 9,4,5"},
    {"ReduceProd", 13, "keepdims=0", "!i:3 2,3,4", "i:s 24"},
    {"ReduceSum", 13, "", "!i:2x2 1~4; !i:1 1", "i:2x1 3,7"},
    {"ReduceMax", 13, "axes=0", "!i:2x2 1~4", "i:1x2 3,4"},
    {"ReduceMin", 18, "keepdims=0", "!i:2x2 1~4; !i:1 0", "i:2 1,2"},
    {"ReduceMin", 18, "", "!2 3.5,1.5", "1 1.5"},
    {"ReduceMean", 18, "", "!i:2 3,6", "i:1 4"},
    {"Equal", 13, "", "!i:2 1,2; !i:1 2", "b:2 0,1"},
    {"Equal", 13, "", "!2 1,2; !2 1,3", "b:2 1,0"},
    {"Greater", 13, "", "!2 1,2; !1 1.5", "b:2 0,1"},
    {"Less", 13, "", "!i:2 1,2; !i:1 2", "b:2 1,0"},
    {"GreaterOrEqual", 16, "", "!i:2 1,2; !i:1 2", "b:2 0,1"},
    {"LessOrEqual", 16, "", "!i:2 1,3; !i:1 2", "b:2 1,0"},
    {"And", 7, "", "!b:2 1,0; !b:1 1", "b:2 1,0"},
    {"Or", 7, "", "!b:2 1,0; !b:1 1", "b:2 1,1"},
    {"Xor", 7, "", "!b:2 1,0; !b:1 1", "b:2 0,1"},
    {"Not", 1, "", "!b:2 1,0", "b:2 0,1"},
    {"Where", 9, "", "!b:2x1 1,0; !i:2 1,2; !i:1 9", "i:2x2 1,2,9,9"},
    {"NonZero", 9, "", "!2x2 1,0,0,5", "i:2x2 0,1,0,1"},
    {"ScatterND", 11, "", "!i:3 1,2,3; !i:1x1 -1; !i:1 9", "i:3 1,2,9"},
    {"ScatterND", 13, "", "!2x2 1~4; !i:1x1 0; !1x2 8,9", "2x2 8,9,3,4"},
    {"Cast", 13, "to=9", "!2 0.5,0", "b:2 1,0"},
};

START_TEST(constants)
{
    check_op_case(&fold_cases[_i]);
}
END_TEST

/* Every row of the registry is run by one of the tables above, so that none can be listed untested. */
START_TEST(registry_is_sorted_and_covered)
{
    const gt_onnx_op_info *before = NULL;
    size_t n = 0;
    for (const gt_onnx_op_info *op; (op = gt_onnx_supported_ops(n)) != NULL; n++) {
        bool covered = false;
        ck_assert(before == NULL || strcmp(before->name, op->name) < 0);
        for (int i = 0; i < N(op_cases); i++) {
            covered = covered || strcmp(op_cases[i].op, op->name) == 0;
        }
        for (int i = 0; i < N(fold_cases); i++) {
            covered = covered || strcmp(fold_cases[i].op, op->name) == 0;
        }
        ck_assert_msg(covered, "%s is in onnx_ops.inc but in no table here", op->name);
        before = op;
    }
    ck_assert_int_gt((int)n, 70);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import operators");
    TCase *ops = tcase_create("operators");
    tcase_add_loop_test(ops, operators, 0, N(op_cases));
    tcase_add_loop_test(ops, constants, 0, N(fold_cases));
    tcase_add_test(ops, registry_is_sorted_and_covered);
    suite_add_tcase(suite, ops);
    return om_run(suite);
}
