/* SPDX-License-Identifier: Apache-2.0 */
/* conv_transpose2d.direct: every layout, any stride, dilation, padding and groups. */
#include "ops/conv_transpose.h"

#include "src/base/memory.h"

#include <string.h>

enum { KNOB_OC_CHUNK, KNOB_VECTORS };

static bool is_depthwise(const gt_workload *w)
{
    int64_t groups = w->attrs.conv.groups;
    return groups > 1 && groups == w->inputs[0].shape.dim[1] && groups == w->output.shape.dim[1];
}

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    return in == out && !w->inputs[0].constant && w->epilogue.residual == GT_RESIDUAL_NONE;
}

static void space(const gt_workload *w, gt_layout in, gt_layout out, gt_space *space)
{
    int64_t channels = w->output.shape.dim[1] / (is_depthwise(w) ? 1 : w->attrs.conv.groups);
    (void)in;
    (void)out;
    gt_knob *chunk = gt_i_knob_begin(space, "oc_chunk", 64);
    for (int64_t size = 16; size < 2 * channels && size <= 256; size *= 2) {
        gt_i_knob_add(chunk, size);
    }
    if (!is_depthwise(w)) {
        gt_i_micro_knob(space, 2);
    }
}

/* How far the taps reach beyond a row of the input, on both sides. */
static void find_margins(const gt_i_conv *v, int64_t *left, int64_t *right)
{
    *left = *right = 0;
    for (int64_t x = 0; x < v->ow; x++) {
        for (int64_t s = 0; s < v->kw; s++) {
            int64_t at = x + v->pad_l - s * v->dw;
            if (at % v->sw == 0) {
                *left = gt_i_max(*left, -(at / v->sw));
                *right = gt_i_max(*right, at / v->sw - (v->w - 1));
            }
        }
    }
}

static void init(gt_i_conv_transpose *p, const gt_kernel *k, gt_isa isa)
{
    int64_t right;
    gt_i_conv *v = &p->conv;
    gt_i_conv_init(v, k->workload, k->in, k->out);
    p->depthwise = is_depthwise(k->workload);
    p->shape = p->depthwise ? GT_MICRO_TALL : gt_i_micro_shape_of(k->config.value[KNOB_VECTORS]);
    p->lanes = gt_i_isa_lanes(isa);
    find_margins(v, &p->left, &right);
    p->row_pixels = p->left + v->w + right;
    p->columns = gt_i_round_up(p->depthwise ? v->k : v->kg, p->lanes);
    p->x_pixel = p->depthwise ? p->columns : v->c;
    p->oc_chunk = gt_i_round_up(k->config.value[KNOB_OC_CHUNK], p->lanes * gt_i_micro_vectors(p->shape));
    p->oc_chunks = gt_i_div_up(p->columns, p->oc_chunk);
    p->group_floats = v->cg * v->kh * v->kw * p->columns;
    int64_t span_floats = v->kh * v->kw * (int64_t)(sizeof(gt_i_span) / sizeof(float));
    p->buffer_offset = gt_i_round_up(span_floats, 16);
    p->bias_offset = gt_i_round_up(p->group_floats * (p->depthwise ? 1 : v->groups), 16);
}

/* weights[C][kg][kh][kw] into panels of [kh][kw][cg][width] per group. */
static void pack_weights(const gt_i_conv_transpose *p, float *packed, const float *weights)
{
    const gt_i_conv *v = &p->conv;
    int64_t taps = v->kh * v->kw, depth = v->cg * taps;
    for (int64_t c = 0; c < v->c; c++) {
        int64_t group = p->depthwise ? 0 : c / v->cg, inside = c % v->cg;
        for (int64_t k = 0; k < v->kg; k++) {
            int64_t column = p->depthwise ? c : k;
            gt_i_panel_column at = gt_i_micro_column(p->shape, p->lanes, p->columns, depth, column);
            float *to = packed + group * p->group_floats + at.first;
            for (int64_t tap = 0; tap < taps; tap++) {
                to[(tap * v->cg + inside) * at.step] = weights[(c * v->kg + k) * taps + tap];
            }
        }
    }
}

static void pack_bias(const gt_i_conv_transpose *p, float *packed, const float *bias)
{
    int64_t per_group = p->depthwise ? p->conv.k : p->conv.kg;
    for (int64_t k = 0; k < p->conv.k; k++) {
        packed[p->bias_offset + k / per_group * p->columns + k % per_group] = bias[k];
    }
}

static void pack(const gt_i_conv_transpose *p, gt_kernel *k, const void *const *consts)
{
    memset(k->packed, 0, k->packed_bytes);
    pack_weights(p, k->packed, consts[1]);
    if (p->conv.bias) {
        pack_bias(p, k->packed, consts[2]);
    }
}

static gt_status prepare(gt_kernel *k, const void *const *consts, gt_isa isa)
{
    gt_status status = GT_OK;
    gt_i_conv_transpose *p = NULL;
    GT_TRY(gt_calloc(&k->params, 1, sizeof *p));
    p = k->params;
    init(p, k, isa);
    int64_t groups = p->depthwise ? 1 : p->conv.groups;
    GT_TRY(gt_i_kernel_room(k, (size_t)(p->bias_offset + groups * p->columns) * sizeof(float)));
    if (k->adopted == NULL) {
        pack(p, k, consts);
    }
    k->n_phases = 2;
    k->tasks[0] = p->conv.n * p->conv.h;
    k->tasks[1] = groups * p->oc_chunks * p->conv.n * p->conv.oh;
    k->shared_bytes = (size_t)(p->conv.n * p->conv.h * p->row_pixels * p->x_pixel) * sizeof(float);
    int64_t width = p->lanes * gt_i_micro_vectors(p->shape);
    k->thread_bytes = (size_t)(p->buffer_offset + p->conv.ow * width) * sizeof(float);
    k->run = gt_i_kernel(GT_K_conv_transpose2d_direct_f32, isa);
done:
    return status;
}

const gt_template gt_i_template_conv_transpose2d_direct = {
    .name = "conv_transpose2d.direct",
    .kind = GT_OP_CONV_TRANSPOSE2D,
    .rev = 1,
    .supports = supports,
    .space = space,
    .prepare = prepare,
};
