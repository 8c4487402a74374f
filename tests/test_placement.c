/* SPDX-License-Identifier: Apache-2.0 */
/* Concats in place: who lies where, that schedules with and without them compute what the reference does, and that plans
 * which claim what is not possible are refused. GT_TEST_SEED changes the networks. */
#include "ops/reference.h"
#include "src/plan/placement.h"
#include "src/run/session.h"
#include "src/tune/select_internal.h"
#include "tests/graph_build.h"
#include "tests/runner.h"
#include "tests/select_cases.h"
#include "tests/select_oracle.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static uint64_t seed = 20261201;

#define MAX_PORTS 64
#define OK(expr) ck_assert_msg((expr) == GT_OK, "%s: %s", #expr, gt_error_message())

enum { NCHW = 1 << GT_NCHW, NHWC = 1 << GT_NHWC, C4 = 1 << GT_NCHW4C, C8 = 1 << GT_NCHW8C, C16 = 1 << GT_NCHW16C };
#define BLOCKED (C4 | C8 | C16)
#define ALL (NCHW | BLOCKED) /* all that has one piece per input where there are several pixels */

/* ---- who lies where ---- */

static gt_graph *graph_of(int *x, gt_shape shape)
{
    gt_graph *g = gb_graph();
    *x = gb_input(g, shape);
    return g;
}

static int conv(gt_graph *g, int x, int64_t channels)
{
    return gb_conv(g, x, channels, 1, 1, 0, 1, true);
}

static int concat(gt_graph *g, int a, int b)
{
    return gb_concat(g, 1, 2, (const int[]){a, b});
}

/* Expected layouts of the concats, in the order of the ops. */
static void expect_layouts(gt_graph *g, int n, const unsigned *layouts, const char *what)
{
    gt_placement *p = NULL;
    int seen = 0;
    sc_finish(g);
    OK(gt_placement_create(&p, g));
    for (int i = 0; i < g->n_ops; i++) {
        const unsigned got = gt_placement_layouts(p, i);
        if (g->ops[i].kind != GT_OP_CONCAT) {
            ck_assert_uint_eq(got, 0);
            continue;
        }
        ck_assert_int_lt(seen, n);
        ck_assert_msg(got == layouts[seen], "%s: concat %d (%s): layouts %x, not %x", what, seen, g->ops[i].name, got, layouts[seen]);
        seen++;
    }
    ck_assert_int_eq(seen, n);
    gt_placement_destroy(p);
    gt_graph_destroy(g);
}

START_TEST(shapes_that_lie_in_one_piece)
{
    int x = 0;
    gt_graph *g = graph_of(&x, gt_shape_4d(1, 8, 4, 4));
    (void)concat(g, conv(g, x, 16), conv(g, x, 16));
    expect_layouts(g, 1, (const unsigned[]){ALL}, "16 and 16 channels");
    g = graph_of(&x, gt_shape_4d(1, 8, 4, 4));
    (void)concat(g, conv(g, x, 12), conv(g, x, 5));
    expect_layouts(g, 1, (const unsigned[]){NCHW | C4}, "12 and 5 channels");
    g = graph_of(&x, gt_shape_4d(1, 8, 3, 3));
    (void)concat(g, conv(g, x, 8), conv(g, x, 8));
    expect_layouts(g, 1, (const unsigned[]){0}, "8 channels of 9 pixels are no multiple of 64 bytes");
    g = graph_of(&x, gt_shape_4d(1, 8, 3, 3));
    (void)concat(g, conv(g, x, 16), conv(g, x, 3));
    expect_layouts(g, 1, (const unsigned[]){ALL}, "the last input may be of any size");
    g = graph_of(&x, gt_shape_4d(2, 8, 4, 4));
    (void)concat(g, conv(g, x, 16), conv(g, x, 16));
    expect_layouts(g, 1, (const unsigned[]){0}, "two images");
    g = graph_of(&x, gt_shape_4d(1, 8, 1, 1));
    (void)concat(g, conv(g, x, 16), conv(g, x, 16));
    expect_layouts(g, 1, (const unsigned[]){ALL | NHWC}, "one pixel");
    g = graph_of(&x, gt_shape_4d(1, 8, 4, 4));
    (void)gb_concat(g, 0, 2, (const int[]){conv(g, x, 16), conv(g, x, 16)});
    expect_layouts(g, 1, (const unsigned[]){ALL | NHWC}, "along the images");
    g = graph_of(&x, gt_shape_4d(1, 8, 4, 4));
    (void)gb_concat(g, 2, 2, (const int[]){conv(g, x, 8), conv(g, x, 8)});
    expect_layouts(g, 1, (const unsigned[]){NHWC | C8 | C16}, "along the rows");
}
END_TEST

