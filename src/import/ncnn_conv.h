/* SPDX-License-Identifier: Apache-2.0 */
/* What convolutions and deconvolutions have in common. */
#ifndef GT_IMPORT_NCNN_CONV_H
#define GT_IMPORT_NCNN_CONV_H

#include "src/import/ncnn_context.h"

typedef struct gt_i_ncnn_window {
    int64_t outputs, kernel[2], stride[2], dilation[2], pad[4], groups; /* {H, W}; top, left, bottom, right */
    bool same; /* pads are all -233 (SAME, the odd one at the end) or all -234 (at the beginning) */
    bool bias;
    int64_t weights; /* stated number */
    gt_epilogue epilogue;
} gt_i_ncnn_window;

gt_status gt_i_ncnn_read_window(gt_i_ncnn_window *out, const gt_ncnn_layer *layer) GT_NODISCARD;
gt_attrs gt_i_ncnn_conv_attrs(const gt_i_ncnn_window *window);

/* Divides a total among the two ends of an axis; the odd one goes to the end if `upper`. */
void gt_i_ncnn_split_pad(int64_t *pad, int axis, int64_t total, bool upper);

/* Fails unless groups divide the channels and the stated number of weights is the right one. */
gt_status gt_i_ncnn_check_weights(const gt_i_ncnn_window *window, int64_t channels) GT_NODISCARD;

/* K. He et al., "Delving deep into rectifiers", ICCV 2015, equation 10. */
gt_i_ncnn_random gt_i_ncnn_he(int64_t fan_in);

/* GT_NO_TENSOR if there is none. */
gt_status gt_i_ncnn_load_bias(int *out, gt_i_ncnn *c, bool present, int64_t outputs) GT_NODISCARD;

#endif
