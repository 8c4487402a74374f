/* SPDX-License-Identifier: Apache-2.0 */
/* The ncnn importer: every layer type against values worked out by hand, both file forms, all ways of
 * storing weights, what malformed, unsupported and hostile files are told, and real networks where
 * GT_MODELS_DIR has them. */
#include "ops/reference.h"
#include "src/base/file.h"
#include "src/base/npy.h"
#include "src/base/rng.h"
#include "src/import/import.h"
#include "src/import/ncnn_param.h"

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N(array) ((int)(sizeof(array) / sizeof *(array)))

static char folder[1024];
static char param_path[1100];
static char bin_path[1100];

static void ok(gt_status status)
{
    if (status != GT_OK) {
        ck_abort_msg("%s: %s", gt_status_name(status), gt_error_message());
    }
}

/* ---- tensors from text: "2x3 1,2,3,4,5,6", "4 *0.5", "1x3x3 1~9"; shapes as ncnn's, without a batch ---- */

typedef struct literal {
    gt_shape shape; /* with the batch */
    int64_t n;
    float value[1024];
} literal;

static int64_t read_values(float *out, const char *text, int64_t n)
{
    char *end = NULL;
    int64_t k = 0;
    while (*text != '\0' && *text != ';') {
        bool all = *text == '*';
        double first = strtod(text + all, &end);
        double last = *end == '~' ? strtod(end + 1, &end) : first;
        int64_t count = all ? n : (int64_t)(last - first) + 1;
        ck_assert_int_le(k + count, 1024);
        for (int64_t i = 0; i < count; i++) {
            out[k++] = (float)(all ? first : first + (double)i);
        }
        text = end + (*end == ',');
    }
    return k;
}

/* Returns what follows the next ';' or NULL. */
static const char *read_literal(literal *l, const char *text)
{
    const char *next = strchr(text, ';');
    char *end = NULL;
    memset(l, 0, sizeof *l);
    l->shape.dim[l->shape.rank++] = 1;
    text += strspn(text, " ");
    while (*text >= '0' && *text <= '9') {
        l->shape.dim[l->shape.rank++] = strtoll(text, &end, 10);
        text = *end == 'x' ? end + 1 : end;
    }
    l->n = gt_shape_elems(&l->shape);
    int64_t n = read_values(l->value, text + strspn(text, " "), l->n);
    ck_assert_msg(n == l->n, "a literal has %lld values, its shape %lld", (long long)n, (long long)l->n);
    return next != NULL ? next + 1 : NULL;
}

/* ---- weights from text: "f:1,2; F:1,2; h:1,2; q:1,2; t:1,2" ---- */

static void add_bytes(gt_text *out, const void *bytes, size_t count)
{
    ok(gt_text_append_bytes(out, bytes, count));
}

static uint16_t to_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t exponent = bits >> 23 & 0xff;
    return (uint16_t)((bits >> 16 & 0x8000) | (value == 0 ? 0
                                               : (exponent - 112) << 10 | (bits >> 13 & 0x3ff)));
}

/* f: floats, F: flagged floats, s: floats with the third flag, h: halves, q: int8, t: a table whose entry
 * k is k/4 and bytes. */
static void add_weights(gt_text *out, const char *text)
{
    static const uint32_t flags[256] = {['h'] = 0x01306B47, ['q'] = 0x000D4B38, ['s'] = 0x0002C056,
                                        ['t'] = 1};
    static float value[1024];
    static const char zeros[4] = {0};
    unsigned char kind = (unsigned char)*text;
    int64_t n = read_values(value, text + 2, 0);
    size_t start = out->length;
    if (kind != 'f') {
        add_bytes(out, &flags[kind], 4);
    }
    for (int k = 0; kind == 't' && k < 256; k++) {
        add_bytes(out, &(float){(float)k / 4}, 4);
    }
    for (int64_t i = 0; i < n; i++) {
        switch (kind) {
        case 'h':
            add_bytes(out, &(uint16_t){to_half(value[i])}, 2);
            break;
        case 'q':
            add_bytes(out, &(int8_t){(int8_t)value[i]}, 1);
            break;
        case 't':
            add_bytes(out, &(uint8_t){(uint8_t)(value[i] * 4)}, 1);
            break;
        default:
            add_bytes(out, &value[i], 4);
        }
    }
    add_bytes(out, zeros, (4 - (out->length - start) % 4) % 4);
}

static void write_weights(const char *text)
{
    gt_text bytes = {0};
    add_bytes(&bytes, "", 0);
    while (text != NULL && *text != '\0') {
        text += strspn(text, " ");
        add_weights(&bytes, text);
        const char *next = strchr(text, ';');
        text = next != NULL ? next + 1 : NULL;
    }
    ok(gt_file_replace(bin_path, bytes.data != NULL ? bytes.data : "", bytes.length));
    gt_text_destroy(&bytes);
}

static void write_param(const char *text)
{
    ok(gt_file_replace(param_path, text, strlen(text)));
}

/* ---- running ---- */

/* Input values by graph input; *outputs gets the tensors' memory (all of them, gt_free each). */
static void **run(const gt_graph *g, const float *const *inputs)
{
    void **data = NULL;
    const void *in[64];
    ok(gt_calloc(&data, (size_t)g->n_tensors, sizeof *data));
    for (int i = 0; i < g->n_inputs; i++) {
        size_t bytes = (size_t)gt_shape_elems(&g->tensors[g->inputs[i]].shape) * sizeof(float);
        ok(gt_alloc_aligned(&data[g->inputs[i]], bytes));
        memcpy(data[g->inputs[i]], inputs[i], bytes);
    }
    for (int i = 0; i < g->n_ops; i++) {
        const gt_op *op = &g->ops[i];
        ck_assert_int_le(op->n_inputs, N(in));
        for (int j = 0; j < op->n_inputs; j++) {
            int t = op->inputs[j];
            in[j] = t < 0 ? NULL : g->tensors[t].data != NULL ? g->tensors[t].data : data[t];
        }
        ok(gt_alloc_aligned(&data[op->output],
                            (size_t)gt_shape_elems(&g->tensors[op->output].shape) * sizeof(float)));
        ok(gt_reference_run(op->workload, data[op->output], in));
    }
    return data;
}

static void free_run(const gt_graph *g, void **data)
{
    for (int t = 0; t < g->n_tensors; t++) {
        gt_free(data[t]);
    }
    gt_free(data);
}

/* ---- cases ---- */

/* `layers`: lines of .param after those of the inputs, x0, x1, …; `inputs` and `outputs`: literals by ';'. */
typedef struct layer_case {
    const char *layers, *inputs, *weights, *outputs;
} layer_case;

static int add_input_lines(gt_text *text, literal *in, const char *inputs)
{
    static const char *const ids[] = {"0", "1", "2", "11"};
    int n = 0;
    while (inputs != NULL && *inputs != '\0') {
        inputs = read_literal(&in[n], inputs);
        const gt_shape *s = &in[n].shape;
        ok(gt_text_append(text, "Input in%d 0 1 x%d", n, n));
        for (int i = 1; i < s->rank; i++) { /* w h c, or w h d c */
            const char *id = s->rank == 5 && i == 1 ? "2" : s->rank == 5 && i == 2 ? "11"
            : ids[s->rank - 1 - i];
            ok(gt_text_append(text, " %s=%lld", id, (long long)s->dim[i]));
        }
        ok(gt_text_append(text, "\n"));
        n++;
    }
    return n;
}

static int count_lines(const char *text)
{
    int lines = *text != '\0';
    for (; *text != '\0'; text++) {
        lines += *text == '\n';
    }
    return lines;
}

static void write_case(const layer_case *c, literal *in)
{
    gt_text body = {0};
    gt_text text = {0};
    gt_ncnn_model *model = NULL;
    ok(gt_text_append(&body, "%s", ""));
    int n = add_input_lines(&body, in, c->inputs);
    ok(gt_text_append(&body, "%s\n", c->layers));
    ok(gt_text_append(&text, "7767517\n%d 0\n%s", count_lines(c->layers) + n, body.data));
    ok(gt_ncnn_parse(&model, text.data, text.length));
    int blobs = model->n_blobs;
    gt_ncnn_model_destroy(model);
    gt_text_destroy(&text);
    ok(gt_text_append(&text, "7767517\n%d %d\n%s", count_lines(c->layers) + n, blobs, body.data));
    write_param(text.data);
    write_weights(c->weights);
    gt_text_destroy(&text);
    gt_text_destroy(&body);
}

static void check_output(const layer_case *c, const gt_graph *g, int k, const float *got, const literal *want)
{
    char a[GT_SHAPE_TEXT_BYTES];
    char b[GT_SHAPE_TEXT_BYTES];
    const gt_shape *shape = &g->tensors[g->outputs[k]].shape;
    ck_assert_msg(gt_shape_equal(shape, &want->shape), "%s: output %d is %s, not %s", c->layers, k,
                  gt_shape_format(a, sizeof a, shape), gt_shape_format(b, sizeof b, &want->shape));
    for (int64_t i = 0; i < want->n; i++) {
        ck_assert_msg(fabs((double)got[i] - (double)want->value[i]) <= 2e-5 * fmax(1,
            fabs((double)want->value[i])),
                      "%s: output %d, element %lld is %g, not %g", c->layers, k, (long long)i, (double)got[i],
                      (double)want->value[i]);
    }
}

static void check_case(const layer_case *c, bool keep_source_form)
{
    static literal in[8];
    static literal want;
    const float *inputs[8];
    gt_graph *g = NULL;
    const gt_import_options options = {.keep_source_form = keep_source_form};
    write_case(c, in);
    gt_status status = gt_import_file(&g, param_path, &options);
    ck_assert_msg(status == GT_OK, "%s: %s", c->layers, gt_error_message());
    for (int i = 0; i < g->n_inputs; i++) {
        inputs[i] = in[i].value;
    }
    void **data = run(g, inputs);
    const char *text = c->outputs;
    int k = 0;
    for (; text != NULL; k++) {
        ck_assert_msg(k < g->n_outputs, "%s: %d outputs", c->layers, g->n_outputs);
        text = read_literal(&want, text);
        int t = g->outputs[k];
        check_output(c, g, k, g->tensors[t].data != NULL ? g->tensors[t].data : data[t], &want);
    }
    ck_assert_msg(k == g->n_outputs, "%s: %d outputs, not %d", c->layers, g->n_outputs, k);
    free_run(g, data);
    gt_graph_destroy(g);
}