START_TEST(inputs_that_have_no_place)
{
    int x = 0;
    gt_graph *g = graph_of(&x, gt_shape_4d(1, 16, 4, 4));
    (void)concat(g, x, conv(g, x, 16));
    expect_layouts(g, 1, (const unsigned[]){BLOCKED}, "the caller fills the input in NCHW");
    g = graph_of(&x, gt_shape_4d(1, 16, 4, 4));
    const int a = conv(g, x, 16);
    (void)gb_concat(g, 1, 3, (const int[]){a, conv(g, x, 16), a});
    expect_layouts(g, 1, (const unsigned[]){0}, "one input twice");
    g = graph_of(&x, gt_shape_4d(1, 16, 4, 4));
    (void)concat(g, conv(g, x, 16), gb_const(g, gt_shape_4d(1, 16, 4, 4), -1, 1));
    expect_layouts(g, 1, (const unsigned[]){0}, "a constant");
    g = graph_of(&x, gt_shape_4d(1, 16, 4, 4));
    (void)concat(g, gb_reshape(g, x, gt_shape_4d(1, 4, 8, 8)), gb_reshape(g, conv(g, x, 16), gt_shape_4d(1, 4, 8, 8)));
    expect_layouts(g, 1, (const unsigned[]){0}, "a view of the input");
    g = graph_of(&x, gt_shape_4d(1, 16, 4, 4));
    const int b = conv(g, x, 16);
    (void)concat(g, gb_reshape(g, b, gt_shape_4d(1, 16, 2, 8)), gb_reshape(g, conv(g, x, 16), gt_shape_4d(1, 16, 2, 8)));
    expect_layouts(g, 1, (const unsigned[]){ALL}, "views of others");
    g = graph_of(&x, gt_shape_4d(1, 16, 4, 4));
    const int c = conv(g, x, 16);
    (void)concat(g, gb_reshape(g, c, gt_shape_4d(1, 16, 2, 8)), gb_reshape(g, gb_relu(g, c), gt_shape_4d(1, 16, 2, 8)));
    (void)gb_concat(g, 1, 3, (const int[]){conv(g, x, 16), conv(g, x, 16), c});
    expect_layouts(g, 2, (const unsigned[]){0, ALL}, "a view of what another concat has");
}
END_TEST

START_TEST(concats_that_want_the_same)
{
    int x = 0;
    gt_graph *g = graph_of(&x, gt_shape_4d(1, 16, 4, 4));
    int a = conv(g, x, 16), b = conv(g, x, 16), c = conv(g, x, 16);
    (void)gb_concat(g, 1, 2, (const int[]){a, b});
    (void)gb_concat(g, 1, 3, (const int[]){a, b, c});
    expect_layouts(g, 2, (const unsigned[]){ALL, ALL}, "the first inputs of a longer one");
    g = graph_of(&x, gt_shape_4d(1, 16, 4, 4));
    a = conv(g, x, 16), b = conv(g, x, 16), c = conv(g, x, 16);
    (void)gb_concat(g, 1, 2, (const int[]){b, c});
    (void)gb_concat(g, 1, 3, (const int[]){a, b, c});
    expect_layouts(g, 2, (const unsigned[]){0, ALL}, "the last inputs of a longer one");
    g = graph_of(&x, gt_shape_4d(1, 16, 4, 4));
    a = conv(g, x, 16), b = conv(g, x, 16), c = conv(g, x, 16);
    (void)gb_concat(g, 1, 2, (const int[]){a, c});
    (void)gb_concat(g, 1, 2, (const int[]){a, b});
    expect_layouts(g, 2, (const unsigned[]){ALL, 0}, "of two equally large ones the earlier");
    g = graph_of(&x, gt_shape_4d(1, 16, 4, 4));
    a = conv(g, x, 16), b = conv(g, x, 16), c = conv(g, x, 16);
    const int ab = concat(g, a, b);
    (void)gb_concat(g, 1, 2, (const int[]){ab, c});
    expect_layouts(g, 2, (const unsigned[]){ALL, ALL}, "a concat of a concat");
    g = graph_of(&x, gt_shape_4d(1, 16, 4, 4));
    a = conv(g, x, 16), b = conv(g, x, 16), c = conv(g, x, 16);
    const int first = concat(g, a, b);
    (void)gb_concat(g, 1, 3, (const int[]){a, b, c});
    (void)gb_concat(g, 1, 3, (const int[]){first, conv(g, x, 16), conv(g, x, 16)});
    expect_layouts(g, 3, (const unsigned[]){0, ALL, ALL}, "a beginning that lies in another output");
    g = graph_of(&x, gt_shape_4d(1, 16, 4, 4));
    a = conv(g, x, 16), b = conv(g, x, 5), c = conv(g, x, 16);
    (void)gb_concat(g, 1, 2, (const int[]){a, b});
    (void)gb_concat(g, 1, 3, (const int[]){a, b, c});
    expect_layouts(g, 2, (const unsigned[]){ALL, NCHW}, "layouts on their own");
}
END_TEST

