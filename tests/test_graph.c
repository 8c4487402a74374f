/* SPDX-License-Identifier: Apache-2.0 */
/* Building, sorting, finishing and checking graphs. */
#include "tests/graph_build.h"
#include "tests/runner.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gt_status add_tensor(gt_graph *g, int *t, const char *name)
{
    return gt_graph_add_tensor(g, t, name, GT_F32, &(gt_shape){.rank = 1, .dim = {4}}, NULL);
}

START_TEST(test_names)
{
    static const char *const wanted[] = {"x", "x#2", "x#3", "tensor", "tensor#2", "x#2#2"};
    static const char *const given[] = {"x", "x", "x", "", NULL, "x#2"};
    gt_graph *g = gb_graph();
    for (int i = 0; i < 6; i++) {
        int t = -1;
        ck_assert_int_eq(add_tensor(g, &t, given[i]), GT_OK);
        ck_assert_int_eq(t, i);
        ck_assert_str_eq(g->tensors[t].name, wanted[i]);
        ck_assert_int_eq(gt_graph_find_tensor(g, wanted[i]), i);
    }
    ck_assert_int_eq(gt_graph_find_tensor(g, "y"), -1);
    ck_assert_int_eq(gt_graph_find_op(g, "x"), -1);
    gt_graph_destroy(g);
    gt_graph_destroy(NULL);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* One name for everything must not make building slow. */
START_TEST(test_many_equal_names)
{
    gt_graph *g = gb_graph();
    int t = 0;
    for (int i = 0; i < 50000; i++) {
        ck_assert_int_eq(add_tensor(g, &t, "same"), GT_OK);
    }
    ck_assert_int_eq(gt_graph_find_tensor(g, "same#2"), 1);
    ck_assert_int_eq(gt_graph_find_tensor(g, g->tensors[t].name), t);
    gt_graph_destroy(g);
}
END_TEST

START_TEST(test_add_errors)
{
    gt_graph *g = gb_graph();
    int t = 0;
    int x = gb_input(g, SHAPE(1, 2, 3, 3));
    int c = gb_const(g, SHAPE(4), 0, 1);
    const gt_shape negative = {.rank = 1, .dim = {-1}};
    ck_assert_int_eq(gt_graph_add_tensor(g, &t, "neg", GT_F32, &negative, NULL), GT_ERROR_SHAPE);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "neg"));
    ck_assert_int_eq(gt_graph_add_input(g, x), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_graph_add_input(g, c), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_graph_add_input(g, 99), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_graph_add_output(g, -1, "y"), GT_ERROR_ARGUMENT);
    const gt_attrs attrs = {.softmax = {.axis = 7}};
    ck_assert_int_eq(gt_graph_add_op(g, NULL, NULL, GT_OP_SOFTMAX, "soft", NULL, &attrs, NULL, 1, &x, NULL),
                     GT_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "operator \"soft\": softmax: axis is 7"));
    ck_assert_int_eq(gt_graph_add_op(g, NULL, NULL, GT_OP_COPY, "c", NULL, NULL, NULL, 1, (int[]){1234}, NULL),
                     GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_graph_finish(g), GT_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "no outputs"));
    ck_assert_int_eq(g->n_ops, 0);
    gt_graph_destroy(g);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* A small network with a dead end. */
static gt_graph *small_network(void)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(1, 3, 8, 8));
    int a = gb_relu(g, gb_conv(g, x, 4, 3, 1, 1, 1, true));
    gb_relu(g, gb_conv(g, x, 5, 1, 1, 0, 1, false));
    int b = gb_conv(g, a, 4, 1, 1, 0, 1, false);
    gb_output(g, gb_binary(g, GT_BINARY_ADD, a, b));
    gb_output(g, a);
    gb_output(g, a);
    return g;
}

