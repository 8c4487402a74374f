/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that only make constants: literals, shapes, and what shape arithmetic uses and networks do not. */
#include "src/import/onnx_context.h"

#include <math.h>
#include <string.h>

/* Binds a new constant to output 0; its data is freed on failure. */
static gt_status bind_const(gt_i_onnx *c, const gt_onnx_node *node, gt_dtype dtype, const gt_shape *shape,
                            void *data)
{
    gt_i_value *value = NULL;
    gt_status status = gt_i_onnx_add_const(&value, c, NULL, dtype, shape, data);
    if (status != GT_OK) {
        gt_free(data);
        return status;
    }
    return gt_i_onnx_bind(c, node, 0, value);
}

/* ---- literals ---- */

static gt_status constant_floats(gt_i_onnx *c, const gt_onnx_node *node, const float *values, size_t n,
                                 int rank)
{
    gt_shape shape = {.rank = rank, .dim = {rank == 1 ? (int64_t)n : 0}};
    float *data = NULL;
    gt_status status = gt_i_onnx_alloc(&data, c, GT_F32, &shape);
    if (status != GT_OK) {
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        data[i] = values[i];
    }
    return bind_const(c, node, GT_F32, &shape, data);
}

static gt_status constant_ints(gt_i_onnx *c, const gt_onnx_node *node, const int64_t *values, size_t n,
                               int rank)
{
    gt_shape shape = {.rank = rank, .dim = {rank == 1 ? (int64_t)n : 0}};
    int64_t *data = NULL;
    gt_status status = gt_i_onnx_alloc(&data, c, GT_I64, &shape);
    if (status != GT_OK) {
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        data[i] = values[i];
    }
    return bind_const(c, node, GT_I64, &shape, data);
}

gt_status gt_i_onnx_constant(gt_i_onnx *c, const gt_onnx_node *node)
{
    if (node->n_attrs != 1) {
        return gt_fail(GT_ERROR_FORMAT, "it has %zu attributes; one that gives the value is needed",
                       node->n_attrs);
    }
    const gt_onnx_attr *attr = &node->attrs[0];
    switch (attr->type) {
    case GT_ONNX_ATTR_TENSOR:
        if (attr->t != NULL) {
            gt_i_value *value = NULL;
            gt_status status = gt_i_onnx_add_literal(&value, c, c->node_names[c->node_index], attr->t);
            return status == GT_OK ? gt_i_onnx_bind(c, node, 0, value) : status;
        }
        break;
    case GT_ONNX_ATTR_FLOAT:
        return constant_floats(c, node, &attr->f, 1, 0);
    case GT_ONNX_ATTR_FLOATS:
        return constant_floats(c, node, attr->floats, attr->count, 1);
    case GT_ONNX_ATTR_INT:
        return constant_ints(c, node, &attr->i, 1, 0);
    case GT_ONNX_ATTR_INTS:
        return constant_ints(c, node, attr->ints, attr->count, 1);
    default:
        break;
    }
    return gt_fail(GT_ERROR_UNSUPPORTED, "attribute '%s' is no tensor, number or list of numbers",
                   attr->name);
}

/* The single element of the node's `value`, repeated. */
static void fill(void *out, const void *element, size_t element_bytes, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        memcpy((char *)out + (size_t)i * element_bytes, element, element_bytes);
    }
}

