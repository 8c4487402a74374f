/* SPDX-License-Identifier: Apache-2.0 */
/* What candidates should cost: loop nests, estimates, features, and the regression that learns what they leave. */
#include "costmodel/analytic.h"
#include "costmodel/predict.h"

#include "src/base/memory.h"
#include "src/base/rng.h"
#include "tests/runner.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const gt_machine machine = {.lanes = 4, .registers = 32, .threads = 1, .l1_bytes = 32 << 10, .l2_bytes = 512 << 10};
static gt_rng rng;

static void must(gt_status status)
{
    if (status != GT_OK) {
        ck_abort_msg("%s: %s", gt_status_name(status), gt_error_message());
    }
}

/* ---- loop nests ---- */

static const char *const workloads[] = {
    "conv2d(1x6x9x7,10x6x3x3!,10!,_)->1x10x9x7{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1,act=relu}",
    "conv2d(1x64x56x56,64x64x3x3!,64!,_)->1x64x56x56{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1}",
    "conv2d(2x3x224x224,64x3x7x7!,64!,_)->2x64x112x112{stride=2x2,pad=3x3x3x3,dilation=1x1,groups=1,act=relu}",
    "conv2d(1x32x14x14,32x8x3x3!,_,_)->1x32x14x14{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=4}",
    "conv2d(1x32x14x14,32x1x3x3!,_,_)->1x32x14x14{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=32}",
    "conv2d(1x96x7x7,24x96x1x1!,24!,_)->1x24x7x7{stride=1x1,pad=0x0x0x0,dilation=1x1,groups=1}",
    "conv_transpose2d(1x8x5x5,8x4x2x2!,_)->1x4x10x10{stride=2x2,pad=0x0x0x0,dilation=1x1,groups=1}",
    "dense(1x512,1000x512!,1000!)->1x1000{rows=0}",
    "matmul(1x49x64,64x32!)->1x49x32",
    "pool2d(1x8x8x8)->1x8x4x4{mode=max,kernel=2x2,stride=2x2,pad=0x0x0x0,dilation=1x1,count_pad=0}",
};

/* Knobs as in "tile=8,chunk=32"; the others keep their defaults. */
static void set_knobs(gt_config *config, const gt_space *space, const char *text)
{
    for (int i = 0; i < space->n && text != NULL; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s=", space->knob[i].name);
        const char *at = strstr(text, name);
        config->value[i] = at != NULL ? atoi(at + strlen(name)) : config->value[i];
    }
}

static gt_nest nest_of(const char *key, const char *name, gt_layout in, gt_layout out, const char *config_text)
{
    gt_workload *w = NULL;
    gt_space space;
    gt_config config;
    gt_nest nest;
    const gt_template *t = gt_template_find(name);
    must(gt_workload_parse(&w, key));
    ck_assert(gt_template_supports(t, w, in, out));
    gt_template_space(t, w, in, out, &space);
    gt_space_point(&space, 0, &config);
    set_knobs(&config, &space, config_text);
    gt_nest_describe(&nest, &machine, t, w, in, out, &space, &config);
    gt_workload_destroy(w);
    return nest;
}

static void check_nest(const gt_nest *nest, const char *key, const char *name)
{
    const double numbers[] = {nest->macs, nest->fma, nest->loads, nest->inner, nest->around, nest->calls, nest->l1_bytes,
                              nest->l2_bytes, nest->memory_bytes, nest->tile_bytes, nest->block_bytes};
    for (size_t i = 0; i < COUNT(numbers); i++) {
        ck_assert_msg(isfinite(numbers[i]) && numbers[i] >= 0, "%s of %s: number %zu is %g", name, key, i, numbers[i]);
    }
    ck_assert_msg(nest->tasks >= 1, "%s of %s: %g tasks", name, key, nest->tasks);
    ck_assert_msg(nest->fma * machine.lanes >= nest->macs * 0.99, "%s of %s: %g vectors do %g multiply-adds", name, key,
                  nest->fma, nest->macs);
    ck_assert_msg(nest->inner >= nest->fma * 0.99, "%s of %s: %g multiply-adds in %g cycles", name, key, nest->fma, nest->inner);
    ck_assert(gt_nest_cycles(nest, &machine) >= nest->inner / nest->tasks);
}

