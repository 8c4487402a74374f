/* SPDX-License-Identifier: Apache-2.0 */
/* Register tiles of depthwise.direct with GT_W positions of a row as lanes; included by depthwise_row_kernel.c per width. How
 * loads, stores and multiply-adds are put together: see depthwise_width.h. */
#define V GT_PASTE(gt_v, GT_W)
#define F(name) GT_PASTE(V, name)

typedef V F(_sums)[2][GT_I_DEPTHWISE_WIDE];

/* Where vector v of a tile begins: the last one where the row ends, which may overlap the one before. */
GT_I_INLINE int64_t F(_at)(const strip *p, const struct form f, int v)
{
    return v == f.vectors - 1 ? p->last : v * GT_W;
}

GT_I_INLINE void F(_start)(F(_sums) acc, const strip *p, const struct form f)
{
    UNROLL for (int r = 0; r < f.rows; r++) {
        UNROLL for (int v = 0; v < f.vectors; v++) {
            acc[r][v] = F(_load)(p->bias);
            GT_FORGET_ARRAY(p->bias, GT_W);
        }
    }
}

/* Adds one input row to one or two output rows. `upper`, `lower`: the kernel rows that meet it, NULL for none. */
GT_I_INLINE void F(_row)(F(_sums) acc, const strip *p, const float *x, const float *upper, const float *lower,
                         const struct form f, const bool use_upper, const bool use_lower)
{
    const float *from[2] = {x, x + p->phase}, *end[2] = {x + p->last, x + p->phase + p->last};
    quad wu[2], wl[2];
    UNROLL for (int q = 0; q < (f.kw + 3) / 4; q++) {
        wu[q] = quad_load(use_upper ? upper + 4 * q : lower);
        wl[q] = quad_load(use_lower ? lower + 4 * q : upper);
    }
    UNROLL for (int s = 0; s < f.kw; s++) {
        UNROLL for (int v = 0; v < f.vectors; v++) {
            const float *at = v == f.vectors - 1 ? end[s % f.sw] : from[s % f.sw] + v * GT_W;
            V xv = F(_load)(at + s / f.sw);
            if (use_upper) {
                acc[0][v] += xv * wu[s / 4][s % 4];
            }
            if (use_lower) {
                acc[1][v] += xv * wl[s / 4][s % 4];
            }
        }
    }
}

/* The same for any kernel width and dilation, on one output row. */
GT_I_INLINE void F(_any_row)(F(_sums) acc, const strip *p, const float *x, const float *w, const struct form f)
{
    for (int64_t s = 0; s < p->kw; s++) {
        const float *at = x + p->tap[s];
        UNROLL for (int v = 0; v < f.vectors; v++) {
            acc[0][v] += F(_load)(at + F(_at)(p, f, v)) * w[s];
        }
    }
}

/* One output row; it meets an input row where the kernel width is a known one. */
GT_I_INLINE void F(_one_row)(F(_sums) acc, const strip *p, const struct form f)
{
    const float *w = p->weights + p->row_begin * p->w_row;
    F(_start)(acc, p, f);
    if (f.kw == 0) {
        for (int64_t i = p->row_begin; i < p->row_end; i++, w += p->w_row) {
            F(_any_row)(acc, p, gt_i_element(p->x, i * p->x_row), w, f);
        }
        return;
    }
    const float *x = gt_i_element(p->x, p->row_begin * p->x_row);
    F(_row)(acc, p, x, w, NULL, f, true, false);
    for (int64_t i = p->row_end - p->row_begin - 1; i > 0; i--) {
        x += p->x_row;
        w += p->w_row;
        F(_row)(acc, p, x, w, NULL, f, true, false);
    }
}

