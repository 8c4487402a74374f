/* SPDX-License-Identifier: Apache-2.0 */
#include "src/import/autotvm.h"

#include "src/base/file.h"
#include "src/import/autotvm_line.h"
#include "src/import/name_map.h"

#include <stdio.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)1 << 18)
#define MAX_LINE_BYTES ((size_t)16 << 20)
#define MAX_REASONS 64
#define MAX_LISTED 20
#define MAX_CASES 10000

/* ---- devices ---- */

/* The value of "-key=…" in a target. */
static bool find_target_option(const char **value, int *length, const char *target, const char *key)
{
    size_t key_length = strlen(key);
    for (const char *word = target + strspn(target, " "); *word != '\0';) {
        if (strncmp(word, key, key_length) == 0 && word[key_length] == '=') {
            *value = word + key_length + 1;
            *length = (int)strcspn(*value, " ");
            /* TVM writes -model=unknown where nobody said what it is. */
            return *length > 0 && strncmp(*value, "unknown", (size_t)*length) != 0;
        }
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
    return false;
}

gt_status gt_autotvm_device_name(char **name, const char *target)
{
    static const char *const keys[] = {"-model", "-mcpu", "-device"};
    gt_status status = GT_OK;
    gt_text text = {0};
    const char *value = target + strspn(target, " ");
    int length = (int)strcspn(value, " ");
    const char *key = "-target";
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (find_target_option(&value, &length, target, keys[i])) {
            key = keys[i];
            break;
        }
    }
    GT_TRY(gt_text_append(&text, "%s=%.*s", key + 1, length, value));
    *name = text.data;
    text = (gt_text){0};
done:
    gt_text_destroy(&text);
    return status;
}

bool gt_autotvm_is_device(const char *device_name, const char *wanted)
{
    const char *equals = strchr(device_name, '=');
    return strcmp(wanted, device_name) == 0 || (equals != NULL && strcmp(wanted, equals + 1) == 0);
}

void gt_autotvm_device_hash(char hash[17], const char *device_name)
{
    static const char prefix[] = "autotvm:";
    char hex[65];
    gt_sha256 sha;
    gt_sha256_begin(&sha);
    gt_sha256_add(&sha, prefix, sizeof prefix - 1);
    gt_sha256_add(&sha, device_name, strlen(device_name));
    gt_sha256_end(&sha, hex);
    memcpy(hash, hex, 16);
    hash[16] = '\0';
}

/* ---- one import ---- */

struct import {
    const gt_autotvm_options *options;
    gt_autotvm_report *report;
    gt_i_name_map devices; /* name to index in the report */
    char *last_target;     /* of the line before, and its device: they hardly ever change */
    int last_device;
    gt_i_name_map seen;    /* task and arguments to index in cases: a log has few tasks and many configs of each */
    gt_autotvm_case *cases;
    int n_cases;
    size_t cases_capacity;
    gt_text key;
    int chosen; /* index of the device that is imported; -1: not seen yet */
    gt_file_writer *writer;
    gt_text out; /* records not yet written */
};

void gt_autotvm_report_clear(gt_autotvm_report *report)
{
    for (int i = 0; i < report->n_skipped; i++) {
        gt_free(report->skipped[i].name);
    }
    for (int i = 0; i < report->n_devices; i++) {
        gt_free(report->devices[i].name);
    }
    gt_free(report->skipped);
    gt_free(report->devices);
    gt_free(report->device_name);
    gt_free(report->first_malformed);
    *report = (gt_autotvm_report){0};
}

static void forget_cases(struct import *m)
{
    for (int i = 0; i < m->n_cases; i++) {
        gt_free(m->cases[i].workload);
    }
    m->n_cases = 0;
    gt_i_name_map_destroy(&m->seen);
}

static gt_status count_reason(gt_autotvm_report *r, const char *reason)
{
    gt_status status = GT_OK;
    gt_autotvm_count fresh = {.lines = 1};
    if (r->n_skipped == MAX_REASONS) {
        reason = "others";
    }
    for (int i = 0; i < r->n_skipped; i++) {
        if (strcmp(r->skipped[i].name, reason) == 0) {
            r->skipped[i].lines++;
            return GT_OK;
        }
    }
    GT_TRY(gt_strdup(&fresh.name, reason));
    GT_PUSH(r->skipped, r->n_skipped, r->skipped_capacity, fresh);
    fresh.name = NULL;
done:
    gt_free(fresh.name);
    return status;
}

