/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/onnx_model.h"
#include "tests/runner.h"

#include "ops/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N(array) ((int)(sizeof(array) / sizeof *(array)))

char om_folder[1024];
char om_model_path[1100];

void om_ok(gt_status status)
{
    if (status != GT_OK) {
        ck_abort_msg("%s: %s", gt_status_name(status), gt_error_message());
    }
}

/* ---- tensors from text: "2x3 1,2,3,4,5,6", "i:2 1,-1", "4 *0.5", "1x1x3x3 1~9" ---- */

static const char *read_shape(gt_shape *shape, const char *text)
{
    *shape = (gt_shape){0};
    while (*text != ' ' && *text != '\0') {
        char *end = NULL;
        if (*text == 's') { /* scalar */
            text++;
            continue;
        }
        shape->dim[shape->rank++] = strtoll(text, &end, 10);
        text = *end == 'x' ? end + 1 : end;
    }
    return text;
}

static void read_values(om_literal *l, const char *text)
{
    char *end = NULL;
    int64_t k = 0;
    ck_assert_int_le(l->n, N(l->value));
    while (*text != '\0' && *text != ';') {
        bool all = *text == '*';
        double first = strtod(text + all, &end);
        double last = *end == '~' ? strtod(end + 1, &end) : first;
        int64_t count = all ? l->n : (int64_t)(last - first) + 1;
        ck_assert_int_le(k + count, l->n);
        for (int64_t i = 0; i < count; i++) {
            l->value[k++] = all ? first : first + (double)i;
        }
        text = end + (*end == ',');
    }
    ck_assert_msg(k == l->n, "a literal has %lld values, its shape %lld", (long long)k, (long long)l->n);
}

/* "!" in front makes an initializer, "i:" int64, "b:" bool, "_" alone an absent input. Returns what follows
 * the next ';' or NULL. */
static const char *read_literal(om_literal *l, const char *text)
{
    const char *next = strchr(text, ';');
    memset(l, 0, sizeof *l);
    text += strspn(text, " ");
    l->present = *text != '_';
    if (l->present) {
        l->constant = *text == '!';
        text += l->constant;
        l->type = strncmp(text, "i:", 2) == 0 ? GT_ONNX_INT64 : strncmp(text, "b:", 2) == 0 ? GT_ONNX_BOOL
                                                                                          : GT_ONNX_FLOAT;
        text = read_shape(&l->shape, text + (l->type == GT_ONNX_FLOAT ? 0 : 2));
        l->n = gt_shape_elems(&l->shape);
        text += strspn(text, " ");
        read_values(l, text);
    }
    return next != NULL ? next + 1 : NULL;
}

void *om_literal_data(const om_literal *l)
{
    void *data = NULL;
    om_ok(gt_calloc(&data, (size_t)l->n + 1, 8));
    for (int64_t i = 0; i < l->n; i++) {
        switch (l->type) {
        case GT_ONNX_INT64:
            ((int64_t *)data)[i] = (int64_t)l->value[i];
            break;
        case GT_ONNX_BOOL:
            ((uint8_t *)data)[i] = l->value[i] != 0;
            break;
        default:
            ((float *)data)[i] = (float)l->value[i];
        }
    }
    return data;
}

void om_add_initializer(gt_onnx_model *model, const char *name, const char *text)
{
    static om_literal l;
    read_literal(&l, text);
    void *data = om_literal_data(&l);
    om_ok(gt_onnx_add_initializer(model, name, l.type, l.shape.rank, l.shape.dim, data));
    gt_free(data);
}

/* ---- attributes from text: "pads=1,1,1,1 auto_pad=VALID alpha=0.5 axis=1" ---- */

