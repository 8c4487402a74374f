/* SPDX-License-Identifier: Apache-2.0 */
/* The solver against exhaustive search, along each of its paths. GT_TEST_SEED changes the networks. */
#include "src/solve/cfn.h"
#include "tests/runner.h"
#include "tests/solve_networks.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 20240611;

#define OK(expr) ck_assert_msg((expr) == GT_OK, "%s: %s", #expr, gt_error_message())

/* Every path through the solver has to give the same optimum. */
typedef struct path {
    const char *name;
    unsigned skip;
    int64_t memory_budget_bytes;
} path;

#define SEARCH_ONLY (GT_CFN_SKIP_REDUCTION | GT_CFN_SKIP_ELIMINATION | GT_CFN_SKIP_SPLITTING)

static const path paths[] = {
    {"default", 0, 0},
    {"no dominance", GT_CFN_SKIP_DOMINANCE, 0},
    {"elimination only", GT_CFN_SKIP_DOMINANCE | GT_CFN_SKIP_BOUNDS | GT_CFN_SKIP_REDUCTION, 0},
    {"reduction and search", GT_CFN_SKIP_BOUNDS | GT_CFN_SKIP_ELIMINATION, 0},
    {"little memory", 0, (int64_t)1 << 20},
    {"blocks", GT_CFN_SKIP_DOMINANCE | GT_CFN_SKIP_BOUNDS | GT_CFN_SKIP_ELIMINATION | GT_CFN_SKIP_REDUCTION, 0},
    {"bounds and search", SEARCH_ONLY | GT_CFN_SKIP_DOMINANCE, 0},
    {"dominance and search", SEARCH_ONLY | GT_CFN_SKIP_BOUNDS, 0},
    {"plain search", SEARCH_ONLY | GT_CFN_SKIP_BOUNDS | GT_CFN_SKIP_DOMINANCE, 0},
};
#define PATH_COUNT ((int)(sizeof paths / sizeof paths[0]))

static const gt_test_costs cost_kinds[] = {
    {.range = 100},
    {.range = 3},                                     /* ties */
    {.range = 100, .forbidden = 15},
    {.range = 2, .forbidden = 25},
    {.range = (int64_t)1 << 42, .forbidden = 5},
    {.range = 1000, .forbidden = 2, .structured = 50},
    {.range = 0, .forbidden = 30},                    /* satisfaction only */
    {.range = (int64_t)1 << 52},
};
#define COST_KINDS ((int)(sizeof cost_kinds / sizeof cost_kinds[0]))

static void check_result(const gt_cfn *cfn, const gt_cfn_result *result)
{
    ck_assert_int_eq(gt_cfn_evaluate(cfn, result->assignment), result->cost);
    ck_assert(result->lower_bound <= result->cost);
    ck_assert(result->optimal == (result->lower_bound == result->cost));
    ck_assert(result->optimal ? result->gap == 0 : result->gap > 0 && result->gap <= 1);
}

/* Solves along every path; `optimum` is GT_CFN_INFINITE if there is no feasible assignment. */
static void check_paths(const gt_cfn *cfn, int64_t optimum, const char *what)
{
    for (int p = 0; p < PATH_COUNT; p++) {
        const gt_cfn_options options = {.skip = paths[p].skip, .memory_budget_bytes = paths[p].memory_budget_bytes};
        gt_cfn_result result = {0};
        gt_status status = gt_cfn_solve(cfn, &result, &options);
        if (optimum == GT_CFN_INFINITE) {
            ck_assert_msg(status == GT_ERROR_UNSUPPORTED, "%s, %s: status %s", what, paths[p].name,
                          gt_status_name(status));
            ck_assert_ptr_null(result.assignment);
            continue;
        }
        ck_assert_msg(status == GT_OK, "%s, %s: %s", what, paths[p].name, gt_error_message());
        ck_assert_msg(result.cost == optimum && result.optimal, "%s, %s: cost %lld, optimum %lld, optimal %d", what,
                      paths[p].name, (long long)result.cost, (long long)optimum, result.optimal);
        check_result(cfn, &result);
        gt_cfn_result_destroy(&result);
    }
}

