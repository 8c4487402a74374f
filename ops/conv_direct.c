/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d.direct: which cases it takes, its knobs, and how it packs weights. The algorithm is described in
 * ops/conv_direct.h. */
#include "ops/conv_direct.h"
#include "ops/kernels.h"
#include "ops/pair.h"
#include "src/base/memory.h"

#include <string.h>

enum { KNOB_VECTORS, KNOB_OW_TILE, KNOB_IC_CHUNK, KNOB_OC_BLOCK, KNOB_OH_TILE, KNOB_OC_TASKS };

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

/* ---- the config space ---- */

/* Half of a small core's first-level cache, floats: for the weights that stay there. */
#define STAYING_FLOATS 4096

/* The default config: a chunk of the weights of 16 output channels stays in the first-level cache while a task's positions
 * pass; of 8 where these are few in a row and the kernel is larger than 1x1, so that chunks are longer and partial sums come
 * and go less often. */
struct defaults {
    int64_t vectors, positions, chunk, block, rows, oc_tasks;
};

/* Chunks of nearly equal size; none where little would be left for a second one. */
static int64_t even_chunk(const gt_i_conv *v, int64_t channels)
{
    const int64_t fitting = gt_i_max(STAYING_FLOATS / channels / (v->kh * v->kw) / 16 * 16, 16);
    if (v->cg <= fitting * 5 / 4) {
        return v->cg;
    }
    return gt_i_round_up(gt_i_div_up(v->cg, gt_i_div_up(v->cg, fitting)), 16);
}

/* About 8 tasks: parts of the channels where the weights are larger than the input, so that they come in once, otherwise
 * rows, so that a task's input stays in the second-level cache. */
static void divide_by_default(struct defaults *to, const gt_i_conv *v)
{
    to->rows = gt_i_max(gt_i_div_up(v->oh, 8), gt_i_min(v->oh, gt_i_div_up(64, v->ow)));
    to->oc_tasks = 1;
    if (v->kg * v->cg * v->kh * v->kw >= v->cg * v->h * v->w) {
        to->rows = v->oh;
        for (int64_t i = 2; i <= 8 && i * 16 <= v->kg; i *= 2) {
            to->oc_tasks = i;
        }
    }
}

static struct defaults defaults_of(const gt_i_conv *v)
{
    struct defaults to = {.positions = is_flat(v) ? v->oh * v->ow : v->ow};
    const int64_t taps = v->kh * v->kw, quads = gt_i_div_up(v->kg, 4);
    const bool narrow = to.positions <= 8 && taps > 1;
    to.chunk = even_chunk(v, narrow ? 8 : 16);
    to.block = gt_i_min(gt_i_max(STAYING_FLOATS / (to.chunk * taps) / 8 * 8, 8), v->kg);
    to.vectors = v->cg * taps > STAYING_FLOATS / 16 && !narrow ? 4 : 2;
    if (is_flat(v) && to.positions == 1) {
        /* Every weight is used once: all channels are one run. */
        to.chunk = v->cg;
        to.block = v->kg;
        to.vectors = quads % 4 != 0 && quads % 3 == 0 ? 3 : 4;
    }
    to.vectors = gt_i_min(to.vectors, quads);
    divide_by_default(&to, v);
    return to;
}

static void direct_space(const gt_workload *w, gt_layout in, gt_layout out, gt_space *space)
{
    gt_i_conv v;
    gt_i_conv_init(&v, w, in, out);
    const struct defaults best = defaults_of(&v);
    const int64_t quads = gt_i_div_up(v.kg, 4);
    gt_knob *knob = gt_i_knob_begin(space, "oc_vectors", best.vectors);
    for (int64_t i = 1; i <= gt_i_min(GT_I_DIRECT_VECTORS, quads); i++) {
        gt_i_knob_add(knob, i);
    }
    knob = gt_i_knob_begin(space, "ow_tile", gt_i_min(best.positions, offered_positions[best.vectors - 1]));
    for (int64_t i = 14; i >= 1; i -= i > 8 ? 2 : 1) {
        gt_i_knob_add(knob, i <= best.positions ? i : 0);
    }
    knob = gt_i_knob_begin(space, "ic_chunk", best.chunk);
    for (int64_t i = 16; i < v.cg; i *= 2) {
        gt_i_knob_add(knob, i);
    }
    gt_i_knob_add(knob, v.cg);
    knob = gt_i_knob_begin(space, "oc_block", best.block);
    for (int64_t i = 8; i < v.kg; i *= 2) {
        gt_i_knob_add(knob, i);
    }
    gt_i_knob_add(knob, v.kg);
    knob = gt_i_knob_begin(space, "oh_tile", best.rows);
    for (int64_t i = 1; i < v.oh; i *= 2) {
        gt_i_knob_add(knob, i);
    }
    gt_i_knob_add(knob, v.oh);
    knob = gt_i_knob_begin(space, "oc_tasks", best.oc_tasks);
    for (int64_t i = 1; i <= 16 && i * 16 <= v.kg; i *= 2) {
        gt_i_knob_add(knob, i);
    }
}

