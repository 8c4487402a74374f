/* SPDX-License-Identifier: Apache-2.0 */
/* Eltwise and BinaryOp. */
#include "src/import/ncnn_context.h"

/* ---- Eltwise ---- */

/* Bottom k times its coefficient. */
static gt_status weighted(int *out, gt_i_ncnn *c, int k, const gt_ncnn_param *coeffs)
{
    gt_status status = GT_OK;
    float factor = 1;
    *out = gt_i_ncnn_bottom(c, k);
    if (coeffs != NULL) {
        GT_TRY(gt_i_ncnn_array_float(&factor, coeffs, k, "coeffs"));
    }
    if (factor != 1) {
        GT_TRY(gt_i_ncnn_binary_scalar(out, c, GT_I_HELPER, GT_BINARY_MUL, *out, factor));
    }
done:
    return status;
}

gt_status gt_i_ncnn_eltwise(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    static const gt_binary_function functions[] = {GT_BINARY_MUL, GT_BINARY_ADD, GT_BINARY_MAX};
    gt_status status = GT_OK;
    int64_t type = 0;
    int sum = GT_NO_TENSOR;
    GT_TRY(gt_i_ncnn_int(&type, layer, 0, "op_type", 0, 0, 2));
    const gt_ncnn_param *coeffs = gt_i_ncnn_array(layer, 1);
    coeffs = gt_i_ncnn_array_count(coeffs) > 0 && functions[type] == GT_BINARY_ADD ? coeffs : NULL;
    GT_REQUIRE(coeffs == NULL || coeffs->count == layer->n_bottoms, GT_ERROR_FORMAT,
               "parameter 1 (coeffs) has %lld elements; there are %d bottoms",
               (long long)gt_i_ncnn_array_count(coeffs), layer->n_bottoms);
    gt_shape first = gt_i_ncnn_shape(c, gt_i_ncnn_bottom(c, 0));
    for (int k = 0; k < layer->n_bottoms; k++) {
        char a[GT_SHAPE_TEXT_BYTES];
        char b[GT_SHAPE_TEXT_BYTES];
        int term = GT_NO_TENSOR;
        gt_shape shape = gt_i_ncnn_shape(c, gt_i_ncnn_bottom(c, k));
        GT_REQUIRE(gt_shape_equal(&shape, &first), GT_ERROR_SHAPE, "bottom %d has shape %s; the first has %s",
                   k, gt_shape_format(a, sizeof a, &shape), gt_shape_format(b, sizeof b, &first));
        GT_TRY(weighted(&term, c, k, coeffs));
        int top = k == layer->n_bottoms - 1 ? 0 : GT_I_HELPER;
        if (k == 0) {
            sum = term;
        } else {
            GT_TRY(gt_i_ncnn_binary(&sum, c, top, functions[type], sum, term));
        }
    }
done:
    return status;
}

/* ---- BinaryOp ---- */

/* Whether the shapes broadcast when `small` gets dimensions of 1, at the end (`inner`) or at the
 * beginning. */
static bool fits(gt_shape *out, const gt_shape *small, const gt_shape *large, bool inner)
{
    gt_shape both;
    int missing = large->rank - small->rank;
    *out = (gt_shape){.rank = large->rank, .dim = {1}};
    for (int i = 1; i < large->rank; i++) {
        int from = inner ? i : i - missing;
        out->dim[i] = from >= 1 && from < small->rank ? small->dim[from] : 1;
    }
    return gt_shape_broadcast(&both, out, large);
}

/* ncnn lines up the outermost dimensions: a vector with the channels, a matrix with channels and rows.
 * Only where that cannot be does it line up the innermost ones. */
static gt_status widen(int *out, gt_i_ncnn *c, int tensor, const gt_shape *large)
{
    gt_shape small = gt_i_ncnn_shape(c, tensor);
    gt_shape shape;
    char a[GT_SHAPE_TEXT_BYTES];
    char b[GT_SHAPE_TEXT_BYTES];
    if (small.rank < large->rank && (fits(&shape, &small, large, true) || fits(&shape, &small, large,
        false))) {
        return gt_i_ncnn_reshape(out, c, GT_I_HELPER, tensor, &shape);
    }
    if (small.rank >= large->rank && (small.rank > large->rank || gt_shape_broadcast(&shape, &small,
        large))) {
        *out = tensor;
        return GT_OK;
    }
    return gt_fail(GT_ERROR_SHAPE, "bottoms of shapes %s and %s do not broadcast",
                   gt_shape_format(a, sizeof a, &small), gt_shape_format(b, sizeof b, large));
}

gt_status gt_i_ncnn_binary_op(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    static const struct {
        gt_binary_function function;
        bool swapped;
    } kinds[] = {{GT_BINARY_ADD, false}, {GT_BINARY_SUB, false}, {GT_BINARY_MUL, false}, {GT_BINARY_DIV,
        false},
                 {GT_BINARY_MAX, false}, {GT_BINARY_MIN, false}, {GT_BINARY_POW, false}, {GT_BINARY_SUB,
                     true},
                 {GT_BINARY_DIV, true}, {GT_BINARY_POW, true}};
    gt_status status = GT_OK;
    int64_t type = 0;
    bool with_scalar = false;
    float b = 0;
    int in[2] = {gt_i_ncnn_bottom(c, 0), GT_NO_TENSOR};
    GT_TRY(gt_i_ncnn_int(&type, layer, 0, "op_type", 0, 0, 63));
    GT_REQUIRE(type <= 9, GT_ERROR_UNSUPPORTED, "parameter 0 (op_type) is %lld; 0 to 9 (add, sub, mul, div, "
               "max, min, pow, rsub, rdiv, rpow) are handled", (long long)type);
    GT_TRY(gt_i_ncnn_flag(&with_scalar, layer, 1, "with_scalar"));
    GT_TRY(gt_i_ncnn_float(&b, layer, 2, "b", 0));
    GT_REQUIRE(layer->n_bottoms == (with_scalar ? 1 : 2), GT_ERROR_FORMAT,
               "it has %d bottoms and parameter 1 (with_scalar) is %d; %d are needed", layer->n_bottoms,
               with_scalar, with_scalar ? 1 : 2);
    gt_shape left = gt_i_ncnn_shape(c, in[0]);
    if (with_scalar) {
        GT_TRY(gt_i_ncnn_scalar(&in[1], c, left.rank, b));
    } else {
        in[1] = gt_i_ncnn_bottom(c, 1);
        gt_shape right = gt_i_ncnn_shape(c, in[1]);
        GT_TRY(widen(&in[0], c, in[0], &right));
        GT_TRY(widen(&in[1], c, in[1], &left));
    }
    bool swapped = kinds[type].swapped;
    GT_TRY(gt_i_ncnn_binary(NULL, c, 0, kinds[type].function, in[swapped ? 1 : 0], in[swapped ? 0 : 1]));
done:
    return status;
}
