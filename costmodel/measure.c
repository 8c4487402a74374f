/* SPDX-License-Identifier: Apache-2.0 */
/* One candidate or transform: set up, check, time. Everything between gt_i_run_child and its body happens
 * in a child that ends right after, so the body frees nothing. */
#include "costmodel/measure_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_KHZ 100000000

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

static gt_status check_output(gt_i_outcome *outcome, const gt_i_setup *s, const gt_i_candidate *c)
{
    if (!gt_i_guards_intact(s->out, s->out_bytes)) {
        gt_i_reject(outcome, "writes outside its output");
        return GT_OK;
    }
    return gt_i_check_stored(outcome, s->out, c->out, c->bench);
}

static void measure_candidate(gt_i_outcome *outcome, const void *context)
{
    const gt_i_candidate *c = context;
    gt_i_setup s = {0};
    if (!make_pool(&s.pool, outcome, c->options)) {
        return;
    }
    gt_status status = gt_i_make_setup(&s, c);
    if (status == GT_OK) {
        gt_i_run_setup(&s, 0);
        status = check_output(outcome, &s, c);
    }
    if (status == GT_OK && outcome->status == GT_RECORD_OK) {
        gt_i_subject subject = {gt_i_run_setup, &s, s.n_warm, s.warm, s.pool};
        status = time_watched(outcome, &subject, c->best_ns, c->options);
    }
    if (status != GT_OK) {
        gt_i_note_failure(outcome, status);
    }
}

/* ---- records ---- */

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
    gt_status status = gt_i_finish_record(r, outcome);
    if (o->watch != NULL) {
        o->watch->last = GT_THROTTLE_NONE;
    }
    if (o->watch != NULL && r->status == GT_RECORD_OK && r->timing.runs > 0) {
        tell_circumstances(r, outcome, o->watch);
    }
    return status;
}

gt_status gt_measure_candidate(gt_record *record, const gt_bench_case *bench, const gt_template *t,
                               gt_layout in, gt_layout out, const gt_config *config, double best_ns,
                               const gt_device *device, const gt_measure_options *o)
{
    gt_status status = GT_OK;
    gt_record r = {0};
    gt_i_outcome outcome = {0};
    const gt_i_candidate c = {bench, t, in, out, config, best_ns, gt_device_private_cache_bytes(device), o};
    GT_TRY(gt_i_begin_op_record(&r, &c, device));
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

static gt_status measure_transform_body(gt_i_outcome *outcome, struct transform *t)
{
    gt_status status = GT_OK;
    size_t src_bytes = (size_t)gt_layout_elems(t->from, t->shape) * sizeof *t->src;
    t->dst_bytes = (size_t)gt_layout_elems(t->to, t->shape) * sizeof *t->src;
    GT_TRY(gt_alloc_aligned(&t->src, src_bytes));
    GT_TRY(gt_i_alloc_guarded(&t->dst, t->dst_bytes));
    gt_i_fill_source(t->src, t->from, t->shape);
    run_transform(t, 0);
    if (!gt_i_guards_intact(t->dst, t->dst_bytes)) {
        gt_i_reject(outcome, "writes outside its output");
    } else {
        GT_TRY(gt_i_check_transformed(outcome, t->dst, t->to, t->shape));
    }
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
        gt_i_note_failure(outcome, status);
    }
}

gt_status gt_measure_transform(gt_record *record, const gt_shape *shape, gt_layout from, gt_layout to,
                               const gt_device *device, const gt_measure_options *o)
{
    gt_status status = GT_OK;
    gt_record r = {0};
    gt_i_outcome outcome = {0};
    struct transform t = {.shape = shape, .from = from, .to = to, .options = o};
    GT_TRY(gt_i_begin_transform_record(&r, shape, from, to, device, o->threads));
    GT_TRY(gt_i_run_child(&outcome, measure_transform, &t, o));
    GT_TRY(end_record(&r, &outcome, o));
    *record = r;
    r = (gt_record){0};
done:
    gt_record_clear(&r);
    return status;
}
