/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/common.h"

#include <string.h>

static const gt_cli_command command = {
    .name = "tasks",
    .usage = "MODEL [-o TASKS.json]",
    .summary = "Writes what there is to measure for a model, workloads and shapes without weights, so that\n"
               "`graphtune tune` can run on a board that has no model.",
    .min_operands = 1,
    .max_operands = 1,
};

static gt_status run(const char *model, const gt_cli_import *import, const char *output)
{
    gt_status status = GT_OK;
    gt_graph *graph = NULL;
    gt_tasks *tasks = NULL;
    gt_text path = {0};
    GT_TRY(gt_cli_load_model(&graph, model, import));
    GT_TRY(gt_tasks_of_graph(&tasks, graph));
    GT_TRY(output != NULL ? gt_text_append(&path, "%s", output) : gt_cli_default_path(&path, model, ".tasks.json"));
    GT_TRY(gt_tasks_write(tasks, path.data));
    if (strcmp(path.data, "-") != 0) {
        printf("%d workloads of %d ops and %d shapes written to %s\n", tasks->n_tasks, graph->n_ops, tasks->n_shapes, path.data);
    }
done:
    gt_text_destroy(&path);
    gt_tasks_destroy(tasks);
    gt_graph_destroy(graph);
    return status;
}

int gt_cmd_tasks(int argc, char **argv)
{
    gt_cli_list operands = {0};
    gt_cli_import import = GT_CLI_IMPORT_DEFAULTS;
    const char *output = NULL;
    const gt_cli_option options[] = {
        {"output", 'o', GT_CLI_STRING, "FILE", "the tasks file (default: MODEL's name with .tasks.json)", &output, 0, 0},
        GT_CLI_IMPORT_OPTIONS(import),
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &operands);
    code = code == GT_EXIT_OK ? gt_cli_finish(run(operands.items[0], &import, output)) : code;
    gt_cli_list_clear(&operands);
    gt_cli_list_clear(&import.shapes);
    return code;
}
