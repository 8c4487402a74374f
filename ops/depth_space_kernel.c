/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/depth_space.h"
#include "ops/general_common_simd.h"
#include "ops/kernels.h"

/* How many lanes from the first on lie next to each other in the input (or are all padding). */
static int64_t run_of_lanes(const int64_t *offset, int64_t end)
{
    int64_t n = 1;
    int64_t step = offset[0] == GT_I_NO_CHANNEL ? 0 : 1;
    while (n < end && offset[n] == offset[0] + n * step) {
        n++;
    }
    return n;
}

/* How many pairs of lanes alternate between two places of neighbours, as a shuffle of two groups
 * leaves them. */
static int64_t pairs_of_lanes(const int64_t *offset, int64_t end)
{
    int64_t n = 0;
    while (2 * n + 1 < end && offset[2 * n] == offset[0] + n && offset[2 * n + 1] == offset[1] + n) {
        n++;
    }
    return offset[0] == GT_I_NO_CHANNEL ? 0 : n;
}

/* `pixels` output pixels of one column phase. Lanes are taken in runs that are copied alike. */
static void run_pixels(const gt_i_depth_space *p, float *y, const float *x, const int64_t *offset,
                       int64_t pixels)
{
    int64_t l = p->out.l;
    int64_t to_step = p->phases * l;
    int64_t from_step = p->step * p->in.l;
    for (int64_t lane = 0; lane < l;) {
        int64_t lanes = run_of_lanes(offset + lane, l - lane);
        int64_t pairs = lanes == 1 ? pairs_of_lanes(offset + lane, l - lane) : 0;
        const float *from = x + offset[lane];
        if (offset[lane] == GT_I_NO_CHANNEL) {
            for (int64_t i = 0; i < pixels; i++) {
                memset(y + i * to_step + lane, 0, (size_t)lanes * sizeof *y);
            }
        } else if (pairs > 1) {
            lanes = 2 * pairs;
            gt_i_interleave(y + lane, from, x + offset[lane + 1], pixels, to_step, from_step, pairs);
        } else {
            gt_i_copy_pixels(y + lane, from, pixels, to_step, from_step, lanes);
        }
        lane += lanes;
    }
}

/* Many lanes are copied for a few pixels at a time, so that the pixels stay in the first cache. */
#define PIXEL_FLOATS 4096

static void run_phase(const gt_i_depth_space *p, float *y, const float *x, const int64_t *offset)
{
    int64_t pixels = p->out.w / p->phases;
    int64_t most = p->out.l > 16 ? gt_i_ceil_div(PIXEL_FLOATS, p->out.l) : pixels;
    for (int64_t i = 0; i < pixels; i += most) {
        run_pixels(p, y + i * p->phases * p->out.l, x + i * p->step * p->in.l, offset,
                   gt_i_min(most, pixels - i));
    }
}

void GT_KERNEL_FN(depth_space_direct_f32)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin,
                                          int64_t end)
{
    const gt_i_depth_space *p = k->params;
    int64_t stored = p->out.g * p->out.l;
    int64_t image = p->in.g * p->in.h * p->in.w * p->in.l;
    (void)phase;
    for (int64_t task = begin; task < end; task++) {
        int64_t row = task % p->out.h;
        int64_t g = task / p->out.h % p->out.g;
        int64_t n = task / p->out.h / p->out.g;
        const float *x = (const float *)a->in[0] + n * image + row / p->phases * p->step * p->in.w * p->in.l;
        float *y = (float *)a->out + task * p->out.w * p->out.l;
        if (p->phases == 2 && p->out.l == 1 && p->in.l == 1) {
            const int64_t *pair = p->offset + row % 2 * 2 * stored + g;
            gt_i_interleave(y, x + pair[0], x + pair[stored], 1, 0, 0, p->out.w / 2);
            continue;
        }
        for (int64_t j = 0; j < p->phases; j++) {
            const int64_t *offset = p->offset + (row % p->phases * p->phases + j) * stored + g * p->out.l;
            run_phase(p, y + j * p->out.l, x, offset);
        }
    }
}
