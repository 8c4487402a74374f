/* SPDX-License-Identifier: Apache-2.0 */
/* YOLOv4-tiny. C.-Y. Wang et al., "Scaled-YOLOv4: Scaling Cross Stage Partial Network", CVPR
 * 2021; layers as in the authors' yolov4-tiny.cfg, 80 classes, two heads of 3 anchors. */
#include "src/zoo/architectures.h"

#define HEAD_CHANNELS (3 * (80 + 5))

static gt_i_zoo_tensor conv(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name, int64_t out,
                            int64_t kernel, int64_t stride)
{
    return gt_i_zoo_conv_bn(b, x, name, out, gt_i_zoo_square(kernel, stride, GT_ZOO_PAD_HALF),
                            GT_ZOO_LEAKY);
}

/* The second half of the channels, as one exporter or the other writes it. */
static gt_i_zoo_tensor second_half(gt_i_zoo_builder *b, gt_i_zoo_tensor x, bool with_slice)
{
    gt_i_zoo_tensor halves[2];
    if (with_slice) {
        return gt_i_zoo_slice(b, x, x.c / 2, x.c);
    }
    gt_i_zoo_split(b, halves, x);
    return halves[1];
}

/* A cross-stage partial block: twice the channels out, half the size; *route is the map before
 * the join. */
static gt_i_zoo_tensor csp_block(gt_i_zoo_builder *b, gt_i_zoo_tensor *route, gt_i_zoo_tensor x,
                                 int64_t c, bool with_slice)
{
    gt_i_zoo_tensor pair[2];
    gt_i_zoo_tensor join[2];
    join[0] = conv(b, x, "conv1", c, 3, 1);
    pair[1] = conv(b, second_half(b, join[0], with_slice), "conv2", c / 2, 3, 1);
    pair[0] = conv(b, pair[1], "conv3", c / 2, 3, 1);
    join[1] = conv(b, gt_i_zoo_concat(b, 2, pair), "conv4", c, 1, 1);
    *route = join[1];
    return gt_i_zoo_max_pool(b, gt_i_zoo_concat(b, 2, join),
                             gt_i_zoo_square(2, 2, GT_ZOO_PAD_NONE));
}

static void head(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t c, const char *output)
{
    gt_i_zoo_scope(b, "%s", output);
    x = conv(b, x, "conv1", c, 3, 1);
    x = gt_i_zoo_conv(b, x, "conv2", HEAD_CHANNELS, gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF),
                      GT_ZOO_LINEAR);
    gt_i_zoo_output(b, x, output);
}

void gt_i_zoo_build_yolov4_tiny(gt_i_zoo_builder *b, int64_t resolution)
{
    int64_t c = gt_i_zoo_channels(b, 64, 8);
    gt_i_zoo_tensor route = {0};
    gt_i_zoo_tensor x = gt_i_zoo_input(b, 3, resolution);
    gt_i_zoo_scope(b, "backbone");
    x = conv(b, x, "conv1", gt_i_zoo_channels(b, 32, 8), 3, 2);
    x = conv(b, x, "conv2", c, 3, 2);
    for (int i = 0; i < 3; i++) {
        gt_i_zoo_scope(b, "csp%d", i + 1);
        x = csp_block(b, &route, x, c << i, i == 2);
    }
    gt_i_zoo_scope(b, "neck");
    x = conv(b, x, "conv1", 8 * c, 3, 1);
    x = conv(b, x, "conv2", 4 * c, 1, 1);
    gt_i_zoo_tensor fine = gt_i_zoo_upsample(b, conv(b, x, "conv3", 2 * c, 1, 1), 2);
    fine = gt_i_zoo_concat(b, 2, (const gt_i_zoo_tensor[]){fine, route});
    head(b, x, 8 * c, "head32");
    head(b, fine, 4 * c, "head16");
}
