/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/resize_coord.h"

#include <math.h>

double gt_i_resize_source(gt_resize_coord coord, float scale, int64_t in, int64_t out, int64_t at)
{
    double numerator = (double)out;
    double denominator = (double)in;
    /* x * in / out rounds once where x / (out / in) rounds twice, and then a position that should be a whole
     * number can fall just below it. */
    if ((float)(numerator / denominator) != scale) {
        numerator = scale;
        denominator = 1;
    }
    double x = (double)at;
    switch (coord) {
    case GT_COORD_PYTORCH_HALF_PIXEL:
        return out > 1 ? (x + 0.5) * denominator / numerator - 0.5 : 0;
    case GT_COORD_ALIGN_CORNERS:
        return out > 1 ? x * (double)(in - 1) / (double)(out - 1) : 0;
    case GT_COORD_ASYMMETRIC:
        return x * denominator / numerator;
    default:
        return (x + 0.5) * denominator / numerator - 0.5;
    }
}

static double clamp(double x, int64_t in)
{
    double last = (double)(in - 1);
    return x > last ? last : x > 0 ? x : 0;
}

int64_t gt_i_resize_nearest(gt_resize_nearest nearest, double source, int64_t in)
{
    switch (nearest) {
    case GT_NEAREST_ROUND_PREFER_CEIL:
        return (int64_t)clamp(floor(source + 0.5), in);
    case GT_NEAREST_FLOOR:
        return (int64_t)clamp(floor(source), in);
    case GT_NEAREST_CEIL:
        return (int64_t)clamp(ceil(source), in);
    default:
        return (int64_t)clamp(ceil(source - 0.5), in);
    }
}

void gt_i_resize_linear(double source, int64_t in, int64_t *low, int64_t *high, double *weight)
{
    double x = clamp(source, in);
    *low = (int64_t)x;
    *high = *low + 1 < in ? *low + 1 : *low;
    *weight = x - (double)*low;
}
