/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles that are whole: what was packed runs and gives the right answers, in any number of sessions and threads.
 * GT_TEST_SEED changes the networks. */
#include "src/api/deployment.h"
#include "src/base/xxh64.h"
#include "tests/bundle_make.h"
#include "tests/graph_build.h"
#include "tests/runner.h"
#include "tests/select_cases.h"

#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t seed = 20250611;

#define OK(expr) ck_assert_msg((expr) == GT_OK, "%s: %s", #expr, gt_error_message())

/* Values that the reference implementation gives, for every way through the algorithm. */
START_TEST(checksums_are_those_of_the_standard)
{
    static const struct {
        const char *text;
        uint64_t hash;
    } cases[] = {
        {"", 0xEF46DB3751D8E999u},
        {"a", 0xD24EC4F1A98C6E5Bu},
        {"abc", 0x44BC2CF5AD770999u},
        {"123456789", 0x8CB841DB40E6AE83u},
        {"Nobody inspects the spammish repetition", 0xFBCEA83C8A378BF1u},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t bytes = strlen(cases[i].text);
        ck_assert_msg(gt_xxh64_of(cases[i].text, bytes) == cases[i].hash, "\"%s\"", cases[i].text);
        for (size_t cut = 0; cut <= bytes; cut++) {
            gt_xxh64 hash;
            gt_xxh64_begin(&hash);
            gt_xxh64_add(&hash, cases[i].text, cut);
            gt_xxh64_add(&hash, cases[i].text + cut, bytes - cut);
            ck_assert_msg(gt_xxh64_end(&hash) == cases[i].hash, "\"%s\" cut at %zu", cases[i].text, cut);
        }
    }
}
END_TEST

static gt_deployment *deploy(const bm_case *c, int threads)
{
    gt_bundle *bundle = NULL;
    gt_deployment *d = NULL;
    OK(gt_bundle_open_memory(&bundle, c->bytes, c->n_bytes));
    OK(gt_deployment_create(&d, bundle, threads));
    gt_bundle_close(bundle);
    return d;
}

static void check_right(const bm_case *c, gt_deployment *d, const char *what)
{
    for (int run = 0; run < 2; run++) {
        const char *wrong = bm_check(d, c);
        ck_assert_msg(wrong == NULL, "%s: %s", what, wrong);
    }
}

/* Every kind of network, in random layouts, templates and configs, for every instruction set of this machine. */
START_TEST(random_networks_equal_the_reference)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + (uint64_t)_i);
    for (int k = 0; k < 2 * SC_FAMILY_COUNT; k++) {
        const gt_isa wish = (gt_isa)gt_rng_below(&rng, GT_ISA_COUNT);
        const char *isa = gt_isa_name(gt_isa_available(wish) ? wish : GT_ISA_BASE);
        char what[64];
        snprintf(what, sizeof what, "network %d for %s", k, isa);
        const int64_t live = gt_i_live_allocations();
        bm_case c = bm_make(k % 2 == 0 ? sc_large_graph(&rng, 8 + 2 * k) : sc_graph(&rng, (sc_family)(k / 2)), &rng, isa);
        gt_deployment *d = deploy(&c, 1 + k % 3);
        check_right(&c, d, what);
        gt_deployment_close(d);
        bm_clear(&c);
        ck_assert_int_eq(gt_i_live_allocations(), live);
    }
}
END_TEST

START_TEST(outputs_without_an_op)
{
    gt_rng rng;
    gt_graph *g = gb_graph();
    gt_rng_seed(&rng, seed + 50);
    const int x = gb_input(g, gt_shape_4d(1, 3, 4, 4));
    const int constant = gb_const(g, SHAPE(5), -1, 1);
    const int y = gb_relu(g, x);
    gb_output(g, x);
    gb_output(g, constant);
    gb_output(g, y);
    gb_output(g, constant);
    gb_output(g, gb_op(g, GT_OP_COPY, NULL, 1, &constant, NULL));
    gb_must(gt_graph_finish(g));
    bm_case c = bm_make(g, &rng, NULL);
    gt_deployment *d = deploy(&c, 1);
    check_right(&c, d, "outputs");
    gt_deployment_close(d);
    bm_clear(&c);
}
END_TEST

