/* SPDX-License-Identifier: Apache-2.0 */
/* Gemm and MatMul: dense where the right operand is a constant matrix, else matmul. */
#include "src/import/onnx_context.h"

/* ---- shared ---- */

static const int64_t swap[2] = {1, 0};

/* Multiplies a value by a number, unless that is 1. */
static gt_status times(gt_i_value **out, gt_i_onnx *c, const gt_onnx_node *node, gt_i_value *x, float factor)
{
    gt_status status = GT_OK;
    gt_shape shape = {0};
    gt_i_value *value = NULL;
    float *data = NULL;
    if (factor == 1.0f) {
        *out = x;
        return GT_OK;
    }
    GT_TRY(gt_i_onnx_alloc(&data, c, GT_F32, &shape));
    *data = factor;
    GT_TRY(gt_i_onnx_add_const(&value, c, NULL, GT_F32, &shape, data));
    data = NULL;
    GT_TRY(gt_i_onnx_binary(out, c, node, -1, GT_BINARY_MUL, x, value));
done:
    gt_free(data);
    return status;
}

/* ---- Gemm: y = alpha a' b' + beta c ---- */

typedef struct gemm {
    gt_i_value *a, *b, *c; /* c may be NULL */
    float alpha, beta;
    bool transpose_a, transpose_b;
    int64_t columns;
} gemm;

static gt_status read_gemm(gemm *g, gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    int64_t transpose_a = 0;
    int64_t transpose_b = 0;
    GT_TRY(gt_i_onnx_attr_float(&g->alpha, node, "alpha", 1));
    GT_TRY(gt_i_onnx_attr_float(&g->beta, node, "beta", 1));
    GT_TRY(gt_i_onnx_attr_int(&transpose_a, node, "transA", 0));
    GT_TRY(gt_i_onnx_attr_int(&transpose_b, node, "transB", 0));
    GT_TRY(gt_i_onnx_input(&g->a, c, node, 0, "a"));
    GT_TRY(gt_i_onnx_input(&g->b, c, node, 1, "b"));
    if (gt_i_onnx_has_input(node, 2)) {
        GT_TRY(gt_i_onnx_input(&g->c, c, node, 2, "c"));
    }
    GT_REQUIRE(g->a->shape.rank == 2 && g->b->shape.rank == 2, GT_ERROR_SHAPE,
               "a, '%s', has rank %d and b, '%s', %d; both must be matrices", g->a->name, g->a->shape.rank,
               g->b->name, g->b->shape.rank);
    g->transpose_a = transpose_a != 0;
    g->transpose_b = transpose_b != 0;
    g->columns = g->b->shape.dim[g->transpose_b ? 0 : 1];
    int64_t left = g->a->shape.dim[g->transpose_a ? 0 : 1];
    int64_t right = g->b->shape.dim[g->transpose_b ? 1 : 0];
    GT_REQUIRE(left == right, GT_ERROR_SHAPE,
               "a, '%s', has %lld columns and b, '%s', %lld rows; they must be equal", g->a->name,
               (long long)left, g->b->name, (long long)right);
done:
    return status;
}

/* Whether c is the same in every row, so that it can be a bias. */
static bool is_row(const gemm *g)
{
    const gt_shape *shape = &g->c->shape;
    int64_t last = shape->rank > 0 ? shape->dim[shape->rank - 1] : 1;
    return gt_i_onnx_is_const(g->c) && gt_shape_elems(shape) == last && (last == 1 || last == g->columns);
}

/* beta c as a vector of one entry per column. */
static gt_status make_bias(gt_i_value **out, gt_i_onnx *c, const gt_onnx_node *node, const gemm *g)
{
    gt_status status = GT_OK;
    gt_i_value *bias = NULL;
    gt_shape vector = {.rank = 1, .dim = {gt_shape_elems(&g->c->shape)}};
    GT_TRY(gt_i_onnx_reshape(&bias, c, g->c, &vector));
    GT_TRY(times(&bias, c, node, bias, g->beta));
    if (vector.dim[0] != g->columns) {
        gt_attrs attrs = {.tile.repeats = {1, (int64_t[]){g->columns}}};
        GT_TRY(gt_i_onnx_emit(&bias, c, GT_OP_TILE, &attrs, 1, &bias, NULL));
    }
    *out = bias;
done:
    return status;
}

static gt_status gemm_dense(gt_i_onnx *c, const gt_onnx_node *node, const gemm *g)
{
    gt_status status = GT_OK;
    gt_i_value *in[3] = {g->a, g->b, NULL};
    gt_i_value *y = NULL;
    gt_attrs attrs = {.dense.rows = false};
    if (!g->transpose_b) {
        GT_TRY(gt_i_onnx_transpose(&in[1], c, g->b, swap));
    }
    GT_TRY(times(&in[1], c, node, in[1], g->alpha));
    if (g->c == NULL || is_row(g)) {
        if (g->c != NULL) {
            GT_TRY(make_bias(&in[2], c, node, g));
        }
        GT_TRY(gt_i_onnx_emit_output(c, node, 0, GT_OP_DENSE, &attrs, g->c != NULL ? 3 : 2, in, NULL));
    } else {
        gt_i_value *addend = NULL;
        GT_TRY(gt_i_onnx_emit_core(&y, c, GT_OP_DENSE, &attrs, 2, in, NULL));
        GT_TRY(times(&addend, c, node, g->c, g->beta));
        GT_TRY(gt_i_onnx_binary(&y, c, node, 0, GT_BINARY_ADD, y, addend));
    }
done:
    return status;
}

