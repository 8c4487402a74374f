/* SPDX-License-Identifier: Apache-2.0 */
#include "src/graph/pass_util.h"

#include "src/graph/graph_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Far above what any network needs; only a guard against rules that undo each other. */
#define MAX_ROUNDS 64

/* ---- the rewriter ---- */

/* Makes entries for tensors that were added since. */
static gt_status cover_tensors(gt_rewriter *rw)
{
    gt_status status = GT_OK;
    while (rw->n_uses < rw->graph->n_tensors) {
        const gt_uses none = {0};
        GT_PUSH(rw->uses, rw->n_uses, rw->capacity, none);
    }
done:
    return status;
}

static gt_status add_reader(gt_rewriter *rw, int tensor, int op)
{
    gt_status status = GT_OK;
    if (tensor >= 0) {
        gt_uses *uses = &rw->uses[tensor];
        GT_PUSH(uses->ops, uses->n_ops, uses->capacity, op);
        uses->reads++;
    }
done:
    return status;
}

static gt_status add_readers_of(gt_rewriter *rw, int op)
{
    gt_status status = GT_OK;
    const gt_op *o = &rw->graph->ops[op];
    for (int j = 0; j < o->n_inputs; j++) {
        GT_TRY(add_reader(rw, o->inputs[j], op));
    }
done:
    return status;
}

/* Called when a tensor may have lost its last reader. Its producer must not be taken for a reader of its own
 * operands any longer, or a rule would count on savings that are none; but only when the rule is through. */
static void note_idle(gt_rewriter *rw, int tensor)
{
    gt_uses *uses = &rw->uses[tensor];
    if (uses->reads == 0 && uses->outputs == 0 && !uses->idle) {
        uses->idle = true;
        uses->next_idle = rw->idle;
        rw->idle = tensor;
    }
}

/* Ends the producers of tensors that lost their last reader, and frees such constants: rewriting a network's weights one
 * by one must not keep the old ones until the sweep ends. */
static void kill_idle(gt_rewriter *rw)
{
    while (rw->idle >= 0) {
        int tensor = rw->idle;
        gt_uses *uses = &rw->uses[tensor];
        rw->idle = uses->next_idle;
        uses->idle = false;
        if (uses->reads != 0 || uses->outputs > 0) {
            continue;
        }
        int op = gt_i_producer(rw, tensor);
        if (op >= 0) {
            gt_i_kill(rw, op);
        } else {
            gt_free(rw->graph->tensors[tensor].data);
            rw->graph->tensors[tensor].data = NULL;
        }
    }
}

static void rewriter_destroy(gt_rewriter *rw)
{
    for (int t = 0; t < rw->n_uses; t++) {
        gt_free(rw->uses[t].ops);
    }
    gt_free(rw->uses);
    *rw = (gt_rewriter){0};
}

static gt_status rewriter_create(gt_rewriter *rw, gt_graph *graph)
{
    gt_status status = GT_OK;
    *rw = (gt_rewriter){.graph = graph, .idle = -1};
    GT_TRY(cover_tensors(rw));
    for (int i = 0; i < graph->n_ops; i++) {
        GT_TRY(add_readers_of(rw, i));
    }
    for (int i = 0; i < graph->n_outputs; i++) {
        rw->uses[graph->outputs[i]].outputs++;
    }
done:
    return status;
}

static gt_status sweep_once(gt_graph *graph, bool *changed, const gt_rule *rules, size_t n_rules, int bound)
{
    gt_status status = GT_OK;
    gt_rewriter rw;
    GT_TRY(rewriter_create(&rw, graph));
    /* Ops that rules add are looked at too, as far as the bound allows. */
    for (int i = 0; i < graph->n_ops && i < bound; i++) {
        for (size_t r = 0; r < n_rules && !graph->ops[i].dead; r++) {
            GT_TRY(rules[r](&rw, i));
            kill_idle(&rw);
        }
    }
    *changed = rw.changed;
    if (rw.changed) {
        GT_TRY(gt_graph_compact(graph));
    }
done:
    rewriter_destroy(&rw);
    return status;
}

