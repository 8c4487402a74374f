/* SPDX-License-Identifier: Apache-2.0 */
/* Inception v3 without the auxiliary classifier. C. Szegedy et al., "Rethinking the Inception
 * Architecture for Computer Vision", CVPR 2016; channel counts as in the authors' TensorFlow
 * release. */
#include "src/zoo/architectures.h"

/* Convolution of any kernel shape, stride 1, size kept. */
static gt_i_zoo_tensor conv(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name, int64_t out,
                            int64_t kernel_h, int64_t kernel_w)
{
    gt_i_zoo_window window = {.kernel_h = kernel_h, .kernel_w = kernel_w, .stride = 1};
    return gt_i_zoo_conv_bn(b, x, name, gt_i_zoo_channels(b, out, 8), window, GT_ZOO_RELU);
}

/* 3x3 convolution without padding. */
static gt_i_zoo_tensor conv_valid(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name,
                                  int64_t out, int64_t stride)
{
    return gt_i_zoo_conv_bn(b, x, name, gt_i_zoo_channels(b, out, 8),
                            gt_i_zoo_square(3, stride, GT_ZOO_PAD_NONE), GT_ZOO_RELU);
}

static gt_i_zoo_tensor pool_branch(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t out)
{
    x = gt_i_zoo_avg_pool(b, x, gt_i_zoo_square(3, 1, GT_ZOO_PAD_HALF));
    return conv(b, x, "branch_pool", out, 1, 1);
}

/* 35x35 */
static gt_i_zoo_tensor block_a(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t pool_channels)
{
    gt_i_zoo_tensor branches[4];
    branches[0] = conv(b, x, "branch1x1", 64, 1, 1);
    branches[1] = conv(b, x, "branch5x5_1", 48, 1, 1);
    branches[1] = conv(b, branches[1], "branch5x5_2", 64, 5, 5);
    branches[2] = conv(b, x, "branch3x3dbl_1", 64, 1, 1);
    branches[2] = conv(b, branches[2], "branch3x3dbl_2", 96, 3, 3);
    branches[2] = conv(b, branches[2], "branch3x3dbl_3", 96, 3, 3);
    branches[3] = pool_branch(b, x, pool_channels);
    return gt_i_zoo_concat(b, 4, branches);
}

/* 35x35 to 17x17 */
static gt_i_zoo_tensor block_b(gt_i_zoo_builder *b, gt_i_zoo_tensor x)
{
    gt_i_zoo_tensor branches[3];
    branches[0] = conv_valid(b, x, "branch3x3", 384, 2);
    branches[1] = conv(b, x, "branch3x3dbl_1", 64, 1, 1);
    branches[1] = conv(b, branches[1], "branch3x3dbl_2", 96, 3, 3);
    branches[1] = conv_valid(b, branches[1], "branch3x3dbl_3", 96, 2);
    branches[2] = gt_i_zoo_max_pool(b, x, gt_i_zoo_square(3, 2, GT_ZOO_PAD_NONE));
    return gt_i_zoo_concat(b, 3, branches);
}

/* 17x17, with 7x7 convolutions in two factors */
static gt_i_zoo_tensor block_c(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t narrow)
{
    gt_i_zoo_tensor branches[4];
    branches[0] = conv(b, x, "branch1x1", 192, 1, 1);
    branches[1] = conv(b, x, "branch7x7_1", narrow, 1, 1);
    branches[1] = conv(b, branches[1], "branch7x7_2", narrow, 1, 7);
    branches[1] = conv(b, branches[1], "branch7x7_3", 192, 7, 1);
    branches[2] = conv(b, x, "branch7x7dbl_1", narrow, 1, 1);
    branches[2] = conv(b, branches[2], "branch7x7dbl_2", narrow, 7, 1);
    branches[2] = conv(b, branches[2], "branch7x7dbl_3", narrow, 1, 7);
    branches[2] = conv(b, branches[2], "branch7x7dbl_4", narrow, 7, 1);
    branches[2] = conv(b, branches[2], "branch7x7dbl_5", 192, 1, 7);
    branches[3] = pool_branch(b, x, 192);
    return gt_i_zoo_concat(b, 4, branches);
}

