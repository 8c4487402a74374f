/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one value, arithmetic of two and more, and what passes values through. */
#include "src/import/onnx_context.h"

#include <float.h>
#include <string.h>

/* ---- one input ---- */

static gt_status unary(gt_i_onnx *c, const gt_onnx_node *node, gt_function function, float alpha, float beta)
{
    gt_i_value *x = NULL;
    gt_status status = gt_i_onnx_input(&x, c, node, 0, "x");
    return status == GT_OK ? gt_i_onnx_unary(&x, c, node, 0, function, alpha, beta, x) : status;
}

#define PLAIN_UNARY(handler, function)                                  \
    gt_status gt_i_onnx_##handler(gt_i_onnx *c, const gt_onnx_node *node) \
    {                                                                   \
        return unary(c, node, function, 0, 0);                          \
    }
PLAIN_UNARY(relu, GT_FN_RELU)
PLAIN_UNARY(sigmoid, GT_FN_SIGMOID)
PLAIN_UNARY(tanh, GT_FN_TANH)
PLAIN_UNARY(mish, GT_FN_MISH)
PLAIN_UNARY(softplus, GT_FN_SOFTPLUS)
PLAIN_UNARY(exp, GT_FN_EXP)
PLAIN_UNARY(log, GT_FN_LOG)
PLAIN_UNARY(sqrt, GT_FN_SQRT)
PLAIN_UNARY(reciprocal, GT_FN_RECIPROCAL)
PLAIN_UNARY(abs, GT_FN_ABS)
PLAIN_UNARY(neg, GT_FN_NEG)
PLAIN_UNARY(floor, GT_FN_FLOOR)
PLAIN_UNARY(ceil, GT_FN_CEIL)
PLAIN_UNARY(erf, GT_FN_ERF)

gt_status gt_i_onnx_hard_swish(gt_i_onnx *c, const gt_onnx_node *node)
{
    return unary(c, node, GT_FN_HARD_SWISH, 1.0f / 6.0f, 0.5f);
}

gt_status gt_i_onnx_leaky_relu(gt_i_onnx *c, const gt_onnx_node *node)
{
    float alpha = 0;
    gt_status status = gt_i_onnx_attr_float(&alpha, node, "alpha", 0.01f);
    return status == GT_OK ? unary(c, node, GT_FN_LEAKY_RELU, alpha, 0) : status;
}

gt_status gt_i_onnx_elu(gt_i_onnx *c, const gt_onnx_node *node)
{
    float alpha = 0;
    gt_status status = gt_i_onnx_attr_float(&alpha, node, "alpha", 1.0f);
    return status == GT_OK ? unary(c, node, GT_FN_ELU, alpha, 0) : status;
}

gt_status gt_i_onnx_hard_sigmoid(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    float alpha = 0;
    float beta = 0;
    GT_TRY(gt_i_onnx_attr_float(&alpha, node, "alpha", 0.2f));
    GT_TRY(gt_i_onnx_attr_float(&beta, node, "beta", 0.5f));
    GT_TRY(unary(c, node, GT_FN_HARD_SIGMOID, alpha, beta));
done:
    return status;
}

/* ---- Clip ---- */

/* A bound that the node states as an attribute (opset < 11) or a constant input. */
static gt_status read_bound(float *bound, gt_i_onnx *c, const gt_onnx_node *node, const char *name, size_t k)
{
    gt_status status = GT_OK;
    const float *value = NULL;
    GT_TRY(gt_i_onnx_attr_float(bound, node, name, *bound));
    if (gt_i_onnx_has_input(node, k)) {
        GT_TRY(gt_i_onnx_const_floats(&value, c, node, k, name, 1));
        *bound = *value;
    }
    GT_REQUIRE(*bound == *bound, GT_ERROR_UNSUPPORTED, "%s is not a number", name);
done:
    return status;
}

