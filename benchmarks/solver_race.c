/* SPDX-License-Identifier: Apache-2.0 */
#include "benchmarks/solver_race.h"

#include "benchmarks/solver_measure.h"
#include "benchmarks/solver_problem.h"

void rc_race(rc_times *t, const gt_cfn *cfn, int repeats, int limit_s)
{
    char path[256];
    double *ours = NULL, *theirs = NULL, spent_ms = 0;
    int n_theirs = 0;
    lp_must(gt_calloc(&ours, (size_t)repeats, sizeof *ours));
    lp_must(gt_calloc(&theirs, (size_t)repeats, sizeof *theirs));
    tb_write(path, sizeof path, cfn);
    for (int i = 0; i < repeats; i++) {
        int64_t ns = 0;
        gt_cfn_result_destroy(&t->result);
        ms_solve(cfn, &t->result, NULL, &ns);
        ours[i] = (double)ns * 1e-6;
        if (tb_available() && (i == 0 || (t->answer.proved && spent_ms < 1000))) {
            t->answer = tb_solve_file(path, limit_s);
            theirs[n_theirs] = t->answer.seconds * 1e3;
            spent_ms += theirs[n_theirs++];
        }
    }
    tb_remove(path);
    t->ms = ms_median(ours, repeats);
    t->theirs = t->answer.proved ? ms_median(theirs, n_theirs) : -1;
    gt_free(ours);
    gt_free(theirs);
}

void rc_clear(rc_times *t)
{
    gt_cfn_result_destroy(&t->result);
    *t = (rc_times){0};
}
