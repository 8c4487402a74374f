/* SPDX-License-Identifier: Apache-2.0 */
/* Layers without weights. */
#include "src/zoo/builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A node with one input and one output. */
static gt_i_zoo_tensor unary(gt_i_zoo_builder *b, gt_onnx_node **node, const char *op,
                             gt_i_zoo_tensor x, int rank, int64_t c, int64_t h, int64_t w)
{
    char name[GT_ZOO_NAME_BYTES];
    char output[GT_ZOO_NAME_BYTES];
    gt_i_zoo_node_name(b, name, op);
    gt_i_zoo_output_name(output, name);
    gt_i_zoo_tensor y = gt_i_zoo_new_tensor(b, output, rank, c, h, w);
    *node = gt_i_zoo_emit(b, op, name, 1, (const char *const[]){x.name}, output);
    return y;
}

static gt_i_zoo_tensor unary_same(gt_i_zoo_builder *b, gt_onnx_node **node, const char *op,
                                  gt_i_zoo_tensor x)
{
    return unary(b, node, op, x, x.rank, x.c, x.h, x.w);
}

static gt_i_zoo_tensor binary(gt_i_zoo_builder *b, const char *op, gt_i_zoo_tensor x,
                              gt_i_zoo_tensor y)
{
    char name[GT_ZOO_NAME_BYTES];
    char output[GT_ZOO_NAME_BYTES];
    gt_i_zoo_node_name(b, name, op);
    gt_i_zoo_output_name(output, name);
    gt_i_zoo_tensor z = gt_i_zoo_new_tensor(b, output, x.rank, x.c, x.h, x.w);
    gt_i_zoo_emit(b, op, name, 2, (const char *const[]){x.name, y.name}, output);
    return z;
}

/* A constant that a node named `owner` reads; its name goes to `name`. */
static void add_constant(gt_i_zoo_builder *b, char name[2 * GT_ZOO_NAME_BYTES], const char *owner,
                         const char *what, gt_onnx_type type, int64_t count, const void *values)
{
    snprintf(name, 2 * GT_ZOO_NAME_BYTES, "%s.%s", owner, what);
    if (b->status == GT_OK) {
        b->status = gt_onnx_add_initializer(b->model, name, type, 1, &count, values);
    }
}

static void copy_moments(gt_i_zoo_builder *b, gt_i_zoo_tensor y, gt_i_zoo_tensor x,
                         double var_factor)
{
    for (int64_t c = 0; b->status == GT_OK && c < y.c; c++) {
        y.moments.mean[c] = x.moments.mean[c];
        y.moments.var[c] = x.moments.var[c] * var_factor;
    }
}

/* ---- activations ---- */

static double f_relu(double x)
{
    return fmax(x, 0);
}

static double f_relu6(double x)
{
    return fmin(fmax(x, 0), 6);
}

static double f_leaky(double x)
{
    return x < 0 ? 0.1 * x : x;
}

static double f_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double f_swish(double x)
{
    return x * f_sigmoid(x);
}

static double f_hardsigmoid(double x)
{
    return fmin(fmax(x / 6 + 0.5, 0), 1);
}

static double f_hardswish(double x)
{
    return x * f_hardsigmoid(x);
}

static const struct act_row {
    const char *op;
    bool times_input;
    double (*function)(double);
} acts[] = {
    [GT_ZOO_RELU] = {"Relu", false, f_relu},
    [GT_ZOO_RELU6] = {"Clip", false, f_relu6},
    [GT_ZOO_LEAKY] = {"LeakyRelu", false, f_leaky},
    [GT_ZOO_SIGMOID] = {"Sigmoid", false, f_sigmoid},
    [GT_ZOO_SWISH] = {"Sigmoid", true, f_swish},
    [GT_ZOO_HARDSIGMOID] = {"HardSigmoid", false, f_hardsigmoid},
    [GT_ZOO_HARDSWISH] = {"HardSigmoid", true, f_hardswish},
};

/* The two scalars that all Clip nodes read. */
static void ensure_clip_bounds(gt_i_zoo_builder *b)
{
    if (b->status == GT_OK && !b->has_clip_bounds) {
        b->has_clip_bounds = true;
        b->status =
            gt_onnx_add_initializer(b->model, "relu6.min", GT_ONNX_FLOAT, 0, NULL, &(float){0});
        if (b->status == GT_OK) {
            b->status =
                gt_onnx_add_initializer(b->model, "relu6.max", GT_ONNX_FLOAT, 0, NULL, &(float){6});
        }
    }
}