START_TEST(equals_exhaustive_search)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + (uint64_t)_i);
    int infeasible = 0;
    for (int k = 0; k < 25 * COST_KINDS; k++) {
        gt_cfn *cfn = NULL;
        gt_cfn_result best = {0};
        char what[64];
        snprintf(what, sizeof what, "shape %d network %d", _i, k);
        OK(gt_test_small_network(&cfn, &rng, (gt_test_shape)_i, cost_kinds[k % COST_KINDS], 4000));
        gt_status status = gt_cfn_solve_exhaustive(cfn, &best);
        ck_assert(status == GT_OK || status == GT_ERROR_UNSUPPORTED);
        infeasible += status != GT_OK;
        check_paths(cfn, status == GT_OK ? best.cost : GT_CFN_INFINITE, what);
        gt_cfn_result_destroy(&best);
        gt_cfn_destroy(cfn);
    }
    ck_assert_msg(infeasible > 0, "no infeasible network among them: the costs are too kind");
}
END_TEST

/* Too large to enumerate: paths that share little must agree. */
START_TEST(paths_agree_on_models)
{
    static const int32_t sizes[GT_TEST_MODEL_COUNT] = {6, 4, 5, 2};
    gt_rng rng;
    gt_rng_seed(&rng, seed + 100 + (uint64_t)_i);
    for (int k = 0; k < 3; k++) {
        static const float ratios[] = {0.1F, 1.0F, 2.0F};
        gt_cfn *cfn = NULL;
        int64_t cost = -1;
        OK(gt_test_model_network(&cfn, &rng, (gt_test_model)_i, 3, sizes[_i], ratios[k]));
        for (int p = 0; p < 6; p++) {
            const gt_cfn_options options = {.skip = paths[p].skip,
                                            .memory_budget_bytes = paths[p].memory_budget_bytes,
                                            .time_budget_ns = 1000000000};
            gt_cfn_result result = {0};
            OK(gt_cfn_solve(cfn, &result, &options));
            check_result(cfn, &result);
            ck_assert_msg(p > 2 || result.optimal, "model %d, %s: not proved", _i, paths[p].name);
            ck_assert(cost < 0 || (result.lower_bound <= cost && (!result.optimal || result.cost == cost)));
            cost = p == 0 ? result.cost : cost;
            gt_cfn_result_destroy(&result);
        }
        gt_cfn_destroy(cfn);
    }
}
END_TEST

START_TEST(solves_full_size_models)
{
    static const int32_t sizes[GT_TEST_MODEL_COUNT] = {16, 16, 16, 14};
    gt_rng rng;
    gt_rng_seed(&rng, seed + 200 + (uint64_t)_i);
    gt_cfn *cfn = NULL;
    gt_cfn_result result = {0};
    OK(gt_test_model_network(&cfn, &rng, (gt_test_model)_i, 5, sizes[_i], 1.0F));
    OK(gt_cfn_solve(cfn, &result, NULL));
    check_result(cfn, &result);
    ck_assert(result.optimal);
    printf("model %d: %d variables, width %d, %s, %lld nodes, %.3f ms\n", _i, (int)gt_cfn_variable_count(cfn),
           (int)result.width, result.method, (long long)result.nodes, (double)result.solver_ns / 1e6);
    gt_cfn_result_destroy(&result);
    gt_cfn_destroy(cfn);
}
END_TEST

/* A hard one: a clique of random costs, which no bound closes quickly. */
static gt_cfn *hard_network(int32_t variables, int32_t domain)
{
    gt_cfn *cfn = NULL;
    gt_rng rng;
    int64_t table[64];
    int32_t index = 0;
    gt_rng_seed(&rng, seed + 300);
    OK(gt_cfn_create(&cfn));
    for (int32_t j = 0; j < variables; j++) {
        OK(gt_cfn_add_variable(cfn, &index, "hard", domain, NULL));
        for (int32_t i = 0; i < j; i++) {
            for (int32_t k = 0; k < domain * domain; k++) {
                table[k] = gt_rng_below(&rng, 1000);
            }
            OK(gt_cfn_add_binary(cfn, i, j, table));
        }
    }
    return cfn;
}

