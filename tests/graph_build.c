/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/graph_build.h"

#include "src/base/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gb_must(gt_status status)
{
    if (status != GT_OK) {
        fprintf(stderr, "building a test graph: %s\n", gt_error_message());
        exit(1);
    }
}

gt_graph *gb_graph(void)
{
    gt_graph *g = NULL;
    gb_must(gt_graph_create(&g, "test"));
    return g;
}

int gb_input(gt_graph *g, gt_shape shape)
{
    int t = 0;
    char name[32];
    snprintf(name, sizeof name, "input%d", g->n_inputs);
    gb_must(gt_graph_add_tensor(g, &t, name, GT_F32, &shape, NULL));
    gb_must(gt_graph_add_input(g, t));
    return t;
}

int gb_const(gt_graph *g, gt_shape shape, float lo, float hi)
{
    float *data = NULL;
    size_t count = (size_t)gt_shape_elems(&shape);
    gt_rng rng;
    int t = 0;
    gt_rng_seed(&rng, 1000 + (uint64_t)g->n_tensors);
    gb_must(gt_calloc(&data, count, sizeof *data));
    gt_rng_fill(&rng, data, count, lo, hi);
    gb_must(gt_graph_add_tensor(g, &t, "constant", GT_F32, &shape, data));
    return t;
}

int gb_values(gt_graph *g, gt_shape shape, const float *values)
{
    int t = gb_const(g, shape, 0, 1);
    memcpy(g->tensors[t].data, values, (size_t)gt_shape_elems(&shape) * sizeof *values);
    return t;
}

int gb_scalar(gt_graph *g, int rank, float value)
{
    gt_shape shape = {.rank = rank};
    for (int i = 0; i < rank; i++) {
        shape.dim[i] = 1;
    }
    return gb_values(g, shape, &value);
}

int gb_op(gt_graph *g, gt_op_kind kind, const gt_attrs *attrs, int n, const int *inputs, const gt_shape *out)
{
    int t = 0;
    gt_operand hint = {.present = true, .dtype = GT_F32};
    if (out != NULL) {
        hint.shape = *out;
    }
    gb_must(gt_graph_add_op(g, NULL, &t, kind, NULL, NULL, attrs, NULL, n, inputs, out != NULL ? &hint : NULL));
    return t;
}

int gb_conv(gt_graph *g, int x, int64_t k, int64_t kernel, int64_t stride, int64_t pad, int64_t groups, bool bias)
{
    const gt_attrs attrs = {.conv = {.stride = {stride, stride},
                                     .pad = {pad, pad, pad, pad},
                                     .dilation = {1, 1},
                                     .groups = groups}};
    int64_t c = g->tensors[x].shape.dim[1];
    const int in[3] = {x, gb_const(g, SHAPE(k, c / groups, kernel, kernel), -0.5f, 0.5f),
                       bias ? gb_const(g, SHAPE(k), -1, 1) : GT_NO_TENSOR};
    return gb_op(g, GT_OP_CONV2D, &attrs, 3, in, NULL);
}

int gb_deconv(gt_graph *g, int x, int64_t k, int64_t groups)
{
    const gt_attrs attrs = {.conv = {.stride = {2, 2}, .dilation = {1, 1}, .groups = groups}};
    const gt_shape s = g->tensors[x].shape;
    const gt_shape out = gt_shape_4d(s.dim[0], k, s.dim[2] * 2, s.dim[3] * 2);
    const int in[3] = {x, gb_const(g, SHAPE(s.dim[1], k / groups, 2, 2), -1, 1), gb_const(g, SHAPE(k), -1, 1)};
    return gb_op(g, GT_OP_CONV_TRANSPOSE2D, &attrs, 3, in, &out);
}

int gb_dense(gt_graph *g, int x, int64_t k, bool bias)
{
    const gt_attrs attrs = {.dense = {.rows = false}};
    const gt_shape s = g->tensors[x].shape;
    const int in[3] = {x, gb_const(g, SHAPE(k, gt_shape_elems(&s) / s.dim[0]), -0.5f, 0.5f),
                       bias ? gb_const(g, SHAPE(k), -1, 1) : GT_NO_TENSOR};
    return gb_op(g, GT_OP_DENSE, &attrs, 3, in, NULL);
}

int gb_scale(gt_graph *g, int x)
{
    int64_t c = g->tensors[x].shape.dim[1];
    const int in[3] = {x, gb_const(g, SHAPE(c), 0.5f, 2), gb_const(g, SHAPE(c), -1, 1)};
    return gb_op(g, GT_OP_SCALE, NULL, 3, in, NULL);
}

