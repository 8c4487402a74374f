/* SPDX-License-Identifier: Apache-2.0 */
#include "costmodel/device.h"
#include "src/cli/common.h"
#include "src/records/json.h"

#include <fnmatch.h>
#include <string.h>

struct arguments {
    gt_cli_list operands;
    const char *output, *filter;
    int64_t best;
    bool json, this_device, keep_failed;
};

static const char *const status_names[] = {"ok", "wrong", "crash", "timeout", "oom", "failed"};
static const char *const source_names[] = {"measured", "foreign", "model", "counted"};

/* ---- list ---- */

static const gt_cli_command list_command = {
    .name = "records list",
    .usage = "RECORDS [--filter GLOB]",
    .summary = "Lists the records of a file.",
    .min_operands = 1,
    .max_operands = 1,
};

static bool shown(const gt_record *r, const struct arguments *a)
{
    return a->filter == NULL || fnmatch(a->filter, r->workload, 0) == 0 || fnmatch(a->filter, r->template_name, 0) == 0;
}

static void list_row(gt_table *table, const gt_record *r)
{
    char spread[32] = "";
    gt_table_cell(table, "%s", r->workload);
    gt_table_cell(table, "%s", r->kind == GT_RECORD_TRANSFORM ? "transform" : r->template_name);
    if (r->in == r->out) {
        gt_table_cell(table, "%s", gt_layout_name(r->in));
    } else {
        gt_table_cell(table, "%s→%s", gt_layout_name(r->in), gt_layout_name(r->out));
    }
    gt_table_cell(table, "%s", r->config);
    if (r->status == GT_RECORD_OK) {
        char median[32];
        gt_table_cell(table, "%s", gt_format_ns(median, sizeof median, r->timing.median_ns));
        snprintf(spread, sizeof spread, "±%.1f %%", r->timing.median_ns > 0 ? 50 * (r->timing.hi_ns - r->timing.lo_ns) / r->timing.median_ns : 0);
        gt_table_cell(table, "%s", spread);
    } else {
        gt_table_cell(table, "%s", status_names[r->status]);
        gt_table_cell(table, "%s", "");
    }
    gt_table_cell(table, "%d", r->threads);
    gt_table_cell(table, "%s", r->device);
}

static gt_status list_text(const gt_records *records, const struct arguments *a)
{
    gt_table table;
    const char *const heading[] = {"workload or shape", "template", "layout", "config", "median", "spread", "threads", "device"};
    gt_table_begin(&table, "llllrrrl");
    for (int i = 0; i < 8; i++) {
        gt_table_cell(&table, "%s", heading[i]);
    }
    for (int64_t i = 0; i < gt_records_count(records); i++) {
        if (shown(gt_records_at(records, i), a)) {
            list_row(&table, gt_records_at(records, i));
        }
    }
    return gt_table_print(&table, stdout, 0);
}

static gt_status list_json(const gt_records *records, const struct arguments *a)
{
    gt_json_writer w;
    gt_json_writer_init(&w, true);
    gt_json_begin_array(&w, NULL);
    for (int64_t i = 0; i < gt_records_count(records); i++) {
        const gt_record *r = gt_records_at(records, i);
        if (!shown(r, a)) {
            continue;
        }
        gt_json_begin_inline_object(&w, NULL);
        gt_json_put_string(&w, "kind", r->kind == GT_RECORD_OP ? "op" : "transform");
        gt_json_put_string(&w, "device", r->device);
        gt_json_put_i64(&w, "threads", r->threads);
        gt_json_put_string(&w, "workload", r->workload);
        gt_json_put_string(&w, "in", gt_layout_name(r->in));
        gt_json_put_string(&w, "out", gt_layout_name(r->out));
        gt_json_put_string(&w, "template", r->template_name);
        gt_json_put_i64(&w, "rev", r->rev);
        gt_json_put_string(&w, "config", r->config);
        gt_json_put_string(&w, "status", status_names[r->status]);
        gt_json_put_f64(&w, "median_ns", r->timing.median_ns);
        gt_json_put_string(&w, "source", source_names[r->source]);
        gt_json_put_i64(&w, "mhz", r->mhz);
        gt_json_put_f64(&w, "celsius", r->celsius);
        gt_json_put_bool(&w, "throttled", r->throttled);
        gt_json_end(&w);
    }
    gt_json_end(&w);
    return gt_json_writer_print(&w);
}

static gt_status list(const struct arguments *a)
{
    gt_status status = GT_OK;
    gt_records *records = NULL;
    gt_records_report report = {0};
    GT_TRY(gt_records_create(&records));
    GT_TRY(gt_records_read(records, a->operands.items[0], &report));
    GT_TRY(a->json ? list_json(records, a) : list_text(records, a));
    if (!a->json) {
        printf("\n%lld records%s%s\n", (long long)report.read, report.old_rev > 0 ? ", some of other template revisions" : "",
               report.torn > 0 ? "; an unfinished last line was dropped" : "");
    }
done:
    gt_records_destroy(records);
    return status;
}

