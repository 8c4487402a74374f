/* SPDX-License-Identifier: Apache-2.0 */
/* DenseNet-121. G. Huang et al., "Densely Connected Convolutional Networks", CVPR 2017, table 1
 * (growth rate 32, bottleneck of 4 times that, compression 0.5). */
#include "src/zoo/architectures.h"

#define MAX_LAYERS 24

static gt_i_zoo_tensor bn_relu(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name)
{
    return gt_i_zoo_bn(b, x, name, 1e-5, GT_ZOO_RELU);
}

/* Each layer reads everything before it in the block, in one Concat. */
static gt_i_zoo_tensor dense_block(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int index, int layers,
                                   int64_t growth)
{
    gt_i_zoo_tensor maps[1 + MAX_LAYERS] = {x};
    for (int i = 0; i < layers; i++) {
        gt_i_zoo_scope(b, "denseblock%d.denselayer%d", index, i + 1);
        gt_i_zoo_tensor y = i == 0 ? x : gt_i_zoo_concat(b, (size_t)i + 1, maps);
        y = bn_relu(b, y, "norm1");
        y = gt_i_zoo_conv_bn(b, y, "conv1", 4 * growth, gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF),
                             GT_ZOO_RELU);
        maps[i + 1] =
            gt_i_zoo_conv_plain(b, y, "conv2", growth, 1, gt_i_zoo_square(3, 1, GT_ZOO_PAD_HALF));
    }
    return gt_i_zoo_concat(b, (size_t)layers + 1, maps);
}

static gt_i_zoo_tensor transition(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int index)
{
    gt_i_zoo_scope(b, "transition%d", index);
    x = bn_relu(b, x, "norm");
    x = gt_i_zoo_conv_plain(b, x, "conv", x.c / 2, 1, gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF));
    return gt_i_zoo_avg_pool(b, x, gt_i_zoo_square(2, 2, GT_ZOO_PAD_NONE));
}

void gt_i_zoo_build_densenet121(gt_i_zoo_builder *b, int64_t resolution)
{
    static const int layers[] = {6, 12, MAX_LAYERS, 16};
    int64_t growth = gt_i_zoo_channels(b, 32, 8);
    gt_i_zoo_tensor x = gt_i_zoo_input(b, 3, resolution);
    x = gt_i_zoo_conv_bn(b, x, "conv0", 2 * growth, gt_i_zoo_square(7, 2, GT_ZOO_PAD_HALF),
                         GT_ZOO_RELU);
    x = gt_i_zoo_max_pool(b, x, gt_i_zoo_square(3, 2, GT_ZOO_PAD_HALF));
    for (int i = 0; i < 4; i++) {
        x = dense_block(b, x, i + 1, layers[i], growth);
        x = i < 3 ? transition(b, x, i + 1) : x;
    }
    gt_i_zoo_scope(b, "%s", "");
    gt_i_zoo_classify(b, bn_relu(b, x, "norm5"));
}
