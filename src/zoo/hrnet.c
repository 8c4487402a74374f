/* SPDX-License-Identifier: Apache-2.0 */
/* HRNet-W18 for classification. J. Wang et al., "Deep High-Resolution Representation Learning
 * for Visual Recognition", TPAMI 2020, figures 2 to 4; the classification head is the paper's
 * appendix. */
#include "src/zoo/architectures.h"

#include <stdio.h>

#define BRANCHES 4

static gt_i_zoo_window window3(int64_t stride)
{
    return gt_i_zoo_square(3, stride, GT_ZOO_PAD_HALF);
}

static gt_i_zoo_window window1(void)
{
    return gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF);
}

static gt_i_zoo_tensor basic_block(gt_i_zoo_builder *b, gt_i_zoo_tensor x)
{
    gt_i_zoo_tensor y = gt_i_zoo_conv_bn(b, x, "conv1", x.c, window3(1), GT_ZOO_RELU);
    y = gt_i_zoo_conv_bn(b, y, "conv2", x.c, window3(1), GT_ZOO_LINEAR);
    return gt_i_zoo_activate(b, gt_i_zoo_add(b, y, x), GT_ZOO_RELU);
}

/* A bottleneck of four times `planes` output channels. */
static gt_i_zoo_tensor bottleneck(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t planes)
{
    gt_i_zoo_tensor skip = x;
    gt_i_zoo_tensor y = gt_i_zoo_conv_bn(b, x, "conv1", planes, window1(), GT_ZOO_RELU);
    y = gt_i_zoo_conv_bn(b, y, "conv2", planes, window3(1), GT_ZOO_RELU);
    y = gt_i_zoo_conv_bn(b, y, "conv3", 4 * planes, window1(), GT_ZOO_LINEAR);
    if (x.c != 4 * planes) {
        skip = gt_i_zoo_conv_bn(b, x, "downsample", 4 * planes, window1(), GT_ZOO_LINEAR);
    }
    return gt_i_zoo_activate(b, gt_i_zoo_add(b, y, skip), GT_ZOO_RELU);
}

/* Branch `from` brought to the size and channels of branch `to`. */
static gt_i_zoo_tensor resample(gt_i_zoo_builder *b, const gt_i_zoo_tensor *maps, const char *scope,
                                int from, int to)
{
    gt_i_zoo_tensor x = maps[from];
    if (from == to) {
        return x;
    }
    gt_i_zoo_scope(b, "%s.fuse%d_%d", scope, to, from);
    if (from > to) {
        x = gt_i_zoo_conv_bn(b, x, "conv", maps[to].c, window1(), GT_ZOO_LINEAR);
        return gt_i_zoo_upsample(b, x, (int64_t)1 << (from - to));
    }
    for (int step = from + 1; step <= to; step++) {
        static const char *const names[BRANCHES] = {"", "conv1", "conv2", "conv3"};
        bool is_last = step == to;
        x = gt_i_zoo_conv_bn(b, x, names[step - from], is_last ? maps[to].c : x.c, window3(2),
                             is_last ? GT_ZOO_LINEAR : GT_ZOO_RELU);
    }
    return x;
}

/* Four residual blocks on every branch, then every branch receives the sum of all. */
static void exchange_module(gt_i_zoo_builder *b, gt_i_zoo_tensor *maps, const char *scope,
                            int branches)
{
    gt_i_zoo_tensor fused[BRANCHES];
    for (int k = 0; k < branches; k++) {
        for (int r = 0; r < 4; r++) {
            gt_i_zoo_scope(b, "%s.branch%d.%d", scope, k, r);
            maps[k] = basic_block(b, maps[k]);
        }
    }
    for (int to = 0; to < branches; to++) {
        fused[to] = resample(b, maps, scope, 0, to);
        for (int from = 1; from < branches; from++) {
            fused[to] = gt_i_zoo_add(b, fused[to], resample(b, maps, scope, from, to));
        }
        fused[to] = gt_i_zoo_activate(b, fused[to], GT_ZOO_RELU);
    }
    for (int k = 0; k < branches; k++) {
        maps[k] = fused[k];
    }
}

static void stage(gt_i_zoo_builder *b, gt_i_zoo_tensor *maps, int branches, int modules)
{
    static const char *const scopes[] = {"module0", "module1", "module2", "module3"};
    char scope[32];
    for (int m = 0; m < modules; m++) {
        snprintf(scope, sizeof scope, "stage%d.%s", branches, scopes[m]);
        exchange_module(b, maps, scope, branches);
    }
}

/* All branches, widened and joined from fine to coarse. */
static gt_i_zoo_tensor join_branches(gt_i_zoo_builder *b, const gt_i_zoo_tensor *maps)
{
    gt_i_zoo_tensor x = {0};
    for (int k = 0; k < BRANCHES; k++) {
        gt_i_zoo_scope(b, "head.increase%d", k);
        gt_i_zoo_tensor y = bottleneck(b, maps[k], (int64_t)32 << k);
        if (k > 0) {
            gt_i_zoo_scope(b, "head.downsample%d", k);
            x = gt_i_zoo_conv(b, x, "conv", y.c, window3(2), GT_ZOO_LINEAR);
            y = gt_i_zoo_add(b, y, gt_i_zoo_bn(b, x, "bn", 1e-5, GT_ZOO_RELU));
        }
        x = y;
    }
    gt_i_zoo_scope(b, "head.final");
    x = gt_i_zoo_conv(b, x, "conv", 2048, window1(), GT_ZOO_LINEAR);
    return gt_i_zoo_bn(b, x, "bn", 1e-5, GT_ZOO_RELU);
}

void gt_i_zoo_build_hrnet_w18(gt_i_zoo_builder *b, int64_t resolution)
{
    static const int modules[] = {0, 0, 1, 4, 3};
    gt_i_zoo_tensor maps[BRANCHES] = {0};
    int64_t c = gt_i_zoo_channels(b, 18, 2);
    gt_i_zoo_tensor x = gt_i_zoo_input(b, 3, resolution);
    x = gt_i_zoo_conv_bn(b, x, "conv1", 64, window3(2), GT_ZOO_RELU);
    x = gt_i_zoo_conv_bn(b, x, "conv2", 64, window3(2), GT_ZOO_RELU);
    for (int i = 0; i < 4; i++) {
        gt_i_zoo_scope(b, "layer1.%d", i);
        x = bottleneck(b, x, 64);
    }
    gt_i_zoo_scope(b, "transition1");
    maps[0] = gt_i_zoo_conv_bn(b, x, "conv0", c, window3(1), GT_ZOO_RELU);
    maps[1] = gt_i_zoo_conv_bn(b, x, "conv1", 2 * c, window3(2), GT_ZOO_RELU);
    for (int branches = 2; branches <= BRANCHES; branches++) {
        stage(b, maps, branches, modules[branches]);
        if (branches < BRANCHES) {
            gt_i_zoo_scope(b, "transition%d", branches);
            maps[branches] = gt_i_zoo_conv_bn(b, maps[branches - 1], "conv", c << branches,
                                              window3(2), GT_ZOO_RELU);
        }
    }
    gt_i_zoo_classify(b, join_branches(b, maps));
}
