/* SPDX-License-Identifier: Apache-2.0 */
/* Cost function networks (weighted constraint satisfaction, MAP of a pairwise Markov random field) and
 * their exact solution. This module knows cost tables only, no operators and no layouts.
 *
 * A network is a set of variables with finite domains, one unary cost per value and binary cost
 * functions. The cost of an assignment is the sum of all functions; GT_CFN_INFINITE forbids a value or
 * a pair. gt_cfn_solve finds an assignment of least cost and says what it proved. */
#ifndef GT_SOLVE_CFN_H
#define GT_SOLVE_CFN_H

#include "src/base/memory.h"

/* "Forbidden". Adding anything to it leaves it unchanged. */
#define GT_CFN_INFINITE INT64_MAX

/* The largest finite costs of all functions must sum to less than this, which leaves the solver room
 * to move costs between functions without overflow. */
#define GT_CFN_MAX_TOTAL ((int64_t)1 << 59)

#define GT_CFN_MAX_DOMAIN 4096

#define GT_CFN_DEFAULT_MEMORY_BYTES ((int64_t)256 << 20)

typedef struct gt_cfn gt_cfn;

/* An empty network. Errors: GT_ERROR_MEMORY. */
gt_status gt_cfn_create(gt_cfn **cfn) GT_NODISCARD;
void gt_cfn_destroy(gt_cfn *cfn); /* NULL is allowed */

/* Adds a variable with values 0 … domain-1 and writes its index (0, 1, 2, …) to *variable. `name` is
 * copied and used in messages only. `unary` has `domain` costs, or is NULL for zeros.
 * Errors: GT_ERROR_ARGUMENT (domain outside 1 … GT_CFN_MAX_DOMAIN, negative cost), GT_ERROR_LIMIT (a
 * finite cost above GT_CFN_MAX_TOTAL), GT_ERROR_MEMORY. */
gt_status gt_cfn_add_variable(gt_cfn *cfn, int32_t *variable, const char *name, int32_t domain,
                              const int64_t *unary) GT_NODISCARD;

/* Adds `costs` (one per value) to the variable's unary costs. Errors as gt_cfn_add_variable. */
gt_status gt_cfn_add_unary(gt_cfn *cfn, int32_t variable, const int64_t *costs) GT_NODISCARD;

/* Adds a cost function on two different variables; `table` is copied, row-major
 * [value of a][value of b], equal rows and equal columns once. Several functions on one pair are summed.
 * Errors as gt_cfn_add_variable. */
gt_status gt_cfn_add_binary(gt_cfn *cfn, int32_t a, int32_t b, const int64_t *table) GT_NODISCARD;

/* What was added. Variables are numbered from 0; the name is borrowed. O(1). */
int32_t gt_cfn_variable_count(const gt_cfn *cfn);
int32_t gt_cfn_domain(const gt_cfn *cfn, int32_t variable);
const char *gt_cfn_variable_name(const gt_cfn *cfn, int32_t variable);

/* The unary cost of a value. O(1). */
int64_t gt_cfn_unary_cost(const gt_cfn *cfn, int32_t variable, int32_t value);

/* The binary functions, numbered from 0 in the order in which they were added: their variables, and the cost of a
 * pair of values. O(1). */
int32_t gt_cfn_binary_count(const gt_cfn *cfn);
void gt_cfn_binary_scope(const gt_cfn *cfn, int32_t function, int32_t *a, int32_t *b);
int64_t gt_cfn_binary_cost(const gt_cfn *cfn, int32_t function, int32_t value_a, int32_t value_b);

/* The cost of an assignment (one value per variable, each within its domain), GT_CFN_INFINITE if it
 * uses anything forbidden. O(functions). */
int64_t gt_cfn_evaluate(const gt_cfn *cfn, const int32_t *assignment);

