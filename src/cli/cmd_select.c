/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/common.h"
#include "src/tune/refine.h"

#include <string.h>

#define MAX_REFINE_ROUNDS 8

static const gt_cli_command command = {
    .name = "select",
    .usage = "MODEL --records RECORDS [-o PLAN]",
    .summary = "Chooses the layout, algorithm and config of every layer so that the whole network, transforms\n"
               "included, takes the least time by the records; proves it; writes the deployment plan.",
    .details = "Example:\n  graphtune select net.onnx --records net.records.jsonl -o net.plan.json",
    .min_operands = 1,
    .max_operands = 1,
};

struct arguments {
    gt_cli_list operands, shapes, records;
    const char *output, *only_layout, *layouts, *device;
    int64_t threads;
    double time_limit_s;
    bool json, refine, quiet;
};

static gt_status read_records(gt_records **records, const gt_cli_list *paths)
{
    gt_status status = GT_OK;
    gt_records *r = NULL;
    GT_TRY(gt_records_create(&r));
    for (int i = 0; i < paths->n; i++) {
        gt_records_report report = {0};
        GT_TRY(gt_records_read(r, paths->items[i], &report));
        if (report.torn > 0) {
            fprintf(stderr, "graphtune: note: %s: an unfinished last line was dropped\n", paths->items[i]);
        }
        if (report.old_rev > 0) {
            fprintf(stderr, "graphtune: note: %s: %lld records of other template revisions are ignored\n", paths->items[i],
                    (long long)report.old_rev);
        }
    }
    *records = r;
    r = NULL;
done:
    gt_records_destroy(r);
    return status;
}

static gt_status choose(gt_plan **plan, gt_graph *graph, gt_records *records, const gt_select_options *o, bool refine)
{
    gt_status status = GT_OK;
    gt_refine_report report;
    if (!refine) {
        return gt_select(plan, graph, records, o);
    }
    GT_TRY(gt_refine(plan, graph, records, o, MAX_REFINE_ROUNDS, &report));
    fprintf(stderr, "refined in the running network: %d round%s, %s\n", report.rounds, report.rounds == 1 ? "" : "s",
            report.stable ? "stable" : "not stable yet");
done:
    return status;
}

static gt_status run(const struct arguments *a)
{
    gt_status status = GT_OK;
    gt_graph *graph = NULL;
    gt_records *records = NULL;
    gt_plan *plan = NULL;
    gt_text output = {0};
    gt_device device;
    gt_select_options o = gt_select_defaults();
    GT_TRY(gt_device_detect(&device));
    o.device = a->device != NULL ? a->device : device.hash;
    o.threads = (int)a->threads;
    o.time_budget_s = a->time_limit_s;
    GT_TRY(gt_cli_parse_layouts(&o.layouts, a->layouts));
    GT_TRY(gt_cli_parse_layout(&o.only_layout, a->only_layout));
    GT_TRY(gt_cli_load_model(&graph, a->operands.items[0], &a->shapes));
    GT_TRY(read_records(&records, &a->records));
    GT_TRY(choose(&plan, graph, records, &o, a->refine));
    if (a->output != NULL) {
        GT_TRY(gt_text_append(&output, "%s", a->output));
    } else {
        GT_TRY(gt_cli_default_path(&output, a->operands.items[0], ".plan.json"));
    }
    GT_TRY(gt_cli_set_model_file(plan, a->operands.items[0], output.data));
    GT_TRY(gt_plan_write(plan, output.data));
    if (a->json) {
        GT_TRY(gt_cli_print_plan_json(plan, output.data));
    } else if (!a->quiet && strcmp(output.data, "-") != 0) {
        GT_TRY(gt_cli_print_plan(plan, graph));
        printf("plan written to %s\n", output.data);
    }
done:
    gt_text_destroy(&output);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(graph);
    return status;
}

int gt_cmd_select(int argc, char **argv)
{
    struct arguments a = {.threads = 1};
    const gt_cli_option options[] = {
        {"records", 'r', GT_CLI_LIST, "FILE", "records to choose from; may be given several times", &a.records, 0, 0},
        {"output", 'o', GT_CLI_STRING, "PLAN", "the plan file (default: MODEL's name with .plan.json)", &a.output, 0, 0},
        {"shape", 0, GT_CLI_SHAPES, "NAME=N,C,H,W", "the shape of an input that the model leaves open", &a.shapes, 0, 0},
        {"threads", 't', GT_CLI_INT, "N", "threads of the deployment; needs records of as many (default 1)", &a.threads, 1, 256},
        {"layouts", 0, GT_CLI_LAYOUTS, "LIST", "use only these layouts (NCHW is always there), such as NCHW,NCHW8c", &a.layouts, 0, 0},
        {"only-layout", 0, GT_CLI_LAYOUT, "LAYOUT", "every op in this one layout where it can, as a comparison", &a.only_layout, 0, 0},
        {"device", 0, GT_CLI_STRING, "HASH", "records of another device (see `graphtune records list`)", &a.device, 0, 0},
        {"refine", 0, GT_CLI_FLAG, NULL, "measure the chosen ops again inside the running network,\nand solve again until the choice is stable", &a.refine, 0, 0},
        {"time-limit", 0, GT_CLI_REAL, "SECONDS", "stop the solver then; the plan states the gap that is left", &a.time_limit_s, 0, 1e6},
        {"json", 0, GT_CLI_FLAG, NULL, "print the result as JSON", &a.json, 0, 0},
        {"quiet", 'q', GT_CLI_FLAG, NULL, "print nothing but errors", &a.quiet, 0, 0},
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &a.operands);
    if (code == GT_EXIT_OK && a.records.n == 0) {
        code = gt_cli_usage(&command, "--records is missing: which measurements to choose from");
    }
    code = code == GT_EXIT_OK ? gt_cli_finish(run(&a)) : code;
    gt_cli_list_clear(&a.operands);
    gt_cli_list_clear(&a.shapes);
    gt_cli_list_clear(&a.records);
    return code;
}
