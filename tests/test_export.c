/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of whole networks as annotated ONNX and as drawings: the same function, complete notes, names that survive, and
 * plans that do not fit their model. */
#include "tests/export_check.h"

#include "src/base/file.h"
#include "src/zoo/zoo.h"
#include "tests/graph_build.h"
#include "tests/select_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* ---- networks ---- */

static const struct {
    const char *name;
    double width;
    int64_t resolution;
} networks[] = {
    {"squeezenet1.1", 0.25, 64}, {"mobilenet_v1", 0.25, 32}, {"mobilenet_v2", 0.25, 32}, {"mobilenet_v3_large", 0.25, 32},
    {"resnet18", 0.25, 32},      {"shufflenet_v2", 0.25, 32}, {"densenet121", 0.25, 32},  {"efficientnet_b0", 0.25, 32},
    {"yolov4_tiny", 0.1, 64},    {"unet", 0.1, 32},
};

static gt_graph *zoo_graph(const char *name, double width, int64_t resolution)
{
    char path[1200];
    gt_graph *g = NULL;
    const gt_zoo_options options = {.width = width, .resolution = resolution, .seed = 1};
    snprintf(path, sizeof path, "%s/%s.zoo", xc_folder, name);
    xc_ok(gt_zoo_write(name, &options, path));
    xc_ok(gt_import_file(&g, path, NULL));
    return g;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The workloads of a graph, sorted. */
static const char **workloads(const gt_graph *g)
{
    const char **keys = NULL;
    xc_ok(gt_calloc(&keys, (size_t)g->n_ops, sizeof *keys));
    for (int i = 0; i < g->n_ops; i++) {
        keys[i] = g->ops[i].workload->key;
    }
    qsort(keys, (size_t)g->n_ops, sizeof *keys, compare_texts);
    return keys;
}

/* What was fused before is fused again: the exported network has the operators of the first. */
static void check_workloads(const gt_graph *a, const gt_graph *b)
{
    ck_assert_int_eq(a->n_ops, b->n_ops);
    const char **ka = workloads(a);
    const char **kb = workloads(b);
    for (int i = 0; i < a->n_ops; i++) {
        ck_assert_str_eq(ka[i], kb[i]);
    }
    gt_free(ka);
    gt_free(kb);
}

START_TEST(whole_networks)
{
    gt_graph *g = zoo_graph(networks[_i].name, networks[_i].width, networks[_i].resolution);
    gt_plan *plan = xc_plan(g, 5);
    gt_onnx_model *model = xc_export(g, plan, NULL);
    ck_assert_int_eq(xc_count_own(model), 0);
    xc_check_notes(model, g, plan);
    gt_graph *read = xc_read_back(g, model, networks[_i].name, false);
    check_workloads(g, read);
    gt_graph_destroy(read);
    gt_onnx_model_destroy(model);
    gt_plan_destroy(plan);
    gt_graph_destroy(g);
}
END_TEST

/* Random networks with shared tensors, several outputs and ops that read one tensor twice. */
START_TEST(random_networks)
{
    int n_transforms = 0;
    for (int k = 0; k < 4 * SC_FAMILY_COUNT; k++) {
        gt_rng rng;
        gt_rng_seed(&rng, 100 + (uint64_t)k);
        gt_graph *g = sc_graph(&rng, (sc_family)(k % SC_FAMILY_COUNT));
        gt_plan *plan = xc_plan(g, (uint64_t)k);
        gt_onnx_model *model = xc_export(g, plan, NULL);
        char name[32];
        snprintf(name, sizeof name, "random%d", k);
        xc_check_notes(model, g, plan);
        gt_graph_destroy(xc_read_back(g, model, name, k % 2 == 0));
        n_transforms += plan->schedule.n_transforms;
        gt_onnx_model_destroy(model);
        gt_plan_destroy(plan);
        gt_graph_destroy(g);
    }
    ck_assert_int_gt(n_transforms, 20);
}
END_TEST

/* ---- what stands in the file ---- */

static void check_model_note(const gt_onnx_model *m, const char *key, const char *value)
{
    const char *have = xc_note(&m->notes, key);
    ck_assert_msg(have != NULL && strcmp(have, value) == 0, "%s is %s, not %s", key, have != NULL ? have : "missing", value);
}

START_TEST(notes_of_the_model)
{
    gt_graph *g = zoo_graph("squeezenet1.1", 0.25, 32);
    gt_plan *plan = xc_plan(g, 1);
    const gt_export_options options = {.plan_sha256 = "cafe"};
    char text[32];
    plan->source = GT_SOURCE_FOREIGN;
    gt_onnx_model *model = xc_export(g, plan, &options);
    snprintf(text, sizeof text, "%.6g", plan->result.predicted_ns * 1e-6);
    check_model_note(model, "graphtune.predicted_ms", text);
    check_model_note(model, "graphtune.optimal", "true");
    check_model_note(model, "graphtune.source", "foreign");
    check_model_note(model, "graphtune.device", SC_DEVICE);
    check_model_note(model, "graphtune.threads", "1");
    check_model_note(model, "graphtune.plan_sha256", "cafe");
    check_model_note(model, "graphtune.model_sha256", plan->model_sha256);
    ck_assert_ptr_nonnull(xc_note(&model->notes, "graphtune.lower_bound_ms"));
    ck_assert_int_eq(strncmp(model->notes.doc, "These costs were not measured", 29), 0);
    gt_onnx_model_destroy(model);
    gt_plan_destroy(plan);
    gt_graph_destroy(g);
}
END_TEST

static bool has_bytes(const char *data, size_t bytes, const char *part, size_t length)
{
    return memmem(data, bytes, part, length) != NULL;
}

/* In the field numbers of onnx.proto: doc_string is 6 and metadata_props 9 of a node, 6 and 14 of the model. */
START_TEST(notes_reach_the_file)
{
    static const char node_note[] = "\x4a\x25\x0a\x14graphtune.out_layout\x12\x0dNCHW-for-test";
    static const char node_doc[] = "\x32\x08one line";
    static const char model_note[] = "\x72\x0f\x0a\x07""a.model\x12\x04note";
    static const char domain[] = "\x42\x0d\x0a\x09" "my.domain\x10\x01";
    char path[1200];
    char *data = NULL;
    size_t bytes = 0;
    gt_onnx_model *model = NULL;
    gt_onnx_node *node = NULL;
    const char *x = "x";
    const char *y = "y";
    xc_ok(gt_onnx_model_create(&model, "net", 13));
    xc_ok(gt_onnx_add_node(model, &node, "Mine", "n", 1, &x, 1, &y));
    xc_ok(gt_onnx_set_domain(model, node, "my.domain"));
    xc_ok(gt_onnx_set_domain(model, node, "my.domain"));
    xc_ok(gt_onnx_add_note(&node->notes, "graphtune.out_layout", "NCHW-for-test"));
    xc_ok(gt_onnx_set_doc(&node->notes, "first"));
    xc_ok(gt_onnx_set_doc(&node->notes, "one line"));
    xc_ok(gt_onnx_add_note(&model->notes, "a.model", "note"));
    snprintf(path, sizeof path, "%s/notes.file", xc_folder);
    xc_ok(gt_onnx_write(model, path));
    xc_ok(gt_file_read(&data, &bytes, path));
    ck_assert(has_bytes(data, bytes, node_note, sizeof node_note - 1));
    ck_assert(has_bytes(data, bytes, node_doc, sizeof node_doc - 1));
    ck_assert(has_bytes(data, bytes, model_note, sizeof model_note - 1));
    ck_assert(has_bytes(data, bytes, domain, sizeof domain - 1));
    ck_assert_uint_eq(model->n_domains, 1);
    gt_free(data);
    gt_onnx_model_destroy(model);
}
END_TEST

START_TEST(without_weights_shapes_remain)
{
    gt_graph *g = zoo_graph("mobilenet_v2", 0.25, 32);
    gt_plan *plan = xc_plan(g, 1);
    const gt_export_options options = {.no_weights = true};
    gt_onnx_model *full = xc_export(g, plan, NULL);
    gt_onnx_model *model = xc_export(g, plan, &options);
    size_t bytes = 0;
    char path[1200];
    for (size_t i = 0; i < model->n_initializers; i++) {
        bytes += model->initializers[i].bytes;
    }
    ck_assert_uint_lt(bytes, 4096);
    ck_assert_uint_eq(model->n_inputs + model->n_initializers, full->n_inputs + full->n_initializers);
    ck_assert_uint_gt(model->n_inputs, full->n_inputs + 50);
    for (size_t i = full->n_inputs; i < model->n_inputs; i++) {
        int t = gt_graph_find_tensor(g, model->inputs[i].name);
        ck_assert_msg(t >= 0 && g->tensors[t].data != NULL, "%s", model->inputs[i].name);
        ck_assert_int_eq(model->inputs[i].rank, g->tensors[t].shape.rank);
    }
    snprintf(path, sizeof path, "%s/no_weights.onnx", xc_folder);
    xc_ok(gt_onnx_write(model, path)); /* for onnx.checker */
    gt_onnx_model_destroy(model);
    gt_onnx_model_destroy(full);
    gt_plan_destroy(plan);
    gt_graph_destroy(g);
}
END_TEST

/* ---- names ---- */

static int add_unary(gt_graph *g, int x, const char *name, const char *output, gt_function f)
{
    const gt_attrs attrs = {.unary = {.function = f}};
    int y = 0;
    xc_ok(gt_graph_add_op(g, NULL, &y, GT_OP_UNARY, name, output, &attrs, NULL, 1, &x, NULL));
    return y;
}

static void export_and_read(gt_graph *g, const char *name)
{
    xc_ok(gt_graph_finish(g));
    for (uint64_t seed = 1; seed <= 4; seed++) {
        gt_plan *plan = xc_plan(g, seed);
        gt_onnx_model *model = xc_export(g, plan, NULL);
        xc_check_notes(model, g, plan);
        gt_graph_destroy(xc_read_back(g, model, name, true));
        gt_onnx_model_destroy(model);
        gt_plan_destroy(plan);
    }
    gt_graph_destroy(g);
}

/* An output keeps its name whatever its tensor is called: a second name, an input's, a constant's, another tensor's. Only
 * where an input is called the same can it not. */
START_TEST(outputs_keep_their_names)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, gt_shape_4d(1, 4, 3, 3));
    int a = add_unary(g, x, "first", "a", GT_FN_SIGMOID);
    int b = add_unary(g, a, "second", "b", GT_FN_TANH);
    xc_ok(gt_graph_add_output(g, b, "a")); /* the name of a tensor inside */
    xc_ok(gt_graph_add_output(g, b, "again"));
    xc_ok(gt_graph_add_output(g, x, "straight through"));
    xc_ok(gt_graph_add_output(g, gb_const(g, gt_shape_4d(1, 2, 2, 2), 0, 1), "constant out"));
    xc_ok(gt_graph_add_output(g, a, "second"));
    xc_ok(gt_graph_add_output(g, b, "input0"));
    export_and_read(g, "outputs");
}
END_TEST

