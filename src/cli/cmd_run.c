/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/clock.h"
#include "src/base/npy.h"
#include "src/cli/common.h"
#include "src/records/json.h"
#include "src/run/bench.h"
#include "src/tune/refine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

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

static const gt_cli_command command = {
    .name = "run",
    .usage = "PLAN [--input FILE.npy ...] [--output DIR] [--check] [--profile]",
    .summary = "Executes a plan. Inputs are float32 (or int64) .npy files in the model's order, or NAME=FILE.npy;\n"
               "inputs that are not given are seeded noise.",
    .details = "Example:\n  graphtune run net.plan.json --input image.npy --output out --check",
    .min_operands = 1,
    .max_operands = 1,
};

struct arguments {
    gt_cli_list operands, inputs;
    const char *output;
    gt_i_model_files files;
    int64_t threads, seed, repeat;
    bool check, profile, json;
};

static gt_status list_inputs(gt_text *text, const gt_graph *graph)
{
    gt_status status = GT_OK;
    char shape[GT_SHAPE_TEXT_BYTES];
    for (int i = 0; i < graph->n_inputs; i++) {
        const gt_tensor *t = &graph->tensors[graph->inputs[i]];
        GT_TRY(gt_text_append(text, "%s\"%s\" (%s %s)", i > 0 ? ", " : "", t->name, gt_dtype_name(t->dtype),
                              gt_shape_format(shape, sizeof shape, &t->shape)));
    }
done:
    return status;
}

/* Which input "NAME=FILE" or the next plain FILE is, and its file. */
static gt_status resolve_input(int *index, const char **file, const char *item, int position, const gt_graph *graph)
{
    gt_status status = GT_OK;
    gt_text known = {0};
    const char *equals = strchr(item, '=');
    struct stat info;
    bool named = equals != NULL && stat(item, &info) != 0;
    *index = named ? -1 : position;
    *file = named ? equals + 1 : item;
    for (int i = 0; named && i < graph->n_inputs; i++) {
        const char *name = graph->tensors[graph->inputs[i]].name;
        if (strlen(name) == (size_t)(equals - item) && strncmp(name, item, strlen(name)) == 0) {
            *index = i;
        }
    }
    if (*index < 0 || *index >= graph->n_inputs) {
        GT_TRY(list_inputs(&known, graph));
        GT_TRY(gt_fail(GT_ERROR_ARGUMENT, "--input %s: the model has no %s; its inputs are %s", item,
                       named ? "input of this name" : "further input", known.data != NULL ? known.data : "none"));
    }
done:
    gt_text_destroy(&known);
    return status;
}

static gt_status load_input(gt_session *session, const gt_graph *graph, int index, const char *file)
{
    gt_status status = GT_OK;
    const gt_tensor *t = &graph->tensors[graph->inputs[index]];
    gt_npy npy = {0};
    char want[GT_SHAPE_TEXT_BYTES];
    char have[GT_SHAPE_TEXT_BYTES];
    GT_TRY(gt_npy_read(&npy, file));
    gt_shape shape = gt_shape_of(npy.rank, npy.dim);
    GT_REQUIRE(gt_shape_equal(&shape, &t->shape), GT_ERROR_SHAPE, "%s: shape is %s, but input \"%s\" needs %s", file,
               gt_shape_format(have, sizeof have, &shape), t->name, gt_shape_format(want, sizeof want, &t->shape));
    GT_REQUIRE((npy.type == GT_NPY_F32) == (t->dtype == GT_F32) && t->dtype != GT_BOOL, GT_ERROR_SHAPE,
               "%s: dtype is %s, but input \"%s\" needs %s", file, npy.type == GT_NPY_F32 ? "f32" : "i64", t->name,
               gt_dtype_name(t->dtype));
    memcpy(gt_session_input(session, index), npy.data, (size_t)npy.elems * gt_dtype_bytes(t->dtype));
done:
    gt_npy_destroy(&npy);
    return status;
}

static gt_status load_inputs(gt_session *session, const gt_graph *graph, const struct arguments *a)
{
    gt_status status = GT_OK;
    int position = 0;
    bool *given = NULL;
    GT_TRY(gt_calloc(&given, (size_t)graph->n_inputs, sizeof *given));
    gt_fill_inputs(session, graph, (uint64_t)a->seed);
    for (int i = 0; i < a->inputs.n; i++) {
        int index = 0;
        const char *file = NULL;
        GT_TRY(resolve_input(&index, &file, a->inputs.items[i], position, graph));
        position += file == a->inputs.items[i];
        GT_REQUIRE(!given[index], GT_ERROR_ARGUMENT, "--input %s: input \"%s\" is given twice", a->inputs.items[i],
                   graph->tensors[graph->inputs[index]].name);
        given[index] = true;
        GT_TRY(load_input(session, graph, index, file));
    }
done:
    gt_free(given);
    return status;
}

