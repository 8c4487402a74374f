/* SPDX-License-Identifier: Apache-2.0 */
/* Plan files: round trips, malformed ones, and the arena planner. GT_TEST_SEED changes what is random. */
#include "src/base/file.h"
#include "src/plan/program.h"
#include "src/run/session.h"
#include "src/tune/select.h"
#include "tests/graph_build.h"
#include "tests/plan_edit.h"
#include "tests/runner.h"
#include "tests/select_cases.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t seed = 20240718;

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define OK(expr) ck_assert_msg((expr) == GT_OK, "%s: %s", #expr, gt_error_message())

static const char *file_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/graphtune-plan-%ld.json", (long)getpid());
    return path;
}

static char *read_bytes(size_t *bytes)
{
    char *data = NULL;
    OK(gt_file_read(&data, bytes, file_path()));
    unlink(file_path());
    return data;
}

static gt_plan *select_plan(gt_graph *g, const gt_records *records)
{
    gt_select_options options = gt_select_defaults();
    gt_plan *plan = NULL;
    options.device = SC_DEVICE;
    options.threads = SC_THREADS;
    memset(g->source_sha256, 'a', sizeof g->source_sha256 - 1);
    OK(gt_select(&plan, g, records, &options));
    OK(gt_strdup(&plan->model_file, "model.onnx"));
    return plan;
}

/* ---- round trips ---- */

static void check_round_trip(const gt_plan *plan)
{
    gt_plan *again = NULL;
    size_t bytes[2];
    char *text[2];
    OK(gt_plan_write(plan, file_path()));
    OK(gt_plan_read(&again, file_path()));
    text[0] = read_bytes(&bytes[0]);
    OK(gt_plan_write(again, file_path()));
    text[1] = read_bytes(&bytes[1]);
    ck_assert_uint_eq(bytes[0], bytes[1]);
    ck_assert_mem_eq(text[0], text[1], bytes[0]);
    gt_free(text[0]);
    gt_free(text[1]);
    gt_plan_destroy(again);
}

START_TEST(written_and_read_plans_are_equal)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed);
    for (int k = 0; k < 30; k++) {
        gt_graph *g = k % 3 == 0 ? sc_large_graph(&rng, 20) : sc_graph(&rng, (sc_family)(k % SC_FAMILY_COUNT));
        gt_records *records = NULL;
        gt_program *program = NULL;
        OK(gt_records_create(&records));
        sc_add_records(records, g, &rng,
                       &(sc_costs){.op_range = 100000, .transform_range = 9000, .fractions = true, .any_config = true});
        gt_plan *plan = select_plan(g, records);
        check_round_trip(plan);
        OK(gt_program_build(&program, g, &plan->schedule));
        OK(gt_program_use_memory(program, g, plan));
        gt_program_destroy(program);
        gt_plan_destroy(plan);
        gt_records_destroy(records);
        gt_graph_destroy(g);
    }
}
END_TEST

