/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise ops, and those that work along an axis. */
#include "src/export/onnx_emit.h"

#include <math.h>
#include <string.h>

/* ONNX's operator for a function of one argument; NULL: it takes more than that. */
static const char *function_operator(gt_function function)
{
    switch (function) {
    case GT_FN_RELU: return "Relu";
    case GT_FN_LEAKY_RELU: return "LeakyRelu";
    case GT_FN_ELU: return "Elu";
    case GT_FN_SIGMOID: return "Sigmoid";
    case GT_FN_HARD_SIGMOID: return "HardSigmoid";
    case GT_FN_TANH: return "Tanh";
    case GT_FN_SOFTPLUS: return "Softplus";
    case GT_FN_EXP: return "Exp";
    case GT_FN_LOG: return "Log";
    case GT_FN_SQRT: return "Sqrt";
    case GT_FN_RECIPROCAL: return "Reciprocal";
    case GT_FN_ABS: return "Abs";
    case GT_FN_NEG: return "Neg";
    case GT_FN_FLOOR: return "Floor";
    case GT_FN_CEIL: return "Ceil";
    case GT_FN_ERF: return "Erf";
    default: return NULL;
    }
}

/* A bound that bounds nothing is left out. */
static void emit_clip(gt_i_emit *e, const char *part, float low, float high, const char *x, const gt_shape *shape)
{
    bool has_low = low > -INFINITY;
    bool has_high = high < INFINITY;
    const char *inputs[] = {x, has_low ? gt_i_emit_scalar(e, "min", low) : "", has_high ? gt_i_emit_scalar(e, "max", high) : ""};
    gt_i_emit_node(e, "Clip", part, shape, has_high ? 3 : has_low ? 2 : 1, inputs);
}

/* x times a gate that depends on x alone. */
static void emit_gated(gt_i_emit *e, const char *part, gt_function function, float alpha, float beta, const char *x,
                       const gt_shape *shape)
{
    const char *gate = x;
    if (function == GT_FN_MISH) {
        gate = GT_I_EMIT(e, "Softplus", "softplus", shape, gate);
        gate = GT_I_EMIT(e, "Tanh", "tanh", shape, gate);
    } else {
        bool hard = function == GT_FN_HARD_SWISH;
        gate = GT_I_EMIT(e, hard ? "HardSigmoid" : "Sigmoid", "gate", shape, gate);
        if (hard) {
            gt_i_emit_float(e, "alpha", alpha);
            gt_i_emit_float(e, "beta", beta);
        }
    }
    GT_I_EMIT(e, "Mul", part, shape, x, gate);
}

void gt_i_emit_function(gt_i_emit *e, const char *part, gt_function function, float alpha, float beta, const char *x)
{
    const gt_shape *shape = &e->op->workload->output.shape;
    const char *type = function_operator(function);
    if (function == GT_FN_CLIP) {
        emit_clip(e, part, alpha, beta, x, shape);
    } else if (type == NULL) {
        emit_gated(e, part, function, alpha, beta, x, shape);
    } else {
        GT_I_EMIT(e, type, part, shape, x);
        if (gt_function_params(function) > 0) {
            gt_i_emit_float(e, "alpha", alpha);
        }
        if (gt_function_params(function) > 1) {
            gt_i_emit_float(e, "beta", beta);
        }
    }
}

static void emit_activation(gt_i_emit *e, const char *y)
{
    const gt_epilogue *p = &e->op->epilogue;
    if (p->act != GT_FN_NONE) {
        gt_i_emit_function(e, gt_function_name(p->act), p->act, p->alpha, p->beta, y);
    }
}

void gt_i_emit_unary(gt_i_emit *e)
{
    const gt_attrs *a = &e->op->attrs;
    gt_i_emit_function(e, NULL, (gt_function)a->unary.function, a->unary.alpha, a->unary.beta, gt_i_emit_input(e, 0));
}

void gt_i_emit_binary(gt_i_emit *e)
{
    static const char *const types[] = {[GT_BINARY_ADD] = "Add", [GT_BINARY_SUB] = "Sub", [GT_BINARY_MUL] = "Mul",
                                        [GT_BINARY_DIV] = "Div", [GT_BINARY_MIN] = "Min", [GT_BINARY_MAX] = "Max",
                                        [GT_BINARY_POW] = "Pow", [GT_BINARY_PRELU] = "PRelu"};
    emit_activation(e, GT_I_EMIT(e, types[e->op->attrs.binary.function], NULL, &e->op->workload->output.shape,
                                 gt_i_emit_input(e, 0), gt_i_emit_input(e, 1)));
}