static const layer_case layer_cases[] = {
    /* convolution */
    {"Convolution c 1 1 x0 y 0=1 1=2 6=4", "1x3x3 1~9", "F:1,0,0,1", "1x2x2 6,8,12,14"},
    {"Convolution c 1 1 x0 y 0=1 1=2 5=1 6=4", "1x3x3 1~9", "h:1,0,0,1; f:10", "1x2x2 16,18,22,24"},
    {"Convolution c 1 1 x0 y 0=1 1=2 6=4", "1x3x3 1~9", "t:1,0.25,0,1", "1x2x2 6.5,8.75,13.25,15.5"},
    {"Convolution c 1 1 x0 y 0=1 1=2 6=4", "1x3x3 1~9", "s:1,0,0,1", "1x2x2 6,8,12,14"},
    {"Convolution c 1 1 x0 y 0=1 1=2 4=1 3=2 6=4 15=0 14=1 16=0", "1x3x3 1~9", "F:1,1,1,1",
     "1x2x2 1,5,11,28"},
    {"Convolution c 1 1 x0 y 0=1 1=2 4=-233 6=4", "1x2x2 1~4", "F:1,1,1,1", "1x2x2 10,6,7,4"},
    {"Convolution c 1 1 x0 y 0=1 1=2 4=-234 6=4", "1x2x2 1~4", "F:1,1,1,1", "1x2x2 1,3,4,10"},
    {"Convolution c 1 1 x0 y 0=1 1=2 2=2 6=4", "1x3x3 1~9", "F:1,1,1,1", "1x1x1 20"},
    {"Convolution c 1 1 x0 y 0=1 1=2 11=1 13=2 6=2", "1x3x3 1~9", "F:1,10", "1x2x2 21,32,87,98"},
    {"Convolution c 1 1 x0 y 0=1 1=2 4=1 18=1.000000e+00 6=4", "1x1x1 5", "F:1,1,1,1", "1x2x2 8,8,8,8"},
    {"Convolution c 1 1 x0 y 0=2 1=1 6=4 9=1", "2x1x1 1,2", "F:1,1,1,-1", "2x1x1 3,0"},
    {"Convolution c 1 1 x0 y 0=1 1=1 6=1 9=2 -23310=1,1.000000e-01", "1x1x2 -1,2", "F:1", "1x1x2 -0.1,2"},
    {"Convolution c 1 1 x0 y 0=1 1=1 6=1 9=3 -23310=2,0.0,6.0", "1x1x3 -1,2,9", "F:1", "1x1x3 0,2,6"},
    {"Convolution c 1 1 x0 y 0=1 1=1 6=1 9=4", "1x1x1 1", "F:1", "1x1x1 0.7310586"},
    {"Convolution c 1 1 x0 y 0=1 1=1 6=1 9=5", "1x1x1 1", "F:1", "1x1x1 0.8650984"},
    {"Convolution c 1 1 x0 y 0=1 1=1 6=1 9=6 10=0.5,0.5", "1x1x3 -2,0.5,2", "F:1", "1x1x3 0,0.375,2"},
    {"Convolution c 1 1 x0 y 0=2 1=1 5=1 6=4 9=1", "2 1,2", "F:1,1,1,-1; f:1,2", "2 4,1"},
    {"ConvolutionDepthWise c 1 1 x0 y 0=2 1=1 6=2 7=2", "2x1x2 1,2,3,4", "h:2,3", "2x1x2 2,4,9,12"},
    {"ConvolutionDepthWise c 1 1 x0 y 0=2 1=1 6=4 7=2", "4x1x1 1,2,3,4", "F:1,10,1,10", "2x1x1 21,43"},
    {"Convolution c 1 1 x0 y 0=1 1=1 6=1 8=1 5=1\nReLU r 1 1 y z", "1x1x1 3", "F:2; f:1; f:1; f:1",
     "1x1x1 7"},
    {"ConvolutionDepthWise c 1 1 x0 y 0=2 1=1 6=2 7=2 8=101", "2x1x1 3,4", "F:2,3; f:1,1; f:1; f:1",
     "2x1x1 6,12"},
    {"Deconvolution c 1 1 x0 y 0=1 1=2 11=1 3=2 13=1 6=2", "1x1x2 1,2", "F:1,10", "1x1x4 1,10,2,20"},
    {"Deconvolution c 1 1 x0 y 0=1 1=2 11=1 3=2 13=1 5=1 6=2 18=1 19=0", "1x1x2 1,2", "F:1,10; f:1",
     "1x1x5 2,11,3,21,1"},
    {"Deconvolution c 1 1 x0 y 0=1 1=3 11=1 6=3 4=1 14=0", "1x1x2 1,2", "F:1,10,100", "1x1x2 12,120"},
    {"Deconvolution c 1 1 x0 y 0=1 1=2 11=1 3=2 13=1 6=2 4=-233 20=3 21=1", "1x1x2 1,2", "F:1,10",
     "1x1x3 1,10,2"},
    {"Deconvolution c 1 1 x0 y 0=1 1=2 11=1 3=2 13=1 6=2 4=-234 20=3 21=1", "1x1x2 1,2", "F:1,10",
     "1x1x3 10,2,20"},
    {"Deconvolution c 1 1 x0 y 0=2 1=1 6=4 9=1", "2x1x1 1,2", "F:1,10,-100,1", "2x1x1 21,0"},
    {"DeconvolutionDepthWise c 1 1 x0 y 0=2 1=1 6=2 7=2", "2x1x1 1,2", "F:10,100", "2x1x1 10,200"},
    {"DeconvolutionDepthWise c 1 1 x0 y 0=2 1=1 6=4 7=2", "4x1x1 1~4", "F:1,10,1,100", "2x1x1 21,403"},
    {"InnerProduct c 1 1 x0 y 0=2 2=8", "2x1x2 1~4", "F:1,1,1,1,1,0,0,0", "2 10,1"},
    {"InnerProduct c 1 1 x0 y 0=2 1=1 2=4 9=1", "2 1,2", "h:1,1,1,-1; f:1,-5", "2 4,0"},
    {"InnerProduct c 1 1 x0 y 0=1 2=2", "2x2 1~4", "F:1,10", "2x1 21,43"},
    {"InnerProduct c 1 1 x0 y 0=1 2=4", "2x2 1~4", "F:1,1,1,10", "1 46"},
    {"InnerProduct c 1 1 x0 y 0=1 1=1 2=1 8=1", "1 3", "F:2; f:1; f:1; f:1", "1 7"},
    /* pooling */
    {"Pooling p 1 1 x0 y 1=2 2=2", "1x3x3 1~9", "", "1x2x2 5,6,8,9"},
    {"Pooling p 1 1 x0 y 1=2 2=2 5=1", "1x3x3 1~9", "", "1x1x1 5"},
    {"Pooling p 1 1 x0 y 1=2 5=2", "1x2x2 1~4", "", "1x2x2 4,4,4,4"},
    {"Pooling p 1 1 x0 y 1=2 5=3", "1x2x2 1~4", "", "1x2x2 1,2,3,4"},
    {"Pooling p 1 1 x0 y 0=1 1=2 2=2", "1x3x3 1~9", "", "1x2x2 3,4.5,7.5,9"},
    {"Pooling p 1 1 x0 y 0=1 1=2 2=2 6=1", "1x3x3 1~9", "", "1x2x2 3,2.25,3.75,2.25"},
    {"Pooling p 1 1 x0 y 0=1 1=2 3=1 5=1 14=0 15=0", "1x2x2 1~4", "", "1x2x2 1,1.5,2,2.5"},
    {"Pooling p 1 1 x0 y 0=1 1=2 3=1 5=1 14=0 15=0 6=1", "1x2x2 1~4", "", "1x2x2 0.25,0.75,1,2.5"},
    {"Pooling p 1 1 x0 y 0=1 1=2 5=2", "1x2x2 1~4", "", "1x2x2 2.5,1.5,1.75,1"},
    {"Pooling p 1 1 x0 y 1=3 11=1 2=1 3=1 13=0 5=1", "1x1x3 3,1,2", "", "1x1x3 3,3,2"},
    {"Pooling p 1 1 x0 y 4=1", "2x1x2 1~4", "", "2 2,4"},
    {"Pooling p 1 1 x0 y 0=1 4=1", "2x1x2 1~4", "", "2 1.5,3.5"},
    {"Pooling p 1 1 x0 y 0=1 7=1 8=1", "2x1x2 1~4", "", "2x1x1 1.5,3.5"},
    {"Pooling p 1 1 x0 y 7=1 8=2 18=1", "1x2x4 1~8", "", "1x1x2 6,8"},
    {"Pooling p 1 1 x0 y 0=1 7=1 8=2 18=-233", "1x1x3 1~3", "", "1x1x2 1.5,2.5"},
    {"Pooling p 1 1 x0 y 0=0 7=1 8=2 18=2", "1x3x3 1~9", "", "1x2x2 5,6,8,9"},
    /* numbers per channel */
    {"BatchNorm b 1 1 x0 y 0=2", "2x1x2 1~4", "f:2,3; f:1,3; f:4,1; f:1,0", "2x1x2 1,2,0,3"},
    {"BatchNorm b 1 1 x0 y 0=2 1=3.0", "2x2 1~4", "f:2,4; f:1,3; f:1,1; f:1,0", "2x2 1,2,0,2"},
    {"BatchNorm b 1 1 x0 y 0=2", "2 1,2", "f:2,3; f:1,1; f:1,1; f:0,0", "2 0,3"},
    {"Scale s 1 1 x0 y 0=2", "2x1x2 1~4", "f:2,3", "2x1x2 2,4,9,12"},
    {"Scale s 1 1 x0 y 0=2 1=1", "2x1x2 1~4", "f:2,3; f:1,-1", "2x1x2 3,5,8,11"},
    {"Scale s 1 1 x0 y 0=2 1=1", "2 1,2", "f:2,3; f:1,-1", "2 3,5"},
    {"Scale s 2 1 x0 x1 y 0=-233", "2x1x2 1~4; 2 2,3", "", "2x1x2 2,4,9,12"},
    {"Scale s 2 1 x0 x1 y 0=-233", "2x1x2 1~4; 2x1x1 2,3", "", "2x1x2 2,4,9,12"},
    {"Bias b 1 1 x0 y 0=2", "2x1x2 1~4", "f:10,20", "2x1x2 11,12,23,24"},
    {"PReLU p 1 1 x0 y 0=1", "2x1x1 -1,-2", "f:0.5", "2x1x1 -0.5,-1"},
    {"PReLU p 1 1 x0 y 0=2", "2x1x2 -1,1,-2,3", "f:0.5,0.25", "2x1x2 -0.5,1,-0.5,3"},
    {"PReLU p 1 1 x0 y 0=2", "2 -1,-2", "f:0.5,0.25", "2 -0.5,-0.5"},
    /* elementwise */
    {"ReLU r 1 1 x0 y", "3 -1,0,2", "", "3 0,0,2"},
    {"ReLU r 1 1 x0 y 0=1.000000e-01", "2 -1,2", "", "2 -0.1,2"},
    {"Clip r 1 1 x0 y 0=-1.0 1=1.0", "3 -2,0.5,2", "", "3 -1,0.5,1"},
    {"Clip r 1 1 x0 y 0=0 1=6", "3 -2,0.5,9", "", "3 0,0.5,6"},
    {"Clip r 1 1 x0 y", "2 -2,9", "", "2 -2,9"},
    {"Sigmoid r 1 1 x0 y", "2 0,1", "", "2 0.5,0.7310586"},
    {"Swish r 1 1 x0 y", "1 1", "", "1 0.7310586"},
    {"Mish r 1 1 x0 y", "1 1", "", "1 0.8650984"},
    {"TanH r 1 1 x0 y", "1 1", "", "1 0.7615942"},
    {"ELU r 1 1 x0 y", "2 -1,1", "", "2 -0.06321206,1"},
    {"ELU r 1 1 x0 y 0=2.0", "2 -1,1", "", "2 -1.264241,1"},
    {"HardSigmoid r 1 1 x0 y", "3 -10,1,10", "", "3 0,0.7,1"},
    {"HardSwish r 1 1 x0 y", "3 -10,1,10", "", "3 0,0.7,10"},
    {"HardSwish r 1 1 x0 y 0=1.666667e-01 1=5.000000e-01", "2 1,4", "", "2 0.6666667,4"},
    {"AbsVal r 1 1 x0 y", "2 -1,2", "", "2 1,2"},
    {"BNLL r 1 1 x0 y", "1 1", "", "1 1.313262"},
    {"Softplus r 1 1 x0 y", "1 1", "", "1 1.313262"},
    {"Dropout d 1 1 x0 d\nReLU r 1 1 d y", "2 -1,2", "", "2 0,2"},
    {"Dropout d 1 1 x0 d 0=5.0e-1", "2 -1,2", "", "2 -0.5,1"},
    {"UnaryOp u 1 1 x0 y 0=0", "2 -1,2", "", "2 1,2"},
    {"UnaryOp u 1 1 x0 y 0=1", "2 -1,2", "", "2 1,-2"},
    {"UnaryOp u 1 1 x0 y 0=2", "2 -1.5,2.5", "", "2 -2,2"},
    {"UnaryOp u 1 1 x0 y 0=3", "2 -1.5,2.5", "", "2 -1,3"},
    {"UnaryOp u 1 1 x0 y 0=4", "2 -3,2", "", "2 9,4"},
    {"UnaryOp u 1 1 x0 y 0=5", "2 9,4", "", "2 3,2"},
    {"UnaryOp u 1 1 x0 y 0=6", "2 16,4", "", "2 0.25,0.5"},
    {"UnaryOp u 1 1 x0 y 0=7", "1 1", "", "1 2.718282"},
    {"UnaryOp u 1 1 x0 y 0=8", "1 2", "", "1 0.6931472"},
    {"UnaryOp u 1 1 x0 y 0=15", "2 4,-2", "", "2 0.25,-0.5"},
    {"UnaryOp u 1 1 x0 y 0=16", "1 1", "", "1 0.7615942"},
    {"UnaryOp u 1 1 x0 y 0=17", "2 100,1", "", "2 2,0"},
    {"Eltwise e 2 1 x0 x1 y", "2 2,3; 2 4,5", "", "2 8,15"},
    {"Eltwise e 3 1 x0 x1 x2 y 0=1", "2 2,3; 2 4,5; 2 1,1", "", "2 7,9"},
    {"Eltwise e 2 1 x0 x1 y 0=1 -23301=2,1.0,-1.0", "2 2,3; 2 4,6", "", "2 -2,-3"},
    {"Eltwise e 2 1 x0 x1 y 0=1 -23301=2,0.5,2.0", "2 2,3; 2 4,6", "", "2 9,13.5"},
    {"Eltwise e 2 1 x0 x1 y 0=2", "2 2,6; 2 4,5", "", "2 4,6"},
    {"BinaryOp b 2 1 x0 x1 y 0=0", "2 1,2; 2 10,20", "", "2 11,22"},
    {"BinaryOp b 2 1 x0 x1 y 0=1", "2 1,2; 2 10,20", "", "2 -9,-18"},
    {"BinaryOp b 2 1 x0 x1 y 0=2", "2 1,2; 2 10,20", "", "2 10,40"},
    {"BinaryOp b 2 1 x0 x1 y 0=3", "2 1,2; 2 10,5", "", "2 0.1,0.4"},
    {"BinaryOp b 2 1 x0 x1 y 0=4", "2 1,9; 2 10,5", "", "2 10,9"},
    {"BinaryOp b 2 1 x0 x1 y 0=5", "2 1,9; 2 10,5", "", "2 1,5"},
    {"BinaryOp b 2 1 x0 x1 y 0=6", "2 2,3; 2 3,2", "", "2 8,9"},
    {"BinaryOp b 2 1 x0 x1 y 0=7", "2 1,2; 2 10,20", "", "2 9,18"},
    {"BinaryOp b 2 1 x0 x1 y 0=8", "2 2,4; 2 10,20", "", "2 5,5"},
    {"BinaryOp b 2 1 x0 x1 y 0=9", "2 2,3; 2 3,2", "", "2 9,8"},
    {"BinaryOp b 1 1 x0 y 0=7 1=1 2=1.0", "2 1,3", "", "2 0,-2"},
    {"BinaryOp b 1 1 x0 y 0=2 1=1 2=3", "2x1 1,3", "", "2x1 3,9"},
    {"BinaryOp b 2 1 x0 x1 y", "2x1x2 1~4; 2 10,20", "", "2x1x2 11,12,23,24"},
    {"BinaryOp b 2 1 x0 x1 y 0=1", "2 10,20; 2x1x2 1~4", "", "2x1x2 9,8,17,16"},
    {"BinaryOp b 2 1 x0 x1 y", "2x2x2 1~8; 2x2 10,20,30,40", "", "2x2x2 11,12,23,24,35,36,47,48"},
    {"BinaryOp b 2 1 x0 x1 y", "2x3 1~6; 3 10,20,30", "", "2x3 11,22,33,14,25,36"},
    {"BinaryOp b 2 1 x0 x1 y", "2x2 1~4; 2 10,20", "", "2x2 11,12,23,24"},
    {"BinaryOp b 2 1 x0 x1 y", "2x1x2 1~4; 1 10", "", "2x1x2 11,12,13,14"},
    {"BinaryOp b 2 1 x0 x1 y", "2x1x2 1~4; 2x1x1 10,20", "", "2x1x2 11,12,23,24"},
    {"BinaryOp b 2 1 x0 x1 y", "2x2x1 1~4; 1x2x3 10,20,30,40,50,60", "",
     "2x2x3 11,21,31,42,52,62,13,23,33,44,54,64"},
    {"MemoryData m 0 1 m 0=2\nBinaryOp b 2 1 m x0 y 0=1", "2 1,2", "f:10,20", "2 9,18"},
    {"MemoryData m 0 1 m 0=2 21=0\nBinaryOp b 2 1 m x0 y 0=1", "2 1,2", "h:10,20", "2 9,18"},
    {"MemoryData m 0 1 m 0=2 1=1 2=2\nReLU r 1 1 m n\nEltwise e 2 1 n x0 y 0=1", "2x1x2 1~4", "f:-1,2,-3,4",
     "2x1x2 1,4,3,8"},
};

