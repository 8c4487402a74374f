/* SPDX-License-Identifier: Apache-2.0 */
/* Values between nodes: adding ops to the graph, naming them, and the small helpers of all handlers. */
#include "src/import/onnx_context.h"

#include <stdio.h>
#include <string.h>

bool gt_i_onnx_is_const(const gt_i_value *value)
{
    return value->data != NULL;
}

gt_status gt_i_onnx_bind(gt_i_onnx *c, const gt_onnx_node *node, size_t k, gt_i_value *value)
{
    if (k >= node->n_outputs || node->outputs[k][0] == '\0') {
        return GT_OK;
    }
    gt_i_name *name = &c->names[gt_i_name_map_find(&c->name_index, node->outputs[k])];
    /* A folded constant gets the model's name for it, instead of one made up after the node. */
    if (gt_i_onnx_is_const(value) && value->tensor == GT_NO_TENSOR &&
        gt_i_name_map_find(&c->name_index, value->name) < 0) {
        char *text = NULL;
        gt_status status = gt_strdup(&text, name->text);
        if (status != GT_OK) {
            return status;
        }
        gt_free(value->name);
        value->name = text;
    }
    name->value = value;
    value->uses += name->uses;
    return GT_OK;
}

/* ---- adding ops ---- */

gt_status gt_i_onnx_place_const(gt_i_onnx *c, gt_i_value *value)
{
    gt_status status = GT_OK;
    char *name = NULL;
    if (value->tensor != GT_NO_TENSOR) {
        return GT_OK;
    }
    /* The names of the model's own constants are reserved for them. */
    if (gt_i_name_map_find(&c->name_index, value->name) >= 0) {
        GT_TRY(gt_strdup(&name, value->name));
    } else {
        GT_TRY(gt_i_name_map_unique(&c->taken_tensors, &name, value->name));
    }
    GT_TRY(gt_graph_add_tensor(c->graph, &value->tensor, name, value->dtype, &value->shape, value->data));
done:
    gt_free(name);
    return status;
}

/* The op's name: the node's own for the first that asks for it, else the node's and the op kind's. */
static gt_status name_op(char **name, gt_i_onnx *c, gt_op_kind kind, bool core)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    const char *node = c->node_names[c->node_index];
    if (core && !c->name_used) {
        c->name_used = true;
        return gt_strdup(name, node);
    }
    GT_TRY(gt_text_append(&text, "%s/%s", node, gt_op_kind_name(kind)));
    GT_TRY(gt_i_name_map_unique(&c->taken_ops, name, text.data));
done:
    gt_text_destroy(&text);
    return status;
}

gt_status gt_i_onnx_add_value(gt_i_value **out, gt_i_onnx *c, int tensor)
{
    gt_status status = GT_OK;
    gt_i_value *value = NULL;
    GT_TRY(gt_calloc(&value, 1, sizeof *value));
    GT_TRY(gt_strdup(&value->name, c->graph->tensors[tensor].name));
    value->dtype = c->graph->tensors[tensor].dtype;
    value->shape = c->graph->tensors[tensor].shape;
    value->tensor = tensor;
    GT_PUSH(c->values, c->n_values, c->values_capacity, value);
    *out = value;
    value = NULL;
done:
    if (value != NULL) {
        gt_free(value->name);
        gt_free(value);
    }
    return status;
}

static gt_status check_run_time_input(gt_op_kind kind, const gt_i_value *value)
{
    if (value->dtype != GT_F32 && !gt_i_onnx_takes_any_type(kind)) {
        return gt_fail(GT_ERROR_UNSUPPORTED, "'%s' is %s, and at run time only floats are computed",
                       value->name, gt_dtype_name(value->dtype));
    }
    if (gt_shape_elems(&value->shape) == 0) {
        char text[GT_SHAPE_TEXT_BYTES];
        return gt_fail(GT_ERROR_UNSUPPORTED,
                       "'%s' has shape %s, and empty tensors are handled only in constants", value->name,
                       gt_shape_format(text, sizeof text, &value->shape));
    }
    return GT_OK;
}

