/* SPDX-License-Identifier: Apache-2.0 */
/* The ONNX importer, on models built here: every operator and opset variant against values worked out by
 * hand, what happens to symbolic dimensions, and what malformed, unsupported and hostile models are told. */
#include "ops/reference.h"
#include "src/base/file.h"
#include "src/base/rng.h"
#include "src/import/import.h"
#include "src/import/onnx_file.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N(array) ((int)(sizeof(array) / sizeof *(array)))

static char folder[1024];
static char model_path[1100];

static void ok(gt_status status)
{
    if (status != GT_OK) {
        ck_abort_msg("%s: %s", gt_status_name(status), gt_error_message());
    }
}

/* ---- tensors from text: "2x3 1,2,3,4,5,6", "i:2 1,-1", "4 *0.5", "1x1x3x3 1~9" ---- */

typedef struct literal {
    bool present, constant;
    gt_onnx_type type;
    gt_shape shape;
    int64_t n;
    double value[4096];
} literal;

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

static void read_values(literal *l, const char *text)
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
static const char *read_literal(literal *l, const char *text)
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

/* In the element type's own width; free with gt_free. */
static void *literal_data(const literal *l)
{
    void *data = NULL;
    ok(gt_calloc(&data, (size_t)l->n + 1, 8));
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

static void add_initializer(gt_onnx_model *model, const char *name, const char *text)
{
    static literal l;
    read_literal(&l, text);
    void *data = literal_data(&l);
    ok(gt_onnx_add_initializer(model, name, l.type, l.shape.rank, l.shape.dim, data));
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
    ok(gt_onnx_set_int(node, name, 0));
    gt_onnx_attr *attr = &node->attrs[node->n_attrs - 1];
    attr->type = type;
    return attr;
}

static void set_floats(gt_onnx_node *node, const char *name, size_t n, const double *values)
{
    gt_onnx_attr *attr = add_empty_attr(node, name, GT_ONNX_ATTR_FLOATS);
    attr->count = n;
    ok(gt_calloc(&attr->floats, n, sizeof *attr->floats));
    for (size_t i = 0; i < n; i++) {
        attr->floats[i] = (float)values[i];
    }
}

static void set_tensor(gt_onnx_node *node, const char *name, const char *text)
{
    static literal l;
    read_literal(&l, text);
    gt_onnx_attr *attr = add_empty_attr(node, name, GT_ONNX_ATTR_TENSOR);
    ok(gt_calloc(&attr->t, 1, sizeof *attr->t));
    ok(gt_strdup(&attr->t->name, ""));
    attr->t->type = l.type;
    attr->t->rank = l.shape.rank;
    memcpy(attr->t->dims, l.shape.dim, sizeof l.shape.dim);
    attr->t->data = literal_data(&l);
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
        ok(gt_onnx_set_ints(node, name, n, ints));
    } else if (strcmp(name, "scales") == 0 || strcmp(name, "value_floats") == 0) {
        set_floats(node, name, read_list(list, value), list);
    } else if (strspn(value, "-+.0123456789") != strlen(value)) {
        ok(gt_onnx_set_string(node, name, value));
    } else if (strchr(value, '.') != NULL) {
        ok(gt_onnx_set_float(node, name, (float)atof(value)));
    } else {
        ok(gt_onnx_set_int(node, name, atoll(value)));
    }
}

static void set_attrs(gt_onnx_node *node, const char *text)
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

static gt_onnx_node *add_node(gt_onnx_model *model, const char *op, const char *name, const char *inputs,
                              const char *outputs)
{
    char in_text[512];
    char out_text[512];
    const char *in[64];
    const char *out[64];
    gt_onnx_node *node = NULL;
    size_t n_in = split_names(in_text, sizeof in_text, in, inputs);
    size_t n_out = split_names(out_text, sizeof out_text, out, outputs);
    ok(gt_onnx_add_node(model, &node, op, name, n_in, in, n_out, out));
    return node;
}

static gt_onnx_model *new_model(int64_t opset)
{
    gt_onnx_model *model = NULL;
    ok(gt_onnx_model_create(&model, "test", opset));
    return model;
}

static void add_input(gt_onnx_model *model, const char *name, const char *shape)
{
    gt_shape s;
    read_shape(&s, shape);
    ok(gt_onnx_add_input(model, name, s.rank, s.dim));
}

static void add_output(gt_onnx_model *model, const char *name)
{
    int64_t dims[1] = {1};
    ok(gt_onnx_add_output(model, name, 1, dims));
    model->outputs[model->n_outputs - 1].has_shape = false;
    model->outputs[model->n_outputs - 1].rank = 0;
}

static gt_status import(gt_graph **graph, const gt_onnx_model *model, const gt_import_options *options)
{
    ok(gt_onnx_write(model, model_path));
    return gt_import_file(graph, model_path, options);
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
    ok(gt_calloc(&data[op->output], (size_t)gt_shape_elems(&y->shape) + 1, 8));
    ok(gt_reference_run(op->workload, data[op->output], in));
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
                         const literal *want)
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