static bool is_int_list(const char *name)
{
    static const char *const names[] = {"pads", "strides", "dilations", "kernel_shape", "axes", "perm",
                                        "starts", "ends", "split", "output_shape", "output_padding", "shape",
                                        "paddings", "value_ints"};
    for (int i = 0; i < N(names); i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static size_t read_list(double *out, const char *text)
{
    size_t n = 0;
    char *end = NULL;
    for (; *text != '\0'; text = *end == ',' ? end + 1 : end) {
        out[n++] = strtod(text, &end);
    }
    return n;
}

/* The builder has no float lists and tensors, which few operators need. */
static gt_onnx_attr *add_empty_attr(gt_onnx_node *node, const char *name, gt_onnx_attr_type type)
{
    om_ok(gt_onnx_set_int(node, name, 0));
    gt_onnx_attr *attr = &node->attrs[node->n_attrs - 1];
    attr->type = type;
    return attr;
}

static void set_floats(gt_onnx_node *node, const char *name, size_t n, const double *values)
{
    gt_onnx_attr *attr = add_empty_attr(node, name, GT_ONNX_ATTR_FLOATS);
    attr->count = n;
    om_ok(gt_calloc(&attr->floats, n, sizeof *attr->floats));
    for (size_t i = 0; i < n; i++) {
        attr->floats[i] = (float)values[i];
    }
}

static void set_tensor(gt_onnx_node *node, const char *name, const char *text)
{
    static om_literal l;
    read_literal(&l, text);
    gt_onnx_attr *attr = add_empty_attr(node, name, GT_ONNX_ATTR_TENSOR);
    om_ok(gt_calloc(&attr->t, 1, sizeof *attr->t));
    om_ok(gt_strdup(&attr->t->name, ""));
    attr->t->type = l.type;
    attr->t->rank = l.shape.rank;
    memcpy(attr->t->dims, l.shape.dim, sizeof l.shape.dim);
    attr->t->data = om_literal_data(&l);
    attr->t->bytes = (size_t)l.n * gt_onnx_type_bytes(l.type);
}

static void set_attr(gt_onnx_node *node, const char *name, const char *value)
{
    double list[64];
    int64_t ints[64];
    if (strncmp(value, "tensor:", 7) == 0) {
        char text[256];
        snprintf(text, sizeof text, "%s", value + 7);
        *strchr(text, '|') = ' ';
        set_tensor(node, name, text);
    } else if (is_int_list(name)) {
        size_t n = read_list(list, value);
        for (size_t i = 0; i < n; i++) {
            ints[i] = (int64_t)list[i];
        }
        om_ok(gt_onnx_set_ints(node, name, n, ints));
    } else if (strcmp(name, "scales") == 0 || strcmp(name, "value_floats") == 0) {
        set_floats(node, name, read_list(list, value), list);
    } else if (strspn(value, "-+.0123456789") != strlen(value)) {
        om_ok(gt_onnx_set_string(node, name, value));
    } else if (strchr(value, '.') != NULL) {
        om_ok(gt_onnx_set_float(node, name, (float)atof(value)));
    } else {
        om_ok(gt_onnx_set_int(node, name, atoll(value)));
    }
}

void om_set_attrs(gt_onnx_node *node, const char *text)
{
    char copy[512];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        set_attr(node, word, equals + 1);
    }
}

/* ---- models ---- */

/* Names separated by spaces; "_" is an absent one. */
static size_t split_names(char *copy, size_t bytes, const char **names, const char *text)
{
    size_t n = 0;
    snprintf(copy, bytes, "%s", text);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        names[n++] = strcmp(word, "_") == 0 ? "" : word;
    }
    return n;
}

gt_onnx_node *om_add_node(gt_onnx_model *model, const char *op, const char *name, const char *inputs,
                              const char *outputs)
{
    char in_text[512];
    char out_text[512];
    const char *in[64];
    const char *out[64];
    gt_onnx_node *node = NULL;
    size_t n_in = split_names(in_text, sizeof in_text, in, inputs);
    size_t n_out = split_names(out_text, sizeof out_text, out, outputs);
    om_ok(gt_onnx_add_node(model, &node, op, name, n_in, in, n_out, out));
    return node;
}

gt_onnx_model *om_new_model(int64_t opset)
{
    gt_onnx_model *model = NULL;
    om_ok(gt_onnx_model_create(&model, "test", opset));
    return model;
}

void om_add_input(gt_onnx_model *model, const char *name, const char *shape)
{
    gt_shape s;
    read_shape(&s, shape);
    om_ok(gt_onnx_add_input(model, name, s.rank, s.dim));
}

void om_add_output(gt_onnx_model *model, const char *name)
{
    int64_t dims[1] = {1};
    om_ok(gt_onnx_add_output(model, name, 1, dims));
    model->outputs[model->n_outputs - 1].has_shape = false;
    model->outputs[model->n_outputs - 1].rank = 0;
}

gt_status om_import(gt_graph **graph, const gt_onnx_model *model, const gt_import_options *options)
{
    om_ok(gt_onnx_write(model, om_model_path));
    return gt_import_file(graph, om_model_path, options);
}

/* ---- running ---- */

static void run_op(const gt_graph *graph, void **data, const gt_op *op)
{
    const void *in[64];
    const gt_operand *y = &op->workload->output;
    for (int k = 0; k < op->n_inputs; k++) {
        int t = op->inputs[k];
        in[k] = t < 0 ? NULL : graph->tensors[t].data != NULL ? graph->tensors[t].data : data[t];
    }
    om_ok(gt_calloc(&data[op->output], (size_t)gt_shape_elems(&y->shape) + 1, 8));
    om_ok(gt_reference_run(op->workload, data[op->output], in));
}

static double element(const gt_tensor *tensor, const void *data, int64_t i)
{
    switch (tensor->dtype) {
    case GT_F32:
        return (double)((const float *)data)[i];
    case GT_I64:
        return (double)((const int64_t *)data)[i];
    default:
        return ((const uint8_t *)data)[i];
    }
}

