/* SPDX-License-Identifier: Apache-2.0 */
#include "src/zoo/moments.h"

#include <math.h>

/* Trapezoidal rule over +-4 standard deviations. */
#define POINTS 33
#define STEP 0.25

void gt_i_moments_map(gt_i_moments out, gt_i_moments in, int64_t channels,
                      double (*function)(double))
{
    double weight[POINTS];
    double total = 0;
    for (int i = 0; i < POINTS; i++) {
        double z = (i - POINTS / 2) * STEP;
        weight[i] = exp(-z * z / 2);
        total += weight[i];
    }
    for (int64_t c = 0; c < channels; c++) {
        double deviation = sqrt(in.var[c]);
        double first = 0;
        double second = 0;
        for (int i = 0; i < POINTS; i++) {
            double y = function(in.mean[c] + (i - POINTS / 2) * STEP * deviation);
            first += weight[i] / total * y;
            second += weight[i] / total * y * y;
        }
        out.mean[c] = first;
        out.var[c] = fmax(second - first * first, 0);
    }
}

void gt_i_moments_linear(gt_i_moments out, gt_i_moments in, const gt_i_moments_weights *weights)
{
    int64_t in_per_group = weights->in / weights->groups;
    int64_t out_per_group = weights->out / weights->groups;
    const float *w = weights->values;
    for (int64_t o = 0; o < weights->out; o++) {
        int64_t first = o / out_per_group * in_per_group;
        double mean = 0;
        double var = 0;
        for (int64_t i = first; i < first + in_per_group; i++) {
            double sum = 0;
            double squares = 0;
            for (int64_t k = 0; k < weights->taps; k++, w++) {
                sum += *w;
                squares += (double)*w * *w;
            }
            mean += sum * in.mean[i];
            var += squares * in.var[i];
        }
        out.mean[o] = mean * weights->coverage;
        out.var[o] = var * weights->coverage;
    }
}

double gt_i_moments_coverage(int64_t size, int64_t out_size, int64_t kernel, int64_t stride,
                             int64_t pad)
{
    int64_t inside = 0;
    for (int64_t o = 0; o < out_size; o++) {
        for (int64_t k = 0; k < kernel; k++) {
            int64_t at = o * stride + k - pad;
            inside += at >= 0 && at < size;
        }
    }
    return (double)inside / (double)(out_size * kernel);
}

double gt_i_moments_round(double value)
{
    int exponent = 0;
    double fraction = frexp(value, &exponent);
    return ldexp(nearbyint(ldexp(fraction, 10)), exponent - 10);
}
