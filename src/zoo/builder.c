/* SPDX-License-Identifier: Apache-2.0 */
/* The builder's core: life, names, nodes, windows. */
#include "src/zoo/builder.h"

#include <stdio.h>
#include <string.h>

#define OPSET 13

gt_status gt_i_zoo_builder_create(gt_i_zoo_builder **builder, const char *name, double width,
                                  uint64_t seed)
{
    gt_status status = GT_OK;
    gt_i_zoo_builder *b = NULL;
    GT_TRY(gt_calloc(&b, 1, sizeof *b));
    b->width = width;
    b->seed = seed;
    GT_TRY(gt_onnx_model_create(&b->model, name, OPSET));
    *builder = b;
    b = NULL;
done:
    gt_i_zoo_builder_destroy(b);
    return status;
}

void gt_i_zoo_builder_destroy(gt_i_zoo_builder *builder)
{
    if (builder == NULL) {
        return;
    }
    for (size_t i = 0; i < builder->n_blocks; i++) {
        gt_free(builder->blocks[i]);
    }
    gt_free(builder->blocks);
    gt_onnx_model_destroy(builder->model);
    gt_free(builder);
}

void gt_i_zoo_scope(gt_i_zoo_builder *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(b->scope, sizeof b->scope, format, args);
    va_end(args);
}

int64_t gt_i_zoo_round(double wanted, int64_t divisor)
{
    int64_t rounded = (int64_t)(wanted + (double)divisor / 2) / divisor * divisor;
    rounded = rounded < divisor ? divisor : rounded;
    return (double)rounded < 0.9 * wanted ? rounded + divisor : rounded;
}

int64_t gt_i_zoo_channels(const gt_i_zoo_builder *b, int64_t c, int64_t divisor)
{
    return b->width == 1.0 ? c : gt_i_zoo_round((double)c * b->width, divisor);
}

/* ---- tensors ---- */

/* Records the shape in the model (value_info) and gives the tensor room for its moments; rank-3
 * tensors are a detector's result and have none. */
static gt_status set_up_tensor(gt_i_zoo_builder *b, gt_i_zoo_tensor *t)
{
    gt_status status = GT_OK;
    const int64_t dims[4] = {1, t->c, t->h, t->w};
    double *moments = NULL;
    GT_TRY(gt_onnx_add_value(b->model, t->name, t->rank, dims));
    if (t->rank != 3) {
        GT_TRY(gt_calloc(&moments, 2 * (size_t)t->c, sizeof *moments));
        t->moments.mean = moments;
        t->moments.var = moments + t->c;
        GT_PUSH(b->blocks, b->n_blocks, b->blocks_capacity, moments);
        moments = NULL;
    }
done:
    gt_free(moments);
    return status;
}

gt_i_zoo_tensor gt_i_zoo_new_tensor(gt_i_zoo_builder *b, const char *name, int rank, int64_t c,
                                    int64_t h, int64_t w)
{
    gt_i_zoo_tensor t = {.rank = rank, .c = c, .h = h, .w = w};
    snprintf(t.name, sizeof t.name, "%s", name);
    if (b->status == GT_OK) {
        b->status = set_up_tensor(b, &t);
    }
    return t;
}

gt_i_zoo_tensor gt_i_zoo_input(gt_i_zoo_builder *b, int64_t channels, int64_t resolution)
{
    const int64_t dims[4] = {1, channels, resolution, resolution};
    gt_i_zoo_tensor x = gt_i_zoo_new_tensor(b, "input", 4, channels, resolution, resolution);
    if (b->status != GT_OK) {
        return x;
    }
    /* The first value_info is the input's own, which a graph states as an input instead. */
    gt_free(b->model->values[0].name);
    b->model->n_values = 0;
    for (int64_t c = 0; c < channels; c++) {
        x.moments.var[c] = 1;
    }
    b->status = gt_onnx_add_input(b->model, x.name, 4, dims);
    return x;
}

static void drop_value(gt_onnx_model *model, const char *name)
{
    for (size_t i = 0; i < model->n_values; i++) {
        if (strcmp(model->values[i].name, name) == 0) {
            gt_free(model->values[i].name);
            model->n_values--;
            memmove(&model->values[i], &model->values[i + 1],
                    (model->n_values - i) * sizeof *model->values);
            return;
        }
    }
}

static gt_status rename_result(gt_onnx_model *model, const char *from, const char *to)
{
    for (size_t i = model->n_nodes; i-- > 0;) {
        char **output = &model->nodes[i].outputs[0];
        if (strcmp(*output, from) == 0) {
            gt_free(*output);
            *output = NULL;
            return gt_strdup(output, to);
        }
    }
    return gt_fail(GT_ERROR_INTERNAL, "no node computes '%s'", from);
}