gt_status gt_i_onnx_constant_of_shape(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_ints list = {0};
    gt_i_value *element = NULL;
    void *data = NULL;
    gt_dtype dtype = GT_F32;
    const gt_onnx_attr *attr = gt_onnx_find_attr(node, "value");
    uint64_t zero = 0;
    GT_TRY(gt_i_onnx_const_ints(&list, c, node, 0, "shape"));
    GT_REQUIRE(list.count <= GT_MAX_RANK, GT_ERROR_UNSUPPORTED,
               "the shape has rank %lld; up to %d is handled", (long long)list.count, GT_MAX_RANK);
    gt_shape shape = gt_shape_of((int)list.count, list.values);
    if (attr != NULL) {
        GT_REQUIRE(attr->type == GT_ONNX_ATTR_TENSOR && attr->t != NULL, GT_ERROR_FORMAT,
                   "attribute 'value' is no tensor");
        GT_TRY(gt_i_onnx_add_literal(&element, c, NULL, attr->t));
        GT_REQUIRE(gt_shape_elems(&element->shape) == 1, GT_ERROR_FORMAT,
                   "attribute 'value' has %lld elements; 1 is needed",
                   (long long)gt_shape_elems(&element->shape));
        dtype = element->dtype;
    }
    GT_TRY(gt_i_onnx_alloc(&data, c, dtype, &shape));
    fill(data, element != NULL ? element->data : &zero, gt_dtype_bytes(dtype), gt_shape_elems(&shape));
    status = bind_const(c, node, dtype, &shape, data);
done:
    return status;
}

/* ---- shapes ---- */

gt_status gt_i_onnx_shape(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    int64_t start = 0;
    int64_t end = INT64_MAX;
    GT_TRY(gt_i_onnx_attr_int(&start, node, "start", 0));
    GT_TRY(gt_i_onnx_attr_int(&end, node, "end", INT64_MAX));
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    int64_t rank = x->shape.rank;
    start += start < 0 ? rank : 0;
    end += end < 0 ? rank : 0;
    start = start < 0 ? 0 : start > rank ? rank : start;
    end = end > rank ? rank : end < start ? start : end;
    GT_TRY(constant_ints(c, node, x->shape.dim + start, (size_t)(end - start), 1));
done:
    return status;
}

gt_status gt_i_onnx_size(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_i_value *x = NULL;
    gt_status status = gt_i_onnx_input(&x, c, node, 0, "x");
    if (status != GT_OK) {
        return status;
    }
    int64_t elems = gt_shape_elems(&x->shape);
    return constant_ints(c, node, &elems, 1, 0);
}

/* ---- Range ---- */

static gt_status range_length(int64_t *count, double start, double limit, double delta)
{
    double n = ceil((limit - start) / delta);
    if (!isfinite(start) || !isfinite(limit) || !isfinite(delta) || delta == 0) {
        return gt_fail(GT_ERROR_FORMAT, "start is %g, limit %g, delta %g", start, limit, delta);
    }
    if (n > 0x1p40) {
        return gt_fail(GT_ERROR_LIMIT, "the range from %g to %g in steps of %g would have %g elements", start,
                       limit, delta, n);
    }
    *count = n > 0 ? (int64_t)n : 0;
    return GT_OK;
}

gt_status gt_i_onnx_range(gt_i_onnx *c, const gt_onnx_node *node)
{
    static const char *const roles[] = {"start", "limit", "delta"};
    gt_status status = GT_OK;
    gt_i_value *in[3] = {NULL};
    gt_shape shape = {.rank = 1};
    void *data = NULL;
    for (size_t k = 0; k < 3; k++) {
        GT_TRY(gt_i_onnx_const_input(&in[k], c, node, k, roles[k]));
        GT_REQUIRE(gt_shape_elems(&in[k]->shape) == 1 && in[k]->dtype == in[0]->dtype
                   && in[k]->dtype != GT_BOOL, GT_ERROR_SHAPE,
                   "%s, '%s', must be one number of the type of start", roles[k], in[k]->name);
    }
    GT_TRY(range_length(&shape.dim[0], gt_i_onnx_get_f64(in[0], 0), gt_i_onnx_get_f64(in[1], 0),
                        gt_i_onnx_get_f64(in[2], 0)));
    GT_TRY(gt_i_onnx_alloc(&data, c, in[0]->dtype, &shape));
    for (int64_t i = 0; i < shape.dim[0]; i++) {
        if (in[0]->dtype == GT_F32) {
            ((float *)data)[i] = (float)(gt_i_onnx_get_f64(in[0], 0) + (double)i * gt_i_onnx_get_f64(in[2],
                                                                                                     0));
        } else {
            int64_t offset = gt_i_onnx_binary_i64(GT_BINARY_MUL, i, gt_i_onnx_get_i64(in[2], 0));
            ((int64_t *)data)[i] = gt_i_onnx_binary_i64(GT_BINARY_ADD, gt_i_onnx_get_i64(in[0], 0), offset);
        }
    }
    status = bind_const(c, node, in[0]->dtype, &shape, data);
done:
    return status;
}

