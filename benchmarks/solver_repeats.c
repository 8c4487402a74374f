/* SPDX-License-Identifier: Apache-2.0 */
/* The same assignment, byte by byte, however often and wherever a network is solved. */
#include "benchmarks/solver_parts.h"
#include "tests/solve_networks.h"

#include <stdio.h>
#include <stdlib.h>

/* All bytes of the assignment; work that is cut off counts as well, being counted in entries and not in time. */
static uint64_t digest(const gt_cfn *cfn)
{
    gt_cfn_result result = {0};
    gt_cfn_options options = {.work_budget = 200000000};
    lp_must(gt_cfn_solve(cfn, &result, &options));
    uint64_t hash = gt_hash_bytes(result.assignment, sizeof *result.assignment * (size_t)gt_cfn_variable_count(cfn));
    gt_cfn_result_destroy(&result);
    return hash;
}

#define REPEATED_MODELS GT_TEST_MODEL_COUNT
#define REPEATED (REPEATED_MODELS + 1 + BN_WIRING_COUNT)

static gt_cfn *repeated_network(int i)
{
    gt_cfn *cfn = NULL;
    lp_problem *p = NULL;
    gt_rng rng;
    gt_rng_seed(&rng, 1);
    if (i < REPEATED_MODELS) {
        lp_must(gt_test_model_network(&cfn, &rng, (gt_test_model)i, 5, 10, 0.5F));
        return cfn;
    }
    p = i == REPEATED_MODELS ? bn_deep(1000, &rng) : bn_wired((bn_wiring)(i - REPEATED_MODELS - 1), 18, true, &rng);
    cfn = lp_network(p);
    lp_destroy(p);
    return cfn;
}

void bn_print_digest(const bn_options *o)
{
    (void)o;
    for (int i = 0; i < REPEATED; i++) {
        gt_cfn *cfn = repeated_network(i);
        printf("%016llx\n", (unsigned long long)digest(cfn));
        gt_cfn_destroy(cfn);
    }
}

static bool read_digests(uint64_t out[REPEATED], const char *program, int threads)
{
    char command[1024];
    int n = 0;
    const char *emulator = getenv("GT_EMULATOR");
    snprintf(command, sizeof command, "OMP_NUM_THREADS=%d %s '%s' --digest", threads, emulator != NULL ? emulator : "", program);
    FILE *lines = popen(command, "r");
    unsigned long long value = 0;
    while (lines != NULL && n < REPEATED && fscanf(lines, "%llx", &value) == 1) {
        out[n++] = value;
    }
    return lines != NULL && pclose(lines) == 0 && n == REPEATED;
}

void bn_repeated(rp_report *r, const bn_options *o)
{
    static const char *const names[REPEATED] = {"resnet",     "densenet", "hrnet", "nasnet", "1000 ops",
                                                "WS(4,0.75)", "ER(0.2)",  "BA(5)"};
    uint64_t others[3][REPEATED] = {{0}};
    bool ran = true;
    for (int k = 0; k < 3; k++) {
        ran &= read_digests(others[k], o->program, 1 << k);
    }
    rp_table(r, "repeats",
             "the same bytes of the assignment in so many solves and in processes of their own with OMP_NUM_THREADS=1, 2, 4; "
             "work is limited in table entries",
             "network____ ___solves processes __correct");
    for (int i = 0; i < REPEATED; i++) {
        gt_cfn *cfn = repeated_network(i);
        uint64_t first = digest(cfn);
        bool same = ran;
        for (int k = 1; k < 3; k++) {
            same &= digest(cfn) == first;
        }
        for (int k = 0; k < 3; k++) {
            same &= others[k][i] == first;
        }
        rp_text(r, names[i]);
        rp_int(r, 3);
        rp_int(r, 3);
        rp_check(r, same);
        rp_end(r);
        gt_cfn_destroy(cfn);
    }
}
