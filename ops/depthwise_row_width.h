/* SPDX-License-Identifier: Apache-2.0 */
/* Register tiles of depthwise.direct with GT_W positions of a row as lanes; included by
 * depthwise_row_kernel.c per width. */
#define V GT_PASTE(gt_v, GT_W)
#define F(name) GT_PASTE(V, name)

/* Adds one input row to one or two output rows. `upper`, `lower`: the kernel rows that meet it. kw is a
 * compile-time constant, or 0 for any. */
static inline __attribute__((always_inline)) void
F(_row)(V (*acc)[GT_I_DEPTHWISE_WIDE], const tile *a, const float *x, const float *upper, const float *lower,
        const int vectors, const int kw, const bool use_upper, const bool use_lower)
{
    if (kw == 0) {
        for (int64_t s = 0; s < a->kw; s++) {
            UNROLL for (int v = 0; v < vectors; v++) {
                V xv = F(_load)(x + a->tap[s] + v * GT_W);
                acc[0][v] += use_upper ? xv * upper[s] : (V){0};
                acc[1][v] += use_lower ? xv * lower[s] : (V){0};
            }
        }
        return;
    }
    quad wu[2], wl[2];
    UNROLL for (int q = 0; q < (kw + 3) / 4; q++) {
        wu[q] = quad_load(use_upper ? upper + 4 * q : lower);
        wl[q] = quad_load(use_lower ? lower + 4 * q : upper);
    }
    UNROLL for (int s = 0; s < kw; s++) {
        const float *p = x + a->tap[s];
        UNROLL for (int v = 0; v < vectors; v++) {
            V xv = F(_load)(p + v * GT_W);
            if (use_upper) {
                acc[0][v] += xv * wu[s / 4][s % 4];
            }
            if (use_lower) {
                acc[1][v] += xv * wl[s / 4][s % 4];
            }
        }
    }
}

static inline __attribute__((always_inline)) void F(_tile)(const tile *a, const int rows, const int vectors,
                                                           const int kw)
{
    V acc[2][GT_I_DEPTHWISE_WIDE] = {{{0}}};
    const float *w = a->weights;
    int64_t i = a->row_begin;
    UNROLL for (int v = 0; v < vectors; v++) {
        acc[0][v] = F(_set1)(a->bias);
        acc[1][v] = acc[0][v];
    }
    const float *x = a->x;
    const int64_t x_row = a->x_row, w_row = a->w_row;
    if (rows == 1) {
        for (; i < a->row_end; i++) {
            F(_row)(acc, a, x + (a->origin + i * x_row), w + i * w_row, NULL, vectors, kw, true, false);
        }
    } else {
        if (i == 0 && a->row_end > 0) {
            F(_row)(acc, a, x + a->origin, w, NULL, vectors, kw, true, false);
            i++;
        }
        for (; i < a->row_end && i < a->kh; i++) {
            F(_row)(acc, a, x + (a->origin + i * x_row), w + i * w_row, w + (i - 1) * w_row, vectors, kw, true,
                    true);
        }
        if (i < a->row_end) {
            F(_row)(acc, a, x + (a->origin + i * x_row), NULL, w + (i - 1) * w_row, vectors, kw, false, true);
        }
    }
    if (a->clamp) {
        V lo = F(_set1)(a->lo), hi = F(_set1)(a->hi);
        UNROLL for (int r = 0; r < rows; r++) {
            UNROLL for (int v = 0; v < vectors; v++) {
                acc[r][v] = F(_min)(F(_max)(acc[r][v], lo), hi);
            }
        }
    }
    /* Stores may alias the struct, so its fields are read first. */
    float *y = a->y;
    const int64_t y_row = a->y_row;
    UNROLL for (int r = 0; r < rows; r++) {
        UNROLL for (int v = 0; v < vectors; v++) {
            F(_store)(y + r * y_row + v * GT_W, acc[r][v]);
        }
    }
}

#define M(rows, v, kw)                                      \
    static void F(_t_##rows##_##v##_##kw)(const tile *a)    \
    {                                                       \
        F(_tile)(a, rows, v, kw);                           \
    }
MICRO_SHAPES(M)
#undef M

#define M(rows, v, kw) [kw / 2][rows - 1][v - 1] = F(_t_##rows##_##v##_##kw),
static const micro_fn F(_micro)[4][2][GT_I_DEPTHWISE_WIDE] = {MICRO_SHAPES(M)};
#undef M

/* Residual, activation and store of `count` sums of one row; z is NULL without a residual. */
static void F(_finish)(float *y, const float *sums, const float *z, int64_t count, const gt_epilogue *e,
                       bool act)
{
    for (int64_t i = 0; i < count; i += GT_W) {
        const size_t bytes = (size_t)(count - i < GT_W ? count - i : GT_W) * sizeof(float);
        V value = F(_load)(sums + i), more = {0};
        if (z != NULL) {
            memcpy(&more, z + i, bytes);
        }
        value += e->residual == GT_RESIDUAL_BEFORE ? more : (V){0};
        value = act ? F(_act)(value, e->act, e->alpha, e->beta) : value;
        value += e->residual == GT_RESIDUAL_AFTER ? more : (V){0};
        memcpy(y + i, &value, bytes);
    }
}

static const struct width F(_width) = {F(_micro), F(_finish)};

#undef V
#undef F
