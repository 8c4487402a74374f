/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads: the text form, its parser against malformed text, inference and validation. */
#include "src/base/rng.h"
#include "src/graph/workload.h"
#include "src/graph/workload_text.h"
#include "tests/runner.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW "stride=1x1,pad=1x1x1x1,dilation=1x1"
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* One line per kind at least; test_all_kinds fails if one is missing. */
static const struct {
    const char *key;
    int64_t macs, moved;
} good[] = {
    {"conv2d(1x64x56x56,64x64x3x3!,64!,_)->1x64x56x56{" WINDOW ",groups=1,act=relu}", 115605504, 438336},
    {"conv2d(1x8x9x7,8x1x3x3!,_,_)->1x8x5x4{stride=2x2,pad=1x1x1x1,dilation=1x1,groups=8}", 1440, 504 + 72 + 160},
    {"conv2d(1x8x5x5,4x8x1x1!,_,1x4x5x5)->1x4x5x5{stride=1x1,pad=0x0x0x0,dilation=1x1,groups=1,act=clip,alpha=0,"
     "beta=6,residual=before}", 800, 200 + 32 + 100 + 100},
    {"conv2d(1x1x7x7,1x1x3x3!,1!,1x1x3x3)->1x1x3x3{stride=1x1,pad=0x0x0x0,dilation=2x2,groups=1,residual=after}", 81,
     49 + 9 + 1 + 9 + 9},
    {"conv_transpose2d(1x4x3x3,4x2x2x2!,4!)->1x4x6x6{stride=2x2,pad=0x0x0x0,dilation=1x1,groups=2}", 288,
     36 + 32 + 4 + 144},
    {"conv_transpose2d(1x1x3x3,1x1x3x3!,_)->1x1x6x6{stride=2x2,pad=1x1x0x0,dilation=1x1,groups=1,act=leaky_relu,"
     "alpha=0.1}", 81, 9 + 9 + 36},
    {"dense(2x3x4x5,7x60!,7!)->2x7{rows=0}", 840, 120 + 420 + 7 + 14},
    {"dense(2x3x4,7x4!,_)->2x3x7{rows=1,act=swish}", 168, 24 + 28 + 42},
    {"matmul(2x1x3x4,5x4x6)->2x5x3x6", 720, 24 + 120 + 180},
    {"matmul(3x4!,4x2)->3x2", 24, 12 + 8 + 6},
    {"pool2d(1x3x7x7)->1x3x4x4{mode=average,kernel=3x3,stride=2x2,pad=1x1x1x1,dilation=1x1,count_pad=1}", 0, 195},
    {"pool2d(1x3x8x8)->1x3x4x4{mode=max,kernel=3x3,stride=2x2,pad=0x0x0x0,dilation=1x1,count_pad=0}", 0, 240},
    {"reduce(1x3x8x8)->1x3x1x1{mode=mean,axes=[2 3],keepdims=1}", 0, 195},
    {"reduce(2x3)->scalar{mode=sum,axes=[0 1],keepdims=0}", 0, 7},
    {"unary(1x3)->1x3{f=clip,alpha=-inf,beta=6.1}", 0, 6},
    {"unary(scalar)->scalar{f=erf,alpha=0,beta=0}", 0, 2},
    {"unary(5)->5{f=hard_sigmoid,alpha=0.16666667,beta=0.5}", 0, 10},
    {"binary(1x3x4x4,1x3x1x1!)->1x3x4x4{f=add,act=relu}", 0, 99},
    {"binary(1x3x4x4,1x3x1x1!)->1x3x4x4{f=prelu}", 0, 99},
    {"scale(1x3x4x4,3!,3!)->1x3x4x4{act=mish}", 48, 102},
    {"scale(2x3,3!,3!)->2x3", 6, 18},
    {"concat(1x2x3,1x4x3!)->1x6x3{axis=1}", 0, 36},
    {"concat(i64:2,i64:1)->i64:3{axis=0}", 0, 6},
    {"slice(1x8x4)->1x4x2{start=[0 1 3],step=[1 2 -2]}", 0, 16},
    {"pad(1x2)->2x4{mode=constant,before=[0 1],after=[1 1],value=-1.5}", 0, 10},
    {"pad(3x3)->5x3{mode=reflect,before=[2 0],after=[0 0],value=0}", 0, 24},
    {"resize(1x2x3x3)->1x2x6x5{mode=linear,coord=half_pixel,nearest=round_prefer_floor,scale_h=2,scale_w=1.7}", 0,
     78},
    {"resize(1x2x3x3)->1x2x6x6{mode=nearest,coord=asymmetric,nearest=floor,scale_h=2,scale_w=2}", 0, 90},
    {"softmax(1x10)->1x10{axis=1,log=1}", 0, 20},
    {"lrn(1x8x2x2)->1x8x2x2{size=5,alpha=0.0001,beta=0.75,bias=1}", 0, 64},
    {"channel_shuffle(1x8x2x2)->1x8x2x2{groups=4}", 0, 64},
    {"depth_to_space(1x8x2x2)->1x2x4x4{block=2,crd=1}", 0, 64},
    {"space_to_depth(1x2x4x4)->1x8x2x2{block=2}", 0, 64},
    {"reshape(1x8x2x2)->1x32", 0, 64},
    {"reshape(bool:4)->bool:2x2", 0, 8},
    {"transpose(1x8x2x3)->1x2x3x8{perm=[0 2 3 1]}", 0, 96},
    {"gather(5x2)->3x2{axis=0,indices=[4 0 1],scalar=0}", 0, 12},
    {"gather(5x2)->2{axis=0,indices=[4],scalar=1}", 0, 4},
    {"tile(1x2)->3x4{repeats=[3 2]}", 0, 14},
    {"argmax(2x3x4)->i64:2x4{axis=1,keepdims=0,last=1}", 0, 32},
    {"cast(2x3)->i64:2x3", 0, 12},
    {"copy(i64:3)->i64:3", 0, 6},
    {"detection_output(1x8,1x2x3,1x2x8!)->1x5x6{rows=5,top_k=9,confidence=0.5,nms=0.45}", 0, 8 + 6 + 16 + 30},
    {"conv2d_pointwise(1x8x5x6,8x1x3x3!,8!,4x8x1x1!,_,1x4x3x3)->1x4x3x3{stride=2x2,pad=1x1x1x1,dilation=1x1,groups=8,conv_act=clip,"
     "conv_alpha=0,conv_beta=6,act=relu,residual=before}", 8 * 9 * 9 + 4 * 9 * 8, 240 + 72 + 8 + 32 + 36 + 36},
    {"conv2d_pool2d(1x3x9x9,4x3x3x3!,_)->1x4x3x3{stride=1x1,pad=0x0x0x0,dilation=1x1,groups=1,conv_act=relu,conv_alpha=0,"
     "conv_beta=0,mode=max,kernel=3x3,pool_stride=2x2,pool_pad=0x0x0x0,pool_dilation=1x1,count_pad=0}", 4 * 49 * 27,
     243 + 108 + 36},
    {"yolo_detection_output(1x7x2x2,1x7x1x1,2x1x2!)->1x5x6{rows=5,confidence=0.5,nms=0.45,softmax=1}", 0,
     28 + 7 + 4 + 30},
};

