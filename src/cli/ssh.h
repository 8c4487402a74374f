/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on another machine, with the system's ssh. Files go through the same commands' standard input and output, so that
 * the other machine needs a shell, and neither scp nor an sftp server. */
#ifndef GT_CLI_SSH_H
#define GT_CLI_SSH_H

#include "src/cli/cli.h"

typedef struct gt_ssh {
    char *target; /* "user@host" */
    char port[8]; /* "": ssh's own choice */
    const gt_cli_list *options; /* each becomes -o OPTION; borrowed */
} gt_ssh;

/* Takes USER@HOST, HOST, either with :PORT behind it, where an IPv6 address stands in brackets. Errors: GT_ERROR_ARGUMENT.
 * Clear in any case. */
gt_status gt_ssh_open(gt_ssh *ssh, const char *where, const gt_cli_list *options) GT_NODISCARD;
void gt_ssh_clear(gt_ssh *ssh);

/* Appends a word quoted for a POSIX shell, whatever is in it. */
gt_status gt_ssh_quote(gt_text *text, const char *word) GT_NODISCARD;

/* How a command is run. */
typedef struct gt_ssh_io {
    const char *input_path;  /* its standard input comes from this file; NULL: it is empty */
    const char *output_path; /* its standard output goes into this new file; NULL: to `output`, or to our own */
    gt_text *output;         /* appended to */
    bool heartbeat;          /* standard input stays open, with a byte every few seconds, until the command or this process
                              * ends */
} gt_ssh_io;

/* Runs a shell script there and waits for it. *code is its exit status. SIGINT ends ssh and is no error of this process:
 * *interrupted. Errors: GT_ERROR_IO: ssh cannot be started, could not connect, or lost the connection. */
gt_status gt_ssh_run(int *code, bool *interrupted, const gt_ssh *ssh, const char *script, const gt_ssh_io *io) GT_NODISCARD;

#endif
