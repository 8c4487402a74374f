/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/conv_common.h"

void gt_i_conv_init(gt_i_conv *conv, const gt_workload *w, gt_layout in, gt_layout out)
{
    const gt_shape *x = &w->inputs[0].shape;
    const gt_shape *f = &w->inputs[1].shape;
    const gt_shape *y = &w->output.shape;
    *conv = (gt_i_conv){
        .n = x->dim[0], .c = x->dim[1], .h = x->dim[2], .w = x->dim[3],
        .k = y->dim[1], .oh = y->dim[2], .ow = y->dim[3],
        .kh = f->dim[2], .kw = f->dim[3],
        .sh = w->attrs.conv.stride[0], .sw = w->attrs.conv.stride[1],
        .dh = w->attrs.conv.dilation[0], .dw = w->attrs.conv.dilation[1],
        .pad_t = w->attrs.conv.pad[0], .pad_l = w->attrs.conv.pad[1],
        .pad_b = w->attrs.conv.pad[2], .pad_r = w->attrs.conv.pad[3],
        .groups = w->attrs.conv.groups,
        .x = gt_layout_strides(in, x), .y = gt_layout_strides(out, y),
        .epilogue = w->epilogue,
    };
    conv->cg = conv->c / conv->groups;
    conv->kg = conv->k / conv->groups;
    conv->bias = w->n_inputs > 2 && w->inputs[2].present;
    conv->residual = w->n_inputs > 3 && w->inputs[3].present && w->epilogue.residual != GT_RESIDUAL_NONE;
}

int64_t gt_i_isa_lanes(gt_isa isa)
{
    static const int64_t lanes[GT_ISA_COUNT] = {[GT_ISA_BASE] = 4, [GT_ISA_AVX2] = 8, [GT_ISA_AVX512] = 16};
    return lanes[isa];
}

int64_t gt_i_conv_lanes(const gt_strides *strides, gt_isa isa)
{
    int64_t lanes = gt_i_isa_lanes(isa);
    return strides->block > 1 ? gt_i_min(strides->block, lanes) : lanes;
}

void gt_i_knob_add(gt_knob *knob, int64_t value)
{
    if (value < 1 || value > INT32_MAX || knob->n == GT_MAX_KNOB_VALUES) {
        return;
    }
    for (int i = 0; i < knob->n; i++) {
        if (knob->value[i] == value) {
            return;
        }
    }
    knob->value[knob->n++] = (int32_t)value;
}

gt_knob *gt_i_knob_begin(gt_space *space, const char *name, int64_t value)
{
    gt_knob *knob = &space->knob[space->n++];
    *knob = (gt_knob){.name = name, .n = 1, .value = {(int32_t)value}};
    return knob;
}