START_TEST(test_round_trip)
{
    const char *key = good[_i].key;
    gt_workload *w = NULL;
    gt_workload *copy = NULL;
    ck_assert_msg(gt_workload_parse(&w, key) == GT_OK, "%s: %s", key, gt_error_message());
    ck_assert_str_eq(w->key, key);
    ck_assert_int_eq(gt_workload_macs(w), good[_i].macs);
    ck_assert_int_eq(gt_workload_elems_moved(w), good[_i].moved);
    ck_assert_int_eq(gt_workload_copy(&copy, w), GT_OK);
    ck_assert_str_eq(copy->key, key);
    gt_workload_destroy(copy);
    gt_workload_destroy(w);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_all_kinds)
{
    for (int kind = 0; kind < GT_OP_KIND_COUNT; kind++) {
        const char *name = gt_op_kind_name((gt_op_kind)kind);
        size_t length = strlen(name);
        bool found = false;
        for (size_t i = 0; i < COUNT(good); i++) {
            found = found || (strncmp(good[i].key, name, length) == 0 && good[i].key[length] == '(');
        }
        ck_assert_msg(found, "no text for %s", name);
        ck_assert_int_eq(gt_op_kind_find(name), kind);
    }
    ck_assert_int_eq(gt_op_kind_find("conv"), GT_OP_KIND_COUNT);
}
END_TEST

