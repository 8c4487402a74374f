/* SPDX-License-Identifier: Apache-2.0 */
/* One candidate or transform: set up, check, time. Everything between gt_i_run_child and its body happens
 * in a child that ends right after, so the body frees nothing. */
#include "costmodel/measure_internal.h"

#include "ops/reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GUARD_BYTES 256
#define GUARD_VALUE 0xa5
#define NAN_BYTE 0xff /* four of them are a NaN */
#define MAX_KHZ 100000000
#define MAX_ROTATION_BYTES ((int64_t)64 << 20)

gt_measure_options gt_measure_defaults(void)
{
    return (gt_measure_options){
        .threads = 1,
        .isa = gt_isa_best(),
        .min_time_ns = 6000000,
        .max_time_ns = 25000000,
        .interval = 0.02,
        .timeout_ns = 20000000000,
        .memory_bytes = (int64_t)1 << 30,
        .seed = 1,
        .reject_ratio = 1.4,
    };
}

/* ---- memory ---- */

/* An output buffer: NaNs, between zones that must stay as they are. *data is aligned. */
static gt_status alloc_guarded(unsigned char **data, size_t bytes)
{
    unsigned char *block = NULL;
    gt_status status = gt_alloc_aligned(&block, bytes + 2 * GUARD_BYTES);
    if (status == GT_OK) {
        memset(block, GUARD_VALUE, bytes + 2 * GUARD_BYTES);
        memset(block + GUARD_BYTES, NAN_BYTE, bytes);
        *data = block + GUARD_BYTES;
    }
    return status;
}

static bool guards_intact(const unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        if (data[-1 - (ptrdiff_t)i] != GUARD_VALUE || data[bytes + i] != GUARD_VALUE) {
            return false;
        }
    }
    return true;
}

static size_t stored_bytes(const gt_operand *operand, gt_layout layout)
{
    int64_t elems = operand->dtype == GT_F32 ? gt_layout_elems(layout, &operand->shape)
                                             : gt_shape_elems(&operand->shape);
    return (size_t)elems * gt_dtype_bytes(operand->dtype);
}

/* ---- checking ---- */

static void reject(gt_i_outcome *outcome, const char *format, ...) GT_PRINTF(2, 3);
static void reject(gt_i_outcome *outcome, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    outcome->status = GT_RECORD_WRONG;
    vsnprintf(outcome->note, sizeof outcome->note, format, args);
    va_end(args);
}

