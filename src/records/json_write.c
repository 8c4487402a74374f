/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/file.h"
#include "src/records/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many bytes stand for themselves in a JSON string, up to one that needs an escape or is not valid UTF-8. */
static size_t plain_bytes(const char *value, size_t bytes)
{
    size_t i = 0;
    while (i < bytes) {
        unsigned char c = (unsigned char)value[i];
        size_t n = c < 0x20 || c == '"' || c == '\\' ? 0 : c < 0x80 ? 1 : gt_i_utf8_bytes(value + i, bytes - i);
        if (n == 0) {
            break;
        }
        i += n;
    }
    return i;
}

gt_status gt_json_quote(gt_text *text, const char *value)
{
    static const char escapes[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    gt_status status = GT_OK;
    size_t bytes = strlen(value);
    GT_TRY(gt_text_append_bytes(text, "\"", 1));
    for (size_t i = 0; i < bytes;) {
        size_t plain = plain_bytes(value + i, bytes - i);
        GT_TRY(gt_text_append_bytes(text, value + i, plain));
        i += plain;
        if (i == bytes) {
            break;
        }
        GT_REQUIRE((unsigned char)value[i] < 0x80, GT_ERROR_FORMAT,
                   "cannot write text as JSON: byte %zu is not valid UTF-8", i);
        const char *escape = strchr(escapes, value[i]);
        if (escape != NULL && (escape - escapes) % 2 == 0) {
            char pair[2] = {'\\', escape[1]};
            GT_TRY(gt_text_append_bytes(text, pair, sizeof pair));
        } else {
            GT_TRY(gt_text_append(text, "\\u%04x", (unsigned)value[i]));
        }
        i++;
    }
    GT_TRY(gt_text_append_bytes(text, "\"", 1));
done:
    return status;
}

gt_status gt_json_number(gt_text *text, double value)
{
    char buffer[40];
    if (!isfinite(value)) {
        return gt_fail(GT_ERROR_ARGUMENT, "cannot write %f as JSON: numbers must be finite", value);
    }
    if (value == 0) {
        return gt_text_append(text, "0");
    }
    if (value == floor(value) && fabs(value) <= (double)GT_JSON_MAX_INTEGER) {
        return gt_text_append(text, "%lld", (long long)value);
    }
    /* A multiple of a tenth, as the times of records are, needs no search: no shorter text reads back equal. */
    snprintf(buffer, sizeof buffer, "%.1f", fabs(value) < 1e15 ? value : 0);
    for (int digits = strtod(buffer, NULL) == value ? 18 : 1; digits <= 17; digits++) {
        snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) {
            break;
        }
    }
    return gt_text_append(text, "%s", buffer);
}

void gt_json_writer_init(gt_json_writer *writer, bool pretty)
{
    *writer = (gt_json_writer){.pretty = pretty};
}

static void newline(gt_json_writer *w)
{
    if (w->pretty && w->inline_depth == 0) {
        w->status = gt_text_append(&w->text, "\n%*s", 2 * w->depth, "");
    }
}

/* Comma, line break and key in front of a value. */
static bool begin_value(gt_json_writer *w, const char *key)
{
    if (w->status != GT_OK) {
        return false;
    }
    bool in_object = w->depth > 0 && w->closing[w->depth - 1] == '}';
    if (in_object != (key != NULL) || (w->depth == 0 && w->filled[0])) {
        w->status = gt_fail(GT_ERROR_INTERNAL, "JSON writer: %s", in_object ? "a member needs a key"
                            : key != NULL ? "only members have keys" : "a document has one value");
        return false;
    }
    if (w->filled[w->depth]) {
        bool spaced = w->pretty && w->inline_depth > 0;
        w->status = gt_text_append_bytes(&w->text, ", ", spaced ? 2 : 1);
    }
    w->filled[w->depth] = true;
    if (w->status == GT_OK && w->depth > 0) {
        newline(w);
    }
    if (w->status == GT_OK && key != NULL) {
        w->status = gt_json_quote(&w->text, key);
    }
    if (w->status == GT_OK && key != NULL) {
        w->status = gt_text_append_bytes(&w->text, ": ", w->pretty ? 2 : 1);
    }
    return w->status == GT_OK;
}

static void open_level(gt_json_writer *w, const char *key, char closing, bool on_one_line)
{
    if (!begin_value(w, key)) {
        return;
    }
    if (w->depth == GT_JSON_MAX_DEPTH) {
        w->status = gt_fail(GT_ERROR_LIMIT, "JSON writer: deeper than %d levels", GT_JSON_MAX_DEPTH);
        return;
    }
    w->status = gt_text_append(&w->text, closing == '}' ? "{" : "[");
    w->closing[w->depth++] = closing;
    w->filled[w->depth] = false;
    if (on_one_line && w->inline_depth == 0) {
        w->inline_depth = w->depth;
    }
}

