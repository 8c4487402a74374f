/* SPDX-License-Identifier: Apache-2.0 */
/* Each rewriting pass on small graphs: the structure after it, and the same outputs as before. Transposes and cleaning
 * are in test_passes_layout.c, random graphs in test_passes_random.c. */
#include "tests/graph_build.h"
#include "tests/pass_check.h"
#include "tests/runner.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- fold_scale ---- */

/* 0..5: conv with and without bias, depthwise, grouped transposed, dense, dense with rows. */
static int weighted(gt_graph *g, int which)
{
    int x = which < 4 ? gb_input(g, SHAPE(2, 4, 5, 5)) : gb_input(g, SHAPE(2, 6));
    switch (which) {
    case 0:
        return gb_conv(g, x, 6, 3, 1, 1, 2, true);
    case 1:
        return gb_conv(g, x, 3, 1, 2, 0, 1, false);
    case 2:
        return gb_conv(g, x, 8, 3, 1, 1, 4, false);
    case 3:
        return gb_deconv(g, x, 6, 2);
    default:
        return gb_dense(g, x, 5, which == 4);
    }
}

START_TEST(test_fold_scale)
{
    gt_graph *g = gb_graph();
    int y = gb_scale(g, weighted(g, _i));
    gb_output(g, gb_relu(g, y));
    check_pass(g, gt_pass_fold_scale, true);
    ck_assert_int_eq(g->n_ops, 2);
    ck_assert_str_eq(g->ops[0].fused, "scale");
    done(g);
}
END_TEST

START_TEST(test_fold_binary_chain)
{
    gt_graph *g = gb_graph();
    int y = weighted(g, _i);
    const int rank = g->tensors[y].shape.rank;
    gt_shape channels = {.rank = rank, .dim = {1, g->tensors[y].shape.dim[1], 1, 1}};
    y = gb_binary(g, GT_BINARY_ADD, y, gb_const(g, channels, -1, 1));
    y = gb_binary(g, GT_BINARY_MUL, gb_const(g, channels, 1, 2), y);
    y = gb_binary(g, GT_BINARY_SUB, gb_scalar(g, rank, 0.5f), y);
    gb_output(g, gb_binary(g, GT_BINARY_DIV, y, gb_scalar(g, rank, 3)));
    check_pass(g, gt_pass_fold_scale, true);
    ck_assert_int_eq(g->n_ops, 1);
    ck_assert_str_eq(g->ops[0].fused, "binary,binary#2,binary#3,binary#4");
    done(g);
}
END_TEST

START_TEST(test_fold_dense_rows)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(2, 3, 4));
    const gt_attrs rows = {.dense = {.rows = true}};
    int y = gb_op(g, GT_OP_DENSE, &rows, 2, (int[]){x, gb_const(g, SHAPE(5, 4), -1, 1)}, NULL);
    gb_output(g, gb_binary(g, GT_BINARY_ADD, y, gb_const(g, SHAPE(1, 1, 5), -1, 1)));
    gb_output(g, gb_binary(g, GT_BINARY_ADD, gb_op(g, GT_OP_DENSE, &rows, 2,
                                                   (int[]){x, gb_const(g, SHAPE(3, 4), -1, 1)}, NULL),
                           gb_const(g, SHAPE(1, 3, 1), -1, 1)));
    check_pass(g, gt_pass_fold_scale, true);
    ck_assert_int_eq(g->n_ops, 3);
    ck_assert_int_eq(gb_count(g, GT_OP_BINARY), 1);
    done(g);
}
END_TEST

/* What must not be folded: a shared result, a graph output, something after an activation, a constant that makes
 * the result larger, a division by the result, by zero. */
