/* SPDX-License-Identifier: Apache-2.0 */
/* The one description of Winograd's transforms F(m x m, 3 x 3), m = 2, 4, 6: the points of interpolation are 0, infinity
 * and n = m/2 pairs +-p. With N(x) = x (x^2 - p_0^2) ... (x^2 - p_{n-1}^2), the row of B^T for a point is N(x) without that
 * point's factor, the row of G is the filter's value there over N', and A^T holds powers (Toom-Cook; Barabasz et al., "Error
 * Analysis and Improving the Accuracy of Winograd Convolution for Deep Neural Networks", ACM TOMS 46(4), 2020). A row of B^T
 * may be multiplied by anything that divides the row of G. That freedom makes a coefficient 1 where a sum begins, so that
 * every further term is one multiply-add into a register that nobody else needs.
 *
 * Straight-line arithmetic on constants: compilers fold all of it. Private to ops/conv_winograd*. */
#ifndef GT_OPS_CONV_WINOGRAD_POINTS_H
#define GT_OPS_CONV_WINOGRAD_POINTS_H

/* The first n of 1, 1/2, 2: one needs no multiplication, and powers of two round nothing. The largest error of an output,
 * relative to the largest output, for inputs and weights uniform in [-1, 1] and 64 (2048) input channels is 3e-7 (2e-6) of
 * F2, 4e-6 (2e-5) of F4, 9e-6 (4e-5) of F6. */
static inline double gt_i_winograd_pair(int i)
{
    return i == 0 ? 1.0 : i == 1 ? 0.5 : 2.0;
}

static inline double gt_i_winograd_power(int i, int k)
{
    double p = gt_i_winograd_pair(i);
    return (k > 0 ? p : 1) * (k > 1 ? p : 1) * (k > 2 ? p : 1) * (k > 3 ? p : 1) * (k > 4 ? p : 1);
}

/* The coefficient of z^k in the product of z - p_j^2 over j < n, j != skip. A root of 0 stands for a factor that is left out:
 * it only shifts the coefficients. */
static inline double gt_i_winograd_coef(int n, int skip, int k)
{
    double r0 = skip == 0 ? 0 : 1.0, r1 = n < 2 || skip == 1 ? 0 : 0.25, r2 = n < 3 || skip == 2 ? 0 : 4.0;
    int at = k + (r0 == 0) + (r1 == 0) + (r2 == 0);
    return at == 3 ? 1 : at == 2 ? -(r0 + r1 + r2) : at == 1 ? r0 * r1 + r0 * r2 + r1 * r2 : -r0 * r1 * r2;
}

/* Sums for a pair below 1 begin at the lowest input and others at the highest: no two pairs of F6 want the same register. */
static inline double gt_i_winograd_row_scale(int n, int i)
{
    return gt_i_winograd_pair(i) < 1 ? 1 / gt_i_winograd_coef(n, i, 0) : 1;
}

/* The rows of G for +-p_i are scale * (1, +-p, p^2). For 0 and infinity they are (1, 0, 0) and (0, 0, 1). */
static inline double gt_i_winograd_filter_scale(int n, int i)
{
    double z = gt_i_winograd_power(i, 2);
    double others = gt_i_winograd_coef(n, i, 0) + (n > 1 ? z * gt_i_winograd_coef(n, i, 1) : 0) +
                    (n > 2 ? z * z * gt_i_winograd_coef(n, i, 2) : 0);
    return 1 / (2 * z * others * gt_i_winograd_row_scale(n, i));
}

#endif
