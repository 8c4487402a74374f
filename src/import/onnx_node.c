/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a node: its attributes and its inputs. */
#include "src/import/onnx_context.h"

#include <string.h>

static const char *attr_type_name(gt_onnx_attr_type type)
{
    switch (type) {
    case GT_ONNX_ATTR_FLOAT:
        return "a float";
    case GT_ONNX_ATTR_INT:
        return "an int";
    case GT_ONNX_ATTR_STRING:
        return "a string";
    case GT_ONNX_ATTR_TENSOR:
        return "a tensor";
    case GT_ONNX_ATTR_FLOATS:
        return "a list of floats";
    case GT_ONNX_ATTR_INTS:
        return "a list of ints";
    case GT_ONNX_ATTR_STRINGS:
        return "a list of strings";
    default:
        return "of an unknown type";
    }
}

/* *attr is NULL when the node has no such attribute. */
static gt_status find_attr(const gt_onnx_attr **attr, const gt_onnx_node *node, const char *name,
                           gt_onnx_attr_type type)
{
    const gt_onnx_attr *found = gt_onnx_find_attr(node, name);
    if (found != NULL && found->type != type) {
        return gt_fail(GT_ERROR_FORMAT, "attribute '%s' is %s; %s is needed", name,
                       attr_type_name(found->type), attr_type_name(type));
    }
    *attr = found;
    return GT_OK;
}

gt_status gt_i_onnx_attr_int(int64_t *out, const gt_onnx_node *node, const char *name, int64_t fallback)
{
    const gt_onnx_attr *attr = NULL;
    gt_status status = find_attr(&attr, node, name, GT_ONNX_ATTR_INT);
    if (status == GT_OK) {
        *out = attr != NULL ? attr->i : fallback;
    }
    return status;
}

gt_status gt_i_onnx_attr_float(float *out, const gt_onnx_node *node, const char *name, float fallback)
{
    const gt_onnx_attr *attr = NULL;
    gt_status status = find_attr(&attr, node, name, GT_ONNX_ATTR_FLOAT);
    if (status == GT_OK) {
        *out = attr != NULL ? attr->f : fallback;
    }
    return status;
}

gt_status gt_i_onnx_attr_string(const char **out, const gt_onnx_node *node, const char *name,
                                const char *fallback)
{
    const gt_onnx_attr *attr = NULL;
    gt_status status = find_attr(&attr, node, name, GT_ONNX_ATTR_STRING);
    if (status == GT_OK) {
        *out = attr != NULL && attr->s != NULL ? attr->s : fallback;
    }
    return status;
}

gt_status gt_i_onnx_attr_ints(gt_i_ints *out, const gt_onnx_node *node, const char *name)
{
    const gt_onnx_attr *attr = NULL;
    gt_status status = find_attr(&attr, node, name, GT_ONNX_ATTR_INTS);
    if (status == GT_OK) {
        *out = (gt_i_ints){0};
        if (attr != NULL) {
            *out = (gt_i_ints){.present = true, .count = (int64_t)attr->count, .values = attr->ints};
        }
    }
    return status;
}

gt_status gt_i_onnx_attr_ints_n(int64_t *out, const gt_onnx_node *node, const char *name, int count,
                                int64_t fallback)
{
    gt_status status = GT_OK;
    gt_i_ints list = {0};
    GT_TRY(gt_i_onnx_attr_ints(&list, node, name));
    GT_REQUIRE(!list.present || list.count == count, GT_ERROR_FORMAT,
               "attribute '%s' has %lld entries; %d are needed", name, (long long)list.count, count);
    for (int i = 0; i < count; i++) {
        out[i] = list.present ? list.values[i] : fallback;
    }
done:
    return status;
}

bool gt_i_onnx_has_input(const gt_onnx_node *node, size_t k)
{
    return k < node->n_inputs && node->inputs[k][0] != '\0';
}

bool gt_i_onnx_output_is_read(const gt_i_onnx *c, const gt_onnx_node *node, size_t k)
{
    return k < node->n_outputs && node->outputs[k][0] != '\0' &&
           c->names[gt_i_name_map_find(&c->name_index, node->outputs[k])].uses > 0;
}

