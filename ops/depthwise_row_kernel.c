/* SPDX-License-Identifier: Apache-2.0 */
/* depthwise.direct with positions of a row as lanes: NCHW. */
#include "ops/depthwise.h"
#include "ops/kernels.h"
#include "ops/simd.h"

#define UNROLL _Pragma("GCC unroll 16")

/* Four neighbouring weights: a register on NEON, which multiplies by lanes; broadcast from memory on x86. */
#if defined(__aarch64__)
typedef gt_v4 quad;
#define quad_load(p) gt_v4_load(p)
#else
typedef const float *quad;
#define quad_load(p) (p)
#endif

/* M(rows, vectors, kernel width): width 0 takes any. Index kw / 2 is 0 for 0 and distinct for 3, 5 and 7. */
#define MICRO_WIDTHS(M, rows, kw) M(rows, 1, kw) M(rows, 2, kw) M(rows, 3, kw) M(rows, 4, kw)
#define MICRO_SHAPES(M)                                                                    \
    MICRO_WIDTHS(M, 1, 0) MICRO_WIDTHS(M, 1, 3) MICRO_WIDTHS(M, 1, 5) MICRO_WIDTHS(M, 1, 7) \
    MICRO_WIDTHS(M, 2, 0) MICRO_WIDTHS(M, 2, 3) MICRO_WIDTHS(M, 2, 5) MICRO_WIDTHS(M, 2, 7)

/* One register tile. Input row i lies at x + origin + i * x_row, kernel column s at tap[s] in it. */
typedef struct tile {
    const float *x;
    int64_t origin, x_row;
    const int64_t *tap;
    int64_t kh, kw, row_begin, row_end;
    const float *weights;
    int64_t w_row;
    float bias;
    float *y;
    int64_t y_row;
    bool clamp;
    float lo, hi;
} tile;

typedef void (*micro_fn)(const tile *a);

struct width {
    const micro_fn (*micro)[2][GT_I_DEPTHWISE_WIDE];
    void (*finish)(float *y, const float *sums, const float *z, int64_t count, const gt_epilogue *e,
                   bool act);
};

#define GT_W 4
#include "ops/depthwise_row_width.h"
#undef GT_W
#if GT_VL >= 8
#define GT_W 8
#include "ops/depthwise_row_width.h"
#undef GT_W
#endif
#if GT_VL >= 16
#define GT_W 16
#include "ops/depthwise_row_width.h"
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

/* A task: some rows of one output channel of one image. */
struct task {
    const gt_i_depthwise *d;
    const gt_args *args;
    const struct width *width;
    const micro_fn (*micro)[GT_I_DEPTHWISE_WIDE];
    const int64_t *tap;
    int64_t phases;      /* copies of a row: one per column that a stride passes and the kernel meets */
    float *rows, *sums;  /* scratch: copied input rows, a register tile's sums */
    int64_t first_row;   /* of the image, the first one copied */
    int64_t n, k, row_begin, row_end;
};

/* Copies every sw-th element of a row. */
static void copy_strided(float *to, const float *from, int64_t count, int64_t sw)
{
    int64_t i = 0;
    for (; sw == 1 && i + 4 <= count; i += 4) {
        gt_v4_store(to + i, gt_v4_load(from + i));
    }
    /* 8 elements are read, so one more than the 7 that 4 of them span must exist. */
    for (; sw == 2 && i + 5 <= count; i += 4) {
        const float *p = from + i * 2;
        gt_v4_store(to + i, __builtin_shufflevector(gt_v4_load(p), gt_v4_load(p + 4), 0, 2, 4, 6));
    }
    for (; i < count; i++) {
        to[i] = from[i * sw];
    }
}

/* [row][phase][column / sw]: the columns that one kernel column meets lie side by side. Columns outside the
 * image are zero already. */
static void copy_rows(struct task *s)
{
    const gt_i_conv *v = &s->d->conv;
    const int64_t first = gt_i_max(s->row_begin * v->sh - v->pad_t, 0);
    const int64_t end = gt_i_min((s->row_end - 1) * v->sh - v->pad_t + (v->kh - 1) * v->dh + 1, v->h);
    const int64_t c = s->k / (v->k / v->c), cols = s->d->copy_cols;
    const float *image = (const float *)s->args->in[0] + s->n * v->x.n + c * v->x.block_stride;
    for (int64_t phase = 0; phase < s->phases; phase++) {
        const int64_t column = phase - v->pad_l;
        const int64_t begin = column < 0 ? gt_i_div_up(-column, v->sw) : 0;
        const int64_t count = gt_i_min(column < v->w ? gt_i_div_up(v->w - column, v->sw) : 0, cols) - begin;
        float *to = s->rows + phase * cols + begin;
        for (int64_t row = first; row < end; row++, to += s->phases * cols) {
            copy_strided(to, image + row * v->x.h + column + begin * v->sw, count, v->sw);
        }
    }
    s->first_row = first;
}

