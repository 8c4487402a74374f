/* SPDX-License-Identifier: Apache-2.0 */
/* Measures what a plan asks for and a records file does not hold yet. */
#include "src/tune/tune.h"

#include "src/base/clock.h"
#include "src/tune/strategy.h"
#include "src/tune/tune_cases.h"
#include "src/tune/tune_cool.h"
#include "src/tune/tune_plan.h"
#include "src/tune/tune_progress.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define CASE_LIMIT_BYTES ((int64_t)512 << 20)
#define LISTED_TROUBLES 10
#define SLICE_NS 250000000       /* with a budget: how long one task is worked on at a time */
#define COOL_PATIENCE_S 180      /* how long a wait for the machine to cool down may take */
#define MOST_REPEATS 2           /* of a candidate that was measured throttled */
#define SETTLE_AFTER 3           /* candidates in a row that stayed slow without any other sign of throttling */

struct tune {
    const gt_tasks *tasks;
    const gt_tune_options *options;
    gt_measure_options measure; /* the options' with the watch */
    gt_device device;
    gt_records *known; /* what the file held at the beginning */
    gt_records_writer *writer;
    gt_tune_plan *plan;
    gt_strategy *strategy; /* NULL but for GT_STRATEGY_MODEL */
    gt_records *others;    /* of options->learn_from, or NULL */
    gt_case_cache *cases;
    double *best; /* per task, in and out layout: the best median so far, 0 for none */
    gt_tune_report report;
    gt_progress progress;
    gt_text troubles;
    int64_t deadline_ns; /* INT64_MAX without a budget */
    gt_watch watch;
    gt_cooling cooling;
    int slow_in_a_row;
};

