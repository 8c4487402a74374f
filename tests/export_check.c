/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/export_check.h"

#include "src/tune/select.h"
#include "tests/graph_eval.h"
#include "tests/runner.h"
#include "tests/select_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char xc_folder[1024];

void xc_ok(gt_status status)
{
    ck_assert_msg(status == GT_OK, "%s", gt_error_message());
}

gt_plan *xc_plan(gt_graph *graph, uint64_t seed)
{
    gt_plan *plan = NULL;
    gt_records *records = NULL;
    gt_rng rng;
    gt_select_options options = gt_select_defaults();
    gt_rng_seed(&rng, seed);
    xc_ok(gt_records_create(&records));
    sc_add_records(records, graph, &rng, &(sc_costs){.op_range = 100000, .transform_range = 9000, .any_config = true});
    options.device = SC_DEVICE;
    options.threads = SC_THREADS;
    options.alternatives = false;
    options.time_budget_s = 20;
    memset(graph->source_sha256, 'a', sizeof graph->source_sha256 - 1);
    xc_ok(gt_select(&plan, graph, records, &options));
    xc_ok(gt_strdup(&plan->model_file, "model.onnx"));
    gt_records_destroy(records);
    return plan;
}

gt_onnx_model *xc_export(const gt_graph *graph, const gt_plan *plan, const gt_export_options *options)
{
    gt_onnx_model *model = NULL;
    xc_ok(gt_export_onnx(&model, graph, plan, options));
    return model;
}

/* ---- notes ---- */

const char *xc_note(const gt_onnx_notes *notes, const char *key)
{
    for (size_t i = 0; i < notes->n; i++) {
        if (strcmp(notes->entries[i].key, key) == 0) {
            return notes->entries[i].value;
        }
    }
    return NULL;
}

static const char *need_note(const gt_onnx_node *node, const char *key)
{
    const char *value = xc_note(&node->notes, key);
    ck_assert_msg(value != NULL, "node \"%s\" has no %s", node->name, key);
    ck_assert_msg(node->notes.doc != NULL && strstr(node->notes.doc, value) != NULL, "node \"%s\": doc_string lacks %s",
                  node->name, key);
    return value;
}

static double check_op(const gt_onnx_node *node, const gt_plan_op *entry)
{
    ck_assert_str_eq(need_note(node, "graphtune.template"), entry->template_name);
    ck_assert_str_eq(need_note(node, "graphtune.in_layout"), gt_layout_name(entry->in));
    ck_assert_str_eq(need_note(node, "graphtune.out_layout"), gt_layout_name(entry->out));
    ck_assert_str_eq(need_note(node, "graphtune.workload"), entry->workload);
    if (entry->config[0] != '\0') {
        ck_assert_str_eq(need_note(node, "graphtune.config"), entry->config);
    }
    need_note(node, "graphtune.share");
    return atof(need_note(node, "graphtune.time_ms")) * 1e6;
}

/* The n-th transform of the plan, and an Identity. */
static double check_transform(const gt_onnx_node *node, const gt_plan_transform *t)
{
    char text[64];
    snprintf(text, sizeof text, "%s -> %s", gt_layout_name(t->from), gt_layout_name(t->to));
    ck_assert_str_eq(node->op_type, "Identity");
    ck_assert_str_eq(need_note(node, "graphtune.transform"), text);
    ck_assert_str_eq(need_note(node, "graphtune.tensor"), t->tensor);
    need_note(node, "graphtune.share");
    return atof(need_note(node, "graphtune.time_ms")) * 1e6;
}

void xc_check_notes(const gt_onnx_model *model, const gt_graph *graph, const gt_plan *plan)
{
    int n_ops = 0;
    int n_transforms = 0;
    double sum_ns = 0;
    for (size_t i = 0; i < model->n_nodes; i++) {
        const gt_onnx_node *node = &model->nodes[i];
        int op = gt_graph_find_op(graph, node->name);
        if (xc_note(&node->notes, "graphtune.transform") != NULL) {
            ck_assert_int_lt(n_transforms, plan->schedule.n_transforms);
            sum_ns += check_transform(node, &plan->schedule.transforms[n_transforms++]);
        } else if (op >= 0) {
            sum_ns += check_op(node, &plan->schedule.ops[op]);
            n_ops++;
        } else if (node->notes.n > 0) {
            ck_assert_int_ge(gt_graph_find_op(graph, need_note(node, "graphtune.part_of")), 0);
        } else {
            ck_assert_str_eq(node->op_type, "Identity"); /* an output's second name */
        }
    }
    ck_assert_int_eq(n_ops, graph->n_ops);
    ck_assert_int_eq(n_transforms, plan->schedule.n_transforms);
    ck_assert_double_le(fabs(sum_ns - plan->result.predicted_ns), 1e-4 * plan->result.predicted_ns);
}

