/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise addition into the convolution before it. */
#include "src/graph/pass_util.h"

/* Whether the conv that produces input `side` of the add can take the other input as its residual. No cycle can
 * come of it: the conv's result has no other reader, so the other input cannot depend on it. */
static int eligible(const gt_rewriter *rw, const gt_op *add, int side)
{
    int conv = gt_i_producer_of_kind(rw, add->inputs[side], GT_OP_CONV2D);
    if (conv < 0 || !gt_i_single_use(rw, add->inputs[side])) {
        return -1;
    }
    const gt_epilogue *e = &rw->graph->ops[conv].epilogue;
    bool room = e->residual == GT_RESIDUAL_NONE && (e->act == GT_FN_NONE || add->epilogue.act == GT_FN_NONE);
    return room ? conv : -1;
}

static gt_status fuse_add(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    const gt_op *o = &rw->graph->ops[op];
    if (o->kind != GT_OP_BINARY || o->attrs.binary.function != GT_BINARY_ADD || o->inputs[0] == o->inputs[1] ||
        gt_i_is_const(rw, o->inputs[0]) || gt_i_is_const(rw, o->inputs[1]) ||
        !gt_shape_equal(&gt_i_tensor(rw, o->inputs[0])->shape, &gt_i_tensor(rw, o->inputs[1])->shape)) {
        return GT_OK;
    }
    /* The later of two convs: the other one has to be computed first either way. */
    int left = eligible(rw, o, 0);
    int right = eligible(rw, o, 1);
    int conv = left > right ? left : right;
    if (conv < 0) {
        return GT_OK;
    }
    int z = o->inputs[left > right ? 1 : 0];
    gt_epilogue *e = &rw->graph->ops[conv].epilogue;
    GT_TRY(gt_i_set_input(rw, conv, 3, z));
    if (e->act == GT_FN_NONE) {
        *e = o->epilogue;
        e->residual = GT_RESIDUAL_BEFORE;
    } else {
        e->residual = GT_RESIDUAL_AFTER;
    }
    GT_TRY(gt_i_absorb(rw, conv, op));
done:
    return status;
}

gt_status gt_pass_fuse_residual(gt_graph *graph, bool *changed)
{
    static const gt_rule rules[] = {fuse_add};
    return gt_i_sweep(graph, changed, rules, sizeof rules / sizeof *rules);
}
