/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a plan together with the model that it was made for. */
#include "src/api/deployment.h"
#include "include/graphtune/graphtune.h"
#include "src/base/file.h"
#include "src/import/import.h"

#include <string.h>

/* The plan's input shapes bind what the model leaves open. What the caller says about weights goes before the plan. */
static gt_status import_for_plan(gt_graph **graph, const char *path, const gt_plan *plan, const char *plan_path,
                                 const gt_i_model_files *files)
{
    gt_status status = GT_OK;
    gt_import_shape *shapes = NULL;
    gt_text weights = {0};
    GT_REQUIRE(files->weights == NULL || files->random_seed < 0, GT_ERROR_ARGUMENT,
               "--weights and --random-weights exclude each other");
    bool random = files->random_seed >= 0 || (plan->random_weights && files->weights == NULL);
    GT_TRY(files->weights != NULL ? gt_text_append(&weights, "%s", files->weights)
                                  : gt_plan_weights_path(&weights, plan, plan_path));
    GT_TRY(gt_calloc(&shapes, (size_t)plan->n_inputs, sizeof *shapes));
    for (int i = 0; i < plan->n_inputs; i++) {
        shapes[i] = (gt_import_shape){.name = plan->inputs[i].name, .shape = plan->inputs[i].shape};
    }
    gt_import_options options = {.n_shapes = (size_t)plan->n_inputs,
                                 .shapes = shapes,
                                 .weights_path = random ? NULL : weights.data,
                                 .random_weights = random,
                                 .random_seed = (uint64_t)(files->random_seed >= 0 ? files->random_seed : plan->random_seed)};
    GT_TRY(gt_import_file(graph, path, &options));
done:
    gt_text_destroy(&weights);
    gt_free(shapes);
    return status;
}

static gt_status other_model(const char *path, const gt_plan *plan, const char *plan_path, const char *sha256)
{
    return gt_fail(GT_ERROR_MISMATCH,
                   "%s: model.sha256 is %.12s… but %s has %.12s…: the plan belongs to another model, or to another version of "
                   "it; select again",
                   plan_path, plan->model_sha256, path, sha256);
}

/* What the plan says about the model's inputs or outputs. */
static gt_status check_ports(const gt_plan_port *ports, int n_ports, const gt_graph *graph, const char *plan_path, bool inputs)
{
    gt_status status = GT_OK;
    const char *field = inputs ? "inputs" : "outputs";
    int n = inputs ? graph->n_inputs : graph->n_outputs;
    char said[GT_SHAPE_TEXT_BYTES];
    char real[GT_SHAPE_TEXT_BYTES];
    GT_REQUIRE(n_ports == n, GT_ERROR_MISMATCH, "%s: model.%s has %d entries; the model has %d", plan_path, field, n_ports, n);
    for (int i = 0; i < n; i++) {
        const gt_tensor *t = &graph->tensors[inputs ? graph->inputs[i] : graph->outputs[i]];
        const char *name = inputs ? t->name : graph->output_names[i];
        const gt_plan_port *p = &ports[i];
        GT_REQUIRE(strcmp(p->name, name) == 0 && p->dtype == t->dtype && gt_shape_equal(&p->shape, &t->shape), GT_ERROR_MISMATCH,
                   "%s: model.%s[%d] is \"%s\" %s %s; the model has \"%s\" %s %s", plan_path, field, i, p->name,
                   gt_dtype_name(p->dtype), gt_shape_format(said, sizeof said, &p->shape), name, gt_dtype_name(t->dtype),
                   gt_shape_format(real, sizeof real, &t->shape));
    }
done:
    return status;
}

/* Another model usually fails to import with the plan's shapes; that it is another one is the better message. */
static gt_status import_checked(gt_graph **graph, const char *path, const gt_plan *plan, const char *plan_path,
                                const gt_i_model_files *files)
{
    gt_status status = import_for_plan(graph, path, plan, plan_path, files);
    char *bytes = NULL;
    size_t size = 0;
    char sha256[65];
    if (status == GT_OK) {
        bool same = strcmp((*graph)->source_sha256, plan->model_sha256) == 0;
        return same ? GT_OK : other_model(path, plan, plan_path, (*graph)->source_sha256);
    }
    if (status == GT_ERROR_IO || status == GT_ERROR_MEMORY) {
        return gt_fail_in(status, "%s: the model", plan_path);
    }
    gt_text message = {0};
    if (gt_text_append(&message, "%s", gt_error_message()) == GT_OK && gt_file_read(&bytes, &size, path) == GT_OK) {
        gt_sha256_hex(sha256, bytes, size);
        gt_free(bytes);
        if (strcmp(sha256, plan->model_sha256) != 0) {
            gt_text_destroy(&message);
            return other_model(path, plan, plan_path, sha256);
        }
    }
    status = gt_fail(status, "%s: model.inputs do not fit the model: %s", plan_path,
                     message.data != NULL ? message.data : "out of memory");
    gt_text_destroy(&message);
    return status;
}

