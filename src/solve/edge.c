/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/edge.h"

#include "src/solve/classes.h"

#include <string.h>

gt_status gt_i_edge_open_messages(gt_i_wcsp *net, gt_i_edge *edge)
{
    gt_status status = GT_OK;
    if (edge->message_a != NULL) {
        return GT_OK;
    }
    int32_t a = net->variables[edge->a].domain, b = net->variables[edge->b].domain;
    int64_t *messages = NULL;
    GT_TRY(gt_i_arena_take(&net->arena, &messages, (int64_t)a + b, sizeof *messages));
    memset(messages, 0, ((size_t)a + (size_t)b) * sizeof *messages);
    edge->message_a = messages;
    edge->message_b = messages + a;
done:
    return status;
}

/* --- pulling ------------------------------------------------------------------------------------------ */

/* Takes off each value's pairs what they have in common (`least`, by class) and gives it to the value; forbids the
 * value if no pair is left. */
static void give(gt_i_variable *v, int64_t *message, const uint16_t *class_of, const int64_t *least)
{
    for (int32_t x = 0; x < v->domain; x++) {
        int64_t part = least[class_of[x]];
        if (gt_i_forbidden(part)) {
            v->unary[x] = GT_I_FORBIDDEN;
        } else {
            part -= message[x];
            message[x] += part;
            v->unary[x] = gt_i_add(v->unary[x], part);
        }
    }
}

/* The largest message of each class: what the class's cheapest value has had taken off. */
static void largest_messages(int64_t *largest, int32_t classes, const uint16_t *class_of, const int64_t *message,
                             int32_t domain)
{
    for (int32_t k = 0; k < classes; k++) {
        largest[k] = INT64_MIN;
    }
    for (int32_t y = 0; y < domain; y++) {
        int64_t *l = &largest[class_of[y]];
        *l = message[y] > *l ? message[y] : *l;
    }
}

/* least[i] = the least of table[i][j] - message[j]. */
static void least_of_rows(int64_t *least, const gt_i_edge *e, const int64_t *message)
{
    for (int32_t i = 0; i < e->rows; i++) {
        const int64_t *row = e->table + (int64_t)i * e->columns;
        int64_t l = INT64_MAX;
        for (int32_t j = 0; j < e->columns; j++) {
            int64_t cost = row[j] - message[j];
            l = cost < l ? cost : l;
        }
        least[i] = l;
    }
}

/* least[j] = the least of table[i][j] - message[i]. */
static void least_of_columns(int64_t *least, const gt_i_edge *e, const int64_t *message)
{
    for (int32_t j = 0; j < e->columns; j++) {
        least[j] = INT64_MAX;
    }
    for (int32_t i = 0; i < e->rows; i++) {
        const int64_t *row = e->table + (int64_t)i * e->columns;
        int64_t m = message[i];
        for (int32_t j = 0; j < e->columns; j++) {
            int64_t cost = row[j] - m;
            least[j] = cost < least[j] ? cost : least[j];
        }
    }
}

void gt_i_edge_pull(gt_i_wcsp *net, gt_i_edge *edge, int32_t end)
{
    int64_t message[GT_CFN_MAX_DOMAIN], least[GT_CFN_MAX_DOMAIN];
    gt_i_variable *a = &net->variables[edge->a], *b = &net->variables[edge->b];
    edge->changed = true;
    if (edge->a == end) {
        largest_messages(message, edge->columns, edge->class_b, edge->message_b, b->domain);
        least_of_rows(least, edge, message);
        give(a, edge->message_a, edge->class_a, least);
    } else {
        largest_messages(message, edge->rows, edge->class_a, edge->message_a, a->domain);
        least_of_columns(least, edge, message);
        give(b, edge->message_b, edge->class_b, least);
    }
}

/* --- normal form -------------------------------------------------------------------------------------- */

/* After pulls all values of a class have the same message (or no pair). */
static void messages_of_classes(int64_t *of_class, int32_t classes, const uint16_t *class_of, int64_t *message,
                                int32_t domain)
{
    memset(of_class, 0, (size_t)classes * sizeof *of_class);
    for (int32_t x = 0; x < domain; x++) {
        of_class[class_of[x]] = message[x];
        message[x] = 0;
    }
}

