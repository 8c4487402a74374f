/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/bucket_walk.h"

#include <string.h>

/* --- forward -------------------------------------------------------------------------------------------- */

static int64_t least_of(const int64_t *sums, int32_t count)
{
    int64_t least = sums[0];
    for (int32_t x = 1; x < count; x++) {
        least = sums[x] < least ? sums[x] : least;
    }
    return least;
}

static gt_status make_message(gt_i_bucket_tree *tree, gt_i_bucket *b)
{
    gt_status status = GT_OK;
    int64_t *table = NULL;
    GT_TRY(gt_i_walk_create(tree, b));
    GT_TRY(gt_i_arena_take(&tree->arena, &table, b->entries, sizeof *table));
    gt_i_walk *walk = b->walk;
    for (int64_t k = 0; k < b->entries; k++) {
        gt_i_walk_sum(walk, walk->least);
        table[k] = least_of(walk->sums, walk->length);
        gt_i_walk_advance(walk);
    }
    b->message.table = table;
    if (b->message.count == 0) {
        tree->constant = gt_i_add(tree->constant, table[0]);
    }
done:
    return status;
}

gt_status gt_i_bucket_forward(gt_i_bucket_tree *tree)
{
    gt_status status = GT_OK;
    tree->constant = 0;
    for (int32_t r = 0; r < tree->count; r++) {
        GT_TRY(make_message(tree, &tree->buckets[r]));
    }
done:
    return status;
}

/* Costs of a factor by values of the variable that its bucket eliminates: the entry of class c is at [c * stride]. */
static const int64_t *conditioned(const gt_i_factor *f, const int32_t *assignment)
{
    const int64_t *place = f->table;
    for (int32_t k = 1; k < f->count; k++) {
        place += f->class_of[k][assignment[f->scope[k]]] * f->strides[k];
    }
    return place;
}

void gt_i_bucket_decode(const gt_i_bucket_tree *tree, int32_t *assignment)
{
    int64_t costs[GT_CFN_MAX_DOMAIN];
    for (int32_t r = tree->count - 1; r >= 0; r--) {
        const gt_i_bucket *b = &tree->buckets[r];
        int32_t variable = tree->order[r], domain = tree->domain[variable], best = 0;
        memcpy(costs, tree->unary[variable], (size_t)domain * sizeof *costs);
        for (const gt_i_factor *f = b->factors; f != NULL; f = f->next) {
            const int64_t *place = conditioned(f, assignment);
            for (int32_t x = 0; x < domain; x++) {
                costs[x] = gt_i_add(costs[x], place[f->class_of[0][x] * f->strides[0]]);
            }
        }
        for (int32_t x = 1; x < domain; x++) {
            best = costs[x] < costs[best] ? x : best;
        }
        assignment[variable] = best;
    }
}

/* --- back ----------------------------------------------------------------------------------------------- */

/* A message of another bucket among this one's factors, whose outside is being made. */
typedef struct child {
    int32_t factor;      /* which of the bucket's */
    int64_t *outside;
    int64_t *steps;      /* [sum of the neighbours' classes], as gt_i_walk.places, in the message's table */
    int64_t *own;        /* [length]: of the classes of the variable eliminated */
} child;

static gt_status open_child(gt_i_bucket_tree *tree, gt_i_walk *walk, child *c, gt_i_factor *f)
{
    gt_status status = GT_OK;
    const gt_i_bucket *b = walk->bucket;
    gt_i_bucket *maker = &tree->buckets[f->maker];
    GT_TRY(gt_i_arena_take(&tree->arena, &maker->outside, maker->entries, sizeof *maker->outside));
    GT_TRY(gt_i_arena_take(&tree->arena, &c->steps, walk->first[b->count], sizeof *c->steps));
    GT_TRY(gt_i_arena_take(&tree->arena, &c->own, walk->length, sizeof *c->own));
    c->outside = maker->outside;
    for (int64_t k = 0; k < maker->entries; k++) {
        c->outside[k] = GT_I_FORBIDDEN;
    }
    memset(c->steps, 0, (size_t)walk->first[b->count] * sizeof *c->steps);
    for (int32_t k = 0, at = 0; k < f->count; k++, at++) {
        while (b->scope[at] != f->scope[k]) {
            at++;
        }
        int64_t *steps = at == 0 ? c->own : c->steps + walk->first[at];
        for (int32_t x = 0; x < tree->domain[f->scope[k]]; x++) {
            steps[b->class_of[at][x]] = f->class_of[k][x] * f->strides[k];
        }
    }
done:
    return status;
}