START_TEST(exhausted_budget_leaves_valid_bounds)
{
    static const volatile int stopped = 1;
    gt_cfn *cfn = hard_network(9, 4);
    gt_cfn_result optimum = {0};
    OK(gt_cfn_solve_exhaustive(cfn, &optimum));
    const gt_cfn_options options[] = {
        {.node_limit = 1, .skip = GT_CFN_SKIP_ELIMINATION},
        {.node_limit = 7, .skip = GT_CFN_SKIP_ELIMINATION},
        {.node_limit = 50, .skip = GT_CFN_SKIP_ELIMINATION},
        {.time_budget_ns = 1, .skip = GT_CFN_SKIP_ELIMINATION},
        {.time_budget_ns = 1000000, .memory_budget_bytes = 1000},
        {.node_limit = 7, .memory_budget_bytes = 1000, .initial = optimum.assignment},
        {.memory_budget_bytes = 1},
        {.memory_budget_bytes = 200000, .skip = GT_CFN_SKIP_ELIMINATION},
        {.work_budget = 1},
        {.work_budget = 100000, .skip = GT_CFN_SKIP_ELIMINATION},
        {.stop = &stopped},
    };
    int unproved = 0;
    for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
        gt_cfn_result result = {0};
        OK(gt_cfn_solve(cfn, &result, &options[k]));
        check_result(cfn, &result);
        ck_assert(result.lower_bound <= optimum.cost && optimum.cost <= result.cost);
        ck_assert(options[k].node_limit == 0 || result.nodes <= options[k].node_limit);
        ck_assert(options[k].initial == NULL || result.cost == optimum.cost);
        ck_assert((result.stopped == NULL) == result.optimal);
        unproved += !result.optimal;
        gt_cfn_result_destroy(&result);
    }
    ck_assert_msg(unproved >= 2, "the budgets were not exhausted: %d", unproved);
    check_paths(cfn, optimum.cost, "hard");
    gt_cfn_result_destroy(&optimum);
    gt_cfn_destroy(cfn);
}
END_TEST

/* A budget of operations, unlike one of time, ends every run at the same place. */
START_TEST(work_budgets_are_deterministic)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 350);
    gt_cfn *cfn = NULL;
    int unproved = 0;
    OK(gt_test_model_network(&cfn, &rng, GT_TEST_DENSENET, 5, 12, 1.0F));
    for (int64_t budget = 1000; budget < (int64_t)1 << 24; budget *= 4) {
        const gt_cfn_options options = {.work_budget = budget};
        gt_cfn_result first = {0}, second = {0};
        OK(gt_cfn_solve(cfn, &first, &options));
        OK(gt_cfn_solve(cfn, &second, &options));
        check_result(cfn, &first);
        ck_assert_int_eq(first.cost, second.cost);
        ck_assert_int_eq(first.lower_bound, second.lower_bound);
        ck_assert_mem_eq(first.assignment, second.assignment, (size_t)gt_cfn_variable_count(cfn) * sizeof(int32_t));
        ck_assert(first.stopped == NULL || strcmp(first.stopped, "work") == 0);
        unproved += !first.optimal;
        gt_cfn_result_destroy(&first);
        gt_cfn_result_destroy(&second);
    }
    ck_assert_int_gt(unproved, 0);
    gt_cfn_destroy(cfn);
}
END_TEST

static void count_call(void *context, const gt_cfn_progress *progress)
{
    ck_assert(progress->lower_bound <= progress->cost);
    ck_assert_int_ge(progress->nodes, 0);
    ck_assert_int_gt(progress->elapsed_ns, 0);
    ++*(int *)context;
}

START_TEST(progress_is_told)
{
    gt_cfn *cfn = hard_network(40, 8);
    int calls = 0;
    const gt_cfn_options options = {.time_budget_ns = 1000000000, .skip = GT_CFN_SKIP_ELIMINATION | GT_CFN_SKIP_BOUNDS,
                                    .progress = count_call, .progress_context = &calls};
    gt_cfn_result result = {0};
    OK(gt_cfn_solve(cfn, &result, &options));
    check_result(cfn, &result);
    ck_assert(result.optimal || strcmp(result.stopped, "time") == 0);
    ck_assert_msg(result.optimal || calls > 0, "a second of search, and nothing was told");
    gt_cfn_result_destroy(&result);
    gt_cfn_destroy(cfn);
}
END_TEST

