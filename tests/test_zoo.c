/* SPDX-License-Identifier: Apache-2.0 */
/* The zoo: published parameter and multiplication counts, valid graphs, determinism, options. */
#include "src/zoo/zoo.h"

#include "src/base/file.h"
#include "tests/runner.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void assert_ok(gt_status status)
{
    ck_assert_msg(status == GT_OK, "%s", gt_error_message());
}

static void assert_fails(gt_status status, gt_status expected, const char *part)
{
    ck_assert_msg(status == expected, "%s instead of %s", gt_status_name(status),
                  gt_status_name(expected));
    ck_assert_msg(strstr(gt_error_message(), part) != NULL, "no \"%s\" in \"%s\"", part,
                  gt_error_message());
}

/* Parameters in millions, without running statistics, and multiply-adds of convolutions and
 * fully connected layers in millions, batch 1 at the default resolution. Sources: the papers'
 * tables; where they round more coarsely, torchvision's, timm's or Keras's model tables. */
static const struct {
    const char *name;
    double parameters, macs;
} published[] = {
    {"squeezenet1.1", 1.235, 349},  {"mobilenet_v1", 4.232, 569},     {"mobilenet_v2", 3.505, 301},
    {"mobilenet_v3_large", 5.483, 217}, {"resnet18", 11.690, 1814},   {"resnet50", 25.557, 4089},
    {"inception_v3", 23.835, 5713}, {"densenet121", 7.979, 2834},     {"shufflenet_v2", 2.279, 145},
    {"efficientnet_b0", 5.289, 386}, {"ssd_mobilenet_v1", 6.8, 1237}, {"yolov4_tiny", 6.057, 3454},
    {"unet", 31.04, 48170},         {"hrnet_w18", 21.299, 4284},      {"nasnet_mobile", 5.290, 564},
    {"googlenet", 6.998, 1583},     {"mnasnet_b1", 4.383, 314},       {"proxylessnas_mobile", 4.08, 304},
};

static const gt_onnx_tensor *find_initializer(const gt_onnx_model *m, const char *name)
{
    for (size_t i = 0; i < m->n_initializers; i++) {
        if (strcmp(m->initializers[i].name, name) == 0) {
            return &m->initializers[i];
        }
    }
    return NULL;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static int64_t elements(int rank, const int64_t *dims)
{
    int64_t count = 1;
    for (int k = 0; k < rank; k++) {
        count *= dims[k];
    }
    return count;
}

static int64_t count_parameters(const gt_onnx_model *m)
{
    int64_t count = 0;
    for (size_t i = 0; i < m->n_initializers; i++) {
        const gt_onnx_tensor *t = &m->initializers[i];
        bool is_parameter = ends_with(t->name, ".weight") || ends_with(t->name, ".bias");
        count += is_parameter ? elements(t->rank, t->dims) : 0;
    }
    return count;
}

static const gt_onnx_value *find_value(const gt_onnx_value *values, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(values[i].name, name) == 0) {
            return &values[i];
        }
    }
    return NULL;
}

static const gt_onnx_value *find_shape(const gt_onnx_model *m, const char *name)
{
    const gt_onnx_value *value = find_value(m->values, m->n_values, name);
    value = value != NULL ? value : find_value(m->outputs, m->n_outputs, name);
    value = value != NULL ? value : find_value(m->inputs, m->n_inputs, name);
    ck_assert_msg(value != NULL, "'%s' has no shape", name);
    return value;
}

static int64_t count_macs(const gt_onnx_model *m)
{
    int64_t count = 0;
    for (size_t i = 0; i < m->n_nodes; i++) {
        const gt_onnx_node *n = &m->nodes[i];
        bool transposed = strcmp(n->op_type, "ConvTranspose") == 0;
        if (!transposed && strcmp(n->op_type, "Conv") != 0 && strcmp(n->op_type, "Gemm") != 0) {
            continue;
        }
        /* Every weight is used once per position: of the output, or of a transposed
         * convolution's input. */
        const gt_onnx_tensor *w = find_initializer(m, n->inputs[1]);
        const gt_onnx_value *y = find_shape(m, transposed ? n->inputs[0] : n->outputs[0]);
        int64_t positions = y->rank == 4 ? y->dims[2] * y->dims[3] : 1;
        count += elements(w->rank, w->dims) * positions;
    }
    return count;
}

