/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of conv2d.direct around its register tiles. */
#include "ops/conv_direct.h"
#include "ops/kernels.h"
#include "ops/simd.h"

#define UNROLL _Pragma("GCC unroll 16")

/* Four neighbouring channels at one position, indexed by channel. NEON multiplies by a lane of a register,
 * so they are loaded at once, and stepping a pointer costs least; x86 broadcasts each from memory for free.
 * */
#if defined(__aarch64__)
typedef gt_v4 quad_x;
#define quad_load(p, t, step) gt_v4_load(p)
#define quad_advance(p, step) ((p) += (step))
#else
typedef const float *quad_x;
#define quad_load(p, t, step) ((p) + (t) * (step))
#define quad_advance(p, step) ((void)0)
#endif

/* M(vectors, positions) for every register tile that some instruction set has the registers for. */
#define MICRO_SHAPES(M)                                                                                    \
    M(1, 1) M(1, 2) M(1, 3) M(1, 4) M(1, 5) M(1, 6) M(1, 7) M(1, 8) M(1, 9) M(1, 10) M(1, 11) M(1, 12)    \
    M(1, 13) M(1, 14)                                                                                      \
    M(2, 1) M(2, 2) M(2, 3) M(2, 4) M(2, 5) M(2, 6) M(2, 7) M(2, 8) MICRO_SHAPES_2(M)                      \
    M(3, 1) M(3, 2) M(3, 3) M(3, 4) M(3, 5) M(3, 6) M(3, 7)                                                \
    M(4, 1) M(4, 2) M(4, 3) M(4, 4) M(4, 5) MICRO_SHAPES_4(M)
#if GT_VL == 4
#define MICRO_SHAPES_2(M)
#define MICRO_SHAPES_4(M)
#else
#define MICRO_SHAPES_2(M) M(2, 9) M(2, 10) M(2, 11) M(2, 12) M(2, 13) M(2, 14)
#define MICRO_SHAPES_4(M) M(4, 6) M(4, 7)
#endif

typedef void (*micro_fn)(const gt_i_direct_tile *tile);

/* What depends on the vector width, for the loops below. */
struct width {
    const micro_fn (*micro)[GT_I_DIRECT_TILE][2];
    void (*activate)(float *values, int64_t count, const gt_epilogue *e);
    void (*add)(float *values, const float *more, int64_t positions, int64_t vectors, int64_t step,
                const int64_t *vector);
    void (*copy)(float *to, const float *values, int64_t positions, int64_t vectors, int64_t step,
                 const int64_t *vector);
};

#define GT_W 4
#include "ops/conv_direct_width.h"
#undef GT_W
#if GT_VL >= 8
#define GT_W 8
#include "ops/conv_direct_width.h"
#undef GT_W
#endif
#if GT_VL >= 16
#define GT_W 16
#include "ops/conv_direct_width.h"
#undef GT_W
#endif

static const struct width *const widths[] = {
    [4] = &gt_v4_width,
#if GT_VL >= 8
    [8] = &gt_v8_width,
#endif
#if GT_VL >= 16
    [16] = &gt_v16_width,
#endif
};

/* A task: some rows of an image, some register tiles of a group's channels. */
struct task {
    const gt_i_direct *d;
    const gt_args *args;
    const struct width *width;
    const int32_t *offsets;
    const float *x;       /* the input as the offsets see it */
    int64_t x_first_row;  /* row of the image at x */
    const float *weights; /* of the group */
    float *scratch;
    int64_t n, group, row_begin, row_end, tile_begin, tile_end;
};

/* A register tile of a task, all chunks. */
struct place {
    int64_t channel_tile, vectors; /* which channels */
    int64_t row, column, width;    /* which positions */
    float *partial;
};

/* ---- storing ---- */

/* Offset of an output channel from its image. */
static int64_t channel_offset(const gt_i_direct *d, int64_t k)
{
    return k / d->conv.y.block * d->conv.y.block_stride + k % d->conv.y.block;
}

static int64_t position_offset(const gt_i_direct *d, int64_t n, int64_t row, int64_t column)
{
    return n * d->conv.y.n + row * d->conv.y.h + column * d->conv.y.w;
}

