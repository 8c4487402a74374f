/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle against values worked out by hand from the ONNX definitions of the operators. */
#include "ops/reference.h"
#include "src/base/memory.h"
#include "src/base/rng.h"
#include "tests/runner.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F(...) ((const float[]){__VA_ARGS__})
#define L(...) ((const int64_t[]){__VA_ARGS__})
#define IMAGE9 F(1, 2, 3, 4, 5, 6, 7, 8, 9)
#define CONV "stride=1x1,pad=0x0x0x0,dilation=1x1,groups=1"

typedef struct f32_case {
    const char *key;
    const float *in[6];
    const float *want;
} f32_case;

static const f32_case cases[] = {
    {"conv2d(1x1x3x3,1x1x2x2!,1!,_)->1x1x2x2{" CONV "}", {IMAGE9, F(1, 0, 0, 1), F(10)}, F(16, 18, 22, 24)},
    {"conv2d(1x1x3x3,1x1x3x3!,_,1x1x2x2)->1x1x2x2{stride=2x2,pad=1x1x1x1,dilation=1x1,groups=1,act=relu,"
     "residual=before}",
     {IMAGE9, F(1, 1, 1, 1, 1, 1, 1, 1, 1), NULL, F(-20, 0, -30, 0)},
     F(0, 16, 0, 28)},
    {"conv2d(1x1x3x3,1x1x3x3!,_,1x1x2x2)->1x1x2x2{stride=2x2,pad=1x1x1x1,dilation=1x1,groups=1,act=relu,"
     "residual=after}",
     {IMAGE9, F(1, 1, 1, 1, 1, 1, 1, 1, 1), NULL, F(-20, 0, -30, 0)},
     F(-8, 16, -6, 28)},
    {"conv2d(1x2x1x3,2x1x1x2!,_,_)->1x2x1x1{stride=1x1,pad=0x0x0x0,dilation=1x2,groups=2}",
     {F(1, 2, 3, 4, 5, 6), F(1, 1, 1, -1)},
     F(4, -2)},
    {"conv_transpose2d(1x1x2x2,1x1x2x2!,_)->1x1x4x4{stride=2x2,pad=0x0x0x0,dilation=1x1,groups=1}",
     {F(1, 2, 3, 4), F(1, 10, 100, 1000)},
     F(1, 10, 2, 20, 100, 1000, 200, 2000, 3, 30, 4, 40, 300, 3000, 400, 4000)},
    {"conv_transpose2d(1x1x1x2,1x1x1x2!,1!)->1x1x1x3{" CONV "}", {F(1, 2), F(1, 10), F(5)}, F(6, 17, 25)},
    {"conv_transpose2d(1x1x1x2,1x1x1x2!,1!)->1x1x1x2{stride=1x1,pad=0x1x0x0,dilation=1x1,groups=1}",
     {F(1, 2), F(1, 10), F(5)},
     F(17, 25)},
    {"conv_transpose2d(1x2x1x1,2x1x1x1!,_)->1x2x1x1{stride=1x1,pad=0x0x0x0,dilation=1x1,groups=2}",
     {F(2, 3), F(5, 7)},
     F(10, 21)},
    {"conv_transpose2d(1x1x1x1,1x2x1x1!,_)->1x2x1x1{" CONV "}", {F(3), F(1, 2)}, F(3, 6)},
    {"dense(2x2,3x2!,3!)->2x3{rows=0}", {F(1, 2, 3, 4), F(1, 0, 0, 1, 1, 1), F(10, 20, 30)},
     F(11, 22, 33, 13, 24, 37)},
    {"dense(1x1x1x2,1x2!,_)->1x1{rows=0,act=relu}", {F(1, -3), F(1, 1)}, F(0)},
    {"dense(1x2x2,1x2!,_)->1x2x1{rows=1}", {F(1, 2, 3, 4), F(1, 10)}, F(21, 43)},
    {"matmul(2x2,2x2)->2x2", {F(1, 2, 3, 4), F(5, 6, 7, 8)}, F(19, 22, 43, 50)},
    {"matmul(2x1x1,1x1x2)->2x1x2", {F(2, 3), F(5, 7)}, F(10, 14, 15, 21)},
    {"matmul(2x1,2x1x2)->2x2x2", {F(2, 3), F(5, 7, 11, 13)}, F(10, 14, 15, 21, 22, 26, 33, 39)},
    {"pool2d(1x1x3x3)->1x1x2x2{mode=max,kernel=2x2,stride=1x1,pad=0x0x0x0,dilation=1x1,count_pad=0}",
     {IMAGE9},
     F(5, 6, 8, 9)},
    {"pool2d(1x1x1x2)->1x1x1x3{mode=max,kernel=1x2,stride=1x1,pad=0x1x0x1,dilation=1x1,count_pad=0}",
     {F(-1, -2)},
     F(-1, -1, -2)},
    {"pool2d(1x1x2x2)->1x1x2x2{mode=average,kernel=2x2,stride=2x2,pad=1x1x1x1,dilation=1x1,count_pad=0}",
     {F(1, 2, 3, 4)},
     F(1, 2, 3, 4)},
    {"pool2d(1x1x2x2)->1x1x2x2{mode=average,kernel=2x2,stride=2x2,pad=1x1x1x1,dilation=1x1,count_pad=1}",
     {F(1, 2, 3, 4)},
     F(0.25f, 0.5f, 0.75f, 1)},
    {"pool2d(1x1x1x3)->1x1x1x2{mode=average,kernel=1x2,stride=1x2,pad=0x0x0x0,dilation=1x1,count_pad=1}",
     {F(1, 2, 3)},
     F(1.5f, 3)},
    {"pool2d(1x1x3x3)->1x1x1x1{mode=average,kernel=2x2,stride=1x1,pad=0x0x0x0,dilation=2x2,count_pad=0}",
     {IMAGE9},
     F(5)},
    {"reduce(1x2x1x3)->1x2x1x1{mode=mean,axes=[2 3],keepdims=1}", {F(1, 2, 3, 4, 5, 6)}, F(2, 5)},
    {"reduce(2x3)->3{mode=sum,axes=[0],keepdims=0}", {F(1, 2, 3, 4, 5, 6)}, F(5, 7, 9)},
    {"reduce(2x3)->2x1{mode=max,axes=[1],keepdims=1}", {F(-1, -2, -3, 4, 6, 5)}, F(-1, 6)},
    {"reduce(2x2x2)->2{mode=sum,axes=[0 2],keepdims=0}", {F(1, 2, 3, 4, 5, 6, 7, 8)}, F(14, 22)},
    {"binary(2x2,1x2)->2x2{f=add}", {F(1, 2, 3, 4), F(10, 20)}, F(11, 22, 13, 24)},
    {"binary(2x1,1x2)->2x2{f=sub}", {F(1, 2), F(10, 20)}, F(-9, -19, -8, -18)},
    {"binary(3,3)->3{f=mul,act=clip,alpha=0,beta=6}", {F(1, 2, -3), F(2, 4, 5)}, F(2, 6, 0)},
    {"binary(2,1)->2{f=div}", {F(1, 3), F(2)}, F(0.5f, 1.5f)},
    {"binary(2,2)->2{f=min}", {F(1, 5), F(2, 4)}, F(1, 4)},
    {"binary(2,2)->2{f=max}", {F(1, NAN), F(2, 4)}, F(2, NAN)},
    {"binary(2,2)->2{f=pow}", {F(2, 9), F(3, 0.5f)}, F(8, 3)},
    {"binary(1x2x1x2,1x2x1x1!)->1x2x1x2{f=prelu}", {F(1, -1, 2, -2), F(0.5f, 0.25f)}, F(1, -0.5f, 2, -0.5f)},
    {"scale(1x2x1x2,2!,2!)->1x2x1x2{act=relu}", {F(1, 2, 3, 4), F(10, -1), F(1, 3)}, F(11, 21, 0, 0)},
    {"concat(1x2,1x1,1x2)->1x5{axis=1}", {F(1, 2), F(3), F(4, 5)}, F(1, 2, 3, 4, 5)},
    {"concat(2x1,2x2)->2x3{axis=1}", {F(1, 2), F(3, 4, 5, 6)}, F(1, 3, 4, 2, 5, 6)},
    {"slice(3x4)->2x2{start=[0 3],step=[2 -2]}", {F(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)}, F(3, 1, 11, 9)},
    {"pad(2)->5{mode=constant,before=[1],after=[2],value=7}", {F(1, 2)}, F(7, 1, 2, 7, 7)},
    {"pad(3)->7{mode=reflect,before=[2],after=[2],value=0}", {F(1, 2, 3)}, F(3, 2, 1, 2, 3, 2, 1)},
    {"pad(1x2)->2x5{mode=edge,before=[1 1],after=[0 2],value=0}", {F(1, 2)}, F(1, 1, 2, 2, 2, 1, 1, 2, 2, 2)},
    {"resize(1x1x2x2)->1x1x4x4{mode=nearest,coord=asymmetric,nearest=floor,scale_h=2,scale_w=2}",
     {F(1, 2, 3, 4)},
     F(1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4)},
    {"resize(1x1x2x2)->1x1x4x4{"
     "mode=linear,coord=half_pixel,nearest=round_prefer_floor,scale_h=2,scale_w=2}",
     {F(1, 2, 3, 4)},
     F(1, 1.25f, 1.75f, 2, 1.5f, 1.75f, 2.25f, 2.5f, 2.5f, 2.75f, 3.25f, 3.5f, 3, 3.25f, 3.75f, 4)},
    {"resize(1x1x1x2)->1x1x1x4{"
     "mode=linear,coord=align_corners,nearest=round_prefer_floor,scale_h=1,scale_w=2}",
     {F(1, 4)},
     F(1, 2, 3, 4)},
    {"resize(1x1x1x4)->1x1x1x2{"
     "mode=nearest,coord=half_pixel,nearest=round_prefer_floor,scale_h=1,scale_w=0.5}",
     {F(1, 2, 3, 4)},
     F(1, 3)},
    {"resize(1x1x1x4)->1x1x1x2{"
     "mode=nearest,coord=half_pixel,nearest=round_prefer_ceil,scale_h=1,scale_w=0.5}",
     {F(1, 2, 3, 4)},
     F(2, 4)},
    {"resize(1x1x1x4)->1x1x1x2{mode=nearest,coord=half_pixel,nearest=floor,scale_h=1,scale_w=0.5}",
     {F(1, 2, 3, 4)},
     F(1, 3)},
    {"resize(1x1x1x4)->1x1x1x2{mode=nearest,coord=half_pixel,nearest=ceil,scale_h=1,scale_w=0.5}",
     {F(1, 2, 3, 4)},
     F(2, 4)},
    {"resize(1x1x1x4)->1x1x1x1{"
     "mode=linear,coord=half_pixel,nearest=round_prefer_floor,scale_h=1,scale_w=0.25}",
     {F(1, 2, 3, 4)},
     F(2.5f)},
    {"resize(1x1x1x4)->1x1x1x1{"
     "mode=linear,coord=pytorch_half_pixel,nearest=round_prefer_floor,scale_h=1,scale_w=0.25}",
     {F(1, 2, 3, 4)},
     F(1)},
    {"resize(1x1x1x4)->1x1x1x2{mode=nearest,coord=asymmetric,nearest=floor,scale_h=1,scale_w=0.6}",
     {F(1, 2, 3, 4)},
     F(1, 2)},
    {"resize(1x1x1x6)->1x1x1x14{"
     "mode=nearest,coord=asymmetric,nearest=floor,scale_h=1,scale_w=2.3333333}",
     {F(1, 2, 3, 4, 5, 6)},
     F(1, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6)},
    {"softmax(1x3)->1x3{axis=1,log=0}", {F(0, 0.6931472f, 1.0986123f)}, F(1 / 6.f, 2 / 6.f, 3 / 6.f)},
    {"softmax(3x1)->3x1{axis=0,log=1}", {F(0, 0.6931472f, 1.0986123f)},
     F(-1.7917595f, -1.0986123f, -0.6931472f)},
    {"softmax(2x2)->2x2{axis=0,log=0}", {F(1000, 3, 1000, 3)}, F(0.5f, 0.5f, 0.5f, 0.5f)},
    {"lrn(1x3x1x1)->1x3x1x1{size=3,alpha=3,beta=1,bias=1}", {F(1, 2, 3)}, F(1 / 6.f, 2 / 15.f, 3 / 14.f)},
    {"lrn(1x3x1x1)->1x3x1x1{size=2,alpha=2,beta=1,bias=1}", {F(1, 2, 3)}, F(1 / 6.f, 2 / 14.f, 3 / 10.f)},
    {"channel_shuffle(1x6x1x1)->1x6x1x1{groups=2}", {F(0, 1, 2, 3, 4, 5)}, F(0, 3, 1, 4, 2, 5)},
    {"depth_to_space(1x8x1x1)->1x2x2x2{block=2,crd=0}", {F(0, 1, 2, 3, 4, 5, 6, 7)},
     F(0, 2, 4, 6, 1, 3, 5, 7)},
    {"depth_to_space(1x8x1x1)->1x2x2x2{block=2,crd=1}", {F(0, 1, 2, 3, 4, 5, 6, 7)},
     F(0, 1, 2, 3, 4, 5, 6, 7)},
    {"space_to_depth(1x2x2x2)->1x8x1x1{block=2}", {F(1, 2, 3, 4, 5, 6, 7, 8)}, F(1, 5, 2, 6, 3, 7, 4, 8)},
    {"reshape(2x3)->3x2", {F(1, 2, 3, 4, 5, 6)}, F(1, 2, 3, 4, 5, 6)},
    {"transpose(2x3)->3x2{perm=[1 0]}", {F(1, 2, 3, 4, 5, 6)}, F(1, 4, 2, 5, 3, 6)},
    {"transpose(2x1x3)->3x2x1{perm=[2 0 1]}", {F(1, 2, 3, 4, 5, 6)}, F(1, 4, 2, 5, 3, 6)},
    {"gather(2x3)->2x2{axis=1,indices=[2 0],scalar=0}", {F(1, 2, 3, 4, 5, 6)}, F(3, 1, 6, 4)},
    {"gather(2x3)->3{axis=0,indices=[1],scalar=1}", {F(1, 2, 3, 4, 5, 6)}, F(4, 5, 6)},
    {"gather(2x3)->2{axis=1,indices=[1],scalar=1}", {F(1, 2, 3, 4, 5, 6)}, F(2, 5)},
    {"tile(1x2)->2x4{repeats=[2 2]}", {F(1, 2)}, F(1, 2, 1, 2, 1, 2, 1, 2)},
    {"copy(3)->3", {F(1, 2, 3)}, F(1, 2, 3)},
    {"conv2d_pointwise(1x2x1x2,2x1x1x1!,2!,1x2x1x1!,1!,_)->1x1x1x2{stride=1x1,pad=0x0x0x0,dilation=1x1,groups=2,conv_act=relu,"
     "conv_alpha=0,conv_beta=0}",
     {F(1, -2, 3, 4), F(2, 1), F(1, -1), F(3, 5), F(0.5f)}, F(3 * 3 + 5 * 2 + 0.5f, 3 * 0 + 5 * 3 + 0.5f)},
    {"conv2d_pool2d(1x1x2x2,1x1x1x1!,1!)->1x1x1x1{stride=1x1,pad=0x0x0x0,dilation=1x1,groups=1,conv_act=relu,conv_alpha=0,"
     "conv_beta=0,mode=average,kernel=2x2,pool_stride=2x2,pool_pad=0x0x0x0,pool_dilation=1x1,count_pad=0}",
     {F(1, -4, 3, 2), F(2), F(1)}, F((3 + 0 + 7 + 5) / 4.0f)},
    /* Of two equal boxes of a class the surer stays. */
    {"detection_output(1x8,1x2x2,1x2x8!)->1x2x6{rows=2,top_k=9,confidence=0.5,nms=0.45}",
     {F(0, 0, 0, 0, 0, 0, 0, 0), F(0.375f, 0.625f, 0.25f, 0.75f),
      F(0, 0, 0.5f, 0.5f, 0, 0, 0.5f, 0.5f, 1, 1, 1, 1, 1, 1, 1, 1)},
     F(1, 0.75f, 0, 0, 0.5f, 0.5f, 0, 0, 0, 0, 0, 0)},
    {"yolo_detection_output(1x6x1x2,1x1x2!)->1x1x6{rows=1,confidence=0.2,nms=0.45,softmax=0}",
     {F(0, 0, 0, 0, 0, 0, 0, 0, -9, 0, 0, 0), F(0.5f, 0.25f)}, F(1, 0.25f, 0.5f, 0.375f, 1, 0.625f)},
};
#define CASES ((int)(sizeof cases / sizeof *cases))

