/* SPDX-License-Identifier: Apache-2.0 */
/* Inference of the ops with weights or sliding windows. */
#include "src/graph/infer.h"

#include <stdio.h>

static const char *const axis_name[2] = {"H", "W"};

static gt_status pair_range(const gt_inference *op, const char *field, const int64_t *values, int count, int64_t lo)
{
    for (int i = 0; i < count; i++) {
        if (values[i] < lo || values[i] > GT_MAX_ATTR) {
            char name[32];
            snprintf(name, sizeof name, "%s[%d]", field, i);
            return gt_i_attr_range(op, name, values[i], lo, GT_MAX_ATTR);
        }
    }
    return GT_OK;
}

static gt_status check_window(const gt_inference *op, const int64_t *stride, const int64_t *pad,
                              const int64_t *dilation)
{
    gt_status status = GT_OK;
    GT_TRY(pair_range(op, "stride", stride, 2, 1));
    GT_TRY(pair_range(op, "pad", pad, 4, 0));
    GT_TRY(pair_range(op, "dilation", dilation, 2, 1));
done:
    return status;
}

static gt_status need_vector(const gt_inference *op, int i, const char *role, int64_t length)
{
    const gt_operand *in = &op->in[i];
    if (in->shape.rank == 1 && in->shape.dim[0] == length && in->constant) {
        return GT_OK;
    }
    return gt_i_bad_input(op, i, role, "a constant of %lld elements", (long long)length);
}

static gt_status need_bias(const gt_inference *op, int64_t length)
{
    return op->n_inputs > 2 && op->in[2].present ? need_vector(op, 2, "bias", length) : GT_OK;
}

/* Ranks, constants and groups common to both convolutions. */
static gt_status check_conv(const gt_inference *op)
{
    gt_status status = GT_OK;
    const int64_t groups = op->attrs->conv.groups;
    GT_TRY(gt_i_need_f32(op));
    GT_TRY(gt_i_need_rank(op, 0, "x", 4, 4));
    GT_TRY(gt_i_need_rank(op, 1, "weight", 4, 4));
    if (!op->in[1].constant) {
        status = gt_i_bad_input(op, 1, "weight", "a constant");
        goto done;
    }
    GT_TRY(check_window(op, op->attrs->conv.stride, op->attrs->conv.pad, op->attrs->conv.dilation));
    GT_TRY(pair_range(op, "kernel", &op->in[1].shape.dim[2], 2, 1));
    if (groups < 1 || op->in[0].shape.dim[1] % groups != 0) {
        char allowed[64];
        snprintf(allowed, sizeof allowed, "divisors of C = %lld", (long long)op->in[0].shape.dim[1]);
        status = gt_i_bad_attr(op, "groups", groups, allowed);
    }
done:
    return status;
}

gt_status gt_i_infer_conv2d(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    GT_TRY(check_conv(op));
    const gt_shape *x = &op->in[0].shape;
    const gt_shape *w = &op->in[1].shape;
    const int64_t groups = op->attrs->conv.groups;
    if (w->dim[1] != x->dim[1] / groups || w->dim[0] % groups != 0) {
        status = gt_i_bad_input(op, 1, "weight", "[K, %lld, R, S] with K a multiple of groups = %lld",
                                (long long)(x->dim[1] / groups), (long long)groups);
        goto done;
    }
    GT_TRY(need_bias(op, w->dim[0]));
    out->shape = gt_shape_4d(x->dim[0], w->dim[0], 0, 0);
    for (int i = 0; i < 2; i++) {
        int64_t extent = op->attrs->conv.dilation[i] * (w->dim[2 + i] - 1) + 1;
        int64_t padded = x->dim[2 + i] + op->attrs->conv.pad[i] + op->attrs->conv.pad[2 + i];
        if (padded < extent) {
            status = gt_i_bad_input(op, 0, "x", "%s of at least %lld with padding (the dilated kernel)",
                                    axis_name[i], (long long)extent);
            goto done;
        }
        out->shape.dim[2 + i] = (padded - extent) / op->attrs->conv.stride[i] + 1;
    }
done:
    return status;
}

gt_status gt_i_infer_conv_transpose2d(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    GT_TRY(check_conv(op));
    GT_TRY(gt_i_need_hint(op));
    const gt_shape *x = &op->in[0].shape;
    const gt_shape *w = &op->in[1].shape;
    int64_t k = 0;
    if (w->dim[0] != x->dim[1]) {
        status = gt_i_bad_input(op, 1, "weight", "[%lld, K/groups, R, S]", (long long)x->dim[1]);
        goto done;
    }
    GT_TRY(gt_i_mul(&k, w->dim[1], op->attrs->conv.groups, "conv_transpose2d: K"));
    GT_TRY(need_bias(op, k));
    out->shape = gt_shape_4d(x->dim[0], k, 0, 0);
    for (int i = 0; i < 2; i++) {
        int64_t stride = op->attrs->conv.stride[i];
        int64_t dilation = op->attrs->conv.dilation[i];
        int64_t lo = (x->dim[2 + i] - 1) * stride - op->attrs->conv.pad[i] - op->attrs->conv.pad[2 + i] +
                     dilation * (w->dim[2 + i] - 1) + 1;
        int64_t hi = lo + (stride > dilation ? stride : dilation) - 1;
        int64_t given = op->hint->shape.rank == 4 ? op->hint->shape.dim[2 + i] : -1;
        GT_REQUIRE(given >= lo && given <= hi && given > 0, GT_ERROR_SHAPE,
                   "conv_transpose2d: the output's %s is %lld; allowed: %lld to %lld", axis_name[i], (long long)given,
                   (long long)lo, (long long)hi);
        out->shape.dim[2 + i] = given;
    }
done:
    return status;
}