void gt_json_begin_object(gt_json_writer *writer, const char *key)
{
    open_level(writer, key, '}', false);
}

void gt_json_begin_array(gt_json_writer *writer, const char *key)
{
    open_level(writer, key, ']', false);
}

void gt_json_begin_inline_object(gt_json_writer *writer, const char *key)
{
    open_level(writer, key, '}', true);
}

void gt_json_begin_inline_array(gt_json_writer *writer, const char *key)
{
    open_level(writer, key, ']', true);
}

void gt_json_end(gt_json_writer *w)
{
    if (w->status != GT_OK) {
        return;
    }
    if (w->depth == 0) {
        w->status = gt_fail(GT_ERROR_INTERNAL, "JSON writer: nothing is open");
        return;
    }
    bool had_values = w->filled[w->depth];
    w->depth--;
    if (had_values) {
        newline(w);
    }
    if (w->status == GT_OK) {
        w->status = gt_text_append(&w->text, "%c", w->closing[w->depth]);
    }
    if (w->inline_depth > w->depth) {
        w->inline_depth = 0;
    }
}

void gt_json_put_string(gt_json_writer *w, const char *key, const char *value)
{
    if (value == NULL) {
        gt_json_put_null(w, key);
    } else if (begin_value(w, key)) {
        w->status = gt_json_quote(&w->text, value);
    }
}

void gt_json_put_i64(gt_json_writer *w, const char *key, int64_t value)
{
    if (!begin_value(w, key)) {
        return;
    }
    if (value > GT_JSON_MAX_INTEGER || value < -GT_JSON_MAX_INTEGER) {
        w->status = gt_fail(GT_ERROR_LIMIT, "cannot write %s = %lld as JSON: beyond 2^53",
                            key != NULL ? key : "value", (long long)value);
        return;
    }
    w->status = gt_text_append(&w->text, "%lld", (long long)value);
}

void gt_json_put_f64(gt_json_writer *w, const char *key, double value)
{
    if (begin_value(w, key)) {
        w->status = gt_json_number(&w->text, value);
        if (w->status != GT_OK && key != NULL) {
            w->status = gt_fail_in(w->status, "%s", key);
        }
    }
}

void gt_json_put_digits(gt_json_writer *w, const char *key, const char *digits)
{
    if (!begin_value(w, key)) {
        return;
    }
    size_t length = strlen(digits);
    if (length == 0 || length != strspn(digits, "-.0123456789") || gt_i_json_scan(digits, length, "number", 1) != GT_OK) {
        w->status = gt_fail(GT_ERROR_ARGUMENT, "cannot write %s = \"%s\" as JSON: not a decimal number",
                            key != NULL ? key : "value", digits);
        return;
    }
    w->status = gt_text_append(&w->text, "%s", digits);
}

void gt_json_put_bool(gt_json_writer *w, const char *key, bool value)
{
    if (begin_value(w, key)) {
        w->status = gt_text_append(&w->text, value ? "true" : "false");
    }
}

void gt_json_put_null(gt_json_writer *w, const char *key)
{
    if (begin_value(w, key)) {
        w->status = gt_text_append(&w->text, "null");
    }
}

gt_status gt_json_writer_finish(gt_json_writer *w, gt_text *out)
{
    gt_status status = w->status;
    if (status == GT_OK && (w->depth != 0 || !w->filled[0])) {
        status = gt_fail(GT_ERROR_INTERNAL, "JSON writer: %d levels are still open", w->depth);
    }
    if (status == GT_OK && w->pretty) {
        status = gt_text_append(&w->text, "\n");
    }
    if (status == GT_OK) {
        *out = w->text;
        w->text = (gt_text){0};
    }
    gt_json_writer_destroy(w);
    return status;
}

gt_status gt_json_writer_save(gt_json_writer *w, const char *path)
{
    gt_text text = {0};
    gt_status status = gt_json_writer_finish(w, &text);
    if (status == GT_OK) {
        status = gt_file_replace(path, text.data, text.length);
    }
    gt_text_destroy(&text);
    return status;
}

gt_status gt_json_writer_print(gt_json_writer *w)
{
    gt_text text = {0};
    gt_status status = gt_json_writer_finish(w, &text);
    if (status == GT_OK) {
        fputs(text.data, stdout);
    }
    gt_text_destroy(&text);
    return status;
}

void gt_json_writer_destroy(gt_json_writer *w)
{
    gt_text_destroy(&w->text);
    gt_json_writer_init(w, w->pretty);
}