/* Each must fail with a message that holds `says`. */
static const struct {
    const char *text, *says;
} bad[] = {
    {"", "operator"},
    {"conv", "operator"},
    {"conv2d", "\"(\""},
    {"conv2d(", "integer"},
    {"copy(1x2)", "\"->\""},
    {"copy(1x2)->", "integer"},
    {"copy(1x2)->1x2 ", "\"{\""},
    {"binary(2x3,2x3)->2x3{f=add} ", "the end"},
    {"copy(1x2)->1x2{", "act="},
    {"copy(1x2)->1x2{}", "normal form"},
    {"copy(1x2)->1x2!", "without"},
    {"copy(1x2)->_", "without"},
    {"copy(1x2)->1x3", "1x3"},
    {"copy(1x2,1x2)->1x2", "no further input"},
    {"copy(_)->1x2", "absent"},
    {"copy(f32:1x2)->1x2", "integer"},
    {"copy(i32:1x2)->1x2", "integer"},
    {"copy(01x2)->1x2", "normal form"},
    {"copy(-1x2)->-1x2", "dimension 0"},
    {"copy(0x2)->0x2", "at least one element"},
    {"copy(1x2x3x4x5x6x7x8x9)->1", "8 dimensions"},
    {"copy(9223372036854775808)->1", "63 bits"},
    {"copy(99999999999999999999999999)->1", "63 bits"},
    {"copy(1048576x1048577)->1", "2^40"},
    {"copy(0x9223372036854775807)->1", "2^40"},
    {"copy(1x)->1", "integer"},
    {"reshape(1x2)->3", "as many elements"},
    {"reshape(i64:1x2)->2", "reshape"},
    {"unary(1)->1{f=,alpha=0,beta=0}", "names"},
    {"unary(1)->1{f=relux,alpha=0,beta=0}", "names"},
    {"unary(1)->1{f=none,alpha=0,beta=0}", "f is 0"},
    {"unary(1)->1{f=relu,alpha=1,beta=0}", "normal form"},
    {"unary(1)->1{f=clip,alpha=nan,beta=0}", "number"},
    {"unary(1)->1{f=clip,alpha=,beta=0}", "number"},
    {"unary(1)->1{f=clip,alpha=1e,beta=0}", "number"},
    {"unary(1)->1{f=clip,alpha=0.50,beta=1}", "normal form"},
    {"unary(1)->1{f=clip,alpha=0}", "\",\""},
    {"unary(1)->1{f=clip,beta=0,alpha=0}", "\"alpha\""},
    {"unary(1)->1{f=relu,alpha=0,beta=0,act=relu}", "act is relu"},
    {"unary(i64:1)->1{f=relu,alpha=0,beta=0}", "f32"},
    {"softmax(2x3)->2x3{axis=2,log=0}", "axis is 2"},
    {"softmax(2x3)->2x3{axis=-1,log=0}", "axis is -1"},
    {"softmax(2x3)->2x3{axis=1,log=2}", "0 or 1"},
    {"softmax(scalar)->scalar{axis=0,log=0}", "rank"},
    {"reduce(2x3)->2x1{mode=mean,axes=[1,keepdims=1}", "\" \""},
    {"reduce(2x3)->2x3{mode=mean,axes=[],keepdims=1}", "number of axes"},
    {"reduce(2x3)->1x1{mode=mean,axes=[1 0],keepdims=1}", "ascending"},
    {"reduce(2x3)->1x1{mode=mean,axes=[1 1],keepdims=1}", "ascending"},
    {"transpose(2x3)->3x2{perm=[1 1]}", "every axis once"},
    {"transpose(2x3)->3x2{perm=[1]}", "perm has 1"},
    {"transpose(2x3)->3x2{perm=[1 2]}", "perm is 2"},
    {"gather(2x3)->1x3{axis=0,indices=[2],scalar=0}", "indices is 2"},
    {"gather(2x3)->2x3{axis=0,indices=[0 1],scalar=1}", "number of indices"},
    {"slice(4)->2{start=[3],step=[1]}", "within 0 to 3"},
    {"slice(4)->2{start=[0],step=[0]}", "other than 0"},
    {"slice(4)->2{start=[1],step=[-2]}", "within"},
    {"slice(4)->3{start=[1],step=[9223372036854775807]}", "slice"},
    {"slice(4)->1{start=[1],step=[7]}", "normal form"},
    {"slice(4)->1{start=[1 2],step=[1]}", "start has 2"},
    {"tile(2)->4{repeats=[0]}", "repeats is 0"},
    {"tile(1048576)->4{repeats=[1099511627776]}", "2^40"},
    {"pad(3)->9{mode=reflect,before=[3],after=[3],value=0}", "before is 3"},
    {"pad(3)->5{mode=constant,before=[-1],after=[3],value=0}", "before is -1"},
    {"concat(2x3,2x4)->2x7{axis=0}", "concat"},
    {"concat(2x3,i64:2x3)->4x3{axis=0}", "concat"},
    {"matmul(2x3,2x3)->2x3", "matmul"},
    {"binary(2x3,2x2)->2x3{f=add}", "binary"},
    {"binary(2x3,3)->2x3{f=add}", "rank"},
    {"binary(1x3,2x3)->2x3{f=prelu}", "slope"},
    {"binary(2x3,2x3)->2x3{f=add,act=relu,act=relu}", "normal form"},
    {"binary(2x3,2x3)->2x3{f=add,alpha=3}", "normal form"},
    {"binary(2x3,2x3)->2x3{f=add,act=exp}", "act is exp"},
    {"binary(2x3,2x3)->2x3{f=add,residual=before}", "residual"},
    {"dense(2x3,4x2!,_)->2x4{rows=0}", "weight"},
    {"dense(2x3,4x3,_)->2x4{rows=0}", "constant"},
    {"dense(2x3,4x3!,3!)->2x4{rows=0}", "bias"},
    {"dense(2x3,4x3!,_)->2x4{rows=1}", "normal form"},
    {"scale(2x3,3!,2!)->2x3", "shift"},
    {"scale(3,3!,3!)->3", "rank 2"},
    {"channel_shuffle(1x8x2x2)->1x8x2x2{groups=3}", "divisors of C = 8"},
    {"depth_to_space(1x6x2x2)->1x2x4x4{block=2,crd=1}", "divisible"},
    {"space_to_depth(1x6x3x2)->1x2x4x4{block=2}", "divisible"},
    {"space_to_depth(1x6x4x2)->1x2x4x4{block=0}", "block is 0"},
    {"argmax(2x3)->2{axis=1,keepdims=0,last=0}", "i64"},
    {"lrn(1x8x2x2)->1x8x2x2{size=0,alpha=1,beta=1,bias=1}", "size is 0"},
    {"lrn(1x8x2x2)->1x8x2x2{size=1,alpha=inf,beta=1,bias=1}", "finite"},
    {"resize(1x2x3x3)->1x2x6x6{mode=nearest,coord=asymmetric,nearest=floor,scale_h=0,scale_w=2}", "scale_h"},
    {"resize(1x2x3x3)->1x2x6x6{mode=nearest,coord=asymmetric,nearest=floor,scale_h=2,scale_w=1e30}", "scale_w"},
    {"resize(1x2x3x3)->1x3x6x6{mode=nearest,coord=asymmetric,nearest=floor,scale_h=2,scale_w=2}", "resize"},
    {"conv2d(1x2x3x3,4x2x3x3!)->1x4x3x3{" WINDOW ",groups=1}", "normal form"},
    {"conv2d(1x2x3x3,4x2x3x3!,_,_)->1x4x3x3{stride=0x1,pad=1x1x1x1,dilation=1x1,groups=1}", "stride[0] is 0"},
    {"conv2d(1x2x3x3,4x2x3x3!,_,_)->1x4x3x3{stride=1x1,pad=1x1x1x-1,dilation=1x1,groups=1}", "pad[3] is -1"},
    {"conv2d(1x2x3x3,4x2x3x3!,_,_)->1x4x3x3{stride=1x1,pad=1x1x1,dilation=1x1,groups=1}", "\"x\""},
    {"conv2d(1x2x3x3,4x2x3x3!,_,_)->1x4x3x3{stride=1x1,pad=1x1x1x1,dilation=1x9999999,groups=1}", "dilation[1]"},
    {"conv2d(1x2x3x3,4x2x3x3!,_,_)->1x4x3x3{" WINDOW ",groups=0}", "groups is 0"},
    {"conv2d(1x2x3x3,4x2x3x3!,_,_)->1x4x3x3{" WINDOW ",groups=2}", "weight"},
    {"conv2d(1x2x3x3,4x2x3x3,_,_)->1x4x3x3{" WINDOW ",groups=1}", "a constant"},
    {"conv2d(1x2x3x3,4x2x7x3!,_,_)->1x4x3x3{" WINDOW ",groups=1}", "dilated kernel"},
    {"conv2d(1x2x3x3,4x2x3x3!,_,1x4x3x3)->1x4x3x3{" WINDOW ",groups=1}", "residual"},
    {"conv2d(1x2x3x3,4x2x3x3!,_,_)->1x4x3x3{" WINDOW ",groups=1,residual=before}", "residual"},
    {"conv2d(1x2x3x3,4x2x3x3!,_,1x4x3x1)->1x4x3x3{" WINDOW ",groups=1,residual=before}", "residual"},
    {"conv2d(1x2x3x3,4x2x3x3!,_,1x4x3x3!)->1x4x3x3{" WINDOW ",groups=1,residual=before}", "not constant"},
    {"conv2d(1x2x3,4x2x3x3!,_,_)->1x4x3x3{" WINDOW ",groups=1}", "rank 4"},
    {"conv_transpose2d(1x1x3x3,1x1x3x3!,_)->1x1x9x7{stride=2x2,pad=0x0x0x0,dilation=1x1,groups=1}", "7 to 8"},
    {"pool2d(1x1x5x5)->1x1x4x4{mode=max,kernel=3x3,stride=2x2,pad=0x0x0x0,dilation=1x1,count_pad=0}", "floor"},
    {"pool2d(1x1x5x5)->1x1x5x5{mode=max,kernel=1x1,stride=1x1,pad=1x1x1x1,dilation=1x1,count_pad=0}", "pad[0]"},
    {"pool2d(1x1x5x5)->1x1x2x2{mode=max,kernel=3x3,stride=2x2,pad=0x0x0x0,dilation=1x1,count_pad=1}", "normal form"},
};

