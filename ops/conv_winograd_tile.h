/* SPDX-License-Identifier: Apache-2.0 */
/* The input and output transforms for vectors of GT_W channels and tiles of GT_M x GT_M, by ops/conv_winograd_points.h;
 * included by ops/conv_winograd_kernel.c once per pair. */
#define V GT_PASTE(gt_v, GT_W)
#define VF(name) GT_PASTE(V, name)
#define FN(name) GT_PASTE(GT_PASTE(GT_PASTE(name, GT_W), x), GT_M)
#define ALPHA (GT_M + 2)
#define PAIRS (GT_M / 2)

/* The sum of coef[k] x[2 k] for one pair of points, scaled as its row is. */
INLINE V FN(pair_sum_)(const V *x, const int pair)
{
    const bool rises = gt_i_winograd_pair(pair) < 1;
    const double scale = gt_i_winograd_row_scale(PAIRS, pair);
    V sum = rises ? x[0] : x[2 * (PAIRS - 1)];
    UNROLL
    for (int k = 0; k < PAIRS - 1; k++) {
        const int at = rises ? k + 1 : k;
        sum += (float)(scale * gt_i_winograd_coef(PAIRS, pair, at)) * x[2 * at];
    }
    return sum;
}

/* d := B^T d. The pair whose sums begin with an addition, into a new register, comes first: 1/2 of F4, 1 of F6. The others end in
 * a register of their own. */
INLINE void FN(input_1d_)(V d[ALPHA])
{
    V zero = d[0], infinity = d[ALPHA - 1], even[PAIRS], odd[PAIRS];
    UNROLL
    for (int k = 1; k <= PAIRS; k++) {
        const int back = PAIRS - k;
        zero += (float)(gt_i_winograd_coef(PAIRS, -1, k) / gt_i_winograd_coef(PAIRS, -1, 0)) * d[2 * k];
        infinity += (float)gt_i_winograd_coef(PAIRS, -1, back) * d[2 * back + 1];
    }
    UNROLL
    for (int at = 0; at < PAIRS; at++) {
        const int i = PAIRS == 2 ? 1 - at : at;
        even[i] = FN(pair_sum_)(d + 2, i);
        odd[i] = (float)gt_i_winograd_pair(i) * FN(pair_sum_)(d + 1, i);
    }
    d[0] = zero;
    d[ALPHA - 1] = infinity;
    UNROLL
    for (int i = 0; i < PAIRS; i++) {
        d[1 + 2 * i] = even[i] + odd[i];
        d[2 + 2 * i] = even[i] - odd[i];
    }
}

/* x[0 .. GT_M) := A^T x. Of the sums that begin with the first pair's, the two that begin with an addition into a new register
 * come first, and the last to be made takes its register. */
INLINE void FN(output_1d_)(V x[ALPHA])
{
    V sum[PAIRS], difference[PAIRS], zero = x[0], infinity = x[ALPHA - 1];
    UNROLL
    for (int i = 0; i < PAIRS; i++) {
        sum[i] = x[1 + 2 * i] + x[2 + 2 * i];
        difference[i] = x[1 + 2 * i] - x[2 + 2 * i];
    }
    UNROLL
    for (int at = 0; at < GT_M; at++) {
        const int k = at == 0 ? 0 : GT_M - at;
        V y = k % 2 == 0 ? sum[0] : difference[0];
        y = k == 0 ? y + zero : k == GT_M - 1 ? y + infinity : y;
        UNROLL
        for (int i = 1; i < PAIRS; i++) {
            y += (float)gt_i_winograd_power(i, k) * (k % 2 == 0 ? sum[i] : difference[i]);
        }
        x[k] = y;
    }
}

/* ---- filters ---- */

/* G times a column of three. */
INLINE void FN(filter_1d_)(V to[ALPHA], V a, V b, V c)
{
    to[0] = a;
    to[ALPHA - 1] = c;
    UNROLL
    for (int i = 0; i < PAIRS; i++) {
        const double scale = gt_i_winograd_filter_scale(PAIRS, i), p = gt_i_winograd_pair(i);
        V even = (float)scale * a + (float)(scale * p * p) * c, odd = (float)(scale * p) * b;
        to[1 + 2 * i] = even + odd;
        to[2 + 2 * i] = even - odd;
    }
}

