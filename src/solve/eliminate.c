/* SPDX-License-Identifier: Apache-2.0 */
/* Variable elimination by dynamic programming over tables of several variables (bucket elimination;
 * Dechter, Artificial Intelligence 1999). */
#include "src/solve/edge.h"
#include "src/solve/solver.h"

/* A function of `count` variables, the one eliminated first in place 0. */
typedef struct function {
    int32_t count;
    int32_t *variables; /* by rank in the order */
    int64_t *strides;   /* of each variable, in elements */
    const int64_t *data;
    struct function *next; /* in the bucket of variables[0] */
} function;

/* What one elimination works on: the functions of a bucket over the union of their variables. */
typedef struct bucket {
    int32_t count;          /* variables of the table made, without the one eliminated */
    int32_t *variables;     /* ranks, ascending */
    int32_t function_count;
    const function **functions;
    const int64_t **places; /* of each function: where its current row starts */
    int64_t *steps;         /* [function][count]: stride of each variable, 0 if it does not matter */
    int64_t *own;           /* [function]: stride of the variable eliminated */
    int32_t *digits;        /* [count] */
    int64_t *sums;          /* [domain of the variable eliminated] */
} bucket;

typedef struct elimination {
    gt_i_arena arena;
    const gt_i_wcsp *net;
    const gt_i_order *order;
    int32_t count;
    int32_t *rank;      /* of each variable of the network */
    function **buckets; /* [count], functions by the rank of their first variable */
    int32_t *choice;    /* [count], by rank */
    int64_t constant;
} elimination;

static const gt_i_variable *ranked(const elimination *el, int32_t rank)
{
    return &el->net->variables[el->order->variables[rank]];
}

static gt_status add_function(elimination *el, function **out, int32_t count)
{
    gt_status status = GT_OK;
    function *f = NULL;
    GT_TRY(gt_i_arena_take(&el->arena, &f, 1, sizeof *f));
    *f = (function){.count = count};
    GT_TRY(gt_i_arena_take(&el->arena, &f->variables, count, sizeof *f->variables));
    GT_TRY(gt_i_arena_take(&el->arena, &f->strides, count, sizeof *f->strides));
    *out = f;
done:
    return status;
}

static void file_function(elimination *el, function *f)
{
    f->next = el->buckets[f->variables[0]];
    el->buckets[f->variables[0]] = f;
}

/* The edge's table by values, where an elimination finds it faster. */
static gt_status by_values(gt_i_arena *arena, const int64_t **out, const gt_i_wcsp *net, const gt_i_edge *edge)
{
    gt_status status = GT_OK;
    int64_t *table = NULL;
    int32_t rows = net->variables[edge->a].domain, columns = net->variables[edge->b].domain;
    GT_TRY(gt_i_arena_take(arena, &table, (int64_t)rows * columns, sizeof *table));
    for (int32_t x = 0; x < rows; x++) {
        for (int32_t y = 0; y < columns; y++) {
            table[(int64_t)x * columns + y] = gt_i_edge_cost(edge, x, y);
        }
    }
    *out = table;
done:
    return status;
}

static gt_status add_edge(elimination *el, const gt_i_edge *edge)
{
    gt_status status = GT_OK;
    function *f = NULL;
    GT_TRY(add_function(el, &f, 2));
    int32_t a = el->rank[edge->a], b = el->rank[edge->b];
    int32_t columns = el->net->variables[edge->b].domain;
    f->variables[0] = a < b ? a : b;
    f->variables[1] = a < b ? b : a;
    f->strides[0] = a < b ? columns : 1;
    f->strides[1] = a < b ? 1 : columns;
    GT_TRY(by_values(&el->arena, &f->data, el->net, edge));
    file_function(el, f);
done:
    return status;
}

static gt_status start(elimination *el, gt_i_wcsp *net, const gt_i_order *order)
{
    gt_status status = GT_OK;
    *el = (elimination){.net = net, .order = order, .count = net->live_count};
    GT_TRY(gt_i_arena_take(&el->arena, &el->rank, net->variable_count, sizeof *el->rank));
    GT_TRY(gt_i_arena_take(&el->arena, &el->buckets, el->count, sizeof *el->buckets));
    GT_TRY(gt_i_arena_take(&el->arena, &el->choice, el->count, sizeof *el->choice));
    for (int32_t r = 0; r < el->count; r++) {
        el->rank[order->variables[r]] = r;
        el->buckets[r] = NULL;
    }
    for (int32_t k = 0; k < net->edge_count; k++) {
        if (net->edges[k].table != NULL) {
            GT_TRY(add_edge(el, &net->edges[k]));
        }
    }
    for (int32_t r = 0; r < el->count; r++) {
        function *f = NULL;
        GT_TRY(add_function(el, &f, 1));
        f->variables[0] = r;
        f->strides[0] = 1;
        f->data = ranked(el, r)->unary;
        file_function(el, f);
    }
done:
    return status;
}

/* Ranks of all variables of the bucket's functions but its own, ascending. */
static gt_status collect_scope(elimination *el, bucket *b, int32_t rank)
{
    gt_status status = GT_OK;
    uint8_t *seen = NULL;
    GT_TRY(gt_i_arena_take(&el->arena, &seen, el->count, sizeof *seen));
    for (int32_t r = 0; r < el->count; r++) {
        seen[r] = 0;
    }
    for (const function *f = el->buckets[rank]; f != NULL; f = f->next) {
        b->function_count++;
        for (int32_t k = 1; k < f->count; k++) {
            b->count += seen[f->variables[k]] ? 0 : 1;
            seen[f->variables[k]] = 1;
        }
    }
    GT_TRY(gt_i_arena_take(&el->arena, &b->variables, b->count, sizeof *b->variables));
    int32_t next = 0;
    for (int32_t r = 0; r < el->count; r++) {
        if (seen[r]) {
            b->variables[next++] = r;
        }
    }
done:
    return status;
}

