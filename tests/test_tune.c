/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks and their file, the plan of a tune, and tunes that are resumed, interrupted and killed. */
#include "src/tune/tune.h"

#include "src/base/clock.h"
#include "src/base/file.h"
#include "src/base/rng.h"
#include "src/tune/tune_plan.h"
#include "src/tune/tune_progress.h"
#include "tests/device_tree.h"
#include "tests/runner.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define CONV \
    "conv2d(1x6x9x7,10x6x3x3!,10!,_)->1x10x9x7{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1,act=relu}"
#define POINT \
    "conv2d(1x10x9x7,8x10x1x1!,8!,_)->1x8x9x7{stride=1x1,pad=0x0x0x0,dilation=1x1,groups=1,act=relu}"
#define DENSE "dense(1x8,4x8!,4!)->1x4{rows=0}"

static char folder[128];
static char path[160], other[160];
static gt_rng rng;

static void must(gt_status status)
{
    if (status != GT_OK) {
        ck_abort_msg("%s: %s", gt_status_name(status), gt_error_message());
    }
}

/* ---- tasks ---- */

static gt_tasks *make_tasks(void)
{
    static const char text[] =
        "{\"format\":\"graphtune-tasks\",\"version\":1,\"model\":\"tiny\",\"tasks\":["
        "{\"workload\":\"" CONV "\",\"uses\":2,\"example\":\"a\"},"
        "{\"workload\":\"" POINT "\",\"uses\":1,\"example\":\"b\"},"
        "{\"workload\":\"" DENSE "\",\"uses\":1,\"example\":\"c\"}],"
        "\"shapes\":[\"1x6x9x7\",\"1x10x9x7\"]}";
    gt_tasks *tasks = NULL;
    char tasks_path[192];
    snprintf(tasks_path, sizeof tasks_path, "%s.tasks", path);
    must(gt_file_replace(tasks_path, text, sizeof text - 1));
    must(gt_tasks_read(&tasks, tasks_path));
    unlink(tasks_path);
    return tasks;
}

static int add_conv(gt_graph *graph, int x, const char *name)
{
    gt_attrs attrs = {.conv = {.stride = {1, 1}, .pad = {1, 1, 1, 1}, .dilation = {1, 1}, .groups = 1}};
    gt_shape shape = gt_shape_4d(4, 4, 3, 3);
    float *weight = NULL;
    int inputs[] = {x, -1, GT_NO_TENSOR, GT_NO_TENSOR}, output = -1;
    must(gt_calloc(&weight, 4 * 4 * 9, sizeof *weight));
    must(gt_graph_add_tensor(graph, &inputs[1], "weight", GT_F32, &shape, weight));
    must(gt_graph_add_op(graph, NULL, &output, GT_OP_CONV2D, name, name, &attrs, &(gt_epilogue){0}, 4, inputs,
                         NULL));
    return output;
}

