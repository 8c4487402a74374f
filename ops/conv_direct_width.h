/* SPDX-License-Identifier: Apache-2.0 */
/* The micro-kernels of conv2d.direct for vectors of GT_W floats; included by conv_direct_micro_kernel.c once per
 * width. */
#define V GT_PASTE(gt_v, GT_W)
#define F(name) GT_PASTE(V, name)

/* vectors, width, values, kind and ends are compile-time constants below: the loops unroll and acc lives in registers. */

GT_I_INLINE void F(_begin)(V acc[GT_I_DIRECT_TILE][GT_I_DIRECT_VECTORS], const float *from, const int vectors,
                      const int width)
{
    UNROLL for (int t = 0; t < width; t++) {
        UNROLL for (int v = 0; v < vectors; v++) {
            acc[t][v] = F(_load)(from + (t * vectors + v) * GT_W);
        }
    }
}

/* One step: w holds [values][vectors] vectors. */
GT_I_INLINE void F(_step)(V acc[GT_I_DIRECT_TILE][GT_I_DIRECT_VECTORS], const float *p, int64_t x_step, const float *w,
                     const int vectors, const int width, const int values)
{
    input_x q[GT_I_DIRECT_TILE];
    UNROLL for (int t = 0; t < width; t++) {
        q[t] = input_load(p, t, x_step, values);
        input_advance(p, x_step);
    }
    UNROLL for (int i = 0; i < values; i++) {
        V wv[GT_I_DIRECT_VECTORS];
        UNROLL for (int v = 0; v < vectors; v++) {
            wv[v] = F(_load)(w + (i * vectors + v) * GT_W);
        }
        UNROLL for (int t = 0; t < width; t++) {
            UNROLL for (int v = 0; v < vectors; v++) {
                acc[t][v] += wv[v] * q[t][i];
            }
        }
        UNROLL for (int v = 0; v < vectors; v++) {
            GT_STAY_ALIVE(wv[v]);
        }
    }
}

GT_I_INLINE V F(_ended)(V x, const gt_i_direct_end *e, const int kind)
{
    switch (kind) {
    case GT_I_DIRECT_LOWER:
        return F(_max)(x, F(_set1)(e->low));
    case GT_I_DIRECT_CLAMP:
        return F(_min)(F(_max)(x, F(_set1)(e->low)), F(_set1)(e->high));
    case GT_I_DIRECT_HARD_SWISH:
        return x * F(_min)(F(_max)(x * e->slope + e->shift, F(_set1)(e->low)), F(_set1)(e->high));
    default:
        return x;
    }
}

/* Ends a tile and loads what the next one begins with: between the stores this takes no time of its own. */
GT_I_INLINE void F(_end)(V acc[GT_I_DIRECT_TILE][GT_I_DIRECT_VECTORS], const gt_i_direct_end *e, float *y, int64_t y_step,
                    const int64_t *y_vector, const float *from, const int vectors, const int width, const int kind)
{
    UNROLL for (int t = 0; t < width; t++) {
        UNROLL for (int v = 0; v < vectors; v++) {
            acc[t][v] = F(_ended)(acc[t][v], e, kind);
        }
    }
    UNROLL for (int t = 0; t < width; t++) {
        UNROLL for (int v = 0; v < vectors; v++) {
            F(_store)(y + y_vector[v], acc[t][v]);
        }
        y += y_step;
    }
    F(_begin)(acc, from, vectors, width);
}

GT_I_INLINE void F(_residual)(V acc[GT_I_DIRECT_TILE][GT_I_DIRECT_VECTORS], const float *z, int64_t step,
                         const int64_t *z_vector, const int vectors, const int width)
{
    UNROLL for (int t = 0; t < width; t++) {
        UNROLL for (int v = 0; v < vectors; v++) {
            acc[t][v] += F(_load)(z + z_vector[v]);
        }
        z += step;
    }
}