/* Parts of the solver that tests and experiments can switch off; the result stays exact. */
enum {
    GT_CFN_SKIP_DOMINANCE = 1 << 0,   /* keep dominated values */
    GT_CFN_SKIP_REDUCTION = 1 << 1,   /* keep variables of degree 1 and 2 */
    GT_CFN_SKIP_BOUNDS = 1 << 2,      /* no message passing: arc consistency alone gives the bound */
    GT_CFN_SKIP_ELIMINATION = 1 << 3, /* no tables over several variables */
    GT_CFN_SKIP_SPLITTING = 1 << 4    /* neither components nor articulation points */
};

/* What a solver at work knows. */
typedef struct gt_cfn_progress {
    int64_t cost;        /* of the best assignment so far, GT_CFN_INFINITE before the first */
    int64_t lower_bound; /* proved so far for the whole network */
    int64_t nodes;       /* branch-and-bound nodes opened */
    int64_t elapsed_ns;
} gt_cfn_progress;

/* All zero means: everything on, no limit but the default memory budget. */
typedef struct gt_cfn_options {
    int64_t time_budget_ns;      /* 0: none. The budget is looked at between steps, not within one. */
    int64_t memory_budget_bytes; /* for the tables of variable elimination and the copies that branch and
                                  * bound works on; 0: 256 MiB. Beside it the solver holds a few times
                                  * the network's own tables. */
    int64_t work_budget;         /* table entries visited, about 10^9 a second; 0: none. Unlike time it runs
                                  * out at the same place in every run. */
    int64_t node_limit;          /* branch-and-bound nodes; 0: none */
    const int32_t *initial;      /* a known assignment (borrowed) or NULL; a forbidden one is ignored */
    const volatile int *stop;    /* the solver ends as if a budget had run out once *stop is not 0; may be
                                  * set from a signal handler. NULL: none */
    void (*progress)(void *context, const gt_cfn_progress *progress); /* called a few times a second; or NULL */
    void *progress_context;
    unsigned skip;               /* GT_CFN_SKIP_* */
} gt_cfn_options;

typedef struct gt_cfn_result {
    int32_t *assignment; /* one value per variable; owned, see gt_cfn_result_destroy */
    int64_t cost;        /* of the assignment */
    int64_t lower_bound; /* no assignment costs less; equals cost when optimal */
    double gap;          /* (cost - lower_bound) / cost, 0 when optimal */
    bool optimal;        /* proved */
    int32_t width;       /* of `order`: most neighbours of a variable when it is eliminated */
    int32_t *order;      /* the variables in the elimination order chosen for the network as given, the one
                          * whose tables are smallest; owned */
    const char *order_name; /* the heuristic that found it: "min-fill", "min-degree" or
                             * "maximum-cardinality"; static storage */
    double order_entries; /* table entries that eliminating in this order takes (nothing removed before) */
    int32_t width_met;   /* the largest number of neighbours of a variable that was eliminated */
    const char *method;  /* such as "elimination+bounds"; static storage */
    const char *stopped; /* what ran out before the proof: "time", "work", "nodes", "memory" or "interrupted";
                          * NULL if nothing did. Static storage. */
    int64_t nodes;       /* branch-and-bound nodes opened */
    int64_t backtracks;  /* nodes closed without a better assignment */
    int64_t solver_ns;
} gt_cfn_result;