int gb_unary(gt_graph *g, int x, gt_function f, float alpha, float beta)
{
    const gt_attrs attrs = {.unary = {.function = f, .alpha = alpha, .beta = beta}};
    return gb_op(g, GT_OP_UNARY, &attrs, 1, &x, NULL);
}

int gb_relu(gt_graph *g, int x)
{
    return gb_unary(g, x, GT_FN_RELU, 0, 0);
}

int gb_binary(gt_graph *g, gt_binary_function f, int a, int b)
{
    const gt_attrs attrs = {.binary = {.function = f}};
    return gb_op(g, GT_OP_BINARY, &attrs, 2, (const int[]){a, b}, NULL);
}

int gb_pool(gt_graph *g, int x, gt_pool_mode mode, int64_t kernel, int64_t stride, int64_t pad)
{
    const gt_attrs attrs = {.pool = {.mode = mode,
                                     .kernel = {kernel, kernel},
                                     .stride = {stride, stride},
                                     .pad = {pad, pad, pad, pad},
                                     .dilation = {1, 1}}};
    gt_shape out = g->tensors[x].shape;
    out.dim[2] = (out.dim[2] + 2 * pad - kernel) / stride + 1;
    out.dim[3] = (out.dim[3] + 2 * pad - kernel) / stride + 1;
    return gb_op(g, GT_OP_POOL2D, &attrs, 1, &x, &out);
}

int gb_reduce(gt_graph *g, int x, gt_int_list axes, bool keepdims)
{
    const gt_attrs attrs = {.reduce = {.mode = GT_REDUCE_MEAN, .axes = axes, .keepdims = keepdims}};
    return gb_op(g, GT_OP_REDUCE, &attrs, 1, &x, NULL);
}

int gb_reshape(gt_graph *g, int x, gt_shape shape)
{
    return gb_op(g, GT_OP_RESHAPE, NULL, 1, &x, &shape);
}

int gb_transpose(gt_graph *g, int x, gt_int_list perm)
{
    const gt_attrs attrs = {.transpose = {.perm = perm}};
    return gb_op(g, GT_OP_TRANSPOSE, &attrs, 1, &x, NULL);
}

int gb_concat(gt_graph *g, int64_t axis, int n, const int *inputs)
{
    const gt_attrs attrs = {.axis = {.axis = axis}};
    return gb_op(g, GT_OP_CONCAT, &attrs, n, inputs, NULL);
}

int gb_pad(gt_graph *g, int x, gt_int_list before, gt_int_list after, float value)
{
    const gt_attrs attrs = {.pad = {.mode = GT_PAD_CONSTANT, .before = before, .after = after, .value = value}};
    return gb_op(g, GT_OP_PAD, &attrs, 1, &x, NULL);
}

int gb_slice(gt_graph *g, int x, gt_int_list start, gt_int_list step, gt_shape out)
{
    const gt_attrs attrs = {.slice = {.start = start, .step = step}};
    return gb_op(g, GT_OP_SLICE, &attrs, 1, &x, &out);
}

int gb_gather(gt_graph *g, int x, int64_t axis, gt_int_list indices, bool scalar)
{
    const gt_attrs attrs = {.gather = {.axis = axis, .indices = indices, .scalar = scalar}};
    return gb_op(g, GT_OP_GATHER, &attrs, 1, &x, NULL);
}

int gb_softmax(gt_graph *g, int x, int64_t axis)
{
    const gt_attrs attrs = {.softmax = {.axis = axis}};
    return gb_op(g, GT_OP_SOFTMAX, &attrs, 1, &x, NULL);
}

void gb_output(gt_graph *g, int tensor)
{
    char name[32];
    snprintf(name, sizeof name, "output%d", g->n_outputs);
    gb_must(gt_graph_add_output(g, tensor, name));
}

int gb_count(const gt_graph *g, gt_op_kind kind)
{
    int count = 0;
    for (int i = 0; i < g->n_ops; i++) {
        count += g->ops[i].kind == kind ? 1 : 0;
    }
    return count;
}

const gt_op *gb_only(const gt_graph *g, gt_op_kind kind)
{
    const gt_op *found = NULL;
    for (int i = 0; i < g->n_ops; i++) {
        if (g->ops[i].kind == kind) {
            found = &g->ops[i];
        }
    }
    if (gb_count(g, kind) != 1) {
        fprintf(stderr, "%d ops of kind %s instead of one\n", gb_count(g, kind), gt_op_kind_name(kind));
        exit(1);
    }
    return found;
}
