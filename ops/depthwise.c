/* SPDX-License-Identifier: Apache-2.0 */
/* depthwise.direct: cases, knobs and packing. The two algorithms are described in ops/depthwise.h. */
#include "ops/depthwise.h"
#include "ops/kernels.h"
#include "ops/pair.h"

enum { KNOB_OW_TILE, KNOB_ROWS, KNOB_OH_TILE, KNOB_C_CHUNK };

static bool depthwise_supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    bool constant = w->inputs[1].constant &&
                    (w->n_inputs < 3 || !w->inputs[2].present || w->inputs[2].constant);
    return in == out && constant && !w->inputs[0].constant && gt_workload_is_depthwise(w) &&
           gt_shape_elems(&w->inputs[0].shape) > 0 && gt_shape_elems(&w->output.shape) > 0;
}

/* Whether a kernel with channels as lanes is left to the register tiles for any kernel: an output row meets no input row, or an
 * output column's first tap lies right of the image, or its last one left of it. */
static bool needs_any(const gt_i_conv *v)
{
    for (int64_t row = 0; row < v->oh; row++) {
        int64_t begin, end;
        gt_i_conv_taps(&begin, &end, row * v->sh - v->pad_t, v->dh, v->kh, v->h);
        if (begin == end) {
            return true;
        }
    }
    return v->pad_l > (v->kw - 1) * v->dw || (v->ow - 1) * v->sw - v->pad_l >= v->w;
}

/* Whether two output rows share a register tile. They share the input rows between them where the rows below each other overlap.
 * With channels as lanes that is for kernels of 3x3, of whose rows only a tile's first and last may lie outside the image. */
static bool two_rows(const gt_i_conv *v, gt_layout in)
{
    const bool overlap = v->dh == 1 && v->kh > v->sh && v->oh > 1;
    if (in == GT_NCHW) {
        /* An input row that both meet lies in the image. */
        return overlap && v->sh == 1 && v->sw == 1 && v->dw == 1 && v->pad_t < v->kh && v->oh - 1 - v->pad_t < v->h &&
               (v->kw == 3 || v->kw == 5 || v->kw == 7) && !needs_any(v);
    }
    const bool usual = v->kh == 3 && v->kw == 3 && v->dw == 1 && v->sh == v->sw && v->sh <= 2;
    return overlap && usual && v->pad_t <= 1 && (v->oh - 1) * v->sh - v->pad_t + v->kh <= v->h + 1 && !needs_any(v);
}

/* Output rows of a task. In NHWC so many that they and the input rows they need, of one cache line of channels, stay in a first
 * cache of 32 KiB with some room: then every line comes once, though several vectors share it. */
#define NHWC_CHANNELS 16
#define CACHE_FLOATS (28 * 1024 / 4)

static int64_t rows_of_task(const gt_i_conv *v, gt_layout in)
{
    const int64_t rows = gt_i_min(v->oh, gt_i_max(14, v->oh / 4));
    const int64_t fit = (CACHE_FLOATS / (NHWC_CHANNELS * v->w) - (v->kh - 1) * v->dh) / (v->sh + 1);
    return in == GT_NHWC ? gt_i_min(rows, gt_i_max(fit / 2 * 2, 2)) : rows;
}

static void depthwise_space(const gt_workload *w, gt_layout in, gt_layout out, gt_space *space)
{
    gt_i_conv v;
    gt_i_conv_init(&v, w, in, out);
    /* Positions; of 4 lanes each in NCHW, where wider vectors make the tile wider. */
    static const int64_t positions[] = {7, 4, 8, 2, 1}, vectors[] = {7, 4, 3, 2, 1};
    const int64_t *widths = in == GT_NCHW ? vectors : positions;
    const int64_t most = in == GT_NCHW ? gt_i_div_up(v.ow, 4) : v.ow;
    int64_t first = 0;
    while (widths[first] > most) {
        first++;
    }
    int64_t tile = in != GT_NCHW && v.ow % 8 == 0 && v.ow % 7 != 0 ? 8 : widths[first];
    tile = in == GT_NCHW && most > 4 && most % 7 != 0 ? 4 : tile;
    gt_knob *knob = gt_i_knob_begin(space, "ow_tile", tile);
    for (int i = 0; i < 5; i++) {
        gt_i_knob_add(knob, widths[i] <= most ? widths[i] : 0);
    }
    knob = gt_i_knob_begin(space, "rows", two_rows(&v, in) ? 2 : 1);
    gt_i_knob_add(knob, 1);
    knob = gt_i_knob_begin(space, "oh_tile", rows_of_task(&v, in));
    for (int64_t i = 2; i < v.oh; i *= 2) {
        gt_i_knob_add(knob, i);
    }
    gt_i_knob_add(knob, v.oh);
    if (in == GT_NHWC) {
        knob = gt_i_knob_begin(space, "c_chunk", gt_i_min(v.k, NHWC_CHANNELS));
        for (int64_t i = 2 * NHWC_CHANNELS; i < v.k; i *= 2) {
            gt_i_knob_add(knob, i);
        }
        gt_i_knob_add(knob, v.k);
    }
}