START_TEST(the_same_inputs_give_the_same_bytes)
{
    bm_case a = bm_small(seed, NULL);
    bm_case b = bm_small(seed, NULL);
    ck_assert_uint_eq(a.n_bytes, b.n_bytes);
    ck_assert_mem_eq(a.bytes, b.bytes, a.n_bytes);
    bm_clear(&a);
    bm_clear(&b);
}
END_TEST

/* What is packed depends on the number of lanes alone: a bundle for arm64 differs from one for x86-64 in two words. */
START_TEST(any_machine_packs_for_another)
{
    bm_case arm = bm_small(seed, "neon");
    bm_case pc = bm_small(seed, "sse2");
    gt_bundle_sections for_arm, for_pc;
    gt_bundle *bundle = NULL;
    OK(gt_i_bundle_split(&for_arm, arm.bytes, arm.n_bytes, "arm"));
    OK(gt_i_bundle_split(&for_pc, pc.bytes, pc.n_bytes, "pc"));
    ck_assert_uint_eq(for_arm.weights_bytes, for_pc.weights_bytes);
    ck_assert_mem_eq(for_arm.weights, for_pc.weights, for_arm.weights_bytes);
    const bool on_arm = strcmp(gt_isa_name(GT_ISA_BASE), "neon") == 0;
    const bm_case *foreign = on_arm ? &pc : &arm;
    ck_assert_int_eq(gt_bundle_open_memory(&bundle, foreign->bytes, foreign->n_bytes), GT_ERROR_MISMATCH);
    const char *says = on_arm ? "packed for x86_64" : "packed for aarch64";
    ck_assert_msg(strstr(gt_error_message(), says) != NULL, "%s", gt_error_message());
    ck_assert_msg(strstr(gt_error_message(), "--isa") != NULL, "%s", gt_error_message());
    bm_clear(&arm);
    bm_clear(&pc);
}
END_TEST

START_TEST(bundles_and_steps_describe_themselves)
{
    bm_case c = bm_small(seed, NULL);
    gt_bundle *bundle = NULL;
    gt_bundle_info info;
    OK(gt_bundle_open_memory(&bundle, c.bytes, c.n_bytes));
    OK(gt_bundle_describe(bundle, &info));
    ck_assert_str_eq(info.model, c.graph->name);
    ck_assert_str_eq(info.isa, gt_isa_name(gt_isa_best()));
    ck_assert_int_eq(info.threads, SC_THREADS);
    ck_assert(info.predicted_ns > 0 && info.weight_bytes > 0 && info.weight_bytes < c.n_bytes);
    gt_bundle_close(bundle);

    gt_deployment *d = deploy(&c, 0);
    gt_port port;
    OK(gt_deployment_input(d, 0, &port));
    ck_assert_str_eq(port.layout, "NCHW");
    OK(gt_deployment_output(d, 0, &port));
    ck_assert_str_eq(port.layout, "C");
    const int n = gt_deployment_step_count(d);
    double *ns = NULL;
    double predicted = 0;
    gt_step_info step;
    ck_assert_int_gt(n, 5);
    OK(gt_calloc(&ns, (size_t)n, sizeof *ns));
    gt_deployment_run_timed(d, ns);
    for (int i = 0; i < n; i++) {
        OK(gt_deployment_step(d, i, &step));
        ck_assert(step.name[0] != '\0' && step.kernel[0] != '\0' && step.from[0] != '\0' && step.to[0] != '\0');
        ck_assert(ns[i] >= 0 && ns[i] < 1e11);
        predicted += step.predicted_ns;
    }
    ck_assert(predicted > 0.999 * info.predicted_ns && predicted < 1.001 * info.predicted_ns);
    ck_assert_int_eq(gt_deployment_step(d, n, &step), GT_ERROR_ARGUMENT);
    gt_free(ns);
    gt_deployment_close(d);
    bm_clear(&c);
}
END_TEST

/* ---- sharing ---- */

static int64_t resident_bytes(void)
{
    long long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%lld %lld", &total, &resident), 2);
    fclose(file);
    return resident * sysconf(_SC_PAGESIZE);
}

#define SESSIONS 8

