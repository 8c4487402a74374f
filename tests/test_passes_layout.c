/* SPDX-License-Identifier: Apache-2.0 */
/* gt_pass_move_transposes and gt_pass_clean on small graphs. */
#include "tests/graph_build.h"
#include "tests/pass_check.h"
#include "tests/runner.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#define TO_NCHW LIST(0, 3, 1, 2)
#define TO_NHWC LIST(0, 2, 3, 1)

static gt_graph *image(int *x, gt_shape shape)
{
    gt_graph *g = gb_graph();
    *x = gb_input(g, shape);
    return g;
}

static int conv(gt_graph *g, int x)
{
    return gb_conv(g, x, 4, 1, 1, 0, 1, true);
}

/* ---- move_transposes ---- */

START_TEST(test_merge)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(1, 4, 5, 6));
    gb_output(g, gb_relu(g, gb_transpose(g, gb_transpose(g, conv(g, x), TO_NHWC), TO_NCHW)));
    gb_output(g, gb_transpose(g, gb_transpose(g, conv(g, x), TO_NHWC), LIST(0, 2, 1, 3)));
    gb_output(g, gb_reshape(g, gb_reshape(g, conv(g, x), SHAPE(4, 30)), SHAPE(120)));
    gb_output(g, gb_relu(g, gb_reshape(g, gb_reshape(g, conv(g, x), SHAPE(4, 30)), SHAPE(1, 4, 5, 6))));
    check_pass(g, gt_pass_move_transposes, true);
    ck_assert_int_eq(gb_count(g, GT_OP_TRANSPOSE), 1);
    ck_assert_int_eq(gb_count(g, GT_OP_RESHAPE), 1);
    done(g);
}
END_TEST

START_TEST(test_ones)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(1, 4, 5, 6));
    int pooled = gb_reduce(g, x, LIST(2, 3), true);
    gb_output(g, gb_reshape(g, gb_transpose(g, pooled, TO_NHWC), SHAPE(1, 4)));
    check_pass(g, gt_pass_move_transposes, true);
    ck_assert_int_eq(gb_count(g, GT_OP_TRANSPOSE), 0);
    ck_assert_int_eq(gb_count(g, GT_OP_RESHAPE), 1);
    done(g);
}
END_TEST

/* Everything that may stand between two inverse transposes. */
static int between(gt_graph *g, int x, int which)
{
    switch (which) {
    case 0:
        return gb_relu(g, x);
    case 1:
        return gb_binary(g, GT_BINARY_MUL, x, gb_const(g, SHAPE(1, 1, 1, 4), 0, 1));
    case 2:
        return gb_binary(g, GT_BINARY_SUB, gb_const(g, SHAPE(1, 5, 6, 4), 0, 1), x);
    case 3:
        return gb_softmax(g, x, 3);
    case 4:
        return gb_pad(g, x, LIST(0, 1, 0, 2), LIST(0, 0, 3, 0), 2);
    case 5:
        return gb_slice(g, x, LIST(0, 4, 0, 1), LIST(1, -2, 1, 1), SHAPE(1, 2, 6, 3));
    case 6:
        return gb_concat(g, 3, 2, (int[]){x, gb_const(g, SHAPE(1, 5, 6, 2), 0, 1)});
    case 7:
        return gb_reduce(g, x, LIST(1, 2), true);
    case 8:
        return gb_concat(g, 1, 3, (int[]){x, gb_relu(g, x), x});
    case 9:
        return gb_binary(g, GT_BINARY_MUL, x, gb_reduce(g, x, LIST(1, 2), true));
    case 10: {
        const gt_attrs tile = {.tile = {.repeats = LIST(1, 2, 1, 3)}};
        return gb_op(g, GT_OP_TILE, &tile, 1, &x, NULL);
    }
    default:
        return gb_gather(g, x, 3, LIST(2, 0, 0), false);
    }
}

START_TEST(test_between)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(1, 4, 5, 6));
    int y = between(g, gb_transpose(g, conv(g, x), TO_NHWC), _i);
    gb_output(g, conv(g, gb_transpose(g, y, TO_NCHW)));
    check_pass(g, gt_pass_move_transposes, true);
    ck_assert_int_eq(gb_count(g, GT_OP_TRANSPOSE), 0);
    done(g);
}
END_TEST

