/* SPDX-License-Identifier: Apache-2.0 */
/* Register tiles of depthwise.direct with GT_W channels as lanes; included by depthwise_kernel.c per width.
 *
 * Arm's older cores start one vector instruction a cycle, and loads and stores beside it. So sums start by loading the bias
 * rather than by copying it, and what lies between two jumps holds loads or stores together with multiply-adds: rows and
 * columns that are in the image for certain come first, those that may lie outside follow, each behind a jump. */
#define V GT_PASTE(gt_v, GT_W)
#define F(name) GT_PASTE(V, name)

typedef V F(_sums)[2][GT_I_DEPTHWISE_TILE];

/* Adds columns [from, to) of an input row, the first of which lies at x; returns where column `to` lies. The row is the i-th of
 * those that the tile reaches and meets kernel row i - r * sw of output row r, of the kh that w holds. */
GT_I_INLINE const float *F(_columns)(F(_sums) acc, const gt_i_depthwise_patch *p, const float *x, const V *w, const struct form f,
                                     const int i, const int kh, const int from, const int to)
{
    const int64_t x_w = f.packed ? GT_W : p->x_w;
    GT_FORGET(x);
    UNROLL for (int j = from; j < to; j++) {
        /* Only columns within kw - 1 of a tile's sides may lie outside the image; the caller sees to it. */
        const bool left = f.edge && j < f.kw - 1, right = f.edge && j > (f.width - 1) * f.sw;
        if ((!left || j >= p->col_begin) && (!right || j < p->col_end)) {
            V xj = F(_load)(x + (f.packed ? j - from : (j - from) % STEPS) * x_w);
            UNROLL for (int r = 0; r < f.rows; r++) {
                UNROLL for (int t = 0; t < f.width; t++) {
                    const int row = i - r * f.sw, s = j - t * f.sw;
                    if (row >= 0 && row < kh && s >= 0 && s < f.kw) {
                        acc[r][t] += xj * w[row * f.kw + s];
                    }
                }
            }
        }
        if (!f.packed && (j - from) % STEPS == STEPS - 1) {
            x = gt_i_element(x, STEPS * x_w);
            GT_FORGET(x);
        }
    }
    return gt_i_element(x, (f.packed ? to - from : (to - from) % STEPS) * x_w);
}

GT_I_INLINE void F(_row)(F(_sums) acc, const gt_i_depthwise_patch *p, const float *x, const V *w, const struct form f,
                         const int i, const int kh)
{
    const int sure = f.kw - 1, end = (f.width - 1) * f.sw + 1, reach = end + f.kw - 1;
    if (!f.edge || end <= sure) {
        F(_columns)(acc, p, x, w, f, i, kh, 0, reach);
        return;
    }
    const float *next = x;
    UNROLL for (int j = 0; j < sure; j += STEPS) {
        next = gt_i_element(next, STEPS * (f.packed ? GT_W : p->x_w));
        GT_FORGET(next);
    }
    next = F(_columns)(acc, p, next, w, f, i, kh, sure, end);
    F(_columns)(acc, p, next, w, f, i, kh, end, reach);
    F(_columns)(acc, p, x, w, f, i, kh, 0, sure);
}

GT_I_INLINE void F(_start)(F(_sums) acc, const float *bias, const struct form f)
{
    UNROLL for (int r = 0; r < f.rows; r++) {
        UNROLL for (int t = 0; t < f.width; t++) {
            acc[r][t] = F(_load)(bias);
            GT_FORGET_ARRAY(bias, GT_W);
        }
    }
}

GT_I_INLINE void F(_limit)(F(_sums) acc, const gt_i_depthwise_patch *p, const struct form f, V lo, V hi, const bool upper)
{
    const int64_t y_w = f.packed ? GT_W : p->y_w;
    UNROLL for (int r = 0; r < f.rows; r++) {
        float *y = p->y + r * p->y_h;
        GT_FORGET(y);
        UNROLL for (int t = 0; t < f.width; t++) {
            V sum = F(_max)(acc[r][t], lo);
            F(_store)(y + (f.packed ? t : t % STEPS) * y_w, upper ? F(_min)(sum, hi) : sum);
            if (!f.packed && t % STEPS == STEPS - 1 && t < f.width - 1) {
                y += STEPS * y_w;
                GT_FORGET(y);
            }
        }
    }
}

/* A kernel of 3x3, whose weights are in registers, on two output rows. Only the first and the last of the input rows may lie
 * outside the image. */
