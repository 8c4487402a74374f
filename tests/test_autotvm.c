/* SPDX-License-Identifier: Apache-2.0 */
/* AutoTVM logs: import, selection from them, and the lines handed back. tests/fixtures/autotvm holds small logs; the
 * published one of the arm_cpu boards is taken from GT_MODELS_DIR where that is set. */
#include "src/base/file.h"
#include "src/graph/passes.h"
#include "src/import/autotvm.h"
#include "src/tune/autotvm_emit.h"
#include "src/tune/select.h"
#include "src/zoo/zoo.h"
#include "src/import/import.h"
#include "tests/graph_build.h"
#include "tests/runner.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OK(expr) ck_assert_msg((expr) == GT_OK, "%s: %s", #expr, gt_error_message())
#define COUNT(array) (sizeof(array) / sizeof *(array))

static char records_path[PATH_MAX], log_path[PATH_MAX], model_path[PATH_MAX], models_dir[PATH_MAX];

static const char *fixture(const char *name)
{
    static char path[PATH_MAX];
    const char *top = getenv("GT_TOP_SRCDIR");
    top = top != NULL ? top : getenv("srcdir");
    snprintf(path, sizeof path, "%s/tests/fixtures/autotvm/%s", top != NULL ? top : ".", name);
    return path;
}

static gt_status import_as(gt_autotvm_report *report, const char *log, const char *device, bool skip_malformed)
{
    const gt_autotvm_options options = {.device = device, .threads = 1, .skip_malformed = skip_malformed};
    return gt_autotvm_import(report, records_path, 1, &log, &options);
}

static gt_records *import_log(const char *log, const char *device)
{
    gt_autotvm_report report = {0};
    gt_records *records = NULL;
    OK(import_as(&report, log, device, false));
    OK(gt_records_create(&records));
    OK(gt_records_read(records, records_path, NULL));
    ck_assert_int_eq(report.imported, gt_records_count(records));
    gt_autotvm_report_clear(&report);
    return records;
}

static void check_record(const gt_records *records, int index, const char *workload, gt_layout in, gt_layout out,
                         const char *template_name, double median_ns)
{
    const gt_record *r = gt_records_at(records, index);
    ck_assert_ptr_nonnull(r);
    ck_assert_str_eq(r->workload, workload);
    ck_assert_str_eq(gt_layout_name(r->in), gt_layout_name(in));
    ck_assert_str_eq(gt_layout_name(r->out), gt_layout_name(out));
    ck_assert_str_eq(r->template_name, template_name);
    ck_assert_double_eq_tol(r->timing.median_ns, median_ns, 0.1);
    ck_assert_int_eq(r->source, GT_SOURCE_FOREIGN);
    ck_assert(gt_record_is_current(r));
}

#define CONV "conv2d(1x16x14x14,32x16x3x3!,_,_)->1x32x14x14{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1}"

START_TEST(version_1)
{
    gt_records *records = import_log(fixture("version_0.1.jsonl"), NULL);
    ck_assert_int_eq(gt_records_count(records), 4);
    check_record(records, 0, CONV, GT_NCHW, GT_NCHW, "autotvm.topi_nn_conv2d.direct", 300000);
    check_record(records, 1, CONV, GT_NCHW, GT_NCHW, "autotvm.topi_nn_conv2d.winograd", 250000);
    check_record(records, 2, "conv2d(1x32x14x14,32x1x3x3!,_,_)->1x32x7x7{stride=2x2,pad=1x1x1x1,dilation=1x1,groups=32}",
                 GT_NCHW, GT_NCHW, "autotvm.topi_nn_depthwise_conv2d_nchw.direct", 100000);
    const gt_record *first = gt_records_at(records, 0);
    ck_assert_double_eq_tol(first->timing.min_ns, 200000, 0.1);
    ck_assert_double_eq_tol(first->timing.hi_ns, 400000, 0.1);
    ck_assert_int_eq(first->timing.runs, 3);
    ck_assert_str_eq(first->config, "{\"i\": 7, \"t\": \"direct\", \"c\": null, \"e\": [[\"tile_co\", \"sp\", [16, 4]], "
                                    "[\"tile_oh\", \"sp\", [7, 2]]]}");
    ck_assert_int_eq(gt_records_at(records, 3)->status, GT_RECORD_CRASH);
    char hash[17];
    gt_autotvm_device_hash(hash, "model=boardA");
    ck_assert_str_eq(first->device, hash);
    ck_assert_str_eq(gt_records_device_hash(records, 0), hash);
    gt_records_destroy(records);
}
END_TEST

