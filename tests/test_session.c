/* SPDX-License-Identifier: Apache-2.0 */
/* Programs at work: random networks under random schedules against the reference, and the public interface.
 * GT_TEST_SEED changes the networks. */
#include "ops/reference.h"
#include "src/api/deployment.h"
#include "include/graphtune/graphtune.h"
#include "src/base/file.h"
#include "src/import/import.h"
#include "src/import/onnx_file.h"
#include "src/tune/refine.h"
#include "src/tune/refine_figures.h"
#include "tests/graph_build.h"
#include "tests/plan_edit.h"
#include "tests/runner.h"
#include "tests/select_cases.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t seed = 20240719;

#define MAX_PORTS 64
#define NETWORKS 20 /* per case of the loop */

#define OK(expr) ck_assert_msg((expr) == GT_OK, "%s: %s", #expr, gt_error_message())

static gt_plan *random_plan(gt_graph *g, gt_rng *rng, gt_records *records)
{
    gt_select_options options = gt_select_defaults();
    gt_plan *plan = NULL;
    options.device = SC_DEVICE;
    options.threads = SC_THREADS;
    options.alternatives = false;
    sc_add_records(records, g, rng, &(sc_costs){.op_range = 100, .transform_range = 15, .any_config = true});
    OK(gt_select(&plan, g, records, &options));
    return plan;
}

/* ---- a session with what it needs, and the right answers ---- */

struct bench {
    gt_graph *g;
    gt_records *records;
    gt_plan *plan;
    gt_program *program;
    gt_session *session;
    void *want[MAX_PORTS];
};

static void start(struct bench *b, gt_graph *g, gt_rng *rng, int threads, bool release)
{
    gt_session_options options = {.threads = threads, .isa = gt_isa_best(), .release_constants = release};
    const void *inputs[MAX_PORTS];
    *b = (struct bench){.g = g};
    ck_assert_int_le(g->n_outputs, MAX_PORTS);
    OK(gt_records_create(&b->records));
    b->plan = random_plan(g, rng, b->records);
    OK(gt_program_build(&b->program, g, &b->plan->schedule));
    for (int i = 0; i < g->n_inputs; i++) {
        float *data = NULL;
        const int64_t elems = gt_shape_elems(&g->tensors[g->inputs[i]].shape);
        OK(gt_calloc(&data, (size_t)elems, sizeof *data));
        gt_rng_fill(rng, data, (size_t)elems, -1, 1);
        inputs[i] = data;
    }
    OK(gt_graph_run_reference(g, inputs, b->want));
    const gt_isa isa = (gt_isa)gt_rng_below(rng, GT_ISA_COUNT);
    options.isa = gt_isa_available(isa) ? isa : options.isa;
    OK(gt_session_create(&b->session, g, b->program, &options));
    for (int i = 0; i < g->n_inputs; i++) {
        const int64_t elems = gt_shape_elems(&g->tensors[g->inputs[i]].shape);
        memcpy(gt_session_input(b->session, i), inputs[i], (size_t)elems * sizeof(float));
        gt_free((void *)(uintptr_t)inputs[i]);
    }
}

static void finish(struct bench *b)
{
    gt_session_destroy(b->session);
    gt_program_destroy(b->program);
    gt_plan_destroy(b->plan);
    gt_records_destroy(b->records);
    for (int i = 0; i < b->g->n_outputs; i++) {
        gt_free(b->want[i]);
    }
    gt_graph_destroy(b->g);
}

static size_t output_bytes(const struct bench *b, int i)
{
    const gt_tensor *t = &b->g->tensors[b->g->outputs[i]];
    return (size_t)gt_shape_elems(&t->shape) * gt_dtype_bytes(t->dtype);
}

static void check_outputs(const struct bench *b, const char *what)
{
    for (int i = 0; i < b->g->n_outputs; i++) {
        const gt_tensor *t = &b->g->tensors[b->g->outputs[i]];
        const void *got = gt_session_output(b->session, i);
        double worst = 0;
        if (t->dtype == GT_F32) {
            int64_t at = gt_compare_f32(got, b->want[i], gt_shape_elems(&t->shape), GT_TOLERANCE_F32, &worst);
            const int64_t shown = at < 0 ? 0 : at;
            ck_assert_msg(at < 0, "%s: output %d (%s): element %d is %g, not %g", what, i, t->name, (int)at,
                          (double)((const float *)got)[shown], (double)((float *)b->want[i])[shown]);
        } else {
            ck_assert_mem_eq(got, b->want[i], output_bytes(b, i));
        }
    }
}

