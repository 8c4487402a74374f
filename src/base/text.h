/* SPDX-License-Identifier: Apache-2.0 */
/* Growing strings and strict number parsing. */
#ifndef GT_BASE_TEXT_H
#define GT_BASE_TEXT_H

#include "src/base/memory.h"

/* A growing NUL-terminated string. Zero-initialise; destroy with gt_text_destroy. `data` is NULL until
 * something is appended. */
typedef struct gt_text {
    char *data;
    size_t length; /* bytes, without the NUL */
    size_t capacity;
} gt_text;

/* The text is unchanged on failure. Errors: GT_ERROR_MEMORY. */
gt_status gt_text_append(gt_text *text, const char *format, ...) GT_PRINTF(2, 3) GT_NODISCARD;
gt_status gt_text_append_bytes(gt_text *text, const char *bytes, size_t count) GT_NODISCARD;

/* The same as "%s" and "%lld", several times as fast. */
gt_status gt_text_append_string(gt_text *text, const char *string) GT_NODISCARD;
gt_status gt_text_append_i64(gt_text *text, int64_t value) GT_NODISCARD;
void gt_text_destroy(gt_text *text);

/* The whole of `text` as a decimal number; false if anything else is there or it does not fit. */
bool gt_parse_i64(int64_t *out, const char *text);
bool gt_parse_f64(double *out, const char *text);

/* The Levenshtein distance of two words: how many bytes to insert, remove or change; words longer than 255 bytes are that
 * far from everything. O(|a| |b|). */
int gt_text_distance(const char *a, const char *b);

/* "1.23 ms", "45.6 µs", "2.10 s": a duration in ns with three significant digits, into `buffer`. */
const char *gt_format_ns(char *buffer, size_t bytes, double ns);

/* "1.5 KiB", "20.3 MiB": a size, into `buffer`. */
const char *gt_format_bytes(char *buffer, size_t bytes, double size_bytes);

#endif
