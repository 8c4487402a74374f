/* SPDX-License-Identifier: Apache-2.0 */
/* Binary cost functions of the network being solved. */
#ifndef GT_SOLVE_EDGE_H
#define GT_SOLVE_EDGE_H

#include "src/solve/wcsp.h"

/* Zeroed messages, where the edge has none yet. */
gt_status gt_i_edge_open_messages(gt_i_wcsp *net, gt_i_edge *edge) GT_NODISCARD;

/* Moves to the unary costs of one end what all pairs of each of its values have in common. The edge has
 * messages. */
void gt_i_edge_pull(gt_i_wcsp *net, gt_i_edge *edge, int32_t end);

/* Normal form: both ends are pulled to, messages are put into the table, pairs that cannot be below the bound are
 * forbidden, equal rows and columns are one class. Nothing to do where nothing changed. Returns whether a value of
 * either end lost its last pair. O(rows * columns + domains). */
bool gt_i_edge_normalise(gt_i_wcsp *net, gt_i_edge *edge);

/* Whether it costs nothing, whatever its ends choose. In normal form. */
bool gt_i_edge_is_zero(const gt_i_edge *edge);

/* Drops the values of `variable` (not yet shrunk) whose unary cost is forbidden; `kept` are left. */
void gt_i_edge_drop_values(gt_i_wcsp *net, gt_i_edge *edge, int32_t variable, int32_t kept);

/* A table of two variables by classes of their values. */
typedef struct gt_i_class_table {
    int32_t rows, columns;
    const uint16_t *row_of, *column_of;
    const int64_t *table; /* [rows][columns] */
} gt_i_class_table;

/* Adds a table over (edge->a, edge->b) to the edge. */
gt_status gt_i_edge_add(gt_i_wcsp *net, gt_i_edge *edge, const gt_i_class_table *added) GT_NODISCARD;

/* Cost of local values x of edge->a and y of edge->b. */
static inline int64_t gt_i_edge_cost(const gt_i_edge *edge, int32_t x, int32_t y)
{
    int64_t cost = edge->table[edge->class_a[x] * edge->columns + edge->class_b[y]];
    if (gt_i_forbidden(cost)) {
        return GT_I_FORBIDDEN;
    }
    return edge->message_a == NULL ? cost : cost - edge->message_a[x] - edge->message_b[y];
}

#endif
