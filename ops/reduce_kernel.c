/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/general_common_simd.h"
#include "ops/kernels.h"
#include "ops/reduce.h"

GT_I_INLINE gt_vn merge(gt_vn a, gt_vn b, bool maximum)
{
    return maximum ? gt_vn_max_nan(a, b) : a + b;
}

GT_I_INLINE float merge_one(float a, float b, bool maximum)
{
    return maximum ? (a < b || b != b ? b : a) : a + b;
}

GT_I_INLINE float neutral(bool maximum)
{
    return maximum ? -__builtin_inff() : 0;
}

/* ---- contiguous elements into one; four accumulators hide the addition's latency ---- */

GT_I_INLINE gt_vn reduce_vectors(const float *x, int64_t vectors, bool maximum)
{
    gt_vn acc[4];
    for (int j = 0; j < 4; j++) {
        acc[j] = gt_vn_set1(neutral(maximum));
    }
    int64_t i = 0;
    for (; i + 4 <= vectors; i += 4) {
        for (int j = 0; j < 4; j++) {
            acc[j] = merge(acc[j], gt_vn_load(x + (i + j) * GT_VL), maximum);
        }
    }
    for (; i < vectors; i++) {
        acc[0] = merge(acc[0], gt_vn_load(x + i * GT_VL), maximum);
    }
    return merge(merge(acc[0], acc[1], maximum), merge(acc[2], acc[3], maximum), maximum);
}

GT_I_INLINE float reduce_run(const float *x, int64_t count, bool maximum)
{
    int64_t vectors = count / GT_VL;
    gt_vn v = reduce_vectors(x, vectors, maximum);
    int64_t rest = count - vectors * GT_VL;
    if (rest > 0 && !maximum) {
        v += gt_vn_load_part(x + count - rest, rest);
    }
    float result = maximum ? gt_vn_max_lanes(v) : gt_vn_sum_lanes(v);
    for (int64_t i = count - rest; maximum && i < count; i++) {
        result = merge_one(result, x[i], true);
    }
    return result;
}

/* ---- rows of kept elements into one row ---- */

/* y[0, lanes) with the rows at x, x + step, …; `lanes` is a multiple of the width, up to four vectors. */
GT_I_INLINE void reduce_columns(float *y, const float *x, int64_t rows, int64_t step, int n, bool maximum)
{
    gt_vn acc[4];
    for (int j = 0; j < n; j++) {
        acc[j] = gt_vn_load(y + j * GT_VL);
    }
    for (int64_t r = 0; r < rows; r++) {
        for (int j = 0; j < n; j++) {
            acc[j] = merge(acc[j], gt_vn_load(x + r * step + j * GT_VL), maximum);
        }
    }
    for (int j = 0; j < n; j++) {
        gt_vn_store(y + j * GT_VL, acc[j]);
    }
}

GT_I_INLINE void reduce_rows(float *y, const float *x, int64_t rows, int64_t step, int64_t lanes,
                             bool maximum)
{
    int64_t i = 0;
    if (step == lanes && lanes <= GT_VL && GT_VL % lanes == 0) {
        /* Blocks of lanes that divide the width: whole vectors hold several rows. */
        int64_t per = GT_VL / lanes;
        gt_vn v = reduce_vectors(x, rows / per, maximum);
        float part[GT_VL];
        memcpy(part, &v, sizeof v);
        for (int64_t r = 0; r < per; r++) {
            for (int64_t j = 0; j < lanes; j++) {
                y[j] = merge_one(y[j], part[r * lanes + j], maximum);
            }
        }
        int64_t done = rows / per * per;
        x += done * step;
        rows -= done;
    }
    for (; i + 4 * GT_VL <= lanes; i += 4 * GT_VL) {
        reduce_columns(y + i, x + i, rows, step, 4, maximum);
    }
    for (; i + GT_VL <= lanes; i += GT_VL) {
        reduce_columns(y + i, x + i, rows, step, 1, maximum);
    }
    if (i < lanes) {
        gt_vn acc = gt_vn_load_part(y + i, lanes - i);
        for (int64_t r = 0; r < rows; r++) {
            acc = merge(acc, gt_vn_load_part(x + r * step + i, lanes - i), maximum);
        }
        gt_vn_store_part(y + i, acc, lanes - i);
    }
}

