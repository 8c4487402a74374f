/* SPDX-License-Identifier: Apache-2.0 */
/* ShuffleNet v2. N. Ma et al., "ShuffleNet V2: Practical Guidelines for Efficient CNN
 * Architecture Design", ECCV 2018, table 5 and figure 3. */
#include "src/zoo/architectures.h"

/* The channels of a stage. The published widths have a table of their own; others are scaled. */
static int64_t stage_channels(const gt_i_zoo_builder *b, int stage)
{
    static const struct {
        double width;
        int64_t channels[4];
    } published[] = {{0.5, {48, 96, 192, 1024}}, {1.0, {116, 232, 464, 1024}},
                     {1.5, {176, 352, 704, 1024}}, {2.0, {244, 488, 976, 2048}}};
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        if (published[i].width == b->width) {
            return published[i].channels[stage];
        }
    }
    return gt_i_zoo_channels(b, published[1].channels[stage], 4);
}

static gt_i_zoo_tensor branch(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t half, int64_t stride)
{
    gt_i_zoo_window point = gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF);
    x = gt_i_zoo_conv_bn(b, x, "branch2.conv1", half, point, GT_ZOO_RELU);
    x = gt_i_zoo_depthwise_bn(b, x, "branch2.conv2", gt_i_zoo_square(3, stride, GT_ZOO_PAD_HALF),
                              GT_ZOO_LINEAR);
    return gt_i_zoo_conv_bn(b, x, "branch2.conv3", half, point, GT_ZOO_RELU);
}

static gt_i_zoo_tensor unit(gt_i_zoo_builder *b, gt_i_zoo_tensor x)
{
    gt_i_zoo_tensor halves[2];
    gt_i_zoo_split(b, halves, x);
    halves[1] = branch(b, halves[1], x.c / 2, 1);
    return gt_i_zoo_shuffle(b, gt_i_zoo_concat(b, 2, halves));
}

static gt_i_zoo_tensor downsampling_unit(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t out)
{
    gt_i_zoo_tensor halves[2];
    halves[0] = gt_i_zoo_depthwise_bn(b, x, "branch1.conv1", gt_i_zoo_square(3, 2, GT_ZOO_PAD_HALF),
                                      GT_ZOO_LINEAR);
    halves[0] = gt_i_zoo_conv_bn(b, halves[0], "branch1.conv2", out / 2,
                                 gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF), GT_ZOO_RELU);
    halves[1] = branch(b, x, out / 2, 2);
    return gt_i_zoo_shuffle(b, gt_i_zoo_concat(b, 2, halves));
}

void gt_i_zoo_build_shufflenet_v2(gt_i_zoo_builder *b, int64_t resolution)
{
    static const int repeats[] = {3, 7, 3};
    gt_i_zoo_window first = gt_i_zoo_square(3, 2, GT_ZOO_PAD_HALF);
    gt_i_zoo_tensor x = gt_i_zoo_input(b, 3, resolution);
    x = gt_i_zoo_conv_bn(b, x, "conv1", 24, first, GT_ZOO_RELU);
    x = gt_i_zoo_max_pool(b, x, first);
    for (int stage = 0; stage < 3; stage++) {
        gt_i_zoo_scope(b, "stage%d.0", stage + 2);
        x = downsampling_unit(b, x, stage_channels(b, stage));
        for (int r = 1; r <= repeats[stage]; r++) {
            gt_i_zoo_scope(b, "stage%d.%d", stage + 2, r);
            x = unit(b, x);
        }
    }
    gt_i_zoo_scope(b, "%s", "");
    x = gt_i_zoo_conv_bn(b, x, "conv5", stage_channels(b, 3),
                         gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF), GT_ZOO_RELU);
    gt_i_zoo_classify(b, x);
}
