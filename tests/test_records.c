/* SPDX-License-Identifier: Apache-2.0 */
/* Record lines, sets of records and their files. */
#include "src/base/file.h"
#include "src/base/rng.h"
#include "src/records/json.h"
#include "src/records/records.h"
#include "tests/runner.h"

#include <check.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define DEVICE "0123456789abcdef"
#define OTHER "fedcba9876543210"
#define FINGERPRINT "{\"v\":1,\"kind\":\"device\",\"hash\":\"" DEVICE "\",\"arch\":\"x86_64\"}"
#define OTHER_FINGERPRINT "{\"v\":1,\"kind\":\"device\",\"hash\":\"" OTHER "\"}"

static char folder[128];
static char path[160];
static gt_rng rng;

static void must(gt_status status)
{
    if (status != GT_OK) {
        ck_abort_msg("%s: %s", gt_status_name(status), gt_error_message());
    }
}

static void write_file(const char *text, size_t bytes)
{
    must(gt_file_replace(path, text, bytes));
}

static char *read_file(void)
{
    char *data = NULL;
    size_t bytes = 0;
    must(gt_file_read(&data, &bytes, path));
    return data;
}

/* ---- records ---- */

#define FUTURE_REV 1000 /* no template has got that far */

static gt_record sample(const char *config, double ns)
{
    gt_record r = {.kind = GT_RECORD_OP, .device = DEVICE, .threads = 1, .workload = "w(1)", .in = GT_NCHW,
                   .out = GT_NCHW8C, .template_name = "conv2d.direct", .rev = FUTURE_REV, .config = (char *)config,
                   .timing = {ns, ns - 1, ns - 0.5, ns + 1.25, 40}};
    return r;
}

static void assert_equal(const gt_record *a, const gt_record *b)
{
    ck_assert_int_eq(a->kind, b->kind);
    ck_assert_str_eq(a->device, b->device);
    ck_assert_int_eq(a->threads, b->threads);
    ck_assert_str_eq(a->workload, b->workload);
    ck_assert_int_eq(a->in, b->in);
    ck_assert_int_eq(a->out, b->out);
    ck_assert_str_eq(a->template_name, b->template_name);
    ck_assert_int_eq(a->rev, b->rev);
    ck_assert_str_eq(a->config, b->config);
    ck_assert_int_eq(a->status, b->status);
    ck_assert_double_eq_tol(a->timing.median_ns, b->timing.median_ns, 0.06);
    ck_assert_double_eq_tol(a->timing.min_ns, b->timing.min_ns, 0.06);
    ck_assert_double_eq_tol(a->timing.lo_ns, b->timing.lo_ns, 0.06);
    ck_assert_double_eq_tol(a->timing.hi_ns, b->timing.hi_ns, 0.06);
    ck_assert_int_eq(a->timing.runs, b->timing.runs);
    ck_assert_int_eq(a->source, b->source);
    ck_assert_int_eq(a->mhz, b->mhz);
    ck_assert_double_eq_tol(a->celsius, b->celsius, 0.06);
    ck_assert_int_eq(a->throttled, b->throttled);
    ck_assert(a->note == NULL ? b->note == NULL : strcmp(a->note, b->note) == 0);
}

