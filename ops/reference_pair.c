/* SPDX-License-Identifier: Apache-2.0 */
/* Two ops done as one: the one, then the other. */
#include "ops/reference_internal.h"
#include "src/base/memory.h"
#include "src/graph/pair.h"

gt_status gt_i_reference_pair(const gt_workload *w, void *out, const void *const *in)
{
    gt_status status = GT_OK;
    gt_pair_parts parts;
    float *middle = NULL;
    gt_pair_split(&parts, w);
    GT_TRY(gt_calloc(&middle, (size_t)gt_shape_elems(&parts.first.output.shape), sizeof *middle));
    const void *first[4] = {in[0], in[1], in[2], NULL};
    GT_TRY(gt_reference_run(&parts.first, middle, first));
    const void *second[4] = {middle};
    for (int i = 3; i < w->n_inputs; i++) {
        second[i - 2] = in[i];
    }
    GT_TRY(gt_reference_run(&parts.second, out, second));
done:
    gt_free(middle);
    return status;
}
