/* SPDX-License-Identifier: Apache-2.0 */
/* Solves CFN files and prints one line per file: for solve_against_toulbar2.sh and by hand.
 * usage: solve_cfn [--skip=MASK] [--repeats=N] FILE…  (the time printed is the least of the repeats) */
#include "src/import/cfn_file.h"

#include <stdio.h>

static gt_status solve(const char *path, unsigned skip, int repeats)
{
    gt_status status = GT_OK;
    gt_cfn_file *file = NULL;
    gt_cfn_result result = {0};
    char cost[32], bound[32];
    const gt_cfn_options options = {.skip = skip};
    GT_TRY(gt_cfn_file_read(&file, path));
    int64_t least_ns = INT64_MAX;
    for (int k = 0; k < repeats; k++) {
        gt_cfn_result_destroy(&result);
        GT_TRY(gt_cfn_solve(file->cfn, &result, &options));
        least_ns = result.solver_ns < least_ns ? result.solver_ns : least_ns;
    }
    printf("%s: cost %s bound %s optimal %d width %d met %d nodes %lld backtracks %lld ms %.3f method %s\n", path,
           gt_cfn_format_cost(cost, sizeof cost, gt_cfn_file_cost(file, result.cost), file->decimals),
           gt_cfn_format_cost(bound, sizeof bound, gt_cfn_file_cost(file, result.lower_bound), file->decimals), result.optimal,
           (int)result.width, (int)result.width_met, (long long)result.nodes, (long long)result.backtracks,
           (double)least_ns / 1e6, result.method);
done:
    gt_cfn_result_destroy(&result);
    gt_cfn_file_destroy(file);
    return status;
}

int main(int argc, char **argv)
{
    int failed = argc < 2, repeats = 1;
    unsigned skip = 0;
    for (int k = 1; k < argc; k++) {
        if (sscanf(argv[k], "--skip=%u", &skip) == 1 || sscanf(argv[k], "--repeats=%d", &repeats) == 1) {
            continue;
        }
        if (solve(argv[k], skip, repeats) != GT_OK) {
            fprintf(stderr, "%s\n", gt_error_message());
            failed = 1;
        }
    }
    return failed;
}