/* `count` tiles; without `ends` their sums are stored as they are. */
GT_I_INLINE void F(_run)(const gt_i_direct_run *r, int64_t count, const int vectors, const int width, const bool ends)
{
    V acc[GT_I_DIRECT_TILE][GT_I_DIRECT_VECTORS];
    /* Stores may alias the struct, so its fields are read before. */
    const float *const x = r->x, *from = r->from, *quad_w = r->quad_weights, *one_w = r->one_weights, *z = r->z;
    const int64_t x_step = r->x_step, y_step = r->y_step;
    const int64_t x_next = r->x_next, w_next = r->weights_next, from_next = r->from_next, y_next = r->y_next;
    int64_t origin = r->origin, y_vector[GT_I_DIRECT_VECTORS];
    float *y = r->y;
    UNROLL for (int v = 0; v < vectors; v++) {
        y_vector[v] = r->y_vector[v];
    }
    F(_begin)(acc, from, vectors, width);
    for (int64_t left = count; left > 0; left--) {
        const int32_t *offset = r->quad_begin, *end = r->quad_end;
        for (const float *w = quad_w; offset < end; offset++, w += GT_I_DIRECT_QUAD * vectors * GT_W) {
            F(_step)(acc, x + (origin + *offset), x_step, w, vectors, width, GT_I_DIRECT_QUAD);
        }
        offset = r->one_begin;
        end = r->one_end;
        for (const float *w = one_w; offset < end; offset++, w += vectors * GT_W) {
            F(_step)(acc, x + (origin + *offset), x_step, w, vectors, width, 1);
        }
        if (z != NULL) {
            F(_residual)(acc, z, y_step, y_vector, vectors, width);
            z += y_next;
        }
        from += from_next;
        origin += x_next;
        quad_w += w_next;
        one_w += w_next;
        if (!ends) {
            F(_end)(acc, &r->end, y, y_step, y_vector, from, vectors, width, GT_I_DIRECT_STORE);
        } else if (r->end.kind == GT_I_DIRECT_LOWER) {
            F(_end)(acc, &r->end, y, y_step, y_vector, from, vectors, width, GT_I_DIRECT_LOWER);
        } else if (r->end.kind == GT_I_DIRECT_STORE) {
            F(_end)(acc, &r->end, y, y_step, y_vector, from, vectors, width, GT_I_DIRECT_STORE);
        } else if (r->end.kind == GT_I_DIRECT_CLAMP) {
            F(_end)(acc, &r->end, y, y_step, y_vector, from, vectors, width, GT_I_DIRECT_CLAMP);
        } else {
            F(_end)(acc, &r->end, y, y_step, y_vector, from, vectors, width, GT_I_DIRECT_HARD_SWISH);
        }
        y += y_next;
    }
}

/* The end of a tile whose sums were stored in their place. */
static inline void F(_end_stored)(const gt_i_direct_run *r, int64_t vectors, int64_t width)
{
    for (int64_t t = 0; r->end.kind != GT_I_DIRECT_STORE && t < width; t++) {
        for (int64_t v = 0; v < vectors; v++) {
            float *y = r->y + t * r->y_step + r->y_vector[v];
            F(_store)(y, F(_ended)(F(_load)(y), &r->end, r->end.kind));
        }
    }
}

#define M(v, t) MICRO_RUN(F(_run), F(_end_stored), F(_run_##v##_##t), F(_tile_##v##_##t), v, t)
MICRO_SHAPES(M)
#undef M

static void F(_activate)(float *values, int64_t count, const gt_epilogue *e)
{
    for (int64_t i = 0; i < count; i++) {
        F(_store)(values + i * GT_W, F(_act)(F(_load)(values + i * GT_W), e->act, e->alpha, e->beta));
    }
}

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

#define M(v, t) [v - 1][t - 1] = F(_run_##v##_##t),
static const gt_i_direct_width F(_width) = {{MICRO_SHAPES(M)}, F(_activate), F(_add), F(_copy)};
#undef M

#undef V
#undef F
