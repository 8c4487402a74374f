/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that take tensors apart and put them together: Slice, Split, Concat, Pad, Gather. */
#include "src/import/onnx_context.h"

#include <math.h>
#include <string.h>

/* ---- Slice ---- */

typedef struct slice {
    int64_t start[GT_MAX_RANK], step[GT_MAX_RANK];
    gt_shape shape;
} slice;

static slice whole(const gt_shape *shape)
{
    slice s = {.shape = *shape};
    for (int i = 0; i < shape->rank; i++) {
        s.step[i] = 1;
    }
    return s;
}

/* A slice as a helper (k < 0) or as output k. */
static gt_status emit_slice(gt_i_value **out, gt_i_onnx *c, const gt_onnx_node *node, int k, gt_i_value *x,
                            slice *s)
{
    gt_attrs attrs = {.slice = {.start = {x->shape.rank, s->start}, .step = {x->shape.rank, s->step}}};
    gt_operand hint = {.present = true, .dtype = x->dtype, .shape = s->shape};
    if (k < 0) {
        return gt_i_onnx_emit(out, c, GT_OP_SLICE, &attrs, 1, &x, &hint);
    }
    return gt_i_onnx_emit_output(c, node, (size_t)k, GT_OP_SLICE, &attrs, 1, &x, &hint);
}

static int64_t clamp(int64_t value, int64_t lo, int64_t hi)
{
    return value < lo ? lo : value > hi ? hi : value;
}

/* numpy's rules: negative positions count from the end, and positions outside are moved to the edge. */
static void slice_axis(slice *s, int axis, int64_t start, int64_t end, int64_t step)
{
    int64_t dim = s->shape.dim[axis];
    start += start < 0 ? dim : 0;
    end += end < 0 ? dim : 0;
    int64_t count = 0;
    if (step > 0) {
        start = clamp(start, 0, dim);
        end = clamp(end, 0, dim);
        count = end > start ? (end - start - 1) / step + 1 : 0;
    } else {
        start = clamp(start, -1, dim - 1);
        end = clamp(end, -1, dim - 1);
        /* step may be the smallest number, which has no negative */
        count = start > end ? (start - end - 1) / (step < -dim ? dim : -step) + 1 : 0;
    }
    s->start[axis] = start;
    s->step[axis] = count <= 1 ? 1 : step;
    s->shape.dim[axis] = count;
}

static gt_status read_slice(slice *s, gt_i_onnx *c, const gt_onnx_node *node, const gt_i_value *x)
{
    gt_status status = GT_OK;
    gt_i_ints starts = {0};
    gt_i_ints ends = {0};
    gt_i_ints axes = {0};
    gt_i_ints steps = {0};
    bool used[GT_MAX_RANK] = {false};
    GT_TRY(gt_i_onnx_ints(&starts, c, node, "starts", 1));
    GT_TRY(gt_i_onnx_ints(&ends, c, node, "ends", 2));
    GT_TRY(gt_i_onnx_ints(&axes, c, node, "axes", 3));
    GT_TRY(gt_i_onnx_const_ints(&steps, c, node, 4, "steps"));
    GT_REQUIRE(starts.present && ends.present, GT_ERROR_FORMAT,
               "the starts (input 1) or ends (input 2) are missing");
    GT_REQUIRE(starts.count == ends.count && (!axes.present || axes.count == starts.count) &&
                   (!steps.present || steps.count == starts.count) && starts.count <= x->shape.rank,
                   GT_ERROR_SHAPE,
               "there are %lld starts, %lld ends, %lld axes and %lld steps for rank %d; they must be equally "
               "many",
               (long long)starts.count, (long long)ends.count, (long long)axes.count, (long long)steps.count,
               x->shape.rank);
    GT_TRY(gt_i_onnx_axes(used, &axes, x->shape.rank));
    *s = whole(&x->shape);
    for (int64_t i = 0; i < starts.count; i++) {
        int64_t axis = axes.present ? axes.values[i] : i;
        int64_t step = steps.present ? steps.values[i] : 1;
        axis += axis < 0 ? x->shape.rank : 0;
        GT_REQUIRE(step != 0, GT_ERROR_FORMAT, "the step of axis %lld is 0", (long long)axis);
        slice_axis(s, (int)axis, starts.values[i], ends.values[i], step);
    }
done:
    return status;
}

