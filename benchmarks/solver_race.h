/* SPDX-License-Identifier: Apache-2.0 */
/* The solver and toulbar2 on one network, in turns, so that both meet the same conditions. */
#ifndef GT_BENCHMARKS_SOLVER_RACE_H
#define GT_BENCHMARKS_SOLVER_RACE_H

#include "benchmarks/solver_toulbar2.h"

typedef struct rc_times {
    double ms;            /* ours: median of the CPU times */
    double theirs;        /* toulbar2's median, in ms; -1: no answer */
    tb_answer answer;
    gt_cfn_result result; /* the last one; owned */
} rc_times;

/* toulbar2 runs as often as we do unless that takes more than a second or two. *t must be zeroed. */
void rc_race(rc_times *t, const gt_cfn *cfn, int repeats, int limit_s);

void rc_clear(rc_times *t);

#endif
