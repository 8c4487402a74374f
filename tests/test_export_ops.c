/* SPDX-License-Identifier: Apache-2.0 */
/* Every op as a plan's export states it: a valid model that is read back as the same function, whatever is fused. */
#include "src/graph/pair.h"
#include "tests/export_check.h"

#include "tests/graph_build.h"
#include "tests/ncnn_model.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* ---- one op each, written as a workload ---- */

typedef struct op_case {
    const char *workload;
    const char *types; /* of the nodes, in order; one that begins with '*' is of graphtune's own domain */
} op_case;

#define CONV "stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1"

static const op_case op_cases[] = {
    {"conv2d(1x4x5x6,8x4x3x3!,8!,_)->1x8x5x6{" CONV "}", "Conv"},
    {"conv2d(1x4x9x8,8x2x3x2!,_,_)->1x8x4x6{stride=2x1,pad=0x1x1x0,dilation=1x3,groups=2}", "Conv"},
    {"conv2d(1x4x5x6,4x1x3x3!,4!,_)->1x4x5x6{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=4,act=relu}", "Conv Relu"},
    {"conv2d(1x4x5x6,8x4x3x3!,8!,1x8x5x6)->1x8x5x6{" CONV ",act=relu,residual=before}", "Conv Add Relu"},
    {"conv2d(1x4x5x6,8x4x3x3!,8!,1x8x5x6)->1x8x5x6{" CONV ",act=swish,residual=after}", "Conv Sigmoid Mul Add"},
    {"conv2d(1x4x5x6,8x4x3x3!,8!,1x8x5x6)->1x8x5x6{" CONV ",residual=before}", "Conv Add"},
    {"conv2d(1x4x5x6,8x4x3x3!,8!,_)->1x8x5x6{" CONV ",act=clip,alpha=0,beta=6}", "Conv Clip"},
    {"conv2d(1x4x5x6,8x4x3x3!,8!,_)->1x8x5x6{" CONV ",act=leaky_relu,alpha=0.1}", "Conv LeakyRelu"},
    {"conv2d(1x4x5x6,8x4x3x3!,8!,_)->1x8x5x6{" CONV ",act=elu,alpha=0.5}", "Conv Elu"},
    {"conv2d(1x4x5x6,8x4x3x3!,8!,_)->1x8x5x6{" CONV ",act=sigmoid}", "Conv Sigmoid"},
    {"conv2d(1x4x5x6,8x4x3x3!,8!,_)->1x8x5x6{" CONV ",act=hard_sigmoid,alpha=0.2,beta=0.5}", "Conv HardSigmoid"},
    {"conv2d(1x4x5x6,8x4x3x3!,8!,_)->1x8x5x6{" CONV ",act=hard_swish,alpha=0.16666667,beta=0.5}", "Conv HardSigmoid Mul"},
    {"conv2d(1x4x5x6,8x4x3x3!,8!,_)->1x8x5x6{" CONV ",act=tanh}", "Conv Tanh"},
    {"conv2d(1x4x5x6,8x4x3x3!,8!,_)->1x8x5x6{" CONV ",act=mish}", "Conv Softplus Tanh Mul"},
    {"conv_transpose2d(1x4x3x3,4x2x4x4!,2!)->1x2x6x6{stride=2x2,pad=1x1x1x1,dilation=1x1,groups=1}", "ConvTranspose"},
    {"conv_transpose2d(1x4x3x3,4x2x2x3!,_)->1x4x7x5{stride=2x1,pad=0x0x0x0,dilation=1x1,groups=2,act=relu}",
     "ConvTranspose Relu"},
    {"dense(2x6,5x6!,5!)->2x5{rows=0,act=tanh}", "Gemm Tanh"},
    {"dense(1x2x3x2,5x12!,_)->1x5{rows=0}", "Flatten Gemm"},
    {"dense(2x3x6,5x6!,5!)->2x3x5{rows=1,act=relu}", "MatMul Add Relu"},
    {"dense(2x3x6,5x6!,_)->2x3x5{rows=1}", "MatMul"},
    {"matmul(2x1x3x4,5x4x6)->2x5x3x6", "MatMul"},
    {"pool2d(1x3x7x7)->1x3x3x3{mode=max,kernel=3x3,stride=2x2,pad=0x0x0x0,dilation=1x1,count_pad=0}", "MaxPool"},
    {"pool2d(1x3x8x8)->1x3x4x4{mode=max,kernel=3x3,stride=2x2,pad=0x0x0x0,dilation=1x1,count_pad=0}", "MaxPool"},
    {"pool2d(1x3x8x8)->1x3x3x4{mode=max,kernel=3x3,stride=2x2,pad=0x0x0x0,dilation=1x1,count_pad=0}", "*Pool2d"},
    {"pool2d(1x3x8x8)->1x3x4x5{mode=average,kernel=3x3,stride=2x2,pad=1x1x1x1,dilation=1x1,count_pad=1}", "AveragePool"},
    {"pool2d(1x3x9x9)->1x3x4x4{mode=max,kernel=2x2,stride=2x2,pad=0x0x0x0,dilation=1x2,count_pad=0}", "MaxPool"},
    {"pool2d(1x3x9x9)->1x3x8x7{mode=average,kernel=2x2,stride=1x1,pad=0x0x0x0,dilation=1x2,count_pad=0}", "*Pool2d"},
    {"pool2d(1x3x5x5)->1x3x5x5{mode=average,kernel=3x3,stride=1x1,pad=1x1x1x1,dilation=1x1,count_pad=0}", "AveragePool"},
    {"reduce(1x3x4x5)->1x3x1x1{mode=mean,axes=[2 3],keepdims=1}", "GlobalAveragePool"},
    {"reduce(1x3x4x5)->1x3x1x1{mode=max,axes=[2 3],keepdims=1}", "GlobalMaxPool"},
    {"reduce(1x3x4x5)->1x3{mode=mean,axes=[2 3],keepdims=0}", "ReduceMean"},
    {"reduce(1x3x4x5)->1x1x4x5{mode=max,axes=[1],keepdims=1}", "ReduceMax"},
    {"reduce(1x3x4x5)->1x3x1x1{mode=sum,axes=[2 3],keepdims=1}", "ReduceSum"},
    {"unary(1x3x2x2)->1x3x2x2{f=relu,alpha=0,beta=0}", "Relu"},
    {"unary(1x3x2x2)->1x3x2x2{f=clip,alpha=0.2,beta=0.5}", "Clip"},
    {"unary(1x3x2x2)->1x3x2x2{f=leaky_relu,alpha=0.1,beta=0}", "LeakyRelu"},
    {"unary(1x3x2x2)->1x3x2x2{f=elu,alpha=0.3,beta=0}", "Elu"},
    {"unary(1x3x2x2)->1x3x2x2{f=sigmoid,alpha=0,beta=0}", "Sigmoid"},
    {"unary(1x3x2x2)->1x3x2x2{f=hard_sigmoid,alpha=0.2,beta=0.4}", "HardSigmoid"},
    {"unary(1x3x2x2)->1x3x2x2{f=hard_swish,alpha=0.2,beta=0.4}", "HardSigmoid Mul"},
    {"unary(1x3x2x2)->1x3x2x2{f=tanh,alpha=0,beta=0}", "Tanh"},
    {"unary(1x3x2x2)->1x3x2x2{f=swish,alpha=0,beta=0}", "Sigmoid Mul"},
    {"unary(1x3x2x2)->1x3x2x2{f=mish,alpha=0,beta=0}", "Softplus Tanh Mul"},
    {"unary(1x3x2x2)->1x3x2x2{f=softplus,alpha=0,beta=0}", "Softplus"},
    {"unary(1x3x2x2)->1x3x2x2{f=exp,alpha=0,beta=0}", "Exp"},
    {"unary(1x3x2x2)->1x3x2x2{f=log,alpha=0,beta=0}", "Log"},
    {"unary(1x3x2x2)->1x3x2x2{f=sqrt,alpha=0,beta=0}", "Sqrt"},
    {"unary(1x3x2x2)->1x3x2x2{f=reciprocal,alpha=0,beta=0}", "Reciprocal"},
    {"unary(1x3x2x2)->1x3x2x2{f=abs,alpha=0,beta=0}", "Abs"},
    {"unary(1x3x2x2)->1x3x2x2{f=neg,alpha=0,beta=0}", "Neg"},
    {"unary(1x3x2x2)->1x3x2x2{f=floor,alpha=0,beta=0}", "Floor"},
    {"unary(1x3x2x2)->1x3x2x2{f=ceil,alpha=0,beta=0}", "Ceil"},
    {"unary(1x3x2x2)->1x3x2x2{f=erf,alpha=0,beta=0}", "Erf"},
    {"binary(1x3x2x2,1x3x2x2)->1x3x2x2{f=add,act=relu}", "Add Relu"},
    {"binary(1x3x2x2,1x3x1x1)->1x3x2x2{f=sub}", "Sub"},
    {"binary(1x3x1x1!,1x3x2x2)->1x3x2x2{f=mul}", "Mul"},
    {"binary(1x3x2x2,1x1x1x1!)->1x3x2x2{f=div}", "Div"},
    {"binary(1x3x2x2,1x3x2x2)->1x3x2x2{f=min}", "Min"},
    {"binary(1x3x2x2,1x3x2x2)->1x3x2x2{f=max}", "Max"},
    {"binary(1x3x2x2,1x3x2x2)->1x3x2x2{f=pow}", "Pow"},
    {"binary(1x3x2x2,1x3x1x1!)->1x3x2x2{f=prelu}", "PRelu"},
    {"scale(1x3x2x2,3!,3!)->1x3x2x2{act=relu}", "Mul Add Relu"},
    {"scale(2x3,3!,3!)->2x3", "Mul Add"},
    {"concat(1x3x2x2,1x5x2x2,1x2x2x2!)->1x10x2x2{axis=1}", "Concat"},
    {"slice(1x20x4x4)->1x5x2x4{start=[0 3 0 0],step=[1 1 2 1]}", "Slice"},
    {"slice(3x4)->2x2{start=[0 2],step=[2 -2]}", "Slice"},
    {"slice(3x4)->3x4{start=[0 3],step=[1 -1]}", "Slice"},
    {"slice(3x4)->3x2{start=[0 3],step=[1 -2]}", "Slice"},
    {"slice(3x4)->3x4{start=[0 0],step=[1 1]}", "Slice"},
    {"pad(1x3x2x2)->1x3x4x5{mode=constant,before=[0 0 1 1],after=[0 0 1 2],value=-1.5}", "Pad"},
    {"pad(1x3x2x2)->1x3x4x4{mode=constant,before=[0 0 1 1],after=[0 0 1 1],value=0}", "Pad"},
    {"pad(1x3x3x3)->1x3x5x4{mode=reflect,before=[0 0 1 1],after=[0 0 1 0],value=0}", "Pad"},
    {"pad(1x3x3x3)->1x3x5x4{mode=edge,before=[0 0 1 1],after=[0 0 1 0],value=0}", "Pad"},
    {"resize(1x2x3x4)->1x2x6x8{mode=nearest,coord=asymmetric,nearest=floor,scale_h=2,scale_w=2}", "Resize"},
    {"resize(1x2x4x4)->1x2x6x5{mode=linear,coord=align_corners,nearest=round_prefer_floor,scale_h=1.5,scale_w=1.25}", "Resize"},
    {"resize(1x2x3x3)->1x2x7x7{mode=linear,coord=half_pixel,nearest=round_prefer_floor,scale_h=2.3333333,scale_w=2.3333333}", "Resize"},
    {"resize(1x2x4x4)->1x2x3x3{mode=linear,coord=pytorch_half_pixel,nearest=round_prefer_floor,scale_h=0.75,scale_w=0.8}", "Resize"},
    {"resize(1x2x3x3)->1x2x7x6{mode=nearest,coord=half_pixel,nearest=round_prefer_ceil,scale_h=2.2,scale_w=2.3}", "*Resize"},
    {"softmax(1x3x2x2)->1x3x2x2{axis=1,log=0}", "Softmax"},
    {"softmax(2x3)->2x3{axis=1,log=1}", "LogSoftmax"},
    {"lrn(1x5x2x2)->1x5x2x2{size=3,alpha=0.01,beta=0.75,bias=2}", "LRN"},
    {"channel_shuffle(1x6x2x3)->1x6x2x3{groups=2}", "Reshape Transpose Reshape"},
    {"depth_to_space(1x8x2x3)->1x2x4x6{block=2,crd=0}", "DepthToSpace"},
    {"depth_to_space(1x8x2x3)->1x2x4x6{block=2,crd=1}", "DepthToSpace"},
    {"space_to_depth(1x2x4x6)->1x8x2x3{block=2}", "SpaceToDepth"},
    {"reshape(1x3x2x2)->1x12", "Reshape"},
    {"transpose(1x3x2x4)->1x2x4x3{perm=[0 2 3 1]}", "Transpose"},
    {"gather(2x3)->2x2{axis=1,indices=[2 0],scalar=0}", "Gather"},
    {"gather(2x3)->2{axis=1,indices=[1],scalar=1}", "Gather"},
    {"tile(1x2)->3x4{repeats=[3 2]}", "Tile"},
    {"argmax(2x3)->i64:2x1{axis=1,keepdims=1,last=1}", "ArgMax"},
    {"argmax(2x3)->i64:3{axis=0,keepdims=0,last=0}", "ArgMax"},
    {"cast(2x3)->i64:2x3", "Cast"},
    {"cast(3)->bool:3", "Cast"},
    {"copy(1x3)->1x3", "Identity"},
    {"detection_output(1x8,1x2x2,1x2x8!)->1x2x6{rows=2,top_k=9,confidence=0.5,nms=0.45}", "*DetectionOutput"},
    {"yolo_detection_output(1x7x2x2,1x7x1x1,2x1x2!)->1x5x6{rows=5,confidence=0.5,nms=0.45,softmax=1}", "*YoloDetectionOutput"},
};