/* Every point of every space has an estimate that makes sense; large spaces are drawn from. */
START_TEST(test_every_template)
{
    gt_workload *w = NULL;
    int described = 0;
    must(gt_workload_parse(&w, workloads[_i]));
    for (size_t i = 0; i < gt_template_count(); i++) {
        for (int pair = 0; pair < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; pair++) {
            const gt_template *t = gt_template_at(i);
            gt_layout in = (gt_layout)(pair / GT_LAYOUT_COUNT), out = (gt_layout)(pair % GT_LAYOUT_COUNT);
            gt_space space;
            if (t->view || !gt_template_supports(t, w, in, out)) {
                continue;
            }
            gt_template_space(t, w, in, out, &space);
            for (int64_t p = 0; p < gt_space_size(&space); p += gt_space_size(&space) > 200 ? 1 + gt_rng_below(&rng, 40) : 1) {
                gt_config config;
                gt_nest nest;
                gt_space_point(&space, p, &config);
                if (gt_template_valid(t, w, in, out, &config)) {
                    gt_nest_describe(&nest, &machine, t, w, in, out, &space, &config);
                    check_nest(&nest, w->key, t->name);
                    described++;
                }
            }
        }
    }
    ck_assert_int_gt(described, 0);
    gt_workload_destroy(w);
}
END_TEST

#define CONV64 "conv2d(1x64x56x56,64x64x3x3!,64!,_)->1x64x56x56{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1}"
#define DIRECT64(vectors, tile) "oc_vectors=" vectors ",ow_tile=" tile ",ic_chunk=64"

START_TEST(test_conv_counts)
{
    double macs = 64.0 * 64 * 9 * 56 * 56;
    gt_nest direct = nest_of(CONV64, "conv2d.direct", GT_NCHW8C, GT_NCHW8C, DIRECT64("2", "8"));
    ck_assert_double_eq(direct.macs, macs);
    ck_assert_double_eq_tol(direct.fma * 4, macs, 1);
    /* 2 vectors of weights and 8 inputs for 16 multiply-adds; one vector and one position need two loads for each. */
    ck_assert_double_eq_tol(direct.loads / direct.fma, 10.0 / 16, 1e-9);
    gt_nest thin = nest_of(CONV64, "conv2d.direct", GT_NCHW8C, GT_NCHW8C, DIRECT64("1", "1"));
    ck_assert_double_eq_tol(thin.loads / thin.fma, 2, 1e-9);
    ck_assert(gt_nest_cycles(&thin, &machine) > 3 * gt_nest_cycles(&direct, &machine));
    /* Winograd: (m + 2)^2 / (9 m^2). */
    gt_nest f2 = nest_of(CONV64, "conv2d.winograd_f2", GT_NCHW8C, GT_NCHW8C, NULL);
    gt_nest f4 = nest_of(CONV64, "conv2d.winograd_f4", GT_NCHW8C, GT_NCHW8C, NULL);
    ck_assert_double_eq_tol(f2.macs / macs, 16.0 / 36, 1e-9);
    ck_assert_double_eq_tol(f4.macs / macs, 36.0 / 144, 1e-9);
    ck_assert(f4.fma < f2.fma && f2.fma < direct.fma && direct.around < f2.around);
}
END_TEST