/* Two output rows with stride 1, which share an input row: one of those that both meet comes first. */
GT_I_INLINE void F(_two_rows)(F(_sums) acc, const strip *p, const struct form f)
{
    const int64_t begin = gt_i_max(p->row_begin, 1), end = gt_i_min(p->row_end, p->kh), w_row = p->w_row;
    const float *x = gt_i_element(p->x, begin * p->x_row), *w = p->weights + begin * w_row;
    F(_start)(acc, p, f);
    F(_row)(acc, p, x, w, w - w_row, f, true, true);
    for (int64_t i = end - begin - 1; i > 0; i--) {
        x += p->x_row;
        w += w_row;
        F(_row)(acc, p, x, w, w - w_row, f, true, true);
    }
    if (p->row_begin == 0) {
        F(_row)(acc, p, p->x, p->weights, NULL, f, true, false);
    }
    if (p->row_end > p->kh) {
        F(_row)(acc, p, x + p->x_row, NULL, w, f, false, true);
    }
}

GT_I_INLINE void F(_limit)(F(_sums) acc, const strip *p, const struct form f, V lo, V hi, const bool upper)
{
    UNROLL for (int r = 0; r < f.rows; r++) {
        float *y = p->y + r * p->y_row, *end = y + p->last;
        GT_FORGET(y);
        UNROLL for (int v = 0; v < f.vectors; v++) {
            V sum = F(_max)(acc[r][v], lo);
            F(_store)(v == f.vectors - 1 ? end : y + v * GT_W, upper ? F(_min)(sum, hi) : sum);
        }
    }
}

/* Tile after tile of one group of output rows. */
GT_I_INLINE void F(_group)(const strip *a, int64_t group, const struct form f, V lo, V hi)
{
    strip p = *a;
    p.x = gt_i_element(p.x, group * f.rows * p.group_x);
    p.y += group * f.rows * p.y_row;
    gt_i_conv_taps(&p.row_begin, &p.row_end, p.ih + group * f.rows * p.sh, p.dh, p.kh + f.rows - 1, p.h);
    for (int64_t tile = p.tiles; tile > 0; tile--) {
        F(_sums) acc;
        if (f.rows == 2) {
            F(_two_rows)(acc, &p, f);
        } else {
            F(_one_row)(acc, &p, f);
        }
        if (p.clip) {
            F(_limit)(acc, &p, f, lo, hi, true);
        } else {
            F(_limit)(acc, &p, f, lo, hi, false);
        }
        p.x = gt_i_element(p.x, f.vectors * GT_W);
        p.y += f.vectors * GT_W;
    }
}

#define M(rows, v, kw, sw)                                                               \
    static void F(_t_##rows##_##v##_##kw##_##sw)(const strip *a)                         \
    {                                                                                    \
        for (int64_t group = 0; group < a->groups; group++) {                            \
            F(_group)(a, group, (struct form){rows, v, kw, sw}, F(_set1)(a->lo), F(_set1)(a->hi)); \
        }                                                                                \
    }
MICRO_SHAPES(M)
#undef M

#define M(rows, v, kw, sw) {{rows, v, kw, sw}, F(_t_##rows##_##v##_##kw##_##sw)},
static const struct micro F(_micro)[] = {MICRO_SHAPES(M)};
#undef M

/* Residual, activation and store of `count` sums of one row; z is NULL without a residual. y may be `sums`. */
static void F(_finish)(float *y, const float *sums, const float *z, int64_t count, const gt_epilogue *e, bool act)
{
    for (int64_t i = 0; i < count; i += GT_W) {
        const size_t bytes = (size_t)(count - i < GT_W ? count - i : GT_W) * sizeof(float);
        V value = {0}, more = {0};
        memcpy(&value, sums + i, bytes);
        if (z != NULL) {
            memcpy(&more, z + i, bytes);
        }
        value += e->residual == GT_RESIDUAL_BEFORE ? more : (V){0};
        value = act ? F(_act)(value, e->act, e->alpha, e->beta) : value;
        value += e->residual == GT_RESIDUAL_AFTER ? more : (V){0};
        memcpy(y + i, &value, bytes);
    }
}

static const struct width F(_width) = {F(_micro), sizeof F(_micro) / sizeof *F(_micro), F(_finish)};

#undef V
#undef F
