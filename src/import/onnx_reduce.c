/* SPDX-License-Identifier: Apache-2.0 */
/* Ops along axes: the reductions, ArgMax, Softmax, LogSoftmax, LRN. */
#include "src/import/onnx_context.h"

#include <math.h>
#include <string.h>

/* ---- reductions ---- */

typedef enum fold_mode { FOLD_MEAN, FOLD_SUM, FOLD_MAX, FOLD_MIN, FOLD_PROD } fold_mode;

typedef struct reduction {
    gt_i_value *x;
    bool gone[GT_MAX_RANK];
    int64_t axes[GT_MAX_RANK];
    int n_axes;
    bool keepdims;
} reduction;

static gt_status read_reduction(reduction *r, gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_ints axes = {0};
    int64_t keepdims = 1;
    int64_t noop = 0;
    GT_TRY(gt_i_onnx_attr_int(&keepdims, node, "keepdims", 1));
    GT_TRY(gt_i_onnx_attr_int(&noop, node, "noop_with_empty_axes", 0));
    GT_TRY(gt_i_onnx_ints(&axes, c, node, "axes", 1));
    GT_TRY(gt_i_onnx_input(&r->x, c, node, 0, "x"));
    GT_TRY(gt_i_onnx_axes(r->gone, &axes, r->x->shape.rank));
    for (int i = 0; i < r->x->shape.rank; i++) {
        r->gone[i] = r->gone[i] || (axes.count == 0 && noop == 0);
        if (r->gone[i]) {
            r->axes[r->n_axes++] = i;
        }
    }
    r->keepdims = keepdims != 0;
done:
    return status;
}

static void accumulate(fold_mode mode, double *real, int64_t *whole, double x, int64_t i)
{
    switch (mode) {
    case FOLD_MEAN:
    case FOLD_SUM:
        *real += x;
        *whole = gt_i_onnx_binary_i64(GT_BINARY_ADD, *whole, i);
        break;
    case FOLD_MAX:
        *real = x > *real || isnan(x) ? x : *real;
        *whole = i > *whole ? i : *whole;
        break;
    case FOLD_MIN:
        *real = x < *real || isnan(x) ? x : *real;
        *whole = i < *whole ? i : *whole;
        break;
    case FOLD_PROD:
        *real *= x;
        *whole = gt_i_onnx_binary_i64(GT_BINARY_MUL, *whole, i);
        break;
    }
}

/* Where element `flat` of x goes in the result, which has x's rank and 1 in the reduced axes. */
static int64_t reduced_index(int64_t flat, const gt_shape *x, const bool *gone)
{
    int64_t index = 0;
    int64_t stride = 1;
    for (int axis = x->rank - 1; axis >= 0; axis--) {
        if (!gone[axis]) {
            index += flat % x->dim[axis] * stride;
            stride *= x->dim[axis];
        }
        flat /= x->dim[axis];
    }
    return index;
}

/* Reduces a constant in double or int64, both carried along; the one of x's type is stored. */
static gt_status reduce_elements(double *real, int64_t *whole, const reduction *r, fold_mode mode,
                                 int64_t n_out)
{
    gt_status status = GT_OK;
    const gt_i_value *x = r->x;
    int64_t elems = gt_shape_elems(&x->shape);
    GT_REQUIRE(elems > 0 || mode == FOLD_SUM || mode == FOLD_PROD, GT_ERROR_SHAPE, "'%s' is empty", x->name);
    for (int64_t i = 0; i < n_out; i++) {
        real[i] = mode == FOLD_PROD ? 1 : mode == FOLD_MAX ? -INFINITY : mode == FOLD_MIN ? INFINITY : 0;
        whole[i] = mode == FOLD_PROD ? 1 : mode == FOLD_MAX ? INT64_MIN : mode == FOLD_MIN ? INT64_MAX : 0;
    }
    for (int64_t i = 0; i < elems; i++) {
        int64_t to = reduced_index(i, &x->shape, r->gone);
        accumulate(mode, &real[to], &whole[to], gt_i_onnx_get_f64(x, i), gt_i_onnx_get_i64(x, i));
    }
    for (int64_t i = 0; mode == FOLD_MEAN && i < n_out; i++) {
        real[i] /= (double)(elems / n_out);
        whole[i] /= elems / n_out;
    }
done:
    return status;
}

