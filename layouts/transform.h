/* SPDX-License-Identifier: Apache-2.0 */
/* What a transform's split into tasks (transform.c) tells the code that is compiled once per instruction set
 * (transform_kernel.c). */
#ifndef GT_LAYOUTS_TRANSFORM_H
#define GT_LAYOUTS_TRANSFORM_H

#include <stdint.h>

/* One image in one layout: channel c of pixel p lies at c / block * block_stride + c % block + p * pixel. Height and width
 * always lie together. */
typedef struct gt_i_plane {
    int64_t block, block_stride, pixel;
    int64_t channels; /* those that exist; up to a multiple of a blocked layout's block there are zeros behind them */
    int64_t padded;
} gt_i_plane;

/* Channels [c0, c1) of pixels [p0, p1) of one image, and the zeros behind the last channel. */
typedef void gt_i_transform_tile(float *dst, const gt_i_plane *to, const float *src, const gt_i_plane *from, int64_t c0, int64_t c1,
                                 int64_t p0, int64_t p1);

/* The build sets GT_ISA_SUFFIX. */
#define GT_I_TRANSFORM_PASTE2(suffix) gt_transform_tile_##suffix
#define GT_I_TRANSFORM_PASTE(suffix) GT_I_TRANSFORM_PASTE2(suffix)
#define GT_I_TRANSFORM_TILE GT_I_TRANSFORM_PASTE(GT_ISA_SUFFIX)

gt_i_transform_tile gt_transform_tile_base, gt_transform_tile_avx2, gt_transform_tile_avx512;

#endif
