/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/order_sparse.h"

#include <string.h>

/* Elements of neighbour lists written before an order is given up: some seconds of work. */
#define GT_I_LIST_WORK ((int64_t)1 << 28)

static void enlist(gt_i_sparse *g, int32_t i)
{
    int32_t first = g->head[g->degree[i]];
    g->next[i] = first;
    g->previous[i] = -1;
    if (first >= 0) {
        g->previous[first] = i;
    }
    g->head[g->degree[i]] = i;
}

static void delist(gt_i_sparse *g, int32_t i)
{
    if (g->previous[i] >= 0) {
        g->next[g->previous[i]] = g->next[i];
    } else {
        g->head[g->degree[i]] = g->next[i];
    }
    if (g->next[i] >= 0) {
        g->previous[g->next[i]] = g->previous[i];
    }
}

static void sort_list(int32_t *list, int32_t count)
{
    for (int32_t k = 1; k < count; k++) {
        int32_t value = list[k], at = k;
        for (; at > 0 && list[at - 1] > value; at--) {
            list[at] = list[at - 1];
        }
        list[at] = value;
    }
}

static gt_status allocate(gt_i_sparse *g, gt_i_arena *arena)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_arena_take(arena, &g->neighbours, g->count, sizeof *g->neighbours));
    GT_TRY(gt_i_arena_take(arena, &g->degree, g->count, sizeof *g->degree));
    GT_TRY(gt_i_arena_take(arena, &g->capacity, g->count, sizeof *g->capacity));
    GT_TRY(gt_i_arena_take(arena, &g->head, (int64_t)g->count + 1, sizeof *g->head));
    GT_TRY(gt_i_arena_take(arena, &g->next, g->count, sizeof *g->next));
    GT_TRY(gt_i_arena_take(arena, &g->previous, g->count, sizeof *g->previous));
    GT_TRY(gt_i_arena_take(arena, &g->merged, g->count, sizeof *g->merged));
done:
    return status;
}

gt_status gt_i_sparse_build(gt_i_sparse *graph, gt_i_arena *arena, const gt_i_wcsp *net)
{
    gt_status status = GT_OK;
    *graph = (gt_i_sparse){.count = net->variable_count, .net = net, .work_left = GT_I_LIST_WORK};
    GT_TRY(allocate(graph, arena));
    for (int32_t d = 0; d <= graph->count; d++) {
        graph->head[d] = -1;
    }
    /* the last enlisted is the first taken: lowest indices first */
    for (int32_t i = graph->count - 1; i >= 0; i--) {
        const gt_i_variable *v = &net->variables[i];
        graph->neighbours[i] = NULL;
        if (v->domain == 0) {
            continue;
        }
        graph->degree[i] = v->degree;
        graph->capacity[i] = v->degree + 2;
        GT_TRY(gt_i_arena_take(arena, &graph->neighbours[i], graph->capacity[i], sizeof **graph->neighbours));
        for (int32_t k = 0; k < v->degree; k++) {
            graph->neighbours[i][k] = gt_i_other_end(&net->edges[v->edges[k]], i);
        }
        sort_list(graph->neighbours[i], v->degree);
        enlist(graph, i);
    }
done:
    return status;
}

/* The neighbours of j become their union with those of i, without i and j. */
static gt_status join(gt_i_sparse *g, gt_i_arena *arena, int32_t j, int32_t i)
{
    gt_status status = GT_OK;
    const int32_t *mine = g->neighbours[j], *more = g->neighbours[i];
    int32_t count = 0, m = 0, n = 0;
    while (m < g->degree[j] || n < g->degree[i]) {
        bool from_mine = n == g->degree[i] || (m < g->degree[j] && mine[m] <= more[n]);
        int32_t next = from_mine ? mine[m] : more[n];
        n += n < g->degree[i] && more[n] == next;
        m += from_mine;
        if (next != i && next != j) {
            g->merged[count++] = next;
        }
    }
    if (count > g->capacity[j]) {
        g->capacity[j] = 2 * count;
        GT_TRY(gt_i_arena_take(arena, &g->neighbours[j], g->capacity[j], sizeof **g->neighbours));
    }
    memcpy(g->neighbours[j], g->merged, (size_t)count * sizeof **g->neighbours);
    delist(g, j);
    g->degree[j] = count;
    enlist(g, j);
    g->work_left -= count;
done:
    return status;
}

static void note(gt_i_order *order, const gt_i_sparse *g, int32_t i)
{
    double entries = 1;
    for (int32_t k = 0; k < g->degree[i]; k++) {
        entries *= g->net->variables[g->neighbours[i][k]].domain;
    }
    order->width = g->degree[i] > order->width ? g->degree[i] : order->width;
    order->entries += entries;
    order->work += entries * g->net->variables[i].domain * (g->degree[i] + 1);
}

gt_status gt_i_sparse_eliminate(gt_i_sparse *graph, gt_i_arena *arena, gt_i_order *order, int32_t *eliminated,
                                int32_t max_degree)
{
    gt_status status = GT_OK;
    int32_t least = 0;
    while (*eliminated < graph->net->live_count && graph->work_left > 0) {
        while (graph->head[least] < 0) {
            least++;
        }
        if (least > max_degree) {
            break;
        }
        int32_t i = graph->head[least];
        note(order, graph, i);
        delist(graph, i);
        for (int32_t k = 0; k < graph->degree[i]; k++) {
            GT_TRY(join(graph, arena, graph->neighbours[i][k], i));
        }
        graph->neighbours[i] = NULL;
        order->variables[(*eliminated)++] = i;
        least = least > 0 ? least - 1 : 0;
    }
done:
    return status;
}
