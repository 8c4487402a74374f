/* SPDX-License-Identifier: Apache-2.0 */
/* Where the tiles of a Winograd convolution lie in the image, and copies of pixels between tensors and the transforms'
 * buffers. Only for ops/conv_winograd_kernel.c. */
#ifndef GT_OPS_CONV_WINOGRAD_PIXELS_H
#define GT_OPS_CONV_WINOGRAD_PIXELS_H

#include "ops/conv_winograd.h"
#include "ops/matmul_transpose.h"

/* A tile's image and its place in the grid of tiles. */
typedef struct tile_at {
    int64_t n, y, x;
} tile_at;

static inline tile_at tile_of(const gt_i_winograd *p, int64_t tile)
{
    int64_t row = tile / p->tiles_x;
    return (tile_at){row / p->tiles_y, row % p->tiles_y, tile % p->tiles_x};
}

/* Where a tile begins in V, how many share its group, and how many of those are left, itself included. V holds one block's tiles if `fused`, otherwise all. */
typedef struct v_place {
    int64_t first, rows, left;
} v_place;

static inline v_place place_of(const gt_i_winograd *p, int64_t tile)
{
    int64_t at = p->fused ? tile % p->tile_block : tile;
    int64_t end = p->fused ? gt_i_min(p->tile_block, p->tiles - tile + at) : p->tiles;
    int64_t in_group = at % p->group, begin = at - in_group;
    int64_t rows = gt_i_min(p->group, end - begin);
    return (v_place){begin * p->v_depth + in_group * 4, rows, rows - in_group};
}

/* The part of `size` positions from `from` on that lies in [0, end): its first position, how many are before it, how many are
 * in it. */
typedef struct span {
    int64_t at, before, count;
} span;

static inline span span_of(int64_t from, int64_t size, int64_t end)
{
    int64_t first = gt_i_min(gt_i_max(from, 0), end), last = gt_i_max(first, gt_i_min(from + size, end));
    return last > first ? (span){first, first - from, last - first} : (span){0};
}

/* Pixels whose channels are planes `plane` apart, into a row of pixels of `width` channels: four by four where there are as
 * many. The last four columns may overlap those before. */
static void collect_planes(float *to, int64_t width, const float *src, int64_t plane, int64_t lanes, int64_t cols)
{
    int64_t l = 0;
    for (; l + 4 <= lanes && cols >= 4; l += 4) {
        for (int64_t j = 0; j < cols; j += 4) {
            int64_t at = gt_i_min(j, cols - 4);
            gt_i_transpose_4x4(to + at * width + l, width, src + l * plane + at, plane);
        }
    }
    for (; l < lanes; l++) {
        for (int64_t j = 0; j < cols; j++) {
            to[j * width + l] = src[l * plane + j];
        }
    }
}

/* Pixels whose channels are contiguous and `col` apart. */
static void collect_pixels(float *to, int64_t width, const float *src, int64_t col, int64_t lanes, int64_t cols)
{
    for (int64_t j = 0; j < cols; j++, to += width, src += col) {
        int64_t l = 0;
        for (; l + 4 <= lanes; l += 4) {
            gt_v4_store(to + l, gt_v4_load(src + l));
        }
        for (; l < lanes; l++) {
            to[l] = src[l];
        }
    }
}

/* `lanes` channels of rows x cols pixels into rows of `row` floats with `width` channels per pixel. */
static void collect(float *to, int64_t row, int64_t width, const float *src, const gt_strides *s, int64_t lane_stride,
                    int64_t lanes, int64_t rows, int64_t cols)
{
    for (int64_t i = 0; i < rows; i++) {
        if (s->block == lanes && width == lanes) {
            memcpy(to + i * row, src + i * s->h, (size_t)(cols * lanes) * sizeof *to);
        } else if (lane_stride == 1) {
            collect_pixels(to + i * row, width, src + i * s->h, s->w, lanes, cols);
        } else {
            collect_planes(to + i * row, width, src + i * s->h, lane_stride, lanes, cols);
        }
    }
}

/* Where a tile's pixels lie: strides between rows, columns and lanes; `width` lanes in the tile's own
 * buffer. */
typedef struct pixels {
    int64_t row, col, lane, rows, cols, width;
} pixels;

/* Where the pixels of several tiles' vectors go: strides between rows, columns, vectors and tiles there, and between tiles in M.
 * A residual lies alike. */
typedef struct target {
    float *to;
    const float *residual;
    int64_t row, col, vector, tile, m_tile;
} target;

/* The residual of one tile into a buffer of m x m vectors; lanes from `lanes` on stay as they are. */
static void load_pixels(float *y, int64_t m, const float *from, const pixels *at, int64_t lanes)
{
    bool planes = at->lane != 1 && at->cols >= 4;
    int64_t l = 0;
    for (; planes && l + 4 <= lanes; l += 4) {
        for (int64_t i = 0; i < at->rows; i++) {
            for (int64_t j = 0; j < at->cols; j += 4) {
                int64_t x = gt_i_min(j, at->cols - 4);
                gt_i_transpose_4x4(y + (i * m + x) * at->width + l, at->width, from + l * at->lane + i * at->row + x,
                                   at->lane);
            }
        }
    }
    for (int64_t i = 0; i < at->rows; i++) {
        for (int64_t j = 0; j < at->cols; j++) {
            for (int64_t k = l; k < lanes; k++) {
                y[(i * m + j) * at->width + k] = from[i * at->row + j * at->col + k * at->lane];
            }
        }
    }
}

static void store_planes(float *to, const float *y, int64_t m, const pixels *at, int64_t lanes)
{
    int64_t l = 0;
    for (; at->cols >= 4 && l + 4 <= lanes; l += 4) {
        for (int64_t i = 0; i < at->rows; i++) {
            for (int64_t j = 0; j < at->cols; j += 4) {
                int64_t x = gt_i_min(j, at->cols - 4);
                gt_i_transpose_4x4(to + l * at->lane + i * at->row + x, at->lane, y + (i * m + x) * at->width + l,
                                   at->width);
            }
        }
    }
    for (int64_t k = l; k < lanes; k++) {
        for (int64_t i = 0; i < at->rows; i++) {
            for (int64_t j = 0; j < at->cols; j++) {
                to[k * at->lane + i * at->row + j] = y[(i * m + j) * at->width + k];
            }
        }
    }
}

static void store_pixels(float *to, const float *y, int64_t m, const pixels *at, int64_t lanes)
{
    if (at->lane != 1) {
        store_planes(to, y, m, at, lanes);
        return;
    }
    for (int64_t i = 0; i < at->rows; i++) {
        collect_pixels(to + i * at->row, at->col, y + i * m * at->width, at->width, lanes, at->cols);
    }
}

static inline void clear_lanes(float *y, int64_t count, int64_t width, int64_t lanes)
{
    for (int64_t l = lanes; l < width; l++) {
        for (int64_t i = 0; i < count; i++) {
            y[i * width + l] = 0;
        }
    }
}

#endif
