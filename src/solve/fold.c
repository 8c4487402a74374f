/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/fold.h"

void gt_i_fold_values(int64_t *joint, const gt_i_record *record)
{
    const gt_i_neighbour *first = &record->neighbours[0], *second = &record->neighbours[1];
    int64_t size = (int64_t)first->own_classes * second->own_classes;
    for (int64_t k = 0; k < size; k++) {
        joint[k] = GT_I_FORBIDDEN;
    }
    for (int32_t x = 0; x < record->domain; x++) {
        int64_t *cost = &joint[first->own_class[x] * second->own_classes + second->own_class[x]];
        *cost = record->unary[x] < *cost ? record->unary[x] : *cost;
    }
}

/* out[j] = the least of out[j] and here + costs[j]. */
static void relax(int64_t *out, int64_t here, const int64_t *costs, int32_t count)
{
    for (int32_t j = 0; j < count; j++) {
        int64_t cost = here + costs[j];
        out[j] = cost < out[j] ? cost : out[j];
    }
}

static void forbid(int64_t *out, int32_t count)
{
    for (int32_t j = 0; j < count; j++) {
        out[j] = GT_I_FORBIDDEN;
    }
}

void gt_i_fold_classes(int64_t *table, int64_t *half, const int64_t *joint, const gt_i_record *record)
{
    const gt_i_neighbour *first = &record->neighbours[0], *second = &record->neighbours[1];
    for (int32_t a = 0; a < first->classes; a++) {
        int64_t *row = half + (int64_t)a * second->own_classes;
        forbid(row, second->own_classes);
        for (int32_t i = 0; i < first->own_classes; i++) {
            int64_t here = first->table[i * first->classes + a];
            if (!gt_i_forbidden(here)) {
                relax(row, here, joint + (int64_t)i * second->own_classes, second->own_classes);
            }
        }
        int64_t *out = table + (int64_t)a * second->classes;
        forbid(out, second->classes);
        for (int32_t j = 0; j < second->own_classes; j++) {
            if (!gt_i_forbidden(row[j])) {
                relax(out, row[j], second->table + (int64_t)j * second->classes, second->classes);
            }
        }
    }
}
