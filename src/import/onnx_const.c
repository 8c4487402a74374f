/* SPDX-License-Identifier: Apache-2.0 */
/* Constants: taking them from the file, limits on making more, and evaluating ops on them. */
#include "src/import/onnx_context.h"

#include "ops/reference.h"

#include <math.h>
#include <string.h>

/* ---- making constants ---- */

gt_status gt_i_onnx_count_work(gt_i_onnx *c, int64_t elements)
{
    return gt_i_fold_take_work(&c->folded, elements);
}

gt_status gt_i_onnx_alloc(void *out, gt_i_onnx *c, gt_dtype dtype, const gt_shape *shape)
{
    gt_status status = GT_OK;
    void *data = NULL;
    GT_TRY(gt_i_fold_take_memory(&c->folded, dtype, shape));
    GT_TRY(gt_calloc(&data, (size_t)gt_shape_elems(shape), gt_dtype_bytes(dtype)));
    memcpy(out, &data, sizeof data);
done:
    return status;
}

gt_status gt_i_onnx_add_const(gt_i_value **out, gt_i_onnx *c, const char *name, gt_dtype dtype,
                              const gt_shape *shape, void *data)
{
    gt_status status = GT_OK;
    gt_text made_up = {0};
    gt_i_value *value = NULL;
    if (name == NULL) {
        GT_TRY(gt_text_append(&made_up, "%s/const", c->node_names[c->node_index]));
        name = made_up.data;
    }
    GT_TRY(gt_calloc(&value, 1, sizeof *value));
    GT_TRY(gt_strdup(&value->name, name));
    value->dtype = dtype;
    value->shape = *shape;
    value->tensor = GT_NO_TENSOR;
    GT_PUSH(c->values, c->n_values, c->values_capacity, value);
    value->data = data;
    *out = value;
    value = NULL;
done:
    gt_text_destroy(&made_up);
    if (value != NULL) {
        gt_free(value->name);
        gt_free(value);
    }
    return status;
}

double gt_i_onnx_get_f64(const gt_i_value *value, int64_t k)
{
    switch (value->dtype) {
    case GT_F32:
        return (double)((const float *)value->data)[k];
    case GT_I64:
        return (double)((const int64_t *)value->data)[k];
    default:
        return ((const uint8_t *)value->data)[k];
    }
}

int64_t gt_i_onnx_get_i64(const gt_i_value *value, int64_t k)
{
    switch (value->dtype) {
    case GT_F32: {
        double x = (double)((const float *)value->data)[k];
        return isnan(x) ? 0 : x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : (int64_t)x;
    }
    case GT_I64:
        return ((const int64_t *)value->data)[k];
    default:
        return ((const uint8_t *)value->data)[k];
    }
}

/* ---- literals of the file ---- */

gt_status gt_i_onnx_dtype(gt_dtype *out, gt_onnx_type type)
{
    switch (type) {
    case GT_ONNX_FLOAT:
    case GT_ONNX_FLOAT16:
    case GT_ONNX_BFLOAT16:
    case GT_ONNX_DOUBLE:
        *out = GT_F32;
        return GT_OK;
    case GT_ONNX_INT8:
    case GT_ONNX_INT16:
    case GT_ONNX_INT32:
    case GT_ONNX_INT64:
    case GT_ONNX_UINT8:
    case GT_ONNX_UINT16:
    case GT_ONNX_UINT32:
    case GT_ONNX_UINT64:
        *out = GT_I64;
        return GT_OK;
    case GT_ONNX_BOOL:
        *out = GT_BOOL;
        return GT_OK;
    default:
        return gt_fail(GT_ERROR_UNSUPPORTED, "element type %s (floats, integers and bool are handled)",
                       gt_onnx_type_name(type));
    }
}

/* IEEE 754 binary16 to binary32. */
static float from_half(uint16_t half)
{
    uint32_t exponent = half >> 10 & 0x1f;
    uint32_t mantissa = half & 0x3ff;
    float value = 0;
    if (exponent == 0x1f) {
        value = mantissa != 0 ? NAN : INFINITY;
    } else {
        value = exponent == 0 ? ldexpf((float)mantissa, -24)
                              : ldexpf((float)(mantissa | 0x400), (int)exponent - 25);
    }
    return (half & 0x8000) != 0 ? -value : value;
}

