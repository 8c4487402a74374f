/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/bucket.h"

#include "src/solve/classes.h"

#include <string.h>

#define GT_I_MOST_ENTRIES 0x1p40

static gt_status new_factor(gt_i_arena *arena, gt_i_factor *f, int32_t count)
{
    gt_status status = GT_OK;
    *f = (gt_i_factor){.count = count, .maker = -1};
    GT_TRY(gt_i_arena_take(arena, &f->scope, count, sizeof *f->scope));
    GT_TRY(gt_i_arena_take(arena, &f->class_of, count, sizeof *f->class_of));
    GT_TRY(gt_i_arena_take(arena, &f->classes, count, sizeof *f->classes));
    GT_TRY(gt_i_arena_take(arena, &f->strides, count, sizeof *f->strides));
done:
    return status;
}

static void file_factor(gt_i_bucket_tree *tree, gt_i_factor *f)
{
    gt_i_bucket *b = &tree->buckets[tree->rank[f->scope[0]]];
    f->next = b->factors;
    b->factors = f;
    b->factor_count++;
}

gt_status gt_i_bucket_begin(gt_i_bucket_tree *tree, int32_t count, const int32_t *domain, const int64_t *const *unary,
                            const int32_t *order)
{
    gt_status status = GT_OK;
    *tree = (gt_i_bucket_tree){.count = count, .domain = domain, .unary = unary, .order = order};
    GT_TRY(gt_i_arena_take(&tree->arena, &tree->rank, count, sizeof *tree->rank));
    GT_TRY(gt_i_arena_take(&tree->arena, &tree->buckets, count, sizeof *tree->buckets));
    for (int32_t r = 0; r < count; r++) {
        tree->rank[order[r]] = r;
        tree->buckets[r] = (gt_i_bucket){0};
    }
done:
    return status;
}

gt_status gt_i_bucket_add(gt_i_bucket_tree *tree, int32_t a, int32_t b, int32_t rows, int32_t columns,
                          const uint16_t *row_of, const uint16_t *column_of, const int64_t *table)
{
    gt_status status = GT_OK;
    gt_i_factor *f = NULL;
    int first = tree->rank[a] < tree->rank[b] ? 0 : 1; /* place of a in the scope */
    GT_TRY(gt_i_arena_take(&tree->arena, &f, 1, sizeof *f));
    GT_TRY(new_factor(&tree->arena, f, 2));
    f->scope[first] = a;
    f->class_of[first] = row_of;
    f->classes[first] = rows;
    f->strides[first] = columns;
    f->scope[1 - first] = b;
    f->class_of[1 - first] = column_of;
    f->classes[1 - first] = columns;
    f->strides[1 - first] = 1;
    f->table = table;
    file_factor(tree, f);
done:
    return status;
}

/* --- planning ----------------------------------------------------------------------------------------- */

/* Merges the ascending (by rank) scopes of the bucket's factors. */
static gt_status collect_scope(gt_i_bucket_tree *tree, gt_i_bucket *b, int32_t variable)
{
    gt_status status = GT_OK;
    int32_t most = 1, *scope = NULL;
    for (const gt_i_factor *f = b->factors; f != NULL; f = f->next) {
        most += f->count - 1;
    }
    GT_TRY(gt_i_arena_take(&tree->arena, &scope, most, sizeof *scope));
    scope[0] = variable;
    b->count = 1;
    for (const gt_i_factor *f = b->factors; f != NULL; f = f->next) {
        for (int32_t k = 1; k < f->count; k++) {
            int32_t at = b->count, rank = tree->rank[f->scope[k]];
            while (at > 1 && tree->rank[scope[at - 1]] > rank) {
                at--;
            }
            if (scope[at - 1] == f->scope[k]) {
                continue;
            }
            memmove(scope + at + 1, scope + at, (size_t)(b->count - at) * sizeof *scope);
            scope[at] = f->scope[k];
            b->count++;
        }
    }
    b->scope = scope;
done:
    return status;
}

static int32_t place_in(const gt_i_factor *f, int32_t variable)
{
    for (int32_t k = 0; k < f->count; k++) {
        if (f->scope[k] == variable) {
            return k;
        }
    }
    return -1;
}

/* The joint classes of one variable of the bucket. */
static gt_status join_classes(gt_i_bucket_tree *tree, gt_i_bucket *b, int32_t k)
{
    gt_status status = GT_OK;
    uint16_t left[GT_CFN_MAX_DOMAIN], right[GT_CFN_MAX_DOMAIN];
    int32_t variable = b->scope[k], domain = tree->domain[variable];
    uint16_t *joint = NULL;
    GT_TRY(gt_i_arena_take(&tree->arena, &joint, domain, sizeof *joint));
    memset(joint, 0, (size_t)domain * sizeof *joint);
    int32_t classes = 1;
    for (const gt_i_factor *f = b->factors; f != NULL; f = f->next) {
        int32_t place = place_in(f, variable);
        if (place >= 0) {
            classes = gt_i_refine(joint, left, right, joint, f->class_of[place], domain);
        }
    }
    b->class_of[k] = joint;
    b->classes[k] = classes;
done:
    return status;
}

/* Entries of the factors' rows side by side (src/solve/bucket_walk.h). */
static double expanded_entries(const gt_i_bucket *b)
{
    double entries = 0;
    for (const gt_i_factor *f = b->factors; f != NULL; f = f->next) {
        double rows = b->classes[0];
        for (int32_t k = 1; k < f->count; k++) {
            rows *= f->classes[k];
        }
        entries += rows;
    }
    return entries;
}

static gt_status plan_message(gt_i_bucket_tree *tree, gt_i_bucket *b, int32_t rank)
{
    gt_status status = GT_OK;
    double size = 1;
    GT_TRY(new_factor(&tree->arena, &b->message, b->count - 1));
    b->message.maker = rank;
    for (int32_t k = 1; k < b->count; k++) {
        b->message.scope[k - 1] = b->scope[k];
        b->message.class_of[k - 1] = b->class_of[k];
        b->message.classes[k - 1] = b->classes[k];
        b->message.strides[k - 1] = (int64_t)size;
        size *= b->classes[k];
        size = size < GT_I_MOST_ENTRIES ? size : GT_I_MOST_ENTRIES; /* strides stay whole */
    }
    b->entries = size < GT_I_MOST_ENTRIES ? (int64_t)size : INT64_MAX;
    tree->entries += size;
    tree->work += size * b->classes[0] * (b->factor_count + 1);
    tree->bytes += (size + expanded_entries(b)) * (double)sizeof(int64_t);
    if (b->message.count > 0) {
        file_factor(tree, &b->message);
    }
done:
    return status;
}

gt_status gt_i_bucket_plan(gt_i_bucket_tree *tree)
{
    gt_status status = GT_OK;
    for (int32_t r = 0; r < tree->count && tree->entries < GT_I_MOST_ENTRIES; r++) {
        gt_i_bucket *b = &tree->buckets[r];
        GT_TRY(collect_scope(tree, b, tree->order[r]));
        GT_TRY(gt_i_arena_take(&tree->arena, &b->class_of, b->count, sizeof *b->class_of));
        GT_TRY(gt_i_arena_take(&tree->arena, &b->classes, b->count, sizeof *b->classes));
        for (int32_t k = 0; k < b->count; k++) {
            GT_TRY(join_classes(tree, b, k));
        }
        GT_TRY(plan_message(tree, b, r));
    }
done:
    return status;
}

void gt_i_bucket_destroy(gt_i_bucket_tree *tree)
{
    gt_i_arena_destroy(&tree->arena);
    *tree = (gt_i_bucket_tree){0};
}
