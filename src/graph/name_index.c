/* SPDX-License-Identifier: Apache-2.0 */
#include "src/graph/name_index.h"

#include "src/base/rng.h"

#include <string.h>

static size_t first_slot(const gt_name_index *index, const char *name)
{
    return (size_t)gt_hash_bytes(name, strlen(name)) & (index->slots - 1);
}

int gt_i_names_find(const gt_name_index *index, const char *name, gt_name_of name_of, const void *owner)
{
    if (index->slots == 0) {
        return -1;
    }
    for (size_t at = first_slot(index, name); index->slot[at] != 0; at = (at + 1) & (index->slots - 1)) {
        int number = index->slot[at] - 1;
        const char *found = name_of(owner, number);
        if (found != NULL && strcmp(found, name) == 0) {
            return number;
        }
    }
    return -1;
}

static void enter(gt_name_index *index, const char *name, int number)
{
    size_t at = first_slot(index, name);
    while (index->slot[at] != 0) {
        at = (at + 1) & (index->slots - 1);
    }
    index->slot[at] = number + 1;
    index->used++;
}

gt_status gt_i_names_reserve(gt_name_index *index, size_t count)
{
    size_t slots = 64;
    while (slots < 2 * (count + 1)) {
        slots *= 2;
    }
    gt_status status = gt_calloc(&index->slot, slots, sizeof *index->slot);
    index->slots = status == GT_OK ? slots : 0;
    return status;
}

gt_status gt_i_names_add(gt_name_index *index, const char *name, int number, gt_name_of name_of, const void *owner)
{
    gt_status status = GT_OK;
    gt_name_index larger = {0};
    if (index->used * 2 >= index->slots) {
        larger.slots = index->slots == 0 ? 64 : index->slots * 2;
        GT_TRY(gt_calloc(&larger.slot, larger.slots, sizeof *larger.slot));
        for (size_t i = 0; i < index->slots; i++) {
            int old = index->slot[i] - 1;
            const char *old_name = old >= 0 ? name_of(owner, old) : NULL;
            if (old_name != NULL) {
                enter(&larger, old_name, old);
            }
        }
        gt_i_names_clear(index);
        *index = larger;
    }
    enter(index, name, number);
done:
    return status;
}

void gt_i_names_clear(gt_name_index *index)
{
    gt_free(index->slot);
    *index = (gt_name_index){0};
}