/* A network of this op alone; what is not constant is an input. */
static gt_graph *graph_of(const char *text)
{
    gt_workload *w = NULL;
    int inputs[8];
    gt_graph *g = gb_graph();
    gt_status status = gt_workload_parse(&w, text);
    ck_assert_msg(status == GT_OK, "%s: %s", text, gt_error_message());
    for (int i = 0; i < w->n_inputs; i++) {
        const gt_operand *in = &w->inputs[i];
        inputs[i] = !in->present ? GT_NO_TENSOR : in->constant ? gb_const(g, in->shape, 0.1f, 1) : gb_input(g, in->shape);
    }
    int y = 0;
    xc_ok(gt_graph_add_op(g, NULL, &y, w->kind, "node", "y", &w->attrs, &w->epilogue, w->n_inputs, inputs, &w->output));
    xc_ok(gt_graph_add_output(g, y, "y"));
    xc_ok(gt_graph_finish(g));
    gt_workload_destroy(w);
    return g;
}

/* The nodes of the op, transforms aside, as op_case states them. */
static void check_types(const gt_onnx_model *model, const op_case *c)
{
    gt_text types = {0};
    for (size_t i = 0; i < model->n_nodes; i++) {
        const gt_onnx_node *node = &model->nodes[i];
        if (xc_note(&node->notes, "graphtune.transform") == NULL) {
            xc_ok(gt_text_append(&types, "%s%s%s", types.length > 0 ? " " : "",
                                 strcmp(node->domain, GT_EXPORT_DOMAIN) == 0 ? "*" : "", node->op_type));
        }
    }
    ck_assert_msg(strcmp(types.data, c->types) == 0, "%s: nodes are %s, not %s", c->workload, types.data, c->types);
    gt_text_destroy(&types);
}

