/* SPDX-License-Identifier: Apache-2.0 */
/* Bucket elimination by classes of values (Dechter, Artificial Intelligence 1999), and the pass back that gives all
 * min-marginals (Kask, Dechter, Larrosa and Dechter, Artificial Intelligence 2005).
 *
 * Each variable in turn is eliminated: its bucket holds all functions of it and of variables still to come (its
 * neighbours), and leaves one function of the neighbours, the message. Within a bucket, values of a variable that no
 * function of the bucket tells apart are one class, so that tables grow with the layouts an op could read or write, not
 * with their pairs. All costs are below GT_I_FORBIDDEN or equal to it. */
#ifndef GT_SOLVE_BUCKET_H
#define GT_SOLVE_BUCKET_H

#include "src/solve/wcsp.h"

/* A function of `count` variables by classes of their values. */
typedef struct gt_i_factor {
    int32_t count;
    int32_t *scope;       /* variables, in the order of their elimination */
    const uint16_t **class_of; /* [count]: of each variable's values */
    int32_t *classes;     /* [count] */
    int64_t *strides;     /* [count], in elements */
    const int64_t *table; /* NULL until computed */
    int32_t maker;        /* rank of the bucket that it is the message of; -1: given */
    struct gt_i_factor *next; /* in the bucket of scope[0] */
} gt_i_factor;

typedef struct gt_i_bucket {
    int32_t count;          /* variables: [0] is eliminated, the rest its neighbours in the order of their elimination */
    int32_t *scope;
    uint16_t **class_of;    /* [count]: joint classes of each variable's values */
    int32_t *classes;       /* [count] */
    int32_t factor_count;
    gt_i_factor *factors;   /* a list */
    gt_i_factor message;    /* over scope[1 …], with the joint classes */
    int64_t entries;        /* of the message; INT64_MAX: beyond counting */
    struct gt_i_walk *walk; /* its factors side by side; made by the pass forward */
    int64_t *outside;       /* like message.table: the best of everything else; made by the pass back */
} gt_i_bucket;

typedef struct gt_i_bucket_tree {
    gt_i_arena arena;
    int32_t count;            /* variables, and buckets */
    const int32_t *domain;    /* by variable */
    const int64_t *const *unary; /* by variable */
    const int32_t *order;     /* by rank; borrowed */
    int32_t *rank;            /* by variable */
    gt_i_bucket *buckets;     /* by rank */
    double entries, work;     /* of all messages; additions */
    double bytes;             /* of all tables of the pass forward; as much again for the pass back */
    int64_t constant;         /* the least cost, after gt_i_bucket_forward */
} gt_i_bucket_tree;

/* Begins a tree of variables 0 … count-1, each in `order` once. Arrays are borrowed. */
gt_status gt_i_bucket_begin(gt_i_bucket_tree *tree, int32_t count, const int32_t *domain, const int64_t *const *unary,
                            const int32_t *order) GT_NODISCARD;

/* Adds a function of two variables; its arrays are borrowed. */
gt_status gt_i_bucket_add(gt_i_bucket_tree *tree, int32_t a, int32_t b, int32_t rows, int32_t columns,
                          const uint16_t *row_of, const uint16_t *column_of, const int64_t *table) GT_NODISCARD;

/* Finds neighbours, classes and sizes of all buckets, without making a table. Stops growing them, with entries beyond
 * any limit, once a message has more than 2^40 entries. */
gt_status gt_i_bucket_plan(gt_i_bucket_tree *tree) GT_NODISCARD;

/* Computes all messages; tree->constant is then the least cost, GT_I_FORBIDDEN if there is no feasible assignment. */
gt_status gt_i_bucket_forward(gt_i_bucket_tree *tree) GT_NODISCARD;

/* The assignment of least cost after the pass forward: of equal values the lowest. */
void gt_i_bucket_decode(const gt_i_bucket_tree *tree, int32_t *assignment);

/* The pass back: marginals[v][x] is the least cost of an assignment with variable v = x, or GT_I_FORBIDDEN. After the pass
 * forward, which found a feasible one. */
gt_status gt_i_bucket_back(gt_i_bucket_tree *tree, int64_t *const *marginals) GT_NODISCARD;

void gt_i_bucket_destroy(gt_i_bucket_tree *tree);

#endif