static void absorb_messages(gt_i_wcsp *net, gt_i_edge *e)
{
    int64_t taken_a[GT_CFN_MAX_DOMAIN], taken_b[GT_CFN_MAX_DOMAIN];
    gt_i_edge_pull(net, e, e->a);
    gt_i_edge_pull(net, e, e->b);
    messages_of_classes(taken_a, e->rows, e->class_a, e->message_a, net->variables[e->a].domain);
    messages_of_classes(taken_b, e->columns, e->class_b, e->message_b, net->variables[e->b].domain);
    for (int32_t i = 0; i < e->rows; i++) {
        int64_t *row = e->table + (int64_t)i * e->columns;
        for (int32_t j = 0; j < e->columns; j++) {
            int64_t cost = row[j] - taken_a[i] - taken_b[j];
            row[j] = gt_i_forbidden(cost) ? GT_I_FORBIDDEN : cost;
        }
    }
}

/* Gives what the classes' pairs had in common to the values. */
static void add_to_values(gt_i_variable *v, const uint16_t *class_of, const int64_t *least)
{
    for (int32_t x = 0; x < v->domain; x++) {
        v->unary[x] = gt_i_add(v->unary[x], least[class_of[x]]);
    }
}

/* The same as absorbing messages, for an edge without. */
static void pull_into_table(gt_i_wcsp *net, gt_i_edge *e)
{
    int64_t least[GT_CFN_MAX_DOMAIN], none[GT_CFN_MAX_DOMAIN];
    memset(none, 0, (size_t)(e->rows > e->columns ? e->rows : e->columns) * sizeof *none);
    least_of_rows(least, e, none);
    add_to_values(&net->variables[e->a], e->class_a, least);
    for (int32_t i = 0; i < e->rows; i++) {
        int64_t *row = e->table + (int64_t)i * e->columns;
        int64_t l = gt_i_forbidden(least[i]) ? 0 : least[i];
        for (int32_t j = 0; j < e->columns; j++) {
            row[j] = gt_i_forbidden(row[j]) ? GT_I_FORBIDDEN : row[j] - l;
        }
    }
    least_of_columns(least, e, none);
    add_to_values(&net->variables[e->b], e->class_b, least);
    for (int32_t i = 0; i < e->rows; i++) {
        int64_t *row = e->table + (int64_t)i * e->columns;
        for (int32_t j = 0; j < e->columns; j++) {
            row[j] = gt_i_forbidden(row[j]) ? GT_I_FORBIDDEN : row[j] - least[j];
        }
    }
}

static void forbid_dear_pairs(const gt_i_wcsp *net, gt_i_edge *e)
{
    int64_t limit = net->bound - net->base;
    int64_t size = (int64_t)e->rows * e->columns;
    for (int64_t k = 0; k < size; k++) {
        e->table[k] = e->table[k] >= limit ? GT_I_FORBIDDEN : e->table[k];
    }
}

/* One class for equal rows: fewer than before? Then table and classes are rewritten. */
static void merge_rows(gt_i_edge *e, int32_t domain)
{
    uint16_t merged[GT_CFN_MAX_DOMAIN], first[GT_CFN_MAX_DOMAIN];
    int32_t rows = gt_i_group_rows(merged, first, e->table, e->rows, e->columns, e->columns, 1);
    if (rows == e->rows) {
        return;
    }
    for (int32_t i = 0; i < rows; i++) {
        memmove(e->table + (int64_t)i * e->columns, e->table + (int64_t)first[i] * e->columns,
                (size_t)e->columns * sizeof *e->table);
    }
    for (int32_t x = 0; x < domain; x++) {
        e->class_a[x] = merged[e->class_a[x]];
    }
    e->rows = rows;
}

static void merge_columns(gt_i_edge *e, int32_t domain)
{
    uint16_t merged[GT_CFN_MAX_DOMAIN], first[GT_CFN_MAX_DOMAIN];
    int32_t columns = gt_i_group_rows(merged, first, e->table, e->columns, e->rows, 1, e->columns);
    if (columns == e->columns) {
        return;
    }
    int64_t *to = e->table;
    for (int32_t i = 0; i < e->rows; i++) {
        const int64_t *row = e->table + (int64_t)i * e->columns;
        for (int32_t j = 0; j < columns; j++) {
            *to++ = row[first[j]];
        }
    }
    for (int32_t y = 0; y < domain; y++) {
        e->class_b[y] = merged[e->class_b[y]];
    }
    e->columns = columns;
}

static bool any_forbidden(const gt_i_variable *v)
{
    for (int32_t x = 0; x < v->domain; x++) {
        if (gt_i_forbidden(v->unary[x])) {
            return true;
        }
    }
    return false;
}