static gt_status open_children(gt_i_bucket_tree *tree, gt_i_walk *walk, child **children, int32_t *count)
{
    gt_status status = GT_OK;
    child *made = NULL;
    int32_t n = 0, factor = 0;
    GT_TRY(gt_i_arena_take(&tree->arena, &made, walk->bucket->factor_count, sizeof *made));
    for (gt_i_factor *f = walk->bucket->factors; f != NULL; f = f->next, factor++) {
        if (f->maker >= 0) {
            made[n].factor = factor;
            GT_TRY(open_child(tree, walk, &made[n], f));
            n++;
        }
    }
    *children = made;
    *count = n;
done:
    return status;
}

/* The best of everything but the child's own message, for each of its entries. */
static void give_child(child *c, const gt_i_walk *walk, int64_t outside)
{
    const int64_t *message = walk->rows[c->factor];
    int64_t place = 0;
    for (int32_t k = 1; k < walk->bucket->count; k++) {
        place += c->steps[walk->first[k] + walk->digits[k]];
    }
    for (int32_t x = 0; x < walk->length; x++) {
        int64_t belief = walk->sums[x] + walk->least[x] + outside;
        int64_t *to = &c->outside[place + c->own[x]];
        if (!gt_i_forbidden(walk->sums[x]) && !gt_i_forbidden(walk->least[x])) {
            *to = belief - message[x] < *to ? belief - message[x] : *to;
        }
    }
}

/* best[x]: least cost of an assignment with the eliminated variable in class x, without its unary cost. */
static void visit(gt_i_walk *walk, int64_t *best, const int64_t *zero, child *children, int32_t child_count,
                  int64_t outside)
{
    if (gt_i_forbidden(outside)) {
        return;
    }
    gt_i_walk_sum(walk, zero);
    for (int32_t x = 0; x < walk->length; x++) {
        int64_t cost = gt_i_add(walk->sums[x], outside);
        best[x] = cost < best[x] ? cost : best[x];
    }
    for (int32_t n = 0; n < child_count; n++) {
        give_child(&children[n], walk, outside);
    }
}

static gt_status go_back(gt_i_bucket_tree *tree, gt_i_bucket *b, int64_t *marginals)
{
    gt_status status = GT_OK;
    gt_i_walk *walk = b->walk;
    child *children = NULL;
    int64_t *best = NULL, *zero = NULL;
    int32_t child_count = 0;
    /* of a bucket without neighbours, everything else is the other components */
    int64_t rest = b->message.count == 0 ? tree->constant - b->message.table[0] : 0;
    gt_i_walk_rewind(walk);
    GT_TRY(open_children(tree, walk, &children, &child_count));
    GT_TRY(gt_i_arena_take(&tree->arena, &best, walk->length, sizeof *best));
    GT_TRY(gt_i_arena_take(&tree->arena, &zero, walk->length, sizeof *zero));
    for (int32_t x = 0; x < walk->length; x++) {
        best[x] = GT_I_FORBIDDEN;
        zero[x] = 0;
    }
    for (int64_t k = 0; k < b->entries; k++) {
        visit(walk, best, zero, children, child_count, b->message.count == 0 ? rest : b->outside[k]);
        gt_i_walk_advance(walk);
    }
    int32_t variable = b->scope[0];
    for (int32_t x = 0; x < tree->domain[variable]; x++) {
        marginals[x] = gt_i_add(tree->unary[variable][x], best[b->class_of[0][x]]);
    }
done:
    return status;
}

gt_status gt_i_bucket_back(gt_i_bucket_tree *tree, int64_t *const *marginals)
{
    gt_status status = GT_OK;
    for (int32_t r = tree->count - 1; r >= 0; r--) {
        GT_TRY(go_back(tree, &tree->buckets[r], marginals[tree->order[r]]));
    }
done:
    return status;
}