/* What the model was imported with, and the bandwidth of modelled costs: there only when it applies. */
START_TEST(optional_keys_are_kept)
{
    gt_graph *g = gb_graph();
    gt_records *records = NULL;
    gt_plan *read = NULL;
    size_t bytes = 0;
    gb_relu(g, gb_input(g, gt_shape_4d(1, 4, 2, 2)));
    sc_finish(g);
    OK(gt_records_create(&records));
    sc_add_op(records, g->ops[0].workload, gt_template_find("unary.direct"), GT_NCHW, GT_NCHW, 1, NULL);
    gt_plan *plan = select_plan(g, records);
    OK(gt_plan_write(plan, file_path()));
    char *text = read_bytes(&bytes);
    ck_assert_ptr_null(strstr(text, "weights"));
    ck_assert_ptr_null(strstr(text, "bandwidth"));
    gt_free(text);
    OK(gt_strdup(&plan->weights_file, "net.bin"));
    plan->random_weights = true;
    plan->random_seed = 7;
    plan->bandwidth_gb_s = 2.5;
    check_round_trip(plan);
    OK(gt_plan_write(plan, file_path()));
    OK(gt_plan_read(&read, file_path()));
    unlink(file_path());
    ck_assert_str_eq(read->weights_file, "net.bin");
    ck_assert(read->random_weights && read->random_seed == 7);
    ck_assert_double_eq(read->bandwidth_gb_s, 2.5);
    gt_text path = {0};
    OK(gt_plan_weights_path(&path, read, "/some/where/plan.json"));
    ck_assert_str_eq(path.data, "/some/where/net.bin");
    gt_text_destroy(&path);
    gt_plan_destroy(read);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

START_TEST(names_may_hold_anything)
{
    static const char *const names[] = {"a \"quoted\" name", "back\\slash/and/slash", "tab\tnewline\n", "größe-名前",
                                        "ops[0].ns", "{\"node\":"};
    gt_graph *g = gb_graph();
    gt_records *records = NULL;
    gt_program *program = NULL;
    gt_plan *read = NULL;
    int x = gb_input(g, gt_shape_4d(1, 4, 2, 2));
    const gt_attrs relu = {.unary = {.function = GT_FN_RELU}};
    for (int i = 0; i < COUNT(names); i++) {
        OK(gt_graph_add_op(g, NULL, &x, GT_OP_UNARY, names[i], names[i], &relu, NULL, 1, &x, NULL));
    }
    sc_finish(g);
    OK(gt_records_create(&records));
    sc_add_op(records, g->ops[0].workload, gt_template_find("unary.direct"), GT_NHWC, GT_NHWC, 1, NULL);
    sc_add_all_transforms(records, g, 2);
    gt_plan *plan = select_plan(g, records);
    check_round_trip(plan);
    OK(gt_plan_write(plan, file_path()));
    OK(gt_plan_read(&read, file_path()));
    OK(gt_program_build(&program, g, &read->schedule));
    OK(gt_program_use_memory(program, g, read));
    unlink(file_path());
    gt_program_destroy(program);
    gt_plan_destroy(read);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

START_TEST(model_path_is_beside_the_plan)
{
    static const struct {
        char *model;
        const char *plan, *want;
    } cases[] = {{"m.onnx", "p.json", "m.onnx"},
                 {"m.onnx", "out/p.json", "out/m.onnx"},
                 {"../m.onnx", "/a/b/p.json", "/a/b/../m.onnx"},
                 {"/x/m.onnx", "/a/p.json", "/x/m.onnx"}};
    for (int i = 0; i < COUNT(cases); i++) {
        gt_text path = {0};
        const gt_plan plan = {.model_file = cases[i].model};
        OK(gt_plan_model_path(&path, &plan, cases[i].plan));
        ck_assert_str_eq(path.data, cases[i].want);
        gt_text_destroy(&path);
    }
}
END_TEST

/* ---- malformed plans ---- */

/* One plan with everything: conv (NCHW8c), pool (NHWC), conv with residual (NCHW8c), dense, softmax, and transforms of
 * which two form a chain. */
struct fixture {
    gt_graph *g;
    gt_records *records;
    char *text;
};

static void add(gt_records *records, const gt_graph *g, int op, gt_layout layout)
{
    const gt_workload *w = g->ops[op].workload;
    sc_add_op(records, w, sc_template(w, layout, layout), layout, layout, 100.0 + op, NULL);
}

static struct fixture make_fixture(void)
{
    struct fixture f = {.g = gb_graph()};
    size_t bytes = 0;
    const int a = gb_conv(f.g, gb_input(f.g, gt_shape_4d(1, 8, 5, 5)), 8, 3, 1, 1, 1, true);
    const int b = gb_pool(f.g, a, GT_POOL_MAX, 3, 1, 1);
    (void)gb_softmax(f.g, gb_dense(f.g, sc_conv_residual(f.g, b, a, 3), 6, true), 1);
    sc_finish(f.g);
    OK(gt_records_create(&f.records));
    add(f.records, f.g, 0, GT_NCHW8C);
    add(f.records, f.g, 1, GT_NHWC);
    add(f.records, f.g, 2, GT_NCHW8C);
    add(f.records, f.g, 3, GT_NCHW);
    add(f.records, f.g, 4, GT_NCHW);
    sc_add_all_transforms(f.records, f.g, 3);
    sc_add_transform(f.records, &f.g->tensors[a].shape, GT_NHWC, GT_NCHW8C, 50);
    gt_plan *plan = select_plan(f.g, f.records);
    ck_assert_int_eq(plan->schedule.n_transforms, 5);
    OK(gt_plan_write(plan, file_path()));
    f.text = read_bytes(&bytes);
    gt_plan_destroy(plan);
    return f;
}

static void destroy_fixture(struct fixture *f)
{
    gt_free(f->text);
    gt_records_destroy(f->records);
    gt_graph_destroy(f->g);
}

/* Without the fsync of gt_file_replace, which would be most of the time here. */
static void write_text(const char *text, size_t bytes)
{
    FILE *file = fopen(file_path(), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, bytes, file), bytes);
    ck_assert_int_eq(fclose(file), 0);
}

/* Everything that opening a plan checks; *program (may be NULL) is the outcome. */
static gt_status load(gt_program **program, const gt_graph *g, const char *text, size_t bytes)
{
    gt_status status = GT_OK;
    gt_plan *plan = NULL;
    gt_program *p = NULL;
    write_text(text, bytes);
    GT_TRY(gt_plan_read(&plan, file_path()));
    GT_TRY(gt_program_build(&p, g, &plan->schedule));
    GT_TRY(gt_program_use_memory(p, g, plan));
    if (program != NULL) {
        *program = p;
        p = NULL;
    }
done:
    gt_program_destroy(p);
    gt_plan_destroy(plan);
    return status;
}

#define FORMAT GT_ERROR_FORMAT
#define MISMATCH GT_ERROR_MISMATCH

static const struct {
    pe_action action;
    const char *path, *value; /* SWAP: value is the other element */
    gt_status status;
    const char *says;
} malformed[] = {
    {PE_SET, "format", "\"graphtune-records\"", FORMAT, "format is \"graphtune-records\""},
    {PE_SET, "format", "5", FORMAT, "format is 5"},
    {PE_RENAME, "format", "fmt", FORMAT, "\"format\" is missing"},
    {PE_SET, "version", "2", FORMAT, "version is 2"},
    {PE_SET, "version", "\"1\"", FORMAT, "version is \"1\""},
    {PE_RENAME, "version", "Version", FORMAT, "\"version\" is missing"},
    {PE_SET, "device", "\"abc\"", FORMAT, "device is \"abc\""},
    {PE_SET, "device", "\"xyzxyzxyzxyzxyzx\"", FORMAT, "16 hexadecimal digits"},
    {PE_SET, "isa", "3", FORMAT, "isa is 3"},
    {PE_SET, "threads", "0", FORMAT, "threads is 0"},
    {PE_SET, "threads", "257", FORMAT, "threads is 257"},
    {PE_SET, "threads", "1.5", FORMAT, "threads is 1.5"},
    {PE_SET, "source", "\"guessed\"", FORMAT, "source is \"guessed\""},
    {PE_SET, "model", "[]", FORMAT, "model is"},
    {PE_RENAME, "model.file", "path", FORMAT, "\"file\" is missing"},
    {PE_SET, "model.sha256", "\"12\"", FORMAT, "model.sha256 is \"12\""},
    {PE_SET, "model.sha256", "\"gggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggg\"", FORMAT,
     "64 hexadecimal digits"},
    {PE_SET, "model.inputs", "{}", FORMAT, "model.inputs is"},
    {PE_SET, "model.inputs[0].dtype", "\"f16\"", FORMAT, "model.inputs[0].dtype is \"f16\""},
    {PE_SET, "model.inputs[0].shape", "[1,1,1,1,1,1,1,1,1]", FORMAT, "model.inputs[0].shape"},
    {PE_SET, "model.inputs[0].shape", "[-1]", FORMAT, "model.inputs[0].shape[0] is -1"},
    {PE_SET, "model.inputs[0].shape", "[1099511627776,1099511627776]", FORMAT, "model.inputs[0].shape"},
    {PE_RENAME, "model.outputs[0].shape", "dims", FORMAT, "model.outputs[0]"},
    {PE_SET, "result", "1", FORMAT, "result is 1"},
    {PE_SET, "result.optimal", "\"yes\"", FORMAT, "result.optimal is \"yes\""},
    {PE_SET, "result.gap", "2", FORMAT, "result.gap is 2"},
    {PE_SET, "result.predicted_ns", "1", FORMAT, "result.predicted_ns is 1"},
    {PE_SET, "result.lower_bound_ns", "1e14", FORMAT, "result.lower_bound_ns is"},
    {PE_SET, "result.method", "null", FORMAT, "result.method is null"},
    {PE_SET, "result.optimal", "false", FORMAT, "result.optimal is false"},
    {PE_SET, "result.gap", "0.5", FORMAT, "result.gap is 0.5"},
    {PE_SET, "result.lower_bound_ns", "1", FORMAT, "result.gap is 0"},
    {PE_SET, "result.stopped", "\"tired\"", FORMAT, "result.stopped is \"tired\""},
    {PE_SET, "result.stopped", "\"time\"", FORMAT, "result.stopped is \"time\""},
    {PE_SET, "result.table_entries", "-1", FORMAT, "result.table_entries is -1"},
    {PE_RENAME, "result.order_name", "heuristic", FORMAT, "\"order_name\" is missing"},
    {PE_SET, "result.order", "{}", FORMAT, "result.order is"},
    {PE_SET, "result.order[0]", "3", FORMAT, "result.order[0] is 3"},
    {PE_SET, "result.order[0]", "{\"name\": \"x\"}", FORMAT, "result.order[0]"},
    {PE_SET, "selection", "[]", FORMAT, "selection is"},
    {PE_SET, "selection.records", "{}", FORMAT, "selection.records is"},
    {PE_SET, "selection.records", "[{\"file\": \"x\", \"sha256\": \"12\"}]", FORMAT, "selection.records[0].sha256 is \"12\""},
    {PE_SET, "selection.layouts", "[\"HWCN\"]", FORMAT, "selection.layouts[0] is \"HWCN\""},
    {PE_SET, "selection.only_layout", "\"HWCN\"", FORMAT, "selection.only_layout is \"HWCN\""},
    {PE_SET, "selection.sources", "[\"guessed\"]", FORMAT, "selection.sources[0] is \"guessed\""},
    {PE_SET, "selection.pins", "[1]", FORMAT, "selection.pins[0] is 1"},
    {PE_RENAME, "selection.forbids", "forbidden", FORMAT, "\"forbids\" is missing"},
    {PE_SET, "selection.refined", "[{\"kind\": \"device\"}]", FORMAT, "selection.refined[0].kind is \"device\""},
    {PE_RENAME, "ops", "operators", FORMAT, "\"ops\" is missing"},
    {PE_SET, "ops[0]", "[]", FORMAT, "ops[0]"},
    {PE_SET, "ops[0].node", "7", FORMAT, "ops[0].node is 7"},
    {PE_RENAME, "ops[1].workload", "work", FORMAT, "\"workload\" is missing"},
    {PE_SET, "ops[1].in", "\"NCHW32c\"", FORMAT, "ops[1].in is \"NCHW32c\""},
    {PE_SET, "ops[1].out", "\"nhwc\"", FORMAT, "ops[1].out is \"nhwc\""},
    {PE_SET, "ops[2].config", "null", FORMAT, "ops[2].config is null"},
    {PE_SET, "ops[2].rev", "-1", FORMAT, "ops[2].rev is -1"},
    {PE_SET, "ops[2].ns", "-1", FORMAT, "ops[2].ns is -1"},
    {PE_SET, "ops[2].ns", "NaN", FORMAT, ".json:"},
    {PE_SET, "ops[2].ns", "1e999", FORMAT, ".json:"},
    {PE_SET, "ops[2].ns", "1e16", FORMAT, "ops[2].ns is"},
    {PE_SET, "ops[2].ns", "\"5\"", FORMAT, "ops[2].ns is \"5\""},
    {PE_SET, "transforms", "{}", FORMAT, "transforms is"},
    {PE_SET, "transforms[1].to", "\"X\"", FORMAT, "transforms[1].to is \"X\""},
    {PE_RENAME, "transforms[1].from", "form", FORMAT, "\"from\" is missing"},
    {PE_RENAME, "memory", "Memory", FORMAT, "\"memory\" is missing"},
    {PE_SET, "memory.arena_bytes", "1e300", FORMAT, "memory.arena_bytes is"},
    {PE_SET, "memory.offsets[0].offset", "-64", FORMAT, "memory.offsets[0].offset is -64"},
    {PE_SET, "memory.offsets[0].layout", "3", FORMAT, "memory.offsets[0].layout is 3"},
    {PE_SET, "memory.offsets[0].size", "0.5", FORMAT, "memory.offsets[0].size is 0.5"},
    {PE_SET, "alternatives[0].ops", "7", FORMAT, "alternatives[0].ops is 7"},
    {PE_SET, "alternatives[0].name", "7", FORMAT, "alternatives[0].name is 7"},

    {PE_SET, "ops[1].node", "\"renamed\"", MISMATCH, "\"renamed\""},
    {PE_SET, "ops[1].workload", "\"relu\"", MISMATCH, "workload is pool2d("},
    {PE_SET, "ops[1].template", "\"pool2d.magic\"", MISMATCH, "unknown template \"pool2d.magic\""},
    {PE_SET, "ops[1].template", "\"unary.direct\"", MISMATCH, "template unary.direct does not handle"},
    {PE_SET, "ops[1].template", "\"\"", MISMATCH, "unknown template \"\""},
    {PE_SET, "ops[1].rev", "999", MISMATCH, "but 999 in the plan"},
    {PE_SET, "ops[1].in", "\"NCHW\"", MISMATCH, "does not handle NCHW in and NHWC out"},
    {PE_SET, "ops[4].in", "\"NHWC\"", MISMATCH, "does not handle NHWC in"},
    {PE_SET, "ops[0].config", "\"\"", MISMATCH, "config"},
    {PE_SET, "ops[0].config", "\"made_up=1\"", MISMATCH, "config: expected knob"},
    {PE_SET, "ops[1].config", "\"ow_tile=12345\"", MISMATCH, "config knob ow_tile = \"12345\""},
    {PE_REMOVE, "ops[4]", NULL, FORMAT, "result.predicted_ns"},
    {PE_DUPLICATE, "ops[1]", NULL, FORMAT, "result.predicted_ns"},
    {PE_SWAP, "ops[0]", "ops[1]", MISMATCH, "where the plan has"},
    {PE_SET, "ops", "[]", FORMAT, "result.predicted_ns"},
    {PE_SWAP, "transforms[0]", "transforms[1]", MISMATCH, "reads tensor \"input0\" in NCHW8c, which nothing makes"},
    {PE_SWAP, "transforms[2]", "transforms[3]", MISMATCH, "a transform reads tensor"},
    {PE_SET, "transforms[4].tensor", "\"nobody\"", MISMATCH, "which nothing makes before it"},
    {PE_SET, "transforms[0].to", "\"NCHW\"", MISMATCH, "is made in NCHW twice"},
    {PE_SET, "transforms[0].from", "\"NHWC\"", MISMATCH, "a transform reads tensor \"input0\" in NHWC"},
    {PE_SET, "memory.arena_bytes", "64", MISMATCH, "ends beyond the arena of 64 bytes"},
    {PE_SET, "memory.arena_bytes", "1099511627776", MISMATCH, "memory.arena_bytes is 1099511627776"},
    {PE_SET, "memory.offsets[2].offset", "8", MISMATCH, "offset 8 is not a multiple of 64"},
    {PE_SET, "memory.offsets[2].offset", "1048576", MISMATCH, "ends beyond the arena"},
    {PE_SET, "memory.offsets[2].size", "4", MISMATCH, "not 4"},
    {PE_SET, "memory.offsets[2].layout", "\"NCHW4c\"", MISMATCH, "memory.offsets has no entry for tensor"},
    {PE_SET, "memory.offsets[2].tensor", "\"nobody\"", MISMATCH, "memory.offsets has no entry for tensor"},
    {PE_REMOVE, "memory.offsets[1]", NULL, MISMATCH, "memory.offsets has no entry for tensor"},
    {PE_DUPLICATE, "memory.offsets[1]", NULL, MISMATCH, "memory.offsets has"},
};

#define GROUPS 6 /* of malformed plans: one process each */

START_TEST(malformed_plans_are_refused)
{
    struct fixture f = make_fixture();
    OK(load(NULL, f.g, f.text, strlen(f.text)));
    for (int k = _i; k < COUNT(malformed); k += GROUPS) {
        gt_text text = {0};
        OK(pe_apply(&text, f.text, malformed[k].action, malformed[k].path, malformed[k].value));
        gt_status status = load(NULL, f.g, text.data, text.length);
        ck_assert_msg(status == malformed[k].status, "%s = %s: %s: %s", malformed[k].path, malformed[k].value,
                      gt_status_name(status), gt_error_message());
        ck_assert_msg(strstr(gt_error_message(), malformed[k].says) != NULL, "%s = %s: %s", malformed[k].path,
                      malformed[k].value, gt_error_message());
        ck_assert_ptr_null(strchr(gt_error_message(), '\n'));
        gt_text_destroy(&text);
    }
    destroy_fixture(&f);
    unlink(file_path());
}
END_TEST

/* Plans from before certificates and selections were stored. */
START_TEST(older_plans_still_load)
{
    static const char *const newer[] = {"result.order_name", "result.order", "result.table_entries", "result.stopped", "selection"};
    struct fixture f = make_fixture();
    gt_text text = {0};
    OK(gt_text_append(&text, "%s", f.text));
    for (int k = 0; k < COUNT(newer); k++) {
        gt_text without = {0};
        char name[16];
        snprintf(name, sizeof name, "ignored%d", k);
        OK(pe_apply(&without, text.data, PE_RENAME, newer[k], name));
        gt_text_destroy(&text);
        text = without;
    }
    gt_plan *plan = NULL;
    OK(load(NULL, f.g, text.data, text.length));
    OK(gt_plan_read(&plan, file_path()));
    ck_assert(plan->selection == NULL && plan->result.order == NULL && plan->result.order_name == NULL);
    ck_assert(plan->result.optimal);
    gt_plan_destroy(plan);
    gt_text_destroy(&text);
    destroy_fixture(&f);
    unlink(file_path());
}
END_TEST

/* The graph's input is alive throughout, so nothing may lie where it lies. */
START_TEST(overlapping_buffers_are_refused)
{
    struct fixture f = make_fixture();
    gt_text first = {0};
    OK(pe_apply(&first, f.text, PE_SET, "memory.offsets[0].offset", "0"));
    for (int i = 1; i < 5; i++) {
        gt_text both = {0};
        char path[64];
        snprintf(path, sizeof path, "memory.offsets[%d].offset", i);
        OK(pe_apply(&both, first.data, PE_SET, path, "0"));
        ck_assert_int_eq(load(NULL, f.g, both.data, both.length), GT_ERROR_MISMATCH);
        ck_assert_ptr_nonnull(strstr(gt_error_message(), "memory.offsets: tensors \""));
        ck_assert_ptr_nonnull(strstr(gt_error_message(), "\"input0\" overlap while both are in use"));
        gt_text_destroy(&both);
    }
    gt_text_destroy(&first);
    destroy_fixture(&f);
    unlink(file_path());
}
END_TEST

/* Entries that add up but are not the model's. */
START_TEST(plans_of_other_models_are_refused)
{
    struct fixture f = make_fixture();
    gt_graph *other = gb_graph();
    (void)gb_relu(other, gb_input(other, gt_shape_4d(1, 8, 5, 5)));
    sc_finish(other);
    ck_assert_int_eq(load(NULL, other, f.text, strlen(f.text)), GT_ERROR_MISMATCH);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "the model has 1 ops but the plan has 5"));
    gt_graph_destroy(other);
    destroy_fixture(&f);
    unlink(file_path());
}
END_TEST