START_TEST(test_fold_scale_not)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(1, 4, 5, 5));
    int shared = gb_conv(g, x, 4, 3, 1, 1, 1, true);
    gb_output(g, gb_scale(g, shared));
    gb_output(g, gb_relu(g, shared));
    int out = gb_conv(g, x, 4, 3, 1, 1, 1, true);
    gb_output(g, out);
    gb_output(g, gb_binary(g, GT_BINARY_DIV, gb_scalar(g, 4, 2), gb_conv(g, x, 4, 1, 1, 0, 1, true)));
    gb_output(g, gb_binary(g, GT_BINARY_ADD, gb_conv(g, x, 1, 1, 1, 0, 1, true), gb_const(g, SHAPE(1, 4, 1, 1), 0, 1)));
    gb_output(g, gb_binary(g, GT_BINARY_ADD, gb_conv(g, x, 4, 1, 1, 0, 1, true), gb_const(g, SHAPE(1, 1, 5, 1), 0, 1)));
    gb_output(g, gb_binary(g, GT_BINARY_DIV, gb_conv(g, x, 4, 1, 1, 0, 1, true), gb_scalar(g, 4, 0)));
    int fused = gb_conv(g, x, 4, 1, 1, 0, 1, true);
    g->ops[g->n_ops - 1].epilogue.act = GT_FN_RELU;
    gb_output(g, gb_scale(g, fused));
    check_pass(g, gt_pass_fold_scale, false);
    done(g);
}
END_TEST

/* Shared weights stay as they are for the other op. */
START_TEST(test_fold_shared_weights)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(1, 4, 5, 5));
    gb_conv(g, x, 4, 3, 1, 1, 1, true);
    int second = gb_conv(g, x, 4, 3, 1, 1, 1, true);
    g->ops[1].inputs[1] = g->ops[0].inputs[1];
    g->ops[1].inputs[2] = g->ops[0].inputs[2];
    gb_output(g, g->ops[0].output);
    gb_output(g, gb_scale(g, second));
    check_pass(g, gt_pass_fold_scale, true);
    ck_assert_int_eq(g->n_ops, 2);
    ck_assert_int_ne(g->ops[0].inputs[1], g->ops[1].inputs[1]);
    done(g);
}
END_TEST

/* Weights that nobody else reads are rewritten where they are, or left alone where a product would overflow. */
START_TEST(test_fold_in_place)
{
    bool changed = false;
    gt_graph *g = gb_graph();
    int y = gb_conv(g, gb_input(g, SHAPE(1, 4, 5, 5)), 4, 3, 1, 1, 1, true);
    gb_output(g, gb_scale(g, y));
    const void *weight = g->tensors[g->ops[0].inputs[1]].data;
    check_pass(g, gt_pass_fold_scale, true);
    ck_assert_ptr_eq(g->tensors[g->ops[0].inputs[1]].data, weight);
    done(g);

    g = gb_graph();
    y = gb_conv(g, gb_input(g, SHAPE(1, 4, 5, 5)), 4, 3, 1, 1, 1, true);
    gb_output(g, gb_binary(g, GT_BINARY_MUL, y, gb_scalar(g, 4, 1e30f)));
    const gt_tensor *t = &g->tensors[g->ops[0].inputs[1]];
    const size_t bytes = (size_t)gt_shape_elems(&t->shape) * sizeof(float);
    float *values = t->data;
    float *copy = malloc(bytes);
    values[bytes / sizeof(float) - 1] = 1e30f;
    memcpy(copy, values, bytes);
    ck_assert_int_eq(gt_pass_fold_scale(g, &changed), GT_OK);
    ck_assert(!changed);
    ck_assert_ptr_eq(g->tensors[g->ops[0].inputs[1]].data, values);
    ck_assert_mem_eq(values, copy, bytes);
    free(copy);
    gt_graph_destroy(g);
}
END_TEST

