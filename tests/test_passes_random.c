/* SPDX-License-Identifier: Apache-2.0 */
/* Random graphs of the ops that passes rewrite: outputs stay the same within 1e-4, whatever the passes find. */
#include "src/base/rng.h"
#include "tests/graph_build.h"
#include "tests/graph_eval.h"
#include "tests/pass_check.h"
#include "tests/runner.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_TENSOR 3000
#define GRAPHS_PER_CASE 1000

typedef struct maker {
    gt_graph *g;
    gt_rng rng;
    int n;
    int tensors[128];
} maker;

static int64_t below(maker *m, int64_t bound)
{
    return gt_rng_below(&m->rng, bound);
}

static const gt_shape *shape_of(const maker *m, int t)
{
    return &m->g->tensors[t].shape;
}

static int pick(maker *m)
{
    /* Recent tensors twice as often: long chains are what passes work on. */
    int64_t from = below(m, 2) == 0 && m->n > 4 ? m->n - 4 : 0;
    return m->tensors[from + below(m, m->n - from)];
}

/* A tensor of the same shape, or the same one. */
static int pick_like(maker *m, int t)
{
    for (int tries = 0; tries < 12; tries++) {
        int other = pick(m);
        if (gt_shape_equal(shape_of(m, other), shape_of(m, t))) {
            return other;
        }
    }
    return t;
}

static gt_int_list list_of(int64_t *values, int rank)
{
    return (gt_int_list){.count = rank, .values = values};
}

static int some_constant(maker *m, const gt_shape *like)
{
    gt_shape shape = *like;
    int64_t how = below(m, 4);
    for (int i = 0; i < shape.rank; i++) {
        bool keep = how == 0 ? false : how == 1 ? i == 1 : how == 2 ? i == shape.rank - 1 : true;
        shape.dim[i] = keep ? shape.dim[i] : 1;
    }
    return below(m, 8) == 0 ? gb_const(m->g, shape, 1, 1) : gb_const(m->g, shape, 0.5f, 2);
}

static int add_transpose(maker *m, int x)
{
    static int64_t perms[6][4] = {{0, 2, 3, 1}, {0, 3, 1, 2}, {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 3, 2, 1},
                                        {0, 1, 3, 2}};
    int64_t axis[GT_MAX_RANK];
    const int rank = shape_of(m, x)->rank;
    if (rank == 4 && below(m, 8) != 0) {
        return gb_transpose(m->g, x, list_of(perms[below(m, 6)], 4));
    }
    for (int i = 0; i < rank; i++) {
        int64_t at = below(m, i + 1);
        axis[i] = at < i ? axis[at] : i;
        axis[at] = i;
    }
    return gb_transpose(m->g, x, list_of(axis, rank));
}

static int add_unary(maker *m, int x)
{
    static const gt_function functions[] = {GT_FN_RELU, GT_FN_CLIP, GT_FN_SIGMOID, GT_FN_TANH, GT_FN_HARD_SIGMOID,
                                            GT_FN_SOFTPLUS, GT_FN_LEAKY_RELU, GT_FN_ABS};
    return gb_unary(m->g, x, functions[below(m, 8)], 0.25f, 0.5f);
}

static int add_binary(maker *m, int x)
{
    gt_binary_function f = (gt_binary_function)below(m, 3);
    if (below(m, 2) == 0) {
        return gb_binary(m->g, f, x, pick_like(m, x));
    }
    int c = some_constant(m, shape_of(m, x));
    f = (gt_binary_function)below(m, 6);
    return below(m, 3) == 0 && f != GT_BINARY_DIV ? gb_binary(m->g, f, c, x) : gb_binary(m->g, f, x, c);
}

static int add_hard_swish(maker *m, int x)
{
    const int rank = shape_of(m, x)->rank;
    int gate = gb_unary(m->g, gb_binary(m->g, GT_BINARY_ADD, x, gb_scalar(m->g, rank, 3)), GT_FN_CLIP, 0, 6);
    return gb_binary(m->g, GT_BINARY_DIV, gb_binary(m->g, GT_BINARY_MUL, gate, x), gb_scalar(m->g, rank, 6));
}

