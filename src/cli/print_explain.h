/* SPDX-License-Identifier: Apache-2.0 */
/* What `graphtune explain` prints. */
#ifndef GT_CLI_PRINT_EXPLAIN_H
#define GT_CLI_PRINT_EXPLAIN_H

#include "src/cli/common.h"
#include "src/tune/explain.h"

/* All ops, or one of them with its alternatives. */
gt_status gt_cli_print_explanation(const gt_explanation *e, const gt_graph *graph) GT_NODISCARD;
gt_status gt_cli_print_explained_op(const gt_explanation *e, const gt_graph *graph, int op) GT_NODISCARD;

/* The same as JSON. */
gt_status gt_cli_print_explanation_json(const gt_explanation *e, const gt_graph *graph) GT_NODISCARD;
gt_status gt_cli_print_explained_op_json(const gt_explanation *e, const gt_graph *graph, int op) GT_NODISCARD;

/* What is different in a schedule: the entries of b that are not in a. *n_gone counts transforms of a that b lacks. */
typedef struct gt_cli_changes {
    int n_ops, n_made, n_gone;
    int *ops;                        /* which ops have other layouts; the explained op is not among them */
    const gt_plan_transform **made;  /* transforms of b that a lacks */
    const gt_plan_transform **gone;
} gt_cli_changes;

/* Clear with gt_cli_changes_clear; borrows from both schedules. */
gt_status gt_cli_find_changes(gt_cli_changes *changes, const gt_schedule *a, const gt_schedule *b, int op) GT_NODISCARD;
void gt_cli_changes_clear(gt_cli_changes *changes);

#endif