/* Fills everything but the graph's inputs with NaN: nothing may depend on what an earlier run left behind. */
static void poison(const struct bench *b)
{
    void *kept[MAX_PORTS] = {NULL};
    const gt_form *forms = b->program->forms;
    for (int i = 0; i < b->g->n_inputs; i++) {
        const size_t bytes = (size_t)forms[b->program->inputs[i]].size_bytes;
        OK(gt_calloc(&kept[i], bytes, 1));
        memcpy(kept[i], gt_session_input(b->session, i), bytes);
    }
    char *arena = (char *)gt_session_input(b->session, 0) - forms[b->program->inputs[0]].offset_bytes;
    memset(arena, 0xFF, (size_t)b->program->arena_bytes);
    for (int i = 0; i < b->g->n_inputs; i++) {
        memcpy(gt_session_input(b->session, i), kept[i], (size_t)forms[b->program->inputs[i]].size_bytes);
        gt_free(kept[i]);
    }
}

/* A run in which the first allocation would fail; afterwards the failure must still be waiting. */
static void run_without_allocating(const struct bench *b)
{
    const int64_t live = gt_i_live_allocations();
    void *probe = NULL;
    gt_i_fail_allocation(0);
    gt_session_run(b->session, NULL);
    ck_assert_int_eq(gt_calloc(&probe, 1, 1), GT_ERROR_MEMORY);
    gt_i_fail_allocation(-1);
    ck_assert_int_eq(gt_i_live_allocations(), live);
}

static void check_runs(struct bench *b, const char *what)
{
    void *before[MAX_PORTS] = {NULL};
    gt_session_run(b->session, NULL);
    check_outputs(b, what);
    for (int i = 0; i < b->g->n_outputs; i++) {
        OK(gt_calloc(&before[i], output_bytes(b, i), 1));
        memcpy(before[i], gt_session_output(b->session, i), output_bytes(b, i));
    }
    poison(b);
    run_without_allocating(b);
    for (int i = 0; i < b->g->n_outputs; i++) {
        ck_assert_msg(memcmp(before[i], gt_session_output(b->session, i), output_bytes(b, i)) == 0,
                      "%s: output %d differs in the second run", what, i);
        gt_free(before[i]);
    }
}

START_TEST(random_schedules_equal_the_reference)
{
    gt_rng rng;
    int transforms = 0;
    gt_rng_seed(&rng, seed + (uint64_t)_i);
    for (int k = 0; k < NETWORKS; k++) {
        struct bench b;
        char what[64];
        snprintf(what, sizeof what, "network %d", k);
        const sc_family family = (sc_family)(k / 2 % SC_FAMILY_COUNT);
        gt_graph *g = k % 2 == 0 ? sc_large_graph(&rng, 8 + 2 * k) : sc_graph(&rng, family);
        start(&b, g, &rng, _i % 2 == 0 ? 1 : 3, false);
        check_runs(&b, what);
        transforms += b.plan->schedule.n_transforms;
        finish(&b);
    }
    ck_assert_int_gt(transforms, NETWORKS);
}
END_TEST

static int count_pairs(const gt_plan *plan)
{
    int n = 0;
    for (int i = 0; i < plan->schedule.n_ops; i++) {
        n += gt_template_role(gt_template_find(plan->schedule.ops[i].template_name)) == GT_ROLE_PAIR ? 1 : 0;
    }
    return n;
}

/* Their weights are packed together, and given up together. */
START_TEST(two_ops_done_as_one)
{
    gt_rng rng;
    int pairs = 0;
    gt_rng_seed(&rng, seed + 120 + (uint64_t)_i);
    for (int k = 0; k < NETWORKS; k++) {
        struct bench b;
        start(&b, sc_graph(&rng, SC_PAIRS), &rng, 1 + k % 3, _i != 0);
        check_runs(&b, "pairs");
        pairs += count_pairs(b.plan);
        finish(&b);
    }
    ck_assert_int_gt(pairs, NETWORKS / 4);
}
END_TEST