/* A scale in front: with a shift only where nothing is padded. */
START_TEST(test_fold_forward)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(2, 4, 5, 5));
    gb_output(g, gb_conv(g, gb_scale(g, x), 6, 3, 1, 0, 2, _i == 1));
    gb_output(g, gb_conv(g, gb_binary(g, GT_BINARY_DIV, x, gb_scalar(g, 4, 255)), 6, 3, 1, 1, 2, false));
    gb_output(g, gb_dense(g, gb_scale(g, x), 3, _i == 1));
    gb_output(g, gb_dense(g, gb_scale(g, gb_input(g, SHAPE(2, 4))), 3, _i == 1));
    gb_output(g, gb_conv(g, gb_scale(g, x), 6, 3, 1, 1, 2, false));
    check_pass(g, gt_pass_fold_scale, true);
    ck_assert_int_eq(g->n_ops, 6);
    ck_assert_int_eq(gb_count(g, GT_OP_SCALE), 1);
    done(g);
}
END_TEST

START_TEST(test_merge_scales)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(1, 3, 4, 4));
    int y = gb_binary(g, GT_BINARY_SUB, x, gb_const(g, SHAPE(1, 3, 1, 1), 0, 1));
    y = gb_binary(g, GT_BINARY_DIV, y, gb_const(g, SHAPE(1, 3, 1, 1), 1, 2));
    y = gb_binary(g, GT_BINARY_MUL, y, gb_scalar(g, 4, 2));
    gb_output(g, gb_relu(g, gb_scale(g, y)));
    check_pass(g, gt_pass_fold_scale, true);
    ck_assert_int_eq(g->n_ops, 2);
    gb_only(g, GT_OP_SCALE);
    done(g);
}
END_TEST

/* ---- fuse_activation ---- */

static const gt_function fused_functions[] = {GT_FN_RELU, GT_FN_CLIP, GT_FN_LEAKY_RELU, GT_FN_ELU, GT_FN_SIGMOID,
                                              GT_FN_HARD_SIGMOID, GT_FN_HARD_SWISH, GT_FN_TANH, GT_FN_SWISH, GT_FN_MISH};

START_TEST(test_fuse_activation)
{
    for (int which = 0; which < 7; which++) {
        gt_graph *g = gb_graph();
        int x = which == 6 ? gb_input(g, SHAPE(2, 4, 5, 5)) : weighted(g, which < 5 ? which : 0);
        int y = which == 5 ? gb_scale(g, x) : which == 6 ? gb_binary(g, GT_BINARY_SUB, x, x) : x;
        gb_output(g, gb_unary(g, y, fused_functions[_i], 0.2f, 0.5f));
        check_pass(g, gt_pass_fuse_activation, true);
        ck_assert_int_eq(gb_count(g, GT_OP_UNARY), 0);
        ck_assert_int_eq(g->ops[g->n_ops - 1].epilogue.act, fused_functions[_i]);
        ck_assert_str_eq(g->ops[g->n_ops - 1].fused, "unary");
        done(g);
    }
}
END_TEST

START_TEST(test_fuse_activation_not)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(1, 4, 5, 5));
    int shared = gb_conv(g, x, 4, 3, 1, 1, 1, true);
    gb_output(g, gb_relu(g, shared));
    gb_output(g, gb_unary(g, shared, GT_FN_TANH, 0, 0));
    int out = gb_conv(g, x, 4, 3, 1, 1, 1, false);
    gb_output(g, out);
    gb_output(g, gb_relu(g, out));
    gb_output(g, gb_unary(g, gb_conv(g, x, 4, 1, 1, 0, 1, true), GT_FN_EXP, 0, 0));
    gb_output(g, gb_relu(g, gb_pool(g, x, GT_POOL_MAX, 2, 1, 0)));
    int tanh = gb_conv(g, x, 4, 1, 1, 0, 1, true);
    g->ops[g->n_ops - 1].epilogue.act = GT_FN_TANH;
    gb_output(g, gb_relu(g, tanh));
    check_pass(g, gt_pass_fuse_activation, false);
    done(g);
}
END_TEST