/* The first op that a candidate of another compiler was chosen for, which no template here can execute; or NULL. */
static const gt_plan_op *find_foreign(const gt_plan *plan)
{
    for (int i = 0; i < plan->schedule.n_ops; i++) {
        if (gt_record_is_foreign_template(plan->schedule.ops[i].template_name)) {
            return &plan->schedule.ops[i];
        }
    }
    return NULL;
}

static gt_status refuse_foreign(const gt_plan *plan, const gt_plan_op *op, const char *plan_path)
{
    return gt_fail(GT_ERROR_UNSUPPORTED,
                   "%s: ops[%d].template is %s (node \"%s\"): this plan was chosen from imported records, whose "
                   "code only TVM can build and run; hand it the log of `graphtune select --emit-autotvm`, or make "
                   "a plan to run here with `graphtune tune` and `graphtune select`",
                   plan_path, (int)(op - plan->schedule.ops), op->template_name, op->node);
}

/* Makes the program and lays it out in the plan's memory map. */
static gt_status make_program(gt_deployment *d, const char *plan_path)
{
    gt_status status = gt_program_build(&d->program, d->graph, &d->plan->schedule);
    if (status == GT_OK) {
        status = gt_program_use_memory(d->program, d->graph, d->plan);
    }
    return status == GT_OK ? GT_OK : gt_fail_in(status, "%s", plan_path);
}

static gt_status load(gt_deployment **deployment, const char *plan_path, const gt_i_model_files *files, bool to_run)
{
    gt_status status = GT_OK;
    gt_deployment *d = NULL;
    gt_text model = {0};
    GT_TRY(gt_calloc(&d, 1, sizeof *d));
    GT_TRY(gt_plan_read(&d->plan, plan_path));
    const gt_plan_op *foreign = find_foreign(d->plan);
    GT_TRY(foreign != NULL && to_run ? refuse_foreign(d->plan, foreign, plan_path) : GT_OK);
    GT_TRY(files->model != NULL ? gt_text_append(&model, "%s", files->model) : gt_plan_model_path(&model, d->plan, plan_path));
    GT_TRY(import_checked(&d->graph, model.data, d->plan, plan_path, files));
    GT_TRY(check_ports(d->plan->inputs, d->plan->n_inputs, d->graph, plan_path, true));
    GT_TRY(check_ports(d->plan->outputs, d->plan->n_outputs, d->graph, plan_path, false));
    GT_TRY(foreign == NULL ? make_program(d, plan_path) : GT_OK);
    *deployment = d;
    d = NULL;
done:
    gt_text_destroy(&model);
    gt_deployment_close(d);
    return status;
}

gt_status gt_i_deployment_load(gt_deployment **deployment, const char *plan_path, const gt_i_model_files *files)
{
    return load(deployment, plan_path, files, true);
}

gt_status gt_i_deployment_view(gt_deployment **deployment, const char *plan_path, const gt_i_model_files *files)
{
    return load(deployment, plan_path, files, false);
}

gt_status gt_deployment_open(gt_deployment **deployment, const char *plan_path, const char *model_path, int threads)
{
    gt_status status = GT_OK;
    gt_deployment *d = NULL;
    GT_REQUIRE(deployment != NULL && plan_path != NULL, GT_ERROR_ARGUMENT, "gt_deployment_open: %s is NULL",
               deployment == NULL ? "deployment" : "plan_path");
    GT_REQUIRE(threads >= 0 && threads <= 256, GT_ERROR_ARGUMENT, "threads = %d: 0 to 256 are allowed", threads);
    const gt_i_model_files files = {.model = model_path, .random_seed = -1};
    GT_TRY(gt_i_deployment_load(&d, plan_path, &files));
    GT_TRY(gt_i_deployment_start(d, threads, false));
    *deployment = d;
    d = NULL;
done:
    gt_deployment_close(d);
    return status;
}