GT_I_INLINE void F(_two_rows)(F(_sums) acc, const gt_i_depthwise_patch *p, const V *w, const struct form f)
{
    const float *x = p->x;
    F(_start)(acc, p->weights, f);
    UNROLL for (int i = 1; i < f.sw + 2; i++) {
        x = gt_i_element(x, p->x_h);
        GT_FORGET(x);
        F(_row)(acc, p, x, w, f, i, 3);
    }
    if (!(p->outside & FIRST_ROW)) {
        F(_row)(acc, p, p->x, w, f, 0, 3);
    }
    if (!(p->outside & LAST_ROW)) {
        F(_row)(acc, p, gt_i_element(x, p->x_h), w, f, f.sw + 2, 3);
    }
}

GT_I_INLINE void F(_input_row)(F(_sums) acc, const gt_i_depthwise_patch *p, const float *x, const float *weights,
                               const struct form f)
{
    V w[7];
    UNROLL for (int s = 0; s < f.kw; s++) {
        w[s] = F(_load)(weights + s * GT_W);
    }
    F(_row)(acc, p, x, w, f, 0, 1);
}

/* One output row, of any number of kernel rows, that meets at least one input row. */
GT_I_INLINE void F(_one_row)(F(_sums) acc, const gt_i_depthwise_patch *p, const struct form f)
{
    const float *x = gt_i_element(p->x, p->row_begin * p->x_h), *w = p->weights + (1 + p->row_begin * f.kw) * GT_W;
    F(_start)(acc, p->weights, f);
    F(_input_row)(acc, p, x, w, f);
    for (int64_t i = p->row_end - p->row_begin - 1; i > 0; i--) {
        x = gt_i_element(x, p->x_h);
        w += f.kw * GT_W;
        F(_input_row)(acc, p, x, w, f);
    }
}

/* One output row with any kernel, stride, dilation and padding. */
GT_I_INLINE void F(_any_row)(F(_sums) acc, const gt_i_depthwise_patch *p, const struct form f)
{
    const int64_t step = p->sw * p->x_w, tap = p->dw * p->x_w;
    F(_start)(acc, p->weights, f);
    for (int64_t i = p->row_begin; i < p->row_end; i++) {
        const float *w = p->weights + (1 + i * p->kw) * GT_W, *x = gt_i_element(p->x, i * p->x_h);
        int64_t begin = p->col_begin, end = p->col_end;
        for (int64_t s = p->kw; s > 0; s--) {
            V ws = F(_load)(w);
            UNROLL for (int t = 0; t < f.width; t++) {
                if (!f.edge || (t * p->sw >= begin && t * p->sw < end)) {
                    acc[0][t] += F(_load)(gt_i_element(x, t * step)) * ws;
                }
            }
            w += GT_W;
            x = gt_i_element(x, tap);
            begin -= p->dw;
            end -= p->dw;
        }
    }
}

/* `w`, `lo`, `hi`: what stays in registers from tile to tile. */
GT_I_INLINE void F(_tile)(const gt_i_depthwise_patch *p, const struct form f, const V *w, V lo, V hi)
{
    F(_sums) acc;
    if (f.kw == 0) {
        F(_any_row)(acc, p, f);
    } else if (f.rows == 2) {
        F(_two_rows)(acc, p, w, f);
    } else {
        F(_one_row)(acc, p, f);
    }
    if (p->clip) {
        F(_limit)(acc, p, f, lo, hi, true);
    } else {
        F(_limit)(acc, p, f, lo, hi, false);
    }
}

/* Counts on by `tiles` tiles of `step` input columns. */
GT_I_INLINE void F(_step)(gt_i_depthwise_patch *p, const struct form f, int64_t tiles, int64_t step)
{
    p->tiles -= tiles;
    p->col_begin -= tiles * step;
    p->col_end -= tiles * step;
    p->x = gt_i_element(p->x, tiles * step * p->x_w);
    p->y += tiles * f.width * p->y_w;
}

/* Tiles inside the image: as many as come next. */
GT_I_INLINE void F(_inner)(gt_i_depthwise_patch *p, const struct form f, const V *w, V lo, V hi, int64_t step, int64_t reach)
{
    const int64_t inside = p->col_end >= reach ? (p->col_end - reach) / step + 1 : 0;
    const int64_t count = p->col_begin > 0 ? 0 : gt_i_min(inside, p->tiles);
    gt_i_depthwise_patch tile = *p;
    for (int64_t i = count; i > 0; i--) {
        F(_tile)(&tile, f, w, lo, hi);
        tile.x = gt_i_element(tile.x, step * p->x_w);
        tile.y += f.width * p->y_w;
    }
    F(_step)(p, f, count, step);
}

