/* SPDX-License-Identifier: Apache-2.0 */
/* The emitter's core: names, constants, nodes, attributes. */
#include "src/export/onnx_emit.h"

#include <string.h>

/* ---- names ---- */

static const char *name_of(const void *owner, int number)
{
    return ((const gt_i_names *)owner)->name[number];
}

gt_status gt_i_names_new(const char **out, gt_i_names *names, const char *wanted)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    GT_TRY(gt_text_append(&text, "%s", wanted));
    for (int k = 2; gt_i_names_find(&names->index, text.data, name_of, names) >= 0; k++) {
        text.length = 0;
        GT_TRY(gt_text_append(&text, "%s#%d", wanted, k));
    }
    GT_TRY(gt_i_grow(&names->name, &names->capacity, (size_t)names->n, sizeof *names->name));
    GT_TRY(gt_i_names_add(&names->index, text.data, names->n, name_of, names));
    names->name[names->n++] = text.data;
    *out = text.data;
    text = (gt_text){0};
done:
    gt_text_destroy(&text);
    return status;
}

void gt_i_names_destroy(gt_i_names *names)
{
    for (int i = 0; i < names->n; i++) {
        gt_free(names->name[i]);
    }
    gt_free(names->name);
    gt_i_names_clear(&names->index);
}

/* "<op>.<what>" among `names`; "" after a failure. */
static const char *part_name(gt_i_emit *e, gt_i_names *names, const char *what)
{
    gt_text text = {0};
    const char *name = "";
    if (e->status == GT_OK) {
        e->status = gt_text_append(&text, "%s.%s", e->op->name, what);
    }
    if (e->status == GT_OK) {
        e->status = gt_i_names_new(&name, names, text.data);
    }
    gt_text_destroy(&text);
    return name;
}

/* ---- constants ---- */

static gt_onnx_type onnx_type(gt_dtype dtype)
{
    return dtype == GT_F32 ? GT_ONNX_FLOAT : dtype == GT_I64 ? GT_ONNX_INT64 : GT_ONNX_BOOL;
}

const char *gt_i_emit_weight(gt_i_emit *e, int tensor, const gt_shape *shape)
{
    const gt_tensor *t = &e->graph->tensors[tensor];
    bool own_shape = gt_shape_equal(shape, &t->shape);
    const char **form = &e->forms[gt_outline_form(tensor, GT_NCHW)];
    const char *name = "";
    if (own_shape && *form != NULL) {
        return *form;
    }
    if (e->status == GT_OK) {
        e->status = gt_i_names_new(&name, &e->tensors, t->name);
    }
    if (e->status == GT_OK && e->options->no_weights && gt_shape_elems(shape) > 1) {
        e->status = gt_onnx_add_input(e->model, name, shape->rank, shape->dim);
        e->model->inputs[e->model->n_inputs - 1].type = onnx_type(t->dtype);
    } else if (e->status == GT_OK) {
        e->status = gt_onnx_lend_initializer(e->model, name, onnx_type(t->dtype), shape->rank, shape->dim, t->data);
    }
    if (own_shape && e->status == GT_OK) {
        *form = name;
    }
    return name;
}

static gt_status transpose(float **out, const float *in, int64_t rows, int64_t columns)
{
    gt_status status = gt_calloc(out, (size_t)(rows * columns), sizeof **out);
    for (int64_t i = 0; status == GT_OK && i < rows; i++) {
        for (int64_t k = 0; k < columns; k++) {
            (*out)[k * rows + i] = in[i * columns + k];
        }
    }
    return status;
}

