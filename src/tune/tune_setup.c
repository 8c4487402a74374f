/* SPDX-License-Identifier: Apache-2.0 */
/* What a tune needs before it measures, and how it is taken down. */
#include "src/tune/tune_internal.h"

#include "src/base/clock.h"

#include <stdio.h>
#include <unistd.h>

#define CASE_LIMIT_BYTES ((int64_t)512 << 20)
#define COOL_PATIENCE_S 180 /* how long a wait for the machine to cool down may take */

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

static gt_status open_file(gt_i_tune *t, const char *path)
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
static gt_status read_others(gt_i_tune *t)
{
    gt_status status = GT_OK;
    GT_TRY(gt_records_create(&t->others));
    GT_TRY(gt_records_read(t->others, t->options->learn_from, NULL));
done:
    return status;
}

static bool cooling_must_stop(void *context)
{
    return gt_i_tune_must_stop(context);
}

/* Idle CPUs' clocks say nothing. Without a list, the children take the first CPUs that this process may use. */
static void begin_watch(gt_i_tune *t)
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

gt_status gt_i_tune_prepare(gt_i_tune *t, const char *path)
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

gt_status gt_i_tune_tear_down(gt_i_tune *t, gt_status status)
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
