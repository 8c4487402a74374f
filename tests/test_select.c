/* SPDX-License-Identifier: Apache-2.0 */
/* Selection against exhaustive search over real templates with made-up times. GT_TEST_SEED changes the networks. */
#include "src/base/file.h"
#include "tests/graph_build.h"
#include "tests/runner.h"
#include "tests/select_cases.h"
#include "tests/select_oracle.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint64_t seed = 20240717;

#define NETWORKS 180 /* per family */

#define OK(expr) ck_assert_msg((expr) == GT_OK, "%s: %s", #expr, gt_error_message())

static const sc_costs cost_kinds[] = {
    {.op_range = 100, .transform_range = 100},
    {.op_range = 100, .transform_range = 12},
    {.op_range = 20, .transform_range = 200},
    {.op_range = 3, .transform_range = 3}, /* ties */
    {.op_range = 1, .transform_range = 1},
    {.op_range = 50, .transform_range = 20, .missing_percent = 30},
    {.op_range = 50, .transform_range = 20, .missing_percent = 65},
    {.op_range = 1000, .transform_range = 300, .fractions = true},
    {.op_range = 5000000000, .transform_range = 1000000000},
};
#define COST_KINDS ((int)(sizeof cost_kinds / sizeof cost_kinds[0]))

static void check_optimum(struct oracle *o, const gt_records *records, const sc_costs *costs, const char *what)
{
    gt_select_options options = so_options();
    gt_plan *plan = NULL;
    gt_status status = gt_select(&plan, o->graph, records, &options);
    if (o->best == HUGE_VAL) {
        ck_assert_msg(status == GT_ERROR_UNSUPPORTED && plan == NULL, "%s: %s, but nothing is feasible", what,
                      gt_status_name(status));
        ck_assert_ptr_nonnull(strstr(gt_error_message(), "transforms are missing for shapes 1x"));
        return;
    }
    ck_assert_msg(status == GT_OK, "%s: %s", what, gt_error_message());
    const double tolerance = costs->fractions ? o->graph->n_ops + plan->schedule.n_transforms : 1e-6;
    ck_assert_msg(fabs(plan->schedule.predicted_ns - o->best) <= tolerance, "%s: selected %.3f ns, exhaustive %.3f ns",
                  what, plan->schedule.predicted_ns, o->best);
    ck_assert(plan->result.optimal && plan->result.gap == 0);
    ck_assert(plan->result.predicted_ns == plan->schedule.predicted_ns);
    ck_assert(plan->result.lower_bound_ns == plan->schedule.predicted_ns);
    ck_assert_msg(costs->fractions || plan->schedule.n_transforms == o->best_hops, "%s: %d transforms where %d do",
                  what, plan->schedule.n_transforms, o->best_hops);
    ck_assert_msg(costs->fractions || so_bytes(o, &plan->schedule) == o->best_bytes, "%s: %.0f bytes where %.0f do", what,
                  so_bytes(o, &plan->schedule), o->best_bytes);
    so_check_schedule(o, &plan->schedule, tolerance, what);
    so_check_alternatives(o, plan, tolerance, what);
    gt_plan_destroy(plan);
}

START_TEST(equals_exhaustive_search)
{
    static struct oracle o;
    gt_rng rng;
    int infeasible = 0;
    gt_rng_seed(&rng, seed + (uint64_t)_i);
    for (int k = 0; k < NETWORKS; k++) {
        char what[64];
        sc_costs costs = cost_kinds[k % COST_KINDS];
        gt_graph *g = sc_graph(&rng, (sc_family)_i);
        gt_records *records = NULL;
        OK(gt_records_create(&records));
        costs.combinations = k % 2 == 0 ? 2000 : 20000;
        sc_add_records(records, g, &rng, &costs);
        so_prepare(&o, g, records);
        so_exhaust(&o, NULL);
        infeasible += o.best == HUGE_VAL ? 1 : 0;
        snprintf(what, sizeof what, "%s network %d", sc_family_name((sc_family)_i), k);
        check_optimum(&o, records, &costs, what);
        gt_records_destroy(records);
        gt_graph_destroy(g);
    }
    ck_assert_int_lt(infeasible, NETWORKS / 3);
}
END_TEST

/* ---- single cases ---- */

