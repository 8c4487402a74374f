/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/order_dense.h"

#include <string.h>

static uint64_t *row(const gt_i_dense *g, int32_t i)
{
    return g->rows + (int64_t)i * g->words;
}

static gt_status allocate(gt_i_dense *g, gt_i_arena *arena, uint64_t **start)
{
    gt_status status = GT_OK;
    int64_t size = (int64_t)g->count * g->words;
    GT_TRY(gt_i_arena_take(arena, start, size, sizeof **start));
    GT_TRY(gt_i_arena_take(arena, &g->rows, size, sizeof *g->rows));
    GT_TRY(gt_i_arena_take(arena, &g->variables, g->count, sizeof *g->variables));
    GT_TRY(gt_i_arena_take(arena, &g->domain, g->count, sizeof *g->domain));
    GT_TRY(gt_i_arena_take(arena, &g->fill, g->count, sizeof *g->fill));
    GT_TRY(gt_i_arena_take(arena, &g->table, g->count, sizeof *g->table));
    GT_TRY(gt_i_arena_take(arena, &g->stale, g->count, sizeof *g->stale));
    memset(*start, 0, (size_t)size * sizeof **start);
    g->start = *start;
done:
    return status;
}

gt_status gt_i_dense_build(gt_i_dense *graph, gt_i_arena *arena, const gt_i_sparse *sparse, int32_t count)
{
    gt_status status = GT_OK;
    uint64_t *start = NULL;
    int32_t *vertex = NULL;
    *graph = (gt_i_dense){.count = count, .words = (count + 63) / 64};
    GT_TRY(allocate(graph, arena, &start));
    GT_TRY(gt_i_arena_take(arena, &vertex, sparse->count, sizeof *vertex));
    int32_t next = 0;
    for (int32_t i = 0; i < sparse->count; i++) {
        if (sparse->neighbours[i] != NULL) {
            graph->variables[next] = i;
            graph->domain[next] = sparse->net->variables[i].domain;
            vertex[i] = next++;
        }
    }
    for (int32_t k = 0; k < count; k++) {
        int32_t i = graph->variables[k];
        for (int32_t n = 0; n < sparse->degree[i]; n++) {
            int32_t other = vertex[sparse->neighbours[i][n]];
            start[(int64_t)k * graph->words + other / 64] |= (uint64_t)1 << other % 64;
        }
    }
done:
    return status;
}

/* for each neighbour index of i in turn; `body` sees it as j */
#define FOR_NEIGHBOURS(g, i, j, body)                                                        \
    for (int32_t word_ = 0; word_ < (g)->words; word_++) {                                   \
        for (uint64_t bits_ = row(g, i)[word_]; bits_ != 0; bits_ &= bits_ - 1) {            \
            int32_t j = word_ * 64 + __builtin_ctzll(bits_);                                 \
            body                                                                             \
        }                                                                                    \
    }

void gt_i_dense_edges(const gt_i_dense *graph, int32_t *ends, int32_t *edges)
{
    int32_t count = 0;
    for (int32_t i = 0; i < graph->count; i++) {
        for (int32_t j = i + 1; j < graph->count; j++) {
            if ((graph->start[(int64_t)i * graph->words + j / 64] >> j % 64 & 1) == 0) {
                continue;
            }
            if (ends != NULL) {
                ends[2 * count] = i;
                ends[2 * count + 1] = j;
            }
            count++;
        }
    }
    *edges = count;
}

