/* SPDX-License-Identifier: Apache-2.0 */
/* Running a plan or a bundle: times and memory. */
#include "src/base/clock.h"
#include "src/cli/run_plan.h"
#include "src/records/json.h"
#include "src/run/bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define PROFILE_RUNS 20

/* Whenever glibc gets a block back that was mapped on its own, it maps only larger ones from then on, and the constants
 * that are freed while they are packed leave holes in the heap. A fixed limit keeps every weight out of the heap. */
#ifdef __GLIBC__
#include <malloc.h>
static void keep_weights_out_of_heap(void)
{
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
}
#else
static void keep_weights_out_of_heap(void)
{
}
#endif

/* One step of the program in words: the tensor or op, the template or layouts, and the time that the plan predicts. */
struct step_text {
    const char *name;
    char what[64];
    double predicted_ns;
};

static struct step_text describe_step(const gt_deployment *d, int index)
{
    const gt_step *step = &d->program->steps[index];
    const gt_schedule *schedule = &d->plan->schedule;
    struct step_text text;
    if (step->op < 0) {
        const gt_plan_transform *t = &schedule->transforms[step->schedule];
        text = (struct step_text){.name = t->tensor, .predicted_ns = t->ns};
        snprintf(text.what, sizeof text.what, "%s→%s", gt_layout_name(t->from), gt_layout_name(t->to));
    } else {
        const gt_plan_op *op = &schedule->ops[step->schedule];
        text = (struct step_text){.name = op->node, .predicted_ns = op->ns};
        snprintf(text.what, sizeof text.what, "%s", step->tmpl->name);
    }
    return text;
}

/* Per-step medians over some runs; the caller frees them. */
static gt_status measure_steps(double **out, const gt_deployment *d)
{
    gt_status status = GT_OK;
    double *samples = NULL;
    double *medians = NULL;
    double column[PROFILE_RUNS];
    size_t n = (size_t)d->program->n_steps;
    GT_TRY(gt_calloc(&samples, n * PROFILE_RUNS, sizeof *samples));
    GT_TRY(gt_calloc(&medians, n, sizeof *medians));
    for (size_t i = 0; i < PROFILE_RUNS; i++) {
        gt_session_run(d->session, samples + i * n);
    }
    for (size_t step = 0; step < n; step++) {
        for (size_t i = 0; i < PROFILE_RUNS; i++) {
            column[i] = samples[i * n + step];
        }
        qsort(column, PROFILE_RUNS, sizeof *column, gt_compare_doubles);
        medians[step] = gt_quantile(column, PROFILE_RUNS, 0.5);
    }
    *out = medians;
    medians = NULL;
done:
    gt_free(medians);
    gt_free(samples);
    return status;
}

static gt_status print_profile(const gt_deployment *d, const double *ns)
{
    gt_table table;
    double total = 0;
    double scale = 1;
    for (int i = 0; i < d->program->n_steps; i++) {
        total += ns[i];
    }
    const char *unit = gt_cli_time_unit(&scale, total);
    gt_table_begin(&table, "llrrr");
    gt_table_cell(&table, "step");
    gt_table_cell(&table, "what");
    gt_table_cell(&table, "measured %s", unit);
    gt_table_cell(&table, "predicted %s", unit);
    gt_table_cell(&table, "share");
    for (int i = 0; i < d->program->n_steps; i++) {
        struct step_text step = describe_step(d, i);
        gt_table_cell(&table, "%s", step.name);
        gt_table_cell(&table, "%s", step.what);
        gt_table_cell(&table, "%.3f", ns[i] / scale);
        gt_table_cell(&table, "%.3f", step.predicted_ns / scale);
        gt_table_cell(&table, "%.1f %%", total > 0 ? 100 * ns[i] / total : 0);
    }
    return gt_table_print(&table, stdout, 2);
}

static void put_profile(gt_json_writer *w, const gt_deployment *d, const double *ns)
{
    gt_json_begin_array(w, "profile");
    for (int i = 0; i < d->program->n_steps; i++) {
        struct step_text step = describe_step(d, i);
        gt_json_begin_inline_object(w, NULL);
        gt_json_put_string(w, "step", step.name);
        gt_json_put_string(w, "what", step.what);
        gt_json_put_f64(w, "ns", ns[i]);
        gt_json_put_f64(w, "predicted_ns", step.predicted_ns);
        gt_json_end(w);
    }
    gt_json_end(w);
}

/* The largest resident set so far, libraries and all. getrusage would count what this process was before exec, too, and
 * is only used where there is no /proc. */
static int64_t peak_rss_bytes(void)
{
    long long kib = 0;
    char line[128];
    struct rusage usage;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && kib == 0 && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "VmHWM: %lld kB", &kib) != 1) {
            kib = 0;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    if (kib == 0 && getrusage(RUSAGE_SELF, &usage) == 0) {
        kib = usage.ru_maxrss;
    }
    return (int64_t)kib * 1024;
}

