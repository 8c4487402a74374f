/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tune/refine.h"

#include "src/base/clock.h"
#include "src/run/bench.h"
#include "src/tune/refine_figures.h"

#include <stdlib.h>
#include <string.h>

#define MIN_TURNS 8
#define MAX_TURNS 60
#define RUNS_PER_TURN 3
#define MAX_RUNS (MAX_TURNS * RUNS_PER_TURN)
#define PROFILE_NS INT64_C(400000000)
#define NEAR 1.15 /* times the plan's prediction */
#define CLOSING_ROUNDS 3

/* Medians of steps leave out disturbances that hit some step in most runs, so they add up to less than the median of
 * whole runs, which is what a plan's latency means: each step takes its share of the difference. */
static void share_out(double *step_ns, int n_steps, double total_ns)
{
    double sum = 0;
    for (int i = 0; i < n_steps; i++) {
        sum += step_ns[i];
    }
    for (int i = 0; i < n_steps && sum > 0; i++) {
        step_ns[i] *= total_ns / sum;
    }
}

/* One schedule being profiled. */
struct profile {
    const gt_schedule *schedule;
    gt_program *program;
    gt_session *session;
    double *samples; /* [run][step] */
    double *step_ns;
    double total_ns;
    int runs;
};

static gt_status open_profile(struct profile *p, gt_graph *graph, const gt_plan *plan, const gt_schedule *schedule, gt_isa isa)
{
    gt_status status = GT_OK;
    gt_session_options options = {.threads = plan->threads, .isa = isa};
    p->schedule = schedule;
    GT_TRY(gt_program_build(&p->program, graph, schedule));
    GT_TRY(gt_session_create(&p->session, graph, p->program, &options));
    gt_fill_inputs(p->session, graph, 1);
    GT_TRY(gt_calloc(&p->samples, (size_t)p->program->n_steps * MAX_RUNS, sizeof *p->samples));
    GT_TRY(gt_calloc(&p->step_ns, (size_t)p->program->n_steps, sizeof *p->step_ns));
done:
    return status;
}

static void close_profile(struct profile *p)
{
    gt_free(p->samples);
    gt_free(p->step_ns);
    gt_session_destroy(p->session);
    gt_program_destroy(p->program);
}

/* Per-step medians, scaled to add up to the median of whole runs. */
static gt_status summarise(struct profile *p)
{
    gt_status status = GT_OK;
    double *column = NULL;
    int n = p->program->n_steps;
    GT_TRY(gt_calloc(&column, MAX_RUNS, sizeof *column));
    for (int step = 0; step <= n; step++) {
        for (int run = 0; run < p->runs; run++) {
            const double *row = p->samples + (size_t)run * (size_t)n;
            column[run] = 0;
            for (int k = step < n ? step : 0; k < (step < n ? step + 1 : n); k++) {
                column[run] += row[k];
            }
        }
        qsort(column, (size_t)p->runs, sizeof *column, gt_compare_doubles);
        *(step < n ? &p->step_ns[step] : &p->total_ns) = gt_quantile(column, p->runs, 0.5);
    }
    share_out(p->step_ns, n, p->total_ns);
done:
    gt_free(column);
    return status;
}

/* The schedules take turns, so that a clock that drifts or a busy neighbour hits all alike. The first run of a turn
 * brings the caches back and does not count. */
