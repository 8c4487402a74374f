/* SPDX-License-Identifier: Apache-2.0 */
/* The model-guided search on times that are computed: what it finds, what it leaves alone, where it ends, and that it
 * continues from its records as if it had not been interrupted. */
#include "src/tune/strategy.h"

#include "src/base/rng.h"
#include "src/tune/tune.h"
#include "tests/runner.h"

#include <check.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CONV "conv2d(1x32x14x14,48x32x3x3!,48!,_)->1x48x14x14{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1,act=relu}"
#define WIDER "conv2d(1x40x14x14,48x40x3x3!,48!,_)->1x48x14x14{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1,act=relu}"
#define POINT "conv2d(1x48x14x14,64x48x1x1!,64!,_)->1x64x14x14{stride=1x1,pad=0x0x0x0,dilation=1x1,groups=1,act=relu}"
#define DENSE "dense(1x64,32x64!,32!)->1x32{rows=0}"
#define DEVICE "0123456789abcdef"

static const gt_machine machine = {.lanes = 4, .registers = 32, .threads = 1, .l1_bytes = 32 << 10, .l2_bytes = 512 << 10};
static char path[160];

static void must(gt_status status)
{
    if (status != GT_OK) {
        ck_abort_msg("%s: %s", gt_status_name(status), gt_error_message());
    }
}

/* ---- a network whose times are computed ---- */

struct world {
    gt_tasks tasks;
    gt_task list[3];
    gt_shape shapes[3];
    gt_tune_options options;
    gt_tune_plan *plan;
    double copy_ns;          /* of every transform */
    const char *slow, *broken; /* a template ten times as slow; one whose configs fail, but for the default */
    gt_layout slow_layout;   /* its output makes everything ten times as slow; GT_NCHW: none */
};

static void add_task(struct world *w, const char *key, int uses)
{
    gt_task *task = &w->list[w->tasks.n_tasks++];
    must(gt_workload_parse(&task->workload, key));
    task->uses = uses;
    task->example = "op";
    if (task->workload->output.shape.rank == 4) {
        w->shapes[w->tasks.n_shapes++] = task->workload->output.shape;
    }
}

static void begin(struct world *w, int trials)
{
    *w = (struct world){.tasks = {.model = "net", .tasks = w->list, .shapes = w->shapes}, .options = gt_tune_defaults(), .copy_ns = 1e9};
    w->options.trials = trials;
    w->options.layouts = 1u << GT_NCHW | 1u << GT_NCHW8C;
    w->options.templates = "conv2d.direct,conv2d.winograd*,dense.direct";
    add_task(w, CONV, 1);
}

static void end(struct world *w)
{
    gt_tune_plan_destroy(w->plan);
    for (int i = 0; i < w->tasks.n_tasks; i++) {
        gt_workload_destroy(w->list[i].workload);
    }
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}

/* The estimate with another weight of what it is made of, a bowl over the knobs, and some per cent without a rule. */
static double cost_ns(const struct world *w, const gt_plan_item *item)
{
    if (item->task < 0) {
        return w->copy_ns;
    }
    const gt_workload *workload = w->list[item->task].workload;
    gt_space space;
    gt_nest nest;
    gt_text text = {0};
    gt_template_space(item->tmpl, workload, item->in, item->out, &space);
    gt_nest_describe(&nest, &machine, item->tmpl, workload, item->in, item->out, &space, &item->config);
    must(gt_config_format(&text, &space, &item->config));
    double ns = 0.6 * gt_nest_cycles(&nest, &machine) + 0.3 * nest.inner, bowl = 0;
    for (int i = 0; i < space.n; i++) {
        bowl += pow(log2(item->config.value[i]) - 2.5, 2);
    }
    ns *= 1 + 0.01 * bowl + 0.04 * (double)(gt_hash_bytes(text.data, text.length) % 1000) / 1000;
    ns *= w->slow != NULL && strcmp(item->tmpl->name, w->slow) == 0 ? 10 : 1;
    ns *= w->slow_layout != GT_NCHW && item->out == w->slow_layout ? 10 : 1;
    gt_text_destroy(&text);
    return ns;
}

static bool is_default(const struct world *w, const gt_plan_item *item)
{
    gt_space space;
    gt_config config;
    gt_template_space(item->tmpl, w->list[item->task].workload, item->in, item->out, &space);
    gt_space_point(&space, 0, &config);
    return memcmp(config.value, item->config.value, (size_t)space.n * sizeof *config.value) == 0;
}

