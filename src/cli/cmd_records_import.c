/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/common.h"
#include "src/import/autotvm.h"

static const gt_cli_command command = {
    .name = "records import",
    .usage = "--autotvm LOG... -o RECORDS [--device NAME]",
    .summary = "Makes records of the logs of TVM's AutoTVM (versions 0.1 and 0.2), for\n"
               "`graphtune select --source foreign`. Where they are of several devices, --device chooses one.",
    .details = "Example:\n"
               "  graphtune records import --autotvm arm_cpu_v0.08.log --device model=rk3399 -o rk3399.jsonl",
    .min_operands = 0,
    .max_operands = 0,
};

struct arguments {
    gt_cli_list operands, logs;
    const char *output, *device;
    int64_t threads;
    bool skip_malformed, quiet;
};

static void print_report(const gt_autotvm_report *r, const char *output)
{
    printf("%lld records of %s (device %s) written to %s\n", (long long)r->imported, r->device_name, r->device, output);
    if (r->failed > 0) {
        printf("  %lld of them are of measurements that failed\n", (long long)r->failed);
    }
    for (int i = 0; i < r->n_skipped; i++) {
        printf("  %lld skipped: %s\n", (long long)r->skipped[i].lines, r->skipped[i].name);
    }
    if (r->other_devices > 0) {
        printf("  %lld of other devices left out\n", (long long)r->other_devices);
    }
}

static gt_status run(const struct arguments *a)
{
    gt_status status = GT_OK;
    gt_autotvm_report report = {0};
    const gt_autotvm_options options = {.device = a->device, .threads = (int)a->threads,
                                        .skip_malformed = a->skip_malformed};
    GT_TRY(gt_cli_check_output(a->output));
    GT_TRY(gt_autotvm_import(&report, a->output, a->logs.n, a->logs.items, &options));
    if (report.malformed > 0) {
        fprintf(stderr, "graphtune: note: %lld malformed lines skipped, the first: %s\n", (long long)report.malformed,
                report.first_malformed);
    }
    if (report.torn > 0) {
        fprintf(stderr, "graphtune: note: an unfinished last line was dropped\n");
    }
    if (!a->quiet) {
        print_report(&report, a->output);
    }
done:
    gt_autotvm_report_clear(&report);
    return status;
}

int gt_cli_records_import(int argc, char **argv)
{
    struct arguments a = {.threads = 1};
    const gt_cli_option options[] = {
        {"autotvm", 0, GT_CLI_LIST, "LOG", "an AutoTVM log; may be given several times", &a.logs, 0, 0},
        {"output", 'o', GT_CLI_STRING, "RECORDS", "the records file", &a.output, 0, 0},
        {"device", 0, GT_CLI_STRING, "NAME", "whose records, such as model=rk3399", &a.device, 0, 0},
        {"threads", 't', GT_CLI_INT, "N", "threads it was measured with: the log does not say (default 1)", &a.threads, 1, 256},
        {"skip-malformed", 0, GT_CLI_FLAG, NULL, "count lines that cannot be read instead of giving up", &a.skip_malformed, 0, 0},
        {"quiet", 'q', GT_CLI_FLAG, NULL, "print nothing but errors", &a.quiet, 0, 0},
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &a.operands);
    if (code == GT_EXIT_OK && a.logs.n == 0) {
        code = gt_cli_usage(&command, "--autotvm LOG is missing");
    } else if (code == GT_EXIT_OK && a.output == NULL) {
        code = gt_cli_usage(&command, "-o RECORDS is missing");
    }
    code = code == GT_EXIT_OK ? gt_cli_finish(run(&a)) : code;
    gt_cli_list_clear(&a.operands);
    gt_cli_list_clear(&a.logs);
    return code;
}