static gt_i_zoo_tensor clip(gt_i_zoo_builder *b, gt_i_zoo_tensor x)
{
    char name[GT_ZOO_NAME_BYTES];
    char output[GT_ZOO_NAME_BYTES];
    ensure_clip_bounds(b);
    gt_i_zoo_node_name(b, name, "Clip");
    gt_i_zoo_output_name(output, name);
    gt_i_zoo_tensor y = gt_i_zoo_new_tensor(b, output, x.rank, x.c, x.h, x.w);
    gt_i_zoo_emit(b, "Clip", name, 3, (const char *const[]){x.name, "relu6.min", "relu6.max"},
                  output);
    return y;
}

gt_i_zoo_tensor gt_i_zoo_activate(gt_i_zoo_builder *b, gt_i_zoo_tensor x, gt_i_zoo_act act)
{
    if (b->status != GT_OK || act == GT_ZOO_LINEAR || act == GT_ZOO_RELU_LATER) {
        return x;
    }
    gt_onnx_node *node = NULL;
    gt_i_zoo_tensor y = act == GT_ZOO_RELU6 ? clip(b, x) : unary_same(b, &node, acts[act].op, x);
    if (act == GT_ZOO_LEAKY) {
        gt_i_zoo_set_float(b, node, "alpha", 0.1f);
    } else if (act == GT_ZOO_HARDSIGMOID || act == GT_ZOO_HARDSWISH) {
        gt_i_zoo_set_float(b, node, "alpha", 1.0f / 6.0f);
        gt_i_zoo_set_float(b, node, "beta", 0.5f);
    }
    if (acts[act].times_input && b->status == GT_OK) {
        y = binary(b, "Mul", x, y);
    }
    if (b->status == GT_OK) {
        gt_i_moments_map(y.moments, x.moments, x.c, acts[act].function);
    }
    return y;
}

/* ---- pooling ---- */

gt_i_zoo_tensor gt_i_zoo_max_pool(gt_i_zoo_builder *b, gt_i_zoo_tensor x, gt_i_zoo_window window)
{
    if (b->status != GT_OK) {
        return x;
    }
    gt_onnx_node *node = NULL;
    gt_i_zoo_extent extent = gt_i_zoo_place(b, x, window);
    gt_i_zoo_tensor y = unary(b, &node, "MaxPool", x, 4, x.c, extent.out_h, extent.out_w);
    gt_i_zoo_set_int(b, node, "ceil_mode", window.ceil);
    gt_i_zoo_set_window(b, node, window, &extent);
    /* Neighbours are correlated; the largest of a few lies somewhat above the mean. */
    copy_moments(b, y, x, 0.6);
    for (int64_t c = 0; b->status == GT_OK && c < y.c; c++) {
        y.moments.mean[c] += 0.8 * sqrt(x.moments.var[c]);
    }
    return y;
}

gt_i_zoo_tensor gt_i_zoo_avg_pool(gt_i_zoo_builder *b, gt_i_zoo_tensor x, gt_i_zoo_window window)
{
    if (b->status != GT_OK) {
        return x;
    }
    gt_onnx_node *node = NULL;
    gt_i_zoo_extent extent = gt_i_zoo_place(b, x, window);
    gt_i_zoo_tensor y = unary(b, &node, "AveragePool", x, 4, x.c, extent.out_h, extent.out_w);
    gt_i_zoo_set_int(b, node, "ceil_mode", window.ceil);
    gt_i_zoo_set_int(b, node, "count_include_pad", !window.exclude_pad);
    gt_i_zoo_set_window(b, node, window, &extent);
    /* Between 1 (equal neighbours) and 1 / taps (independent ones). */
    copy_moments(b, y, x, 1 / sqrt((double)(window.kernel_h * window.kernel_w)));
    return y;
}

gt_i_zoo_tensor gt_i_zoo_global_pool(gt_i_zoo_builder *b, gt_i_zoo_tensor x)
{
    if (b->status != GT_OK) {
        return x;
    }
    gt_onnx_node *node = NULL;
    gt_i_zoo_tensor y = unary(b, &node, "GlobalAveragePool", x, 4, x.c, 1, 1);
    copy_moments(b, y, x, 1 / sqrt((double)(x.h * x.w)));
    return y;
}

