/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/classes.h"

#include <string.h>

static uint64_t hash_row(const int64_t *row, int32_t length, int64_t step)
{
    uint64_t hash = 0;
    for (int32_t y = 0; y < length; y++) {
        hash = (hash ^ (uint64_t)row[y * step]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static bool same_row(const int64_t *left, const int64_t *right, int32_t length, int64_t step)
{
    for (int32_t y = 0; y < length; y++) {
        if (left[y * step] != right[y * step]) {
            return false;
        }
    }
    return true;
}

int32_t gt_i_group_rows(uint16_t *class_of, uint16_t *first, const int64_t *table, int32_t count, int32_t length,
                        int64_t row_step, int64_t column_step)
{
    uint64_t hash[GT_CFN_MAX_DOMAIN]; /* of the classes' first rows */
    int32_t classes = 0;
    for (int32_t x = 0; x < count; x++) {
        const int64_t *row = table + x * row_step;
        uint64_t mine = hash_row(row, length, column_step);
        int32_t k = 0;
        while (k < classes && (hash[k] != mine || !same_row(table + first[k] * row_step, row, length, column_step))) {
            k++;
        }
        if (k == classes) {
            hash[classes] = mine;
            first[classes++] = (uint16_t)x;
        }
        class_of[x] = (uint16_t)k;
    }
    return classes;
}

int32_t gt_i_refine(uint16_t *class_of, uint16_t *of_left, uint16_t *of_right, const uint16_t *left,
                    const uint16_t *right, int32_t count)
{
    /* chains of the classes that have the same left member: 0 ends one, k + 1 stands for k */
    uint16_t head[GT_CFN_MAX_DOMAIN + 1], next[GT_CFN_MAX_DOMAIN + 1];
    int32_t classes = 0;
    memset(head, 0, (size_t)count * sizeof *head); /* a class has a value, so there are at most count of left's */
    for (int32_t x = 0; x < count; x++) {
        uint16_t l = left[x], r = right[x], k = head[l];
        while (k != 0 && of_right[k - 1] != r) {
            k = next[k - 1];
        }
        if (k == 0) {
            of_left[classes] = l;
            of_right[classes] = r;
            next[classes] = head[l];
            head[l] = k = (uint16_t)++classes;
        }
        class_of[x] = (uint16_t)(k - 1);
    }
    return classes;
}
