/* SPDX-License-Identifier: Apache-2.0 */
#include "costmodel/count_serve.h"

#include "costmodel/count_marks.h"
#include "costmodel/measure_internal.h"
#include "src/base/file.h"

#include <stdlib.h>
#include <string.h>

/* The last workload's inputs and constants are kept: its candidates come one after another. */
struct server {
    gt_bench_case *bench;
    gt_measure_options options;
    FILE *replies;
};

struct request {
    const char *field[GT_I_COUNT_FIELDS];
    gt_layout in, out;
    gt_shape shape; /* of a transform */
};

/* ---- in the child ---- */

struct run {
    const struct request *request;
    gt_i_candidate candidate;
};

static void touch(void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += GT_ALIGN_BYTES) {
        ((volatile unsigned char *)data)[i] = ((volatile unsigned char *)data)[i];
    }
}

/* The output's memory served another tensor before; the inputs were written last, the first one at the very end. */
static void warm_up(const gt_i_range *inputs, int n, void *out, size_t out_bytes)
{
    gt_i_count_empty_caches();
    touch(out, out_bytes);
    for (int i = n - 1; i >= 0; i--) {
        touch(inputs[i].data, inputs[i].bytes);
    }
}

static gt_status leave_output(gt_i_outcome *outcome, const struct run *run, const unsigned char *out, size_t bytes)
{
    if (!gt_i_guards_intact(out, bytes)) {
        gt_i_reject(outcome, "writes outside its output");
        return GT_OK;
    }
    outcome->timing.runs = 1;
    return gt_file_replace(run->request->field[GT_I_COUNT_FILE], out, bytes);
}

static gt_status run_candidate(gt_i_outcome *outcome, const struct run *run)
{
    gt_status status = GT_OK;
    gt_i_setup s = {0};
    GT_TRY(gt_i_make_setup(&s, &run->candidate));
    warm_up(s.warm, s.n_warm, s.out, s.out_bytes);
    gt_i_count_begin();
    gt_i_run_setup(&s, 0);
    gt_i_count_end();
    GT_TRY(leave_output(outcome, run, s.out, s.out_bytes));
done:
    return status;
}

static gt_status run_transform(gt_i_outcome *outcome, const struct run *run)
{
    gt_status status = GT_OK;
    const struct request *r = run->request;
    float *source = NULL;
    unsigned char *out = NULL;
    size_t bytes = (size_t)gt_layout_elems(r->in, &r->shape) * sizeof *source;
    size_t out_bytes = (size_t)gt_layout_elems(r->out, &r->shape) * sizeof *source;
    GT_TRY(gt_alloc_aligned(&source, bytes));
    GT_TRY(gt_i_alloc_guarded(&out, out_bytes));
    gt_i_fill_source(source, r->in, &r->shape);
    warm_up(&(gt_i_range){source, bytes}, 1, out, out_bytes);
    gt_i_count_begin();
    gt_transform_run((float *)out, r->out, source, r->in, &r->shape, 0, gt_transform_tasks(&r->shape, r->out, r->in));
    gt_i_count_end();
    GT_TRY(leave_output(outcome, run, out, out_bytes));
done:
    return status;
}

static void run_in_child(gt_i_outcome *outcome, const void *context)
{
    const struct run *run = context;
    gt_status status = run->candidate.tmpl != NULL ? run_candidate(outcome, run) : run_transform(outcome, run);
    if (status != GT_OK) {
        gt_i_note_failure(outcome, status);
    }
}

/* ---- requests ---- */

static gt_status split(struct request *r, char *line)
{
    gt_status status = GT_OK;
    int n = 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *field = strsep(&line, "\t"); field != NULL; field = strsep(&line, "\t")) {
        if (n < GT_I_COUNT_FIELDS) {
            r->field[n] = field;
        }
        n++;
    }
    GT_REQUIRE(n == GT_I_COUNT_FIELDS, GT_ERROR_FORMAT, "a request has %d fields, not %d", n, GT_I_COUNT_FIELDS);
    r->in = gt_layout_find(r->field[GT_I_COUNT_IN]);
    r->out = gt_layout_find(r->field[GT_I_COUNT_OUT]);
    GT_REQUIRE(r->in != GT_LAYOUT_COUNT && r->out != GT_LAYOUT_COUNT, GT_ERROR_FORMAT, "layouts \"%s\" and \"%s\"",
               r->field[GT_I_COUNT_IN], r->field[GT_I_COUNT_OUT]);
