/* SPDX-License-Identifier: Apache-2.0 */
/* Selection under a memory limit against every combination of choices, each built as a program. GT_TEST_SEED changes the
 * networks. */
#include "src/plan/program.h"
#include "src/tune/select_memory_internal.h"
#include "tests/graph_build.h"
#include "tests/runner.h"
#include "tests/select_cases.h"
#include "tests/select_oracle.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static uint64_t seed = 20250311;

#define NETWORKS 12 /* per family */
#define COMBINATIONS 600
#define LIMITS 4

#define OK(expr) ck_assert_msg((expr) == GT_OK, "%s: %s", #expr, gt_error_message())

/* Every combination of one network. */
struct truth {
    int n;
    double ns[8 * COMBINATIONS];
    int64_t arena[8 * COMBINATIONS];
    int64_t least, most;
    double fastest;
};

static void add_combination(struct truth *truth, const gt_selection *s, gt_footprint *f, const int32_t *values,
                            const char *what)
{
    gt_schedule schedule = {0};
    gt_program *program = NULL;
    int64_t arena_bytes = 0;
    const gt_status status = gt_i_schedule(s, values, &schedule);
    if (status == GT_ERROR_UNSUPPORTED) {
        ck_assert(gt_i_footprint(f, &arena_bytes, NULL, values, INT64_MAX) == GT_ERROR_UNSUPPORTED);
        return;
    }
    ck_assert_int_eq(status, GT_OK);
    OK(gt_program_build(&program, s->graph, &schedule));
    OK(gt_i_footprint(f, &arena_bytes, NULL, values, INT64_MAX));
    ck_assert_msg(arena_bytes == program->arena_bytes, "%s: footprint %lld, program %lld", what, (long long)arena_bytes,
                  (long long)program->arena_bytes);
    ck_assert_int_lt(truth->n, 8 * COMBINATIONS);
    truth->ns[truth->n] = schedule.predicted_ns;
    truth->arena[truth->n++] = arena_bytes;
    truth->least = arena_bytes < truth->least ? arena_bytes : truth->least;
    truth->most = arena_bytes > truth->most ? arena_bytes : truth->most;
    truth->fastest = fmin(truth->fastest, schedule.predicted_ns);
    gt_program_destroy(program);
    gt_schedule_clear(&schedule);
}

static void try_all(struct truth *truth, const gt_selection *s, const char *what)
{
    int32_t values[MAX_OPS] = {0};
    gt_lifetimes *l = NULL;
    gt_footprint *f = NULL;
    uint32_t *allowed = NULL;
    int64_t least = 0;
    const int n = s->graph->n_ops;
    *truth = (struct truth){.least = INT64_MAX, .fastest = HUGE_VAL};
    OK(gt_i_lifetimes_create(&l, s));
    OK(gt_i_footprint_create(&f, l));
    for (int at = 0; at < n;) {
        add_combination(truth, s, f, values, what);
        for (at = 0; at < n && ++values[at] == s->domains[at].n; at++) {
            values[at] = 0;
        }
    }
    OK(gt_i_restrict(s, -1, &allowed));
    OK(gt_i_least_arena(&least, l, allowed));
    ck_assert_msg(least <= truth->least, "%s: a schedule needs %lld, \"proved\" least %lld", what, (long long)truth->least,
                  (long long)least);
    gt_free(allowed);
    gt_i_footprint_destroy(f);
    gt_i_lifetimes_destroy(l);
}

static double fastest_within(const struct truth *truth, int64_t limit)
{
    double best = HUGE_VAL;
    for (int i = 0; i < truth->n; i++) {
        best = truth->arena[i] <= limit ? fmin(best, truth->ns[i]) : best;
    }
    return best;
}

/* What the searches of all networks came to. */
static struct {
    int limits, binding, equal, proved, missed; /* binding: the unlimited optimum does not fit */
    int points, exact_points;
    double worst; /* latency over the true optimum */
} score;

