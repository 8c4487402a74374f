/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gt_status reserve(gt_text *text, size_t extra)
{
    size_t needed = text->length + extra + 1;
    if (needed <= text->capacity) {
        return GT_OK;
    }
    size_t larger = needed < 64 ? 64 : needed * 2;
    char *fresh = NULL;
    gt_status status = gt_calloc(&fresh, larger, 1);
    if (status != GT_OK) {
        return status;
    }
    if (text->data != NULL) {
        memcpy(fresh, text->data, text->length);
        gt_free(text->data);
    }
    text->data = fresh;
    text->capacity = larger;
    return GT_OK;
}

gt_status gt_text_append_bytes(gt_text *text, const char *bytes, size_t count)
{
    gt_status status = reserve(text, count);
    if (status == GT_OK) {
        memcpy(text->data + text->length, bytes, count);
        text->length += count;
        text->data[text->length] = '\0';
    }
    return status;
}

gt_status gt_text_append_string(gt_text *text, const char *string)
{
    return gt_text_append_bytes(text, string, strlen(string));
}

gt_status gt_text_append_i64(gt_text *text, int64_t value)
{
    char digits[24];
    char *at = digits + sizeof digits;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        *--at = '-';
    }
    return gt_text_append_bytes(text, at, (size_t)(digits + sizeof digits - at));
}

gt_status gt_text_append(gt_text *text, const char *format, ...)
{
    va_list args;
    size_t room = text->capacity - text->length;
    char *end = room > 0 ? text->data + text->length : NULL;
    va_start(args, format);
    int wanted = vsnprintf(end, room, format, args);
    va_end(args);
    if (wanted >= 0 && (size_t)wanted < room) { /* the usual case, in one pass */
        text->length += (size_t)wanted;
        return GT_OK;
    }
    if (room > 0) {
        *end = '\0';
    }
    if (wanted < 0) {
        return gt_fail(GT_ERROR_INTERNAL, "cannot format \"%s\"", format);
    }
    gt_status status = reserve(text, (size_t)wanted);
    if (status == GT_OK) {
        va_start(args, format);
        vsnprintf(text->data + text->length, (size_t)wanted + 1, format, args);
        va_end(args);
        text->length += (size_t)wanted;
    }
    return status;
}

void gt_text_destroy(gt_text *text)
{
    gt_free(text->data);
    *text = (gt_text){0};
}

bool gt_parse_i64(int64_t *out, const char *text)
{
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || (text[0] != '-' && (text[0] < '0' || text[0] > '9'))) {
        return false;
    }
    *out = value;
    return true;
}

bool gt_parse_f64(double *out, const char *text)
{
    char *end = NULL;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value)) {
        return false;
    }
    *out = value;
    return true;
}

static int decimals_for(double value)
{
    return value < 10 ? 2 : value < 100 ? 1 : 0;
}

int gt_text_distance(const char *a, const char *b)
{
    enum { MOST = 255 };
    int row[MOST + 1];
    size_t n = strlen(b);
    if (n > MOST || strlen(a) > MOST) {
        return MOST;
    }
    for (size_t j = 0; j <= n; j++) {
        row[j] = (int)j;
    }
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= n; j++) {
            int change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            int step = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = change < step ? change : step;
        }
    }
    return row[n];
}

const char *gt_format_ns(char *buffer, size_t bytes, double ns)
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}};
    size_t i = 0;
    while (i + 1 < sizeof units / sizeof *units && fabs(ns) >= 999.5 * units[i].scale) {
        i++;
    }
    double value = ns / units[i].scale;
    snprintf(buffer, bytes, "%.*f %s", i == 0 ? 0 : decimals_for(fabs(value)), value, units[i].unit);
    return buffer;
}

const char *gt_format_bytes(char *buffer, size_t bytes, double size_bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t i = 0;
    while (i + 1 < sizeof units / sizeof *units && fabs(size_bytes) >= 1024) {
        size_bytes /= 1024;
        i++;
    }
    snprintf(buffer, bytes, "%.*f %s", i == 0 ? 0 : decimals_for(fabs(size_bytes)), size_bytes, units[i]);
    return buffer;
}