static void make_record(gt_record *r, const struct world *w, const gt_plan_item *item)
{
    gt_text text = {0};
    gt_space space;
    char shape[GT_SHAPE_TEXT_BYTES];
    bool op = item->task >= 0;
    bool broken = op && w->broken != NULL && strcmp(item->tmpl->name, w->broken) == 0 && !is_default(w, item);
    *r = (gt_record){.kind = op ? GT_RECORD_OP : GT_RECORD_TRANSFORM, .threads = 1, .in = item->in, .out = item->out,
                     .rev = op ? item->tmpl->rev : GT_TRANSFORM_REV, .status = broken ? GT_RECORD_CRASH : GT_RECORD_OK};
    strcpy(r->device, DEVICE);
    if (op) {
        gt_template_space(item->tmpl, w->list[item->task].workload, item->in, item->out, &space);
        must(gt_config_format(&text, &space, &item->config));
    }
    must(gt_strdup(&r->workload, op ? w->list[item->task].workload->key
                                    : gt_shape_format(shape, sizeof shape, &w->shapes[item->shape])));
    must(gt_strdup(&r->template_name, op ? item->tmpl->name : ""));
    must(gt_strdup(&r->config, text.data != NULL ? text.data : ""));
    double ns = broken ? 0 : cost_ns(w, item);
    r->timing = (gt_timing){ns, ns, ns, ns, broken ? 0 : 10};
    gt_text_destroy(&text);
}

/* ---- playing ---- */

#define MOST 2000

struct played {
    int n; /* behind the planned items */
    gt_plan_item items[MOST];
    gt_records *records; /* all, in their order */
};

static void take(struct world *w, gt_strategy *s, struct played *p, const gt_plan_item *item)
{
    gt_record r;
    make_record(&r, w, item);
    must(gt_records_add(p->records, &r));
    must(gt_strategy_note(s, item, &r));
    gt_record_clear(&r);
}

/* From the beginning or from what was played, until the end or `most` further items. */
static void play(struct world *w, struct played *p, int most, const gt_records *others)
{
    gt_strategy *s = NULL;
    int64_t known = 0;
    bool found = true;
    if (w->plan == NULL) {
        must(gt_tune_plan_create(&w->plan, &w->tasks, &w->options));
    }
    must(gt_strategy_create(&s, &w->tasks, w->plan, &w->options, &machine));
    if (others != NULL) {
        must(gt_strategy_learn(s, others));
    }
    if (p->records == NULL) {
        must(gt_records_create(&p->records));
    }
    must(gt_strategy_recall(s, p->records, DEVICE, 1, &known));
    ck_assert_int_eq(known, p->n);
    for (int64_t i = 0; i < w->plan->n_items && p->n == 0 && gt_records_count(p->records) < w->plan->n_items; i++) {
        take(w, s, p, &w->plan->items[i]);
    }
    for (int i = 0; i < most && found; i++) {
        gt_plan_item item;
        must(gt_strategy_next(s, &item, &found));
        ck_assert(found == (gt_strategy_remaining(s) > 0));
        if (found) {
            ck_assert_int_lt(p->n, MOST);
            p->items[p->n++] = item;
            take(w, s, p, &item);
        }
    }
    ck_assert(found || gt_strategy_remaining(s) == 0);
    gt_strategy_destroy(s);
}

static struct played *fresh(void)
{
    struct played *p = calloc(1, sizeof *p);
    ck_assert_ptr_nonnull(p);
    return p;
}

static void done_with(struct played *p)
{
    gt_records_destroy(p->records);
    free(p);
}

static bool same_item(const gt_plan_item *a, const gt_plan_item *b)
{
    return a->task == b->task && a->tmpl == b->tmpl && a->in == b->in && a->out == b->out && a->config.n == b->config.n &&
           memcmp(a->config.value, b->config.value, (size_t)a->config.n * sizeof *a->config.value) == 0;
}

static int count_of(const struct played *p, const char *name, int task)
{
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        n += (name == NULL || strcmp(p->items[i].tmpl->name, name) == 0) && (task < 0 || p->items[i].task == task);
    }
    return n;
}

/* ---- what must hold ---- */

