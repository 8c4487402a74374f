/* SPDX-License-Identifier: Apache-2.0 */
/* Winograd's minimal filtering F(2x2,3x3) and F(4x4,3x3) (Lavin and Gray, "Fast Algorithms for Convolutional
 * Neural Networks", CVPR 2016, arXiv:1509.09308). F4 interpolates at 0, +-sqrt(1/2), +-sqrt(2) and infinity
 * instead of their 0, +-1, +-2: matrices with entries nearer to 1 lose fewer digits (Barabasz et al., "Error
 * Analysis and Improving the Accuracy of Winograd Convolution for Deep Neural Networks", ACM TOMS 46(4),
 * 2020). */
#include "ops/conv_winograd.h"
#include "ops/matmul_transpose.h"

#define UNROLL _Pragma("GCC unroll 8")
#define ROOT_HALF 0.70710678118654752440f
#define ROOT_TWO 1.41421356237309504880f

/* A tile's image and its place in the grid of tiles. */
typedef struct tile_at {
    int64_t n, y, x;
} tile_at;

/* The part of a patch that lies in the image: its first pixel there, and where that goes in the patch. */
typedef struct inner_box {
    int64_t y, x, top, left, rows, cols;
} inner_box;

/* Where a tile's pixels lie: strides between rows, columns and lanes; `width` lanes in the tile's own
 * buffer. */
typedef struct pixels {
    int64_t row, col, lane, rows, cols, width;
} pixels;

typedef struct tile_fns {
    void (*input)(const gt_i_winograd *p, float *v, const float *in, tile_at at);
    void (*output)(const gt_i_winograd *p, float *out, const float *residual, const float *bias,
                   const float *m, tile_at at, int64_t first, int64_t last);
} tile_fns;

static inline tile_at tile_of(const gt_i_winograd *p, int64_t tile)
{
    int64_t row = tile / p->tiles_x;
    return (tile_at){row / p->tiles_y, row % p->tiles_y, tile % p->tiles_x};
}

static inline inner_box box_of(int64_t y, int64_t x, int64_t size, int64_t h, int64_t w)
{
    int64_t y0 = gt_i_min(gt_i_max(y, 0), h), x0 = gt_i_min(gt_i_max(x, 0), w);
    int64_t y1 = gt_i_max(y0, gt_i_min(y + size, h)), x1 = gt_i_max(x0, gt_i_min(x + size, w));
    bool any = y1 > y0 && x1 > x0;
    return any ? (inner_box){y0, x0, y0 - y, x0 - x, y1 - y0, x1 - x0} : (inner_box){0};
}

/* Pixels whose `lanes` channels are contiguous, into a patch. */
static void collect_pixels(float *patch, int64_t patch_row, int64_t patch_col, const float *src, int64_t row,
                           int64_t col, int64_t lanes, int64_t rows, int64_t cols)
{
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < cols; j++) {
            memcpy(patch + i * patch_row + j * patch_col, src + i * row + j * col,
                   (size_t)lanes * sizeof(float));
        }
    }
}

/* Pixels whose channels are planes `plane` apart, into a patch: four channels at a time where there are four.
 * The last group of four columns overlaps the one before it. */
static void collect_planes(float *patch, int64_t patch_row, int64_t patch_col, const float *src, int64_t row,
                           int64_t plane, int64_t lanes, int64_t rows, int64_t cols)
{
    int64_t l = 0;
    for (; l + 4 <= lanes && cols >= 4; l += 4) {
        for (int64_t i = 0; i < rows; i++) {
            const float *from = src + l * plane + i * row;
            float *to = patch + i * patch_row + l;
            gt_i_transpose_4x4(to, patch_col, from, plane);
            if (cols > 4) {
                gt_i_transpose_4x4(to + (cols - 4) * patch_col, patch_col, from + cols - 4, plane);
            }
        }
    }
    for (; l < lanes; l++) {
        for (int64_t i = 0; i < rows; i++) {
            for (int64_t j = 0; j < cols; j++) {
                patch[i * patch_row + j * patch_col + l] = src[l * plane + i * row + j];
            }
        }
    }
}

