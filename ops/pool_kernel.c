/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/general_common_simd.h"
#include "ops/kernels.h"
#include "ops/pool.h"

GT_I_INLINE gt_vn merge(gt_vn a, gt_vn b, bool maximum)
{
    return maximum ? gt_vn_max(a, b) : a + b;
}

#define UNROLL _Pragma("GCC unroll 16")
#include "ops/pool_window.h"

/* ---- y[i] = merge of the sources at i, and of y[i] itself where `have` ---- */

/* A window with more rows or columns than this takes several passes. */
#define MAX_SOURCES 32

GT_I_INLINE gt_vn load(const float *from, int64_t lanes)
{
    return lanes == GT_VL ? gt_vn_load(from) : gt_vn_load_part(from, lanes);
}

GT_I_INLINE void merge_at(float *y, bool have, const float *const *s, int n, int64_t i, int64_t lanes,
                          bool maximum)
{
    gt_vn v = load(s[0] + i, lanes);
    for (int j = 1; j < n; j++) {
        v = merge(v, load(s[j] + i, lanes), maximum);
    }
    v = have ? merge(load(y + i, lanes), v, maximum) : v;
    gt_vn_store_part(y + i, v, lanes);
}

GT_I_INLINE void pass(float *y, bool have, const float *const *s, int n, int64_t count, bool maximum)
{
    int64_t i = 0;
    for (; i + GT_VL <= count; i += GT_VL) {
        gt_vn v = gt_vn_load(s[0] + i);
        for (int j = 1; j < n; j++) {
            v = merge(v, gt_vn_load(s[j] + i), maximum);
        }
        gt_vn_store(y + i, have ? merge(gt_vn_load(y + i), v, maximum) : v);
    }
    if (i < count) {
        merge_at(y, have, s, n, i, count - i, maximum);
    }
}

/* The usual windows have two or three rows; those loops have no inner loop. */
GT_I_INLINE void pass_n(float *y, bool have, const float *const *s, int n, int64_t count, bool maximum)
{
    if (have) {
        pass(y, true, s, n, count, maximum);
    } else if (n == 3) {
        const float *const three[3] = {s[0], s[1], s[2]};
        pass(y, false, three, 3, count, maximum);
    } else if (n == 2) {
        const float *const two[2] = {s[0], s[1]};
        pass(y, false, two, 2, count, maximum);
    } else {
        pass(y, false, s, n, count, maximum);
    }
}

static void merge_row(float *y, bool have, const float *const *s, int n, int64_t count, bool maximum)
{
    if (maximum) {
        pass_n(y, have, s, n, count, true);
    } else {
        pass_n(y, have, s, n, count, false);
    }
}

static void fill(float *y, int64_t count, float value)
{
    for (int64_t i = 0; i < count; i++) {
        y[i] = value;
    }
}

/* ---- down the rows ---- */

/* Merges the window's rows into `row`: p->span columns from input column x0 on, which may lie outside. */
static void down(const gt_i_pool *p, float *row, const float *plane, int64_t at, int64_t x0, int64_t span)
{
    int64_t l = p->in.l;
    int64_t first = p->first_row[at];
    int64_t last = p->last_row[at];
    float neutral = p->maximum ? -__builtin_inff() : 0;
    int64_t left = gt_i_min(x0 < 0 ? -x0 : 0, span);
    int64_t inside = gt_i_min(span, p->in.w - x0) - left;
    if (first >= last || inside <= 0) {
        fill(row, span * l, neutral);
        return;
    }
    fill(row, left * l, neutral);
    fill(row + (left + inside) * l, (span - left - inside) * l, neutral);
    const float *from = plane + ((at * p->stride[0] - p->pad[0]) * p->in.w + x0 + left) * l;
    int64_t step = p->dilation[0] * p->in.w * l;
    for (int64_t r = first; r < last; r += MAX_SOURCES) {
        const float *s[MAX_SOURCES];
        int n = (int)gt_i_min(MAX_SOURCES, last - r);
        for (int j = 0; j < n; j++) {
            s[j] = from + (r + j) * step;
        }
        merge_row(row + left * l, r > first, s, n, inside * l, p->maximum);
    }
}

/* ---- along the columns ---- */

/* phases[j] gets columns j, j + stride, …, so that neighbouring windows' columns are neighbours. */
static void sort_phases(const gt_i_pool *p, float *phases, const float *row, int64_t span)
{
    int64_t l = p->in.l;
    int64_t stride = p->stride[1];
    for (int64_t j = 0; j < stride && j < span; j++) {
        int64_t count = (span - j + stride - 1) / stride;
        gt_i_copy_pixels(phases + j * p->phase_span * l, row + j * l, count, l, stride * l, l);
    }
}

static void along(const gt_i_pool *p, float *y, const float *row, int64_t columns)
{
    for (int64_t s = 0; s < p->kernel[1]; s += MAX_SOURCES) {
        const float *from[MAX_SOURCES];
        int n = (int)gt_i_min(MAX_SOURCES, p->kernel[1] - s);
        for (int j = 0; j < n; j++) {
            from[j] = row + p->column_at[s + j];
        }
        merge_row(y, s > 0, from, n, columns * p->in.l, p->maximum);
    }
}

GT_I_INLINE void strided(const gt_i_pool *p, float *y, const float *row, int64_t columns, bool maximum)
{
    int64_t l = p->in.l;
    int64_t step = p->dilation[1] * l;
    for (int64_t q = 0; q < columns; q++) {
        const float *from = row + q * p->stride[1] * l;
        /* The last vector overlaps the one before where l is not a multiple of the width. */
        for (int64_t i = 0; i < l; i += GT_VL) {
            int64_t at = gt_i_min(i, l - GT_VL);
            gt_vn v = gt_vn_load(from + at);
            for (int64_t s = 1; s < p->kernel[1]; s++) {
                v = merge(v, gt_vn_load(from + s * step + at), maximum);
            }
            gt_vn_store(y + q * l + at, v);
        }
    }
}