/* ---- schedules ---- */

struct bench {
    gt_graph *g;
    gt_records *records;
    gt_select_options options;
    gt_selection *s;
    void *inputs[MAX_PORTS], *want[MAX_PORTS];
};

/* Takes the graph over. All that the templates have was measured, with copies besides what is in place. */
static void begin(struct bench *b, gt_graph *g, gt_rng *rng)
{
    *b = (struct bench){.g = g, .options = so_options()};
    b->options.max_memory_bytes = INT64_MAX;
    OK(gt_records_create(&b->records));
    sc_add_records(b->records, g, rng, &(sc_costs){.op_range = 100, .transform_range = 15, .any_config = true});
    OK(gt_i_selection_create(&b->s, g, b->records, &b->options));
    ck_assert_int_le(g->n_outputs, MAX_PORTS);
    for (int i = 0; i < g->n_inputs; i++) {
        const int64_t elems = gt_shape_elems(&g->tensors[g->inputs[i]].shape);
        OK(gt_calloc(&b->inputs[i], (size_t)elems, sizeof(float)));
        gt_rng_fill(rng, b->inputs[i], (size_t)elems, -1, 1);
    }
    OK(gt_graph_run_reference(g, (const void *const *)b->inputs, b->want));
}

static void end(struct bench *b)
{
    for (int i = 0; i < b->g->n_inputs; i++) {
        gt_free(b->inputs[i]);
    }
    for (int i = 0; i < b->g->n_outputs; i++) {
        gt_free(b->want[i]);
    }
    gt_i_selection_destroy(b->s);
    gt_records_destroy(b->records);
    gt_graph_destroy(b->g);
}

static void check_outputs(const struct bench *b, const gt_session *session, const char *what)
{
    for (int i = 0; i < b->g->n_outputs; i++) {
        const gt_tensor *t = &b->g->tensors[b->g->outputs[i]];
        double worst = 0;
        const float *got = gt_session_output(session, i);
        const int64_t at = gt_compare_f32(got, b->want[i], gt_shape_elems(&t->shape), GT_TOLERANCE_F32, &worst);
        ck_assert_msg(at < 0, "%s: output %d (%s): element %lld is %g, not %g", what, i, t->name, (long long)at,
                      (double)got[at < 0 ? 0 : at], (double)((const float *)b->want[i])[at < 0 ? 0 : at]);
        ck_assert_int_eq((int64_t)((uintptr_t)got % GT_ALIGN_BYTES), 0);
    }
}

/* Runs a program in an arena full of NaN. */
static void run(const struct bench *b, const gt_program *program, int threads, const char *what)
{
    gt_session *session = NULL;
    const gt_session_options options = {.threads = threads, .isa = gt_isa_best()};
    OK(gt_session_create(&session, b->g, program, &options));
    char *arena = (char *)gt_session_input(session, 0) - program->forms[program->inputs[0]].offset_bytes;
    memset(arena, 0xFF, (size_t)program->arena_bytes);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; turn == 0 && i < b->g->n_inputs; i++) {
            const int64_t elems = gt_shape_elems(&b->g->tensors[b->g->inputs[i]].shape);
            memcpy(gt_session_input(session, i), b->inputs[i], (size_t)elems * sizeof(float));
        }
        gt_session_run(session, NULL);
        check_outputs(b, session, what);
    }
    gt_session_destroy(session);
}

