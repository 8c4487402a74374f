/* SPDX-License-Identifier: Apache-2.0 */
/* What the convolution templates share: a workload's geometry in plain numbers. */
#ifndef GT_OPS_CONV_COMMON_H
#define GT_OPS_CONV_COMMON_H

#include "ops/template.h"

/* Geometry of a conv2d or conv_transpose2d, with the strides of both activations. Trivially copyable, so
 * that a template can keep it inside its params. */
typedef struct gt_i_conv {
    int64_t n, c, h, w;             /* input */
    int64_t k, oh, ow;              /* output */
    int64_t kh, kw;                 /* kernel */
    int64_t sh, sw, dh, dw;         /* stride, dilation */
    int64_t pad_t, pad_l, pad_b, pad_r;
    int64_t groups, cg, kg;         /* channels per group: in, out */
    gt_strides x, y;                /* input and output; a residual lies as the output */
    gt_epilogue epilogue;
    bool bias, residual;            /* inputs 2 and 3 are present */
} gt_i_conv;

void gt_i_conv_init(gt_i_conv *conv, const gt_workload *w, gt_layout in, gt_layout out);

/* Floats in the widest vectors of an instruction set: GT_VL of the kernels compiled for it. */
int64_t gt_i_isa_lanes(gt_isa isa);

/* min(block, lanes) for a blocked layout, the lanes otherwise: the vector width along channels. */
int64_t gt_i_conv_lanes(const gt_strides *strides, gt_isa isa);

/* Element [k][c][r][s] of a conv2d's weights in C order; c counts within the group. */
static inline float gt_i_conv_weight(const gt_i_conv *v, const float *weights, int64_t k, int64_t c, int64_t r,
                                     int64_t s)
{
    return weights[((k * v->cg + c) * v->kh + r) * v->kw + s];
}

static inline int64_t gt_i_div_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static inline int64_t gt_i_round_up(int64_t a, int64_t b)
{
    return gt_i_div_up(a, b) * b;
}

static inline int64_t gt_i_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t gt_i_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The taps [*begin, *end) of `taps` whose input position origin + tap * dilation lies in [0, size). Empty
 * ranges have *begin == *end. */
static inline void gt_i_conv_taps(int64_t *begin, int64_t *end, int64_t origin, int64_t dilation, int64_t taps,
                                  int64_t size)
{
    int64_t lo = origin < 0 ? gt_i_div_up(-origin, dilation) : 0;
    int64_t hi = origin < size ? gt_i_div_up(size - origin, dilation) : 0;
    *begin = gt_i_min(lo, taps);
    *end = gt_i_max(gt_i_min(hi, taps), *begin);
}

/* What lies so many floats from `at`, maybe outside of what that points into: for a row 0 that is not there, of which rows behind
 * are. */
static inline void *gt_i_strip_row(const void *at, int64_t floats)
{
    return (void *)((uintptr_t)at + (uintptr_t)floats * sizeof(float));
}

/* Adds `value` to a knob unless it is there already, is below 1, or the knob is full. */
void gt_i_knob_add(gt_knob *knob, int64_t value);

/* Starts a new knob of the space with one value, its default. */
gt_knob *gt_i_knob_begin(gt_space *space, const char *name, int64_t value);

#endif
