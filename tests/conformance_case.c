/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/conformance.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Inputs of float operators that the documentation's table wants constant. */
static const struct {
    const char *op;
    size_t first, last; /* input indices */
} constants[] = {
    {"BatchNormalization", 1, 4}, {"Conv", 1, 2},   {"ConvTranspose", 1, 2}, {"Dropout", 1, 2},
    {"Pad", 2, 2},                {"Resize", 1, 2}, {"Upsample", 1, 1},
};

/* ---- files ---- */

static bool is_given(const gt_onnx_model *model, const char *name)
{
    for (size_t i = 0; i < model->n_initializers; i++) {
        if (strcmp(model->initializers[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Sequences, optionals and maps are other messages: as a TensorProto they fail, or have no element type. */
static gt_status read_port(gt_onnx_tensor **tensor, cf_case *c, const char *path)
{
    gt_status status = gt_onnx_read_tensor(tensor, path);
    if (status == GT_ERROR_FORMAT || status == GT_ERROR_UNSUPPORTED) {
        c->not_tensors = true;
        status = GT_OK;
    }
    return status;
}

static gt_status read_inputs(cf_case *c, const char *folder, int data_set)
{
    gt_status status = GT_OK;
    char path[CF_PATH_BYTES];
    int file = 0;
    for (size_t i = 0; i < c->n_inputs; i++) {
        if (!is_given(c->model, c->model->inputs[i].name)) {
            snprintf(path, sizeof path, "%s/test_data_set_%d/input_%d.pb", folder, data_set, file++);
            GT_TRY(read_port(&c->inputs[i], c, path));
        }
    }
    snprintf(path, sizeof path, "%s/test_data_set_%d/input_%d.pb", folder, data_set, file);
    GT_REQUIRE(access(path, F_OK) != 0, GT_ERROR_FORMAT, "%s: the model has only %d inputs to feed", path, file);
done:
    return status;
}

static gt_status read_outputs(cf_case *c, const char *folder, int data_set)
{
    gt_status status = GT_OK;
    char path[CF_PATH_BYTES];
    for (size_t i = 0; i < c->n_outputs; i++) {
        snprintf(path, sizeof path, "%s/test_data_set_%d/output_%zu.pb", folder, data_set, i);
        GT_TRY(read_port(&c->outputs[i], c, path));
    }
done:
    return status;
}

/* ---- constants ---- */

const gt_onnx_op_info *cf_find_op(const char *op_type)
{
    const gt_onnx_op_info *op = NULL;
    for (size_t i = 0; (op = gt_onnx_supported_ops(i)) != NULL; i++) {
        if (strcmp(op->name, op_type) == 0) {
            return op;
        }
    }
    return NULL;
}

static bool is_folded(const char *op_type)
{
    const gt_onnx_op_info *op = cf_find_op(op_type);
    return op != NULL && op->folded_only;
}

static bool node_wants_constant(const gt_onnx_node *node, size_t input)
{
    if (is_folded(node->op_type)) {
        return true;
    }
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (strcmp(constants[i].op, node->op_type) == 0 && input >= constants[i].first && input <= constants[i].last) {
            return true;
        }
    }
    return false;
}

static bool model_wants_constant(const gt_onnx_model *model, const char *name)
{
    for (size_t n = 0; n < model->n_nodes; n++) {
        const gt_onnx_node *node = &model->nodes[n];
        for (size_t k = 0; k < node->n_inputs; k++) {
            if (strcmp(node->inputs[k], name) == 0 && node_wants_constant(node, k)) {
                return true;
            }
        }
    }
    return false;
}

/* A folded operator in the middle of a model needs everything before it constant, and cannot be told from here. */
static bool has_folded(const gt_onnx_model *model)
{
    for (size_t n = 0; n < model->n_nodes; n++) {
        if (model->n_nodes > 1 && is_folded(model->nodes[n].op_type)) {
            return true;
        }
    }
    return false;
}

static void choose_constants(cf_case *c)
{
    const bool all = has_folded(c->model);
    for (size_t i = 0; i < c->n_inputs; i++) {
        const gt_onnx_tensor *t = c->inputs[i];
        c->fixed[i] = t != NULL && (all || t->type != GT_ONNX_FLOAT ||
                                    model_wants_constant(c->model, c->model->inputs[i].name));
    }
}

/* ---- a case ---- */

gt_status cf_read(cf_case *c, const char *folder, int data_set)
{
    gt_status status = GT_OK;
    *c = (cf_case){0};
    snprintf(c->model_path, sizeof c->model_path, "%s/model.onnx", folder);
    status = gt_onnx_read(&c->model, c->model_path);
    if (status == GT_ERROR_UNSUPPORTED || status == GT_ERROR_FORMAT) {
        snprintf(c->unread, sizeof c->unread, "%s", gt_error_message());
        return GT_OK;
    }
    GT_TRY(status);
    GT_REQUIRE(c->model->n_inputs <= CF_MAX_PORTS && c->model->n_outputs <= CF_MAX_PORTS, GT_ERROR_LIMIT,
               "%s: more than %d inputs or outputs", folder, CF_MAX_PORTS);
    c->n_inputs = c->model->n_inputs;
    c->n_outputs = c->model->n_outputs;
    GT_TRY(read_inputs(c, folder, data_set));
    GT_TRY(read_outputs(c, folder, data_set));
    choose_constants(c);
done:
    if (status != GT_OK) {
        cf_clear(c);
    }
    return status;
}

void cf_clear(cf_case *c)
{
    for (int i = 0; i < CF_MAX_PORTS; i++) {
        gt_onnx_tensor_destroy(c->inputs[i]);
        gt_onnx_tensor_destroy(c->outputs[i]);
    }
    gt_onnx_model_destroy(c->model);
    *c = (cf_case){0};
}

gt_status cf_import(gt_graph **graph, cf_case *c, const char *scratch)
{
    gt_status status = GT_OK;
    gt_import_shape shapes[CF_MAX_PORTS];
    gt_import_options options = {.shapes = shapes};
    bool rewritten = false;
    for (size_t i = 0; i < c->n_inputs; i++) {
        const gt_onnx_tensor *t = c->inputs[i];
        char *name = c->model->inputs[i].name;
        if (c->fixed[i]) {
            GT_TRY(gt_onnx_add_initializer(c->model, name, t->type, t->rank, t->dims, t->data));
            rewritten = true;
        } else if (t != NULL) {
            shapes[options.n_shapes++] = (gt_import_shape){.name = name, .shape = gt_shape_of(t->rank, t->dims)};
        }
    }
    if (rewritten) {
        GT_TRY(gt_onnx_write(c->model, scratch));
    }
    GT_TRY(gt_import_file(graph, rewritten ? scratch : c->model_path, &options));
done:
    return status;
}