/* Bits without a popcount instruction: most machines this is built for have none in their base instruction set. */
static int32_t count_bits(uint64_t w)
{
    w -= w >> 1 & UINT64_C(0x5555555555555555);
    w = (w & UINT64_C(0x3333333333333333)) + (w >> 2 & UINT64_C(0x3333333333333333));
    w = (w + (w >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int32_t)(w * UINT64_C(0x0101010101010101) >> 56);
}

static int32_t degree(const gt_i_dense *g, int32_t i)
{
    int32_t count = 0;
    for (int32_t w = 0; w < g->words; w++) {
        count += count_bits(row(g, i)[w]);
    }
    return count;
}

static int64_t missing_pairs(const gt_i_dense *g, int32_t i)
{
    int64_t missing = 0;
    const uint64_t *mine = row(g, i);
    FOR_NEIGHBOURS(g, i, j, {
        const uint64_t *theirs = row(g, j);
        for (int32_t w = 0; w < g->words; w++) {
            uint64_t left = mine[w] & ~theirs[w];
            missing += left != 0 ? count_bits(left) : 0;
        }
        missing--; /* j itself */
    })
    return missing / 2;
}

static void refresh(gt_i_dense *g, int32_t i, gt_i_rule rule)
{
    double table = g->domain[i];
    FOR_NEIGHBOURS(g, i, j, { table *= g->domain[j]; })
    g->table[i] = table;
    g->fill[i] = rule == GT_I_MIN_FILL ? missing_pairs(g, i) : degree(g, i);
    g->stale[i] = false;
}

static int32_t pick(gt_i_dense *g, gt_i_rule rule)
{
    int32_t best = -1;
    for (int32_t i = 0; i < g->count; i++) {
        if (g->fill[i] < 0) {
            continue;
        }
        if (g->stale[i]) {
            refresh(g, i, rule);
        }
        if (best < 0 || g->fill[i] < g->fill[best] || (g->fill[i] == g->fill[best] && g->table[i] < g->table[best])) {
            best = i;
        }
    }
    return best;
}

/* Whoever sees two of i's neighbours that were not joined has one pair less to join. */
static void mark_onlookers(gt_i_dense *g, int32_t i)
{
    FOR_NEIGHBOURS(g, i, j, {
        const uint64_t *theirs = row(g, j);
        for (int32_t w = 0; w < g->words; w++) {
            for (uint64_t bits = theirs[w]; bits != 0; bits &= bits - 1) {
                g->stale[w * 64 + __builtin_ctzll(bits)] = true;
            }
        }
    })
}

/* Joins the neighbours of i and takes i out. */
static void eliminate(gt_i_dense *g, int32_t i, gt_i_rule rule)
{
    bool joins = rule == GT_I_MIN_FILL && g->fill[i] > 0;
    const uint64_t *mine = row(g, i);
    FOR_NEIGHBOURS(g, i, j, {
        uint64_t *theirs = row(g, j);
        for (int32_t w = 0; w < g->words; w++) {
            theirs[w] |= mine[w];
        }
        theirs[j / 64] &= ~((uint64_t)1 << j % 64);
        theirs[i / 64] &= ~((uint64_t)1 << i % 64);
        g->stale[j] = true;
    })
    if (joins) {
        mark_onlookers(g, i);
    }
    g->fill[i] = -1;
}

void gt_i_dense_eliminate(gt_i_dense *graph, gt_i_order *order, int32_t eliminated, gt_i_rule rule,
                          const int32_t *given)
{
    memcpy(graph->rows, graph->start, (size_t)graph->count * (size_t)graph->words * sizeof *graph->rows);
    for (int32_t i = 0; i < graph->count; i++) {
        graph->fill[i] = 0;
        graph->stale[i] = true;
    }
    for (int32_t k = 0; k < graph->count; k++) {
        int32_t i = rule == GT_I_GIVEN ? given[k] : pick(graph, rule);
        if (graph->stale[i]) {
            refresh(graph, i, rule);
        }
        int32_t neighbours = degree(graph, i);
        order->variables[eliminated + k] = graph->variables[i];
        order->width = neighbours > order->width ? neighbours : order->width;
        order->entries += graph->table[i] / graph->domain[i];
        order->work += graph->table[i] * (neighbours + 1);
        eliminate(graph, i, rule);
    }
}