START_TEST(x86_tiles_are_layouts)
{
    gt_autotvm_report report = {0};
    gt_records *records = import_log(fixture("version_0.2_x86.jsonl"), "mcpu=core-avx2");
    const char *const name = "autotvm.conv2d_NCHWc.x86";
    ck_assert_int_eq(gt_records_count(records), 5);
    check_record(records, 0, CONV, GT_NCHW8C, GT_NCHW16C, name, 200000);
    check_record(records, 1, "conv2d(1x3x14x14,32x3x3x3!,_,_)->1x32x14x14{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1}",
                 GT_NHWC, GT_NCHW8C, name, 100000); /* all three channels in a block */
    check_record(records, 2, CONV, GT_NCHW, GT_NCHW4C, name, 500000);
    check_record(records, 3, "conv2d(1x32x14x14,32x1x3x3!,_,_)->1x32x14x14{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=32}",
                 GT_NCHW8C, GT_NCHW8C, "autotvm.depthwise_conv2d_NCHWc.x86", 50000);
    check_record(records, 4, "dense(1x64,10x64!,_)->1x10{rows=0}", GT_NCHW, GT_NCHW, "autotvm.dense_nopack.x86", 10000);
    gt_records_destroy(records);
    OK(import_as(&report, fixture("version_0.2_x86.jsonl"), NULL, false));
    ck_assert_int_eq(report.n_skipped, 2);
    ck_assert_str_eq(report.skipped[0].name, "layout NCHW32c");
    ck_assert_str_eq(report.skipped[1].name, "task conv2d_NCHWc_int8.x86");
    gt_autotvm_report_clear(&report);
}
END_TEST

START_TEST(arm_tasks)
{
    gt_records *records = import_log(fixture("version_0.2_arm.jsonl"), "boardA");
    ck_assert_int_eq(gt_records_count(records), 5);
    check_record(records, 0, CONV, GT_NHWC, GT_NHWC, "autotvm.conv2d_nhwc_spatial_pack.arm_cpu", 300000);
    check_record(records, 1, "conv2d(1x32x14x14,32x1x3x3!,_,_)->1x32x13x13{stride=1x1,pad=0x0x1x1,dilation=1x1,groups=32}",
                 GT_NHWC, GT_NHWC, "autotvm.depthwise_conv2d_nhwc.arm_cpu", 100000);
    check_record(records, 2, "conv2d(1x16x14x14,32x4x3x3!,_,_)->1x32x14x14{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=4}",
                 GT_NCHW, GT_NCHW, "autotvm.group_conv2d_nchw.arm_cpu", 200000);
    check_record(records, 3,
                 "conv_transpose2d(1x16x7x7,16x8x4x4!,_)->1x8x14x14{stride=2x2,pad=1x1x1x1,dilation=1x1,groups=1}", GT_NCHW,
                 GT_NCHW, "autotvm.conv2d_transpose_nchw.arm_cpu", 400000);
    check_record(records, 4, CONV, GT_NCHW, GT_NCHW, "autotvm.conv2d_nchw_winograd_nnpack.arm_cpu", 150000);
    gt_records_destroy(records);
}
END_TEST

START_TEST(several_devices_need_a_choice)
{
    gt_autotvm_report report = {0};
    unlink(records_path);
    ck_assert_int_eq(import_as(&report, fixture("version_0.2_arm.jsonl"), NULL, false), GT_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "\n  model=boardA  (6 lines)\n  model=boardB  (1 lines)"));
    ck_assert_int_ne(access(records_path, F_OK), 0);
    gt_autotvm_report_clear(&report);
    ck_assert_int_eq(import_as(&report, fixture("version_0.2_arm.jsonl"), "model=boardC", false), GT_ERROR_NOT_FOUND);
    gt_autotvm_report_clear(&report);
    OK(import_as(&report, fixture("version_0.2_arm.jsonl"), "model=boardB", false));
    ck_assert_int_eq(report.imported, 1);
    ck_assert_int_eq(report.other_devices, 6);
    gt_autotvm_report_clear(&report);
}
END_TEST

