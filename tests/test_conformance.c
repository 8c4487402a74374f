/* SPDX-License-Identifier: Apache-2.0 */
/* The ONNX backend test suite: every case of Debian's libonnx-testdata either passes, by the reference and by the
 * executor, or is skipped for a reason that its own files give; anything else fails. A case that is skipped and would
 * pass fails too, so that the rules stay true.
 *
 * GT_ONNX_TESTDATA_DIR says where the suite is. GT_TEST_EFFORT below 100 leaves out all but one plan (slow builds).
 * GT_TEST_SEED changes the plans' layouts. */
#include "tests/conformance.h"
#include "tests/conformance_table.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_FOLDER "/usr/share/libonnx-testdata/data"

static const char *const parts[] = {"node", "pytorch-converted", "pytorch-operator", "simple"};

typedef struct suite {
    const char *folder;
    char scratch[128];
    int plans;
    uint64_t seed;
    int failed;
    cf_table table;
} suite;

static void fail(suite *s, const char *name, const char *what)
{
    printf("not ok - %s: %s\n", name, what);
    s->failed++;
}

/* Runs a case that must pass. */
static gt_status attempt(suite *s, cf_case *c)
{
    gt_status status = GT_OK;
    gt_graph *graph = NULL;
    gt_rng rng;
    gt_rng_seed(&rng, s->seed);
    GT_TRY(cf_import(&graph, c, s->scratch));
    GT_TRY(cf_run(c, graph, s->plans, &rng));
done:
    gt_graph_destroy(graph);
    return status;
}

static void check_case(suite *s, const char *name, cf_case *c)
{
    const cf_skip skip = cf_expected_skip(c);
    if (skip.reason != NULL) {
        if (c->model != NULL && attempt(s, c) == GT_OK) {
            fail(s, name, "it passes, although a rule in conformance_rules.c expects a skip:");
            printf("    %s: %s\n", skip.op, skip.reason);
            return;
        }
        cf_table_skip(&s->table, skip.op, skip.reason);
        return;
    }
    if (c->model == NULL) {
        fail(s, name, c->unread);
    } else if (attempt(s, c) != GT_OK) {
        fail(s, name, gt_error_message());
    } else {
        printf("ok - %s\n", name);
        cf_table_pass(&s->table, c->model);
    }
}

static void run_case(suite *s, const char *part, const char *name)
{
    char folder[CF_PATH_BYTES];
    char path[CF_PATH_BYTES + 32];
    char label[300];
    cf_case c;
    snprintf(folder, sizeof folder, "%s/%s/%s", s->folder, part, name);
    for (int set = 0;; set++) {
        snprintf(path, sizeof path, "%s/test_data_set_%d", folder, set);
        if (set > 0 && access(path, F_OK) != 0) {
            break;
        }
        snprintf(label, sizeof label, set == 0 ? "%s/%s" : "%s/%s, data set %d", part, name, set);
        if (cf_read(&c, folder, set) != GT_OK) {
            fail(s, label, gt_error_message());
            continue;
        }
        check_case(s, label, &c);
        cf_clear(&c);
    }
}

static int run_part(suite *s, const char *part)
{
    char path[CF_PATH_BYTES];
    struct dirent **entries = NULL;
    snprintf(path, sizeof path, "%s/%s", s->folder, part);
    int n = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.') {
            run_case(s, part, entries[i]->d_name);
        }
        free(entries[i]);
    }
    free(entries);
    return n;
}

int main(void)
{
    const char *folder = getenv("GT_ONNX_TESTDATA_DIR");
    const char *effort = getenv("GT_TEST_EFFORT");
    const char *seed = getenv("GT_TEST_SEED");
    suite s = {.folder = folder != NULL && folder[0] != '\0' ? folder : DEFAULT_FOLDER, .scratch = "/tmp/gt-onnx-XXXXXX",
               .plans = effort != NULL && atoi(effort) < 100 ? 1 : 3,
               .seed = seed != NULL ? strtoull(seed, NULL, 10) : 20240811};
    if (access(s.folder, R_OK) != 0) {
        printf("skip - ONNX conformance: there is no folder %s (install libonnx-testdata or set GT_ONNX_TESTDATA_DIR)\n",
               s.folder);
        return 77;
    }
    int fd = mkstemp(s.scratch);
    if (fd < 0) {
        perror(s.scratch);
        return EXIT_FAILURE;
    }
    close(fd);
    printf("seed %llu\n", (unsigned long long)s.seed);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (run_part(&s, parts[i]) <= 2) {
            fail(&s, parts[i], "no cases in this folder");
        }
    }
    unlink(s.scratch);
    cf_table_print(&s.table);
    cf_table_clear(&s.table);
    return s.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
