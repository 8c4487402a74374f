/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that are certainly alive together, counted by groups of tensors that may have memory in common. */
#include "src/tune/select_memory_internal.h"

#include <string.h>

gt_status gt_i_tally_begin(gt_tally *tally, const gt_lifetimes *l)
{
    gt_status status = GT_OK;
    size_t n = (size_t)l->s->graph->n_tensors;
    *tally = (gt_tally){.l = l};
    GT_TRY(gt_calloc(&tally->own, n, sizeof *tally->own));
    GT_TRY(gt_calloc(&tally->inside, n, sizeof *tally->inside));
done:
    return status;
}

void gt_i_tally_end(gt_tally *tally)
{
    gt_free(tally->inside);
    gt_free(tally->own);
    *tally = (gt_tally){0};
}

void gt_i_tally_reset(gt_tally *tally)
{
    size_t bytes = (size_t)tally->l->s->graph->n_tensors * sizeof *tally->own;
    memset(tally->own, 0, bytes);
    memset(tally->inside, 0, bytes);
    tally->sum = 0;
}

/* A group's own memory and that of what may lie in it have an unknown part in common. */
static int64_t least_of(const gt_tally *tally, int group)
{
    return tally->own[group] > tally->inside[group] ? tally->own[group] : tally->inside[group];
}

static void set_bytes(gt_tally *tally, int group, int64_t bytes)
{
    int64_t before = least_of(tally, group);
    tally->own[group] = bytes;
    int64_t change = least_of(tally, group) - before;
    for (group = tally->l->host[group]; group >= 0 && change != 0; group = tally->l->host[group]) {
        before = least_of(tally, group);
        tally->inside[group] += change;
        change = least_of(tally, group) - before;
    }
    tally->sum += change;
}

int64_t gt_i_tally_count(gt_tally *tally, int tensor, int64_t bytes)
{
    int group = tally->l->group[tensor];
    int64_t before = tally->own[group];
    if (bytes > before) {
        set_bytes(tally, group, bytes);
    }
    return before;
}

void gt_i_tally_restore(gt_tally *tally, int tensor, int64_t before)
{
    set_bytes(tally, tally->l->group[tensor], before);
}

bool gt_i_tally_is_apart(const gt_tally *tally, int tensor)
{
    for (int group = tally->l->group[tensor]; group >= 0; group = tally->l->host[group]) {
        if (tally->own[group] > 0) {
            return false;
        }
    }
    return true;
}