/* Runs a graph on the literals that are not constants and compares its outputs. */
static void check_graph(const char *label, const gt_graph *graph, const literal *in, size_t n_in,
                        const char *want)
{
    static literal l;
    void **data = NULL;
    ok(gt_calloc(&data, (size_t)graph->n_tensors, sizeof *data));
    int fed = 0;
    for (size_t i = 0; i < n_in; i++) {
        if (in[i].present && !in[i].constant) {
            ck_assert_int_lt(fed, graph->n_inputs);
            data[graph->inputs[fed++]] = literal_data(&in[i]);
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

typedef struct op_case {
    const char *op;
    int opset;
    const char *attrs;
    const char *inputs; /* literals separated by ';' */
    const char *want;   /* of the outputs */
} op_case;

static size_t read_literals(literal *out, const char *text)
{
    size_t n = 0;
    while (text != NULL && *text != '\0') {
        text = read_literal(&out[n++], text);
    }
    return n;
}

static gt_onnx_model *build_case(const op_case *c, const literal *in, size_t n_in)
{
    static const char *const names[] = {"x0", "x1", "x2", "x3", "x4", "x5"};
    static const char *const outputs[] = {"y0", "y1", "y2", "y3"};
    gt_onnx_model *model = new_model(c->opset);
    gt_onnx_node *node = NULL;
    const char *used[6];
    size_t n_out = 1;
    for (size_t i = 0; i < n_in; i++) {
        used[i] = in[i].present ? names[i] : "";
        if (in[i].present && in[i].constant) {
            void *data = literal_data(&in[i]);
            ok(gt_onnx_add_initializer(model, names[i], in[i].type, in[i].shape.rank, in[i].shape.dim, data));
            gt_free(data);
        } else if (in[i].present) {
            ok(gt_onnx_add_input(model, names[i], in[i].shape.rank, in[i].shape.dim));
            model->inputs[model->n_inputs - 1].type = in[i].type;
        }
    }
    for (const char *p = c->want; *p != '\0'; p++) {
        n_out += *p == ';';
    }
    ok(gt_onnx_add_node(model, &node, c->op, "node", n_in, used, n_out, outputs));
    set_attrs(node, c->attrs);
    for (size_t k = 0; k < n_out; k++) {
        add_output(model, outputs[k]);
    }
    return model;
}

static void check_case(const op_case *c, literal *in, size_t n_in, const char *how, bool keep_source_form)
{
    char label[256];
    gt_graph *graph = NULL;
    gt_import_options options = {.keep_source_form = keep_source_form};
    gt_onnx_model *model = build_case(c, in, n_in);
    snprintf(label, sizeof label, "%s, opset %d, {%s}, %s", c->op, c->opset, c->attrs, how);
    gt_status status = import(&graph, model, &options);
    ck_assert_msg(status == GT_OK, "%s: %s", label, gt_error_message());
    check_graph(label, graph, in, n_in, c->want);
    gt_graph_destroy(graph);
    gt_onnx_model_destroy(model);
}

/* As given, optimised, and with every input a constant, when the whole model must fold away. */
static void check_op_case(const op_case *c)
{
    static literal in[6];
    size_t n_in = read_literals(in, c->inputs);
    check_case(c, in, n_in, "source form", true);
    check_case(c, in, n_in, "optimised", false);
    for (size_t i = 0; i < n_in; i++) {
        in[i].constant = true;
    }
    check_case(c, in, n_in, "folded", false);
}

static const op_case op_cases[] = {
    /* convolution */
    {"Conv", 1, "kernel_shape=2,2", "1x1x3x3 1~9; !1x1x2x2 1,0,0,1", "1x1x2x2 6,8,12,14"},
    {"Conv", 11, "", "1x1x3x3 1~9; !1x1x2x2 1,0,0,1; !1 10", "1x1x2x2 16,18,22,24"},
    {"Conv", 11, "pads=1,0,0,1 strides=2,2", "1x1x3x3 1~9; !1x1x2x2 *1", "1x1x2x2 3,3,24,15"},
    {"Conv", 11, "auto_pad=SAME_UPPER", "1x1x2x2 1~4; !1x1x2x2 *1", "1x1x2x2 10,6,7,4"},
    {"Conv", 11, "auto_pad=SAME_LOWER", "1x1x2x2 1~4; !1x1x2x2 *1", "1x1x2x2 1,3,4,10"},
    {"Conv", 11, "auto_pad=VALID pads=1,1,1,1", "1x1x2x2 1~4; !1x1x2x2 *1", "1x1x1x1 10"},
    {"Conv", 11, "dilations=2,2", "1x1x3x3 1~9; !1x1x2x2 *1", "1x1x1x1 20"},
    {"Conv", 11, "group=2", "1x2x1x2 1,2,3,4; !2x1x1x1 10,100", "1x2x1x2 10,20,300,400"},
    {"Conv", 11, "pads=1,0 strides=2", "1x1x4 1~4; !1x1x2 1,10", "1x1x2 10,32"},
    {"Conv", 11, "auto_pad=SAME_UPPER kernel_shape=3", "1x1x3 1~3; !1x1x3 *1; !1 0", "1x1x3 3,6,5"},
    {"ConvTranspose", 11, "strides=2,2", "1x1x1x2 1,2; !1x1x1x2 1,10", "1x1x1x4 1,10,2,20"},
    {"ConvTranspose", 11, "strides=1,2 output_padding=0,1", "1x1x1x2 1,2; !1x1x1x2 1,10; !1 1",
     "1x1x1x5 2,11,3,21,1"},
    {"ConvTranspose", 11, "pads=0,1,0,0", "1x1x1x2 1,2; !1x1x1x2 1,10", "1x1x1x2 12,20"},
    {"ConvTranspose", 11, "strides=1,2 output_shape=1,3", "1x1x1x2 1,2; !1x1x1x2 1,10", "1x1x1x3 10,2,20"},
    {"ConvTranspose", 11, "strides=1,2 output_shape=1,1,1,3 auto_pad=SAME_UPPER",
     "1x1x1x2 1,2; !1x1x1x2 1,10", "1x1x1x3 1,10,2"},
    {"ConvTranspose", 11, "strides=1,2 auto_pad=SAME_LOWER", "1x1x1x2 1,2; !1x1x1x3 1,10,100",
     "1x1x1x4 10,102,20,200"},
    {"ConvTranspose", 11, "strides=2", "1x1x2 1,2; !1x1x2 1,10", "1x1x4 1,10,2,20"},
    {"ConvTranspose", 11, "group=2", "1x2x1x1 1,2; !2x1x1x1 10,100", "1x2x1x1 10,200"},
    {"BatchNormalization", 9, "epsilon=0.0", "1x2x1x2 1,2,3,4; !2 2,3; !2 1,0; !2 1,3; !2 4,1",
     "1x2x1x2 1,2,0,3"},
    {"BatchNormalization", 15, "epsilon=0.0", "2x2 1,2,3,4; !2 2,3; !2 1,0; !2 1,2; !2 4,1", "2x2 1,0,3,6"},
    {"BatchNormalization", 6, "is_test=1 epsilon=0.0", "1x1x1x2 1,2; !1 2; !1 1; !1 1; !1 4", "1x1x1x2 1,2"},
    {"BatchNormalization", 7, "spatial=0 epsilon=0.0", "1x1x2 1,2; !1x2 2,3; !1x2 1,0; !1x2 1,1; !1x2 4,1",
     "1x1x2 1,3"},
    /* elementwise */
    {"Relu", 6, "", "3 -1,0,2", "3 0,0,2"},
    {"Clip", 6, "min=-1.0 max=1.0", "3 -2,0.5,2", "3 -1,0.5,1"},
    {"Clip", 6, "min=0.0", "3 -2,0.5,2", "3 0,0.5,2"},
    {"Clip", 6, "", "2 -2,7", "2 -2,7"},
    {"Clip", 11, "", "3 -2,0.5,2; !s -1; !s 1", "3 -1,0.5,1"},
    {"Clip", 13, "", "3 -2,0.5,2; _; !s 1", "3 -2,0.5,1"},
    {"Clip", 13, "", "3 -2,0.5,2; s -1; s 1", "3 -1,0.5,1"},
    {"Clip", 13, "", "3 -2,0.5,2; !s -1", "3 -1,0.5,2"},
    {"LeakyRelu", 6, "alpha=0.1", "2 -1,2", "2 -0.1,2"},
    {"LeakyRelu", 16, "", "2 -1,2", "2 -0.01,2"},
    {"PRelu", 9, "", "1x2x1x2 -1,1,-2,2; !2x1x1 0.1,0.2", "1x2x1x2 -0.1,1,-0.4,2"},
    {"PRelu", 6, "", "1x2x1x2 -1,1,-2,-3; !2 0.1,0.2", "1x2x1x2 -0.1,1,-0.4,-0.6"},
    {"PRelu", 7, "", "1x2x1x2 -1,1,-2,-3; !1 0.5", "1x2x1x2 -0.5,1,-1,-1.5"},
    {"PRelu", 9, "", "1x3x1x1 -1,1,-2; !3 0.1,0.2,0.3", "1x3x1x1 -0.1,1,-0.6"},
    {"Elu", 6, "alpha=2.0", "2 -1,1", "2 -1.264241,1"},
    {"Sigmoid", 13, "", "2 0,1", "2 0.5,0.731059"},
    {"HardSigmoid", 6, "", "3 -10,1,10", "3 0,0.7,1"},
    {"HardSigmoid", 6, "alpha=0.5 beta=0.0", "3 -10,1,10", "3 0,0.5,1"},
    {"HardSwish", 14, "", "3 -4,1,4", "3 0,0.666667,4"},
    {"Tanh", 13, "", "1 1", "1 0.761594"},
    {"Mish", 18, "", "1 1", "1 0.865098"},
    {"Softplus", 1, "", "1 1", "1 1.313262"},
    {"Exp", 13, "", "1 1", "1 2.718282"},
    {"Log", 13, "", "1 2", "1 0.693147"},
    {"Sqrt", 13, "", "2 4,9", "2 2,3"},
    {"Reciprocal", 13, "", "2 4,-2", "2 0.25,-0.5"},
    {"Abs", 13, "", "2 -4,2", "2 4,2"},
    {"Neg", 13, "", "2 -4,2", "2 4,-2"},
    {"Floor", 13, "", "2 -1.5,1.5", "2 -2,1"},
    {"Ceil", 13, "", "2 -1.5,1.5", "2 -1,2"},
    {"Erf", 13, "", "1 1", "1 0.842701"},
    {"Add", 13, "", "2x2 1,2,3,4; !2 10,20", "2x2 11,22,13,24"},
    {"Add", 14, "", "2 1,2; 2x1 10,20", "2x2 11,12,21,22"},
    {"Add", 6, "broadcast=1 axis=0", "2x2 1,2,3,4; !2 10,20", "2x2 11,12,23,24"},
    {"Add", 6, "broadcast=1", "2x2 1,2,3,4; !2 10,20", "2x2 11,22,13,24"},
    {"Add", 1, "broadcast=1 axis=1", "1x2x1x2 1,2,3,4; !2 10,20", "1x2x1x2 11,12,23,24"},
    {"Sub", 13, "", "2 1,2; !s 3", "2 -2,-1"},
    {"Sub", 6, "broadcast=1 axis=-2", "2x2 1,2,3,4; 2 1,2", "2x2 0,1,1,2"},
    {"Mul", 13, "", "2 1,2; 1 3", "2 3,6"},
    {"Div", 13, "", "!s 6; 2 2,3", "2 3,2"},
    {"Pow", 7, "", "2 2,3; !s 2", "2 4,9"},
    {"Pow", 12, "", "2 2,3; !i:s 2", "2 4,9"},
    {"Min", 13, "", "2 1,5; 2 3,2; !s 4", "2 1,2"},
    {"Max", 8, "", "2 1,5; 2 3,2", "2 3,5"},
    {"Max", 8, "", "2 1,5", "2 1,5"},
    {"Sum", 8, "", "2 1,5; 2 3,2; 1 10", "2 14,17"},
    {"Mean", 8, "", "2 1,5; 2 3,2; 2 2,2", "2 2,3"},
    {"Mean", 8, "", "2 1,5", "2 1,5"},
    {"Identity", 13, "", "2 1,5", "2 1,5"},
    {"Dropout", 1, "is_test=1 ratio=0.5", "2 1,5", "2 1,5"},
    {"Dropout", 7, "ratio=0.5", "2 1,5", "2 1,5; b:2 1,1"},
    {"Dropout", 13, "seed=3", "2 1,5; !s 0.5; !b:s 0", "2 1,5"},
    {"Cast", 13, "to=7", "2 1.7,-1.7", "i:2 1,-1"},
    {"Cast", 5, "to=FLOAT", "i:2 3,4", "2 3,4"},
    {"Cast", 13, "to=10", "2 1.5,2", "2 1.5,2"},
    {"Cast", 19, "to=1 saturate=1", "b:2 1,0", "2 1,0"},
    /* pooling */
    {"MaxPool", 1, "kernel_shape=2,2", "1x1x3x3 1~9", "1x1x2x2 5,6,8,9"},
    {"MaxPool", 12, "kernel_shape=2,2 strides=2,2 ceil_mode=1", "1x1x3x3 1~9", "1x1x2x2 5,6,8,9"},
    {"MaxPool", 12, "kernel_shape=2,2 strides=2,2 ceil_mode=1 storage_order=1 pads=1,1,1,1", "1x1x3x3 1~9",
     "1x1x2x2 1,3,7,9"},
    {"MaxPool", 12, "kernel_shape=2,2 dilations=2,2", "1x1x3x3 1~9", "1x1x1x1 9"},
    {"MaxPool", 8, "kernel_shape=2,2 auto_pad=SAME_UPPER", "1x1x2x2 1~4", "1x1x2x2 4,4,4,4"},
    {"MaxPool", 8, "kernel_shape=2,2 auto_pad=SAME_LOWER", "1x1x2x2 1~4", "1x1x2x2 1,2,3,4"},
    {"MaxPool", 8, "kernel_shape=2 strides=2", "1x1x4 1~4", "1x1x2 2,4"},
    {"AveragePool", 7, "kernel_shape=2,2 pads=1,1,0,0", "1x1x2x2 1~4", "1x1x2x2 1,1.5,2,2.5"},
    {"AveragePool", 7, "kernel_shape=2,2 pads=1,1,0,0 count_include_pad=1", "1x1x2x2 1~4",
     "1x1x2x2 0.25,0.75,1,2.5"},
    {"AveragePool", 11, "kernel_shape=2,2 strides=2,2 ceil_mode=1 count_include_pad=1", "1x1x3x3 1~9",
     "1x1x2x2 3,4.5,7.5,9"},
    {"AveragePool", 19, "kernel_shape=2,2 dilations=2,2", "1x1x3x3 1~9", "1x1x1x1 5"},
    {"AveragePool", 7, "kernel_shape=2,2 auto_pad=SAME_LOWER", "1x1x2x2 1~4", "1x1x2x2 1,1.5,2,2.5"},
    {"AveragePool", 7, "kernel_shape=2", "1x1x3 1~3", "1x1x2 1.5,2.5"},
    {"GlobalAveragePool", 1, "", "1x2x2x1 1~4", "1x2x1x1 1.5,3.5"},
    {"GlobalMaxPool", 1, "", "1x2x2 1~4", "1x2x1 2,4"},
    /* taking apart and putting together */
    {"Concat", 13, "axis=1", "1x1x1 1; 1x2x1 2,3", "1x3x1 1,2,3"},
    {"Concat", 11, "axis=-1", "1x1 1; !1x2 2,3", "1x3 1,2,3"},
    {"Concat", 1, "", "1x1 1; 1x2 2,3", "1x3 1,2,3"},
    {"Concat", 4, "axis=0", "2 1,2", "2 1,2"},
    {"Split", 2, "axis=1 split=1,2", "1x3 1~3", "1x1 1; 1x2 2,3"},
    {"Split", 11, "axis=-1", "1x4 1~4", "1x2 1,2; 1x2 3,4"},
    {"Split", 13, "axis=1", "1x3 1~3; !i:2 2,1", "1x2 1,2; 1x1 3"},
    {"Split", 18, "num_outputs=2", "5 1~5", "3 1,2,3; 2 4,5"},
    {"Slice", 1, "starts=1 ends=3", "4 1~4", "2 2,3"},
    {"Slice", 9, "starts=0,-2 ends=9,100 axes=0,1", "2x3 1~6", "2x2 2,3,5,6"},
    {"Slice", 13, "", "2x4 1~8; !i:1 3; !i:1 -100; !i:1 1; !i:1 -2", "2x2 4,2,8,6"},
    {"Slice", 10, "", "4 1~4; !i:1 -3; !i:1 9000000000000000000", "3 2,3,4"},
    {"Slice", 10, "", "4 1~4; !i:1 3; !i:1 -9223372036854775808; _; !i:1 -9223372036854775808", "1 4"},
    {"Pad", 1, "paddings=1,0", "2 1,2", "3 0,1,2"},
    {"Pad", 2, "pads=1,2 value=5.0", "2 1,2", "5 5,1,2,5,5"},
    {"Pad", 11, "mode=reflect", "3 1,2,3; !i:2 1,1", "5 2,1,2,3,2"},
    {"Pad", 13, "mode=edge", "1x2 1,2; !i:4 0,1,0,1", "1x4 1,1,2,2"},
    {"Pad", 13, "", "1x2 1,2; !i:4 0,1,0,-1; !s 7", "1x2 7,1"},
    {"Pad", 18, "", "1x2 1,2; !i:2 1,0; _; !i:1 -1", "1x3 0,1,2"},
    {"Gather", 1, "axis=1", "2x3 1~6; !i:2 2,0", "2x2 3,1,6,4"},
    {"Gather", 13, "axis=-1", "2x3 1~6; !i:s -1", "2 3,6"},
    {"Gather", 13, "axis=1", "2x3 1~6; !i:1x2 2,0", "2x1x2 3,1,6,4"},
    /* shapes */
    {"Reshape", 1, "shape=3,-1", "2x3 1~6", "3x2 1~6"},
    {"Reshape", 5, "", "2x3 1~6; !i:3 0,1,-1", "2x1x3 1~6"},
    {"Reshape", 14, "allowzero=1", "2x3 1~6; !i:1 6", "6 1~6"},
    {"Flatten", 9, "", "2x3x1 1~6", "2x3 1~6"},
    {"Flatten", 11, "axis=-1", "2x3x2 1~12", "6x2 1~12"},
    {"Flatten", 11, "axis=0", "2x3 1~6", "1x6 1~6"},
    {"Transpose", 1, "", "2x3 1~6", "3x2 1,4,2,5,3,6"},
    {"Transpose", 13, "perm=1,0,2", "2x2x1 1~4", "2x2x1 1,3,2,4"},
    {"Squeeze", 1, "axes=0", "1x2x1 1,2", "2x1 1,2"},
    {"Squeeze", 11, "axes=-1", "1x2x1 1,2", "1x2 1,2"},
    {"Squeeze", 13, "", "1x2x1 1,2; !i:2 0,-1", "2 1,2"},
    {"Squeeze", 13, "", "1x2x1 1,2", "2 1,2"},
    {"Unsqueeze", 1, "axes=0,2", "2 1,2", "1x2x1 1,2"},
    {"Unsqueeze", 13, "", "2 1,2; !i:2 -1,0", "1x2x1 1,2"},
    {"Expand", 8, "", "2x1 1,2; !i:3 2,1,2", "2x2x2 1,1,2,2,1,1,2,2"},
    {"Expand", 13, "", "2 1,2; !i:1 1", "2 1,2"},
    {"Tile", 6, "", "1x2 1,2; !i:2 2,2", "2x4 1,2,1,2,1,2,1,2"},
    {"Tile", 1, "", "1x2 1,2; !s 2; !s 1", "1x4 1,2,1,2"},
    {"DepthToSpace", 11, "blocksize=2", "1x4x1x1 1~4", "1x1x2x2 1~4"},
    {"DepthToSpace", 11, "blocksize=2 mode=CRD", "1x8x1x1 1~8", "1x2x2x2 1~8"},
    {"DepthToSpace", 1, "blocksize=2", "1x8x1x1 1~8", "1x2x2x2 1,3,5,7,2,4,6,8"},
    {"SpaceToDepth", 13, "blocksize=2", "1x1x2x2 1~4", "1x4x1x1 1~4"},
    /* resizing */
    {"Upsample", 1, "height_scale=2.0 width_scale=1.0", "1x1x1x2 1,2", "1x1x2x2 1,2,1,2"},
    {"Upsample", 7, "scales=1,1,1,2 mode=nearest", "1x1x1x2 1,2", "1x1x1x4 1,1,2,2"},
    {"Upsample", 9, "mode=linear", "1x1x1x2 1,3; !4 1,1,1,2", "1x1x1x4 1,2,3,3"},
    {"Resize", 10, "", "1x1x1x2 1,2; !4 1,1,1,2", "1x1x1x4 1,1,2,2"},
    {"Resize", 10, "mode=nearest", "1x1x1x4 1~4; !4 1,1,1,0.5", "1x1x1x2 1,3"},
    {"Resize", 11, "coordinate_transformation_mode=asymmetric nearest_mode=floor",
     "1x1x1x2 1,2; !0 ; !4 1,1,1,2", "1x1x1x4 1,1,2,2"},
    {"Resize", 13, "mode=linear", "1x1x1x2 0,4; _; !4 1,1,1,2", "1x1x1x4 0,1,3,4"},
    {"Resize", 13, "mode=linear coordinate_transformation_mode=align_corners",
     "1x1x1x2 0,3; _; _; !i:4 1,1,1,4", "1x1x1x4 0,1,2,3"},
    {"Resize", 13, "mode=linear coordinate_transformation_mode=pytorch_half_pixel",
     "1x1x2x2 0,4,8,12; _; _; !i:4 1,1,1,4", "1x1x1x4 0,1,3,4"},
    {"Resize", 13, "coordinate_transformation_mode=tf_half_pixel_for_nn nearest_mode=floor",
     "1x1x1x4 1~4; _; !4 1,1,1,0.5", "1x1x1x2 2,4"},
    {"Resize", 18, "axes=3 antialias=1 mode=linear", "1x1x1x2 0,4; _; !1 2", "1x1x1x4 0,1,3,4"},
    {"Resize", 18, "axes=2,3 keep_aspect_ratio_policy=not_larger", "1x1x1x2 1,2; _; _; !i:2 4,4",
     "1x1x2x4 1,1,2,2,1,1,2,2"},
    {"Resize", 19, "coordinate_transformation_mode=half_pixel_symmetric mode=linear",
     "1x1x1x2 0,4; _; !4 1,1,1,2", "1x1x1x4 0,1,3,4"},
    {"Resize", 13, "", "1x1x2x2 1~4; _; !4 1,1,2,1", "1x1x4x2 1,2,1,2,3,4,3,4"},
    {"Resize", 13, "", "1x1x2x2 1~4; _; !4 1,2,1,1", "1x2x2x2 1,2,3,4,1,2,3,4"},
    {"Resize", 13, "", "1x1x2 1,2; _; !3 1,1,2", "1x1x4 1,1,2,2"},
    {"Resize", 13, "", "1x2 1,2; _; !2 2,1", "2x2 1,2,1,2"},
    /* linear algebra */
    {"Gemm", 7, "", "1x2 1,2; !2x2 1~4; !2 10,20", "1x2 17,30"},
    {"Gemm", 13, "transB=1 alpha=2.0 beta=0.5", "1x2 1,2; !2x2 1~4; !1x2 10,20", "1x2 15,32"},
    {"Gemm", 13, "transA=1", "2x1 1,2; !2x2 1~4; !s 1", "1x2 8,11"},
    {"Gemm", 13, "", "2x2 1~4; !2x1 1,10; !2x1 100,200", "2x1 121,243"},
    {"Gemm", 11, "transB=1", "1x2 1,2; 2x2 1~4; 2 10,20", "1x2 15,31"},
    {"Gemm", 11, "alpha=3.0", "1x2 1,2; 2x1 1,10", "1x1 63"},
    {"Gemm", 6, "broadcast=1", "1x2 1,2; !2x1 1,10; !1 1", "1x1 22"},
    {"MatMul", 13, "", "1x2 1,2; !2x2 1~4", "1x2 7,10"},
    {"MatMul", 13, "", "2x1x2 1,2,3,4; !2x1 1,10", "2x1x1 21,43"},
    {"MatMul", 13, "", "2x1x2 1,2,3,4; 2x2x1 1,10,1,10", "2x1x1 21,43"},
    {"MatMul", 13, "", "2 1,2; !2x2 1~4", "2 7,10"},
    {"MatMul", 13, "", "2x2 1~4; !2 1,10", "2 21,43"},
    {"MatMul", 9, "", "2 1,2; 2 1,10", "s 21"},
    {"MatMul", 9, "", "!2x2 1~4; 2x1 1,10", "2x1 21,43"},
    /* along axes */
    {"Softmax", 11, "", "1x2x2 0,0,0,0", "1x2x2 *0.25"},
    {"Softmax", 11, "axis=2", "1x2x2 *0", "1x2x2 *0.5"},
    {"Softmax", 1, "", "1x4x1x1 *0", "1x4x1x1 *0.25"},
    {"Softmax", 13, "", "1x2x2 0,0,0,0", "1x2x2 *0.5"},
    {"Softmax", 13, "axis=1", "1x4x1 *1", "1x4x1 *0.25"},
    {"LogSoftmax", 13, "axis=-1", "1x2 0,0", "1x2 *-0.693147"},
    {"LogSoftmax", 11, "axis=0", "2x2 *0", "2x2 *-1.386294"},
    {"LRN", 13, "size=3 alpha=3.0 beta=1.0", "1x3x1x1 1,2,3", "1x3x1x1 0.166667,0.133333,0.214286"},
    {"ReduceMean", 11, "axes=1", "2x2 1~4", "2x1 1.5,3.5"},
    {"ReduceMean", 18, "keepdims=0", "2x2 1~4; !i:1 -1", "2 1.5,3.5"},
    {"ReduceSum", 13, "", "2x2 1~4", "1x1 10"},
    {"ReduceSum", 13, "noop_with_empty_axes=1", "2x2 1~4", "2x2 1~4"},
    {"ReduceMax", 1, "axes=0 keepdims=0", "2x2 1~4", "2 3,4"},
    {"ArgMax", 13, "axis=1", "2x2 1,2,4,3", "i:2x1 1,0"},
    {"ArgMax", 12, "axis=-1 keepdims=0 select_last_index=1", "2x2 1,1,4,3", "i:2 1,0"},
    /* shapes of activations are constants */
    {"Shape", 1, "", "2x3 1~6", "i:2 2,3"},
    {"Shape", 15, "start=-1", "2x3 1~6", "i:1 3"},
    {"Shape", 15, "start=0 end=-1", "2x3 1~6", "i:1 2"},
    {"Size", 13, "", "2x3 1~6", "i:s 6"},
};

START_TEST(operators)
{
    check_op_case(&op_cases[_i]);
}
END_TEST

/* What is only evaluated on constants. */
static const op_case fold_cases[] = {
    {"Constant", 13, "value_float=2.5", "", "s 2.5"},
    {"Constant", 13, "value_int=3", "", "i:s 3"},
    {"Constant", 13, "value_ints=3,4", "", "i:2 3,4"},
    {"Constant", 13, "value_floats=3,4.5", "", "2 3,4.5"},
    {"Constant", 1, "value=tensor:1x2|3,4", "", "1x2 3,4"},
    {"ConstantOfShape", 9, "", "!i:2 1,2", "1x2 0,0"},
    {"ConstantOfShape", 9, "value=tensor:i:1|7", "!i:1 3", "i:3 7,7,7"},
    {"ConstantOfShape", 9, "", "!i:0 ", "s 0"},
    {"Range", 11, "", "!i:s 3; !i:s 9; !i:s 3", "i:2 3,6"},
    {"Range", 11, "", "!s 1; !s 0; !s -0.5", "2 1,0.5"},
    {"Add", 13, "", "!i:2 1,2; !i:s 3", "i:2 4,5"},
    {"Sub", 13, "", "!i:2x1 1,2; !i:2 3,4", "i:2x2 -2,-3,-1,-2"},
    {"Mul", 13, "", "!i:2 1,2; !i:1 3", "i:2 3,6"},
    {"Div", 13, "", "!i:2 -7,7; !i:1 2", "i:2 -3,3"},
    {"Mod", 13, "", "!i:2 -7,7; !i:1 3", "i:2 2,1"},
    {"Mod", 13, "fmod=1", "!i:2 -7,7; !i:1 3", "i:2 -1,1"},
    {"Mod", 13, "fmod=1", "!2 -7.5,7; !1 3", "2 -1.5,1"},
    {"Min", 13, "", "!i:2 1,5; !i:2 3,2", "i:2 1,2"},
    {"Max", 13, "", "!i:2 1,5; !i:2 3,2; !i:1 4", "i:2 4,5"},
    {"Pow", 13, "", "!i:2 2,-1; !i:2 5,3", "i:2 32,-1"},
    {"Neg", 13, "", "!i:2 1,-5", "i:2 -1,5"},
    {"Abs", 13, "", "!i:2 1,-5", "i:2 1,5"},
    {"Clip", 13, "", "!i:3 1,5,9; !i:s 2; !i:s 8", "i:3 2,5,8"},
    {"Concat", 13, "axis=0", "!i:1 1; !i:2 2,3; !i:0 ", "i:3 1,2,3"},
    {"Gather", 13, "", "!i:3 4,5,6; !i:s 1", "i:s 5"},
    {"Slice", 13, "", "!i:3 4,5,6; !i:1 1; !i:1 3", "i:2 5,6"},
    {"Squeeze", 13, "", "!i:1 4", "i:s 4"},
    {"Unsqueeze", 13, "", "!i:s 4; !i:1 0", "i:1 4"},
    {"Reshape", 13, "", "!i:2x2 1~4; !i:1 -1", "i:4 1~4"},
    {"Transpose", 13, "", "!i:2x2 1~4", "i:2x2 1,3,2,4"},
    {"Expand", 13, "", "!i:1 4; !i:1 3", "i:3 4,4,4"},
    {"Tile", 13, "", "!i:2 4,5; !i:1 2", "i:4 4,5,4,5"},
    {"Split", 13, "", "!i:2 4,5", "i:1 4; i:1 5"},
    {"Pad", 13, "", "!i:2 4,5; !i:2 1,0; !i:s 9", "i:3 9,4,5"},
    {"ReduceProd", 13, "keepdims=0", "!i:3 2,3,4", "i:s 24"},
    {"ReduceSum", 13, "", "!i:2x2 1~4; !i:1 1", "i:2x1 3,7"},
    {"ReduceMax", 13, "axes=0", "!i:2x2 1~4", "i:1x2 3,4"},
    {"ReduceMin", 18, "keepdims=0", "!i:2x2 1~4; !i:1 0", "i:2 1,2"},
    {"ReduceMin", 18, "", "!2 3.5,1.5", "1 1.5"},
    {"ReduceMean", 18, "", "!i:2 3,6", "i:1 4"},
    {"Equal", 13, "", "!i:2 1,2; !i:1 2", "b:2 0,1"},
    {"Equal", 13, "", "!2 1,2; !2 1,3", "b:2 1,0"},
    {"Greater", 13, "", "!2 1,2; !1 1.5", "b:2 0,1"},
    {"Less", 13, "", "!i:2 1,2; !i:1 2", "b:2 1,0"},
    {"GreaterOrEqual", 16, "", "!i:2 1,2; !i:1 2", "b:2 0,1"},
    {"LessOrEqual", 16, "", "!i:2 1,3; !i:1 2", "b:2 1,0"},
    {"And", 7, "", "!b:2 1,0; !b:1 1", "b:2 1,0"},
    {"Or", 7, "", "!b:2 1,0; !b:1 1", "b:2 1,1"},
    {"Xor", 7, "", "!b:2 1,0; !b:1 1", "b:2 0,1"},
    {"Not", 1, "", "!b:2 1,0", "b:2 0,1"},
    {"Where", 9, "", "!b:2x1 1,0; !i:2 1,2; !i:1 9", "i:2x2 1,2,9,9"},
    {"NonZero", 9, "", "!2x2 1,0,0,5", "i:2x2 0,1,0,1"},
    {"ScatterND", 11, "", "!i:3 1,2,3; !i:1x1 -1; !i:1 9", "i:3 1,2,9"},
    {"ScatterND", 13, "", "!2x2 1~4; !i:1x1 0; !1x2 8,9", "2x2 8,9,3,4"},
    {"Cast", 13, "to=9", "!2 0.5,0", "b:2 1,0"},
};

START_TEST(constants)
{
    check_op_case(&fold_cases[_i]);
}
END_TEST

/* Every row of the registry is run by one of the tables above, so that none can be listed untested. */
START_TEST(registry_is_sorted_and_covered)
{
    const gt_onnx_op_info *before = NULL;
    size_t n = 0;
    for (const gt_onnx_op_info *op; (op = gt_onnx_supported_ops(n)) != NULL; n++) {
        bool covered = false;
        ck_assert(before == NULL || strcmp(before->name, op->name) < 0);
        for (int i = 0; i < N(op_cases); i++) {
            covered = covered || strcmp(op_cases[i].op, op->name) == 0;
        }
        for (int i = 0; i < N(fold_cases); i++) {
            covered = covered || strcmp(fold_cases[i].op, op->name) == 0;
        }
        ck_assert_msg(covered, "%s is in onnx_ops.inc but in no table here", op->name);
        before = op;
    }
    ck_assert_int_gt((int)n, 70);
}
END_TEST

/* ---- whole models ---- */

/* PyTorch's flatten: Shape, Gather, Unsqueeze, Concat, Reshape. Nothing of it is left. */
START_TEST(shape_arithmetic_disappears)
{
    static literal in[1];
    gt_graph *graph = NULL;
    gt_onnx_model *model = new_model(11);
    add_input(model, "x", "2x3x1x1");
    add_initializer(model, "zero", "i:s 0");
    add_initializer(model, "minus_one", "i:1 -1");
    add_node(model, "Relu", "act", "x", "a");
    add_node(model, "Shape", "", "a", "shape");
    add_node(model, "Gather", "", "shape zero", "batch");
    set_attrs(add_node(model, "Unsqueeze", "", "batch", "batch1"), "axes=0");
    set_attrs(add_node(model, "Concat", "", "batch1 minus_one", "new_shape"), "axis=0");
    add_node(model, "Reshape", "flat", "a new_shape", "y");
    add_output(model, "y");
    ok(import(&graph, model, &(gt_import_options){.keep_source_form = true}));
    ck_assert_int_eq(graph->n_ops, 2);
    ck_assert_str_eq(graph->ops[0].name, "act");
    ck_assert_str_eq(graph->ops[1].name, "flat");
    ck_assert_int_eq(graph->n_source_ops, 6);
    ck_assert_str_eq(graph->source, model_path);
    ck_assert_int_eq((int)strlen(graph->source_sha256), 64);
    read_literals(in, "2x3x1x1 1~6");
    check_graph("flatten", graph, in, 1, "2x3 1~6");
    gt_graph_destroy(graph);
    gt_onnx_model_destroy(model);
}
END_TEST

/* Unnamed and equally named nodes get unique names; one node that becomes several ops keeps its name on the
 * main one; a tensor with two names keeps both at the outputs. */
START_TEST(names_are_unique_and_stable)
{
    gt_graph *graph = NULL;
    gt_onnx_model *model = new_model(13);
    add_input(model, "x", "1x1x4");
    add_initializer(model, "w", "1x1x2 1,1");
    add_node(model, "Conv", "same", "x w", "a");
    add_node(model, "Relu", "same", "a", "b");
    add_node(model, "Relu", "", "b", "c");
    add_node(model, "Identity", "", "c", "d");
    add_output(model, "c");
    add_output(model, "d");
    add_output(model, "x");
    add_output(model, "w");
    ok(import(&graph, model, &(gt_import_options){.keep_source_form = true}));
    int conv = gt_graph_find_op(graph, "same");
    ck_assert_int_ge(conv, 0);
    ck_assert_int_eq(graph->ops[conv].kind, GT_OP_CONV2D);
    ck_assert_int_ge(gt_graph_find_op(graph, "same#2"), 0);
    ck_assert_int_ge(gt_graph_find_op(graph, "Relu_c"), 0);
    ck_assert_int_ge(gt_graph_find_tensor(graph, "a"), 0);
    ck_assert_int_eq(graph->n_outputs, 4);
    ck_assert_int_eq(graph->outputs[0], graph->outputs[1]);
    ck_assert_str_eq(graph->output_names[1], "d");
    ck_assert_str_eq(graph->output_names[2], "x");
    ck_assert_int_eq(graph->ops[graph->tensors[graph->outputs[2]].producer].kind, GT_OP_COPY);
    ck_assert_int_eq(graph->ops[graph->tensors[graph->outputs[3]].producer].kind, GT_OP_COPY);
    gt_graph_destroy(graph);
    gt_onnx_model_destroy(model);
}
END_TEST

START_TEST(nodes_may_stand_in_any_order)
{
    static literal in[1];
    gt_graph *graph = NULL;
    gt_onnx_model *model = new_model(13);
    add_input(model, "x", "2");
    add_node(model, "Neg", "last", "b", "y");
    add_node(model, "Abs", "middle", "a", "b");
    add_node(model, "Neg", "first", "x", "a");
    add_output(model, "y");
    ok(import(&graph, model, NULL));
    read_literals(in, "2 1,-2");
    check_graph("order", graph, in, 1, "2 -1,-2");
    gt_graph_destroy(graph);
    gt_onnx_model_destroy(model);
}
END_TEST

/* IR version 3 lists initializers among the inputs; they are no inputs to be fed. */
START_TEST(initializers_among_the_inputs)
{
    gt_graph *graph = NULL;
    gt_onnx_model *model = new_model(7);
    add_input(model, "x", "2");
    add_input(model, "w", "2");
    add_initializer(model, "w", "2 1,2");
    add_node(model, "Mul", "m", "x w", "y");
    add_output(model, "y");
    ok(import(&graph, model, NULL));
    ck_assert_int_eq(graph->n_inputs, 1);
    ck_assert_str_eq(graph->tensors[graph->inputs[0]].name, "x");
    gt_graph_destroy(graph);
    gt_onnx_model_destroy(model);
}
END_TEST

/* Every element type that stands for float32 or int64. */
START_TEST(element_types)
{
    static const uint16_t half[] = {0x3c00, 0xc000, 0x0001, 0x7bff}; /* 1, -2, 2^-24, 65504 */
    static const uint16_t bfloat[] = {0x3f80, 0xc000, 0x0000, 0x4270}; /* 1, -2, 0, 60 */
    static const double wide[] = {1, -2, 0.5, 1e10};
    static const int8_t small[] = {1, -2, 127, -128};
    static const uint64_t large[] = {1, 2, 3, UINT64_MAX};
    static const struct {
        gt_onnx_type type;
        const void *data;
        const char *want;
    } rows[] = {
        {GT_ONNX_FLOAT16, half, "4 1,-2,5.9604645e-8,65504"},
        {GT_ONNX_BFLOAT16, bfloat, "4 1,-2,0,60"},
        {GT_ONNX_DOUBLE, wide, "4 1,-2,0.5,1e10"},
        {GT_ONNX_INT8, small, "i:4 1,-2,127,-128"},
        {GT_ONNX_UINT64, large, "i:4 1,2,3,9223372036854775807"},
    };
    int64_t dims[] = {4};
    for (int i = 0; i < N(rows); i++) {
        gt_graph *graph = NULL;
        gt_onnx_model *model = new_model(13);
        ok(gt_onnx_add_initializer(model, "w", rows[i].type, 1, dims, rows[i].data));
        add_output(model, "w");
        ok(import(&graph, model, NULL));
        check_graph("types", graph, NULL, 0, rows[i].want);
        gt_graph_destroy(graph);
        gt_onnx_model_destroy(model);
    }
}
END_TEST

/* ---- shapes given by the user ---- */

static void open_dim(gt_onnx_model *model, int input, int axis, const char *symbol)
{
    model->inputs[input].dims[axis] = -1;
    if (symbol != NULL) {
        ok(gt_strdup(&model->inputs[input].dim_names[axis], symbol));
    }
}

static gt_onnx_model *two_input_model(void)
{
    gt_onnx_model *model = new_model(13);
    add_input(model, "x", "1x3x8x8");
    add_input(model, "z", "1x3x8x8");
    add_node(model, "Add", "add", "x z", "y");
    add_output(model, "y");
    return model;
}

static void check_import_fails(gt_onnx_model *model, const gt_import_options *options, gt_status want,
                               const char *const *parts, int n_parts)
{
    gt_graph *graph = NULL;
    gt_status status = import(&graph, model, options);
    ck_assert_msg(status == want, "%s instead of %s: %s", gt_status_name(status), gt_status_name(want),
                  gt_error_message());
    ck_assert_ptr_null(graph);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), model_path));
    ck_assert_ptr_null(strstr(strstr(gt_error_message(), model_path) + 1, model_path));
    for (int i = 0; i < n_parts; i++) {
        ck_assert_msg(parts[i] == NULL || strstr(gt_error_message(), parts[i]) != NULL,
                      "\"%s\" is not in: %s", parts[i], gt_error_message());
    }
    gt_onnx_model_destroy(model);
}
#define FAILS(model, options, status, ...)                                                          \
    check_import_fails(model, options, status, (const char *const[]){__VA_ARGS__},                  \
                       (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)))