static int64_t stride_of(const function *f, int32_t rank)
{
    for (int32_t k = 0; k < f->count; k++) {
        if (f->variables[k] == rank) {
            return f->strides[k];
        }
    }
    return 0;
}

static gt_status open_bucket(elimination *el, bucket *b, int32_t rank)
{
    gt_status status = GT_OK;
    *b = (bucket){0};
    GT_TRY(collect_scope(el, b, rank));
    gt_i_arena *arena = &el->arena;
    GT_TRY(gt_i_arena_take(arena, &b->functions, b->function_count, sizeof *b->functions));
    GT_TRY(gt_i_arena_take(arena, &b->places, b->function_count, sizeof *b->places));
    GT_TRY(gt_i_arena_take(arena, &b->own, b->function_count, sizeof *b->own));
    GT_TRY(gt_i_arena_take(arena, &b->steps, (int64_t)b->function_count * b->count, sizeof *b->steps));
    GT_TRY(gt_i_arena_take(arena, &b->digits, b->count, sizeof *b->digits));
    GT_TRY(gt_i_arena_take(arena, &b->sums, ranked(el, rank)->domain, sizeof *b->sums));
    int32_t n = 0;
    for (const function *f = el->buckets[rank]; f != NULL; f = f->next, n++) {
        b->functions[n] = f;
        b->places[n] = f->data;
        b->own[n] = f->strides[0];
        for (int32_t k = 0; k < b->count; k++) {
            b->steps[n * b->count + k] = stride_of(f, b->variables[k]);
        }
    }
    for (int32_t k = 0; k < b->count; k++) {
        b->digits[k] = 0;
    }
done:
    return status;
}

/* Sums the functions at the current place for every value of the variable eliminated. */
static void sum_row(const bucket *b, int32_t domain)
{
    int64_t *sums = b->sums;
    for (int32_t x = 0; x < domain; x++) {
        sums[x] = 0;
    }
    for (int32_t n = 0; n < b->function_count; n++) {
        const int64_t *place = b->places[n];
        int64_t own = b->own[n];
        for (int32_t x = 0; x < domain; x++) {
            int64_t sum = sums[x] + place[x * own];
            sums[x] = sum < GT_I_FORBIDDEN ? sum : GT_I_FORBIDDEN;
        }
    }
}

static int64_t least_of(const int64_t *sums, int32_t domain)
{
    int64_t least = sums[0];
    for (int32_t x = 1; x < domain; x++) {
        least = sums[x] < least ? sums[x] : least;
    }
    return least;
}

static void advance(const elimination *el, bucket *b)
{
    for (int32_t k = 0; k < b->count; k++) {
        bool wraps = ++b->digits[k] == ranked(el, b->variables[k])->domain;
        int64_t by = wraps ? 1 - b->digits[k] : 1;
        for (int32_t n = 0; n < b->function_count; n++) {
            b->places[n] += by * b->steps[n * b->count + k];
        }
        if (!wraps) {
            return;
        }
        b->digits[k] = 0;
    }
}

static gt_status eliminate_rank(elimination *el, int32_t rank)
{
    gt_status status = GT_OK;
    bucket b = {0};
    function *f = NULL;
    int64_t *table = NULL, size = 1;
    int32_t domain = ranked(el, rank)->domain;
    GT_TRY(open_bucket(el, &b, rank));
    GT_TRY(add_function(el, &f, b.count));
    for (int32_t k = 0; k < b.count; k++) {
        f->variables[k] = b.variables[k];
        f->strides[k] = size;
        size *= ranked(el, b.variables[k])->domain;
    }
    GT_TRY(gt_i_arena_take(&el->arena, &table, size, sizeof *table));
    for (int64_t k = 0; k < size; k++) {
        sum_row(&b, domain);
        table[k] = least_of(b.sums, domain);
        advance(el, &b);
    }
    f->data = table;
    if (b.count > 0) {
        file_function(el, f);
    } else {
        el->constant = gt_i_add(el->constant, table[0]);
    }
done:
    return status;
}

/* The least value given the choices of all later ranks. */
static void choose(elimination *el, int32_t rank)
{
    int64_t best = INT64_MAX;
    for (int32_t x = 0; x < ranked(el, rank)->domain; x++) {
        int64_t cost = 0;
        for (const function *f = el->buckets[rank]; f != NULL; f = f->next) {
            int64_t place = x * f->strides[0];
            for (int32_t k = 1; k < f->count; k++) {
                place += el->choice[f->variables[k]] * f->strides[k];
            }
            cost = gt_i_add(cost, f->data[place]);
        }
        if (cost < best) {
            best = cost;
            el->choice[rank] = x;
        }
    }
}

gt_status gt_i_eliminate(gt_i_solver *solver, gt_i_wcsp *net, const gt_i_order *order)
{
    gt_status status = GT_OK;
    elimination el = {0};
    GT_TRY(start(&el, net, order));
    for (int32_t r = 0; r < el.count; r++) {
        GT_TRY(eliminate_rank(&el, r));
    }
    int64_t cost = gt_i_add(net->base, el.constant);
    if (cost < net->bound) {
        for (int32_t r = el.count - 1; r >= 0; r--) {
            choose(&el, r);
            const gt_i_variable *v = ranked(&el, r);
            net->best[v->origin] = v->values[el.choice[r]];
        }
        gt_i_wcsp_accept(net, cost);
    }
    net->closed = true;
    solver->width_met = order->width > solver->width_met ? order->width : solver->width_met;
    solver->used |= GT_I_USED_ELIMINATION;
done:
    gt_i_arena_destroy(&el.arena);
    return status;
}