/* {first lo, hi, second lo, hi} -> {lo, hi} */
START_TEST(test_merge_clips)
{
    static const float cases[][6] = {{0, 6, -1, 3, 0, 3}, {-1, 3, 0, 6, 0, 3}, {2, 3, 0, 1, 1, 1},
                                     {0, 1, 2, 3, 2, 2},  {-5, -2, 0, INFINITY, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gt_graph *g = gb_graph();
        const float *c = cases[i];
        int x = gb_unary(g, gb_input(g, SHAPE(64)), GT_FN_CLIP, c[0], c[1]);
        gb_output(g, gb_unary(g, x, GT_FN_CLIP, c[2], c[3]));
        check_pass(g, gt_pass_fuse_activation, true);
        ck_assert_int_eq(g->n_ops, 1);
        ck_assert_float_eq(g->ops[0].attrs.unary.alpha, c[4]);
        ck_assert_float_eq(g->ops[0].attrs.unary.beta, c[5]);
        done(g);
    }
    gt_graph *g = gb_graph();
    gb_output(g, gb_relu(g, gb_relu(g, gb_unary(g, gb_input(g, SHAPE(64)), GT_FN_CLIP, 0, INFINITY))));
    check_pass(g, gt_pass_fuse_activation, true);
    ck_assert_int_eq(gb_only(g, GT_OP_UNARY)->attrs.unary.function, GT_FN_RELU);
    done(g);
}
END_TEST

START_TEST(test_binary_activations)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(2, 3));
    int y = gb_binary(g, GT_BINARY_MIN, gb_binary(g, GT_BINARY_MAX, x, gb_scalar(g, 2, 0)), gb_scalar(g, 2, 6));
    gb_output(g, gb_binary(g, GT_BINARY_PRELU, y, gb_scalar(g, 2, 0.1f)));
    gb_output(g, gb_binary(g, GT_BINARY_MAX, x, gb_scalar(g, 2, 0)));
    check_pass(g, gt_pass_fuse_activation, true);
    ck_assert_int_eq(gb_count(g, GT_OP_BINARY), 0);
    ck_assert_int_eq(gb_count(g, GT_OP_UNARY), 3);
    done(g);
}
END_TEST

/* The ways in which exporters spell x * clip(x + 3, 0, 6) / 6. */
static int hard_swish(gt_graph *g, int x, int how)
{
    const float sixth = 1.0f / 6;
    int three = gb_scalar(g, 4, 3);
    int six = gb_scalar(g, 4, 6);
    int add = (how & 1) != 0 ? gb_binary(g, GT_BINARY_ADD, three, x) : gb_binary(g, GT_BINARY_ADD, x, three);
    int gate = gb_unary(g, add, GT_FN_CLIP, 0, 6);
    switch (how / 2) {
    case 0:
        return gb_binary(g, GT_BINARY_DIV, gb_binary(g, GT_BINARY_MUL, x, gate), six);
    case 1:
        return gb_binary(g, GT_BINARY_MUL, gb_binary(g, GT_BINARY_MUL, gate, x), gb_scalar(g, 4, sixth));
    case 2:
        return gb_binary(g, GT_BINARY_MUL, x, gb_binary(g, GT_BINARY_DIV, gate, six));
    case 3:
        return gb_binary(g, GT_BINARY_MUL, gb_binary(g, GT_BINARY_MUL, gb_scalar(g, 4, sixth), gate), x);
    case 4:
        return gb_binary(g, GT_BINARY_MUL, gb_binary(g, GT_BINARY_DIV, x, six), gate);
    case 5:
        return gb_binary(g, GT_BINARY_MUL, x, gb_unary(g, x, GT_FN_HARD_SIGMOID, sixth, 0.5f));
    default:
        return gb_binary(g, GT_BINARY_MUL, x,
                         gb_binary(g, GT_BINARY_MIN,
                                   gb_relu(g, gb_binary(g, GT_BINARY_ADD, gb_binary(g, GT_BINARY_MUL, x,
                                                                                    gb_scalar(g, 4, sixth)),
                                                        gb_scalar(g, 4, 0.5f))),
                                   gb_scalar(g, 4, 1)));
    }
}

