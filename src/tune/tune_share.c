/* SPDX-License-Identifier: Apache-2.0 */
/* A budget's time shared out to the tasks. */
#include "src/tune/tune_internal.h"

#include "src/base/clock.h"

#define SLICE_NS 250000000 /* how long one task is worked on at a time */

/* Per task, its items from `begin` on as a list: first[task], following[item], -1 at the end. */
static void list_by_task(const gt_i_tune *t, const bool *done, int64_t begin, int64_t *first,
                         int64_t *following)
{
    for (int i = 0; i < t->tasks->n_tasks; i++) {
        first[i] = -1;
    }
    for (int64_t i = t->plan->n_items - 1; i >= begin; i--) {
        if (!done[i]) {
            following[i] = first[t->plan->items[i].task];
            first[t->plan->items[i].task] = i;
        }
    }
}

/* The unfinished task that has had least of its share, or -1. */
static int neediest(const gt_i_tune *t, const int64_t *first, const double *spent)
{
    int chosen = -1;
    for (int i = 0; i < t->tasks->n_tasks; i++) {
        if (first[i] >= 0 &&
            (chosen < 0 || spent[i] / t->plan->share[i] < spent[chosen] / t->plan->share[chosen])) {
            chosen = i;
        }
    }
    return chosen;
}

gt_status gt_i_tune_work_by_share(gt_i_tune *t, const bool *done, int64_t begin)
{
    gt_status status = GT_OK;
    int64_t *first = NULL, *following = NULL;
    double *spent = NULL;
    int task = 0;
    GT_TRY(gt_calloc(&first, (size_t)t->tasks->n_tasks, sizeof *first));
    GT_TRY(gt_calloc(&following, (size_t)t->plan->n_items, sizeof *following));
    GT_TRY(gt_calloc(&spent, (size_t)t->tasks->n_tasks, sizeof *spent));
    list_by_task(t, done, begin, first, following);
    while (!gt_i_tune_must_stop(t) && (task = neediest(t, first, spent)) >= 0) {
        int64_t since = gt_now_ns();
        while (first[task] >= 0 && gt_now_ns() - since < SLICE_NS && !gt_i_tune_must_stop(t)) {
            int64_t item = first[task];
            first[task] = following[item];
            GT_TRY(gt_i_tune_work_on(t, &t->plan->items[item]));
        }
        spent[task] += (double)(gt_now_ns() - since);
    }
done:
    gt_free(first);
    gt_free(following);
    gt_free(spent);
    return status;
}
