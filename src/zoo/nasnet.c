/* SPDX-License-Identifier: Apache-2.0 */
/* NASNet-A (4 @ 1056), "mobile". B. Zoph et al., "Learning Transferable Architectures for
 * Scalable Image Recognition", CVPR 2018, figure 4 and appendix A.4. */
#include "src/zoo/architectures.h"

#include <stdio.h>

#define REPEATS 4
#define BN_EPSILON 1e-3

static gt_i_zoo_window window(int64_t kernel, int64_t stride)
{
    gt_i_zoo_window w = gt_i_zoo_square(kernel, stride, GT_ZOO_PAD_SAME);
    w.exclude_pad = true;
    return w;
}

/* Batch normalisation "<name>.bn". */
static gt_i_zoo_tensor bn(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name)
{
    char full[GT_ZOO_NAME_BYTES];
    snprintf(full, sizeof full, "%.92s.bn", name);
    return gt_i_zoo_bn(b, x, full, BN_EPSILON, GT_ZOO_RELU_LATER);
}

static gt_i_zoo_tensor relu_conv_bn(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name,
                                    int64_t out)
{
    x = gt_i_zoo_activate(b, x, GT_ZOO_RELU);
    return bn(b, gt_i_zoo_conv_plain(b, x, name, out, 1, window(1, 1)), name);
}

/* ReLU, depthwise, pointwise, batch normalisation; `part` distinguishes the two halves of
 * `separable`. */
static gt_i_zoo_tensor half_separable(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name,
                                      int part, int64_t out, gt_i_zoo_window w)
{
    char depthwise[GT_ZOO_NAME_BYTES];
    char pointwise[GT_ZOO_NAME_BYTES];
    snprintf(depthwise, sizeof depthwise, "%s.dw%d", name, part);
    snprintf(pointwise, sizeof pointwise, "%s.pw%d", name, part);
    x = gt_i_zoo_activate(b, x, GT_ZOO_RELU);
    x = gt_i_zoo_conv_plain(b, x, depthwise, x.c, x.c, w);
    x = gt_i_zoo_conv_plain(b, x, pointwise, out, 1, window(1, 1));
    return bn(b, x, pointwise);
}

/* The paper applies every separable convolution twice; the stride is in the first. */
static gt_i_zoo_tensor separable(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name,
                                 int64_t out, int64_t kernel, int64_t stride)
{
    x = half_separable(b, x, name, 1, out, window(kernel, stride));
    return half_separable(b, x, name, 2, out, window(kernel, 1));
}

/* Halves the size of the cell input before last without losing every second pixel: two 1x1
 * convolutions on grids that are one pixel apart. */
static gt_i_zoo_tensor factorized_reduction(gt_i_zoo_builder *b, gt_i_zoo_tensor p, int64_t out)
{
    gt_i_zoo_tensor paths[2];
    p = gt_i_zoo_activate(b, p, GT_ZOO_RELU);
    paths[0] = gt_i_zoo_avg_pool(b, p, window(1, 2));
    paths[0] = gt_i_zoo_conv_plain(b, paths[0], "adjust.path1", out / 2, 1, window(1, 1));
    paths[1] = gt_i_zoo_avg_pool(b, gt_i_zoo_shift(b, p), window(1, 2));
    paths[1] = gt_i_zoo_conv_plain(b, paths[1], "adjust.path2", out - out / 2, 1, window(1, 1));
    return bn(b, gt_i_zoo_concat(b, 2, paths), "adjust");
}

/* Brings p, the input of the cell before, to the size and channels of this one. */
static gt_i_zoo_tensor adjust(gt_i_zoo_builder *b, gt_i_zoo_tensor p, gt_i_zoo_tensor x,
                              int64_t filters)
{
    if (p.h != x.h) {
        return factorized_reduction(b, p, filters);
    }
    return p.c != filters ? relu_conv_bn(b, p, "adjust.conv", filters) : p;
}