/* Integers, and bounds that are computed: max(x, lo), then min(that, hi). */
static gt_status clip_by_steps(gt_i_onnx *c, const gt_onnx_node *node, gt_i_value *x)
{
    gt_status status = GT_OK;
    gt_i_value *bound = NULL;
    bool upper = gt_i_onnx_has_input(node, 2);
    if (gt_i_onnx_has_input(node, 1)) {
        GT_TRY(gt_i_onnx_input(&bound, c, node, 1, "min"));
        GT_TRY(gt_i_onnx_binary(&x, c, node, upper ? -1 : 0, GT_BINARY_MAX, x, bound));
    }
    if (upper) {
        GT_TRY(gt_i_onnx_input(&bound, c, node, 2, "max"));
        GT_TRY(gt_i_onnx_binary(&x, c, node, 0, GT_BINARY_MIN, x, bound));
    } else if (!gt_i_onnx_has_input(node, 1)) {
        GT_TRY(gt_i_onnx_bind(c, node, 0, x));
    }
done:
    return status;
}

static bool is_computed(const gt_i_value *value)
{
    return !gt_i_onnx_is_const(value);
}

gt_status gt_i_onnx_clip(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *in[3] = {NULL};
    float lo = -FLT_MAX;
    float hi = FLT_MAX;
    GT_TRY(gt_i_onnx_input(&in[0], c, node, 0, "x"));
    bool by_steps = in[0]->dtype != GT_F32;
    for (size_t k = 1; k < 3; k++) {
        if (gt_i_onnx_has_input(node, k)) {
            GT_TRY(gt_i_onnx_input(&in[k], c, node, k, k == 1 ? "min" : "max"));
            by_steps = by_steps || is_computed(in[k]);
        }
    }
    if (by_steps) {
        return clip_by_steps(c, node, in[0]);
    }
    GT_TRY(read_bound(&lo, c, node, "min", 1));
    GT_TRY(read_bound(&hi, c, node, "max", 2));
    bool relu = lo == 0 && hi >= FLT_MAX;
    GT_TRY(relu ? unary(c, node, GT_FN_RELU, 0, 0) : unary(c, node, GT_FN_CLIP, lo, hi));
done:
    return status;
}

/* ---- two and more inputs ---- */

/* Before opset 7, b's dimensions stand against a's from `axis` on (by default against the last ones). */
static gt_status place_operand(gt_i_value **out, gt_i_onnx *c, const gt_onnx_node *node, gt_i_value *a,
                               gt_i_value *b)
{
    gt_status status = GT_OK;
    gt_shape shape = {.rank = a->shape.rank};
    int64_t axis = 0;
    *out = b;
    if (gt_onnx_find_attr(node, "axis") == NULL || b->shape.rank >= a->shape.rank) {
        return GT_OK;
    }
    GT_TRY(gt_i_onnx_attr_int(&axis, node, "axis", 0));
    GT_TRY(gt_i_onnx_axis(&axis, a->shape.rank, "axis"));
    GT_REQUIRE(axis + b->shape.rank <= a->shape.rank, GT_ERROR_SHAPE,
               "axis is %lld, b, '%s', has rank %d and a, '%s', %d; b must end within a", (long long)axis,
               b->name, b->shape.rank, a->name, a->shape.rank);
    for (int i = 0; i < shape.rank; i++) {
        bool inside = i >= axis && i < axis + b->shape.rank;
        shape.dim[i] = inside ? b->shape.dim[i - axis] : 1;
    }
    GT_TRY(gt_i_onnx_reshape(out, c, b, &shape));
done:
    return status;
}

static gt_status binary(gt_i_onnx *c, const gt_onnx_node *node, gt_binary_function function)
{
    gt_status status = GT_OK;
    gt_i_value *a = NULL;
    gt_i_value *b = NULL;
    GT_TRY(gt_i_onnx_input(&a, c, node, 0, "a"));
    GT_TRY(gt_i_onnx_input(&b, c, node, 1, "b"));
    GT_TRY(place_operand(&b, c, node, a, b));
    if (function == GT_BINARY_POW && a->dtype != b->dtype) {
        /* The only arithmetic whose operands may differ in type; the result has the base's. */
        GT_REQUIRE(a->dtype == GT_F32, GT_ERROR_UNSUPPORTED,
                   "the base '%s' is %s and the exponent '%s' is %s", a->name, gt_dtype_name(a->dtype),
                   b->name, gt_dtype_name(b->dtype));
        GT_TRY(gt_i_onnx_to_f32(&b, c, b));
    }
    GT_TRY(gt_i_onnx_binary(&a, c, node, 0, function, a, b));
done:
    return status;
}