START_TEST(cut_off_files_are_refused)
{
    struct fixture f = make_fixture();
    const size_t bytes = strlen(f.text);
    for (size_t n = 0; n + 2 < bytes; n += 1 + n / 20) {
        ck_assert_int_eq(load(NULL, f.g, f.text, n), GT_ERROR_FORMAT);
        ck_assert_ptr_nonnull(strstr(gt_error_message(), file_path()));
    }
    destroy_fixture(&f);
    unlink(file_path());
    gt_plan *plan = NULL;
    ck_assert_int_eq(gt_plan_read(&plan, file_path()), GT_ERROR_IO);
    ck_assert_ptr_null(plan);
}
END_TEST

/* Damaged bytes: refused with a message, or accepted, and what is accepted runs without touching foreign memory. */
START_TEST(damaged_plans_never_crash)
{
    struct fixture f = make_fixture();
    gt_rng rng;
    int accepted = 0;
    const size_t bytes = strlen(f.text);
    gt_rng_seed(&rng, seed + (uint64_t)_i);
    for (int k = 0; k < 700; k++) {
        gt_program *program = NULL;
        char *damaged = NULL;
        OK(gt_strdup(&damaged, f.text));
        for (int64_t n = gt_rng_below(&rng, 3); n >= 0; n--) {
            static const char *const likely = "0123456789-.,:\"[]{}cNCHW";
            const size_t at = (size_t)gt_rng_below(&rng, (int64_t)bytes);
            damaged[at] = _i == 0 ? (char)(damaged[at] ^ (1 << gt_rng_below(&rng, 8))) : likely[gt_rng_below(&rng, 24)];
        }
        gt_status status = load(&program, f.g, damaged, bytes);
        if (status == GT_OK) {
            gt_session *session = NULL;
            OK(gt_session_create(&session, f.g, program,
                                 &(gt_session_options){.threads = 1, .isa = gt_isa_best()}));
            gt_session_run(session, NULL);
            gt_session_destroy(session);
            accepted++;
        } else {
            ck_assert_msg(status == GT_ERROR_FORMAT || status == GT_ERROR_MISMATCH || status == GT_ERROR_LIMIT,
                          "%s: %s", gt_status_name(status), gt_error_message());
        }
        gt_program_destroy(program);
        gt_free(damaged);
    }
    ck_assert_int_gt(accepted, 0);
    destroy_fixture(&f);
    unlink(file_path());
}
END_TEST