START_TEST(test_tasks_of_graph)
{
    gt_graph *graph = NULL;
    gt_tasks *tasks = NULL, *back = NULL;
    gt_shape shape = gt_shape_4d(1, 4, 6, 6);
    int input = -1;
    must(gt_graph_create(&graph, "two convs"));
    must(gt_graph_add_tensor(graph, &input, "x", GT_F32, &shape, NULL));
    must(gt_graph_add_input(graph, input));
    int y = add_conv(graph, add_conv(graph, input, "first"), "second");
    must(gt_graph_add_output(graph, y, "y"));
    must(gt_graph_finish(graph));
    must(gt_tasks_of_graph(&tasks, graph));
    gt_graph_destroy(graph);
    ck_assert_str_eq(tasks->model, "two convs");
    ck_assert_int_eq(tasks->n_tasks, 1);
    ck_assert_int_eq(tasks->tasks[0].uses, 2);
    ck_assert_str_eq(tasks->tasks[0].example, "first");
    ck_assert_int_eq(tasks->n_shapes, 1); /* the weights have none */
    ck_assert(gt_shape_equal(&tasks->shapes[0], &shape));
    must(gt_tasks_write(tasks, path));
    ck_assert(gt_tasks_probe(path));
    must(gt_tasks_read(&back, path));
    ck_assert_str_eq(back->model, tasks->model);
    ck_assert_int_eq(back->n_tasks, 1);
    ck_assert_str_eq(back->tasks[0].workload->key, tasks->tasks[0].workload->key);
    ck_assert_str_eq(back->tasks[0].example, "first");
    ck_assert_int_eq(back->n_shapes, 1);
    ck_assert(gt_shape_equal(&back->shapes[0], &shape));
    gt_tasks_destroy(tasks);
    gt_tasks_destroy(back);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

#define HEAD "{\"format\":\"graphtune-tasks\",\"version\":1,\"model\":\"m\","
#define TASK "{\"workload\":\"" DENSE "\",\"uses\":1,\"example\":\"e\"}"

static const struct {
    const char *text, *message;
} bad_tasks[] = {
    {"[]", "the document is an array: must be an object with the key \"format\""},
    {"{\"format\":\"tasks\"}", "format is \"tasks\": must be one of \"graphtune-tasks\""},
    {"{\"format\":\"graphtune-tasks\",\"version\":2}", "version is 2: this graphtune reads"},
    {"{\"format\":\"graphtune-tasks\",\"version\":1}",
     "the document is an object: the key \"model\" is missing"},
    {HEAD "\"tasks\":[" TASK "],\"extra\":1}", "extra is 1: no such key is known here"},
    {HEAD "\"tasks\":{}}", "tasks is an object: must be an array"},
    {HEAD "\"tasks\":[1]}", "tasks[0] is 1: must be an object"},
    {HEAD "\"tasks\":[{\"workload\":\"nonsense(\",\"uses\":1,\"example\":\"e\"}]}",
     "tasks[0].workload is \"nonsense(\": "},
    {HEAD "\"tasks\":[{\"workload\":\"" DENSE "\",\"uses\":0,\"example\":\"e\"}]}",
     "tasks[0].uses is 0: must be a whole"},
    {HEAD "\"tasks\":[{\"workload\":\"" DENSE "\",\"uses\":1}]}",
     "tasks[0] is an object: the key \"example\" is missing"},
    {HEAD "\"tasks\":[" TASK "," TASK "],\"shapes\":[]}", "tasks[1].workload is "},
    {HEAD "\"tasks\":[" TASK "]}", "the document is an object: the key \"shapes\" is missing"},
    {HEAD "\"tasks\":[],\"shapes\":[\"1x2x3\"]}", "shapes[0] is \"1x2x3\": must be four dimensions"},
    {HEAD "\"tasks\":[],\"shapes\":[\"1x2x3x0\"]}", "shapes[0] is \"1x2x3x0\": must be four dimensions"},
    {HEAD "\"tasks\":[],\"shapes\":[\"1x2x3x04\"]}", "shapes[0] is \"1x2x3x04\": must be four dimensions"},
    {HEAD "\"tasks\":[],\"shapes\":[\"1x2x3x4x5\"]}", "shapes[0] is \"1x2x3x4x5\": must be four dimensions"},
    {HEAD "\"tasks\":[],\"shapes\":[\"999999999x999999999x9x9\"]}", "shapes[0] is "},
    {HEAD "\"tasks\":[],\"shapes\":[7]}", "shapes[0] is 7: must be a string"},
};

START_TEST(test_tasks_malformed)
{
    char message[256];
    gt_tasks *tasks = NULL;
    must(gt_file_replace(path, bad_tasks[_i].text, strlen(bad_tasks[_i].text)));
    gt_status status = gt_tasks_read(&tasks, path);
    ck_assert(status == GT_ERROR_FORMAT || status == GT_ERROR_UNSUPPORTED);
    snprintf(message, sizeof message, "%s: %s", path, bad_tasks[_i].message);
    ck_assert_msg(strncmp(gt_error_message(), message, strlen(message)) == 0, "message: %s",
                  gt_error_message());
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_probe)
{
    must(gt_file_replace(path, "\x08\x07graphtune-tasks", 17));
    ck_assert(!gt_tasks_probe(path));
    must(gt_file_replace(path, "{\"v\":1}", 7));
    ck_assert(!gt_tasks_probe(path));
    ck_assert(!gt_tasks_probe("/nonexistent"));
    must(gt_file_replace(path, "", 0));
    ck_assert(!gt_tasks_probe(path));
}
END_TEST

START_TEST(test_tasks_allocation_failures)
{
    gt_tasks *tasks = make_tasks();
    must(gt_tasks_write(tasks, path));
    gt_tasks_destroy(tasks);
    for (int64_t k = 0;; k++) {
        gt_tasks *read = NULL;
        gt_i_fail_allocation(k);
        gt_status status = gt_tasks_read(&read, path);
        status = status == GT_OK ? gt_tasks_write(read, other) : status;
        gt_i_fail_allocation(-1);
        gt_tasks_destroy(read);
        ck_assert_int_eq(gt_i_live_allocations(), 0);
        if (status == GT_OK) {
            return;
        }
        ck_assert_int_eq(status, GT_ERROR_MEMORY);
    }
}
END_TEST

/* ---- the plan ---- */

static gt_tune_options quick_options(void)
{
    gt_tune_options o = gt_tune_defaults();
    o.measure.min_time_ns = 50000;
    o.measure.max_time_ns = 200000;
    o.strategy = GT_STRATEGY_GRID;
    o.trials = 2;
    o.layouts = 1u << GT_NCHW | 1u << GT_NHWC | 1u << GT_NCHW8C;
    o.quiet = true;
    return o;
}

static bool same_config(const gt_config *a, const gt_config *b)
{
    return a->n == b->n && memcmp(a->value, b->value, (size_t)a->n * sizeof *a->value) == 0;
}

/* Samples have no duplicates, are valid, begin with the default, and shorter ones begin longer ones. */
START_TEST(test_sample)
{
    const gt_strategy_kind kind = _i == 0 ? GT_STRATEGY_GRID : GT_STRATEGY_RANDOM;
    gt_tasks *tasks = make_tasks();
    const gt_workload *w = tasks->tasks[0].workload;
    int seen = 0;
    for (size_t i = 0; i < gt_template_count(); i++) {
        const gt_template *t = gt_template_at(i);
        gt_config few[5], many[64], everything[8];
        gt_space space;
        int n_few = 0, n_many = 0, n = 0;
        if (!gt_template_supports(t, w, GT_NHWC, GT_NHWC)) {
            continue;
        }
        gt_template_space(t, w, GT_NHWC, GT_NHWC, &space);
        must(gt_tune_sample(few, &n_few, kind, t, w, GT_NHWC, GT_NHWC, 5, 1));
        must(gt_tune_sample(many, &n_many, kind, t, w, GT_NHWC, GT_NHWC, 64, 1));
        gt_space_point(&space, 0, &everything[0]);
        ck_assert(same_config(&many[0], &everything[0]));
        ck_assert_int_eq(n_few, n_many < 5 ? n_many : 5);
        for (int a = 0; a < n_many; a++) {
            ck_assert(gt_template_valid(t, w, GT_NHWC, GT_NHWC, &many[a]));
            ck_assert(a >= n_few || same_config(&few[a], &many[a]));
            for (int b = 0; b < a; b++) {
                ck_assert(!same_config(&many[a], &many[b]));
            }
        }
        for (int64_t p = 0; gt_space_size(&space) <= 64 && p < gt_space_size(&space); p++) {
            gt_config config;
            gt_space_point(&space, p, &config);
            n += gt_template_valid(t, w, GT_NHWC, GT_NHWC, &config);
        }
        ck_assert(gt_space_size(&space) > 64 || n == n_many); /* a small space is taken whole */
        seen++;
    }
    ck_assert_int_gt(seen, 0);
    gt_tasks_destroy(tasks);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_plan)
{
    gt_tasks *tasks = make_tasks();
    gt_tune_plan *plan = NULL, *again = NULL;
    gt_tune_options o = quick_options();
    must(gt_tune_plan_create(&plan, tasks, &o));
    must(gt_tune_plan_create(&again, tasks, &o));
    ck_assert_int_eq(plan->n_items, again->n_items);
    double sum = 0;
    int transforms = 0;
    for (int i = 0; i < tasks->n_tasks; i++) {
        sum += plan->share[i];
    }
    ck_assert_double_eq_tol(sum, 1, 1e-9);
    for (int64_t i = 0; i < plan->n_items; i++) {
        const gt_plan_item *item = &plan->items[i];
        ck_assert(i == 0 || plan->items[i - 1].stage <= item->stage);
        ck_assert((o.layouts >> item->in & 1) && (o.layouts >> item->out & 1));
        ck_assert(item->stage != GT_STAGE_FIRST || (item->in == GT_NCHW && item->out == GT_NCHW));
        ck_assert_int_eq(item->task, again->items[i].task);
        ck_assert(same_config(&item->config, &again->items[i].config));
        transforms += item->task < 0;
    }
    ck_assert_int_eq(transforms, 2 * 6); /* two shapes, three layouts */
    ck_assert_int_eq(plan->items[0].task, 0); /* the largest first */
    gt_tune_plan_destroy(plan);
    gt_tune_plan_destroy(again);

    o.templates = "dense.*,nothing*";
    must(gt_tune_plan_create(&plan, tasks, &o));
    for (int64_t i = 0; i < plan->n_items; i++) {
        ck_assert(plan->items[i].task < 0 || strncmp(plan->items[i].tmpl->name, "dense.", 6) == 0);
    }
    gt_tune_plan_destroy(plan);
    o.templates = "nothing*";
    ck_assert_int_eq(gt_tune_plan_create(&plan, tasks, &o), GT_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "no template matches \"nothing*\"; there are "));
    o.templates = NULL;
    o.trials = 0;
    ck_assert_int_eq(gt_tune_plan_create(&plan, tasks, &o), GT_ERROR_ARGUMENT);
    gt_tasks_destroy(tasks);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_eta)
{
    char buffer[32];
    ck_assert_str_eq(gt_format_eta(buffer, sizeof buffer, -3), "0 s");
    ck_assert_str_eq(gt_format_eta(buffer, sizeof buffer, 45.2), "45 s");
    ck_assert_str_eq(gt_format_eta(buffer, sizeof buffer, 79.9), "1 m 20 s");
    ck_assert_str_eq(gt_format_eta(buffer, sizeof buffer, 7500), "2 h 5 m");
}
END_TEST

