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

/* Four columns with even numbers and four with odd ones. */
#if defined(__aarch64__)
static inline void load_pairs(gt_v4 *even, gt_v4 *odd, const float *p)
{
    const float32x4x2_t both = vld2q_f32(p);
    *even = (gt_v4)both.val[0];
    *odd = (gt_v4)both.val[1];
}
#else
static inline void load_pairs(gt_v4 *even, gt_v4 *odd, const float *p)
{
    const gt_v4 a = gt_v4_load(p), b = gt_v4_load(p + 4);
    *even = __builtin_shufflevector(a, b, 0, 2, 4, 6);
    *odd = __builtin_shufflevector(a, b, 1, 3, 5, 7);
}
#endif

/* M(rows, vectors, kernel width, stride): kernel width 0 takes any with any stride and dilation. */
#define MICRO_WIDTHS(M, rows, kw, sw) \
    M(rows, 1, kw, sw) M(rows, 2, kw, sw) M(rows, 3, kw, sw) M(rows, 4, kw, sw) M(rows, 7, kw, sw)
#define MICRO_SHAPES(M)                                                                                   \
    MICRO_WIDTHS(M, 1, 3, 1) MICRO_WIDTHS(M, 1, 3, 2) MICRO_WIDTHS(M, 1, 5, 1) MICRO_WIDTHS(M, 1, 5, 2)  \
    MICRO_WIDTHS(M, 1, 7, 1) MICRO_WIDTHS(M, 1, 7, 2) MICRO_WIDTHS(M, 2, 3, 1) MICRO_WIDTHS(M, 2, 5, 1)  \
    M(2, 1, 7, 1) M(2, 2, 7, 1) M(2, 3, 7, 1) M(2, 4, 7, 1) M(1, 1, 0, 1) M(1, 2, 0, 1) M(1, 3, 0, 1) M(1, 4, 0, 1)

/* What a micro-kernel does in one call: `groups` groups of output rows, each of `tiles` tiles side by side. Input row i lies
 * at x + i * x_row, kernel column s at tap[s] in it. The fields are those of the first tile; the function counts on. */
typedef struct strip {
    const float *x;
    int64_t x_row, group_x;     /* from kernel row to kernel row, from output row to output row */
    int64_t phase;              /* from the columns of one phase to those of the next */
    const int64_t *tap;
    int64_t ih, h;              /* input row of the first kernel row; rows of the image */
    int64_t kh, kw, sh, dh;
    int64_t row_begin, row_end; /* kernel rows inside the image: set by the function */
    const float *bias, *weights;
    int64_t w_row;
    float *y;
    int64_t y_row;
    int64_t groups, tiles;
    int64_t last;               /* from a tile's first position to its last vector */
    bool clip;                  /* there is an upper limit; without a lower one it is -infinity */
    float lo, hi;
} strip;

typedef void (*micro_fn)(const strip *a);

/* What is constant in a register tile: output rows, vectors, kernel width, stride. */
struct form {
    int rows, vectors, kw, sw;
};

struct micro {
    struct form form;
    micro_fn fn;
};

struct width {
    const struct micro *micro;
    size_t n_micro;
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

/* This workload's micro-kernels with one and with two output rows by vectors, NULL where there is none. */
typedef micro_fn micro_table[2][GT_I_DEPTHWISE_WIDE + 1];

/* A task: some rows of one output channel of one image. */
struct task {
    const gt_i_depthwise *d;
    const gt_args *args;
    const struct width *width;
    micro_table micro;
    strip strip;         /* as far as it is the same for all */
    int64_t phases;      /* copies of a row: one per column that a stride passes and the kernel meets */
    float *rows, *sums;  /* scratch: copied input rows; sums of rows that are shorter than a vector */
    int64_t first_row;   /* of the image, the first one copied */
    int64_t n, k, row_begin, row_end;
};

static void find_micros(struct task *s)
{
    const gt_i_conv *v = &s->d->conv;
    bool known = false;
    for (size_t i = 0; i < s->width->n_micro; i++) {
        const struct form *f = &s->width->micro[i].form;
        known = known || (!s->d->any && v->dw == 1 && f->kw == v->kw && f->sw == v->sw);
    }
    memset(s->micro, 0, sizeof s->micro);
    for (size_t i = 0; i < s->width->n_micro; i++) {
        const struct form *f = &s->width->micro[i].form;
        if (known ? f->kw == v->kw && f->sw == v->sw : f->kw == 0) {
            s->micro[f->rows - 1][f->vectors] = s->width->micro[i].fn;
        }
    }
}

/* ---- copying input rows to scratch ---- */

static void copy_row(float *to, const float *from, int64_t count)
{
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        UNROLL for (int j = 0; j < 16; j += 4) {
            gt_v4_store(to + i + j, gt_v4_load(from + i + j));
        }
    }
    for (; i + 4 <= count; i += 4) {
        gt_v4_store(to + i, gt_v4_load(from + i));
    }
    if (i < count && count >= 4) {
        gt_v4_store(to + count - 4, gt_v4_load(from + count - 4));
        return;
    }
    for (; i < count; i++) {
        to[i] = from[i];
    }
}