START_TEST(allocation_failures_leak_nothing)
{
    struct fixture f = make_fixture();
    const int64_t live = gt_i_live_allocations();
    int64_t failed = 0;
    for (gt_status status = GT_ERROR_MEMORY; status != GT_OK; failed++) {
        gt_i_fail_allocation(failed);
        status = load(NULL, f.g, f.text, strlen(f.text));
        gt_i_fail_allocation(-1);
        ck_assert_int_eq(gt_i_live_allocations(), live);
        ck_assert_msg(status == GT_OK || status == GT_ERROR_MEMORY, "allocation %d: %s", (int)failed,
                      gt_error_message());
    }
    ck_assert_int_gt(failed, 50);
    destroy_fixture(&f);
    unlink(file_path());
}
END_TEST

START_TEST(failing_writes_leave_no_file)
{
    struct fixture f = make_fixture();
    gt_plan *plan = select_plan(f.g, f.records);
    int64_t failed = 0;
    for (gt_status status = GT_ERROR_MEMORY; status != GT_OK; failed++) {
        ck_assert_int_ne(access(file_path(), F_OK), 0);
        const int64_t live = gt_i_live_allocations();
        gt_i_fail_allocation(failed);
        status = gt_plan_write(plan, file_path());
        gt_i_fail_allocation(-1);
        ck_assert_int_eq(gt_i_live_allocations(), live);
        ck_assert(status == GT_OK || status == GT_ERROR_MEMORY);
    }
    ck_assert_int_gt(failed, 3);
    ck_assert_int_eq(gt_plan_write(plan, "/nonexistent/plan.json"), GT_ERROR_IO);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "/nonexistent/plan.json"));
    gt_plan_destroy(plan);
    destroy_fixture(&f);
    unlink(file_path());
}
END_TEST

