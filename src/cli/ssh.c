/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/ssh.h"

#include "src/base/clock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HEARTBEAT_NS INT64_C(5000000000)
#define SSH_FAILED 255 /* ssh's own failures */

/* ---- where ---- */

/* Splits ":PORT" off. In an address without brackets that has several colons, none of them is a port's. */
static size_t find_port(const char **port, const char *where)
{
    const char *colon = strrchr(where, ':');
    const bool is_port = colon != NULL && (strchr(where, ':') == colon || (colon > where && colon[-1] == ']'));
    *port = is_port ? colon + 1 : NULL;
    return is_port ? (size_t)(colon - where) : strlen(where);
}

/* ssh takes an IPv6 address without its brackets. */
static void strip_brackets(char *target)
{
    char *open = strchr(target, '[');
    char *close = open != NULL ? strchr(open, ']') : NULL;
    if (close != NULL && close[1] == '\0' && (open == target || open[-1] == '@')) {
        *close = '\0';
        memmove(open, open + 1, strlen(open));
    }
}

gt_status gt_ssh_open(gt_ssh *ssh, const char *where, const gt_cli_list *options)
{
    gt_status status = GT_OK;
    const char *port = NULL;
    int64_t number = 0;
    *ssh = (gt_ssh){.options = options};
    const size_t length = find_port(&port, where);
    for (const char *c = where; *c != '\0'; c++) {
        GT_REQUIRE(!isspace((unsigned char)*c) && !iscntrl((unsigned char)*c), GT_ERROR_ARGUMENT,
                   "--board \"%s\": USER@HOST or USER@HOST:PORT is needed, without blanks", where);
    }
    GT_REQUIRE(length > 0 && where[0] != '-' && where[0] != '@' && where[length - 1] != '@', GT_ERROR_ARGUMENT,
               "--board \"%s\": USER@HOST or USER@HOST:PORT is needed", where);
    GT_REQUIRE(port == NULL || (gt_parse_i64(&number, port) && number >= 1 && number <= 65535), GT_ERROR_ARGUMENT,
               "--board \"%s\": the port is \"%s\"; a number from 1 to 65535 is needed", where, port);
    GT_TRY(gt_calloc(&ssh->target, length + 1, 1));
    memcpy(ssh->target, where, length);
    strip_brackets(ssh->target);
    if (port != NULL) {
        snprintf(ssh->port, sizeof ssh->port, "%d", (int)number);
    }
done:
    return status;
}

void gt_ssh_clear(gt_ssh *ssh)
{
    gt_free(ssh->target);
    *ssh = (gt_ssh){0};
}

/* ---- commands ---- */

gt_status gt_ssh_quote(gt_text *text, const char *word)
{
    gt_status status = GT_OK;
    GT_TRY(gt_text_append(text, "'"));
    for (const char *c = word; *c != '\0'; c++) {
        GT_TRY(*c == '\'' ? gt_text_append(text, "'\\''") : gt_text_append_bytes(text, c, 1));
    }
    GT_TRY(gt_text_append(text, "'"));
done:
    return status;
}

/* The argument vector; its array is the caller's. The remote login shell, whichever it is, sees one quoted word. */
static gt_status make_arguments(const char ***out, gt_text *command, const gt_ssh *ssh, const char *script)
{
    gt_status status = GT_OK;
    const char **argv = NULL;
    int n = 0;
    GT_TRY(gt_text_append(command, "exec sh -c "));
    GT_TRY(gt_ssh_quote(command, script));
    GT_TRY(gt_calloc(&argv, (size_t)(2 * ssh->options->n + 8), sizeof *argv));
    argv[n++] = "ssh";
    argv[n++] = "-T";
    if (ssh->port[0] != '\0') {
        argv[n++] = "-p";
        argv[n++] = ssh->port;
    }
    for (int i = 0; i < ssh->options->n; i++) {
        argv[n++] = "-o";
        argv[n++] = ssh->options->items[i];
    }
    argv[n++] = "--";
    argv[n++] = ssh->target;
    argv[n++] = command->data;
    *out = argv;
    argv = NULL;
done:
    gt_free(argv);
    return status;
}

/* ---- processes ---- */

/* The ends of the command's streams: the child's (-1: our own stream is handed on) and ours (-1: none). */
struct streams {
    int child_in, child_out, in, out;
};

static void close_one(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

static void close_streams(struct streams *s)
{
    close_one(&s->child_in);
    close_one(&s->child_out);
    close_one(&s->in);
    close_one(&s->out);
}

static gt_status open_pipe(int *reading, int *writing)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return gt_fail(GT_ERROR_IO, "cannot make a pipe: %s", strerror(errno));
    }
    *reading = ends[0];
    *writing = ends[1];
    return GT_OK;
}

