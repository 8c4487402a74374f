/* SPDX-License-Identifier: Apache-2.0 */
/* A set of records in memory: a list in file order, a hash table of candidates, and a chain per workload. */
#include "src/records/records_internal.h"

#include "src/base/rng.h"

#include <string.h>

gt_status gt_records_create(gt_records **records)
{
    return gt_calloc(records, 1, sizeof **records);
}

void gt_records_destroy(gt_records *records)
{
    if (records == NULL) {
        return;
    }
    for (int64_t i = 0; i < records->count; i++) {
        gt_record_clear(records->items[i]);
        gt_free(records->items[i]);
    }
    for (int64_t i = 0; i < records->n_devices; i++) {
        gt_free(records->devices[i].json);
    }
    gt_free(records->items);
    gt_free(records->next);
    gt_free(records->slots);
    gt_free(records->groups);
    gt_free(records->last);
    gt_free(records->devices);
    gt_free(records);
}

/* ---- hashing ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

static uint64_t hash_workload(gt_record_kind kind, const char *workload)
{
    return mix(gt_hash_bytes(workload, strlen(workload)), (uint64_t)kind + 1);
}

/* Of everything but the device, so that a search for any device works too. */
static uint64_t hash_candidate(const gt_record *r)
{
    uint64_t hash = hash_workload(r->kind, r->workload);
    hash = mix(hash, gt_hash_bytes(r->template_name, strlen(r->template_name)));
    hash = mix(hash, gt_hash_bytes(r->config, strlen(r->config)));
    return mix(hash, (uint64_t)r->threads * 64 + (uint64_t)r->in * 8 + (uint64_t)r->out);
}

static bool same_candidate(const gt_record *a, const gt_record *b, bool any_device)
{
    return a->kind == b->kind && a->threads == b->threads && a->in == b->in && a->out == b->out &&
           (any_device || strcmp(a->device, b->device) == 0) && strcmp(a->workload, b->workload) == 0 &&
           strcmp(a->template_name, b->template_name) == 0 && strcmp(a->config, b->config) == 0;
}

/* The slot of this candidate, or the empty one where it belongs. The table always has empty slots. */
static int64_t find_slot(const gt_records *records, const gt_record *key, bool any_device)
{
    int64_t mask = records->n_slots - 1;
    int64_t at = (int64_t)(hash_candidate(key) & (uint64_t)mask);
    while (records->slots[at] != 0 &&
           !same_candidate(records->items[records->slots[at] - 1], key, any_device)) {
        at = (at + 1) & mask;
    }
    return at;
}

static int64_t find_group(const gt_records *records, gt_record_kind kind, const char *workload)
{
    int64_t mask = records->n_slots - 1;
    int64_t at = (int64_t)(hash_workload(kind, workload) & (uint64_t)mask);
    while (records->groups[at] != 0) {
        const gt_record *first = records->items[records->groups[at] - 1];
        if (first->kind == kind && strcmp(first->workload, workload) == 0) {
            break;
        }
        at = (at + 1) & mask;
    }
    return at;
}

/* Enters items[index] into both tables. */
static void enter(gt_records *records, int64_t index)
{
    const gt_record *record = records->items[index];
    records->slots[find_slot(records, record, false)] = index + 1;
    int64_t group = find_group(records, record->kind, record->workload);
    if (records->groups[group] == 0) {
        records->groups[group] = index + 1;
    } else {
        records->next[records->last[group]] = index;
    }
    records->last[group] = index;
    records->next[index] = -1;
}

void gt_i_records_reindex(gt_records *records)
{
    if (records->n_slots > 0) {
        memset(records->slots, 0, (size_t)records->n_slots * sizeof *records->slots);
        memset(records->groups, 0, (size_t)records->n_slots * sizeof *records->groups);
    }
    for (int64_t i = 0; i < records->count; i++) {
        enter(records, i);
    }
}

static gt_status resize(gt_records *records, int64_t n_slots)
{
    gt_status status = GT_OK;
    int64_t *slots = NULL, *groups = NULL, *last = NULL;
    GT_TRY(gt_calloc(&slots, (size_t)n_slots, sizeof *slots));
    GT_TRY(gt_calloc(&groups, (size_t)n_slots, sizeof *groups));
    GT_TRY(gt_calloc(&last, (size_t)n_slots, sizeof *last));
    gt_free(records->slots);
    gt_free(records->groups);
    gt_free(records->last);
    records->slots = slots;
    records->groups = groups;
    records->last = last;
    records->n_slots = n_slots;
    gt_i_records_reindex(records);
    return GT_OK;
done:
    gt_free(slots);
    gt_free(groups);
    gt_free(last);
    return status;
}

/* ---- adding and finding ---- */