/* ---- tuning ---- */

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The candidates in a records file, one a line, sorted; every line of the file is counted, so that one
 * that was measured twice shows. *lines may be NULL. */
static char *candidates(const char *file, int64_t *lines)
{
    gt_records *set = NULL;
    gt_records_report report;
    char **keys = NULL;
    gt_text all = {0};
    must(gt_records_create(&set));
    must(gt_records_read(set, file, &report));
    int64_t n = gt_records_count(set);
    ck_assert_int_eq(report.read, n);
    keys = calloc((size_t)n, sizeof *keys);
    for (int64_t i = 0; i < n; i++) {
        const gt_record *r = gt_records_at(set, i);
        gt_text key = {0};
        ck_assert_msg(r->status == GT_RECORD_OK, "%s %s: %s", r->template_name, r->config, r->note);
        must(gt_text_append(&key, "%d %s %d %d %s %d %s %d\n", r->kind, r->workload, r->in, r->out,
                            r->template_name, r->rev, r->config, r->threads));
        keys[i] = key.data;
    }
    qsort(keys, (size_t)n, sizeof *keys, compare_text);
    must(gt_text_append(&all, "%s", ""));
    for (int64_t i = 0; i < n; i++) {
        must(gt_text_append(&all, "%s", keys[i]));
        gt_free(keys[i]);
    }
    free(keys);
    gt_records_destroy(set);
    if (lines != NULL) {
        *lines = n;
    }
    return all.data;
}

