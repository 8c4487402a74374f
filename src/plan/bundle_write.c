/* SPDX-License-Identifier: Apache-2.0 */
/* Writing bundles. The weights are gone through twice, once for their checksum, rather than gathered in memory. */
#include "src/base/xxh64.h"
#include "src/plan/bundle.h"
#include "src/plan/plan_parts.h"
#include "src/records/json.h"

/* ---- manifest ---- */

static void put_type(gt_json_writer *w, const gt_tensor *t)
{
    gt_json_put_string(w, "dtype", gt_dtype_name(t->dtype));
    gt_json_begin_array(w, "shape");
    for (int i = 0; i < t->shape.rank; i++) {
        gt_json_put_i64(w, NULL, t->shape.dim[i]);
    }
    gt_json_end(w);
}

static void put_ports(gt_json_writer *w, const gt_graph *graph)
{
    gt_json_begin_array(w, "inputs");
    for (int i = 0; i < graph->n_inputs; i++) {
        const gt_tensor *t = &graph->tensors[graph->inputs[i]];
        gt_json_begin_object(w, NULL);
        gt_json_put_string(w, "name", t->name);
        put_type(w, t);
        gt_json_end(w);
    }
    gt_json_end(w);
    gt_json_begin_array(w, "outputs");
    for (int i = 0; i < graph->n_outputs; i++) {
        const gt_tensor *t = &graph->tensors[graph->outputs[i]];
        gt_json_begin_object(w, NULL);
        gt_json_put_string(w, "name", graph->output_names[i]);
        gt_json_put_string(w, "tensor", t->name);
        if (t->data != NULL && !gt_i_bundle_is_output(graph, graph->outputs[i], i)) {
            put_type(w, t);
        }
        gt_json_end(w);
    }
    gt_json_end(w);
}

/* `step` is the op's. */
static void put_op(gt_json_writer *w, const gt_graph *graph, const gt_step *step, const gt_plan_op *entry,
                   const gt_kernel *kernel)
{
    const gt_op *op = &graph->ops[step->op];
    gt_json_begin_object(w, NULL);
    gt_json_put_string(w, "node", op->name);
    gt_json_put_string(w, "tensor", graph->tensors[op->output].name);
    gt_json_put_string(w, "workload", op->workload->key);
    gt_json_begin_array(w, "inputs");
    for (int i = 0; i < op->n_inputs; i++) {
        const bool read = op->workload->inputs[i].present && !op->workload->inputs[i].constant;
        gt_json_put_string(w, NULL, read ? graph->tensors[op->inputs[i]].name : NULL);
    }
    gt_json_end(w);
    gt_json_put_string(w, "template", step->tmpl->name);
    gt_json_put_i64(w, "rev", step->tmpl->rev);
    gt_json_put_string(w, "in", gt_layout_name(step->from));
    gt_json_put_string(w, "out", gt_layout_name(step->to));
    gt_json_put_string(w, "config", entry->config);
    gt_json_put_f64(w, "ns", entry->ns);
    gt_json_put_i64(w, "packed_bytes", kernel != NULL ? (int64_t)kernel->packed_bytes : 0);
    gt_json_end(w);
}

static void put_schedule(gt_json_writer *w, const gt_graph *graph, const gt_program *program, const gt_schedule *schedule,
                         gt_kernel *const *kernels)
{
    gt_json_begin_array(w, "ops");
    for (int i = 0; i < program->n_steps; i++) {
        const gt_step *step = &program->steps[i];
        if (step->op >= 0) {
            put_op(w, graph, step, &schedule->ops[step->schedule], kernels[i]);
        }
    }
    gt_json_end(w);
    gt_i_write_transforms(w, schedule);
}

