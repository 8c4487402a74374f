/* SPDX-License-Identifier: Apache-2.0 */
/* Winograd convolutions against the oracle: random odd shapes, and the accuracy over many input channels. */
#include "tests/kernel_check.h"
#include "tests/runner.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define SEED 20260401
#define RANDOM_SHAPES 200

static gt_workload *random_3x3(gt_rng *rng)
{
    static const int64_t channels[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 20, 31, 33, 40, 70};
    gt_attrs attrs = {.conv = {.stride = {1, 1}, .dilation = {1, 1}, .groups = 1}};
    int64_t c = channels[gt_rng_below(rng, 16)], k = channels[gt_rng_below(rng, 16)], size[2], out[2];
    for (int i = 0; i < 2; i++) {
        attrs.conv.pad[i] = gt_rng_below(rng, 2) ? 1 : gt_rng_below(rng, 4);
        attrs.conv.pad[i + 2] = gt_rng_below(rng, 2) ? 1 : gt_rng_below(rng, 4);
        int64_t pads = attrs.conv.pad[i] + attrs.conv.pad[i + 2];
        size[i] = (pads >= 2 ? 1 : 3 - pads) + gt_rng_below(rng, 18);
        out[i] = size[i] + pads - 2;
    }
    int64_t n = 1 + gt_rng_below(rng, 3);
    gt_epilogue epilogue = kernel_check_random_epilogue(rng, gt_rng_below(rng, 2) == 0);
    gt_operand inputs[4] = {
        {.present = true, .dtype = GT_F32, .shape = gt_shape_4d(n, c, size[0], size[1])},
        {.present = true, .constant = true, .dtype = GT_F32, .shape = gt_shape_4d(k, c, 3, 3)},
        {.present = gt_rng_below(rng, 3) > 0, .constant = true, .dtype = GT_F32, .shape = gt_shape_of(1, &k)},
        {.present = epilogue.residual != GT_RESIDUAL_NONE, .dtype = GT_F32,
         .shape = gt_shape_4d(n, k, out[0], out[1])},
    };
    gt_workload *w = NULL;
    gt_status status = gt_workload_create(&w, GT_OP_CONV2D, &attrs, &epilogue, 4, inputs, NULL);
    ck_assert_msg(status == GT_OK, "%s", gt_error_message());
    return w;
}

START_TEST(random_shapes)
{
    gt_rng rng;
    gt_rng_seed(&rng, SEED);
    kernel_check_only("conv2d.winograd");
    for (int i = 0; i < gt_test_rounds(RANDOM_SHAPES); i++) {
        gt_workload *w = random_3x3(&rng);
        int checked = kernel_check(w, 1 + i % 2, &rng);
        ck_assert_msg(checked >= 33, "only %d candidates on %s", checked, w->key);
        gt_workload_destroy(w);
    }
}
END_TEST

/* The rounding errors of F4 and F6 grow with the number of summed channels. */
START_TEST(deep)
{
    static const char *const keys[] = {
        "conv2d(1x2048x7x7,32x2048x3x3!,32!,_)->1x32x7x7"
        "{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1,act=relu}",
        "conv2d(1x256x14x14,256x256x3x3!,_,1x256x14x14)->1x256x14x14"
        "{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1,residual=before}",
    };
    gt_rng rng;
    gt_rng_seed(&rng, SEED);
    kernel_check_only("conv2d.winograd");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        ck_assert_int_gt(kernel_check_workload(keys[i], gt_test_rounds(2), &rng), 0);
    }
}
END_TEST

/* Images smaller than a tile, of one row or column of tiles, padding on one side only, and more of it than there is image. */
START_TEST(edges)
{
    static const char *const keys[] = {
        "conv2d(1x5x1x1,6x5x3x3!,6!,_)->1x6x1x1{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1,act=relu}",
        "conv2d(2x16x1x31,8x16x3x3!,_,_)->2x8x1x31{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1}",
        "conv2d(1x8x25x2,24x8x3x3!,24!,1x24x24x1)->1x24x24x1"
        "{stride=1x1,pad=0x0x1x1,dilation=1x1,groups=1,act=relu,residual=after}",
        "conv2d(1x12x13x13,20x12x3x3!,20!,_)->1x20x13x14{stride=1x1,pad=2x3x0x0,dilation=1x1,groups=1,act=sigmoid}",
        "conv2d(1x4x2x3,4x4x3x3!,4!,1x4x14x15)->1x4x14x15"
        "{stride=1x1,pad=7x7x7x7,dilation=1x1,groups=1,act=relu,residual=before}",
    };
    gt_rng rng;
    gt_rng_seed(&rng, SEED);
    kernel_check_only("conv2d.winograd");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        ck_assert_int_gt(kernel_check_workload(keys[i], gt_test_rounds(4), &rng), 0);
    }
}
END_TEST

START_TEST(unsupported)
{
    static const char *const keys[] = {
        "conv2d(1x8x9x9,8x8x3x3!,_,_)->1x8x5x5{stride=2x2,pad=1x1x1x1,dilation=1x1,groups=1}",
        "conv2d(1x8x9x9,8x8x3x3!,_,_)->1x8x7x7{stride=1x1,pad=1x1x1x1,dilation=2x2,groups=1}",
        "conv2d(1x8x9x9,8x4x3x3!,_,_)->1x8x9x9{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=2}",
        "conv2d(1x8x9x9,8x8x5x5!,_,_)->1x8x7x7{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1}",
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        gt_workload *w = NULL;
        ck_assert_msg(gt_workload_parse(&w, keys[i]) == GT_OK, "%s: %s", keys[i], gt_error_message());
        ck_assert(!gt_template_supports(gt_template_find("conv2d.winograd_f2"), w, GT_NCHW, GT_NCHW));
        ck_assert(!gt_template_supports(gt_template_find("conv2d.winograd_f4"), w, GT_NCHW8C, GT_NCHW8C));
        ck_assert(!gt_template_supports(gt_template_find("conv2d.winograd_f6"), w, GT_NHWC, GT_NHWC));
        gt_workload_destroy(w);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conv_winograd");
    TCase *tests = tcase_create("winograd");
    printf("seed %d\n", SEED);
    tcase_set_timeout(tests, 900);
    tcase_add_test(tests, random_shapes);
    tcase_add_test(tests, edges);
    tcase_add_test(tests, deep);
    tcase_add_test(tests, unsupported);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