START_TEST(test_hard_swish)
{
    gt_graph *g = gb_graph();
    int x = gb_conv(g, gb_input(g, SHAPE(1, 3, 6, 6)), 4, 3, 1, 1, 1, true);
    gb_output(g, hard_swish(g, x, _i));
    check_pass(g, gt_pass_fuse_activation, true);
    ck_assert_int_eq(g->n_ops, 1);
    ck_assert_int_eq(g->ops[0].epilogue.act, GT_FN_HARD_SWISH);
    ck_assert_float_eq_tol(g->ops[0].epilogue.alpha, 1.0f / 6, 1e-6f);
    ck_assert_float_eq_tol(g->ops[0].epilogue.beta, 0.5f, 1e-6f);
    if (_i == 0) {
        ck_assert_str_eq(g->ops[0].fused, "binary#3,binary#2,unary,binary");
    }
    done(g);
}
END_TEST

/* The same with another pass order: constants of the chain must not be folded away first. */
START_TEST(test_hard_swish_all)
{
    gt_graph *g = gb_graph();
    int x = gb_scale(g, gb_conv(g, gb_input(g, SHAPE(1, 3, 6, 6)), 4, 3, 1, 1, 1, false));
    int y = gb_conv(g, hard_swish(g, x, _i), 4, 1, 1, 0, 1, false);
    gb_output(g, hard_swish(g, gb_scale(g, y), _i));
    check_pass(g, run_all, true);
    ck_assert_int_eq(g->n_ops, 2);
    ck_assert_int_eq(g->ops[1].epilogue.act, GT_FN_HARD_SWISH);
    done(g);
}
END_TEST

START_TEST(test_other_chains)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(1, 3, 4, 4));
    int one = gb_scalar(g, 4, 1);
    gb_output(g, gb_binary(g, GT_BINARY_MUL, gb_unary(g, x, GT_FN_SIGMOID, 0, 0), x));
    int softplus = gb_unary(g, gb_binary(g, GT_BINARY_ADD, one, gb_unary(g, x, GT_FN_EXP, 0, 0)), GT_FN_LOG, 0, 0);
    gb_output(g, gb_binary(g, GT_BINARY_MUL, x, gb_unary(g, softplus, GT_FN_TANH, 0, 0)));
    gb_output(g, gb_unary(g, gb_binary(g, GT_BINARY_ADD, gb_binary(g, GT_BINARY_MUL, x, gb_scalar(g, 4, 0.2f)),
                                       gb_scalar(g, 4, 0.5f)), GT_FN_CLIP, 0, 1));
    check_pass(g, gt_pass_fuse_activation, true);
    ck_assert_int_eq(g->n_ops, 3);
    ck_assert_int_eq(g->ops[0].attrs.unary.function, GT_FN_SWISH);
    ck_assert_int_eq(g->ops[1].attrs.unary.function, GT_FN_MISH);
    ck_assert_int_eq(g->ops[2].attrs.unary.function, GT_FN_HARD_SIGMOID);
    done(g);
}
END_TEST

/* Squeeze-and-excite multiplies x with the hard_sigmoid of something else. */
START_TEST(test_gate_is_no_swish)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(1, 3, 4, 4));
    int gate = gb_conv(g, gb_reduce(g, x, LIST(2, 3), true), 3, 1, 1, 0, 1, true);
    gb_output(g, gb_binary(g, GT_BINARY_MUL, x, gb_unary(g, gate, GT_FN_HARD_SIGMOID, 0.2f, 0.5f)));
    gb_output(g, gb_binary(g, GT_BINARY_MUL, x, gb_unary(g, gb_relu(g, x), GT_FN_SIGMOID, 0, 0)));
    int add = gb_binary(g, GT_BINARY_ADD, x, gb_scalar(g, 4, 3));
    gb_output(g, gb_binary(g, GT_BINARY_DIV, gb_binary(g, GT_BINARY_MUL, x, gb_unary(g, add, GT_FN_CLIP, 0, 6)),
                           gb_scalar(g, 4, 5)));
    check_pass(g, gt_pass_fuse_activation, true);
    ck_assert_int_eq(gb_count(g, GT_OP_BINARY), 5);
    done(g);
}
END_TEST

