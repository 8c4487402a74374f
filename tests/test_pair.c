/* SPDX-License-Identifier: Apache-2.0 */
/* Two ops done as one: the workloads, the kernels against the oracle, and where graphs have them. That selection chooses
 * them right is tested where it is compared with exhaustive search (tests/test_select.c). GT_TEST_SEED=n repeats a run. */
#include "src/graph/pair.h"
#include "src/tune/select_internal.h"
#include "tests/graph_build.h"
#include "tests/kernel_check.h"
#include "tests/runner.h"
#include "tests/select_cases.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#define OK(expr) ck_assert_msg((expr) == GT_OK, "%s: %s", #expr, gt_error_message())

static gt_rng rng;

/* ---- kernels ---- */

/* A random convolution without residual. */
static gt_workload *random_first(kernel_check_groups groups)
{
    for (;;) {
        gt_workload *w = kernel_check_random_conv(&rng, groups);
        if (w->epilogue.residual == GT_RESIDUAL_NONE && gt_workload_is_depthwise(w) == (groups == KERNEL_CHECK_DEPTHWISE)) {
            return w;
        }
        gt_workload_destroy(w);
    }
}

static gt_workload *random_pointwise(const gt_operand *x)
{
    static const int64_t channels[] = {1, 3, 4, 7, 8, 16, 24, 33};
    const int64_t k = channels[gt_rng_below(&rng, 8)];
    const gt_attrs attrs = {.conv = {.stride = {1, 1}, .dilation = {1, 1}, .groups = 1}};
    const gt_epilogue e = kernel_check_random_epilogue(&rng, true);
    gt_operand in[4] = {*x,
                        {.present = true, .constant = true, .shape = gt_shape_4d(k, x->shape.dim[1], 1, 1)},
                        {.present = gt_rng_below(&rng, 2) == 0, .constant = true, .shape = gt_shape_of(1, &k)},
                        {.present = e.residual != GT_RESIDUAL_NONE,
                         .shape = gt_shape_4d(x->shape.dim[0], k, x->shape.dim[2], x->shape.dim[3])}};
    gt_workload *w = NULL;
    OK(gt_workload_create(&w, GT_OP_CONV2D, &attrs, &e, 4, in, NULL));
    return w;
}

/* Windows that overlap, that leave rows out, and that begin or end outside. */
static gt_workload *random_pool(const gt_operand *x)
{
    gt_attrs a = {.pool = {.mode = gt_rng_below(&rng, 2), .dilation = {1, 1}}};
    gt_operand out = *x;
    a.pool.count_pad = a.pool.mode == GT_POOL_AVERAGE && gt_rng_below(&rng, 2) == 0;
    for (int i = 0; i < 2; i++) {
        const int64_t size = x->shape.dim[2 + i];
        a.pool.dilation[i] = gt_rng_below(&rng, 4) == 0 && size >= 5 ? 2 : 1;
        a.pool.kernel[i] = 1 + gt_rng_below(&rng, a.pool.dilation[i] == 2 ? 3 : size < 4 ? size : 4);
        const int64_t extent = (a.pool.kernel[i] - 1) * a.pool.dilation[i] + 1;
        a.pool.stride[i] = 1 + gt_rng_below(&rng, 3);
        a.pool.pad[i] = gt_rng_below(&rng, extent);
        a.pool.pad[2 + i] = gt_rng_below(&rng, extent);
        const int64_t room = size + a.pool.pad[i] + a.pool.pad[2 + i] - extent;
        const bool up = gt_rng_below(&rng, 2) == 0;
        out.shape.dim[2 + i] = (room + (up ? a.pool.stride[i] - 1 : 0)) / a.pool.stride[i] + 1;
    }
    gt_workload *w = NULL;
    OK(gt_workload_create(&w, GT_OP_POOL2D, &a, NULL, 1, x, &out));
    return w;
}

/* Joined and taken apart again it is the same. */
static gt_workload *join(const gt_workload *first, const gt_workload *second)
{
    gt_workload *pair = NULL;
    gt_workload *again = NULL;
    gt_pair_parts parts;
    OK(gt_pair_join(&pair, first, second));
    ck_assert_msg(pair != NULL, "%s and %s", first->key, second->key);
    ck_assert_int_eq(gt_workload_macs(pair), gt_workload_macs(first) + gt_workload_macs(second));
    gt_pair_split(&parts, pair);
    OK(gt_pair_join(&again, &parts.first, &parts.second));
    ck_assert_str_eq(again->key, pair->key);
    gt_workload_destroy(again);
    return pair;
}