START_TEST(open_batch_is_one)
{
    gt_graph *graph = NULL;
    gt_onnx_model *model = two_input_model();
    open_dim(model, 0, 0, "N");
    open_dim(model, 1, 0, NULL);
    ok(import(&graph, model, NULL));
    ck_assert_int_eq(graph->tensors[graph->inputs[0]].shape.dim[0], 1);
    gt_graph_destroy(graph);
    gt_onnx_model_destroy(model);
}
END_TEST

/* A symbol that one input binds holds for the other. */
START_TEST(given_shape_binds_symbols)
{
    gt_graph *graph = NULL;
    gt_import_shape shape = {0};
    gt_onnx_model *model = two_input_model();
    for (int i = 0; i < 2; i++) {
        open_dim(model, i, 0, "N");
        open_dim(model, i, 2, "height");
    }
    ok(gt_import_parse_shape(&shape, "z=2,3,5,8"));
    ok(import(&graph, model, &(gt_import_options){.n_shapes = 1, .shapes = &shape}));
    ck_assert_int_eq(graph->tensors[graph->inputs[0]].shape.dim[0], 2);
    ck_assert_int_eq(graph->tensors[graph->inputs[0]].shape.dim[2], 5);
    gt_free(shape.name);
    gt_graph_destroy(graph);
    gt_onnx_model_destroy(model);
}
END_TEST

