/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles in memory: as they are, and with sizes and checksums that fit, so that what lies behind them is reached. What
 * opens and is small is run. */
#include "src/api/deployment.h"
#include "src/base/memory.h"
#include "src/base/xxh64.h"
#include "src/plan/bundle.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define MOST_ELEMS (1 << 16)
#define MOST_MACS (1 << 22)

static bool is_small(const gt_graph *graph)
{
    int64_t elems = 0, macs = 0;
    for (int i = 0; i < graph->n_tensors; i++) {
        const int64_t here = gt_shape_elems(&graph->tensors[i].shape);
        elems = here > MOST_ELEMS - elems ? MOST_ELEMS : elems + here;
    }
    for (int i = 0; i < graph->n_ops; i++) {
        const int64_t here = gt_workload_macs(graph->ops[i].workload);
        macs = here > MOST_MACS - macs ? MOST_MACS : macs + here;
    }
    return elems < MOST_ELEMS && macs < MOST_MACS;
}

static void run(gt_bundle *bundle)
{
    gt_deployment *net = NULL;
    gt_port port;
    if (fz_check(gt_deployment_create(&net, bundle, 1), "") == GT_OK) {
        for (int i = 0; i < gt_deployment_input_count(net); i++) {
            FZ_REQUIRE(gt_deployment_input(net, i, &port) == GT_OK, "%s", gt_error_message());
            memset(port.data, 0, port.bytes);
        }
        gt_deployment_run(net);
    }
    gt_deployment_close(net);
}

static void open_bytes(const void *data, size_t bytes)
{
    gt_bundle *bundle = NULL;
    fz_begin();
    if (fz_check(gt_bundle_open_memory(&bundle, data, bytes), "bundle") == GT_OK && is_small(bundle->content.graph)) {
        run(bundle);
    }
    gt_bundle_close(bundle);
    fz_end();
}

/* The manifest's length, as the header has it, cut to what is there. `bytes` is a multiple of GT_ALIGN_BYTES. */
static size_t manifest_bytes(const unsigned char *data, size_t bytes)
{
    const size_t most = bytes - GT_BUNDLE_HEADER_BYTES;
    const size_t said = gt_i_bundle_padded(((size_t)data[17] << 8 | data[16]) + 1) - GT_ALIGN_BYTES;
    return said < most ? said : most;
}

static void seal(unsigned char *data, size_t bytes)
{
    const size_t manifest = manifest_bytes(data, bytes);
    unsigned char *at = data + GT_BUNDLE_HEADER_BYTES;
    const size_t weights = bytes - GT_BUNDLE_HEADER_BYTES - manifest;
    gt_i_bundle_header(data, manifest, gt_xxh64_of(at, manifest), weights, gt_xxh64_of(at + manifest, weights));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = NULL;
    const size_t room = gt_i_bundle_padded(size < GT_BUNDLE_HEADER_BYTES ? GT_BUNDLE_HEADER_BYTES : size);
    FZ_REQUIRE(gt_alloc_aligned(&copy, room) == GT_OK, "%s", gt_error_message());
    memset(copy, ' ', room);
    memcpy(copy, data, size);
    open_bytes(copy, size);
    seal(copy, room);
    open_bytes(copy, room);
    gt_free(copy);
    return 0;
}
