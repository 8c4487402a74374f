/* SPDX-License-Identifier: Apache-2.0 */
/* A hash set of name owners, so that building a graph of n nodes costs n look-ups. */
#ifndef GT_GRAPH_NAME_INDEX_H
#define GT_GRAPH_NAME_INDEX_H

#include "src/base/memory.h"

/* Open addressing over the numbers of named things; zero-initialise, release with gt_i_names_clear. */
typedef struct gt_name_index {
    size_t slots; /* a power of two, or 0 */
    size_t used;
    int *slot; /* number + 1, 0 when free */
} gt_name_index;

/* The current name of thing `number`, or NULL: a renamed or removed thing is simply not found. */
typedef const char *(*gt_name_of)(const void *owner, int number);

/* The number of the thing with this name, or -1. */
int gt_i_names_find(const gt_name_index *index, const char *name, gt_name_of name_of, const void *owner);

/* Makes room for `count` names, so that as many gt_i_names_add neither fail nor call `name_of`. The index must be
 * empty. */
gt_status gt_i_names_reserve(gt_name_index *index, size_t count) GT_NODISCARD;

/* Enters `number`, whose name is `name`. */
gt_status gt_i_names_add(gt_name_index *index, const char *name, int number, gt_name_of name_of,
                         const void *owner) GT_NODISCARD;
void gt_i_names_clear(gt_name_index *index);

#endif