/* ---- fuse_residual ---- */

START_TEST(test_residual)
{
    gt_graph *g = gb_graph();
    int x = gb_conv(g, gb_input(g, SHAPE(1, 3, 6, 6)), 4, 3, 1, 1, 1, true);
    int y = gb_conv(g, x, 4, 3, 1, 1, 1, true);
    if (_i == 1) {
        y = gb_relu(g, y);
    }
    int z = gb_binary(g, GT_BINARY_ADD, _i == 2 ? y : x, _i == 2 ? x : y);
    gb_output(g, _i != 1 ? gb_relu(g, z) : z);
    check_pass(g, run_all, true);
    ck_assert_int_eq(g->n_ops, 2);
    ck_assert_int_eq(g->ops[1].epilogue.act, GT_FN_RELU);
    ck_assert_int_eq(g->ops[1].epilogue.residual, _i == 1 ? GT_RESIDUAL_AFTER : GT_RESIDUAL_BEFORE);
    ck_assert_int_eq(g->ops[1].inputs[3], g->ops[0].output);
    done(g);
}
END_TEST

/* Of two convs the later takes the other's result; a third add goes to what is left. */
START_TEST(test_residual_of_two)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(1, 3, 6, 6));
    int a = gb_conv(g, x, 4, 1, 1, 0, 1, true);
    int b = gb_conv(g, x, 4, 3, 1, 1, 1, true);
    gb_output(g, gb_binary(g, GT_BINARY_ADD, b, a));
    check_pass(g, gt_pass_fuse_residual, true);
    ck_assert_int_eq(g->n_ops, 2);
    ck_assert_int_eq(g->ops[1].attrs.conv.pad[0], 1);
    ck_assert_int_eq(g->ops[1].inputs[3], g->ops[0].output);
    done(g);
}
END_TEST

START_TEST(test_residual_not)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(1, 4, 6, 6));
    int shared = gb_conv(g, x, 4, 3, 1, 1, 1, true);
    gb_output(g, shared);
    gb_output(g, gb_binary(g, GT_BINARY_ADD, shared, x));
    int twice = gb_conv(g, x, 4, 3, 1, 1, 1, true);
    gb_output(g, gb_binary(g, GT_BINARY_ADD, twice, twice));
    gb_output(g, gb_binary(g, GT_BINARY_ADD, gb_conv(g, x, 4, 1, 1, 0, 1, true), gb_const(g, SHAPE(1, 4, 6, 6), 0, 1)));
    gb_output(g, gb_binary(g, GT_BINARY_ADD, gb_conv(g, x, 1, 1, 1, 0, 1, true), x));
    gb_output(g, gb_binary(g, GT_BINARY_SUB, gb_conv(g, x, 4, 1, 1, 0, 1, true), x));
    check_pass(g, gt_pass_fuse_residual, false);
    done(g);
}
END_TEST

/* ---- recognise_shuffle ---- */

START_TEST(test_shuffle)
{
    gt_graph *g = gb_graph();
    const int64_t n = _i == 2 ? 3 : 1;
    int x = gb_input(g, SHAPE(n, 6, 4, 5));
    int y = 0;
    if (_i == 0 || _i == 2) {
        y = gb_transpose(g, gb_reshape(g, x, SHAPE(n, 2, 3, 4, 5)), LIST(0, 2, 1, 3, 4));
    } else if (_i == 1) {
        y = gb_transpose(g, gb_reshape(g, x, SHAPE(2, 3, 20)), LIST(1, 0, 2));
    } else {
        y = gb_transpose(g, gb_reshape(g, x, SHAPE(1, 2, 3, 20)), LIST(0, 2, 1, 3));
    }
    gb_output(g, gb_reshape(g, y, SHAPE(n, 6, 4, 5)));
    check_pass(g, gt_pass_recognise_shuffle, true);
    ck_assert_int_eq(g->n_ops, 1);
    ck_assert_int_eq(gb_only(g, GT_OP_CHANNEL_SHUFFLE)->attrs.groups.groups, 2);
    ck_assert_str_eq(g->ops[0].name, "reshape#2");
    done(g);
}
END_TEST

