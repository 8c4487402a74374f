/* SPDX-License-Identifier: Apache-2.0 */
/* Moving elements by one table per axis, in any layout:
 *   out[n][c][h][w] = in[map_n[n]][map_c[c]][map_h[h]][map_w[w]], or the fill value where a map is GT_I_FILL.
 * slice, pad, tile, nearest resize, channel concat in blocked layouts, gather and transpose in C order. */
#ifndef GT_OPS_GENERAL_COMMON_MOVE_H
#define GT_OPS_GENERAL_COMMON_MOVE_H

#include "ops/general_common.h"

#define GT_I_FILL (-1)
#define GT_I_PADDING (-2)

/* What `prepare` of a template states. */
typedef struct gt_i_move_spec {
    gt_i_view in, out;   /* C order of any rank: groups of one lane, see gt_i_move_c_order */
    int64_t *map[4];     /* per axis N, C, H, W: positions in the input; N's are multiplied by its stride */
    const int32_t *input; /* per output channel: which input it comes from; NULL means the first */
    const int64_t *channels; /* C of every input; NULL means in.c */
    int n_inputs;
    int64_t stride[4]; /* for layouts of one lane: the input's stride per axis */
    float fill;
    gt_dtype dtype;
    bool blocked;
} gt_i_move_spec;

/* Output positions [to, to + count) come from elements from, from + step, …; from < 0 is the fill value. */
typedef struct gt_i_run {
    int64_t to, from, count, step;
} gt_i_run;

/* What the kernel reads; the arrays follow in the same block. */
typedef struct gt_i_move {
    gt_i_view out;
    bool blocked;
    int bytes;       /* of an element */
    double fill;     /* its bit pattern, as an element */
    const int64_t *n_index, *h_offset;
    const int64_t *c_offset; /* per lane of every group; GT_I_FILL or GT_I_PADDING */
    const int32_t *c_input;  /* per lane of every group */
    const bool *whole;       /* per group: its lanes are one input group's lanes, padding included */
    const gt_i_run *runs;    /* along W, in pixels and elements */
    int64_t n_runs;
    const gt_i_run *lane_runs; /* along the lanes of a channels-last output */
    int64_t n_lane_runs;
    const int32_t *w_table; /* elements; instead of runs, where those would be short */
    int64_t repeat;         /* every element of an input row this many times; 0 where rows are otherwise */
    const int64_t *n_stride;  /* per input */
    const int64_t *at;        /* per input: packed constants */
} gt_i_move;

/* Builds the kernel's params from a spec. `consts` as in gt_template.prepare: constant inputs are packed. */
gt_status gt_i_move_prepare(gt_kernel *kernel, const gt_i_move_spec *spec, const void *const *consts,
                            gt_isa isa) GT_NODISCARD;

/* Tables for a spec with views of the first input and of an output of this shape; all maps zero.
 * C order of ranks beyond 4 has the leading axes' combined offsets in map[0] (stride 1). Free
 * with gt_i_move_spec_clear. */
gt_status gt_i_move_spec_create(gt_i_move_spec *spec, const gt_kernel *kernel,
                                const gt_shape *out) GT_NODISCARD;
void gt_i_move_spec_clear(gt_i_move_spec *spec);

/* Sets the map of one axis of the output's shape to `index`; stride is that of the input axis it indexes
 * (only C order uses it). For ranks beyond 4, all of the leading rank - 3 axes must be set in ascending
 * order. */
void gt_i_move_set_axis(gt_i_move_spec *spec, const gt_shape *out, int axis, const int64_t *index,
                        int64_t stride);

/* Which position of the input's axis an output position comes from, or GT_I_FILL. */
typedef int64_t (*gt_i_source_fn)(const gt_workload *w, int axis, int64_t at);

/* gt_i_move_prepare for an op with one map function for all axes. `out` is the output's shape, with the
 * input's rank; output axis d indexes input axis perm[d] (NULL: axis d). */
gt_status gt_i_move_prepare_axes(gt_kernel *kernel, gt_i_source_fn source, const gt_shape *out,
                                 const int64_t *perm,
                                 float fill, const void *const *consts, gt_isa isa) GT_NODISCARD;

/* What every op supports that is gt_i_move_prepare_axes: images of floats in every layout, anything in C
 * order. */
bool gt_i_move_supports(const gt_workload *w, gt_layout in, gt_layout out);

/* C-order strides of a shape. */
void gt_i_c_strides(int64_t stride[GT_MAX_RANK], const gt_shape *shape);

#endif
