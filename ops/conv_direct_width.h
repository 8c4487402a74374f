/* SPDX-License-Identifier: Apache-2.0 */
/* The micro-kernels of conv2d.direct for vectors of GT_W floats; included by conv_direct_kernel.c once per
 * width. */
#define V GT_PASTE(gt_v, GT_W)
#define F(name) GT_PASTE(V, name)

/* Everything below is a compile-time constant but `a`: the loops unroll and acc lives in registers. */
static inline __attribute__((always_inline)) void F(_tile)(const gt_i_direct_tile *a, const int vectors,
                                                           const int width, const int channels)
{
    V acc[GT_I_DIRECT_TILE][GT_I_DIRECT_VECTORS];
    const float *from = a->bias != NULL ? a->bias : a->partial;
    const int64_t from_step = a->bias != NULL ? 0 : vectors * GT_W;
    const float *x = a->x, *w = a->weights;
    const int64_t origin = a->origin, x_step = a->x_step;
    const int32_t *offset = a->offset, *const offset_end = a->offset + a->steps;
    UNROLL for (int t = 0; t < width; t++) {
        UNROLL for (int v = 0; v < vectors; v++) {
            acc[t][v] = F(_load)(from + t * from_step + v * GT_W);
        }
    }
    for (; offset < offset_end; offset++) {
        const float *p = x + (origin + *offset);
        if (channels == 1) {
            V wv[GT_I_DIRECT_VECTORS];
            UNROLL for (int v = 0; v < vectors; v++) {
                wv[v] = F(_load)(w + v * GT_W);
            }
            UNROLL for (int t = 0; t < width; t++) {
                float xt = p[t * x_step];
                UNROLL for (int v = 0; v < vectors; v++) {
                    acc[t][v] += wv[v] * xt;
                }
            }
        } else {
            quad_x q[GT_I_DIRECT_TILE];
            UNROLL for (int t = 0; t < width; t++) {
                q[t] = quad_load(p, t, x_step);
                quad_advance(p, x_step);
            }
            UNROLL for (int c = 0; c < GT_I_DIRECT_QUAD; c++) {
                V wv[GT_I_DIRECT_VECTORS];
                UNROLL for (int v = 0; v < vectors; v++) {
                    wv[v] = F(_load)(w + (c * vectors + v) * GT_W);
                }
                UNROLL for (int t = 0; t < width; t++) {
                    UNROLL for (int v = 0; v < vectors; v++) {
                        acc[t][v] += wv[v] * q[t][c];
                    }
                }
            }
        }
        w += channels * vectors * GT_W;
    }
    if (a->clamp) {
        V lo = F(_set1)(a->lo), hi = F(_set1)(a->hi);
        UNROLL for (int t = 0; t < width; t++) {
            UNROLL for (int v = 0; v < vectors; v++) {
                acc[t][v] = F(_min)(F(_max)(acc[t][v], lo), hi);
            }
        }
    }
    /* Stores may alias the struct, so its fields are read first. */
    float *const y = a->y;
    const int64_t y_step = a->y_step;
    int64_t y_vector[GT_I_DIRECT_VECTORS];
    UNROLL for (int v = 0; v < vectors; v++) {
        y_vector[v] = a->y_vector[v];
    }
    UNROLL for (int t = 0; t < width; t++) {
        UNROLL for (int v = 0; v < vectors; v++) {
            F(_store)(y + t * y_step + y_vector[v], acc[t][v]);
        }
    }
}

#define M(v, t)                                                  \
    static void F(_quad_##v##_##t)(const gt_i_direct_tile *a)    \
    {                                                            \
        F(_tile)(a, v, t, GT_I_DIRECT_QUAD);                     \
    }                                                            \
    static void F(_one_##v##_##t)(const gt_i_direct_tile *a)     \
    {                                                            \
        F(_tile)(a, v, t, 1);                                    \
    }
MICRO_SHAPES(M)
#undef M

#define M(v, t) [v - 1][t - 1] = {F(_one_##v##_##t), F(_quad_##v##_##t)},
static const micro_fn F(_micro)[GT_I_DIRECT_VECTORS][GT_I_DIRECT_TILE][2] = {MICRO_SHAPES(M)};
#undef M

/* The activation in place on `count` vectors. */
static void F(_activate)(float *values, int64_t count, const gt_epilogue *e)
{
    for (int64_t i = 0; i < count; i++) {
        F(_store)(values + i * GT_W, F(_act)(F(_load)(values + i * GT_W), e->act, e->alpha, e->beta));
    }
}

/* values += more, vector v of position t at more + t * step + vector[v]. */
static void F(_add)(float *values, const float *more, int64_t positions, int64_t vectors, int64_t step,
                    const int64_t *vector)
{
    for (int64_t t = 0; t < positions; t++) {
        for (int64_t v = 0; v < vectors; v++, values += GT_W) {
            F(_store)(values, F(_load)(values) + F(_load)(more + t * step + vector[v]));
        }
    }
}

static void F(_copy)(float *to, const float *values, int64_t positions, int64_t vectors, int64_t step,
                     const int64_t *vector)
{
    for (int64_t t = 0; t < positions; t++) {
        for (int64_t v = 0; v < vectors; v++, values += GT_W) {
            F(_store)(to + t * step + vector[v], F(_load)(values));
        }
    }
}

static const struct width F(_width) = {F(_micro), F(_activate), F(_add), F(_copy)};

#undef V
#undef F