/* Stores a tile's sums from scratch, its last vector as far as the row goes. */
static void finish_tile(const struct task *s, int64_t at, int64_t rows, int64_t column, int64_t span,
                        bool simple)
{
    const gt_i_conv *v = &s->d->conv;
    for (int64_t r = 0; r < rows; r++, at += v->y.h) {
        const float *z = v->residual ? (const float *)s->args->in[3] + at : NULL;
        s->width->finish((float *)s->args->out + at, s->sums + r * span, z, gt_i_min(span, v->ow - column),
                         &v->epilogue, !simple);
    }
}

/* Output rows [row, row + rows). Tiles go from right to left: what the last vector writes past its row's end
 * lies in the next rows, which are computed later; where the task has no such rows it must not. */
static void run_rows(const struct task *s, int64_t row, int64_t rows)
{
    const gt_i_depthwise *d = s->d;
    const gt_i_conv *v = &d->conv;
    const int64_t ih = row * v->sh - v->pad_t, row_floats = s->phases * d->copy_cols;
    const int64_t vectors = gt_i_div_up(v->ow, d->lanes);
    const int64_t row_at = s->n * v->y.n + s->k * v->y.block_stride + row * v->y.h;
    const bool simple = (d->clamp || v->epilogue.act == GT_FN_NONE) && !v->residual;
    const bool may_pass = simple && vectors * d->lanes - v->ow <= (s->row_end - row - rows) * v->ow;
    const float *packed = (const float *)s->args->packed + s->k * d->vector_floats;
    tile t = {
        .x = s->rows, .x_row = v->dh * row_floats, .tap = s->tap, .kh = v->kh, .kw = v->kw,
        .weights = packed + 4, .w_row = d->weight_row, .bias = packed[0],
        .clamp = simple && d->clamp, .lo = d->lo, .hi = d->hi,
    };
    gt_i_conv_taps(&t.row_begin, &t.row_end, ih, v->dh, v->kh + rows - 1, v->h);
    for (int64_t first = (vectors - 1) / d->tile * d->tile; first >= 0; first -= d->tile) {
        const int64_t count = gt_i_min(d->tile, vectors - first), column = first * d->lanes;
        const bool direct = may_pass || (simple && column + count * d->lanes <= v->ow);
        t.origin = (ih - s->first_row) * row_floats + column;
        t.y = direct ? (float *)s->args->out + row_at + column : s->sums;
        t.y_row = direct ? v->y.h : count * d->lanes;
        s->micro[rows - 1][count - 1](&t);
        if (!direct) {
            finish_tile(s, row_at + column, rows, column, count * d->lanes, simple);
        }
    }
}

static void run_task(struct task *s)
{
    int64_t rows = 1;
    copy_rows(s);
    for (int64_t row = s->row_begin; row < s->row_end; row += rows) {
        rows = gt_i_min(s->d->tile_rows, s->row_end - row);
        run_rows(s, row, rows);
    }
}

void GT_KERNEL_FN(depthwise_direct_row_f32)(const gt_kernel *kernel, const gt_args *args, int phase,
                                            int64_t begin, int64_t end)
{
    const gt_i_depthwise *d = kernel->params;
    int64_t *tap = args->scratch;
    float *floats = (float *)(tap + d->conv.kw);
    struct task s = {.d = d, .args = args, .width = widths[d->lanes], .tap = tap, .rows = floats,
                     .sums = floats + d->scratch_tile,
                     .phases = gt_i_min(d->conv.sw, (d->conv.kw - 1) * d->conv.dw + 1)};
    const bool known = d->conv.kw == 3 || d->conv.kw == 5 || d->conv.kw == 7;
    s.micro = s.width->micro[known ? d->conv.kw / 2 : 0];
    (void)phase;
    for (int64_t i = 0; i < d->conv.kw; i++) {
        const int64_t column = i * d->conv.dw;
        tap[i] = column % d->conv.sw * d->copy_cols + column / d->conv.sw;
    }
    memset(s.rows, 0, (size_t)d->scratch_tile * sizeof *s.rows);
    for (int64_t number = begin; number < end; number++) {
        const int64_t rows = number % d->row_tasks;
        s.k = number / d->row_tasks % d->conv.k;
        s.n = number / d->row_tasks / d->conv.k;
        s.row_begin = rows * d->task_rows;
        s.row_end = gt_i_min(s.row_begin + d->task_rows, d->conv.oh);
        run_task(&s);
    }
}
