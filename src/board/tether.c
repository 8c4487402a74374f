/* SPDX-License-Identifier: Apache-2.0 */
/* sshd gives a command without a terminal no signal when the connection breaks: only its standard input ends. */
#include "src/board/tether.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

/* Whether the other end still talks; waits for it. */
static int is_alive(void)
{
    char bytes[64];
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, GT_TETHER_SILENCE_MS) > 0 && read(STDIN_FILENO, bytes, sizeof bytes) > 0;
}

static void watch(pid_t worker)
{
    signal(SIGINT, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == worker && is_alive()) {
    }
    if (getppid() == worker) {
        kill(worker, SIGTERM);
    }
    _exit(0);
}

/* The watcher alone reads the connection and holds none of its outputs open: the connection ends with the work. */
static void close_outputs(void)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
}

void gt_tether(void)
{
    const pid_t worker = getpid();
    if (fork() == 0) {
        close_outputs();
        watch(worker);
    }
}
