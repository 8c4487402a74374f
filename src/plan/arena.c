/* SPDX-License-Identifier: Apache-2.0 */
#include "src/plan/program.h"

#include <stdlib.h>

struct buffer {
    int index;
    int64_t size, offset;
    int first, last;
};

static int larger_first(const void *a, const void *b)
{
    const struct buffer *x = a;
    const struct buffer *y = b;
    if (x->size != y->size) {
        return x->size > y->size ? -1 : 1;
    }
    return x->index - y->index;
}

static int lower_first(const void *a, const void *b)
{
    const struct buffer *x = *(struct buffer *const *)a;
    const struct buffer *y = *(struct buffer *const *)b;
    if (x->offset != y->offset) {
        return x->offset < y->offset ? -1 : 1;
    }
    return x->index - y->index;
}

/* The lowest offset at which `b` fits between the placed buffers that live while it does. */
static int64_t lowest_gap(const struct buffer *b, const struct buffer *placed, int n_placed, const struct buffer **alive)
{
    int n_alive = 0;
    for (int i = 0; i < n_placed; i++) {
        if (placed[i].first <= b->last && b->first <= placed[i].last) {
            alive[n_alive++] = &placed[i];
        }
    }
    qsort(alive, (size_t)n_alive, sizeof *alive, lower_first);
    int64_t offset = 0;
    for (int i = 0; i < n_alive; i++) {
        if (offset + b->size <= alive[i]->offset) {
            break;
        }
        int64_t end = alive[i]->offset + alive[i]->size;
        offset = end > offset ? end : offset;
    }
    return offset;
}

gt_status gt_arena_plan(int64_t *arena_bytes, int64_t *offset_bytes, int n, const int64_t *size_bytes, const int *first,
                        const int *last)
{
    gt_status status = GT_OK;
    struct buffer *buffers = NULL;
    const struct buffer **alive = NULL;
    int64_t total = 0;
    GT_TRY(gt_calloc(&buffers, (size_t)n, sizeof *buffers));
    GT_TRY(gt_calloc(&alive, (size_t)n, sizeof *alive));
    for (int i = 0; i < n; i++) {
        int64_t size = (size_bytes[i] + GT_ALIGN_BYTES - 1) / GT_ALIGN_BYTES * GT_ALIGN_BYTES;
        buffers[i] = (struct buffer){.index = i, .size = size, .first = first[i], .last = last[i]};
    }
    qsort(buffers, (size_t)n, sizeof *buffers, larger_first);
    for (int i = 0; i < n; i++) {
        struct buffer *b = &buffers[i];
        b->offset = lowest_gap(b, buffers, i, alive);
        offset_bytes[b->index] = b->offset;
        total = b->offset + b->size > total ? b->offset + b->size : total;
    }
    *arena_bytes = total;
done:
    gt_free(alive);
    gt_free(buffers);
    return status;
}
