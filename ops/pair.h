/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d_pointwise.strip and conv2d_pool2d.strip: two ops done as one, strip by strip.
 *
 * A strip is some rows of the output. For each, the first op computes the rows of its own output that the second one reads,
 * into a buffer that stays in the cache, and the second one goes on from there; rows that the next strip reads as well move to
 * the buffer's beginning. Both are the kernels of their own templates, prepared to find one of their tensors in the buffer and
 * called by rows of their output instead of tasks:
 *
 *   run(kernel, args, image, begin, end)    rows [begin, end) of one image
 *
 * The first one writes row `begin` to args->out. The second one reads its input's row 0 at args->in[0], which mostly lies
 * before the buffer, and writes to args->out as ever; a pointwise convolution, for which a strip is one row of positions, finds
 * row `begin` at args->in[0], and has args->out and the residual moved there as well. */
#ifndef GT_OPS_PAIR_H
#define GT_OPS_PAIR_H

#include "ops/template.h"
#include "src/graph/pair.h"

typedef struct gt_i_strip {
    int64_t rows;           /* of the kernel's own output, at most, in a call */
    const gt_strides *x, *y; /* of the buffer: where the input lies, or the output; the other one is NULL */
} gt_i_strip;

/* The candidates that a pair's is made of, for who looks into it: the two ops' templates, spaces and configs. */
typedef struct gt_i_pair_candidates {
    gt_pair_parts parts;
    const gt_template *tmpl[2];
    gt_space space[2];
    gt_config config[2];
    int64_t strips; /* of all images */
} gt_i_pair_candidates;
void gt_i_pair_look(gt_i_pair_candidates *candidates, const gt_workload *w, gt_layout layout, const gt_config *config);

/* As the templates' own `prepare`, for strips. Of the config, the knobs that divide rows and channels among tasks have no meaning.
 * kernel->adopted_bytes may be GT_I_ADOPT_ANY. */
gt_status gt_i_direct_prepare_strip(gt_kernel *kernel, const void *const *consts, gt_isa isa, const gt_i_strip *strip) GT_NODISCARD;
gt_status gt_i_depthwise_prepare_strip(gt_kernel *kernel, const void *const *consts, gt_isa isa, const gt_i_strip *strip) GT_NODISCARD;
gt_status gt_i_pool_prepare_strip(gt_kernel *kernel, const void *const *consts, gt_isa isa, const gt_i_strip *strip) GT_NODISCARD;

#endif
