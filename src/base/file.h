/* SPDX-License-Identifier: Apache-2.0 */
/* Reading files whole or in pieces, atomic writing, SHA-256. Every message names the path. */
#ifndef GT_BASE_FILE_H
#define GT_BASE_FILE_H

#include "src/base/memory.h"

/* Reads a regular file into *data (NUL-terminated beyond *bytes). Free with gt_free.
 * Errors: GT_ERROR_IO (missing, a directory, unreadable, changed while read), GT_ERROR_MEMORY. */
gt_status gt_file_read(char **data, size_t *bytes, const char *path) GT_NODISCARD;

/* A regular file open for reading in pieces, so that what is large need not be in memory twice. */
typedef struct gt_file_reader gt_file_reader;

/* Errors: GT_ERROR_IO (missing, a directory, unreadable), GT_ERROR_MEMORY. */
gt_status gt_file_open(gt_file_reader **reader, const char *path) GT_NODISCARD;
/* NULL is allowed. */
void gt_file_close(gt_file_reader *reader);

/* The file's size when it was opened. */
size_t gt_file_bytes(const gt_file_reader *reader);

/* Reads exactly `bytes` bytes from `offset` on into `out`.
 * Errors: GT_ERROR_IO (unreadable, or the file ends before: it became shorter since it was opened). */
gt_status gt_file_read_at(const gt_file_reader *reader, void *out, size_t offset, size_t bytes) GT_NODISCARD;

/* A regular file mapped for reading, all of it brought into memory. Whoever shortens the file takes the memory away: it may
 * be replaced by renaming, not written to. */
typedef struct gt_file_map {
    const void *data; /* at the start of a page; NULL: nothing is mapped */
    size_t bytes;
} gt_file_map;

/* Errors: GT_ERROR_IO (missing, no regular file, empty, unreadable). */
gt_status gt_file_map_open(gt_file_map *map, const char *path) GT_NODISCARD;
/* A map that is all zero is allowed. */
void gt_file_map_close(gt_file_map *map);

/* A file being written beside its final name; nobody sees it until gt_file_commit. */
typedef struct gt_file_writer gt_file_writer;

/* Creates "<path>.tmp.<pid>" in the same folder. Errors: GT_ERROR_IO. */
gt_status gt_file_create(gt_file_writer **writer, const char *path) GT_NODISCARD;
gt_status gt_file_write(gt_file_writer *writer, const void *data, size_t bytes) GT_NODISCARD;

/* Flushes, fsyncs, renames over the final name and destroys the writer (also on failure, when the
 * temporary file is removed and the old file is left as it was). */
gt_status gt_file_commit(gt_file_writer *writer) GT_NODISCARD;

/* Destroys an uncommitted writer and its temporary file; NULL is allowed. */
void gt_file_abort(gt_file_writer *writer);

/* gt_file_create, one gt_file_write and gt_file_commit. "-" and existing non-regular files such as
 * /dev/stdout are written in place. */
gt_status gt_file_replace(const char *path, const void *data, size_t bytes) GT_NODISCARD;

/* SHA-256 (FIPS 180-4) in pieces: begin, add any number of times, end. */
typedef struct gt_sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64]; /* the last bytes % 64 bytes */
} gt_sha256;

void gt_sha256_begin(gt_sha256 *sha);
void gt_sha256_add(gt_sha256 *sha, const void *data, size_t bytes);
/* Lower-case hexadecimal, NUL-terminated. */
void gt_sha256_end(gt_sha256 *sha, char out[65]);

/* The three in one, of a byte range. */
void gt_sha256_hex(char out[65], const void *data, size_t bytes);

/* The same of a file, without holding it in memory. Errors: GT_ERROR_IO. */
gt_status gt_file_sha256_hex(char out[65], const gt_file_reader *reader) GT_NODISCARD;

#endif
