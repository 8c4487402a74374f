/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded machines as folders (tests/fixtures/devices/README.md). */
#ifndef GT_TESTS_DEVICE_TREE_H
#define GT_TESTS_DEVICE_TREE_H

#include "src/base/status.h"

#include <stddef.h>

/* Writes a file below `folder`, with the folders above it; replaces what is there. Aborts the test on failure. */
void tree_put(const char *folder, const char *path, const void *bytes, size_t n);
void tree_put_text(const char *folder, const char *path, const char *format, ...) GT_PRINTF(3, 4);

/* Unpacks tests/fixtures/devices/NAME.tree into `folder`. */
void tree_unpack(const char *folder, const char *name);

/* Removes what lies below `folder`, and the folder. */
void tree_remove(const char *folder);

/* Calls visit with every file's path below `folder`, which begins with a slash. */
void tree_each(const char *folder, void (*visit)(void *context, const char *path), void *context);

#endif