static gt_workload *parse(const char *key)
{
    gt_workload *w = NULL;
    ck_assert_msg(gt_workload_parse(&w, key) == GT_OK, "%s: %s", key, gt_error_message());
    return w;
}

START_TEST(hand_computed)
{
    const f32_case *c = &cases[_i];
    gt_workload *w = parse(c->key);
    float got[64];
    int64_t count = gt_shape_elems(&w->output.shape);
    ck_assert_int_le(count, 64);
    memset(got, 0xff, sizeof got);
    ck_assert_int_eq(gt_reference_run(w, got, (const void *const *)c->in), GT_OK);
    double worst = 0;
    int64_t bad = gt_compare_f32(got, c->want, count, (gt_tolerance){0, 1e-6}, &worst);
    ck_assert_msg(bad < 0, "%s: element %lld is %.9g, not %.9g", c->key, (long long)bad,
                  (double)got[bad < 0 ? 0 : bad],
                  (double)c->want[bad < 0 ? 0 : bad]);
    gt_workload_destroy(w);
}
END_TEST

/* Every kind stands in the table, but for those whose results are of another type and are tested below. */
START_TEST(every_kind)
{
    for (int kind = 0; kind < GT_OP_KIND_COUNT; kind++) {
        const char *name = gt_op_kind_name((gt_op_kind)kind);
        size_t length = strlen(name);
        bool found = kind == GT_OP_ARGMAX || kind == GT_OP_CAST || kind == GT_OP_UNARY;
        for (int i = 0; i < CASES; i++) {
            found = found || (strncmp(cases[i].key, name, length) == 0 && cases[i].key[length] == '(');
        }
        ck_assert_msg(found, "no case for %s", name);
    }
}
END_TEST

