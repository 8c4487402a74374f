/* SPDX-License-Identifier: Apache-2.0 */
/* MnasNet-B1 and ProxylessNAS-Mobile. M. Tan et al., "MnasNet: Platform-Aware Neural Architecture Search for Mobile",
 * arXiv:1807.11626, B1 from the authors' code; H. Cai et al., "ProxylessNAS: Direct Neural Architecture Search on Target Task
 * and Hardware", ICLR 2019, figure 4 (mobile). */
#include "src/zoo/architectures.h"

/* Blocks in a row that have the same kernel and expansion; the first one has the stride. */
typedef struct stage {
    int64_t expansion, kernel, out, repeats, stride;
} stage;

static gt_i_zoo_tensor stages(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const stage *list, int n, gt_i_zoo_act act)
{
    int block = 1;
    for (int s = 0; s < n; s++) {
        for (int64_t r = 0; r < list[s].repeats; r++) {
            gt_i_zoo_bottleneck k = {.kernel = list[s].kernel, .expanded = x.c * list[s].expansion,
                                     .out = gt_i_zoo_channels(b, list[s].out, 8), .stride = r == 0 ? list[s].stride : 1,
                                     .act = act};
            gt_i_zoo_scope(b, "block%d", block++);
            x = gt_i_zoo_inverted_residual(b, x, &k);
        }
    }
    gt_i_zoo_scope(b, "%s", "");
    return x;
}

static void build(gt_i_zoo_builder *b, int64_t resolution, const stage *list, int n, gt_i_zoo_act act)
{
    gt_i_zoo_tensor x = gt_i_zoo_input(b, 3, resolution);
    x = gt_i_zoo_conv_bn(b, x, "conv0", gt_i_zoo_channels(b, 32, 8), gt_i_zoo_square(3, 2, GT_ZOO_PAD_HALF), act);
    x = stages(b, x, list, n, act);
    x = gt_i_zoo_conv_bn(b, x, "last", gt_i_zoo_channels(b, 1280, 8), gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF), act);
    gt_i_zoo_classify(b, x);
}

void gt_i_zoo_build_mnasnet_b1(gt_i_zoo_builder *b, int64_t resolution)
{
    static const stage list[] = {{1, 3, 16, 1, 1}, {3, 3, 24, 3, 2},  {3, 5, 40, 3, 2}, {6, 5, 80, 3, 2},
                                 {6, 3, 96, 2, 1}, {6, 5, 192, 4, 2}, {6, 3, 320, 1, 1}};
    build(b, resolution, list, (int)(sizeof list / sizeof *list), GT_ZOO_RELU);
}

void gt_i_zoo_build_proxylessnas_mobile(gt_i_zoo_builder *b, int64_t resolution)
{
    static const stage list[] = {{1, 3, 16, 1, 1}, {3, 5, 24, 1, 2}, {3, 3, 24, 1, 1},  {3, 7, 40, 1, 2},  {3, 3, 40, 1, 1},
                                 {3, 5, 40, 2, 1}, {6, 7, 80, 1, 2}, {3, 5, 80, 3, 1},  {6, 5, 96, 1, 1},  {3, 5, 96, 3, 1},
                                 {6, 7, 192, 1, 2}, {6, 7, 192, 1, 1}, {3, 7, 192, 2, 1}, {6, 7, 320, 1, 1}};
    build(b, resolution, list, (int)(sizeof list / sizeof *list), GT_ZOO_RELU6);
}