START_TEST(test_bad)
{
    gt_workload *w = NULL;
    ck_assert_msg(gt_workload_parse(&w, bad[_i].text) != GT_OK, "accepted: %s", bad[_i].text);
    ck_assert_ptr_null(w);
    ck_assert_msg(strstr(gt_error_message(), bad[_i].says) != NULL, "%s: \"%s\" does not say \"%s\"", bad[_i].text,
                  gt_error_message(), bad[_i].says);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* Whatever happens to a text, the parser either takes it as a workload with that very text or says why not. */
START_TEST(test_mutations)
{
    static const char alphabet[] = "0123456789x!_,()[]{}=-+.einf :ab>s";
    gt_rng rng;
    gt_rng_seed(&rng, 20240607);
    for (int round = 0; round < 60000; round++) {
        char text[512];
        snprintf(text, sizeof text, "%s", good[gt_rng_below(&rng, (int64_t)COUNT(good))].key);
        int64_t length = (int64_t)strlen(text);
        for (int64_t flips = 1 + gt_rng_below(&rng, 3); flips > 0; flips--) {
            int64_t at = gt_rng_below(&rng, length);
            bool printable = gt_rng_below(&rng, 4) != 0;
            text[at] = printable ? alphabet[gt_rng_below(&rng, (int64_t)sizeof alphabet - 1)]
                                 : (char)(text[at] ^ (char)(1 << gt_rng_below(&rng, 8)));
        }
        gt_workload *w = NULL;
        if (gt_workload_parse(&w, text) == GT_OK) {
            ck_assert_str_eq(w->key, text);
            gt_workload_destroy(w);
        } else {
            ck_assert_int_gt((int)strlen(gt_error_message()), 0);
        }
    }
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_truncations)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        char text[512];
        for (size_t length = 0; length < strlen(good[i].key); length++) {
            gt_workload *w = NULL;
            snprintf(text, sizeof text, "%.*s", (int)length, good[i].key);
            if (gt_workload_parse(&w, text) == GT_OK) {
                ck_assert_str_eq(w->key, text);
                gt_workload_destroy(w);
            }
        }
    }
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* A list, a chain of inputs and a number of a million characters. */
START_TEST(test_long_texts)
{
    static const struct {
        const char *head, *repeated;
    } cases[] = {{"gather(5)->5{axis=0,indices=[0", " 1"}, {"concat(1", ",1"}, {"copy(1", "1"}, {"copy(1", "x1"},
                 {"binary(1,1)->1{f=add", ",act=relu"}, {"", "a"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        gt_workload *w = NULL;
        size_t step = strlen(cases[i].repeated);
        size_t head = strlen(cases[i].head);
        char *text = calloc(1, head + step * 500000 + 1);
        memcpy(text, cases[i].head, head);
        for (size_t k = 0; k < 500000; k++) {
            memcpy(text + head + k * step, cases[i].repeated, step);
        }
        ck_assert_int_ne(gt_workload_parse(&w, text), GT_OK);
        free(text);
    }
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_floats)
{
    gt_rng rng;
    gt_rng_seed(&rng, 7);
    for (int round = 0; round < 200000; round++) {
        uint32_t bits = (uint32_t)gt_rng_u64(&rng);
        float value = 0;
        memcpy(&value, &bits, sizeof value);
        if (isnan(value)) {
            continue;
        }
        gt_text text = {0};
        ck_assert_int_eq(gt_i_float_format(&text, value), GT_OK);
        float back = strtof(text.data, NULL);
        ck_assert_msg(memcmp(&back, &value, sizeof value) == 0, "%.9g is written %s", (double)value, text.data);
        gt_text_destroy(&text);
    }
    static const struct {
        float value;
        const char *text;
    } exact[] = {{0.1f, "0.1"},           {1, "1"},           {-0.0f, "-0"},   {1.0f / 6, "0.16666667"},
                 {INFINITY, "inf"},       {-INFINITY, "-inf"}, {1e-5f, "1e-05"}, {16777216, "16777216"}};
    for (size_t i = 0; i < COUNT(exact); i++) {
        gt_text text = {0};
        ck_assert_int_eq(gt_i_float_format(&text, exact[i].value), GT_OK);
        ck_assert_str_eq(text.data, exact[i].text);
        gt_text_destroy(&text);
    }
}
END_TEST

START_TEST(test_allocation_failures)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        gt_status status = GT_ERROR_MEMORY;
        for (int64_t k = 0; status != GT_OK; k++) {
            gt_workload *w = NULL;
            gt_i_fail_allocation(k);
            status = gt_workload_parse(&w, good[i].key);
            gt_i_fail_allocation(-1);
            ck_assert_msg(status == GT_OK || status == GT_ERROR_MEMORY, "%s: %s", good[i].key, gt_error_message());
            ck_assert(status == GT_OK || w == NULL);
            gt_workload_destroy(w);
            ck_assert_int_eq(gt_i_live_allocations(), 0);
            ck_assert_int_lt((int)k, 1000);
        }
    }
}
END_TEST