START_TEST(constants_can_be_released)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 100);
    for (int k = 0; k < NETWORKS; k++) {
        struct bench b;
        gt_graph *g = sc_large_graph(&rng, 15);
        gb_output(g, gb_const(g, SHAPE(2, 3), -1, 1)); /* stays: the caller reads it */
        start(&b, g, &rng, 1, true);
        check_runs(&b, "released");
        int64_t constants = 0;
        for (int t = 0; t < g->n_tensors; t++) {
            constants += g->tensors[t].data != NULL ? 1 : 0;
        }
        ck_assert_int_eq(constants, 1);
        const gt_session_memory memory = gt_session_memory_use(b.session);
        ck_assert_int_eq(memory.arena_bytes, b.program->arena_bytes);
        ck_assert(memory.packed_bytes >= 0 && memory.workspace_bytes >= 0);
        finish(&b);
    }
}
END_TEST

START_TEST(shared_constants_outlive_their_first_reader)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 150);
    struct bench b;
    gt_graph *g = gb_graph();
    const int c = gb_const(g, SHAPE(1, 3, 1, 1), 1, 2);
    int x = gb_input(g, gt_shape_4d(1, 3, 4, 4));
    for (int i = 0; i < 4; i++) {
        x = gb_binary(g, i % 2 == 0 ? GT_BINARY_MUL : GT_BINARY_SUB, x, c);
    }
    sc_finish(g);
    start(&b, g, &rng, 1, true);
    check_runs(&b, "shared constants");
    ck_assert_ptr_null(g->tensors[gt_graph_find_tensor(g, "constant")].data);
    finish(&b);
}
END_TEST

START_TEST(outputs_without_an_op)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 200);
    struct bench b;
    gt_graph *g = gb_graph();
    const int x = gb_input(g, gt_shape_4d(1, 3, 4, 4));
    const int unused = gb_input(g, SHAPE(7));
    const int c = gb_const(g, SHAPE(5), -1, 1);
    const int y = gb_relu(g, x);
    gb_output(g, x);
    gb_output(g, y);
    gb_output(g, c);
    gb_output(g, y);
    gb_output(g, gb_op(g, GT_OP_COPY, NULL, 1, &x, NULL));
    gb_output(g, gb_op(g, GT_OP_COPY, NULL, 1, &c, NULL));
    gb_output(g, gb_reshape(g, x, SHAPE(48)));
    gb_output(g, gb_transpose(g, y, LIST(0, 2, 3, 1)));
    gb_must(gt_graph_finish(g));
    ck_assert_int_eq(g->n_inputs, 2);
    ck_assert_int_ge(unused, 0);
    start(&b, g, &rng, 1, true);
    check_runs(&b, "outputs");
    ck_assert_ptr_eq(gt_session_output(b.session, 1), gt_session_output(b.session, 3));
    finish(&b);
}
END_TEST

START_TEST(graph_without_ops)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 300);
    struct bench b;
    gt_graph *g = gb_graph();
    gb_output(g, gb_input(g, gt_shape_4d(1, 3, 4, 4)));
    gb_must(gt_graph_finish(g));
    start(&b, g, &rng, 1, false);
    check_runs(&b, "no ops");
    finish(&b);
}
END_TEST

START_TEST(steps_can_be_timed)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 400);
    struct bench b;
    double *ns = NULL;
    start(&b, sc_large_graph(&rng, 20), &rng, 1, false);
    OK(gt_calloc(&ns, (size_t)b.program->n_steps, sizeof *ns));
    gt_session_run(b.session, ns);
    check_outputs(&b, "timed");
    for (int i = 0; i < b.program->n_steps; i++) {
        ck_assert(ns[i] >= 0 && ns[i] < 1e10);
    }
    gt_free(ns);
    finish(&b);
}
END_TEST