/* The device of a target: counts the line for it, and takes the first that fits as the one to import. */
static gt_status find_device(int *index, struct import *m, const char *target)
{
    gt_status status = GT_OK;
    gt_autotvm_report *r = m->report;
    gt_autotvm_count fresh = {0};
    if (m->last_target != NULL && strcmp(m->last_target, target) == 0) {
        *index = m->last_device;
        r->devices[*index].lines++;
        return GT_OK;
    }
    GT_TRY(gt_autotvm_device_name(&fresh.name, target));
    *index = gt_i_name_map_find(&m->devices, fresh.name);
    if (*index < 0) {
        *index = r->n_devices;
        bool wanted = m->options->device == NULL || gt_autotvm_is_device(fresh.name, m->options->device);
        m->chosen = m->chosen < 0 && wanted ? *index : m->chosen;
        GT_TRY(gt_i_name_map_set(&m->devices, fresh.name, *index));
        GT_PUSH(r->devices, r->n_devices, r->devices_capacity, fresh);
        fresh.name = NULL;
    }
    r->devices[*index].lines++;
    gt_free(m->last_target);
    m->last_target = NULL;
    GT_TRY(gt_strdup(&m->last_target, target));
    m->last_device = *index;
done:
    gt_free(fresh.name);
    return status;
}

/* The chosen device's first line: its fingerprint goes before its records. */
static gt_status write_device(struct import *m, const char *target)
{
    gt_status status = GT_OK;
    gt_json_writer w = {0};
    gt_text line = {0};
    GT_TRY(gt_strdup(&m->report->device_name, m->report->devices[m->chosen].name));
    gt_autotvm_device_hash(m->report->device, m->report->device_name);
    gt_json_begin_object(&w, NULL);
    gt_json_put_i64(&w, "v", GT_RECORDS_VERSION);
    gt_json_put_string(&w, "kind", "device");
    gt_json_put_string(&w, "hash", m->report->device);
    gt_json_put_string(&w, "autotvm", m->report->device_name);
    gt_json_put_string(&w, "target", target);
    gt_json_end(&w);
    GT_TRY(gt_json_writer_finish(&w, &line));
    GT_TRY(gt_text_append(&m->out, "%s\n", line.data));
done:
    gt_text_destroy(&line);
    return status;
}

static gt_status flush(struct import *m, size_t least)
{
    gt_status status = GT_OK;
    if (m->out.length > least) {
        GT_TRY(gt_file_write(m->writer, m->out.data, m->out.length));
        m->out.length = 0;
    }
done:
    return status;
}

static gt_status write_record(struct import *m, const gt_autotvm_line *l, const gt_autotvm_case *c, const char *text)
{
    gt_status status = GT_OK;
    gt_text name = {0};
    gt_text config = {0};
    GT_TRY(gt_text_append(&name, GT_FOREIGN_PREFIX "%s%s%s", l->task, l->template_key != NULL ? "." : "",
                          l->template_key != NULL ? l->template_key : ""));
    GT_TRY(gt_text_append_bytes(&config, l->config_text, l->config_bytes));
    gt_record r = {.kind = GT_RECORD_OP, .threads = m->options->threads, .workload = c->workload, .in = c->in,
                   .out = c->out, .template_name = name.data, .config = config.data, .status = l->status,
                   .timing = l->timing, .source = GT_SOURCE_FOREIGN};
    memcpy(r.device, m->report->device, sizeof r.device);
    r.note = l->status == GT_RECORD_OK ? (char *)text : NULL; /* only read */
    GT_TRY(gt_record_format(&m->out, &r));
    m->report->imported++;
    m->report->failed += l->status != GT_RECORD_OK;
    GT_TRY(flush(m, CHUNK_BYTES));
done:
    gt_text_destroy(&config);
    gt_text_destroy(&name);
    return status;
}