static gt_status make_manifest(gt_text *text, const gt_graph *graph, const gt_program *program, const gt_plan *plan,
                               gt_kernel *const *kernels, const gt_bundle_target *target)
{
    gt_status status = GT_OK;
    gt_json_writer w;
    gt_json_writer_init(&w, false);
    gt_json_begin_object(&w, NULL);
    gt_json_put_string(&w, "model", graph->name);
    gt_json_put_string(&w, "sha256", plan->model_sha256);
    gt_json_put_string(&w, "arch", target->arch);
    gt_json_put_string(&w, "isa", target->isa);
    gt_json_put_i64(&w, "threads", plan->threads);
    if (plan->device[0] != '\0') {
        gt_json_put_string(&w, "device", plan->device);
    }
    if (plan->device_name != NULL) {
        gt_json_put_string(&w, "device_name", plan->device_name);
    }
    put_ports(&w, graph);
    put_schedule(&w, graph, program, &plan->schedule, kernels);
    gt_json_end(&w);
    GT_TRY(gt_json_writer_finish(&w, text));
    const size_t blanks = gt_i_bundle_padded(text->length + 1) - text->length;
    GT_TRY(gt_text_append(text, "%*s", (int)blanks, "\n"));
done:
    return status;
}

/* ---- weights ---- */

/* Takes the pieces of the weights section in their order. */
struct sink {
    gt_xxh64 hash;
    size_t bytes;
    gt_file_writer *file; /* NULL: only counted and hashed */
};

static gt_status take(struct sink *sink, const void *data, size_t bytes)
{
    static const char zeros[GT_ALIGN_BYTES];
    gt_status status = GT_OK;
    const size_t padding = gt_i_bundle_padded(bytes) - bytes;
    gt_xxh64_add(&sink->hash, data, bytes);
    gt_xxh64_add(&sink->hash, zeros, padding);
    sink->bytes += bytes + padding;
    if (sink->file != NULL) {
        GT_TRY(gt_file_write(sink->file, data, bytes));
        GT_TRY(gt_file_write(sink->file, zeros, padding));
    }
done:
    return status;
}

static gt_status put_weights(struct sink *sink, const gt_graph *graph, const gt_program *program, gt_kernel *const *kernels)
{
    gt_status status = GT_OK;
    gt_xxh64_begin(&sink->hash);
    for (int i = 0; i < program->n_steps; i++) {
        if (kernels[i] != NULL && kernels[i]->packed_bytes > 0) {
            GT_TRY(take(sink, kernels[i]->packed, kernels[i]->packed_bytes));
        }
    }
    for (int i = 0; i < graph->n_outputs; i++) {
        const gt_tensor *t = &graph->tensors[graph->outputs[i]];
        if (t->data != NULL && !gt_i_bundle_is_output(graph, graph->outputs[i], i)) {
            GT_TRY(take(sink, t->data, (size_t)gt_shape_elems(&t->shape) * gt_dtype_bytes(t->dtype)));
        }
    }
done:
    return status;
}

bool gt_i_bundle_is_output(const gt_graph *graph, int tensor, int end)
{
    for (int i = 0; i < end; i++) {
        if (graph->outputs[i] == tensor) {
            return true;
        }
    }
    return false;
}

gt_status gt_i_bundle_write(size_t *bytes, const char *path, const gt_graph *graph, const gt_program *program,
                            const gt_plan *plan, gt_kernel *const *kernels, const gt_bundle_target *target)
{
    gt_status status = GT_OK;
    unsigned char header[GT_BUNDLE_HEADER_BYTES];
    struct sink counted = {0};
    struct sink written = {0};
    gt_file_writer *file = NULL;
    gt_text manifest = {0};
    GT_TRY(make_manifest(&manifest, graph, program, plan, kernels, target));
    GT_TRY(put_weights(&counted, graph, program, kernels));
    gt_i_bundle_header(header, manifest.length, gt_xxh64_of(manifest.data, manifest.length), counted.bytes,
                       gt_xxh64_end(&counted.hash));
    GT_TRY(gt_file_create(&file, path));
    GT_TRY(gt_file_write(file, header, sizeof header));
    GT_TRY(gt_file_write(file, manifest.data, manifest.length));
    written.file = file;
    GT_TRY(put_weights(&written, graph, program, kernels));
    status = gt_file_commit(file);
    file = NULL;
    if (bytes != NULL && status == GT_OK) {
        *bytes = sizeof header + manifest.length + counted.bytes;
    }
done:
    gt_file_abort(file);
    gt_text_destroy(&manifest);
    return status;
}
