/* SPDX-License-Identifier: Apache-2.0 */
/* SSD with MobileNet v1. W. Liu et al., "SSD: Single Shot MultiBox Detector", ECCV 2016; feature
 * maps and anchors as in the TensorFlow Object Detection API's ssd_mobilenet_v1_coco: at 300x300
 * maps of 19, 10, 5, 3, 2 and 1 pixels with 3 anchors on the first and 6 on the others, 1917 in
 * all. */
#include "src/zoo/architectures.h"

#define MAPS 6
#define CLASSES 91

static void feature_maps(gt_i_zoo_builder *b, gt_i_zoo_tensor maps[MAPS], gt_i_zoo_tensor x)
{
    static const int64_t narrow[] = {256, 128, 128, 64};
    maps[1] = gt_i_zoo_mobilenet_v1_features(b, &maps[0], x);
    for (int i = 2; i < MAPS; i++) {
        int64_t c = narrow[i - 2];
        gt_i_zoo_scope(b, "extra%d", i - 1);
        x = gt_i_zoo_conv_bn(b, maps[i - 1], "conv1", gt_i_zoo_channels(b, c, 8),
                             gt_i_zoo_square(1, 1, GT_ZOO_PAD_SAME), GT_ZOO_RELU6);
        maps[i] = gt_i_zoo_conv_bn(b, x, "conv2", gt_i_zoo_channels(b, 2 * c, 8),
                                   gt_i_zoo_square(3, 2, GT_ZOO_PAD_SAME), GT_ZOO_RELU6);
    }
}

void gt_i_zoo_build_ssd_mobilenet_v1(gt_i_zoo_builder *b, int64_t resolution)
{
    gt_i_zoo_window point = gt_i_zoo_square(1, 1, GT_ZOO_PAD_SAME);
    gt_i_zoo_tensor maps[MAPS] = {0};
    gt_i_zoo_tensor boxes[MAPS];
    gt_i_zoo_tensor scores[MAPS];
    feature_maps(b, maps, gt_i_zoo_input(b, 3, resolution));
    for (int i = 0; i < MAPS; i++) {
        int64_t anchors = i == 0 ? 3 : 6;
        gt_i_zoo_scope(b, "head%d", i);
        boxes[i] = gt_i_zoo_conv(b, maps[i], "box", anchors * 4, point, GT_ZOO_LINEAR);
        boxes[i] = gt_i_zoo_rows(b, boxes[i], 4);
        scores[i] = gt_i_zoo_conv(b, maps[i], "class", anchors * CLASSES, point, GT_ZOO_LINEAR);
        scores[i] = gt_i_zoo_rows(b, scores[i], CLASSES);
    }
    gt_i_zoo_output(b, gt_i_zoo_concat(b, MAPS, boxes), "boxes");
    gt_i_zoo_output(b, gt_i_zoo_concat(b, MAPS, scores), "scores");
}
