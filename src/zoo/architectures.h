/* SPDX-License-Identifier: Apache-2.0 */
/* The architectures: each appends itself to a builder, from "input" of the given resolution to
 * the outputs. */
#ifndef GT_ZOO_ARCHITECTURES_H
#define GT_ZOO_ARCHITECTURES_H

#include "src/zoo/builder.h"

#define GT_ZOO(suffix, name, resolution, smallest, largest, step, description) \
    void gt_i_zoo_build_##suffix(gt_i_zoo_builder *b, int64_t resolution_pixels);
#include "src/zoo/zoo_list.inc"
#undef GT_ZOO

/* The convolutional part of MobileNet v1, TensorFlow padding: *c4 is the last map at stride 16
 * (512 channels), the result is the one at stride 32 (1024). */
gt_i_zoo_tensor gt_i_zoo_mobilenet_v1_features(gt_i_zoo_builder *b, gt_i_zoo_tensor *c4,
                                               gt_i_zoo_tensor x);

/* An inverted residual block: 1x1 convolution to `expanded` channels (none where x has as many), depthwise convolution,
 * squeeze-and-excite with a quarter of the channels and a hard sigmoid where asked for, 1x1 convolution to `out`, and x added
 * where shapes are equal. */
typedef struct gt_i_zoo_bottleneck {
    int64_t kernel, expanded, out, stride;
    gt_i_zoo_act act;
    bool squeeze_excite;
} gt_i_zoo_bottleneck;
gt_i_zoo_tensor gt_i_zoo_inverted_residual(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const gt_i_zoo_bottleneck *block);

/* Global average pooling, Flatten, Gemm "classifier" with 1000 classes, output "logits". */
void gt_i_zoo_classify(gt_i_zoo_builder *b, gt_i_zoo_tensor x);

#endif
