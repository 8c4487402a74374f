/* SPDX-License-Identifier: Apache-2.0 */
/* The reference oracle: plain loops with double accumulation, for every op kind. */
#ifndef GT_OPS_REFERENCE_H
#define GT_OPS_REFERENCE_H

#include "src/graph/workload.h"

/* Computes a workload on C-order tensors. in[i]: input i's elements, C order (NULL if absent); out: the output's
 * elements, C order. Errors: GT_ERROR_MEMORY, GT_ERROR_UNSUPPORTED. Cost: the plain loop nest. */
gt_status gt_reference_run(const gt_workload *w, void *out, const void *const *in) GT_NODISCARD;

/* One elementwise function in double. */
double gt_reference_function(gt_function function, float alpha, float beta, double x);

/* The accuracy that a kernel's output must have against the oracle: |a - b| <= absolute * absmax(b) +
 * relative * |b|. Non-finite values must agree exactly. Returns the index of the worst violation or -1. */
typedef struct gt_tolerance {
    double absolute, relative;
} gt_tolerance;
#define GT_TOLERANCE_F32 ((gt_tolerance){1e-4, 1e-3})
int64_t gt_compare_f32(const float *got, const float *want, int64_t count, gt_tolerance tolerance, double *worst);

#endif