/* The same with a permutation that is its own inverse, as in FastestDet. */
START_TEST(test_self_inverse)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(1, 4, 5, 6));
    int y = gb_softmax(g, gb_transpose(g, conv(g, x), LIST(0, 3, 2, 1)), 3);
    gb_output(g, gb_transpose(g, y, LIST(0, 3, 2, 1)));
    check_pass(g, gt_pass_move_transposes, true);
    ck_assert_int_eq(gb_count(g, GT_OP_TRANSPOSE), 0);
    ck_assert_int_eq(gb_only(g, GT_OP_SOFTMAX)->attrs.softmax.axis, 1);
    done(g);
}
END_TEST

/* A self-inverse transpose with ops on both sides can be seen as belonging to either; it must not go round and
 * round, and what is counted as saved must be saved. */
START_TEST(test_self_inverse_inside)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(2, 4, 5, 6));
    int a = gb_softmax(g, conv(g, x), 1);
    int b = gb_transpose(g, a, LIST(0, 3, 2, 1));
    int c = gb_softmax(g, b, 2);
    gb_output(g, gb_binary(g, GT_BINARY_ADD, c, gb_relu(g, b)));
    gb_output(g, gb_relu(g, a));
    check_pass(g, run_all, true);
    ck_assert_int_le(gb_count(g, GT_OP_TRANSPOSE), 1);
    done(g);
}
END_TEST

/* A residual network from an NHWC framework: transposes around every convolution. */
START_TEST(test_nhwc_network)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(1, 6, 6, 4));
    int y = gb_transpose(g, conv(g, gb_transpose(g, x, TO_NCHW)), TO_NHWC);
    for (int block = 0; block < 3; block++) {
        int z = gb_relu(g, gb_binary(g, GT_BINARY_ADD, y, gb_const(g, SHAPE(1, 1, 1, 4), -1, 1)));
        z = gb_transpose(g, conv(g, gb_transpose(g, z, TO_NCHW)), TO_NHWC);
        int gate = gb_transpose(g, gb_reduce(g, z, LIST(1, 2), true), TO_NCHW);
        gate = gb_unary(g, gb_transpose(g, conv(g, gate), TO_NHWC), GT_FN_SIGMOID, 0, 0);
        y = gb_binary(g, GT_BINARY_ADD, y, gb_binary(g, GT_BINARY_MUL, z, gate));
    }
    int pooled = gb_reduce(g, gb_relu(g, y), LIST(1, 2), false);
    gb_output(g, gb_dense(g, pooled, 3, true));
    check_pass(g, run_all, true);
    ck_assert_int_eq(gb_count(g, GT_OP_TRANSPOSE), 1);
    ck_assert_int_eq(g->ops[0].kind, GT_OP_TRANSPOSE);
    done(g);
}
END_TEST

/* Preprocessing in NHWC goes to the convolution's side and into its weights. */
START_TEST(test_nhwc_preprocessing)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(1, 6, 6, 3));
    int y = gb_binary(g, GT_BINARY_SUB, x, gb_const(g, SHAPE(1, 1, 1, 3), 0, 1));
    y = gb_binary(g, GT_BINARY_DIV, y, gb_const(g, SHAPE(1, 1, 1, 3), 1, 2));
    gb_output(g, gb_conv(g, gb_transpose(g, y, TO_NCHW), 4, 3, 1, 0, 1, true));
    check_pass(g, run_all, true);
    ck_assert_int_eq(g->n_ops, 2);
    ck_assert_int_eq(g->ops[0].kind, GT_OP_TRANSPOSE);
    done(g);
}
END_TEST

/* A bias and activation behind the transpose of a detection head reach the convolution. */
START_TEST(test_nhwc_head)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(1, 4, 6, 6));
    int y = gb_transpose(g, gb_conv(g, x, 6, 1, 1, 0, 1, false), TO_NHWC);
    y = gb_unary(g, gb_binary(g, GT_BINARY_ADD, y, gb_const(g, SHAPE(1, 1, 1, 6), -1, 1)), GT_FN_SIGMOID, 0, 0);
    gb_output(g, gb_reshape(g, y, SHAPE(1, 108, 2)));
    check_pass(g, run_all, true);
    ck_assert_int_eq(g->n_ops, 3);
    ck_assert_int_eq(g->ops[0].epilogue.act, GT_FN_SIGMOID);
    ck_assert_int_ge(g->ops[0].inputs[2], 0);
    done(g);
}
END_TEST

