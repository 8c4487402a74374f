/* SPDX-License-Identifier: Apache-2.0 */
/* Activations: simplifying, and fusing into the op before them. Decomposed ones are found in
 * pass_activation_chain.c. */
#include "src/graph/pass_activation.h"

#include <math.h>

bool gt_i_as_clip(gt_function function, float alpha, float beta, double *lo, double *hi)
{
    if (function == GT_FN_RELU) {
        *lo = 0;
        *hi = INFINITY;
        return true;
    }
    if (function == GT_FN_CLIP && alpha <= beta) {
        *lo = (double)alpha;
        *hi = (double)beta;
        return true;
    }
    return false;
}

static double clip(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* clip(clip(x, a, b), c, d) = clip(x, clip(a, c, d), clip(b, c, d)), also where the ranges do not meet. False if
 * the two functions are not both relu or clip. */
static bool compose_clips(gt_epilogue *out, gt_function first, float first_alpha, float first_beta,
                          gt_function second, float second_alpha, float second_beta)
{
    double a = 0;
    double b = 0;
    double c = 0;
    double d = 0;
    if (!gt_i_as_clip(first, first_alpha, first_beta, &a, &b) ||
        !gt_i_as_clip(second, second_alpha, second_beta, &c, &d)) {
        return false;
    }
    double lo = clip(a, c, d);
    double hi = clip(b, c, d);
    bool relu = lo == 0 && isinf(hi);
    *out = (gt_epilogue){
        .act = relu ? GT_FN_RELU : GT_FN_CLIP,
        .alpha = relu ? 0 : (float)lo,
        .beta = relu ? 0 : (float)hi,
    };
    return true;
}

static gt_status become_unary(gt_rewriter *rw, bool *done, int op, int x, const gt_epilogue *act)
{
    gt_attrs attrs = {.unary = {.function = act->act, .alpha = act->alpha, .beta = act->beta}};
    return gt_i_become(rw, done, op, GT_OP_UNARY, &attrs, NULL, 1, &x);
}

/* clip without a limit above 0 is relu; leaky_relu without a slope as well. */
static gt_status name_simplest(gt_rewriter *rw, int op)
{
    const gt_op *o = &rw->graph->ops[op];
    bool done = false;
    double lo = 0;
    double hi = 0;
    if (o->kind != GT_OP_UNARY) {
        return GT_OK;
    }
    gt_function f = (gt_function)o->attrs.unary.function;
    bool relu = f == GT_FN_CLIP && gt_i_as_clip(f, o->attrs.unary.alpha, o->attrs.unary.beta, &lo, &hi) && lo == 0 &&
                hi >= (double)3.402823466e38f;
    relu = relu || (f == GT_FN_LEAKY_RELU && o->attrs.unary.alpha == 0);
    return relu ? become_unary(rw, &done, op, o->inputs[0], &(gt_epilogue){.act = GT_FN_RELU}) : GT_OK;
}

/* max(x, c), min(x, c), prelu(x, c) with one constant c: clip and leaky_relu. */
static gt_status binary_to_unary(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    const gt_op *o = &rw->graph->ops[op];
    int which = gt_i_binary_activation(rw, op);
    bool done = false;
    if (which < 0 || o->epilogue.act != GT_FN_NONE) {
        return GT_OK;
    }
    int x = o->inputs[which];
    const float *c = gt_i_floats(rw, o->inputs[1 - which]);
    if (c == NULL || gt_shape_elems(&gt_i_tensor(rw, o->inputs[1 - which])->shape) != 1 || isnan(c[0])) {
        return GT_OK;
    }
    gt_epilogue act = {.act = GT_FN_CLIP};
    if (o->attrs.binary.function == GT_BINARY_MAX) {
        act.alpha = c[0];
        act.beta = INFINITY;
        act.act = c[0] == 0 ? GT_FN_RELU : GT_FN_CLIP;
    } else if (o->attrs.binary.function == GT_BINARY_MIN) {
        act.alpha = -INFINITY;
        act.beta = c[0];
    } else if (o->attrs.binary.function == GT_BINARY_PRELU && which == 0) {
        act.act = GT_FN_LEAKY_RELU;
        act.alpha = c[0];
    } else {
        return GT_OK;
    }
    GT_TRY(become_unary(rw, &done, op, x, &act));
done:
    return status;
}

/* relu and clip after relu or clip. The first one stays if others read it. */
static gt_status merge_clips(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    const gt_op *o = &rw->graph->ops[op];
    gt_epilogue merged;
    bool done = false;
    int before = o->kind == GT_OP_UNARY ? gt_i_producer_of_kind(rw, o->inputs[0], GT_OP_UNARY) : -1;
    if (before < 0) {
        return GT_OK;
    }
    const gt_op *b = &rw->graph->ops[before];
    if (!compose_clips(&merged, (gt_function)b->attrs.unary.function, b->attrs.unary.alpha, b->attrs.unary.beta,
                       (gt_function)o->attrs.unary.function, o->attrs.unary.alpha, o->attrs.unary.beta)) {
        return GT_OK;
    }
    bool absorbed = gt_i_single_use(rw, o->inputs[0]);
    GT_TRY(become_unary(rw, &done, op, b->inputs[0], &merged));
    if (done && absorbed) {
        GT_TRY(gt_i_note_fused(rw, op, before));
        gt_i_kill(rw, before);
    }
done:
    return status;
}

static bool takes_activation(const gt_op *op)
{
    return op->kind == GT_OP_CONV2D || op->kind == GT_OP_CONV_TRANSPOSE2D || op->kind == GT_OP_DENSE ||
           op->kind == GT_OP_SCALE || op->kind == GT_OP_BINARY;
}

/* Into the producer's epilogue. With a residual added after the activation there is no room for another one. */
static gt_status fuse(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    const gt_op *o = &rw->graph->ops[op];
    if (o->kind != GT_OP_UNARY || o->attrs.unary.function > GT_FN_LAST_ACTIVATION ||
        !gt_i_single_use(rw, o->inputs[0])) {
        return GT_OK;
    }
    int before = gt_i_producer(rw, o->inputs[0]);
    if (before < 0 || !takes_activation(&rw->graph->ops[before]) ||
        rw->graph->ops[before].epilogue.residual == GT_RESIDUAL_AFTER) {
        return GT_OK;
    }
    gt_epilogue *e = &rw->graph->ops[before].epilogue;
    gt_function f = (gt_function)o->attrs.unary.function;
    gt_epilogue act = {.act = f, .alpha = o->attrs.unary.alpha, .beta = o->attrs.unary.beta};
    if (e->act != GT_FN_NONE && !compose_clips(&act, e->act, e->alpha, e->beta, f, act.alpha, act.beta)) {
        return GT_OK;
    }
    act.residual = e->residual;
    *e = act;
    GT_TRY(gt_i_absorb(rw, before, op));
done:
    return status;
}

gt_status gt_i_pass_recognise_activation(gt_graph *graph, bool *changed)
{
    static const gt_rule rules[] = {name_simplest, binary_to_unary, merge_clips, gt_i_find_activation_chain};
    return gt_i_sweep(graph, changed, rules, sizeof rules / sizeof *rules);
}

gt_status gt_pass_fuse_activation(gt_graph *graph, bool *changed)
{
    static const gt_rule rules[] = {fuse};
    gt_status status = GT_OK;
    bool recognised = false;
    bool fused = false;
    /* Chains first: fusing their parts would hide them. */
    GT_TRY(gt_i_pass_recognise_activation(graph, &recognised));
    GT_TRY(gt_i_sweep(graph, &fused, rules, sizeof rules / sizeof *rules));
    *changed = recognised || fused;
done:
    return status;
}
