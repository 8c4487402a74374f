/* SPDX-License-Identifier: Apache-2.0 */
/* Plans against their records: what select makes is proved again, what was changed afterwards is found. GT_TEST_SEED changes
 * the networks. */
#include "src/tune/verify.h"

#include "src/tune/refine.h"
#include "tests/graph_build.h"
#include "tests/runner.h"
#include "tests/select_cases.h"
#include "tests/select_oracle.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint64_t seed = 20240721;

#define OK(expr) ck_assert_msg((expr) == GT_OK, "%s: %s", #expr, gt_error_message())

/* A network, its records, and the plan as it came back from its file. */
struct fixture {
    gt_graph *g;
    gt_records *records;
    gt_plan *plan;
};

static gt_plan *written_and_read(gt_plan *plan)
{
    char path[64];
    gt_plan *again = NULL;
    snprintf(path, sizeof path, "/tmp/graphtune-verify-%ld.json", (long)getpid());
    if (plan->model_file == NULL) {
        OK(gt_strdup(&plan->model_file, "model.onnx"));
    }
    memset(plan->model_sha256, 'a', sizeof plan->model_sha256 - 1);
    OK(gt_plan_write(plan, path));
    OK(gt_plan_read(&again, path));
    unlink(path);
    return again;
}

static gt_plan *choose(const struct fixture *f, const gt_select_options *options)
{
    gt_plan *plan = NULL;
    OK(gt_select(&plan, f->g, f->records, options));
    gt_plan *again = written_and_read(plan);
    gt_plan_destroy(plan);
    return again;
}

static struct fixture make_fixture(gt_rng *rng, const sc_costs *costs, int n_ops)
{
    struct fixture f = {.g = n_ops > 0 ? sc_large_graph(rng, n_ops) : sc_graph(rng, SC_MIXED)};
    gt_select_options o = so_options();
    OK(gt_records_create(&f.records));
    sc_add_records(f.records, f.g, rng, costs);
    f.plan = choose(&f, &o);
    return f;
}

static void destroy_fixture(struct fixture *f)
{
    gt_plan_destroy(f->plan);
    gt_records_destroy(f->records);
    gt_graph_destroy(f->g);
}

/* Concats of every pair of many tensors: too interwoven for tables. */
static struct fixture woven_fixture(gt_rng *rng)
{
    enum { n = 8 };
    int tensors[n];
    struct fixture f = {.g = gb_graph()};
    gt_select_options o = so_options();
    const int x = gb_input(f.g, gt_shape_4d(1, 8, 4, 4));
    for (int i = 0; i < n; i++) {
        tensors[i] = gb_conv(f.g, x, 8 + i, 1, 1, 0, 1, true);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            (void)gb_concat(f.g, 1, 2, (const int[]){tensors[i], tensors[j]});
        }
    }
    sc_finish(f.g);
    OK(gt_records_create(&f.records));
    sc_add_records(f.records, f.g, rng, &(sc_costs){.op_range = 100, .transform_range = 60});
    f.plan = choose(&f, &o);
    return f;
}

/* One that the solver does not prove before it looks at its budgets for the first time. */
static struct fixture hard_fixture(gt_rng *rng)
{
    for (int k = 0; k < 30; k++) {
        gt_select_options o = so_options();
        struct fixture f = woven_fixture(rng);
        o.work_budget = 1;
        gt_plan *stopped = choose(&f, &o);
        bool hard = stopped->result.lower_bound_ns < f.plan->result.predicted_ns;
        gt_plan_destroy(stopped);
        if (hard) {
            return f;
        }
        destroy_fixture(&f);
    }
    ck_abort_msg("none of 30 networks is hard");
}

static gt_verdict verdict_of(gt_verification *v, const struct fixture *f)
{
    const gt_select_options o = gt_select_defaults();
    OK(gt_verify(v, f->plan, f->g, f->records, &o));
    return gt_verification_verdict(v, f->plan);
}

