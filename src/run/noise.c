/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/rng.h"
#include "src/run/session.h"

#include <string.h>

static void fill(gt_rng *rng, const gt_tensor *t, void *elements)
{
    const size_t elems = (size_t)gt_shape_elems(&t->shape);
    if (t->dtype == GT_F32) {
        gt_rng_fill(rng, elements, elems, -1, 1);
    } else {
        memset(elements, 0, elems * gt_dtype_bytes(t->dtype));
    }
}

void gt_fill_inputs(gt_session *session, const gt_graph *graph, uint64_t seed)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed);
    for (int i = 0; i < graph->n_inputs; i++) {
        fill(&rng, &graph->tensors[graph->inputs[i]], gt_session_input(session, i));
    }
}

void gt_fill_noise(void *const *inputs, const gt_graph *graph, uint64_t seed)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed);
    for (int i = 0; i < graph->n_inputs; i++) {
        fill(&rng, &graph->tensors[graph->inputs[i]], inputs[i]);
    }
}
