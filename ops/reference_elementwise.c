/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle's elementwise operators: unary, binary, scale, cast. */
#include "ops/reference_internal.h"

#include <math.h>
#include <string.h>

static gt_status unary_i64(const gt_workload *w, int64_t *y, const int64_t *x, int64_t count)
{
    switch ((gt_function)w->attrs.unary.function) {
    case GT_FN_NONE:
        memmove(y, x, (size_t)count * sizeof *y);
        return GT_OK;
    case GT_FN_NEG:
        for (int64_t i = 0; i < count; i++) {
            y[i] = (int64_t)(0 - (uint64_t)x[i]);
        }
        return GT_OK;
    case GT_FN_ABS:
        for (int64_t i = 0; i < count; i++) {
            y[i] = x[i] < 0 ? (int64_t)(0 - (uint64_t)x[i]) : x[i];
        }
        return GT_OK;
    case GT_FN_RELU:
        for (int64_t i = 0; i < count; i++) {
            y[i] = x[i] < 0 ? 0 : x[i];
        }
        return GT_OK;
    default:
        return gt_i_reference_dtype_error(w, GT_I64);
    }
}

gt_status gt_i_reference_unary(const gt_workload *w, void *out, const void *const *in)
{
    int64_t count = gt_shape_elems(&w->output.shape);
    if (w->inputs[0].dtype == GT_I64) {
        return unary_i64(w, out, in[0], count);
    }
    if (w->inputs[0].dtype != GT_F32) {
        return gt_i_reference_dtype_error(w, w->inputs[0].dtype);
    }
    gt_function f = (gt_function)w->attrs.unary.function;
    const float *x = in[0];
    float *y = out;
    for (int64_t i = 0; i < count; i++) {
        y[i] = (float)gt_reference_function(f, w->attrs.unary.alpha, w->attrs.unary.beta, x[i]);
    }
    return GT_OK;
}

/* numpy's minimum and maximum: a NaN on either side is the result. */
static double smaller(double a, double b)
{
    return a < b || isnan(a) ? a : b;
}

static double larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

static double binary_f32(gt_binary_function f, double a, double b)
{
    switch (f) {
    case GT_BINARY_ADD:
        return a + b;
    case GT_BINARY_SUB:
        return a - b;
    case GT_BINARY_MUL:
        return a * b;
    case GT_BINARY_DIV:
        return a / b;
    case GT_BINARY_MIN:
        return smaller(a, b);
    case GT_BINARY_MAX:
        return larger(a, b);
    case GT_BINARY_POW:
        return pow(a, b);
    case GT_BINARY_PRELU:
        return a < 0 ? a * b : a;
    }
    return NAN;
}

static int64_t wrapped(uint64_t bits)
{
    return (int64_t)bits;
}

/* Integer power, wrapping; a negative exponent gives the real result truncated toward zero (0^-n gives 0). */
static int64_t power_i64(int64_t base, int64_t exponent)
{
    if (exponent < 0) {
        return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
    }
    uint64_t result = 1;
    uint64_t square = (uint64_t)base;
    for (int64_t e = exponent; e > 0; e /= 2) {
        result *= e % 2 == 1 ? square : 1;
        square *= square;
    }
    return wrapped(result);
}

/* Division truncates toward zero as in C and ONNX Runtime; overflow wraps. `b` is not 0 for a division. */
static int64_t binary_i64(gt_binary_function f, int64_t a, int64_t b)
{
    switch (f) {
    case GT_BINARY_ADD:
        return wrapped((uint64_t)a + (uint64_t)b);
    case GT_BINARY_SUB:
        return wrapped((uint64_t)a - (uint64_t)b);
    case GT_BINARY_MUL:
        return wrapped((uint64_t)a * (uint64_t)b);
    case GT_BINARY_DIV:
        return b == -1 ? wrapped(0 - (uint64_t)a) : a / b;
    case GT_BINARY_MIN:
        return a < b ? a : b;
    case GT_BINARY_MAX:
        return a > b ? a : b;
    case GT_BINARY_POW:
        return power_i64(a, b);
    case GT_BINARY_PRELU:
        return a < 0 ? wrapped((uint64_t)a * (uint64_t)b) : a;
    }
    return 0;
}

static gt_status binary_element(const gt_workload *w, void *out, int64_t o, const void *a, int64_t i,
                                const void *b,
                                int64_t j)
{
    gt_binary_function f = (gt_binary_function)w->attrs.binary.function;
    if (w->inputs[0].dtype == GT_F32) {
        double r = binary_f32(f, ((const float *)a)[i], ((const float *)b)[j]);
        ((float *)out)[o] = (float)gt_i_reference_act(&w->epilogue, r);
        return GT_OK;
    }
    if (w->inputs[0].dtype == GT_I64) {
        int64_t divisor = ((const int64_t *)b)[j];
        if (f == GT_BINARY_DIV && divisor == 0) {
            return gt_fail(GT_ERROR_UNSUPPORTED, "binary: integer division by zero at element %lld",
                           (long long)o);
        }
        ((int64_t *)out)[o] = binary_i64(f, ((const int64_t *)a)[i], divisor);
        return GT_OK;
    }
    uint8_t p = ((const uint8_t *)a)[i];
    uint8_t q = ((const uint8_t *)b)[j];
    bool both = f == GT_BINARY_MUL || f == GT_BINARY_MIN;
    ((uint8_t *)out)[o] = both ? (p && q) : (p || q);
    return GT_OK;
}

