/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/wcsp.h"

#include "src/solve/edge.h"
#include "src/solve/record.h"

#include <string.h>

gt_status gt_i_wcsp_begin(gt_i_wcsp *net, gt_i_account *account, int32_t variables, int32_t edges, int32_t origins)
{
    gt_status status = GT_OK;
    *net = (gt_i_wcsp){.arena.account = account, .unit = 1, .bound = GT_I_COST_LIMIT, .blamed = -1};
    GT_TRY(gt_i_arena_take(&net->arena, &net->variables, variables, sizeof *net->variables));
    GT_TRY(gt_i_arena_take(&net->arena, &net->edges, edges, sizeof *net->edges));
    GT_TRY(gt_i_arena_take(&net->arena, &net->best, origins, sizeof *net->best));
done:
    return status;
}

gt_status gt_i_wcsp_place_variable(gt_i_wcsp *net, int32_t origin, int32_t domain)
{
    gt_status status = GT_OK;
    gt_i_variable *v = &net->variables[net->variable_count];
    *v = (gt_i_variable){.origin = origin, .domain = domain, .unchecked = true};
    GT_TRY(gt_i_arena_take(&net->arena, &v->values, domain, sizeof *v->values));
    GT_TRY(gt_i_arena_take(&net->arena, &v->unary, domain, sizeof *v->unary));
    for (int32_t x = 0; x < domain; x++) {
        v->values[x] = x;
        v->unary[x] = 0;
    }
    net->variable_count++;
    net->live_count++;
done:
    return status;
}

gt_status gt_i_wcsp_place_edge(gt_i_wcsp *net, int32_t a, int32_t b, int32_t rows, int32_t columns)
{
    gt_status status = GT_OK;
    gt_i_edge *e = &net->edges[net->edge_count];
    gt_i_variable *va = &net->variables[a], *vb = &net->variables[b];
    *e = (gt_i_edge){.a = a, .b = b, .rows = rows, .columns = columns, .changed = true};
    GT_TRY(gt_i_arena_take(&net->arena, &e->table, (int64_t)rows * columns, sizeof *e->table));
    GT_TRY(gt_i_arena_take(&net->arena, &e->class_a, (int64_t)va->domain + vb->domain, sizeof *e->class_a));
    e->class_b = e->class_a + va->domain;
    va->degree++;
    vb->degree++;
    net->edge_count++;
done:
    return status;
}

gt_status gt_i_wcsp_link(gt_i_wcsp *net)
{
    gt_status status = GT_OK;
    for (int32_t i = 0; i < net->variable_count; i++) {
        gt_i_variable *v = &net->variables[i];
        GT_TRY(gt_i_arena_take(&net->arena, &v->edges, v->degree, sizeof *v->edges));
        v->degree = 0;
    }
    for (int32_t k = 0; k < net->edge_count; k++) {
        gt_i_variable *va = &net->variables[net->edges[k].a], *vb = &net->variables[net->edges[k].b];
        va->edges[va->degree++] = k;
        vb->edges[vb->degree++] = k;
    }
done:
    return status;
}

void gt_i_wcsp_destroy(gt_i_wcsp *net)
{
    gt_i_arena_destroy(&net->arena);
    *net = (gt_i_wcsp){0};
}

static gt_status copy_edge(gt_i_wcsp *child, const gt_i_wcsp *net, const gt_i_edge *from, int32_t a, int32_t b)
{
    gt_status status = GT_OK;
    size_t domain_a = (size_t)net->variables[from->a].domain, domain_b = (size_t)net->variables[from->b].domain;
    GT_TRY(gt_i_wcsp_place_edge(child, a, b, from->rows, from->columns));
    gt_i_edge *to = &child->edges[child->edge_count - 1];
    memcpy(to->table, from->table, (size_t)from->rows * (size_t)from->columns * sizeof *to->table);
    memcpy(to->class_a, from->class_a, domain_a * sizeof *to->class_a);
    memcpy(to->class_b, from->class_b, domain_b * sizeof *to->class_b);
    to->changed = from->changed;
    if (from->message_a != NULL && from->changed) {
        GT_TRY(gt_i_edge_open_messages(child, to));
        memcpy(to->message_a, from->message_a, domain_a * sizeof *to->message_a);
        memcpy(to->message_b, from->message_b, domain_b * sizeof *to->message_b);
    }
done:
    return status;
}

static void condition(gt_i_wcsp *child, const int32_t *index, const gt_i_wcsp *net, int32_t fixed,
                      int32_t value)
{
    const gt_i_variable *v = &net->variables[fixed];
    for (int32_t k = 0; k < v->degree; k++) {
        const gt_i_edge *e = &net->edges[v->edges[k]];
        int32_t other = index[gt_i_other_end(e, fixed)];
        if (other < 0) {
            continue;
        }
        gt_i_variable *u = &child->variables[other];
        for (int32_t y = 0; y < u->domain; y++) {
            int64_t cost = e->a == fixed ? gt_i_edge_cost(e, value, y) : gt_i_edge_cost(e, y, value);
            u->unary[y] = gt_i_add(u->unary[y], cost);
        }
    }
}

