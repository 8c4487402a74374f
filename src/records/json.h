/* SPDX-License-Identifier: Apache-2.0 */
/* JSON for everything that graphtune reads and writes: records, tasks, plans, `--json` output. cJSON does
 * the parsing and is known to json_cjson.c alone; static programs for boards parse without it (json_read.c).
 *
 * Reading is strict (RFC 8259): no duplicate keys, no NUL or raw control characters in strings, valid
 * UTF-8, finite numbers, at most GT_JSON_MAX_DEPTH levels. Keys are case-sensitive. Every message names
 * the file, the line where it is known, the path of the value ("ops[3].ns"), the value found and what is
 * allowed. */
#ifndef GT_RECORDS_JSON_H
#define GT_RECORDS_JSON_H

#include "src/base/text.h"
#include "src/base/utf8.h"

#define GT_JSON_MAX_DEPTH 64
#define GT_JSON_MAX_BYTES ((size_t)256 << 20)
/* The largest magnitude of an integer that survives JSON's doubles: 2^53. */
#define GT_JSON_MAX_INTEGER ((int64_t)1 << 53)

typedef enum gt_json_type {
    GT_JSON_NULL, GT_JSON_BOOL, GT_JSON_NUMBER, GT_JSON_STRING, GT_JSON_ARRAY, GT_JSON_OBJECT
} gt_json_type;

/* One value of a parsed document, borrowed from it. */
typedef struct gt_json gt_json;

/* ---- reading ---- */

/* Parses one whole document; *root is its value. `path` names it in messages (copied; NULL: "JSON").
 * `line` is the number of the line that the text stands on in a file of JSON lines, or 0 for a document of
 * its own. The text is not needed afterwards. Destroy with gt_json_destroy. Errors: GT_ERROR_FORMAT with
 * line and column, GT_ERROR_LIMIT (too large, too deep), GT_ERROR_MEMORY. O(n log n). */
gt_status gt_json_parse(gt_json **root, const char *text, size_t bytes, const char *path,
                        int64_t line) GT_NODISCARD;

/* gt_json_parse of a file's contents. Errors: those of gt_file_read as well. */
gt_status gt_json_read(gt_json **root, const char *path) GT_NODISCARD;

/* Destroys the whole document; takes its root or NULL. */
void gt_json_destroy(gt_json *root);

/* O(1). */
gt_json_type gt_json_type_of(const gt_json *node);

/* Elements of an array or members of an object, in the file's order; 0 and NULL for anything else. O(1). */
int64_t gt_json_count(const gt_json *node);
const gt_json *gt_json_at(const gt_json *node, int64_t index);

/* A member's key; NULL for array elements and the root. */
const char *gt_json_key(const gt_json *node);

/* The member with this key, or NULL (also when `node` is no object). O(members). */
const gt_json *gt_json_find(const gt_json *node, const char *key);

/* The value of a node, or of its member `key`; a missing member, another type or a value out of range is
 * GT_ERROR_FORMAT and leaves *out alone. Strings are borrowed from the document. Integers must be written
 * as whole numbers within +-2^53 (1e3 and 5.0 are whole). */
gt_status gt_json_as_string(const gt_json *node, const char **out) GT_NODISCARD;
gt_status gt_json_as_i64(const gt_json *node, int64_t *out, int64_t min, int64_t max) GT_NODISCARD;
gt_status gt_json_as_f64(const gt_json *node, double *out, double min, double max) GT_NODISCARD;
gt_status gt_json_as_bool(const gt_json *node, bool *out) GT_NODISCARD;
/* *out is the position of the string in names[0..count). */
gt_status gt_json_as_enum(const gt_json *node, int *out, const char *const *names, int count) GT_NODISCARD;

/* The same of an object's member; messages name its path in the document. */
gt_status gt_json_get_string(const gt_json *node, const char *key, const char **out) GT_NODISCARD;
gt_status gt_json_get_i64(const gt_json *node, const char *key, int64_t *out, int64_t min,
                          int64_t max) GT_NODISCARD;
gt_status gt_json_get_int(const gt_json *node, const char *key, int *out, int min, int max) GT_NODISCARD;
gt_status gt_json_get_f64(const gt_json *node, const char *key, double *out, double min,
                          double max) GT_NODISCARD;
gt_status gt_json_get_bool(const gt_json *node, const char *key, bool *out) GT_NODISCARD;
gt_status gt_json_get_enum(const gt_json *node, const char *key, int *out, const char *const *names,
                           int count) GT_NODISCARD;