/* ---- the arena ---- */

#define MAX_BUFFERS 60

static void check_arena(int n, const int64_t *size, const int *first, const int *last)
{
    int64_t offset[MAX_BUFFERS + 1], again[MAX_BUFFERS + 1];
    int64_t arena = -1, arena_again = -1, sum = 0, bound = 0;
    OK(gt_arena_plan(&arena, offset, n, size, first, last));
    OK(gt_arena_plan(&arena_again, again, n, size, first, last));
    ck_assert(arena == arena_again && memcmp(offset, again, (size_t)n * sizeof *offset) == 0);
    for (int i = 0; i < n; i++) {
        int64_t alive = 0;
        ck_assert(offset[i] >= 0 && offset[i] % GT_ALIGN_BYTES == 0 && offset[i] + size[i] <= arena);
        for (int j = 0; j < n; j++) {
            const bool together = first[i] <= last[j] && first[j] <= last[i];
            const bool apart = offset[i] + size[i] <= offset[j] || offset[j] + size[j] <= offset[i];
            ck_assert_msg(i == j || !together || apart, "buffers %d and %d overlap", i, j);
            alive += first[j] <= first[i] && first[i] <= last[j] ? size[j] : 0; /* the most is alive where one begins */
        }
        bound = alive > bound ? alive : bound;
        sum += (size[i] + GT_ALIGN_BYTES - 1) / GT_ALIGN_BYTES * GT_ALIGN_BYTES;
    }
    ck_assert_int_ge(arena, bound);
    ck_assert_int_le(arena, sum);
}