static const struct {
    gt_function f;
    float alpha, beta;
    double x, want;
} functions[] = {
    {GT_FN_NONE, 0, 0, -2, -2},
    {GT_FN_RELU, 0, 0, -2, 0},
    {GT_FN_RELU, 0, 0, 2, 2},
    {GT_FN_CLIP, -1, 6, -2, -1},
    {GT_FN_CLIP, -1, 6, 7, 6},
    {GT_FN_CLIP, -1, 6, 0.5, 0.5},
    {GT_FN_LEAKY_RELU, 0.25f, 0, -2, -0.5},
    {GT_FN_LEAKY_RELU, 0.25f, 0, 2, 2},
    {GT_FN_ELU, 2, 0, -1, -1.2642411176571153},
    {GT_FN_ELU, 2, 0, 3, 3},
    {GT_FN_SIGMOID, 0, 0, 2, 0.8807970779778823},
    {GT_FN_SIGMOID, 0, 0, -800, 0},
    {GT_FN_HARD_SIGMOID, 0.25f, 0.5f, 1, 0.75},
    {GT_FN_HARD_SIGMOID, 0.25f, 0.5f, -3, 0},
    {GT_FN_HARD_SWISH, 0.25f, 0.5f, 1, 0.75},
    {GT_FN_HARD_SWISH, 0.25f, 0.5f, 4, 4},
    {GT_FN_TANH, 0, 0, 1, 0.7615941559557649},
    {GT_FN_SWISH, 0, 0, 1, 0.7310585786300049},
    {GT_FN_MISH, 0, 0, 1, 0.8650983882673103},
    {GT_FN_SOFTPLUS, 0, 0, 1, 1.3132616875182228},
    {GT_FN_SOFTPLUS, 0, 0, 1000, 1000},
    {GT_FN_EXP, 0, 0, 1, 2.718281828459045},
    {GT_FN_LOG, 0, 0, 2, 0.6931471805599453},
    {GT_FN_SQRT, 0, 0, 9, 3},
    {GT_FN_RECIPROCAL, 0, 0, 4, 0.25},
    {GT_FN_ABS, 0, 0, -3, 3},
    {GT_FN_NEG, 0, 0, 3, -3},
    {GT_FN_FLOOR, 0, 0, -1.5, -2},
    {GT_FN_CEIL, 0, 0, -1.5, -1},
    {GT_FN_ERF, 0, 0, 0.5, 0.5204998778130465},
};
#define FUNCTIONS ((int)(sizeof functions / sizeof *functions))

