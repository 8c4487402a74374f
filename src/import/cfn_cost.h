/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers as whole multiples of 10^-decimals. */
#ifndef GT_IMPORT_CFN_COST_H
#define GT_IMPORT_CFN_COST_H

#include "src/base/memory.h"

/* The largest magnitude that is read, in units; what is beyond is INT64_MAX or INT64_MIN. */
#define GT_I_CFN_MAX_COST ((int64_t)1 << 60)

/* A number such as -12.50 or 3e-2, exactly; digits behind the last decimal are cut off, towards zero. *cut: whether one
 * of them was not 0. False if the text is no number. */
bool gt_i_cfn_parse_cost(int64_t *units, bool *cut, const char *text, size_t length, int decimals);

#endif
