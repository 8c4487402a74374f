/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle's convolutions. */
#include "ops/reference_internal.h"

#include <string.h>

/* A convolution is computed for a block of output pixels at a time: the inputs that some weights meet at
 * those pixels are laid out in rows of doubles, so that the innermost loop runs along contiguous pixels
 * whatever the stride. */
#define PIXELS 64
#define ROWS 128

typedef struct conv_shape {
    int64_t n, c, h, w;          /* input */
    int64_t k, p, q;             /* output channels, height, width */
    int64_t r, s, groups, cg, kg; /* kernel size; channels per group */
    const int64_t *stride, *pad, *dilation;
} conv_shape;

static conv_shape shape_of(const gt_workload *w)
{
    const int64_t *x = w->inputs[0].shape.dim;
    const int64_t *y = w->output.shape.dim;
    const int64_t *k = w->inputs[1].shape.dim;
    int64_t groups = w->attrs.conv.groups;
    return (conv_shape){x[0], x[1], x[2], x[3], y[1], y[2], y[3], k[2], k[3], groups, x[1] / groups,
                        y[1] / groups,
                        w->attrs.conv.stride, w->attrs.conv.pad, w->attrs.conv.dilation};
}

static const float *input_or_null(const gt_workload *w, const void *const *in, int i)
{
    return i < w->n_inputs && w->inputs[i].present ? in[i] : NULL;
}

/* The input values that kernel position (r, s) meets at output pixels [first, first + PIXELS), 0 outside. */
static void fill_row(double row[PIXELS], const conv_shape *v, const float *plane, int64_t r, int64_t s,
                     int64_t first)
{
    for (int64_t i = 0; i < PIXELS; i++) {
        int64_t pixel = first + i;
        int64_t y = pixel / v->q * v->stride[0] - v->pad[0] + r * v->dilation[0];
        int64_t x = pixel % v->q * v->stride[1] - v->pad[1] + s * v->dilation[1];
        bool inside = pixel < v->p * v->q && y >= 0 && y < v->h && x >= 0 && x < v->w;
        row[i] = inside ? plane[y * v->w + x] : 0;
    }
}

/* acc[pixel] += sum over rows of weight[row] * rows[row][pixel] */
static void accumulate(double acc[PIXELS], const double *rows, const float *weight, int64_t count)
{
    for (int64_t j = 0; j < count; j++) {
        double wj = weight[j];
        const double *row = rows + j * PIXELS;
        for (int64_t i = 0; i < PIXELS; i++) {
            acc[i] += wj * row[i];
        }
    }
}

/* Adds one group's products at a block of pixels to acc[kg][PIXELS]. `weight` starts at the group's first
 * filter. */
static void conv_block(double *acc, double *rows, const conv_shape *v, const float *x, const float *weight,
                       int64_t first)
{
    int64_t taps = v->r * v->s;
    int64_t total = v->cg * taps;
    for (int64_t begin = 0; begin < total; begin += ROWS) {
        int64_t count = total - begin < ROWS ? total - begin : ROWS;
        for (int64_t j = 0; j < count; j++) {
            int64_t c = (begin + j) / taps;
            int64_t tap = (begin + j) % taps;
            fill_row(rows + j * PIXELS, v, x + c * v->h * v->w, tap / v->s, tap % v->s, first);
        }
        for (int64_t k = 0; k < v->kg; k++) {
            accumulate(acc + k * PIXELS, rows, weight + k * total + begin, count);
        }
    }
}

static float finish(const gt_epilogue *e, double r, const float *residual, int64_t at)
{
    double z = residual != NULL ? residual[at] : 0;
    if (e->residual == GT_RESIDUAL_BEFORE) {
        return (float)gt_i_reference_act(e, r + z);
    }
    double y = gt_i_reference_act(e, r);
    return (float)(e->residual == GT_RESIDUAL_AFTER ? y + z : y);
}

static void conv_store(const gt_workload *w, const conv_shape *v, float *out, const double *acc,
                       const float *bias,
                       const float *residual, int64_t n, int64_t group, int64_t first)
{
    int64_t plane = v->p * v->q;
    int64_t count = plane - first < PIXELS ? plane - first : PIXELS;
    for (int64_t j = 0; j < v->kg; j++) {
        int64_t k = group * v->kg + j;
        double b = bias != NULL ? bias[k] : 0;
        int64_t at = (n * v->k + k) * plane + first;
        for (int64_t i = 0; i < count; i++) {
            out[at + i] = finish(&w->epilogue, acc[j * PIXELS + i] + b, residual, at + i);
        }
    }
}

gt_status gt_i_reference_conv2d(const gt_workload *w, void *out, const void *const *in)
{
    gt_status status = GT_OK;
    conv_shape v = shape_of(w);
    const float *x = in[0];
    const float *weight = in[1];
    double *acc = NULL;
    double *rows = NULL;
    GT_TRY(gt_calloc(&acc, (size_t)v.kg * PIXELS, sizeof *acc));
    GT_TRY(gt_calloc(&rows, ROWS * PIXELS, sizeof *rows));
    for (int64_t n = 0; n < v.n; n++) {
        for (int64_t g = 0; g < v.groups; g++) {
            const float *xg = x + (n * v.c + g * v.cg) * v.h * v.w;
            const float *wg = weight + g * v.kg * v.cg * v.r * v.s;
            for (int64_t first = 0; first < v.p * v.q; first += PIXELS) {
                memset(acc, 0, (size_t)v.kg * PIXELS * sizeof *acc);
                conv_block(acc, rows, &v, xg, wg, first);
                conv_store(w, &v, out, acc, input_or_null(w, in, 2), input_or_null(w, in, 3), n, g, first);
            }
        }
    }
done:
    gt_free(acc);
    gt_free(rows);
    return status;
}