/* Output sizes of windows along one axis; 0: refused. */
START_TEST(test_window_sizes)
{
    static const struct {
        const char *pattern;
        int input, ok[4];
    } cases[] = {
        /* floor 3, ceil 4 */
        {"pool2d(1x1x%dx1)->1x1x%dx1{mode=max,kernel=3x1,stride=2x1,pad=0x0x0x0,dilation=1x1,count_pad=0}", 8, {3, 4}},
        /* floor and ceil agree */
        {"pool2d(1x1x%dx1)->1x1x%dx1{mode=max,kernel=3x1,stride=2x1,pad=0x0x0x0,dilation=1x1,count_pad=0}", 7, {3}},
        /* the last ceil window starts in the trailing pad: ONNX keeps it, PyTorch drops it */
        {"pool2d(1x1x%dx1)->1x1x%dx1{mode=max,kernel=2x1,stride=3x1,pad=1x0x1x0,dilation=1x1,count_pad=0}", 5, {2, 3}},
        /* smaller than the kernel: only ceil gives a window */
        {"pool2d(1x1x%dx1)->1x1x%dx1{mode=max,kernel=3x1,stride=2x1,pad=0x0x0x0,dilation=1x1,count_pad=0}", 2, {1}},
        {"conv2d(1x1x%dx1,1x1x3x1!,_,_)->1x1x%dx1{stride=2x1,pad=1x0x0x0,dilation=1x1,groups=1}", 8, {4}},
        {"conv2d(1x1x%dx1,1x1x3x1!,_,_)->1x1x%dx1{stride=1x1,pad=1x0x2x0,dilation=3x1,groups=1}", 8, {5}},
        {"conv_transpose2d(1x1x%dx1,1x1x3x1!,_)->1x1x%dx1{stride=3x1,pad=1x0x1x0,dilation=1x1,groups=1}", 4,
         {10, 11, 12}},
        {"conv_transpose2d(1x1x%dx1,1x1x2x1!,_)->1x1x%dx1{stride=1x1,pad=0x0x0x0,dilation=2x1,groups=1}", 4, {6, 7}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int size = 0; size < 16; size++) {
            char text[256];
            bool wanted = false;
            gt_workload *w = NULL;
            for (size_t k = 0; k < COUNT(cases[i].ok); k++) {
                wanted = wanted || (size > 0 && cases[i].ok[k] == size);
            }
            snprintf(text, sizeof text, cases[i].pattern, cases[i].input, size);
            ck_assert_msg((gt_workload_parse(&w, text) == GT_OK) == wanted, "%s: %s", text,
                          wanted ? gt_error_message() : "accepted");
            gt_workload_destroy(w);
        }
    }
}
END_TEST

