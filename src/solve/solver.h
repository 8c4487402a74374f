/* SPDX-License-Identifier: Apache-2.0 */
/* What all steps of one gt_cfn_solve call share, and the steps themselves. */
#ifndef GT_SOLVE_SOLVER_H
#define GT_SOLVE_SOLVER_H

#include "src/solve/order.h"

/* Kinds of step that contributed, for the method string. */
enum {
    GT_I_USED_ELIMINATION = 1 << 0,
    GT_I_USED_BOUNDS = 1 << 1,
    GT_I_USED_SEARCH = 1 << 2
};

typedef struct gt_i_solver {
    int32_t origins; /* variables of the cfn */
    unsigned skip;
    bool keep_values;    /* no value may go because a better assignment is known */
    int64_t memory_budget_bytes; /* of one elimination's tables */
    gt_i_account copies;         /* of the networks below the root */
    int64_t deadline_ns; /* INT64_MAX: none */
    int64_t node_limit;  /* INT64_MAX: none */
    int64_t work_left;   /* table entries; INT64_MAX: no limit */
    const volatile int *stop; /* or NULL */
    const gt_cfn_options *options; /* borrowed, for the progress hook */
    const gt_i_wcsp *root;    /* whose bound and best assignment progress tells; NULL: none yet */
    int64_t start_ns, reported_ns;
    const char *stopped; /* the budget that ran out, as in gt_cfn_result; NULL: none yet */
    int64_t *scratch;    /* gt_i_scratch's */
    int64_t scratch_elems;
    int64_t nodes, backtracks;
    int32_t width_met;
    unsigned used;
} gt_i_solver;

/* A solver with the budgets of `options`, at work since now_ns. Its scratch is the caller's to free. */
gt_i_solver gt_i_solver_with(const gt_cfn *cfn, const gt_cfn_options *options, int64_t now_ns);

/* Uninitialised room for count elements, until the next call. Errors: GT_ERROR_MEMORY. */
gt_status gt_i_scratch(gt_i_solver *solver, int64_t **room, int64_t count) GT_NODISCARD;

/* Turns what the account of copies had to refuse into a search that ends early: sets *status to GT_OK then. */
void gt_i_solver_out_of_memory(gt_i_solver *solver, gt_status *status);

/* True, from then on, once a budget has run out. Tells the progress hook now and then. */
bool gt_i_solver_exhausted(gt_i_solver *solver);

/* Removes values, edges and variables until nothing more applies: arc consistency, dominance, reduced
 * costs, variables of degree 0 to 2. Exact. O(values^2 * entries) per variable at worst, in practice
 * linear in the table entries. */
gt_status gt_i_reduce(gt_i_solver *solver, gt_i_wcsp *net) GT_NODISCARD;

/* Removes the values of a variable that another of its values can replace in every context. */
void gt_i_remove_dominated(gt_i_wcsp *net, int32_t variable);

/* Raises net->base by passing messages for at most `sweeps` pairs of sweeps, pruning values on the
 * way and accepting better assignments met. O(entries) a sweep. */
gt_status gt_i_raise_bound(gt_i_solver *solver, gt_i_wcsp *net, int32_t sweeps) GT_NODISCARD;

/* Eliminates all variables, if that takes at most `affordable` additions and tables within the memory budget: accepts the
 * optimum if it is below the bound, and closes net. */
gt_status gt_i_eliminate(gt_i_solver *solver, gt_i_wcsp *net, double affordable) GT_NODISCARD;

/* Reduces and raises the bound by turns, as long as that removes values. */
gt_status gt_i_simplify(gt_i_solver *solver, gt_i_wcsp *net) GT_NODISCARD;

/* Fixes one variable after another in net itself, the most promising value first, and accepts the assignment if it is
 * better than the best known. Uses net up: it bounds nothing afterwards, and is left open. */
gt_status gt_i_dive(gt_i_solver *solver, gt_i_wcsp *net) GT_NODISCARD;

/* Closes net: afterwards net->found and net->best_cost, best[] tell its optimum, if it is below the
 * bound that net came with. When a budget runs out net is not closed and *lower_bound (<= the optimum
 * or the bound) is what is known. */
gt_status gt_i_search(gt_i_solver *solver, gt_i_wcsp *net, int64_t *lower_bound) GT_NODISCARD;

#endif
