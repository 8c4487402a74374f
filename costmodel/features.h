/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates and workloads as points, for a model that learns from measurements. */
#ifndef GT_COSTMODEL_FEATURES_H
#define GT_COSTMODEL_FEATURES_H

#include "ops/template.h"

#define GT_FEATURES GT_MAX_KNOBS
#define GT_DIMENSIONS 16

/* x[space->n]: log2(1 + value) per knob, so that halving a tile is as far as doubling it; the rest of x[GT_FEATURES] is zero.
 * What the loop nest makes of the values (costmodel/analytic.h) is not among them: it is what the model begins with. */
void gt_features_of(double *x, const gt_space *space, const gt_config *config);

/* Whether two spaces have the same knobs, so that their candidates' features can be compared. */
bool gt_features_match(const gt_space *a, const gt_space *b);

/* z[GT_DIMENSIONS]: log2(1 + size) of the axes of input, weights and output, and of the strides; zero where there are none. */
void gt_dimensions_of(double *z, const gt_workload *w);

/* How different two workloads of one kind are: the sum of the differences of their dimensions, in octaves. */
double gt_dimensions_apart(const double *a, const double *b);

#endif
