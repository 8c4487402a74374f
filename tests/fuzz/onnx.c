/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX models. */
#include "src/import/import.h"
#include "tests/fuzz/fuzz.h"

static void import(const char *path, bool keep_source_form)
{
    gt_graph *graph = NULL;
    const gt_import_options options = {.keep_source_form = keep_source_form};
    gt_status status = fz_check(gt_import_file(&graph, path, &options), path);
    FZ_REQUIRE((graph != NULL) == (status == GT_OK), "the graph is %s", graph != NULL ? "there" : "not there");
    gt_graph_destroy(graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fz_write("net.onnx", data, size);
    fz_begin();
    import(path, false);
    import(path, true);
    fz_end();
    return 0;
}