START_TEST(arena_plans_are_valid)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 10);
    for (int k = 0; k < 600; k++) {
        int64_t size[MAX_BUFFERS];
        int first[MAX_BUFFERS], last[MAX_BUFFERS];
        const int n = (int)gt_rng_below(&rng, MAX_BUFFERS);
        const int64_t most = gt_rng_below(&rng, 2) == 0 ? 300 : 100000;
        for (int i = 0; i < n; i++) {
            size[i] = gt_rng_below(&rng, most);
            first[i] = (int)gt_rng_below(&rng, 40) - 1;
            last[i] = first[i] + (int)gt_rng_below(&rng, k % 2 == 0 ? 4 : 30);
        }
        check_arena(n, size, first, last);
    }
}
END_TEST

/* A chain needs two buffers at a time, whatever its length. */
START_TEST(chains_reuse_memory)
{
    int64_t size[20], offset[20], arena = 0;
    int first[20], last[20];
    for (int i = 0; i < 20; i++) {
        size[i] = 640;
        first[i] = i;
        last[i] = i + 1;
    }
    OK(gt_arena_plan(&arena, offset, 20, size, first, last));
    ck_assert_int_eq(arena, 2 * 640);
}
END_TEST

static Suite *plan_suite(void)
{
    Suite *suite = suite_create("plan");
    TCase *files = tcase_create("files");
    tcase_set_timeout(files, 120);
    tcase_add_test(files, written_and_read_plans_are_equal);
    tcase_add_test(files, optional_keys_are_kept);
    tcase_add_test(files, names_may_hold_anything);
    tcase_add_test(files, model_path_is_beside_the_plan);
    tcase_add_loop_test(files, malformed_plans_are_refused, 0, GROUPS);
    tcase_add_test(files, older_plans_still_load);
    tcase_add_test(files, overlapping_buffers_are_refused);
    tcase_add_test(files, plans_of_other_models_are_refused);
    tcase_add_test(files, cut_off_files_are_refused);
    tcase_add_loop_test(files, damaged_plans_never_crash, 0, 3);
    tcase_add_test(files, allocation_failures_leak_nothing);
    tcase_add_test(files, failing_writes_leave_no_file);
    suite_add_tcase(suite, files);
    TCase *arena = tcase_create("arena");
    tcase_set_timeout(arena, 120);
    tcase_add_test(arena, arena_plans_are_valid);
    tcase_add_test(arena, chains_reuse_memory);
    suite_add_tcase(suite, arena);
    return suite;
}

int main(void)
{
    seed = gt_test_seed(seed);
    return gt_test_run(plan_suite());
}
