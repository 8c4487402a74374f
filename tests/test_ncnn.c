/* SPDX-License-Identifier: Apache-2.0 */
/* The ncnn importer: every layer type against values worked out by hand, both file forms, all ways of storing weights,
 * and what the user can choose. */
#include "tests/ncnn_model.h"

#include "src/base/file.h"
#include "src/base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N(array) ((int)(sizeof(array) / sizeof *(array)))

static void check_output(const nm_case *c, const gt_graph *g, int k, const float *got, const nm_literal *want)
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

static void check_case(const nm_case *c, bool keep_source_form)
{
    static nm_literal in[8];
    static nm_literal want;
    const float *inputs[8];
    gt_graph *g = NULL;
    const gt_import_options options = {.keep_source_form = keep_source_form};
    nm_write_case(c, in);
    gt_status status = gt_import_file(&g, nm_param_path, &options);
    ck_assert_msg(status == GT_OK, "%s: %s", c->layers, gt_error_message());
    for (int i = 0; i < g->n_inputs; i++) {
        inputs[i] = in[i].value;
    }
    void **data = nm_run(g, inputs);
    const char *text = c->outputs;
    int k = 0;
    for (; text != NULL; k++) {
        ck_assert_msg(k < g->n_outputs, "%s: %d outputs", c->layers, g->n_outputs);
        text = nm_read_literal(&want, text);
        int t = g->outputs[k];
        check_output(c, g, k, g->tensors[t].data != NULL ? g->tensors[t].data : data[t], &want);
    }
    ck_assert_msg(k == g->n_outputs, "%s: %d outputs, not %d", c->layers, g->n_outputs, k);
    nm_free_run(g, data);
    gt_graph_destroy(g);
}

START_TEST(layers)
{
    check_case(&nm_cases[_i], true);
    check_case(&nm_cases[_i], false);
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
        for (int i = 0; i < nm_n_cases; i++) {
            const nm_case *c = &nm_cases[i];
            const char *at = strstr(c->layers, types[t]);
            covered = covered || (at != NULL && (at == c->layers || at[-1] == '\n'));
        }
        ck_assert_msg(covered, "no case for %s", types[t]);
    }
}
END_TEST

/* ---- the small network ---- */

START_TEST(small_network)
{
    float a[3];
    float b[3];
    gt_graph *g = NULL;
    const gt_import_options source = {.keep_source_form = true};
    nm_write_small();
    nm_small_outputs(a, nm_param_path, NULL);
    nm_small_outputs(b, nm_param_path, &source);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_le(fabs((double)a[i] - (double)b[i]), 1e-6);
    }
    ck_assert_double_le(fabs((double)a[0] + (double)a[1] + (double)a[2] - 1), 1e-6);
    nm_ok(gt_import_file(&g, nm_param_path, &source));
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

START_TEST(binary_equals_text)
{
    char path[1100];
    float a[3];
    float b[3];
    nm_binary_path(path, sizeof path);
    nm_write_small();
    nm_write_binary(path, nm_small_text);
    nm_small_outputs(a, nm_param_path, NULL);
    nm_small_outputs(b, path, NULL);
    ck_assert_mem_eq(a, b, sizeof a);
}
END_TEST