gt_status gt_i_onnx_input(gt_i_value **out, gt_i_onnx *c, const gt_onnx_node *node, size_t k,
                          const char *role)
{
    if (!gt_i_onnx_has_input(node, k)) {
        return gt_fail(GT_ERROR_FORMAT, "input %zu (%s) is missing", k, role);
    }
    gt_i_value *value = c->names[gt_i_name_map_find(&c->name_index, node->inputs[k])].value;
    if (value == NULL || value->unknown) {
        c->starved = true;
        return gt_fail(GT_ERROR_NOT_FOUND, "input %zu (%s), '%s', is unknown", k, role, node->inputs[k]);
    }
    *out = value;
    return GT_OK;
}

gt_status gt_i_onnx_const_input(gt_i_value **out, gt_i_onnx *c, const gt_onnx_node *node, size_t k,
                                const char *role)
{
    gt_i_value *value = NULL;
    gt_status status = gt_i_onnx_input(&value, c, node, k, role);
    if (status != GT_OK) {
        return status;
    }
    if (!gt_i_onnx_is_const(value)) {
        return gt_fail(GT_ERROR_UNSUPPORTED,
                       "input %zu (%s), '%s', is computed at run time; it must be a constant", k, role,
                       node->inputs[k]);
    }
    *out = value;
    return GT_OK;
}

gt_status gt_i_onnx_const_floats(const float **out, gt_i_onnx *c, const gt_onnx_node *node, size_t k,
                                 const char *role, int64_t count)
{
    gt_status status = GT_OK;
    gt_i_value *value = NULL;
    char text[GT_SHAPE_TEXT_BYTES];
    GT_TRY(gt_i_onnx_const_input(&value, c, node, k, role));
    GT_REQUIRE(value->dtype == GT_F32, GT_ERROR_SHAPE, "input %zu (%s), '%s', is %s; floats are needed", k,
               role, node->inputs[k], gt_dtype_name(value->dtype));
    GT_REQUIRE(count < 0 || gt_shape_elems(&value->shape) == count, GT_ERROR_SHAPE,
               "input %zu (%s), '%s', has shape %s; %lld elements are needed", k, role, node->inputs[k],
               gt_shape_format(text, sizeof text, &value->shape), (long long)count);
    *out = value->data;
done:
    return status;
}

gt_status gt_i_onnx_const_ints(gt_i_ints *out, gt_i_onnx *c, const gt_onnx_node *node, size_t k,
                               const char *role)
{
    gt_status status = GT_OK;
    gt_i_value *value = NULL;
    *out = (gt_i_ints){0};
    if (!gt_i_onnx_has_input(node, k)) {
        return GT_OK;
    }
    GT_TRY(gt_i_onnx_const_input(&value, c, node, k, role));
    GT_REQUIRE(value->dtype == GT_I64 && value->shape.rank <= 1, GT_ERROR_SHAPE,
               "input %zu (%s), '%s', is %s of rank %d; a list of integers is needed", k, role,
               node->inputs[k], gt_dtype_name(value->dtype), value->shape.rank);
    *out = (gt_i_ints){.present = true, .count = gt_shape_elems(&value->shape), .values = value->data};
done:
    return status;
}

gt_status gt_i_onnx_ints(gt_i_ints *out, gt_i_onnx *c, const gt_onnx_node *node, const char *attr, size_t k)
{
    gt_status status = gt_i_onnx_attr_ints(out, node, attr);
    return status != GT_OK || out->present ? status : gt_i_onnx_const_ints(out, c, node, k, attr);
}

gt_status gt_i_onnx_axis(int64_t *axis, int rank, const char *what)
{
    if (*axis < -rank || *axis >= rank) {
        return gt_fail(GT_ERROR_FORMAT, "%s is %lld; the tensor has rank %d, so %d to %d are allowed", what,
                       (long long)*axis, rank, -rank, rank - 1);
    }
    *axis += *axis < 0 ? rank : 0;
    return GT_OK;
}

gt_status gt_i_onnx_axes(bool *flags, const gt_i_ints *axes, int rank)
{
    gt_status status = GT_OK;
    memset(flags, 0, GT_MAX_RANK * sizeof *flags);
    for (int64_t i = 0; i < axes->count; i++) {
        int64_t axis = axes->values[i];
        GT_TRY(gt_i_onnx_axis(&axis, rank, "one of the axes"));
        GT_REQUIRE(!flags[axis], GT_ERROR_FORMAT, "axis %lld stands twice among the axes", (long long)axis);
        flags[axis] = true;
    }
done:
    return status;
}