static void check_output(const char *label, const gt_graph *graph, void *const *data, int k,
                         const om_literal *want)
{
    int t = graph->outputs[k];
    const gt_tensor *tensor = &graph->tensors[t];
    char a[GT_SHAPE_TEXT_BYTES];
    char b[GT_SHAPE_TEXT_BYTES];
    gt_dtype dtype = want->type == GT_ONNX_INT64 ? GT_I64 : want->type == GT_ONNX_BOOL ? GT_BOOL : GT_F32;
    ck_assert_msg(gt_shape_equal(&tensor->shape, &want->shape), "%s: output %d is %s, wanted %s", label, k,
                  gt_shape_format(a, sizeof a, &tensor->shape), gt_shape_format(b, sizeof b, &want->shape));
    ck_assert_msg(tensor->dtype == dtype, "%s: output %d is %s", label, k, gt_dtype_name(tensor->dtype));
    for (int64_t i = 0; i < want->n; i++) {
        double got = element(tensor, data[t], i);
        ck_assert_msg(fabs(got - want->value[i]) <= 2e-5 + 1e-4 * fabs(want->value[i]),
                      "%s: output %d, element %lld is %g, wanted %g", label, k, (long long)i, got,
                      want->value[i]);
    }
}

void om_check_graph(const char *label, const gt_graph *graph, const om_literal *in, size_t n_in,
                        const char *want)
{
    static om_literal l;
    void **data = NULL;
    om_ok(gt_calloc(&data, (size_t)graph->n_tensors, sizeof *data));
    int fed = 0;
    for (size_t i = 0; i < n_in; i++) {
        if (in[i].present && !in[i].constant) {
            ck_assert_int_lt(fed, graph->n_inputs);
            data[graph->inputs[fed++]] = om_literal_data(&in[i]);
        }
    }
    ck_assert_int_eq(fed, graph->n_inputs);
    for (int i = 0; i < graph->n_ops; i++) {
        run_op(graph, data, &graph->ops[i]);
    }
    for (int k = 0; want != NULL; k++) {
        ck_assert_int_lt(k, graph->n_outputs);
        want = read_literal(&l, want);
        check_output(label, graph, data, k, &l);
    }
    for (int i = 0; i < graph->n_tensors; i++) {
        gt_free(data[i]);
    }
    gt_free(data);
}

/* ---- one-operator models ---- */

size_t om_read_literals(om_literal *out, const char *text)
{
    size_t n = 0;
    while (text != NULL && *text != '\0') {
        text = read_literal(&out[n++], text);
    }
    return n;
}

gt_onnx_model *om_build_case(const om_case *c, const om_literal *in, size_t n_in)
{
    static const char *const names[] = {"x0", "x1", "x2", "x3", "x4", "x5"};
    static const char *const outputs[] = {"y0", "y1", "y2", "y3"};
    gt_onnx_model *model = om_new_model(c->opset);
    gt_onnx_node *node = NULL;
    const char *used[6];
    size_t n_out = 1;
    for (size_t i = 0; i < n_in; i++) {
        used[i] = in[i].present ? names[i] : "";
        if (in[i].present && in[i].constant) {
            void *data = om_literal_data(&in[i]);
            om_ok(gt_onnx_add_initializer(model, names[i], in[i].type, in[i].shape.rank, in[i].shape.dim, data));
            gt_free(data);
        } else if (in[i].present) {
            om_ok(gt_onnx_add_input(model, names[i], in[i].shape.rank, in[i].shape.dim));
            model->inputs[model->n_inputs - 1].type = in[i].type;
        }
    }
    for (const char *p = c->want; *p != '\0'; p++) {
        n_out += *p == ';';
    }
    om_ok(gt_onnx_add_node(model, &node, c->op, "node", n_in, used, n_out, outputs));
    om_set_attrs(node, c->attrs);
    for (size_t k = 0; k < n_out; k++) {
        om_add_output(model, outputs[k]);
    }
    return model;
}

/* ---- refusals ---- */

void om_check_fails(gt_onnx_model *model, const gt_import_options *options, gt_status want,
                    const char *const *parts, int n_parts)
{
    gt_graph *graph = NULL;
    gt_status status = om_import(&graph, model, options);
    ck_assert_msg(status == want, "%s instead of %s: %s", gt_status_name(status), gt_status_name(want),
                  gt_error_message());
    ck_assert_ptr_null(graph);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), om_model_path));
    ck_assert_ptr_null(strstr(strstr(gt_error_message(), om_model_path) + 1, om_model_path));
    for (int i = 0; i < n_parts; i++) {
        ck_assert_msg(parts[i] == NULL || strstr(gt_error_message(), parts[i]) != NULL,
                      "\"%s\" is not in: %s", parts[i], gt_error_message());
    }
    gt_onnx_model_destroy(model);
}

/* ---- running a suite ---- */

int om_run(Suite *suite)
{
    gt_test_folder(om_folder, sizeof om_folder);
    snprintf(om_model_path, sizeof om_model_path, "%s/model.onnx", om_folder);
    return gt_test_run(suite);
}