/* The plan fails, and one difference has this field and, unless NULL, this place. */
static void expect_failure(const struct fixture *f, const char *where, const char *field)
{
    gt_verification v = {0};
    bool found = false;
    ck_assert_msg(verdict_of(&v, f) == GT_VERDICT_FAILED, "%s of %s was changed", field, where != NULL ? where : "the result");
    for (int i = 0; i < v.n_differences; i++) {
        const gt_difference *d = &v.differences[i];
        ck_assert_str_ne(d->planned, d->found);
        found |= strcmp(d->field, field) == 0 && (where == NULL || strcmp(d->where, where) == 0);
    }
    ck_assert_msg(found, "%s of %s: the first of %d differences is %s of %s", field, where != NULL ? where : "the result",
                  v.n_differences, v.differences[0].field, v.differences[0].where);
    gt_verification_clear(&v);
}

/* Makes the totals agree with a changed entry, as the loader wants them. */
static void add_up(gt_plan *plan)
{
    gt_plan_result *r = &plan->result;
    r->predicted_ns = 0;
    for (int i = 0; i < plan->schedule.n_ops; i++) {
        r->predicted_ns += plan->schedule.ops[i].ns;
    }
    for (int i = 0; i < plan->schedule.n_transforms; i++) {
        r->predicted_ns += plan->schedule.transforms[i].ns;
    }
    r->lower_bound_ns = r->predicted_ns;
    plan->schedule.predicted_ns = r->predicted_ns;
}

static const sc_costs costs = {.op_range = 100, .transform_range = 15};

/* ---- what is right ---- */

START_TEST(plans_are_proved_again)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed);
    for (int k = 0; k < 60; k++) {
        gt_verification v = {0};
        struct fixture f = make_fixture(&rng, &costs, k % 3 == 0 ? 25 : 0);
        ck_assert_msg(verdict_of(&v, &f) == GT_VERDICT_OPTIMUM, "network %d: %s", k,
                      v.n_differences > 0 ? v.differences[0].field : "not proved");
        ck_assert_int_eq(v.elimination.status, GT_PROOF_OPTIMUM);
        ck_assert_int_eq(v.search.status, GT_PROOF_OPTIMUM);
        ck_assert(v.cost_ns == f.plan->result.predicted_ns && v.bound_ns == v.cost_ns && v.least_ns == v.cost_ns);
        ck_assert_ptr_null(v.better_node);
        ck_assert_int_eq(v.n_ops, f.g->n_ops);
        gt_verification_clear(&v);
        destroy_fixture(&f);
    }
}
END_TEST

/* One layout; two of them; all but the first op's best candidate. */
START_TEST(restricted_plans_are_proved_by_their_own_rules)
{
    char forbid[128];
    const char *const forbids[] = {forbid};
    gt_rng rng;
    gt_rng_seed(&rng, seed + 1);
    struct fixture f = make_fixture(&rng, &costs, 25);
    const gt_plan_op *first = &f.plan->schedule.ops[0];
    snprintf(forbid, sizeof forbid, "%s=%s->%s", first->node, gt_layout_name(first->in), gt_layout_name(first->out));
    for (int k = 0; k < 3; k++) {
        gt_verification v = {0};
        gt_select_options o = so_options();
        o.only_layout = k == 0 ? GT_NHWC : -1;
        o.layouts = k == 1 ? 1u << GT_NCHW | 1u << GT_NHWC : o.layouts;
        o.n_forbids = k == 2 ? 1 : 0;
        o.forbids = forbids;
        struct fixture restricted = {f.g, f.records, NULL};
        gt_status status = gt_select(&restricted.plan, f.g, f.records, &o);
        ck_assert_msg(status == GT_OK || k > 0, "%s", gt_error_message());
        if (status == GT_OK) {
            gt_plan *again = written_and_read(restricted.plan);
            gt_plan_destroy(restricted.plan);
            restricted.plan = again;
            ck_assert_int_eq(verdict_of(&v, &restricted), GT_VERDICT_OPTIMUM);
            gt_verification_clear(&v);
        }
        gt_plan_destroy(restricted.plan);
    }
    destroy_fixture(&f);
}
END_TEST

