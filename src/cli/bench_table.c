/* SPDX-License-Identifier: Apache-2.0 */
/* A plan timed beside its alternatives. */
#include "src/cli/common.h"
#include "src/cli/device_flags.h"
#include "src/records/json.h"
#include "src/run/bench.h"
#include "src/tune/refine.h"

#include <math.h>
#include <string.h>

/* One schedule that is timed; schedules that are equal share the session. */
struct contender {
    const char *name;
    const gt_schedule *schedule;
    gt_program *program;
    gt_session *session;
    int same_as; /* an earlier contender, or -1 */
    int slot;    /* in the interleaved run */
};

struct race {
    int n, n_slots;
    struct contender entries[GT_LAYOUT_COUNT + 2];
    gt_session *slots[GT_LAYOUT_COUNT + 2];
    gt_bench_result results[GT_LAYOUT_COUNT + 2];
};

static bool same_schedule(const gt_schedule *a, const gt_schedule *b)
{
    if (a->n_ops != b->n_ops || a->n_transforms != b->n_transforms) {
        return false;
    }
    for (int i = 0; i < a->n_ops; i++) {
        const gt_plan_op *x = &a->ops[i];
        const gt_plan_op *y = &b->ops[i];
        if (x->in != y->in || x->out != y->out || strcmp(x->template_name, y->template_name) != 0 ||
            strcmp(x->config, y->config) != 0) {
            return false;
        }
    }
    for (int i = 0; i < a->n_transforms; i++) {
        const gt_plan_transform *x = &a->transforms[i];
        const gt_plan_transform *y = &b->transforms[i];
        if (x->from != y->from || x->to != y->to || strcmp(x->tensor, y->tensor) != 0) {
            return false;
        }
    }
    return true;
}

static gt_status enter(struct race *race, gt_graph *graph, const gt_plan *plan, const char *name, const gt_schedule *schedule)
{
    gt_status status = GT_OK;
    struct contender *c = &race->entries[race->n];
    gt_session_options o = {.threads = plan->threads};
    *c = (struct contender){.name = name, .schedule = schedule, .same_as = -1};
    for (int i = 0; i < race->n && c->same_as < 0; i++) {
        if (same_schedule(race->entries[i].schedule, schedule)) {
            c->same_as = i;
            c->slot = race->entries[i].slot;
        }
    }
    race->n++;
    if (c->same_as < 0) {
        GT_TRY(gt_i_plan_isa(&o.isa, plan));
        GT_TRY(gt_program_build(&c->program, graph, schedule));
        GT_TRY(gt_session_create(&c->session, graph, c->program, &o));
        gt_fill_inputs(c->session, graph, 1);
        c->slot = race->n_slots;
        race->slots[race->n_slots++] = c->session;
    }
done:
    return status;
}

static void clear(struct race *race)
{
    for (int i = 0; i < race->n; i++) {
        gt_session_destroy(race->entries[i].session);
        gt_program_destroy(race->entries[i].program);
    }
}

static void show_progress(int done, int total)
{
    gt_cli_progress("bench", done, total);
}

static gt_status print_table(const struct race *race)
{
    gt_table table;
    double scale = 1;
    const char *unit = gt_cli_time_unit(&scale, race->results[0].median_ns);
    const char *const times[] = {"min", "median", "p90", "predicted"};
    gt_table_begin(&table, "lrrrrrr");
    gt_table_cell(&table, "schedule");
    for (int i = 0; i < 4; i++) {
        gt_table_cell(&table, "%s %s", times[i], unit);
    }
    gt_table_cell(&table, "off by");
    gt_table_cell(&table, "× plan");
    for (int i = 0; i < race->n; i++) {
        const struct contender *c = &race->entries[i];
        const gt_bench_result *r = &race->results[c->slot];
        bool layout = i > 0 && strcmp(c->name, "greedy") != 0;
        if (c->same_as >= 0) {
            gt_table_cell(&table, "%s%s (= %s)", layout ? "all " : "", c->name, race->entries[c->same_as].name);
        } else {
            gt_table_cell(&table, "%s%s", layout ? "all " : "", c->name);
        }
        gt_table_cell(&table, "%.3f", r->min_ns / scale);
        gt_table_cell(&table, "%.3f", r->median_ns / scale);
        gt_table_cell(&table, "%.3f", r->p90_ns / scale);
        gt_table_cell(&table, "%.3f", c->schedule->predicted_ns / scale);
        gt_table_cell(&table, "%+.1f %%", 100 * (c->schedule->predicted_ns / r->median_ns - 1));
        gt_table_cell(&table, "%.3f", r->ratio);
    }
    return gt_table_print(&table, stdout, 2);
}

