/* SPDX-License-Identifier: Apache-2.0 */
/* U-Net. O. Ronneberger et al., "U-Net: Convolutional Networks for Biomedical Image
 * Segmentation", MICCAI 2015, figure 1, with padded convolutions (so that nothing is cropped),
 * batch normalisation, RGB input and two classes. */
#include "src/zoo/architectures.h"

#define LEVELS 5

static gt_i_zoo_tensor double_conv(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t out)
{
    gt_i_zoo_window window = gt_i_zoo_square(3, 1, GT_ZOO_PAD_HALF);
    x = gt_i_zoo_conv_bn(b, x, "conv1", out, window, GT_ZOO_RELU);
    return gt_i_zoo_conv_bn(b, x, "conv2", out, window, GT_ZOO_RELU);
}

void gt_i_zoo_build_unet(gt_i_zoo_builder *b, int64_t resolution)
{
    int64_t c = gt_i_zoo_channels(b, 64, 8);
    gt_i_zoo_tensor skips[LEVELS];
    gt_i_zoo_tensor x = gt_i_zoo_input(b, 3, resolution);
    for (int level = 0; level < LEVELS; level++) {
        gt_i_zoo_scope(b, "down%d", level);
        x = level > 0 ? gt_i_zoo_max_pool(b, x, gt_i_zoo_square(2, 2, GT_ZOO_PAD_NONE)) : x;
        x = double_conv(b, x, c << level);
        skips[level] = x;
    }
    for (int level = LEVELS - 2; level >= 0; level--) {
        gt_i_zoo_scope(b, "up%d", level);
        x = gt_i_zoo_conv_transpose(b, x, "up", c << level);
        x = gt_i_zoo_concat(b, 2, (const gt_i_zoo_tensor[]){skips[level], x});
        x = double_conv(b, x, c << level);
    }
    gt_i_zoo_scope(b, "%s", "");
    x = gt_i_zoo_conv(b, x, "classes", 2, gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF), GT_ZOO_LINEAR);
    gt_i_zoo_output(b, x, "masks");
}
