/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/solver_flags.h"

#include <math.h>
#include <signal.h>
#include <string.h>

void gt_solver_flags_apply(gt_select_options *options, const gt_solver_flags *flags)
{
    options->time_budget_s = flags->time_limit_s;
    options->work_budget = flags->work_limit;
    options->solver_memory_bytes = flags->memory_bytes;
}

static volatile int stop_wanted;
static struct sigaction before[2];

static void ask_to_stop(int signal)
{
    (void)signal;
    stop_wanted = 1;
}

static void show_progress(void *context, const gt_select_progress *p)
{
    char best[32] = "none yet", bound[32], gap[32] = "";
    (void)context;
    if (p->elapsed_s < 1) {
        return;
    }
    if (isfinite(p->predicted_ns)) {
        gt_format_ns(best, sizeof best, p->predicted_ns);
    }
    if (isfinite(p->predicted_ns) && p->predicted_ns > 0) {
        snprintf(gap, sizeof gap, ", gap %.2f %%", 100 * (1 - p->lower_bound_ns / p->predicted_ns));
    }
    gt_cli_progress_line("solving: best %s, bound %s%s, %lld nodes, %.0f s", best,
                         gt_format_ns(bound, sizeof bound, p->lower_bound_ns), gap, (long long)p->nodes, p->elapsed_s);
}

/* After the first signal the second one has its old effect. */
void gt_cli_watch_begin(gt_select_options *options, bool quiet)
{
    struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    stop_wanted = 0;
    sigaction(SIGINT, &action, &before[0]);
    sigaction(SIGTERM, &action, &before[1]);
    options->stop = &stop_wanted;
    options->progress = quiet ? NULL : show_progress;
}

void gt_cli_watch_end(void)
{
    gt_cli_progress_end();
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
}

static void say_stopped(const gt_plan_result *result)
{
    static const struct {
        const char *stopped, *says;
    } reasons[] = {
        {"interrupted", "interrupted"},
        {"time", "the time limit ended the search"},
        {"work", "the work limit ended the search"},
        {"nodes", "the limit on nodes ended the search"},
        {"memory", "the search ran out of its memory limit"},
    };
    for (size_t i = 0; result->stopped != NULL && i < sizeof reasons / sizeof *reasons; i++) {
        if (strcmp(reasons[i].stopped, result->stopped) == 0) {
            fprintf(stderr, "graphtune: note: %s: the best schedule so far, within %.3g %% of the lower bound\n",
                    reasons[i].says, 100 * result->gap);
        }
    }
}

void gt_cli_say_doubts(const gt_plan *plan)
{
    const gt_schedule *s = &plan->schedule;
    say_stopped(&plan->result);
    if (s->n_throttled > 0) {
        fprintf(stderr,
                "graphtune: warning: %d of the schedule's %d times were measured while the processor was throttled, so that "
                "a better one may have been passed over: cool the machine, tune again (which measures those again) and select anew\n",
                s->n_throttled, s->n_ops + s->n_transforms);
    }
}