/* Columns 0, 2, … and 1, 3, … of a row, as many as are asked for. */
static void split_row(float *even, int64_t n_even, float *odd, int64_t n_odd, const float *from)
{
    const int64_t pairs = gt_i_min(n_even, n_odd);
    for (int64_t i = 0; pairs >= 4 && i < pairs; i += 4) {
        const int64_t at = gt_i_min(i, pairs - 4);
        gt_v4 a, b;
        load_pairs(&a, &b, from + 2 * at);
        gt_v4_store(even + at, a);
        gt_v4_store(odd + at, b);
    }
    for (int64_t i = pairs < 4 ? 0 : pairs; i < n_even; i++) {
        even[i] = from[2 * i];
    }
    for (int64_t i = pairs < 4 ? 0 : pairs; i < n_odd; i++) {
        odd[i] = from[2 * i + 1];
    }
}

/* A row's columns of one phase after the other. */
static void copy_phases(const struct task *s, float *to, const float *from)
{
    const gt_i_conv *v = &s->d->conv;
    const int64_t cols = s->d->copy_cols;
    for (int64_t phase = 0; phase < s->phases; phase++, to += cols) {
        const int64_t column = phase - v->pad_l, begin = column < 0 ? gt_i_div_up(-column, v->sw) : 0;
        for (int64_t i = begin; i < cols && column + i * v->sw < v->w; i++) {
            to[i] = from[column + i * v->sw];
        }
    }
}

/* [row][phase][column / sw]: the columns that one kernel column meets lie side by side. Columns outside the
 * image are zero already. */
static void copy_rows(struct task *s)
{
    const gt_i_conv *v = &s->d->conv;
    const int64_t first = gt_i_max(s->row_begin * v->sh - v->pad_t, 0), cols = s->d->copy_cols;
    const int64_t end = gt_i_min((s->row_end - 1) * v->sh - v->pad_t + (v->kh - 1) * v->dh + 1, v->h);
    const int64_t c = s->k / (v->k / v->c), pad = v->pad_l, odd = pad % 2;
    const int64_t n_all = gt_i_min(v->w, cols - pad);
    const int64_t n_even = gt_i_min((v->w + 1) / 2, cols - pad / 2), n_odd = gt_i_min(v->w / 2, cols - (pad + 1) / 2);
    const float *from = (const float *)s->args->in[0] + s->n * v->x.n + c * v->x.block_stride + first * v->x.h;
    float *to = s->rows;
    for (int64_t row = first; row < end; row++, from += v->x.h, to += s->phases * cols) {
        if (v->sw == 1) {
            copy_row(to + pad, from, n_all);
        } else if (v->sw == 2 && s->phases == 2) {
            split_row(to + odd * cols + pad / 2, n_even, to + (1 - odd) * cols + (pad + 1) / 2, n_odd, from);
        } else {
            copy_phases(s, to, from);
        }
    }
    s->first_row = first;
}

/* Positions [0, ow) of the strip's rows: full tiles, then one whose last vector ends where the row does. Rows shorter than a
 * vector go to scratch. */
static void run_columns(const struct task *s, strip *p, int rows)
{
    const int64_t ow = s->d->conv.ow, lanes = s->d->lanes;
    const float *x = p->x;
    float *y = p->y;
    for (int64_t column = 0; column < ow; column += p->tiles * (p->last + lanes)) {
        const int64_t left = ow - column;
        int64_t vectors = gt_i_min(s->d->tile, gt_i_div_up(left, lanes));
        while (s->micro[rows - 1][vectors] == NULL) {
            vectors--;
        }
        p->tiles = gt_i_max(left / (vectors * lanes), 1);
        p->last = gt_i_max(gt_i_min(left, vectors * lanes) - lanes, 0);
        /* What is left may be less than a vector. */
        const int64_t at = left < lanes ? gt_i_max(ow - lanes, 0) : column;
        p->x = x + at;
        p->y = y + at;
        s->micro[rows - 1][vectors](p);
    }
}

static void finish_rows(const struct task *s, const float *sums, int64_t sums_row, bool act)
{
    const gt_i_conv *v = &s->d->conv;
    int64_t at = s->n * v->y.n + s->k * v->y.block_stride + s->row_begin * v->y.h;
    for (int64_t row = s->row_begin; row < s->row_end; row++, at += v->y.h, sums += sums_row) {
        const float *z = v->residual ? (const float *)s->args->in[3] + at : NULL;
        s->width->finish((float *)s->args->out + at, sums, z, v->ow, &v->epilogue, act);
    }
}

