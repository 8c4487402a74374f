/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_SOLVE_BUCKET_WALK_H
#define GT_SOLVE_BUCKET_WALK_H

#include "src/solve/bucket.h"

/* The factors of a bucket side by side while its neighbours' joint classes are run through, the first neighbour
 * fastest: the order of the message's entries. */
typedef struct gt_i_walk {
    const gt_i_bucket *bucket;
    int32_t length;          /* joint classes of the variable eliminated: length of a row */
    const int64_t **first_rows; /* [factors]: rows at the first place */
    const int64_t **rows;    /* [factors]: each factor's costs of those classes, at the present place */
    int64_t **places;        /* [factors][sum of the neighbours' classes]: where a class puts the row, in elements */
    int32_t *first;          /* [neighbours]: where its classes begin in places[] */
    int32_t *digits;         /* [neighbours]: present joint class */
    int64_t *least;          /* [length]: least unary cost of each class */
    int64_t *sums;           /* [length] */
} gt_i_walk;

/* Makes the bucket's walk, in the tree's arena, at the first place. All of its factors have tables. */
gt_status gt_i_walk_create(gt_i_bucket_tree *tree, gt_i_bucket *bucket) GT_NODISCARD;
void gt_i_walk_rewind(gt_i_walk *walk);
void gt_i_walk_advance(gt_i_walk *walk);

/* walk->sums[x] = from[x] + all factors' costs at the present place. */
void gt_i_walk_sum(gt_i_walk *walk, const int64_t *from);

#endif
