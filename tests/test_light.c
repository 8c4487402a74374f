/* SPDX-License-Identifier: Apache-2.0 */
/* The light third-party graphs run to the reference. All their weights are one constant, so all logits are equal but
 * for rounding, and huge: a softmax of them shows the order of summation and nothing else. Where a graph ends in
 * a softmax, its input is compared instead. */
#include "ops/reference.h"
#include "src/import/import.h"
#include "src/run/session.h"
#include "src/tune/refine.h"
#include "src/tune/tune.h"
#include "tests/runner.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OK(call) ck_assert_msg((call) == GT_OK, "%s", gt_error_message())

static const char *const models[] = {"light_squeezenet", "light_shufflenet", "light_resnet50", "light_densenet121"};

static const char *models_folder(void)
{
    const char *folder = getenv("GT_MODELS_DIR");
    return folder != NULL ? folder : "../shared/models";
}

static void end_before_softmax(gt_graph *graph)
{
    for (int i = 0; i < graph->n_outputs; i++) {
        int producer = graph->tensors[graph->outputs[i]].producer;
        if (producer >= 0 && graph->ops[producer].kind == GT_OP_SOFTMAX) {
            graph->outputs[i] = graph->ops[producer].inputs[0];
        }
    }
    OK(gt_graph_finish(graph));
}

static void make_plan(gt_plan **plan, const gt_graph *graph)
{
    char path[] = "/tmp/gt-light-XXXXXX";
    gt_tasks *tasks = NULL;
    gt_records *records = NULL;
    gt_tune_report report;
    gt_tune_options tune = gt_tune_defaults();
    gt_select_options select = gt_select_defaults();
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    unlink(path);
    tune.trials = 1;
    tune.measure.min_time_ns = 100000;
    tune.measure.max_time_ns = 200000;
    tune.layouts = 1u << GT_NCHW | 1u << GT_NCHW8C;
    tune.quiet = true;
    tune.progress = false;
    OK(gt_tasks_of_graph(&tasks, graph));
    OK(gt_tune(tasks, path, &tune, &report));
    ck_assert_int_eq(report.wrong + report.crash, 0);
    OK(gt_records_create(&records));
    OK(gt_records_read(records, path, NULL));
    OK(gt_select(plan, graph, records, &select));
    unlink(path);
    gt_records_destroy(records);
    gt_tasks_destroy(tasks);
}

static void compare(const gt_graph *graph, gt_session *session)
{
    const void *input = gt_session_input(session, 0);
    void *want = NULL;
    ck_assert_int_eq(graph->n_inputs, 1);
    ck_assert_int_eq(graph->n_outputs, 1);
    OK(gt_graph_run_reference(graph, &input, &want));
    double worst = 0;
    int64_t n = gt_shape_elems(&graph->tensors[graph->outputs[0]].shape);
    int64_t bad = gt_compare_f32(gt_session_output(session, 0), want, n, GT_TOLERANCE_F32, &worst);
    ck_assert_msg(bad < 0, "element %lld of %lld differs, %g of the tolerance", (long long)bad, (long long)n, worst);
    gt_free(want);
}

START_TEST(runs_to_the_reference)
{
    char path[512];
    gt_graph *graph = NULL;
    gt_plan *plan = NULL;
    gt_program *program = NULL;
    gt_session *session = NULL;
    gt_session_options options = {.threads = 1, .isa = gt_isa_best()};
    snprintf(path, sizeof path, "%s/onnx_light/%s.onnx", models_folder(), models[_i]);
    OK(gt_import_file(&graph, path, NULL));
    end_before_softmax(graph);
    make_plan(&plan, graph);
    OK(gt_program_build(&program, graph, &plan->schedule));
    OK(gt_session_create(&session, graph, program, &options));
    gt_fill_inputs(session, graph, 1);
    gt_session_run(session, NULL);
    compare(graph, session);
    gt_session_destroy(session);
    gt_program_destroy(program);
    gt_plan_destroy(plan);
    gt_graph_destroy(graph);
}
END_TEST

int main(void)
{
    char folder[512];
    snprintf(folder, sizeof folder, "%s/onnx_light", models_folder());
    if (access(folder, R_OK) != 0) {
        printf("skip - light graphs: there is no folder %s (set GT_MODELS_DIR)\n", folder);
        return 77;
    }
    const char *emulator = getenv("GT_EMULATOR");
    if (emulator != NULL && emulator[0] != '\0') {
        printf("skip - light graphs: the reference of whole networks takes too long under emulation\n");
        return 77;
    }
    Suite *suite = suite_create("light");
    TCase *tcase = tcase_create("light");
    tcase_add_loop_test(tcase, runs_to_the_reference, 0, (int)(sizeof models / sizeof *models));
    tcase_set_timeout(tcase, 900);
    suite_add_tcase(suite, tcase);
    return gt_test_run(suite);
}
