/* SPDX-License-Identifier: Apache-2.0 */
/* What selection makes of its records and options. GT_TEST_SEED changes the networks. */
#include "tests/graph_build.h"
#include "tests/runner.h"
#include "tests/select_cases.h"
#include "tests/select_oracle.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static uint64_t seed = 20240717;

#define OK(expr) ck_assert_msg((expr) == GT_OK, "%s: %s", #expr, gt_error_message())

static const gt_layout NCHW = GT_NCHW, NHWC = GT_NHWC, C8 = GT_NCHW8C;

START_TEST(missing_records_are_all_listed)
{
    gt_graph *g = gb_graph();
    gt_records *records = NULL;
    gt_plan *plan = NULL;
    gt_select_options options = so_options();
    int x = gb_relu(g, gb_input(g, gt_shape_4d(1, 8, 4, 4)));
    x = gb_conv(g, x, 8, 3, 1, 1, 1, true);
    x = gb_dense(g, gb_pool(g, x, GT_POOL_MAX, 2, 2, 0), 4, true);
    sc_finish(g);
    OK(gt_records_create(&records));
    so_give(records, g, 0, NCHW, NCHW, 5);
    so_give(records, g, 2, NCHW, NCHW, 5);
    ck_assert_int_eq(gt_select(&plan, g, records, &options), GT_ERROR_NOT_FOUND);
    ck_assert_ptr_null(plan);
    for (int i = 0; i < 4; i++) {
        char line[64];
        snprintf(line, sizeof line, "\n  %s: ", g->ops[i].name);
        ck_assert_msg((strstr(gt_error_message(), line) != NULL) == (i % 2 == 1), "op %d: %s", i, gt_error_message());
    }
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "2 of 4 ops"));
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "graphtune tune"));
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

START_TEST(missing_transforms_are_avoided_or_named)
{
    gt_records *records = NULL;
    gt_graph *g = so_two_ops(&records, C8, C8);
    gt_records *none = NULL;
    gt_plan *plan = NULL;
    gt_select_options options = so_options();
    OK(gt_records_create(&none));
    so_give(none, g, 0, C8, C8, 1);
    so_give(none, g, 1, C8, C8, 1);
    so_give(none, g, 0, NCHW, NCHW, 100);
    ck_assert_int_eq(gt_select(&plan, g, none, &options), GT_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(plan);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "transforms are missing for shapes 1x16x4x4;"));
    so_give(none, g, 1, NCHW, NCHW, 100);
    OK(gt_select(&plan, g, none, &options));
    ck_assert_double_eq(plan->schedule.predicted_ns, 200);
    for (int i = 0; i < plan->n_alternatives; i++) {
        ck_assert_str_ne(plan->alternatives[i].name, "greedy"); /* these two need transforms */
        ck_assert_str_ne(plan->alternatives[i].name, "NCHW8c");
    }
    gt_plan_destroy(plan);
    gt_records_destroy(none);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

/* ---- what counts as a record ---- */

/* Every decoy is faster than the right record, so one that counts shows. */
static void add_decoy(gt_records *records, const gt_record *right, int kind)
{
    char other_config[] = "made_up=1";
    char other_template[] = "conv2d.imaginary";
    gt_record r = *right;
    r.timing.median_ns = 1;
    switch (kind) {
    case 0:
        memcpy(r.device, "ffffffffffffffff", sizeof r.device);
        break;
    case 1:
        r.threads = SC_THREADS + 1;
        break;
    case 2:
        r.config = other_config;
        break;
    case 3:
        r.template_name = other_template;
        break;
    case 4: /* as if read from an older build's file; a config of its own keeps the right record alive */
        r.config = other_config;
        r.rev--;
        break;
    case 5:
        r.in = GT_NHWC;
        r.status = GT_RECORD_WRONG;
        break;
    default:
        r.in = GT_NHWC;
        r.source = GT_SOURCE_MODEL;
        break;
    }
    OK(gt_records_add(records, &r));
}

