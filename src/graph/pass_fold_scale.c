/* SPDX-License-Identifier: Apache-2.0 */
/* Constant scales and shifts into the weights of their neighbours. */
#include "src/graph/pass_affine.h"

#include <math.h>

static bool has_weights(const gt_op *op)
{
    return op->kind == GT_OP_CONV2D || op->kind == GT_OP_CONV_TRANSPOSE2D || op->kind == GT_OP_DENSE;
}

/* The axis of the output channels of an op with weights. */
static int channel_axis(const gt_rewriter *rw, const gt_op *op)
{
    return op->kind == GT_OP_DENSE ? gt_i_tensor(rw, op->output)->shape.rank - 1 : 1;
}

/* Which output channel the weight at flat index i belongs to. */
static int64_t out_channel(const gt_op *op, const gt_shape *w, int64_t i)
{
    if (op->kind != GT_OP_CONV_TRANSPOSE2D) {
        return i / (gt_shape_elems(w) / w->dim[0]);
    }
    int64_t window = w->dim[2] * w->dim[3];
    int64_t row = i / (window * w->dim[1]);
    int64_t group = row / (w->dim[0] / op->attrs.conv.groups);
    return group * w->dim[1] + i / window % w->dim[1];
}

/* Which input channel the weight at flat index i of a conv2d or dense is multiplied with; a dense op that
 * flattens x sees each channel `inner` times. */
static int64_t in_channel(const gt_op *op, const gt_shape *w, int64_t i, int64_t inner)
{
    if (op->kind == GT_OP_DENSE) {
        return i % w->dim[1] / inner;
    }
    int64_t window = w->dim[2] * w->dim[3];
    int64_t group = i / (window * w->dim[1]) / (w->dim[0] / op->attrs.conv.groups);
    return group * w->dim[1] + i / window % w->dim[1];
}