/* ---- preparing ---- */

static void set_activation(gt_i_depthwise *d)
{
    const gt_epilogue *e = &d->conv.epilogue;
    d->clamp = e->act == GT_FN_RELU || e->act == GT_FN_CLIP;
    d->lo = e->act == GT_FN_CLIP ? e->alpha : e->act == GT_FN_RELU ? 0 : -__builtin_inff();
    d->hi = e->act == GT_FN_CLIP ? e->beta : __builtin_inff();
    d->clamp_keeps_zero = d->lo <= 0 && d->hi >= 0;
}

static int64_t reached_rows(const gt_i_depthwise *d)
{
    const gt_i_conv *v = &d->conv;
    return gt_i_min((d->task_rows - 1) * v->sh + (v->kh - 1) * v->dh + 1, v->h);
}

/* Channels as lanes. */
static void set_channels(gt_kernel *kernel, gt_i_depthwise *d, gt_isa isa)
{
    const gt_i_conv *v = &d->conv;
    d->channels_last = kernel->in == GT_NHWC;
    d->lanes = gt_i_conv_lanes(&v->y, isa);
    while (d->channels_last && d->lanes > 4 && d->lanes > v->k) {
        d->lanes /= 2;
    }
    d->partial = d->channels_last && v->k < d->lanes;
    d->expand = d->partial || v->k != v->c;
    d->vectors = gt_i_div_up(v->y.blocks * v->y.block, d->lanes);
    d->vector_floats = (v->kh * v->kw + 1) * d->lanes;
    const int64_t block = d->channels_last ? kernel->config.value[KNOB_C_CHUNK] : v->y.block;
    d->chunk = d->expand ? 1 : gt_i_max(block / d->lanes, 1);
    /* The last vector of NHWC may overlap the one before, so both belong to one task. */
    const bool overlap = d->channels_last && v->k % d->lanes != 0;
    d->chunks = gt_i_max(gt_i_div_up(d->vectors - overlap, d->chunk), 1);
    if (d->expand) {
        d->copy_rows = reached_rows(d);
        d->scratch_tile = d->copy_rows * v->w * d->lanes;
        const int64_t sums = d->partial ? gt_i_min(d->task_rows, v->oh) * v->ow * d->lanes : 0;
        kernel->thread_bytes = (size_t)(d->scratch_tile + sums) * sizeof(float);
    }
    kernel->tasks[0] = v->n * d->row_tasks * d->chunks;
    kernel->run = gt_i_kernel(GT_K_depthwise_direct_f32, isa);
}

/* Positions as lanes. */
static void set_positions(gt_kernel *kernel, gt_i_depthwise *d, gt_isa isa)
{
    const gt_i_conv *v = &d->conv;
    const int64_t reach = (v->kw - 1) * v->dw + 1;
    d->lanes = gt_i_isa_lanes(isa);
    while (d->lanes > 4 && d->lanes > v->ow) {
        d->lanes /= 2;
    }
    d->weight_row = gt_i_round_up(v->kw, 4);
    d->vector_floats = GT_I_DEPTHWISE_BIAS + v->kh * d->weight_row;
    d->copy_rows = reached_rows(d);
    d->copy_cols = gt_i_round_up(v->ow, d->lanes) + (v->kw - 1) * v->dw / v->sw;
    d->scratch_tile = d->copy_rows * gt_i_min(v->sw, reach) * d->copy_cols;
    kernel->thread_bytes = (size_t)v->kw * sizeof(int64_t) +
                           (size_t)(d->scratch_tile + gt_i_min(d->task_rows, v->oh) * d->lanes) * sizeof(float);
    kernel->tasks[0] = v->n * d->row_tasks * v->k;
    kernel->run = gt_i_kernel(GT_K_depthwise_direct_row_f32, isa);
}

