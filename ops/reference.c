/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/reference_internal.h"

#include <math.h>

static const gt_i_reference_fn references[GT_OP_KIND_COUNT] = {
    [GT_OP_CONV2D] = gt_i_reference_conv2d,
    [GT_OP_CONV_TRANSPOSE2D] = gt_i_reference_conv_transpose2d,
    [GT_OP_DENSE] = gt_i_reference_dense,
    [GT_OP_MATMUL] = gt_i_reference_matmul,
    [GT_OP_POOL2D] = gt_i_reference_pool2d,
    [GT_OP_REDUCE] = gt_i_reference_reduce,
    [GT_OP_UNARY] = gt_i_reference_unary,
    [GT_OP_BINARY] = gt_i_reference_binary,
    [GT_OP_SCALE] = gt_i_reference_scale,
    [GT_OP_CONCAT] = gt_i_reference_concat,
    [GT_OP_SLICE] = gt_i_reference_slice,
    [GT_OP_PAD] = gt_i_reference_pad,
    [GT_OP_RESIZE] = gt_i_reference_resize,
    [GT_OP_SOFTMAX] = gt_i_reference_softmax,
    [GT_OP_LRN] = gt_i_reference_lrn,
    [GT_OP_CHANNEL_SHUFFLE] = gt_i_reference_channel_shuffle,
    [GT_OP_DEPTH_TO_SPACE] = gt_i_reference_depth_to_space,
    [GT_OP_SPACE_TO_DEPTH] = gt_i_reference_space_to_depth,
    [GT_OP_RESHAPE] = gt_i_reference_copy,
    [GT_OP_TRANSPOSE] = gt_i_reference_transpose,
    [GT_OP_GATHER] = gt_i_reference_gather,
    [GT_OP_TILE] = gt_i_reference_tile,
    [GT_OP_ARGMAX] = gt_i_reference_argmax,
    [GT_OP_CAST] = gt_i_reference_cast,
    [GT_OP_COPY] = gt_i_reference_copy,
    [GT_OP_DETECTION_OUTPUT] = gt_i_reference_detection_output,
    [GT_OP_YOLO_DETECTION_OUTPUT] = gt_i_reference_yolo_detection_output,
    [GT_OP_CONV2D_POINTWISE] = gt_i_reference_pair,
    [GT_OP_CONV2D_POOL2D] = gt_i_reference_pair,
};

gt_status gt_reference_run(const gt_workload *w, void *out, const void *const *in)
{
    gt_i_reference_fn fn = (unsigned)w->kind < GT_OP_KIND_COUNT ? references[w->kind] : NULL;
    if (fn == NULL) {
        return gt_fail(GT_ERROR_UNSUPPORTED, "the reference executor has no operator kind number %d",
                       (int)w->kind);
    }
    return fn(w, out, in);
}

gt_status gt_i_reference_dtype_error(const gt_workload *w, gt_dtype dtype)
{
    return gt_fail(GT_ERROR_UNSUPPORTED,
                   "the reference executor cannot compute %s on elements of type %s (%s)",
                   gt_op_kind_name(w->kind), gt_dtype_name(dtype), w->key != NULL ? w->key : "");
}

static double clamp(double x, double lo, double hi)
{
    double raised = x < lo ? lo : x;
    return raised > hi ? hi : raised;
}

static double sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

double gt_reference_function(gt_function function, float alpha, float beta, double x)
{
    double a = alpha;
    double b = beta;
    switch (function) {
    case GT_FN_NONE:
        return x;
    case GT_FN_RELU:
        return x < 0 ? 0 : x;
    case GT_FN_CLIP:
        return clamp(x, a, b);
    case GT_FN_LEAKY_RELU:
        return x < 0 ? a * x : x;
    case GT_FN_ELU:
        return x < 0 ? a * expm1(x) : x;
    case GT_FN_SIGMOID:
        return sigmoid(x);
    case GT_FN_HARD_SIGMOID:
        return clamp(a * x + b, 0, 1);
    case GT_FN_HARD_SWISH:
        return x * clamp(a * x + b, 0, 1);
    case GT_FN_TANH:
        return tanh(x);
    case GT_FN_SWISH:
        return x * sigmoid(x);
    case GT_FN_MISH:
        return x * tanh(softplus(x));
    case GT_FN_SOFTPLUS:
        return softplus(x);
    case GT_FN_EXP:
        return exp(x);
    case GT_FN_LOG:
        return log(x);
    case GT_FN_SQRT:
        return sqrt(x);
    case GT_FN_RECIPROCAL:
        return 1.0 / x;
    case GT_FN_ABS:
        return fabs(x);
    case GT_FN_NEG:
        return -x;
    case GT_FN_FLOOR:
        return floor(x);
    case GT_FN_CEIL:
        return ceil(x);
    case GT_FN_ERF:
        return erf(x);
    }
    return x;
}

double gt_i_reference_act(const gt_epilogue *epilogue, double r)
{
    return gt_reference_function(epilogue->act, epilogue->alpha, epilogue->beta, r);
}

void gt_i_reference_strides(int64_t stride[GT_MAX_RANK], const gt_shape *shape)
{
    int64_t step = 1;
    for (int d = shape->rank - 1; d >= 0; d--) {
        stride[d] = step;
        step *= shape->dim[d];
    }
}

void gt_i_reference_next(int64_t index[GT_MAX_RANK], const gt_shape *shape)
{
    for (int d = shape->rank - 1; d >= 0; d--) {
        if (++index[d] < shape->dim[d]) {
            return;
        }
        index[d] = 0;
    }
}

/* The error of one element as a multiple of what is allowed: 1 is the limit. */
static double excess(double got, double want, double allowed)
{
    if (!isfinite(want) || !isfinite(got)) {
        bool same = isnan(want) ? isnan(got) : got == want;
        return same ? 0 : INFINITY;
    }
    double error = fabs(got - want);
    if (error == 0) {
        return 0;
    }
    return allowed > 0 ? error / allowed : INFINITY;
}

int64_t gt_compare_f32(const float *got, const float *want, int64_t count, gt_tolerance tolerance,
                       double *worst)
{
    double largest = 0;
    for (int64_t i = 0; i < count; i++) {
        double size = fabs((double)want[i]);
        largest = isfinite(size) && size > largest ? size : largest;
    }
    double most = 0;
    int64_t where = -1;
    for (int64_t i = 0; i < count; i++) {
        double allowed = tolerance.absolute * largest + tolerance.relative * fabs((double)want[i]);
        double e = excess(got[i], want[i], allowed);
        if (e > most) {
            most = e;
            where = i;
        }
    }
    if (worst != NULL) {
        *worst = most;
    }
    return most > 1 ? where : -1;
}