static bool finite_floats(const float *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

/* New weights and bias for an op with weights; *bias stays NULL where none is needed. */
typedef struct folded {
    float *weight, *bias;
    bool usable; /* no overflow */
} folded;

static gt_status start_fold(folded *f, const gt_rewriter *rw, const gt_op *op, int64_t channels, bool with_bias)
{
    gt_status status = GT_OK;
    size_t weights = (size_t)gt_shape_elems(&gt_i_tensor(rw, op->inputs[1])->shape);
    GT_TRY(gt_alloc_aligned(&f->weight, weights * sizeof *f->weight));
    if (with_bias) {
        GT_TRY(gt_alloc_aligned(&f->bias, (size_t)channels * sizeof *f->bias));
    }
done:
    return status;
}

/* Puts the new constants in place (they are taken over). */
static gt_status place_fold(gt_rewriter *rw, int op, folded *f, int64_t channels)
{
    gt_status status = GT_OK;
    gt_graph *g = rw->graph;
    int tensor = 0;
    float *data = f->weight;
    const gt_shape shape = g->tensors[g->ops[op].inputs[1]].shape;
    f->weight = NULL;
    GT_TRY(gt_i_new_const(rw, &tensor, g->tensors[g->ops[op].inputs[1]].name, GT_F32, &shape, data));
    GT_TRY(gt_i_set_input(rw, op, 1, tensor));
    if (f->bias != NULL) {
        int old = g->ops[op].inputs[2];
        gt_text name = {0};
        data = f->bias;
        f->bias = NULL;
        status = old >= 0 ? gt_text_append(&name, "%s", g->tensors[old].name)
                          : gt_text_append(&name, "%s.bias", g->ops[op].name);
        if (status == GT_OK) {
            status = gt_i_new_const(rw, &tensor, name.data, GT_F32, &(gt_shape){.rank = 1, .dim = {channels}}, data);
        } else {
            gt_free(data);
        }
        gt_text_destroy(&name);
        GT_TRY(status);
        GT_TRY(gt_i_set_input(rw, op, 2, tensor));
    }
done:
    return status;
}

static void free_fold(folded *f)
{
    gt_free(f->weight);
    gt_free(f->bias);
    *f = (folded){0};
}

/* weight * scale and bias * scale + shift, per output channel. */
static gt_status fold_outputs(folded *f, const gt_rewriter *rw, const gt_op *op, const gt_affine *a)
{
    gt_status status = GT_OK;
    const gt_shape *shape = &gt_i_tensor(rw, op->inputs[1])->shape;
    const float *weight = gt_i_floats(rw, op->inputs[1]);
    const float *bias = gt_i_floats(rw, op->inputs[2]);
    int64_t count = gt_shape_elems(shape);
    GT_TRY(start_fold(f, rw, op, a->n, bias != NULL || !gt_i_affine_only_scales(a)));
    for (int64_t i = 0; i < count; i++) {
        f->weight[i] = (float)((double)weight[i] * a->scale[out_channel(op, shape, i)]);
    }
    for (int64_t k = 0; k < a->n && f->bias != NULL; k++) {
        f->bias[k] = (float)((bias != NULL ? (double)bias[k] : 0) * a->scale[k] + a->shift[k]);
    }
    f->usable = finite_floats(f->weight, count) && (f->bias == NULL || finite_floats(f->bias, a->n));
done:
    return status;
}

/* conv -> scale: into the conv. */
static gt_status fold_back(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    gt_affine a = {0};
    folded f = {0};
    bool ok = false;
    int x = gt_i_affine_input(rw, op);
    int before = gt_i_producer(rw, x);
    if (before < 0 || !has_weights(&rw->graph->ops[before]) || !gt_i_single_use(rw, x)) {
        return GT_OK;
    }
    const gt_op *target = &rw->graph->ops[before];
    if (target->epilogue.act != GT_FN_NONE || target->epilogue.residual != GT_RESIDUAL_NONE) {
        return GT_OK;
    }
    GT_TRY(gt_i_affine_read(&a, &ok, rw, op, channel_axis(rw, target)));
    if (!ok) {
        goto done;
    }
    GT_TRY(fold_outputs(&f, rw, target, &a));
    if (f.usable) {
        GT_TRY(place_fold(rw, before, &f, a.n));
        rw->graph->ops[before].epilogue = rw->graph->ops[op].epilogue;
        GT_TRY(gt_i_absorb(rw, before, op));
    }
done:
    free_fold(&f);
    gt_free(a.scale);
    return status;
}

/* weight * scale[c] and bias + sum over weights of weight * shift[c], per input channel. */
static gt_status fold_inputs(folded *f, const gt_rewriter *rw, const gt_op *op, const gt_affine *a)
{
    gt_status status = GT_OK;
    double *sum = NULL;
    const gt_shape *shape = &gt_i_tensor(rw, op->inputs[1])->shape;
    const float *weight = gt_i_floats(rw, op->inputs[1]);
    const float *bias = gt_i_floats(rw, op->inputs[2]);
    int64_t count = gt_shape_elems(shape);
    int64_t inner = op->kind == GT_OP_DENSE ? shape->dim[1] / a->n : 1;
    GT_TRY(gt_calloc(&sum, (size_t)shape->dim[0], sizeof *sum));
    GT_TRY(start_fold(f, rw, op, shape->dim[0], bias != NULL || !gt_i_affine_only_scales(a)));
    for (int64_t i = 0; i < count; i++) {
        int64_t c = in_channel(op, shape, i, inner);
        f->weight[i] = (float)((double)weight[i] * a->scale[c]);
        sum[i / (count / shape->dim[0])] += (double)weight[i] * a->shift[c];
    }
    for (int64_t k = 0; k < shape->dim[0] && f->bias != NULL; k++) {
        f->bias[k] = (float)((bias != NULL ? (double)bias[k] : 0) + sum[k]);
    }
    f->usable = finite_floats(f->weight, count) && (f->bias == NULL || finite_floats(f->bias, shape->dim[0]));
done:
    gt_free(sum);
    return status;
}

/* A shift cannot pass zero padding: the padding would have to be shifted as well. */
static bool takes_shift(const gt_op *op)
{
    const int64_t *pad = op->attrs.conv.pad;
    return op->kind == GT_OP_DENSE || (pad[0] == 0 && pad[1] == 0 && pad[2] == 0 && pad[3] == 0);
}

/* scale -> conv2d or flattening dense: into that op's weights. */
static gt_status fold_forward(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    gt_affine a = {0};
    folded f = {0};
    bool ok = false;
    int *readers = NULL;
    int count = 0;
    int y = rw->graph->ops[op].output;
    if (gt_i_affine_input(rw, op) < 0 || rw->graph->ops[op].epilogue.act != GT_FN_NONE || !gt_i_single_use(rw, y)) {
        return GT_OK;
    }
    GT_TRY(gt_i_readers(&readers, &count, rw, y));
    const gt_op *next = count == 1 ? &rw->graph->ops[readers[0]] : NULL;
    if (next == NULL || next->inputs[0] != y ||
        !(next->kind == GT_OP_CONV2D ||
          (next->kind == GT_OP_DENSE && (!next->attrs.dense.rows || gt_i_tensor(rw, y)->shape.rank == 2)))) {
        goto done;
    }
    GT_TRY(gt_i_affine_read(&a, &ok, rw, op, 1));
    if (!ok || (!takes_shift(next) && !gt_i_affine_only_scales(&a))) {
        goto done;
    }
    GT_TRY(fold_inputs(&f, rw, next, &a));
    if (f.usable) {
        GT_TRY(place_fold(rw, readers[0], &f, gt_i_tensor(rw, next->inputs[1])->shape.dim[0]));
        GT_TRY(gt_i_note_fused(rw, readers[0], op));
        GT_TRY(gt_i_set_input(rw, readers[0], 0, a.x));
        gt_i_kill(rw, op);
    }
done:
    free_fold(&f);
    gt_free(readers);
    gt_free(a.scale);
    return status;
}

static gt_status scale_constants(gt_rewriter *rw, int *inputs, const char *name, const gt_affine *first,
                                 const gt_affine *second)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    float *data[2] = {NULL, NULL};
    const gt_shape shape = {.rank = 1, .dim = {first->n}};
    for (int i = 0; i < 2; i++) {
        GT_TRY(gt_alloc_aligned(&data[i], (size_t)first->n * sizeof *data[i]));
    }
    for (int64_t c = 0; c < first->n; c++) {
        data[0][c] = (float)(first->scale[c] * second->scale[c]);
        data[1][c] = (float)(first->shift[c] * second->scale[c] + second->shift[c]);
    }
    for (int i = 0; i < 2; i++) {
        float *taken = data[i];
        gt_text_destroy(&text);
        GT_TRY(gt_text_append(&text, "%s.%s", name, i == 0 ? "scale" : "shift"));
        data[i] = NULL;
        GT_TRY(gt_i_new_const(rw, &inputs[1 + i], text.data, GT_F32, &shape, taken));
    }
done:
    gt_text_destroy(&text);
    gt_free(data[0]);
    gt_free(data[1]);
    return status;
}