static const gt_layout NCHW = GT_NCHW, NHWC = GT_NHWC, C4 = GT_NCHW4C, C8 = GT_NCHW8C, C16 = GT_NCHW16C;

static void check_transforms(const gt_plan *plan, int n, const gt_layout *from_to)
{
    ck_assert_int_eq(plan->schedule.n_transforms, n);
    for (int i = 0; i < n; i++) {
        ck_assert_int_eq(plan->schedule.transforms[i].from, from_to[2 * i]);
        ck_assert_int_eq(plan->schedule.transforms[i].to, from_to[2 * i + 1]);
    }
}

START_TEST(two_hops_where_they_are_cheaper)
{
    gt_records *records = NULL;
    gt_graph *g = so_two_ops(&records, NHWC, C8);
    const gt_shape *shape = &g->tensors[g->inputs[0]].shape;
    sc_add_transform(records, shape, NCHW, NHWC, 10);
    sc_add_transform(records, shape, NHWC, C8, 100);
    sc_add_transform(records, shape, NHWC, NCHW, 30);
    sc_add_transform(records, shape, NCHW, C8, 40);
    sc_add_transform(records, shape, C8, NCHW, 7);
    gt_plan *plan = so_select(g, records);
    check_transforms(plan, 4, (const gt_layout[]){NCHW, NHWC, NHWC, NCHW, NCHW, C8, C8, NCHW});
    ck_assert_double_eq(plan->schedule.predicted_ns, 10 + 5 + 30 + 40 + 5 + 7);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

/* A conv and two of its readers, all in other layouts: the readers' way is what the test is about. */
static gt_graph *fork_of(gt_records **records, gt_layout made, gt_layout left, gt_layout right)
{
    gt_graph *g = gb_graph();
    const int x = gb_conv(g, gb_input(g, gt_shape_4d(1, 16, 4, 4)), 16, 1, 1, 0, 1, true);
    (void)gb_pool(g, x, GT_POOL_MAX, 3, 1, 1);
    (void)gb_pool(g, x, GT_POOL_AVERAGE, 3, 1, 1);
    (void)gb_relu(g, x);
    sc_finish(g);
    OK(gt_records_create(records));
    so_give(*records, g, 0, made, made, 1);
    so_give(*records, g, 1, left, left, 1);
    so_give(*records, g, 2, right, right, 1);
    so_give(*records, g, 3, left, left, 1);
    sc_add_all_transforms(*records, g, 1000);
    return g;
}

START_TEST(shared_transforms_are_paid_once)
{
    gt_records *records = NULL;
    gt_graph *g = fork_of(&records, NHWC, C8, C8);
    gt_plan *plan = so_select(g, records);
    int of_conv = 0;
    for (int i = 0; i < plan->schedule.n_transforms; i++) {
        of_conv += strcmp(plan->schedule.transforms[i].tensor, g->tensors[g->ops[0].output].name) == 0 ? 1 : 0;
    }
    ck_assert_int_eq(of_conv, 1);
    ck_assert_double_eq(plan->schedule.predicted_ns, 4 + 1000 * (1 + 1 + 3));
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

/* A stop-over that is worth it only because two readers start from it. */
START_TEST(stop_over_that_serves_two_readers)
{
    gt_records *records = NULL;
    gt_graph *g = fork_of(&records, NHWC, C4, C8);
    const gt_shape *shape = &g->tensors[g->inputs[0]].shape;
    sc_add_transform(records, shape, NHWC, C4, 10);
    sc_add_transform(records, shape, NHWC, C8, 10);
    sc_add_transform(records, shape, NHWC, C16, 6);
    sc_add_transform(records, shape, C16, C4, 5);
    sc_add_transform(records, shape, C16, C8, 5);
    so_give(records, g, 2, NHWC, NHWC, 1 + 8); /* dearer than the stop-over, cheaper than two direct transforms */
    gt_plan *plan = so_select(g, records);
    ck_assert_double_eq(plan->schedule.predicted_ns, 4 + 1000 + 16 + 3000);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

/* A way through two layouts that nobody reads, neither of which helps without the other. */
START_TEST(stop_overs_that_need_each_other)
{
    gt_records *records = NULL;
    gt_graph *g = fork_of(&records, NHWC, C8, C8);
    const gt_shape *shape = &g->tensors[g->inputs[0]].shape;
    sc_add_transform(records, shape, NHWC, C8, 100);
    sc_add_transform(records, shape, NHWC, C4, 10);
    sc_add_transform(records, shape, C4, C16, 10);
    sc_add_transform(records, shape, C16, C8, 10);
    sc_add_transform(records, shape, C4, C8, 95);
    sc_add_transform(records, shape, NHWC, C16, 95);
    for (int i = 1; i <= 3; i++) {
        so_give(records, g, i, NHWC, NHWC, 1 + 20); /* together dearer than the way, cheaper than any shorter one */
    }
    gt_plan *plan = so_select(g, records);
    ck_assert_double_eq(plan->schedule.predicted_ns, 4 + 1000 + 30 + 3000);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

/* Times that are no whole nanoseconds: the choice must not be worse than greedy by a fraction. */
START_TEST(never_worse_by_a_fraction)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 100);
    for (int k = 0; k < 60; k++) {
        gt_graph *g = sc_graph(&rng, (sc_family)(k % SC_FAMILY_COUNT));
        gt_records *records = NULL;
        OK(gt_records_create(&records));
        sc_add_records(records, g, &rng, &(sc_costs){.op_range = 3, .transform_range = 1, .fractions = true});
        gt_plan *plan = so_select(g, records);
        for (int i = 0; i < plan->n_alternatives; i++) {
            ck_assert_double_le(plan->schedule.predicted_ns, plan->alternatives[i].schedule.predicted_ns);
        }
        gt_plan_destroy(plan);
        gt_records_destroy(records);
        gt_graph_destroy(g);
    }
}
END_TEST

static char *plan_bytes(gt_plan *plan, size_t *bytes)
{
    char path[64];
    char *data = NULL;
    snprintf(path, sizeof path, "/tmp/graphtune-select-%ld.json", (long)getpid());
    if (plan->model_file == NULL) {
        OK(gt_strdup(&plan->model_file, "model.onnx"));
    }
    OK(gt_plan_write(plan, path));
    OK(gt_file_read(&data, bytes, path));
    unlink(path);
    return data;
}

/* A solver that is stopped early says what it knows, and what it says can be written and read. */
START_TEST(early_stop_gives_valid_bounds)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 600);
    for (int k = 0; k < 40; k++) {
        gt_graph *g = sc_large_graph(&rng, 25);
        gt_records *records = NULL;
        gt_plan *plan = NULL;
        gt_select_options options = so_options();
        options.time_budget_s = 2e-9;
        OK(gt_records_create(&records));
        sc_add_records(records, g, &rng, &(sc_costs){.op_range = 10, .transform_range = 4});
        gt_status status = gt_select(&plan, g, records, &options);
        ck_assert_msg(status == GT_OK || status == GT_ERROR_LIMIT, "%s", gt_error_message());
        if (status == GT_OK) {
            const gt_plan_result *r = &plan->result;
            ck_assert(r->gap >= 0 && r->gap <= 1 && r->lower_bound_ns <= r->predicted_ns);
            ck_assert(r->optimal == (r->lower_bound_ns == r->predicted_ns) && r->optimal == (r->gap == 0));
        }
        gt_plan_destroy(plan);
        gt_records_destroy(records);
        gt_graph_destroy(g);
    }
}
END_TEST