START_TEST(devices_of_targets)
{
    static const char *const cases[][2] = {
        {"llvm -device=arm_cpu -model=rk3399 -mattr=+neon", "model=rk3399"},
        {"llvm -keys=cpu -mcpu=skylake-avx512 -link-params=0", "mcpu=skylake-avx512"},
        {"llvm -device=arm_cpu -model=unknown", "device=arm_cpu"},
        {"opencl", "target=opencl"},
        {"", "target="},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *name = NULL;
        OK(gt_autotvm_device_name(&name, cases[i][0]));
        ck_assert_str_eq(name, cases[i][1]);
        gt_free(name);
    }
}
END_TEST

/* ---- malformed logs ---- */

#define GOOD_INPUT "[\"llvm -model=b\",\"conv2d_nchw_spatial_pack.arm_cpu\",[[\"TENSOR\",[1,4,8,8],\"float32\"]," \
                   "[\"TENSOR\",[4,4,3,3],\"float32\"],[1,1],[1,1],[1,1],\"float32\"],{}]"
#define LINE(input, config, result) \
    "{\"input\":" input ",\"config\":" config ",\"result\":" result ",\"version\":0.2}"
#define GOOD LINE(GOOD_INPUT, "{\"entity\":[]}", "[[0.001],0,1,1]")

static void write_log(const char *text)
{
    OK(gt_file_replace(log_path, text, strlen(text)));
}

START_TEST(malformed_lines_name_the_field)
{
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"{", ":2:"},
        {"[]", ":2: the line is an array"},
        {"{\"version\":0.3}", ":2: version is 0.3"},
        {"{\"v\":0.2}", ":2: v is 0.2"},
        {LINE("[\"a\"]", "{}", "[[1],0]"), ":2: input is"},
        {LINE("[\"a\",5,[]]", "{}", "[[1],0]"), ":2: input[1] is 5"},
        {LINE(GOOD_INPUT, "[]", "[[1],0]"), ":2: config is"},
        {LINE(GOOD_INPUT, "{}", "[[1]]"), ":2: result is"},
        {LINE(GOOD_INPUT, "{}", "[[],0]"), ":2: result[0] is"},
        {LINE(GOOD_INPUT, "{}", "[[NaN],0]"), ":2: result[0][0] is null"},
        {LINE(GOOD_INPUT, "{}", "[[1,-Infinity],0]"), ":2: result[0][1] is null"},
        {LINE(GOOD_INPUT, "{}", "[[0],0]"), ":2: result[0][0] is 0"},
        {LINE(GOOD_INPUT, "{}", "[[1],-1]"), ":2: result[1] is -1"},
        {LINE("[\"a\",\"conv2d_NCHWc.x86\",[[\"TENSOR\",[1,4,8,8],\"float32\"],[\"TENSOR\",[4,4,1,1],\"float32\"],1,0,1]]",
              "{\"entity\":[]}", "[[1],0]"),
         ":2: config.entity is"},
        {LINE("[\"a\",\"conv2d_nchw_spatial_pack.arm_cpu\",[[\"TENSOR\",[1,4,0,8],\"float32\"]]]", "{}", "[[1],0]"),
         ":2: input[2][0][1][2] is 0"},
        {LINE("[\"a\",\"conv2d_nchw_spatial_pack.arm_cpu\",[[\"TENSOR\",[1,4,8,8],\"float32\"]]]", "{}", "[[1],0]"),
         ":2: input[2] is"},
        {"{\"i\":[\"a\",\"topi_nn_conv2d\",[[\"TENSOR\",[1,4,8,8],\"float32\"],[\"TENSOR\",[4,4,3,3],\"float32\"]],{},[],"
         "{\"t\":\"direct\"}],\"r\":[[1],0],\"v\":0.1}",
         ":2: i[2] is"},
        {LINE("[\"a\",\"conv2d_nchw_spatial_pack.arm_cpu\",7]", "{}", "[[1],0]"), ":2: input[2] is 7"},
        {LINE("[\"a\",\"conv2d_nchw_spatial_pack.arm_cpu\",[[\"TENSOR\",[1,4,8,8],\"float32\"],[\"TENSOR\",[4,4,3,3],"
              "\"float32\"],[1,1,1],0,1]]", "{}", "[[1],0]"),
         ":2: input[2][2] is"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        gt_autotvm_report report = {0};
        char text[4096];
        snprintf(text, sizeof text, "%s\n%s\n%s\n", GOOD, cases[i].line, GOOD);
        write_log(text);
        gt_status status = import_as(&report, log_path, NULL, false);
        ck_assert_msg(status == GT_ERROR_FORMAT, "case %d: status %d", (int)i, (int)status);
        ck_assert_msg(strstr(gt_error_message(), cases[i].message) != NULL, "case %d: %s", (int)i, gt_error_message());
        ck_assert_msg(strncmp(gt_error_message(), log_path, strlen(log_path)) == 0, "%s", gt_error_message());
        gt_autotvm_report_clear(&report);
        OK(import_as(&report, log_path, NULL, true));
        ck_assert_int_eq(report.malformed, 1);
        ck_assert_int_eq(report.imported, 2);
        ck_assert_ptr_nonnull(strstr(report.first_malformed, cases[i].message));
        gt_autotvm_report_clear(&report);
    }
}
END_TEST

