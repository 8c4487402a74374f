/* SPDX-License-Identifier: Apache-2.0 */
/* ResNet-18 and ResNet-50. K. He et al., "Deep Residual Learning for Image Recognition", CVPR
 * 2016, table 1; the stride of a bottleneck is in its 3x3 convolution, as in most later
 * implementations. */
#include "src/zoo/architectures.h"

static gt_i_zoo_tensor shortcut(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t out, int64_t stride)
{
    gt_i_zoo_window window = gt_i_zoo_square(1, stride, GT_ZOO_PAD_HALF);
    return x.c == out && stride == 1
               ? x
               : gt_i_zoo_conv_bn(b, x, "downsample", out, window, GT_ZOO_LINEAR);
}

static gt_i_zoo_tensor basic_block(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t planes,
                                   int64_t stride)
{
    gt_i_zoo_window strided = gt_i_zoo_square(3, stride, GT_ZOO_PAD_HALF);
    gt_i_zoo_window window = gt_i_zoo_square(3, 1, GT_ZOO_PAD_HALF);
    gt_i_zoo_tensor y = gt_i_zoo_conv_bn(b, x, "conv1", planes, strided, GT_ZOO_RELU);
    y = gt_i_zoo_conv_bn(b, y, "conv2", planes, window, GT_ZOO_LINEAR);
    y = gt_i_zoo_add(b, y, shortcut(b, x, planes, stride));
    return gt_i_zoo_activate(b, y, GT_ZOO_RELU);
}

static gt_i_zoo_tensor bottleneck(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t planes,
                                  int64_t stride)
{
    gt_i_zoo_window point = gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF);
    gt_i_zoo_window strided = gt_i_zoo_square(3, stride, GT_ZOO_PAD_HALF);
    gt_i_zoo_tensor y = gt_i_zoo_conv_bn(b, x, "conv1", planes, point, GT_ZOO_RELU);
    y = gt_i_zoo_conv_bn(b, y, "conv2", planes, strided, GT_ZOO_RELU);
    y = gt_i_zoo_conv_bn(b, y, "conv3", 4 * planes, point, GT_ZOO_LINEAR);
    y = gt_i_zoo_add(b, y, shortcut(b, x, 4 * planes, stride));
    return gt_i_zoo_activate(b, y, GT_ZOO_RELU);
}

typedef gt_i_zoo_tensor block_function(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t planes,
                                       int64_t stride);

static void resnet(gt_i_zoo_builder *b, int64_t resolution, const int repeats[4],
                   block_function *block)
{
    gt_i_zoo_tensor x = gt_i_zoo_input(b, 3, resolution);
    x = gt_i_zoo_conv_bn(b, x, "conv1", gt_i_zoo_channels(b, 64, 8),
                         gt_i_zoo_square(7, 2, GT_ZOO_PAD_HALF), GT_ZOO_RELU);
    x = gt_i_zoo_max_pool(b, x, gt_i_zoo_square(3, 2, GT_ZOO_PAD_HALF));
    for (int stage = 0; stage < 4; stage++) {
        int64_t planes = gt_i_zoo_channels(b, (int64_t)64 << stage, 8);
        for (int r = 0; r < repeats[stage]; r++) {
            gt_i_zoo_scope(b, "layer%d.%d", stage + 1, r);
            x = block(b, x, planes, stage > 0 && r == 0 ? 2 : 1);
        }
    }
    gt_i_zoo_classify(b, x);
}

void gt_i_zoo_build_resnet18(gt_i_zoo_builder *b, int64_t resolution)
{
    resnet(b, resolution, (const int[]){2, 2, 2, 2}, basic_block);
}

void gt_i_zoo_build_resnet50(gt_i_zoo_builder *b, int64_t resolution)
{
    resnet(b, resolution, (const int[]){3, 4, 6, 3}, bottleneck);
}
