/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/cli.h"
#include "src/zoo/zoo.h"

#include <string.h>

static const gt_cli_command command = {
    .name = "zoo",
    .usage = "NAME [-o MODEL.onnx]",
    .summary = "Writes a standard architecture as ONNX with seeded random weights; without NAME, lists them.",
    .details = "Example:\n  graphtune zoo mobilenet_v2 -o mobilenet_v2.onnx --width 0.5 --resolution 160",
    .min_operands = 0,
    .max_operands = 1,
};

static gt_status list(void)
{
    gt_table table;
    gt_table_begin(&table, "lrl");
    gt_table_cell(&table, "name");
    gt_table_cell(&table, "input");
    gt_table_cell(&table, "what");
    for (int i = 0; i < gt_zoo_count(); i++) {
        gt_table_cell(&table, "%s", gt_zoo_name(i));
        gt_table_cell(&table, "%lld", (long long)gt_zoo_resolution(i));
        gt_table_cell(&table, "%s", gt_zoo_description(i));
    }
    return gt_table_print(&table, stdout, 0);
}

static gt_status write_model(const char *name, const gt_zoo_options *options, const char *output)
{
    gt_status status = GT_OK;
    gt_text path = {0};
    GT_TRY(output != NULL ? gt_text_append(&path, "%s", output) : gt_text_append(&path, "%s.onnx", name));
    GT_TRY(gt_zoo_write(name, options, path.data));
    if (strcmp(path.data, "-") != 0) {
        printf("%s written to %s\n", name, path.data);
    }
done:
    gt_text_destroy(&path);
    return status;
}

int gt_cmd_zoo(int argc, char **argv)
{
    gt_cli_list operands = {0};
    const char *output = NULL;
    double width = 1;
    int64_t resolution = 0;
    int64_t seed = 1;
    const gt_cli_option options[] = {
        {"output", 'o', GT_CLI_STRING, "FILE", "where to write it (default: NAME.onnx)", &output, 0, 0},
        {"width", 'w', GT_CLI_REAL, "X", "multiplier of the channel counts (default 1)", &width, 0.1, 4},
        {"resolution", 'r', GT_CLI_INT, "N", "height and width of the input (default: the architecture's)", &resolution, 1, 8192},
        {"seed", 0, GT_CLI_INT, "N", "seed of the weights (default 1)", &seed, 0, 1e15},
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &operands);
    if (code == GT_EXIT_OK) {
        gt_zoo_options o = {.width = width, .resolution = resolution, .seed = (uint64_t)seed};
        code = gt_cli_finish(operands.n == 0 ? list() : write_model(operands.items[0], &o, output));
    }
    gt_cli_list_clear(&operands);
    return code;
}
