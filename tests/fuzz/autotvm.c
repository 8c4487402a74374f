/* SPDX-License-Identifier: Apache-2.0 */
/* AutoTVM logs: what can be imported is imported, and the records that come out are read back. */
#include "src/import/autotvm.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>

static void read_back(const char *path, const gt_autotvm_report *report)
{
    gt_records *records = NULL;
    gt_records_report lines = {0};
    FZ_REQUIRE(gt_records_create(&records) == GT_OK, "%s", gt_error_message());
    FZ_REQUIRE(gt_records_read(records, path, &lines) == GT_OK, "what was written is not read: %s", gt_error_message());
    FZ_REQUIRE(lines.read == report->imported, "%lld records were written, %lld are read", (long long)report->imported,
               (long long)lines.read);
    gt_records_destroy(records);
}

/* The first device's name in *device, where it is asked for and there is one. */
static gt_status import(const char *log, const gt_autotvm_options *options, char device[256])
{
    const char *made = fz_path("made.jsonl");
    gt_autotvm_report report = {0};
    gt_status status = fz_check(gt_autotvm_import(&report, made, 1, &log, options), log);
    if (status == GT_OK) {
        read_back(made, &report);
    }
    if (device != NULL) {
        snprintf(device, 256, "%s", report.n_devices > 0 ? report.devices[0].name : "");
    }
    gt_autotvm_report_clear(&report);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const places[] = {".log:", ": records of several devices", ": there is no record", ": none of the "};
    const char *log = fz_write("tvm.log", data, size);
    char device[256];
    fz_begin();
    gt_status status = import(log, &(gt_autotvm_options){.threads = 1}, NULL);
    fz_check_place(status, places, sizeof places / sizeof *places);
    import(log, &(gt_autotvm_options){.threads = 1, .skip_malformed = true}, device);
    import(log, &(gt_autotvm_options){.threads = 1, .skip_malformed = true, .device = device}, NULL);
    fz_end();
    return 0;
}