/* Channels that do not fill a vector cost as much as those that do. */
START_TEST(test_empty_lanes)
{
    const char *key = "conv2d(1x16x8x8,%dx16x3x3!,_,_)->1x%dx8x8{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1}";
    char nine[160], twelve[160];
    snprintf(nine, sizeof nine, key, 9, 9);
    snprintf(twelve, sizeof twelve, key, 12, 12);
    gt_nest a = nest_of(nine, "conv2d.direct", GT_NHWC, GT_NHWC, NULL), b = nest_of(twelve, "conv2d.direct", GT_NHWC, GT_NHWC, NULL);
    ck_assert_double_eq_tol(a.fma, b.fma, 1e-6);
    ck_assert_double_eq_tol(a.macs / b.macs, 9.0 / 12, 1e-9);
}
END_TEST

#define CONV512 "conv2d(1x512x14x14,512x512x3x3!,_,_)->1x512x14x14{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1}"

/* Weights that stay in the first level enter it once; 144 KiB of a register tile's channels do not stay. */
START_TEST(test_chunks_fit)
{
    gt_nest chunked = nest_of(CONV512, "conv2d.direct", GT_NCHW8C, GT_NCHW8C,
                              "oc_vectors=2,ow_tile=7,ic_chunk=32,oc_block=8,oh_tile=14");
    gt_nest whole = nest_of(CONV512, "conv2d.direct", GT_NCHW8C, GT_NCHW8C,
                            "oc_vectors=2,ow_tile=7,ic_chunk=512,oc_block=8,oh_tile=14");
    ck_assert(chunked.tile_bytes < machine.l1_bytes / 2 && whole.tile_bytes > machine.l1_bytes);
    ck_assert(chunked.l1_bytes < whole.l1_bytes);
    ck_assert(chunked.around > whole.around); /* partial sums */
}
END_TEST

/* Register tiles are as the kernels cut them: two vectors of NEON leave room for 8 positions, Winograd's four for 5 rows. */
START_TEST(test_register_tiles)
{
    gt_nest asked = nest_of(CONV64, "conv2d.direct", GT_NCHW8C, GT_NCHW8C, DIRECT64("2", "14"));
    gt_nest cut = nest_of(CONV64, "conv2d.direct", GT_NCHW8C, GT_NCHW8C, DIRECT64("2", "8"));
    ck_assert_double_eq(asked.inner, cut.inner);
    ck_assert_double_eq(asked.loads, cut.loads);
    /* 196 tiles of 4x4 are 40 groups of 4.9 rows. */
    gt_nest wide = nest_of(CONV64, "conv2d.winograd_f4", GT_NCHW8C, GT_NCHW8C, "vectors=4,tile_block=256,oc_block=64");
    ck_assert_double_eq_tol(wide.loads / wide.fma, (4 + 4.9) / (4 * 4.9), 1e-9);
    gt_nest tall = nest_of(CONV64, "conv2d.winograd_f4", GT_NCHW8C, GT_NCHW8C, "vectors=2,tile_block=256,oc_block=64");
    ck_assert_double_eq_tol(tall.loads / tall.fma, (2 + 7.84) / (2 * 7.84), 1e-9);
}
END_TEST

