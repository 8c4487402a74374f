/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernel_check.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUARD_BYTES 256
#define GUARD_VALUE 0xa5
#define MAX_INPUTS 16

/* Memory with guard zones on both sides. */
struct guarded {
    unsigned char *memory;
    unsigned char *data; /* GT_ALIGN_BYTES aligned */
    size_t bytes;
};

/* A workload with its inputs and the expected output in C order. */
struct problem {
    const gt_workload *w;
    void *input[MAX_INPUTS];
    void *want;
};

struct candidate {
    const gt_template *tmpl;
    gt_layout in, out;
    gt_config config;
    gt_isa isa;
    int threads;
    char text[1024];
};

static const char *only_prefix;
static const char *tolerance_prefix;
static gt_tolerance tolerance_value;
static gt_pool *two_threads;

void kernel_check_only(const char *prefix)
{
    only_prefix = prefix;
}

void kernel_check_tolerance(const char *prefix, gt_tolerance tolerance)
{
    tolerance_prefix = prefix;
    tolerance_value = tolerance;
}

static void must(gt_status status, const char *what)
{
    if (status != GT_OK) {
        ck_abort_msg("%s: %s", what, gt_error_message());
    }
}

/* The zones are filled with 0xff, which is NaN as a float, for inputs and with a marker for outputs. */
static struct guarded guarded_create(size_t bytes, int zone_value)
{
    struct guarded g = {.bytes = bytes};
    must(gt_alloc_aligned(&g.memory, bytes + 2 * GUARD_BYTES), "test memory");
    g.data = g.memory + GUARD_BYTES;
    memset(g.memory, zone_value, GUARD_BYTES);
    memset(g.data, 0xff, bytes);
    memset(g.data + bytes, zone_value, GUARD_BYTES);
    return g;
}

static bool guarded_intact(const struct guarded *g)
{
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        if (g->memory[i] != GUARD_VALUE || g->data[g->bytes + i] != GUARD_VALUE) {
            return false;
        }
    }
    return true;
}

static size_t operand_bytes(const gt_operand *operand)
{
    return (size_t)gt_shape_elems(&operand->shape) * gt_dtype_bytes(operand->dtype);
}

static void problem_create(struct problem *p, const gt_workload *w, gt_rng *rng)
{
    *p = (struct problem){.w = w};
    ck_assert_int_le(w->n_inputs, MAX_INPUTS);
    for (int i = 0; i < w->n_inputs; i++) {
        const gt_operand *operand = &w->inputs[i];
        if (!operand->present) {
            continue;
        }
        must(gt_alloc_aligned(&p->input[i], operand_bytes(operand)), "test memory");
        memset(p->input[i], 0, operand_bytes(operand));
        if (operand->dtype == GT_F32) {
            gt_rng_fill(rng, p->input[i], (size_t)gt_shape_elems(&operand->shape), -1, 1);
        }
    }
    must(gt_alloc_aligned(&p->want, operand_bytes(&w->output)), "test memory");
    must(gt_reference_run(w, p->want, (const void *const *)p->input), w->key);
}

static void problem_destroy(struct problem *p)
{
    for (int i = 0; i < p->w->n_inputs; i++) {
        gt_free(p->input[i]);
    }
    gt_free(p->want);
}

/* ---- comparing ---- */

static gt_tolerance tolerance_of(const struct candidate *c)
{
    if (tolerance_prefix != NULL && strncmp(c->tmpl->name, tolerance_prefix, strlen(tolerance_prefix)) == 0) {
        return tolerance_value;
    }
    return GT_TOLERANCE_F32;
}

/* Every stored element beyond the C channels is exactly zero. */
static void check_padding(const struct problem *p, const struct candidate *c, const float *got)
{
    const gt_shape *shape = &p->w->output.shape;
    gt_strides s = gt_layout_strides(c->out, shape);
    if (!gt_layout_is_blocked(c->out)) {
        return;
    }
    for (int64_t n = 0; n < shape->dim[0]; n++) {
        for (int64_t k = shape->dim[1]; k < s.blocks * s.block; k++) {
            for (int64_t i = 0; i < shape->dim[2] * shape->dim[3]; i++) {
                int64_t h = i / shape->dim[3], w = i % shape->dim[3];
                float value = got[gt_strides_offset(&s, n, k, h, w)];
                ck_assert_msg(value == 0, "%s: channel padding at n=%d c=%d h=%d w=%d is %g, not 0",
                              c->text, (int)n, (int)k, (int)h, (int)w, value);
            }
        }
    }
}