/* Every input of a node is the graph's, an initializer or an earlier node's output; every name
 * is new. */
static void assert_well_formed(const gt_onnx_model *m)
{
    size_t known_capacity = 1 + m->n_initializers + 2 * m->n_nodes;
    const char **known = calloc(known_capacity, sizeof *known);
    size_t n_known = 0;
    known[n_known++] = m->inputs[0].name;
    for (size_t i = 0; i < m->n_initializers; i++) {
        known[n_known++] = m->initializers[i].name;
    }
    for (size_t i = 0; i < m->n_nodes; i++) {
        const gt_onnx_node *n = &m->nodes[i];
        for (size_t k = 0; k < n->n_inputs; k++) {
            bool found = n->inputs[k][0] == '\0';
            for (size_t j = 0; j < n_known && !found; j++) {
                found = strcmp(known[j], n->inputs[k]) == 0;
            }
            ck_assert_msg(found, "%s reads unknown '%s'", n->name, n->inputs[k]);
        }
        for (size_t k = 0; k < n->n_outputs; k++) {
            for (size_t j = 0; j < n_known; j++) {
                if (strcmp(known[j], n->outputs[k]) == 0) {
                    ck_abort_msg("two of '%s'", n->outputs[k]);
                }
            }
            known[n_known++] = n->outputs[k];
        }
    }
    free(known);
}

static void assert_finite_weights(const gt_onnx_model *m)
{
    for (size_t i = 0; i < m->n_initializers; i++) {
        const gt_onnx_tensor *t = &m->initializers[i];
        const float *values = t->data;
        bool is_variance = ends_with(t->name, ".running_var");
        for (size_t k = 0; t->type == GT_ONNX_FLOAT && k < t->bytes / sizeof *values; k++) {
            /* Check records every assertion, which is slow: assert failures only. */
            bool good =
                isfinite(values[k]) && fabsf(values[k]) < 1000 && (!is_variance || values[k] > 0);
            if (!good) {
                ck_abort_msg("%s[%zu] is %g", t->name, k, (double)values[k]);
            }
        }
    }
}

START_TEST(test_published_figures)
{
    gt_onnx_model *m = NULL;
    int index = 0;
    while (strcmp(gt_zoo_name(index), published[_i].name) != 0) {
        index++;
        ck_assert_int_lt(index, gt_zoo_count());
    }
    assert_ok(gt_zoo_build(&m, published[_i].name, NULL));
    double parameters = (double)count_parameters(m) / 1e6;
    double macs = (double)count_macs(m) / 1e6;
    ck_assert_msg(fabs(parameters / published[_i].parameters - 1) < 0.01,
                  "%s has %.3f M parameters, not %.3f", published[_i].name, parameters,
                  published[_i].parameters);
    ck_assert_msg(fabs(macs / published[_i].macs - 1) < 0.01,
                  "%s has %.1f M multiply-adds, not %.1f", published[_i].name, macs,
                  published[_i].macs);
    ck_assert_int_eq(m->inputs[0].dims[1], 3);
    ck_assert_int_eq(m->inputs[0].dims[2], gt_zoo_resolution(index));
    ck_assert_int_eq(m->opset, 13);
    assert_well_formed(m);
    assert_finite_weights(m);
    gt_onnx_model_destroy(m);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_list)
{
    ck_assert_int_eq(gt_zoo_count(), (int)(sizeof published / sizeof *published));
    for (int i = 0; i < gt_zoo_count(); i++) {
        ck_assert_uint_gt(strlen(gt_zoo_description(i)), 10);
        ck_assert_int_ge(gt_zoo_resolution(i), 224);
    }
}
END_TEST