/* The same set of records in another order is what an interrupted and resumed tune leaves behind. */
START_TEST(same_records_same_plan)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 200);
    for (int k = 0; k < 40; k++) {
        gt_graph *g = sc_graph(&rng, (sc_family)(k % SC_FAMILY_COUNT));
        gt_records *records[2] = {NULL, NULL};
        char *text[3];
        size_t bytes[3];
        OK(gt_records_create(&records[0]));
        OK(gt_records_create(&records[1]));
        sc_add_records(records[0], g, &rng, &(sc_costs){.op_range = 2, .transform_range = 2});
        sc_add_records(records[0], g, &rng, &(sc_costs){.op_range = 2, .transform_range = 2, .any_config = true});
        for (int64_t i = gt_records_count(records[0]) - 1; i >= 0; i--) {
            OK(gt_records_add(records[1], gt_records_at(records[0], i)));
        }
        for (int i = 0; i < 3; i++) {
            gt_plan *plan = so_select(g, records[i / 2]);
            text[i] = plan_bytes(plan, &bytes[i]);
            gt_plan_destroy(plan);
        }
        for (int i = 1; i < 3; i++) {
            ck_assert_msg(bytes[i] == bytes[0] && memcmp(text[i], text[0], bytes[0]) == 0, "plan %d of network %d",
                          i, k);
        }
        for (int i = 0; i < 3; i++) {
            gt_free(text[i]);
        }
        gt_records_destroy(records[0]);
        gt_records_destroy(records[1]);
        gt_graph_destroy(g);
    }
}
END_TEST