START_TEST(allocation_failures_leak_nothing)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 500);
    struct bench b;
    start(&b, sc_large_graph(&rng, 10), &rng, 1, false);
    const int64_t live = gt_i_live_allocations();
    int64_t failed = 0;
    for (gt_status status = GT_ERROR_MEMORY; status != GT_OK; failed++) {
        gt_session *session = NULL;
        gt_i_fail_allocation(failed);
        status = gt_session_create(&session, b.g, b.program, &(gt_session_options){.threads = 2, .isa = gt_isa_best()});
        gt_i_fail_allocation(-1);
        gt_session_destroy(session);
        ck_assert_int_eq(gt_i_live_allocations(), live);
        ck_assert_msg(status == GT_OK || status == GT_ERROR_MEMORY, "allocation %d: %s", (int)failed,
                      gt_error_message());
    }
    ck_assert_int_gt(failed, 20);
    const void *inputs[1] = {gt_session_input(b.session, 0)};
    failed = 0;
    for (gt_status status = GT_ERROR_MEMORY; status != GT_OK; failed++) {
        void *outputs[MAX_PORTS] = {NULL};
        gt_i_fail_allocation(failed);
        status = gt_graph_run_reference(b.g, inputs, outputs);
        gt_i_fail_allocation(-1);
        for (int i = 0; i < b.g->n_outputs; i++) {
            gt_free(outputs[i]);
        }
        ck_assert_int_eq(gt_i_live_allocations(), live);
    }
    ck_assert_int_gt(failed, 10);
    finish(&b);
}
END_TEST

/* ---- refining ---- */

#define MADE_UP 10 /* the number of runs that made-up records state */

/* Records that say of every candidate about what it really takes: as long as nothing looks slow, refining tries one
 * after the other. */
static gt_records *realistic_records(gt_graph *g, gt_rng *rng, const gt_select_options *options)
{
    gt_records *all = NULL;
    gt_records *copy = NULL;
    gt_plan *plan = NULL;
    gt_refine_report report;
    OK(gt_records_create(&all));
    OK(gt_records_create(&copy));
    sc_add_records(all, g, rng, &(sc_costs){.op_range = 1, .transform_range = 1, .combinations = 60});
    OK(gt_refine(&plan, g, all, options, 100, NULL, &report));
    ck_assert(report.stable && report.rounds >= 2 && report.rounds < 100 && report.measured_ns > 0);
    for (int64_t i = 0; i < gt_records_count(all); i++) {
        gt_record r = *gt_records_at(all, i);
        r.timing.median_ns *= (double)gt_rng_uniform(rng, 1, 1.03f);
        r.timing.runs = MADE_UP;
        OK(gt_records_add(copy, &r));
    }
    gt_plan_destroy(plan);
    gt_records_destroy(all);
    return copy;
}

/* When refining calls its choice stable, every figure in the plan was measured inside the network, however close the
 * candidates are. */
START_TEST(stable_plans_rest_on_measured_figures)
{
    gt_rng rng;
    gt_select_options options = gt_select_defaults();
    options.device = SC_DEVICE;
    gt_rng_seed(&rng, seed + 600 + (uint64_t)_i);
    for (int k = 0; k < gt_test_rounds(12); k++) {
        gt_graph *g = sc_graph(&rng, (sc_family)(k % 2 == 0 ? SC_RESIDUAL : SC_CHAIN));
        gt_records *records = realistic_records(g, &rng, &options);
        gt_plan *plan = NULL;
        gt_refine_report report;
        gt_pairs *pairs = NULL;
        OK(gt_pairs_create(&pairs, g));
        OK(gt_refine(&plan, g, records, &options, 12, NULL, &report));
        for (int i = 0; report.stable && i < plan->schedule.n_ops; i++) {
            const gt_plan_op *op = &plan->schedule.ops[i];
            const gt_role role = gt_template_role(gt_template_find(op->template_name));
            const char *workload = role == GT_ROLE_PAIR ? pairs->workload[i]->key : op->workload;
            const gt_record *r = gt_records_find(records, GT_RECORD_OP, SC_DEVICE, SC_THREADS, workload, op->in,
                                                 op->out, op->template_name, op->config);
            if (role == GT_ROLE_INSIDE) {
                continue; /* measured with its reader */
            }
            ck_assert_msg(r != NULL && r->timing.runs != MADE_UP, "network %d: op %s was never measured", k, op->node);
        }
        gt_pairs_destroy(pairs);
        gt_plan_destroy(plan);
        gt_records_destroy(records);
        gt_graph_destroy(g);
    }
}
END_TEST

