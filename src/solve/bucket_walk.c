/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/bucket_walk.h"

#include <string.h>

/* A value of each class: the lowest. */
static void representatives(uint16_t *value, const uint16_t *class_of, int32_t domain)
{
    for (int32_t x = domain - 1; x >= 0; x--) {
        value[class_of[x]] = (uint16_t)x;
    }
}

/* Steps the digits of a factor's neighbours, the first fastest; returns how far its table place moves. */
static int64_t next_row(int32_t *digits, const gt_i_factor *f)
{
    int64_t moved = 0;
    for (int32_t k = 1; k < f->count; k++) {
        moved += f->strides[k];
        if (++digits[k] < f->classes[k]) {
            break;
        }
        moved -= f->strides[k] * f->classes[k];
        digits[k] = 0;
    }
    return moved;
}

/* All rows of a factor, those of its first neighbour's classes side by side. */
static gt_status expand(gt_i_walk *walk, const int64_t **out, gt_i_bucket_tree *tree, const gt_i_factor *f)
{
    gt_status status = GT_OK;
    const gt_i_bucket *b = walk->bucket;
    uint16_t value[GT_CFN_MAX_DOMAIN];
    int64_t rows = 1, *made = NULL;
    int32_t *digits = NULL;
    representatives(value, b->class_of[0], tree->domain[b->scope[0]]);
    for (int32_t k = 1; k < f->count; k++) {
        rows *= f->classes[k];
    }
    GT_TRY(gt_i_arena_take(&tree->arena, &made, rows * walk->length, sizeof *made));
    GT_TRY(gt_i_arena_take(&tree->arena, &digits, f->count, sizeof *digits));
    memset(digits, 0, (size_t)f->count * sizeof *digits);
    const int64_t *from = f->table;
    for (int64_t *row = made; row < made + rows * walk->length; row += walk->length) {
        for (int32_t x = 0; x < walk->length; x++) {
            row[x] = from[f->class_of[0][value[x]] * f->strides[0]];
        }
        from += next_row(digits, f);
    }
    *out = made;
done:
    return status;
}

/* Where each joint class of each neighbour puts the factor's row. */
static gt_status find_places(gt_i_walk *walk, int64_t **out, gt_i_bucket_tree *tree, const gt_i_factor *f)
{
    gt_status status = GT_OK;
    const gt_i_bucket *b = walk->bucket;
    uint16_t value[GT_CFN_MAX_DOMAIN];
    int64_t *places = NULL, size = walk->length;
    GT_TRY(gt_i_arena_take(&tree->arena, &places, walk->first[b->count], sizeof *places));
    memset(places, 0, (size_t)walk->first[b->count] * sizeof *places);
    for (int32_t k = 1, at = 1; k < f->count; k++) {
        while (b->scope[at] != f->scope[k]) {
            at++;
        }
        representatives(value, b->class_of[at], tree->domain[b->scope[at]]);
        for (int32_t j = 0; j < b->classes[at]; j++) {
            places[walk->first[at] + j] = f->class_of[k][value[j]] * size;
        }
        size *= f->classes[k];
    }
    *out = places;
done:
    return status;
}

static gt_status least_unary(gt_i_walk *walk, gt_i_bucket_tree *tree)
{
    gt_status status = GT_OK;
    const gt_i_bucket *b = walk->bucket;
    const int64_t *unary = tree->unary[b->scope[0]];
    GT_TRY(gt_i_arena_take(&tree->arena, &walk->least, walk->length, sizeof *walk->least));
    GT_TRY(gt_i_arena_take(&tree->arena, &walk->sums, walk->length, sizeof *walk->sums));
    for (int32_t x = 0; x < walk->length; x++) {
        walk->least[x] = GT_I_FORBIDDEN;
    }
    for (int32_t x = 0; x < tree->domain[b->scope[0]]; x++) {
        int64_t *l = &walk->least[b->class_of[0][x]];
        *l = unary[x] < *l ? unary[x] : *l;
    }
done:
    return status;
}

static gt_status allocate(gt_i_walk *walk, gt_i_arena *arena)
{
    gt_status status = GT_OK;
    const gt_i_bucket *b = walk->bucket;
    GT_TRY(gt_i_arena_take(arena, &walk->first_rows, b->factor_count, sizeof *walk->first_rows));
    GT_TRY(gt_i_arena_take(arena, &walk->rows, b->factor_count, sizeof *walk->rows));
    GT_TRY(gt_i_arena_take(arena, &walk->places, b->factor_count, sizeof *walk->places));
    GT_TRY(gt_i_arena_take(arena, &walk->first, (int64_t)b->count + 1, sizeof *walk->first));
    GT_TRY(gt_i_arena_take(arena, &walk->digits, b->count, sizeof *walk->digits));
    walk->first[0] = walk->first[1] = 0;
    for (int32_t k = 1; k < b->count; k++) {
        walk->first[k + 1] = walk->first[k] + b->classes[k];
    }
done:
    return status;
}

gt_status gt_i_walk_create(gt_i_bucket_tree *tree, gt_i_bucket *bucket)
{
    gt_status status = GT_OK;
    gt_i_walk *walk = NULL;
    int32_t n = 0;
    GT_TRY(gt_i_arena_take(&tree->arena, &walk, 1, sizeof *walk));
    *walk = (gt_i_walk){.bucket = bucket, .length = bucket->classes[0]};
    GT_TRY(allocate(walk, &tree->arena));
    for (const gt_i_factor *f = bucket->factors; f != NULL; f = f->next, n++) {
        GT_TRY(expand(walk, &walk->first_rows[n], tree, f));
        GT_TRY(find_places(walk, &walk->places[n], tree, f));
        for (int32_t k = 1; k < bucket->count; k++) {
            walk->first_rows[n] += walk->places[n][walk->first[k]];
        }
    }
    GT_TRY(least_unary(walk, tree));
    gt_i_walk_rewind(walk);
    bucket->walk = walk;
done:
    return status;
}

void gt_i_walk_rewind(gt_i_walk *walk)
{
    memcpy(walk->rows, walk->first_rows, (size_t)walk->bucket->factor_count * sizeof *walk->rows);
    memset(walk->digits, 0, (size_t)walk->bucket->count * sizeof *walk->digits);
}

void gt_i_walk_advance(gt_i_walk *walk)
{
    const gt_i_bucket *b = walk->bucket;
    for (int32_t k = 1; k < b->count; k++) {
        int32_t before = walk->first[k] + walk->digits[k];
        bool wraps = ++walk->digits[k] == b->classes[k];
        walk->digits[k] = wraps ? 0 : walk->digits[k];
        int32_t now = walk->first[k] + walk->digits[k];
        for (int32_t n = 0; n < b->factor_count; n++) {
            walk->rows[n] += walk->places[n][now] - walk->places[n][before];
        }
        if (!wraps) {
            return;
        }
    }
}

void gt_i_walk_sum(gt_i_walk *walk, const int64_t *from)
{
    int64_t *restrict sums = walk->sums;
    memcpy(sums, from, (size_t)walk->length * sizeof *sums);
    for (int32_t n = 0; n < walk->bucket->factor_count; n++) {
        const int64_t *row = walk->rows[n];
        for (int32_t x = 0; x < walk->length; x++) {
            int64_t sum = sums[x] + row[x];
            sums[x] = sum < GT_I_FORBIDDEN ? sum : GT_I_FORBIDDEN;
        }
    }
}