/* Each input that a tile reaches is loaded once; rows are cut into tiles of the chosen width and smaller ones. */
START_TEST(test_depthwise_counts)
{
#define DEPTHWISE "conv2d(1x32x28x28,32x1x3x3!,_,_)->1x32x28x28{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=32}"
    gt_nest one = nest_of(DEPTHWISE, "depthwise.direct", GT_NHWC, GT_NHWC, "ow_tile=4,rows=1,oh_tile=28");
    gt_nest two = nest_of(DEPTHWISE, "depthwise.direct", GT_NHWC, GT_NHWC, "ow_tile=4,rows=2,oh_tile=28");
    gt_nest odd = nest_of(DEPTHWISE, "depthwise.direct", GT_NHWC, GT_NHWC, "ow_tile=8,rows=2,oh_tile=16");
    double fma = 32 / 4 * 28 * 28 * 9;
    ck_assert_double_eq_tol(one.fma, fma, 1e-6);
    ck_assert_double_eq_tol(two.fma, fma, 1e-6);
    ck_assert_double_eq_tol(odd.fma, fma, 1e-6);
    /* 3 rows of 6 inputs, 9 weights and 4 biases for 36 multiply-adds; 4 rows and 8 biases for 72. */
    ck_assert_double_eq_tol(one.loads / one.fma, (18 + 9 + 4) / 36.0, 1e-9);
    ck_assert_double_eq_tol(two.loads / two.fma, (24 + 8) / 72.0, 1e-9);
    /* 3 tiles of 8 and one of 4 a row. */
    ck_assert_double_eq_tol(odd.loads / odd.fma, (3 * (40 + 16) + 24 + 8) / (28 * 18.0), 1e-9);
    /* Four vectors share a line: without room for a task's rows it comes in four times. */
    gt_nest whole = nest_of(DEPTHWISE, "depthwise.direct", GT_NHWC, GT_NHWC, "ow_tile=4,rows=2,oh_tile=28");
    gt_nest parts = nest_of(DEPTHWISE, "depthwise.direct", GT_NHWC, GT_NHWC, "ow_tile=4,rows=2,oh_tile=4");
    ck_assert(parts.l1_bytes < whole.l1_bytes && parts.l2_bytes >= whole.l2_bytes);
}
END_TEST

/* Filters that are transformed on the way are fewer bytes for more operations: never worth it for small ones and many tiles. */
START_TEST(test_filters_on_the_way)
{
#define FILTERS(elems) "phases=1,tile_block=16,oc_block=32,filter_elems=" elems
    for (int m = 4; m <= 6; m += 2) {
        char name[32], ahead[80];
        snprintf(name, sizeof name, "conv2d.winograd_f%d", m);
        snprintf(ahead, sizeof ahead, FILTERS("%d"), (m + 2) * (m + 2));
        gt_nest few = nest_of(CONV512, name, GT_NCHW8C, GT_NCHW8C, FILTERS("9")), few_ahead = nest_of(CONV512, name, GT_NCHW8C, GT_NCHW8C, ahead);
        gt_nest many = nest_of(CONV64, name, GT_NCHW8C, GT_NCHW8C, FILTERS("9")), many_ahead = nest_of(CONV64, name, GT_NCHW8C, GT_NCHW8C, ahead);
        ck_assert_double_eq_tol(few.fma, few_ahead.fma, 1);
        ck_assert(few.l2_bytes < few_ahead.l2_bytes && few.memory_bytes < few_ahead.memory_bytes);
        ck_assert(few.around > few_ahead.around);
        ck_assert(gt_nest_cycles(&many, &machine) > gt_nest_cycles(&many_ahead, &machine));
    }
}
END_TEST

START_TEST(test_uneven_tasks)
{
    gt_machine four = machine;
    gt_nest nest = {.inner = 1000, .tasks = 5};
    four.threads = 4;
    ck_assert_double_eq_tol(gt_nest_cycles(&nest, &four), 1000 * 2.0 / 5, 1e-9);
    nest.tasks = 4;
    ck_assert_double_eq_tol(gt_nest_cycles(&nest, &four), 250, 1e-9);
}
END_TEST

START_TEST(test_machine)
{
    gt_device device = {.arch = "aarch64", .n_classes = 2};
    device.classes[0] = (gt_core_class){.max_khz = 1400000, .l1d_bytes = 32 << 10, .l2_bytes = 512 << 10};
    device.classes[1] = (gt_core_class){.max_khz = 2000000, .l1d_bytes = 48 << 10, .l2_bytes = 1 << 20, .l3_bytes = 2 << 20};
    gt_machine m = gt_machine_of(&device, GT_ISA_BASE, 2);
    ck_assert_int_eq(m.lanes, 4);
    ck_assert_int_eq(m.registers, 32);
    ck_assert_int_eq(m.threads, 2);
    ck_assert_double_eq(m.l1_bytes, 48 << 10);
    ck_assert_double_eq(m.l3_bytes, 2 << 20);
    m = gt_machine_of(&(gt_device){.arch = "x86_64"}, GT_ISA_AVX2, 1);
    ck_assert_int_eq(m.registers, 16);
    ck_assert_double_eq(m.l1_bytes, 32 << 10);
}
END_TEST