START_TEST(elementwise_functions)
{
    bool seen[GT_FN_ERF + 1] = {false};
    for (int i = 0; i < FUNCTIONS; i++) {
        double got = gt_reference_function(functions[i].f, functions[i].alpha, functions[i].beta,
                                           functions[i].x);
        seen[functions[i].f] = true;
        ck_assert_msg(fabs(got - functions[i].want) <= 1e-14 * fabs(functions[i].want),
                      "%s(%g) is %.17g, not %.17g",
                      gt_function_name(functions[i].f), functions[i].x, got, functions[i].want);
    }
    for (int f = 0; f <= GT_FN_ERF; f++) {
        ck_assert_msg(seen[f], "no value for %s", gt_function_name((gt_function)f));
    }
    gt_workload *w = parse("unary(2x2)->2x2{f=leaky_relu,alpha=0.5,beta=0}");
    float got[4];
    ck_assert_int_eq(gt_reference_run(w, got, (const void *[]){F(1, -2, 3, -4)}), GT_OK);
    ck_assert_int_eq(gt_compare_f32(got, F(1, -1, 3, -2), 4, (gt_tolerance){0, 0}, NULL), -1);
    gt_workload_destroy(w);
}
END_TEST

/* Runs a workload whose result is i64. */
static void expect_i64(const char *key, const void *in, const void *in1, const int64_t *want)
{
    gt_workload *w = parse(key);
    int64_t got[16];
    int64_t count = gt_shape_elems(&w->output.shape);
    ck_assert_int_eq(gt_reference_run(w, got, (const void *[]){in, in1}), GT_OK);
    for (int64_t i = 0; i < count; i++) {
        ck_assert_msg(got[i] == want[i], "%s: element %lld is %lld, not %lld", key, (long long)i,
                      (long long)got[i],
                      (long long)want[i]);
    }
    gt_workload_destroy(w);
}

