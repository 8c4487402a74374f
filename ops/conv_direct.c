/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d.direct: which cases it takes, its knobs, and how it packs weights. The algorithm is described in
 * ops/conv_direct.h. */
#include "ops/conv_direct.h"
#include "ops/kernels.h"

#include <string.h>

enum { KNOB_VECTORS, KNOB_OW_TILE, KNOB_IC_CHUNK, KNOB_ORDER, KNOB_OH_TILE, KNOB_OC_TASKS };
enum { ORDER_WEIGHTS_STAY = 1, ORDER_INPUT_STAYS = 2 };

/* Most positions in a register tile of v + 1 vectors, by the instruction set's number of registers. */
#if defined(__x86_64__)
#define FEW_REGISTERS {12, 6, 4, 3}
#define MANY_REGISTERS {14, 14, 7, 7}
#else
#define FEW_REGISTERS {14, 8, 7, 5}
#define MANY_REGISTERS {14, 8, 7, 5}
#endif
static const int64_t most_positions[GT_ISA_COUNT][GT_I_DIRECT_VECTORS] = {
    [GT_ISA_BASE] = FEW_REGISTERS, [GT_ISA_AVX2] = FEW_REGISTERS, [GT_ISA_AVX512] = MANY_REGISTERS};

/* What the config space offers: the same on every architecture, so that a plan can be made on one for another. A tile
 * that has not the registers is cut down to one that has. */
static const int64_t offered_positions[GT_I_DIRECT_VECTORS] = {14, 14, 7, 7};

/* One entry of the flat reduction list. */
struct step {
    int64_t channel, row, column;
    int64_t channels; /* 1 or GT_I_DIRECT_QUAD */
};

static bool direct_supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    const gt_shape *x = &w->inputs[0].shape;
    bool constant = w->inputs[1].constant &&
                    (w->n_inputs < 3 || !w->inputs[2].present || w->inputs[2].constant);
    bool pair = gt_layout_is_blocked(out) || in == out;
    /* Offsets within an image are 32 bits wide; 15 leaves room for channel padding. */
    int64_t image = gt_shape_elems(x) / gt_i_max(x->dim[0], 1);
    bool small = image + 15 * x->dim[2] * x->dim[3] < INT32_MAX / 2;
    return pair && constant && small && !w->inputs[0].constant && !gt_workload_is_depthwise(w) &&
           gt_shape_elems(x) > 0 && gt_shape_elems(&w->output.shape) > 0;
}

static bool is_flat(const gt_i_conv *v)
{
    return v->kh == 1 && v->kw == 1 && v->sh == 1 && v->sw == 1 && v->pad_t == 0 && v->pad_l == 0 &&
           v->oh == v->h && v->ow == v->w;
}

/* Input channels whose weights for 8 output channels fill about half of a small core's first-level cache; all
 * of them where little would be left for the next chunk. */
static int64_t default_chunk(const gt_i_conv *v)
{
    int64_t fitting = 16 * 1024 / (8 * (int64_t)sizeof(float) * v->kh * v->kw);
    int64_t chunk = gt_i_max(fitting / 16 * 16, 16);
    return v->cg <= chunk * 2 ? v->cg : chunk;
}

static int64_t default_rows(const gt_i_conv *v)
{
    return gt_i_max(gt_i_div_up(v->oh, 8), gt_i_min(v->oh, gt_i_div_up(64, v->ow)));
}

static void direct_space(const gt_workload *w, gt_layout in, gt_layout out, gt_space *space)
{
    gt_i_conv v;
    gt_i_conv_init(&v, w, in, out);
    const int64_t positions = is_flat(&v) ? v.oh * v.ow : v.ow;
    const int64_t quads = gt_i_div_up(v.kg, 4);
    const int64_t default_vectors = gt_i_min(2, quads);

    gt_knob *knob = gt_i_knob_begin(space, "oc_vectors", default_vectors);
    for (int64_t i = 1; i <= gt_i_min(GT_I_DIRECT_VECTORS, quads); i++) {
        gt_i_knob_add(knob, i);
    }
    knob = gt_i_knob_begin(space, "ow_tile",
                           gt_i_min(positions, offered_positions[default_vectors - 1]));
    for (int64_t i = 14; i >= 1; i -= i > 8 ? 2 : 1) {
        gt_i_knob_add(knob, i <= positions ? i : 0);
    }
    knob = gt_i_knob_begin(space, "ic_chunk", default_chunk(&v));
    for (int64_t i = 16; i < v.cg; i *= 2) {
        gt_i_knob_add(knob, i);
    }
    gt_i_knob_add(knob, v.cg);
    knob = gt_i_knob_begin(space, "order", ORDER_WEIGHTS_STAY);
    gt_i_knob_add(knob, ORDER_INPUT_STAYS);
    knob = gt_i_knob_begin(space, "oh_tile", default_rows(&v));
    for (int64_t i = 1; i < v.oh; i *= 2) {
        gt_i_knob_add(knob, i);
    }
    gt_i_knob_add(knob, v.oh);
    knob = gt_i_knob_begin(space, "oc_tasks", 1);
    for (int64_t i = 2; i <= 16 && i * 16 <= v.kg; i *= 2) {
        gt_i_knob_add(knob, i);
    }
}