START_TEST(test_finish)
{
    gt_graph *g = small_network();
    ck_assert_msg(gt_graph_finish(g) == GT_OK, "%s", gt_error_message());
    ck_assert_int_eq(g->n_ops, 4);
    ck_assert_int_eq(g->n_outputs, 3);
    ck_assert_int_eq(g->outputs[1], g->outputs[2]);
    ck_assert_str_eq(g->output_names[2], "output2");
    ck_assert_str_eq(g->ops[0].workload->key,
                     "conv2d(1x3x8x8,4x3x3x3!,4!,_)->1x4x8x8{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1}");
    for (int i = 0; i < g->n_ops; i++) {
        ck_assert_int_eq(g->ops[i].n_inputs, g->ops[i].workload->n_inputs);
        ck_assert_int_eq(gt_graph_find_op(g, g->ops[i].name), i);
    }
    ck_assert_int_eq(gt_graph_finish(g), GT_OK);
    ck_assert_int_eq(g->n_ops, 4);
    gt_graph_destroy(g);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_consumers)
{
    gt_graph *g = small_network();
    int *first = NULL;
    int *consumer = NULL;
    ck_assert_int_eq(gt_graph_finish(g), GT_OK);
    ck_assert_int_eq(gt_graph_consumers(g, &first, &consumer), GT_OK);
    int relu = g->ops[1].output;
    ck_assert_int_eq(first[relu + 1] - first[relu], 2);
    ck_assert_int_eq(consumer[first[relu]], 2);
    ck_assert_int_eq(consumer[first[relu] + 1], 3);
    ck_assert_int_eq(first[0], 0);
    ck_assert_int_eq(first[g->n_tensors], 8);
    gt_free(first);
    gt_free(consumer);
    gt_graph_destroy(g);
}
END_TEST

/* An op that reads a tensor twice stands twice; dead ops do not stand at all. */
START_TEST(test_consumers_twice)
{
    gt_graph *g = gb_graph();
    int *first = NULL;
    int *consumer = NULL;
    int x = gb_input(g, SHAPE(2));
    gb_binary(g, GT_BINARY_MUL, x, x);
    gb_relu(g, x);
    g->ops[1].dead = true;
    ck_assert_int_eq(gt_graph_consumers(g, &first, &consumer), GT_OK);
    ck_assert_int_eq(first[x + 1] - first[x], 2);
    gt_free(first);
    gt_free(consumer);
    gt_graph_destroy(g);
}
END_TEST

/* Ops in reverse order come out sorted; those already in order keep it. */
START_TEST(test_sort)
{
    gt_graph *g = gb_graph();
    int t = gb_input(g, SHAPE(2));
    for (int i = 0; i < 200; i++) {
        t = gb_relu(g, t);
    }
    gb_output(g, t);
    for (int i = 0; i < 100; i++) {
        gt_op swap;
        memcpy(&swap, &g->ops[i], sizeof swap);
        memcpy(&g->ops[i], &g->ops[199 - i], sizeof swap);
        memcpy(&g->ops[199 - i], &swap, sizeof swap);
    }
    ck_assert_msg(gt_graph_finish(g) == GT_OK, "%s", gt_error_message());
    ck_assert_str_eq(g->ops[0].name, "unary");
    ck_assert_int_eq(g->ops[0].inputs[0], g->inputs[0]);
    for (int i = 1; i < 200; i++) {
        ck_assert_int_eq(g->ops[i].inputs[0], g->ops[i - 1].output);
    }
    gt_graph_destroy(g);
}
END_TEST

