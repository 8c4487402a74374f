/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_OPS_CONCAT_H
#define GT_OPS_CONCAT_H

#include "ops/general_common.h"

/* Each of `outer` output stretches is one run of every input after another. Arrays follow in the
 * same block. */
typedef struct gt_i_concat {
    int64_t outer, n_inputs;
    int64_t stretch;         /* bytes of all runs together */
    /* a task copies at most `piece` bytes of one stretch, or several stretches whole */
    int64_t pieces, piece;
    int64_t per_task;        /* stretches per task when pieces is 1 */
    const int64_t *run;      /* bytes, per input */
    const int64_t *position; /* bytes from the start of a stretch, per input */
    const int64_t *at;       /* packed constants */
} gt_i_concat;

#endif