/* Valid, never the same twice, and within the trials of each layout pair. */
START_TEST(test_candidates)
{
    struct world w;
    struct played *p = fresh();
    begin(&w, 12);
    add_task(&w, POINT, 3);
    add_task(&w, DENSE, 1);
    play(&w, p, MOST, NULL);
    ck_assert_int_gt(p->n, 10);
    for (int i = 0; i < p->n; i++) {
        const gt_plan_item *item = &p->items[i];
        int in_pair = 0, arms = 0;
        ck_assert(gt_template_valid(item->tmpl, w.list[item->task].workload, item->in, item->out, &item->config));
        ck_assert(!is_default(&w, item));
        for (int j = 0; j < p->n; j++) {
            ck_assert(i == j || !same_item(item, &p->items[j]));
            in_pair += p->items[j].task == item->task && p->items[j].in == item->in && p->items[j].out == item->out;
        }
        for (int64_t j = 0; j < w.plan->n_items; j++) {
            const gt_plan_item *planned = &w.plan->items[j];
            arms += planned->task == item->task && planned->in == item->in && planned->out == item->out;
        }
        ck_assert_int_le(in_pair + arms, 12 * arms);
    }
    done_with(p);
    end(&w);
}
END_TEST

/* With one trial there is nothing behind the defaults. */
START_TEST(test_one_trial)
{
    struct world w;
    struct played *p = fresh();
    begin(&w, 1);
    play(&w, p, MOST, NULL);
    ck_assert_int_eq(p->n, 0);
    done_with(p);
    end(&w);
}
END_TEST

/* Stopped after any number of items and resumed from the records, the same items follow; resumed at the end, none. */
START_TEST(test_resumed)
{
    struct world w;
    struct played *whole = fresh();
    begin(&w, 10);
    add_task(&w, WIDER, 2);
    w.options.layouts = 1u << GT_NCHW;
    play(&w, whole, MOST, NULL);
    ck_assert_int_gt(whole->n, 12);
    for (int cut = 0; cut <= whole->n; cut += cut < 12 ? 1 : 5) {
        struct played *part = fresh();
        play(&w, part, cut, NULL);
        ck_assert_int_eq(part->n, cut);
        play(&w, part, MOST, NULL);
        ck_assert_int_eq(part->n, whole->n);
        for (int i = 0; i < whole->n; i++) {
            ck_assert_msg(same_item(&part->items[i], &whole->items[i]), "cut after %d: item %d differs", cut, i);
        }
        done_with(part);
    }
    done_with(whole);
    end(&w);
}
END_TEST

static double best_of(const struct world *w, const struct played *p, gt_layout layout)
{
    double best = INFINITY;
    for (int64_t i = 0; i < gt_records_count(p->records); i++) {
        const gt_record *r = gt_records_at(p->records, i);
        bool same = r->kind == GT_RECORD_OP && strcmp(r->workload, w->list[0].workload->key) == 0 && r->in == layout && r->out == layout;
        best = same && r->status == GT_RECORD_OK ? fmin(best, r->timing.median_ns) : best;
    }
    return best;
}

static double best_of_space(const struct world *w, gt_layout layout)
{
    double best = INFINITY;
    for (int64_t i = 0; i < w->plan->n_items; i++) {
        gt_plan_item item = w->plan->items[i];
        gt_space space;
        if (item.task != 0 || item.in != layout || item.out != layout) {
            continue;
        }
        gt_template_space(item.tmpl, w->list[0].workload, layout, layout, &space);
        for (int64_t p = 0; p < gt_space_size(&space); p++) {
            gt_space_point(&space, p, &item.config);
            if (gt_template_valid(item.tmpl, w->list[0].workload, layout, layout, &item.config)) {
                best = fmin(best, cost_ns(w, &item));
            }
        }
    }
    return best;
}

/* The same number of configs of the grid does worse. */
START_TEST(test_finds_good_ones)
{
    struct world w, grid;
    struct played *p = fresh(), *g = fresh();
    begin(&w, 16);
    w.options.templates = "conv2d.direct";
    w.options.layouts = 1u << GT_NCHW;
    play(&w, p, MOST, NULL);
    begin(&grid, 16);
    grid.options = w.options;
    grid.options.strategy = GT_STRATEGY_GRID;
    play(&grid, g, 0, NULL);
    double best = best_of_space(&w, GT_NCHW), found = best_of(&w, p, GT_NCHW), plain = best_of(&w, g, GT_NCHW);
    ck_assert_msg(found <= 1.03 * best, "found %g, the best is %g", found, best);
    ck_assert_msg(found < plain, "found %g, the grid has %g", found, plain);
    done_with(p);
    done_with(g);
    gt_tune_plan_destroy(grid.plan);
    gt_workload_destroy(grid.list[0].workload);
    end(&w);
}
END_TEST