gt_status gt_i_onnx_slice(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    slice s;
    char text[GT_SHAPE_TEXT_BYTES];
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    GT_TRY(read_slice(&s, c, node, x));
    GT_REQUIRE(gt_i_onnx_is_const(x) || gt_shape_elems(&s.shape) > 0, GT_ERROR_UNSUPPORTED,
               "it takes nothing from '%s': the result would have shape %s", x->name,
               gt_shape_format(text, sizeof text, &s.shape));
    GT_TRY(emit_slice(&x, c, node, 0, x, &s));
done:
    return status;
}

/* ---- Split ---- */

/* How much each output takes, into an array of node->n_outputs. */
static gt_status split_sizes(int64_t *sizes, gt_i_onnx *c, const gt_onnx_node *node, int64_t dim)
{
    gt_status status = GT_OK;
    gt_i_ints list = {0};
    int64_t n = (int64_t)node->n_outputs;
    int64_t stated = n;
    int64_t sum = 0;
    GT_TRY(gt_i_onnx_ints(&list, c, node, "split", 1));
    GT_TRY(gt_i_onnx_attr_int(&stated, node, "num_outputs", n));
    GT_REQUIRE(!list.present || list.count == n, GT_ERROR_SHAPE,
               "split has %lld entries and the node %lld outputs", (long long)list.count, (long long)n);
    GT_REQUIRE(stated == n, GT_ERROR_SHAPE, "num_outputs is %lld and the node has %lld outputs",
               (long long)stated, (long long)n);
    GT_REQUIRE(list.present || c->model->opset >= 18 || dim % n == 0, GT_ERROR_SHAPE,
               "the axis is %lld long, which does not divide into %lld equal parts", (long long)dim,
               (long long)n);
    int64_t part = (dim + n - 1) / n;
    for (int64_t i = 0; i < n; i++) {
        int64_t left = dim - sum;
        sizes[i] = list.present ? list.values[i] : left < part ? left : part;
        GT_REQUIRE(sizes[i] >= 0 && sizes[i] <= dim - sum, GT_ERROR_SHAPE,
                   "part %lld takes %lld; the axis is %lld long and %lld are taken already", (long long)i,
                   (long long)sizes[i], (long long)dim, (long long)sum);
        sum += sizes[i];
    }
    GT_REQUIRE(sum == dim, GT_ERROR_SHAPE, "the parts add up to %lld; the axis is %lld long", (long long)sum,
               (long long)dim);
done:
    return status;
}

gt_status gt_i_onnx_split(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    int64_t axis = 0;
    int64_t *sizes = NULL;
    int64_t start = 0;
    GT_TRY(gt_i_onnx_attr_int(&axis, node, "axis", 0));
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    GT_TRY(gt_i_onnx_axis(&axis, x->shape.rank, "axis"));
    GT_REQUIRE(node->n_outputs > 0, GT_ERROR_FORMAT, "it has no outputs");
    GT_TRY(gt_calloc(&sizes, node->n_outputs, sizeof *sizes));
    GT_TRY(split_sizes(sizes, c, node, x->shape.dim[axis]));
    for (size_t k = 0; k < node->n_outputs; k++) {
        gt_i_value *part = NULL;
        slice s = whole(&x->shape);
        s.start[axis] = start;
        s.shape.dim[axis] = sizes[k];
        start += sizes[k];
        if (gt_i_onnx_output_is_read(c, node, k)) {
            GT_REQUIRE(sizes[k] > 0 || gt_i_onnx_is_const(x), GT_ERROR_UNSUPPORTED,
                       "output %zu, '%s', takes nothing", k, node->outputs[k]);
            GT_TRY(emit_slice(&part, c, node, (int)k, x, &s));
        }
    }
done:
    gt_free(sizes);
    return status;
}

/* ---- Concat ---- */

gt_status gt_i_onnx_concat(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value **in = NULL;
    gt_attrs attrs = {0};
    int n = 0;
    GT_TRY(gt_i_onnx_attr_int(&attrs.axis.axis, node, "axis", 1));
    GT_TRY(gt_calloc(&in, node->n_inputs, sizeof *in));
    for (size_t k = 0; k < node->n_inputs; k++) {
        GT_TRY(gt_i_onnx_input(&in[n], c, node, k, "an operand"));
        /* Shape arithmetic joins empty vectors as well; they add nothing. */
        bool empty = gt_i_onnx_is_const(in[n]) && gt_shape_elems(&in[n]->shape) == 0;
        n += !empty || (n == 0 && k + 1 == node->n_inputs);
    }
    GT_TRY(gt_i_onnx_axis(&attrs.axis.axis, in[0]->shape.rank, "axis"));
    if (n == 1) {
        GT_TRY(gt_i_onnx_bind(c, node, 0, in[0]));
    } else {
        GT_TRY(gt_i_onnx_emit_output(c, node, 0, GT_OP_CONCAT, &attrs, n, in, NULL));
    }
done:
    gt_free(in);
    return status;
}

