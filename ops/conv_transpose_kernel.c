/* SPDX-License-Identifier: Apache-2.0 */
/* Transposed convolution as a gather: no two taps write the same output, so nothing is accumulated in memory
 * (the stride's residue classes are the sub-pixel view of Shi et al., "Is the deconvolution layer the same as
 * a convolutional layer?", arXiv:1609.07009). */
#include "ops/conv_transpose.h"
#include "ops/matmul_transpose.h"

/* An output row's channels [k, k + channels), of a panel that is `width` wide. */
typedef struct strip {
    int64_t n, y, k, channels, width;
} strip;

/* ---- phase 0 ---- */

static void copy_floats(float *to, const float *from, int64_t count)
{
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        gt_v4_store(to + i, gt_v4_load(from + i));
    }
    for (; i < count; i++) {
        to[i] = from[i];
    }
}

/* One input row of planes. */
static void copy_planes(const gt_i_conv_transpose *p, float *to, const float *from)
{
    int64_t plane = p->conv.x.block_stride, pixels = p->conv.w, channels = p->conv.c;
    int64_t quads = channels / 4 * 4, whole = pixels / 4 * 4;
    for (int64_t x = 0; x < whole; x += 4) {
        for (int64_t c = 0; c < quads; c += 4) {
            gt_i_transpose_4x4(to + x * p->x_pixel + c, p->x_pixel, from + c * plane + x, plane);
        }
    }
    for (int64_t c = 0; c < channels; c++) {
        for (int64_t x = c < quads ? whole : 0; x < pixels; x++) {
            to[x * p->x_pixel + c] = from[c * plane + x];
        }
    }
}

/* One input row; lanes of X beyond C become zero. */
static void copy_row(const gt_i_conv_transpose *p, float *to, const float *in, int64_t n, int64_t y)
{
    const gt_strides *s = &p->conv.x;
    memset(to, 0, (size_t)(p->row_pixels * p->x_pixel) * sizeof *to);
    to += p->left * p->x_pixel;
    if (s->block == 1 && s->block_stride != 1) {
        copy_planes(p, to, in + n * s->n + y * s->h);
        return;
    }
    int64_t run = s->block > 1 ? s->block : p->conv.c;
    for (int64_t c = 0; c < p->conv.c; c += run) {
        const float *from = in + gt_strides_offset(s, n, c, y, 0);
        for (int64_t x = 0; x < p->conv.w; x++) {
            copy_floats(to + x * p->x_pixel + c, from + x * s->w, gt_i_min(run, p->conv.c - c));
        }
    }
}

/* ---- storing: the row's results lie in buffer[ow][width] ---- */

/* Channels in runs that are contiguous in the output: blocks, or all of them. */
static void store_runs(const gt_i_conv_transpose *p, float *row, const float *buffer, const strip *t)
{
    const gt_strides *s = &p->conv.y;
    int64_t block = s->block > 1 ? s->block : p->conv.k, padding = s->blocks * s->block - p->conv.k;
    for (int64_t l = 0; l < t->channels;) {
        int64_t c = t->k + l, inside = c % block, run = gt_i_min(t->channels - l, block - inside);
        float *to = row + c / block * s->block_stride + inside;
        for (int64_t x = 0; x < p->conv.ow; x++) {
            copy_floats(to + x * s->w, buffer + x * t->width + l, run);
        }
        l += run;
    }
    if (padding > 0 && t->k + t->channels == p->conv.k) {
        float *to = row + p->conv.k / block * s->block_stride + p->conv.k % block;
        for (int64_t x = 0; x < p->conv.ow; x++) {
            memset(to + x * s->w, 0, (size_t)padding * sizeof *to);
        }
    }
}

/* Channels that are planes apart: 4x4 blocks are transposed in registers. */
static void store_planes(const gt_i_conv_transpose *p, float *row, const float *buffer, const strip *t)
{
    int64_t plane = p->conv.y.block_stride, pixels = p->conv.ow;
    int64_t quads = t->channels / 4 * 4, whole = pixels / 4 * 4;
    for (int64_t l = 0; l < quads; l += 4) {
        for (int64_t x = 0; x < whole; x += 4) {
            gt_i_transpose_4x4(row + l * plane + x, plane, buffer + x * t->width + l, t->width);
        }
    }
    for (int64_t l = 0; l < t->channels; l++) {
        for (int64_t x = l < quads ? whole : 0; x < pixels; x++) {
            row[l * plane + x] = buffer[x * t->width + l];
        }
    }
}

static void finish_row(const gt_i_conv_transpose *p, float *out, float *buffer, const float *bias,
                       const strip *t)
{
    const gt_strides *s = &p->conv.y;
    const gt_epilogue *e = &p->conv.epilogue;
    for (int64_t j = 0; j < t->width; j += GT_VL) {
        gt_vn b = bias != NULL ? gt_vn_load(bias + j) : (gt_vn){0};
        for (int64_t x = 0; x < p->conv.ow; x++) {
            float *at = buffer + x * t->width + j;
            gt_vn_store(at, gt_vn_act(gt_vn_load(at) + b, e->act, e->alpha, e->beta));
        }
    }
    float *row = out + t->n * s->n + t->y * s->h;
    if (s->block == 1 && s->block_stride != 1) {
        store_planes(p, row + t->k * s->block_stride, buffer, t);
        return;
    }
    store_runs(p, row, buffer, t);
}

/* ---- phase 1 ---- */

/* The taps that reach output row t->y and column x: where they read X, and their weights. `tap_floats`:
 * packed floats of one tap in this panel. */