/* ---- packing ---- */

static void pack_channels(float *packed, const gt_i_depthwise *d, const float *weights, const float *bias)
{
    const gt_i_conv *v = &d->conv;
    for (int64_t vector = 0; vector < d->vectors; vector++) {
        float *to = packed + vector * d->vector_floats;
        for (int64_t i = 0; i < d->lanes; i++) {
            const int64_t k = gt_i_depthwise_channel(d, vector) + i;
            const bool exists = k >= 0 && k < v->k;
            to[i] = exists && bias != NULL ? bias[k] : 0;
            for (int64_t tap = 0; tap < v->kh * v->kw; tap++) {
                to[(tap + 1) * d->lanes + i] = exists ? weights[k * v->kh * v->kw + tap] : 0;
            }
        }
    }
}

static void pack_positions(float *packed, const gt_i_depthwise *d, const float *weights, const float *bias)
{
    const gt_i_conv *v = &d->conv;
    for (int64_t k = 0; k < v->k; k++) {
        float *to = packed + k * d->vector_floats;
        for (int64_t i = 0; i < d->vector_floats; i++) {
            to[i] = 0;
        }
        for (int64_t i = 0; i < GT_I_DEPTHWISE_BIAS; i++) {
            to[i] = bias != NULL ? bias[k] : 0;
        }
        for (int64_t row = 0; row < v->kh; row++) {
            for (int64_t column = 0; column < v->kw; column++) {
                to[GT_I_DEPTHWISE_BIAS + row * d->weight_row + column] = gt_i_conv_weight(v, weights, k, 0, row, column);
            }
        }
    }
}

gt_status gt_i_depthwise_prepare_strip(gt_kernel *kernel, const void *const *consts, gt_isa isa, const gt_i_strip *strip)
{
    gt_status status = GT_OK;
    gt_i_depthwise *d = NULL;
    GT_TRY(gt_calloc(&d, 1, sizeof *d));
    kernel->params = d;
    gt_i_conv_init(&d->conv, kernel->workload, kernel->in, kernel->out);
    d->tile = kernel->config.value[KNOB_OW_TILE];
    d->tile_rows = kernel->config.value[KNOB_ROWS];
    d->task_rows = strip != NULL ? strip->rows : kernel->config.value[KNOB_OH_TILE];
    if (strip != NULL) {
        d->conv.y = *strip->y;
    }
    d->row_tasks = gt_i_div_up(d->conv.oh, d->task_rows);
    set_activation(d);
    d->any = needs_any(&d->conv);
    const bool channels = kernel->in != GT_NCHW;
    if (channels) {
        set_channels(kernel, d, isa);
    } else {
        set_positions(kernel, d, isa);
    }
    if (strip != NULL) {
        kernel->run = gt_i_kernel(channels ? GT_K_depthwise_direct_rows_f32 : GT_K_depthwise_direct_row_rows_f32, isa);
    }
    const int64_t count = channels ? d->vectors : d->conv.k;
    GT_TRY(gt_i_kernel_room(kernel, (size_t)(count * d->vector_floats) * sizeof(float)));
    if (kernel->adopted != NULL) {
        goto done;
    }
    if (channels) {
        pack_channels(kernel->packed, d, consts[1], d->conv.bias ? consts[2] : NULL);
    } else {
        pack_positions(kernel->packed, d, consts[1], d->conv.bias ? consts[2] : NULL);
    }
done:
    return status;
}

static gt_status depthwise_prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    return gt_i_depthwise_prepare_strip(kernel, consts, isa, NULL);
}

const gt_template gt_i_template_depthwise_direct = {
    .name = "depthwise.direct",
    .kind = GT_OP_CONV2D,
    .rev = 3,
    .supports = depthwise_supports,
    .space = depthwise_space,
    .prepare = depthwise_prepare,
};