static gt_status add_op(gt_i_value **out, gt_i_onnx *c, bool core, const char *output_name, gt_op_kind kind,
                        const gt_attrs *attrs, int n_inputs, gt_i_value *const *inputs,
                        const gt_operand *hint)
{
    gt_status status = GT_OK;
    char *name = NULL;
    char *made_up = NULL;
    int *tensors = NULL;
    int output = GT_NO_TENSOR;
    GT_TRY(gt_calloc(&tensors, (size_t)n_inputs, sizeof *tensors));
    for (int i = 0; i < n_inputs; i++) {
        tensors[i] = GT_NO_TENSOR;
        if (inputs[i] != NULL) {
            GT_TRY(check_run_time_input(kind, inputs[i]));
            if (gt_i_onnx_is_const(inputs[i])) {
                GT_TRY(gt_i_onnx_place_const(c, inputs[i]));
            }
            tensors[i] = inputs[i]->tensor;
        }
    }
    GT_TRY(name_op(&name, c, kind, core));
    if (output_name == NULL) {
        GT_TRY(gt_i_name_map_unique(&c->taken_tensors, &made_up, name));
        output_name = made_up;
    }
    GT_TRY(gt_graph_add_op(c->graph, NULL, &output, kind, name, output_name, attrs, NULL, n_inputs, tensors,
                           hint));
    GT_TRY(gt_i_onnx_add_value(out, c, output));
done:
    gt_free(name);
    gt_free(made_up);
    gt_free(tensors);
    return status;
}

static gt_status emit(gt_i_value **out, gt_i_onnx *c, bool core, const char *output_name, gt_op_kind kind,
                      const gt_attrs *attrs, int n_inputs, gt_i_value *const *inputs, const gt_operand *hint)
{
    for (int i = 0; i < n_inputs; i++) {
        if (inputs[i] != NULL && !gt_i_onnx_is_const(inputs[i])) {
            return add_op(out, c, core, output_name, kind, attrs, n_inputs, inputs, hint);
        }
    }
    return gt_i_onnx_fold(out, c, kind, attrs, n_inputs, inputs, hint);
}

gt_status gt_i_onnx_emit(gt_i_value **out, gt_i_onnx *c, gt_op_kind kind, const gt_attrs *attrs, int n_inputs,
                         gt_i_value *const *inputs, const gt_operand *hint)
{
    return emit(out, c, false, NULL, kind, attrs, n_inputs, inputs, hint);
}

gt_status gt_i_onnx_emit_core(gt_i_value **out, gt_i_onnx *c, gt_op_kind kind, const gt_attrs *attrs,
                              int n_inputs, gt_i_value *const *inputs, const gt_operand *hint)
{
    return emit(out, c, true, NULL, kind, attrs, n_inputs, inputs, hint);
}

gt_status gt_i_onnx_emit_output(gt_i_onnx *c, const gt_onnx_node *node, size_t k, gt_op_kind kind,
                                const gt_attrs *attrs, int n_inputs, gt_i_value *const *inputs,
                                const gt_operand *hint)
{
    gt_i_value *value = NULL;
    const char *name = k < node->n_outputs && node->outputs[k][0] != '\0' ? node->outputs[k] : NULL;
    gt_status status = emit(&value, c, true, name, kind, attrs, n_inputs, inputs, hint);
    return status == GT_OK ? gt_i_onnx_bind(c, node, k, value) : status;
}

/* ---- helpers ---- */

/* As output k of the node where node is given, else as a helper. *out may be NULL then. */
static gt_status emit_either(gt_i_value **out, gt_i_onnx *c, const gt_onnx_node *node, int k, gt_op_kind kind,
                             const gt_attrs *attrs, int n_inputs, gt_i_value *const *inputs,
                             const gt_operand *hint)
{
    if (k < 0) {
        return gt_i_onnx_emit(out, c, kind, attrs, n_inputs, inputs, hint);
    }
    return gt_i_onnx_emit_output(c, node, (size_t)k, kind, attrs, n_inputs, inputs, hint);
}

gt_status gt_i_onnx_reshape(gt_i_value **out, gt_i_onnx *c, gt_i_value *x, const gt_shape *shape)
{
    if (gt_shape_equal(&x->shape, shape)) {
        *out = x;
        return GT_OK;
    }
    gt_operand hint = {.present = true, .dtype = x->dtype, .shape = *shape};
    return gt_i_onnx_emit(out, c, GT_OP_RESHAPE, &(gt_attrs){0}, 1, &x, &hint);
}

gt_status gt_i_onnx_reshape_output(gt_i_onnx *c, const gt_onnx_node *node, size_t k, gt_i_value *x,
                                   const gt_shape *shape)
{
    if (gt_shape_equal(&x->shape, shape)) {
        return gt_i_onnx_bind(c, node, k, x);
    }
    gt_operand hint = {.present = true, .dtype = x->dtype, .shape = *shape};
    return gt_i_onnx_emit_output(c, node, k, GT_OP_RESHAPE, &(gt_attrs){0}, 1, &x, &hint);
}

gt_status gt_i_onnx_transpose(gt_i_value **out, gt_i_onnx *c, gt_i_value *x, const int64_t *perm)
{
    int64_t copy[GT_MAX_RANK];
    memcpy(copy, perm, (size_t)x->shape.rank * sizeof *perm);
    gt_attrs attrs = {.transpose.perm = {x->shape.rank, copy}};
    return gt_i_onnx_emit(out, c, GT_OP_TRANSPOSE, &attrs, 1, &x, NULL);
}

