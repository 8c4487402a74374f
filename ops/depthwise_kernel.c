/* SPDX-License-Identifier: Apache-2.0 */
/* depthwise.direct with channels as lanes: NHWC and blocked layouts. */
#include "ops/depthwise.h"
#include "ops/kernels.h"
#include "ops/simd.h"

#define UNROLL _Pragma("GCC unroll 32")

/* M(rows, positions, kernel width, stride): kernel width 0 takes any with any stride and dilation. */
#define MICRO_WIDTHS(M, rows, kw, sw) \
    M(rows, 1, kw, sw) M(rows, 2, kw, sw) M(rows, 4, kw, sw) M(rows, 7, kw, sw) M(rows, 8, kw, sw)
#define MICRO_SHAPES(M)                                                                                   \
    MICRO_WIDTHS(M, 1, 0, 0) MICRO_WIDTHS(M, 1, 3, 1) MICRO_WIDTHS(M, 1, 3, 2) MICRO_WIDTHS(M, 1, 5, 1)  \
    MICRO_WIDTHS(M, 1, 5, 2) MICRO_WIDTHS(M, 1, 7, 1) MICRO_WIDTHS(M, 1, 7, 2) MICRO_WIDTHS(M, 2, 3, 1)  \
    MICRO_WIDTHS(M, 2, 5, 1)

typedef void (*micro_fn)(const gt_i_depthwise_tile *tile);

struct micro {
    int rows, width, kw, sw;
    micro_fn fn[2]; /* all columns inside the image; some outside */
};

struct width {
    const struct micro *micro;
    size_t n_micro;
    void (*finish)(float *y, const float *z, int64_t positions, int64_t step, int64_t valid,
                   const gt_epilogue *e);
};

#define GT_W 4
#include "ops/depthwise_width.h"
#undef GT_W
#if GT_VL >= 8
#define GT_W 8
#include "ops/depthwise_width.h"
#undef GT_W
#endif
#if GT_VL >= 16
#define GT_W 16
#include "ops/depthwise_width.h"
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

/* Micro-kernels by rows and positions, NULL where there is none: row 0 and 1 for this workload's kernel
 * width and stride with one and two output rows, row 2 for any. */
typedef const struct micro *micro_table[3][GT_I_DEPTHWISE_TILE + 1];

struct task {
    const gt_i_depthwise *d;
    const gt_args *args;
    const struct width *width;
    const struct micro *(*micro)[GT_I_DEPTHWISE_TILE + 1];
    int64_t n, row_begin, row_end, vector_begin, vector_end;
};

/* A vector of channels as the micro-kernels see it. */
struct lane {
    const float *x; /* row x_first_row of the image */
    int64_t x_first_row, x_h, x_w;
    int64_t y_offset; /* of the first channel, row 0 */
    const float *weights;
    int64_t k, valid; /* first channel, how many exist */
    bool direct;      /* the micro-kernel's result is the output */
};

static void find_micros(micro_table table, const struct width *width, const gt_i_conv *v)
{
    int64_t kw = 0, sw = 0;
    for (size_t i = 0; i < width->n_micro; i++) {
        const struct micro *m = &width->micro[i];
        if (v->dw == 1 && m->kw == v->kw && m->sw == v->sw) {
            kw = v->kw;
            sw = v->sw;
        }
    }
    memset(table, 0, sizeof(micro_table));
    for (size_t i = 0; i < width->n_micro; i++) {
        const struct micro *m = &width->micro[i];
        if (m->kw == kw && m->sw == sw) {
            table[m->rows - 1][m->width] = m;
        }
        if (m->kw == 0) {
            table[2][m->width] = m;
        }
    }
}

/* ---- one register tile ---- */

/* NHWC with fewer channels than lanes: the tile's sums lie in scratch and go out one by one. */
static void store_partial(const struct task *s, const struct lane *lane, const float *tile, int64_t at,
                          int64_t width)
{
    const gt_i_depthwise *d = s->d;
    const gt_epilogue *e = &d->conv.epilogue;
    const float *z = d->conv.residual ? s->args->in[3] : NULL;
    float *y = s->args->out;
    for (int64_t t = 0; t < width; t++) {
        for (int64_t c = 0; c < lane->valid; c++) {
            const int64_t i = at + t * d->conv.y.w + c;
            float value = tile[t * d->lanes + c];
            value += z != NULL && e->residual == GT_RESIDUAL_BEFORE ? z[i] : 0;
            value = gt_s_act(value, e->act, e->alpha, e->beta);
            y[i] = value + (z != NULL && e->residual == GT_RESIDUAL_AFTER ? z[i] : 0);
        }
    }
}

