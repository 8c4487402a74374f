/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/status.h"

#include "src/base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Long enough for "every unsupported node at once" of a large model; longer text ends in "…". */
#define MESSAGE_BYTES 32768

static _Thread_local char message[MESSAGE_BYTES];

static void mark_truncated(int wanted)
{
    if (wanted >= MESSAGE_BYTES) {
        memcpy(message + MESSAGE_BYTES - 4, "…", 4);
    }
}

/* Pieces of files stand in messages, and precisions cut characters apart. */
static void take(const char *text, int wanted)
{
    memcpy(message, text, sizeof message);
    mark_truncated(wanted);
    gt_i_make_printable(message);
}

gt_status gt_fail(gt_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    /* The arguments may point into the current message, so format beside it first. */
    static _Thread_local char fresh[MESSAGE_BYTES];
    int wanted = vsnprintf(fresh, sizeof fresh, format, args);
    va_end(args);
    take(fresh, wanted);
    return status;
}

gt_status gt_fail_in(gt_status status, const char *format, ...)
{
    static _Thread_local char context[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    int head = vsnprintf(context, sizeof context, format, args);
    va_end(args);
    if (head < 0 || head >= MESSAGE_BYTES - 8) {
        return status;
    }
    int tail = snprintf(context + head, sizeof context - (size_t)head, ": %s", message);
    take(context, head + tail);
    return status;
}

const char *gt_error_message(void)
{
    return message;
}

const char *gt_status_name(gt_status status)
{
    static const char *const names[] = {
        [GT_OK] = "ok",
        [GT_ERROR_ARGUMENT] = "argument",
        [GT_ERROR_MEMORY] = "memory",
        [GT_ERROR_IO] = "io",
        [GT_ERROR_FORMAT] = "format",
        [GT_ERROR_UNSUPPORTED] = "unsupported",
        [GT_ERROR_SHAPE] = "shape",
        [GT_ERROR_MISMATCH] = "mismatch",
        [GT_ERROR_NOT_FOUND] = "not found",
        [GT_ERROR_LIMIT] = "limit",
        [GT_ERROR_INTERNAL] = "internal",
    };
    size_t index = (size_t)status;
    return index < sizeof names / sizeof *names ? names[index] : "unknown";
}

void gt_i_verify_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "graphtune: %s:%d: invariant broken: %s\n", file, line, condition);
    abort();
}