gt_i_zoo_tensor gt_i_zoo_flatten(gt_i_zoo_builder *b, gt_i_zoo_tensor x)
{
    if (b->status != GT_OK) {
        return x;
    }
    gt_onnx_node *node = NULL;
    gt_i_zoo_tensor y = unary(b, &node, "Flatten", x, 2, x.c, 1, 1);
    gt_i_zoo_set_int(b, node, "axis", 1);
    copy_moments(b, y, x, 1);
    return y;
}

/* ---- joins ---- */

gt_i_zoo_tensor gt_i_zoo_add(gt_i_zoo_builder *b, gt_i_zoo_tensor x, gt_i_zoo_tensor y)
{
    if (b->status != GT_OK) {
        return x;
    }
    gt_i_zoo_tensor z = binary(b, "Add", x, y);
    for (int64_t c = 0; b->status == GT_OK && c < z.c; c++) {
        z.moments.mean[c] = x.moments.mean[c] + y.moments.mean[c];
        z.moments.var[c] = x.moments.var[c] + y.moments.var[c];
    }
    return z;
}

gt_i_zoo_tensor gt_i_zoo_mul(gt_i_zoo_builder *b, gt_i_zoo_tensor x, gt_i_zoo_tensor y)
{
    if (b->status != GT_OK) {
        return x;
    }
    gt_i_zoo_tensor z = binary(b, "Mul", x, y);
    for (int64_t c = 0; b->status == GT_OK && c < z.c; c++) {
        double mx = x.moments.mean[c];
        double my = y.moments.mean[c];
        z.moments.mean[c] = mx * my;
        z.moments.var[c] =
            (x.moments.var[c] + mx * mx) * (y.moments.var[c] + my * my) - mx * mx * my * my;
    }
    return z;
}

/* The widest join of the zoo is a DenseNet layer's. */
#define MAX_JOIN 128

gt_i_zoo_tensor gt_i_zoo_concat(gt_i_zoo_builder *b, size_t count, const gt_i_zoo_tensor *xs)
{
    char name[GT_ZOO_NAME_BYTES];
    char output[GT_ZOO_NAME_BYTES];
    const char *inputs[MAX_JOIN];
    int64_t channels = 0;
    if (b->status != GT_OK) {
        return xs[0];
    }
    if (count > MAX_JOIN) {
        b->status =
            gt_fail(GT_ERROR_INTERNAL, "Concat of %zu tensors, at most %d", count, MAX_JOIN);
        return xs[0];
    }
    for (size_t i = 0; i < count; i++) {
        inputs[i] = xs[i].name;
        channels += xs[i].c;
    }
    gt_i_zoo_node_name(b, name, "Concat");
    gt_i_zoo_output_name(output, name);
    gt_i_zoo_tensor y = gt_i_zoo_new_tensor(b, output, xs[0].rank, channels, xs[0].h, xs[0].w);
    gt_onnx_node *node = gt_i_zoo_emit(b, "Concat", name, count, inputs, output);
    gt_i_zoo_set_int(b, node, "axis", 1);
    int64_t at = 0;
    for (size_t i = 0; b->status == GT_OK && y.moments.mean != NULL && i < count; i++) {
        memcpy(y.moments.mean + at, xs[i].moments.mean, (size_t)xs[i].c * sizeof(double));
        memcpy(y.moments.var + at, xs[i].moments.var, (size_t)xs[i].c * sizeof(double));
        at += xs[i].c;
    }
    return y;
}

/* ---- parts ---- */

static void copy_part(gt_i_zoo_builder *b, gt_i_zoo_tensor part, gt_i_zoo_tensor x, int64_t from)
{
    if (b->status == GT_OK) {
        memcpy(part.moments.mean, x.moments.mean + from, (size_t)part.c * sizeof(double));
        memcpy(part.moments.var, x.moments.var + from, (size_t)part.c * sizeof(double));
    }
}

