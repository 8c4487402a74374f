/* SPDX-License-Identifier: Apache-2.0 */
/* Solving a network in parts: its components, and the leaves of its block tree. */
#include "src/solve/igraph_order.h"
#include "src/solve/record.h"
#include "src/solve/split.h"

#include <string.h>

void gt_i_take_values(int32_t *to, const gt_i_wcsp *net, const uint8_t *selected, const int32_t *from)
{
    for (int32_t i = 0; i < net->variable_count; i++) {
        const gt_i_variable *v = &net->variables[i];
        if (selected[i] && v->domain > 0) {
            to[v->origin] = from[v->origin];
        }
    }
}

/* --- components --------------------------------------------------------------------------------- */

/* Marks the variables connected with `from` in selected[]; returns how many. */
static int32_t mark_component(const gt_i_wcsp *net, uint8_t *selected, int32_t *stack, int32_t from)
{
    int32_t height = 0, count = 0;
    selected[from] = 1;
    stack[height++] = from;
    while (height > 0) {
        int32_t i = stack[--height];
        const gt_i_variable *v = &net->variables[i];
        count++;
        for (int32_t k = 0; k < v->degree; k++) {
            int32_t j = gt_i_other_end(&net->edges[v->edges[k]], i);
            if (!selected[j]) {
                selected[j] = 1;
                stack[height++] = j;
            }
        }
    }
    return count;
}

static int32_t first_live(const gt_i_wcsp *net, const uint8_t *done)
{
    for (int32_t i = 0; i < net->variable_count; i++) {
        if (net->variables[i].domain > 0 && (done == NULL || !done[i])) {
            return i;
        }
    }
    return -1;
}

gt_status gt_i_is_connected(const gt_i_wcsp *net, bool *connected)
{
    gt_status status = GT_OK;
    uint8_t *marks = NULL;
    int32_t *stack = NULL;
    GT_TRY(gt_calloc(&marks, (size_t)net->variable_count, sizeof *marks));
    GT_TRY(gt_calloc(&stack, (size_t)net->variable_count, sizeof *stack));
    *connected = mark_component(net, marks, stack, first_live(net, NULL)) == net->live_count;
done:
    gt_free(marks);
    gt_free(stack);
    return status;
}

typedef struct parts {
    uint8_t *done;     /* variables of components already solved */
    uint8_t *selected; /* of the one being solved */
    int32_t *stack;
    int32_t *values;   /* by origin */
    int64_t cost;      /* of values so far, base included */
    int64_t lower;     /* bound on the whole so far */
    bool complete;     /* all of them have an assignment */
    bool closed;       /* all of them are solved */
} parts;

static gt_status parts_init(gt_i_solver *solver, gt_i_wcsp *net, parts *p)
{
    gt_status status = GT_OK;
    *p = (parts){.cost = net->base, .lower = net->base, .complete = true, .closed = true};
    GT_TRY(gt_i_arena_take(&net->arena, &p->done, net->variable_count, sizeof *p->done));
    GT_TRY(gt_i_arena_take(&net->arena, &p->selected, net->variable_count, sizeof *p->selected));
    GT_TRY(gt_i_arena_take(&net->arena, &p->stack, net->variable_count, sizeof *p->stack));
    GT_TRY(gt_i_arena_take(&net->arena, &p->values, solver->origins, sizeof *p->values));
    memset(p->done, 0, (size_t)net->variable_count);
    memset(p->selected, 0, (size_t)net->variable_count);
done:
    return status;
}

static gt_status solve_part(gt_i_solver *solver, gt_i_wcsp *net, parts *p)
{
    gt_status status = GT_OK;
    gt_i_wcsp child = {0};
    int64_t lower = 0;
    GT_TRY(gt_i_wcsp_extract(&child, &solver->copies, net, p->selected, solver->origins, -1, 0));
    child.bound = net->bound - p->lower;
    GT_TRY(gt_i_search(solver, &child, &lower));
    if (child.found) {
        p->cost = gt_i_add(p->cost, child.best_cost);
        gt_i_take_values(p->values, net, p->selected, child.best);
    }
done:
    gt_i_solver_out_of_memory(solver, &status);
    p->lower += lower;
    p->closed = p->closed && child.closed;
    p->complete = p->complete && child.found;
    gt_i_wcsp_destroy(&child);
    return status;
}

gt_status gt_i_solve_components(gt_i_solver *solver, gt_i_wcsp *net, int64_t *lower_bound)
{
    gt_status status = GT_OK;
    parts p;
    GT_TRY(parts_init(solver, net, &p));
    for (int32_t from; p.lower < net->bound && (from = first_live(net, p.done)) >= 0;) {
        memset(p.selected, 0, (size_t)net->variable_count);
        mark_component(net, p.selected, p.stack, from);
        for (int32_t i = 0; i < net->variable_count; i++) {
            p.done[i] |= p.selected[i];
        }
        GT_TRY(solve_part(solver, net, &p));
    }
    bool all = first_live(net, p.done) < 0;
    if (all && p.complete && p.cost < net->bound) {
        memcpy(net->best, p.values, (size_t)solver->origins * sizeof *p.values);
        gt_i_wcsp_accept(net, p.cost);
    }
    net->closed = p.lower >= net->bound || (all && p.closed);
    *lower_bound = p.lower;
done:
    return status;
}