/* Scatters one input row through one kernel position into the accumulated output plane. */
static void scatter_row(double *acc, const conv_shape *v, const float *row, double weight, int64_t y,
                        int64_t s)
{
    for (int64_t i = 0; i < v->w; i++) {
        int64_t x = i * v->stride[1] - v->pad[1] + s * v->dilation[1];
        if (x >= 0 && x < v->q) {
            acc[y * v->q + x] += weight * row[i];
        }
    }
}

static void scatter_plane(double *acc, const conv_shape *v, const float *plane, const float *weight)
{
    for (int64_t r = 0; r < v->r; r++) {
        for (int64_t h = 0; h < v->h; h++) {
            int64_t y = h * v->stride[0] - v->pad[0] + r * v->dilation[0];
            for (int64_t s = 0; y >= 0 && y < v->p && s < v->s; s++) {
                scatter_row(acc, v, plane + h * v->w, weight[r * v->s + s], y, s);
            }
        }
    }
}

gt_status gt_i_reference_conv_transpose2d(const gt_workload *w, void *out, const void *const *in)
{
    gt_status status = GT_OK;
    conv_shape v = shape_of(w);
    const float *x = in[0];
    const float *weight = in[1];
    const float *bias = input_or_null(w, in, 2);
    float *y = out;
    double *acc = NULL;
    int64_t plane = v.p * v.q;
    GT_TRY(gt_calloc(&acc, (size_t)plane, sizeof *acc));
    for (int64_t n = 0; n < v.n; n++) {
        for (int64_t k = 0; k < v.k; k++) {
            memset(acc, 0, (size_t)plane * sizeof *acc);
            int64_t first = k / v.kg * v.cg;
            for (int64_t c = first; c < first + v.cg; c++) {
                scatter_plane(acc, &v, x + (n * v.c + c) * v.h * v.w,
                              weight + (c * v.kg + k % v.kg) * v.r * v.s);
            }
            for (int64_t i = 0; i < plane; i++) {
                double r = acc[i] + (bias != NULL ? bias[k] : 0);
                y[(n * v.k + k) * plane + i] = (float)gt_i_reference_act(&w->epilogue, r);
            }
        }
    }
done:
    gt_free(acc);
    return status;
}

static double dot(const float *a, const float *b, int64_t count)
{
    double sum[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int j = 0; j < 4; j++) {
            sum[j] += (double)a[i + j] * b[i + j];
        }
    }
    for (; i < count; i++) {
        sum[0] += (double)a[i] * b[i];
    }
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

gt_status gt_i_reference_dense(const gt_workload *w, void *out, const void *const *in)
{
    const float *x = in[0];
    const float *weight = in[1];
    const float *bias = input_or_null(w, in, 2);
    float *y = out;
    int64_t k = w->inputs[1].shape.dim[0];
    int64_t f = w->inputs[1].shape.dim[1];
    int64_t rows = k > 0 ? gt_shape_elems(&w->output.shape) / k : 0;
    for (int64_t n = 0; n < rows; n++) {
        for (int64_t j = 0; j < k; j++) {
            double r = dot(x + n * f, weight + j * f, f) + (bias != NULL ? bias[j] : 0);
            y[n * k + j] = (float)gt_i_reference_act(&w->epilogue, r);
        }
    }
    return GT_OK;
}

/* Offset of an operand's matrix for batch index `index` (of the output's leading axes), broadcasting 1s. */
static int64_t batch_offset(const gt_shape *shape, const gt_shape *out, const int64_t index[GT_MAX_RANK])
{
    int64_t stride[GT_MAX_RANK] = {0};
    gt_i_reference_strides(stride, shape);
    int64_t offset = 0;
    int shift = out->rank - shape->rank;
    for (int d = 0; d < shape->rank - 2; d++) {
        offset += shape->dim[d] == 1 ? 0 : index[d + shift] * stride[d];
    }
    return offset;
}

static void matmul_one(const gt_epilogue *e, float *y, double *acc, const float *a, const float *b, int64_t m,
                       int64_t n, int64_t k)
{
    for (int64_t i = 0; i < m; i++) {
        memset(acc, 0, (size_t)n * sizeof *acc);
        for (int64_t p = 0; p < k; p++) {
            double ap = a[i * k + p];
            const float *row = b + p * n;
            for (int64_t j = 0; j < n; j++) {
                acc[j] += ap * row[j];
            }
        }
        for (int64_t j = 0; j < n; j++) {
            y[i * n + j] = (float)gt_i_reference_act(e, acc[j]);
        }
    }
}

gt_status gt_i_reference_matmul(const gt_workload *w, void *out, const void *const *in)
{
    gt_status status = GT_OK;
    const gt_shape *a = &w->inputs[0].shape;
    const gt_shape *b = &w->inputs[1].shape;
    double *acc = NULL;
    gt_shape batch = w->output.shape;
    int64_t m = a->dim[a->rank - 2];
    int64_t k = a->dim[a->rank - 1];
    int64_t n = b->dim[b->rank - 1];
    batch.rank -= 2;
    int64_t count = gt_shape_elems(&batch);
    int64_t index[GT_MAX_RANK] = {0};
    GT_TRY(gt_calloc(&acc, (size_t)n, sizeof *acc));
    for (int64_t i = 0; i < count; i++) {
        const float *ai = (const float *)in[0] + batch_offset(a, &w->output.shape, index);
        const float *bi = (const float *)in[1] + batch_offset(b, &w->output.shape, index);
        matmul_one(&w->epilogue, (float *)out + i * m * n, acc, ai, bi, m, n, k);
        gt_i_reference_next(index, &batch);
    }
done:
    gt_free(acc);
    return status;
}
