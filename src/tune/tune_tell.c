/* SPDX-License-Identifier: Apache-2.0 */
/* What the user hears at the end of a tune: candidates that cannot be used, an interruption, a hot machine. */
#include "src/tune/tune_internal.h"

#include <stdio.h>

#define LISTED_TROUBLES 10

gt_status gt_i_tune_note_trouble(gt_i_tune *t, const gt_record *r)
{
    gt_tune_report *report = &t->report;
    int64_t *const counts[GT_RECORD_STATUS_COUNT] = {NULL, &report->wrong, &report->crash, &report->timeout,
                                                     &report->oom, &report->failed};
    if (r->status == GT_RECORD_OK) {
        return GT_OK;
    }
    ++*counts[r->status];
    int64_t n = report->wrong + report->crash + report->timeout + report->oom + report->failed;
    if (n > LISTED_TROUBLES) {
        return GT_OK;
    }
    return gt_text_append(&t->troubles, "  %s: %s %s->%s {%s} on %s%s%s\n", gt_record_status_name(r->status),
                          r->kind == GT_RECORD_OP ? r->template_name : "transform", gt_layout_name(r->in),
                          gt_layout_name(r->out), r->config, r->workload, r->note != NULL ? ": " : "",
                          r->note != NULL ? r->note : "");
}

void gt_i_tune_tell_end(const gt_i_tune *t, const char *path)
{
    const gt_tune_report *r = &t->report;
    long long bad = r->wrong + r->crash + r->timeout + r->oom + r->failed;
    if (r->interrupted) {
        fprintf(stderr,
                "graphtune: interrupted: %s holds the %lld candidates measured in this run; the same command "
                "continues\n",
                path, (long long)r->measured);
    }
    if (r->throttled > 0) {
        fprintf(stderr,
                "graphtune: warning: %lld candidates were measured while the processor was throttled (governor %s) and may look "
                "slower than they are: cool the machine, and the same command measures them again\n",
                (long long)r->throttled, t->device.governor[0] != '\0' ? t->device.governor : "unknown");
    }
    if (bad > 0) {
        fprintf(stderr,
                "graphtune: %lld candidates cannot be used (wrong %lld, crash %lld, timeout %lld, out of "
                "memory %lld, failed %lld):\n%s%s",
                bad, (long long)r->wrong, (long long)r->crash, (long long)r->timeout, (long long)r->oom,
                (long long)r->failed, t->troubles.data != NULL ? t->troubles.data : "",
                bad > LISTED_TROUBLES ? "  …\n" : "");
    }
}
