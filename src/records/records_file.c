/* SPDX-License-Identifier: Apache-2.0 */
/* Records files: reading, appending, writing a whole set. */
#include "src/records/records_internal.h"

#include "src/base/clock.h"
#include "src/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

/* How long an opener waits for the lock: a killed tune's measuring child may hold it a moment longer. */
#define LOCK_WAIT_NS 1000000000

struct gt_records_writer {
    int fd;
    char *path;
    char *fingerprint; /* the line still to be written before the first record, with its newline, or NULL */
};

/* ---- reading ---- */

/* Adds what one line holds. */
static gt_status read_line(gt_records *records, gt_records_report *report, const char *text, size_t bytes,
                           const char *path)
{
    gt_status status = GT_OK;
    gt_json *root = NULL;
    gt_record record = {0};
    gt_text json = {0};
    char hash[17] = "";
    GT_TRY(gt_json_parse(&root, text, bytes, path, report->lines));
    GT_TRY(gt_i_record_read(&record, hash, root));
    if (record.kind == GT_RECORD_KIND_COUNT) {
        GT_TRY(gt_text_append_bytes(&json, text, bytes));
        GT_TRY(gt_records_add_device(records, json.data));
    } else {
        GT_TRY(gt_records_add(records, &record));
        report->read++;
        report->old_rev += !gt_record_is_current(&record);
    }
done:
    gt_text_destroy(&json);
    gt_record_clear(&record);
    gt_json_destroy(root);
    return status;
}

/* Whether a last line without a newline is what a killed writer leaves: not a whole JSON value. */
static bool is_torn(const char *text, size_t bytes)
{
    gt_json *root = NULL;
    gt_status status = gt_json_parse(&root, text, bytes, NULL, 0);
    gt_json_destroy(root);
    return status == GT_ERROR_FORMAT || status == GT_ERROR_LIMIT;
}

gt_status gt_records_read(gt_records *records, const char *path, gt_records_report *report)
{
    gt_status status = GT_OK;
    char *data = NULL;
    size_t bytes = 0;
    gt_records_report seen = {0};
    GT_TRY(gt_file_read(&data, &bytes, path));
    for (size_t at = 0; at < bytes;) {
        const char *newline = memchr(data + at, '\n', bytes - at);
        size_t length = newline != NULL ? (size_t)(newline - data) - at : bytes - at;
        if (newline == NULL && is_torn(data + at, length)) {
            seen.torn++;
            break;
        }
        seen.lines++;
        GT_TRY(read_line(records, &seen, data + at, length, path));
        at += length + 1;
    }
    if (report != NULL) {
        *report = seen;
    }
done:
    gt_free(data);
    return status;
}

/* ---- the lock ---- */

/* The pid that holds a flock on this file according to /proc/locks, or 0. */
static long lock_holder(int fd)
{
    struct stat info;
    char line[256];
    long holder = 0;
    FILE *locks = fopen("/proc/locks", "re");
    if (locks == NULL || fstat(fd, &info) != 0) {
        if (locks != NULL) {
            fclose(locks);
        }
        return 0;
    }
    while (holder == 0 && fgets(line, sizeof line, locks) != NULL) {
        long pid = 0;
        unsigned device_major = 0, device_minor = 0;
        unsigned long long inode = 0;
        if (sscanf(line, "%*s FLOCK %*s %*s %ld %x:%x:%llu", &pid, &device_major, &device_minor, &inode) ==
                4 &&
            inode == info.st_ino && device_major == major(info.st_dev) &&
            device_minor == minor(info.st_dev)) {
            holder = pid;
        }
    }
    fclose(locks);
    return holder;
}

static gt_status lock(int fd, const char *path)
{
    int64_t deadline = gt_now_ns() + LOCK_WAIT_NS;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return gt_fail(GT_ERROR_IO, "%s: cannot lock: %s", path, strerror(errno));
        }
        if (gt_now_ns() > deadline) {
            long holder = lock_holder(fd);
            if (holder > 0) {
                return gt_fail(GT_ERROR_IO,
                               "%s: process %ld is writing to it; wait for it or use another file", path,
                               holder);
            }
            return gt_fail(GT_ERROR_IO,
                           "%s: another process is writing to it; wait for it or use another file", path);
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    return GT_OK;
}

/* ---- appending ---- */

/* Writes all bytes with one write(); a partial one (the disk is full) is taken back. */
static gt_status write_line(const gt_records_writer *writer, const char *data, size_t bytes)
{
    struct stat info;
    if (fstat(writer->fd, &info) != 0) {
        return gt_fail(GT_ERROR_IO, "%s: cannot stat: %s", writer->path, strerror(errno));
    }
    ssize_t put = 0;
    do {
        put = write(writer->fd, data, bytes);
    } while (put < 0 && errno == EINTR);
    if (put == (ssize_t)bytes) {
        return GT_OK;
    }
    const char *why = put < 0 ? strerror(errno) : "no space is left";
    if (put > 0 && ftruncate(writer->fd, info.st_size) != 0) {
        why = "no space is left, and a torn line stays behind";
    }
    return gt_fail(GT_ERROR_IO, "%s: cannot append: %s", writer->path, why);
}

/* Refuses to append to (and cut something off) a file that is not ours: its first line must be one of this
 * format, or the beginning of one. */