#define PLAIN_BINARY(handler, function)                                   \
    gt_status gt_i_onnx_##handler(gt_i_onnx *c, const gt_onnx_node *node) \
    {                                                                     \
        return binary(c, node, function);                                 \
    }
PLAIN_BINARY(add, GT_BINARY_ADD)
PLAIN_BINARY(sub, GT_BINARY_SUB)
PLAIN_BINARY(mul, GT_BINARY_MUL)
PLAIN_BINARY(div, GT_BINARY_DIV)
PLAIN_BINARY(pow, GT_BINARY_POW)

/* Sum, Min, Max, Mean of any number of inputs: a chain. `after`: something follows, so the last op of the
 * chain is not the node's output yet. */
static gt_status chain(gt_i_value **out, gt_i_onnx *c, const gt_onnx_node *node, gt_binary_function function,
                       bool after)
{
    gt_status status = GT_OK;
    gt_i_value *sum = NULL;
    gt_i_value *next = NULL;
    GT_TRY(gt_i_onnx_input(&sum, c, node, 0, "x0"));
    for (size_t k = 1; k < node->n_inputs; k++) {
        bool last = k + 1 == node->n_inputs && !after;
        GT_TRY(gt_i_onnx_input(&next, c, node, k, "an operand"));
        GT_TRY(gt_i_onnx_binary(&sum, c, node, last ? 0 : -1, function, sum, next));
    }
    if (node->n_inputs == 1 && !after) {
        GT_TRY(gt_i_onnx_bind(c, node, 0, sum));
    }
    *out = sum;
done:
    return status;
}

#define PLAIN_CHAIN(handler, function)                                    \
    gt_status gt_i_onnx_##handler(gt_i_onnx *c, const gt_onnx_node *node) \
    {                                                                     \
        gt_i_value *ignored = NULL;                                       \
        return chain(&ignored, c, node, function, false);                 \
    }
PLAIN_CHAIN(sum, GT_BINARY_ADD)
PLAIN_CHAIN(min, GT_BINARY_MIN)
PLAIN_CHAIN(max, GT_BINARY_MAX)

/* A float constant without dimensions. */
static gt_status scalar(gt_i_value **out, gt_i_onnx *c, float value)
{
    gt_status status = GT_OK;
    gt_shape shape = {0};
    float *data = NULL;
    GT_TRY(gt_i_onnx_alloc(&data, c, GT_F32, &shape));
    *data = value;
    GT_TRY(gt_i_onnx_add_const(out, c, NULL, GT_F32, &shape, data));
    data = NULL;
done:
    gt_free(data);
    return status;
}

gt_status gt_i_onnx_mean(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *sum = NULL;
    gt_i_value *divisor = NULL;
    GT_TRY(chain(&sum, c, node, GT_BINARY_ADD, true));
    GT_TRY(scalar(&divisor, c, (float)node->n_inputs));
    GT_TRY(gt_i_onnx_binary(&sum, c, node, 0, GT_BINARY_DIV, sum, divisor));
done:
    return status;
}

/* The slope broadcasts to x from the last axis. Before opset 7, and in what Caffe converters write, a vector
 * means one slope per channel. */
gt_status gt_i_onnx_prelu(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_i_value *slope = NULL;
    gt_shape shape;
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    GT_TRY(gt_i_onnx_input(&slope, c, node, 1, "slope"));
    bool fits = gt_shape_broadcast(&shape, &x->shape, &slope->shape) && gt_shape_equal(&shape, &x->shape);
    bool per_channel = slope->shape.rank == 1 && x->shape.rank > 2 && slope->shape.dim[0] == x->shape.dim[1];
    if (per_channel && (c->model->opset < 7 || !fits)) {
        shape = (gt_shape){.rank = x->shape.rank};
        for (int i = 0; i < shape.rank; i++) {
            shape.dim[i] = i == 1 ? slope->shape.dim[0] : 1;
        }
        GT_TRY(gt_i_onnx_reshape(&slope, c, slope, &shape));
    }
    GT_TRY(gt_i_onnx_binary(&x, c, node, 0, GT_BINARY_PRELU, x, slope));
done:
    return status;
}