static void check_limit(const struct truth *truth, const gt_graph *g, const gt_records *records, int64_t limit,
                        const char *what)
{
    gt_select_options options = so_options();
    gt_plan *plan = NULL;
    const double best = fastest_within(truth, limit);
    options.max_memory_bytes = limit;
    options.alternatives = false;
    const gt_status status = gt_select(&plan, g, records, &options);
    if (status != GT_OK) {
        ck_assert_msg(status == GT_ERROR_LIMIT, "%s: %s", what, gt_error_message());
        ck_assert_msg(strstr(gt_error_message(), "proved") == NULL || best == HUGE_VAL, "%s: %s", what, gt_error_message());
        ck_assert_ptr_nonnull(strstr(gt_error_message(), "the smallest found needs"));
        score.limits += best != HUGE_VAL ? 1 : 0;
        score.missed += best != HUGE_VAL ? 1 : 0;
        return;
    }
    const gt_plan_result *r = &plan->result;
    ck_assert_msg(plan->arena_bytes <= limit, "%s: arena %lld, limit %lld", what, (long long)plan->arena_bytes, (long long)limit);
    ck_assert_msg(r->predicted_ns >= best, "%s: %g ns, but the best of all takes %g", what, r->predicted_ns, best);
    ck_assert_msg(r->lower_bound_ns <= best, "%s: bound %g above the best %g", what, r->lower_bound_ns, best);
    ck_assert_msg(!r->optimal || r->predicted_ns == best, "%s: %g proved, %g exists", what, r->predicted_ns, best);
    ck_assert(r->predicted_ns == plan->schedule.predicted_ns && r->memory_limit_bytes == limit);
    ck_assert(r->unlimited_ns <= r->lower_bound_ns && r->schedules_compared >= 1);
    score.limits++;
    score.binding += r->schedules_compared > 1 ? 1 : 0;
    score.equal += r->predicted_ns == best ? 1 : 0;
    score.proved += r->optimal ? 1 : 0;
    score.worst = fmax(score.worst, best > 0 ? r->predicted_ns / best : 1);
    gt_plan_destroy(plan);
}

static void check_front(const struct truth *truth, const gt_graph *g, const gt_records *records, const char *what)
{
    gt_select_options options = so_options();
    gt_front *front = NULL;
    OK(gt_select_front(&front, g, records, &options, NULL, NULL));
    ck_assert_int_ge(front->n, 1);
    ck_assert_msg(front->points[0].predicted_ns == truth->fastest && front->points[0].optimal, "%s: front begins with %g, not %g",
                  what, front->points[0].predicted_ns, truth->fastest);
    ck_assert_msg(front->least_bytes <= truth->least, "%s: least %lld", what, (long long)front->least_bytes);
    for (int i = 0; i < front->n; i++) {
        const gt_front_point *p = &front->points[i];
        const double best = fastest_within(truth, p->arena_bytes);
        ck_assert_msg(p->predicted_ns >= best, "%s: point %d", what, i);
        ck_assert_msg(!p->optimal || p->predicted_ns == best, "%s: point %d is not optimal", what, i);
        ck_assert(i == 0 || (p->arena_bytes < p[-1].arena_bytes && p->predicted_ns > p[-1].predicted_ns));
        score.points++;
        score.exact_points += p->predicted_ns == best ? 1 : 0;
    }
    gt_front_destroy(front);
}

static bool can_try_all(const gt_selection *s)
{
    double n = 1;
    for (int i = 0; i < s->graph->n_ops; i++) {
        n *= s->domains[i].n;
    }
    return n <= 8 * COMBINATIONS;
}

/* A network of which all can be tried: concats in place come on top of what the records have. */
static void draw_network(gt_graph **g, gt_records **records, gt_selection **s, gt_rng *rng, sc_family family, const sc_costs *c,
                         const gt_select_options *options)
{
    do {
        gt_i_selection_destroy(*s);
        gt_records_destroy(*records);
        gt_graph_destroy(*g);
        *g = sc_graph(rng, family);
        OK(gt_records_create(records));
        sc_add_records(*records, *g, rng, c);
        OK(gt_i_selection_create(s, *g, *records, options));
    } while (!can_try_all(*s));
}

