/* SPDX-License-Identifier: Apache-2.0 */
/* Sliding windows: what Conv, ConvTranspose and the pools have in common. */
#ifndef GT_IMPORT_ONNX_WINDOW_H
#define GT_IMPORT_ONNX_WINDOW_H

#include "src/import/onnx_context.h"

typedef enum gt_i_auto_pad { GT_I_PAD_NOTSET, GT_I_PAD_SAME_UPPER, GT_I_PAD_SAME_LOWER,
                            GT_I_PAD_VALID } gt_i_auto_pad;

/* Over H and W; one spatial axis is W, with H = 1. Pads are {top, left, bottom, right}. */
typedef struct gt_i_window {
    gt_i_auto_pad auto_pad;
    int64_t kernel[2], stride[2], dilation[2], pad[4];
} gt_i_window;

/* Reads auto_pad, kernel_shape, strides, dilations and pads for an input of rank 3 or 4. Where the node has
 * no kernel_shape, `kernel` must give it {H, W}; where it has, the two must agree (kernel may be NULL).
 * Errors: GT_ERROR_FORMAT, GT_ERROR_UNSUPPORTED (negative pads). */
gt_status gt_i_onnx_window(gt_i_window *window, const gt_onnx_node *node, int rank,
                           const int64_t *kernel) GT_NODISCARD;

/* Replaces auto_pad by explicit pads for an input of in[2] = {H, W}. */
void gt_i_onnx_resolve_auto_pad(gt_i_window *window, const int64_t *in);

/* Splits a total into the two sides of one axis: the odd one at the end for SAME_UPPER, else at the start. */
void gt_i_onnx_split_pad(gt_i_window *window, int axis, int64_t total, bool odd_at_end);

#endif