static const layer_case shape_cases[] = {
    /* joining and cutting */
    {"Concat c 2 1 x0 x1 y", "1x1x2 1,2; 2x1x2 3~6", "", "3x1x2 1~6"},
    {"Concat c 2 1 x0 x1 y 0=2", "1x1x2 1,2; 1x1x1 3", "", "1x1x3 1~3"},
    {"Concat c 2 1 x0 x1 y 0=-1", "2x1 1,2; 2x2 3~6", "", "2x3 1,3,4,2,5,6"},
    {"Concat c 2 1 x0 x1 y", "2 1,2; 1 3", "", "3 1~3"},
    {"Concat c 1 1 x0 c\nReLU r 1 1 c y", "2 1,2", "", "2 1,2"},
    {"Slice s 1 2 x0 y z -23300=2,-233,-233", "4x1x1 1~4", "", "2x1x1 1,2; 2x1x1 3,4"},
    {"Slice s 1 3 x0 y z u -23300=3,1,-233,-233 1=2", "1x1x5 1~5", "", "1x1x1 1; 1x1x2 2,3; 1x1x2 4,5"},
    {"Slice s 1 2 x0 y z -23300=2,1,2 1=-1", "1x3 1~3", "", "1x1 1; 1x2 2,3"},
    {"Slice s 1 2 x0 y z -23302=1,1", "3 1~3", "", "1 1; 2 2,3"},
    {"Slice s 1 2 x0 y z -23302=2,-1,0", "3 1~3", "", "2 1,2; 1 3"},
    {"Split s 1 2 x0 a b\nReLU r 1 1 a y\nAbsVal v 1 1 b z", "2 -1,2", "", "2 0,2; 2 1,2"},
    {"Noop n 2 2 x0 x1 a b\nBinaryOp e 2 1 a b y", "2 -1,2; 2 1,1", "", "2 0,3"},
    {"Crop c 1 1 x0 y 0=1 3=2", "1x1x4 1~4", "", "1x1x2 2,3"},
    {"Crop c 1 1 x0 y 0=1 1=1 2=0 3=-233 4=-233 5=-233", "1x2x2 1~4", "", "1x1x1 4"},
    {"Crop c 1 1 x0 y 2=1 5=1 3=-233 4=-233", "3x1x1 1~3", "", "1x1x1 2"},
    {"Crop c 1 1 x0 y 0=1 6=1 3=-233", "4 1~4", "", "2 2,3"},
    {"Crop c 1 1 x0 y 0=1 1=-233 2=-233 3=1", "3x1x1 1~3", "", "1x1x1 2"},
    {"Crop c 1 1 x0 y 0=1 1=-233 3=-233", "2x2 1~4", "", "1x2 3,4"},
    {"Crop c 1 1 x0 y 0=1 1=0 2=-233 3=-233 4=1", "2x3x1 1~6", "", "1x2x1 2,3"},
    {"Crop c 1 1 x0 y -23309=1,1 -23310=1,3 -23311=1,0", "4x1x1 1~4", "", "2x1x1 2,3"},
    {"Crop c 1 1 x0 y -23309=2,-2,0 -23310=2,-1,-233 -23311=2,-1,0", "2x3 1~6", "", "2x1 2,5"},
    {"Crop c 1 1 x0 y -23309=1,1 -23310=1,99", "3 1~3", "", "2 2,3"},
    {"Crop c 2 1 x0 x1 y 0=1 1=1", "2x3x3 1~18; 2x2x1 1~4", "", "2x2x1 5,8,14,17"},
    {"Crop c 2 1 x0 x1 y 2=1", "2x1x2 1~4; 1x1x1 1", "", "1x1x1 3"},
    {"Crop c 2 1 x0 x1 y 0=1", "3 1~3; 2 0,0", "", "2 2,3"},
    {"Padding p 1 1 x0 y 0=1 3=1 5=7.0", "1x1x2 1,2", "", "1x2x3 7,7,7,1,2,7"},
    {"Padding p 1 1 x0 y 2=1 3=1 4=1", "1x1x2 1,2", "", "1x1x4 1,1,2,2"},
    {"Padding p 1 1 x0 y 2=1 3=1 4=2", "1x1x2 1,2", "", "1x1x4 2,1,2,1"},
    {"Padding p 1 1 x0 y 7=1 8=1", "1x1x1 5", "", "3x1x1 0,5,0"},
    {"Padding p 1 1 x0 y 2=1", "2 1,2", "", "3 0,1,2"},
    {"Padding p 1 1 x0 y 0=1", "1x2 1,2", "", "2x2 0,0,1,2"},
    {"Padding p 1 1 x0 p\nReLU r 1 1 p y", "1x2 1,2", "", "1x2 1,2"},
    /* shapes */
    {"Reshape r 1 1 x0 y 0=2 1=1 2=3", "6 1~6", "", "3x1x2 1~6"},
    {"Reshape r 1 1 x0 y 0=-1", "2x1x2 1~4", "", "4 1~4"},
    {"Reshape r 1 1 x0 y 0=0 1=-1", "2x2x3 1~12", "", "4x3 1~12"},
    {"Reshape r 1 1 x0 y 0=0 1=0 2=-1", "2x2x3 1~12", "", "2x2x3 1~12"},
    {"Reshape r 1 1 x0 y 0=1 1=-1 2=0", "2x2x3 1~12", "", "2x6x1 1~12"},
    {"Reshape r 1 1 x0 y 0=3 1=2 11=1 2=2", "12 1~12", "", "2x1x2x3 1~12"},
    {"Reshape r 1 1 x0 y 0=-1 3=1", "2x1x2 1~4", "", "4 1,3,2,4"},
    {"Reshape r 1 1 x0 y 0=1 1=2 2=2 3=1", "2x1x2 1~4", "", "2x2x1 1,2,3,4"},
    {"Flatten f 1 1 x0 y", "2x1x2 1~4", "", "4 1~4"},
    {"Squeeze s 1 1 x0 y 0=1 1=1", "2x1x1 1,2", "", "2 1,2"},
    {"Squeeze s 1 1 x0 y 1=1", "2x1x2 1~4", "", "2x2 1~4"},
    {"Squeeze s 1 1 x0 y 2=1", "1x2x2 1~4", "", "2x2 1~4"},
    {"Squeeze s 1 1 x0 y -23303=2,0,-1", "1x2x1 1,2", "", "2 1,2"},
    {"ExpandDims s 1 1 x0 y 1=1", "2 1,2", "", "1x2 1,2"},
    {"ExpandDims s 1 1 x0 y 0=1", "2 1,2", "", "2x1 1,2"},
    {"ExpandDims s 1 1 x0 y 2=1", "2x2 1~4", "", "1x2x2 1~4"},
    {"ExpandDims s 1 1 x0 y -23303=2,0,-1", "2 1,2", "", "1x2x1 1,2"},
    {"Permute p 1 1 x0 y 0=1", "2x3 1~6", "", "3x2 1,4,2,5,3,6"},
    {"Permute p 1 1 x0 y 0=1", "2x2x3 1~12", "", "2x3x2 1,4,2,5,3,6,7,10,8,11,9,12"},
    {"Permute p 1 1 x0 y 0=2", "2x2x1 1~4", "", "2x2x1 1,3,2,4"},
    {"Permute p 1 1 x0 y 0=3", "2x1x3 1~6", "", "1x3x2 1,4,2,5,3,6"},
    {"Permute p 1 1 x0 y 0=4", "2x1x3 1~6", "", "3x2x1 1,4,2,5,3,6"},
    {"Permute p 1 1 x0 y 0=5", "2x3x1 1~6", "", "1x3x2 1,4,2,5,3,6"},
    {"Permute p 1 1 x0 y 0=6", "2x3x1x1 1~6", "", "3x2x1x1 1,4,2,5,3,6"},
    {"Permute p 1 1 x0 p 0=0\nReLU r 1 1 p y", "2x3x1 1~6", "", "2x3x1 1~6"},
    /* along axes */
    {"Softmax s 1 1 x0 y", "2x1x1 0,1.0986123", "", "2x1x1 0.25,0.75"},
    {"Softmax s 1 1 x0 y 0=1 1=1", "1x2 0,1.0986123", "", "1x2 0.25,0.75"},
    {"Softmax s 1 1 x0 y 0=-1 1=1", "1x2 0,1.0986123", "", "1x2 0.25,0.75"},
    {"LRN l 1 1 x0 y 1=3 2=3.0 3=1.0", "3x1x1 1,2,3", "", "3x1x1 0.1666667,0.1333333,0.2142857"},
    {"LRN l 1 1 x0 y 1=1 2=1.0 3=1.0 4=2.0", "1x1x1 2", "", "1x1x1 0.3333333"},
    {"Interp i 1 1 x0 y 0=1 1=2.0 2=2.0", "1x1x2 1,2", "", "1x2x4 1,1,2,2,1,1,2,2"},
    {"Interp i 1 1 x0 y 0=1 3=1 4=3", "1x1x2 1,2", "", "1x1x3 1,1,2"},
    {"Interp i 1 1 x0 y 0=2 1=1.0 2=2.0", "1x1x2 1,2", "", "1x1x4 1,1.25,1.75,2"},
    {"Interp i 1 1 x0 y 0=2 3=1 4=3 6=1", "1x1x2 1,2", "", "1x1x3 1,1.5,2"},
    {"Interp i 2 1 x0 x1 y 0=1 5=1", "1x1x1 1; 2x1x2 1~4", "", "1x1x2 1,1"},
    {"Interp i 1 1 x0 y 0=2 3=1 4=2", "2 1,2", "", "2x1x2 1,1,2,2"},
    {"Interp i 1 1 x0 i 0=2\nReLU r 1 1 i y", "1x1x2 1,2", "", "1x1x2 1,2"},
    {"ShuffleChannel s 1 1 x0 y 0=2", "6x1x1 1~6", "", "6x1x1 1,4,2,5,3,6"},
    {"ShuffleChannel s 1 1 x0 y 0=2 1=1", "6x1x1 1~6", "", "6x1x1 1,3,5,2,4,6"},
    {"Reorg r 1 1 x0 y 0=2", "2x2x2 1~8", "", "8x1x1 1~8"},
    {"Reorg r 1 1 x0 y 0=2 1=1", "2x2x2 1~8", "", "8x1x1 1,5,2,6,3,7,4,8"},
    {"Reorg r 1 1 x0 y 0=2", "1x2x3 1~6", "", "4x1x1 1,2,4,5"},
    {"PixelShuffle p 1 1 x0 y 0=2", "8x1x1 1~8", "", "2x2x2 1~8"},
    {"PixelShuffle p 1 1 x0 y 0=2 1=1", "8x1x1 1~8", "", "2x2x2 1,3,5,7,2,4,6,8"},
    {"Normalize n 1 1 x0 y 1=1 2=0.0 3=1", "2x1x1 3,4", "f:10", "2x1x1 6,8"},
    {"Normalize n 1 1 x0 y 2=0.0 3=2 9=1", "2x1x1 3,4", "f:10,20", "2x1x1 6,16"},
    {"Normalize n 1 1 x0 y 0=1 4=0 1=1 2=0.0 3=1 9=2", "2x1x2 3,4,0,2", "f:1", "2x1x2 0.6,0.8,0,1"},
    {"Normalize n 1 1 x0 y 0=1 1=1 2=75.0 3=1", "2x1x1 3,4", "f:10", "2x1x1 3,4"},
    {"Reduction r 1 1 x0 y 0=0", "2x1x2 1~4", "", "1 10"},
    {"Reduction r 1 1 x0 y 0=3 1=0 -23303=2,1,2 4=1 5=1", "2x1x2 1~4", "", "2x1x1 1.5,3.5"},
    {"Reduction r 1 1 x0 y 0=3 1=0 -23303=2,-1,-2 5=1", "2x1x2 1~4", "", "2 1.5,3.5"},
    {"Reduction r 1 1 x0 y 0=1 2=2.0", "2 -1,2", "", "1 6"},
    {"Reduction r 1 1 x0 y 0=2", "2 -1,2", "", "1 5"},
    {"Reduction r 1 1 x0 y 0=4", "2 -1,2", "", "1 2"},
    {"Reduction r 1 1 x0 y 0=5 4=1", "1x2 -1,2", "", "1x1 -1"},
    {"Reduction r 1 1 x0 y 0=7", "2 -1,2", "", "1 3"},
    {"Reduction r 1 1 x0 y 0=8", "2 -3,4", "", "1 5"},
    {"Reduction r 1 1 x0 y 0=9", "2 1,1", "", "1 0.6931472"},
    {"Reduction r 1 1 x0 y 0=10", "2 0,0", "", "1 0.6931472"},
    {"Cast c 1 1 x0 c 0=1 1=2\nPacking p 1 1 c p 0=4\nDeepCopy d 1 1 p d\nReLU r 1 1 d y", "2 -1,2", "",
     "2 0,2"},
    {"Noop n 0 0", "2 1,2", "", "2 1,2"},
    /* detectors; rows are label, score, xmin, ymin, xmax, ymax */
    {"PriorBox p 1 1 x0 y -23300=1,4.0 7=0 9=10 10=10 13=0.5", "1x1x1 0", "",
     "2x4 0.3,0.3,0.7,0.7,0.1,0.1,0.2,0.2"},
    {"PriorBox p 1 1 x0 y -23300=1,4.0 -23301=1,9.0 -23302=1,4.0 3=0.5 9=10 10=10 13=0.5", "1x1x1 0", "",
     "2x16 0.3,0.3,0.7,0.7,0.2,0.2,0.8,0.8,0.1,0.4,0.9,0.6,0.4,0.1,0.6,0.9,"
     "0.5,0.1,0.2,0.2,0.5,0.1,0.2,0.2,0.5,0.1,0.2,0.2,0.5,0.1,0.2,0.2"},
    {"PriorBox p 2 1 x0 x1 y -23300=1,4.0 8=1 9=-233 10=-233 11=5.0 12=5.0", "1x1x2 0,0; 3x10x20 *0", "",
     "2x8 0,0,0.1,0.2,0.15,0,0.35,0.2,0.1,0.1,0.2,0.2,0.1,0.1,0.2,0.2"},
    {"PriorBox p 1 1 x0 y -23300=2,0.5,0.2 -23302=2,1.0,4.0 9=-233 10=-233 13=0.5", "1x1x1 0", "",
     "12 0.25,0.25,0.75,0.75,0.4,0.4,0.6,0.6,0,0.375,1,0.625"},
    {"DetectionOutput d 3 1 x0 x1 x2 y 0=2 1=0.45 2=10 3=3 4=0.5",
     "8 *0; 4 0.2,0.8,0.1,0.9; 2x8 0,0,0.5,0.5,0.5,0.5,1,1,0.1,0.1,0.2,0.2,0.1,0.1,0.2,0.2", "",
     "3x6 1,0.9,0.5,0.5,1,1,1,0.8,0,0,0.5,0.5,0,0,0,0,0,0"},
    {"DetectionOutput d 3 1 x0 x1 x2 y 0=3 3=4 4=0.2", /* overlaps within a class are dropped, across not */
     "12 1,0,3.4657359,0,0,0,0,0,0,0,0,0; 9 0.1,0.6,0.3,0.1,0.8,0.1,0.9,0.05,0.05; "
     "2x12 0,0,0.4,0.4,0.1,0.1,0.5,0.5,0,0,1,1,0.1,0.1,0.2,0.2,0.1,0.1,0.2,0.2,0.1,0.1,0.2,0.2", "",
     "4x6 1,0.8,0.1,0.1,0.5,0.5,2,0.3,-0.16,0,0.64,0.4,0,0,0,0,0,0,0,0,0,0,0,0"},
    {"DetectionOutput d 3 1 x0 x1 x2 y 0=-233 3=1 4=0.5", "8 *0; 2x2 0.2,0.1,0.8,0.9; 2x4 "
     "0,0,0.5,0.5,0.5,0.5,1,1", "", "1x6 1,0.9,0.5,0.5,1,1"},
    {"Yolov3DetectionOutput d 1 1 x0 y 0=1 1=1 2=0.5 3=0.45 -23304=2,16.0,32.0 -23305=1,0 -23306=1,64.0",
     "6x1x1 0,0,0,0,2,2", "", "1x6 1,0.7758035,0.375,0.25,0.625,0.75"},
    {"Yolov3DetectionOutput d 2 1 x0 x1 y 0=1 1=1 2=0.5 3=0.45 -23304=4,16.0,32.0,8.0,8.0 "
     "-23305=2,1065353216,0 -23306=2,64.0,32.0", "6x1x1 0,0,0,0,2,2; 6x1x2 0,0,0,0,0,0,0,0,-9,3,0,3", "",
     "3x6 1,0.9074023,0.625,0,0.875,1,1,0.7758035,0.4375,0.4375,0.5625,0.5625,0,0,0,0,0,0"},
    {"YoloDetectionOutput d 1 1 x0 y 0=2 1=1 -23304=2,0.5,0.25", "7x1x1 0,0,0,0,2,0,1.0986123", "",
     "1x6 2,0.6605978,0.25,0.375,0.75,0.625"},
};