static bool direct_valid(const gt_workload *w, gt_layout in, gt_layout out, const gt_config *config)
{
    (void)w, (void)in, (void)out;
    return config->value[KNOB_OW_TILE] <= offered_positions[config->value[KNOB_VECTORS] - 1];
}

/* ---- preparing ---- */

/* A row per task, cut from the whole image: no tile ends at an image row's end. */
static void flatten(gt_i_direct *d)
{
    gt_i_conv *v = &d->conv;
    const int64_t positions = v->oh * v->ow;
    const int64_t width = gt_i_min(gt_i_round_up(d->task_rows * v->ow, d->tile), positions);
    v->ow = v->w = width;
    v->oh = v->h = gt_i_div_up(positions, width);
    v->x.h = width * v->x.w;
    v->y.h = width * v->y.w;
    d->last_ow = positions - (v->oh - 1) * width;
    d->task_rows = 1;
}

static gt_i_direct_end end_of(const gt_epilogue *e)
{
    switch (e->act) {
    case GT_FN_RELU:
        return (gt_i_direct_end){.kind = GT_I_DIRECT_LOWER};
    case GT_FN_CLIP:
        return (gt_i_direct_end){.kind = GT_I_DIRECT_CLAMP, .low = e->alpha, .high = e->beta};
    case GT_FN_HARD_SWISH:
        return (gt_i_direct_end){
            .kind = GT_I_DIRECT_HARD_SWISH, .high = 1, .slope = e->alpha, .shift = e->beta};
    default:
        return (gt_i_direct_end){.kind = GT_I_DIRECT_STORE};
    }
}

