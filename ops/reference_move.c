/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle's operators that only move elements, of any type. All but concat and copy are one loop:
 *   out[i0, i1, …] = in[map0[i0] + map1[i1] + …]
 * where each output axis has a table of offsets into the input, negative for "not in the input". */
#include "ops/reference_internal.h"

#include <string.h>

#define OUTSIDE INT64_MIN

typedef struct axis_maps {
    int64_t *memory;
    int64_t *map[GT_MAX_RANK];
    int64_t in_stride[GT_MAX_RANK];
} axis_maps;

static gt_status maps_create(axis_maps *m, const gt_workload *w)
{
    const gt_shape *out = &w->output.shape;
    int64_t total = 0;
    *m = (axis_maps){0};
    for (int d = 0; d < out->rank; d++) {
        total += out->dim[d];
    }
    gt_status status = gt_calloc(&m->memory, (size_t)total, sizeof *m->memory);
    if (status != GT_OK) {
        return status;
    }
    gt_i_reference_strides(m->in_stride, &w->inputs[0].shape);
    int64_t at = 0;
    for (int d = 0; d < out->rank; d++) {
        m->map[d] = m->memory + at;
        at += out->dim[d];
    }
    return GT_OK;
}

static void move_all(const gt_workload *w, const axis_maps *m, void *out, const void *in, const void *fill)
{
    const gt_shape *shape = &w->output.shape;
    size_t bytes = gt_dtype_bytes(w->output.dtype);
    int64_t count = gt_shape_elems(shape);
    int64_t index[GT_MAX_RANK] = {0};
    for (int64_t o = 0; o < count; o++) {
        int64_t at = 0;
        bool inside = true;
        for (int d = 0; d < shape->rank; d++) {
            int64_t step = m->map[d][index[d]];
            inside = inside && step != OUTSIDE;
            at += inside ? step : 0;
        }
        const char *from = inside ? (const char *)in + (size_t)at * bytes : fill;
        memcpy((char *)out + (size_t)o * bytes, from, bytes);
        gt_i_reference_next(index, shape);
    }
}

gt_status gt_i_reference_slice(const gt_workload *w, void *out, const void *const *in)
{
    axis_maps m;
    gt_status status = maps_create(&m, w);
    if (status != GT_OK) {
        return status;
    }
    for (int d = 0; d < w->output.shape.rank; d++) {
        int64_t start = w->attrs.slice.start.values[d];
        int64_t step = w->attrs.slice.step.values[d];
        for (int64_t i = 0; i < w->output.shape.dim[d]; i++) {
            m.map[d][i] = (start + i * step) * m.in_stride[d];
        }
    }
    move_all(w, &m, out, in[0], NULL);
    gt_free(m.memory);
    return GT_OK;
}

/* The source position of position i relative to the first element; reflection does not repeat the border. */
static int64_t pad_source(gt_pad_mode mode, int64_t i, int64_t size)
{
    if (i >= 0 && i < size) {
        return i;
    }
    if (mode == GT_PAD_EDGE) {
        return i < 0 ? 0 : size - 1;
    }
    if (mode == GT_PAD_CONSTANT) {
        return OUTSIDE;
    }
    if (size == 1) {
        return 0;
    }
    int64_t period = 2 * (size - 1);
    int64_t folded = (i % period + period) % period;
    return folded < size ? folded : period - folded;
}

gt_status gt_i_reference_pad(const gt_workload *w, void *out, const void *const *in)
{
    axis_maps m;
    float value = w->attrs.pad.value;
    int64_t value_i64 = (int64_t)value;
    uint8_t value_bool = value != 0;
    const void *fill = w->output.dtype == GT_F32 ? (const void *)&value
                       : w->output.dtype == GT_I64 ? (const void *)&value_i64 : &value_bool;
    gt_status status = maps_create(&m, w);
    if (status != GT_OK) {
        return status;
    }
    for (int d = 0; d < w->output.shape.rank; d++) {
        for (int64_t i = 0; i < w->output.shape.dim[d]; i++) {
            int64_t at = pad_source((gt_pad_mode)w->attrs.pad.mode, i - w->attrs.pad.before.values[d],
                                    w->inputs[0].shape.dim[d]);
            m.map[d][i] = at == OUTSIDE ? OUTSIDE : at * m.in_stride[d];
        }
    }
    move_all(w, &m, out, in[0], fill);
    gt_free(m.memory);
    return GT_OK;
}