/* Runs the micro-kernel. Pads wider than the kernel reaches are left to the one for any kernel width, which
 * checks every column and has one output row. */
static void run_micro(const struct task *s, gt_i_depthwise_tile *tile, const struct micro *m, int64_t ih)
{
    const gt_i_conv *v = &s->d->conv;
    const int64_t last = (m->width - 1) * v->sw, reach = last + (v->kw - 1) * v->dw + 1;
    const bool edge = tile->col_begin > 0 || tile->col_end < reach;
    if (!edge || m->kw == 0 || (tile->col_begin < m->kw && tile->col_end > last)) {
        m->fn[edge](tile);
        return;
    }
    gt_i_depthwise_tile one = *tile;
    for (int r = 0; r < m->rows; r++) {
        gt_i_conv_taps(&one.row_begin, &one.row_end, ih + r * v->sh, v->dh, v->kh, v->h);
        s->micro[2][m->width]->fn[1](&one);
        one.origin += v->sh * one.x_h;
        one.y += one.y_h;
    }
}

static void finish_tile(const struct task *s, const struct lane *lane, const gt_i_depthwise_tile *tile,
                        const struct micro *m, int64_t at)
{
    const gt_i_conv *v = &s->d->conv;
    if (s->d->partial) {
        store_partial(s, lane, tile->y, at, m->width);
        return;
    }
    for (int r = 0; r < m->rows; r++) {
        const float *z = v->residual ? (const float *)s->args->in[3] + at + r * v->y.h : NULL;
        s->width->finish(tile->y + r * v->y.h, z, m->width, v->y.w, lane->valid, &v->epilogue);
    }
}

/* Output rows [row, row + rows) of one vector: tiles of the chosen width, then ever smaller ones. */
static void run_rows(const struct task *s, const struct lane *lane, int64_t row, int rows)
{
    const gt_i_depthwise *d = s->d;
    const gt_i_conv *v = &d->conv;
    const int64_t ih = row * v->sh - v->pad_t, x_step = v->sw * lane->x_w;
    int64_t at = lane->y_offset + row * v->y.h, iw = -v->pad_l, width = d->tile;
    gt_i_depthwise_tile tile = {
        .x = lane->x, .origin = (ih - lane->x_first_row) * lane->x_h + iw * lane->x_w,
        .x_h = lane->x_h, .x_w = lane->x_w,
        .kh = v->kh, .kw = v->kw, .dh = v->dh, .dw = v->dw, .sw = v->sw, .weights = lane->weights,
        .y = d->partial ? (float *)s->args->scratch + d->scratch_tile : (float *)s->args->out + at,
        .y_h = v->y.h, .y_w = d->partial ? d->lanes : v->y.w,
        .clamp = lane->direct && d->clamp, .lo = d->lo, .hi = d->hi,
    };
    gt_i_conv_taps(&tile.row_begin, &tile.row_end, ih, v->dh, v->kh + rows - 1, v->h);
    for (int64_t column = 0; column < v->ow; column += width) {
        while (width > v->ow - column || s->micro[rows - 1][width] == NULL) {
            width--;
        }
        tile.col_begin = -iw;
        tile.col_end = v->w - iw;
        run_micro(s, &tile, s->micro[rows - 1][width], ih);
        if (!lane->direct) {
            finish_tile(s, lane, &tile, s->micro[rows - 1][width], at);
        }
        iw += width * v->sw;
        at += width * v->y.w;
        tile.origin += width * x_step;
        tile.y += d->partial ? 0 : width * v->y.w;
    }
}

/* ---- around the tiles ---- */

/* Gathers, for every output channel of the vector, its input channel: rows that the task reaches, all
 * columns, [row][column][lane] in scratch. */
