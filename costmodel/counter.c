/* SPDX-License-Identifier: Apache-2.0 */
#include "costmodel/counter.h"

#include "costmodel/count_serve.h"
#include "costmodel/device_internal.h"
#include "costmodel/emulator.h"
#include "costmodel/measure_internal.h"
#include "src/base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The cores of costmodel/armsim with the caches that it gives them. */
static const struct core {
    const char *name, *class_name;
    int64_t l1d_bytes, l2_bytes;
} cores[] = {
    {"a53", "Cortex-A53", 32 << 10, 512 << 10},
    {"a72", "Cortex-A72", 32 << 10, 1024 << 10},
    {"a76", "Cortex-A76", 64 << 10, 512 << 10},
};

#define N_CORES ((int)(sizeof cores / sizeof *cores))
#define MODEL_KHZ 1000000

struct gt_counter {
    gt_counter_options options;
    char *armsim, *agent;
    const struct core *core;
    gt_device device;
    gt_measure_options measure; /* for records */
    gt_text folder, counts_path, output_path;
    gt_i_emulator emulator;
};

static const struct core *find_core(const char *name)
{
    for (int i = 0; i < N_CORES; i++) {
        if (strcmp(cores[i].name, name) == 0) {
            return &cores[i];
        }
    }
    return NULL;
}

/* ---- the modelled machine ---- */

static gt_status describe(gt_device *device, const struct core *core, double miss_weight)
{
    *device = (gt_device){.arch = "aarch64", .isa = GT_ISA_BASE, .cpus = 1, .n_classes = 1};
    snprintf(device->model, sizeof device->model, "armsim %s, issue cycles and %g of the misses at 1 GHz", core->name, miss_weight);
    gt_core_class *class = &device->classes[0];
    *class = (gt_core_class){.cores = 1, .max_khz = MODEL_KHZ, .l1d_bytes = core->l1d_bytes, .l2_bytes = core->l2_bytes};
    snprintf(class->name, sizeof class->name, "%s", core->class_name);
    device->n_clusters = 1;
    gt_cluster *cluster = &device->clusters[0];
    *cluster = (gt_cluster){.variant = -1, .revision = -1, .cores = 1, .max_khz = MODEL_KHZ, .l1d_bytes = core->l1d_bytes,
                            .l2_bytes = core->l2_bytes};
    snprintf(cluster->core, sizeof cluster->core, "%s", core->class_name);
    gt_cpu_set_add(&cluster->cpus, 0);
    device->temperature_c = __builtin_nan("");
    return gt_i_hash_device(device);
}

const gt_device *gt_counter_device(const gt_counter *counter)
{
    return &counter->device;
}

/* ---- opening and closing ---- */

static gt_status make_folder(gt_counter *c)
{
    gt_status status = GT_OK;
    const char *parent = getenv("TMPDIR");
    GT_TRY(gt_text_append(&c->folder, "%s/graphtune-count.XXXXXX", parent != NULL && parent[0] != '\0' ? parent : "/tmp"));
    if (mkdtemp(c->folder.data) == NULL) {
        status = gt_fail(GT_ERROR_IO, "%s: cannot make a folder: %s", c->folder.data, strerror(errno));
        gt_text_destroy(&c->folder);
        goto done;
    }
    GT_TRY(gt_text_append(&c->counts_path, "%s/counts", c->folder.data));
    GT_TRY(gt_text_append(&c->output_path, "%s/output", c->folder.data));
done:
    return status;
}

gt_status gt_counter_open(gt_counter **counter, const gt_counter_options *o)
{
    gt_status status = GT_OK;
    gt_counter *c = NULL;
    GT_TRY(gt_calloc(&c, 1, sizeof *c));
    c->options = *o;
    c->core = find_core(o->core);
    c->measure = gt_measure_defaults();
    GT_REQUIRE(o->miss_weight >= 0 && o->miss_weight <= 1, GT_ERROR_ARGUMENT, "miss_weight = %g: must be 0 to 1", o->miss_weight);
    GT_REQUIRE(c->core != NULL, GT_ERROR_ARGUMENT, "there is no model of a core \"%s\": a53, a72 or a76", o->core);
    GT_REQUIRE(access(o->armsim, X_OK) == 0, GT_ERROR_NOT_FOUND, "%s: %s", o->armsim, strerror(errno));
    GT_REQUIRE(access(o->agent, R_OK) == 0, GT_ERROR_NOT_FOUND, "%s: %s", o->agent, strerror(errno));
    GT_TRY(gt_strdup(&c->armsim, o->armsim));
    GT_TRY(gt_strdup(&c->agent, o->agent));
    GT_TRY(describe(&c->device, c->core, o->miss_weight));
    GT_TRY(make_folder(c));
    *counter = c;
    c = NULL;
done:
    gt_counter_close(c);
    return status;
}

