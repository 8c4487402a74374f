/* SPDX-License-Identifier: Apache-2.0 */
/* Local steps that shrink a network without changing its optimum. */
#include "src/solve/record.h"
#include "src/solve/solver.h"

/* A degree-2 elimination with more work than this waits until bounds have shrunk the domains. */
#define GT_I_MAX_FOLD_WORK ((int64_t)1 << 24)

static void enqueue_neighbours(gt_i_wcsp *net, int32_t variable)
{
    const gt_i_variable *v = &net->variables[variable];
    for (int32_t k = 0; k < v->degree; k++) {
        net->variables[gt_i_other_end(&net->edges[v->edges[k]], variable)].queued = true;
    }
}

static bool is_zero(const gt_i_wcsp *net, const gt_i_edge *edge)
{
    int64_t size = (int64_t)net->variables[edge->a].domain * net->variables[edge->b].domain;
    for (int64_t k = 0; k < size; k++) {
        if (edge->table[k] != 0) {
            return false;
        }
    }
    return true;
}

static bool any_forbidden(const gt_i_variable *v)
{
    for (int32_t x = 0; x < v->domain; x++) {
        if (gt_i_forbidden(v->unary[x])) {
            return true;
        }
    }
    return false;
}

/* Brings the edges of a variable into normal form: every value has a pair of cost 0 in each, and an
 * edge that is then 0 everywhere (it was a sum of two unary functions) goes. */
static void normalise_edges(gt_i_wcsp *net, int32_t variable)
{
    gt_i_variable *v = &net->variables[variable];
    for (int32_t k = v->degree - 1; k >= 0; k--) {
        gt_i_edge *e = &net->edges[v->edges[k]];
        int32_t other = gt_i_other_end(e, variable);
        gt_i_wcsp_pull(net, e, variable);
        gt_i_wcsp_pull(net, e, other);
        gt_i_wcsp_settle(net, e);
        bool zero = is_zero(net, e);
        if (zero || any_forbidden(&net->variables[other])) {
            net->variables[other].queued = true;
        }
        if (zero) {
            gt_i_wcsp_remove_edge(net, e);
        }
    }
}

/* Adds to a neighbour's unary costs what the recorded variable costs at best for each of its values. */
static void fold_into_one(gt_i_variable *neighbour, const gt_i_record *r, const int64_t *table)
{
    for (int32_t y = 0; y < neighbour->domain; y++) {
        int64_t least = GT_I_FORBIDDEN;
        for (int32_t x = 0; x < r->domain; x++) {
            int64_t cost = r->unary[x] + table[(int64_t)x * neighbour->domain + y];
            least = cost < least ? cost : least;
        }
        neighbour->unary[y] = gt_i_add(neighbour->unary[y], least);
    }
}

/* table[a][b] = least over x of unary[x] + first[x][a] + second[x][b]. */
static void fold_into_two(int64_t *table, const gt_i_record *r)
{
    const gt_i_neighbour *first = &r->neighbours[0], *second = &r->neighbours[1];
    for (int32_t a = 0; a < first->domain; a++) {
        int64_t *row = table + (int64_t)a * second->domain;
        for (int32_t b = 0; b < second->domain; b++) {
            row[b] = GT_I_FORBIDDEN;
        }
        for (int32_t x = 0; x < r->domain; x++) {
            int64_t here = r->unary[x] + first->table[(int64_t)x * first->domain + a];
            if (gt_i_forbidden(here)) {
                continue;
            }
            const int64_t *costs = second->table + (int64_t)x * second->domain;
            for (int32_t b = 0; b < second->domain; b++) {
                int64_t cost = here + costs[b];
                row[b] = cost < row[b] ? cost : row[b];
            }
        }
    }
}

/* Adds table[a][b] to the edge between a < b, making `spare` (an edge just removed) that edge if there
 * is none. */
static gt_status add_table(gt_i_wcsp *net, gt_i_edge *spare, int32_t a, int32_t b, int64_t *table)
{
    gt_status status = GT_OK;
    int32_t rows = net->variables[a].domain, columns = net->variables[b].domain;
    gt_i_edge *e = gt_i_wcsp_find_edge(net, a, b);
    if (e != NULL) {
        gt_i_wcsp_settle(net, e);
        for (int64_t k = 0; k < (int64_t)rows * columns; k++) {
            e->table[k] = gt_i_add(e->table[k], table[k]);
        }
        return GT_OK;
    }
    gt_i_edge made = {.a = a, .b = b, .table = table};
    GT_TRY(gt_i_arena_take(&net->arena, &made.message_a, rows, sizeof *made.message_a));
    GT_TRY(gt_i_arena_take(&net->arena, &made.message_b, columns, sizeof *made.message_b));
    *spare = made;
    for (int32_t x = 0; x < rows; x++) {
        made.message_a[x] = 0;
    }
    for (int32_t y = 0; y < columns; y++) {
        made.message_b[y] = 0;
    }
    gt_i_variable *va = &net->variables[a], *vb = &net->variables[b];
    va->edges[va->degree++] = (int32_t)(spare - net->edges);
    vb->edges[vb->degree++] = (int32_t)(spare - net->edges);
done:
    return status;
}