static void expand_rows(const struct task *s, struct lane *lane)
{
    const gt_i_depthwise *d = s->d;
    const gt_i_conv *v = &d->conv;
    const int64_t first = gt_i_max(s->row_begin * v->sh - v->pad_t, 0);
    const int64_t end = gt_i_min((s->row_end - 1) * v->sh - v->pad_t + (v->kh - 1) * v->dh + 1, v->h);
    const int64_t multiplier = v->k / v->c;
    for (int64_t i = 0; i < d->lanes; i++) {
        const int64_t c = (lane->k + i) / multiplier;
        for (int64_t row = first; row < end; row++) {
            float *to = (float *)s->args->scratch + (row - first) * v->w * d->lanes + i;
            const float *from = (const float *)s->args->in[0];
            from += c < v->c ? gt_strides_offset(&v->x, s->n, c, row, 0) : 0;
            for (int64_t column = 0; column < v->w; column++) {
                to[column * d->lanes] = c < v->c ? from[column * v->x.w] : 0;
            }
        }
    }
    lane->x = s->args->scratch;
    lane->x_first_row = first;
    lane->x_w = d->lanes;
    lane->x_h = v->w * d->lanes;
}

/* Moves a lane to another vector whose channels are neighbours in memory of those it has. */
static void move_lane(struct lane *lane, const struct task *s, int64_t vector)
{
    const gt_i_depthwise *d = s->d;
    const int64_t k = gt_i_depthwise_channel(d, vector), channels_on = k - lane->k;
    lane->k = k;
    lane->x += channels_on;
    lane->y_offset += channels_on;
    lane->valid = gt_i_max(gt_i_min(d->lanes, d->conv.k - k), 0);
    lane->weights = (const float *)s->args->packed + vector * d->vector_floats;
    lane->direct = !d->partial && (d->clamp || d->conv.epilogue.act == GT_FN_NONE) && !d->conv.residual &&
                   (lane->valid == d->lanes || d->clamp_keeps_zero);
}

static void set_lane(struct lane *lane, const struct task *s, int64_t vector)
{
    const gt_i_conv *v = &s->d->conv;
    const int64_t k = gt_i_depthwise_channel(s->d, vector);
    *lane = (struct lane){.k = k, .x_h = v->x.h, .x_w = v->x.w};
    lane->y_offset = gt_strides_offset(&v->y, s->n, k, 0, 0);
    lane->x = s->d->expand ? s->args->in[0]
                           : (const float *)s->args->in[0] + gt_strides_offset(&v->x, s->n, k, 0, 0);
    move_lane(lane, s, vector);
    if (s->d->expand) {
        expand_rows(s, lane);
    }
}

/* Vectors [begin, end) pass together over each row, so that whole cache lines are used. They are neighbours
 * in memory. */
static void run_vectors(const struct task *s, int64_t begin, int64_t end)
{
    const gt_i_depthwise *d = s->d;
    struct lane first, lane;
    int rows = 1;
    set_lane(&first, s, begin);
    for (int64_t row = s->row_begin; row < s->row_end; row += rows) {
        rows = d->tile_rows == 2 && row + 2 <= s->row_end ? 2 : 1;
        run_rows(s, &first, row, rows);
        lane = first;
        for (int64_t vector = begin + 1; vector < end; vector++) {
            move_lane(&lane, s, vector);
            run_rows(s, &lane, row, rows);
        }
    }
}

/* Scratch holds one vector's gathered input, so such vectors pass one by one. */
static void run_task(const struct task *s)
{
    if (!s->d->expand) {
        run_vectors(s, s->vector_begin, s->vector_end);
        return;
    }
    for (int64_t vector = s->vector_begin; vector < s->vector_end; vector++) {
        run_vectors(s, vector, vector + 1);
    }
}

void GT_KERNEL_FN(depthwise_direct_f32)(const gt_kernel *kernel, const gt_args *args, int phase,
                                        int64_t begin, int64_t end)
{
    const gt_i_depthwise *d = kernel->params;
    micro_table micro;
    struct task s = {.d = d, .args = args, .width = widths[d->lanes], .micro = micro};
    (void)phase;
    find_micros(micro, s.width, &d->conv);
    for (int64_t number = begin; number < end; number++) {
        const int64_t rows = number % d->row_tasks, chunk = number / d->row_tasks % d->chunks;
        s.n = number / d->row_tasks / d->chunks;
        s.row_begin = rows * d->task_rows;
        s.row_end = gt_i_min(s.row_begin + d->task_rows, d->conv.oh);
        s.vector_begin = chunk * d->chunk;
        s.vector_end = chunk == d->chunks - 1 ? d->vectors : s.vector_begin + d->chunk;
        run_task(&s);
    }
}
