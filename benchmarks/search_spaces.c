/* SPDX-License-Identifier: Apache-2.0 */
#include "benchmarks/search_spaces.h"

#include <stdio.h>
#include <unistd.h>

#define CONV(in, out, kernel, stride, pad, groups) \
    "conv2d(" in "," kernel "!,_,_)->" out "{stride=" stride ",pad=" pad ",dilation=1x1,groups=" groups ",act=relu}"

/* Layers of common networks, in the layouts that select gives to such layers; small enough that thousands of points take
 * minutes. None of them served to choose the constants of the search. */
static const gt_search_space spaces[] = {
    {"3x3", CONV("1x48x20x20", "1x64x20x20", "64x48x3x3", "1x1", "1x1x1x1", "1"), GT_NHWC, GT_NHWC},
    {"3x3, many channels", CONV("1x128x14x14", "1x96x14x14", "96x128x3x3", "1x1", "1x1x1x1", "1"), GT_NCHW16C, GT_NCHW16C},
    {"3x3, stride 2", CONV("1x24x32x32", "1x48x16x16", "48x24x3x3", "2x2", "1x1x1x1", "1"), GT_NCHW8C, GT_NCHW8C},
    {"3x3, 4 groups", CONV("1x96x14x14", "1x96x14x14", "96x24x3x3", "1x1", "1x1x1x1", "4"), GT_NHWC, GT_NHWC},
    {"3x3, first layer", CONV("1x3x64x64", "1x32x32x32", "32x3x3x3", "2x2", "1x1x1x1", "1"), GT_NCHW, GT_NCHW8C},
    {"5x5", CONV("1x16x16x16", "1x32x16x16", "32x16x5x5", "1x1", "2x2x2x2", "1"), GT_NCHW, GT_NCHW},
    {"1x1, blocked", CONV("1x64x28x28", "1x128x28x28", "128x64x1x1", "1x1", "0x0x0x0", "1"), GT_NCHW8C, GT_NCHW8C},
    {"1x1, channels last", CONV("1x160x10x10", "1x96x10x10", "96x160x1x1", "1x1", "0x0x0x0", "1"), GT_NHWC, GT_NHWC},
    {"depthwise 3x3", CONV("1x96x28x28", "1x96x28x28", "96x1x3x3", "1x1", "1x1x1x1", "96"), GT_NHWC, GT_NHWC},
    {"depthwise 5x5, stride 2", CONV("1x240x56x56", "1x240x28x28", "240x1x5x5", "2x2", "2x2x2x2", "240"), GT_NHWC, GT_NHWC},
    {"dense, 64 rows", "dense(64x1024,512x1024!,512!)->64x512{rows=0}", GT_NCHW, GT_NCHW},
    {"matmul", "matmul(1x200x1024,1024x512!)->1x200x512", GT_NCHW, GT_NCHW},
};

int gt_search_space_count(void)
{
    return (int)(sizeof spaces / sizeof *spaces);
}

const gt_search_space *gt_search_space_at(int index)
{
    return &spaces[index];
}

/* ---- measuring ---- */

#define LEADING 1.1      /* times the best: these are measured again, */
#define LEADER_TIME 8    /* so much longer, */
#define ENOUGH_RUNS 1000 /* unless that many runs say what there is to say */
#define STRIDE 7919      /* from a point to the next one measured; a prime that no number of values has as a factor */

struct recorder {
    gt_records *known;
    gt_records_writer *writer;
    const gt_device *device;
    const gt_measure_options *options;
    const gt_search_space *space;
    const gt_workload *workload;
    const gt_bench_case *bench;
    double best_ns; /* of the space so far, 0: none */
    int64_t measured;
};

/* Does something about a point; known: its record, or NULL. */
typedef gt_status (*point_fn)(struct recorder *r, const gt_template *t, const gt_config *config, const gt_record *known);

static void note_best(struct recorder *r, const gt_record *record)
{
    if (record->status == GT_RECORD_OK && (r->best_ns == 0 || record->timing.median_ns < r->best_ns)) {
        r->best_ns = record->timing.median_ns;
    }
}

