/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the cases of each operator: passed, and skipped with the reasons. */
#ifndef GT_TESTS_CONFORMANCE_TABLE_H
#define GT_TESTS_CONFORMANCE_TABLE_H

#include "src/import/onnx_file.h"

typedef struct cf_row {
    char op[48];
    char reason[120]; /* "" for those that passed */
    int cases;
} cf_row;

/* Zero-initialised. Rows that do not fit into memory end the process. */
typedef struct cf_table {
    size_t n, capacity;
    cf_row *rows;
    int passed, skipped; /* cases */
} cf_table;

/* Counts for each operator that is in the model. */
void cf_table_pass(cf_table *table, const gt_onnx_model *model);
void cf_table_skip(cf_table *table, const char *op, const char *reason);

/* One line per operator, then one "skip - " line per operator and reason. */
void cf_table_print(cf_table *table);
void cf_table_clear(cf_table *table);

#endif