START_TEST(test_detector_outputs)
{
    gt_onnx_model *m = NULL;
    assert_ok(gt_zoo_build(&m, "ssd_mobilenet_v1", &(gt_zoo_options){.width = 0.25}));
    ck_assert_uint_eq(m->n_outputs, 2);
    ck_assert_str_eq(m->outputs[0].name, "boxes");
    ck_assert_int_eq(m->outputs[0].dims[1], 1917);
    ck_assert_int_eq(m->outputs[0].dims[2], 4);
    ck_assert_int_eq(m->outputs[1].dims[1], 1917);
    ck_assert_int_eq(m->outputs[1].dims[2], 91);
    gt_onnx_model_destroy(m);
}
END_TEST

/* Exporters of dense networks write one Concat of all earlier maps, not a chain of pairs. */
START_TEST(test_densenet_concats_are_flat)
{
    size_t widest = 0;
    gt_onnx_model *m = NULL;
    assert_ok(gt_zoo_build(&m, "densenet121", &(gt_zoo_options){.width = 0.25}));
    for (size_t i = 0; i < m->n_nodes; i++) {
        bool is_concat = strcmp(m->nodes[i].op_type, "Concat") == 0;
        widest = is_concat && m->nodes[i].n_inputs > widest ? m->nodes[i].n_inputs : widest;
    }
    ck_assert_uint_eq(widest, 25);
    gt_onnx_model_destroy(m);
}
END_TEST

static char *written(size_t *bytes, const char *name, const gt_zoo_options *options)
{
    char path[] = "/tmp/gt-zoo-XXXXXX";
    char *data = NULL;
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    assert_ok(gt_zoo_write(name, options, path));
    assert_ok(gt_file_read(&data, bytes, path));
    unlink(path);
    return data;
}

START_TEST(test_determinism)
{
    static const char *const names[] = {"squeezenet1.1", "mobilenet_v2", "nasnet_mobile"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t bytes[3];
        char *data[3];
        for (int k = 0; k < 3; k++) {
            gt_zoo_options options = {.width = 0.5, .seed = k == 2 ? 8 : 7};
            data[k] = written(&bytes[k], names[i], &options);
        }
        ck_assert_uint_eq(bytes[0], bytes[1]);
        ck_assert_mem_eq(data[0], data[1], bytes[0]);
        ck_assert(bytes[0] != bytes[2] || memcmp(data[0], data[2], bytes[0]) != 0);
        for (int k = 0; k < 3; k++) {
            gt_free(data[k]);
        }
    }
}
END_TEST

/* The bytes are the same on every machine: plans and records refer to a model by its hash. */
START_TEST(test_bytes_are_portable)
{
    char hash[65];
    size_t bytes = 0;
    char *data = written(&bytes, "mobilenet_v3_large", &(gt_zoo_options){.width = 0.25, .seed = 3});
    gt_sha256_hex(hash, data, bytes);
    ck_assert_str_eq(hash, "b08da8a9e3bdd1c7bd139fce9994ceeb489bb313c0a82ef520a2ecd3e8f622df");
    gt_free(data);
}
END_TEST

START_TEST(test_every_option)
{
    static const double widths[] = {0.1, 0.25, 0.5, 0.75, 1.5};
    const char *name = gt_zoo_name(_i);
    int64_t first = 0;
    int64_t last = 0;
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
        gt_onnx_model *m = NULL;
        if (widths[k] > 1 && last > 10 * 1000 * 1000) {
            continue;
        }
        assert_ok(gt_zoo_build(&m, name, &(gt_zoo_options){.width = widths[k]}));
        int64_t count = count_parameters(m);
        ck_assert_msg(count >= last, "%s: %lld parameters at width %g", name, (long long)count,
                      widths[k]);
        ck_assert_msg(k != 4 || count > 2 * first, "%s: width changes nothing", name);
        first = k == 0 ? count : first;
        last = count;
        assert_well_formed(m);
        gt_onnx_model_destroy(m);
    }
    gt_onnx_model *m = NULL;
    assert_ok(gt_zoo_build(&m, name, &(gt_zoo_options){.width = 0.25, .resolution = 128}));
    ck_assert_int_eq(m->inputs[0].dims[3], 128);
    gt_onnx_model_destroy(m);
    assert_fails(gt_zoo_build(&m, name, &(gt_zoo_options){.width = 0.25, .resolution = 8}),
                 GT_ERROR_ARGUMENT, name);
}
END_TEST