/* A candidate without a figure follows from the one that has one, before and after. */
START_TEST(figures_are_scaled_with_what_follows_from_them)
{
    static char workload[] = "w", template_name[] = "t", seen[] = "a=1", unseen[] = "a=2";
    gt_record r = {.kind = GT_RECORD_OP, .threads = 1, .workload = workload, .template_name = template_name, .rev = 1};
    gt_records *records = NULL;
    gt_figures figures = {0};
    const double factors[] = {1, 0.5, 0.8};
    double factor = 1;
    OK(gt_records_create(&records));
    for (int i = 0; i < 2; i++) {
        r.config = i == 0 ? seen : unseen;
        r.timing = (gt_timing){.median_ns = 100 * (i + 1), .min_ns = 90, .lo_ns = 95, .hi_ns = 110, .runs = 5};
        OK(gt_records_add(records, &r));
    }
    OK(gt_i_figures_begin(&figures, records));
    r.config = seen;
    r.timing.median_ns = 150;
    OK(gt_i_figures_add(&figures, &r));
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        factor *= factors[i];
        OK(gt_i_figures_scale(&figures, factors[i]));
        ck_assert_int_eq(gt_records_count(figures.seen), 1);
        ck_assert_double_eq_tol(gt_records_find(records, GT_RECORD_OP, "", 1, "w", 0, 0, "t", "a=1")->timing.median_ns, 150 * factor, 1e-9);
        ck_assert_double_eq_tol(gt_records_find(records, GT_RECORD_OP, "", 1, "w", 0, 0, "t", "a=2")->timing.median_ns, 300 * factor, 1e-9);
    }
    gt_i_figures_end(&figures);
    gt_records_destroy(records);
}
END_TEST

/* ---- the public interface ---- */

struct files {
    char folder[64], model[96], plan[96];
};

static void write_model(const char *path, float bias)
{
    gt_onnx_model *m = NULL;
    gt_onnx_node *node = NULL;
    gt_rng rng;
    float w[8 * 3 * 3 * 3], k[4 * 8 * 3 * 3], b[4] = {bias, 1, 2, 3};
    gt_rng_seed(&rng, 5);
    gt_rng_fill(&rng, w, sizeof w / sizeof *w, -1, 1);
    gt_rng_fill(&rng, k, sizeof k / sizeof *k, -1, 1);
    OK(gt_onnx_model_create(&m, "small", 13));
    OK(gt_onnx_add_input(m, "image", 4, (const int64_t[]){1, 3, 6, 6}));
    OK(gt_onnx_add_output(m, "scores", 2, (const int64_t[]){1, 4}));
    OK(gt_onnx_add_output(m, "map", 4, (const int64_t[]){1, 8, 3, 3}));
    OK(gt_onnx_add_initializer(m, "w", GT_ONNX_FLOAT, 4, (const int64_t[]){8, 3, 3, 3}, w));
    OK(gt_onnx_add_initializer(m, "k", GT_ONNX_FLOAT, 2, (const int64_t[]){4, 72}, k));
    OK(gt_onnx_add_initializer(m, "b", GT_ONNX_FLOAT, 1, (const int64_t[]){4}, b));
    OK(gt_onnx_add_node(m, &node, "Conv", "conv", 2, (const char *const[]){"image", "w"}, 1,
                        (const char *const[]){"c"}));
    OK(gt_onnx_set_ints(node, "pads", 4, (const int64_t[]){1, 1, 1, 1}));
    OK(gt_onnx_add_node(m, &node, "MaxPool", "pool", 1, (const char *const[]){"c"}, 1, (const char *const[]){"map"}));
    OK(gt_onnx_set_ints(node, "kernel_shape", 2, (const int64_t[]){2, 2}));
    OK(gt_onnx_set_ints(node, "strides", 2, (const int64_t[]){2, 2}));
    OK(gt_onnx_add_node(m, &node, "Flatten", "flatten", 1, (const char *const[]){"map"}, 1,
                        (const char *const[]){"f"}));
    OK(gt_onnx_add_node(m, &node, "Gemm", "gemm", 3, (const char *const[]){"f", "k", "b"}, 1,
                        (const char *const[]){"scores"}));
    OK(gt_onnx_set_int(node, "transB", 1));
    OK(gt_onnx_write(m, path));
    gt_onnx_model_destroy(m);
}

