/* SPDX-License-Identifier: Apache-2.0 */
/* Short forms for building test graphs by hand. Any failure ends the process with its message; constants are
 * random numbers that depend on their position in the graph. */
#ifndef GT_TESTS_GRAPH_BUILD_H
#define GT_TESTS_GRAPH_BUILD_H

#include "src/graph/graph.h"

#define SHAPE(...) gt_shape_of((int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]){__VA_ARGS__})
#define LIST(...) \
    ((gt_int_list){.count = (int64_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
                   .values = (int64_t[]){__VA_ARGS__}})

gt_graph *gb_graph(void);
void gb_must(gt_status status);

/* All return the index of the (output) tensor. */
int gb_input(gt_graph *g, gt_shape shape);
int gb_const(gt_graph *g, gt_shape shape, float lo, float hi);
int gb_values(gt_graph *g, gt_shape shape, const float *values);
int gb_scalar(gt_graph *g, int rank, float value); /* [1, 1, …] */

int gb_op(gt_graph *g, gt_op_kind kind, const gt_attrs *attrs, int n, const int *inputs, const gt_shape *out);
int gb_conv(gt_graph *g, int x, int64_t k, int64_t kernel, int64_t stride, int64_t pad, int64_t groups, bool bias);
int gb_deconv(gt_graph *g, int x, int64_t k, int64_t groups);
int gb_dense(gt_graph *g, int x, int64_t k, bool bias);
int gb_scale(gt_graph *g, int x);
int gb_unary(gt_graph *g, int x, gt_function f, float alpha, float beta);
int gb_relu(gt_graph *g, int x);
int gb_binary(gt_graph *g, gt_binary_function f, int a, int b);
int gb_pool(gt_graph *g, int x, gt_pool_mode mode, int64_t kernel, int64_t stride, int64_t pad);
int gb_reduce(gt_graph *g, int x, gt_int_list axes, bool keepdims);
int gb_reshape(gt_graph *g, int x, gt_shape shape);
int gb_transpose(gt_graph *g, int x, gt_int_list perm);
int gb_concat(gt_graph *g, int64_t axis, int n, const int *inputs);
int gb_pad(gt_graph *g, int x, gt_int_list before, gt_int_list after, float value);
int gb_slice(gt_graph *g, int x, gt_int_list start, gt_int_list step, gt_shape out);
int gb_gather(gt_graph *g, int x, int64_t axis, gt_int_list indices, bool scalar);
int gb_softmax(gt_graph *g, int x, int64_t axis);
void gb_output(gt_graph *g, int tensor);

/* How many ops of a kind; the only one of its kind (fails if there are none or several). */
int gb_count(const gt_graph *g, gt_op_kind kind);
const gt_op *gb_only(const gt_graph *g, gt_op_kind kind);

#endif