/* Every case of a layer that ncnn numbers reads the same from both forms. */
START_TEST(binary_cases)
{
    static nm_literal in[8];
    char path[1100];
    char *text = NULL;
    size_t bytes = 0;
    gt_graph *a = NULL;
    gt_graph *b = NULL;
    const nm_case *c = &nm_cases[_i];
    nm_binary_path(path, sizeof path);
    nm_write_case(c, in);
    nm_ok(gt_file_read(&text, &bytes, nm_param_path));
    nm_write_binary(path, text);
    gt_free(text);
    nm_ok(gt_import_file(&a, nm_param_path, NULL));
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

/* ---- options ---- */

START_TEST(input_shapes)
{
    char name[] = "x";
    char other[] = "y";
    char only[] = "";
    gt_graph *g = NULL;
    gt_import_shape shape = {name, {4, {1, 2, 5, 7}}};
    gt_import_options options = {.n_shapes = 1, .shapes = &shape};
    nm_write_weights("");
    nm_write_param(NM_HEAD "Input in 0 1 x\nReLU r 1 1 x y\n");
    nm_ok(gt_import_file(&g, nm_param_path, &options));
    ck_assert_int_eq(g->tensors[g->outputs[0]].shape.dim[3], 7);
    gt_graph_destroy(g);
    shape.name = only;
    nm_ok(gt_import_file(&g, nm_param_path, &options));
    gt_graph_destroy(g);
    g = NULL;
    shape.name = other;
    ck_assert_int_eq(gt_import_file(&g, nm_param_path, &options), GT_ERROR_SHAPE);
    nm_write_param(NM_INPUT "ReLU r 1 1 x y\n");
    ck_assert_int_eq(gt_import_file(&g, nm_param_path, &options), GT_ERROR_NOT_FOUND);
    nm_check_message("name", "'y'|no input|'x'");
    shape.name = name; /* another size than the file's */
    nm_ok(gt_import_file(&g, nm_param_path, &options));
    ck_assert_int_eq(g->tensors[g->outputs[0]].shape.dim[2], 5);
    gt_graph_destroy(g);
    g = NULL;
    shape.shape = (gt_shape){4, {2, 2, 5, 7}};
    ck_assert_int_eq(gt_import_file(&g, nm_param_path, &options), GT_ERROR_SHAPE);
    nm_check_message("batch", "'x' is 2x2x5x7|a 1 (the batch");
    nm_write_param(NM_HEAD "Input a 0 1 x\nInput b 0 1 y\nBinaryOp o 2 1 x y z\n");
    shape = (gt_import_shape){only, {2, {1, 3}}};
    ck_assert_int_eq(gt_import_file(&g, nm_param_path, &options), GT_ERROR_SHAPE);
    nm_check_message("several", "several inputs|--shape y");
    /* The shape hint of ncnn's own tools. */
    nm_write_param(NM_HEAD "Input in 0 1 x -23330=4,3,7,5,2\nReLU r 1 1 x y\n");
    nm_ok(gt_import_file(&g, nm_param_path, NULL));
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
    nm_write_small();
    nm_small_outputs(a, nm_param_path, NULL);
    snprintf(path, sizeof path, "%s/other.bin", nm_folder);
    ck_assert_int_eq(rename(nm_bin_path, path), 0);
    ck_assert_int_eq(gt_import_file(&g, nm_param_path, NULL), GT_ERROR_NOT_FOUND);
    nm_check_message("missing", "line 4|'conv'|net.bin|--weights|--random-weights");
    const gt_import_options options = {.weights_path = path};
    nm_small_outputs(b, nm_param_path, &options);
    ck_assert_mem_eq(a, b, sizeof a);
    unlink(path);
    ck_assert_int_eq(gt_import_file(&g, nm_param_path, &options), GT_ERROR_IO);
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
    nm_write_small();
    unlink(nm_bin_path);
    nm_ok(gt_import_file(&g[0], nm_param_path, &options));
    nm_ok(gt_import_file(&g[1], nm_param_path, &options));
    options.random_seed = 6;
    nm_ok(gt_import_file(&g[2], nm_param_path, &options));
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
    snprintf(path, sizeof path, "%s/stderr", nm_folder);
    nm_write_param("7767517\n9 8\nInput in 0 1 x 0=2\nReLU r 1 1 x y\n");
    nm_write_weights("f:1,2");
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    ck_assert_ptr_nonnull(freopen(path, "w", stderr));
    gt_status status = gt_import_file(&g, nm_param_path, NULL);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    nm_ok(status);
    gt_graph_destroy(g);
    nm_ok(gt_file_read(&text, &bytes, path));
    ck_assert_ptr_nonnull(strstr(text, "graphtune: note: "));
    ck_assert_ptr_nonnull(strstr(text, "the header states 9 layers; there are 2"));
    ck_assert_ptr_nonnull(strstr(text, "the header states 8 blobs; there are 2"));
    ck_assert_ptr_nonnull(strstr(text, "8 of the 8 bytes"));
    gt_free(text);
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
    nm_small_outputs(a, fixture("small.param"), NULL);
    nm_small_outputs(b, fixture("small.param.bin"), NULL);
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
    nm_ok(gt_import_file(&g, fixture("ssd.param"), &options));
    void **data = nm_run(g, (const float *[]){x});
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
    nm_free_run(g, data);
    gt_graph_destroy(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ncnn");
    TCase *cases = tcase_create("layers");
    tcase_add_loop_test(cases, layers, 0, nm_n_cases);
    tcase_add_test(cases, registry_is_covered);
    suite_add_tcase(suite, cases);
    TCase *files = tcase_create("files");
    tcase_add_test(files, small_network);
    tcase_add_test(files, binary_equals_text);
    tcase_add_loop_test(files, binary_cases, 0, nm_n_cases);
    tcase_add_test(files, input_shapes);
    tcase_add_test(files, missing_and_other_weights);
    tcase_add_test(files, random_weights);
    tcase_add_test(files, notes);
    tcase_add_test(files, fixtures_in_both_forms);
    tcase_add_test(files, ssd);
    suite_add_tcase(suite, files);
    return nm_run_suite(suite);
}