static gt_status fold_reduction(gt_i_onnx *c, const gt_onnx_node *node, const reduction *r, fold_mode mode)
{
    gt_status status = GT_OK;
    gt_shape kept = r->x->shape;
    gt_shape shape = {0};
    double *real = NULL;
    int64_t *whole = NULL;
    float *data = NULL;
    gt_i_value *y = NULL;
    GT_REQUIRE(r->x->dtype != GT_BOOL, GT_ERROR_UNSUPPORTED, "'%s' is bool; numbers are needed", r->x->name);
    for (int i = 0; i < kept.rank; i++) {
        kept.dim[i] = r->gone[i] ? 1 : kept.dim[i];
        if (!r->gone[i] || r->keepdims) {
            shape.dim[shape.rank++] = kept.dim[i];
        }
    }
    int64_t n = gt_shape_elems(&shape);
    GT_TRY(gt_i_onnx_count_work(c, gt_shape_elems(&r->x->shape)));
    GT_TRY(gt_i_onnx_alloc(&real, c, GT_I64, &shape)); /* a double is as wide */
    GT_TRY(gt_i_onnx_alloc(&whole, c, GT_I64, &shape));
    GT_TRY(reduce_elements(real, whole, r, mode, n));
    if (r->x->dtype == GT_I64) {
        GT_TRY(gt_i_onnx_add_const(&y, c, NULL, GT_I64, &shape, whole));
        whole = NULL;
    } else {
        GT_TRY(gt_i_onnx_alloc(&data, c, GT_F32, &shape));
        for (int64_t i = 0; i < n; i++) {
            data[i] = (float)real[i];
        }
        GT_TRY(gt_i_onnx_add_const(&y, c, NULL, GT_F32, &shape, data));
        data = NULL;
    }
    GT_TRY(gt_i_onnx_bind(c, node, 0, y));
done:
    gt_free(real);
    gt_free(whole);
    gt_free(data);
    return status;
}

static gt_status reduce(gt_i_onnx *c, const gt_onnx_node *node, fold_mode mode)
{
    gt_status status = GT_OK;
    reduction r = {0};
    gt_attrs attrs = {0};
    GT_TRY(read_reduction(&r, c, node));
    if (r.n_axes == 0) {
        return gt_i_onnx_bind(c, node, 0, r.x);
    }
    if (gt_i_onnx_is_const(r.x)) {
        return fold_reduction(c, node, &r, mode);
    }
    GT_REQUIRE(mode <= FOLD_MAX, GT_ERROR_UNSUPPORTED,
               "'%s' is computed at run time; this reduction is handled only on constants", r.x->name);
    attrs.reduce.mode = mode == FOLD_MEAN ? GT_REDUCE_MEAN : mode == FOLD_SUM ? GT_REDUCE_SUM : GT_REDUCE_MAX;
    attrs.reduce.axes = (gt_int_list){r.n_axes, r.axes};
    attrs.reduce.keepdims = r.keepdims;
    GT_TRY(gt_i_onnx_emit_output(c, node, 0, GT_OP_REDUCE, &attrs, 1, &r.x, NULL));
done:
    return status;
}

#define PLAIN_REDUCE(handler, mode)                                       \
    gt_status gt_i_onnx_##handler(gt_i_onnx *c, const gt_onnx_node *node) \
    {                                                                     \
        return reduce(c, node, mode);                                     \
    }
PLAIN_REDUCE(reduce_mean, FOLD_MEAN)
PLAIN_REDUCE(reduce_sum, FOLD_SUM)
PLAIN_REDUCE(reduce_max, FOLD_MAX)
PLAIN_REDUCE(reduce_min, FOLD_MIN)
PLAIN_REDUCE(reduce_prod, FOLD_PROD)

/* ---- ArgMax ---- */

