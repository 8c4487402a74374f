/* SPDX-License-Identifier: Apache-2.0 */
/* The one way to what the kernel tells below /proc and /sys: of this machine, or of a recorded one in a folder. Reads
 * are bounded; what cannot be read or makes no sense is noted and never an error. */
#ifndef GT_COSTMODEL_SYSROOT_H
#define GT_COSTMODEL_SYSROOT_H

#include "src/base/text.h"

#define GT_NOTE_COUNT 12
#define GT_NOTE_BYTES 192

/* What could not be read, in words. */
typedef struct gt_notes {
    int n, more; /* more: how many did not find room */
    char text[GT_NOTE_COUNT][GT_NOTE_BYTES];
} gt_notes;

typedef struct gt_sysroot {
    const char *path; /* stands before /proc and /sys; "": this machine */
    gt_notes *notes;  /* NULL: nobody wants to know */
} gt_sysroot;

/* GT_SYSROOT of the environment, or this machine. */
const char *gt_sysroot_default(void);
bool gt_sysroot_is_recorded(const gt_sysroot *root);

/* Adds a note unless it is there already. */
void gt_sysroot_note(const gt_sysroot *root, const char *format, ...) GT_PRINTF(2, 3);

/* In the following, the path (printf-formatted) begins with a slash. Only regular files are read; in a recorded tree,
 * only what lies in the tree, symbolic links followed. A missing file is not noted. */

/* The first `capacity` - 1 bytes, and a NUL behind them; -1 when it cannot be read. */
int64_t gt_sysroot_bytes(const gt_sysroot *root, char *out, size_t capacity, const char *format, ...) GT_PRINTF(4, 5);

/* The first line, cleaned to printable ASCII without blanks at its ends; false and "" when there is none. */
bool gt_sysroot_line(const gt_sysroot *root, char *out, size_t capacity, const char *format, ...) GT_PRINTF(4, 5);

/* The whole number that is the first line, or `otherwise`. */
int64_t gt_sysroot_number(const gt_sysroot *root, int64_t otherwise, const char *format, ...) GT_PRINTF(3, 4);

/* Cuts at the first control character, trims, and replaces what is not ASCII: the text goes into JSON. */
void gt_sysroot_clean(char *text);

#endif