START_TEST(test_tune_and_resume)
{
    gt_tasks *tasks = make_tasks();
    gt_tune_options o = quick_options();
    gt_tune_report report;
    int64_t lines = 0;
    unlink(path);
    must(gt_tune(tasks, path, &o, &report));
    ck_assert_int_gt(report.planned, 20);
    ck_assert_int_eq(report.measured, report.planned);
    ck_assert_int_eq(report.skipped, 0);
    ck_assert_int_eq(report.wrong + report.crash + report.timeout + report.oom + report.failed, 0);
    ck_assert(!report.interrupted && !report.budget_spent);
    char *first = candidates(path, &lines);
    ck_assert_int_eq(lines, report.planned);
    must(gt_tune(tasks, path, &o, &report));
    ck_assert_int_eq(report.measured, 0);
    ck_assert_int_eq(report.skipped, report.planned);
    char *second = candidates(path, NULL);
    ck_assert_str_eq(first, second);
    o.trials = 3; /* more trials are measured on top */
    int64_t before = report.planned;
    must(gt_tune(tasks, path, &o, &report));
    ck_assert_int_eq(report.skipped, before);
    ck_assert_int_eq(report.measured, report.planned - before);
    ck_assert_int_gt(report.measured, 0);
    o.measure.threads = 2; /* nothing is known of two threads */
    o.templates = "dense.*";
    must(gt_tune(tasks, path, &o, &report));
    ck_assert_int_eq(report.skipped, 0);
    ck_assert_int_gt(report.measured, 0);
    gt_free(first);
    gt_free(second);
    gt_tasks_destroy(tasks);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* A child that tunes; its exit code says how it ended. */
static pid_t start_tune(const gt_tasks *tasks, const char *file)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        gt_tune_options o = quick_options();
        gt_tune_report report = {0};
        gt_status status = gt_tune(tasks, file, &o, &report);
        if (status != GT_OK) {
            fprintf(stderr, "tune: %s\n", gt_error_message());
        }
        _exit(status != GT_OK ? 1 : report.interrupted ? 2 : 0);
    }
    return child;
}

