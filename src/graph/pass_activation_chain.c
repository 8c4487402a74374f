/* SPDX-License-Identifier: Apache-2.0 */
/* Activation functions that exporters spell out.
 *
 * The hard functions are found by meaning, not by spelling: a path of constant additions and multiplications
 * with one clip on it is s2 * clip(s1 * x + t1, lo, hi) + t2, whatever the order and the constants were. */
#include "src/graph/pass_activation.h"

#include <math.h>

#define MAX_STEPS 8
#define NEAR 1e-4

/* s2 * clip(s1 * x + t1, lo, hi) + t2; without a clip, s1 = 1, t1 = 0. */
typedef struct ramp {
    bool clipped;
    double s1, t1, lo, hi, s2, t2;
} ramp;

static bool near(double a, double b)
{
    return fabs(a - b) <= NEAR * (1 + fabs(b));
}

/* Puts scale * y + shift in the place of the ramp's argument. */
static void ramp_affine(ramp *r, double scale, double shift)
{
    double *s = r->clipped ? &r->s1 : &r->s2;
    double *t = r->clipped ? &r->t1 : &r->t2;
    *t += *s * shift;
    *s *= scale;
}

static bool ramp_clip(ramp *r, double lo, double hi)
{
    if (r->clipped) {
        return false;
    }
    r->clipped = true;
    r->lo = lo;
    r->hi = hi;
    return true;
}

/* Goes from tensor *t through its producer to that op's argument; false if the op does not belong on a ramp. */
static bool ramp_step(ramp *r, const gt_rewriter *rw, int *t)
{
    int op = gt_i_producer(rw, *t);
    double lo = 0;
    double hi = 0;
    double scale = 0;
    double shift = 0;
    int x = GT_NO_TENSOR;
    if (op < 0) {
        return false;
    }
    const gt_op *o = &rw->graph->ops[op];
    if (o->kind == GT_OP_UNARY) {
        gt_function f = (gt_function)o->attrs.unary.function;
        if (f == GT_FN_HARD_SIGMOID) {
            if (!ramp_clip(r, 0, 1)) {
                return false;
            }
            ramp_affine(r, (double)o->attrs.unary.alpha, (double)o->attrs.unary.beta);
        } else if (!gt_i_as_clip(f, o->attrs.unary.alpha, o->attrs.unary.beta, &lo, &hi) || !ramp_clip(r, lo, hi)) {
            return false;
        }
        *t = o->inputs[0];
        return true;
    }
    if (!gt_i_scalar_affine(rw, op, &x, &scale, &shift)) {
        return false;
    }
    const gt_epilogue *e = &o->epilogue;
    if (e->act != GT_FN_NONE && !(gt_i_as_clip(e->act, e->alpha, e->beta, &lo, &hi) && ramp_clip(r, lo, hi))) {
        return false;
    }
    ramp_affine(r, scale, shift);
    *t = x;
    return true;
}

/* The ramp from tensor `from` back to tensor `to`. */
static bool find_ramp(ramp *r, const gt_rewriter *rw, int from, int to)
{
    *r = (ramp){.s1 = 1, .s2 = 1};
    int t = from;
    for (int step = 0; step < MAX_STEPS && t != to; step++) {
        if (!ramp_step(r, rw, &t)) {
            return false;
        }
    }
    return t == to && r->clipped;
}

/* A pure multiplication by a constant: steps from *t to its argument. */
static bool strip_factor(const gt_rewriter *rw, int *t, double *factor)
{
    int op = gt_i_producer(rw, *t);
    int x = GT_NO_TENSOR;
    double scale = 0;
    double shift = 0;
    if (op < 0 || rw->graph->ops[op].epilogue.act != GT_FN_NONE || !gt_i_scalar_affine(rw, op, &x, &scale, &shift) ||
        shift != 0) {
        return false;
    }
    *factor *= scale;
    *t = x;
    return true;
}

/* The names of the ops on the way from `from` to `to`, as far as nothing else needs them. */
static gt_status note_path(gt_rewriter *rw, int into, int from, int to)
{
    gt_status status = GT_OK;
    int t = from;
    for (int step = 0; step < MAX_STEPS && t != to; step++) {
        int op = gt_i_producer(rw, t);
        if (op < 0 || op == into || !gt_i_single_use(rw, t)) {
            break;
        }
        GT_TRY(gt_i_note_fused(rw, into, op));
        int which = rw->graph->ops[op].kind == GT_OP_BINARY ? gt_i_binary_activation(rw, op) : 0;
        t = rw->graph->ops[op].inputs[which > 0 ? which : 0];
    }
done:
    return status;
}

static gt_status become(gt_rewriter *rw, int op, int x, gt_function function, double alpha, double beta, int path)
{
    gt_status status = GT_OK;
    bool done = false;
    gt_attrs attrs = {.unary = {.function = function, .alpha = (float)alpha, .beta = (float)beta}};
    GT_TRY(note_path(rw, op, path, x));
    GT_TRY(gt_i_become(rw, &done, op, GT_OP_UNARY, &attrs, NULL, 1, &x));
done:
    return status;
}

/* One factor is x (times a constant), the other a ramp of x: k x clip(a x + b, 0, h) with k h = 1. */
static bool find_hard_swish(const gt_rewriter *rw, int x, int other, double factor, int *argument, double *alpha,
                            double *beta)
{
    ramp r;
    for (int step = 0; step < 4; step++) {
        if (find_ramp(&r, rw, other, x) && r.lo == 0 && r.hi > 0 && isfinite(r.hi) && r.t2 == 0 && r.s2 > 0 &&
            near(factor * r.s2 * r.hi, 1)) {
            *argument = x;
            *alpha = r.s1 / r.hi;
            *beta = r.t1 / r.hi;
            return true;
        }
        if (!strip_factor(rw, &x, &factor)) {
            return false;
        }
    }
    return false;
}

