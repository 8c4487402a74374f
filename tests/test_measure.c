/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring: the statistics, and candidates that work, crash, hang, fill the memory, or compute nonsense. The
 * templates are defined here; each takes "unary relu" of a rank 4 tensor. */
#include "costmodel/measure_internal.h"

#include "src/base/clock.h"
#include "src/base/rng.h"
#include "tests/runner.h"

#include <check.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define WORKLOAD "unary(1x3x4x5)->1x3x4x5{f=relu,alpha=0,beta=0}"
#define DENSE "dense(1x8,4x8!,4!)->1x4{rows=0}"
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The out-of-memory candidate must see NULL under AddressSanitizer too. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static gt_rng rng;
static gt_device device;
static gt_measure_options options;

static void must(gt_status status)
{
    if (status != GT_OK) {
        ck_abort_msg("%s: %s", gt_status_name(status), gt_error_message());
    }
}

/* ---- statistics ---- */

START_TEST(test_timing_small)
{
    double one[] = {5}, two[] = {7, 5}, five[] = {5, 1, 4, 2, 3};
    gt_timing t = gt_timing_of(one, 1);
    ck_assert(t.median_ns == 5 && t.min_ns == 5 && t.lo_ns == 5 && t.hi_ns == 5 && t.runs == 1);
    t = gt_timing_of(two, 2);
    ck_assert(t.median_ns == 6 && t.min_ns == 5 && t.lo_ns == 5 && t.hi_ns == 7 && t.runs == 2);
    t = gt_timing_of(five, 5);
    ck_assert(t.median_ns == 3 && t.min_ns == 1 && t.lo_ns == 1 && t.hi_ns == 5 && t.runs == 5);
}
END_TEST

/* The exact ranks of the 95 % interval of the median (any table of the sign test). */
START_TEST(test_timing_ranks)
{
    static const struct {
        int64_t n, rank;
    } table[] = {{6, 1}, {8, 1}, {9, 2}, {12, 3}, {20, 6}, {25, 8}, {50, 18}, {100, 40}};
    double samples[100];
    for (size_t i = 0; i < COUNT(table); i++) {
        for (int64_t j = 0; j < table[i].n; j++) {
            samples[j] = (double)(table[i].n - j);
        }
        gt_timing t = gt_timing_of(samples, table[i].n);
        ck_assert_double_eq(t.lo_ns, (double)table[i].rank);
        ck_assert_double_eq(t.hi_ns, (double)(table[i].n + 1 - table[i].rank));
    }
}
END_TEST

/* Skewed samples with a known median of 1: the interval covers it in 95 % of the cases or somewhat more. */
START_TEST(test_timing_coverage)
{
    static const int64_t sizes[] = {6, 10, 25, 100, 499, 700};
    static double samples[700];
    for (size_t s = 0; s < COUNT(sizes); s++) {
        int64_t n = sizes[s], covered = 0, trials = 3000;
        for (int64_t i = 0; i < trials; i++) {
            for (int64_t j = 0; j < n; j++) {
                samples[j] = exp((double)gt_rng_normal(&rng));
            }
            gt_timing t = gt_timing_of(samples, n);
            ck_assert(t.min_ns <= t.lo_ns && t.lo_ns <= t.median_ns && t.median_ns <= t.hi_ns);
            covered += t.lo_ns <= 1 && t.hi_ns >= 1;
        }
        double fraction = (double)covered / (double)trials;
        ck_assert_msg(fraction > 0.935 && fraction < 0.99, "n=%d: covered in %.3f of the cases", (int)n,
                      fraction);
    }
}
END_TEST

/* ---- templates that behave in every possible way ---- */

static bool supports_all(const gt_workload *w, gt_layout in, gt_layout out)
{
    (void)w;
    return in == out;
}

static void space_of_two(const gt_workload *w, gt_layout in, gt_layout out, gt_space *space)
{
    (void)w;
    (void)in;
    (void)out;
    *space = (gt_space){1, {{"tile", 2, {1, 4}}}};
}

static int64_t stored(const gt_kernel *k)
{
    return gt_layout_elems(k->out, &k->workload->output.shape);
}