START_TEST(other_records_do_not_count)
{
    gt_records *records = NULL;
    gt_graph *g = so_two_ops(&records, NCHW, NCHW);
    const int64_t n = gt_records_count(records);
    for (int64_t i = 0; i < n; i++) {
        for (int kind = 0; kind < 7 && gt_records_at(records, i)->kind == GT_RECORD_OP; kind++) {
            add_decoy(records, gt_records_at(records, i), kind);
        }
    }
    gt_plan *plan = so_select(g, records);
    ck_assert_double_eq(plan->schedule.predicted_ns, 10);
    ck_assert_str_eq(plan->device, SC_DEVICE);
    gt_plan_destroy(plan);
    gt_select_options options = so_options();
    options.threads = SC_THREADS + 2;
    ck_assert_int_eq(gt_select(&plan, g, records, &options), GT_ERROR_NOT_FOUND);
    options.threads = SC_THREADS;
    options.device = "short";
    ck_assert_int_eq(gt_select(&plan, g, records, &options), GT_ERROR_ARGUMENT);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

/* A transform's figure decides as much as an op's, so its source stands in the plan too. */
START_TEST(weakest_source_is_stated)
{
    gt_records *records = NULL;
    gt_graph *g = so_two_ops(&records, NHWC, NHWC);
    gt_select_options options = so_options();
    gt_plan *plan = NULL;
    options.sources = 1u << GT_SOURCE_MEASURED | 1u << GT_SOURCE_MODEL;
    OK(gt_select(&plan, g, records, &options));
    ck_assert_int_eq(plan->source, GT_SOURCE_MEASURED);
    gt_plan_destroy(plan);
    for (int64_t i = 0; i < gt_records_count(records); i++) {
        gt_record r = *gt_records_at(records, i);
        if (r.kind == GT_RECORD_TRANSFORM && r.in == GT_NCHW && r.out == GT_NHWC) {
            r.source = GT_SOURCE_MODEL;
            OK(gt_records_add(records, &r));
        }
    }
    OK(gt_select(&plan, g, records, &options));
    ck_assert_int_eq(plan->source, GT_SOURCE_MODEL);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

START_TEST(layouts_can_be_left_out)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 300);
    for (int k = 0; k < 30; k++) {
        gt_graph *g = sc_graph(&rng, SC_MIXED);
        gt_records *records = NULL;
        gt_plan *plan = NULL;
        gt_select_options options = so_options();
        options.layouts = 1u << GT_NHWC; /* NCHW is added by itself */
        OK(gt_records_create(&records));
        sc_add_records(records, g, &rng, &(sc_costs){.op_range = 100, .transform_range = 50});
        OK(gt_select(&plan, g, records, &options));
        ck_assert_int_eq(plan->n_alternatives, 3);
        for (int i = 0; i < plan->schedule.n_ops; i++) {
            ck_assert(plan->schedule.ops[i].in <= GT_NHWC && plan->schedule.ops[i].out <= GT_NHWC);
        }
        for (int i = 0; i < plan->schedule.n_transforms; i++) {
            ck_assert(plan->schedule.transforms[i].from <= GT_NHWC && plan->schedule.transforms[i].to <= GT_NHWC);
        }
        gt_plan_destroy(plan);
        gt_records_destroy(records);
        gt_graph_destroy(g);
    }
}
END_TEST

START_TEST(only_layout_is_kept_to)
{
    static struct oracle o;
    gt_rng rng;
    gt_rng_seed(&rng, seed + 400 + (uint64_t)_i);
    for (int k = 0; k < 27; k++) {
        gt_graph *g = sc_graph(&rng, (sc_family)(k % SC_FAMILY_COUNT));
        gt_records *records = NULL;
        gt_plan *plan = NULL;
        gt_select_options options = so_options();
        unsigned allowed[MAX_OPS];
        options.only_layout = _i;
        OK(gt_records_create(&records));
        sc_add_records(records, g, &rng, &(sc_costs){.op_range = 100, .transform_range = 100});
        so_prepare(&o, g, records);
        so_single_layout(&o, (gt_layout)_i, allowed);
        OK(gt_select(&plan, g, records, &options));
        for (int i = 0; i < g->n_ops; i++) {
            const gt_plan_op *op = &plan->schedule.ops[i];
            bool found = false;
            for (int v = 0; v < o.n[i]; v++) {
                found |= (allowed[i] >> v & 1) != 0 && o.c[i][v].in == op->in && o.c[i][v].out == op->out;
            }
            ck_assert_msg(found, "op %s is in %s -> %s", op->node, gt_layout_name(op->in), gt_layout_name(op->out));
        }
        so_check_schedule(&o, &plan->schedule, 1e-6, "only layout");
        gt_plan_destroy(plan);
        gt_records_destroy(records);
        gt_graph_destroy(g);
    }
}
END_TEST

