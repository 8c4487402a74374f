/* SPDX-License-Identifier: Apache-2.0 */
/* Merging, sorting and pruning sets of records. */
#include "src/records/records_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- order ---- */

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

/* The measuring situation: what competes with what. */
static int compare_slots(const gt_record *a, const gt_record *b)
{
    int order = compare_numbers(a->kind, b->kind);
    order = order != 0 ? order : strcmp(a->workload, b->workload);
    order = order != 0 ? order : compare_numbers(a->in, b->in);
    return order != 0 ? order : compare_numbers(a->out, b->out);
}

static int compare_machines(const gt_record *a, const gt_record *b)
{
    int order = strcmp(a->device, b->device);
    return order != 0 ? order : compare_numbers(a->threads, b->threads);
}

static int compare_candidates(const gt_record *a, const gt_record *b)
{
    int order = strcmp(a->template_name, b->template_name);
    return order != 0 ? order : strcmp(a->config, b->config);
}

static int by_candidate(const void *left, const void *right)
{
    const gt_record *a = *(gt_record *const *)left;
    const gt_record *b = *(gt_record *const *)right;
    int order = compare_slots(a, b);
    order = order != 0 ? order : compare_candidates(a, b);
    return order != 0 ? order : compare_machines(a, b);
}

/* As selection prefers equally fast candidates. */
static int compare_preference(const gt_record *a, const gt_record *b)
{
    size_t x = gt_template_index(gt_template_find(a->template_name));
    size_t y = gt_template_index(gt_template_find(b->template_name));
    return x != y ? (x > y) - (x < y) : compare_candidates(a, b);
}

static int by_speed(const void *left, const void *right)
{
    const gt_record *a = *(gt_record *const *)left;
    const gt_record *b = *(gt_record *const *)right;
    int order = compare_slots(a, b);
    order = order != 0 ? order : compare_machines(a, b);
    order = order != 0 ? order : compare_numbers(a->status != GT_RECORD_OK, b->status != GT_RECORD_OK);
    order = order != 0 ? order : compare_numbers(a->timing.median_ns, b->timing.median_ns);
    return order != 0 ? order : compare_preference(a, b);
}

static int by_hash(const void *left, const void *right)
{
    return strcmp(((const gt_i_device_line *)left)->hash, ((const gt_i_device_line *)right)->hash);
}

void gt_records_sort(gt_records *records)
{
    if (records->count > 1) {
        qsort(records->items, (size_t)records->count, sizeof *records->items, by_candidate);
    }
    if (records->n_devices > 1) {
        qsort(records->devices, (size_t)records->n_devices, sizeof *records->devices, by_hash);
    }
    gt_i_records_reindex(records);
}

gt_status gt_records_merge(gt_records **records, int n_paths, const char *const *paths,
                           gt_records_report *report)
{
    gt_status status = GT_OK;
    gt_records *all = NULL;
    gt_records_report sum = {0};
    GT_TRY(gt_records_create(&all));
    for (int i = 0; i < n_paths; i++) {
        gt_records_report one = {0};
        GT_TRY(gt_records_read(all, paths[i], &one));
        sum.lines += one.lines;
        sum.read += one.read;
        sum.torn += one.torn;
        sum.old_rev += one.old_rev;
    }
    gt_records_sort(all);
    if (report != NULL) {
        *report = sum;
    }
    *records = all;
    all = NULL;
done:
    gt_records_destroy(all);
    return status;
}

/* ---- pruning ---- */

static bool wanted(const gt_record *r, const gt_records_prune_options *o)
{
    return (!o->old_revs || gt_record_is_current(r)) && (!o->failures || r->status == GT_RECORD_OK) &&
           (o->device == NULL || strcmp(r->device, o->device) == 0);
}

/* Marks, in `dropped` (sorted pointers), what is not among the `best` fastest of its situation. Failures cost
 * nothing to keep and tell the next tune what not to try, so they are left alone. */
static int64_t collect_slow(gt_record **dropped, gt_record **sorted, int64_t count, int best)
{
    int64_t n = 0;
    int64_t rank = 0;
    for (int64_t i = 0; i < count; i++) {
        bool same = i > 0 && compare_slots(sorted[i - 1], sorted[i]) == 0 &&
                    compare_machines(sorted[i - 1], sorted[i]) == 0;
        rank = same ? rank + 1 : 0;
        if (rank >= best && sorted[i]->status == GT_RECORD_OK) {
            dropped[n++] = sorted[i];
        }
    }
    return n;
}

static int by_address(const void *left, const void *right)
{
    uintptr_t a = (uintptr_t)*(gt_record *const *)left;
    uintptr_t b = (uintptr_t)*(gt_record *const *)right;
    return (a > b) - (a < b);
}

static void drop_devices(gt_records *records, const char *keep)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < records->n_devices; i++) {
        if (strcmp(records->devices[i].hash, keep) == 0) {
            records->devices[kept++] = records->devices[i];
        } else {
            gt_free(records->devices[i].json);
        }
    }
    records->n_devices = kept;
}

gt_status gt_records_prune(gt_records *records, const gt_records_prune_options *options, int64_t *removed)
{
    gt_status status = GT_OK;
    gt_record **sorted = NULL, **dropped = NULL;
    int64_t n_sorted = 0, n_dropped = 0, kept = 0;
    GT_TRY(gt_calloc(&sorted, (size_t)records->count, sizeof *sorted));
    GT_TRY(gt_calloc(&dropped, (size_t)records->count, sizeof *dropped));
    for (int64_t i = 0; i < records->count; i++) {
        if (wanted(records->items[i], options)) {
            sorted[n_sorted++] = records->items[i];
        }
    }
    if (options->best > 0) {
        qsort(sorted, (size_t)n_sorted, sizeof *sorted, by_speed);
        n_dropped = collect_slow(dropped, sorted, n_sorted, options->best);
        qsort(dropped, (size_t)n_dropped, sizeof *dropped, by_address);
    }
    int64_t before = records->count;
    for (int64_t i = 0; i < before; i++) {
        gt_record *r = records->items[i];
        bool slow = n_dropped > 0 &&
                    bsearch(&r, dropped, (size_t)n_dropped, sizeof *dropped, by_address) != NULL;
        if (wanted(r, options) && !slow) {
            records->items[kept++] = r;
        } else {
            gt_record_clear(r);
            gt_free(r);
        }
    }
    records->count = kept;
    if (options->device != NULL) {
        drop_devices(records, options->device);
    }
    if (removed != NULL) {
        *removed = before - kept;
    }
    gt_i_records_reindex(records);
done:
    gt_free(sorted);
    gt_free(dropped);
    return status;
}