/* Names that the export gives itself make way for those of the model. */
START_TEST(names_never_clash)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, gt_shape_4d(1, 4, 3, 3));
    int swish = add_unary(g, x, "n", "n.result", GT_FN_SWISH);
    int gate = add_unary(g, swish, "n.gate", "n.result:NHWC", GT_FN_SWISH);
    int other = add_unary(g, gate, "n.result: NCHW to NHWC", "input0:NCHW4c", GT_FN_RELU);
    xc_ok(gt_graph_add_output(g, gb_binary(g, GT_BINARY_ADD, other, swish), "n.gate"));
    export_and_read(g, "clash");
}
END_TEST

/* ---- plans that do not fit ---- */

static void check_refused(const gt_graph *g, const gt_plan *plan, const char *part)
{
    gt_onnx_model *model = NULL;
    gt_text dot = {0};
    ck_assert_int_eq(gt_export_onnx(&model, g, plan, NULL), GT_ERROR_MISMATCH);
    ck_assert_msg(strstr(gt_error_message(), part) != NULL, "no \"%s\" in \"%s\"", part, gt_error_message());
    ck_assert_int_eq(gt_export_dot(&dot, g, plan), GT_ERROR_MISMATCH);
    ck_assert_ptr_null(model);
    gt_text_destroy(&dot);
}

