/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/file.h"

#include "src/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading ---- */

struct gt_file_reader {
    int fd;
    size_t bytes;
    char *path;
};

void gt_file_close(gt_file_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    if (reader->fd >= 0) {
        close(reader->fd);
    }
    gt_free(reader->path);
    gt_free(reader);
}

gt_status gt_file_open(gt_file_reader **reader, const char *path)
{
    gt_status status = GT_OK;
    gt_file_reader *r = NULL;
    struct stat info;
    GT_TRY(gt_calloc(&r, 1, sizeof *r));
    r->fd = open(path, O_RDONLY | O_CLOEXEC);
    GT_REQUIRE(r->fd >= 0, GT_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    GT_REQUIRE(fstat(r->fd, &info) == 0, GT_ERROR_IO, "%s: cannot stat: %s", path, strerror(errno));
    GT_REQUIRE(S_ISREG(info.st_mode), GT_ERROR_IO, "%s: not a regular file", path);
    GT_REQUIRE((uint64_t)info.st_size < PTRDIFF_MAX, GT_ERROR_IO, "%s: too large", path);
    r->bytes = (size_t)info.st_size;
    GT_TRY(gt_strdup(&r->path, path));
    *reader = r;
    r = NULL;
done:
    gt_file_close(r);
    return status;
}

size_t gt_file_bytes(const gt_file_reader *reader)
{
    return reader->bytes;
}

gt_status gt_file_read_at(const gt_file_reader *reader, void *out, size_t offset, size_t bytes)
{
    gt_status status = GT_OK;
    char *p = out;
    while (bytes > 0) {
        ssize_t got = pread(reader->fd, p, bytes, (off_t)offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        GT_REQUIRE(got >= 0, GT_ERROR_IO, "%s: cannot read: %s", reader->path, strerror(errno));
        GT_REQUIRE(got > 0, GT_ERROR_IO, "%s: became shorter while it was read", reader->path);
        p += got;
        offset += (size_t)got;
        bytes -= (size_t)got;
    }
done:
    return status;
}

gt_status gt_file_read(char **data, size_t *bytes, const char *path)
{
    gt_status status = GT_OK;
    gt_file_reader *reader = NULL;
    char *buffer = NULL;
    GT_TRY(gt_file_open(&reader, path));
    GT_TRY(gt_calloc(&buffer, reader->bytes + 1, 1));
    GT_TRY(gt_file_read_at(reader, buffer, 0, reader->bytes));
    *data = buffer;
    *bytes = reader->bytes;
    buffer = NULL;
done:
    gt_file_close(reader);
    gt_free(buffer);
    return status;
}

gt_status gt_file_sha256_hex(char out[65], const gt_file_reader *reader)
{
    char piece[16384];
    gt_sha256 sha;
    gt_sha256_begin(&sha);
    for (size_t at = 0; at < reader->bytes;) {
        size_t bytes = reader->bytes - at < sizeof piece ? reader->bytes - at : sizeof piece;
        gt_status status = gt_file_read_at(reader, piece, at, bytes);
        if (status != GT_OK) {
            return status;
        }
        gt_sha256_add(&sha, piece, bytes);
        at += bytes;
    }
    gt_sha256_end(&sha, out);
    return GT_OK;
}

/* ---- writing ---- */

struct gt_file_writer {
    int fd;
    bool in_place; /* a pipe or device: no temporary file */
    char *path;
    gt_text temporary;
};

static void destroy_writer(gt_file_writer *writer, bool remove_file)
{
    if (writer == NULL) {
        return;
    }
    if (writer->fd >= 0) {
        close(writer->fd);
    }
    if (remove_file && !writer->in_place && writer->temporary.data != NULL) {
        unlink(writer->temporary.data);
    }
    gt_text_destroy(&writer->temporary);
    gt_free(writer->path);
    gt_free(writer);
}

gt_status gt_file_create(gt_file_writer **writer, const char *path)
{
    gt_status status = GT_OK;
    gt_file_writer *w = NULL;
    struct stat info;
    GT_TRY(gt_calloc(&w, 1, sizeof *w));
    w->fd = -1;
    GT_TRY(gt_strdup(&w->path, path));
    bool exists = stat(path, &info) == 0;
    GT_REQUIRE(!exists || !S_ISDIR(info.st_mode), GT_ERROR_IO, "%s: cannot write: is a directory", path);
    if (strcmp(path, "-") == 0) {
        w->in_place = true;
        w->fd = dup(STDOUT_FILENO);
    } else if (exists && !S_ISREG(info.st_mode)) {
        w->in_place = true;
        w->fd = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        GT_TRY(gt_text_append(&w->temporary, "%s.tmp.%ld", path, (long)getpid()));
        w->fd = open(w->temporary.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    GT_REQUIRE(w->fd >= 0, GT_ERROR_IO, "%s: cannot write: %s", path, strerror(errno));
    *writer = w;
    w = NULL;
done:
    destroy_writer(w, false);
    return status;
}

gt_status gt_file_write(gt_file_writer *writer, const void *data, size_t bytes)
{
    const char *p = data;
    while (bytes > 0) {
        ssize_t put = write(writer->fd, p, bytes);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return gt_fail(GT_ERROR_IO, "%s: cannot write: %s", writer->path, strerror(errno));
        }
        p += put;
        bytes -= (size_t)put;
    }
    return GT_OK;
}

gt_status gt_file_commit(gt_file_writer *writer)
{
    gt_status status = GT_OK;
    bool renamed = false;
    if (!writer->in_place) {
        GT_REQUIRE(fsync(writer->fd) == 0, GT_ERROR_IO, "%s: cannot sync: %s", writer->path,
                   strerror(errno));
        GT_REQUIRE(rename(writer->temporary.data, writer->path) == 0, GT_ERROR_IO,
                   "%s: cannot rename the finished file into place: %s", writer->path,
                   strerror(errno));
        renamed = true;
    }
done:
    destroy_writer(writer, !renamed);
    return status;
}

void gt_file_abort(gt_file_writer *writer)
{
    destroy_writer(writer, true);
}

gt_status gt_file_replace(const char *path, const void *data, size_t bytes)
{
    gt_file_writer *writer = NULL;
    gt_status status = gt_file_create(&writer, path);
    if (status != GT_OK) {
        return status;
    }
    status = gt_file_write(writer, data, bytes);
    if (status != GT_OK) {
        gt_file_abort(writer);
        return status;
    }
    return gt_file_commit(writer);
}
