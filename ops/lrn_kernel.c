/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/kernels.h"
#include "ops/lrn.h"
#include "ops/unary_math.h"

/* x / base^beta; 3/4, the usual exponent, needs no logarithm. */
GT_I_INLINE gt_vn divide(gt_vn x, gt_vn sum, const gt_i_lrn *p)
{
    gt_vn base = p->bias + p->alpha * sum;
    if (p->beta == 0.75f) {
        gt_vn root = gt_vn_sqrt(base);
        return x / (root * gt_vn_sqrt(root));
    }
    return x * gt_vn_exp(-p->beta * gt_vn_log(base));
}

/* ---- channels in planes: vectors of pixels ---- */

static void run_planes(const gt_i_lrn *p, float *y, const float *x, int64_t pixels)
{
    int64_t plane = p->view.h * p->view.w;
    for (int64_t c = 0; c < p->view.g; c++) {
        int64_t first = c > p->before ? c - p->before : 0;
        int64_t last = gt_i_min(c + p->after + 1, p->view.g);
        for (int64_t i = 0; i < pixels; i += GT_VL) {
            int64_t lanes = gt_i_min(GT_VL, pixels - i);
            gt_vn sum = {0};
            for (int64_t k = first; k < last; k++) {
                const float *at = x + k * plane + i;
                gt_vn v = lanes == GT_VL ? gt_vn_load(at) : gt_vn_load_part(at, lanes);
                sum += v * v;
            }
            gt_vn result = divide(gt_vn_load_part(x + c * plane + i, lanes), sum, p);
            gt_vn_store_part(y + c * plane + i, result, lanes);
        }
    }
}

/* ---- channels in lanes: vectors of channels ---- */

/* One pixel's channels, of which `squares` gets the squares between zeros. */
static void run_line(const gt_i_lrn *p, float *y, const float *x, float *squares)
{
    int64_t c = p->view.c;
    for (int64_t i = 0; i < c; i++) {
        squares[p->before + i] = x[i] * x[i];
    }
    for (int64_t i = 0; i < c; i += GT_VL) {
        int64_t lanes = gt_i_min(GT_VL, c - i);
        gt_vn sum = {0};
        for (int64_t k = 0; k <= p->before + p->after; k++) {
            sum += gt_vn_load(squares + i + k);
        }
        gt_vn_store_part(y + i, divide(gt_vn_load_part(x + i, lanes), sum, p), lanes);
    }
}

static void run_lanes(const gt_i_lrn *p, float *y, const float *x, int64_t pixels, float *scratch)
{
    int64_t l = p->view.l;
    int64_t plane = p->view.h * p->view.w * l;
    int64_t stored = p->view.g * l;
    float *squares = scratch + stored;
    memset(scratch, 0, (size_t)(2 * stored + p->before + p->after + 16) * sizeof *scratch);
    for (int64_t i = 0; i < pixels; i++) {
        if (p->view.g == 1) {
            run_line(p, y + i * l, x + i * l, squares);
            gt_i_zero_lanes(y + i * l, 1, l, p->view.c);
            continue;
        }
        gt_i_copy_pixels(scratch, x + i * l, p->view.g, l, plane, l);
        run_line(p, scratch, scratch, squares);
        gt_i_copy_pixels(y + i * l, scratch, p->view.g, plane, l, l);
    }
}

void GT_KERNEL_FN(lrn_direct_f32)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    const gt_i_lrn *p = k->params;
    int64_t l = p->view.l;
    int64_t pixels = p->view.h * p->view.w;
    (void)phase;
    for (int64_t task = begin; task < end; task++) {
        int64_t first = task % p->tiles * p->tile;
        int64_t count = gt_i_min(p->tile, pixels - first);
        int64_t at = task / p->tiles * p->view.g * pixels * l + first * l;
        float *y = (float *)a->out + at;
        const float *x = (const float *)a->in[0] + at;
        if (l == 1) {
            run_planes(p, y, x, count);
        } else {
            run_lanes(p, y, x, count, a->scratch);
        }
    }
}
