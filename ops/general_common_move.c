/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/general_common_move.h"
#include "ops/kernels.h"

void gt_i_c_strides(int64_t stride[GT_MAX_RANK], const gt_shape *shape)
{
    int64_t step = 1;
    for (int d = shape->rank - 1; d >= 0; d--) {
        stride[d] = step;
        step *= shape->dim[d];
    }
}

gt_status gt_i_move_spec_create(gt_i_move_spec *spec, const gt_kernel *kernel, const gt_shape *out)
{
    const gt_workload *w = kernel->workload;
    *spec = (gt_i_move_spec){
        .in = gt_i_view_of(kernel->in, &w->inputs[0].shape),
        .out = gt_i_view_of(kernel->out, out),
        .n_inputs = 1,
        .stride = {1, 1, 1, 1},
        .dtype = w->output.dtype,
        .blocked = gt_layout_is_blocked(kernel->out),
    };
    int64_t count[4] = {spec->out.n, spec->out.c, spec->out.h, spec->out.w};
    int64_t *memory = NULL;
    gt_status status = gt_calloc(&memory, (size_t)(count[0] + count[1] + count[2] + count[3]),
                                 sizeof *memory);
    if (status != GT_OK) {
        return status;
    }
    for (int d = 0; d < 4; d++) {
        spec->map[d] = memory;
        memory += count[d];
    }
    return GT_OK;
}

void gt_i_move_spec_clear(gt_i_move_spec *spec)
{
    gt_free(spec->map[0]);
}

void gt_i_move_set_axis(gt_i_move_spec *spec, const gt_shape *out, int axis, const int64_t *index,
                        int64_t stride)
{
    int at = axis + 4 - out->rank;
    if (out->rank <= 4) {
        memcpy(spec->map[at], index, (size_t)out->dim[axis] * sizeof *index);
        spec->stride[at] = stride;
        return;
    }
    if (at > 0) {
        memcpy(spec->map[at], index, (size_t)out->dim[axis] * sizeof *index);
        spec->stride[at] = stride;
        return;
    }
    int64_t inner = 1;
    for (int d = axis + 1; d < out->rank - 3; d++) {
        inner *= out->dim[d];
    }
    for (int64_t i = 0; i < spec->out.n; i++) {
        int64_t from = index[i / inner % out->dim[axis]];
        int64_t *to = &spec->map[0][i];
        *to = *to == GT_I_FILL || from == GT_I_FILL ? GT_I_FILL : *to + from * stride;
    }
}

/* Splits a map into arithmetic runs. Returns how many; writes them where `runs` is not NULL. */
static int64_t find_runs(gt_i_run *runs, const int64_t *map, int64_t count, int64_t unit)
{
    int64_t n = 0;
    for (int64_t i = 0; i < count;) {
        bool fill = map[i] == GT_I_FILL;
        int64_t step = i + 1 < count && !fill && map[i + 1] != GT_I_FILL ? map[i + 1] - map[i] : 1;
        int64_t end = i + 1;
        while (end < count && (fill ? map[end] == GT_I_FILL
                                    : map[end] != GT_I_FILL && map[end] - map[end - 1] == step)) {
            end++;
        }
        if (runs != NULL) {
            runs[n] = (gt_i_run){i, fill ? GT_I_FILL : map[i] * unit, end - i, step * unit};
        }
        n++;
        i = end;
    }
    return n;
}

/* What is decided before the params block is laid out. */
typedef struct shape_plan {
    gt_i_view out;
    const int64_t *map_h, *map_w;
    int64_t h_stride, w_stride; /* of the input, in elements */
    int64_t n_runs, n_lane_runs;
    bool table;
    int64_t repeat;
    int64_t first_row;
} shape_plan;

static bool consecutive(const int64_t *map, int64_t count, int64_t first)
{
    for (int64_t i = 0; i < count; i++) {
        if (map[i] != first + i) {
            return false;
        }
    }
    return true;
}

/* Rows that follow each other in both tensors become one long row, where enough of those remain
 * to share out. */
static bool rows_merge(const gt_i_move_spec *s, const shape_plan *p)
{
    const gt_i_view *o = &s->out;
    return o->h > 1 && p->h_stride == o->w * p->w_stride && s->map[2][0] >= 0 &&
           consecutive(s->map[2], o->h, s->map[2][0]) && consecutive(s->map[3], o->w, 0) &&
           (o->n * o->g >= 4 || gt_i_view_elems(o) < 16384);
}

/* How often a row repeats its elements, if it does nothing else. */
static int64_t repeat_of(const int64_t *map, int64_t count, int64_t stride)
{
    int64_t repeat = 1;
    while (repeat < count && map[repeat] == 0) {
        repeat++;
    }
    for (int64_t i = 0; i < count; i++) {
        if (map[i] != i / repeat) {
            return 0;
        }
    }
    return repeat > 1 && stride == 1 && count % repeat == 0 ? repeat : 0;
}