void gt_i_zoo_split(gt_i_zoo_builder *b, gt_i_zoo_tensor halves[2], gt_i_zoo_tensor x)
{
    char name[GT_ZOO_NAME_BYTES];
    char sizes[2 * GT_ZOO_NAME_BYTES];
    int64_t half = x.c / 2;
    halves[0] = x;
    halves[1] = x;
    if (b->status != GT_OK) {
        return;
    }
    gt_i_zoo_node_name(b, name, "Split");
    for (int k = 0; k < 2; k++) {
        char output[GT_ZOO_NAME_BYTES];
        snprintf(output, sizeof output, "%.80s_out%d", name, k);
        halves[k] = gt_i_zoo_new_tensor(b, output, 4, half, x.h, x.w);
        copy_part(b, halves[k], x, k * half);
    }
    add_constant(b, sizes, name, "split", GT_ONNX_INT64, 2, (const int64_t[]){half, half});
    gt_onnx_node *node = NULL;
    if (b->status == GT_OK) {
        b->status = gt_onnx_add_node(b->model, &node, "Split", name, 2,
                                     (const char *const[]){x.name, sizes}, 2,
                                     (const char *const[]){halves[0].name, halves[1].name});
    }
    gt_i_zoo_set_int(b, node, "axis", 1);
}

gt_i_zoo_tensor gt_i_zoo_slice(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t from, int64_t to)
{
    char name[GT_ZOO_NAME_BYTES];
    char output[GT_ZOO_NAME_BYTES];
    char starts[2 * GT_ZOO_NAME_BYTES];
    char ends[2 * GT_ZOO_NAME_BYTES];
    char axes[2 * GT_ZOO_NAME_BYTES];
    if (b->status != GT_OK) {
        return x;
    }
    gt_i_zoo_node_name(b, name, "Slice");
    gt_i_zoo_output_name(output, name);
    add_constant(b, starts, name, "starts", GT_ONNX_INT64, 1, &from);
    add_constant(b, ends, name, "ends", GT_ONNX_INT64, 1, &to);
    add_constant(b, axes, name, "axes", GT_ONNX_INT64, 1, &(int64_t){1});
    gt_i_zoo_tensor y = gt_i_zoo_new_tensor(b, output, 4, to - from, x.h, x.w);
    gt_i_zoo_emit(b, "Slice", name, 4, (const char *const[]){x.name, starts, ends, axes}, output);
    copy_part(b, y, x, from);
    return y;
}

/* One row and column of zeros after the end. */
static gt_i_zoo_tensor pad_end(gt_i_zoo_builder *b, gt_i_zoo_tensor x)
{
    static const int64_t amounts[8] = {0, 0, 0, 0, 0, 0, 1, 1};
    char name[GT_ZOO_NAME_BYTES];
    char output[GT_ZOO_NAME_BYTES];
    char pads[2 * GT_ZOO_NAME_BYTES];
    gt_i_zoo_node_name(b, name, "Pad");
    gt_i_zoo_output_name(output, name);
    add_constant(b, pads, name, "pads", GT_ONNX_INT64, 8, amounts);
    gt_i_zoo_tensor y = gt_i_zoo_new_tensor(b, output, 4, x.c, x.h + 1, x.w + 1);
    gt_onnx_node *node =
        gt_i_zoo_emit(b, "Pad", name, 2, (const char *const[]){x.name, pads}, output);
    gt_i_zoo_set_string(b, node, "mode", "constant");
    return y;
}

gt_i_zoo_tensor gt_i_zoo_shift(gt_i_zoo_builder *b, gt_i_zoo_tensor x)
{
    char name[GT_ZOO_NAME_BYTES];
    char output[GT_ZOO_NAME_BYTES];
    char starts[2 * GT_ZOO_NAME_BYTES];
    char ends[2 * GT_ZOO_NAME_BYTES];
    char axes[2 * GT_ZOO_NAME_BYTES];
    if (b->status != GT_OK) {
        return x;
    }
    gt_i_zoo_tensor padded = pad_end(b, x);
    gt_i_zoo_node_name(b, name, "Slice");
    gt_i_zoo_output_name(output, name);
    add_constant(b, starts, name, "starts", GT_ONNX_INT64, 2, (const int64_t[]){1, 1});
    add_constant(b, ends, name, "ends", GT_ONNX_INT64, 2, (const int64_t[]){INT64_MAX, INT64_MAX});
    add_constant(b, axes, name, "axes", GT_ONNX_INT64, 2, (const int64_t[]){2, 3});
    gt_i_zoo_tensor y = gt_i_zoo_new_tensor(b, output, 4, x.c, x.h, x.w);
    gt_i_zoo_emit(b, "Slice", name, 4, (const char *const[]){padded.name, starts, ends, axes},
                  output);
    copy_part(b, y, x, 0);
    return y;
}

