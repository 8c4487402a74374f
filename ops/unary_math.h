/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise functions of native vectors that no activation needs; for *_kernel.c files. */
#ifndef GT_OPS_UNARY_MATH_H
#define GT_OPS_UNARY_MATH_H

#include "ops/general_common_simd.h"

#define gt_vn_abs GT_PASTE(GT_PASTE(gt_v, GT_VL), _abs)

/* Natural logarithm: x = 2^e m with m in [sqrt(1/2), sqrt(2)), then ln m = 2 artanh((m - 1)/(m + 1)) by its
 * odd series (terms to s^9; |s| < 0.172, so the first one left out is below 7e-10). log 0 = -inf, negative is
 * NaN. */
static inline gt_vn gt_vn_log(gt_vn x)
{
    gt_in tiny = (x < 1.17549435e-38f) & (x > 0);
    gt_vn scaled = gt_vn_select(tiny, x * 8388608.0f, x);
    gt_in bits = (gt_in)scaled & 0x7fffffff;
    gt_in exponent = (bits - 0x3f3504f3) >> 23;
    gt_vn m = (gt_vn)(bits - exponent * (1 << 23));
    gt_vn e = __builtin_convertvector(exponent - (tiny & 23), gt_vn);
    gt_vn s = (m - 1.0f) / (m + 1.0f);
    gt_vn s2 = s * s;
    gt_vn series = s2 * (0.66666667f + s2 * (0.4f + s2 * (0.28571429f + s2 * 0.22222222f)));
    gt_vn result = e * 0.693359375f + (e * -2.12194440e-4f + (s * series + (s + s)));
    gt_vn infinity = gt_vn_set1(__builtin_inff());
    result = gt_vn_select(x == 0, -infinity, result);
    result = gt_vn_select(x == infinity, infinity, result);
    return gt_vn_select((x < 0) | (x != x), gt_vn_set1(__builtin_nanf("")), result);
}

/* ln(1 + e^x) = max(x, 0) + ln(1 + e^-|x|); the logarithm's argument is rounded, and the quotient makes up
 * for that (W. Kahan's log1p). */
static inline gt_vn gt_vn_softplus(gt_vn x)
{
    gt_vn e = gt_vn_exp(-gt_vn_abs(x));
    gt_vn u = 1.0f + e;
    gt_vn zero = {0};
    gt_in exact = u == 1.0f;
    gt_vn divisor = gt_vn_select(exact, gt_vn_set1(1), u - 1.0f);
    return gt_vn_max(x, zero) + gt_vn_select(exact, e, gt_vn_log(u) * (e / divisor));
}

/* Error function: the Maclaurin series below 1/2, elsewhere Abramowitz and Stegun 7.1.26 (error below
 * 1.5e-7). */
static inline gt_vn gt_vn_erf(gt_vn x)
{
    gt_vn a = gt_vn_abs(x);
    gt_vn x2 = x * x;
    gt_vn p = -7.5757576e-4f * x2 + 4.6296296e-3f;
    p = p * x2 - 2.3809524e-2f;
    p = p * x2 + 0.1f;
    p = p * x2 - 0.33333333f;
    gt_vn small = 1.12837917f * (x + x * x2 * p);
    gt_vn t = 1.0f / (1.0f + 0.3275911f * a);
    gt_vn q = t * 1.061405429f - 1.453152027f;
    q = q * t + 1.421413741f;
    q = q * t - 0.284496736f;
    q = q * t + 0.254829592f;
    gt_vn big = 1.0f - q * t * gt_vn_exp(-x2);
    return gt_vn_select(a < 0.5f, small, gt_vn_select(x < 0, -big, big));
}

/* Rounds toward -inf. From 2^23 on floats are whole; those and NaN stay as they are. */
static inline gt_vn gt_vn_floor(gt_vn x)
{
    gt_in fits = gt_vn_abs(x) < 8388608.0f;
    gt_vn zero = {0};
    gt_vn whole = __builtin_convertvector(__builtin_convertvector(gt_vn_select(fits, x, zero), gt_in), gt_vn);
    whole = gt_vn_select(whole > x, whole - 1.0f, whole);
    return gt_vn_select(fits, whole, x);
}

/* The compiler turns this loop into one vector instruction. */
static inline gt_vn gt_vn_sqrt(gt_vn x)
{
    for (int i = 0; i < GT_VL; i++) {
        x[i] = __builtin_sqrtf(x[i]);
    }
    return x;
}

#endif