/* Finds an assignment of least cost. `options` may be NULL. Overwrites *result, which needs no
 * initialisation and must not own an assignment.
 *
 * Method: values are removed by arc consistency, by dominance (dead-end elimination; Desmet et al. 1992,
 * Goldstein 1994) and by reduced cost against the best known assignment; variables of degree 0, 1 and 2
 * are eliminated exactly (PBQP's R0, R1, R2; Scholz and Eckstein 2002); costs are moved between functions
 * by sequential message passing (Kolmogorov, "A new look at reweighted message passing", PAMI 2015), in
 * integers so that the network stays exactly equivalent; the rest is split into components and at
 * articulation points, eliminated in a min-fill order where tables are small (bucket elimination; Dechter
 * 1999), and otherwise searched depth first, every node being treated like the root.
 *
 * Time is exponential in the worst case; a budget that runs out leaves the best assignment found, a
 * valid lower bound and optimal == false. The same network and options give the same assignment unless
 * the time budget ran out: among equal costs the lower value index is preferred at each elimination
 * and each branching, and the first assignment found is kept (so that `initial` itself is returned when
 * nothing is strictly better).
 *
 * Errors: GT_ERROR_UNSUPPORTED (no feasible assignment; the message names a variable without feasible
 * value where one can be blamed), GT_ERROR_LIMIT (costs above GT_CFN_MAX_TOTAL in total, or budget
 * exhausted before any feasible assignment was found), GT_ERROR_ARGUMENT (`initial` outside the
 * domains, negative budget), GT_ERROR_MEMORY. */
gt_status gt_cfn_solve(const gt_cfn *cfn, gt_cfn_result *result,
                       const gt_cfn_options *options) GT_NODISCARD;

/* Frees what the result owns; safe on a zeroed result, and to repeat. */
void gt_cfn_result_destroy(gt_cfn_result *result);

/* For every variable and value the cost of the best assignment that has it. */
typedef struct gt_cfn_marginals {
    int32_t variables;
    int64_t *offset; /* [variables + 1]: where a variable's values start in the arrays below; owned */
    int64_t *cost;   /* of the best assignment known with this value; GT_CFN_INFINITE: none; owned */
    int64_t *bound;  /* no assignment with this value costs less; equals cost where proved; owned */
    int64_t least;   /* the cost of the best assignment */
    bool exact;      /* bound == cost everywhere */
    const char *method; /* static storage */
    int64_t solver_ns;
} gt_cfn_marginals;

/* Computes all min-marginals. One pass of bucket elimination along the elimination order and one back (two-pass
 * message passing in a bucket tree; Kask, Dechter, Larrosa and Dechter, "Unifying tree decompositions for
 * reasoning in graphical models", Artificial Intelligence 2005) where its tables fit into the memory
 * budget: about the time of two eliminations. Otherwise values are settled by the bound of a solved, reparametrised
 * network where that is enough and by a solve with the value forced where it is not, cheapest first, until a budget
 * runs out. `options` as in gt_cfn_solve, may be NULL. Overwrites *marginals.
 * Errors: as gt_cfn_solve. */
gt_status gt_cfn_min_marginals(const gt_cfn *cfn, gt_cfn_marginals *marginals,
                               const gt_cfn_options *options) GT_NODISCARD;

/* Frees what the marginals own; safe on zeroed ones, and to repeat. */
void gt_cfn_marginals_destroy(gt_cfn_marginals *marginals);

/* A proof of optimality by other means than gt_cfn_solve's: plain bucket elimination of all variables in `order`
 * (a permutation), without removing anything before. Writes the least cost to *least. Errors: GT_ERROR_ARGUMENT
 * (`order` is no permutation), GT_ERROR_LIMIT (its tables need more than memory_budget_bytes; the message says how
 * much), GT_ERROR_UNSUPPORTED (no feasible assignment), GT_ERROR_MEMORY. */
gt_status gt_cfn_verify(const gt_cfn *cfn, int64_t *least, const int32_t *order,
                        int64_t memory_budget_bytes) GT_NODISCARD;

/* Enumerates all assignments in lexicographic order and keeps the first of least cost: the oracle of
 * the tests. O(product of domains). Errors: GT_ERROR_LIMIT (more than 2^28 assignments),
 * GT_ERROR_UNSUPPORTED (no feasible assignment), GT_ERROR_MEMORY. */
gt_status gt_cfn_solve_exhaustive(const gt_cfn *cfn, gt_cfn_result *result) GT_NODISCARD;

#endif