/* Nothing to gain: the softmax stays on the axis that is contiguous. */
START_TEST(test_stays)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(1, 4, 6, 6));
    gb_output(g, gb_softmax(g, gb_transpose(g, conv(g, x), TO_NHWC), 3));
    int t = gb_transpose(g, conv(g, x), TO_NHWC);
    gb_output(g, gb_binary(g, GT_BINARY_ADD, t, gb_input(g, SHAPE(1, 6, 6, 4))));
    check_pass(g, gt_pass_move_transposes, false);
    done(g);
}
END_TEST

/* Two equal transposes are no reason to turn what is before them, only to turn it back once they are one. */
START_TEST(test_equal_transposes)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(2, 4, 2, 3));
    int y = gb_unary(g, x, GT_FN_SIGMOID, 0, 0);
    int t = gb_transpose(g, y, TO_NHWC);
    gb_output(g, gb_slice(g, t, LIST(0, 0, 2, 3), LIST(1, 1, 1, 1), SHAPE(1, 2, 1, 1)));
    gb_output(g, gb_transpose(g, y, TO_NHWC));
    check_pass(g, gt_pass_move_transposes, true);
    ck_assert_int_eq(gb_count(g, GT_OP_TRANSPOSE), 1);
    done(g);
}
END_TEST

/* An op that has just lost its last reader saves nothing any more. */
START_TEST(test_useless_readers)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(2, 4, 5, 5));
    int a = gb_binary(g, GT_BINARY_MUL, gb_binary(g, GT_BINARY_ADD, x, gb_scalar(g, 4, 3)), x);
    int b = gb_binary(g, GT_BINARY_SUB, a, gb_unary(g, a, GT_FN_SIGMOID, 0, 0));
    gb_output(g, gb_transpose(g, a, TO_NHWC));
    gb_output(g, gb_gather(g, gb_transpose(g, gb_transpose(g, b, TO_NHWC), LIST(0, 1, 3, 2)), 1, LIST(0, 1), false));
    check_pass(g, gt_pass_move_transposes, true);
    ck_assert_int_le(gb_count(g, GT_OP_TRANSPOSE), 2);
    done(g);
}
END_TEST

START_TEST(test_dense)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(2, 4, 3, 2));
    gb_output(g, gb_dense(g, gb_reshape(g, x, SHAPE(2, 24)), 5, true));
    gb_output(g, gb_dense(g, gb_reshape(g, gb_transpose(g, x, TO_NHWC), SHAPE(2, 24)), 5, true));
    int m = gb_op(g, GT_OP_MATMUL, NULL, 2, (int[]){gb_reshape(g, x, SHAPE(2, 24)), gb_const(g, SHAPE(24, 3), -1, 1)},
                  NULL);
    gb_output(g, m);
    gb_output(g, gb_op(g, GT_OP_MATMUL, NULL, 2, (int[]){x, gb_const(g, SHAPE(2, 3), -1, 1)}, NULL));
    gb_output(g, gb_dense(g, gb_reshape(g, x, SHAPE(1, 48)), 5, true));
    check_pass(g, gt_pass_move_transposes, true);
    ck_assert_int_eq(gb_count(g, GT_OP_DENSE), 5);
    ck_assert_int_eq(gb_count(g, GT_OP_RESHAPE), 1);
    ck_assert_int_eq(gb_count(g, GT_OP_TRANSPOSE), 0);
    ck_assert_int_eq(g->n_ops, 6);
    done(g);
}
END_TEST

/* ---- clean ---- */

