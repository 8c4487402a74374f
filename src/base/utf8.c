/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/utf8.h"

#include <string.h>

static bool is_continuation(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

size_t gt_i_utf8_bytes(const char *text, size_t bytes)
{
    const unsigned char *s = (const unsigned char *)text;
    if (bytes == 0) {
        return 0;
    }
    if (s[0] < 0x80) {
        return 1;
    }
    size_t n = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
               : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                             : 0;
    if (n == 0 || n > bytes) {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if (!is_continuation(s[i])) {
            return 0;
        }
    }
    /* Overlong forms, surrogates and what lies beyond U+10FFFF. */
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
               (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90);
    return bad ? 0 : n;
}

/* Whether the sequence of `n` bytes at `text` is a character that can be shown. */
static bool is_shown(const char *text, size_t n)
{
    return n > 0 && (unsigned char)*text >= 0x20 && *text != 0x7f;
}

bool gt_i_is_text(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes;) {
        size_t n = gt_i_utf8_bytes(text + i, bytes - i);
        if (!is_shown(text + i, n)) {
            return false;
        }
        i += n;
    }
    return true;
}

void gt_i_make_printable(char *text)
{
    size_t bytes = strlen(text);
    for (size_t i = 0; i < bytes;) {
        size_t n = gt_i_utf8_bytes(text + i, bytes - i);
        if (!is_shown(text + i, n) && text[i] != '\n') {
            text[i] = '?';
        }
        i += n > 0 ? n : 1;
    }
}

void gt_i_make_line(char *text)
{
    gt_i_make_printable(text);
    for (char *newline = strchr(text, '\n'); newline != NULL; newline = strchr(newline, '\n')) {
        *newline = '?';
    }
}
