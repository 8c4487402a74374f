/* SPDX-License-Identifier: Apache-2.0 */
/* Shape inference and attribute validation, one function per op kind. Internal to src/graph. */
#ifndef GT_GRAPH_INFER_H
#define GT_GRAPH_INFER_H

#include "src/graph/workload.h"

/* An op being checked: everything that decides its output. */
typedef struct gt_inference {
    gt_op_kind kind;
    const gt_attrs *attrs;
    const gt_epilogue *epilogue;
    int n_inputs;
    const gt_operand *in;
    const gt_operand *hint; /* NULL if the caller gives none */
} gt_inference;

/* The output of an op, after all checks on inputs, attributes, epilogue and hint. Errors as for
 * gt_workload_create. Allocates nothing. */
gt_status gt_i_infer(gt_operand *out, const gt_inference *op) GT_NODISCARD;

/* "conv2d: stride[0] is 0; …": fails for an attribute whose value is not allowed. */
gt_status gt_i_bad_attr(const gt_inference *op, const char *field, int64_t value, const char *allowed) GT_NODISCARD;

/* Fails unless lo <= value <= hi. */
gt_status gt_i_attr_range(const gt_inference *op, const char *field, int64_t value, int64_t lo,
                          int64_t hi) GT_NODISCARD;
gt_status gt_i_attr_finite(const gt_inference *op, const char *field, float value) GT_NODISCARD;

/* Fails unless the list has `count` entries. */
gt_status gt_i_list_count(const gt_inference *op, const char *field, const gt_int_list *list,
                          int64_t count) GT_NODISCARD;

/* Fails for input i with "conv2d: weight (input 1) is 3x3; needed: …". */
gt_status gt_i_bad_input(const gt_inference *op, int i, const char *role, const char *format, ...)
    GT_PRINTF(4, 5) GT_NODISCARD;

gt_status gt_i_need_rank(const gt_inference *op, int i, const char *role, int lo, int hi) GT_NODISCARD;
gt_status gt_i_need_f32(const gt_inference *op) GT_NODISCARD;
gt_status gt_i_need_hint(const gt_inference *op) GT_NODISCARD;

/* The rule of one op kind. Inputs are present where required, non-empty, of checked shapes and the declared
 * number; *out arrives as a present f32 operand without a shape. */
typedef gt_status (*gt_infer_fn)(gt_operand *out, const gt_inference *op);

/* infer_window.c: everything with weights or windows. */
gt_status gt_i_infer_conv2d(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_conv_transpose2d(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_dense(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_matmul(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_pool2d(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_scale(gt_operand *out, const gt_inference *op) GT_NODISCARD;

/* infer_point.c: elementwise ops and those along an axis. */
gt_status gt_i_infer_reduce(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_unary(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_binary(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_softmax(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_lrn(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_resize(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_argmax(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_cast(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_copy(gt_operand *out, const gt_inference *op) GT_NODISCARD;

/* infer_move.c: ops that only move elements, of any type. */
gt_status gt_i_infer_concat(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_slice(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_pad(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_channel_shuffle(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_depth_to_space(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_space_to_depth(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_reshape(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_transpose(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_gather(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_tile(gt_operand *out, const gt_inference *op) GT_NODISCARD;

/* infer_detection.c: the post-processing of detectors. */
gt_status gt_i_infer_detection_output(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_yolo_detection_output(gt_operand *out, const gt_inference *op) GT_NODISCARD;

/* infer_pair.c: two ops done as one. */
gt_status gt_i_infer_conv2d_pointwise(gt_operand *out, const gt_inference *op) GT_NODISCARD;
gt_status gt_i_infer_conv2d_pool2d(gt_operand *out, const gt_inference *op) GT_NODISCARD;

#endif