static gt_status print_json(const struct race *race, const gt_plan *plan)
{
    gt_status status = GT_OK;
    gt_json_writer w;
    gt_json_writer_init(&w, true);
    gt_json_begin_object(&w, NULL);
    gt_json_put_i64(&w, "threads", plan->threads);
    GT_TRY(gt_cli_put_devices(&w, plan));
    gt_json_begin_array(&w, "schedules");
    for (int i = 0; i < race->n; i++) {
        const gt_bench_result *r = &race->results[race->entries[i].slot];
        gt_json_begin_inline_object(&w, NULL);
        gt_json_put_string(&w, "name", race->entries[i].name);
        gt_json_put_f64(&w, "min_ns", r->min_ns);
        gt_json_put_f64(&w, "median_ns", r->median_ns);
        gt_json_put_f64(&w, "p90_ns", r->p90_ns);
        gt_json_put_f64(&w, "predicted_ns", race->entries[i].schedule->predicted_ns);
        gt_json_put_f64(&w, "ratio", r->ratio);
        gt_json_put_i64(&w, "runs", r->runs);
        gt_json_end(&w);
    }
    gt_json_end(&w);
    gt_json_end(&w);
    status = gt_json_writer_print(&w);
done:
    gt_json_writer_destroy(&w);
    return status;
}

/* One sentence that says what the table shows; alternatives that are the plan itself say nothing. */
static void conclude(const struct race *race)
{
    int best = -1;
    for (int i = 1; i < race->n; i++) {
        const struct contender *c = &race->entries[i];
        bool better = best < 0 || race->results[c->slot].ratio < race->results[race->entries[best].slot].ratio;
        best = c->slot != race->entries[0].slot && better ? i : best;
    }
    if (best < 0 && race->n > 1) {
        printf("every alternative is the plan itself\n");
    }
    if (best >= 0) {
        double ratio = race->results[race->entries[best].slot].ratio;
        printf("the best alternative, %s%s, takes %.3f × the plan's time\n", strcmp(race->entries[best].name, "greedy") == 0 ? "" : "all ",
               race->entries[best].name, ratio);
    }
}

/* Lets all that have entered run, and prints how they did. */
static gt_status run_race(struct race *race, const gt_plan *plan, int turns, double turn_seconds, bool json)
{
    gt_status status = GT_OK;
    gt_bench_options o = {.turns = turns, .turn_seconds = turn_seconds};
    status = gt_bench_run(race->results, race->slots, race->n_slots, &o, show_progress);
    gt_cli_progress_end();
    GT_TRY(status);
    GT_TRY(json ? print_json(race, plan) : print_table(race));
    if (!json) {
        conclude(race);
    }
done:
    return status;
}

gt_status gt_cli_bench_session(gt_session *session, const gt_plan *plan, int turns, double turn_seconds, bool json)
{
    struct race race = {.n = 1, .n_slots = 1, .slots = {session}};
    race.entries[0] = (struct contender){.name = "bundle", .schedule = &plan->schedule, .same_as = -1};
    return run_race(&race, plan, turns, turn_seconds, json);
}

gt_status gt_cli_bench(gt_graph *graph, const gt_plan *plan, int turns, double turn_seconds, bool json)
{
    gt_status status = GT_OK;
    struct race race = {0};
    GT_TRY(enter(&race, graph, plan, "plan", &plan->schedule));
    for (int i = 0; i < plan->n_alternatives && i <= GT_LAYOUT_COUNT; i++) {
        GT_TRY(enter(&race, graph, plan, plan->alternatives[i].name, &plan->alternatives[i].schedule));
    }
    GT_TRY(run_race(&race, plan, turns, turn_seconds, json));
done:
    clear(&race);
    return status;
}
