/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share; nobody else includes it. */
#ifndef GT_RECORDS_RECORDS_INTERNAL_H
#define GT_RECORDS_RECORDS_INTERNAL_H

#include "src/records/json.h"
#include "src/records/records.h"

typedef struct gt_i_device_line {
    char hash[17];
    char *json; /* one line without its newline */
} gt_i_device_line;

/* Records are allocated one by one so that pointers to them survive growth. `slots` is an open-addressing
 * table of candidates and `groups` one of (kind, workload) whose records are chained in order through
 * `next`; both hold index + 1 and 0 for empty. */
struct gt_records {
    int64_t count;
    size_t capacity;
    gt_record **items;
    int64_t *next; /* the following record of the same workload, or -1 */
    size_t next_capacity;
    int64_t n_slots; /* a power of two, or 0 */
    int64_t *slots;
    int64_t *groups; /* n_slots of them: the first record of a workload */
    int64_t *last;   /* beside groups: the last record of it */
    int64_t n_devices;
    size_t device_capacity;
    gt_i_device_line *devices;
};

/* Rebuilds slots, groups and next after items were moved or removed. O(n). */
void gt_i_records_reindex(gt_records *records);

/* What a line of a records file holds: a record, or a device when record->kind is GT_RECORD_KIND_COUNT. */
gt_status gt_i_record_read(gt_record *record, char hash[17], const gt_json *line) GT_NODISCARD;

#endif