/* What no importer of ONNX takes is written all the same, for onnx.checker. */
static void check_case(gt_graph *g, const gt_onnx_model *model, const char *name)
{
    char path[1200];
    if (xc_count_own(model) > 0) {
        snprintf(path, sizeof path, "%s/%s.onnx", xc_folder, name);
        xc_ok(gt_onnx_write(model, path));
        return;
    }
    gt_graph_destroy(xc_read_back(g, model, name, true));
    gt_graph_destroy(xc_read_back(g, model, name, false));
}

START_TEST(ops)
{
    const op_case *c = &op_cases[_i];
    char name[32];
    snprintf(name, sizeof name, "op%d", _i);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        gt_graph *g = graph_of(c->workload);
        gt_plan *plan = xc_plan(g, seed);
        gt_onnx_model *model = xc_export(g, plan, NULL);
        check_types(model, c);
        xc_check_notes(model, g, plan);
        check_case(g, model, name);
        gt_onnx_model_destroy(model);
        gt_plan_destroy(plan);
        gt_graph_destroy(g);
    }
}
END_TEST

/* Without a case a new kind, function or residual would go out untested. */
START_TEST(every_kind_has_a_case)
{
    bool kinds[GT_OP_KIND_COUNT] = {false};
    bool functions[GT_FN_ERF + 1] = {[GT_FN_NONE] = true};
    bool activations[GT_FN_LAST_ACTIVATION + 1] = {false};
    for (int i = 0; i < COUNT(op_cases); i++) {
        gt_workload *w = NULL;
        xc_ok(gt_workload_parse(&w, op_cases[i].workload));
        kinds[w->kind] = true;
        activations[w->epilogue.act] = true;
        if (w->kind == GT_OP_UNARY) {
            functions[w->attrs.unary.function] = true;
        }
        gt_workload_destroy(w);
    }
    for (int i = 0; i < GT_OP_KIND_COUNT; i++) {
        /* Graphs keep two ops that are done as one apart. */
        ck_assert_msg(kinds[i] != gt_op_kind_is_pair((gt_op_kind)i), "no case of %s", gt_op_kind_name((gt_op_kind)i));
    }
    for (int i = 0; i <= GT_FN_ERF; i++) {
        ck_assert_msg(functions[i], "no case of %s", gt_function_name((gt_function)i));
    }
    for (int i = 0; i <= GT_FN_LAST_ACTIVATION; i++) {
        ck_assert_msg(activations[i], "no case with the activation %s", gt_function_name((gt_function)i));
    }
}
END_TEST

