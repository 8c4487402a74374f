/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions through GEMM, and transposed convolutions, against the oracle on random odd shapes. */
#include "ops/blas.h"
#include "tests/kernel_check.h"
#include "tests/runner.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define SEED 20260402
#define RANDOM_SHAPES 220

START_TEST(random_gemm)
{
    gt_rng rng;
    int checked = 0;
    const int shapes = gt_test_rounds(RANDOM_SHAPES);
    gt_rng_seed(&rng, SEED);
    kernel_check_only("conv2d.im2col_gemm");
    for (int i = 0; i < shapes; i++) {
        gt_workload *w = kernel_check_random_conv(&rng, (kernel_check_groups)(i % 3));
        checked += kernel_check(w, 3, &rng);
        gt_workload_destroy(w);
    }
    ck_assert_int_ge(checked, gt_blas_available() ? shapes : 0);
}
END_TEST

static gt_workload *random_pointwise(gt_rng *rng)
{
    gt_attrs attrs = {.conv = {.stride = {1, 1}, .dilation = {1, 1}, .groups = 1}};
    int64_t n = 1 + gt_rng_below(rng, 3), c = 1 + gt_rng_below(rng, 70), k = 1 + gt_rng_below(rng, 90);
    int64_t h = 1 + gt_rng_below(rng, 20), w = 1 + gt_rng_below(rng, 20);
    if (gt_rng_below(rng, 3) == 0) {
        attrs.conv.stride[0] = 1 + gt_rng_below(rng, 3);
        attrs.conv.stride[1] = 1 + gt_rng_below(rng, 3);
    }
    int64_t oh = (h - 1) / attrs.conv.stride[0] + 1, ow = (w - 1) / attrs.conv.stride[1] + 1;
    gt_epilogue epilogue = kernel_check_random_epilogue(rng, true);
    gt_operand inputs[4] = {
        {.present = true, .dtype = GT_F32, .shape = gt_shape_4d(n, c, h, w)},
        {.present = true, .constant = true, .dtype = GT_F32, .shape = gt_shape_4d(k, c, 1, 1)},
        {.present = gt_rng_below(rng, 3) > 0, .constant = true, .dtype = GT_F32, .shape = gt_shape_of(1, &k)},
        {.present = epilogue.residual != GT_RESIDUAL_NONE, .dtype = GT_F32,
         .shape = gt_shape_4d(n, k, oh, ow)},
    };
    gt_workload *workload = NULL;
    gt_status status = gt_workload_create(&workload, GT_OP_CONV2D, &attrs, &epilogue, 4, inputs, NULL);
    ck_assert_msg(status == GT_OK, "%s", gt_error_message());
    return workload;
}

START_TEST(random_pointwise_gemm)
{
    gt_rng rng;
    gt_rng_seed(&rng, SEED);
    kernel_check_only("conv2d.gemm_1x1");
    for (int i = 0; i < gt_test_rounds(RANDOM_SHAPES); i++) {
        gt_workload *w = random_pointwise(&rng);
        ck_assert_int_ge(kernel_check(w, 3, &rng), gt_blas_available() ? 2 : 0);
        gt_workload_destroy(w);
    }
}
END_TEST

START_TEST(pointwise)
{
    static const char *const keys[] = {
        "conv2d(2x33x9x11,40x33x1x1!,40!,2x40x9x11)->2x40x9x11"
        "{stride=1x1,pad=0x0x0x0,dilation=1x1,groups=1,act=relu,residual=before}",
        "conv2d(2x33x9x11,40x33x1x1!,_,2x40x5x6)->2x40x5x6"
        "{stride=2x2,pad=0x0x0x0,dilation=1x1,groups=1,act=sigmoid,residual=after}",
        "conv2d(1x3x40x40,130x3x1x1!,130!,_)->1x130x40x40{stride=1x1,pad=0x0x0x0,dilation=1x1,groups=1}",
    };
    gt_rng rng;
    gt_rng_seed(&rng, SEED);
    kernel_check_only("conv2d.gemm_1x1");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        ck_assert(kernel_check_workload(keys[i], 12, &rng) > 0 || !gt_blas_available());
    }
}
END_TEST

static gt_workload *random_transposed(gt_rng *rng, int kind)
{
    static const int64_t many[] = {1, 2, 3, 4, 5, 8, 11, 16, 19, 33};
    gt_attrs attrs = {.conv = {.groups = kind == 0 ? 1 : 2 + gt_rng_below(rng, kind == 1 ? 3 : 30)}};
    int64_t cg = kind == 2 ? 1 : many[gt_rng_below(rng, 10)],
        kg = kind == 2 ? 1 : many[gt_rng_below(rng, 10)];
    int64_t kernel[2], size[2], k = kg * attrs.conv.groups, out[2];
    for (int i = 0; i < 2; i++) {
        kernel[i] = 1 + gt_rng_below(rng, 5);
        attrs.conv.stride[i] = 1 + gt_rng_below(rng, 3);
        attrs.conv.dilation[i] = gt_rng_below(rng, 4) ? 1 : 2;
        size[i] = 1 + gt_rng_below(rng, 14);
        int64_t full = (size[i] - 1) * attrs.conv.stride[i] + (kernel[i] - 1) * attrs.conv.dilation[i] + 1;
        attrs.conv.pad[i] = gt_rng_below(rng, gt_rng_below(rng, 2) ? 3 : 1);
        attrs.conv.pad[i] = attrs.conv.pad[i] < full ? attrs.conv.pad[i] : full - 1;
        full -= attrs.conv.pad[i];
        attrs.conv.pad[i + 2] = gt_rng_below(rng, full < 4 ? full : 4);
        out[i] = full - attrs.conv.pad[i + 2];
    }
    int64_t n = 1 + gt_rng_below(rng, 2);
    gt_epilogue epilogue = kernel_check_random_epilogue(rng, false);
    gt_operand inputs[3] = {
        {.present = true, .dtype = GT_F32, .shape = gt_shape_4d(n, cg * attrs.conv.groups, size[0], size[1])},
        {.present = true, .constant = true, .dtype = GT_F32,
         .shape = gt_shape_4d(cg * attrs.conv.groups, kg, kernel[0], kernel[1])},
        {.present = gt_rng_below(rng, 3) > 0, .constant = true, .dtype = GT_F32, .shape = gt_shape_of(1, &k)},
    };
    gt_operand hint = {.present = true, .dtype = GT_F32, .shape = gt_shape_4d(n, k, out[0], out[1])};
    gt_workload *w = NULL;
    gt_status status = gt_workload_create(&w, GT_OP_CONV_TRANSPOSE2D, &attrs, &epilogue, 3, inputs, &hint);
    ck_assert_msg(status == GT_OK, "%s", gt_error_message());
    return w;
}

START_TEST(transposed)
{
    gt_rng rng;
    gt_rng_seed(&rng, SEED);
    kernel_check_only("conv_transpose2d");
    for (int i = 0; i < gt_test_rounds(RANDOM_SHAPES); i++) {
        gt_workload *w = random_transposed(&rng, i % 3);
        ck_assert_int_ge(kernel_check(w, 3, &rng), GT_LAYOUT_COUNT);
        gt_workload_destroy(w);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conv_gemm");
    TCase *tests = tcase_create("gemm");
    printf("seed %d\n", SEED);
    tcase_set_timeout(tests, 900);
    tcase_add_test(tests, random_gemm);
    tcase_add_test(tests, random_pointwise_gemm);
    tcase_add_test(tests, pointwise);
    tcase_add_test(tests, transposed);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
