/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle's operators on images [N, C, H, W]: pooling, resizing, LRN and the channel rearrangements. */
#include "ops/reference_internal.h"
#include "ops/resize_coord.h"

#include <math.h>

/* How many of the window's positions lie in [lo, hi): those of a dilated row starting at `at`. */
static int64_t positions_in(int64_t at, int64_t kernel, int64_t dilation, int64_t lo, int64_t hi)
{
    int64_t count = 0;
    for (int64_t i = 0; i < kernel; i++) {
        int64_t p = at + i * dilation;
        count += p >= lo && p < hi;
    }
    return count;
}

/* ONNX AveragePool's divisor: positions in the image, or in the padded image with count_pad; what ceil mode
 * adds beyond the padding never counts. */
static int64_t divisor(const gt_workload *w, int64_t y, int64_t x)
{
    const int64_t *dim = w->inputs[0].shape.dim;
    const int64_t *pad = w->attrs.pool.pad;
    const int64_t *kernel = w->attrs.pool.kernel;
    const int64_t *dilation = w->attrs.pool.dilation;
    int64_t count_pad = w->attrs.pool.count_pad ? 1 : 0;
    int64_t rows = positions_in(y, kernel[0], dilation[0], -pad[0] * count_pad, dim[2] + pad[2] * count_pad);
    int64_t columns = positions_in(x, kernel[1], dilation[1], -pad[1] * count_pad,
                                   dim[3] + pad[3] * count_pad);
    return rows * columns;
}

static float pool_one(const gt_workload *w, const float *plane, int64_t y, int64_t x)
{
    const int64_t *dim = w->inputs[0].shape.dim;
    bool maximum = w->attrs.pool.mode == GT_POOL_MAX;
    double best = -INFINITY;
    double sum = 0;
    for (int64_t r = 0; r < w->attrs.pool.kernel[0]; r++) {
        int64_t h = y + r * w->attrs.pool.dilation[0];
        for (int64_t s = 0; s < w->attrs.pool.kernel[1]; s++) {
            int64_t v = x + s * w->attrs.pool.dilation[1];
            if (h >= 0 && h < dim[2] && v >= 0 && v < dim[3]) {
                double value = plane[h * dim[3] + v];
                best = value > best ? value : best;
                sum += value;
            }
        }
    }
    int64_t count = maximum ? 1 : divisor(w, y, x);
    return (float)(maximum ? best : count > 0 ? sum / (double)count : 0);
}

gt_status gt_i_reference_pool2d(const gt_workload *w, void *out, const void *const *in)
{
    const int64_t *dim = w->inputs[0].shape.dim;
    const int64_t *to = w->output.shape.dim;
    const float *x = in[0];
    float *y = out;
    for (int64_t i = 0; i < to[0] * to[1]; i++) {
        for (int64_t p = 0; p < to[2]; p++) {
            for (int64_t q = 0; q < to[3]; q++) {
                *y++ = pool_one(w, x + i * dim[2] * dim[3],
                                p * w->attrs.pool.stride[0] - w->attrs.pool.pad[0],
                                q * w->attrs.pool.stride[1] - w->attrs.pool.pad[1]);
            }
        }
    }
    return GT_OK;
}

static double source_of(const gt_workload *w, int axis, int64_t at)
{
    return gt_i_resize_source((gt_resize_coord)w->attrs.resize.coord, w->attrs.resize.scale[axis],
                              w->inputs[0].shape.dim[2 + axis], w->output.shape.dim[2 + axis], at);
}

static float resize_nearest(const gt_workload *w, const float *plane, double y, double x)
{
    const int64_t *dim = w->inputs[0].shape.dim;
    gt_resize_nearest nearest = (gt_resize_nearest)w->attrs.resize.nearest;
    return plane[gt_i_resize_nearest(nearest, y, dim[2]) * dim[3] + gt_i_resize_nearest(nearest, x, dim[3])];
}

static float resize_linear(const gt_workload *w, const float *plane, double y, double x)
{
    const int64_t *dim = w->inputs[0].shape.dim;
    int64_t y0 = 0, y1 = 0, x0 = 0, x1 = 0;
    double wy = 0;
    double wx = 0;
    gt_i_resize_linear(y, dim[2], &y0, &y1, &wy);
    gt_i_resize_linear(x, dim[3], &x0, &x1, &wx);
    double top = plane[y0 * dim[3] + x0] * (1 - wx) + plane[y0 * dim[3] + x1] * wx;
    double bottom = plane[y1 * dim[3] + x0] * (1 - wx) + plane[y1 * dim[3] + x1] * wx;
    return (float)(top * (1 - wy) + bottom * wy);
}

