/* SPDX-License-Identifier: Apache-2.0 */
/* Min-marginals and the proof by elimination, against exhaustive search. GT_TEST_SEED changes the networks. */
#include "src/solve/cfn.h"
#include "tests/runner.h"
#include "tests/solve_networks.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#define MOST_VARIABLES 64
#define MOST_VALUES 64

static uint64_t seed = 20240917;

#define OK(expr) ck_assert_msg((expr) == GT_OK, "%s: %s", #expr, gt_error_message())

static const gt_test_costs cost_kinds[] = {
    {.range = 100},
    {.range = 3}, /* ties */
    {.range = 100, .forbidden = 15},
    {.range = 2, .forbidden = 30},
    {.range = 1000, .forbidden = 2, .structured = 50},
    {.range = (int64_t)1 << 50, .forbidden = 5},
};
#define COST_KINDS ((int)(sizeof cost_kinds / sizeof cost_kinds[0]))

typedef struct oracle {
    int64_t least;
    int64_t marginal[MOST_VARIABLES][MOST_VALUES];
} oracle;

static bool advance(const gt_cfn *cfn, int32_t *assignment)
{
    for (int32_t i = gt_cfn_variable_count(cfn); i-- > 0;) {
        if (++assignment[i] < gt_cfn_domain(cfn, i)) {
            return true;
        }
        assignment[i] = 0;
    }
    return false;
}

static void enumerate(oracle *o, const gt_cfn *cfn)
{
    int32_t assignment[MOST_VARIABLES] = {0}, count = gt_cfn_variable_count(cfn);
    ck_assert_int_le(count, MOST_VARIABLES);
    o->least = GT_CFN_INFINITE;
    for (int32_t i = 0; i < MOST_VARIABLES; i++) {
        for (int32_t x = 0; x < MOST_VALUES; x++) {
            o->marginal[i][x] = GT_CFN_INFINITE;
        }
    }
    do {
        int64_t cost = gt_cfn_evaluate(cfn, assignment);
        o->least = cost < o->least ? cost : o->least;
        for (int32_t i = 0; i < count; i++) {
            int64_t *m = &o->marginal[i][assignment[i]];
            *m = cost < *m ? cost : *m;
        }
    } while (advance(cfn, assignment));
}

static void check_marginals(const gt_cfn *cfn, const oracle *o, const gt_cfn_options *options, const char *what)
{
    gt_cfn_marginals m = {0};
    gt_status status = gt_cfn_min_marginals(cfn, &m, options);
    if (o->least == GT_CFN_INFINITE) {
        ck_assert_msg(status == GT_ERROR_UNSUPPORTED, "%s: status %s", what, gt_status_name(status));
        return;
    }
    ck_assert_msg(status == GT_OK, "%s: %s", what, gt_error_message());
    ck_assert_msg(m.exact && m.least == o->least, "%s: least %lld, not %lld", what, (long long)m.least, (long long)o->least);
    for (int32_t i = 0; i < gt_cfn_variable_count(cfn); i++) {
        for (int32_t x = 0; x < gt_cfn_domain(cfn, i); x++) {
            int64_t at = m.offset[i] + x;
            ck_assert_msg(m.cost[at] == o->marginal[i][x] && m.bound[at] == m.cost[at], "%s: %s: variable %d value %d: %lld, not %lld",
                          what, m.method, (int)i, (int)x, (long long)m.cost[at], (long long)o->marginal[i][x]);
        }
    }
    gt_cfn_marginals_destroy(&m);
}