/* Every form lies inside its root, each at a multiple of the alignment, and the concats' inputs lie side by side in their
 * outputs. How many concats are in place. */
static int check_places(const gt_program *p, const gt_graph *g)
{
    int n = 0;
    for (int i = 0; i < p->n_forms; i++) {
        const gt_form *form = &p->forms[i];
        const gt_form *root = &p->forms[form->storage];
        ck_assert_int_eq(root->storage, form->storage);
        ck_assert(form->within_bytes >= 0 && form->within_bytes % GT_ALIGN_BYTES == 0);
        ck_assert_int_le(form->within_bytes + form->size_bytes, root->size_bytes);
    }
    for (int i = 0; i < p->n_steps; i++) {
        const gt_step *step = &p->steps[i];
        if (step->op < 0 || !step->tmpl->in_place) {
            continue;
        }
        const gt_form *output = &p->forms[step->output];
        int64_t at = output->within_bytes;
        ck_assert_int_eq(g->ops[step->op].kind, GT_OP_CONCAT);
        for (int k = 0; k < step->n_inputs; k++) {
            ck_assert_int_eq(p->forms[step->inputs[k]].storage, output->storage);
            ck_assert_int_eq(p->forms[step->inputs[k]].within_bytes, at);
            at += p->forms[step->inputs[k]].size_bytes;
        }
        n++;
    }
    return n;
}

/* What a plan stores of the memory is all that another program of the same schedule needs. */
static void check_map(const gt_program *program, const gt_graph *g, const gt_schedule *schedule)
{
    gt_plan *plan = NULL;
    gt_program *other = NULL;
    OK(gt_plan_create(&plan));
    OK(gt_program_save_memory(program, g, plan));
    OK(gt_program_build(&other, g, schedule));
    OK(gt_program_use_memory(other, g, plan));
    ck_assert_int_eq(other->arena_bytes, program->arena_bytes);
    gt_program_destroy(other);
    gt_plan_destroy(plan);
}

/* Choices at random, but of those in place as many as there are in one of three schedules. */
static void draw(const struct bench *b, gt_rng *rng, int32_t *values, int kind)
{
    const gt_layout only = (gt_layout)gt_rng_below(rng, GT_LAYOUT_COUNT);
    for (int i = 0; i < b->g->n_ops; i++) {
        const gt_domain *domain = &b->s->domains[i];
        values[i] = (int32_t)gt_rng_below(rng, domain->n);
        for (int v = 0; v < domain->n && kind % 3 == 0; v++) {
            const gt_choice *c = &domain->choice[v];
            values[i] = gt_i_is_in_place(c) && (kind % 2 == 0 || c->out == only) ? v : values[i];
        }
    }
}

START_TEST(schedules_equal_the_reference)
{
    enum { NETWORKS = 30, SCHEDULES = 9 };
    gt_rng rng;
    int in_place = 0;
    int copying = 0;
    gt_rng_seed(&rng, seed + (uint64_t)_i);
    for (int k = 0; k < NETWORKS; k++) {
        struct bench b;
        int32_t values[MAX_TENSORS];
        char what[64];
        begin(&b, k % 5 == 4 ? sc_graph(&rng, SC_CONCAT) : sc_graph(&rng, SC_IN_PLACE), &rng);
        for (int j = 0; j < SCHEDULES; j++) {
            gt_schedule schedule = {0};
            gt_program *program = NULL;
            draw(&b, &rng, values, j);
            OK(gt_i_schedule(b.s, values, &schedule));
            OK(gt_program_build(&program, b.g, &schedule));
            check_map(program, b.g, &schedule);
            const int n = check_places(program, b.g);
            in_place += n;
            copying += gb_count(b.g, GT_OP_CONCAT) - n;
            snprintf(what, sizeof what, "network %d, schedule %d", k, j);
            run(&b, program, 1 + 2 * (j % 2), what);
            gt_program_destroy(program);
            gt_schedule_clear(&schedule);
        }
        end(&b);
    }
    ck_assert_int_gt(in_place, NETWORKS * SCHEDULES / 3);
    ck_assert_int_gt(copying, NETWORKS * SCHEDULES / 3);
}
END_TEST