START_TEST(open_dimension_says_which_flag)
{
    gt_onnx_model *model = two_input_model();
    open_dim(model, 0, 0, "N");
    open_dim(model, 0, 2, NULL);
    open_dim(model, 0, 3, "width");
    model->inputs[1].has_shape = false;
    model->inputs[1].rank = 0;
    FAILS(model, NULL, GT_ERROR_SHAPE, "--shape x=1,3,H,W", "x has shape ?x3x?x?", "--shape z=1,C,H,W",
          "z has no shape");
    model = new_model(13);
    add_input(model, "seq", "1x7x8");
    open_dim(model, 0, 1, "time");
    add_node(model, "Relu", "r", "seq", "y");
    add_output(model, "y");
    FAILS(model, NULL, GT_ERROR_SHAPE, "--shape seq=1,D1,8", "seq has shape 1x?x8");
}
END_TEST

START_TEST(given_shape_must_fit)
{
    char q[] = "q";
    char x[] = "x";
    char none[] = "";
    gt_import_shape shape = {q, gt_shape_4d(1, 3, 8, 8)};
    gt_import_options options = {.n_shapes = 1, .shapes = &shape};
    FAILS(two_input_model(), &options, GT_ERROR_NOT_FOUND, "'q'", "'x' has shape 1x3x8x8",
          "'z' has shape 1x3x8x8");
    shape = (gt_import_shape){none, gt_shape_4d(1, 3, 8, 8)};
    FAILS(two_input_model(), &options, GT_ERROR_NOT_FOUND, "2 inputs", "'x'", "'z'");
    shape = (gt_import_shape){x, gt_shape_4d(1, 4, 8, 8)};
    FAILS(two_input_model(), &options, GT_ERROR_SHAPE, "1x4x8x8", "'x' has shape 1x3x8x8");
    shape = (gt_import_shape){x, {.rank = 2, .dim = {1, 3}}};
    FAILS(two_input_model(), &options, GT_ERROR_SHAPE, "1x3", "contradicts");
}
END_TEST

