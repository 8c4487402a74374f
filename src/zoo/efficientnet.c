/* SPDX-License-Identifier: Apache-2.0 */
/* EfficientNet-B0. M. Tan, Q. Le, "EfficientNet: Rethinking Model Scaling for Convolutional
 * Neural Networks", ICML 2019, table 1; the squeeze is a quarter of a block's input channels. */
#include "src/zoo/architectures.h"

typedef struct stage {
    int64_t expansion, kernel, stride, out, repeats;
} stage;

static gt_i_zoo_tensor mbconv(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const stage *s,
                              int64_t stride)
{
    gt_i_zoo_window point = gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF);
    int64_t out = gt_i_zoo_channels(b, s->out, 8);
    int64_t squeezed = x.c / 4 > 0 ? x.c / 4 : 1;
    gt_i_zoo_tensor y = x;
    if (s->expansion != 1) {
        y = gt_i_zoo_conv_bn(b, y, "expand", x.c * s->expansion, point, GT_ZOO_SWISH);
    }
    y = gt_i_zoo_depthwise_bn(b, y, "depthwise",
                              gt_i_zoo_square(s->kernel, stride, GT_ZOO_PAD_HALF), GT_ZOO_SWISH);
    y = gt_i_zoo_squeeze_excite(b, y, squeezed, GT_ZOO_SWISH, GT_ZOO_SIGMOID);
    y = gt_i_zoo_conv_bn(b, y, "project", out, point, GT_ZOO_LINEAR);
    return stride == 1 && x.c == out ? gt_i_zoo_add(b, y, x) : y;
}

void gt_i_zoo_build_efficientnet_b0(gt_i_zoo_builder *b, int64_t resolution)
{
    static const stage stages[] = {{1, 3, 1, 16, 1}, {6, 3, 2, 24, 2},  {6, 5, 2, 40, 2},
                                   {6, 3, 2, 80, 3}, {6, 5, 1, 112, 3}, {6, 5, 2, 192, 4},
                                   {6, 3, 1, 320, 1}};
    gt_i_zoo_tensor x = gt_i_zoo_input(b, 3, resolution);
    x = gt_i_zoo_conv_bn(b, x, "stem", gt_i_zoo_channels(b, 32, 8),
                         gt_i_zoo_square(3, 2, GT_ZOO_PAD_HALF), GT_ZOO_SWISH);
    for (int s = 0; s < (int)(sizeof stages / sizeof *stages); s++) {
        for (int r = 0; r < stages[s].repeats; r++) {
            gt_i_zoo_scope(b, "stage%d.%d", s + 1, r);
            x = mbconv(b, x, &stages[s], r == 0 ? stages[s].stride : 1);
        }
    }
    gt_i_zoo_scope(b, "%s", "");
    x = gt_i_zoo_conv_bn(b, x, "head", gt_i_zoo_channels(b, 1280, 8),
                         gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF), GT_ZOO_SWISH);
    gt_i_zoo_classify(b, x);
}