/* Who asks for more trials is after smaller gains: though neither number is reached, the larger one goes on for longer. */
START_TEST(test_more_trials)
{
    int n[2];
    for (int i = 0; i < 2; i++) {
        struct world w;
        struct played *p = fresh();
        int trials = i == 0 ? 300 : 9000;
        begin(&w, trials);
        w.options.templates = "conv2d.direct";
        w.options.layouts = 1u << GT_NCHW;
        play(&w, p, MOST, NULL);
        n[i] = p->n;
        ck_assert_int_lt(n[i] + 1, trials);
        done_with(p);
        end(&w);
    }
    ck_assert_msg(n[0] < n[1], "%d, then %d", n[0], n[1]);
}
END_TEST

/* A template that is far behind is left alone. */
START_TEST(test_slow_template)
{
    struct world w;
    struct played *p = fresh();
    begin(&w, 20);
    w.slow = "conv2d.direct";
    w.options.layouts = 1u << GT_NCHW; /* from one layout to another there is no other template */
    play(&w, p, MOST, NULL);
    ck_assert_int_eq(count_of(p, "conv2d.direct", -1), 0);
    ck_assert_int_gt(p->n, 0);
    done_with(p);
    end(&w);
}
END_TEST

/* So is a layout that copies from and to another beat, but not while copies are dear. */
START_TEST(test_slow_layout)
{
    for (int cheap = 0; cheap < 2; cheap++) {
        struct world w;
        struct played *p = fresh();
        int blocked = 0;
        begin(&w, 20);
        w.shapes[w.tasks.n_shapes++] = w.list[0].workload->inputs[0].shape;
        w.slow_layout = GT_NCHW8C;
        w.copy_ns = cheap ? 1 : 1e9;
        play(&w, p, MOST, NULL);
        for (int i = 0; i < p->n; i++) {
            blocked += p->items[i].out == GT_NCHW8C;
        }
        ck_assert_msg(cheap ? blocked == 0 : blocked > 0, "%d of %d in the slow layout", blocked, p->n);
        ck_assert_int_gt(p->n, blocked);
        done_with(p);
        end(&w);
    }
}
END_TEST

/* Configs that crash are not tried for ever. */
START_TEST(test_broken_template)
{
    struct world w;
    struct played *p = fresh();
    begin(&w, 500);
    w.options.layouts = 1u << GT_NCHW;
    w.options.templates = w.broken = "conv2d.direct";
    play(&w, p, MOST, NULL);
    ck_assert_int_gt(p->n, 0);
    ck_assert_int_le(p->n, 5);
    done_with(p);
    end(&w);
}
END_TEST

/* The layer on which the network spends its time comes first. */
START_TEST(test_order_by_gain)
{
    struct world w;
    struct played *p = fresh();
    begin(&w, 12);
    add_task(&w, DENSE, 1);
    w.list[0].uses = 20;
    play(&w, p, 6, NULL);
    ck_assert_int_eq(count_of(p, NULL, 0), 6);
    done_with(p);
    end(&w);
}
END_TEST

/* Records of a similar workload, measured elsewhere, lead to what was good there; they count as nothing measured. */
START_TEST(test_learns_from_others)
{
    struct world w, other;
    struct played *there = fresh(), *alone = fresh(), *taught = fresh();
    gt_records *elsewhere = NULL;
    begin(&other, 40);
    gt_workload_destroy(other.list[0].workload);
    must(gt_workload_parse(&other.list[0].workload, WIDER));
    play(&other, there, MOST, NULL);
    must(gt_records_create(&elsewhere));
    for (int64_t i = 0; i < gt_records_count(there->records); i++) {
        gt_record r = *gt_records_at(there->records, i);
        strcpy(r.device, "fedcba9876543210");
        r.timing.median_ns *= 3;
        must(gt_records_add(elsewhere, &r));
    }
    begin(&w, 6);
    play(&w, alone, MOST, NULL);
    play(&w, taught, MOST, elsewhere);
    bool differs = alone->n != taught->n;
    for (int i = 0; i < alone->n && i < taught->n; i++) {
        differs |= !same_item(&alone->items[i], &taught->items[i]);
    }
    ck_assert(differs);
    double best = best_of_space(&w, GT_NCHW8C);
    ck_assert_double_le(best_of(&w, taught, GT_NCHW8C), 1.05 * best);
    gt_records_destroy(elsewhere);
    done_with(there);
    done_with(alone);
    done_with(taught);
    gt_tune_plan_destroy(other.plan);
    gt_workload_destroy(other.list[0].workload);
    end(&w);
}
END_TEST

