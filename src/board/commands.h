/* SPDX-License-Identifier: Apache-2.0 */
/* graphtune-board's commands: those of graphtune that need neither importers nor the solver. `device` is graphtune's own. */
#ifndef GT_BOARD_COMMANDS_H
#define GT_BOARD_COMMANDS_H

#define GT_BOARD_COMMANDS(X)                                                          \
    X("tune", gt_board_tune, "measure a tasks file's candidates on this board; resumable") \
    X("run", gt_board_run, "execute a bundle")                                        \
    X("bench", gt_board_bench, "latency of a bundle")                                 \
    X("device", gt_cmd_device, "the fingerprint of this board")                       \
    X("count", gt_board_count, "run candidates under an instruction counter, for graphtune tune --source counted")

#define X(name, function, summary) int function(int argc, char **argv);
GT_BOARD_COMMANDS(X)
#undef X

#endif