static int finish(pid_t child)
{
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void sleep_ms(int64_t ms)
{
    nanosleep(&(struct timespec){ms / 1000, (ms % 1000) * 1000000}, NULL);
}

/* The promise of the design: killed ten times at random moments and resumed, a tune ends with the same
 * set. */
START_TEST(test_killed)
{
    gt_tasks *tasks = make_tasks();
    int killed = 0;
    unlink(path);
    unlink(other);
    int64_t begin = gt_now_ns();
    ck_assert_int_eq(finish(start_tune(tasks, other)), 0);
    int64_t whole_ms = (gt_now_ns() - begin) / 1000000;
    for (int i = 0; i < 10; i++) {
        pid_t child = start_tune(tasks, path);
        sleep_ms(5 + gt_rng_below(&rng, 1 + whole_ms / 6));
        kill(child, SIGKILL);
        int code = finish(child);
        ck_assert_msg(code == 0 || code == 128 + SIGKILL, "exit code %d", code);
        killed += code != 0;
    }
    ck_assert_int_ge(killed, 5); /* else the kills came too late to test anything */
    ck_assert_int_eq(finish(start_tune(tasks, path)), 0);
    char *expected = candidates(other, NULL), *got = candidates(path, NULL);
    ck_assert_str_eq(got, expected);
    gt_free(expected);
    gt_free(got);
    gt_tasks_destroy(tasks);
}
END_TEST

START_TEST(test_interrupted)
{
    gt_tasks *tasks = make_tasks();
    gt_records *set = NULL;
    gt_records_report report = {0};
    unlink(path);
    pid_t child = start_tune(tasks, path);
    while (report.read < 3) { /* until it is certainly at work */
        sleep_ms(5);
        gt_records_destroy(set);
        must(gt_records_create(&set));
        if (access(path, R_OK) == 0) {
            must(gt_records_read(set, path, &report));
        }
    }
    gt_records_destroy(set);
    kill(child, SIGINT);
    ck_assert_int_eq(finish(child), 2);
    must(gt_records_create(&set));
    must(gt_records_read(set, path, &report));
    ck_assert_int_eq(report.torn, 0);
    gt_records_destroy(set);
    ck_assert_int_eq(finish(start_tune(tasks, path)), 0);
    gt_tasks_destroy(tasks);
}
END_TEST

START_TEST(test_budget)
{
    gt_tasks *tasks = make_tasks();
    gt_tune_options o = quick_options();
    gt_tune_report report;
    o.measure.min_time_ns = o.measure.max_time_ns = 10000000;
    o.trials = 50;
    o.budget_s = 0.5;
    unlink(path);
    must(gt_tune(tasks, path, &o, &report));
    ck_assert(report.budget_spent);
    ck_assert_int_lt(report.measured, report.planned);
    ck_assert_msg(report.seconds >= 0.5 && report.seconds < 5, "%g s", report.seconds);
    o = quick_options(); /* a budget that is never reached changes nothing */
    o.trials = 1;
    o.budget_s = 1000;
    unlink(path);
    must(gt_tune(tasks, path, &o, &report));
    ck_assert(!report.budget_spent);
    ck_assert_int_eq(report.measured, report.planned);
    gt_tasks_destroy(tasks);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_refused)
{
    gt_tasks *tasks = make_tasks();
    gt_tune_options o = quick_options();
    ck_assert_int_eq(gt_tune(tasks, "/nonexistent/r.jsonl", &o, NULL), GT_ERROR_IO);
    must(gt_file_replace(path, "hello\n", 6));
    ck_assert_int_eq(gt_tune(tasks, path, &o, NULL), GT_ERROR_FORMAT);
    o.measure.threads = 0;
    ck_assert_int_eq(gt_tune(tasks, path, &o, NULL), GT_ERROR_ARGUMENT);
    o = quick_options();
    o.budget_s = -1;
    ck_assert_int_eq(gt_tune(tasks, path, &o, NULL), GT_ERROR_ARGUMENT);
    o = quick_options();
    o.layouts = 1u << GT_LAYOUT_COUNT;
    ck_assert_int_eq(gt_tune(tasks, path, &o, NULL), GT_ERROR_ARGUMENT);
    gt_tasks_destroy(tasks);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* ---- a machine that throttles ---- */

#define TEMPERATURE "sys/class/thermal/thermal_zone0/temp"

/* Every CPU's clock file in the machine that GT_SYSROOT names. */
static void put_clock(const char *name, const char *text)
{
    for (int cpu = 0; cpu < 64; cpu++) {
        char file[128];
        snprintf(file, sizeof file, "sys/devices/system/cpu/cpu%d/cpufreq/%s", cpu, name);
        tree_put_text(folder, file, "%s\n", text);
    }
}

static int64_t count_throttled(const char *file, int mhz, double celsius)
{
    gt_records *set = NULL;
    int64_t throttled = 0;
    must(gt_records_create(&set));
    must(gt_records_read(set, file, NULL));
    for (int64_t i = 0; i < gt_records_count(set); i++) {
        const gt_record *r = gt_records_at(set, i);
        throttled += r->throttled;
        if (!r->throttled && r->timing.runs > 0) { /* a view does not run */
            ck_assert_int_eq(r->mhz, mhz);
            ck_assert_double_eq_tol(r->celsius, celsius, 1e-9);
        }
    }
    gt_records_destroy(set);
    return throttled;
}

/* Hot at first, and cool after a while: nothing is measured before. */
START_TEST(test_waits_for_cool_down)
{
    gt_tasks *tasks = make_tasks();
    gt_tune_options o = quick_options();
    gt_tune_report report;
    o.templates = "dense.*";
    o.max_celsius = 60;
    unlink(path);
    tree_put_text(folder, "sys/class/thermal/thermal_zone0/type", "cpu-thermal\n");
    tree_put_text(folder, TEMPERATURE, "71000\n");
    put_clock("scaling_cur_freq", "1500000");
    pid_t child = fork();
    if (child == 0) {
        nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 500000000}, NULL);
        tree_put_text(folder, TEMPERATURE, "50500\n");
        _exit(0);
    }
    must(gt_tune(tasks, path, &o, &report));
    waitpid(child, NULL, 0);
    ck_assert_double_ge(report.cooling_seconds, 1);
    ck_assert_int_eq(report.measured, report.planned);
    ck_assert_int_eq(report.throttled, 0);
    ck_assert_int_eq(count_throttled(path, 1500, 50.5), 0);
    gt_tasks_destroy(tasks);
}
END_TEST