START_TEST(test_bad_requests)
{
    gt_onnx_model *m = NULL;
    assert_fails(gt_zoo_build(&m, "alexnet", NULL), GT_ERROR_NOT_FOUND, "'alexnet'");
    for (int i = 0; i < gt_zoo_count(); i++) {
        ck_assert_ptr_nonnull(strstr(gt_error_message(), gt_zoo_name(i)));
    }
    const double widths[] = {-1, 0.01, 5, NAN, INFINITY};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        gt_zoo_options options = {.width = widths[i]};
        assert_fails(gt_zoo_build(&m, "resnet18", &options), GT_ERROR_ARGUMENT, "from 0.1 to 4");
    }
    assert_fails(gt_zoo_build(&m, "unet", &(gt_zoo_options){.resolution = 250}), GT_ERROR_ARGUMENT,
                 "a multiple of 16 from 32 to 2048");
    assert_fails(gt_zoo_build(&m, "inception_v3", &(gt_zoo_options){.resolution = 64}),
                 GT_ERROR_ARGUMENT, "75 to 2048");
    assert_fails(gt_zoo_build(&m, "unet", &(gt_zoo_options){.resolution = -16}), GT_ERROR_ARGUMENT,
                 "-16");
    assert_fails(gt_zoo_write("unet", &(gt_zoo_options){.width = 0.1}, "/nowhere/at/all.onnx"),
                 GT_ERROR_IO, "/nowhere/at/all.onnx");
    ck_assert_ptr_null(m);
}
END_TEST

/* The smallest and largest resolution that the list promises. */
START_TEST(test_smallest_resolutions)
{
    for (int i = 0; i < gt_zoo_count(); i++) {
        gt_onnx_model *m = NULL;
        gt_zoo_options options = {.width = 0.1, .resolution = 1};
        assert_fails(gt_zoo_build(&m, gt_zoo_name(i), &options), GT_ERROR_ARGUMENT, "resolution 1");
        while (options.resolution < 2048 && gt_zoo_build(&m, gt_zoo_name(i), &options) != GT_OK) {
            ck_assert_msg(strstr(gt_error_message(), "allowed") != NULL, "%s", gt_error_message());
            options.resolution++;
        }
        gt_onnx_model_destroy(m);
    }
}
END_TEST

static const char *const allocation_names[] = {"squeezenet1.1", "yolov4_tiny", "shufflenet_v2", "mobilenet_v1"};

/* Failing each allocation in turn takes quadratic time, so later ones are sampled. */
START_TEST(test_allocation_failures)
{
    const char *name = allocation_names[_i];
    for (int64_t k = 0;; k += k < 60 ? 1 : 37) {
        gt_onnx_model *m = NULL;
        gt_i_fail_allocation(k);
        gt_status status =
            gt_zoo_build(&m, name, &(gt_zoo_options){.width = 0.1, .resolution = 64});
        gt_i_fail_allocation(-1);
        gt_onnx_model_destroy(m);
        ck_assert_int_eq(gt_i_live_allocations(), 0);
        if (status == GT_OK) {
            ck_assert_int_gt(k, 100);
            break;
        }
        ck_assert_int_eq(status, GT_ERROR_MEMORY);
        ck_assert_ptr_null(m);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("zoo");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, test_published_figures, 0,
                        (int)(sizeof published / sizeof *published));
    tcase_add_test(tests, test_list);
    tcase_add_test(tests, test_detector_outputs);
    tcase_add_test(tests, test_densenet_concats_are_flat);
    tcase_add_test(tests, test_determinism);
    tcase_add_test(tests, test_bytes_are_portable);
    tcase_add_loop_test(tests, test_every_option, 0, gt_zoo_count());
    tcase_add_test(tests, test_bad_requests);
    tcase_add_test(tests, test_smallest_resolutions);
    tcase_add_loop_test(tests, test_allocation_failures, 0, (int)(sizeof allocation_names / sizeof *allocation_names));
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