/* The filters of a panel, [channel][9][width]; their points lie `u_point` floats apart. */
static void FN(filters_)(float *u, int64_t u_point, const float *g, int64_t width, int64_t channels)
{
    for (int64_t n = 0; n < channels * width; n += GT_W, u += GT_W) {
        const float *from = g + n + n / width * 8 * width;
        float *to = u;
        V t[3][ALPHA];
        UNROLL
        for (int j = 0; j < 3; j++) {
            FN(filter_1d_)(t[j], VF(_load)(from + j * width), VF(_load)(from + (3 + j) * width),
                           VF(_load)(from + (6 + j) * width));
        }
        UNROLL
        for (int i = 0; i < ALPHA; i++) {
            V row[ALPHA];
            FN(filter_1d_)(row, t[0][i], t[1][i], t[2][i]);
            UNROLL
            for (int j = 0; j < ALPHA; j++, to += u_point) {
                VF(_store)(to, row[j]);
            }
        }
    }
}

/* ---- input ---- */

/* B^T of `count` columns of ALPHA pixels: to[column][ALPHA]. Neighbouring patches share two columns. */
static void FN(columns_)(float *to, const float *src, int64_t row, int64_t col, int64_t count)
{
    for (int64_t x = 0; x < count; x++) {
        V d[ALPHA];
        UNROLL
        for (int i = 0; i < ALPHA; i++) {
            d[i] = VF(_load)(src + i * row);
        }
        FN(input_1d_)(d);
        UNROLL
        for (int i = 0; i < ALPHA; i++) {
            VF(_store)(to + i * GT_W, d[i]);
        }
        to += ALPHA * GT_W;
        src += col;
    }
}

/* The rows of points of `count` patches, neighbours in V, from their columns; a vector's groups of four channels go `step`
 * apart. */
static void FN(rows_)(float *v, int64_t v_point, int64_t step, const float *columns, int64_t count)
{
    for (int64_t n = 0; n < count; n++, columns += GT_M * ALPHA * GT_W, v += 4) {
        float *to = v;
        UNROLL
        for (int i = 0; i < ALPHA; i++) {
            V d[ALPHA];
            UNROLL
            for (int j = 0; j < ALPHA; j++) {
                d[j] = VF(_load)(columns + (j * ALPHA + i) * GT_W);
            }
            FN(input_1d_)(d);
            UNROLL
            for (int j = 0; j < ALPHA; j++) {
                UNROLL
                for (int l = 0; l < GT_W / 4; l++) {
                    memcpy(to + l * step, (const char *)&d[j] + 16 * l, 16);
                }
                to += v_point;
            }
        }
    }
}

/* `count` tiles of one row of tiles from `tile` on. Rows outside the image, half vectors and channels that lie apart are
 * collected in a strip first. */