static void run_good(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    (void)phase;
    int64_t n = stored(k);
    for (int64_t i = n * begin / k->tasks[0]; i < n * end / k->tasks[0]; i++) {
        float x = ((const float *)a->in[0])[i];
        ((float *)a->out)[i] = x > 0 ? x : 0;
    }
}

static void run_sleepy(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
    run_good(k, a, phase, begin, end);
}

static void run_wrong(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    run_good(k, a, phase, begin, end);
    ((float *)a->out)[7] += 1;
}

/* Leaves the last element as it was: NaN. */
static void run_unfinished(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    float *out = a->out;
    float last = out[stored(k) - 1];
    run_good(k, a, phase, begin, end);
    out[stored(k) - 1] = last;
}

/* Right except for the channel padding. */
static void run_unpadded(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    run_good(k, a, phase, begin, end);
    ((float *)a->out)[stored(k) - 1] = 0.5f;
}

static void run_beyond(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    run_good(k, a, phase, begin, end);
    ((volatile float *)a->out)[stored(k)] = 0;
}

static void run_crash(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    (void)k;
    (void)a;
    (void)phase;
    (void)begin;
    (void)end;
    raise(SIGBUS);
}

static void run_exit(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    (void)k;
    (void)a;
    (void)phase;
    (void)begin;
    (void)end;
    _exit(3);
}

static void run_hang(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    (void)k;
    (void)a;
    (void)phase;
    (void)begin;
    (void)end;
    for (;;) {
        pause();
    }
}

static gt_kernel_fn chosen_run; /* set before each measurement; the child inherits it */

static gt_status prepare_run(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    (void)consts;
    (void)isa;
    kernel->run = chosen_run;
    kernel->tasks[0] = 4;
    return GT_OK;
}

static gt_status prepare_refusing(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    (void)kernel;
    (void)consts;
    (void)isa;
    return gt_fail(GT_ERROR_UNSUPPORTED, "not on a Monday");
}

/* 64 GiB, or all addresses of a 32-bit process. */
#define MORE_THAN_THERE_IS (SIZE_MAX >> (sizeof(size_t) > 4 ? 28 : 0))

static gt_status prepare_greedy(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    (void)consts;
    (void)isa;
    kernel->run = run_good;
    return gt_calloc(&kernel->packed, MORE_THAN_THERE_IS, 1);
}

static const gt_template simple = {.name = "test.simple", .kind = GT_OP_UNARY, .rev = 7, .supports = supports_all,
                                   .space = space_of_two, .prepare = prepare_run};
static const gt_template refusing = {.name = "test.refusing", .kind = GT_OP_UNARY, .rev = 1, .supports = supports_all,
                                     .prepare = prepare_refusing};
static const gt_template greedy = {.name = "test.greedy", .kind = GT_OP_UNARY, .rev = 1, .supports = supports_all,
                                   .prepare = prepare_greedy};
static const gt_template view = {.name = "test.view", .kind = GT_OP_UNARY, .rev = 1, .view = true, .supports = supports_all};

static gt_bench_case *make_case(const char *key)
{
    gt_workload *w = NULL;
    gt_bench_case *bench = NULL;
    must(gt_workload_parse(&w, key));
    must(gt_bench_case_create(&bench, w, &options));
    gt_workload_destroy(w);
    return bench;
}

static gt_record measure(const gt_template *t, gt_kernel_fn run, gt_layout layout, double best_ns)
{
    gt_bench_case *bench = make_case(WORKLOAD);
    gt_record record = {0};
    gt_config config = {t->space != NULL, {t->space != NULL ? 4 : 0}};
    chosen_run = run;
    must(gt_measure_candidate(&record, bench, t, layout, layout, &config, best_ns, &device, &options));
    gt_bench_case_destroy(bench);
    return record;
}