START_TEST(shape_flags_parse)
{
    static const char *const bad[] = {"", "=1,2", "x=1,", "x=1,,2", "x=0", "x=-1", "x=a", "x=1x2",
                                      "x=1,2,3,4,5,6,7,8,9", "x=4294967296", "x=1.5", "x=,"};
    gt_import_shape shape = {0};
    ok(gt_import_parse_shape(&shape, "a=b=1,3,224,224"));
    ck_assert_str_eq(shape.name, "a=b");
    ck_assert(gt_shape_equal(&shape.shape, &(gt_shape){.rank = 4, .dim = {1, 3, 224, 224}}));
    gt_free(shape.name);
    ok(gt_import_parse_shape(&shape, "7"));
    ck_assert_str_eq(shape.name, "");
    ck_assert_int_eq(shape.shape.dim[0], 7);
    gt_free(shape.name);
    for (int i = 0; i < N(bad); i++) {
        ck_assert_msg(gt_import_parse_shape(&shape, bad[i]) == GT_ERROR_ARGUMENT, "\"%s\" was accepted",
                      bad[i]);
    }
}
END_TEST

/* ---- what is not supported ---- */

/* All such nodes in one message, those behind unsupported ones included. */
START_TEST(all_unsupported_nodes_are_listed)
{
    gt_onnx_model *model = new_model(13);
    add_input(model, "x", "1x3x8x8");
    add_input(model, "w", "3x3x1x1");
    add_input(model, "i", "1");
    model->inputs[2].type = GT_ONNX_INT64;
    add_node(model, "Conv", "c1", "x w", "a");
    add_node(model, "Relu", "fine", "a", "b");
    set_attrs(add_node(model, "Resize", "", "b _ x", "c"), "mode=cubic");
    add_node(model, "NonMaxSuppression", "nms", "c", "d");
    set_attrs(add_node(model, "MaxPool", "pool", "x", "e idx"), "kernel_shape=2,2 shiny=1");
    set_attrs(add_node(model, "MaxPool", "pool2", "x", "e2 idx2"), "kernel_shape=2,2");
    add_node(model, "Gather", "g", "x i", "f");
    add_node(model, "Mish", "young", "x", "h");
    gt_free(add_node(model, "Gelu", "ms", "x", "k")->domain);
    ok(gt_strdup(&model->nodes[model->n_nodes - 1].domain, "com.microsoft"));
    add_node(model, "Add", "int", "i i", "j");
    add_output(model, "d");
    add_output(model, "idx2");
    FAILS(model, NULL, GT_ERROR_UNSUPPORTED, "9 of 10 nodes",
          "\n  c1: Conv: input 1 (weight), 'w', is computed at run time",
          "\n  #2 (c): Resize: mode is 'cubic'", "\n  nms: NonMaxSuppression: ",
          "\n  pool: MaxPool: attribute 'shiny'", "\n  pool2: MaxPool: its output 1, 'idx2'",
          "\n  g: Gather: input 1 (indices), 'i', is computed", "\n  young: Mish: the model has opset 13",
          "\n  ms: Gelu: operators of domain 'com.microsoft'", "\n  int: Add: 'i' is i64");
}
END_TEST