/* Parts without effect do not make two workloads of one. */
START_TEST(test_canonical)
{
    const gt_operand in[2] = {{.present = true, .dtype = GT_F32, .shape = {.rank = 2, .dim = {2, 3}}},
                              {.present = true, .constant = true, .shape = {.rank = 2, .dim = {4, 3}}}};
    gt_attrs attrs = {.dense = {.rows = true}};
    gt_epilogue epilogue = {.act = GT_FN_RELU, .alpha = 3, .beta = 4};
    gt_workload *w = NULL;
    ck_assert_int_eq(gt_workload_create(&w, GT_OP_DENSE, &attrs, &epilogue, 2, in, NULL), GT_OK);
    ck_assert_str_eq(w->key, "dense(2x3,4x3!,_)->2x4{rows=0,act=relu}");
    ck_assert_int_eq(w->n_inputs, 3);
    ck_assert(!w->inputs[2].present);
    gt_workload_destroy(w);
    attrs.unary.function = GT_FN_TANH;
    attrs.unary.alpha = 1;
    attrs.unary.beta = 2;
    ck_assert_int_eq(gt_workload_create(&w, GT_OP_UNARY, &attrs, NULL, 1, in, NULL), GT_OK);
    ck_assert_str_eq(w->key, "unary(2x3)->2x3{f=tanh,alpha=0,beta=0}");
    gt_workload_destroy(w);
}
END_TEST

