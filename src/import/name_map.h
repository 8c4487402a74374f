/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map from names to numbers. */
#ifndef GT_IMPORT_NAME_MAP_H
#define GT_IMPORT_NAME_MAP_H

#include "src/base/memory.h"

/* Zero-initialise; destroy with gt_i_name_map_destroy. */
typedef struct gt_i_name_map {
    size_t count, n_slots; /* n_slots is a power of two, at least twice the count */
    struct gt_i_name_slot {
        char *name; /* a copy; NULL in a free slot */
        int value;
    } *slots;
} gt_i_name_map;

/* The number under this name, or -1. */
int gt_i_name_map_find(const gt_i_name_map *map, const char *name);

/* Stores value >= 0 under the name, replacing what was there. Errors: GT_ERROR_MEMORY. */
gt_status gt_i_name_map_set(gt_i_name_map *map, const char *name, int value) GT_NODISCARD;

/* For a map used as the set of taken names: enters a name that is not there yet ("wanted", else "wanted#2",
 * "wanted#3", …) and gives a copy of it, to be freed with gt_free. Errors: GT_ERROR_MEMORY. */
gt_status gt_i_name_map_unique(gt_i_name_map *taken, char **name, const char *wanted) GT_NODISCARD;

void gt_i_name_map_destroy(gt_i_name_map *map);

#endif