START_TEST(initial_assignment_is_never_lost)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 400);
    for (int k = 0; k < 200; k++) {
        gt_cfn *cfn = NULL;
        gt_cfn_result best = {0}, result = {0};
        int32_t initial[16] = {0};
        OK(gt_test_small_network(&cfn, &rng, (gt_test_shape)(k % GT_TEST_SHAPE_COUNT), cost_kinds[k % 3], 2000));
        for (int32_t i = 0; i < gt_cfn_variable_count(cfn); i++) {
            initial[i] = (int32_t)gt_rng_below(&rng, gt_cfn_domain(cfn, i));
        }
        gt_status status = gt_cfn_solve_exhaustive(cfn, &best);
        const gt_cfn_options options = {.initial = k % 2 == 0 || status != GT_OK ? initial : best.assignment,
                                        .skip = paths[k % PATH_COUNT].skip};
        gt_status solved = gt_cfn_solve(cfn, &result, &options);
        ck_assert_int_eq(solved, status);
        if (status == GT_OK) {
            ck_assert(result.optimal && result.cost == best.cost);
            check_result(cfn, &result);
        }
        gt_cfn_result_destroy(&best);
        gt_cfn_result_destroy(&result);
        gt_cfn_destroy(cfn);
    }
}
END_TEST

START_TEST(same_network_same_assignment)
{
    for (int m = 0; m < GT_TEST_MODEL_COUNT; m++) {
        int32_t *first = NULL;
        for (int run = 0; run < 2; run++) {
            gt_rng rng;
            gt_cfn *cfn = NULL;
            gt_cfn_result result = {0};
            gt_rng_seed(&rng, seed + 500);
            OK(gt_test_model_network(&cfn, &rng, (gt_test_model)m, 4, 5, 1.0F));
            OK(gt_cfn_solve(cfn, &result, NULL));
            size_t bytes = (size_t)gt_cfn_variable_count(cfn) * sizeof *first;
            if (run == 0) {
                first = result.assignment;
                result.assignment = NULL;
            } else {
                ck_assert_mem_eq(first, result.assignment, bytes);
            }
            gt_cfn_result_destroy(&result);
            gt_cfn_destroy(cfn);
        }
        gt_free(first);
    }
}
END_TEST

START_TEST(all_equal_costs_take_the_lowest_values)
{
    const int64_t flat[9] = {7, 7, 7, 7, 7, 7, 7, 7, 7};
    gt_cfn *cfn = NULL;
    gt_cfn_result result = {0};
    int32_t index = 0;
    OK(gt_cfn_create(&cfn));
    for (int32_t j = 0; j < 6; j++) {
        OK(gt_cfn_add_variable(cfn, &index, "flat", 3, NULL));
        for (int32_t i = 0; i < j; i++) {
            OK(gt_cfn_add_binary(cfn, i, j, flat));
        }
    }
    OK(gt_cfn_solve(cfn, &result, NULL));
    ck_assert_int_eq(result.cost, 7 * 15);
    for (int32_t i = 0; i < 6; i++) {
        ck_assert_int_eq(result.assignment[i], 0);
    }
    gt_cfn_result_destroy(&result);
    gt_cfn_destroy(cfn);
}
END_TEST

START_TEST(empty_and_single_networks)
{
    const int64_t unary[3] = {5, 2, 2};
    gt_cfn *cfn = NULL;
    gt_cfn_result result = {0};
    int32_t index = 0;
    OK(gt_cfn_create(&cfn));
    OK(gt_cfn_solve(cfn, &result, NULL));
    ck_assert(result.optimal && result.cost == 0);
    gt_cfn_result_destroy(&result);
    OK(gt_cfn_add_variable(cfn, &index, "one", 3, unary));
    OK(gt_cfn_solve(cfn, &result, NULL));
    ck_assert(result.optimal && result.cost == 2 && result.assignment[0] == 1);
    gt_cfn_result_destroy(&result);
    gt_cfn_destroy(cfn);
}
END_TEST

