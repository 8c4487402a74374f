/* SPDX-License-Identifier: Apache-2.0 */
/* A min-fill elimination order: always the variable whose elimination joins the fewest pairs of
 * neighbours that are not yet joined; then the one with the smallest table, then the lowest index. */
#include "src/solve/solver.h"

#include <string.h>

typedef struct graph {
    int32_t count;
    int32_t words; /* per row */
    uint64_t *rows; /* adjacency bits, [count][words] */
    int64_t *fill;  /* -1: eliminated */
    double *table;  /* values of the variable and its neighbours */
    bool *stale;
} graph;

static uint64_t *row(const graph *g, int32_t i)
{
    return g->rows + (int64_t)i * g->words;
}

static gt_status build(graph *g, gt_i_arena *arena, const gt_i_wcsp *net)
{
    gt_status status = GT_OK;
    g->count = net->variable_count;
    g->words = (g->count + 63) / 64;
    int64_t size = (int64_t)g->count * g->words;
    GT_TRY(gt_i_arena_take(arena, &g->rows, size, sizeof *g->rows));
    GT_TRY(gt_i_arena_take(arena, &g->fill, g->count, sizeof *g->fill));
    GT_TRY(gt_i_arena_take(arena, &g->table, g->count, sizeof *g->table));
    GT_TRY(gt_i_arena_take(arena, &g->stale, g->count, sizeof *g->stale));
    memset(g->rows, 0, (size_t)size * sizeof *g->rows);
    for (int32_t k = 0; k < net->edge_count; k++) {
        const gt_i_edge *e = &net->edges[k];
        if (e->table != NULL) {
            row(g, e->a)[e->b / 64] |= (uint64_t)1 << e->b % 64;
            row(g, e->b)[e->a / 64] |= (uint64_t)1 << e->a % 64;
        }
    }
    for (int32_t i = 0; i < g->count; i++) {
        g->fill[i] = net->variables[i].domain > 0 ? 0 : -1;
        g->stale[i] = true;
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

static int32_t degree(const graph *g, int32_t i)
{
    int32_t count = 0;
    for (int32_t w = 0; w < g->words; w++) {
        count += __builtin_popcountll(row(g, i)[w]);
    }
    return count;
}

static void refresh(graph *g, const gt_i_wcsp *net, int32_t i)
{
    int64_t missing = 0;
    double table = net->variables[i].domain;
    const uint64_t *mine = row(g, i);
    FOR_NEIGHBOURS(g, i, j, {
        const uint64_t *theirs = row(g, j);
        for (int32_t w = 0; w < g->words; w++) {
            missing += __builtin_popcountll(mine[w] & ~theirs[w]);
        }
        missing--; /* j itself */
        table *= net->variables[j].domain;
    })
    g->fill[i] = missing / 2;
    g->table[i] = table;
    g->stale[i] = false;
}

static int32_t pick(graph *g, const gt_i_wcsp *net)
{
    int32_t best = -1;
    for (int32_t i = 0; i < g->count; i++) {
        if (g->fill[i] < 0) {
            continue;
        }
        if (g->stale[i]) {
            refresh(g, net, i);
        }
        if (best < 0 || g->fill[i] < g->fill[best] ||
            (g->fill[i] == g->fill[best] && g->table[i] < g->table[best])) {
            best = i;
        }
    }
    return best;
}

/* Joins the neighbours of i and takes i out. What changes is the fill of the neighbours and, if
 * pairs were joined, of whoever sees both ends. */
static void eliminate(graph *g, int32_t i)
{
    bool joins = g->fill[i] > 0;
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
        FOR_NEIGHBOURS(g, i, j, {
            const uint64_t *theirs = row(g, j);
            for (int32_t w = 0; w < g->words; w++) {
                for (uint64_t bits = theirs[w]; bits != 0; bits &= bits - 1) {
                    g->stale[w * 64 + __builtin_ctzll(bits)] = true;
                }
            }
        })
    }
    g->fill[i] = -1;
}

gt_status gt_i_min_fill(gt_i_order *order, gt_i_arena *arena, const gt_i_wcsp *net)
{
    gt_status status = GT_OK;
    graph g = {0};
    gt_i_order made = {0};
    GT_TRY(build(&g, arena, net));
    GT_TRY(gt_i_arena_take(arena, &made.variables, net->live_count, sizeof *made.variables));
    for (int32_t k = 0; k < net->live_count; k++) {
        int32_t i = pick(&g, net);
        int32_t neighbours = degree(&g, i);
        made.variables[k] = i;
        made.width = neighbours > made.width ? neighbours : made.width;
        made.entries += g.table[i] / net->variables[i].domain;
        made.work += g.table[i] * (neighbours + 1);
        eliminate(&g, i);
    }
    *order = made;
done:
    return status;
}