gt_status gt_json_get_array(const gt_json *node, const char *key, const gt_json **out) GT_NODISCARD;
gt_status gt_json_get_object(const gt_json *node, const char *key, const gt_json **out) GT_NODISCARD;

/* Fails when an object has a member whose key is not in keys[0..count). */
gt_status gt_json_only_keys(const gt_json *node, const char *const *keys, int count) GT_NODISCARD;

/* Sets the error message "<file>:<line>: <path of the value> is <value>: <formatted text>" and returns
 * `code`. */
gt_status gt_json_fail(const gt_json *node, gt_status code, const char *format, ...)
    GT_PRINTF(3, 4) GT_NODISCARD;

/* ---- writing ---- */

/* Builds one document. The same calls give the same bytes. Keys are NULL inside arrays and at the top. The
 * first failure sticks: the calls return nothing and gt_json_writer_finish reports it. */
typedef struct gt_json_writer {
    gt_text text;
    gt_status status;
    bool pretty;
    int depth, inline_depth;          /* inline_depth: where one-line mode began, 0 if not in it */
    char closing[GT_JSON_MAX_DEPTH];  /* '}' or ']' of each open level */
    bool filled[GT_JSON_MAX_DEPTH + 1]; /* whether a level has a value yet */
} gt_json_writer;

/* Zero-initialised is ready too: one line. `pretty`: one value a line, two spaces a level, and a newline
 * at the end. */
void gt_json_writer_init(gt_json_writer *writer, bool pretty);

void gt_json_begin_object(gt_json_writer *writer, const char *key);
void gt_json_begin_array(gt_json_writer *writer, const char *key);
/* As gt_json_begin_object, but everything inside stands on one line even in a pretty document. */
void gt_json_begin_inline_object(gt_json_writer *writer, const char *key);
void gt_json_begin_inline_array(gt_json_writer *writer, const char *key);
/* Closes the innermost object or array. */
void gt_json_end(gt_json_writer *writer);

/* A NULL string is written as null. Invalid UTF-8 is GT_ERROR_FORMAT. */
void gt_json_put_string(gt_json_writer *writer, const char *key, const char *value);
/* Integers beyond +-2^53 are GT_ERROR_LIMIT: they would not read back. */
void gt_json_put_i64(gt_json_writer *writer, const char *key, int64_t value);
/* The fewest digits that read back equal; whole numbers without a point. NaN and infinities are
 * GT_ERROR_ARGUMENT: JSON has none. */
void gt_json_put_f64(gt_json_writer *writer, const char *key, double value);
/* A decimal number in digits, such as "-12.50", which a double might not hold; what is none is GT_ERROR_ARGUMENT. */
void gt_json_put_digits(gt_json_writer *writer, const char *key, const char *digits);
void gt_json_put_bool(gt_json_writer *writer, const char *key, bool value);
void gt_json_put_null(gt_json_writer *writer, const char *key);

/* Moves the text to *out (destroy it with gt_text_destroy) when every level is closed and nothing failed, and
 * destroys the writer in any case. */
gt_status gt_json_writer_finish(gt_json_writer *writer, gt_text *out) GT_NODISCARD;
/* As above, and replaces a file with it atomically. */
gt_status gt_json_writer_save(gt_json_writer *writer, const char *path) GT_NODISCARD;

/* As gt_json_writer_finish, to standard output. */
gt_status gt_json_writer_print(gt_json_writer *writer) GT_NODISCARD;
/* Gives up on an unfinished document. */
void gt_json_writer_destroy(gt_json_writer *writer);

/* Appends a string as JSON writes it, quotes included, or a number as gt_json_put_f64 writes it. */
gt_status gt_json_quote(gt_text *text, const char *value) GT_NODISCARD;
gt_status gt_json_number(gt_text *text, double value) GT_NODISCARD;

/* ---- for json.c ---- */

/* Checks a document's tokens: depth, UTF-8, control characters, escapes, numbers. Errors as for
 * gt_json_parse. */
gt_status gt_i_json_scan(const char *text, size_t bytes, const char *path, int64_t line) GT_NODISCARD;
/* Fails with "<path>:<line>:<column>: …" for an offset into the text; line 0: counted from the text. */
gt_status gt_i_json_fail_at(gt_status code, const char *text, size_t offset, const char *path, int64_t line,
                            const char *what) GT_NODISCARD;

#endif