static int64_t find_taps(const gt_i_conv_transpose *p, gt_i_span *spans, const float *input,
                         const float *weights, int64_t tap_floats, const strip *t, int64_t x)
{
    const gt_i_conv *v = &p->conv;
    int64_t count = 0;
    for (int64_t r = 0; r < v->kh; r++) {
        int64_t y = t->y + v->pad_t - r * v->dh;
        if (y < 0 || y % v->sh != 0 || y / v->sh >= v->h) {
            continue;
        }
        const float *row = input + ((t->n * v->h + y / v->sh) * p->row_pixels + p->left) * p->x_pixel;
        for (int64_t s = 0; s < v->kw; s++) {
            int64_t at = x + v->pad_l - s * v->dw;
            if (at % v->sw == 0) {
                spans[count++] = (gt_i_span){row + at / v->sw * p->x_pixel,
                                             weights + (r * v->kw + s) * tap_floats};
            }
        }
    }
    return count;
}

static inline __attribute__((always_inline)) void depthwise_pixels(float *to, int64_t ldt,
                                                                   const gt_i_span *spans,
                                                                   int64_t n_spans, int64_t skip,
                                                                       int64_t pixel, const int pixels)
{
    gt_vn acc[4] = {0};
    for (int64_t i = 0; i < n_spans; i++) {
        gt_vn w = gt_vn_load(spans[i].b);
        const float *x = spans[i].a + skip;
        _Pragma("GCC unroll 4")
        for (int j = 0; j < pixels; j++) {
            acc[j] += w * gt_vn_load(x + j * pixel);
        }
    }
    _Pragma("GCC unroll 4")
    for (int j = 0; j < pixels; j++) {
        gt_vn_store(to + j * ldt, acc[j]);
    }
}

/* `pixels` results, ldt apart, for one vector of channels. */
static void depthwise_row(float *to, int64_t ldt, const gt_i_span *spans, int64_t n_spans, int64_t pixel,
                          int64_t pixels)
{
    int64_t x = 0;
    for (; x + 4 <= pixels; x += 4) {
        depthwise_pixels(to + x * ldt, ldt, spans, n_spans, x * pixel, pixel, 4);
    }
    for (; x < pixels; x++) {
        depthwise_pixels(to + x * ldt, ldt, spans, n_spans, x * pixel, pixel, 1);
    }
}

static void micro_row(const gt_i_conv_transpose *p, float *to, int64_t ldt, gt_i_span *spans, int64_t n_spans,
                      int64_t pixels, int64_t width, const gt_i_micro *micro)
{
    int64_t groups = gt_i_div_up(pixels, micro->rows);
    for (int64_t g = 0, done = 0; g < groups; g++) {
        int64_t now = (pixels - done) / (groups - g);
        micro->fn[now - 1](to + done * ldt, ldt, spans, n_spans, p->x_pixel, width, p->conv.cg, false);
        for (int64_t i = 0; i < n_spans; i++) {
            spans[i].a += now * p->x_pixel;
        }
        done += now;
    }
}

/* One panel (depthwise: one vector) of one output row: class by class. `column` counts within the group. */
static void run_panel(const gt_i_conv_transpose *p, const gt_args *a, strip t, int64_t group, int64_t column,
                      const gt_i_micro *micro)
{
    const gt_i_conv *v = &p->conv;
    gt_i_span *spans = a->scratch;
    float *buffer = (float *)a->scratch + p->buffer_offset;
    const float *packed = a->packed;
    const float *weights = packed + group * p->group_floats + column * v->kh * v->kw * v->cg;
    const float *bias = v->bias ? packed + p->bias_offset + group * p->columns + column : NULL;
    const float *input = (const float *)a->shared + (p->depthwise ? column : group * v->cg);
    t.k = group * v->kg + column;
    t.channels = gt_i_min(t.width, (p->depthwise ? v->k : v->kg) - column);
    for (int64_t x = 0; x < gt_i_min(v->sw, v->ow); x++) {
        int64_t pixels = gt_i_div_up(v->ow - x, v->sw);
        int64_t n = find_taps(p, spans, input, weights, v->cg * t.width, &t, x);
        if (p->depthwise) {
            depthwise_row(buffer + x * t.width, v->sw * t.width, spans, n, p->x_pixel, pixels);
        } else {
            micro_row(p, buffer + x * t.width, v->sw * t.width, spans, n, pixels, t.width, micro);
        }
    }
    finish_row(p, a->out, buffer, bias, &t);
}

static void run_row(const gt_i_conv_transpose *p, const gt_args *a, int64_t task)
{
    strip t = {.y = task % p->conv.oh};
    task /= p->conv.oh;
    t.n = task % p->conv.n;
    task /= p->conv.n;
    int64_t chunk = task % p->oc_chunks, group = task / p->oc_chunks;
    int64_t end = gt_i_min(p->columns, (chunk + 1) * p->oc_chunk);
    for (int64_t column = chunk * p->oc_chunk; column < end; column += t.width) {
        gt_i_micro_shape shape = gt_i_micro_panel(p->shape, p->columns - column, GT_VL);
        const gt_i_micro *micro = &GT_KERNEL_FN(matmul_micro)[shape];
        t.width = micro->vectors * GT_VL;
        run_panel(p, a, t, group, column, micro);
    }
}

void GT_KERNEL_FN(conv_transpose2d_direct_f32)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin,
                                               int64_t end)
{
    const gt_i_conv_transpose *p = k->params;
    for (int64_t task = begin; task < end; task++) {
        if (phase == 0) {
            copy_row(p, (float *)a->shared + task * p->row_pixels * p->x_pixel, a->in[0], task / p->conv.h,
                     task % p->conv.h);
        } else {
            run_row(p, a, task);
        }
    }
}