START_TEST(layers)
{
    check_case(&layer_cases[_i], true);
    check_case(&layer_cases[_i], false);
}
END_TEST

START_TEST(shapes)
{
    check_case(&shape_cases[_i], true);
    check_case(&shape_cases[_i], false);
}
END_TEST

/* Every row of the registry has a case: a layer type that is handled without one fails here. */
START_TEST(registry_is_covered)
{
    static const char *const types[] = {
#define GT_NCNN_LAYER(name, min_bottoms, max_bottoms, min_tops, max_tops, handler, params) #name " ",
#include "src/import/ncnn_layers.inc"
#undef GT_NCNN_LAYER
    };
    for (int t = 0; t < N(types); t++) {
        bool covered = strcmp(types[t], "Input ") == 0; /* in every case */
        for (int i = 0; i < N(layer_cases) + N(shape_cases); i++) {
            const layer_case *c = i < N(layer_cases) ? &layer_cases[i] : &shape_cases[i - N(layer_cases)];
            const char *at = strstr(c->layers, types[t]);
            covered = covered || (at != NULL && (at == c->layers || at[-1] == '\n'));
        }
        ck_assert_msg(covered, "no case for %s", types[t]);
    }
}
END_TEST

/* ---- what is wrong with a file ---- */

typedef struct bad_case {
    const char *text, *weights;
    gt_status status;
    const char *parts; /* what the message holds, by '|' */
} bad_case;

#define HEAD "7767517\n2 2\n"
#define INPUT HEAD "Input in 0 1 x 0=4 1=4 2=2\n"