static gt_status check_first_line(const char *data, size_t bytes, const char *path)
{
    static const char begin[] = "{\"v\":";
    gt_status status = GT_OK;
    gt_record record = {0};
    gt_json *root = NULL;
    char hash[17];
    const char *newline = memchr(data, '\n', bytes);
    size_t compared = bytes < sizeof begin - 1 ? bytes : sizeof begin - 1;
    if (newline == NULL) {
        return memcmp(data, begin, compared) == 0
                   ? GT_OK : gt_fail(GT_ERROR_FORMAT, "%s: not a records file; choose another name", path);
    }
    GT_TRY(gt_json_parse(&root, data, (size_t)(newline - data), path, 1));
    GT_TRY(gt_i_record_read(&record, hash, root));
done:
    gt_record_clear(&record);
    gt_json_destroy(root);
    return status == GT_ERROR_FORMAT ? gt_fail_in(status, "not a records file") : status;
}

/* Cuts off a torn last line, or completes one that only lacks its newline. *last_device becomes the hash
 * of the last fingerprint in the file, or stays empty. */
static gt_status mend(const gt_records_writer *writer, char last_device[17])
{
    gt_status status = GT_OK;
    char *data = NULL;
    size_t bytes = 0;
    gt_record record = {0};
    gt_json *root = NULL;
    GT_TRY(gt_file_read(&data, &bytes, writer->path));
    GT_TRY(check_first_line(data, bytes, writer->path));
    for (size_t at = 0; at < bytes;) {
        const char *newline = memchr(data + at, '\n', bytes - at);
        size_t length = newline != NULL ? (size_t)(newline - data) - at : bytes - at;
        if (newline == NULL && is_torn(data + at, length)) {
            GT_REQUIRE(ftruncate(writer->fd, (off_t)at) == 0, GT_ERROR_IO,
                       "%s: cannot cut off a torn line: %s", writer->path, strerror(errno));
            break;
        }
        if (newline == NULL) {
            GT_TRY(write_line(writer, "\n", 1));
        }
        /* Whether the other lines are well-formed is gt_records_read's concern. */
        if (strncmp(data + at, "{\"v\":1,\"kind\":\"device\"", 22) == 0) {
            GT_TRY(gt_json_parse(&root, data + at, length, writer->path, 0));
            GT_TRY(gt_i_record_read(&record, last_device, root));
            gt_json_destroy(root);
            root = NULL;
        }
        at += length + 1;
    }
done:
    gt_json_destroy(root);
    gt_free(data);
    return status;
}

static void destroy_writer(gt_records_writer *writer)
{
    if (writer != NULL) {
        if (writer->fd >= 0) {
            close(writer->fd);
        }
        gt_free(writer->fingerprint);
        gt_free(writer->path);
        gt_free(writer);
    }
}

/* Decides whether the fingerprint has to be written, and writes it at once into an empty file. */
static gt_status prepare_fingerprint(gt_records_writer *w, const char *fingerprint_json,
                                     const char *last_device)
{
    gt_status status = GT_OK;
    gt_records *check = NULL;
    gt_text line = {0};
    struct stat info;
    GT_TRY(gt_records_create(&check));
    GT_TRY(gt_records_add_device(check, fingerprint_json));
    GT_TRY(gt_text_append(&line, "%s\n", check->devices[0].json));
    GT_REQUIRE(fstat(w->fd, &info) == 0, GT_ERROR_IO, "%s: cannot stat: %s", w->path, strerror(errno));
    if (info.st_size == 0) {
        GT_TRY(write_line(w, line.data, line.length));
    } else if (strcmp(check->devices[0].hash, last_device) != 0) {
        w->fingerprint = line.data;
        line = (gt_text){0};
    }
done:
    gt_text_destroy(&line);
    gt_records_destroy(check);
    return status;
}

gt_status gt_records_open(gt_records_writer **writer, const char *path, const char *fingerprint_json)
{
    gt_status status = GT_OK;
    gt_records_writer *w = NULL;
    struct stat info;
    char last_device[17] = "";
    GT_TRY(gt_calloc(&w, 1, sizeof *w));
    w->fd = -1;
    GT_TRY(gt_strdup(&w->path, path));
    w->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    GT_REQUIRE(w->fd >= 0 && fstat(w->fd, &info) == 0, GT_ERROR_IO, "%s: cannot open for appending: %s", path,
               strerror(errno));
    GT_REQUIRE(S_ISREG(info.st_mode), GT_ERROR_IO, "%s: not a regular file", path);
    GT_TRY(lock(w->fd, path));
    GT_TRY(mend(w, last_device));
    GT_TRY(prepare_fingerprint(w, fingerprint_json, last_device));
    *writer = w;
    w = NULL;
done:
    destroy_writer(w);
    return status;
}

gt_status gt_records_append(gt_records_writer *writer, const gt_record *record)
{
    gt_status status = GT_OK;
    gt_text line = {0};
    GT_TRY(gt_record_format(&line, record));
    if (writer->fingerprint != NULL) {
        GT_TRY(write_line(writer, writer->fingerprint, strlen(writer->fingerprint)));
        gt_free(writer->fingerprint);
        writer->fingerprint = NULL;
    }
    GT_TRY(write_line(writer, line.data, line.length));
done:
    gt_text_destroy(&line);
    return status;
}

gt_status gt_records_close(gt_records_writer *writer)
{
    gt_status status = GT_OK;
    if (writer != NULL) {
        if (fsync(writer->fd) != 0) {
            status = gt_fail(GT_ERROR_IO, "%s: cannot sync: %s", writer->path, strerror(errno));
        }
        destroy_writer(writer);
    }
    return status;
}

/* ---- whole sets ---- */

gt_status gt_records_write(const gt_records *records, const char *path)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    for (int64_t i = 0; i < records->n_devices; i++) {
        GT_TRY(gt_text_append(&text, "%s\n", records->devices[i].json));
    }
    for (int64_t i = 0; i < records->count; i++) {
        GT_TRY(gt_record_format(&text, records->items[i]));
    }
    GT_TRY(gt_file_replace(path, text.data != NULL ? text.data : "", text.length));
done:
    gt_text_destroy(&text);
    return status;
}
