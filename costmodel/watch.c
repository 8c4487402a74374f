/* SPDX-License-Identifier: Apache-2.0 */
#include "costmodel/watch.h"

#include "costmodel/device_internal.h"
#include "src/base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_FOLDER "/sys/devices/system/cpu"
#define COOLER_FOLDER "/sys/class/thermal/cooling_device"
#define MAX_COOLERS 64
#define MAX_KHZ 100000000
#define COOL_BELOW 5.0 /* °C */
#define WAKE_NS 100000000
#define WAKE_STEP_NS 1000000

/* Raspberry Pi's firmware lowers the clock by itself: bits of its get_throttled word (now: clock capped, throttled, soft
 * temperature limit). */
#define FIRMWARE_FILE "/sys/devices/platform/soc/soc:firmware/get_throttled"
#define FIRMWARE_THROTTLES 0xe

double gt_celsius(int64_t raw)
{
    double celsius = raw > -200 && raw < 200 ? (double)raw : (double)raw / 1000;
    return celsius >= -60 && celsius <= 200 ? celsius : (double)NAN;
}

static gt_sysroot root_of(const gt_watch *watch)
{
    return (gt_sysroot){watch->root, NULL};
}

static int64_t read_khz(const gt_watch *watch, int cpu, const char *name)
{
    gt_sysroot root = root_of(watch);
    int64_t khz = gt_sysroot_number(&root, 0, CPU_FOLDER "/cpu%d/cpufreq/%s", cpu, name);
    return khz > 0 && khz <= MAX_KHZ ? khz : 0;
}

/* ---- looking ---- */

static bool firmware_throttles(const gt_sysroot *root)
{
    char text[32];
    return gt_sysroot_line(root, text, sizeof text, FIRMWARE_FILE) && (strtoul(text, NULL, 16) & FIRMWARE_THROTTLES) != 0;
}

void gt_watch_read(gt_watch_sample *sample, const gt_watch *watch)
{
    gt_sysroot root = root_of(watch);
    *sample = (gt_watch_sample){.celsius = (double)NAN, .cooling = firmware_throttles(&root)};
    for (int i = 0; i < watch->n_cpus; i++) {
        sample->khz[i] = read_khz(watch, watch->cpus[i], "scaling_cur_freq");
        sample->limit_khz[i] = read_khz(watch, watch->cpus[i], "scaling_max_freq");
    }
    for (int i = 0; i < watch->n_zones; i++) {
        double celsius = gt_celsius(gt_sysroot_number(&root, INT64_MIN, GT_ZONE_FOLDER "%d/temp", watch->zones[i]));
        sample->celsius = celsius <= sample->celsius ? sample->celsius : isnan(celsius) ? sample->celsius : celsius;
    }
    for (int i = 0; i < watch->n_coolers; i++) {
        sample->cooling |= gt_sysroot_number(&root, 0, COOLER_FOLDER "%d/cur_state", watch->coolers[i]) > 0;
    }
}

int64_t gt_watch_slowest_khz(const gt_watch *watch, const gt_watch_sample *sample)
{
    int64_t slowest = 0;
    for (int i = 0; i < watch->n_cpus; i++) {
        int64_t khz = sample->khz[i];
        slowest = khz > 0 && (slowest == 0 || khz < slowest) ? khz : slowest;
    }
    return slowest;
}

/* ---- beginning ---- */

/* Whether "cpufreq-cpu4" slows one of the watched CPUs down: CPUs that share a clock are cooled under the first one's
 * number. Older kernels do not say whose clock a device lowers ("thermal-cpufreq-0"): their limits do. */