static void expect(const gt_template *t, gt_kernel_fn run, gt_layout layout, gt_record_status status,
                   const char *note)
{
    gt_record r = measure(t, run, layout, 0);
    ck_assert_msg(r.status == status, "%s (%s) instead of %s", gt_record_status_name(r.status),
                  r.note != NULL ? r.note : "", gt_record_status_name(status));
    ck_assert_msg(r.note != NULL && strstr(r.note, note) != NULL, "note: %s",
                  r.note != NULL ? r.note : "none");
    ck_assert_double_eq(r.timing.median_ns, 0);
    ck_assert_int_eq(r.timing.runs, 0);
    gt_record_clear(&r);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}

START_TEST(test_good)
{
    for (gt_layout layout = 0; layout < GT_LAYOUT_COUNT; layout++) {
        gt_record r = measure(&simple, run_good, layout, 0);
        ck_assert_msg(r.status == GT_RECORD_OK, "%s", r.note != NULL ? r.note : "");
        ck_assert_int_eq(r.kind, GT_RECORD_OP);
        ck_assert_str_eq(r.device, device.hash);
        ck_assert_int_eq(r.threads, 1);
        ck_assert_str_eq(r.workload, WORKLOAD);
        ck_assert_int_eq(r.in, layout);
        ck_assert_int_eq(r.out, layout);
        ck_assert_str_eq(r.template_name, "test.simple");
        ck_assert_int_eq(r.rev, 7);
        ck_assert_str_eq(r.config, "tile=4");
        ck_assert_int_eq(r.source, GT_SOURCE_MEASURED);
        ck_assert_ptr_null(r.note);
        ck_assert_int_ge(r.timing.runs, 5);
        ck_assert(r.timing.min_ns <= r.timing.lo_ns && r.timing.lo_ns <= r.timing.median_ns &&
                  r.timing.median_ns <= r.timing.hi_ns);
        ck_assert(r.timing.median_ns < 1e6);
        gt_record_clear(&r);
    }
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_time_is_right)
{
    gt_record r = measure(&simple, run_sleepy, GT_NCHW, 0);
    ck_assert_int_eq(r.status, GT_RECORD_OK);
    /* Four tasks, one call: a pool-less run calls the kernel once for all of them. */
    ck_assert_msg(r.timing.min_ns >= 300000 && r.timing.median_ns < 5e7, "median %g ns", r.timing.median_ns);
    ck_assert_int_gt(r.timing.runs, 3);
    gt_record_clear(&r);
    r = measure(&simple, run_sleepy, GT_NCHW, 1000); /* hopeless beside a best of 1 µs: hardly any runs */
    ck_assert_int_eq(r.status, GT_RECORD_OK);
    ck_assert_int_le(r.timing.runs, 3);
    ck_assert_double_ge(r.timing.median_ns, 300000);
    gt_record_clear(&r);
}
END_TEST

START_TEST(test_two_threads)
{
    options.threads = 2;
    gt_record r = measure(&simple, run_good, GT_NHWC, 0);
    options.threads = 1;
    ck_assert_msg(r.status == GT_RECORD_OK, "%s", r.note != NULL ? r.note : "");
    ck_assert_int_eq(r.threads, 2);
    gt_record_clear(&r);
}
END_TEST

START_TEST(test_view)
{
    gt_record r = measure(&view, NULL, GT_NCHW, 0);
    ck_assert_int_eq(r.status, GT_RECORD_OK);
    ck_assert_double_eq(r.timing.median_ns, 0);
    ck_assert_int_eq(r.timing.runs, 0);
    gt_record_clear(&r);
}
END_TEST

START_TEST(test_wrong)
{
    expect(&simple, run_wrong, GT_NCHW, GT_RECORD_WRONG, "output element 7 is");
    expect(&simple, run_unfinished, GT_NCHW, GT_RECORD_WRONG, "output element 59 is");
    expect(&simple, run_unpadded, GT_NCHW8C, GT_RECORD_WRONG, "padding");
    expect(&simple, run_beyond, GT_NCHW, GT_RECORD_WRONG, "outside its output");
}
END_TEST

START_TEST(test_crash)
{
    expect(&simple, run_crash, GT_NCHW, GT_RECORD_CRASH, "");
    expect(&simple, run_exit, GT_NCHW, GT_RECORD_CRASH, "exited with code 3");
}
END_TEST

