/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/conformance.h"

#include <string.h>

/* ---- operators ---- */

static const char *operator_reason(const gt_onnx_model *model, const gt_onnx_node *node)
{
    const gt_onnx_op_info *op = cf_find_op(node->op_type);
    if (node->domain[0] != '\0' && strcmp(node->domain, "ai.onnx") != 0) {
        return "not of domain ai.onnx";
    }
    if (op == NULL) {
        return "not in the importer's table";
    }
    return model->opset < op->since || model->opset > op->last ? "the importer's table has not this opset" : NULL;
}

/* ---- one node ---- */

static int64_t int_attr(const gt_onnx_node *node, const char *name)
{
    const gt_onnx_attr *attr = gt_onnx_find_attr(node, name);
    return attr != NULL ? attr->i : 0;
}

static bool attr_is(const gt_onnx_node *node, const char *name, const char *text)
{
    const gt_onnx_attr *attr = gt_onnx_find_attr(node, name);
    return attr != NULL && attr->s != NULL && strcmp(attr->s, text) == 0;
}

static bool is_op(const gt_onnx_node *node, const char *op)
{
    return strcmp(node->op_type, op) == 0;
}

static bool is_named(char **names, size_t n, size_t k)
{
    return k < n && names[k][0] != '\0';
}

/* What the case feeds to input k of the node; NULL if that is absent or made by another node. */
static const gt_onnx_tensor *fed(const cf_case *c, const gt_onnx_node *node, size_t k)
{
    for (size_t i = 0; k < node->n_inputs && i < c->n_inputs; i++) {
        if (strcmp(c->model->inputs[i].name, node->inputs[k]) == 0) {
            return c->inputs[i];
        }
    }
    return NULL;
}

static const char *window_reason(const cf_case *c, const gt_onnx_node *node)
{
    const gt_onnx_tensor *x = fed(c, node, 0);
    if (is_op(node, "MaxPool") && is_named(node->outputs, node->n_outputs, 1)) {
        return "the indices are an output";
    }
    if (x != NULL && x->type != GT_ONNX_FLOAT) {
        return "pooling of integers";
    }
    return x != NULL && x->rank > 4 ? "three spatial axes" : NULL;
}

static const char *training_reason(const cf_case *c, const gt_onnx_node *node)
{
    const gt_onnx_tensor *mode = is_op(node, "Dropout") ? fed(c, node, 2) : NULL;
    const bool training = int_attr(node, "training_mode") != 0 ||
                          (mode != NULL && mode->bytes == 1 && *(const unsigned char *)mode->data != 0);
    return training ? "training mode" : NULL;
}

/* Where scale times length is no whole number, the suite's align_corners ends at that product less one; the
 * specification (and ONNX Runtime) let it end at the last pixel, length_resized - 1. */
static bool ends_between_pixels(const cf_case *c, const gt_onnx_node *node)
{
    const gt_onnx_tensor *x = fed(c, node, 0);
    const gt_onnx_tensor *scales = fed(c, node, 2);
    bool between = false;
    for (int i = 0; x != NULL && scales != NULL && i < x->rank && (size_t)i < scales->bytes / sizeof(float); i++) {
        const double length = (double)((const float *)scales->data)[i] * (double)x->dims[i];
        between = between || length != (double)(int64_t)length;
    }
    return between && attr_is(node, "coordinate_transformation_mode", "align_corners");
}

static const char *resize_reason(const cf_case *c, const gt_onnx_node *node)
{
    if (attr_is(node, "mode", "cubic")) {
        return "mode cubic";
    }
    if (attr_is(node, "coordinate_transformation_mode", "tf_crop_and_resize")) {
        return "tf_crop_and_resize";
    }
    return ends_between_pixels(c, node) ? "align_corners to a length that was rounded: the suite does not follow the "
                                          "specification" : NULL;
}

static const char *pow_reason(const cf_case *c, const gt_onnx_node *node)
{
    const gt_onnx_tensor *base = fed(c, node, 0);
    const gt_onnx_tensor *exponent = fed(c, node, 1);
    return base != NULL && exponent != NULL && base->type != GT_ONNX_FLOAT && exponent->type == GT_ONNX_FLOAT
               ? "an integer to the power of a float" : NULL;
}

