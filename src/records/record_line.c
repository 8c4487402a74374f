/* SPDX-License-Identifier: Apache-2.0 */
/* One record and its line of JSON. */
#include "src/records/records_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *const kind_names[] = {"op", "transform", "device"};
static const char *const status_names[] = {"ok", "wrong", "crash", "timeout", "oom", "failed"};
static const char *const source_names[] = {"measured", "foreign", "model", "counted"};
_Static_assert(sizeof status_names / sizeof *status_names == GT_RECORD_STATUS_COUNT, "a status has no name");
_Static_assert(sizeof source_names / sizeof *source_names == GT_SOURCE_COUNT, "a source has no name");

#define MAX_THREADS 256
#define MAX_RUNS 1000000000000
#define MAX_NS 1e18
#define MAX_MHZ 100000
#define MAX_CELSIUS 1000

const char *gt_record_kind_name(gt_record_kind kind)
{
    return (unsigned)kind < GT_RECORD_KIND_COUNT ? kind_names[kind] : "unknown";
}

const char *gt_record_status_name(gt_record_status status)
{
    return (unsigned)status < GT_RECORD_STATUS_COUNT ? status_names[status] : "unknown";
}

const char *gt_source_name(gt_source source)
{
    return (unsigned)source < GT_SOURCE_COUNT ? source_names[source] : "unknown";
}

bool gt_record_is_foreign_template(const char *template_name)
{
    return strncmp(template_name, GT_FOREIGN_PREFIX, strlen(GT_FOREIGN_PREFIX)) == 0 ||
           strcmp(template_name, GT_MODEL_TEMPLATE) == 0;
}

bool gt_record_is_current(const gt_record *record)
{
    if (record->source == GT_SOURCE_FOREIGN) {
        return true;
    }
    if (record->kind == GT_RECORD_TRANSFORM) {
        return record->rev == GT_TRANSFORM_REV;
    }
    const gt_template *t = gt_template_find(record->template_name);
    return t != NULL && t->rev == record->rev;
}

void gt_record_clear(gt_record *record)
{
    gt_free(record->workload);
    gt_free(record->template_name);
    gt_free(record->config);
    gt_free(record->note);
    *record = (gt_record){0};
}

gt_status gt_record_copy(gt_record *out, const gt_record *in)
{
    gt_status status = GT_OK;
    gt_record copy = *in;
    copy.workload = copy.template_name = copy.config = copy.note = NULL;
    GT_TRY(gt_strdup(&copy.workload, in->workload));
    GT_TRY(gt_strdup(&copy.template_name, in->template_name));
    GT_TRY(gt_strdup(&copy.config, in->config));
    if (in->note != NULL) {
        GT_TRY(gt_strdup(&copy.note, in->note));
    }
    *out = copy;
    copy = (gt_record){0};
done:
    gt_record_clear(&copy);
    return status;
}

/* ---- writing ---- */

/* A tenth of a nanosecond is below any clock's resolution and keeps lines short. */
static double rounded(double ns)
{
    return (double)(int64_t)(ns * 10 + 0.5) / 10;
}

/* Zeros are left out. */
static void write_circumstances(gt_json_writer *w, const gt_record *record)
{
    if (record->mhz > 0) {
        gt_json_put_i64(w, "mhz", record->mhz);
    }
    if (record->celsius != 0) {
        gt_json_put_f64(w, "celsius", round(record->celsius * 10) / 10);
    }
    if (record->throttled) {
        gt_json_put_bool(w, "throttled", true);
    }
}

