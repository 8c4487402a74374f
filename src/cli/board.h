/* SPDX-License-Identifier: Apache-2.0 */
/* A board that graphtune-board is copied to and run on over ssh. Everything lies in one folder there; names of files are
 * without a folder. A step that is done already is not done again, so that a broken connection costs nothing but the step
 * in progress. */
#ifndef GT_CLI_BOARD_H
#define GT_CLI_BOARD_H

#include "src/cli/ssh.h"

typedef struct gt_board {
    gt_ssh ssh;
    const char *folder; /* borrowed; relative to the home folder there unless absolute */
    char arch[32];      /* "aarch64", as `uname -m` has it */
    char device[17];    /* the fingerprint's hash */
    char isa[16];       /* "neon" */
    char model[128];
} gt_board;

/* Connects, makes the folder, and asks for the architecture. Close in any case. Errors: GT_ERROR_ARGUMENT, GT_ERROR_IO. */
gt_status gt_board_open(gt_board *board, const char *where, const char *folder, const gt_cli_list *ssh_options) GT_NODISCARD;
void gt_board_close(gt_board *board);

/* Sends the program unless the same one is there, and asks it for the device. `agent` NULL: the one for this architecture
 * that lies beside this program or where `make board` puts it. *sent: it was. Errors: GT_ERROR_NOT_FOUND, GT_ERROR_IO,
 * GT_ERROR_FORMAT. */
gt_status gt_board_install(gt_board *board, bool *sent, const char *agent) GT_NODISCARD;

/* Whether a file is there. */
gt_status gt_board_has(const gt_board *board, bool *has, const char *name) GT_NODISCARD;

/* Sends a file unless the same one (SHA-256) is there; it is there whole or not at all. sent may be NULL. */
gt_status gt_board_send(const gt_board *board, bool *sent, const char *path, const char *name) GT_NODISCARD;

/* Fetches a file, replacing `path` atomically. `name` may have a folder in it. */
gt_status gt_board_fetch(const gt_board *board, const char *path, const char *name) GT_NODISCARD;

/* Runs "./graphtune-board ARGUMENTS" in the folder, the arguments quoted already. Its output goes to ours, or nowhere when
 * quiet. Errors: GT_ERROR_IO: the connection, a status other than 0, or an interrupt. */
gt_status gt_board_run(const gt_board *board, const char *arguments, bool heartbeat, bool quiet) GT_NODISCARD;

#endif
