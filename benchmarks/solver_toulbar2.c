/* SPDX-License-Identifier: Apache-2.0 */
#include "benchmarks/solver_toulbar2.h"

#include "benchmarks/solver_problem.h"
#include "src/import/cfn_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool tb_available(void)
{
    static int known = -1;
    if (known < 0) {
        known = system("command -v toulbar2 >/dev/null 2>&1") == 0;
    }
    return known == 1;
}

/* toulbar2 tells the format by the name's end. */
void tb_write(char *path, size_t bytes, const gt_cfn *cfn)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, bytes, "%s/graphtune-solver-%ld.cfn", folder != NULL ? folder : "/tmp", (long)getpid());
    lp_must(gt_cfn_file_write(cfn, path, NULL));
}

void tb_remove(const char *path)
{
    unlink(path);
}

static void read_line(tb_answer *answer, double *preprocessing, const char *line)
{
    long long nodes = 0;
    double total = 0;
    const char *rest = NULL;
    if (sscanf(line, "Preprocessing time: %lf", preprocessing) == 1) {
        return;
    }
    if (sscanf(line, "Optimum: %lld", (long long[]){0}) == 1 && (rest = strstr(line, " backtracks and ")) != NULL &&
        sscanf(rest, " backtracks and %lld nodes", &nodes) == 1 && (rest = strrchr(line, ')')) != NULL &&
        sscanf(rest, ") and %lf seconds", &total) == 1) {
        answer->proved = true;
        answer->cost = strtoll(line + strlen("Optimum: "), NULL, 10);
        answer->seconds = nodes == 0 && *preprocessing > 0 ? *preprocessing : total;
    }
}

tb_answer tb_solve_file(const char *path, int seconds)
{
    tb_answer answer = {0};
    char command[512];
    char *line = NULL;
    size_t capacity = 0;
    double preprocessing = 0;
    snprintf(command, sizeof command, "exec toulbar2 -timer=%d '%s' 2>/dev/null", seconds, path);
    FILE *out = popen(command, "r");
    while (out != NULL && getline(&line, &capacity, out) > 0) {
        read_line(&answer, &preprocessing, line);
    }
    free(line);
    if (out != NULL) {
        pclose(out);
    }
    return answer;
}

tb_answer tb_solve(const gt_cfn *cfn, int seconds)
{
    char path[256];
    tb_write(path, sizeof path, cfn);
    tb_answer answer = tb_solve_file(path, seconds);
    tb_remove(path);
    return answer;
}

void tb_keep(const gt_cfn *cfn, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "solver-%s.cfn", name);
    if (gt_cfn_file_write(cfn, path, NULL) == GT_OK) {
        fprintf(stderr, "kept as %s\n", path);
    }
}