static gt_status measure_point(struct recorder *r, const gt_template *t, const gt_config *config, const gt_measure_options *o)
{
    gt_status status = GT_OK;
    gt_record record = {0};
    GT_TRY(gt_measure_candidate(&record, r->bench, t, r->space->in, r->space->out, config, r->best_ns, r->device, o));
    GT_TRY(gt_records_append(r->writer, &record));
    GT_TRY(gt_records_add(r->known, &record));
    note_best(r, &record);
    r->measured++;
done:
    gt_record_clear(&record);
    return status;
}

static gt_status measure_once(struct recorder *r, const gt_template *t, const gt_config *config, const gt_record *known)
{
    if (known != NULL && gt_record_is_current(known)) {
        note_best(r, known);
        return GT_OK;
    }
    return measure_point(r, t, config, r->options);
}

/* The least of thousands of short measurements is mostly luck; among the longer ones of those near it, less so. */
static gt_status measure_leader(struct recorder *r, const gt_template *t, const gt_config *config, const gt_record *known)
{
    gt_measure_options longer = *r->options;
    longer.min_time_ns *= LEADER_TIME;
    longer.max_time_ns *= LEADER_TIME;
    bool leads = known != NULL && known->status == GT_RECORD_OK && known->timing.median_ns <= LEADING * r->best_ns;
    bool told = leads && (known->timing.runs >= ENOUGH_RUNS ||
                          (double)known->timing.runs * known->timing.median_ns >= (double)longer.min_time_ns / 2);
    return leads && !told ? measure_point(r, t, config, &longer) : GT_OK;
}

static gt_status visit_point(struct recorder *r, const gt_template *t, const gt_space *space, int64_t index, point_fn visit)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    gt_config config;
    gt_space_point(space, index, &config);
    if (!gt_template_valid(t, r->workload, r->space->in, r->space->out, &config)) {
        return GT_OK;
    }
    GT_TRY(gt_config_format(&text, space, &config));
    GT_TRY(visit(r, t, &config, gt_records_find(r->known, GT_RECORD_OP, r->device->hash, r->options->threads, r->workload->key,
                                                r->space->in, r->space->out, t->name, text.data)));
done:
    gt_text_destroy(&text);
    return status;
}

/* Not in their order: what changes the machine for a while shall not look like what a knob does. */
static gt_status visit_points(struct recorder *r, point_fn visit)
{
    gt_status status = GT_OK;
    for (size_t i = 0; i < gt_template_count(); i++) {
        const gt_template *t = gt_template_at(i);
        if (gt_template_supports(t, r->workload, r->space->in, r->space->out)) {
            gt_space space;
            gt_template_space(t, r->workload, r->space->in, r->space->out, &space);
            for (int64_t p = 0; p < gt_space_size(&space); p++) {
                GT_TRY(visit_point(r, t, &space, p * STRIDE % gt_space_size(&space), visit));
            }
        }
    }
done:
    return status;
}

static gt_status measure_space(struct recorder *r, const gt_search_space *s)
{
    gt_status status = GT_OK;
    gt_workload *w = NULL;
    gt_bench_case *bench = NULL;
    GT_TRY(gt_workload_parse(&w, s->workload));
    GT_TRY(gt_bench_case_create(&bench, w, r->options));
    r->space = s;
    r->workload = w;
    r->bench = bench;
    r->best_ns = 0;
    GT_TRY(visit_points(r, measure_once));
    GT_TRY(visit_points(r, measure_leader));
done:
    gt_bench_case_destroy(bench);
    gt_workload_destroy(w);
    return status;
}

gt_status gt_search_record(const char *path, const gt_device *device, const gt_measure_options *o)
{
    gt_status status = GT_OK;
    struct recorder r = {.device = device, .options = o};
    gt_text fingerprint = {0};
    GT_TRY(gt_device_json(&fingerprint, device));
    GT_TRY(gt_records_create(&r.known));
    GT_TRY(gt_records_open(&r.writer, path, fingerprint.data));
    GT_TRY(gt_records_read(r.known, path, NULL));
    for (int i = 0; i < gt_search_space_count(); i++) {
        int64_t before = r.measured;
        GT_TRY(measure_space(&r, &spaces[i]));
        fprintf(stderr, "space %d of %d: %lld measurements\n", i + 1, gt_search_space_count(), (long long)(r.measured - before));
    }
done:
    if (r.writer != NULL) {
        gt_status closed = gt_records_close(r.writer);
        status = status == GT_OK ? closed : status;
    }
    gt_records_destroy(r.known);
    gt_text_destroy(&fingerprint);
    return status;
}
