/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/fuzz.h"

#include "src/base/file.h"
#include "src/base/utf8.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_NAMES 8

static char folder[1024];
static char paths[MAX_NAMES][1100];
static int n_paths;
static int64_t live_before;

/* A graph that nobody has freed would be reported by LeakSanitizer at the end; the count tells which input it was. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=256";
}

void fz_fail(const char *file, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

/* ---- files ---- */

static void remove_folder(void)
{
    for (int i = 0; i < n_paths; i++) {
        unlink(paths[i]);
    }
    rmdir(folder);
}

/* libFuzzer's -close_fd_mask closes standard error: no other file must take its number and get the importers' notes. */
static void keep_stderr(void)
{
    int file = open("/dev/null", O_WRONLY);
    if (file > STDERR_FILENO) {
        close(file);
    }
}

static void make_folder(void)
{
    keep_stderr();
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/gt_fuzz_XXXXXX", tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp");
    FZ_REQUIRE(mkdtemp(folder) != NULL, "%s: cannot create the folder", folder);
    atexit(remove_folder);
}

const char *fz_path(const char *name)
{
    if (n_paths == 0) {
        make_folder();
    }
    for (int i = 0; i < n_paths; i++) {
        if (strcmp(strrchr(paths[i], '/') + 1, name) == 0) {
            return paths[i];
        }
    }
    FZ_REQUIRE(n_paths < MAX_NAMES, "too many files");
    snprintf(paths[n_paths], sizeof paths[n_paths], "%s/%s", folder, name);
    return paths[n_paths++];
}

const char *fz_write(const char *name, const void *data, size_t bytes)
{
    const char *path = fz_path(name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FZ_REQUIRE(file >= 0, "%s: cannot create", path);
    FZ_REQUIRE(bytes == 0 || write(file, data, bytes) == (ssize_t)bytes, "%s: cannot write", path);
    close(file);
    return path;
}

int fz_same_bytes(const char *a, const char *b)
{
    char *data[2] = {NULL, NULL};
    size_t bytes[2] = {0, 0};
    FZ_REQUIRE(gt_file_read(&data[0], &bytes[0], a) == GT_OK, "%s", gt_error_message());
    FZ_REQUIRE(gt_file_read(&data[1], &bytes[1], b) == GT_OK, "%s", gt_error_message());
    int same = bytes[0] == bytes[1] && memcmp(data[0], data[1], bytes[0]) == 0;
    gt_free(data[0]);
    gt_free(data[1]);
    return same;
}

/* ---- what holds for every input ---- */

void fz_begin(void)
{
    live_before = gt_i_live_allocations();
}

void fz_end(void)
{
    int64_t left = gt_i_live_allocations() - live_before;
    FZ_REQUIRE(left == 0, "%lld blocks of memory are not freed", (long long)left);
}

static void check_text(const char *text)
{
    size_t bytes = strlen(text);
    for (size_t i = 0; i < bytes;) {
        size_t n = gt_i_utf8_bytes(text + i, bytes - i);
        unsigned char c = (unsigned char)text[i];
        FZ_REQUIRE(n > 0 && (c >= 0x20 || c == '\n') && c != 0x7f, "byte %zu of the message is 0x%02x: %s", i, c, text);
        i += n;
    }
}

gt_status fz_check(gt_status status, const char *path)
{
    const char *message = gt_error_message();
    if (status == GT_OK) {
        return status;
    }
    FZ_REQUIRE(status != GT_ERROR_INTERNAL && status != GT_ERROR_MEMORY, "%s: %s", gt_status_name(status), message);
    FZ_REQUIRE(strstr(message, path) != NULL, "the message does not name the file: %s", message);
    check_text(message);
    return status;
}

void fz_check_place(gt_status status, const char *const *texts, size_t count)
{
    const char *message = gt_error_message();
    if (status == GT_OK) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (strstr(message, texts[i]) != NULL) {
            return;
        }
    }
    FZ_REQUIRE(false, "the message names no place: %s", message);
}
