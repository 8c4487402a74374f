/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d.direct and depthwise.direct against the reference oracle. GT_TEST_SEED=n repeats a run. */
#include "tests/kernel_check.h"
#include "tests/runner.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static gt_rng rng;

static void check_random(int shapes, kernel_check_groups groups, const char *prefix)
{
    int checked = 0;
    shapes = gt_test_rounds(shapes);
    kernel_check_only(prefix);
    for (int i = 0; i < shapes; i++) {
        gt_workload *w = kernel_check_random_conv(&rng, groups);
        int candidates = kernel_check(w, 2, &rng);
        ck_assert_msg(candidates > 0, "%s handles nothing of %s", prefix, w->key);
        checked += candidates;
        gt_workload_destroy(w);
    }
    kernel_check_only(NULL);
    printf("%s: %d shapes, %d candidates\n", prefix, shapes, checked);
}

START_TEST(ungrouped)
{
    check_random(120, KERNEL_CHECK_UNGROUPED, "conv2d.direct");
}
END_TEST

START_TEST(grouped)
{
    check_random(60, KERNEL_CHECK_GROUPED, "conv2d.direct");
}
END_TEST

START_TEST(depthwise)
{
    check_random(140, KERNEL_CHECK_DEPTHWISE, "depthwise.direct");
}
END_TEST

/* Shapes that networks have, and corners that random ones hit rarely. */
static const struct {
    const char *prefix, *key;
} fixed[] = {
    {"conv2d.direct",
     "conv2d(1x3x32x32,32x3x3x3!,32!,_)->1x32x16x16"
     "{stride=2x2,pad=0x0x1x1,dilation=1x1,groups=1,act=clip,alpha=0,beta=6}"},
    {"conv2d.direct",
     "conv2d(1x3x33x37,64x3x7x7!,64!,_)->1x64x17x19"
     "{stride=2x2,pad=3x3x3x3,dilation=1x1,groups=1,act=relu}"},
    {"conv2d.direct",
     "conv2d(1x160x7x7,80x160x3x3!,80!,_)->1x80x7x7"
     "{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1,act=relu}"},
    {"conv2d.direct",
     "conv2d(1x300x7x7,40x300x1x1!,_,1x40x7x7)->1x40x7x7"
     "{stride=1x1,pad=0x0x0x0,dilation=1x1,groups=1,act=relu,residual=before}"},
    {"conv2d.direct",
     "conv2d(1x1x1x1,1x1x1x1!,_,_)->1x1x1x1"
     "{stride=1x1,pad=0x0x0x0,dilation=1x1,groups=1}"},
    {"conv2d.direct",
     "conv2d(1x2x1x1,3x2x1x1!,3!,_)->1x3x9x11"
     "{stride=1x1,pad=4x5x4x5,dilation=1x1,groups=1,act=sigmoid}"},
    {"conv2d.direct",
     "conv2d(2x240x6x5,60x80x1x1!,60!,_)->2x60x6x5"
     "{stride=1x1,pad=0x0x0x0,dilation=1x1,groups=3,act=relu}"},
    {"conv2d.direct",
     "conv2d(1x64x9x9,64x2x3x3!,64!,_)->1x64x5x5"
     "{stride=2x2,pad=1x1x1x1,dilation=1x1,groups=32,act=relu}"},
    {"depthwise.direct",
     "conv2d(1x40x29x31,40x1x3x3!,40!,_)->1x40x15x16"
     "{stride=2x2,pad=1x1x1x1,dilation=1x1,groups=40,act=clip,alpha=0,beta=6}"},
    {"depthwise.direct",
     "conv2d(1x36x28x28,36x1x5x5!,36!,_)->1x36x28x28"
     "{stride=1x1,pad=2x2x2x2,dilation=1x1,groups=36,act=hard_swish,alpha=0.16666667,beta=0.5}"},
    {"depthwise.direct",
     "conv2d(1x19x20x50,19x1x7x7!,_,1x19x20x50)->1x19x20x50"
     "{stride=1x1,pad=3x3x3x3,dilation=1x1,groups=19,residual=after}"},
    {"depthwise.direct",
     "conv2d(1x17x7x7,17x1x3x3!,17!,_)->1x17x7x7"
     "{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=17,act=relu}"},
    {"depthwise.direct",
     "conv2d(1x12x30x30,12x1x3x3!,12!,_)->1x12x15x15"
     "{stride=2x2,pad=0x0x1x1,dilation=1x1,groups=12,act=relu}"},
    {"depthwise.direct",
     "conv2d(1x8x16x32,8x1x3x3!,8!,_)->1x8x16x32"
     "{stride=1x1,pad=2x2x2x2,dilation=2x2,groups=8,act=clip,alpha=-1,beta=1}"},
    {"depthwise.direct",
     "conv2d(1x20x9x23,20x1x5x5!,20!,_)->1x20x9x23"
     "{stride=1x1,pad=6x6x6x6,dilation=3x3,groups=20,act=hard_swish,alpha=0.16666667,beta=0.5}"},
    {"depthwise.direct",
     "conv2d(1x6x11x31,6x1x4x9!,6!,_)->1x6x10x29"
     "{stride=1x1,pad=1x3x1x3,dilation=1x1,groups=6,act=relu}"},
    /* Output rows, and columns, that meet nothing of the image. */
    {"depthwise.direct",
     "conv2d(1x8x2x3,8x1x3x3!,8!,_)->1x8x10x11"
     "{stride=1x1,pad=5x5x5x5,dilation=1x1,groups=8,act=relu}"},
    /* Rows shorter than a vector: what it writes past them must stay inside the output. */
    {"depthwise.direct",
     "conv2d(1x37x11x1,148x1x3x5!,148!,_)->1x148x7x1"
     "{stride=2x1,pad=3x2x1x2,dilation=1x1,groups=37}"},
    {"depthwise.direct",
     "conv2d(1x2x1x1,2x1x1x1!,2!,_)->1x2x9x11"
     "{stride=1x1,pad=4x5x4x5,dilation=1x1,groups=2,act=sigmoid}"},
};