/* Seven concats, every one of which begins with the one before: one buffer, from the first map to the last. */
START_TEST(flat_concats_share_one_buffer)
{
    enum { LAYERS = 7 };
    gt_rng rng;
    struct bench b;
    int x = 0;
    int maps[LAYERS + 1];
    gt_rng_seed(&rng, seed + 50);
    gt_graph *g = graph_of(&x, gt_shape_4d(1, 8, 4, 4));
    maps[0] = conv(g, x, 32);
    for (int i = 1; i <= LAYERS; i++) {
        maps[i] = conv(g, i == 1 ? maps[0] : gb_concat(g, 1, i, maps), 16);
    }
    (void)conv(g, gb_concat(g, 1, LAYERS + 1, maps), 16);
    sc_finish(g);
    begin(&b, g, &rng);
    gt_select_options options = so_options();
    gt_plan *plan = NULL;
    gt_program *program = NULL;
    options.layouts = NCHW;
    OK(gt_select(&plan, g, b.records, &options));
    OK(gt_program_build(&program, g, &plan->schedule));
    ck_assert_int_eq(check_places(program, g), LAYERS);
    run(&b, program, 1, "flat");
    /* Beside it the input, which stays, and the output of the last conv, which is made when all else is read. */
    const int64_t pixel_bytes = 4 * 4 * sizeof(float);
    ck_assert_int_eq(plan->n_buffers, 3);
    ck_assert_int_eq(plan->arena_bytes, (8 + 32 + 16 * LAYERS + 16) * pixel_bytes);
    gt_program_destroy(program);
    gt_plan_destroy(plan);
    end(&b);
}
END_TEST

/* ---- plans that claim too much ---- */

static void refuse(const gt_graph *g, const gt_schedule *schedule, const char *message)
{
    gt_program *program = NULL;
    ck_assert_int_eq(gt_program_build(&program, g, schedule), GT_ERROR_MISMATCH);
    ck_assert_msg(strstr(gt_error_message(), message) != NULL, "\"%s\" is not in: %s", message, gt_error_message());
    ck_assert_ptr_null(program);
}

static gt_plan_op *entry_of(gt_plan *plan, const gt_graph *g, int tensor)
{
    return &plan->schedule.ops[g->tensors[tensor].producer];
}

static void claim(gt_plan_op *entry)
{
    gt_free(entry->template_name);
    OK(gt_strdup(&entry->template_name, "concat.in_place"));
    gt_free(entry->config);
    OK(gt_strdup(&entry->config, ""));
}

START_TEST(impossible_claims_are_refused)
{
    int x = 0;
    gt_rng rng;
    gt_records *records = NULL;
    gt_rng_seed(&rng, seed + 60);
    gt_graph *g = graph_of(&x, gt_shape_4d(1, 16, 3, 3));
    const int a = conv(g, x, 16), b = conv(g, x, 16);
    const int large = gb_concat(g, 1, 3, (const int[]){a, b, conv(g, x, 16)});
    const int small = concat(g, b, a);
    const int outside = concat(g, x, conv(g, x, 16));
    const int rough = concat(g, conv(g, x, 3), conv(g, x, 16));
    const int twice = concat(g, small, small);
    sc_finish(g);
    OK(gt_records_create(&records));
    sc_add_records(records, g, &rng, &(sc_costs){.op_range = 100, .transform_range = 15});
    gt_select_options options = so_options();
    gt_plan *plan = NULL;
    options.layouts = NCHW;
    OK(gt_select(&plan, g, records, &options));
    ck_assert_str_eq(entry_of(plan, g, large)->template_name, "concat.in_place");
    static const struct {
        int which;
        const char *message;
    } cases[] = {{0, "lies in the output of"}, {1, "is an input of the network"}, {2, "does not handle NCHW"},
                 {3, "has the memory of an input before it"}};
    const int tensors[] = {small, outside, rough, twice};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gt_plan_op *entry = entry_of(plan, g, tensors[cases[i].which]);
        char *kept = entry->template_name;
        char *config = entry->config;
        ck_assert_str_eq(kept, "concat.direct");
        entry->template_name = NULL;
        entry->config = NULL;
        claim(entry);
        refuse(g, &plan->schedule, cases[i].message);
        refuse(g, &plan->schedule, entry->node);
        refuse(g, &plan->schedule, "template concat.in_place");
        gt_free(entry->template_name);
        gt_free(entry->config);
        entry->template_name = kept;
        entry->config = config;
    }
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