gt_status gt_record_format(gt_text *text, const gt_record *record)
{
    gt_json_writer w = {0};
    gt_text line = {0};
    gt_json_begin_object(&w, NULL);
    gt_json_put_i64(&w, "v", GT_RECORDS_VERSION);
    gt_json_put_string(&w, "kind", gt_record_kind_name(record->kind));
    gt_json_put_string(&w, "device", record->device);
    gt_json_put_i64(&w, "threads", record->threads);
    gt_json_put_string(&w, "workload", record->workload);
    gt_json_put_string(&w, "in", gt_layout_name(record->in));
    gt_json_put_string(&w, "out", gt_layout_name(record->out));
    gt_json_put_string(&w, "template", record->template_name);
    gt_json_put_i64(&w, "rev", record->rev);
    gt_json_put_string(&w, "config", record->config);
    gt_json_put_string(&w, "status", gt_record_status_name(record->status));
    if (record->status == GT_RECORD_OK) {
        gt_json_begin_object(&w, "ns");
        gt_json_put_f64(&w, "median", rounded(record->timing.median_ns));
        gt_json_put_f64(&w, "min", rounded(record->timing.min_ns));
        gt_json_put_f64(&w, "lo", rounded(record->timing.lo_ns));
        gt_json_put_f64(&w, "hi", rounded(record->timing.hi_ns));
        gt_json_put_i64(&w, "runs", record->timing.runs);
        gt_json_end(&w);
    }
    gt_json_put_string(&w, "source", gt_source_name(record->source));
    write_circumstances(&w, record);
    if (record->note != NULL) {
        gt_json_put_string(&w, "note", record->note);
    }
    gt_json_end(&w);
    gt_status status = GT_OK;
    GT_TRY(gt_json_writer_finish(&w, &line));
    GT_TRY(gt_text_append(&line, "\n"));
    GT_TRY(gt_text_append_bytes(text, line.data, line.length));
done:
    gt_text_destroy(&line);
    return status;
}

/* ---- reading ---- */

static gt_status read_version(const gt_json *line)
{
    int64_t version = 0;
    gt_status status = gt_json_get_i64(line, "v", &version, 0, INT32_MAX);
    if (status == GT_OK && version != GT_RECORDS_VERSION) {
        return gt_json_fail(gt_json_find(line, "v"), GT_ERROR_UNSUPPORTED,
                            "this graphtune reads records of format version %d; tune again into a new file",
                            GT_RECORDS_VERSION);
    }
    return status;
}

static gt_status read_hash(char hash[17], const gt_json *line, const char *key)
{
    const char *text = NULL;
    gt_status status = gt_json_get_string(line, key, &text);
    if (status != GT_OK) {
        return status;
    }
    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16) {
        return gt_json_fail(gt_json_find(line, key), GT_ERROR_FORMAT,
                            "must be 16 hexadecimal digits (lower case)");
    }
    memcpy(hash, text, 17);
    return GT_OK;
}

static gt_status read_layout(gt_layout *layout, const gt_json *line, const char *key)
{
    const char *names[GT_LAYOUT_COUNT];
    int index = 0;
    for (int i = 0; i < GT_LAYOUT_COUNT; i++) {
        names[i] = gt_layout_name((gt_layout)i);
    }
    gt_status status = gt_json_get_enum(line, key, &index, names, GT_LAYOUT_COUNT);
    if (status == GT_OK) {
        *layout = (gt_layout)index;
    }
    return status;
}

static gt_status read_timing(gt_timing *timing, const gt_json *line)
{
    gt_status status = GT_OK;
    const gt_json *ns = NULL;
    GT_TRY(gt_json_get_object(line, "ns", &ns));
    GT_TRY(gt_json_get_f64(ns, "median", &timing->median_ns, 0, MAX_NS));
    GT_TRY(gt_json_get_f64(ns, "min", &timing->min_ns, 0, timing->median_ns));
    GT_TRY(gt_json_get_f64(ns, "lo", &timing->lo_ns, 0, timing->median_ns));
    GT_TRY(gt_json_get_f64(ns, "hi", &timing->hi_ns, timing->median_ns, MAX_NS));
    GT_TRY(gt_json_get_i64(ns, "runs", &timing->runs, 0, MAX_RUNS));
done:
    return status;
}