START_TEST(test_cycle)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(2));
    int head = gb_relu(g, x);
    int a = gb_binary(g, GT_BINARY_ADD, head, head);
    int b = gb_relu(g, a);
    int c = gb_relu(g, b);
    gb_output(g, gb_relu(g, c));
    g->ops[1].inputs[1] = c;
    const int ops = g->n_ops;
    const int tensors = g->n_tensors;
    ck_assert_int_eq(gt_graph_finish(g), GT_ERROR_FORMAT);
    const char *message = gt_error_message();
    ck_assert_ptr_nonnull(strstr(message, "cycle"));
    ck_assert_ptr_nonnull(strstr(message, "\"binary\""));
    ck_assert_ptr_nonnull(strstr(message, "\"unary#2\""));
    ck_assert_ptr_nonnull(strstr(message, "\"unary#3\""));
    ck_assert_ptr_null(strstr(message, "\"unary#4\""));
    ck_assert_ptr_null(strstr(message, "\"unary\""));
    ck_assert_int_eq(g->n_ops, ops);
    ck_assert_int_eq(g->n_tensors, tensors);
    /* In dead code a cycle does not matter. */
    g->outputs[0] = head;
    ck_assert_int_eq(gt_graph_finish(g), GT_OK);
    ck_assert_int_eq(g->n_ops, 1);
    gt_graph_destroy(g);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_self_cycle)
{
    gt_graph *g = gb_graph();
    int y = gb_relu(g, gb_input(g, SHAPE(2)));
    gb_output(g, y);
    g->ops[0].inputs[0] = y;
    ck_assert_int_eq(gt_graph_compact(g), GT_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "\"unary\" -> \"unary\""));
    gt_graph_destroy(g);
}
END_TEST

/* Each breaks one invariant of a finished graph. */
static void break_graph(gt_graph *g, int how)
{
    switch (how) {
    case 0:
        g->tensors[g->ops[0].output].shape.dim[1] = 9;
        break;
    case 1:
        g->tensors[g->ops[2].output].producer = 0;
        break;
    case 2:
        g->ops[1].dead = true;
        break;
    case 3:
        g->ops[1].name[0] = '\0';
        break;
    case 4:
        g->ops[0].attrs.conv.stride[0] = 0;
        break;
    case 5:
        g->ops[0].inputs[0] = g->ops[3].output;
        break;
    case 6:
        g->outputs[0] = 999;
        break;
    case 7:
        g->n_inputs = 0;
        break;
    case 8:
        g->ops[2].n_inputs = 3;
        break;
    case 9:
        g->tensors[g->inputs[0]].name[0] = 'Q';
        break;
    case 10:
        g->ops[1].inputs[0] = 999;
        break;
    default:
        g->output_names[0][0] = '\0';
        break;
    }
}

