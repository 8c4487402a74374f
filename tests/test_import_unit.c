/* SPDX-License-Identifier: Apache-2.0 */
/* Models made by others: the one-operator cases of the ONNX project, its light models, and the networks with
 * golden outputs, all imported and run op by op through the reference.
 *
 * GT_MODELS_DIR says where they are; a relative path is taken from GT_TOP_SRCDIR. Without them the test is
 * skipped. */
#include "ops/reference.h"
#include "src/base/npy.h"
#include "src/import/import.h"
#include "src/import/onnx_file.h"
#include "tests/runner.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char models_dir[2048];

static const char *const unit_cases[] = {
    "AvgPool2d", "BatchNorm2d_eval", "Conv2d", "Conv2d_depthwise", "Conv2d_depthwise_padded",
    "Conv2d_depthwise_strided", "Conv2d_depthwise_with_multiplier", "Conv2d_dilated", "Conv2d_groups",
    "Conv2d_groups_thnn", "Conv2d_no_bias", "Conv2d_padding", "Conv2d_strided", "ConvTranspose2d",
    "MaxPool2d", "PixelShuffle",
};

/* n_source_ops as the files have it: shape arithmetic and Dropout must be gone after import. */
static const struct {
    const char *name;
    int n_nodes, n_inputs, n_outputs;
} light_models[] = {
    {"light_densenet121", 1746, 1, 1},
    {"light_resnet50", 415, 1, 1},
    {"light_shufflenet", 446, 1, 1},
    {"light_squeezenet", 105, 1, 1},
};

static const char *const golden_models[] = {
    "blazeface_nhwc", "cifar_dynamic_batch", "fastestdet", "mnist", "ppocr_cls", "shufflenet_seeded",
    "squeezenet_seeded", "ultraface_rfb_320",
};

/* ---- running a graph ---- */

static void fail_unless_ok(gt_status status, const char *what)
{
    if (status != GT_OK) {
        ck_abort_msg("%s: %s", what, gt_error_message());
    }
}

/* Frees an activation after its last reader, so that a whole network fits in little memory. */
static void release_read(const gt_graph *graph, const int *last_reader, void **data, int op)
{
    for (int k = 0; k < graph->ops[op].n_inputs; k++) {
        int t = graph->ops[op].inputs[k];
        if (t >= 0 && last_reader[t] == op) {
            gt_free(data[t]);
            data[t] = NULL;
        }
    }
}

static int *find_last_readers(const gt_graph *graph)
{
    int *last = NULL;
    fail_unless_ok(gt_calloc(&last, (size_t)graph->n_tensors, sizeof *last), "memory");
    for (int i = 0; i < graph->n_ops; i++) {
        for (int k = 0; k < graph->ops[i].n_inputs; k++) {
            if (graph->ops[i].inputs[k] >= 0) {
                last[graph->ops[i].inputs[k]] = i;
            }
        }
    }
    for (int i = 0; i < graph->n_outputs; i++) {
        last[graph->outputs[i]] = graph->n_ops;
    }
    return last;
}

/* data[t] holds the inputs; afterwards the outputs as well. */
static void evaluate(const gt_graph *graph, void **data)
{
    int *last_reader = find_last_readers(graph);
    const void **in = NULL;
    fail_unless_ok(gt_calloc(&in, 4096, sizeof *in), "memory");
    for (int i = 0; i < graph->n_ops; i++) {
        const gt_op *op = &graph->ops[i];
        const gt_operand *y = &op->workload->output;
        for (int k = 0; k < op->n_inputs; k++) {
            int t = op->inputs[k];
            in[k] = t < 0 ? NULL : graph->tensors[t].data != NULL ? graph->tensors[t].data : data[t];
        }
        size_t bytes = (size_t)gt_shape_elems(&y->shape) * gt_dtype_bytes(y->dtype);
        fail_unless_ok(gt_alloc_aligned(&data[op->output], bytes), op->name);
        fail_unless_ok(gt_reference_run(op->workload, data[op->output], in), op->name);
        release_read(graph, last_reader, data, i);
    }
    gt_free(in);
    gt_free(last_reader);
}

static void compare(const gt_graph *graph, int output, void *const *data, const float *want,
                    const gt_shape *shape)
{
    char a[GT_SHAPE_TEXT_BYTES];
    char b[GT_SHAPE_TEXT_BYTES];
    double worst = 0;
    int t = graph->outputs[output];
    const gt_tensor *tensor = &graph->tensors[t];
    ck_assert_msg(gt_shape_equal(&tensor->shape, shape), "%s: output %d is %s, wanted %s", graph->source,
                  output, gt_shape_format(a, sizeof a, &tensor->shape), gt_shape_format(b, sizeof b, shape));
    ck_assert_int_eq(tensor->dtype, GT_F32);
    int64_t bad = gt_compare_f32(data[t], want, gt_shape_elems(shape), GT_TOLERANCE_F32, &worst);
    ck_assert_msg(bad < 0, "%s: output %d differs at element %lld: %g, wanted %g (%.3g times the tolerance)",
                  graph->source, output, (long long)bad, (double)((const float *)data[t])[bad < 0 ? 0 : bad],
                  (double)want[bad < 0 ? 0 : bad], worst);
}

static void destroy(gt_graph *graph, void **data)
{
    for (int i = 0; i < graph->n_tensors; i++) {
        gt_free(data[i]);
    }
    gt_free(data);
    gt_graph_destroy(graph);
}

static void **make_data(const gt_graph *graph)
{
    void **data = NULL;
    fail_unless_ok(gt_calloc(&data, (size_t)graph->n_tensors, sizeof *data), "memory");
    return data;
}

/* ---- one-operator cases ---- */