/* Tables that are too large for the limit leave no order, and the search proves alone. */
START_TEST(search_alone_where_tables_do_not_fit)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 2);
    gt_select_options o = so_options();
    gt_verification v = {0};
    struct fixture f = make_fixture(&rng, &costs, 25);
    gt_plan_destroy(f.plan);
    o.solver_memory_bytes = 1024;
    f.plan = choose(&f, &o);
    ck_assert_ptr_null(f.plan->result.order);
    ck_assert_str_ne(f.plan->result.order_name, "");
    ck_assert(f.plan->result.table_entries > 0);
    verdict_of(&v, &f);
    ck_assert_int_eq(v.elimination.status, GT_PROOF_NONE);
    ck_assert_ptr_nonnull(v.elimination.note);
    ck_assert_int_eq(v.search.status, GT_PROOF_OPTIMUM);
    ck_assert_int_eq(v.n_differences, 0);
    gt_verification_clear(&v);
    destroy_fixture(&f);
}
END_TEST

/* A schedule that is not the best, and says so. */
static void make_plan_greedy(struct fixture *f, double bound_ns)
{
    gt_plan_result *r = &f->plan->result;
    ck_assert_str_eq(f->plan->alternatives[0].name, "greedy");
    gt_schedule greedy = f->plan->alternatives[0].schedule;
    f->plan->alternatives[0].schedule = f->plan->schedule;
    f->plan->schedule = greedy;
    r->predicted_ns = greedy.predicted_ns;
    r->lower_bound_ns = bound_ns;
    r->optimal = bound_ns == greedy.predicted_ns;
    r->gap = 1 - bound_ns / greedy.predicted_ns;
}

static struct fixture fixture_with_slow_greedy(gt_rng *rng)
{
    struct fixture f = make_fixture(rng, &costs, 25);
    while (f.plan->n_alternatives == 0 || strcmp(f.plan->alternatives[0].name, "greedy") != 0 ||
           f.plan->alternatives[0].schedule.predicted_ns < f.plan->schedule.predicted_ns + 4) {
        destroy_fixture(&f);
        f = make_fixture(rng, &costs, 25);
    }
    return f;
}

START_TEST(bounds_with_a_gap_are_proved_again)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 3);
    gt_verification v = {0};
    struct fixture f = fixture_with_slow_greedy(&rng);
    make_plan_greedy(&f, f.plan->result.lower_bound_ns - 1);
    ck_assert_int_eq(verdict_of(&v, &f), GT_VERDICT_BOUND);
    ck_assert_ptr_nonnull(v.better_node);
    ck_assert(v.least_ns < v.cost_ns);
    gt_verification_clear(&v);
    destroy_fixture(&f);
}
END_TEST

/* The plan of a stopped solver, with a bound that is right; what verification makes of it with the same limits. */
static gt_verdict verdict_within_limits(gt_verification *v, struct fixture *f)
{
    gt_select_options o = so_options();
    const double least = f->plan->result.predicted_ns;
    gt_plan_destroy(f->plan);
    o.work_budget = 1;
    f->plan = choose(f, &o);
    ck_assert_ptr_null(f->plan->result.order);
    f->plan->result.lower_bound_ns = least;
    f->plan->result.optimal = least == f->plan->result.predicted_ns;
    OK(gt_verify(v, f->plan, f->g, f->records, &o));
    ck_assert_int_eq(v->n_differences, 0);
    ck_assert(v->bound_ns <= least && least <= v->least_ns && v->least_ns <= v->cost_ns);
    return gt_verification_verdict(v, f->plan);
}

/* Limits that end the proof leave it open: neither proved nor wrong. Some networks are proved within the limits all the same,
 * as verification starts from another schedule than selection. */
START_TEST(limits_leave_the_bound_open)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 100);
    int open = 0;
    for (int k = 0; k < 40 && open < 2; k++) {
        gt_verification v = {0};
        struct fixture f = hard_fixture(&rng);
        const double least = f.plan->result.predicted_ns;
        if (verdict_within_limits(&v, &f) == GT_VERDICT_OPEN) {
            open++;
            ck_assert(v.bound_ns < least);
            ck_assert_int_eq(v.search.status, GT_PROOF_BOUND);
            ck_assert_str_eq(v.search.note, "work");
        }
        gt_verification_clear(&v);
        gt_verdict verdict = verdict_of(&v, &f);
        ck_assert(verdict == (f.plan->result.optimal ? GT_VERDICT_OPTIMUM : GT_VERDICT_BOUND));
        gt_verification_clear(&v);
        destroy_fixture(&f);
    }
    ck_assert_int_eq(open, 2);
}
END_TEST

/* ---- what was changed ---- */