START_TEST(test_verify)
{
    gt_graph *g = small_network();
    ck_assert_int_eq(gt_graph_finish(g), GT_OK);
    ck_assert_int_eq(gt_graph_verify(g), GT_OK);
    break_graph(g, _i);
    ck_assert_int_eq(gt_graph_verify(g), GT_ERROR_INTERNAL);
    gt_graph_destroy(g);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

static gt_status build(gt_graph **out)
{
    gt_status status = GT_OK;
    gt_graph *g = NULL;
    float *data = NULL;
    int x = 0;
    int w = 0;
    int y = 0;
    const gt_attrs conv = {.conv = {.stride = {1, 1}, .dilation = {1, 1}, .groups = 1}};
    const gt_attrs slice = {.slice = {.start = LIST(0, 1, 0, 0), .step = LIST(1, 2, 1, 1)}};
    const gt_operand hint = {.present = true, .shape = {.rank = 4, .dim = {1, 2, 2, 2}}};
    const gt_shape x_shape = SHAPE(1, 3, 2, 2);
    const gt_shape w_shape = SHAPE(4, 3, 1, 1);
    GT_TRY(gt_graph_create(&g, "build"));
    GT_TRY(gt_graph_add_tensor(g, &x, "x", GT_F32, &x_shape, NULL));
    GT_TRY(gt_graph_add_input(g, x));
    GT_TRY(gt_calloc(&data, 12, sizeof *data));
    GT_TRY(gt_graph_add_tensor(g, &w, "w", GT_F32, &w_shape, data));
    data = NULL;
    GT_TRY(gt_graph_add_op(g, NULL, &y, GT_OP_CONV2D, "conv", "y", &conv, NULL, 2, (int[]){x, w}, NULL));
    GT_TRY(gt_graph_add_op(g, NULL, &y, GT_OP_SLICE, "slice", "z", &slice, NULL, 1, &y, &hint));
    for (int i = 0; i < 70; i++) {
        const gt_attrs relu = {.unary = {.function = GT_FN_RELU}};
        GT_TRY(gt_graph_add_op(g, NULL, &y, GT_OP_UNARY, "relu", NULL, &relu, NULL, 1, &y, NULL));
    }
    GT_TRY(gt_graph_add_output(g, y, NULL));
    GT_TRY(gt_graph_finish(g));
    *out = g;
    g = NULL;
done:
    gt_free(data);
    gt_graph_destroy(g);
    return status;
}

START_TEST(test_allocation_failures)
{
    gt_status status = GT_ERROR_MEMORY;
    int64_t k = 0;
    for (; status != GT_OK; k++) {
        gt_graph *g = NULL;
        gt_i_fail_allocation(k);
        status = build(&g);
        gt_i_fail_allocation(-1);
        ck_assert_msg(status == GT_OK || status == GT_ERROR_MEMORY, "%s", gt_error_message());
        gt_graph_destroy(g);
        ck_assert_msg(gt_i_live_allocations() == 0, "allocation %d leaks", (int)k);
    }
    ck_assert_int_gt((int)k, 100);
}
END_TEST

/* Compacting either works or leaves the graph as it was. */
START_TEST(test_compact_is_atomic)
{
    gt_status status = GT_ERROR_MEMORY;
    for (int64_t k = 0; status != GT_OK; k++) {
        gt_graph *g = small_network();
        const int ops = g->n_ops;
        gt_i_fail_allocation(k);
        status = gt_graph_compact(g);
        gt_i_fail_allocation(-1);
        ck_assert_int_eq(g->n_ops, status == GT_OK ? 4 : ops);
        ck_assert_msg(gt_graph_finish(g) == GT_OK, "%s", gt_error_message());
        gt_graph_destroy(g);
        ck_assert_int_eq(gt_i_live_allocations(), 0);
    }
}
END_TEST

/* A very deep graph must not exhaust the stack. */
START_TEST(test_deep)
{
    gt_graph *g = gb_graph();
    int t = gb_input(g, SHAPE(2));
    for (int i = 0; i < 20000; i++) {
        t = gb_relu(g, t);
    }
    gb_output(g, t);
    ck_assert_int_eq(gt_graph_finish(g), GT_OK);
    ck_assert_int_eq(g->n_ops, 20000);
    gt_graph_destroy(g);
}
END_TEST

START_TEST(test_add_op_into)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, SHAPE(2));
    int y = gb_relu(g, x);
    int op = 0;
    const gt_attrs tanh = {.unary = {.function = GT_FN_TANH}};
    gb_output(g, y);
    g->ops[0].dead = true;
    ck_assert_int_eq(gt_graph_add_op_into(g, &op, y, GT_OP_UNARY, "tanh", &tanh, NULL, 1, &x), GT_OK);
    ck_assert_int_eq(gt_graph_add_op_into(g, NULL, y, GT_OP_UNARY, "bad", &tanh, NULL, 1, &(int){99}),
                     GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_graph_finish(g), GT_OK);
    ck_assert_int_eq(g->n_ops, 1);
    ck_assert_str_eq(g->ops[0].name, "tanh");
    gt_graph_destroy(g);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph");
    TCase *tests = tcase_create("graph");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, test_names);
    tcase_add_test(tests, test_many_equal_names);
    tcase_add_test(tests, test_add_errors);
    tcase_add_test(tests, test_finish);
    tcase_add_test(tests, test_consumers);
    tcase_add_test(tests, test_consumers_twice);
    tcase_add_test(tests, test_sort);
    tcase_add_test(tests, test_cycle);
    tcase_add_test(tests, test_self_cycle);
    tcase_add_loop_test(tests, test_verify, 0, 12);
    tcase_add_test(tests, test_allocation_failures);
    tcase_add_test(tests, test_compact_is_atomic);
    tcase_add_test(tests, test_deep);
    tcase_add_test(tests, test_add_op_into);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