gt_status gt_i_onnx_to_f32(gt_i_value **out, gt_i_onnx *c, gt_i_value *x)
{
    if (x->dtype == GT_F32) {
        *out = x;
        return GT_OK;
    }
    gt_operand hint = {.present = true, .dtype = GT_F32, .shape = x->shape};
    return gt_i_onnx_emit(out, c, GT_OP_CAST, &(gt_attrs){0}, 1, &x, &hint);
}

gt_status gt_i_onnx_align_rank(gt_i_value **out, gt_i_onnx *c, gt_i_value *x, int rank)
{
    gt_shape shape = {.rank = rank};
    int missing = rank - x->shape.rank;
    if (missing <= 0) {
        *out = x;
        return GT_OK;
    }
    for (int i = 0; i < rank; i++) {
        shape.dim[i] = i < missing ? 1 : x->shape.dim[i - missing];
    }
    return gt_i_onnx_reshape(out, c, x, &shape);
}

gt_status gt_i_onnx_binary(gt_i_value **out, gt_i_onnx *c, const gt_onnx_node *node, int k,
                           gt_binary_function function, gt_i_value *a, gt_i_value *b)
{
    gt_status status = GT_OK;
    gt_attrs attrs = {.binary.function = function};
    int rank = a->shape.rank > b->shape.rank ? a->shape.rank : b->shape.rank;
    gt_i_value *pair[2] = {a, b};
    gt_shape shape;
    char left[GT_SHAPE_TEXT_BYTES];
    char right[GT_SHAPE_TEXT_BYTES];
    GT_REQUIRE(gt_shape_broadcast(&shape, &a->shape, &b->shape), GT_ERROR_SHAPE,
               "'%s' has shape %s and '%s' %s; they do not broadcast", a->name,
               gt_shape_format(left, sizeof left, &a->shape), b->name,
               gt_shape_format(right, sizeof right, &b->shape));
    GT_REQUIRE(a->dtype == b->dtype, GT_ERROR_SHAPE, "'%s' is %s and '%s' is %s; they must be of one type",
               a->name, gt_dtype_name(a->dtype), b->name, gt_dtype_name(b->dtype));
    GT_TRY(gt_i_onnx_align_rank(&pair[0], c, a, rank));
    GT_TRY(gt_i_onnx_align_rank(&pair[1], c, b, rank));
    GT_TRY(emit_either(out, c, node, k, GT_OP_BINARY, &attrs, 2, pair, NULL));
done:
    return status;
}

gt_status gt_i_onnx_unary(gt_i_value **out, gt_i_onnx *c, const gt_onnx_node *node, int k,
                          gt_function function, float alpha, float beta, gt_i_value *x)
{
    gt_attrs attrs = {.unary = {.function = function, .alpha = alpha, .beta = beta}};
    return emit_either(out, c, node, k, GT_OP_UNARY, &attrs, 1, &x, NULL);
}

gt_status gt_i_onnx_to_image(gt_i_value **out, gt_i_onnx *c, gt_i_value *x, const char *what)
{
    const int64_t *dim = x->shape.dim;
    if (x->shape.rank == 4) {
        *out = x;
        return GT_OK;
    }
    if (x->shape.rank == 3) {
        gt_shape shape = gt_shape_4d(dim[0], dim[1], 1, dim[2]);
        return gt_i_onnx_reshape(out, c, x, &shape);
    }
    char text[GT_SHAPE_TEXT_BYTES];
    return gt_fail(x->shape.rank > 4 ? GT_ERROR_UNSUPPORTED : GT_ERROR_SHAPE,
                   "'%s' has shape %s; %s is handled over one or two spatial axes (rank 3 or 4)", x->name,
                   gt_shape_format(text, sizeof text, &x->shape), what);
}

gt_status gt_i_onnx_emit_image(gt_i_onnx *c, const gt_onnx_node *node, int rank, gt_op_kind kind,
                               const gt_attrs *attrs, int n_inputs, gt_i_value *const *inputs,
                               const gt_operand *hint)
{
    gt_status status = GT_OK;
    gt_i_value *image = NULL;
    if (rank == 4) {
        return gt_i_onnx_emit_output(c, node, 0, kind, attrs, n_inputs, inputs, hint);
    }
    GT_TRY(gt_i_onnx_emit_core(&image, c, kind, attrs, n_inputs, inputs, hint));
    const int64_t *dim = image->shape.dim;
    gt_shape shape = {.rank = 3, .dim = {dim[0], dim[1], dim[3]}};
    GT_TRY(gt_i_onnx_reshape_output(c, node, 0, image, &shape));
done:
    return status;
}