static bool is_unary(const gt_rewriter *rw, int tensor, gt_function function, int *x)
{
    int op = gt_i_producer_of_kind(rw, tensor, GT_OP_UNARY);
    if (op < 0 || rw->graph->ops[op].attrs.unary.function != (int64_t)function) {
        return false;
    }
    *x = rw->graph->ops[op].inputs[0];
    return true;
}

/* The product behind `op`: op itself, or what a chain of constant factors ends in. */
static int find_product(const gt_rewriter *rw, int op, double *factor)
{
    int t = rw->graph->ops[op].output;
    for (int step = 0; step < 4; step++) {
        int at = gt_i_producer_of_kind(rw, t, GT_OP_BINARY);
        const gt_op *o = at >= 0 ? &rw->graph->ops[at] : NULL;
        if (o == NULL || o->epilogue.act != GT_FN_NONE) {
            return -1;
        }
        if (o->attrs.binary.function == GT_BINARY_MUL && !gt_i_is_const(rw, o->inputs[0]) &&
            !gt_i_is_const(rw, o->inputs[1])) {
            return at;
        }
        if (!strip_factor(rw, &t, factor)) {
            return -1;
        }
    }
    return -1;
}

/* x times a function of x, perhaps times constants. */
static gt_status find_gated(gt_rewriter *rw, int op, bool *found)
{
    double factor = 1;
    int product = rw->graph->ops[op].kind == GT_OP_BINARY ? find_product(rw, op, &factor) : -1;
    *found = false;
    if (product < 0) {
        return GT_OK;
    }
    const int in[2] = {rw->graph->ops[product].inputs[0], rw->graph->ops[product].inputs[1]};
    for (int side = 0; side < 2; side++) {
        int x = in[side];
        int other = in[1 - side];
        int inner = GT_NO_TENSOR;
        double alpha = 0;
        double beta = 0;
        *found = true;
        if (factor == 1 && is_unary(rw, other, GT_FN_SIGMOID, &inner) && inner == x) {
            return become(rw, op, x, GT_FN_SWISH, 0, 0, other);
        }
        if (factor == 1 && is_unary(rw, other, GT_FN_TANH, &inner) && is_unary(rw, inner, GT_FN_SOFTPLUS, &inner) &&
            inner == x) {
            return become(rw, op, x, GT_FN_MISH, 0, 0, other);
        }
        if (find_hard_swish(rw, x, other, factor, &x, &alpha, &beta)) {
            gt_status status = product != op ? gt_i_note_fused(rw, op, product) : GT_OK;
            return status != GT_OK ? status : become(rw, op, x, GT_FN_HARD_SWISH, alpha, beta, other);
        }
        *found = false;
    }
    return GT_OK;
}

/* A ramp from 0 to 1 that has at least one constant operation beside its clip. Its argument is where the path
 * stops, or where another op reads along: that is the x that the function is about. */
static gt_status find_hard_sigmoid(gt_rewriter *rw, int op)
{
    const int y = rw->graph->ops[op].output;
    ramp r = {.s1 = 1, .s2 = 1};
    int t = y;
    int steps = 0;
    for (; steps < MAX_STEPS; steps++) {
        bool shared = !gt_i_single_use(rw, t) && t != y;
        if (shared && r.clipped) {
            break;
        }
        if (!ramp_step(&r, rw, &t)) {
            break;
        }
    }
    double lo = r.s2 * r.lo + r.t2;
    double hi = r.s2 * r.hi + r.t2;
    if (steps < 2 || !r.clipped || r.s2 <= 0 || !near(lo, 0) || !near(hi, 1) ||
        !gt_shape_equal(&gt_i_tensor(rw, t)->shape, &gt_i_tensor(rw, y)->shape)) {
        return GT_OK;
    }
    int which = rw->graph->ops[op].kind == GT_OP_BINARY ? gt_i_binary_activation(rw, op) : 0;
    int path = rw->graph->ops[op].inputs[which];
    return become(rw, op, t, GT_FN_HARD_SIGMOID, r.s2 * r.s1, r.s2 * r.t1 + r.t2, path);
}

/* log(1 + exp(x)) */
static gt_status find_softplus(gt_rewriter *rw, int op, bool *found)
{
    int sum = GT_NO_TENSOR;
    int exp = GT_NO_TENSOR;
    int x = GT_NO_TENSOR;
    double scale = 0;
    double shift = 0;
    *found = is_unary(rw, rw->graph->ops[op].output, GT_FN_LOG, &sum) && gt_i_producer(rw, sum) >= 0 &&
             rw->graph->ops[gt_i_producer(rw, sum)].epilogue.act == GT_FN_NONE &&
             gt_i_scalar_affine(rw, gt_i_producer(rw, sum), &exp, &scale, &shift) && scale == 1 && shift == 1 &&
             is_unary(rw, exp, GT_FN_EXP, &x);
    return *found ? become(rw, op, x, GT_FN_SOFTPLUS, 0, 0, sum) : GT_OK;
}

gt_status gt_i_find_activation_chain(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    bool found = false;
    GT_TRY(find_softplus(rw, op, &found));
    if (!found) {
        GT_TRY(find_gated(rw, op, &found));
    }
    if (!found) {
        GT_TRY(find_hard_sigmoid(rw, op));
    }
done:
    return status;
}