START_TEST(changed_times_are_found)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 5);
    struct fixture f = fixture_with_slow_greedy(&rng);
    for (int i = 0; i < f.plan->schedule.n_ops; i += 5) {
        gt_plan_op *op = &f.plan->schedule.ops[i];
        op->ns += i % 2 == 0 ? 1 : 3;
        add_up(f.plan);
        expect_failure(&f, op->node, "ns");
        op->ns -= i % 2 == 0 ? 1 : 3;
    }
    for (int i = 0; i < f.plan->schedule.n_transforms; i++) {
        f.plan->schedule.transforms[i].ns += 1;
        add_up(f.plan);
        expect_failure(&f, f.plan->schedule.transforms[i].tensor, "ns");
        f.plan->schedule.transforms[i].ns -= 1;
    }
    add_up(f.plan);
    f.plan->result.predicted_ns -= 1e-3;
    f.plan->result.lower_bound_ns = f.plan->result.predicted_ns;
    expect_failure(&f, "result", "predicted_ns");
    add_up(f.plan);
    f.plan->alternatives[0].schedule.ops[0].ns += 1;
    expect_failure(&f, NULL, "ns");
    destroy_fixture(&f);
}
END_TEST

START_TEST(changed_entries_are_found)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 6);
    struct fixture f = make_fixture(&rng, &costs, 25);
    gt_plan_op *op = &f.plan->schedule.ops[3];
    char *old = op->config;
    op->config = "made_up=1";
    expect_failure(&f, op->node, "config");
    op->config = old;
    old = op->template_name;
    op->template_name = "made.up";
    expect_failure(&f, op->node, "template");
    op->template_name = old;
    op->rev++;
    expect_failure(&f, op->node, "rev");
    op->rev--;
    old = op->workload;
    op->workload = "made_up()";
    expect_failure(&f, op->node, "workload");
    op->workload = old;
    f.plan->schedule.n_ops--;
    expect_failure(&f, "ops", "count");
    f.plan->schedule.n_ops++;
    destroy_fixture(&f);
}
END_TEST

/* Another layout of an op leaves its neighbours without theirs, or has no record. */
START_TEST(changed_layouts_are_found)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 7);
    struct fixture f = make_fixture(&rng, &costs, 25);
    int changed = 0;
    for (int i = 0; i < f.plan->schedule.n_ops; i++) {
        gt_plan_op *op = &f.plan->schedule.ops[i];
        gt_verification v = {0};
        if (f.g->tensors[f.g->ops[i].output].shape.rank != 4) {
            continue;
        }
        gt_layout old = op->out;
        op->out = op->out == GT_NHWC ? GT_NCHW16C : GT_NHWC;
        ck_assert_msg(verdict_of(&v, &f) == GT_VERDICT_FAILED, "%s", op->node);
        ck_assert(strcmp(v.differences[0].field, "layout") == 0 || strcmp(v.differences[0].field, "layouts") == 0 ||
                  strcmp(v.differences[0].field, "transform") == 0);
        gt_verification_clear(&v);
        op->out = old;
        changed++;
    }
    ck_assert_int_gt(changed, 5);
    destroy_fixture(&f);
}
END_TEST

START_TEST(changed_transforms_are_found)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 8);
    struct fixture f = make_fixture(&rng, &costs, 25);
    while (f.plan->schedule.n_transforms == 0) {
        destroy_fixture(&f);
        f = make_fixture(&rng, &costs, 25);
    }
    gt_schedule *s = &f.plan->schedule;
    gt_verification v = {0};
    gt_layout old = s->transforms[0].to;
    s->transforms[0].to = s->transforms[0].from;
    ck_assert_int_eq(verdict_of(&v, &f), GT_VERDICT_FAILED);
    gt_verification_clear(&v);
    s->transforms[0].to = old;
    s->n_transforms--;
    add_up(f.plan);
    expect_failure(&f, s->transforms[s->n_transforms].tensor, "layout");
    s->n_transforms++;
    destroy_fixture(&f);
}
END_TEST

