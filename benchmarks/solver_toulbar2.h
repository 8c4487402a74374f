/* SPDX-License-Identifier: Apache-2.0 */
/* toulbar2 (https://toulbar2.github.io/toulbar2/), run as a command on one network at a time. */
#ifndef GT_BENCHMARKS_SOLVER_TOULBAR2_H
#define GT_BENCHMARKS_SOLVER_TOULBAR2_H

#include "src/solve/cfn.h"

typedef struct tb_answer {
    bool proved;    /* else it ran out of time, or failed */
    int64_t cost;
    double seconds; /* as it reports: CPU time after reading the file */
} tb_answer;

/* Whether the command is installed. */
bool tb_available(void);

/* Solves a network within so many seconds. Its preprocessing time has six digits, its total three decimals: the first
 * is taken where it opened no node, so that nothing but preprocessing happened, else the total. */
tb_answer tb_solve(const gt_cfn *cfn, int seconds);

/* The same `repeats` times on a file: the least time. tb_write makes the file, which tb_remove deletes. */
void tb_write(char *path, size_t bytes, const gt_cfn *cfn);
tb_answer tb_solve_file(const char *path, int seconds);
void tb_remove(const char *path);

/* Keeps a network on which something went wrong as "solver-<name>.cfn" in the current folder and says so. */
void tb_keep(const gt_cfn *cfn, const char *name);

#endif
