/* SPDX-License-Identifier: Apache-2.0 */
/* Measures what a plan asks for and a records file does not hold yet. */
#include "src/tune/tune.h"

#include "src/base/clock.h"
#include "src/tune/tune_internal.h"

#include <signal.h>

gt_tune_options gt_tune_defaults(void)
{
    return (gt_tune_options){
        .measure = gt_measure_defaults(),
        .strategy = GT_STRATEGY_MODEL,
        .trials = GT_TUNE_TRIALS,
        .layouts = (1u << GT_LAYOUT_COUNT) - 1,
        .seed = 1,
    };
}

/* ---- interruption ---- */

static volatile sig_atomic_t stop_wanted;

static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    stop_wanted = 1;
}

/* The second signal finds the default action again and ends the process: nothing recorded is lost by that. */
static void catch_signals(struct sigaction old[2])
{
    struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = SA_RESETHAND};
    stop_wanted = 0;
    sigaction(SIGINT, &action, &old[0]);
    sigaction(SIGTERM, &action, &old[1]);
}

static void restore_signals(const struct sigaction old[2])
{
    sigaction(SIGINT, &old[0], NULL);
    sigaction(SIGTERM, &old[1], NULL);
}

bool gt_i_tune_must_stop(gt_i_tune *t)
{
    t->report.interrupted |= stop_wanted != 0;
    t->report.budget_spent |= gt_now_ns() >= t->deadline_ns;
    return t->report.interrupted || t->report.budget_spent;
}

/* ---- all items ---- */

static gt_status work_in_order(gt_i_tune *t, const bool *done, int64_t begin, int64_t end)
{
    gt_status status = GT_OK;
    for (int64_t i = begin; i < end && !gt_i_tune_must_stop(t); i++) {
        if (!done[i]) {
            GT_TRY(gt_i_tune_work_on(t, &t->plan->items[i]));
        }
    }
done:
    return status;
}

/* Tells the strategy what the file and others hold. */
static gt_status begin_strategy(gt_i_tune *t)
{
    gt_status status = GT_OK;
    const gt_tune_options *o = t->options;
    gt_isa isa = o->counter != NULL ? t->device.isa : o->measure.isa;
    gt_machine machine = gt_machine_of(&t->device, isa, o->measure.threads);
    int64_t known = 0;
    GT_TRY(gt_strategy_create(&t->strategy, t->tasks, t->plan, o, &machine));
    GT_TRY(t->others != NULL ? gt_strategy_learn(t->strategy, t->others) : GT_OK);
    GT_TRY(gt_strategy_recall(t->strategy, t->known, t->device.hash, o->measure.threads, &known));
    t->report.skipped += known;
done:
    return status;
}

/* Behind the defaults and the transforms: what the strategy wants until it wants no more. */
static gt_status work_by_model(gt_i_tune *t)
{
    gt_status status = GT_OK;
    bool found = true;
    t->report.planned = t->report.skipped + t->report.measured + gt_strategy_remaining(t->strategy);
    while (!gt_i_tune_must_stop(t)) {
        gt_plan_item item;
        GT_TRY(gt_strategy_next(t->strategy, &item, &found));
        t->report.planned = t->report.skipped + t->report.measured + gt_strategy_remaining(t->strategy);
        t->progress.total = t->report.planned;
        if (!found) {
            break;
        }
        GT_TRY(gt_i_tune_work_on(t, &item));
    }
done:
    return status;
}

static gt_status work(gt_i_tune *t)
{
    gt_status status = GT_OK;
    bool *done = NULL;
    int64_t n = t->plan->n_items, trials_begin = 0;
    GT_TRY(gt_calloc(&done, (size_t)n, sizeof *done));
    GT_TRY(gt_i_tune_skip_known(t, done));
    GT_TRY(t->options->strategy == GT_STRATEGY_MODEL ? begin_strategy(t) : GT_OK);
    while (trials_begin < n && t->plan->items[trials_begin].stage < GT_STAGE_TRIALS) {
        trials_begin++;
    }
    GT_TRY(work_in_order(t, done, 0, trials_begin));
    if (t->strategy != NULL) {
        GT_TRY(work_by_model(t));
    } else if (t->options->budget_s > 0) {
        GT_TRY(gt_i_tune_work_by_share(t, done, trials_begin));
    } else {
        GT_TRY(work_in_order(t, done, trials_begin, n));
    }
    /* Nothing was left to do when the time was up: then it was enough. */
    t->report.budget_spent &= t->report.measured + t->report.skipped < t->report.planned;
done:
    gt_free(done);
    return status;
}

gt_status gt_tune(const gt_tasks *tasks, const char *records_path, const gt_tune_options *options,
                  gt_tune_report *report)
{
    gt_i_tune t = {.tasks = tasks, .options = options};
    struct sigaction old[2];
    int64_t start = gt_now_ns();
    gt_status status = gt_i_tune_prepare(&t, records_path);
    if (status == GT_OK) {
        catch_signals(old);
        status = work(&t);
        restore_signals(old);
        gt_progress_end(&t.progress);
        t.report.cooling_seconds = t.cooling.seconds;
        t.report.seconds = (double)(gt_now_ns() - start) / 1e9;
        if (!options->quiet) {
            gt_i_tune_tell_end(&t, records_path);
        }
        if (report != NULL) {
            *report = t.report;
        }
    }
    return gt_i_tune_tear_down(&t, status);
}
