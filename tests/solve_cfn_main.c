/* SPDX-License-Identifier: Apache-2.0 */
/* Solves toulbar2 "cfn" files and prints one line per file: for solve_against_toulbar2.sh and by hand.
 * usage: solve_cfn [--finite] [--skip=MASK] [--repeats=N] FILE…  (--finite: large costs stay finite; the time
 * printed is the least of the repeats) */
#include "tests/solve_cfn_file.h"

#include <stdio.h>
#include <string.h>

/* gen_cfn.py writes forbidden pairs as 10^7 */
#define FORBIDDEN_FROM 10000000

static gt_status solve(const char *path, int64_t forbidden_from, unsigned skip, int repeats)
{
    gt_status status = GT_OK;
    gt_cfn *cfn = NULL;
    gt_cfn_result result = {0};
    const gt_cfn_options options = {.skip = skip};
    GT_TRY(gt_test_read_cfn(&cfn, path, forbidden_from));
    int64_t least_ns = INT64_MAX;
    for (int k = 0; k < repeats; k++) {
        gt_cfn_result_destroy(&result);
        GT_TRY(gt_cfn_solve(cfn, &result, &options));
        least_ns = result.solver_ns < least_ns ? result.solver_ns : least_ns;
    }
    printf("%s: cost %lld lower_bound %lld optimal %d width %d met %d nodes %lld backtracks %lld ms %.3f method %s\n",
           path, (long long)result.cost, (long long)result.lower_bound, result.optimal, (int)result.width,
           (int)result.width_met, (long long)result.nodes, (long long)result.backtracks,
           (double)least_ns / 1e6, result.method);
done:
    gt_cfn_result_destroy(&result);
    gt_cfn_destroy(cfn);
    return status;
}

int main(int argc, char **argv)
{
    int64_t forbidden_from = FORBIDDEN_FROM;
    int failed = argc < 2, repeats = 1;
    unsigned skip = 0;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--finite") == 0) {
            forbidden_from = INT64_MAX;
        } else if (sscanf(argv[k], "--skip=%u", &skip) == 1 || sscanf(argv[k], "--repeats=%d", &repeats) == 1) {
            continue;
        } else if (solve(argv[k], forbidden_from, skip, repeats) != GT_OK) {
            fprintf(stderr, "%s: %s\n", argv[k], gt_error_message());
            failed = 1;
        }
    }
    return failed;
}