/* What the line's task computes, borrowed from m->cases. */
static gt_status find_case(const gt_autotvm_case **found, struct import *m, const gt_autotvm_line *line)
{
    gt_status status = GT_OK;
    gt_autotvm_case fresh = {0};
    m->key.length = 0;
    GT_TRY(gt_text_append_bytes(&m->key, line->task, strlen(line->task)));
    GT_TRY(gt_text_append_bytes(&m->key, line->template_key != NULL ? "\n1" : "\n2", 2));
    GT_TRY(gt_text_append_bytes(&m->key, line->arguments_text, line->arguments_bytes));
    int index = gt_i_name_map_find(&m->seen, m->key.data);
    if (index < 0) {
        GT_TRY(gt_i_autotvm_map(&fresh, line));
        if (m->n_cases == MAX_CASES) {
            forget_cases(m);
        }
        index = m->n_cases;
        GT_PUSH(m->cases, m->n_cases, m->cases_capacity, fresh);
        fresh.workload = NULL;
        GT_TRY(gt_i_name_map_set(&m->seen, m->key.data, index));
    }
    *found = &m->cases[index];
done:
    gt_free(fresh.workload);
    return status;
}

/* One line without its newline, NUL-terminated. */
static gt_status import_line(struct import *m, const char *text, size_t bytes, const char *path, int64_t number)
{
    gt_status status = GT_OK;
    gt_autotvm_line line = {0};
    const gt_autotvm_case *known = NULL;
    int device = -1;
    GT_TRY(gt_i_autotvm_line_parse(&line, text, bytes, path, number));
    GT_TRY(find_case(&known, m, &line));
    gt_autotvm_case c = *known; /* the workload stays borrowed */
    if (c.blocked) {
        GT_TRY(gt_i_autotvm_find_layouts(&c, &line));
    }
    GT_TRY(find_device(&device, m, line.target));
    if (device != m->chosen) {
        m->report->other_devices++;
        goto done;
    }
    if (m->report->device_name == NULL) {
        GT_TRY(write_device(m, line.target));
    }
    GT_TRY(c.skipped[0] != '\0' ? count_reason(m->report, c.skipped) : write_record(m, &line, &c, text));
done:
    gt_i_autotvm_line_clear(&line);
    return status;
}

/* torn: the file's last line, without a newline, as an interrupted tuner leaves it. */
static gt_status take_line(struct import *m, char *text, size_t bytes, const char *path, int64_t number, bool torn)
{
    bytes -= bytes > 0 && text[bytes - 1] == '\r';
    text[bytes] = '\0';
    size_t blanks = strspn(text, " \t");
    if (blanks == bytes || text[blanks] == '#') {
        return GT_OK;
    }
    gt_status status = import_line(m, text + blanks, bytes - blanks, path, number);
    if (status != GT_ERROR_FORMAT && status != GT_ERROR_LIMIT) {
        return status;
    }
    if (torn) {
        m->report->torn++;
        return GT_OK;
    }
    m->report->malformed++;
    if (m->report->first_malformed == NULL && gt_strdup(&m->report->first_malformed, gt_error_message()) != GT_OK) {
        return GT_ERROR_MEMORY;
    }
    return m->options->skip_malformed ? GT_OK : status;
}

/* ---- files ---- */

/* Bytes of a file that are not taken yet. */
struct window {
    char *data;
    size_t bytes, capacity;
};

static gt_status grow_window(struct window *w, const char *path, int64_t number)
{
    gt_status status = GT_OK;
    char *data = NULL;
    size_t capacity = w->capacity == 0 ? 2 * CHUNK_BYTES : 2 * w->capacity;
    GT_REQUIRE(capacity <= 2 * MAX_LINE_BYTES, GT_ERROR_LIMIT, "%s:%lld: the line has more than %zu bytes", path,
               (long long)number, MAX_LINE_BYTES);
    GT_TRY(gt_calloc(&data, capacity + 1, 1));
    if (w->bytes > 0) {
        memcpy(data, w->data, w->bytes);
    }
    gt_free(w->data);
    w->data = data;
    w->capacity = capacity;
done:
    return status;
}

