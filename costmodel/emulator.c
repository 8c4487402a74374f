/* SPDX-License-Identifier: Apache-2.0 */
#include "costmodel/emulator.h"

#include "src/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_NS 2000000000 /* for a process that has lost its input to end by itself */

_Noreturn static void be_child(char *const *argv, int in, int out)
{
    setsid();
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0) {
        execvp(argv[0], argv);
    }
    _exit(127);
}

gt_status gt_i_emulator_start(gt_i_emulator *e, char *const *argv)
{
    gt_status status = GT_OK;
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    GT_REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to) == 0 && pipe2(from, O_CLOEXEC) == 0, GT_ERROR_IO, "%s: no pipe: %s", argv[0],
               strerror(errno));
    pid_t pid = fork();
    if (pid == 0) {
        be_child(argv, to[0], from[1]);
    }
    GT_REQUIRE(pid > 0, GT_ERROR_IO, "%s: no child process: %s", argv[0], strerror(errno));
    *e = (gt_i_emulator){.pid = pid, .in = to[1], .out = from[0]};
    to[1] = from[0] = -1;
done:
    for (int i = 0; i < 2; i++) {
        close(to[i]);
        close(from[i]);
    }
    return status;
}

/* A socket, so that a process that has ended is an error and no SIGPIPE. */
static bool send_all(int fd, const char *data, size_t bytes)
{
    while (bytes > 0) {
        ssize_t put = send(fd, data, bytes, MSG_NOSIGNAL);
        if (put < 0 && errno != EINTR) {
            return false;
        }
        data += put > 0 ? put : 0;
        bytes -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* Waits for more; false when the time is over. */
static bool wait_readable(int fd, int64_t deadline)
{
    for (;;) {
        int64_t left = deadline - gt_now_ns();
        struct pollfd waiting = {.fd = fd, .events = POLLIN};
        if (left <= 0) {
            return false;
        }
        if (poll(&waiting, 1, left / 1000000 < 60000 ? (int)(left / 1000000) + 1 : 60000) > 0) {
            return true;
        }
    }
}

/* Takes the first line out of `rest`; false where there is none yet. */
static bool take_line(gt_text *answer, gt_text *rest, gt_status *status)
{
    char *end = rest->length > 0 ? memchr(rest->data, '\n', rest->length) : NULL;
    if (end == NULL) {
        return false;
    }
    *status = gt_text_append(answer, "%.*s", (int)(end - rest->data), rest->data);
    size_t taken = (size_t)(end - rest->data) + 1;
    memmove(rest->data, rest->data + taken, rest->length - taken + 1);
    rest->length -= taken;
    return true;
}

gt_status gt_i_emulator_ask(gt_i_emulator *e, gt_text *answer, const gt_text *request, double timeout_s, bool *late, bool *died)
{
    gt_status status = GT_OK;
    int64_t deadline = gt_now_ns() + (int64_t)(timeout_s * 1e9);
    *late = false;
    *died = !send_all(e->in, request->data, request->length);
    while (!*died && !take_line(answer, &e->rest, &status)) {
        char buffer[4096];
        if (!wait_readable(e->out, deadline)) {
            *late = true;
            break;
        }
        ssize_t got = read(e->out, buffer, sizeof buffer);
        *died = got == 0 || (got < 0 && errno != EINTR);
        if (got > 0) {
            GT_TRY(gt_text_append(&e->rest, "%.*s", (int)got, buffer));
        }
    }
done:
    return status;
}

void gt_i_emulator_stop(gt_i_emulator *e, int *wait_status)
{
    int ignored = 0;
    int *how = wait_status != NULL ? wait_status : &ignored;
    if (e->pid == 0) {
        return;
    }
    close(e->in);
    close(e->out);
    int64_t deadline = gt_now_ns() + GRACE_NS;
    while (waitpid(e->pid, how, WNOHANG) == 0) {
        if (gt_now_ns() > deadline) {
            kill(-e->pid, SIGKILL);
            kill(e->pid, SIGKILL);
            deadline = INT64_MAX;
        }
        (void)poll(NULL, 0, 5);
    }
    gt_text_destroy(&e->rest);
    *e = (gt_i_emulator){0};
}