gt_status gt_records_add(gt_records *records, const gt_record *record)
{
    gt_status status = GT_OK;
    gt_record *copy = NULL;
    GT_REQUIRE(record->workload != NULL && record->template_name != NULL && record->config != NULL,
               GT_ERROR_ARGUMENT, "a record needs workload, template and config");
    if (2 * (records->count + 1) > records->n_slots) {
        GT_TRY(resize(records, records->n_slots > 0 ? 2 * records->n_slots : 64));
    }
    GT_TRY(gt_calloc(&copy, 1, sizeof *copy));
    GT_TRY(gt_record_copy(copy, record));
    int64_t slot = find_slot(records, record, false);
    if (records->slots[slot] != 0) {
        gt_record *known = records->items[records->slots[slot] - 1];
        if (record->rev >= known->rev) {
            gt_record old = *known;
            *known = *copy;
            *copy = old;
        }
        goto done;
    }
    GT_TRY(gt_i_grow(&records->next, &records->next_capacity, (size_t)records->count, sizeof *records->next));
    GT_PUSH(records->items, records->count, records->capacity, copy);
    copy = NULL;
    enter(records, records->count - 1);
done:
    if (copy != NULL) {
        gt_record_clear(copy);
        gt_free(copy);
    }
    return status;
}

int64_t gt_records_count(const gt_records *records)
{
    return records->count;
}

const gt_record *gt_records_at(const gt_records *records, int64_t index)
{
    return index >= 0 && index < records->count ? records->items[index] : NULL;
}

const gt_record *gt_records_find(const gt_records *records, gt_record_kind kind, const char *device,
                                 int threads, const char *workload, gt_layout in, gt_layout out,
                                 const char *template_name, const char *config)
{
    if (records->n_slots == 0 || (device != NULL && strlen(device) > 16)) {
        return NULL;
    }
    /* The key is only read. */
    gt_record key = {.kind = kind, .threads = threads, .workload = (char *)workload, .in = in, .out = out,
                     .template_name = (char *)template_name, .config = (char *)config};
    if (device != NULL) {
        strcpy(key.device, device);
    }
    int64_t found = records->slots[find_slot(records, &key, device == NULL)];
    return found != 0 ? records->items[found - 1] : NULL;
}

void gt_records_each(const gt_records *records, gt_record_kind kind, const char *workload,
                     bool (*visit)(void *context, const gt_record *record), void *context)
{
    if (records->n_slots == 0) {
        return;
    }
    int64_t at = records->groups[find_group(records, kind, workload)] - 1;
    while (at >= 0 && visit(context, records->items[at])) {
        at = records->next[at];
    }
}

/* ---- devices ---- */

static gt_status add_device_line(gt_records *records, const char *hash, const char *json, size_t bytes)
{
    gt_status status = GT_OK;
    gt_i_device_line line = {0};
    GT_TRY(gt_calloc(&line.json, bytes + 1, 1));
    memcpy(line.json, json, bytes);
    memcpy(line.hash, hash, sizeof line.hash);
    for (int64_t i = 0; i < records->n_devices; i++) {
        if (strcmp(records->devices[i].hash, hash) == 0) {
            gt_free(records->devices[i].json);
            records->devices[i].json = line.json;
            line.json = NULL;
            goto done;
        }
    }
    GT_PUSH(records->devices, records->n_devices, records->device_capacity, line);
    line.json = NULL;
done:
    gt_free(line.json);
    return status;
}

gt_status gt_records_add_device(gt_records *records, const char *fingerprint_json)
{
    gt_status status = GT_OK;
    gt_json *root = NULL;
    gt_record record = {0};
    char hash[17] = "";
    size_t bytes = strcspn(fingerprint_json, "\n");
    GT_TRY(gt_json_parse(&root, fingerprint_json, bytes, "device fingerprint", 0));
    GT_TRY(gt_i_record_read(&record, hash, root));
    if (record.kind != GT_RECORD_KIND_COUNT) {
        status = gt_json_fail(gt_json_find(root, "kind"), GT_ERROR_FORMAT, "must be \"device\"");
        goto done;
    }
    GT_TRY(add_device_line(records, hash, fingerprint_json, bytes));
done:
    gt_record_clear(&record);
    gt_json_destroy(root);
    return status;
}

int64_t gt_records_device_count(const gt_records *records)
{
    return records->n_devices;
}

const char *gt_records_device_json(const gt_records *records, int64_t index)
{
    return index >= 0 && index < records->n_devices ? records->devices[index].json : NULL;
}

const char *gt_records_device_hash(const gt_records *records, int64_t index)
{
    return index >= 0 && index < records->n_devices ? records->devices[index].hash : NULL;
}
