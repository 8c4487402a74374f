/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates made ready to run, in memory that shows what they should not do. */
#include "costmodel/measure_internal.h"

#include <string.h>

#define GUARD_BYTES 256
#define GUARD_VALUE 0xa5
#define NAN_BYTE 0xff /* four of them are a NaN */
#define MAX_ROTATION_BYTES ((int64_t)64 << 20)

/* ---- memory ---- */

gt_status gt_i_alloc_guarded(unsigned char **data, size_t bytes)
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

bool gt_i_guards_intact(const unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        if (data[-1 - (ptrdiff_t)i] != GUARD_VALUE || data[bytes + i] != GUARD_VALUE) {
            return false;
        }
    }
    return true;
}

size_t gt_i_stored_bytes(const gt_operand *operand, gt_layout layout)
{
    int64_t elems = operand->dtype == GT_F32 ? gt_layout_elems(layout, &operand->shape)
                                             : gt_shape_elems(&operand->shape);
    return (size_t)elems * gt_dtype_bytes(operand->dtype);
}

/* ---- candidates ---- */

static gt_status make_inputs(gt_i_setup *s, const gt_i_candidate *c)
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
        size_t bytes = gt_i_stored_bytes(operand, layout);
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
 * comes; none of those that are so large that they push themselves out. */
static gt_status make_packed_copies(gt_i_setup *s, const gt_i_candidate *c)
{
    gt_status status = GT_OK;
    size_t bytes = s->kernel->packed_bytes;
    if (s->kernel->packed == NULL || bytes == 0) {
        return GT_OK;
    }
    s->packed_stride = (bytes + GT_ALIGN_BYTES - 1) / GT_ALIGN_BYTES * GT_ALIGN_BYTES;
    int64_t wanted = 2 * c->private_cache_bytes;
    wanted = wanted < MAX_ROTATION_BYTES ? wanted : MAX_ROTATION_BYTES;
    if ((int64_t)bytes >= wanted) {
        return GT_OK;
    }
    s->copies = 1 + (wanted - 1) / (int64_t)s->packed_stride;
    GT_TRY(gt_alloc_aligned(&s->packed, (size_t)s->copies * s->packed_stride));
    for (int64_t i = 0; i < s->copies; i++) {
        memcpy(s->packed + (size_t)i * s->packed_stride, s->kernel->packed, bytes);
    }
done:
    return status;
}

gt_status gt_i_make_setup(gt_i_setup *s, const gt_i_candidate *c)
{
    gt_status status = GT_OK;
    const gt_workload *w = c->bench->workload;
    GT_TRY(gt_kernel_create(&s->kernel, c->tmpl, w, c->in, c->out, c->config, c->bench->consts,
                            c->options->isa));
    GT_TRY(make_inputs(s, c));
    s->out_bytes = gt_i_stored_bytes(&w->output, c->out);
    GT_TRY(gt_i_alloc_guarded(&s->out, s->out_bytes));
    size_t workspace_bytes = gt_kernel_workspace_bytes(s->kernel, c->options->threads);
    GT_TRY(gt_alloc_aligned(&s->workspace, workspace_bytes));
    memset(s->workspace, NAN_BYTE, workspace_bytes); /* a kernel must not rely on what it finds there */
    GT_TRY(make_packed_copies(s, c));
done:
    return status;
}

void gt_i_run_setup(void *context, int64_t number)
{
    const gt_i_setup *s = context;
    const void *packed = s->copies > 0 ? s->packed + (size_t)(number % s->copies) * s->packed_stride : NULL;
    gt_kernel_run(s->kernel, s->in, s->out, packed, s->workspace, s->pool);
}