bool gt_i_edge_normalise(gt_i_wcsp *net, gt_i_edge *edge)
{
    if (!edge->changed) {
        return false;
    }
    if (edge->message_a != NULL) {
        absorb_messages(net, edge);
    } else {
        pull_into_table(net, edge);
    }
    forbid_dear_pairs(net, edge);
    merge_rows(edge, net->variables[edge->a].domain);
    merge_columns(edge, net->variables[edge->b].domain);
    edge->changed = false;
    return any_forbidden(&net->variables[edge->a]) || any_forbidden(&net->variables[edge->b]);
}

bool gt_i_edge_is_zero(const gt_i_edge *edge)
{
    int64_t size = (int64_t)edge->rows * edge->columns;
    for (int64_t k = 0; k < size; k++) {
        if (edge->table[k] != 0) {
            return false;
        }
    }
    return true;
}

/* --- values that go ----------------------------------------------------------------------------------- */

/* Renumbers the classes that still have values; old[k] is what class k was. Returns how many there are. */
static int32_t renumber(uint16_t *class_of, uint16_t *old, int32_t classes, int32_t domain)
{
    uint16_t fresh[GT_CFN_MAX_DOMAIN];
    uint8_t used[GT_CFN_MAX_DOMAIN];
    memset(used, 0, (size_t)classes);
    for (int32_t x = 0; x < domain; x++) {
        used[class_of[x]] = 1;
    }
    int32_t count = 0;
    for (int32_t k = 0; k < classes; k++) {
        if (used[k]) {
            old[count] = (uint16_t)k;
            fresh[k] = (uint16_t)count++;
        }
    }
    for (int32_t x = 0; x < domain; x++) {
        class_of[x] = fresh[class_of[x]];
    }
    return count;
}

static void drop_classes(gt_i_edge *e, bool of_a, int32_t domain)
{
    uint16_t old[GT_CFN_MAX_DOMAIN];
    int32_t before = of_a ? e->rows : e->columns;
    int32_t left = renumber(of_a ? e->class_a : e->class_b, old, before, domain);
    if (left == before) {
        return;
    }
    int32_t rows = of_a ? left : e->rows, columns = of_a ? e->columns : left;
    int64_t *to = e->table;
    for (int32_t i = 0; i < rows; i++) {
        const int64_t *row = e->table + (int64_t)(of_a ? old[i] : i) * e->columns;
        for (int32_t j = 0; j < columns; j++) {
            *to++ = row[of_a ? j : old[j]];
        }
    }
    e->rows = rows;
    e->columns = columns;
    e->changed = true;
}

void gt_i_edge_drop_values(gt_i_wcsp *net, gt_i_edge *edge, int32_t variable, int32_t kept)
{
    const gt_i_variable *v = &net->variables[variable];
    bool of_a = edge->a == variable;
    uint16_t *class_of = of_a ? edge->class_a : edge->class_b;
    int64_t *message = of_a ? edge->message_a : edge->message_b;
    for (int32_t x = 0, next = 0; next < kept; x++) {
        if (!gt_i_forbidden(v->unary[x])) {
            class_of[next] = class_of[x];
            if (message != NULL) {
                message[next] = message[x];
            }
            next++;
        }
    }
    drop_classes(edge, of_a, kept);
}

/* --- sums --------------------------------------------------------------------------------------------- */

gt_status gt_i_edge_add(gt_i_wcsp *net, gt_i_edge *edge, const gt_i_class_table *added)
{
    gt_status status = GT_OK;
    uint16_t own_a[GT_CFN_MAX_DOMAIN], own_b[GT_CFN_MAX_DOMAIN], its_a[GT_CFN_MAX_DOMAIN], its_b[GT_CFN_MAX_DOMAIN];
    int64_t *table = NULL;
    int32_t domain_a = net->variables[edge->a].domain, domain_b = net->variables[edge->b].domain;
    int32_t rows = gt_i_refine(edge->class_a, own_a, its_a, edge->class_a, added->row_of, domain_a);
    int32_t columns = gt_i_refine(edge->class_b, own_b, its_b, edge->class_b, added->column_of, domain_b);
    GT_TRY(gt_i_arena_take(&net->arena, &table, (int64_t)rows * columns, sizeof *table));
    for (int32_t i = 0; i < rows; i++) {
        const int64_t *own = edge->table + (int64_t)own_a[i] * edge->columns;
        const int64_t *its = added->table + (int64_t)its_a[i] * added->columns;
        for (int32_t j = 0; j < columns; j++) {
            table[i * columns + j] = gt_i_add(own[own_b[j]], its[its_b[j]]);
        }
    }
    edge->table = table;
    edge->rows = rows;
    edge->columns = columns;
    edge->changed = true;
done:
    return status;
}
