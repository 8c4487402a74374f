/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz targets share. A target is one C file with a LLVMFuzzerTestOneInput: it gives the bytes to one reader
 * as a file, and ends the process where the reader does what no file may make it do. It links with libFuzzer, and with
 * replay_main.c, which plays back files that are there. */
#ifndef GT_TESTS_FUZZ_FUZZ_H
#define GT_TESTS_FUZZ_FUZZ_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* The entry point that libFuzzer calls. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process with a message when `condition` is false. */
#define FZ_REQUIRE(condition, ...) ((condition) ? (void)0 : fz_fail(__FILE__, __LINE__, __VA_ARGS__))
_Noreturn void fz_fail(const char *file, int line, const char *format, ...) GT_PRINTF(3, 4);

/* The path of a file in the process's own folder, which goes away at its end; valid until the process ends. At most 8
 * different names. */
const char *fz_path(const char *name);

/* Writes the file fz_path(name) and returns its path. */
const char *fz_write(const char *name, const void *data, size_t bytes);

/* Whether both files have the same bytes. */
int fz_same_bytes(const char *a, const char *b);

/* Around everything that a target does: nothing that was allocated in between may be left. */
void fz_begin(void);
void fz_end(void);

/* What holds for every refusal: it is neither a lack of memory (files are small, so must be what they ask for) nor a
 * fault of graphtune's own; the message names `path`, is valid UTF-8 and has no control character but newline. Nothing
 * for GT_OK. Returns `status`. */
gt_status fz_check(gt_status status, const char *path);

/* Beyond that the message says where: it holds one of the `count` texts. */
void fz_check_place(gt_status status, const char *const *texts, size_t count);

#endif
