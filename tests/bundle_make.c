/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bundle_make.h"

#include "ops/reference.h"
#include "src/base/xxh64.h"
#include "src/run/kernels.h"
#include "src/run/session.h"
#include "src/tune/select.h"
#include "tests/graph_build.h"
#include "tests/select_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t tensor_bytes(const gt_graph *g, int tensor)
{
    const gt_tensor *t = &g->tensors[tensor];
    return (size_t)gt_shape_elems(&t->shape) * gt_dtype_bytes(t->dtype);
}

static gt_plan *random_plan(gt_graph *g, gt_rng *rng)
{
    gt_select_options options = gt_select_defaults();
    gt_records *records = NULL;
    gt_plan *plan = NULL;
    options.device = SC_DEVICE;
    options.threads = SC_THREADS;
    options.alternatives = false;
    gb_must(gt_records_create(&records));
    sc_add_records(records, g, rng, &(sc_costs){.op_range = 100, .transform_range = 15, .any_config = true});
    gb_must(gt_select(&plan, g, records, &options));
    gt_records_destroy(records);
    return plan;
}

/* The right answers, while the graph has its constants. */
static void run_reference(bm_case *c, gt_rng *rng)
{
    const gt_graph *g = c->graph;
    gb_must(gt_calloc(&c->inputs, (size_t)g->n_inputs + 1, sizeof *c->inputs));
    gb_must(gt_calloc(&c->want, (size_t)g->n_outputs + 1, sizeof *c->want));
    for (int i = 0; i < g->n_inputs; i++) {
        gb_must(gt_calloc(&c->inputs[i], tensor_bytes(g, g->inputs[i]), 1));
        gt_rng_fill(rng, c->inputs[i], tensor_bytes(g, g->inputs[i]) / sizeof(float), -1, 1);
    }
    gb_must(gt_graph_run_reference(g, (const void *const *)c->inputs, c->want));
}

/* The file's bytes, aligned; the file is removed. */
static void take_file(bm_case *c, const char *path)
{
    char *bytes = NULL;
    gb_must(gt_file_read(&bytes, &c->n_bytes, path));
    gb_must(gt_alloc_aligned(&c->bytes, c->n_bytes));
    memcpy(c->bytes, bytes, c->n_bytes);
    gt_free(bytes);
    unlink(path);
}

bm_case bm_make(gt_graph *graph, gt_rng *rng, const char *isa)
{
    bm_case c = {.graph = graph};
    const gt_bundle_target *target = NULL;
    gt_program *program = NULL;
    gt_kernel **kernels = NULL;
    char path[] = "/tmp/graphtune-bundle-XXXXXX";
    gt_plan *plan = random_plan(graph, rng);
    run_reference(&c, rng);
    gb_must(gt_i_bundle_target_find(&target, isa != NULL ? isa : gt_isa_name(gt_isa_best())));
    memset(plan->model_sha256, 'a', 64);
    gb_must(gt_program_build(&program, graph, &plan->schedule));
    gb_must(gt_kernels_create(&kernels, graph, program, target->level, true));
    close(mkstemp(path));
    gb_must(gt_i_bundle_write(&c.n_bytes, path, graph, program, plan, kernels, target));
    take_file(&c, path);
    gt_kernels_destroy(kernels, program->n_steps);
    gt_program_destroy(program);
    gt_plan_destroy(plan);
    return c;
}

void bm_clear(bm_case *c)
{
    for (int i = 0; i < c->graph->n_inputs; i++) {
        gt_free(c->inputs[i]);
    }
    for (int i = 0; i < c->graph->n_outputs; i++) {
        gt_free(c->want[i]);
    }
    gt_free(c->inputs);
    gt_free(c->want);
    gt_free(c->bytes);
    gt_graph_destroy(c->graph);
}

bm_case bm_small(uint64_t seed, const char *isa)
{
    gt_rng rng;
    gt_graph *g = gb_graph();
    gt_rng_seed(&rng, seed);
    const int x = gb_input(g, gt_shape_4d(1, 3, 9, 9));
    const int a = gb_relu(g, gb_conv(g, x, 10, 3, 1, 1, 1, true));
    const int b = gb_conv(g, a, 10, 3, 1, 1, 10, true);
    const int c = gb_binary(g, GT_BINARY_ADD, a, b);
    const int pooled = gb_pool(g, c, GT_POOL_MAX, 2, 2, 0);
    gb_output(g, gb_softmax(g, gb_dense(g, gb_reshape(g, pooled, SHAPE(1, 160)), 7, true), 1));
    gb_output(g, gb_const(g, SHAPE(2, 3), -1, 1));
    gb_must(gt_graph_finish(g));
    return bm_make(g, &rng, isa);
}

static size_t manifest_bytes_of(const char *bytes)
{
    size_t n = 0;
    for (int i = 7; i >= 0; i--) {
        n = n << 8 | (unsigned char)bytes[16 + i];
    }
    return n;
}

void bm_seal(char *bytes, size_t n_bytes)
{
    unsigned char header[GT_BUNDLE_HEADER_BYTES];
    const size_t manifest = manifest_bytes_of(bytes);
    const char *weights = bytes + sizeof header + manifest;
    const size_t n_weights = n_bytes - sizeof header - manifest;
    gt_i_bundle_header(header, manifest, gt_xxh64_of(bytes + sizeof header, manifest), n_weights,
                       gt_xxh64_of(weights, n_weights));
    memcpy(bytes, header, sizeof header);
}

char *bm_with_manifest(size_t *n_bytes, const bm_case *c, const char *manifest, size_t manifest_bytes)
{
    char *bytes = NULL;
    const size_t padded = gt_i_bundle_padded(manifest_bytes);
    const size_t old = GT_BUNDLE_HEADER_BYTES + manifest_bytes_of(c->bytes);
    *n_bytes = GT_BUNDLE_HEADER_BYTES + padded + c->n_bytes - old;
    gb_must(gt_alloc_aligned(&bytes, *n_bytes));
    memset(bytes, ' ', *n_bytes);
    gt_i_bundle_header((unsigned char *)bytes, padded, 0, 0, 0);
    memcpy(bytes + GT_BUNDLE_HEADER_BYTES, manifest, manifest_bytes);
    memcpy(bytes + GT_BUNDLE_HEADER_BYTES + padded, c->bytes + old, c->n_bytes - old);
    bm_seal(bytes, *n_bytes);
    return bytes;
}

/* One thread's text. */
static _Thread_local char wrong[128];

const char *bm_check(gt_deployment *d, const bm_case *c)
{
    gt_port port;
    for (int i = 0; i < c->graph->n_inputs; i++) {
        gb_must(gt_deployment_input(d, i, &port));
        memcpy(port.data, c->inputs[i], port.bytes);
    }
    gt_deployment_run(d);
    for (int i = 0; i < c->graph->n_outputs; i++) {
        gb_must(gt_deployment_output(d, i, &port));
        const bool floats = port.type == GT_PORT_F32;
        const int64_t elems = (int64_t)(port.bytes / sizeof(float));
        if (floats ? gt_compare_f32(port.data, c->want[i], elems, GT_TOLERANCE_F32, NULL) >= 0
                   : memcmp(port.data, c->want[i], port.bytes) != 0) {
            snprintf(wrong, sizeof wrong, "output %d (%s) differs from the reference", i, port.name);
            return wrong;
        }
    }
    return NULL;
}
