/* SPDX-License-Identifier: Apache-2.0 */
/* Layout transforms. Height and width always lie together, so a tensor is a matrix of channels x pixels per
 * image, and every pair of layouts is one of three jobs: runs of neighbouring channels are copied (channels are
 * innermost on both sides), or 4x4 tiles are transposed in one or the other direction. */
#include "layouts/layout.h"

#include <string.h>

typedef float v4 __attribute__((vector_size(16)));
typedef float v4u __attribute__((vector_size(16), aligned(4), may_alias));

#define CHUNK_PIXELS 1024
#define CHUNK_CHANNELS 64

/* One image in one layout: channel c of pixel p lies at (c / block) * block_stride + c % block + p * pixel. */
struct plane {
    int64_t block, block_stride, pixel;
};

static struct plane plane_of(gt_layout layout, int64_t channels, int64_t pixels)
{
    if (layout == GT_NHWC) {
        return (struct plane){.block = channels > 0 ? channels : 1, .block_stride = 0, .pixel = channels};
    }
    int64_t block = gt_layout_block(layout);
    return (struct plane){.block = block, .block_stride = pixels * block, .pixel = block};
}

static int64_t at(const struct plane *plane, int64_t c, int64_t p)
{
    return c / plane->block * plane->block_stride + c % plane->block + p * plane->pixel;
}

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void transpose_4x4(float *dst, int64_t dst_row, const float *src, int64_t src_row)
{
    v4 a = *(const v4u *)src;
    v4 b = *(const v4u *)(src + src_row);
    v4 c = *(const v4u *)(src + 2 * src_row);
    v4 d = *(const v4u *)(src + 3 * src_row);
    v4 ab_lo = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    v4 ab_hi = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    v4 cd_lo = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    v4 cd_hi = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(v4u *)dst = __builtin_shufflevector(ab_lo, cd_lo, 0, 1, 4, 5);
    *(v4u *)(dst + dst_row) = __builtin_shufflevector(ab_lo, cd_lo, 2, 3, 6, 7);
    *(v4u *)(dst + 2 * dst_row) = __builtin_shufflevector(ab_hi, cd_hi, 0, 1, 4, 5);
    *(v4u *)(dst + 3 * dst_row) = __builtin_shufflevector(ab_hi, cd_hi, 2, 3, 6, 7);
}

/* dst[j * dst_row + i] = src[i * src_row + j] for i < rows, j < columns. */
static void transpose(float *dst, int64_t dst_row, const float *src, int64_t src_row, int64_t rows, int64_t columns)
{
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        int64_t j = 0;
        for (; j + 4 <= columns; j += 4) {
            transpose_4x4(dst + j * dst_row + i, dst_row, src + i * src_row + j, src_row);
        }
        for (; j < columns; j++) {
            for (int64_t k = i; k < i + 4; k++) {
                dst[j * dst_row + k] = src[k * src_row + j];
            }
        }
    }
    for (; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            dst[j * dst_row + i] = src[i * src_row + j];
        }
    }
}

/* Copies `run` neighbouring channels of each pixel. */
static void copy_runs(float *dst, int64_t dst_pixel, const float *src, int64_t src_pixel, int64_t run, int64_t pixels)
{
    if (run == dst_pixel && run == src_pixel) {
        memcpy(dst, src, (size_t)(run * pixels) * sizeof *dst);
        return;
    }
    for (int64_t p = 0; p < pixels; p++, dst += dst_pixel, src += src_pixel) {
        int64_t i = 0;
        for (; i + 4 <= run; i += 4) {
            *(v4u *)(dst + i) = *(const v4u *)(src + i);
        }
        for (; i < run; i++) {
            dst[i] = src[i];
        }
    }
}

/* Channels [c0, c1) of pixels [p0, p1) of one image. */
static void copy_tile(float *dst, const struct plane *to, const float *src, const struct plane *from, int64_t c0,
                      int64_t c1, int64_t p0, int64_t p1)
{
    bool from_rows = from->pixel == 1 && from->block == 1;
    bool to_rows = to->pixel == 1 && to->block == 1;
    int64_t pixels = p1 - p0;
    for (int64_t c = c0; c < c1;) {
        int64_t run = c1 - c;
        run = to_rows ? run : min64(run, to->block - c % to->block);
        run = from_rows ? run : min64(run, from->block - c % from->block);
        float *d = dst + at(to, c, p0);
        const float *s = src + at(from, c, p0);
        if (from_rows && to_rows) {
            run = 1;
            memcpy(d, s, (size_t)pixels * sizeof *d);
        } else if (from_rows) {
            transpose(d, to->pixel, s, from->block_stride, run, pixels);
        } else if (to_rows) {
            transpose(d, to->block_stride, s, from->pixel, pixels, run);
        } else {
            copy_runs(d, to->pixel, s, from->pixel, run, pixels);
        }
        c += run;
    }
}

static void zero_padding(float *dst, const struct plane *to, int64_t channels, int64_t p0, int64_t p1)
{
    int64_t used = channels % to->block;
    if (used == 0) {
        return;
    }
    for (int64_t p = p0; p < p1; p++) {
        float *lanes = dst + at(to, channels - used, p);
        for (int64_t i = used; i < to->block; i++) {
            lanes[i] = 0;
        }
    }
}

struct tasks {
    int64_t n, channels, pixels;
    int64_t group;                  /* channels per task: a whole number of destination blocks */
    int64_t groups, chunks;         /* per image */
};

static struct tasks split(const gt_shape *shape, gt_layout to)
{
    gt_shape four = gt_shape_as_4d(shape);
    struct tasks t = {.n = four.dim[0], .channels = four.dim[1], .pixels = four.dim[2] * four.dim[3]};
    t.group = gt_layout_is_blocked(to) ? gt_layout_block(to) : CHUNK_CHANNELS;
    t.groups = (t.channels + t.group - 1) / t.group;
    t.chunks = (t.pixels + CHUNK_PIXELS - 1) / CHUNK_PIXELS;
    return t;
}

int64_t gt_transform_tasks(const gt_shape *shape, gt_layout to, gt_layout from)
{
    (void)from;
    struct tasks t = split(shape, to);
    return t.n * t.groups * t.chunks;
}

void gt_transform_run(float *dst, gt_layout to, const float *src, gt_layout from, const gt_shape *shape,
                      int64_t begin, int64_t end)
{
    struct tasks t = split(shape, to);
    struct plane dst_plane = plane_of(to, t.channels, t.pixels);
    struct plane src_plane = plane_of(from, t.channels, t.pixels);
    int64_t dst_image = gt_layout_strides(to, shape).n;
    int64_t src_image = gt_layout_strides(from, shape).n;
    for (int64_t task = begin; task < end; task++) {
        int64_t n = task / (t.groups * t.chunks);
        int64_t group = task / t.chunks % t.groups;
        int64_t p0 = task % t.chunks * CHUNK_PIXELS;
        int64_t p1 = min64(p0 + CHUNK_PIXELS, t.pixels);
        int64_t c0 = group * t.group;
        int64_t c1 = min64(c0 + t.group, t.channels);
        copy_tile(dst + n * dst_image, &dst_plane, src + n * src_image, &src_plane, c0, c1, p0, p1);
        if (gt_layout_is_blocked(to) && c1 == t.channels) {
            zero_padding(dst + n * dst_image, &dst_plane, t.channels, p0, p1);
        }
    }
}

void gt_transform(float *dst, gt_layout to, const float *src, gt_layout from, const gt_shape *shape)
{
    gt_transform_run(dst, to, src, from, shape, 0, gt_transform_tasks(shape, to, from));
}