static void plan_shape(shape_plan *p, const gt_i_move_spec *s)
{
    bool lanes = s->in.l > 1 || s->out.l > 1;
    *p = (shape_plan){.out = s->out, .map_h = s->map[2], .map_w = s->map[3]};
    p->w_stride = lanes ? s->in.l : s->stride[3];
    p->h_stride = lanes ? s->in.w * s->in.l : s->stride[2];
    if (rows_merge(s, p)) {
        p->out.w = s->out.h * s->out.w;
        p->out.h = 1;
        p->first_row = s->map[2][0];
        p->n_runs = 1;
        return;
    }
    p->first_row = GT_I_FILL;
    p->n_runs = find_runs(NULL, s->map[3], s->out.w, 1);
    bool fits = s->in.w * (p->w_stride > 0 ? p->w_stride : 1) < INT32_MAX;
    p->table = fits && p->n_runs > 2 && p->out.w < 8 * p->n_runs;
    p->repeat = lanes ? 0 : repeat_of(s->map[3], s->out.w, p->w_stride);
}

/* Takes `count` elements of `size` bytes from the params block; with a NULL block only counts. */
static void *take(char *block, size_t *used, int64_t count, size_t size)
{
    void *at = block != NULL ? block + *used : NULL;
    *used += ((size_t)count * size + 7) / 8 * 8;
    return at;
}

typedef struct arrays {
    int64_t *n_index, *h_offset, *c_offset, *n_stride, *at;
    int32_t *c_input, *w_table;
    bool *whole;
    gt_i_run *runs, *lane_runs;
} arrays;

static void take_all(arrays *a, char *block, size_t *used, const gt_i_move_spec *s, const shape_plan *p)
{
    int64_t lanes = p->out.g * p->out.l;
    *used = sizeof(gt_i_move);
    a->n_index = take(block, used, p->out.n, sizeof(int64_t));
    a->h_offset = take(block, used, p->out.h, sizeof(int64_t));
    a->c_offset = take(block, used, lanes, sizeof(int64_t));
    a->n_stride = take(block, used, s->n_inputs, sizeof(int64_t));
    a->at = take(block, used, s->n_inputs, sizeof(int64_t));
    a->runs = take(block, used, p->n_runs, sizeof(gt_i_run));
    a->lane_runs = take(block, used, p->n_lane_runs, sizeof(gt_i_run));
    a->c_input = take(block, used, lanes, sizeof(int32_t));
    a->w_table = take(block, used, p->table ? p->out.w : 0, sizeof(int32_t));
    a->whole = take(block, used, p->out.g, sizeof(bool));
}

static int64_t channel_offset(const gt_i_move_spec *s, int64_t c)
{
    if (s->in.l == 1 && s->out.l == 1) {
        return c * s->stride[1];
    }
    return c / s->in.l * s->in.h * s->in.w * s->in.l + c % s->in.l;
}

static int64_t channels_of(const gt_i_move_spec *s, int64_t input)
{
    return s->channels != NULL ? s->channels[input] : s->in.c;
}

static void fill_channels(arrays *a, const gt_i_move_spec *s, const gt_i_view *o)
{
    for (int64_t i = 0; i < o->g * o->l; i++) {
        bool padding = i >= o->c;
        int64_t c = padding ? GT_I_PADDING : s->map[1][i];
        a->c_offset[i] = c < 0 ? c : channel_offset(s, c);
        a->c_input[i] = padding || s->input == NULL ? 0 : s->input[i];
    }
}

/* Whether output group g is a copy of one input group: the same lanes, and zeros behind the last channel. */
static bool is_whole(const gt_i_move_spec *s, const arrays *a, const gt_i_view *o, int64_t g)
{
    const int64_t *offset = a->c_offset + g * o->l;
    const int32_t *input = a->c_input + g * o->l;
    int64_t valid = gt_i_view_lanes(o, g);
    int64_t first = s->map[1][g * o->l];
    if (o->l == 1 || s->in.l != o->l || first < 0 || first % s->in.l != 0) {
        return false;
    }
    for (int64_t l = 0; l < valid; l++) {
        if (offset[l] != offset[0] + l || input[l] != input[0]) {
            return false;
        }
    }
    return valid == o->l || channels_of(s, input[0]) - first == valid;
}

