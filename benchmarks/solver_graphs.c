/* SPDX-License-Identifier: Apache-2.0 */
/* The patterns as graphs. Sixteen channels allow every layout. */
#include "benchmarks/solver_parts.h"
#include "tests/graph_build.h"
#include "tests/select_cases.h"

#define CHANNELS 16

const char *bn_pattern_name(bn_pattern pattern)
{
    static const char *const names[BN_PATTERN_COUNT] = {"chain",     "resnet", "mobilenet_v2",    "fire",
                                                        "inception", "unet",   "flat densenet", "add(conv(x),x)",
                                                        "add(conv(x),input)"};
    return names[pattern];
}

static int conv(gt_graph *g, int x, int64_t channels, int64_t kernel)
{
    return gb_conv(g, x, channels, kernel, 1, kernel / 2, 1, true);
}

static int same(gt_graph *g, int x, int64_t kernel)
{
    return conv(g, x, CHANNELS, kernel);
}

static int resnet_block(gt_graph *g, int x, int input, int i)
{
    (void)input;
    (void)i;
    return gb_binary(g, GT_BINARY_ADD, same(g, same(g, same(g, x, 1), 3), 1), x);
}

static int inverted_residual(gt_graph *g, int x, int input, int i)
{
    (void)input;
    (void)i;
    int y = conv(g, x, 2 * CHANNELS, 1);
    y = gb_conv(g, y, 2 * CHANNELS, 3, 1, 1, 2 * CHANNELS, true);
    return gb_binary(g, GT_BINARY_ADD, same(g, y, 1), x);
}

static int fire(gt_graph *g, int x, int input, int i)
{
    (void)input;
    (void)i;
    int squeezed = same(g, x, 1);
    return gb_concat(g, 1, 2, (const int[]){same(g, squeezed, 1), same(g, squeezed, 3)});
}

static int inception(gt_graph *g, int x, int input, int i)
{
    (void)input;
    (void)i;
    int a = same(g, x, 1);
    int b = same(g, same(g, x, 1), 3);
    int c = same(g, same(g, x, 1), 5);
    int d = same(g, gb_pool(g, x, GT_POOL_MAX, 3, 1, 1), 1);
    return gb_concat(g, 1, 4, (const int[]){a, b, c, d});
}

static int add_own_input(gt_graph *g, int x, int input, int i)
{
    (void)input;
    return i % 2 == 0 ? gb_binary(g, GT_BINARY_ADD, same(g, x, 3), x) : sc_conv_residual(g, x, x, 3);
}

static int add_graph_input(gt_graph *g, int x, int input, int i)
{
    return i % 2 == 0 ? gb_binary(g, GT_BINARY_ADD, same(g, x, 3), input) : sc_conv_residual(g, x, input, 3);
}

static int link_of_chain(gt_graph *g, int x, int input, int i)
{
    (void)input;
    return same(g, x, i % 2 == 0 ? 3 : 1);
}

static void dense_block(gt_graph *g, int x, int layers)
{
    int features[64] = {same(g, x, 3)};
    for (int i = 0; i < layers; i++) {
        int y = i == 0 ? features[0] : gb_concat(g, 1, i + 1, features);
        features[i + 1] = same(g, same(g, y, 1), 3);
    }
    (void)gb_concat(g, 1, layers + 1, features);
}

static int unet(gt_graph *g, int x, int levels)
{
    int y = same(g, x, 3);
    if (levels == 0) {
        return y;
    }
    int below = unet(g, gb_pool(g, y, GT_POOL_MAX, 2, 2, 0), levels - 1);
    int up = gb_deconv(g, below, CHANNELS, 1);
    return same(g, gb_concat(g, 1, 2, (const int[]){y, up}), 3);
}

gt_graph *bn_pattern_graph(bn_pattern pattern, int blocks)
{
    static int (*const block[BN_PATTERN_COUNT])(gt_graph *, int, int, int) = {
        [BN_CHAIN] = link_of_chain,         [BN_RESNET] = resnet_block, [BN_MOBILENET_V2] = inverted_residual,
        [BN_FIRE] = fire,                   [BN_INCEPTION] = inception, [BN_ADD_OWN_INPUT] = add_own_input,
        [BN_ADD_GRAPH_INPUT] = add_graph_input};
    gt_graph *g = gb_graph();
    int64_t size = pattern == BN_UNET ? (int64_t)2 << blocks : 4;
    int input = gb_input(g, gt_shape_4d(1, CHANNELS, size, size));
    if (pattern == BN_DENSENET) {
        dense_block(g, input, blocks);
    } else if (pattern == BN_UNET) {
        (void)unet(g, input, blocks);
    } else {
        int x = input;
        for (int i = 0; i < blocks; i++) {
            x = block[pattern](g, x, input, i);
        }
    }
    sc_finish(g);
    return g;
}