/* What a run has to tell. */
struct findings {
    double ns;
    double *step_ns; /* or NULL */
    bool good;
};

static gt_status report_text(struct findings *f, const gt_deployment *d, bool check)
{
    gt_status status = GT_OK;
    gt_session_memory m = gt_session_memory_use(d->session);
    char time[32];
    char packed[32];
    char arena[32];
    char workspace[32];
    char peak[32];
    if (f->step_ns != NULL) {
        GT_TRY(print_profile(d, f->step_ns));
    }
    printf("ran in %s; weights %s, arena %s, workspace %s, peak memory %s\n", gt_format_ns(time, sizeof time, f->ns),
           gt_format_bytes(packed, sizeof packed, (double)m.packed_bytes),
           gt_format_bytes(arena, sizeof arena, (double)m.arena_bytes),
           gt_format_bytes(workspace, sizeof workspace, (double)m.workspace_bytes),
           gt_format_bytes(peak, sizeof peak, (double)peak_rss_bytes()));
    if (check) {
        GT_TRY(gt_cli_check(&f->good, d->graph, d->session, true, NULL));
    }
done:
    return status;
}

static gt_status report_json(struct findings *f, const gt_deployment *d, bool check)
{
    gt_status status = GT_OK;
    gt_session_memory m = gt_session_memory_use(d->session);
    gt_json_writer w;
    gt_text text = {0};
    gt_json_writer_init(&w, true);
    gt_json_begin_object(&w, NULL);
    gt_json_put_f64(&w, "ns", f->ns);
    status = gt_cli_put_devices(&w, d->plan);
    gt_json_put_i64(&w, "packed_bytes", m.packed_bytes);
    gt_json_put_i64(&w, "arena_bytes", m.arena_bytes);
    gt_json_put_i64(&w, "workspace_bytes", m.workspace_bytes);
    gt_json_put_i64(&w, "peak_rss_bytes", peak_rss_bytes());
    if (f->step_ns != NULL) {
        put_profile(&w, d, f->step_ns);
    }
    if (check && status == GT_OK) {
        status = gt_cli_check(&f->good, d->graph, d->session, false, &w);
    }
    gt_json_end(&w);
    gt_status finished = gt_json_writer_finish(&w, &text);
    status = status == GT_OK ? finished : status;
    if (status == GT_OK) {
        fputs(text.data, stdout);
    }
    gt_text_destroy(&text);
    return status;
}

/* The shortest of the timed runs: what the plan takes when nothing disturbs it. */
static double time_runs(gt_session *session, int64_t repeat)
{
    double best = 0;
    for (int64_t i = 0; i < repeat; i++) {
        int64_t start = gt_now_ns();
        gt_session_run(session, NULL);
        double ns = (double)(gt_now_ns() - start);
        best = i == 0 || ns < best ? ns : best;
    }
    return best;
}

/* A bundle has no model to compare with. */
static gt_status open_bundle(gt_deployment **d, const gt_run_arguments *a)
{
    if (a->check) {
        return gt_fail(GT_ERROR_ARGUMENT, "%s: --check needs the model, which a bundle does not hold: check the plan that it was packed from",
                       a->path);
    }
    return gt_cli_open_bundle(d, a->path, &a->files, (int)a->threads, a->cpus, a->json);
}

static gt_status open_plan(gt_deployment **deployment, const gt_run_arguments *a)
{
    gt_status status = GT_OK;
    gt_deployment *d = NULL;
    GT_TRY(gt_i_deployment_load(&d, a->path, &a->files));
    GT_TRY(gt_cli_warn_device(d->plan, a->path));
    GT_TRY(gt_cli_pin(a->cpus, a->threads > 0 ? (int)a->threads : d->plan->threads, a->json));
    status = gt_i_deployment_start(d, (int)a->threads, a->check);
    if (status != GT_OK) {
        GT_TRY(gt_fail_in(status, "%s", a->path));
    }
    *deployment = d;
    d = NULL;
done:
    gt_deployment_close(d);
    return status;
}

gt_status gt_cli_run(const gt_run_arguments *a)
{
    gt_status status = GT_OK;
    gt_deployment *d = NULL;
    struct findings f = {.good = true};
    keep_weights_out_of_heap();
    GT_TRY(gt_i_is_bundle(a->path) ? open_bundle(&d, a) : open_plan(&d, a));
    GT_TRY(gt_i_run_load_inputs(d->session, d->graph, a));
    f.ns = time_runs(d->session, a->repeat);
    if (a->profile) {
        GT_TRY(measure_steps(&f.step_ns, d));
    }
    if (a->output != NULL) {
        GT_TRY(gt_i_run_write_outputs(d->session, d->graph, a->output));
    }
    GT_TRY(a->json ? report_json(&f, d, a->check) : report_text(&f, d, a->check));
    GT_REQUIRE(f.good, GT_ERROR_INTERNAL, "%s: the plan's output differs from the reference", a->path);
done:
    gt_free(f.step_ns);
    gt_deployment_close(d);
    return status;
}