gt_tune_options gt_tune_defaults(void)
{
    return (gt_tune_options){
        .measure = gt_measure_defaults(),
        .strategy = GT_STRATEGY_MODEL,
        .trials = 8,
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

static bool must_stop(struct tune *t)
{
    t->report.interrupted |= stop_wanted != 0;
    t->report.budget_spent |= gt_now_ns() >= t->deadline_ns;
    return t->report.interrupted || t->report.budget_spent;
}

/* ---- what is known ---- */

static double *best_of(struct tune *t, const gt_plan_item *item)
{
    return &t->best[(item->task * GT_LAYOUT_COUNT + (int)item->in) * GT_LAYOUT_COUNT + (int)item->out];
}

static void note_best(struct tune *t, const gt_plan_item *item, const gt_record *record)
{
    if (item->task >= 0 && record->status == GT_RECORD_OK && !record->throttled) {
        double *best = best_of(t, item);
        if (*best == 0 || record->timing.median_ns < *best) {
            *best = record->timing.median_ns;
        }
    }
}

/* The record of an item made by this build on this device, or NULL. */
static gt_status find_known(const gt_record **found, const struct tune *t, const gt_plan_item *item)
{
    gt_status status = GT_OK;
    gt_text config = {0};
    gt_space space;
    const gt_record *r = NULL;
    if (item->task < 0) {
        char shape[GT_SHAPE_TEXT_BYTES];
        r = gt_records_find(t->known, GT_RECORD_TRANSFORM, t->device.hash, t->options->measure.threads,
                            gt_shape_format(shape, sizeof shape, &t->tasks->shapes[item->shape]), item->in,
                            item->out, "", "");
    } else {
        const gt_workload *w = t->tasks->tasks[item->task].workload;
        gt_template_space(item->tmpl, w, item->in, item->out, &space);
        GT_TRY(gt_config_format(&config, &space, &item->config));
        r = gt_records_find(t->known, GT_RECORD_OP, t->device.hash, t->options->measure.threads, w->key,
                            item->in, item->out, item->tmpl->name, config.data);
    }
    *found = r != NULL && gt_record_is_current(r) ? r : NULL;
done:
    gt_text_destroy(&config);
    return status;
}

/* Counts what need not be measured and learns the best times from it. done[i] is set for those items. */
static gt_status skip_known(struct tune *t, bool *done)
{
    gt_status status = GT_OK;
    for (int64_t i = 0; i < t->plan->n_items; i++) {
        const gt_record *known = NULL;
        GT_TRY(find_known(&known, t, &t->plan->items[i]));
        if (known != NULL && !known->throttled) {
            done[i] = true;
            t->report.skipped++;
            note_best(t, &t->plan->items[i], known);
        }
    }
done:
    return status;
}

/* ---- one item ---- */

static gt_status note_trouble(struct tune *t, const gt_record *r)
{
    gt_tune_report *report = &t->report;
    int64_t *const counts[GT_RECORD_STATUS_COUNT] = {NULL, &report->wrong, &report->crash, &report->timeout,
                                                     &report->oom, &report->failed};
    if (r->status == GT_RECORD_OK) {
        return GT_OK;
    }
    ++*counts[r->status];
    int64_t n = report->wrong + report->crash + report->timeout + report->oom + report->failed;
    if (n > LISTED_TROUBLES) {
        return GT_OK;
    }
    return gt_text_append(&t->troubles, "  %s: %s %s->%s {%s} on %s%s%s\n", gt_record_status_name(r->status),
                          r->kind == GT_RECORD_OP ? r->template_name : "transform", gt_layout_name(r->in),
                          gt_layout_name(r->out), r->config, r->workload, r->note != NULL ? ": " : "",
                          r->note != NULL ? r->note : "");
}

static gt_status measure_item(gt_record *record, struct tune *t, const gt_plan_item *item)
{
    const gt_measure_options *o = &t->measure;
    gt_counter *counter = t->options->counter;
    const gt_bench_case *bench = NULL;
    if (item->task < 0) {
        const gt_shape *shape = &t->tasks->shapes[item->shape];
        return counter != NULL ? gt_count_transform(record, counter, shape, item->in, item->out)
                               : gt_measure_transform(record, shape, item->in, item->out, &t->device, o);
    }
    gt_status status = gt_case_cache_get(t->cases, &bench, item->task);
    if (status != GT_OK) {
        return gt_fail_in(status, "op \"%s\"", t->tasks->tasks[item->task].example);
    }
    return counter != NULL ? gt_count_candidate(record, counter, bench, item->tmpl, item->in, item->out, &item->config)
                           : gt_measure_candidate(record, bench, item->tmpl, item->in, item->out, &item->config,
                                *best_of(t, item), &t->device, o);
}

static void show_progress(struct tune *t, const gt_plan_item *item)
{
    const char *what = item->task < 0 ? "transform"
                                      : gt_op_kind_name(t->tasks->tasks[item->task].workload->kind);
    double best = item->task < 0 ? 0 : *best_of(t, item);
    gt_progress_update(&t->progress, t->report.skipped + t->report.measured, t->report.measured, what, best);
}

/* A clock that stays low though nothing limits it is this machine's way: it becomes what is expected. */
static void note_slowness(struct tune *t, bool slow)
{
    t->slow_in_a_row = slow ? t->slow_in_a_row + 1 : 0;
    if (t->slow_in_a_row == SETTLE_AFTER && t->watch.is_expected) {
        gt_watch_settle(&t->watch);
        if (!t->options->quiet) {
            gt_progress_end(&t->progress);
            fprintf(stderr,
                    "graphtune: note: the clock stays more than 10 %% below its limit under load (governor %s); for steady "
                    "measurements, set the performance governor\n",
                    t->device.governor[0] != '\0' ? t->device.governor : "unknown");
        }
    }
}

/* Measures once and keeps the record, whatever the machine's state was; *record (cleared before) is it. */
static gt_status measure_once(gt_record *record, struct tune *t, const gt_plan_item *item, gt_throttle *why)
{
    gt_status status = GT_OK;
    gt_record_clear(record);
    GT_TRY(measure_item(record, t, item));
    GT_TRY(gt_records_append(t->writer, record));
    note_best(t, item, record);
    GT_TRY(note_trouble(t, record));
    *why = t->watch.last;
done:
    return status;
}

/* The last record of a candidate counts: one that was measured throttled is followed by a better one if that can be
 * had. */
static gt_status work_on(struct tune *t, const gt_plan_item *item)
{
    gt_status status = GT_OK;
    gt_record record = {0};
    gt_throttle why = GT_THROTTLE_NONE;
    if (gt_cooling_is_needed(&t->cooling)) {
        (void)gt_cooling_wait(&t->cooling);
    }
    GT_TRY(measure_once(&record, t, item, &why));
    t->report.measured++;
    for (int i = 0; why != GT_THROTTLE_NONE && i < MOST_REPEATS && !must_stop(t); i++) {
        if (why != GT_THROTTLE_SLOW && !gt_cooling_wait(&t->cooling)) {
            break;
        }
        GT_TRY(measure_once(&record, t, item, &why));
        t->report.repeated++;
    }
    t->report.throttled += why != GT_THROTTLE_NONE;
    note_slowness(t, why == GT_THROTTLE_SLOW);
    if (why == GT_THROTTLE_NONE) {
        gt_cooling_note_good(&t->cooling);
    }
    GT_TRY(t->strategy != NULL ? gt_strategy_note(t->strategy, item, &record) : GT_OK);
    show_progress(t, item);
done:
    gt_record_clear(&record);
    return status;
}

/* ---- all items ---- */

static gt_status work_in_order(struct tune *t, const bool *done, int64_t begin, int64_t end)
{
    gt_status status = GT_OK;
    for (int64_t i = begin; i < end && !must_stop(t); i++) {
        if (!done[i]) {
            GT_TRY(work_on(t, &t->plan->items[i]));
        }
    }
done:
    return status;
}

/* Per task, its items from `begin` on as a list: first[task], following[item], -1 at the end. */
static void list_by_task(const struct tune *t, const bool *done, int64_t begin, int64_t *first,
                         int64_t *following)
{
    for (int i = 0; i < t->tasks->n_tasks; i++) {
        first[i] = -1;
    }
    for (int64_t i = t->plan->n_items - 1; i >= begin; i--) {
        if (!done[i]) {
            following[i] = first[t->plan->items[i].task];
            first[t->plan->items[i].task] = i;
        }
    }
}

/* The unfinished task that has had least of its share, or -1. */
static int neediest(const struct tune *t, const int64_t *first, const double *spent)
{
    int chosen = -1;
    for (int i = 0; i < t->tasks->n_tasks; i++) {
        if (first[i] >= 0 &&
            (chosen < 0 || spent[i] / t->plan->share[i] < spent[chosen] / t->plan->share[chosen])) {
            chosen = i;
        }
    }
    return chosen;
}

/* Spends the rest of the budget so that every task's time is in proportion to its share. */
static gt_status work_by_share(struct tune *t, const bool *done, int64_t begin)
{
    gt_status status = GT_OK;
    int64_t *first = NULL, *following = NULL;
    double *spent = NULL;
    int task = 0;
    GT_TRY(gt_calloc(&first, (size_t)t->tasks->n_tasks, sizeof *first));
    GT_TRY(gt_calloc(&following, (size_t)t->plan->n_items, sizeof *following));
    GT_TRY(gt_calloc(&spent, (size_t)t->tasks->n_tasks, sizeof *spent));
    list_by_task(t, done, begin, first, following);
    while (!must_stop(t) && (task = neediest(t, first, spent)) >= 0) {
        int64_t since = gt_now_ns();
        while (first[task] >= 0 && gt_now_ns() - since < SLICE_NS && !must_stop(t)) {
            int64_t item = first[task];
            first[task] = following[item];
            GT_TRY(work_on(t, &t->plan->items[item]));
        }
        spent[task] += (double)(gt_now_ns() - since);
    }
done:
    gt_free(first);
    gt_free(following);
    gt_free(spent);
    return status;
}

/* Tells the strategy what the file and others hold. */
static gt_status begin_strategy(struct tune *t)
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
static gt_status work_by_model(struct tune *t)
{
    gt_status status = GT_OK;
    bool found = true;
    t->report.planned = t->report.skipped + t->report.measured + gt_strategy_remaining(t->strategy);
    while (!must_stop(t)) {
        gt_plan_item item;
        GT_TRY(gt_strategy_next(t->strategy, &item, &found));
        t->report.planned = t->report.skipped + t->report.measured + gt_strategy_remaining(t->strategy);
        t->progress.total = t->report.planned;
        if (!found) {
            break;
        }
        GT_TRY(work_on(t, &item));
    }
done:
    return status;
}

static gt_status work(struct tune *t)
{
    gt_status status = GT_OK;
    bool *done = NULL;
    int64_t n = t->plan->n_items, trials_begin = 0;
    GT_TRY(gt_calloc(&done, (size_t)n, sizeof *done));
    GT_TRY(skip_known(t, done));
    GT_TRY(t->options->strategy == GT_STRATEGY_MODEL ? begin_strategy(t) : GT_OK);
    while (trials_begin < n && t->plan->items[trials_begin].stage < GT_STAGE_TRIALS) {
        trials_begin++;
    }
    GT_TRY(work_in_order(t, done, 0, trials_begin));
    if (t->strategy != NULL) {
        GT_TRY(work_by_model(t));
    } else if (t->options->budget_s > 0) {
        GT_TRY(work_by_share(t, done, trials_begin));
    } else {
        GT_TRY(work_in_order(t, done, trials_begin, n));
    }
    /* Nothing was left to do when the time was up: then it was enough. */
    t->report.budget_spent &= t->report.measured + t->report.skipped < t->report.planned;
done:
    gt_free(done);
    return status;
}

/* ---- beginning and end ---- */

static gt_status check_options(const gt_tune_options *o)
{
    gt_status status = GT_OK;
    const gt_measure_options *m = &o->measure;
    GT_REQUIRE(m->threads >= 1 && m->threads <= 256, GT_ERROR_ARGUMENT, "threads = %d: must be 1 to 256",
               m->threads);
    GT_REQUIRE(o->counter == NULL || m->threads == 1, GT_ERROR_ARGUMENT, "threads = %d: only one thread can be counted", m->threads);
    GT_REQUIRE(o->budget_s >= 0 && o->budget_s <= 1e9, GT_ERROR_ARGUMENT,
               "budget = %g s: must be 0 (none) to 1e9", o->budget_s);
    GT_REQUIRE((int)o->strategy >= 0 && o->strategy < GT_STRATEGY_COUNT, GT_ERROR_ARGUMENT,
               "strategy = %d: there are only %d", (int)o->strategy, GT_STRATEGY_COUNT);
    GT_REQUIRE(o->max_celsius >= 0 && o->max_celsius <= 150, GT_ERROR_ARGUMENT,
               "max_celsius = %g: must be 0 (any) to 150", o->max_celsius);
    GT_REQUIRE((o->layouts & ~((1u << GT_LAYOUT_COUNT) - 1)) == 0, GT_ERROR_ARGUMENT,
               "layouts = %#x: there are only %d", o->layouts, GT_LAYOUT_COUNT);
    GT_REQUIRE(gt_isa_available(m->isa), GT_ERROR_UNSUPPORTED, "this CPU has no %s", gt_isa_name(m->isa));
done:
    return status;
}

/* Opening mends a torn last line; the user should hear of it. What else is wrong with the file, opening tells. */
static gt_status note_torn_line(const char *path)
{
    gt_status status = GT_OK;
    gt_records_report report = {0};
    gt_records *scratch = NULL;
    if (access(path, F_OK) != 0) {
        return GT_OK;
    }
    GT_TRY(gt_records_create(&scratch));
    if (gt_records_read(scratch, path, &report) == GT_OK && report.torn > 0) {
        fprintf(stderr, "graphtune: note: %s: an unfinished last line was dropped\n", path);
    }
done:
    gt_records_destroy(scratch);
    return status;
}

static gt_status open_file(struct tune *t, const char *path)
{
    gt_status status = GT_OK;
    gt_text fingerprint = {0};
    GT_TRY(note_torn_line(path));
    if (t->options->counter != NULL) {
        t->device = *gt_counter_device(t->options->counter);
    } else {
        GT_TRY(gt_device_detect(&t->device));
    }
    GT_TRY(gt_device_json(&fingerprint, &t->device));
    GT_TRY(gt_records_create(&t->known));
    GT_TRY(gt_records_open(&t->writer, path, fingerprint.data));
    GT_TRY(gt_records_read(t->known, path, NULL));
done:
    gt_text_destroy(&fingerprint);
    return status;
}

/* Before the own file is made: a file that cannot be read leaves nothing behind. */
static gt_status read_others(struct tune *t)
{
    gt_status status = GT_OK;
    GT_TRY(gt_records_create(&t->others));
    GT_TRY(gt_records_read(t->others, t->options->learn_from, NULL));
done:
    return status;
}

static bool cooling_must_stop(void *context)
{
    return must_stop(context);
}

/* Idle CPUs' clocks say nothing. Without a list, the children take the first CPUs that this process may use. */
static void begin_watch(struct tune *t)
{
    int first[GT_WATCH_CPUS];
    int n = 0;
    const gt_measure_options *m = &t->options->measure;
    gt_cpu_set allowed = gt_cpu_set_allowed();
    for (int cpu = 0; cpu < GT_DEVICE_MAX_CPUS && n < GT_WATCH_CPUS && n < m->threads; cpu++) {
        if (gt_cpu_set_has(&allowed, cpu)) {
            first[n++] = cpu;
        }
    }
    bool listed = m->n_cpus > 0;
    int used = m->n_cpus < m->threads ? m->n_cpus : m->threads;
    gt_watch_begin(&t->watch, gt_sysroot_default(), listed ? m->cpus : first, listed ? used : n, t->options->max_celsius);
    t->measure = *m;
    t->measure.watch = &t->watch;
    t->cooling = (gt_cooling){.watch = &t->watch,
                              .progress = &t->progress,
                              .must_stop = cooling_must_stop,
                              .context = t,
                              .patience = COOL_PATIENCE_S};
}

static gt_status prepare(struct tune *t, const char *path)
{
    gt_status status = GT_OK;
    const gt_measure_options *m = &t->options->measure;
    GT_TRY(check_options(t->options));
    GT_TRY(gt_tune_plan_create(&t->plan, t->tasks, t->options));
    GT_TRY(t->options->learn_from != NULL ? read_others(t) : GT_OK);
    GT_TRY(open_file(t, path));
    size_t pairs = (size_t)t->tasks->n_tasks * GT_LAYOUT_COUNT * GT_LAYOUT_COUNT;
    GT_TRY(gt_calloc(&t->best, pairs, sizeof *t->best));
    int64_t limit = t->device.memory_bytes > 0 && t->device.memory_bytes / 8 < CASE_LIMIT_BYTES
                        ? t->device.memory_bytes / 8 : CASE_LIMIT_BYTES;
    GT_TRY(gt_case_cache_create(&t->cases, t->tasks, m, limit));
    begin_watch(t);
    t->report.planned = t->plan->n_items;
    t->deadline_ns = t->options->budget_s > 0 ? gt_now_ns() + (int64_t)(t->options->budget_s * 1e9)
                                              : INT64_MAX;
    gt_progress_begin(&t->progress, t->options->progress && !t->options->quiet, t->tasks->model,
                      t->plan->n_items, t->options->budget_s);
    t->progress.terminal |= t->options->live;
done:
    return status;
}

static void tell_end(const struct tune *t, const char *path)
{
    const gt_tune_report *r = &t->report;
    long long bad = r->wrong + r->crash + r->timeout + r->oom + r->failed;
    if (r->interrupted) {
        fprintf(stderr,
                "graphtune: interrupted: %s holds the %lld candidates measured in this run; the same command "
                "continues\n",
                path, (long long)r->measured);
    }
    if (r->throttled > 0) {
        fprintf(stderr,
                "graphtune: warning: %lld candidates were measured while the processor was throttled (governor %s) and may look "
                "slower than they are: cool the machine, and the same command measures them again\n",
                (long long)r->throttled, t->device.governor[0] != '\0' ? t->device.governor : "unknown");
    }
    if (bad > 0) {
        fprintf(stderr,
                "graphtune: %lld candidates cannot be used (wrong %lld, crash %lld, timeout %lld, out of "
                "memory %lld, failed %lld):\n%s%s",
                bad, (long long)r->wrong, (long long)r->crash, (long long)r->timeout, (long long)r->oom,
                (long long)r->failed, t->troubles.data != NULL ? t->troubles.data : "",
                bad > LISTED_TROUBLES ? "  …\n" : "");
    }
}

static gt_status tear_down(struct tune *t, gt_status status)
{
    if (t->writer != NULL) {
        gt_status closed = gt_records_close(t->writer);
        status = status == GT_OK ? closed : status;
    }
    gt_case_cache_destroy(t->cases);
    gt_strategy_destroy(t->strategy);
    gt_records_destroy(t->others);
    gt_tune_plan_destroy(t->plan);
    gt_records_destroy(t->known);
    gt_text_destroy(&t->troubles);
    gt_free(t->best);
    return status;
}

gt_status gt_tune(const gt_tasks *tasks, const char *records_path, const gt_tune_options *options,
                  gt_tune_report *report)
{
    struct tune t = {.tasks = tasks, .options = options};
    struct sigaction old[2];
    int64_t start = gt_now_ns();
    gt_status status = prepare(&t, records_path);
    if (status == GT_OK) {
        catch_signals(old);
        status = work(&t);
        restore_signals(old);
        gt_progress_end(&t.progress);
        t.report.cooling_seconds = t.cooling.seconds;
        t.report.seconds = (double)(gt_now_ns() - start) / 1e9;
        if (!options->quiet) {
            tell_end(&t, records_path);
        }
        if (report != NULL) {
            *report = t.report;
        }
    }
    return tear_down(&t, status);
}