static const char *scatter_reason(const cf_case *c, const gt_onnx_node *node)
{
    (void)c;
    return gt_onnx_find_attr(node, "reduction") != NULL && !attr_is(node, "reduction", "none") ? "with reduction" : NULL;
}

/* The limits that the notes of the importer's table state. */
static const struct {
    const char *op;
    const char *(*reason)(const cf_case *c, const gt_onnx_node *node);
} limits[] = {
    {"AveragePool", window_reason},   {"BatchNormalization", training_reason}, {"Conv", window_reason},
    {"ConvTranspose", window_reason}, {"Dropout", training_reason},            {"MaxPool", window_reason},
    {"Pow", pow_reason},              {"Resize", resize_reason},               {"ScatterND", scatter_reason},
};

static const char *limit_reason(const cf_case *c, const gt_onnx_node *node)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (is_op(node, limits[i].op)) {
            return limits[i].reason(c, node);
        }
    }
    return NULL;
}

/* ---- the data ---- */

static const char *type_reason(gt_onnx_type type)
{
    switch (type) {
    case GT_ONNX_STRING:
        return "strings";
    case GT_ONNX_UNDEFINED:
        return "an input or output that is no tensor";
    default:
        return NULL;
    }
}

/* Inputs may be float64 or of 16 bits, as weights are: they are converted. Outputs are float32, int64 or bool. */
static const char *output_reason(gt_onnx_type type)
{
    switch (type) {
    case GT_ONNX_DOUBLE:
        return "a float64 output, which is computed as float32";
    case GT_ONNX_FLOAT16:
    case GT_ONNX_BFLOAT16:
        return "a 16-bit float output, which is computed as float32";
    default:
        return type_reason(type);
    }
}

/* The suite stores bfloat16 as uint16. Constants may be empty. */
static const char *port_reason(const gt_onnx_value *value, const gt_onnx_tensor *data, bool constant)
{
    if (data != NULL && data->type != value->type) {
        return "data of another type than the model states";
    }
    return data != NULL && data->bytes == 0 && !constant ? "an empty tensor at run time" : NULL;
}

static const char *data_reason(const cf_case *c)
{
    const char *reason = NULL;
    for (size_t i = 0; reason == NULL && i < c->n_inputs; i++) {
        reason = type_reason(c->model->inputs[i].type);
        reason = reason != NULL ? reason : port_reason(&c->model->inputs[i], c->inputs[i], c->fixed[i]);
    }
    for (size_t i = 0; reason == NULL && i < c->n_outputs; i++) {
        reason = output_reason(c->model->outputs[i].type);
        reason = reason != NULL ? reason : port_reason(&c->model->outputs[i], c->outputs[i], false);
    }
    return reason;
}

/* ---- files that gt_onnx_read refuses ---- */

/* Optimisers: they import ai.onnx.preview.training alone. */
static const char *const optimisers[] = {"/test_adagrad/", "/test_adagrad_multiple/", "/test_adam/",
                                         "/test_adam_multiple/", "/test_momentum/", "/test_momentum_multiple/",
                                         "/test_nesterov_momentum/"};

static cf_skip unread_skip(const cf_case *c)
{
    for (size_t i = 0; i < sizeof optimisers / sizeof *optimisers; i++) {
        if (strstr(c->model_path, optimisers[i]) != NULL) {
            return (cf_skip){"(ai.onnx.preview.training)", "no operator of domain ai.onnx"};
        }
    }
    return (cf_skip){0};
}

/* ---- all ---- */

cf_skip cf_expected_skip(const cf_case *c)
{
    const gt_onnx_model *model = c->model;
    const char *reason = NULL;
    if (model == NULL) {
        return unread_skip(c);
    }
    for (size_t i = 0; i < model->n_nodes; i++) {
        reason = operator_reason(model, &model->nodes[i]);
        reason = reason != NULL ? reason : limit_reason(c, &model->nodes[i]);
        if (reason != NULL) {
            return (cf_skip){model->nodes[i].op_type, reason};
        }
    }
    reason = data_reason(c);
    return reason != NULL ? (cf_skip){model->n_nodes > 0 ? model->nodes[0].op_type : "(none)", reason} : (cf_skip){0};
}