START_TEST(test_channel_split)
{
    gt_graph *g = gb_graph();
    const int64_t n = 1 + _i;
    int x = gb_input(g, SHAPE(n, 6, 4, 5));
    int y = gb_transpose(g, gb_reshape(g, x, SHAPE(n * 3, 2, 20)), LIST(1, 0, 2));
    y = gb_reshape(g, y, SHAPE(2, n, 3, 4, 5));
    gb_output(g, gb_gather(g, y, 0, LIST(0), true));
    int one = gb_slice(g, y, LIST(1, 0, 0, 0, 0), LIST(1, 1, 1, 1, 1), SHAPE(1, n, 3, 4, 5));
    gb_output(g, gb_reshape(g, one, SHAPE(n, 3, 4, 5)));
    check_pass(g, gt_pass_recognise_shuffle, true);
    ck_assert_int_eq(g->n_ops, 2);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(g->ops[i].kind, GT_OP_SLICE);
        ck_assert_int_eq(g->ops[i].attrs.slice.start.values[1], i);
        ck_assert_int_eq(g->ops[i].attrs.slice.step.values[1], 2);
    }
    done(g);
}
END_TEST

START_TEST(test_no_shuffle)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(1, 6, 4, 6));
    gb_output(g, gb_reshape(g, gb_transpose(g, gb_reshape(g, x, SHAPE(1, 6, 2, 12)), LIST(0, 1, 3, 2)),
                            SHAPE(1, 6, 4, 6)));
    gb_output(g, gb_reshape(g, gb_transpose(g, gb_reshape(g, x, SHAPE(1, 4, 6, 6)), LIST(0, 2, 1, 3)),
                            SHAPE(1, 6, 4, 6)));
    gb_output(g, gb_gather(g, x, 1, LIST(0, 2, 1), false));
    gb_output(g, gb_gather(g, x, 1, LIST(0, 0), false));
    check_pass(g, gt_pass_recognise_shuffle, false);
    done(g);
}
END_TEST

START_TEST(test_gathers)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(1, 6, 4, 5));
    gb_output(g, gb_gather(g, x, 1, LIST(0, 3, 1, 4, 2, 5), false));
    gb_output(g, gb_gather(g, x, 1, LIST(0, 2, 4, 1, 3, 5), false));
    gb_output(g, gb_gather(g, x, 2, LIST(1, 2), false));
    gb_output(g, gb_gather(g, x, 3, LIST(4, 2, 0), false));
    gb_output(g, gb_gather(g, x, 3, LIST(4), false));
    check_pass(g, gt_pass_recognise_shuffle, true);
    ck_assert_int_eq(g->ops[0].attrs.groups.groups, 2);
    ck_assert_int_eq(g->ops[1].attrs.groups.groups, 3);
    ck_assert_int_eq(gb_count(g, GT_OP_SLICE), 3);
    done(g);
}
END_TEST

/* ---- all together ---- */

START_TEST(test_outputs_survive)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(1, 4, 5, 5));
    gb_output(g, gb_reshape(g, x, SHAPE(1, 4, 5, 5)));
    gb_output(g, gb_transpose(g, gb_transpose(g, x, LIST(0, 2, 3, 1)), LIST(0, 3, 1, 2)));
    int y = gb_relu(g, x);
    gb_output(g, y);
    gb_output(g, gb_reshape(g, y, SHAPE(1, 4, 5, 5)));
    gb_output(g, gb_relu(g, y));
    gb_output(g, gb_binary(g, GT_BINARY_MUL, y, gb_scalar(g, 4, 1)));
    check_pass(g, run_all, true);
    ck_assert_int_eq(g->n_outputs, 6);
    for (int i = 0; i < g->n_outputs; i++) {
        char name[32];
        snprintf(name, sizeof name, "output%d", i);
        ck_assert_str_eq(g->output_names[i], name);
        ck_assert_int_ge(g->tensors[g->outputs[i]].producer, 0);
    }
    ck_assert_int_le(g->n_ops, 4);
    done(g);
}
END_TEST