static void along_strided(const gt_i_pool *p, float *y, const float *row, int64_t columns)
{
    if (p->maximum) {
        strided(p, y, row, columns, true);
    } else {
        strided(p, y, row, columns, false);
    }
}

static void divide(const gt_i_pool *p, float *y, int64_t row, int64_t q0, int64_t columns)
{
    float f = p->row_factor[row];
    const float *c = p->column_factor + q0 * p->factor_lanes;
    int64_t l = p->out.l;
    if (l == p->factor_lanes) {
        for (int64_t i = 0; i < columns * l; i++) {
            y[i] *= f * c[i];
        }
        return;
    }
    for (int64_t q = 0; q < columns; q++) {
        float both = f * c[q];
        for (int64_t i = 0; i < l; i++) {
            y[q * l + i] *= both;
        }
    }
}

/* The second pass over one row. */
static void finish_row(const gt_i_pool *p, float *y, const float *row, int64_t at, int64_t q0,
                       int64_t columns)
{
    if (p->split || p->stride[1] == 1) {
        along(p, y, row, columns);
    } else {
        along_strided(p, y, row, columns);
    }
    if (!p->maximum) {
        divide(p, y, at, q0, columns);
    }
}

/* Rows [first, end), no more than a batch, of one output group from the input group at `plane`. */
typedef struct piece {
    const float *plane;
    int64_t group, first, end, q0;
} piece;

static void run_tile(const gt_i_pool *p, const gt_args *a, const piece *s)
{
    int64_t l = p->in.l;
    int64_t columns = gt_i_min(p->tile, p->out.w - s->q0);
    int64_t rows = s->end - s->first;
    int64_t span = (columns - 1) * p->stride[1] + (p->kernel[1] - 1) * p->dilation[1] + 1;
    int64_t size = p->span * l;
    int64_t sorted_size = p->split ? p->phase_span * p->stride[1] * l : size;
    float *row = a->scratch;
    float *sorted = p->split ? row + p->batch * size : row;
    float *y = (float *)a->out + ((s->group * p->out.h + s->first) * p->out.w + s->q0) * l;
    for (int64_t r = 0; r < rows; r++) {
        down(p, row + r * size, s->plane, s->first + r, s->q0 * p->stride[1] - p->pad[1], span);
    }
    for (int64_t r = 0; p->split && r < rows; r++) {
        sort_phases(p, sorted + r * sorted_size, row + r * size, span);
    }
    for (int64_t r = 0; r < rows; r++, y += p->out.w * l) {
        finish_row(p, y, sorted + r * sorted_size, s->first + r, s->q0, columns);
        if (gt_i_view_padded(&p->out)) {
            gt_i_zero_lanes(y, columns, l, gt_i_view_lanes(&p->out, s->group % p->out.g));
        }
    }
}

/* The same straight from the image, for the usual windows of whole vectors of channels. */
static void run_windows(const gt_i_pool *p, const gt_args *a, const piece *s)
{
    const int64_t l = p->in.l, columns = gt_i_min(p->tile, p->out.w - s->q0);
    float *y = (float *)a->out + (s->group * p->out.h + s->first) * p->out.w * l;
    window_row r = {.x_h = p->in.w * l, .l = l, .w = p->in.w, .pad = p->pad[1], .column_factor = p->column_factor,
                    .factor_lanes = p->factor_lanes};
    for (int64_t at = s->first; at < s->end; at++, y += p->out.w * l) {
        r.x = s->plane + (at * p->stride[0] - p->pad[0] + p->first_row[at]) * r.x_h;
        r.row_factor = p->row_factor[at];
        window_run(y, &r, s->q0, s->q0 + columns, p->last_row[at] - p->first_row[at], p->kernel[1], p->stride[1], p->maximum);
        if (gt_i_view_padded(&p->out)) {
            gt_i_zero_lanes(y + s->q0 * l, columns, l, gt_i_view_lanes(&p->out, s->group % p->out.g));
        }
    }
}

static void run_piece(const gt_i_pool *p, const gt_args *a, const piece *s)
{
    if (p->window && p->in.l % GT_VL == 0) {
        run_windows(p, a, s);
    } else {
        run_tile(p, a, s);
    }
}

void GT_KERNEL_FN(pool_direct_f32)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin,
                                   int64_t end)
{
    const gt_i_pool *p = k->params;
    (void)phase;
    for (int64_t task = begin; task < end; task++) {
        piece s = {.group = task / p->strips / p->batches, .q0 = task % p->strips * p->tile};
        s.plane = (const float *)a->in[0] + s.group * p->in_plane;
        s.first = task / p->strips % p->batches * p->batch;
        s.end = gt_i_min(s.first + p->batch, p->out.h);
        run_piece(p, a, &s);
    }
}

/* Rows [begin, end) of an image for a strip (ops/pair.h), all channels. */
void GT_KERNEL_FN(pool_direct_rows_f32)(const gt_kernel *k, const gt_args *a, int image, int64_t begin, int64_t end)
{
    const gt_i_pool *p = k->params;
    for (int64_t g = 0; g < p->out.g; g++) {
        piece s = {.plane = (const float *)a->in[0] + g * p->in_plane, .group = image * p->out.g + g};
        for (s.first = begin; s.first < end; s.first = s.end) {
            s.end = gt_i_min(s.first + p->batch, end);
            for (s.q0 = 0; s.q0 < p->out.w; s.q0 += p->tile) {
                run_piece(p, a, &s);
            }
        }
    }
}
