/* SPDX-License-Identifier: Apache-2.0 */
/* Predicted mean and variance of every channel of an activation, over positions and inputs.
 *
 * Random weights alone let activations drift over a deep network, and every input then gives
 * much the same output. A trained network does not: its batch normalisation has seen the
 * statistics. The zoo therefore predicts them, assuming what holds on average for random
 * zero-mean weights: independent, normally distributed inputs of each layer. */
#ifndef GT_ZOO_MOMENTS_H
#define GT_ZOO_MOMENTS_H

#include <stdint.h>

/* Arrays of one entry per channel; borrowed. */
typedef struct gt_i_moments {
    double *mean;
    double *var;
} gt_i_moments;

/* Moments of y = f(x) for x ~ N(mean, var), channel by channel; out may be in. */
void gt_i_moments_map(gt_i_moments out, gt_i_moments in, int64_t channels,
                      double (*function)(double));

/* What a convolution or fully connected layer needs to know of its weights. */
typedef struct gt_i_moments_weights {
    const float *values; /* [out][in / groups][taps] */
    int64_t out;
    int64_t in;
    int64_t groups;
    int64_t taps;    /* kernel height * kernel width */
    double coverage; /* fraction of the taps that do not fall on padding, 0 to 1 */
} gt_i_moments_weights;

/* Moments of the weighted sums, without a bias. */
void gt_i_moments_linear(gt_i_moments out, gt_i_moments in, const gt_i_moments_weights *weights);

/* The average over output positions of the fraction of kernel taps inside the input, along one
 * axis. */
double gt_i_moments_coverage(int64_t size, int64_t out_size, int64_t kernel, int64_t stride,
                             int64_t pad);

/* Rounds to 10 significant bits. Predictions go through libm, whose last bits differ between
 * machines; what is stored in a model must not, or its hash would. */
double gt_i_moments_round(double value);

#endif
