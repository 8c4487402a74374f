/* SPDX-License-Identifier: Apache-2.0 */
/* What the memory-bound templates share: one view of all layouts, constants as inputs, channel padding. */
#ifndef GT_OPS_GENERAL_COMMON_H
#define GT_OPS_GENERAL_COMMON_H

#include "ops/template.h"

#include <string.h>

/* Every layout of [N, C, H, W] is the contiguous array [n][g][h][w][l], where channel c is lane c % l of
 * group c / l: NCHW has C groups of one lane, NHWC one group of C lanes, a blocked layout ceil(C / B) groups
 * of B. */
typedef struct gt_i_view {
    int64_t n, g, h, w, l;
    int64_t c; /* channels; lanes from c on in the last group are padding and hold zeros */
} gt_i_view;

/* Ranks other than 4 are seen through gt_shape_as_4d. */
gt_i_view gt_i_view_of(gt_layout layout, const gt_shape *shape);

static inline int64_t gt_i_view_elems(const gt_i_view *v)
{
    return v->n * v->g * v->h * v->w * v->l;
}

static inline bool gt_i_view_padded(const gt_i_view *v)
{
    return v->g * v->l != v->c;
}

/* Lanes of group g that hold channels. */
static inline int64_t gt_i_view_lanes(const gt_i_view *v, int64_t g)
{
    return g + 1 < v->g ? v->l : v->c - g * v->l;
}

/* Writes zeros to the lanes from `first` on of `pixels` pixels of `lanes` lanes. */
static inline void gt_i_zero_lanes(float *at, int64_t pixels, int64_t lanes, int64_t first)
{
    for (int64_t i = 0; i < pixels && first < lanes; i++) {
        memset(at + i * lanes + first, 0, (size_t)(lanes - first) * sizeof *at);
    }
}

/* Appends a phase that zeroes the output's channel padding, for functions that make something else of zero.
 * Its tasks are the rows of the last group, run by gt_i_zero_padding. */
void gt_i_add_zero_phase(gt_kernel *kernel, const gt_i_view *out);

/* Tasks [begin, end) of that phase. */
static inline void gt_i_zero_padding(float *out, const gt_i_view *v, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++) {
        int64_t row = ((i / v->h + 1) * v->g - 1) * v->h + i % v->h;
        gt_i_zero_lanes(out + row * v->w * v->l, v->w, v->l, gt_i_view_lanes(v, v->g - 1));
    }
}

static inline int64_t gt_i_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t gt_i_ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* A tensor seen as [outer, length, inner] in memory around one axis of its shape. A blocked layout's channel
 * axis has no such view. */
typedef struct gt_i_axis_view {
    int64_t outer, length, inner;
} gt_i_axis_view;

gt_i_axis_view gt_i_axis_view_of(gt_layout layout, const gt_shape *shape, int64_t axis);

/* Copies the constant inputs into kernel->packed, in the layout that the kernel's other inputs have. at[i]
 * becomes the copy's offset in bytes, or -1 for activations and absent inputs. */
gt_status gt_i_pack_inputs(gt_kernel *kernel, const void *const *consts, int64_t *at) GT_NODISCARD;

/* Where input i lies while running. */
static inline const void *gt_i_input(const gt_args *args, const int64_t *at, int64_t i)
{
    return at[i] >= 0 ? (const char *)args->packed + at[i] : args->in[i];
}

/* Both layouts are the same, the first input and the output have their ranks' layouts, and the first input is
 * an activation: what most templates need. */
bool gt_i_same_layout(const gt_workload *w, gt_layout in, gt_layout out);

/* Allocates kernel->params with a copy of `params` and looks up the kernel function. */
#define GT_I_SET_PARAMS(kernel, params_value, id, isa) \
    gt_i_set_params((kernel), &(params_value), sizeof(params_value), gt_i_kernel((id), (isa)))
gt_status gt_i_set_params(gt_kernel *kernel, const void *params, size_t bytes, gt_kernel_fn run) GT_NODISCARD;

#endif