/* Adds the residual to finished sums, channel by channel. */
static void add_scattered(const gt_i_direct *d, float *values, const float *z, int64_t k, int64_t channels,
                          int64_t step, int64_t positions)
{
    for (int64_t c = 0; c < channels; c++) {
        const float *from = z + channel_offset(d, k + c);
        for (int64_t t = 0; t < positions; t++) {
            values[t * step + c] += from[t * d->conv.y.w];
        }
    }
}

static void copy_scattered(const gt_i_direct *d, float *y, const float *values, int64_t k, int64_t channels,
                           int64_t step, int64_t positions)
{
    for (int64_t c = 0; c < channels; c++) {
        float *to = y + channel_offset(d, k + c);
        for (int64_t t = 0; t < positions; t++) {
            to[t * d->conv.y.w] = values[t * step + c];
        }
    }
}

/* Lanes past a group's last channel: what the activation made of them must not be stored. */
static void zero_lanes(float *values, int64_t channels, int64_t step, int64_t positions)
{
    for (int64_t t = 0; t < positions; t++) {
        for (int64_t c = channels; c < step; c++) {
            values[t * step + c] = 0;
        }
    }
}

/* Epilogue of a register tile from partial sums: residual, activation, store. `whole`: vectors can be
 * stored as they are; otherwise element by element. */
static void finish(const struct task *s, const struct place *p, bool whole, const int64_t *vector)
{
    const gt_i_direct *d = s->d;
    const gt_residual residual = d->conv.residual ? d->conv.epilogue.residual : GT_RESIDUAL_NONE;
    const int64_t in_group = p->channel_tile * d->vectors * d->lanes;
    const int64_t channels = gt_i_min(p->vectors * d->lanes, d->conv.kg - in_group);
    const int64_t k = s->group * d->conv.kg + in_group, step = p->vectors * d->lanes;
    const int64_t at = position_offset(d, s->n, p->row, p->column);
    const float *z = residual != GT_RESIDUAL_NONE ? (const float *)s->args->in[3] + at : NULL;
    float *y = (float *)s->args->out + at;
    for (int round = GT_RESIDUAL_BEFORE; round <= GT_RESIDUAL_AFTER; round++) {
        if (residual == (gt_residual)round && whole) {
            s->width->add(p->partial, z, p->width, p->vectors, d->conv.y.w, vector);
        } else if (residual == (gt_residual)round) {
            add_scattered(d, p->partial, z, k, channels, step, p->width);
        }
        if (round == GT_RESIDUAL_BEFORE && d->conv.epilogue.act != GT_FN_NONE) {
            s->width->activate(p->partial, p->width * p->vectors, &d->conv.epilogue);
        }
    }
    if (whole) {
        zero_lanes(p->partial, channels, step, p->width);
        s->width->copy(y, p->partial, p->width, p->vectors, d->conv.y.w, vector);
    } else {
        copy_scattered(d, y, p->partial, k, channels, step, p->width);
    }
}

/* Whether a tile's vectors lie in the output as they lie in registers. */
static bool stores_whole(const gt_i_direct *d, int64_t channels, int64_t vectors)
{
    bool full = channels == vectors * d->lanes;
    if (d->conv.y.block > 1) {
        return d->aligned;
    }
    return d->conv.y.block_stride == 1 && full;
}

/* ---- computing ---- */

