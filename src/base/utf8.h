/* SPDX-License-Identifier: Apache-2.0 */
/* Text that can be shown: UTF-8 (RFC 3629) without control characters. */
#ifndef GT_BASE_UTF8_H
#define GT_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the UTF-8 sequence at `text` (1..4), or 0 if it is not valid. */
size_t gt_i_utf8_bytes(const char *text, size_t bytes);

/* Whether all of it can be shown, as names must that go into messages, records and plans. */
bool gt_i_is_text(const char *text, size_t bytes);

/* Replaces by '?' what cannot be shown; newlines stay. */
void gt_i_make_printable(char *text);

/* The same, newlines included: a name in a message. */
void gt_i_make_line(char *text);

#endif