void gt_i_zoo_output(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name)
{
    const int64_t dims[4] = {1, x.c, x.h, x.w};
    if (b->status == GT_OK) {
        drop_value(b->model, x.name);
        b->status = rename_result(b->model, x.name, name);
    }
    if (b->status == GT_OK) {
        b->status = gt_onnx_add_output(b->model, name, x.rank, dims);
    }
}

/* ---- nodes ---- */

void gt_i_zoo_node_name(const gt_i_zoo_builder *b, char name[GT_ZOO_NAME_BYTES], const char *op)
{
    snprintf(name, GT_ZOO_NAME_BYTES, "%s_%zu", op, b->model->n_nodes);
}

void gt_i_zoo_output_name(char name[GT_ZOO_NAME_BYTES], const char *node)
{
    snprintf(name, GT_ZOO_NAME_BYTES, "%s_out", node);
}

gt_onnx_node *gt_i_zoo_emit(gt_i_zoo_builder *b, const char *op, const char *name, size_t n_inputs,
                            const char *const *inputs, const char *output)
{
    gt_onnx_node *node = NULL;
    if (b->status == GT_OK) {
        b->status = gt_onnx_add_node(b->model, &node, op, name, n_inputs, inputs, 1, &output);
    }
    return node;
}

void gt_i_zoo_set_int(gt_i_zoo_builder *b, gt_onnx_node *node, const char *name, int64_t value)
{
    if (b->status == GT_OK) {
        b->status = gt_onnx_set_int(node, name, value);
    }
}

void gt_i_zoo_set_float(gt_i_zoo_builder *b, gt_onnx_node *node, const char *name, float value)
{
    if (b->status == GT_OK) {
        b->status = gt_onnx_set_float(node, name, value);
    }
}

void gt_i_zoo_set_ints(gt_i_zoo_builder *b, gt_onnx_node *node, const char *name, size_t count,
                       const int64_t *values)
{
    if (b->status == GT_OK) {
        b->status = gt_onnx_set_ints(node, name, count, values);
    }
}

void gt_i_zoo_set_string(gt_i_zoo_builder *b, gt_onnx_node *node, const char *name,
                         const char *value)
{
    if (b->status == GT_OK) {
        b->status = gt_onnx_set_string(node, name, value);
    }
}

/* ---- windows ---- */

gt_i_zoo_window gt_i_zoo_square(int64_t kernel, int64_t stride, gt_i_zoo_padding padding)
{
    return (gt_i_zoo_window){
        .kernel_h = kernel, .kernel_w = kernel, .stride = stride, .padding = padding};
}

/* One axis: the padding before and after, and the output size. */
static int64_t place_axis(int64_t *before, int64_t *after, int64_t size, int64_t kernel,
                          const gt_i_zoo_window *window)
{
    int64_t stride = window->stride;
    if (window->padding == GT_ZOO_PAD_SAME) {
        int64_t out = (size + stride - 1) / stride;
        int64_t total = (out - 1) * stride + kernel - size;
        total = total > 0 ? total : 0;
        *before = total / 2;
        *after = total - total / 2;
        return out;
    }
    int64_t pad = window->padding == GT_ZOO_PAD_HALF ? kernel / 2 : 0;
    int64_t room = size + 2 * pad - kernel;
    *before = pad;
    *after = pad;
    if (room < 0) {
        return 0;
    }
    int64_t out = (room + (window->ceil ? stride - 1 : 0)) / stride + 1;
    /* Rounded up, the last window must still begin inside the input or its leading padding. */
    return window->ceil && (out - 1) * stride >= size + pad ? out - 1 : out;
}

gt_i_zoo_extent gt_i_zoo_place(gt_i_zoo_builder *b, gt_i_zoo_tensor x, gt_i_zoo_window window)
{
    gt_i_zoo_extent extent = {0};
    extent.out_h = place_axis(&extent.pads[0], &extent.pads[2], x.h, window.kernel_h, &window);
    extent.out_w = place_axis(&extent.pads[1], &extent.pads[3], x.w, window.kernel_w, &window);
    if (b->status == GT_OK && (extent.out_h < 1 || extent.out_w < 1)) {
        b->status = gt_fail(GT_ERROR_ARGUMENT,
                            "%s: the resolution is too small: a %lldx%lld window does not "
                            "fit the %lldx%lld tensor '%s'",
                            b->model->graph_name, (long long)window.kernel_h,
                            (long long)window.kernel_w, (long long)x.h, (long long)x.w, x.name);
    }
    return extent;
}

void gt_i_zoo_set_window(gt_i_zoo_builder *b, gt_onnx_node *node, gt_i_zoo_window window,
                         const gt_i_zoo_extent *extent)
{
    gt_i_zoo_set_ints(b, node, "kernel_shape", 2,
                      (const int64_t[]){window.kernel_h, window.kernel_w});
    gt_i_zoo_set_ints(b, node, "pads", 4, extent->pads);
    gt_i_zoo_set_ints(b, node, "strides", 2, (const int64_t[]){window.stride, window.stride});
}
