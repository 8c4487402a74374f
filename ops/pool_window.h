/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling windows of 2x2 and 3x3 with channels as lanes, straight from the image; included by pool_kernel.c.
 *
 * Windows side by side share columns, so several are computed together: down each column first, then along. Nothing but the
 * result is stored, where the passes over whole rows store what is between them as well. */
#ifndef GT_OPS_POOL_WINDOW_H
#define GT_OPS_POOL_WINDOW_H

#define WINDOW_TILE 4 /* windows together */
#define MAX_WINDOW 3

/* One output row of one group. */
typedef struct window_row {
    const float *x;              /* its first input row inside the image, column 0 */
    int64_t x_h, l;              /* from input row to input row; lanes of a pixel */
    int64_t w, pad;              /* input columns, left padding */
    float row_factor;            /* average: of this row */
    const float *column_factor;  /* average: of every output column, factor_lanes times each */
    int64_t factor_lanes;
} window_row;

/* What is constant in a loop: input rows inside the image, kernel width, stride, and which pooling. */
struct window {
    int rows, kw, stride;
    bool maximum;
};

/* `together` windows from output column q on, which lie inside the image from left to right. */
GT_I_INLINE void window_tile(float *y, const window_row *r, int64_t q, const struct window f, const int together)
{
    const float *x = r->x + (q * f.stride - r->pad) * r->l;
    const gt_vn factor = gt_vn_set1(r->row_factor * r->column_factor[q * r->factor_lanes]);
    const int columns = (together - 1) * f.stride + f.kw;
    for (int64_t i = 0; i < r->l; i += GT_VL) {
        gt_vn down[(WINDOW_TILE - 1) * 2 + MAX_WINDOW];
        const float *column = x + i;
        UNROLL for (int j = 0; j < columns; j++) {
            down[j] = gt_vn_load(column);
            UNROLL for (int row = 1; row < f.rows; row++) {
                down[j] = merge(down[j], gt_vn_load(column + row * r->x_h), f.maximum);
            }
            column += r->l;
        }
        float *to = y + q * r->l + i;
        UNROLL for (int t = 0; t < together; t++, to += r->l) {
            gt_vn v = down[t * f.stride];
            UNROLL for (int s = 1; s < f.kw; s++) {
                v = merge(v, down[t * f.stride + s], f.maximum);
            }
            gt_vn_store(to, f.maximum ? v : v * factor);
        }
    }
}

/* A window that may reach over the image's left or right side, but not altogether. */
static void window_edge(float *y, const window_row *r, int64_t q, const struct window f)
{
    const int64_t at = q * f.stride - r->pad, begin = at > 0 ? at : 0, end = gt_i_min(at + f.kw, r->w);
    const float factor = r->row_factor * r->column_factor[q * r->factor_lanes];
    for (int64_t i = 0; i < r->l; i += GT_VL) {
        gt_vn v = gt_vn_load(r->x + begin * r->l + i);
        for (int64_t j = begin; j < end; j++) {
            for (int row = j == begin ? 1 : 0; row < f.rows; row++) {
                v = merge(v, gt_vn_load(r->x + row * r->x_h + j * r->l + i), f.maximum);
            }
        }
        gt_vn_store(y + q * r->l + i, f.maximum ? v : v * factor);
    }
}

/* Output columns [q, end); y is column 0. */
GT_I_INLINE void window_columns(float *y, const window_row *r, int64_t q, int64_t end, const struct window f)
{
    const int64_t first = gt_i_ceil_div(r->pad, f.stride), room = r->w + r->pad - f.kw;
    const int64_t last = room < 0 ? 0 : room / f.stride + 1;
    for (; q < end && (q < first || q >= last); q++) {
        window_edge(y, r, q, f);
    }
    for (; q + WINDOW_TILE <= gt_i_min(end, last); q += WINDOW_TILE) {
        window_tile(y, r, q, f, WINDOW_TILE);
    }
    for (; q < gt_i_min(end, last); q++) {
        window_tile(y, r, q, f, 1);
    }
    for (; q < end; q++) {
        window_edge(y, r, q, f);
    }
}

#define CASE(rows, kw, stride)                                                          \
    case (rows) * 100 + (kw) * 10 + (stride):                                           \
        if (maximum) {                                                                  \
            window_columns(y, r, q, end, (struct window){rows, kw, stride, true});      \
        } else {                                                                        \
            window_columns(y, r, q, end, (struct window){rows, kw, stride, false});     \
        }                                                                               \
        break;

static void window_run(float *y, const window_row *r, int64_t q, int64_t end, int64_t rows, int64_t kw, int64_t stride,
                       bool maximum)
{
    switch (rows * 100 + kw * 10 + stride) {
        CASE(1, 2, 1)
        CASE(2, 2, 1)
        CASE(1, 2, 2)
        CASE(2, 2, 2)
        CASE(1, 3, 1)
        CASE(2, 3, 1)
        CASE(3, 3, 1)
        CASE(1, 3, 2)
        CASE(2, 3, 2)
        CASE(3, 3, 2)
    }
}
#undef CASE

#endif