/* ---- Pad ---- */

static gt_status read_pad_mode(int64_t *mode, const gt_onnx_node *node)
{
    const char *text = NULL;
    gt_status status = gt_i_onnx_attr_string(&text, node, "mode", "constant");
    if (status != GT_OK) {
        return status;
    }
    *mode = gt_attr_enum_find(GT_ATTR_PAD_MODE, text);
    if (*mode < 0) {
        return gt_fail(GT_ERROR_UNSUPPORTED, "mode is '%s'; constant, reflect and edge are handled", text);
    }
    return GT_OK;
}

static gt_status read_pad_value(float *value, gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *constant = NULL;
    GT_TRY(gt_i_onnx_attr_float(value, node, "value", 0));
    if (gt_i_onnx_has_input(node, 2)) {
        GT_TRY(gt_i_onnx_const_input(&constant, c, node, 2, "value"));
        if (gt_shape_elems(&constant->shape) > 0) {
            *value = (float)gt_i_onnx_get_f64(constant, 0);
        }
    }
    GT_REQUIRE(!isnan(*value), GT_ERROR_UNSUPPORTED, "the value to pad with is not a number");
done:
    return status;
}

/* Begin and end of every axis of x, from a list of those of the stated axes: all begins, then all ends. */
static gt_status read_pads(int64_t *before, int64_t *after, gt_i_onnx *c, const gt_onnx_node *node,
                           const gt_i_value *x)
{
    gt_status status = GT_OK;
    gt_i_ints pads = {0};
    gt_i_ints axes = {0};
    bool used[GT_MAX_RANK] = {false};
    int64_t rank = x->shape.rank;
    GT_TRY(gt_i_onnx_ints(&pads, c, node, c->model->opset == 1 ? "paddings" : "pads", 1));
    GT_TRY(gt_i_onnx_const_ints(&axes, c, node, 3, "axes"));
    GT_TRY(gt_i_onnx_axes(used, &axes, x->shape.rank));
    int64_t n = axes.present ? axes.count : rank;
    GT_REQUIRE(pads.present && pads.count == 2 * n, GT_ERROR_SHAPE, "there are %lld pads; %lld are needed",
               (long long)pads.count, (long long)(2 * n));
    for (int64_t i = 0; i < n; i++) {
        int64_t axis = axes.present ? axes.values[i] : i;
        axis += axis < 0 ? rank : 0;
        before[axis] = pads.values[i];
        after[axis] = pads.values[n + i];
        GT_REQUIRE(before[axis] >= -INT32_MAX && before[axis] <= INT32_MAX && after[axis] >= -INT32_MAX &&
                       after[axis] <= INT32_MAX, GT_ERROR_LIMIT, "the pads of axis %lld are %lld and %lld",
                   (long long)axis, (long long)before[axis], (long long)after[axis]);
    }
done:
    return status;
}

/* Takes away what negative pads cut off, and makes them 0. */
static gt_status crop(gt_i_value **out, gt_i_onnx *c, const gt_onnx_node *node, gt_i_value *x,
                      int64_t *before, int64_t *after)
{
    gt_status status = GT_OK;
    slice s = whole(&x->shape);
    bool cut = false;
    for (int i = 0; i < x->shape.rank; i++) {
        int64_t head = before[i] < 0 ? -before[i] : 0;
        int64_t tail = after[i] < 0 ? -after[i] : 0;
        GT_REQUIRE(head + tail < x->shape.dim[i] || head + tail == 0, GT_ERROR_SHAPE,
                   "the pads of axis %d, %lld and %lld, leave nothing of its %lld", i, (long long)before[i],
                   (long long)after[i], (long long)x->shape.dim[i]);
        s.start[i] = head;
        s.shape.dim[i] -= head + tail;
        cut = cut || head + tail > 0;
        before[i] = before[i] < 0 ? 0 : before[i];
        after[i] = after[i] < 0 ? 0 : after[i];
    }
    *out = x;
    if (cut) {
        GT_TRY(emit_slice(out, c, node, -1, x, &s));
    }
done:
    return status;
}