/* Takes the whole lines of the window, at the file's end the last one too, and moves what is left to its start. */
static gt_status take_lines(struct import *m, struct window *w, bool at_end, const char *path, int64_t *number)
{
    gt_status status = GT_OK;
    size_t at = 0;
    while (at < w->bytes) {
        char *newline = memchr(w->data + at, '\n', w->bytes - at);
        if (newline == NULL && !at_end) {
            break;
        }
        size_t length = newline != NULL ? (size_t)(newline - w->data) - at : w->bytes - at;
        ++*number;
        GT_TRY(take_line(m, w->data + at, length, path, *number, newline == NULL));
        at += length + (newline != NULL);
    }
    memmove(w->data, w->data + at, w->bytes - at);
    w->bytes -= at;
done:
    return status;
}

static gt_status import_log(struct import *m, const char *path)
{
    gt_status status = GT_OK;
    gt_file_reader *file = NULL;
    struct window w = {0};
    int64_t number = 0;
    GT_TRY(gt_file_open(&file, path));
    size_t total = gt_file_bytes(file);
    for (size_t at = 0; at < total;) {
        if (w.capacity - w.bytes < CHUNK_BYTES) {
            GT_TRY(grow_window(&w, path, number + 1));
        }
        size_t bytes = total - at < CHUNK_BYTES ? total - at : CHUNK_BYTES;
        GT_TRY(gt_file_read_at(file, w.data + w.bytes, at, bytes));
        w.bytes += bytes;
        at += bytes;
        GT_TRY(take_lines(m, &w, at == total, path, &number));
    }
done:
    gt_free(w.data);
    gt_file_close(file);
    return status;
}

/* ---- the outcome ---- */

static gt_status list_devices(const gt_autotvm_report *r, const char *path, gt_status code, const char *what)
{
    gt_status status = GT_OK;
    gt_text list = {0};
    for (int i = 0; i < r->n_devices && i < MAX_LISTED; i++) {
        GT_TRY(gt_text_append(&list, "\n  %s  (%lld lines)", r->devices[i].name, (long long)r->devices[i].lines));
    }
    if (r->n_devices > MAX_LISTED) {
        GT_TRY(gt_text_append(&list, "\n  and %d more", r->n_devices - MAX_LISTED));
    }
    status = gt_fail(code, "%s: %s:%s", path, what, list.data != NULL ? list.data : " none");
done:
    gt_text_destroy(&list);
    return status;
}

static gt_status check_device(const struct import *m, const char *path)
{
    gt_status status = GT_OK;
    const gt_autotvm_report *r = m->report;
    char what[160];
    if (m->options->device == NULL && r->n_devices > 1) {
        return list_devices(r, path, GT_ERROR_ARGUMENT, "records of several devices; choose one with --device");
    }
    if (m->options->device != NULL && m->chosen < 0) {
        snprintf(what, sizeof what, "no records of device %.100s; there are", m->options->device);
        return list_devices(r, path, GT_ERROR_NOT_FOUND, what);
    }
    GT_REQUIRE(m->chosen >= 0, GT_ERROR_FORMAT, "%s: there is no record in it", path);
    GT_REQUIRE(r->imported > 0, GT_ERROR_UNSUPPORTED, "%s: none of the %lld records of %s can be used: %s", path,
               (long long)r->devices[m->chosen].lines, r->device_name, r->skipped[0].name);
done:
    return status;
}

gt_status gt_autotvm_import(gt_autotvm_report *report, const char *records_path, int n_logs, const char *const *logs,
                            const gt_autotvm_options *options)
{
    gt_status status = GT_OK;
    struct import m = {.options = options, .report = report, .chosen = -1};
    *report = (gt_autotvm_report){0};
    GT_REQUIRE(options->threads >= 1 && options->threads <= 256, GT_ERROR_ARGUMENT,
               "threads = %d: 1 to 256 are allowed", options->threads);
    GT_TRY(gt_file_create(&m.writer, records_path));
    for (int i = 0; i < n_logs; i++) {
        GT_TRY(import_log(&m, logs[i]));
    }
    GT_TRY(check_device(&m, logs[n_logs - 1]));
    GT_TRY(flush(&m, 0));
    gt_file_writer *writer = m.writer;
    m.writer = NULL;
    GT_TRY(gt_file_commit(writer));
done:
    gt_file_abort(m.writer);
    forget_cases(&m);
    gt_free(m.cases);
    gt_text_destroy(&m.key);
    gt_i_name_map_destroy(&m.devices);
    gt_free(m.last_target);
    gt_text_destroy(&m.out);
    return status;
}