static void check_floats(const struct problem *p, const struct candidate *c, const float *got)
{
    const gt_shape *shape = &p->w->output.shape;
    int64_t count = gt_shape_elems(shape);
    const float *want = p->want;
    float *plain = NULL;
    double worst = 0;
    check_padding(p, c, got);
    must(gt_alloc_aligned(&plain, (size_t)count * sizeof *plain), "test memory");
    gt_transform(plain, GT_NCHW, got, c->out, shape);
    int64_t wrong = gt_compare_f32(plain, want, count, tolerance_of(c), &worst);
    if (wrong >= 0) {
        gt_shape four = gt_shape_as_4d(shape);
        int64_t w = wrong % four.dim[3], h = wrong / four.dim[3] % four.dim[2];
        int64_t ch = wrong / four.dim[3] / four.dim[2] % four.dim[1];
        ck_abort_msg("%s: element %d (c=%d h=%d w=%d) is %.9g, want %.9g (worst %g)", c->text,
                     (int)wrong, (int)ch, (int)h, (int)w, plain[wrong], want[wrong], worst);
    }
    gt_free(plain);
}

/* ---- running one candidate ---- */

static void describe(const struct problem *p, struct candidate *c, const gt_space *space)
{
    gt_text config = {0};
    must(gt_config_format(&config, space, &c->config), "config");
    snprintf(c->text, sizeof c->text, "%s %s->%s {%s} %s threads=%d on %s", c->tmpl->name,
             gt_layout_name(c->in), gt_layout_name(c->out), config.data, gt_isa_name(c->isa), c->threads, p->w->key);
    gt_text_destroy(&config);
}

/* The candidate's input i between zones of NaN, in the layout it wants. */
static struct guarded make_input(const struct problem *p, const struct candidate *c, int i)
{
    const gt_operand *operand = &p->w->inputs[i];
    gt_layout layout = gt_template_input_layout(p->w, c->in, c->out, i);
    if (operand->dtype != GT_F32) {
        struct guarded g = guarded_create(operand_bytes(operand), 0xff);
        memcpy(g.data, p->input[i], g.bytes);
        return g;
    }
    struct guarded g =
        guarded_create((size_t)gt_layout_elems(layout, &operand->shape) * sizeof(float), 0xff);
    gt_transform((float *)g.data, layout, p->input[i], GT_NCHW, &operand->shape);
    return g;
}

static void run_once(const struct problem *p, struct candidate *c, gt_kernel *kernel,
                     const void *const *inputs, bool copy_packed)
{
    const gt_operand *output = &p->w->output;
    size_t out_bytes = output->dtype == GT_F32
                           ? (size_t)gt_layout_elems(c->out, &output->shape) * sizeof(float)
                           : operand_bytes(output);
    struct guarded out = guarded_create(out_bytes, GUARD_VALUE);
    struct guarded work = guarded_create(gt_kernel_workspace_bytes(kernel, c->threads), GUARD_VALUE);
    struct guarded packed = guarded_create(kernel->packed_bytes, GUARD_VALUE);
    if (copy_packed && kernel->packed != NULL) {
        memcpy(packed.data, kernel->packed, kernel->packed_bytes);
        memset(kernel->packed, 0xff, kernel->packed_bytes);
        gt_kernel_run(kernel, inputs, out.data, packed.data, work.data, two_threads);
        memcpy(kernel->packed, packed.data, kernel->packed_bytes);
    } else {
        gt_kernel_run(kernel, inputs, out.data, NULL, work.data, c->threads == 2 ? two_threads : NULL);
    }
    ck_assert_msg(guarded_intact(&out), "%s: writes outside its output", c->text);
    ck_assert_msg(guarded_intact(&work), "%s: writes outside its workspace", c->text);
    if (output->dtype == GT_F32) {
        check_floats(p, c, (const float *)out.data);
    } else {
        ck_assert_msg(memcmp(out.data, p->want, out_bytes) == 0, "%s: output differs", c->text);
    }
    gt_free(out.memory);
    gt_free(work.memory);
    gt_free(packed.memory);
}

/* The candidate without its constants, on what another one packed. */
static gt_kernel *adopt(const struct problem *p, const struct candidate *c, const gt_kernel *from)
{
    gt_kernel *kernel = NULL;
    const size_t bytes = from->packed_bytes;
    gt_status more = gt_kernel_adopt(&kernel, c->tmpl, p->w, c->in, c->out, &c->config, from->packed, bytes + 4, c->isa);
    ck_assert_msg(bytes == 0 || more == GT_ERROR_MISMATCH, "%s: takes %zu bytes of constants for %zu", c->text, bytes + 4, bytes);
    gt_kernel_destroy(kernel);
    kernel = NULL;
    must(gt_kernel_adopt(&kernel, c->tmpl, p->w, c->in, c->out, &c->config, from->packed, bytes, c->isa), c->text);
    ck_assert_msg(kernel->packed == from->packed && kernel->packed_bytes == bytes, "%s: copies its constants", c->text);
    return kernel;
}

