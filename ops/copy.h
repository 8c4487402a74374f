/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_OPS_COPY_H
#define GT_OPS_COPY_H

#include "ops/general_common.h"

#define GT_I_COPY_CHUNK 65536

typedef struct gt_i_copy {
    int64_t bytes;
    int64_t at; /* packed constant */
} gt_i_copy;

#endif