static gt_i_zoo_tensor normal_cell(gt_i_zoo_builder *b, gt_i_zoo_tensor x, gt_i_zoo_tensor p,
                                   int64_t filters)
{
    p = adjust(b, p, x, filters);
    gt_i_zoo_tensor h = relu_conv_bn(b, x, "begin", filters);
    gt_i_zoo_tensor join[6] = {p};
    join[1] = separable(b, h, "comb1.left", filters, 5, 1);
    join[1] = gt_i_zoo_add(b, join[1], separable(b, p, "comb1.right", filters, 3, 1));
    join[2] = separable(b, p, "comb2.left", filters, 5, 1);
    join[2] = gt_i_zoo_add(b, join[2], separable(b, p, "comb2.right", filters, 3, 1));
    join[3] = gt_i_zoo_add(b, gt_i_zoo_avg_pool(b, h, window(3, 1)), p);
    join[4] = gt_i_zoo_avg_pool(b, p, window(3, 1));
    join[4] = gt_i_zoo_add(b, join[4], gt_i_zoo_avg_pool(b, p, window(3, 1)));
    join[5] = gt_i_zoo_add(b, separable(b, h, "comb5.left", filters, 3, 1), h);
    return gt_i_zoo_concat(b, 6, join);
}

static gt_i_zoo_tensor reduction_cell(gt_i_zoo_builder *b, gt_i_zoo_tensor x, gt_i_zoo_tensor p,
                                      int64_t filters)
{
    gt_i_zoo_tensor h = relu_conv_bn(b, x, "begin", filters);
    gt_i_zoo_tensor first = separable(b, h, "comb1.left", filters, 5, 2);
    first = gt_i_zoo_add(b, first, separable(b, p, "comb1.right", filters, 7, 2));
    gt_i_zoo_tensor join[4];
    join[0] = gt_i_zoo_max_pool(b, h, window(3, 2));
    join[0] = gt_i_zoo_add(b, join[0], separable(b, p, "comb2.right", filters, 7, 2));
    join[1] = gt_i_zoo_avg_pool(b, h, window(3, 2));
    join[1] = gt_i_zoo_add(b, join[1], separable(b, p, "comb3.right", filters, 5, 2));
    join[2] = gt_i_zoo_add(b, gt_i_zoo_avg_pool(b, first, window(3, 1)), join[0]);
    join[3] = separable(b, first, "comb5.left", filters, 3, 1);
    join[3] = gt_i_zoo_add(b, join[3], gt_i_zoo_max_pool(b, h, window(3, 2)));
    return gt_i_zoo_concat(b, 4, join);
}

/* Runs a reduction cell; *x and *p become the next cell's two inputs. */
static void reduce(gt_i_zoo_builder *b, gt_i_zoo_tensor *x, gt_i_zoo_tensor *p, int64_t filters)
{
    gt_i_zoo_tensor y = reduction_cell(b, *x, adjust(b, *p, *x, filters), filters);
    *p = *x;
    *x = y;
}

void gt_i_zoo_build_nasnet_mobile(gt_i_zoo_builder *b, int64_t resolution)
{
    int64_t filters = gt_i_zoo_channels(b, 44, 4);
    gt_i_zoo_tensor x = gt_i_zoo_input(b, 3, resolution);
    gt_i_zoo_scope(b, "stem");
    x = gt_i_zoo_conv_plain(b, x, "conv", gt_i_zoo_channels(b, 32, 8), 1,
                            gt_i_zoo_square(3, 2, GT_ZOO_PAD_NONE));
    x = bn(b, x, "conv");
    gt_i_zoo_tensor p = x;
    gt_i_zoo_scope(b, "stem1");
    /* The first cell reads the stem twice, without an adjustment. */
    x = reduction_cell(b, x, p, filters / 4);
    gt_i_zoo_scope(b, "stem2");
    reduce(b, &x, &p, filters / 2);
    for (int stage = 0; stage < 3; stage++) {
        int64_t wide = filters << stage;
        if (stage > 0) {
            gt_i_zoo_scope(b, "reduce%d", stage);
            reduce(b, &x, &p, wide);
        }
        for (int r = 0; r < REPEATS; r++) {
            gt_i_zoo_scope(b, "stage%d.cell%d", stage + 1, r);
            gt_i_zoo_tensor y = normal_cell(b, x, p, wide);
            p = x;
            x = y;
        }
    }
    gt_i_zoo_classify(b, gt_i_zoo_activate(b, x, GT_ZOO_RELU));
}