START_TEST(false_claims_are_found)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 9);
    struct fixture f = fixture_with_slow_greedy(&rng);
    const double least = f.plan->result.predicted_ns;
    const double greedy = f.plan->alternatives[0].schedule.predicted_ns;
    make_plan_greedy(&f, greedy);
    expect_failure(&f, "result", "lower_bound_ns");
    gt_verification v = {0};
    verdict_of(&v, &f);
    ck_assert(v.least_ns == least);
    ck_assert_ptr_nonnull(v.better_node);
    gt_verification_clear(&v);
    f.plan->result.lower_bound_ns = least + 1;
    f.plan->result.optimal = false;
    f.plan->result.gap = 1 - (least + 1) / greedy;
    expect_failure(&f, "result", "lower_bound_ns");
    destroy_fixture(&f);
}
END_TEST

START_TEST(changed_orders_are_found)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 10);
    struct fixture f = make_fixture(&rng, &costs, 25);
    gt_plan_variable *order = f.plan->result.order;
    ck_assert_int_gt(f.plan->result.n_order, 2);
    char *old = order[1].name;
    order[1].name = "nobody";
    expect_failure(&f, "result", "order");
    order[1].name = order[0].name;
    bool was_tensor = order[1].is_tensor;
    order[1].is_tensor = order[0].is_tensor;
    expect_failure(&f, "result", "order");
    order[1].name = old;
    order[1].is_tensor = was_tensor;
    f.plan->result.n_order--;
    expect_failure(&f, "result", "order");
    f.plan->result.n_order++;
    destroy_fixture(&f);
}
END_TEST

/* Records that were measured again, or added, after the plan was made. */
START_TEST(changed_records_are_found)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 11);
    struct fixture f = make_fixture(&rng, &costs, 25);
    int op = 0;
    while (f.plan->schedule.ops[op].ns < 10) {
        op++;
    }
    const gt_plan_op *entry = &f.plan->schedule.ops[op];
    gt_record r = {0};
    const gt_record *known = gt_records_find(f.records, GT_RECORD_OP, SC_DEVICE, SC_THREADS, entry->workload, entry->in,
                                             entry->out, entry->template_name, entry->config);
    ck_assert_ptr_nonnull(known);
    OK(gt_record_copy(&r, known));
    r.timing.median_ns -= 5;
    OK(gt_records_add(f.records, &r));
    expect_failure(&f, entry->node, "ns");
    gt_record_clear(&r);
    destroy_fixture(&f);
}
END_TEST

START_TEST(plans_without_a_selection_cannot_be_checked)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 12);
    gt_verification v = {0};
    const gt_select_options o = gt_select_defaults();
    struct fixture f = make_fixture(&rng, &costs, 0);
    gt_plan_selection *selection = f.plan->selection;
    f.plan->selection = NULL;
    ck_assert_int_eq(gt_verify(&v, f.plan, f.g, f.records, &o), GT_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "\"selection\" is missing"));
    f.plan->selection = selection;
    destroy_fixture(&f);
}
END_TEST

/* ---- refined plans ---- */

static gt_records *copy_of(const gt_records *records)
{
    gt_records *copy = NULL;
    OK(gt_records_create(&copy));
    for (int64_t i = 0; i < gt_records_count(records); i++) {
        OK(gt_records_add(copy, gt_records_at(records, i)));
    }
    return copy;
}

/* A refined plan is judged by the figures that it brings along, on records as they were before. */
START_TEST(refined_plans_are_proved_on_their_own_figures)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 13);
    gt_verification v = {0};
    gt_refine_report report = {0};
    gt_plan *plan = NULL;
    gt_select_options o = so_options();
    struct fixture f = make_fixture(&rng, &costs, 0);
    gt_records *isolated = copy_of(f.records);
    o.isa = gt_isa_best();
    OK(gt_refine(&plan, f.g, f.records, &o, 3, NULL, &report));
    gt_plan_destroy(f.plan);
    f.plan = written_and_read(plan);
    gt_plan_destroy(plan);
    gt_records_destroy(f.records);
    f.records = copy_of(isolated);
    ck_assert(f.plan->selection->is_refined);
    ck_assert_int_gt(f.plan->selection->n_refined, 0);
    ck_assert_int_eq(verdict_of(&v, &f), GT_VERDICT_OPTIMUM);
    ck_assert_int_eq(v.n_refined, f.plan->selection->n_refined);
    gt_verification_clear(&v);

    /* The same plan on the bare records, or with a figure changed, is not what it says. */
    gt_records_destroy(f.records);
    f.records = copy_of(isolated);
    f.plan->selection->is_refined = false;
    ck_assert_int_eq(verdict_of(&v, &f), GT_VERDICT_FAILED);
    gt_verification_clear(&v);
    f.plan->selection->is_refined = true;
    for (int i = 0; i < f.plan->selection->n_refined; i++) {
        f.plan->selection->refined[i].timing.median_ns *= 2;
    }
    ck_assert_int_eq(verdict_of(&v, &f), GT_VERDICT_FAILED);
    gt_verification_clear(&v);

    /* A figure of a candidate that nobody measured does not count. */
    gt_records_destroy(f.records);
    f.records = copy_of(isolated);
    gt_free(f.plan->selection->refined[0].config);
    OK(gt_strdup(&f.plan->selection->refined[0].config, "made_up=1"));
    o = gt_select_defaults();
    ck_assert_int_eq(gt_verify(&v, f.plan, f.g, f.records, &o), GT_ERROR_MISMATCH);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "selection.refined[0]"));
    gt_records_destroy(isolated);
    destroy_fixture(&f);
}
END_TEST