void gt_i_emit_scale(gt_i_emit *e)
{
    const gt_shape *out = &e->op->workload->output.shape;
    gt_shape channels = {.rank = out->rank - 1, .dim = {out->dim[1]}};
    for (int i = 1; i < channels.rank; i++) {
        channels.dim[i] = 1;
    }
    const char *y = GT_I_EMIT(e, "Mul", NULL, out, gt_i_emit_input(e, 0), gt_i_emit_weight(e, e->op->inputs[1], &channels));
    emit_activation(e, GT_I_EMIT(e, "Add", "shift", out, y, gt_i_emit_weight(e, e->op->inputs[2], &channels)));
}

/* ---- along axes ---- */

static bool is_global(const gt_op *op)
{
    const gt_int_list *axes = &op->attrs.reduce.axes;
    return op->workload->inputs[0].shape.rank == 4 && op->attrs.reduce.keepdims && axes->count == 2 && axes->values[0] == 2 &&
           axes->values[1] == 3;
}

void gt_i_emit_reduce(gt_i_emit *e)
{
    static const char *const types[] = {[GT_REDUCE_MEAN] = "ReduceMean", [GT_REDUCE_SUM] = "ReduceSum",
                                        [GT_REDUCE_MAX] = "ReduceMax"};
    const gt_attrs *a = &e->op->attrs;
    const gt_shape *out = &e->op->workload->output.shape;
    const char *x = gt_i_emit_input(e, 0);
    if (is_global(e->op) && a->reduce.mode != GT_REDUCE_SUM) {
        GT_I_EMIT(e, a->reduce.mode == GT_REDUCE_MEAN ? "GlobalAveragePool" : "GlobalMaxPool", NULL, out, x);
        return;
    }
    /* Of the three, opset 13 has the axes as an input of the sum alone. */
    if (a->reduce.mode == GT_REDUCE_SUM) {
        GT_I_EMIT(e, types[a->reduce.mode], NULL, out, x,
                  gt_i_emit_ints(e, "axes", a->reduce.axes.count, a->reduce.axes.values));
    } else {
        GT_I_EMIT(e, types[a->reduce.mode], NULL, out, x);
        gt_i_emit_list(e, "axes", a->reduce.axes.count, a->reduce.axes.values);
    }
    gt_i_emit_int(e, "keepdims", a->reduce.keepdims);
}

void gt_i_emit_softmax(gt_i_emit *e)
{
    const gt_attrs *a = &e->op->attrs;
    GT_I_EMIT(e, a->softmax.log ? "LogSoftmax" : "Softmax", NULL, &e->op->workload->output.shape, gt_i_emit_input(e, 0));
    gt_i_emit_int(e, "axis", a->softmax.axis);
}

void gt_i_emit_lrn(gt_i_emit *e)
{
    const gt_attrs *a = &e->op->attrs;
    GT_I_EMIT(e, "LRN", NULL, &e->op->workload->output.shape, gt_i_emit_input(e, 0));
    gt_i_emit_int(e, "size", a->lrn.size);
    gt_i_emit_float(e, "alpha", a->lrn.alpha);
    gt_i_emit_float(e, "beta", a->lrn.beta);
    gt_i_emit_float(e, "bias", a->lrn.bias);
}

void gt_i_emit_argmax(gt_i_emit *e)
{
    const gt_attrs *a = &e->op->attrs;
    GT_I_EMIT(e, "ArgMax", NULL, &e->op->workload->output.shape, gt_i_emit_input(e, 0));
    gt_i_emit_int(e, "axis", a->argmax.axis);
    gt_i_emit_int(e, "keepdims", a->argmax.keepdims);
    gt_i_emit_int(e, "select_last_index", a->argmax.last);
}

void gt_i_emit_cast(gt_i_emit *e)
{
    const gt_operand *out = &e->op->workload->output;
    GT_I_EMIT(e, "Cast", NULL, &out->shape, gt_i_emit_input(e, 0));
    gt_i_emit_int(e, "to", out->dtype == GT_F32 ? GT_ONNX_FLOAT : out->dtype == GT_I64 ? GT_ONNX_INT64 : GT_ONNX_BOOL);
}

void gt_i_emit_copy(gt_i_emit *e)
{
    GT_I_EMIT(e, "Identity", NULL, &e->op->workload->output.shape, gt_i_emit_input(e, 0));
}
