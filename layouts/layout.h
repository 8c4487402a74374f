/* SPDX-License-Identifier: Apache-2.0 */
/* How a 4-D activation lies in memory. Tensors of other ranks lie in C order, which is called GT_NCHW too. */
#ifndef GT_LAYOUTS_LAYOUT_H
#define GT_LAYOUTS_LAYOUT_H

#include "src/graph/shape.h"

/* GT_LAYOUT(enumerator, name, channel block): block 0 is channels last, 1 channels first. */
#define GT_LAYOUT_LIST(X)            \
    X(GT_NCHW, "NCHW", 1)            \
    X(GT_NHWC, "NHWC", 0)            \
    X(GT_NCHW4C, "NCHW4c", 4)        \
    X(GT_NCHW8C, "NCHW8c", 8)        \
    X(GT_NCHW16C, "NCHW16c", 16)

typedef enum gt_layout {
#define X(id, name, block) id,
    GT_LAYOUT_LIST(X)
#undef X
    GT_LAYOUT_COUNT
} gt_layout;

/* Where element (n, c, h, w) lies, in elements:
 *   n * s.n + (c / block) * s.block_stride + (c % block) * s.c + h * s.h + w * s.w
 * For NCHW block = 1; for NHWC block = 1 and block_stride = 1; for NCHW[x]c block = x and s.c = 1. */
typedef struct gt_strides {
    int64_t block;
    int64_t blocks; /* ceil(C / block) */
    int64_t n, block_stride, c, h, w;
    int64_t total; /* elements stored, channel padding included */
} gt_strides;

/* "NCHW8c"; "unknown" outside the list. */
const char *gt_layout_name(gt_layout layout);
/* GT_LAYOUT_COUNT if there is no such layout. Case matters. */
gt_layout gt_layout_find(const char *name);
/* 4, 8 or 16 for blocked layouts, otherwise 1. */
int64_t gt_layout_block(gt_layout layout);
bool gt_layout_is_blocked(gt_layout layout);

/* Whether a tensor of this shape can have this layout: NCHW always, others need rank 4. */
bool gt_layout_allows(gt_layout layout, const gt_shape *shape);

/* Strides of a shape (any rank for GT_NCHW: seen as gt_shape_as_4d gives it; rank 4 for the others). */
gt_strides gt_layout_strides(gt_layout layout, const gt_shape *shape);
static inline int64_t gt_strides_offset(const gt_strides *s, int64_t n, int64_t c, int64_t h, int64_t w)
{
    return n * s->n + (c / s->block) * s->block_stride + (c % s->block) * s->c + h * s->h + w * s->w;
}

/* Elements stored (channel padding included). */
int64_t gt_layout_elems(gt_layout layout, const gt_shape *shape);

/* Rank 4 as it is; lower ranks get 1s in front; higher ranks have their leading dimensions multiplied together. */
gt_shape gt_shape_as_4d(const gt_shape *shape);

/* ---- transforms: copies of a float32 tensor from one layout to another ---- */

/* How many independent tasks the transform has; each handles a contiguous part of the destination. */
int64_t gt_transform_tasks(const gt_shape *shape, gt_layout to, gt_layout from);

/* Runs tasks [begin, end). dst and src do not overlap; channel padding in dst is written as zero. */
void gt_transform_run(float *dst, gt_layout to, const float *src, gt_layout from, const gt_shape *shape,
                      int64_t begin, int64_t end);

/* All tasks at once. */
void gt_transform(float *dst, gt_layout to, const float *src, gt_layout from, const gt_shape *shape);

/* Bumped when the transforms' code changes in a way that changes their time. */
#define GT_TRANSFORM_REV 2

#endif