static void send_nonsense(gt_i_outcome *outcome, const void *context)
{
    const int *field = context;
    switch (*field) {
    case 0:
        outcome->status = (gt_record_status)77;
        break;
    case 1:
        outcome->error = (gt_status)-1;
        break;
    default:
        outcome->timing.median_ns = NAN;
    }
    memset(outcome->note, 'x', sizeof outcome->note);
}

/* A candidate that wrote over its result must not take the tuner with it. */
START_TEST(test_nonsense)
{
    gt_i_outcome outcome = {0};
    must(gt_i_run_child(&outcome, send_nonsense, &_i, &options));
    ck_assert_int_eq(outcome.status, GT_RECORD_CRASH);
    ck_assert_int_eq(outcome.error, GT_OK);
    ck_assert_str_eq(outcome.note, "reported nonsense");
}
END_TEST

START_TEST(test_hang)
{
    int64_t begin = gt_now_ns();
    options.timeout_ns = 200000000;
    expect(&simple, run_hang, GT_NCHW, GT_RECORD_TIMEOUT, "not finished after 0.2 s");
    ck_assert_int_lt(gt_now_ns() - begin, 5000000000);
}
END_TEST

START_TEST(test_out_of_memory)
{
    expect(&greedy, NULL, GT_NCHW, GT_RECORD_OOM, "out of memory");
}
END_TEST

START_TEST(test_refused)
{
    expect(&refusing, NULL, GT_NCHW, GT_RECORD_FAILED, "not on a Monday");
}
END_TEST

START_TEST(test_no_such_cpu)
{
    static const int cpu = 1000;
    gt_bench_case *bench = make_case(WORKLOAD);
    gt_record record = {0};
    gt_config config = {1, {1}};
    options.n_cpus = 1;
    options.cpus = &cpu;
    ck_assert_int_eq(
        gt_measure_candidate(&record, bench, &simple, GT_NCHW, GT_NCHW, &config, 0, &device, &options),
        GT_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "CPU 1000"));
    gt_bench_case_destroy(bench);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

static void ignore_alarm(int signal_number)
{
    (void)signal_number;
}

/* Signals to the parent (a resized terminal, an alarm) neither end a measurement nor cut its time-out
 * short. */
START_TEST(test_signals)
{
    struct sigaction action = {.sa_handler = ignore_alarm};
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    gt_record r = measure(&simple, run_sleepy, GT_NCHW, 0);
    setitimer(ITIMER_REAL, &never, NULL);
    ck_assert_int_eq(r.status, GT_RECORD_OK);
    gt_record_clear(&r);
}
END_TEST

/* ---- transforms and real templates ---- */