static bool cools_watched(const gt_watch *watch, const char *type)
{
    gt_sysroot root = root_of(watch);
    long cooled = strncmp(type, "cpufreq-cpu", 11) == 0 ? strtol(type + 11, NULL, 10) : -1;
    for (int i = 0; i < watch->n_cpus; i++) {
        char related[128];
        char *rest = NULL;
        if (watch->limit_khz[i] == 0 && strstr(type, "cpufreq") != NULL) {
            return true;
        }
        gt_sysroot_line(&root, related, sizeof related, CPU_FOLDER "/cpu%d/cpufreq/related_cpus", watch->cpus[i]);
        for (char *word = strtok_r(related, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
            if (cooled >= 0 && strtol(word, NULL, 10) == cooled) {
                return true;
            }
        }
    }
    return false;
}

static void find_coolers(gt_watch *watch)
{
    gt_sysroot root = root_of(watch);
    for (int i = 0; i < MAX_COOLERS && watch->n_coolers < GT_WATCH_CPUS; i++) {
        char type[64];
        if (gt_sysroot_line(&root, type, sizeof type, COOLER_FOLDER "%d/type", i) && cools_watched(watch, type)) {
            watch->coolers[watch->n_coolers++] = i;
        }
    }
}

/* The processor's zones, or the first one where none says that it is the processor's. */
static void find_zones(gt_watch *watch, double max_celsius)
{
    gt_sysroot root = root_of(watch);
    gt_device device = {0};
    double passive = (double)NAN;
    gt_i_read_zones(&device, &root);
    for (int i = 0; i < device.n_zones && watch->n_zones < GT_WATCH_ZONES; i++) {
        const gt_thermal_zone *zone = &device.zones[i];
        if (zone->is_processor || i == 0) {
            watch->zones[watch->n_zones++] = zone->number;
            passive = zone->passive_celsius >= passive || isnan(zone->passive_celsius) ? passive : zone->passive_celsius;
        }
    }
    watch->max_celsius = max_celsius > 0 ? max_celsius : (double)NAN;
    watch->target_celsius = (max_celsius > 0 ? max_celsius : passive) - COOL_BELOW;
}

/* Whether a busy core is sure to run at its limit: not where the maximum is a boost that only some cores reach at a time,
 * nor under a governor that holds the clock elsewhere. */
static bool reaches_limit(const gt_watch *watch)
{
    static const char *const steady[] = {"performance", "ondemand", "schedutil", "interactive", "walt"};
    gt_sysroot root = root_of(watch);
    char text[32];
    if (gt_sysroot_line(&root, text, sizeof text, CPU_FOLDER "/cpufreq/boost") ||
        gt_sysroot_line(&root, text, sizeof text, CPU_FOLDER "/intel_pstate/status") || watch->n_cpus == 0) {
        return false;
    }
    gt_sysroot_line(&root, text, sizeof text, CPU_FOLDER "/cpu%d/cpufreq/scaling_governor", watch->cpus[0]);
    for (size_t i = 0; i < sizeof steady / sizeof *steady; i++) {
        if (strcmp(text, steady[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A limit that somebody has set is not throttling; one that cooling has lowered already is. */
static void find_limits(gt_watch *watch)
{
    gt_watch_sample now;
    gt_watch_read(&now, watch);
    for (int i = 0; i < watch->n_cpus; i++) {
        int64_t max_khz = read_khz(watch, watch->cpus[i], "cpuinfo_max_freq");
        watch->limit_khz[i] = now.cooling && max_khz > 0 ? max_khz : now.limit_khz[i];
        watch->full_khz[i] = watch->is_expected ? watch->limit_khz[i] : 0;
    }
}

void gt_watch_begin(gt_watch *watch, const char *root, const int *cpus, int n, double max_celsius)
{
    *watch = (gt_watch){0};
    snprintf(watch->root, sizeof watch->root, "%s", root);
    for (int i = 0; i < n && i < GT_WATCH_CPUS; i++) {
        watch->cpus[watch->n_cpus] = cpus[i];
        watch->limit_khz[watch->n_cpus++] = read_khz(watch, cpus[i], "scaling_max_freq");
    }
    find_zones(watch, max_celsius);
    find_coolers(watch);
    watch->is_expected = reaches_limit(watch);
    find_limits(watch);
}

/* ---- judging ---- */

static bool is_hot(const gt_watch *watch, const gt_watch_sample *sample)
{
    return sample->celsius > watch->max_celsius; /* false where either is NaN */
}

static bool is_limited(const gt_watch *watch, const gt_watch_sample *sample)
{
    bool limited = sample->cooling;
    for (int i = 0; i < watch->n_cpus; i++) {
        limited |= sample->limit_khz[i] > 0 && sample->limit_khz[i] < watch->limit_khz[i];
    }
    return limited;
}

static bool is_slow(const gt_watch *watch, const gt_watch_sample *sample)
{
    bool slow = false;
    for (int i = 0; i < watch->n_cpus; i++) {
        slow |= sample->khz[i] > 0 && sample->khz[i] * 10 < watch->full_khz[i] * 9;
    }
    return slow;
}

void gt_watch_wake(gt_watch_sample *sample, const gt_watch *watch)
{
    int64_t start = gt_now_ns();
    gt_watch_read(sample, watch);
    while (is_slow(watch, sample) && gt_now_ns() - start < WAKE_NS) {
        int64_t since = gt_now_ns();
        while (gt_now_ns() - since < WAKE_STEP_NS) {
        }
        gt_watch_read(sample, watch);
    }
}

gt_throttle gt_watch_judge(gt_watch *watch, const gt_watch_sample *before, const gt_watch_sample *after)
{
    for (int i = 0; i < watch->n_cpus; i++) {
        if (!watch->is_expected && after->khz[i] > watch->full_khz[i]) {
            watch->full_khz[i] = after->khz[i];
        }
    }
    watch->last = is_hot(watch, before) || is_hot(watch, after)           ? GT_THROTTLE_HOT
                  : is_limited(watch, before) || is_limited(watch, after) ? GT_THROTTLE_LIMITED
                  : is_slow(watch, after)                                 ? GT_THROTTLE_SLOW
                                                                          : GT_THROTTLE_NONE;
    return watch->last;
}

bool gt_watch_has_cooled(const gt_watch *watch, const gt_watch_sample *sample)
{
    return !is_limited(watch, sample) && !is_hot(watch, sample) && !(sample->celsius > watch->target_celsius);
}

void gt_watch_settle(gt_watch *watch)
{
    watch->is_expected = false;
    memset(watch->full_khz, 0, sizeof watch->full_khz);
}