START_TEST(test_depthwise)
{
    gt_workload *w = NULL;
    ck_assert_int_eq(gt_workload_parse(&w, good[1].key), GT_OK);
    ck_assert(gt_workload_is_depthwise(w));
    gt_workload_destroy(w);
    ck_assert_int_eq(gt_workload_parse(&w, good[3].key), GT_OK);
    ck_assert(!gt_workload_is_depthwise(w));
    gt_workload_destroy(w);
}
END_TEST

START_TEST(test_shapes)
{
    char text[GT_SHAPE_TEXT_BYTES];
    gt_shape out = {0};
    const gt_shape a = gt_shape_4d(1, 64, 56, 56);
    const gt_shape b = gt_shape_of(2, (const int64_t[]){56, 1});
    const gt_shape c = gt_shape_of(1, (const int64_t[]){3});
    ck_assert_str_eq(gt_shape_format(text, sizeof text, &a), "1x64x56x56");
    ck_assert_str_eq(gt_shape_format(text, sizeof text, &(gt_shape){0}), "scalar");
    ck_assert_str_eq(gt_shape_format(text, 5, &a), "1x64");
    ck_assert(gt_shape_broadcast(&out, &a, &b) && gt_shape_equal(&out, &a));
    ck_assert(!gt_shape_broadcast(&out, &a, &c));
    ck_assert_int_eq(gt_shape_elems(&(gt_shape){0}), 1);
    ck_assert_int_eq(gt_shape_check(&(gt_shape){.rank = 9}), GT_ERROR_SHAPE);
    ck_assert_int_eq(gt_shape_check(&(gt_shape){.rank = -1}), GT_ERROR_SHAPE);
    ck_assert_int_eq(gt_shape_check(&(gt_shape){.rank = 2, .dim = {0, 7}}), GT_OK);
    ck_assert_str_eq(gt_dtype_name(GT_BOOL), "bool");
    ck_assert_int_eq((int)gt_dtype_bytes(GT_I64), 8);
}
END_TEST

