/* SPDX-License-Identifier: Apache-2.0 */
/* The checks that all op kinds share, and the table of the per-kind rules. */
#include "src/graph/infer.h"

#include <math.h>
#include <stdio.h>

static const gt_infer_fn rules[] = {
    [GT_OP_CONV2D] = gt_i_infer_conv2d,
    [GT_OP_CONV_TRANSPOSE2D] = gt_i_infer_conv_transpose2d,
    [GT_OP_DENSE] = gt_i_infer_dense,
    [GT_OP_MATMUL] = gt_i_infer_matmul,
    [GT_OP_POOL2D] = gt_i_infer_pool2d,
    [GT_OP_REDUCE] = gt_i_infer_reduce,
    [GT_OP_UNARY] = gt_i_infer_unary,
    [GT_OP_BINARY] = gt_i_infer_binary,
    [GT_OP_SCALE] = gt_i_infer_scale,
    [GT_OP_CONCAT] = gt_i_infer_concat,
    [GT_OP_SLICE] = gt_i_infer_slice,
    [GT_OP_PAD] = gt_i_infer_pad,
    [GT_OP_RESIZE] = gt_i_infer_resize,
    [GT_OP_SOFTMAX] = gt_i_infer_softmax,
    [GT_OP_LRN] = gt_i_infer_lrn,
    [GT_OP_CHANNEL_SHUFFLE] = gt_i_infer_channel_shuffle,
    [GT_OP_DEPTH_TO_SPACE] = gt_i_infer_depth_to_space,
    [GT_OP_SPACE_TO_DEPTH] = gt_i_infer_space_to_depth,
    [GT_OP_RESHAPE] = gt_i_infer_reshape,
    [GT_OP_TRANSPOSE] = gt_i_infer_transpose,
    [GT_OP_GATHER] = gt_i_infer_gather,
    [GT_OP_TILE] = gt_i_infer_tile,
    [GT_OP_ARGMAX] = gt_i_infer_argmax,
    [GT_OP_CAST] = gt_i_infer_cast,
    [GT_OP_COPY] = gt_i_infer_copy,
    [GT_OP_DETECTION_OUTPUT] = gt_i_infer_detection_output,
    [GT_OP_YOLO_DETECTION_OUTPUT] = gt_i_infer_yolo_detection_output,
    [GT_OP_CONV2D_POINTWISE] = gt_i_infer_conv2d_pointwise,
    [GT_OP_CONV2D_POOL2D] = gt_i_infer_conv2d_pool2d,
};
_Static_assert(sizeof rules / sizeof *rules == GT_OP_KIND_COUNT, "a rule per op kind");

gt_status gt_i_bad_attr(const gt_inference *op, const char *field, int64_t value, const char *allowed)
{
    return gt_fail(GT_ERROR_ARGUMENT, "%s: %s is %lld; allowed: %s", gt_op_kind_name(op->kind), field,
                   (long long)value, allowed);
}

gt_status gt_i_attr_range(const gt_inference *op, const char *field, int64_t value, int64_t lo, int64_t hi)
{
    if (value >= lo && value <= hi) {
        return GT_OK;
    }
    char allowed[64];
    snprintf(allowed, sizeof allowed, "%lld to %lld", (long long)lo, (long long)hi);
    return gt_i_bad_attr(op, field, value, allowed);
}

gt_status gt_i_attr_finite(const gt_inference *op, const char *field, float value)
{
    if (isfinite(value)) {
        return GT_OK;
    }
    return gt_fail(GT_ERROR_ARGUMENT, "%s: %s is %g; allowed: finite numbers", gt_op_kind_name(op->kind), field,
                   (double)value);
}

gt_status gt_i_list_count(const gt_inference *op, const char *field, const gt_int_list *list, int64_t count)
{
    if (list->count == count && (count == 0 || list->values != NULL)) {
        return GT_OK;
    }
    return gt_fail(GT_ERROR_ARGUMENT, "%s: %s has %lld entries; allowed: %lld, one per axis",
                   gt_op_kind_name(op->kind), field, (long long)list->count, (long long)count);
}

