/* SPDX-License-Identifier: Apache-2.0 */
/* Records of candidates and transforms: what they are of, and what came of it. */
#include "costmodel/measure_internal.h"

#include <string.h>

static gt_status begin(gt_record *r, gt_record_kind kind, const char *workload, const char *template_name, int rev,
                       const gt_device *device, int threads)
{
    gt_status status = GT_OK;
    GT_REQUIRE(threads >= 1, GT_ERROR_ARGUMENT, "cannot measure on %d threads", threads);
    *r = (gt_record){.kind = kind, .threads = threads, .rev = rev, .source = GT_SOURCE_MEASURED};
    memcpy(r->device, device->hash, sizeof r->device);
    GT_TRY(gt_strdup(&r->workload, workload));
    GT_TRY(gt_strdup(&r->template_name, template_name));
done:
    return status;
}

gt_status gt_i_begin_op_record(gt_record *r, const gt_i_candidate *c, const gt_device *device)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    gt_space space;
    const gt_workload *w = c->bench->workload;
    GT_TRY(begin(r, GT_RECORD_OP, w->key, c->tmpl->name, c->tmpl->rev, device, c->options->threads));
    r->in = c->in;
    r->out = c->out;
    gt_template_space(c->tmpl, w, c->in, c->out, &space);
    GT_TRY(gt_config_format(&text, &space, c->config));
    GT_TRY(gt_strdup(&r->config, text.data != NULL ? text.data : ""));
done:
    gt_text_destroy(&text);
    return status;
}

gt_status gt_i_begin_transform_record(gt_record *r, const gt_shape *shape, gt_layout from, gt_layout to,
                                      const gt_device *device, int threads)
{
    gt_status status = GT_OK;
    char text[GT_SHAPE_TEXT_BYTES];
    GT_REQUIRE(shape->rank == 4, GT_ERROR_ARGUMENT, "only rank 4 tensors have layouts: %s",
               gt_shape_format(text, sizeof text, shape));
    GT_TRY(begin(r, GT_RECORD_TRANSFORM, gt_shape_format(text, sizeof text, shape), "", GT_TRANSFORM_REV, device, threads));
    r->in = from;
    r->out = to;
    GT_TRY(gt_strdup(&r->config, ""));
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

gt_status gt_i_finish_record(gt_record *r, gt_i_outcome *outcome)
{
    make_printable(outcome->note);
    r->status = outcome->status;
    r->timing = outcome->status == GT_RECORD_OK ? outcome->timing : (gt_timing){0};
    return outcome->note[0] != '\0' ? gt_strdup(&r->note, outcome->note) : GT_OK;
}