START_TEST(integers)
{
    expect_i64("argmax(2x3)->i64:2{axis=1,keepdims=0,last=0}", F(1, 3, 3, 5, 4, 5), NULL, L(1, 0));
    expect_i64("argmax(2x3)->i64:2x1{axis=1,keepdims=1,last=1}", F(1, 3, 3, 5, 4, 5), NULL, L(2, 2));
    expect_i64("argmax(2x2)->i64:2{axis=0,keepdims=0,last=0}", F(1, 7, 2, 3), NULL, L(1, 0));
    expect_i64("cast(5)->i64:5", F(-1.5f, 2.9f, NAN, INFINITY, -1e30f), NULL,
               L(-1, 2, 0, INT64_MAX, INT64_MIN));
    expect_i64("cast(bool:2)->i64:2", (const uint8_t[]){0, 1}, NULL, L(0, 1));
    expect_i64("concat(i64:2,i64:1)->i64:3{axis=0}", L(1, 2), L(3), L(1, 2, 3));
    expect_i64("slice(i64:4)->i64:2{start=[3],step=[-2]}", L(1, 2, 3, 4), NULL, L(4, 2));
    expect_i64("gather(i64:3)->i64:scalar{axis=0,indices=[2],scalar=1}", L(1, 2, 3), NULL, L(3));
    expect_i64("transpose(i64:2x2)->i64:2x2{perm=[1 0]}", L(1, 2, 3, 4), NULL, L(1, 3, 2, 4));
    expect_i64("reshape(i64:2)->i64:1x2", L(1, 2), NULL, L(1, 2));
    expect_i64("tile(i64:2)->i64:4{repeats=[2]}", L(1, 2), NULL, L(1, 2, 1, 2));
    expect_i64("copy(i64:2)->i64:2", L(1, 2), NULL, L(1, 2));
    expect_i64("pad(i64:1)->i64:2{mode=constant,before=[1],after=[0],value=9}", L(1), NULL, L(9, 1));
}
END_TEST

