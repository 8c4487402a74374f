/* SPDX-License-Identifier: Apache-2.0 */
#include "src/plan/placement.h"

#include <stdlib.h>

#define L GT_LAYOUT_COUNT

/* Who has a form: input number `position` of concat `op`, or, with PREFIX, all of that concat's first inputs. */
struct claim {
    int op; /* -1: nobody */
    int position;
};

#define PREFIX (-1)

enum obstacle { OBSTACLE_NONE, OBSTACLE_SHAPE, OBSTACLE_INPUT, OBSTACLE_TWICE, OBSTACLE_TAKEN, OBSTACLE_OUTPUT_TAKEN };

/* What stands in an op's way. */
struct verdict {
    enum obstacle obstacle;
    int input; /* position among the op's inputs */
    int other; /* the op that has it */
};

struct gt_placement {
    const gt_graph *graph;
    int *root;                /* [tensor]: itself, or what it may be a view of */
    struct claim *claims;     /* [tensor * L + layout] */
    struct verdict *verdicts; /* [op * L + layout], of concats */
    unsigned char *layouts;   /* [op] */
    const gt_template *tmpl;
};

/* ---- views ---- */

static bool may_be_view(const gt_op *op)
{
    for (size_t k = 0; k < gt_template_count(); k++) {
        const gt_template *t = gt_template_at(k);
        for (int pair = 0; t->view && !t->in_place && !t->inside && t->kind == op->kind && pair < L * L; pair++) {
            if (gt_template_supports(t, op->workload, (gt_layout)(pair / L), (gt_layout)(pair % L))) {
                return true;
            }
        }
    }
    return false;
}

/* Ops stand in topological order, so that the root of an input is known. */
static void find_roots(gt_placement *p)
{
    for (int t = 0; t < p->graph->n_tensors; t++) {
        p->root[t] = t;
    }
    for (int i = 0; i < p->graph->n_ops; i++) {
        const gt_op *op = &p->graph->ops[i];
        if (may_be_view(op)) {
            p->root[op->output] = p->root[op->inputs[0]];
        }
    }
}

/* ---- claims ---- */

static struct claim *claim_of(const gt_placement *p, int tensor, int layout)
{
    return &p->claims[tensor * L + layout];
}

static bool is_free(const struct claim *c)
{
    return c->op < 0;
}

/* Whether the form belongs to nobody, or to this input of this concat, in the layout or, of views, in all of them. The first
 * claim that is in the way, otherwise NULL. */
static const struct claim *find_rival(const gt_placement *p, int tensor, int layout, struct claim wanted)
{
    const int root = p->root[tensor];
    const bool all = root != tensor;
    for (int k = all ? 0 : layout; k < (all ? L : layout + 1); k++) {
        const struct claim *c = claim_of(p, root, k);
        if (!is_free(c) && (c->op != wanted.op || c->position != wanted.position)) {
            return c;
        }
    }
    return NULL;
}

static void take(gt_placement *p, int tensor, int layout, struct claim wanted)
{
    const int root = p->root[tensor];
    const bool all = root != tensor;
    for (int k = all ? 0 : layout; k < (all ? L : layout + 1); k++) {
        *claim_of(p, root, k) = wanted;
    }
}

static struct verdict check_inputs(const gt_placement *p, const gt_op *op, gt_layout layout)
{
    for (int i = 0; i < op->n_inputs; i++) {
        const int root = p->root[op->inputs[i]];
        const bool is_view = root != op->inputs[i];
        const gt_layout read = gt_template_input_layout(op->workload, layout, layout, i);
        if (p->graph->tensors[root].producer < 0 && (is_view || read == GT_NCHW)) {
            return (struct verdict){OBSTACLE_INPUT, i, -1};
        }
        for (int k = 0; k < i; k++) {
            if (p->root[op->inputs[k]] == root) {
                return (struct verdict){OBSTACLE_TWICE, i, -1};
            }
        }
    }
    return (struct verdict){OBSTACLE_NONE, -1, -1};
}

/* The concat at whose beginning this one may lie: the one that has the first input as its first one, the op itself if none. */
static int find_head(const gt_placement *p, int index, gt_layout layout)
{
    const gt_op *op = &p->graph->ops[index];
    const struct claim *first = claim_of(p, p->root[op->inputs[0]], layout);
    const bool longer = !is_free(first) && first->position == 0 && p->graph->ops[first->op].n_inputs >= op->n_inputs;
    return longer ? first->op : index;
}

/* Every input of a prefix has to be the head's at the same position already; a claim of nobody is not enough then. */
static struct verdict ask(const gt_placement *p, int index, gt_layout layout, int head)
{
    const gt_op *op = &p->graph->ops[index];
    for (int i = 0; i < op->n_inputs; i++) {
        const struct claim *rival = find_rival(p, op->inputs[i], layout, (struct claim){head, i});
        if (rival != NULL) {
            return (struct verdict){OBSTACLE_TAKEN, i, rival->op};
        }
        if (head != index && is_free(claim_of(p, p->root[op->inputs[i]], layout))) {
            return (struct verdict){OBSTACLE_TAKEN, 0, head};
        }
    }
    const struct claim *own = claim_of(p, op->output, layout);
    if (head != index && !is_free(own)) {
        return (struct verdict){OBSTACLE_OUTPUT_TAKEN, -1, own->op};
    }
    return (struct verdict){OBSTACLE_NONE, -1, -1};
}

