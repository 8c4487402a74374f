/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/concat.h"
#include "ops/kernels.h"

/* Bytes [first, last) of one stretch. */
static void copy_part(const gt_i_concat *p, const gt_args *a, int64_t outer, int64_t first, int64_t last)
{
    char *to = (char *)a->out + outer * p->stretch;
    for (int64_t i = 0; i < p->n_inputs; i++) {
        int64_t begin = p->position[i] > first ? p->position[i] : first;
        int64_t end = gt_i_min(p->position[i] + p->run[i], last);
        if (begin < end) {
            const char *from = (const char *)gt_i_input(a, p->at, i) + outer * p->run[i] - p->position[i];
            memcpy(to + begin, from + begin, (size_t)(end - begin));
        }
    }
}

void GT_KERNEL_FN(concat_direct)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    const gt_i_concat *p = k->params;
    (void)phase;
    if (p->pieces > 1) {
        for (int64_t task = begin; task < end; task++) {
            int64_t first = task % p->pieces * p->piece;
            copy_part(p, a, task / p->pieces, first, gt_i_min(first + p->piece, p->stretch));
        }
        return;
    }
    int64_t last = gt_i_min(end * p->per_task, p->outer);
    for (int64_t outer = begin * p->per_task; outer < last; outer++) {
        copy_part(p, a, outer, 0, p->stretch);
    }
}
