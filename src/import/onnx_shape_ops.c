/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that give the same elements another shape or order: Reshape and its relatives, Transpose, Expand,
 * Tile. */
#include "src/import/onnx_context.h"

#include <string.h>

/* ---- Reshape ---- */

/* The shape that a request with 0 (copy) and -1 (whatever is left) means for x. */
static gt_status resolve_shape(gt_shape *out, const gt_i_value *x, const gt_i_ints *request, bool allow_zero)
{
    gt_status status = GT_OK;
    gt_shape shape = {.rank = (int)request->count};
    int64_t known = 1;
    int open = -1;
    char text[GT_SHAPE_TEXT_BYTES];
    GT_REQUIRE(request->count <= GT_MAX_RANK, GT_ERROR_UNSUPPORTED,
               "the new shape has rank %lld; up to %d is handled", (long long)request->count, GT_MAX_RANK);
    for (int i = 0; i < shape.rank; i++) {
        int64_t dim = request->values[i];
        GT_REQUIRE(dim >= -1, GT_ERROR_FORMAT, "entry %d of the new shape is %lld", i, (long long)dim);
        GT_REQUIRE(dim != -1 || open < 0, GT_ERROR_FORMAT, "entries %d and %d of the new shape are both -1",
                   open, i);
        if (dim == 0 && !allow_zero) {
            GT_REQUIRE(i < x->shape.rank, GT_ERROR_SHAPE,
                       "entry %d of the new shape is 0, to copy, but '%s' has rank %d", i, x->name,
                       x->shape.rank);
            dim = x->shape.dim[i];
        }
        open = dim == -1 ? i : open;
        shape.dim[i] = dim;
        if (dim != -1) {
            GT_TRY(gt_i_mul(&known, known, dim, "the new shape's elements"));
        }
    }
    int64_t elems = gt_shape_elems(&x->shape);
    if (open >= 0) {
        GT_REQUIRE(known > 0 && elems % known == 0, GT_ERROR_SHAPE,
                   "'%s' has shape %s; its %lld elements do not divide by the %lld that the new shape fixes",
                   x->name, gt_shape_format(text, sizeof text, &x->shape), (long long)elems,
                   (long long)known);
        shape.dim[open] = elems / known;
        known *= shape.dim[open];
    }
    GT_REQUIRE(known == elems, GT_ERROR_SHAPE, "'%s' has shape %s, %lld elements; the new shape has %lld",
               x->name, gt_shape_format(text, sizeof text, &x->shape), (long long)elems, (long long)known);
    *out = shape;
done:
    return status;
}

gt_status gt_i_onnx_reshape_op(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_i_ints request = {0};
    int64_t allow_zero = 0;
    gt_shape shape;
    GT_TRY(gt_i_onnx_attr_int(&allow_zero, node, "allowzero", 0));
    GT_TRY(gt_i_onnx_ints(&request, c, node, "shape", 1));
    GT_REQUIRE(request.present, GT_ERROR_FORMAT, "the new shape (input 1) is missing");
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    GT_TRY(resolve_shape(&shape, x, &request, allow_zero != 0));
    GT_TRY(gt_i_onnx_reshape_output(c, node, 0, x, &shape));
done:
    return status;
}

gt_status gt_i_onnx_flatten(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    int64_t axis = 1;
    gt_shape shape = {.rank = 2, .dim = {1, 1}};
    GT_TRY(gt_i_onnx_attr_int(&axis, node, "axis", 1));
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    GT_REQUIRE(axis >= -x->shape.rank && axis <= x->shape.rank, GT_ERROR_FORMAT,
               "axis is %lld; x, '%s', has rank %d, so %d to %d are allowed", (long long)axis, x->name,
               x->shape.rank, -x->shape.rank, x->shape.rank);
    axis += axis < 0 ? x->shape.rank : 0;
    for (int i = 0; i < x->shape.rank; i++) {
        shape.dim[i < axis ? 0 : 1] *= x->shape.dim[i];
    }
    GT_TRY(gt_i_onnx_reshape_output(c, node, 0, x, &shape));
done:
    return status;
}