static gt_status run_profiles(struct profile *profiles, int n)
{
    gt_status status = GT_OK;
    int64_t start = gt_now_ns();
    for (int turn = 0; turn < MIN_TURNS || (turn < MAX_TURNS && gt_now_ns() - start < n * PROFILE_NS); turn++) {
        for (int i = 0; i < n; i++) {
            struct profile *p = &profiles[(i + turn) % n];
            gt_session_run(p->session, NULL);
            for (int run = 0; run < RUNS_PER_TURN; run++, p->runs++) {
                gt_session_run(p->session, p->samples + (size_t)p->runs * (size_t)p->program->n_steps);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        GT_TRY(summarise(&profiles[i]));
    }
done:
    return status;
}

/* A figure measured in the network stands in for the record of the same candidate; of a candidate or transform that
 * several steps use, their mean does. */
struct entry {
    gt_record record; /* strings borrowed from graph, plan or `shape` */
    char shape[GT_SHAPE_TEXT_BYTES];
    double sum_ns;
    int uses;
};

static bool same_candidate(const gt_record *a, const gt_record *b)
{
    return a->kind == b->kind && a->in == b->in && a->out == b->out && strcmp(a->workload, b->workload) == 0 &&
           strcmp(a->template_name, b->template_name) == 0 && strcmp(a->config, b->config) == 0;
}

static void describe_step(struct entry *e, const gt_graph *graph, const gt_plan *plan, const gt_schedule *schedule,
                          const gt_program *program, int index)
{
    static char none[] = "";
    const gt_step *step = &program->steps[index];
    gt_record *r = &e->record;
    *r = (gt_record){.threads = plan->threads, .in = step->from, .out = step->to, .status = GT_RECORD_OK};
    memcpy(r->device, plan->device, sizeof r->device);
    if (step->op < 0) {
        const gt_tensor *t = &graph->tensors[program->forms[step->output].tensor];
        gt_shape_format(e->shape, sizeof e->shape, &t->shape);
        r->kind = GT_RECORD_TRANSFORM;
        r->workload = e->shape;
        r->template_name = none;
        r->config = none;
        r->rev = GT_TRANSFORM_REV;
    } else {
        r->kind = GT_RECORD_OP;
        r->workload = step->workload->key;
        r->template_name = schedule->ops[step->schedule].template_name;
        r->config = schedule->ops[step->schedule].config;
        r->rev = step->tmpl->rev;
    }
}

static struct entry *find_entry(struct entry *entries, int n, const gt_record *r)
{
    for (int i = 0; i < n; i++) {
        if (same_candidate(&entries[i].record, r)) {
            return &entries[i];
        }
    }
    return NULL;
}

static void collect(struct entry *entries, int *n, const gt_graph *graph, const gt_plan *plan,
                    const gt_schedule *schedule, const gt_program *program, const double *step_ns)
{
    for (int i = 0; i < program->n_steps; i++) {
        if (program->steps[i].op >= 0 && program->steps[i].tmpl->view) {
            continue;
        }
        struct entry *fresh = &entries[*n];
        describe_step(fresh, graph, plan, schedule, program, i);
        struct entry *known = find_entry(entries, *n, &fresh->record);
        if (known == NULL) {
            known = fresh;
            (*n)++;
        }
        known->sum_ns += step_ns[i];
        known->uses++;
    }
}

/* Puts the figures of candidates that are measured here for the first time in the place of the isolated ones, and
 * tells whether there were any. Later figures differ by noise alone, which must not move the choice to yet another
 * candidate once all that it rests on is measured. */
static gt_status replace_records(gt_figures *f, const struct entry *entries, int n, bool *fresh)
{
    gt_status status = GT_OK;
    for (int i = 0; i < n; i++) {
        gt_record r = entries[i].record;
        double ns = entries[i].sum_ns / entries[i].uses;
        r.timing = (gt_timing){.median_ns = ns, .min_ns = ns, .lo_ns = ns, .hi_ns = ns, .runs = MIN_TURNS * RUNS_PER_TURN};
        if (!gt_i_figures_have(f, &r)) {
            *fresh = true;
            GT_TRY(gt_i_figures_add(f, &r));
        }
    }
done:
    return status;
}

/* The plan, and with it the greedy and single-layout schedules that come near it: their choices are what the plan
 * must not lose against, so they are judged by figures of the same kind, taken at the same time. */
static gt_status refine_round(gt_graph *graph, const gt_plan *plan, gt_figures *figures, gt_isa isa, bool *fresh,
                              double *measured_ns)
{
    gt_status status = GT_OK;
    struct profile profiles[GT_LAYOUT_COUNT + 2] = {0};
    struct entry *entries = NULL;
    size_t steps = 0;
    int n_profiles = 1;
    int n = 0;
    GT_TRY(open_profile(&profiles[0], graph, plan, &plan->schedule, isa));
    for (int i = 0; i < plan->n_alternatives && n_profiles <= GT_LAYOUT_COUNT + 1; i++) {
        const gt_schedule *other = &plan->alternatives[i].schedule;
        if (other->predicted_ns <= NEAR * plan->schedule.predicted_ns) {
            GT_TRY(open_profile(&profiles[n_profiles++], graph, plan, other, isa));
        }
    }
    GT_TRY(run_profiles(profiles, n_profiles));
    for (int i = 0; i < n_profiles; i++) {
        steps += (size_t)profiles[i].program->n_steps;
    }
    GT_TRY(gt_calloc(&entries, steps, sizeof *entries));
    for (int i = 0; i < n_profiles; i++) {
        collect(entries, &n, graph, plan, profiles[i].schedule, profiles[i].program, profiles[i].step_ns);
    }
    GT_TRY(replace_records(figures, entries, n, fresh));
    *measured_ns = profiles[0].total_ns;
done:
    gt_free(entries);
    for (int i = 0; i < n_profiles; i++) {
        close_profile(&profiles[i]);
    }
    return status;
}

/* Whatever disturbs a run makes it longer, and for seconds at times, so that all of a round's figures are too long. Therefore
 * the final plan runs some more; where that takes less than predicted, all figures are scaled by the same ratio. What has none
 * (transforms that nobody tried) stays, so that the plan remains the best one. */
static gt_status settle(gt_graph *graph, const gt_plan *plan, gt_figures *figures, gt_isa isa, double *measured_ns, bool *scaled)
{
    gt_status status = GT_OK;
    struct profile profile = {0};
    double total_ns[CLOSING_ROUNDS];
    for (int i = 0; i < CLOSING_ROUNDS; i++) {
        GT_TRY(open_profile(&profile, graph, plan, &plan->schedule, isa));
        GT_TRY(run_profiles(&profile, 1));
        total_ns[i] = profile.total_ns;
        close_profile(&profile);
        profile = (struct profile){0};
    }
    qsort(total_ns, CLOSING_ROUNDS, sizeof *total_ns, gt_compare_doubles);
    *measured_ns = total_ns[CLOSING_ROUNDS / 2];
    *scaled = *measured_ns < plan->schedule.predicted_ns;
    if (*scaled) {
        GT_TRY(gt_i_figures_scale(figures, *measured_ns / plan->schedule.predicted_ns));
    }
done:
    close_profile(&profile);
    return status;
}

static bool is_stopped(const gt_select_options *options)
{
    return options->stop != NULL && *options->stop != 0;
}

gt_status gt_refine(gt_plan **plan, gt_graph *graph, gt_records *records, const gt_select_options *options,
                    int max_rounds, void (*progress)(int round), gt_refine_report *report)
{
    gt_status status = GT_OK;
    gt_plan *p = NULL;
    gt_figures figures = {0};
    gt_refine_report r = {0};
    bool fresh = true, settled = false;
    GT_TRY(gt_i_figures_begin(&figures, records));
    GT_TRY(gt_select(&p, graph, records, options));
    while (fresh && r.rounds < max_rounds && !is_stopped(options)) {
        fresh = false;
        if (progress != NULL) {
            progress(r.rounds + 1);
        }
        GT_TRY(refine_round(graph, p, &figures, options->isa, &fresh, &r.measured_ns));
        r.rounds++;
        if (!fresh && !settled && r.rounds < max_rounds) {
            GT_TRY(settle(graph, p, &figures, options->isa, &r.measured_ns, &fresh));
            settled = true;
        }
        if (fresh) {
            gt_plan_destroy(p);
            p = NULL;
            GT_TRY(gt_select(&p, graph, records, options));
        }
    }
    r.stable = !fresh;
    GT_TRY(gt_i_figures_store(&figures, p));
    *plan = p;
    *report = r;
    p = NULL;
done:
    gt_plan_destroy(p);
    gt_i_figures_end(&figures);
    return status;
}