/* `groups` groups of rows [row, row + rows). */
static void run_groups(const struct task *s, strip *p, int64_t row, int rows, int64_t groups, float *y)
{
    const gt_i_conv *v = &s->d->conv;
    if (groups > 0) {
        p->ih = row * v->sh - v->pad_t;
        p->x = gt_i_element(s->rows, (p->ih - s->first_row) * (p->group_x / v->sh));
        p->y = y + (row - s->row_begin) * p->y_row;
        p->groups = groups;
        run_columns(s, p, rows);
    }
}

static void run_task(struct task *s)
{
    const gt_i_depthwise *d = s->d;
    const gt_i_conv *v = &d->conv;
    const bool simple = (d->clamp || v->epilogue.act == GT_FN_NONE) && !v->residual, is_short = v->ow < d->lanes;
    const int64_t rows = s->row_end - s->row_begin, pairs = d->tile_rows == 2 ? rows / 2 : 0;
    const float *packed = (const float *)s->args->packed + s->k * d->vector_floats;
    float *out = (float *)s->args->out + s->n * v->y.n + s->k * v->y.block_stride + s->row_begin * v->y.h;
    float *y = is_short ? s->sums : out;
    strip p = s->strip;
    copy_rows(s);
    p.bias = packed;
    p.weights = packed + GT_I_DEPTHWISE_BIAS;
    p.clip = simple && d->hi < __builtin_inff();
    p.lo = simple ? d->lo : -__builtin_inff();
    run_groups(s, &p, s->row_begin, 2, pairs, y);
    run_groups(s, &p, s->row_begin + 2 * pairs, 1, rows - 2 * pairs, y);
    if (is_short || !simple) {
        finish_rows(s, y, p.y_row, !simple);
    }
}

/* What is the same for all of a kernel's strips. */
static void set_strip(struct task *s, const int64_t *tap)
{
    const gt_i_depthwise *d = s->d;
    const gt_i_conv *v = &d->conv;
    const int64_t row = s->phases * d->copy_cols;
    s->strip = (strip){
        .x_row = v->dh * row, .group_x = v->sh * row, .phase = d->copy_cols, .tap = tap,
        .h = v->h, .kh = v->kh, .kw = v->kw, .sh = v->sh, .dh = v->dh, .w_row = d->weight_row,
        .y_row = v->ow < d->lanes ? d->lanes : v->y.h, .hi = d->hi,
    };
}

/* A thread's scratch: where each kernel column begins in a copied row, the copied rows, sums of short rows. */
static struct task begin_tasks(const gt_i_depthwise *d, const gt_args *args)
{
    int64_t *tap = args->scratch;
    float *floats = (float *)(tap + d->conv.kw);
    struct task s = {.d = d, .args = args, .width = widths[d->lanes], .rows = floats, .sums = floats + d->scratch_tile,
                     .phases = gt_i_min(d->conv.sw, (d->conv.kw - 1) * d->conv.dw + 1)};
    find_micros(&s);
    set_strip(&s, tap);
    for (int64_t i = 0; i < d->conv.kw; i++) {
        const int64_t column = i * d->conv.dw;
        tap[i] = column % d->conv.sw * d->copy_cols + column / d->conv.sw;
    }
    memset(s.rows, 0, (size_t)d->scratch_tile * sizeof *s.rows);
    return s;
}

void GT_KERNEL_FN(depthwise_direct_row_f32)(const gt_kernel *kernel, const gt_args *args, int phase,
                                            int64_t begin, int64_t end)
{
    const gt_i_depthwise *d = kernel->params;
    struct task s = begin_tasks(d, args);
    (void)phase;
    for (int64_t number = begin; number < end; number++) {
        const int64_t rows = number % d->row_tasks;
        s.k = number / d->row_tasks % d->conv.k;
        s.n = number / d->row_tasks / d->conv.k;
        s.row_begin = rows * d->task_rows;
        s.row_end = gt_i_min(s.row_begin + d->task_rows, d->conv.oh);
        run_task(&s);
    }
}

/* Rows [begin, end) of an image for a strip (ops/pair.h), all channels. */
void GT_KERNEL_FN(depthwise_direct_row_rows_f32)(const gt_kernel *kernel, const gt_args *args, int image, int64_t begin,
                                                 int64_t end)
{
    const gt_i_depthwise *d = kernel->params;
    gt_args from_begin = *args;
    from_begin.out = gt_i_strip_row(args->out, -begin * d->conv.y.h);
    struct task s = begin_tasks(d, &from_begin);
    s.n = image;
    s.row_begin = begin;
    s.row_end = end;
    for (s.k = 0; s.k < d->conv.k; s.k++) {
        run_task(&s);
    }
}