/* conv, relu, conv in NCHW8c, with transforms at both ends. */
static gt_graph *transformed(gt_plan **plan)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, gt_shape_4d(1, 8, 4, 4));
    gb_output(g, gb_relu(g, gb_relu(g, x)));
    xc_ok(gt_graph_finish(g));
    *plan = xc_plan(g, 1);
    gt_schedule *s = &(*plan)->schedule;
    for (int i = 0; i < s->n_transforms; i++) {
        gt_free(s->transforms[i].tensor);
    }
    gt_free(s->transforms);
    xc_ok(gt_calloc(&s->transforms, 2, sizeof *s->transforms));
    s->n_transforms = 2;
    s->transforms[0] = (gt_plan_transform){NULL, GT_NCHW, GT_NCHW8C, 5};
    s->transforms[1] = (gt_plan_transform){NULL, GT_NCHW8C, GT_NCHW, 7};
    xc_ok(gt_strdup(&s->transforms[0].tensor, g->tensors[x].name));
    xc_ok(gt_strdup(&s->transforms[1].tensor, g->tensors[g->outputs[0]].name));
    for (int i = 0; i < s->n_ops; i++) {
        s->ops[i].in = s->ops[i].out = GT_NCHW8C;
    }
    return g;
}

START_TEST(plans_that_do_not_fit)
{
    gt_plan *plan = NULL;
    gt_graph *g = transformed(&plan);
    gt_schedule *s = &plan->schedule;
    gt_onnx_model *model = xc_export(g, plan, NULL);
    gt_onnx_model_destroy(model);
    s->n_ops--;
    check_refused(g, plan, "the model has 2 ops but the plan has 1");
    s->n_ops++;
    char *name = s->ops[1].node;
    s->ops[1].node = s->ops[0].node;
    check_refused(g, plan, "ops[1].node is");
    s->ops[1].node = name;
    s->ops[1].workload[0] = '?';
    check_refused(g, plan, "in the plan");
    s->ops[1].workload[0] = 'u';
    s->ops[0].in = GT_NHWC;
    check_refused(g, plan, "reads tensor \"input0\" in NHWC, which nothing makes before it");
    s->ops[0].in = GT_NCHW8C;
    s->transforms[0].to = GT_NCHW;
    check_refused(g, plan, "is made in NCHW twice");
    s->transforms[0].to = GT_NCHW8C;
    s->n_transforms = 1;
    check_refused(g, plan, "the graph's output");
    s->n_transforms = 2;
    s->transforms[1].tensor[0] = '!';
    check_refused(g, plan, "transforms[1]: tensor \"!");
    gt_plan_destroy(plan);
    gt_graph_destroy(g);
}
END_TEST