gt_status gt_i_onnx_squeeze(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_i_ints axes = {0};
    bool gone[GT_MAX_RANK] = {false};
    gt_shape shape = {0};
    GT_TRY(gt_i_onnx_ints(&axes, c, node, "axes", 1));
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    GT_TRY(gt_i_onnx_axes(gone, &axes, x->shape.rank));
    for (int i = 0; i < x->shape.rank; i++) {
        int64_t dim = x->shape.dim[i];
        GT_REQUIRE(!gone[i] || dim == 1, GT_ERROR_SHAPE,
                   "axis %d of '%s' is %lld long; only 1 can be squeezed", i, x->name, (long long)dim);
        if (axes.present ? !gone[i] : dim != 1) {
            shape.dim[shape.rank++] = dim;
        }
    }
    GT_TRY(gt_i_onnx_reshape_output(c, node, 0, x, &shape));
done:
    return status;
}

gt_status gt_i_onnx_unsqueeze(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_i_ints axes = {0};
    bool added[GT_MAX_RANK] = {false};
    gt_shape shape = {0};
    GT_TRY(gt_i_onnx_ints(&axes, c, node, "axes", 1));
    GT_REQUIRE(axes.present, GT_ERROR_FORMAT, "the axes (input 1) are missing");
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    GT_REQUIRE(axes.count <= GT_MAX_RANK - x->shape.rank, GT_ERROR_UNSUPPORTED,
               "the result has rank %lld; up to %d is handled", (long long)(x->shape.rank + axes.count),
               GT_MAX_RANK);
    shape.rank = x->shape.rank + (int)axes.count;
    GT_TRY(gt_i_onnx_axes(added, &axes, shape.rank));
    for (int i = 0, from = 0; i < shape.rank; i++) {
        shape.dim[i] = added[i] ? 1 : x->shape.dim[from++];
    }
    GT_TRY(gt_i_onnx_reshape_output(c, node, 0, x, &shape));
done:
    return status;
}

/* ---- Transpose ---- */

gt_status gt_i_onnx_transpose_op(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_i_ints list = {0};
    int64_t perm[GT_MAX_RANK] = {0};
    bool seen[GT_MAX_RANK] = {false};
    GT_TRY(gt_i_onnx_attr_ints(&list, node, "perm"));
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    int rank = x->shape.rank;
    GT_REQUIRE(!list.present || list.count == rank, GT_ERROR_FORMAT,
               "perm has %lld entries; '%s' has rank %d", (long long)list.count, x->name, rank);
    GT_TRY(gt_i_onnx_axes(seen, &list, rank));
    for (int i = 0; i < rank; i++) {
        perm[i] = list.present ? list.values[i] : rank - 1 - i;
        GT_TRY(gt_i_onnx_axis(&perm[i], rank, "an entry of perm"));
    }
    gt_attrs attrs = {.transpose.perm = {rank, perm}};
    GT_TRY(gt_i_onnx_emit_output(c, node, 0, GT_OP_TRANSPOSE, &attrs, 1, &x, NULL));
done:
    return status;
}

/* ---- Expand, Tile ---- */

/* tile as output 0, or nothing where nothing is repeated. */
static gt_status tile(gt_i_onnx *c, const gt_onnx_node *node, gt_i_value *x, int64_t *repeats)
{
    bool repeated = false;
    gt_shape shape = x->shape;
    for (int i = 0; i < x->shape.rank; i++) {
        repeated = repeated || repeats[i] != 1;
        if (__builtin_mul_overflow(shape.dim[i], repeats[i], &shape.dim[i])) {
            return gt_fail(GT_ERROR_LIMIT, "axis %d of '%s', %lld long, is repeated %lld times", i, x->name,
                           (long long)x->shape.dim[i], (long long)repeats[i]);
        }
    }
    if (!repeated) {
        return gt_i_onnx_bind(c, node, 0, x);
    }
    gt_attrs attrs = {.tile.repeats = {x->shape.rank, repeats}};
    gt_operand hint = {.present = true, .dtype = x->dtype, .shape = shape};
    return gt_i_onnx_emit_output(c, node, 0, GT_OP_TILE, &attrs, 1, &x, &hint);
}