/* A model and its plan in a folder of their own. */
static struct files make_files(void)
{
    struct files f;
    gt_graph *g = NULL;
    gt_records *records = NULL;
    gt_rng rng;
    gt_rng_seed(&rng, seed + 700);
    snprintf(f.folder, sizeof f.folder, "/tmp/graphtune-session-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(f.folder));
    snprintf(f.model, sizeof f.model, "%s/model.onnx", f.folder);
    snprintf(f.plan, sizeof f.plan, "%s/plan.json", f.folder);
    write_model(f.model, 0);
    OK(gt_import_file(&g, f.model, NULL));
    OK(gt_records_create(&records));
    gt_plan *plan = random_plan(g, &rng, records);
    OK(gt_strdup(&plan->model_file, "model.onnx"));
    OK(gt_plan_write(plan, f.plan));
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
    return f;
}

static void remove_files(const struct files *f)
{
    unlink(f->model);
    unlink(f->plan);
    ck_assert_int_eq(rmdir(f->folder), 0);
}

static void check_port(const gt_port *p, const char *name, int rank, const int64_t *dim)
{
    size_t bytes = sizeof(float);
    ck_assert_str_eq(p->name, name);
    ck_assert_int_eq(p->type, GT_PORT_F32);
    ck_assert_int_eq(p->rank, rank);
    for (int i = 0; i < GT_PORT_MAX_RANK; i++) {
        ck_assert_int_eq(p->dim[i], i < rank ? dim[i] : 0);
        bytes *= i < rank ? (size_t)dim[i] : 1;
    }
    ck_assert_uint_eq(p->bytes, bytes);
    ck_assert_ptr_nonnull(p->data);
    ck_assert_uint_eq((uintptr_t)p->data % sizeof(float), 0);
}

START_TEST(deployments_run_and_describe_themselves)
{
    const struct files f = make_files();
    gt_deployment *d = NULL;
    gt_graph *g = NULL;
    gt_port in, out[2];
    gt_rng rng;
    void *want[2] = {NULL, NULL};
    const int64_t live = gt_i_live_allocations();
    OK(gt_deployment_open(&d, f.plan, _i == 0 ? NULL : f.model, _i));
    ck_assert_int_eq(gt_deployment_input_count(d), 1);
    ck_assert_int_eq(gt_deployment_output_count(d), 2);
    OK(gt_deployment_input(d, 0, &in));
    OK(gt_deployment_output(d, 0, &out[0]));
    OK(gt_deployment_output(d, 1, &out[1]));
    check_port(&in, "image", 4, (const int64_t[]){1, 3, 6, 6});
    check_port(&out[0], "scores", 2, (const int64_t[]){1, 4});
    check_port(&out[1], "map", 4, (const int64_t[]){1, 8, 3, 3});
    ck_assert_int_eq(gt_deployment_input(d, 1, &in), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_deployment_input(d, -1, &in), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_deployment_output(d, 2, &out[0]), GT_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "output 2: the model has 2"));

    gt_rng_seed(&rng, 9);
    gt_rng_fill(&rng, in.data, in.bytes / sizeof(float), -1, 1);
    OK(gt_import_file(&g, f.model, NULL));
    OK(gt_graph_run_reference(g, (const void *const[]){in.data}, want));
    for (int run = 0; run < 2; run++) {
        gt_deployment_run(d);
        for (int i = 0; i < 2; i++) {
            const int64_t elems = (int64_t)(out[i].bytes / sizeof(float));
            ck_assert(gt_compare_f32(out[i].data, want[i], elems, GT_TOLERANCE_F32, NULL) < 0);
        }
    }
    gt_free(want[0]);
    gt_free(want[1]);
    gt_graph_destroy(g);
    gt_deployment_close(d);
    gt_deployment_close(NULL);
    ck_assert_int_eq(gt_i_live_allocations(), live);
    ck_assert_int_ne(gt_version()[0], '\0');
    remove_files(&f);
}
END_TEST

