/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/record.h"

#include <string.h>

static gt_status copy_values(gt_i_arena *arena, int32_t **out, const gt_i_variable *v)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_arena_take(arena, out, v->domain, sizeof **out));
    memcpy(*out, v->values, (size_t)v->domain * sizeof **out);
done:
    return status;
}

gt_status gt_i_record_add(gt_i_wcsp *net, gt_i_record **record, int32_t variable)
{
    gt_status status = GT_OK;
    const gt_i_variable *v = &net->variables[variable];
    gt_i_record *added = NULL;
    GT_TRY(gt_i_arena_take(&net->arena, &added, 1, sizeof *added));
    *added = (gt_i_record){.older = net->records, .origin = v->origin, .domain = v->domain};
    GT_TRY(copy_values(&net->arena, &added->values, v));
    GT_TRY(gt_i_arena_take(&net->arena, &added->unary, v->domain, sizeof *added->unary));
    memcpy(added->unary, v->unary, (size_t)v->domain * sizeof *added->unary);
    net->records = added;
    *record = added;
done:
    return status;
}

static gt_status transposed(gt_i_arena *arena, const int64_t **out, const int64_t *table, int32_t rows, int32_t columns)
{
    gt_status status = GT_OK;
    int64_t *made = NULL;
    GT_TRY(gt_i_arena_take(arena, &made, (int64_t)rows * columns, sizeof *made));
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < columns; j++) {
            made[j * rows + i] = table[i * columns + j];
        }
    }
    *out = made;
done:
    return status;
}

gt_status gt_i_record_add_neighbour(gt_i_wcsp *net, gt_i_record *record, int32_t variable,
                                    const gt_i_edge *edge)
{
    gt_status status = GT_OK;
    const gt_i_variable *other = &net->variables[gt_i_other_end(edge, variable)];
    gt_i_neighbour *n = &record->neighbours[record->neighbour_count];
    bool is_a = edge->a == variable;
    *n = (gt_i_neighbour){.origin = other->origin,
                          .domain = other->domain,
                          .own_classes = is_a ? edge->rows : edge->columns,
                          .classes = is_a ? edge->columns : edge->rows,
                          .own_class = is_a ? edge->class_a : edge->class_b,
                          .class_of = is_a ? edge->class_b : edge->class_a,
                          .table = edge->table};
    GT_TRY(copy_values(&net->arena, &n->values, other));
    if (!is_a) {
        GT_TRY(transposed(&net->arena, &n->table, edge->table, edge->rows, edge->columns));
    }
    record->neighbour_count++;
done:
    return status;
}

static int32_t index_of(const int32_t *values, int32_t count, int32_t value)
{
    for (int32_t k = 0; k < count; k++) {
        if (values[k] == value) {
            return k;
        }
    }
    gt_i_verify_failed("a recorded neighbour keeps one of its values", __FILE__, __LINE__);
}

static void apply_choice(const gt_i_record *r, int32_t *assignment)
{
    const int64_t *columns[2] = {NULL, NULL};
    for (int32_t k = 0; k < r->neighbour_count; k++) {
        const gt_i_neighbour *n = &r->neighbours[k];
        columns[k] = n->table + n->class_of[index_of(n->values, n->domain, assignment[n->origin])];
    }
    int64_t least = INT64_MAX;
    for (int32_t x = 0; x < r->domain; x++) {
        int64_t cost = r->unary[x];
        for (int32_t k = 0; k < r->neighbour_count; k++) {
            const gt_i_neighbour *n = &r->neighbours[k];
            cost = gt_i_add(cost, columns[k][n->own_class[x] * n->classes]);
        }
        if (cost < least) {
            least = cost;
            assignment[r->origin] = r->values[x];
        }
    }
}

static void apply_block(const gt_i_record *r, int32_t *assignment)
{
    int32_t value = index_of(r->values, r->domain, assignment[r->origin]);
    const int32_t *inner = r->inner_values + (int64_t)value * r->inner_count;
    for (int32_t k = 0; k < r->inner_count; k++) {
        assignment[r->inner_origins[k]] = inner[k];
    }
}

void gt_i_records_apply(const gt_i_record *newest, int32_t *assignment)
{
    for (const gt_i_record *r = newest; r != NULL; r = r->older) {
        if (r->inner_count > 0) {
            apply_block(r, assignment);
        } else {
            apply_choice(r, assignment);
        }
    }
}
