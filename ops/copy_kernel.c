/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/copy.h"
#include "ops/kernels.h"

void GT_KERNEL_FN(copy_direct)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    const gt_i_copy *p = k->params;
    int64_t first = begin * GT_I_COPY_CHUNK;
    int64_t last = gt_i_min(end * GT_I_COPY_CHUNK, p->bytes);
    (void)phase;
    memcpy((char *)a->out + first, (const char *)gt_i_input(a, &p->at, 0) + first, (size_t)(last - first));
}