START_TEST(fixed_shapes)
{
    kernel_check_only(fixed[_i].prefix);
    ck_assert_int_gt(kernel_check_workload(fixed[_i].key, gt_test_rounds(8), &rng), 0);
    kernel_check_only(NULL);
}
END_TEST

/* Images as small as the register tiles and smaller, with paddings that differ: every tile is at an edge, of one side or of two. */
START_TEST(depthwise_small)
{
    static const int kernels[] = {3, 5, 7};
    const int width = _i + 1;
    kernel_check_only("depthwise.direct");
    for (int i = 0; i < 3; i++) {
        for (int stride = 1; stride <= 2; stride++) {
            const int k = kernels[i], left = k / 2, right = k / 2 - (stride == 2), top = right;
            const int out_w = (width + left + right - k) / stride + 1, out_h = (7 + top + left - k) / stride + 1;
            char key[200];
            if (width + left + right < k) {
                continue;
            }
            snprintf(key, sizeof key,
                     "conv2d(1x5x7x%d,5x1x%dx%d!,5!,_)->1x5x%dx%d{stride=%dx%d,pad=%dx%dx%dx%d,dilation=1x1,groups=5,act=relu}",
                     width, k, k, out_h, out_w, stride, stride, top, left, left, right);
            ck_assert_int_gt(kernel_check_workload(key, 6, &rng), 0);
        }
    }
    kernel_check_only(NULL);
}
END_TEST

/* Every layout has a template of these two files for every convolution. */
START_TEST(every_layout_is_handled)
{
    for (int i = 0; i < 30; i++) {
        gt_workload *w = kernel_check_random_conv(&rng, (kernel_check_groups)(i % 3));
        const char *name = gt_workload_is_depthwise(w) ? "depthwise.direct" : "conv2d.direct";
        const gt_template *t = gt_template_find(name);
        ck_assert_msg(t != NULL, "%s is not registered", name);
        for (gt_layout layout = 0; layout < GT_LAYOUT_COUNT; layout++) {
            bool multiplier = w->inputs[0].shape.dim[1] != w->output.shape.dim[1];
            ck_assert_msg(gt_template_supports(t, w, layout, layout), "%s refuses %s on %s (multiplier %d)", name,
                          gt_layout_name(layout), w->key, multiplier);
        }
        gt_workload_destroy(w);
    }
}
END_TEST

int main(void)
{
    gt_rng_seed(&rng, gt_test_seed(20240607));
    Suite *suite = suite_create("conv_direct");
    TCase *tcase = tcase_create("conv_direct");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, ungrouped);
    tcase_add_test(tcase, grouped);
    tcase_add_test(tcase, depthwise);
    tcase_add_loop_test(tcase, fixed_shapes, 0, (int)(sizeof fixed / sizeof *fixed));
    tcase_add_loop_test(tcase, depthwise_small, 0, 17);
    tcase_add_test(tcase, every_layout_is_handled);
    suite_add_tcase(suite, tcase);
    return gt_test_run(suite);
}
