/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/counter_flags.h"
#include "src/cli/tune_flags.h"

static const gt_cli_command command = {
    .name = "tune",
    .usage = "MODEL|TASKS [-o RECORDS.jsonl]",
    .summary = "Measures every layer's candidates and the layout transforms on this machine, and appends the records\n"
               "to a file. It can be stopped at any moment: called again, it skips what the file already holds.",
    .details = "With --source counted nothing is timed: graphtune-board for arm64 runs every candidate once under qemu, and\n"
               "instructions and cache misses are counted as on a Cortex-A53, A72 or A76. The records are of that core, a cycle\n"
               "being a nanosecond, and the same every time; `select --source counted` chooses by them. It takes qemu-user and\n"
               "gcc, and `make board`.\n\n"
               "Examples:\n  graphtune tune net.onnx -o net.records.jsonl --budget 600 --cpus big --threads 4 --max-temp 70\n"
               "  graphtune tune net.onnx -o net.a72.jsonl --source counted --core a72",
    .min_operands = 1,
    .max_operands = 1,
};

static gt_status load_tasks(gt_tasks **tasks, const char *path, const gt_cli_import *import)
{
    gt_status status = GT_OK;
    gt_graph *graph = NULL;
    if (gt_tasks_probe(path)) {
        GT_REQUIRE(import->shapes.n == 0 && import->weights == NULL && import->random_seed < 0, GT_ERROR_ARGUMENT,
                   "%s: --shape, --weights and --random-weights are for models; a tasks file has its shapes", path);
        GT_TRY(gt_tasks_read(tasks, path));
    } else {
        GT_TRY(gt_cli_load_model(&graph, path, import));
        GT_TRY(gt_tasks_of_graph(tasks, graph));
    }
done:
    gt_graph_destroy(graph);
    return status;
}

static gt_status run(bool *interrupted, const char *source, const gt_cli_import *import, const char *output,
                     const gt_tune_flags *flags, const gt_counter_flags *counting)
{
    gt_status status = GT_OK;
    gt_counter *counter = NULL;
    gt_tasks *tasks = NULL;
    gt_text path = {0};
    int *cpus = NULL;
    gt_tune_options options;
    GT_TRY(gt_tune_flags_apply(&options, &cpus, flags));
    GT_TRY(gt_counter_flags_open(&counter, counting, (uint64_t)flags->seed));
    options.counter = counter;
    GT_TRY(load_tasks(&tasks, source, import));
    GT_TRY(output != NULL ? gt_text_append(&path, "%s", output) : gt_cli_default_path(&path, source, ".records.jsonl"));
    GT_TRY(gt_cli_tune(interrupted, tasks, path.data, &options));
done:
    gt_counter_close(counter);
    gt_free(cpus);
    gt_text_destroy(&path);
    gt_tasks_destroy(tasks);
    return status;
}

int gt_cmd_tune(int argc, char **argv)
{
    gt_cli_list operands = {0};
    gt_cli_import import = GT_CLI_IMPORT_DEFAULTS;
    const char *output = NULL;
    gt_tune_flags flags = gt_tune_flags_defaults();
    gt_counter_flags counting = GT_COUNTER_FLAG_DEFAULTS;
    bool interrupted = false;
    const gt_cli_option options[] = {
        {"output", 'o', GT_CLI_STRING, "RECORDS", "the records file (default: MODEL's name with .records.jsonl)", &output, 0, 0},
        GT_CLI_IMPORT_OPTIONS(import),
        GT_TUNE_FLAG_OPTIONS(flags),
        GT_COUNTER_FLAG_OPTIONS(counting),
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &operands);
    code = code == GT_EXIT_OK ? gt_cli_finish(run(&interrupted, operands.items[0], &import, output, &flags, &counting)) : code;
    code = code == GT_EXIT_OK && interrupted ? GT_EXIT_FAILED : code;
    gt_cli_list_clear(&operands);
    gt_cli_list_clear(&import.shapes);
    return code;
}