/* Every prefix of a log: its last line is whole, or dropped; nothing is read beyond it. */
START_TEST(torn_logs)
{
    static const char whole[] = GOOD "\n" GOOD;
    for (size_t length = sizeof GOOD; length <= sizeof whole - 1; length++) {
        gt_autotvm_report report = {0};
        char text[sizeof whole];
        snprintf(text, sizeof text, "%.*s", (int)length, whole);
        write_log(text);
        OK(import_as(&report, log_path, NULL, false));
        bool all = length == sizeof whole - 1;
        ck_assert_int_eq(report.imported, all ? 2 : 1);
        ck_assert_int_eq(report.torn, all || length == sizeof GOOD ? 0 : 1);
        gt_autotvm_report_clear(&report);
    }
}
END_TEST

START_TEST(logs_without_records)
{
    static const char *const logs[] = {"", "\n\n", "# only a comment\n", "# only a comment"};
    for (size_t i = 0; i < COUNT(logs); i++) {
        gt_autotvm_report report = {0};
        write_log(logs[i]);
        ck_assert_int_eq(import_as(&report, log_path, NULL, false), GT_ERROR_FORMAT);
        gt_autotvm_report_clear(&report);
    }
    gt_autotvm_report report = {0};
    ck_assert_int_eq(import_as(&report, "/nonexistent/x.log", NULL, false), GT_ERROR_IO);
    gt_autotvm_report_clear(&report);
}
END_TEST

START_TEST(allocation_failures_leak_nothing)
{
    const char *logs[] = {fixture("version_0.2_x86.jsonl")};
    const gt_autotvm_options options = {.threads = 1};
    gt_status status = GT_ERROR_MEMORY;
    int64_t before = gt_i_live_allocations();
    int failed = 0;
    for (int64_t k = 0; status != GT_OK; k++) {
        gt_autotvm_report report = {0};
        gt_i_fail_allocation(k);
        status = gt_autotvm_import(&report, records_path, 1, logs, &options);
        gt_i_fail_allocation(-1);
        ck_assert_msg(status == GT_OK || status == GT_ERROR_MEMORY, "allocation %d: %s", (int)k, gt_error_message());
        gt_autotvm_report_clear(&report);
        ck_assert_int_eq(gt_i_live_allocations(), before);
        failed += status != GT_OK;
    }
    ck_assert_int_gt(failed, 100);
}
END_TEST

/* ---- selection ---- */

static gt_select_options foreign_options(const gt_records *records)
{
    gt_select_options o = gt_select_defaults();
    o.device = gt_records_device_hash(records, 0);
    o.sources = 1u << GT_SOURCE_FOREIGN | 1u << GT_SOURCE_MODEL;
    o.bandwidth_gb_s = 4;
    return o;
}

/* conv 16 -> 32 with bias and activation, pooling behind it. */
static gt_graph *small_network(void)
{
    gt_graph *g = gb_graph();
    int x = gb_conv(g, gb_input(g, gt_shape_4d(1, 16, 14, 14)), 32, 3, 1, 1, 1, true);
    gb_output(g, gb_pool(g, gb_relu(g, x), GT_POOL_MAX, 2, 2, 0));
    OK(gt_passes_run(g));
    return g;
}

