/* SPDX-License-Identifier: Apache-2.0 */
/* Dense layers and matrix products against the oracle on random odd shapes. */
#include "tests/kernel_check.h"
#include "tests/runner.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define SEED 20260403
#define RANDOM_SHAPES 200

static gt_workload *create(gt_op_kind kind, const gt_attrs *attrs, const gt_epilogue *epilogue, int n,
                           const gt_operand *inputs)
{
    gt_workload *w = NULL;
    gt_status status = gt_workload_create(&w, kind, attrs, epilogue, n, inputs, NULL);
    ck_assert_msg(status == GT_OK, "%s", gt_error_message());
    return w;
}

/* Sizes around the tiles' edges as well as small ones. */
static int64_t size_below(gt_rng *rng, int64_t bound)
{
    return 1 + gt_rng_below(rng, gt_rng_below(rng, 2) ? bound : 9);
}

static gt_workload *random_dense(gt_rng *rng)
{
    gt_attrs attrs = {.dense = {.rows = gt_rng_below(rng, 3) == 0}};
    int rank = attrs.dense.rows ? 3 + (int)gt_rng_below(rng, 2) : gt_rng_below(rng, 3) ? 4 : 2;
    int64_t k = size_below(rng, 150), features = 1, dim[4];
    for (int i = 0; i < rank; i++) {
        dim[i] = rank == 2 ? size_below(rng, 300) : size_below(rng, i == 1 ? 40 : 12);
        features *= i > 0 ? dim[i] : 1;
    }
    dim[0] = gt_rng_below(rng, 2) ? 1 : dim[0] % 30 + 1;
    int64_t weight[2] = {k, attrs.dense.rows ? dim[rank - 1] : features};
    gt_epilogue epilogue = kernel_check_random_epilogue(rng, false);
    gt_operand inputs[3] = {
        {.present = true, .dtype = GT_F32, .shape = gt_shape_of(rank, dim)},
        {.present = true, .constant = true, .dtype = GT_F32, .shape = gt_shape_of(2, weight)},
        {.present = gt_rng_below(rng, 3) > 0, .constant = true, .dtype = GT_F32, .shape = gt_shape_of(1, &k)},
    };
    return create(GT_OP_DENSE, &attrs, &epilogue, 3, inputs);
}

/* Batch axes of either side are left out or 1 at random. */
static gt_workload *random_matmul(gt_rng *rng)
{
    int64_t batch[3], dim[2][5], m = size_below(rng, 60), k = size_below(rng, 90), n = size_below(rng, 150);
    int axes = (int)gt_rng_below(rng, 4);
    gt_operand inputs[2] = {{0}};
    for (int i = 0; i < axes; i++) {
        batch[i] = 1 + gt_rng_below(rng, 4);
    }
    for (int side = 0; side < 2; side++) {
        int kept = gt_rng_below(rng, 2) ? axes : (int)gt_rng_below(rng, axes + 1);
        for (int i = 0; i < kept; i++) {
            dim[side][i] = gt_rng_below(rng, 3) ? batch[axes - kept + i] : 1;
        }
        dim[side][kept] = side == 0 ? m : k;
        dim[side][kept + 1] = side == 0 ? k : n;
        inputs[side] = (gt_operand){.present = true, .constant = gt_rng_below(rng, 3) == 0, .dtype = GT_F32,
                                    .shape = gt_shape_of(kept + 2, dim[side])};
    }
    return create(GT_OP_MATMUL, &(gt_attrs){0}, &(gt_epilogue){0}, 2, inputs);
}

START_TEST(dense)
{
    gt_rng rng;
    gt_rng_seed(&rng, SEED);
    kernel_check_only("dense.");
    for (int i = 0; i < gt_test_rounds(RANDOM_SHAPES); i++) {
        gt_workload *w = random_dense(&rng);
        ck_assert_int_gt(kernel_check(w, 4, &rng), 0);
        gt_workload_destroy(w);
    }
}
END_TEST

START_TEST(dense_any_layout)
{
    gt_rng rng;
    gt_rng_seed(&rng, SEED);
    kernel_check_only("dense.direct");
    /* Five layouts of the input and one configuration each, at least. */
    ck_assert_int_ge(kernel_check_workload("dense(1x21x3x5,19x315!,19!)->1x19{rows=0,act=relu}", 1, &rng), 5);
}
END_TEST

START_TEST(matmul)
{
    gt_rng rng;
    gt_rng_seed(&rng, SEED);
    kernel_check_only("matmul.");
    for (int i = 0; i < gt_test_rounds(RANDOM_SHAPES); i++) {
        gt_workload *w = random_matmul(&rng);
        ck_assert_int_gt(kernel_check(w, 4, &rng), 0);
        gt_workload_destroy(w);
    }
}
END_TEST

START_TEST(deep)
{
    gt_rng rng;
    gt_rng_seed(&rng, SEED);
    kernel_check_only("matmul.");
    ck_assert_int_gt(kernel_check_workload("matmul(70x1500,1500x77)->70x77", 8, &rng), 0);
    kernel_check_only("dense.");
    ck_assert_int_gt(kernel_check_workload("dense(3x5000,37x5000!,37!)->3x37{rows=0,act=sigmoid}", 6, &rng),
                     0);
    ck_assert_int_gt(kernel_check_workload("dense(1x5003,70x5003!,70!)->1x70{rows=0,act=tanh}", 6, &rng), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dense");
    TCase *tests = tcase_create("dense");
    printf("seed %d\n", SEED);
    tcase_set_timeout(tests, 900);
    tcase_add_test(tests, dense);
    tcase_add_test(tests, dense_any_layout);
    tcase_add_test(tests, matmul);
    tcase_add_test(tests, deep);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
