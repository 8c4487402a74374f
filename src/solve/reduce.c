/* SPDX-License-Identifier: Apache-2.0 */
/* Local steps that shrink a network without changing its optimum. */
#include "src/solve/edge.h"
#include "src/solve/fold.h"
#include "src/solve/solver.h"

#include <string.h>

/* A degree-2 elimination with more work than this waits until bounds have shrunk the domains. */
#define GT_I_MAX_FOLD_WORK ((int64_t)1 << 24)

static void enqueue_neighbours(gt_i_wcsp *net, int32_t variable)
{
    const gt_i_variable *v = &net->variables[variable];
    for (int32_t k = 0; k < v->degree; k++) {
        net->variables[gt_i_other_end(&net->edges[v->edges[k]], variable)].queued = true;
    }
}

/* Brings the edges of a variable into normal form; one that then costs nothing goes: it was a sum of two unary
 * functions. */
static void normalise_edges(gt_i_solver *solver, gt_i_wcsp *net, int32_t variable)
{
    gt_i_variable *v = &net->variables[variable];
    for (int32_t k = v->degree - 1; k >= 0; k--) {
        gt_i_edge *e = &net->edges[v->edges[k]];
        gt_i_variable *other = &net->variables[gt_i_other_end(e, variable)];
        solver->work_left -= e->changed ? (int64_t)e->rows * e->columns : 0;
        bool lost_value = gt_i_edge_normalise(net, e), zero = gt_i_edge_is_zero(e);
        other->queued = other->queued || lost_value || zero;
        if (zero) {
            gt_i_wcsp_remove_edge(net, e);
        }
    }
}

/* The neighbour's part of an edge whose other end has a single value, or of a record. */
static void add_to_neighbour(gt_i_variable *neighbour, const uint16_t *class_of, const int64_t *least)
{
    for (int32_t y = 0; y < neighbour->domain; y++) {
        neighbour->unary[y] = gt_i_add(neighbour->unary[y], least[class_of[y]]);
    }
}

/* Adds to a neighbour's unary costs what the recorded variable costs at best for each of its values. */
static void fold_into_one(gt_i_variable *neighbour, const gt_i_record *r)
{
    const gt_i_neighbour *n = &r->neighbours[0];
    int64_t own[GT_CFN_MAX_DOMAIN], least[GT_CFN_MAX_DOMAIN];
    for (int32_t i = 0; i < n->own_classes; i++) {
        own[i] = GT_I_FORBIDDEN;
    }
    for (int32_t x = 0; x < r->domain; x++) {
        int64_t *o = &own[n->own_class[x]];
        *o = r->unary[x] < *o ? r->unary[x] : *o;
    }
    for (int32_t j = 0; j < n->classes; j++) {
        least[j] = GT_I_FORBIDDEN;
        for (int32_t i = 0; i < n->own_classes; i++) {
            int64_t cost = own[i] + n->table[i * n->classes + j];
            least[j] = cost < least[j] ? cost : least[j];
        }
    }
    add_to_neighbour(neighbour, n->class_of, least);
}

/* The record's function of its two neighbours, as the edge between them. Neighbours in ascending order. */
static gt_status fold_into_two(gt_i_solver *solver, gt_i_wcsp *net, gt_i_class_table *made, const gt_i_record *r)
{
    gt_status status = GT_OK;
    const gt_i_neighbour *first = &r->neighbours[0], *second = &r->neighbours[1];
    int64_t *table = NULL, *joint = NULL;
    GT_TRY(gt_i_arena_take(&net->arena, &table, (int64_t)first->classes * second->classes, sizeof *table));
    GT_TRY(gt_i_scratch(solver, &joint, (int64_t)second->own_classes * ((int64_t)first->own_classes + first->classes)));
    gt_i_fold_values(joint, r);
    gt_i_fold_classes(table, joint + (int64_t)first->own_classes * second->own_classes, joint, r);
    *made = (gt_i_class_table){.rows = first->classes, .columns = second->classes, .row_of = first->class_of,
                               .column_of = second->class_of, .table = table};
done:
    return status;
}

