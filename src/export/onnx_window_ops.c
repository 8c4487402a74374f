/* SPDX-License-Identifier: Apache-2.0 */
/* Ops with weights or windows. */
#include "src/export/onnx_emit.h"

#include <math.h>
#include <string.h>

static const gt_shape *shape_of(const gt_i_emit *e, int input)
{
    return &e->op->workload->inputs[input].shape;
}

/* The sum with the residual and the activation behind it, in the epilogue's order. */
static void emit_epilogue(gt_i_emit *e, const char *y)
{
    const gt_epilogue *p = &e->op->epilogue;
    const gt_shape *shape = &e->op->workload->output.shape;
    if (p->residual == GT_RESIDUAL_BEFORE) {
        y = GT_I_EMIT(e, "Add", "add", shape, y, gt_i_emit_input(e, 3));
    }
    if (p->act != GT_FN_NONE) {
        gt_i_emit_function(e, gt_function_name(p->act), p->act, p->alpha, p->beta, y);
        y = e->result;
    }
    if (p->residual == GT_RESIDUAL_AFTER) {
        GT_I_EMIT(e, "Add", "add", shape, y, gt_i_emit_input(e, 3));
    }
}

static const char *emit_convolution(gt_i_emit *e, const char *type)
{
    const gt_attrs *a = &e->op->attrs;
    bool bias = e->op->inputs[2] != GT_NO_TENSOR;
    const char *inputs[] = {gt_i_emit_input(e, 0), gt_i_emit_input(e, 1), gt_i_emit_input(e, 2)};
    const char *y = gt_i_emit_node(e, type, NULL, &e->op->workload->output.shape, bias ? 3 : 2, inputs);
    gt_i_emit_list(e, "kernel_shape", 2, &shape_of(e, 1)->dim[2]);
    gt_i_emit_list(e, "strides", 2, a->conv.stride);
    gt_i_emit_list(e, "pads", 4, a->conv.pad);
    gt_i_emit_list(e, "dilations", 2, a->conv.dilation);
    gt_i_emit_int(e, "group", a->conv.groups);
    return y;
}

void gt_i_emit_conv(gt_i_emit *e)
{
    emit_epilogue(e, emit_convolution(e, "Conv"));
}

void gt_i_emit_conv_transpose(gt_i_emit *e)
{
    const gt_attrs *a = &e->op->attrs;
    const char *y = emit_convolution(e, "ConvTranspose");
    int64_t extra[2];
    for (int i = 0; i < 2; i++) {
        int64_t covered = (shape_of(e, 0)->dim[2 + i] - 1) * a->conv.stride[i] +
                          a->conv.dilation[i] * (shape_of(e, 1)->dim[2 + i] - 1) + 1 - a->conv.pad[i] - a->conv.pad[2 + i];
        extra[i] = e->op->workload->output.shape.dim[2 + i] - covered;
    }
    if (extra[0] != 0 || extra[1] != 0) {
        gt_i_emit_list(e, "output_padding", 2, extra);
    }
    emit_epilogue(e, y);
}

/* Rows of a tensor of rank 3 or more: Gemm takes only matrices. */
static const char *emit_rows(gt_i_emit *e, const char *x)
{
    const gt_shape *out = &e->op->workload->output.shape;
    const char *y = GT_I_EMIT(e, "MatMul", NULL, out, x, gt_i_emit_transposed(e, e->op->inputs[1]));
    return e->op->inputs[2] == GT_NO_TENSOR ? y : GT_I_EMIT(e, "Add", "bias", out, y, gt_i_emit_input(e, 2));
}

void gt_i_emit_dense(gt_i_emit *e)
{
    const gt_op *op = e->op;
    const gt_shape *x_shape = shape_of(e, 0);
    const char *x = gt_i_emit_input(e, 0);
    const gt_shape flat = gt_shape_of(2, (int64_t[]){x_shape->dim[0], shape_of(e, 1)->dim[1]});
    if (x_shape->rank > 2 && op->attrs.dense.rows) {
        emit_epilogue(e, emit_rows(e, x));
        return;
    }
    if (x_shape->rank > 2) {
        x = GT_I_EMIT(e, "Flatten", "flatten", &flat, x);
        gt_i_emit_int(e, "axis", 1);
    }
    const char *inputs[] = {x, gt_i_emit_input(e, 1), gt_i_emit_input(e, 2)};
    size_t n = op->inputs[2] != GT_NO_TENSOR ? 3 : 2;
    const char *y = gt_i_emit_node(e, "Gemm", NULL, &op->workload->output.shape, n, inputs);
    gt_i_emit_int(e, "transB", 1);
    emit_epilogue(e, y);
}

void gt_i_emit_matmul(gt_i_emit *e)
{
    GT_I_EMIT(e, "MatMul", NULL, &e->op->workload->output.shape, gt_i_emit_input(e, 0), gt_i_emit_input(e, 1));
}

/* ---- pooling ---- */

/* How ONNX is told the size of a pooled axis. */
struct pooled_axis {
    int64_t size, out, before, after, stride, extent;
};

