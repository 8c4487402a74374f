/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/general_common_simd.h"
#include "ops/kernels.h"
#include "ops/softmax.h"

#include <math.h>

/* ---- a contiguous line ---- */

static float line_max(const float *x, int64_t count)
{
    gt_vn m = gt_vn_set1(-__builtin_inff());
    int64_t i = 0;
    for (; i + GT_VL <= count; i += GT_VL) {
        m = gt_vn_max(m, gt_vn_load(x + i));
    }
    float largest = gt_vn_max_lanes(m);
    for (; i < count; i++) {
        largest = x[i] > largest ? x[i] : largest;
    }
    return largest;
}

/* y = e^(x - m); returns the sum of y. */
static float line_exp(float *y, const float *x, int64_t count, float m)
{
    gt_vn sum = {0};
    int64_t i = 0;
    for (; i + GT_VL <= count; i += GT_VL) {
        gt_vn e = gt_vn_exp(gt_vn_load(x + i) - m);
        gt_vn_store(y + i, e);
        sum += e;
    }
    if (i < count) {
        gt_vn e = gt_vn_exp(gt_vn_load_part(x + i, count - i) - m);
        gt_vn_store_part(y + i, e, count - i);
        sum += gt_vn_keep(e, count - i);
    }
    return gt_vn_sum_lanes(sum);
}

static void softmax_line(float *y, const float *x, int64_t count, bool logarithm)
{
    float m = line_max(x, count);
    float sum = line_exp(y, x, count, m);
    if (logarithm) {
        float shift = logf(sum);
        for (int64_t i = 0; i < count; i++) {
            y[i] = x[i] - m - shift;
        }
        return;
    }
    float factor = 1.0f / sum;
    for (int64_t i = 0; i < count; i++) {
        y[i] *= factor;
    }
}

/* ---- GT_VL lines side by side, `lanes` of which exist ---- */

static void softmax_columns(float *y, const float *x, int64_t length, int64_t step, int64_t lanes,
                            bool logarithm)
{
    gt_vn m = gt_vn_set1(-__builtin_inff());
    gt_vn sum = {0};
    for (int64_t i = 0; i < length; i++) {
        m = gt_vn_max(m, gt_vn_load_part(x + i * step, lanes));
    }
    for (int64_t i = 0; i < length; i++) {
        gt_vn e = gt_vn_exp(gt_vn_load_part(x + i * step, lanes) - m);
        gt_vn_store_part(y + i * step, e, lanes);
        sum += e;
    }
    gt_vn factor = 1.0f / sum;
    for (int j = 0; logarithm && j < GT_VL; j++) {
        factor[j] = m[j] + logf(sum[j]);
    }
    for (int64_t i = 0; i < length; i++) {
        gt_vn have = gt_vn_load_part((logarithm ? x : y) + i * step, lanes);
        gt_vn_store_part(y + i * step, logarithm ? have - factor : have * factor, lanes);
    }
}

static void softmax_full_columns(float *y, const float *x, int64_t length, int64_t step)
{
    gt_vn m = gt_vn_set1(-__builtin_inff());
    gt_vn sum = {0};
    for (int64_t i = 0; i < length; i++) {
        m = gt_vn_max(m, gt_vn_load(x + i * step));
    }
    for (int64_t i = 0; i < length; i++) {
        gt_vn e = gt_vn_exp(gt_vn_load(x + i * step) - m);
        gt_vn_store(y + i * step, e);
        sum += e;
    }
    gt_vn factor = 1.0f / sum;
    for (int64_t i = 0; i < length; i++) {
        gt_vn_store(y + i * step, gt_vn_load(y + i * step) * factor);
    }
}

static void run_columns(const gt_i_softmax *p, const gt_args *a, int64_t task)
{
    int64_t first = task % p->tiles * p->tile;
    int64_t last = gt_i_min(first + p->tile, p->axis.inner);
    int64_t at = task / p->tiles * p->axis.length * p->axis.inner;
    for (int64_t i = first; i < last; i += GT_VL) {
        float *y = (float *)a->out + at + i;
        const float *x = (const float *)a->in[0] + at + i;
        if (i + GT_VL <= last && !p->log) {
            softmax_full_columns(y, x, p->axis.length, p->axis.inner);
        } else {
            softmax_columns(y, x, p->axis.length, p->axis.inner, gt_i_min(GT_VL, last - i), p->log);
        }
    }
}

/* ---- channels in blocks: first per lane over the blocks, then over each pixel's lanes ---- */

static void lanes_max(float *m, const float *x, int64_t count)
{
    int64_t i = 0;
    for (; i + GT_VL <= count; i += GT_VL) {
        gt_vn_store(m + i, gt_vn_max(gt_vn_load(m + i), gt_vn_load(x + i)));
    }
    for (; i < count; i++) {
        m[i] = x[i] > m[i] ? x[i] : m[i];
    }
}

