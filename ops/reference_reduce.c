/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle's operators along axes: reduce, softmax, argmax. */
#include "ops/reference_internal.h"

#include <math.h>

/* Strides of the output seen along the input's axes: 0 along those that are reduced. */
static void kept_strides(int64_t stride[GT_MAX_RANK], const gt_workload *w)
{
    const gt_int_list *axes = &w->attrs.reduce.axes;
    gt_shape kept = w->inputs[0].shape;
    for (int64_t i = 0; i < axes->count; i++) {
        kept.dim[axes->values[i]] = 1;
    }
    gt_i_reference_strides(stride, &kept);
    for (int64_t i = 0; i < axes->count; i++) {
        stride[axes->values[i]] = 0;
    }
}

static double reduce_step(gt_reduce_mode mode, double acc, double x)
{
    if (mode == GT_REDUCE_MAX) {
        return acc > x || isnan(acc) ? acc : x;
    }
    return acc + x;
}

gt_status gt_i_reference_reduce(const gt_workload *w, void *out, const void *const *in)
{
    gt_status status = GT_OK;
    const gt_shape *shape = &w->inputs[0].shape;
    gt_reduce_mode mode = (gt_reduce_mode)w->attrs.reduce.mode;
    const float *x = in[0];
    double *acc = NULL;
    int64_t stride[GT_MAX_RANK] = {0};
    int64_t index[GT_MAX_RANK] = {0};
    int64_t count = gt_shape_elems(shape);
    int64_t results = gt_shape_elems(&w->output.shape);
    kept_strides(stride, w);
    GT_TRY(gt_calloc(&acc, (size_t)results, sizeof *acc));
    for (int64_t i = 0; i < results; i++) {
        acc[i] = mode == GT_REDUCE_MAX ? -INFINITY : 0;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t o = 0;
        for (int d = 0; d < shape->rank; d++) {
            o += index[d] * stride[d];
        }
        acc[o] = reduce_step(mode, acc[o], x[i]);
        gt_i_reference_next(index, shape);
    }
    for (int64_t i = 0; i < results; i++) {
        double mean = acc[i] / ((double)count / (double)results);
        ((float *)out)[i] = (float)(mode == GT_REDUCE_MEAN ? mean : acc[i]);
    }
done:
    gt_free(acc);
    return status;
}

/* A tensor seen as [outer, length, inner] around one axis. */
typedef struct axis_view {
    int64_t outer, length, inner;
} axis_view;

static axis_view view_of(const gt_shape *shape, int64_t axis)
{
    axis_view v = {1, shape->dim[axis], 1};
    for (int d = 0; d < shape->rank; d++) {
        v.outer *= d < axis ? shape->dim[d] : 1;
        v.inner *= d > axis ? shape->dim[d] : 1;
    }
    return v;
}

static void softmax_line(float *y, const float *x, int64_t length, int64_t step, bool logarithm)
{
    double largest = -INFINITY;
    double sum = 0;
    for (int64_t i = 0; i < length; i++) {
        largest = x[i * step] > largest ? x[i * step] : largest;
    }
    for (int64_t i = 0; i < length; i++) {
        sum += exp(x[i * step] - largest);
    }
    for (int64_t i = 0; i < length; i++) {
        double e = x[i * step] - largest;
        y[i * step] = (float)(logarithm ? e - log(sum) : exp(e) / sum);
    }
}

gt_status gt_i_reference_softmax(const gt_workload *w, void *out, const void *const *in)
{
    axis_view v = view_of(&w->output.shape, w->attrs.softmax.axis);
    for (int64_t o = 0; o < v.outer; o++) {
        for (int64_t i = 0; i < v.inner; i++) {
            int64_t at = o * v.length * v.inner + i;
            softmax_line((float *)out + at, (const float *)in[0] + at, v.length, v.inner,
                         w->attrs.softmax.log);
        }
    }
    return GT_OK;
}

/* As numpy: a NaN counts as the largest. `last` takes the last of equals. */
static int64_t argmax_line(const float *x, int64_t length, int64_t step, bool last)
{
    int64_t best = 0;
    for (int64_t i = 1; i < length; i++) {
        float v = x[i * step];
        float b = x[best * step];
        bool better = last ? v >= b || isnan(v) : v > b || (isnan(v) && !isnan(b));
        best = better ? i : best;
    }
    return best;
}

static int64_t argmax_line_i64(const int64_t *x, int64_t length, int64_t step, bool last)
{
    int64_t best = 0;
    for (int64_t i = 1; i < length; i++) {
        bool better = last ? x[i * step] >= x[best * step] : x[i * step] > x[best * step];
        best = better ? i : best;
    }
    return best;
}

gt_status gt_i_reference_argmax(const gt_workload *w, void *out, const void *const *in)
{
    axis_view v = view_of(&w->inputs[0].shape, w->attrs.argmax.axis);
    int64_t *y = out;
    bool last = w->attrs.argmax.last;
    if (w->inputs[0].dtype == GT_BOOL) {
        return gt_i_reference_dtype_error(w, GT_BOOL);
    }
    for (int64_t o = 0; o < v.outer; o++) {
        for (int64_t i = 0; i < v.inner; i++) {
            int64_t at = o * v.length * v.inner + i;
            y[o * v.inner + i] = w->inputs[0].dtype == GT_F32
                                     ? argmax_line((const float *)in[0] + at, v.length, v.inner, last)
                                     : argmax_line_i64((const int64_t *)in[0] + at, v.length, v.inner, last);
        }
    }
    return GT_OK;
}
