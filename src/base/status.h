/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes, error messages and the error-handling idiom of the whole project. */
#ifndef GT_BASE_STATUS_H
#define GT_BASE_STATUS_H

#include "include/graphtune/status.h"

#include <stdarg.h>

/* Sets this thread's error message (printf format) and returns `status`.
 * The message names operator, node, field, value and what is allowed, without a trailing newline. */
gt_status gt_fail(gt_status status, const char *format, ...) GT_PRINTF(2, 3);

/* Puts "<formatted text>: " before this thread's current error message, to add the
 * file or node that a lower layer could not know. Returns `status` for tail calls. */
gt_status gt_fail_in(gt_status status, const char *format, ...) GT_PRINTF(2, 3);

/* Evaluates a gt_status expression; on failure stores it in the local `status` and jumps to `done`. */
#define GT_TRY(expr)              \
    do {                          \
        status = (expr);          \
        if (status != GT_OK) {    \
            goto done;            \
        }                         \
    } while (0)

/* Fails with `code` and a message, and jumps to `done`, when `condition` is false. */
#define GT_REQUIRE(condition, code, ...)         \
    do {                                         \
        if (!(condition)) {                      \
            status = gt_fail((code), __VA_ARGS__); \
            goto done;                           \
        }                                        \
    } while (0)

/* An invariant that the API has already validated. Checked where GT_ENABLE_VERIFY is set (tests,
 * sanitizer builds); otherwise only an assumption. */
#ifdef GT_ENABLE_VERIFY
#define GT_VERIFY(condition) \
    ((condition) ? (void)0 : gt_i_verify_failed(#condition, __FILE__, __LINE__))
#else
#define GT_VERIFY(condition) ((void)sizeof(condition))
#endif

_Noreturn void gt_i_verify_failed(const char *condition, const char *file, int line);

#endif