/* ---- comparisons, logic, Mod, Where ---- */

/* Two or three constants and the shape that they broadcast to. */
static gt_status read_operands(gt_i_value **in, size_t n, gt_shape *shape, gt_i_onnx *c,
                               const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    char a[GT_SHAPE_TEXT_BYTES];
    char b[GT_SHAPE_TEXT_BYTES];
    *shape = (gt_shape){0};
    for (size_t k = 0; k < n; k++) {
        gt_shape wider;
        GT_TRY(gt_i_onnx_const_input(&in[k], c, node, k, "an operand"));
        GT_REQUIRE(gt_shape_broadcast(&wider, shape, &in[k]->shape), GT_ERROR_SHAPE,
                   "operand %zu, '%s', has shape %s, which does not broadcast with %s", k, in[k]->name,
                   gt_shape_format(a, sizeof a, &in[k]->shape), gt_shape_format(b, sizeof b, shape));
        *shape = wider;
    }
    GT_REQUIRE(in[n - 1]->dtype == in[n - 2]->dtype, GT_ERROR_SHAPE,
               "'%s' is %s and '%s' is %s; they must be of one type", in[n - 2]->name,
               gt_dtype_name(in[n - 2]->dtype), in[n - 1]->name, gt_dtype_name(in[n - 1]->dtype));
    GT_TRY(gt_shape_check(shape));
    GT_TRY(gt_i_onnx_count_work(c, gt_shape_elems(shape)));
done:
    return status;
}

typedef enum test { TEST_EQUAL, TEST_GREATER, TEST_GREATER_EQUAL, TEST_AND, TEST_OR, TEST_XOR } test;

static bool holds(test t, double a, double b, int64_t i, int64_t j, bool real)
{
    switch (t) {
    case TEST_EQUAL:
        return real ? a == b : i == j;
    case TEST_GREATER:
        return real ? a > b : i > j;
    case TEST_GREATER_EQUAL:
        return real ? a >= b : i >= j;
    case TEST_AND:
        return i != 0 && j != 0;
    case TEST_OR:
        return i != 0 || j != 0;
    default:
        return (i != 0) != (j != 0);
    }
}

/* `swapped`: the operands change places, for less and less-or-equal. */
static gt_status compare(gt_i_onnx *c, const gt_onnx_node *node, test t, bool swapped)
{
    gt_status status = GT_OK;
    gt_i_value *in[2] = {NULL};
    gt_shape shape;
    uint8_t *data = NULL;
    GT_TRY(read_operands(in, 2, &shape, c, node));
    GT_TRY(gt_i_onnx_alloc(&data, c, GT_BOOL, &shape));
    const gt_i_value *a = in[swapped ? 1 : 0];
    const gt_i_value *b = in[swapped ? 0 : 1];
    for (int64_t k = 0, n = gt_shape_elems(&shape); k < n; k++) {
        int64_t ia = gt_i_onnx_broadcast_index(k, &shape, &a->shape);
        int64_t ib = gt_i_onnx_broadcast_index(k, &shape, &b->shape);
        data[k] = holds(t, gt_i_onnx_get_f64(a, ia), gt_i_onnx_get_f64(b, ib), gt_i_onnx_get_i64(a, ia),
                        gt_i_onnx_get_i64(b, ib), a->dtype == GT_F32);
    }
    status = bind_const(c, node, GT_BOOL, &shape, data);
done:
    return status;
}

#define COMPARISON(handler, test, swapped)                                \
    gt_status gt_i_onnx_##handler(gt_i_onnx *c, const gt_onnx_node *node) \
    {                                                                     \
        return compare(c, node, test, swapped);                           \
    }