static int add_slice(maker *m, int x)
{
    int64_t start[GT_MAX_RANK];
    int64_t step[GT_MAX_RANK];
    gt_shape out = *shape_of(m, x);
    for (int i = 0; i < out.rank; i++) {
        int64_t dim = out.dim[i];
        bool whole = below(m, 2) == 0;
        bool back = !whole && below(m, 4) == 0;
        start[i] = whole ? 0 : back ? dim - 1 : below(m, dim);
        step[i] = whole ? 1 : back ? -1 : 1 + below(m, 2);
        out.dim[i] = whole ? dim : back ? 1 + below(m, dim) : (dim - 1 - start[i]) / step[i] + 1;
    }
    return gb_slice(m->g, x, list_of(start, out.rank), list_of(step, out.rank), out);
}

static int add_pad(maker *m, int x)
{
    int64_t before[GT_MAX_RANK];
    int64_t after[GT_MAX_RANK];
    const int rank = shape_of(m, x)->rank;
    for (int i = 0; i < rank; i++) {
        before[i] = i >= 2 ? below(m, 2) : below(m, 8) == 0;
        after[i] = i >= 2 ? below(m, 2) : 0;
    }
    return gb_pad(m->g, x, list_of(before, rank), list_of(after, rank), below(m, 3) == 0 ? 1 : 0);
}

static int add_concat(maker *m, int x)
{
    const int64_t axis = below(m, shape_of(m, x)->rank);
    gt_shape side = *shape_of(m, x);
    side.dim[axis] = 1 + below(m, 2);
    int other = below(m, 2) == 0 ? gb_const(m->g, side, 0, 0) : pick_like(m, x);
    return gb_concat(m->g, axis, 2, below(m, 4) == 0 ? (int[]){other, x} : (int[]){x, other});
}

static int add_reshape(maker *m, int x)
{
    const gt_shape s = *shape_of(m, x);
    if (s.rank == 4 && s.dim[1] % 2 == 0 && below(m, 2) == 0) {
        int y = gb_reshape(m->g, x, SHAPE(s.dim[0], 2, s.dim[1] / 2, s.dim[2] * s.dim[3]));
        return gb_reshape(m->g, gb_transpose(m->g, y, LIST(0, 2, 1, 3)), s);
    }
    if (s.rank == 4 && below(m, 2) == 0) {
        return gb_reshape(m->g, x, SHAPE(s.dim[0], s.dim[1], s.dim[2] * s.dim[3], 1));
    }
    return gb_reshape(m->g, x, below(m, 2) == 0 ? SHAPE(s.dim[0], gt_shape_elems(&s) / s.dim[0]) : s);
}

static int add_gather(maker *m, int x)
{
    int64_t indices[16];
    const int64_t axis = below(m, shape_of(m, x)->rank);
    const int64_t dim = shape_of(m, x)->dim[axis];
    int64_t count = dim < 16 && below(m, 2) == 0 ? dim : 1 + below(m, 4);
    int64_t step = 1 + below(m, 3);
    for (int64_t i = 0; i < count; i++) {
        indices[i] = below(m, 8) == 0 ? below(m, dim) : i * step % dim;
    }
    return gb_gather(m->g, x, axis, (gt_int_list){.count = count, .values = indices}, false);
}

static int add_windowed(maker *m, int x)
{
    const gt_shape *s = shape_of(m, x);
    int64_t kernel = s->dim[2] >= 3 && s->dim[3] >= 3 ? 3 : 1;
    int64_t pad = kernel == 3 ? below(m, 2) : 0;
    if (below(m, 4) == 0) {
        return gb_pool(m->g, x, (gt_pool_mode)below(m, 2), kernel, 1 + below(m, 2), pad);
    }
    int64_t groups = below(m, 3) == 0 ? s->dim[1] : 1;
    int64_t k = groups > 1 ? groups : below(m, 2) == 0 ? s->dim[1] : 1 + below(m, 6);
    return gb_conv(m->g, x, k, kernel, 1, kernel == 3 && below(m, 2) == 0 ? 1 : pad, groups, below(m, 2) == 0);
}

static int add_reduce(maker *m, int x)
{
    return shape_of(m, x)->rank != 4 ? gb_softmax(m->g, x, below(m, shape_of(m, x)->rank))
           : below(m, 2) == 0        ? gb_softmax(m->g, x, 1 + below(m, 3))
                                     : gb_reduce(m->g, x, below(m, 2) == 0 ? LIST(2, 3) : LIST(1, 2), below(m, 3) != 0);
}