/* The last block's padding must not take part. */
static void lanes_max_valid(float *m, const float *x, int64_t pixels, int64_t block, int64_t valid)
{
    for (int64_t p = 0; p < pixels; p++) {
        for (int64_t l = 0; l < valid; l++) {
            float v = x[p * block + l];
            m[p * block + l] = v > m[p * block + l] ? v : m[p * block + l];
        }
    }
}

static void lanes_exp(float *y, const float *x, const float *m, int64_t count)
{
    int64_t i = 0;
    for (; i + GT_VL <= count; i += GT_VL) {
        gt_vn_store(y + i, gt_vn_exp(gt_vn_load(x + i) - gt_vn_load(m + i)));
    }
    if (i < count) {
        gt_vn e = gt_vn_exp(gt_vn_load_part(x + i, count - i) - gt_vn_load_part(m + i, count - i));
        gt_vn_store_part(y + i, e, count - i);
    }
}

/* Every lane of a pixel gets the pixel's maximum. */
static void spread_max(float *m, int64_t pixels, int64_t block)
{
    for (int64_t p = 0; p < pixels; p++, m += block) {
        float largest = m[0];
        for (int64_t l = 1; l < block; l++) {
            largest = m[l] > largest ? m[l] : largest;
        }
        for (int64_t l = 0; l < block; l++) {
            m[l] = largest;
        }
    }
}

/* Every lane gets what its pixel is multiplied with, or what is subtracted for logarithms. */
static void spread_sum(float *sum, const float *m, int64_t pixels, int64_t block, bool logarithm)
{
    for (int64_t p = 0; p < pixels; p++, sum += block, m += block) {
        float total = 0;
        for (int64_t l = 0; l < block; l++) {
            total += sum[l];
        }
        float value = logarithm ? m[0] + logf(total) : 1.0f / total;
        for (int64_t l = 0; l < block; l++) {
            sum[l] = value;
        }
    }
}

static void lanes_finish(float *y, const float *x, const float *value, int64_t count, bool logarithm)
{
    for (int64_t i = 0; logarithm && i < count; i++) {
        y[i] = x[i] - value[i];
    }
    for (int64_t i = 0; !logarithm && i < count; i++) {
        y[i] *= value[i];
    }
}

static void run_blocks(const gt_i_softmax *p, const gt_args *a, int64_t task)
{
    int64_t l = p->view.l;
    int64_t plane = p->view.h * p->view.w;
    int64_t first = task % p->tiles * p->tile;
    int64_t pixels = gt_i_min(p->tile, plane - first);
    int64_t at = (task / p->tiles * p->view.g * plane + first) * l;
    const float *x = (const float *)a->in[0] + at;
    float *y = (float *)a->out + at;
    float *m = a->scratch;
    float *sum = m + p->tile * l;
    for (int64_t i = 0; i < pixels * l; i++) {
        m[i] = -__builtin_inff();
        sum[i] = 0;
    }
    for (int64_t g = 0; g < p->view.g; g++) {
        int64_t valid = gt_i_view_lanes(&p->view, g);
        if (valid == l) {
            lanes_max(m, x + g * plane * l, pixels * l);
        } else {
            lanes_max_valid(m, x + g * plane * l, pixels, l, valid);
        }
    }
    spread_max(m, pixels, l);
    for (int64_t g = 0; g < p->view.g; g++) {
        float *yg = y + g * plane * l;
        lanes_exp(yg, x + g * plane * l, m, pixels * l);
        gt_i_zero_lanes(yg, pixels, l, gt_i_view_lanes(&p->view, g));
        for (int64_t i = 0; i < pixels * l; i++) {
            sum[i] += yg[i];
        }
    }
    spread_sum(sum, m, pixels, l, p->log);
    for (int64_t g = 0; g < p->view.g; g++) {
        float *yg = y + g * plane * l;
        lanes_finish(yg, x + g * plane * l, sum, pixels * l, p->log);
        gt_i_zero_lanes(yg, pixels, l, gt_i_view_lanes(&p->view, g));
    }
}

void GT_KERNEL_FN(softmax_direct_f32)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin,
                                      int64_t end)
{
    const gt_i_softmax *p = k->params;
    if (phase == 1) {
        gt_i_zero_padding(a->out, &p->view, begin, end);
        return;
    }
    for (int64_t task = begin; task < end; task++) {
        if (p->form == GT_I_SOFTMAX_LINES) {
            int64_t at = task * p->axis.length;
            softmax_line((float *)a->out + at, (const float *)a->in[0] + at, p->axis.length, p->log);
        } else if (p->form == GT_I_SOFTMAX_COLUMNS) {
            run_columns(p, a, task);
        } else {
            run_blocks(p, a, task);
        }
    }
}
