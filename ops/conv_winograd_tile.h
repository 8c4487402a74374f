/* SPDX-License-Identifier: Apache-2.0 */
/* The input and output transforms of one tile for vectors of GT_W channels and tiles of GT_M x GT_M; included
 * by ops/conv_winograd_kernel.c once per pair. */
#define V GT_PASTE(gt_v, GT_W)
#define VF(name) GT_PASTE(V, name)
#define FN(name) GT_PASTE(GT_PASTE(GT_PASTE(name, GT_W), x), GT_M)
#define ALPHA (GT_M + 2)
#define INPUT_1D GT_PASTE(GT_PASTE(GT_PASTE(input_1d_, GT_M), _), GT_W)
#define OUTPUT_1D GT_PASTE(GT_PASTE(GT_PASTE(output_1d_, GT_M), _), GT_W)

#if GT_M == 2

static inline __attribute__((always_inline)) void INPUT_1D(V d[4])
{
    V v0 = d[0] - d[2], v1 = d[1] + d[2], v2 = d[2] - d[1], v3 = d[3] - d[1];
    d[0] = v0, d[1] = v1, d[2] = v2, d[3] = v3;
}

static inline __attribute__((always_inline)) void OUTPUT_1D(V x[4])
{
    V y0 = x[0] + x[1] + x[2], y1 = x[1] - x[2] + x[3];
    x[0] = y0, x[1] = y1;
}

#else

static inline __attribute__((always_inline)) void INPUT_1D(V d[6])
{
    V even_a = d[4] - 2.0f * d[2], odd_a = ROOT_HALF * (d[3] - 2.0f * d[1]);
    V even_b = d[4] - 0.5f * d[2], odd_b = ROOT_TWO * (d[3] - 0.5f * d[1]);
    V v0 = d[0] - 2.5f * d[2] + d[4], v5 = d[1] - 2.5f * d[3] + d[5];
    d[0] = v0, d[1] = even_a + odd_a, d[2] = even_a - odd_a;
    d[3] = even_b + odd_b, d[4] = even_b - odd_b, d[5] = v5;
}

static inline __attribute__((always_inline)) void OUTPUT_1D(V x[6])
{
    V sum_a = x[1] + x[2], diff_a = x[1] - x[2], sum_b = x[3] + x[4], diff_b = x[3] - x[4];
    V y0 = x[0] + sum_a + sum_b, y1 = ROOT_HALF * diff_a + ROOT_TWO * diff_b;
    V y2 = 0.5f * sum_a + 2.0f * sum_b, y3 = (0.5f * ROOT_HALF) * diff_a + (2.0f * ROOT_TWO) * diff_b + x[5];
    x[0] = y0, x[1] = y1, x[2] = y2, x[3] = y3;
}

#endif

/* One patch whose pixels' vectors lie `row` and `col` floats apart; its points go to v, v + v_point, … */
static void FN(input_patch_)(float *v, int64_t v_point, const float *src, int64_t row, int64_t col)
{
    V t[ALPHA][ALPHA];
    UNROLL
    for (int j = 0; j < ALPHA; j++) {
        V d[ALPHA];
        UNROLL
        for (int i = 0; i < ALPHA; i++) {
            d[i] = VF(_load)(src + i * row + j * col);
        }
        INPUT_1D(d);
        UNROLL
        for (int i = 0; i < ALPHA; i++) {
            t[i][j] = d[i];
        }
    }
    UNROLL
    for (int i = 0; i < ALPHA; i++) {
        INPUT_1D(t[i]);
        UNROLL
        for (int j = 0; j < ALPHA; j++) {
            VF(_store)(v + (i * ALPHA + j) * v_point, t[i][j]);
        }
    }
}

/* The results of one tile from its points: y[GT_M * GT_M]. */
static inline void FN(output_patch_)(V *y, const float *m, int64_t m_point)
{
    V t[GT_M][ALPHA];
    UNROLL
    for (int j = 0; j < ALPHA; j++) {
        V x[ALPHA];
        UNROLL
        for (int i = 0; i < ALPHA; i++) {
            x[i] = VF(_load)(m + (i * ALPHA + j) * m_point);
        }
        OUTPUT_1D(x);
        UNROLL
        for (int i = 0; i < GT_M; i++) {
            t[i][j] = x[i];
        }
    }
    UNROLL
    for (int i = 0; i < GT_M; i++) {
        OUTPUT_1D(t[i]);
        UNROLL
        for (int j = 0; j < GT_M; j++) {
            y[i * GT_M + j] = t[i][j];
        }
    }
}