/* A graph whose outputs need no op at all. */
START_TEST(graph_without_ops)
{
    gt_graph *g = gb_graph();
    gt_records *records = NULL;
    gb_output(g, gb_input(g, gt_shape_4d(1, 3, 2, 2)));
    gb_output(g, gb_const(g, SHAPE(3), 0, 1));
    sc_finish(g);
    OK(gt_records_create(&records));
    gt_plan *plan = so_select(g, records);
    ck_assert_int_eq(plan->schedule.n_ops, 0);
    ck_assert_int_eq(plan->schedule.n_transforms, 0);
    ck_assert(plan->result.optimal && plan->result.predicted_ns == 0 && plan->result.gap == 0);
    ck_assert_int_eq(plan->n_outputs, 2);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

START_TEST(allocation_failures_leak_nothing)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 500);
    gt_graph *g = sc_graph(&rng, (sc_family)_i);
    gt_records *records = NULL;
    gt_select_options options = so_options();
    OK(gt_records_create(&records));
    sc_add_records(records, g, &rng, &(sc_costs){.op_range = 100, .transform_range = 50, .combinations = 500});
    const int64_t live = gt_i_live_allocations();
    int64_t failed = 0;
    for (int64_t k = 0;; k++) {
        gt_plan *plan = NULL;
        gt_i_fail_allocation(k);
        gt_status status = gt_select(&plan, g, records, &options);
        gt_i_fail_allocation(-1);
        gt_plan_destroy(plan);
        ck_assert_int_eq(gt_i_live_allocations(), live);
        if (status == GT_OK) {
            break;
        }
        ck_assert_msg(status == GT_ERROR_MEMORY && plan == NULL, "allocation %d: %s", (int)k, gt_error_message());
        failed++;
    }
    ck_assert_int_gt(failed, 30);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

static void throttle(gt_records *records, int64_t index)
{
    gt_record r = {0};
    OK(gt_record_copy(&r, gt_records_at(records, index)));
    r.throttled = true;
    OK(gt_records_add(records, &r));
    gt_record_clear(&r);
}

static void check_throttled(const gt_graph *g, const gt_records *records, int n)
{
    gt_plan *plan = so_select(g, records);
    ck_assert_int_eq(plan->schedule.n_ops + plan->schedule.n_transforms, 4);
    ck_assert_int_eq(plan->schedule.n_throttled, n);
    gt_plan_destroy(plan);
}

/* The schedule counts the records of a throttled machine among those that it rests on, and no others. */
START_TEST(throttled_records_are_counted)
{
    gt_records *records = NULL;
    gt_graph *g = so_two_ops(&records, C8, C8);
    so_give(records, g, 0, NHWC, NHWC, 5000);
    throttle(records, gt_records_count(records) - 1);
    check_throttled(g, records, 0);
    throttle(records, 0);
    check_throttled(g, records, 1);
    for (int64_t i = 0; i < gt_records_count(records); i++) {
        throttle(records, i);
    }
    check_throttled(g, records, 4);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

static Suite *select_suite(void)
{
    Suite *suite = suite_create("select, records");
    TCase *records = tcase_create("records");
    tcase_set_timeout(records, 120);
    tcase_add_test(records, missing_records_are_all_listed);
    tcase_add_test(records, missing_transforms_are_avoided_or_named);
    tcase_add_test(records, other_records_do_not_count);
    tcase_add_test(records, weakest_source_is_stated);
    tcase_add_test(records, throttled_records_are_counted);
    tcase_add_test(records, layouts_can_be_left_out);
    tcase_add_loop_test(records, only_layout_is_kept_to, 0, GT_LAYOUT_COUNT);
    tcase_add_test(records, graph_without_ops);
    tcase_add_loop_test(records, allocation_failures_leak_nothing, 0, SC_FAMILY_COUNT);
    suite_add_tcase(suite, records);
    return suite;
}

int main(void)
{
    seed = gt_test_seed(seed);
    return gt_test_run(select_suite());
}