/* A copy of a string member; one that must not be empty is refused when it is. */
static gt_status read_text(char **out, const gt_json *line, const char *key, bool may_be_empty)
{
    const char *text = NULL;
    gt_status status = gt_json_get_string(line, key, &text);
    if (status == GT_OK && text[0] == '\0' && !may_be_empty) {
        return gt_json_fail(gt_json_find(line, key), GT_ERROR_FORMAT, "must not be empty");
    }
    return status == GT_OK ? gt_strdup(out, text) : status;
}

static gt_status read_circumstances(gt_record *r, const gt_json *line)
{
    gt_status status = GT_OK;
    if (gt_json_find(line, "mhz") != NULL) {
        GT_TRY(gt_json_get_int(line, "mhz", &r->mhz, 0, MAX_MHZ));
    }
    if (gt_json_find(line, "celsius") != NULL) {
        GT_TRY(gt_json_get_f64(line, "celsius", &r->celsius, -MAX_CELSIUS, MAX_CELSIUS));
    }
    if (gt_json_find(line, "throttled") != NULL) {
        GT_TRY(gt_json_get_bool(line, "throttled", &r->throttled));
    }
done:
    return status;
}

static gt_status read_fields(gt_record *r, const gt_json *line)
{
    gt_status status = GT_OK;
    int choice = 0;
    GT_TRY(read_hash(r->device, line, "device"));
    GT_TRY(gt_json_get_int(line, "threads", &r->threads, 1, MAX_THREADS));
    GT_TRY(read_text(&r->workload, line, "workload", false));
    GT_TRY(read_layout(&r->in, line, "in"));
    GT_TRY(read_layout(&r->out, line, "out"));
    GT_TRY(read_text(&r->template_name, line, "template", r->kind == GT_RECORD_TRANSFORM));
    GT_TRY(gt_json_get_int(line, "rev", &r->rev, 0, INT32_MAX));
    GT_TRY(read_text(&r->config, line, "config", true));
    GT_TRY(gt_json_get_enum(line, "status", &choice, status_names, GT_RECORD_STATUS_COUNT));
    r->status = (gt_record_status)choice;
    if (r->status == GT_RECORD_OK) {
        GT_TRY(read_timing(&r->timing, line));
    }
    GT_TRY(gt_json_get_enum(line, "source", &choice, source_names, GT_SOURCE_COUNT));
    r->source = (gt_source)choice;
    GT_TRY(read_circumstances(r, line));
    if (gt_json_find(line, "note") != NULL) {
        GT_TRY(read_text(&r->note, line, "note", true));
    }
done:
    return status;
}

gt_status gt_i_record_read(gt_record *record, char hash[17], const gt_json *line)
{
    gt_status status = GT_OK;
    gt_record r = {0};
    int kind = 0;
    GT_TRY(read_version(line));
    GT_TRY(gt_json_get_enum(line, "kind", &kind, kind_names, GT_RECORD_KIND_COUNT + 1));
    r.kind = (gt_record_kind)kind;
    if (r.kind == GT_RECORD_KIND_COUNT) {
        GT_TRY(read_hash(hash, line, "hash"));
    } else {
        GT_TRY(read_fields(&r, line));
    }
    *record = r;
    r = (gt_record){0};
done:
    gt_record_clear(&r);
    return status;
}

gt_status gt_record_parse(gt_record *record, const char *text, size_t bytes, const char *path, int64_t line)
{
    gt_status status = GT_OK;
    gt_json *root = NULL;
    gt_record r = {0};
    char hash[17];
    GT_TRY(gt_json_parse(&root, text, bytes, path, line));
    GT_TRY(gt_i_record_read(&r, hash, root));
    if (r.kind == GT_RECORD_KIND_COUNT) {
        status = gt_json_fail(gt_json_find(root, "kind"), GT_ERROR_FORMAT, "must be \"op\" or \"transform\"");
        goto done;
    }
    *record = r;
    r = (gt_record){0};
done:
    gt_record_clear(&r);
    gt_json_destroy(root);
    return status;
}