gt_status gt_i_sweep(gt_graph *graph, bool *changed, const gt_rule *rules, size_t n_rules)
{
    gt_status status = GT_OK;
    bool any = false;
    bool again = true;
    GT_TRY(gt_graph_compact(graph));
    const int bound = graph->n_ops < INT_MAX / 8 ? 4 * graph->n_ops + 64 : INT_MAX;
    for (int round = 0; again && round < MAX_ROUNDS && graph->n_ops < bound; round++) {
        GT_TRY(sweep_once(graph, &again, rules, n_rules, bound));
        any = any || again;
    }
    for (int i = 0; any && i < graph->n_ops; i++) {
        gt_workload_destroy(graph->ops[i].workload);
        graph->ops[i].workload = NULL;
    }
    *changed = any;
done:
    return status;
}

/* ---- looking ---- */

const gt_tensor *gt_i_tensor(const gt_rewriter *rw, int tensor)
{
    return &rw->graph->tensors[tensor];
}

int gt_i_producer(const gt_rewriter *rw, int tensor)
{
    int op = tensor >= 0 ? rw->graph->tensors[tensor].producer : -1;
    return op >= 0 && !rw->graph->ops[op].dead && rw->graph->ops[op].output == tensor ? op : -1;
}

int gt_i_producer_of_kind(const gt_rewriter *rw, int tensor, gt_op_kind kind)
{
    int op = gt_i_producer(rw, tensor);
    return op >= 0 && rw->graph->ops[op].kind == kind ? op : -1;
}

bool gt_i_is_const(const gt_rewriter *rw, int tensor)
{
    return tensor >= 0 && rw->graph->tensors[tensor].data != NULL;
}

const float *gt_i_floats(const gt_rewriter *rw, int tensor)
{
    return tensor >= 0 && rw->graph->tensors[tensor].dtype == GT_F32 ? rw->graph->tensors[tensor].data : NULL;
}

bool gt_i_single_use(const gt_rewriter *rw, int tensor)
{
    return rw->uses[tensor].reads == 1 && rw->uses[tensor].outputs == 0;
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a;
    int y = *(const int *)b;
    return (x > y) - (x < y);
}

static bool reads(const gt_op *op, int tensor)
{
    for (int j = 0; j < op->n_inputs && !op->dead; j++) {
        if (op->inputs[j] == tensor) {
            return true;
        }
    }
    return false;
}

gt_status gt_i_readers(int **ops, int *count, const gt_rewriter *rw, int tensor)
{
    gt_status status = GT_OK;
    const gt_uses *uses = &rw->uses[tensor];
    int *list = NULL;
    int n = 0;
    GT_TRY(gt_calloc(&list, (size_t)uses->n_ops, sizeof *list));
    for (int i = 0; i < uses->n_ops; i++) {
        if (reads(&rw->graph->ops[uses->ops[i]], tensor)) {
            list[n++] = uses->ops[i];
        }
    }
    qsort(list, (size_t)n, sizeof *list, compare_ints);
    int unique = 0;
    for (int i = 0; i < n; i++) {
        if (i == 0 || list[i] != list[unique - 1]) {
            list[unique++] = list[i];
        }
    }
    *ops = list;
    *count = unique;
done:
    return status;
}

int gt_i_binary_activation(const gt_rewriter *rw, int op)
{
    const gt_op *o = &rw->graph->ops[op];
    if (o->kind != GT_OP_BINARY) {
        return -1;
    }
    bool a = gt_i_is_const(rw, o->inputs[0]);
    bool b = gt_i_is_const(rw, o->inputs[1]);
    return a == b ? -1 : a ? 1 : 0;
}

bool gt_i_scalar_affine(const gt_rewriter *rw, int op, int *x, double *scale, double *shift)
{
    int which = gt_i_binary_activation(rw, op);
    if (which < 0) {
        return false;
    }
    const gt_op *o = &rw->graph->ops[op];
    const gt_tensor *constant = gt_i_tensor(rw, o->inputs[1 - which]);
    const float *value = gt_i_floats(rw, o->inputs[1 - which]);
    if (value == NULL || gt_shape_elems(&constant->shape) != 1 ||
        !gt_shape_equal(&gt_i_tensor(rw, o->inputs[which])->shape, &gt_i_tensor(rw, o->output)->shape)) {
        return false;
    }
    double c = (double)value[0];
    *x = o->inputs[which];
    *scale = 1;
    *shift = 0;
    switch (o->attrs.binary.function) {
    case GT_BINARY_ADD:
        *shift = c;
        return true;
    case GT_BINARY_SUB:
        *scale = which == 0 ? 1 : -1;
        *shift = which == 0 ? -c : c;
        return true;
    case GT_BINARY_MUL:
        *scale = c;
        return true;
    case GT_BINARY_DIV:
        *scale = 1 / c;
        return which == 0 && c != 0;
    default:
        return false;
    }
}