/* The map holds what is not inside anything else, and nothing else is taken for it. */
START_TEST(corrupted_maps_are_refused)
{
    int x = 0;
    gt_rng rng;
    gt_records *records = NULL;
    gt_program *program = NULL;
    gt_rng_seed(&rng, seed + 70);
    gt_graph *g = graph_of(&x, gt_shape_4d(1, 16, 4, 4));
    const int a = conv(g, x, 16);
    const int y = concat(g, a, conv(g, x, 16));
    (void)conv(g, y, 16);
    sc_finish(g);
    OK(gt_records_create(&records));
    sc_add_records(records, g, &rng, &(sc_costs){.op_range = 100, .transform_range = 15});
    gt_select_options options = so_options();
    gt_plan *plan = NULL;
    options.layouts = NCHW;
    OK(gt_select(&plan, g, records, &options));
    OK(gt_program_build(&program, g, &plan->schedule));
    OK(gt_program_use_memory(program, g, plan));
    for (int i = 0; i < plan->n_buffers; i++) {
        gt_plan_buffer *buffer = &plan->buffers[i];
        ck_assert_str_ne(buffer->tensor, g->tensors[a].name);
        for (int kind = 0; kind < 3; kind++) {
            const gt_plan_buffer kept = *buffer;
            buffer->offset_bytes += kind == 0 ? 4 : kind == 1 ? plan->arena_bytes : 0;
            buffer->size_bytes += kind == 2 ? 64 : 0;
            ck_assert_int_eq(gt_program_use_memory(program, g, plan), GT_ERROR_MISMATCH);
            ck_assert_ptr_nonnull(strstr(gt_error_message(), "memory.offsets"));
            *buffer = kept;
        }
    }
    /* A buffer moved to where the concat's output lies while its inputs are made. */
    const gt_form *root = &program->forms[program->inputs[0]];
    int64_t output_offset = -1;
    for (int i = 0; i < plan->n_buffers; i++) {
        output_offset = strcmp(plan->buffers[i].tensor, g->tensors[y].name) == 0 ? plan->buffers[i].offset_bytes : output_offset;
    }
    ck_assert_int_ge(output_offset, 0);
    for (int i = 0; i < plan->n_buffers; i++) {
        if (strcmp(plan->buffers[i].tensor, g->tensors[root->tensor].name) == 0) {
            plan->buffers[i].offset_bytes = output_offset;
        }
    }
    ck_assert_int_eq(gt_program_use_memory(program, g, plan), GT_ERROR_MISMATCH);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "overlap while both are in use"));
    gt_program_destroy(program);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

START_TEST(failed_allocations)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed + 80);
    gt_graph *g = sc_graph(&rng, SC_IN_PLACE);
    gt_status status = GT_ERROR_MEMORY;
    int64_t k = 0;
    for (; status == GT_ERROR_MEMORY; k++) {
        gt_placement *p = NULL;
        gt_i_fail_allocation(k);
        status = gt_placement_create(&p, g);
        gt_i_fail_allocation(-1);
        ck_assert((status == GT_OK) == (p != NULL));
        gt_placement_destroy(p);
    }
    ck_assert_int_eq(status, GT_OK);
    ck_assert_int_gt(k, 5);
    gt_graph_destroy(g);
}
END_TEST

static Suite *placement_suite(void)
{
    Suite *suite = suite_create("placement");
    TCase *tests = tcase_create("placement");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, shapes_that_lie_in_one_piece);
    tcase_add_test(tests, inputs_that_have_no_place);
    tcase_add_test(tests, concats_that_want_the_same);
    tcase_add_loop_test(tests, schedules_equal_the_reference, 0, 3);
    tcase_add_test(tests, flat_concats_share_one_buffer);
    tcase_add_test(tests, impossible_claims_are_refused);
    tcase_add_test(tests, corrupted_maps_are_refused);
    tcase_add_test(tests, failed_allocations);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    seed = gt_test_seed(seed);
    return gt_test_run(placement_suite());
}
