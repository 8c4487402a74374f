/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes and element types of tensors. */
#ifndef GT_GRAPH_SHAPE_H
#define GT_GRAPH_SHAPE_H

#include "src/base/text.h"

#define GT_MAX_RANK 8
#define GT_MAX_ELEMS ((int64_t)1 << 40)

typedef enum gt_dtype { GT_F32, GT_I64, GT_BOOL, GT_DTYPE_COUNT } gt_dtype;

/* Dimensions in the model's own axis order (images: N, C, H, W). Rank 0 is a scalar. Unused entries are 0. */
typedef struct gt_shape {
    int rank;
    int64_t dim[GT_MAX_RANK];
} gt_shape;

/* Of one element. */
size_t gt_dtype_bytes(gt_dtype dtype);
const char *gt_dtype_name(gt_dtype dtype); /* "f32", "i64", "bool" */

/* The number of elements (1 for a scalar, 0 if a dimension is 0). The shape must have passed gt_shape_check. */
int64_t gt_shape_elems(const gt_shape *shape);
bool gt_shape_equal(const gt_shape *a, const gt_shape *b);

/* Errors: GT_ERROR_SHAPE for a rank outside 0..8, a negative dimension, or more than 2^40 elements. */
gt_status gt_shape_check(const gt_shape *shape) GT_NODISCARD;

/* An image tensor's shape. Not checked. */
gt_shape gt_shape_4d(int64_t n, int64_t c, int64_t h, int64_t w);
gt_shape gt_shape_of(int rank, const int64_t *dim);

/* "1x64x56x56", "scalar" for rank 0; into `buffer`, which is returned. */
const char *gt_shape_format(char *buffer, size_t bytes, const gt_shape *shape);
#define GT_SHAPE_TEXT_BYTES 192

/* The shape that numpy broadcasting gives; false when the two do not broadcast. */
bool gt_shape_broadcast(gt_shape *out, const gt_shape *a, const gt_shape *b);

#endif
