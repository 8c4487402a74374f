/* SPDX-License-Identifier: Apache-2.0 */
#include "src/board/commands.h"
#include "src/board/tether.h"
#include "src/cli/tune_flags.h"

#include <signal.h>

static const gt_cli_command command = {
    .name = "tune",
    .usage = "TASKS.json [-o RECORDS.jsonl]",
    .summary = "Measures the candidates of every workload in a tasks file, which `graphtune tasks MODEL` writes, and the layout\n"
               "transforms, and appends the records to a file. It can be stopped at any moment: called again, it skips what\n"
               "the file already holds.",
    .details = "Example:\n  graphtune-board tune net.tasks.json -o net.records.jsonl --budget 600 --cpus big --threads 4",
    .min_operands = 1,
    .max_operands = 1,
};

static gt_status tune(bool *interrupted, const char *source, const char *output, const gt_tune_flags *flags, bool live)
{
    gt_status status = GT_OK;
    gt_tasks *tasks = NULL;
    gt_text path = {0};
    int *cpus = NULL;
    gt_tune_options options;
    GT_TRY(gt_tune_flags_apply(&options, &cpus, flags));
    options.live = live;
    GT_REQUIRE(gt_tasks_probe(source), GT_ERROR_FORMAT,
               "%s: is no tasks file, or cannot be read; `graphtune tasks MODEL -o TASKS.json` writes one, on the machine that has "
               "the model",
               source);
    GT_TRY(gt_tasks_read(&tasks, source));
    GT_TRY(output != NULL ? gt_text_append(&path, "%s", output) : gt_cli_default_path(&path, source, ".records.jsonl"));
    GT_TRY(gt_cli_tune(interrupted, tasks, path.data, &options));
done:
    gt_free(cpus);
    gt_text_destroy(&path);
    gt_tasks_destroy(tasks);
    return status;
}

int gt_board_tune(int argc, char **argv)
{
    gt_cli_list operands = {0};
    const char *output = NULL;
    gt_tune_flags flags = gt_tune_flags_defaults();
    bool interrupted = false;
    bool tethered = false;
    bool live = false;
    const gt_cli_option options[] = {
        {"output", 'o', GT_CLI_STRING, "RECORDS", "the records file (default: TASKS's name with .records.jsonl)", &output, 0, 0},
        GT_TUNE_FLAG_OPTIONS(flags),
        {"tethered", 0, GT_CLI_FLAG, NULL, "stop, keeping what was measured, when standard input ends or is\nsilent for a minute: for use over ssh", &tethered, 0, 0},
        {"live", 0, GT_CLI_FLAG, NULL, "draw the progress bar although this is no terminal", &live, 0, 0},
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &operands);
    if (code == GT_EXIT_OK && tethered) {
        signal(SIGPIPE, SIG_IGN); /* the progress of what nobody watches any more */
        gt_tether();
    }
    code = code == GT_EXIT_OK ? gt_cli_finish(tune(&interrupted, operands.items[0], output, &flags, live)) : code;
    code = code == GT_EXIT_OK && interrupted ? GT_EXIT_FAILED : code;
    gt_cli_list_clear(&operands);
    return code;
}
