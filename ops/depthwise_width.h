/* SPDX-License-Identifier: Apache-2.0 */
/* Register tiles of depthwise.direct with GT_W channels as lanes; included by depthwise_kernel.c per width.
 * */
#define V GT_PASTE(gt_v, GT_W)
#define F(name) GT_PASTE(V, name)

/* Adds one input row to the sums of one or two output rows: every input column is loaded once. `upper`,
 * `lower`: the kernel rows that meet this input row, NULL for none. Compile-time constants: width, kw, sw,
 * edge. */
static inline __attribute__((always_inline)) void
F(_row)(V (*acc)[GT_I_DEPTHWISE_TILE], const gt_i_depthwise_tile *a, const float *x, const float *upper,
        const float *lower, const int width, const int kw, const int sw, const bool edge, const bool use_upper,
        const bool use_lower)
{
    V wu[7], wl[7];
    const int64_t x_w = a->x_w, col_begin = a->col_begin, col_end = a->col_end;
    UNROLL for (int s = 0; s < kw; s++) {
        if (use_upper) {
            wu[s] = F(_load)(upper + s * GT_W);
        }
        if (use_lower) {
            wl[s] = F(_load)(lower + s * GT_W);
        }
    }
    UNROLL for (int j = 0; j < (width - 1) * sw + kw; j++) {
        /* Only columns within kw - 1 of a tile's sides may lie outside the image; the caller sees to it. */
        const bool left = edge && j < kw - 1, right = edge && j > (width - 1) * sw;
        if ((!left || j >= col_begin) && (!right || j < col_end)) {
            V xj = F(_load)(x);
            UNROLL for (int t = 0; t < width; t++) {
                const int s = j - t * sw;
                if (s >= 0 && s < kw && use_upper) {
                    acc[0][t] += xj * wu[s];
                }
                if (s >= 0 && s < kw && use_lower) {
                    acc[1][t] += xj * wl[s];
                }
            }
        }
        x += x_w;
    }
}

/* The same for any kernel width, stride and dilation: columns are loaded per tap. */
static inline __attribute__((always_inline)) void
F(_any_row)(V (*acc)[GT_I_DEPTHWISE_TILE], const gt_i_depthwise_tile *a, const float *x, const float *w,
            const int width, const bool edge)
{
    const int64_t step = a->sw * a->x_w;
    for (int64_t s = 0; s < a->kw; s++, w += GT_W, x += a->dw * a->x_w) {
        V ws = F(_load)(w);
        const float *p = x;
        UNROLL for (int t = 0; t < width; t++) {
            int64_t j = s * a->dw + t * a->sw;
            if (!edge || (j >= a->col_begin && j < a->col_end)) {
                acc[0][t] += F(_load)(p) * ws;
            }
            p += step;
        }
    }
}

static inline __attribute__((always_inline)) void F(_tile)(const gt_i_depthwise_tile *a, const int rows,
                                                           const int width, const int kw, const int sw,
                                                           const bool edge)
{
    V acc[2][GT_I_DEPTHWISE_TILE];
    const float *w = a->weights + GT_W, *x = a->x;
    const int64_t w_row = a->kw * GT_W, step = a->dh * a->x_h;
    UNROLL for (int r = 0; r < rows; r++) {
        UNROLL for (int t = 0; t < width; t++) {
            acc[r][t] = F(_load)(a->weights);
        }
    }
    int64_t i = a->row_begin;
    /* Pointers are formed for rows inside the image only. */
    if (kw == 0) {
        for (; i < a->row_end; i++) {
            F(_any_row)(acc, a, x + (a->origin + i * step), w + i * w_row, width, edge);
        }
    } else if (rows == 1) {
        for (; i < a->row_end; i++) {
            F(_row)(acc, a, x + (a->origin + i * step), w + i * w_row, NULL, width, kw, sw, edge, true, false);
        }
    } else {
        if (i == 0 && a->row_end > 0) {
            F(_row)(acc, a, x + a->origin, w, NULL, width, kw, sw, edge, true, false);
            i++;
        }
        for (; i < a->row_end && i < a->kh; i++) {
            F(_row)(acc, a, x + (a->origin + i * step), w + i * w_row, w + (i - 1) * w_row, width, kw, sw,
                    edge, true, true);
        }
        if (i < a->row_end) {
            F(_row)(acc, a, x + (a->origin + i * step), NULL, w + (i - 1) * w_row, width, kw, sw, edge,
                    false, true);
        }
    }
    if (a->clamp) {
        V lo = F(_set1)(a->lo), hi = F(_set1)(a->hi);
        UNROLL for (int r = 0; r < rows; r++) {
            UNROLL for (int t = 0; t < width; t++) {
                acc[r][t] = F(_min)(F(_max)(acc[r][t], lo), hi);
            }
        }
    }
    /* Stores may alias the struct, so its fields are read first. */
    float *y = a->y;
    const int64_t y_h = a->y_h, y_w = a->y_w;
    UNROLL for (int r = 0; r < rows; r++) {
        float *to = y + r * y_h;
        UNROLL for (int t = 0; t < width; t++, to += y_w) {
            F(_store)(to, acc[r][t]);
        }
    }
}

#define M(rows, t, kw, sw)                                                            \
    static void F(_in_##rows##_##t##_##kw##_##sw)(const gt_i_depthwise_tile *a)      \
    {                                                                                 \
        F(_tile)(a, rows, t, kw, sw, false);                                          \
    }                                                                                 \
    static void F(_edge_##rows##_##t##_##kw##_##sw)(const gt_i_depthwise_tile *a)    \
    {                                                                                 \
        F(_tile)(a, rows, t, kw, sw, true);                                           \
    }
MICRO_SHAPES(M)
#undef M

#define M(rows, t, kw, sw) \
    {rows, t, kw, sw, {F(_in_##rows##_##t##_##kw##_##sw), F(_edge_##rows##_##t##_##kw##_##sw)}},
static const struct micro F(_micro)[] = {MICRO_SHAPES(M)};
#undef M

/* Residual and activation on finished sums, in place; lanes from `valid` on become zero. */
static void F(_finish)(float *y, const float *z, int64_t positions, int64_t step, int64_t valid,
                       const gt_epilogue *e)
{
    for (int64_t t = 0; t < positions; t++) {
        V value = F(_load)(y + t * step);
        if (e->residual == GT_RESIDUAL_BEFORE) {
            value += F(_load)(z + t * step);
        }
        value = F(_act)(value, e->act, e->alpha, e->beta);
        if (e->residual == GT_RESIDUAL_AFTER) {
            value += F(_load)(z + t * step);
        }
        F(_store)(y + t * step, value);
        for (int64_t c = valid; c < GT_W; c++) {
            y[t * step + c] = 0;
        }
    }
}

static const struct width F(_width) = {F(_micro), sizeof F(_micro) / sizeof *F(_micro), F(_finish)};

#undef V
#undef F