static struct pooled_axis pooled_axis(const gt_op *op, int i)
{
    const gt_attrs *a = &op->attrs;
    return (struct pooled_axis){.size = op->workload->inputs[0].shape.dim[2 + i], .out = op->workload->output.shape.dim[2 + i],
                                .before = a->pool.pad[i], .after = a->pool.pad[2 + i], .stride = a->pool.stride[i],
                                .extent = a->pool.dilation[i] * (a->pool.kernel[i] - 1) + 1};
}

static bool rounds_down(const struct pooled_axis *p)
{
    int64_t room = p->size + p->before + p->after - p->extent;
    return room >= 0 && room / p->stride + 1 == p->out;
}

/* Whether rounding up gives the size, and whether or not a runtime leaves out windows that start in the trailing pad. */
static bool rounds_up(const struct pooled_axis *p)
{
    int64_t room = p->size + p->before + p->after - p->extent;
    bool inside = p->out == 1 || (p->out - 1) * p->stride < p->size + p->before;
    return room > -p->stride && (room + p->stride - 1) / p->stride + 1 == p->out && inside;
}

/* Sets ceil_mode, or the trailing pads where one mode does not suit both axes: windows that rounding would add are cut off by
 * a smaller pad, which changes nothing in the others. False: no pad does. */
static bool fit_pool(bool *ceil_mode, int64_t pads[4], const gt_op *op)
{
    struct pooled_axis axis[2] = {pooled_axis(op, 0), pooled_axis(op, 1)};
    *ceil_mode = !rounds_down(&axis[0]) || !rounds_down(&axis[1]);
    for (int i = 0; i < 2; i++) {
        struct pooled_axis *p = &axis[i];
        if (*ceil_mode && !rounds_up(p)) {
            p->after = (p->out - 1) * p->stride + p->extent - p->size - p->before;
            if (p->after < 0 || p->after > op->attrs.pool.pad[2 + i] || !rounds_up(p)) {
                return false;
            }
        }
        pads[i] = p->before;
        pads[2 + i] = p->after;
    }
    return true;
}

void gt_i_emit_pool(gt_i_emit *e)
{
    const gt_attrs *a = &e->op->attrs;
    bool max = a->pool.mode == GT_POOL_MAX;
    bool dilated = a->pool.dilation[0] != 1 || a->pool.dilation[1] != 1;
    bool ceil_mode = false;
    int64_t pads[4];
    /* AveragePool has dilations since opset 19 only. */
    if (!fit_pool(&ceil_mode, pads, e->op) || (dilated && !max)) {
        gt_i_emit_own(e);
        return;
    }
    GT_I_EMIT(e, max ? "MaxPool" : "AveragePool", NULL, &e->op->workload->output.shape, gt_i_emit_input(e, 0));
    gt_i_emit_list(e, "kernel_shape", 2, a->pool.kernel);
    gt_i_emit_list(e, "strides", 2, a->pool.stride);
    gt_i_emit_list(e, "pads", 4, pads);
    if (dilated) {
        gt_i_emit_list(e, "dilations", 2, a->pool.dilation);
    }
    if (ceil_mode) {
        gt_i_emit_int(e, "ceil_mode", 1);
    }
    if (!max) {
        gt_i_emit_int(e, "count_include_pad", a->pool.count_pad);
    }
}

/* ---- resizing ---- */

/* ONNX takes scales, which give the sizes, or sizes, which give the scales. */
static bool scales_give_sizes(const gt_op *op)
{
    bool same = true;
    for (int i = 0; i < 2; i++) {
        float size = floorf(op->attrs.resize.scale[i] * (float)op->workload->inputs[0].shape.dim[2 + i]);
        same = same && size == (float)op->workload->output.shape.dim[2 + i];
    }
    return same;
}

static bool sizes_give_scales(const gt_op *op)
{
    bool same = true;
    for (int i = 0; i < 2; i++) {
        float scale = (float)op->workload->output.shape.dim[2 + i] / (float)op->workload->inputs[0].shape.dim[2 + i];
        same = same && scale == op->attrs.resize.scale[i];
    }
    return same;
}

void gt_i_emit_resize(gt_i_emit *e)
{
    const gt_op *op = e->op;
    const gt_attrs *a = &op->attrs;
    const gt_shape *out = &op->workload->output.shape;
    const float scales[] = {1, 1, a->resize.scale[0], a->resize.scale[1]};
    if (scales_give_sizes(op)) {
        GT_I_EMIT(e, "Resize", NULL, out, gt_i_emit_input(e, 0), "", gt_i_emit_floats(e, "scales", 4, scales));
    } else if (sizes_give_scales(op)) {
        GT_I_EMIT(e, "Resize", NULL, out, gt_i_emit_input(e, 0), "", "", gt_i_emit_ints(e, "sizes", 4, out->dim));
    } else {
        gt_i_emit_own(e);
        return;
    }
    gt_i_emit_string(e, "mode", gt_attr_enum_name(GT_ATTR_RESIZE_MODE, a->resize.mode));
    gt_i_emit_string(e, "coordinate_transformation_mode", gt_attr_enum_name(GT_ATTR_RESIZE_COORD, a->resize.coord));
    if (a->resize.mode == GT_RESIZE_NEAREST) {
        gt_i_emit_string(e, "nearest_mode", gt_attr_enum_name(GT_ATTR_RESIZE_NEAREST, a->resize.nearest));
    }
}