START_TEST(test_enums)
{
    ck_assert_int_eq(gt_attr_enum_find(GT_ATTR_FUNCTION, "mish"), GT_FN_MISH);
    ck_assert_int_eq(gt_attr_enum_find(GT_ATTR_POOL_MODE, "mish"), -1);
    ck_assert_ptr_null(gt_attr_enum_name(GT_ATTR_POOL_MODE, 2));
    ck_assert_ptr_null(gt_attr_enum_name(GT_ATTR_POOL_MODE, -1));
    ck_assert_ptr_null(gt_attr_enum_name(GT_ATTR_LIST, 0));
    ck_assert_str_eq(gt_function_name(GT_FN_ERF), "erf");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("workload");
    TCase *tests = tcase_create("workload");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, test_round_trip, 0, (int)COUNT(good));
    tcase_add_loop_test(tests, test_bad, 0, (int)COUNT(bad));
    tcase_add_test(tests, test_all_kinds);
    tcase_add_test(tests, test_mutations);
    tcase_add_test(tests, test_truncations);
    tcase_add_test(tests, test_long_texts);
    tcase_add_test(tests, test_floats);
    tcase_add_test(tests, test_allocation_failures);
    tcase_add_test(tests, test_window_sizes);
    tcase_add_test(tests, test_canonical);
    tcase_add_test(tests, test_depthwise);
    tcase_add_test(tests, test_shapes);
    tcase_add_test(tests, test_enums);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