const char *gt_i_emit_transposed(gt_i_emit *e, int tensor)
{
    const gt_tensor *t = &e->graph->tensors[tensor];
    const int64_t dims[] = {t->shape.dim[1], t->shape.dim[0]};
    float *data = NULL;
    const char *name = "";
    if (e->status == GT_OK) {
        e->status = gt_i_names_new(&name, &e->tensors, t->name);
    }
    if (e->status == GT_OK && e->options->no_weights && gt_shape_elems(&t->shape) > 1) {
        e->status = gt_onnx_add_input(e->model, name, 2, dims);
    } else if (e->status == GT_OK) {
        e->status = transpose(&data, t->data, dims[1], dims[0]);
        e->status = e->status == GT_OK ? gt_onnx_add_initializer(e->model, name, GT_ONNX_FLOAT, 2, dims, data) : e->status;
        gt_free(data);
    }
    return name;
}

static const char *emit_constant(gt_i_emit *e, const char *what, gt_onnx_type type, int rank, int64_t n, const void *data)
{
    const char *name = part_name(e, &e->tensors, what);
    if (e->status == GT_OK) {
        e->status = gt_onnx_add_initializer(e->model, name, type, rank, &n, data);
    }
    return name;
}

const char *gt_i_emit_ints(gt_i_emit *e, const char *what, int64_t n, const int64_t *values)
{
    return emit_constant(e, what, GT_ONNX_INT64, 1, n, values);
}

const char *gt_i_emit_floats(gt_i_emit *e, const char *what, int64_t n, const float *values)
{
    return emit_constant(e, what, GT_ONNX_FLOAT, 1, n, values);
}

const char *gt_i_emit_scalar(gt_i_emit *e, const char *what, float value)
{
    return emit_constant(e, what, GT_ONNX_FLOAT, 0, 1, &value);
}

const char *gt_i_emit_input(gt_i_emit *e, int i)
{
    int tensor = e->op->inputs[i];
    if (tensor == GT_NO_TENSOR) {
        return "";
    }
    if (!gt_outline_reads(e->graph, e->op, i)) {
        return gt_i_emit_weight(e, tensor, &e->graph->tensors[tensor].shape);
    }
    const char *form = e->forms[gt_outline_form(tensor, gt_outline_input_layout(e->graph, e->step, i))];
    GT_VERIFY(form != NULL);
    return form;
}

/* ---- nodes ---- */

/* States the last result's shape, once it is known that it stays inside its op. */
static void describe_result(gt_i_emit *e)
{
    if (e->result != NULL && e->status == GT_OK) {
        e->status = gt_onnx_add_value(e->model, e->result, e->result_shape.rank, e->result_shape.dim);
    }
    if (e->result != NULL && e->status == GT_OK) {
        e->model->values[e->model->n_values - 1].type = onnx_type(e->result_type);
    }
    e->result = NULL;
}

const char *gt_i_emit_node(gt_i_emit *e, const char *type, const char *part, const gt_shape *shape, size_t n,
                           const char *const *inputs)
{
    describe_result(e);
    const char *name = part != NULL ? part_name(e, &e->nodes, part) : e->op->name;
    const char *result = part_name(e, &e->tensors, part != NULL ? part : "result");
    e->node = NULL;
    if (e->status == GT_OK) {
        e->status = gt_onnx_add_node(e->model, &e->node, type, name, n, inputs, 1, &result);
    }
    e->result = result;
    e->result_shape = *shape;
    e->result_type = GT_F32;
    return result;
}

void gt_i_emit_int(gt_i_emit *e, const char *name, int64_t value)
{
    if (e->status == GT_OK) {
        e->status = gt_onnx_set_int(e->node, name, value);
    }
}

void gt_i_emit_float(gt_i_emit *e, const char *name, float value)
{
    if (e->status == GT_OK) {
        e->status = gt_onnx_set_float(e->node, name, value);
    }
}

void gt_i_emit_list(gt_i_emit *e, const char *name, int64_t n, const int64_t *values)
{
    if (e->status == GT_OK) {
        e->status = gt_onnx_set_ints(e->node, name, (size_t)n, values);
    }
}

void gt_i_emit_string(gt_i_emit *e, const char *name, const char *value)
{
    if (e->status == GT_OK) {
        e->status = gt_onnx_set_string(e->node, name, value);
    }
}
