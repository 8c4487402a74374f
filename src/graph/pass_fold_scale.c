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
 * flattens x sees each channel `inner` times (unused for conv2d). */
static int64_t in_channel(const gt_op *op, const gt_shape *w, int64_t i, int64_t inner)
{
    if (op->kind == GT_OP_DENSE) {
        return i % w->dim[1] / inner;
    }
    int64_t window = w->dim[2] * w->dim[3];
    int64_t group = i / (window * w->dim[1]) / (w->dim[0] / op->attrs.conv.groups);
    return group * w->dim[1] + i / window % w->dim[1];
}

/* New weights and bias for an op with weights. A weight that nobody else reads is rewritten in its own memory, as
 * networks are mostly weights and are not to be in memory twice; until place_fold nothing is changed. */
typedef struct folded {
    float *weight;   /* a new constant, or NULL: in place */
    float *bias;     /* NULL where none is needed */
    int64_t channels;
    bool usable;     /* no overflow */
} folded;

/* What each weight is multiplied with, by its flat index. */
typedef struct factors {
    const gt_op *op;
    const gt_shape *shape; /* of the weight */
    const gt_affine *affine;
    bool of_inputs; /* per input channel, else per output channel */
} factors;

/* How many weights in a row have the same channel. */
static int64_t run_length(const factors *f)
{
    const gt_shape *w = f->shape;
    if (f->op->kind == GT_OP_DENSE) {
        return f->of_inputs ? w->dim[1] / f->affine->n : w->dim[1];
    }
    return w->dim[2] * w->dim[3];
}

/* to[i] = from[i] * scale of its channel, or only whether all of these are finite where `to` is NULL. */
static bool scale_weights(float *to, const float *from, const factors *f)
{
    const int64_t count = gt_shape_elems(f->shape);
    const int64_t run = run_length(f);
    bool finite = true;
    for (int64_t i = 0; i < count; i += run) {
        int64_t channel = f->of_inputs ? in_channel(f->op, f->shape, i, run) : out_channel(f->op, f->shape, i);
        double scale = f->affine->scale[channel];
        for (int64_t j = i; j < i + run; j++) {
            float value = (float)((double)from[j] * scale);
            finite = finite && isfinite(value);
            if (to != NULL) {
                to[j] = value;
            }
        }
    }
    return finite;
}

/* bias[k] = bias[k] * scale[k] + shift[k], or + sum over weights of weight * shift per input channel. */
static gt_status fold_bias(folded *out, const gt_rewriter *rw, const factors *f)
{
    gt_status status = GT_OK;
    const gt_affine *a = f->affine;
    const float *weight = gt_i_floats(rw, f->op->inputs[1]);
    const float *bias = gt_i_floats(rw, f->op->inputs[2]);
    double *sum = NULL;
    if (bias == NULL && gt_i_affine_only_scales(a)) {
        return GT_OK;
    }
    GT_TRY(gt_alloc_aligned(&out->bias, (size_t)out->channels * sizeof *out->bias));
    GT_TRY(gt_calloc(&sum, (size_t)out->channels, sizeof *sum));
    const int64_t count = f->of_inputs ? gt_shape_elems(f->shape) : 0;
    const int64_t run = run_length(f);
    for (int64_t i = 0; i < count; i++) {
        sum[i / (count / out->channels)] += (double)weight[i] * a->shift[in_channel(f->op, f->shape, i, run)];
    }
    for (int64_t k = 0; k < out->channels; k++) {
        double old = bias != NULL ? (double)bias[k] : 0;
        out->bias[k] = (float)(f->of_inputs ? old + sum[k] : old * a->scale[k] + a->shift[k]);
        out->usable = out->usable && isfinite(out->bias[k]);
    }
done:
    gt_free(sum);
    return status;
}

/* Computes what is new; the op stays as it is. */
static gt_status prepare_fold(folded *out, const gt_rewriter *rw, const factors *f)
{
    gt_status status = GT_OK;
    const int weight = f->op->inputs[1];
    out->usable = true;
    out->channels = f->of_inputs ? f->shape->dim[0] : f->affine->n;
    GT_TRY(fold_bias(out, rw, f));
    if (!gt_i_single_use(rw, weight)) {
        GT_TRY(gt_alloc_aligned(&out->weight, (size_t)gt_shape_elems(f->shape) * sizeof *out->weight));
    }
    out->usable = out->usable && scale_weights(out->weight, gt_i_floats(rw, weight), f);
done:
    return status;
}

static gt_status place_bias(gt_rewriter *rw, int op, folded *f)
{
    gt_status status = GT_OK;
    const gt_graph *g = rw->graph;
    gt_text name = {0};
    int tensor = g->ops[op].inputs[2];
    float *data = f->bias;
    const gt_shape shape = {.rank = 1, .dim = {f->channels}};
    if (tensor >= 0) {
        GT_TRY(gt_text_append(&name, "%s", g->tensors[tensor].name));
    } else {
        GT_TRY(gt_text_append(&name, "%s.bias", g->ops[op].name));
    }
    f->bias = NULL;
    GT_TRY(gt_i_new_const(rw, &tensor, name.data, GT_F32, &shape, data));
    GT_TRY(gt_i_set_input(rw, op, 2, tensor));
done:
    gt_text_destroy(&name);
    return status;
}

/* Puts the new constants in place (they are taken over). `f` must be about op `op`. */
static gt_status place_fold(gt_rewriter *rw, int op, folded *out, const factors *f)
{
    gt_status status = GT_OK;
    int tensor = rw->graph->ops[op].inputs[1];
    const gt_shape shape = gt_i_tensor(rw, tensor)->shape;
    if (out->weight == NULL) {
        float *data = rw->graph->tensors[tensor].data;
        scale_weights(data, data, f);
        rw->changed = true;
    } else {
        float *data = out->weight;
        out->weight = NULL;
        GT_TRY(gt_i_new_const(rw, &tensor, gt_i_tensor(rw, tensor)->name, GT_F32, &shape, data));
        GT_TRY(gt_i_set_input(rw, op, 1, tensor));
    }
    if (out->bias != NULL) {
        GT_TRY(place_bias(rw, op, out));
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
    const gt_shape shape = gt_i_tensor(rw, target->inputs[1])->shape;
    const factors by = {.op = target, .shape = &shape, .affine = &a};
    GT_TRY(prepare_fold(&f, rw, &by));
    if (f.usable) {
        GT_TRY(place_fold(rw, before, &f, &by));
        rw->graph->ops[before].epilogue = rw->graph->ops[op].epilogue;
        GT_TRY(gt_i_absorb(rw, before, op));
    }
done:
    free_fold(&f);
    gt_free(a.scale);
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
    const gt_shape shape = gt_i_tensor(rw, next->inputs[1])->shape;
    const factors by = {.op = next, .shape = &shape, .affine = &a, .of_inputs = true};
    GT_TRY(prepare_fold(&f, rw, &by));
    if (f.usable) {
        GT_TRY(place_fold(rw, readers[0], &f, &by));
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
