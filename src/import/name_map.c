/* SPDX-License-Identifier: Apache-2.0 */
#include "src/import/name_map.h"

#include "src/base/rng.h"
#include "src/base/text.h"

#include <string.h>

/* Open addressing with linear probing: the slot of the name, or the free slot where it belongs. */
static size_t find_slot(const gt_i_name_map *map, const char *name)
{
    size_t mask = map->n_slots - 1;
    size_t slot = (size_t)gt_hash_bytes(name, strlen(name)) & mask;
    while (map->slots[slot].name != NULL && strcmp(map->slots[slot].name, name) != 0) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

int gt_i_name_map_find(const gt_i_name_map *map, const char *name)
{
    if (map->count == 0) {
        return -1;
    }
    const struct gt_i_name_slot *slot = &map->slots[find_slot(map, name)];
    return slot->name != NULL ? slot->value : -1;
}

static gt_status make_room(gt_i_name_map *map)
{
    if (map->n_slots >= 2 * (map->count + 1)) {
        return GT_OK;
    }
    gt_i_name_map larger = {.count = map->count, .n_slots = map->n_slots > 0 ? 2 * map->n_slots : 64};
    gt_status status = gt_calloc(&larger.slots, larger.n_slots, sizeof *larger.slots);
    if (status != GT_OK) {
        return status;
    }
    for (size_t i = 0; i < map->n_slots; i++) {
        if (map->slots[i].name != NULL) {
            larger.slots[find_slot(&larger, map->slots[i].name)] = map->slots[i];
        }
    }
    gt_free(map->slots);
    *map = larger;
    return GT_OK;
}

gt_status gt_i_name_map_set(gt_i_name_map *map, const char *name, int value)
{
    gt_status status = make_room(map);
    if (status != GT_OK) {
        return status;
    }
    struct gt_i_name_slot *slot = &map->slots[find_slot(map, name)];
    if (slot->name == NULL) {
        status = gt_strdup(&slot->name, name);
        if (status != GT_OK) {
            return status;
        }
        map->count++;
    }
    slot->value = value;
    return GT_OK;
}

/* The number under a taken name is the next suffix to try, so that many equal names do not cost a square of
 * probes. */
gt_status gt_i_name_map_unique(gt_i_name_map *taken, char **name, const char *wanted)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    int suffix = gt_i_name_map_find(taken, wanted);
    GT_TRY(gt_text_append(&text, "%s", wanted));
    while (gt_i_name_map_find(taken, text.data) >= 0) {
        text.length = 0;
        GT_TRY(gt_text_append(&text, "%s#%d", wanted, suffix++));
    }
    GT_TRY(gt_strdup(name, text.data));
    GT_TRY(gt_i_name_map_set(taken, wanted, suffix < 0 ? 2 : suffix));
    GT_TRY(gt_i_name_map_set(taken, text.data, 2));
done:
    gt_text_destroy(&text);
    return status;
}

void gt_i_name_map_destroy(gt_i_name_map *map)
{
    for (size_t i = 0; i < map->n_slots; i++) {
        gt_free(map->slots[i].name);
    }
    gt_free(map->slots);
    *map = (gt_i_name_map){0};
}
