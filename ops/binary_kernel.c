/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/binary.h"
#include "ops/general_common_simd.h"
#include "ops/kernels.h"

#include <math.h>

/* One side of the inner loop: an array, or the same value everywhere. */
typedef struct side {
    const float *at;
    bool scalar;
} side;

GT_I_INLINE gt_vn power(gt_vn a, gt_vn b)
{
    gt_vn y = a;
    for (int i = 0; i < GT_VL; i++) {
        y[i] = b[i] == 2.0f ? a[i] * a[i] : powf(a[i], b[i]);
    }
    return y;
}

GT_I_INLINE gt_vn apply(gt_binary_function f, gt_vn a, gt_vn b)
{
    switch (f) {
    case GT_BINARY_ADD:
        return a + b;
    case GT_BINARY_SUB:
        return a - b;
    case GT_BINARY_MUL:
        return a * b;
    case GT_BINARY_DIV:
        return a / b;
    case GT_BINARY_MIN:
        return gt_vn_select((a > b) | (b != b), b, a);
    case GT_BINARY_MAX:
        return gt_vn_select((a < b) | (b != b), b, a);
    case GT_BINARY_POW:
        return power(a, b);
    default:
        return gt_vn_select(a < 0, a * b, a);
    }
}

GT_I_INLINE gt_vn side_load(const float *at, bool scalar, int64_t i)
{
    return scalar ? gt_vn_set1(*at) : gt_vn_load(at + i);
}

/* Everything but the pointers is constant where this is called, so the choices vanish. Several vectors a round: counting takes
 * as many instructions as one of them. */
#define TOGETHER 4

GT_I_INLINE gt_vn at(const float *a, bool sa, const float *b, bool sb, int64_t i, gt_binary_function f, bool relu)
{
    gt_vn zero = {0}, r = apply(f, side_load(a, sa, i), side_load(b, sb, i));
    return relu ? gt_vn_max(r, zero) : r;
}

GT_I_INLINE void loop(float *y, const float *a, bool sa, const float *b, bool sb, int64_t count, gt_binary_function f, bool relu)
{
    int64_t i = 0;
    for (; i + TOGETHER * GT_VL <= count; i += TOGETHER * GT_VL) {
        _Pragma("GCC unroll 4") for (int j = 0; j < TOGETHER; j++) {
            gt_vn_store(y + i + j * GT_VL, at(a, sa, b, sb, i + j * GT_VL, f, relu));
        }
    }
    for (; i + GT_VL <= count; i += GT_VL) {
        gt_vn_store(y + i, at(a, sa, b, sb, i, f, relu));
    }
    if (i < count) {
        float part[2][GT_VL] = {{0}};
        const size_t bytes = (size_t)(count - i) * sizeof *y;
        memcpy(part[0], sa ? a : a + i, sa ? sizeof *a : bytes);
        memcpy(part[1], sb ? b : b + i, sb ? sizeof *b : bytes);
        gt_vn r = at(part[0], sa, part[1], sb, 0, f, relu);
        memcpy(y + i, &r, bytes);
    }
}

/* Only the sum of two tensors, which ends a residual block, has its activation in the same loop. */
GT_I_INLINE void loop_sides(float *y, side a, side b, int64_t count, gt_binary_function f, const gt_epilogue *e)
{
    if (!a.scalar && !b.scalar && f == GT_BINARY_ADD && e->act == GT_FN_RELU) {
        loop(y, a.at, false, b.at, false, count, f, true);
        return;
    }
    if (!a.scalar && !b.scalar) {
        loop(y, a.at, false, b.at, false, count, f, false);
    } else if (!a.scalar) {
        loop(y, a.at, false, b.at, true, count, f, false);
    } else if (!b.scalar) {
        loop(y, a.at, true, b.at, false, count, f, false);
    } else {
        loop(y, a.at, true, b.at, true, count, f, false);
    }
    gt_i_activate(y, count, e);
}

#define CASE(f)                                            \
    case f:                                                \
        loop_sides(y, a, b, count, f, &p->epilogue);       \
        break;

static void combine(const gt_i_binary *p, float *y, side a, side b, int64_t count)
{
    switch (p->function) {
        CASE(GT_BINARY_ADD)
        CASE(GT_BINARY_SUB)
        CASE(GT_BINARY_MUL)
        CASE(GT_BINARY_DIV)
        CASE(GT_BINARY_MIN)
        CASE(GT_BINARY_MAX)
        CASE(GT_BINARY_POW)
        CASE(GT_BINARY_PRELU)
    }
}

