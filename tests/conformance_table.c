/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/conformance_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void count(cf_table *table, const char *op, const char *reason)
{
    cf_row row = {.cases = 1};
    for (size_t i = 0; i < table->n; i++) {
        if (strcmp(table->rows[i].op, op) == 0 && strcmp(table->rows[i].reason, reason) == 0) {
            table->rows[i].cases++;
            return;
        }
    }
    snprintf(row.op, sizeof row.op, "%s", op);
    snprintf(row.reason, sizeof row.reason, "%s", reason);
    if (table->n == table->capacity) {
        table->capacity = 2 * table->capacity + 64;
        table->rows = realloc(table->rows, table->capacity * sizeof *table->rows);
        if (table->rows == NULL) {
            perror("conformance table");
            exit(EXIT_FAILURE);
        }
    }
    table->rows[table->n++] = row;
}

static bool is_repeated(const gt_onnx_model *model, size_t node)
{
    for (size_t i = 0; i < node; i++) {
        if (strcmp(model->nodes[i].op_type, model->nodes[node].op_type) == 0) {
            return true;
        }
    }
    return false;
}

void cf_table_pass(cf_table *table, const gt_onnx_model *model)
{
    table->passed++;
    for (size_t i = 0; i < model->n_nodes; i++) {
        if (!is_repeated(model, i)) {
            count(table, model->nodes[i].op_type, "");
        }
    }
}

void cf_table_skip(cf_table *table, const char *op, const char *reason)
{
    table->skipped++;
    count(table, op, reason);
}

/* By operator; those that passed first. */
static int compare_rows(const void *a, const void *b)
{
    const cf_row *left = a;
    const cf_row *right = b;
    int order = strcmp(left->op, right->op);
    return order != 0 ? order : strcmp(left->reason, right->reason);
}

static size_t print_op(const cf_row *rows, size_t n)
{
    int passed = 0;
    int skipped = 0;
    size_t i = 0;
    for (; i < n && strcmp(rows[i].op, rows[0].op) == 0; i++) {
        *(rows[i].reason[0] == '\0' ? &passed : &skipped) += rows[i].cases;
    }
    printf("%-36s %6d %7d\n", rows[0].op, passed, skipped);
    return i;
}

void cf_table_print(cf_table *table)
{
    qsort(table->rows, table->n, sizeof *table->rows, compare_rows);
    printf("\n%-36s passed skipped (a case that passes counts for each of its operators)\n", "operator");
    for (size_t i = 0; i < table->n;) {
        i += print_op(&table->rows[i], table->n - i);
    }
    printf("%-36s %6d %7d\n\n", "cases", table->passed, table->skipped);
    for (size_t i = 0; i < table->n; i++) {
        const cf_row *row = &table->rows[i];
        if (row->reason[0] != '\0') {
            printf("skip - %s: %s (%d case%s)\n", row->op, row->reason, row->cases, row->cases > 1 ? "s" : "");
        }
    }
}

void cf_table_clear(cf_table *table)
{
    free(table->rows);
    *table = (cf_table){0};
}
