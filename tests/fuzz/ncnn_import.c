/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/ncnn_import.h"

#include "src/import/import.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define N_WORDS 65536

const char *fz_ncnn_weights(void)
{
    static const char *path = NULL;
    static float words[N_WORDS];
    if (path == NULL) {
        for (int i = 1; i < N_WORDS; i += 2) {
            words[i] = (float)(i * 7 % 13 - 5) / 4;
        }
        path = fz_write("net.bin", words, sizeof words);
    }
    return path;
}

/* Places, and what is said of a whole network. */
static const char *const places[] = {
    ": line ", ": byte ", "\n  line ", "\n  byte ", "the file is empty", "file ends before", "has no layers", "has no outputs",
    "layers have int8 weights",
};

static void import(const char *path, bool keep_source_form)
{
    gt_graph *graph = NULL;
    const gt_import_options options = {.keep_source_form = keep_source_form};
    gt_status status = fz_check(gt_import_file(&graph, path, &options), path);
    fz_check_place(status, places, sizeof places / sizeof *places);
    FZ_REQUIRE((graph != NULL) == (status == GT_OK), "the graph is %s", graph != NULL ? "there" : "not there");
    gt_graph_destroy(graph);
}

void fz_ncnn_import(const char *path)
{
    fz_begin();
    import(path, false);
    import(path, true);
    fz_end();
}
