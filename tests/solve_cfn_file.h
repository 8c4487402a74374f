/* SPDX-License-Identifier: Apache-2.0 */
/* Reads toulbar2's "cfn" files, as far as shared/solver/gen_cfn.py writes them. Tests only. */
#ifndef GT_TESTS_SOLVE_CFN_FILE_H
#define GT_TESTS_SOLVE_CFN_FILE_H

#include "src/solve/cfn.h"

/* Builds the network of a file. Costs of `forbidden_from` and above become GT_CFN_INFINITE.
 * Errors: GT_ERROR_IO, GT_ERROR_FORMAT, GT_ERROR_MEMORY. */
gt_status gt_test_read_cfn(gt_cfn **cfn, const char *path, int64_t forbidden_from) GT_NODISCARD;

#endif