START_TEST(test_identities)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(1, 4, 5, 6));
    int y = gb_relu(g, x);
    y = gb_reshape(g, y, SHAPE(1, 4, 5, 6));
    y = gb_slice(g, y, LIST(0, 0, 0, 0), LIST(1, 1, 1, 1), SHAPE(1, 4, 5, 6));
    y = gb_pad(g, y, LIST(0, 0, 0, 0), LIST(0, 0, 0, 0), 1);
    y = gb_transpose(g, y, LIST(0, 1, 2, 3));
    y = gb_concat(g, 2, 1, &y);
    y = gb_binary(g, GT_BINARY_MUL, y, gb_scalar(g, 4, 1));
    y = gb_binary(g, GT_BINARY_ADD, gb_scalar(g, 4, 0), y);
    y = gb_binary(g, GT_BINARY_DIV, y, gb_values(g, SHAPE(1, 4, 1, 1), (float[]){1, 1, 1, 1}));
    y = gb_pool(g, y, GT_POOL_MAX, 1, 1, 0);
    y = gb_op(g, GT_OP_COPY, NULL, 1, &y, NULL);
    y = gb_op(g, GT_OP_CHANNEL_SHUFFLE, &(gt_attrs){.groups = {.groups = 4}}, 1, &y, NULL);
    y = gb_op(g, GT_OP_DEPTH_TO_SPACE, &(gt_attrs){.block = {.block = 1}}, 1, &y, NULL);
    const gt_attrs resize = {.resize = {.mode = GT_RESIZE_LINEAR, .scale = {1, 1}}};
    const gt_shape same = SHAPE(1, 4, 5, 6);
    y = gb_op(g, GT_OP_RESIZE, &resize, 1, &y, &same);
    gb_output(g, gb_unary(g, y, GT_FN_TANH, 0, 0));
    check_pass(g, gt_pass_clean, true);
    ck_assert_int_eq(g->n_ops, 2);
    done(g);
}
END_TEST

/* What only looks like an identity. */
START_TEST(test_not_identities)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(1, 4, 1, 6));
    gb_output(g, gb_binary(g, GT_BINARY_SUB, gb_scalar(g, 4, 0), x));
    gb_output(g, gb_binary(g, GT_BINARY_ADD, x, gb_const(g, SHAPE(1, 4, 3, 1), 0, 0)));
    gb_output(g, gb_slice(g, x, LIST(0, 3, 0, 0), LIST(1, -1, 1, 1), SHAPE(1, 4, 1, 6)));
    gb_output(g, gb_pool(g, x, GT_POOL_MAX, 1, 2, 0));
    gb_output(g, gb_transpose(g, x, LIST(0, 2, 1, 3)));
    check_pass(g, gt_pass_clean, false);
    done(g);
}
END_TEST

START_TEST(test_merge_pairs)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(1, 8, 5, 6));
    int s = gb_slice(g, x, LIST(0, 7, 1, 0), LIST(1, -2, 1, 1), SHAPE(1, 4, 4, 6));
    gb_output(g, gb_slice(g, s, LIST(0, 1, 0, 5), LIST(1, 2, 1, -3), SHAPE(1, 2, 1, 2)));
    int p = gb_pad(g, x, LIST(0, 0, 1, 2), LIST(0, 0, 0, 0), 3);
    gb_output(g, gb_pad(g, p, LIST(0, 1, 0, 2), LIST(0, 0, 0, 1), 3));
    int q = gb_pad(g, x, LIST(0, 0, 1, 2), LIST(0, 0, 0, 0), 3);
    gb_output(g, gb_pad(g, q, LIST(0, 1, 0, 2), LIST(0, 0, 0, 1), 4));
    check_pass(g, gt_pass_clean, true);
    ck_assert_int_eq(gb_count(g, GT_OP_SLICE), 1);
    ck_assert_int_eq(gb_count(g, GT_OP_PAD), 3);
    done(g);
}
END_TEST

START_TEST(test_concats)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(1, 4, 5, 6));
    int a = gb_concat(g, 1, 2, (int[]){x, gb_relu(g, x)});
    int b = gb_concat(g, 1, 2, (int[]){gb_unary(g, x, GT_FN_TANH, 0, 0), a});
    gb_output(g, gb_concat(g, 1, 2, (int[]){b, x}));
    gb_output(g, gb_concat(g, 2, 2, (int[]){gb_concat(g, 1, 2, (int[]){x, x}), gb_concat(g, 1, 2, (int[]){x, x})}));
    int zero = gb_const(g, SHAPE(1, 2, 5, 6), 0, 0);
    gb_output(g, gb_concat(g, 1, 4, (int[]){zero, x, zero, gb_const(g, SHAPE(1, 1, 5, 6), 0, 0)}));
    gb_output(g, gb_concat(g, 1, 2, (int[]){x, gb_const(g, SHAPE(1, 2, 5, 6), 0, 1)}));
    check_pass(g, gt_pass_clean, true);
    const gt_op *pad = gb_only(g, GT_OP_PAD);
    ck_assert_int_eq(pad->attrs.pad.before.values[1], 2);
    ck_assert_int_eq(pad->attrs.pad.after.values[1], 3);
    ck_assert_int_eq(gb_count(g, GT_OP_CONCAT), 4);
    done(g);
}
END_TEST