/* Truth values know and (mul, min) and or (add, max) only. */
static bool binary_has(const gt_workload *w)
{
    int64_t f = w->attrs.binary.function;
    bool logical = f == GT_BINARY_ADD || f == GT_BINARY_MAX || f == GT_BINARY_MUL || f == GT_BINARY_MIN;
    bool same = w->inputs[0].dtype == w->inputs[1].dtype && w->output.dtype == w->inputs[0].dtype;
    bool plain = w->inputs[0].dtype == GT_F32 || w->epilogue.act == GT_FN_NONE;
    return same && plain && (w->inputs[0].dtype != GT_BOOL || logical);
}

/* Strides of an operand along the output's axes: 0 where it is broadcast. */
static void broadcast_strides(int64_t stride[GT_MAX_RANK], const gt_shape *shape, const gt_shape *out)
{
    int64_t own[GT_MAX_RANK] = {0};
    gt_i_reference_strides(own, shape);
    int shift = out->rank - shape->rank;
    for (int d = 0; d < out->rank; d++) {
        stride[d] = d < shift || shape->dim[d - shift] == 1 ? 0 : own[d - shift];
    }
}

gt_status gt_i_reference_binary(const gt_workload *w, void *out, const void *const *in)
{
    const gt_shape *shape = &w->output.shape;
    int64_t sa[GT_MAX_RANK] = {0};
    int64_t sb[GT_MAX_RANK] = {0};
    int64_t index[GT_MAX_RANK] = {0};
    if (!binary_has(w)) {
        return gt_i_reference_dtype_error(w, w->inputs[0].dtype);
    }
    broadcast_strides(sa, &w->inputs[0].shape, shape);
    broadcast_strides(sb, &w->inputs[1].shape, shape);
    int64_t count = gt_shape_elems(shape);
    for (int64_t o = 0; o < count; o++) {
        int64_t i = 0;
        int64_t j = 0;
        for (int d = 0; d < shape->rank; d++) {
            i += index[d] * sa[d];
            j += index[d] * sb[d];
        }
        gt_status status = binary_element(w, out, o, in[0], i, in[1], j);
        if (status != GT_OK) {
            return status;
        }
        gt_i_reference_next(index, shape);
    }
    return GT_OK;
}

gt_status gt_i_reference_scale(const gt_workload *w, void *out, const void *const *in)
{
    const gt_shape *shape = &w->output.shape;
    const float *x = in[0];
    const float *scale = in[1];
    const float *shift = in[2];
    float *y = out;
    int64_t inner = 1;
    for (int d = 2; d < shape->rank; d++) {
        inner *= shape->dim[d];
    }
    int64_t count = gt_shape_elems(shape);
    for (int64_t i = 0; i < count; i++) {
        int64_t c = i / inner % shape->dim[1];
        y[i] = (float)gt_i_reference_act(&w->epilogue, (double)x[i] * scale[c] + shift[c]);
    }
    return GT_OK;
}

/* Toward zero; what does not fit gives the nearest end of the range, NaN gives 0. */
static int64_t to_i64(float x)
{
    if (isnan(x)) {
        return 0;
    }
    return x >= 0x1p63f ? INT64_MAX : x < -0x1p63f ? INT64_MIN : (int64_t)x;
}

static void cast_f32(void *out, gt_dtype dtype, int64_t i, float x)
{
    switch (dtype) {
    case GT_I64:
        ((int64_t *)out)[i] = to_i64(x);
        break;
    case GT_BOOL:
        ((uint8_t *)out)[i] = x != 0;
        break;
    default:
        ((float *)out)[i] = x;
        break;
    }
}

static void cast_i64(void *out, gt_dtype dtype, int64_t i, int64_t x)
{
    switch (dtype) {
    case GT_I64:
        ((int64_t *)out)[i] = x;
        break;
    case GT_BOOL:
        ((uint8_t *)out)[i] = x != 0;
        break;
    default:
        ((float *)out)[i] = (float)x;
        break;
    }
}

gt_status gt_i_reference_cast(const gt_workload *w, void *out, const void *const *in)
{
    int64_t count = gt_shape_elems(&w->output.shape);
    gt_dtype from = w->inputs[0].dtype;
    gt_dtype to = w->output.dtype;
    for (int64_t i = 0; i < count; i++) {
        if (from == GT_F32) {
            cast_f32(out, to, i, ((const float *)in[0])[i]);
        } else if (from == GT_I64) {
            cast_i64(out, to, i, ((const int64_t *)in[0])[i]);
        } else {
            cast_i64(out, to, i, ((const uint8_t *)in[0])[i] != 0);
        }
    }
    return GT_OK;
}
