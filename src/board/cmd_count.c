/* SPDX-License-Identifier: Apache-2.0 */
#include "costmodel/count_serve.h"
#include "src/board/commands.h"
#include "src/cli/common.h"

static const gt_cli_command command = {
    .name = "count",
    .usage = "",
    .summary = "Runs candidates for `graphtune tune --source counted`, which starts this program under an instruction counter on\n"
               "a PC and sends requests to standard input. It is of no use on a board.",
};

int gt_board_count(int argc, char **argv)
{
    gt_cli_list operands = {0};
    int code = gt_cli_parse(&command, NULL, 0, argc, argv, &operands);
    code = code == GT_EXIT_OK ? gt_cli_finish(gt_count_serve(stdin, stdout)) : code;
    gt_cli_list_clear(&operands);
    return code;
}
