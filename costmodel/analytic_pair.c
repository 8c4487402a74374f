/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of two ops done as one. */
#include "costmodel/analytic_internal.h"
#include "ops/pair.h"

#include <math.h>

/* The one's and the other's, as they would be alone, but for what is between them, which a strip's buffer keeps in the second
 * level, and the second op's weights, over which every strip passes. */
void gt_i_describe_pair(gt_nest *nest, const gt_i_loops *c)
{
    gt_i_pair_candidates pair;
    gt_nest part[2];
    gt_i_pair_look(&pair, c->workload, c->in, c->config);
    const gt_workload *w[2] = {&pair.parts.first, &pair.parts.second};
    const double middle = 4 * (double)gt_shape_elems(&pair.parts.first.output.shape);
    for (int i = 0; i < 2; i++) {
        gt_nest_describe(&part[i], c->machine, pair.tmpl[i], w[i], c->in, c->out, &pair.space[i], &pair.config[i]);
    }
    const gt_nest *a = &part[0], *b = &part[1];
    *nest = (gt_nest){.macs = a->macs + b->macs, .fma = a->fma + b->fma, .loads = a->loads + b->loads, .inner = a->inner + b->inner,
                      .around = a->around + b->around, .calls = a->calls + b->calls, .l1_bytes = a->l1_bytes + b->l1_bytes,
                      .tile_bytes = fmax(a->tile_bytes, b->tile_bytes), .block_bytes = fmax(a->block_bytes, b->block_bytes),
                      .tasks = fmax((double)pair.strips, 1)};
    nest->l2_bytes = fmax(a->l2_bytes + b->l2_bytes - 2 * middle, 0);
    nest->memory_bytes = fmax(a->memory_bytes + b->memory_bytes - 2 * middle, 0);
    if (w[1]->n_inputs > 1) {
        const double weights = 4 * (double)gt_shape_elems(&w[1]->inputs[1].shape);
        nest->l1_bytes += weights * (nest->tasks - 1);
    }
}