static gt_status gemm_matmul(gt_i_onnx *c, const gt_onnx_node *node, const gemm *g)
{
    gt_status status = GT_OK;
    gt_i_value *in[2] = {g->a, g->b};
    gt_i_value *y = NULL;
    gt_i_value *addend = NULL;
    if (g->transpose_b) {
        GT_TRY(gt_i_onnx_transpose(&in[1], c, g->b, swap));
    }
    if (g->c == NULL && g->alpha == 1.0f) {
        return gt_i_onnx_emit_output(c, node, 0, GT_OP_MATMUL, &(gt_attrs){0}, 2, in, NULL);
    }
    GT_TRY(gt_i_onnx_emit_core(&y, c, GT_OP_MATMUL, &(gt_attrs){0}, 2, in, NULL));
    GT_TRY(times(&y, c, node, y, g->alpha));
    if (g->c == NULL) {
        GT_TRY(gt_i_onnx_bind(c, node, 0, y));
    } else {
        GT_TRY(times(&addend, c, node, g->c, g->beta));
        GT_TRY(gt_i_onnx_binary(&y, c, node, 0, GT_BINARY_ADD, y, addend));
    }
done:
    return status;
}

gt_status gt_i_onnx_gemm(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gemm g = {0};
    GT_TRY(read_gemm(&g, c, node));
    if (g.transpose_a) {
        GT_TRY(gt_i_onnx_transpose(&g.a, c, g.a, swap));
    }
    GT_TRY(gt_i_onnx_is_const(g.b) ? gemm_dense(c, node, &g) : gemm_matmul(c, node, &g));
done:
    return status;
}

/* ---- MatMul ---- */

/* numpy: a vector on the left is a row, one on the right a column, and the 1 disappears from the result. */
static gt_status as_matrix(gt_i_value **out, gt_i_onnx *c, gt_i_value *x, bool row)
{
    int64_t n = x->shape.dim[0];
    gt_shape shape = {.rank = 2, .dim = {row ? 1 : n, row ? n : 1}};
    if (x->shape.rank != 1) {
        *out = x;
        return GT_OK;
    }
    return gt_i_onnx_reshape(out, c, x, &shape);
}

static gt_shape without_ones(const gt_shape *product, bool drop_row, bool drop_column)
{
    gt_shape shape = {0};
    for (int i = 0; i < product->rank; i++) {
        if (!(drop_row && i == product->rank - 2) && !(drop_column && i == product->rank - 1)) {
            shape.dim[shape.rank++] = product->dim[i];
        }
    }
    return shape;
}

static gt_status check_matmul(const gt_i_value *a, const gt_i_value *b)
{
    gt_status status = GT_OK;
    char left[GT_SHAPE_TEXT_BYTES];
    char right[GT_SHAPE_TEXT_BYTES];
    GT_REQUIRE(a->shape.rank >= 1 && b->shape.rank >= 1, GT_ERROR_SHAPE,
               "a, '%s', has shape %s and b, '%s', %s; scalars have no matrix product", a->name,
               gt_shape_format(left, sizeof left, &a->shape), b->name,
               gt_shape_format(right, sizeof right, &b->shape));
    int64_t inner = b->shape.dim[b->shape.rank == 1 ? 0 : b->shape.rank - 2];
    GT_REQUIRE(a->shape.dim[a->shape.rank - 1] == inner, GT_ERROR_SHAPE,
               "a, '%s', has shape %s and b, '%s', %s; a's columns and b's rows must be equal", a->name,
               gt_shape_format(left, sizeof left, &a->shape), b->name,
               gt_shape_format(right, sizeof right, &b->shape));
done:
    return status;
}

gt_status gt_i_onnx_matmul(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *a = NULL;
    gt_i_value *b = NULL;
    gt_i_value *in[2] = {NULL};
    gt_i_value *y = NULL;
    GT_TRY(gt_i_onnx_input(&a, c, node, 0, "a"));
    GT_TRY(gt_i_onnx_input(&b, c, node, 1, "b"));
    GT_TRY(check_matmul(a, b));
    GT_TRY(as_matrix(&in[0], c, a, true));
    GT_TRY(as_matrix(&in[1], c, b, false));
    bool vectors = a->shape.rank == 1 || b->shape.rank == 1;
    bool dense = gt_i_onnx_is_const(b) && in[1]->shape.rank == 2;
    gt_attrs attrs = {0};
    gt_op_kind kind = dense ? GT_OP_DENSE : GT_OP_MATMUL;
    if (dense) {
        GT_TRY(gt_i_onnx_transpose(&in[1], c, in[1], swap));
        attrs.dense.rows = in[0]->shape.rank > 2;
    }
    if (!vectors) {
        return gt_i_onnx_emit_output(c, node, 0, kind, &attrs, 2, in, NULL);
    }
    GT_TRY(gt_i_onnx_emit_core(&y, c, kind, &attrs, 2, in, NULL));
    gt_shape shape = without_ones(&y->shape, a->shape.rank == 1, b->shape.rank == 1);
    GT_TRY(gt_i_onnx_reshape_output(c, node, 0, y, &shape));
done:
    return status;
}
