/* SPDX-License-Identifier: Apache-2.0 */
/* Branch and bound under a memory limit. The network without the limit is the relaxation: its optimum among the choices
 * that a node leaves, after those that cannot fit are removed, is a lower bound, and where that schedule fits it is the best
 * of the node. Where it does not, the node is split at an op that keeps much alive where too much is. Best bound first. */
#include "src/base/clock.h"
#include "src/tune/select_memory_internal.h"

#include <string.h>

struct node {
    int64_t units;     /* no schedule of it costs less */
    uint32_t *allowed; /* [op] */
    int32_t *values;   /* its relaxation's optimum, which does not fit */
    int op;            /* to split at; -1: no choice is left, and yet a schedule with other copies might fit */
};

struct tree {
    gt_memory_search *search;
    int64_t limit;
    int solves;       /* left */
    int n_nodes;
    size_t capacity;
    struct node *nodes; /* open */
    int64_t unsettled; /* least bound of what was given up */
};

static void clear_node(struct node *node)
{
    gt_free(node->allowed);
    gt_free(node->values);
    *node = (struct node){0};
}

/* The bytes of a tensor alive in a period, by these choices. */
static int64_t alive(const gt_lifetimes *l, const int32_t *values, int tensor, int period)
{
    int op = period / 2;
    if (l->made[tensor] > op || l->last[tensor] < op || (l->last[tensor] == op && period % 2 != 0 && l->made[tensor] != op)) {
        return 0;
    }
    unsigned layouts = gt_i_tensor_needs(l, values, tensor) | 1u << gt_i_made_in(l->s, values, tensor);
    int64_t bytes = 0;
    for (int layout = 0; layout < GT_LAYOUT_COUNT; layout++) {
        bytes += (layouts >> layout & 1) != 0 ? l->bytes[tensor * GT_LAYOUT_COUNT + layout] : 0;
    }
    return bytes;
}

static bool is_open(const uint32_t *allowed, int op)
{
    return op >= 0 && (allowed[op] & (allowed[op] - 1)) != 0;
}

/* The op with choices left that makes or reads the most bytes alive in the fullest period; any other one where none does. */
static int choose_op(const gt_memory_search *search, const uint32_t *allowed, const int32_t *values)
{
    const gt_selection *s = search->s;
    int period = 0;
    int chosen = -1;
    int64_t most = -1;
    for (int p = 1; p < 2 * s->graph->n_ops; p++) {
        period = search->live[p] > search->live[period] ? p : period;
    }
    for (int t = 0; t < s->graph->n_tensors; t++) {
        int64_t bytes = s->sites[t].copies >= 0 ? alive(search->l, values, t, period) : 0;
        if (bytes > most && is_open(allowed, s->graph->tensors[t].producer)) {
            most = bytes;
            chosen = s->graph->tensors[t].producer;
        }
        for (int i = s->sites[t].first; i < s->sites[t].last; i++) {
            if (bytes > most && is_open(allowed, s->consumer[i])) {
                most = bytes;
                chosen = s->consumer[i];
            }
        }
    }
    for (int i = 0; i < s->graph->n_ops && chosen < 0; i++) {
        chosen = is_open(allowed, i) ? i : -1;
    }
    return chosen;
}

/* Many networks are solved, so each gets a part of the budget for work. */
static gt_cfn_options solver_options(const gt_selection *s)
{
    enum { SHARE = 16 };
    const gt_select_options *o = s->options;
    gt_cfn_options options = {.memory_budget_bytes = gt_i_solver_memory(o), .stop = o->stop};
    if (o->time_budget_s > 0) {
        int64_t left_ns = (int64_t)(o->time_budget_s * 1e9) - (gt_now_ns() - s->begin_ns);
        options.time_budget_ns = left_ns > 0 ? left_ns : 1;
    }
    options.work_budget = o->work_budget > SHARE ? o->work_budget / SHARE : o->work_budget;
    return options;
}

gt_status gt_i_relax(const gt_selection *s, int64_t *bound_units, int32_t *values, const uint32_t *allowed)
{
    gt_status status = GT_OK;
    gt_network *network = NULL;
    gt_cfn_result result = {0};
    const gt_cfn_options options = solver_options(s);
    *bound_units = GT_CFN_INFINITE;
    GT_TRY(gt_i_network_create(&network, s, allowed));
    status = gt_cfn_solve(network->cfn, &result, &options);
    if (status == GT_ERROR_UNSUPPORTED) {
        status = GT_OK;
        goto done;
    }
    GT_TRY(status);
    *bound_units = result.lower_bound;
    memcpy(values, result.assignment, (size_t)s->graph->n_ops * sizeof *values);
done:
    gt_cfn_result_destroy(&result);
    gt_i_network_destroy(network);
    return status;
}

