/* SPDX-License-Identifier: Apache-2.0 */
/* The network being solved: only live values, all costs >= 0, shrunk in place until nothing is left.
 *
 * A network at any depth of the search keeps, for every variable and value, the index it has in the
 * caller's cfn ("origin"), so that assignments are exchanged between depths without translation.
 *
 * Costs are moved between functions ("reparametrisation") in a way that leaves the cost of every
 * assignment unchanged: the cost of a pair is its table entry - message_a[x] - message_b[y], and what was
 * taken from there is in the unary costs, or, where all values of a variable have it, in `base`. */
#ifndef GT_SOLVE_WCSP_H
#define GT_SOLVE_WCSP_H

#include "src/solve/arena.h"
#include "src/solve/cfn.h"

/* Internal costs. Finite table entries stay below 2^59, messages within [-2^59, 2^60], so a finite
 * entry with both messages taken off stays below 2^61 and a forbidden one does not: loops need no
 * special case for forbidden entries, and one comparison of the outcome tells them apart. */
#define GT_I_FORBIDDEN (((int64_t)1 << 62) - 1)
#define GT_I_COST_LIMIT ((int64_t)1 << 59)

static inline bool gt_i_forbidden(int64_t cost)
{
    return cost >= (int64_t)1 << 61;
}

/* Sum of two costs of which either may be forbidden (exactly GT_I_FORBIDDEN). */
static inline int64_t gt_i_add(int64_t a, int64_t b)
{
    int64_t sum = a + b;
    return gt_i_forbidden(sum) ? GT_I_FORBIDDEN : sum;
}

/* Values of an end that cost the same with every value of the other end share a class. A pair's cost is that of its
 * classes, less what messages have moved to the unary costs. */
typedef struct gt_i_edge {
    int32_t a, b;                   /* variables of this network; a < b */
    int32_t rows, columns;          /* classes of a's and of b's values; each has a value */
    uint16_t *class_a, *class_b;    /* [domain a], [domain b] */
    int64_t *table;                 /* [rows][columns]; NULL once the edge is gone */
    int64_t *message_a, *message_b; /* [domain a], [domain b]: what was moved; NULL: nothing yet */
    bool changed;                   /* since it was last in normal form */
} gt_i_edge;

typedef struct gt_i_variable {
    int32_t origin;
    int32_t domain; /* 0: no longer in the network */
    int32_t degree;
    int32_t *values; /* index of each live value in the caller's domain, ascending */
    int64_t *unary;
    int32_t *edges;
    bool queued;    /* gt_i_reduce has to look at it */
    bool unchecked; /* its values or edges changed since it was last searched for dominated values */
} gt_i_variable;

/* How to give values to variables that left the network once the others have theirs. */
typedef struct gt_i_record gt_i_record;

typedef struct gt_i_wcsp {
    gt_i_arena arena; /* everything below, freed together */
    int32_t variable_count, edge_count, live_count;
    gt_i_variable *variables;
    gt_i_edge *edges;
    gt_i_record *records; /* newest first */
    int64_t base;         /* cost of every assignment: the lower bound */
    int64_t bound;        /* only assignments that cost less are of interest */
    int64_t unit;         /* costs of two assignments differ by a multiple of this */
    int64_t removals;     /* values and edges removed so far */
    bool closed;          /* nothing below `bound` is left */
    int32_t blamed;       /* origin of the variable whose values ran out, or -1 */
    bool found;           /* best[] holds an assignment of cost best_cost */
    int64_t best_cost;
    int32_t *best;        /* [variables of the cfn], by origin */
} gt_i_wcsp;

/* Construction: begin, place every variable and edge, link. Values start as 0 … domain-1 with cost
 * 0; tables and classes are uninitialised. `account` (borrowed) may be NULL. Errors: GT_ERROR_MEMORY, GT_ERROR_LIMIT (the
 * account's); gt_i_wcsp_destroy frees a half-built one. */
gt_status gt_i_wcsp_begin(gt_i_wcsp *net, gt_i_account *account, int32_t variables, int32_t edges,
                          int32_t origins) GT_NODISCARD;
gt_status gt_i_wcsp_place_variable(gt_i_wcsp *net, int32_t origin, int32_t domain) GT_NODISCARD;
gt_status gt_i_wcsp_place_edge(gt_i_wcsp *net, int32_t a, int32_t b, int32_t rows, int32_t columns) GT_NODISCARD;
gt_status gt_i_wcsp_link(gt_i_wcsp *net) GT_NODISCARD;
void gt_i_wcsp_destroy(gt_i_wcsp *net);

/* Builds the network of the `selected` variables and the edges among them. With `fixed` >= 0 (not
 * selected), its row for local value `value` is added to the unary costs of its neighbours. base is 0.
 * Errors: GT_ERROR_MEMORY, GT_ERROR_LIMIT (the account's). */
gt_status gt_i_wcsp_extract(gt_i_wcsp *child, gt_i_account *account, const gt_i_wcsp *net, const uint8_t *selected,
                            int32_t origins, int32_t fixed, int32_t value) GT_NODISCARD;

/* The edge between two variables, or NULL. */
gt_i_edge *gt_i_wcsp_find_edge(gt_i_wcsp *net, int32_t a, int32_t b);

static inline int32_t gt_i_other_end(const gt_i_edge *edge, int32_t variable)
{
    return edge->a == variable ? edge->b : edge->a;
}

/* Moves the least unary cost to base, drops values whose cost reaches the bound from the variable
 * and its edges, and closes the network when none is left. Returns how many were dropped. */
int32_t gt_i_wcsp_prune(gt_i_wcsp *net, int32_t variable);

void gt_i_wcsp_remove_edge(gt_i_wcsp *net, gt_i_edge *edge);

/* Takes a variable without edges out of the network (after recording how to value it). */
void gt_i_wcsp_remove_variable(gt_i_wcsp *net, int32_t variable);

/* Table entries of all edges. */
int64_t gt_i_wcsp_entries(const gt_i_wcsp *net);

/* Cost of local values choice[variable] of all live variables. */
int64_t gt_i_wcsp_evaluate(const gt_i_wcsp *net, const int32_t *choice);

/* The live variables' values have been written to best[], at `cost` below the bound: values the recorded
 * variables too and lowers the bound. */
void gt_i_wcsp_accept(gt_i_wcsp *net, int64_t cost);

#endif
