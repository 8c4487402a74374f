/* SPDX-License-Identifier: Apache-2.0 */
/* Post-processing of detectors in plain C. Which boxes survive hangs on comparisons of scores and
 * overlaps, where the last bit decides; so the oracle and the templates share this code instead of
 * computing it twice. */
#ifndef GT_OPS_DETECTION_H
#define GT_OPS_DETECTION_H

#include "src/graph/workload.h"

/* One box: corners as fractions of the image. */
typedef struct gt_i_detection {
    float score;
    int32_t label, order; /* order: among equal scores the lower comes first */
    float box[4];         /* xmin, ymin, xmax, ymax */
} gt_i_detection;

/* How many gt_i_detection the functions below need to work with. */
int64_t gt_i_detection_room(const gt_workload *w);

/* SSD (W. Liu et al., ECCV 2016, section 2.2): boxes from priors, non-maximum suppression within each
 * class, the best of all. Label 0 is the background, which is never put out. */
void gt_i_detection_output(const gt_workload *w, float *out, const void *const *in, gt_i_detection *work);

/* YOLO (J. Redmon and A. Farhadi: v2, CVPR 2017, section 2; v3, arXiv 1804.02767, section 2): boxes from
 * anchors per cell, non-maximum suppression among all. Labels count from 1. Anchors are fractions of the
 * image. */
void gt_i_yolo_detection_output(const gt_workload *w, float *out, const void *const *in,
                                gt_i_detection *work);

#endif