/* Runs one chunk of one register tile; after the last one the output is stored. */
static void run_chunk(const struct task *s, const struct place *p, int64_t chunk_index)
{
    const gt_i_direct *d = s->d;
    const gt_i_conv *v = &d->conv;
    const gt_i_direct_chunk *chunk = &gt_i_direct_chunks(d)[chunk_index];
    const int64_t step_vectors = p->vectors * d->lanes, in_group = p->channel_tile * d->vectors * d->lanes;
    const int64_t channels = gt_i_min(step_vectors, v->kg - in_group);
    const int64_t origin_row = p->row * v->sh - v->pad_t, step_channels = chunk->quad ? GT_I_DIRECT_QUAD : 1;
    const float *record = s->weights + p->channel_tile * d->tile_floats;
    const bool last = chunk_index == d->n_chunks - 1;
    const bool whole = stores_whole(d, channels, p->vectors);
    const bool direct = last && whole && (d->clamp || v->epilogue.act == GT_FN_NONE) && !v->residual &&
                        (channels == step_vectors || d->clamp_keeps_zero);
    int64_t row_begin, row_end, to_output[GT_I_DIRECT_VECTORS];
    gt_i_conv_taps(&row_begin, &row_end, origin_row, v->dh, v->kh, v->h);
    gt_i_direct_tile tile = {
        .x = s->x, .origin = (origin_row - s->x_first_row) * d->view_h + p->column * v->sw * d->view_w,
        .x_step = v->sw * d->view_w,
        .offset = s->offsets + chunk->first + row_begin * chunk->row_steps,
        .steps = (row_end - row_begin) * chunk->row_steps,
        .weights = record + step_vectors * (1 + chunk->weights + row_begin * chunk->row_steps * step_channels),
        .bias = chunk_index == 0 ? record : NULL, .partial = p->partial,
        .y = p->partial, .y_step = step_vectors,
        .clamp = last && direct && d->clamp, .lo = d->lo, .hi = d->hi,
    };
    for (int64_t i = 0; i < p->vectors; i++) {
        to_output[i] = channel_offset(d, s->group * v->kg + in_group + i * d->lanes);
        tile.y_vector[i] = direct ? to_output[i] : i * d->lanes;
    }
    if (direct) {
        tile.y = (float *)s->args->out + position_offset(d, s->n, p->row, p->column);
        tile.y_step = v->y.w;
    }
    s->width->micro[p->vectors - 1][p->width - 1][chunk->quad](&tile);
    if (last && !direct) {
        finish(s, p, whole, to_output);
    }
}

static int64_t row_width(const gt_i_direct *d, int64_t row)
{
    return row == d->conv.oh - 1 ? d->last_ow : d->conv.ow;
}

/* Tile i of a row: the first `width % tiles` ones are one wider. */
static void set_columns(struct place *p, int64_t width, int64_t tiles, int64_t i)
{
    p->column = i * (width / tiles) + gt_i_min(i, width % tiles);
    p->width = width / tiles + (i < width % tiles);
}

static void set_channels(struct place *p, const gt_i_direct *d, int64_t channel_tile)
{
    p->channel_tile = channel_tile;
    p->vectors = gt_i_min(d->vectors, d->group_vectors - channel_tile * d->vectors);
}

/* A chunk of weights of a register tile's channels stays in the cache while the task's positions pass. */
static void weights_stay(const struct task *s)
{
    const gt_i_direct *d = s->d;
    const int64_t slot_floats = d->tile * d->vectors * d->lanes;
    struct place p;
    for (int64_t channel_tile = s->tile_begin; channel_tile < s->tile_end; channel_tile++) {
        set_channels(&p, d, channel_tile);
        for (int64_t chunk = 0; chunk < d->n_chunks; chunk++) {
            p.partial = s->scratch + d->scratch_partial;
            for (p.row = s->row_begin; p.row < s->row_end; p.row++) {
                int64_t width = row_width(d, p.row), tiles = gt_i_direct_row_tiles(d, width);
                for (int64_t i = 0; i < tiles; i++) {
                    set_columns(&p, width, tiles, i);
                    run_chunk(s, &p, chunk);
                    p.partial += d->n_chunks > 1 ? slot_floats : 0;
                }
            }
        }
    }
}

/* A register tile's input stays in the cache while the channels pass. */
static void input_stays(const struct task *s)
{
    const gt_i_direct *d = s->d;
    struct place p = {.partial = s->scratch + d->scratch_partial};
    for (p.row = s->row_begin; p.row < s->row_end; p.row++) {
        int64_t width = row_width(d, p.row), tiles = gt_i_direct_row_tiles(d, width);
        for (int64_t i = 0; i < tiles; i++) {
            set_columns(&p, width, tiles, i);
            for (int64_t channel_tile = s->tile_begin; channel_tile < s->tile_end; channel_tile++) {
                set_channels(&p, d, channel_tile);
                for (int64_t chunk = 0; chunk < d->n_chunks; chunk++) {
                    run_chunk(s, &p, chunk);
                }
            }
        }
    }
}

/* ---- around the tiles ---- */

