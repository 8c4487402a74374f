/* SPDX-License-Identifier: Apache-2.0 */
/* Whole-file reading, atomic writing, SHA-256. Every message names the path. */
#ifndef GT_BASE_FILE_H
#define GT_BASE_FILE_H

#include "src/base/memory.h"

/* Reads a regular file into *data (NUL-terminated beyond *bytes). Free with gt_free.
 * Errors: GT_ERROR_IO (missing, a directory, unreadable, changed while read), GT_ERROR_MEMORY. */
gt_status gt_file_read(char **data, size_t *bytes, const char *path) GT_NODISCARD;

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

/* Lower-case hexadecimal SHA-256 (FIPS 180-4) of a byte range, NUL-terminated. */
void gt_sha256_hex(char out[65], const void *data, size_t bytes);

#endif
