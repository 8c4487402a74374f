/* SPDX-License-Identifier: Apache-2.0 */
/* The words and brackets of a CFN file. The format is JSON with freedoms that files in circulation make use of: quotes,
 * commas and colons may be left out, [] and {} are interchangeable, a line that begins with # is a comment. Numbers stay
 * text, so that decimal costs are read exactly. Not a JSON parser: nothing but places in the text is kept, and a file of
 * hundreds of megabytes needs no tree. */
#ifndef GT_IMPORT_CFN_SCAN_H
#define GT_IMPORT_CFN_SCAN_H

#include "src/base/text.h"

#define GT_I_CFN_MAX_DEPTH 32

typedef enum gt_i_cfn_kind { GT_I_CFN_WORD, GT_I_CFN_OPEN, GT_I_CFN_CLOSE, GT_I_CFN_END } gt_i_cfn_kind;

typedef struct gt_i_cfn_token {
    gt_i_cfn_kind kind;
    bool key;         /* a word with a colon behind it */
    bool escaped;     /* a quoted word with a backslash in it */
    size_t at;        /* where it begins in the text */
    const char *word; /* without its quotes and as it stands there, not terminated; borrowed from the text */
    size_t length;
} gt_i_cfn_token;

/* Set path, text and bytes (borrowed); the rest is zero. Destroy with gt_i_cfn_scan_destroy. */
typedef struct gt_i_cfn_scanner {
    const char *path, *text;
    size_t bytes, at; /* at: the next byte */
    int depth;
    char closing[GT_I_CFN_MAX_DEPTH]; /* the bracket that each open one waits for */
    gt_text copy;
} gt_i_cfn_scanner;

/* A place to come back to while the brackets around it are open. */
typedef struct gt_i_cfn_place {
    size_t at; /* 0: none */
    int depth;
} gt_i_cfn_place;

/* Reads the next token; at the end of the text GT_I_CFN_END, as often as asked. Errors: GT_ERROR_FORMAT (a bracket that
 * closes nothing or another one, an unfinished string, a control character, invalid UTF-8), GT_ERROR_LIMIT (depth). */
gt_status gt_i_cfn_next(gt_i_cfn_scanner *scanner, gt_i_cfn_token *token) GT_NODISCARD;

/* Reads over one value, with everything inside it. Errors as gt_i_cfn_next, and GT_ERROR_FORMAT where none is left. */
gt_status gt_i_cfn_skip(gt_i_cfn_scanner *scanner) GT_NODISCARD;

/* Finds the fields of an object whose opening bracket has been read, and reads over it: places[k] is where the value of
 * keys[k] begins. `what` names the object in messages. may_end: the text may end without the closing bracket.
 * Errors: GT_ERROR_FORMAT (another key, or one twice). */
gt_status gt_i_cfn_members(gt_i_cfn_scanner *scanner, gt_i_cfn_place *places, const char *const *keys, int n,
                           const char *what, bool may_end) GT_NODISCARD;
void gt_i_cfn_go(gt_i_cfn_scanner *scanner, gt_i_cfn_place place);

/* A word as a NUL-terminated text, which is valid until the next call. Errors: GT_ERROR_FORMAT (a malformed escape, a
 * control character), GT_ERROR_MEMORY. */
gt_status gt_i_cfn_text(gt_i_cfn_scanner *scanner, const char **text, const gt_i_cfn_token *token) GT_NODISCARD;

/* Fails with "<path>:<line>:<column>: <formatted text>" for a place in the text. */
gt_status gt_i_cfn_fail(const gt_i_cfn_scanner *scanner, gt_status code, size_t at, const char *format, ...)
    GT_PRINTF(4, 5) GT_NODISCARD;

/* How much of a word a message shows, for "%.*s". */
int gt_i_cfn_shown(const gt_i_cfn_token *token);

/* Whether a word is written as a number is: such words are indices where names stand, too. */
bool gt_i_cfn_is_number(const gt_i_cfn_token *token);

void gt_i_cfn_scan_destroy(gt_i_cfn_scanner *scanner);

#endif