static void check_candidate(const struct problem *p, struct candidate *c, const gt_space *space)
{
    struct guarded held[MAX_INPUTS] = {{0}}, before[MAX_INPUTS] = {{0}};
    const void *inputs[MAX_INPUTS] = {NULL}, *consts[MAX_INPUTS] = {NULL};
    gt_kernel *kernel = NULL, *adopted = NULL;
    c->threads = 1;
    describe(p, c, space);
    for (int i = 0; i < p->w->n_inputs; i++) {
        if (p->w->inputs[i].present && p->w->inputs[i].constant) {
            consts[i] = p->input[i];
        } else if (p->w->inputs[i].present) {
            held[i] = make_input(p, c, i);
            before[i] = make_input(p, c, i);
            inputs[i] = held[i].data;
        }
    }
    must(gt_kernel_create(&kernel, c->tmpl, p->w, c->in, c->out, &c->config, consts, c->isa), c->text);
    run_once(p, c, kernel, inputs, false);
    c->threads = 2;
    describe(p, c, space);
    adopted = adopt(p, c, kernel);
    run_once(p, c, adopted, inputs, true);
    for (int i = 0; i < p->w->n_inputs; i++) {
        ck_assert_msg(held[i].memory == NULL || memcmp(held[i].data, before[i].data, held[i].bytes) == 0,
                      "%s: changes its input %d", c->text, i);
        gt_free(held[i].memory);
        gt_free(before[i].memory);
    }
    gt_kernel_destroy(adopted);
    gt_kernel_destroy(kernel);
}

/* ---- choosing candidates ---- */

/* A random valid point; false if none was found. */
static bool random_config(gt_config *config, const struct problem *p, const struct candidate *c,
                          const gt_space *space, gt_rng *rng)
{
    for (int attempt = 0; attempt < 50; attempt++) {
        gt_space_point(space, gt_rng_below(rng, gt_space_size(space)), config);
        if (gt_template_valid(c->tmpl, p->w, c->in, c->out, config)) {
            return true;
        }
    }
    return false;
}

static int check_pair(const struct problem *p, struct candidate *c, int configs, gt_rng *rng)
{
    gt_space space;
    int checked = 0;
    gt_template_space(c->tmpl, p->w, c->in, c->out, &space);
    for (int i = 0; i < configs && i < gt_space_size(&space); i++) {
        gt_space_point(&space, 0, &c->config);
        if (i == 0) {
            describe(p, c, &space);
            ck_assert_msg(gt_template_valid(c->tmpl, p->w, c->in, c->out, &c->config),
                          "%s: the default config is not valid", c->text);
        } else if (!random_config(&c->config, p, c, &space, rng)) {
            break;
        }
        for (c->isa = GT_ISA_BASE; c->isa < GT_ISA_COUNT; c->isa++) {
            if (gt_isa_available(c->isa)) {
                check_candidate(p, c, &space);
                checked++;
            }
        }
    }
    return checked;
}

int kernel_check(const gt_workload *workload, int configs_per_pair, gt_rng *rng)
{
    struct problem p;
    int checked = 0;
    if (two_threads == NULL) {
        must(gt_pool_create(&two_threads, 2), "pool");
    }
    problem_create(&p, workload, rng);
    for (size_t i = 0; i < gt_template_count(); i++) {
        struct candidate c = {.tmpl = gt_template_at(i)};
        const char *name = c.tmpl->name;
        if (c.tmpl->view || (only_prefix != NULL && strncmp(name, only_prefix, strlen(only_prefix)) != 0)) {
            continue;
        }
        for (c.in = 0; c.in < GT_LAYOUT_COUNT; c.in++) {
            for (c.out = 0; c.out < GT_LAYOUT_COUNT; c.out++) {
                if (gt_template_supports(c.tmpl, workload, c.in, c.out)) {
                    checked += check_pair(&p, &c, configs_per_pair, rng);
                }
            }
        }
    }
    problem_destroy(&p);
    return checked;
}

int kernel_check_workload(const char *workload_key, int configs_per_pair, gt_rng *rng)
{
    gt_workload *workload = NULL;
    must(gt_workload_parse(&workload, workload_key), workload_key);
    int checked = kernel_check(workload, configs_per_pair, rng);
    gt_workload_destroy(workload);
    return checked;
}

/* ---- random workloads ---- */