void gt_counter_close(gt_counter *c)
{
    if (c == NULL) {
        return;
    }
    gt_i_emulator_stop(&c->emulator, NULL);
    if (c->folder.data != NULL) {
        unlink(c->counts_path.data);
        unlink(c->output_path.data);
        rmdir(c->folder.data);
    }
    gt_text_destroy(&c->folder);
    gt_text_destroy(&c->counts_path);
    gt_text_destroy(&c->output_path);
    gt_free(c->armsim);
    gt_free(c->agent);
    gt_free(c);
}

static gt_status start(gt_counter *c)
{
    gt_status status = GT_OK;
    gt_text variable = {0};
    if (c->emulator.pid != 0) {
        return GT_OK;
    }
    GT_TRY(gt_text_append(&variable, "ARMSIM_OUT=%s", c->counts_path.data));
    char *argv[] = {"env", variable.data, c->armsim, "-m", (char *)c->core->name, c->agent, "count", NULL};
    GT_TRY(gt_i_emulator_start(&c->emulator, argv));
done:
    gt_text_destroy(&variable);
    return status;
}

/* ---- asking ---- */

static void note(gt_i_outcome *outcome, gt_record_status status, const char *text)
{
    outcome->status = status;
    snprintf(outcome->note, sizeof outcome->note, "%s", text);
}

/* What the answer says, which is a status, a tab and a note. */
static gt_status read_answer(gt_i_outcome *outcome, const gt_counter *c, char *answer)
{
    gt_status status = GT_OK;
    char *text = strchr(answer, '\t');
    GT_REQUIRE(text != NULL, GT_ERROR_IO, "%s count: answers \"%.80s\"", c->agent, answer);
    *text++ = '\0';
    GT_REQUIRE(strcmp(answer, "error") != 0, GT_ERROR_IO, "%s count: %s", c->agent, text);
    for (int i = 0; i < GT_RECORD_STATUS_COUNT; i++) {
        if (strcmp(answer, gt_record_status_name(i)) == 0) {
            note(outcome, i, text);
            goto done;
        }
    }
    status = gt_fail(GT_ERROR_IO, "%s count: answers \"%.80s\"", c->agent, answer);
done:
    return status;
}

/* An emulator that has died without an answer did so by the candidate's fault, unless it never ran. */
static gt_status note_death(gt_i_outcome *outcome, gt_counter *c)
{
    gt_status status = GT_OK;
    int how = 0;
    gt_i_emulator_stop(&c->emulator, &how);
    GT_REQUIRE(!WIFEXITED(how), GT_ERROR_IO,
               "%s -m %s %s count: ended with status %d; is qemu-user installed, and is that an arm64 graphtune-board?", c->armsim,
               c->core->name, c->agent, WEXITSTATUS(how));
    note(outcome, GT_RECORD_CRASH, "the emulator ended");
done:
    return status;
}

static gt_status read_count(double *cost, const gt_counter *c)
{
    gt_status status = GT_OK;
    gt_json *root = NULL;
    double cycles = 0, issue = 0;
    GT_TRY(gt_json_read(&root, c->counts_path.data));
    GT_TRY(gt_json_get_f64(root, "cycles", &cycles, 0, 1e15));
    GT_TRY(gt_json_get_f64(root, "issue_cycles", &issue, 0, cycles));
    *cost = issue + c->options.miss_weight * (cycles - issue);
done:
    gt_json_destroy(root);
    return status;
}

