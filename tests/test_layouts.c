/* SPDX-License-Identifier: Apache-2.0 */
/* Layout descriptors and the transforms between every pair. */
#include "layouts/layout.h"
#include "src/base/rng.h"
#include "tests/runner.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 64
#define SEED 20240601

START_TEST(names_are_found)
{
    for (int i = 0; i < GT_LAYOUT_COUNT; i++) {
        ck_assert_int_eq(gt_layout_find(gt_layout_name((gt_layout)i)), i);
    }
    ck_assert_int_eq(gt_layout_find("nchw"), GT_LAYOUT_COUNT);
    ck_assert_int_eq(gt_layout_find(""), GT_LAYOUT_COUNT);
}
END_TEST

START_TEST(offsets_are_a_bijection)
{
    gt_shape shape = gt_shape_4d(2, 11, 3, 5);
    for (int l = 0; l < GT_LAYOUT_COUNT; l++) {
        gt_strides s = gt_layout_strides((gt_layout)l, &shape);
        int64_t block = gt_layout_block((gt_layout)l);
        ck_assert_int_eq(s.total, 2 * ((11 + block - 1) / block * block) * 15);
        char *seen = calloc(1, (size_t)s.total);
        for (int64_t i = 0; i < 2 * 11 * 15; i++) {
            int64_t at = gt_strides_offset(&s, i / 165, i / 15 % 11, i / 5 % 3, i % 5);
            ck_assert(at >= 0 && at < s.total && !seen[at]);
            seen[at] = 1;
        }
        free(seen);
    }
}
END_TEST

/* Every pair on one shape: each element lands where the descriptors say, padding is zero, guards are untouched. */
static void check_shape(const gt_shape *shape, gt_rng *rng)
{
    for (int pair = 0; pair < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; pair++) {
        gt_layout from = (gt_layout)(pair / GT_LAYOUT_COUNT);
        gt_layout to = (gt_layout)(pair % GT_LAYOUT_COUNT);
        gt_strides a = gt_layout_strides(from, shape);
        gt_strides b = gt_layout_strides(to, shape);
        float *src = calloc((size_t)a.total + 1, sizeof *src);
        float *dst = malloc(((size_t)b.total + 2 * GUARD) * sizeof *dst);
        gt_rng_fill(rng, src, (size_t)a.total, 1, 2);
        for (int64_t i = 0; i < b.total + 2 * GUARD; i++) {
            dst[i] = NAN;
        }
        int64_t tasks = gt_transform_tasks(shape, to, from);
        int64_t middle = tasks > 0 ? gt_rng_below(rng, tasks + 1) : 0;
        gt_transform_run(dst + GUARD, to, src, from, shape, middle, tasks);
        gt_transform_run(dst + GUARD, to, src, from, shape, 0, middle);
        for (int i = 0; i < GUARD; i++) {
            ck_assert(isnan(dst[i]) && isnan(dst[GUARD + b.total + i]));
        }
        double sum = 0;
        const int64_t *d = shape->dim;
        for (int64_t i = 0; i < gt_shape_elems(shape); i++) {
            int64_t n = i / (d[1] * d[2] * d[3]);
            int64_t c = i / (d[2] * d[3]) % d[1];
            int64_t h = i / d[3] % d[2];
            float want = src[gt_strides_offset(&a, n, c, h, i % d[3])];
            float got = dst[GUARD + gt_strides_offset(&b, n, c, h, i % d[3])];
            ck_assert_msg(want == got, "%s to %s, element %lld", gt_layout_name(from), gt_layout_name(to), (long long)i);
            sum += got;
        }
        for (int64_t i = 0; i < b.total; i++) {
            sum -= dst[GUARD + i]; /* NaN if anything was left out */
        }
        ck_assert_msg(fabs(sum) < 1e-6 * (double)(b.total + 1), "%s to %s: padding is not zero", gt_layout_name(from),
                      gt_layout_name(to));
        free(src);
        free(dst);
    }
}

START_TEST(every_pair_of_layouts_agrees_with_the_descriptors)
{
    gt_rng rng;
    gt_rng_seed(&rng, SEED + (uint64_t)_i);
    for (int i = 0; i < gt_test_rounds(12); i++) {
        gt_shape shape = gt_shape_4d(1 + gt_rng_below(&rng, 3), 1 + gt_rng_below(&rng, 70), 1 + gt_rng_below(&rng, 9),
                                     1 + gt_rng_below(&rng, 9));
        check_shape(&shape, &rng);
    }
}
END_TEST

START_TEST(edge_shapes)
{
    gt_rng rng;
    gt_rng_seed(&rng, SEED);
    const int64_t dims[][4] = {{1, 1, 1, 1}, {1, 3, 40, 41}, {2, 16, 1, 1}, {1, 17, 33, 32}, {1, 130, 5, 1}, {3, 4, 1, 7},
                               {1, 300, 5, 13}, {2, 515, 9, 9}, {1, 2, 33, 33},
                               {0, 4, 2, 2}, {1, 0, 2, 2}, {1, 4, 0, 2}};
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        gt_shape shape = gt_shape_of(4, dims[i]);
        check_shape(&shape, &rng);
    }
}
END_TEST

int main(void)
{
    printf("seed %d\n", SEED);
    Suite *suite = suite_create("layouts");
    TCase *tcase = tcase_create("layouts");
    tcase_add_test(tcase, names_are_found);
    tcase_add_test(tcase, offsets_are_a_bijection);
    tcase_add_loop_test(tcase, every_pair_of_layouts_agrees_with_the_descriptors, 0, 10);
    tcase_add_test(tcase, edge_shapes);
    tcase_set_timeout(tcase, 120);
    suite_add_tcase(suite, tcase);
    return gt_test_run(suite);
}