/* Channels [0, v_row) of one tile. A patch that leaves the image, ends in half a vector or has its channels
 * apart is collected in a zeroed buffer first. */
static void FN(input_)(const gt_i_winograd *p, float *v, const float *in, tile_at at)
{
    inner_box box = box_of(at.y * GT_M - p->conv.pad_t, at.x * GT_M - p->conv.pad_l, ALPHA, p->conv.h,
                           p->conv.w);
    bool inside = box.rows == ALPHA && box.cols == ALPHA;
    for (int64_t c = 0; c < p->depth; c += GT_W) {
        const float *src = in + gt_strides_offset(&p->conv.x, at.n, c, box.y, box.x);
        int64_t lanes = p->conv.x.block > 1 ? GT_W : gt_i_min(GT_W, p->conv.c - c);
        if (inside && lanes == GT_W && p->in_lane_stride == 1) {
            FN(input_patch_)(v + c, p->v_point, src, p->conv.x.h, p->conv.x.w);
            continue;
        }
        float patch[ALPHA * ALPHA * GT_W] __attribute__((aligned(64)));
        if (!inside || lanes < GT_W) {
            memset(patch, 0, sizeof patch);
        }
        float *corner = patch + (box.top * ALPHA + box.left) * GT_W;
        if (p->in_lane_stride == 1) {
            collect_pixels(corner, ALPHA * GT_W, GT_W, src, p->conv.x.h, p->conv.x.w, lanes, box.rows,
                           box.cols);
        } else {
            collect_planes(corner, ALPHA * GT_W, GT_W, src, p->conv.x.h, p->in_lane_stride, lanes, box.rows,
                           box.cols);
        }
        FN(input_patch_)(v + c, p->v_point, patch, ALPHA * GT_W, GT_W);
    }
}

/* The epilogue of one tile's vectors in registers; z: the residual's vectors or NULL. */
static inline void FN(epilogue_)(V *y, const V *z, V bias, const gt_epilogue *e)
{
    for (int i = 0; i < GT_M * GT_M; i++) {
        V r = y[i] + bias;
        r = e->residual == GT_RESIDUAL_BEFORE ? r + z[i] : r;
        r = VF(_act)(r, e->act, e->alpha, e->beta);
        y[i] = e->residual == GT_RESIDUAL_AFTER ? r + z[i] : r;
    }
}

/* Channels [first, last) of one tile; m is the tile's row of M at channel `first`. */
static void FN(output_)(const gt_i_winograd *p, float *out, const float *residual, const float *bias,
                        const float *m, tile_at at, int64_t first, int64_t last)
{
    int64_t rows = gt_i_min(GT_M, p->conv.oh - at.y * GT_M), cols = gt_i_min(GT_M, p->conv.ow - at.x * GT_M);
    for (int64_t k = first; k < last; k += GT_W) {
        int64_t offset = gt_strides_offset(&p->conv.y, at.n, k, at.y * GT_M, at.x * GT_M);
        int64_t stored = p->conv.y.block > 1 ? GT_W : gt_i_min(GT_W, p->conv.k - k);
        int64_t real = gt_i_max(0, gt_i_min(GT_W, p->conv.k - k));
        pixels to = {p->conv.y.h, p->conv.y.w, p->out_lane_stride, rows, cols, GT_W};
        V y[GT_M * GT_M] = {0}, z[GT_M * GT_M] = {0};
        if (real > 0) {
            FN(output_patch_)(y, m + (k - first), p->m_point);
            if (residual != NULL) {
                load_pixels((float *)z, GT_M, residual + offset, &to, real);
            }
            FN(epilogue_)(y, z, bias != NULL ? VF(_load)(bias + k) : (V){0}, &p->conv.epilogue);
            clear_lanes((float *)y, GT_M * GT_M, GT_W, real);
        }
        if (stored == GT_W && to.lane == 1) {
            for (int64_t i = 0; i < rows; i++) {
                for (int64_t j = 0; j < cols; j++) {
                    VF(_store)(out + offset + i * to.row + j * to.col, y[i * GT_M + j]);
                }
            }
        } else {
            store_pixels(out + offset, (const float *)y, GT_M, &to, stored);
        }
    }
}

static const tile_fns FN(fns_) = {FN(input_), FN(output_)};

#undef V
#undef VF
#undef FN
#undef ALPHA
#undef INPUT_1D
#undef OUTPUT_1D