/* ---- rewriting ---- */

gt_status gt_i_set_input(gt_rewriter *rw, int op, int slot, int tensor)
{
    gt_status status = GT_OK;
    int old = rw->graph->ops[op].inputs[slot];
    GT_TRY(add_reader(rw, tensor, op));
    if (old >= 0) {
        rw->uses[old].reads--;
        note_idle(rw, old);
    }
    rw->graph->ops[op].inputs[slot] = tensor;
    rw->changed = true;
done:
    return status;
}

void gt_i_kill(gt_rewriter *rw, int op)
{
    gt_op *o = &rw->graph->ops[op];
    for (int j = 0; j < o->n_inputs; j++) {
        if (o->inputs[j] >= 0) {
            rw->uses[o->inputs[j]].reads--;
            note_idle(rw, o->inputs[j]);
        }
    }
    o->dead = true;
    rw->changed = true;
}

gt_status gt_i_note_fused(gt_rewriter *rw, int into, int op)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    gt_op *target = &rw->graph->ops[into];
    const gt_op *source = &rw->graph->ops[op];
    GT_TRY(gt_text_append(&text, "%s%s%s%s%s", target->fused != NULL ? target->fused : "",
                          target->fused != NULL ? "," : "", source->name, source->fused != NULL ? "," : "",
                          source->fused != NULL ? source->fused : ""));
    gt_free(target->fused);
    target->fused = text.data;
    text = (gt_text){0};
done:
    gt_text_destroy(&text);
    return status;
}

void gt_i_set_output(gt_rewriter *rw, int op, int tensor)
{
    gt_op *o = &rw->graph->ops[op];
    if (rw->graph->tensors[o->output].producer == op) {
        rw->graph->tensors[o->output].producer = -1;
    }
    o->output = tensor;
    rw->graph->tensors[tensor].producer = op;
    rw->changed = true;
}

gt_status gt_i_absorb(gt_rewriter *rw, int into, int op)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_note_fused(rw, into, op));
    gt_i_kill(rw, op);
    gt_i_set_output(rw, into, rw->graph->ops[op].output);
done:
    return status;
}

static gt_status move_readers(gt_rewriter *rw, int from, int to)
{
    gt_status status = GT_OK;
    int *ops = NULL;
    int count = 0;
    GT_TRY(gt_i_readers(&ops, &count, rw, from));
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < rw->graph->ops[ops[i]].n_inputs; j++) {
            if (rw->graph->ops[ops[i]].inputs[j] == from) {
                GT_TRY(gt_i_set_input(rw, ops[i], j, to));
            }
        }
    }
done:
    gt_free(ops);
    return status;
}

static void move_outputs(gt_rewriter *rw, int from, int to)
{
    for (int i = 0; i < rw->graph->n_outputs; i++) {
        if (rw->graph->outputs[i] == from) {
            rw->graph->outputs[i] = to;
            rw->uses[to].outputs++;
            rw->uses[from].outputs--;
            note_idle(rw, from);
        }
    }
}

gt_status gt_i_replace(gt_rewriter *rw, int op, int to)
{
    gt_status status = GT_OK;
    const int from = rw->graph->ops[op].output;
    const int source = gt_i_producer(rw, to);
    if (rw->uses[from].outputs > 0 && source < 0) {
        /* A graph output must be produced by an op; its other readers need not go through the copy. */
        bool done = rw->graph->ops[op].kind == GT_OP_COPY && rw->graph->ops[op].inputs[0] == to;
        if (!done) {
            GT_TRY(gt_i_become(rw, &done, op, GT_OP_COPY, NULL, NULL, 1, &to));
        }
        if (done && rw->uses[from].reads > 0) {
            GT_TRY(move_readers(rw, from, to));
        }
        goto done;
    }
    gt_i_kill(rw, op);
    if (rw->uses[from].outputs > 0 && rw->uses[to].outputs == 0) {
        GT_TRY(move_readers(rw, to, from));
        gt_i_set_output(rw, source, from);
    } else {
        move_outputs(rw, from, to);
        GT_TRY(move_readers(rw, from, to));
    }
done:
    return status;
}