static int list_main(int argc, char **argv, struct arguments *a)
{
    const gt_cli_option options[] = {
        {"filter", 'f', GT_CLI_STRING, "GLOB", "only records whose workload or template matches", &a->filter, 0, 0},
        {"json", 0, GT_CLI_FLAG, NULL, "print them as JSON", &a->json, 0, 0},
    };
    int code = gt_cli_parse(&list_command, options, 2, argc, argv, &a->operands);
    return code == GT_EXIT_OK ? gt_cli_finish(list(a)) : code;
}

/* ---- merge ---- */

static const gt_cli_command merge_command = {
    .name = "records merge",
    .usage = "RECORDS... -o OUT",
    .summary = "Merges record files into one; of several records of a candidate the last one given counts.",
    .min_operands = 1,
    .max_operands = 10000,
};

static gt_status merge(const struct arguments *a)
{
    gt_status status = GT_OK;
    gt_records *records = NULL;
    gt_records_report report = {0};
    GT_TRY(gt_records_merge(&records, a->operands.n, a->operands.items, &report));
    GT_TRY(gt_records_write(records, a->output));
    printf("%lld records of %d file%s merged into %lld in %s\n", (long long)report.read, a->operands.n,
           a->operands.n == 1 ? "" : "s", (long long)gt_records_count(records), a->output);
done:
    gt_records_destroy(records);
    return status;
}

static int merge_main(int argc, char **argv, struct arguments *a)
{
    const gt_cli_option options[] = {{"output", 'o', GT_CLI_STRING, "OUT", "the merged file", &a->output, 0, 0}};
    int code = gt_cli_parse(&merge_command, options, 1, argc, argv, &a->operands);
    if (code == GT_EXIT_OK && a->output == NULL) {
        return gt_cli_usage(&merge_command, "-o OUT is missing");
    }
    return code == GT_EXIT_OK ? gt_cli_finish(merge(a)) : code;
}

/* ---- prune ---- */

static const gt_cli_command prune_command = {
    .name = "records prune",
    .usage = "RECORDS [-o OUT]",
    .summary = "Drops what can never be chosen: records of old template revisions and failed candidates; on request\n"
               "all but the fastest of each workload and layout pair, and other devices'.",
    .min_operands = 1,
    .max_operands = 1,
};

static gt_status prune(const struct arguments *a)
{
    gt_status status = GT_OK;
    gt_records *records = NULL;
    gt_device device;
    int64_t removed = 0;
    const char *output = a->output != NULL ? a->output : a->operands.items[0];
    GT_TRY(gt_device_detect(&device));
    GT_TRY(gt_records_create(&records));
    GT_TRY(gt_records_read(records, a->operands.items[0], NULL));
    gt_records_prune_options o = {.old_revs = true,
                                  .failures = !a->keep_failed,
                                  .best = (int)a->best,
                                  .device = a->this_device ? device.hash : NULL};
    GT_TRY(gt_records_prune(records, &o, &removed));
    GT_TRY(gt_records_write(records, output));
    printf("%lld records dropped, %lld kept in %s\n", (long long)removed, (long long)gt_records_count(records), output);
done:
    gt_records_destroy(records);
    return status;
}

static int prune_main(int argc, char **argv, struct arguments *a)
{
    const gt_cli_option options[] = {
        {"output", 'o', GT_CLI_STRING, "OUT", "where to write the result (default: in place)", &a->output, 0, 0},
        {"best", 0, GT_CLI_INT, "K", "keep the K fastest of each workload and layout pair", &a->best, 1, 1e6},
        {"this-device", 0, GT_CLI_FLAG, NULL, "drop the records of other devices", &a->this_device, 0, 0},
        {"keep-failed", 0, GT_CLI_FLAG, NULL, "keep candidates that were wrong, crashed, …", &a->keep_failed, 0, 0},
    };
    int code = gt_cli_parse(&prune_command, options, 4, argc, argv, &a->operands);
    return code == GT_EXIT_OK ? gt_cli_finish(prune(a)) : code;
}

/* ---- records ---- */

static int import_main(int argc, char **argv, struct arguments *a)
{
    (void)a;
    return gt_cli_records_import(argc, argv);
}

int gt_cmd_records(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv, struct arguments *a);
        const char *summary;
    } actions[] = {
        {"list", list_main, "list the records of a file"},
        {"merge", merge_main, "merge several files into one"},
        {"prune", prune_main, "drop what can never be chosen"},
        {"import", import_main, "make records of AutoTVM logs"},
    };
    struct arguments a = {0};
    bool help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    for (size_t i = 0; argc > 1 && i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(argv[1], actions[i].name) == 0) {
            int code = actions[i].run(argc - 1, argv + 1, &a);
            gt_cli_list_clear(&a.operands);
            return code;
        }
    }
    FILE *stream = help ? stdout : stderr;
    if (argc > 1 && !help) {
        char hint[80];
        gt_cli_suggest(hint, sizeof hint, "", argv[1], &actions->name, sizeof *actions, sizeof actions / sizeof *actions);
        fprintf(stderr, "graphtune records: unknown action \"%s\"%s\nTry `graphtune records --help`.\n", argv[1], hint);
        return GT_EXIT_USAGE;
    }
    fprintf(stream, "usage: graphtune records list|merge|prune|import ...\n\n");
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        fprintf(stream, "  %-8s %s\n", actions[i].name, actions[i].summary);
    }
    return help ? GT_EXIT_OK : GT_EXIT_USAGE;
}