static void fill_arrays(gt_i_move *m, arrays *a, const gt_i_move_spec *s, const shape_plan *p)
{
    memcpy(a->n_index, s->map[0], (size_t)p->out.n * sizeof *a->n_index);
    for (int64_t i = 0; i < s->n_inputs; i++) {
        int64_t groups = gt_i_ceil_div(channels_of(s, i), s->in.l);
        bool lanes = s->in.l > 1 || s->out.l > 1;
        a->n_stride[i] = lanes ? groups * s->in.h * s->in.w * s->in.l : s->stride[0];
    }
    fill_channels(a, s, &p->out);
    for (int64_t g = 0; g < p->out.g; g++) {
        a->whole[g] = is_whole(s, a, &p->out, g);
    }
    if (p->first_row != GT_I_FILL) {
        a->h_offset[0] = p->first_row * p->h_stride;
        a->runs[0] = (gt_i_run){0, 0, p->out.w, p->w_stride};
    } else {
        for (int64_t h = 0; h < p->out.h; h++) {
            a->h_offset[h] = p->map_h[h] == GT_I_FILL ? GT_I_FILL : p->map_h[h] * p->h_stride;
        }
        find_runs(a->runs, p->map_w, p->out.w, p->w_stride);
    }
    for (int64_t i = 0; p->table && i < p->out.w; i++) {
        a->w_table[i] = p->map_w[i] == GT_I_FILL ? GT_I_FILL : (int32_t)(p->map_w[i] * p->w_stride);
    }
    if (p->n_lane_runs > 0) {
        find_runs(a->lane_runs, s->map[1], s->out.c, 1);
    }
    m->n_index = a->n_index;
    m->h_offset = a->h_offset;
    m->c_offset = a->c_offset;
    m->c_input = a->c_input;
    m->whole = a->whole;
    m->runs = a->runs;
    m->lane_runs = a->lane_runs;
    m->w_table = p->table ? a->w_table : NULL;
    m->n_stride = a->n_stride;
    m->at = a->at;
}

static void set_fill(gt_i_move *m, const gt_i_move_spec *s)
{
    int64_t whole = (int64_t)s->fill;
    uint8_t truth = s->fill != 0;
    const void *bits = s->dtype == GT_F32 ? (const void *)&s->fill
                       : s->dtype == GT_I64 ? (const void *)&whole : (const void *)&truth;
    m->bytes = (int)gt_dtype_bytes(s->dtype);
    memcpy(&m->fill, bits, (size_t)m->bytes);
}

gt_status gt_i_move_prepare(gt_kernel *kernel, const gt_i_move_spec *spec, const void *const *consts,
                            gt_isa isa)
{
    gt_status status = GT_OK;
    shape_plan plan;
    arrays a;
    size_t bytes = 0;
    plan_shape(&plan, spec);
    plan.n_lane_runs = !spec->blocked && plan.out.l > 1 ? find_runs(NULL, spec->map[1], spec->out.c, 1) : 0;
    take_all(&a, NULL, &bytes, spec, &plan);
    GT_TRY(gt_calloc(&kernel->params, 1, bytes));
    gt_i_move *m = kernel->params;
    take_all(&a, kernel->params, &bytes, spec, &plan);
    m->out = plan.out;
    m->blocked = spec->blocked;
    m->n_runs = plan.n_runs;
    m->n_lane_runs = plan.n_lane_runs;
    m->repeat = plan.repeat;
    set_fill(m, spec);
    fill_arrays(m, &a, spec, &plan);
    kernel->tasks[0] = plan.out.n * plan.out.g * plan.out.h;
    kernel->run = gt_i_kernel(GT_K_move_rows, isa);
    GT_TRY(gt_i_pack_inputs(kernel, consts, a.at));
done:
    return status;
}

bool gt_i_move_supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    bool image = w->inputs[0].shape.rank == 4 && w->output.shape.rank == 4 && w->output.dtype == GT_F32;
    return in == out && (in == GT_NCHW || image);
}

gt_status gt_i_move_prepare_axes(gt_kernel *kernel, gt_i_source_fn source, const gt_shape *out,
                                 const int64_t *perm,
                                 float fill, const void *const *consts, gt_isa isa)
{
    gt_status status = GT_OK;
    const gt_workload *w = kernel->workload;
    int64_t stride[GT_MAX_RANK] = {0};
    int64_t *index = NULL;
    gt_i_move_spec spec = {0};
    gt_i_c_strides(stride, &w->inputs[0].shape);
    GT_TRY(gt_i_move_spec_create(&spec, kernel, out));
    spec.fill = fill;
    for (int d = 0; d < out->rank; d++) {
        gt_free(index);
        index = NULL;
        GT_TRY(gt_calloc(&index, (size_t)out->dim[d], sizeof *index));
        for (int64_t i = 0; i < out->dim[d]; i++) {
            index[i] = source(w, d, i);
        }
        gt_i_move_set_axis(&spec, out, d, index, stride[perm != NULL ? perm[d] : d]);
    }
    GT_TRY(gt_i_move_prepare(kernel, &spec, consts, isa));
done:
    gt_free(index);
    gt_i_move_spec_clear(&spec);
    return status;
}