static gt_status remove_single_value(gt_i_wcsp *net, int32_t variable)
{
    gt_status status = GT_OK;
    gt_i_variable *v = &net->variables[variable];
    gt_i_record *record = NULL;
    GT_TRY(gt_i_record_add(net, &record, variable));
    enqueue_neighbours(net, variable);
    while (v->degree > 0) {
        gt_i_edge *e = &net->edges[v->edges[v->degree - 1]];
        gt_i_wcsp_settle(net, e); /* with one row or one column, the table is a unary function */
        fold_into_one(&net->variables[gt_i_other_end(e, variable)], record, e->table);
        gt_i_wcsp_remove_edge(net, e);
    }
    gt_i_wcsp_remove_variable(net, variable);
done:
    return status;
}

static gt_status eliminate_small_degree(gt_i_solver *solver, gt_i_wcsp *net, int32_t variable)
{
    gt_status status = GT_OK;
    gt_i_variable *v = &net->variables[variable];
    gt_i_edge *edges[2] = {NULL, NULL};
    int32_t others[2] = {-1, -1}, degree = v->degree;
    gt_i_record *record = NULL;
    GT_TRY(gt_i_record_add(net, &record, variable));
    /* the neighbours in ascending order, as an edge between them has them */
    for (int32_t k = 0; k < degree; k++) {
        edges[k] = &net->edges[v->edges[k]];
        others[k] = gt_i_other_end(edges[k], variable);
    }
    if (degree == 2 && others[0] > others[1]) {
        int32_t other = others[0];
        gt_i_edge *edge = edges[0];
        others[0] = others[1], others[1] = other;
        edges[0] = edges[1], edges[1] = edge;
    }
    for (int32_t k = 0; k < degree; k++) {
        gt_i_wcsp_settle(net, edges[k]);
        GT_TRY(gt_i_record_add_neighbour(net, record, variable, edges[k]));
    }
    enqueue_neighbours(net, variable);
    for (int32_t k = 0; k < degree; k++) {
        gt_i_wcsp_remove_edge(net, edges[k]);
    }
    if (degree == 1) {
        fold_into_one(&net->variables[others[0]], record, record->neighbours[0].table);
    } else if (degree == 2) {
        int64_t *table = NULL;
        int64_t size = (int64_t)record->neighbours[0].domain * record->neighbours[1].domain;
        GT_TRY(gt_i_arena_take(&net->arena, &table, size, sizeof *table));
        fold_into_two(table, record);
        GT_TRY(add_table(net, edges[0], others[0], others[1], table));
    }
    gt_i_wcsp_remove_variable(net, variable);
    solver->width_met = degree > solver->width_met ? degree : solver->width_met;
    solver->used |= GT_I_USED_ELIMINATION;
done:
    return status;
}

static bool may_eliminate(const gt_i_solver *solver, const gt_i_wcsp *net, int32_t variable)
{
    const gt_i_variable *v = &net->variables[variable];
    if (v->degree == 0) {
        return true;
    }
    if (v->degree > 2 || (solver->skip & GT_CFN_SKIP_REDUCTION)) {
        return false;
    }
    int64_t size = 1;
    for (int32_t k = 0; k < v->degree; k++) {
        size *= net->variables[gt_i_other_end(&net->edges[v->edges[k]], variable)].domain;
    }
    return size * v->domain <= GT_I_MAX_FOLD_WORK &&
           size * (int64_t)sizeof(int64_t) <= solver->memory_budget_bytes;
}

static void prune_and_enqueue(gt_i_wcsp *net, int32_t variable)
{
    if (gt_i_wcsp_prune(net, variable) > 0) {
        net->variables[variable].queued = true;
        enqueue_neighbours(net, variable);
    }
}

static gt_status reduce_variable(gt_i_solver *solver, gt_i_wcsp *net, int32_t variable)
{
    gt_i_variable *v = &net->variables[variable];
    v->queued = false;
    normalise_edges(net, variable);
    prune_and_enqueue(net, variable);
    if (net->closed) {
        return GT_OK;
    }
    if (v->domain == 1) {
        return remove_single_value(net, variable);
    }
    return may_eliminate(solver, net, variable) ? eliminate_small_degree(solver, net, variable) : GT_OK;
}

/* Reduces the queued variables and what that queues, until none is. */
static gt_status reduce_queued(gt_i_solver *solver, gt_i_wcsp *net)
{
    gt_status status = GT_OK;
    for (bool again = true; again && !net->closed;) {
        again = false;
        for (int32_t i = 0; i < net->variable_count && !net->closed; i++) {
            if (net->variables[i].domain > 0 && net->variables[i].queued) {
                again = true;
                GT_TRY(reduce_variable(solver, net, i));
            }
        }
    }
done:
    return status;
}

gt_status gt_i_reduce(gt_i_solver *solver, gt_i_wcsp *net)
{
    gt_status status = GT_OK;
    for (int32_t i = 0; i < net->variable_count; i++) {
        net->variables[i].queued = true;
    }
    for (bool again = true; again && !net->closed;) {
        GT_TRY(reduce_queued(solver, net));
        again = false;
        /* the dearer test comes last, when eliminations have taken variables out of its way */
        for (int32_t i = 0; i < net->variable_count && !net->closed; i++) {
            gt_i_variable *v = &net->variables[i];
            if (v->domain > 0 && v->unchecked && !(solver->skip & GT_CFN_SKIP_DOMINANCE)) {
                v->unchecked = false;
                gt_i_remove_dominated(net, i);
                prune_and_enqueue(net, i);
                again = again || v->queued;
            }
        }
    }
done:
    return status;
}