/* Runs shorter than a vector are added up side by side first. */
static float sum_short_runs(const float *x, int64_t rows, int64_t step, int64_t count)
{
    gt_vn acc = {0};
    for (int64_t r = 0; r < rows; r++) {
        acc += gt_vn_load_part(x + r * step, count);
    }
    return gt_vn_sum_lanes(acc);
}

/* ---- the reduced axes around ---- */

/* Number of steps through all reduced axes but the innermost listed one, and the offset of step i. */
static int64_t outer_steps(const gt_i_reduce *p)
{
    int64_t steps = 1;
    for (int d = 0; d + 1 < p->n_reduced; d++) {
        steps *= p->reduced[d];
    }
    return steps;
}

static int64_t outer_offset(const gt_i_reduce *p, int64_t step)
{
    int64_t offset = 0;
    for (int d = p->n_reduced - 2; d >= 0; d--) {
        offset += step % p->reduced[d] * p->reduced_in[d];
        step /= p->reduced[d];
    }
    return offset;
}

GT_I_INLINE void reduce_task(const gt_i_reduce *p, float *y, const float *x, int64_t lanes, bool maximum)
{
    int last = p->n_reduced - 1;
    int64_t rows = last >= 0 ? p->reduced[last] : 1;
    int64_t step = last >= 0 ? p->reduced_in[last] : 0;
    int64_t steps = outer_steps(p);
    for (int64_t i = 0; i < lanes; i++) {
        y[i] = neutral(maximum);
    }
    for (int64_t s = 0; s < steps; s++) {
        const float *from = x + outer_offset(p, s);
        if (p->inner_kept) {
            reduce_rows(y, from, rows, step, lanes, maximum);
            continue;
        }
        if (!maximum && p->inner <= GT_VL) {
            y[0] += sum_short_runs(from, rows, step, p->inner);
            continue;
        }
        for (int64_t r = 0; r < rows; r++) {
            y[0] = merge_one(y[0], reduce_run(from + r * step, p->inner, maximum), maximum);
        }
    }
}

static void store(const gt_i_reduce *p, float *to, int64_t step, const float *y, int64_t lanes)
{
    for (int64_t i = 0; i < lanes; i++) {
        to[i * step] = y[i] * p->factor;
    }
}

void GT_KERNEL_FN(reduce_direct_f32)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin,
                                     int64_t end)
{
    const gt_i_reduce *p = k->params;
    float *y = a->scratch;
    if (phase == 1) {
        gt_i_zero_padding(a->out, &p->out, begin, end);
        return;
    }
    for (int64_t task = begin; task < end; task++) {
        int64_t first = p->inner_kept ? task % p->tiles * GT_I_REDUCE_TILE : 0;
        int64_t lanes = p->inner_kept ? gt_i_min(GT_I_REDUCE_TILE, p->inner - first) : 1;
        int64_t rest = task / p->tiles;
        int64_t lane = p->channels > 0 ? rest % p->groups * p->inner + first : 0;
        int64_t from = first;
        int64_t to = first * p->inner_out;
        for (int d = p->n_kept - 1; d >= 0; d--) {
            from += rest % p->kept[d] * p->kept_in[d];
            to += rest % p->kept[d] * p->kept_out[d];
            rest /= p->kept[d];
        }
        if (p->mode == GT_REDUCE_MAX) {
            reduce_task(p, y, (const float *)a->in[0] + from, lanes, true);
        } else {
            reduce_task(p, y, (const float *)a->in[0] + from, lanes, false);
        }
        int64_t valid = p->channels > 0 ? gt_i_min(lanes, p->channels - lane) : lanes;
        store(p, (float *)a->out + to, p->inner_out, y, valid);
    }
}
