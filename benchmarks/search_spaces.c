/* SPDX-License-Identifier: Apache-2.0 */
#include "benchmarks/search_spaces.h"

#include <stdio.h>
#include <unistd.h>

#define CONV_ATTRS(stride, pad) "{stride=" stride ",pad=" pad ",dilation=1x1,groups=1,act=relu}"

/* Layers of common networks, in the layouts that select gives to such layers; small enough that thousands of points take
 * minutes. */
static const gt_search_space spaces[] = {
    {"conv2d(1x48x20x20,64x48x3x3!,64!,_)->1x64x20x20" CONV_ATTRS("1x1", "1x1x1x1"), GT_NHWC, GT_NHWC},
    {"conv2d(1x128x14x14,96x128x3x3!,96!,_)->1x96x14x14" CONV_ATTRS("1x1", "1x1x1x1"), GT_NCHW16C, GT_NCHW16C},
    {"conv2d(1x24x32x32,48x24x3x3!,48!,_)->1x48x16x16" CONV_ATTRS("2x2", "1x1x1x1"), GT_NCHW8C, GT_NCHW8C},
    {"conv2d(1x64x28x28,128x64x1x1!,128!,_)->1x128x28x28" CONV_ATTRS("1x1", "0x0x0x0"), GT_NCHW8C, GT_NCHW8C},
    {"conv2d(1x160x10x10,96x160x1x1!,96!,_)->1x96x10x10" CONV_ATTRS("1x1", "0x0x0x0"), GT_NHWC, GT_NHWC},
    {"conv2d(1x16x16x16,32x16x5x5!,32!,_)->1x32x16x16" CONV_ATTRS("1x1", "2x2x2x2"), GT_NCHW, GT_NCHW},
    {"conv2d(1x72x20x20,72x1x5x5!,72!,_)->1x72x20x20{stride=1x1,pad=2x2x2x2,dilation=1x1,groups=72,act=relu}", GT_NHWC, GT_NHWC},
    {"matmul(1x100x192,192x192!)->1x100x192", GT_NCHW, GT_NCHW},
};

int gt_search_space_count(void)
{
    return (int)(sizeof spaces / sizeof *spaces);
}

const gt_search_space *gt_search_space_at(int index)
{
    return &spaces[index];
}

struct recorder {
    gt_records *known;
    gt_records_writer *writer;
    const gt_device *device;
    const gt_measure_options *options;
    int64_t measured;
};

static gt_status measure_point(struct recorder *r, const gt_bench_case *bench, const gt_template *t, const gt_workload *w,
                               const gt_search_space *s, const gt_space *space, const gt_config *config)
{
    gt_status status = GT_OK;
    gt_record record = {0};
    gt_text text = {0};
    GT_TRY(gt_config_format(&text, space, config));
    const gt_record *known = gt_records_find(r->known, GT_RECORD_OP, r->device->hash, r->options->threads, w->key, s->in, s->out,
                                             t->name, text.data);
    if (known == NULL || !gt_record_is_current(known)) {
        GT_TRY(gt_measure_candidate(&record, bench, t, s->in, s->out, config, 0, r->device, r->options));
        GT_TRY(gt_records_append(r->writer, &record));
        r->measured++;
    }
done:
    gt_text_destroy(&text);
    gt_record_clear(&record);
    return status;
}

static gt_status measure_template(struct recorder *r, const gt_bench_case *bench, const gt_template *t, const gt_workload *w,
                                  const gt_search_space *s)
{
    gt_status status = GT_OK;
    gt_space space;
    gt_template_space(t, w, s->in, s->out, &space);
    for (int64_t i = 0; i < gt_space_size(&space); i++) {
        gt_config config;
        gt_space_point(&space, i, &config);
        if (gt_template_valid(t, w, s->in, s->out, &config)) {
            GT_TRY(measure_point(r, bench, t, w, s, &space, &config));
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
    for (size_t i = 0; i < gt_template_count(); i++) {
        const gt_template *t = gt_template_at(i);
        if (gt_template_supports(t, w, s->in, s->out)) {
            GT_TRY(measure_template(r, bench, t, w, s));
        }
    }
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
        fprintf(stderr, "space %d of %d: %lld points measured\n", i + 1, gt_search_space_count(),
                (long long)(r.measured - before));
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