static gt_status ask(gt_i_outcome *outcome, gt_counter *c, const gt_text *request)
{
    gt_status status = GT_OK;
    gt_text answer = {0};
    double cost = 0;
    bool late = false, died = false;
    GT_TRY(start(c));
    (void)unlink(c->counts_path.data);
    (void)unlink(c->output_path.data);
    GT_TRY(gt_i_emulator_ask(&c->emulator, &answer, request, c->options.timeout_s, &late, &died));
    if (died) {
        GT_TRY(note_death(outcome, c));
    } else if (late) {
        gt_i_emulator_stop(&c->emulator, NULL);
        note(outcome, GT_RECORD_TIMEOUT, "not finished in time under emulation");
    } else {
        GT_TRY(read_answer(outcome, c, answer.data != NULL ? answer.data : ""));
    }
    if (outcome->status == GT_RECORD_OK) {
        GT_TRY(read_count(&cost, c));
        outcome->timing = (gt_timing){.median_ns = cost, .min_ns = cost, .lo_ns = cost, .hi_ns = cost, .runs = 1};
    }
done:
    gt_text_destroy(&answer);
    return status;
}

/* Counts, and reads the output that was left, which must have this many bytes; *output stays NULL where there is none. */
static gt_status count(gt_i_outcome *outcome, char **output, gt_counter *c, const gt_text *request, size_t expected)
{
    gt_status status = GT_OK;
    size_t bytes = 0;
    GT_TRY(ask(outcome, c, request));
    if (outcome->status != GT_RECORD_OK) {
        return GT_OK;
    }
    GT_TRY(gt_file_read(output, &bytes, c->output_path.data));
    GT_REQUIRE(bytes == expected, GT_ERROR_IO, "%s: has %zu bytes, not %zu", c->output_path.data, bytes, expected);
done:
    return status;
}

/* ---- records ---- */

static gt_status finish(gt_record *record, gt_record *r, gt_i_outcome *outcome)
{
    gt_status status = GT_OK;
    r->source = GT_SOURCE_COUNTED;
    GT_TRY(gt_i_finish_record(r, outcome));
    *record = *r;
    *r = (gt_record){0};
done:
    return status;
}

gt_status gt_count_candidate(gt_record *record, gt_counter *c, const gt_bench_case *bench, const gt_template *t, gt_layout in,
                             gt_layout out, const gt_config *config)
{
    gt_status status = GT_OK;
    gt_record r = {0};
    gt_i_outcome outcome = {0};
    gt_text request = {0};
    char *output = NULL;
    const gt_i_candidate candidate = {.bench = bench, .tmpl = t, .in = in, .out = out, .config = config, .options = &c->measure};
    GT_TRY(gt_i_begin_op_record(&r, &candidate, &c->device));
    if (!t->view) {
        GT_TRY(gt_text_append(&request, "%s\t%s\t%s\t%s\t%" PRIu64 "\t%s\t%s\n", t->name, gt_layout_name(in), gt_layout_name(out),
                              r.config, c->options.seed, c->output_path.data, bench->workload->key));
        GT_TRY(count(&outcome, &output, c, &request, gt_i_stored_bytes(&bench->workload->output, out)));
    }
    GT_TRY(output != NULL ? gt_i_check_stored(&outcome, output, out, bench) : GT_OK);
    GT_TRY(finish(record, &r, &outcome));
done:
    gt_free(output);
    gt_text_destroy(&request);
    gt_record_clear(&r);
    return status;
}

gt_status gt_count_transform(gt_record *record, gt_counter *c, const gt_shape *shape, gt_layout from, gt_layout to)
{
    gt_status status = GT_OK;
    gt_record r = {0};
    gt_i_outcome outcome = {0};
    gt_text request = {0};
    char *output = NULL;
    GT_TRY(gt_i_begin_transform_record(&r, shape, from, to, &c->device, 1));
    GT_TRY(gt_text_append(&request, "\t%s\t%s\t\t0\t%s\t%s\n", gt_layout_name(from), gt_layout_name(to), c->output_path.data,
                          r.workload));
    GT_TRY(count(&outcome, &output, c, &request, (size_t)gt_layout_elems(to, shape) * sizeof(float)));
    GT_TRY(output != NULL ? gt_i_check_transformed(&outcome, output, to, shape) : GT_OK);
    GT_TRY(finish(record, &r, &outcome));
done:
    gt_free(output);
    gt_text_destroy(&request);
    gt_record_clear(&r);
    return status;
}
