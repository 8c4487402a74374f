/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/general_common_move.h"
#include "ops/general_common_simd.h"
#include "ops/kernels.h"

/* ---- rows of single elements (C order), of 1, 4 or 8 bytes ---- */

#define ELEMENTS(type)                                                                                      \
    static void strided_##type(type *to, const type *from, int64_t count, int64_t step)                     \
    {                                                                                                       \
        for (int64_t i = 0; i < count; i++) {                                                               \
            to[i] = from[i * step];                                                                         \
        }                                                                                                   \
    }                                                                                                       \
    static void table_##type(type *to, const type *from, int64_t count, const int32_t *table,               \
                             const type *fill)                                                              \
    {                                                                                                       \
        for (int64_t i = 0; i < count; i++) {                                                               \
            to[i] = *(table[i] < 0 ? fill : from + table[i]);                                               \
        }                                                                                                   \
    }
ELEMENTS(uint8_t)
ELEMENTS(uint32_t)
ELEMENTS(uint64_t)

static void copy_elements(void *to, const void *from, int64_t count, int64_t step, int bytes)
{
    if (step == 1) {
        memcpy(to, from, (size_t)(count * bytes));
    } else if (bytes == 4) {
        strided_uint32_t(to, from, count, step);
    } else if (bytes == 8) {
        strided_uint64_t(to, from, count, step);
    } else {
        strided_uint8_t(to, from, count, step);
    }
}

static void copy_by_table(const gt_i_move *m, void *to, const void *from)
{
    const void *fill = &m->fill;
    if (m->bytes == 4) {
        table_uint32_t(to, from, m->out.w, m->w_table, fill);
    } else if (m->bytes == 8) {
        table_uint64_t(to, from, m->out.w, m->w_table, fill);
    } else {
        table_uint8_t(to, from, m->out.w, m->w_table, fill);
    }
}

/* The usual factor 2 is a vector loop. */
static void repeat_floats(float *restrict to, const float *restrict from, int64_t count, int64_t repeat)
{
    if (repeat == 2) {
        for (int64_t i = 0; i < count; i++) {
            to[2 * i] = from[i];
            to[2 * i + 1] = from[i];
        }
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j < repeat; j++) {
            to[i * repeat + j] = from[i];
        }
    }
}

static void row_of_elements(const gt_i_move *m, char *to, const char *from)
{
    if (from == NULL) {
        copy_elements(to, &m->fill, m->out.w, 0, m->bytes);
        return;
    }
    if (m->repeat > 0 && m->bytes == 4) {
        repeat_floats((float *)to, (const float *)from, m->out.w / m->repeat, m->repeat);
        return;
    }
    if (m->w_table != NULL) {
        copy_by_table(m, to, from);
        return;
    }
    for (int64_t i = 0; i < m->n_runs; i++) {
        const gt_i_run *r = &m->runs[i];
        bool fill = r->from < 0;
        const void *source = fill ? (const void *)&m->fill : from + r->from * m->bytes;
        copy_elements(to + r->to * m->bytes, source, r->count, fill ? 0 : r->step, m->bytes);
    }
}

/* ---- rows of pixels ---- */

static void fill_pixels(float *to, int64_t pixels, int64_t to_step, int64_t lanes, float value)
{
    for (int64_t i = 0; i < pixels; i++) {
        for (int64_t l = 0; l < lanes; l++) {
            to[i * to_step + l] = value;
        }
    }
}

static float fill_value(const gt_i_move *m)
{
    float value;
    memcpy(&value, &m->fill, sizeof value);
    return value;
}

GT_I_INLINE void table_fixed(const gt_i_move *m, float *to, const float *from, int64_t lanes, float value)
{
    for (int64_t q = 0; q < m->out.w; q++) {
        int32_t at = m->w_table[q];
        if (at >= 0) {
            memcpy(to + q * m->out.l, from + at, (size_t)lanes * sizeof *to);
        } else {
            fill_pixels(to + q * m->out.l, 1, m->out.l, lanes, value);
        }
    }
}

static void row_by_table(const gt_i_move *m, float *to, const float *from, int64_t lanes, float value)
{
    switch (lanes) {
    case 4:
        table_fixed(m, to, from, 4, value);
        break;
    case 8:
        table_fixed(m, to, from, 8, value);
        break;
    case 16:
        table_fixed(m, to, from, 16, value);
        break;
    default:
        table_fixed(m, to, from, lanes, value);
        break;
    }
}