static void check_refused(const struct files *f, const char *model, gt_status status, const char *says)
{
    gt_deployment *d = NULL;
    const int64_t live = gt_i_live_allocations();
    ck_assert_int_eq(gt_deployment_open(&d, f->plan, model, 0), status);
    ck_assert_msg(strstr(gt_error_message(), says) != NULL, "%s", gt_error_message());
    ck_assert_ptr_null(d);
    ck_assert_int_eq(gt_i_live_allocations(), live);
}

static void edit_plan(const struct files *f, const char *path, const char *value)
{
    char *text = NULL;
    size_t bytes = 0;
    gt_text edited = {0};
    OK(gt_file_read(&text, &bytes, f->plan));
    OK(pe_apply(&edited, text, PE_SET, path, value));
    OK(gt_file_replace(f->plan, edited.data, edited.length));
    gt_text_destroy(&edited);
    gt_free(text);
}

START_TEST(unfit_deployments_are_refused)
{
    const struct files f = make_files();
    gt_deployment *d = NULL;
    ck_assert_int_eq(gt_deployment_open(&d, f.plan, NULL, -1), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_deployment_open(&d, f.plan, NULL, 257), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_deployment_open(&d, f.folder, NULL, 0), GT_ERROR_IO);
    check_refused(&f, "/nonexistent.onnx", GT_ERROR_IO, "/nonexistent.onnx");
    check_refused(&f, f.plan, GT_ERROR_MISMATCH, "model.sha256");
    edit_plan(&f, "model.inputs[0].shape", "[1,3,8,8]");
    check_refused(&f, NULL, GT_ERROR_SHAPE, "image");
    edit_plan(&f, "model.inputs[0].shape", "[1,3,6,6]");
    edit_plan(&f, "isa", "\"avx9000\"");
    check_refused(&f, NULL, GT_ERROR_MISMATCH, "isa is \"avx9000\"");
    edit_plan(&f, "model.file", "\"elsewhere.onnx\"");
    check_refused(&f, NULL, GT_ERROR_IO, "elsewhere.onnx");
    edit_plan(&f, "model.file", "\"model.onnx\"");
    write_model(f.model, 1); /* the same structure with another weight */
    check_refused(&f, NULL, GT_ERROR_MISMATCH, "model.sha256");
    remove_files(&f);
}
END_TEST

static Suite *session_suite(void)
{
    Suite *suite = suite_create("session");
    TCase *runs = tcase_create("runs");
    tcase_set_timeout(runs, 120);
    tcase_add_loop_test(runs, random_schedules_equal_the_reference, 0, 8);
    tcase_add_loop_test(runs, two_ops_done_as_one, 0, 2);
    tcase_add_test(runs, constants_can_be_released);
    tcase_add_test(runs, shared_constants_outlive_their_first_reader);
    tcase_add_test(runs, outputs_without_an_op);
    tcase_add_test(runs, graph_without_ops);
    tcase_add_test(runs, steps_can_be_timed);
    tcase_add_test(runs, allocation_failures_leak_nothing);
    suite_add_tcase(suite, runs);
    TCase *refine = tcase_create("refine");
    tcase_set_timeout(refine, 120);
    tcase_add_loop_test(refine, stable_plans_rest_on_measured_figures, 0, 3);
    tcase_add_test(refine, figures_are_scaled_with_what_follows_from_them);
    suite_add_tcase(suite, refine);
    TCase *api = tcase_create("interface");
    tcase_set_timeout(api, 120);
    tcase_add_loop_test(api, deployments_run_and_describe_themselves, 0, 3);
    tcase_add_test(api, unfit_deployments_are_refused);
    suite_add_tcase(suite, api);
    return suite;
}

int main(void)
{
    seed = gt_test_seed(seed);
    return gt_test_run(session_suite());
}
