/* SPDX-License-Identifier: Apache-2.0 */
/* Records files: what is read is sorted, written and read again. */
#include "src/records/records.h"
#include "tests/fuzz/fuzz.h"

static gt_status read_file(gt_records **records, const char *path)
{
    FZ_REQUIRE(gt_records_create(records) == GT_OK, "%s", gt_error_message());
    return fz_check(gt_records_read(*records, path, NULL), path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gt_records *records = NULL;
    gt_records *again = NULL;
    const char *path = fz_write("in.jsonl", data, size);
    const char *made = fz_path("made.jsonl");
    fz_begin();
    if (read_file(&records, path) == GT_OK) {
        gt_records_sort(records);
        FZ_REQUIRE(gt_records_write(records, made) == GT_OK, "cannot be written: %s", gt_error_message());
        FZ_REQUIRE(read_file(&again, made) == GT_OK, "what was written is not read: %s", gt_error_message());
        FZ_REQUIRE(gt_records_count(again) == gt_records_count(records), "records got lost");
        FZ_REQUIRE(gt_records_device_count(again) == gt_records_device_count(records), "devices got lost");
    }
    gt_records_destroy(records);
    gt_records_destroy(again);
    fz_end();
    return 0;
}