static void check_random(int rounds, kernel_check_groups groups, gt_workload *(*make_second)(const gt_operand *x))
{
    int checked = 0;
    rounds = gt_test_rounds(rounds);
    for (int i = 0; i < rounds; i++) {
        gt_workload *first = random_first(groups);
        gt_workload *second = make_second(&first->output);
        gt_workload *pair = join(first, second);
        const int candidates = kernel_check(pair, 3, &rng);
        ck_assert_msg(candidates > 0, "no template handles %s", pair->key);
        checked += candidates;
        gt_workload_destroy(pair);
        gt_workload_destroy(second);
        gt_workload_destroy(first);
    }
    printf("%d pairs, %d candidates\n", rounds, checked);
}

START_TEST(depthwise_and_pointwise)
{
    check_random(80, KERNEL_CHECK_DEPTHWISE, random_pointwise);
}
END_TEST

START_TEST(conv_and_pool)
{
    check_random(60, KERNEL_CHECK_UNGROUPED, random_pool);
}
END_TEST

START_TEST(grouped_conv_and_pool)
{
    check_random(20, KERNEL_CHECK_GROUPED, random_pool);
}
END_TEST

/* What networks have, with strips of every height. */
static const char *const fixed[] = {
    "conv2d_pointwise(1x32x28x28,32x1x3x3!,32!,64x32x1x1!,64!,_)->1x64x28x28{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=32,"
    "conv_act=clip,conv_alpha=0,conv_beta=6,act=clip,alpha=0,beta=6}",
    "conv2d_pointwise(1x96x28x28,96x1x3x3!,96!,24x96x1x1!,24!,_)->1x24x14x14{stride=2x2,pad=0x0x1x1,dilation=1x1,groups=96,"
    "conv_act=clip,conv_alpha=0,conv_beta=6}",
    "conv2d_pointwise(1x72x14x14,72x1x5x5!,72!,40x72x1x1!,40!,1x40x14x14)->1x40x14x14{stride=1x1,pad=2x2x2x2,dilation=1x1,"
    "groups=72,conv_act=hard_swish,conv_alpha=0.16666667,conv_beta=0.5,residual=before}",
    "conv2d_pool2d(1x3x56x56,32x3x7x7!,32!)->1x32x14x14{stride=2x2,pad=3x3x3x3,dilation=1x1,groups=1,conv_act=relu,conv_alpha=0,"
    "conv_beta=0,mode=max,kernel=3x3,pool_stride=2x2,pool_pad=1x1x1x1,pool_dilation=1x1,count_pad=0}",
    "conv2d_pool2d(1x16x27x27,32x16x3x3!,32!)->1x32x13x13{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1,conv_act=relu,conv_alpha=0,"
    "conv_beta=0,mode=max,kernel=2x2,pool_stride=2x2,pool_pad=0x0x0x0,pool_dilation=1x1,count_pad=0}",
};

START_TEST(fixed_shapes)
{
    ck_assert_int_gt(kernel_check_workload(fixed[_i], gt_test_rounds(16), &rng), 0);
}
END_TEST

/* ---- graphs ---- */

static gt_pairs *pairs_of(gt_graph *g)
{
    gt_pairs *pairs = NULL;
    sc_finish(g);
    OK(gt_pairs_create(&pairs, g));
    return pairs;
}

static void check_pairs(gt_graph *g, const char *what, int n, const int *first)
{
    gt_pairs *pairs = pairs_of(g);
    ck_assert_int_eq(pairs->n_ops, n);
    for (int i = 0; i < n; i++) {
        ck_assert_msg(pairs->first[i] == first[i], "%s: the op before op %d is %d, not %d", what, i, pairs->first[i], first[i]);
        ck_assert((pairs->workload[i] != NULL) == (first[i] >= 0));
        ck_assert(first[i] < 0 || pairs->second[first[i]] == i);
    }
    gt_pairs_destroy(pairs);
    gt_graph_destroy(g);
}