/* The input rows that the task's outputs reach, with zeros for the columns outside. */
static void copy_rows(struct task *s)
{
    const gt_i_direct *d = s->d;
    const gt_i_conv *v = &d->conv;
    const int64_t first = gt_i_max(s->row_begin * v->sh - v->pad_t, 0);
    const int64_t end = gt_i_min((s->row_end - 1) * v->sh - v->pad_t + (v->kh - 1) * v->dh + 1, v->h);
    const int64_t first_block = gt_i_direct_first_block(d, s->group);
    const int64_t blocks = d->channels_last ? 1 : gt_i_direct_end_block(d, s->group) - first_block;
    const int64_t pixel = d->view_w, left = gt_i_min(v->pad_l, d->copy_cols);
    const int64_t inside = gt_i_max(gt_i_min(v->w, d->copy_cols - left), 0);
    for (int64_t b = 0; b < blocks; b++) {
        for (int64_t row = first; row < end; row++) {
            const float *from = (const float *)s->args->in[0] + s->n * v->x.n +
                                (first_block + b) * v->x.block_stride + row * v->x.h;
            float *to = s->scratch + b * d->view_block + (row - first) * d->view_h;
            memset(to, 0, (size_t)(left * pixel) * sizeof *to);
            for (int64_t i = 0; i < inside && pixel != v->x.w; i++) {
                memcpy(to + (left + i) * pixel, from + i * v->x.w, (size_t)pixel * sizeof *to);
            }
            if (pixel == v->x.w) {
                memcpy(to + left * pixel, from, (size_t)(inside * pixel) * sizeof *to);
            }
            memset(to + (left + inside) * pixel, 0,
                   (size_t)((d->copy_cols - left - inside) * pixel) * sizeof *to);
        }
    }
    s->x = s->scratch;
    s->x_first_row = first;
}

/* Channel padding of the output behind the last vector that is computed. */
static void fill_zero(const struct task *s)
{
    const gt_i_direct *d = s->d;
    const int64_t end = d->conv.y.blocks * d->conv.y.block;
    for (int64_t row = s->row_begin; d->zero_from < end && row < s->row_end; row++) {
        float *y = (float *)s->args->out + position_offset(d, s->n, row, 0) + channel_offset(d, d->zero_from);
        for (int64_t i = 0; i < row_width(d, row); i++) {
            memset(y + i * d->conv.y.w, 0, (size_t)(end - d->zero_from) * sizeof *y);
        }
    }
}

static void split_task(struct task *s, int64_t number)
{
    const gt_i_direct *d = s->d;
    const int64_t rows = d->copy ? number / d->oc_tasks % d->row_tasks : number % d->row_tasks;
    const int64_t part = d->copy ? number % d->oc_tasks : number / d->row_tasks % d->oc_tasks;
    number /= d->row_tasks * d->oc_tasks;
    s->group = number % d->conv.groups;
    s->n = number / d->conv.groups;
    s->row_begin = rows * d->task_rows;
    s->row_end = gt_i_min(s->row_begin + d->task_rows, d->conv.oh);
    s->tile_begin = part * d->group_tiles / d->oc_tasks;
    s->tile_end = (part + 1) * d->group_tiles / d->oc_tasks;
}

void GT_KERNEL_FN(conv2d_direct_f32)(const gt_kernel *kernel, const gt_args *args, int phase, int64_t begin,
                                     int64_t end)
{
    const gt_i_direct *d = kernel->params;
    struct task s = {.d = d, .args = args, .width = widths[d->lanes], .scratch = args->scratch};
    int64_t copied = -1;
    (void)phase;
    for (int64_t number = begin; number < end; number++) {
        split_task(&s, number);
        s.offsets = gt_i_direct_offsets(d, s.group);
        s.weights = (const float *)args->packed + s.group * d->group_floats;
        if (!d->copy) {
            s.x = (const float *)args->in[0] + s.n * d->conv.x.n +
                  gt_i_direct_first_block(d, s.group) * d->conv.x.block_stride;
        } else if (number / d->oc_tasks != copied) {
            /* Tasks that differ in their channels only follow each other and share the copy. */
            copied = number / d->oc_tasks;
            copy_rows(&s);
        }
        if (d->stay_input) {
            input_stays(&s);
        } else {
            weights_stay(&s);
        }
        if (s.group == d->conv.groups - 1 && s.tile_end == d->group_tiles) {
            fill_zero(&s);
        }
    }
}