/* Two scales (or constant adds, multiplications, …) in a row: one scale. */
static gt_status merge_scales(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    gt_affine first = {0};
    gt_affine second = {0};
    bool ok = false;
    bool done = false;
    int x = gt_i_affine_input(rw, op);
    int before = gt_i_producer(rw, x);
    if (before < 0 || gt_i_affine_input(rw, before) < 0 || !gt_i_single_use(rw, x) ||
        rw->graph->ops[before].epilogue.act != GT_FN_NONE) {
        return GT_OK;
    }
    GT_TRY(gt_i_affine_read(&second, &ok, rw, op, 1));
    if (ok) {
        GT_TRY(gt_i_affine_read(&first, &ok, rw, before, 1));
    }
    if (!ok) {
        goto done;
    }
    int inputs[3] = {first.x, GT_NO_TENSOR, GT_NO_TENSOR};
    GT_TRY(scale_constants(rw, inputs, rw->graph->ops[op].name, &first, &second));
    const gt_epilogue epilogue = rw->graph->ops[op].epilogue;
    GT_TRY(gt_i_become(rw, &done, op, GT_OP_SCALE, NULL, &epilogue, 3, inputs));
    if (done) {
        GT_TRY(gt_i_note_fused(rw, op, before));
        gt_i_kill(rw, before);
    }
done:
    gt_free(first.scale);
    gt_free(second.scale);
    return status;
}

gt_status gt_pass_fold_scale(gt_graph *graph, bool *changed)
{
    static const gt_rule rules[] = {fold_back, merge_scales, fold_forward};
    return gt_i_sweep(graph, changed, rules, sizeof rules / sizeof *rules);
}
