/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/runner.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static char folder[4096]; /* empty: none was made */

uint64_t gt_test_seed(uint64_t usual)
{
    const char *chosen = getenv("GT_TEST_SEED");
    uint64_t seed = chosen != NULL ? strtoull(chosen, NULL, 10) : usual;
    printf("GT_TEST_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout); /* the tests are forked */
    return seed;
}

int gt_test_rounds(int usual)
{
    const char *effort = getenv("GT_TEST_EFFORT");
    const long percent = effort != NULL ? strtol(effort, NULL, 10) : 100;
    const int rounds = percent > 0 && percent < 100 ? (int)((int64_t)usual * percent / 100) : usual;
    return rounds > 1 ? rounds : 1;
}

void gt_test_folder(char *path, size_t bytes)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/graphtune-test-XXXXXX", tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp");
    if (mkdtemp(folder) == NULL || (size_t)snprintf(path, bytes, "%s", folder) >= bytes) {
        perror(folder);
        exit(1);
    }
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

int gt_test_run(Suite *suite)
{
    return gt_test_run_then(suite, NULL);
}

int gt_test_run_then(Suite *suite, bool (*last)(void))
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    fflush(stdout);
    failed += last != NULL && !last();
    if (folder[0] != '\0' && nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0) {
        perror(folder);
        failed++;
    }
    return failed != 0;
}