/* A plan of another compiler's candidates cannot be run, but shown. */
START_TEST(foreign_plans)
{
    gt_plan *plan = NULL;
    gt_graph *g = transformed(&plan);
    gt_text dot = {0};
    for (int i = 0; i < plan->schedule.n_ops; i++) {
        gt_free(plan->schedule.ops[i].template_name);
        plan->schedule.ops[i].template_name = NULL;
        xc_ok(gt_strdup(&plan->schedule.ops[i].template_name, "autotvm.something.arm_cpu"));
    }
    gt_onnx_model *model = xc_export(g, plan, NULL);
    gt_graph_destroy(xc_read_back(g, model, "foreign", true));
    ck_assert_str_eq(xc_note(&model->nodes[1].notes, "graphtune.template"), "autotvm.something.arm_cpu");
    ck_assert_str_eq(xc_note(&model->nodes[0].notes, "graphtune.transform"), "NCHW -> NCHW8c");
    xc_ok(gt_export_dot(&dot, g, plan));
    ck_assert_ptr_nonnull(strstr(dot.data, "unary: autotvm.something.arm_cpu"));
    gt_text_destroy(&dot);
    gt_onnx_model_destroy(model);
    gt_plan_destroy(plan);
    gt_graph_destroy(g);
}
END_TEST

/* ---- drawings ---- */

static int count(const char *text, const char *part)
{
    int n = 0;
    for (const char *p = strstr(text, part); p != NULL; p = strstr(p + 1, part)) {
        n++;
    }
    return n;
}

