/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_OPS_CAST_H
#define GT_OPS_CAST_H

#include "ops/general_common.h"

#define GT_I_CAST_CHUNK 16384

typedef struct gt_i_cast {
    int64_t elems;
    gt_dtype from, to;
    int64_t at; /* packed constant */
} gt_i_cast;

#endif