START_TEST(test_fold_pad)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(1, 4, 6, 6));
    gt_int_list before = LIST(0, 0, 1, 0);
    gt_int_list after = LIST(0, 0, 0, 1);
    gb_output(g, gb_conv(g, gb_pad(g, x, before, after, 0), 3, 3, 1, 1, 1, true));
    gb_output(g, gb_pool(g, gb_pad(g, x, before, after, 0), GT_POOL_AVERAGE, 3, 2, 0));
    gb_output(g, gb_pool(g, gb_pad(g, x, before, after, -INFINITY), GT_POOL_MAX, 3, 1, 1));
    gb_output(g, gb_pool(g, gb_pad(g, gb_relu(g, x), before, after, 0), GT_POOL_MAX, 3, 2, 0));
    check_pass(g, gt_pass_clean, true);
    ck_assert_int_eq(gb_count(g, GT_OP_PAD), 0);
    ck_assert_int_eq(g->ops[0].attrs.conv.pad[0], 2);
    ck_assert_int_eq(g->ops[0].attrs.conv.pad[3], 2);
    done(g);
}
END_TEST

START_TEST(test_fold_pad_not)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(1, 4, 6, 6));
    gt_int_list before = LIST(0, 0, 1, 0);
    gt_int_list after = LIST(0, 0, 0, 1);
    gt_int_list none = LIST(0, 0, 0, 0);
    gb_output(g, gb_conv(g, gb_pad(g, x, before, after, 1), 3, 3, 1, 1, 1, true));
    gb_output(g, gb_conv(g, gb_pad(g, x, LIST(0, 1, 0, 0), none, 0), 3, 3, 1, 1, 1, true));
    gb_output(g, gb_pool(g, gb_pad(g, x, LIST(0, 0, 1, 1), none, 0), GT_POOL_AVERAGE, 3, 2, 1));
    gb_output(g, gb_pool(g, gb_pad(g, x, LIST(0, 0, 2, 1), after, 0), GT_POOL_MAX, 3, 2, 0));
    check_pass(g, gt_pass_clean, false);
    done(g);
}
END_TEST

START_TEST(test_common)
{
    int x = 0;
    gt_graph *g = image(&x, SHAPE(1, 4, 6, 6));
    int a = gb_relu(g, gb_binary(g, GT_BINARY_ADD, x, gb_scalar(g, 4, 3)));
    int b = gb_relu(g, gb_binary(g, GT_BINARY_ADD, x, gb_scalar(g, 4, 3)));
    int c = gb_relu(g, gb_binary(g, GT_BINARY_ADD, x, gb_scalar(g, 4, 4)));
    gb_output(g, gb_binary(g, GT_BINARY_MUL, a, b));
    gb_output(g, b);
    gb_output(g, c);
    gb_output(g, gb_relu(g, x));
    gb_output(g, gb_unary(g, x, GT_FN_TANH, 0, 0));
    gb_output(g, gb_reduce(g, x, LIST(2, 3), true));
    gb_output(g, gb_reduce(g, x, LIST(2, 3), false));
    gb_output(g, gb_reduce(g, x, LIST(1, 3), true));
    check_pass(g, gt_pass_clean, true);
    ck_assert_int_eq(g->n_ops, 10);
    done(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("passes_layout");
    TCase *tests = tcase_create("passes_layout");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, test_merge);
    tcase_add_test(tests, test_ones);
    tcase_add_loop_test(tests, test_between, 0, 12);
    tcase_add_test(tests, test_self_inverse);
    tcase_add_test(tests, test_self_inverse_inside);
    tcase_add_test(tests, test_nhwc_network);
    tcase_add_test(tests, test_nhwc_preprocessing);
    tcase_add_test(tests, test_nhwc_head);
    tcase_add_test(tests, test_stays);
    tcase_add_test(tests, test_equal_transposes);
    tcase_add_test(tests, test_useless_readers);
    tcase_add_test(tests, test_dense);
    tcase_add_test(tests, test_identities);
    tcase_add_test(tests, test_not_identities);
    tcase_add_test(tests, test_merge_pairs);
    tcase_add_test(tests, test_concats);
    tcase_add_test(tests, test_fold_pad);
    tcase_add_test(tests, test_fold_pad_not);
    tcase_add_test(tests, test_common);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