/* Integer binaries never come from a model's activations, only from the importer's folding of constants. */
START_TEST(binary_integers)
{
    static const struct {
        gt_binary_function f;
        int64_t a, b, want;
    } rows[] = {
        {GT_BINARY_ADD, 5, -7, -2},    {GT_BINARY_SUB, 5, -7, 12},  {GT_BINARY_MUL, 5, -7, -35},
        {GT_BINARY_DIV, -7, 2, -3},    {GT_BINARY_DIV, 7, -2, -3},  {GT_BINARY_DIV, INT64_MIN, -1, INT64_MIN},
        {GT_BINARY_MIN, 5, -7, -7},    {GT_BINARY_MAX, 5, -7, 5},   {GT_BINARY_POW, -3, 3, -27},
        {GT_BINARY_POW, 2, -1, 0},     {GT_BINARY_POW, -1, -3, -1}, {GT_BINARY_ADD, INT64_MAX, 1, INT64_MIN},
        {GT_BINARY_PRELU, -3, 2, -6},
    };
    gt_operand operand = {.present = true, .constant = true, .dtype = GT_I64,
                          .shape = {.rank = 1, .dim = {1}}};
    gt_operand inputs[2] = {operand, operand};
    gt_workload w = {.kind = GT_OP_BINARY, .n_inputs = 2, .inputs = inputs, .output = operand};
    int64_t got = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        w.attrs.binary.function = rows[i].f;
        ck_assert_int_eq(gt_reference_run(&w, &got, (const void *[]){&rows[i].a, &rows[i].b}), GT_OK);
        ck_assert_msg(got == rows[i].want, "row %zu gives %lld", i, (long long)got);
    }
    w.attrs.binary.function = GT_BINARY_DIV;
    ck_assert_int_eq(gt_reference_run(&w, &got, (const void *[]){L(1), L(0)}), GT_ERROR_UNSUPPORTED);
}
END_TEST