/* `rows` copies of one row, by doubling what is there. */
static void repeat_row(float *to, const float *from, int64_t rows, int64_t row)
{
    size_t total = (size_t)(rows * row) * sizeof *to;
    size_t done = (size_t)row * sizeof *to;
    memcpy(to, from, done);
    while (done < total) {
        size_t more = done < total - done ? done : total - done;
        memcpy((char *)to + done, to, more);
        done += more;
    }
}

GT_I_INLINE void repeat_fixed(float *to, const float *from, int64_t rows, int64_t row, int64_t stride)
{
    for (int64_t r = 0; r < rows; r++) {
        float x = from[r * stride];
        for (int64_t i = 0; i < row; i++) {
            to[r * row + i] = x;
        }
    }
}

/* Each row is one element, repeated. */
static void repeat_elements(float *to, const float *from, int64_t rows, int64_t row, int64_t stride)
{
    switch (row) {
    case 4:
        repeat_fixed(to, from, rows, 4, stride);
        break;
    case 8:
        repeat_fixed(to, from, rows, 8, stride);
        break;
    case 16:
        repeat_fixed(to, from, rows, 16, stride);
        break;
    default:
        repeat_fixed(to, from, rows, row, stride);
        break;
    }
}

static void copy_rows(float *to, const float *from, int64_t rows, int64_t row, int64_t stride)
{
    for (int64_t r = 0; r < rows; r++) {
        memcpy(to + r * row, from + r * stride, (size_t)row * sizeof *to);
    }
}

/* The rows that stand in scratch now: expanding a per-channel operand again for every tile would double the
 * work. */
typedef struct cache {
    const float *from;
    int64_t rows;
} cache;

static side operand_at(const gt_i_binary *p, const gt_i_binary_operand *o, const float *from, int64_t rows,
                       float *scratch, cache *have)
{
    if (o->access != GT_I_EXPAND) {
        return (side){from, o->access == GT_I_SCALAR};
    }
    if (have->from == from && have->rows >= rows && o->rows == 0) {
        return (side){scratch, false};
    }
    *have = (cache){from, rows};
    if (o->row == 0) {
        repeat_elements(scratch, from, rows, p->row, o->rows);
    } else if (o->rows == 0) {
        repeat_row(scratch, from, rows, p->row);
    } else {
        copy_rows(scratch, from, rows, p->row, o->rows);
    }
    return (side){scratch, false};
}

void GT_KERNEL_FN(binary_direct_f32)(const gt_kernel *k, const gt_args *args, int phase, int64_t begin,
                                     int64_t end)
{
    const gt_i_binary *p = k->params;
    if (phase == 1) {
        gt_i_zero_padding(args->out, &p->view, begin, end);
        return;
    }
    const float *in[2] = {gt_i_input(args, p->at, 0), gt_i_input(args, p->at, 1)};
    cache have[2] = {{NULL, 0}, {NULL, 0}};
    for (int64_t task = begin; task < end; task++) {
        int64_t first = task % p->chunks * p->tile_row;
        int64_t row0 = task / p->chunks % p->tiles * p->tile_rows;
        int64_t rest = task / p->chunks / p->tiles;
        int64_t to = (rest * p->rows + row0) * p->row + first;
        int64_t rows = gt_i_min(p->tile_rows, p->rows - row0);
        int64_t count = gt_i_min(p->tile_row, p->row - first);
        int64_t from[2] = {0, 0};
        for (int d = p->n_outer - 1; d >= 0; d--) {
            from[0] += rest % p->outer[d] * p->operand[0].outer[d];
            from[1] += rest % p->outer[d] * p->operand[1].outer[d];
            rest /= p->outer[d];
        }
        side s[2];
        for (int i = 0; i < 2; i++) {
            const gt_i_binary_operand *o = &p->operand[i];
            const float *at = in[i] + from[i] + row0 * o->rows + first * o->row;
            float *scratch = (float *)args->scratch + i * p->tile_rows * p->tile_row;
            s[i] = operand_at(p, o, at, rows, scratch, &have[i]);
        }
        combine(p, (float *)args->out + to, s[0], s[1], rows * count);
    }
}