static gt_graph *varied(void)
{
    gt_graph *g = gb_graph();
    int x = gb_transpose(g, gb_input(g, SHAPE(1, 6, 6, 4)), LIST(0, 3, 1, 2));
    int a = hard_swish(g, gb_scale(g, gb_conv(g, x, 4, 3, 1, 1, 1, false)), 0);
    int b = gb_relu(g, gb_binary(g, GT_BINARY_ADD, gb_conv(g, a, 4, 1, 1, 0, 1, true), a));
    int c = gb_concat(g, 1, 3, (int[]){b, gb_const(g, SHAPE(1, 2, 6, 6), 0, 0), gb_const(g, SHAPE(1, 2, 6, 6), 0, 0)});
    c = gb_reshape(g, gb_transpose(g, gb_reshape(g, c, SHAPE(1, 2, 4, 36)), LIST(0, 2, 1, 3)), SHAPE(1, 8, 6, 6));
    int d = gb_transpose(g, c, LIST(0, 2, 3, 1));
    d = gb_transpose(g, gb_softmax(g, gb_relu(g, d), 3), LIST(0, 3, 1, 2));
    gb_output(g, gb_dense(g, gb_reshape(g, d, SHAPE(1, 288)), 5, true));
    return g;
}

START_TEST(test_allocation_failures)
{
    gt_status status = GT_ERROR_MEMORY;
    int64_t k = 0;
    for (; status != GT_OK; k += 1 + k / 40) {
        gt_graph *g = varied();
        gt_i_fail_allocation(k);
        status = gt_passes_run(g);
        gt_i_fail_allocation(-1);
        ck_assert_msg(status == GT_OK || status == GT_ERROR_MEMORY, "%s", gt_error_message());
        gt_graph_destroy(g);
        ck_assert_msg(gt_i_live_allocations() == 0, "allocation %d leaks", (int)k);
    }
    ck_assert_int_gt((int)k, 500);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("passes");
    TCase *tests = tcase_create("passes");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, test_fold_scale, 0, 6);
    tcase_add_loop_test(tests, test_fold_binary_chain, 0, 6);
    tcase_add_test(tests, test_fold_dense_rows);
    tcase_add_test(tests, test_fold_scale_not);
    tcase_add_test(tests, test_fold_shared_weights);
    tcase_add_test(tests, test_fold_in_place);
    tcase_add_loop_test(tests, test_fold_forward, 0, 2);
    tcase_add_test(tests, test_merge_scales);
    tcase_add_loop_test(tests, test_fuse_activation, 0, (int)(sizeof fused_functions / sizeof *fused_functions));
    tcase_add_test(tests, test_fuse_activation_not);
    tcase_add_test(tests, test_merge_clips);
    tcase_add_test(tests, test_binary_activations);
    tcase_add_loop_test(tests, test_hard_swish, 0, 14);
    tcase_add_loop_test(tests, test_hard_swish_all, 0, 14);
    tcase_add_test(tests, test_other_chains);
    tcase_add_test(tests, test_gate_is_no_swish);
    tcase_add_loop_test(tests, test_residual, 0, 3);
    tcase_add_test(tests, test_residual_of_two);
    tcase_add_test(tests, test_residual_not);
    tcase_add_loop_test(tests, test_shuffle, 0, 4);
    tcase_add_loop_test(tests, test_channel_split, 0, 2);
    tcase_add_test(tests, test_no_shuffle);
    tcase_add_test(tests, test_gathers);
    tcase_add_test(tests, test_outputs_survive);
    tcase_add_test(tests, test_allocation_failures);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