START_TEST(test_record_line)
{
    for (int status = 0; status < GT_RECORD_STATUS_COUNT; status++) {
        gt_record r = sample("a=1,b=2", 1234.56), back = {0};
        gt_text line = {0};
        r.status = (gt_record_status)status;
        r.source = (gt_source)(status % GT_SOURCE_COUNT);
        r.note = status > 0 ? "signal 11 \"quoted\"" : NULL;
        if (r.status != GT_RECORD_OK) {
            r.timing = (gt_timing){0};
        }
        if (status % 2 == 0) {
            r.mhz = 1800;
            r.celsius = -12.34;
            r.throttled = status > 0;
        }
        must(gt_record_format(&line, &r));
        ck_assert_int_eq(line.data[line.length - 1], '\n');
        ck_assert_ptr_eq(strchr(line.data, '\n'), line.data + line.length - 1);
        must(gt_record_parse(&back, line.data, line.length, "x", 1));
        assert_equal(&r, &back);
        gt_record_clear(&back);
        gt_text_destroy(&line);
    }
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

#define LINE(v, kind, device, threads, workload, in, out, rest) \
    "{\"v\":" v ",\"kind\":" kind ",\"device\":" device ",\"threads\":" threads ",\"workload\":" workload \
    ",\"in\":" in ",\"out\":" out "," rest "}"
#define D "\"" DEVICE "\""
#define REST "\"template\":\"t\",\"rev\":1,\"config\":\"\",\"status\":\"ok\","
#define NS "\"ns\":{\"median\":5,\"min\":4,\"lo\":5,\"hi\":6,\"runs\":9},\"source\":\"measured\""

static const struct {
    const char *line, *message;
} bad_records[] = {
    {LINE("2", "\"op\"", D, "1", "\"w\"", "\"NCHW\"", "\"NCHW\"", REST NS),
     "f:3: v is 2: this graphtune reads"},
    {LINE("\"1\"", "\"op\"", D, "1", "\"w\"", "\"NCHW\"", "\"NCHW\"", REST NS),
     "f:3: v is \"1\": must be a whole"},
    {LINE("1", "\"Op\"", D, "1", "\"w\"", "\"NCHW\"", "\"NCHW\"", REST NS),
     "f:3: kind is \"Op\": must be one of \"op\""},
    {LINE("1", "\"op\"", "\"12\"", "1", "\"w\"", "\"NCHW\"", "\"NCHW\"", REST NS),
     "f:3: device is \"12\": must be 16"},
    {LINE("1", "\"op\"", D, "0", "\"w\"", "\"NCHW\"", "\"NCHW\"", REST NS),
     "f:3: threads is 0: must be a whole number"},
    {LINE("1", "\"op\"", D, "1.5", "\"w\"", "\"NCHW\"", "\"NCHW\"", REST NS),
     "f:3: threads is 1.5: must be a whole"},
    {LINE("1", "\"op\"", D, "1", "\"\"", "\"NCHW\"", "\"NCHW\"", REST NS),
     "f:3: workload is \"\": must not be empty"},
    {LINE("1", "\"op\"", D, "1", "\"w\"", "\"nchw\"", "\"NCHW\"", REST NS),
     "f:3: in is \"nchw\": must be one of \"NCHW\""},
    {LINE("1", "\"op\"", D, "1", "\"w\"", "\"NCHW\"", "7", REST NS), "f:3: out is 7: must be one of"},
    {LINE("1", "\"op\"", D, "1", "\"w\"", "\"NCHW\"", "\"NCHW\"", "\"rev\":1," NS),
     "f:3: the line is an object: the key \"template\" is missing"},
    {LINE("1", "\"op\"", D, "1", "\"w\"", "\"NCHW\"", "\"NCHW\"",
          "\"template\":\"t\",\"rev\":-1,\"config\":\"\",\"status\":\"ok\"," NS),
     "f:3: rev is -1: must be a whole number"},
    {LINE("1", "\"op\"", D, "1", "\"w\"", "\"NCHW\"", "\"NCHW\"",
          "\"template\":\"t\",\"rev\":1,\"config\":\"\",\"status\":\"good\"," NS),
     "f:3: status is \"good\": must be one of"},
    {LINE("1", "\"op\"", D, "1", "\"w\"", "\"NCHW\"", "\"NCHW\"", REST "\"source\":\"measured\""),
     "f:3: the line is an object: the key \"ns\" is missing"},
    {LINE("1", "\"op\"", D, "1", "\"w\"", "\"NCHW\"", "\"NCHW\"",
          REST "\"ns\":{\"median\":-5,\"min\":4,\"lo\":5,\"hi\":6,\"runs\":9},\"source\":\"measured\""),
     "f:3: ns.median is -5: must be a number from 0"},
    {LINE("1", "\"op\"", D, "1", "\"w\"", "\"NCHW\"", "\"NCHW\"",
          REST "\"ns\":{\"median\":5,\"min\":6,\"lo\":5,\"hi\":6,\"runs\":9},\"source\":\"measured\""),
     "f:3: ns.min is 6: must be a number from 0 to 5"},
    {LINE("1", "\"op\"", D, "1", "\"w\"", "\"NCHW\"", "\"NCHW\"",
          REST "\"ns\":{\"median\":5,\"min\":4,\"lo\":5,\"hi\":6,\"runs\":0.5},\"source\":\"measured\""),
     "f:3: ns.runs is 0.5: must be a whole number"},
    {LINE("1", "\"op\"", D, "1", "\"w\"", "\"NCHW\"", "\"NCHW\"",
          REST "\"ns\":{\"median\":5,\"min\":4,\"lo\":5,\"hi\":6,\"runs\":9},\"source\":\"guess\""),
     "f:3: source is \"guess\": must be one of \"measured\""},
    {LINE("1", "\"op\"", D, "1", "\"w\"", "\"NCHW\"", "\"NCHW\"", REST NS ",\"mhz\":-1"),
     "f:3: mhz is -1: must be a whole number from 0"},
    {LINE("1", "\"op\"", D, "1", "\"w\"", "\"NCHW\"", "\"NCHW\"", REST NS ",\"celsius\":\"hot\""),
     "f:3: celsius is \"hot\": must be a number"},
    {LINE("1", "\"op\"", D, "1", "\"w\"", "\"NCHW\"", "\"NCHW\"", REST NS ",\"throttled\":1"),
     "f:3: throttled is 1: must be true or false"},
    {"[1]", "f:3: the line is an array: must be an object with the key \"v\""},
    {"", "f:3:1: "},
};

START_TEST(test_record_bad_fields)
{
    gt_record record = {0};
    const char *line = bad_records[_i].line;
    gt_status status = gt_record_parse(&record, line, strlen(line), "f", 3);
    ck_assert(status == GT_ERROR_FORMAT || (_i == 0 && status == GT_ERROR_UNSUPPORTED));
    ck_assert_msg(strncmp(gt_error_message(), bad_records[_i].message, strlen(bad_records[_i].message)) == 0,
                  "message \"%s\" for %s", gt_error_message(), line);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

static bool sum_medians(void *context, const gt_record *record)
{
    *(double *)context = *(double *)context * 10 + record->timing.median_ns;
    return record->timing.median_ns != 3;
}

START_TEST(test_set)
{
    gt_records *set = NULL;
    double sum = 0;
    must(gt_records_create(&set));
    ck_assert_ptr_null(
        gt_records_find(set, GT_RECORD_OP, NULL, 1, "w(1)", GT_NCHW, GT_NCHW8C, "conv2d.direct", ""));
    for (int i = 0; i < 1000; i++) {
        char config[16], workload[16];
        snprintf(config, sizeof config, "c=%d", i % 500);
        snprintf(workload, sizeof workload, "w(%d)", i % 7);
        gt_record r = sample(config, 10 + i);
        r.workload = workload;
        must(gt_records_add(set, &r));
    }
    ck_assert_int_eq(gt_records_count(set), 1000); /* 500 and 7 have no common factor */
    const gt_record *r = gt_records_find(set, GT_RECORD_OP, DEVICE, 1, "w(3)", GT_NCHW, GT_NCHW8C,
                                         "conv2d.direct", "c=3");
    ck_assert_double_eq(r->timing.median_ns, 13);
    ck_assert_ptr_eq(
        r, gt_records_find(set, GT_RECORD_OP, NULL, 1, "w(3)", GT_NCHW, GT_NCHW8C, "conv2d.direct", "c=3"));
    ck_assert_ptr_null(
        gt_records_find(set, GT_RECORD_OP, OTHER, 1, "w(3)", GT_NCHW, GT_NCHW8C, "conv2d.direct", "c=3"));
    ck_assert_ptr_null(
        gt_records_find(set, GT_RECORD_OP, NULL, 2, "w(3)", GT_NCHW, GT_NCHW8C, "conv2d.direct", "c=3"));
    ck_assert_ptr_null(gt_records_find(set, GT_RECORD_TRANSFORM, NULL, 1, "w(3)", GT_NCHW, GT_NCHW8C,
                                       "conv2d.direct", "c=3"));
    gt_records_destroy(set);

    must(gt_records_create(&set));
    for (int i = 1; i <= 4; i++) {
        char config[16];
        snprintf(config, sizeof config, "c=%d", i);
        gt_record one = sample(config, i);
        must(gt_records_add(set, &one));
    }
    gt_record again = sample("c=2", 7);
    must(gt_records_add(set, &again)); /* replaces in its place */
    gt_records_each(set, GT_RECORD_OP, "w(1)", sum_medians, &sum);
    ck_assert_double_eq(sum, 173);
    again.rev = FUTURE_REV - 1; /* an older revision does not replace */
    again.timing.median_ns = 9;
    must(gt_records_add(set, &again));
    ck_assert_int_eq(gt_records_count(set), 4);
    ck_assert_double_eq(gt_records_at(set, 1)->timing.median_ns, 7);
    ck_assert_ptr_null(gt_records_at(set, 4));
    gt_records_destroy(set);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* ---- files ---- */

static void append(const char *config, double ns)
{
    gt_records_writer *writer = NULL;
    gt_record r = sample(config, ns);
    must(gt_records_open(&writer, path, FINGERPRINT));
    must(gt_records_append(writer, &r));
    must(gt_records_close(writer));
}

static gt_records *read_all(gt_records_report *report)
{
    gt_records *set = NULL;
    must(gt_records_create(&set));
    must(gt_records_read(set, path, report));
    return set;
}

START_TEST(test_file_round_trip)
{
    gt_records_report report;
    unlink(path);
    append("c=1", 5);
    append("c=2", 6);
    append("c=1", 7);
    gt_records *set = read_all(&report);
    ck_assert_int_eq(report.lines, 4);
    ck_assert_int_eq(report.read, 3);
    ck_assert_int_eq(report.torn, 0);
    ck_assert_int_eq(report.old_rev, 3); /* conv2d.direct has no such revision */
    ck_assert_int_eq(gt_records_count(set), 2);
    ck_assert_int_eq(gt_records_device_count(set), 1);
    ck_assert_str_eq(gt_records_device_hash(set, 0), DEVICE);
    ck_assert_str_eq(gt_records_device_json(set, 0), FINGERPRINT);
    must(gt_records_write(set, path));
    gt_records *again = read_all(&report);
    ck_assert_int_eq(report.lines, 3);
    for (int64_t i = 0; i < 2; i++) {
        assert_equal(gt_records_at(set, i), gt_records_at(again, i));
    }
    gt_records_destroy(set);
    gt_records_destroy(again);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* Cut anywhere, a file gives the records whose lines are whole, and can be appended to again. */
START_TEST(test_file_torn)
{
    unlink(path);
    append("c=1", 5);
    append("c=2", 6);
    char *whole = read_file();
    size_t bytes = strlen(whole);
    for (size_t cut = 1; cut <= bytes; cut += 1 + (size_t)gt_rng_below(&rng, 12)) {
        gt_records_report report;
        write_file(whole, cut);
        int64_t lines = 0;
        for (size_t i = 0; i < cut; i++) {
            /* A line that only lacks its newline is whole. */
            lines += whole[i] == '\n' || (i + 1 == cut && cut < bytes && whole[i + 1] == '\n');
        }
        gt_records *set = read_all(&report);
        ck_assert_int_eq(report.lines, lines);
        ck_assert_int_eq(report.torn, whole[cut - 1] != '\n' && whole[cut] != '\n');
        gt_records_destroy(set);
        append("c=3", 8);
        set = read_all(&report);
        ck_assert_int_eq(report.torn, 0);
        ck_assert_int_eq(gt_records_count(set), (lines > 1 ? lines - 1 : 0) + 1);
        ck_assert_int_eq(gt_records_device_count(set), 1);
        gt_records_destroy(set);
    }
    gt_free(whole);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_file_other_device)
{
    gt_records_writer *writer = NULL;
    unlink(path);
    append("c=1", 5);
    must(gt_records_open(&writer, path, OTHER_FINGERPRINT "\n"));
    must(gt_records_close(writer)); /* nothing appended: nothing written */
    gt_records *set = read_all(NULL);
    ck_assert_int_eq(gt_records_device_count(set), 1);
    gt_records_destroy(set);
    must(gt_records_open(&writer, path, OTHER_FINGERPRINT "\n"));
    gt_record r = sample("c=1", 3);
    strcpy(r.device, OTHER);
    must(gt_records_append(writer, &r));
    must(gt_records_append(writer, &r));
    must(gt_records_close(writer));
    set = read_all(NULL);
    ck_assert_int_eq(gt_records_device_count(set), 2);
    ck_assert_int_eq(gt_records_count(set), 2);
    ck_assert_double_eq(
        gt_records_find(set, GT_RECORD_OP, OTHER, 1, "w(1)", GT_NCHW, GT_NCHW8C, "conv2d.direct", "c=1")
            ->timing.median_ns,
        3);
    gt_records_destroy(set);
}
END_TEST

START_TEST(test_file_refused)
{
    gt_records *set = NULL;
    gt_records_writer *writer = NULL;
    must(gt_records_create(&set));
    unlink(path);
    ck_assert_int_eq(gt_records_read(set, path, NULL), GT_ERROR_IO);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), path));
    ck_assert_int_eq(gt_records_read(set, folder, NULL), GT_ERROR_IO);
    ck_assert_int_eq(gt_records_open(&writer, folder, FINGERPRINT), GT_ERROR_IO);
    ck_assert_int_eq(gt_records_open(&writer, "/nonexistent/x", FINGERPRINT), GT_ERROR_IO);
    const char other[] = "{\"v\":7,\"kind\":\"device\"}\n{\"v\":7}\n";
    write_file(other, sizeof other - 1);
    ck_assert_int_eq(gt_records_read(set, path, NULL), GT_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), ":1: v is 7"));
    ck_assert_int_eq(gt_records_open(&writer, path, FINGERPRINT), GT_ERROR_UNSUPPORTED);
    /* A file of another kind is not cut off or appended to. */
    const char *const foreign[] = {"# notes\nwithout end", "model bytes",
                                   "{\"format\":\"graphtune-tasks\"}\n"};
    for (size_t i = 0; i < COUNT(foreign); i++) {
        write_file(foreign[i], strlen(foreign[i]));
        ck_assert_int_eq(gt_records_open(&writer, path, FINGERPRINT), GT_ERROR_FORMAT);
        ck_assert_ptr_nonnull(strstr(gt_error_message(), "not a records file"));
        char *now = read_file();
        ck_assert_str_eq(now, foreign[i]);
        gt_free(now);
    }
    /* A malformed line in the middle is an error, not a torn end. */
    const char middle[] = FINGERPRINT "\n{\"v\":1,\n" FINGERPRINT "\n";
    write_file(middle, sizeof middle - 1);
    ck_assert_int_eq(gt_records_read(set, path, NULL), GT_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), ":2:"));
    gt_records_destroy(set);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_file_lock)
{
    gt_records_writer *one = NULL, *two = NULL;
    char pid[32];
    unlink(path);
    must(gt_records_open(&one, path, FINGERPRINT));
    gt_records *set = read_all(NULL); /* reading does not drop the lock */
    gt_records_destroy(set);
    ck_assert_int_eq(gt_records_open(&two, path, FINGERPRINT), GT_ERROR_IO);
    snprintf(pid, sizeof pid, "process %ld", (long)getpid());
    ck_assert_msg(strstr(gt_error_message(), pid) != NULL ||
                      strstr(gt_error_message(), "another process") != NULL,
                  "%s", gt_error_message());
    must(gt_records_close(one));
    must(gt_records_open(&two, path, FINGERPRINT));
    must(gt_records_close(two));
}
END_TEST