static void check_network(gt_rng *rng, sc_family family, int k, struct truth *truth)
{
    static const sc_costs costs[] = {{.op_range = 100, .transform_range = 40},
                                     {.op_range = 1000, .transform_range = 1000},
                                     {.op_range = 3, .transform_range = 3},
                                     {.op_range = 50, .transform_range = 20, .missing_percent = 20}};
    char what[64];
    gt_records *records = NULL;
    gt_selection *s = NULL;
    gt_select_options options = so_options();
    gt_graph *g = NULL;
    sc_costs c = costs[k % (int)(sizeof costs / sizeof *costs)];
    c.combinations = COMBINATIONS;
    options.max_memory_bytes = INT64_MAX; /* what a limit may need is to be tried as well */
    snprintf(what, sizeof what, "%s network %d", sc_family_name(family), k);
    draw_network(&g, &records, &s, rng, family, &c, &options);
    try_all(truth, s, what);
    if (truth->fastest != HUGE_VAL) {
        for (int i = 0; i <= LIMITS; i++) {
            check_limit(truth, g, records, truth->least + (truth->most - truth->least) * i / LIMITS, what);
        }
        check_limit(truth, g, records, truth->least - 1, what);
        check_front(truth, g, records, what);
    }
    gt_i_selection_destroy(s);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}

/* Never better than what exists, bounds and proofs hold; and how often it is the best is stated. */
START_TEST(equals_exhaustive_search)
{
    static struct truth truth;
    gt_rng rng;
    for (int family = 0; family < SC_FAMILY_COUNT; family++) {
        gt_rng_seed(&rng, seed + (uint64_t)family);
        for (int k = 0; k < NETWORKS; k++) {
            check_network(&rng, (sc_family)family, k, &truth);
        }
    }
    printf("limits %d, binding %d: fastest found %d, proved %d, none found though one fits %d, worst %.3f x; front points %d, exact %d\n",
           score.limits, score.binding, score.equal, score.proved, score.missed, score.worst, score.points, score.exact_points);
    fflush(stdout);
    ck_assert_int_ge(score.binding, 100);
    ck_assert_msg(score.equal * 100 >= score.limits * 95, "%d of %d limits", score.equal, score.limits);
    ck_assert_msg(score.exact_points * 100 >= score.points * 90, "%d of %d points", score.exact_points, score.points);
}
END_TEST

/* input 16 channels -> conv to 64, made in NHWC, of which one pool reads NCHW8c and one NHWC. The fastest copy to NCHW8c goes
 * through NCHW, and only a direct one fits. */
static gt_graph *stop_over(gt_records **records)
{
    gt_graph *g = gb_graph();
    const int x = gb_conv(g, gb_input(g, gt_shape_4d(1, 16, 8, 8)), 64, 1, 1, 0, 1, true);
    (void)gb_pool(g, x, GT_POOL_MAX, 3, 2, 1);
    (void)gb_pool(g, x, GT_POOL_AVERAGE, 3, 2, 1);
    sc_finish(g);
    OK(gt_records_create(records));
    so_give(*records, g, 0, GT_NHWC, GT_NHWC, 1);
    so_give(*records, g, 1, GT_NCHW8C, GT_NCHW8C, 1);
    so_give(*records, g, 2, GT_NHWC, GT_NHWC, 1);
    sc_add_all_transforms(*records, g, 1000);
    sc_add_transform(*records, &g->tensors[x].shape, GT_NHWC, GT_NCHW, 10);
    sc_add_transform(*records, &g->tensors[x].shape, GT_NCHW, GT_NCHW8C, 10);
    return g;
}

