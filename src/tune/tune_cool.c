/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tune/tune_cool.h"

#include "src/base/clock.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

static void show(const gt_cooling *c, const gt_watch_sample *sample)
{
    char now[32] = "", target[48] = "the clock limit to come back";
    bool hot = sample->celsius > c->watch->target_celsius;
    if (c->progress == NULL) {
        return;
    }
    if (isfinite(sample->celsius)) {
        snprintf(now, sizeof now, " %.1f °C,", sample->celsius);
    }
    if (hot) {
        snprintf(target, sizeof target, "%.0f °C", c->watch->target_celsius);
    }
    gt_progress_say(c->progress, "cooling down:%s waiting for %s", now, target);
}

bool gt_cooling_is_needed(const gt_cooling *cooling)
{
    gt_watch_sample sample;
    if (isnan(cooling->watch->max_celsius)) {
        return false;
    }
    gt_watch_read(&sample, cooling->watch);
    return sample.celsius > cooling->watch->max_celsius;
}

bool gt_cooling_wait(gt_cooling *c)
{
    gt_watch_sample sample;
    int64_t start = gt_now_ns();
    bool cooled = false, stopped = false;
    if (c->is_vain) {
        return false;
    }
    for (int i = 0; !cooled && !stopped && i <= c->patience; i++) {
        gt_watch_read(&sample, c->watch);
        cooled = gt_watch_has_cooled(c->watch, &sample);
        stopped = c->must_stop != NULL && c->must_stop(c->context);
        if (cooled || stopped || i == c->patience) {
            break;
        }
        show(c, &sample);
        if (c->pause != NULL) {
            c->pause(c->context);
        } else {
            nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
        }
    }
    c->seconds += (double)(gt_now_ns() - start) / 1e9;
    c->is_vain = !cooled && !stopped;
    return cooled;
}

void gt_cooling_note_good(gt_cooling *cooling)
{
    cooling->is_vain = false;
}