static gt_status open_file(int *fd, const char *path, int flags)
{
    *fd = open(path, flags | O_CLOEXEC, 0666);
    return *fd >= 0 ? GT_OK : gt_fail(GT_ERROR_IO, "%s: %s", path, strerror(errno));
}

static gt_status open_streams(struct streams *s, const gt_ssh_io *io)
{
    gt_status status = GT_OK;
    if (io->heartbeat) {
        GT_TRY(open_pipe(&s->child_in, &s->in));
    } else {
        GT_TRY(open_file(&s->child_in, io->input_path != NULL ? io->input_path : "/dev/null", O_RDONLY));
    }
    if (io->output_path != NULL) {
        GT_TRY(open_file(&s->child_out, io->output_path, O_WRONLY | O_CREAT | O_TRUNC));
    } else if (io->output != NULL) {
        GT_TRY(open_pipe(&s->out, &s->child_out));
    }
done:
    return status;
}

static void become_ssh(const char **argv, const struct streams *s)
{
    signal(SIGPIPE, SIG_DFL);
    dup2(s->child_in, STDIN_FILENO);
    if (s->child_out >= 0) {
        dup2(s->child_out, STDOUT_FILENO);
    }
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    dprintf(STDERR_FILENO, "graphtune: cannot start ssh: %s\n", strerror(errno));
    _exit(SSH_FAILED);
}

static gt_status read_all(gt_text *text, int fd)
{
    char bytes[4096];
    for (;;) {
        const ssize_t n = read(fd, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n == 0 ? GT_OK : gt_fail(GT_ERROR_IO, "cannot read from ssh: %s", strerror(errno));
        }
        gt_status status = gt_text_append_bytes(text, bytes, (size_t)n);
        if (status != GT_OK) {
            return status;
        }
    }
}

/* Waits for the child; as long as it runs, a byte goes to it every few seconds. Where it no longer reads, it is about to
 * end. */
static int wait_for(pid_t child, int heart)
{
    int code = 0;
    int64_t last = gt_now_ns();
    pid_t ended = 0;
    while (ended != child) {
        ended = waitpid(child, &code, heart >= 0 ? WNOHANG : 0);
        if (ended < 0 && errno != EINTR) {
            return -1;
        }
        if (ended == 0) {
            nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        }
        if (heart >= 0 && gt_now_ns() - last > HEARTBEAT_NS) {
            last = gt_now_ns();
            ssize_t ignored = write(heart, "\n", 1);
            (void)ignored;
        }
    }
    return code;
}

static volatile sig_atomic_t was_interrupted;

static void note_interrupt(int signal_number)
{
    (void)signal_number;
    was_interrupted = 1;
}

/* A terminal's SIGINT goes to ssh as well, which ends by it; that is noted here. */
static void catch_signals(struct sigaction old[2])
{
    const struct sigaction note = {.sa_handler = note_interrupt, .sa_flags = SA_RESTART};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    was_interrupted = 0;
    sigaction(SIGINT, &note, &old[0]);
    sigaction(SIGPIPE, &ignore, &old[1]);
}

static void restore_signals(const struct sigaction old[2])
{
    sigaction(SIGINT, &old[0], NULL);
    sigaction(SIGPIPE, &old[1], NULL);
}

static gt_status judge(int *code, bool *interrupted, const gt_ssh *ssh, int wait_status)
{
    gt_status status = GT_OK;
    *interrupted = was_interrupted != 0;
    *code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : SSH_FAILED;
    GT_REQUIRE(*interrupted || *code != SSH_FAILED, GT_ERROR_IO, "%s: ssh could not connect, or the connection was lost",
               ssh->target);
done:
    return status;
}

gt_status gt_ssh_run(int *code, bool *interrupted, const gt_ssh *ssh, const char *script, const gt_ssh_io *io)
{
    gt_status status = GT_OK;
    const char **argv = NULL;
    gt_text command = {0};
    struct streams s = {-1, -1, -1, -1};
    struct sigaction old[2];
    GT_TRY(make_arguments(&argv, &command, ssh, script));
    GT_TRY(open_streams(&s, io));
    fflush(NULL);
    catch_signals(old);
    const pid_t child = fork();
    if (child == 0) {
        become_ssh(argv, &s);
    }
    close_one(&s.child_in);
    close_one(&s.child_out);
    const gt_status reading = child > 0 && s.out >= 0 ? read_all(io->output, s.out) : GT_OK;
    close_one(&s.out);
    const int wait_status = child > 0 ? wait_for(child, s.in) : -1;
    restore_signals(old);
    GT_REQUIRE(child > 0 && wait_status != -1, GT_ERROR_IO, "ssh cannot be started: %s", strerror(errno));
    GT_TRY(judge(code, interrupted, ssh, wait_status));
    GT_TRY(reading);
done:
    close_streams(&s);
    gt_text_destroy(&command);
    gt_free(argv);
    return status;
}