static void FN(input_run_)(const gt_i_winograd *p, float *v, float *scratch, const float *in, int64_t tile,
                           int64_t count)
{
    const gt_strides *x = &p->conv.x;
    tile_at pos = tile_of(p, tile);
    span rows = span_of(pos.y * GT_M - p->conv.pad_t, ALPHA, p->conv.h);
    span cols = span_of(pos.x * GT_M - p->conv.pad_l, count * GT_M + 2, p->conv.w);
    bool inside = rows.count == ALPHA && p->in_lane_stride == 1;
    float *columns = scratch + p->column_at, *strip = scratch + p->strip_at;
    int64_t strip_row = cols.count * GT_W;
    memset(columns, 0, (size_t)((count * GT_M + 2) * ALPHA * GT_W) * sizeof *columns);
    memset(strip, 0, inside ? 0 : (size_t)(ALPHA * strip_row) * sizeof *strip);
    for (int64_t c = 0; c < p->v_depth; c += GT_W) {
        int64_t lanes = x->block > 1 ? GT_W : gt_i_min(GT_W, p->conv.c - c);
        const float *src = in + gt_strides_offset(x, pos.n, c, rows.at, cols.at);
        float *first = columns + cols.before * ALPHA * GT_W;
        if (inside && lanes == GT_W) {
            FN(columns_)(first, src, x->h, x->w, cols.count);
        } else {
            memset(strip, 0, lanes == GT_W ? 0 : (size_t)(ALPHA * strip_row) * sizeof *strip);
            collect(strip + rows.before * strip_row, strip_row, GT_W, src, x, p->in_lane_stride, lanes, rows.count,
                    cols.count);
            FN(columns_)(first, strip, strip_row, GT_W, cols.count);
        }
        for (int64_t t = 0, run; t < count; t += run) {
            v_place to = place_of(p, tile + t);
            run = gt_i_min(to.left, count - t);
            FN(rows_)(v + to.first + c * to.rows, p->v_point, 4 * to.rows, columns + t * GT_M * ALPHA * GT_W, run);
        }
    }
}

/* ---- output ---- */

/* `tiles` neighbouring tiles of `vectors` vectors. The bias is that of the point (1, 1), which every output takes once. */
INLINE void FN(output_tiles_)(const target *at, const float *m, int64_t m_point, const float *bias, int64_t tiles,
                              int64_t vectors, const bool relu, const bool adds)
{
    for (int64_t n = 0; n < tiles * vectors; n++) {
        int64_t tile = n / vectors, v = n % vectors, offset = tile * at->tile + v * at->vector;
        const float *from = m + tile * at->m_tile + v * GT_W;
        float *to = at->to + offset;
        V t[GT_M][ALPHA];
        UNROLL
        for (int i = 0; i < ALPHA; i++) {
            V x[ALPHA];
            UNROLL
            for (int j = 0; j < ALPHA; j++, from += m_point) {
                x[j] = VF(_load)(from);
            }
            x[1] = i == 1 ? x[1] + VF(_load)(bias + v * GT_W) : x[1];
            FN(output_1d_)(x);
            UNROLL
            for (int j = 0; j < GT_M; j++) {
                t[j][i] = x[j];
            }
        }
        UNROLL
        for (int j = 0; j < GT_M; j++) {
            FN(output_1d_)(t[j]);
            UNROLL
            for (int i = 0; i < GT_M; i++) {
                V y = adds ? t[j][i] + VF(_load)(at->residual + offset + i * at->row + j * at->col) : t[j][i];
                VF(_store)(to + i * at->row + j * at->col, relu ? VF(_max)(y, (V){0}) : y);
            }
        }
    }
}

static void FN(output_simple_)(const target *at, const float *m, int64_t m_point, const float *bias, int64_t tiles,
                               int64_t vectors, bool relu)
{
    bool adds = at->residual != NULL;
    if (adds && relu) {
        FN(output_tiles_)(at, m, m_point, bias, tiles, vectors, true, true);
    } else if (adds) {
        FN(output_tiles_)(at, m, m_point, bias, tiles, vectors, false, true);
    } else if (relu) {
        FN(output_tiles_)(at, m, m_point, bias, tiles, vectors, true, false);
    } else {
        FN(output_tiles_)(at, m, m_point, bias, tiles, vectors, false, false);
    }
}

/* Any epilogue, of a tile's vectors in memory. */
static void FN(epilogue_)(float *y, const float *z, const gt_epilogue *e)
{
    for (int i = 0; i < GT_M * GT_M * GT_W; i += GT_W) {
        V r = VF(_load)(y + i), residual = VF(_load)(z + i);
        r = e->residual == GT_RESIDUAL_BEFORE ? r + residual : r;
        r = VF(_act)(r, e->act, e->alpha, e->beta);
        VF(_store)(y + i, e->residual == GT_RESIDUAL_AFTER ? r + residual : r);
    }
}