gt_status gt_i_onnx_argmax(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_attrs attrs = {0};
    int64_t keepdims = 1;
    int64_t last = 0;
    GT_TRY(gt_i_onnx_attr_int(&attrs.argmax.axis, node, "axis", 0));
    GT_TRY(gt_i_onnx_attr_int(&keepdims, node, "keepdims", 1));
    GT_TRY(gt_i_onnx_attr_int(&last, node, "select_last_index", 0));
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    GT_TRY(gt_i_onnx_axis(&attrs.argmax.axis, x->shape.rank, "axis"));
    attrs.argmax.keepdims = keepdims != 0;
    attrs.argmax.last = last != 0;
    GT_TRY(gt_i_onnx_emit_output(c, node, 0, GT_OP_ARGMAX, &attrs, 1, &x, NULL));
done:
    return status;
}

/* ---- Softmax ---- */

/* Before opset 13 x is seen as a matrix, cut at `axis`, and the rows are normalised as a whole. */
static gt_status coerced_softmax(gt_i_onnx *c, const gt_onnx_node *node, gt_i_value *x, gt_attrs *attrs)
{
    gt_status status = GT_OK;
    gt_i_value *matrix = NULL;
    gt_shape shape = {.rank = 2, .dim = {1, 1}};
    int64_t axis = attrs->softmax.axis;
    int n_long = 0;
    for (int i = 0; i < x->shape.rank; i++) {
        shape.dim[i < axis ? 0 : 1] *= x->shape.dim[i];
        if (i >= axis && x->shape.dim[i] != 1) {
            attrs->softmax.axis = i;
            n_long++;
        }
    }
    if (n_long <= 1) {
        return gt_i_onnx_emit_output(c, node, 0, GT_OP_SOFTMAX, attrs, 1, &x, NULL);
    }
    attrs->softmax.axis = 1;
    GT_TRY(gt_i_onnx_reshape(&matrix, c, x, &shape));
    GT_TRY(gt_i_onnx_emit_core(&matrix, c, GT_OP_SOFTMAX, attrs, 1, &matrix, NULL));
    GT_TRY(gt_i_onnx_reshape_output(c, node, 0, matrix, &x->shape));
done:
    return status;
}

static gt_status softmax(gt_i_onnx *c, const gt_onnx_node *node, bool log)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_attrs attrs = {.softmax.log = log};
    bool coerced = c->model->opset < 13;
    GT_TRY(gt_i_onnx_attr_int(&attrs.softmax.axis, node, "axis", coerced ? 1 : -1));
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    if (coerced && attrs.softmax.axis == 1 && x->shape.rank == 1) {
        attrs.softmax.axis = 0; /* the default of opset 1 on a vector */
    }
    GT_TRY(gt_i_onnx_axis(&attrs.softmax.axis, x->shape.rank, "axis"));
    GT_TRY(coerced ? coerced_softmax(c, node, x, &attrs)
                   : gt_i_onnx_emit_output(c, node, 0, GT_OP_SOFTMAX, &attrs, 1, &x, NULL));
done:
    return status;
}

gt_status gt_i_onnx_softmax(gt_i_onnx *c, const gt_onnx_node *node)
{
    return softmax(c, node, false);
}

gt_status gt_i_onnx_log_softmax(gt_i_onnx *c, const gt_onnx_node *node)
{
    return softmax(c, node, true);
}

/* ---- LRN ---- */

gt_status gt_i_onnx_lrn(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_i_value *image = NULL;
    gt_attrs attrs = {0};
    GT_TRY(gt_i_onnx_attr_int(&attrs.lrn.size, node, "size", 0));
    GT_TRY(gt_i_onnx_attr_float(&attrs.lrn.alpha, node, "alpha", 1e-4f));
    GT_TRY(gt_i_onnx_attr_float(&attrs.lrn.beta, node, "beta", 0.75f));
    GT_TRY(gt_i_onnx_attr_float(&attrs.lrn.bias, node, "bias", 1.0f));
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    GT_TRY(gt_i_onnx_to_image(&image, c, x, "LRN"));
    GT_TRY(gt_i_onnx_emit_image(c, node, x->shape.rank, GT_OP_LRN, &attrs, 1, &image, NULL));
done:
    return status;
}
