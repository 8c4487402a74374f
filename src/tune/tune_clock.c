/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tune/tune_clock.h"

#include "costmodel/device.h"
#include "src/base/clock.h"

#define INTERVAL_NS 500000000

void gt_clock_watch_begin(gt_clock_watch *watch, int cpu)
{
    *watch = (gt_clock_watch){
        .cpu = cpu, .highest_khz = gt_device_cpu_khz(cpu), .last_check_ns = gt_now_ns()};
}

bool gt_clock_watch_ok(gt_clock_watch *watch, bool *checked)
{
    int64_t now = gt_now_ns();
    *checked = now - watch->last_check_ns >= INTERVAL_NS;
    if (!*checked || watch->highest_khz == 0) {
        return true;
    }
    watch->last_check_ns = now;
    int64_t khz = gt_device_cpu_khz(watch->cpu);
    watch->highest_khz = khz > watch->highest_khz ? khz : watch->highest_khz;
    return khz * 10 >= watch->highest_khz * 9;
}