/* The attributes of an operator of ours are those of the op, under the same names. */
START_TEST(own_operators_keep_their_attributes)
{
    gt_graph *g = graph_of("yolo_detection_output(1x7x2x2,1x7x1x1,2x1x2!)->1x5x6{rows=5,confidence=0.5,nms=0.45,softmax=1}");
    gt_plan *plan = xc_plan(g, 1);
    gt_onnx_model *model = xc_export(g, plan, NULL);
    const gt_onnx_node *node = &model->nodes[model->n_nodes - 1];
    ck_assert_uint_eq(model->n_domains, 1);
    ck_assert_str_eq(model->domains[0], GT_EXPORT_DOMAIN);
    ck_assert_uint_eq(node->n_inputs, 3);
    ck_assert_int_eq(gt_onnx_find_attr(node, "rows")->i, 5);
    ck_assert_int_eq(gt_onnx_find_attr(node, "softmax")->i, 1);
    ck_assert_float_eq(gt_onnx_find_attr(node, "confidence")->f, 0.5f);
    ck_assert_float_eq(gt_onnx_find_attr(node, "nms")->f, 0.45f);
    gt_onnx_model_destroy(model);
    gt_plan_destroy(plan);
    gt_graph_destroy(g);
    g = graph_of("pool2d(1x3x9x9)->1x3x8x7{mode=average,kernel=2x2,stride=1x1,pad=0x0x0x0,dilation=1x2,count_pad=0}");
    plan = xc_plan(g, 1);
    model = xc_export(g, plan, NULL);
    for (size_t i = 0; i < model->n_nodes; i++) {
        if (strcmp(model->nodes[i].op_type, "Pool2d") == 0) {
            ck_assert_str_eq(gt_onnx_find_attr(&model->nodes[i], "mode")->s, "average");
            ck_assert_int_eq(gt_onnx_find_attr(&model->nodes[i], "dilation")->ints[1], 2);
            ck_assert_uint_eq(gt_onnx_find_attr(&model->nodes[i], "pad")->count, 4);
        }
    }
    gt_onnx_model_destroy(model);
    gt_plan_destroy(plan);
    gt_graph_destroy(g);
}
END_TEST