START_TEST(drawings)
{
    gt_plan *plan = NULL;
    gt_graph *g = transformed(&plan);
    gt_text dot = {0};
    gt_text again = {0};
    xc_ok(gt_export_dot(&dot, g, plan));
    xc_ok(gt_export_dot(&again, g, plan));
    ck_assert_str_eq(dot.data, again.data);
    ck_assert_int_eq(count(dot.data, " -> "), 5); /* input, transform, two ops, transform, output */
    ck_assert_int_eq(count(dot.data, "shape=ellipse"), 2 + 1);
    ck_assert_int_eq(count(dot.data, "fillcolor=\"#2fb28a\""), 2 + 1);
    ck_assert_int_eq(count(dot.data, "[label=\"1x8x4x4\"]"), 5);
    ck_assert_int_eq(count(dot.data, "NCHW → NCHW8c\\n5 ns"), 1);
    gt_text_destroy(&dot);
    gt_text_destroy(&again);
    gt_plan_destroy(plan);
    gt_graph_destroy(g);
}
END_TEST

START_TEST(drawings_escape_names)
{
    static const char *const names[] = {"a \"quoted\" name", "back\\slash", "tab\tnewline\n", "größe", "&lt;b>", "{a|b}", "\xff\xfe"};
    static const char *const shown[] = {"a \\\"quoted\\\" name", "back\\\\slash", "tab?newline\\n", "größe", "&amp;lt;b>",
                                        "{a|b}", "??"};
    gt_graph *g = gb_graph();
    gt_text dot = {0};
    int x = gb_input(g, gt_shape_4d(1, 4, 2, 2));
    for (int i = 0; i < COUNT(names); i++) {
        x = add_unary(g, x, names[i], NULL, GT_FN_RELU);
    }
    gb_output(g, x);
    xc_ok(gt_graph_finish(g));
    gt_plan *plan = xc_plan(g, 1);
    xc_ok(gt_export_dot(&dot, g, plan));
    for (int i = 0; i < COUNT(names); i++) {
        char label[64];
        snprintf(label, sizeof label, "[label=\"%s\\nunary.direct", shown[i]);
        ck_assert_msg(strstr(dot.data, label) != NULL, "no %s in %s", label, dot.data);
    }
    gt_text_destroy(&dot);
    gt_plan_destroy(plan);
    gt_graph_destroy(g);
}
END_TEST

/* ---- memory ---- */

START_TEST(failed_allocations)
{
    gt_plan *plan = NULL;
    gt_graph *g = gb_graph();
    int x = gb_input(g, gt_shape_4d(1, 4, 3, 3));
    int y = add_unary(g, gb_conv(g, x, 8, 3, 1, 1, 1, true), "s", "y", GT_FN_SWISH);
    gb_output(g, gb_dense(g, gb_scale(g, y), 3, true));
    xc_ok(gt_graph_finish(g));
    plan = xc_plan(g, 2);
    gt_status status = GT_ERROR_MEMORY;
    int64_t failed = 0;
    for (; status != GT_OK; failed++) {
        gt_onnx_model *model = NULL;
        gt_text dot = {0};
        int64_t live = gt_i_live_allocations();
        gt_i_fail_allocation(failed);
        status = gt_export_onnx(&model, g, plan, NULL);
        status = status == GT_OK ? gt_export_dot(&dot, g, plan) : status;
        gt_i_fail_allocation(-1);
        gt_onnx_model_destroy(model);
        gt_text_destroy(&dot);
        ck_assert_int_eq(gt_i_live_allocations(), live);
        ck_assert(status == GT_OK || status == GT_ERROR_MEMORY);
    }
    ck_assert_int_gt(failed, 100);
    gt_plan_destroy(plan);
    gt_graph_destroy(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("export");
    TCase *nets = tcase_create("networks");
    tcase_add_loop_test(nets, whole_networks, 0, COUNT(networks));
    tcase_add_test(nets, random_networks);
    suite_add_tcase(suite, nets);
    TCase *file = tcase_create("file");
    tcase_add_test(file, notes_of_the_model);
    tcase_add_test(file, notes_reach_the_file);
    tcase_add_test(file, without_weights_shapes_remain);
    tcase_add_test(file, outputs_keep_their_names);
    tcase_add_test(file, names_never_clash);
    suite_add_tcase(suite, file);
    TCase *plans = tcase_create("plans");
    tcase_add_test(plans, plans_that_do_not_fit);
    tcase_add_test(plans, foreign_plans);
    tcase_add_test(plans, failed_allocations);
    suite_add_tcase(suite, plans);
    TCase *dot = tcase_create("dot");
    tcase_add_test(dot, drawings);
    tcase_add_test(dot, drawings_escape_names);
    suite_add_tcase(suite, dot);
    return xc_run(suite);
}
