/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/ncnn_model.h"
#include "tests/runner.h"

#include "ops/reference.h"
#include "src/base/file.h"
#include "src/base/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N(array) ((int)(sizeof(array) / sizeof *(array)))

char nm_folder[1024];
char nm_param_path[1100];
char nm_bin_path[1100];

void nm_ok(gt_status status)
{
    if (status != GT_OK) {
        ck_abort_msg("%s: %s", gt_status_name(status), gt_error_message());
    }
}

/* ---- tensors from text: "2x3 1,2,3,4,5,6", "4 *0.5", "1x3x3 1~9"; shapes as ncnn's, without a batch ---- */

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

const char *nm_read_literal(nm_literal *l, const char *text)
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
    nm_ok(gt_text_append_bytes(out, bytes, count));
}

static uint16_t to_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t exponent = bits >> 23 & 0xff;
    return (uint16_t)((bits >> 16 & 0x8000) | (value == 0 ? 0
                                               : (exponent - 112) << 10 | (bits >> 13 & 0x3ff)));
}

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

void nm_write_weights(const char *text)
{
    gt_text bytes = {0};
    add_bytes(&bytes, "", 0);
    while (text != NULL && *text != '\0') {
        text += strspn(text, " ");
        add_weights(&bytes, text);
        const char *next = strchr(text, ';');
        text = next != NULL ? next + 1 : NULL;
    }
    nm_ok(gt_file_replace(nm_bin_path, bytes.data != NULL ? bytes.data : "", bytes.length));
    gt_text_destroy(&bytes);
}

void nm_write_param(const char *text)
{
    nm_ok(gt_file_replace(nm_param_path, text, strlen(text)));
}

/* ---- running ---- */

void **nm_run(const gt_graph *g, const float *const *inputs)
{
    void **data = NULL;
    const void *in[64];
    nm_ok(gt_calloc(&data, (size_t)g->n_tensors, sizeof *data));
    for (int i = 0; i < g->n_inputs; i++) {
        size_t bytes = (size_t)gt_shape_elems(&g->tensors[g->inputs[i]].shape) * sizeof(float);
        nm_ok(gt_alloc_aligned(&data[g->inputs[i]], bytes));
        memcpy(data[g->inputs[i]], inputs[i], bytes);
    }
    for (int i = 0; i < g->n_ops; i++) {
        const gt_op *op = &g->ops[i];
        ck_assert_int_le(op->n_inputs, N(in));
        for (int j = 0; j < op->n_inputs; j++) {
            int t = op->inputs[j];
            in[j] = t < 0 ? NULL : g->tensors[t].data != NULL ? g->tensors[t].data : data[t];
        }
        nm_ok(gt_alloc_aligned(&data[op->output],
                               (size_t)gt_shape_elems(&g->tensors[op->output].shape) * sizeof(float)));
        nm_ok(gt_reference_run(op->workload, data[op->output], in));
    }
    return data;
}

void nm_free_run(const gt_graph *g, void **data)
{
    for (int t = 0; t < g->n_tensors; t++) {
        gt_free(data[t]);
    }
    gt_free(data);
}

/* ---- cases ---- */

static int add_input_lines(gt_text *text, nm_literal *in, const char *inputs)
{
    static const char *const ids[] = {"0", "1", "2", "11"};
    int n = 0;
    while (inputs != NULL && *inputs != '\0') {
        inputs = nm_read_literal(&in[n], inputs);
        const gt_shape *s = &in[n].shape;
        nm_ok(gt_text_append(text, "Input in%d 0 1 x%d", n, n));
        for (int i = 1; i < s->rank; i++) { /* w h c, or w h d c */
            const char *id = s->rank == 5 && i == 1 ? "2" : s->rank == 5 && i == 2 ? "11"
            : ids[s->rank - 1 - i];
            nm_ok(gt_text_append(text, " %s=%lld", id, (long long)s->dim[i]));
        }
        nm_ok(gt_text_append(text, "\n"));
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

void nm_write_case(const nm_case *c, nm_literal *in)
{
    gt_text body = {0};
    gt_text text = {0};
    gt_ncnn_model *model = NULL;
    nm_ok(gt_text_append(&body, "%s", ""));
    int n = add_input_lines(&body, in, c->inputs);
    nm_ok(gt_text_append(&body, "%s\n", c->layers));
    nm_ok(gt_text_append(&text, "7767517\n%d 0\n%s", count_lines(c->layers) + n, body.data));
    nm_ok(gt_ncnn_parse(&model, text.data, text.length));
    int blobs = model->n_blobs;
    gt_ncnn_model_destroy(model);
    gt_text_destroy(&text);
    nm_ok(gt_text_append(&text, "7767517\n%d %d\n%s", count_lines(c->layers) + n, blobs, body.data));
    nm_write_param(text.data);
    nm_write_weights(c->weights);
    gt_text_destroy(&text);
    gt_text_destroy(&body);
}

void nm_check_message(const char *what, const char *parts)
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

/* ---- the small network ---- */

const char nm_small_text[] =
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

void nm_write_small(void)
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
    nm_write_param(nm_small_text);
    nm_ok(gt_file_replace(nm_bin_path, bytes.data, bytes.length));
    gt_text_destroy(&bytes);
}

void nm_small_outputs(float *out, const char *path, const gt_import_options *options)
{
    static float x[72];
    const float *inputs[1] = {x};
    gt_graph *g = NULL;
    gt_rng rng;
    gt_rng_seed(&rng, 3);
    gt_rng_fill(&rng, x, 72, -1, 1);
    nm_ok(gt_import_file(&g, path, options));
    ck_assert_int_eq(g->n_inputs, 1);
    ck_assert_int_eq(g->n_outputs, 1);
    ck_assert_int_eq(g->n_source_ops, 14);
    void **data = nm_run(g, inputs);
    memcpy(out, data[g->outputs[0]], 3 * sizeof *out);
    nm_free_run(g, data);
    gt_graph_destroy(g);
}

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

void nm_write_binary(const char *path, const char *text)
{
    gt_ncnn_model *m = NULL;
    gt_text out = {0};
    nm_ok(gt_ncnn_parse(&m, text, strlen(text)));
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
    nm_ok(gt_file_replace(path, out.data, out.length));
    gt_text_destroy(&out);
    gt_ncnn_model_destroy(m);
}

void nm_binary_path(char *path, size_t bytes)
{
    snprintf(path, bytes, "%s/net.param.bin", nm_folder);
}

/* ---- running a suite ---- */

int nm_run_suite(Suite *suite)
{
    gt_test_folder(nm_folder, sizeof nm_folder);
    snprintf(nm_param_path, sizeof nm_param_path, "%s/net.param", nm_folder);
    snprintf(nm_bin_path, sizeof nm_bin_path, "%s/net.bin", nm_folder);
    return gt_test_run(suite);
}