/* The padded channels of a blocked layout must be zero. */
static bool padding_is_zero(const float *data, gt_layout layout, const gt_shape *shape)
{
    if (!gt_layout_is_blocked(layout)) {
        return true;
    }
    gt_strides s = gt_layout_strides(layout, shape);
    for (int64_t n = 0; n < shape->dim[0]; n++) {
        for (int64_t c = shape->dim[1]; c < s.blocks * s.block; c++) {
            for (int64_t i = 0; i < shape->dim[2] * shape->dim[3]; i++) {
                if (data[gt_strides_offset(&s, n, c, i / shape->dim[3], i % shape->dim[3])] != 0) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Compares a stored float32 tensor with its elements in C order. */
static gt_status check_floats(gt_i_outcome *outcome, const void *data, gt_layout layout,
                              const gt_shape *shape, const float *want, gt_tolerance tolerance)
{
    gt_status status = GT_OK;
    float *plain = NULL;
    int64_t count = gt_shape_elems(shape);
    if (!padding_is_zero(data, layout, shape)) {
        reject(outcome, "the channel padding of the output is not zero");
        return GT_OK;
    }
    GT_TRY(gt_alloc_aligned(&plain, (size_t)count * sizeof *plain));
    gt_transform(plain, GT_NCHW, data, layout, shape);
    int64_t wrong = gt_compare_f32(plain, want, count, tolerance, NULL);
    if (wrong >= 0) {
        reject(outcome, "output element %lld is %.9g instead of %.9g", (long long)wrong, (double)plain[wrong],
               (double)want[wrong]);
    }
done:
    gt_free(plain);
    return status;
}

/* ---- a candidate ---- */

struct candidate {
    const gt_bench_case *bench;
    const gt_template *tmpl;
    gt_layout in, out;
    const gt_config *config;
    double best_ns;
    int64_t private_cache_bytes;
    const gt_measure_options *options;
};

/* A candidate made ready inside the child. */
struct setup {
    gt_kernel *kernel;
    const void **in;
    gt_i_range *warm;
    int n_warm;
    unsigned char *out;
    size_t out_bytes;
    void *workspace;
    unsigned char *packed; /* copies * packed_stride bytes */
    size_t packed_stride;
    int64_t copies;
    gt_pool *pool;
};

static gt_status make_inputs(struct setup *s, const struct candidate *c)
{
    gt_status status = GT_OK;
    const gt_workload *w = c->bench->workload;
    GT_TRY(gt_calloc(&s->in, (size_t)w->n_inputs, sizeof *s->in));
    GT_TRY(gt_calloc(&s->warm, (size_t)w->n_inputs, sizeof *s->warm));
    for (int i = 0; i < w->n_inputs; i++) {
        const gt_operand *operand = &w->inputs[i];
        gt_layout layout = gt_template_input_layout(w, c->in, c->out, i);
        void *data = NULL;
        if (!operand->present || operand->constant) {
            continue;
        }
        size_t bytes = stored_bytes(operand, layout);
        GT_TRY(gt_alloc_aligned(&data, bytes));
        if (operand->dtype == GT_F32) {
            gt_transform(data, layout, c->bench->inputs[i], GT_NCHW, &operand->shape);
        } else {
            memcpy(data, c->bench->inputs[i], bytes);
        }
        s->in[i] = data;
        s->warm[s->n_warm++] = (gt_i_range){data, bytes};
    }
done:
    return status;
}

/* As many copies of the packed constants as it takes that each has left the private cache when its turn
 * comes. */
static gt_status make_packed_copies(struct setup *s, const struct candidate *c)
{
    gt_status status = GT_OK;
    size_t bytes = s->kernel->packed_bytes;
    if (s->kernel->packed == NULL || bytes == 0) {
        return GT_OK;
    }
    s->packed_stride = (bytes + GT_ALIGN_BYTES - 1) / GT_ALIGN_BYTES * GT_ALIGN_BYTES;
    int64_t wanted = 2 * c->private_cache_bytes;
    wanted = wanted < MAX_ROTATION_BYTES ? wanted : MAX_ROTATION_BYTES;
    s->copies = 1 + (wanted - 1) / (int64_t)s->packed_stride;
    GT_TRY(gt_alloc_aligned(&s->packed, (size_t)s->copies * s->packed_stride));
    for (int64_t i = 0; i < s->copies; i++) {
        memcpy(s->packed + (size_t)i * s->packed_stride, s->kernel->packed, bytes);
    }
done:
    return status;
}

static gt_status make_setup(struct setup *s, const struct candidate *c)
{
    gt_status status = GT_OK;
    const gt_workload *w = c->bench->workload;
    GT_TRY(gt_kernel_create(&s->kernel, c->tmpl, w, c->in, c->out, c->config, c->bench->consts,
                            c->options->isa));
    GT_TRY(make_inputs(s, c));
    s->out_bytes = stored_bytes(&w->output, c->out);
    GT_TRY(alloc_guarded(&s->out, s->out_bytes));
    size_t workspace_bytes = gt_kernel_workspace_bytes(s->kernel, c->options->threads);
    GT_TRY(gt_alloc_aligned(&s->workspace, workspace_bytes));
    memset(s->workspace, NAN_BYTE, workspace_bytes); /* a kernel must not rely on what it finds there */
    GT_TRY(make_packed_copies(s, c));
done:
    return status;
}

static void run_kernel(void *context, int64_t number)
{
    const struct setup *s = context;
    const void *packed = s->copies > 0 ? s->packed + (size_t)(number % s->copies) * s->packed_stride : NULL;
    gt_kernel_run(s->kernel, s->in, s->out, packed, s->workspace, s->pool);
}

static gt_status check_output(gt_i_outcome *outcome, const struct setup *s, const struct candidate *c)
{
    const gt_operand *output = &c->bench->workload->output;
    if (!guards_intact(s->out, s->out_bytes)) {
        reject(outcome, "writes outside its output");
        return GT_OK;
    }
    if (output->dtype == GT_F32) {
        return check_floats(outcome, s->out, c->out, &output->shape, c->bench->want, GT_TOLERANCE_F32);
    }
    if (memcmp(s->out, c->bench->want, s->out_bytes) != 0) {
        reject(outcome, "the %s output differs", gt_dtype_name(output->dtype));
    }
    return GT_OK;
}

/* A failed step of a candidate, as a status of its record. */
static void note_failure(gt_i_outcome *outcome, gt_status status)
{
    outcome->status = status == GT_ERROR_MEMORY ? GT_RECORD_OOM : GT_RECORD_FAILED;
    snprintf(outcome->note, sizeof outcome->note, "%s", gt_error_message());
}

static bool make_pool(gt_pool **pool, gt_i_outcome *outcome, const gt_measure_options *o)
{
    outcome->error = gt_i_pinned_pool(pool, o);
    if (outcome->error != GT_OK) {
        snprintf(outcome->note, sizeof outcome->note, "%s", gt_error_message());
    }
    return outcome->error == GT_OK;
}

/* The looks are taken here, in the child, while its CPUs are busy. */
static gt_status time_watched(gt_i_outcome *outcome, const gt_i_subject *subject, double best_ns,
                              const gt_measure_options *o)
{
    if (o->watch != NULL) {
        gt_watch_wake(&outcome->before, o->watch);
    }
    gt_status status = gt_i_time(&outcome->timing, subject, best_ns, o);
    if (o->watch != NULL) {
        gt_watch_read(&outcome->after, o->watch);
    }
    return status;
}

static void measure_candidate(gt_i_outcome *outcome, const void *context)
{
    const struct candidate *c = context;
    struct setup s = {0};
    if (!make_pool(&s.pool, outcome, c->options)) {
        return;
    }
    gt_status status = make_setup(&s, c);
    if (status == GT_OK) {
        run_kernel(&s, 0);
        status = check_output(outcome, &s, c);
    }
    if (status == GT_OK && outcome->status == GT_RECORD_OK) {
        gt_i_subject subject = {run_kernel, &s, s.n_warm, s.warm, s.pool};
        status = time_watched(outcome, &subject, c->best_ns, c->options);
    }
    if (status != GT_OK) {
        note_failure(outcome, status);
    }
}

/* ---- records ---- */

/* A record's identity; the outcome comes later. */
static gt_status begin_record(gt_record *r, gt_record_kind kind, const char *workload,
                              const char *template_name, int rev, const gt_device *device,
                              const gt_measure_options *o)
{
    gt_status status = GT_OK;
    GT_REQUIRE(o->threads >= 1, GT_ERROR_ARGUMENT, "cannot measure on %d threads", o->threads);
    *r = (gt_record){.kind = kind, .threads = o->threads, .rev = rev, .source = GT_SOURCE_MEASURED};
    memcpy(r->device, device->hash, sizeof r->device);
    GT_TRY(gt_strdup(&r->workload, workload));
    GT_TRY(gt_strdup(&r->template_name, template_name));
done:
    return status;
}

/* A damaged process may have sent anything that happens to be in UTF-8's way. */
static void make_printable(char *text)
{
    for (; *text != '\0'; text++) {
        *text = (unsigned char)*text >= 0x20 && (unsigned char)*text < 0x7f ? *text : '?';
    }
}

/* A damaged process may have sent any clock and temperature, too. */
static void tell_circumstances(gt_record *r, const gt_i_outcome *outcome, gt_watch *watch)
{
    double hottest = fmax(outcome->before.celsius, outcome->after.celsius); /* the other where one is NaN */
    int64_t khz = gt_watch_slowest_khz(watch, &outcome->after);
    r->throttled = gt_watch_judge(watch, &outcome->before, &outcome->after) != GT_THROTTLE_NONE;
    r->mhz = khz <= MAX_KHZ ? (int)((khz + 500) / 1000) : 0;
    r->celsius = hottest >= -60 && hottest <= 200 ? hottest : 0;
}

static gt_status end_record(gt_record *r, gt_i_outcome *outcome, const gt_measure_options *o)
{
    make_printable(outcome->note);
    r->status = outcome->status;
    r->timing = outcome->status == GT_RECORD_OK ? outcome->timing : (gt_timing){0};
    if (o->watch != NULL) {
        o->watch->last = GT_THROTTLE_NONE;
    }
    if (o->watch != NULL && r->status == GT_RECORD_OK && r->timing.runs > 0) {
        tell_circumstances(r, outcome, o->watch);
    }
    return outcome->note[0] != '\0' ? gt_strdup(&r->note, outcome->note) : GT_OK;
}

static gt_status format_config(char **out, const gt_template *t, const gt_workload *w, gt_layout in,
                               gt_layout layout, const gt_config *config)
{
    gt_text text = {0};
    gt_space space;
    gt_template_space(t, w, in, layout, &space);
    gt_status status = gt_config_format(&text, &space, config);
    if (status == GT_OK) {
        *out = text.data;
        text.data = NULL;
    }
    gt_text_destroy(&text);
    return status;
}

gt_status gt_measure_candidate(gt_record *record, const gt_bench_case *bench, const gt_template *t,
                               gt_layout in, gt_layout out, const gt_config *config, double best_ns,
                               const gt_device *device, const gt_measure_options *o)
{
    gt_status status = GT_OK;
    gt_record r = {0};
    gt_i_outcome outcome = {0};
    const struct candidate c = {bench, t, in, out, config, best_ns, gt_device_private_cache_bytes(device), o};
    GT_TRY(begin_record(&r, GT_RECORD_OP, bench->workload->key, t->name, t->rev, device, o));
    r.in = in;
    r.out = out;
    GT_TRY(format_config(&r.config, t, bench->workload, in, out, config));
    if (!t->view) {
        GT_TRY(gt_i_run_child(&outcome, measure_candidate, &c, o));
    }
    GT_TRY(end_record(&r, &outcome, o));
    *record = r;
    r = (gt_record){0};
done:
    gt_record_clear(&r);
    return status;
}

/* ---- a transform ---- */

struct transform {
    const gt_shape *shape;
    gt_layout from, to;
    const gt_measure_options *options;
    /* In the child: */
    float *src;
    unsigned char *dst;
    size_t dst_bytes;
    gt_pool *pool;
};

static void run_transform_tasks(void *context, int thread, int64_t begin, int64_t end)
{
    const struct transform *t = context;
    (void)thread;
    gt_transform_run((float *)t->dst, t->to, t->src, t->from, t->shape, begin, end);
}

static void run_transform(void *context, int64_t number)
{
    struct transform *t = context;
    (void)number;
    gt_pool_run(t->pool, run_transform_tasks, t, gt_transform_tasks(t->shape, t->to, t->from));
}

/* Fills the source with its elements' C-order numbers (exact up to 2^24, and distinct enough beyond),
 * through the strides alone, so that nothing depends on the transforms that are measured. */
static void fill_source(float *data, gt_layout layout, const gt_shape *shape)
{
    gt_strides s = gt_layout_strides(layout, shape);
    memset(data, 0, (size_t)s.total * sizeof *data);
    int64_t number = 0;
    for (int64_t n = 0; n < shape->dim[0]; n++) {
        for (int64_t c = 0; c < shape->dim[1]; c++) {
            for (int64_t h = 0; h < shape->dim[2]; h++) {
                for (int64_t w = 0; w < shape->dim[3]; w++) {
                    data[gt_strides_offset(&s, n, c, h, w)] = (float)(++number % 16777213);
                }
            }
        }
    }
}

/* The whole destination, padding included, must be what fill_source makes of its layout. */
static gt_status check_transform(gt_i_outcome *outcome, const struct transform *t)
{
    gt_status status = GT_OK;
    float *want = NULL;
    if (!guards_intact(t->dst, t->dst_bytes)) {
        reject(outcome, "writes outside its output");
        return GT_OK;
    }
    GT_TRY(gt_alloc_aligned(&want, t->dst_bytes));
    fill_source(want, t->to, t->shape);
    for (size_t i = 0; i < t->dst_bytes / sizeof *want; i++) {
        float got = ((const float *)t->dst)[i];
        if (got != want[i]) {
            reject(outcome, "stored element %zu is %.9g instead of %.9g", i, (double)got, (double)want[i]);
            break;
        }
    }
done:
    gt_free(want);
    return status;
}

static gt_status measure_transform_body(gt_i_outcome *outcome, struct transform *t)
{
    gt_status status = GT_OK;
    size_t src_bytes = (size_t)gt_layout_elems(t->from, t->shape) * sizeof *t->src;
    t->dst_bytes = (size_t)gt_layout_elems(t->to, t->shape) * sizeof *t->src;
    GT_TRY(gt_alloc_aligned(&t->src, src_bytes));
    GT_TRY(alloc_guarded(&t->dst, t->dst_bytes));
    fill_source(t->src, t->from, t->shape);
    run_transform(t, 0);
    GT_TRY(check_transform(outcome, t));
    if (outcome->status == GT_RECORD_OK) {
        gt_i_range warm = {t->src, src_bytes};
        gt_i_subject subject = {run_transform, t, 1, &warm, t->pool};
        GT_TRY(time_watched(outcome, &subject, 0, t->options));
    }
done:
    return status;
}

static void measure_transform(gt_i_outcome *outcome, const void *context)
{
    struct transform t = *(const struct transform *)context;
    if (!make_pool(&t.pool, outcome, t.options)) {
        return;
    }
    gt_status status = measure_transform_body(outcome, &t);
    if (status != GT_OK) {
        note_failure(outcome, status);
    }
}

gt_status gt_measure_transform(gt_record *record, const gt_shape *shape, gt_layout from, gt_layout to,
                               const gt_device *device, const gt_measure_options *o)
{
    gt_status status = GT_OK;
    gt_record r = {0};
    gt_i_outcome outcome = {0};
    char text[GT_SHAPE_TEXT_BYTES];
    struct transform t = {.shape = shape, .from = from, .to = to, .options = o};
    GT_REQUIRE(shape->rank == 4, GT_ERROR_ARGUMENT, "only rank 4 tensors have layouts: %s",
               gt_shape_format(text, sizeof text, shape));
    GT_TRY(begin_record(&r, GT_RECORD_TRANSFORM, gt_shape_format(text, sizeof text, shape), "",
                        GT_TRANSFORM_REV, device, o));
    r.in = from;
    r.out = to;
    GT_TRY(gt_strdup(&r.config, ""));
    GT_TRY(gt_i_run_child(&outcome, measure_transform, &t, o));
    GT_TRY(end_record(&r, &outcome, o));
    *record = r;
    r = (gt_record){0};
done:
    gt_record_clear(&r);
    return status;
}