/* ---- everything that ncnn has ---- */

START_TEST(ncnn_layers)
{
    static nm_literal in[8];
    char name[32];
    gt_graph *g = NULL;
    snprintf(nm_param_path, sizeof nm_param_path, "%s/net.param", xc_folder);
    snprintf(nm_bin_path, sizeof nm_bin_path, "%s/net.bin", xc_folder);
    nm_write_case(&nm_cases[_i], in);
    nm_ok(gt_import_file(&g, nm_param_path, NULL));
    gt_plan *plan = xc_plan(g, 1);
    gt_onnx_model *model = xc_export(g, plan, NULL);
    snprintf(name, sizeof name, "ncnn%d", _i);
    xc_check_notes(model, g, plan);
    check_case(g, model, name);
    gt_onnx_model_destroy(model);
    gt_plan_destroy(plan);
    gt_graph_destroy(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("export: ops");
    TCase *ops_case = tcase_create("ops");
    tcase_add_loop_test(ops_case, ops, 0, COUNT(op_cases));
    tcase_add_test(ops_case, every_kind_has_a_case);
    tcase_add_test(ops_case, own_operators_keep_their_attributes);
    suite_add_tcase(suite, ops_case);
    TCase *ncnn = tcase_create("ncnn");
    tcase_add_loop_test(ncnn, ncnn_layers, 0, nm_n_cases);
    suite_add_tcase(suite, ncnn);
    return xc_run(suite);
}
