/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the oracle, one function per op kind; only ops/reference*.c include this. All take the
 * workload, the output's elements and the inputs' elements in C order, as gt_reference_run does. */
#ifndef GT_OPS_REFERENCE_INTERNAL_H
#define GT_OPS_REFERENCE_INTERNAL_H

#include "ops/reference.h"

typedef gt_status (*gt_i_reference_fn)(const gt_workload *w, void *out, const void *const *in);

/* C-order strides in elements; stride of the last axis is 1. */
void gt_i_reference_strides(int64_t stride[GT_MAX_RANK], const gt_shape *shape);

/* Steps a C-order index to its successor; after the last one it is all zero again. */
void gt_i_reference_next(int64_t index[GT_MAX_RANK], const gt_shape *shape);

/* What the epilogue makes of a result r, without the residual. */
double gt_i_reference_act(const gt_epilogue *epilogue, double r);

gt_status gt_i_reference_conv2d(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_conv_transpose2d(const gt_workload *w, void *out,
                                          const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_dense(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_matmul(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_pool2d(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_reduce(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_unary(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_binary(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_scale(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_concat(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_slice(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_pad(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_resize(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_softmax(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_lrn(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_channel_shuffle(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_depth_to_space(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_space_to_depth(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_transpose(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_gather(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_tile(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_argmax(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_cast(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_detection_output(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
gt_status gt_i_reference_yolo_detection_output(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
/* conv2d_pointwise and conv2d_pool2d: one after the other. */
gt_status gt_i_reference_pair(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;
/* reshape and copy: the same elements in the same order. */
gt_status gt_i_reference_copy(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;

/* GT_ERROR_UNSUPPORTED for an element type that the op kind does not compute with. */
gt_status gt_i_reference_dtype_error(const gt_workload *w, gt_dtype dtype) GT_NODISCARD;

#endif