static int64_t best_units(const struct tree *tree)
{
    const gt_found *best = gt_i_fastest_within(tree->search, tree->limit);
    return best != NULL ? best->units : GT_CFN_INFINITE;
}

/* Bounds the node of these choices and keeps it open where that settles nothing. `known`: the parent's optimum. */
static gt_status open_node(struct tree *tree, const uint32_t *allowed, const struct node *known)
{
    gt_status status = GT_OK;
    size_t n = (size_t)tree->search->s->graph->n_ops;
    struct node node = {0};
    gt_least least;
    int64_t arena_bytes = 0;
    bool same = known != NULL;
    GT_TRY(gt_calloc(&node.allowed, n, sizeof *node.allowed));
    GT_TRY(gt_calloc(&node.values, n, sizeof *node.values));
    memcpy(node.allowed, allowed, n * sizeof *allowed);
    GT_TRY(gt_i_prune(&least, tree->search->l, node.allowed, tree->limit));
    if (!least.possible) {
        goto done;
    }
    for (size_t i = 0; i < n && same; i++) {
        same = (node.allowed[i] >> known->values[i] & 1) != 0;
    }
    if (same) {
        memcpy(node.values, known->values, n * sizeof *node.values);
        node.units = known->units;
    } else {
        tree->solves--;
        status = gt_i_relax(tree->search->s, &node.units, node.values, node.allowed);
        if (status == GT_ERROR_LIMIT) { /* a budget ran out: nothing is known of the node */
            tree->unsettled = 0;
            status = GT_OK;
            goto done;
        }
        GT_TRY(status);
    }
    if (node.units >= best_units(tree)) {
        goto done;
    }
    GT_TRY(gt_i_look_at(tree->search, &arena_bytes, node.values, INT64_MAX));
    if (node.units >= best_units(tree)) {
        goto done;
    }
    node.op = choose_op(tree->search, node.allowed, node.values);
    if (node.op < 0) {
        tree->unsettled = node.units < tree->unsettled ? node.units : tree->unsettled;
        goto done;
    }
    GT_PUSH(tree->nodes, tree->n_nodes, tree->capacity, node);
    node = (struct node){0};
done:
    clear_node(&node);
    return status;
}

static struct node take_least(struct tree *tree)
{
    int least = 0;
    for (int i = 1; i < tree->n_nodes; i++) {
        least = tree->nodes[i].units < tree->nodes[least].units ? i : least;
    }
    struct node node = tree->nodes[least];
    memmove(&tree->nodes[least], &tree->nodes[least + 1], (size_t)(--tree->n_nodes - least) * sizeof node);
    return node;
}

static gt_status split(struct tree *tree, struct node *node)
{
    gt_status status = GT_OK;
    uint32_t mask = node->allowed[node->op];
    uint32_t bit = 1u << node->values[node->op];
    node->allowed[node->op] = mask & ~bit;
    GT_TRY(open_node(tree, node->allowed, NULL));
    node->allowed[node->op] = bit;
    GT_TRY(open_node(tree, node->allowed, node));
done:
    return status;
}

gt_status gt_i_branch_and_bound(gt_memory_search *search, int64_t *bound_units, int64_t limit, int solves)
{
    gt_status status = GT_OK;
    struct tree tree = {.search = search, .limit = limit, .solves = solves, .unsettled = GT_CFN_INFINITE};
    struct node node = {0};
    int splits = 4 * solves; /* those that need no solution end as well */
    GT_TRY(open_node(&tree, search->allowed, NULL));
    while (tree.n_nodes > 0 && tree.solves > 0 && splits-- > 0 && !gt_i_is_late(search)) {
        node = take_least(&tree);
        if (node.units < best_units(&tree)) {
            GT_TRY(split(&tree, &node));
        }
        clear_node(&node);
    }
    *bound_units = best_units(&tree) < tree.unsettled ? best_units(&tree) : tree.unsettled;
    for (int i = 0; i < tree.n_nodes; i++) {
        *bound_units = tree.nodes[i].units < *bound_units ? tree.nodes[i].units : *bound_units;
    }
done:
    clear_node(&node);
    for (int i = 0; i < tree.n_nodes; i++) {
        clear_node(&tree.nodes[i]);
    }
    gt_free(tree.nodes);
    return status;
}