/* ---- features ---- */

START_TEST(test_features)
{
    const gt_space space = {.n = 2, .knob = {{"tile", 2, {7, 15}}, {"order", 2, {1, 2}}}};
    const gt_space other = {.n = 2, .knob = {{"tile", 2, {7, 15}}, {"rows", 2, {1, 2}}}};
    double x[GT_FEATURES], y[GT_FEATURES], a[GT_DIMENSIONS], b[GT_DIMENSIONS];
    gt_workload *first = NULL, *second = NULL;
    gt_features_of(x, &space, &(gt_config){2, {7, 1}});
    gt_features_of(y, &space, &(gt_config){2, {15, 1}});
    ck_assert_double_eq_tol(y[0] - x[0], 1, 1e-12);
    ck_assert_double_eq(x[1], 1);
    ck_assert_double_eq(x[2], 0);
    ck_assert(gt_features_match(&space, &space) && !gt_features_match(&space, &other));
    ck_assert(!gt_features_match(&space, &(gt_space){.n = 1, .knob = {space.knob[0]}}));
    must(gt_workload_parse(&first, workloads[0]));
    must(gt_workload_parse(&second, workloads[1]));
    gt_dimensions_of(a, first);
    gt_dimensions_of(b, second);
    ck_assert_double_eq(gt_dimensions_apart(a, a), 0);
    ck_assert(gt_dimensions_apart(a, b) > 10 && gt_dimensions_apart(a, b) == gt_dimensions_apart(b, a));
    gt_workload_destroy(first);
    gt_workload_destroy(second);
}
END_TEST

/* ---- prediction ---- */