/* ---- passed through ---- */

gt_status gt_i_onnx_identity(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_i_value *x = NULL;
    gt_status status = gt_i_onnx_input(&x, c, node, 0, "x");
    return status == GT_OK ? gt_i_onnx_bind(c, node, 0, x) : status;
}

/* In inference nothing is dropped, and the mask, where somebody reads it, is all true. */
gt_status gt_i_onnx_dropout(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_i_value *training = NULL;
    gt_i_value *mask = NULL;
    uint8_t *data = NULL;
    if (gt_i_onnx_has_input(node, 2)) {
        GT_TRY(gt_i_onnx_const_input(&training, c, node, 2, "training_mode"));
        GT_REQUIRE(gt_shape_elems(&training->shape) == 1 && gt_i_onnx_get_i64(training, 0) == 0,
                   GT_ERROR_UNSUPPORTED, "training_mode is true; export the model for inference");
    }
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    GT_TRY(gt_i_onnx_bind(c, node, 0, x));
    if (gt_i_onnx_output_is_read(c, node, 1)) {
        GT_TRY(gt_i_onnx_alloc(&data, c, GT_BOOL, &x->shape));
        memset(data, 1, (size_t)gt_shape_elems(&x->shape));
        GT_TRY(gt_i_onnx_add_const(&mask, c, NULL, GT_BOOL, &x->shape, data));
        data = NULL;
        GT_TRY(gt_i_onnx_bind(c, node, 1, mask));
    }
done:
    gt_free(data);
    return status;
}

/* ---- Cast ---- */

/* Before opset 6 the type is a name. */
static gt_status read_cast_type(gt_onnx_type *type, const gt_onnx_node *node)
{
    static const struct {
        const char *name;
        gt_onnx_type type;
    } names[] = {
        {"FLOAT", GT_ONNX_FLOAT},   {"UINT8", GT_ONNX_UINT8},   {"INT8", GT_ONNX_INT8},
        {"UINT16", GT_ONNX_UINT16}, {"INT16", GT_ONNX_INT16},   {"INT32", GT_ONNX_INT32},
        {"INT64", GT_ONNX_INT64},   {"BOOL", GT_ONNX_BOOL},     {"FLOAT16", GT_ONNX_FLOAT16},
        {"DOUBLE", GT_ONNX_DOUBLE}, {"UINT32", GT_ONNX_UINT32}, {"UINT64", GT_ONNX_UINT64},
    };
    const gt_onnx_attr *attr = gt_onnx_find_attr(node, "to");
    int64_t number = 0;
    if (attr == NULL || attr->type != GT_ONNX_ATTR_STRING) {
        gt_status status = gt_i_onnx_attr_int(&number, node, "to", 0);
        *type = number >= 0 && number < 64 ? (gt_onnx_type)number : GT_ONNX_UNDEFINED;
        return status;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, attr->s) == 0) {
            *type = names[i].type;
            return GT_OK;
        }
    }
    return gt_fail(GT_ERROR_UNSUPPORTED, "attribute 'to' is '%s'", attr->s);
}

gt_status gt_i_onnx_cast(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_onnx_type type = GT_ONNX_UNDEFINED;
    gt_operand hint = {.present = true};
    GT_TRY(read_cast_type(&type, node));
    GT_TRY(gt_i_onnx_dtype(&hint.dtype, type));
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    hint.shape = x->shape;
    if (x->dtype == hint.dtype) {
        GT_TRY(gt_i_onnx_bind(c, node, 0, x));
    } else {
        GT_TRY(gt_i_onnx_emit_output(c, node, 0, GT_OP_CAST, &(gt_attrs){0}, 1, &x, &hint));
    }
done:
    return status;
}