START_TEST(truth_values)
{
    gt_workload *w = parse("cast(3)->bool:3");
    uint8_t got[3];
    ck_assert_int_eq(gt_reference_run(w, got, (const void *[]){F(0, -0.5f, 3)}), GT_OK);
    ck_assert(got[0] == 0 && got[1] == 1 && got[2] == 1);
    gt_workload_destroy(w);
    gt_workload *back = parse("cast(bool:3)->3");
    float values[3];
    ck_assert_int_eq(gt_reference_run(back, values, (const void *[]){got}), GT_OK);
    ck_assert(values[0] == 0 && values[1] == 1 && values[2] == 1);
    gt_workload_destroy(back);
}
END_TEST

START_TEST(comparison)
{
    double worst = 0;
    gt_tolerance t = {0, 0.1};
    ck_assert_int_eq(gt_compare_f32(F(1, 2), F(1, 2), 2, t, &worst), -1);
    ck_assert(worst == 0);
    ck_assert_int_eq(gt_compare_f32(F(1.05f, 3, 2.1f), F(1, 2, 2), 3, t, &worst), 1);
    ck_assert_double_eq_tol(worst, 5, 1e-5);
    ck_assert_int_eq(gt_compare_f32(F(NAN, INFINITY), F(NAN, INFINITY), 2, t, NULL), -1);
    ck_assert_int_eq(gt_compare_f32(F(1, NAN), F(1, 1), 2, t, NULL), 1);
    ck_assert_int_eq(gt_compare_f32(F(1, 1), F(1, NAN), 2, t, NULL), 1);
    ck_assert_int_eq(gt_compare_f32(F(INFINITY), F(-INFINITY), 1, t, NULL), 0);
    ck_assert_int_eq(gt_compare_f32(F(10, 0.9f), F(10, 0), 2, (gt_tolerance){0.1, 0}, NULL), -1);
    ck_assert_int_eq(gt_compare_f32(F(0), F(0), 1, (gt_tolerance){0, 0}, NULL), -1);
}
END_TEST

