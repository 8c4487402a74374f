/* SPDX-License-Identifier: Apache-2.0 */
/* Watches clock, clock limits and temperature while something is measured, so that what ran throttled is known. Where the
 * system tells nothing, nothing is ever noticed. */
#ifndef GT_COSTMODEL_WATCH_H
#define GT_COSTMODEL_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#define GT_WATCH_CPUS 8
#define GT_WATCH_ZONES 8
#define GT_ZONE_FOLDER "/sys/class/thermal/thermal_zone"

/* What a thermal file's number means: the kernel's interface is thousandths of a degree, some vendors' is degrees. NaN
 * where it is no processor's temperature (beyond -60 to 200 °C). */
double gt_celsius(int64_t raw);

/* A look at the machine. Values are 0, and NaN for the temperature, where unknown. */
typedef struct gt_watch_sample {
    int64_t khz[GT_WATCH_CPUS], limit_khz[GT_WATCH_CPUS]; /* scaling_cur_freq, scaling_max_freq */
    double celsius;                                       /* the processor's hottest zone */
    bool cooling; /* a cooling device slows the processor down, or the firmware says that it does */
} gt_watch_sample;

typedef enum gt_throttle {
    GT_THROTTLE_NONE,
    GT_THROTTLE_SLOW,    /* the clock was more than 10 % below what it reaches */
    GT_THROTTLE_LIMITED, /* the clock's upper limit is lower than it was, or a cooling device is at work */
    GT_THROTTLE_HOT      /* hotter than the user allows */
} gt_throttle;

typedef struct gt_watch {
    char root[512];
    int n_cpus, cpus[GT_WATCH_CPUS];
    int n_zones, zones[GT_WATCH_ZONES]; /* numbers of thermal zones */
    int n_coolers, coolers[GT_WATCH_CPUS];
    int64_t limit_khz[GT_WATCH_CPUS]; /* undisturbed */
    int64_t full_khz[GT_WATCH_CPUS];  /* what a busy core is expected to reach */
    bool is_expected; /* full_khz is the limit; otherwise the highest clock seen so far */
    double max_celsius;    /* NaN: any */
    double target_celsius; /* what to cool down to, NaN: unknown */
    gt_throttle last;      /* what gt_watch_judge said last */
} gt_watch;

/* Begins to watch n CPUs (the first GT_WATCH_CPUS of them) of the machine at `root` ("": this one). max_celsius: 0 for
 * none. The target is 5 °C below that, or else below where the kernel begins to throttle. Takes some ms. */
void gt_watch_begin(gt_watch *watch, const char *root, const int *cpus, int n, double max_celsius);

/* Some 20 µs per CPU and zone; allocates nothing. */
void gt_watch_read(gt_watch_sample *sample, const gt_watch *watch);

/* Works until the watched clocks are up, for governors that raise them only after some load; 100 ms at most, and not at
 * all where they are up. *sample is the last look. */
void gt_watch_wake(gt_watch_sample *sample, const gt_watch *watch);

/* What happened in a block of work from its looks before and after, the latter while the CPUs were still busy. Learns the
 * highest clocks from them. */
gt_throttle gt_watch_judge(gt_watch *watch, const gt_watch_sample *before, const gt_watch_sample *after);

/* Whether a machine that was throttled may be measured again. */
bool gt_watch_has_cooled(const gt_watch *watch, const gt_watch_sample *sample);

/* From now on the highest clocks seen count as full: this machine does not reach its limit. */
void gt_watch_settle(gt_watch *watch);

/* The slowest watched clock in kHz, 0 where unknown. */
int64_t gt_watch_slowest_khz(const gt_watch *watch, const gt_watch_sample *sample);

#endif