START_TEST(the_convolution_alone_is_matched)
{
    gt_graph *g = small_network();
    gt_records *records = import_log(fixture("version_0.1.jsonl"), NULL);
    gt_select_options o = foreign_options(records);
    gt_plan *plan = NULL;
    gt_autotvm_taken taken;
    char *log = NULL;
    size_t bytes = 0;
    OK(gt_select(&plan, g, records, &o));
    ck_assert_int_eq(plan->source, GT_SOURCE_MODEL);
    ck_assert_double_eq(plan->bandwidth_gb_s, 4);
    ck_assert_int_eq(plan->schedule.n_ops, 2);
    ck_assert_str_eq(plan->schedule.ops[0].template_name, "autotvm.topi_nn_conv2d.winograd");
    ck_assert_double_eq(plan->schedule.ops[0].ns, 250000);
    ck_assert_str_eq(plan->schedule.ops[1].template_name, "model.bandwidth");
    ck_assert_double_eq(plan->schedule.ops[1].ns, (32 * 14 * 14 + 32 * 7 * 7) * 4 / 4);
    ck_assert(plan->result.optimal);
    OK(gt_autotvm_emit(&taken, log_path, plan, g, records));
    ck_assert_int_eq(taken.lines, 1);
    ck_assert_int_eq(taken.other_sides, 0);
    OK(gt_file_read(&log, &bytes, log_path));
    ck_assert_int_eq(bytes, strlen(log));
    ck_assert_ptr_nonnull(strstr(log, "\"t\": \"winograd\""));
    ck_assert_ptr_eq(strchr(log, '\n'), log + bytes - 1);
    gt_free(log);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

START_TEST(layouts_cost_their_transforms)
{
    gt_graph *g = small_network();
    gt_records *records = import_log(fixture("version_0.2_x86.jsonl"), NULL);
    gt_records *transforms = NULL;
    gt_select_options o = foreign_options(records);
    gt_plan *plan = NULL;
    OK(gt_select(&plan, g, records, &o));
    ck_assert_str_eq(gt_layout_name(plan->schedule.ops[0].in), "NCHW8c");
    ck_assert_int_eq(plan->schedule.n_transforms, 2); /* into the conv, and to NCHW at the end */
    ck_assert_double_eq(plan->schedule.transforms[0].ns, 2 * 16 * 14 * 14 * 4 / 4);
    gt_plan_destroy(plan);
    /* A measured transform that is slow makes the slower conv the better one. */
    gt_record slow = {.kind = GT_RECORD_TRANSFORM, .device = "0123456789abcdef", .threads = 1, .workload = "1x16x14x14",
                      .in = GT_NCHW, .out = GT_NCHW8C, .template_name = "", .rev = GT_TRANSFORM_REV, .config = "",
                      .timing = {.median_ns = 1e9, .min_ns = 1e9, .lo_ns = 1e9, .hi_ns = 1e9, .runs = 1}};
    OK(gt_records_create(&transforms));
    for (gt_layout from = GT_NCHW; from < GT_LAYOUT_COUNT; from++) {
        slow.in = from;
        OK(gt_records_add(transforms, &slow));
    }
    o.transforms = transforms;
    OK(gt_select(&plan, g, records, &o));
    ck_assert_str_eq(gt_layout_name(plan->schedule.ops[0].in), "NCHW");
    ck_assert_str_eq(gt_layout_name(plan->schedule.ops[0].out), "NCHW4c");
    gt_plan_destroy(plan);
    gt_records_destroy(transforms);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

START_TEST(missing_convolutions_are_listed)
{
    gt_graph *g = gb_graph();
    gt_records *records = import_log(fixture("version_0.1.jsonl"), NULL);
    gt_select_options o = foreign_options(records);
    gt_plan *plan = NULL;
    int x = gb_conv(g, gb_input(g, gt_shape_4d(1, 16, 14, 14)), 32, 5, 1, 2, 1, true);
    gb_output(g, x);
    OK(gt_passes_run(g));
    ck_assert_int_eq(gt_select(&plan, g, records, &o), GT_ERROR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "1 of 1 ops"));
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

/* ---- the published log ---- */

static bool find_models(void)
{
    const char *dir = getenv("GT_MODELS_DIR");
    const char *top = getenv("GT_TOP_SRCDIR");
    bool relative = dir != NULL && dir[0] != '/' && top != NULL;
    snprintf(models_dir, sizeof models_dir, "%s%s%s/autotvm/arm_cpu_v0.08.log", relative ? top : "", relative ? "/" : "",
             dir != NULL ? dir : "");
    return dir != NULL && access(models_dir, R_OK) == 0;
}

START_TEST(every_record_of_the_published_log)
{
    static const struct {
        const char *device;
        int imported, skipped;
    } devices[] = {{"bcm2837", 220, 0},  {"rk3399", 220, 0}, {"pynq", 220, 0},   {"kirin970", 220, 0},
                   {"snapdragon835", 220, 0}, {"vtacpu", 12, 12}, {"ultra96", 4, 36}};
    int64_t total = 0;
    for (size_t i = 0; i < COUNT(devices); i++) {
        gt_autotvm_report report = {0};
        OK(import_as(&report, models_dir, devices[i].device, false));
        ck_assert_int_eq(report.imported, devices[i].imported);
        ck_assert_int_eq(report.n_skipped, devices[i].skipped > 0);
        if (report.n_skipped > 0) {
            ck_assert_str_eq(report.skipped[0].name, "dtype int8");
            ck_assert_int_eq(report.skipped[0].lines, devices[i].skipped);
        }
        total += devices[i].imported + devices[i].skipped;
        gt_autotvm_report_clear(&report);
    }
    ck_assert_int_eq(total, 1164);
}
END_TEST

/* Lines of the emitted log that are not lines of the published one. */
static int count_strangers(const char *emitted)
{
    char *log = NULL;
    char *all = NULL;
    size_t bytes = 0;
    int strangers = 0;
    OK(gt_file_read(&log, &bytes, emitted));
    OK(gt_file_read(&all, &bytes, models_dir));
    for (char *line = strtok(log, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        strangers += strstr(all, line) == NULL;
    }
    gt_free(log);
    gt_free(all);
    return strangers;
}

START_TEST(zoo_networks_on_rk3399)
{
    static const struct {
        const char *name;
        int convs, winograds, other_sides;
    } networks[] = {{"resnet18", 20, 13, 0}, {"mobilenet_v1", 27, 0, 5}};
    gt_graph *g = NULL;
    gt_plan *plan = NULL;
    gt_autotvm_taken taken;
    int winograds = 0;
    gt_records *records = import_log(models_dir, "model=rk3399");
    gt_select_options o = foreign_options(records);
    OK(gt_zoo_write(networks[_i].name, NULL, model_path));
    OK(gt_import_file(&g, model_path, NULL));
    OK(gt_select(&plan, g, records, &o));
    OK(gt_autotvm_emit(&taken, log_path, plan, g, records));
    ck_assert_int_eq(taken.lines, networks[_i].convs);
    ck_assert_int_eq(taken.other_sides, networks[_i].other_sides);
    ck_assert_int_eq(count_strangers(log_path), 0);
    for (int i = 0; i < plan->schedule.n_ops; i++) {
        winograds += strstr(plan->schedule.ops[i].template_name, "winograd") != NULL;
    }
    ck_assert_int_eq(winograds, networks[_i].winograds);
    ck_assert(plan->result.optimal);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

static Suite *autotvm_suite(bool models)
{
    Suite *suite = suite_create("AutoTVM logs");
    TCase *logs = tcase_create("logs");
    TCase *selection = tcase_create("selection");
    tcase_set_timeout(logs, 60);
    tcase_set_timeout(selection, 120);
    tcase_add_test(logs, version_1);
    tcase_add_test(logs, x86_tiles_are_layouts);
    tcase_add_test(logs, arm_tasks);
    tcase_add_test(logs, several_devices_need_a_choice);
    tcase_add_test(logs, devices_of_targets);
    tcase_add_test(logs, malformed_lines_name_the_field);
    tcase_add_test(logs, torn_logs);
    tcase_add_test(logs, logs_without_records);
    tcase_add_test(logs, allocation_failures_leak_nothing);
    tcase_add_test(selection, the_convolution_alone_is_matched);
    tcase_add_test(selection, layouts_cost_their_transforms);
    tcase_add_test(selection, missing_convolutions_are_listed);
    if (models) {
        tcase_add_test(logs, every_record_of_the_published_log);
        tcase_add_loop_test(selection, zoo_networks_on_rk3399, 0, 2);
    }
    suite_add_tcase(suite, logs);
    suite_add_tcase(suite, selection);
    return suite;
}

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    tmp = tmp != NULL ? tmp : "/tmp";
    snprintf(records_path, sizeof records_path, "%s/graphtune-autotvm-%ld.jsonl", tmp, (long)getpid());
    snprintf(log_path, sizeof log_path, "%s/graphtune-autotvm-%ld.log", tmp, (long)getpid());
    snprintf(model_path, sizeof model_path, "%s/graphtune-autotvm-%ld.onnx", tmp, (long)getpid());
    bool models = find_models();
    if (!models) {
        printf("skipped: the published log (set GT_MODELS_DIR)\n");
    }
    fflush(stdout);
    int failed = gt_test_run(autotvm_suite(models));
    unlink(records_path);
    unlink(log_path);
    unlink(model_path);
    return failed > 0;
}