START_TEST(costs_near_the_limit)
{
    const int64_t large = (int64_t)1 << 56;
    const int64_t table[4] = {large, large - 1, large - 2, GT_CFN_INFINITE};
    gt_cfn *cfn = NULL;
    gt_cfn_result best = {0};
    int32_t index = 0;
    OK(gt_cfn_create(&cfn));
    for (int32_t j = 0; j < 4; j++) {
        OK(gt_cfn_add_variable(cfn, &index, "large", 2, NULL));
        for (int32_t i = 0; i < j; i++) {
            OK(gt_cfn_add_binary(cfn, i, j, table));
        }
    }
    OK(gt_cfn_solve_exhaustive(cfn, &best));
    check_paths(cfn, best.cost, "large costs");
    gt_cfn_result_destroy(&best);
    OK(gt_cfn_add_unary(cfn, 0, (int64_t[]){(int64_t)1 << 59, 0}));
    ck_assert_int_eq(gt_cfn_solve(cfn, &best, NULL), GT_ERROR_LIMIT);
    ck_assert_ptr_null(best.assignment);
    gt_cfn_destroy(cfn);
}
END_TEST

START_TEST(infeasible_networks_name_a_variable)
{
    const int64_t never[2] = {GT_CFN_INFINITE, GT_CFN_INFINITE};
    const int64_t different[4] = {GT_CFN_INFINITE, 0, 0, GT_CFN_INFINITE};
    const int64_t nothing[4] = {GT_CFN_INFINITE, GT_CFN_INFINITE, GT_CFN_INFINITE, GT_CFN_INFINITE};
    gt_cfn *cfn = NULL;
    gt_cfn_result result = {.cost = 77};
    int32_t a = 0, b = 0, c = 0;
    OK(gt_cfn_create(&cfn));
    OK(gt_cfn_add_variable(cfn, &a, "conv_1", 2, NULL));
    OK(gt_cfn_add_variable(cfn, &b, "conv_2", 2, NULL));
    OK(gt_cfn_add_variable(cfn, &c, "conv_3", 2, NULL));
    OK(gt_cfn_add_binary(cfn, a, b, different));
    OK(gt_cfn_add_binary(cfn, b, c, different));
    OK(gt_cfn_add_binary(cfn, a, c, different)); /* an odd cycle with two colours */
    ck_assert_int_eq(gt_cfn_solve(cfn, &result, NULL), GT_ERROR_UNSUPPORTED);
    ck_assert_int_eq(result.cost, 77);
    gt_cfn_destroy(cfn);

    OK(gt_cfn_create(&cfn));
    OK(gt_cfn_add_variable(cfn, &a, "conv_1", 2, NULL));
    OK(gt_cfn_add_variable(cfn, &b, "conv_2", 2, never));
    ck_assert_int_eq(gt_cfn_solve(cfn, &result, NULL), GT_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "'conv_2'"));
    gt_cfn_destroy(cfn);

    OK(gt_cfn_create(&cfn));
    OK(gt_cfn_add_variable(cfn, &a, "conv_1", 2, NULL));
    OK(gt_cfn_add_variable(cfn, &b, "conv_2", 2, NULL));
    OK(gt_cfn_add_binary(cfn, a, b, nothing));
    ck_assert_int_eq(gt_cfn_solve(cfn, &result, NULL), GT_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "'conv_"));
    gt_cfn_destroy(cfn);
}
END_TEST

