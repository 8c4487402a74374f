/* SPDX-License-Identifier: Apache-2.0 */
/* Common subexpressions: equal constants, then ops that do the same to the same operands. */
#include "src/graph/pass_clean.h"
#include "src/graph/workload_text.h"

#include "src/base/rng.h"

#include <stdlib.h>
#include <string.h>

/* The beginning tells nearly all constants apart; only those that agree in it are compared to the end. */
#define HASHED_BYTES 65536

/* Things by hash, sorted: equal ones stand together, in ascending number. */
typedef struct entry {
    uint64_t hash;
    int number;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a;
    const entry *y = b;
    if (x->hash != y->hash) {
        return x->hash < y->hash ? -1 : 1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

static size_t data_bytes(const gt_tensor *t)
{
    return (size_t)gt_shape_elems(&t->shape) * gt_dtype_bytes(t->dtype);
}

static bool same_constant(const gt_tensor *a, const gt_tensor *b)
{
    return a->dtype == b->dtype && gt_shape_equal(&a->shape, &b->shape) &&
           memcmp(a->data, b->data, data_bytes(a)) == 0;
}

/* original[t] for every tensor: the first constant equal to it, or itself. */
static gt_status find_equal_constants(int *original, const gt_graph *g)
{
    gt_status status = GT_OK;
    entry *entries = NULL;
    int count = 0;
    GT_TRY(gt_calloc(&entries, (size_t)g->n_tensors, sizeof *entries));
    for (int t = 0; t < g->n_tensors; t++) {
        const gt_tensor *tensor = &g->tensors[t];
        original[t] = t;
        if (tensor->data != NULL) {
            size_t bytes = data_bytes(tensor) < HASHED_BYTES ? data_bytes(tensor) : HASHED_BYTES;
            entries[count++] = (entry){gt_hash_bytes(tensor->data, bytes), t};
        }
    }
    qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    for (int i = 1, first = 0; i < count; i++) {
        if (entries[i].hash != entries[first].hash ||
            !same_constant(&g->tensors[entries[first].number], &g->tensors[entries[i].number])) {
            first = i;
        } else {
            original[entries[i].number] = entries[first].number;
        }
    }
done:
    gt_free(entries);
    return status;
}

static gt_status merge_constants(gt_graph *g, bool *changed)
{
    gt_status status = GT_OK;
    int *original = NULL;
    GT_TRY(gt_calloc(&original, (size_t)g->n_tensors, sizeof *original));
    GT_TRY(find_equal_constants(original, g));
    for (int i = 0; i < g->n_ops; i++) {
        for (int j = 0; j < g->ops[i].n_inputs; j++) {
            int t = g->ops[i].inputs[j];
            if (t >= 0 && original[t] != t) {
                g->ops[i].inputs[j] = original[t];
                *changed = true;
            }
        }
    }
done:
    gt_free(original);
    return status;
}

/* Kind, operands, output shape, attributes and epilogue of an op: its text as a workload without the names. */
static gt_status describe(gt_text *text, const gt_graph *g, const gt_op *op)
{
    gt_status status = GT_OK;
    char *key = NULL;
    gt_operand none = {0};
    gt_workload w = {.kind = op->kind, .attrs = op->attrs, .epilogue = op->epilogue, .n_inputs = 1, .inputs = &none};
    w.output = gt_graph_operand(g, op->output);
    GT_TRY(gt_i_workload_format(&key, &w));
    GT_TRY(gt_text_append(text, "%s", key));
    for (int j = 0; j < op->n_inputs; j++) {
        GT_TRY(gt_text_append(text, " %d", op->inputs[j]));
    }
done:
    gt_free(key);
    return status;
}

/* Rule state would have to outlive the sweep, so this pass walks the ops itself, in topological order: an op's
 * operands are final when its turn comes. */
typedef struct seen {
    size_t slots; /* a power of two above twice the number of ops */
    int *op;      /* number + 1 */
    gt_text *text;
} seen;

static gt_status merge_op(gt_graph *g, seen *s, int *instead, int i, bool *changed)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    gt_op *op = &g->ops[i];
    for (int j = 0; j < op->n_inputs; j++) {
        op->inputs[j] = op->inputs[j] >= 0 ? instead[op->inputs[j]] : GT_NO_TENSOR;
    }
    GT_TRY(describe(&text, g, op));
    size_t at = (size_t)gt_hash_bytes(text.data, text.length) & (s->slots - 1);
    while (s->op[at] != 0 && strcmp(s->text[at].data, text.data) != 0) {
        at = (at + 1) & (s->slots - 1);
    }
    if (s->op[at] == 0) {
        s->op[at] = i + 1;
        s->text[at] = text;
        text = (gt_text){0};
    } else if (op->kind != GT_OP_COPY) {
        instead[op->output] = g->ops[s->op[at] - 1].output;
        *changed = true;
    }
done:
    gt_text_destroy(&text);
    return status;
}

static gt_status merge_ops(gt_graph *g, bool *changed)
{
    gt_status status = GT_OK;
    seen s = {.slots = 64};
    int *instead = NULL;
    while (s.slots < 2 * (size_t)g->n_ops + 2) {
        s.slots *= 2;
    }
    GT_TRY(gt_calloc(&s.op, s.slots, sizeof *s.op));
    GT_TRY(gt_calloc(&s.text, s.slots, sizeof *s.text));
    GT_TRY(gt_calloc(&instead, (size_t)g->n_tensors, sizeof *instead));
    for (int t = 0; t < g->n_tensors; t++) {
        instead[t] = t;
    }
    for (int i = 0; i < g->n_ops; i++) {
        GT_TRY(merge_op(g, &s, instead, i, changed));
    }
    for (int i = 0; i < g->n_outputs; i++) {
        g->outputs[i] = instead[g->outputs[i]];
    }
done:
    for (size_t i = 0; s.text != NULL && i < s.slots; i++) {
        gt_text_destroy(&s.text[i]);
    }
    gt_free(s.text);
    gt_free(s.op);
    gt_free(instead);
    return status;
}

gt_status gt_i_merge_common(gt_graph *graph, bool *changed)
{
    gt_status status = GT_OK;
    bool any = false;
    GT_TRY(gt_graph_compact(graph));
    GT_TRY(merge_constants(graph, &any));
    GT_TRY(merge_ops(graph, &any));
    if (any) {
        GT_TRY(gt_graph_compact(graph));
    }
    *changed = any;
done:
    return status;
}