/* Makes `spare`, an edge just removed, the edge between a < b. Its classes are copied: the record keeps its own. */
static gt_status replace_edge(gt_i_wcsp *net, gt_i_edge *spare, int32_t a, int32_t b, const gt_i_class_table *made)
{
    gt_status status = GT_OK;
    gt_i_variable *va = &net->variables[a], *vb = &net->variables[b];
    gt_i_edge e = {.a = a, .b = b, .rows = made->rows, .columns = made->columns, .changed = true};
    GT_TRY(gt_i_arena_take(&net->arena, &e.class_a, (int64_t)va->domain + vb->domain, sizeof *e.class_a));
    e.class_b = e.class_a + va->domain;
    memcpy(e.class_a, made->row_of, (size_t)va->domain * sizeof *e.class_a);
    memcpy(e.class_b, made->column_of, (size_t)vb->domain * sizeof *e.class_b);
    e.table = (int64_t *)(uintptr_t)made->table;
    *spare = e;
    va->edges[va->degree++] = (int32_t)(spare - net->edges);
    vb->edges[vb->degree++] = (int32_t)(spare - net->edges);
done:
    return status;
}

static gt_status add_table(gt_i_wcsp *net, gt_i_edge *spare, int32_t a, int32_t b, const gt_i_class_table *made)
{
    gt_i_edge *e = gt_i_wcsp_find_edge(net, a, b);
    if (e == NULL) {
        return replace_edge(net, spare, a, b, made);
    }
    gt_i_edge_normalise(net, e); /* so that sums stay far from what means forbidden */
    return gt_i_edge_add(net, e, made);
}

/* An edge in normal form whose one end has a single value has nothing left: all of it is in unary costs. */
static gt_status remove_single_value(gt_i_wcsp *net, int32_t variable)
{
    gt_status status = GT_OK;
    gt_i_variable *v = &net->variables[variable];
    gt_i_record *record = NULL;
    GT_TRY(gt_i_record_add(net, &record, variable));
    enqueue_neighbours(net, variable);
    while (v->degree > 0) {
        gt_i_edge *e = &net->edges[v->edges[v->degree - 1]];
        gt_i_edge_normalise(net, e);
        gt_i_wcsp_remove_edge(net, e);
    }
    gt_i_wcsp_prune(net, variable); /* what its only value costs, to base */
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
        GT_TRY(gt_i_record_add_neighbour(net, record, variable, edges[k]));
    }
    enqueue_neighbours(net, variable);
    for (int32_t k = 0; k < degree; k++) {
        gt_i_wcsp_remove_edge(net, edges[k]);
    }
    if (degree == 1) {
        fold_into_one(&net->variables[others[0]], record);
    } else if (degree == 2) {
        gt_i_class_table made = {0};
        GT_TRY(fold_into_two(solver, net, &made, record));
        GT_TRY(add_table(net, edges[0], others[0], others[1], &made));
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
    if (v->degree > 2 || (v->degree > 0 && (solver->skip & GT_CFN_SKIP_REDUCTION))) {
        return false;
    }
    if (v->degree < 2) {
        return true;
    }
    int64_t own[2], other[2];
    for (int32_t k = 0; k < 2; k++) {
        const gt_i_edge *e = &net->edges[v->edges[k]];
        own[k] = e->a == variable ? e->rows : e->columns;
        other[k] = e->a == variable ? e->columns : e->rows;
    }
    int64_t work = other[0] * own[1] * (own[0] + other[1]);
    return work <= GT_I_MAX_FOLD_WORK && other[0] * other[1] * (int64_t)sizeof(int64_t) <= solver->memory_budget_bytes;
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
    normalise_edges(solver, net, variable);
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