/* One group of output rows. */
GT_I_INLINE void F(_group)(const gt_i_depthwise_patch *a, int64_t group, const struct form f, const V *w, V lo, V hi)
{
    const struct form edge = {f.rows, f.width, f.kw, f.sw, f.packed, true};
    gt_i_depthwise_patch p = *a;
    const int64_t sw = f.kw == 0 ? p.sw : f.sw, kw = f.kw == 0 ? (p.kw - 1) * p.dw + 1 : f.kw;
    const int64_t step = f.width * sw, reach = (f.width - 1) * sw + kw, ih = p.ih + group * f.rows * p.sh;
    p.x = gt_i_element(p.x, group * f.rows * p.group_x);
    p.y += group * f.rows * p.y_h;
    if (f.rows == 2) {
        p.outside = (ih < 0 ? FIRST_ROW : 0) | (ih + f.sw + 3 > p.h ? LAST_ROW : 0);
    } else {
        gt_i_conv_taps(&p.row_begin, &p.row_end, ih, p.dh, p.kh, p.h);
    }
    while (p.tiles > 0) {
        F(_inner)(&p, f, w, lo, hi, step, reach);
        if (p.tiles > 0) {
            F(_tile)(&p, edge, w, lo, hi);
            F(_step)(&p, f, 1, step);
        }
    }
}

/* All tiles of a patch. Its fields are read again for each group: in between, registers have better use. */
GT_I_INLINE void F(_patch)(const gt_i_depthwise_patch *a, const struct form f)
{
    V lo = F(_set1)(a->lo), hi = F(_set1)(a->hi), w[9];
    UNROLL for (int s = 0; s < 9; s++) {
        if (f.rows == 2) {
            w[s] = F(_load)(a->weights + (1 + s) * GT_W);
        }
    }
    for (int64_t group = 0; group < a->groups; group++) {
        F(_group)(a, group, f, w, lo, hi);
    }
}

#define M(rows, t, kw, sw)                                                                  \
    static void F(_strided_##rows##_##t##_##kw##_##sw)(const gt_i_depthwise_patch *a)       \
    {                                                                                       \
        F(_patch)(a, (struct form){rows, t, kw, sw, false, false});                         \
    }
MICRO_STRIDED(M)
#undef M

#define M(rows, t, kw, sw)                                                                  \
    static void F(_packed_##rows##_##t##_##kw##_##sw)(const gt_i_depthwise_patch *a)        \
    {                                                                                       \
        F(_patch)(a, (struct form){rows, t, kw, sw, true, false});                          \
    }
MICRO_PACKED(M)
#undef M

static const struct micro F(_micro)[] = {
#define M(rows, t, kw, sw) {{rows, t, kw, sw, false, false}, F(_strided_##rows##_##t##_##kw##_##sw)},
    MICRO_STRIDED(M)
#undef M
#define M(rows, t, kw, sw) {{rows, t, kw, sw, true, false}, F(_packed_##rows##_##t##_##kw##_##sw)},
    MICRO_PACKED(M)
#undef M
};

/* Residual and activation on the finished sums of one row, in place; lanes from `valid` on become zero. */
GT_I_INLINE void F(_finish_row)(float *y, const float *z, int64_t positions, int64_t step, int64_t valid, const gt_epilogue *e,
                                const gt_function act)
{
    const float alpha = e->alpha, beta = e->beta;
    const bool before = e->residual == GT_RESIDUAL_BEFORE, after = e->residual == GT_RESIDUAL_AFTER;
    for (int64_t t = 0; t < positions; t++) {
        V value = F(_load)(y + t * step);
        value = F(_act)(before ? value + F(_load)(z + t * step) : value, act, alpha, beta);
        F(_store)(y + t * step, after ? value + F(_load)(z + t * step) : value);
        for (int64_t c = valid; c < GT_W; c++) {
            y[t * step + c] = 0;
        }
    }
}

static void F(_finish)(float *y, const float *z, int64_t positions, int64_t step, int64_t valid, const gt_epilogue *e)
{
    if (e->act == GT_FN_HARD_SWISH && z == NULL && valid == GT_W) {
        F(_finish_row)(y, NULL, positions, step, GT_W, &(gt_epilogue){.alpha = e->alpha, .beta = e->beta}, GT_FN_HARD_SWISH);
    } else {
        F(_finish_row)(y, z, positions, step, valid, e, e->act);
    }
}

static const struct width F(_width) = {F(_micro), sizeof F(_micro) / sizeof *F(_micro), F(_finish)};

#undef V
#undef F