/* --- articulation points -------------------------------------------------------------------------- */

typedef struct leaf {
    int32_t cut;
    uint8_t *inner;
    gt_i_record *record;
} leaf;

static gt_status find_leaf(gt_i_wcsp *net, leaf *found)
{
    gt_status status = GT_OK;
    int32_t *ends = NULL, count = 0;
    *found = (leaf){.cut = -1};
    GT_TRY(gt_i_arena_take(&net->arena, &found->inner, net->variable_count, sizeof *found->inner));
    GT_TRY(gt_calloc(&ends, (size_t)net->edge_count * 2, sizeof *ends));
    for (int32_t k = 0; k < net->edge_count; k++) {
        if (net->edges[k].table != NULL) {
            ends[2 * count] = net->edges[k].a;
            ends[2 * count + 1] = net->edges[k].b;
            count++;
        }
    }
    GT_TRY(gt_i_leaf_block(&found->cut, found->inner, ends, net->variable_count, count));
done:
    gt_free(ends);
    return status;
}

/* Makes the record that says, for each value of the cut variable, how the leaf is valued. */
static gt_status begin_leaf(gt_i_wcsp *net, leaf *l)
{
    gt_status status = GT_OK;
    gt_i_record *r = NULL;
    int32_t count = 0;
    GT_TRY(gt_i_record_add(net, &r, l->cut));
    GT_TRY(gt_i_arena_take(&net->arena, &r->inner_origins, net->variable_count, sizeof *r->inner_origins));
    for (int32_t i = 0; i < net->variable_count; i++) {
        if (l->inner[i]) {
            r->inner_origins[count++] = net->variables[i].origin;
        }
    }
    r->inner_count = count;
    GT_TRY(gt_i_arena_take(&net->arena, &r->inner_values, (int64_t)count * r->domain, sizeof *r->inner_values));
    memset(r->inner_values, 0, (size_t)count * (size_t)r->domain * sizeof *r->inner_values);
    l->record = r;
done:
    return status;
}

/* Cost of the leaf when the cut variable has local value x; GT_I_FORBIDDEN if that cannot be below the
 * bound. *closed is false when a budget ran out. */
static gt_status solve_leaf(gt_i_solver *solver, gt_i_wcsp *net, leaf *l, int32_t x, int64_t *cost,
                            bool *closed)
{
    gt_status status = GT_OK;
    gt_i_wcsp child = {0};
    int64_t lower = 0;
    *closed = false;
    GT_TRY(gt_i_wcsp_extract(&child, &solver->copies, net, l->inner, solver->origins, l->cut, x));
    child.bound = net->bound - net->base - net->variables[l->cut].unary[x];
    GT_TRY(gt_i_search(solver, &child, &lower));
    *closed = child.closed;
    *cost = child.found ? child.best_cost : GT_I_FORBIDDEN;
    for (int32_t k = 0; child.found && k < l->record->inner_count; k++) {
        l->record->inner_values[(int64_t)x * l->record->inner_count + k] =
            child.best[l->record->inner_origins[k]];
    }
done:
    gt_i_solver_out_of_memory(solver, &status);
    gt_i_wcsp_destroy(&child);
    return status;
}

static void remove_leaf(gt_i_wcsp *net, const leaf *l)
{
    for (int32_t i = 0; i < net->variable_count; i++) {
        gt_i_variable *v = &net->variables[i];
        if (l->inner[i]) {
            while (v->degree > 0) {
                gt_i_wcsp_remove_edge(net, &net->edges[v->edges[v->degree - 1]]);
            }
            gt_i_wcsp_remove_variable(net, i);
        }
    }
}

gt_status gt_i_reduce_leaf(gt_i_solver *solver, gt_i_wcsp *net, bool *reduced)
{
    gt_status status = GT_OK;
    int64_t *costs = NULL;
    leaf l;
    *reduced = false;
    GT_TRY(find_leaf(net, &l));
    if (l.cut < 0) {
        goto done;
    }
    gt_i_record *before = net->records;
    gt_i_variable *cut = &net->variables[l.cut];
    GT_TRY(gt_calloc(&costs, (size_t)cut->domain, sizeof *costs));
    GT_TRY(begin_leaf(net, &l));
    for (int32_t x = 0; x < cut->domain; x++) {
        bool closed = false;
        GT_TRY(solve_leaf(solver, net, &l, x, &costs[x], &closed));
        if (!closed) {
            net->records = before; /* the leaf stays */
            goto done;
        }
    }
    remove_leaf(net, &l);
    for (int32_t x = 0; x < cut->domain; x++) {
        cut->unary[x] = gt_i_add(cut->unary[x], costs[x]);
    }
    gt_i_wcsp_prune(net, l.cut);
    *reduced = true;
done:
    gt_free(costs);
    return status;
}