gt_status gt_i_bad_input(const gt_inference *op, int i, const char *role, const char *format, ...)
{
    char needed[512];
    char text[GT_SHAPE_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(needed, sizeof needed, format, args);
    va_end(args);
    return gt_fail(GT_ERROR_SHAPE, "%s: %s (input %d) is %s%s%s; needed: %s", gt_op_kind_name(op->kind), role, i,
                   op->in[i].dtype == GT_F32 ? "" : gt_dtype_name(op->in[i].dtype),
                   op->in[i].dtype == GT_F32 ? "" : ":", gt_shape_format(text, sizeof text, &op->in[i].shape),
                   needed);
}

gt_status gt_i_need_rank(const gt_inference *op, int i, const char *role, int lo, int hi)
{
    int rank = op->in[i].shape.rank;
    if (rank >= lo && rank <= hi) {
        return GT_OK;
    }
    return lo == hi ? gt_i_bad_input(op, i, role, "rank %d", lo)
                    : gt_i_bad_input(op, i, role, "rank %d to %d", lo, hi);
}

gt_status gt_i_need_f32(const gt_inference *op)
{
    for (int i = 0; i < op->n_inputs; i++) {
        if (op->in[i].present && op->in[i].dtype != GT_F32) {
            return gt_i_bad_input(op, i, "an operand", "element type f32");
        }
    }
    return GT_OK;
}

gt_status gt_i_need_hint(const gt_inference *op)
{
    if (op->hint != NULL) {
        return GT_OK;
    }
    return gt_fail(GT_ERROR_ARGUMENT, "%s: no output shape is given, and it does not follow from the inputs",
                   gt_op_kind_name(op->kind));
}

static bool is_optional(gt_op_kind kind, int i)
{
    switch (kind) {
    case GT_OP_CONV2D:
        return i == 2 || i == 3;
    case GT_OP_CONV_TRANSPOSE2D:
    case GT_OP_DENSE:
    case GT_OP_CONV2D_POOL2D:
        return i == 2;
    case GT_OP_CONV2D_POINTWISE:
        return i == 2 || i == 4 || i == 5;
    default:
        return false;
    }
}

static gt_status check_inputs(const gt_inference *op)
{
    gt_status status = GT_OK;
    const char *name = gt_op_kind_name(op->kind);
    int lo = gt_op_kind_min_inputs(op->kind);
    int hi = gt_op_kind_max_inputs(op->kind);
    GT_REQUIRE(op->n_inputs >= lo && op->n_inputs <= hi, GT_ERROR_ARGUMENT,
               "%s: the number of inputs is %d; allowed: %d to %d", name, op->n_inputs, lo, hi);
    for (int i = 0; i < op->n_inputs; i++) {
        const gt_operand *in = &op->in[i];
        if (!in->present) {
            GT_REQUIRE(is_optional(op->kind, i), GT_ERROR_ARGUMENT, "%s: input %d is absent; it is required", name,
                       i);
            continue;
        }
        GT_REQUIRE((size_t)in->dtype < GT_DTYPE_COUNT, GT_ERROR_ARGUMENT,
                   "%s: the element type of input %d is %d; allowed: f32, i64, bool", name, i, (int)in->dtype);
        status = gt_shape_check(&in->shape);
        if (status != GT_OK) {
            status = gt_fail_in(status, "%s: input %d", name, i);
            goto done;
        }
        if (gt_shape_elems(&in->shape) == 0) {
            status = gt_i_bad_input(op, i, "an operand", "at least one element");
            goto done;
        }
    }
done:
    return status;
}

/* The input that is a residual, or -1. */
static int residual_input(gt_op_kind kind)
{
    return kind == GT_OP_CONV2D ? 3 : kind == GT_OP_CONV2D_POINTWISE ? 5 : -1;
}

static gt_status check_epilogue(const gt_inference *op, const gt_shape *out)
{
    gt_status status = GT_OK;
    const gt_epilogue *e = op->epilogue;
    const char *name = gt_op_kind_name(op->kind);
    bool acts = op->kind == GT_OP_CONV2D || op->kind == GT_OP_CONV_TRANSPOSE2D || op->kind == GT_OP_DENSE ||
                op->kind == GT_OP_SCALE || op->kind == GT_OP_BINARY || op->kind == GT_OP_CONV2D_POINTWISE;
    GT_REQUIRE((int)e->act >= 0 && (int)e->act <= GT_FN_LAST_ACTIVATION, GT_ERROR_ARGUMENT,
               "%s: act is %s (%d); allowed: none to %s", name, gt_function_name(e->act), (int)e->act,
               gt_function_name(GT_FN_LAST_ACTIVATION));
    GT_REQUIRE(e->act == GT_FN_NONE || acts, GT_ERROR_ARGUMENT,
               "%s: act is %s; allowed: none (only conv2d, conv_transpose2d, dense, scale, binary and conv2d_pointwise take one)", name,
               gt_function_name(e->act));
    GT_REQUIRE(!isnan(e->alpha) && !isnan(e->beta), GT_ERROR_ARGUMENT,
               "%s: the activation's alpha or beta is nan; allowed: numbers", name);
    GT_REQUIRE((int)e->residual >= GT_RESIDUAL_NONE && (int)e->residual <= GT_RESIDUAL_AFTER, GT_ERROR_ARGUMENT,
               "%s: residual is %d; allowed: none, before, after", name, (int)e->residual);
    const int residual = residual_input(op->kind);
    bool operand = residual >= 0 && op->n_inputs > residual && op->in[residual].present;
    GT_REQUIRE((e->residual != GT_RESIDUAL_NONE) == operand, GT_ERROR_ARGUMENT,
               "%s: residual is %s, but %s (only conv2d takes one, as input 3, and conv2d_pointwise, as input 5)", name,
               e->residual == GT_RESIDUAL_NONE ? "none" : e->residual == GT_RESIDUAL_BEFORE ? "before" : "after",
               operand ? "that input is present" : "that input is not present");
    if (operand && (!gt_shape_equal(&op->in[residual].shape, out) || op->in[residual].constant)) {
        char text[GT_SHAPE_TEXT_BYTES];
        status = gt_i_bad_input(op, residual, "residual", "the output's shape %s, not constant",
                                gt_shape_format(text, sizeof text, out));
    }
done:
    return status;
}

static gt_status check_output(const gt_operand *out, const gt_inference *op)
{
    char a[GT_SHAPE_TEXT_BYTES];
    char b[GT_SHAPE_TEXT_BYTES];
    const char *name = gt_op_kind_name(op->kind);
    gt_status status = gt_shape_check(&out->shape);
    if (status != GT_OK) {
        return gt_fail_in(GT_ERROR_LIMIT, "%s: the output", name);
    }
    if (gt_shape_elems(&out->shape) == 0) {
        return gt_fail(GT_ERROR_SHAPE, "%s: the output %s has no elements; needed: at least one", name,
                       gt_shape_format(a, sizeof a, &out->shape));
    }
    if (op->hint != NULL && (!gt_shape_equal(&op->hint->shape, &out->shape) || op->hint->dtype != out->dtype)) {
        return gt_fail(GT_ERROR_SHAPE, "%s: the output is said to be %s %s; the inputs give %s %s", name,
                       gt_dtype_name(op->hint->dtype), gt_shape_format(a, sizeof a, &op->hint->shape),
                       gt_dtype_name(out->dtype), gt_shape_format(b, sizeof b, &out->shape));
    }
    return GT_OK;
}

gt_status gt_i_infer(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    gt_operand result = {.present = true, .dtype = GT_F32};
    GT_REQUIRE((int)op->kind >= 0 && op->kind < GT_OP_KIND_COUNT, GT_ERROR_ARGUMENT,
               "the op kind is %d; allowed: 0 to %d", (int)op->kind, GT_OP_KIND_COUNT - 1);
    GT_TRY(check_inputs(op));
    if (op->hint != NULL) {
        GT_REQUIRE((size_t)op->hint->dtype < GT_DTYPE_COUNT, GT_ERROR_ARGUMENT,
                   "%s: the output's element type is %d; allowed: f32, i64, bool", gt_op_kind_name(op->kind),
                   (int)op->hint->dtype);
        status = gt_shape_check(&op->hint->shape);
        if (status != GT_OK) {
            status = gt_fail_in(GT_ERROR_SHAPE, "%s: the output's shape", gt_op_kind_name(op->kind));
            goto done;
        }
    }
    GT_TRY(rules[op->kind](&result, op));
    GT_TRY(check_output(&result, op));
    GT_TRY(check_epilogue(op, &result.shape));
    *out = result;
done:
    return status;
}