static void shuffle(int32_t *order, int32_t count, gt_rng *rng)
{
    for (int32_t i = 0; i < count; i++) {
        int32_t j = (int32_t)gt_rng_below(rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

static void check_proof(const gt_cfn *cfn, const oracle *o, gt_rng *rng, const char *what)
{
    int32_t order[MOST_VARIABLES];
    int64_t least = -1;
    shuffle(order, gt_cfn_variable_count(cfn), rng);
    gt_status status = gt_cfn_verify(cfn, &least, order, 0);
    if (o->least == GT_CFN_INFINITE) {
        ck_assert_msg(status == GT_ERROR_UNSUPPORTED, "%s: status %s", what, gt_status_name(status));
    } else {
        ck_assert_msg(status == GT_OK && least == o->least, "%s: %lld, not %lld", what, (long long)least, (long long)o->least);
    }
}

START_TEST(equal_exhaustive_search)
{
    static const gt_cfn_options by_forcing = {.skip = GT_CFN_SKIP_ELIMINATION};
    gt_rng rng;
    oracle o;
    gt_rng_seed(&rng, seed + (uint64_t)_i);
    for (int k = 0; k < 20 * COST_KINDS; k++) {
        gt_cfn *cfn = NULL;
        char what[64];
        snprintf(what, sizeof what, "shape %d network %d", _i, k);
        OK(gt_test_small_network(&cfn, &rng, (gt_test_shape)_i, cost_kinds[k % COST_KINDS], 3000));
        enumerate(&o, cfn);
        check_marginals(cfn, &o, NULL, what);
        check_marginals(cfn, &o, &by_forcing, what);
        check_proof(cfn, &o, &rng, what);
        gt_cfn_destroy(cfn);
    }
}
END_TEST

/* On networks too large to enumerate, both ways agree, and the least marginals are the optimum. */
START_TEST(ways_agree_on_models)
{
    static const int32_t sizes[GT_TEST_MODEL_COUNT] = {4, 2, 3, 1};
    static const gt_cfn_options by_forcing = {.skip = GT_CFN_SKIP_ELIMINATION};
    gt_rng rng;
    gt_cfn *cfn = NULL;
    gt_cfn_marginals passes = {0}, forced = {0};
    gt_cfn_result result = {0};
    int64_t least = -1;
    gt_rng_seed(&rng, seed + 50 + (uint64_t)_i);
    OK(gt_test_model_network(&cfn, &rng, (gt_test_model)_i, 4, sizes[_i], 1.0F));
    OK(gt_cfn_solve(cfn, &result, NULL));
    OK(gt_cfn_min_marginals(cfn, &passes, NULL));
    OK(gt_cfn_min_marginals(cfn, &forced, &by_forcing));
    OK(gt_cfn_verify(cfn, &least, result.order, 0));
    ck_assert_str_eq(passes.method, "elimination");
    ck_assert_str_ne(forced.method, passes.method);
    ck_assert(passes.exact && forced.exact);
    ck_assert_int_eq(least, result.cost);
    ck_assert_int_eq(passes.least, result.cost);
    ck_assert_mem_eq(passes.cost, forced.cost, (size_t)passes.offset[passes.variables] * sizeof *passes.cost);
    gt_cfn_result_destroy(&result);
    gt_cfn_marginals_destroy(&passes);
    gt_cfn_marginals_destroy(&forced);
    gt_cfn_destroy(cfn);
}
END_TEST

/* What a budget leaves open is bounded from both sides. */
START_TEST(budgets_leave_valid_bounds)
{
    gt_rng rng;
    gt_cfn *cfn = NULL;
    gt_cfn_marginals exact = {0};
    int open = 0;
    gt_rng_seed(&rng, seed + 70);
    OK(gt_test_model_network(&cfn, &rng, GT_TEST_DENSENET, 4, 3, 1.0F));
    OK(gt_cfn_min_marginals(cfn, &exact, NULL));
    for (int64_t budget = 1 << 10; budget < 1 << 26; budget *= 8) {
        const gt_cfn_options options = {.work_budget = budget, .skip = GT_CFN_SKIP_ELIMINATION};
        gt_cfn_marginals m = {0};
        OK(gt_cfn_min_marginals(cfn, &m, &options));
        for (int64_t k = 0; k < m.offset[m.variables]; k++) {
            ck_assert(m.bound[k] <= exact.cost[k] && exact.cost[k] <= m.cost[k]);
        }
        open += !m.exact;
        gt_cfn_marginals_destroy(&m);
    }
    ck_assert_int_gt(open, 0);
    gt_cfn_marginals_destroy(&exact);
    gt_cfn_destroy(cfn);
}
END_TEST

START_TEST(wrong_orders_are_refused)
{
    gt_rng rng;
    gt_cfn *cfn = NULL;
    int32_t order[MOST_VARIABLES];
    int64_t least = 12345;
    gt_rng_seed(&rng, seed + 90);
    OK(gt_test_model_network(&cfn, &rng, GT_TEST_RESNET, 3, 2, 1.0F));
    int32_t count = gt_cfn_variable_count(cfn);
    ck_assert_int_le(count, MOST_VARIABLES);
    for (int32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    order[2] = 1;
    ck_assert_int_eq(gt_cfn_verify(cfn, &least, order, 0), GT_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "place 2"));
    order[2] = count;
    ck_assert_int_eq(gt_cfn_verify(cfn, &least, order, 0), GT_ERROR_ARGUMENT);
    order[2] = 2;
    ck_assert_int_eq(gt_cfn_verify(cfn, &least, order, 8), GT_ERROR_LIMIT);
    ck_assert_int_eq(least, 12345);
    OK(gt_cfn_verify(cfn, &least, order, 0));
    gt_cfn_destroy(cfn);
}
END_TEST

START_TEST(allocation_failures_leak_nothing)
{
    static const gt_cfn_options ways[] = {{0}, {.skip = GT_CFN_SKIP_ELIMINATION}};
    gt_rng rng;
    gt_cfn *cfn = NULL;
    gt_cfn_marginals m = {0};
    gt_status status = GT_ERROR_MEMORY;
    gt_rng_seed(&rng, seed + 95);
    OK(gt_test_model_network(&cfn, &rng, GT_TEST_DENSENET, 2, 1, 1.0F));
    int64_t live = gt_i_live_allocations(), n = 0;
    for (; status != GT_OK; n++) {
        gt_i_fail_allocation(n);
        status = gt_cfn_min_marginals(cfn, &m, &ways[_i]);
        gt_i_fail_allocation(-1);
        ck_assert(status == GT_OK || (status == GT_ERROR_MEMORY && gt_i_live_allocations() == live));
    }
    ck_assert(n > 10 && m.exact);
    gt_cfn_marginals_destroy(&m);
    ck_assert_int_eq(gt_i_live_allocations(), live);
    gt_cfn_destroy(cfn);
}
END_TEST

int main(void)
{
    seed = gt_test_seed(seed);
    Suite *suite = suite_create("marginals");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, equal_exhaustive_search, 0, GT_TEST_SHAPE_COUNT);
    tcase_add_loop_test(all, ways_agree_on_models, 0, GT_TEST_MODEL_COUNT);
    tcase_add_test(all, budgets_leave_valid_bounds);
    tcase_add_test(all, wrong_orders_are_refused);
    tcase_add_loop_test(all, allocation_failures_leak_nothing, 0, 2);
    suite_add_tcase(suite, all);
    return gt_test_run(suite);
}
