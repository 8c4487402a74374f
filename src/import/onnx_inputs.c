/* SPDX-License-Identifier: Apache-2.0 */
/* The graph's inputs: symbolic dimensions and the shapes that the user gives. */
#include "src/import/onnx_inputs.h"

#include <string.h>

/* An input that an initializer gives a value to is a constant (IR version 3 lists them all as inputs). */
static bool is_fed(const gt_i_onnx *c, const gt_onnx_value *input)
{
    return c->names[gt_i_name_map_find(&c->name_index, input->name)].value == NULL;
}

/* ---- text ---- */

/* Some exporters write 0 where a dimension is open. */
static bool is_open(const gt_onnx_value *input, int axis)
{
    return input->dims[axis] <= 0;
}

/* "?x3x?x?" */
static gt_status describe_shape(gt_text *text, const gt_onnx_value *input)
{
    gt_status status = GT_OK;
    if (!input->has_shape) {
        return gt_text_append(text, "no shape");
    }
    GT_TRY(gt_text_append(text, input->rank == 0 ? "shape scalar" : "shape "));
    for (int i = 0; i < input->rank; i++) {
        GT_TRY(gt_text_append(text, i > 0 ? "x" : ""));
        if (is_open(input, i)) {
            GT_TRY(gt_text_append(text, "?"));
        } else {
            GT_TRY(gt_text_append(text, "%lld", (long long)input->dims[i]));
        }
    }
done:
    return status;
}

/* "--shape x=1,3,H,W": what the user can type, with letters where a number is to be chosen. */
static gt_status describe_flag(gt_text *text, const gt_onnx_value *input)
{
    gt_status status = GT_OK;
    GT_TRY(gt_text_append(text, "--shape %s=", input->name));
    for (int i = 0; i < (input->has_shape ? input->rank : 4); i++) {
        GT_TRY(gt_text_append(text, i > 0 ? "," : ""));
        if (input->has_shape && !is_open(input, i)) {
            GT_TRY(gt_text_append(text, "%lld", (long long)input->dims[i]));
        } else if (i == 0) {
            GT_TRY(gt_text_append(text, "1"));
        } else if (!input->has_shape || input->rank == 4) {
            GT_TRY(gt_text_append(text, "%c", "NCHW"[i]));
        } else {
            GT_TRY(gt_text_append(text, "D%d", i));
        }
    }
done:
    return status;
}

static gt_status list_inputs(gt_text *text, const gt_i_onnx *c)
{
    gt_status status = GT_OK;
    const char *separator = "";
    for (size_t i = 0; i < c->model->n_inputs; i++) {
        if (is_fed(c, &c->model->inputs[i])) {
            GT_TRY(gt_text_append(text, "%s'%s' has ", separator, c->model->inputs[i].name));
            GT_TRY(describe_shape(text, &c->model->inputs[i]));
            separator = ", ";
        }
    }
    if (text->length == 0) {
        GT_TRY(gt_text_append(text, "the model has no inputs"));
    }
done:
    return status;
}

/* ---- given shapes ---- */

static gt_status find_input(const gt_onnx_value **input, const gt_i_onnx *c, const gt_import_shape *given)
{
    gt_status status = GT_OK;
    gt_text inputs = {0};
    const gt_onnx_value *found = NULL;
    int n_found = 0;
    for (size_t i = 0; i < c->model->n_inputs; i++) {
        const gt_onnx_value *candidate = &c->model->inputs[i];
        if (is_fed(c, candidate) && (given->name[0] == '\0' || strcmp(given->name, candidate->name) == 0)) {
            found = candidate;
            n_found++;
        }
    }
    if (n_found != 1) {
        GT_TRY(list_inputs(&inputs, c));
    }
    GT_REQUIRE(n_found != 0, GT_ERROR_NOT_FOUND, "a shape is given for '%s', which is no input: %s",
               given->name, inputs.data);
    GT_REQUIRE(n_found == 1, GT_ERROR_NOT_FOUND,
               "a shape is given without a name (as in --shape name=1,3,224,224), but the model has %d "
               "inputs: %s",
               n_found, inputs.data);
    *input = found;
done:
    gt_text_destroy(&inputs);
    return status;
}

/* Checks one given shape against the model and notes what it says about symbols. */
static gt_status bind_given(gt_i_onnx *c, const gt_import_shape *given)
{
    gt_status status = GT_OK;
    const gt_onnx_value *input = NULL;
    gt_text inputs = {0};
    char shape[GT_SHAPE_TEXT_BYTES];
    bool fits = true;
    GT_TRY(find_input(&input, c, given));
    fits = !input->has_shape || input->rank == given->shape.rank;
    for (int i = 0; fits && input->has_shape && i < input->rank; i++) {
        fits = is_open(input, i) || input->dims[i] == given->shape.dim[i];
        if (fits && is_open(input, i) && input->dim_names[i] != NULL && given->shape.dim[i] <= INT32_MAX) {
            GT_TRY(gt_i_name_map_set(&c->symbols, input->dim_names[i], (int)given->shape.dim[i]));
        }
    }
    if (!fits) {
        GT_TRY(list_inputs(&inputs, c));
        status = gt_fail(GT_ERROR_SHAPE, "the shape %s given for '%s' contradicts the model: %s",
                         gt_shape_format(shape, sizeof shape, &given->shape), input->name, inputs.data);
    }
done:
    gt_text_destroy(&inputs);
    return status;
}

