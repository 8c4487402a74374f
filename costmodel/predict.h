/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian process regression: what a function of a few features should be where it was not measured, and how sure that is
 * (Rasmussen and Williams, "Gaussian Processes for Machine Learning", MIT Press 2006, algorithm 2.1). The functions of
 * several families are related: each is partly the one that all share and partly its own (the intrinsic model of
 * coregionalization: Bonilla, Chai and Williams, "Multi-task Gaussian process prediction", NIPS 2007).
 *
 * The kernel is s^2 exp(-d^2 / (2 l^2)), times `shared` between different families, plus r^2 of a point with itself: what
 * differs from a config to its neighbours without a rule. Its constants are fixed: they are of the logarithm of a candidate's
 * time over its estimate, and a handful of measurements could not tell them apart. */
#ifndef GT_COSTMODEL_PREDICT_H
#define GT_COSTMODEL_PREDICT_H

#include "costmodel/features.h"
#include "src/base/status.h"

/* More observations are refused; the oldest ones say most of what there is to say. */
#define GT_PREDICTOR_POINTS 192

typedef struct gt_predictor gt_predictor;

gt_status gt_predictor_create(gt_predictor **predictor) GT_NODISCARD;
void gt_predictor_destroy(gt_predictor *predictor);
/* Forgets all observations. */
void gt_predictor_clear(gt_predictor *predictor);

/* Adds an observation y at x[GT_FEATURES] of a family's function; family 0 is the one that is asked for. Returns false,
 * having added nothing, when GT_PREDICTOR_POINTS are there. O(observations^2). */
bool gt_predictor_add(gt_predictor *predictor, const double *x, double y, int family);

/* Mean and standard deviation of family 0's function at n points x[n][GT_FEATURES]. Without observations: 0 and
 * the root of s^2 + r^2.
 * O(n observations^2). */
void gt_predictor_ask(const gt_predictor *predictor, int64_t n, const double (*x)[GT_FEATURES], double *mean, double *deviation);

/* The expected improvement E[max(best - Y, 0)] of a normal Y (Jones, Schonlau and Welch, "Efficient global optimization of
 * expensive black-box functions", J. Global Optimization 13, 1998, equation 15). deviation > 0. */
double gt_expected_improvement(double mean, double deviation, double best);

#endif