int xc_count_own(const gt_onnx_model *model)
{
    int n = 0;
    for (size_t i = 0; i < model->n_nodes; i++) {
        n += strcmp(model->nodes[i].domain, GT_EXPORT_DOMAIN) == 0;
    }
    return n;
}

/* ---- reading back ---- */

/* ONNX does not let an output be called like an input: it gets "#2" behind its name. */
static void take_back_name(const gt_graph *a, gt_graph *b, int output)
{
    char *have = b->output_names[output];
    size_t length = strlen(a->output_names[output]);
    for (int i = 0; i < a->n_inputs; i++) {
        bool clash = strcmp(a->tensors[a->inputs[i]].name, a->output_names[output]) == 0;
        if (clash && strncmp(have, a->output_names[output], length) == 0 && strcmp(have + length, "#2") == 0) {
            have[length] = '\0';
        }
    }
}

static void check_ports(const gt_graph *a, gt_graph *b, const char *name)
{
    ck_assert_msg(a->n_inputs == b->n_inputs && a->n_outputs == b->n_outputs, "%s: other inputs or outputs", name);
    for (int i = 0; i < a->n_inputs; i++) {
        ck_assert_str_eq(a->tensors[a->inputs[i]].name, b->tensors[b->inputs[i]].name);
        ck_assert(gt_shape_equal(&a->tensors[a->inputs[i]].shape, &b->tensors[b->inputs[i]].shape));
    }
    for (int i = 0; i < a->n_outputs; i++) {
        take_back_name(a, b, i);
        ck_assert_str_eq(a->output_names[i], b->output_names[i]);
        ck_assert(gt_shape_equal(&a->tensors[a->outputs[i]].shape, &b->tensors[b->outputs[i]].shape));
        ck_assert_int_eq(a->tensors[a->outputs[i]].dtype, b->tensors[b->outputs[i]].dtype);
    }
}

gt_graph *xc_read_back(const gt_graph *graph, const gt_onnx_model *model, const char *name, bool source_form)
{
    char path[1200];
    gt_graph *read = NULL;
    graph_values want;
    graph_values have;
    const gt_import_options options = {.keep_source_form = source_form};
    snprintf(path, sizeof path, "%s/%s.onnx", xc_folder, name);
    xc_ok(gt_onnx_write(model, path));
    gt_status status = gt_import_file(&read, path, &options);
    ck_assert_msg(status == GT_OK, "%s: %s", name, gt_error_message());
    check_ports(graph, read, name);
    xc_ok(graph_eval(&want, graph, 7, 0.1f, 1));
    xc_ok(graph_eval(&have, read, 7, 0.1f, 1));
    double apart = graph_values_difference(&want, &have);
    ck_assert_msg(apart <= 1e-6, "%s: outputs differ by %g", name, apart);
    graph_values_clear(&want);
    graph_values_clear(&have);
    return read;
}

/* ---- the suite ---- */

/* Whether all files are valid models, by the format's own library; true where there is none to ask. */
static bool check_files(void)
{
    static const char script[] = "import glob, sys, onnx\n"
                                 "files = sorted(glob.glob(sys.argv[1] + \"/*.onnx\"))\n"
                                 "for f in files:\n"
                                 "    try: onnx.checker.check_model(onnx.load(f), full_check=True)\n"
                                 "    except Exception as e: sys.exit(\"not ok - \" + f + \": \" + str(e))\n"
                                 "print(\"ok - onnx.checker takes all\", len(files), \"models\")\n";
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};
    char text[2600];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%s -c 'import onnx' 2>/dev/null", pythons[i]);
        if (system(text) == 0) {
            snprintf(text, sizeof text, "%s -c '%s' '%s'", pythons[i], script, xc_folder);
            return system(text) == 0;
        }
    }
    printf("skip - onnx.checker: python3 has no onnx\n");
    return true;
}

int xc_run(Suite *suite)
{
    gt_test_folder(xc_folder, sizeof xc_folder);
    return gt_test_run_then(suite, check_files);
}