static gt_status write_output(const gt_session *session, const gt_graph *graph, int i, const char *folder)
{
    gt_status status = GT_OK;
    gt_text path = {0};
    int64_t *wide = NULL;
    const gt_tensor *t = &graph->tensors[graph->outputs[i]];
    const void *data = gt_session_output(session, i);
    int64_t n = gt_shape_elems(&t->shape);
    GT_TRY(gt_text_append(&path, "%s/output_%d.npy", folder, i));
    if (t->dtype == GT_BOOL) {
        GT_TRY(gt_calloc(&wide, (size_t)n, sizeof *wide));
        for (int64_t k = 0; k < n; k++) {
            wide[k] = ((const unsigned char *)data)[k];
        }
        data = wide;
    }
    GT_TRY(gt_npy_write(path.data, t->dtype == GT_F32 ? GT_NPY_F32 : GT_NPY_I64, t->shape.rank, t->shape.dim, data));
done:
    gt_free(wide);
    gt_text_destroy(&path);
    return status;
}

static gt_status write_outputs(const gt_session *session, const gt_graph *graph, const char *folder)
{
    gt_status status = GT_OK;
    struct stat info;
    bool made = mkdir(folder, 0777) == 0;
    GT_REQUIRE(made || errno == EEXIST, GT_ERROR_IO, "--output \"%s\": cannot create the folder: %s", folder,
               strerror(errno));
    GT_REQUIRE(made || (stat(folder, &info) == 0 && S_ISDIR(info.st_mode)), GT_ERROR_IO, "--output %s: is not a folder",
               folder);
    for (int i = 0; i < graph->n_outputs; i++) {
        GT_TRY(write_output(session, graph, i, folder));
    }
done:
    return status;
}

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
    gt_json_put_i64(&w, "packed_bytes", m.packed_bytes);
    gt_json_put_i64(&w, "arena_bytes", m.arena_bytes);
    gt_json_put_i64(&w, "workspace_bytes", m.workspace_bytes);
    gt_json_put_i64(&w, "peak_rss_bytes", peak_rss_bytes());
    if (f->step_ns != NULL) {
        put_profile(&w, d, f->step_ns);
    }
    if (check) {
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

static gt_status run(const struct arguments *a)
{
    gt_status status = GT_OK;
    gt_deployment *d = NULL;
    struct findings f = {.good = true};
    keep_weights_out_of_heap();
    GT_TRY(gt_i_deployment_load(&d, a->operands.items[0], &a->files));
    status = gt_i_deployment_start(d, (int)a->threads, a->check);
    if (status != GT_OK) {
        GT_TRY(gt_fail_in(status, "%s", a->operands.items[0]));
    }
    GT_TRY(load_inputs(d->session, d->graph, a));
    f.ns = time_runs(d->session, a->repeat);
    if (a->profile) {
        GT_TRY(measure_steps(&f.step_ns, d));
    }
    if (a->output != NULL) {
        GT_TRY(write_outputs(d->session, d->graph, a->output));
    }
    GT_TRY(a->json ? report_json(&f, d, a->check) : report_text(&f, d, a->check));
    GT_REQUIRE(f.good, GT_ERROR_INTERNAL, "%s: the plan's output differs from the reference", a->operands.items[0]);
done:
    gt_free(f.step_ns);
    gt_deployment_close(d);
    return status;
}

int gt_cmd_run(int argc, char **argv)
{
    struct arguments a = {.files.random_seed = -1, .seed = 1, .repeat = 1};
    const gt_cli_option options[] = {
        {"input", 'i', GT_CLI_LIST, "[NAME=]FILE", "an input; in the model's order where no name is given", &a.inputs, 0, 0},
        {"output", 'o', GT_CLI_STRING, "DIR", "write output_0.npy, output_1.npy, … in the model's order", &a.output, 0, 0},
        {"check", 0, GT_CLI_FLAG, NULL, "compare every output with the reference executor's", &a.check, 0, 0},
        {"profile", 0, GT_CLI_FLAG, NULL, "the time of every step beside its prediction", &a.profile, 0, 0},
        {"threads", 't', GT_CLI_INT, "N", "threads (default: the plan's)", &a.threads, 1, 256},
        {"repeat", 'n', GT_CLI_INT, "N", "run N times and state the shortest (default 1)", &a.repeat, 1, 1e6},
        {"seed", 0, GT_CLI_INT, "N", "seed of the noise for inputs that are not given (default 1)", &a.seed, 0, 1e15},
        {"model", 0, GT_CLI_STRING, "MODEL", "the model file, where it has moved", &a.files.model, 0, 0},
        GT_CLI_WEIGHT_OPTIONS(a.files.weights, a.files.random_seed),
        {"json", 0, GT_CLI_FLAG, NULL, "print the figures as JSON", &a.json, 0, 0},
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &a.operands);
    code = code == GT_EXIT_OK ? gt_cli_finish(run(&a)) : code;
    gt_cli_list_clear(&a.operands);
    gt_cli_list_clear(&a.inputs);
    return code;
}