gt_status gt_i_onnx_pad(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    int64_t before[GT_MAX_RANK] = {0};
    int64_t after[GT_MAX_RANK] = {0};
    gt_attrs attrs = {0};
    GT_TRY(read_pad_mode(&attrs.pad.mode, node));
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    GT_TRY(read_pad_value(&attrs.pad.value, c, node));
    GT_REQUIRE(x->dtype == GT_F32 || fabsf(attrs.pad.value) <= 0x1p24f, GT_ERROR_UNSUPPORTED,
               "the integer %g to pad with is not exact as a float", (double)attrs.pad.value);
    GT_TRY(read_pads(before, after, c, node, x));
    GT_TRY(crop(&x, c, node, x, before, after));
    attrs.pad.before = (gt_int_list){x->shape.rank, before};
    attrs.pad.after = (gt_int_list){x->shape.rank, after};
    bool pads = false;
    for (int i = 0; i < x->shape.rank; i++) {
        pads = pads || before[i] > 0 || after[i] > 0;
    }
    if (pads) {
        GT_TRY(gt_i_onnx_emit_output(c, node, 0, GT_OP_PAD, &attrs, 1, &x, NULL));
    } else {
        GT_TRY(gt_i_onnx_bind(c, node, 0, x));
    }
done:
    return status;
}

/* ---- Gather ---- */

/* A copy of the indices, counted from 0 and checked against the axis. */
static gt_status take_indices(int64_t **out, const gt_i_value *indices, int64_t dim)
{
    gt_status status = GT_OK;
    int64_t *copy = NULL;
    int64_t n = gt_shape_elems(&indices->shape);
    GT_REQUIRE(indices->dtype == GT_I64, GT_ERROR_SHAPE, "the indices '%s' are %s; integers are needed",
               indices->name, gt_dtype_name(indices->dtype));
    GT_TRY(gt_calloc(&copy, (size_t)n, sizeof *copy));
    for (int64_t i = 0; i < n; i++) {
        int64_t index = ((const int64_t *)indices->data)[i];
        GT_REQUIRE(index >= -dim && index < dim, GT_ERROR_FORMAT,
                   "index %lld in '%s' is %lld; the axis is %lld long", (long long)i, indices->name,
                   (long long)index, (long long)dim);
        copy[i] = index < 0 ? index + dim : index;
    }
    *out = copy;
    copy = NULL;
done:
    gt_free(copy);
    return status;
}

/* The axis of x gives way to all dimensions of the indices. */
static gt_status gathered_shape(gt_shape *out, const gt_shape *x, int64_t axis, const gt_shape *indices)
{
    gt_shape shape = {0};
    if (x->rank - 1 + indices->rank > GT_MAX_RANK) {
        return gt_fail(GT_ERROR_UNSUPPORTED, "the result has rank %d; up to %d is handled",
                       x->rank - 1 + indices->rank, GT_MAX_RANK);
    }
    for (int i = 0; i < x->rank; i++) {
        if (i != axis) {
            shape.dim[shape.rank++] = x->dim[i];
            continue;
        }
        for (int k = 0; k < indices->rank; k++) {
            shape.dim[shape.rank++] = indices->dim[k];
        }
    }
    *out = shape;
    return GT_OK;
}

gt_status gt_i_onnx_gather(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_i_value *indices = NULL;
    gt_attrs attrs = {0};
    int64_t *copy = NULL;
    gt_shape shape;
    gt_operand flat = {.present = true};
    GT_TRY(gt_i_onnx_attr_int(&attrs.gather.axis, node, "axis", 0));
    GT_TRY(gt_i_onnx_const_input(&indices, c, node, 1, "indices"));
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    GT_TRY(gt_i_onnx_axis(&attrs.gather.axis, x->shape.rank, "axis"));
    GT_TRY(take_indices(&copy, indices, x->shape.dim[attrs.gather.axis]));
    attrs.gather.indices = (gt_int_list){gt_shape_elems(&indices->shape), copy};
    attrs.gather.scalar = indices->shape.rank == 0;
    GT_TRY(gathered_shape(&shape, &x->shape, attrs.gather.axis, &indices->shape));
    flat.dtype = x->dtype;
    flat.shape = shape;
    if (indices->shape.rank <= 1) {
        GT_TRY(gt_i_onnx_emit_output(c, node, 0, GT_OP_GATHER, &attrs, 1, &x, &flat));
    } else {
        GT_TRY(gt_i_onnx_emit_core(&x, c, GT_OP_GATHER, &attrs, 1, &x, NULL));
        GT_TRY(gt_i_onnx_reshape_output(c, node, 0, x, &shape));
    }
done:
    gt_free(copy);
    return status;
}