START_TEST(test_transforms)
{
    gt_shape shape = gt_shape_4d(2, 5, 3, 7);
    for (gt_layout from = 0; from < GT_LAYOUT_COUNT; from++) {
        for (gt_layout to = 0; to < GT_LAYOUT_COUNT; to++) {
            gt_record r = {0};
            if (from == to) {
                continue;
            }
            must(gt_measure_transform(&r, &shape, from, to, &device, &options));
            ck_assert_msg(r.status == GT_RECORD_OK, "%s to %s: %s", gt_layout_name(from), gt_layout_name(to),
                          r.note != NULL ? r.note : "");
            ck_assert_int_eq(r.kind, GT_RECORD_TRANSFORM);
            ck_assert_str_eq(r.workload, "2x5x3x7");
            ck_assert_str_eq(r.template_name, "");
            ck_assert_int_eq(r.rev, GT_TRANSFORM_REV);
            ck_assert(r.timing.median_ns > 0 || r.timing.hi_ns >= 0);
            gt_record_clear(&r);
        }
    }
    gt_shape flat = gt_shape_of(2, (int64_t[]){3, 4});
    gt_record r = {0};
    ck_assert_int_eq(gt_measure_transform(&r, &flat, GT_NCHW, GT_NHWC, &device, &options), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* Every registered template for one workload with constants, through the packed copies. */
START_TEST(test_registered)
{
    gt_bench_case *bench = make_case(DENSE);
    gt_workload *w = NULL;
    int measured = 0;
    must(gt_workload_parse(&w, DENSE));
    for (size_t i = 0; i < gt_template_count(); i++) {
        const gt_template *t = gt_template_at(i);
        gt_record r = {0};
        gt_space space;
        gt_config config;
        if (!gt_template_supports(t, w, GT_NCHW, GT_NCHW)) {
            continue;
        }
        gt_template_space(t, w, GT_NCHW, GT_NCHW, &space);
        gt_space_point(&space, 0, &config);
        must(gt_measure_candidate(&r, bench, t, GT_NCHW, GT_NCHW, &config, 0, &device, &options));
        ck_assert_msg(r.status == GT_RECORD_OK, "%s: %s", t->name, r.note != NULL ? r.note : "");
        gt_record_clear(&r);
        measured++;
    }
    ck_assert_int_gt(measured, 0);
    gt_workload_destroy(w);
    gt_bench_case_destroy(bench);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* Where a function is not defined everywhere, the inputs keep to where it is. */
START_TEST(test_defined_inputs)
{
    static const char *const keys[] = {"unary(1x8)->1x8{f=sqrt,alpha=0,beta=0}",
                                       "unary(1x8)->1x8{f=log,alpha=0,beta=0}", "binary(1x8,1x8)->1x8{f=pow}",
                                       "binary(1x8,1x8)->1x8{f=div}"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        gt_bench_case *bench = make_case(keys[i]);
        ck_assert_int_ge(gt_bench_case_bytes(bench), 64);
        gt_bench_case_destroy(bench);
    }
}
END_TEST

START_TEST(test_allocation_failures)
{
    gt_workload *w = NULL;
    gt_config config = {1, {1}};
    must(gt_workload_parse(&w, WORKLOAD));
    chosen_run = run_good;
    int64_t outside = gt_i_live_allocations();
    for (int64_t k = 0;; k++) {
        gt_bench_case *bench = NULL;
        gt_record record = {0};
        gt_i_fail_allocation(k);
        gt_status status = gt_bench_case_create(&bench, w, &options);
        if (status == GT_OK) {
            status = gt_measure_candidate(&record, bench, &simple, GT_NCHW, GT_NCHW, &config, 0, &device,
                                          &options);
        }
        gt_i_fail_allocation(-1);
        /* What fails inside the child is the candidate's trouble. */
        bool inside = status == GT_OK && record.status != GT_RECORD_OK;
        ck_assert(!inside || record.status == GT_RECORD_OOM);
        gt_record_clear(&record);
        gt_bench_case_destroy(bench);
        ck_assert_int_eq(gt_i_live_allocations(), outside);
        if (status == GT_OK && !inside) {
            break;
        }
        ck_assert(inside || status == GT_ERROR_MEMORY);
    }
    gt_workload_destroy(w);
}
END_TEST

int main(void)
{
    uint64_t seed = gt_test_seed(1);
    gt_rng_seed(&rng, seed);
    if (gt_device_detect(&device) != GT_OK) {
        return 1;
    }
    options = gt_measure_defaults();
    options.seed = seed;
    options.min_time_ns = 200000;
    options.max_time_ns = 2000000;
    Suite *suite = suite_create("measure");
    TCase *tests = tcase_create("measure");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, test_timing_small);
    tcase_add_test(tests, test_timing_ranks);
    tcase_add_test(tests, test_timing_coverage);
    tcase_add_test(tests, test_good);
    tcase_add_test(tests, test_time_is_right);
    tcase_add_test(tests, test_two_threads);
    tcase_add_test(tests, test_view);
    tcase_add_test(tests, test_wrong);
    tcase_add_test(tests, test_crash);
    tcase_add_loop_test(tests, test_nonsense, 0, 3);
    tcase_add_test(tests, test_hang);
    tcase_add_test(tests, test_out_of_memory);
    tcase_add_test(tests, test_refused);
    tcase_add_test(tests, test_no_such_cpu);
    tcase_add_test(tests, test_signals);
    tcase_add_test(tests, test_transforms);
    tcase_add_test(tests, test_registered);
    tcase_add_test(tests, test_defined_inputs);
    tcase_add_test(tests, test_allocation_failures);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