gt_status gt_i_infer_dense(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_need_f32(op));
    GT_TRY(gt_i_need_rank(op, 0, "x", 2, GT_MAX_RANK));
    GT_TRY(gt_i_need_rank(op, 1, "weight", 2, 2));
    const gt_shape *x = &op->in[0].shape;
    const gt_shape *w = &op->in[1].shape;
    bool rows = op->attrs->dense.rows;
    int64_t features = rows ? x->dim[x->rank - 1] : gt_shape_elems(x) / x->dim[0];
    if (w->dim[1] != features || !op->in[1].constant) {
        status = gt_i_bad_input(op, 1, "weight", "a constant [K, %lld]", (long long)features);
        goto done;
    }
    GT_TRY(need_bias(op, w->dim[0]));
    out->shape = rows ? *x : (gt_shape){.rank = 2, .dim = {x->dim[0]}};
    out->shape.dim[out->shape.rank - 1] = w->dim[0];
done:
    return status;
}

gt_status gt_i_infer_matmul(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_need_f32(op));
    GT_TRY(gt_i_need_rank(op, 0, "a", 2, GT_MAX_RANK));
    GT_TRY(gt_i_need_rank(op, 1, "b", 2, GT_MAX_RANK));
    const gt_shape *a = &op->in[0].shape;
    const gt_shape *b = &op->in[1].shape;
    gt_shape batch_a = gt_shape_of(a->rank - 2, a->dim);
    gt_shape batch_b = gt_shape_of(b->rank - 2, b->dim);
    char text[GT_SHAPE_TEXT_BYTES];
    if (a->dim[a->rank - 1] != b->dim[b->rank - 2] || !gt_shape_broadcast(&out->shape, &batch_a, &batch_b)) {
        status = gt_i_bad_input(op, 1, "b", "[…, %lld, N] that broadcasts with a = %s",
                                (long long)a->dim[a->rank - 1], gt_shape_format(text, sizeof text, a));
        goto done;
    }
    out->shape.dim[out->shape.rank++] = a->dim[a->rank - 2];
    out->shape.dim[out->shape.rank++] = b->dim[b->rank - 1];
done:
    return status;
}

/* The sizes that frameworks give for one axis: rounding down; rounding up (ONNX); rounding up without windows
 * that start beyond the input and its leading pad (PyTorch, Caffe). */
static gt_status check_pool_axis(const gt_inference *op, int i, int64_t given)
{
    int64_t stride = op->attrs->pool.stride[i];
    int64_t before = op->attrs->pool.pad[i];
    int64_t size = op->in[0].shape.dim[2 + i];
    int64_t extent = op->attrs->pool.dilation[i] * (op->attrs->pool.kernel[i] - 1) + 1;
    int64_t room = size + before + op->attrs->pool.pad[2 + i] - extent;
    int64_t floor_size = room >= 0 ? room / stride + 1 : 0;
    int64_t ceil_size = room >= 0 ? (room + stride - 1) / stride + 1 : -room < stride ? 1 : 0;
    int64_t inside_size = ceil_size > 1 && (ceil_size - 1) * stride >= size + before ? ceil_size - 1 : ceil_size;
    if (given > 0 && (given == floor_size || given == ceil_size || given == inside_size)) {
        return GT_OK;
    }
    return gt_fail(GT_ERROR_SHAPE, "pool2d: the output's %s is %lld; allowed: %lld (floor) or %lld (ceil)",
                   axis_name[i], (long long)given, (long long)floor_size, (long long)inside_size);
}

gt_status gt_i_infer_pool2d(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_need_f32(op));
    GT_TRY(gt_i_need_rank(op, 0, "x", 4, 4));
    GT_TRY(gt_i_need_hint(op));
    GT_TRY(gt_i_attr_range(op, "mode", op->attrs->pool.mode, 0, GT_POOL_AVERAGE));
    GT_TRY(pair_range(op, "kernel", op->attrs->pool.kernel, 2, 1));
    GT_TRY(check_window(op, op->attrs->pool.stride, op->attrs->pool.pad, op->attrs->pool.dilation));
    out->shape = gt_shape_4d(op->in[0].shape.dim[0], op->in[0].shape.dim[1], 0, 0);
    for (int i = 0; i < 2; i++) {
        int64_t extent = op->attrs->pool.dilation[i] * (op->attrs->pool.kernel[i] - 1) + 1;
        GT_TRY(gt_i_attr_range(op, i == 0 ? "pad[0]" : "pad[1]", op->attrs->pool.pad[i], 0, extent - 1));
        GT_TRY(gt_i_attr_range(op, i == 0 ? "pad[2]" : "pad[3]", op->attrs->pool.pad[2 + i], 0, extent - 1));
        out->shape.dim[2 + i] = op->hint->shape.rank == 4 ? op->hint->shape.dim[2 + i] : -1;
        GT_TRY(check_pool_axis(op, i, out->shape.dim[2 + i]));
    }
done:
    return status;
}

gt_status gt_i_infer_scale(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_need_f32(op));
    GT_TRY(gt_i_need_rank(op, 0, "x", 2, GT_MAX_RANK));
    GT_TRY(need_vector(op, 1, "scale", op->in[0].shape.dim[1]));
    GT_TRY(need_vector(op, 2, "shift", op->in[0].shape.dim[1]));
    out->shape = op->in[0].shape;
done:
    return status;
}