/* ---- rearrangements ---- */

/* Reshape to any rank up to 5. Only tensors of the builder's own ranks get a value_info. */
static void reshape(gt_i_zoo_builder *b, const char *name, const char *input, const char *output,
                    int64_t rank, const int64_t *dims)
{
    char shape[2 * GT_ZOO_NAME_BYTES];
    add_constant(b, shape, name, "shape", GT_ONNX_INT64, rank, dims);
    gt_i_zoo_emit(b, "Reshape", name, 2, (const char *const[]){input, shape}, output);
}

static void transpose(gt_i_zoo_builder *b, const char *name, const char *input, const char *output,
                      size_t rank, const int64_t *order)
{
    gt_onnx_node *node = gt_i_zoo_emit(b, "Transpose", name, 1, &input, output);
    gt_i_zoo_set_ints(b, node, "perm", rank, order);
}

/* A fresh node name and its output's. */
static void next_names(gt_i_zoo_builder *b, char name[GT_ZOO_NAME_BYTES],
                       char output[GT_ZOO_NAME_BYTES], const char *op)
{
    gt_i_zoo_node_name(b, name, op);
    gt_i_zoo_output_name(output, name);
}

gt_i_zoo_tensor gt_i_zoo_shuffle(gt_i_zoo_builder *b, gt_i_zoo_tensor x)
{
    char name[GT_ZOO_NAME_BYTES];
    char grouped[GT_ZOO_NAME_BYTES];
    char swapped[GT_ZOO_NAME_BYTES];
    char output[GT_ZOO_NAME_BYTES];
    if (b->status != GT_OK) {
        return x;
    }
    int64_t half = x.c / 2;
    next_names(b, name, grouped, "Reshape");
    reshape(b, name, x.name, grouped, 5, (const int64_t[]){1, 2, half, x.h, x.w});
    next_names(b, name, swapped, "Transpose");
    transpose(b, name, grouped, swapped, 5, (const int64_t[]){0, 2, 1, 3, 4});
    next_names(b, name, output, "Reshape");
    reshape(b, name, swapped, output, 4, (const int64_t[]){1, x.c, x.h, x.w});
    gt_i_zoo_tensor y = gt_i_zoo_new_tensor(b, output, 4, x.c, x.h, x.w);
    for (int64_t c = 0; b->status == GT_OK && c < x.c; c++) {
        y.moments.mean[c] = x.moments.mean[c % 2 * half + c / 2];
        y.moments.var[c] = x.moments.var[c % 2 * half + c / 2];
    }
    return y;
}

gt_i_zoo_tensor gt_i_zoo_rows(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t values)
{
    char name[GT_ZOO_NAME_BYTES];
    char last[GT_ZOO_NAME_BYTES];
    char output[GT_ZOO_NAME_BYTES];
    if (b->status != GT_OK) {
        return x;
    }
    next_names(b, name, last, "Transpose");
    transpose(b, name, x.name, last, 4, (const int64_t[]){0, 2, 3, 1});
    next_names(b, name, output, "Reshape");
    reshape(b, name, last, output, 3, (const int64_t[]){1, -1, values});
    return gt_i_zoo_new_tensor(b, output, 3, x.h * x.w * x.c / values, values, 1);
}

gt_i_zoo_tensor gt_i_zoo_upsample(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t factor)
{
    char name[GT_ZOO_NAME_BYTES];
    char output[GT_ZOO_NAME_BYTES];
    char scales[2 * GT_ZOO_NAME_BYTES];
    if (b->status != GT_OK) {
        return x;
    }
    next_names(b, name, output, "Resize");
    add_constant(b, scales, name, "scales", GT_ONNX_FLOAT, 4,
                 (const float[]){1, 1, (float)factor, (float)factor});
    gt_i_zoo_tensor y = gt_i_zoo_new_tensor(b, output, 4, x.c, x.h * factor, x.w * factor);
    gt_onnx_node *node =
        gt_i_zoo_emit(b, "Resize", name, 3, (const char *const[]){x.name, "", scales}, output);
    gt_i_zoo_set_string(b, node, "coordinate_transformation_mode", "asymmetric");
    gt_i_zoo_set_string(b, node, "mode", "nearest");
    gt_i_zoo_set_string(b, node, "nearest_mode", "floor");
    copy_moments(b, y, x, 1);
    return y;
}