START_TEST(pairs_of_graphs)
{
    gt_graph *g = gb_graph();
    int x = gb_conv(g, gb_input(g, gt_shape_4d(1, 8, 9, 9)), 8, 3, 1, 1, 8, true);
    x = gb_conv(g, x, 16, 1, 1, 0, 1, true);
    (void)gb_pool(g, x, GT_POOL_MAX, 3, 2, 1);
    check_pairs(g, "a chain, whose middle op can go either way", 3, (const int[]){-1, 0, 1});

    g = gb_graph();
    x = gb_conv(g, gb_input(g, gt_shape_4d(1, 8, 9, 9)), 8, 3, 1, 1, 8, true);
    gb_output(g, x);
    (void)gb_conv(g, x, 16, 1, 1, 0, 1, true);
    check_pairs(g, "an output between", 2, (const int[]){-1, -1});

    g = gb_graph();
    x = gb_conv(g, gb_input(g, gt_shape_4d(1, 8, 9, 9)), 8, 3, 1, 1, 8, true);
    (void)gb_conv(g, x, 16, 1, 1, 0, 1, true);
    (void)gb_relu(g, x);
    check_pairs(g, "a second reader", 3, (const int[]){-1, -1, -1});

    g = gb_graph();
    const int y = gb_input(g, gt_shape_4d(1, 8, 9, 9));
    x = gb_conv(g, y, 8, 3, 1, 1, 8, true);
    (void)sc_conv_residual(g, y, x, 1);
    check_pairs(g, "what is read as a residual", 2, (const int[]){-1, -1});

    g = gb_graph();
    x = gb_conv(g, gb_input(g, gt_shape_4d(1, 8, 9, 9)), 8, 3, 1, 1, 8, true);
    (void)sc_conv_residual(g, x, x, 1);
    check_pairs(g, "what is read twice", 2, (const int[]){-1, -1});

    g = gb_graph();
    x = gb_conv(g, gb_input(g, gt_shape_4d(1, 8, 9, 9)), 8, 3, 1, 1, 8, true);
    x = gb_conv(g, x, 16, 1, 2, 0, 1, true);
    (void)gb_conv(g, gb_conv(g, x, 16, 3, 1, 1, 1, true), 8, 1, 1, 0, 1, true);
    check_pairs(g, "a stride; a first op that is not depthwise", 4, (const int[]){-1, -1, -1, -1});
}
END_TEST

START_TEST(graphs_keep_two_ops)
{
    gt_workload *w = NULL;
    int in[6];
    OK(gt_workload_parse(&w, fixed[0]));
    gt_graph *g = gb_graph();
    in[0] = gb_input(g, w->inputs[0].shape);
    for (int i = 1; i < 6; i++) {
        in[i] = w->inputs[i].present ? gb_const(g, w->inputs[i].shape, -1, 1) : GT_NO_TENSOR;
    }
    ck_assert_int_eq(gt_graph_add_op(g, NULL, NULL, w->kind, "x", NULL, &w->attrs, &w->epilogue, 6, in, NULL), GT_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "a graph has the two ops"));
    gt_graph_destroy(g);
    gt_workload_destroy(w);
}
END_TEST

/* ---- selection ---- */

/* Masks of choices are 32 bits wide: a convolution has no more than that. */
START_TEST(choices_fit_into_masks)
{
    for (int i = 0; i < 60; i++) {
        gt_workload *w = kernel_check_random_conv(&rng, (kernel_check_groups)(i % 3));
        int pairs = 0;
        for (int k = 0; k < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; k++) {
            bool any = false;
            for (size_t t = 0; t < gt_template_count(); t++) {
                const gt_template *tmpl = gt_template_at(t);
                any |= !tmpl->inside && gt_template_supports(tmpl, w, (gt_layout)(k / GT_LAYOUT_COUNT),
                                                             (gt_layout)(k % GT_LAYOUT_COUNT));
            }
            pairs += any ? 1 : 0;
        }
        ck_assert_int_le(pairs + 2 * GT_LAYOUT_COUNT, GT_MAX_CHOICES);
        gt_workload_destroy(w);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pair");
    TCase *tc = tcase_create("pair");
    gt_rng_seed(&rng, gt_test_seed(20261201));
    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, depthwise_and_pointwise);
    tcase_add_test(tc, conv_and_pool);
    tcase_add_test(tc, grouped_conv_and_pool);
    tcase_add_loop_test(tc, fixed_shapes, 0, (int)(sizeof fixed / sizeof *fixed));
    tcase_add_test(tc, pairs_of_graphs);
    tcase_add_test(tc, graphs_keep_two_ops);
    tcase_add_test(tc, choices_fit_into_masks);
    suite_add_tcase(suite, tc);
    return gt_test_run(suite);
}