/* One node with constant or computed operands, and the words of the reason. */
static const struct {
    const char *op;
    int opset;
    const char *attrs, *inputs;
    gt_status status;
    const char *reason;
} failing[] = {
    /* not handled */
    {"Conv", 11, "", "1x1x2x2x2 *1; !1x1x1x1x1 1", GT_ERROR_UNSUPPORTED, "one or two spatial axes"},
    {"Conv", 11, "", "1x1x2x2 *1; !1x1x1x1 1; 1 1", GT_ERROR_UNSUPPORTED,
     "input 2 (bias), 'x2', is computed"},
    {"Conv", 11, "pads=-1,0,0,0", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_UNSUPPORTED, "pads holds -1"},
    {"MaxPool", 11, "kernel_shape=1,1,1", "1x1x2x2x2 *1", GT_ERROR_UNSUPPORTED, "pooling"},
    {"BatchNormalization", 14, "training_mode=1", "1x1x1x1 1; !1 1; !1 1; !1 1; !1 1", GT_ERROR_UNSUPPORTED,
     "training_mode is 1"},
    {"BatchNormalization", 14, "", "1x1x1x1 1; 1 1; !1 1; !1 1; !1 1", GT_ERROR_UNSUPPORTED,
     "input 1 (scale)"},
    {"Dropout", 13, "", "2 1,2; !s 0.5; !b:s 1", GT_ERROR_UNSUPPORTED, "training_mode is true"},
    {"Pad", 13, "mode=wrap", "2 1,2; !i:2 1,1", GT_ERROR_UNSUPPORTED, "mode is 'wrap'"},
    {"Pad", 13, "", "2 1,2; i:2 1,1", GT_ERROR_UNSUPPORTED, "'x1', is computed"},
    {"Reshape", 13, "", "2 1,2; i:1 2", GT_ERROR_UNSUPPORTED, "'x1', is computed"},
    {"Slice", 13, "", "2 1,2; !i:1 2; !i:1 2", GT_ERROR_UNSUPPORTED, "takes nothing"},
    {"Resize", 13, "coordinate_transformation_mode=tf_crop_and_resize", "1x1x1x2 1,2; !8 *0; !4 1,1,1,2",
     GT_ERROR_UNSUPPORTED, "tf_crop_and_resize"},
    {"Resize", 18, "antialias=1 mode=linear", "1x1x1x2 1,2; _; !4 1,1,1,0.5", GT_ERROR_UNSUPPORTED,
     "antialias"},
    {"Resize", 13, "", "1x1x1x2 1,2; _; !4 2,1,1,2", GT_ERROR_UNSUPPORTED, "batch or channels"},
    {"Resize", 19, "coordinate_transformation_mode=half_pixel_symmetric", "1x1x1x2 1,2; _; !4 1,1,1,1.7",
     GT_ERROR_UNSUPPORTED, "rounded"},
    {"Where", 13, "", "!b:1 1; 1 1; !1 1", GT_ERROR_UNSUPPORTED, "is computed at run time"},
    {"ReduceProd", 13, "", "2 1,2", GT_ERROR_UNSUPPORTED, "only on constants"},
    {"Cast", 13, "to=8", "2 1,2", GT_ERROR_UNSUPPORTED, "string"},
    {"ScatterND", 16, "reduction=add", "!3 1,2,3; !i:1x1 0; !1 1", GT_ERROR_UNSUPPORTED,
     "reduction is 'add'"},
    {"Constant", 13, "value_string=abc", "", GT_ERROR_UNSUPPORTED, "value_string"},
    {"Transpose", 13, "", "2x2 1~4; 2 1,2", GT_ERROR_FORMAT, "2 inputs; 1 to 1"},
    /* shapes that do not fit */
    {"Conv", 11, "", "1x2x2x2 *1; !1x1x1x1 1", GT_ERROR_SHAPE, "node 'node' (Conv)"},
    {"Conv", 11, "kernel_shape=2,2", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_SHAPE,
     "kernel_shape is 2x2; the weight has 1x1"},
    {"Conv", 11, "", "1x1x2 *1; !1x1x1x1 1", GT_ERROR_SHAPE, "the ranks must be equal"},
    {"Conv", 11, "", "1x1x2x2 *1; !1x1x3x3 *1", GT_ERROR_SHAPE, "at least 3"},
    {"Conv", 11, "", "1x1x2x2 *1; !1x1x1x1 *1; !2 1,2", GT_ERROR_SHAPE, "bias"},
    {"BatchNormalization", 9, "", "1x2x1x1 1,2; !2 1,1; !2 1,1; !3 *1; !2 1,1", GT_ERROR_SHAPE,
     "input 3 (mean), 'x3', has shape 3; 2 elements"},
    {"Add", 13, "", "2 1,2; 3 1~3", GT_ERROR_SHAPE, "do not broadcast"},
    {"Add", 13, "", "!2 1,2; !i:2 1,2", GT_ERROR_SHAPE, "must be of one type"},
    {"Add", 6, "axis=5", "2x2 1~4; 2 *1", GT_ERROR_FORMAT, "axis is 5"},
    {"MatMul", 13, "", "2x2 1~4; !3x1 *1", GT_ERROR_SHAPE, "a's columns and b's rows"},
    {"MatMul", 13, "", "2x2 1~4; !s 1", GT_ERROR_SHAPE, "scalars"},
    {"Gemm", 13, "", "2x2 1~4; !3x1 *1", GT_ERROR_SHAPE, "must be equal"},
    {"Gemm", 13, "", "2x2x1 1~4; !3x1 *1", GT_ERROR_SHAPE, "both must be matrices"},
    {"Concat", 13, "axis=0", "2x2 1~4; 2x3 *1", GT_ERROR_SHAPE, "concat"},
    {"Concat", 13, "axis=3", "2x2 1~4; 2x3 *1", GT_ERROR_FORMAT, "axis is 3"},
    {"Reshape", 13, "", "2x3 1~6; !i:2 -1,4", GT_ERROR_SHAPE, "do not divide"},
    {"Reshape", 13, "", "2x3 1~6; !i:2 5,1", GT_ERROR_SHAPE, "the new shape has 5"},
    {"Reshape", 13, "", "2x3 1~6; !i:2 -1,-1", GT_ERROR_FORMAT, "both -1"},
    {"Reshape", 13, "", "2x3 1~6; !i:2 -2,3", GT_ERROR_FORMAT, "is -2"},
    {"Reshape", 13, "", "2 1,2; !i:2 2,0", GT_ERROR_SHAPE, "to copy"},
    {"Reshape", 13, "", "2 1,2; !1 2", GT_ERROR_SHAPE, "a list of integers"},
    {"Reshape", 13, "", "2 1,2", GT_ERROR_FORMAT, "missing"},
    {"Squeeze", 13, "", "2 1,2; !i:1 0", GT_ERROR_SHAPE, "only 1 can be squeezed"},
    {"Unsqueeze", 13, "", "2 1,2; !i:2 0,0", GT_ERROR_FORMAT, "twice"},
    {"Transpose", 13, "perm=0,0", "2x2 1~4", GT_ERROR_FORMAT, "twice"},
    {"Transpose", 13, "perm=0", "2x2 1~4", GT_ERROR_FORMAT, "perm has 1"},
    {"Split", 13, "", "3 1~3; !i:2 1,1", GT_ERROR_SHAPE, "2 entries and the node 1 outputs"},
    {"Split", 13, "split=4", "3 1~3", GT_ERROR_SHAPE, "part 0 takes 4"},
    {"Slice", 13, "", "2 1,2; !i:1 0; !i:2 1,2", GT_ERROR_SHAPE, "must be equally"},
    {"Slice", 13, "", "2 1,2; !i:1 0; !i:1 1; !i:1 0; !i:1 0", GT_ERROR_FORMAT, "the step of axis 0 is 0"},
    {"Slice", 13, "", "2 1,2; !i:1 0; !i:1 1; !i:1 4", GT_ERROR_FORMAT, "is 4"},
    {"Gather", 13, "", "2 1,2; !i:1 2", GT_ERROR_FORMAT, "is 2; the axis is 2 long"},
    {"Gather", 13, "", "2 1,2; !1 0", GT_ERROR_SHAPE, "integers are needed"},
    {"Expand", 13, "", "2 1,2; !i:1 3", GT_ERROR_SHAPE, "does not expand"},
    {"Pad", 13, "", "2 1,2; !i:3 1,1,1", GT_ERROR_SHAPE, "3 pads; 2 are needed"},
    {"Pad", 13, "", "2 1,2; !i:2 -1,-1", GT_ERROR_SHAPE, "leave nothing"},
    {"Resize", 13, "", "1x1x1x2 1,2; _; !3 1,1,2", GT_ERROR_SHAPE, "3 scales; 4"},
    {"Resize", 13, "", "1x1x1x2 1,2; _; !4 1,1,1,-1", GT_ERROR_SHAPE, "scale of axis 3"},
    {"Resize", 13, "", "1x1x1x2 1,2; _; _; !i:4 1,1,1,0", GT_ERROR_SHAPE, "size of axis 3 is 0"},
    {"Resize", 13, "", "1x1x1x2 1,2", GT_ERROR_FORMAT, "input 2 (scales) is missing"},
    /* attributes out of range or of the wrong type */
    {"Conv", 11, "strides=0,1", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_FORMAT, "'strides' holds 0"},
    {"Conv", 11, "strides=1", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_FORMAT, "'strides' has 1 entries; 2"},
    {"Conv", 11, "group=0", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_ARGUMENT, "groups is 0"},
    {"Conv", 11, "auto_pad=SOME", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_FORMAT, "auto_pad is 'SOME'"},
    {"Conv", 11, "auto_pad=1", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_FORMAT, "'auto_pad' is an int; a string"},
    {"ConvTranspose", 11, "group=-1", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_FORMAT, "'group' is -1"},
    {"ConvTranspose", 11, "output_shape=0,1", "1x1x2x2 *1; !1x1x1x1 1", GT_ERROR_FORMAT,
     "'output_shape' holds 0"},
    {"MaxPool", 11, "", "1x1x2x2 *1", GT_ERROR_FORMAT, "'kernel_shape' holds 0"},
    {"MaxPool", 11, "kernel_shape=3,3", "1x1x2x2 *1", GT_ERROR_SHAPE, "pool2d"},
    {"Softmax", 13, "axis=4", "2x2 1~4", GT_ERROR_FORMAT, "axis is 4"},
    {"LRN", 13, "", "1x1x1x1 1", GT_ERROR_ARGUMENT, "size is 0"},
    {"DepthToSpace", 13, "blocksize=2 mode=ABC", "1x4x1x1 *1", GT_ERROR_FORMAT, "mode is 'ABC'"},
    {"DepthToSpace", 13, "blocksize=3", "1x4x1x1 *1", GT_ERROR_SHAPE, "block"},
    {"Constant", 13, "", "", GT_ERROR_FORMAT, "0 attributes"},
    /* constants without a value */
    {"Div", 13, "", "!i:2 1,2; !i:2 1,0", GT_ERROR_FORMAT, "divisor 'x1' is 0"},
    {"Mod", 13, "", "!i:2 1,2; !i:2 1,0", GT_ERROR_FORMAT, "divisor 'x1' is 0"},
    {"Range", 11, "", "!i:s 0; !i:s 5; !i:s 0", GT_ERROR_FORMAT, "delta 0"},
    {"ReduceMax", 13, "", "!i:0 ", GT_ERROR_SHAPE, "empty"},
    {"ScatterND", 13, "", "!3 1,2,3; !i:1x1 3; !1 1", GT_ERROR_FORMAT, "is 3"},
    {"ScatterND", 13, "", "!3 1,2,3; !i:1x1 0; !2 1,2", GT_ERROR_SHAPE, "updates"},
    /* too large */
    {"Range", 11, "", "!i:s 0; !i:s 1000000000000; !i:s 1", GT_ERROR_LIMIT, "elements"},
    {"Range", 11, "", "!s 0; !s 1e30; !s 1e-30", GT_ERROR_LIMIT, "range"},
    {"ConstantOfShape", 9, "", "!i:2 100000,100000", GT_ERROR_LIMIT, "elements"},
    {"ConstantOfShape", 9, "", "!i:3 1048576,1048576,1048576", GT_ERROR_SHAPE, "2^40"},
    {"ConstantOfShape", 9, "", "!i:1 -1", GT_ERROR_SHAPE, "-1"},
    {"Expand", 13, "", "!1 1; !i:2 100000,100000", GT_ERROR_LIMIT, "2^32"},
    {"Expand", 13, "", "!1 1; !i:2 4000000000000000000,4", GT_ERROR_SHAPE, "2^40"},
    {"Expand", 13, "", "1 1; !i:2 4000000000,4000000000", GT_ERROR_SHAPE, "2^40"},
    {"Tile", 13, "", "!1 1; !i:1 500000000", GT_ERROR_LIMIT, "MiB"},
    {"Tile", 13, "", "2 1,2; !i:1 9000000000000000000", GT_ERROR_LIMIT, "repeated"},
    {"Pad", 13, "", "2 1,2; !i:2 9000000000000000000,1", GT_ERROR_LIMIT, "pads"},
    {"Pad", 13, "", "!2 1,2; !i:2 2000000000,2000000000", GT_ERROR_LIMIT, "elements"},
    {"Resize", 13, "", "!1x1x1x2 1,2; _; _; !i:4 1,1,100000,100000", GT_ERROR_LIMIT, "elements"},
};