/* The residual of one tile into a buffer of m x m vectors; lanes from `lanes` on stay as they are. */
static void load_pixels(float *y, int64_t m, const float *from, const pixels *at, int64_t lanes)
{
    bool planes = at->lane != 1 && at->cols == 4;
    int64_t l = 0;
    for (; planes && l + 4 <= lanes; l += 4) {
        for (int64_t i = 0; i < at->rows; i++) {
            gt_i_transpose_4x4(y + i * m * at->width + l, at->width, from + l * at->lane + i * at->row,
                               at->lane);
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

static void store_pixels(float *to, const float *y, int64_t m, const pixels *at, int64_t lanes)
{
    bool planes = at->lane != 1 && at->cols == 4;
    int64_t l = 0;
    for (; planes && l + 4 <= lanes; l += 4) {
        for (int64_t i = 0; i < at->rows; i++) {
            gt_i_transpose_4x4(to + l * at->lane + i * at->row, at->lane, y + i * m * at->width + l,
                               at->width);
        }
    }
    for (int64_t k = l; k < lanes; k++) {
        for (int64_t i = 0; i < at->rows; i++) {
            for (int64_t j = 0; j < at->cols; j++) {
                to[i * at->row + j * at->col + k * at->lane] = y[(i * m + j) * at->width + k];
            }
        }
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

#define GT_M 2
#define GT_W 4
#include "ops/conv_winograd_tile.h"
#undef GT_W
#if GT_VL >= 8
#define GT_W 8
#include "ops/conv_winograd_tile.h"
#undef GT_W
#endif
#if GT_VL >= 16
#define GT_W 16
#include "ops/conv_winograd_tile.h"
#undef GT_W
#endif
#undef GT_M
#define GT_M 4
#define GT_W 4
#include "ops/conv_winograd_tile.h"
#undef GT_W
#if GT_VL >= 8
#define GT_W 8
#include "ops/conv_winograd_tile.h"
#undef GT_W
#endif
#if GT_VL >= 16
#define GT_W 16
#include "ops/conv_winograd_tile.h"
#undef GT_W
#endif
#undef GT_M

/* By lanes / 8 and m / 4. */
static const tile_fns *const fns[3][2] = {
    {&fns_4x2, &fns_4x4},
#if GT_VL >= 8
    {&fns_8x2, &fns_8x4},
#endif
#if GT_VL >= 16
    {&fns_16x2, &fns_16x4},
#endif
};

static void input_tiles(const gt_i_winograd *p, float *v, const float *in, int64_t first, int64_t count)
{
    const tile_fns *f = fns[p->in_lanes / 8][p->m / 4];
    for (int64_t t = 0; t < count; t++) {
        f->input(p, v + t * p->v_row, in, tile_of(p, first + t));
    }
}

/* `block` counts blocks of output channels; m points at channel 0 of that block. */
static void output_tiles(const gt_i_winograd *p, const gt_args *a, const float *m, int64_t first,
                         int64_t count, int64_t block)
{
    const tile_fns *f = fns[p->out_lanes / 8][p->m / 4];
    const float *bias = p->conv.bias ? (const float *)a->packed + p->bias_offset : NULL;
    int64_t k_begin = block * p->oc_block;
    int64_t k_end = block + 1 < p->oc_blocks ? k_begin + p->oc_block : p->conv.y.blocks * p->conv.y.block;
    for (int64_t t = 0; t < count; t++) {
        f->output(p, a->out, p->conv.residual ? a->in[3] : NULL, bias, m + t * p->m_row,
                  tile_of(p, first + t), k_begin, k_end);
    }
}

static void multiply(const gt_i_winograd *p, float *m, const float *v, const float *u, int64_t point,
                     int64_t block, int64_t rows)
{
    int64_t columns = gt_i_min(p->oc_block, p->columns - block * p->oc_block);
    const float *panels = u + block * p->oc_block * p->points * p->depth + point * p->depth * columns;
    gt_i_micro_panels(GT_KERNEL_FN(matmul_micro), p->shape, GT_VL, m + point * p->m_point, p->m_row,
                      v + point * p->v_point, p->v_row, panels, rows, columns, p->depth, false);
}

static void run_fused(const gt_i_winograd *p, const gt_args *a, int64_t task)
{
    float *v = a->scratch, *m = v + p->m_offset;
    int64_t first = task * p->tile_block, count = gt_i_min(p->tile_block, p->tiles - first);
    input_tiles(p, v, a->in[0], first, count);
    for (int64_t b = 0; b < p->oc_blocks; b++) {
        for (int64_t point = 0; point < p->points; point++) {
            multiply(p, m, v, a->packed, point, b, count);
        }
        output_tiles(p, a, m, first, count, b);
    }
}

static void run_phase(const gt_i_winograd *p, const gt_args *a, int phase, int64_t task)
{
    float *v = a->shared, *m = v + p->m_offset;
    int64_t first = task * p->tile_block, count = gt_i_min(p->tile_block, p->tiles - first);
    int64_t block = task / p->points;
    switch (phase) {
    case 0:
        input_tiles(p, v + first * p->v_row, a->in[0], first, count);
        break;
    case 1:
        multiply(p, m + block * p->oc_block, v, a->packed, task % p->points, block, p->tiles);
        break;
    default:
        for (int64_t b = 0; b < p->oc_blocks; b++) {
            output_tiles(p, a, m + first * p->m_row + b * p->oc_block, first, count, b);
        }
    }
}

void GT_KERNEL_FN(conv2d_winograd_f32)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin,
                                       int64_t end)
{
    const gt_i_winograd *p = k->params;
    for (int64_t task = begin; task < end; task++) {
        if (p->fused) {
            run_fused(p, a, task);
        } else {
            run_phase(p, a, phase, task);
        }
    }
}
