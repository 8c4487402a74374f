/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/general_common.h"

gt_i_view gt_i_view_of(gt_layout layout, const gt_shape *shape)
{
    gt_shape four = gt_shape_as_4d(shape);
    int64_t c = four.dim[1];
    int64_t l = layout == GT_NHWC ? c : gt_layout_block(layout);
    return (gt_i_view){four.dim[0], gt_i_ceil_div(c, l), four.dim[2], four.dim[3], l, c};
}

void gt_i_add_zero_phase(gt_kernel *kernel, const gt_i_view *out)
{
    if (gt_i_view_padded(out)) {
        kernel->tasks[kernel->n_phases++] = out->n * out->h;
    }
}

gt_i_axis_view gt_i_axis_view_of(gt_layout layout, const gt_shape *shape, int64_t axis)
{
    int64_t dim[GT_MAX_RANK + 1] = {0};
    int rank = shape->rank;
    int at = (int)axis;
    memcpy(dim, shape->dim, sizeof shape->dim);
    if (layout != GT_NCHW) {
        gt_i_view v = gt_i_view_of(layout, shape);
        rank = 5;
        memcpy(dim, (int64_t[]){v.n, v.g, v.h, v.w, v.l}, 5 * sizeof *dim);
        at = axis == 1 ? 4 : (int)axis;
    }
    gt_i_axis_view v = {1, dim[at], 1};
    for (int d = 0; d < rank; d++) {
        v.outer *= d < at ? dim[d] : 1;
        v.inner *= d > at ? dim[d] : 1;
    }
    return v;
}

static int64_t packed_bytes_of(const gt_kernel *kernel, int i)
{
    const gt_operand *input = &kernel->workload->inputs[i];
    gt_layout layout = input->shape.rank == 4 && input->dtype == GT_F32 ? kernel->in : GT_NCHW;
    int64_t bytes = gt_layout_elems(layout, &input->shape) * (int64_t)gt_dtype_bytes(input->dtype);
    return gt_i_ceil_div(bytes, GT_ALIGN_BYTES) * GT_ALIGN_BYTES;
}

gt_status gt_i_pack_inputs(gt_kernel *kernel, const void *const *consts, int64_t *at)
{
    const gt_workload *w = kernel->workload;
    int64_t total = 0;
    for (int i = 0; i < w->n_inputs; i++) {
        bool packed = w->inputs[i].present && w->inputs[i].constant;
        at[i] = packed ? total : -1;
        total += packed ? packed_bytes_of(kernel, i) : 0;
    }
    if (total == 0) {
        return GT_OK;
    }
    gt_status status = gt_i_kernel_room(kernel, (size_t)total);
    if (status != GT_OK || kernel->adopted != NULL) {
        return status;
    }
    memset(kernel->packed, 0, (size_t)total);
    for (int i = 0; i < w->n_inputs; i++) {
        const gt_operand *input = &w->inputs[i];
        if (at[i] < 0) {
            continue;
        }
        char *to = (char *)kernel->packed + at[i];
        if (input->shape.rank == 4 && input->dtype == GT_F32) {
            gt_transform((float *)to, kernel->in, consts[i], GT_NCHW, &input->shape);
        } else {
            memcpy(to, consts[i], (size_t)gt_shape_elems(&input->shape) * gt_dtype_bytes(input->dtype));
        }
    }
    return GT_OK;
}

bool gt_i_same_layout(const gt_workload *w, gt_layout in, gt_layout out)
{
    bool images = w->inputs[0].shape.rank == 4 && w->output.shape.rank == 4;
    return in == out && (in == GT_NCHW || images) && !w->inputs[0].constant;
}

gt_status gt_i_set_params(gt_kernel *kernel, const void *params, size_t bytes, gt_kernel_fn run)
{
    gt_status status = gt_calloc(&kernel->params, 1, bytes);
    if (status == GT_OK) {
        memcpy(kernel->params, params, bytes);
        kernel->run = run;
    }
    return status;
}