static const bad_case bad_cases[] = {
    /* the file */
    {"", "", GT_ERROR_FORMAT, "file ends before"},
    {"7767517\n", "", GT_ERROR_FORMAT, "file ends before"},
    {"7767518\n1 1\n", "", GT_ERROR_FORMAT, "line 1|7767518|7767517"},
    {"75 83\nInput data 0 1 data 0=4\n", "", GT_ERROR_FORMAT, "line 1|'75'|ncnn's own tools"},
    {"7767517 1\n1 1\n", "", GT_ERROR_FORMAT, "line 1|'1' stands behind"},
    {"7767517\nx 1\n", "", GT_ERROR_FORMAT, "line 2|number of layers|'x'"},
    {"7767517\n1\n", "", GT_ERROR_FORMAT, "line 2|number of blobs|''"},
    {"7767517\n-1 1\n", "", GT_ERROR_FORMAT, "line 2|number of layers|'-1'"},
    {HEAD, "", GT_ERROR_FORMAT, "no layers"},
    /* layers */
    {HEAD "Input\n", "", GT_ERROR_FORMAT, "line 3|Input|no name"},
    {HEAD "Input in\n", "", GT_ERROR_FORMAT, "line 3|'in' (Input)|number of bottoms"},
    {HEAD "Input in 0 x\n", "", GT_ERROR_FORMAT, "line 3|'in'|number of tops|'x'"},
    {HEAD "Input in 0 99999999999\n", "", GT_ERROR_FORMAT, "line 3|'in'|number of tops|99999999999"},
    {HEAD "Input in 0 2147483647 x\n", "", GT_ERROR_FORMAT, "line 3|'in'|2147483647 tops|only 1"},
    {INPUT "ReLU r 1 1 nope y\n", "", GT_ERROR_FORMAT, "line 4|'r' (ReLU)|'nope'|no layer before"},
    {INPUT "ReLU r 1 1 x x\n", "", GT_ERROR_FORMAT, "line 4|'r'|blob 'x'|in makes already"},
    {INPUT "ReLU r 1 2 x y y\n", "", GT_ERROR_FORMAT, "line 4|'r'|blob 'y'"},
    {INPUT "ReLU r 1 1 y z\nReLU s 1 1 x y\n", "", GT_ERROR_FORMAT, "line 4|'r'|'y'|no layer before"},
    {INPUT "ReLU r 2 1 x x y\n", "", GT_ERROR_FORMAT, "line 4|'r'|2 bottoms|1 to 1"},
    {INPUT "ReLU r 1 2 x y z\n", "", GT_ERROR_FORMAT, "line 4|'r'|2 tops|1 to 1"},
    /* parameters */
    {INPUT "ReLU r 1 1 x y 0\n", "", GT_ERROR_FORMAT, "line 4|'r'|'0' stands|id=value"},
    {INPUT "ReLU r 1 1 x y =1\n", "", GT_ERROR_FORMAT, "line 4|'r'|'=1' stands"},
    {INPUT "ReLU r 1 1 x y 0=\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter 0 is ''"},
    {INPUT "ReLU r 1 1 x y 0=abc\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter 0 is 'abc'"},
    {INPUT "ReLU r 1 1 x y 0=nan\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter 0 is 'nan'"},
    {INPUT "ReLU r 1 1 x y 32=1\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter id 32|0 to 31"},
    {INPUT "ReLU r 1 1 x y -5=1\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter id -5"},
    {INPUT "ReLU r 1 1 x y -23332=1,1\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter id 32"},
    {INPUT "ReLU r 1 1 x y 0=1 0=2\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter 0|twice"},
    {INPUT "ReLU r 1 1 x y -23300=3,1,2\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter 0|'3'|has 2"},
    {INPUT "ReLU r 1 1 x y -23300=-1\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter 0|'-1'"},
    {INPUT "ReLU r 1 1 x y 0=1,2\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter 0 (slope)|array of 2"},
    {INPUT "ReLU r 1 1 x y 7=1\n", "", GT_ERROR_UNSUPPORTED, "line 4|r: ReLU|parameter 7"},
    {INPUT "Concat r 1 1 x y 0=1.5\n", "", GT_ERROR_FORMAT, "line 4|parameter 0 (axis)|1.5|integer"},
    {INPUT "Concat r 1 1 x y 0=\"axis\"\n", "", GT_ERROR_UNSUPPORTED, "parameter 0 (axis)|expression"},
    /* shapes of inputs */
    {HEAD "Input in 0 1 x 0=-4\n", "", GT_ERROR_FORMAT, "line 3|'in'|parameter 0 (w)|-4"},
    {HEAD "Input in 0 1 x 1=4\n", "", GT_ERROR_FORMAT, "line 3|'in'|w 0, h 4"},
    {HEAD "Input in 0 1 x\n", "", GT_ERROR_SHAPE, "line 3|'in'|--shape x=1,C,H,W"},
    {HEAD "Input in 0 1 x 0=2147483647 1=2147483647 2=2147483647\n", "", GT_ERROR_SHAPE, "line 3|'in'"},
    {HEAD "MemoryData m 0 1 x 0=2000000000\n", "", GT_ERROR_FORMAT, "line 3|'m'|data|byte 0|8000000000 "
     "bytes|0 more"},
    {HEAD "MemoryData m 0 1 x 0=2\n", "f:1", GT_ERROR_FORMAT, "data|8 bytes|only 4 more"},
    /* weights */
    {INPUT "Convolution c 1 1 x y 0=1 1=1 6=3\n", "", GT_ERROR_FORMAT, "line 4|'c'|weight_data_size) is "
     "3|need 2"},
    {INPUT "Convolution c 1 1 x y 0=1 1=1 6=2\n", "", GT_ERROR_FORMAT, "weight|byte 0|the flag of 2 weights"},
    {INPUT "Convolution c 1 1 x y 0=1 1=1 6=2\n", "F:1", GT_ERROR_FORMAT,
     "weight|byte 4|8 bytes|only 4 more"},
    {INPUT "Convolution c 1 1 x y 0=1 1=1 6=2\n", "t:", GT_ERROR_FORMAT, "weight|table|1028 bytes|only 1024"},
    {INPUT "Convolution c 1 1 x y 0=1 1=1 6=2\n", "h:", GT_ERROR_FORMAT, "weight|16-bit|4 bytes|only 0"},
    {INPUT "Convolution c 1 1 x y 0=1 1=1 6=2 5=1\n", "F:1,1", GT_ERROR_FORMAT, "'c'|bias|byte 12|4 bytes"},
    {INPUT "Convolution c 1 1 x y 0=1 1=1 6=2 8=1\n", "q:1,1; f:1; f:1", GT_ERROR_UNSUPPORTED,
     "int8|not supported yet|c;"},
    {INPUT "Convolution c 1 1 x y 0=1 1=1 6=2 19=1\n", "", GT_ERROR_UNSUPPORTED,
     "c: Convolution|dynamic_weight"},
    {INPUT "Quantize q 1 1 x y 0=1\n", "", GT_ERROR_UNSUPPORTED, "q: Quantize|int8|not supported yet"},
    {INPUT "Cast q 1 1 x y 0=1 1=3\n", "", GT_ERROR_UNSUPPORTED, "q: Cast|int8|not supported yet"},
    /* layers' own rules */
    {INPUT "Convolution c 1 1 x y 1=1 6=2\n", "", GT_ERROR_FORMAT, "'c'|num_output) is 0, as it is missing"},
    {INPUT "Convolution c 1 1 x y 0=1 1=0 6=2\n", "", GT_ERROR_FORMAT, "parameter 1 (kernel_w) is 0|1 to "
     "1048576"},
    {INPUT "Convolution c 1 1 x y 0=1 1=1 3=0 6=2\n", "", GT_ERROR_FORMAT, "parameter 3 (stride_w) is 0"},
    {INPUT "Convolution c 1 1 x y 0=1 1=1 4=-1 6=2\n", "", GT_ERROR_FORMAT, "pads are -1"},
    {INPUT "Convolution c 1 1 x y 0=1 1=5 6=50\n", "F:*1", GT_ERROR_FORMAT, "weight"},
    {INPUT "Convolution c 1 1 x y 0=1 1=1 6=2 9=7\n", "", GT_ERROR_FORMAT, "activation_type) is 7|0 to 6"},
    {INPUT "Convolution c 1 1 x y 0=1 1=1 6=2 9=3\n", "", GT_ERROR_FORMAT,
     "activation_params|0 elements|needs 2"},
    {INPUT "ConvolutionDepthWise c 1 1 x y 0=3 1=1 6=3 7=3\n", "", GT_ERROR_FORMAT,
     "group) is 3|2 input and 3 output"},
    {INPUT "Deconvolution c 1 1 x y 0=1 1=1 6=2 4=3\n", "", GT_ERROR_FORMAT,
     "pads of 3 and 3|4 elements along H"},
    {INPUT "Deconvolution c 1 1 x y 0=1 1=1 6=2 4=-233\n", "", GT_ERROR_FORMAT, "output_h|0"},
    {INPUT "InnerProduct c 1 1 x y 0=3 2=7\n", "", GT_ERROR_FORMAT, "weight_data_size) is 7|multiple of"},
    {INPUT "InnerProduct c 1 1 x y 0=3 2=6\n", "", GT_ERROR_FORMAT, "2 for each of num_output 3|32 elements"},
    {INPUT "Pooling c 1 1 x y 0=2 1=2\n", "", GT_ERROR_FORMAT, "pooling_type) is 2"},
    {INPUT "Pooling c 1 1 x y\n", "", GT_ERROR_FORMAT, "kernel_w) is 0, as it is missing"},
    {INPUT "Pooling c 1 1 x y 1=9\n", "", GT_ERROR_SHAPE, "window of 9|4 elements along H"},
    {INPUT "Pooling c 1 1 x y 1=1 2=2\n", "", GT_ERROR_UNSUPPORTED, "nothing but padding"},
    {INPUT "Pooling c 1 1 x y 7=1 8=5\n", "", GT_ERROR_FORMAT, "out_h) is 5|1 to 4"},
    {INPUT "BatchNorm c 1 1 x y 0=3\n", "", GT_ERROR_FORMAT, "channels) is 3|2 channels"},
    {INPUT "Scale c 1 1 x y 0=-233\n", "", GT_ERROR_FORMAT, "scale_data_size) is -233 with 1 bottoms"},
    {INPUT "PReLU c 1 1 x y 0=5\n", "", GT_ERROR_FORMAT, "num_slope) is 5|2 channels"},
    {INPUT "PReLU c 1 1 x y 0=0\n", "", GT_ERROR_FORMAT, "num_slope) is 0"},
    {INPUT "UnaryOp c 1 1 x y 0=9\n", "", GT_ERROR_UNSUPPORTED, "op_type) is 9"},
    {INPUT "BinaryOp c 2 1 x x y 0=10\n", "", GT_ERROR_UNSUPPORTED, "op_type) is 10"},
    {INPUT "BinaryOp c 1 1 x y\n", "", GT_ERROR_FORMAT, "1 bottoms|with_scalar"},
    {INPUT "Input i 0 1 z 0=3\nBinaryOp c 2 1 x z y\n", "", GT_ERROR_SHAPE, "1x2x4x4|1x3|broadcast"},
    {INPUT "Input i 0 1 z 0=3\nEltwise c 2 1 x z y\n", "", GT_ERROR_SHAPE, "bottom 1|1x3|1x2x4x4"},
    {INPUT "Eltwise c 2 1 x x y 0=1 -23301=1,2.0\n", "", GT_ERROR_FORMAT, "coeffs) has 1|2 bottoms"},
    {INPUT "Concat c 2 1 x x y 0=3\n", "", GT_ERROR_FORMAT, "axis) is 3|-3 to 2"},
    {INPUT "Input i 0 1 z 0=3\nConcat c 2 1 x z y\n", "", GT_ERROR_SHAPE, "'c'|1x3"},
    {INPUT "Slice c 1 2 x y z -23300=1,1\n", "", GT_ERROR_FORMAT, "slices) has 1|2 tops"},
    {INPUT "Slice c 1 2 x y z -23300=2,1,2\n", "", GT_ERROR_FORMAT, "part 1|2 of the 1"},
    {INPUT "Slice c 1 3 x y z u -23300=3,-233,-233,-233\n", "", GT_ERROR_FORMAT,
     "part 0 would have 0 of the 2"},
    {INPUT "Noop c 1 2 x y z\n", "", GT_ERROR_FORMAT, "1 bottoms and 2 tops"},
    {INPUT "Crop c 1 1 x y 0=5\n", "", GT_ERROR_FORMAT, "-1 elements from 5 on along axis 2, which has 4"},
    {INPUT "Crop c 1 1 x y -23309=1,0\n", "", GT_ERROR_FORMAT, "1, 0 and 0 elements"},
    {INPUT "Padding c 1 1 x y 0=-1\n", "", GT_ERROR_FORMAT, "parameter 0 (top) is -1"},
    {INPUT "Padding c 1 1 x y 2=4 4=2\n", "", GT_ERROR_ARGUMENT, "'c'|before|0 to 3"},
    {INPUT "Padding c 1 1 x y 6=2\n", "", GT_ERROR_UNSUPPORTED, "per_channel_pad_data_size"},
    {INPUT "Reshape c 1 1 x y 0=5\n", "", GT_ERROR_SHAPE, "32 elements cannot be seen as 1x5"},
    {INPUT "Reshape c 1 1 x y 0=-1 1=-1\n", "", GT_ERROR_FORMAT, "both -1"},
    {INPUT "Reshape c 1 1 x y 0=-1 1=5\n", "", GT_ERROR_SHAPE, "no multiple of 5"},
    {INPUT "Reshape c 1 1 x y 0=2147483647 1=2147483647 2=2147483647\n", "", GT_ERROR_LIMIT, "'c'|new shape"},
    {INPUT "Reshape c 1 1 x y\n", "", GT_ERROR_FORMAT, "no dimension"},
    {INPUT "Reshape c 1 1 x y 1=2\n", "", GT_ERROR_FORMAT, "parameter 1 (h)|without"},
    {INPUT "Reshape c 1 1 x y 0=4 6=\"0w\"\n", "", GT_ERROR_UNSUPPORTED, "parameter 6"},
    {INPUT "Permute c 1 1 x y 0=6\n", "", GT_ERROR_FORMAT, "order_type) is 6|0 to 5"},
    {INPUT "ExpandDims c 1 1 x y 0=1 1=1\n", "", GT_ERROR_FORMAT, "3 dimensions|2 more"},
    {INPUT "ExpandDims c 1 1 x y -23303=1,7\n", "", GT_ERROR_FORMAT, "axes) is 7"},
    {INPUT "Softmax c 1 1 x y 0=1\n", "", GT_ERROR_UNSUPPORTED, "fixbug0"},
    {INPUT "Softmax c 1 1 x y 0=-4 1=1\n", "", GT_ERROR_FORMAT, "axis) is -4|-3 to 2"},
    {INPUT "LRN c 1 1 x y 0=1\n", "", GT_ERROR_UNSUPPORTED, "region_type"},
    {INPUT "LRN c 1 1 x y 1=4\n", "", GT_ERROR_UNSUPPORTED, "local_size) is 4"},
    {INPUT "Interp c 1 1 x y 0=3 1=2.0 2=2.0\n", "", GT_ERROR_UNSUPPORTED, "resize_type) is 3"},
    {INPUT "Interp c 1 1 x y 0=1 1=0.0 2=2.0\n", "", GT_ERROR_FORMAT, "height_scale"},
    {INPUT "Interp c 1 1 x y 0=1 1=1.0e30 2=2.0\n", "", GT_ERROR_FORMAT, "height_scale"},
    {INPUT "ShuffleChannel c 1 1 x y 0=3\n", "", GT_ERROR_FORMAT, "group) is 3|2 channels"},
    {INPUT "Reorg c 1 1 x y 0=9\n", "", GT_ERROR_FORMAT, "stride) is 9|4 elements"},
    {INPUT "PixelShuffle c 1 1 x y 0=2\n", "", GT_ERROR_SHAPE, "'c'|block"},
    {INPUT "Normalize c 1 1 x y 3=1\n", "", GT_ERROR_FORMAT, "scale_data_size) is 1; 2"},
    {INPUT "Normalize c 1 1 x y 4=0 3=2\n", "", GT_ERROR_FORMAT, "both 0"},
    {INPUT "Reduction c 1 1 x y 0=6\n", "", GT_ERROR_UNSUPPORTED, "product"},
    {INPUT "Reduction c 1 1 x y 1=0 -23303=1,0\n", "", GT_ERROR_UNSUPPORTED, "fixbug0"},
    {INPUT "PriorBox p 1 1 x y -23300=1,4.0\n", "", GT_ERROR_FORMAT, "image_height) is 0|second bottom"},
    {INPUT "PriorBox p 1 1 x y 9=10 10=10\n", "", GT_ERROR_FORMAT, "min_sizes|0 and 0 elements"},
    {INPUT "PriorBox p 1 1 x y 9=10 10=10 -23300=1,-4.0\n", "", GT_ERROR_FORMAT, "min_sizes) is -4"},
    {HEAD "Input i 0 1 x 0=9000 1=9000 2=1\nPriorBox p 1 1 x y 9=10 10=10 -23300=1,4.0\n", "", GT_ERROR_LIMIT,
     "81000000 prior boxes"},
    {INPUT "Input i 0 1 p 0=8 1=2\nDetectionOutput d 3 1 x x p y 0=2\n", "", GT_ERROR_SHAPE,
     "bottom 1|1x2x4x4|2 prior"},
    {INPUT "DetectionOutput d 3 1 x x x y 0=2\n", "", GT_ERROR_SHAPE, "bottom 2|1x2x4x4|1x2x4P"},
    {INPUT "Input i 0 1 p 0=64 1=2\nDetectionOutput d 3 1 p x p y 0=2\n", "", GT_ERROR_SHAPE,
     "bottom 0|1x2x64"},
    {INPUT "YoloDetectionOutput d 1 1 x y 0=1 1=1\n", "", GT_ERROR_SHAPE, "bottom 0 has 2 channels|needs 6"},
    {HEAD "Input i 0 1 x 0=1 1=1 2=6\nYoloDetectionOutput d 1 1 x y 0=1 1=1\n", "", GT_ERROR_FORMAT,
     "biases) has 0"},
    {HEAD "Input i 0 1 x 0=1 1=1 2=6\nYolov3DetectionOutput d 1 1 x y 0=1 1=1 -23304=2,1.0,1.0\n", "",
     GT_ERROR_FORMAT, "mask, anchors_scale|0 and 0 elements"},
    {INPUT "LSTM a 1 1 x y\nGRU b 1 1 y z\nReLU c 1 1 z u 9=1\nReLU d 1 1 u v\n", "", GT_ERROR_UNSUPPORTED,
     "3 of 5 layers|line 4: a: LSTM|line 5: b: GRU|line 6: c: ReLU: parameter 9"},
    {INPUT "LSTM a 1 1 x y\nConvolution c 1 1 x z 0=1 1=1 6=2\n", "", GT_ERROR_UNSUPPORTED,
     "1 of 3 layers|a: LSTM"},
};