gt_status gt_i_become(gt_rewriter *rw, bool *done, int op, gt_op_kind kind, const gt_attrs *attrs,
                      const gt_epilogue *epilogue, int n_inputs, const int *inputs)
{
    gt_status status = GT_OK;
    gt_operand out = {0};
    gt_attrs fresh;
    int *list = NULL;
    const int n = gt_op_canonical_inputs(kind, n_inputs);
    memset(&fresh, 0, sizeof fresh);
    *done = false;
    const gt_operand hint = gt_graph_operand(rw->graph, rw->graph->ops[op].output);
    status = gt_i_graph_infer(&out, rw->graph, kind, attrs, epilogue, n_inputs, inputs, &hint);
    if (status != GT_OK) {
        return status == GT_ERROR_MEMORY ? status : GT_OK;
    }
    GT_TRY(gt_calloc(&list, (size_t)n, sizeof *list));
    for (int j = 0; j < n; j++) {
        list[j] = j < n_inputs ? inputs[j] : GT_NO_TENSOR;
    }
    if (attrs != NULL) {
        GT_TRY(gt_attrs_copy(&fresh, kind, attrs));
    }
    for (int j = 0; j < n; j++) {
        GT_TRY(add_reader(rw, list[j], op));
    }
    gt_i_kill(rw, op);
    gt_op *o = &rw->graph->ops[op];
    o->dead = false;
    gt_attrs_clear(o->kind, &o->attrs);
    gt_free(o->inputs);
    o->kind = kind;
    o->epilogue = epilogue != NULL ? *epilogue : (gt_epilogue){0};
    o->n_inputs = n;
    o->inputs = list;
    memcpy(&o->attrs, &fresh, sizeof fresh);
    memset(&fresh, 0, sizeof fresh);
    list = NULL;
    *done = true;
done:
    gt_attrs_clear(kind, &fresh);
    gt_free(list);
    return status;
}

gt_status gt_i_new_tensor(gt_rewriter *rw, int *tensor, const char *name, gt_dtype dtype, const gt_shape *shape)
{
    gt_status status = GT_OK;
    GT_TRY(gt_graph_add_tensor(rw->graph, tensor, name, dtype, shape, NULL));
    GT_TRY(cover_tensors(rw));
done:
    return status;
}

gt_status gt_i_new_const(gt_rewriter *rw, int *tensor, const char *name, gt_dtype dtype, const gt_shape *shape,
                         void *data)
{
    gt_status status = GT_OK;
    GT_TRY(gt_graph_add_tensor(rw->graph, tensor, name, dtype, shape, data));
    data = NULL;
    GT_TRY(cover_tensors(rw));
done:
    gt_free(data);
    return status;
}

gt_status gt_i_new_op(gt_rewriter *rw, int *output, gt_op_kind kind, const char *name, const gt_attrs *attrs,
                      int n_inputs, const int *inputs, const gt_operand *hint)
{
    gt_status status = GT_OK;
    int op = 0;
    GT_TRY(gt_graph_add_op(rw->graph, &op, output, kind, name, NULL, attrs, NULL, n_inputs, inputs, hint));
    GT_TRY(cover_tensors(rw));
    GT_TRY(add_readers_of(rw, op));
    rw->changed = true;
done:
    return status;
}

gt_status gt_i_new_op_into(gt_rewriter *rw, int output, gt_op_kind kind, const char *name, const gt_attrs *attrs,
                           int n_inputs, const int *inputs)
{
    gt_status status = GT_OK;
    int op = 0;
    GT_TRY(gt_graph_add_op_into(rw->graph, &op, output, kind, name, attrs, NULL, n_inputs, inputs));
    GT_TRY(add_readers_of(rw, op));
    rw->changed = true;
done:
    return status;
}