static void place(gt_placement *p, int index, gt_layout layout)
{
    const gt_op *op = &p->graph->ops[index];
    struct verdict *verdict = &p->verdicts[index * L + (int)layout];
    *verdict = (struct verdict){OBSTACLE_SHAPE, -1, -1};
    if (!gt_template_supports(p->tmpl, op->workload, layout, layout)) {
        return;
    }
    *verdict = check_inputs(p, op, layout);
    const int head = find_head(p, index, layout);
    if (verdict->obstacle == OBSTACLE_NONE) {
        *verdict = ask(p, index, layout, head);
    }
    if (verdict->obstacle != OBSTACLE_NONE) {
        return;
    }
    for (int i = 0; i < op->n_inputs; i++) {
        take(p, op->inputs[i], layout, (struct claim){head, i});
    }
    if (head != index) {
        take(p, op->output, layout, (struct claim){head, PREFIX});
    }
    p->layouts[index] |= (unsigned char)(1u << layout);
}

/* ---- order ---- */

struct ranked {
    int64_t elems;
    int op;
};

static int larger_first(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    return x->elems != y->elems ? (x->elems < y->elems) - (x->elems > y->elems) : (x->op > y->op) - (x->op < y->op);
}

static gt_status place_all(gt_placement *p)
{
    gt_status status = GT_OK;
    const gt_graph *g = p->graph;
    struct ranked *order = NULL;
    int n = 0;
    GT_TRY(gt_calloc(&order, (size_t)g->n_ops, sizeof *order));
    for (int i = 0; i < g->n_ops; i++) {
        if (g->ops[i].kind == p->tmpl->kind) {
            order[n++] = (struct ranked){gt_shape_elems(&g->tensors[g->ops[i].output].shape), i};
        }
    }
    if (n > 0) {
        qsort(order, (size_t)n, sizeof *order, larger_first);
    }
    for (int layout = 0; layout < L; layout++) {
        for (int k = 0; k < n; k++) {
            place(p, order[k].op, (gt_layout)layout);
        }
    }
done:
    gt_free(order);
    return status;
}

gt_status gt_placement_create(gt_placement **placement, const gt_graph *graph)
{
    gt_status status = GT_OK;
    gt_placement *p = NULL;
    const size_t n_tensors = (size_t)graph->n_tensors;
    const size_t n_ops = (size_t)graph->n_ops;
    GT_TRY(gt_calloc(&p, 1, sizeof *p));
    p->graph = graph;
    p->tmpl = gt_template_find("concat.in_place");
    GT_TRY(gt_calloc(&p->root, n_tensors, sizeof *p->root));
    GT_TRY(gt_calloc(&p->claims, n_tensors * L, sizeof *p->claims));
    GT_TRY(gt_calloc(&p->verdicts, n_ops * L, sizeof *p->verdicts));
    GT_TRY(gt_calloc(&p->layouts, n_ops, sizeof *p->layouts));
    for (size_t i = 0; i < n_tensors * L; i++) {
        p->claims[i].op = -1;
    }
    if (p->tmpl != NULL) {
        find_roots(p);
        GT_TRY(place_all(p));
    }
    *placement = p;
    p = NULL;
done:
    gt_placement_destroy(p);
    return status;
}

void gt_placement_destroy(gt_placement *p)
{
    if (p != NULL) {
        gt_free(p->layouts);
        gt_free(p->verdicts);
        gt_free(p->claims);
        gt_free(p->root);
        gt_free(p);
    }
}

/* ---- answers ---- */

unsigned gt_placement_layouts(const gt_placement *p, int op)
{
    return p->layouts[op];
}

gt_status gt_placement_reason(gt_text *text, const gt_placement *p, int op, gt_layout layout)
{
    const struct verdict *v = &p->verdicts[op * L + (int)layout];
    const gt_op *o = &p->graph->ops[op];
    const char *tensor = v->input >= 0 ? p->graph->tensors[o->inputs[v->input]].name : "";
    const char *other = v->other >= 0 ? p->graph->ops[v->other].name : "";
    switch (v->obstacle) {
    case OBSTACLE_INPUT:
        return gt_text_append(text, "input %d (tensor \"%s\") is an input of the network", v->input, tensor);
    case OBSTACLE_TWICE:
        return gt_text_append(text, "input %d (tensor \"%s\") has the memory of an input before it", v->input, tensor);
    case OBSTACLE_TAKEN:
        return gt_text_append(text, "input %d (tensor \"%s\") lies in the output of \"%s\"", v->input, tensor, other);
    case OBSTACLE_OUTPUT_TAKEN:
        return gt_text_append(text, "its inputs lie in the output of another concat, but its own output in that of \"%s\"", other);
    default:
        return gt_text_append(text, "its inputs would have to be activations that lie, each in one piece at a multiple of %d bytes, in its output", GT_ALIGN_BYTES);
    }
}