/* ---- limits of the selection itself ---- */

static void check_stopped(const struct fixture *f, const gt_select_options *o, const char *why)
{
    gt_verification v = {0};
    struct fixture stopped = {f->g, f->records, choose(f, o)};
    const gt_plan_result *r = &stopped.plan->result;
    const double least = f->plan->result.predicted_ns;
    ck_assert(!r->optimal);
    ck_assert_str_eq(r->stopped, why);
    ck_assert(r->lower_bound_ns <= least && least <= r->predicted_ns && r->gap > 0);
    ck_assert_int_gt(stopped.plan->n_alternatives, 1);
    for (int i = 0; i < stopped.plan->n_alternatives; i++) {
        ck_assert_double_le(r->predicted_ns, stopped.plan->alternatives[i].schedule.predicted_ns);
    }
    gt_verdict verdict = verdict_of(&v, &stopped);
    ck_assert(verdict == (least == r->predicted_ns ? GT_VERDICT_OPTIMUM : GT_VERDICT_BOUND));
    gt_verification_clear(&v);
    gt_plan_destroy(stopped.plan);
}

/* A limit that ends the solver at once leaves a schedule no worse than greedy and the single layouts, with its gap. */
START_TEST(limits_leave_the_best_schedule_so_far)
{
    static const int stop = 1;
    gt_select_options o = so_options();
    gt_rng rng;
    gt_rng_seed(&rng, seed + 100);
    struct fixture f = hard_fixture(&rng);
    o.work_budget = 1;
    check_stopped(&f, &o, "work");
    o.work_budget = 0;
    o.stop = &stop;
    check_stopped(&f, &o, "interrupted");
    o.stop = NULL;
    o.time_budget_s = 1e-9;
    check_stopped(&f, &o, "time");
    destroy_fixture(&f);
}
END_TEST

static Suite *verify_suite(void)
{
    Suite *suite = suite_create("verify");
    TCase *right = tcase_create("what is right");
    TCase *changed = tcase_create("what was changed");
    TCase *limits = tcase_create("limits");
    tcase_add_test(right, plans_are_proved_again);
    tcase_add_test(right, restricted_plans_are_proved_by_their_own_rules);
    tcase_add_test(right, search_alone_where_tables_do_not_fit);
    tcase_add_test(right, bounds_with_a_gap_are_proved_again);
    tcase_add_test(right, limits_leave_the_bound_open);
    tcase_add_test(right, refined_plans_are_proved_on_their_own_figures);
    suite_add_tcase(suite, right);
    tcase_add_test(changed, changed_times_are_found);
    tcase_add_test(changed, changed_entries_are_found);
    tcase_add_test(changed, changed_layouts_are_found);
    tcase_add_test(changed, changed_transforms_are_found);
    tcase_add_test(changed, false_claims_are_found);
    tcase_add_test(changed, changed_orders_are_found);
    tcase_add_test(changed, changed_records_are_found);
    tcase_add_test(changed, plans_without_a_selection_cannot_be_checked);
    suite_add_tcase(suite, changed);
    tcase_add_test(limits, limits_leave_the_best_schedule_so_far);
    suite_add_tcase(suite, limits);
    return suite;
}

int main(void)
{
    seed = gt_test_seed(seed);
    return gt_test_run(verify_suite());
}
