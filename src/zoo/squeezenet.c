/* SPDX-License-Identifier: Apache-2.0 */
/* SqueezeNet v1.1. F. Iandola et al., "SqueezeNet: AlexNet-level accuracy with 50x fewer
 * parameters", arXiv:1602.07360; v1.1 from the authors' release notes. */
#include "src/zoo/architectures.h"

static gt_i_zoo_tensor fire(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int index, int64_t squeeze,
                            int64_t expand)
{
    gt_i_zoo_window point = gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF);
    int64_t wide = gt_i_zoo_channels(b, expand, 8);
    gt_i_zoo_scope(b, "fire%d", index);
    x = gt_i_zoo_conv(b, x, "squeeze", gt_i_zoo_channels(b, squeeze, 8), point, GT_ZOO_RELU);
    gt_i_zoo_tensor a = gt_i_zoo_conv(b, x, "expand1x1", wide, point, GT_ZOO_RELU);
    gt_i_zoo_tensor c =
        gt_i_zoo_conv(b, x, "expand3x3", wide, gt_i_zoo_square(3, 1, GT_ZOO_PAD_HALF), GT_ZOO_RELU);
    return gt_i_zoo_concat(b, 2, (const gt_i_zoo_tensor[]){a, c});
}

void gt_i_zoo_build_squeezenet(gt_i_zoo_builder *b, int64_t resolution)
{
    static const struct {
        int64_t squeeze, expand;
        bool pool_after;
    } fires[] = {{16, 64, false},  {16, 64, true},   {32, 128, false}, {32, 128, true},
                 {48, 192, false}, {48, 192, false}, {64, 256, false}, {64, 256, false}};
    gt_i_zoo_window pool = gt_i_zoo_square(3, 2, GT_ZOO_PAD_NONE);
    pool.ceil = true;
    gt_i_zoo_tensor x = gt_i_zoo_input(b, 3, resolution);
    x = gt_i_zoo_conv(b, x, "conv1", gt_i_zoo_channels(b, 64, 8),
                      gt_i_zoo_square(3, 2, GT_ZOO_PAD_NONE), GT_ZOO_RELU);
    x = gt_i_zoo_max_pool(b, x, pool);
    for (int i = 0; i < (int)(sizeof fires / sizeof *fires); i++) {
        x = fire(b, x, i + 2, fires[i].squeeze, fires[i].expand);
        x = fires[i].pool_after ? gt_i_zoo_max_pool(b, x, pool) : x;
    }
    gt_i_zoo_scope(b, "%s", "");
    x = gt_i_zoo_conv(b, x, "conv10", 1000, gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF), GT_ZOO_RELU);
    gt_i_zoo_output(b, gt_i_zoo_flatten(b, gt_i_zoo_global_pool(b, x)), "logits");
}