/* A tile that is stored as it is also stores the channel padding, which must stay zero. */
static void set_ends(gt_i_direct *d)
{
    const gt_i_conv *v = &d->conv;
    const gt_epilogue *e = &v->epilogue;
    const bool after = v->residual && e->residual == GT_RESIDUAL_AFTER;
    const bool full = v->kg % d->lanes == 0;
    d->end = end_of(e);
    const bool known = e->act == GT_FN_NONE || (d->end.kind != GT_I_DIRECT_STORE && !after);
    const bool keeps_zero = d->end.kind != GT_I_DIRECT_CLAMP || (d->end.low <= 0 && d->end.high >= 0);
    d->direct = known && (v->y.block > 1 ? d->aligned : v->y.block_stride == 1);
    d->last_direct = d->direct && (full || (v->y.block > 1 && keeps_zero));
    const bool alike = d->group_vectors % d->vectors == 0 && d->direct == d->last_direct;
    d->regular_tiles = d->group_tiles - (alike ? 0 : 1);
    d->uniform = v->y.block == 1 || d->vectors * d->lanes % v->y.block == 0;
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
    d->packed_tile = offered_positions[d->vectors - 1];
    d->group_tiles = gt_i_div_up(d->group_vectors, d->vectors);
    d->oc_tasks = gt_i_min(config->value[KNOB_OC_TASKS], d->group_tiles);
    d->block_tiles = gt_i_div_up(config->value[KNOB_OC_BLOCK], d->vectors * d->lanes);
    d->zero_from = d->aligned ? gt_i_round_up(v->k, d->lanes) : v->k;
    set_ends(d);
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

/* Per-thread scratch: the copied rows, then partial sums: of all tiles that pass while a chunk of weights stays if there are
 * several chunks, otherwise of those that are not finished in registers; and room behind, for what is loaded ahead. */
static size_t scratch_bytes(gt_i_direct *d, gt_layout in)
{
    int64_t blocks = 0;
    for (int64_t g = 0; g < d->conv.groups && in != GT_NHWC; g++) {
        blocks = gt_i_max(blocks, gt_i_direct_end_block(d, g) - gt_i_direct_first_block(d, g));
    }
    int64_t copied = !d->copy ? 0 : in == GT_NHWC ? d->copy_rows * d->view_h : blocks * d->view_block;
    int64_t passing = d->task_rows * gt_i_direct_row_tiles(d, d->conv.ow) * gt_i_min(d->block_tiles, d->group_tiles);
    int64_t slots = d->n_chunks > 1 ? passing : gt_i_min(passing, GT_I_DIRECT_SCRATCH_TILES);
    d->scratch_partial = gt_i_round_up(copied, 16);
    return (size_t)(d->scratch_partial + (slots + 1) * gt_i_direct_slot(d)) * sizeof(float);
}

/* The whole strip is one row of positions. */
static void flatten_strip(gt_i_direct *d, const gt_i_strip *strip)
{
    gt_i_conv *v = &d->conv;
    d->strip_ow = v->ow;
    v->x = *strip->x;
    v->ow = v->w = d->last_ow = strip->rows * v->ow;
    v->oh = v->h = d->task_rows = 1;
}

static void set_geometry(gt_i_direct *d, const gt_kernel *kernel, gt_isa isa, const gt_i_strip *strip)
{
    gt_i_conv_init(&d->conv, kernel->workload, kernel->in, kernel->out);
    d->task_rows = gt_i_min(strip != NULL ? strip->rows : kernel->config.value[KNOB_OH_TILE], d->conv.oh);
    d->last_ow = d->conv.ow;
    if (strip != NULL && strip->y != NULL) {
        d->conv.y = *strip->y;
    }
    set_tiles(d, &kernel->config, isa);
    if (strip != NULL && strip->x != NULL) {
        flatten_strip(d, strip);
    } else if (strip == NULL && is_flat(&d->conv)) {
        flatten(d);
    }
    d->row_tasks = gt_i_div_up(d->conv.oh, d->task_rows);
    set_view(d, kernel->in);
    d->tables = d->conv.groups > 1 && d->conv.cg % d->conv.x.block != 0 ? d->conv.groups : 1;
}

/* The params: the struct, the chunks and the offset lists behind each other. */
static gt_status keep(gt_kernel *kernel, gt_i_direct *d, const gt_i_direct_chunk *chunks, const gt_i_direct_step *steps)
{
    gt_status status = GT_OK;
    d->chunks_at = gt_i_round_up(sizeof *d, 16);
    d->offsets_at = d->chunks_at + d->n_chunks * (int64_t)sizeof *chunks;
    const size_t offsets_bytes = (size_t)(d->tables * d->table_steps) * sizeof(int32_t);
    GT_TRY(gt_calloc(&kernel->params, 1, (size_t)d->offsets_at + offsets_bytes));
    memcpy(kernel->params, d, sizeof *d);
    memcpy((char *)kernel->params + d->chunks_at, chunks, (size_t)d->n_chunks * sizeof *chunks);
    gt_i_direct_fill_offsets(d, (int32_t *)((char *)kernel->params + d->offsets_at), steps);
done:
    return status;
}

gt_status gt_i_direct_prepare_strip(gt_kernel *kernel, const void *const *consts, gt_isa isa, const gt_i_strip *strip)
{
    gt_status status = GT_OK;
    gt_i_direct *d = NULL;
    gt_i_direct_chunk *chunks = NULL;
    gt_i_direct_step *steps = NULL;
    GT_TRY(gt_calloc(&d, 1, sizeof *d));
    set_geometry(d, kernel, isa, strip);
    GT_TRY(gt_calloc(&steps, (size_t)gt_i_direct_most_steps(&d->conv), sizeof *steps));
    GT_TRY(gt_calloc(&chunks, (size_t)d->conv.cg, sizeof *chunks));
    gt_i_direct_list(d, chunks, steps, kernel->config.value[KNOB_IC_CHUNK]);
    GT_TRY(gt_i_kernel_room(kernel, (size_t)gt_i_direct_packed_floats(d) * sizeof(float)));
    if (kernel->adopted == NULL) {
        gt_i_direct_pack(d, kernel->packed, steps, consts[1], d->conv.bias ? consts[2] : NULL);
    }
    kernel->thread_bytes = scratch_bytes(d, kernel->in);
    kernel->tasks[0] = d->conv.n * d->conv.groups * d->row_tasks * d->oc_tasks;
    kernel->run = gt_i_kernel(strip != NULL ? GT_K_conv2d_direct_rows_f32 : GT_K_conv2d_direct_f32, isa);
    GT_TRY(keep(kernel, d, chunks, steps));
done:
    gt_free(d);
    gt_free(chunks);
    gt_free(steps);
    return status;
}

static gt_status direct_prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    return gt_i_direct_prepare_strip(kernel, consts, isa, NULL);
}

const gt_template gt_i_template_conv2d_direct = {
    .name = "conv2d.direct",
    .kind = GT_OP_CONV2D,
    .rev = 3,
    .supports = direct_supports,
    .space = direct_space,
    .valid = direct_valid,
    .prepare = direct_prepare,
};
