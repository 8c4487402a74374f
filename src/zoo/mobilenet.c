/* SPDX-License-Identifier: Apache-2.0 */
/* MobileNet v1, v2 and v3-Large. A. Howard et al., "MobileNets", arXiv:1704.04861; M. Sandler et
 * al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", CVPR 2018, table 2; A. Howard
 * et al., "Searching for MobileNetV3", ICCV 2019, table 1. */
#include "src/zoo/architectures.h"

/* ---- v1, with TensorFlow's padding ---- */

gt_i_zoo_tensor gt_i_zoo_mobilenet_v1_features(gt_i_zoo_builder *b, gt_i_zoo_tensor *c4,
                                               gt_i_zoo_tensor x)
{
    static const struct {
        int64_t out, stride;
    } layers[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
                  {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
    gt_i_zoo_window first = gt_i_zoo_square(3, 2, GT_ZOO_PAD_SAME);
    x = gt_i_zoo_conv_bn(b, x, "conv0", gt_i_zoo_channels(b, 32, 8), first, GT_ZOO_RELU6);
    for (int i = 0; i < (int)(sizeof layers / sizeof *layers); i++) {
        gt_i_zoo_window window = gt_i_zoo_square(3, layers[i].stride, GT_ZOO_PAD_SAME);
        if (layers[i].out == 1024 && layers[i].stride == 2) {
            *c4 = x;
        }
        gt_i_zoo_scope(b, "conv%d", i + 1);
        x = gt_i_zoo_depthwise_bn(b, x, "depthwise", window, GT_ZOO_RELU6);
        x = gt_i_zoo_conv_bn(b, x, "pointwise", gt_i_zoo_channels(b, layers[i].out, 8),
                             gt_i_zoo_square(1, 1, GT_ZOO_PAD_SAME), GT_ZOO_RELU6);
    }
    return x;
}

void gt_i_zoo_build_mobilenet_v1(gt_i_zoo_builder *b, int64_t resolution)
{
    gt_i_zoo_tensor c4;
    gt_i_zoo_tensor x = gt_i_zoo_input(b, 3, resolution);
    gt_i_zoo_classify(b, gt_i_zoo_mobilenet_v1_features(b, &c4, x));
}

/* ---- v2 and v3 ---- */

gt_i_zoo_tensor gt_i_zoo_inverted_residual(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const gt_i_zoo_bottleneck *k)
{
    gt_i_zoo_window point = gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF);
    gt_i_zoo_tensor y = x;
    if (k->expanded != x.c) {
        y = gt_i_zoo_conv_bn(b, y, "expand", k->expanded, point, k->act);
    }
    y = gt_i_zoo_depthwise_bn(b, y, "depthwise",
                              gt_i_zoo_square(k->kernel, k->stride, GT_ZOO_PAD_HALF), k->act);
    if (k->squeeze_excite) {
        int64_t squeezed = gt_i_zoo_round((double)k->expanded / 4, 8);
        y = gt_i_zoo_squeeze_excite(b, y, squeezed, GT_ZOO_RELU, GT_ZOO_HARDSIGMOID);
    }
    y = gt_i_zoo_conv_bn(b, y, "project", k->out, point, GT_ZOO_LINEAR);
    return k->stride == 1 && x.c == k->out ? gt_i_zoo_add(b, x, y) : y;
}

void gt_i_zoo_build_mobilenet_v2(gt_i_zoo_builder *b, int64_t resolution)
{
    static const struct {
        int64_t expansion, out, repeats, stride;
    } stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                  {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    gt_i_zoo_window first = gt_i_zoo_square(3, 2, GT_ZOO_PAD_HALF);
    gt_i_zoo_tensor x = gt_i_zoo_input(b, 3, resolution);
    x = gt_i_zoo_conv_bn(b, x, "conv0", gt_i_zoo_channels(b, 32, 8), first, GT_ZOO_RELU6);
    int block = 1;
    for (size_t s = 0; s < sizeof stages / sizeof *stages; s++) {
        for (int64_t r = 0; r < stages[s].repeats; r++) {
            gt_i_zoo_bottleneck k = {.kernel = 3, .expanded = x.c * stages[s].expansion,
                            .out = gt_i_zoo_channels(b, stages[s].out, 8),
                            .stride = r == 0 ? stages[s].stride : 1, .act = GT_ZOO_RELU6};
            gt_i_zoo_scope(b, "block%d", block++);
            x = gt_i_zoo_inverted_residual(b, x, &k);
        }
    }
    /* The last layer does not become narrower than in the full network. */
    int64_t last = b->width > 1 ? gt_i_zoo_channels(b, 1280, 8) : 1280;
    gt_i_zoo_scope(b, "%s", "");
    x = gt_i_zoo_conv_bn(b, x, "last", last, gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF), GT_ZOO_RELU6);
    gt_i_zoo_classify(b, x);
}

void gt_i_zoo_build_mobilenet_v3_large(gt_i_zoo_builder *b, int64_t resolution)
{
    static const gt_i_zoo_bottleneck blocks[] = {
        {3, 16, 16, 1, GT_ZOO_RELU, false},        {3, 64, 24, 2, GT_ZOO_RELU, false},
        {3, 72, 24, 1, GT_ZOO_RELU, false},        {5, 72, 40, 2, GT_ZOO_RELU, true},
        {5, 120, 40, 1, GT_ZOO_RELU, true},        {5, 120, 40, 1, GT_ZOO_RELU, true},
        {3, 240, 80, 2, GT_ZOO_HARDSWISH, false},  {3, 200, 80, 1, GT_ZOO_HARDSWISH, false},
        {3, 184, 80, 1, GT_ZOO_HARDSWISH, false},  {3, 184, 80, 1, GT_ZOO_HARDSWISH, false},
        {3, 480, 112, 1, GT_ZOO_HARDSWISH, true},  {3, 672, 112, 1, GT_ZOO_HARDSWISH, true},
        {5, 672, 160, 2, GT_ZOO_HARDSWISH, true},  {5, 960, 160, 1, GT_ZOO_HARDSWISH, true},
        {5, 960, 160, 1, GT_ZOO_HARDSWISH, true},
    };
    gt_i_zoo_window first = gt_i_zoo_square(3, 2, GT_ZOO_PAD_HALF);
    gt_i_zoo_window point = gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF);
    gt_i_zoo_tensor x = gt_i_zoo_input(b, 3, resolution);
    x = gt_i_zoo_conv_bn(b, x, "conv0", gt_i_zoo_channels(b, 16, 8), first, GT_ZOO_HARDSWISH);
    for (int i = 0; i < (int)(sizeof blocks / sizeof *blocks); i++) {
        gt_i_zoo_bottleneck k = blocks[i];
        k.expanded = gt_i_zoo_channels(b, k.expanded, 8);
        k.out = gt_i_zoo_channels(b, k.out, 8);
        gt_i_zoo_scope(b, "block%d", i + 1);
        x = gt_i_zoo_inverted_residual(b, x, &k);
    }
    gt_i_zoo_scope(b, "%s", "");
    x = gt_i_zoo_conv_bn(b, x, "last", gt_i_zoo_channels(b, 960, 8), point, GT_ZOO_HARDSWISH);
    x = gt_i_zoo_flatten(b, gt_i_zoo_global_pool(b, x));
    x = gt_i_zoo_fc(b, x, "hidden", gt_i_zoo_channels(b, 1280, 8));
    x = gt_i_zoo_activate(b, x, GT_ZOO_HARDSWISH);
    gt_i_zoo_output(b, gt_i_zoo_fc(b, x, "classifier", 1000), "logits");
}
