/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: what is read is written and reads back as the same bytes; a plan that fits the small network below is made
 * ready to run. */
#include "src/import/import.h"
#include "src/plan/plan.h"
#include "src/run/session.h"
#include "tests/fuzz/fuzz.h"

static const char network[] =
    "7767517\n4 4\n"
    "Input in 0 1 data 0=6 1=6 2=4\n"
    "Convolution conv 1 1 data a 0=4 1=3 4=1 6=144\n"
    "Pooling pool 1 1 data b 1=3 2=1 3=1\n"
    "Eltwise add 2 1 a b sum 0=1\n";

static gt_graph *graph(void)
{
    static gt_graph *g = NULL;
    if (g == NULL) {
        const gt_import_options options = {.random_weights = true, .random_seed = 1};
        gt_status status = gt_import_file(&g, fz_write("net.param", network, sizeof network - 1), &options);
        FZ_REQUIRE(status == GT_OK, "%s", gt_error_message());
    }
    return g;
}

static void check_again(const gt_plan *plan)
{
    gt_plan *again = NULL;
    const char *made = fz_path("made.json");
    const char *twice = fz_path("twice.json");
    FZ_REQUIRE(gt_plan_write(plan, made) == GT_OK, "cannot be written: %s", gt_error_message());
    FZ_REQUIRE(gt_plan_read(&again, made) == GT_OK, "what was written is not read: %s", gt_error_message());
    FZ_REQUIRE(gt_plan_write(again, twice) == GT_OK, "cannot be written: %s", gt_error_message());
    FZ_REQUIRE(fz_same_bytes(made, twice), "what was read differs from what was written");
    gt_plan_destroy(again);
}

/* Messages of these name the node and field; whoever calls them adds the file. */
static void make_ready(const gt_schedule *schedule, const gt_plan *plan)
{
    gt_program *program = NULL;
    gt_session *session = NULL;
    const gt_session_options options = {.threads = 1, .isa = GT_ISA_BASE};
    gt_status status = fz_check(gt_program_build(&program, graph(), schedule), "");
    if (status == GT_OK && plan != NULL) {
        status = fz_check(gt_program_use_memory(program, graph(), plan), "");
    }
    if (status == GT_OK) {
        status = fz_check(gt_session_create(&session, graph(), program, &options), "");
    }
    if (status == GT_OK) {
        gt_session_run(session, NULL);
    }
    gt_session_destroy(session);
    gt_program_destroy(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gt_plan *plan = NULL;
    const char *path = fz_write("in.json", data, size);
    graph();
    fz_begin();
    if (fz_check(gt_plan_read(&plan, path), path) == GT_OK) {
        check_again(plan);
        make_ready(&plan->schedule, plan);
        for (int i = 0; i < plan->n_alternatives; i++) {
            make_ready(&plan->alternatives[i].schedule, NULL);
        }
    }
    gt_plan_destroy(plan);
    fz_end();
    return 0;
}