/* Everything in NCHW costs as much as everything in NCHW8c and no transform at all. */
START_TEST(ties_prefer_fewer_transforms)
{
    gt_records *records = NULL;
    gt_graph *g = so_two_ops(&records, C8, C8);
    const gt_shape *shape = &g->tensors[g->inputs[0]].shape;
    sc_add_transform(records, shape, NCHW, C8, 2);
    sc_add_transform(records, shape, C8, NCHW, 3);
    so_give(records, g, 0, NCHW, NCHW, 7);
    so_give(records, g, 1, NCHW, NCHW, 8);
    gt_plan *plan = so_select(g, records);
    ck_assert_double_eq(plan->schedule.predicted_ns, 15);
    check_transforms(plan, 0, NULL);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

/* A long way of large tensors: in NHWC one transform per block and 1 ns less in all, in NCHW no transform. However
 * many there are, a nanosecond counts more. */
START_TEST(ties_never_outweigh_a_nanosecond)
{
    enum { BLOCKS = 540 };
    gt_graph *g = gb_graph();
    gt_records *records = NULL;
    int x = gb_unary(g, gb_input(g, gt_shape_4d(1, 16, 2048, 2048)), GT_FN_SIGMOID, 0, 0);
    const gt_shape shape = g->tensors[x].shape;
    for (int i = 0; i < BLOCKS; i++) {
        x = gb_pool(g, x, GT_POOL_MAX, 3, 1, 1);
        (void)gb_relu(g, x);
    }
    (void)gb_unary(g, x, GT_FN_TANH, 0, 0);
    sc_finish(g);
    const int last = g->n_ops - 1;
    OK(gt_records_create(&records));
    so_give(records, g, 0, NHWC, NHWC, 1);
    so_give(records, g, 0, NCHW, NCHW, 1001);
    so_give(records, g, 1, NHWC, NHWC, 2);
    so_give(records, g, 1, NCHW, NCHW, 3);
    so_give(records, g, 2, NCHW, NCHW, 1); /* the relus, whose outputs the caller wants in NCHW */
    so_give(records, g, last, NHWC, NHWC, 1);
    so_give(records, g, last, NCHW, NCHW, 3);
    sc_add_transform(records, &shape, NCHW, NHWC, 1000);
    sc_add_transform(records, &shape, NHWC, NCHW, 1);
    gt_plan *plan = so_select(g, records);
    ck_assert_double_eq(plan->schedule.predicted_ns, 1001 + 4 * BLOCKS + 2);
    ck_assert_int_eq(plan->schedule.n_transforms, 1 + BLOCKS + 1);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

static Suite *select_suite(void)
{
    Suite *suite = suite_create("select");
    TCase *exact = tcase_create("exact");
    tcase_set_timeout(exact, 120);
    tcase_add_loop_test(exact, equals_exhaustive_search, 0, SC_FAMILY_COUNT);
    tcase_add_test(exact, two_hops_where_they_are_cheaper);
    tcase_add_test(exact, shared_transforms_are_paid_once);
    tcase_add_test(exact, stop_over_that_serves_two_readers);
    tcase_add_test(exact, stop_overs_that_need_each_other);
    tcase_add_test(exact, never_worse_by_a_fraction);
    tcase_add_test(exact, early_stop_gives_valid_bounds);
    tcase_add_test(exact, same_records_same_plan);
    tcase_add_test(exact, ties_prefer_fewer_transforms);
    tcase_add_test(exact, ties_never_outweigh_a_nanosecond);
    suite_add_tcase(suite, exact);
    return suite;
}

int main(void)
{
    seed = gt_test_seed(seed);
    return gt_test_run(select_suite());
}