/* 17x17 to 8x8 */
static gt_i_zoo_tensor block_d(gt_i_zoo_builder *b, gt_i_zoo_tensor x)
{
    gt_i_zoo_tensor branches[3];
    branches[0] = conv(b, x, "branch3x3_1", 192, 1, 1);
    branches[0] = conv_valid(b, branches[0], "branch3x3_2", 320, 2);
    branches[1] = conv(b, x, "branch7x7x3_1", 192, 1, 1);
    branches[1] = conv(b, branches[1], "branch7x7x3_2", 192, 1, 7);
    branches[1] = conv(b, branches[1], "branch7x7x3_3", 192, 7, 1);
    branches[1] = conv_valid(b, branches[1], "branch7x7x3_4", 192, 2);
    branches[2] = gt_i_zoo_max_pool(b, x, gt_i_zoo_square(3, 2, GT_ZOO_PAD_NONE));
    return gt_i_zoo_concat(b, 3, branches);
}

/* A 1x3 and a 3x1 convolution side by side. */
static gt_i_zoo_tensor two_kernels(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *left,
                                   const char *right)
{
    gt_i_zoo_tensor sides[2];
    sides[0] = conv(b, x, left, 384, 1, 3);
    sides[1] = conv(b, x, right, 384, 3, 1);
    return gt_i_zoo_concat(b, 2, sides);
}

/* 8x8 */
static gt_i_zoo_tensor block_e(gt_i_zoo_builder *b, gt_i_zoo_tensor x)
{
    gt_i_zoo_tensor branches[4];
    branches[0] = conv(b, x, "branch1x1", 320, 1, 1);
    branches[1] = conv(b, x, "branch3x3_1", 384, 1, 1);
    branches[1] = two_kernels(b, branches[1], "branch3x3_2a", "branch3x3_2b");
    branches[2] = conv(b, x, "branch3x3dbl_1", 448, 1, 1);
    branches[2] = conv(b, branches[2], "branch3x3dbl_2", 384, 3, 3);
    branches[2] = two_kernels(b, branches[2], "branch3x3dbl_3a", "branch3x3dbl_3b");
    branches[3] = pool_branch(b, x, 192);
    return gt_i_zoo_concat(b, 4, branches);
}

static gt_i_zoo_tensor stem(gt_i_zoo_builder *b, gt_i_zoo_tensor x)
{
    gt_i_zoo_window pool = gt_i_zoo_square(3, 2, GT_ZOO_PAD_NONE);
    gt_i_zoo_scope(b, "stem");
    x = conv_valid(b, x, "conv1a", 32, 2);
    x = conv_valid(b, x, "conv2a", 32, 1);
    x = conv(b, x, "conv2b", 64, 3, 3);
    x = gt_i_zoo_max_pool(b, x, pool);
    x = conv(b, x, "conv3b", 80, 1, 1);
    x = conv_valid(b, x, "conv4a", 192, 1);
    return gt_i_zoo_max_pool(b, x, pool);
}

void gt_i_zoo_build_inception_v3(gt_i_zoo_builder *b, int64_t resolution)
{
    static const int64_t pool_channels[] = {32, 64, 64};
    static const int64_t narrow[] = {128, 160, 160, 192};
    gt_i_zoo_tensor x = stem(b, gt_i_zoo_input(b, 3, resolution));
    for (int i = 0; i < 3; i++) {
        gt_i_zoo_scope(b, "mixed_5%c", 'b' + i);
        x = block_a(b, x, pool_channels[i]);
    }
    gt_i_zoo_scope(b, "mixed_6a");
    x = block_b(b, x);
    for (int i = 0; i < 4; i++) {
        gt_i_zoo_scope(b, "mixed_6%c", 'b' + i);
        x = block_c(b, x, narrow[i]);
    }
    gt_i_zoo_scope(b, "mixed_7a");
    x = block_d(b, x);
    for (int i = 0; i < 2; i++) {
        gt_i_zoo_scope(b, "mixed_7%c", 'b' + i);
        x = block_e(b, x);
    }
    gt_i_zoo_classify(b, x);
}