/* The same by Gaussian elimination on the whole matrix; the constants are those of predict.c. */
#define N 23
static double covariance(const double *a, const double *b, bool same_family, bool same_point)
{
    double sum = 0;
    for (int i = 0; i < GT_FEATURES; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return 0.04 * (same_family ? 1 : 0.5) * exp(-sum / 50) + (same_point ? 0.0025 + 0.0004 : 0);
}

/* Solves K u = v in place of v. */
static void solve(double k[N][N], double *v)
{
    for (int i = 0; i < N; i++) {
        for (int r = i + 1; r < N; r++) {
            double factor = k[r][i] / k[i][i];
            for (int c = i; c < N; c++) {
                k[r][c] -= factor * k[i][c];
            }
            v[r] -= factor * v[i];
        }
    }
    for (int i = N - 1; i >= 0; i--) {
        for (int c = i + 1; c < N; c++) {
            v[i] -= k[i][c] * v[c];
        }
        v[i] /= k[i][i];
    }
}

static void draw_point(double *x)
{
    for (int i = 0; i < GT_FEATURES; i++) {
        x[i] = i < 5 ? gt_rng_uniform(&rng, 0, 8) : 0;
    }
}

START_TEST(test_prediction_is_exact)
{
    double x[N][GT_FEATURES], y[N], asked[11][GT_FEATURES], mean[11], deviation[11];
    int family[N];
    gt_predictor *p = NULL;
    must(gt_predictor_create(&p));
    for (int i = 0; i < N; i++) {
        draw_point(x[i]);
        y[i] = gt_rng_uniform(&rng, -0.5, 0.5);
        family[i] = (int)gt_rng_below(&rng, 3);
        ck_assert(gt_predictor_add(p, x[i], y[i], family[i]));
    }
    for (int q = 0; q < 11; q++) {
        draw_point(asked[q]);
    }
    gt_predictor_ask(p, 11, (const double(*)[GT_FEATURES])asked, mean, deviation);
    for (int q = 0; q < 11; q++) {
        double k[N][N], u[N], want = 0, variance = 0.04;
        for (int round = 0; round < 2; round++) { /* K^-1 y, then K^-1 k */
            for (int i = 0; i < N; i++) {
                u[i] = round == 0 ? y[i] : covariance(asked[q], x[i], family[i] == 0, false);
                for (int j = 0; j < N; j++) {
                    k[i][j] = covariance(x[i], x[j], family[i] == family[j], i == j);
                }
            }
            solve(k, u);
            for (int i = 0; i < N; i++) {
                double c = covariance(asked[q], x[i], family[i] == 0, false);
                want += round == 0 ? c * u[i] : 0;
                variance -= round == 1 ? c * u[i] : 0;
            }
        }
        ck_assert_double_eq_tol(mean[q], want, 1e-9);
        ck_assert_double_eq_tol(deviation[q], sqrt(variance + 0.0025), 1e-9);
    }
    gt_predictor_destroy(p);
}
END_TEST

START_TEST(test_prediction_limits)
{
    double x[1][GT_FEATURES], mean, deviation;
    gt_predictor *p = NULL;
    must(gt_predictor_create(&p));
    draw_point(x[0]);
    gt_predictor_ask(p, 1, (const double(*)[GT_FEATURES])x, &mean, &deviation);
    ck_assert_double_eq(mean, 0);
    ck_assert_double_eq_tol(deviation, sqrt(0.0425), 1e-12);
    for (int i = 0; i < GT_PREDICTOR_POINTS; i++) { /* the same point over and over is no trouble */
        ck_assert(gt_predictor_add(p, x[0], 0.3, 0));
    }
    ck_assert(!gt_predictor_add(p, x[0], 9, 0));
    gt_predictor_ask(p, 1, (const double(*)[GT_FEATURES])x, &mean, &deviation);
    ck_assert_double_eq_tol(mean, 0.3, 0.001);
    gt_predictor_clear(p);
    gt_predictor_ask(p, 1, (const double(*)[GT_FEATURES])x, &mean, &deviation);
    ck_assert_double_eq(mean, 0);
    gt_predictor_destroy(p);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* Against the integral of max(best - y, 0) times the density. */
START_TEST(test_expected_improvement)
{
    for (int q = 0; q < 50; q++) {
        double mean = gt_rng_uniform(&rng, -2, 2), deviation = gt_rng_uniform(&rng, 0.05f, 1), best = gt_rng_uniform(&rng, -2, 2);
        double sum = 0, step = deviation / 2000;
        for (double y = mean - 10 * deviation; y < best; y += step) {
            double z = (y + step / 2 - mean) / deviation;
            sum += fmax(best - y - step / 2, 0) * exp(-z * z / 2) / (deviation * sqrt(2 * M_PI)) * step;
        }
        ck_assert_double_eq_tol(gt_expected_improvement(mean, deviation, best), sum, 1e-4);
    }
    ck_assert_double_ge(gt_expected_improvement(5, 0.01, 0), 0);
}
END_TEST

int main(void)
{
    gt_rng_seed(&rng, gt_test_seed(1));
    Suite *suite = suite_create("costmodel");
    TCase *tests = tcase_create("costmodel");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, test_every_template, 0, (int)COUNT(workloads));
    tcase_add_test(tests, test_conv_counts);
    tcase_add_test(tests, test_empty_lanes);
    tcase_add_test(tests, test_chunks_fit);
    tcase_add_test(tests, test_register_tiles);
    tcase_add_test(tests, test_depthwise_counts);
    tcase_add_test(tests, test_filters_on_the_way);
    tcase_add_test(tests, test_uneven_tasks);
    tcase_add_test(tests, test_machine);
    tcase_add_test(tests, test_features);
    tcase_add_test(tests, test_prediction_is_exact);
    tcase_add_test(tests, test_prediction_limits);
    tcase_add_test(tests, test_expected_improvement);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