/* The search takes the fastest copies only; its proofs speak of all. */
START_TEST(slower_copies_are_not_ruled_out)
{
    gt_records *records = NULL;
    gt_select_options options = so_options();
    gt_plan *plan = NULL;
    gt_graph *g = stop_over(&records);
    const int64_t small = 16 * 8 * 8 * 4;
    options.max_memory_bytes = small * 13;
    OK(gt_select(&plan, g, records, &options));
    ck_assert(plan->result.optimal && plan->arena_bytes == small * 13);
    gt_plan_destroy(plan);
    plan = NULL;
    options.max_memory_bytes = small * 12;
    ck_assert_int_eq(gt_select(&plan, g, records, &options), GT_ERROR_LIMIT);
    ck_assert_msg(strstr(gt_error_message(), "proved") == NULL, "%s", gt_error_message());
    options.max_memory_bytes = small * 8;
    ck_assert_int_eq(gt_select(&plan, g, records, &options), GT_ERROR_LIMIT);
    ck_assert_msg(strstr(gt_error_message(), "proved") != NULL, "%s", gt_error_message());
    ck_assert_ptr_null(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

/* Where the fastest schedule fits, the limit changes nothing but what the plan says of it. */
START_TEST(a_wide_limit_changes_nothing)
{
    gt_records *records = NULL;
    gt_select_options options = so_options();
    gt_plan *plan = NULL;
    gt_graph *g = stop_over(&records);
    gt_plan *free_plan = so_select(g, records);
    options.max_memory_bytes = free_plan->arena_bytes;
    OK(gt_select(&plan, g, records, &options));
    ck_assert(plan->result.optimal && plan->result.predicted_ns == free_plan->result.predicted_ns);
    ck_assert(plan->result.unlimited_ns == plan->result.predicted_ns && plan->result.schedules_compared == 1);
    ck_assert_str_eq(plan->result.method, free_plan->result.method);
    gt_plan_destroy(free_plan);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

/* A larger network: what is found fits, twice the same, and no bound is crossed. */
START_TEST(large_networks)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed);
    for (int k = 0; k < 3; k++) {
        gt_records *records = NULL;
        gt_front *front[2] = {NULL, NULL};
        gt_select_options options = so_options();
        gt_graph *g = sc_large_graph(&rng, 40);
        OK(gt_records_create(&records));
        sc_add_records(records, g, &rng, &(sc_costs){.op_range = 1000, .transform_range = 300});
        for (int i = 0; i < 2; i++) {
            OK(gt_select_front(&front[i], g, records, &options, NULL, NULL));
        }
        ck_assert_int_eq(front[0]->n, front[1]->n);
        for (int i = 0; i < front[0]->n; i++) {
            const gt_front_point *p = &front[0]->points[i];
            gt_plan *plan = NULL;
            ck_assert(p->arena_bytes == front[1]->points[i].arena_bytes && p->predicted_ns == front[1]->points[i].predicted_ns);
            ck_assert_int_ge(p->arena_bytes, front[0]->least_bytes);
            options.max_memory_bytes = p->arena_bytes;
            if (i % 4 == 0) {
                OK(gt_select(&plan, g, records, &options));
                ck_assert_int_le(plan->arena_bytes, p->arena_bytes);
                ck_assert(!p->optimal || plan->result.predicted_ns >= p->predicted_ns);
                gt_plan_destroy(plan);
            }
        }
        gt_front_destroy(front[0]);
        gt_front_destroy(front[1]);
        gt_records_destroy(records);
        gt_graph_destroy(g);
    }
}
END_TEST

/* Allocations fail one after another, later ones in larger steps: an error and no leak, until all succeed. */
START_TEST(failed_allocations)
{
    gt_records *records = NULL;
    gt_select_options options = so_options();
    gt_graph *g = stop_over(&records);
    gt_status status = GT_ERROR_MEMORY;
    options.alternatives = false;
    int64_t k = 0;
    for (; status == GT_ERROR_MEMORY; k += 1 + k / 50) {
        gt_front *front = NULL;
        gt_i_fail_allocation(k);
        status = gt_select_front(&front, g, records, &options, NULL, NULL);
        gt_i_fail_allocation(-1);
        ck_assert_msg(status == GT_OK || (status == GT_ERROR_MEMORY && front == NULL), "allocation %lld: %s", (long long)k,
                      gt_error_message());
        gt_front_destroy(front);
    }
    ck_assert_int_gt(k, 100);
    options.max_memory_bytes = 16 * 8 * 8 * 4 * 12; /* searched, and nothing found: an error of its own */
    status = GT_ERROR_MEMORY;
    for (k = 0; status == GT_ERROR_MEMORY; k += 1 + k / 50) {
        gt_plan *plan = NULL;
        gt_i_fail_allocation(k);
        status = gt_select(&plan, g, records, &options);
        gt_i_fail_allocation(-1);
        ck_assert_ptr_null(plan);
        ck_assert_msg(status == GT_ERROR_MEMORY || status == GT_ERROR_LIMIT, "allocation %lld: %s", (long long)k, gt_error_message());
    }
    ck_assert_int_gt(k, 100);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

static Suite *memory_suite(void)
{
    Suite *suite = suite_create("select_memory");
    TCase *limits = tcase_create("limits");
    tcase_set_timeout(limits, 240);
    tcase_add_test(limits, equals_exhaustive_search);
    tcase_add_test(limits, slower_copies_are_not_ruled_out);
    tcase_add_test(limits, a_wide_limit_changes_nothing);
    tcase_add_test(limits, large_networks);
    tcase_add_test(limits, failed_allocations);
    suite_add_tcase(suite, limits);
    return suite;
}

int main(void)
{
    seed = gt_test_seed(seed);
    return gt_test_run(memory_suite());
}