/* A vector's tile through a buffer: for tiles that the image cuts off, half vectors, channels that lie apart, and epilogues
 * that are not simple. `real` of its channels exist, `stored` are written, those beyond the real ones as zeros. */
static void FN(output_buffered_)(const gt_i_winograd *p, float *out, const float *residual, const float *bias,
                                 const float *m, const pixels *at, int64_t real, int64_t stored)
{
    float y[GT_M * GT_M * GT_W] __attribute__((aligned(64))), z[GT_M * GT_M * GT_W] __attribute__((aligned(64))) = {0};
    const gt_epilogue *e = &p->conv.epilogue;
    bool simple = is_simple(e);
    if (real <= 0) {
        store_pixels(out, z, GT_M, at, stored);
        return;
    }
    if (residual != NULL) {
        load_pixels(z, GT_M, residual, at, real);
    }
    target to = {.to = y, .residual = simple && residual != NULL ? z : NULL, .row = GT_M * GT_W, .col = GT_W};
    FN(output_simple_)(&to, m, p->m_point, bias, 1, 1, simple && e->act == GT_FN_RELU);
    if (!simple) {
        FN(epilogue_)(y, z, e);
    }
    clear_lanes(y, GT_M * GT_M, GT_W, real);
    store_pixels(out, y, GT_M, at, stored);
}

/* Channels [first, last) of `count` tiles of one row of tiles, those whose pixels are whole and lie well without a buffer. The
 * first tile's row of M is at m, and rows are `width` long. */
static void FN(output_run_)(const gt_i_winograd *p, const target *all, const float *bias, const float *m, int64_t width,
                            int64_t tile, int64_t count, int64_t first, int64_t last)
{
    const gt_strides *s = &p->conv.y;
    tile_at pos = tile_of(p, tile);
    pixels at = {s->h, s->w, p->out_lane_stride, gt_i_min(GT_M, p->conv.oh - pos.y * GT_M), 0, GT_W};
    bool direct = at.lane == 1 && at.rows == GT_M && is_simple(&p->conv.epilogue), relu = p->conv.epilogue.act == GT_FN_RELU;
    int64_t whole_tiles = direct ? gt_i_min(count, p->conv.ow / GT_M - pos.x) : 0;
    for (int64_t k = first, vectors; k < last; k += vectors * GT_W) {
        int64_t offset = gt_strides_offset(s, pos.n, k, pos.y * GT_M, pos.x * GT_M), done = 0;
        const float *from = all->residual != NULL ? all->residual + offset : NULL;
        /* Vectors that are equally far apart: all, or those in a block. */
        int64_t end = s->block > GT_W ? gt_i_min(last, (k / s->block + 1) * s->block) : last;
        vectors = (gt_i_min(end, p->conv.k) - k) / GT_W;
        if (vectors > 0 && whole_tiles > 0) {
            done = whole_tiles;
            target to = {all->to + offset, from, at.row, at.col, s->block == GT_W ? s->block_stride : GT_W, GT_M * at.col,
                         width};
            FN(output_simple_)(&to, m + k - first, p->m_point, bias + k, done, vectors, relu);
        }
        vectors = done == 0 ? 1 : vectors;
        for (int64_t n = done * vectors; n < count * vectors; n++) {
            int64_t t = n / vectors, c = k + n % vectors * GT_W, real = gt_i_min(GT_W, p->conv.k - c);
            int64_t pixel = gt_strides_offset(s, pos.n, c, pos.y * GT_M, (pos.x + t) * GT_M);
            at.cols = gt_i_min(GT_M, p->conv.ow - (pos.x + t) * GT_M);
            FN(output_buffered_)(p, all->to + pixel, from != NULL ? all->residual + pixel : NULL, bias + c,
                                 m + t * width + c - first, &at, real, s->block > 1 ? GT_W : real);
        }
    }
}

static const tile_fns FN(fns_) = {FN(input_run_), FN(filters_), FN(output_run_)};

#undef V
#undef VF
#undef FN
#undef ALPHA
#undef PAIRS
