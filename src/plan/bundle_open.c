/* SPDX-License-Identifier: Apache-2.0 */
/* Opening bundles. The kernels are made once, with their constants where they lie in the file, and all sessions use them. */
#include "src/plan/bundle.h"

#include <string.h>

/* What is left of the weights section. */
struct rest {
    const char *at;
    size_t bytes;
};

/* The next piece. Errors: GT_ERROR_FORMAT: the section ends before it does. */
static gt_status next(const void **piece, struct rest *rest, int64_t bytes, const char *what, const char *name)
{
    if ((uint64_t)bytes > rest->bytes) {
        return gt_fail(GT_ERROR_FORMAT, "%s \"%s\": has %lld bytes, but %zu are left of the weights section", what, name,
                       (long long)bytes, rest->bytes);
    }
    *piece = rest->at;
    rest->at += gt_i_bundle_padded((size_t)bytes);
    rest->bytes -= gt_i_bundle_padded((size_t)bytes);
    return GT_OK;
}

static gt_status make_kernel(gt_kernel **kernel, const gt_bundle *b, struct rest *rest, const gt_step *step)
{
    gt_status status = GT_OK;
    const gt_op *op = &b->content.graph->ops[step->op];
    const int64_t bytes = b->content.packed_bytes[step->op];
    const void *packed = NULL;
    GT_TRY(next(&packed, rest, bytes, "op", op->name));
    status = step->tmpl->view && bytes == 0
                 ? GT_OK
                 : gt_kernel_adopt(kernel, step->tmpl, step->workload, step->from, step->to, &step->config, packed, (size_t)bytes,
                                   b->content.target->level);
    if (status != GT_OK) {
        status = gt_fail_in(status, "op \"%s\"", op->name);
    }
done:
    return status;
}

static gt_status make_kernels(gt_bundle *b, struct rest *rest)
{
    gt_status status = GT_OK;
    GT_TRY(gt_calloc(&b->kernels, (size_t)b->program->n_steps, sizeof *b->kernels));
    for (int i = 0; i < b->program->n_steps; i++) {
        const gt_step *step = &b->program->steps[i];
        if (step->op >= 0) {
            GT_TRY(make_kernel(&b->kernels[i], b, rest, step));
        }
    }
done:
    return status;
}

/* Gives outputs that are constants their elements, and takes the marks of all other constants away. */
static gt_status fill_constants(gt_graph *graph, struct rest *rest)
{
    gt_status status = GT_OK;
    for (int i = 0; i < graph->n_outputs; i++) {
        gt_tensor *t = &graph->tensors[graph->outputs[i]];
        if (t->data == NULL || gt_i_bundle_is_output(graph, graph->outputs[i], i)) {
            continue;
        }
        const int64_t bytes = gt_shape_elems(&t->shape) * (int64_t)gt_dtype_bytes(t->dtype);
        const void *from = NULL;
        void *elements = NULL;
        GT_TRY(next(&from, rest, bytes, "output", graph->output_names[i]));
        GT_TRY(gt_alloc_aligned(&elements, (size_t)bytes));
        memcpy(elements, from, (size_t)bytes);
        gt_free(t->data);
        t->data = elements;
    }
    for (int t = 0; t < graph->n_tensors; t++) {
        if (graph->tensors[t].data != NULL && !gt_i_bundle_is_output(graph, t, graph->n_outputs)) {
            gt_free(graph->tensors[t].data);
            graph->tensors[t].data = NULL;
        }
    }
done:
    return status;
}

/* Everything behind the checksums; messages lack the path. */
static gt_status build(gt_bundle *b, const gt_bundle_sections *sections)
{
    gt_status status = GT_OK;
    struct rest rest = {sections->weights, sections->weights_bytes};
    GT_TRY(gt_program_build(&b->program, b->content.graph, &b->content.plan->schedule));
    GT_TRY(make_kernels(b, &rest));
    GT_TRY(fill_constants(b->content.graph, &rest));
    GT_REQUIRE(rest.bytes == 0, GT_ERROR_FORMAT, "the last %zu bytes of the weights section belong to no op", rest.bytes);
    b->weights_bytes = sections->weights_bytes;
done:
    return status;
}