/* `lanes` lanes of a whole row; from NULL means `value`. */
static void row_of_lanes(const gt_i_move *m, float *to, const float *from, int64_t lanes, float value)
{
    if (from == NULL) {
        fill_pixels(to, m->out.w, m->out.l, lanes, value);
        return;
    }
    if (m->w_table != NULL) {
        row_by_table(m, to, from, lanes, value);
        return;
    }
    for (int64_t i = 0; i < m->n_runs; i++) {
        const gt_i_run *r = &m->runs[i];
        if (r->from < 0) {
            fill_pixels(to + r->to * m->out.l, r->count, m->out.l, lanes, value);
        } else {
            gt_i_copy_pixels(to + r->to * m->out.l, from + r->from, r->count, m->out.l, r->step, lanes);
        }
    }
}

/* One pixel at a time through the lane runs: channels last with a map along the channels. */
static void row_of_mapped_pixels(const gt_i_move *m, float *to, const float *from)
{
    float value = fill_value(m);
    for (int64_t i = 0; i < m->n_lane_runs; i++) {
        const gt_i_run *r = &m->lane_runs[i];
        if (from == NULL || r->from < 0) {
            row_of_lanes(m, to + r->to, NULL, r->count, value);
        } else if (r->step == 1) {
            row_of_lanes(m, to + r->to, from + r->from, r->count, value);
        } else {
            for (int64_t l = 0; l < r->count; l++) {
                row_of_lanes(m, to + r->to + l, from + r->from + l * r->step, 1, value);
            }
        }
    }
}

/* ---- rows of blocks ---- */

typedef struct row_place {
    int64_t n, h; /* row of the output */
    bool fill;
} row_place;

static const float *source_of(const gt_i_move *m, const gt_args *a, row_place at, int64_t lane)
{
    int64_t input = m->c_input[lane];
    const float *from = gt_i_input(a, m->at, input);
    return from + m->n_index[at.n] * m->n_stride[input] + m->c_offset[lane] + m->h_offset[at.h];
}

/* How many lanes from `lane` on lie next to each other in the same input (or are all fill, or all
 * padding). */
static int64_t run_of_lanes(const gt_i_move *m, int64_t lane, int64_t end)
{
    int64_t first = m->c_offset[lane];
    int64_t next = lane + 1;
    while (next < end && m->c_input[next] == m->c_input[lane] &&
           m->c_offset[next] == (first < 0 ? first : first + (next - lane))) {
        next++;
    }
    return next - lane;
}

static void row_of_blocks(const gt_i_move *m, const gt_args *a, float *to, row_place at, int64_t g)
{
    int64_t block = m->out.l;
    int64_t first = g * block;
    if (m->whole[g] && !at.fill && m->n_runs == 1 && m->runs[0].from >= 0) {
        row_of_lanes(m, to, source_of(m, a, at, first), block, 0);
        return;
    }
    for (int64_t l = 0; l < block;) {
        int64_t lanes = run_of_lanes(m, first + l, first + block);
        int64_t offset = m->c_offset[first + l];
        float value = offset == GT_I_PADDING ? 0 : fill_value(m);
        const float *from = offset < 0 || at.fill ? NULL : source_of(m, a, at, first + l);
        row_of_lanes(m, to + l, from, lanes, value);
        l += lanes;
    }
}

void GT_KERNEL_FN(move_rows)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    const gt_i_move *m = k->params;
    int64_t row_bytes = m->out.w * m->out.l * m->bytes;
    (void)phase;
    for (int64_t row = begin; row < end; row++) {
        int64_t g = row / m->out.h % m->out.g;
        row_place at = {row / m->out.h / m->out.g, row % m->out.h, false};
        at.fill = m->n_index[at.n] < 0 || m->h_offset[at.h] < 0;
        char *to = (char *)a->out + row * row_bytes;
        /* The row above may be the same one, and this call's own work: then it is warm. */
        if (row > begin && at.h > 0 && m->h_offset[at.h] == m->h_offset[at.h - 1]) {
            memcpy(to, to - row_bytes, (size_t)row_bytes);
            continue;
        }
        if (m->blocked) {
            row_of_blocks(m, a, (float *)to, at, g);
            continue;
        }
        int64_t in_row = at.fill ? 0 : m->n_index[at.n] * m->n_stride[0] + m->h_offset[at.h];
        const char *from = gt_i_input(a, m->at, 0);
        if (m->out.l > 1) {
            const float *source = at.fill ? NULL : (const float *)from + in_row;
            row_of_mapped_pixels(m, (float *)to, source);
        } else {
            bool fill = at.fill || m->c_offset[g] < 0;
            row_of_elements(m, to, fill ? NULL : from + (in_row + m->c_offset[g]) * m->bytes);
        }
    }
}
