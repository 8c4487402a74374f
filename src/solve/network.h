/* SPDX-License-Identifier: Apache-2.0 */
/* The cfn being built, as the rest of src/solve sees it. */
#ifndef GT_SOLVE_NETWORK_H
#define GT_SOLVE_NETWORK_H

#include "src/solve/cfn.h"

typedef struct gt_i_cfn_variable {
    char *name;
    int32_t domain;
    int64_t *unary;
} gt_i_cfn_variable;

typedef struct gt_i_cfn_function {
    int32_t a, b;
    int32_t rows, columns;      /* classes of values of a and of b (src/solve/classes.h) */
    uint16_t *row_of, *column_of; /* [domain a], [domain b]: the class of each value; one allocation */
    int64_t *table;             /* [rows][columns] */
} gt_i_cfn_function;

struct gt_cfn {
    gt_i_cfn_variable *variables;
    size_t variable_count, variable_capacity;
    gt_i_cfn_function *functions;
    size_t function_count, function_capacity;
};

/* a + b for costs >= 0 that may be GT_CFN_INFINITE. */
static inline int64_t gt_i_cfn_add(int64_t a, int64_t b)
{
    return a > GT_CFN_INFINITE - b ? GT_CFN_INFINITE : a + b;
}

#endif
