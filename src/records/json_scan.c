/* SPDX-License-Identifier: Apache-2.0 */
/* What cJSON lets through although RFC 8259 forbids it, or reports without a place, is caught here first:
 * depth, raw control characters, \u0000 (which would cut a C string short; cJSON takes \u00e, for it), invalid
 * UTF-8, numbers such as 01 or 1. */
#include "src/records/json.h"

#include <string.h>

gt_status gt_i_json_fail_at(gt_status code, const char *text, size_t offset, const char *path, int64_t line,
                            const char *what)
{
    int64_t row = line > 0 ? line : 1;
    size_t start = 0;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            row += line > 0 ? 0 : 1;
            start = i + 1;
        }
    }
    return gt_fail(code, "%s:%lld:%zu: %s", path, (long long)row, offset - start + 1, what);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t skip_digits(const char *text, size_t bytes, size_t i)
{
    while (i < bytes && is_digit(text[i])) {
        i++;
    }
    return i;
}

/* The end of the number that begins at i, or 0 if it is malformed. cJSON takes 63 characters. */
static size_t number_end(const char *text, size_t bytes, size_t i)
{
    size_t begin = i;
    i += text[i] == '-';
    size_t whole = i;
    i = skip_digits(text, bytes, i);
    if (i == whole || (text[whole] == '0' && i > whole + 1)) {
        return 0;
    }
    if (i < bytes && text[i] == '.') {
        size_t fraction = ++i;
        i = skip_digits(text, bytes, i);
        if (i == fraction) {
            return 0;
        }
    }
    if (i < bytes && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        i += i < bytes && (text[i] == '+' || text[i] == '-');
        size_t exponent = i;
        i = skip_digits(text, bytes, i);
        if (i == exponent) {
            return 0;
        }
    }
    return i - begin <= 63 ? i : 0;
}

/* What is wrong with the escape that begins at i, or NULL; what other letters mean is the parser's business. */
static const char *check_escape(const char *text, size_t bytes, size_t i)
{
    if (i + 1 >= bytes || text[i + 1] != 'u') {
        return NULL;
    }
    for (size_t k = i + 2; k < i + 6; k++) {
        if (k >= bytes || !(is_digit(text[k]) || (text[k] >= 'a' && text[k] <= 'f') || (text[k] >= 'A' && text[k] <= 'F'))) {
            return "\\u takes four hexadecimal digits";
        }
    }
    return memcmp(text + i, "\\u0000", 6) == 0 ? "\\u0000 in a string is not supported" : NULL;
}

/* Walks the string that begins at i; *end is behind its closing quote. Returns what is wrong at *end, or
 * NULL. */
static const char *scan_string(const char *text, size_t bytes, size_t i, size_t *end)
{
    for (i++; i < bytes && text[i] != '"';) {
        size_t n = gt_i_utf8_bytes(text + i, bytes - i);
        *end = i;
        if (n == 0) {
            return "invalid UTF-8 in a string";
        }
        if ((unsigned char)text[i] < 0x20) {
            return "raw control character in a string (write \\n, \\t or \\u00XX)";
        }
        if (text[i] == '\\') {
            const char *problem = check_escape(text, bytes, i);
            if (problem != NULL) {
                return problem;
            }
            n = i + 1 < bytes ? 2 : 1;
        }
        i += n;
    }
    *end = i;
    if (i >= bytes) {
        return "the text ends inside a string";
    }
    *end = i + 1;
    return NULL;
}

gt_status gt_i_json_scan(const char *text, size_t bytes, const char *path, int64_t line)
{
    int depth = 0;
    for (size_t i = 0; i < bytes;) {
        char c = text[i];
        size_t end = i + 1;
        if (c == '"') {
            const char *problem = scan_string(text, bytes, i, &end);
            if (problem != NULL) {
                return gt_i_json_fail_at(GT_ERROR_FORMAT, text, end, path, line, problem);
            }
        } else if (c == '-' || is_digit(c)) {
            end = number_end(text, bytes, i);
            if (end == 0) {
                return gt_i_json_fail_at(GT_ERROR_FORMAT, text, i, path, line, "malformed number");
            }
        } else if (c == '[' || c == '{') {
            if (++depth > GT_JSON_MAX_DEPTH) {
                return gt_i_json_fail_at(GT_ERROR_LIMIT, text, i, path, line, "nested deeper than 64 levels");
            }
        } else if (c == ']' || c == '}') {
            depth--;
        } else if (c == '\0' || ((unsigned char)c < 0x20 && c != '\n' && c != '\r' && c != '\t')) {
            return gt_i_json_fail_at(GT_ERROR_FORMAT, text, i, path, line,
                                     "control character outside a string");
        }
        i = end;
    }
    return GT_OK;
}
