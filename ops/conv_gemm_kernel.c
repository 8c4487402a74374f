/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution as matrix multiplication: the input's patches become the columns (channels last: rows) of a
 * matrix, a cache-sized chunk at a time (Chellapilla, Puri and Simard, "High Performance Convolutional Neural
 * Networks for Document Processing", 2006; chunking as in Vasudevan, Anderson and Gregg, arXiv:1704.04428).
 * The epilogue follows each chunk while it is still in the cache. */
#include "ops/blas.h"
#include "ops/conv_gemm.h"
#include "ops/matmul_finish.h"

/* A task's part of the output: pixels [p0, p0 + pixels) of image n (channels last: of the batch), channels
 * [k0, k0 + channels) of group g. */
typedef struct part {
    int64_t n, g, p0, pixels, k0, channels;
} part;

static part part_of(const gt_i_conv_gemm *p, int64_t task)
{
    part t;
    t.p0 = task % p->pixel_chunks * p->pixel_chunk;
    task /= p->pixel_chunks;
    t.k0 = task % p->oc_chunks * p->oc_chunk;
    task /= p->oc_chunks;
    t.g = task % p->conv.groups;
    t.n = task / p->conv.groups;
    t.pixels = gt_i_min(p->pixel_chunk, p->pixels - t.p0);
    t.channels = gt_i_min(p->oc_chunk, p->conv.kg - t.k0);
    return t;
}

/* ---- patches ---- */

/* One output row's piece of one row of X: `count` pixels from ox on, for the tap whose first input column is
 * `origin`; src is the input row, or NULL where it lies in the padding. */
static void patch_row(float *to, const float *src, int64_t ox, int64_t count, int64_t origin, int64_t stride,
                      int64_t width)
{
    int64_t first, last;
    gt_i_conv_taps(&first, &last, origin, stride, ox + count, width);
    first = gt_i_min(gt_i_max(first, ox), ox + count);
    last = src == NULL ? first : gt_i_max(last, first);
    memset(to, 0, (size_t)(first - ox) * sizeof *to);
    if (stride == 1 && last > first) {
        memcpy(to + first - ox, src + origin + first, (size_t)(last - first) * sizeof *to);
    } else {
        for (int64_t i = first; i < last; i++) {
            to[i - ox] = src[origin + i * stride];
        }
    }
    memset(to + last - ox, 0, (size_t)(ox + count - last) * sizeof *to);
}

/* Rows [d0, d0 + depth) of X[depth, pixels] for channels first. */
static void columns_first(const gt_i_conv_gemm *p, float *to, const float *x, const part *t, int64_t d0,
                          int64_t depth)
{
    const gt_i_conv *v = &p->conv;
    const float *image = x + t->n * v->x.n + t->g * v->cg * v->x.block_stride;
    for (int64_t d = d0; d < d0 + depth; d++) {
        int64_t s = d % v->kw, r = d / v->kw % v->kh, c = d / v->kw / v->kh;
        for (int64_t done = 0; done < t->pixels;) {
            int64_t oy = (t->p0 + done) / v->ow, ox = (t->p0 + done) % v->ow;
            int64_t count = gt_i_min(v->ow - ox, t->pixels - done);
            int64_t y = oy * v->sh - v->pad_t + r * v->dh;
            const float *src = y < 0 || y >= v->h ? NULL : image + c * v->x.block_stride + y * v->x.h;
            patch_row(to, src, ox, count, s * v->dw - v->pad_l, v->sw, v->w);
            to += count;
            done += count;
        }
    }
}

/* One pixel's columns [d0, d0 + depth) of X[pixels, depth] for channels last. */
static void pixel_patch(const gt_i_conv_gemm *p, float *to, const float *image, int64_t oy, int64_t ox,
                        int64_t d0, int64_t depth)
{
    const gt_i_conv *v = &p->conv;
    for (int64_t d = d0; d < d0 + depth;) {
        int64_t c = d % v->cg, s = d / v->cg % v->kw, r = d / v->cg / v->kw;
        int64_t y = oy * v->sh - v->pad_t + r * v->dh, x = ox * v->sw - v->pad_l + s * v->dw;
        /* Without dilation and groups the rest of a kernel row is contiguous, where it is inside the
         * image. */
        bool joined = v->dw == 1 && v->groups == 1 && x >= 0 && x + v->kw - s <= v->w;
        int64_t count = gt_i_min((joined ? v->kw - s : 1) * v->cg - c, d0 + depth - d);
        if (y < 0 || y >= v->h || x < 0 || x >= v->w) {
            memset(to, 0, (size_t)count * sizeof *to);
        } else {
            memcpy(to, image + y * v->x.h + x * v->x.w + c, (size_t)count * sizeof *to);
        }
        to += count;
        d += count;
    }
}

static void columns_last(const gt_i_conv_gemm *p, float *to, const float *x, const part *t, int64_t d0,
                         int64_t depth)
{
    const gt_i_conv *v = &p->conv;
    for (int64_t i = t->p0; i < t->p0 + t->pixels; i++) {
        int64_t ox = i % v->ow, oy = i / v->ow % v->oh, n = i / v->ow / v->oh;
        pixel_patch(p, to, x + n * v->x.n + t->g * v->cg, oy, ox, d0, depth);
        to += depth;
    }
}

/* ---- epilogue ---- */

static void finish_part(const gt_i_conv_gemm *p, const gt_args *a, const part *t)
{
    const gt_i_conv *v = &p->conv;
    const float *bias = (const float *)a->packed + p->bias_offset + t->g * v->kg + t->k0;
    const float *residual = v->residual ? a->in[3] : NULL;
    float *out = a->out;
    if (!v->bias && !v->residual && v->epilogue.act == GT_FN_NONE) {
        return;
    }
    int64_t outer = p->channels_last ? t->pixels : t->channels;
    int64_t inner = p->channels_last ? t->channels : t->pixels;
    int64_t at = p->channels_last ? t->p0 * v->k + t->g * v->kg + t->k0
                                  : t->n * v->y.n + (t->g * v->kg + t->k0) * v->y.block_stride + t->p0;
    int64_t step = p->channels_last ? v->k : v->y.block_stride;
    for (int64_t i = 0; i < outer; i++) {
        gt_i_finish(out + at + i * step, residual != NULL ? residual + at + i * step : NULL,
                    p->channels_last ? bias : bias + i, p->channels_last, inner, &v->epilogue);
    }
}

/* ---- tasks ---- */

static void multiply_first(const gt_i_conv_gemm *p, const gt_args *a, const part *t, int64_t d0,
                           int64_t depth)
{
    const gt_i_conv *v = &p->conv;
    const float *w = (const float *)a->packed + t->g * v->kg * p->depth;
    w += p->transposed ? d0 * v->kg + t->k0 : t->k0 * p->depth + d0;
    const float *x = a->scratch;
    if (p->in_place) {
        x = (const float *)a->in[0] + t->n * v->x.n + (t->g * v->cg + d0) * v->x.block_stride + t->p0;
    } else {
        columns_first(p, a->scratch, a->in[0], t, d0, depth);
    }
    float *y = (float *)a->out + t->n * v->y.n + (t->g * v->kg + t->k0) * v->y.block_stride + t->p0;
    gt_blas_sgemm(y, v->y.block_stride, w, p->transposed ? v->kg : p->depth, p->transposed, x,
                  p->in_place ? v->x.block_stride : t->pixels, false, t->channels, t->pixels, depth, d0 > 0);
}

static void multiply_last(const gt_i_conv_gemm *p, const gt_args *a, const part *t, int64_t d0, int64_t depth)
{
    const gt_i_conv *v = &p->conv;
    const float *w = (const float *)a->packed + t->g * v->kg * p->depth;
    w += p->transposed ? t->k0 * p->depth + d0 : d0 * v->kg + t->k0;
    const float *x = a->scratch;
    if (p->in_place) {
        x = (const float *)a->in[0] + t->p0 * v->c + t->g * v->cg + d0;
    } else {
        columns_last(p, a->scratch, a->in[0], t, d0, depth);
    }
    float *y = (float *)a->out + t->p0 * v->k + t->g * v->kg + t->k0;
    gt_blas_sgemm(y, v->k, x, p->in_place ? v->c : depth, false, w, p->transposed ? p->depth : v->kg,
                  p->transposed, t->pixels, t->channels, depth, d0 > 0);
}

void GT_KERNEL_FN(conv2d_gemm_f32)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin,
                                   int64_t end)
{
    const gt_i_conv_gemm *p = k->params;
    (void)phase;
    for (int64_t task = begin; task < end; task++) {
        part t = part_of(p, task);
        for (int64_t d = 0; d < p->depth; d += p->depth_chunk) {
            int64_t depth = gt_i_min(p->depth_chunk, p->depth - d);
            if (p->channels_last) {
                multiply_last(p, a, &t, d, depth);
            } else {
                multiply_first(p, a, &t, d, depth);
            }
        }
        finish_part(p, a, &t);
    }
}