COMPARISON(equal, TEST_EQUAL, false)
COMPARISON(greater, TEST_GREATER, false)
COMPARISON(greater_or_equal, TEST_GREATER_EQUAL, false)
COMPARISON(less, TEST_GREATER, true)
COMPARISON(less_or_equal, TEST_GREATER_EQUAL, true)
COMPARISON(and, TEST_AND, false)
COMPARISON(or, TEST_OR, false)
COMPARISON(xor, TEST_XOR, false)

gt_status gt_i_onnx_not(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    uint8_t *data = NULL;
    GT_TRY(gt_i_onnx_const_input(&x, c, node, 0, "x"));
    GT_TRY(gt_i_onnx_alloc(&data, c, GT_BOOL, &x->shape));
    for (int64_t i = 0, n = gt_shape_elems(&x->shape); i < n; i++) {
        data[i] = gt_i_onnx_get_i64(x, i) == 0;
    }
    status = bind_const(c, node, GT_BOOL, &x->shape, data);
done:
    return status;
}

/* The remainder has the divisor's sign as in Python, or with fmod the dividend's as in C. */
static int64_t mod_i64(int64_t a, int64_t b, bool as_c)
{
    int64_t rest = b == -1 ? 0 : a % b;
    return !as_c && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static double mod_f64(double a, double b, bool as_c)
{
    double rest = fmod(a, b);
    return !as_c && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

gt_status gt_i_onnx_mod(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *in[2] = {NULL};
    gt_shape shape;
    int64_t as_c = 0;
    void *data = NULL;
    GT_TRY(gt_i_onnx_attr_int(&as_c, node, "fmod", 0));
    GT_TRY(read_operands(in, 2, &shape, c, node));
    GT_TRY(gt_i_onnx_alloc(&data, c, in[0]->dtype, &shape));
    for (int64_t k = 0, n = gt_shape_elems(&shape); k < n; k++) {
        int64_t ia = gt_i_onnx_broadcast_index(k, &shape, &in[0]->shape);
        int64_t ib = gt_i_onnx_broadcast_index(k, &shape, &in[1]->shape);
        if (in[0]->dtype == GT_F32) {
            ((float *)data)[k] = (float)mod_f64(gt_i_onnx_get_f64(in[0], ia), gt_i_onnx_get_f64(in[1], ib),
                                                as_c != 0);
            continue;
        }
        GT_REQUIRE(in[0]->dtype == GT_I64 && gt_i_onnx_get_i64(in[1], ib) != 0, GT_ERROR_FORMAT,
                   "element %lld of the divisor '%s' is 0", (long long)ib, in[1]->name);
        ((int64_t *)data)[k] = mod_i64(gt_i_onnx_get_i64(in[0], ia), gt_i_onnx_get_i64(in[1], ib), as_c != 0);
    }
    status = bind_const(c, node, in[0]->dtype, &shape, data);
    data = NULL;
done:
    gt_free(data);
    return status;
}

gt_status gt_i_onnx_where(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *in[3] = {NULL};
    gt_shape shape;
    char *data = NULL;
    GT_TRY(read_operands(in, 3, &shape, c, node));
    GT_TRY(gt_i_onnx_alloc(&data, c, in[1]->dtype, &shape));
    size_t bytes = gt_dtype_bytes(in[1]->dtype);
    for (int64_t k = 0, n = gt_shape_elems(&shape); k < n; k++) {
        int64_t which = gt_i_onnx_get_i64(in[0], gt_i_onnx_broadcast_index(k, &shape, &in[0]->shape));
        const gt_i_value *from = in[which != 0 ? 1 : 2];
        size_t at = (size_t)gt_i_onnx_broadcast_index(k, &shape, &from->shape);
        memcpy(data + (size_t)k * bytes, (const char *)from->data + at * bytes, bytes);
    }
    status = bind_const(c, node, in[1]->dtype, &shape, data);
done:
    return status;
}

/* ---- NonZero, ScatterND ---- */

gt_status gt_i_onnx_nonzero(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    int64_t *data = NULL;
    gt_shape shape = {.rank = 2};
    int64_t found = 0;
    GT_TRY(gt_i_onnx_const_input(&x, c, node, 0, "x"));
    int64_t n = gt_shape_elems(&x->shape);
    for (int64_t i = 0; i < n; i++) {
        shape.dim[1] += gt_i_onnx_get_f64(x, i) != 0;
    }
    GT_TRY(gt_i_onnx_count_work(c, n));
    shape.dim[0] = x->shape.rank;
    GT_TRY(gt_i_onnx_alloc(&data, c, GT_I64, &shape));
    for (int64_t i = 0; i < n; i++) {
        if (gt_i_onnx_get_f64(x, i) == 0) {
            continue;
        }
        int64_t rest = i;
        for (int axis = x->shape.rank - 1; axis >= 0; axis--) {
            data[axis * shape.dim[1] + found] = rest % x->shape.dim[axis];
            rest /= x->shape.dim[axis];
        }
        found++;
    }
    status = bind_const(c, node, GT_I64, &shape, data);
done:
    return status;
}

/* data with the slices that the index tuples point at replaced by the updates. */
static gt_status scatter(char *out, const gt_i_value *x, const gt_i_value *indices, const gt_i_value *updates)
{
    gt_status status = GT_OK;
    const int64_t *tuple = indices->data;
    int64_t depth = indices->shape.dim[indices->shape.rank - 1];
    int64_t n_tuples = depth > 0 ? gt_shape_elems(&indices->shape) / depth : 0;
    int64_t slice = 1;
    for (int axis = (int)depth; axis < x->shape.rank; axis++) {
        slice *= x->shape.dim[axis];
    }
    size_t bytes = (size_t)slice * gt_dtype_bytes(x->dtype);
    GT_REQUIRE(gt_shape_elems(&updates->shape) == n_tuples * slice, GT_ERROR_SHAPE,
               "the updates '%s' have %lld elements; %lld are needed", updates->name,
               (long long)gt_shape_elems(&updates->shape), (long long)(n_tuples * slice));
    for (int64_t i = 0; i < n_tuples; i++, tuple += depth) {
        int64_t at = 0;
        for (int64_t axis = 0; axis < depth; axis++) {
            int64_t dim = x->shape.dim[axis];
            GT_REQUIRE(tuple[axis] >= -dim && tuple[axis] < dim, GT_ERROR_FORMAT,
                       "an index in '%s' is %lld; axis %lld is %lld long", indices->name,
                       (long long)tuple[axis], (long long)axis, (long long)dim);
            at = at * dim + tuple[axis] + (tuple[axis] < 0 ? dim : 0);
        }
        memcpy(out + (size_t)at * bytes, (const char *)updates->data + (size_t)i * bytes, bytes);
    }
done:
    return status;
}

gt_status gt_i_onnx_scatter_nd(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_i_value *indices = NULL;
    gt_i_value *updates = NULL;
    const char *reduction = NULL;
    char *data = NULL;
    GT_TRY(gt_i_onnx_attr_string(&reduction, node, "reduction", "none"));
    GT_REQUIRE(strcmp(reduction, "none") == 0, GT_ERROR_UNSUPPORTED, "reduction is '%s'; none is handled",
               reduction);
    GT_TRY(gt_i_onnx_const_input(&x, c, node, 0, "data"));
    GT_TRY(gt_i_onnx_const_input(&indices, c, node, 1, "indices"));
    GT_TRY(gt_i_onnx_const_input(&updates, c, node, 2, "updates"));
    GT_REQUIRE(indices->dtype == GT_I64 && indices->shape.rank >= 1 && updates->dtype == x->dtype &&
                   indices->shape.dim[indices->shape.rank - 1] <= x->shape.rank, GT_ERROR_SHAPE,
               "data '%s', indices '%s' and updates '%s' do not fit together", x->name, indices->name,
               updates->name);
    GT_TRY(gt_i_onnx_alloc(&data, c, x->dtype, &x->shape));
    memcpy(data, x->data, (size_t)gt_shape_elems(&x->shape) * gt_dtype_bytes(x->dtype));
    GT_TRY(scatter(data, x, indices, updates));
    status = bind_const(c, node, x->dtype, &x->shape, data);
    data = NULL;
done:
    gt_free(data);
    return status;
}