gt_status gt_i_wcsp_extract(gt_i_wcsp *child, gt_i_account *account, const gt_i_wcsp *net, const uint8_t *selected,
                            int32_t origins, int32_t fixed, int32_t value)
{
    gt_status status = GT_OK;
    int32_t *index = NULL; /* of each variable of net in child, or -1 */
    GT_TRY(gt_i_wcsp_begin(child, account, net->variable_count, net->edge_count, origins));
    GT_TRY(gt_i_arena_take(&child->arena, &index, net->variable_count, sizeof *index));
    child->unit = net->unit;
    for (int32_t i = 0; i < net->variable_count; i++) {
        const gt_i_variable *v = &net->variables[i];
        index[i] = -1;
        if (selected[i] && v->domain > 0 && i != fixed) {
            index[i] = child->variable_count;
            GT_TRY(gt_i_wcsp_place_variable(child, v->origin, v->domain));
            gt_i_variable *u = &child->variables[index[i]];
            memcpy(u->values, v->values, (size_t)v->domain * sizeof *v->values);
            memcpy(u->unary, v->unary, (size_t)v->domain * sizeof *v->unary);
        }
    }
    for (int32_t k = 0; k < net->edge_count; k++) {
        const gt_i_edge *e = &net->edges[k];
        if (e->table != NULL && index[e->a] >= 0 && index[e->b] >= 0) {
            GT_TRY(copy_edge(child, net, e, index[e->a], index[e->b]));
        }
    }
    GT_TRY(gt_i_wcsp_link(child));
    if (fixed >= 0) {
        condition(child, index, net, fixed, value);
    }
done:
    return status;
}

gt_i_edge *gt_i_wcsp_find_edge(gt_i_wcsp *net, int32_t a, int32_t b)
{
    const gt_i_variable *v = &net->variables[a];
    for (int32_t k = 0; k < v->degree; k++) {
        gt_i_edge *e = &net->edges[v->edges[k]];
        if (gt_i_other_end(e, a) == b) {
            return e;
        }
    }
    return NULL;
}

static void squeeze(gt_i_wcsp *net, int32_t variable, int32_t kept)
{
    gt_i_variable *v = &net->variables[variable];
    v->unchecked = true;
    for (int32_t k = 0; k < v->degree; k++) {
        gt_i_edge *e = &net->edges[v->edges[k]];
        gt_i_edge_drop_values(net, e, variable, kept);
        net->variables[gt_i_other_end(e, variable)].unchecked = true;
    }
    for (int32_t x = 0, next = 0; next < kept; x++) {
        if (!gt_i_forbidden(v->unary[x])) {
            v->values[next] = v->values[x];
            v->unary[next++] = v->unary[x];
        }
    }
    net->removals += v->domain - kept;
    v->domain = kept;
}

int32_t gt_i_wcsp_prune(gt_i_wcsp *net, int32_t variable)
{
    gt_i_variable *v = &net->variables[variable];
    int64_t least = GT_I_FORBIDDEN;
    for (int32_t x = 0; x < v->domain; x++) {
        least = v->unary[x] < least ? v->unary[x] : least;
    }
    if (gt_i_forbidden(least) || net->base + least >= net->bound) {
        net->closed = true;
        net->blamed = gt_i_forbidden(least) ? v->origin : -1;
        return v->domain;
    }
    net->base += least;
    int32_t kept = 0, before = v->domain;
    for (int32_t x = 0; x < before; x++) {
        v->unary[x] -= least;
        if (net->base + v->unary[x] >= net->bound) {
            v->unary[x] = GT_I_FORBIDDEN;
        } else {
            kept++;
        }
    }
    if (kept < before) {
        squeeze(net, variable, kept);
    }
    return before - kept;
}

static void unlink_edge(gt_i_variable *v, int32_t index)
{
    v->unchecked = true;
    int32_t next = 0;
    for (int32_t k = 0; k < v->degree; k++) {
        if (v->edges[k] != index) {
            v->edges[next++] = v->edges[k];
        }
    }
    v->degree = next;
}

void gt_i_wcsp_remove_edge(gt_i_wcsp *net, gt_i_edge *edge)
{
    int32_t index = (int32_t)(edge - net->edges);
    unlink_edge(&net->variables[edge->a], index);
    unlink_edge(&net->variables[edge->b], index);
    edge->table = NULL;
    net->removals++;
}

void gt_i_wcsp_remove_variable(gt_i_wcsp *net, int32_t variable)
{
    net->variables[variable].domain = 0;
    net->live_count--;
    net->removals++;
}

int64_t gt_i_wcsp_entries(const gt_i_wcsp *net)
{
    int64_t entries = 0;
    for (int32_t k = 0; k < net->edge_count; k++) {
        const gt_i_edge *e = &net->edges[k];
        entries += e->table != NULL ? (int64_t)e->rows * e->columns : 0;
    }
    return entries;
}

int64_t gt_i_wcsp_evaluate(const gt_i_wcsp *net, const int32_t *choice)
{
    int64_t cost = net->base;
    for (int32_t i = 0; i < net->variable_count; i++) {
        if (net->variables[i].domain > 0) {
            cost = gt_i_add(cost, net->variables[i].unary[choice[i]]);
        }
    }
    for (int32_t k = 0; k < net->edge_count; k++) {
        const gt_i_edge *e = &net->edges[k];
        if (e->table != NULL) {
            cost = gt_i_add(cost, gt_i_edge_cost(e, choice[e->a], choice[e->b]));
        }
    }
    return cost;
}

void gt_i_wcsp_accept(gt_i_wcsp *net, int64_t cost)
{
    gt_i_records_apply(net->records, net->best);
    net->found = true;
    net->best_cost = cost;
    net->bound = cost - (net->unit - 1);
}
