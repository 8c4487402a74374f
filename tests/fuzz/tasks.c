/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks files: what is read is written, and reads back as the same bytes. */
#include "src/tune/tune.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gt_tasks *tasks = NULL;
    gt_tasks *again = NULL;
    const char *path = fz_write("in.json", data, size);
    const char *made = fz_path("made.json");
    const char *twice = fz_path("twice.json");
    fz_begin();
    gt_tasks_probe(path);
    if (fz_check(gt_tasks_read(&tasks, path), path) == GT_OK) {
        FZ_REQUIRE(gt_tasks_write(tasks, made) == GT_OK, "cannot be written: %s", gt_error_message());
        FZ_REQUIRE(gt_tasks_read(&again, made) == GT_OK, "what was written is not read: %s", gt_error_message());
        FZ_REQUIRE(gt_tasks_write(again, twice) == GT_OK, "cannot be written: %s", gt_error_message());
        FZ_REQUIRE(fz_same_bytes(made, twice), "what was read differs from what was written");
    }
    gt_tasks_destroy(tasks);
    gt_tasks_destroy(again);
    fz_end();
    return 0;
}