static bool direct_valid(const gt_workload *w, gt_layout in, gt_layout out, const gt_config *config)
{
    (void)in, (void)out;
    const int64_t cg = w->inputs[1].shape.dim[1];
    const int32_t *value = config->value;
    /* Chunks serve the cache only where weights stay. */
    return value[KNOB_OW_TILE] <= offered_positions[value[KNOB_VECTORS] - 1] &&
           (value[KNOB_ORDER] == ORDER_WEIGHTS_STAY || value[KNOB_IC_CHUNK] == cg || cg < 16 ||
            value[KNOB_IC_CHUNK] > cg);
}

/* ---- preparing ---- */

/* Rows of one tile each, cut from the whole image: no tile ends at an image row's end. */
static void flatten(gt_i_direct *d)
{
    gt_i_conv *v = &d->conv;
    const int64_t positions = v->oh * v->ow, tiles = gt_i_div_up(positions, d->tile);
    const int64_t task_positions = d->task_rows * v->ow;
    const int64_t width = gt_i_div_up(positions, tiles);
    v->ow = v->w = width;
    v->oh = v->h = gt_i_div_up(positions, width);
    v->x.h = width * v->x.w;
    v->y.h = width * v->y.w;
    d->last_ow = positions - (v->oh - 1) * width;
    d->task_rows = gt_i_min(gt_i_div_up(task_positions, width), v->oh);
}

static void set_activation(gt_i_direct *d)
{
    const gt_epilogue *e = &d->conv.epilogue;
    if (e->act == GT_FN_RELU) {
        d->clamp = true;
        d->hi = __builtin_inff();
    } else if (e->act == GT_FN_CLIP) {
        d->clamp = true;
        d->lo = e->alpha;
        d->hi = e->beta;
    }
    d->clamp_keeps_zero = d->lo <= 0 && d->hi >= 0;
}

static void set_tiles(gt_i_direct *d, const gt_config *config, gt_isa isa)
{
    gt_i_conv *v = &d->conv;
    d->lanes = gt_i_conv_lanes(&v->y, isa);
    /* Few channels per group waste less in narrow vectors. */
    while (d->lanes > 4 && d->lanes / 2 >= v->kg) {
        d->lanes /= 2;
    }
    d->aligned = v->groups == 1 || v->kg % d->lanes == 0;
    d->group_vectors = gt_i_div_up(v->kg, d->lanes);
    d->vectors = gt_i_min(config->value[KNOB_VECTORS], d->group_vectors);
    d->tile = gt_i_min(config->value[KNOB_OW_TILE], most_positions[isa][d->vectors - 1]);
    d->group_tiles = gt_i_div_up(d->group_vectors, d->vectors);
    d->oc_tasks = gt_i_min(config->value[KNOB_OC_TASKS], d->group_tiles);
    d->zero_from = d->aligned ? gt_i_round_up(v->k, d->lanes) : v->k;
    set_activation(d);
}

/* The copied rows hold exactly the columns that the outputs reach, and of NHWC only the group's channels. */
static void set_view(gt_i_direct *d, gt_layout in)
{
    const gt_i_conv *v = &d->conv;
    const int64_t columns = (v->ow - 1) * v->sw + (v->kw - 1) * v->dw + 1;
    d->channels_last = in == GT_NHWC;
    d->copy = v->pad_l > 0 || columns > v->w;
    d->view_block = v->x.block_stride;
    d->view_h = v->x.h;
    d->view_w = v->x.w;
    if (d->copy) {
        d->copy_cols = columns;
        d->copy_rows = gt_i_min((d->task_rows - 1) * v->sh + (v->kh - 1) * v->dh + 1, v->h);
        d->view_w = d->channels_last ? v->cg : v->x.block;
        d->view_h = d->copy_cols * d->view_w;
        d->view_block = d->channels_last ? 1 : d->copy_rows * d->view_h;
    }
}