/* One output element of a convolution straight from the definition, to check the oracle's blocking. */
static double conv_element(const gt_workload *w, const float *x, const float *weight, const int64_t at[4])
{
    const int64_t *in = w->inputs[0].shape.dim;
    const int64_t *k = w->inputs[1].shape.dim;
    const int64_t *stride = w->attrs.conv.stride;
    const int64_t *dilation = w->attrs.conv.dilation;
    int64_t first = at[1] / (k[0] / w->attrs.conv.groups) * k[1];
    double sum = 0;
    for (int64_t c = 0; c < k[1]; c++) {
        for (int64_t r = 0; r < k[2]; r++) {
            for (int64_t s = 0; s < k[3]; s++) {
                int64_t y = at[2] * stride[0] - w->attrs.conv.pad[0] + r * dilation[0];
                int64_t z = at[3] * stride[1] - w->attrs.conv.pad[1] + s * dilation[1];
                bool inside = y >= 0 && y < in[2] && z >= 0 && z < in[3];
                double v = inside ? x[((at[0] * in[1] + first + c) * in[2] + y) * in[3] + z] : 0;
                sum += v * weight[((at[1] * k[1] + c) * k[2] + r) * k[3] + s];
            }
        }
    }
    return sum;
}

static const char *const convolution_keys[] = {
    "conv2d(2x30x11x13,6x15x3x3!,_,_)->2x6x9x13{stride=1x1,pad=0x1x0x1,dilation=1x1,groups=2}",
    "conv2d(1x4x19x17,8x1x5x2!,_,_)->1x8x9x9{stride=2x2,pad=2x1x1x1,dilation=1x2,groups=4}",
    "conv2d(1x200x5x5,3x200x1x1!,_,_)->1x3x5x5{stride=1x1,pad=0x0x0x0,dilation=1x1,groups=1}",
};

START_TEST(convolution_definition)
{
    static float x[16384], weight[2048], got[8192];
    gt_workload *w = parse(convolution_keys[_i]);
    gt_rng rng;
    gt_rng_seed(&rng, 7);
    gt_rng_fill(&rng, x, (size_t)gt_shape_elems(&w->inputs[0].shape), -1, 1);
    gt_rng_fill(&rng, weight, (size_t)gt_shape_elems(&w->inputs[1].shape), -1, 1);
    ck_assert_int_eq(gt_reference_run(w, got, (const void *[]){x, weight}), GT_OK);
    const int64_t *to = w->output.shape.dim;
    for (int64_t i = 0; i < gt_shape_elems(&w->output.shape); i++) {
        int64_t at[4] = {i / (to[1] * to[2] * to[3]), i / (to[2] * to[3]) % to[1], i / to[3] % to[2],
                         i % to[3]};
        ck_assert_double_eq_tol(got[i], conv_element(w, x, weight, at), 1e-5);
    }
    gt_workload_destroy(w);
}
END_TEST

static const char *const leak_keys[] = {
    "conv2d(1x1x3x3,1x1x2x2!,1!,_)->1x1x2x2{" CONV "}",
    "slice(3x4)->2x2{start=[0 3],step=[2 -2]}",
    "reduce(2x3)->3{mode=sum,axes=[0],keepdims=0}",
    "matmul(2x2,2x2)->2x2",
};

START_TEST(no_leak_on_failure)
{
    static const float x[16];
    float got[16];
    gt_workload *w = parse(leak_keys[_i]);
    int64_t before = gt_i_live_allocations();
    gt_status status = GT_ERROR_MEMORY;
    for (int64_t i = 0; status != GT_OK; i++) {
        ck_assert_int_lt(i, 10);
        gt_i_fail_allocation(i);
        status = gt_reference_run(w, got, (const void *[]){x, x, x});
        gt_i_fail_allocation(-1);
        ck_assert(status == GT_OK || status == GT_ERROR_MEMORY);
        ck_assert(gt_i_live_allocations() == before);
    }
    gt_workload_destroy(w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reference");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, hand_computed, 0, CASES);
    tcase_add_test(tc, every_kind);
    tcase_add_test(tc, elementwise_functions);
    tcase_add_test(tc, integers);
    tcase_add_test(tc, binary_integers);
    tcase_add_test(tc, truth_values);
    tcase_add_test(tc, comparison);
    tcase_add_loop_test(tc, convolution_definition, 0, (int)(sizeof convolution_keys / sizeof *convolution_keys));
    tcase_add_loop_test(tc, no_leak_on_failure, 0, (int)(sizeof leak_keys / sizeof *leak_keys));
    suite_add_tcase(suite, tc);
    printf("seed 7\n");
    fflush(stdout);
    return gt_test_run(suite);
}