START_TEST(test_allocation_failures)
{
    struct world w;
    struct played *p = fresh();
    begin(&w, 6);
    play(&w, p, 4, NULL);
    int64_t before = gt_i_live_allocations();
    for (int64_t k = 0, ok = 0; !ok; k++) {
        gt_strategy *s = NULL;
        gt_plan_item item;
        int64_t known = 0;
        bool found = false;
        gt_i_fail_allocation(k);
        gt_status status = gt_strategy_create(&s, &w.tasks, w.plan, &w.options, &machine);
        status = status == GT_OK ? gt_strategy_learn(s, p->records) : status;
        status = status == GT_OK ? gt_strategy_recall(s, p->records, DEVICE, 1, &known) : status;
        status = status == GT_OK ? gt_strategy_next(s, &item, &found) : status;
        gt_i_fail_allocation(-1);
        gt_strategy_destroy(s);
        ck_assert_int_eq(gt_i_live_allocations(), before);
        ck_assert(status == GT_OK || status == GT_ERROR_MEMORY);
        ok = status == GT_OK;
        ck_assert(!ok || found);
    }
    done_with(p);
    end(&w);
}
END_TEST

/* ---- with a clock ---- */

static void tune_options(gt_tune_options *o)
{
    *o = gt_tune_defaults();
    o->measure.min_time_ns = 50000;
    o->measure.max_time_ns = 200000;
    o->trials = 6;
    o->layouts = 1u << GT_NCHW | 1u << GT_NCHW8C;
    o->quiet = true;
}

/* Killed at random moments and resumed: no candidate is measured twice, and at the end nothing is left to do. */
START_TEST(test_killed)
{
    struct world w;
    gt_tune_options o;
    gt_tune_report report;
    gt_records *set = NULL;
    gt_records_report read = {0};
    begin(&w, 6);
    add_task(&w, DENSE, 1);
    tune_options(&o);
    unlink(path);
    for (int i = 0; i < 8; i++) {
        pid_t child = fork();
        if (child == 0) {
            _exit(gt_tune(&w.tasks, path, &o, NULL) == GT_OK ? 0 : 1);
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000 + 15000000 * i}, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    must(gt_tune(&w.tasks, path, &o, &report));
    ck_assert_int_eq(report.measured + report.skipped, report.planned);
    must(gt_records_create(&set));
    must(gt_records_read(set, path, &read));
    ck_assert_int_eq(read.read, gt_records_count(set)); /* every line is another candidate */
    ck_assert_int_eq(read.read, report.planned);
    must(gt_tune(&w.tasks, path, &o, &report));
    ck_assert_int_eq(report.measured, 0);
    ck_assert_int_eq(report.skipped, read.read);
    gt_records_destroy(set);
    end(&w);
}
END_TEST

START_TEST(test_budget)
{
    struct world w;
    gt_tune_options o;
    gt_tune_report report;
    begin(&w, 6);
    tune_options(&o);
    o.measure.min_time_ns = o.measure.max_time_ns = 10000000;
    o.trials = 1000;
    o.budget_s = 0.6;
    unlink(path);
    must(gt_tune(&w.tasks, path, &o, &report));
    ck_assert(report.budget_spent);
    ck_assert_int_lt(report.measured, report.planned);
    ck_assert_msg(report.seconds >= 0.6 && report.seconds < 10, "%g s", report.seconds);
    end(&w);
}
END_TEST

START_TEST(test_names)
{
    for (int kind = 0; kind < GT_STRATEGY_COUNT; kind++) {
        ck_assert_int_eq(gt_strategy_find(gt_strategy_name((gt_strategy_kind)kind)), kind);
    }
    ck_assert_int_eq(gt_strategy_find("best"), GT_STRATEGY_COUNT);
}
END_TEST

int main(void)
{
    char folder[128];
    gt_test_seed(1);
    gt_test_folder(folder, sizeof folder);
    setenv("GT_SYSROOT", folder, 1); /* this machine's clock and temperature would decide what is measured again */
    snprintf(path, sizeof path, "%s/r.jsonl", folder);
    Suite *suite = suite_create("strategy");
    TCase *tests = tcase_create("strategy");
    tcase_set_timeout(tests, 240);
    tcase_add_test(tests, test_candidates);
    tcase_add_test(tests, test_one_trial);
    tcase_add_test(tests, test_resumed);
    tcase_add_test(tests, test_finds_good_ones);
    tcase_add_test(tests, test_more_trials);
    tcase_add_test(tests, test_slow_template);
    tcase_add_test(tests, test_slow_layout);
    tcase_add_test(tests, test_broken_template);
    tcase_add_test(tests, test_order_by_gain);
    tcase_add_test(tests, test_learns_from_others);
    tcase_add_test(tests, test_allocation_failures);
    tcase_add_test(tests, test_killed);
    tcase_add_test(tests, test_budget);
    tcase_add_test(tests, test_names);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