START_TEST(failing_nodes)
{
    static literal in[6];
    op_case c = {failing[_i].op, failing[_i].opset, failing[_i].attrs, failing[_i].inputs, ""};
    size_t n_in = read_literals(in, c.inputs);
    FAILS(build_case(&c, in, n_in), NULL, failing[_i].status, failing[_i].reason, failing[_i].op);
}
END_TEST

/* ---- malformed graphs ---- */

static gt_onnx_model *chain_model(void)
{
    gt_onnx_model *model = new_model(13);
    add_input(model, "x", "2");
    add_output(model, "y");
    return model;
}

START_TEST(malformed_graphs)
{
    gt_onnx_model *m = chain_model();
    add_node(m, "Relu", "r", "ghost", "y");
    FAILS(m, NULL, GT_ERROR_FORMAT, "node 'r' (Relu) reads 'ghost' (input 0)");
    m = chain_model();
    add_node(m, "Relu", "r", "x", "z");
    FAILS(m, NULL, GT_ERROR_FORMAT, "graph output 'y'");
    m = chain_model();
    add_node(m, "Relu", "r", "x", "y");
    add_node(m, "Abs", "", "x", "y");
    FAILS(m, NULL, GT_ERROR_FORMAT, "'r' (Relu) and 'Abs_y' (Abs) both define 'y'");
    m = chain_model();
    add_node(m, "Split", "s", "x", "y y");
    FAILS(m, NULL, GT_ERROR_FORMAT, "'s' (Split)", "another of its outputs");
    m = chain_model();
    add_node(m, "Relu", "r", "x", "x");
    FAILS(m, NULL, GT_ERROR_FORMAT, "'r' (Relu) defines 'x', which is a graph input");
    m = chain_model();
    add_node(m, "Add", "a", "x c", "b");
    add_node(m, "Relu", "b", "b", "c");
    add_node(m, "Relu", "out", "b", "y");
    FAILS(m, NULL, GT_ERROR_FORMAT, "cycle of 2 nodes", "'a'", "'b'");
    m = chain_model();
    add_node(m, "Add", "self", "x y", "y");
    FAILS(m, NULL, GT_ERROR_FORMAT, "cycle of 1 nodes: 'self' -> 'self'");
    m = chain_model();
    add_input(m, "x", "2");
    add_node(m, "Relu", "r", "x", "y");
    FAILS(m, NULL, GT_ERROR_FORMAT, "graph input 'x' stands twice");
    m = new_model(13);
    add_input(m, "x", "2");
    add_node(m, "Relu", "r", "x", "y");
    FAILS(m, NULL, GT_ERROR_FORMAT, "no outputs");
    m = chain_model();
    add_node(m, "Conv", "c", "x _", "y");
    FAILS(m, NULL, GT_ERROR_FORMAT, "node 'c' (Conv)", "input 1 (weight) is missing");
    m = chain_model();
    add_node(m, "Relu", "r", "x", "y");
    m->inputs[0].type = GT_ONNX_STRING;
    FAILS(m, NULL, GT_ERROR_UNSUPPORTED, "graph input 'x'", "string");
    m = chain_model();
    add_node(m, "Relu", "r", "x", "y");
    for (int i = 0; i < 3; i++) {
        m->inputs[0].dims[i] = INT64_MAX;
    }
    m->inputs[0].rank = 3;
    FAILS(m, NULL, GT_ERROR_SHAPE, "2^40");
}
END_TEST