START_TEST(wrong_arguments_are_refused)
{
    const int64_t negative[4] = {0, -1, 0, 0};
    const int64_t huge[2] = {0, GT_CFN_MAX_TOTAL + 1};
    const int32_t outside[1] = {2};
    const gt_cfn_options bad_initial = {.initial = outside}, bad_budget = {.time_budget_ns = -1};
    gt_cfn *cfn = NULL;
    gt_cfn_result result = {0};
    int32_t index = 0, untouched = 99;
    OK(gt_cfn_create(&cfn));
    ck_assert_int_eq(gt_cfn_add_variable(cfn, &untouched, "x", 0, NULL), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_cfn_add_variable(cfn, &untouched, "x", GT_CFN_MAX_DOMAIN + 1, NULL), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_cfn_add_variable(cfn, &untouched, "x", 2, negative), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_cfn_add_variable(cfn, &untouched, "x", 2, huge), GT_ERROR_LIMIT);
    ck_assert_int_eq(untouched, 99);
    OK(gt_cfn_add_variable(cfn, &index, "x", 2, NULL));
    ck_assert_int_eq(gt_cfn_solve(cfn, &result, &bad_initial), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_cfn_solve(cfn, &result, &bad_budget), GT_ERROR_ARGUMENT);
    OK(gt_cfn_add_variable(cfn, &index, "y", 2, NULL));
    ck_assert_int_eq(gt_cfn_add_binary(cfn, 0, 0, negative), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_cfn_add_binary(cfn, 0, 2, negative), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_cfn_add_binary(cfn, 0, 1, negative), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_cfn_add_unary(cfn, -1, negative), GT_ERROR_ARGUMENT);
    gt_cfn_destroy(cfn);
    gt_cfn_destroy(NULL);
}
END_TEST

static gt_status build_and_solve(int shape, const gt_cfn_options *options)
{
    gt_status status = GT_OK;
    gt_rng rng;
    gt_cfn *cfn = NULL;
    gt_cfn_result result = {0};
    gt_rng_seed(&rng, seed + 600);
    GT_TRY(gt_test_small_network(&cfn, &rng, (gt_test_shape)shape, cost_kinds[0], 100000));
    GT_TRY(gt_cfn_solve(cfn, &result, options));
done:
    gt_cfn_result_destroy(&result);
    gt_cfn_destroy(cfn);
    return status;
}

/* Fails every allocation in turn. */
START_TEST(allocation_failures_leak_nothing)
{
    for (int p = 0; p < PATH_COUNT; p++) {
        const gt_cfn_options options = {.skip = paths[p].skip, .memory_budget_bytes = paths[p].memory_budget_bytes,
                                        .node_limit = 40};
        int64_t live = gt_i_live_allocations(), failed = 0;
        for (int64_t k = 0;; k++) {
            gt_i_fail_allocation(k);
            gt_status status = build_and_solve(_i, &options);
            gt_i_fail_allocation(-1);
            ck_assert_int_eq(gt_i_live_allocations(), live);
            if (status == GT_OK) {
                break;
            }
            ck_assert_int_eq(status, GT_ERROR_MEMORY);
            failed++;
        }
        ck_assert_int_gt(failed, 10);
    }
}
END_TEST

static Suite *solve_suite(void)
{
    Suite *suite = suite_create("solve");
    TCase *exact = tcase_create("exact");
    tcase_set_timeout(exact, 120);
    tcase_add_loop_test(exact, equals_exhaustive_search, 0, GT_TEST_SHAPE_COUNT);
    tcase_add_loop_test(exact, paths_agree_on_models, 0, GT_TEST_MODEL_COUNT);
    tcase_add_loop_test(exact, solves_full_size_models, 0, GT_TEST_MODEL_COUNT);
    tcase_add_test(exact, exhausted_budget_leaves_valid_bounds);
    tcase_add_test(exact, work_budgets_are_deterministic);
    tcase_add_test(exact, progress_is_told);
    tcase_add_test(exact, initial_assignment_is_never_lost);
    tcase_add_test(exact, same_network_same_assignment);
    tcase_add_test(exact, all_equal_costs_take_the_lowest_values);
    tcase_add_test(exact, costs_near_the_limit);
    suite_add_tcase(suite, exact);
    TCase *interface = tcase_create("interface");
    tcase_set_timeout(interface, 120);
    tcase_add_test(interface, empty_and_single_networks);
    tcase_add_test(interface, infeasible_networks_name_a_variable);
    tcase_add_test(interface, wrong_arguments_are_refused);
    tcase_add_loop_test(interface, allocation_failures_leak_nothing, 0, GT_TEST_SHAPE_COUNT);
    suite_add_tcase(suite, interface);
    return suite;
}

int main(void)
{
    seed = gt_test_seed(seed);
    return gt_test_run(solve_suite());
}
