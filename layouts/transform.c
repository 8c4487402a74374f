/* SPDX-License-Identifier: Apache-2.0 */
/* Layout transforms: how they are divided into tasks. */
#include "layouts/layout.h"
#include "layouts/transform.h"
#include "src/base/cpu.h"

#define CHUNK_FLOATS 65536 /* of a task, about: what it reads and writes fits a second-level cache */
#define CHUNK_PIXELS 1024  /* at most, so that small tensors have some tasks */
#define GROUP_CHANNELS 256 /* of a task where channels are the innermost on one side: neighbouring lines of a pixel */

#if defined(__x86_64__)
static gt_i_transform_tile *const tiles[GT_ISA_COUNT] = {gt_transform_tile_base, gt_transform_tile_avx2, gt_transform_tile_avx512};
#else
static gt_i_transform_tile *const tiles[GT_ISA_COUNT] = {gt_transform_tile_base, gt_transform_tile_base, gt_transform_tile_base};
#endif

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static gt_i_plane plane_of(gt_layout layout, int64_t channels, int64_t pixels)
{
    if (layout == GT_NHWC) {
        return (gt_i_plane){.block = max64(channels, 1), .pixel = channels, .channels = channels, .padded = channels};
    }
    const int64_t block = gt_layout_block(layout);
    return (gt_i_plane){.block = block,
                        .block_stride = pixels * block,
                        .pixel = block,
                        .channels = channels,
                        .padded = (channels + block - 1) / block * block};
}

/* A task takes whole blocks of the destination, and no less than a cache line of a pixel. */
struct tasks {
    int64_t n, channels, pixels;
    int64_t group, chunk;   /* channels and pixels per task; the last group takes what is left as well */
    int64_t groups, chunks; /* per image */
};

static struct tasks split(const gt_shape *shape, gt_layout to, gt_layout from)
{
    const gt_shape four = gt_shape_as_4d(shape);
    struct tasks t = {.n = four.dim[0], .channels = four.dim[1], .pixels = four.dim[2] * four.dim[3]};
    t.group = to == GT_NHWC || from == GT_NHWC ? GROUP_CHANNELS : 16;
    t.groups = min64(max64(t.channels / t.group, 1), t.channels);
    t.chunk = max64(min64(CHUNK_FLOATS / min64(t.group, max64(t.channels, 1)), CHUNK_PIXELS) / 16 * 16, 16);
    t.chunks = (t.pixels + t.chunk - 1) / t.chunk;
    return t;
}

int64_t gt_transform_tasks(const gt_shape *shape, gt_layout to, gt_layout from)
{
    const struct tasks t = split(shape, to, from);
    return t.n * t.groups * t.chunks;
}

void gt_transform_run(float *dst, gt_layout to, const float *src, gt_layout from, const gt_shape *shape,
                      int64_t begin, int64_t end)
{
    const struct tasks t = split(shape, to, from);
    const gt_i_plane dst_plane = plane_of(to, t.channels, t.pixels), src_plane = plane_of(from, t.channels, t.pixels);
    const int64_t dst_image = gt_layout_strides(to, shape).n, src_image = gt_layout_strides(from, shape).n;
    gt_i_transform_tile *const run = tiles[gt_isa_best()];
    for (int64_t task = begin; task < end; task++) {
        const int64_t n = task / (t.groups * t.chunks), group = task / t.chunks % t.groups;
        const int64_t p0 = task % t.chunks * t.chunk, c0 = group * t.group;
        const int64_t c1 = group == t.groups - 1 ? t.channels : c0 + t.group;
        run(dst + n * dst_image, &dst_plane, src + n * src_image, &src_plane, c0, c1, p0, min64(p0 + t.chunk, t.pixels));
    }
}

void gt_transform(float *dst, gt_layout to, const float *src, gt_layout from, const gt_shape *shape)
{
    gt_transform_run(dst, to, src, from, shape, 0, gt_transform_tasks(shape, to, from));
}