static float from_bfloat(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* CONVERT(from, to, expression of the element x) over n elements; memcpy because file data is not aligned. */
#define CONVERT(from, to, expression)                                     \
    for (int64_t i = 0; i < n; i++) {                                     \
        from x;                                                           \
        memcpy(&x, (const char *)in + (size_t)i * sizeof x, sizeof x);    \
        ((to *)out)[i] = (to)(expression);                                \
    }                                                                     \
    break

static void convert(void *out, const void *in, gt_onnx_type type, int64_t n)
{
    switch (type) {
    case GT_ONNX_FLOAT16:
        CONVERT(uint16_t, float, from_half(x));
    case GT_ONNX_BFLOAT16:
        CONVERT(uint16_t, float, from_bfloat(x));
    case GT_ONNX_DOUBLE:
        CONVERT(double, float, x);
    case GT_ONNX_INT8:
        CONVERT(int8_t, int64_t, x);
    case GT_ONNX_INT16:
        CONVERT(int16_t, int64_t, x);
    case GT_ONNX_INT32:
        CONVERT(int32_t, int64_t, x);
    case GT_ONNX_UINT8:
        CONVERT(uint8_t, int64_t, x);
    case GT_ONNX_UINT16:
        CONVERT(uint16_t, int64_t, x);
    case GT_ONNX_UINT32:
        CONVERT(uint32_t, int64_t, x);
    case GT_ONNX_UINT64:
        CONVERT(uint64_t, int64_t, x > INT64_MAX ? INT64_MAX : (int64_t)x);
    default: /* bool */
        CONVERT(uint8_t, uint8_t, x != 0);
    }
}

/* The tensor's own memory where the type stays, else a converted copy; the literal is empty afterwards. */
static gt_status take_data(void **data, gt_onnx_tensor *tensor, gt_dtype dtype, int64_t elems)
{
    gt_status status = GT_OK;
    void *copy = NULL;
    if (tensor->type != GT_ONNX_FLOAT && tensor->type != GT_ONNX_INT64) {
        GT_TRY(gt_alloc_aligned(&copy, (size_t)elems * gt_dtype_bytes(dtype)));
        convert(copy, tensor->data, tensor->type, elems);
        gt_free(tensor->data);
        tensor->data = copy;
    }
    *data = tensor->data;
    tensor->data = NULL;
done:
    return status;
}

gt_status gt_i_onnx_add_literal(gt_i_value **out, gt_i_onnx *c, const char *name, gt_onnx_tensor *tensor)
{
    gt_status status = GT_OK;
    gt_dtype dtype = GT_F32;
    void *data = NULL;
    gt_shape shape = gt_shape_of(tensor->rank, tensor->dims);
    GT_TRY(gt_i_onnx_dtype(&dtype, tensor->type));
    GT_TRY(gt_shape_check(&shape));
    int64_t elems = gt_shape_elems(&shape);
    GT_REQUIRE(tensor->data != NULL && tensor->bytes / gt_onnx_type_bytes(tensor->type) == (size_t)elems,
               GT_ERROR_FORMAT, "its data has %zu bytes; %lld elements of %s are needed", tensor->bytes,
               (long long)elems, gt_onnx_type_name(tensor->type));
    GT_TRY(take_data(&data, tensor, dtype, elems));
    GT_TRY(gt_i_onnx_add_const(out, c, name, dtype, &shape, data));
    data = NULL;
done:
    gt_free(data);
    return status;
}

/* ---- integer arithmetic ---- */

static int64_t power_i64(int64_t base, int64_t exponent)
{
    uint64_t result = 1;
    uint64_t factor = (uint64_t)base;
    if (exponent < 0) {
        return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
    }
    for (; exponent > 0; exponent >>= 1) {
        result *= (exponent & 1) != 0 ? factor : 1;
        factor *= factor;
    }
    return (int64_t)result;
}

int64_t gt_i_onnx_binary_i64(gt_binary_function function, int64_t a, int64_t b)
{
    switch (function) {
    case GT_BINARY_ADD:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case GT_BINARY_SUB:
        return (int64_t)((uint64_t)a - (uint64_t)b);
    case GT_BINARY_MUL:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case GT_BINARY_DIV:
        return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
    case GT_BINARY_MIN:
        return a < b ? a : b;
    case GT_BINARY_MAX:
        return a > b ? a : b;
    case GT_BINARY_POW:
        return power_i64(a, b);
    default: /* prelu */
        return a >= 0 ? a : (int64_t)((uint64_t)a * (uint64_t)b);
    }
}

int64_t gt_i_onnx_broadcast_index(int64_t flat, const gt_shape *out, const gt_shape *operand)
{
    int64_t index = 0;
    int64_t stride = 1;
    int missing = out->rank - operand->rank;
    for (int axis = out->rank - 1; axis >= missing; axis--) {
        int64_t dim = operand->dim[axis - missing];
        index += dim == 1 ? 0 : flat % out->dim[axis] * stride;
        flat /= out->dim[axis];
        stride *= dim;
    }
    return index;
}

static gt_status fold_binary_i64(gt_i_value **out, gt_i_onnx *c, gt_binary_function function,
                                 const gt_i_value *a, const gt_i_value *b)
{
    gt_status status = GT_OK;
    gt_shape shape;
    int64_t *data = NULL;
    const int64_t *left = a->data;
    const int64_t *right = b->data;
    GT_REQUIRE(gt_shape_broadcast(&shape, &a->shape, &b->shape), GT_ERROR_INTERNAL,
               "operands do not broadcast");
    GT_TRY(gt_i_onnx_alloc(&data, c, GT_I64, &shape));
    int64_t elems = gt_shape_elems(&shape);
    GT_TRY(gt_i_onnx_count_work(c, elems));
    for (int64_t i = 0; i < elems; i++) {
        int64_t divisor = right[gt_i_onnx_broadcast_index(i, &shape, &b->shape)];
        GT_REQUIRE(function != GT_BINARY_DIV || divisor != 0, GT_ERROR_FORMAT,
                   "element %lld of the divisor '%s' is 0", (long long)i, b->name);
        data[i] = gt_i_onnx_binary_i64(function, left[gt_i_onnx_broadcast_index(i, &shape, &a->shape)],
                                       divisor);
    }
    GT_TRY(gt_i_onnx_add_const(out, c, NULL, GT_I64, &shape, data));
    data = NULL;
done:
    gt_free(data);
    return status;
}

static gt_status fold_unary_i64(gt_i_value **out, gt_i_onnx *c, gt_function function, const gt_i_value *x)
{
    gt_status status = GT_OK;
    int64_t *data = NULL;
    const int64_t *in = x->data;
    GT_TRY(gt_i_onnx_alloc(&data, c, GT_I64, &x->shape));
    int64_t elems = gt_shape_elems(&x->shape);
    GT_TRY(gt_i_onnx_count_work(c, elems));
    for (int64_t i = 0; i < elems; i++) {
        bool negate = function == GT_FN_NEG || (function == GT_FN_ABS && in[i] < 0);
        bool zero = function == GT_FN_RELU && in[i] < 0;
        data[i] = zero ? 0 : negate ? (int64_t)(0 - (uint64_t)in[i]) : in[i];
    }
    GT_TRY(gt_i_onnx_add_const(out, c, NULL, GT_I64, &x->shape, data));
    data = NULL;
done:
    gt_free(data);
    return status;
}

/* The integer counterpart of a compute op; GT_ERROR_UNSUPPORTED where there is none. */
static gt_status fold_integers(gt_i_value **out, gt_i_onnx *c, gt_op_kind kind, const gt_attrs *attrs,
                               gt_i_value *const *inputs)
{
    gt_dtype dtype = inputs[0]->dtype;
    if (dtype == GT_I64 && kind == GT_OP_BINARY && inputs[1]->dtype == GT_I64) {
        return fold_binary_i64(out, c, (gt_binary_function)attrs->binary.function, inputs[0], inputs[1]);
    }
    int64_t f = attrs->unary.function;
    if (dtype == GT_I64 && kind == GT_OP_UNARY &&
        (f == GT_FN_ABS || f == GT_FN_NEG || f == GT_FN_RELU || f == GT_FN_FLOOR || f == GT_FN_CEIL)) {
        return fold_unary_i64(out, c, (gt_function)f, inputs[0]);
    }
    return gt_fail(GT_ERROR_UNSUPPORTED, "'%s' is %s; floats are needed", inputs[0]->name,
                   gt_dtype_name(dtype));
}

/* ---- any op, through the reference ---- */

bool gt_i_onnx_takes_any_type(gt_op_kind kind)
{
    switch (kind) {
    case GT_OP_CONCAT:
    case GT_OP_SLICE:
    case GT_OP_PAD:
    case GT_OP_RESHAPE:
    case GT_OP_TRANSPOSE:
    case GT_OP_GATHER:
    case GT_OP_TILE:
    case GT_OP_CAST:
    case GT_OP_COPY:
        return true;
    default:
        return false;
    }
}

static gt_status describe(gt_workload **w, const void ***data, gt_op_kind kind, const gt_attrs *attrs,
                          int n_inputs, gt_i_value *const *inputs, const gt_operand *hint)
{
    gt_status status = GT_OK;
    gt_operand *operands = NULL;
    const void **pointers = NULL;
    GT_TRY(gt_calloc(&operands, (size_t)n_inputs, sizeof *operands));
    GT_TRY(gt_calloc(&pointers, (size_t)n_inputs, sizeof *pointers));
    for (int i = 0; i < n_inputs; i++) {
        if (inputs[i] != NULL) {
            operands[i] = (gt_operand){.present = true, .constant = true, .dtype = inputs[i]->dtype,
                                       .shape = inputs[i]->shape};
            pointers[i] = inputs[i]->data;
        }
    }
    GT_TRY(gt_workload_create(w, kind, attrs, &(gt_epilogue){0}, n_inputs, operands, hint));
    *data = pointers;
    pointers = NULL;
done:
    gt_free(operands);
    gt_free(pointers);
    return status;
}

static gt_status fold_by_reference(gt_i_value **out, gt_i_onnx *c, gt_op_kind kind, const gt_attrs *attrs,
                                   int n_inputs, gt_i_value *const *inputs, const gt_operand *hint)
{
    gt_status status = GT_OK;
    gt_workload *w = NULL;
    const void **in = NULL;
    void *data = NULL;
    GT_TRY(describe(&w, &in, kind, attrs, n_inputs, inputs, hint));
    GT_TRY(gt_i_onnx_count_work(c, gt_workload_macs(w)));
    GT_TRY(gt_i_onnx_count_work(c, gt_workload_elems_moved(w)));
    GT_TRY(gt_i_onnx_alloc(&data, c, w->output.dtype, &w->output.shape));
    GT_TRY(gt_reference_run(w, data, in));
    GT_TRY(gt_i_onnx_add_const(out, c, NULL, w->output.dtype, &w->output.shape, data));
    data = NULL;
done:
    gt_workload_destroy(w);
    gt_free(in);
    gt_free(data);
    return status;
}

/* A workload has no empty operands; shape arithmetic does (the leading dimensions of a vector, say). */
static gt_status fold_to_empty(gt_i_value **out, gt_i_onnx *c, const gt_operand *hint)
{
    void *data = NULL;
    gt_status status = gt_i_onnx_alloc(&data, c, hint->dtype, &hint->shape);
    if (status == GT_OK) {
        status = gt_i_onnx_add_const(out, c, NULL, hint->dtype, &hint->shape, data);
    }
    if (status != GT_OK) {
        gt_free(data);
    }
    return status;
}

gt_status gt_i_onnx_fold(gt_i_value **out, gt_i_onnx *c, gt_op_kind kind, const gt_attrs *attrs, int n_inputs,
                         gt_i_value *const *inputs, const gt_operand *hint)
{
    gt_status status = hint != NULL ? gt_shape_check(&hint->shape) : GT_OK;
    if (status != GT_OK) {
        return status;
    }
    if (!gt_i_onnx_takes_any_type(kind) && inputs[0]->dtype != GT_F32) {
        return fold_integers(out, c, kind, attrs, inputs);
    }
    if (hint != NULL && gt_shape_elems(&hint->shape) == 0) {
        return fold_to_empty(out, c, hint);
    }
    return fold_by_reference(out, c, kind, attrs, n_inputs, inputs, hint);
}