static void check_message(const char *what, const char *parts)
{
    const char *message = gt_error_message();
    char part[256];
    while (parts != NULL && *parts != '\0') {
        const char *bar = strchr(parts, '|');
        snprintf(part, sizeof part, "%.*s", (int)(bar != NULL ? bar - parts : (long)strlen(parts)), parts);
        ck_assert_msg(strstr(message, part) != NULL, "%s: \"%s\" lacks \"%s\"", what, message, part);
        parts = bar != NULL ? bar + 1 : NULL;
    }
}

START_TEST(malformed)
{
    const bad_case *c = &bad_cases[_i];
    gt_graph *g = NULL;
    write_param(c->text);
    write_weights(c->weights);
    int64_t live = gt_i_live_allocations();
    gt_status status = gt_import_file(&g, param_path, NULL);
    ck_assert_msg(status == c->status, "%s: %s: %s", c->text, gt_status_name(status), gt_error_message());
    ck_assert_ptr_null(g);
    check_message(c->text, param_path);
    check_message(c->text, c->parts);
    ck_assert_int_eq(gt_i_live_allocations(), live);
}
END_TEST

/* ---- a small network for what follows ---- */

static const char small_text[] =
    "7767517\n14 16\n"
    "Input in 0 1 data 0=6 1=6 2=2\n"
    "Convolution conv 1 1 data a 0=4 1=3 4=1 5=1 6=72 9=2 -23310=1,1.000000e-01\n"
    "Split s 1 2 a a0 a1\n"
    "BatchNorm bn 1 1 a0 b 0=4 1=0.001\n"
    "ReLU relu 1 1 b c\n"
    "ShuffleChannel sh 1 1 c d 0=2\n"
    "Eltwise add 2 1 d a1 e 0=1 -23301=2,1.0,0.5\n"
    "Slice sl 1 2 e f0 f1 -23300=2,-233,-233\n"
    "Pooling p 1 1 f0 g 1=2 2=2\n"
    "Interp up 1 1 g h 0=1 1=2.0 2=2.0\n"
    "Concat cat 2 1 h f1 i\n"
    "Permute pm 1 1 i j 0=5\n"
    "InnerProduct fc 1 1 j k 0=3 1=1 2=432\n"
    "Softmax out 1 1 k prob\n";

static void write_small(void)
{
    gt_text bytes = {0};
    char spec[6000];
    gt_rng rng;
    const struct {
        char kind;
        int n;
    } parts[] = {{'h', 72}, {'f', 4}, {'f', 4}, {'f', 4}, {'f', 4}, {'f', 4}, {'F', 432}, {'f', 3}};
    gt_rng_seed(&rng, 7);
    for (int i = 0; i < N(parts); i++) {
        int length = snprintf(spec, sizeof spec, "%c:", parts[i].kind);
        for (int k = 0; k < parts[i].n; k++) {
            length += snprintf(spec + length, sizeof spec - (size_t)length, "%.3f,",
                               (double)gt_rng_uniform(&rng, i == 4 ? 0.5f : -1, 1));
        }
        spec[length - 1] = '\0';
        add_weights(&bytes, spec);
    }
    write_param(small_text);
    ok(gt_file_replace(bin_path, bytes.data, bytes.length));
    gt_text_destroy(&bytes);
}

/* The outputs of the small network for one fixed input. */
static void small_outputs(float *out, const char *path, const gt_import_options *options)
{
    static float x[72];
    const float *inputs[1] = {x};
    gt_graph *g = NULL;
    gt_rng rng;
    gt_rng_seed(&rng, 3);
    gt_rng_fill(&rng, x, 72, -1, 1);
    ok(gt_import_file(&g, path, options));
    ck_assert_int_eq(g->n_inputs, 1);
    ck_assert_int_eq(g->n_outputs, 1);
    ck_assert_int_eq(g->n_source_ops, 14);
    void **data = run(g, inputs);
    memcpy(out, data[g->outputs[0]], 3 * sizeof *out);
    free_run(g, data);
    gt_graph_destroy(g);
}

START_TEST(small_network)
{
    float a[3];
    float b[3];
    gt_graph *g = NULL;
    const gt_import_options source = {.keep_source_form = true};
    write_small();
    small_outputs(a, param_path, NULL);
    small_outputs(b, param_path, &source);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_le(fabs((double)a[i] - (double)b[i]), 1e-6);
    }
    ck_assert_double_le(fabs((double)a[0] + (double)a[1] + (double)a[2] - 1), 1e-6);
    ok(gt_import_file(&g, param_path, &source));
    ck_assert_str_eq(g->name, "net");
    ck_assert_str_eq(g->output_names[0], "prob");
    ck_assert_int_ge(gt_graph_find_tensor(g, "data"), 0);
    ck_assert_int_ge(gt_graph_find_op(g, "conv"), 0);
    ck_assert_int_eq(g->ops[gt_graph_find_op(g, "conv")].epilogue.act, GT_FN_LEAKY_RELU);
    ck_assert_int_ge(gt_graph_find_tensor(g, "conv/weight"), 0);
    gt_graph_destroy(g);
}
END_TEST

/* ---- the binary form ---- */

static void add_word(gt_text *out, int64_t value)
{
    add_bytes(out, &(int32_t){(int32_t)value}, 4);
}

static int type_number(const char *type)
{
    int number = 0;
    while (gt_ncnn_type_name(number) != NULL && strcmp(gt_ncnn_type_name(number), type) != 0) {
        number++;
    }
    return number;
}

/* What ncnn's ncnn2mem makes of a text file. */
static void write_binary(const char *path, const char *text)
{
    gt_ncnn_model *m = NULL;
    gt_text out = {0};
    ok(gt_ncnn_parse(&m, text, strlen(text)));
    add_word(&out, GT_NCNN_MAGIC);
    add_word(&out, m->n_layers);
    add_word(&out, m->n_blobs);
    for (int i = 0; i < m->n_layers; i++) {
        const gt_ncnn_layer *l = &m->layers[i];
        add_word(&out, type_number(l->type));
        add_word(&out, l->n_bottoms);
        add_word(&out, l->n_tops);
        for (int k = 0; k < l->n_bottoms; k++) {
            add_word(&out, l->bottoms[k]);
        }
        for (int k = 0; k < l->n_tops; k++) {
            add_word(&out, l->tops[k]);
        }
        for (int k = 0; k < l->n_params; k++) {
            const gt_ncnn_param *p = &l->params[k];
            add_word(&out, p->array ? -23300 - p->id : p->id);
            if (p->array) {
                add_word(&out, p->count);
            }
            for (int64_t j = 0; j < p->count; j++) {
                add_bytes(&out, &p->numbers[j].bits, 4);
            }
        }
        add_word(&out, -233);
    }
    ok(gt_file_replace(path, out.data, out.length));
    gt_text_destroy(&out);
    gt_ncnn_model_destroy(m);
}

static void binary_path(char *path, size_t bytes)
{
    snprintf(path, bytes, "%s/net.param.bin", folder);
}

START_TEST(binary_equals_text)
{
    char path[1100];
    float a[3];
    float b[3];
    binary_path(path, sizeof path);
    write_small();
    write_binary(path, small_text);
    small_outputs(a, param_path, NULL);
    small_outputs(b, path, NULL);
    ck_assert_mem_eq(a, b, sizeof a);
}
END_TEST

/* Every case of a layer that ncnn numbers reads the same from both forms. */
START_TEST(binary_cases)
{
    static literal in[8];
    char path[1100];
    char *text = NULL;
    size_t bytes = 0;
    gt_graph *a = NULL;
    gt_graph *b = NULL;
    const layer_case *c = _i < N(layer_cases) ? &layer_cases[_i] : &shape_cases[_i - N(layer_cases)];
    binary_path(path, sizeof path);
    write_case(c, in);
    ok(gt_file_read(&text, &bytes, param_path));
    write_binary(path, text);
    gt_free(text);
    ok(gt_import_file(&a, param_path, NULL));
    gt_status status = gt_import_file(&b, path, NULL);
    ck_assert_msg(status == GT_OK, "%s: %s", c->layers, gt_error_message());
    ck_assert_int_eq(a->n_ops, b->n_ops);
    for (int i = 0; i < a->n_ops; i++) {
        ck_assert_str_eq(a->ops[i].workload->key, b->ops[i].workload->key);
    }
    gt_graph_destroy(a);
    gt_graph_destroy(b);
}
END_TEST

typedef struct bad_words {
    int32_t words[16];
    int n, bytes; /* bytes: instead of all of the words */
    const char *parts;
} bad_words;

