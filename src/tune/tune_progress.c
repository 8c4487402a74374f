/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tune/tune_progress.h"

#include "src/base/clock.h"
#include "src/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BAR_WIDTH 24
#define TERMINAL_INTERVAL_NS 100000000
#define PLAIN_INTERVAL_NS 10000000000

void gt_progress_begin(gt_progress *p, bool on, const char *title, int64_t total, double budget_s)
{
    int64_t now = gt_now_ns();
    *p = (gt_progress){.on = on, .terminal = isatty(STDERR_FILENO) == 1, .title = title, .total = total,
                       .start_ns = now, .last_ns = now, .budget_s = budget_s};
}

const char *gt_format_eta(char *buffer, int bytes, double seconds)
{
    long long s = seconds > 0 ? (long long)(seconds + 0.5) : 0;
    if (s < 60) {
        snprintf(buffer, (size_t)bytes, "%lld s", s);
    } else if (s < 3600) {
        snprintf(buffer, (size_t)bytes, "%lld m %lld s", s / 60, s % 60);
    } else {
        snprintf(buffer, (size_t)bytes, "%lld h %lld m", s / 3600, s / 60 % 60);
    }
    return buffer;
}

/* From this run's own pace; a budget ends it earlier. */
static double remaining_seconds(const gt_progress *p, int64_t done, int64_t fresh)
{
    double elapsed = (double)(gt_now_ns() - p->start_ns) / 1e9;
    double rest = fresh > 0 ? elapsed / (double)fresh * (double)(p->total - done) : 0;
    if (p->budget_s > 0 && (rest > p->budget_s - elapsed || fresh == 0)) {
        rest = p->budget_s - elapsed;
    }
    return rest;
}

static void draw_bar(char bar[BAR_WIDTH + 1], int64_t done, int64_t total)
{
    int filled = total > 0 ? (int)(done * BAR_WIDTH / total) : BAR_WIDTH;
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)(filled < BAR_WIDTH ? filled : BAR_WIDTH));
    bar[BAR_WIDTH] = '\0';
}

void gt_progress_update(gt_progress *p, int64_t done, int64_t fresh, const char *what, double best_ns)
{
    int64_t now = gt_now_ns();
    p->said = false;
    char bar[BAR_WIDTH + 1], eta[32], time[32], best[96] = "";
    if (!p->on || now - p->last_ns < (p->terminal ? TERMINAL_INTERVAL_NS : PLAIN_INTERVAL_NS)) {
        return;
    }
    p->last_ns = now;
    draw_bar(bar, done, p->total);
    if (best_ns > 0) {
        snprintf(best, sizeof best, "  best %s %s", what, gt_format_ns(time, sizeof time, best_ns));
    }
    fprintf(stderr, "%stuning %s  [%s] %lld/%lld%s  ETA %s%s", p->terminal ? "\r\033[K" : "", p->title, bar,
            (long long)done, (long long)p->total, best,
            gt_format_eta(eta, sizeof eta, remaining_seconds(p, done, fresh)), p->terminal ? "" : "\n");
}

void gt_progress_say(gt_progress *p, const char *format, ...)
{
    va_list args;
    if (!p->on || (p->said && !p->terminal)) {
        return;
    }
    p->said = true;
    p->last_ns = 0;
    fputs(p->terminal ? "\r\033[K" : "", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs(p->terminal ? "" : "\n", stderr);
}

void gt_progress_end(gt_progress *p)
{
    if (p->on && p->terminal) {
        fprintf(stderr, "\r\033[K");
    }
}