done:
    return status;
}

static gt_status have_case(struct server *s, const struct request *r)
{
    gt_status status = GT_OK;
    gt_workload *workload = NULL;
    uint64_t seed = strtoull(r->field[GT_I_COUNT_SEED], NULL, 10);
    if (s->bench != NULL && strcmp(s->bench->workload->key, r->field[GT_I_COUNT_WORKLOAD]) == 0 && s->options.seed == seed) {
        return GT_OK;
    }
    gt_bench_case_destroy(s->bench);
    s->bench = NULL;
    s->options.seed = seed;
    GT_TRY(gt_workload_parse(&workload, r->field[GT_I_COUNT_WORKLOAD]));
    GT_TRY(gt_i_bench_inputs_create(&s->bench, workload, &s->options));
done:
    gt_workload_destroy(workload);
    return status;
}

/* A config that this build does not have is the candidate's failure, not the request's. */
static gt_status serve_candidate(gt_i_outcome *outcome, struct server *s, struct run *run)
{
    gt_status status = GT_OK;
    const struct request *r = run->request;
    gt_space space;
    gt_config config;
    const gt_template *t = gt_template_find(r->field[GT_I_COUNT_TEMPLATE]);
    GT_REQUIRE(t != NULL, GT_ERROR_FORMAT, "there is no template \"%s\"", r->field[GT_I_COUNT_TEMPLATE]);
    GT_TRY(have_case(s, r));
    if (!gt_template_supports(t, s->bench->workload, r->in, r->out)) {
        outcome->status = GT_RECORD_FAILED;
        snprintf(outcome->note, sizeof outcome->note, "%s does not take this case on the board", t->name);
        goto done;
    }
    gt_template_space(t, s->bench->workload, r->in, r->out, &space);
    GT_TRY(gt_config_parse(&config, &space, r->field[GT_I_COUNT_CONFIG]));
    run->candidate = (gt_i_candidate){.bench = s->bench, .tmpl = t, .in = r->in, .out = r->out, .config = &config,
                                      .options = &s->options};
    GT_TRY(gt_i_run_child(outcome, run_in_child, run, &s->options));
done:
    return status;
}

static gt_status serve_transform(gt_i_outcome *outcome, struct server *s, const struct run *run, struct request *r)
{
    gt_status status = GT_OK;
    long long d[4];
    const char *text = r->field[GT_I_COUNT_WORKLOAD];
    GT_REQUIRE(sscanf(text, "%lldx%lldx%lldx%lld", &d[0], &d[1], &d[2], &d[3]) == 4, GT_ERROR_FORMAT, "a transform of \"%s\"", text);
    r->shape = gt_shape_4d(d[0], d[1], d[2], d[3]);
    GT_TRY(gt_shape_check(&r->shape));
    GT_TRY(gt_i_run_child(outcome, run_in_child, run, &s->options));
done:
    return status;
}

static gt_status serve(gt_i_outcome *outcome, struct server *s, char *line)
{
    gt_status status = GT_OK;
    struct request r = {0};
    struct run run = {.request = &r};
    GT_TRY(split(&r, line));
    GT_TRY(r.field[GT_I_COUNT_TEMPLATE][0] != '\0' ? serve_candidate(outcome, s, &run) : serve_transform(outcome, s, &run, &r));
done:
    return status;
}

static gt_status reply(struct server *s, gt_status served, const gt_i_outcome *outcome)
{
    gt_status status = GT_OK;
    bool good = served == GT_OK;
    fprintf(s->replies, "%s\t%s\n", good ? gt_record_status_name(outcome->status) : "error",
            good ? outcome->note : gt_error_message());
    GT_REQUIRE(fflush(s->replies) == 0, GT_ERROR_IO, "nobody reads the replies");
done:
    return status;
}

gt_status gt_count_serve(FILE *requests, FILE *replies)
{
    gt_status status = GT_OK;
    char *line = NULL;
    size_t room = 0;
    struct server s = {.options = gt_measure_defaults(), .replies = replies};
    s.options.timeout_ns = INT64_MAX / 4; /* the other half has the clock */
    s.options.memory_bytes = 0;
    while (getline(&line, &room, requests) > 0) {
        gt_i_outcome outcome = {0};
        GT_TRY(reply(&s, serve(&outcome, &s, line), &outcome));
    }
done:
    free(line);
    gt_bench_case_destroy(s.bench);
    return status;
}