gt_status gt_i_reference_resize(const gt_workload *w, void *out, const void *const *in)
{
    const int64_t *dim = w->inputs[0].shape.dim;
    const int64_t *to = w->output.shape.dim;
    bool linear = w->attrs.resize.mode == GT_RESIZE_LINEAR;
    float *y = out;
    for (int64_t i = 0; i < to[0] * to[1]; i++) {
        const float *plane = (const float *)in[0] + i * dim[2] * dim[3];
        for (int64_t p = 0; p < to[2]; p++) {
            double row = source_of(w, 0, p);
            for (int64_t q = 0; q < to[3]; q++) {
                double column = source_of(w, 1, q);
                *y++ = linear ? resize_linear(w, plane, row, column) : resize_nearest(w, plane, row, column);
            }
        }
    }
    return GT_OK;
}

gt_status gt_i_reference_lrn(const gt_workload *w, void *out, const void *const *in)
{
    const int64_t *dim = w->output.shape.dim;
    int64_t plane = dim[2] * dim[3];
    int64_t size = w->attrs.lrn.size;
    int64_t before = (size - 1) / 2;
    int64_t after = size - 1 - before;
    double alpha = (double)w->attrs.lrn.alpha / (double)size;
    const float *x = in[0];
    float *y = out;
    for (int64_t n = 0; n < dim[0]; n++) {
        for (int64_t c = 0; c < dim[1]; c++) {
            int64_t first = c > before ? c - before : 0;
            int64_t last = c + after < dim[1] ? c + after : dim[1] - 1;
            for (int64_t i = 0; i < plane; i++) {
                double sum = 0;
                for (int64_t k = first; k <= last; k++) {
                    double v = x[(n * dim[1] + k) * plane + i];
                    sum += v * v;
                }
                int64_t at = (n * dim[1] + c) * plane + i;
                y[at] = (float)(x[at] / pow(w->attrs.lrn.bias + alpha * sum, w->attrs.lrn.beta));
            }
        }
    }
    return GT_OK;
}

gt_status gt_i_reference_channel_shuffle(const gt_workload *w, void *out, const void *const *in)
{
    const int64_t *dim = w->output.shape.dim;
    int64_t plane = dim[2] * dim[3];
    int64_t groups = w->attrs.groups.groups;
    int64_t each = dim[1] / groups;
    const float *x = in[0];
    float *y = out;
    for (int64_t n = 0; n < dim[0]; n++) {
        for (int64_t c = 0; c < dim[1]; c++) {
            int64_t from = c % groups * each + c / groups;
            for (int64_t i = 0; i < plane; i++) {
                y[(n * dim[1] + c) * plane + i] = x[(n * dim[1] + from) * plane + i];
            }
        }
    }
    return GT_OK;
}

/* Walks the large image [N, C, H*block, W*block] and the deep one [N, C*block^2, H, W] together; `crd` puts
 * the position in the block behind the channel instead of in front. */
static void rearrange(float *out, const float *in, const int64_t large[4], int64_t block, bool crd,
                      bool to_large)
{
    int64_t h = large[2] / block;
    int64_t w = large[3] / block;
    int64_t at = 0;
    for (int64_t n = 0; n < large[0]; n++) {
        for (int64_t c = 0; c < large[1]; c++) {
            for (int64_t y = 0; y < large[2]; y++) {
                for (int64_t x = 0; x < large[3]; x++, at++) {
                    int64_t position = y % block * block + x % block;
                    int64_t deep = crd ? c * block * block + position : position * large[1] + c;
                    int64_t other = ((n * large[1] * block * block + deep) * h + y / block) * w + x / block;
                    out[to_large ? at : other] = in[to_large ? other : at];
                }
            }
        }
    }
}

gt_status gt_i_reference_depth_to_space(const gt_workload *w, void *out, const void *const *in)
{
    rearrange(out, in[0], w->output.shape.dim, w->attrs.block.block, w->attrs.block.crd, true);
    return GT_OK;
}

gt_status gt_i_reference_space_to_depth(const gt_workload *w, void *out, const void *const *in)
{
    rearrange(out, in[0], w->inputs[0].shape.dim, w->attrs.block.block, false, false);
    return GT_OK;
}