/* Per-thread scratch: the copied rows, then partial sums: of all tiles of a task if several chunks pass over
 * them, otherwise of one. */
static size_t scratch_bytes(gt_i_direct *d, gt_layout in)
{
    int64_t blocks = 0;
    for (int64_t g = 0; g < d->conv.groups && in != GT_NHWC; g++) {
        blocks = gt_i_max(blocks, gt_i_direct_end_block(d, g) - gt_i_direct_first_block(d, g));
    }
    int64_t copied = !d->copy ? 0 : in == GT_NHWC ? d->copy_rows * d->view_h : blocks * d->view_block;
    int64_t slots = d->n_chunks > 1 ? d->task_rows * gt_i_direct_row_tiles(d, d->conv.ow) : 1;
    d->scratch_partial = gt_i_round_up(copied, 16);
    return (size_t)(d->scratch_partial + slots * d->tile * d->vectors * d->lanes) * sizeof(float);
}

/* ---- the reduction list ---- */

/* Whether 4 channels of a group always lie side by side (in the last quad of a blocked layout some may be
 * padding, which is zero). */
static bool has_quads(const gt_i_conv *v, gt_layout in)
{
    if (in == GT_NHWC) {
        return v->cg >= GT_I_DIRECT_QUAD;
    }
    return v->x.block > 1 && (v->groups == 1 || v->cg % GT_I_DIRECT_QUAD == 0);
}

/* Appends the steps of channels [begin, end): kernel rows outermost, then as the input lies in memory. */
static int64_t list_chunk(gt_i_direct_chunk *chunk, struct step *steps, int64_t count, const gt_i_direct *d,
                          int64_t begin, int64_t end, bool quad)
{
    const gt_i_conv *v = &d->conv;
    const int64_t channels = quad ? GT_I_DIRECT_QUAD : 1, before = count;
    const int64_t block = d->channels_last ? end - begin : v->x.block;
    for (int64_t row = 0; row < v->kh; row++) {
        for (int64_t outer = begin; outer < end; outer += block) {
            for (int64_t column = 0; column < v->kw; column++) {
                for (int64_t c = outer; c < gt_i_min(outer + block, end); c += channels) {
                    steps[count++] = (struct step){c, row, column, channels};
                }
            }
        }
    }
    chunk->quad = quad;
    chunk->first = before;
    chunk->row_steps = (count - before) / v->kh;
    return count;
}

/* Cuts a group's channels into chunks and lists their steps; returns how many. */
static int64_t list_steps(gt_i_direct *d, gt_i_direct_chunk *chunks, struct step *steps, gt_layout in,
                          int64_t chunk_channels)
{
    const gt_i_conv *v = &d->conv;
    const bool quads = has_quads(v, in);
    const int64_t whole = quads && in == GT_NHWC ? v->cg / GT_I_DIRECT_QUAD * GT_I_DIRECT_QUAD : v->cg;
    int64_t count = 0, weights = 0;
    for (int64_t c = 0; c < whole; c += chunk_channels) {
        gt_i_direct_chunk *chunk = &chunks[d->n_chunks++];
        count = list_chunk(chunk, steps, count, d, c, gt_i_min(c + chunk_channels, whole), quads);
        chunk->weights = weights;
        weights += chunk->row_steps * v->kh * (quads ? GT_I_DIRECT_QUAD : 1);
    }
    if (whole < v->cg) {
        gt_i_direct_chunk *chunk = &chunks[d->n_chunks++];
        count = list_chunk(chunk, steps, count, d, whole, v->cg, false);
        chunk->weights = weights;
        weights += chunk->row_steps * v->kh;
    }
    d->table_steps = count;
    d->tile_floats = (weights + 1) * d->vectors * d->lanes;
    d->group_floats = (weights + 1) * d->group_vectors * d->lanes;
    return count;
}

static void fill_offsets(const gt_i_direct *d, int32_t *offsets, const struct step *steps)
{
    const gt_i_conv *v = &d->conv;
    for (int64_t group = 0; group < d->tables; group++) {
        /* Channels count from the first block that the group touches. */
        const int64_t skipped = group * v->cg - gt_i_direct_first_block(d, group) * v->x.block;
        for (int64_t i = 0; i < d->table_steps; i++) {
            const int64_t c = skipped + steps[i].channel;
            offsets[group * d->table_steps + i] =
                (int32_t)(c / v->x.block * d->view_block + c % v->x.block + steps[i].row * v->dh * d->view_h +
                          steps[i].column * v->dw * d->view_w);
        }
    }
}

/* ---- packing ---- */