START_TEST(not_a_model)
{
    char path[1100];
    gt_graph *graph = NULL;
    snprintf(path, sizeof path, "%s/missing.onnx", folder);
    ck_assert_int_eq(gt_import_file(&graph, path, NULL), GT_ERROR_IO);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), path));
    snprintf(path, sizeof path, "%s/text.txt", folder);
    ok(gt_file_replace(path, "hello, world", 12));
    ck_assert_int_eq(gt_import_file(&graph, path, NULL), GT_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), path));
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "ONNX"));
    snprintf(path, sizeof path, "%s/text.onnx", folder);
    ok(gt_file_replace(path, "hello, world", 12));
    ck_assert_int_eq(gt_import_file(&graph, path, NULL), GT_ERROR_FORMAT);
    ok(gt_file_replace(path, "", 0));
    ck_assert_int_ne(gt_import_file(&graph, path, NULL), GT_OK);
}
END_TEST

/* ---- hostile models ---- */

/* Each step doubles a constant; the total is limited, not only the single tensor. */
START_TEST(doubling_is_limited)
{
    gt_onnx_model *model = new_model(13);
    char from[32] = "w";
    char pair[72];
    char to[32];
    add_initializer(model, "w", "1024 *1");
    for (int i = 0; i < 60; i++) {
        snprintf(to, sizeof to, "w%d", i);
        snprintf(pair, sizeof pair, "%s %s", from, from);
        set_attrs(add_node(model, "Concat", "", pair, to), "axis=0");
        memcpy(from, to, sizeof from);
    }
    add_output(model, to);
    FAILS(model, NULL, GT_ERROR_LIMIT, "Concat");
}
END_TEST

/* The walk over the nodes must not use the C stack: a chain that stands in the file from its end. */
START_TEST(long_reversed_chain)
{
    enum { LENGTH = 20000 };
    gt_graph *graph = NULL;
    gt_onnx_model *model = new_model(13);
    char from[32];
    char to[32];
    add_input(model, "n0", "1");
    for (int i = LENGTH; i > 0; i--) {
        snprintf(from, sizeof from, "n%d", i - 1);
        snprintf(to, sizeof to, "n%d", i);
        add_node(model, "Neg", "", from, to);
    }
    snprintf(to, sizeof to, "n%d", LENGTH);
    add_output(model, to);
    ok(import(&graph, model, &(gt_import_options){.keep_source_form = true}));
    ck_assert_int_eq(graph->n_ops, LENGTH);
    gt_graph_destroy(graph);
    gt_onnx_model_destroy(model);
}
END_TEST

static gt_onnx_model *busy_model(void)
{
    gt_onnx_model *model = new_model(13);
    add_input(model, "x", "1x2x6x6");
    add_initializer(model, "w", "4x2x3x3 *0.5");
    add_initializer(model, "s", "4 *1");
    add_initializer(model, "axes", "i:1 0");
    add_initializer(model, "flat", "i:2 0,-1");
    add_initializer(model, "m", "100x3 *0.5");
    set_attrs(add_node(model, "Conv", "conv", "x w", "a"), "pads=1,1,1,1 strides=1,1");
    add_node(model, "BatchNormalization", "bn", "a s s s s", "b");
    add_node(model, "Relu", "relu", "b", "c");
    set_attrs(add_node(model, "MaxPool", "pool", "c", "d"), "kernel_shape=2,2 strides=1,1");
    set_attrs(add_node(model, "Split", "split", "d", "e f"), "axis=1");
    set_attrs(add_node(model, "Concat", "cat", "f e", "g"), "axis=1");
    add_node(model, "Shape", "shape", "g", "h");
    add_node(model, "Reshape", "flatten", "g flat", "i");
    add_node(model, "MatMul", "fc", "i m", "k");
    set_attrs(add_node(model, "Softmax", "prob", "k", "y"), "axis=-1");
    add_output(model, "y");
    add_output(model, "h");
    return model;
}

/* Without the fsync of gt_file_replace, which would take most of the time of thousands of files. */
static void write_quickly(const char *path, const char *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, bytes, file), bytes);
    ck_assert_int_eq(fclose(file), 0);
}

/* Damaged files either import or are refused; nothing crashes, hangs or leaks. */
START_TEST(damaged_files)
{
    gt_rng rng;
    char *data = NULL;
    char *copy = NULL;
    size_t bytes = 0;
    gt_onnx_model *model = busy_model();
    gt_rng_seed(&rng, 17);
    ok(gt_onnx_write(model, model_path));
    gt_onnx_model_destroy(model);
    ok(gt_file_read(&data, &bytes, model_path));
    ok(gt_calloc(&copy, bytes, 1));
    int64_t live = gt_i_live_allocations();
    for (int i = 0; i < 3000; i++) {
        gt_graph *graph = NULL;
        memcpy(copy, data, bytes);
        for (int64_t flips = 1 + gt_rng_below(&rng, 3); flips > 0; flips--) {
            copy[gt_rng_below(&rng, (int64_t)bytes)] ^= (char)(1 << gt_rng_below(&rng, 8));
        }
        size_t length = i % 4 == 0 ? (size_t)gt_rng_below(&rng, (int64_t)bytes) : bytes;
        write_quickly(model_path, copy, length);
        gt_status status = gt_import_file(&graph, model_path, NULL);
        if (status == GT_OK) {
            gt_graph_destroy(graph);
        } else {
            ck_assert_int_ne(status, GT_ERROR_INTERNAL);
            ck_assert_msg(strstr(gt_error_message(), model_path) != NULL, "no path in: %s",
                          gt_error_message());
        }
        ck_assert_int_eq(gt_i_live_allocations(), live);
    }
    gt_free(copy);
    gt_free(data);
}
END_TEST

/* Allocation k fails, for k = 0, 1, … until the import succeeds. */
START_TEST(every_allocation_may_fail)
{
    gt_onnx_model *model = busy_model();
    gt_graph *graph = NULL;
    gt_status status = GT_ERROR_MEMORY;
    ok(gt_onnx_write(model, model_path));
    gt_onnx_model_destroy(model);
    int64_t live = gt_i_live_allocations();
    int64_t k = 0;
    for (; status != GT_OK; k++) {
        ck_assert_int_lt(k, 100000);
        gt_i_fail_allocation(k);
        status = gt_import_file(&graph, model_path, NULL);
        gt_i_fail_allocation(-1);
        if (status != GT_OK) {
            ck_assert_msg(status == GT_ERROR_MEMORY, "allocation %lld: %s: %s", (long long)k,
                          gt_status_name(status), gt_error_message());
            ck_assert_ptr_null(graph);
            ck_assert_int_eq(gt_i_live_allocations(), live);
        }
    }
    ck_assert_int_gt(k, 100);
    gt_graph_destroy(graph);
    ck_assert_int_eq(gt_i_live_allocations(), live);
}
END_TEST

/* ---- main ---- */

static void add_tests(Suite *suite)
{
    TCase *ops = tcase_create("operators");
    tcase_add_loop_test(ops, operators, 0, N(op_cases));
    tcase_add_loop_test(ops, constants, 0, N(fold_cases));
    tcase_add_test(ops, registry_is_sorted_and_covered);
    suite_add_tcase(suite, ops);
    TCase *models = tcase_create("models");
    tcase_add_test(models, shape_arithmetic_disappears);
    tcase_add_test(models, names_are_unique_and_stable);
    tcase_add_test(models, nodes_may_stand_in_any_order);
    tcase_add_test(models, initializers_among_the_inputs);
    tcase_add_test(models, element_types);
    tcase_add_test(models, open_batch_is_one);
    tcase_add_test(models, given_shape_binds_symbols);
    tcase_add_test(models, open_dimension_says_which_flag);
    tcase_add_test(models, given_shape_must_fit);
    tcase_add_test(models, shape_flags_parse);
    suite_add_tcase(suite, models);
    TCase *errors = tcase_create("errors");
    tcase_set_timeout(errors, 300);
    tcase_add_test(errors, all_unsupported_nodes_are_listed);
    tcase_add_loop_test(errors, failing_nodes, 0, N(failing));
    tcase_add_test(errors, malformed_graphs);
    tcase_add_test(errors, not_a_model);
    tcase_add_test(errors, doubling_is_limited);
    tcase_add_test(errors, long_reversed_chain);
    tcase_add_test(errors, damaged_files);
    tcase_add_test(errors, every_allocation_may_fail);
    suite_add_tcase(suite, errors);
}

static void remove_folder(void)
{
    static const char *const names[] = {"model.onnx", "text.txt", "text.onnx"};
    char path[1100];
    for (int i = 0; i < N(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/gt_import_XXXXXX", tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp");
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        return EXIT_FAILURE;
    }
    snprintf(model_path, sizeof model_path, "%s/model.onnx", folder);
    Suite *suite = suite_create("import");
    add_tests(suite);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    remove_folder();
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
