/* SPDX-License-Identifier: Apache-2.0 */
/* The cost function network of a layout problem, modelled as src/tune/select_network.c does. */
#include "benchmarks/solver_problem.h"

#include <stdio.h>

#define INFINITE GT_CFN_INFINITE

struct maker {
    const lp_problem *p;
    gt_cfn *cfn;
    int32_t tensor;
    int64_t cover[LP_LAYOUTS][LP_SETS]; /* of the tensor: at least a set, from a layout */
    int64_t *table;
    size_t capacity;
};

/* Cheapest ways to grow from one layout to every set; then of all sets that contain the one wanted. */
static void fill_cover(struct maker *m, const lp_transforms *t)
{
    for (int from = 0; from < LP_LAYOUTS; from++) {
        int64_t *cost = m->cover[from];
        for (int s = 0; s < LP_SETS; s++) {
            cost[s] = s == 1 << from ? 0 : INFINITE;
        }
        for (int s = 0; s < LP_SETS; s++) {
            for (int b = 0; cost[s] != INFINITE && b < LP_LAYOUTS; b++) {
                int64_t step = INFINITE;
                for (int a = 0; a < LP_LAYOUTS; a++) {
                    step = (s >> a & 1) != 0 && t->ns[a][b] < step ? t->ns[a][b] : step;
                }
                int64_t *larger = &cost[s | 1 << b];
                *larger = step != LP_NONE && cost[s] + step < *larger ? cost[s] + step : *larger;
            }
        }
        for (int s = LP_SETS - 1; s >= 0; s--) {
            for (int b = 0; b < LP_LAYOUTS; b++) {
                cost[s] = cost[s | 1 << b] < cost[s] ? cost[s | 1 << b] : cost[s];
            }
        }
    }
}

static int64_t *table_of(struct maker *m, int32_t rows, int32_t columns)
{
    size_t need = (size_t)rows * (size_t)columns;
    if (need > m->capacity) {
        gt_free(m->table);
        lp_must(gt_calloc(&m->table, need, sizeof *m->table));
        m->capacity = need;
    }
    return m->table;
}

static int32_t made_ways(const struct maker *m)
{
    int32_t op = m->p->tensors[m->tensor].producer;
    return op >= 0 ? m->p->ops[op].n : 1;
}

static const int64_t *cover_of(const struct maker *m, int32_t way)
{
    int32_t op = m->p->tensors[m->tensor].producer;
    return m->cover[op >= 0 ? m->p->ops[op].c[way].out : 0];
}

/* Joins the producer, by a table with a row for each of its candidates, to a variable. */
static void join_producer(struct maker *m, int32_t variable, const int64_t *table)
{
    int32_t op = m->p->tensors[m->tensor].producer;
    lp_must(op >= 0 ? gt_cfn_add_binary(m->cfn, op, variable, table) : gt_cfn_add_unary(m->cfn, variable, table));
}

static void join_reader(struct maker *m, int32_t reader)
{
    const lp_op *op = &m->p->ops[reader];
    int32_t rows = made_ways(m);
    int64_t *table = table_of(m, rows, op->n);
    for (int32_t a = 0; a < rows; a++) {
        for (int32_t b = 0; b < op->n; b++) {
            table[a * op->n + b] = cover_of(m, a)[lp_needs(m->p, reader, &op->c[b], m->tensor)];
        }
    }
    join_producer(m, reader, table);
}

static void join_output(struct maker *m)
{
    int32_t op = m->p->tensors[m->tensor].producer;
    int64_t *costs = table_of(m, made_ways(m), 1);
    for (int32_t a = 0; a < made_ways(m); a++) {
        costs[a] = cover_of(m, a)[1];
    }
    if (op >= 0) {
        lp_must(gt_cfn_add_unary(m->cfn, op, costs));
    }
}

/* The sets that readers and the graph's caller can ask for together. */
static int32_t sets_of(const struct maker *m, unsigned sets[LP_SETS])
{
    unsigned ends = m->p->tensors[m->tensor].is_output ? 1 : 0;
    unsigned possible = ends;
    int32_t n = 0;
    for (int32_t k = m->p->first[m->tensor]; k < m->p->first[m->tensor + 1]; k++) {
        const lp_op *op = &m->p->ops[m->p->reader[k]];
        for (int32_t b = 0; b < op->n; b++) {
            possible |= lp_needs(m->p, m->p->reader[k], &op->c[b], m->tensor);
        }
    }
    for (unsigned s = 1; s < LP_SETS; s++) {
        if ((s & ~possible) == 0 && (s & ends) == ends) {
            sets[n++] = s;
        }
    }
    return n;
}

static void join_set_to_reader(struct maker *m, int32_t variable, const unsigned *sets, int32_t n, int32_t reader)
{
    const lp_op *op = &m->p->ops[reader];
    int64_t *table = table_of(m, n, op->n);
    for (int32_t j = 0; j < n; j++) {
        for (int32_t b = 0; b < op->n; b++) {
            unsigned needs = lp_needs(m->p, reader, &op->c[b], m->tensor);
            table[j * op->n + b] = (needs & ~sets[j]) == 0 ? 0 : INFINITE;
        }
    }
    lp_must(gt_cfn_add_binary(m->cfn, variable, reader, table));
}

static void join_through_set(struct maker *m)
{
    unsigned sets[LP_SETS];
    char name[32];
    int32_t variable = 0, n = sets_of(m, sets), rows = made_ways(m);
    snprintf(name, sizeof name, "set%d", (int)m->tensor);
    lp_must(gt_cfn_add_variable(m->cfn, &variable, name, n, NULL));
    int64_t *table = table_of(m, rows, n);
    for (int32_t a = 0; a < rows; a++) {
        for (int32_t j = 0; j < n; j++) {
            table[a * n + j] = cover_of(m, a)[sets[j]];
        }
    }
    join_producer(m, variable, table);
    for (int32_t k = m->p->first[m->tensor]; k < m->p->first[m->tensor + 1]; k++) {
        join_set_to_reader(m, variable, sets, n, m->p->reader[k]);
    }
}

static void join_tensor(struct maker *m)
{
    const lp_tensor *t = &m->p->tensors[m->tensor];
    int32_t readers = m->p->first[m->tensor + 1] - m->p->first[m->tensor];
    if (t->transforms < 0 || (readers == 0 && !t->is_output)) {
        return;
    }
    fill_cover(m, &m->p->transforms[t->transforms]);
    if (readers == 0) {
        join_output(m);
    } else if (readers == 1 && !t->is_output) {
        join_reader(m, m->p->reader[m->p->first[m->tensor]]);
    } else {
        join_through_set(m);
    }
}

gt_cfn *lp_network(const lp_problem *p)
{
    struct maker m = {.p = p};
    lp_must(gt_cfn_create(&m.cfn));
    for (size_t o = 0; o < p->n_ops; o++) {
        int64_t unary[LP_PAIRS];
        char name[32];
        int32_t variable = 0;
        for (int32_t v = 0; v < p->ops[o].n; v++) {
            unary[v] = p->ops[o].c[v].ns;
        }
        snprintf(name, sizeof name, "op%d", (int)o);
        lp_must(gt_cfn_add_variable(m.cfn, &variable, name, p->ops[o].n, unary));
    }
    for (m.tensor = 0; m.tensor < (int32_t)p->n_tensors; m.tensor++) {
        join_tensor(&m);
    }
    gt_free(m.table);
    return m.cfn;
}