START_TEST(test_merge_and_prune)
{
    char second[192];
    const char *paths[2] = {path, second};
    gt_records *set = NULL, *swapped = NULL;
    gt_records_report report;
    int64_t removed = 0;
    snprintf(second, sizeof second, "%s.second", path);
    unlink(path);
    append("c=9", 5);
    append("c=1", 8);
    must(gt_file_replace(second, "", 0));
    ck_assert_int_eq(rename(path, second), 0);
    append("c=1", 7);
    append("c=5", 6);
    must(gt_records_merge(&set, 2, paths, &report));
    ck_assert_int_eq(report.read, 4);
    ck_assert_int_eq(gt_records_count(set), 3);
    ck_assert_str_eq(gt_records_at(set, 0)->config, "c=1");
    ck_assert_double_eq(gt_records_at(set, 0)->timing.median_ns, 8); /* the last file wins */
    ck_assert_str_eq(gt_records_at(set, 2)->config, "c=9");
    paths[0] = second;
    paths[1] = path;
    must(gt_records_merge(&swapped, 2, paths, NULL));
    for (int64_t i = 1; i < 3; i++) {
        assert_equal(gt_records_at(set, i), gt_records_at(swapped, i));
    }
    gt_records_destroy(swapped);
    gt_record bad = sample("c=0", 1);
    bad.status = GT_RECORD_WRONG;
    bad.timing = (gt_timing){0};
    must(gt_records_add(set, &bad));
    must(gt_records_prune(set, &(gt_records_prune_options){.best = 2}, &removed));
    ck_assert_int_eq(removed, 1); /* 8 is the slowest; the failure stays */
    ck_assert_int_eq(gt_records_count(set), 3);
    ck_assert_ptr_null(
        gt_records_find(set, GT_RECORD_OP, NULL, 1, "w(1)", GT_NCHW, GT_NCHW8C, "conv2d.direct", "c=1"));
    must(gt_records_prune(set, &(gt_records_prune_options){.failures = true}, &removed));
    ck_assert_int_eq(removed, 1);
    must(gt_records_prune(set, &(gt_records_prune_options){.device = OTHER}, &removed));
    ck_assert_int_eq(removed, 2);
    ck_assert_int_eq(gt_records_device_count(set), 0);
    gt_record r = sample("c=1", 4); /* a pruned set can grow again */
    must(gt_records_add(set, &r));
    must(gt_records_prune(set, &(gt_records_prune_options){.old_revs = true}, &removed));
    ck_assert_int_eq(removed, 1);
    gt_records_destroy(set);
    unlink(second);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* Of equally fast candidates the one stays that selection would take: templates in their own order, not the alphabet's. */
START_TEST(test_prune_ties)
{
    gt_records *set = NULL;
    gt_record direct = sample("c=1", 5), winograd = sample("c=2", 5);
    winograd.template_name = "conv2d.winograd_f2";
    ck_assert(gt_template_index(gt_template_find(winograd.template_name)) < gt_template_index(gt_template_find(direct.template_name)));
    must(gt_records_create(&set));
    must(gt_records_add(set, &direct));
    must(gt_records_add(set, &winograd));
    must(gt_records_prune(set, &(gt_records_prune_options){.best = 1}, NULL));
    ck_assert_int_eq(gt_records_count(set), 1);
    ck_assert_str_eq(gt_records_at(set, 0)->template_name, "conv2d.winograd_f2");
    gt_records_destroy(set);
}
END_TEST

static gt_status read_merge_write(void)
{
    gt_status status = GT_OK;
    gt_records *set = NULL;
    gt_records_writer *writer = NULL;
    const char *paths[] = {path};
    char other[192];
    gt_record r = sample("c=4", 4);
    snprintf(other, sizeof other, "%s.other", path);
    GT_TRY(gt_records_merge(&set, 1, paths, NULL));
    GT_TRY(gt_records_prune(set, &(gt_records_prune_options){.best = 1}, NULL));
    GT_TRY(gt_records_write(set, other));
    GT_TRY(gt_records_open(&writer, other, OTHER_FINGERPRINT));
    GT_TRY(gt_records_append(writer, &r));
done:
    if (writer != NULL) {
        gt_status closed = gt_records_close(writer);
        status = status == GT_OK ? closed : status;
    }
    gt_records_destroy(set);
    unlink(other);
    return status;
}

START_TEST(test_allocation_failures)
{
    unlink(path);
    append("c=1", 5);
    append("c=2", 6);
    for (int64_t k = 0;; k++) {
        gt_i_fail_allocation(k);
        gt_status status = read_merge_write();
        gt_i_fail_allocation(-1);
        ck_assert_int_eq(gt_i_live_allocations(), 0);
        if (status == GT_OK) {
            ck_assert_int_gt(k, 30);
            return;
        }
        ck_assert_int_eq(status, GT_ERROR_MEMORY);
    }
}
END_TEST

int main(void)
{
    gt_rng_seed(&rng, gt_test_seed(1));
    gt_test_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/r.jsonl", folder);
    Suite *suite = suite_create("records");
    TCase *tests = tcase_create("records");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, test_record_line);
    tcase_add_loop_test(tests, test_record_bad_fields, 0, (int)COUNT(bad_records));
    tcase_add_test(tests, test_set);
    tcase_add_test(tests, test_file_round_trip);
    tcase_add_test(tests, test_file_torn);
    tcase_add_test(tests, test_file_other_device);
    tcase_add_test(tests, test_file_refused);
    tcase_add_test(tests, test_file_lock);
    tcase_add_test(tests, test_merge_and_prune);
    tcase_add_test(tests, test_prune_ties);
    tcase_add_test(tests, test_allocation_failures);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
