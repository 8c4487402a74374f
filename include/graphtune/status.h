/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes and error messages of the graphtune libraries. */
#ifndef GRAPHTUNE_STATUS_H
#define GRAPHTUNE_STATUS_H

#if defined(__GNUC__)
#define GT_NODISCARD __attribute__((warn_unused_result))
#define GT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define GT_API __attribute__((visibility("default")))
#else
#define GT_NODISCARD
#define GT_PRINTF(fmt, args)
#define GT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Why a call failed. The matching message is read with gt_error_message(). */
typedef enum gt_status {
    GT_OK = 0,
    GT_ERROR_ARGUMENT,    /* the caller passed something the function does not take */
    GT_ERROR_MEMORY,      /* allocation failed */
    GT_ERROR_IO,          /* the operating system refused a file operation */
    GT_ERROR_FORMAT,      /* a file's contents are malformed */
    GT_ERROR_UNSUPPORTED, /* well-formed, but outside what graphtune handles */
    GT_ERROR_SHAPE,       /* shapes, ranks or element types do not fit together */
    GT_ERROR_MISMATCH,    /* two inputs do not belong together (plan and model, …) */
    GT_ERROR_NOT_FOUND,   /* a named thing does not exist */
    GT_ERROR_LIMIT,       /* a budget (time, memory, table size) was exhausted */
    GT_ERROR_INTERNAL     /* a broken invariant of graphtune itself */
} gt_status;

/* This thread's last error message; "" if none. Valid until the next failure on this thread. */
GT_API const char *gt_error_message(void);

/* The name of a status code, such as "format". Never NULL. */
GT_API const char *gt_status_name(gt_status status);

#ifdef __cplusplus
}
#endif

#endif