static const gt_shape *given_shape(const gt_i_onnx *c, const char *name)
{
    const gt_shape *shape = NULL;
    for (size_t i = 0; i < c->options->n_shapes; i++) {
        const gt_import_shape *given = &c->options->shapes[i];
        if (given->name[0] == '\0' || strcmp(given->name, name) == 0) {
            shape = &given->shape;
        }
    }
    return shape;
}

/* ---- shapes of inputs ---- */

bool gt_i_onnx_stated_shape(gt_shape *shape, const gt_i_onnx *c, const gt_onnx_value *info)
{
    if (info == NULL || !info->has_shape) {
        return false;
    }
    *shape = gt_shape_of(info->rank, info->dims);
    for (int i = 0; i < info->rank; i++) {
        if (is_open(info, i)) {
            shape->dim[i] = info->dim_names[i] != NULL ? gt_i_name_map_find(&c->symbols,
                                                                            info->dim_names[i]) : -1;
            if (shape->dim[i] < 0) {
                return false;
            }
        }
    }
    return true;
}

/* An open first dimension that nobody says anything about is a batch of one. */
static gt_status bind_batches(gt_i_onnx *c)
{
    gt_status status = GT_OK;
    for (size_t i = 0; i < c->model->n_inputs; i++) {
        const gt_onnx_value *input = &c->model->inputs[i];
        if (is_fed(c, input) && input->has_shape && input->rank > 0 && is_open(input, 0) &&
            input->dim_names[0] != NULL && gt_i_name_map_find(&c->symbols, input->dim_names[0]) < 0) {
            GT_TRY(gt_i_name_map_set(&c->symbols, input->dim_names[0], 1));
        }
    }
done:
    return status;
}

static bool resolve(gt_shape *shape, const gt_i_onnx *c, const gt_onnx_value *input)
{
    const gt_shape *given = given_shape(c, input->name);
    gt_onnx_value unnamed_batch = *input;
    if (given != NULL) {
        *shape = *given;
        return true;
    }
    if (input->has_shape && input->rank > 0 && is_open(input, 0) && input->dim_names[0] == NULL) {
        unnamed_batch.dims[0] = 1;
    }
    return gt_i_onnx_stated_shape(shape, c, &unnamed_batch);
}

static gt_status check_resolved(const gt_i_onnx *c)
{
    gt_status status = GT_OK;
    gt_text open = {0};
    gt_shape shape;
    for (size_t i = 0; i < c->model->n_inputs; i++) {
        const gt_onnx_value *input = &c->model->inputs[i];
        if (is_fed(c, input) && !resolve(&shape, c, input)) {
            GT_TRY(gt_text_append(&open, "\n  "));
            GT_TRY(describe_flag(&open, input));
            GT_TRY(gt_text_append(&open, "   (%s has ", input->name));
            GT_TRY(describe_shape(&open, input));
            GT_TRY(gt_text_append(&open, ")"));
        }
    }
    GT_REQUIRE(open.length == 0, GT_ERROR_SHAPE, "the model leaves input dimensions open; choose them with%s",
               open.data);
done:
    gt_text_destroy(&open);
    return status;
}

static gt_status add_input(gt_i_onnx *c, const gt_onnx_value *input)
{
    gt_status status = GT_OK;
    gt_shape shape = {0};
    gt_dtype dtype = GT_F32;
    gt_i_value *value = NULL;
    int tensor = GT_NO_TENSOR;
    gt_i_name *name = &c->names[gt_i_name_map_find(&c->name_index, input->name)];
    (void)resolve(&shape, c, input); /* check_resolved has been here */
    status = gt_i_onnx_dtype(&dtype, input->type);
    if (status == GT_OK) {
        status = gt_graph_add_tensor(c->graph, &tensor, input->name, dtype, &shape, NULL);
    }
    if (status != GT_OK) {
        return gt_fail_in(status, "graph input '%s'", input->name);
    }
    GT_TRY(gt_graph_add_input(c->graph, tensor));
    GT_TRY(gt_i_onnx_add_value(&value, c, tensor));
    value->uses = name->uses;
    name->value = value;
done:
    return status;
}

gt_status gt_i_onnx_add_inputs(gt_i_onnx *c)
{
    gt_status status = GT_OK;
    for (size_t i = 0; i < c->options->n_shapes; i++) {
        GT_TRY(bind_given(c, &c->options->shapes[i]));
    }
    GT_TRY(bind_batches(c));
    GT_TRY(check_resolved(c));
    for (size_t i = 0; i < c->model->n_inputs; i++) {
        if (is_fed(c, &c->model->inputs[i])) {
            GT_TRY(add_input(c, &c->model->inputs[i]));
        }
    }
done:
    return status;
}
