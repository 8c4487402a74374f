/* SPDX-License-Identifier: Apache-2.0 */
/* depthwise.direct with channels as lanes: NHWC and blocked layouts. */
#include "ops/depthwise.h"
#include "ops/kernels.h"
#include "ops/simd.h"

#define UNROLL _Pragma("GCC unroll 32")

/* Columns whose distances are known only when a kernel runs are reached from a pointer that moves on every so many of them: for
 * each of these one register holds its distance. */
#define STEPS 2

/* M(rows, positions, kernel width, stride): kernel width 0 takes any with any stride and dilation. */
#define MICRO_WIDTHS(M, rows, kw, sw) \
    M(rows, 1, kw, sw) M(rows, 2, kw, sw) M(rows, 4, kw, sw) M(rows, 7, kw, sw) M(rows, 8, kw, sw)
#define MICRO_THREE(M) \
    MICRO_WIDTHS(M, 1, 3, 1) MICRO_WIDTHS(M, 1, 3, 2) MICRO_WIDTHS(M, 2, 3, 1) MICRO_WIDTHS(M, 2, 3, 2)
#define MICRO_FIVE(M) MICRO_WIDTHS(M, 1, 5, 1) MICRO_WIDTHS(M, 1, 5, 2)
#define MICRO_SEVEN(M) MICRO_WIDTHS(M, 1, 7, 1) MICRO_WIDTHS(M, 1, 7, 2)
#define MICRO_ANY(M) M(1, 1, 0, 0) M(1, 2, 0, 0) M(1, 4, 0, 0)

/* Of the input rows of two output rows. */
enum { FIRST_ROW = 1, LAST_ROW = 2 };

typedef void (*micro_fn)(const gt_i_depthwise_patch *patch);

/* What is constant in a register tile: output rows and positions, kernel width and stride, whether columns of input and output
 * are neighbours in memory, whether some may lie outside the image. */
struct form {
    int rows, width, kw, sw;
    bool packed, edge;
};

struct micro {
    struct form form;
    micro_fn fn;
};

struct width {
    const struct micro *micro;
    size_t n_micro;
    void (*finish)(float *y, const float *z, int64_t positions, int64_t step, int64_t valid, const gt_epilogue *e);
};

/* Each tile takes its time to compile. Vectors narrower than the machine's, and SSE2, are no ones to be fast with: they have
 * tiles for kernel width 3 alone, whatever lies between columns. */
#define MICRO_PACKED(M)
#define MICRO_STRIDED(M) MICRO_THREE(M) MICRO_ANY(M)
#if GT_VL >= 8
#define GT_W 4
#include "ops/depthwise_width.h"
#undef GT_W
#endif
#if GT_VL >= 16
#define GT_W 8
#include "ops/depthwise_width.h"
#undef GT_W
#endif
#if GT_VL >= 8 || !defined(__x86_64__)
#undef MICRO_PACKED
#undef MICRO_STRIDED
#define MICRO_PACKED(M) MICRO_THREE(M) MICRO_FIVE(M)
#define MICRO_STRIDED(M) MICRO_THREE(M) MICRO_FIVE(M) MICRO_SEVEN(M) MICRO_ANY(M)
#endif
#if GT_VL == 4
#define GT_W 4
#include "ops/depthwise_width.h"
#undef GT_W
#endif
#if GT_VL == 8
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

/* This workload's micro-kernels with one and with two output rows by positions, NULL where there is none. */
typedef micro_fn micro_table[2][GT_I_DEPTHWISE_TILE + 1];

struct task {
    const gt_i_depthwise *d;
    const gt_args *args;
    const struct width *width;
    micro_fn (*micro)[GT_I_DEPTHWISE_TILE + 1];
    int64_t classes; /* columns a kernel's dilation apart are neighbours of one class */
    gt_i_depthwise_patch patch;
    int64_t n, row_begin, row_end, vector_begin, vector_end;
};

/* A vector of channels as the micro-kernels see it. */
struct lane {
    const float *x;      /* row x_first_row of the image */
    int64_t x_first_row;
    int64_t y_offset;    /* of the first channel, row 0 */
    const float *weights;
    int64_t k, valid; /* first channel, how many exist */
    bool direct;      /* the micro-kernel's result is the output */
};

/* Whether there are micro-kernels for the workload's kernel width; those take a dilation by classes of columns. */
static bool is_known(const struct width *width, const gt_i_depthwise *d)
{
    const gt_i_conv *v = &d->conv;
    for (size_t i = 0; i < width->n_micro; i++) {
        const struct form *f = &width->micro[i].form;
        if (!d->any && f->kw == v->kw && f->sw == v->sw) {
            return v->dw == 1 || v->sw == 1;
        }
    }
    return false;
}