static void check_unit_case(const char *name, bool keep_source_form)
{
    char path[4096];
    gt_graph *graph = NULL;
    gt_onnx_tensor *in = NULL;
    gt_onnx_tensor *out = NULL;
    gt_import_options options = {.keep_source_form = keep_source_form};
    snprintf(path, sizeof path, "%s/onnx_unit/test_%s/model.onnx", models_dir, name);
    fail_unless_ok(gt_import_file(&graph, path, &options), name);
    snprintf(path, sizeof path, "%s/onnx_unit/test_%s/test_data_set_0/input_0.pb", models_dir, name);
    fail_unless_ok(gt_onnx_read_tensor(&in, path), name);
    snprintf(path, sizeof path, "%s/onnx_unit/test_%s/test_data_set_0/output_0.pb", models_dir, name);
    fail_unless_ok(gt_onnx_read_tensor(&out, path), name);
    ck_assert_int_eq(graph->n_inputs, 1);
    ck_assert_int_eq(graph->n_outputs, 1);
    void **data = make_data(graph);
    data[graph->inputs[0]] = in->data;
    in->data = NULL;
    evaluate(graph, data);
    gt_shape shape = gt_shape_of(out->rank, out->dims);
    compare(graph, 0, data, out->data, &shape);
    destroy(graph, data);
    gt_onnx_tensor_destroy(in);
    gt_onnx_tensor_destroy(out);
}

START_TEST(unit_cases_match)
{
    check_unit_case(unit_cases[_i], false);
    check_unit_case(unit_cases[_i], true);
}
END_TEST

/* ---- light models ---- */

START_TEST(light_models_import)
{
    char path[4096];
    gt_graph *graph = NULL;
    snprintf(path, sizeof path, "%s/onnx_light/%s.onnx", models_dir, light_models[_i].name);
    fail_unless_ok(gt_import_file(&graph, path, NULL), light_models[_i].name);
    ck_assert_int_eq(graph->n_source_ops, light_models[_i].n_nodes);
    ck_assert_int_eq(graph->n_inputs, light_models[_i].n_inputs);
    ck_assert_int_eq(graph->n_outputs, light_models[_i].n_outputs);
    ck_assert_int_gt(graph->n_ops, 10);
    ck_assert_int_lt(graph->n_ops, light_models[_i].n_nodes);
    fail_unless_ok(gt_graph_verify(graph), light_models[_i].name);
    gt_graph_destroy(graph);
}
END_TEST

/* ---- golden models ---- */

static gt_npy read_npy(const char *model, const char *kind, int k)
{
    char path[4096];
    gt_npy npy = {0};
    snprintf(path, sizeof path, "%s/golden/%s/%s_%d.npy", models_dir, model, kind, k);
    fail_unless_ok(gt_npy_read(&npy, path), model);
    ck_assert_int_eq(npy.type, GT_NPY_F32);
    return npy;
}

/* The golden input's shape stands in for the symbolic dimensions. */
static gt_graph *import_golden(const char *model, const gt_npy *input, bool keep_source_form)
{
    char path[4096];
    char only_input[] = "";
    gt_graph *graph = NULL;
    gt_import_shape shape = {only_input, gt_shape_of(input->rank, input->dim)};
    gt_import_options options = {.n_shapes = 1, .shapes = &shape, .keep_source_form = keep_source_form};
    snprintf(path, sizeof path, "%s/onnx/%s.onnx", models_dir, model);
    fail_unless_ok(gt_import_file(&graph, path, &options), model);
    return graph;
}

static void check_golden(const char *model, bool keep_source_form)
{
    gt_npy input = read_npy(model, "input", 0);
    gt_graph *graph = import_golden(model, &input, keep_source_form);
    void **data = make_data(graph);
    ck_assert_int_eq(graph->n_inputs, 1);
    data[graph->inputs[0]] = input.data;
    input.data = NULL;
    evaluate(graph, data);
    for (int k = 0; k < graph->n_outputs; k++) {
        gt_npy want = read_npy(model, "output", k);
        gt_shape shape = gt_shape_of(want.rank, want.dim);
        compare(graph, k, data, want.data, &shape);
        gt_npy_destroy(&want);
    }
    destroy(graph, data);
}

START_TEST(golden_models_match)
{
    check_golden(golden_models[_i], false);
}
END_TEST

START_TEST(golden_models_match_in_source_form)
{
    check_golden(golden_models[_i], true);
}
END_TEST

/* ---- main ---- */

static bool find_models(void)
{
    const char *dir = getenv("GT_MODELS_DIR");
    const char *top = getenv("GT_TOP_SRCDIR");
    dir = dir != NULL && dir[0] != '\0' ? dir : "../shared/models";
    if (dir[0] == '/') {
        snprintf(models_dir, sizeof models_dir, "%s", dir);
    } else {
        snprintf(models_dir, sizeof models_dir, "%s/%s", top != NULL && top[0] != '\0' ? top : ".", dir);
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/onnx_unit", models_dir);
    return access(path, R_OK | X_OK) == 0;
}

#define N(array) ((int)(sizeof(array) / sizeof *(array)))

int main(void)
{
    if (!find_models()) {
        printf("skipped: no models in %s (set GT_MODELS_DIR)\n", models_dir);
        return 77;
    }
    Suite *suite = suite_create("import_unit");
    TCase *cases = tcase_create("models");
    tcase_set_timeout(cases, 600);
    tcase_add_loop_test(cases, unit_cases_match, 0, N(unit_cases));
    tcase_add_loop_test(cases, light_models_import, 0, N(light_models));
    tcase_add_loop_test(cases, golden_models_match, 0, N(golden_models));
    tcase_add_loop_test(cases, golden_models_match_in_source_form, 0, N(golden_models));
    suite_add_tcase(suite, cases);
    return gt_test_run(suite);
}