gt_status gt_i_onnx_expand(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_i_ints request = {0};
    gt_shape wanted;
    gt_shape shape;
    int64_t repeats[GT_MAX_RANK] = {0};
    char a[GT_SHAPE_TEXT_BYTES];
    char b[GT_SHAPE_TEXT_BYTES];
    GT_TRY(gt_i_onnx_const_ints(&request, c, node, 1, "shape"));
    GT_REQUIRE(request.present, GT_ERROR_FORMAT, "the shape (input 1) is missing");
    GT_REQUIRE(request.count <= GT_MAX_RANK, GT_ERROR_UNSUPPORTED,
               "the new shape has rank %lld; up to %d is handled", (long long)request.count, GT_MAX_RANK);
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    wanted = gt_shape_of((int)request.count, request.values);
    GT_TRY(gt_shape_check(&wanted));
    GT_REQUIRE(gt_shape_broadcast(&shape, &x->shape, &wanted), GT_ERROR_SHAPE,
               "'%s' has shape %s, which does not expand to %s", x->name,
               gt_shape_format(a, sizeof a, &x->shape), gt_shape_format(b, sizeof b, &wanted));
    GT_TRY(gt_i_onnx_align_rank(&x, c, x, shape.rank));
    for (int i = 0; i < shape.rank; i++) {
        repeats[i] = x->shape.dim[i] == shape.dim[i] ? 1 : shape.dim[i];
    }
    GT_TRY(tile(c, node, x, repeats));
done:
    return status;
}

/* Opset 1: a count and an axis. */
static gt_status read_old_tile(int64_t *repeats, gt_i_onnx *c, const gt_onnx_node *node, int rank)
{
    gt_status status = GT_OK;
    gt_i_value *count = NULL;
    gt_i_value *axis = NULL;
    GT_TRY(gt_i_onnx_const_input(&count, c, node, 1, "tiles"));
    GT_TRY(gt_i_onnx_const_input(&axis, c, node, 2, "axis"));
    GT_REQUIRE(gt_shape_elems(&count->shape) == 1 && gt_shape_elems(&axis->shape) == 1, GT_ERROR_SHAPE,
               "tiles, '%s', and axis, '%s', must be single numbers", count->name, axis->name);
    int64_t where = gt_i_onnx_get_i64(axis, 0);
    GT_TRY(gt_i_onnx_axis(&where, rank, "axis"));
    for (int i = 0; i < rank; i++) {
        repeats[i] = i == where ? gt_i_onnx_get_i64(count, 0) : 1;
    }
done:
    return status;
}

gt_status gt_i_onnx_tile(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_i_ints request = {0};
    int64_t repeats[GT_MAX_RANK] = {0};
    if (c->model->opset >= 6) {
        GT_TRY(gt_i_onnx_const_ints(&request, c, node, 1, "repeats"));
        GT_REQUIRE(request.present, GT_ERROR_FORMAT, "the repeats (input 1) are missing");
    }
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    if (c->model->opset < 6) {
        GT_TRY(read_old_tile(repeats, c, node, x->shape.rank));
    } else {
        GT_REQUIRE(request.count == x->shape.rank, GT_ERROR_SHAPE, "there are %lld repeats; '%s' has rank %d",
                   (long long)request.count, x->name, x->shape.rank);
        memcpy(repeats, request.values, (size_t)request.count * sizeof *repeats);
    }
    for (int i = 0; i < x->shape.rank; i++) {
        GT_REQUIRE(repeats[i] >= 0, GT_ERROR_FORMAT, "the number of repeats of axis %d is %lld", i,
                   (long long)repeats[i]);
    }
    GT_TRY(tile(c, node, x, repeats));
done:
    return status;
}

/* ---- blocks ---- */

static gt_status block_op(gt_i_onnx *c, const gt_onnx_node *node, gt_op_kind kind, bool crd)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_attrs attrs = {.block.crd = crd};
    GT_TRY(gt_i_onnx_attr_int(&attrs.block.block, node, "blocksize", 0));
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    GT_TRY(gt_i_onnx_emit_output(c, node, 0, kind, &attrs, 1, &x, NULL));
done:
    return status;
}

gt_status gt_i_onnx_depth_to_space(gt_i_onnx *c, const gt_onnx_node *node)
{
    const char *mode = NULL;
    gt_status status = gt_i_onnx_attr_string(&mode, node, "mode", "DCR");
    if (status != GT_OK) {
        return status;
    }
    bool crd = strcmp(mode, "CRD") == 0;
    if (!crd && strcmp(mode, "DCR") != 0) {
        return gt_fail(GT_ERROR_FORMAT, "mode is '%s'; DCR and CRD are allowed", mode);
    }
    return block_op(c, node, GT_OP_DEPTH_TO_SPACE, crd);
}

gt_status gt_i_onnx_space_to_depth(gt_i_onnx *c, const gt_onnx_node *node)
{
    return block_op(c, node, GT_OP_SPACE_TO_DEPTH, false);
}