gt_status gt_i_reference_transpose(const gt_workload *w, void *out, const void *const *in)
{
    axis_maps m;
    gt_status status = maps_create(&m, w);
    if (status != GT_OK) {
        return status;
    }
    for (int d = 0; d < w->output.shape.rank; d++) {
        for (int64_t i = 0; i < w->output.shape.dim[d]; i++) {
            m.map[d][i] = i * m.in_stride[w->attrs.transpose.perm.values[d]];
        }
    }
    move_all(w, &m, out, in[0], NULL);
    gt_free(m.memory);
    return GT_OK;
}

gt_status gt_i_reference_gather(const gt_workload *w, void *out, const void *const *in)
{
    axis_maps m;
    const int64_t *indices = w->attrs.gather.indices.values;
    const int64_t *dim = w->inputs[0].shape.dim;
    int axis = (int)w->attrs.gather.axis;
    gt_status status = maps_create(&m, w);
    if (status != GT_OK) {
        return status;
    }
    const char *x = in[0];
    for (int d = 0; d < w->output.shape.rank; d++) {
        int from = d + (w->attrs.gather.scalar && d >= axis);
        for (int64_t i = 0; i < w->output.shape.dim[d]; i++) {
            int64_t at = from != axis ? i : indices[i] < 0 ? indices[i] + dim[axis] : indices[i];
            m.map[d][i] = at * m.in_stride[from];
        }
    }
    if (w->attrs.gather.scalar) {
        int64_t at = indices[0] < 0 ? indices[0] + dim[axis] : indices[0];
        x += (size_t)(at * m.in_stride[axis]) * gt_dtype_bytes(w->output.dtype);
    }
    move_all(w, &m, out, x, NULL);
    gt_free(m.memory);
    return GT_OK;
}

gt_status gt_i_reference_tile(const gt_workload *w, void *out, const void *const *in)
{
    axis_maps m;
    gt_status status = maps_create(&m, w);
    if (status != GT_OK) {
        return status;
    }
    for (int d = 0; d < w->output.shape.rank; d++) {
        for (int64_t i = 0; i < w->output.shape.dim[d]; i++) {
            m.map[d][i] = i % w->inputs[0].shape.dim[d] * m.in_stride[d];
        }
    }
    move_all(w, &m, out, in[0], NULL);
    gt_free(m.memory);
    return GT_OK;
}

gt_status gt_i_reference_concat(const gt_workload *w, void *out, const void *const *in)
{
    int axis = (int)w->attrs.axis.axis;
    size_t bytes = gt_dtype_bytes(w->output.dtype);
    int64_t outer = 1;
    for (int d = 0; d < axis; d++) {
        outer *= w->output.shape.dim[d];
    }
    char *to = out;
    for (int64_t o = 0; o < outer; o++) {
        for (int i = 0; i < w->n_inputs; i++) {
            size_t run = (size_t)(gt_shape_elems(&w->inputs[i].shape) / outer) * bytes;
            memcpy(to, (const char *)in[i] + (size_t)o * run, run);
            to += run;
        }
    }
    return GT_OK;
}

gt_status gt_i_reference_copy(const gt_workload *w, void *out, const void *const *in)
{
    size_t bytes = (size_t)gt_shape_elems(&w->output.shape) * gt_dtype_bytes(w->output.dtype);
    if (bytes > 0) {
        memcpy(out, in[0], bytes);
    }
    return GT_OK;
}