/* Those for columns that are neighbours in memory stand last and replace the others. */
static void find_micros(struct task *s, micro_table table, bool known)
{
    const gt_i_conv *v = &s->d->conv;
    const int64_t kw = known ? v->kw : 0, sw = known ? v->sw : 0;
    const bool packed = s->patch.x_w == s->d->lanes && s->patch.y_w == s->d->lanes;
    memset(table, 0, sizeof(micro_table));
    for (size_t i = 0; i < s->width->n_micro; i++) {
        const struct form *f = &s->width->micro[i].form;
        if (f->kw == kw && f->sw == sw && (!f->packed || packed)) {
            table[f->rows - 1][f->width] = s->width->micro[i].fn;
        }
    }
    s->micro = table;
}

/* What is the same for all of a kernel's patches. */
static void set_patch(struct task *s)
{
    const gt_i_depthwise *d = s->d;
    const gt_i_conv *v = &d->conv;
    const int64_t x_h = d->expand ? v->w * d->lanes : v->x.h, x_w = d->expand ? d->lanes : v->x.w;
    s->patch = (gt_i_depthwise_patch){
        .x_h = v->dh * x_h, .x_w = s->classes * x_w, .group_x = v->sh * x_h,
        .h = v->h, .kh = v->kh, .kw = v->kw, .sh = v->sh, .sw = v->sw, .dh = v->dh, .dw = v->dw,
        .y_h = d->partial ? v->ow * d->lanes : v->y.h,
        .y_w = s->classes * (d->partial ? d->lanes : v->y.w),
        .hi = d->hi,
    };
}

/* ---- rows of one vector ---- */

/* `columns` positions from the patch's first one on: tiles of the chosen width, then ever smaller ones. */
static void run_columns(struct task *s, int64_t columns, int rows)
{
    gt_i_depthwise_patch *p = &s->patch;
    for (int64_t width = s->d->tile, step; columns > 0; columns -= step) {
        while (width > columns || s->micro[rows - 1][width] == NULL) {
            width--;
        }
        p->tiles = columns / width;
        s->micro[rows - 1][width](p);
        step = p->tiles * width;
        p->col_begin -= step * p->sw;
        p->col_end -= step * p->sw;
        p->x = gt_i_element(p->x, step * p->sw * p->x_w);
        p->y += step * p->y_w;
    }
}

/* Rows [row, row + rows * patch.groups): class after class. */
static void run_groups(struct task *s, const struct lane *lane, int64_t row, int rows)
{
    const gt_i_depthwise *d = s->d;
    const gt_i_conv *v = &d->conv;
    gt_i_depthwise_patch *p = &s->patch;
    const int64_t ih = row * v->sh - v->pad_t, y_w = p->y_w / s->classes;
    const int64_t x_w = p->x_w / s->classes, x_h = p->x_h / v->dh;
    p->ih = ih;
    for (int64_t c = 0; c < s->classes && c < v->ow; c++) {
        p->col_begin = v->pad_l > c ? gt_i_div_up(v->pad_l - c, s->classes) : 0;
        p->col_end = gt_i_div_up(v->w + v->pad_l - c, s->classes);
        p->x = gt_i_element(lane->x, (ih - lane->x_first_row) * x_h + (c - v->pad_l) * x_w);
        p->y = d->partial ? (float *)s->args->scratch + d->scratch_tile + (row - s->row_begin) * p->y_h
                          : (float *)s->args->out + lane->y_offset + row * p->y_h;
        p->y += c * y_w;
        run_columns(s, gt_i_div_up(v->ow - c, s->classes), rows);
    }
}

/* ---- what the register tiles leave to do ---- */

/* NHWC with fewer channels than lanes: the sums lie in scratch and go out one by one. */
static void store_partial(const struct task *s, const struct lane *lane, const float *sums, int64_t at)
{
    const gt_i_depthwise *d = s->d;
    const gt_epilogue *e = &d->conv.epilogue;
    const float *z = d->conv.residual ? s->args->in[3] : NULL;
    float *y = s->args->out;
    for (int64_t t = 0; t < d->conv.ow; t++) {
        for (int64_t c = 0; c < lane->valid; c++) {
            const int64_t i = at + t * d->conv.y.w + c;
            float value = sums[t * d->lanes + c];
            value += z != NULL && e->residual == GT_RESIDUAL_BEFORE ? z[i] : 0;
            value = gt_s_act(value, e->act, e->alpha, e->beta);
            y[i] = value + (z != NULL && e->residual == GT_RESIDUAL_AFTER ? z[i] : 0);
        }
    }
}

