/* SPDX-License-Identifier: Apache-2.0 */
/* Where an output position of a resize lies in the input (ONNX Resize, coordinate_transformation_mode). */
#ifndef GT_OPS_RESIZE_COORD_H
#define GT_OPS_RESIZE_COORD_H

#include "src/graph/op.h"

/* The fractional source position of output position `at` along one axis of `in` -> `out` elements; may lie
 * outside [0, in - 1]. A scale that is out/in rounded to float counts as exactly out/in. */
double gt_i_resize_source(gt_resize_coord coord, float scale, int64_t in, int64_t out, int64_t at);

/* The source element of nearest mode, inside [0, in). */
int64_t gt_i_resize_nearest(gt_resize_nearest nearest, double source, int64_t in);

/* Linear mode: the value is (1 - *weight) * x[*low] + *weight * x[*high], both inside [0, in). */
void gt_i_resize_linear(double source, int64_t in, int64_t *low, int64_t *high, double *weight);

#endif
