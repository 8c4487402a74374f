/* SPDX-License-Identifier: Apache-2.0 */
/* The forked child that a candidate may crash, hang or fill up without harm. */
#include "costmodel/measure_internal.h"

#include "ops/blas.h"
#include "src/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREAD_RESERVE_BYTES ((int64_t)256 << 20)

_Static_assert(sizeof(gt_i_outcome) <= PIPE_BUF, "an outcome must fit into one atomic write to a pipe");

/* ---- the child's side ---- */

static int64_t address_space_bytes(void)
{
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file != NULL) {
        if (fscanf(file, "%lld", &pages) != 1) {
            pages = 0;
        }
        fclose(file);
    }
    return pages * sysconf(_SC_PAGESIZE);
}

/* The address space is what can be limited; a further thread reserves much of it for its stack and its malloc
 * arena without using it. */
static void limit_memory(const gt_measure_options *o)
{
    int64_t base = address_space_bytes();
    if (o->memory_bytes > 0 && base > 0) {
        rlim_t limit = (rlim_t)(base + o->memory_bytes + (o->threads - 1) * THREAD_RESERVE_BYTES);
        (void)setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit});
    }
}

/* The terminal's Ctrl-C reaches the whole process group: the parent alone decides what it means. What a dying
 * candidate prints would only disturb (GT_MEASURE_VERBOSE in the environment shows it). */
static void isolate(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (getenv("GT_MEASURE_VERBOSE") == NULL) {
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (null >= 0) {
            dup2(null, STDOUT_FILENO);
            dup2(null, STDERR_FILENO);
        }
    }
}

_Noreturn static void be_child(int fd, pid_t parent, gt_i_child_fn body, const void *context,
                               const gt_measure_options *o)
{
    gt_i_outcome outcome = {0};
    isolate(parent);
    outcome.error = gt_i_pin_process(o);
    if (outcome.error != GT_OK) {
        snprintf(outcome.note, sizeof outcome.note, "%s", gt_error_message());
    } else {
        limit_memory(o);
        body(&outcome, context);
    }
    ssize_t put = write(fd, &outcome, sizeof outcome);
    _exit(put == (ssize_t)sizeof outcome ? 0 : 1);
}

/* ---- the parent's side ---- */

/* Reads the outcome; false when the child closed its end before or the time was over (*late). */
static bool receive(gt_i_outcome *outcome, int fd, int64_t deadline, bool *late)
{
    size_t have = 0;
    while (have < sizeof *outcome) {
        int64_t left = deadline - gt_now_ns();
        struct pollfd waiting = {.fd = fd, .events = POLLIN};
        int timeout_ms = left <= 0                           ? 0
                         : left > (int64_t)INT_MAX * 1000000 ? INT_MAX
                                                             : (int)(left / 1000000) + 1;
        int ready = poll(&waiting, 1, timeout_ms);
        if (ready == 0 && gt_now_ns() >= deadline) {
            *late = true;
            return false;
        }
        if (ready <= 0) {
            continue; /* interrupted by a signal, or woken a little early */
        }
        ssize_t got = read(fd, (char *)outcome + have, sizeof *outcome - have);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        have += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* What a child that sent nothing died of. */
static void describe_death(gt_i_outcome *outcome, int wait_status, bool late, int64_t timeout_ns)
{
    *outcome = (gt_i_outcome){.status = GT_RECORD_CRASH};
    if (late) {
        outcome->status = GT_RECORD_TIMEOUT;
        snprintf(outcome->note, sizeof outcome->note, "not finished after %.3g s", (double)timeout_ns / 1e9);
    } else if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL) {
        /* Nobody else sends it to a measuring child. */
        outcome->status = GT_RECORD_OOM;
        snprintf(outcome->note, sizeof outcome->note, "killed by the system (out of memory)");
    } else if (WIFSIGNALED(wait_status)) {
        snprintf(outcome->note, sizeof outcome->note, "signal %d (%s)", WTERMSIG(wait_status),
                 strsignal(WTERMSIG(wait_status)));
    } else {
        snprintf(outcome->note, sizeof outcome->note, "exited with code %d", WEXITSTATUS(wait_status));
    }
}

/* A candidate that overwrote its own memory may send anything. */
static void distrust(gt_i_outcome *outcome)
{
    const gt_timing *t = &outcome->timing;
    outcome->note[sizeof outcome->note - 1] = '\0';
    if ((unsigned)outcome->status >= GT_RECORD_STATUS_COUNT || (unsigned)outcome->error > GT_ERROR_INTERNAL ||
        !isfinite(t->median_ns) || !isfinite(t->min_ns) || !isfinite(t->lo_ns) || !isfinite(t->hi_ns)) {
        *outcome = (gt_i_outcome){.status = GT_RECORD_CRASH, .note = "reported nonsense"};
    }
}

/* OpenBLAS stops its own threads on its first call; before a fork, so that no child has to. */
static void settle_blas(void)
{
    float one = 1, product = 0;
    if (gt_blas_available()) {
        gt_blas_sgemm(&product, 1, &one, 1, false, &one, 1, false, 1, 1, 1, false);
    }
}

gt_status gt_i_run_child(gt_i_outcome *outcome, gt_i_child_fn body, const void *context,
                         const gt_measure_options *o)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int ends[2];
    int wait_status = 0;
    bool late = false;
    pthread_once(&once, settle_blas);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return gt_fail(GT_ERROR_LIMIT, "cannot measure: no pipe: %s", strerror(errno));
    }
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        be_child(ends[1], parent, body, context, o);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return gt_fail(GT_ERROR_LIMIT, "cannot measure: no child process: %s", strerror(errno));
    }
    bool received = receive(outcome, ends[0], gt_now_ns() + o->timeout_ns, &late);
    close(ends[0]);
    if (received || late) {
        kill(child, SIGKILL);
    }
    while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
    }
    if (received) {
        distrust(outcome);
    } else {
        describe_death(outcome, wait_status, late, o->timeout_ns);
    }
    return outcome->error == GT_OK ? GT_OK : gt_fail(outcome->error, "cannot measure: %s", outcome->note);
}
