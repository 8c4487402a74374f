/* SPDX-License-Identifier: Apache-2.0 */
/* GoogLeNet without its auxiliary classifiers. C. Szegedy et al., "Going Deeper with Convolutions", arXiv:1409.4842, table 1. */
#include "src/zoo/architectures.h"

/* Channels of the branches: 1x1; 1x1 then 3x3; 1x1 then 5x5; 3x3 pooling then 1x1. */
typedef struct module {
    const char *name;
    int64_t one, reduce3, three, reduce5, five, pooled;
} module;

static gt_i_zoo_tensor inception(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const module *m)
{
    gt_i_zoo_window point = gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF);
    gt_i_zoo_window three = gt_i_zoo_square(3, 1, GT_ZOO_PAD_HALF), five = gt_i_zoo_square(5, 1, GT_ZOO_PAD_HALF);
    gt_i_zoo_scope(b, "inception_%s", m->name);
    gt_i_zoo_tensor one = gt_i_zoo_conv(b, x, "1x1", gt_i_zoo_channels(b, m->one, 8), point, GT_ZOO_RELU);
    gt_i_zoo_tensor y = gt_i_zoo_conv(b, x, "3x3_reduce", gt_i_zoo_channels(b, m->reduce3, 8), point, GT_ZOO_RELU);
    y = gt_i_zoo_conv(b, y, "3x3", gt_i_zoo_channels(b, m->three, 8), three, GT_ZOO_RELU);
    gt_i_zoo_tensor z = gt_i_zoo_conv(b, x, "5x5_reduce", gt_i_zoo_channels(b, m->reduce5, 8), point, GT_ZOO_RELU);
    z = gt_i_zoo_conv(b, z, "5x5", gt_i_zoo_channels(b, m->five, 8), five, GT_ZOO_RELU);
    gt_i_zoo_tensor pooled = gt_i_zoo_max_pool(b, x, gt_i_zoo_square(3, 1, GT_ZOO_PAD_HALF));
    pooled = gt_i_zoo_conv(b, pooled, "pool_proj", gt_i_zoo_channels(b, m->pooled, 8), point, GT_ZOO_RELU);
    return gt_i_zoo_concat(b, 4, (const gt_i_zoo_tensor[]){one, y, z, pooled});
}

/* The first layers, with local response normalisation as in the publication left out: it is no longer trained with. */
static gt_i_zoo_tensor stem(gt_i_zoo_builder *b, gt_i_zoo_tensor x, gt_i_zoo_window pool)
{
    gt_i_zoo_window point = gt_i_zoo_square(1, 1, GT_ZOO_PAD_HALF), three = gt_i_zoo_square(3, 1, GT_ZOO_PAD_HALF);
    x = gt_i_zoo_conv(b, x, "conv1", gt_i_zoo_channels(b, 64, 8), gt_i_zoo_square(7, 2, GT_ZOO_PAD_HALF), GT_ZOO_RELU);
    x = gt_i_zoo_max_pool(b, x, pool);
    x = gt_i_zoo_conv(b, x, "conv2_reduce", gt_i_zoo_channels(b, 64, 8), point, GT_ZOO_RELU);
    x = gt_i_zoo_conv(b, x, "conv2", gt_i_zoo_channels(b, 192, 8), three, GT_ZOO_RELU);
    return gt_i_zoo_max_pool(b, x, pool);
}

void gt_i_zoo_build_googlenet(gt_i_zoo_builder *b, int64_t resolution)
{
    static const module modules[] = {
        {"3a", 64, 96, 128, 16, 32, 32},     {"3b", 128, 128, 192, 32, 96, 64},   {"4a", 192, 96, 208, 16, 48, 64},
        {"4b", 160, 112, 224, 24, 64, 64},   {"4c", 128, 128, 256, 24, 64, 64},   {"4d", 112, 144, 288, 32, 64, 64},
        {"4e", 256, 160, 320, 32, 128, 128}, {"5a", 256, 160, 320, 32, 128, 128}, {"5b", 384, 192, 384, 48, 128, 128}};
    gt_i_zoo_window pool = gt_i_zoo_square(3, 2, GT_ZOO_PAD_NONE);
    pool.ceil = true;
    gt_i_zoo_tensor x = stem(b, gt_i_zoo_input(b, 3, resolution), pool);
    for (int i = 0; i < (int)(sizeof modules / sizeof *modules); i++) {
        x = inception(b, x, &modules[i]);
        bool last_of_stage = modules[i].name[1] == (modules[i].name[0] == '3' ? 'b' : 'e');
        x = last_of_stage ? gt_i_zoo_max_pool(b, x, pool) : x;
    }
    gt_i_zoo_scope(b, "%s", "");
    gt_i_zoo_classify(b, x);
}