/* Sessions of a network that is nearly all weights. */
START_TEST(weights_are_in_memory_once)
{
    gt_rng rng;
    gt_graph *g = gb_graph();
    gt_bundle *bundle = NULL;
    gt_deployment *d[SESSIONS];
    gt_memory_use use;
    gt_rng_seed(&rng, seed + 60);
    gb_output(g, gb_dense(g, gb_dense(g, gb_input(g, SHAPE(1, 2000)), 2000, true), 1000, true));
    gb_must(gt_graph_finish(g));
    bm_case c = bm_make(g, &rng, NULL);
    OK(gt_bundle_open_memory(&bundle, c.bytes, c.n_bytes));
    OK(gt_deployment_create(&d[0], bundle, 1));
    check_right(&c, d[0], "the first");
    const int64_t before = resident_bytes();
    for (int i = 1; i < SESSIONS; i++) {
        OK(gt_deployment_create(&d[i], bundle, 1));
        check_right(&c, d[i], "a further one");
    }
    const int64_t grown = resident_bytes() - before;
    OK(gt_deployment_memory(d[0], &use));
    ck_assert_uint_gt(use.weight_bytes, 20000000);
    ck_assert_msg(grown < (int64_t)use.weight_bytes / 4, "%d more sessions took %lld bytes; the weights are %zu", SESSIONS - 1,
                  (long long)grown, use.weight_bytes);
    for (int i = 0; i < bundle->program->n_steps; i++) {
        const gt_kernel *k = bundle->kernels[i];
        const char *packed = k != NULL ? k->packed : NULL;
        ck_assert(packed == NULL || (packed > c.bytes && packed + k->packed_bytes <= c.bytes + c.n_bytes));
    }
    gt_bundle_close(bundle);
    for (int i = 0; i < SESSIONS; i++) {
        check_right(&c, d[i], "after its bundle was closed");
        gt_deployment_close(d[i]);
    }
    bm_clear(&c);
}
END_TEST

struct user {
    gt_bundle *bundle;
    const bm_case *c;
    int threads;
    const char *wrong;
};

static void *use_bundle(void *argument)
{
    struct user *u = argument;
    for (int i = 0; i < 5 && u->wrong == NULL; i++) {
        gt_deployment *d = NULL;
        if (gt_deployment_create(&d, u->bundle, u->threads) != GT_OK) {
            u->wrong = "gt_deployment_create failed";
            return NULL;
        }
        for (int run = 0; run < 10 && u->wrong == NULL; run++) {
            u->wrong = bm_check(d, u->c) != NULL ? "an output differs" : NULL;
        }
        gt_deployment_close(d);
    }
    return NULL;
}

START_TEST(threads_run_their_own_sessions)
{
    bm_case c = bm_small(seed, NULL);
    gt_bundle *bundle = NULL;
    pthread_t threads[3];
    struct user users[3];
    OK(gt_bundle_open_memory(&bundle, c.bytes, c.n_bytes));
    for (int i = 0; i < 3; i++) {
        users[i] = (struct user){.bundle = bundle, .c = &c, .threads = i == 2 ? 2 : 1};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, use_bundle, &users[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_msg(users[i].wrong == NULL, "thread %d: %s", i, users[i].wrong);
    }
    gt_bundle_close(bundle);
    bm_clear(&c);
}
END_TEST

static Suite *bundle_suite(void)
{
    Suite *suite = suite_create("bundle");
    TCase *runs = tcase_create("runs");
    tcase_add_test(runs, checksums_are_those_of_the_standard);
    tcase_add_loop_test(runs, random_networks_equal_the_reference, 0, 4);
    tcase_add_test(runs, outputs_without_an_op);
    tcase_add_test(runs, the_same_inputs_give_the_same_bytes);
    tcase_add_test(runs, any_machine_packs_for_another);
    tcase_add_test(runs, bundles_and_steps_describe_themselves);
    suite_add_tcase(suite, runs);
    TCase *shared = tcase_create("shared");
    tcase_add_test(shared, weights_are_in_memory_once);
    tcase_add_test(shared, threads_run_their_own_sessions);
    suite_add_tcase(suite, shared);
    return suite;
}

int main(void)
{
    seed = gt_test_seed(seed);
    return gt_test_run(bundle_suite());
}