static const bad_words bad_binaries[] = {
    {{GT_NCNN_MAGIC}, 1, 0, "byte 4: the file ends|number of layers"},
    {{GT_NCNN_MAGIC, 1, 1}, 3, 6, "byte 4: the file ends"},
    {{GT_NCNN_MAGIC, 2000000000, 1}, 3, 0, "byte 4|number of layers is 2000000000|0 to 0"},
    {{GT_NCNN_MAGIC, -1, 1}, 3, 0, "byte 4|number of layers is -1"},
    {{GT_NCNN_MAGIC, 1, 99, 16, 0, 1, 0, -233}, 8, 0, "byte 8|number of blobs is 99|0 to 5"},
    {{GT_NCNN_MAGIC, 0, 0}, 3, 0, "no layers"},
    {{GT_NCNN_MAGIC, 1, 1, 16, 0, 1, 1, -233}, 8, 0, "byte 12|layer_0|byte 24: top 0 is blob 1; 0 to 0"},
    {{GT_NCNN_MAGIC, 1, 1, 16, 1, 1, 0, 0, -233}, 9, 0, "byte 12|layer_0|'blob_0', which no layer before"},
    {{GT_NCNN_MAGIC, 1, 1, 16, 5000, 1, 0, 0, -233}, 9, 0, "byte 16|number of bottoms is 5000|0 to 4"},
    {{GT_NCNN_MAGIC, 1, 1, 16, 0, 1, 0, 0}, 8, 0, "'layer_0' (Input)|byte 32: the file ends|value"},
    {{GT_NCNN_MAGIC, 1, 1, 16, 0, 1, 0, 50, 1, -233}, 10, 0, "'layer_0'|byte 28|parameter id 50"},
    {{GT_NCNN_MAGIC, 1, 1, 16, 0, 1, 0, -23300, 2000000000}, 9, 0, "'layer_0'|byte 32|elements is "
     "2000000000"},
    {{GT_NCNN_MAGIC, 1, 1, 16, 0, 1, 0, -23300, -1, -233}, 10, 0, "'layer_0'|byte 32|elements is -1"},
    {{GT_NCNN_MAGIC, 1, 1, 16, 0, 1, 0, -233, 7}, 9, 0, "byte 32: 4 bytes follow"},
    {{GT_NCNN_MAGIC, 1, 1, 9999, 0, 1, 0, -233}, 8, 0, "byte 12: layer_0: #9999: this layer type"},
};

START_TEST(malformed_binary)
{
    const bad_words *c = &bad_binaries[_i];
    char path[1100];
    gt_graph *g = NULL;
    binary_path(path, sizeof path);
    ok(gt_file_replace(path, c->words, c->bytes > 0 ? (size_t)c->bytes : (size_t)c->n * 4));
    write_weights("");
    gt_status status = gt_import_file(&g, path, NULL);
    ck_assert_int_ne(status, GT_OK);
    check_message("binary", path);
    check_message("binary", c->parts);
}
END_TEST

/* ---- options ---- */

START_TEST(input_shapes)
{
    char name[] = "x";
    char other[] = "y";
    char only[] = "";
    gt_graph *g = NULL;
    gt_import_shape shape = {name, {4, {1, 2, 5, 7}}};
    gt_import_options options = {.n_shapes = 1, .shapes = &shape};
    write_weights("");
    write_param(HEAD "Input in 0 1 x\nReLU r 1 1 x y\n");
    ok(gt_import_file(&g, param_path, &options));
    ck_assert_int_eq(g->tensors[g->outputs[0]].shape.dim[3], 7);
    gt_graph_destroy(g);
    shape.name = only;
    ok(gt_import_file(&g, param_path, &options));
    gt_graph_destroy(g);
    g = NULL;
    shape.name = other;
    ck_assert_int_eq(gt_import_file(&g, param_path, &options), GT_ERROR_SHAPE);
    write_param(INPUT "ReLU r 1 1 x y\n");
    ck_assert_int_eq(gt_import_file(&g, param_path, &options), GT_ERROR_NOT_FOUND);
    check_message("name", "'y'|no input|'x'");
    shape.name = name; /* another size than the file's */
    ok(gt_import_file(&g, param_path, &options));
    ck_assert_int_eq(g->tensors[g->outputs[0]].shape.dim[2], 5);
    gt_graph_destroy(g);
    g = NULL;
    shape.shape = (gt_shape){4, {2, 2, 5, 7}};
    ck_assert_int_eq(gt_import_file(&g, param_path, &options), GT_ERROR_SHAPE);
    check_message("batch", "'x' is 2x2x5x7|a 1 (the batch");
    write_param(HEAD "Input a 0 1 x\nInput b 0 1 y\nBinaryOp o 2 1 x y z\n");
    shape = (gt_import_shape){only, {2, {1, 3}}};
    ck_assert_int_eq(gt_import_file(&g, param_path, &options), GT_ERROR_SHAPE);
    check_message("several", "several inputs|--shape y");
    /* The shape hint of ncnn's own tools. */
    write_param(HEAD "Input in 0 1 x -23330=4,3,7,5,2\nReLU r 1 1 x y\n");
    ok(gt_import_file(&g, param_path, NULL));
    ck_assert_int_eq(g->tensors[g->outputs[0]].shape.dim[1], 2);
    ck_assert_int_eq(g->tensors[g->outputs[0]].shape.dim[3], 7);
    gt_graph_destroy(g);
}
END_TEST

START_TEST(missing_and_other_weights)
{
    char path[1100];
    float a[3];
    float b[3];
    gt_graph *g = NULL;
    write_small();
    small_outputs(a, param_path, NULL);
    snprintf(path, sizeof path, "%s/other.bin", folder);
    ck_assert_int_eq(rename(bin_path, path), 0);
    ck_assert_int_eq(gt_import_file(&g, param_path, NULL), GT_ERROR_NOT_FOUND);
    check_message("missing", "line 4|'conv'|net.bin|--weights|--random-weights");
    const gt_import_options options = {.weights_path = path};
    small_outputs(b, param_path, &options);
    ck_assert_mem_eq(a, b, sizeof a);
    unlink(path);
    ck_assert_int_eq(gt_import_file(&g, param_path, &options), GT_ERROR_IO);
}
END_TEST

static const float *constant_of(const gt_graph *g, const char *name)
{
    int t = gt_graph_find_tensor(g, name);
    ck_assert_int_ge(t, 0);
    return g->tensors[t].data;
}

START_TEST(random_weights)
{
    gt_import_options options = {.random_weights = true, .random_seed = 5, .keep_source_form = true};
    gt_graph *g[3] = {NULL};
    write_small();
    unlink(bin_path);
    ok(gt_import_file(&g[0], param_path, &options));
    ok(gt_import_file(&g[1], param_path, &options));
    options.random_seed = 6;
    ok(gt_import_file(&g[2], param_path, &options));
    const float *a = constant_of(g[0], "fc/weight");
    ck_assert_mem_eq(a, constant_of(g[1], "fc/weight"), 432 * sizeof *a);
    ck_assert_mem_ne(a, constant_of(g[2], "fc/weight"), 432 * sizeof *a);
    ck_assert_mem_ne(a, constant_of(g[0], "conv/weight"), 72 * sizeof *a);
    double square = 0;
    for (int i = 0; i < 432; i++) {
        square += (double)a[i] * (double)a[i];
    }
    ck_assert_double_le(fabs(square / 432 / (2.0 / 144) - 1), 0.25); /* He: variance 2 / fan-in */
    for (int i = 0; i < 3; i++) {
        gt_graph_destroy(g[i]);
    }
}
END_TEST

/* Counts that are wrong in the header and bytes left over in the weights are notes, not errors. */
START_TEST(notes)
{
    char path[1100];
    char *text = NULL;
    size_t bytes = 0;
    gt_graph *g = NULL;
    snprintf(path, sizeof path, "%s/stderr", folder);
    write_param("7767517\n9 8\nInput in 0 1 x 0=2\nReLU r 1 1 x y\n");
    write_weights("f:1,2");
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    ck_assert_ptr_nonnull(freopen(path, "w", stderr));
    gt_status status = gt_import_file(&g, param_path, NULL);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    ok(status);
    gt_graph_destroy(g);
    ok(gt_file_read(&text, &bytes, path));
    ck_assert_ptr_nonnull(strstr(text, "graphtune: note: "));
    ck_assert_ptr_nonnull(strstr(text, "the header states 9 layers; there are 2"));
    ck_assert_ptr_nonnull(strstr(text, "the header states 8 blobs; there are 2"));
    ck_assert_ptr_nonnull(strstr(text, "8 of the 8 bytes"));
    gt_free(text);
}
END_TEST

START_TEST(int8_networks)
{
    gt_text text = {0};
    gt_text weights = {0};
    gt_graph *g = NULL;
    ok(gt_text_append(&text, "%s", INPUT));
    for (int i = 0; i < 10; i++) {
        ok(gt_text_append(&text, "Convolution q%d 1 1 %s%d y%d 0=2 1=1 6=4 8=2\n", i, i > 0 ? "y" : "x",
                          i - 1, i));
        ok(gt_text_append(&weights, "%sq:1,2,3,4; f:1,1; f:1", i > 0 ? "; " : ""));
    }
    /* The first one reads x. */
    char *first = strstr(text.data, "x-1");
    memcpy(first, "x  ", 3);
    write_param(text.data);
    write_weights(weights.data);
    ck_assert_int_eq(gt_import_file(&g, param_path, NULL), GT_ERROR_UNSUPPORTED);
    check_message("int8", "10 layers have int8 weights|not supported yet|q0, q1|q7, ...|convert the float "
                  "model");
    gt_text_destroy(&text);
    gt_text_destroy(&weights);
}
END_TEST

/* ---- hostile files ---- */

static void silence(void)
{
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
}

static void flip_bytes(const char *path, int rounds)
{
    char *data = NULL;
    size_t bytes = 0;
    gt_rng rng;
    ok(gt_file_read(&data, &bytes, path));
    gt_rng_seed(&rng, 11);
    for (int i = 0; i < rounds; i++) {
        gt_graph *g = NULL;
        size_t at = (size_t)gt_rng_below(&rng, (int64_t)bytes);
        char kept = data[at];
        data[at] = (char)(gt_rng_below(&rng, 2) == 0 ? gt_rng_u64(&rng)
                          : (uint64_t)kept ^ 1u << gt_rng_below(&rng, 8));
        size_t length = gt_rng_below(&rng, 8) == 0 ? (size_t)gt_rng_below(&rng, (int64_t)bytes) : bytes;
        ok(gt_file_replace(path, data, length));
        int64_t live = gt_i_live_allocations();
        gt_status status = gt_import_file(&g, path, NULL);
        ck_assert_int_ne(status, GT_ERROR_INTERNAL);
        ck_assert_int_ne(status, GT_ERROR_MEMORY);
        gt_graph_destroy(g);
        ck_assert_int_eq(gt_i_live_allocations(), live);
        data[at] = kept;
    }
    ok(gt_file_replace(path, data, bytes));
    gt_free(data);
}

START_TEST(flipped_bytes)
{
    char path[1100];
    binary_path(path, sizeof path);
    silence();
    write_small();
    write_binary(path, small_text);
    flip_bytes(param_path, 1500);
    flip_bytes(path, 1500);
    flip_bytes(bin_path, 200);
}
END_TEST

/* Imports what must be either right or refused with a message. */
static void import_anything(const char *what)
{
    gt_graph *g = NULL;
    int64_t live = gt_i_live_allocations();
    gt_status status = gt_import_file(&g, param_path, NULL);
    ck_assert_msg(status != GT_ERROR_INTERNAL && status != GT_ERROR_MEMORY, "%s: %s: %s", what,
                  gt_status_name(status), gt_error_message());
    gt_graph_destroy(g);
    ck_assert_msg(gt_i_live_allocations() == live, "%s: leak", what);
}

/* Every number behind '=' or ',' of every case becomes one that nobody expects. */
START_TEST(odd_numbers)
{
    static const char *const odd[] = {"0", "-1", "1", "2", "-233", "-234", "7", "1048576", "1048577", "2147483647",
                                      "-2147483648", "4294967295", "0.5", "-1e30", "3e38", "1e-40"};
    static literal in[8];
    char *text = NULL;
    size_t bytes = 0;
    gt_text changed = {0};
    silence();
    const layer_case *c = _i < N(layer_cases) ? &layer_cases[_i] : &shape_cases[_i - N(layer_cases)];
    write_case(c, in);
    ok(gt_file_read(&text, &bytes, param_path));
    for (size_t at = strcspn(text, "=,"); at < bytes; at += 1 + strcspn(text + at + 1, "=,")) {
        size_t rest = at + 1 + strcspn(text + at + 1, ",= \n");
        for (int k = 0; k < N(odd); k++) {
            ok(gt_text_append(&changed, "%.*s%s%s", (int)at + 1, text, odd[k], text + rest));
            write_param(changed.data);
            import_anything(changed.data);
            gt_text_destroy(&changed);
            changed = (gt_text){0};
        }
    }
    gt_free(text);
}
END_TEST