/* Takes the map over in any case. */
static gt_status open_bytes(gt_bundle **bundle, gt_file_map *map, const void *data, size_t bytes, const char *path)
{
    gt_status status = GT_OK;
    gt_bundle *b = NULL;
    gt_bundle_sections sections = {0};
    GT_TRY(gt_calloc(&b, 1, sizeof *b));
    atomic_init(&b->references, 1);
    b->map = *map;
    *map = (gt_file_map){0};
    GT_TRY(gt_i_bundle_split(&sections, data, bytes, path));
    status = gt_i_bundle_read(&b->content, sections.manifest, sections.manifest_bytes, path);
    status = status == GT_OK ? build(b, &sections) : status;
    if (status != GT_OK) {
        const bool has_path = strncmp(gt_error_message(), path, strlen(path)) == 0;
        GT_TRY(has_path ? status : gt_fail_in(status, "%s", path));
    }
    *bundle = b;
    b = NULL;
done:
    gt_file_map_close(map);
    gt_bundle_close(b);
    return status;
}

gt_status gt_bundle_open(gt_bundle **bundle, const char *path)
{
    gt_status status = GT_OK;
    gt_file_map map = {0};
    GT_REQUIRE(bundle != NULL && path != NULL, GT_ERROR_ARGUMENT, "gt_bundle_open: %s is NULL",
               bundle == NULL ? "bundle" : "path");
    GT_TRY(gt_file_map_open(&map, path));
    GT_TRY(open_bytes(bundle, &map, map.data, map.bytes, path));
done:
    return status;
}

gt_status gt_bundle_open_memory(gt_bundle **bundle, const void *data, size_t bytes)
{
    gt_status status = GT_OK;
    gt_file_map none = {0};
    GT_REQUIRE(bundle != NULL && data != NULL, GT_ERROR_ARGUMENT, "gt_bundle_open_memory: %s is NULL",
               bundle == NULL ? "bundle" : "data");
    GT_REQUIRE((uintptr_t)data % GT_ALIGN_BYTES == 0, GT_ERROR_ARGUMENT,
               "gt_bundle_open_memory: data is at %p; it must start at a multiple of %d", data, GT_ALIGN_BYTES);
    GT_TRY(open_bytes(bundle, &none, data, bytes, "bundle"));
done:
    return status;
}

void gt_i_bundle_retain(gt_bundle *bundle)
{
    atomic_fetch_add_explicit(&bundle->references, 1, memory_order_relaxed);
}

void gt_bundle_close(gt_bundle *bundle)
{
    if (bundle == NULL || atomic_fetch_sub_explicit(&bundle->references, 1, memory_order_acq_rel) > 1) {
        return;
    }
    for (int i = 0; bundle->kernels != NULL && i < bundle->program->n_steps; i++) {
        gt_kernel_destroy(bundle->kernels[i]);
    }
    gt_free(bundle->kernels);
    gt_program_destroy(bundle->program);
    gt_i_bundle_content_clear(&bundle->content);
    gt_file_map_close(&bundle->map);
    gt_free(bundle);
}

gt_status gt_bundle_describe(const gt_bundle *bundle, gt_bundle_info *info)
{
    if (bundle == NULL || info == NULL) {
        return gt_fail(GT_ERROR_ARGUMENT, "gt_bundle_describe: %s is NULL", bundle == NULL ? "bundle" : "info");
    }
    const gt_plan *plan = bundle->content.plan;
    *info = (gt_bundle_info){.model = bundle->content.graph->name,
                             .isa = plan->isa,
                             .threads = plan->threads,
                             .predicted_ns = plan->schedule.predicted_ns,
                             .weight_bytes = bundle->weights_bytes};
    return GT_OK;
}
