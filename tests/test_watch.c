/* SPDX-License-Identifier: Apache-2.0 */
/* Clock, limits and temperature between two looks at a machine whose files the test changes. */
#include "costmodel/watch.h"
#include "src/tune/tune_cool.h"
#include "tests/device_tree.h"
#include "tests/runner.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CPU4 "sys/devices/system/cpu/cpu4/cpufreq/"
#define ZONE0 "sys/class/thermal/thermal_zone0/temp"

static char folder[64];
static gt_watch watch;
static gt_watch_sample before, after;

static void put(const char *path, const char *text)
{
    tree_put_text(folder, path, "%s\n", text);
}

static void begin(void)
{
    strcpy(folder, "/tmp/gt_watch_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    tree_unpack(folder, "rk3588");
    put("sys/class/thermal/cooling_device0/type", "pwm-fan");
    put("sys/class/thermal/cooling_device0/cur_state", "3");
    put("sys/class/thermal/cooling_device1/type", "cpufreq-cpu0");
    put("sys/class/thermal/cooling_device1/cur_state", "0");
    put("sys/class/thermal/cooling_device2/type", "cpufreq-cpu4");
    put("sys/class/thermal/cooling_device2/cur_state", "0");
    put(CPU4 "related_cpus", "4 5");
    put("sys/devices/system/cpu/cpu5/cpufreq/related_cpus", "4 5");
}

static void end(void)
{
    tree_remove(folder);
}

static gt_throttle judge(void)
{
    gt_watch_read(&after, &watch);
    return gt_watch_judge(&watch, &before, &after);
}

static void watch_big(double max_celsius)
{
    gt_watch_begin(&watch, folder, (int[]){4, 5}, 2, max_celsius);
    gt_watch_read(&before, &watch);
}

START_TEST(test_undisturbed)
{
    watch_big(0);
    ck_assert_int_eq(judge(), GT_THROTTLE_NONE);
    ck_assert_int_eq(gt_watch_slowest_khz(&watch, &after), 2400000);
    ck_assert_double_eq_tol(after.celsius, 44.384, 1e-9); /* the hottest of the processor's */
    ck_assert_double_eq_tol(watch.target_celsius, 70, 1e-9);
}
END_TEST

START_TEST(test_slow)
{
    watch_big(0);
    put("sys/devices/system/cpu/cpu5/cpufreq/scaling_cur_freq", "2150000");
    ck_assert_int_eq(judge(), GT_THROTTLE_SLOW);
    put("sys/devices/system/cpu/cpu5/cpufreq/scaling_cur_freq", "2170000");
    ck_assert_int_eq(judge(), GT_THROTTLE_NONE);
}
END_TEST

START_TEST(test_limit)
{
    watch_big(0);
    put(CPU4 "scaling_max_freq", "1800000");
    put(CPU4 "scaling_cur_freq", "1800000");
    ck_assert_int_eq(judge(), GT_THROTTLE_LIMITED);
    put(CPU4 "scaling_max_freq", "2400000"); /* came back: but the first look saw nothing of it */
    put(CPU4 "scaling_cur_freq", "2400000");
    ck_assert_int_eq(judge(), GT_THROTTLE_NONE);
    put(CPU4 "scaling_max_freq", "1800000");
    gt_watch_read(&before, &watch); /* limited before the block only */
    put(CPU4 "scaling_max_freq", "2400000");
    ck_assert_int_eq(judge(), GT_THROTTLE_LIMITED);
}
END_TEST

static int64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Works only while the clock is down, and not for ever. */
START_TEST(test_wake)
{
    watch_big(0);
    gt_watch_wake(&before, &watch);
    ck_assert_int_eq(before.khz[0], 2400000);
    put(CPU4 "scaling_cur_freq", "408000");
    pid_t child = fork();
    if (child == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
        put(CPU4 "scaling_cur_freq", "2400000");
        _exit(0);
    }
    gt_watch_wake(&before, &watch);
    waitpid(child, NULL, 0);
    put(CPU4 "scaling_cur_freq", "408000");
    int64_t start = milliseconds();
    gt_watch_wake(&before, &watch);
    ck_assert_int_ge(milliseconds() - start, 99);
    ck_assert_int_eq(before.khz[0], 408000);
}
END_TEST

/* A limit that the user has set holds from the beginning; one by a cooling device is throttling even then. */
START_TEST(test_limit_from_the_beginning)
{
    put(CPU4 "scaling_max_freq", "1200000");
    put(CPU4 "scaling_cur_freq", "1200000");
    watch_big(0);
    ck_assert_int_eq(judge(), GT_THROTTLE_NONE);
    put("sys/class/thermal/cooling_device2/cur_state", "2");
    watch_big(0);
    ck_assert_int_eq(judge(), GT_THROTTLE_LIMITED);
}
END_TEST

/* Neither a fan nor the other cluster's cooling is this cluster's throttling. */
START_TEST(test_cooling_devices)
{
    put("sys/class/thermal/cooling_device1/cur_state", "4");
    watch_big(0);
    ck_assert_int_eq(judge(), GT_THROTTLE_NONE);
    put("sys/class/thermal/cooling_device2/cur_state", "1");
    ck_assert_int_eq(judge(), GT_THROTTLE_LIMITED);
}
END_TEST

START_TEST(test_firmware)
{
    watch_big(0);
    put("sys/devices/platform/soc/soc:firmware/get_throttled", "50000");
    ck_assert_int_eq(judge(), GT_THROTTLE_NONE); /* has happened, is not happening */
    put("sys/devices/platform/soc/soc:firmware/get_throttled", "50004");
    ck_assert_int_eq(judge(), GT_THROTTLE_LIMITED);
}
END_TEST

START_TEST(test_hot)
{
    watch_big(60);
    ck_assert_double_eq_tol(watch.target_celsius, 55, 1e-9);
    ck_assert_int_eq(judge(), GT_THROTTLE_NONE);
    put(ZONE0, "60100");
    ck_assert_int_eq(judge(), GT_THROTTLE_HOT);
    put(ZONE0, "59900");
    gt_watch_read(&after, &watch);
    ck_assert(!gt_watch_has_cooled(&watch, &after)); /* to the target, lest it begin again at once */
    put(ZONE0, "54900");
    gt_watch_read(&after, &watch);
    ck_assert(gt_watch_has_cooled(&watch, &after));
}
END_TEST

/* A governor that holds the clock, or a boost that not all cores reach: the highest clock seen counts. */
START_TEST(test_expectation_is_learnt)
{
    put(CPU4 "scaling_governor", "userspace");
    put(CPU4 "scaling_cur_freq", "1200000");
    put("sys/devices/system/cpu/cpu5/cpufreq/scaling_cur_freq", "1200000");
    watch_big(0);
    ck_assert(!watch.is_expected);
    ck_assert_int_eq(judge(), GT_THROTTLE_NONE);
    put(CPU4 "scaling_cur_freq", "1000000");
    ck_assert_int_eq(judge(), GT_THROTTLE_SLOW);
    put(CPU4 "scaling_governor", "performance");
    watch_big(0);
    ck_assert_int_eq(judge(), GT_THROTTLE_SLOW);
    gt_watch_settle(&watch);
    ck_assert_int_eq(judge(), GT_THROTTLE_NONE);
    put("sys/devices/system/cpu/cpufreq/boost", "1");
    watch_big(0);
    ck_assert_int_eq(judge(), GT_THROTTLE_NONE);
}
END_TEST

START_TEST(test_silent_machine)
{
    gt_watch_begin(&watch, "/nonexistent", (int[]){0}, 1, 60);
    gt_watch_read(&before, &watch);
    gt_watch_read(&after, &watch);
    ck_assert(isnan(after.celsius));
    ck_assert_int_eq(gt_watch_slowest_khz(&watch, &after), 0);
    ck_assert_int_eq(gt_watch_judge(&watch, &before, &after), GT_THROTTLE_NONE);
    ck_assert(gt_watch_has_cooled(&watch, &after));
}
END_TEST

/* ---- waiting ---- */

static int pauses;

static void cool_a_little(void *context)
{
    (void)context;
    tree_put_text(folder, ZONE0, "%d\n", 80000 - 10000 * ++pauses);
}

static void stay_hot(void *context)
{
    (void)context;
    pauses++;
}

static bool after_two(void *context)
{
    (void)context;
    return pauses >= 2;
}

START_TEST(test_wait)
{
    gt_cooling c = {.watch = &watch, .pause = cool_a_little, .patience = 20};
    pauses = 0;
    put(ZONE0, "80000");
    watch_big(60);
    ck_assert(gt_cooling_is_needed(&c));
    ck_assert(gt_cooling_wait(&c));
    ck_assert_int_eq(pauses, 3); /* 70, 60, 50 °C: the target is 55 */
    ck_assert(!gt_cooling_is_needed(&c));
    ck_assert(gt_cooling_wait(&c));
    ck_assert_int_eq(pauses, 3);
}
END_TEST

START_TEST(test_wait_in_vain)
{
    gt_cooling c = {.watch = &watch, .pause = stay_hot, .patience = 5};
    pauses = 0;
    put(ZONE0, "80000");
    watch_big(60);
    ck_assert(!gt_cooling_wait(&c));
    ck_assert_int_eq(pauses, 5);
    ck_assert(!gt_cooling_wait(&c)); /* not again and again */
    ck_assert_int_eq(pauses, 5);
    gt_cooling_note_good(&c);
    ck_assert(!gt_cooling_wait(&c));
    ck_assert_int_eq(pauses, 10);
}
END_TEST

START_TEST(test_wait_is_stopped)
{
    gt_cooling c = {.watch = &watch, .pause = stay_hot, .patience = 5, .must_stop = after_two};
    pauses = 0;
    put(ZONE0, "80000");
    watch_big(60);
    ck_assert(!gt_cooling_wait(&c));
    ck_assert_int_eq(pauses, 2);
    ck_assert(!c.is_vain);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("watch");
    TCase *tests = tcase_create("watch");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, test_undisturbed);
    tcase_add_test(tests, test_slow);
    tcase_add_test(tests, test_wake);
    tcase_add_test(tests, test_limit);
    tcase_add_test(tests, test_limit_from_the_beginning);
    tcase_add_test(tests, test_cooling_devices);
    tcase_add_test(tests, test_firmware);
    tcase_add_test(tests, test_hot);
    tcase_add_test(tests, test_expectation_is_learnt);
    tcase_add_test(tests, test_silent_machine);
    tcase_add_test(tests, test_wait);
    tcase_add_test(tests, test_wait_in_vain);
    tcase_add_test(tests, test_wait_is_stopped);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