static int add_something(maker *m, int x)
{
    const gt_shape *s = shape_of(m, x);
    switch (below(m, 16)) {
    case 0:
    case 1:
    case 2:
        return add_transpose(m, x);
    case 3:
    case 4:
        return add_unary(m, x);
    case 5:
    case 6:
        return add_binary(m, x);
    case 7:
        return below(m, 2) == 0 ? add_hard_swish(m, x)
                                : gb_binary(m->g, GT_BINARY_MUL, x, gb_unary(m->g, x, GT_FN_SIGMOID, 0, 0));
    case 8:
        return add_slice(m, x);
    case 9:
        return add_pad(m, x);
    case 10:
        return add_concat(m, x);
    case 11:
        return add_reshape(m, x);
    case 12:
        return below(m, 2) == 0 ? add_gather(m, x) : add_reduce(m, x);
    case 13:
        return s->rank == 2 ? gb_dense(m->g, x, 1 + below(m, 5), true) : gb_scale(m->g, x);
    default:
        return s->rank == 4 ? add_windowed(m, x) : gb_dense(m->g, x, 1 + below(m, 5), below(m, 2) == 0);
    }
}

static gt_graph *random_graph(uint64_t seed)
{
    maker m = {.g = gb_graph()};
    gt_rng_seed(&m.rng, seed);
    m.tensors[m.n++] = gb_input(m.g, SHAPE(1 + below(&m, 2), 4, 2 + below(&m, 4), 1 + below(&m, 5)));
    if (below(&m, 2) == 0) {
        m.tensors[m.n++] = gb_input(m.g, *shape_of(&m, m.tensors[0]));
    }
    const int64_t steps = 3 + below(&m, 45);
    for (int64_t i = 0; i < steps; i++) {
        int x = pick(&m);
        const gt_shape *s = shape_of(&m, x);
        if (s->rank < 2 || gt_shape_elems(s) > MAX_TENSOR) {
            continue;
        }
        m.tensors[m.n++] = add_something(&m, x);
        if (below(&m, 10) == 0) {
            gb_output(m.g, m.tensors[m.n - 1]);
        }
    }
    gb_output(m.g, m.tensors[m.n - 1]);
    return m.g;
}

static const pass passes[] = {run_all, gt_pass_fold_scale, gt_pass_fuse_activation, gt_pass_fuse_residual,
                              gt_pass_recognise_shuffle, gt_pass_move_transposes, gt_pass_clean};

static void check_graph(uint64_t seed, pass p)
{
    graph_values before;
    graph_values after;
    bool changed = false;
    gt_graph *g = random_graph(seed);
    gb_must(gt_graph_finish(g));
    const int ops = g->n_ops;
    gb_must(graph_eval(&before, g, seed, -2, 2));
    ck_assert_msg(p(g, &changed) == GT_OK, "seed %d: %s", (int)seed, gt_error_message());
    ck_assert_msg(gt_graph_finish(g) == GT_OK, "seed %d: %s", (int)seed, gt_error_message());
    gb_must(graph_eval(&after, g, seed, -2, 2));
    double apart = graph_values_difference(&before, &after);
    ck_assert_msg(apart <= 1e-4, "seed %d: outputs differ by %g", (int)seed, apart);
    ck_assert_msg(p != run_all || g->n_ops <= ops + 2, "seed %d: %d ops became %d", (int)seed, ops, g->n_ops);
    gb_must(p(g, &changed));
    ck_assert_msg(p == run_all || !changed, "seed %d: not idempotent", (int)seed);
    graph_values_clear(&before);
    graph_values_clear(&after);
    gt_graph_destroy(g);
    ck_assert_msg(gt_i_live_allocations() == 0, "seed %d leaks", (int)seed);
}

START_TEST(test_random)
{
    for (uint64_t i = 0; i < (uint64_t)gt_test_rounds(GRAPHS_PER_CASE); i++) {
        check_graph(1000003 * (uint64_t)_i + i, passes[_i]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("passes_random");
    TCase *tests = tcase_create("passes_random");
    tcase_set_timeout(tests, 600);
    tcase_add_loop_test(tests, test_random, 0, (int)(sizeof passes / sizeof *passes));
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