static void finish_rows(const struct task *s, const struct lane *lane)
{
    const gt_i_depthwise *d = s->d;
    const gt_i_conv *v = &d->conv;
    const float *sums = (const float *)s->args->scratch + d->scratch_tile;
    for (int64_t row = s->row_begin; row < s->row_end; row++, sums += v->ow * d->lanes) {
        const int64_t at = lane->y_offset + row * v->y.h;
        if (d->partial) {
            store_partial(s, lane, sums, at);
        } else {
            s->width->finish((float *)s->args->out + at, v->residual ? (const float *)s->args->in[3] + at : NULL, v->ow, v->y.w,
                             lane->valid, &v->epilogue);
        }
    }
}

/* The task's rows of one vector, two by two where that is chosen, the last one alone where it is left. */
static void run_lane(struct task *s, const struct lane *lane)
{
    const int64_t rows = s->row_end - s->row_begin, pairs = s->d->tile_rows == 2 ? rows / 2 : 0;
    gt_i_depthwise_patch *p = &s->patch;
    p->weights = lane->weights;
    p->clip = lane->direct && p->hi < __builtin_inff();
    p->lo = lane->direct ? s->d->lo : -__builtin_inff();
    p->groups = pairs;
    if (pairs > 0) {
        run_groups(s, lane, s->row_begin, 2);
    }
    p->groups = rows - 2 * pairs;
    if (p->groups > 0) {
        run_groups(s, lane, s->row_begin + 2 * pairs, 1);
    }
    if (!lane->direct) {
        finish_rows(s, lane);
    }
}

/* ---- the vectors of a task ---- */

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
    *lane = (struct lane){.k = k};
    lane->y_offset = gt_strides_offset(&v->y, s->n, k, 0, 0);
    lane->x = s->d->expand ? s->args->in[0]
                           : (const float *)s->args->in[0] + gt_strides_offset(&v->x, s->n, k, 0, 0);
    move_lane(lane, s, vector);
    if (s->d->expand) {
        expand_rows(s, lane);
    }
}

/* Vector after vector: a task has so few rows of channels-last images that these stay in the first cache, and with them the
 * whole lines that its vectors share. Vectors that are gathered into scratch come one by one. */
static void run_task(struct task *s)
{
    struct lane lane;
    for (int64_t vector = s->vector_begin; vector < s->vector_end; vector++) {
        if (s->d->expand || vector == s->vector_begin) {
            set_lane(&lane, s, vector);
        } else {
            move_lane(&lane, s, vector);
        }
        run_lane(s, &lane);
    }
}

static void begin_tasks(struct task *s, micro_table micro)
{
    const bool known = is_known(s->width, s->d);
    s->classes = known ? s->d->conv.dw : 1;
    set_patch(s);
    find_micros(s, micro, known);
}

/* Vectors of a chunk are neighbours in memory. */
static void set_chunk(struct task *s, int64_t chunk)
{
    const gt_i_depthwise *d = s->d;
    s->vector_begin = chunk * d->chunk;
    s->vector_end = chunk == d->chunks - 1 ? d->vectors : s->vector_begin + d->chunk;
}

void GT_KERNEL_FN(depthwise_direct_f32)(const gt_kernel *kernel, const gt_args *args, int phase,
                                        int64_t begin, int64_t end)
{
    const gt_i_depthwise *d = kernel->params;
    micro_table micro;
    struct task s = {.d = d, .args = args, .width = widths[d->lanes]};
    (void)phase;
    begin_tasks(&s, micro);
    for (int64_t number = begin; number < end; number++) {
        const int64_t rows = number % d->row_tasks, chunk = number / d->row_tasks % d->chunks;
        s.n = number / d->row_tasks / d->chunks;
        s.row_begin = rows * d->task_rows;
        s.row_end = gt_i_min(s.row_begin + d->task_rows, d->conv.oh);
        set_chunk(&s, chunk);
        run_task(&s);
    }
}

/* Rows [begin, end) of an image for a strip (ops/pair.h), all channels. */
void GT_KERNEL_FN(depthwise_direct_rows_f32)(const gt_kernel *kernel, const gt_args *args, int image, int64_t begin, int64_t end)
{
    const gt_i_depthwise *d = kernel->params;
    micro_table micro;
    gt_args from_begin = *args;
    struct task s = {.d = d, .args = &from_begin, .width = widths[d->lanes], .n = image, .row_begin = begin, .row_end = end};
    from_begin.out = gt_i_strip_row(args->out, -begin * d->conv.y.h);
    begin_tasks(&s, micro);
    for (int64_t chunk = 0; chunk < d->chunks; chunk++) {
        set_chunk(&s, chunk);
        run_task(&s);
    }
}