/* A clock that stays low: measured again, recorded as such, and believed in the end; the next tune measures the records
 * anew that say so. */
START_TEST(test_slow_clock)
{
    gt_tasks *tasks = make_tasks();
    gt_tune_options o = quick_options();
    gt_tune_report report;
    o.templates = "dense.*,conv2d.direct.*";
    unlink(path);
    tree_put_text(folder, TEMPERATURE, "45000\n");
    put_clock("scaling_governor", "performance");
    put_clock("scaling_max_freq", "1800000");
    put_clock("scaling_cur_freq", "600000");
    must(gt_tune(tasks, path, &o, &report));
    ck_assert_int_gt(report.measured, 4);
    ck_assert_int_eq(report.throttled, 3);
    ck_assert_int_eq(report.repeated, 6);
    ck_assert_int_eq(count_throttled(path, 600, 45), 3);
    put_clock("scaling_cur_freq", "1800000");
    must(gt_tune(tasks, path, &o, &report));
    ck_assert_int_eq(report.measured, 3);
    ck_assert_int_eq(report.throttled + report.repeated, 0);
    gt_tasks_destroy(tasks);
}
END_TEST

int main(void)
{
    gt_rng_seed(&rng, gt_test_seed(1));
    gt_test_folder(folder, sizeof folder);
    /* What this machine's clock and temperature happen to be would decide what is measured twice. */
    setenv("GT_SYSROOT", folder, 1);
    snprintf(path, sizeof path, "%s/r.jsonl", folder);
    snprintf(other, sizeof other, "%s/o.jsonl", folder);
    Suite *suite = suite_create("tune");
    TCase *tests = tcase_create("tune");
    tcase_set_timeout(tests, 240);
    tcase_add_test(tests, test_tasks_of_graph);
    tcase_add_loop_test(tests, test_tasks_malformed, 0, (int)COUNT(bad_tasks));
    tcase_add_test(tests, test_probe);
    tcase_add_test(tests, test_tasks_allocation_failures);
    tcase_add_loop_test(tests, test_sample, 0, 2);
    tcase_add_test(tests, test_plan);
    tcase_add_test(tests, test_eta);
    tcase_add_test(tests, test_tune_and_resume);
    tcase_add_test(tests, test_killed);
    tcase_add_test(tests, test_interrupted);
    tcase_add_test(tests, test_budget);
    tcase_add_test(tests, test_refused);
    tcase_add_test(tests, test_waits_for_cool_down);
    tcase_add_test(tests, test_slow_clock);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    tree_remove(folder);
    return failed == 0 ? 0 : 1;
}