gt_epilogue kernel_check_random_epilogue(gt_rng *rng, bool residual)
{
    gt_epilogue e = {.act = GT_FN_NONE};
    if (gt_rng_below(rng, 3) > 0) {
        e.act = (gt_function)gt_rng_below(rng, GT_FN_LAST_ACTIVATION + 1);
    }
    if (e.act == GT_FN_CLIP) {
        /* Both a range around 0 and one that excludes it: padding must stay 0 even then. */
        e.alpha = gt_rng_below(rng, 2) ? 0.0f : 0.25f;
        e.beta = e.alpha + 0.5f;
    } else if (e.act == GT_FN_LEAKY_RELU || e.act == GT_FN_ELU) {
        e.alpha = 0.5f;
    } else if (e.act == GT_FN_HARD_SIGMOID || e.act == GT_FN_HARD_SWISH) {
        e.alpha = 0.25f;
        e.beta = 0.5f;
    }
    if (residual) {
        e.residual = (gt_residual)gt_rng_below(rng, GT_RESIDUAL_AFTER + 1);
    }
    return e;
}

static int64_t random_kernel(gt_rng *rng)
{
    static const int64_t sizes[] = {1, 1, 1, 3, 3, 3, 2, 4, 5, 7};
    return sizes[gt_rng_below(rng, sizeof sizes / sizeof *sizes)];
}

static void random_window(gt_attrs *attrs, int64_t size[2], const int64_t kernel[2], gt_rng *rng)
{
    for (int i = 0; i < 2; i++) {
        int64_t dilation = gt_rng_below(rng, 4) == 0 ? 1 + gt_rng_below(rng, 3) : 1;
        int64_t reach = (kernel[i] - 1) * dilation + 1;
        attrs->conv.stride[i] = 1 + (gt_rng_below(rng, 3) == 0 ? gt_rng_below(rng, 3) : 0);
        attrs->conv.dilation[i] = dilation;
        bool same = gt_rng_below(rng, 2) == 0;
        attrs->conv.pad[i] = same ? reach / 2 : gt_rng_below(rng, reach + 2);
        attrs->conv.pad[i + 2] = same ? reach / 2 : gt_rng_below(rng, reach + 2);
        int64_t least = reach - attrs->conv.pad[i] - attrs->conv.pad[i + 2];
        size[i] = (least > 1 ? least : 1) + gt_rng_below(rng, 20);
    }
}

gt_workload *kernel_check_random_conv(gt_rng *rng, kernel_check_groups groups)
{
    static const int64_t many[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 20, 32, 33, 48};
    gt_attrs attrs = {.conv = {.groups = 1}};
    int64_t size[2], kernel[2] = {random_kernel(rng), random_kernel(rng)};
    int64_t cg = many[gt_rng_below(rng, 14)], kg = many[gt_rng_below(rng, 14)];
    if (groups == KERNEL_CHECK_GROUPED) {
        attrs.conv.groups = 2 + gt_rng_below(rng, 4);
        cg = many[1 + gt_rng_below(rng, 7)];
        kg = many[gt_rng_below(rng, 8)];
    } else if (groups == KERNEL_CHECK_DEPTHWISE) {
        attrs.conv.groups = 2 + gt_rng_below(rng, 39);
        cg = 1;
        kg = gt_rng_below(rng, 4) == 0 ? 1 + gt_rng_below(rng, 4) : 1;
    }
    random_window(&attrs, size, kernel, rng);
    int64_t k = kg * attrs.conv.groups;
    gt_operand inputs[4] = {
        {.present = true, .dtype = GT_F32,
         .shape = gt_shape_4d(1 + gt_rng_below(rng, 2), cg * attrs.conv.groups, size[0], size[1])},
        {.present = true, .constant = true, .dtype = GT_F32,
         .shape = gt_shape_4d(k, cg, kernel[0], kernel[1])},
        {.present = gt_rng_below(rng, 3) > 0, .constant = true, .dtype = GT_F32, .shape = gt_shape_of(1, &k)},
    };
    gt_workload *plain = NULL, *workload = NULL;
    must(gt_workload_create(&plain, GT_OP_CONV2D, &attrs, &(gt_epilogue){0}, 4, inputs, NULL), "random conv");
    gt_epilogue epilogue = kernel_check_random_epilogue(rng, gt_rng_below(rng, 2) == 0);
    inputs[3] = plain->output;
    inputs[3].present = epilogue.residual != GT_RESIDUAL_NONE;
    inputs[3].constant = false;
    must(gt_workload_create(&workload, GT_OP_CONV2D, &attrs, &epilogue, 4, inputs, NULL), "random conv");
    gt_workload_destroy(plain);
    return workload;
}