/* One register tile's channels: bias, then one row of [vectors][lanes] per step and channel of the step; zero
 * where either channel does not exist. */
static float *pack_tile(const gt_i_direct *d, float *to, const struct step *steps, const float *weights,
                        const float *bias, int64_t group, int64_t first, int64_t count)
{
    const gt_i_conv *v = &d->conv;
    const int64_t k0 = group * v->kg + first, valid = gt_i_min(count, v->kg - first);
    for (int64_t k = 0; k < count; k++) {
        to[k] = bias != NULL && k < valid ? bias[k0 + k] : 0;
    }
    to += count;
    for (int64_t i = 0; i < d->table_steps; i++) {
        for (int64_t c = steps[i].channel; c < steps[i].channel + steps[i].channels; c++, to += count) {
            for (int64_t k = 0; k < count; k++) {
                to[k] = k < valid && c < v->cg
                            ? gt_i_conv_weight(v, weights, k0 + k, c, steps[i].row, steps[i].column) : 0;
            }
        }
    }
    return to;
}

static gt_status pack(gt_kernel *kernel, const gt_i_direct *d, const struct step *steps,
                      const void *const *consts)
{
    gt_status status = GT_OK;
    const gt_i_conv *v = &d->conv;
    GT_TRY(gt_i_kernel_room(kernel, (size_t)(v->groups * d->group_floats) * sizeof(float)));
    float *to = kernel->packed;
    for (int64_t group = 0; group < v->groups && kernel->adopted == NULL; group++) {
        for (int64_t vector = 0; vector < d->group_vectors; vector += d->vectors) {
            const int64_t vectors = gt_i_min(d->vectors, d->group_vectors - vector);
            to = pack_tile(d, to, steps, consts[1], v->bias ? consts[2] : NULL, group, vector * d->lanes,
                           vectors * d->lanes);
        }
    }
done:
    return status;
}

static gt_status direct_prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    gt_status status = GT_OK;
    gt_i_direct *d = NULL, *params = NULL;
    gt_i_direct_chunk *chunks = NULL;
    struct step *steps = NULL;
    GT_TRY(gt_calloc(&d, 1, sizeof *d));
    gt_i_conv_init(&d->conv, kernel->workload, kernel->in, kernel->out);
    const gt_i_conv *v = &d->conv;
    GT_TRY(gt_calloc(&steps, (size_t)(gt_i_round_up(v->cg, 4) * v->kh * v->kw), sizeof *steps));
    GT_TRY(gt_calloc(&chunks, (size_t)v->cg + 1, sizeof *chunks));
    d->stay_input = kernel->config.value[KNOB_ORDER] == ORDER_INPUT_STAYS;
    d->task_rows = gt_i_min(kernel->config.value[KNOB_OH_TILE], v->oh);
    d->last_ow = v->ow;
    set_tiles(d, &kernel->config, isa);
    if (is_flat(v)) {
        flatten(d);
    }
    d->row_tasks = gt_i_div_up(v->oh, d->task_rows);
    set_view(d, kernel->in);
    d->tables = v->groups > 1 && v->cg % v->x.block != 0 ? v->groups : 1;
    list_steps(d, chunks, steps, kernel->in, kernel->config.value[KNOB_IC_CHUNK]);
    GT_TRY(pack(kernel, d, steps, consts));
    d->chunks_at = (int64_t)gt_i_round_up(sizeof *d, 16);
    d->offsets_at = d->chunks_at + d->n_chunks * (int64_t)sizeof *chunks;
    const size_t offsets_bytes = (size_t)(d->tables * d->table_steps) * sizeof(int32_t);
    GT_TRY(gt_calloc(&params, 1, (size_t)d->offsets_at + offsets_bytes));
    kernel->params = params;
    kernel->thread_bytes = scratch_bytes(d, kernel->in);
    *params = *d;
    memcpy((char *)params + d->chunks_at, chunks, (size_t)d->n_chunks * sizeof *chunks);
    fill_offsets(d, (int32_t *)((char *)params + d->offsets_at), steps);
    kernel->tasks[0] = v->n * v->groups * d->row_tasks * d->oc_tasks;
    kernel->run = gt_i_kernel(GT_K_conv2d_direct_f32, isa);
done:
    gt_free(d);
    gt_free(chunks);
    gt_free(steps);
    return status;
}

const gt_template gt_i_template_conv2d_direct = {
    .name = "conv2d.direct",
    .kind = GT_OP_CONV2D,
    .rev = 1,
    .supports = direct_supports,
    .space = direct_space,
    .valid = direct_valid,
    .prepare = direct_prepare,
};