START_TEST(failing_allocations)
{
    char path[1100];
    binary_path(path, sizeof path);
    silence();
    write_small();
    write_binary(path, small_text);
    for (int form = 0; form < 2; form++) {
        gt_graph *g = NULL;
        gt_status status = GT_ERROR_MEMORY;
        int64_t live = gt_i_live_allocations();
        int64_t k = 0;
        for (; status != GT_OK; k++) {
            ck_assert_int_lt(k, 100000);
            gt_i_fail_allocation(k);
            status = gt_import_file(&g, form == 0 ? param_path : path, NULL);
            gt_i_fail_allocation(-1);
            if (status != GT_OK) {
                ck_assert_msg(status == GT_ERROR_MEMORY, "allocation %lld: %s: %s", (long long)k,
                              gt_status_name(status), gt_error_message());
                ck_assert_ptr_null(g);
                ck_assert_int_eq(gt_i_live_allocations(), live);
            }
        }
        ck_assert_int_gt(k, 100);
        gt_graph_destroy(g);
        ck_assert_int_eq(gt_i_live_allocations(), live);
    }
}
END_TEST

/* ---- fixtures ---- */

/* Files as they lie in a folder: a network in both forms beside its weights, and a detector without any. */
static const char *fixture(const char *name)
{
    static char path[2048];
    const char *top = getenv("GT_TOP_SRCDIR");
    top = top != NULL ? top : getenv("srcdir");
    snprintf(path, sizeof path, "%s/tests/fixtures/ncnn/%s", top != NULL ? top : ".", name);
    return path;
}

START_TEST(fixtures_in_both_forms)
{
    float a[3];
    float b[3];
    small_outputs(a, fixture("small.param"), NULL);
    small_outputs(b, fixture("small.param.bin"), NULL);
    ck_assert_mem_eq(a, b, sizeof a);
}
END_TEST

/* A whole SSD: its priors are folded, its rows are boxes by descending score and zeros below. */
START_TEST(ssd)
{
    static float x[3 * 32 * 32];
    const gt_import_options options = {.random_weights = true, .random_seed = 3};
    gt_graph *g = NULL;
    gt_rng rng;
    gt_rng_seed(&rng, 1);
    gt_rng_fill(&rng, x, N(x), -1, 1);
    ok(gt_import_file(&g, fixture("ssd.param"), &options));
    void **data = run(g, (const float *[]){x});
    const float *rows = data[g->outputs[0]];
    int n = 0;
    for (; n < 20 && rows[6 * n] > 0; n++) {
        const float *r = rows + 6 * n;
        ck_assert(r[0] == 1 || r[0] == 2);
        ck_assert(r[1] > 0.1f && r[1] <= 1 && (n == 0 || r[1] <= r[-5]) && r[2] < r[4] && r[3] < r[5]);
    }
    ck_assert_int_gt(n, 0);
    for (int i = 6 * n; i < 20 * 6; i++) {
        ck_assert(rows[i] == 0);
    }
    free_run(g, data);
    gt_graph_destroy(g);
}
END_TEST

/* ---- real networks ---- */

static char models_dir[1024];

static bool find_models(void)
{
    const char *dir = getenv("GT_MODELS_DIR");
    const char *top = getenv("GT_TOP_SRCDIR");
    bool relative = dir != NULL && dir[0] != '/' && top != NULL;
    if (dir == NULL || dir[0] == '\0') {
        return false;
    }
    snprintf(models_dir, sizeof models_dir, "%s%s%s", relative ? top : "", relative ? "/" : "", dir);
    return access(models_dir, R_OK) == 0;
}

/* A file of the models' folder. */
static const char *model_file(const char *name)
{
    static char path[2048];
    snprintf(path, sizeof path, "%s/%s", models_dir, name);
    return path;
}

/* A weight as ncnn's converter stores it: with the excess digits of its 16-bit form cut off. */
static float cut_to_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 23 & 0xff) - 127;
    int gone = exponent >= -14 ? 13 : 13 - 14 - exponent;
    bits &= gone <= 23 ? ~0u << gone : 0x80000000u;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void cut_weights(gt_graph *g)
{
    for (int t = 0; t < g->n_tensors; t++) {
        float *data = g->tensors[t].shape.rank == 4 ? g->tensors[t].data : NULL;
        for (int64_t i = 0; data != NULL && i < gt_shape_elems(&g->tensors[t].shape); i++) {
            data[i] = cut_to_half(data[i]);
        }
    }
}

/* The .onnx with weights cut to 16 bits is the .param; both are near the .onnx as it is. */
START_TEST(fastestdet_in_both_formats)
{
    char name[] = "input.1";
    gt_npy in = {0};
    gt_npy golden = {0};
    const gt_import_shape shape = {name, {4, {1, 3, 352, 352}}};
    const gt_import_options options = {.n_shapes = 1, .shapes = &shape};
    gt_graph *a = NULL;
    gt_graph *b = NULL;
    ok(gt_npy_read(&in, model_file("golden/fastestdet/input_0.npy")));
    ok(gt_npy_read(&golden, model_file("golden/fastestdet/output_0.npy")));
    ok(gt_import_file(&a, model_file("ncnn/fastestdet.param"), &options));
    ok(gt_import_file(&b, model_file("onnx/fastestdet.onnx"), NULL));
    cut_weights(b);
    const float *inputs[1] = {in.data};
    void **x = run(a, inputs);
    void **y = run(b, inputs);
    const float *got = x[a->outputs[0]];
    const float *twin = y[b->outputs[0]];
    const float *want = golden.data;
    double square = 0;
    double total = 0;
    ck_assert_int_eq(gt_shape_elems(&a->tensors[a->outputs[0]].shape), golden.elems);
    for (int64_t i = 0; i < golden.elems; i++) {
        ck_assert_double_le(fabs((double)got[i] - (double)twin[i]), 1e-4);
        square += pow((double)got[i] - (double)want[i], 2);
        total += pow((double)want[i], 2);
    }
    ck_assert_double_le(sqrt(square / total), 0.02);
    free_run(a, x);
    free_run(b, y);
    gt_graph_destroy(a);
    gt_graph_destroy(b);
    gt_npy_destroy(&in);
    gt_npy_destroy(&golden);
}
END_TEST

/* Runs to detections: a picture that is no photograph may hold none at 0.55, so the threshold is lowered
 * to what a few boxes of any picture reach. Every row must be a box, by descending score, and the rest
 * zeros. */
START_TEST(yolo_fastest)
{
    gt_graph *g = NULL;
    float *x = NULL;
    gt_rng rng;
    ok(gt_import_file(&g, model_file("ncnn/yolo-fastest-1.1.param"), NULL));
    ck_assert_int_eq(g->n_inputs, 1);
    ck_assert_int_eq(g->n_outputs, 1);
    ck_assert_str_eq(g->output_names[0], "output");
    const gt_shape want = {3, {1, 1500, 6}}; /* 3 boxes in each of 10x10 and 20x20 cells */
    ck_assert(gt_shape_equal(&g->tensors[g->outputs[0]].shape, &want));
    for (int i = 0; i < g->n_ops; i++) {
        if (g->ops[i].kind == GT_OP_YOLO_DETECTION_OUTPUT) {
            g->ops[i].workload->attrs.detection.confidence = 0.001f;
        }
    }
    ok(gt_calloc(&x, 3 * 320 * 320, sizeof *x));
    gt_rng_seed(&rng, 1);
    for (int i = 0; i < 3 * 320 * 320; i++) { /* blocks of colour */
        x[i] = (float)((i / 40 * 7 + i / (320 * 40) * 3) % 11) / 11 + 0.05f * gt_rng_normal(&rng);
    }
    void **data = run(g, (const float *[]){x});
    const float *rows = data[g->outputs[0]];
    int n = 0;
    for (; n < 1500 && rows[6 * n] > 0; n++) {
        const float *r = rows + 6 * n;
        ck_assert(r[0] >= 1 && r[0] <= 80 && r[0] == floorf(r[0]));
        ck_assert(r[1] >= 0.001f && r[1] <= 1 && (n == 0 || r[1] <= r[-5]));
        ck_assert(r[2] < r[4] && r[3] < r[5] && r[2] < 1 && r[4] > 0);
    }
    ck_assert_int_gt(n, 0);
    for (int i = 6 * n; i < 1500 * 6; i++) {
        ck_assert(rows[i] == 0);
    }
    free_run(g, data);
    gt_free(x);
    gt_graph_destroy(g);
}
END_TEST

/* The structures that ncnn's benchmark uses, without weights. */
START_TEST(benchmark_structures)
{
    static const struct {
        const char *file;
        int64_t convs, macs;
    } nets[] = {{"ncnn/resnet18.param", 21, 1814}, {"ncnn/mobilenet_v2.param", 53, 300},
                {"ncnn/shufflenet_v2.param", 56, 144}, {"ncnn/vgg16.param", 13, 15470}};
    gt_graph *g = NULL;
    const gt_import_options options = {.random_weights = true, .random_seed = 1};
    ok(gt_import_file(&g, model_file(nets[_i].file), &options));
    int64_t macs = 0;
    int64_t convs = 0;
    for (int i = 0; i < g->n_ops; i++) {
        macs += gt_workload_macs(g->ops[i].workload);
        convs += g->ops[i].kind == GT_OP_CONV2D;
    }
    ck_assert_int_eq(g->n_outputs, 1);
    ck_assert_int_eq(gt_shape_elems(&g->tensors[g->outputs[0]].shape), 1000);
    ck_assert_int_eq(convs, nets[_i].convs);
    ck_assert_msg(llabs(macs / 1000000 - nets[_i].macs) * 20 <= nets[_i].macs, "%s: %lld MACs", nets[_i].file,
                  (long long)macs);
    gt_graph_destroy(g);
}
END_TEST

static void add_tests(Suite *suite)
{
    TCase *cases = tcase_create("layers");
    tcase_add_loop_test(cases, layers, 0, N(layer_cases));
    tcase_add_loop_test(cases, shapes, 0, N(shape_cases));
    tcase_add_test(cases, registry_is_covered);
    suite_add_tcase(suite, cases);
    TCase *bad = tcase_create("malformed files");
    tcase_add_loop_test(bad, malformed, 0, N(bad_cases));
    tcase_add_loop_test(bad, malformed_binary, 0, N(bad_binaries));
    tcase_add_test(bad, int8_networks);
    suite_add_tcase(suite, bad);
    TCase *files = tcase_create("files");
    tcase_add_test(files, small_network);
    tcase_add_test(files, binary_equals_text);
    tcase_add_loop_test(files, binary_cases, 0, N(layer_cases) + N(shape_cases));
    tcase_add_test(files, input_shapes);
    tcase_add_test(files, missing_and_other_weights);
    tcase_add_test(files, random_weights);
    tcase_add_test(files, notes);
    tcase_add_test(files, fixtures_in_both_forms);
    tcase_add_test(files, ssd);
    suite_add_tcase(suite, files);
    TCase *hostile = tcase_create("hostile files");
    tcase_set_timeout(hostile, 120);
    tcase_add_test(hostile, flipped_bytes);
    tcase_add_loop_test(hostile, odd_numbers, 0, N(layer_cases) + N(shape_cases));
    tcase_add_test(hostile, failing_allocations);
    suite_add_tcase(suite, hostile);
    if (!find_models()) {
        printf("skipped: no models (set GT_MODELS_DIR)\n");
        return;
    }
    TCase *real = tcase_create("real networks");
    tcase_set_timeout(real, 120);
    tcase_add_test(real, fastestdet_in_both_formats);
    tcase_add_test(real, yolo_fastest);
    tcase_add_loop_test(real, benchmark_structures, 0, 4);
    suite_add_tcase(suite, real);
}

static void remove_folder(void)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry = dir != NULL ? readdir(dir) : NULL; entry != NULL; entry = readdir(dir)) {
        char path[2048];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (dir != NULL) {
        closedir(dir);
    }
    rmdir(folder);
}

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/gt_ncnn_XXXXXX", tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp");
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        return EXIT_FAILURE;
    }
    snprintf(param_path, sizeof param_path, "%s/net.param", folder);
    snprintf(bin_path, sizeof bin_path, "%s/net.bin", folder);
    Suite *suite = suite_create("ncnn");
    add_tests(suite);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    remove_folder();
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
